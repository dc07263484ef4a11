#include "testbenches/unit/allocation_counter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>

namespace {

std::atomic<std::uint64_t> count{0};

void* counted_or_null(std::size_t bytes, std::size_t alignment) {
    count.fetch_add(1, std::memory_order_relaxed);
    void* memory = nullptr;
    const int failed = posix_memalign(&memory, std::max(alignment, sizeof(void*)), std::max<std::size_t>(bytes, 1));
    return failed == 0 ? memory : nullptr;
}

void* counted(std::size_t bytes, std::size_t alignment) {
    void* const memory = counted_or_null(bytes, alignment);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace

// All forms, because a sanitizer brings its own of those that are left out. Deletes are not inlined, or the compiler
// takes free() for a mismatch with new.
void* operator new(std::size_t bytes) {
    return counted(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new[](std::size_t bytes) {
    return counted(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return counted(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
    return counted(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return counted_or_null(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
    return counted_or_null(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, const std::nothrow_t&) noexcept {
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
