// VectorCore: takes ops on its op socket, performs them in program order and says how many cycles they take.
//
// Models: one vector core with its vector functions (VF), over register files, UB and gather/scatter unit that it
// reaches by sockets. Meaning, warnings and cost are models/engine; this module carries them to SystemC.
// Does not model: scalar code, instruction fetch; loosely timed, contention with other requesters.
// Timing contract, loosely timed: an op takes effect when b_transport is called; the delay is advanced to the cycle at
// which the next op can be dispatched, a call between two clock edges counts from the later one. Waits only while it is
// another initiator's turn, and, where several are bound, for the end of the delta cycle before a call outside a VF
// (models/core/turns.hpp). nb_transport_fw completes at BEGIN_REQ with the same annotation and never waits.
// Approximately timed: an op takes effect when it is accepted, in order, and the pipeline dispatches it. b_transport
// accepts at once and annotates the dispatch, running the pipeline ahead of simulated time, as long as nobody can see
// that; where others may use the UB, or four-phase ops are under way, it waits until simulated time has reached the
// dispatch. nb_transport_fw: END_REQ when the op is accepted (returned at once if there is room), BEGIN_RESP at the
// cycle of its completion, with issue and completion in the descriptor; several ops may be under way. Refused ops and
// those that end when they dispatch (VfBegin, tensor ops) complete early; if that is after the BEGIN_REQ call, their
// BEGIN_RESP implies END_REQ. A VF that is called in the cycle in which VfEnd lets its caller go counts as called when
// the pipeline could take it, which may be earlier: waiting in simulated time costs no cycles. Tensor ops run ahead as
// a whole: traffic that is called while they do comes after them. One method process; it runs in cycles in which
// something can happen, while somebody waits for that, and in no others.
// Reset contract: reset() ends an open VF and forgets time, written marks and counters; register files and UB are reset
// by their own. Four-phase ops that have no answer yet, and callers that wait for the dispatch of theirs, get a generic
// error; such an op may have taken effect.
// Reports: /vcore/core/phase (a caller breaks the protocol), /vcore/core/deadlock (error: nothing in the pipeline will
// ever move again, and who waits for whom; everything that waits gets a generic error).
//
// Answers on op_socket (payload: TLM_IGNORE_COMMAND with an OpExtension, see tlm/op_extension.hpp):
//   OK             performed; in/out fields of the op and the cycles are in the descriptor
//   command error  the product lacks the op, or the payload's command is not TLM_IGNORE_COMMAND
//   address error, generic error   refused as descriptor.fault says; engine().diagnostics() has the sentence
//   generic error  no OpExtension or a descriptor of another version: neither is an op, and nothing is recorded
// Several initiators may be bound. From VfBegin to VfEnd the core is one initiator's; calls of others wait their
// turn, and get `busy` where they cannot wait (method processes, before the simulation runs, and loosely timed in
// nb_transport_fw).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <systemc>
#include <tlm>

#include "models/core/memory_port.hpp"
#include "models/core/socket_ub.hpp"
#include "models/core/turns.hpp"
#include "models/engine/bank_traffic.hpp"
#include "models/engine/core.hpp"
#include "models/isa/registers.hpp"
#include "tlm/clock_period.hpp"
#include "tlm/four_phases.hpp"
#include "tlm/op_extension.hpp"
#include "tlm/payload_pool.hpp"
#include "tlm/sockets.hpp"

namespace vcore::core {

class VectorCore : public sc_core::sc_module,
                   private engine::TimingListener,
                   private engine::BankTraffic,
                   private transport::FourPhases::Owner {
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
    VectorCore(sc_core::sc_module_name name, const engine::Configuration& configuration,
               engine::Mode mode = engine::Mode::loosely_timed);

    void reset();

    /// For those who share the UB's banks, approximately timed.
    engine::BankTraffic& bank_traffic() { return *this; }
    /// Told of every completion; null: nobody. The engine's own listener is the core.
    void set_timing_listener(engine::TimingListener* listener);

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
    static transport::OpDescriptor* descriptor_of(tlm::tlm_generic_payload& payload);
    void answer(tlm::tlm_generic_payload& payload, const engine::OpResult& result);
    timing::Cycle cycle_of(const sc_core::sc_time& time) const;
    sc_core::sc_time time_until(timing::Cycle cycle) const;
    engine::OpResult perform(transport::OpDescriptor& descriptor, timing::Cycle now);
    void report_busy(const transport::OpDescriptor& descriptor);

    // Registers: by pointer where the file grants it, else copied in before an op and back after it.
    void locate_registers();
    void fetch(const isa::Operands& operands, std::uint32_t line);
    void write_back(const isa::Operands& operands, std::uint32_t line);

    // Approximately timed (vector_core_timed.cpp).
    struct Accepted;
    bool approximate() const { return engine_.mode() == engine::Mode::approximately_timed; }
    tlm::tlm_sync_enum begin_op(int initiator, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                sc_core::sc_time& delay);
    Accepted accept(std::size_t place);
    bool accept_one();
    bool respond_to_one();
    bool may_dispatch(const isa::Op& op) const;
    bool has_queued(int initiator) const;
    bool wait_for_requests_of(int initiator);
    bool wait_until_dispatchable(const isa::Op& op, const sc_core::sc_time& called, timing::Cycle& now);
    void note_end_of_vf(const transport::OpDescriptor& descriptor, const engine::OpResult& result);
    timing::Cycle call_of(const isa::Op& op, const sc_core::sc_time& called) const;
    timing::Cycle start_of(const isa::Op& op, timing::Cycle call) const;
    void drive();
    void settle();
    void arm();
    void fail_pending();

    void on_op(const engine::OpRecord& record) override;
    void on_traffic(std::uint32_t id, timing::Cycle complete) override;
    void on_deadlock(const timing::Deadlock& deadlock) override;

    void add_listener(engine::BankTraffic::Listener& listener) override;
    void expect_foreign() override;
    bool alive() const override;
    std::uint32_t request(timing::Direction direction, std::uint32_t address, std::uint32_t bytes,
                          std::uint32_t channel, timing::Cycle at) override;
    std::uint32_t request(timing::Direction direction, const isa::ContiguousAccess& access, std::uint32_t channel,
                          timing::Cycle at) override;
    void expect(std::uint32_t id) override;

    tlm::tlm_sync_enum call_back(int initiator, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                 sc_core::sc_time& delay) override;
    void responses_wait() override;

    /// An op that came by nb_transport_fw and has not completed.
    struct TimedOp {
        enum class Stage : std::uint8_t { queued, running, known };
        transport::FourPhases::Id id = transport::FourPhases::kNone;
        int initiator = 0;
        transport::OpDescriptor* descriptor = nullptr;
        sc_core::sc_time called;
        sc_core::sc_time from;  ///< when it can be accepted at the earliest
        timing::Cycle call;     ///< the cycle in which it counts as called
        Stage stage = Stage::queued;
        std::uint64_t ticket = 0;
        timing::Cycle complete;
    };
    std::vector<TimedOp> timed_ops_;  // in the order of the calls
    transport::FourPhases phases_{*this, "/vcore/core/phase"};
    bool others_may_ask_ = false;
    bool dead_ = false;
    std::string deadlock_;                // still to be reported
    std::vector<std::uint32_t> traffic_;  // that somebody waits for
    std::vector<engine::BankTraffic::Listener*> traffic_listeners_;
    engine::TimingListener* listener_ = nullptr;
    engine::OpRecord latest_;  // of the ops reported while one is being performed
    std::uint64_t resets_ = 0;
    timing::Cycle vf_end_seen_;  // when the caller of the last VfEnd could go on
    timing::Cycle vf_end_;       // from when on the pipeline takes the next VF
    sc_core::sc_event wake_;
    sc_core::sc_event accepted_;  // a queued op has been
    sc_core::sc_event reset_done_;

    transport::ClockPeriod period_;
    // When the next op can be called, in both units: most callers come at just that time, and dividing takes long.
    timing::Cycle next_call_;
    sc_core::sc_time next_call_time_;
    Turns turns_;
    std::array<isa::VectorRegister, isa::kVectorRegisters> vector_copies_{};
    std::array<isa::MaskRegister, isa::kMaskRegisters> mask_copies_{};
    isa::Registers registers_{vector_copies_.data(), mask_copies_.data()};
    SocketUb ub_;
    engine::Core engine_;
};

}  // namespace vcore::core
