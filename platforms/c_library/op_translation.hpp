// Between the C library's plain op and the model's.
#pragma once

#include <string>

#include "models/isa/ops.hpp"
#include "platforms/c_library/vcore.h"

namespace vcore::c_library {

/// What a number that must be an enumerator is not: the field's name and the number.
struct BadField {
    const char* field = nullptr;
    std::uint64_t value = 0;
};

/// Fills `op` from `plain`; a field of which no enumerator exists is named in the answer and leaves `op` unspecified.
/// Register numbers, addresses and counts are carried over unchanged: whether they are legal is for the core to say.
BadField to_op(const vcore_op& plain, isa::Op& op);

/// Copies the in/out fields of a performed op back.
void update(const isa::Op& op, vcore_op& plain);

}  // namespace vcore::c_library
