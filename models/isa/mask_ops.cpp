// Ops on mask registers ("Mask register" of isa.md).
#include <algorithm>
#include <array>
#include <cstring>

#include "models/isa/bits.hpp"
#include "models/isa/execution.hpp"
#include "models/isa/faults.hpp"
#include "models/isa/type_rules.hpp"

namespace vcore::isa::detail {
namespace {

constexpr std::int64_t kMaskBytes = sizeof(MaskRegister);

/// Sets the lowest bit of the lanes below `count`.
MaskRegister first_lanes(std::size_t count, std::size_t lane_bytes) {
    MaskRegister mask;
    std::size_t bits = count * lane_bytes;
    for (std::size_t w = 0; w < mask.words.size() && bits != 0; ++w) {
        const std::size_t here = std::min<std::size_t>(bits, 64);
        mask.words[w] = lane_bits(lane_bytes) & (~std::uint64_t{0} >> (64 - here));
        bits -= here;
    }
    return mask;
}

MaskRegister every_nth(std::size_t step, std::size_t lanes, std::size_t lane_bytes) {
    MaskRegister mask;
    for (std::size_t lane = 0; lane < lanes; lane += step) mask.set_bit(lane * lane_bytes);
    return mask;
}

MaskRegister pattern_mask(MaskPattern pattern, ElementType type) {
    const std::size_t bytes = size_of(type);
    const std::size_t lanes = lanes_of(type);
    const auto first = [&](std::size_t count) { return first_lanes(std::min(count, lanes), bytes); };
    switch (pattern) {
        case MaskPattern::all: return first(lanes);
        case MaskPattern::vl1: return first(1);
        case MaskPattern::vl2: return first(2);
        case MaskPattern::vl3: return first(3);
        case MaskPattern::vl4: return first(4);
        case MaskPattern::vl8: return first(8);
        case MaskPattern::vl16: return first(16);
        case MaskPattern::vl32: return first(32);
        case MaskPattern::vl64: return first(64);
        case MaskPattern::vl128: return first(128);
        case MaskPattern::m3: return every_nth(3, lanes, bytes);
        case MaskPattern::m4: return every_nth(4, lanes, bytes);
        case MaskPattern::h: return first(lanes / 2);
        case MaskPattern::q: return first(lanes / 4);
        case MaskPattern::allf: return {};
    }
    return {};
}

/// A 64-bit pair has 64 lanes; its masks are read as those of 32-bit lanes.
std::size_t mask_lane_bytes(const UpdateMask& op) {
    return op.pair ? size_of(ElementType::b32) : size_of(op.type);
}

std::int64_t parts(const MaskGen& op) {
    return size_of(op.type) == 2 ? 16 : 32;
}

struct MoveShape {
    std::int64_t bytes;
    std::int64_t alignment;
};
MoveShape shape_of(MaskLoadMode mode) {
    switch (mode) {
        case MaskLoadMode::us: return {kMaskBytes / 2, kMaskBytes / 2};
        case MaskLoadMode::ds: return {kMaskBytes * 2, kMaskBytes};
        default: return {kMaskBytes, kMaskBytes};
    }
}
MoveShape shape_of(MaskStoreMode mode) {
    if (mode == MaskStoreMode::pack) return {kMaskBytes / 2, kMaskBytes / 2};
    return {kMaskBytes, kMaskBytes};
}

Fault check_move(UbAddress address, MoveShape shape, Execution& e) {
    if (!aligned(address, shape.alignment)) return misaligned(Operand::address, address, shape.alignment);
    if (!inside(e, value(address), shape.bytes)) {
        const std::int64_t size = static_cast<std::int64_t>(e.capabilities.ub_bytes);
        const std::int64_t first = value(address) < 0 ? value(address) : std::max(value(address), size);
        return out_of_bounds(e, Operand::address, Fault::kNoLane, first);
    }
    ContiguousAccess& access = e.scratch.contiguous;
    access.address = static_cast<std::uint32_t>(value(address));
    access.bytes = static_cast<std::uint32_t>(shape.bytes);
    access.all_enabled = true;
    return {};
}

void advance(UbAddress& address, std::int64_t bytes) {
    address = UbAddress{saturating_add(value(address), bytes)};
}

}  // namespace

Fault check(const CreateMask& op, Execution& e) {
    if (!has_vector_functions(e)) return unsupported_op();
    if (!legal(op.dst)) return bad_register(Operand::dst, op.dst);
    return {};
}

void perform(CreateMask& op, Execution& e) {
    e.mask(op.dst) = pattern_mask(op.pattern, op.type);
}

Fault check(const UpdateMask& op, Execution& e) {
    constexpr std::int64_t kLargestCount = 0xFFFFFFFF;
    if (!has_vector_functions(e)) return unsupported_op();
    if (op.pair && !is_pair(op.type)) return unsupported_type(Operand::dst);
    if (!legal(op.dst)) return bad_register(Operand::dst, op.dst);
    if (op.count < 0 || op.count > kLargestCount) {
        return bad_number(DiagnosticId::bad_count, Operand::count, op.count, 0, kLargestCount);
    }
    return {};
}

void perform(UpdateMask& op, Execution& e) {
    const std::size_t lane_bytes = mask_lane_bytes(op);
    const auto lanes = static_cast<std::int64_t>(kVectorBytes / lane_bytes);
    const std::int64_t active = std::min(op.count, lanes);
    e.mask(op.dst) = first_lanes(static_cast<std::size_t>(active), lane_bytes);
    op.count -= active;
}

Fault check(const MaskGen& op, Execution& e) {
    if (!has_vector_functions(e)) return unsupported_op();
    if (!is_mask_gen(op.type)) return unsupported_type(Operand::type);
    if (!legal(op.dst)) return bad_register(Operand::dst, op.dst);
    if (!legal(op.src)) return bad_register(Operand::src, op.src);
    if (op.part < 0 || op.part >= parts(op)) {
        return bad_number(DiagnosticId::bad_part, Operand::part, op.part, 0, parts(op) - 1);
    }
    return {};
}

void perform(MaskGen& op, Execution& e) {
    const std::size_t copies = size_of(op.type);
    const std::size_t part_bytes = kMaskBytes / copies;
    std::array<std::uint64_t, 2> part{};
    std::memcpy(part.data(), e.vector(op.src).bytes.data() + static_cast<std::size_t>(op.part) * part_bytes,
                part_bytes);
    MaskRegister mask;
    for (std::size_t w = 0; w < mask.words.size(); ++w) {
        const std::size_t first_bit = w * 64 / copies;
        const std::uint64_t bits = part[first_bit / 64] >> (first_bit % 64);
        const std::uint64_t lanes = copies == 2 ? spread_bits(bits) : spread_bits(spread_bits(bits & 0xFFFF));
        mask.words[w] = copies == 2 ? lanes * 0x3 : lanes * 0xF;
    }
    e.mask(op.dst) = mask;
}

Fault check(const MaskLoad& op, Execution& e) {
    if (!has_vector_functions(e)) return unsupported_op();
    if (!legal(op.dst)) return bad_register(Operand::dst, op.dst);
    return check_move(op.address, shape_of(op.mode), e);
}

void perform(MaskLoad& op, Execution& e) {
    std::array<std::uint64_t, 8> loaded{};
    e.announce_read(e.scratch.contiguous);
    e.ub.read(e.scratch.contiguous, reinterpret_cast<std::byte*>(loaded.data()));
    MaskRegister& mask = e.mask(op.dst);
    for (std::size_t w = 0; w < mask.words.size(); ++w) {
        switch (op.mode) {
            case MaskLoadMode::us: mask.words[w] = spread_bits(loaded[w / 2] >> (w % 2 * 32)) * 0x3; break;
            case MaskLoadMode::ds: mask.words[w] = even_bits(loaded[2 * w]) | even_bits(loaded[2 * w + 1]) << 32; break;
            default: mask.words[w] = loaded[w];
        }
    }
    advance(op.address, op.post_update);
}

Fault check(const MaskStore& op, Execution& e) {
    if (!has_vector_functions(e)) return unsupported_op();
    if (!legal(op.src)) return bad_register(Operand::src, op.src);
    return check_move(op.address, shape_of(op.mode), e);
}

void perform(MaskStore& op, Execution& e) {
    std::array<std::uint64_t, 4> stored = e.mask(op.src).words;
    if (op.mode == MaskStoreMode::pack) {
        stored[0] = even_bits(stored[0]) | even_bits(stored[1]) << 32;
        stored[1] = even_bits(stored[2]) | even_bits(stored[3]) << 32;
    }
    e.announce_write(e.scratch.contiguous);
    e.ub.write(e.scratch.contiguous, reinterpret_cast<const std::byte*>(stored.data()));
    advance(op.address, op.post_update);
}

}  // namespace vcore::isa::detail
