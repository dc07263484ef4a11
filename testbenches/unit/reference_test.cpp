// The judge judged: the reference's additions against results worked out by hand and against this machine's.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "testbenches/unit/random.hpp"
#include "testbenches/unit/reference/arithmetic.hpp"

namespace vcore::unit {
namespace {

using reference::add_float;
using reference::add_half;

TEST(ReferenceArithmetic, HalvesByHand) {
    EXPECT_EQ(add_half(0x3C00, 0x3C00), 0x4000);  // 1 + 1 = 2
    EXPECT_EQ(add_half(0x3C00, 0x1000), 0x3C00);  // 1 + 2^-11: a tie, to even
    EXPECT_EQ(add_half(0x3C01, 0x1000), 0x3C02);
    EXPECT_EQ(add_half(0x3C00, 0x1001), 0x3C01);
    EXPECT_EQ(add_half(0x3C00, 0x8001), 0x3C00);  // 1 - 2^-24
    EXPECT_EQ(add_half(0x0001, 0x0001), 0x0002);
    EXPECT_EQ(add_half(0x03FF, 0x0001), 0x0400);
    EXPECT_EQ(add_half(0x0400, 0x8001), 0x03FF);
    EXPECT_EQ(add_half(0x7BFF, 0x4C00), 0x7C00);  // 65504 + 16: a tie, to infinity
    EXPECT_EQ(add_half(0x7BFF, 0x4BFF), 0x7BFF);
    EXPECT_EQ(add_half(0x8000, 0x0000), 0x0000);
    EXPECT_EQ(add_half(0x8000, 0x8000), 0x8000);
    EXPECT_EQ(add_half(0xBC00, 0x3C00), 0x0000);
    EXPECT_EQ(add_half(0x7C00, 0xFC00), 0x7E00);
    EXPECT_EQ(add_half(0xFC00, 0x7BFF), 0xFC00);
    EXPECT_EQ(add_half(0x0000, 0xFC01), 0x7E00);
}

/// The value of a finite half in units of 2^-24, the smallest subnormal: at most 65504 * 2^24, so a double is exact.
double units_of(std::uint16_t half) {
    const int exponent = half >> 10 & 31;
    const double fraction = half & 1023;
    const double units = exponent == 0 ? fraction : std::ldexp(fraction + 1024, exponent - 1);
    return (half & 0x8000) != 0 ? -units : units;
}

TEST(ReferenceArithmetic, HalfSumsAreTheNearestHalf) {
    Random random(20240511);
    for (int i = 0; i < 200000; ++i) {
        const auto a = static_cast<std::uint16_t>(random.bits());
        const auto b = static_cast<std::uint16_t>(random.bits());
        if ((a & 0x7C00) == 0x7C00 || (b & 0x7C00) == 0x7C00) continue;
        const std::uint16_t sum = add_half(a, b);
        if ((sum & 0x7C00) == 0x7C00) {
            EXPECT_GE(std::abs(units_of(a) + units_of(b)), std::ldexp(65520, 24));
            continue;
        }
        const double exact = units_of(a) + units_of(b);
        const double distance = std::abs(exact - units_of(sum));
        for (const int step : {-1, 1}) {
            const auto beside = static_cast<std::uint16_t>(sum + step);
            if ((beside & 0x7C00) == 0x7C00 || ((beside ^ sum) & 0x8000) != 0) continue;
            const double other = std::abs(exact - units_of(beside));
            ASSERT_LE(distance, other) << std::hex << a << " + " << b;
            if (distance == other) {
                ASSERT_EQ(sum & 1, 0) << std::hex << a << " + " << b;
            }
        }
    }
}

TEST(ReferenceArithmetic, FloatSumsAreThisMachines) {
    Random random(77);
    for (int i = 0; i < 2000000; ++i) {
        std::uint32_t a = static_cast<std::uint32_t>(random.bits());
        std::uint32_t b = static_cast<std::uint32_t>(random.bits());
        // Most exponents lie far apart; bring half of them together.
        if (i % 2 == 0) b = (b & 0x807FFFFF) | ((a & 0x7F800000) ^ static_cast<std::uint32_t>(random.below(32)) << 23);
        if (i % 7 == 0) a &= 0x80FFFFFF;
        float x = 0;
        float y = 0;
        std::memcpy(&x, &a, 4);
        std::memcpy(&y, &b, 4);
        const float sum = x + y;
        std::uint32_t bits = 0;
        std::memcpy(&bits, &sum, 4);
        ASSERT_EQ(add_float(a, b), std::isnan(sum) ? 0x7FC00000 : bits) << std::hex << a << " + " << b;
    }
}

}  // namespace
}  // namespace vcore::unit
