// The C++ API of Ascend C for kernels on the model: what `#include "kernel_operator.h"` finds.
#pragma once

#include "testbenches/kernels/include/vcore_kernels/data_copy.h"
#include "testbenches/kernels/include/vcore_kernels/not_modelled.h"
#include "testbenches/kernels/include/vcore_kernels/qualifiers.h"
#include "testbenches/kernels/include/vcore_kernels/queues.h"
#include "testbenches/kernels/include/vcore_kernels/reg.h"
#include "testbenches/kernels/include/vcore_kernels/sync.h"
#include "testbenches/kernels/include/vcore_kernels/tensors.h"
#include "testbenches/kernels/include/vcore_kernels/types.h"

namespace AscendC {

/// Calls a vector function; the older name of asc_vf_call.
template <auto function, typename... Arguments>
inline void VF_CALL(Arguments&&... arguments) {
    ::asc_vf_call<function>(std::forward<Arguments>(arguments)...);
}

/// Scalar helpers of kernels.
namespace Std {

template <typename T>
constexpr T min(T a, T b) {
    return b < a ? b : a;
}
template <typename T>
constexpr T max(T a, T b) {
    return a < b ? b : a;
}

}  // namespace Std

}  // namespace AscendC
