// vcore-calibration: runs the published measurements as programs, and puts what the model says beside what silicon
// said.
//
//     vcore-calibration [--check] FOLDER
//
// A program announces its measurement in a comment:
//
//     # calibration: case=1 product=ascend950 cycles=133 load_conflicts=40.9 store_conflicts=17.6
//
// `cycles` is the published figure, per call; `per` divides what the model says of a call (1), `exact` asks for
// equality of the rounded figures, `tolerance` is what the error may be at most, in percent (6). Conflicts are in
// percent of the cycles. With --check the exit status is 1 where a limit is missed: the mean error of the cases of a
// product may be 3 %, conflict ratios may be 8 points off, loosely-timed totals 25 % off approximately-timed ones.
// Source: `timing.md` "Published measurements to reproduce".
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "platforms/products.hpp"
#include "testbenches/runner/core_machine.hpp"
#include "testbenches/runner/interpreter.hpp"
#include "testbenches/runner/program.hpp"
#include "testbenches/runner/report.hpp"

namespace {

using namespace vcore;

constexpr double kMeanLimit = 3.0;           // percent
constexpr double kWorstLimit = 6.0;          // percent, unless a case has its own
constexpr double kConflictLimit = 8.0;       // points
constexpr double kLooselyTimedLimit = 25.0;  // percent

/// A published measurement.
struct Measurement {
    std::string name;
    std::string product;
    double cycles = 0;
    double per = 1;
    bool exact = false;
    double tolerance = kWorstLimit;
    std::optional<double> load_conflicts;
    std::optional<double> store_conflicts;
};

/// What the model says of it.
struct Modelled {
    double cycles = 0;
    double loosely_timed_cycles = 0;
    double load_conflicts = 0;
    double store_conflicts = 0;
};

struct Case {
    std::filesystem::path path;
    std::string text;
    Measurement measurement;
    Modelled modelled;

    double error() const { return 100.0 * (modelled.cycles - measurement.cycles) / measurement.cycles; }
};

std::string content_of(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream) throw std::runtime_error(fmt::format("cannot read '{}'", path.string()));
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

Measurement measurement_in(const std::string& text, const std::filesystem::path& path) {
    static const std::string kMark = "# calibration: ";
    const std::size_t at = text.find(kMark);
    if (at == std::string::npos) throw std::runtime_error(fmt::format("'{}' has no calibration line", path.string()));
    std::istringstream words(text.substr(at + kMark.size(), text.find('\n', at) - at - kMark.size()));
    Measurement measurement;
    for (std::string word; words >> word;) {
        const std::string key = word.substr(0, word.find('='));
        const std::string value = word.substr(std::min(word.size(), key.size() + 1));
        if (key == "case") {
            measurement.name = value;
        } else if (key == "product") {
            measurement.product = value;
        } else if (key == "cycles") {
            measurement.cycles = std::stod(value);
        } else if (key == "per") {
            measurement.per = std::stod(value);
        } else if (key == "exact") {
            measurement.exact = true;
        } else if (key == "tolerance") {
            measurement.tolerance = std::stod(value);
        } else if (key == "load_conflicts") {
            measurement.load_conflicts = std::stod(value);
        } else if (key == "store_conflicts") {
            measurement.store_conflicts = std::stod(value);
        } else {
            throw std::runtime_error(fmt::format("'{}': unknown word '{}'", path.string(), word));
        }
    }
    return measurement;
}

/// Runs a program and fills `modelled` with its statistics; returns its cycles: those of its last vector function, per
/// call, or those of its first op.
double cycles_of(const Case& of, engine::Mode mode, Modelled& modelled) {
    const runner::Program program = runner::parse_program(of.text);
    runner::CoreMachine machine(platforms::load_product(of.measurement.product), mode);
    runner::Interpreter interpreter(program, of.path.parent_path().string(), machine, [](const runner::Dump&) {});
    interpreter.run();
    const runner::RunResult& result = interpreter.result();
    if (result.status != runner::ExitStatus::fine || !runner::all_diagnostics(result, machine).empty()) {
        throw std::runtime_error(fmt::format("'{}' does not run without complaints", of.path.string()));
    }
    const engine::Statistics& statistics = machine.statistics();
    if (statistics.vf_cycles > 0) {
        const double percent = 100.0 / static_cast<double>(statistics.vf_cycles);
        modelled.load_conflicts = percent * static_cast<double>(statistics.load_conflict_cycles);
        modelled.store_conflicts = percent * static_cast<double>(statistics.store_conflict_cycles);
    }
    if (result.vectors.empty()) return static_cast<double>(result.ops.at(0).cycles) / of.measurement.per;
    const runner::VfTotals& totals = result.vectors.back();
    return static_cast<double>(totals.cycles) / static_cast<double>(totals.calls) / of.measurement.per;
}

std::vector<Case> run_all(const std::filesystem::path& folder) {
    std::vector<Case> cases;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".vprog") cases.push_back({entry.path(), content_of(entry.path()), {}, {}});
    }
    if (cases.empty()) throw std::runtime_error(fmt::format("'{}' holds no programs", folder.string()));
    std::sort(cases.begin(), cases.end(), [](const Case& a, const Case& b) { return a.path < b.path; });
    for (Case& of : cases) {
        of.measurement = measurement_in(of.text, of.path);
        Modelled unused;
        of.modelled.cycles = cycles_of(of, engine::Mode::approximately_timed, of.modelled);
        of.modelled.loosely_timed_cycles = cycles_of(of, engine::Mode::loosely_timed, unused);
    }
    return cases;
}

std::string pair_text(const std::optional<double>& published, double modelled) {
    return published ? fmt::format("{:.1f} / {:.1f}", *published, modelled) : "";
}

void print_table(const std::vector<Case>& cases) {
    std::cout << fmt::format("{:<12}{:<16}{:>10}{:>10}{:>9}{:>16}{:>16}{:>10}\n", "product", "case", "published",
                             "modelled", "error", "loads blocked", "stores blocked", "lt");
    for (const Case& of : cases) {
        std::cout << fmt::format("{:<12}{:<16}{:>10.2f}{:>10.2f}{:>8.1f}%{:>16}{:>16}{:>10.2f}\n",
                                 of.measurement.product, of.measurement.name, of.measurement.cycles, of.modelled.cycles,
                                 of.error(), pair_text(of.measurement.load_conflicts, of.modelled.load_conflicts),
                                 pair_text(of.measurement.store_conflicts, of.modelled.store_conflicts),
                                 of.modelled.loosely_timed_cycles);
    }
    std::cout << "cycles per call; blocked: percent of cycles, published / modelled; lt: loosely timed\n";
}

struct ErrorOfProduct {
    double sum = 0;
    double worst = 0;
    std::size_t cases = 0;

    double mean() const { return sum / static_cast<double>(cases); }
};

std::map<std::string, ErrorOfProduct> errors_of(const std::vector<Case>& cases) {
    std::map<std::string, ErrorOfProduct> errors;
    for (const Case& of : cases) {
        ErrorOfProduct& error = errors[of.measurement.product];
        error.sum += std::abs(of.error());
        error.worst = std::max(error.worst, std::abs(of.error()));
        ++error.cases;
    }
    return errors;
}

/// Every limit that a case misses, as a sentence.
void check(const Case& of, std::vector<std::string>& misses) {
    const auto miss = [&](const std::string& what) {
        misses.push_back(fmt::format("{}, case {}: {}", of.measurement.product, of.measurement.name, what));
    };
    const auto check_conflicts = [&](const char* unit, const std::optional<double>& published, double modelled) {
        if (published && std::abs(*published - modelled) > kConflictLimit) {
            miss(fmt::format("conflicts of the {} unit are more than {} points off", unit, kConflictLimit));
        }
    };
    if (std::abs(of.error()) > of.measurement.tolerance) {
        miss(fmt::format("the error is more than {} %", of.measurement.tolerance));
    }
    if (of.measurement.exact && std::round(of.modelled.cycles) != of.measurement.cycles) miss("is not exact");
    check_conflicts("load", of.measurement.load_conflicts, of.modelled.load_conflicts);
    check_conflicts("store", of.measurement.store_conflicts, of.modelled.store_conflicts);
    if (std::abs(of.modelled.loosely_timed_cycles / of.modelled.cycles - 1) > kLooselyTimedLimit / 100) {
        miss(fmt::format("loosely-timed cycles are more than {} % off", kLooselyTimedLimit));
    }
}

int run(const std::vector<std::string>& arguments) {
    const bool checks = !arguments.empty() && arguments.front() == "--check";
    if (arguments.size() != (checks ? 2 : 1)) {
        std::cerr << "usage: vcore-calibration [--check] FOLDER\n";
        return 2;
    }
    const std::vector<Case> cases = run_all(arguments.back());
    print_table(cases);
    std::vector<std::string> misses;
    for (const auto& [product, error] : errors_of(cases)) {
        std::cout << fmt::format("{}: mean error {:.2f} %, worst {:.2f} % of {} cases\n", product, error.mean(),
                                 error.worst, error.cases);
        if (error.mean() > kMeanLimit && product == "ascend950") {
            misses.push_back(fmt::format("{}: the mean error is more than {} %", product, kMeanLimit));
        }
    }
    for (const Case& of : cases) check(of, misses);
    if (!checks) return 0;
    for (const std::string& miss : misses) std::cerr << miss << "\n";
    return misses.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char* argv[]) {
    try {
        return run({argv + 1, argv + argc});
    } catch (const runner::ProgramError& error) {
        std::cerr << "vcore-calibration: " << error.text("a program") << "\n";
    } catch (const std::exception& error) {
        std::cerr << "vcore-calibration: " << error.what() << "\n";
    }
    return 2;
}
