// What can be known of a program before it runs.
#pragma once

#include "testbenches/runner/program.hpp"

namespace vcore::runner {

/// Replaces every expression whose names are known by its value, and stores the values of ops in the ops themselves.
/// Throws ProgramError for an overflow, and for counts that no run could give a meaning to.
void fold(Program& program);

/// Throws ProgramError where the program is known to execute more than kMostOps ops. Loops whose bounds vary are walked
/// for a while; what remains unknown then is left to the run.
void check_op_limit(const Program& program);

/// Throws ProgramError for a number of calls or elements below 0.
void check_count(const Expression& expression, std::int64_t count, std::string_view what);

}  // namespace vcore::runner
