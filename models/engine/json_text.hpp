// JSON text to a document, with errors that a person can act on.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace vcore::engine {

/// Objects keep the order of the text, so that the first error in a file is the one reported.
using Json = nlohmann::ordered_json;

/// The largest text that is taken for a configuration.
inline constexpr std::size_t kMaxConfigurationBytes = std::size_t{1} << 20;
/// The deepest nesting that is taken for a configuration.
inline constexpr int kMaxConfigurationDepth = 16;

/// Parses one JSON value. Throws ConfigurationError: "file:line:column: found …, expected …" where the text is no JSON
/// (columns count characters from 1), or "file: /pointer: …" for a key that stands twice in one object and for text
/// that is nested too deeply.
Json parse_json(std::string_view text, std::string_view source_name);

/// The same for a whole file, whose value is an object.
Json parse_object(std::string_view text, std::string_view source_name);

/// A key as a token of a JSON pointer (RFC 6901).
std::string pointer_token(std::string_view key);

}  // namespace vcore::engine
