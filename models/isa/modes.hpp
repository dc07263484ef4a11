// The modes of contiguous loads and stores, and what each moves.
//
// Source: the tables of `isa.md` "Contiguous load and store".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "models/isa/element_type.hpp"

namespace vcore::isa {

enum class LoadMode : std::uint8_t {
    norm,    ///< 256 B as they stand; a 64-bit pair: 512 B, low words to the first register
    brc_b8,  ///< one element to all lanes
    brc_b16,
    brc_b32,
    blk,    ///< one block of 32 B, eight times
    us_b8,  ///< each element twice
    us_b16,
    ds_b8,  ///< every other element, starting with the first
    ds_b16,
    unpack_b8,  ///< each element zero-extended to twice its width
    unpack_b16,
    unpack_b32,
    unpack4_b8,  ///< each element zero-extended to 32 bits
    e2b_b16,     ///< each element fills a block of 32 B
    e2b_b32,
    dintlv_b8,  ///< even elements to the first register, odd ones to the second
    dintlv_b16,
    dintlv_b32,
};
inline constexpr std::size_t kLoadModes = 18;

enum class StoreMode : std::uint8_t {
    norm,              ///< active lanes; a 64-bit pair: low words from the first register
    first_element_b8,  ///< lane 0; the mask is not looked at
    first_element_b16,
    first_element_b32,
    pack_b16,  ///< the low half of each active element, side by side
    pack_b32,
    pack_b64,
    pack4_b32,  ///< the low quarter of each active element, side by side
    intlv_b8,   ///< elements of two registers in turn; the mask is not looked at
    intlv_b16,
    intlv_b32,
};
inline constexpr std::size_t kStoreModes = 11;

/// What a mode moves; meaningless for `norm`, where the op's type and operand say it.
struct ModeShape {
    std::uint16_t element_bytes = 0;   ///< of a register's element for stores, of an element in UB for loads; 0: any
    std::uint16_t bytes = 0;           ///< of UB, all lanes together
    std::uint16_t alignment = 0;       ///< of the address, in bytes
    bool two_registers = false;        ///< the operand is a pair: first register, second register
    bool masked = false;               ///< stores: inactive lanes are not written
    std::uint16_t repacked_bytes = 0;  ///< width of the elements on the other side where it differs
};

constexpr ModeShape shape_of(LoadMode mode) {
    switch (mode) {
        case LoadMode::norm: return {0, 256, 32};
        case LoadMode::brc_b8: return {1, 1, 1};
        case LoadMode::brc_b16: return {2, 2, 2};
        case LoadMode::brc_b32: return {4, 4, 4};
        case LoadMode::blk: return {0, 32, 32};
        case LoadMode::us_b8: return {1, 128, 32};
        case LoadMode::us_b16: return {2, 128, 32};
        case LoadMode::ds_b8: return {1, 512, 32};
        case LoadMode::ds_b16: return {2, 512, 32};
        case LoadMode::unpack_b8: return {1, 128, 32, false, false, 2};
        case LoadMode::unpack_b16: return {2, 128, 32, false, false, 4};
        case LoadMode::unpack_b32: return {4, 128, 32, false, false, 8};
        case LoadMode::unpack4_b8: return {1, 64, 32, false, false, 4};
        case LoadMode::e2b_b16: return {2, 16, 16};
        case LoadMode::e2b_b32: return {4, 32, 32};
        case LoadMode::dintlv_b8: return {1, 512, 32, true};
        case LoadMode::dintlv_b16: return {2, 512, 32, true};
        case LoadMode::dintlv_b32: return {4, 512, 32, true};
    }
    return {};
}

constexpr ModeShape shape_of(StoreMode mode) {
    switch (mode) {
        case StoreMode::norm: return {0, 256, 32, false, true};
        case StoreMode::first_element_b8: return {1, 1, 1};
        case StoreMode::first_element_b16: return {2, 2, 2};
        case StoreMode::first_element_b32: return {4, 4, 4};
        case StoreMode::pack_b16: return {2, 128, 32, false, true, 1};
        case StoreMode::pack_b32: return {4, 128, 32, false, true, 2};
        case StoreMode::pack_b64: return {8, 128, 32, false, true, 4};
        case StoreMode::pack4_b32: return {4, 64, 32, false, true, 1};
        case StoreMode::intlv_b8: return {1, 512, 32, true};
        case StoreMode::intlv_b16: return {2, 512, 32, true};
        case StoreMode::intlv_b32: return {4, 512, 32, true};
    }
    return {};
}

/// Name as programs write it: "norm", "brc_b16", "dintlv_b32" …
std::string_view name(LoadMode mode);
std::string_view name(StoreMode mode);
std::optional<LoadMode> load_mode(std::string_view name);
std::optional<StoreMode> store_mode(std::string_view name);

}  // namespace vcore::isa
