#include "models/ub/contended_port.hpp"

#include <algorithm>

#include "models/ub/access_parts.hpp"
#include "tlm/can_wait.hpp"
#include "tlm/payload_rules.hpp"

namespace vcore::ub {

using timing::Cycle;
using timing::Direction;
using transport::FourPhases;

/// A process that waits for its access. Leaves the list also when it is killed.
class ContendedPort::Caller {
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
    Cycle last_beat;

private:
    std::vector<Caller*>& callers_;
};

ContendedPort::ContendedPort(Port& port, engine::BankTraffic& traffic, const transport::ClockPeriod& period,
                             Latency latency, std::uint32_t row_bytes, sc_core::sc_event& wake)
    : port_(port), traffic_(traffic), period_(period), latency_(latency), row_bytes_(row_bytes), wake_(wake) {
    traffic_.add_listener(*this);
}

bool ContendedPort::can_serve() const {
    return traffic_.alive() && transport::can_wait();
}

/// Each pass over a streaming width asks anew. Returns the last pass's traffic.
std::uint32_t ContendedPort::ask(int initiator, const tlm::tlm_generic_payload& payload) {
    const Cycle at(period_.next_cycle(sc_core::sc_time_stamp()));
    const Direction direction = payload.is_write() ? Direction::write : Direction::read;
    const std::uint32_t length = payload.get_data_length();
    const std::uint32_t width = transport::span_bytes(payload);
    const auto channel = static_cast<std::uint32_t>(initiator);
    std::uint32_t id = 0;
    if (payload.get_byte_enable_ptr() != nullptr) {  // rows of which no byte takes part are not asked for
        for_each_part(payload, row_bytes_, [&](const isa::ContiguousAccess& access) {
            const auto any = [](std::uint64_t word) { return word != 0; };
            if (!std::any_of(access.enable.begin(), access.enable.end(), any)) return;
            id = traffic_.request(direction, access, channel, at);
        });
        if (id != 0) return id;
        return traffic_.request(direction, static_cast<std::uint32_t>(payload.get_address()), 0, channel, at);
    }
    for (std::uint64_t done = 0; done < length; done += width) {
        id = traffic_.request(direction, static_cast<std::uint32_t>(payload.get_address()),
                              std::min(width, static_cast<std::uint32_t>(length - done)), channel, at);
    }
    return id;
}

/// From now until the end of an access that has its last beat in this cycle.
sc_core::sc_time ContendedPort::rest_of(const tlm::tlm_generic_payload& payload, Cycle last_beat) const {
    const std::uint32_t latency = payload.is_write() ? latency_.write : latency_.read;
    const sc_core::sc_time end = time_of(Cycle(last_beat.count() + std::max(latency, 1U) - 1));
    return end - std::min(end, sc_core::sc_time_stamp());
}

void ContendedPort::b_transport(int initiator, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    if (delay != sc_core::SC_ZERO_TIME) sc_core::wait(delay);
    delay = sc_core::SC_ZERO_TIME;
    Caller caller(callers_, ask(initiator, payload));
    while (!caller.granted && !caller.failed) sc_core::wait(callers_wake_);
    const sc_core::sc_time granted = time_of(caller.last_beat);
    while (!caller.failed && granted > sc_core::sc_time_stamp()) {
        sc_core::wait(granted - sc_core::sc_time_stamp(), callers_wake_);
    }
    if (caller.failed) {
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return;
    }
    const sc_core::sc_time extra = port_.perform_granted(payload);
    delay = rest_of(payload, caller.last_beat) + extra;
}

void ContendedPort::begin(FourPhases::Id id, int initiator, tlm::tlm_generic_payload& payload,
                          const sc_core::sc_time& delay) {
    Access access;
    access.id = id;
    access.initiator = initiator;
    access.payload = &payload;
    access.next = sc_core::sc_time_stamp() + delay;
    if (delay == sc_core::SC_ZERO_TIME) {
        access.stage = Access::Stage::asked;
        access.traffic = ask(initiator, payload);
    }
    accesses_.push_back(access);
    arm();
}

// ---- the process

void ContendedPort::drive() {
    while (advance_one()) {
    }
    phases_.send_responses();
    arm();
}

/// Moves one access whose time has come to its next stage. False: there is none.
bool ContendedPort::advance_one() {
    for (std::size_t place = 0; place < accesses_.size(); ++place) {
        Access& access = accesses_[place];
        if (access.stage == Access::Stage::asked || access.next > sc_core::sc_time_stamp()) continue;
        switch (access.stage) {
            case Access::Stage::arriving:
                access.stage = Access::Stage::asked;
                access.traffic = ask(access.initiator, *access.payload);
                return true;
            case Access::Stage::granted: perform(place); return true;
            default: {
                const FourPhases::Id id = access.id;
                accesses_.erase(accesses_.begin() + static_cast<std::ptrdiff_t>(place));
                phases_.respond(id);
                return true;
            }
        }
    }
    return false;
}

void ContendedPort::perform(std::size_t place) {
    const Access access = accesses_[place];
    const Cycle last_beat(period_.next_cycle(access.next));
    const sc_core::sc_time extra = port_.perform_granted(*access.payload);
    const sc_core::sc_time rest = rest_of(*access.payload, last_beat) + extra;
    accesses_[place].stage = Access::Stage::performed;
    accesses_[place].next = sc_core::sc_time_stamp() + rest;
    if (rest != sc_core::SC_ZERO_TIME) phases_.end_request(access.id, sc_core::SC_ZERO_TIME);
}

void ContendedPort::arm() {
    for (const Access& access : accesses_) {
        if (access.stage == Access::Stage::asked) continue;
        wake_.notify(access.next - std::min(access.next, sc_core::sc_time_stamp()));
    }
}

// ---- the arbiter's answers

void ContendedPort::on_granted(std::uint32_t id, Cycle last_beat) {
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    for (Access& access : accesses_) {
        if (access.stage != Access::Stage::asked || access.traffic != id) continue;
        access.stage = Access::Stage::granted;
        access.next = time_of(last_beat);
        wake_.notify(access.next - std::min(access.next, now));
        return;
    }
    for (Caller* caller : callers_) {
        if (caller->traffic != id) continue;
        caller->granted = true;
        caller->last_beat = last_beat;
        callers_wake_.notify(sc_core::SC_ZERO_TIME);
        return;
    }
}

void ContendedPort::fail_all() {
    accesses_.clear();
    phases_.fail_all();
    for (Caller* caller : callers_) caller->failed = true;
    callers_wake_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace vcore::ub
