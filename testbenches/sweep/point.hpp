// One point of a sweep: a program on one core without SystemC, and the line of the results that says what came of it.
#pragma once

#include <string>

#include "testbenches/sweep/specification.hpp"

namespace vcore::sweep {

/// The command that repeats the point, to be called in the folder of the specification.
std::string repeat_command(const Specification& specification, const Point& point);

/// Runs it. One line of JSON, with its end: "point" (its number), "program", "product", "axes", "derived", "command",
/// "status" (fine, expect_failed, bad_input, refused or illegal), "error" where the status is bad_input or illegal, and
/// the fields of a report but for its schema and dumps. An illegal configuration has no report.
/// Depends on nothing but its arguments; any number of threads may call it.
std::string run_point(const Specification& specification, const Point& point);

}  // namespace vcore::sweep
