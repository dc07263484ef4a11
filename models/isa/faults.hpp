// The checks that many ops share, and the faults they make.
#pragma once

#include <cstdint>

#include "models/isa/diagnostics.hpp"
#include "models/isa/execution.hpp"

namespace vcore::isa::detail {

inline Fault fault(DiagnosticId id, Operand operand) {
    Fault result;
    result.id = id;
    result.operand = operand;
    return result;
}

inline bool legal(VregId id) {
    return static_cast<std::uint64_t>(value(id)) < kVectorRegisters;
}
inline bool legal(MregId id) {
    return static_cast<std::uint64_t>(value(id)) < kMaskRegisters;
}
/// A pair is two different registers.
inline bool legal(const VectorOperand& operand) {
    return legal(operand.low) && (!operand.pair || (legal(operand.high) && operand.low != operand.high));
}

inline Fault bad_register(Operand operand, std::int64_t number, std::int64_t registers) {
    Fault result = fault(DiagnosticId::bad_register, operand);
    result.value = number;
    result.limit = registers - 1;
    return result;
}
inline Fault bad_register(Operand operand, VregId id) {
    return bad_register(operand, value(id), kVectorRegisters);
}
inline Fault bad_register(Operand operand, MregId id) {
    return bad_register(operand, value(id), kMaskRegisters);
}
/// The number that is past the end or, where both exist, the one that stands in a pair twice.
inline Fault bad_register(Operand operand, const VectorOperand& registers) {
    return bad_register(operand, legal(registers.low) ? registers.high : registers.low);
}

inline Fault unsupported_type(Operand operand) {
    return fault(DiagnosticId::unsupported_type, operand);
}

inline Fault bad_number(DiagnosticId id, Operand operand, std::int64_t number, std::int64_t minimum,
                        std::int64_t maximum) {
    Fault result = fault(id, operand);
    result.value = number;
    result.minimum = minimum;
    result.limit = maximum;
    return result;
}

inline bool aligned(std::int64_t address, std::int64_t alignment) {
    return (address & (alignment - 1)) == 0;
}
inline bool aligned(UbAddress address, std::int64_t alignment) {
    return aligned(value(address), alignment);
}
inline Fault misaligned(Operand operand, std::int64_t address, std::int64_t alignment) {
    Fault result = fault(DiagnosticId::misaligned, operand);
    result.address = address;
    result.limit = alignment;
    return result;
}
inline Fault misaligned(Operand operand, UbAddress address, std::int64_t alignment) {
    return misaligned(operand, value(address), alignment);
}

/// `lane` may be kNoLane; `number` is the index or offset that led to `address`.
inline Fault out_of_bounds(const Execution& e, Operand operand, std::int64_t lane, std::int64_t address,
                           std::int64_t number = 0) {
    Fault result = fault(DiagnosticId::ub_out_of_bounds, operand);
    result.lane = static_cast<std::int32_t>(lane);
    result.address = address;
    result.value = number;
    result.limit = static_cast<std::int64_t>(e.capabilities.ub_bytes);
    return result;
}

/// The first check of everything that stands in a vector function.
inline bool has_vector_functions(const Execution& e) {
    return e.capabilities.vector_functions;
}
inline Fault unsupported_op() {
    return fault(DiagnosticId::unsupported_op, Operand::op);
}

/// Whether `bytes` bytes from `address` lie in the UB.
inline bool inside(const Execution& e, std::int64_t address, std::int64_t bytes) {
    const auto size = static_cast<std::int64_t>(e.capabilities.ub_bytes);
    return address >= 0 && bytes <= size && address <= size - bytes;
}

}  // namespace vcore::isa::detail
