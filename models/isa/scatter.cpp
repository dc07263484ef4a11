// Register scatter ("Register scatter" of isa.md).
#include <array>
#include <cstring>

#include "models/isa/bits.hpp"
#include "models/isa/duplicates.hpp"
#include "models/isa/execution.hpp"
#include "models/isa/faults.hpp"
#include "models/isa/indexed.hpp"
#include "models/isa/type_rules.hpp"

namespace vcore::isa::detail {
namespace {

/// The operand whose form, one register or a pair, does not fit the types; `none` where all do.
Operand misfit(const Scatter& op) {
    if (op.src.pair && !is_pair(op.type)) return Operand::src;
    return is_form(op.src.pair, op.index_type, op.index.pair) ? Operand::none : Operand::index;
}

IndexForm form_of(const Scatter& op) {
    if (is_index(op.index_type, 2)) return IndexForm::u16_by_128;
    if (is_index(op.index_type, 4)) {
        return size_of(op.type) == 8 && !op.src.pair ? IndexForm::u32_by_32 : IndexForm::u32_by_64;
    }
    if (!op.index.pair) return IndexForm::u64_by_32;
    return op.src.pair ? IndexForm::u64_pair_by_64 : IndexForm::u64_pair_by_32;
}

/// The lanes' elements in lane order.
const std::byte* pack_source(const Scatter& op, Execution& e) {
    const VectorRegister& low = e.vector(op.src.low);
    std::byte* packed = e.scratch.data.data();
    if (size_of(op.type) == 1) {
        for (std::size_t lane = 0; lane < kMaxIndexedLanes; ++lane) packed[lane] = low.bytes[2 * lane];
        return packed;
    }
    if (!op.src.pair) return low.bytes.data();
    const VectorRegister& high = e.vector(op.src.high);
    for (std::size_t lane = 0; lane < lanes_of(ElementType::b32); ++lane) {
        std::memcpy(packed + lane * 8, low.bytes.data() + lane * 4, 4);
        std::memcpy(packed + lane * 8 + 4, high.bytes.data() + lane * 4, 4);
    }
    return packed;
}

/// Leaves one active lane for each target and notes what was left out.
void drop_duplicates(Execution& e) {
    IndexedAccess& access = e.scratch.indexed;
    if (!e.scratch.targets.any_repeated(access)) return;

    const std::size_t shift = lowest_bit(access.element_bytes);
    const std::array<std::uint64_t, 2> before = access.active;
    const Duplicates found =
        keep_survivors(access.active.data(), access.active.size(), e.scratch.targets, e.capabilities.scatter_duplicate,
                       [&](std::size_t lane) { return std::size_t{access.address[lane]} >> shift; });
    access.all_active = false;
    Fault& note = e.notes.duplicate;
    note = fault(DiagnosticId::duplicate_target, Operand::index);
    note.lane = static_cast<std::int32_t>(found.first);
    note.address = access.address[found.first];
    note.count = found.losers;
    for_each_bit(before.data(), before.size(), [&](std::size_t lane) {
        if (access.address[lane] == note.address) note.lanes[lane / 64] |= std::uint64_t{1} << (lane % 64);
    });
    const auto lowest_lane = [](const std::array<std::uint64_t, 2>& lanes) {
        return static_cast<std::int64_t>(lanes[0] != 0 ? lowest_bit(lanes[0]) : 64 + lowest_bit(lanes[1]));
    };
    note.value = lowest_lane(note.lanes);
    note.limit = lowest_lane({note.lanes[0] & access.active[0], note.lanes[1] & access.active[1]});
    e.notes.any = true;
}

}  // namespace

Fault check(const Scatter& op, Execution& e) {
    if (!has_vector_functions(e)) return unsupported_op();
    if (!is_scatter(op.type, op.index_type)) return unsupported_type(Operand::type);
    if (const Operand operand = misfit(op); operand != Operand::none) return unsupported_type(operand);
    if (!legal(op.src)) return bad_register(Operand::src, op.src);
    if (!legal(op.index)) return bad_register(Operand::index, op.index);
    if (!legal(op.mask)) return bad_register(Operand::mask, op.mask);
    if (!aligned(op.base, kBlockBytes)) return misaligned(Operand::base, op.base, kBlockBytes);
    return address_lanes({form_of(op), size_of(op.type), op.base, op.index, op.mask}, e);
}

void perform(Scatter& op, Execution& e) {
    const IndexedAccess& access = e.scratch.indexed;
    if (access.low == access.high) return;
    drop_duplicates(e);
    e.announce_write(access);
    e.ub.write(access, pack_source(op, e));
}

}  // namespace vcore::isa::detail
