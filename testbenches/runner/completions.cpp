#include "testbenches/runner/completions.hpp"

#include <algorithm>
#include <utility>

namespace vcore::runner {
namespace {

constexpr std::size_t kNoStatistics = ~std::size_t{0};

std::uint64_t cycles_until(std::uint64_t start, timing::Cycle complete) {
    return complete.count() - std::min(start, complete.count());
}

}  // namespace

std::string_view name(Part part) {
    constexpr std::array<std::string_view, kParts> kNames{"enter", "operands", "bank", "port", "sub_bank", "execute"};
    return kNames[static_cast<std::size_t>(part)];
}

std::array<std::uint32_t, kParts> parts_of(const engine::OpRecord& record) {
    return {record.enter, record.operands, record.bank, record.port, record.sub_bank, record.execute};
}

Completions::Completions(const Program& program) {
    for (const ReportedLine& op : program.ops) add_line(op.line);
}

std::size_t Completions::add_line(std::uint32_t line) {
    if (line >= statistics_of_line_.size()) statistics_of_line_.resize(line + std::size_t{1}, kNoStatistics);
    statistics_of_line_[line] = totals_.size();
    totals_.emplace_back();
    return totals_.size() - 1;
}

void Completions::transferred(std::size_t statistics, std::uint64_t cycles) {
    OpTotals& totals = totals_[statistics];
    ++totals.count;
    totals.cycles += cycles;
    totals.transfer = true;
}

void Completions::expect_transfer(std::uint64_t id, std::size_t statistics, std::uint64_t start) {
    transfers_.push_back({id, statistics, start, nullptr});
}

void Completions::when_complete(std::uint64_t ticket, Check check) {
    waiting_.push_back({ticket, std::move(check)});
}

void Completions::when_transferred(std::uint64_t id, Check check) {
    for (Transfer& transfer : transfers_) {
        if (transfer.id == id) transfer.check = std::move(check);
    }
}

void Completions::on_op(const engine::OpRecord& record) {
    const std::uint64_t cycles = (record.complete - record.issue).count();
    const std::size_t statistics =
        record.line < statistics_of_line_.size() ? statistics_of_line_[record.line] : kNoStatistics;
    if (statistics != kNoStatistics) {
        OpTotals& totals = totals_[statistics];
        ++totals.count;
        totals.cycles += cycles;
        const auto parts = parts_of(record);
        for (std::size_t i = 0; i < kParts; ++i) {
            totals.parts[i] += parts[i];
            totals.lifetime += parts[i];
        }
    }
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
        if (waiting_[i].ticket != record.ticket) continue;
        waiting_[i].check(cycles);
        waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
        break;
    }
    if (next_ != nullptr) next_->on_op(record);
}

void Completions::on_traffic(std::uint32_t id, timing::Cycle complete) {
    const auto found = std::find_if(transfers_.begin(), transfers_.end(),
                                    [id](const Transfer& transfer) { return transfer.id == id; });
    if (found != transfers_.end()) {
        const Transfer transfer = std::move(*found);
        transfers_.erase(found);
        const std::uint64_t cycles = cycles_until(transfer.start, complete);
        transferred(transfer.statistics, cycles);
        if (transfer.check) transfer.check(cycles);
    }
    if (next_ != nullptr) next_->on_traffic(id, complete);
}

void Completions::on_deadlock(const timing::Deadlock& deadlock) {
    deadlocks_.push_back(deadlock);
    if (next_ != nullptr) next_->on_deadlock(deadlock);
}

}  // namespace vcore::runner
