#include "testbenches/kernels/runtime/events.hpp"

#include <fmt/format.h>

#include <set>
#include <tuple>

#include "testbenches/kernels/runtime/core_state.hpp"
#include "testbenches/kernels/runtime/runtime.hpp"

namespace vcore::kernels {
namespace {

/// Flags that are set, of the block that runs.
std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>>& flags() {
    static std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> set;
    static std::uint64_t block = 0;
    if (block != block_serial()) set.clear();
    block = block_serial();
    return set;
}

}  // namespace

void set_flag(const EventFlag& flag, const char* what, CallSite site) {
    if (flags().insert({flag.from, flag.to, flag.event}).second) return;
    Runtime::get().warn(site, isa::DiagnosticId::flag_set_twice,
                        fmt::format("the flag {} is set already: the first one is lost", what));
}

void wait_flag(const EventFlag& flag, const char* what, CallSite site) {
    if (flags().erase({flag.from, flag.to, flag.event}) != 0) return;
    Runtime::get().fail(site, isa::DiagnosticId::deadlock,
                        fmt::format("waits for the flag {}, which nobody has set: a deadlock on silicon", what));
}

void pipe_barrier(CallSite site) {
    if (!Runtime::get().in_vector_function()) return;
    Runtime::get().fail(site, isa::DiagnosticId::bad_argument,
                        "a barrier of pipes inside a vector function: expected a LocalMemBar");
}

}  // namespace vcore::kernels
