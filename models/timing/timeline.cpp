#include "models/timing/timeline.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace vcore::timing {

namespace {

/// Cycles that can be booked ahead of dispatch: far more than full queues of all-conflict gathers need.
constexpr std::uint64_t kWindow = 4096;

// ---- resources of one cycle: eight counters of a byte each in one word
//
// A want is a pair of words: `test` is added to the counters of a cycle and overflows into the high bit of a byte whose
// resource has not enough left; `book` is what the op takes.

enum Resource : unsigned {
    load_port,
    store_port,
    memory,
    single_issue,
    gather_pipe,
    scatter_pipe,
    execution,
    first_unit
};
constexpr std::uint64_t kByteHighs = 0x8080808080808080U;
constexpr std::uint64_t kByteMost = 0x7F;
/// A block copy of several beats books this much of `memory`, so that whoever must stay away from it can tell.
constexpr std::uint64_t kMemoryTaken = 0x40;

struct Want {
    std::uint64_t test = 0;
    std::uint64_t book = 0;

    /// Takes one of `capacity`.
    void take(Resource resource, std::uint32_t capacity) {
        const std::uint64_t most = std::clamp<std::uint64_t>(capacity, 1, kMemoryTaken);
        test |= (kByteMost + 1 - most) << (8 * resource);
        book += std::uint64_t{1} << (8 * resource);
    }
    /// Goes only where nothing of the resource is taken.
    void demand_idle(Resource resource) { test |= kByteMost << (8 * resource); }
    /// Wants no use of `memory` by a block copy of several beats, and takes none of it.
    void avoid_block_copies() { test |= kMemoryTaken << (8 * memory); }
};

// ---- queues: ops and registers between dispatch and the cycle that frees them, twelve bits each in one word

enum Queue : unsigned { shared, loads, stores, execution_ops, registers };
constexpr unsigned kQueueBits = 12;
constexpr std::uint64_t kQueueMost = 0x7FF;
constexpr std::uint64_t kQueueHighs = 0x0800800800800800U;

constexpr std::uint64_t in_queue(Queue queue, std::uint64_t count) {
    return count << (kQueueBits * queue);
}
/// What added to the counters overflows where `queue` cannot take `amount` more; one that could never is let in alone.
std::uint64_t queue_test(Queue queue, std::uint32_t capacity, std::uint32_t amount) {
    const std::uint64_t most = std::clamp<std::uint64_t>(capacity, 1, kQueueMost / 2);
    return in_queue(queue, kQueueMost - most + std::min<std::uint64_t>(amount, most));
}

// ---- how an op uses the pipeline

/// Who reads a register: results reach arithmetic and stores earlier than others (forwarding).
enum Consumer : unsigned { arithmetic, storing, other };
constexpr std::size_t kConsumers = 3;

/// Which of the two sorts of access a barrier sees in the op.
enum Side : unsigned { neither, load_side, store_side };
constexpr std::size_t kSides = 3;

enum Pattern : unsigned {
    create_mask,
    mask_gen,
    mask_load,
    mask_store,
    load,
    load_pair,
    store,
    block_load,
    block_load_beats,
    block_store,
    block_store_beats,
    gather,
    gather_block,
    gather_register,
    scatter,
    add_float,
    add_half,
    add_integer,
    duplicate,
    kPatterns,
};

struct Usage {
    Want first;  ///< in the cycle of issue
    Want held;   ///< in every further cycle
    std::uint32_t interval = 1;
    std::array<std::uint32_t, kConsumers> latency{};
    std::uint64_t queue_test = 0;
    std::uint64_t queue_book = 0;
    Consumer consumer = other;
    Side side = neither;
};

/// Registers an op names: bits 0..31 are v0..v31, the others are temporaries of a tensor scatter.
struct Names {
    std::uint64_t vector_reads = 0;
    std::uint64_t vector_writes = 0;
    std::uint8_t mask_reads = 0;
    std::uint8_t mask_writes = 0;
};
constexpr std::size_t kTemporaries = 5;
constexpr std::size_t kNames = isa::kVectorRegisters + kTemporaries;
constexpr std::uint64_t temporary(std::size_t number) {
    return std::uint64_t{1} << (isa::kVectorRegisters + number);
}

template <typename Visit>
void for_each_bit(std::uint64_t bits, Visit&& visit) {
    for (; bits != 0; bits &= bits - 1) visit(static_cast<std::size_t>(__builtin_ctzll(bits)));
}

Pattern addition(isa::ElementType type) {
    if (type == isa::ElementType::f32) return add_float;
    return type == isa::ElementType::half ? add_half : add_integer;
}

/// Precondition: belongs_in_vf(kind) and not a barrier.
Pattern pattern_of(const isa::Op& op, std::uint32_t beats) {
    switch (isa::kind_of(op)) {
        case isa::OpKind::mask_gen: return mask_gen;
        case isa::OpKind::mask_load: return mask_load;
        case isa::OpKind::mask_store: return mask_store;
        case isa::OpKind::load: return std::get_if<isa::Load>(&op)->dst.pair ? load_pair : load;
        case isa::OpKind::store: return store;
        case isa::OpKind::block_load: return beats > 1 ? block_load_beats : block_load;
        case isa::OpKind::block_store: return beats > 1 ? block_store_beats : block_store;
        case isa::OpKind::gather: return gather;
        case isa::OpKind::gather_block: return gather_block;
        case isa::OpKind::gather_register: return gather_register;
        case isa::OpKind::scatter: return scatter;
        case isa::OpKind::add: return addition(std::get_if<isa::Add>(&op)->type);
        case isa::OpKind::adds: return addition(std::get_if<isa::Adds>(&op)->type);
        case isa::OpKind::duplicate: return duplicate;
        default: return create_mask;  // CreateMask and UpdateMask
    }
}

/// Which accesses a barrier waits for and which it holds back.
struct BarrierRule {
    bool after_loads = false;
    bool after_stores = false;
    bool holds_loads = false;
    bool holds_stores = false;
};
BarrierRule rule_of(isa::BarrierKind kind) {
    switch (kind) {
        case isa::BarrierKind::vst_vld: return {false, true, true, false};
        case isa::BarrierKind::vld_vst: return {true, false, false, true};
        case isa::BarrierKind::vst_vst: return {false, true, false, true};
        case isa::BarrierKind::vv_all: return {true, true, true, true};
        case isa::BarrierKind::vs_all: return {true, true, false, false};
        case isa::BarrierKind::vst_ld:
        case isa::BarrierKind::vst_st: return {false, true, false, false};
        case isa::BarrierKind::vld_st: return {true, false, false, false};
        default: return {};  // the first kind is scalar
    }
}

}  // namespace

struct Timeline::State {
    explicit State(const Parameters& given);

    void reset();
    /// Feeds one op; `beats` cycles of its port, 0 where it touches no memory.
    OpTimes feed(Pattern pattern, const Names& names, std::uint32_t beats);

    /// Moves dispatch to `cycle`, freeing what ops that have issued by then held.
    void dispatch_from(std::uint64_t cycle);
    void next_dispatch_cycle();
    /// Dispatches one op as soon as `queued` plus `test` overflows no queue; returns the cycle.
    std::uint64_t take_dispatch_slot(std::uint64_t test);
    /// Earliest cycle from `ready` on in which the resources of `usage` are free for `hold` cycles.
    std::uint64_t find(Pattern pattern, const Usage& usage, std::uint64_t ready, std::uint64_t hold);
    void book(const Usage& usage, std::uint64_t issue, std::uint64_t hold);
    /// Renames the registers that an op writes: the old ones are free once they are written and read.
    void rename(std::uint64_t vector_writes);

    Usage memory_usage(Queue queue, std::uint32_t interval, std::uint32_t latency) const;
    Usage execution_usage(std::uint32_t interval, std::uint32_t latency) const;
    void make_usages();

    /// What is booked of one cycle, and what leaves the queues in it.
    struct Slot {
        std::uint64_t booked = 0;
        std::uint64_t leaving = 0;
    };
    Slot& slot(std::uint64_t cycle) { return window[cycle % kWindow]; }

    /// A register as its readers see it.
    struct Value {
        std::array<std::uint64_t, kConsumers> ready{};  ///< cycle from which a consumer of the kind can issue
        std::uint64_t last_read = 0;
    };

    Parameters parameters;
    std::uint32_t dispatch_width;
    std::array<Usage, kPatterns> usages;
    std::array<std::uint64_t, 3> register_test{};  // by registers written

    std::array<Slot, kWindow> window;  // cycles [dispatch, dispatch + kWindow); all past `horizon` is empty
    std::uint64_t dispatch = 0;
    std::uint32_t dispatched = 0;                       // in that cycle
    std::uint64_t queued = 0;                           // ops and registers held after `dispatch`
    std::uint64_t horizon = 0;                          // one past the last cycle with an entry
    std::array<std::uint64_t, kPatterns> full_until{};  // no earlier cycle has room for the pattern's first cycle

    std::array<Value, kNames> vector;
    std::array<std::uint64_t, isa::kMaskRegisters> mask{};
    std::array<std::uint64_t, kSides> not_before{};  // barriers: no access of the side issues earlier
    std::array<std::uint64_t, kSides> completed{};   // last completion
    std::array<std::uint64_t, kSides> access_end{};  // of the running VF: one past the last beat, 0 before the first
    std::uint64_t vf_first = 0;                      // first dispatch of the running VF
    std::uint64_t vf_complete = 0;                   // last completion of the running VF
    std::uint64_t next_call = 0;                     // a next VF starts up from here
    std::uint64_t last_completion = 0;               // of anything before the running VF
};

Timeline::State::State(const Parameters& given)
    : parameters(given), dispatch_width(std::max(1U, given.pipeline.dispatch_width)) {
    make_usages();
}

void Timeline::State::reset() {
    window.fill(Slot{});
    dispatch = 0;
    dispatched = 0;
    queued = 0;
    horizon = 0;
    full_until.fill(0);
    vector.fill(Value{});
    mask.fill(0);
    not_before.fill(0);
    completed.fill(0);
    access_end.fill(0);
    vf_first = vf_complete = next_call = last_completion = 0;
}

Usage Timeline::State::memory_usage(Queue queue, std::uint32_t interval, std::uint32_t latency) const {
    const PipelineParameters& pipeline = parameters.pipeline;
    Usage usage;
    usage.interval = std::max(1U, interval);
    usage.latency.fill(latency);
    usage.queue_test = queue_test(shared, pipeline.shared_queue, 1) + queue_test(queue, pipeline.unit_queue, 1);
    usage.queue_book = in_queue(shared, 1) + in_queue(queue, 1);
    if (queue == loads) usage.side = load_side;
    if (queue == stores) {
        usage.side = store_side;
        usage.consumer = storing;
    }
    return usage;
}

Usage Timeline::State::execution_usage(std::uint32_t interval, std::uint32_t latency) const {
    Usage usage = memory_usage(execution_ops, interval, latency);
    usage.first.take(execution, parameters.pipeline.execution_units);
    usage.held = usage.first;
    usage.consumer = arithmetic;
    return usage;
}

void Timeline::State::make_usages() {
    const PipelineParameters& pipeline = parameters.pipeline;
    const Latencies& latency = parameters.latency;
    const Intervals& interval = parameters.interval;
    const auto single = [](Usage usage) {
        usage.first.take(single_issue, 1);
        return usage;
    };
    // Results of the load and gather pipes reach arithmetic through the same bypass, the same number of cycles early.
    const std::uint32_t bypass = latency.load - std::min(latency.load, latency.forward_load_arithmetic);
    const auto from_load_pipe = [&](std::uint32_t every, std::uint32_t cycles) {
        Usage usage = memory_usage(loads, every, cycles);
        usage.latency[arithmetic] = cycles - std::min(cycles, bypass);
        return usage;
    };
    const auto load_usage = [&](std::uint32_t every, std::uint32_t cycles) {
        Usage usage = from_load_pipe(every, cycles);
        usage.first.take(load_port, pipeline.load_ports);
        usage.first.take(memory, pipeline.memory_issues);
        usage.held = usage.first;
        return usage;
    };
    const auto store_usage = [&](std::uint32_t every, std::uint32_t cycles) {
        Usage usage = memory_usage(stores, every, cycles);
        usage.first.take(store_port, pipeline.store_ports);
        usage.first.take(memory, pipeline.memory_issues);
        usage.held = usage.first;
        return single(usage);
    };
    // A block copy of several beats shares no cycle with any other access.
    const auto alone = [&](Usage usage) {
        for (Want* want : {&usage.first, &usage.held}) {
            want->demand_idle(memory);
            want->demand_idle(gather_pipe);
            want->demand_idle(scatter_pipe);
            want->book += (kMemoryTaken - 1) << (8 * memory);
        }
        return usage;
    };
    const auto piped = [&](Usage usage, Resource pipe) {
        usage.first.take(pipe, 1);
        usage.first.avoid_block_copies();
        usage.held = usage.first;
        return single(usage);
    };
    const auto first_only = [&](Usage usage) {
        usage.first.take(first_unit, 1);
        usage.held.take(first_unit, 1);
        return usage;
    };
    const auto add_usage = [&](std::uint32_t every) {
        Usage usage = execution_usage(every, latency.add);
        usage.latency[arithmetic] = latency.forward_add_add;
        usage.latency[storing] = latency.forward_add_store;
        return usage;
    };

    usages[create_mask] = execution_usage(interval.mask_create, latency.mask_create);
    usages[mask_gen] = single(first_only(execution_usage(interval.mask_gen, latency.mask_gen)));
    usages[mask_load] = load_usage(interval.mask_load, latency.mask_load);
    usages[mask_load].latency.fill(latency.mask_load);
    usages[mask_store] = store_usage(interval.mask_store, latency.mask_store);
    usages[load] = load_usage(interval.load, latency.load);
    usages[load_pair] = single(usages[load]);
    usages[store] = store_usage(interval.store, latency.store);
    usages[block_load] = single(load_usage(interval.block_load, latency.load));
    usages[block_load_beats] = alone(usages[block_load]);
    usages[block_store] = store_usage(interval.block_store, latency.store);
    usages[block_store_beats] = alone(usages[block_store]);
    usages[gather] = piped(from_load_pipe(interval.gather, latency.gather), gather_pipe);
    usages[gather].consumer = arithmetic;  // indices take the bypass too
    usages[gather_block] = piped(from_load_pipe(interval.gather_block, latency.gather_block), gather_pipe);
    usages[gather_block].consumer = arithmetic;
    usages[gather_register] = single(first_only(execution_usage(interval.gather_register, latency.gather_register)));
    usages[scatter] = piped(memory_usage(stores, interval.scatter, latency.scatter), scatter_pipe);
    usages[add_float] = add_usage(interval.add_float);
    usages[add_half] = add_usage(interval.add_half);
    usages[add_integer] = add_usage(interval.add_integer);
    usages[duplicate] = first_only(execution_usage(interval.duplicate, latency.duplicate));

    const std::uint32_t spare =
        pipeline.physical_registers - std::min<std::uint32_t>(pipeline.physical_registers, isa::kVectorRegisters);
    for (std::uint32_t written = 1; written < register_test.size(); ++written)
        register_test[written] = queue_test(registers, spare, written);
}

void Timeline::State::next_dispatch_cycle() {
    ++dispatch;
    dispatched = 0;
    Slot& now = slot(dispatch);
    queued -= now.leaving;
    slot(dispatch - 1) = Slot{};
    now.leaving = 0;
}

void Timeline::State::dispatch_from(std::uint64_t cycle) {
    while (dispatch < cycle && dispatch < horizon) next_dispatch_cycle();
    if (dispatch < cycle) {  // nothing is booked or queued any more
        dispatch = cycle;
        dispatched = 0;
    }
}

std::uint64_t Timeline::State::take_dispatch_slot(std::uint64_t test) {
    while (dispatched >= dispatch_width || ((queued + test) & kQueueHighs) != 0) next_dispatch_cycle();
    ++dispatched;
    return dispatch;
}

std::uint64_t Timeline::State::find(Pattern pattern, const Usage& usage, std::uint64_t ready, std::uint64_t hold) {
    const auto no_room = [&](std::uint64_t at, const Want& want) {
        return ((slot(at).booked + want.test) & kByteHighs) != 0;
    };
    std::uint64_t& full = full_until[pattern];
    full = std::max(full, dispatch);
    const bool from_full = ready <= full;
    std::uint64_t cycle = from_full ? full : ready;
    while (cycle < horizon && no_room(cycle, usage.first)) ++cycle;
    if (from_full) full = cycle;
    if (hold == 1) return cycle;
    // The further cycles: past the first that has no room, start again.
    for (std::uint64_t at = cycle + 1; at < cycle + hold && at < horizon; ++at) {
        if (!no_room(at, usage.held)) continue;
        cycle = at + 1;
        while (cycle < horizon && no_room(cycle, usage.first)) ++cycle;
        at = cycle;
    }
    return cycle;
}

void Timeline::State::book(const Usage& usage, std::uint64_t issue, std::uint64_t hold) {
    const std::uint64_t end = issue + hold;
    if (end >= dispatch + kWindow) dispatch_from(end - kWindow + 1);  // dispatch stalls until the window reaches there
    horizon = std::max(horizon, end);
    if (issue >= dispatch) slot(issue).booked += usage.first.book;
    for (std::uint64_t cycle = std::max(issue + 1, dispatch); cycle < end; ++cycle)
        slot(cycle).booked += usage.held.book;
    if (issue > dispatch) {
        queued += usage.queue_book;
        slot(issue).leaving += usage.queue_book;
    }
}

void Timeline::State::rename(std::uint64_t vector_writes) {
    for_each_bit(vector_writes, [&](std::size_t number) {
        const std::uint64_t free = std::max(vector[number].ready[other], vector[number].last_read);
        if (free <= dispatch) return;
        if (free >= dispatch + kWindow) dispatch_from(free - kWindow + 1);
        horizon = std::max(horizon, free + 1);
        queued += in_queue(registers, 1);
        slot(free).leaving += in_queue(registers, 1);
    });
}

OpTimes Timeline::State::feed(Pattern pattern, const Names& names, std::uint32_t beats) {
    const Usage& usage = usages[pattern];
    const std::uint64_t more_writes = names.vector_writes & (names.vector_writes - 1);
    const std::size_t written = names.vector_writes == 0 ? 0 : more_writes == 0 ? 1 : 2;
    const std::uint64_t dispatched_at = take_dispatch_slot(usage.queue_test + register_test[written]);

    std::uint64_t ready = std::max(dispatched_at, not_before[usage.side]);
    for_each_bit(names.vector_reads,
                 [&](std::size_t number) { ready = std::max(ready, vector[number].ready[usage.consumer]); });
    for_each_bit(names.mask_reads, [&](std::size_t number) { ready = std::max(ready, mask[number]); });

    const std::uint64_t hold = std::max(usage.interval, beats);
    const std::uint64_t issue = find(pattern, usage, ready, hold);
    const std::uint64_t late = hold - usage.interval;  // the last beat's delay past what the latency includes
    const std::uint64_t complete = issue + usage.latency[other] + late;

    for_each_bit(names.vector_reads,
                 [&](std::size_t number) { vector[number].last_read = std::max(vector[number].last_read, issue); });
    book(usage, issue, hold);
    rename(names.vector_writes);
    for_each_bit(names.vector_writes, [&](std::size_t number) {
        Value& result = vector[number];
        for (std::size_t kind = 0; kind < kConsumers; ++kind) result.ready[kind] = issue + usage.latency[kind] + late;
        result.last_read = 0;
    });
    for_each_bit(names.mask_writes, [&](std::size_t number) { mask[number] = complete; });

    completed[usage.side] = std::max(completed[usage.side], complete);
    access_end[usage.side] = std::max(access_end[usage.side], issue + std::max(beats, 1U));
    vf_complete = std::max(vf_complete, complete);
    return {Cycle(dispatched_at), Cycle(issue), Cycle(complete)};
}

Timeline::Timeline(const Parameters& parameters) : state_(std::make_unique<State>(parameters)) {}
Timeline::~Timeline() = default;
Timeline::Timeline(Timeline&&) noexcept = default;
Timeline& Timeline::operator=(Timeline&&) noexcept = default;

void Timeline::reset() {
    state_->reset();
}

void Timeline::not_before(Cycle now) {
    state_->dispatch_from(now.count());
}

Cycle Timeline::vf_begin(Cycle now) {
    State& state = *state_;
    const std::uint64_t call = std::max({now.count(), state.next_call, state.dispatch});
    state.dispatch_from(call + state.parameters.pipeline.vf_start);
    state.access_end.fill(0);
    state.vf_first = state.dispatch;
    state.vf_complete = 0;
    return Cycle(state.dispatch);
}

OpTimes Timeline::vf_end() {
    State& state = *state_;
    const PipelineParameters& pipeline = state.parameters.pipeline;
    const std::uint64_t memory_end = std::max(state.access_end[load_side], state.access_end[store_side]);
    if (memory_end != 0) state.next_call = std::max(state.next_call, memory_end - 1 + pipeline.vf_overlap);
    state.next_call = std::max(state.next_call, state.dispatch);
    const std::uint64_t complete = std::max(state.vf_first, state.vf_complete) + pipeline.vf_drain;
    state.last_completion = std::max(state.last_completion, complete);
    return {Cycle(state.next_call), Cycle(state.dispatch), Cycle(complete)};
}

OpTimes Timeline::issue(const isa::Op& op, const isa::Operands& operands, std::uint32_t beats) {
    const Names names{operands.vector_reads, operands.vector_writes, operands.mask_reads, operands.mask_writes};
    return state_->feed(pattern_of(op, beats), names, beats);
}

OpTimes Timeline::barrier(isa::BarrierKind kind) {
    State& state = *state_;
    const BarrierRule rule = rule_of(kind);
    const std::uint64_t dispatched_at = state.take_dispatch_slot(0);
    std::uint64_t reached = dispatched_at;
    if (rule.after_loads) reached = std::max(reached, state.completed[load_side]);
    if (rule.after_stores) reached = std::max(reached, state.completed[store_side]);
    if (rule.holds_loads) state.not_before[load_side] = std::max(state.not_before[load_side], reached);
    if (rule.holds_stores) state.not_before[store_side] = std::max(state.not_before[store_side], reached);
    state.vf_complete = std::max(state.vf_complete, reached);
    return {Cycle(dispatched_at), Cycle(dispatched_at), Cycle(reached)};
}

OpTimes Timeline::tensor_scatter_iteration(isa::ElementType type, const TensorScatterBeats& beats) {
    State& state = *state_;
    const bool packs = isa::size_of(type) <= 2;
    const std::uint64_t source = temporary(0);
    const std::uint64_t packed = temporary(3);
    state.feed(load, {0, source, 0, 0}, std::max(1U, beats.source));
    std::uint64_t offsets = 0;
    std::uint32_t remaining = beats.offsets;
    for (std::size_t left = packs ? 2 : 1; left > 0; --left) {
        const std::uint64_t offset = temporary(left);
        const auto share = static_cast<std::uint32_t>((remaining + left - 1) / left);
        remaining -= share;
        state.feed(load, {0, offset, 0, 0}, std::max(1U, share));
        state.feed(add_integer, {offset, offset, 0, 0}, 0);  // bytes to elements
        offsets |= offset;
    }
    if (packs) state.feed(add_integer, {offsets, packed, 0, 0}, 0);
    return state.feed(scatter, {source | (packs ? packed : offsets), 0, 0, 0}, beats.scatter);
}

OpTimes Timeline::tensor(Cycle now, std::uint64_t beats) {
    State& state = *state_;
    const std::uint64_t issue = std::max({now.count(), state.last_completion, state.vf_complete});
    const std::uint64_t complete = issue + state.parameters.pipeline.tensor_head + beats;
    state.last_completion = complete;
    state.next_call = std::max(state.next_call, complete);
    return {Cycle(issue), Cycle(issue), Cycle(complete)};
}

Cycle Timeline::last_completion() const {
    return Cycle(std::max(state_->last_completion, state_->vf_complete));
}

}  // namespace vcore::timing
