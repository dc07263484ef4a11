// Runs the points of a sweep, or of one shard of it, on several threads.
//
// Points go to the results in the order of their numbers, whatever thread finishes first: the file is the same for any
// number of threads, and after any interruption. Memory does not grow with the number of points.
#pragma once

#include <cstdint>
#include <functional>

#include "testbenches/sweep/results.hpp"
#include "testbenches/sweep/specification.hpp"

namespace vcore::sweep {

struct Progress {
    std::uint64_t done = 0;   ///< points in the file
    std::uint64_t begun = 0;  ///< of them, before this call
    std::uint64_t all = 0;
};

/// Runs what `results` lacks. `progress` is called after each piece that was written, by one thread at a time.
/// Throws ResultsError.
void run_points(const Specification& specification, const Shard& shard, ResultsWriter& results, unsigned threads,
                const std::function<void(const Progress&)>& progress);

}  // namespace vcore::sweep
