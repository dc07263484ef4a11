// What is to happen in which of the cycles to come: items that become ready, and registers that become free.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace vcore::timing {

/// One list of items and one count per cycle. An item is in one list at most, by its member `next_in_bucket`.
template <typename Item>
class EventWheel {
public:
    static constexpr std::uint64_t kNever = ~std::uint64_t{0};
    /// Cycles that an event can lie ahead. What is entered for later comes up at the end of the span: whoever takes an
    /// item looks whether its time has come and enters it again. Latencies of a configuration lie within the span.
    static constexpr std::uint64_t kSpan = 2048;

    struct Bucket {
        Item* first = nullptr;      ///< of the items
        std::uint32_t leaving = 0;  ///< registers that become free
    };

    void clear() {
        buckets_.fill(Bucket{});
        occupied_.fill(0);
    }
    void add_item(std::uint64_t now, std::uint64_t at, Item& item) {
        Bucket& bucket = at_least_next(now, at);
        item.next_in_bucket = bucket.first;
        bucket.first = &item;
    }
    void add_leaving(std::uint64_t now, std::uint64_t at) { ++at_least_next(now, at).leaving; }
    void forget_leaving() {
        for (std::size_t word = 0; word < occupied_.size(); ++word) {
            for (std::uint64_t bits = occupied_[word]; bits != 0; bits &= bits - 1) {
                buckets_[64 * word + lowest(bits)].leaving = 0;
            }
        }
    }

    /// Empties the bucket of a cycle. Its items stay linked until they are entered again.
    Bucket take(std::uint64_t cycle) {
        const std::uint64_t place = cycle % kSpan;
        std::uint64_t& word = occupied_[place / 64];
        const std::uint64_t bit = std::uint64_t{1} << (place % 64);
        if ((word & bit) == 0) return {};
        word &= ~bit;
        const Bucket bucket = buckets_[place];
        buckets_[place] = {};
        return bucket;
    }

    /// The first cycle after `now` that has an event, or kNever.
    std::uint64_t next_event(std::uint64_t now) const {
        const std::uint64_t start = now + 1;
        std::uint64_t word = occupied_[start % kSpan / 64] >> (start % 64);
        if (word != 0) return start + lowest(word);
        std::uint64_t at = start + (64 - start % 64);
        for (std::size_t i = 0; i < kSpan / 64; ++i, at += 64) {
            word = occupied_[at % kSpan / 64];
            if (word != 0) return at + lowest(word);
        }
        return kNever;
    }

private:
    static std::uint64_t lowest(std::uint64_t word) { return static_cast<std::uint64_t>(__builtin_ctzll(word)); }
    Bucket& at_least_next(std::uint64_t now, std::uint64_t at) {
        const std::uint64_t place = std::min(std::max(at, now + 1), now + kSpan - 1) % kSpan;
        occupied_[place / 64] |= std::uint64_t{1} << (place % 64);
        return buckets_[place];
    }

    std::array<Bucket, kSpan> buckets_{};
    std::array<std::uint64_t, kSpan / 64> occupied_{};
};

}  // namespace vcore::timing
