// The lane addresses of gathers and scatters: from base, index register and mask to a checked IndexedAccess.
#pragma once

#include <array>
#include <cstdint>

#include "models/isa/execution.hpp"

namespace vcore::isa::detail {

/// Lanes, and how their indices stand in registers.
enum class IndexForm : std::uint8_t {
    u16_by_128,      ///< 128 lanes, u16 indices
    u32_by_64,       ///< 64 lanes, u32 indices
    u32_by_32,       ///< 32 lanes of 64-bit data, the first 32 u32 indices
    u64_by_32,       ///< 32 lanes, one register of u64 indices
    u64_pair_by_32,  ///< 32 lanes, the first 32 indices of a pair
    u64_pair_by_64,  ///< 64 lanes, a pair of u64 indices
};

struct IndexOperands {
    IndexForm form{};
    std::size_t element_bytes = 0;  ///< what an index counts, 1..8
    UbAddress base{};
    VectorOperand index{};
    MregId mask{};
};

/// Checks the address of every active lane, from the lowest up, and fills scratch.indexed; scratch.lane_select too,
/// where lanes are inactive and the index is not 64 bits wide.
Fault address_lanes(const IndexOperands& operands, Execution& e);

}  // namespace vcore::isa::detail
