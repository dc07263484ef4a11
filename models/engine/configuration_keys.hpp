// The table that ties every dotted key to its typed field: how it is read, checked alone, and written back.
//
// To add a key, add a field and one row in configuration_keys.cpp; reading, --set, describe, the hash and the table of
// keys follow from the row.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "models/engine/configuration.hpp"
#include "models/engine/json_text.hpp"

namespace vcore::engine {

/// Thrown by Key::read; what() says what was expected instead ("an integer from 1 to 64").
class Mismatch : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct Key {
    KeyInfo info;
    /// A figure carries a source mark; names do not.
    bool figure = true;
    /// A complete file must give it.
    bool required = true;
    std::function<void(Configuration&, const Json&)> read;
    std::function<Json(const Configuration&)> write;
};

/// In the order in which describe writes them: the keys of a section stand together.
const std::vector<Key>& keys();

/// The key of that dotted path, or null. The group's number of ub.bank_group.N.implementation is matched here, not
/// compared with the number of groups.
const Key* find_key(std::string_view path);

/// Whether some key's path starts with `path` and a dot.
bool is_section(std::string_view path);

/// The key under which the table lists the implementations of all bank groups.
std::string_view bank_group_pattern();

/// The group's number in the path of a ub.bank_group.N.implementation, or -1.
std::int64_t bank_group_of(std::string_view path);

}  // namespace vcore::engine
