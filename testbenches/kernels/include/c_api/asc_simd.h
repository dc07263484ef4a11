// The C API of Ascend C for kernels on the model: what `#include "c_api/asc_simd.h"` finds.
#pragma once

#include "testbenches/kernels/include/vcore_kernels/c_copy.h"
#include "testbenches/kernels/include/vcore_kernels/c_not_modelled.h"
#include "testbenches/kernels/include/vcore_kernels/c_ops.h"
#include "testbenches/kernels/include/vcore_kernels/qualifiers.h"
#include "testbenches/kernels/include/vcore_kernels/sync.h"
#include "testbenches/kernels/include/vcore_kernels/types.h"

/// Accesses of the second kind that follow wait for earlier ones of the first.
enum mem_bar_t {
    VST_VLD,
    VLD_VST,
    VST_VST,
    VV_ALL,
    VS_ALL,
    VST_LD,
    VLD_ST,
    VST_ST,
    SV_ALL,
    ST_VLD,
    LD_VST,
    ST_VST,
    SS_ALL,
    LD_ST,
    ST_LD,
    ST_ST,
};
static_assert(static_cast<int>(ST_ST) == static_cast<int>(vcore::isa::BarrierKind::st_st));
inline void asc_mem_bar(mem_bar_t kind, vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) {
    vcore::kernels::ops::barrier(static_cast<vcore::isa::BarrierKind>(kind), site);
}
inline void mem_bar(mem_bar_t kind, vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) {
    asc_mem_bar(kind, site);
}
