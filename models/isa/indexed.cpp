#include "models/isa/indexed.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "models/isa/bits.hpp"
#include "models/isa/faults.hpp"
#include "models/isa/instruction_set.hpp"

namespace vcore::isa::detail {
namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};

/// Fills access.active from the mask register, whose lanes are `lane_bytes` wide here.
void select_lanes(const MaskRegister& mask, std::size_t lane_bytes, IndexedAccess& access) {
    const auto& words = mask.words;
    access.all_active = all_lanes(mask, lane_bytes);
    if (lane_bytes == 2) {
        access.active[0] = access.all_active ? kAll : even_bits(words[0]) | even_bits(words[1]) << 32;
        access.active[1] = access.all_active ? kAll : even_bits(words[2]) | even_bits(words[3]) << 32;
        return;
    }
    access.active[1] = 0;
    if (access.all_active) {
        access.active[0] = lane_bytes == 4 ? kAll : kAll >> 32;
        return;
    }
    const auto half = [&](std::size_t w) {
        const std::uint64_t counted = lane_bits(lane_bytes);
        const std::uint64_t twos = even_bits(words[w] & counted) | even_bits(words[w + 1] & counted) << 32;
        return lane_bytes == 4 ? even_bits(twos) : even_bits(even_bits(twos));
    };
    access.active[0] = half(0) | half(2) << (lane_bytes == 4 ? 32 : 16);
}

/// All ones where a lane is active, all zeros where it is not; several lanes at once.
template <typename Index, std::size_t kLanes>
void expand_lanes(const MaskRegister& mask, std::byte* select) {
    constexpr std::size_t kVectorSize = 16;
    constexpr std::size_t kStep = kVectorSize / sizeof(Index);
    constexpr std::size_t kLaneBits = kVectorBytes / kLanes;
    constexpr std::size_t kStepBytes = kStep * kLaneBits / 8;
    using Lanes [[gnu::vector_size(kVectorSize)]] = Index;
    Lanes lane_bit{};
    for (std::size_t k = 0; k < kStep; ++k) lane_bit[k] = static_cast<Index>(Index{1} << (k * kLaneBits));
    for (std::size_t lane = 0; lane < kLanes; lane += kStep) {
        Index piece = 0;
        std::memcpy(&piece, reinterpret_cast<const std::byte*>(mask.words.data()) + lane / kStep * kStepBytes,
                    kStepBytes);
        const auto active = ((lane_bit & piece) == lane_bit);
        std::memcpy(select + lane * sizeof(Index), &active, sizeof(active));
    }
}

/// base + index * element_bytes without wrapping.
std::int64_t full_address(const IndexOperands& operands, std::uint64_t index) {
    constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
    const auto elements = index > static_cast<std::uint64_t>(kMax) ? kMax : static_cast<std::int64_t>(index);
    const auto offset = saturating_multiply(elements, static_cast<std::int64_t>(operands.element_bytes));
    return saturating_add(value(operands.base), offset);
}

/// The fault of the lowest active lane whose index is above `limit`; `usable_base` false: of the lowest active lane.
template <typename IndexAt>
Fault first_bad_lane(const IndexOperands& operands, const Execution& e, bool usable_base, std::uint64_t limit,
                     IndexAt&& index_at) {
    const IndexedAccess& access = e.scratch.indexed;
    std::size_t lane = 0;
    while (!access.is_active(lane) || (usable_base && index_at(lane) <= limit)) ++lane;
    const std::uint64_t index = index_at(lane);
    return out_of_bounds(e, usable_base ? Operand::index : Operand::base, static_cast<std::int64_t>(lane),
                         full_address(operands, index), static_cast<std::int64_t>(index));
}

/// No index reaches the UB from a base that is negative or leaves no room for one element.
bool base_is_usable(const IndexOperands& operands, const Execution& e) {
    return inside(e, value(operands.base), static_cast<std::int64_t>(operands.element_bytes));
}

unsigned shift_of(const IndexOperands& operands) {
    return static_cast<unsigned>(lowest_bit(operands.element_bytes));
}

/// The largest index that stays inside; the base is usable.
std::uint64_t largest_index(const IndexOperands& operands, const Execution& e) {
    const std::uint64_t room = e.capabilities.ub_bytes - static_cast<std::uint64_t>(value(operands.base));
    return (room >> shift_of(operands)) - 1;
}

void set_hull(IndexedAccess& access, std::uint64_t low_index, std::uint64_t high_index) {
    access.low = access.base + static_cast<std::uint32_t>(low_index * access.element_bytes);
    access.high = access.base + static_cast<std::uint32_t>((high_index + 1) * access.element_bytes);
}

/// The extremes of the active indices. The lowest is kept as its complement, so that both are maxima and inactive
/// lanes are 0 in both.
template <typename Index>
struct Extremes {
    Index high = 0;
    Index low_complement = 0;

    Index low() const { return static_cast<Index>(~low_complement); }
};

template <typename Index>
Index index_from(const std::byte* indices, std::size_t lane) {
    Index index = 0;
    std::memcpy(&index, indices + lane * sizeof(Index), sizeof(Index));
    return index;
}

/// What a scan of narrow indices reads and writes. `select` is null where all lanes are active.
struct Scan {
    const std::byte* indices;
    const std::byte* select;
    std::uint32_t* address;
    std::uint32_t base;
    unsigned shift;
};

/// All lanes in one pass that compilers turn into vector code: addresses, and the extremes of the active indices. An
/// inactive lane's address is the base. Addresses of indices past the end wrap and must not be used.
template <typename Index, std::size_t kLanes, bool kSelect>
[[gnu::always_inline]] inline Extremes<Index> scan_lanes(const Scan& scan) {
    const std::byte* __restrict indices = scan.indices;
    const std::byte* __restrict select = scan.select;
    std::uint32_t* __restrict address = scan.address;
    const std::uint32_t base = scan.base;
    const unsigned shift = scan.shift;
    Extremes<Index> extremes;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const auto index = index_from<Index>(indices, lane);
        Index selected = static_cast<Index>(~Index{0});
        if constexpr (kSelect) selected = index_from<Index>(select, lane);
        const auto active = static_cast<Index>(index & selected);
        const auto complement = static_cast<Index>(~index & selected);
        extremes.high = std::max(extremes.high, active);
        extremes.low_complement = std::max(extremes.low_complement, complement);
        address[lane] = base + (static_cast<std::uint32_t>(active) << shift);
    }
    return extremes;
}

template <typename Index, std::size_t kLanes, bool kSelect>
Extremes<Index> scan_baseline(const Scan& scan) {
    return scan_lanes<Index, kLanes, kSelect>(scan);
}

template <typename Index, std::size_t kLanes, bool kSelect>
VCORE_FOR_AVX2 Extremes<Index> scan_avx2(const Scan& scan) {
    return scan_lanes<Index, kLanes, kSelect>(scan);
}

template <typename Index, std::size_t kLanes, bool kSelect>
Extremes<Index> scan_narrow(const Scan& scan) {
    return has_avx2() ? scan_avx2<Index, kLanes, kSelect>(scan) : scan_baseline<Index, kLanes, kSelect>(scan);
}

template <typename Index, std::size_t kLanes>
Fault address_narrow(const IndexOperands& operands, Execution& e) {
    IndexedAccess& access = e.scratch.indexed;
    const std::byte* indices = e.vector(operands.index.low).bytes.data();
    const auto index_at = [&](std::size_t lane) { return index_from<Index>(indices, lane); };
    if (!base_is_usable(operands, e)) return first_bad_lane(operands, e, false, 0, index_at);

    Scan scan{indices, nullptr, access.address.data(), access.base, shift_of(operands)};
    Extremes<Index> extremes;
    if (access.all_active) {
        extremes = scan_narrow<Index, kLanes, false>(scan);
    } else {
        expand_lanes<Index, kLanes>(e.mask(operands.mask), e.scratch.lane_select.data());
        scan.select = e.scratch.lane_select.data();
        extremes = scan_narrow<Index, kLanes, true>(scan);
    }
    const std::uint64_t limit = largest_index(operands, e);
    if (extremes.high > limit) return first_bad_lane(operands, e, true, limit, index_at);
    set_hull(access, extremes.low(), extremes.high);
    return {};
}

/// Indices of 64 bits, in one register or as low and high words in two.
template <std::size_t kLanes, bool kPair>
Fault address_wide(const IndexOperands& operands, Execution& e) {
    IndexedAccess& access = e.scratch.indexed;
    const auto index_at = [&](std::size_t lane) -> std::uint64_t {
        if constexpr (kPair) {
            const std::uint64_t high_word = e.vector(operands.index.high).get<std::uint32_t>(lane);
            return high_word << 32 | e.vector(operands.index.low).get<std::uint32_t>(lane);
        } else {
            return e.vector(operands.index.low).get<std::uint64_t>(lane);
        }
    };
    if (!base_is_usable(operands, e)) return first_bad_lane(operands, e, false, 0, index_at);

    const std::uint64_t limit = largest_index(operands, e);
    std::uint64_t low = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t high = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const bool active = access.is_active(lane);
        const std::uint64_t index = active ? index_at(lane) : 0;
        low = std::min(low, active ? index : low);
        high = std::max(high, index);
        access.address[lane] = access.base + static_cast<std::uint32_t>(index * access.element_bytes);
    }
    if (high > limit) return first_bad_lane(operands, e, true, limit, index_at);
    set_hull(access, low, high);
    return {};
}

std::size_t lanes_in(IndexForm form) {
    switch (form) {
        case IndexForm::u16_by_128: return 128;
        case IndexForm::u32_by_64:
        case IndexForm::u64_pair_by_64: return 64;
        default: return 32;
    }
}

}  // namespace

Fault address_lanes(const IndexOperands& operands, Execution& e) {
    IndexedAccess& access = e.scratch.indexed;
    const std::size_t lanes = lanes_in(operands.form);
    access.base = static_cast<std::uint32_t>(value(operands.base));
    access.element_bytes = static_cast<std::uint16_t>(operands.element_bytes);
    access.lanes = static_cast<std::uint16_t>(lanes);
    select_lanes(e.mask(operands.mask), kVectorBytes / lanes, access);
    if ((access.active[0] | access.active[1]) == 0) {
        access.low = access.high = 0;
        return {};
    }
    switch (operands.form) {
        case IndexForm::u16_by_128: return address_narrow<std::uint16_t, 128>(operands, e);
        case IndexForm::u32_by_64: return address_narrow<std::uint32_t, 64>(operands, e);
        case IndexForm::u32_by_32: return address_narrow<std::uint32_t, 32>(operands, e);
        case IndexForm::u64_by_32: return address_wide<32, false>(operands, e);
        case IndexForm::u64_pair_by_32: return address_wide<32, true>(operands, e);
        case IndexForm::u64_pair_by_64: return address_wide<64, true>(operands, e);
    }
    return {};
}

}  // namespace vcore::isa::detail
