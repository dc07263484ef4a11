// Turns the two things of a kernel's source that no C++ compiler accepts into what one does, and nothing else:
//
//     kernel<T><<<blocks, x, stream>>>(arguments)   ::vcore::kernels::launch(blocks, x, stream, [&] {
//     kernel<T>(arguments); })
//     __ubuf__ T name[n];                           auto& name = ::vcore::kernels::local_array<T[(n)]>([] {}, "name");
//
// Comments, strings, raw strings and the operators << and >>> elsewhere stay as they are. Every character keeps its
// line, but inside a launch that is spread over lines. Pure text: no preprocessor runs, macros are seen as they are
// written.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace vcore::kernels {

/// Source that cannot be rewritten.
class RewriteError : public std::runtime_error {
public:
    RewriteError(std::size_t line, const std::string& message) : std::runtime_error(message), line_(line) {}
    std::size_t line() const { return line_; }  ///< counted from 1

private:
    std::size_t line_;
};

/// The text, rewritten. Throws RewriteError.
std::string rewrite(std::string_view source);

/// What `#include "…"` names in the text, in order.
std::vector<std::string> quoted_includes(std::string_view source);

}  // namespace vcore::kernels
