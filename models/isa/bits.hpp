// Small bit and byte tools that several ops share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "models/isa/access.hpp"
#include "models/isa/registers.hpp"

namespace vcore::isa {

/// Copies a vector register's worth of bytes. In pieces, because one memcpy of a constant 256 bytes becomes a string
/// instruction that takes longer to start than the copy lasts.
inline void copy_vector(std::byte* to, const std::byte* from) {
    constexpr std::size_t kPiece = 64;
    for (std::size_t i = 0; i < kVectorBytes; i += kPiece) std::memcpy(to + i, from + i, kPiece);
}

inline void clear_vector(std::byte* to) {
    constexpr std::size_t kPiece = 64;
    for (std::size_t i = 0; i < kVectorBytes; i += kPiece) std::memset(to + i, 0, kPiece);
}

/// Position of the lowest set bit; `word` is not 0.
inline std::size_t lowest_bit(std::uint64_t word) {
    return static_cast<std::size_t>(__builtin_ctzll(word));
}

/// Calls `function(k)` for every set bit k of `words`, from the lowest up.
template <typename Function>
void for_each_bit(const std::uint64_t* words, std::size_t count, Function&& function) {
    for (std::size_t w = 0; w < count; ++w) {
        for (std::uint64_t word = words[w]; word != 0; word &= word - 1) function(w * 64 + lowest_bit(word));
    }
}

/// Calls `function(lane)` for every active lane, from the lowest up.
template <typename Function>
void for_each_active(const IndexedAccess& access, Function&& function) {
    if (access.all_active) {
        for (std::size_t lane = 0; lane < access.lanes; ++lane) function(lane);
    } else {
        for_each_bit(access.active.data(), access.active.size(), function);
    }
}

/// The bits of a mask word that count for lanes of `bytes` bytes: the lowest of each lane's group.
constexpr std::uint64_t lane_bits(std::size_t bytes) {
    switch (bytes) {
        case 1: return ~std::uint64_t{0};
        case 2: return 0x5555555555555555;
        case 4: return 0x1111111111111111;
        default: return 0x0101010101010101;
    }
}

/// Whether all lanes of `bytes` bytes are active.
inline bool all_lanes(const MaskRegister& mask, std::size_t bytes) {
    const std::uint64_t counted = lane_bits(bytes);
    return (mask.words[0] & mask.words[1] & mask.words[2] & mask.words[3] & counted) == counted;
}

/// Keeps every other bit, starting with bit 0, and closes the gaps: 64 bits become 32.
constexpr std::uint64_t even_bits(std::uint64_t word) {
    word &= 0x5555555555555555;
    word = (word | (word >> 1)) & 0x3333333333333333;
    word = (word | (word >> 2)) & 0x0F0F0F0F0F0F0F0F;
    word = (word | (word >> 4)) & 0x00FF00FF00FF00FF;
    word = (word | (word >> 8)) & 0x0000FFFF0000FFFF;
    return (word | (word >> 16)) & 0x00000000FFFFFFFF;
}

/// The inverse of even_bits: the low 32 bits move to the even positions, odd ones are 0.
constexpr std::uint64_t spread_bits(std::uint64_t word) {
    word &= 0x00000000FFFFFFFF;
    word = (word | (word << 16)) & 0x0000FFFF0000FFFF;
    word = (word | (word << 8)) & 0x00FF00FF00FF00FF;
    word = (word | (word << 4)) & 0x0F0F0F0F0F0F0F0F;
    word = (word | (word << 2)) & 0x3333333333333333;
    return (word | (word << 1)) & 0x5555555555555555;
}

/// Sums and products of addresses that stay at the ends of the 64-bit range instead of wrapping.
inline std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    return b < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}
inline std::int64_t saturating_multiply(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    if (!__builtin_mul_overflow(a, b, &product)) return product;
    return (a < 0) != (b < 0) ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}

}  // namespace vcore::isa
