#include "testbenches/unit/allocation_counter.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>

namespace {

std::atomic<std::uint64_t> count{0};

void* counted(std::size_t bytes, std::size_t alignment) {
    count.fetch_add(1, std::memory_order_relaxed);
    void* memory = nullptr;
    if (alignment < sizeof(void*)) alignment = sizeof(void*);
    if (posix_memalign(&memory, alignment, bytes) != 0) throw std::bad_alloc();
    return memory;
}

}  // namespace

// The array, nothrow and sized forms of the standard library end in these.
void* operator new(std::size_t bytes) {
    return counted(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return counted(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}

namespace vcore::unit {

std::uint64_t allocations() {
    return count.load(std::memory_order_relaxed);
}

namespace {

struct alignas(64) Aligned {
    int value = 0;
};

TEST(AllocationCounter, CountsEveryKindOfNew) {
    const std::uint64_t before = allocations();
    const auto one = std::make_unique<int>(1);
    const auto many = std::make_unique<int[]>(100);
    const auto aligned = std::make_unique<Aligned>();
    EXPECT_EQ(allocations(), before + 3);
    EXPECT_EQ(*one + many[99] + aligned->value, 1);
}

}  // namespace
}  // namespace vcore::unit
