#include "testbenches/runner/vf_meter.hpp"

#include <algorithm>

namespace vcore::runner {

void VfMeter::start(const Machine& machine, const VfTotals& totals) {
    called_ = machine.now();
    calls_before_ = totals.calls;
    shared_until_ = totals.last_complete;
    first_.reset();
}

void VfMeter::begun(const Machine& machine, const Outcome& begin) {
    if (first_) return;
    first_ = begin.issue;
    causes_begun_ = machine.statistics().causes;
}

void VfMeter::ended(VfTotals& totals, const Outcome& end) {
    ++totals.calls;
    totals.last_complete = end.complete;
}

VfMeter::Measure VfMeter::finish(const Machine& machine, VfTotals& totals) const {
    const std::uint64_t calls = totals.calls - calls_before_;
    if (calls == 0) return {};
    const std::uint64_t shared = std::min(totals.last_complete, std::max(called_, shared_until_)) - called_;
    totals.cycles += totals.last_complete - called_ - shared;
    if (machine.mode() == engine::Mode::approximately_timed) explain(machine, totals, shared);
    return {totals.last_complete - called_, calls};
}

/// Adds the causes of the cycles of the calls just made, of which `shared` are counted with calls before.
void VfMeter::explain(const Machine& machine, VfTotals& totals, std::uint64_t shared) const {
    const auto& causes = machine.statistics().causes;
    for (std::size_t i = 0; i < timing::kCauses; ++i) totals.causes[i] += causes[i] - causes_begun_[i];
    auto& start = totals.causes[static_cast<std::size_t>(timing::Cause::start)];
    auto& drain = totals.causes[static_cast<std::size_t>(timing::Cause::drain)];
    start += *first_ + 1 - called_;
    // A call that starts up while the one before drains: its cycles are counted as start-up, the stronger cause.
    const std::uint64_t drained = std::min(drain, shared);
    drain -= drained;
    start -= shared - drained;
}

}  // namespace vcore::runner
