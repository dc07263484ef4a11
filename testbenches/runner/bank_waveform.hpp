// What each bank of the UB did in each cycle, for `--trace FILE.vcd`: one scope per bank with two signals, `read` and
// `write`, which are 1 in the cycles in which the bank served one.
#pragma once

#include <cstdint>
#include <iosfwd>

#include "models/engine/configuration.hpp"
#include "models/timing/arbiter.hpp"
#include "testbenches/runner/event_ring.hpp"

namespace vcore::runner {

class BankWaveform final : public timing::BankListener {
public:
    static constexpr std::size_t kEvents = std::size_t{1} << 22;

    explicit BankWaveform(std::size_t events = kEvents) : ring_(events) {}

    void on_banks(timing::Cycle cycle, timing::Direction direction, const timing::Touch* first,
                  const timing::Touch* last) override;

    /// Reads and writes that did not fit: the oldest.
    std::uint64_t dropped() const { return ring_.dropped(); }
    void write_vcd(std::ostream& stream, const engine::Configuration& configuration) const;

private:
    struct Event {
        std::uint64_t cycle = 0;
        std::uint32_t bank = 0;
        bool write = false;
    };

    EventRing<Event> ring_;
};

}  // namespace vcore::runner
