// Element types of Ascend C as C++ types.
//
// half and bfloat16_t convert from and to float, rounding to nearest even, so that ordinary code can compute with them;
// hifloat8_t and the fp8 types are bit patterns. All have the size and the bits of the element in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "models/isa/element_type.hpp"
#include "models/isa/float_formats.hpp"

namespace vcore::kernels {

/// A 16-bit float with `mantissa` stored bits of significand and `exponent` bits of exponent.
template <int mantissa, int exponent>
class Float16 {
public:
    static constexpr isa::float_formats::FloatFormat kFormat{mantissa, exponent};

    Float16() = default;
    template <typename Number, typename = std::enable_if_t<std::is_arithmetic_v<Number>>>
    constexpr Float16(Number number)  // NOLINT: as the device's type converts
        : pattern(static_cast<std::uint16_t>(isa::float_formats::narrow(kFormat, static_cast<double>(number)))) {}
    /// From the other format.
    template <int m, int e, typename = std::enable_if_t<m != mantissa>>
    constexpr explicit Float16(Float16<m, e> other) : Float16(static_cast<float>(other)) {}
    constexpr operator float() const {  // NOLINT
        return static_cast<float>(isa::float_formats::widen(kFormat, pattern));
    }

    static constexpr Float16 of_bits(std::uint16_t bits) {
        Float16 result(0);
        result.pattern = bits;
        return result;
    }

    Float16& operator+=(float other) { return *this = Float16(float(*this) + other); }
    Float16& operator-=(float other) { return *this = Float16(float(*this) - other); }
    Float16& operator*=(float other) { return *this = Float16(float(*this) * other); }
    Float16& operator/=(float other) { return *this = Float16(float(*this) / other); }
    Float16& operator++() { return *this += 1; }
    Float16& operator--() { return *this -= 1; }
    Float16 operator++(int) {
        const Float16 before = *this;
        ++*this;
        return before;
    }
    Float16 operator--(int) {
        const Float16 before = *this;
        --*this;
        return before;
    }

    std::uint16_t pattern;  ///< the bits; public, so that ordinary code may copy memory that holds elements
};

/// An 8-bit pattern; `Tag` tells the formats apart.
template <typename Tag>
struct Pattern8 {
    std::uint8_t bits;
    friend bool operator==(Pattern8 a, Pattern8 b) { return a.bits == b.bits; }
    friend bool operator!=(Pattern8 a, Pattern8 b) { return a.bits != b.bits; }
};

}  // namespace vcore::kernels

using half = vcore::kernels::Float16<10, 5>;
using bfloat16_t = vcore::kernels::Float16<7, 8>;
using hifloat8_t = vcore::kernels::Pattern8<struct Hifloat8Tag>;
using fp8_e8m0_t = vcore::kernels::Pattern8<struct Fp8E8m0Tag>;
using fp8_e5m2_t = vcore::kernels::Pattern8<struct Fp8E5m2Tag>;
using fp8_e4m3fn_t = vcore::kernels::Pattern8<struct Fp8E4m3fnTag>;

namespace vcore::kernels {

namespace detail {

template <typename T>
constexpr int element_number() {
    using Type = std::remove_cv_t<T>;
    using isa::ElementType;
    const auto number = [](ElementType type) { return static_cast<int>(type); };
    if constexpr (std::is_same_v<Type, half>) return number(ElementType::half);
    if constexpr (std::is_same_v<Type, bfloat16_t>) return number(ElementType::bf16);
    if constexpr (std::is_same_v<Type, hifloat8_t>) return number(ElementType::hif8);
    if constexpr (std::is_same_v<Type, fp8_e8m0_t>) return number(ElementType::e8m0);
    if constexpr (std::is_same_v<Type, fp8_e5m2_t>) return number(ElementType::e5m2);
    if constexpr (std::is_same_v<Type, fp8_e4m3fn_t>) return number(ElementType::e4m3);
    if constexpr (std::is_same_v<Type, float>) return number(ElementType::f32);
    if constexpr (std::is_same_v<Type, bool>) return number(ElementType::u8);
    if constexpr (std::is_integral_v<Type>) {
        constexpr bool kSigned = std::is_signed_v<Type>;
        if constexpr (sizeof(Type) == 1) return number(kSigned ? ElementType::s8 : ElementType::u8);
        if constexpr (sizeof(Type) == 2) return number(kSigned ? ElementType::s16 : ElementType::u16);
        if constexpr (sizeof(Type) == 4) return number(kSigned ? ElementType::s32 : ElementType::u32);
        if constexpr (sizeof(Type) == 8) return number(kSigned ? ElementType::s64 : ElementType::u64);
    }
    return -1;
}

}  // namespace detail

template <typename T>
inline constexpr bool kIsElement = detail::element_number<T>() >= 0;

/// The model's name of an element type. A sentence at compile time for a type that is none.
template <typename T>
constexpr isa::ElementType element_of() {
    static_assert(kIsElement<T>,
                  "not an element type: expected an integer of 8 to 64 bits, half, bfloat16_t, float, hifloat8_t, "
                  "fp8_e8m0_t, fp8_e5m2_t or fp8_e4m3fn_t");
    return static_cast<isa::ElementType>(detail::element_number<T>() < 0 ? 0 : detail::element_number<T>());
}

/// The bits of an element, zero-extended.
template <typename T>
std::uint64_t bits_of(const T& element) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &element, sizeof(T));
    return bits;
}

/// False, but only once a template is used.
template <typename...>
inline constexpr bool kNever = false;

}  // namespace vcore::kernels

static_assert(sizeof(half) == 2 && std::is_trivially_copyable_v<half> && std::is_trivial_v<half>);

/// The limits of half and bfloat16_t, as those of float.
template <int mantissa, int exponent>
class std::numeric_limits<vcore::kernels::Float16<mantissa, exponent>> {
    using Number = vcore::kernels::Float16<mantissa, exponent>;
    static constexpr std::uint16_t kInfinity = static_cast<std::uint16_t>(Number::kFormat.infinity());
    static constexpr std::uint16_t kSign = 0x8000;

public:
    static constexpr bool is_specialized = true;
    static constexpr bool is_signed = true;
    static constexpr bool is_integer = false;
    static constexpr bool is_exact = false;
    static constexpr bool is_iec559 = true;
    static constexpr bool has_infinity = true;
    static constexpr bool has_quiet_NaN = true;
    static constexpr int radix = 2;
    static constexpr int digits = mantissa + 1;
    static constexpr Number min() { return Number::of_bits(1U << mantissa); }
    static constexpr Number max() { return Number::of_bits(kInfinity - 1); }
    static constexpr Number lowest() { return Number::of_bits(kSign | (kInfinity - 1)); }
    static constexpr Number denorm_min() { return Number::of_bits(1); }
    static constexpr Number infinity() { return Number::of_bits(kInfinity); }
    static constexpr Number quiet_NaN() {
        return Number::of_bits(static_cast<std::uint16_t>(Number::kFormat.quiet_nan()));
    }
    /// The step behind 1.
    static constexpr Number epsilon() { return Number(1.0 / (1U << mantissa)); }
};
