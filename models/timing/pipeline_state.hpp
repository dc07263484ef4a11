// Inside of the cycle-stepped pipeline: what it knows, and the steps of a cycle. Only pipeline.cpp and
// pipeline_issue.cpp include this.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "models/timing/arbiter.hpp"
#include "models/timing/event_wheel.hpp"
#include "models/timing/op_class.hpp"
#include "models/timing/pipeline.hpp"
#include "models/timing/tensor_unit.hpp"

namespace vcore::timing {

inline constexpr std::uint64_t kNever = ~std::uint64_t{0};
inline constexpr std::size_t kUnits = 5;  ///< that have a queue: all but the front end

template <typename Visit>
void for_each_bit(std::uint64_t bits, Visit&& visit) {
    for (; bits != 0; bits &= bits - 1) visit(static_cast<std::size_t>(__builtin_ctzll(bits)));
}
/// Of a set with few members: an op writes two registers at most.
inline std::uint32_t count_few(std::uint64_t bits) {
    std::uint32_t count = 0;
    for (; bits != 0; bits &= bits - 1) ++count;
    return count;
}

constexpr std::size_t index_of(Consumer consumer) {
    return static_cast<std::size_t>(consumer);
}
constexpr std::size_t index_of(Unit unit) {
    return static_cast<std::size_t>(unit);
}

/// An op between dispatch and its last beat, or a barrier that waits for earlier accesses.
struct PipelineSlot {
    OpTrace trace;
    const ClassCost* cost = nullptr;  ///< null: a barrier
    bool live = false;
    std::uint64_t age = 0;
    RegisterUse registers;
    std::uint64_t ready_at = 0;       ///< the first cycle in which it can issue, as far as known
    std::uint32_t pending = 0;        ///< producers that have not had their last beat
    int first_edge = -1;              ///< who waits for this one
    std::uint32_t step = 0;           ///< next step of the footprint
    std::uint32_t further = 0;        ///< steps so far that were for sub-banks
    std::uint32_t held_back = 0;      ///< cycles after issue in which the arbiter said no
    std::uint64_t waiting_since = 0;  ///< at the head of its queue, or for its next step
    std::uint64_t asked_in = 0;       ///< the last cycle in which it asked after its issue
    std::uint64_t free_at = 0;        ///< its unit is held until then at least
    PipelineSlot* next_in_bucket = nullptr;
    PipelineSlot* older = nullptr;  ///< in its queue
    PipelineSlot* younger = nullptr;
    Footprint footprint;

    bool steps_left() const { return step < footprint.steps(); }
    bool keeps_others_away() const { return cost->exclusive_beats && footprint.steps() > 1; }
};

/// Ready ops of a unit, from the oldest to the youngest.
class ReadyQueue {
public:
    bool empty() const { return oldest_ == nullptr; }
    PipelineSlot* front() const { return oldest_; }
    void clear() { oldest_ = youngest_ = nullptr; }
    void insert(PipelineSlot& op) {
        PipelineSlot* before = youngest_;
        while (before != nullptr && before->age > op.age) before = before->older;
        op.older = before;
        op.younger = before != nullptr ? before->younger : oldest_;
        (before != nullptr ? before->younger : oldest_) = &op;
        (op.younger != nullptr ? op.younger->older : youngest_) = &op;
    }
    void erase(PipelineSlot& op) {
        (op.older != nullptr ? op.older->younger : oldest_) = op.younger;
        (op.younger != nullptr ? op.younger->older : youngest_) = op.older;
    }

private:
    PipelineSlot* oldest_ = nullptr;
    PipelineSlot* youngest_ = nullptr;
};

struct Pipeline::State final : BankCycles {
    using Slot = PipelineSlot;
    using Slots = std::vector<Slot*>;
    static constexpr int kNone = -1;

    /// When a value can be used, by reader; unknown while its producer has not had its last beat.
    struct Value {
        Slot* producer = nullptr;
        std::array<std::uint64_t, kConsumers> ready{};
    };

    /// One op that waits for another, in a list by producer.
    struct Edge {
        Slot* consumer = nullptr;
        int next = kNone;
    };

    /// Traffic of somebody else.
    struct External {
        std::uint32_t id = 0;
        std::uint32_t channel = 0;
        std::uint64_t from = 0;      ///< asks from this cycle on
        std::uint64_t asked_in = 0;  ///< the last cycle in which it asked
        std::uint32_t step = 0;
        std::uint64_t waiting_since = 0;  ///< for its next step; kNever: others of its channel come first
        Footprint footprint;
    };

    /// What has happened in the cycle being stepped.
    struct CycleNotes {
        bool progress = false;
        bool issued = false;
        bool single_issued = false;  ///< the slot for single-issue ops is taken
        bool load_blocked = false;
        bool store_blocked = false;
        bool external_blocks = false;
        bool sub_bank_step = false;
        bool block_copy = false;  ///< one of several beats has the ports
        std::uint32_t loads = 0;  ///< ports taken
        std::uint32_t stores = 0;
    };

    State(const Parameters& given, PipelineListener& told);

    void reset();

    // ---- time
    void advance(std::uint64_t to);
    void advance_to_event();
    void step();
    std::uint64_t next_event() const;
    void account(Cause cause, std::uint64_t to);
    void account_cycle();
    std::uint64_t lone_steps(std::uint64_t to);
    void watch();
    void declare_deadlock();
    std::vector<Deadlock::Waiter> waiters() const;

    // ---- dispatch
    bool room(const ClassCost* cost, std::uint32_t registers_wanted) const;
    std::uint64_t take_dispatch_slot(const ClassCost* cost, std::uint64_t vector_writes);
    Slot& new_slot();
    Cycle feed(OpClass op_class, const RegisterUse& registers, Footprint* footprint, std::uint32_t tag);
    void create_mask(OpClass op_class, std::uint8_t masks, std::uint64_t dispatch, std::uint32_t tag);
    Cycle barrier(isa::BarrierKind kind, std::uint32_t tag);
    void wait_for(Slot& op, Slot& producer);
    void wait_for(Slot& op, const Value& value);
    void make_ready(Slot& op, std::uint64_t earliest);

    // ---- issue
    void wake();
    void enqueue(Slot& op);
    void serve_overdue();
    void issue_load_store();
    void continue_memory();
    void continue_memory(Slot& op);
    bool can_start_memory(const Slot& op) const;
    bool try_memory(Slot& op);
    void issue_loads();
    void issue_stores();
    void issue_pipe(Unit unit);
    void issue_execution();
    bool ask(Slot& op);
    void start(Slot& op);
    void finish(Slot& op);
    void explain(OpTrace& trace, const Slot& op) const;
    void resolve(Slot& op, const Value& value, std::uint64_t complete);
    void write_back(Slot& op, const Value& value, std::uint64_t complete);
    void release(Slot& op);
    void take(Slot& op);
    std::uint64_t wait_of(std::uint64_t since) const { return cycle > since ? cycle - since : 0; }
    std::uint64_t longest_own_wait() const;
    std::uint64_t longest_external_wait() const;

    // ---- others
    void serve_external(std::uint64_t waited_at_least);
    void end_external(std::size_t place);

    // ---- BankCycles, for memory-based ops
    Arbiter& open(std::uint64_t at, bool first) override;
    void close() override;
    void stuck() override;

    ReadyQueue& queue_of(Unit unit) { return queues[index_of(unit)]; }

    Parameters parameters;
    PipelineListener& listener;
    ClassCosts costs;
    Arbiter arbiter;
    TensorUnit tensor;

    std::uint64_t cycle = 0;
    std::uint32_t dispatched = 0;  // in `cycle`
    CycleNotes now;
    bool every_cycle = false;
    bool watched = false;  // somebody sees what the banks do in each cycle
    bool dead = false;
    std::uint64_t idle_steps = 0;    // cycles stepped without progress
    std::uint64_t next_overdue = 0;  // nobody has waited too long before this cycle

    std::deque<Slot> slots;  // stays where it is
    Slots free_slots;
    std::vector<Edge> edges;
    int free_edge = kNone;
    std::uint64_t next_age = 0;
    std::uint32_t live = 0;  // slots in use

    std::array<Value, kRegisterNames> vector;
    std::array<Value, isa::kMaskRegisters> mask;
    Value load_fence;  // no later load issues before
    Value store_fence;
    std::uint64_t loads_complete = 0;
    std::uint64_t stores_complete = 0;

    std::uint32_t queued = 0;            // ops dispatched and not issued
    std::uint32_t queued_execution = 0;  // of them, for execution
    std::uint32_t registers_held = 0;    // physical ones
    std::uint64_t mapped = 0;            // vector registers that have been written in the running VF
    std::uint32_t mapped_count = 0;      // how many

    std::array<ReadyQueue, kUnits> queues;
    EventWheel<Slot> wheel;
    Slots memory_active;                               // loads and stores with beats to come, oldest first
    std::array<Slot*, kUnits> pipe_active{};           // gather and scatter in progress
    std::array<std::uint64_t, kUnits> pipe_stepped{};  // the last cycle in which the pipe has had its turn
    std::vector<std::uint64_t> unit_free;              // by execution unit
    std::uint64_t front_end_free = 0;
    std::vector<External> externals;  // the first `external_count`, in the order of the calls
    std::size_t external_count = 0;
    Slots earlier;  // scratch of barrier()

    bool in_tensor = false;
    bool in_vf = false;
    std::uint64_t accounted = 0;  // VF cycles before this one have their cause
    std::uint64_t vf_called = 0;
    std::uint64_t vf_first = 0;     // first dispatch of the latest VF
    std::uint64_t memory_tail = 0;  // its last memory issue so far, 0 before the first
    std::uint64_t issue_tail = 0;   // its last issue of anything
    std::uint64_t vf_complete = 0;  // its last completion
    std::uint64_t drain_end = 0;
    std::uint64_t next_call = 0;   // the next VF starts up from here
    std::uint64_t tensor_end = 0;  // of the latest memory-based op
    std::uint64_t last_complete = 0;
    PipelineCounters counters;
};

}  // namespace vcore::timing
