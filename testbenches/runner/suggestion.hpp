// What somebody probably meant, as a part of an error message.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vcore::runner {

/// ", did you mean 'gather'?" or, where no known name is near, an empty string.
std::string suggestion(std::string_view name, const std::vector<std::string>& known);

}  // namespace vcore::runner
