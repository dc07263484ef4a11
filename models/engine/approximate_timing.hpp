// Time of a core in approximately-timed mode: feeds the cycle-stepped pipeline with what ops ask of the banks, beside
// the traffic of transfers and foreign initiators, and passes on what becomes known.
//
// It only translates: accesses into footprints, ops into pipeline classes, pipeline reports into records by source
// line. Nothing here allocates once footprints have grown to their size.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/engine/configuration.hpp"
#include "models/isa/access.hpp"
#include "models/isa/ops.hpp"
#include "models/timing/bank_rules.hpp"
#include "models/timing/footprint.hpp"
#include "models/timing/pipeline.hpp"

namespace vcore::engine {

/// One op whose completion has become known.
struct OpRecord {
    std::uint64_t ticket = 0;  ///< OpResult::ticket of the op
    std::uint32_t line = 0;
    isa::OpKind kind{};
    timing::Cycle dispatch;
    timing::Cycle issue;
    timing::Cycle complete;
    // The parts of complete - dispatch; all but `execute` are 0 in loosely-timed mode.
    std::uint32_t enter = 0;
    std::uint32_t operands = 0;
    std::uint32_t bank = 0;
    std::uint32_t port = 0;
    std::uint32_t sub_bank = 0;
    std::uint32_t execute = 0;
    std::uint32_t steps = 0;  ///< cycles of bank traffic
};

/// Told of completions and of trouble.
class TimingListener {
public:
    virtual void on_op(const OpRecord& record) = 0;
    /// Foreign traffic or a transfer `id` has had its last beat.
    virtual void on_traffic(std::uint32_t id, timing::Cycle complete) = 0;
    virtual void on_deadlock(const timing::Deadlock& deadlock) = 0;

protected:
    ~TimingListener() = default;
};

class ApproximateTiming final : timing::PipelineListener {
public:
    /// `banks` counts the rows and words that accesses touch, and the cycles that they wait for banks.
    ApproximateTiming(const timing::Parameters& parameters, timing::BankCounters& banks, TimingListener& listener);

    timing::Pipeline& pipeline() { return pipeline_; }
    const timing::Pipeline& pipeline() const { return pipeline_; }
    void reset();
    /// Brings the counters of rows up to date.
    void fold_counts();

    // ---- ops of a VF: begin(), its access if it has one, then feed()

    void begin(const isa::Op& op, std::uint64_t ticket, std::uint32_t line);
    void access(const isa::ContiguousAccess& access, timing::Direction direction);
    void access(const isa::BlockAccess& access, timing::Direction direction);
    void access(const isa::IndexedAccess& access, std::uint32_t lanes_per_beat, timing::Direction direction);
    /// Returns the cycle of dispatch.
    timing::Cycle feed(const isa::Op& op, const isa::Operands& operands);
    timing::Cycle barrier(isa::BarrierKind kind);

    // ---- tensor ops: begin_tensor(), accesses iteration by iteration, end_tensor()

    void begin_tensor(const isa::Op& op, std::uint64_t ticket, std::uint32_t line, bool as_vector_function,
                      timing::Cycle now);
    struct TensorTimes {
        timing::Cycle start;
        timing::Cycle complete;
        bool traffic = false;  ///< false: the op touched nothing and takes no time
    };
    TensorTimes end_tensor();

    // ---- transfers and foreign accesses

    /// `bytes` from `address` on, at most `bytes_per_cycle` of them in a cycle, called at `at`. Returns the id of the
    /// traffic.
    std::uint32_t transfer(timing::Direction direction, std::uint32_t address, std::uint32_t bytes,
                           std::uint32_t bytes_per_cycle, std::uint32_t channel, timing::Cycle at);
    /// The same for foreign accesses, 256 B in a cycle; their rows are somebody else's to count.
    std::uint32_t foreign(timing::Direction direction, std::uint32_t address, std::uint32_t bytes,
                          std::uint32_t channel, timing::Cycle at);
    std::uint32_t foreign(timing::Direction direction, const isa::ContiguousAccess& access, std::uint32_t channel,
                          timing::Cycle at);

private:
    /// What is known of an op while it is in the pipeline.
    struct Ticket {
        std::uint64_t number = 0;
        std::uint32_t line = 0;
        isa::OpKind kind{};
    };
    static constexpr std::uint32_t kTickets = 4096;  ///< more than can be in flight
    Ticket& ticket(std::uint32_t tag) { return tickets_[tag % kTickets]; }

    void on_op(const timing::OpTrace& trace) override;
    void on_barrier(std::uint32_t tag, timing::Cycle dispatch, timing::Cycle reached) override;
    void on_external(std::uint32_t id, timing::Cycle complete) override;
    void on_deadlock(const timing::Deadlock& deadlock) override;

    std::uint32_t start_traffic(std::uint32_t channel, timing::Cycle at);
    void count(const timing::Footprint& footprint);
    void count_own_conflicts(const timing::Footprint& footprint);
    void tensor_access();
    void start_tensor();

    timing::BankCounters& banks_;
    TimingListener& listener_;
    timing::FootprintMaker maker_;
    timing::Pipeline pipeline_;
    // Rows since the last fold_counts(): each entry says how many more a bank has had than the bank before it, so that
    // a run of rows takes two of them.
    std::vector<std::int64_t> reads_;
    std::vector<std::int64_t> writes_;
    timing::Footprint footprint_;  // of the current access
    bool has_footprint_ = false;
    std::uint32_t tag_ = 0;
    std::uint32_t next_traffic_ = 0;
    std::array<Ticket, kTickets> tickets_{};

    // The running tensor op.
    bool tensor_ = false;
    bool tensor_started_ = false;
    bool as_vector_function_ = false;
    isa::ElementType tensor_type_{};
    bool tensor_is_add_ = false;
    timing::Cycle tensor_called_;
    timing::Cycle tensor_start_;
    std::uint32_t reads_seen_ = 0;  // in the current iteration
    timing::TensorScatterFootprints scatter_;
    timing::Footprint sources_[2];
};

}  // namespace vcore::engine
