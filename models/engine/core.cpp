#include "models/engine/core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include "models/engine/hazard_detector.hpp"
#include "models/engine/unfinished_transfers.hpp"
#include "models/engine/written_map.hpp"
#include "models/isa/executor.hpp"
#include "models/timing/mte.hpp"
#include "models/timing/timeline.hpp"

namespace vcore::engine {

using isa::DiagnosticId;
using isa::Fault;
using isa::Op;
using isa::OpKind;
using timing::Cycle;
using timing::Direction;

namespace {

/// No cycle: nothing will ever happen.
constexpr Cycle kNever{~std::uint64_t{0}};

/// Bytes per access when a transfer is counted and moved: whole rows of every geometry.
constexpr std::uint32_t kTransferChunk = 256;

/// Channels of traffic beside the core's own: each carries one access after the other.
constexpr std::uint32_t kMteIn = 0;
constexpr std::uint32_t kMteOut = 1;
constexpr std::uint32_t kFirstForeign = 2;

/// Bytes of an index, which decide how many lanes a beat addresses. A tensor scatter packs the offsets of 8 and 16-bit
/// elements to 16 bits before its register scatters.
std::size_t index_bytes(const Op& op) {
    if (const auto* gather = std::get_if<isa::Gather>(&op)) return isa::size_of(gather->index_type);
    if (const auto* scatter = std::get_if<isa::Scatter>(&op)) return isa::size_of(scatter->index_type);
    if (const auto* scatter = std::get_if<isa::TensorScatter>(&op)) return isa::size_of(scatter->type) <= 2 ? 2 : 4;
    return 4;
}

/// Products that have an op, for messages.
const std::string& supported_on(const isa::Capabilities& capabilities, OpKind kind) {
    if (kind == OpKind::tensor_scatter) return capabilities.tensor_scatter_on;
    if (kind == OpKind::tensor_add) return capabilities.tensor_add_on;
    return capabilities.vector_functions_on;
}

template <typename Access>
constexpr bool kIndexed = std::is_same_v<Access, isa::IndexedAccess>;

}  // namespace

Storage::Storage(const Configuration& configuration)
    : ub_bytes_(configuration.capabilities.ub_bytes),
      vector_(isa::kVectorRegisters),
      mask_(isa::kMaskRegisters),
      ub_(ub_bytes_.data()) {}

void Storage::clear() {
    std::fill(ub_bytes_.begin(), ub_bytes_.end(), std::byte{0});
    std::fill(vector_.begin(), vector_.end(), isa::VectorRegister{});
    std::fill(mask_.begin(), mask_.end(), isa::MaskRegister{});
}

/// Everything a core knows. As the executor's sink it sees each access of an accepted op once, before its bytes move,
/// and lets bank rules, written marks and the hazard detector look at it; as the detector's listener it turns findings
/// into diagnostics.
struct Core::State final : isa::AccessSink, HazardListener, TimingListener {
    State(const Configuration& configuration_in, isa::Registers registers_in, isa::UbPort& ub_in, Mode mode)
        : configuration(configuration_in),
          registers(registers_in),
          ub(ub_in),
          executor(configuration.capabilities),
          rules(configuration.timing.ub, configuration.timing.gather_scatter),
          timeline(configuration.timing),
          footprints(configuration.timing.ub, configuration.timing.gather_scatter),
          written(configuration.capabilities.ub_bytes),
          hazards(configuration.capabilities.ub_bytes, *this) {
        statistics.banks = rules.make_counters();
        if (mode == Mode::approximately_timed) {
            approximate = std::make_unique<ApproximateTiming>(configuration.timing, statistics.banks, *this);
        }
    }

    // ---- one op
    OpResult issue(Op& op, std::uint32_t op_line, Cycle now);
    bool in_order(OpKind kind) const;
    Fault order_fault(const Op& op);
    OpResult begin_vf(Cycle now);
    OpResult end_vf();
    OpResult time_vf_op(const Op& op, Cycle now);
    OpResult feed_pipeline(const Op& op, const isa::Barrier* barrier, Cycle now);
    OpResult time_tensor_op(Cycle now);
    OpResult complete(const timing::OpTimes& times, std::uint32_t blocked_by_banks = 0);
    OpResult refuse(const Fault& fault, const Op& op, Cycle now);
    OpResult accept(const timing::OpTimes& times);
    const Statistics& collect();

    // ---- transfers
    DiagnosticId check_transfer(const TransferRequest& request);
    OpResult transfer(const TransferRequest& request, std::byte* data, Cycle now);
    void move(const TransferRequest& request, std::byte* data);
    Cycle finish();

    // ---- warnings
    void warn(const Fault& fault) { warn(fault, *current); }
    void warn(const Fault& fault, const Op& op);
    void warn_of_unwritten_registers();
    void warn_of_notes();
    bool reads_vectors() const;
    void warn_of_unwritten_bytes(const TransferRequest& request, std::int64_t address);
    template <typename MakeMessage>
    void record(const Fault& fault, OpKind kind, std::uint32_t at_line, std::uint32_t other_line, MakeMessage message);

    // ---- AccessSink and HazardListener
    void on_read(const isa::ContiguousAccess& access) override { load(access); }
    void on_write(const isa::ContiguousAccess& access) override { store(access); }
    void on_read(const isa::BlockAccess& access) override { load(access); }
    void on_write(const isa::BlockAccess& access) override { store(access); }
    void on_read(const isa::IndexedAccess& access) override { load(access); }
    void on_write(const isa::IndexedAccess& access) override { store(access); }
    void on_hazard(HazardKind kind, std::uint32_t earlier_line, std::uint32_t address) override;

    // ---- TimingListener: what the approximately-timed pipeline has found out
    void on_op(const OpRecord& record) override;
    void on_traffic(std::uint32_t id, Cycle complete) override;
    void on_deadlock(const timing::Deadlock& deadlock) override;
    template <typename Access>
    void look_at_transfers(const Access& access, Direction direction);
    template <typename Access>
    void load(const Access& access);
    template <typename Access>
    std::int64_t first_unwritten(const Access& access);
    template <typename Access>
    void store(const Access& access);
    template <typename Access>
    void account(const Access& access, Direction direction);
    template <typename Access>
    timing::AccessCost cost(const Access& access, Direction direction);
    void open_hazard_op();
    void tensor_access(std::uint32_t beats_of_access, Direction direction);
    template <typename Access>
    void add_access(const Access& access, Direction direction);

    const Configuration& configuration;
    isa::Registers registers;
    isa::UbPort& ub;
    isa::Executor executor;
    timing::BankRules rules;
    timing::Timeline timeline;
    timing::FootprintMaker footprints;
    WrittenMap written;
    const std::byte* content = nullptr;  // of the UB, where others write it by pointer
    HazardDetector hazards;
    UnfinishedTransfers unfinished;                  // none where hazards are not looked for
    std::unique_ptr<ApproximateTiming> approximate;  // null: loosely timed
    isa::DiagnosticLog diagnostics;
    Statistics statistics;
    TimingListener* listener = nullptr;
    std::uint64_t tickets = 0;

    bool in_vf = false;
    Cycle vf_called;                   // of the running VF
    Cycle vf_ended;                    // completion of the VF before it
    std::uint32_t vector_written = 0;  // bit k: register k has been written since reset
    std::uint8_t mask_written = 0;

    // The op being performed.
    const Op* current = nullptr;
    std::uint32_t line = 0;
    isa::Operands operands;
    isa::Notes notes;                      // kept from op to op, because it is larger than everything else here
    bool hazard_op_open = false;           // the detector has been told of it
    std::uint32_t beats = 0;               // of its accesses so far
    timing::TensorScatterBeats iteration;  // of the current iteration of a tensor scatter
    bool source_seen = false;              // in that iteration
    bool tensor_started = false;           // a tensor scatter with traffic has begun its VF
    timing::OpTimes tensor_times;          // of its last iteration
    bool add_started = false;              // a tensor add with traffic has begun
    std::uint32_t add_reads = 0;           // in the current iteration
    std::array<timing::Footprint, 3> add;  // of that iteration: both sources, the sum
    std::uint64_t tensor_blocked = 0;      // cycles in which banks held back memory-based ops, up to the latest one
    Cycle called;
};

// ---- accesses

template <typename Access>
timing::AccessCost Core::State::cost(const Access& access, Direction direction) {
    if constexpr (kIndexed<Access>) {
        return rules.cost(access, rules.lanes_per_beat(access.element_bytes, index_bytes(*current)), direction,
                          statistics.banks);
    } else {
        return rules.cost(access, direction, statistics.banks);
    }
}

void Core::State::open_hazard_op() {
    if (hazard_op_open) return;
    hazards.begin_op(line, operands);
    hazard_op_open = true;
}

/// Looks at an access of the current op on behalf of time.
template <typename Access>
void Core::State::account(const Access& access, Direction direction) {
    if (approximate) {
        if constexpr (kIndexed<Access>) {
            approximate->access(access, rules.lanes_per_beat(access.element_bytes, index_bytes(*current)), direction);
        } else {
            approximate->access(access, direction);
        }
        return;
    }
    const timing::AccessCost spent = cost(access, direction);
    statistics.sub_bank_stall_cycles += spent.sub_bank_stalls;
    beats += spent.beats;
    if (!in_vf) {
        if constexpr (!kIndexed<Access>) add_access(access, direction);
        return tensor_access(spent.beats, direction);
    }
    if constexpr (!kIndexed<Access>) {
        std::uint64_t& conflicts =
            direction == Direction::read ? statistics.load_conflict_cycles : statistics.store_conflict_cycles;
        conflicts += spent.beats > 1 ? spent.beats - 1 : 0;
    }
}

/// An op that meets bytes that a transfer beside it is still moving.
template <typename Access>
void Core::State::look_at_transfers(const Access& access, Direction direction) {
    unfinished.meet(access, direction, statistics.ops, [&](const auto& transfer, std::uint32_t byte) {
        Fault fault;
        fault.id = DiagnosticId::hazard;
        fault.address = byte;
        record(fault, isa::kind_of(*current), line, transfer.line, [&] {
            return fmt::format(
                "touches byte 0x{:X} of the transfer in line {}, which is not over; leave out `at=` there "
                "to wait for it",
                byte, transfer.line);
        });
    });
}

template <typename Access>
void Core::State::load(const Access& access) {
    account(access, Direction::read);
    if (!unfinished.empty()) look_at_transfers(access, Direction::read);
    if (configuration.uninitialised_detector) {
        const std::int64_t byte = first_unwritten(access);
        if (byte != WrittenMap::kAllWritten) {
            Fault fault;
            fault.id = DiagnosticId::uninitialised_read;
            fault.address = byte;
            warn(fault);
        }
    }
    if (in_vf && configuration.hazard_detector) {
        open_hazard_op();
        hazards.load(access);
    }
}

template <typename Access>
std::int64_t Core::State::first_unwritten(const Access& access) {
    std::int64_t byte = written.first_unwritten(access);
    while (content != nullptr && byte != WrittenMap::kAllWritten) {
        constexpr std::int64_t kBlock = isa::kBlockBytes;
        const std::byte* const block = content + byte / kBlock * kBlock;
        if (std::all_of(block, block + kBlock, [](std::byte value) { return value == std::byte{}; })) break;
        written.mark(static_cast<std::uint32_t>(block - content), static_cast<std::uint32_t>(kBlock));
        byte = written.first_unwritten(access);
    }
    return byte;
}

template <typename Access>
void Core::State::store(const Access& access) {
    account(access, Direction::write);
    if (!unfinished.empty()) look_at_transfers(access, Direction::write);
    written.mark(access);
    if (in_vf && configuration.hazard_detector) {
        open_hazard_op();
        hazards.store(access);
    }
}

/// On a product with vector functions a tensor scatter is one of its own: each iteration reads its source, then its
/// offsets, then scatters.
void Core::State::tensor_access(std::uint32_t beats_of_access, Direction direction) {
    const auto* scatter = std::get_if<isa::TensorScatter>(current);
    if (scatter == nullptr || !configuration.capabilities.vector_functions) return;
    if (!tensor_started) {
        tensor_started = true;
        timeline.vf_begin(called);
    }
    if (direction == Direction::write) {
        iteration.scatter = beats_of_access;
        tensor_times = timeline.tensor_scatter_iteration(scatter->type, iteration);
        iteration = {};
        source_seen = false;
    } else if (!source_seen) {
        iteration.source = beats_of_access;
        source_seen = true;
    } else {
        iteration.offsets += beats_of_access;
    }
}

/// Iterations of a tensor add read both sources together and write behind that: their time is not a sum of beats.
template <typename Access>
void Core::State::add_access(const Access& access, Direction direction) {
    if (isa::kind_of(*current) != OpKind::tensor_add) return;
    if (!add_started) {
        add_started = true;
        timeline.tensor_begin(called);
    }
    const bool sum = direction == Direction::write;
    footprints.make(access, direction, add[sum ? 2 : std::min(add_reads++, 1U)]);
    if (!sum) return;
    timeline.tensor_iteration(add[0], add[1], add[2]);
    add_reads = 0;
}

// ---- warnings

template <typename MakeMessage>
void Core::State::record(const Fault& fault, OpKind kind, std::uint32_t at_line, std::uint32_t other_line,
                         MakeMessage message) {
    if (diagnostics.repeat(fault.id, at_line, other_line, kind, fault.count)) return;
    isa::Diagnostic diagnostic;
    diagnostic.severity = isa::info(fault.id).severity;
    diagnostic.id = fault.id;
    diagnostic.op_index = statistics.ops;
    diagnostic.line = at_line;
    diagnostic.other_line = other_line;
    diagnostic.op = std::string(isa::name(kind));
    diagnostic.lane = fault.lane;
    diagnostic.address = fault.address;
    diagnostic.count = fault.count;
    diagnostic.message = message();
    diagnostics.add(std::move(diagnostic), kind);
}

void Core::State::warn(const Fault& fault, const Op& op) {
    record(fault, isa::kind_of(op), line, 0, [&] {
        return isa::describe(fault, op, configuration.capabilities.product,
                             supported_on(configuration.capabilities, isa::kind_of(op)));
    });
}

void Core::State::warn_of_notes() {
    for (const Fault* note : {&notes.duplicate, &notes.overlap, &notes.empty, &notes.reserved}) {
        if (*note) warn(*note);
    }
}

/// An op whose mask has no bit set looks at none of its vector registers. No op writes a mask that it reads.
bool Core::State::reads_vectors() const {
    if (operands.mask_reads == 0) return true;
    for (unsigned left = operands.mask_reads; left != 0; left &= left - 1) {
        const auto& words = registers.mask[__builtin_ctz(left)].words;
        if ((words[0] | words[1] | words[2] | words[3]) != 0) return true;
    }
    return false;
}

void Core::State::warn_of_unwritten_registers() {
    std::uint32_t vectors = operands.vector_reads & ~vector_written;
    if (vectors != 0 && !reads_vectors()) vectors = 0;
    const auto masks = static_cast<std::uint32_t>(operands.mask_reads & ~mask_written);
    if ((vectors | masks) == 0) return;
    Fault fault;
    fault.id = DiagnosticId::uninitialised_read;
    fault.operand = vectors != 0 ? isa::Operand::src : isa::Operand::mask;
    fault.value = __builtin_ctz(vectors != 0 ? vectors : masks);
    warn(fault);
}

void Core::State::warn_of_unwritten_bytes(const TransferRequest& request, std::int64_t address) {
    Fault fault;
    fault.id = DiagnosticId::uninitialised_read;
    fault.address = address;
    record(fault, OpKind::mte_out, request.line, 0,
           [&] { return fmt::format("mte.out reads byte address 0x{:X}, which was never written", address); });
}

void Core::State::on_hazard(HazardKind kind, std::uint32_t earlier_line, std::uint32_t address) {
    static constexpr const char* kBarriers[] = {"VST_VLD", "VST_VST", "VLD_VST"};
    Fault fault;
    fault.id = DiagnosticId::hazard;
    fault.address = address;
    record(fault, isa::kind_of(*current), line, earlier_line, [&] {
        return fmt::format(
            "{} with no barrier between: touches byte 0x{:X} of the access in line {}; the UB keeps no order "
            "inside a vector function, put `barrier {}` between them",
            name(kind), address, earlier_line, kBarriers[static_cast<std::size_t>(kind)]);
    });
}

// ---- one op

/// Whether an op of the kind may come now.
bool Core::State::in_order(OpKind kind) const {
    if (kind == OpKind::vf_begin) return !in_vf;
    if (kind == OpKind::vf_end) return in_vf;
    return isa::belongs_in_vf(kind) == in_vf;
}

Fault Core::State::order_fault(const Op& op) {
    // What the product lacks altogether is the more useful answer.
    const Fault fault = executor.check(op, registers, ub);
    if (fault.id == DiagnosticId::unsupported_op) return fault;
    Fault order;
    order.id = DiagnosticId::vf_order;
    return order;
}

OpResult Core::State::refuse(const Fault& fault, const Op& op, Cycle now) {
    ++statistics.refused;
    warn(fault, op);
    OpResult result;
    result.response = isa::info(fault.id).response;
    result.fault = fault.id;
    result.dispatch = result.issue = result.complete = now;
    return result;
}

OpResult Core::State::accept(const timing::OpTimes& times) {
    statistics.last_completion = std::max(statistics.last_completion, times.complete);
    OpResult result;
    result.dispatch = times.dispatch;
    result.issue = times.issue;
    result.complete = times.complete;
    result.ticket = tickets;
    return result;
}

// ---- what the approximately-timed pipeline has found out

void Core::State::on_op(const OpRecord& known) {
    statistics.last_completion = std::max(statistics.last_completion, known.complete);
    if (listener != nullptr) listener->on_op(known);
}

void Core::State::on_traffic(std::uint32_t id, Cycle complete_at) {
    statistics.last_completion = std::max(statistics.last_completion, complete_at);
    unfinished.finish(id);
    if (listener != nullptr) listener->on_traffic(id, complete_at);
}

void Core::State::on_deadlock(const timing::Deadlock& deadlock) {
    unfinished.clear();  // given up
    if (listener != nullptr) listener->on_deadlock(deadlock);
}

/// Counters that the pipeline keeps while it runs.
const Statistics& Core::State::collect() {
    if (!approximate) return statistics;
    approximate->fold_counts();
    const timing::PipelineCounters counters = approximate->pipeline().counters();
    statistics.load_conflict_cycles = counters.load_blocked + counters.tensor_read_blocked;
    statistics.store_conflict_cycles = counters.store_blocked + counters.tensor_write_blocked;
    statistics.sub_bank_stall_cycles = counters.sub_bank_stalls;
    statistics.vf_cycles = counters.vf_spans;
    statistics.causes = counters.causes;
    return statistics;
}

OpResult Core::State::begin_vf(Cycle now) {
    in_vf = true;
    vf_called = now;
    ++statistics.vf_calls;
    hazards.begin_vf();
    const Cycle first = approximate ? approximate->pipeline().vf_begin(now) : timeline.vf_begin(now);
    return accept({first, first, first});
}

OpResult Core::State::end_vf() {
    in_vf = false;
    timing::OpTimes times;
    if (approximate) {
        const timing::Pipeline::VfTimes end = approximate->pipeline().vf_end();
        times = {end.dispatch, end.dispatch, end.complete};
    } else {
        times = timeline.vf_end();
    }
    // Calls that overlap share cycles; each cycle counts once.
    const Cycle from = std::max(vf_called, std::min(vf_ended, times.complete));
    statistics.vf_cycles += (times.complete - from).count();
    vf_ended = times.complete;
    return accept(times);
}

OpResult Core::State::time_vf_op(const Op& op, Cycle now) {
    const auto* barrier = std::get_if<isa::Barrier>(&op);
    if (barrier != nullptr) hazards.barrier(barrier->kind);
    if (approximate) return feed_pipeline(op, barrier, now);
    timeline.not_before(now);
    return complete(barrier != nullptr ? timeline.barrier(barrier->kind) : timeline.issue(op, operands, beats));
}

OpResult Core::State::feed_pipeline(const Op& op, const isa::Barrier* barrier, Cycle now) {
    approximate->pipeline().advance_to(now);
    OpResult result;
    result.ticket = tickets;
    result.pending = true;
    result.dispatch = barrier != nullptr ? approximate->barrier(barrier->kind) : approximate->feed(op, operands);
    result.issue = result.complete = result.dispatch;
    return result;
}

OpResult Core::State::time_tensor_op(Cycle now) {
    if (approximate) {
        const auto blocked = [this] {
            const timing::PipelineCounters counters = approximate->pipeline().counters();
            return counters.tensor_read_blocked + counters.tensor_write_blocked;
        };
        const ApproximateTiming::TensorTimes times = approximate->end_tensor();
        const std::uint64_t blocked_now = blocked() - tensor_blocked;
        tensor_blocked += blocked_now;
        if (!configuration.capabilities.vector_functions) {
            statistics.tensor_cycles += (times.complete - times.start).count();
        }
        return complete({times.complete, times.start, times.complete}, static_cast<std::uint32_t>(blocked_now));
    }
    if (tensor_started) {
        const timing::OpTimes end = timeline.vf_end();
        return complete({end.complete, tensor_times.issue, end.complete});
    }
    if (add_started) return complete(timeline.tensor_end());
    if (beats == 0) return complete({now, now, now});  // count or repeat 0: no traffic
    return complete(timeline.tensor(now, beats));
}

/// An op whose times are known at once.
OpResult Core::State::complete(const timing::OpTimes& times, std::uint32_t blocked_by_banks) {
    if (listener != nullptr) {
        OpRecord record;
        record.ticket = tickets;
        record.line = line;
        record.kind = isa::kind_of(*current);
        record.dispatch = times.dispatch;
        record.issue = times.issue;
        record.complete = times.complete;
        const auto cycles =
            static_cast<std::uint32_t>((times.complete - std::min(times.issue, times.complete)).count());
        record.bank = std::min(cycles, blocked_by_banks);
        record.execute = cycles - record.bank;
        listener->on_op(record);
    }
    return accept(times);
}

OpResult Core::State::issue(Op& op, std::uint32_t op_line, Cycle now) {
    ++statistics.ops;
    current = &op;
    line = op_line;
    const OpKind kind = isa::kind_of(op);
    if (!in_order(kind)) return refuse(order_fault(op), op, now);
    switch (kind) {
        case OpKind::vf_begin: return begin_vf(now);
        case OpKind::vf_end: return end_vf();
        default: break;
    }

    operands = isa::operands_of(op);
    hazard_op_open = false;
    beats = 0;
    called = now;
    ++tickets;
    if (!unfinished.empty()) {
        if (approximate) approximate->pipeline().advance_to(now);
        unfinished.pass(now);
    }
    if (!in_vf) {
        iteration = {};
        source_seen = false;
        tensor_started = false;
        add_started = false;
        add_reads = 0;
    }
    if (approximate) {
        if (in_vf) {
            approximate->begin(op, tickets, line);
        } else {
            approximate->begin_tensor(op, tickets, line, configuration.capabilities.vector_functions, now);
        }
    }
    if (const Fault fault = executor.run(op, registers, ub, this, notes)) return refuse(fault, op, now);

    if (configuration.uninitialised_detector) warn_of_unwritten_registers();
    vector_written |= operands.vector_writes;
    mask_written = static_cast<std::uint8_t>(mask_written | operands.mask_writes);
    if (notes.any) warn_of_notes();
    if (!in_vf) return time_tensor_op(now);

    if (configuration.hazard_detector) open_hazard_op();
    return time_vf_op(op, now);
}

// ---- transfers

DiagnosticId Core::State::check_transfer(const TransferRequest& request) {
    const OpKind kind = request.direction == Direction::write ? OpKind::mte_in : OpKind::mte_out;
    const auto size = static_cast<std::int64_t>(configuration.capabilities.ub_bytes);
    const auto reserved = static_cast<std::int64_t>(configuration.capabilities.ub_reserved_from);
    ++statistics.ops;
    Fault fault;
    fault.operand = isa::Operand::address;
    fault.address = request.address;
    std::string message;
    if (request.bytes < 0) {
        fault.id = DiagnosticId::bad_count;
        message = fmt::format("the number of bytes is {}; it must not be negative", request.bytes);
    } else if (request.address % static_cast<std::int64_t>(isa::kBlockBytes) != 0) {
        fault.id = DiagnosticId::misaligned;
        message = fmt::format("UB address 0x{:X} must be a multiple of 32", request.address);
    } else if (request.address < 0 || request.address > size || request.bytes > size - request.address) {
        fault.id = DiagnosticId::ub_out_of_bounds;
        fault.address = std::max(size, request.address);
        if (request.address < 0) fault.address = request.address;
        message = fmt::format("{} bytes at UB address 0x{:X} do not fit: the UB ends at 0x{:X}", request.bytes,
                              request.address, size);
    } else if (request.bytes > 0 && request.address + request.bytes > reserved) {
        fault.id = DiagnosticId::reserved_ub;
        fault.address = std::max(request.address, reserved);
        message = fmt::format("touches byte 0x{:X}; bytes from 0x{:X} on are reserved", fault.address, reserved);
    }
    if (!fault) return DiagnosticId::none;
    record(fault, kind, request.line, 0, [&] { return message; });
    if (isa::info(fault.id).response == isa::Response::ok) return DiagnosticId::none;
    ++statistics.refused;
    return fault.id;
}

/// Everything called so far completes; returns when.
Cycle Core::State::finish() {
    if (approximate) {
        timing::Pipeline& pipeline = approximate->pipeline();
        for (Cycle next = pipeline.next_wakeup(); next != kNever; next = pipeline.next_wakeup()) {
            pipeline.advance_to(next);
        }
    }
    return statistics.last_completion;
}

void Core::State::move(const TransferRequest& request, std::byte* data) {
    const bool reads = request.direction == Direction::read && !request.traffic_only;
    bool looks = reads && configuration.uninitialised_detector;  // until the first byte found: one warning a transfer
    for (std::int64_t done = 0; done < request.bytes; done += kTransferChunk) {
        isa::ContiguousAccess access;
        access.address = static_cast<std::uint32_t>(request.address + done);
        access.bytes = static_cast<std::uint32_t>(std::min<std::int64_t>(kTransferChunk, request.bytes - done));
        if (!approximate) rules.cost(access, request.direction, statistics.banks);
        const std::int64_t unwritten = looks ? written.first_unwritten(access) : WrittenMap::kAllWritten;
        if (unwritten != WrittenMap::kAllWritten) {
            warn_of_unwritten_bytes(request, unwritten);
            looks = false;
        }
        // Traffic that carries no bytes of ours stands for some that somebody has.
        if (request.direction == Direction::write) written.mark(access);
        if (data == nullptr) continue;
        if (request.direction == Direction::write) {
            ub.write(access, data + done);
        } else {
            ub.read(access, data + done);
        }
    }
}

OpResult Core::State::transfer(const TransferRequest& request, std::byte* data, Cycle now) {
    OpResult result;
    result.dispatch = result.issue = result.complete = now;
    result.fault = check_transfer(request);
    if (result.fault != DiagnosticId::none) {
        result.response = isa::info(result.fault).response;
        return result;
    }
    // What went before must have completed, unless the transfer is meant to run beside it.
    if (!request.beside) now = std::max(now, statistics.last_completion);
    result.issue = now;
    move(request, data);
    const timing::MteParameters& mte = configuration.timing.mte;
    const auto bytes = static_cast<std::uint32_t>(request.bytes);
    if (!approximate || bytes == 0) {
        result.complete = now + timing::mte_cycles(mte, bytes);
    } else {
        const std::uint32_t id = approximate->transfer(
            request.direction, static_cast<std::uint32_t>(request.address), bytes, mte.bytes_per_cycle,
            request.direction == Direction::write ? kMteIn : kMteOut, now + Cycle(mte.latency));
        result.ticket = id;
        result.pending = request.beside;
        if (!request.beside) result.complete = approximate->pipeline().finish_external(id);
    }
    if (!request.beside) {
        result.dispatch = result.complete;
    } else if (configuration.hazard_detector && bytes != 0) {
        const auto begin = static_cast<std::uint32_t>(request.address);
        unfinished.add({request.direction, begin, begin + bytes, request.line, result.ticket, result.complete, 0});
    }
    statistics.last_completion = std::max(statistics.last_completion, result.complete);
    return result;
}

// ---- Core

Core::Core(const Configuration& configuration, isa::Registers registers, isa::UbPort& ub, Mode mode)
    : state_(std::make_unique<State>(configuration, registers, ub, mode)) {}
Core::~Core() = default;

OpResult Core::issue(isa::Op& op, std::uint32_t line, Cycle now) {
    return state_->issue(op, line, now);
}
void Core::use_registers(isa::Registers registers) {
    state_->registers = registers;
}
bool Core::in_vf() const {
    return state_->in_vf;
}
OpResult Core::transfer(const TransferRequest& request, std::byte* data, Cycle now) {
    return state_->transfer(request, data, now);
}
DiagnosticId Core::check_transfer(const TransferRequest& request) {
    return state_->check_transfer(request);
}

void Core::mark_written(std::uint32_t address, std::uint32_t bytes) {
    state_->written.mark(address, bytes);
}
void Core::mark_written(isa::VregId id) {
    if (isa::value(id) >= 0 && isa::value(id) < isa::kVectorRegisters) state_->vector_written |= 1U << isa::value(id);
}
void Core::mark_written(isa::MregId id) {
    if (isa::value(id) < 0 || isa::value(id) >= isa::kMaskRegisters) return;
    state_->mask_written = static_cast<std::uint8_t>(state_->mask_written | (1U << isa::value(id)));
}

Mode Core::mode() const {
    return state_->approximate ? Mode::approximately_timed : Mode::loosely_timed;
}
void Core::set_listener(TimingListener* listener) {
    state_->listener = listener;
}
void Core::set_bank_listener(timing::BankListener* listener) {
    if (state_->approximate) state_->approximate->pipeline().set_bank_listener(listener);
}

bool Core::has_room(const Op& op) const {
    if (!state_->approximate || !isa::belongs_in_vf(isa::kind_of(op))) return true;
    if (isa::kind_of(op) == OpKind::barrier) return true;
    return state_->approximate->pipeline().has_room(timing::class_of(op), timing::RegisterUse(isa::operands_of(op)));
}
bool Core::all_issued() const {
    return !state_->approximate || state_->approximate->pipeline().all_issued();
}
void Core::advance_to(Cycle now) {
    if (state_->approximate) state_->approximate->pipeline().advance_to(now);
}
Cycle Core::next_wakeup() const {
    if (!state_->approximate) return Cycle(~std::uint64_t{0});
    return state_->approximate->pipeline().next_wakeup();
}
std::uint32_t Core::foreign_access(Direction direction, std::uint32_t address, std::uint32_t bytes,
                                   std::uint32_t channel, Cycle at) {
    if (!state_->approximate) return 0;
    return state_->approximate->foreign(direction, address, bytes, kFirstForeign + channel, at);
}
std::uint32_t Core::foreign_access(Direction direction, const isa::ContiguousAccess& access, std::uint32_t channel,
                                   Cycle at) {
    if (!state_->approximate) return 0;
    return state_->approximate->foreign(direction, access, kFirstForeign + channel, at);
}
Cycle Core::finish() {
    return state_->finish();
}

void Core::reset() {
    State& state = *state_;
    if (state.approximate) state.approximate->reset();
    state.timeline.reset();
    state.written.reset();
    state.hazards.begin_vf();
    state.unfinished.clear();
    state.statistics = {};
    state.statistics.banks = state.rules.make_counters();
    state.in_vf = false;
    state.tensor_blocked = 0;
    state.vf_called = state.vf_ended = Cycle();
    state.vector_written = 0;
    state.mask_written = 0;
}

void Core::watch_content(const std::byte* content) {
    state_->content = content;
}

void Core::forget_written() {
    state_->written.reset();
    state_->vector_written = 0;
    state_->mask_written = 0;
}

const Statistics& Core::statistics() const {
    return state_->collect();
}
isa::DiagnosticLog& Core::diagnostics() {
    return state_->diagnostics;
}
const Configuration& Core::configuration() const {
    return state_->configuration;
}

}  // namespace vcore::engine
