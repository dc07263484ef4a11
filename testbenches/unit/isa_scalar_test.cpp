// Conversions between bit patterns, doubles and decimal text, against arithmetic on exact fractions.
#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

#include "models/isa/scalar.hpp"

namespace vcore::isa {
namespace {

/// A 16-bit format, spelled out: sign, exponent field, fraction field.
struct SlowFormat {
    ElementType type;
    int fraction_bits;
    int bias;
    int largest_field;  // the exponent field of infinities and NaNs

    bool finite(unsigned bits) const { return field(bits) != largest_field; }
    bool nan(unsigned bits) const { return field(bits) == largest_field && fraction(bits) != 0; }
    int field(unsigned bits) const { return static_cast<int>((bits & 0x7FFF) >> fraction_bits); }
    int fraction(unsigned bits) const { return static_cast<int>(bits & ((1U << fraction_bits) - 1)); }
    /// The definition of the format; `long double` holds every such number exactly.
    long double value(unsigned bits) const {
        const long double magnitude =
            field(bits) == 0 ? std::ldexp(static_cast<long double>(fraction(bits)), 1 - bias - fraction_bits)
                             : std::ldexp(static_cast<long double>(fraction(bits) + (1 << fraction_bits)),
                                          field(bits) - bias - fraction_bits);
        return (bits & 0x8000) != 0 ? -magnitude : magnitude;
    }
    /// Nearest, ties to even, by trying all: the largest pattern that is not above, then a comparison with the next.
    unsigned nearest(long double magnitude) const {
        unsigned low = 0;
        unsigned high = static_cast<unsigned>(largest_field) << fraction_bits;
        while (high - low > 1) {
            const unsigned middle = (low + high) / 2;
            (value(middle) <= magnitude ? low : high) = middle;
        }
        const long double below = magnitude - value(low);
        const long double above = value(low + 1) - magnitude;  // the pattern of infinity stands for the next power of 2
        if (below < above) return low;
        if (above < below) return low + 1;
        return (low & 1) != 0 ? low + 1 : low;
    }
    unsigned narrow(double number) const {
        const unsigned sign = std::signbit(number) ? 0x8000 : 0;
        const long double magnitude = std::fabs(static_cast<long double>(number));
        const long double too_large = std::ldexp(1.0L, bias + 1);
        if (magnitude >= too_large) return sign | static_cast<unsigned>(largest_field) << fraction_bits;
        return sign | nearest(magnitude);
    }
};
constexpr SlowFormat kSlowHalf{ElementType::half, 10, 15, 31};
constexpr SlowFormat kSlowBfloat16{ElementType::bf16, 7, 127, 255};

double fast_value(const SlowFormat& format, unsigned bits) {
    const auto pattern = static_cast<std::uint16_t>(bits);
    return format.type == ElementType::half ? half_to_double(pattern) : bfloat16_to_double(pattern);
}
unsigned fast_narrow(const SlowFormat& format, double number) {
    return format.type == ElementType::half ? half_from_double(number) : bfloat16_from_double(number);
}

class IsaScalar : public ::testing::TestWithParam<SlowFormat> {};

TEST_P(IsaScalar, EveryPatternHasItsValueAndComesBack) {
    const SlowFormat& format = GetParam();
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
        const double number = fast_value(format, bits);
        ASSERT_EQ(to_double(format.type, bits).has_value(), true);
        if (format.nan(bits)) {
            ASSERT_TRUE(std::isnan(number)) << bits;
            ASSERT_EQ(fast_narrow(format, number), format.type == ElementType::half ? kHalfNan : kBfloat16Nan);
            continue;
        }
        if (format.finite(bits)) {
            ASSERT_EQ(static_cast<long double>(number), format.value(bits)) << bits;
            ASSERT_EQ(std::signbit(number), (bits & 0x8000) != 0) << bits;
        } else {
            ASSERT_TRUE(std::isinf(number)) << bits;
        }
        ASSERT_EQ(fast_narrow(format, number), bits);
    }
}

TEST_P(IsaScalar, EveryMidpointRoundsToEvenAndItsNeighboursDoNot) {
    const SlowFormat& format = GetParam();
    const auto infinity = static_cast<unsigned>(format.largest_field) << format.fraction_bits;
    for (unsigned bits = 0; bits < infinity; ++bits) {
        const auto middle = static_cast<double>((format.value(bits) + format.value(bits + 1)) / 2);
        const unsigned even = (bits & 1) != 0 ? bits + 1 : bits;
        ASSERT_EQ(fast_narrow(format, middle), even) << bits;
        ASSERT_EQ(fast_narrow(format, -middle), even | 0x8000) << bits;
        ASSERT_EQ(fast_narrow(format, std::nextafter(middle, 0)), bits);
        ASSERT_EQ(fast_narrow(format, std::nextafter(middle, DBL_MAX)), bits + 1);
    }
}

TEST_P(IsaScalar, RandomDoublesRoundAsTheSlowReferenceDoes) {
    const SlowFormat& format = GetParam();
    constexpr unsigned kSeed = 20240;
    std::mt19937_64 random(kSeed);
    for (int i = 0; i < 200000; ++i) {
        const std::uint64_t exponent = 1023 - 160 + random() % 320;
        const std::uint64_t bits = (random() & 0x800FFFFFFFFFFFFF) | exponent << 52;
        double number = 0;
        std::memcpy(&number, &bits, sizeof(number));
        ASSERT_EQ(fast_narrow(format, number), format.narrow(number)) << number << " seed " << kSeed;
    }
    for (const double number : {0.0, -0.0, DBL_MIN, -DBL_TRUE_MIN, DBL_MAX, -DBL_MAX}) {
        ASSERT_EQ(fast_narrow(format, number), format.narrow(number)) << number;
    }
}

TEST_P(IsaScalar, TextOfEveryPatternReadsBack) {
    const SlowFormat& format = GetParam();
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
        const std::string text = to_text(format.type, bits);
        if (format.nan(bits)) {
            ASSERT_EQ(text, "nan");
            continue;
        }
        ASSERT_EQ(bits_from_decimal(format.type, text), bits) << text;
        if (format.finite(bits)) {
            ASSERT_EQ(static_cast<unsigned>(format.narrow(std::strtod(text.c_str(), nullptr))), bits) << text;
            ASSERT_LE(text.size(), 17U) << text;
        }
    }
}

/// A decimal just above or below a midpoint that a double cannot tell from it: rounding twice would go wrong.
TEST_P(IsaScalar, DecimalsNextToMidpointsRoundOnce) {
    const SlowFormat& format = GetParam();
    const auto infinity = static_cast<unsigned>(format.largest_field) << format.fraction_bits;
    for (unsigned bits = 0; bits + 1 < infinity; bits += 7) {
        const long double middle = (format.value(bits) + format.value(bits + 1)) / 2;
        char exact[400];
        std::snprintf(exact, sizeof(exact), "%.250Lf", middle);
        const std::string above = std::string(exact) + "1";
        std::string below = exact;  // the same with its last digit lowered and nines behind
        std::size_t last = below.find_last_not_of("0.");
        below[last] = static_cast<char>(below[last] - 1);
        for (std::size_t i = last + 1; i < below.size(); ++i) below[i] = below[i] == '.' ? '.' : '9';
        const unsigned even = (bits & 1) != 0 ? bits + 1 : bits;
        ASSERT_EQ(bits_from_decimal(format.type, exact), even) << exact;
        ASSERT_EQ(bits_from_decimal(format.type, above), bits + 1) << above;
        ASSERT_EQ(bits_from_decimal(format.type, below), bits) << below;
    }
}

INSTANTIATE_TEST_SUITE_P(Formats, IsaScalar, ::testing::Values(kSlowHalf, kSlowBfloat16),
                         [](const auto& parameter) { return std::string(name(parameter.param.type)); });

TEST(IsaScalarFloat, RoundsAsTheHardwareAndTheLibraryDo) {
    constexpr unsigned kSeed = 7;
    std::mt19937_64 random(kSeed);
    for (int i = 0; i < 100000; ++i) {
        const std::uint64_t pattern = (random() & 0x800FFFFFFFFFFFFF) | (1023 - 155 + random() % 285) << 52;
        double number = 0;
        std::memcpy(&number, &pattern, sizeof(number));
        const auto rounded = static_cast<float>(number);
        std::uint32_t bits = 0;
        std::memcpy(&bits, &rounded, sizeof(bits));
        ASSERT_EQ(float_from_double(number), bits) << number << " seed " << kSeed;
        if (std::isinf(rounded)) continue;
        ASSERT_EQ(float_to_double(bits), static_cast<double>(rounded));
        ASSERT_EQ(bits_from_decimal(ElementType::f32, to_text(ElementType::f32, bits)), bits);
        char text[64];
        std::snprintf(text, sizeof(text), "%.*e", static_cast<int>(random() % 25), number);
        const float parsed = std::strtof(text, nullptr);
        if (std::isinf(parsed)) continue;
        std::memcpy(&bits, &parsed, sizeof(bits));
        ASSERT_EQ(bits_from_decimal(ElementType::f32, text), bits) << text;
    }
}

struct Decimal {
    ElementType type;
    const char* text;
    std::uint64_t bits;
};
TEST(IsaScalarText, DecimalsBecomeBits) {
    using T = ElementType;
    const Decimal cases[] = {
        {T::half, "1", 0x3C00},
        {T::half, "-0.0", 0x8000},
        {T::half, "-0", 0x8000},
        {T::half, "nan", kHalfNan},
        {T::half, "-inf", 0xFC00},
        {T::half, "65504", 0x7BFF},
        {T::half, "65519.99999999999999999999999", 0x7BFF},
        {T::half, "1e-400", 0},
        {T::half, "-1e-99999999999999999999", 0x8000},
        {T::half, ".5", 0x3800},
        {T::half, "5.", 0x4500},
        {T::half, "0.0005e3", 0x3800},
        {T::half, "1.0009765625", 0x3C01},
        {T::bf16, "3.14159", 0x4049},
        {T::bf16, "inf", 0x7F80},
        {T::f32, "0.1", 0x3DCCCCCD},
        {T::f32, "1e-45", 1},
        {T::f32, "3.4028234663852886e38", 0x7F7FFFFF},
        {T::f32, "16777217", 0x4B800000},
        {T::f32, "16777217.0000000000000000001", 0x4B800001},
        {T::s8, "-128", 0x80},
        {T::u8, "255", 0xFF},
        {T::b8, "-1", 0xFF},
        {T::b8, "255", 0xFF},
        {T::s16, "-1", 0xFFFF},
        {T::b16, "65535", 0xFFFF},
        {T::s32, "-2147483648", 0x80000000},
        {T::s64, "-9223372036854775808", 0x8000000000000000},
        {T::s64, "9223372036854775807", 0x7FFFFFFFFFFFFFFF},
        {T::u64, "18446744073709551615", 0xFFFFFFFFFFFFFFFF},
        {T::b64, "-9223372036854775808", 0x8000000000000000},
        {T::u64, "-0", 0},
    };
    for (const Decimal& one : cases) {
        DecimalError error = DecimalError::malformed;
        EXPECT_EQ(bits_from_decimal(one.type, one.text, &error), one.bits) << one.text << " as " << name(one.type);
        EXPECT_EQ(error, DecimalError::none) << one.text;
    }
}

struct Refused {
    ElementType type;
    const char* text;
    DecimalError error;
};
TEST(IsaScalarText, BadDecimalsAreRefusedWithTheReason) {
    using T = ElementType;
    using E = DecimalError;
    const Refused cases[] = {
        {T::half, "65520", E::out_of_range},
        {T::half, "-1e300", E::out_of_range},
        {T::half, "1e99999999999999999999", E::out_of_range},
        {T::bf16, "3.4e38999", E::out_of_range},
        {T::f32, "3.4028235678e38", E::out_of_range},
        {T::s8, "128", E::out_of_range},
        {T::s8, "-129", E::out_of_range},
        {T::u8, "-1", E::out_of_range},
        {T::b8, "256", E::out_of_range},
        {T::b8, "-129", E::out_of_range},
        {T::u64, "18446744073709551616", E::out_of_range},
        {T::s64, "9223372036854775808", E::out_of_range},
        {T::s64, "-9223372036854775809", E::out_of_range},
        {T::s32, "1.0", E::malformed},
        {T::s32, "1e3", E::malformed},
        {T::s32, "nan", E::malformed},
        {T::s32, "", E::malformed},
        {T::s32, "-", E::malformed},
        {T::s32, "--1", E::malformed},
        {T::half, "", E::malformed},
        {T::half, "-", E::malformed},
        {T::half, ".", E::malformed},
        {T::half, "1.2.3", E::malformed},
        {T::half, "1e", E::malformed},
        {T::half, "1e+", E::malformed},
        {T::half, "e5", E::malformed},
        {T::half, "1 ", E::malformed},
        {T::half, "0x3C00", E::malformed},
        {T::half, "infinity", E::malformed},
        {T::hif8, "1", E::pattern_only},
        {T::e8m0, "1", E::pattern_only},
        {T::e5m2, "0", E::pattern_only},
        {T::e4m3, "nan", E::pattern_only},
    };
    for (const Refused& one : cases) {
        DecimalError error = DecimalError::none;
        EXPECT_EQ(bits_from_decimal(one.type, one.text, &error), std::nullopt) << one.text << " as " << name(one.type);
        EXPECT_EQ(error, one.error) << one.text << " as " << name(one.type);
    }
}

TEST(IsaScalarText, ElementsBecomeText) {
    using T = ElementType;
    EXPECT_EQ(to_text(T::half, 0x3C00), "1");
    EXPECT_EQ(to_text(T::half, 0x8000), "-0");
    EXPECT_EQ(to_text(T::half, 0x2E66), "0.1");
    EXPECT_EQ(to_text(T::half, 0x7BFF), "65504");
    EXPECT_EQ(to_text(T::half, 0x0001), "6e-08");
    EXPECT_EQ(to_text(T::bf16, 0x4682), "16640");
    EXPECT_EQ(to_text(T::half, 0xFC00), "-inf");
    EXPECT_EQ(to_text(T::bf16, 0x7FFF), "nan");
    EXPECT_EQ(to_text(T::f32, 0x3DCCCCCD), "0.1");
    EXPECT_EQ(to_text(T::s8, 0x80), "-128");
    EXPECT_EQ(to_text(T::u8, 0x180), "128");
    EXPECT_EQ(to_text(T::s64, 0x8000000000000000), "-9223372036854775808");
    EXPECT_EQ(to_text(T::u64, 0xFFFFFFFFFFFFFFFF), "18446744073709551615");
    EXPECT_EQ(to_text(T::e4m3, 0x3C), "0x3c");
    EXPECT_EQ(to_text(T::b32, 0xABC), "0x00000abc");
    EXPECT_EQ(to_double(T::s32, 1), std::nullopt);
    EXPECT_EQ(to_double(T::e5m2, 1), std::nullopt);
}

TEST(IsaElementTypes, NamesGoBothWays) {
    for (std::size_t i = 0; i < kElementTypes; ++i) {
        const auto type = static_cast<ElementType>(i);
        EXPECT_EQ(element_type(name(type)), type);
    }
    EXPECT_EQ(name(ElementType::f32), "float");
    EXPECT_EQ(element_type("f32"), std::nullopt);
    EXPECT_EQ(name(static_cast<ElementType>(99)), "?");
}

}  // namespace
}  // namespace vcore::isa
