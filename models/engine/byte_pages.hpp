// Sets of UB bytes as bits: what WrittenMap and HazardDetector are made of.
//
// One bit per byte, in words of 64 and pages of 256. Contiguous and block accesses are cut at page borders once and
// then handled a page at a time; indexed ones lane by lane, each lane inside one word.
// Shapes: elements of an IndexedAccess stand at multiples of their size and blocks at multiples of 32 B, as
// isa::check() demands; no such element or block lies in two words.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "models/isa/access.hpp"

namespace vcore::engine {

inline constexpr std::uint32_t kPageWords = 4;
inline constexpr std::uint32_t kWordBytes = 64;
inline constexpr std::uint32_t kPageBytes = kPageWords * kWordBytes;
inline constexpr std::uint64_t kEveryByte = ~std::uint64_t{0};

/// Bit k: byte k of a page.
using PageBits = std::array<std::uint64_t, kPageWords>;

/// Position of the lowest set bit; `bits` != 0.
inline std::uint32_t lowest_bit(std::uint64_t bits) {
    return static_cast<std::uint32_t>(__builtin_ctzll(bits));
}
/// Position of the highest set bit; `bits` != 0.
inline std::uint32_t highest_bit(std::uint64_t bits) {
    return 63U - static_cast<std::uint32_t>(__builtin_clzll(bits));
}

/// The lowest `count` bits, 0..64.
constexpr std::uint64_t low_bits(std::uint32_t count) {
    return count >= kWordBytes ? kEveryByte : (std::uint64_t{1} << count) - 1;
}

/// Whether bit `index` of a row of words is set.
template <typename Words>
bool test_bit(const Words& words, std::size_t index) {
    return ((words[index / 64] >> (index % 64)) & 1U) != 0;
}
template <typename Words>
void set_bit(Words& words, std::size_t index) {
    words[index / 64] |= std::uint64_t{1} << (index % 64);
}

/// Bits of bytes [begin, end) that lie in word `word`; the range must meet the word.
constexpr std::uint64_t range_bits(std::uint32_t begin, std::uint32_t end, std::uint32_t word) {
    const std::uint32_t first = word * kWordBytes;
    const std::uint32_t skipped = begin > first ? begin - first : 0;
    return low_bits(end - first) & ~low_bits(skipped);
}

/// Bits of an element in its word, by its size and its place. A table, because folding gathers into bitmaps is the
/// dearest thing that is done lane by lane, and shifts are slow on common machines.
class ElementBits {
public:
    constexpr ElementBits() {
        for (std::uint32_t size = 0; size < kSizes; ++size) {
            for (std::uint32_t at = 0; at < kWordBytes; ++at) bits_[size][at] = low_bits(1U << size) << at;
        }
    }
    /// Entry k: an element of `element_bytes` (1, 2, 4 … 32) at byte k of a word.
    const std::array<std::uint64_t, kWordBytes>& of(std::uint32_t element_bytes) const {
        return bits_[lowest_bit(element_bytes)];
    }

private:
    static constexpr std::uint32_t kSizes = 6;
    std::array<std::array<std::uint64_t, kWordBytes>, kSizes> bits_{};
};
inline constexpr ElementBits kElementBits;

/// Sets the bits of all active lanes in a bitmap of the UB.
inline void mark_lanes(std::uint64_t* words, const isa::IndexedAccess& access) {
    const std::array<std::uint64_t, kWordBytes>& bits = kElementBits.of(access.element_bytes);
    const auto mark = [&](std::uint32_t address) { words[address / kWordBytes] |= bits[address % kWordBytes]; };
    std::size_t lane = 0;
    if (access.all_active) {
        for (; lane + 4 <= access.lanes; lane += 4) {
            // All four addresses are read before the first mark, which might change them for all the compiler knows.
            const std::uint32_t a = access.address[lane];
            const std::uint32_t b = access.address[lane + 1];
            const std::uint32_t c = access.address[lane + 2];
            const std::uint32_t d = access.address[lane + 3];
            mark(a);
            mark(b);
            mark(c);
            mark(d);
        }
        for (; lane < access.lanes; ++lane) mark(access.address[lane]);
        return;
    }
    for (; lane < access.lanes; lane += 64) {
        std::uint64_t left = access.active[lane / 64] & low_bits(static_cast<std::uint32_t>(access.lanes - lane));
        for (; left != 0; left &= left - 1) mark(access.address[lane + lowest_bit(left)]);
    }
}

constexpr bool meet(std::uint32_t low_a, std::uint32_t high_a, std::uint32_t low_b, std::uint32_t high_b) {
    return low_a < high_b && low_b < high_a;
}

/// Calls `test(word, bits)` for each active lane, lowest lane first, until one answers true; says whether one did.
/// Words come in any order and more than once.
template <typename Test>
bool any_lane(const isa::IndexedAccess& access, Test&& test) {
    const std::uint64_t element = low_bits(access.element_bytes);
    const auto test_lane = [&](std::size_t lane) {
        const std::uint32_t address = access.address[lane];
        return test(address / kWordBytes, element << (address % kWordBytes));
    };
    if (access.all_active) {
        for (std::size_t lane = 0; lane < access.lanes; ++lane) {
            if (test_lane(lane)) return true;
        }
        return false;
    }
    for (std::size_t first = 0; first < access.lanes; first += 64) {
        std::uint64_t left = access.active[first / 64] & low_bits(static_cast<std::uint32_t>(access.lanes - first));
        for (; left != 0; left &= left - 1) {
            if (test_lane(first + lowest_bit(left))) return true;
        }
    }
    return false;
}

/// Calls `visit(word, bits)` for each active lane, lowest lane first.
template <typename Visit>
void for_each_lane(const isa::IndexedAccess& access, Visit&& visit) {
    any_lane(access, [&](std::uint32_t word, std::uint64_t bits) {
        visit(word, bits);
        return false;
    });
}

/// The bytes of a contiguous or block access, page by page in ascending order. Only the first `count` entries hold
/// anything, and none of them is empty.
struct TouchedPages {
    static constexpr std::size_t kMaxPages = 8;

    std::uint32_t low = 0;   ///< the bytes lie in [low, high)
    std::uint32_t high = 0;  ///<
    std::uint32_t count = 0;
    std::array<std::uint32_t, kMaxPages> page;  // not initialised: see count
    std::array<PageBits, kMaxPages> bits;

    void copy_from(const TouchedPages& other) {
        low = other.low;
        high = other.high;
        count = other.count;
        std::copy_n(other.page.begin(), count, page.begin());
        std::copy_n(other.bits.begin(), count, bits.begin());
    }

    std::uint64_t bits_at(std::uint32_t word) const {
        for (std::uint32_t i = 0; i < count; ++i) {
            if (page[i] == word / kPageWords) return bits[i][word % kPageWords];
        }
        return 0;
    }

    /// Calls `test(word, bits)` in ascending order for words that hold a byte until one answers true; says whether one
    /// did.
    template <typename Test>
    bool any_word(Test&& test) const {
        for (std::uint32_t i = 0; i < count; ++i) {
            for (std::uint32_t k = 0; k < kPageWords; ++k) {
                if (bits[i][k] != 0 && test(page[i] * kPageWords + k, bits[i][k])) return true;
            }
        }
        return false;
    }

    /// The same, with a page and the bits of its words.
    template <typename Test>
    bool any_page(Test&& test) const {
        for (std::uint32_t i = 0; i < count; ++i) {
            if (test(page[i], bits[i])) return true;
        }
        return false;
    }

    void assign(const isa::ContiguousAccess& access) {
        low = access.address;
        high = access.address + access.bytes;
        if (access.all_enabled && access.bytes == kPageBytes && low % kPageBytes == 0) {
            count = 1;
            page[0] = low / kPageBytes;
            bits[0] = {kEveryByte, kEveryByte, kEveryByte, kEveryByte};
            return;
        }
        count = 0;
        if (access.bytes == 0) return;
        const std::uint32_t first_page = low / kPageBytes;
        const std::uint32_t pages = (high - 1) / kPageBytes - first_page + 1;
        if (access.all_enabled) {
            for (std::uint32_t i = 0; i < pages; ++i) append_range(first_page + i);
            return;
        }
        // Bits are shifted to their place in the first page and those after it; one word more takes what the last shift
        // pushes out.
        std::array<std::uint64_t, kMaxContiguousPages * kPageWords + 1> words{};
        const std::uint32_t offset = low % kPageBytes;
        const std::uint32_t shift = offset % kWordBytes;
        for (std::uint32_t k = 0; k * kWordBytes < access.bytes; ++k) {
            const std::uint64_t enabled = access.enable[k] & low_bits(access.bytes - k * kWordBytes);
            const std::uint32_t word = offset / kWordBytes + k;
            words[word] |= enabled << shift;
            if (shift != 0) words[word + 1] |= enabled >> (kWordBytes - shift);
        }
        for (std::uint32_t i = 0; i < pages; ++i) {
            const PageBits page_bits{words[i * 4], words[i * 4 + 1], words[i * 4 + 2], words[i * 4 + 3]};
            if ((page_bits[0] | page_bits[1] | page_bits[2] | page_bits[3]) == 0) continue;
            page[count] = first_page + i;
            bits[count] = page_bits;
            ++count;
        }
    }

    void assign(const isa::BlockAccess& access) {
        count = 0;
        low = high = access.address;
        for (std::uint32_t left = access.active; left != 0; left &= left - 1) {
            const std::uint32_t address = access.block(lowest_bit(left));
            const std::uint32_t block_page = address / kPageBytes;
            if (count == 0) low = address;
            high = address + std::uint32_t{isa::kBlockBytes};
            if (count == 0 || page[count - 1] != block_page) {
                page[count] = block_page;
                bits[count] = PageBits{};
                ++count;
            }
            bits[count - 1][address % kPageBytes / kWordBytes] |= low_bits(isa::kBlockBytes) << (address % kWordBytes);
        }
    }

private:
    static constexpr std::uint32_t kMaxContiguousPages = 3;  // 512 B at any address

    void append_range(std::uint32_t at) {
        const std::uint32_t start = at * kPageBytes;
        const std::uint32_t begin = std::max(low, start) - start;
        const std::uint32_t end = std::min(high - start, kPageBytes);
        PageBits& out = bits[count];
        if (begin == 0 && end == kPageBytes) {
            out = {kEveryByte, kEveryByte, kEveryByte, kEveryByte};
        } else {
            for (std::uint32_t k = 0; k < kPageWords; ++k) {
                const bool inside = meet(begin, end, k * kWordBytes, (k + 1) * kWordBytes);
                out[k] = inside ? range_bits(begin, end, k) : 0;
            }
        }
        page[count] = at;
        ++count;
    }
};

}  // namespace vcore::engine
