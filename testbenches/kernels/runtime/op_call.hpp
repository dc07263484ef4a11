// One op of the vector core, from one call in a kernel.
//
//     OpCall call(site);
//     isa::Add op;
//     op.a = call.in(a);          // inputs first: an output may take over the register of an input
//     op.b = call.in(b);
//     op.mask = call.in(mask);
//     op.dst = call.out(dst);
//     call.issue(op);
#pragma once

#include <cstdint>

#include "models/isa/ops.hpp"
#include "testbenches/kernels/runtime/call_site.hpp"
#include "testbenches/kernels/runtime/registers.hpp"

namespace vcore::kernels {

class OpCall {
public:
    explicit OpCall(CallSite site) : site_(site) {}

    /// The register that holds the value; it stays there until issue(). A register that was never written gets one
    /// with undefined content, and a warning (uninitialised-read).
    isa::VregId in(const VectorRegister& source);
    isa::MregId in(const MaskRegister& source);
    /// A register for a new value of the handle.
    isa::VregId out(VectorRegister& target);
    isa::MregId out(MaskRegister& target);
    /// A register that holds the handle's value and may be changed: nobody else shares it.
    isa::VregId in_out(VectorRegister& target);

    /// The UB address of a pointer. Ends the kernel for one that is null (null-pointer) or points elsewhere
    /// (foreign-pointer); `operand` is its name in the message. Alignment is the op's to check.
    isa::UbAddress address(const void* pointer, const char* operand) const;

    /// Performs the op and returns it with its in/out fields as they are afterwards; the reference holds until the next
    /// op. An op that the core refuses prints its diagnostic with the place of the call and ends the kernel.
    const isa::Op& issue(const isa::Op& op);

private:
    CallSite site_;
    Pins pins_;
};

}  // namespace vcore::kernels
