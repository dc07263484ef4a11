// Wider vector instructions where the machine has them.
//
// A loop that compilers turn into vector code is written once, as a function that is inlined by force into two callers:
// one compiled for the baseline, the other, marked VCORE_FOR_AVX2, for AVX2. Which one runs is asked of the processor.
// Elsewhere than on x86-64 with GCC or Clang there is only the baseline.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#define VCORE_FOR_AVX2 [[gnu::target("avx2")]]
#else
#define VCORE_FOR_AVX2
#endif

namespace vcore::isa {

/// Whether functions marked VCORE_FOR_AVX2 may be called.
inline bool has_avx2() {
#if defined(__x86_64__) && defined(__GNUC__)
    static const bool answer = __builtin_cpu_supports("avx2") != 0;
    return answer;
#else
    return false;
#endif
}

}  // namespace vcore::isa
