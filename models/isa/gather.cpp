// Gathers from UB and from registers ("Gather, UB to register", "GatherB", "Gather, register to register" of isa.md).
#include <algorithm>
#include <array>
#include <cstring>

#include "models/isa/bits.hpp"
#include "models/isa/execution.hpp"
#include "models/isa/faults.hpp"
#include "models/isa/indexed.hpp"
#include "models/isa/type_rules.hpp"

namespace vcore::isa::detail {
namespace {

/// The operand whose form, one register or a pair, does not fit the types; `none` where all do.
Operand misfit(const Gather& op) {
    if (op.dst.pair && !is_pair(op.dst_type)) return Operand::dst;
    return is_form(op.dst.pair, op.index_type, op.index.pair) ? Operand::none : Operand::index;
}

IndexForm form_of(const Gather& op) {
    if (is_index(op.index_type, 2)) return IndexForm::u16_by_128;
    if (is_index(op.index_type, 4)) {
        return size_of(op.src_type) == 8 && !op.dst.pair ? IndexForm::u32_by_32 : IndexForm::u32_by_64;
    }
    if (!op.index.pair) return IndexForm::u64_by_32;
    return op.dst.pair ? IndexForm::u64_pair_by_64 : IndexForm::u64_pair_by_32;
}

void clear(const VectorOperand& dst, Execution& e) {
    clear_vector(e.vector(dst.low).bytes.data());
    if (dst.pair) clear_vector(e.vector(dst.high).bytes.data());
}

/// Reads the elements through the port, packed in lane order; those of inactive lanes are 0.
const std::byte* read_packed(Execution& e) {
    const IndexedAccess& access = e.scratch.indexed;
    std::byte* data = e.scratch.data.data();
    std::memset(data, 0, std::size_t{access.lanes} * access.element_bytes);
    e.ub.read(access, data);
    return data;
}

template <typename T>
T load(const std::byte* from) {
    T element;
    std::memcpy(&element, from, sizeof(T));
    return element;
}

/// Where two neighbouring elements stand.
struct Places {
    const std::byte* even;
    const std::byte* odd;
};

/// Fills a register with elements of type Data, each zero-extended to a Slot. Where lanes are inactive, those are read
/// too, from wherever `places_at` points for them, and cleared. Slots are joined to words before they are written,
/// because who reads the register next reads more than one slot at a time.
template <typename Data, typename Slot, bool kSelect, typename PlacesAt>
void fill_slots(VectorRegister& dst, const std::byte* select, PlacesAt&& places_at) {
    constexpr std::size_t kSlots = sizeof(std::uint64_t) / sizeof(Slot);
    constexpr std::size_t kWords = kVectorBytes / sizeof(std::uint64_t);
    constexpr std::size_t kSlotBits = 8 * sizeof(Slot);
#pragma GCC unroll 4
    for (std::size_t word = 0; word < kWords; ++word) {
        std::uint64_t joined = 0;
#pragma GCC unroll 2
        for (std::size_t k = 0; k < kSlots; k += 2) {
            const Places places = places_at(word * kSlots + k);
            const std::uint64_t two = load<Data>(places.even) | std::uint64_t{load<Data>(places.odd)} << kSlotBits;
            joined |= two << (kSlotBits * k);
        }
        if constexpr (kSelect) joined &= load<std::uint64_t>(select + word * sizeof(joined));
        dst.set(word, joined);
    }
}

template <typename Data, typename Slot>
void gather_slots(VectorRegister& dst, Execution& e) {
    const IndexedAccess& access = e.scratch.indexed;
    const std::byte* select = e.scratch.lane_select.data();
    if (const std::byte* ub = e.ub.array()) {
        // Both addresses in one load: what limits this loop is how many loads a cycle can start.
        const auto in_ub = [&](std::size_t lane) {
            std::uint64_t two = 0;
            std::memcpy(&two, &access.address[lane], sizeof(two));
            return Places{ub + static_cast<std::uint32_t>(two), ub + (two >> 32)};
        };
        if (access.all_active) return fill_slots<Data, Slot, false>(dst, select, in_ub);
        return fill_slots<Data, Slot, true>(dst, select, in_ub);
    }
    const std::byte* packed = read_packed(e);
    fill_slots<Data, Slot, false>(dst, select, [&](std::size_t lane) {
        return Places{packed + lane * sizeof(Data), packed + (lane + 1) * sizeof(Data)};
    });
}

/// 64-bit elements, whole into one register or as low and high words into two.
void gather_quads(const VectorOperand& dst, Execution& e) {
    const IndexedAccess& access = e.scratch.indexed;
    const std::byte* packed = read_packed(e);
    if (!dst.pair) {
        copy_vector(e.vector(dst.low).bytes.data(), packed);
        return;
    }
    for (std::size_t lane = 0; lane < access.lanes; ++lane) {
        e.vector(dst.low).set(lane, load<std::uint32_t>(packed + lane * 8));
        e.vector(dst.high).set(lane, load<std::uint32_t>(packed + lane * 8 + 4));
    }
}

template <typename T>
void permute(const GatherRegister& op, Execution& e) {
    constexpr std::size_t kLanes = kVectorBytes / sizeof(T);
    const VectorRegister& src = e.vector(op.src);
    const VectorRegister& index = e.vector(op.index);
    VectorRegister result;
    for (std::size_t lane = 0; lane < kLanes; ++lane) result.set(lane, src.get<T>(index.get<T>(lane) % kLanes));
    copy_vector(e.vector(op.dst).bytes.data(), result.bytes.data());
}

}  // namespace

Fault check(const Gather& op, Execution& e) {
    if (!has_vector_functions(e)) return unsupported_op();
    if (!is_gather(op.dst_type, op.src_type, op.index_type)) return unsupported_type(Operand::type);
    if (const Operand operand = misfit(op); operand != Operand::none) return unsupported_type(operand);
    if (!legal(op.dst)) return bad_register(Operand::dst, op.dst);
    if (!legal(op.index)) return bad_register(Operand::index, op.index);
    if (!legal(op.mask)) return bad_register(Operand::mask, op.mask);
    if (!aligned(op.base, kBlockBytes)) return misaligned(Operand::base, op.base, kBlockBytes);
    return address_lanes({form_of(op), size_of(op.src_type), op.base, op.index, op.mask}, e);
}

void perform(Gather& op, Execution& e) {
    const IndexedAccess& access = e.scratch.indexed;
    if (access.low == access.high) return clear(op.dst, e);
    e.announce_read(access);
    VectorRegister& dst = e.vector(op.dst.low);
    const bool index16 = is_index(op.index_type, 2);
    switch (size_of(op.src_type)) {
        case 1: return gather_slots<std::uint8_t, std::uint16_t>(dst, e);
        case 2:
            return index16 ? gather_slots<std::uint16_t, std::uint16_t>(dst, e)
                           : gather_slots<std::uint16_t, std::uint32_t>(dst, e);
        case 4: return gather_slots<std::uint32_t, std::uint32_t>(dst, e);
        default: return gather_quads(op.dst, e);
    }
}

Fault check(const GatherBlock& op, Execution& e) {
    if (!has_vector_functions(e)) return unsupported_op();
    if (!legal(op.dst)) return bad_register(Operand::dst, op.dst);
    if (!legal(op.index)) return bad_register(Operand::index, op.index);
    if (!legal(op.mask)) return bad_register(Operand::mask, op.mask);
    if (!aligned(op.base, kBlockBytes)) return misaligned(Operand::base, op.base, kBlockBytes);

    IndexedAccess& access = e.scratch.indexed;
    access.base = static_cast<std::uint32_t>(value(op.base));
    access.element_bytes = kBlockBytes;
    access.lanes = kBlocksPerVector;
    access.active = {0, 0};
    access.low = access.high = 0;
    const MaskRegister& mask = e.mask(op.mask);
    const VectorRegister& index = e.vector(op.index);
    for (std::size_t block = 0; block < kBlocksPerVector; ++block) {
        access.address[block] = 0;
        if (!mask.active(block, size_of(ElementType::b32))) continue;
        const std::int64_t offset = index.get<std::uint32_t>(block);
        const std::int64_t address = saturating_add(value(op.base), offset);
        if (!aligned(offset, kBlockBytes)) {
            Fault result = misaligned(Operand::index, address, kBlockBytes);
            result.lane = static_cast<std::int32_t>(block);
            result.value = offset;
            return result;
        }
        if (value(op.base) < 0 || !inside(e, address, kBlockBytes)) {
            return out_of_bounds(e, value(op.base) < 0 ? Operand::base : Operand::index,
                                 static_cast<std::int64_t>(block), address, offset);
        }
        const auto first = static_cast<std::uint32_t>(address);
        access.address[block] = first;
        access.low = access.active[0] == 0 ? first : std::min(access.low, first);
        access.high = std::max<std::uint32_t>(access.high, first + kBlockBytes);
        access.active[0] |= std::uint64_t{1} << block;
    }
    access.all_active = access.active[0] == 0xFF;
    return {};
}

void perform(GatherBlock& op, Execution& e) {
    const IndexedAccess& access = e.scratch.indexed;
    if (access.low == access.high) return clear(op.dst, e);
    e.announce_read(access);
    copy_vector(e.vector(op.dst).bytes.data(), read_packed(e));
}

Fault check(const GatherRegister& op, Execution& e) {
    if (!has_vector_functions(e)) return unsupported_op();
    if (!is_gather_register(op.type)) return unsupported_type(Operand::type);
    if (!legal(op.dst)) return bad_register(Operand::dst, op.dst);
    if (!legal(op.src)) return bad_register(Operand::src, op.src);
    if (!legal(op.index)) return bad_register(Operand::index, op.index);
    return {};
}

void perform(GatherRegister& op, Execution& e) {
    switch (size_of(op.type)) {
        case 1: return permute<std::uint8_t>(op, e);
        case 2: return permute<std::uint16_t>(op, e);
        default: return permute<std::uint32_t>(op, e);
    }
}

}  // namespace vcore::isa::detail
