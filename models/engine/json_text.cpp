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

/// What stands at `offset`: a word, one character, or nothing at the end.
std::string quote_at(std::string_view text, std::size_t offset) {
    if (offset >= text.size()) return {};
    std::size_t end = offset;
    while (end < text.size() && end - offset < 40 && is_word(text[end])) ++end;
    if (end > offset) return std::string(text.substr(offset, end - offset));
    const auto byte = static_cast<unsigned char>(text[offset]);
    if (byte < 0x20 || byte >= 0x7F) return fmt::format("\\x{:02X}", byte);
    return std::string(1, text[offset]);
}

/// As a message shows it; texts have their own quotes.
std::string quoted(const std::string& found) {
    if (found.empty()) return "the end of the text";
    return found.front() == '"' && found.size() > 1 ? found : fmt::format("'{}'", found);
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

    /// The parser would take one for the end of the text and pass over what follows.
    void refuse_zero_bytes() const {
        const std::size_t offset = text_.find('\0');
        if (offset != std::string_view::npos) fail(offset, quote_at(text_, offset), "text in UTF-8");
    }

    bool null() override { return value(); }
    bool boolean(bool) override { return value(); }
    bool number_integer(number_integer_t) override { return value(); }
    bool number_unsigned(number_unsigned_t) override { return value(); }
    bool number_float(number_float_t, const string_t&) override { return value(); }
    bool string(string_t&) override { return value(); }
    bool binary(binary_t&) override { return value(); }
    bool start_object(std::size_t) override { return enter(false); }
    bool end_object() override { return leave(); }
    bool start_array(std::size_t) override { return enter(true); }
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
        const bool overflow = error.id == 406;
        if (overflow) fail(position - token.size(), token, "a number that fits a double");
        const std::string_view unexpected = between(message, "unexpected ", ";");
        if (unexpected.empty()) fail_inside_token(position == 0 ? 0 : position - 1, message);
        const std::string found = token_of(unexpected, token);
        fail(found.empty() ? text_.size() : position - found.size(), found, expectation(message, found));
    }

private:
    struct Level {
        std::set<std::string> keys;
        std::string key;  ///< the one whose value comes next; in a list, the index
        bool list = false;
        std::size_t items = 0;
    };

    bool value() {
        if (!levels_.empty() && levels_.back().list) levels_.back().key = std::to_string(levels_.back().items++);
        return true;
    }
    bool enter(bool list) {
        value();
        if (levels_.size() >= static_cast<std::size_t>(kMaxConfigurationDepth)) {
            throw ConfigurationError(
                fmt::format("{}: {}: nested deeper than {} levels", source_name_, pointer(), kMaxConfigurationDepth));
        }
        levels_.emplace_back();
        levels_.back().list = list;
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

    /// The text of a whole token that the parser did not expect; empty at the end of the text. `read` is what the
    /// lexer read last: it starts anew at strings and numbers only.
    static std::string token_of(std::string_view kind, const std::string& read) {
        if (kind == "end of input") return {};
        if (kind == "string literal" || kind == "number literal") return read;
        if (kind.front() == '\'') return std::string(kind.substr(1, 1));
        return std::string(kind.substr(0, kind.find(' ')));  // "true literal"
    }

    /// What the parser expected, in a user's words; `found` is the token that stood there.
    static std::string expectation(std::string_view message, std::string_view found) {
        const std::string_view expected = between(message, "; expected ", "\n");
        const std::string hint = found == "}" || found == "]" ? " (is the comma before it one too many?)" : "";
        if (expected == "string literal") return "a key in double quotes" + hint;
        if (expected == "end of input") return "the end of the text";
        if (expected == "']'" || expected == "'}'") return fmt::format("',' or {}", expected);
        if (expected == "':'") return std::string(expected);
        return std::string(kAValue) + hint;
    }

    /// A token that is none: the lexer stopped at `offset`, somewhere inside it.
    [[noreturn]] void fail_inside_token(std::size_t offset, std::string_view message) const {
        const std::string_view reason = between(message, " - ", "; last read");
        const auto is = [&](std::string_view text) { return reason.find(text) != std::string_view::npos; };
        if (is("invalid literal")) {
            while (offset > 0 && offset <= text_.size() && is_word(text_[offset - 1])) --offset;
            const bool comment = offset < text_.size() && (text_[offset] == '/' || text_[offset] == '#');
            fail(offset, quote_at(text_, offset),
                 expectation(message, "") + (comment ? "; JSON has no comments, write a \"comment\" key instead" : ""));
        }
        if (is("ill-formed UTF-8")) {
            const bool cut_short = offset > 0 && offset < text_.size() && (text_[offset] & 0x80) == 0;
            if (cut_short) --offset;
            fail(offset, quote_at(text_, offset), "text in UTF-8");
        }
        if (is("missing closing quote")) fail(text_.size(), "", "a closing double quote");
        if (is("control character")) {
            fail(offset, quote_at(text_, offset), "a closing double quote on the same line");
        }
        if (is("after backslash") || is("hex digits")) {
            fail(offset, quote_at(text_, offset),
                 "an escape of JSON (\\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\u and 4 hex digits)");
        }
        if (is("surrogate")) fail(offset, quote_at(text_, offset), "both halves of a surrogate pair");
        if (is("invalid number")) fail(offset, quote_at(text_, offset), "a digit");
        fail(offset, quote_at(text_, offset), fmt::format("JSON text ({})", reason));
    }

    [[noreturn]] void fail(std::size_t offset, const std::string& found, const std::string& expected) const {
        const Position position = position_of(text_, offset);
        throw ConfigurationError(fmt::format("{}:{}:{}: found {}, expected {}", source_name_, position.line,
                                             position.column, quoted(found), expected));
    }

    std::string_view text_;
    std::string_view source_name_;
    std::vector<Level> levels_;
};

}  // namespace

Json parse_json(std::string_view text, std::string_view source_name) {
    if (text.size() > kMaxConfigurationBytes) {
        throw ConfigurationError(
            fmt::format("{}: found more than {} bytes, expected a configuration", source_name, kMaxConfigurationBytes));
    }
    Checker checker(text, source_name);
    checker.refuse_zero_bytes();
    Json::sax_parse(text, &checker);
    return Json::parse(text);
}

Json parse_object(std::string_view text, std::string_view source_name) {
    const std::size_t start = text.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos) {
        throw ConfigurationError(fmt::format("{}:1:1: found no text, expected a JSON object", source_name));
    }
    Json document = parse_json(text, source_name);
    if (!document.is_object()) {
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
