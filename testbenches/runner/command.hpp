// A command of vcore-sim: its options, its help and what it does. One file per group of commands.
#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <vector>

#include "testbenches/runner/interpreter.hpp"
#include "testbenches/runner/run_setup.hpp"

namespace vcore::runner {

struct Command {
    std::string name;
    std::string synopsis;
    std::string summary;
    boost::program_options::options_description (*options)();
    boost::program_options::positional_options_description (*positionals)();
    /// Returns the exit status; throws UsageError.
    int (*run)(const Command& command, const boost::program_options::variables_map& arguments);
};

inline int status_code(ExitStatus status) {
    return static_cast<int>(status);
}

boost::program_options::options_description no_options();
/// One argument, and any number of them, under "NAME"; none.
boost::program_options::positional_options_description one_name();
boost::program_options::positional_options_description many_names();
boost::program_options::positional_options_description no_names();
/// The argument, or a UsageError that `what` is missing.
std::string the_name(const Command& command, const boost::program_options::variables_map& arguments,
                     std::string_view what);

// Exploration.
Command generate_command();
Command sweep_command();
Command merge_command();
Command diff_command();

}  // namespace vcore::runner
