// vcore-bench: what the model costs, as ratios to loops that people know, measured side by side in one run.
//
//   vcore-bench                      Google Benchmark, repetitions interleaved, then the table of ratios
//   vcore-bench --work NAME COUNT    one workload, COUNT operations and nothing else: for instruction counts
//
// Absolute times on a shared machine mean little; ratios from one run do.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <systemc>

#include "testbenches/benchmarks/workloads.hpp"

namespace {

using vcore::benchmarks::Workload;

constexpr std::uint64_t kBatch = 4096;  // operations per iteration of the benchmark's loop

/// Prints the aggregates of all repetitions, and keeps the time per operation of each.
class RatioReporter : public benchmark::ConsoleReporter {
public:
    void ReportRuns(const std::vector<Run>& reports) override {
        std::vector<Run> aggregates;
        for (const Run& run : reports) {
            if (run.run_type != Run::RT_Iteration) {
                aggregates.push_back(run);
            } else if (!run.error_occurred) {
                times_[run.run_name.function_name].push_back(run.GetAdjustedCPUTime() / kBatch);
            }
        }
        ConsoleReporter::ReportRuns(aggregates.empty() ? reports : aggregates);
    }

    void print_ratios() const {
        std::printf("\n%-48s %8s %8s %8s\n", "ratio", "medians", "minima", "target");
        for (const std::string pattern : {"random", "sequential", "masked"}) {
            const bool full = pattern != "masked";
            print("isa_gather/" + pattern, "native_gather/" + pattern, full ? "1.3" : "");
            print("engine_gather/" + pattern, "native_gather/" + pattern, full ? "3.0" : "");
            print("model_gather/" + pattern, "native_gather/" + pattern, full ? "3.0" : "");
        }
        print("model_load", "plain_b_transport", "6.0");
        print("at_gather/all_conflict", "at_gather/no_conflict", "3.0");
        print("at_length/full", "at_length/half", "1.1");
        print("at_engine/case6_traced", "at_engine/case6", "");
        std::printf("\n%-48s %8s %8s\n", "million simulated cycles a second", "measured", "target");
        print_rate("at_engine/case6", 5.0);
        print_rate("at_top/case6", 3.0);
        std::printf("\n%-48s %8.3f\n", "host ms per simulated second without events", median("at_idle_microseconds"));
    }

private:
    std::vector<double> sorted_times(const std::string& name) const {
        const auto found = times_.find(name);
        if (found == times_.end()) return {};
        std::vector<double> sorted = found->second;
        std::sort(sorted.begin(), sorted.end());
        return sorted;
    }
    void print(const std::string& name, const std::string& yardstick, const char* target) const {
        const std::vector<double> times = sorted_times(name);
        const std::vector<double> yard = sorted_times(yardstick);
        if (times.empty() || yard.empty()) return;
        std::printf("%-48s %8.2f %8.2f %8s\n", (name + " : " + yardstick).c_str(),
                    times[times.size() / 2] / yard[yard.size() / 2], times.front() / yard.front(), target);
    }

    double median(const std::string& name) const {
        const std::vector<double> times = sorted_times(name);
        return times.empty() ? 0 : times[times.size() / 2];
    }
    void print_rate(const std::string& name, double target) const {
        if (median(name) != 0) std::printf("%-48s %8.2f %8.1f\n", name.c_str(), 1e3 / median(name), target);
    }

    std::map<std::string, std::vector<double>> times_;  // ns per operation
};

void measure(benchmark::State& state, const Workload& workload) {
    workload.run(0);
    for (auto _ : state) workload.run(kBatch);
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kBatch));
}

int run_one(const std::vector<Workload>& workloads, const std::string& name, const std::string& count) {
    for (const Workload& workload : workloads) {
        if (workload.name != name) continue;
        workload.run(0);
        workload.run(std::strtoull(count.c_str(), nullptr, 10));
        return 0;
    }
    std::fprintf(stderr, "vcore-bench: no workload %s; there are:\n", name.c_str());
    for (const Workload& workload : workloads) std::fprintf(stderr, "  %s\n", workload.name.c_str());
    return 2;
}

}  // namespace

int sc_main(int argc, char** argv) {
    const std::vector<Workload> workloads = vcore::benchmarks::make_workloads();
    if (argc == 4 && std::string(argv[1]) == "--work") return run_one(workloads, argv[2], argv[3]);

    std::vector<char*> arguments(argv, argv + argc);
    // Many short repetitions in random order: what disturbs some of them, or the machine's clock, moves no median.
    std::string repetitions = "--benchmark_repetitions=31";
    std::string interleave = "--benchmark_enable_random_interleaving=true";
    std::string shortened = "--benchmark_min_time=0.02";
    // Before the user's own, which win.
    arguments.insert(arguments.begin() + 1, {repetitions.data(), interleave.data(), shortened.data()});
    int count = static_cast<int>(arguments.size());
    benchmark::Initialize(&count, arguments.data());
    if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
    for (const Workload& workload : workloads) {
        benchmark::RegisterBenchmark(workload.name.c_str(),
                                     [&workload](benchmark::State& state) { measure(state, workload); });
    }
    RatioReporter reporter;
    benchmark::RunSpecifiedBenchmarks(&reporter);
    reporter.print_ratios();
    return 0;
}
