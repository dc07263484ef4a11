// Foreign accesses in approximately-timed mode: each asks the core's arbiter for its banks, waits until it has had
// them, and only then takes effect. Ops of the core take effect when they are accepted: a read that is requested in
// that cycle or later sees what they wrote, whether they have completed or not.
//
// b_transport waits where it can, and then annotates the rest of the latency. nb_transport_fw: BEGIN_REQ is accepted,
// END_REQ follows in the cycle of the last beat (so a port under pressure takes requests later), BEGIN_RESP with the
// data after the latency; if that is the same cycle, BEGIN_RESP implies END_REQ. Requests of one initiator are served
// in order, several may be under way. An access asks for all rows that it spans, whether their bytes are enabled or
// not.
#pragma once

#include <cstdint>
#include <vector>

#include <systemc>
#include <tlm>

#include "models/engine/bank_traffic.hpp"
#include "models/timing/bank_rules.hpp"
#include "models/timing/cycle.hpp"
#include "tlm/clock_period.hpp"
#include "tlm/four_phases.hpp"

namespace vcore::ub {

class ContendedPort final : engine::BankTraffic::Listener, transport::FourPhases::Owner {
public:
    /// The port that it serves.
    class Port {
    public:
        /// Performs an access that has been granted, and sets its status. Returns what it has cost beside its beats and
        /// latency.
        virtual sc_core::sc_time perform_granted(tlm::tlm_generic_payload& payload) = 0;
        virtual tlm::tlm_sync_enum call_initiator(int initiator, tlm::tlm_generic_payload& payload,
                                                  tlm::tlm_phase& phase, sc_core::sc_time& delay) = 0;

    protected:
        ~Port() = default;
    };

    struct Latency {
        std::uint32_t read = 1;
        std::uint32_t write = 1;
    };

    /// `wake`: whoever constructs it has drive() called when the event occurs.
    ContendedPort(Port& port, engine::BankTraffic& traffic, const transport::ClockPeriod& period, Latency latency,
                  std::uint32_t row_bytes, sc_core::sc_event& wake);

    /// Whether b_transport can be served here: the caller can wait, and the arbiter answers.
    bool can_serve() const;
    /// Precondition: can_serve(), the payload is legal and a read or write.
    void b_transport(int initiator, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

    transport::FourPhases& phases() { return phases_; }
    /// Takes a new request. Precondition: as b_transport, except for waiting.
    void begin(transport::FourPhases::Id id, int initiator, tlm::tlm_generic_payload& payload,
               const sc_core::sc_time& delay);
    bool alive() const { return traffic_.alive(); }

    void drive();
    /// Everything that waits is answered by TLM_GENERIC_ERROR_RESPONSE.
    void fail_all();

private:
    /// An access that came by nb_transport_fw.
    struct Access {
        enum class Stage : std::uint8_t { arriving, asked, granted, performed };
        transport::FourPhases::Id id = transport::FourPhases::kNone;
        int initiator = 0;
        tlm::tlm_generic_payload* payload = nullptr;
        Stage stage = Stage::arriving;
        std::uint32_t traffic = 0;
        sc_core::sc_time next;  ///< when its next stage begins; not in stage `asked`
    };
    class Caller;

    std::uint32_t ask(int initiator, const tlm::tlm_generic_payload& payload);
    sc_core::sc_time time_of(timing::Cycle cycle) const { return period_.duration(cycle.count()); }
    sc_core::sc_time rest_of(const tlm::tlm_generic_payload& payload, timing::Cycle last_beat) const;
    bool advance_one();
    void perform(std::size_t place);
    void arm();

    void on_granted(std::uint32_t id, timing::Cycle last_beat) override;
    void on_abandoned() override { fail_all(); }
    tlm::tlm_sync_enum call_back(int initiator, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                 sc_core::sc_time& delay) override {
        return port_.call_initiator(initiator, payload, phase, delay);
    }
    void responses_wait() override { wake_.notify(sc_core::SC_ZERO_TIME); }

    Port& port_;
    engine::BankTraffic& traffic_;
    transport::ClockPeriod period_;
    Latency latency_;
    std::uint32_t row_bytes_;
    sc_core::sc_event& wake_;
    sc_core::sc_event callers_wake_;
    transport::FourPhases phases_{*this, "/vcore/ub/phase"};
    std::vector<Access> accesses_;  // in the order of the calls
    std::vector<Caller*> callers_;  // each lives on the stack of the process that waits
};

}  // namespace vcore::ub
