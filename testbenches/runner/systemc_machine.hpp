// The SystemC model as a machine: a platforms::Top, driven through its sockets by one thread.
//
//     driver ──op──▶ top.core · driver ──base protocol──▶ top.mte · debug access to UB and register files
//
// Time contract: the driver runs ahead of the simulation by at most a quantum, in both modes.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "testbenches/runner/machine.hpp"

namespace vcore::runner {

/// Cycles that the driver may run ahead, unless told otherwise.
inline constexpr std::uint64_t kQuantumCycles = 10'000;

/// Bytes of stack that a user of the machine gets, unless told otherwise: blocks of a program nest up to a hundred
/// deep, and each level takes a few frames, which sanitizers make larger.
inline constexpr std::size_t kStackBytes = std::size_t{1} << 20;

/// A machine that stays for several users, one after another. Once per process: SystemC elaborates no second time.
class SystemcMachine {
public:
    SystemcMachine(const engine::Configuration& configuration, engine::Mode mode,
                   std::uint64_t quantum_cycles = kQuantumCycles, std::size_t stack_bytes = kStackBytes);
    ~SystemcMachine();
    SystemcMachine(const SystemcMachine&) = delete;
    SystemcMachine& operator=(const SystemcMachine&) = delete;

    /// Calls `use` in a thread process, and simulates until nothing is left to do. What `use` throws is thrown again.
    void run(const std::function<void(Machine&)>& use);

    /// To look at, between runs; ops and transfers belong in `use`.
    Machine& machine();

private:
    class Driver;
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

/// A machine for one user.
void with_systemc_machine(const engine::Configuration& configuration, engine::Mode mode,
                          const std::function<void(Machine&)>& use, std::uint64_t quantum_cycles = kQuantumCycles);

}  // namespace vcore::runner
