// The loosely-timed pipeline: ops are fed in program order, each is given the cycles at which it dispatches, issues and
// completes. No contention with anybody else; bank beats are those of the access alone.
//
// An op dispatches when a dispatch slot, a queue entry and a physical register are free, issues when its operands are
// ready (forwarding included) and its port, unit and issue-class slot are free, a cycle after its dispatch at the
// earliest, and completes a latency later: the rules of pipeline.hpp, op by op. An op alone completes in the same cycle
// in both. Ops that
// wait do not hold back ops behind them (the hardware issues out of order): resources are booked per cycle in a window.
// Source: `timing.md` "3510 pipeline"; every figure is in PipelineParameters, Latencies and Intervals.
#pragma once

#include <cstdint>
#include <memory>

#include "models/isa/ops.hpp"
#include "models/timing/cycle.hpp"
#include "models/timing/footprint.hpp"
#include "models/timing/parameters.hpp"

namespace vcore::timing {

/// Beats that the accesses of one iteration of a tensor scatter cost under the bank rules.
struct TensorScatterBeats {
    std::uint32_t source = 0;   ///< the load of up to 256 B of source elements
    std::uint32_t offsets = 0;  ///< all loads of the iteration's offsets together
    std::uint32_t scatter = 0;
};

/// When one op passed the stations of the pipeline.
struct OpTimes {
    Cycle dispatch;  ///< the next op can dispatch no earlier than this
    Cycle issue;
    Cycle complete;  ///< result written, or last byte stored
};

class Timeline {
public:
    explicit Timeline(const Parameters& parameters);
    ~Timeline();
    Timeline(Timeline&&) noexcept;
    Timeline& operator=(Timeline&&) noexcept;

    /// Empties the pipeline; time starts at 0 again.
    void reset();

    /// Nothing fed afterwards dispatches before `now`: for callers that let time pass between the ops of a VF.
    void not_before(Cycle now);

    /// Starts a VF called at `now`: its first op can issue vf_start cycles later, or, behind another VF, start-up
    /// overlaps the tail of that one as `timing.md` describes. Returns the cycle of the first dispatch.
    Cycle vf_begin(Cycle now);
    /// Ends the VF. `dispatch`: the cycle from which a next VF may be called (its start-up overlaps this one's tail);
    /// `complete`: everything in this one has completed and drained.
    OpTimes vf_end();

    /// Feeds an op of the running VF. `op` gives kind, types and operands; `beats` is what BankRules said its access
    /// costs (0 where it touches no memory). Does not allocate.
    OpTimes issue(const isa::Op& op, const isa::Operands& operands, std::uint32_t beats);

    /// LocalMemBar: later accesses of the second kind issue after earlier ones of the first have completed. Gathers
    /// count as loads, scatters as stores, mask moves as what they are. Kinds that order scalar accesses take a
    /// dispatch slot and hold nothing back: no scalar access is modelled. `complete`: what the barrier waits for has
    /// completed.
    OpTimes barrier(isa::BarrierKind kind);

    /// One iteration of a tensor scatter on an architecture with VFs, where the op is a VF of its own: call
    /// vf_begin(now), this once per iteration, and vf_end(). Feeds the micro-ops that `timing.md` names: load the
    /// source, load the offsets (two registers for b16 and b8), shift them, pack them for b16 and b8, scatter. Returns
    /// the times of the scatter.
    OpTimes tensor_scatter_iteration(isa::ElementType type, const TensorScatterBeats& beats);

    /// A memory-based tensor op (architectures without VFs): `head + beats`, called at `now`, after everything before
    /// it.
    OpTimes tensor(Cycle now, std::uint64_t beats);

    /// A memory-based op with two sources, called at `now` (tensor_unit.hpp): returns when it starts. Then call
    /// tensor_iteration() once per iteration, in order, and tensor_end().
    Cycle tensor_begin(Cycle now);
    void tensor_iteration(const Footprint& src0, const Footprint& src1, const Footprint& dst);
    OpTimes tensor_end();

    /// The last completion of anything so far.
    Cycle last_completion() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace vcore::timing
