#include "models/isa/arithmetic.hpp"

#include <cmath>
#include <cstring>

#include "models/isa/bits.hpp"
#include "models/isa/execution.hpp"
#include "models/isa/faults.hpp"
#include "models/isa/scalar.hpp"
#include "models/isa/type_rules.hpp"

namespace vcore::isa::detail {
namespace {

float as_float(std::uint32_t bits) {
    float number = 0;
    std::memcpy(&number, &bits, sizeof(number));
    return number;
}
std::uint32_t bits_of(float number) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &number, sizeof(bits));
    return bits;
}

std::uint32_t add_float(std::uint32_t a, std::uint32_t b) {
    const float sum = as_float(a) + as_float(b);
    return std::isnan(sum) ? kFloatNan : bits_of(sum);
}

/// Exact: the exponent is moved to float's bias by a multiplication, which makes subnormals normal too.
float widen_half(std::uint16_t half) {
    constexpr std::uint32_t kRebias = 0x77800000;  // 2^112
    const std::uint32_t magnitude = half & 0x7FFFU;
    const std::uint32_t sign = (half & 0x8000U) << 16;
    std::uint32_t bits = bits_of(as_float(magnitude << 13) * as_float(kRebias));
    if (magnitude >= 0x7C00) bits |= 0x7F800000;
    return as_float(bits | sign);
}

std::uint16_t round_to_half(float number) {
    constexpr std::uint32_t kOverflow = 0x47800000;        // 65536
    constexpr std::uint32_t kSmallestNormal = 0x38800000;  // 2^-14
    constexpr std::uint32_t kHalf = 0x3F000000;            // 0.5: one unit in its last place is 2^-24, as in subnormals
    const std::uint32_t bits = bits_of(number);
    const std::uint32_t magnitude = bits & 0x7FFFFFFF;
    const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000);
    if (magnitude > 0x7F800000) return kHalfNan;
    if (magnitude >= kOverflow) return sign | 0x7C00;
    if (magnitude < kSmallestNormal) {
        return static_cast<std::uint16_t>(sign | (bits_of(as_float(magnitude) + as_float(kHalf)) - kHalf));
    }
    const std::uint32_t odd = (magnitude >> 13) & 1;
    return static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000 + 0xFFF + odd) >> 13));
}

/// Float has more than twice half's digits, so that rounding the sum to float first cannot change how it rounds to
/// half.
std::uint16_t add_half(std::uint16_t a, std::uint16_t b) {
    return round_to_half(widen_half(a) + widen_half(b));
}

template <typename T, typename Sum>
void add_all(std::size_t count, const std::byte* a, const std::byte* b, std::byte* dst, Sum sum) {
    for (std::size_t i = 0; i < count; ++i) {
        T x = 0;
        T y = 0;
        std::memcpy(&x, a + i * sizeof(T), sizeof(T));
        std::memcpy(&y, b + i * sizeof(T), sizeof(T));
        const auto result = static_cast<T>(sum(x, y));
        std::memcpy(dst + i * sizeof(T), &result, sizeof(T));
    }
}

/// A register with every element the same bits.
VectorRegister broadcast(ElementType type, std::uint64_t element) {
    VectorRegister result;
    const std::size_t bytes = size_of(type);
    for (std::size_t i = 0; i < kVectorBytes; i += bytes) std::memcpy(result.bytes.data() + i, &element, bytes);
    return result;
}

/// Zeroes the inactive lanes of `values` and puts it into a register.
void write_masked(const VectorRegister& values, ElementType type, const MaskRegister& mask, VectorRegister& dst) {
    copy_vector(dst.bytes.data(), values.bytes.data());
    const std::size_t bytes = size_of(type);
    if (all_lanes(mask, bytes)) return;
    for (std::size_t lane = 0; lane < lanes_of(type); ++lane) {
        if (!mask.active(lane, bytes)) std::memset(dst.bytes.data() + lane * bytes, 0, bytes);
    }
}

void add_registers(ElementType type, const VectorRegister& a, const VectorRegister& b, const MaskRegister& mask,
                   VectorRegister& dst) {
    VectorRegister sums;
    add_elements(type, lanes_of(type), a.bytes.data(), b.bytes.data(), sums.bytes.data());
    write_masked(sums, type, mask, dst);
}

}  // namespace

void add_elements(ElementType type, std::size_t count, const std::byte* a, const std::byte* b, std::byte* dst) {
    if (type == ElementType::f32) return add_all<std::uint32_t>(count, a, b, dst, add_float);
    if (type == ElementType::half) return add_all<std::uint16_t>(count, a, b, dst, add_half);
    const auto wrapping = [](std::uint32_t x, std::uint32_t y) { return x + y; };
    if (size_of(type) == 2) return add_all<std::uint16_t>(count, a, b, dst, wrapping);
    add_all<std::uint32_t>(count, a, b, dst, wrapping);
}

Fault check(const Add& op, Execution& e) {
    if (!has_vector_functions(e)) return unsupported_op();
    if (!is_arithmetic(op.type)) return unsupported_type(Operand::type);
    if (!legal(op.dst)) return bad_register(Operand::dst, op.dst);
    if (!legal(op.a)) return bad_register(Operand::src0, op.a);
    if (!legal(op.b)) return bad_register(Operand::src1, op.b);
    if (!legal(op.mask)) return bad_register(Operand::mask, op.mask);
    return {};
}

void perform(Add& op, Execution& e) {
    add_registers(op.type, e.vector(op.a), e.vector(op.b), e.mask(op.mask), e.vector(op.dst));
}

Fault check(const Adds& op, Execution& e) {
    if (!has_vector_functions(e)) return unsupported_op();
    if (!is_arithmetic(op.type)) return unsupported_type(Operand::type);
    if (!legal(op.dst)) return bad_register(Operand::dst, op.dst);
    if (!legal(op.a)) return bad_register(Operand::src0, op.a);
    if (!legal(op.mask)) return bad_register(Operand::mask, op.mask);
    return {};
}

void perform(Adds& op, Execution& e) {
    add_registers(op.type, e.vector(op.a), broadcast(op.type, op.scalar), e.mask(op.mask), e.vector(op.dst));
}

Fault check(const Duplicate& op, Execution& e) {
    if (!has_vector_functions(e)) return unsupported_op();
    if (!is_duplicate(op.type)) return unsupported_type(Operand::type);
    if (!legal(op.dst)) return bad_register(Operand::dst, op.dst);
    if (op.mask && !legal(*op.mask)) return bad_register(Operand::mask, *op.mask);
    return {};
}

void perform(Duplicate& op, Execution& e) {
    const VectorRegister elements = broadcast(op.type, op.scalar);
    if (op.mask) return write_masked(elements, op.type, e.mask(*op.mask), e.vector(op.dst));
    copy_vector(e.vector(op.dst).bytes.data(), elements.bytes.data());
}

Fault check(const Move& op, Execution& e) {
    if (!has_vector_functions(e)) return unsupported_op();
    if (!legal(op.dst)) return bad_register(Operand::dst, op.dst);
    if (!legal(op.src)) return bad_register(Operand::src, op.src);
    if (op.mask && !legal(*op.mask)) return bad_register(Operand::mask, *op.mask);
    return {};
}

void perform(Move& op, Execution& e) {
    const std::byte* src = e.vector(op.src).bytes.data();
    std::byte* dst = e.vector(op.dst).bytes.data();
    const std::size_t bytes = size_of(op.type);
    if (op.dst == op.src) return;
    if (!op.mask || all_lanes(e.mask(*op.mask), bytes)) return copy_vector(dst, src);
    const MaskRegister& mask = e.mask(*op.mask);
    for (std::size_t lane = 0; lane < lanes_of(op.type); ++lane) {
        if (mask.active(lane, bytes)) std::memcpy(dst + lane * bytes, src + lane * bytes, bytes);
    }
}

}  // namespace vcore::isa::detail
