#include "models/timing/pipeline.hpp"

#include <algorithm>
#include <utility>

#include "models/timing/arbiter.hpp"
#include "models/timing/event_wheel.hpp"
#include "models/timing/tensor_unit.hpp"

namespace vcore::timing {

namespace {

constexpr int kNone = EventWheel::kNone;
constexpr std::uint64_t kNever = EventWheel::kNever;
/// Cycles without progress after which waiting is a deadlock: more than any interval or wait of a configuration.
constexpr std::uint64_t kPatience = 300000;
constexpr std::size_t kUnits = 5;  // that have a queue: all but the front end

template <typename Visit>
void for_each_bit(std::uint64_t bits, Visit&& visit) {
    for (; bits != 0; bits &= bits - 1) visit(static_cast<std::size_t>(__builtin_ctzll(bits)));
}

/// Of a set with few members: an op writes two registers at most.
std::uint32_t count_few(std::uint64_t bits) {
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

/// When a value can be used, by reader; unknown while its producer has not had its last beat.
struct Value {
    int producer = kNone;
    std::array<std::uint64_t, kConsumers> ready{};
};

/// An op between dispatch and its last beat, or a barrier that waits for earlier accesses.
struct Slot {
    OpTrace trace;
    const ClassCost* cost = nullptr;  ///< null: a barrier
    bool live = false;
    std::uint64_t age = 0;
    RegisterUse registers;
    std::uint64_t ready_at = 0;   ///< the first cycle in which it can issue, as far as known
    int pending = 0;              ///< producers that have not had their last beat
    int first_edge = kNone;       ///< who waits for this one
    std::uint32_t step = 0;       ///< next step of the footprint
    std::uint32_t further = 0;    ///< steps so far that were for sub-banks
    std::uint32_t held_back = 0;  ///< cycles after issue in which the arbiter said no
    std::uint32_t waited = 0;     ///< cycles at the head of its queue, or since its last step
    std::uint64_t asked_in = 0;   ///< the last cycle in which it asked after its issue
    std::uint64_t free_at = 0;    ///< its unit is held until then at least
    Footprint footprint;

    bool steps_left() const { return step < footprint.steps(); }
    bool keeps_others_away() const { return cost->exclusive_beats && footprint.steps() > 1; }
};

struct Edge {
    int consumer = kNone;
    int next = kNone;
};

/// Traffic of somebody else.
struct External {
    std::uint32_t id = 0;
    std::uint32_t channel = 0;
    std::uint64_t from = 0;      ///< asks from this cycle on
    std::uint64_t asked_in = 0;  ///< the last cycle in which it asked
    std::uint32_t step = 0;
    std::uint32_t waited = 0;  ///< cycles since its last step
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

}  // namespace

std::string_view name(Cause cause) {
    static constexpr std::array<std::string_view, kCauses> kNames = {"start",      "issue",    "mte",      "load_bank",
                                                                     "store_bank", "sub_bank", "operands", "drain"};
    return kNames[static_cast<std::size_t>(cause)];
}

struct Pipeline::State final : BankCycles {
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
    int new_slot();
    Cycle feed(OpClass op_class, const RegisterUse& registers, Footprint* footprint, std::uint32_t tag);
    void create_mask(OpClass op_class, std::uint8_t masks, std::uint64_t dispatch, std::uint32_t tag);
    Cycle barrier(isa::BarrierKind kind, std::uint32_t tag);
    void wait_for(int slot, int producer);
    void wait_for(int slot, const Value& value);
    void make_ready(int slot, std::uint64_t earliest);

    // ---- issue
    void wake();
    void enqueue(int slot);
    void serve_overdue();
    void issue_load_store();
    void continue_memory();
    void continue_memory(int slot);
    bool can_start_memory(const Slot& op) const;
    bool try_memory(std::vector<int>& queue, std::size_t place);
    void issue_loads();
    void issue_stores();
    void issue_pipe(Unit unit);
    void issue_execution();
    bool ask(Slot& op);
    void start(int slot);
    void finish(int slot);
    void explain(OpTrace& trace, const Slot& op) const;
    void resolve(int slot, const Value& value, std::uint64_t complete);
    void write_back(int slot, const Value& value, std::uint64_t complete);
    void release(int slot);
    void count_waiting();

    // ---- others
    void serve_external(std::uint32_t waited_at_least);

    // ---- BankCycles, for memory-based ops
    Arbiter& open(std::uint64_t at, bool first) override;
    void close() override;
    void stuck() override;

    Slot& at(int slot) { return slots[static_cast<std::size_t>(slot)]; }
    const Slot& at(int slot) const { return slots[static_cast<std::size_t>(slot)]; }
    std::vector<int>& queue_of(Unit unit) { return queues[index_of(unit)]; }

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
    std::uint64_t idle_steps = 0;  // cycles stepped without progress
    bool overdue = false;          // somebody has waited too long

    std::vector<Slot> slots;
    std::vector<int> free_slots;
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

    std::array<std::vector<int>, kUnits> queues;  // ready ops by unit, oldest first
    EventWheel wheel;
    std::vector<int> memory_active;                    // loads and stores with beats to come, oldest first
    std::array<int, kUnits> pipe_active{};             // gather and scatter in progress
    std::array<std::uint64_t, kUnits> pipe_stepped{};  // the last cycle in which the pipe has had its turn
    std::vector<std::uint64_t> unit_free;              // by execution unit
    std::uint64_t front_end_free = 0;
    std::vector<External> externals;  // the first `external_count`, in the order of the calls
    std::size_t external_count = 0;
    std::vector<int> earlier;  // scratch of barrier()

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

Pipeline::State::State(const Parameters& given, PipelineListener& told)
    : parameters(given),
      listener(told),
      costs(class_costs(given)),
      arbiter(given.ub),
      tensor(given, *this),
      unit_free(given.pipeline.execution_units, 0) {
    // Beside the shared queue stand barriers and accesses whose beats are not over.
    slots.resize(given.pipeline.shared_queue + std::size_t{64});
    edges.reserve(8 * slots.size());
    for (auto& queue : queues) queue.reserve(slots.size());
    memory_active.reserve(slots.size());
    earlier.reserve(slots.size());
    externals.resize(16);
    reset();
}

void Pipeline::State::reset() {
    cycle = 0;
    dispatched = 0;
    now = {};
    dead = overdue = false;
    idle_steps = 0;
    arbiter.begin_cycle();
    tensor.reset();
    free_slots.clear();
    for (Slot& slot : slots) slot.live = false;
    for (std::size_t i = slots.size(); i-- > 0;) free_slots.push_back(static_cast<int>(i));
    edges.clear();
    free_edge = kNone;
    live = 0;
    vector.fill({});
    mask.fill({});
    load_fence = store_fence = {};
    loads_complete = stores_complete = 0;
    queued = queued_execution = 0;
    registers_held = 0;
    mapped = 0;
    mapped_count = 0;
    for (auto& queue : queues) queue.clear();
    wheel.clear();
    memory_active.clear();
    pipe_active.fill(kNone);
    pipe_stepped.fill(0);
    std::fill(unit_free.begin(), unit_free.end(), 0);
    front_end_free = 0;
    external_count = 0;
    in_vf = in_tensor = false;
    accounted = vf_called = vf_first = memory_tail = issue_tail = 0;
    vf_complete = drain_end = next_call = tensor_end = last_complete = 0;
    counters = {};
}

// ---- time

/// Gives the VF cycles that have no cause yet, up to `to`, this one.
void Pipeline::State::account(Cause cause, std::uint64_t to) {
    if (to <= accounted) return;
    counters.causes[static_cast<std::size_t>(cause)] += to - accounted;
    accounted = to;
}

void Pipeline::State::account_cycle() {
    counters.load_blocked += now.load_blocked ? 1 : 0;
    counters.store_blocked += now.store_blocked ? 1 : 0;
    counters.sub_bank_stalls += now.sub_bank_step ? 1 : 0;
    const Cause cause = now.issued            ? Cause::issue
                        : now.external_blocks ? Cause::mte
                        : now.load_blocked    ? Cause::load_bank
                        : now.store_blocked   ? Cause::store_bank
                        : now.sub_bank_step   ? Cause::sub_bank
                        : live > 0            ? Cause::operands
                                              : Cause::drain;
    account(cause, cycle + 1);
}

/// The next cycle in which anything can happen.
std::uint64_t Pipeline::State::next_event() const {
    if (every_cycle && (live > 0 || external_count > 0)) return cycle + 1;
    for (const auto& queue : queues) {
        if (!queue.empty()) return cycle + 1;
    }
    std::uint64_t next = wheel.next_event(cycle);
    const auto consider = [&](std::uint64_t when) { next = std::min(next, std::max(when, cycle + 1)); };
    for (std::size_t i = 0; i < external_count; ++i) consider(externals[i].from);
    const auto consider_active = [&](int slot) {
        if (slot != kNone) consider(at(slot).steps_left() ? cycle + 1 : at(slot).free_at - 1);
    };
    for (const int slot : memory_active) consider_active(slot);
    for (const int slot : pipe_active) consider_active(slot);
    return next;
}

void Pipeline::State::advance(std::uint64_t to) {
    while (cycle < to && !dead) {
        const std::uint64_t next = next_event();
        const Cause skipped = live > 0 ? Cause::operands : Cause::drain;
        if (next > to) {
            if (in_vf) account(skipped, to + 1);
            break;
        }
        if (in_vf) account(skipped, next);
        cycle = next - 1;
        if (lone_steps(to) == 0) step();
    }
    if (cycle < to) {
        cycle = to;
        dispatched = 0;
    }
}

/// Runs to the next cycle in which anything can happen that matters to an op that waits to be dispatched.
void Pipeline::State::advance_to_event() {
    if (lone_steps(kNever) > 0) return;
    const std::uint64_t next = next_event();
    if (next == kNever) {
        declare_deadlock();
    } else {
        advance(next);
    }
}

void Pipeline::State::step() {
    ++cycle;
    ++counters.stepped_cycles;
    dispatched = 0;
    now = {};
    arbiter.begin_cycle(cycle);
    wake();
    if (overdue) serve_overdue();
    for (const Requester requester : parameters.ub.priority) {
        switch (requester) {
            case Requester::load_store: issue_load_store(); break;
            case Requester::gather_scatter:
                issue_pipe(Unit::gather);
                issue_pipe(Unit::scatter);
                break;
            case Requester::mte: serve_external(0); break;
        }
    }
    issue_execution();
    count_waiting();
    if (in_vf) account_cycle();
    watch();
}

/// A gather or scatter that is alone gets whatever it asks for: its steps are taken at once, up to `to`. Returns how
/// many; the last one is left to step(). Ops that wait for the same pipe go on waiting.
std::uint64_t Pipeline::State::lone_steps(std::uint64_t to) {
    const Unit unit = pipe_active[index_of(Unit::gather)] != kNone ? Unit::gather : Unit::scatter;
    const int active = pipe_active[index_of(unit)];
    if (active == kNone || every_cycle || watched || external_count > 0 || !memory_active.empty()) return 0;
    if (unit == Unit::gather && pipe_active[index_of(Unit::scatter)] != kNone) return 0;
    Slot& op = at(active);
    if (op.step + 1 >= op.footprint.steps()) return 0;
    for (std::size_t other = 0; other < kUnits; ++other) {
        if (other != index_of(unit) && !queues[other].empty()) return 0;
    }
    const std::uint64_t end = std::min(to, wheel.next_event(cycle) - 1);
    const auto steps =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(op.footprint.steps() - op.step - 1, end - cycle));
    if (steps == 0) return 0;
    std::uint32_t further = 0;
    for (std::uint32_t i = 0; i < steps; ++i) further += op.footprint.further(op.step + i) ? 1 : 0;
    op.step += steps;
    op.further += further;
    op.waited = 0;
    if (const auto& waiting = queue_of(unit); !waiting.empty()) {
        at(waiting.front()).waited += steps;
        overdue = overdue || at(waiting.front()).waited >= parameters.ub.max_wait;
    }
    if (in_vf) {  // causes are totals: the order of these cycles does not matter
        counters.sub_bank_stalls += further;
        counters.causes[static_cast<std::size_t>(Cause::sub_bank)] += further;
        counters.causes[static_cast<std::size_t>(Cause::issue)] += steps - further;
        accounted = cycle + 1 + steps;
    }
    cycle += steps;
    dispatched = 0;
    idle_steps = 0;
    return steps;
}

// ---- deadlock

void Pipeline::State::watch() {
    idle_steps = now.progress ? 0 : idle_steps + 1;
    if (idle_steps > kPatience && (live > 0 || external_count > 0)) declare_deadlock();
}

std::vector<Deadlock::Waiter> Pipeline::State::waiters() const {
    std::vector<Deadlock::Waiter> found;
    for (std::size_t i = 0; i < external_count; ++i) {
        Deadlock::Waiter waiter;
        waiter.tag = externals[i].id;
        waiter.external = true;
        waiter.reason = Deadlock::Reason::banks;
        found.push_back(waiter);
    }
    if (in_tensor) {
        Deadlock::Waiter waiter;
        waiter.tensor = true;
        waiter.reason = Deadlock::Reason::banks;
        found.push_back(waiter);
    }
    const auto waiter_of = [](const Slot& op) {
        Deadlock::Waiter waiter;
        waiter.tag = op.trace.tag;
        waiter.barrier = op.cost == nullptr;
        waiter.op_class = op.trace.op_class;
        return waiter;
    };
    for (const Slot& op : slots) {
        if (!op.live) continue;
        for (int edge = op.first_edge; edge != kNone; edge = edges[static_cast<std::size_t>(edge)].next) {
            Deadlock::Waiter waiter = waiter_of(at(edges[static_cast<std::size_t>(edge)].consumer));
            waiter.reason = Deadlock::Reason::producer;
            waiter.producer = op.trace.tag;
            found.push_back(waiter);
        }
        if (op.pending > 0 || op.cost == nullptr) continue;
        Deadlock::Waiter waiter = waiter_of(op);
        waiter.reason = op.trace.bank > 0 || op.held_back > 0 ? Deadlock::Reason::banks : Deadlock::Reason::unit;
        found.push_back(waiter);
    }
    return found;
}

void Pipeline::State::declare_deadlock() {
    Deadlock deadlock;
    deadlock.cycle = Cycle(cycle);
    deadlock.waiters = waiters();
    dead = true;
    live = 0;
    external_count = 0;
    vf_complete = std::max(vf_complete, cycle);
    listener.on_deadlock(deadlock);
}

// ---- dispatch

bool Pipeline::State::room(const ClassCost* cost, std::uint32_t registers_wanted) const {
    if (cost == nullptr || cost->unit == Unit::front_end) return true;
    const PipelineParameters& pipeline = parameters.pipeline;
    if (queued >= std::max(1U, pipeline.shared_queue)) return false;
    if (cost->unit == Unit::execution &&
        queued_execution >= std::max(1U, pipeline.unit_queue * std::max(1U, pipeline.execution_units))) {
        return false;
    }
    // What could never fit beside the values that stay goes alone.
    return registers_wanted == 0 || registers_held <= mapped_count ||
           registers_held + registers_wanted <= pipeline.physical_registers;
}

std::uint64_t Pipeline::State::take_dispatch_slot(const ClassCost* cost, std::uint64_t vector_writes) {
    const std::uint32_t wanted = count_few(vector_writes);
    const std::uint32_t width = std::max(1U, parameters.pipeline.dispatch_width);
    while (!dead) {
        const bool fits = room(cost, wanted);
        if (fits && dispatched < width) break;
        if (fits) {
            advance(cycle + 1);
        } else {
            advance_to_event();
        }
    }
    ++dispatched;
    return cycle;
}

int Pipeline::State::new_slot() {
    if (free_slots.empty()) {
        free_slots.push_back(static_cast<int>(slots.size()));
        slots.emplace_back();
    }
    const int slot = free_slots.back();
    free_slots.pop_back();
    Slot& op = at(slot);
    op.trace = {};
    op.cost = nullptr;
    op.live = true;
    op.age = next_age++;
    op.registers = {};
    op.ready_at = 0;
    op.pending = 0;
    op.first_edge = kNone;
    op.step = op.further = op.held_back = op.waited = 0;
    op.asked_in = op.free_at = 0;
    ++live;
    return slot;
}

void Pipeline::State::wait_for(int slot, int producer) {
    int edge = free_edge;
    if (edge == kNone) {
        edge = static_cast<int>(edges.size());
        edges.emplace_back();
    } else {
        free_edge = edges[static_cast<std::size_t>(edge)].next;
    }
    edges[static_cast<std::size_t>(edge)] = {slot, at(producer).first_edge};
    at(producer).first_edge = edge;
    ++at(slot).pending;
}

void Pipeline::State::wait_for(int slot, const Value& value) {
    if (value.producer != kNone) return wait_for(slot, value.producer);
    Slot& op = at(slot);
    const Consumer reader = op.cost == nullptr ? Consumer::other : op.cost->consumer;
    op.ready_at = std::max(op.ready_at, value.ready[index_of(reader)]);
}

Cycle Pipeline::State::feed(OpClass op_class, const RegisterUse& registers, Footprint* footprint, std::uint32_t tag) {
    const ClassCost& cost = costs[static_cast<std::size_t>(op_class)];
    const std::uint64_t dispatch = take_dispatch_slot(&cost, registers.vector_writes);
    if (dead) return Cycle(dispatch);
    if (cost.unit == Unit::front_end) {
        create_mask(op_class, registers.mask_writes, dispatch, tag);
        return Cycle(dispatch);
    }
    const int slot = new_slot();
    Slot& op = at(slot);
    op.cost = &cost;
    op.registers = registers;
    op.trace.tag = tag;
    op.trace.op_class = op_class;
    op.trace.dispatch = Cycle(dispatch);
    if (footprint != nullptr) {
        std::swap(op.footprint, *footprint);
    } else {
        op.footprint.clear();
    }
    for_each_bit(registers.vector_reads, [&](std::size_t k) { wait_for(slot, vector[k]); });
    for_each_bit(registers.mask_reads, [&](std::size_t k) { wait_for(slot, mask[k]); });
    if (cost.is_load()) wait_for(slot, load_fence);
    if (cost.is_store()) wait_for(slot, store_fence);
    for_each_bit(registers.vector_writes, [&](std::size_t k) { vector[k].producer = slot; });
    for_each_bit(registers.mask_writes, [&](std::size_t k) { mask[k].producer = slot; });
    registers_held += count_few(registers.vector_writes);
    ++queued;
    if (cost.unit == Unit::execution) ++queued_execution;
    if (op.pending == 0) make_ready(slot, dispatch + 1);
    return Cycle(dispatch);
}

/// Nothing can hold it back except the one before it, so that all its times are known at once.
void Pipeline::State::create_mask(OpClass op_class, std::uint8_t masks, std::uint64_t dispatch, std::uint32_t tag) {
    const ClassCost& cost = costs[static_cast<std::size_t>(op_class)];
    const std::uint64_t issue = std::max(dispatch + 1, front_end_free);
    const std::uint64_t complete = issue + cost.result();
    front_end_free = issue + cost.interval;
    Value value;
    value.ready.fill(complete);
    for_each_bit(masks, [&](std::size_t k) { mask[k] = value; });
    issue_tail = std::max(issue_tail, issue);
    vf_complete = std::max(vf_complete, complete);
    last_complete = std::max(last_complete, complete);
    OpTrace trace;
    trace.tag = tag;
    trace.op_class = op_class;
    trace.dispatch = Cycle(dispatch);
    trace.issue = Cycle(issue);
    trace.complete = Cycle(complete);
    trace.port = static_cast<std::uint32_t>(issue - dispatch) - trace.enter;
    trace.execute = cost.result();
    listener.on_op(trace);
}

Cycle Pipeline::State::barrier(isa::BarrierKind kind, std::uint32_t tag) {
    const std::uint64_t dispatch = take_dispatch_slot(nullptr, 0);
    if (dead) return Cycle(dispatch);
    const BarrierRule rule = rule_of(kind);
    // Those whose completion is known are waited for by time, the others by edges.
    earlier.clear();
    for (std::size_t i = 0; i < slots.size(); ++i) {
        const Slot& op = slots[i];
        if (!op.live || op.cost == nullptr) continue;
        if ((rule.after_loads && op.cost->is_load()) || (rule.after_stores && op.cost->is_store())) {
            earlier.push_back(static_cast<int>(i));
        }
    }
    const int fence = new_slot();
    for (const int op : earlier) wait_for(fence, op);
    if (rule.holds_loads) wait_for(fence, load_fence);
    if (rule.holds_stores) wait_for(fence, store_fence);
    Slot& slot = at(fence);
    slot.footprint.clear();
    slot.trace.tag = tag;
    slot.trace.dispatch = Cycle(dispatch);
    slot.ready_at = std::max(slot.ready_at, dispatch);
    if (rule.after_loads) slot.ready_at = std::max(slot.ready_at, loads_complete);
    if (rule.after_stores) slot.ready_at = std::max(slot.ready_at, stores_complete);
    if (rule.holds_loads) load_fence.producer = fence;
    if (rule.holds_stores) store_fence.producer = fence;
    if (slot.pending == 0) make_ready(fence, dispatch + 1);
    return Cycle(dispatch);
}

/// All producers are known: the op can issue from ready_at on, and from `earliest`.
void Pipeline::State::make_ready(int slot, std::uint64_t earliest) {
    Slot& op = at(slot);
    const std::uint64_t when = std::max(op.ready_at, earliest);
    if (op.cost != nullptr) op.ready_at = when;  // a barrier's says when it was reached
    if (when <= cycle) {
        enqueue(slot);
    } else {
        wheel.add_item(cycle, when, slot);
    }
}

// ---- issue

/// Ops whose operands are there from this cycle on, and registers that nobody needs any more.
void Pipeline::State::wake() {
    const EventWheel::Bucket bucket = wheel.take(cycle);
    registers_held -= bucket.leaving;
    if (bucket.leaving > 0) now.progress = true;
    for (int slot = bucket.first; slot != kNone;) {
        const int next = wheel.next(slot);
        now.progress = true;
        if (at(slot).ready_at > cycle) {
            wheel.add_item(cycle, at(slot).ready_at, slot);
        } else {
            enqueue(slot);
        }
        slot = next;
    }
}

/// Precondition: before the issues of this cycle.
void Pipeline::State::enqueue(int slot) {
    Slot& op = at(slot);
    if (op.cost == nullptr) {
        Value reached;
        reached.ready.fill(op.ready_at);
        listener.on_barrier(op.trace.tag, op.trace.dispatch, Cycle(op.ready_at));
        vf_complete = std::max(vf_complete, op.ready_at);
        resolve(slot, reached, op.ready_at);
        return;
    }
    auto& queue = queue_of(op.cost->unit);
    auto place = queue.end();
    while (place != queue.begin() && at(*(place - 1)).age > op.age) --place;
    queue.insert(place, slot);
}

/// Asks for the next step of an op's traffic and notes who is in the way.
bool Pipeline::State::ask(Slot& op) {
    if (!op.steps_left()) return true;
    const Grant answer = arbiter.request(op.footprint, op.step);
    if (answer == Grant::granted) {
        if (op.footprint.further(op.step)) ++op.further;
        ++op.step;
        op.waited = 0;
        now.progress = true;
        return true;
    }
    if (answer == Grant::blocked_by_external) now.external_blocks = true;
    return false;
}

void Pipeline::State::start(int slot) {
    Slot& op = at(slot);
    op.trace.issue = Cycle(cycle);
    op.free_at = cycle + op.cost->interval;
    op.asked_in = cycle;
    op.waited = 0;
    --queued;
    if (op.cost->unit == Unit::execution) --queued_execution;
    if (op.cost->single_issue) now.single_issued = true;
    now.issued = now.progress = true;
}

/// What an op's cycles were spent on.
void Pipeline::State::explain(OpTrace& trace, const Slot& op) const {
    const auto cycles = [](Cycle from, Cycle to) { return static_cast<std::uint32_t>((to - from).count()); };
    trace.steps = op.step;
    trace.operands = static_cast<std::uint32_t>(op.ready_at - trace.dispatch.count()) - trace.enter;
    const std::uint32_t queued_for = cycles(trace.dispatch, trace.issue) - trace.enter - trace.operands;
    trace.bank = std::min(trace.bank, queued_for);
    trace.port = queued_for - trace.bank;
    // Beats and waits after the issue, as far as they delay the result.
    std::uint32_t late = cycles(trace.issue, trace.complete) - op.cost->result();
    const auto take = [&](std::uint32_t most) {
        const std::uint32_t taken = std::min(late, most);
        late -= taken;
        return taken;
    };
    trace.bank += take(op.held_back);
    trace.sub_bank = take(op.further);
    if (op.cost->exclusive_beats) trace.bank += take(op.step);
    trace.execute = op.cost->result() + late;
}

/// The last beat of an op, or the cycle after which its unit is free, is known to be this one or a later one.
void Pipeline::State::finish(int slot) {
    Slot& op = at(slot);
    // Latencies count from an undisturbed issue: `interval` cycles before the unit is free.
    const std::uint64_t from = std::max(cycle + 1, op.free_at) - op.cost->interval;
    Value value;
    for (std::size_t reader = 0; reader < kConsumers; ++reader) value.ready[reader] = from + op.cost->latency[reader];
    const std::uint64_t complete = from + op.cost->result();
    if (op.cost->is_load()) loads_complete = std::max(loads_complete, complete);
    if (op.cost->is_store()) stores_complete = std::max(stores_complete, complete);
    if (op.cost->is_load() || op.cost->is_store()) memory_tail = std::max(memory_tail, from);
    issue_tail = std::max(issue_tail, from);
    vf_complete = std::max(vf_complete, complete);
    last_complete = std::max(last_complete, complete);
    op.trace.complete = Cycle(complete);
    explain(op.trace, op);
    write_back(slot, value, complete);
    resolve(slot, value, complete);
}

void Pipeline::State::write_back(int slot, const Value& value, std::uint64_t complete) {
    const RegisterUse& registers = at(slot).registers;
    for_each_bit(registers.vector_writes, [&](std::size_t k) {
        if (vector[k].producer == slot) vector[k] = value;
        const std::uint64_t bit = std::uint64_t{1} << k;
        if ((mapped & bit) != 0) {
            wheel.add_leaving(cycle, complete);  // the value before it
        } else {
            mapped |= bit;
            ++mapped_count;
        }
    });
    for_each_bit(registers.mask_writes, [&](std::size_t k) {
        if (mask[k].producer == slot) mask[k] = value;
    });
}

/// Tells everybody who waits for the op or barrier, which is over as far as the pipeline is concerned.
void Pipeline::State::resolve(int slot, const Value& value, std::uint64_t complete) {
    if (load_fence.producer == slot) load_fence = value;
    if (store_fence.producer == slot) store_fence = value;
    // A barrier is reached before the issues of a cycle, an op has its last beat among them.
    const std::uint64_t earliest = at(slot).cost == nullptr ? cycle : cycle + 1;
    for (int edge = at(slot).first_edge; edge != kNone;) {
        const Edge link = edges[static_cast<std::size_t>(edge)];
        Slot& waiting = at(link.consumer);
        const std::uint64_t ready = waiting.cost == nullptr ? complete : value.ready[index_of(waiting.cost->consumer)];
        waiting.ready_at = std::max(waiting.ready_at, ready);
        edges[static_cast<std::size_t>(edge)].next = free_edge;
        free_edge = edge;
        edge = link.next;
        if (--waiting.pending == 0) make_ready(link.consumer, std::max(earliest, waiting.trace.dispatch.count() + 1));
    }
    at(slot).first_edge = kNone;
    if (at(slot).cost != nullptr) listener.on_op(at(slot).trace);
    release(slot);
}

void Pipeline::State::release(int slot) {
    at(slot).live = false;
    free_slots.push_back(slot);
    --live;
}

void Pipeline::State::continue_memory() {
    for (std::size_t i = 0; i < memory_active.size();) {
        const int slot = memory_active[i];
        continue_memory(slot);
        if (i < memory_active.size() && memory_active[i] == slot) ++i;
    }
}

void Pipeline::State::issue_load_store() {
    continue_memory();
    if (now.block_copy) return;
    issue_loads();
    issue_stores();
}

/// One more beat, or one more cycle of the interval, of an access that has its port already.
void Pipeline::State::continue_memory(int slot) {
    Slot& op = at(slot);
    if (op.asked_in == cycle) return;
    op.asked_in = cycle;
    const bool load = op.cost->is_load();
    ++(load ? now.loads : now.stores);
    if (op.steps_left()) {
        if (op.keeps_others_away()) {
            now.block_copy = true;
            // Waiting stores are held back by it, and its own further beats are conflicts of its blocks.
            if (!load || !queue_of(Unit::store).empty()) now.store_blocked = true;
        }
        if (ask(op)) {
            now.issued = true;
        } else {
            ++op.held_back;
            ++op.waited;
            (load ? now.load_blocked : now.store_blocked) = true;
        }
    }
    if (op.steps_left() || cycle + 1 < op.free_at) return;
    memory_active.erase(std::find(memory_active.begin(), memory_active.end(), slot));
    finish(slot);
}

bool Pipeline::State::can_start_memory(const Slot& op) const {
    const PipelineParameters& pipeline = parameters.pipeline;
    if (now.block_copy || now.loads + now.stores >= pipeline.memory_issues) return false;
    if (op.cost->is_load() ? now.loads >= pipeline.load_ports : now.stores >= pipeline.store_ports) return false;
    if (op.cost->single_issue && now.single_issued) return false;
    return !op.keeps_others_away() || now.loads + now.stores == 0;
}

/// Starts the access at `place` of its queue if the arbiter lets it. Precondition: can_start_memory().
bool Pipeline::State::try_memory(std::vector<int>& queue, std::size_t place) {
    const int slot = queue[place];
    Slot& op = at(slot);
    if (!ask(op)) return false;
    queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(place));
    start(slot);
    ++(op.cost->is_load() ? now.loads : now.stores);
    if (op.keeps_others_away()) now.block_copy = true;
    if (op.steps_left() || cycle + 1 < op.free_at) {
        memory_active.push_back(slot);
    } else {
        finish(slot);
    }
    return true;
}

/// The oldest ready loads, as many as there are ports.
void Pipeline::State::issue_loads() {
    auto& queue = queue_of(Unit::load);
    const std::uint32_t ports = parameters.pipeline.load_ports;
    std::size_t place = 0;
    for (std::uint32_t looked_at = now.loads; looked_at < ports && place < queue.size(); ++looked_at) {
        Slot& op = at(queue[place]);
        if (!can_start_memory(op)) {
            ++place;
        } else if (!try_memory(queue, place)) {
            now.load_blocked = true;
            ++op.trace.bank;
            ++place;
        }
    }
}

/// Any ready store whose banks are free, the oldest first. The accesses that the groups serve in a cycle are the loads'
/// first: a store that waits for them waits for banks.
void Pipeline::State::issue_stores() {
    auto& queue = queue_of(Unit::store);
    if (queue.empty()) return;
    const bool single_issue_taken = now.single_issued;
    const std::uint32_t before = now.stores;
    const PipelineParameters& pipeline = parameters.pipeline;
    for (std::size_t place = 0; place < queue.size() && !single_issue_taken && now.stores < pipeline.store_ports &&
                                now.loads + now.stores < pipeline.memory_issues;) {
        if (!can_start_memory(at(queue[place])) || !try_memory(queue, place)) ++place;
    }
    if (now.stores > before || single_issue_taken) return;
    now.store_blocked = true;
    ++at(queue.front()).trace.bank;
}

/// The gather or scatter pipe: one op at a time, a step per cycle.
void Pipeline::State::issue_pipe(Unit unit) {
    if (pipe_stepped[index_of(unit)] == cycle) return;  // it was overdue
    pipe_stepped[index_of(unit)] = cycle;
    int& active = pipe_active[index_of(unit)];
    auto& waiting = queue_of(unit);
    bool& blocked = unit == Unit::gather ? now.load_blocked : now.store_blocked;
    if (active == kNone) {
        if (waiting.empty() || now.single_issued || now.block_copy) return;
        const int slot = waiting.front();
        if (!ask(at(slot))) {
            blocked = true;
            ++at(slot).trace.bank;
            return;
        }
        waiting.erase(waiting.begin());
        start(slot);
        active = slot;
    } else if (at(active).steps_left()) {
        Slot& op = at(active);
        const bool further = op.footprint.further(op.step);
        if (!ask(op)) {
            blocked = true;
            ++op.held_back;
            ++op.waited;
        } else if (further) {
            now.sub_bank_step = true;
        } else {
            now.issued = true;
        }
    }
    if (at(active).steps_left() || cycle + 1 < at(active).free_at) return;
    const int slot = std::exchange(active, kNone);
    now.progress = true;
    finish(slot);
}

void Pipeline::State::issue_execution() {
    auto& queue = queue_of(Unit::execution);
    for (std::size_t unit = 0; unit < unit_free.size() && !queue.empty(); ++unit) {
        if (unit_free[unit] > cycle) continue;
        const auto fits = [&](int slot) {
            const ClassCost& cost = *at(slot).cost;
            return (unit == 0 || !cost.first_unit_only) && !(cost.single_issue && now.single_issued);
        };
        const auto found = std::find_if(queue.begin(), queue.end(), fits);
        if (found == queue.end()) continue;
        const int slot = *found;
        queue.erase(found);
        start(slot);
        unit_free[unit] = at(slot).free_at;
        finish(slot);
    }
}

// ---- fairness

void Pipeline::State::count_waiting() {
    const auto longer = [&](Slot& op) { overdue = ++op.waited >= parameters.ub.max_wait || overdue; };
    for (const auto& queue : queues) {
        if (!queue.empty()) longer(at(queue.front()));
    }
    // Accesses in progress have been counted where the arbiter refused them.
    const auto look = [&](int slot) {
        if (slot != kNone && at(slot).waited >= parameters.ub.max_wait) overdue = true;
    };
    for (const int slot : memory_active) look(slot);
    for (const int slot : pipe_active) look(slot);
}

/// Whoever has waited too long, the longest first as between the core and others.
void Pipeline::State::serve_overdue() {
    overdue = false;
    const std::uint32_t most = parameters.ub.max_wait;
    std::uint32_t own = 0;
    for (const auto& queue : queues) {
        if (!queue.empty()) own = std::max(own, at(queue.front()).waited);
    }
    for (const int slot : memory_active) own = std::max(own, at(slot).waited);
    for (const int slot : pipe_active) own = std::max(own, slot == kNone ? 0 : at(slot).waited);
    serve_external(std::max(most, own));

    const auto is_late = [&](int slot) { return at(slot).waited >= most; };
    for (const Unit unit : {Unit::gather, Unit::scatter}) {
        const int active = pipe_active[index_of(unit)];
        const auto& queue = queue_of(unit);
        if (active != kNone ? is_late(active) : !queue.empty() && is_late(queue.front())) issue_pipe(unit);
    }
    continue_memory();
    for (const Unit unit : {Unit::store, Unit::load}) {
        auto& queue = queue_of(unit);
        if (queue.empty() || !is_late(queue.front())) continue;
        const Slot& op = at(queue.front());
        if (can_start_memory(op)) {
            try_memory(queue, 0);
        } else if (op.keeps_others_away()) {
            now.block_copy = true;  // nobody else starts, so that it can when the ports are free
        }
    }
    auto& execution = queue_of(Unit::execution);
    if (!execution.empty() && is_late(execution.front())) issue_execution();
    serve_external(most);
}

// ---- others

/// One step each for the oldest traffic of every channel, as far as it has waited that long.
void Pipeline::State::serve_external(std::uint32_t waited_at_least) {
    std::uint64_t channels = 0;  // that have had their turn
    for (std::size_t i = 0; i < external_count;) {
        External& traffic = externals[i];
        const std::uint64_t channel = std::uint64_t{1} << (traffic.channel % 64);
        const bool behind = (channels & channel) != 0;
        channels |= channel;
        if (behind || traffic.from > cycle || traffic.asked_in == cycle || traffic.waited < waited_at_least) {
            ++i;
            continue;
        }
        const bool wants = traffic.step < traffic.footprint.steps();
        if (wants && arbiter.request(traffic.footprint, traffic.step) != Grant::granted) {
            // The cycle is lost once it has been refused in its own turn too.
            if (waited_at_least == 0) {
                traffic.asked_in = cycle;
                overdue = ++traffic.waited >= parameters.ub.max_wait || overdue;
            }
            ++i;
            continue;
        }
        now.progress = true;
        traffic.asked_in = cycle;
        traffic.waited = 0;
        if (wants && ++traffic.step < traffic.footprint.steps()) {
            ++i;
            continue;
        }
        const std::uint32_t id = traffic.id;
        // The finished one goes behind those in use, with its memory.
        std::rotate(externals.begin() + static_cast<std::ptrdiff_t>(i),
                    externals.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                    externals.begin() + static_cast<std::ptrdiff_t>(external_count));
        --external_count;
        last_complete = std::max(last_complete, cycle);
        listener.on_external(id, Cycle(cycle));
    }
}

Arbiter& Pipeline::State::open(std::uint64_t when, bool first) {
    if (when > cycle + 1) advance(when - 1);
    cycle = std::max(cycle, when);
    dispatched = 0;
    now = {};
    arbiter.begin_cycle(cycle);
    if (first || external_count == 0) return arbiter;
    if (overdue) {
        overdue = false;
        serve_external(parameters.ub.max_wait);
    }
    const auto& priority = parameters.ub.priority;
    if (std::find(priority.begin(), priority.end(), Requester::mte) <
        std::find(priority.begin(), priority.end(), Requester::load_store)) {
        serve_external(0);
    }
    return arbiter;
}

void Pipeline::State::close() {
    serve_external(0);
}

void Pipeline::State::stuck() {
    declare_deadlock();
}

// ---- Pipeline

Pipeline::Pipeline(const Parameters& parameters, PipelineListener& listener)
    : state_(std::make_unique<State>(parameters, listener)) {}
Pipeline::~Pipeline() = default;

void Pipeline::reset() {
    state_->reset();
}

Cycle Pipeline::vf_begin(Cycle now) {
    State& state = *state_;
    const std::uint64_t called = std::max(now.count(), state.next_call);
    state.account(Cause::drain, std::min(called, state.drain_end));
    state.accounted = std::max(state.accounted, called);
    state.vf_called = called;
    // The first op issues a cycle after it dispatched.
    const std::uint64_t first = std::max(called + std::max(1U, state.parameters.pipeline.vf_start) - 1, state.cycle);
    state.advance(first);
    state.account(Cause::start, first + 1);
    state.dispatched = 0;
    state.in_vf = true;
    state.vf_first = state.vf_complete = first;
    state.memory_tail = state.issue_tail = 0;
    // A VF starts with no register renamed: values stay, physical registers do not.
    state.wheel.forget_leaving();
    state.registers_held = 0;
    state.mapped = 0;
    state.mapped_count = 0;
    return Cycle(first);
}

Cycle Pipeline::feed(OpClass op_class, const RegisterUse& registers, Footprint* footprint, std::uint32_t tag) {
    return state_->feed(op_class, registers, footprint, tag);
}

Cycle Pipeline::barrier(isa::BarrierKind kind, std::uint32_t tag) {
    return state_->barrier(kind, tag);
}

Cycle Pipeline::tensor_scatter_iteration(isa::ElementType type, TensorScatterFootprints& footprints,
                                         std::uint32_t tag) {
    const auto footprint_of = [&](TensorAccess access) -> Footprint* {
        switch (access) {
            case TensorAccess::source: return &footprints.source;
            case TensorAccess::first_offsets: return &footprints.first_offsets;
            case TensorAccess::second_offsets: return &footprints.second_offsets;
            case TensorAccess::scatter: return &footprints.scatter;
            case TensorAccess::none: break;
        }
        return nullptr;
    };
    Cycle last;
    for (const MicroOp& op : tensor_scatter_micro_ops(type)) {
        last = feed(op.op_class, op.registers, footprint_of(op.access), tag);
    }
    return last;
}

Pipeline::VfTimes Pipeline::vf_end() {
    State& state = *state_;
    while (state.live > 0) state.advance_to_event();
    state.in_vf = false;
    const std::uint64_t tail = state.memory_tail != 0 ? state.memory_tail : state.issue_tail;
    state.next_call = std::max(state.vf_first, tail) + state.parameters.pipeline.vf_overlap;
    // An interval longer than latency and drain together still belongs to the VF.
    state.drain_end = std::max(state.vf_complete + state.parameters.pipeline.vf_drain, state.accounted);
    state.counters.vf_spans += state.drain_end - state.vf_called;
    state.last_complete = std::max(state.last_complete, state.drain_end);
    return {Cycle(state.next_call), Cycle(state.drain_end)};
}

bool Pipeline::has_room(OpClass op_class, const RegisterUse& registers) const {
    const State& state = *state_;
    const std::uint32_t wanted = count_few(registers.vector_writes);
    return state.dead || (state.dispatched < std::max(1U, state.parameters.pipeline.dispatch_width) &&
                          state.room(&state.costs[static_cast<std::size_t>(op_class)], wanted));
}

bool Pipeline::all_issued() const {
    return state_->live == 0;
}

Cycle Pipeline::tensor_begin(Cycle now) {
    State& state = *state_;
    const std::uint64_t begin = std::max({now.count(), state.tensor_end, state.drain_end});
    state.advance(begin);
    state.in_tensor = true;
    state.tensor.begin(Cycle(begin));
    return Cycle(begin);
}

void Pipeline::tensor_access(const Footprint& footprint) {
    if (!state_->dead) state_->tensor.access(footprint);
}

void Pipeline::tensor_iteration(const Footprint& src0, const Footprint& src1, const Footprint& dst) {
    if (!state_->dead) state_->tensor.iteration(src0, src1, dst);
}

Cycle Pipeline::tensor_end() {
    State& state = *state_;
    if (!state.dead) state.tensor_end = state.tensor.end().count();
    state.in_tensor = false;
    state.next_call = std::max(state.next_call, state.tensor_end);
    state.last_complete = std::max(state.last_complete, state.tensor_end);
    return Cycle(state.tensor_end);
}

void Pipeline::external(std::uint32_t id, std::uint32_t channel, Footprint& footprint, Cycle at) {
    State& state = *state_;
    if (state.external_count == state.externals.size()) state.externals.emplace_back();
    External& traffic = state.externals[state.external_count++];
    traffic.id = id;
    traffic.channel = channel;
    traffic.from = std::max(at.count(), state.cycle) + 1;
    traffic.asked_in = 0;
    traffic.step = traffic.waited = 0;
    std::swap(traffic.footprint, footprint);
    traffic.footprint.external = true;
}

Cycle Pipeline::finish_external(std::uint32_t id) {
    State& state = *state_;
    const auto pending = [&] {
        const auto end = state.externals.begin() + static_cast<std::ptrdiff_t>(state.external_count);
        return std::any_of(state.externals.begin(), end, [&](const External& traffic) { return traffic.id == id; });
    };
    while (pending()) state.advance(state.next_event());
    return Cycle(state.cycle);
}

bool Pipeline::external_pending() const {
    return state_->external_count > 0;
}

void Pipeline::advance_to(Cycle now) {
    state_->advance(now.count());
}

Cycle Pipeline::next_wakeup() const {
    return Cycle(state_->dead ? kNever : state_->next_event());
}

Cycle Pipeline::current() const {
    return Cycle(state_->cycle);
}

Cycle Pipeline::last_completion() const {
    return Cycle(std::max(state_->last_complete, state_->vf_complete));
}

PipelineCounters Pipeline::counters() const {
    PipelineCounters counters = state_->counters;
    // The drain of the latest VF has no other cause yet.
    if (!state_->in_vf && state_->drain_end > state_->accounted) {
        counters.causes[static_cast<std::size_t>(Cause::drain)] += state_->drain_end - state_->accounted;
    }
    counters.tensor_read_blocked = state_->tensor.read_blocked();
    counters.tensor_write_blocked = state_->tensor.write_blocked();
    return counters;
}

void Pipeline::set_bank_listener(BankListener* listener) {
    state_->watched = listener != nullptr;
    state_->arbiter.set_listener(listener);
}

void Pipeline::count_conflicts_in(std::vector<std::uint64_t>* counters) {
    state_->arbiter.count_conflicts_in(counters);
}

void Pipeline::step_every_cycle(bool on) {
    state_->every_cycle = on;
}

}  // namespace vcore::timing
