// A deadlock in words, for whoever reports one.
#pragma once

#include <string>

#include "models/timing/pipeline.hpp"

namespace vcore::timing {

/// "block_load 17 waits for op 12": who waits, and for what.
std::string describe(const Deadlock::Waiter& waiter);

}  // namespace vcore::timing
