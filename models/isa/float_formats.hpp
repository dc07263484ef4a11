// Floating-point formats as bit patterns, and exact conversion between them and double; also in constant expressions.
#pragma once

#include <algorithm>
#include <cstdint>

namespace vcore::isa::float_formats {

/// An IEEE format with `mantissa` stored bits below `exponent` bits and a sign.
struct FloatFormat {
    int mantissa;
    int exponent;

    constexpr int bias() const { return (1 << (exponent - 1)) - 1; }
    constexpr std::uint64_t infinity() const { return ((std::uint64_t{1} << exponent) - 1) << mantissa; }
    constexpr std::uint64_t quiet_nan() const { return infinity() | std::uint64_t{1} << (mantissa - 1); }
    constexpr std::uint64_t sign() const { return std::uint64_t{1} << (mantissa + exponent); }
};
inline constexpr FloatFormat kHalf{10, 5};
inline constexpr FloatFormat kBfloat16{7, 8};
inline constexpr FloatFormat kFloat{23, 8};
inline constexpr FloatFormat kDouble{52, 11};

constexpr std::uint64_t pattern(double number) {
    return __builtin_bit_cast(std::uint64_t, number);
}
constexpr double from_pattern(std::uint64_t bits) {
    return __builtin_bit_cast(double, bits);
}

/// Widening is exact: every number of the three formats is a normal double, or zero.
constexpr double widen(FloatFormat format, std::uint64_t bits) {
    const std::uint64_t sign = (bits & format.sign()) != 0 ? kDouble.sign() : 0;
    const std::uint64_t magnitude = bits & (format.sign() - 1);
    const std::uint64_t fraction = magnitude & ((std::uint64_t{1} << format.mantissa) - 1);
    const int up = kDouble.mantissa - format.mantissa;
    if (magnitude >= format.infinity()) return from_pattern(sign | kDouble.infinity() | fraction << up);
    std::uint64_t exponent = magnitude >> format.mantissa;
    if (exponent != 0) {
        exponent += static_cast<std::uint64_t>(kDouble.bias() - format.bias());
        return from_pattern(sign | exponent << kDouble.mantissa | fraction << up);
    }
    if (fraction == 0) return from_pattern(sign);
    const int leading = 63 - __builtin_clzll(fraction);
    const auto normal = static_cast<std::uint64_t>(leading - format.mantissa + 1 - format.bias() + kDouble.bias());
    const std::uint64_t rest = fraction ^ std::uint64_t{1} << leading;
    return from_pattern(sign | normal << kDouble.mantissa | rest << (kDouble.mantissa - leading));
}

/// A magnitude between two neighbours of a format: `below` and below + 1.
struct Bracket {
    std::uint64_t below = 0;
    enum class Side : std::uint8_t { nearer_below, tie, nearer_above } side = Side::nearer_below;

    constexpr std::uint64_t nearest_even() const {
        if (side == Side::tie) return below + (below & 1);
        return side == Side::nearer_above ? below + 1 : below;
    }
};

/// Where a finite double's magnitude lies. `below` may be infinity or more, which only says "out of range".
constexpr Bracket bracket(FloatFormat format, double number) {
    const std::uint64_t magnitude = pattern(number) & (kDouble.sign() - 1);
    const auto biased = static_cast<int>(magnitude >> kDouble.mantissa);
    if (biased == 0) return {};  // zero, or far below the smallest number of any format
    const int exponent = biased - kDouble.bias();
    if (exponent > format.bias()) return {format.infinity(), Bracket::Side::nearer_below};
    const int lowest = 1 - format.bias();
    const int floor_exponent = std::max(exponent, lowest);
    const int dropped = kDouble.mantissa - format.mantissa + (floor_exponent - exponent);
    if (dropped > kDouble.mantissa + 1) return {};
    const std::uint64_t hidden = std::uint64_t{1} << kDouble.mantissa;
    const std::uint64_t significand = hidden | (magnitude & (hidden - 1));
    const std::uint64_t rest = significand & ((std::uint64_t{1} << dropped) - 1);
    const std::uint64_t middle = std::uint64_t{1} << (dropped - 1);
    Bracket result;
    result.below = (static_cast<std::uint64_t>(floor_exponent - lowest) << format.mantissa) + (significand >> dropped);
    if (rest == middle) result.side = Bracket::Side::tie;
    if (rest > middle) result.side = Bracket::Side::nearer_above;
    return result;
}

constexpr bool negative(double number) {
    return (pattern(number) & kDouble.sign()) != 0;
}

/// The nearest element; past the largest finite one by half a step or more, infinity. Any NaN becomes the quiet one.
constexpr std::uint64_t narrow(FloatFormat format, double number) {
    const std::uint64_t magnitude = pattern(number) & (kDouble.sign() - 1);
    if (magnitude > kDouble.infinity()) return format.quiet_nan();
    const std::uint64_t sign = negative(number) ? format.sign() : 0;
    if (magnitude == kDouble.infinity()) return sign | format.infinity();
    return sign | std::min(bracket(format, number).nearest_even(), format.infinity());
}

}  // namespace vcore::isa::float_formats
