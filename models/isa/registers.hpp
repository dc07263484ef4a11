// Values of vector and mask registers: bytes plus one typed view.
//
// Little-endian: element i of a T view stands at bytes [i*sizeof(T), (i+1)*sizeof(T)). Moving an element never changes
// its bits, so the typed view is only used where arithmetic or indices need numbers.
// Source: `isa.md`, head and "Mask register".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "models/isa/element_type.hpp"

namespace vcore::isa {

/// A vector register: 256 bytes.
struct alignas(64) VectorRegister {
    std::array<std::byte, kVectorBytes> bytes{};

    /// Element `lane` as a T; `lane` < 256 / sizeof(T).
    template <typename T>
    T get(std::size_t lane) const {
        T element;
        std::memcpy(&element, bytes.data() + lane * sizeof(T), sizeof(T));
        return element;
    }
    template <typename T>
    void set(std::size_t lane, T element) {
        std::memcpy(bytes.data() + lane * sizeof(T), &element, sizeof(T));
    }
    friend bool operator==(const VectorRegister& a, const VectorRegister& b) { return a.bytes == b.bytes; }
};

/// A mask register: one bit per byte of a vector register, bit k in word k/64. A lane of size s owns bits
/// [i*s, (i+1)*s); only the lowest of them says whether the lane is active.
struct MaskRegister {
    std::array<std::uint64_t, 4> words{};

    bool bit(std::size_t index) const { return ((words[index / 64] >> (index % 64)) & 1U) != 0; }
    void set_bit(std::size_t index) { words[index / 64] |= std::uint64_t{1} << (index % 64); }

    /// Whether lane `lane` of elements of `bytes` bytes is active.
    bool active(std::size_t lane, std::size_t bytes) const { return bit(lane * bytes); }

    friend bool operator==(const MaskRegister& a, const MaskRegister& b) { return a.words == b.words; }
};
static_assert(sizeof(MaskRegister) == kVectorBytes / 8);

/// Where an executor finds the registers. Both arrays stay owned by whoever made them (a register file, a test).
struct Registers {
    VectorRegister* vector = nullptr;  ///< kVectorRegisters of them
    MaskRegister* mask = nullptr;      ///< kMaskRegisters of them
};

}  // namespace vcore::isa
