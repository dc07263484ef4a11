// What ran when, for `--trace FILE.json`: Chrome's trace format, which Perfetto and MindStudio Insight open.
//
// While a program runs, events go into a ring in binary form; text is made at the end. One track per unit of the core,
// one slice per op, from its issue until its unit is free again; args say the rest: address, dispatch, completion, and
// the cycles it waited by cause. Where slices of a unit overlap (two loads in a cycle, a VF that starts up while the
// one before drains) they stand on a second line of the track. A microsecond of the trace is a cycle of the core.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "models/engine/approximate_timing.hpp"
#include "models/engine/configuration.hpp"
#include "models/isa/ops.hpp"
#include "testbenches/runner/event_ring.hpp"
#include "testbenches/runner/machine.hpp"
#include "testbenches/runner/places.hpp"

namespace vcore::runner {

class Trace final : public engine::TimingListener {
public:
    static constexpr std::size_t kEvents = std::size_t{1} << 20;

    explicit Trace(std::size_t events = kEvents) : ring_(events) {}

    /// An accepted op; its completion may have been told already, or comes later.
    void on_call(std::uint64_t ticket, const isa::Op& op);
    /// A vector function in `line`, from its call until it has drained.
    void on_vf(std::uint32_t line, std::uint64_t called, std::uint64_t complete);
    /// An accepted transfer.
    void on_transfer(const engine::TransferRequest& request, const Outcome& outcome);

    void on_op(const engine::OpRecord& record) override;
    void on_traffic(std::uint32_t id, timing::Cycle complete) override;
    void on_deadlock(const timing::Deadlock&) override {}

    /// Events that did not fit: the oldest.
    std::uint64_t dropped() const { return ring_.dropped(); }
    /// `places` say where the lines of ops are.
    void write_json(std::ostream& stream, const engine::Configuration& configuration,
                    const SourcePlaces& places = {}) const;

private:
    struct Event {
        enum class Kind : std::uint8_t { call, op, vf, transfer, traffic_end };
        Kind kind{};
        isa::OpKind op{};
        bool pending = false;  ///< a transfer whose end comes later
        bool has_address = false;
        std::uint32_t line = 0;
        std::uint64_t ticket = 0;  ///< of an op; of a transfer: its id
        std::int64_t address = 0;  ///< UB bytes
        std::uint64_t bytes = 0;   ///< of a transfer
        std::uint64_t begin = 0;   ///< dispatch, call
        std::uint64_t issue = 0;
        std::uint64_t complete = 0;
        std::uint32_t steps = 0;      ///< cycles of bank traffic
        std::uint32_t parts[6] = {};  ///< by Part
    };
    class Writer;

    EventRing<Event> ring_;
};

}  // namespace vcore::runner
