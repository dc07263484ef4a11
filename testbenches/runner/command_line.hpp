// The command line of vcore-sim: run, check, products, describe, and those of command.hpp.
//
// Source: `vprog.md` "Command line". Help, unknown options and near-miss names behave as users of git or cmake expect.
#pragma once

#include <string>
#include <vector>

namespace vcore::runner {

/// Runs one command; `arguments` come without the program's name. Returns the exit status. Output goes to the standard
/// streams. Elaborates SystemC for `run` only.
int run_command_line(const std::vector<std::string>& arguments);

}  // namespace vcore::runner
