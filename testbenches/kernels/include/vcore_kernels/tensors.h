// Tensors of the C++ API: GlobalTensor in global memory, LocalTensor in the UB, and who gives out UB memory.
//
// GetValue, SetValue and operator() are ordinary code: they take no time. They check that the element lies in the
// tensor (bad-tensor) and that the tensor has not been given back (freed-memory).
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "testbenches/kernels/include/vcore_kernels/qualifiers.h"
#include "testbenches/kernels/include/vcore_kernels/types.h"
#include "testbenches/kernels/runtime/core_state.hpp"
#include "testbenches/kernels/runtime/fail.hpp"
#include "testbenches/kernels/runtime/transfers.hpp"

#define GM_ADDR __gm__ std::uint8_t*

namespace AscendC {

using ::vcore::kernels::CallSite;

constexpr std::uint32_t ONE_BLK_SIZE = 32;
constexpr std::uint32_t ONE_REPEAT_BYTE_SIZE = 256;
constexpr std::int32_t DEFAULT_BLK_STRIDE = 1;
constexpr std::int32_t DEFAULT_REPEAT_STRIDE = 8;
constexpr std::uint32_t DEFAULT_C0_SIZE = 32;

enum class TPosition : std::uint8_t {
    GM,
    A1,
    A2,
    B1,
    B2,
    C1,
    C2,
    CO1,
    CO2,
    VECIN,
    VECOUT,
    VECCALC,
    LCM = VECCALC,
    SPM,
    SHM = SPM,
    TSCM,
    C2PIPE2GM,
    C1PIPE2UB,
    MAX,
};
using QuePosition = TPosition;
enum class Hardware : std::uint8_t { GM, UB, L1, L0A, L0B, L0C, BIAS, FIXBUF, MAX };
enum class CacheMode { CACHE_MODE_DISABLE, CACHE_MODE_NORMAL, CACHE_MODE_LAST, CACHE_MODE_PERSISTENT };
enum class CacheRwMode { READ = 1, WRITE = 2, RW = 3 };

namespace detail {

/// A piece of UB memory that a queue or buffer has given out. Its generation changes when it is given back.
struct UbBuffer {
    std::uint8_t* bytes = nullptr;
    std::uint32_t size = 0;
    std::uint32_t generation = 0;
    bool out = false;  ///< a kernel holds a tensor of it
};

inline void no_element(const char* tensor, std::uint64_t index, std::uint64_t size, CallSite site) {
    ::vcore::kernels::fail(site, ::vcore::isa::DiagnosticId::bad_tensor,
                           std::string("element ") + std::to_string(index) + " of a " + tensor + " of " +
                               std::to_string(size) + " elements");
}

/// UB memory of a block, given out in order: behind local arrays, up to what the toolchain keeps. Starts anew with each
/// block.
class UbSpace {
public:
    static UbSpace& get() {
        static UbSpace space;
        if (space.block_ != ::vcore::kernels::block_serial()) space.restart();
        return space;
    }
    std::uint8_t* take(std::uint64_t bytes, const char* who, CallSite site) {
        const std::uint64_t wanted = (bytes + 31) / 32 * 32;
        if (next_ < ::vcore::kernels::ub_array_end()) next_ = (::vcore::kernels::ub_array_end() + 31) / 32 * 32;
        const std::uint64_t room = ::vcore::kernels::ub_bytes();
        if (next_ > room || wanted > room - next_) {
            ::vcore::kernels::fail(site, ::vcore::isa::DiagnosticId::out_of_space,
                                   std::string(who) + " asks for " + std::to_string(bytes) + " bytes of UB, " +
                                       std::to_string(room - (next_ < room ? next_ : room)) + " of " +
                                       std::to_string(room) + " are left");
        }
        auto* const bytes_of = static_cast<std::uint8_t*>(
            ::vcore::kernels::ub_pointer(::vcore::isa::UbAddress{static_cast<std::int64_t>(next_)}));
        next_ += wanted;
        return bytes_of;
    }
    std::uint64_t next() const { return next_; }
    void restart() {
        next_ = 0;
        block_ = ::vcore::kernels::block_serial();
    }

private:
    std::uint64_t next_ = 0;
    std::uint64_t block_ = ~std::uint64_t{0};
};

}  // namespace detail

/// Elements in global memory: a pointer, and a size where one was given.
template <typename T>
class GlobalTensor {
public:
    using PrimType = T;
    void SetGlobalBuffer(__gm__ T* buffer, std::uint64_t bufferSize) {
        address_ = buffer;
        size_ = bufferSize;
    }
    void SetGlobalBuffer(__gm__ T* buffer) { SetGlobalBuffer(buffer, 0); }
    const __gm__ T* GetPhyAddr() const { return address_; }
    __gm__ T* GetPhyAddr(std::uint64_t offset) const { return address_ + offset; }
    std::uint64_t GetSize() const { return size_; }
    T GetValue(std::uint64_t offset, CallSite site = CallSite::here()) const {
        ::vcore::kernels::check_global(address_ + offset, sizeof(T), site);
        return address_[offset];
    }
    void SetValue(std::uint64_t offset, T value, CallSite site = CallSite::here()) {
        ::vcore::kernels::check_global(address_ + offset, sizeof(T), site);
        address_[offset] = value;
    }
    T& operator()(std::uint64_t offset) const { return address_[offset]; }
    GlobalTensor operator[](std::uint64_t offset) const {
        GlobalTensor part;
        part.address_ = address_ + offset;
        part.size_ = size_ > offset ? size_ - offset : 0;
        return part;
    }
    void SetL2CacheHint(CacheMode) {}

    /// For copies.
    __gm__ T* address_ = nullptr;

private:
    std::uint64_t size_ = 0;
};

/// Elements in the UB.
template <typename T>
class LocalTensor {
public:
    using PrimType = T;
    LocalTensor() = default;
    /// `bytes` bytes at UB address `address`, which is 32 B aligned.
    LocalTensor(TPosition position, std::uint32_t address, std::uint32_t elements, CallSite site = CallSite::here())
        : position_(position), size_(elements) {
        const std::uint64_t room = ::vcore::kernels::ub_bytes();
        const std::uint64_t bytes = std::uint64_t{elements} * sizeof(T);
        if (address % ONE_BLK_SIZE != 0) {
            ::vcore::kernels::fail(
                site, ::vcore::isa::DiagnosticId::misaligned,
                "a LocalTensor at UB address " + std::to_string(address) + ": expected a multiple of 32");
        }
        if (address > room || bytes > room - address) {
            ::vcore::kernels::fail(site, ::vcore::isa::DiagnosticId::bad_tensor,
                                   "a LocalTensor of " + std::to_string(bytes) + " bytes at UB address " +
                                       std::to_string(address) + " does not lie in the " + std::to_string(room) +
                                       " bytes of UB");
        }
        address_ = reinterpret_cast<T*>(::vcore::kernels::ub_pointer(::vcore::isa::UbAddress{address}));
    }
    explicit LocalTensor(std::uint32_t address) : LocalTensor(TPosition::VECCALC, address, 0) {}

    __ubuf__ T* GetPhyAddr(CallSite site = CallSite::here()) const {
        check_alive(site);
        return address_;
    }
    __ubuf__ T* GetPhyAddr(std::uint32_t offset, CallSite site = CallSite::here()) const {
        check_alive(site);
        return address_ + offset;
    }
    std::uint32_t GetSize() const { return size_; }
    std::uint32_t GetLength() const { return size_ * sizeof(T); }
    void SetSize(std::uint32_t size) { size_ = size; }
    TPosition GetPosition() const { return position_; }

    T GetValue(std::uint32_t index, CallSite site = CallSite::here()) const {
        check_alive(site);
        if (index >= size_) detail::no_element("LocalTensor", index, size_, site);
        return address_[index];
    }
    template <typename Value>
    void SetValue(std::uint32_t index, Value value, CallSite site = CallSite::here()) const {
        check_alive(site);
        if (index >= size_) detail::no_element("LocalTensor", index, size_, site);
        address_[index] = static_cast<T>(value);
        ::vcore::kernels::mark_ub_written(::vcore::kernels::ub_address(address_ + index, "LocalTensor", site),
                                          sizeof(T));
    }
    T& operator()(std::uint32_t index) const { return address_[index]; }
    LocalTensor operator[](std::uint32_t offset) const {
        LocalTensor part = *this;
        part.address_ = address_ + offset;
        part.size_ = size_ > offset ? size_ - offset : 0;
        return part;
    }
    template <typename Other>
    LocalTensor<Other> ReinterpretCast() const {
        return LocalTensor<Other>(reinterpret_cast<Other*>(address_),
                                  static_cast<std::uint32_t>(std::uint64_t{size_} * sizeof(T) / sizeof(Other)),
                                  position_, buffer_, generation_);
    }
    void SetUserTag(std::int32_t tag) { tag_ = tag; }
    std::int32_t GetUserTag() const { return tag_; }

    /// For queues and buffers.
    LocalTensor(T* address, std::uint32_t elements, TPosition position, detail::UbBuffer* buffer,
                std::uint32_t generation)
        : address_(address), buffer_(buffer), generation_(generation), position_(position), size_(elements) {}
    detail::UbBuffer* buffer() const { return buffer_; }
    /// The pointer, for an op; ends the kernel where the tensor has been given back or never had memory.
    T* address(const char* operand, CallSite site) const {
        check_alive(site);
        if (address_ == nullptr) {
            ::vcore::kernels::fail(site, ::vcore::isa::DiagnosticId::bad_tensor,
                                   std::string(operand) + " is a LocalTensor that was never given memory");
        }
        return address_;
    }
    void check_alive(CallSite site) const {
        if (buffer_ == nullptr || buffer_->generation == generation_) return;
        ::vcore::kernels::fail(site, ::vcore::isa::DiagnosticId::freed_memory,
                               "the LocalTensor was given back by FreeTensor and is used again");
    }

private:
    T* address_ = nullptr;
    detail::UbBuffer* buffer_ = nullptr;  ///< null: memory that nobody takes back
    std::uint32_t generation_ = 0;
    TPosition position_ = TPosition::VECCALC;
    std::uint32_t size_ = 0;  ///< elements
    std::int32_t tag_ = 0;
};

/// Gives out UB memory in order; 32 B aligned. Ends the kernel where none is left (out-of-space).
template <Hardware hardware = Hardware::UB>
class LocalMemAllocator {
public:
    static_assert(hardware == Hardware::UB, "not modelled: LocalMemAllocator of another memory than Hardware::UB");
    LocalMemAllocator() = default;
    std::uint32_t GetCurAddr() const { return static_cast<std::uint32_t>(detail::UbSpace::get().next()); }
    template <TPosition position, typename T, std::uint32_t tileSize>
    LocalTensor<T> Alloc(CallSite site = CallSite::here()) {
        return take<T>(position, tileSize, site);
    }
    template <typename T, std::uint32_t tileSize>
    LocalTensor<T> Alloc(CallSite site = CallSite::here()) {
        return take<T>(TPosition::VECCALC, tileSize, site);
    }
    template <TPosition position, typename T>
    LocalTensor<T> Alloc(std::uint32_t tileSize, CallSite site = CallSite::here()) {
        return take<T>(position, tileSize, site);
    }
    template <typename T>
    LocalTensor<T> Alloc(std::uint32_t tileSize, CallSite site = CallSite::here()) {
        return take<T>(TPosition::VECCALC, tileSize, site);
    }

private:
    template <typename T>
    LocalTensor<T> take(TPosition position, std::uint32_t elements, CallSite site) {
        auto* const bytes =
            detail::UbSpace::get().take(std::uint64_t{elements} * sizeof(T), "LocalMemAllocator::Alloc", site);
        return LocalTensor<T>(reinterpret_cast<T*>(bytes), elements, position, nullptr, 0);
    }
};

}  // namespace AscendC
