#include "models/timing/op_class.hpp"

#include <algorithm>

namespace vcore::timing {

namespace {

OpClass addition(isa::ElementType type) {
    if (type == isa::ElementType::f32) return OpClass::add_float;
    return type == isa::ElementType::half ? OpClass::add_half : OpClass::add_integer;
}

/// Builds the table; each function makes the cost of one group of classes.
class Table {
public:
    explicit Table(const Parameters& parameters) : parameters_(parameters) {}

    ClassCosts make() const {
        const Latencies& latency = parameters_.latency;
        const Intervals& interval = parameters_.interval;
        ClassCosts costs;
        const auto at = [&](OpClass op_class) -> ClassCost& { return costs[static_cast<std::size_t>(op_class)]; };
        at(OpClass::create_mask) = plain(Unit::front_end, interval.mask_create, latency.mask_create);
        at(OpClass::mask_gen) = single(first_unit(execution(interval.mask_gen, latency.mask_gen)));
        at(OpClass::mask_load) = plain(Unit::load, interval.mask_load, latency.mask_load);
        at(OpClass::mask_store) = single(storing(Unit::store, interval.mask_store, latency.mask_store));
        at(OpClass::load) = loading(Unit::load, interval.load, latency.load, latency.forward_load_arithmetic);
        at(OpClass::load_pair) = single(at(OpClass::load));
        at(OpClass::store) = single(storing(Unit::store, interval.store, latency.store));
        at(OpClass::block_load) = exclusive(
            single(loading(Unit::load, interval.block_load, latency.load, latency.forward_block_load_arithmetic)));
        at(OpClass::block_store) = exclusive(single(storing(Unit::store, interval.block_store, latency.store)));
        at(OpClass::gather) = gathering(interval.gather, latency.gather);
        at(OpClass::gather_block) = gathering(interval.gather_block, latency.gather_block);
        at(OpClass::gather_register) = single(first_unit(execution(interval.gather_register, latency.gather_register)));
        at(OpClass::scatter) = single(storing(Unit::scatter, interval.scatter, latency.scatter));
        at(OpClass::add_float) = adding(interval.add_float);
        at(OpClass::add_half) = adding(interval.add_half);
        at(OpClass::add_integer) = adding(interval.add_integer);
        at(OpClass::duplicate) = first_unit(execution(interval.duplicate, latency.duplicate));
        at(OpClass::move) = execution(interval.move, latency.move);
        return costs;
    }

private:
    static ClassCost plain(Unit unit, std::uint32_t interval, std::uint32_t latency) {
        ClassCost cost;
        cost.unit = unit;
        cost.interval = std::max(1U, interval);
        cost.latency.fill(latency);
        return cost;
    }
    static ClassCost execution(std::uint32_t interval, std::uint32_t latency) {
        ClassCost cost = plain(Unit::execution, interval, latency);
        cost.consumer = Consumer::arithmetic;
        return cost;
    }
    static ClassCost storing(Unit unit, std::uint32_t interval, std::uint32_t latency) {
        ClassCost cost = plain(unit, interval, latency);
        cost.consumer = Consumer::store;
        return cost;
    }
    static ClassCost loading(Unit unit, std::uint32_t interval, std::uint32_t latency, std::uint32_t to_arithmetic) {
        ClassCost cost = plain(unit, interval, latency);
        cost.latency[static_cast<std::size_t>(Consumer::arithmetic)] = to_arithmetic;
        return cost;
    }
    /// Results of the gather pipe reach arithmetic through the loads' bypass, the same number of cycles early; its
    /// indices take the bypass too.
    ClassCost gathering(std::uint32_t interval, std::uint32_t latency) const {
        const std::uint32_t early =
            parameters_.latency.load - std::min(parameters_.latency.load, parameters_.latency.forward_load_arithmetic);
        ClassCost cost = loading(Unit::gather, interval, latency, latency - std::min(latency, early));
        cost.consumer = Consumer::arithmetic;
        return single(cost);
    }
    ClassCost adding(std::uint32_t interval) const {
        ClassCost cost = execution(interval, parameters_.latency.add);
        cost.latency[static_cast<std::size_t>(Consumer::arithmetic)] = parameters_.latency.forward_add_add;
        cost.latency[static_cast<std::size_t>(Consumer::store)] = parameters_.latency.forward_add_store;
        return cost;
    }
    static ClassCost single(ClassCost cost) {
        cost.single_issue = true;
        return cost;
    }
    static ClassCost exclusive(ClassCost cost) {
        cost.exclusive_beats = true;
        return cost;
    }
    static ClassCost first_unit(ClassCost cost) {
        cost.first_unit_only = true;
        return cost;
    }

    const Parameters& parameters_;
};

}  // namespace

OpClass class_of(const isa::Op& op) {
    switch (isa::kind_of(op)) {
        case isa::OpKind::mask_gen: return OpClass::mask_gen;
        case isa::OpKind::mask_load: return OpClass::mask_load;
        case isa::OpKind::mask_store: return OpClass::mask_store;
        case isa::OpKind::load: return std::get_if<isa::Load>(&op)->dst.pair ? OpClass::load_pair : OpClass::load;
        case isa::OpKind::store: return OpClass::store;
        case isa::OpKind::block_load: return OpClass::block_load;
        case isa::OpKind::block_store: return OpClass::block_store;
        case isa::OpKind::gather: return OpClass::gather;
        case isa::OpKind::gather_block: return OpClass::gather_block;
        case isa::OpKind::gather_register: return OpClass::gather_register;
        case isa::OpKind::scatter: return OpClass::scatter;
        case isa::OpKind::add: return addition(std::get_if<isa::Add>(&op)->type);
        case isa::OpKind::adds: return addition(std::get_if<isa::Adds>(&op)->type);
        case isa::OpKind::duplicate: return OpClass::duplicate;
        case isa::OpKind::move: return OpClass::move;
        default: return OpClass::create_mask;  // CreateMask and UpdateMask
    }
}

std::string_view name(OpClass op_class) {
    static constexpr std::array<std::string_view, kOpClasses> kNames = {
        "create_mask", "mask_gen",   "mask_load",   "mask_store",  "load",         "load_pair",
        "store",       "block_load", "block_store", "gather",      "gather_block", "gather_register",
        "scatter",     "add_float",  "add_half",    "add_integer", "duplicate",    "move"};
    return kNames[static_cast<std::size_t>(op_class)];
}

MicroProgram tensor_scatter_micro_ops(isa::ElementType type) {
    const auto temporary = [](std::size_t number) { return std::uint64_t{1} << (isa::kVectorRegisters + number); };
    const std::uint64_t source = temporary(0);
    const std::uint64_t first = temporary(1);
    const std::uint64_t second = temporary(2);
    const std::uint64_t packed = temporary(3);
    MicroProgram program;
    const auto add = [&](OpClass op_class, std::uint64_t reads, std::uint64_t writes,
                         TensorAccess access = TensorAccess::none) {
        program.ops[program.count++] = {op_class, {reads, writes}, access};
    };
    const auto offsets = [&](std::uint64_t to, TensorAccess access) {
        add(OpClass::load, 0, to, access);
        add(OpClass::add_integer, to, to);  // bytes to elements
    };
    add(OpClass::load, 0, source, TensorAccess::source);
    offsets(first, TensorAccess::first_offsets);
    if (isa::size_of(type) > 2) {
        add(OpClass::scatter, source | first, 0, TensorAccess::scatter);
        return program;
    }
    offsets(second, TensorAccess::second_offsets);
    add(OpClass::add_integer, first | second, packed);
    add(OpClass::scatter, source | packed, 0, TensorAccess::scatter);
    return program;
}

BarrierRule rule_of(isa::BarrierKind kind) {
    switch (kind) {
        case isa::BarrierKind::vst_vld: return {false, true, true, false};
        case isa::BarrierKind::vld_vst: return {true, false, false, true};
        case isa::BarrierKind::vst_vst: return {false, true, false, true};
        case isa::BarrierKind::vv_all: return {true, true, true, true};
        case isa::BarrierKind::vs_all: return {true, true, false, false};
        case isa::BarrierKind::vst_ld:
        case isa::BarrierKind::vst_st: return {false, true, false, false};
        case isa::BarrierKind::vld_st: return {true, false, false, false};
        default: return {};  // the first kind is scalar
    }
}

ClassCosts class_costs(const Parameters& parameters) {
    return Table(parameters).make();
}

}  // namespace vcore::timing
