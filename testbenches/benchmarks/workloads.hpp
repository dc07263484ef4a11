// The loops that vcore-bench compares, each as a function that does `count` operations.
//
// All gathers fetch 128 halves by u16 indices from a 256 KB buffer, through 16 index registers in turn, so that neither
// branch predictor nor prefetcher learns one of them by heart. "random", over 128 KB, is what look-ups do, "sequential"
// what copies do; "masked" is random with 64 of the 128 lanes active, which the native loop leaves out. Ops go to the
// model in vector functions of 64.
//
// An operation of the workloads at_engine and at_top is a simulated cycle of the approximately-timed mode, of at_length
// an op of a vector function of 640 or 1280 of them, of at_gather a gather of 128 halves, of at_idle a microsecond in
// which nothing happens.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace vcore::benchmarks {

struct Workload {
    std::string name;
    std::function<void(std::uint64_t count)> run;
};

[[noreturn]] void fail(const char* what);

/// Adds those of the approximately-timed mode. What is returned is to be called after elaboration.
std::function<void()> add_timed_workloads(std::vector<Workload>& workloads);

/// Builds everything once (one elaboration a process) and returns the workloads. They may be called in any order.
std::vector<Workload> make_workloads();

}  // namespace vcore::benchmarks
