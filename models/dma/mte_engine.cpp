#include "models/dma/mte_engine.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "tlm/can_wait.hpp"
#include "tlm/metadata_extension.hpp"
#include "tlm/op_extension.hpp"
#include "tlm/payload_rules.hpp"
#include "tlm/traffic_extension.hpp"

namespace vcore::dma {

namespace {

/// The rules of the generic payload, and what a DMA lacks of it. Addresses are the engine's to check: it says more.
tlm::tlm_response_status check_attributes(const tlm::tlm_generic_payload& payload) {
    // The engine's addresses are signed, so the upper half of the address space is refused here.
    constexpr auto kEnd = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const tlm::tlm_response_status status = transport::check_payload(payload, kEnd);
    if (status != tlm::TLM_OK_RESPONSE) return status;
    if (payload.get_address() > kEnd) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return tlm::TLM_OK_RESPONSE;
    if (payload.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    if (payload.get_streaming_width() < payload.get_data_length()) return tlm::TLM_BURST_ERROR_RESPONSE;
    return tlm::TLM_OK_RESPONSE;
}

timing::Direction direction_of(const tlm::tlm_generic_payload& payload) {
    if (payload.is_read()) return timing::Direction::read;
    const auto* traffic = payload.get_extension<transport::TrafficExtension>();
    const bool out =
        !payload.is_write() && traffic != nullptr && traffic->direction == transport::TrafficDirection::out_of_ub;
    return out ? timing::Direction::read : timing::Direction::write;
}

}  // namespace

MteEngine::MteEngine(sc_core::sc_module_name engine_name, engine::Core& core)
    : sc_module(engine_name),
      transfer_socket("transfer_socket"),
      ub_port("ub_port"),
      core_(core),
      period_(core.configuration().clock_mhz),
      burst_bytes_(core.configuration().timing.mte.bytes_per_cycle) {
    transfer_socket.register_b_transport(this, &MteEngine::b_transport);
    transfer_socket.register_nb_transport_fw(this, &MteEngine::nb_transport_fw);
    transfer_socket.register_transport_dbg(this, &MteEngine::transport_dbg);
}

/// A process that waits for its transfer. Leaves the list also when it is killed.
class MteEngine::Caller {
public:
    Caller(std::vector<Caller*>& callers, std::uint32_t traffic_in) : traffic(traffic_in), callers_(callers) {
        callers_.push_back(this);
    }
    Caller(const Caller&) = delete;
    Caller& operator=(const Caller&) = delete;
    ~Caller() { callers_.erase(std::find(callers_.begin(), callers_.end(), this)); }

    const std::uint32_t traffic;
    bool granted = false;
    bool failed = false;
    timing::Cycle last_beat;

private:
    std::vector<Caller*>& callers_;
};

void MteEngine::contend(engine::BankTraffic& traffic) {
    traffic_ = &traffic;
    traffic.add_listener(*this);
}

void MteEngine::b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    transfer(payload, delay, traffic_ != nullptr && traffic_->alive() && transport::can_wait());
}

void MteEngine::transfer(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay, bool may_wait) {
    payload.set_dmi_allowed(false);
    const tlm::tlm_response_status status = check_attributes(payload);
    payload.set_response_status(status);
    if (status != tlm::TLM_OK_RESPONSE) return;

    const auto* metadata = payload.get_extension<transport::MetadataExtension>();
    auto* traffic = payload.get_extension<transport::TrafficExtension>();
    const bool beside = traffic != nullptr && traffic->beside;
    if (may_wait && !beside && delay != sc_core::SC_ZERO_TIME) {
        sc_core::wait(delay);
        delay = sc_core::SC_ZERO_TIME;
    }
    engine::TransferRequest request;
    request.direction = direction_of(payload);
    request.address = static_cast<std::int64_t>(payload.get_address());
    request.bytes = payload.get_data_length();
    // Whoever calls has chosen when; only a pipeline that runs ahead has to settle what went before.
    request.beside = beside || may_wait || traffic_ == nullptr;
    request.traffic_only = payload.get_command() == tlm::TLM_IGNORE_COMMAND;
    request.line = metadata != nullptr ? metadata->line : 0;
    const timing::Cycle now(period_.next_cycle(sc_core::sc_time_stamp() + delay));
    const engine::OpResult result = core_.transfer(request, nullptr, now);
    payload.set_response_status(transport::status_of(result.response));
    if (traffic != nullptr) {
        traffic->ticket = result.ticket;
        traffic->complete_cycle = result.complete.count();
        traffic->pending = beside && result.pending;
    }
    if (result.response == isa::Response::ok && payload.get_command() != tlm::TLM_IGNORE_COMMAND) {
        move(payload, request.line);
    }

    timing::Cycle last = beside ? result.dispatch : result.complete;
    if (!beside && result.pending && !wait_for(static_cast<std::uint32_t>(result.ticket), last)) {
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    }
    // A UB that waited has moved time meanwhile.
    const sc_core::sc_time end = period_.duration(std::max(now, last).count());
    delay = end - std::min(end, sc_core::sc_time_stamp());
}

/// Waits until the traffic has had its last beat, and says when. False: it never will.
bool MteEngine::wait_for(std::uint32_t id, timing::Cycle& last_beat) {
    Caller caller(callers_, id);
    traffic_->expect(id);
    while (!caller.granted && !caller.failed) sc_core::wait(callers_wake_);
    last_beat = caller.last_beat;
    return !caller.failed;
}

void MteEngine::on_granted(std::uint32_t id, timing::Cycle last_beat) {
    for (Caller* caller : callers_) {
        if (caller->traffic != id) continue;
        caller->granted = true;
        caller->last_beat = last_beat;
        callers_wake_.notify(sc_core::SC_ZERO_TIME);
    }
}

void MteEngine::on_abandoned() {
    for (Caller* caller : callers_) caller->failed = true;
    callers_wake_.notify(sc_core::SC_ZERO_TIME);
}

tlm::tlm_sync_enum MteEngine::nb_transport_fw(int, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                              sc_core::sc_time& delay) {
    if (!transport::begins_request(phase, "/vcore/dma/phase")) return tlm::TLM_ACCEPTED;
    transfer(payload, delay, false);
    return tlm::TLM_COMPLETED;
}

unsigned MteEngine::transport_dbg(int, tlm::tlm_generic_payload& payload) {
    return ub_port->transport_dbg(payload);
}

void MteEngine::move(tlm::tlm_generic_payload& payload, std::uint32_t line) {
    const std::uint32_t length = payload.get_data_length();
    for (std::uint32_t begin = 0; begin < length;) {
        const std::uint32_t bytes = std::min(burst_bytes_, length - begin);
        const transport::PayloadHandle burst =
            pool_.acquire_memory(payload.get_command(), payload.get_address() + begin, bytes);
        burst->metadata().requester = transport::Requester::mte;
        burst->metadata().line = line;
        unsigned char* const data = payload.get_data_ptr() + begin;
        if (payload.is_write()) std::memcpy(burst->data(), data, bytes);
        sc_core::sc_time burst_delay = sc_core::SC_ZERO_TIME;
        ub_port->b_transport(*burst, burst_delay);
        if (burst->is_response_error()) {
            const std::string text = std::string("the UB answered ") + burst->get_response_string() +
                                     " to a checked burst at byte address " + std::to_string(burst->get_address());
            SC_REPORT_FATAL("/vcore/dma/burst", text.c_str());
        }
        if (payload.is_read()) std::memcpy(data, burst->data(), bytes);
        begin += bytes;
    }
}

}  // namespace vcore::dma
