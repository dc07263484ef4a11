// What the API headers call, handed on to the Runtime.
#include <fmt/format.h>

#include <limits>

#include "testbenches/kernels/runtime/core_state.hpp"
#include "testbenches/kernels/runtime/fail.hpp"
#include "testbenches/kernels/runtime/launch.hpp"
#include "testbenches/kernels/runtime/op_call.hpp"
#include "testbenches/kernels/runtime/runtime.hpp"

namespace vcore::kernels {

using isa::DiagnosticId;

// ---- findings

void fail(CallSite site, DiagnosticId id, const std::string& message) {
    Runtime::get().fail(site, id, message);
}

void warn(CallSite site, DiagnosticId id, const std::string& message) {
    Runtime::get().warn(site, id, message);
}

// ---- state of the core

std::uint64_t ub_bytes() {
    return Runtime::get().configuration().capabilities.ub_reserved_from;
}

void* ub_pointer(isa::UbAddress address) {
    return Runtime::get().ub() + isa::value(address);
}

bool is_ub_pointer(const void* pointer) {
    const Runtime& runtime = Runtime::get();
    const auto offset = reinterpret_cast<std::uintptr_t>(pointer) - reinterpret_cast<std::uintptr_t>(runtime.ub());
    return offset <= runtime.ub_size();
}

isa::UbAddress ub_address(const void* pointer, const char* operand, CallSite site) {
    Runtime& runtime = Runtime::get();
    const auto offset = reinterpret_cast<std::uintptr_t>(pointer) - reinterpret_cast<std::uintptr_t>(runtime.ub());
    if (offset <= runtime.ub_size()) return isa::UbAddress{static_cast<std::int64_t>(offset)};
    if (pointer == nullptr) {
        runtime.fail(site, DiagnosticId::null_pointer, fmt::format("{} is a null pointer", operand));
    }
    runtime.fail(
        site, DiagnosticId::foreign_pointer,
        fmt::format("{} points outside the UB: expected an address in its {} bytes", operand, runtime.ub_size()));
}

void mark_ub_written(isa::UbAddress address, std::uint64_t bytes) {
    runner::Machine& machine = Runtime::get().machine();
    const auto first = static_cast<std::uint32_t>(isa::value(address));
    const std::byte* const data = Runtime::get().ub() + first;
    const std::vector<std::byte> copy(data, data + bytes);
    if (bytes > 0) machine.place(first, copy.data(), static_cast<std::uint32_t>(bytes));
}

void* ub_array(const void* identity, std::uint64_t bytes, const char* name, CallSite site) {
    return Runtime::get().array(identity, bytes, name, site);
}

std::uint64_t ub_array_end() {
    return Runtime::get().array_end();
}

std::uint64_t cycles() {
    return Runtime::get().machine().now();
}

std::uint32_t block_index() {
    return Runtime::get().block_index();
}

std::uint32_t block_count() {
    return Runtime::get().block_count();
}

bool in_kernel() {
    const Runtime* const runtime = Runtime::existing();
    return runtime != nullptr && runtime->in_kernel();
}

std::uint64_t block_serial() {
    return Runtime::get().block_serial();
}

const char* product_name() {
    return Runtime::get().configuration().product.c_str();
}

const char* architecture() {
    return Runtime::get().configuration().architecture.c_str();
}

// ---- registers and ops

namespace detail {

template <RegisterKind kind>
void discard(RegisterValue* value) {
    Runtime::get().registers().discard(kind, value);
}
template void discard<RegisterKind::vector>(RegisterValue* value);
template void discard<RegisterKind::mask>(RegisterValue* value);

void run_blocks(std::int64_t blocks, const std::function<void()>& kernel, CallSite site) {
    Runtime::get().run_blocks(blocks, kernel, site);
}

}  // namespace detail

isa::VregId OpCall::in(const VectorRegister& source) {
    Runtime& runtime = Runtime::get();
    std::uint32_t number = 0;
    if (source.written()) {
        number = runtime.registers().use(source, pins_, site_);
    } else {
        number = runtime.registers().undefined(detail::RegisterKind::vector, pins_, site_);
        runtime.warn_of_undefined(false, number, site_);
    }
    pins_.vectors |= 1U << number;
    return isa::VregId{number};
}

isa::MregId OpCall::in(const MaskRegister& source) {
    Runtime& runtime = Runtime::get();
    std::uint32_t number = 0;
    if (source.written()) {
        number = runtime.registers().use(source, pins_, site_);
    } else {
        number = runtime.registers().undefined(detail::RegisterKind::mask, pins_, site_);
        runtime.warn_of_undefined(true, number, site_);
    }
    pins_.masks |= 1U << number;
    return isa::MregId{number};
}

isa::VregId OpCall::out(VectorRegister& target) {
    const std::uint32_t number = Runtime::get().registers().define(target, pins_, site_);
    pins_.vectors |= 1U << number;
    return isa::VregId{number};
}

isa::MregId OpCall::out(MaskRegister& target) {
    const std::uint32_t number = Runtime::get().registers().define(target, pins_, site_);
    pins_.masks |= 1U << number;
    return isa::MregId{number};
}

isa::VregId OpCall::in_out(VectorRegister& target) {
    Runtime& runtime = Runtime::get();
    std::uint32_t number = 0;
    if (target.written()) {
        number = runtime.registers().modify(target, pins_, site_);
    } else {
        number = runtime.registers().define(target, pins_, site_);
        runtime.warn_of_undefined(false, number, site_);
    }
    pins_.vectors |= 1U << number;
    return isa::VregId{number};
}

isa::UbAddress OpCall::address(const void* pointer, const char* operand) const {
    return ub_address(pointer, operand, site_);
}

const isa::Op& OpCall::issue(const isa::Op& op) {
    pins_ = {};
    return Runtime::get().perform(op, site_);
}

// ---- vector functions

VectorFunctionScope::VectorFunctionScope(const void* function) {
    Runtime::get().enter_vector_function(function);
}

VectorFunctionScope::~VectorFunctionScope() {
    Runtime::get().leave_vector_function();
}

bool in_vector_function() {
    return Runtime::get().in_vector_function();
}

}  // namespace vcore::kernels
