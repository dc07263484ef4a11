// The SystemC model as a machine: a platforms::Top, driven through its sockets by one thread.
//
//     driver ──op──▶ top.core · driver ──base protocol──▶ top.mte · debug access to UB and register files
//
// Time contract: the driver runs ahead of the simulation by at most a quantum, in both modes.
#pragma once

#include <functional>

#include "testbenches/runner/machine.hpp"

namespace vcore::runner {

/// Cycles that the driver may run ahead, unless told otherwise.
inline constexpr std::uint64_t kQuantumCycles = 10'000;

/// Elaborates the product, calls `use` in a thread process with the machine, and simulates until nothing is left to do.
/// What `use` throws is thrown again. Once per process: SystemC elaborates no second time.
void with_systemc_machine(const engine::Configuration& configuration, engine::Mode mode,
                          const std::function<void(Machine&)>& use, std::uint64_t quantum_cycles = kQuantumCycles);

}  // namespace vcore::runner
