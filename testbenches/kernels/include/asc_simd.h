// The C API, by its short path.
#pragma once

#include "testbenches/kernels/include/c_api/asc_simd.h"
