#include "testbenches/runner/tests/schema.hpp"

#include <regex.h>

#include <algorithm>
#include <stdexcept>

namespace vcore::runner::tests {
namespace {

using nlohmann::json;

bool has_type(const json& value, const std::string& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    throw std::logic_error("unknown type in the schema: " + type);
}

/// Whether the pattern, an extended regular expression, is found in the text.
bool matches(const std::string& text, const std::string& pattern) {
    regex_t compiled;
    if (regcomp(&compiled, pattern.c_str(), REG_EXTENDED | REG_NOSUB) != 0) {
        throw std::logic_error("bad pattern in the schema: " + pattern);
    }
    const bool found = regexec(&compiled, text.c_str(), 0, nullptr, 0) == 0;
    regfree(&compiled);
    return found;
}

class Validator {
public:
    std::vector<std::string> violations;

    void check(const json& schema, const json& value, const std::string& pointer) {
        for (const auto& [keyword, rule] : schema.items()) check_rule(schema, keyword, rule, value, pointer);
    }

private:
    void check_rule(const json& schema, const std::string& keyword, const json& rule, const json& value,
                    const std::string& pointer) {
        const auto require = [&](bool fits) {
            if (!fits) violations.push_back(pointer + ": breaks " + keyword + " " + rule.dump());
        };
        if (keyword == "type") {
            const json types = rule.is_array() ? rule : json::array({rule});
            require(std::any_of(types.begin(), types.end(), [&](const json& type) { return has_type(value, type); }));
        } else if (keyword == "const") {
            require(value == rule);
        } else if (keyword == "enum") {
            require(std::find(rule.begin(), rule.end(), value) != rule.end());
        } else if (keyword == "minimum") {
            require(!value.is_number() || value.get<double>() >= rule.get<double>());
        } else if (keyword == "maximum") {
            require(!value.is_number() || value.get<double>() <= rule.get<double>());
        } else if (keyword == "pattern") {
            require(!value.is_string() || matches(value.get<std::string>(), rule.get<std::string>()));
        } else if (keyword == "required") {
            require(std::all_of(rule.begin(), rule.end(), [&](const json& key) { return value.contains(key); }));
        } else if (keyword == "additionalProperties") {
            for (const auto& [key, unused] : value.items()) {
                if (!schema.at("properties").contains(key)) violations.push_back(pointer + ": unknown key " + key);
            }
        } else if (keyword == "properties") {
            for (const auto& [key, property] : rule.items()) {
                if (value.contains(key)) check(property, value.at(key), pointer + "/" + key);
            }
        } else if (keyword == "items") {
            for (std::size_t i = 0; i < value.size(); ++i) {
                check(rule, value.at(i), pointer + "/" + std::to_string(i));
            }
        } else if (keyword != "$schema" && keyword != "title" && keyword != "description") {
            throw std::logic_error("unknown keyword in the schema: " + keyword);
        }
    }
};

}  // namespace

std::vector<std::string> schema_violations(const json& schema, const json& value) {
    Validator validator;
    validator.check(schema, value, "");
    return validator.violations;
}

}  // namespace vcore::runner::tests
