// The border between integer cycles inside the model and sc_time outside it.
//
// A period need not be a whole number of sc_time units (1650 MHz at 1 ps). Every conversion rounds on its own, so that
// no error adds up, and the way back is exact.
#pragma once

#include <cstdint>

#include <systemc>

namespace vcore::transport {

/// Period of the vector-core clock. A frequency of 0 (or less) stands for "no clock": every duration is zero.
class ClockPeriod {
public:
    /// Fixes the simulator's time resolution.
    explicit ClockPeriod(double clock_mhz)
        : units_(clock_mhz > 0.0
                     ? 1e-6 / clock_mhz * static_cast<double>(sc_core::sc_time(1.0, sc_core::SC_SEC).value())
                     : 0.0) {}

    /// cycles * period, rounded to the simulator's resolution once: 1000 cycles at 1650 MHz are 606061 ps, not 606000.
    sc_core::sc_time duration(std::uint64_t cycles) const { return sc_core::sc_time::from_value(units(cycles)); }
    /// The first cycle that does not begin before `time`; next_cycle(duration(n)) == n. 0 where there is no clock.
    /// Precondition: the clock is no faster than the simulator's resolution.
    std::uint64_t next_cycle(const sc_core::sc_time& time) const {
        if (units_ == 0.0) return 0;
        const std::uint64_t wanted = time.value();
        // The estimate errs by rounding only, so a step or two correct it.
        auto cycle = static_cast<std::uint64_t>(static_cast<double>(wanted) / units_);
        while (units(cycle) < wanted) ++cycle;
        while (cycle != 0 && units(cycle - 1) >= wanted) --cycle;
        return cycle;
    }

private:
    std::uint64_t units(std::uint64_t cycles) const {
        return static_cast<std::uint64_t>(static_cast<double>(cycles) * units_ + 0.5);
    }

    double units_;  ///< in units of the simulator's resolution
};

}  // namespace vcore::transport
