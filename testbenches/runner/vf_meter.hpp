// How long calls of a vector function took, and what their cycles were spent on.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "models/timing/pipeline.hpp"
#include "testbenches/runner/machine.hpp"

namespace vcore::runner {

struct VfTotals {
    std::uint64_t calls = 0;
    std::uint64_t cycles = 0;         ///< from call to completion; cycles that calls share count once
    std::uint64_t last_complete = 0;  ///< of the latest call
    /// Approximately timed: `cycles` by timing::Cause. Start-up counts from the call on.
    std::array<std::uint64_t, timing::kCauses> causes{};
};

/// Measures a run of calls that follow each other: start(), begun() and ended() for each call, finish().
class VfMeter {
public:
    void start(const Machine& machine, const VfTotals& totals);
    /// The VfBegin of a call was accepted.
    void begun(const Machine& machine, const Outcome& begin);
    /// Its VfEnd.
    static void ended(VfTotals& totals, const Outcome& end);

    struct Measure {
        std::uint64_t cycles = 0;  ///< of all calls
        std::uint64_t calls = 0;
    };
    Measure finish(const Machine& machine, VfTotals& totals) const;

private:
    void explain(const Machine& machine, VfTotals& totals, std::uint64_t shared) const;

    std::uint64_t called_ = 0;
    std::uint64_t calls_before_ = 0;
    std::uint64_t shared_until_ = 0;
    std::optional<std::uint64_t> first_;                         // first dispatch of the first call
    std::array<std::uint64_t, timing::kCauses> causes_begun_{};  // then
};

}  // namespace vcore::runner
