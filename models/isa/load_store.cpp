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

/// The shape of a mode, where `norm` moves as much as the operand holds.
ModeShape shape_of(LoadMode mode, const VectorOperand& operand) {
    ModeShape shape = isa::shape_of(mode);
    if (mode == LoadMode::norm && operand.pair) shape.bytes *= 2;
    return shape;
}

/// One register or two, as the mode says; `norm` takes a pair of 64-bit elements too.
template <typename Mode>
bool pair_fits(const VectorOperand& operand, ElementType type, Mode mode) {
    if (mode == Mode::norm) return !operand.pair || is_pair(type);
    return operand.pair == isa::shape_of(mode).two_registers;
}

/// The lane of the first byte outside of the UB, and its address. Lanes are `bytes` wide, counted in memory.
Fault first_lane_outside(const Execution& e, UbAddress address, std::int64_t bytes) {
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
/// access is cut to them. Lanes are `lane_bytes` wide in memory.
Fault fit_enabled(const Store& op, std::int64_t lane_bytes, Execution& e) {
    ContiguousAccess& access = e.scratch.contiguous;
    const auto size = static_cast<std::int64_t>(e.capabilities.ub_bytes);
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

// ---- what modes do between UB and registers; `data` is what stands in UB

template <typename T>
T element(const std::byte* data, std::size_t index) {
    T result;
    std::memcpy(&result, data + index * sizeof(T), sizeof(T));
    return result;
}

/// Lane i of the register is element `pick(i)` of `data`.
template <typename T, typename Pick>
void fill(const std::byte* data, VectorRegister& dst, Pick&& pick) {
    for (std::size_t lane = 0; lane < kVectorBytes / sizeof(T); ++lane) dst.set(lane, element<T>(data, pick(lane)));
}

template <typename T>
void broadcast(const std::byte* data, VectorRegister& dst) {
    fill<T>(data, dst, [](std::size_t) { return std::size_t{0}; });
}
template <typename T>
void repeat_each(const std::byte* data, VectorRegister& dst, std::size_t times) {
    fill<T>(data, dst, [times](std::size_t lane) { return lane / times; });
}
template <typename T>
void every_other(const std::byte* data, VectorRegister& dst, std::size_t first) {
    fill<T>(data, dst, [first](std::size_t lane) { return 2 * lane + first; });
}
template <typename T>
void deinterleave(const std::byte* data, VectorRegister& even, VectorRegister& odd) {
    every_other<T>(data, even, 0);
    every_other<T>(data, odd, 1);
}
template <typename Narrow, typename Wide>
void widen(const std::byte* data, VectorRegister& dst) {
    for (std::size_t lane = 0; lane < kVectorBytes / sizeof(Wide); ++lane) {
        dst.set(lane, Wide{element<Narrow>(data, lane)});
    }
}
void repeat_block(const std::byte* data, VectorRegister& dst) {
    for (std::size_t block = 0; block < kBlocksPerVector; ++block) {
        std::memcpy(dst.bytes.data() + block * kBlockBytes, data, kBlockBytes);
    }
}

/// From what was read to the registers.
void spread(const Load& op, Execution& e) {
    using std::uint16_t;
    using std::uint32_t;
    using std::uint8_t;
    const std::byte* data = e.scratch.data.data();
    VectorRegister& dst = e.vector(op.dst.low);
    switch (op.mode) {
        case LoadMode::norm:
        case LoadMode::dintlv_b32: return deinterleave<uint32_t>(data, dst, e.vector(op.dst.high));
        case LoadMode::dintlv_b16: return deinterleave<uint16_t>(data, dst, e.vector(op.dst.high));
        case LoadMode::dintlv_b8: return deinterleave<uint8_t>(data, dst, e.vector(op.dst.high));
        case LoadMode::brc_b8: return broadcast<uint8_t>(data, dst);
        case LoadMode::brc_b16: return broadcast<uint16_t>(data, dst);
        case LoadMode::brc_b32: return broadcast<uint32_t>(data, dst);
        case LoadMode::blk: return repeat_block(data, dst);
        case LoadMode::us_b8: return repeat_each<uint8_t>(data, dst, 2);
        case LoadMode::us_b16: return repeat_each<uint16_t>(data, dst, 2);
        case LoadMode::ds_b8: return every_other<uint8_t>(data, dst, 0);
        case LoadMode::ds_b16: return every_other<uint16_t>(data, dst, 0);
        case LoadMode::unpack_b8: return widen<uint8_t, uint16_t>(data, dst);
        case LoadMode::unpack_b16: return widen<uint16_t, uint32_t>(data, dst);
        case LoadMode::unpack_b32: return widen<uint32_t, std::uint64_t>(data, dst);
        case LoadMode::unpack4_b8: return widen<uint8_t, uint32_t>(data, dst);
        case LoadMode::e2b_b16: return repeat_each<uint16_t>(data, dst, kBlockBytes / sizeof(uint16_t));
        case LoadMode::e2b_b32: return repeat_each<uint32_t>(data, dst, kBlockBytes / sizeof(uint32_t));
    }
}

template <typename T>
void interleave(const VectorRegister& even, const VectorRegister& odd, std::byte* data) {
    for (std::size_t lane = 0; lane < kVectorBytes / sizeof(T); ++lane) {
        std::memcpy(data + 2 * lane * sizeof(T), even.bytes.data() + lane * sizeof(T), sizeof(T));
        std::memcpy(data + (2 * lane + 1) * sizeof(T), odd.bytes.data() + lane * sizeof(T), sizeof(T));
    }
}
/// The lowest bytes of each element, side by side.
template <typename Wide, typename Narrow>
void narrow(const VectorRegister& src, std::byte* data) {
    for (std::size_t lane = 0; lane < kVectorBytes / sizeof(Wide); ++lane) {
        std::memcpy(data + lane * sizeof(Narrow), src.bytes.data() + lane * sizeof(Wide), sizeof(Narrow));
    }
}

/// The bytes as they are to stand in UB.
const std::byte* joined(const Store& op, Execution& e) {
    const VectorRegister& src = e.vector(op.src.low);
    std::byte* data = e.scratch.data.data();
    switch (op.mode) {
        case StoreMode::first_element_b8:
        case StoreMode::first_element_b16:
        case StoreMode::first_element_b32: return src.bytes.data();
        case StoreMode::norm:
            if (!op.src.pair) return src.bytes.data();
            interleave<std::uint32_t>(src, e.vector(op.src.high), data);
            break;
        case StoreMode::pack_b16: narrow<std::uint16_t, std::uint8_t>(src, data); break;
        case StoreMode::pack_b32: narrow<std::uint32_t, std::uint16_t>(src, data); break;
        case StoreMode::pack_b64: narrow<std::uint64_t, std::uint32_t>(src, data); break;
        case StoreMode::pack4_b32: narrow<std::uint32_t, std::uint8_t>(src, data); break;
        case StoreMode::intlv_b8: interleave<std::uint8_t>(src, e.vector(op.src.high), data); break;
        case StoreMode::intlv_b16: interleave<std::uint16_t>(src, e.vector(op.src.high), data); break;
        case StoreMode::intlv_b32: interleave<std::uint32_t>(src, e.vector(op.src.high), data); break;
    }
    return data;
}

// ---- which bytes of UB a store writes; register and mask numbers are legal, the address aligned

Fault address_stored_lanes(const Store& op, Execution& e) {
    ContiguousAccess& access = e.scratch.contiguous;
    const MaskRegister& mask = e.mask(op.mask);
    const std::size_t mask_lane_bytes = op.src.pair ? size_of(ElementType::b32) : size_of(op.type);
    const std::int64_t bytes = op.src.pair ? 2 * kVectorBytes : kVectorBytes;
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
    return fit_enabled(op, static_cast<std::int64_t>(size_of(op.type)), e);
}

Fault address_packed_lanes(const Store& op, const ModeShape& shape, Execution& e) {
    ContiguousAccess& access = e.scratch.contiguous;
    const MaskRegister& mask = e.mask(op.mask);
    access.address = static_cast<std::uint32_t>(value(op.address));
    access.bytes = shape.bytes;
    access.all_enabled = all_lanes(mask, shape.element_bytes);
    if (!access.all_enabled) {
        access.enable.fill(0);
        const std::size_t kept = shape.repacked_bytes;
        const std::uint64_t lane_bytes = (std::uint64_t{1} << kept) - 1;
        for (std::size_t lane = 0; lane < kVectorBytes / shape.element_bytes; ++lane) {
            if (!mask.active(lane, shape.element_bytes)) continue;
            access.enable[lane * kept / 64] |= lane_bytes << (lane * kept % 64);
        }
    }
    if (inside(e, value(op.address), shape.bytes)) return {};
    return fit_enabled(op, shape.repacked_bytes, e);
}

Fault address_all_stored(const Store& op, const ModeShape& shape, Execution& e) {
    if (!inside(e, value(op.address), shape.bytes)) return first_lane_outside(e, op.address, shape.element_bytes);
    ContiguousAccess& access = e.scratch.contiguous;
    access.address = static_cast<std::uint32_t>(value(op.address));
    access.bytes = shape.bytes;
    access.all_enabled = true;
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
    if (!is_load(op.mode, op.type)) return unsupported_type(Operand::type);
    if (!pair_fits(op.dst, op.type, op.mode)) return unsupported_type(Operand::dst);
    if (!legal(op.dst)) return bad_register(Operand::dst, op.dst);
    const ModeShape shape = shape_of(op.mode, op.dst);
    if (!aligned(op.address, shape.alignment)) return misaligned(Operand::address, op.address, shape.alignment);
    if (!inside(e, value(op.address), shape.bytes)) {
        const std::size_t bytes = shape.element_bytes != 0 ? shape.element_bytes : size_of(op.type);
        return first_lane_outside(e, op.address, static_cast<std::int64_t>(bytes));
    }
    ContiguousAccess& access = e.scratch.contiguous;
    access.address = static_cast<std::uint32_t>(value(op.address));
    access.bytes = shape.bytes;
    access.all_enabled = true;
    return {};
}

void perform(Load& op, Execution& e) {
    const ContiguousAccess& access = e.scratch.contiguous;
    e.announce_read(access);
    if (op.mode == LoadMode::norm && !op.dst.pair) {
        e.ub.read(access, e.vector(op.dst.low).bytes.data());
    } else {
        e.ub.read(access, e.scratch.data.data());
        spread(op, e);
    }
    advance(op.address, op.post_update, static_cast<std::int64_t>(size_of(op.type)));
}

Fault check(const Store& op, Execution& e) {
    if (!has_vector_functions(e)) return unsupported_op();
    if (!is_store(op.mode, op.type)) return unsupported_type(Operand::type);
    if (!pair_fits(op.src, op.type, op.mode)) return unsupported_type(Operand::src);
    const ModeShape shape = isa::shape_of(op.mode);
    const bool named_twice = shape.two_registers && op.src.low == op.src.high;  // interleaved with itself
    if (!legal(named_twice ? VectorOperand(op.src.low) : op.src)) return bad_register(Operand::src, op.src);
    if (shape.masked && !legal(op.mask)) return bad_register(Operand::mask, op.mask);
    if (!aligned(op.address, shape.alignment)) return misaligned(Operand::address, op.address, shape.alignment);

    if (op.mode == StoreMode::norm) return address_stored_lanes(op, e);
    return shape.masked ? address_packed_lanes(op, shape, e) : address_all_stored(op, shape, e);
}

void perform(Store& op, Execution& e) {
    const ContiguousAccess& access = e.scratch.contiguous;
    if (access.bytes != 0 && !nothing_enabled(access)) {
        e.announce_write(access);
        e.ub.write(access, joined(op, e));
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
