// The rules of the generic payload, on every memory-mapped target of the model. Names start with the id of the case.
#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <systemc>
#include <tlm>

#include "testbenches/conformance/prober.hpp"
#include "testbenches/conformance/target_fixtures.hpp"

namespace vcore::conformance {
namespace {

using sc_core::SC_NS;
using sc_core::sc_time;
using sc_core::SC_ZERO_TIME;

template <typename Target>
class GenericPayload : public ::testing::Test {
protected:
    GenericPayload() { target.bind(prober.socket); }
    static void elaborate() { sc_core::sc_start(SC_ZERO_TIME); }

    /// An address with 64 bytes on either side of it.
    std::uint64_t middle() const { return target.size() / 2; }

    Target target;
    Prober prober{"prober"};
};
TYPED_TEST_SUITE(GenericPayload, MemoryTargets, TargetName);

TYPED_TEST(GenericPayload, T01_every_path_sets_the_status) {
    this->elaborate();
    Bytes data(8, 0x11);
    Bytes no_enables;
    Bytes odd_enables{0x01};
    struct Path {
        const char* name;
        tlm::tlm_command command;
        std::uint64_t address;
        unsigned length;
        unsigned width;
        unsigned char* pointer;
        Bytes* enables;
        tlm::tlm_response_status expected;
    };
    const std::uint64_t size = this->target.size();
    constexpr auto kRead = tlm::TLM_READ_COMMAND;
    constexpr auto kWrite = tlm::TLM_WRITE_COMMAND;
    constexpr auto kIgnore = tlm::TLM_IGNORE_COMMAND;
    const std::array<Path, 16> paths{{
        {"read", kRead, 0, 8, 8, data.data(), nullptr, tlm::TLM_OK_RESPONSE},
        {"write", kWrite, 0, 8, 8, data.data(), nullptr, tlm::TLM_OK_RESPONSE},
        {"ignore", kIgnore, 0, 8, 8, data.data(), nullptr, tlm::TLM_OK_RESPONSE},
        {"ignore without data", kIgnore, 0, 0, 0, nullptr, nullptr, tlm::TLM_OK_RESPONSE},
        {"ignore past the end", kIgnore, size, 8, 8, data.data(), nullptr, tlm::TLM_OK_RESPONSE},
        {"unknown command", static_cast<tlm::tlm_command>(3), 0, 8, 8, data.data(), nullptr,
         tlm::TLM_COMMAND_ERROR_RESPONSE},
        {"read without data", kRead, 0, 8, 8, nullptr, nullptr, tlm::TLM_GENERIC_ERROR_RESPONSE},
        {"write without data", kWrite, 0, 8, 8, nullptr, nullptr, tlm::TLM_GENERIC_ERROR_RESPONSE},
        {"length 0", kRead, 0, 0, 8, data.data(), nullptr, tlm::TLM_BURST_ERROR_RESPONSE},
        {"width 0", kWrite, 0, 8, 0, data.data(), nullptr, tlm::TLM_BURST_ERROR_RESPONSE},
        {"enable length 0", kWrite, 0, 8, 8, data.data(), &no_enables, tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE},
        {"enable 0x01", kWrite, 0, 8, 8, data.data(), &odd_enables, tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE},
        {"read at the end", kRead, size, 8, 8, data.data(), nullptr, tlm::TLM_ADDRESS_ERROR_RESPONSE},
        {"write over the end", kWrite, size - 4, 8, 8, data.data(), nullptr, tlm::TLM_ADDRESS_ERROR_RESPONSE},
        {"read that would wrap", kRead, ~std::uint64_t{0} - 3, 8, 8, data.data(), nullptr,
         tlm::TLM_ADDRESS_ERROR_RESPONSE},
        {"write 4 GiB above", kWrite, std::uint64_t{1} << 32U, 8, 8, data.data(), nullptr,
         tlm::TLM_ADDRESS_ERROR_RESPONSE},
    }};
    unsigned char dummy_enable = TLM_BYTE_ENABLED;
    for (const Path& path : paths) {
        SCOPED_TRACE(path.name);
        tlm::tlm_generic_payload payload;
        fill(payload, path.command, path.address, data);
        payload.set_data_ptr(path.pointer);
        payload.set_data_length(path.length);
        payload.set_streaming_width(path.width);
        if (path.enables != nullptr) {
            payload.set_byte_enable_ptr(path.enables->empty() ? &dummy_enable : path.enables->data());
            payload.set_byte_enable_length(static_cast<unsigned>(path.enables->size()));
        }
        EXPECT_EQ(this->prober.send(payload).status, path.expected);

        payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_time delay;
        EXPECT_EQ(this->prober.socket->nb_transport_fw(payload, phase, delay), tlm::TLM_COMPLETED);
        EXPECT_EQ(payload.get_response_status(), path.expected);
    }
}

TYPED_TEST(GenericPayload, T01_refused_and_ignored_accesses_move_nothing) {
    this->elaborate();
    const Bytes before(static_cast<std::size_t>(this->target.size()), 0xCD);
    this->prober.debug_write(0, before);
    Bytes data(8, 0x11);
    tlm::tlm_generic_payload payload;

    fill(payload, tlm::TLM_IGNORE_COMMAND, 0, data);
    EXPECT_EQ(this->prober.send(payload).status, tlm::TLM_OK_RESPONSE);
    fill(payload, tlm::TLM_WRITE_COMMAND, this->target.size() - 4, data);
    const auto refused = this->prober.send(payload);
    EXPECT_EQ(refused.status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(refused.delay, SC_ZERO_TIME);

    EXPECT_EQ(this->prober.debug_read(0, before.size()), before);
    EXPECT_EQ(data, Bytes(8, 0x11));
}

TYPED_TEST(GenericPayload, T02_a_reused_payload_gets_a_fresh_status_and_hint) {
    this->elaborate();
    Bytes data(4, 0x22);
    tlm::tlm_generic_payload payload;
    fill(payload, tlm::TLM_WRITE_COMMAND, 0, data);
    const auto good = this->prober.send(payload);
    EXPECT_EQ(good.status, tlm::TLM_OK_RESPONSE);
    EXPECT_TRUE(good.dmi_hint);

    payload.set_read();
    payload.set_address(this->target.size());  // status and hint still those of the write
    const auto bad = this->prober.send(payload);
    EXPECT_EQ(bad.status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_FALSE(bad.dmi_hint);
}

TYPED_TEST(GenericPayload, T08_byte_enables_shorter_than_the_data_repeat) {
    this->elaborate();
    const std::uint64_t address = this->middle();
    this->prober.debug_write(address, Bytes(8, 0xCD));

    Bytes data{0, 1, 2, 3, 4, 5, 6, 7};
    Bytes enables{0xFF, 0x00};
    tlm::tlm_generic_payload payload;
    fill(payload, tlm::TLM_WRITE_COMMAND, address, data);
    payload.set_byte_enable_ptr(enables.data());
    payload.set_byte_enable_length(2);
    EXPECT_EQ(this->prober.send(payload).status, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(this->prober.debug_read(address, 8), (Bytes{0, 0xCD, 2, 0xCD, 4, 0xCD, 6, 0xCD}));

    this->prober.debug_write(address, {10, 11, 12, 13, 14, 15, 16, 17});
    Bytes buffer(8, 0xEE);
    Bytes read_enables{0x00, 0xFF, 0xFF};
    fill(payload, tlm::TLM_READ_COMMAND, address, buffer);
    payload.set_byte_enable_ptr(read_enables.data());
    payload.set_byte_enable_length(3);
    EXPECT_EQ(this->prober.send(payload).status, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(buffer, (Bytes{0xEE, 11, 12, 0xEE, 14, 15, 0xEE, 17}));
}

TYPED_TEST(GenericPayload, T08_byte_enables_longer_than_the_data_and_all_off) {
    this->elaborate();
    const std::uint64_t address = this->middle();
    this->prober.debug_write(address, Bytes(4, 0xCD));
    Bytes data{1, 2, 3, 4};
    Bytes enables{0x00, 0xFF, 0x00, 0xFF, 0xFF, 0xFF};
    tlm::tlm_generic_payload payload;
    fill(payload, tlm::TLM_WRITE_COMMAND, address, data);
    payload.set_byte_enable_ptr(enables.data());
    payload.set_byte_enable_length(6);
    EXPECT_EQ(this->prober.send(payload).status, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(this->prober.debug_read(address, 4), (Bytes{0xCD, 2, 0xCD, 4}));

    Bytes none{0x00};
    payload.set_byte_enable_ptr(none.data());
    payload.set_byte_enable_length(1);
    EXPECT_EQ(this->prober.send(payload).status, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(this->prober.debug_read(address, 4), (Bytes{0xCD, 2, 0xCD, 4}));
}

TYPED_TEST(GenericPayload, T09_scattered_enables_equal_single_byte_writes) {
    this->elaborate();
    const std::uint64_t masked = this->middle() - 32;
    const std::uint64_t single = this->middle();
    this->prober.debug_write(masked, Bytes(64, 0xCD));
    Bytes data(32);
    Bytes enables(32);
    for (std::size_t i = 0; i < 32; ++i) {
        data[i] = static_cast<unsigned char>(i + 1);
        enables[i] = i % 2 == 0 ? 0xFF : 0x00;
    }
    tlm::tlm_generic_payload payload;
    fill(payload, tlm::TLM_WRITE_COMMAND, masked, data);
    payload.set_byte_enable_ptr(enables.data());
    payload.set_byte_enable_length(32);
    EXPECT_EQ(this->prober.send(payload).status, tlm::TLM_OK_RESPONSE);
    for (std::size_t i = 0; i < 32; i += 2) {
        EXPECT_EQ(this->prober.write(single + i, {data[i]}).status, tlm::TLM_OK_RESPONSE);
    }
    EXPECT_EQ(this->prober.debug_read(masked, 32), this->prober.debug_read(single, 32));
    EXPECT_EQ(this->prober.debug_read(masked, 4), (Bytes{1, 0xCD, 3, 0xCD}));
}

TYPED_TEST(GenericPayload, T10_streaming_width) {
    this->elaborate();
    const std::uint64_t address = this->middle();
    Bytes data{0, 1, 2, 3, 4, 5, 6, 7};
    const auto write = [&](unsigned width) {
        this->prober.debug_write(address, Bytes(16, 0xCD));
        tlm::tlm_generic_payload payload;
        fill(payload, tlm::TLM_WRITE_COMMAND, address, data);
        payload.set_streaming_width(width);
        return this->prober.send(payload).status;
    };
    EXPECT_EQ(write(4), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(this->prober.debug_read(address, 6), (Bytes{4, 5, 6, 7, 0xCD, 0xCD}));
    EXPECT_EQ(write(3), tlm::TLM_OK_RESPONSE);  // the last pass is cut short: 0 1 2, 3 4 5, 6 7
    EXPECT_EQ(this->prober.debug_read(address, 4), (Bytes{6, 7, 5, 0xCD}));
    EXPECT_EQ(write(8), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(this->prober.debug_read(address, 9), (Bytes{0, 1, 2, 3, 4, 5, 6, 7, 0xCD}));
    EXPECT_EQ(write(16), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(this->prober.debug_read(address, 9), (Bytes{0, 1, 2, 3, 4, 5, 6, 7, 0xCD}));
    EXPECT_EQ(write(0), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(this->prober.debug_read(address, 8), Bytes(8, 0xCD));
    EXPECT_EQ(write(0xFFFFFFFFU), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(this->prober.debug_read(address, 8), data);
}

TYPED_TEST(GenericPayload, T10_streaming_width_of_a_read_and_at_the_last_bytes) {
    this->elaborate();
    const std::uint64_t address = this->target.size() - 4;
    this->prober.debug_write(address, {10, 11, 12, 13});
    Bytes buffer(10, 0xEE);
    tlm::tlm_generic_payload payload;
    fill(payload, tlm::TLM_READ_COMMAND, address, buffer);
    payload.set_streaming_width(4);
    EXPECT_EQ(this->prober.send(payload).status, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(buffer, (Bytes{10, 11, 12, 13, 10, 11, 12, 13, 10, 11}));
}

TYPED_TEST(GenericPayload, T12_the_bound_is_the_logical_size) {
    this->elaborate();
    const std::uint64_t size = this->target.size();
    this->prober.debug_write(size - 4, Bytes(4, 0xCD));
    EXPECT_EQ(this->prober.write(size - 1, {1}).status, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(this->prober.write(size, {2}).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(this->prober.write(size - 2, {3, 4, 5, 6}).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(this->prober.debug_read(size - 4, 4), (Bytes{0xCD, 0xCD, 0xCD, 1}));
    // The whole target in one access is legal, one byte more is not.
    EXPECT_EQ(this->prober.write(0, Bytes(static_cast<std::size_t>(size), 7)).status, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(this->prober.write(0, Bytes(static_cast<std::size_t>(size) + 1, 8)).status,
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(this->prober.read(size - 1, 1), Bytes{7});
}

TYPED_TEST(GenericPayload, T14_a_debug_write_writes_and_has_no_side_effects) {
    this->elaborate();
    const std::uint64_t address = this->middle() - 5;
    EXPECT_EQ(this->prober.write(address, Bytes(16, 1)).status, tlm::TLM_OK_RESPONSE);
    const std::uint64_t counted = this->target.counted();
    const sc_time before = sc_core::sc_time_stamp();
    Bytes data(16);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<unsigned char>(0x80 + i);
    EXPECT_EQ(this->prober.debug_write(address, data), 16U);
    EXPECT_EQ(this->prober.debug_read(address, 16), data);
    EXPECT_EQ(this->target.counted(), counted);
    EXPECT_EQ(sc_core::sc_time_stamp(), before);
    EXPECT_EQ(this->prober.read(address, 16), data);
}

TYPED_TEST(GenericPayload, T14_debug_accesses_stop_at_the_end) {
    this->elaborate();
    const std::uint64_t size = this->target.size();
    EXPECT_EQ(this->prober.debug_write(size - 3, {1, 2, 3, 4, 5}), 3U);
    EXPECT_EQ(this->prober.debug_read(size - 3, 8), (Bytes{1, 2, 3}));
    EXPECT_EQ(this->prober.debug_write(size, {1}), 0U);
    EXPECT_EQ(this->prober.debug_write(~std::uint64_t{0}, {1, 2}), 0U);
    tlm::tlm_generic_payload payload;
    Bytes data(4, 9);
    fill(payload, tlm::TLM_IGNORE_COMMAND, 0, data);
    EXPECT_EQ(this->prober.socket->transport_dbg(payload), 0U);
    payload.set_read();
    payload.set_data_length(0);
    EXPECT_EQ(this->prober.socket->transport_dbg(payload), 0U);
    payload.set_data_ptr(nullptr);
    payload.set_data_length(4);
    EXPECT_EQ(this->prober.socket->transport_dbg(payload), 0U);
}

TYPED_TEST(GenericPayload, T19_direct_memory_and_the_last_bytes) {
    this->elaborate();
    const std::uint64_t size = this->target.size();
    auto grant = this->prober.ask_direct(tlm::TLM_WRITE_COMMAND, size - 4);
    ASSERT_TRUE(grant.granted);
    const auto span = this->target.direct_span(size - 4);
    EXPECT_EQ(grant.dmi.get_start_address(), span.first);
    EXPECT_EQ(grant.dmi.get_end_address(), span.second);
    ASSERT_EQ(grant.dmi.get_end_address(), size - 1);
    ASSERT_TRUE(grant.dmi.is_read_write_allowed());

    unsigned char* const last = grant.dmi.get_dmi_ptr() + (size - 4 - grant.dmi.get_start_address());
    std::copy_n(Bytes{1, 2, 3, 4}.data(), 4, last);
    EXPECT_EQ(this->prober.read(size - 4, 4), (Bytes{1, 2, 3, 4}));
    EXPECT_EQ(this->prober.write(size - 2, {5, 6, 7, 8}).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(this->prober.debug_read(size - 4, 4), (Bytes{1, 2, 3, 4}));
    EXPECT_FALSE(this->prober.ask_direct(tlm::TLM_READ_COMMAND, size).granted);
}

TYPED_TEST(GenericPayload, T19_direct_memory_counts_and_costs_nothing) {
    this->elaborate();
    const std::uint64_t counted = this->target.counted();
    auto grant = this->prober.ask_direct(tlm::TLM_READ_COMMAND, 0);
    ASSERT_TRUE(grant.granted);
    EXPECT_TRUE(grant.dmi.is_read_allowed());
    EXPECT_EQ(grant.dmi.get_read_latency(), this->target.delay(tlm::TLM_READ_COMMAND, 0, 1));
    EXPECT_EQ(grant.dmi.get_write_latency(), this->target.delay(tlm::TLM_WRITE_COMMAND, 0, 1));
    EXPECT_EQ(this->target.counted(), counted);
}

TYPED_TEST(GenericPayload, T20_reset_invalidates_what_was_granted) {
    this->elaborate();
    this->target.reset();
    EXPECT_TRUE(this->prober.invalidations.empty()) << "nothing had been granted";

    const std::uint64_t address = this->middle();
    const auto grant = this->prober.ask_direct(tlm::TLM_READ_COMMAND, address);
    ASSERT_TRUE(grant.granted);
    this->target.reset();
    ASSERT_EQ(this->prober.invalidations.size(), 1U);
    EXPECT_LE(this->prober.invalidations[0].first, grant.dmi.get_start_address());
    EXPECT_GE(this->prober.invalidations[0].second, grant.dmi.get_end_address());

    EXPECT_TRUE(this->prober.ask_direct(tlm::TLM_READ_COMMAND, address).granted) << "the next access asks again";
    this->target.reset();
    EXPECT_EQ(this->prober.invalidations.size(), 2U);
}

TYPED_TEST(GenericPayload, T20_refusing_direct_memory_invalidates_and_clears_the_hint) {
    this->elaborate();
    ASSERT_TRUE(this->prober.ask_direct(tlm::TLM_WRITE_COMMAND, 0).granted);
    this->target.set_direct_memory(false);
    EXPECT_EQ(this->prober.invalidations.size(), 1U);
    const auto refused = this->prober.ask_direct(tlm::TLM_READ_COMMAND, 0);
    EXPECT_FALSE(refused.granted);
    EXPECT_TRUE(refused.dmi.is_none_allowed());
    EXPECT_FALSE(this->prober.write(0, {1}).dmi_hint);
    this->target.set_direct_memory(true);
    EXPECT_TRUE(this->prober.write(0, {1}).dmi_hint);
    EXPECT_TRUE(this->prober.ask_direct(tlm::TLM_READ_COMMAND, 0).granted);
}

TYPED_TEST(GenericPayload, T21_calls_before_the_simulation_starts) {
    bool called = false;
    this->prober.at_end_of_elaboration = [&] {
        called = true;
        const auto answer = this->prober.write(4, {1, 2, 3, 4});
        EXPECT_EQ(answer.status, tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(answer.delay, this->target.delay(tlm::TLM_WRITE_COMMAND, 4, 4));
        EXPECT_EQ(this->prober.debug_write(8, {5, 6}), 2U);
        EXPECT_EQ(this->prober.read(4, 6), (Bytes{1, 2, 3, 4, 5, 6}));
        EXPECT_TRUE(this->prober.ask_direct(tlm::TLM_READ_COMMAND, 0).granted);
    };
    this->elaborate();
    EXPECT_TRUE(called);
    EXPECT_EQ(sc_core::sc_time_stamp(), SC_ZERO_TIME);
    EXPECT_EQ(this->prober.read(4, 6), (Bytes{1, 2, 3, 4, 5, 6}));
}

TYPED_TEST(GenericPayload, T23_the_delay_is_added_not_replaced) {
    this->elaborate();
    for (const tlm::tlm_command command : {tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND}) {
        for (const std::size_t bytes : {1, 4, 32, 100}) {
            SCOPED_TRACE(testing::Message() << "command " << command << ", " << bytes << " bytes");
            Bytes data(bytes);
            tlm::tlm_generic_payload payload;
            fill(payload, command, 3, data);
            sc_time delay(7, SC_NS);
            this->prober.socket->b_transport(payload, delay);
            EXPECT_EQ(delay, sc_time(7, SC_NS) + this->target.delay(command, 3, bytes));

            delay = sc_time(7, SC_NS);
            tlm::tlm_phase phase = tlm::BEGIN_REQ;
            EXPECT_EQ(this->prober.socket->nb_transport_fw(payload, phase, delay), tlm::TLM_COMPLETED);
            EXPECT_EQ(delay, sc_time(7, SC_NS) + this->target.delay(command, 3, bytes));
        }
    }
}

/// A memory that does what the standard says, one byte at a time.
class ByteLoop {
public:
    explicit ByteLoop(std::size_t bytes) : memory(bytes, 0) {}

    tlm::tlm_response_status perform(bool write, std::uint64_t address, Bytes& data, unsigned width,
                                     const Bytes& enables) {
        for (std::size_t i = 0; i < data.size(); ++i) {
            if (address + i % width >= memory.size()) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
        }
        for (std::size_t i = 0; i < data.size(); ++i) {
            if (!enables.empty() && enables[i % enables.size()] == 0) continue;
            unsigned char& cell = memory[static_cast<std::size_t>(address + i % width)];
            (write ? cell : data[i]) = write ? data[i] : cell;
        }
        return tlm::TLM_OK_RESPONSE;
    }

    Bytes memory;
};

TYPED_TEST(GenericPayload, random_payloads_equal_a_byte_loop) {
    this->elaborate();
    const unsigned seed = std::random_device{}();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    this->RecordProperty("seed", std::to_string(seed));
    std::mt19937 random(seed);
    const auto below = [&random](std::uint64_t limit) {
        return std::uniform_int_distribution<std::uint64_t>(0, limit - 1)(random);
    };
    const std::uint64_t size = this->target.size();
    ByteLoop reference(static_cast<std::size_t>(size));
    this->prober.debug_write(0, reference.memory);

    for (int round = 0; round < 20000; ++round) {
        const bool write = below(2) == 0;
        const std::uint64_t address = below(8) == 0 ? size - below(40) : below(size);
        Bytes data(1 + below(below(16) == 0 ? 700 : 80));
        for (unsigned char& byte : data) byte = static_cast<unsigned char>(below(256));
        const auto width = static_cast<unsigned>(below(3) == 0 ? 1 + below(data.size() + 8) : data.size());
        Bytes enables(below(2) == 0 ? 0 : 1 + below(data.size() + 4));
        for (unsigned char& enable : enables) enable = below(2) == 0 ? TLM_BYTE_DISABLED : TLM_BYTE_ENABLED;

        Bytes expected_data = data;
        const auto expected = reference.perform(write, address, expected_data, width, enables);
        tlm::tlm_generic_payload payload;
        fill(payload, write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, address, data);
        payload.set_streaming_width(width);
        if (!enables.empty()) {
            payload.set_byte_enable_ptr(enables.data());
            payload.set_byte_enable_length(static_cast<unsigned>(enables.size()));
        }
        ASSERT_EQ(this->prober.send(payload).status, expected) << "round " << round;
        ASSERT_EQ(data, expected_data) << "round " << round;
    }
    EXPECT_EQ(this->prober.debug_read(0, reference.memory.size()), reference.memory);
}

}  // namespace
}  // namespace vcore::conformance
