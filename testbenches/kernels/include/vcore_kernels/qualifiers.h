// Qualifiers of Ascend C, and calls of vector functions.
//
// Memory qualifiers mean nothing to g++: `__ubuf__ T*` is an ordinary pointer into the model's UB. A function marked
// __simd_vf__ starts a vector function when it is called and ends it when it returns, called through asc_vf_call() or
// directly.
#pragma once

#include <cstdint>
#include <utility>

#include "testbenches/kernels/runtime/launch.hpp"

#define __aicore__
#define __global__
#define __vector__
#define __cube__
#define __mix__(...)
#define __gm__
#define __ubuf__
#define __local_mem__ __ubuf__
#define __simd_callee__
#define __simd_vf__ VCORE_VECTOR_FUNCTION
#define __no_simd_vf_fusion__

/// A vector function written in place: `__VEC_SCOPE__ { … }`.
#define __VEC_SCOPE__                                                                        \
    if (const ::vcore::kernels::VectorFunctionScope vcore_vector_scope{[]() -> const void* { \
            static const char here = 0;                                                      \
            return &here;                                                                    \
        }()};                                                                                \
        true)

/// Calls `function(arguments…)` as one vector function. Returns nothing.
template <auto function, typename... Arguments>
inline void asc_vf_call(Arguments&&... arguments) {
    const ::vcore::kernels::VectorFunctionScope scope(reinterpret_cast<const void*>(function));
    function(std::forward<Arguments>(arguments)...);
}

/// The kind of cores that a kernel wants: the model is one vector core and takes any.
#define KERNEL_TASK_TYPE_DEFAULT(...) static_cast<void>(0)
#define KERNEL_TASK_TYPE(...) static_cast<void>(0)
