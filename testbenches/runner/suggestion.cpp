#include "testbenches/runner/suggestion.hpp"

#include "models/engine/nearest_name.hpp"

namespace vcore::runner {

std::string suggestion(std::string_view name, const std::vector<std::string>& known) {
    const std::string nearest = engine::nearest_name(name, known);
    return nearest.empty() ? std::string() : ", did you mean '" + nearest + "'?";
}

}  // namespace vcore::runner
