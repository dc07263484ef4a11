// A small machine for tests of single ops: registers, 64 KB of UB, everything supported.
#pragma once

#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "models/isa/executor.hpp"

namespace vcore::isa::testing {

inline constexpr std::uint64_t kUbBytes = 0x10000;

/// Everything that any product can do.
inline Capabilities everything() {
    using T = ElementType;
    Capabilities all;
    all.product = "test-product";
    all.vector_functions = true;
    all.tensor_scatter =
        TypeSet(T::s8, T::u8, T::s16, T::u16, T::half, T::bf16, T::s32, T::u32, T::f32, T::s64, T::u64);
    all.tensor_scatter_masked = TypeSet(T::s16, T::u16, T::half, T::bf16, T::s32, T::u32, T::f32, T::s64, T::u64);
    all.offset_limit_b8 = 0xFFFF;
    all.offset_limit_b16 = 0x1FFFF;
    all.empty_scatter_warns = true;
    all.tensor_add = TypeSet(T::f32);
    all.ub_bytes = kUbBytes;
    all.ub_reserved_from = kUbBytes;
    return all;
}

/// Counts what a sink is told.
class CountingSink final : public AccessSink {
public:
    int reads = 0;
    int writes = 0;
    void on_read(const ContiguousAccess&) override { ++reads; }
    void on_write(const ContiguousAccess&) override { ++writes; }
    void on_read(const BlockAccess&) override { ++reads; }
    void on_write(const BlockAccess&) override { ++writes; }
    void on_read(const IndexedAccess&) override { ++reads; }
    void on_write(const IndexedAccess&) override { ++writes; }
};

/// A UB that shows its array or hides it.
class MaybeArray final : public UbPort {
public:
    MaybeArray(std::byte* bytes, const bool& hidden) : bytes_(bytes), linear_(bytes), hidden_(hidden) {}
    void read(const ContiguousAccess& access, std::byte* data) override { linear_.read(access, data); }
    void write(const ContiguousAccess& access, const std::byte* data) override { linear_.write(access, data); }
    void read(const BlockAccess& access, std::byte* data) override { linear_.read(access, data); }
    void write(const BlockAccess& access, const std::byte* data) override { linear_.write(access, data); }
    void read(const IndexedAccess& access, std::byte* data) override { linear_.read(access, data); }
    void write(const IndexedAccess& access, const std::byte* data) override { linear_.write(access, data); }
    std::byte* array() override { return hidden_ ? nullptr : bytes_; }

private:
    std::byte* bytes_;
    LinearUb linear_;
    const bool& hidden_;
};

struct Machine {
    Capabilities capabilities = everything();
    std::vector<std::byte> bytes = std::vector<std::byte>(kUbBytes);
    std::vector<VectorRegister> vectors = std::vector<VectorRegister>(kVectorRegisters);
    std::vector<MaskRegister> masks = std::vector<MaskRegister>(kMaskRegisters);
    Executor executor{capabilities};
    bool hide_array = false;
    MaybeArray ub{bytes.data(), hide_array};
    CountingSink sink;
    Notes notes;

    Registers registers() { return {vectors.data(), masks.data()}; }
    Fault run(Op& op) { return executor.run(op, registers(), ub, &sink, notes); }

    template <typename T>
    T get(std::size_t address) const {
        T element;
        std::memcpy(&element, bytes.data() + address, sizeof(T));
        return element;
    }
    template <typename T>
    void put(std::size_t address, T element) {
        std::memcpy(bytes.data() + address, &element, sizeof(T));
    }
};

}  // namespace vcore::isa::testing
