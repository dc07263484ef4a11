// Counts every heap allocation of the program, so that a test can ask for none.
#pragma once

#include <cstdint>

namespace vcore::conformance {

/// Allocations since the program started.
std::uint64_t allocations();

}  // namespace vcore::conformance
