// GatherScatterUnit: the block between the vector core and the UB that carries gathers and scatters.
//
// Models: the indexed port to the UB, and what passes through it: accesses, beats of each access alone, stalls.
// Does not model: contention with other requesters; addresses and data, which pass unchanged. A core that holds the UB
// by pointer does not come by here: the counters then stand still, and engine::Statistics has the totals.
// Timing contract: annotates nothing of its own; what the UB annotates is passed on. Never waits.
// Reset contract: reset() clears the counters.
#pragma once

#include <cstdint>

#include <systemc>
#include <tlm>

#include "models/timing/bank_rules.hpp"
#include "models/timing/parameters.hpp"
#include "tlm/sockets.hpp"

namespace vcore::gather_scatter {

class GatherScatterUnit : public sc_core::sc_module {
public:
    transport::IndexedTargetSocket<GatherScatterUnit> core_port;
    transport::IndexedInitiatorSocket<GatherScatterUnit> ub_port;

    GatherScatterUnit(sc_core::sc_module_name name, const timing::Parameters& parameters);

    void reset();

    /// What passed since reset.
    struct Counters {
        std::uint64_t gathers = 0;
        std::uint64_t scatters = 0;
        std::uint64_t beats = 0;   ///< cycles that these accesses hold the unit, each on its own
        std::uint64_t stalls = 0;  ///< of them, cycles beyond one a beat: lanes that met in a sub-bank or group
    };
    const Counters& counters() const { return counters_; }

private:
    void b_transport(int initiator, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned transport_dbg(int initiator, tlm::tlm_generic_payload& payload);
    void count(const tlm::tlm_generic_payload& payload, const isa::IndexedAccess& access);

    timing::BankRules rules_;
    timing::BankCounters rows_;  ///< BankRules adds to it; the UB's own counters are the ones to read
    Counters counters_;
};

}  // namespace vcore::gather_scatter
