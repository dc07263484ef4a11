// What happens in one cycle of the pipeline: who wakes, who asks for banks in which order, who is served because he has
// waited too long.
#include <algorithm>
#include <utility>

#include "models/timing/pipeline_state.hpp"

namespace vcore::timing {

/// Ops whose operands are there from this cycle on, and registers that nobody needs any more.
void Pipeline::State::wake() {
    const EventWheel<Slot>::Bucket bucket = wheel.take(cycle);
    registers_held -= bucket.leaving;
    if (bucket.leaving > 0) now.progress = true;
    for (Slot* op = bucket.first; op != nullptr;) {
        Slot* const next = op->next_in_bucket;
        now.progress = true;
        if (op->ready_at > cycle) {
            wheel.add_item(cycle, op->ready_at, *op);
        } else {
            enqueue(*op);
        }
        op = next;
    }
}

/// Precondition: before the issues of this cycle.
void Pipeline::State::enqueue(Slot& op) {
    if (op.cost == nullptr) {
        Value reached;
        reached.ready.fill(op.ready_at);
        listener.on_barrier(op.trace.tag, op.trace.dispatch, Cycle(op.ready_at));
        vf_complete = std::max(vf_complete, op.ready_at);
        resolve(op, reached, op.ready_at);
        return;
    }
    ReadyQueue& queue = queue_of(op.cost->unit);
    queue.insert(op);
    if (queue.front() == &op) op.waiting_since = cycle;
}

/// Asks for the next step of an op's traffic and notes who is in the way.
bool Pipeline::State::ask(Slot& op) {
    if (!op.steps_left()) return true;
    const Grant answer = arbiter.request(op.footprint, op.step);
    if (answer == Grant::granted) {
        if (op.footprint.further(op.step)) ++op.further;
        ++op.step;
        op.waiting_since = cycle + 1;
        now.progress = true;
        return true;
    }
    if (answer == Grant::blocked_by_external) now.external_blocks = true;
    return false;
}

void Pipeline::State::start(Slot& op) {
    op.trace.issue = Cycle(cycle);
    op.free_at = cycle + op.cost->interval;
    op.asked_in = cycle;
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
void Pipeline::State::finish(Slot& op) {
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
    write_back(op, value, complete);
    resolve(op, value, complete);
}

void Pipeline::State::write_back(Slot& op, const Value& value, std::uint64_t complete) {
    const RegisterUse& registers = op.registers;
    for_each_bit(registers.vector_writes, [&](std::size_t k) {
        if (vector[k].producer == &op) vector[k] = value;
        const std::uint64_t bit = std::uint64_t{1} << k;
        if ((mapped & bit) != 0) {
            wheel.add_leaving(cycle, complete);  // the value before it
        } else {
            mapped |= bit;
            ++mapped_count;
        }
    });
    for_each_bit(registers.mask_writes, [&](std::size_t k) {
        if (mask[k].producer == &op) mask[k] = value;
    });
}

/// Tells everybody who waits for the op or barrier, which is over as far as the pipeline is concerned.
void Pipeline::State::resolve(Slot& op, const Value& value, std::uint64_t complete) {
    if (load_fence.producer == &op) load_fence = value;
    if (store_fence.producer == &op) store_fence = value;
    // A barrier is reached before the issues of a cycle, an op has its last beat among them.
    const std::uint64_t earliest = op.cost == nullptr ? cycle : cycle + 1;
    for (int edge = op.first_edge; edge != kNone;) {
        const Edge link = edges[static_cast<std::size_t>(edge)];
        Slot& waiting = *link.consumer;
        const std::uint64_t ready = waiting.cost == nullptr ? complete : value.ready[index_of(waiting.cost->consumer)];
        waiting.ready_at = std::max(waiting.ready_at, ready);
        edges[static_cast<std::size_t>(edge)].next = free_edge;
        free_edge = edge;
        edge = link.next;
        if (--waiting.pending == 0) make_ready(waiting, std::max(earliest, waiting.trace.dispatch.count() + 1));
    }
    op.first_edge = kNone;
    if (op.cost != nullptr) listener.on_op(op.trace);
    release(op);
}

void Pipeline::State::release(Slot& op) {
    op.live = false;
    free_slots.push_back(&op);
    --live;
}

/// Out of its queue, to be started.
void Pipeline::State::take(Slot& op) {
    if (op.older == nullptr && op.younger != nullptr) op.younger->waiting_since = cycle;  // now the first
    queue_of(op.cost->unit).erase(op);
}

void Pipeline::State::continue_memory() {
    for (std::size_t i = 0; i < memory_active.size();) {
        Slot* const op = memory_active[i];
        continue_memory(*op);
        if (i < memory_active.size() && memory_active[i] == op) ++i;
    }
}

void Pipeline::State::issue_load_store() {
    continue_memory();
    if (now.block_copy) return;
    issue_loads();
    issue_stores();
}

/// One more beat, or one more cycle of the interval, of an access that has its port already.
void Pipeline::State::continue_memory(Slot& op) {
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
            (load ? now.load_blocked : now.store_blocked) = true;
        }
    }
    if (op.steps_left() || cycle + 1 < op.free_at) return;
    memory_active.erase(std::find(memory_active.begin(), memory_active.end(), &op));
    finish(op);
}

bool Pipeline::State::can_start_memory(const Slot& op) const {
    const PipelineParameters& pipeline = parameters.pipeline;
    if (now.block_copy || now.loads + now.stores >= pipeline.memory_issues) return false;
    if (op.cost->is_load() ? now.loads >= pipeline.load_ports : now.stores >= pipeline.store_ports) return false;
    if (op.cost->single_issue && now.single_issued) return false;
    return !op.keeps_others_away() || now.loads + now.stores == 0;
}

/// Starts a queued access if the arbiter lets it. Precondition: can_start_memory().
bool Pipeline::State::try_memory(Slot& op) {
    if (!ask(op)) return false;
    take(op);
    start(op);
    ++(op.cost->is_load() ? now.loads : now.stores);
    if (op.keeps_others_away()) now.block_copy = true;
    if (op.steps_left() || cycle + 1 < op.free_at) {
        memory_active.push_back(&op);
    } else {
        finish(op);
    }
    return true;
}

/// The oldest ready loads, as many as there are ports.
void Pipeline::State::issue_loads() {
    const std::uint32_t ports = parameters.pipeline.load_ports;
    Slot* next = queue_of(Unit::load).front();
    for (std::uint32_t looked_at = now.loads; looked_at < ports && next != nullptr; ++looked_at) {
        Slot& op = *std::exchange(next, next->younger);
        if (can_start_memory(op) && !try_memory(op)) {
            now.load_blocked = true;
            ++op.trace.bank;
        }
    }
}

/// Any ready store whose banks are free, the oldest first. The accesses that the groups serve in a cycle are the loads'
/// first: a store that waits for them waits for banks.
void Pipeline::State::issue_stores() {
    const ReadyQueue& queue = queue_of(Unit::store);
    if (queue.empty()) return;
    const bool single_issue_taken = now.single_issued;
    const std::uint32_t before = now.stores;
    const PipelineParameters& pipeline = parameters.pipeline;
    for (Slot* next = queue.front(); next != nullptr && !single_issue_taken && now.stores < pipeline.store_ports &&
                                     now.loads + now.stores < pipeline.memory_issues;) {
        Slot& op = *std::exchange(next, next->younger);
        if (can_start_memory(op)) try_memory(op);
    }
    if (now.stores > before || single_issue_taken) return;
    now.store_blocked = true;
    ++queue.front()->trace.bank;
}

/// The gather or scatter pipe: one op at a time, a step per cycle.
void Pipeline::State::issue_pipe(Unit unit) {
    Slot*& active = pipe_active[index_of(unit)];
    const ReadyQueue& waiting = queue_of(unit);
    if (active == nullptr && waiting.empty()) return;
    if (pipe_stepped[index_of(unit)] == cycle) return;  // it was overdue
    pipe_stepped[index_of(unit)] = cycle;
    bool& blocked = unit == Unit::gather ? now.load_blocked : now.store_blocked;
    if (active == nullptr) {
        if (now.single_issued || now.block_copy) return;
        Slot& op = *waiting.front();
        if (!ask(op)) {
            blocked = true;
            ++op.trace.bank;
            return;
        }
        take(op);
        start(op);
        active = &op;
    } else if (active->steps_left()) {
        const bool further = active->footprint.further(active->step);
        if (!ask(*active)) {
            blocked = true;
            ++active->held_back;
        } else if (further) {
            now.sub_bank_step = true;
        } else {
            now.issued = true;
        }
    }
    if (active->steps_left() || cycle + 1 < active->free_at) return;
    now.progress = true;
    finish(*std::exchange(active, nullptr));
}

void Pipeline::State::issue_execution() {
    const ReadyQueue& queue = queue_of(Unit::execution);
    for (std::size_t unit = 0; unit < unit_free.size() && !queue.empty(); ++unit) {
        if (unit_free[unit] > cycle) continue;
        const auto fits = [&](const ClassCost& cost) {
            return (unit == 0 || !cost.first_unit_only) && !(cost.single_issue && now.single_issued);
        };
        Slot* op = queue.front();
        while (op != nullptr && !fits(*op->cost)) op = op->younger;
        if (op == nullptr) continue;
        take(*op);
        start(*op);
        unit_free[unit] = op->free_at;
        finish(*op);
    }
}

// ---- fairness

std::uint64_t Pipeline::State::longest_own_wait() const {
    std::uint64_t longest = 0;
    const auto look = [&](const Slot& op) { longest = std::max(longest, wait_of(op.waiting_since)); };
    for (const ReadyQueue& queue : queues) {
        if (!queue.empty()) look(*queue.front());
    }
    for (const Slot* const op : memory_active) {
        if (op->steps_left()) look(*op);
    }
    for (const Slot* const op : pipe_active) {
        if (op != nullptr && op->steps_left()) look(*op);
    }
    return longest;
}

std::uint64_t Pipeline::State::longest_external_wait() const {
    std::uint64_t longest = 0;
    for (std::size_t i = 0; i < external_count; ++i) longest = std::max(longest, wait_of(externals[i].waiting_since));
    return longest;
}

/// Whoever has waited too long, the longest first as between the core and others.
void Pipeline::State::serve_overdue() {
    const std::uint64_t most = std::max(1U, parameters.ub.max_wait);
    const std::uint64_t own = longest_own_wait();
    const std::uint64_t longest = std::max(own, longest_external_wait());
    next_overdue = cycle + (longest < most ? most - longest : 1);
    if (longest < most) return;
    serve_external(std::max(most, own));

    const auto is_late = [&](const Slot* op) { return wait_of(op->waiting_since) >= most; };
    for (const Unit unit : {Unit::gather, Unit::scatter}) {
        const Slot* const active = pipe_active[index_of(unit)];
        const ReadyQueue& queue = queue_of(unit);
        if (active != nullptr ? is_late(active) : !queue.empty() && is_late(queue.front())) issue_pipe(unit);
    }
    continue_memory();
    for (const Unit unit : {Unit::store, Unit::load}) {
        const ReadyQueue& queue = queue_of(unit);
        if (queue.empty() || !is_late(queue.front())) continue;
        Slot& op = *queue.front();
        if (can_start_memory(op)) {
            try_memory(op);
        } else if (op.keeps_others_away()) {
            now.block_copy = true;  // nobody else starts, so that it can when the ports are free
        }
    }
    const ReadyQueue& execution = queue_of(Unit::execution);
    if (!execution.empty() && is_late(execution.front())) issue_execution();
    serve_external(most);
}

// ---- others

/// One step each for the oldest traffic of every channel, as far as it has waited that long.
void Pipeline::State::serve_external(std::uint64_t waited_at_least) {
    std::uint64_t channels = 0;  // that have had their turn
    for (std::size_t i = 0; i < external_count;) {
        External& traffic = externals[i];
        const std::uint64_t channel = std::uint64_t{1} << (traffic.channel % 64);
        const bool behind = (channels & channel) != 0;
        channels |= channel;
        if (behind || traffic.from > cycle || traffic.asked_in == cycle ||
            wait_of(traffic.waiting_since) < waited_at_least) {
            ++i;
            continue;
        }
        const bool wants = traffic.step < traffic.footprint.steps();
        if (wants && arbiter.request(traffic.footprint, traffic.step) != Grant::granted) {
            ++i;
            continue;
        }
        now.progress = true;
        traffic.asked_in = cycle;
        traffic.waiting_since = cycle + 1;
        if (wants && ++traffic.step < traffic.footprint.steps()) {
            ++i;
            continue;
        }
        end_external(i);
    }
}

void Pipeline::State::end_external(std::size_t place) {
    const External& done = externals[place];
    const std::uint32_t id = done.id;
    const auto end = externals.begin() + static_cast<std::ptrdiff_t>(external_count);
    const auto at = externals.begin() + static_cast<std::ptrdiff_t>(place);
    const auto next = std::find_if(at + 1, end, [&](const External& other) { return other.channel == done.channel; });
    if (next != end) next->waiting_since = std::max(next->from, cycle + 1);
    std::rotate(at, at + 1, end);  // behind those in use, with its memory
    --external_count;
    last_complete = std::max(last_complete, cycle);
    listener.on_external(id, Cycle(cycle));
}

Arbiter& Pipeline::State::open(std::uint64_t when, bool first) {
    if (when > cycle + 1) advance(when - 1);
    cycle = std::max(cycle, when);
    dispatched = 0;
    now = {};
    arbiter.begin_cycle(cycle);
    if (first || external_count == 0) return arbiter;
    serve_external(std::max(1U, parameters.ub.max_wait));
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

}  // namespace vcore::timing
