#include "models/timing/timeline.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "models/timing/op_class.hpp"
#include "models/timing/tensor_unit.hpp"

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

enum Queue : unsigned { shared, execution_ops, registers };
constexpr unsigned kQueueBits = 12;
constexpr std::uint64_t kQueueMost = 0x7FF;
constexpr std::uint64_t kQueueHighs = 0x0000000800800800U;
constexpr std::uint64_t kQueueAll = 0xFFF;

constexpr std::uint64_t in_queue(Queue queue, std::uint64_t count) {
    return count << (kQueueBits * queue);
}
/// What added to the counters overflows where `queue` cannot take `amount` more; one that could never is let in alone.
std::uint64_t queue_test(Queue queue, std::uint32_t capacity, std::uint32_t amount) {
    const std::uint64_t most = std::clamp<std::uint64_t>(capacity, 1, kQueueMost / 2);
    return in_queue(queue, kQueueMost - most + std::min<std::uint64_t>(amount, most));
}

// ---- how an op uses the pipeline

/// Which of the two sorts of access a barrier sees in the op.
enum Side : unsigned { neither, load_side, store_side };
constexpr std::size_t kSides = 3;

constexpr std::size_t index_of(Consumer consumer) {
    return static_cast<std::size_t>(consumer);
}

/// What an op of a class takes. Block copies of several beats have a usage of their own, behind those of all classes.
struct Usage {
    const ClassCost* cost = nullptr;
    Want first;  ///< in the cycle of issue
    Want held;   ///< in every further cycle
    std::uint64_t queue_test = 0;
    std::uint64_t queue_book = 0;
    Side side = neither;
    bool keeps_out = false;  ///< while it holds, no other of the usage starts
};
constexpr std::size_t kUsages = 2 * kOpClasses;

template <typename Visit>
void for_each_bit(std::uint64_t bits, Visit&& visit) {
    for (; bits != 0; bits &= bits - 1) visit(static_cast<std::size_t>(__builtin_ctzll(bits)));
}

/// The banks, for memory-based ops: nobody else wants them.
class QuietBanks final : public BankCycles {
public:
    explicit QuietBanks(const UbGeometry& geometry) : arbiter_(geometry) {}
    Arbiter& open(std::uint64_t, bool) override {
        arbiter_.begin_cycle();
        return arbiter_;
    }
    void close() override {}
    void stuck() override {}

private:
    Arbiter arbiter_;
};

}  // namespace

struct Timeline::State {
    explicit State(const Parameters& given);

    void reset();
    /// Feeds one op; `beats` cycles of its port, 0 where it touches no memory.
    OpTimes feed(OpClass op_class, const RegisterUse& names, std::uint32_t beats);
    OpTimes create_mask(const ClassCost& cost, std::uint8_t masks);

    /// Moves dispatch to `cycle` if that is later, freeing what ops that have issued by then held.
    void dispatch_from(std::uint64_t cycle);
    /// Dispatches one op as soon as `queued` plus `test` overflows no queue; returns the cycle.
    std::uint64_t take_dispatch_slot(std::uint64_t test);
    std::uint64_t register_test(std::uint64_t vector_writes) const;
    /// Earliest cycle from `ready` on in which the resources of a usage are free for `hold` cycles.
    std::uint64_t find(std::size_t usage, std::uint64_t ready, std::uint64_t hold);
    void book(const Usage& usage, std::uint64_t issue, std::uint64_t hold);
    /// Takes physical registers for what an op writes, and frees those of the values before when it completes.
    void rename(std::uint64_t vector_writes, std::uint64_t complete);
    /// A VF starts with no register renamed: values stay, physical registers do not.
    void release_registers();

    OpTimes finish_tensor(Cycle complete);

    Usage usage_of(const ClassCost& cost) const;
    void make_usages();

    void leave_queues(std::uint64_t cycle, std::uint64_t amount);
    /// The first cycle after `dispatch` in which something leaves the queues, else the next cycle.
    std::uint64_t next_leaving() const;
    /// Calls visit(entry) for the entries of `booked` in cycles [begin, end), which lie in the window.
    template <typename Visit>
    void for_each_booked(std::uint64_t begin, std::uint64_t end, Visit&& visit);
    /// Calls visit(index) for the entries of `leaving` in cycles [begin, end), which lie in the window.
    template <typename Visit>
    void for_each_leaving(std::uint64_t begin, std::uint64_t end, Visit&& visit);

    /// Cycle from which each sort of reader can issue.
    using Value = std::array<std::uint64_t, kConsumers>;

    Parameters parameters;
    std::uint32_t dispatch_width;
    ClassCosts costs;
    std::array<Usage, kUsages> usages;

    // Cycles [dispatch, dispatch + kWindow), each at its number modulo kWindow; all past `horizon` is empty.
    std::array<std::uint64_t, kWindow> booked;         // resources
    std::array<std::uint64_t, kWindow> leaving;        // what leaves the queues
    std::array<std::uint64_t, kWindow / 64> leaves{};  // bit per entry of `leaving`: it is not zero
    std::uint64_t dispatch = 0;
    std::uint32_t dispatched = 0;                     // in that cycle
    std::uint64_t queued = 0;                         // ops and registers held after `dispatch`
    std::uint64_t horizon = 0;                        // one past the last cycle with an entry
    std::uint64_t front_end_free = 0;                 // for the next creation of a mask
    std::uint64_t booked_until = 0;                   // one past the last cycle in which something is booked
    std::array<std::uint64_t, kUsages> full_until{};  // no earlier cycle has room for the usage's first cycle

    std::array<Value, kRegisterNames> vector;
    std::array<std::uint64_t, isa::kMaskRegisters> mask{};
    std::uint32_t mapped_registers = 0;              // bits set in `mapped`
    std::uint64_t mapped = 0;                        // vector registers that have been written in the running VF
    std::array<std::uint64_t, kSides> not_before{};  // barriers: no access of the side issues earlier
    std::array<std::uint64_t, kSides> completed{};   // last completion
    std::uint64_t memory_tail = 0;                   // last memory issue of the running VF, 0 before the first
    std::uint64_t issue_tail = 0;                    // its last issue of anything
    std::uint64_t vf_first = 0;                      // first dispatch of the running VF
    std::uint64_t vf_complete = 0;                   // last completion of the running VF
    std::uint64_t next_call = 0;                     // a next VF starts up from here
    std::uint64_t last_completion = 0;               // of anything before the running VF

    QuietBanks banks;
    TensorUnit tensor;
    OpTimes tensor_times;  // of the running memory-based op
};

Timeline::State::State(const Parameters& given)
    : parameters(given),
      dispatch_width(std::max(1U, given.pipeline.dispatch_width)),
      costs(class_costs(given)),
      banks(given.ub),
      tensor(given, banks) {
    make_usages();
    reset();
}

void Timeline::State::reset() {
    booked.fill(0);
    leaving.fill(0);
    leaves.fill(0);
    dispatch = 0;
    dispatched = 0;
    queued = 0;
    horizon = booked_until = front_end_free = 0;
    full_until.fill(0);
    vector.fill(Value{});
    mask.fill(0);
    not_before.fill(0);
    completed.fill(0);
    mapped = mapped_registers = 0;
    memory_tail = issue_tail = 0;
    vf_first = vf_complete = next_call = last_completion = 0;
    tensor.reset();
    tensor_times = {};
}

Usage Timeline::State::usage_of(const ClassCost& cost) const {
    const PipelineParameters& pipeline = parameters.pipeline;
    Usage usage;
    usage.cost = &cost;
    usage.queue_test = queue_test(shared, pipeline.shared_queue, 1);
    usage.queue_book = in_queue(shared, 1);
    if (cost.is_load()) usage.side = load_side;
    if (cost.is_store()) usage.side = store_side;
    switch (cost.unit) {
        case Unit::load:
            usage.held.take(load_port, pipeline.load_ports);
            usage.held.take(memory, pipeline.memory_issues);
            break;
        case Unit::store:
            usage.held.take(store_port, pipeline.store_ports);
            usage.held.take(memory, pipeline.memory_issues);
            break;
        case Unit::gather:
            usage.held.take(gather_pipe, 1);
            usage.held.avoid_block_copies();
            break;
        case Unit::scatter:
            usage.held.take(scatter_pipe, 1);
            usage.held.avoid_block_copies();
            break;
        case Unit::execution:
            usage.held.take(execution, pipeline.execution_units);
            if (cost.first_unit_only) usage.held.take(first_unit, 1);
            usage.queue_test += queue_test(execution_ops, pipeline.unit_queue * pipeline.execution_units, 1);
            usage.queue_book += in_queue(execution_ops, 1);
            break;
        case Unit::front_end: break;
    }
    usage.first = usage.held;
    if (cost.single_issue) usage.first.take(single_issue, 1);
    usage.keeps_out = ((usage.held.book + usage.first.test) & kByteHighs) != 0;
    return usage;
}

void Timeline::State::make_usages() {
    for (std::size_t op_class = 0; op_class < kOpClasses; ++op_class) {
        usages[op_class] = usage_of(costs[op_class]);
        // A block copy of several beats shares no cycle with any other access.
        Usage& several_beats = usages[kOpClasses + op_class];
        several_beats = usages[op_class];
        for (Want* want : {&several_beats.first, &several_beats.held}) {
            want->demand_idle(memory);
            want->demand_idle(gather_pipe);
            want->demand_idle(scatter_pipe);
            want->book += (kMemoryTaken - 1) << (8 * memory);
        }
    }
}

void Timeline::State::leave_queues(std::uint64_t cycle, std::uint64_t amount) {
    const std::uint64_t at = cycle % kWindow;
    queued += amount;
    leaving[at] += amount;
    leaves[at / 64] |= std::uint64_t{1} << (at % 64);
}

template <typename Visit>
void Timeline::State::for_each_leaving(std::uint64_t begin, std::uint64_t end, Visit&& visit) {
    while (begin < end) {
        const std::uint64_t at = begin % kWindow;
        const std::uint64_t length = std::min(64 - at % 64, end - begin);
        const std::uint64_t bits = leaves[at / 64] & ((~std::uint64_t{0} >> (64 - length)) << (at % 64));
        for_each_bit(bits, [&](std::size_t bit) { visit(at / 64 * 64 + bit); });
        begin += length;
    }
}

template <typename Visit>
void Timeline::State::for_each_booked(std::uint64_t begin, std::uint64_t end, Visit&& visit) {
    while (begin < end) {  // twice where the window wraps
        const std::uint64_t at = begin % kWindow;
        const std::uint64_t length = std::min(kWindow - at, end - begin);
        std::for_each_n(booked.data() + at, length, visit);
        begin += length;
    }
}

std::uint64_t Timeline::State::next_leaving() const {
    for (std::uint64_t cycle = dispatch + 1; cycle < horizon;) {
        const std::uint64_t at = cycle % kWindow;
        const std::uint64_t bits = leaves[at / 64] >> (at % 64);
        if (bits != 0) return cycle + static_cast<std::uint64_t>(__builtin_ctzll(bits));
        cycle += 64 - at % 64;
    }
    return dispatch + 1;
}

void Timeline::State::dispatch_from(std::uint64_t cycle) {
    if (cycle <= dispatch) return;
    for_each_leaving(dispatch + 1, std::min(cycle + 1, horizon), [this](std::uint64_t at) {
        queued -= leaving[at];
        leaving[at] = 0;
        leaves[at / 64] &= ~(std::uint64_t{1} << (at % 64));
    });
    for_each_booked(dispatch, std::min(cycle, booked_until), [](std::uint64_t& entry) { entry = 0; });
    dispatch = cycle;
    dispatched = 0;
}

std::uint64_t Timeline::State::take_dispatch_slot(std::uint64_t test) {
    if (dispatched >= dispatch_width) dispatch_from(dispatch + 1);
    while (((queued + test) & kQueueHighs) != 0) dispatch_from(next_leaving());
    ++dispatched;
    return dispatch;
}

/// What could never fit beside the values that stay goes when no other is on its way.
std::uint64_t Timeline::State::register_test(std::uint64_t vector_writes) const {
    if (vector_writes == 0) return 0;
    const std::uint32_t physical = parameters.pipeline.physical_registers;
    if (physical <= mapped_registers) return 0;
    std::uint32_t wanted = 0;
    for_each_bit(vector_writes, [&](std::size_t) { ++wanted; });
    return queue_test(registers, physical, std::min(wanted, physical - mapped_registers));
}

std::uint64_t Timeline::State::find(std::size_t number, std::uint64_t ready, std::uint64_t hold) {
    const Usage& usage = usages[number];
    const auto no_room = [&](std::uint64_t at, const Want& want) {
        return ((booked[at % kWindow] + want.test) & kByteHighs) != 0;
    };
    std::uint64_t& full = full_until[number];
    full = std::max(full, dispatch + 1);  // an op issues a cycle after its dispatch at the earliest
    const bool from_full = ready <= full;
    std::uint64_t cycle = from_full ? full : ready;
    while (cycle < booked_until && no_room(cycle, usage.first)) ++cycle;
    if (from_full) full = cycle;
    if (hold == 1) return cycle;
    // The further cycles: past the first that has no room, start again.
    for (std::uint64_t at = cycle + 1; at < cycle + hold && at < booked_until; ++at) {
        if (!no_room(at, usage.held)) continue;
        cycle = at + 1;
        while (cycle < booked_until && no_room(cycle, usage.first)) ++cycle;
        at = cycle;
    }
    return cycle;
}

void Timeline::State::book(const Usage& usage, std::uint64_t issue, std::uint64_t hold) {
    const std::uint64_t end = issue + hold;
    if (end >= dispatch + kWindow) dispatch_from(end - kWindow + 1);  // dispatch stalls until the window reaches there
    horizon = std::max(horizon, end);
    booked_until = std::max(booked_until, end);
    if (issue >= dispatch) booked[issue % kWindow] += usage.first.book;
    const std::uint64_t more = usage.held.book;
    for_each_booked(std::max(issue + 1, dispatch), end, [more](std::uint64_t& entry) { entry += more; });
    if (issue > dispatch) leave_queues(issue, usage.queue_book);
}

void Timeline::State::rename(std::uint64_t vector_writes, std::uint64_t complete) {
    for_each_bit(vector_writes, [&](std::size_t number) {
        const std::uint64_t bit = std::uint64_t{1} << number;
        const bool replaces = (mapped & bit) != 0;
        mapped |= bit;
        if (!replaces) {
            ++mapped_registers;
            queued += in_queue(registers, 1);
        } else if (complete > dispatch) {
            if (complete >= dispatch + kWindow) dispatch_from(complete - kWindow + 1);
            horizon = std::max(horizon, complete + 1);
            leave_queues(complete, in_queue(registers, 1));
        }
    });
}

void Timeline::State::release_registers() {
    const std::uint64_t others = ~(kQueueAll << (kQueueBits * registers));
    queued &= others;
    for_each_leaving(dispatch + 1, horizon, [&](std::uint64_t at) { leaving[at] &= others; });
    mapped = mapped_registers = 0;
}

OpTimes Timeline::State::feed(OpClass op_class, const RegisterUse& names, std::uint32_t beats) {
    const ClassCost& cost = costs[static_cast<std::size_t>(op_class)];
    if (cost.unit == Unit::front_end) return create_mask(cost, names.mask_writes);
    const std::size_t number =
        static_cast<std::size_t>(op_class) + (cost.exclusive_beats && beats > 1 ? kOpClasses : 0);
    const Usage& usage = usages[number];
    const std::uint64_t dispatched_at = take_dispatch_slot(usage.queue_test + register_test(names.vector_writes));

    std::uint64_t ready = std::max(dispatched_at + 1, not_before[usage.side]);
    const std::size_t reader = index_of(cost.consumer);
    for_each_bit(names.vector_reads, [&](std::size_t k) { ready = std::max(ready, vector[k][reader]); });
    for_each_bit(names.mask_reads, [&](std::size_t k) { ready = std::max(ready, mask[k]); });

    const std::uint64_t hold = std::max(cost.interval, beats);
    const std::uint64_t issue = find(number, ready, hold);
    // Latencies count from an undisturbed issue: what the beats take beyond the interval comes on top.
    const std::uint64_t from = issue + hold - cost.interval;
    const std::uint64_t complete = from + cost.result();

    book(usage, issue, hold);
    // Behind a long op of its own kind the next one need not look at each cycle of it.
    if (usage.keeps_out && full_until[number] == issue) full_until[number] = issue + hold;
    rename(names.vector_writes, complete);
    for_each_bit(names.vector_writes, [&](std::size_t k) {
        for (std::size_t kind = 0; kind < kConsumers; ++kind) vector[k][kind] = from + cost.latency[kind];
    });
    for_each_bit(names.mask_writes, [&](std::size_t k) { mask[k] = complete; });

    completed[usage.side] = std::max(completed[usage.side], complete);
    if (usage.side != neither) memory_tail = std::max(memory_tail, from);
    issue_tail = std::max(issue_tail, from);
    vf_complete = std::max(vf_complete, complete);
    return {Cycle(dispatched_at), Cycle(issue), Cycle(complete)};
}

OpTimes Timeline::State::create_mask(const ClassCost& cost, std::uint8_t masks) {
    const std::uint64_t dispatched_at = take_dispatch_slot(0);
    const std::uint64_t issue = std::max(dispatched_at + 1, front_end_free);
    const std::uint64_t complete = issue + cost.result();
    front_end_free = issue + cost.interval;
    for_each_bit(masks, [&](std::size_t k) { mask[k] = complete; });
    issue_tail = std::max(issue_tail, issue);
    vf_complete = std::max(vf_complete, complete);
    return {Cycle(dispatched_at), Cycle(issue), Cycle(complete)};
}

OpTimes Timeline::State::finish_tensor(Cycle complete) {
    tensor_times.complete = complete;
    last_completion = complete.count();
    next_call = std::max(next_call, last_completion);
    return tensor_times;
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
    const std::uint64_t call = std::max(now.count(), state.next_call);
    // The first op issues a cycle after it dispatched.
    state.dispatch_from(call + std::max(1U, state.parameters.pipeline.vf_start) - 1);
    state.release_registers();
    state.memory_tail = state.issue_tail = 0;
    state.vf_first = state.dispatch;
    state.vf_complete = 0;
    return Cycle(state.dispatch);
}

OpTimes Timeline::vf_end() {
    State& state = *state_;
    const PipelineParameters& pipeline = state.parameters.pipeline;
    const std::uint64_t tail = state.memory_tail != 0 ? state.memory_tail : state.issue_tail;
    state.next_call = std::max(state.vf_first, tail) + pipeline.vf_overlap;
    const std::uint64_t complete = std::max(state.vf_first, state.vf_complete) + pipeline.vf_drain;
    state.last_completion = std::max(state.last_completion, complete);
    return {Cycle(state.next_call), Cycle(state.dispatch), Cycle(complete)};
}

OpTimes Timeline::issue(const isa::Op& op, const isa::Operands& operands, std::uint32_t beats) {
    return state_->feed(class_of(op), RegisterUse(operands), beats);
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
    // Both registers of offsets are loaded with one access of the iteration: each has its share of the beats.
    const std::uint32_t second = isa::size_of(type) <= 2 ? beats.offsets / 2 : 0;
    const auto beats_of = [&](TensorAccess access) -> std::uint32_t {
        switch (access) {
            case TensorAccess::source: return beats.source;
            case TensorAccess::first_offsets: return beats.offsets - second;
            case TensorAccess::second_offsets: return second;
            case TensorAccess::scatter: return beats.scatter;
            case TensorAccess::none: break;
        }
        return 0;
    };
    OpTimes last;
    for (const MicroOp& op : tensor_scatter_micro_ops(type)) {
        last = state_->feed(op.op_class, op.registers, beats_of(op.access));
    }
    return last;
}

OpTimes Timeline::tensor(Cycle now, std::uint64_t beats) {
    State& state = *state_;
    const Cycle issue = tensor_begin(now);
    return state.finish_tensor(issue + state.parameters.pipeline.tensor_head + beats);
}

Cycle Timeline::tensor_begin(Cycle now) {
    State& state = *state_;
    const Cycle issue(std::max({now.count(), state.last_completion, state.vf_complete}));
    state.tensor_times = {issue, issue, issue};
    state.tensor.begin(issue);
    return issue;
}

void Timeline::tensor_iteration(const Footprint& src0, const Footprint& src1, const Footprint& dst) {
    state_->tensor.iteration(src0, src1, dst);
}

OpTimes Timeline::tensor_end() {
    return state_->finish_tensor(state_->tensor.end());
}

Cycle Timeline::last_completion() const {
    return Cycle(std::max(state_->last_completion, state_->vf_complete));
}

}  // namespace vcore::timing
