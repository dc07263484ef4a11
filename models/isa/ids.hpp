// Strong types for the numbers that name things. A plain integer never stands for a register or an address by accident.
//
// They are 64 bits wide and signed because a caller may hand the model any number: whether `v32` or a negative
// address is legal is decided by isa::check(), not by the type that carries it.
#pragma once

#include <cstdint>

namespace vcore::isa {

/// Vector register number; legal are 0..31.
enum class VregId : std::int64_t {};

/// Mask register number; legal are 0..7.
enum class MregId : std::int64_t {};

/// Byte address in the Unified Buffer; legal are 0..size-1.
enum class UbAddress : std::int64_t {};

constexpr std::int64_t value(VregId id) {
    return static_cast<std::int64_t>(id);
}
constexpr std::int64_t value(MregId id) {
    return static_cast<std::int64_t>(id);
}
constexpr std::int64_t value(UbAddress address) {
    return static_cast<std::int64_t>(address);
}

}  // namespace vcore::isa
