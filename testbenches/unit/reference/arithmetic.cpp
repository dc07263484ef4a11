#include "testbenches/unit/reference/arithmetic.hpp"

namespace vcore::reference {
namespace {

struct Format {
    int fraction_bits;
    int exponent_bits;

    int top_exponent() const { return (1 << exponent_bits) - 1; }
    std::uint64_t hidden_one() const { return std::uint64_t{1} << fraction_bits; }
    std::uint64_t sign_bit() const { return std::uint64_t{1} << (fraction_bits + exponent_bits); }
    std::uint64_t infinity() const { return static_cast<std::uint64_t>(top_exponent()) << fraction_bits; }
    std::uint64_t quiet_nan() const { return infinity() | (hidden_one() >> 1); }
};

/// A finite number is (-1)^negative * significand * 2^exponent, in units of the smallest subnormal.
struct Parts {
    bool negative;
    bool infinite;
    bool nan;
    std::uint64_t significand;
    int exponent;
};

Parts take_apart(std::uint64_t pattern, const Format& format) {
    const int biased = static_cast<int>(pattern >> format.fraction_bits) & format.top_exponent();
    const std::uint64_t fraction = pattern & (format.hidden_one() - 1);
    Parts parts{};
    parts.negative = (pattern & format.sign_bit()) != 0;
    parts.infinite = biased == format.top_exponent() && fraction == 0;
    parts.nan = biased == format.top_exponent() && fraction != 0;
    parts.significand = biased == 0 ? fraction : fraction | format.hidden_one();
    parts.exponent = biased == 0 ? 0 : biased - 1;
    return parts;
}

// Bits kept below the last place of the larger operand. Half never loses one; single precision loses some when the
// exponents lie further apart than this, and then one sticky bit stands for them all: they are far below half a place.
constexpr int kGuardBits = 38;

std::uint64_t shift_right_sticky(std::uint64_t number, int places) {
    if (places >= 64) return number != 0 ? 1 : 0;
    const std::uint64_t kept = number >> places;
    return (kept << places) == number ? kept : kept | 1;
}

/// Rounds magnitude * 2^(exponent - kGuardBits) to the format.
std::uint64_t round_and_pack(bool negative, std::uint64_t magnitude, int exponent, const Format& format) {
    // Bring the leading one to the place of the hidden one, but never below exponent 0, where subnormals live.
    int drop = kGuardBits;
    while ((magnitude >> drop) >= format.hidden_one() * 2) {
        ++drop;
        ++exponent;
    }
    while ((magnitude >> drop) < format.hidden_one() && exponent > 0) {
        --drop;
        --exponent;
    }
    std::uint64_t kept = magnitude >> drop;
    const std::uint64_t rest = magnitude - (kept << drop);
    const std::uint64_t half_a_place = (std::uint64_t{1} << drop) >> 1;
    if (rest > half_a_place || (rest == half_a_place && drop > 0 && (kept & 1) != 0)) ++kept;
    if (kept == format.hidden_one() * 2) {
        kept /= 2;
        ++exponent;
    }
    const std::uint64_t sign = negative ? format.sign_bit() : 0;
    if (kept < format.hidden_one()) return sign | kept;
    if (exponent + 1 >= format.top_exponent()) return sign | format.infinity();
    return sign | (static_cast<std::uint64_t>(exponent + 1) << format.fraction_bits) | (kept - format.hidden_one());
}

std::uint64_t add(std::uint64_t a_pattern, std::uint64_t b_pattern, const Format& format) {
    Parts a = take_apart(a_pattern, format);
    Parts b = take_apart(b_pattern, format);
    if (a.nan || b.nan) return format.quiet_nan();
    if (a.infinite && b.infinite && a.negative != b.negative) return format.quiet_nan();
    if (a.infinite) return a_pattern;
    if (b.infinite) return b_pattern;
    if (a.exponent < b.exponent) {
        const Parts swap = a;
        a = b;
        b = swap;
    }
    const std::uint64_t large = a.significand << kGuardBits;
    const std::uint64_t small = shift_right_sticky(b.significand << kGuardBits, a.exponent - b.exponent);
    if (a.negative == b.negative) return round_and_pack(a.negative, large + small, a.exponent, format);
    if (large == small) return 0;
    if (large > small) return round_and_pack(a.negative, large - small, a.exponent, format);
    return round_and_pack(b.negative, small - large, a.exponent, format);
}

}  // namespace

std::uint16_t add_half(std::uint16_t a, std::uint16_t b) {
    return static_cast<std::uint16_t>(add(a, b, Format{10, 5}));
}

std::uint32_t add_float(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::uint32_t>(add(a, b, Format{23, 8}));
}

}  // namespace vcore::reference
