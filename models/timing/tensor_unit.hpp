// Memory-based tensor ops: what architectures without vector functions do instead of them (`timing.md` "2201
// pipeline").
//
// An op costs a head and then the cycles that its accesses need under the bank rules. Iterations of an add read both
// sources in one cycle where the banks let them; the sum leaves the arithmetic pipe, and is written, tensor_write_lag
// cycles behind. A write goes before a read that wants its bank: the pipe cannot hold it back, but it can stop reading.
// So conflicts between reads and writes are hidden while the pipe fills and drains. Without conflicts `n` iterations
// take tensor_head + n.
#pragma once

#include <cstdint>
#include <vector>

#include "models/timing/arbiter.hpp"
#include "models/timing/cycle.hpp"
#include "models/timing/footprint.hpp"
#include "models/timing/parameters.hpp"

namespace vcore::timing {

/// The banks in a cycle, shared with whoever else wants them.
class BankCycles {
public:
    /// Moves to `cycle`, later than the one before, and lets those go first that are stronger; with `first` nobody.
    virtual Arbiter& open(std::uint64_t cycle, bool first) = 0;
    /// Lets the others have what is left.
    virtual void close() = 0;
    /// The op has got nothing for so long that it never will: parameters contradict each other. It is given up.
    virtual void stuck() = 0;

protected:
    ~BankCycles() = default;
};

class TensorUnit {
public:
    TensorUnit(const Parameters& parameters, BankCycles& banks);

    void reset();

    /// Starts an op that was called at `now`.
    void begin(Cycle now);
    /// One more access, after everything before it.
    void access(const Footprint& footprint);
    /// One iteration of an op with two sources: reads both, then writes.
    void iteration(const Footprint& src0, const Footprint& src1, const Footprint& dst);
    /// Returns the cycle in which all is written. An op without accesses takes its head.
    Cycle end();

    std::uint64_t read_blocked() const { return read_blocked_; }    ///< cycles in which banks held back a read
    std::uint64_t write_blocked() const { return write_blocked_; }  ///< the same for writes

private:
    struct Write {
        std::uint64_t ready = 0;
        std::uint32_t step = 0;
        Footprint footprint;
    };
    /// One cycle: the oldest write that is ready, then the next steps of two reads.
    void step(const Footprint* first, std::uint32_t& first_step, const Footprint* second, std::uint32_t& second_step);
    enum class Answer : std::uint8_t { nothing_wanted, granted, blocked };
    Answer write(Arbiter& arbiter);
    static Answer ask(Arbiter& arbiter, const Footprint* footprint, std::uint32_t& step);

    std::uint32_t head_;
    std::uint32_t lag_;
    std::uint32_t max_wait_;
    BankCycles& banks_;
    std::uint64_t next_ = 0;        // the cycle that comes next
    std::uint64_t after_head_ = 0;  // of the running op
    std::uint32_t waited_ = 0;      // cycles since anything was granted
    bool given_up_ = false;         // the running op
    std::vector<Write> writes_;     // ring: sums on their way to the banks
    std::size_t oldest_ = 0;
    std::size_t pending_ = 0;
    std::uint64_t read_blocked_ = 0;
    std::uint64_t write_blocked_ = 0;
};

}  // namespace vcore::timing
