// How long a transfer between global memory and UB takes when nobody else wants the banks.
//
// Source: `timing.md` "3510 pipeline", last paragraph (bytes per cycle from compiler data, latency our policy).
#pragma once

#include <cstdint>

#include "models/timing/cycle.hpp"
#include "models/timing/parameters.hpp"

namespace vcore::timing {

/// Cycles from the start of a transfer of `bytes` to its last byte; a transfer of nothing still has its latency.
inline Cycle mte_cycles(const MteParameters& parameters, std::uint64_t bytes) {
    return Cycle(parameters.latency + (bytes + parameters.bytes_per_cycle - 1) / parameters.bytes_per_cycle);
}

}  // namespace vcore::timing
