// Tensor scatter ("Tensor scatter" of isa.md; seed page of Scatter(ISASI)).
//
// Offsets are read once, before anything is written: that all of them are checked first and that a refused op changes
// nothing cannot be had otherwise. A scatter into its own offsets therefore uses them as they stood before it, and is
// warned about. Sources are read iteration by iteration, each before its results are written.
#include <algorithm>
#include <array>
#include <limits>

#include "models/isa/bits.hpp"
#include "models/isa/duplicates.hpp"
#include "models/isa/execution.hpp"
#include "models/isa/faults.hpp"

namespace vcore::isa::detail {
namespace {

constexpr std::int64_t kOffsetBytes = sizeof(std::uint32_t);
constexpr std::int64_t kMaxRepeat = 255;
constexpr std::int64_t kMaxStride = 255;
using LaneBits = std::array<std::uint64_t, 2>;

/// The lowest `count` bits, at most 128.
LaneBits first_bits(std::int64_t count) {
    const auto word = [](std::int64_t bits) {
        if (bits <= 0) return std::uint64_t{0};
        return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    };
    return {word(count), word(count - 64)};
}

/// Elements of one iteration: 8 blocks, but never more than 128.
std::int64_t elements_per_iteration(ElementType type) {
    return static_cast<std::int64_t>(std::min(lanes_of(type), kMaxIndexedLanes));
}

/// The op as iterations over equal pieces, whatever its form.
class Iterations {
public:
    explicit Iterations(const TensorScatter& op)
        : bytes_(static_cast<std::int64_t>(size_of(op.type))), lanes_(elements_per_iteration(op.type)), op_(op) {
        if (op.form == TensorScatterForm::count) {
            iterations_ = op.count / lanes_ + (op.count % lanes_ != 0 ? 1 : 0);
            stride_ = lanes_ * bytes_;
        } else {
            iterations_ = op.repeat;
            stride_ = op.stride * static_cast<std::int64_t>(kBlockBytes);
        }
    }

    std::int64_t element_bytes() const { return bytes_; }
    std::int64_t lanes() const { return lanes_; }
    std::int64_t count() const { return iterations_; }

    LaneBits active(std::int64_t iteration) const {
        switch (op_.form) {
            case TensorScatterForm::count: return first_bits(std::min(lanes_, op_.count - iteration * lanes_));
            case TensorScatterForm::contiguous_mask: return first_bits(static_cast<std::int64_t>(op_.mask_low));
            default: return {op_.mask_low, op_.mask_high};
        }
    }
    std::int64_t source(std::int64_t iteration) const { return saturating_add(value(op_.src), iteration * stride_); }
    std::int64_t offsets(std::int64_t iteration) const {
        return saturating_add(value(op_.offset), iteration * lanes_ * kOffsetBytes);
    }
    /// Where a byte offset leads: in 64 bits, never wrapped.
    std::int64_t target(std::uint32_t offset) const {
        return saturating_add(saturating_add(value(op_.dst), op_.base), offset);
    }

    /// Which element a fault or note is about: of the whole op in the count form, else of an iteration.
    void locate(Fault& fault, std::int64_t iteration, std::int64_t lane) const {
        if (op_.form == TensorScatterForm::count) {
            fault.lane = static_cast<std::int32_t>(iteration * lanes_ + lane);
        } else {
            fault.lane = static_cast<std::int32_t>(lane);
            fault.iteration = static_cast<std::int32_t>(iteration);
        }
    }

private:
    std::int64_t bytes_;
    std::int64_t lanes_;
    const TensorScatter& op_;
    std::int64_t iterations_ = 0;
    std::int64_t stride_ = 0;
};

/// One past the highest set bit.
std::int64_t used_lanes(const LaneBits& active) {
    if (active[1] != 0) return 128 - __builtin_clzll(active[1]);
    return active[0] != 0 ? 64 - __builtin_clzll(active[0]) : 0;
}

/// The run of the active ones among consecutive elements of `bytes` bytes.
void set_run(ContiguousAccess& access, std::int64_t address, const LaneBits& active, std::int64_t bytes) {
    const std::int64_t used = used_lanes(active);
    access.address = static_cast<std::uint32_t>(address);
    access.bytes = static_cast<std::uint32_t>(used * bytes);
    access.all_enabled = active == first_bits(used);
    if (access.all_enabled) return;
    access.enable.fill(0);
    const std::uint64_t element = bytes == 8 ? 0xFF : (std::uint64_t{1} << bytes) - 1;
    for_each_bit(active.data(), active.size(), [&](std::size_t lane) {
        const std::size_t byte = lane * static_cast<std::size_t>(bytes);
        access.enable[byte / 64] |= element << (byte % 64);
    });
}

Fault check_bit_mask(const TensorScatter& op) {
    const std::int64_t lanes = elements_per_iteration(op.type);
    const LaneBits allowed = first_bits(lanes);
    const bool stray = (op.mask_low & ~allowed[0]) != 0 || (op.mask_high & ~allowed[1]) != 0;
    if (!stray && (op.mask_low | op.mask_high) != 0) return {};
    return bad_number(DiagnosticId::bad_mask, Operand::mask, 0, 1, lanes);
}

Fault check_parameters(const TensorScatter& op) {
    if (op.form == TensorScatterForm::count) {
        if (op.count >= 0) return {};
        return bad_number(DiagnosticId::bad_count, Operand::count, op.count, 0,
                          std::numeric_limits<std::uint32_t>::max());
    }
    if (op.form == TensorScatterForm::contiguous_mask) {
        const auto elements = static_cast<std::int64_t>(op.mask_low);
        const std::int64_t lanes = elements_per_iteration(op.type);
        if (elements < 1 || elements > lanes)
            return bad_number(DiagnosticId::bad_mask, Operand::mask, elements, 1, lanes);
    } else if (const Fault fault = check_bit_mask(op)) {
        return fault;
    }
    if (op.repeat < 0 || op.repeat > kMaxRepeat) {
        return bad_number(DiagnosticId::bad_repeat, Operand::repeat, op.repeat, 0, kMaxRepeat);
    }
    if (op.stride < 0 || op.stride > kMaxStride) {
        return bad_number(DiagnosticId::bad_stride, Operand::stride, op.stride, 0, kMaxStride);
    }
    return {};
}

Fault check_alignment(const TensorScatter& op) {
    if (!aligned(op.dst, kBlockBytes)) return misaligned(Operand::dst, op.dst, kBlockBytes);
    if (!aligned(op.src, kBlockBytes)) return misaligned(Operand::src, op.src, kBlockBytes);
    if (!aligned(op.offset, kBlockBytes)) return misaligned(Operand::offset, op.offset, kBlockBytes);
    const auto bytes = static_cast<std::int64_t>(size_of(op.type));
    if (!aligned(op.base, bytes)) return misaligned(Operand::base, op.base, bytes);
    return {};
}

std::uint64_t offset_limit(const Capabilities& capabilities, ElementType type) {
    switch (size_of(type)) {
        case 1: return capabilities.offset_limit_b8;
        case 2: return capabilities.offset_limit_b16;
        default: return std::numeric_limits<std::uint32_t>::max();
    }
}

Fault check_offset(const TensorScatter& op, const Iterations& iterations, std::uint32_t offset, std::uint64_t limit,
                   const Execution& e) {
    const std::int64_t bytes = iterations.element_bytes();
    const std::int64_t target = iterations.target(offset);
    if (offset > limit) {
        return bad_number(DiagnosticId::offset_out_of_range, Operand::offset, offset, 0,
                          static_cast<std::int64_t>(limit));
    }
    if (!aligned(offset, bytes)) {
        Fault result = misaligned(Operand::offset, target, bytes);
        result.value = offset;
        return result;
    }
    if (value(op.dst) < 0 || op.base < 0 || !inside(e, target, bytes)) {
        return out_of_bounds(e, Operand::dst, 0, target, offset);
    }
    return {};
}

/// Reads the offsets of an iteration, as many of the active ones as lie in the UB, into scratch.offsets.
void read_offsets(const Iterations& iterations, std::int64_t iteration, Execution& e) {
    const std::int64_t address = iterations.offsets(iteration);
    const auto size = static_cast<std::int64_t>(e.capabilities.ub_bytes);
    if (address < 0 || address >= size) return;
    LaneBits readable = iterations.active(iteration);
    const LaneBits present = first_bits((size - address) / kOffsetBytes);
    for (std::size_t w = 0; w < readable.size(); ++w) readable[w] &= present[w];
    if ((readable[0] | readable[1]) == 0) return;
    set_run(e.scratch.contiguous, address, readable, kOffsetBytes);
    e.ub.read(e.scratch.contiguous,
              reinterpret_cast<std::byte*>(e.scratch.offsets.data() + iteration * iterations.lanes()));
}

Fault check_iteration(const TensorScatter& op, const Iterations& iterations, std::int64_t iteration, Execution& e) {
    read_offsets(iterations, iteration, e);
    const LaneBits active = iterations.active(iteration);
    const std::int64_t bytes = iterations.element_bytes();
    const std::uint64_t limit = offset_limit(e.capabilities, op.type);
    for (std::int64_t lane = 0, used = used_lanes(active); lane < used; ++lane) {
        if (((active[lane / 64] >> (lane % 64)) & 1U) == 0) continue;
        const std::int64_t source = saturating_add(iterations.source(iteration), lane * bytes);
        const std::int64_t offset = saturating_add(iterations.offsets(iteration), lane * kOffsetBytes);
        Fault fault;
        if (value(op.src) < 0 || !inside(e, source, bytes)) {
            fault = out_of_bounds(e, Operand::src, 0, source);
        } else if (value(op.offset) < 0 || !inside(e, offset, kOffsetBytes)) {
            fault = out_of_bounds(e, Operand::offset, 0, offset);
        } else {
            const std::int64_t element = iteration * iterations.lanes() + lane;
            fault = check_offset(op, iterations, e.scratch.offsets[static_cast<std::size_t>(element)], limit, e);
        }
        if (fault) {
            iterations.locate(fault, iteration, lane);
            return fault;
        }
    }
    return {};
}

/// The target of element `element`, numbered through all iterations.
std::int64_t target_of(std::size_t element, const Iterations& iterations, const Execution& e) {
    return iterations.target(e.scratch.offsets[element]);
}

/// Marks the elements that are written, one bit each in scratch.survivors, and notes those that lose their target.
void find_survivors(const Iterations& iterations, Execution& e) {
    const auto lanes = static_cast<std::size_t>(iterations.lanes());
    const auto words = static_cast<std::size_t>(iterations.count()) * lanes / 64 + 1;
    std::uint64_t* survivors = e.scratch.survivors.data();
    std::fill_n(survivors, words, 0);
    for (std::int64_t i = 0; i < iterations.count(); ++i) {
        const LaneBits active = iterations.active(i);
        const std::size_t first = static_cast<std::size_t>(i) * lanes;
        survivors[first / 64] |= active[0] << (first % 64);
        if (lanes > 64) survivors[first / 64 + 1] |= active[1];
    }
    const std::size_t shift = lowest_bit(static_cast<std::uint64_t>(iterations.element_bytes()));
    const Duplicates found = keep_survivors(
        survivors, words, e.scratch.targets, e.capabilities.scatter_duplicate,
        [&](std::size_t element) { return static_cast<std::size_t>(target_of(element, iterations, e)) >> shift; });
    if (found.losers == 0) return;
    Fault& note = e.notes.duplicate;
    note = fault(DiagnosticId::duplicate_target, Operand::offset);
    iterations.locate(note, static_cast<std::int64_t>(found.first / lanes),
                      static_cast<std::int64_t>(found.first % lanes));
    note.address = target_of(found.first, iterations, e);
    note.value = e.scratch.offsets[found.first];
    note.count = found.losers;
    e.notes.any = true;
}

bool is_active(const LaneBits& active, std::int64_t lane) {
    return ((active[static_cast<std::size_t>(lane / 64)] >> (lane % 64)) & 1U) != 0;
}

/// Whether an element at `target` is one that some iteration reads as its source. Sources and targets are both aligned
/// to elements: they meet as a whole or not at all. Iterations may lie apart, or on one another.
bool is_source(const Iterations& iterations, std::int64_t target) {
    const std::int64_t bytes = iterations.element_bytes();
    const std::int64_t span = iterations.lanes() * bytes;
    const std::int64_t stride = iterations.source(1) - iterations.source(0);
    const std::int64_t distance = target - iterations.source(0);
    if (distance < 0) return false;
    const std::int64_t last = stride == 0 ? 0 : std::min(iterations.count() - 1, distance / stride);
    for (std::int64_t i = last; i >= 0 && distance - i * stride < span; --i) {
        if (is_active(iterations.active(i), (distance - i * stride) / bytes)) return true;
    }
    return false;
}

/// Whether an element at `target` touches an offset that some iteration reads.
bool is_offset(const Iterations& iterations, std::int64_t target) {
    const std::int64_t first = target - iterations.offsets(0);
    const std::int64_t end = first + iterations.element_bytes();
    const std::int64_t lanes = iterations.lanes();
    for (std::int64_t byte = std::max<std::int64_t>(first, 0); byte < end; ++byte) {
        const std::int64_t element = byte / kOffsetBytes;
        if (element >= iterations.count() * lanes) return false;
        if (is_active(iterations.active(element / lanes), element % lanes)) return true;
    }
    return false;
}

/// Notes the first written element that lands on a source or an offset in use. A source scattered onto itself within
/// one iteration is what the vendor allows.
void find_overlap(const TensorScatter& op, const Iterations& iterations, Execution& e) {
    const bool in_place = op.src == op.dst && op.base == 0 && iterations.count() == 1;
    for (std::int64_t i = 0; i < iterations.count(); ++i) {
        const LaneBits active = iterations.active(i);
        for (std::int64_t lane = 0; lane < iterations.lanes(); ++lane) {
            if (!is_active(active, lane)) continue;
            const std::int64_t target =
                target_of(static_cast<std::size_t>(i * iterations.lanes() + lane), iterations, e);
            const bool in_source = !in_place && is_source(iterations, target);
            if (!in_source && !is_offset(iterations, target)) continue;
            e.notes.overlap = fault(DiagnosticId::overlap, in_source ? Operand::src : Operand::offset);
            e.notes.overlap.address = target;
            iterations.locate(e.notes.overlap, i, lane);
            e.notes.any = true;
            return;
        }
    }
}

/// The write of one iteration; the source run tells which elements there are, scratch.survivors which are written.
void set_targets(const Iterations& iterations, std::int64_t iteration, Execution& e) {
    IndexedAccess& access = e.scratch.indexed;
    const auto lanes = static_cast<std::size_t>(iterations.lanes());
    const std::size_t first = static_cast<std::size_t>(iteration) * lanes;
    const std::uint64_t* survivors = e.scratch.survivors.data();
    access.base = static_cast<std::uint32_t>(iterations.target(0));
    access.element_bytes = static_cast<std::uint16_t>(iterations.element_bytes());
    access.lanes = static_cast<std::uint16_t>(lanes);
    access.active[0] = survivors[first / 64] >> (first % 64);
    if (lanes < 64) access.active[0] &= first_bits(iterations.lanes())[0];
    access.active[1] = lanes > 64 ? survivors[first / 64 + 1] : 0;
    access.all_active = access.active == first_bits(iterations.lanes());
    access.low = std::numeric_limits<std::uint32_t>::max();
    access.high = 0;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        access.address[lane] = 0;
        if (!access.is_active(lane)) continue;
        const auto target = static_cast<std::uint32_t>(target_of(first + lane, iterations, e));
        access.address[lane] = target;
        access.low = std::min(access.low, target);
        access.high = std::max<std::uint32_t>(access.high, target + access.element_bytes);
    }
}

void perform_iteration(const Iterations& iterations, std::int64_t iteration, Execution& e) {
    const LaneBits active = iterations.active(iteration);
    ContiguousAccess& run = e.scratch.contiguous;
    set_run(run, iterations.offsets(iteration), active, kOffsetBytes);
    e.announce_read(run);
    set_run(run, iterations.source(iteration), active, iterations.element_bytes());
    e.announce_read(run);
    e.ub.read(run, e.scratch.data.data());
    set_targets(iterations, iteration, e);
    if ((e.scratch.indexed.active[0] | e.scratch.indexed.active[1]) == 0) return;
    e.announce_write(e.scratch.indexed);
    e.ub.write(e.scratch.indexed, e.scratch.data.data());
}

}  // namespace

Fault check(const TensorScatter& op, Execution& e) {
    const Capabilities& capabilities = e.capabilities;
    if (capabilities.tensor_scatter.empty()) return unsupported_op();
    const bool masked = op.form != TensorScatterForm::count;
    if (!capabilities.tensor_scatter.allows(op.type)) return unsupported_type(Operand::type);
    if (masked && !capabilities.tensor_scatter_masked.allows(op.type)) return unsupported_type(Operand::mask);
    if (const Fault fault = check_parameters(op)) return fault;
    if (const Fault fault = check_alignment(op)) return fault;
    const Iterations iterations(op);
    for (std::int64_t i = 0; i < iterations.count(); ++i) {
        if (const Fault fault = check_iteration(op, iterations, i, e)) return fault;
    }
    return {};
}

void perform(TensorScatter& op, Execution& e) {
    const Iterations iterations(op);
    if (iterations.count() == 0) {
        if (!e.capabilities.empty_scatter_warns) return;
        e.notes.empty =
            fault(DiagnosticId::empty_op, op.form == TensorScatterForm::count ? Operand::count : Operand::repeat);
        e.notes.any = true;
        return;
    }
    find_survivors(iterations, e);
    find_overlap(op, iterations, e);
    for (std::int64_t i = 0; i < iterations.count(); ++i) perform_iteration(iterations, i, e);
}

}  // namespace vcore::isa::detail
