#include "testbenches/runner/op_text.hpp"

#include <fmt/format.h>

namespace vcore::runner {
namespace {

using fmt::format;

std::string text(isa::VregId id) {
    return format("v{}", value(id));
}
std::string text(isa::MregId id) {
    return format("m{}", value(id));
}
std::string text(const isa::VectorOperand& operand) {
    return operand.pair ? text(operand.low) + ":" + text(operand.high) : text(operand.low);
}
std::string number(isa::UbAddress address) {
    return value(address) < 0 ? format("{}", value(address)) : format("{:#x}", value(address));
}
std::string text(isa::UbAddress address) {
    return format("[{}]", number(address));
}
std::string mask_or_all(const std::optional<isa::MregId>& mask) {
    return mask ? " " + text(*mask) : "";
}
/// Of an element, as programs write bits.
std::string pattern(std::uint64_t bits) {
    return format("{:#x}", bits);
}

struct Writer {
    std::string_view counter;

    std::string operator()(const isa::VfBegin&) const { return "vf {"; }
    std::string operator()(const isa::VfEnd&) const { return "}"; }
    std::string operator()(const isa::Barrier& o) const { return format("barrier {}", name(o.kind)); }
    std::string operator()(const isa::CreateMask& o) const {
        return format("mask.create {} {} {}", text(o.dst), name(o.type), name(o.pattern));
    }
    std::string operator()(const isa::UpdateMask& o) const {
        // The 64 lanes of a pair are those of 32-bit elements.
        return format("mask.update {} {} {}", text(o.dst), name(o.pair ? isa::ElementType::b32 : o.type), counter);
    }
    std::string operator()(const isa::MaskGen& o) const {
        return format("mask.gen {} {} {} part={}", text(o.dst), name(o.type), text(o.src), o.part);
    }
    std::string operator()(const isa::MaskLoad& o) const {
        constexpr const char* kModes[] = {"norm", "us", "ds"};
        return format("mask.load {} {} {}", text(o.dst), text(o.address), kModes[static_cast<std::size_t>(o.mode)]);
    }
    std::string operator()(const isa::MaskStore& o) const {
        constexpr const char* kModes[] = {"norm", "pack"};
        return format("mask.store {} {} {}", text(o.address), text(o.src), kModes[static_cast<std::size_t>(o.mode)]);
    }
    std::string operator()(const isa::Load& o) const {
        const std::string mode = o.mode == isa::LoadMode::norm ? "" : format(" {}", name(o.mode));
        return format("load {} {} {}{}", text(o.dst), name(o.type), text(o.address), mode);
    }
    std::string operator()(const isa::Store& o) const {
        const bool masked = isa::shape_of(o.mode).masked;
        return format("store {} {} {}{}{}", text(o.address), name(o.type), text(o.src),
                      masked ? " " + text(o.mask) : "",
                      o.mode == isa::StoreMode::norm ? "" : format(" {}", name(o.mode)));
    }
    std::string operator()(const isa::BlockLoad& o) const {
        return format("load.block {} {} {} stride={} {}", text(o.dst), name(o.type), text(o.address), o.stride,
                      text(o.mask));
    }
    std::string operator()(const isa::BlockStore& o) const {
        return format("store.block {} {} {} stride={} {}", text(o.address), name(o.type), text(o.src), o.stride,
                      text(o.mask));
    }
    std::string operator()(const isa::Gather& o) const {
        const std::string source = o.src_type == o.dst_type ? "" : format("{} ", name(o.src_type));
        return format("gather {} {} {} {}{} {} {}", text(o.dst), name(o.dst_type), text(o.base), source, text(o.index),
                      name(o.index_type), text(o.mask));
    }
    std::string operator()(const isa::GatherBlock& o) const {
        return format("gather.block {} {} {} {} {}", text(o.dst), name(o.type), text(o.base), text(o.index),
                      text(o.mask));
    }
    std::string operator()(const isa::GatherRegister& o) const {
        return format("gather.reg {} {} {} {}", text(o.dst), name(o.type), text(o.src), text(o.index));
    }
    std::string operator()(const isa::Scatter& o) const {
        return format("scatter {} {} {} {} {} {}", text(o.base), name(o.type), text(o.src), text(o.index),
                      name(o.index_type), text(o.mask));
    }
    std::string operator()(const isa::TensorScatter& o) const {
        const std::string head = format("tensor.scatter {} dst={} src={} offset={} base={}", name(o.type),
                                        number(o.dst), number(o.src), number(o.offset), o.base);
        switch (o.form) {
            case isa::TensorScatterForm::count: return format("{} count={}", head, o.count);
            case isa::TensorScatterForm::contiguous_mask:
                return format("{} mask={} repeat={} stride={}", head, static_cast<std::int64_t>(o.mask_low), o.repeat,
                              o.stride);
            case isa::TensorScatterForm::bit_mask: break;
        }
        return format("{} bits={:#x},{:#x} repeat={} stride={}", head, o.mask_low, o.mask_high, o.repeat, o.stride);
    }
    std::string operator()(const isa::TensorAdd& o) const {
        return format("tensor.add {} dst={} src0={} src1={} count={}", name(o.type), number(o.dst), number(o.src0),
                      number(o.src1), o.count);
    }
    std::string operator()(const isa::Add& o) const {
        return format("add {} {} {} {} {}", text(o.dst), name(o.type), text(o.a), text(o.b), text(o.mask));
    }
    std::string operator()(const isa::Adds& o) const {
        return format("adds {} {} {} {} {}", text(o.dst), name(o.type), text(o.a), pattern(o.scalar), text(o.mask));
    }
    std::string operator()(const isa::Duplicate& o) const {
        return format("dup {} {} {}{}", text(o.dst), name(o.type), pattern(o.scalar), mask_or_all(o.mask));
    }
    std::string operator()(const isa::Move& o) const {
        return format("move {} {} {}{}", text(o.dst), name(o.type), text(o.src), mask_or_all(o.mask));
    }
};

}  // namespace

std::string statement_of(const isa::Op& op, std::string_view counter) {
    return std::visit(Writer{counter}, op);
}

}  // namespace vcore::runner
