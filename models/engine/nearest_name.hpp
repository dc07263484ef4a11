// The known name that a mistyped one most likely stands for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vcore::engine {

/// Edits between two names: insertions, deletions, replacements and swaps of neighbours, each counted once. Letters
/// of either case and `-`, `_`, blank count as the same.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The nearest of `candidates`, or an empty string where none is close enough to be worth naming (a third of the
/// letters may be wrong). The first of several equally near ones.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace vcore::engine
