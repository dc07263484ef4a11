// Contiguous and block-copy loads and stores ("Contiguous load and store" of isa.md).
#include <algorithm>
#include <array>
#include <cstring>

#include "models/isa/bits.hpp"
#include "models/isa/execution.hpp"
#include "models/isa/faults.hpp"
#include "models/isa/type_rules.hpp"

namespace vcore::isa::detail {
namespace {

constexpr std::int64_t kMaxBlockStride = 65535;

std::int64_t bytes_moved(const VectorOperand& operand) {
    return operand.pair ? 2 * kVectorBytes : kVectorBytes;
}

bool pair_fits(const VectorOperand& operand, ElementType type) {
    return !operand.pair || is_pair(type);
}

/// The lane of the first byte outside of the UB, and its address.
Fault first_lane_outside(const Execution& e, UbAddress address, ElementType type) {
    const auto bytes = static_cast<std::int64_t>(size_of(type));
    std::int64_t lane = 0;
    if (value(address) >= 0) {
        lane = std::max<std::int64_t>(0, (static_cast<std::int64_t>(e.capabilities.ub_bytes) - value(address)) / bytes);
    }
    return out_of_bounds(e, Operand::address, lane, saturating_add(value(address), lane * bytes));
}

void advance(UbAddress& address, std::int64_t amount, std::int64_t unit) {
    address = UbAddress{saturating_add(value(address), saturating_multiply(amount, unit))};
}

/// Byte enables of one register of `lane_bytes` wide lanes.
void enable_lanes(const MaskRegister& mask, std::size_t lane_bytes, ContiguousAccess& access) {
    const std::uint64_t lane = lane_bytes == 8 ? 0xFF : (std::uint64_t{1} << lane_bytes) - 1;
    for (std::size_t w = 0; w < mask.words.size(); ++w) {
        access.enable[w] = (mask.words[w] & lane_bits(lane_bytes)) * lane;
    }
}

/// Byte enables of a pair: the 64 lanes of the mask, as those of 32-bit elements, are 8 bytes each.
void enable_pair_lanes(const MaskRegister& mask, ContiguousAccess& access) {
    access.enable.fill(0);
    for (std::size_t lane = 0; lane < lanes_of(ElementType::b32); ++lane) {
        if (mask.active(lane, size_of(ElementType::b32))) {
            access.enable[lane / 8] |= std::uint64_t{0xFF} << (lane % 8 * 8);
        }
    }
}

bool nothing_enabled(const ContiguousAccess& access) {
    return !access.all_enabled && std::all_of(access.enable.begin(), access.enable.begin() + (access.bytes + 63) / 64,
                                              [](std::uint64_t word) { return word == 0; });
}

/// For a masked store that reaches past the UB as a whole: only enabled bytes count, and where those are inside, the
/// access is cut to them.
Fault fit_enabled(const Store& op, Execution& e) {
    ContiguousAccess& access = e.scratch.contiguous;
    const auto size = static_cast<std::int64_t>(e.capabilities.ub_bytes);
    const auto lane_bytes = static_cast<std::int64_t>(size_of(op.type));
    std::uint32_t used = 0;
    for (std::uint32_t byte = 0; byte < access.bytes; ++byte) {
        if (!access.enabled(byte)) continue;
        const std::int64_t address = saturating_add(value(op.address), byte);
        if (value(op.address) < 0 || address >= size) {
            const std::int64_t lane = byte / lane_bytes;
            return out_of_bounds(e, Operand::address, lane, saturating_add(value(op.address), lane * lane_bytes));
        }
        used = byte + 1;
    }
    access.bytes = used;
    return {};
}

void set_block_access(BlockAccess& access, UbAddress address, std::int64_t stride, std::uint8_t active) {
    access.address = static_cast<std::uint32_t>(value(address));
    access.stride_bytes = static_cast<std::uint32_t>(stride * static_cast<std::int64_t>(kBlockBytes));
    access.active = active;
}

/// Bit b: any lane of block b is active.
std::uint8_t active_blocks(const MaskRegister& mask, ElementType type) {
    std::uint8_t active = 0;
    for (std::size_t block = 0; block < kBlocksPerVector; ++block) {
        const std::uint64_t lanes = mask.words[block / 2] & lane_bits(size_of(type));
        if (static_cast<std::uint32_t>(lanes >> (block % 2 * 32)) != 0)
            active |= static_cast<std::uint8_t>(1U << block);
    }
    return active;
}

Fault check_blocks(UbAddress address, std::int64_t stride, MregId mask, ElementType type, Execution& e) {
    if (stride < 0 || stride > kMaxBlockStride) {
        return bad_number(DiagnosticId::bad_stride, Operand::stride, stride, 0, kMaxBlockStride);
    }
    if (!aligned(address, kBlockBytes)) return misaligned(Operand::address, address, kBlockBytes);
    const std::uint8_t active = active_blocks(e.mask(mask), type);
    for (std::int64_t block = 0; block < static_cast<std::int64_t>(kBlocksPerVector); ++block) {
        if (((active >> block) & 1U) == 0) continue;
        const auto distance = block * stride * static_cast<std::int64_t>(kBlockBytes);
        const std::int64_t first = saturating_add(value(address), distance);
        if (value(address) < 0 || !inside(e, first, kBlockBytes)) {
            return out_of_bounds(e, Operand::address, block, first);
        }
    }
    set_block_access(e.scratch.block, address, stride, active);
    return {};
}

}  // namespace

Fault check(const Load& op, Execution& e) {
    if (!has_vector_functions(e)) return unsupported_op();
    if (!pair_fits(op.dst, op.type)) return unsupported_type(Operand::dst);
    if (!legal(op.dst)) return bad_register(Operand::dst, op.dst);
    if (!aligned(op.address, kBlockBytes)) return misaligned(Operand::address, op.address, kBlockBytes);
    const std::int64_t bytes = bytes_moved(op.dst);
    if (!inside(e, value(op.address), bytes)) return first_lane_outside(e, op.address, op.type);
    ContiguousAccess& access = e.scratch.contiguous;
    access.address = static_cast<std::uint32_t>(value(op.address));
    access.bytes = static_cast<std::uint32_t>(bytes);
    access.all_enabled = true;
    return {};
}

void perform(Load& op, Execution& e) {
    const ContiguousAccess& access = e.scratch.contiguous;
    e.announce_read(access);
    if (op.dst.pair) {
        std::byte* data = e.scratch.data.data();
        e.ub.read(access, data);
        for (std::size_t lane = 0; lane < lanes_of(ElementType::b32); ++lane) {
            std::memcpy(e.vector(op.dst.low).bytes.data() + lane * 4, data + lane * 8, 4);
            std::memcpy(e.vector(op.dst.high).bytes.data() + lane * 4, data + lane * 8 + 4, 4);
        }
    } else {
        e.ub.read(access, e.vector(op.dst.low).bytes.data());
    }
    advance(op.address, op.post_update, static_cast<std::int64_t>(size_of(op.type)));
}

Fault check(const Store& op, Execution& e) {
    if (!has_vector_functions(e)) return unsupported_op();
    if (!pair_fits(op.src, op.type)) return unsupported_type(Operand::src);
    if (!legal(op.src)) return bad_register(Operand::src, op.src);
    if (!legal(op.mask)) return bad_register(Operand::mask, op.mask);
    if (!aligned(op.address, kBlockBytes)) return misaligned(Operand::address, op.address, kBlockBytes);

    ContiguousAccess& access = e.scratch.contiguous;
    const MaskRegister& mask = e.mask(op.mask);
    const std::size_t mask_lane_bytes = op.src.pair ? size_of(ElementType::b32) : size_of(op.type);
    const std::int64_t bytes = bytes_moved(op.src);
    access.address = static_cast<std::uint32_t>(value(op.address));
    access.bytes = static_cast<std::uint32_t>(bytes);
    access.all_enabled = all_lanes(mask, mask_lane_bytes);
    if (!access.all_enabled) {
        if (op.src.pair) {
            enable_pair_lanes(mask, access);
        } else {
            enable_lanes(mask, mask_lane_bytes, access);
        }
    }
    if (inside(e, value(op.address), bytes)) return {};
    return fit_enabled(op, e);
}

void perform(Store& op, Execution& e) {
    const ContiguousAccess& access = e.scratch.contiguous;
    if (access.bytes != 0 && !nothing_enabled(access)) {
        e.announce_write(access);
        const std::byte* data = e.vector(op.src.low).bytes.data();
        if (op.src.pair) {
            std::byte* interleaved = e.scratch.data.data();
            for (std::size_t lane = 0; lane < lanes_of(ElementType::b32); ++lane) {
                std::memcpy(interleaved + lane * 8, e.vector(op.src.low).bytes.data() + lane * 4, 4);
                std::memcpy(interleaved + lane * 8 + 4, e.vector(op.src.high).bytes.data() + lane * 4, 4);
            }
            data = interleaved;
        }
        e.ub.write(access, data);
    }
    advance(op.address, op.post_update, static_cast<std::int64_t>(size_of(op.type)));
}

Fault check(const BlockLoad& op, Execution& e) {
    if (!has_vector_functions(e)) return unsupported_op();
    if (!legal(op.dst)) return bad_register(Operand::dst, op.dst);
    if (!legal(op.mask)) return bad_register(Operand::mask, op.mask);
    return check_blocks(op.address, op.stride, op.mask, op.type, e);
}

void perform(BlockLoad& op, Execution& e) {
    std::byte* dst = e.vector(op.dst).bytes.data();
    clear_vector(dst);
    if (e.scratch.block.active != 0) {
        e.announce_read(e.scratch.block);
        e.ub.read(e.scratch.block, dst);
    }
    advance(op.address, op.post_update, kBlockBytes);
}

Fault check(const BlockStore& op, Execution& e) {
    if (!has_vector_functions(e)) return unsupported_op();
    if (!legal(op.src)) return bad_register(Operand::src, op.src);
    if (!legal(op.mask)) return bad_register(Operand::mask, op.mask);
    return check_blocks(op.address, op.stride, op.mask, op.type, e);
}

void perform(BlockStore& op, Execution& e) {
    if (e.scratch.block.active != 0) {
        e.announce_write(e.scratch.block);
        e.ub.write(e.scratch.block, e.vector(op.src).bytes.data());
    }
    advance(op.address, op.post_update, kBlockBytes);
}

}  // namespace vcore::isa::detail
