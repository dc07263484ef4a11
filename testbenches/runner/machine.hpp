// What a program runs on: one vector core with its UB, its registers and its transfers, at a point in time.
//
// Time contract: a machine has a current cycle, which issue() and transfer() advance to where the next statement may
// start. Placing and looking takes no time and counts no traffic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "models/engine/approximate_timing.hpp"
#include "models/engine/core.hpp"
#include "models/isa/ops.hpp"
#include "models/isa/registers.hpp"

namespace vcore::runner {

/// What came of an op or a transfer, in cycles since reset.
struct Outcome {
    isa::DiagnosticId fault = isa::DiagnosticId::none;  ///< why it was refused
    std::uint64_t issue = 0;
    std::uint64_t complete = 0;
    std::uint64_t ticket = 0;  ///< names the op, or the transfer, to the listener
    bool pending = false;      ///< issue and complete are not known yet: the listener will be told

    bool refused() const { return fault != isa::DiagnosticId::none; }
};

class Machine {
public:
    virtual ~Machine() = default;

    virtual const engine::Configuration& configuration() const = 0;
    virtual engine::Mode mode() const = 0;

    /// Told of every completion from now on; null: nobody. It must stay until the machine is gone or another is set.
    virtual void set_listener(engine::TimingListener* listener) = 0;

    /// Shown what the banks do in each cycle, in approximately-timed mode; null: nobody.
    virtual void set_bank_listener(timing::BankListener* listener) = 0;

    /// Performs or refuses one op; its in/out fields are updated. Afterwards it is the cycle at which the next op can
    /// be dispatched.
    virtual Outcome issue(isa::Op& op, std::uint32_t line) = 0;

    /// Moves bytes between `data` (null: traffic only) and the UB. Without `at` the machine waits for the last byte;
    /// with it the transfer starts at that cycle, or now where that is past, and the machine goes on at once: the
    /// outcome may be pending.
    virtual Outcome transfer(const engine::TransferRequest& request, std::byte* data,
                             std::optional<std::uint64_t> at) = 0;

    /// Waits until everything that has been called has completed. Takes no time of ops that follow: there are none.
    virtual void finish() = 0;

    /// Waits until everything has completed, then makes registers, masks and UB as they are at reset: zero and never
    /// written. Time, statistics and diagnostics go on. Not inside a vector function.
    virtual void restart() = 0;

    /// The current cycle.
    virtual std::uint64_t now() const = 0;

    /// Sets and reads UB bytes that lie inside it, at least one.
    virtual void place(std::uint32_t address, const std::byte* data, std::uint32_t bytes) = 0;
    virtual void look(std::uint32_t address, std::byte* data, std::uint32_t bytes) = 0;
    /// Reads a register; `number` is a legal one.
    virtual isa::VectorRegister vector_register(std::uint32_t number) = 0;
    virtual isa::MaskRegister mask_register(std::uint32_t number) = 0;

    /// The UB bytes. Whoever writes there leaves no trace, but a block of 32 B that is not all zero counts as written
    /// from now on.
    virtual std::byte* ub_bytes() = 0;

    virtual const engine::Statistics& statistics() const = 0;
    virtual const isa::DiagnosticLog& diagnostics() = 0;
};

}  // namespace vcore::runner
