#include "models/timing/tensor_unit.hpp"

#include <algorithm>

namespace vcore::timing {

namespace {

/// Cycles without a grant after which waiting is a deadlock: more than max_wait of a configuration.
constexpr std::uint32_t kPatience = 300000;

}  // namespace

TensorUnit::TensorUnit(const Parameters& parameters, BankCycles& banks)
    : head_(parameters.pipeline.tensor_head),
      lag_(std::max(1U, parameters.pipeline.tensor_write_lag)),
      max_wait_(parameters.ub.max_wait),
      banks_(banks),
      writes_(lag_ + std::size_t{1}) {}

void TensorUnit::reset() {
    next_ = after_head_ = 0;
    waited_ = 0;
    given_up_ = false;
    oldest_ = pending_ = 0;
    read_blocked_ = write_blocked_ = 0;
}

void TensorUnit::begin(Cycle now) {
    after_head_ = now.count() + head_;
    given_up_ = false;
    next_ = after_head_ - std::min(head_, lag_);  // the write of the first iteration ends the head
}

TensorUnit::Answer TensorUnit::ask(Arbiter& arbiter, const Footprint* footprint, std::uint32_t& step) {
    if (footprint == nullptr || step >= footprint->steps()) return Answer::nothing_wanted;
    if (arbiter.request(*footprint, step) != Grant::granted) return Answer::blocked;
    ++step;
    return Answer::granted;
}

TensorUnit::Answer TensorUnit::write(Arbiter& arbiter) {
    if (pending_ == 0 || writes_[oldest_].ready > next_) return Answer::nothing_wanted;
    Write& oldest = writes_[oldest_];
    const Answer answer = ask(arbiter, &oldest.footprint, oldest.step);
    if (oldest.step >= oldest.footprint.steps()) {
        oldest_ = (oldest_ + 1) % writes_.size();
        --pending_;
    }
    return answer;
}

void TensorUnit::step(const Footprint* first, std::uint32_t& first_step, const Footprint* second,
                      std::uint32_t& second_step) {
    Arbiter& arbiter = banks_.open(next_, waited_ >= max_wait_);
    const Answer written = write(arbiter);
    const Answer first_read = ask(arbiter, first, first_step);
    const Answer second_read = ask(arbiter, second, second_step);
    banks_.close();
    const auto any = [&](Answer answer, bool with_write) {
        return first_read == answer || second_read == answer || (with_write && written == answer);
    };
    read_blocked_ += any(Answer::blocked, false) ? 1 : 0;
    write_blocked_ += written == Answer::blocked ? 1 : 0;
    waited_ = any(Answer::granted, true) || !any(Answer::blocked, true) ? 0 : waited_ + 1;
    ++next_;
    if (waited_ <= kPatience) return;
    given_up_ = true;
    waited_ = 0;
    pending_ = 0;
    banks_.stuck();
}

void TensorUnit::access(const Footprint& footprint) {
    std::uint32_t done = 0;
    std::uint32_t none = 0;
    next_ = std::max(next_, after_head_);
    while (done < footprint.steps() && !given_up_) step(&footprint, done, nullptr, none);
}

void TensorUnit::iteration(const Footprint& src0, const Footprint& src1, const Footprint& dst) {
    std::uint32_t first = 0;
    std::uint32_t second = 0;
    while (pending_ == writes_.size()) step(nullptr, first, nullptr, second);
    if (given_up_) return;
    do {
        step(&src0, first, &src1, second);
    } while ((first < src0.steps() || second < src1.steps()) && !given_up_);
    if (given_up_) return;
    Write& sum = writes_[(oldest_ + pending_) % writes_.size()];
    ++pending_;
    sum.ready = next_ - 1 + lag_;
    sum.step = 0;
    sum.footprint = dst;
}

Cycle TensorUnit::end() {
    std::uint32_t none = 0;
    while (pending_ > 0) step(nullptr, none, nullptr, none);
    return Cycle(std::max(next_, after_head_));
}

}  // namespace vcore::timing
