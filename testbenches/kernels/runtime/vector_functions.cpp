// Calls of functions that are marked as vector functions (launch.hpp, VCORE_VECTOR_FUNCTION).
//
// Their entries stand in the section __patchable_function_entries, which the compiler fills; the file of a kernel is
// compiled with -finstrument-functions, which calls the two functions below on entry and exit of every function, and on
// exit also where an exception leaves it.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "testbenches/kernels/runtime/runtime.hpp"

extern "C" {
extern const std::uintptr_t __start___patchable_function_entries[] __attribute__((weak));
extern const std::uintptr_t __stop___patchable_function_entries[] __attribute__((weak));
void __cyg_profile_func_enter(void* function, void* call_site);
void __cyg_profile_func_exit(void* function, void* call_site);
}

namespace vcore::kernels {
namespace {

/// Where branch tracking is on, an instruction for it stands before the entry that is listed.
constexpr std::uintptr_t kBranchTarget = 4;

std::vector<std::uintptr_t> find_vector_functions() {
    std::vector<std::uintptr_t> entries(__start___patchable_function_entries, __stop___patchable_function_entries);
    std::sort(entries.begin(), entries.end());
    return entries;
}

bool is_vector_function(const void* function) {
    static const std::vector<std::uintptr_t> entries = find_vector_functions();
    const auto address = reinterpret_cast<std::uintptr_t>(function);
    const auto found = std::lower_bound(entries.begin(), entries.end(), address);
    return found != entries.end() && *found - address <= kBranchTarget;
}

Runtime* with_kernel() {
    Runtime* const runtime = Runtime::existing();
    return runtime != nullptr && runtime->in_kernel() ? runtime : nullptr;
}

}  // namespace
}  // namespace vcore::kernels

void __cyg_profile_func_enter(void* function, void*) {
    using namespace vcore::kernels;
    Runtime* const runtime = with_kernel();
    if (runtime != nullptr && is_vector_function(function)) runtime->enter_vector_function(function);
}

void __cyg_profile_func_exit(void* function, void*) {
    using namespace vcore::kernels;
    Runtime* const runtime = with_kernel();
    if (runtime != nullptr && is_vector_function(function)) runtime->leave_vector_function();
}
