#include "models/isa/ops.hpp"

#include <array>

namespace vcore::isa {
namespace {

constexpr std::array<std::string_view, kOpKinds + 2> kOpNames = {
    "vf.begin",  "vf.end",       "barrier",    "mask.create", "mask.update",    "mask.gen",
    "mask.load", "mask.store",   "load",       "store",       "load.block",     "store.block",
    "gather",    "gather.block", "gather.reg", "scatter",     "tensor.scatter", "tensor.add",
    "add",       "adds",         "dup",        "move",        "mte.in",         "mte.out",
};
constexpr std::array<std::string_view, kBarrierKinds> kBarrierNames = {
    "VST_VLD", "VLD_VST", "VST_VST", "VV_ALL", "VS_ALL", "VST_LD", "VLD_ST", "VST_ST",
    "SV_ALL",  "ST_VLD",  "LD_VST",  "ST_VST", "SS_ALL", "LD_ST",  "ST_LD",  "ST_ST",
};
constexpr std::array<std::string_view, kMaskPatterns> kPatternNames = {
    "ALL", "VL1", "VL2", "VL3", "VL4", "VL8", "VL16", "VL32", "VL64", "VL128", "M3", "M4", "H", "Q", "ALLF",
};

constexpr std::array<std::string_view, kLoadModes> kLoadModeNames = {
    "norm",       "brc_b8",  "brc_b16", "brc_b32",   "blk",        "us_b8",
    "us_b16",     "ds_b8",   "ds_b16",  "unpack_b8", "unpack_b16", "unpack_b32",
    "unpack4_b8", "e2b_b16", "e2b_b32", "dintlv_b8", "dintlv_b16", "dintlv_b32",
};
constexpr std::array<std::string_view, kStoreModes> kStoreModeNames = {
    "norm",     "first_element_b8", "first_element_b16", "first_element_b32", "pack_b16",  "pack_b32",
    "pack_b64", "pack4_b32",        "intlv_b8",          "intlv_b16",         "intlv_b32",
};

template <typename Enum, std::size_t N>
std::string_view name_in(const std::array<std::string_view, N>& names, Enum item) {
    const auto index = static_cast<std::size_t>(item);
    return index < N ? names[index] : "?";
}

template <typename Enum, std::size_t N>
std::optional<Enum> find_in(const std::array<std::string_view, N>& names, std::string_view name) {
    for (std::size_t i = 0; i < N; ++i) {
        if (names[i] == name) return static_cast<Enum>(i);
    }
    return std::nullopt;
}

std::uint32_t bit(VregId id) {
    const auto number = static_cast<std::uint64_t>(value(id));
    return number < kVectorRegisters ? 1U << number : 0U;
}
std::uint8_t bit(MregId id) {
    const auto number = static_cast<std::uint64_t>(value(id));
    return static_cast<std::uint8_t>(number < kMaskRegisters ? 1U << number : 0U);
}
std::uint32_t bits(const VectorOperand& operand) {
    return bit(operand.low) | (operand.pair ? bit(operand.high) : 0U);
}

std::uint8_t bit(std::optional<MregId> id) {
    return id ? bit(*id) : std::uint8_t{0};
}

struct OperandsOf {
    Operands operator()(const VfBegin&) const { return {}; }
    Operands operator()(const VfEnd&) const { return {}; }
    Operands operator()(const Barrier&) const { return {}; }
    Operands operator()(const CreateMask& op) const { return {0, 0, 0, bit(op.dst)}; }
    Operands operator()(const UpdateMask& op) const { return {0, 0, 0, bit(op.dst)}; }
    Operands operator()(const MaskGen& op) const { return {bit(op.src), 0, 0, bit(op.dst)}; }
    Operands operator()(const MaskLoad& op) const { return {0, 0, 0, bit(op.dst)}; }
    Operands operator()(const MaskStore& op) const { return {0, 0, bit(op.src), 0}; }
    Operands operator()(const Load& op) const { return {0, bits(op.dst), 0, 0}; }
    Operands operator()(const Store& op) const {
        return {bits(op.src), 0, shape_of(op.mode).masked ? bit(op.mask) : std::uint8_t{0}, 0};
    }
    Operands operator()(const BlockLoad& op) const { return {0, bit(op.dst), bit(op.mask), 0}; }
    Operands operator()(const BlockStore& op) const { return {bit(op.src), 0, bit(op.mask), 0}; }
    Operands operator()(const Gather& op) const { return {bits(op.index), bits(op.dst), bit(op.mask), 0}; }
    Operands operator()(const GatherBlock& op) const { return {bit(op.index), bit(op.dst), bit(op.mask), 0}; }
    Operands operator()(const GatherRegister& op) const { return {bit(op.src) | bit(op.index), bit(op.dst), 0, 0}; }
    Operands operator()(const Scatter& op) const { return {bits(op.src) | bits(op.index), 0, bit(op.mask), 0}; }
    Operands operator()(const TensorScatter&) const { return {}; }
    Operands operator()(const TensorAdd&) const { return {}; }
    Operands operator()(const Add& op) const { return {bit(op.a) | bit(op.b), bit(op.dst), bit(op.mask), 0}; }
    Operands operator()(const Adds& op) const { return {bit(op.a), bit(op.dst), bit(op.mask), 0}; }
    Operands operator()(const Duplicate& op) const { return {0, bit(op.dst), bit(op.mask), 0}; }
    Operands operator()(const Move& op) const {
        const std::uint32_t kept = op.mask ? bit(op.dst) : 0U;
        return {bit(op.src) | kept, bit(op.dst), bit(op.mask), 0};
    }
};

}  // namespace

std::string_view name(OpKind kind) {
    return name_in(kOpNames, kind);
}
std::string_view name(BarrierKind kind) {
    return name_in(kBarrierNames, kind);
}
std::string_view name(MaskPattern pattern) {
    return name_in(kPatternNames, pattern);
}
std::string_view name(LoadMode mode) {
    return name_in(kLoadModeNames, mode);
}
std::string_view name(StoreMode mode) {
    return name_in(kStoreModeNames, mode);
}
std::optional<LoadMode> load_mode(std::string_view name) {
    return find_in<LoadMode>(kLoadModeNames, name);
}
std::optional<StoreMode> store_mode(std::string_view name) {
    return find_in<StoreMode>(kStoreModeNames, name);
}
std::optional<BarrierKind> barrier_kind(std::string_view name) {
    return find_in<BarrierKind>(kBarrierNames, name);
}
std::optional<MaskPattern> mask_pattern(std::string_view name) {
    return find_in<MaskPattern>(kPatternNames, name);
}

Operands operands_of(const Op& op) {
    return std::visit(OperandsOf{}, op);
}

}  // namespace vcore::isa
