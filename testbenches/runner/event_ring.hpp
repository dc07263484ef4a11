// A fixed number of the latest events. Older ones make room, and are counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vcore::runner {

template <typename Event>
class EventRing {
public:
    /// `capacity` is at least 1; all memory is taken at once.
    explicit EventRing(std::size_t capacity) : events_(capacity) {}

    void push(const Event& event) { events_[pushed_++ % events_.size()] = event; }

    std::size_t size() const { return pushed_ < events_.size() ? static_cast<std::size_t>(pushed_) : events_.size(); }
    std::uint64_t dropped() const { return pushed_ - size(); }
    /// `index` 0 is the oldest that is left.
    const Event& at(std::size_t index) const { return events_[(dropped() + index) % events_.size()]; }

private:
    std::vector<Event> events_;
    std::uint64_t pushed_ = 0;
};

}  // namespace vcore::runner
