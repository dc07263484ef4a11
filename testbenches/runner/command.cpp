#include "testbenches/runner/command.hpp"

#include <fmt/format.h>

namespace vcore::runner {

namespace po = boost::program_options;

po::options_description no_options() {
    return {};
}

po::positional_options_description one_name() {
    po::positional_options_description positionals;
    positionals.add("NAME", 1);
    return positionals;
}

po::positional_options_description many_names() {
    po::positional_options_description positionals;
    positionals.add("NAME", -1);
    return positionals;
}

po::positional_options_description no_names() {
    return {};
}

std::string the_name(const Command& command, const po::variables_map& arguments, std::string_view what) {
    const auto names = list_argument(arguments, "NAME");
    if (names.empty()) throw UsageError(fmt::format("{} is missing", what), command.name);
    return names.front();
}

}  // namespace vcore::runner
