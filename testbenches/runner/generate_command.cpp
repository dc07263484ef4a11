// vcore-sim generate: programs for access patterns.
#include <fmt/format.h>

#include <fstream>
#include <iostream>

#include "testbenches/runner/command.hpp"
#include "testbenches/sweep/pattern.hpp"

namespace vcore::runner {
namespace {

namespace po = boost::program_options;

po::options_description options() {
    const sweep::PatternParameters defaults;
    po::options_description all;
    const auto number = [&](const char* name, std::uint32_t value, const char* meaning) {
        all.add_options()(name, po::value<std::uint32_t>()->default_value(value)->value_name("N"), meaning);
    };
    all.add_options()("type", po::value<std::string>()->default_value(defaults.type)->value_name("TYPE"),
                      "s8 u8 s16 u16 half bf16 s32 u32 float");
    number("lanes", defaults.lanes, "active lanes of each op; 0: all");
    number("size", defaults.size, "elements of the table; histogram: bins");
    number("count", defaults.count, "elements to look up, rounded up to whole ops");
    number("stride", defaults.stride, "stride: elements between look-ups; transpose: columns");
    number("burst", defaults.burst, "bursts: the longest");
    number("hot", defaults.hot, "hot: rows of 32 B that nine of ten look-ups go to");
    number("row", defaults.row, "zipf: elements of one embedding");
    number("percent", defaults.percent, "compaction: share of elements that stay");
    all.add_options()("skew", po::value<double>()->default_value(defaults.skew)->value_name("X"), "zipf: exponent")(
        "seed", po::value<std::uint64_t>()->default_value(defaults.seed)->value_name("N"), "of the random numbers")(
        "out", po::value<std::string>()->value_name("FILE"), "write the program there (default: the terminal)")(
        "list", "print the patterns instead");
    return all;
}

sweep::PatternParameters parameters_of(const std::string& pattern, const po::variables_map& arguments) {
    sweep::PatternParameters parameters;
    parameters.pattern = pattern;
    parameters.type = arguments["type"].as<std::string>();
    const auto number = [&](const char* name) { return arguments[name].as<std::uint32_t>(); };
    parameters.lanes = number("lanes");
    parameters.size = number("size");
    parameters.count = number("count");
    parameters.stride = number("stride");
    parameters.burst = number("burst");
    parameters.hot = number("hot");
    parameters.row = number("row");
    parameters.percent = number("percent");
    parameters.skew = arguments["skew"].as<double>();
    parameters.seed = arguments["seed"].as<std::uint64_t>();
    return parameters;
}

int run(const Command& command, const po::variables_map& arguments) {
    if (arguments.count("list") != 0) {
        for (const sweep::PatternInfo& pattern : sweep::patterns()) {
            std::cout << fmt::format("{:<13}{}\n", pattern.name, pattern.meaning);
        }
        return status_code(ExitStatus::fine);
    }
    const std::string pattern = the_name(command, arguments, "PATTERN");
    std::string text;
    try {
        text = sweep::generate(parameters_of(pattern, arguments));
    } catch (const sweep::PatternError& error) {
        throw UsageError(error.what(), command.name);
    }
    if (const auto path = argument(arguments, "out")) {
        std::ofstream stream(*path, std::ios::binary | std::ios::trunc);
        stream << text << std::flush;
        if (!stream) throw UsageError(fmt::format("cannot write the program '{}'", *path));
    } else {
        std::cout << text << std::flush;
    }
    return status_code(ExitStatus::fine);
}

}  // namespace

Command generate_command() {
    return {"generate",
            "PATTERN [--type TYPE] [--size N] [--count N] [--seed N]... [--out FILE] | --list",
            "write a program for an access pattern",
            options,
            one_name,
            run};
}

}  // namespace vcore::runner
