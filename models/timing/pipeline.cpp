#include "models/timing/pipeline.hpp"

#include <algorithm>
#include <utility>

#include "models/timing/pipeline_state.hpp"

namespace vcore::timing {

namespace {

/// Cycles without progress after which waiting is a deadlock: more than any interval or wait of a configuration.
constexpr std::uint64_t kPatience = 300000;

/// What is known of an op at first. Copied whole: a temporary would be written in parts and read in words, for which
/// the processor waits.
const OpTrace kNothingYet{};

}  // namespace

std::string_view name(Cause cause) {
    static constexpr std::array<std::string_view, kCauses> kNames = {"start",      "issue",    "mte",      "load_bank",
                                                                     "store_bank", "sub_bank", "operands", "drain"};
    return kNames[static_cast<std::size_t>(cause)];
}

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
    memory_active.reserve(slots.size());
    earlier.reserve(slots.size());
    externals.resize(16);
    reset();
}

void Pipeline::State::reset() {
    cycle = 0;
    dispatched = 0;
    now = {};
    dead = false;
    next_overdue = 0;
    idle_steps = 0;
    arbiter.begin_cycle();
    tensor.reset();
    free_slots.clear();
    for (auto slot = slots.rbegin(); slot != slots.rend(); ++slot) {
        slot->live = false;
        free_slots.push_back(&*slot);
    }
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
    pipe_active.fill(nullptr);
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
    const auto consider_active = [&](const Slot* op) {
        if (op != nullptr) consider(op->steps_left() ? cycle + 1 : op->free_at - 1);
    };
    for (const Slot* const op : memory_active) consider_active(op);
    for (const Slot* const op : pipe_active) consider_active(op);
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
    if (cycle >= next_overdue) serve_overdue();
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
    if (in_vf) account_cycle();
    watch();
}

/// A gather or scatter that is alone gets whatever it asks for: its steps are taken at once, up to `to`. Returns how
/// many; the last one is left to step(). Ops that wait for the same pipe go on waiting.
std::uint64_t Pipeline::State::lone_steps(std::uint64_t to) {
    const Unit unit = pipe_active[index_of(Unit::gather)] != nullptr ? Unit::gather : Unit::scatter;
    Slot* const active = pipe_active[index_of(unit)];
    if (active == nullptr || every_cycle || watched || external_count > 0 || !memory_active.empty()) return 0;
    if (unit == Unit::gather && pipe_active[index_of(Unit::scatter)] != nullptr) return 0;
    Slot& op = *active;
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
    if (in_vf) {  // causes are totals: the order of these cycles does not matter
        counters.sub_bank_stalls += further;
        counters.causes[static_cast<std::size_t>(Cause::sub_bank)] += further;
        counters.causes[static_cast<std::size_t>(Cause::issue)] += steps - further;
        accounted = cycle + 1 + steps;
    }
    cycle += steps;
    op.waiting_since = cycle + 1;
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
            Deadlock::Waiter waiter = waiter_of(*edges[static_cast<std::size_t>(edge)].consumer);
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

PipelineSlot& Pipeline::State::new_slot() {
    if (free_slots.empty()) free_slots.push_back(&slots.emplace_back());
    Slot& op = *free_slots.back();
    free_slots.pop_back();
    op.trace = kNothingYet;
    op.cost = nullptr;
    op.live = true;
    op.age = next_age++;
    op.registers = {};
    op.ready_at = 0;
    op.pending = 0;
    op.first_edge = kNone;
    op.step = op.further = op.held_back = 0;
    op.waiting_since = op.asked_in = op.free_at = 0;
    ++live;
    return op;
}

void Pipeline::State::wait_for(Slot& op, Slot& producer) {
    int edge = free_edge;
    if (edge == kNone) {
        edge = static_cast<int>(edges.size());
        edges.emplace_back();
    } else {
        free_edge = edges[static_cast<std::size_t>(edge)].next;
    }
    edges[static_cast<std::size_t>(edge)] = {&op, producer.first_edge};
    producer.first_edge = edge;
    ++op.pending;
}

void Pipeline::State::wait_for(Slot& op, const Value& value) {
    if (value.producer != nullptr) return wait_for(op, *value.producer);
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
    Slot& op = new_slot();
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
    for_each_bit(registers.vector_reads, [&](std::size_t k) { wait_for(op, vector[k]); });
    for_each_bit(registers.mask_reads, [&](std::size_t k) { wait_for(op, mask[k]); });
    if (cost.is_load()) wait_for(op, load_fence);
    if (cost.is_store()) wait_for(op, store_fence);
    for_each_bit(registers.vector_writes, [&](std::size_t k) { vector[k].producer = &op; });
    for_each_bit(registers.mask_writes, [&](std::size_t k) { mask[k].producer = &op; });
    registers_held += count_few(registers.vector_writes);
    ++queued;
    if (cost.unit == Unit::execution) ++queued_execution;
    if (op.pending == 0) make_ready(op, dispatch + 1);
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
    for (Slot& op : slots) {
        if (!op.live || op.cost == nullptr) continue;
        if ((rule.after_loads && op.cost->is_load()) || (rule.after_stores && op.cost->is_store())) {
            earlier.push_back(&op);
        }
    }
    Slot& fence = new_slot();
    for (Slot* const op : earlier) wait_for(fence, *op);
    if (rule.holds_loads) wait_for(fence, load_fence);
    if (rule.holds_stores) wait_for(fence, store_fence);
    fence.footprint.clear();
    fence.trace.tag = tag;
    fence.trace.dispatch = Cycle(dispatch);
    fence.ready_at = std::max(fence.ready_at, dispatch);
    if (rule.after_loads) fence.ready_at = std::max(fence.ready_at, loads_complete);
    if (rule.after_stores) fence.ready_at = std::max(fence.ready_at, stores_complete);
    if (rule.holds_loads) load_fence.producer = &fence;
    if (rule.holds_stores) store_fence.producer = &fence;
    if (fence.pending == 0) make_ready(fence, dispatch + 1);
    return Cycle(dispatch);
}

/// All producers are known: the op can issue from ready_at on, and from `earliest`.
void Pipeline::State::make_ready(Slot& op, std::uint64_t earliest) {
    const std::uint64_t when = std::max(op.ready_at, earliest);
    if (op.cost != nullptr) op.ready_at = when;  // a barrier's says when it was reached
    if (when <= cycle) {
        enqueue(op);
    } else {
        wheel.add_item(cycle, when, op);
    }
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
    State::External& traffic = state.externals[state.external_count++];
    traffic.id = id;
    traffic.channel = channel;
    traffic.from = std::max(at.count(), state.cycle) + 1;
    traffic.asked_in = 0;
    traffic.step = 0;
    const auto before = state.externals.begin() + static_cast<std::ptrdiff_t>(state.external_count - 1);
    const bool behind = std::any_of(state.externals.begin(), before,
                                    [&](const State::External& other) { return other.channel == channel; });
    traffic.waiting_since = behind ? kNever : traffic.from;
    std::swap(traffic.footprint, footprint);
    traffic.footprint.external = true;
}

Cycle Pipeline::finish_external(std::uint32_t id) {
    State& state = *state_;
    const auto pending = [&] {
        const auto end = state.externals.begin() + static_cast<std::ptrdiff_t>(state.external_count);
        return std::any_of(state.externals.begin(), end,
                           [&](const State::External& traffic) { return traffic.id == id; });
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
