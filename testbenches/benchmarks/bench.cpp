// vcore-bench: what the model costs, as ratios to loops that people know, measured side by side in one run.
//
//   vcore-bench                      Google Benchmark, repetitions interleaved, then the table of ratios
//   vcore-bench --work NAME COUNT    one workload, COUNT operations and nothing else: for instruction counts
//
// Absolute times on a shared machine mean little; ratios of medians from one run do.

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

/// Prints as usual, and keeps the time per operation of every repetition.
class RatioReporter : public benchmark::ConsoleReporter {
public:
    void ReportRuns(const std::vector<Run>& reports) override {
        for (const Run& run : reports) {
            if (run.run_type == Run::RT_Iteration && !run.error_occurred) {
                times_[run.run_name.function_name].push_back(run.GetAdjustedCPUTime() / kBatch);
            }
        }
        ConsoleReporter::ReportRuns(reports);
    }

    void print_ratios() const {
        std::printf("\n%-48s %8s %8s\n", "ratio of medians", "measured", "target");
        print("isa_gather/random", "native_gather/random", 1.3);
        print("isa_gather/sequential", "native_gather/sequential", 1.3);
        print("model_gather/random", "native_gather/random", 3.0);
        print("model_gather/sequential", "native_gather/sequential", 3.0);
        print("model_load", "plain_b_transport", 6.0);
        print("at_gather/all_conflict", "at_gather/no_conflict", 3.0);
        print("at_length/full", "at_length/half", 1.1);
        print("at_engine/case6_traced", "at_engine/case6", 2.0);
        std::printf("\n%-48s %8s %8s\n", "million simulated cycles a second", "measured", "target");
        print_rate("at_engine/case6", 5.0);
        print_rate("at_top/case6", 3.0);
        std::printf("\n%-48s %8.3f\n", "host ms per simulated second without events", median("at_idle_microseconds"));
    }

private:
    double median(const std::string& name) const {
        const auto found = times_.find(name);
        if (found == times_.end()) return 0;
        std::vector<double> sorted = found->second;
        std::sort(sorted.begin(), sorted.end());
        return sorted[sorted.size() / 2];
    }
    void print(const std::string& name, const std::string& yardstick, double target) const {
        if (median(name) == 0 || median(yardstick) == 0) return;
        std::printf("%-48s %8.2f %8.1f\n", (name + " : " + yardstick).c_str(), median(name) / median(yardstick),
                    target);
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
    std::string repetitions = "--benchmark_repetitions=7";
    std::string interleave = "--benchmark_enable_random_interleaving=true";
    std::string shortened = "--benchmark_min_time=0.1";
    std::string aggregates = "--benchmark_report_aggregates_only=false";
    // Before the user's own, which win.
    arguments.insert(arguments.begin() + 1,
                     {repetitions.data(), interleave.data(), shortened.data(), aggregates.data()});
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
