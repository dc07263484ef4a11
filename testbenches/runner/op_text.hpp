// An op as a program writes it: what op_statements.hpp reads, the other way round.
#pragma once

#include <string>
#include <string_view>

#include "models/isa/ops.hpp"

namespace vcore::runner {

/// The statement of an op, without end of line: "gather v1 half [0x400] v0 u16 m0". `counter` names what UpdateMask
/// counts down. Numbers that move on afterwards (post-update) are left out: an address is what it was before the op.
/// VfBegin is "vf {" and VfEnd "}".
std::string statement_of(const isa::Op& op, std::string_view counter = "n");

}  // namespace vcore::runner
