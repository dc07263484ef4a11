// Element types of the vector core and the facts that depend on the type alone.
//
// Source: `isa.md`, head; seed pages of asc_gather and Gather (type tables).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace vcore::isa {

/// Bytes of a vector register (VL).
inline constexpr std::size_t kVectorBytes = 256;
/// Bytes of a block, the unit of alignment and of block copies.
inline constexpr std::size_t kBlockBytes = 32;
/// Blocks of a vector register.
inline constexpr std::size_t kBlocksPerVector = kVectorBytes / kBlockBytes;
/// The most lanes that one gather or scatter addresses.
inline constexpr std::size_t kMaxIndexedLanes = 128;

inline constexpr int kVectorRegisters = 32;
inline constexpr int kMaskRegisters = 8;

/// `b8`..`b64` mean "any type of this width": they are legal where an op only moves bits.
enum class ElementType : std::uint8_t {
    s8,
    u8,
    hif8,
    e8m0,
    e5m2,
    e4m3,
    b8,
    s16,
    u16,
    half,
    bf16,
    b16,
    s32,
    u32,
    f32,
    b32,
    s64,
    u64,
    b64,
};
inline constexpr std::size_t kElementTypes = 19;

/// Size of an element in bytes: 1, 2, 4 or 8.
constexpr std::size_t size_of(ElementType type) {
    if (type <= ElementType::b8) return 1;
    if (type <= ElementType::b16) return 2;
    if (type <= ElementType::b32) return 4;
    return 8;
}

/// Lanes of one register: 256, 128, 64 or 32.
constexpr std::size_t lanes_of(ElementType type) {
    return kVectorBytes / size_of(type);
}

/// True for `b8 b16 b32 b64`.
constexpr bool is_bits(ElementType type) {
    return type == ElementType::b8 || type == ElementType::b16 || type == ElementType::b32 || type == ElementType::b64;
}

/// Name as programs and reports write it: "s8", "half", "float", "b32" …
std::string_view name(ElementType type);

/// The type of that name, or nothing.
std::optional<ElementType> element_type(std::string_view name);

/// A set of element types; a bits type is in the set when any type of its width is.
class TypeSet {
public:
    constexpr TypeSet() = default;
    template <typename... Types>
    constexpr explicit TypeSet(ElementType first, Types... rest) {
        insert(first);
        (insert(rest), ...);
    }
    constexpr void insert(ElementType type) { bits_ |= bit(type); }
    constexpr bool empty() const { return bits_ == 0; }

    /// Whether `type` stands in the set; `b16` does where any 16-bit type does.
    constexpr bool allows(ElementType type) const {
        if ((bits_ & bit(type)) != 0) return true;
        if (!is_bits(type)) return false;
        for (std::size_t i = 0; i < kElementTypes; ++i) {
            const auto other = static_cast<ElementType>(i);
            if (size_of(other) == size_of(type) && (bits_ & bit(other)) != 0) return true;
        }
        return false;
    }
    /// Whether the set holds exactly this type (no wildcard).
    constexpr bool contains(ElementType type) const { return (bits_ & bit(type)) != 0; }

private:
    static constexpr std::uint32_t bit(ElementType type) { return 1U << static_cast<unsigned>(type); }
    std::uint32_t bits_ = 0;
};

}  // namespace vcore::isa
