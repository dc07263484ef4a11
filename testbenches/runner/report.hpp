// The report of a run: JSON with stable keys, as report.schema.json describes it, and what the terminal shows.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "testbenches/runner/interpreter.hpp"
#include "testbenches/runner/machine.hpp"
#include "testbenches/runner/program.hpp"

namespace vcore::runner {

/// Diagnostics of the model and of the runner, in the order in which they first occurred.
std::vector<isa::Diagnostic> all_diagnostics(const RunResult& result, Machine& machine,
                                             const SourcePlaces& places = {});

/// The report. Source: `vprog.md` "Report".
nlohmann::ordered_json report_document(const Program& program, const RunResult& result, Machine& machine);

/// The whole report as JSON text with two-space indent. Source: `vprog.md` "Report".
std::string report_json(const Program& program, const RunResult& result, Machine& machine);

/// "first.vprog:12: error: … [ub-out-of-bounds] (3 times)"; `file` stands for a diagnostic that names none.
std::string diagnostic_text(const isa::Diagnostic& diagnostic, std::string_view file);

/// A dump as lines of at most 16 elements, each with the place of its first one.
std::string dump_text(const Dump& dump);

/// A table of what cycles of each vector function were spent on; empty where that is not known (loosely timed).
std::string causes_text(const Program& program, const RunResult& result, Machine& machine);

/// "deadlock in cycle 812: …", with a line for each op or transfer that waits.
std::string deadlock_text(const timing::Deadlock& deadlock);

/// "lt" or "at".
std::string_view mode_name(engine::Mode mode);

/// "ascend950, mode lt: 65 cycles = 39.394 ns, no diagnostics". Announced refusals are not counted.
std::string summary_text(const Program& program, const RunResult& result, Machine& machine);

}  // namespace vcore::runner
