#include "models/engine/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <vector>

#include "models/engine/configuration.hpp"

namespace vcore::engine {

namespace {

constexpr std::string_view kAValue =
    "a value (an object, a list, text in double quotes, a number, true, false or null)";

struct Position {
    std::size_t line = 1;
    std::size_t column = 1;
};

Position position_of(std::string_view text, std::size_t offset) {
    Position position;
    for (const char c : text.substr(0, std::min(offset, text.size()))) {
        const bool continues_character = (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
        if (c == '\n') {
            ++position.line;
            position.column = 1;
        } else if (!continues_character) {
            ++position.column;
        }
    }
    return position;
}

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '+' || c == '-';
}

/// What stands at `offset`, as a message quotes it: a word, or one character.
std::string quote_at(std::string_view text, std::size_t offset) {
    if (offset >= text.size()) return "the end of the text";
    std::size_t end = offset;
    while (end < text.size() && end - offset < 40 && is_word(text[end])) ++end;
    if (end > offset) return fmt::format("'{}'", text.substr(offset, end - offset));
    const auto byte = static_cast<unsigned char>(text[offset]);
    if (byte < 0x20 || byte >= 0x7F) return fmt::format("byte 0x{:02X}", byte);
    return fmt::format("'{}'", text[offset]);
}

std::string_view between(std::string_view text, std::string_view begin, std::string_view end) {
    const std::size_t from = text.find(begin);
    if (from == std::string_view::npos) return {};
    text.remove_prefix(from + begin.size());
    return text.substr(0, text.find(end));
}

/// Follows the events of the parser: nesting, keys that stand twice, and the place of the first error.
class Checker : public nlohmann::json_sax<Json> {
public:
    Checker(std::string_view text, std::string_view source_name) : text_(text), source_name_(source_name) {}

    bool null() override { return value(); }
    bool boolean(bool) override { return value(); }
    bool number_integer(number_integer_t) override { return value(); }
    bool number_unsigned(number_unsigned_t) override { return value(); }
    bool number_float(number_float_t, const string_t&) override { return value(); }
    bool string(string_t&) override { return value(); }
    bool binary(binary_t&) override { return value(); }
    bool start_object(std::size_t) override { return enter(); }
    bool end_object() override { return leave(); }
    bool start_array(std::size_t) override { return enter(); }
    bool end_array() override { return leave(); }

    bool key(string_t& name) override {
        Level& level = levels_.back();
        level.key = name;
        if (level.keys.insert(name).second) return true;
        throw ConfigurationError(fmt::format("{}: {}: this key stands twice in its object", source_name_, pointer()));
    }

    bool parse_error(std::size_t position, const std::string& token,
                     const nlohmann::detail::exception& error) override {
        const std::string_view message = error.what();
        const bool out_of_range = error.id == 406;
        if (out_of_range || message.find("unexpected ") != std::string_view::npos) {
            const bool at_end = message.find("unexpected end of input") != std::string_view::npos;
            const std::size_t start = at_end ? text_.size() : position - std::min(position, token.size());
            fail(start, at_end ? "the end of the text" : quote_token(token),
                 out_of_range ? "a number that fits a double" : expectation(message, token));
        }
        fail_at_character(position == 0 ? 0 : position - 1, message);
    }

private:
    struct Level {
        std::set<std::string> keys;
        std::string key;
    };

    bool value() { return true; }
    bool enter() {
        if (levels_.size() >= static_cast<std::size_t>(kMaxConfigurationDepth)) {
            throw ConfigurationError(
                fmt::format("{}: {}: nested deeper than {} levels", source_name_, pointer(), kMaxConfigurationDepth));
        }
        levels_.emplace_back();
        return true;
    }
    bool leave() {
        levels_.pop_back();
        return true;
    }

    std::string pointer() const {
        std::string result;
        for (const Level& level : levels_) result += "/" + pointer_token(level.key);
        return result;
    }

    static std::string quote_token(const std::string& token) {
        const bool is_text = !token.empty() && token.front() == '"';
        return is_text ? token : fmt::format("'{}'", token);
    }

    static std::string expectation(std::string_view message, std::string_view token) {
        const std::string_view expected = between(message, "; expected ", "\n");
        if (expected == "string literal") {
            return token == "}" ? "a key in double quotes (is there a comma too many before it?)"
                                : "a key in double quotes";
        }
        if (expected == "end of input") return "the end of the text";
        if (expected == "'['" || expected == "'{'" || expected.substr(0, 3) == "'['") {
            return std::string(kAValue) + (token == "]" ? " (is there a comma too many before it?)" : "");
        }
        if (expected == "']'" || expected == "'}'") return fmt::format("',' or {}", expected);
        return std::string(expected);
    }

    /// A token that is none: the parser stopped at `offset`, somewhere inside it.
    [[noreturn]] void fail_at_character(std::size_t offset, std::string_view message) const {
        std::string_view reason = between(message, " - ", "; last read");
        if (reason.substr(0, 15) == "invalid literal") {
            while (offset > 0 && offset <= text_.size() && is_word(text_[offset - 1])) --offset;
            const bool comment = offset < text_.size() && (text_[offset] == '/' || text_[offset] == '#');
            fail(offset, quote_at(text_, offset),
                 std::string(kAValue) + (comment ? "; JSON has no comments, write a \"comment\" key instead" : ""));
        }
        if (reason.find("ill-formed UTF-8") != std::string_view::npos) {
            fail(offset, quote_at(text_, offset), "text in UTF-8");
        }
        if (reason.find("missing closing quote") != std::string_view::npos) {
            fail(text_.size(), "the end of the text", "a closing double quote");
        }
        if (reason.find("control character") != std::string_view::npos) {
            fail(offset, quote_at(text_, offset), "a closing double quote on the same line");
        }
        const std::string_view expected = between(reason, "expected ", "\n");
        if (!expected.empty()) fail(offset, quote_at(text_, offset), std::string(expected));
        fail(offset, quote_at(text_, offset), fmt::format("JSON text ({})", reason));
    }

    [[noreturn]] void fail(std::size_t offset, const std::string& found, const std::string& expected) const {
        const Position position = position_of(text_, offset);
        throw ConfigurationError(fmt::format("{}:{}:{}: found {}, expected {}", source_name_, position.line,
                                             position.column, found, expected));
    }

    std::string_view text_;
    std::string_view source_name_;
    std::vector<Level> levels_;
};

}  // namespace

Json parse_object(std::string_view text, std::string_view source_name) {
    if (text.size() > kMaxConfigurationBytes) {
        throw ConfigurationError(
            fmt::format("{}: found more than {} bytes, expected a configuration", source_name, kMaxConfigurationBytes));
    }
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
        throw ConfigurationError(fmt::format("{}:1:1: found no text, expected a JSON object", source_name));
    }
    Checker checker(text, source_name);
    Json::sax_parse(text, &checker);
    Json document = Json::parse(text);
    if (!document.is_object()) {
        const std::size_t start = text.find_first_not_of(" \t\r\n");
        const Position position = position_of(text, start);
        throw ConfigurationError(fmt::format("{}:{}:{}: found a JSON {}, expected a JSON object", source_name,
                                             position.line, position.column, document.type_name()));
    }
    return document;
}

std::string pointer_token(std::string_view key) {
    std::string token;
    for (const char c : key) {
        if (c == '~') {
            token += "~0";
        } else if (c == '/') {
            token += "~1";
        } else {
            token += c;
        }
    }
    return token;
}

}  // namespace vcore::engine
