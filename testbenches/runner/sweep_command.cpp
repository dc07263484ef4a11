// vcore-sim sweep and vcore-sim merge: many configurations, on one machine or several.
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <thread>

#include "testbenches/runner/command.hpp"
#include "testbenches/sweep/results.hpp"
#include "testbenches/sweep/specification.hpp"
#include "testbenches/sweep/sweep.hpp"

namespace vcore::runner {
namespace {

namespace po = boost::program_options;
using Clock = std::chrono::steady_clock;

constexpr const char* kIndexVariable = "VCORE_SHARD_INDEX";
constexpr const char* kTotalVariable = "VCORE_TOTAL_SHARDS";

po::options_description sweep_options() {
    po::options_description all;
    all.add_options()("out", po::value<std::string>()->value_name("FILE"),
                      "the results (default: the specification's name with .jsonl, in this folder)")(
        "threads", po::value<std::string>()->value_name("N"), "points at a time (default: one per processor)")(
        "shard-index", po::value<std::string>()->value_name("I"),
        fmt::format("run one share of the points, from 0 (default: ${})", kIndexVariable).c_str())(
        "total-shards", po::value<std::string>()->value_name("N"),
        fmt::format("how many shares there are (default: ${}, or 1)", kTotalVariable).c_str())("quiet",
                                                                                               "print no progress");
    return all;
}

std::uint64_t whole_number(const std::string& text, const std::string& what, std::uint64_t low, std::uint64_t high) {
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end || value < low || value > high) {
        throw UsageError(fmt::format("found {} '{}', expected a whole number from {} to {}", what, text, low, high),
                         "sweep");
    }
    return value;
}

/// An option, or else a variable of the environment, with the name that messages use.
std::optional<std::pair<std::string, std::string>> setting(const po::variables_map& arguments, const char* option,
                                                           const char* variable) {
    if (const auto value = argument(arguments, option)) return {{*value, std::string("--") + option}};
    const char* const value = std::getenv(variable);
    if (value == nullptr || *value == '\0') return std::nullopt;
    return {{value, variable}};
}

sweep::Shard shard_of(const po::variables_map& arguments) {
    const auto index = setting(arguments, "shard-index", kIndexVariable);
    const auto total = setting(arguments, "total-shards", kTotalVariable);
    sweep::Shard shard;
    if (total) shard.total = whole_number(total->first, total->second, 1, sweep::kMostPoints);
    if (!index && shard.total == 1) return shard;
    if (!index || !total) {
        throw UsageError("a shard needs both --shard-index and --total-shards", "sweep");
    }
    shard.index = whole_number(index->first, index->second, 0, shard.total - 1);
    return shard;
}

std::string default_output(const std::string& specification, const sweep::Shard& shard) {
    const std::string stem = std::filesystem::path(specification).stem().string();
    return shard.total == 1 ? stem + ".jsonl" : fmt::format("{}.{}-of-{}.jsonl", stem, shard.index, shard.total);
}

std::string duration(double seconds) {
    const auto whole = static_cast<std::uint64_t>(seconds + 0.5);
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

/// A line that is written again and again on a terminal, and one every ten seconds elsewhere.
class ProgressLine {
public:
    explicit ProgressLine(bool quiet) : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) == 1) {}

    void show(const sweep::Progress& progress) {
        const Clock::time_point now = Clock::now();
        if (quiet_ || now - shown_ < (terminal_ ? std::chrono::milliseconds(200) : std::chrono::seconds(10))) return;
        shown_ = now;
        const double seconds = std::chrono::duration<double>(now - begun_).count();
        const double rate = static_cast<double>(progress.done - progress.begun) / seconds;
        const std::string left =
            rate > 0 ? ", " + duration(static_cast<double>(progress.all - progress.done) / rate) + " left" : "";
        std::cerr << (terminal_ ? "\r\033[K" : "")
                  << fmt::format("{} of {} points, {:.0f} a second{}", progress.done, progress.all, rate, left)
                  << (terminal_ ? "" : "\n") << std::flush;
        open_ = terminal_;
    }

    void end() {
        if (open_) std::cerr << "\n";
        open_ = false;
    }

private:
    bool quiet_;
    bool terminal_;
    bool open_ = false;
    Clock::time_point begun_ = Clock::now();
    Clock::time_point shown_ = begun_;
};

int run_sweep(const Command& command, const po::variables_map& arguments) {
    const std::string path = the_name(command, arguments, "SPEC.json");
    const sweep::Shard shard = shard_of(arguments);
    const auto given_threads = argument(arguments, "threads");
    const auto threads = static_cast<unsigned>(given_threads ? whole_number(*given_threads, "--threads", 1, 1024)
                                                             : std::max(1U, std::thread::hardware_concurrency()));
    const std::string output = argument(arguments, "out").value_or(default_output(path, shard));
    const bool quiet = arguments.count("quiet") != 0;
    ProgressLine line(quiet);
    try {
        const sweep::Specification specification(path);
        sweep::ResultsWriter results(output, specification, shard);
        const std::uint64_t all = shard.share(specification.points());
        if (!quiet && results.kept() > 0) {
            std::cerr << fmt::format("{} holds {} of {} points{}\n", output, results.kept(), all,
                                     results.was_cut() ? " and a part of one, which is run again" : "");
        }
        sweep::run_points(specification, shard, results, threads,
                          [&line](const sweep::Progress& progress) { line.show(progress); });
        line.end();
        if (!quiet) std::cerr << fmt::format("{}: {} points\n", output, all);
    } catch (const sweep::SpecificationError& error) {
        throw UsageError(error.what());
    } catch (const sweep::ResultsError& error) {
        line.end();
        throw UsageError(error.what());
    }
    return status_code(ExitStatus::fine);
}

po::options_description merge_options() {
    po::options_description all;
    all.add_options()("out", po::value<std::string>()->value_name("FILE"), "the results of all shards");
    return all;
}

int run_merge(const Command& command, const po::variables_map& arguments) {
    the_name(command, arguments, "RESULTS");
    const auto output = argument(arguments, "out");
    if (!output) throw UsageError("--out FILE is missing", command.name);
    try {
        sweep::merge(list_argument(arguments, "NAME"), *output);
    } catch (const sweep::ResultsError& error) {
        throw UsageError(error.what());
    }
    return status_code(ExitStatus::fine);
}

}  // namespace

Command sweep_command() {
    return {"sweep",
            "SPEC.json [--out FILE] [--threads N] [--shard-index I --total-shards N] [--quiet]",
            "run programs on many configurations",
            sweep_options,
            one_name,
            run_sweep};
}

Command merge_command() {
    return {"merge",
            "RESULTS... --out FILE",
            "put the results of all shards of a sweep together",
            merge_options,
            many_names,
            run_merge};
}

}  // namespace vcore::runner
