// The ops of the vector core on register values: one function each, which both APIs call.
//
// Shapes, alignment and effects are those of models/isa/ops.hpp. An op that the core refuses ends the kernel with the
// place of the call (runtime/op_call.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "models/isa/ops.hpp"
#include "testbenches/kernels/runtime/op_call.hpp"

namespace vcore::kernels {

/// One register, or the two of a pair.
struct Registers {
    VectorRegister low;
    VectorRegister high;  ///< of a pair
};

namespace ops {

inline isa::VectorOperand in(OpCall& call, const Registers& source, bool pair) {
    const isa::VregId low = call.in(source.low);
    return pair ? isa::VectorOperand(low, call.in(source.high)) : isa::VectorOperand(low);
}
inline isa::VectorOperand out(OpCall& call, Registers& target, bool pair) {
    const isa::VregId low = call.out(target.low);
    return pair ? isa::VectorOperand(low, call.out(target.high)) : isa::VectorOperand(low);
}

/// A pointer of the caller's that the op moves on.
template <typename T>
void advance(T*& pointer, isa::UbAddress before, isa::UbAddress after) {
    pointer = reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(pointer) +
                                   static_cast<std::uintptr_t>(isa::value(after) - isa::value(before)));
}

// ---- masks

inline void create_mask(isa::ElementType type, isa::MaskPattern pattern, MaskRegister& dst, CallSite site) {
    OpCall call(site);
    isa::CreateMask op;
    op.type = type;
    op.pattern = pattern;
    op.dst = call.out(dst);
    call.issue(op);
}

inline void update_mask(isa::ElementType type, bool pair, std::uint32_t& count, MaskRegister& dst, CallSite site) {
    OpCall call(site);
    isa::UpdateMask op;
    op.type = type;
    op.count = count;
    op.pair = pair;
    op.dst = call.out(dst);
    count = static_cast<std::uint32_t>(std::get<isa::UpdateMask>(call.issue(op)).count);
}

inline void mask_gen(isa::ElementType type, std::int64_t part, const VectorRegister& src, MaskRegister& dst,
                     CallSite site) {
    OpCall call(site);
    isa::MaskGen op;
    op.type = type;
    op.part = part;
    op.src = call.in(src);
    op.dst = call.out(dst);
    call.issue(op);
}

/// `post_update` in bytes; the pointer is moved on by it.
template <typename T>
void mask_load(MaskRegister& dst, T*& src, isa::MaskLoadMode mode, std::int64_t post_update, CallSite site) {
    OpCall call(site);
    isa::MaskLoad op;
    const isa::UbAddress address = op.address = call.address(src, "srcAddr");
    op.mode = mode;
    op.post_update = post_update;
    op.dst = call.out(dst);
    advance(src, address, std::get<isa::MaskLoad>(call.issue(op)).address);
}

template <typename T>
void mask_store(T*& dst, const MaskRegister& src, isa::MaskStoreMode mode, std::int64_t post_update, CallSite site) {
    OpCall call(site);
    isa::MaskStore op;
    const isa::UbAddress address = op.address = call.address(dst, "dstAddr");
    op.mode = mode;
    op.post_update = post_update;
    op.src = call.in(src);
    advance(dst, address, std::get<isa::MaskStore>(call.issue(op)).address);
}

// ---- contiguous and block load and store; `post_update` in elements, of block copies in blocks of 32 B

template <typename T>
void load(isa::ElementType type, isa::LoadMode mode, Registers& dst, bool pair, T*& src, std::int64_t post_update,
          CallSite site) {
    OpCall call(site);
    isa::Load op;
    op.type = type;
    op.mode = mode;
    const isa::UbAddress address = op.address = call.address(src, "srcAddr");
    op.post_update = post_update;
    op.dst = out(call, dst, pair);
    advance(src, address, std::get<isa::Load>(call.issue(op)).address);
}

/// `mask` null: a mode that does not look at one.
template <typename T>
void store(isa::ElementType type, isa::StoreMode mode, T*& dst, const Registers& src, bool pair,
           const MaskRegister* mask, std::int64_t post_update, CallSite site) {
    OpCall call(site);
    isa::Store op;
    op.type = type;
    op.mode = mode;
    const isa::UbAddress address = op.address = call.address(dst, "dstAddr");
    op.post_update = post_update;
    op.src = in(call, src, pair);
    if (mask != nullptr) op.mask = call.in(*mask);
    advance(dst, address, std::get<isa::Store>(call.issue(op)).address);
}

template <typename T>
void block_load(isa::ElementType type, VectorRegister& dst, T*& src, std::int64_t stride, const MaskRegister& mask,
                std::int64_t post_update, CallSite site) {
    OpCall call(site);
    isa::BlockLoad op;
    op.type = type;
    const isa::UbAddress address = op.address = call.address(src, "srcAddr");
    op.stride = stride;
    op.post_update = post_update;
    op.mask = call.in(mask);
    op.dst = call.out(dst);
    advance(src, address, std::get<isa::BlockLoad>(call.issue(op)).address);
}

template <typename T>
void block_store(isa::ElementType type, T*& dst, const VectorRegister& src, std::int64_t stride,
                 const MaskRegister& mask, std::int64_t post_update, CallSite site) {
    OpCall call(site);
    isa::BlockStore op;
    op.type = type;
    const isa::UbAddress address = op.address = call.address(dst, "dstAddr");
    op.stride = stride;
    op.post_update = post_update;
    op.src = call.in(src);
    op.mask = call.in(mask);
    advance(dst, address, std::get<isa::BlockStore>(call.issue(op)).address);
}

// ---- gather and scatter

inline void gather(isa::ElementType dst_type, isa::ElementType src_type, isa::ElementType index_type, Registers& dst,
                   bool dst_pair, const void* base, const Registers& index, bool index_pair, const MaskRegister& mask,
                   CallSite site) {
    OpCall call(site);
    isa::Gather op;
    op.dst_type = dst_type;
    op.src_type = src_type;
    op.index_type = index_type;
    op.base = call.address(base, "baseAddr");
    op.index = in(call, index, index_pair);
    op.mask = call.in(mask);
    op.dst = out(call, dst, dst_pair);
    call.issue(op);
}

inline void gather_block(isa::ElementType type, VectorRegister& dst, const void* base, const VectorRegister& index,
                         const MaskRegister& mask, CallSite site) {
    OpCall call(site);
    isa::GatherBlock op;
    op.type = type;
    op.base = call.address(base, "baseAddr");
    op.index = call.in(index);
    op.mask = call.in(mask);
    op.dst = call.out(dst);
    call.issue(op);
}

inline void gather_register(isa::ElementType type, VectorRegister& dst, const VectorRegister& src,
                            const VectorRegister& index, CallSite site) {
    OpCall call(site);
    isa::GatherRegister op;
    op.type = type;
    op.src = call.in(src);
    op.index = call.in(index);
    op.dst = call.out(dst);
    call.issue(op);
}

inline void scatter(isa::ElementType type, isa::ElementType index_type, const void* base, const Registers& src,
                    bool src_pair, const Registers& index, bool index_pair, const MaskRegister& mask, CallSite site) {
    OpCall call(site);
    isa::Scatter op;
    op.type = type;
    op.index_type = index_type;
    op.base = call.address(base, "baseAddr");
    op.src = in(call, src, src_pair);
    op.index = in(call, index, index_pair);
    op.mask = call.in(mask);
    call.issue(op);
}

// ---- arithmetic and moves; a mask that is null stands for all lanes

inline void add(isa::ElementType type, VectorRegister& dst, const VectorRegister& a, const VectorRegister& b,
                const MaskRegister& mask, CallSite site) {
    OpCall call(site);
    isa::Add op;
    op.type = type;
    op.a = call.in(a);
    op.b = call.in(b);
    op.mask = call.in(mask);
    op.dst = call.out(dst);
    call.issue(op);
}

inline void adds(isa::ElementType type, VectorRegister& dst, const VectorRegister& a, std::uint64_t scalar,
                 const MaskRegister& mask, CallSite site) {
    OpCall call(site);
    isa::Adds op;
    op.type = type;
    op.scalar = scalar;
    op.a = call.in(a);
    op.mask = call.in(mask);
    op.dst = call.out(dst);
    call.issue(op);
}

inline void duplicate(isa::ElementType type, VectorRegister& dst, std::uint64_t scalar, const MaskRegister* mask,
                      CallSite site) {
    OpCall call(site);
    isa::Duplicate op;
    op.type = type;
    op.scalar = scalar;
    if (mask != nullptr) op.mask = call.in(*mask);
    op.dst = call.out(dst);
    call.issue(op);
}

inline void move(isa::ElementType type, VectorRegister& dst, const VectorRegister& src, const MaskRegister* mask,
                 CallSite site) {
    OpCall call(site);
    isa::Move op;
    op.type = type;
    op.src = call.in(src);
    if (mask != nullptr) op.mask = call.in(*mask);
    op.dst = mask != nullptr ? call.in_out(dst) : call.out(dst);
    call.issue(op);
}

inline void barrier(isa::BarrierKind kind, CallSite site) {
    OpCall call(site);
    call.issue(isa::Barrier{kind});
}

}  // namespace ops

}  // namespace vcore::kernels
