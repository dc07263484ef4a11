#include "testbenches/runner/literal.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "models/isa/scalar.hpp"

namespace vcore::runner {

using isa::ElementType;

namespace {

unsigned width_of(ElementType type) {
    return static_cast<unsigned>(8 * isa::size_of(type));
}

bool is_signed(ElementType type) {
    return type == ElementType::s8 || type == ElementType::s16 || type == ElementType::s32 || type == ElementType::s64;
}

/// Ends of the range of a type that is not real. Bits types take what either sign does, others than integers a pattern.
Wide lowest(ElementType type) {
    return is_signed(type) || isa::is_bits(type) ? -(Wide{1} << (width_of(type) - 1)) : Wide{0};
}
Wide highest(ElementType type) {
    return (Wide{1} << (is_signed(type) ? width_of(type) - 1 : width_of(type))) - 1;
}

/// Bit pattern of the largest finite number of a real type.
std::uint64_t largest_finite(ElementType type) {
    switch (type) {
        case ElementType::half: return 0x7BFF;
        case ElementType::bf16: return 0x7F7F;
        default: return 0x7F7FFFFF;
    }
}

bool is_hex(std::string_view text) {
    return text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

std::uint64_t parse_pattern(const Scanner& scanner, std::string_view field, ElementType type) {
    const std::string_view digits = field.substr(2);
    std::uint64_t bits = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
    if (result.ptr != digits.data() + digits.size()) {
        scanner.fail(field, "hex digits after 0x");
    }
    const bool too_wide = width_of(type) < 64 && (bits >> width_of(type)) != 0;
    if (result.ec != std::errc() || too_wide) {
        scanner.complain(field, fmt::format("found {}, expected at most {} hex digits for {}", quoted(field),
                                            width_of(type) / 4, name(type)));
    }
    return bits;
}

std::string_view expected_value(ElementType type) {
    return is_real(type) ? "a value (a decimal number, nan, inf, or a bit pattern 0x…)"
                         : "a value (an integer, or a bit pattern 0x…)";
}

}  // namespace

bool is_real(ElementType type) {
    return type == ElementType::half || type == ElementType::bf16 || type == ElementType::f32;
}

bool takes_patterns_only(ElementType type) {
    return type == ElementType::hif8 || type == ElementType::e8m0 || type == ElementType::e5m2 ||
           type == ElementType::e4m3;
}

std::uint64_t parse_value(const Scanner& scanner, std::string_view field, ElementType type) {
    if (is_hex(field)) return parse_pattern(scanner, field, type);
    isa::DecimalError error = isa::DecimalError::none;
    if (const auto bits = isa::bits_from_decimal(type, field, &error)) return *bits;
    switch (error) {
        case isa::DecimalError::out_of_range:
            scanner.complain(field, fmt::format("found {}, expected {}", quoted(field), range_text(type)));
        case isa::DecimalError::pattern_only:
            scanner.fail(field, fmt::format("a bit pattern 0x…: {} has no decimal values", name(type)));
        default: scanner.fail(field, expected_value(type));
    }
}

std::optional<std::uint64_t> bits_of(ElementType type, Wide value) {
    if (is_real(type)) {
        // Past 2^53 a double would round a first time, so such numbers go through their exact text.
        constexpr Wide kExact = Wide{1} << std::numeric_limits<double>::digits;
        if (value >= -kExact && value <= kExact) return bits_of(type, static_cast<double>(value));
        return isa::bits_from_decimal(type, fmt::format("{}", value));
    }
    const Wide patterns = Wide{1} << width_of(type);
    if (value < lowest(type) || value > highest(type)) return std::nullopt;
    return static_cast<std::uint64_t>(value) & static_cast<std::uint64_t>(patterns - 1);
}

std::optional<std::uint64_t> bits_of(ElementType type, double value) {
    const auto bits = [&]() -> std::uint64_t {
        switch (type) {
            case ElementType::half: return isa::half_from_double(value);
            case ElementType::bf16: return isa::bfloat16_from_double(value);
            default: return isa::float_from_double(value);
        }
    }();
    const bool overflows = std::isinf(*isa::to_double(type, bits)) && !std::isinf(value);
    return overflows ? std::nullopt : std::optional<std::uint64_t>(bits);
}

std::optional<double> real_number(std::string_view text) {
    double number = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
    if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return std::nullopt;
    return number;
}

std::string range_text(ElementType type) {
    if (const auto largest = isa::to_double(type, largest_finite(type))) {
        return fmt::format("a value of {} that rounds to at most {:g} in size", name(type), *largest);
    }
    return fmt::format("a value of {}, {} to {}", name(type), lowest(type), highest(type));
}

std::string value_text(ElementType type, std::uint64_t bits) {
    return isa::to_text(type, bits);
}

std::string pattern_text(ElementType type, std::uint64_t bits) {
    return fmt::format("0x{:0{}x}", bits, width_of(type) / 4);
}

}  // namespace vcore::runner
