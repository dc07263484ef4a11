#include "testbenches/kernels/rewriter/rewrite.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

namespace vcore::kernels {
namespace {

constexpr auto kNone = std::string_view::npos;

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}
bool is_blank(char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0;
}

/// Source text, and which of its characters are code: not in a comment, a string or a character.
class Source {
public:
    explicit Source(std::string_view text) : text_(text), code_(text.size(), true) { find_code(); }

    std::string_view text() const { return text_; }
    std::size_t size() const { return text_.size(); }
    /// A character of code, else a blank.
    char at(std::size_t i) const { return i < text_.size() && code_[i] ? text_[i] : ' '; }
    /// The text with comments, strings and characters blanked out.
    std::string code() const {
        std::string result(text_);
        for (std::size_t i = 0; i < size(); ++i) {
            if (!code_[i] && result[i] != '\n') result[i] = ' ';
        }
        return result;
    }
    std::size_t line_of(std::size_t place) const {
        return 1 + static_cast<std::size_t>(
                       std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(place), '\n'));
    }
    bool starts(std::size_t place, std::string_view what) const {
        for (std::size_t i = 0; i < what.size(); ++i) {
            if (at(place + i) != what[i]) return false;
        }
        return true;
    }
    std::size_t skip_blanks(std::size_t place) const {
        while (place < size() && is_blank(at(place))) ++place;
        return place;
    }

private:
    void hide(std::size_t begin, std::size_t end) {
        std::fill(code_.begin() + static_cast<std::ptrdiff_t>(begin),
                  code_.begin() + static_cast<std::ptrdiff_t>(std::min(end, size())), false);
    }

    void find_code() {
        for (std::size_t i = 0; i < size();) {
            const std::size_t end = end_of_hidden(i);
            if (end > i) {
                hide(i, end);
                i = end;
            } else if (is_word(text_[i])) {
                i = end_of_word(i);
            } else {
                ++i;
            }
        }
    }

    /// Where the comment, string or character ends that begins here; the same place where none does.
    std::size_t end_of_hidden(std::size_t i) const {
        if (text_.compare(i, 2, "//") == 0) return end_of_line(i);
        if (text_.compare(i, 2, "/*") == 0) return after("*/", i + 2);
        if (text_[i] == '"' || text_[i] == '\'') return end_of_quoted(i);
        return i;
    }
    /// A comment to the end of the line goes on where the line does.
    std::size_t end_of_line(std::size_t i) const {
        while (i < size() && (text_[i] != '\n' || text_[i - 1] == '\\')) ++i;
        return i;
    }
    std::size_t after(std::string_view what, std::size_t from) const {
        const std::size_t found = text_.find(what, from);
        return found == kNone ? size() : found + what.size();
    }
    std::size_t end_of_quoted(std::size_t i) const {
        const char quote = text_[i];
        for (++i; i < size() && text_[i] != quote && text_[i] != '\n'; ++i) {
            if (text_[i] == '\\') ++i;
        }
        return i + 1;
    }
    /// Past a word, a number with its separators, and the raw string that its prefix may begin.
    std::size_t end_of_word(std::size_t i) {
        const std::size_t begin = i;
        const bool number = std::isdigit(static_cast<unsigned char>(text_[i])) != 0;
        while (i < size() &&
               (is_word(text_[i]) || (number && text_[i] == '\'' && i + 1 < size() && is_word(text_[i + 1]))))
            ++i;
        const std::string_view word = text_.substr(begin, i - begin);
        const bool raw = word == "R" || word == "u8R" || word == "uR" || word == "UR" || word == "LR";
        if (!raw || i >= size() || text_[i] != '"') return i;
        const std::size_t open = text_.find('(', i);
        if (open == kNone) return i;
        const std::string close = ")" + std::string(text_.substr(i + 1, open - i - 1)) + "\"";
        const std::size_t end = after(close, open);
        hide(i, end);
        return end;
    }

    std::string_view text_;
    std::vector<bool> code_;
};

/// A stretch of the text and what stands there instead.
struct Edit {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string text;
};

class Rewriter {
public:
    explicit Rewriter(std::string_view text) : source_(text) {}

    std::string run() {
        for (std::size_t i = 0; i < source_.size();) {
            std::optional<Edit> edit;
            if (source_.starts(i, "<<<")) {
                edit = launch(i);
            } else if (word_at(i) == "__ubuf__") {
                edit = local_array(i);
            }
            if (edit) {
                i = edit->end;
                edits_.push_back(std::move(*edit));
            } else {
                i = next_place(i);
            }
        }
        return apply();
    }

private:
    std::size_t next_place(std::size_t i) const {
        if (source_.starts(i, "<<<")) {
            while (source_.at(i) == '<') ++i;
            return i;
        }
        if (!is_word(source_.at(i))) return i + 1;
        while (is_word(source_.at(i))) ++i;
        return i;
    }
    /// The whole word that begins here.
    std::string_view word_at(std::size_t i) const {
        if (!is_word(source_.at(i)) || (i > 0 && is_word(source_.at(i - 1)))) return {};
        std::size_t end = i;
        while (is_word(source_.at(end))) ++end;
        return source_.text().substr(i, end - i);
    }
    std::string piece(std::size_t begin, std::size_t end) const {
        return std::string(source_.text().substr(begin, end - begin));
    }

    std::string apply() const {
        std::string result;
        std::size_t done = 0;
        for (const Edit& edit : edits_) {
            result += source_.text().substr(done, edit.begin - done);
            result += edit.text;
            done = edit.end;
        }
        return result + std::string(source_.text().substr(done));
    }

    // ---- brackets

    /// The closing bracket of the one at `open`, or kNone.
    std::size_t closing(std::size_t open) const {
        std::size_t depth = 0;
        for (std::size_t i = open; i < source_.size(); ++i) {
            const char c = source_.at(i);
            if (c == '(' || c == '[' || c == '{') ++depth;
            if ((c == ')' || c == ']' || c == '}') && --depth == 0) return i;
        }
        return kNone;
    }
    /// Where the template arguments begin that end before `end`; kNone where none do.
    std::size_t opening_angle(std::size_t end) const {
        int angles = 0;
        int brackets = 0;
        for (std::size_t i = end; i-- > 0;) {
            const char c = source_.at(i);
            if (c == ')' || c == ']' || c == '}') ++brackets;
            if (c == '(' || c == '[' || c == '{') {
                if (--brackets < 0) return kNone;
            }
            if (c == ';' && brackets == 0) return kNone;
            if (brackets > 0) continue;
            if (c == '>' && (i == 0 || source_.at(i - 1) != '-')) ++angles;
            if (c == '<' && --angles == 0) return i;
        }
        return kNone;
    }
    std::size_t before_blanks(std::size_t end) const {
        while (end > 0 && is_blank(source_.at(end - 1))) --end;
        return end;
    }

    // ---- launches

    /// Where the name of a kernel begins that ends before `end`: words joined by ::, each with template arguments or
    /// not. kNone: there is no name.
    std::size_t name_before(std::size_t end) const {
        std::size_t begin = kNone;
        while (true) {
            std::size_t place = before_blanks(end);
            if (place > 0 && source_.at(place - 1) == '>') {
                place = opening_angle(place);
                if (place == kNone) return kNone;
                place = before_blanks(place);
            }
            std::size_t word = place;
            while (word > 0 && is_word(source_.at(word - 1))) --word;
            if (word == place) return begin;
            const std::string_view name = source_.text().substr(word, place - word);
            if (name == "operator" || name == "return") return begin;
            begin = word;
            place = before_blanks(word);
            if (place < 2 || !source_.starts(place - 2, "::")) return begin;
            begin = place - 2;
            end = place - 2;
        }
    }

    /// `open` is at <<<. Nothing where it is no launch.
    std::optional<Edit> launch(std::size_t open) const {
        const std::size_t name = name_before(open);
        if (name == kNone || source_.at(open + 3) == '<') return std::nullopt;
        std::size_t close = open + 3;
        std::size_t commas = 0;
        for (;; ++close) {
            if (close >= source_.size() || source_.at(close) == ';') return std::nullopt;
            const char c = source_.at(close);
            if (c == '(' || c == '[' || c == '{') {
                close = closing(close);
                if (close == kNone) return std::nullopt;
            } else if (c == ',') {
                ++commas;
            } else if (commas >= 1 && source_.starts(close, ">>>") &&
                       source_.at(source_.skip_blanks(close + 3)) == '(') {
                break;
            }
        }
        if (commas > 2) {
            throw RewriteError(source_.line_of(open), "a launch with " + std::to_string(commas + 1) +
                                                          " arguments between <<< and >>>: expected 2 or 3");
        }
        const std::size_t arguments = source_.skip_blanks(close + 3);
        const std::size_t end = closing(arguments);
        if (end == kNone) throw RewriteError(source_.line_of(arguments), "the arguments of a launch are not closed");
        Edit edit;
        edit.begin = name;
        edit.end = end + 1;
        edit.text = "::vcore::kernels::launch(" + piece(open + 3, close) + ", [&] { " + piece(name, open) +
                    piece(close + 3, end + 1) + "; })";
        return edit;
    }

    // ---- arrays in the UB

    /// `place` is at __ubuf__. Nothing where it belongs to a pointer, a parameter or a type.
    std::optional<Edit> local_array(std::size_t place) const {
        // Up to the first bracket: words, ::, template arguments; the last word is the name.
        std::size_t bracket = place;
        int angles = 0;
        while (bracket < source_.size()) {
            const char c = source_.at(bracket);
            if (c == '<') ++angles;
            if (c == '>') --angles;
            if (angles == 0 && (c == '*' || c == '&' || c == '(' || c == ')' || c == ';' || c == '=' || c == ',' ||
                                c == '{' || c == '}')) {
                return std::nullopt;
            }
            if (angles == 0 && c == '[') break;
            ++bracket;
        }
        if (bracket >= source_.size()) return std::nullopt;
        const std::size_t name_end = before_blanks(bracket);
        std::size_t name = name_end;
        while (name > 0 && is_word(source_.at(name - 1))) --name;

        const std::size_t begin = declaration_before(place);
        std::string type = element_type(begin, name);
        if (type.empty()) return std::nullopt;
        Edit edit;
        edit.begin = begin;
        std::size_t first = name;  // of the declarator
        std::string lead;
        while (true) {
            std::size_t last = first;
            while (is_word(source_.at(last))) ++last;
            const std::string declared = piece(first, last);
            if (declared.empty() || declared == type) return std::nullopt;
            std::string sizes;
            std::size_t next = source_.skip_blanks(last);
            while (source_.at(next) == '[') {
                const std::size_t close = closing(next);
                if (close == kNone) return std::nullopt;
                const std::string size = piece(next + 1, close);
                if (before_blanks(close) == source_.skip_blanks(next) + 1 && size.find_first_not_of(" \t\n") == kNone) {
                    return std::nullopt;  // T name[]: a parameter
                }
                sizes += "[(" + size + ")]";
                next = source_.skip_blanks(close + 1);
            }
            if (sizes.empty()) return std::nullopt;
            const char after = source_.at(next);
            if (after == '=' || after == '{') {
                throw RewriteError(source_.line_of(next), "the __ubuf__ array '" + declared +
                                                              "' has an initialiser: the UB cannot be initialised, "
                                                              "write its elements instead");
            }
            if (after != ';' && after != ',') return std::nullopt;  // a parameter, a type
            edit.text += lead + "auto& " + declared + " = ::vcore::kernels::local_array<" + type + sizes +
                         ">([] {}, \"" + declared + "\")";
            if (after == ';') {
                edit.end = next;
                break;
            }
            const std::size_t following = source_.skip_blanks(next + 1);
            lead = ";" + piece(next + 1, following);
            first = following;
            std::size_t after_name = first;
            while (is_word(source_.at(after_name))) ++after_name;
            if (source_.at(source_.skip_blanks(after_name)) != '[') return std::nullopt;  // `, T other)`: parameters
        }
        // Lines inside the declaration are kept behind it.
        const std::size_t lines = source_.line_of(edit.end) - source_.line_of(edit.begin);
        const auto kept = static_cast<std::size_t>(std::count(edit.text.begin(), edit.text.end(), '\n'));
        edit.text.append(lines - std::min(lines, kept), '\n');
        return edit;
    }

    /// Where the declaration begins: also what stands before __ubuf__ in it, as `static` or a type.
    std::size_t declaration_before(std::size_t place) const {
        std::size_t begin = before_blanks(place);
        while (begin > 0) {
            const char c = source_.at(begin - 1);
            if (c == ')') {  // alignas(32), __attribute__((aligned(32)))
                std::size_t open = begin - 1;
                int depth = 0;
                while (open > 0) {
                    if (source_.at(open) == ')') ++depth;
                    if (source_.at(open) == '(' && --depth == 0) break;
                    --open;
                }
                std::size_t word = before_blanks(open);
                const std::size_t word_end = word;
                while (word > 0 && is_word(source_.at(word - 1))) --word;
                const std::string name = piece(word, word_end);
                if (name != "alignas" && name != "__attribute__" && name != "__align__") break;
                begin = before_blanks(word);
                continue;
            }
            if (!is_word(c)) break;
            std::size_t word = begin;
            while (word > 0 && is_word(source_.at(word - 1))) --word;
            begin = before_blanks(word);
        }
        // Nothing but blanks up to the first word.
        return source_.skip_blanks(begin);
    }

    /// The type between begin and the name, without what says where the array lives.
    std::string element_type(std::size_t begin, std::size_t name) const {
        std::string type;
        for (std::size_t i = begin; i < name;) {
            if (!is_word(source_.at(i))) {
                const char c = source_.at(i++);
                if (c == '\n' || (c == ' ' && (type.empty() || type.back() == ' '))) continue;
                type += c;
                continue;
            }
            std::size_t end = i;
            while (is_word(source_.at(end))) ++end;
            const std::string word = piece(i, end);
            i = end;
            if (word == "alignas" || word == "__attribute__" || word == "__align__") {
                i = closing(source_.skip_blanks(i));
                if (i == kNone) return "";
                ++i;
                continue;
            }
            if (word == "static" || word == "__ubuf__" || word == "volatile") continue;
            if (word == "typedef" || word == "using" || word == "extern" || word == "return" || word == "define")
                return "";
            type += word;
        }
        while (!type.empty() && type.back() == ' ') type.pop_back();
        return type;
    }

    Source source_;
    std::vector<Edit> edits_;
};

}  // namespace

std::string rewrite(std::string_view source) {
    return Rewriter(source).run();
}

std::vector<std::string> quoted_includes(std::string_view text) {
    const Source source(text);
    const std::string code = source.code();
    std::vector<std::string> names;
    for (std::size_t i = code.find("include"); i != kNone; i = code.find("include", i + 1)) {
        // `# include` at the begin of a line; the name itself is a string, and no code.
        std::size_t before = i;
        while (before > 0 && (code[before - 1] == ' ' || code[before - 1] == '\t')) --before;
        if (before == 0 || code[before - 1] != '#') continue;
        const std::size_t open = text.find_first_not_of(" \t", i + 7);
        if (open == kNone || text[open] != '"') continue;
        const std::size_t close = text.find_first_of("\"\n", open + 1);
        if (close == kNone || text[close] != '"') continue;
        names.emplace_back(text.substr(open + 1, close - open - 1));
    }
    return names;
}

}  // namespace vcore::kernels
