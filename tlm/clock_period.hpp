// The border between integer cycles inside the model and sc_time outside it.
#pragma once

#include <cstdint>

#include <systemc>

namespace vcore::transport {

/// Period of the vector-core clock. A frequency of 0 (or less) stands for "no clock": every duration is zero.
class ClockPeriod {
public:
    explicit ClockPeriod(double clock_mhz) : seconds_(clock_mhz > 0.0 ? 1e-6 / clock_mhz : 0.0) {}

    /// cycles * period, rounded to the simulator's resolution once: 1000 cycles at 1650 MHz are 606061 ps, not 606000.
    sc_core::sc_time duration(std::uint64_t cycles) const {
        return {static_cast<double>(cycles) * seconds_, sc_core::SC_SEC};
    }
    /// The number of whole cycles that have passed at `time`.
    std::uint64_t cycles(const sc_core::sc_time& time) const;

private:
    double seconds_;
};

}  // namespace vcore::transport
