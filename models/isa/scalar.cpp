#include "models/isa/scalar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

#include "models/isa/float_formats.hpp"

namespace vcore::isa {
namespace {

using namespace float_formats;

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
std::uint64_t round_decimal(FloatFormat format, const Decimal& decimal) {
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

Parsed parse_floating(FloatFormat format, std::string_view text) {
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

std::optional<FloatFormat> format_of(ElementType type) {
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
    } else if (const std::optional<FloatFormat> format = format_of(type)) {
        parsed = parse_floating(*format, text);
    } else {
        parsed = parse_integer(type, text);
    }
    if (error != nullptr) *error = parsed.error;
    if (parsed.error != DecimalError::none) return std::nullopt;
    return parsed.bits;
}

std::optional<double> to_double(ElementType type, std::uint64_t bits) {
    const std::optional<FloatFormat> format = format_of(type);
    if (!format) return std::nullopt;
    return widen(*format, bits & all_ones(type));
}

std::string to_text(ElementType type, std::uint64_t bits) {
    bits &= all_ones(type);
    if (const std::optional<FloatFormat> format = format_of(type)) {
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
