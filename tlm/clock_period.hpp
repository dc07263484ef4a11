// The border between integer cycles inside the model and sc_time outside it.
//
// A period need not be a whole number of sc_time units (1650 MHz at 1 ps). Every conversion rounds on its own, so that
// no error adds up, and the way back is exact.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <systemc>

namespace vcore::transport {

/// Period of the vector-core clock. A frequency of 0 (or less) stands for "no clock": every duration is zero.
class ClockPeriod {
public:
    /// Fixes the simulator's time resolution.
    explicit ClockPeriod(double clock_mhz)
        : units_(clock_mhz > 0.0
                     ? 1e-6 / clock_mhz * static_cast<double>(sc_core::sc_time(1.0, sc_core::SC_SEC).value())
                     : 0.0) {
        if (units_ == 0.0) return;
        int exponent = 0;
        mantissa_ = static_cast<std::uint64_t>(std::ldexp(std::frexp(units_, &exponent), kMantissaBits));
        shift_ = kMantissaBits - exponent;
    }

    /// cycles * period, rounded to the simulator's resolution once: 1000 cycles at 1650 MHz are 606061 ps, not 606000.
    sc_core::sc_time duration(std::uint64_t cycles) const { return sc_core::sc_time::from_value(units(cycles)); }
    /// The first cycle that does not begin before `time`; next_cycle(duration(n)) == n for each n whose time
    /// sc_time can hold. 0 where there is no clock. Precondition: the clock is no faster than the simulator's
    /// resolution.
    std::uint64_t next_cycle(const sc_core::sc_time& time) const {
        if (units_ == 0.0) return 0;
        const std::uint64_t wanted = time.value();
        const double estimate = static_cast<double>(wanted) / units_;
        std::uint64_t high = estimate < kCycles ? static_cast<std::uint64_t>(estimate) : kLastCycle;
        // The estimate errs by rounding only, so a step or two correct it; late cycles are further apart than 1 as
        // numbers of floating point, which the doubled steps make up for.
        std::uint64_t step = 1;
        while (units(high) < wanted && high < kLastCycle) {
            high += std::min(step, kLastCycle - high);
            step *= 2;
        }
        std::uint64_t low = high;  // no cycle up to here begins at `wanted` or later, or it is 0
        for (step = 1; low != 0 && units(low) >= wanted; step *= 2) low -= std::min(step, low);
        if (low == 0 && units(0) >= wanted) return 0;
        while (high - low > 1) {
            const std::uint64_t middle = low + (high - low) / 2;
            (units(middle) < wanted ? low : high) = middle;
        }
        return high;
    }

private:
    static constexpr double kCycles = 9223372036854775808.0;  // 2^63
    static constexpr std::uint64_t kLastCycle = (std::uint64_t{1} << 63) - 1;
    static constexpr int kMantissaBits = 53;
    static constexpr double kExact = 2251799813685248.0;  // 2^51: up to here a double counts halves
    __extension__ using Wide = unsigned __int128;         // a cycle, 64 bits, times a mantissa, 53

    std::uint64_t units(std::uint64_t cycles) const {
        const double time = static_cast<double>(cycles) * units_ + 0.5;
        if (time < kExact && cycles < std::uint64_t{1} << kMantissaBits) return static_cast<std::uint64_t>(time);
        if (units_ == 0.0) return 0;
        const Wide exact = ((Wide{cycles} * mantissa_ >> (shift_ - 1)) + 1) >> 1;
        constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
        return exact < kMost ? static_cast<std::uint64_t>(exact) : kMost;
    }

    double units_;  ///< in units of the simulator's resolution
    /// The same number without rounding, mantissa_ / 2^shift_, for times that a double does not count to.
    std::uint64_t mantissa_ = 0;
    int shift_ = 0;
};

}  // namespace vcore::transport
