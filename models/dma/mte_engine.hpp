// MteEngine: moves data between global memory and the UB (the vendor's MTE).
//
// Models: a transfer as one transaction, seen from global memory: address = UB byte address, write = into the UB,
// read = out of it, any length; its checks, its cost, and its bursts on the UB's port.
// Does not model: global memory, strides, padding, or, loosely timed, contention with the core.
// Timing contract: b_transport takes effect when called; the delay is advanced to the cycle of the last byte (latency
// plus bytes / bytes_per_cycle, models/timing). A call between two clock edges counts from the later one. Waits only
// where the UB's port does. nb_transport_fw completes at BEGIN_REQ with the same annotation.
// Approximately timed (contend()): the bytes still move when called, their beats contend for banks, and b_transport
// waits until the last one where it can wait. Elsewhere (nb_transport_fw, method processes, before the simulation runs)
// the pipeline runs ahead to the end of the transfer. A transfer that is `beside` (tlm/traffic_extension.hpp) takes no
// time from its caller in either mode.
// Reset contract: it has no state. A transfer that waits while the core is reset gets a generic error.
//
// Answers on transfer_socket (base protocol; a MetadataExtension gives the source line):
//   OK                 all bytes moved. TLM_IGNORE_COMMAND moves none and costs the same: traffic, whose direction
//                      tlm/traffic_extension.hpp gives
//   address error      a byte past the end of the UB  (diagnostic ub-out-of-bounds); no byte moved
//   generic error      the address is not 32 B aligned (diagnostic misaligned); no byte moved
//   byte-enable error  byte enables; burst error  a streaming width below the length: a DMA has neither
// and the other answers of tlm/payload_rules.hpp. Reserved UB bytes give a warning. DMI is not granted, and
// transport_dbg is passed on to the UB.
#pragma once

#include <cstdint>
#include <vector>

#include <systemc>
#include <tlm>

#include "models/engine/bank_traffic.hpp"
#include "models/engine/core.hpp"
#include "tlm/clock_period.hpp"
#include "tlm/payload_pool.hpp"
#include "tlm/sockets.hpp"

namespace vcore::dma {

class MteEngine : public sc_core::sc_module, private engine::BankTraffic::Listener {
public:
    transport::MemoryTargetSocket<MteEngine> transfer_socket;
    transport::MemoryInitiatorSocket<MteEngine> ub_port;

    /// `core` checks and prices the transfers and keeps their diagnostics; it must outlive the MTE.
    MteEngine(sc_core::sc_module_name name, engine::Core& core);

    /// Approximately timed: waits for its beats in simulated time. To be called before elaboration ends.
    void contend(engine::BankTraffic& traffic);

private:
    class Caller;
    void transfer(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay, bool may_wait);
    bool wait_for(std::uint32_t id, timing::Cycle& last_beat);
    void on_granted(std::uint32_t id, timing::Cycle last_beat) override;
    void on_abandoned() override;

    void b_transport(int initiator, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    tlm::tlm_sync_enum nb_transport_fw(int initiator, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    unsigned transport_dbg(int initiator, tlm::tlm_generic_payload& payload);
    void move(tlm::tlm_generic_payload& payload, std::uint32_t line);

    engine::Core& core_;
    transport::ClockPeriod period_;
    std::uint32_t burst_bytes_;
    engine::BankTraffic* traffic_ = nullptr;  ///< null: loosely timed
    std::vector<Caller*> callers_;            ///< each lives on the stack of the process that waits
    sc_core::sc_event callers_wake_;
    transport::PayloadPool pool_;
};

}  // namespace vcore::dma
