#include "testbenches/kernels/runtime/device_memory.hpp"

#include <cstdlib>
#include <iterator>

namespace vcore::kernels {

DeviceMemory& DeviceMemory::get() {
    static DeviceMemory& memory = *new DeviceMemory();  // stays: others free theirs when the process ends
    return memory;
}

void* DeviceMemory::allocate(std::size_t bytes, Kind kind) {
    constexpr std::size_t kAlignment = 512;
    if (bytes > PTRDIFF_MAX - kAlignment) return nullptr;
    void* const pointer = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
    if (pointer == nullptr) return nullptr;
    const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
    forget(begin, begin + bytes);
    allocations_[begin] = {bytes, kind, false};
    return pointer;
}

/// What had been freed there is somebody's again.
void DeviceMemory::forget(std::uintptr_t begin, std::uintptr_t end) {
    auto found = allocations_.upper_bound(begin);
    if (found != allocations_.begin()) --found;
    while (found != allocations_.end() && found->first < end) {
        const bool overlaps = found->first + found->second.bytes > begin;
        found = overlaps ? allocations_.erase(found) : std::next(found);
    }
}

DeviceMemory::Freed DeviceMemory::free(void* pointer, Kind kind) {
    const auto found = allocations_.find(reinterpret_cast<std::uintptr_t>(pointer));
    if (found == allocations_.end() || found->second.kind != kind) return Freed::not_ours;
    if (found->second.freed) return Freed::twice;
    found->second.freed = true;
    std::free(pointer);
    return Freed::yes;
}

DeviceMemory::Range DeviceMemory::find(const void* pointer, std::uint64_t bytes) const {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    const auto next = allocations_.upper_bound(address);
    if (next == allocations_.begin()) return {};
    const auto& [begin, allocation] = *std::prev(next);
    const std::uint64_t offset = address - begin;
    // The end of an allocation is a pointer into it; nothing can be done with it.
    if (offset > allocation.bytes) return {};
    if (offset == allocation.bytes && bytes == 0)
        return {Range::State::inside, allocation.kind, offset, allocation.bytes};
    Range range{Range::State::inside, allocation.kind, offset, allocation.bytes};
    if (allocation.freed) {
        range.state = Range::State::freed;
    } else if (bytes > allocation.bytes - offset) {
        range.state = Range::State::outside;
    }
    return range;
}

}  // namespace vcore::kernels
