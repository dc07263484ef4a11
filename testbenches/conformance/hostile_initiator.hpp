// An initiator that keeps to the base protocol and does everything that it permits, at random: both transports, delays,
// odd lengths, enables and widths, wrong addresses, foreign extensions, ignorable phases, every answer to BEGIN_RESP.
//
// It owns a window of the target, in which it knows every byte: with several initiators, or several transactions under
// way, each has one of its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <systemc>
#include <tlm>

#include "testbenches/conformance/prober.hpp"
#include "testbenches/unit/random.hpp"

namespace vcore::conformance {

DECLARE_EXTENDED_PHASE(hostile_phase);

/// An extension that nobody knows.
struct HostileExtension : tlm::tlm_extension<HostileExtension> {
    std::uint64_t noise = 0;
    tlm::tlm_extension_base* clone() const override { return new HostileExtension(*this); }
    void copy_from(const tlm::tlm_extension_base& other) override {
        noise = static_cast<const HostileExtension&>(other).noise;
    }
};

/// What the target is good for.
struct HostileHabits {
    std::uint64_t first = 0;                ///< the windows begin here
    std::uint64_t window = 1024;            ///< bytes of each
    bool byte_enables = true;               ///< and streaming widths
    bool checks_ignore = false;             ///< TLM_IGNORE_COMMAND stands for traffic and must lie in the target
    std::uint32_t alignment = 1;            ///< of addresses
    std::uint64_t end = ~std::uint64_t{0};  ///< first address past the target
};

class HostileInitiator : public sc_core::sc_module, private tlm::tlm_bw_transport_if<>, private tlm::tlm_mm_interface {
public:
    static constexpr std::size_t kSlots = 4;  ///< transactions under way at a time

    tlm::tlm_initiator_socket<> socket{"socket"};
    std::size_t completed = 0;
    std::size_t refused = 0;

    HostileInitiator(sc_core::sc_module_name initiator_name, HostileHabits habits, std::uint64_t seed)
        : sc_module(initiator_name), habits_(habits), random_(seed) {
        socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
        for (std::size_t k = 0; k < kSlots; ++k) {
            slots_.push_back(std::make_unique<Slot>(static_cast<tlm::tlm_mm_interface&>(*this)));
            slots_.back()->base = habits_.first + k * habits_.window;
            slots_.back()->mirror.resize(habits_.window);
        }
        SC_HAS_PROCESS(HostileInitiator);
        SC_METHOD(end_responses);
        dont_initialize();
        sensitive << end_responses_;
    }

    /// Makes `count` transactions, from a thread process, and waits until all have ended.
    void run(std::size_t count) {
        for (const auto& slot : slots_) debug_fill(*slot);
        for (std::size_t i = 0; i < count; ++i) {
            if (random_.one_in(3))
                sc_core::wait(sc_core::sc_time(static_cast<double>(random_.below(40)), sc_core::SC_NS));
            Slot& slot = idle_slot();
            prepare(slot);
            if (random_.one_in(3)) {
                blocking(slot);
            } else {
                non_blocking(slot);
            }
        }
        while (busy() != 0) sc_core::wait(changed_);
        for (const auto& slot : slots_) debug_compare(*slot);
    }

private:
    struct Slot {
        explicit Slot(tlm::tlm_mm_interface& manager) : payload(&manager) { payload.acquire(); }
        ~Slot() { payload.clear_extension(&extension); }
        Slot(const Slot&) = delete;
        Slot& operator=(const Slot&) = delete;
        tlm::tlm_generic_payload payload;
        HostileExtension extension;
        std::uint64_t base = 0;
        std::vector<unsigned char> mirror;
        std::vector<unsigned char> data;
        std::vector<unsigned char> sent;
        std::vector<unsigned char> enables;
        bool legal = true;
        bool busy = false;
        bool responding = false;
        sc_core::sc_time last;  ///< effective time of the latest phase
    };

    sc_core::sc_time some_delay() {
        return random_.one_in(2) ? sc_core::SC_ZERO_TIME
                                 : sc_core::sc_time(static_cast<double>(random_.below(3000)) / 100, sc_core::SC_NS);
    }
    std::size_t busy() const {
        return static_cast<std::size_t>(
            std::count_if(slots_.begin(), slots_.end(), [](const auto& slot) { return slot->busy; }));
    }
    Slot& idle_slot() {
        while (true) {
            std::vector<Slot*> idle;
            for (const auto& slot : slots_) {
                if (!slot->busy) idle.push_back(slot.get());
            }
            if (!idle.empty()) return *random_.pick(idle);
            sc_core::wait(changed_);
        }
    }

    void prepare(Slot& slot) {
        tlm::tlm_generic_payload& payload = slot.payload;
        const std::uint64_t offset = random_.below(habits_.window) / habits_.alignment * habits_.alignment;
        const auto length = static_cast<unsigned>(
            1 + random_.below(std::min<std::uint64_t>(random_.one_in(4) ? 600 : 40, habits_.window - offset)));
        slot.legal = !random_.one_in(12);
        slot.data.resize(length);
        random_.fill(slot.data.data(), length);
        slot.sent = slot.data;
        payload.set_command(random_.one_in(10)  ? tlm::TLM_IGNORE_COMMAND
                            : random_.one_in(2) ? tlm::TLM_READ_COMMAND
                                                : tlm::TLM_WRITE_COMMAND);
        payload.set_address(slot.base + offset);
        // Past the end, by a little or by so much that sums wrap.
        if (!slot.legal) payload.set_address(random_.one_in(2) ? habits_.end : ~std::uint64_t{0} - random_.below(64));
        payload.set_data_ptr(slot.data.data());
        payload.set_data_length(length);
        payload.set_streaming_width(length);
        payload.set_byte_enable_ptr(nullptr);
        payload.set_byte_enable_length(0);
        if (habits_.byte_enables && random_.one_in(3)) {
            slot.enables.resize(1 + random_.below(length + 8));
            for (unsigned char& enable : slot.enables)
                enable = random_.one_in(2) ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
            payload.set_byte_enable_ptr(slot.enables.data());
            payload.set_byte_enable_length(static_cast<unsigned>(slot.enables.size()));
        }
        if (habits_.byte_enables && random_.one_in(4)) {
            payload.set_streaming_width(static_cast<unsigned>(1 + random_.below(length + 16)));
        }
        payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        payload.set_dmi_allowed(false);
        if (random_.one_in(2)) {
            slot.extension.noise = random_.bits();
            payload.set_extension(&slot.extension);
        } else {
            payload.clear_extension(&slot.extension);
        }
    }

    /// What the memory holds afterwards, and what a read must have brought: byte by byte.
    void check(Slot& slot) {
        tlm::tlm_generic_payload& payload = slot.payload;
        const bool ignores = payload.get_command() == tlm::TLM_IGNORE_COMMAND;
        ++completed;
        if (!slot.legal && (!ignores || habits_.checks_ignore)) {
            ++refused;
            EXPECT_NE(payload.get_response_status(), tlm::TLM_OK_RESPONSE) << name();
            EXPECT_EQ(slot.data, slot.sent) << name();
            return;
        }
        EXPECT_TRUE(payload.is_response_ok()) << name() << " " << payload.get_response_string();
        const std::uint64_t offset = ignores ? 0 : payload.get_address() - slot.base;
        const unsigned width = payload.get_streaming_width();
        for (unsigned i = 0; i < slot.data.size() && !ignores; ++i) {
            const bool enabled =
                payload.get_byte_enable_ptr() == nullptr || slot.enables[i % slot.enables.size()] == TLM_BYTE_ENABLED;
            unsigned char& byte = slot.mirror[offset + i % width];
            if (payload.is_write() && enabled) byte = slot.sent[i];
            if (payload.is_read()) {
                ASSERT_EQ(slot.data[i], enabled ? byte : slot.sent[i]) << name() << " byte " << i;
            }
        }
        if (!payload.is_read()) {
            EXPECT_EQ(slot.data, slot.sent) << name();
        }
    }

    void blocking(Slot& slot) {
        slot.busy = true;
        sc_core::sc_time delay = some_delay();
        socket->b_transport(slot.payload, delay);
        check(slot);
        slot.busy = false;
        changed_.notify(sc_core::SC_ZERO_TIME);
    }

    void non_blocking(Slot& slot) {
        while (requesting_ != nullptr) sc_core::wait(changed_);
        slot.busy = true;
        requesting_ = &slot;
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = some_delay();
        slot.last = sc_core::sc_time_stamp() + delay;
        const tlm::tlm_sync_enum answer = socket->nb_transport_fw(slot.payload, phase, delay);
        if (answer == tlm::TLM_COMPLETED) {
            if (requesting_ == &slot) requesting_ = nullptr;
            finish(slot);
        } else if (answer == tlm::TLM_UPDATED) {
            slot.last = std::max(slot.last, sc_core::sc_time_stamp() + delay);
            if (requesting_ == &slot) requesting_ = nullptr;
            changed_.notify(sc_core::SC_ZERO_TIME);
            if (phase == tlm::BEGIN_RESP) respond_later(slot);
        }
        if (slot.busy && random_.one_in(4)) {
            tlm::tlm_phase ignorable = hostile_phase;
            sc_core::sc_time none;
            socket->nb_transport_fw(slot.payload, ignorable, none);
        }
    }

    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
        Slot& slot = slot_of(payload);
        slot.last = std::max(slot.last, sc_core::sc_time_stamp() + delay);
        if (requesting_ == &slot) requesting_ = nullptr;
        changed_.notify(sc_core::SC_ZERO_TIME);
        if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
        switch (random_.below(3)) {
            case 0: finish(slot); return tlm::TLM_COMPLETED;
            case 1:
                phase = tlm::END_RESP;
                delay += some_delay();
                finish(slot);
                return tlm::TLM_UPDATED;
            default: respond_later(slot); return tlm::TLM_ACCEPTED;
        }
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

    void respond_later(Slot& slot) {
        slot.responding = true;
        end_responses_.notify(slot.last - sc_core::sc_time_stamp() + some_delay());
    }
    void end_responses() {
        for (const auto& slot : slots_) {
            if (!slot->responding) continue;
            if (slot->last > sc_core::sc_time_stamp()) {
                end_responses_.notify(slot->last - sc_core::sc_time_stamp());
                continue;
            }
            slot->responding = false;
            tlm::tlm_phase phase = tlm::END_RESP;
            sc_core::sc_time none;
            socket->nb_transport_fw(slot->payload, phase, none);
            finish(*slot);
        }
    }
    void finish(Slot& slot) {
        check(slot);
        slot.busy = false;
        changed_.notify(sc_core::SC_ZERO_TIME);
    }
    Slot& slot_of(const tlm::tlm_generic_payload& payload) {
        for (const auto& slot : slots_) {
            if (&slot->payload == &payload) return *slot;
        }
        ADD_FAILURE() << name() << ": a payload of somebody else";
        return *slots_.front();
    }
    void free(tlm::tlm_generic_payload*) override {}

    void debug_fill(Slot& slot) {
        random_.fill(slot.mirror.data(), slot.mirror.size());
        std::vector<unsigned char> bytes = slot.mirror;
        EXPECT_EQ(debug(tlm::TLM_WRITE_COMMAND, slot.base, bytes), bytes.size());
    }
    void debug_compare(Slot& slot) {
        std::vector<unsigned char> bytes(slot.mirror.size());
        EXPECT_EQ(debug(tlm::TLM_READ_COMMAND, slot.base, bytes), bytes.size());
        EXPECT_EQ(bytes, slot.mirror) << name();
    }
    unsigned debug(tlm::tlm_command command, std::uint64_t address, std::vector<unsigned char>& bytes) {
        tlm::tlm_generic_payload payload;
        payload.set_command(command);
        payload.set_address(address);
        payload.set_data_ptr(bytes.data());
        payload.set_data_length(static_cast<unsigned>(bytes.size()));
        payload.set_streaming_width(static_cast<unsigned>(bytes.size()));
        return socket->transport_dbg(payload);
    }

    HostileHabits habits_;
    unit::Random random_;
    std::vector<std::unique_ptr<Slot>> slots_;
    Slot* requesting_ = nullptr;
    sc_core::sc_event changed_;
    sc_core::sc_event end_responses_;
};

}  // namespace vcore::conformance
