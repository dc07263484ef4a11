// Which element types go together in an op: the pairing tables, usable at compile time.
//
// The checks of the ops decide by these functions and by nothing else, and an API that wants to refuse a combination
// before anything runs asserts on the same ones. A bits type (`b16`) is legal where any type of its width is.
//
// Two APIs offer subsets of what the machine does: the C API (`asc_gather` …) and the C++ API (`Reg::Gather` …).
// Source: the tables of `isa.md`; seed pages of asc_gather, Gather, MaskGenWithRegTensor and Scatter(ISASI).
#pragma once

#include <cstdint>

#include "models/isa/element_type.hpp"
#include "models/isa/modes.hpp"

namespace vcore::isa {

/// Whose table is asked: the machine's, which is the union, or that of one API.
enum class Api : std::uint8_t { machine, c, cpp };

/// Whether two operands can be of one type, `b16` being any 16-bit type.
constexpr bool same_type(ElementType a, ElementType b) {
    return a == b || (size_of(a) == size_of(b) && (is_bits(a) || is_bits(b)));
}

/// Whether `type` is an unsigned integer of `bytes` bytes, which is what indices are.
constexpr bool is_index(ElementType type, std::size_t bytes) {
    return size_of(type) == bytes &&
           TypeSet(ElementType::u8, ElementType::u16, ElementType::u32, ElementType::u64).allows(type);
}

/// s16 from s8 or u16 from u8: the narrow element becomes the low byte.
constexpr bool widens(ElementType dst, ElementType src) {
    return (same_type(dst, ElementType::s16) && same_type(src, ElementType::s8)) ||
           (same_type(dst, ElementType::u16) && same_type(src, ElementType::u8));
}

/// Gather from UB: a row of the table of destination, source and index types.
constexpr bool is_gather(ElementType dst, ElementType src, ElementType index, Api api = Api::machine) {
    const std::size_t bytes = size_of(src);
    if (widens(dst, src)) return is_index(index, 2);
    if (!same_type(dst, src)) return false;
    switch (bytes) {
        case 1: return is_index(index, 2) && api != Api::cpp;
        case 2: return is_index(index, 2) || (is_index(index, 4) && api != Api::cpp);
        case 4: return is_index(index, 4);
        default: return (is_index(index, 4) || is_index(index, 8)) && api != Api::c;
    }
}

/// Data of a gather from a register: 8, 16 or 32 bits.
constexpr bool is_gather_register(ElementType data, Api api = Api::machine) {
    return size_of(data) != 8 && (api != Api::c || data != ElementType::f32);
}
/// The same with its indices, which are unsigned and as wide as the data.
constexpr bool is_gather_register(ElementType data, ElementType index, Api api = Api::machine) {
    return is_gather_register(data, api) && is_index(index, size_of(data));
}

/// Gather of blocks of 32 B: data of any type, u32 byte offsets.
constexpr bool is_gather_block(ElementType /*data*/, ElementType index) {
    return is_index(index, 4);
}

/// Register scatter: of the 8-bit types s8 and u8 alone; 64-bit data in the C++ API alone.
constexpr bool is_scatter(ElementType data, ElementType index, Api api = Api::machine) {
    switch (size_of(data)) {
        case 1: return TypeSet(ElementType::s8, ElementType::u8).allows(data) && is_index(index, 2);
        case 2: return is_index(index, 2);
        case 4: return is_index(index, 4);
        default: return (is_index(index, 4) || is_index(index, 8)) && api != Api::c;
    }
}

/// Whether elements of this type may stand in a pair of registers (RegTraitNumTwo).
constexpr bool is_pair(ElementType type) {
    return size_of(type) == 8;
}
/// Forms of 64-bit gathers and scatters: whether a pair of data goes with indices in one register or in a pair. u32
/// indices stand in one register; u64 ones must then be a pair, as one register holds too few of them.
constexpr bool is_form(bool data_pair, ElementType index, bool index_pair) {
    return !index_pair ? !data_pair || size_of(index) != 8 : is_pair(index);
}

/// Types that masks can be made of from register bits (MaskGenWithRegTensor): 16 and 32 bits wide.
constexpr bool is_mask_gen(ElementType type) {
    return size_of(type) == 2 || size_of(type) == 4;
}

/// Whether elements of this type stand on one side of a move of that shape.
constexpr bool fits(const ModeShape& shape, ElementType type) {
    return shape.element_bytes == 0 || size_of(type) == shape.element_bytes || size_of(type) == shape.repacked_bytes;
}
/// Contiguous load or store of a type in a mode: where a mode changes the width, either width names it.
constexpr bool is_load(LoadMode mode, ElementType type) {
    return fits(shape_of(mode), type);
}
constexpr bool is_store(StoreMode mode, ElementType type) {
    return fits(shape_of(mode), type);
}

/// Types of sums: what the bits mean matters, so that bits types are none of them.
inline constexpr TypeSet kArithmeticTypes(ElementType::f32, ElementType::half, ElementType::s32, ElementType::u32,
                                          ElementType::s16, ElementType::u16);
constexpr bool is_arithmetic(ElementType type) {
    return kArithmeticTypes.contains(type);
}

/// Types that Duplicate fills a register with.
constexpr bool is_duplicate(ElementType type) {
    return kArithmeticTypes.allows(type);
}

/// Types that the tensor scatter of some product takes; which product takes which is its capabilities' to say.
inline constexpr TypeSet kTensorScatterTypes(ElementType::s8, ElementType::u8, ElementType::s16, ElementType::u16,
                                             ElementType::half, ElementType::bf16, ElementType::s32, ElementType::u32,
                                             ElementType::f32, ElementType::s64, ElementType::u64);
constexpr bool is_tensor_scatter(ElementType type) {
    return kTensorScatterTypes.allows(type);
}

}  // namespace vcore::isa
