// One vector core without SystemC: meaning, warnings and loosely-timed cost of ops, over storage that somebody else
// owns.
//
// Platform tops, the C library and sweeps all stand on this class, so that function and time are written once. It owns
// no registers and no UB bytes: those belong to register files and the Unified Buffer (or to Storage, for use alone).
//
// Time contract: ops take effect at once, in the order of the calls. issue() returns when the next op can be dispatched
// and when this one completes; neither ever changes a byte. Reset contract: reset() forgets time, the open VF, written
// marks and counters; it does not touch storage or diagnostics.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/engine/approximate_timing.hpp"
#include "models/engine/configuration.hpp"
#include "models/isa/access.hpp"
#include "models/isa/diagnostics.hpp"
#include "models/isa/ops.hpp"
#include "models/isa/registers.hpp"
#include "models/timing/bank_rules.hpp"
#include "models/timing/cycle.hpp"

namespace vcore::engine {

/// Registers and UB bytes in plain memory, zeroed: what a core needs when nobody else holds them.
class Storage {
public:
    explicit Storage(const Configuration& configuration);

    std::byte* ub_bytes() { return ub_bytes_.data(); }
    isa::UbPort& ub() { return ub_; }
    isa::Registers registers() { return {vector_.data(), mask_.data()}; }
    void clear();

private:
    std::vector<std::byte> ub_bytes_;
    std::vector<isa::VectorRegister> vector_;
    std::vector<isa::MaskRegister> mask_;
    isa::LinearUb ub_;
};

enum class Mode : std::uint8_t { loosely_timed, approximately_timed };

/// What came of an op.
struct OpResult {
    isa::Response response = isa::Response::ok;
    isa::DiagnosticId fault = isa::DiagnosticId::none;  ///< why it was refused
    timing::Cycle dispatch;                             ///< the next op can be dispatched at this cycle
    timing::Cycle issue;
    timing::Cycle complete;
    std::uint64_t ticket = 0;  ///< names the op in OpRecord
    bool pending = false;      ///< issue and complete are not known yet
};

/// A transfer between global memory and the UB.
struct TransferRequest {
    timing::Direction direction =
        timing::Direction::write;  ///< write: into the UB ("mte.in"), read: out of it ("mte.out")
    std::int64_t address = 0;      ///< UB byte address, 32 B aligned
    std::int64_t bytes = 0;
    bool beside = false;        ///< what follows does not wait for it
    bool traffic_only = false;  ///< carries no bytes: nobody looks at what it reads
    std::uint32_t line = 0;     ///< source line for diagnostics, 0 where there is none
};

/// Totals since reset.
struct Statistics {
    std::uint64_t ops = 0;  ///< accepted and refused
    std::uint64_t refused = 0;
    timing::Cycle last_completion;  ///< of anything
    std::uint64_t vf_calls = 0;
    std::uint64_t vf_cycles = 0;
    std::uint64_t tensor_cycles = 0;  ///< of memory-based tensor ops, approximately timed
    std::uint64_t sub_bank_stall_cycles = 0;
    std::uint64_t load_conflict_cycles = 0;   ///< extra beats of contiguous and block loads
    std::uint64_t store_conflict_cycles = 0;  ///< extra beats of contiguous and block stores
    timing::BankCounters banks;
    /// Approximately timed: VF cycles by cause (timing::Cause), each cycle once.
    std::array<std::uint64_t, timing::kCauses> causes{};
};

class Core {
public:
    /// `configuration` must outlive the core. `registers` and `ub` are used in every call and must outlive it too.
    Core(const Configuration& configuration, isa::Registers registers, isa::UbPort& ub,
         Mode mode = Mode::loosely_timed);
    ~Core();

    /// Performs or refuses an op that was called at `now`. In/out fields of `op` are updated on success. Refusals and
    /// warnings go to diagnostics() under source line `line` (0 where there is none). Never throws, does not allocate
    /// in steady state.
    OpResult issue(isa::Op& op, std::uint32_t line, timing::Cycle now);

    bool in_vf() const;
    Mode mode() const;

    /// Told of every completion, in either mode; null: nobody.
    void set_listener(TimingListener* listener);

    /// Shown what the banks do, cycle by cycle; null: nobody. Approximately timed only.
    void set_bank_listener(timing::BankListener* listener);

    // Approximately timed, for callers that keep simulated time beside the pipeline's own.
    /// Whether `op` could be dispatched in the current cycle, without running ahead. Loosely timed: always.
    bool has_room(const isa::Op& op) const;
    /// Whether a VfEnd would return without running ahead. Loosely timed: always.
    bool all_issued() const;
    /// Runs up to `now`, included.
    void advance_to(timing::Cycle now);
    /// The next cycle in which anything can happen; the last 64-bit number if nothing ever will.
    timing::Cycle next_wakeup() const;
    /// A foreign access called at `at`, whose rows are the caller's to count; the listener is told when it has been
    /// granted its last beat. Returns its id. Loosely timed there is no contention and nothing to ask for.
    std::uint32_t foreign_access(timing::Direction direction, std::uint32_t address, std::uint32_t bytes,
                                 std::uint32_t channel, timing::Cycle at);
    std::uint32_t foreign_access(timing::Direction direction, const isa::ContiguousAccess& access,
                                 std::uint32_t channel, timing::Cycle at);
    /// Runs until everything has completed, transfers included; returns the last completion.
    timing::Cycle finish();

    /// A transfer between global memory and UB, called at `now`: checks it, moves its bytes, counts its bank rows and
    /// says when it is done. The UB address must be 32 B aligned, `bytes` is any number >= 0. `data` is copied from
    /// (read) or to (write) the UB; null moves no byte: traffic only.
    /// Approximately timed it contends for banks. With `request.beside` the result is pending and the ticket names it.
    OpResult transfer(const TransferRequest& request, std::byte* data, timing::Cycle now);

    /// The checks of transfer() alone, for a DMA that moves the bytes itself. A refusal goes to diagnostics(), as does
    /// the warning about reserved bytes.
    isa::DiagnosticId check_transfer(const TransferRequest& request);

    /// Bytes of the UB that came from outside (a preload, a foreign initiator): they count as written.
    void mark_written(std::uint32_t address, std::uint32_t bytes);
    /// Registers set from outside.
    void mark_written(isa::VregId id);
    void mark_written(isa::MregId id);

    /// UB bytes at `content` (null: nobody) change behind the core's back, by a pointer: a block of 32
    /// bytes that is found different from its reset value counts as written. It must outlive the core.
    void watch_content(const std::byte* content);
    /// UB and registers are as after reset, their values are the caller's to clear: nothing counts as written. Time
    /// goes on. Not inside a VF.
    void forget_written();

    /// The registers have moved: from now on they are read and written there. Their values are the caller's to copy.
    void use_registers(isa::Registers registers);

    void reset();

    const Statistics& statistics() const;
    isa::DiagnosticLog& diagnostics();
    const Configuration& configuration() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace vcore::engine
