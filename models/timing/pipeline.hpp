// The approximately-timed pipeline: vector functions cycle by cycle, out of order, with the arbiter deciding between
// all requesters of the UB's banks. Function is somebody else's: nothing here changes a byte.
//
// A cycle: operands that became ready free their ops; memory accesses ask the arbiter, in order of priority; execution
// units take the oldest ready ops; then up to dispatch_width ops enter the shared queue, in program order. So an op
// issues a cycle after it dispatched at the earliest, and its first op issues vf_start cycles after a VF was called.
// Masks that are made of scalars take a dispatch slot and nothing else: the front end resolves them.
// The oldest ready loads go, load_ports of them in a cycle; one whose banks collide with an older one's waits. Stores
// come after loads; they and all other ops go out of order, any ready one whose banks are free, the oldest first. A
// multi-beat block copy keeps all other loads and stores away. The shared queue is one for all; unit_queue limits the
// ops that wait for execution, per execution unit. A physical register is held from dispatch until a later write of the
// same register in the same VF has completed. Who has waited max_wait cycles at the head of its queue goes before all
// others, so nobody waits for ever. Cycles in which nothing can happen are skipped.
// Source: `timing.md` "Bank rules, per cycle" and "3510 pipeline"; the figures are all in Parameters.
//
// Feeding: calls arrive in program order. Each advances time only as far as the op needs to dispatch; whoever must not
// run ahead asks has_room() first. What is called in a cycle, an op or somebody else's traffic, asks for banks in the
// next one at the earliest: the order of calls in one cycle does not matter. Completions are reported to a listener as
// they become known, which is when the last beat has gone. Precondition of every call: `now` and `at` never go back.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "models/isa/ops.hpp"
#include "models/timing/arbiter.hpp"
#include "models/timing/cycle.hpp"
#include "models/timing/footprint.hpp"
#include "models/timing/op_class.hpp"
#include "models/timing/parameters.hpp"

namespace vcore::timing {

/// What a cycle of a VF was spent on. Where several hold, the first in this order is the cycle's cause.
enum class Cause : std::uint8_t {
    start,       ///< start-up, up to the first dispatch
    issue,       ///< an op issued, or a beat of an access of several beats went
    mte,         ///< an access was blocked by a transfer or another initiator
    load_bank,   ///< a load was blocked by banks
    store_bank,  ///< a store was blocked by banks
    sub_bank,    ///< a gather or scatter took a further cycle for its sub-banks
    operands,    ///< ops waited for operands, units or room
    drain,       ///< everything has issued: completions, and the drain
};
inline constexpr std::size_t kCauses = 8;
std::string_view name(Cause cause);

/// One op, from dispatch to completion. Cycles enter + operands + bank + port + sub_bank + execute are complete -
/// dispatch.
struct OpTrace {
    std::uint32_t tag = 0;  ///< as fed
    OpClass op_class{};
    Cycle dispatch;
    Cycle issue;
    Cycle complete;              ///< result written, or last byte stored
    std::uint32_t steps = 0;     ///< cycles of bank traffic
    std::uint32_t enter = 1;     ///< from dispatch to the first cycle in which it could have issued
    std::uint32_t operands = 0;  ///< waiting for operands and barriers
    std::uint32_t bank = 0;      ///< held back by banks: before issue, between beats, and by its own further beats
    std::uint32_t port = 0;      ///< waiting for a port, unit or issue slot
    std::uint32_t sub_bank = 0;  ///< beyond the first of each beat, for sub-banks
    std::uint32_t execute = 0;   ///< the rest: issue to completion, undisturbed
};

/// A state in which nothing will ever happen although ops or traffic wait: parameters that contradict each other.
struct Deadlock {
    enum class Reason : std::uint8_t {
        producer,  ///< for the op (or barrier) `producer`
        banks,     ///< for the arbiter
        unit,      ///< for a port, an execution unit or an issue slot
        room,      ///< to be dispatched: queues or registers are full
    };
    struct Waiter {
        std::uint32_t tag = 0;  ///< of the op; of the traffic: its id
        bool external = false;
        bool barrier = false;
        bool tensor = false;  ///< the running memory-based op, which has no tag
        OpClass op_class{};   ///< of an op
        Reason reason{};
        std::uint32_t producer = 0;  ///< its tag
    };
    Cycle cycle;
    std::vector<Waiter> waiters;
};

/// Told of what has become known.
class PipelineListener {
public:
    virtual void on_op(const OpTrace& op) = 0;
    /// What barrier `tag` waits for has completed at `reached`.
    virtual void on_barrier(std::uint32_t tag, Cycle dispatch, Cycle reached) = 0;
    /// Traffic `id` has had its last beat; it ends at `complete`.
    virtual void on_external(std::uint32_t id, Cycle complete) = 0;
    /// Everything that waits is given up, without further reports; until reset() the pipeline takes whatever is fed and
    /// spends no time on it.
    virtual void on_deadlock(const Deadlock& deadlock) = 0;

protected:
    ~PipelineListener() = default;
};

/// Totals since reset.
struct PipelineCounters {
    std::array<std::uint64_t, kCauses> causes{};  ///< VF cycles by cause; a cycle of two VFs counts once
    std::uint64_t vf_spans = 0;      ///< durations of all VFs, call to end of drain, overlaps counted twice
    std::uint64_t load_blocked = 0;  ///< VF cycles in which banks blocked the load unit, whatever else happened
    std::uint64_t store_blocked =
        0;  ///< the same for the store unit; further beats of its block copies are blocked ones
    std::uint64_t sub_bank_stalls = 0;
    std::uint64_t tensor_read_blocked = 0;   ///< cycles in which banks held back a read of a memory-based op
    std::uint64_t tensor_write_blocked = 0;  ///< the same for its writes
    std::uint64_t stepped_cycles = 0;        ///< cycles that were looked at one by one, for measuring the model itself
};

/// What one iteration of a tensor scatter asks of the banks; those that it does not do are left empty.
struct TensorScatterFootprints {
    Footprint source;
    Footprint first_offsets;   ///< up to 256 B
    Footprint second_offsets;  ///< the rest, for b16 and b8
    Footprint scatter;
};

class Pipeline {
public:
    Pipeline(const Parameters& parameters, PipelineListener& listener);
    ~Pipeline();
    Pipeline(const Pipeline&) = delete;
    Pipeline& operator=(const Pipeline&) = delete;

    /// Forgets everything, live ops and traffic included, without a report; time starts at 0 again.
    void reset();

    // ---- vector functions

    /// Starts a VF called at `now`; returns the cycle of its first dispatch. Start-up begins vf_overlap cycles after
    /// the last memory issue of the VF before.
    Cycle vf_begin(Cycle now);
    /// Feeds an op of the running VF and returns the cycle in which it dispatches. `footprint` says what it asks of the
    /// banks, null or empty: nothing; its contents are taken. `tag` comes back in its OpTrace.
    Cycle feed(OpClass op_class, const RegisterUse& registers, Footprint* footprint, std::uint32_t tag);
    /// LocalMemBar: later accesses of the second kind issue when earlier ones of the first have completed, not before.
    Cycle barrier(isa::BarrierKind kind, std::uint32_t tag);
    /// The micro-ops of one iteration of a tensor scatter, all under `tag`; call vf_begin(), this once per iteration,
    /// and vf_end(). Takes the footprints.
    Cycle tensor_scatter_iteration(isa::ElementType type, TensorScatterFootprints& footprints, std::uint32_t tag);
    /// Ends the VF: runs until all its ops have issued.
    struct VfTimes {
        Cycle dispatch;  ///< from here on the next VF may be called: the last memory issue
        Cycle complete;  ///< drained
    };
    VfTimes vf_end();

    /// Whether such an op would dispatch in the current cycle, without running ahead.
    bool has_room(OpClass op_class, const RegisterUse& registers) const;
    /// Whether vf_end() would return without running ahead.
    bool all_issued() const;

    // ---- memory-based tensor ops (tensor_unit.hpp), outside VFs, one after the other

    Cycle tensor_begin(Cycle now);  ///< returns when it starts: after everything before it
    void tensor_access(const Footprint& footprint);
    void tensor_iteration(const Footprint& src0, const Footprint& src1, const Footprint& dst);
    Cycle tensor_end();  ///< returns when it is complete

    // ---- others

    /// Traffic of a transfer or foreign initiator, made in cycle `at`: its steps ask for banks one after the other from
    /// the next cycle on. Traffic of one channel goes in the order of the calls. The end is reported under `id`; it is
    /// the cycle of the last step, so that n steps take n cycles where nobody else wants the banks. Takes the
    /// footprint.
    void external(std::uint32_t id, std::uint32_t channel, Footprint& footprint, Cycle at);
    /// Runs until traffic `id` has ended and returns when; the current cycle where there is none of that id.
    Cycle finish_external(std::uint32_t id);
    bool external_pending() const;

    // ---- time

    /// Runs up to `now`, included: nothing that is called at `now` or later changes a cycle up to there.
    void advance_to(Cycle now);
    /// The next cycle in which anything can happen; the last 64-bit number if nothing ever will.
    Cycle next_wakeup() const;
    Cycle current() const;
    Cycle last_completion() const;
    PipelineCounters counters() const;

    /// Shows what the banks do to somebody, cycle by cycle; null: nobody. Changes no cycle.
    void set_bank_listener(BankListener* listener);
    /// Where to count, per bank, cycles in which a request was refused because of it or its group; null: nowhere.
    void count_conflicts_in(std::vector<std::uint64_t>* counters);

    /// Looks at every cycle, also at those in which nothing can happen: slow, for tests of the skipping.
    void step_every_cycle(bool on);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace vcore::timing
