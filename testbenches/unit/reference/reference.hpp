// What every op means, a second time: byte loops written from `isa.md` and the seed pages alone.
//
// It judges models/isa and therefore shares no code with it, only the plain data types in which ops are written down.
// Nothing here is fast, and nothing is clever: one loop a lane, one `if` a rule.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/isa/diagnostics.hpp"
#include "models/isa/ops.hpp"

namespace vcore::reference {

/// What the product can do, as plain lists.
struct Product {
    bool vector_functions = true;
    std::vector<isa::ElementType> tensor_scatter;
    std::vector<isa::ElementType> tensor_scatter_masked;
    std::uint64_t offset_limit_b8 = 0;
    std::uint64_t offset_limit_b16 = 0;
    bool empty_scatter_warns = false;
    std::vector<isa::ElementType> tensor_add;
    bool highest_lane_wins = false;
    std::uint64_t ub_bytes = 0;
    std::uint64_t ub_reserved_from = 0;
};

/// All architectural state: `ub` is as long as the logical UB.
struct Machine {
    std::vector<std::uint8_t> ub;
    std::array<std::array<std::uint8_t, 256>, 32> vector{};
    std::array<std::array<std::uint8_t, 32>, 8> mask{};
};

/// One element that a scatter wrote or would have written, in the order of lanes (and iterations).
struct ElementWrite {
    std::int64_t lane = 0;
    std::int64_t iteration = -1;
    std::int64_t step = 0;  ///< lane, counted through all iterations
    std::int64_t address = 0;
    std::array<std::uint8_t, 8> bytes{};
    std::size_t size = 0;
};

/// A legal pairing of a gather from UB, as `isa.md` lists them; 64-bit rows need fitting register forms beside.
struct GatherRow {
    isa::ElementType dst;
    isa::ElementType src;
    isa::ElementType index;
};
const std::vector<GatherRow>& gather_rows();

/// A legal pairing of a register scatter.
struct ScatterRow {
    isa::ElementType type;
    isa::ElementType index;
};
const std::vector<ScatterRow>& scatter_rows();

/// What the reference thinks of an op.
struct Opinion {
    isa::DiagnosticId refusal = isa::DiagnosticId::none;  ///< none: performed
    std::int64_t lane = isa::Fault::kNoLane;
    std::int64_t address = isa::Fault::kNoAddress;
    std::int64_t iteration = -1;  ///< mask forms of a tensor scatter: `lane` counts within it

    std::uint64_t collisions = 0;       ///< scatters: active lanes whose target an earlier lane has too
    std::int64_t first_collision = -1;  ///< the first such lane
    std::int64_t first_collision_iteration = -1;
    bool overlap = false;                 ///< tensor scatter: a target lies on a source or an offset in use
    bool empty = false;                   ///< a tensor op without a single element
    bool reserved = false;                ///< touched bytes from ub_reserved_from on
    std::vector<ElementWrite> scattered;  ///< scatters: every active lane's write, losers included
};

/// Performs `op` on `machine`, or changes nothing and says why. In/out fields of `op` are updated when it is performed.
Opinion perform(isa::Op& op, Machine& machine, const Product& product);

}  // namespace vcore::reference
