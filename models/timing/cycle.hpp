// Time inside the model: whole vector-core cycles.
#pragma once

#include <cstdint>

namespace vcore::timing {

/// A point in time or a duration, in vector-core cycles. Arithmetic is explicit about which of the two it means only by
/// name; negative values do not occur.
class Cycle {
public:
    constexpr Cycle() = default;
    constexpr explicit Cycle(std::uint64_t count) : count_(count) {}
    constexpr std::uint64_t count() const { return count_; }

    friend constexpr Cycle operator+(Cycle a, Cycle b) { return Cycle(a.count_ + b.count_); }
    friend constexpr Cycle operator-(Cycle a, Cycle b) { return Cycle(a.count_ - b.count_); }
    friend constexpr Cycle operator+(Cycle a, std::uint64_t n) { return Cycle(a.count_ + n); }
    Cycle& operator+=(Cycle other) {
        count_ += other.count_;
        return *this;
    }
    friend constexpr bool operator==(Cycle a, Cycle b) { return a.count_ == b.count_; }
    friend constexpr bool operator!=(Cycle a, Cycle b) { return a.count_ != b.count_; }
    friend constexpr bool operator<(Cycle a, Cycle b) { return a.count_ < b.count_; }
    friend constexpr bool operator<=(Cycle a, Cycle b) { return a.count_ <= b.count_; }
    friend constexpr bool operator>(Cycle a, Cycle b) { return a.count_ > b.count_; }
    friend constexpr bool operator>=(Cycle a, Cycle b) { return a.count_ >= b.count_; }

private:
    std::uint64_t count_ = 0;
};

}  // namespace vcore::timing
