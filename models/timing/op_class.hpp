// How each kind of op uses the vector-function pipeline: which unit, how long, when its result reaches whom.
//
// The one table of these facts, read by the loosely-timed Timeline and the cycle-stepped Pipeline alike. Figures come
// from Latencies and Intervals; sources in `timing.md` "3510 pipeline".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "models/isa/ops.hpp"
#include "models/timing/parameters.hpp"

namespace vcore::timing {

/// Ops that use the pipeline alike.
enum class OpClass : std::uint8_t {
    create_mask,  ///< CreateMask and UpdateMask
    mask_gen,
    mask_load,
    mask_store,
    load,
    load_pair,  ///< two destinations: a 64-bit pair, or a mode that de-interleaves
    store,
    block_load,
    block_store,
    gather,
    gather_block,
    gather_register,
    scatter,
    add_float,
    add_half,
    add_integer,
    duplicate,
    move,
};
inline constexpr std::size_t kOpClasses = 18;
std::string_view name(OpClass op_class);  ///< "block_load" …

/// Precondition: the op stands inside a VF and is no barrier.
OpClass class_of(const isa::Op& op);

/// Where ops issue. The front end makes masks of scalars: on their way through dispatch, in order, without a queue.
enum class Unit : std::uint8_t { load, store, gather, scatter, execution, front_end };

/// Who reads a register: results reach arithmetic and stores earlier than others (forwarding).
enum class Consumer : std::uint8_t { arithmetic, store, other };
inline constexpr std::size_t kConsumers = 3;

struct ClassCost {
    Unit unit = Unit::execution;
    Consumer consumer = Consumer::other;              ///< as a reader of registers
    std::uint32_t interval = 1;                       ///< cycles between two of the class on one unit
    std::array<std::uint32_t, kConsumers> latency{};  ///< issue to result, by reader
    bool exclusive_beats = false;                     ///< while several beats of it run, no other load or store goes
    bool single_issue = false;                        ///< at most one of these starts per cycle
    bool first_unit_only = false;                     ///< execution: the first unit only

    bool is_load() const { return unit == Unit::load || unit == Unit::gather; }
    bool is_store() const { return unit == Unit::store || unit == Unit::scatter; }
    std::uint32_t result() const { return latency[static_cast<std::size_t>(Consumer::other)]; }
};

using ClassCosts = std::array<ClassCost, kOpClasses>;
ClassCosts class_costs(const Parameters& parameters);

/// Registers between the micro-ops of a tensor scatter, which no program names.
inline constexpr std::size_t kTemporaries = 4;
inline constexpr std::size_t kRegisterNames = isa::kVectorRegisters + kTemporaries;

/// Registers as the pipeline knows them: bits 0..31 are v0..v31, the bits above are temporaries.
struct RegisterUse {
    std::uint64_t vector_reads = 0;
    std::uint64_t vector_writes = 0;
    std::uint8_t mask_reads = 0;
    std::uint8_t mask_writes = 0;

    RegisterUse() = default;
    RegisterUse(std::uint64_t reads, std::uint64_t writes) : vector_reads(reads), vector_writes(writes) {}
    explicit RegisterUse(const isa::Operands& operands)
        : vector_reads(operands.vector_reads),
          vector_writes(operands.vector_writes),
          mask_reads(operands.mask_reads),
          mask_writes(operands.mask_writes) {}
};

/// What a micro-op of a tensor scatter touches in the UB. A second register of offsets exists for b16 and b8 only.
enum class TensorAccess : std::uint8_t { none, source, first_offsets, second_offsets, scatter };
struct MicroOp {
    OpClass op_class{};
    RegisterUse registers;
    TensorAccess access = TensorAccess::none;
};
/// One iteration of a tensor scatter on an architecture with VFs, where the op is a VF of its own: load the source,
/// load the offsets (two registers for b16 and b8), shift them, pack them for b16 and b8, scatter.
struct MicroProgram {
    std::array<MicroOp, 7> ops;
    std::size_t count = 0;
    const MicroOp* begin() const { return ops.data(); }
    const MicroOp* end() const { return ops.data() + count; }
};
MicroProgram tensor_scatter_micro_ops(isa::ElementType type);

/// Which accesses a barrier waits for, and which it holds back. Gathers count as loads, scatters as stores, mask moves
/// as what they are. No scalar access is modelled: kinds that name one hold nothing back.
struct BarrierRule {
    bool after_loads = false;
    bool after_stores = false;
    bool holds_loads = false;
    bool holds_stores = false;
};
BarrierRule rule_of(isa::BarrierKind kind);

}  // namespace vcore::timing
