// The model's ops as plain ones, written apart from the library's own translation.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "models/isa/ops.hpp"
#include "platforms/c_library/vcore.h"

namespace vcore::c_library_tests {

struct ToPlain {
    vcore_op p{};

    static std::uint32_t number(isa::ElementType type) { return static_cast<std::uint32_t>(type); }
    void set_type(isa::ElementType type) { p.type = number(type); }
    void set_dst(const isa::VectorOperand& operand) {
        p.dst = value(operand.low);
        p.dst_high = value(operand.high);
        p.pair = operand.pair ? 1 : 0;
    }
    void set_src(const isa::VectorOperand& operand) {
        p.src = value(operand.low);
        p.src_high = value(operand.high);
        p.pair = operand.pair ? 1 : 0;
    }
    void set_index(const isa::VectorOperand& operand) {
        p.index = value(operand.low);
        p.index_high = value(operand.high);
        p.index_pair = operand.pair ? 1 : 0;
    }

    void set_mask(const std::optional<isa::MregId>& mask) {
        p.masked = mask.has_value() ? 1 : 0;
        p.mask = mask.has_value() ? value(*mask) : 0;
    }

    void operator()(const isa::VfBegin&) {}
    void operator()(const isa::VfEnd&) {}
    void operator()(const isa::Barrier& op) { p.mode = static_cast<std::uint32_t>(op.kind); }
    void operator()(const isa::CreateMask& op) {
        set_type(op.type);
        p.dst = value(op.dst);
        p.mode = static_cast<std::uint32_t>(op.pattern);
    }
    void operator()(const isa::UpdateMask& op) {
        set_type(op.type);
        p.dst = value(op.dst);
        p.count = op.count;
        p.pair = op.pair ? 1 : 0;
    }
    void operator()(const isa::MaskGen& op) {
        set_type(op.type);
        p.dst = value(op.dst);
        p.src = value(op.src);
        p.part = op.part;
    }
    void operator()(const isa::MaskLoad& op) {
        p.dst = value(op.dst);
        p.address = value(op.address);
        p.mode = op.mode == isa::MaskLoadMode::norm ? VCORE_MASK_NORM
                 : op.mode == isa::MaskLoadMode::us ? VCORE_MASK_US
                                                    : VCORE_MASK_DS;
        p.post_update = op.post_update;
    }
    void operator()(const isa::MaskStore& op) {
        p.src = value(op.src);
        p.address = value(op.address);
        p.mode = op.mode == isa::MaskStoreMode::norm ? VCORE_MASK_NORM : VCORE_MASK_PACK;
        p.post_update = op.post_update;
    }
    void operator()(const isa::Load& op) {
        set_type(op.type);
        set_dst(op.dst);
        p.address = value(op.address);
        p.post_update = op.post_update;
        p.mode = static_cast<std::uint32_t>(op.mode);
    }
    void operator()(const isa::Store& op) {
        set_type(op.type);
        set_src(op.src);
        p.address = value(op.address);
        p.mask = value(op.mask);
        p.post_update = op.post_update;
        p.mode = static_cast<std::uint32_t>(op.mode);
    }
    void operator()(const isa::BlockLoad& op) {
        set_type(op.type);
        p.dst = value(op.dst);
        p.address = value(op.address);
        p.stride = op.stride;
        p.mask = value(op.mask);
        p.post_update = op.post_update;
    }
    void operator()(const isa::BlockStore& op) {
        set_type(op.type);
        p.src = value(op.src);
        p.address = value(op.address);
        p.stride = op.stride;
        p.mask = value(op.mask);
        p.post_update = op.post_update;
    }
    void operator()(const isa::Gather& op) {
        set_type(op.dst_type);
        p.src_type = number(op.src_type);
        p.index_type = number(op.index_type);
        set_dst(op.dst);
        p.address = value(op.base);
        set_index(op.index);
        p.mask = value(op.mask);
    }
    void operator()(const isa::GatherBlock& op) {
        set_type(op.type);
        p.dst = value(op.dst);
        p.address = value(op.base);
        p.index = value(op.index);
        p.mask = value(op.mask);
    }
    void operator()(const isa::GatherRegister& op) {
        set_type(op.type);
        p.dst = value(op.dst);
        p.src = value(op.src);
        p.index = value(op.index);
    }
    void operator()(const isa::Scatter& op) {
        set_type(op.type);
        p.index_type = number(op.index_type);
        p.address = value(op.base);
        set_src(op.src);
        set_index(op.index);
        p.mask = value(op.mask);
    }
    void operator()(const isa::TensorScatter& op) {
        set_type(op.type);
        p.address = value(op.dst);
        p.src_address = value(op.src);
        p.offset_address = value(op.offset);
        p.base = op.base;
        p.mode = static_cast<std::uint32_t>(op.form);
        p.count = op.count;
        p.mask_low = op.mask_low;
        p.mask_high = op.mask_high;
        p.repeat = op.repeat;
        p.stride = op.stride;
    }
    void operator()(const isa::TensorAdd& op) {
        set_type(op.type);
        p.address = value(op.dst);
        p.src_address = value(op.src0);
        p.src1_address = value(op.src1);
        p.count = op.count;
    }
    void operator()(const isa::Add& op) {
        set_type(op.type);
        p.dst = value(op.dst);
        p.src = value(op.a);
        p.src1 = value(op.b);
        p.mask = value(op.mask);
    }
    void operator()(const isa::Adds& op) {
        set_type(op.type);
        p.dst = value(op.dst);
        p.src = value(op.a);
        p.scalar = op.scalar;
        p.mask = value(op.mask);
    }
    void operator()(const isa::Duplicate& op) {
        set_type(op.type);
        p.dst = value(op.dst);
        p.scalar = op.scalar;
        set_mask(op.mask);
    }
    void operator()(const isa::Move& op) {
        set_type(op.type);
        p.dst = value(op.dst);
        p.src = value(op.src);
        set_mask(op.mask);
    }
};

inline vcore_op plain_of(const isa::Op& op) {
    ToPlain to_plain;
    to_plain.p.size = sizeof(vcore_op);
    to_plain.p.version = VCORE_OP_VERSION;
    to_plain.p.kind = static_cast<std::uint32_t>(isa::kind_of(op));
    std::visit(to_plain, op);
    return to_plain.p;
}

}  // namespace vcore::c_library_tests
