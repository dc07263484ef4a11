// A product as typed values: what a product's JSON says, after --set overrides.
//
// JSON keys are the dotted names of the key table (`vcore-sim describe --keys`), written dotted or nested:
// {"ub.bank_groups": 8} or {"ub": {"bank_groups": 8}}. A value is written plainly, or as
// {"value": v, "mark": "D", "source": "…"} to say where it comes from. Marks: S seed page, D vendor text, M measured,
// 3 other public source, I inferred, P our policy; "file" and "set" stand for a user's file and for --set. Keys
// "comment", "$comment" and "$schema" are passed over everywhere.
// Errors: ConfigurationError, before elaboration, with file:line:column (text that is no JSON) or a JSON pointer (a key
// or value that is wrong), what was found and what was expected.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "models/isa/capabilities.hpp"
#include "models/timing/parameters.hpp"

namespace vcore::engine {

class ConfigurationError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Keys are missing, and there is no base to take them from.
class IncompleteConfiguration : public ConfigurationError {
public:
    using ConfigurationError::ConfigurationError;
};

/// The largest UB that is simulated, far beyond any hardware.
inline constexpr std::uint64_t kMaxUbBytes = std::uint64_t{1} << 26;

struct Configuration {
    std::string product;               ///< canonical name, "ascend950"
    std::vector<std::string> aliases;  ///< other names of a built-in product
    std::string architecture;          ///< "3510"
    std::string title;                 ///< the vendor's names, for tables
    double clock_mhz = 1000.0;

    isa::Capabilities capabilities;
    timing::Parameters timing;
    std::uint64_t ub_reserved_bytes = 0;  ///< at the top of what the geometry holds

    bool hazard_detector = true;         ///< warn about missing barriers
    bool uninitialised_detector = true;  ///< warn about reads of never-written bytes
    bool bank_traffic = false;           ///< the core's accesses pass the bank sockets (slower, visible to monitors)

    std::string hash;  ///< of every effective value, 16 hex digits: equal configurations have equal hashes
};

/// One row of the key table.
struct KeyInfo {
    std::string key;   ///< "ub.bank_groups"
    std::string type;  ///< "integer 1..1024", "number", "boolean", "string", "list", or the choices "group | bank"
    std::string unit;  ///< "bytes", "cycles", …
    std::string meaning;
};
const std::vector<KeyInfo>& key_table();

/// Reads a configuration from JSON text. `source_name` is used in messages ("my.json"); `overrides` are "key=value":
/// the value is JSON, a hexadecimal number, or bare words that stand for a text; the last of several for a key counts.
/// Every key must be known; keys that a file leaves out are taken from `base_text` (a complete product file) where
/// given, else they are errors that name the missing key.
Configuration load_configuration(std::string_view json_text, std::string_view source_name,
                                 const std::vector<std::string>& overrides = {}, std::string_view base_text = {});

/// The effective configuration as JSON with two-space indent: every figure as {"value", "mark", "source"}; overridden
/// values carry the mark "set" and the override as source.
std::string describe_configuration(std::string_view json_text, std::string_view source_name,
                                   const std::vector<std::string>& overrides = {}, std::string_view base_text = {});

}  // namespace vcore::engine
