// Errors that the front end itself finds: allocators, events, queues, pointers.
#pragma once

#include <string>

#include "models/isa/diagnostics.hpp"
#include "testbenches/kernels/runtime/call_site.hpp"

namespace vcore::kernels {

/// Exit status of a kernel that was refused something; that of vcore-sim.
inline constexpr int kRefused = 3;

/// Prints "FILE:LINE: error: MESSAGE [ID]", writes report, trace and recording as far as they got, flushes the standard
/// streams and ends the process with kRefused. Ids: models/isa/diagnostics.hpp.
[[noreturn]] void fail(CallSite site, isa::DiagnosticId id, const std::string& message);

/// The same without an end: "FILE:LINE: warning: …" once for a place and id; repetitions are counted.
void warn(CallSite site, isa::DiagnosticId id, const std::string& message);

}  // namespace vcore::kernels
