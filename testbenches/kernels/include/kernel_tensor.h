// Another way to the C++ API.
#pragma once

#include "testbenches/kernels/include/kernel_operator.h"
