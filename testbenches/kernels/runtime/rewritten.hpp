// What rewritten source of kernels uses; vcore_add_kernel() includes it in every file.
#pragma once

#include "testbenches/kernels/runtime/core_state.hpp"
#include "testbenches/kernels/runtime/launch.hpp"

namespace vcore::kernels {

/// The local array `__ubuf__ T name[n]`: `local_array<T[n]>([] {}, "name")`. Every declaration has a closure type of
/// its own, and an instance of it for each instance of a template around it.
template <typename Array, typename Declaration>
Array& local_array(const Declaration&, const char* name, CallSite site = CallSite::here()) {
    static constexpr char kIdentity = 0;
    return *static_cast<Array*>(ub_array(&kIdentity, sizeof(Array), name, site));
}

}  // namespace vcore::kernels
