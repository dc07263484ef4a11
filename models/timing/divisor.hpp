// Division by a number that is fixed for a run: a shift where it is a power of two.
#pragma once

#include <cstdint>

namespace vcore::timing {

class Divisor {
public:
    /// Precondition: value >= 1.
    explicit Divisor(std::uint32_t value) : value_(value), power_of_two_((value & (value - 1)) == 0) {
        while (power_of_two_ && (std::uint32_t{1} << shift_) != value) ++shift_;
    }
    std::uint32_t value() const { return value_; }
    bool power_of_two() const { return power_of_two_; }
    /// Valid where power_of_two().
    std::uint32_t shift() const { return shift_; }

    std::uint32_t quotient(std::uint32_t number) const { return power_of_two_ ? number >> shift_ : number / value_; }
    std::uint32_t remainder(std::uint32_t number) const {
        return power_of_two_ ? number & (value_ - 1) : number % value_;
    }

private:
    std::uint32_t value_;
    bool power_of_two_;
    std::uint32_t shift_ = 0;
};

}  // namespace vcore::timing
