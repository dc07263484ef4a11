// What is known of completed ops, by source line: how often, how long, and where their cycles went.
//
// Ops complete later than they are called, and out of order; a machine tells of each once. Lines name statements: no
// line holds two ops.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "models/engine/approximate_timing.hpp"
#include "testbenches/runner/program.hpp"

namespace vcore::runner {

/// What an op spends its cycles on, from dispatch to completion. Source: timing::OpTrace.
enum class Part : std::uint8_t { enter, operands, bank, port, sub_bank, execute };
inline constexpr std::size_t kParts = 6;
std::string_view name(Part part);
std::array<std::uint32_t, kParts> parts_of(const engine::OpRecord& record);

struct OpTotals {
    std::uint64_t count = 0;                    ///< completed executions
    std::uint64_t cycles = 0;                   ///< issue to completion, summed
    bool transfer = false;                      ///< not an op of the core: it has no parts
    std::uint64_t lifetime = 0;                 ///< dispatch to completion, summed
    std::array<std::uint64_t, kParts> parts{};  ///< of `lifetime`
};

/// Somebody else who is told of everything, in the same order.
using CompletionListener = engine::TimingListener;

class Completions final : public engine::TimingListener {
public:
    /// Told of the cycles from issue to completion that somebody waits for.
    using Check = std::function<void(std::uint64_t cycles)>;

    Completions() = default;
    explicit Completions(const Program& program);

    /// Ops of this line, other than those of any other, are counted from now on; returns their index in totals().
    std::size_t add_line(std::uint32_t line);

    const std::vector<OpTotals>& totals() const { return totals_; }  ///< indexed as Program::ops
    /// Ops and transfers that were given up: everything waited for something else.
    const std::vector<timing::Deadlock>& deadlocks() const { return deadlocks_; }

    /// Cycles of a transfer that is known to be over.
    void transferred(std::size_t statistics, std::uint64_t cycles);
    /// A transfer whose end on_traffic() will tell.
    void expect_transfer(std::uint64_t id, std::size_t statistics, std::uint64_t start);
    /// Calls `check` once the op, or the transfer, has completed. It has not yet.
    void when_complete(std::uint64_t ticket, Check check);
    void when_transferred(std::uint64_t id, Check check);

    void set_next(CompletionListener* next) { next_ = next; }

    void on_op(const engine::OpRecord& record) override;
    void on_traffic(std::uint32_t id, timing::Cycle complete) override;
    void on_deadlock(const timing::Deadlock& deadlock) override;

private:
    struct Transfer {
        std::uint64_t id = 0;
        std::size_t statistics = 0;
        std::uint64_t start = 0;
        Check check;
    };
    struct Waiting {
        std::uint64_t ticket = 0;
        Check check;
    };

    std::vector<std::size_t> statistics_of_line_;
    std::vector<OpTotals> totals_;
    std::vector<Transfer> transfers_;  // running
    std::vector<Waiting> waiting_;
    std::vector<timing::Deadlock> deadlocks_;
    CompletionListener* next_ = nullptr;
};

}  // namespace vcore::runner
