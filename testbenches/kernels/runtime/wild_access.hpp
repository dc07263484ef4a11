// Ordinary code of a kernel that reads or writes where there is no memory ends with a sentence, not a crash.
#pragma once

#include "testbenches/kernels/runtime/call_site.hpp"

namespace vcore::kernels {

/// While one exists, an access to an address without memory prints "FILE:LINE: error: … [wild-access]" and ends the
/// process with kRefused. FILE:LINE is where the latest op was called, or the kernel: the sentence says "after".
class WildAccessGuard {
public:
    /// `latest` is read when it happens.
    explicit WildAccessGuard(const CallSite& latest);
    ~WildAccessGuard();
    WildAccessGuard(const WildAccessGuard&) = delete;
    WildAccessGuard& operator=(const WildAccessGuard&) = delete;
};

}  // namespace vcore::kernels
