// vcore-sim diff: two reports of runs side by side.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "testbenches/runner/command.hpp"
#include "testbenches/runner/report_diff.hpp"

namespace vcore::runner {
namespace {

namespace po = boost::program_options;

constexpr int kSame = 0;
constexpr int kDifferent = 1;

std::string read_report(const std::string& path) {
    std::error_code ignored;
    std::ifstream stream(path, std::ios::binary);
    if (!stream || std::filesystem::is_directory(path, ignored)) {
        throw UsageError(fmt::format("cannot read the report '{}'", path));
    }
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

int run(const Command& command, const po::variables_map& arguments) {
    const auto names = list_argument(arguments, "NAME");
    if (names.size() != 2) throw UsageError("two reports are needed", command.name);
    try {
        const ReportDiff diff = diff_reports(read_report(names[0]), names[0], read_report(names[1]), names[1]);
        std::cout << diff.text;
        return diff.differs ? kDifferent : kSame;
    } catch (const ReportError& error) {
        throw UsageError(error.what());
    }
}

}  // namespace

Command diff_command() {
    return {"diff",     "A.json B.json", "what got slower or faster between two reports (exit status 1: something did)",
            no_options, many_names,      run};
}

}  // namespace vcore::runner
