// Sums of elements as bit patterns ("Arithmetic" of isa.md).
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/isa/element_type.hpp"

namespace vcore::isa::detail {

/// dst[i] = a[i] + b[i] for `count` elements of an arithmetic type. Integers wrap; float and half round to nearest even
/// and keep subnormals; a NaN result is the quiet NaN with no payload, whatever the operands' payloads. `dst` may be
/// `a` or `b`.
void add_elements(ElementType type, std::size_t count, const std::byte* a, const std::byte* b, std::byte* dst);

}  // namespace vcore::isa::detail
