#include "models/engine/approximate_timing.hpp"

#include <algorithm>
#include <utility>

namespace vcore::engine {

using timing::Cycle;
using timing::Direction;

namespace {

/// Offsets of a tensor scatter that one load fetches.
constexpr std::uint32_t kVectorBytes = isa::kVectorBytes;

}  // namespace

ApproximateTiming::ApproximateTiming(const timing::Parameters& parameters, timing::BankCounters& banks,
                                     TimingListener& listener)
    : banks_(banks),
      listener_(listener),
      maker_(parameters.ub, parameters.gather_scatter),
      pipeline_(parameters, *this),
      reads_(parameters.ub.banks() + std::size_t{1}, 0),
      writes_(parameters.ub.banks() + std::size_t{1}, 0) {
    pipeline_.count_conflicts_in(&banks_.conflicts);
}

void ApproximateTiming::reset() {
    pipeline_.reset();
    std::fill(reads_.begin(), reads_.end(), 0);
    std::fill(writes_.begin(), writes_.end(), 0);
    has_footprint_ = tensor_ = false;
}

void ApproximateTiming::fold_counts() {
    const auto fold = [](std::vector<std::int64_t>& steps, std::vector<std::uint64_t>& counters) {
        std::int64_t sum = 0;
        for (std::size_t bank = 0; bank < counters.size(); ++bank) {
            sum += steps[bank];
            counters[bank] += static_cast<std::uint64_t>(sum);
        }
        std::fill(steps.begin(), steps.end(), 0);
    };
    fold(reads_, banks_.reads);
    fold(writes_, banks_.writes);
}

// ---- ops of a VF

void ApproximateTiming::begin(const isa::Op& op, std::uint64_t number, std::uint32_t line) {
    ++tag_;
    Ticket& known = ticket(tag_);
    known.number = number;
    known.line = line;
    known.kind = isa::kind_of(op);
    has_footprint_ = false;
    tensor_ = false;  // a tensor op that was refused has not ended
}

void ApproximateTiming::count(const timing::Footprint& footprint) {
    std::int64_t* const steps_of_rows = (footprint.direction == Direction::read ? reads_ : writes_).data();
    for (std::uint32_t step = 0; step < footprint.steps(); ++step) {
        for (const timing::Touch* touch = footprint.begin(step); touch != footprint.end(step); ++touch) {
            ++steps_of_rows[touch->bank];
            --steps_of_rows[touch->bank + touch->rows];
        }
    }
}

/// Further steps of a contiguous or block access are there because its own rows meet in a bank or a group.
void ApproximateTiming::count_own_conflicts(const timing::Footprint& footprint) {
    for (std::uint32_t step = 1; step < footprint.steps(); ++step) {
        footprint.for_each_row(step, [&](const timing::Touch& row) { ++banks_.conflicts[row.bank]; });
    }
}

void ApproximateTiming::access(const isa::ContiguousAccess& access, Direction direction) {
    // A second load fetches what does not fit into one register of offsets.
    if (tensor_ && as_vector_function_ && reads_seen_ == 1 && direction == Direction::read &&
        access.bytes > kVectorBytes) {
        isa::ContiguousAccess rest = access;
        rest.address += kVectorBytes;
        rest.bytes -= kVectorBytes;
        std::copy(rest.enable.begin() + kVectorBytes / 64, rest.enable.end(), rest.enable.begin());
        maker_.make(rest, direction, scatter_.second_offsets);
        count(scatter_.second_offsets);
        isa::ContiguousAccess first = access;
        first.bytes = kVectorBytes;
        maker_.make(first, direction, footprint_);
    } else {
        maker_.make(access, direction, footprint_);
    }
    count(footprint_);
    count_own_conflicts(footprint_);
    has_footprint_ = true;
    if (tensor_) tensor_access();
}

void ApproximateTiming::access(const isa::BlockAccess& access, Direction direction) {
    maker_.make(access, direction, footprint_);
    count(footprint_);
    count_own_conflicts(footprint_);
    has_footprint_ = true;
}

void ApproximateTiming::access(const isa::IndexedAccess& access, std::uint32_t lanes_per_beat, Direction direction) {
    maker_.make(access, lanes_per_beat, direction, footprint_);
    count(footprint_);
    has_footprint_ = true;
    if (tensor_) tensor_access();
}

Cycle ApproximateTiming::feed(const isa::Op& op, const isa::Operands& operands) {
    return pipeline_.feed(timing::class_of(op), timing::RegisterUse(operands), has_footprint_ ? &footprint_ : nullptr,
                          tag_);
}

Cycle ApproximateTiming::barrier(isa::BarrierKind kind) {
    return pipeline_.barrier(kind, tag_);
}

// ---- tensor ops

void ApproximateTiming::begin_tensor(const isa::Op& op, std::uint64_t number, std::uint32_t line,
                                     bool as_vector_function, Cycle now) {
    begin(op, number, line);
    tensor_ = true;
    tensor_started_ = false;
    as_vector_function_ = as_vector_function;
    tensor_is_add_ = isa::kind_of(op) == isa::OpKind::tensor_add;
    if (const auto* scatter = std::get_if<isa::TensorScatter>(&op)) tensor_type_ = scatter->type;
    tensor_called_ = now;
    reads_seen_ = 0;
}

void ApproximateTiming::start_tensor() {
    if (tensor_started_) return;
    tensor_started_ = true;
    tensor_start_ = as_vector_function_ ? pipeline_.vf_begin(tensor_called_) : pipeline_.tensor_begin(tensor_called_);
}

/// Sorts an access of a tensor op into its iteration; the write of an iteration closes it.
void ApproximateTiming::tensor_access() {
    start_tensor();
    const bool write = footprint_.direction == Direction::write;
    if (tensor_is_add_) {
        if (!write) {
            std::swap(sources_[std::min(reads_seen_++, 1U)], footprint_);
            return;
        }
        pipeline_.tensor_iteration(sources_[0], sources_[1], footprint_);
        reads_seen_ = 0;
        return;
    }
    if (!as_vector_function_) return pipeline_.tensor_access(footprint_);
    if (!write) {
        std::swap(reads_seen_ == 0   ? scatter_.source
                  : reads_seen_ == 1 ? scatter_.first_offsets
                                     : scatter_.second_offsets,
                  footprint_);
        ++reads_seen_;
        return;
    }
    std::swap(scatter_.scatter, footprint_);
    pipeline_.tensor_scatter_iteration(tensor_type_, scatter_, tag_);
    for (timing::Footprint* const used :
         {&scatter_.source, &scatter_.first_offsets, &scatter_.second_offsets, &scatter_.scatter}) {
        used->clear();
    }
    reads_seen_ = 0;
}

ApproximateTiming::TensorTimes ApproximateTiming::end_tensor() {
    if (!tensor_started_) {
        tensor_ = false;
        return {tensor_called_, tensor_called_, false};
    }
    const Cycle complete = as_vector_function_ ? pipeline_.vf_end().complete : pipeline_.tensor_end();
    tensor_ = false;  // micro-ops complete until then
    return {tensor_start_, complete, true};
}

// ---- others

std::uint32_t ApproximateTiming::transfer(Direction direction, std::uint32_t address, std::uint32_t bytes,
                                          std::uint32_t bytes_per_cycle, std::uint32_t channel, Cycle at) {
    maker_.make(address, bytes, bytes_per_cycle, direction, footprint_);
    count(footprint_);
    return start_traffic(channel, at);
}

std::uint32_t ApproximateTiming::foreign(Direction direction, std::uint32_t address, std::uint32_t bytes,
                                         std::uint32_t channel, Cycle at) {
    maker_.make(address, bytes, kVectorBytes, direction, footprint_);
    return start_traffic(channel, at);
}

std::uint32_t ApproximateTiming::foreign(Direction direction, const isa::ContiguousAccess& access,
                                         std::uint32_t channel, Cycle at) {
    maker_.make(access, direction, footprint_);
    return start_traffic(channel, at);
}

std::uint32_t ApproximateTiming::start_traffic(std::uint32_t channel, Cycle at) {
    const std::uint32_t id = ++next_traffic_;
    pipeline_.external(id, channel, footprint_, at);
    return id;
}

// ---- what has become known

void ApproximateTiming::on_op(const timing::OpTrace& trace) {
    if (tensor_) return;  // a micro-op: the tensor op is reported as a whole
    const Ticket& known = ticket(trace.tag);
    OpRecord record;
    record.ticket = known.number;
    record.line = known.line;
    record.kind = known.kind;
    record.dispatch = trace.dispatch;
    record.issue = trace.issue;
    record.complete = trace.complete;
    record.enter = trace.enter;
    record.operands = trace.operands;
    record.bank = trace.bank;
    record.port = trace.port;
    record.sub_bank = trace.sub_bank;
    record.execute = trace.execute;
    record.steps = trace.steps;
    listener_.on_op(record);
}

void ApproximateTiming::on_barrier(std::uint32_t tag, Cycle dispatch, Cycle reached) {
    const Ticket& known = ticket(tag);
    OpRecord record;
    record.ticket = known.number;
    record.line = known.line;
    record.kind = known.kind;
    record.dispatch = record.issue = dispatch;
    record.complete = std::max(dispatch, reached);
    record.operands = static_cast<std::uint32_t>((record.complete - dispatch).count());
    listener_.on_op(record);
}

void ApproximateTiming::on_external(std::uint32_t id, Cycle complete) {
    listener_.on_traffic(id, complete);
}

void ApproximateTiming::on_deadlock(const timing::Deadlock& deadlock) {
    listener_.on_deadlock(deadlock);
}

}  // namespace vcore::engine
