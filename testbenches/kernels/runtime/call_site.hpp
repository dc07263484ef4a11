// Where in a kernel's source an API function was called.
#pragma once

#include <cstdint>

namespace vcore::kernels {

/// Last argument of every API function, by default the place of the call: `void f(…, CallSite site =
/// CallSite::here())`.
struct CallSite {
    const char* file = nullptr;  ///< as the compiler names it; lives as long as the program
    std::uint32_t line = 0;      ///< 0: unknown

    static constexpr CallSite here(const char* file = __builtin_FILE(), std::uint32_t line = __builtin_LINE()) {
        return {file, line};
    }
};

}  // namespace vcore::kernels
