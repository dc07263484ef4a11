// Flags between pipes, and barriers: what a kernel says about order outside vector functions.
//
// The model performs a kernel in program order and each transfer waits for what was before it, so flags take no time.
// They are checked: waiting for a flag that nobody has set is a deadlock on silicon, setting one that is set is lost.
#pragma once

#include <cstdint>

#include "testbenches/kernels/runtime/call_site.hpp"

namespace vcore::kernels {

/// Numbers are the caller's: two pipes make a direction, `event` tells flags of a direction apart.
struct EventFlag {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint32_t event = 0;
};

/// `what` names the flag in messages: "MTE2_V, event 0". Warns where it is set already (flag-set-twice).
void set_flag(const EventFlag& flag, const char* what, CallSite site);
/// Ends the kernel where the flag is not set (deadlock).
void wait_flag(const EventFlag& flag, const char* what, CallSite site);

/// A barrier outside vector functions (PipeBarrier): takes no time. In one it ends the kernel (bad-argument): there
/// LocalMemBar stands for it.
void pipe_barrier(CallSite site);

}  // namespace vcore::kernels
