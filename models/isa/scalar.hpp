// Elements as numbers: between bit patterns, doubles and decimal text.
//
// Only half, bfloat16 and float have values here besides the integers; hifloat8 and the fp8 types are bit patterns.
// Rounding is to nearest even, once, from the exact decimal or double. Moving an element never comes through here.
// Source: `vprog.md` "Values"; `isa.md`, head and "Arithmetic".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/isa/element_type.hpp"

namespace vcore::isa {

/// The NaN that arithmetic and "nan" produce: quiet, positive, no payload.
inline constexpr std::uint16_t kHalfNan = 0x7E00;
inline constexpr std::uint16_t kBfloat16Nan = 0x7FC0;
inline constexpr std::uint32_t kFloatNan = 0x7FC00000;

double half_to_double(std::uint16_t bits);
double bfloat16_to_double(std::uint16_t bits);
double float_to_double(std::uint32_t bits);

/// The nearest element; past the largest finite one by half a step or more, infinity. Any NaN becomes the one above.
std::uint16_t half_from_double(double number);
std::uint16_t bfloat16_from_double(double number);
std::uint32_t float_from_double(double number);

enum class DecimalError : std::uint8_t {
    none,
    malformed,     ///< not a decimal number, or a fraction for an integer type
    out_of_range,  ///< rounds to infinity, or past the ends of an integer type
    pattern_only,  ///< hif8 and fp8 types have no decimal values
};

/// The bit pattern of a decimal literal: `12`, `-0.0`, `1.5e-3`, `nan`, `-inf`. Integers are exact up to 64 bits; a
/// `b8`..`b64` takes what either the signed or the unsigned integer type of its width does. Too small a number rounds
/// to zero. `error`, where given, says why there is no result.
std::optional<std::uint64_t> bits_from_decimal(ElementType type, std::string_view text, DecimalError* error = nullptr);

/// The value of an element; nothing for integer, bits, hif8 and fp8 types.
std::optional<double> to_double(ElementType type, std::uint64_t bits);

/// Text that bits_from_decimal() turns into the same bits (every NaN reads "nan"): integers exact, half, bf16 and float
/// with the fewest digits that identify them (whole numbers below ten million in full), "inf", "-inf". Bits types, hif8
/// and fp8 as a hex pattern, "0x3c".
std::string to_text(ElementType type, std::uint64_t bits);

}  // namespace vcore::isa
