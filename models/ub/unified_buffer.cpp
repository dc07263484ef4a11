#include "models/ub/unified_buffer.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "models/ub/access_parts.hpp"
#include "tlm/indexed_extension.hpp"
#include "tlm/indexed_splitter.hpp"
#include "tlm/payload_rules.hpp"

namespace vcore::ub {

using timing::Direction;
using transport::Requester;

namespace {

Requester requester_of(const tlm::tlm_generic_payload& payload) {
    const auto* metadata = payload.get_extension<transport::MetadataExtension>();
    return metadata == nullptr ? Requester::foreign : metadata->requester;
}

bool is_core(Requester requester) {
    return requester == Requester::load || requester == Requester::store || requester == Requester::gather_scatter;
}

Direction direction_of(const tlm::tlm_generic_payload& payload) {
    return payload.is_write() ? Direction::write : Direction::read;
}

/// The rows of bank `bank` as they lie in the linear array: in both address orders at a constant distance.
RowView rows_of_bank(const timing::AddressMap& map, std::uint32_t bank, std::byte* bytes) {
    const timing::UbGeometry& geometry = map.geometry();
    timing::UbLocation place;
    place.group = bank % geometry.bank_groups;
    place.bank = bank / geometry.bank_groups;
    const std::uint32_t first = map.address(place);
    RowView view{bytes + first, 0, geometry.rows_per_bank, geometry.row_bytes};
    if (geometry.rows_per_bank > 1) {
        place.row = 1;
        view.stride = map.address(place) - first;
    }
    return view;
}

/// The access as the bank rules want it, whoever filled it in: with its bounds, and with inactive lanes at an address
/// inside the UB.
isa::IndexedAccess completed(const isa::IndexedAccess& access) {
    isa::IndexedAccess result = access;
    result.all_active = true;
    result.low = std::numeric_limits<std::uint32_t>::max();
    result.high = 0;
    for (std::size_t lane = 0; lane < access.lanes; ++lane) {
        if (access.is_active(lane)) {
            result.low = std::min(result.low, access.address[lane]);
            result.high = std::max(result.high, access.address[lane] + access.element_bytes);
        } else {
            result.all_active = false;
            result.address[lane] = 0;
        }
    }
    if (result.high == 0) result.low = 0;
    return result;
}

std::uint64_t local_address(const timing::AddressMap& map, std::uint32_t address) {
    const timing::UbLocation place = map.locate(address);
    return std::uint64_t{place.row} * map.geometry().row_bytes + place.byte;
}

/// Whether an active lane of the range touches the word.
bool touches(const isa::IndexedAccess& access, LaneRange lanes, std::uint32_t word, std::uint32_t word_bytes) {
    for (std::uint32_t lane = lanes.begin; lane < lanes.end; ++lane) {
        const std::uint32_t address = access.address[lane];
        if (access.is_active(lane) && address < word + word_bytes && address + access.element_bytes > word) return true;
    }
    return false;
}

/// Enables the bytes of the word that active lanes of the range write.
void enable_lanes(transport::PooledPayload& payload, const isa::IndexedAccess& access, LaneRange lanes,
                  std::uint32_t word, std::uint32_t word_bytes) {
    payload.enable_bytes();
    std::memset(payload.byte_enables(), TLM_BYTE_DISABLED, word_bytes);
    for (std::uint32_t lane = lanes.begin; lane < lanes.end; ++lane) {
        if (!touches(access, {lane, lane + 1}, word, word_bytes)) continue;
        const std::uint32_t first = std::max(access.address[lane], word);
        const std::uint32_t end = std::min(access.address[lane] + access.element_bytes, word + word_bytes);
        std::memset(payload.byte_enables() + (first - word), TLM_BYTE_ENABLED, end - first);
    }
}

}  // namespace

UnifiedBuffer::UnifiedBuffer(sc_core::sc_module_name module_name, const engine::Configuration& configuration)
    : sc_module(module_name),
      port("port"),
      indexed("indexed"),
      rules_(configuration.timing.ub, configuration.timing.gather_scatter),
      period_(configuration.clock_mhz),
      read_latency_(configuration.timing.ub.read_latency),
      write_latency_(configuration.timing.ub.write_latency),
      size_bytes_(configuration.capabilities.ub_bytes),
      bytes_(std::max(configuration.timing.ub.bytes(), configuration.capabilities.ub_bytes)),
      bank_traffic_(configuration.bank_traffic),
      counters_(rules_.make_counters()),
      ignored_counters_(rules_.make_counters()) {
    const std::uint32_t banks = configuration.timing.ub.banks();
    banks_.init(banks, [this](const char* name, std::size_t bank) {
        return new UbBank(name, rows_of_bank(rules_.map(), static_cast<std::uint32_t>(bank), bytes_.data()));
    });
    bank_sockets_.init(banks);

    port.register_b_transport(this, &UnifiedBuffer::port_b_transport);
    port.register_nb_transport_fw(this, &UnifiedBuffer::port_nb_transport_fw);
    port.register_transport_dbg(this, &UnifiedBuffer::port_transport_dbg);
    port.register_get_direct_mem_ptr(this, &UnifiedBuffer::port_get_direct_mem_ptr);
    indexed.register_b_transport(this, &UnifiedBuffer::indexed_b_transport);
    indexed.register_nb_transport_fw(this, &UnifiedBuffer::indexed_nb_transport_fw);
    indexed.register_transport_dbg(this, &UnifiedBuffer::indexed_transport_dbg);

    SC_HAS_PROCESS(UnifiedBuffer);
    SC_METHOD(contention_process);
    dont_initialize();
    sensitive << contention_wake_;
}

void UnifiedBuffer::before_end_of_elaboration() {
    for (std::size_t bank = 0; bank < banks_.size(); ++bank) {
        if (bank_sockets_[bank].bind_count() == 0) {
            bank_sockets_[bank].bind(banks_[bank].socket);
        } else {
            bank_traffic_ = true;  // somebody wants to see it
        }
    }
}

void UnifiedBuffer::contend(engine::BankTraffic& traffic, unsigned own_initiators) {
    traffic_ = &traffic;
    own_initiators_ = own_initiators;
    contention_.reset(new ContendedPort(*this, traffic, period_, {read_latency_, write_latency_},
                                        rules_.map().geometry().row_bytes, contention_wake_));
}

void UnifiedBuffer::contention_process() {
    contention_->drive();
}

void UnifiedBuffer::end_of_elaboration() {
    elaborated_ = true;
    if (contention_ != nullptr && port.size() > own_initiators_) traffic_->expect_foreign();
}

void UnifiedBuffer::set_direct_memory(bool allowed) {
    direct_memory_ = allowed;
    if (!allowed) withdraw_direct_memory();
}

void UnifiedBuffer::set_write_listener(WriteListener listener) {
    write_listener_ = std::move(listener);
}

void UnifiedBuffer::reset() {
    std::fill(bytes_.begin(), bytes_.end(), std::byte{0});
    counters_ = rules_.make_counters();
    for (UbBank& bank : banks_) bank.reset();
    if (contention_ != nullptr) contention_->fail_all();
    withdraw_direct_memory();
}

// The base protocol.

void UnifiedBuffer::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const tlm::tlm_response_status status = transport::check_payload(payload, size_bytes_);
    payload.set_response_status(status);
    payload.set_dmi_allowed(status == tlm::TLM_OK_RESPONSE && grants_direct_memory());
    if (status != tlm::TLM_OK_RESPONSE) return;
    if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) {
        delay += latency(Direction::read, 1);
        return;
    }

    const std::uint32_t beats = perform(payload, delay);
    delay += latency(direction_of(payload), beats);
}

/// Performs a legal read or write. Returns its beats and adds to the delay what the banks add.
std::uint32_t UnifiedBuffer::perform(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const Requester requester = requester_of(payload);
    const std::uint32_t beats = beats_of(payload, direction_of(payload), counters_for(requester));
    transport::perform(payload, bytes_.data());
    if (write_listener_ && payload.is_write() && !is_core(requester)) {
        transport::for_each_run(payload, [this](std::uint64_t address, const unsigned char*, std::uint32_t bytes) {
            notify_written(address, bytes);
        });
    }
    if (routes_to_banks()) route(payload, delay);
    return beats;
}

unsigned UnifiedBuffer::transport_dbg(tlm::tlm_generic_payload& payload) {
    const std::uint32_t bytes = transport::debug_perform(payload, bytes_.data(), size_bytes_);
    if (bytes == 0 || !payload.is_write()) return bytes;
    notify_written(payload.get_address(), bytes);
    if (routes_to_banks()) route_debug_write(payload.get_address(), payload.get_data_ptr(), bytes);
    return bytes;
}

/// Whether an access has to ask for banks. What is refused, or the core's or MTE's own, has not.
bool UnifiedBuffer::begins_contention(const tlm::tlm_generic_payload& payload) const {
    return contention_ != nullptr && requester_of(payload) == Requester::foreign &&
           payload.get_command() != tlm::TLM_IGNORE_COMMAND &&
           transport::check_payload(payload, size_bytes_) == tlm::TLM_OK_RESPONSE;
}

sc_core::sc_time UnifiedBuffer::perform_granted(tlm::tlm_generic_payload& payload) {
    sc_core::sc_time extra = sc_core::SC_ZERO_TIME;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    payload.set_dmi_allowed(grants_direct_memory());
    perform(payload, extra);
    return extra;
}

tlm::tlm_sync_enum UnifiedBuffer::call_initiator(int initiator, tlm::tlm_generic_payload& payload,
                                                 tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    return port[initiator]->nb_transport_bw(payload, phase, delay);
}

void UnifiedBuffer::port_b_transport(int initiator, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    if (begins_contention(payload) && contention_->can_serve()) {
        contention_->b_transport(initiator, payload, delay);
    } else {
        b_transport(payload, delay);
    }
}

tlm::tlm_sync_enum UnifiedBuffer::port_nb_transport_fw(int initiator, tlm::tlm_generic_payload& payload,
                                                       tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (contention_ == nullptr) {
        if (!transport::begins_request(phase, "/vcore/ub/phase")) return tlm::TLM_ACCEPTED;
        b_transport(payload, delay);
        return tlm::TLM_COMPLETED;
    }
    transport::FourPhases& phases = contention_->phases();
    const transport::FourPhases::Received received = phases.receive(initiator, payload, phase);
    if (received.id == transport::FourPhases::kNone) return received.answer;
    if (begins_contention(payload) && contention_->alive()) {
        contention_->begin(received.id, initiator, payload, delay);
        return tlm::TLM_ACCEPTED;
    }
    b_transport(payload, delay);
    return phases.complete_in_call(received.id);
}

unsigned UnifiedBuffer::port_transport_dbg(int, tlm::tlm_generic_payload& payload) {
    return transport_dbg(payload);
}

bool UnifiedBuffer::port_get_direct_mem_ptr(int index, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
    const bool exists = payload.get_address() < size_bytes_;
    dmi.allow_none();
    dmi.set_start_address(exists ? 0 : size_bytes_);
    dmi.set_end_address(exists ? size_bytes_ - 1 : ~std::uint64_t{0});
    if (!exists || !grants_direct_memory()) return false;

    dmi.set_dmi_ptr(reinterpret_cast<unsigned char*>(bytes_.data()));
    dmi.set_read_latency(latency(Direction::read, 1));
    dmi.set_write_latency(latency(Direction::write, 1));
    if (payload.is_write()) {
        dmi.allow_read_write();
        if (!is_core(requester_of(payload))) notify_written(0, static_cast<std::uint32_t>(size_bytes_));
    } else {
        dmi.allow_read();
    }
    granted_.resize(std::max(granted_.size(), static_cast<std::size_t>(index) + 1));
    granted_[static_cast<std::size_t>(index)] = true;
    return true;
}

void UnifiedBuffer::withdraw_direct_memory() {
    for (std::size_t index = 0; index < granted_.size(); ++index) {
        if (!granted_[index]) continue;
        granted_[index] = false;
        port[static_cast<int>(index)]->invalidate_direct_mem_ptr(0, size_bytes_ - 1);
    }
}

void UnifiedBuffer::notify_written(std::uint64_t address, std::uint32_t bytes) {
    if (write_listener_) write_listener_(static_cast<std::uint32_t>(address), bytes);
}

// Cost.

sc_core::sc_time UnifiedBuffer::latency(Direction direction, std::uint32_t beats) const {
    const std::uint64_t first = direction == Direction::read ? read_latency_ : write_latency_;
    return period_.duration(first + std::max(beats, 1U) - 1);
}

timing::BankCounters& UnifiedBuffer::counters_for(Requester requester) {
    return requester == Requester::foreign ? counters_ : ignored_counters_;
}

std::uint32_t UnifiedBuffer::beats_of(const tlm::tlm_generic_payload& payload, Direction direction,
                                      timing::BankCounters& counters) {
    std::uint32_t beats = 0;
    for_each_part(payload, rules_.map().geometry().row_bytes, [&](const isa::ContiguousAccess& access) {
        beats += rules_.cost(access, direction, counters).beats;
    });
    return beats;
}

std::uint32_t UnifiedBuffer::lanes_per_beat(const isa::IndexedAccess& access) const {
    // 128 lanes fit in an index register only as 16-bit indices; fewer are addressed by wider ones.
    const std::size_t index_bytes = access.lanes > isa::kMaxIndexedLanes / 2 ? 2 : 4;
    return rules_.lanes_per_beat(access.element_bytes, index_bytes);
}

// Gathers and scatters.

void UnifiedBuffer::indexed_b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const tlm::tlm_response_status status = transport::check_indexed(payload, size_bytes_);
    payload.set_response_status(status);
    payload.set_dmi_allowed(false);
    if (status != tlm::TLM_OK_RESPONSE) return;

    const isa::IndexedAccess& access = payload.get_extension<transport::IndexedExtension>()->access;
    const Requester requester = requester_of(payload);
    const Direction direction = direction_of(payload);
    const std::uint32_t beats =
        rules_.cost(completed(access), lanes_per_beat(access), direction, counters_for(requester)).beats;
    move_lanes(access, payload.is_write(), payload.get_data_ptr());
    if (payload.is_write() && !is_core(requester)) notify_written(access);
    if (routes_to_banks()) route(access, payload, delay);
    delay += latency(direction, beats);
}

tlm::tlm_sync_enum UnifiedBuffer::indexed_nb_transport_fw(int index, tlm::tlm_generic_payload& payload,
                                                          tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (!transport::begins_request(phase, "/vcore/ub/phase")) return tlm::TLM_ACCEPTED;
    indexed_b_transport(index, payload, delay);
    return tlm::TLM_COMPLETED;
}

unsigned UnifiedBuffer::indexed_transport_dbg(int, tlm::tlm_generic_payload& payload) {
    if (transport::check_indexed(payload, size_bytes_) != tlm::TLM_OK_RESPONSE) return 0;
    const isa::IndexedAccess& access = payload.get_extension<transport::IndexedExtension>()->access;
    move_lanes(access, payload.is_write(), payload.get_data_ptr());
    unsigned moved = 0;
    for (std::size_t lane = 0; lane < access.lanes; ++lane) {
        if (!access.is_active(lane)) continue;
        moved += access.element_bytes;
        if (!payload.is_write() || !routes_to_banks()) continue;
        route_debug_write(access.address[lane], payload.get_data_ptr() + lane * access.element_bytes,
                          access.element_bytes);
    }
    if (payload.is_write()) notify_written(access);
    return moved;
}

void UnifiedBuffer::move_lanes(const isa::IndexedAccess& access, bool write, unsigned char* data) {
    for (std::size_t lane = 0; lane < access.lanes; ++lane) {
        if (!access.is_active(lane)) continue;
        std::byte* const memory = bytes_.data() + access.address[lane];
        unsigned char* const element = data + lane * access.element_bytes;
        if (write) {
            std::memcpy(memory, element, access.element_bytes);
        } else {
            std::memcpy(element, memory, access.element_bytes);
        }
    }
}

void UnifiedBuffer::notify_written(const isa::IndexedAccess& access) {
    if (!write_listener_) return;
    for (std::size_t lane = 0; lane < access.lanes; ++lane) {
        if (access.is_active(lane)) write_listener_(access.address[lane], access.element_bytes);
    }
}

// Bank traffic.

void UnifiedBuffer::route(const tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const std::uint32_t row_bytes = rules_.map().geometry().row_bytes;
    const std::uint32_t length = payload.get_data_length();
    const std::uint32_t width = transport::span_bytes(payload);
    for (std::uint32_t done = 0; done < length;) {
        const std::uint32_t in_pass = done % width;
        const auto address = static_cast<std::uint32_t>(payload.get_address()) + in_pass;
        const std::uint32_t bytes = std::min({row_bytes - address % row_bytes, width - in_pass, length - done});

        const transport::PayloadHandle access = bank_access(payload, address, bytes);
        bool any = true;
        if (payload.get_byte_enable_ptr() != nullptr) {
            access->enable_bytes();
            any = false;
            for (std::uint32_t byte = 0; byte < bytes; ++byte) {
                const bool enabled = transport::byte_enabled(payload, done + byte);
                access->byte_enables()[byte] = enabled ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
                any = any || enabled;
            }
        }
        if (any) perform_at_bank(*access, address, payload.get_data_ptr() + done, delay);
        done += bytes;
    }
}

void UnifiedBuffer::route(const isa::IndexedAccess& access, const tlm::tlm_generic_payload& payload,
                          sc_core::sc_time& delay) {
    const timing::UbGeometry& geometry = rules_.map().geometry();
    const std::uint32_t sub_word = geometry.row_bytes / geometry.sub_banks;
    const bool whole_rows = access.element_bytes > sub_word;
    const std::uint32_t word_bytes = whole_rows ? geometry.row_bytes : sub_word;
    const std::uint32_t beat_lanes = whole_rows ? access.lanes : lanes_per_beat(access);

    for (std::uint32_t begin = 0; begin < access.lanes; begin += beat_lanes) {
        const std::uint32_t end = std::min<std::uint32_t>(access.lanes, begin + beat_lanes);
        route_beat(access, {begin, end}, word_bytes, payload, delay);
    }
}

void UnifiedBuffer::route_beat(const isa::IndexedAccess& access, LaneRange lanes, std::uint32_t word_bytes,
                               const tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    for (std::uint32_t lane = lanes.begin; lane < lanes.end; ++lane) {
        if (!access.is_active(lane)) continue;
        const std::uint32_t last = access.address[lane] + access.element_bytes - 1;
        for (std::uint32_t word = access.address[lane] / word_bytes * word_bytes; word <= last; word += word_bytes) {
            if (touches(access, {lanes.begin, lane}, word, word_bytes)) continue;  // an earlier lane has brought it
            const transport::PayloadHandle part = bank_access(payload, word, word_bytes);
            if (payload.is_write()) enable_lanes(*part, access, lanes, word, word_bytes);
            perform_at_bank(*part, word, reinterpret_cast<const unsigned char*>(bytes_.data()) + word, delay);
        }
    }
}

transport::PayloadHandle UnifiedBuffer::bank_access(const tlm::tlm_generic_payload& origin, std::uint32_t address,
                                                    std::uint32_t bytes) {
    transport::PayloadHandle access =
        pool_.acquire_memory(origin.get_command(), local_address(rules_.map(), address), bytes);
    const auto* metadata = origin.get_extension<transport::MetadataExtension>();
    if (metadata != nullptr) access->metadata() = *metadata;
    return access;
}

void UnifiedBuffer::perform_at_bank(transport::PooledPayload& access, std::uint32_t address, const unsigned char* data,
                                    sc_core::sc_time& delay) {
    if (access.is_write()) std::memcpy(access.data(), data, access.get_data_length());
    const timing::BankId bank_id = rules_.map().bank(address);
    bank_socket(bank_id)->b_transport(access, delay);
    if (access.is_response_error()) {
        const std::string text = "bank " + std::to_string(timing::value(bank_id)) + " answered " +
                                 access.get_response_string() + " to an access at UB address " +
                                 std::to_string(address);
        SC_REPORT_FATAL("/vcore/ub/bank-error", text.c_str());
    }
    if (!access.is_read()) return;
    for (std::uint32_t byte = 0; byte < access.get_data_length(); ++byte) {
        if (!transport::byte_enabled(access, byte) || access.data()[byte] == data[byte]) continue;
        const std::string text = "bank " + std::to_string(timing::value(bank_id)) + " read " +
                                 std::to_string(access.data()[byte]) + " at UB address " +
                                 std::to_string(address + byte) + ", the array holds " + std::to_string(data[byte]);
        SC_REPORT_ERROR("/vcore/ub/bank-data", text.c_str());
        return;
    }
}

void UnifiedBuffer::route_debug_write(std::uint64_t address, const unsigned char* data, std::uint32_t bytes) {
    const std::uint32_t row_bytes = rules_.map().geometry().row_bytes;
    while (bytes != 0) {
        const auto place = static_cast<std::uint32_t>(address);
        const std::uint32_t part = std::min(bytes, row_bytes - place % row_bytes);
        const transport::PayloadHandle access =
            pool_.acquire_memory(tlm::TLM_WRITE_COMMAND, local_address(rules_.map(), place), part);
        std::memcpy(access->data(), data, part);
        bank_socket(rules_.map().bank(place))->transport_dbg(*access);
        address += part;
        data += part;
        bytes -= part;
    }
}

}  // namespace vcore::ub
