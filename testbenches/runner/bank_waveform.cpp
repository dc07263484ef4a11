#include "testbenches/runner/bank_waveform.hpp"

#include <fmt/format.h>

#include <cmath>
#include <ostream>
#include <vector>

#include "testbenches/runner/vcd_writer.hpp"

namespace vcore::runner {

void BankWaveform::on_banks(timing::Cycle cycle, timing::Direction direction, const timing::Touch* first,
                            const timing::Touch* last) {
    for (const timing::Touch* touch = first; touch != last; ++touch) {
        ring_.push({cycle.count(), touch->bank, direction == timing::Direction::write});
    }
}

void BankWaveform::write_vcd(std::ostream& stream, const engine::Configuration& configuration) const {
    constexpr double kPicosecondsPerMicrosecond = 1e6;
    const auto time_of = [&](std::uint64_t cycle) {
        const double time = static_cast<double>(cycle) * kPicosecondsPerMicrosecond / configuration.clock_mhz;
        return static_cast<std::uint64_t>(std::llround(time));
    };
    VcdWriter vcd(stream);
    const std::uint32_t banks = configuration.timing.ub.banks();
    for (std::uint32_t bank = 0; bank < banks; ++bank) {
        const std::string scope = fmt::format("bank_{}", bank);
        vcd.add(scope, "read");  // signal 2 * bank
        vcd.add(scope, "write");
    }
    vcd.start();

    // A signal is 1 before the cycle in `high_until`, and falls then unless it is asked for again.
    std::vector<VcdWriter::Signal> high;
    std::vector<std::uint64_t> high_until(2 * std::size_t{banks}, 0);
    const auto lower = [&](std::uint64_t before) {
        std::size_t kept = 0;
        for (const VcdWriter::Signal signal : high) {
            if (high_until[signal] < before) {
                vcd.change(time_of(high_until[signal]), signal, false);
            } else {
                high[kept++] = signal;
            }
        }
        high.resize(kept);
    };
    std::uint64_t cycle = 0;
    for (std::size_t i = 0; i < ring_.size();) {
        cycle = ring_.at(i).cycle;
        lower(cycle);
        std::size_t next = i;
        std::vector<VcdWriter::Signal> rising;
        for (; next < ring_.size() && ring_.at(next).cycle == cycle; ++next) {
            const Event& event = ring_.at(next);
            const VcdWriter::Signal signal = 2 * std::size_t{event.bank} + (event.write ? 1 : 0);
            if (high_until[signal] < cycle || high_until[signal] == 0) rising.push_back(signal);
            high_until[signal] = cycle + 1;
        }
        lower(cycle + 1);  // what was asked for in the cycle before and is not in this one
        for (const VcdWriter::Signal signal : rising) {
            vcd.change(time_of(cycle), signal, true);
            high.push_back(signal);
        }
        i = next;
    }
    lower(~std::uint64_t{0});
    vcd.end(time_of(cycle + 1));
}

}  // namespace vcore::runner
