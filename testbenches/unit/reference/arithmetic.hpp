// Addition of binary floating-point numbers in integers alone: the judge of the model's arithmetic.
//
// Source: IEEE 754, "addition", round to nearest even. Every NaN result is the format's canonical quiet NaN (sign 0,
// top fraction bit 1, rest 0), as the model documents.
#pragma once

#include <cstdint>

namespace vcore::reference {

/// Sum of two half patterns.
std::uint16_t add_half(std::uint16_t a, std::uint16_t b);

/// Sum of two single-precision patterns.
std::uint32_t add_float(std::uint32_t a, std::uint32_t b);

}  // namespace vcore::reference
