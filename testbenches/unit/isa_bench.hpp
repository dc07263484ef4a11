// An isa::Executor with storage around it, and the products the tests of models/isa run on.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "models/isa/executor.hpp"
#include "testbenches/unit/reference/reference.hpp"

namespace vcore::unit {

inline const std::vector<isa::ElementType> kScatterTypes950 = {
    isa::ElementType::s8,   isa::ElementType::u8,   isa::ElementType::s16, isa::ElementType::u16,
    isa::ElementType::half, isa::ElementType::bf16, isa::ElementType::s32, isa::ElementType::u32,
    isa::ElementType::f32,  isa::ElementType::s64,  isa::ElementType::u64};
inline const std::vector<isa::ElementType> kMaskedScatterTypes950 = {
    isa::ElementType::s16, isa::ElementType::u16, isa::ElementType::half, isa::ElementType::bf16, isa::ElementType::s32,
    isa::ElementType::u32, isa::ElementType::f32, isa::ElementType::s64,  isa::ElementType::u64};
inline const std::vector<isa::ElementType> kScatterTypes200I = {
    isa::ElementType::s8,   isa::ElementType::u8,  isa::ElementType::s16, isa::ElementType::u16,
    isa::ElementType::half, isa::ElementType::s32, isa::ElementType::u32, isa::ElementType::f32};
inline const std::vector<isa::ElementType> kScatterTypesInference = {isa::ElementType::u16, isa::ElementType::half,
                                                                     isa::ElementType::u32, isa::ElementType::f32};

// Products as `isa.md` "Products" and "Tensor scatter" describe them, with a UB of the test's choice.

inline reference::Product ascend950(std::uint64_t ub_bytes = 262144) {
    reference::Product product;
    product.tensor_scatter = kScatterTypes950;
    product.tensor_scatter_masked = kMaskedScatterTypes950;
    product.offset_limit_b8 = 65535;
    product.offset_limit_b16 = 131071;
    product.empty_scatter_warns = true;
    product.ub_bytes = ub_bytes;
    product.ub_reserved_from = ub_bytes;
    return product;
}

inline reference::Product atlas_200i(std::uint64_t ub_bytes = 262144) {
    reference::Product product;
    product.vector_functions = false;
    product.tensor_scatter = kScatterTypes200I;
    product.tensor_scatter_masked = kScatterTypes200I;
    product.offset_limit_b8 = 65535;
    product.offset_limit_b16 = 131071;
    product.ub_bytes = ub_bytes;
    product.ub_reserved_from = ub_bytes;
    return product;
}

inline reference::Product atlas_inference(std::uint64_t ub_bytes = 262144) {
    reference::Product product;
    product.vector_functions = false;
    product.tensor_scatter = kScatterTypesInference;
    product.tensor_scatter_masked = kScatterTypesInference;
    product.offset_limit_b8 = 4294967295;
    product.offset_limit_b16 = 4294967295;
    product.ub_bytes = ub_bytes;
    product.ub_reserved_from = ub_bytes;
    return product;
}

inline reference::Product atlas_a2(std::uint64_t ub_bytes = 196608) {
    reference::Product product;
    product.vector_functions = false;
    product.tensor_add = {isa::ElementType::f32};
    product.ub_bytes = ub_bytes;
    product.ub_reserved_from = ub_bytes;
    return product;
}

/// The training series: neither vector functions nor tensor ops.
inline reference::Product atlas_training(std::uint64_t ub_bytes = 262144) {
    reference::Product product;
    product.vector_functions = false;
    product.ub_bytes = ub_bytes;
    product.ub_reserved_from = ub_bytes;
    return product;
}

inline isa::TypeSet type_set(const std::vector<isa::ElementType>& types) {
    isa::TypeSet set;
    for (const isa::ElementType type : types) set.insert(type);
    return set;
}

/// The same product in the model's words.
inline isa::Capabilities capabilities_of(const reference::Product& product) {
    isa::Capabilities capabilities;
    capabilities.product = "product under test";
    capabilities.vector_functions = product.vector_functions;
    capabilities.tensor_scatter = type_set(product.tensor_scatter);
    capabilities.tensor_scatter_masked = type_set(product.tensor_scatter_masked);
    capabilities.offset_limit_b8 = product.offset_limit_b8;
    capabilities.offset_limit_b16 = product.offset_limit_b16;
    capabilities.empty_scatter_warns = product.empty_scatter_warns;
    capabilities.tensor_add = type_set(product.tensor_add);
    capabilities.ub_bytes = product.ub_bytes;
    capabilities.ub_reserved_from = product.ub_reserved_from;
    capabilities.scatter_duplicate =
        product.highest_lane_wins ? isa::ScatterDuplicate::highest_lane : isa::ScatterDuplicate::lowest_lane;
    return capabilities;
}

/// The model: an executor, registers and a UB that is exactly as long as the logical one, so that sanitizers see the
/// first byte past it.
class Bench {
public:
    explicit Bench(const reference::Product& product)
        : product_(product),
          capabilities_(capabilities_of(product)),
          ub_(product.ub_bytes),
          port_(ub_.data()),
          executor_(capabilities_) {}
    Bench(const Bench&) = delete;
    Bench& operator=(const Bench&) = delete;

    isa::Fault run(isa::Op& op, isa::UbPort& port, isa::AccessSink* sink) {
        return executor_.run(op, registers(), port, sink, notes_);
    }
    /// For tests that do not look at in/out fields.
    isa::Fault run(isa::Op op) { return run(op, port_, nullptr); }
    isa::Fault check(const isa::Op& op) { return executor_.check(op, registers(), port_); }

    const reference::Product& product() const { return product_; }
    const isa::Notes& notes() const { return notes_; }
    isa::LinearUb& port() { return port_; }
    std::vector<std::byte>& ub() { return ub_; }
    std::array<isa::VectorRegister, isa::kVectorRegisters>& vector() { return vector_; }
    std::array<isa::MaskRegister, isa::kMaskRegisters>& mask() { return mask_; }

    // ---- small words for tests that place and look at single elements

    template <typename T>
    T ub_get(std::size_t address) const {
        T element;
        std::memcpy(&element, &ub_.at(address + sizeof(T) - 1) - (sizeof(T) - 1), sizeof(T));
        return element;
    }
    template <typename T>
    void ub_set(std::size_t address, T element) {
        std::memcpy(&ub_.at(address + sizeof(T) - 1) - (sizeof(T) - 1), &element, sizeof(T));
    }
    void ub_fill(std::uint8_t byte) { std::memset(ub_.data(), byte, ub_.size()); }

    template <typename T>
    T lane(std::size_t vreg, std::size_t index) const {
        return vector_.at(vreg).template get<T>(index);
    }
    template <typename T>
    void set_lane(std::size_t vreg, std::size_t index, T element) {
        vector_.at(vreg).set(index, element);
    }
    void vector_fill(std::size_t vreg, std::uint8_t byte) { vector_.at(vreg).bytes.fill(static_cast<std::byte>(byte)); }
    /// Every bit of a mask, so that all lanes of any width are active.
    void mask_all(std::size_t mreg) { mask_.at(mreg).words.fill(~std::uint64_t{0}); }
    void mask_none(std::size_t mreg) { mask_.at(mreg).words.fill(0); }

private:
    isa::Registers registers() { return {vector_.data(), mask_.data()}; }

    reference::Product product_;
    isa::Capabilities capabilities_;
    std::array<isa::VectorRegister, isa::kVectorRegisters> vector_{};
    std::array<isa::MaskRegister, isa::kMaskRegisters> mask_{};
    std::vector<std::byte> ub_;
    isa::LinearUb port_;
    isa::Executor executor_;
    isa::Notes notes_;
};

}  // namespace vcore::unit
