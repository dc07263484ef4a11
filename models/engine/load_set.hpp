// A set of loads, named by serial number: what a register's value depends on, or when some bytes were loaded.
//
// Exact for the last 64 loads of the core, which is where programs consume what they load; older members are kept as
// the range from the lowest to the highest of them. Both ends of that range are members. Serial numbers start at 1 and
// never fall. All calls take `now`, the serial number of the newest load so far.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/engine/byte_pages.hpp"

namespace vcore::engine {

class LoadSet {
public:
    static constexpr std::uint64_t kExact = 64;

    bool empty() const { return recent_ == 0 && old_low_ > old_high_; }

    /// Adds the newest load.
    void add_newest(std::uint64_t now) {
        age(now);
        recent_ |= 1;
    }

    /// Adds the members of another set.
    void merge(LoadSet& other, std::uint64_t now) {
        age(now);
        other.age(now);
        recent_ |= other.recent_;
        old_low_ = std::min(old_low_, other.old_low_);
        old_high_ = std::max(old_high_, other.old_high_);
    }

    /// Whether the load is a member; an old one counts as one when it lies in the range of old members.
    bool may_contain(std::uint64_t serial, std::uint64_t now) {
        age(now);
        const std::uint64_t age_of_load = now - serial;
        if (age_of_load < kExact) return ((recent_ >> age_of_load) & 1U) != 0;
        return old_low_ <= serial && serial <= old_high_;
    }

    /// Whether one of the loads first..last may be a member.
    bool may_meet(std::uint64_t first, std::uint64_t last, std::uint64_t now) {
        age(now);
        if (old_low_ <= last && first <= old_high_) return true;
        const std::uint64_t youngest = now - last;
        if (youngest >= kExact) return false;
        const std::uint64_t oldest = std::min(now - first, kExact - 1);
        return (recent_ & (low_bits(static_cast<std::uint32_t>(oldest + 1)) & (kEveryByte << youngest))) != 0;
    }

    /// Whether some member is certainly no member of `other`.
    bool exceeds(LoadSet& other, std::uint64_t now) {
        age(now);
        other.age(now);
        if ((recent_ & ~other.recent_) != 0) return true;
        if (old_low_ > old_high_) return false;
        return !other.may_contain(old_low_, now) || !other.may_contain(old_high_, now);
    }

private:
    /// Makes bit k of `recent_` mean load now - k; what no longer fits joins the old range.
    void age(std::uint64_t now) {
        const std::uint64_t passed = now - stamp_;
        if (passed == 0) return;
        if (recent_ != 0) {
            const std::uint64_t leaving =
                passed >= kExact ? recent_ : recent_ & ~low_bits(static_cast<std::uint32_t>(kExact - passed));
            if (leaving != 0) {
                old_low_ = std::min(old_low_, stamp_ - highest_bit(leaving));
                old_high_ = std::max(old_high_, stamp_ - lowest_bit(leaving));
            }
            recent_ = passed >= kExact ? 0 : recent_ << passed;
        }
        stamp_ = now;
    }

    std::uint64_t recent_ = 0;
    std::uint64_t stamp_ = 0;                    // bit k of recent_: load stamp_ - k
    std::uint64_t old_low_ = ~std::uint64_t{0};  // old_low_ > old_high_: no old member
    std::uint64_t old_high_ = 0;
};

}  // namespace vcore::engine
