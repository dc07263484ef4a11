// Counts heap allocations of the whole test program, for tests that promise none.
#pragma once

#include <cstdint>

namespace vcore::unit {

/// Calls of operator new so far.
std::uint64_t allocations();

}  // namespace vcore::unit
