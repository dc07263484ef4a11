// One load, one add, one store, from a plain main.
#include <cstdint>
#include <cstdio>

#include "testbenches/kernels/runtime/core_state.hpp"
#include "testbenches/kernels/runtime/launch.hpp"
#include "testbenches/kernels/runtime/op_call.hpp"
#include "testbenches/kernels/runtime/transfers.hpp"

namespace isa = vcore::isa;
using vcore::kernels::CallSite;
using vcore::kernels::MaskRegister;
using vcore::kernels::OpCall;
using vcore::kernels::VectorRegister;

namespace {

constexpr int kElements = 64;

void load(VectorRegister& target, const void* source, CallSite site = CallSite::here()) {
    OpCall call(site);
    isa::Load op;
    op.type = isa::ElementType::s32;
    op.address = call.address(source, "source");
    op.dst = call.out(target);
    call.issue(op);
}

VCORE_VECTOR_FUNCTION void double_all(std::int32_t* target, const std::int32_t* source) {
    const CallSite site = CallSite::here();
    MaskRegister mask;
    VectorRegister value;
    {
        OpCall call(site);
        isa::CreateMask op;
        op.type = isa::ElementType::s32;
        op.dst = call.out(mask);
        call.issue(op);
    }
    load(value, source);
    {
        OpCall call(site);
        isa::Add op;
        op.type = isa::ElementType::s32;
        op.a = op.b = call.in(value);
        op.mask = call.in(mask);
        op.dst = call.out(value);
        call.issue(op);
    }
    OpCall call(site);
    isa::Store op;
    op.type = isa::ElementType::s32;
    op.address = call.address(target, "target");
    op.src = call.in(value);
    op.mask = call.in(mask);
    call.issue(op);
}

void kernel(std::int32_t* out, const std::int32_t* in) {
    auto* const ub = static_cast<std::int32_t*>(vcore::kernels::ub_pointer(isa::UbAddress{0}));
    vcore::kernels::TransferShape shape;
    shape.row_bytes = kElements * sizeof(std::int32_t);
    vcore::kernels::copy_in(ub, in, shape, CallSite::here());
    double_all(ub + kElements, ub);
    vcore::kernels::copy_out(out, ub + kElements, shape, CallSite::here());
}

}  // namespace

int main() {
    std::int32_t in[kElements];
    std::int32_t out[kElements] = {};
    for (int i = 0; i < kElements; ++i) in[i] = 1000 - i;
    vcore::kernels::launch(1, nullptr, nullptr, [&] { kernel(out, in); });
    for (int i = 0; i < kElements; ++i) {
        if (out[i] == 2 * in[i]) continue;
        std::printf("element %d: found %d, expected %d\n", i, out[i], 2 * in[i]);
        return 1;
    }
    return 0;
}
