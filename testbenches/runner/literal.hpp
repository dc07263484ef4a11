// Elements as program text and reports write them.
//
// Source: `vprog.md` "Values": a hex literal is a bit pattern, a decimal one a value, rounded to nearest even for
// floating-point types; out of range is an error; fp8 and hifloat8 take bit patterns only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/isa/element_type.hpp"
#include "testbenches/runner/text.hpp"
#include "testbenches/runner/wide.hpp"

namespace vcore::runner {

/// The bit pattern that a field of the scanner's current line writes. Throws ProgramError.
std::uint64_t parse_value(const Scanner& scanner, std::string_view field, isa::ElementType type);

/// Whether decimal values of the type may have a fraction: half, bf16, float.
bool is_real(isa::ElementType type);
/// Whether only bit patterns can be written for the type: fp8 and hifloat8.
bool takes_patterns_only(isa::ElementType type);

/// Bit pattern of an integer or real value, or nothing where it is out of the type's range. Types that only have bit
/// patterns take the pattern's number.
std::optional<std::uint64_t> bits_of(isa::ElementType type, Wide value);
std::optional<std::uint64_t> bits_of(isa::ElementType type, double value);

/// The number that a decimal literal writes ("-0.5", "1e3"), or nothing where it is none or too large for a double.
std::optional<double> real_number(std::string_view text);

/// The values that a type can take, for messages: "a value of s8, -128 to 127".
std::string range_text(isa::ElementType type);

/// The element's value as people read it: "127", "0.1", "-inf", "0x3c" for types that only have bit patterns.
std::string value_text(isa::ElementType type, std::uint64_t bits);
/// Its bit pattern: "0x57f0", as wide as the type.
std::string pattern_text(isa::ElementType type, std::uint64_t bits);

}  // namespace vcore::runner
