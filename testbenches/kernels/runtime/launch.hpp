// Running kernels and vector functions.
#pragma once

#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#include "testbenches/kernels/runtime/call_site.hpp"

namespace vcore::kernels {

namespace detail {
void run_blocks(std::int64_t blocks, const std::function<void()>& kernel, CallSite site);
}  // namespace detail

/// What `kernel<<<blocks, x, stream>>>(arguments)` becomes: `launch(blocks, x, stream, [&] { kernel(arguments); })`.
/// Runs the blocks one after another on the core, which is reset before each; model time goes on. Returns when the last
/// one has completed. `blocks` is 1..65535.
template <typename Blocks, typename Second, typename Stream, typename Kernel>
void launch(Blocks blocks, const Second&, const Stream&, const Kernel& kernel, CallSite site = CallSite::here()) {
    detail::run_blocks(static_cast<std::int64_t>(blocks), kernel, site);
}
template <typename Blocks, typename Second, typename Kernel>
std::enable_if_t<std::is_invocable_v<const Kernel&>> launch(Blocks blocks, const Second&, const Kernel& kernel,
                                                            CallSite site = CallSite::here()) {
    detail::run_blocks(static_cast<std::int64_t>(blocks), kernel, site);
}

/// A vector function runs while one of these exists; inner ones change nothing. Functions marked `__simd_vf__` open one
/// by themselves when they are called. The function starts with its first op, which gives it its line in the report.
class VectorFunctionScope {
public:
    /// `function`: anything that tells vector functions apart in the report.
    explicit VectorFunctionScope(const void* function);
    ~VectorFunctionScope();
    VectorFunctionScope(const VectorFunctionScope&) = delete;
    VectorFunctionScope& operator=(const VectorFunctionScope&) = delete;

private:
    const void* function_;
};

/// Whether a vector function is running.
bool in_vector_function();

}  // namespace vcore::kernels

/// What marks a vector function: its entry is listed, calls of it are told by the compiler's instrumentation.
#define VCORE_VECTOR_FUNCTION __attribute__((noinline, patchable_function_entry(1, 0)))
