// VectorCore: takes ops on its op socket, performs them in program order and says how many cycles they take.
//
// Models: one vector core with its vector functions (VF), over register files, UB and gather/scatter unit that it
// reaches by sockets. Meaning, warnings and cost are models/engine; this module carries them to SystemC.
// Does not model: scalar code, instruction fetch, contention with other requesters (loosely timed).
// Timing contract: an op takes effect when b_transport is called; the delay is advanced to the cycle at which the next
// op can be dispatched, a call between two clock edges counts from the later one. Waits only while it is another
// initiator's turn, and, where several are bound, for the end of the delta cycle before a call outside a VF
// (models/core/turns.hpp). nb_transport_fw completes at BEGIN_REQ with the same annotation and never waits.
// Reset contract: reset() ends an open VF and forgets time, written marks and counters; register files and UB are reset
// by their own.
//
// Answers on op_socket (payload: TLM_IGNORE_COMMAND with an OpExtension, see tlm/op_extension.hpp):
//   OK             performed; in/out fields of the op and the cycles are in the descriptor
//   command error  the product lacks the op, or the payload's command is not TLM_IGNORE_COMMAND
//   address error, generic error   refused as descriptor.fault says; engine().diagnostics() has the sentence
//   generic error  no OpExtension or a descriptor of another version: neither is an op, and nothing is recorded
// Several initiators may be bound. From VfBegin to VfEnd the core is one initiator's; calls of others wait their
// turn, and get `busy` where they cannot wait (nb_transport_fw, method processes, before the simulation runs).
#pragma once

#include <array>

#include <systemc>
#include <tlm>

#include "models/core/memory_port.hpp"
#include "models/core/socket_ub.hpp"
#include "models/core/turns.hpp"
#include "models/engine/core.hpp"
#include "models/isa/registers.hpp"
#include "tlm/clock_period.hpp"
#include "tlm/op_extension.hpp"
#include "tlm/payload_pool.hpp"
#include "tlm/sockets.hpp"

namespace vcore::core {

class VectorCore : public sc_core::sc_module {
private:
    transport::PayloadPool pool_;  // before the ports that use it

public:
    transport::OpTargetSocket<VectorCore> op_socket;
    MemoryPort vector_registers;  ///< 32 x 256 B: register k at k * 256
    MemoryPort mask_registers;    ///< 8 x 32 B: register k at k * 32
    MemoryPort load_port;
    MemoryPort store_port;
    IndexedPort gather_scatter;

    /// `configuration` must outlive the core.
    VectorCore(sc_core::sc_module_name name, const engine::Configuration& configuration);

    void reset();

    /// Statistics, diagnostics, written marks.
    engine::Core& engine() { return engine_; }
    const engine::Core& engine() const { return engine_; }
    const transport::PayloadPool& payloads() const { return pool_; }

private:
    void end_of_elaboration() override;
    void b_transport(int initiator, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    tlm::tlm_sync_enum nb_transport_fw(int initiator, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    unsigned transport_dbg(int initiator, tlm::tlm_generic_payload& payload);

    void serve(int initiator, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay, Turns::Wait wait);
    engine::OpResult perform(transport::OpDescriptor& descriptor, timing::Cycle now);
    void report_busy(const transport::OpDescriptor& descriptor);

    // Registers: by pointer where the file grants it, else copied in before an op and back after it.
    void locate_registers();
    void fetch(const isa::Operands& operands, std::uint32_t line);
    void write_back(const isa::Operands& operands, std::uint32_t line);

    transport::ClockPeriod period_;
    Turns turns_;
    std::array<isa::VectorRegister, isa::kVectorRegisters> vector_copies_{};
    std::array<isa::MaskRegister, isa::kMaskRegisters> mask_copies_{};
    isa::Registers registers_{vector_copies_.data(), mask_copies_.data()};
    SocketUb ub_;
    engine::Core engine_;
};

}  // namespace vcore::core
