// Checks JSON against the part of JSON Schema that report.schema.json uses.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace vcore::runner::tests {

/// Every violation as "/pointer: what is wrong"; empty where the value fits. Throws for a schema keyword that it does
/// not know, so that no rule is passed over.
std::vector<std::string> schema_violations(const nlohmann::json& schema, const nlohmann::json& value);

}  // namespace vcore::runner::tests
