#include "models/isa/scalar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace vcore::isa {
namespace {

/// An IEEE format with `mantissa` stored bits below `exponent` bits and a sign.
struct Format {
    int mantissa;
    int exponent;

    int bias() const { return (1 << (exponent - 1)) - 1; }
    std::uint64_t infinity() const { return ((std::uint64_t{1} << exponent) - 1) << mantissa; }
    std::uint64_t quiet_nan() const { return infinity() | std::uint64_t{1} << (mantissa - 1); }
    std::uint64_t sign() const { return std::uint64_t{1} << (mantissa + exponent); }
};
constexpr Format kHalf{10, 5};
constexpr Format kBfloat16{7, 8};
constexpr Format kFloat{23, 8};
constexpr Format kDouble{52, 11};

std::uint64_t pattern(double number) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &number, sizeof(bits));
    return bits;
}
double from_pattern(std::uint64_t bits) {
    double number = 0;
    std::memcpy(&number, &bits, sizeof(number));
    return number;
}

/// Widening is exact: every number of the three formats is a normal double, or zero.
double widen(Format format, std::uint64_t bits) {
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

    std::uint64_t nearest_even() const {
        if (side == Side::tie) return below + (below & 1);
        return side == Side::nearer_above ? below + 1 : below;
    }
};

/// Where a finite double's magnitude lies. `below` may be infinity or more, which only says "out of range".
Bracket bracket(Format format, double number) {
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

bool negative(double number) {
    return (pattern(number) & kDouble.sign()) != 0;
}

std::uint64_t narrow(Format format, double number) {
    const std::uint64_t magnitude = pattern(number) & (kDouble.sign() - 1);
    if (magnitude > kDouble.infinity()) return format.quiet_nan();
    const std::uint64_t sign = negative(number) ? format.sign() : 0;
    if (magnitude == kDouble.infinity()) return sign | format.infinity();
    return sign | std::min(bracket(format, number).nearest_even(), format.infinity());
}

/// A magnitude 0.DIGITS * 10^point, without zeros at either end of the digits.
struct Decimal {
    std::string digits;
    std::int64_t point = 0;

    friend int compare(const Decimal& a, const Decimal& b) {
        if (a.digits.empty() || b.digits.empty())
            return static_cast<int>(b.digits.empty()) - static_cast<int>(a.digits.empty());
        if (a.point != b.point) return a.point < b.point ? -1 : 1;
        return a.digits.compare(b.digits);
    }
};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// Reads `digits[.digits][e[+-]digits]` whole; nothing if it is anything else.
std::optional<Decimal> parse_magnitude(std::string_view text) {
    constexpr std::int64_t kFarExponent = 1'000'000'000;
    Decimal result;
    bool any_digit = false;
    bool after_point = false;
    std::size_t i = 0;
    for (; i < text.size() && (is_digit(text[i]) || (text[i] == '.' && !after_point)); ++i) {
        if (text[i] == '.') {
            after_point = true;
            continue;
        }
        any_digit = true;
        const bool leading_zero = result.digits.empty() && text[i] == '0';
        if (!leading_zero) result.digits += text[i];
        if (!leading_zero && !after_point) ++result.point;
        if (leading_zero && after_point) --result.point;
    }
    if (!any_digit) return std::nullopt;
    if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
        ++i;
        const bool minus = i < text.size() && text[i] == '-';
        if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
        if (i == text.size()) return std::nullopt;
        std::int64_t exponent = 0;
        for (; i < text.size() && is_digit(text[i]); ++i) {
            exponent = std::min(exponent * 10 + (text[i] - '0'), kFarExponent);
        }
        result.point += minus ? -exponent : exponent;
    }
    if (i != text.size()) return std::nullopt;
    while (!result.digits.empty() && result.digits.back() == '0') result.digits.pop_back();
    return result;
}

/// All decimal digits of a finite double's magnitude.
Decimal exact_decimal(double magnitude) {
    constexpr int kDigits = 780;  // no double has more
    std::array<char, kDigits + 32> text{};
    const int length = std::snprintf(text.data(), text.size(), "%.*e", kDigits, magnitude);
    std::replace(text.begin(), text.end(), ',', '.');  // the process may have another locale
    return *parse_magnitude({text.data(), static_cast<std::size_t>(length)});
}

/// The double nearest to a decimal; too large a one becomes infinity, too small a one zero.
double nearest_double(const Decimal& decimal) {
    constexpr std::int64_t kTooLarge = 400;
    if (decimal.digits.empty() || decimal.point < -kTooLarge) return 0;
    if (decimal.point > kTooLarge) return std::numeric_limits<double>::infinity();
    const std::string text = fmt::format("0.{}e{}", decimal.digits, decimal.point);
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc{}) return number;
    return decimal.point > 0 ? std::numeric_limits<double>::infinity() : 0;
}

/// Rounds a decimal once. The double on the way is only trusted where it is not halfway between two neighbours: there
/// the decimal itself says on which side it lies.
std::uint64_t round_decimal(Format format, const Decimal& decimal) {
    const double number = nearest_double(decimal);
    if (number > std::numeric_limits<double>::max()) return format.infinity();
    Bracket position = bracket(format, number);
    if (position.side == Bracket::Side::tie) {
        const int order = compare(decimal, exact_decimal(number));
        if (order < 0) position.side = Bracket::Side::nearer_below;
        if (order > 0) position.side = Bracket::Side::nearer_above;
    }
    return std::min(position.nearest_even(), format.infinity());
}

struct Parsed {
    std::uint64_t bits = 0;
    DecimalError error = DecimalError::none;
};

Parsed parse_floating(Format format, std::string_view text) {
    const bool minus = !text.empty() && text.front() == '-';
    if (minus) text.remove_prefix(1);
    const std::uint64_t sign = minus ? format.sign() : 0;
    if (text == "nan") return {sign | format.quiet_nan(), DecimalError::none};
    if (text == "inf") return {sign | format.infinity(), DecimalError::none};
    const std::optional<Decimal> decimal = parse_magnitude(text);
    if (!decimal) return {0, DecimalError::malformed};
    const std::uint64_t magnitude = round_decimal(format, *decimal);
    if (magnitude >= format.infinity()) return {0, DecimalError::out_of_range};
    return {sign | magnitude, DecimalError::none};
}

bool takes_negative(ElementType type) {
    return is_bits(type) || type == ElementType::s8 || type == ElementType::s16 || type == ElementType::s32 ||
           type == ElementType::s64;
}
bool takes_unsigned(ElementType type) {
    return is_bits(type) || type == ElementType::u8 || type == ElementType::u16 || type == ElementType::u32 ||
           type == ElementType::u64;
}

std::uint64_t all_ones(ElementType type) {
    return ~std::uint64_t{0} >> (64 - 8 * size_of(type));
}

Parsed parse_integer(ElementType type, std::string_view text) {
    const bool minus = !text.empty() && text.front() == '-';
    if (minus) text.remove_prefix(1);
    if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) return {0, DecimalError::malformed};
    std::uint64_t magnitude = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), magnitude);
    if (error != std::errc{}) return {0, DecimalError::out_of_range};

    const std::uint64_t ones = all_ones(type);
    const std::uint64_t largest_positive = takes_unsigned(type) ? ones : ones >> 1;
    const std::uint64_t largest_negative = takes_negative(type) ? (ones >> 1) + 1 : 0;
    if (magnitude > (minus ? largest_negative : largest_positive)) return {0, DecimalError::out_of_range};
    return {(minus ? 0 - magnitude : magnitude) & ones, DecimalError::none};
}

std::optional<Format> format_of(ElementType type) {
    switch (type) {
        case ElementType::half: return kHalf;
        case ElementType::bf16: return kBfloat16;
        case ElementType::f32: return kFloat;
        default: return std::nullopt;
    }
}

bool pattern_only(ElementType type) {
    return type == ElementType::hif8 || type == ElementType::e8m0 || type == ElementType::e5m2 ||
           type == ElementType::e4m3;
}

/// The shortest rounding of `value` that reads back as `bits`; whole numbers of everyday size are given in full.
std::string shortest(ElementType type, std::uint64_t bits, double value) {
    constexpr int kEnoughDigits = 9;
    constexpr double kEveryday = 1e7;
    if (std::fabs(value) < kEveryday && value == std::trunc(value)) return fmt::format("{:.0f}", value);
    for (int digits = 1; digits < kEnoughDigits; ++digits) {
        double rounded = 0;
        const std::string candidate = fmt::format("{:.{}e}", value, digits - 1);
        std::from_chars(candidate.data(), candidate.data() + candidate.size(), rounded);
        std::string text = fmt::format("{}", rounded);
        if (bits_from_decimal(type, text) == bits) return text;
    }
    return fmt::format("{:.{}g}", value, kEnoughDigits);
}

}  // namespace

double half_to_double(std::uint16_t bits) {
    return widen(kHalf, bits);
}
double bfloat16_to_double(std::uint16_t bits) {
    return widen(kBfloat16, bits);
}
double float_to_double(std::uint32_t bits) {
    return widen(kFloat, bits);
}
std::uint16_t half_from_double(double number) {
    return static_cast<std::uint16_t>(narrow(kHalf, number));
}
std::uint16_t bfloat16_from_double(double number) {
    return static_cast<std::uint16_t>(narrow(kBfloat16, number));
}
std::uint32_t float_from_double(double number) {
    return static_cast<std::uint32_t>(narrow(kFloat, number));
}

std::optional<std::uint64_t> bits_from_decimal(ElementType type, std::string_view text, DecimalError* error) {
    Parsed parsed;
    if (pattern_only(type)) {
        parsed.error = DecimalError::pattern_only;
    } else if (const std::optional<Format> format = format_of(type)) {
        parsed = parse_floating(*format, text);
    } else {
        parsed = parse_integer(type, text);
    }
    if (error != nullptr) *error = parsed.error;
    if (parsed.error != DecimalError::none) return std::nullopt;
    return parsed.bits;
}

std::optional<double> to_double(ElementType type, std::uint64_t bits) {
    const std::optional<Format> format = format_of(type);
    if (!format) return std::nullopt;
    return widen(*format, bits & all_ones(type));
}

std::string to_text(ElementType type, std::uint64_t bits) {
    bits &= all_ones(type);
    if (const std::optional<Format> format = format_of(type)) {
        const std::uint64_t magnitude = bits & (format->sign() - 1);
        if (magnitude > format->infinity()) return "nan";
        if (magnitude == format->infinity()) return (bits & format->sign()) != 0 ? "-inf" : "inf";
        return shortest(type, bits, widen(*format, bits));
    }
    if (is_bits(type) || pattern_only(type)) return fmt::format("0x{:0{}x}", bits, 2 * size_of(type));
    if (takes_unsigned(type)) return fmt::format("{}", bits);
    const std::uint64_t sign = (all_ones(type) >> 1) + 1;
    return fmt::format("{}", static_cast<std::int64_t>((bits ^ sign) - sign));
}

}  // namespace vcore::isa
