// Ops in the raw terms of the runtime, for tests that do without the API headers.
#pragma once

#include <cstdint>

#include "testbenches/kernels/runtime/core_state.hpp"
#include "testbenches/kernels/runtime/launch.hpp"
#include "testbenches/kernels/runtime/op_call.hpp"
#include "testbenches/kernels/runtime/transfers.hpp"

using Vector = vcore::kernels::VectorRegister;
using Mask = vcore::kernels::MaskRegister;
using Site = vcore::kernels::CallSite;
namespace isa = vcore::isa;

inline Mask all_lanes(Site site = Site::here()) {
    Mask mask;
    vcore::kernels::OpCall call(site);
    isa::CreateMask op;
    op.type = isa::ElementType::s32;
    op.dst = call.out(mask);
    call.issue(op);
    return mask;
}

inline Mask lanes_below(std::int64_t& count, Site site = Site::here()) {
    Mask mask;
    vcore::kernels::OpCall call(site);
    isa::UpdateMask op;
    op.type = isa::ElementType::s32;
    op.count = count;
    op.dst = call.out(mask);
    count = std::get<isa::UpdateMask>(call.issue(op)).count;
    return mask;
}

inline void load(Vector& target, const void* source, Site site = Site::here()) {
    vcore::kernels::OpCall call(site);
    isa::Load op;
    op.type = isa::ElementType::s32;
    op.address = call.address(source, "source");
    op.dst = call.out(target);
    call.issue(op);
}

inline void store(void* target, const Vector& source, const Mask& mask, Site site = Site::here()) {
    vcore::kernels::OpCall call(site);
    isa::Store op;
    op.type = isa::ElementType::s32;
    op.address = call.address(target, "target");
    op.src = call.in(source);
    op.mask = call.in(mask);
    call.issue(op);
}

inline void add(Vector& target, const Vector& a, const Vector& b, const Mask& mask, Site site = Site::here()) {
    vcore::kernels::OpCall call(site);
    isa::Add op;
    op.type = isa::ElementType::s32;
    op.a = call.in(a);
    op.b = call.in(b);
    op.mask = call.in(mask);
    op.dst = call.out(target);
    call.issue(op);
}

inline void add_scalar(Vector& target, const Vector& a, std::int32_t scalar, const Mask& mask,
                       Site site = Site::here()) {
    vcore::kernels::OpCall call(site);
    isa::Adds op;
    op.type = isa::ElementType::s32;
    op.scalar = static_cast<std::uint32_t>(scalar);
    op.a = call.in(a);
    op.mask = call.in(mask);
    op.dst = call.out(target);
    call.issue(op);
}

inline void copy(void* ub, const void* global, std::uint64_t bytes, Site site = Site::here()) {
    vcore::kernels::TransferShape shape;
    shape.row_bytes = bytes;
    vcore::kernels::copy_in(ub, global, shape, site);
}

inline void copy_back(void* global, const void* ub, std::uint64_t bytes, Site site = Site::here()) {
    vcore::kernels::TransferShape shape;
    shape.row_bytes = bytes;
    vcore::kernels::copy_out(global, ub, shape, site);
}
