#include "testbenches/runner/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace vcore::runner {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kQuotedCharacters = 40;

bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

/// Bytes of a UTF-8 character after its first.
bool continues_character(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

}  // namespace

std::string ProgramError::text(std::string_view file) const {
    return fmt::format("{}:{}:{}: error: {}", file, where_.line, where_.column, what());
}

std::string quoted(std::string_view text) {
    std::string result = "'";
    std::size_t characters = 0;
    for (const char c : text) {
        if (!continues_character(c) && ++characters > kQuotedCharacters) {
            result += "…";
            break;
        }
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
            result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        } else {
            result += c;
        }
    }
    return result + "'";
}

Scanner::Scanner(std::string_view text) : text_(text) {
    if (text_.substr(0, kByteOrderMark.size()) == kByteOrderMark) text_.remove_prefix(kByteOrderMark.size());
}

bool Scanner::next_line() {
    while (true) {
        if (line_ > 0) {
            const std::size_t end = text_.find('\n', offset_);
            if (end == std::string_view::npos) {
                offset_ = text_.size();
                return false;
            }
            offset_ = end + 1;
        }
        ++line_;
        line_start_ = offset_;
        skip_blanks();
        if (!at_line_end()) return true;
        if (offset_ == text_.size()) return false;
    }
}

void Scanner::skip_blanks() {
    while (offset_ < text_.size() && is_blank(text_[offset_])) ++offset_;
}

bool Scanner::at_line_end() const {
    if (offset_ == text_.size()) return true;
    const char c = text_[offset_];
    if (c == '\n' || c == '#') return true;
    return c == '\r' && (offset_ + 1 == text_.size() || text_[offset_ + 1] == '\n');
}

std::string_view Scanner::field() {
    skip_blanks();
    if (at_line_end()) return text_.substr(offset_, 0);
    const char c = text_[offset_];
    if (c == '{' || c == '}') return text_.substr(offset_++, 1);
    return c == '"' ? string_field() : word_field();
}

std::string_view Scanner::peek() {
    const std::size_t offset = offset_;
    const std::string_view next = field();
    offset_ = offset;
    return next;
}

std::string_view Scanner::string_field() {
    const std::size_t start = offset_;
    const std::size_t end = text_.find_first_of("\"\n", start + 1);
    if (end == std::string_view::npos || text_[end] != '"') {
        complain(text_.substr(start, 1), "found a string that does not end, expected '\"' before the end of the line");
    }
    offset_ = end + 1;
    return text_.substr(start, offset_ - start);
}

std::string_view Scanner::word_field() {
    const std::size_t start = offset_;
    std::vector<std::size_t> open;
    for (; !at_line_end(); ++offset_) {
        const char c = text_[offset_];
        if (c == '(' || c == '[') open.push_back(offset_);
        if ((c == ')' || c == ']') && !open.empty()) open.pop_back();
        if (open.empty() && (is_blank(c) || c == '{' || c == '}' || c == '"')) break;
    }
    if (!open.empty()) {
        const std::string_view bracket = text_.substr(open.back(), 1);
        complain(bracket, fmt::format("found {} that is not closed, expected '{}' before the end of the line",
                                      quoted(bracket), bracket == "(" ? ')' : ']'));
    }
    return text_.substr(start, offset_ - start);
}

Position Scanner::position(const char* character) const {
    const std::string_view before =
        text_.substr(line_start_, static_cast<std::size_t>(character - text_.data()) - line_start_);
    const auto continuations = std::count_if(before.begin(), before.end(), continues_character);
    return {line_, static_cast<std::uint32_t>(before.size() - static_cast<std::size_t>(continuations) + 1)};
}

std::string Scanner::found(std::string_view field) const {
    if (!field.empty()) return quoted(field);
    const auto offset = static_cast<std::size_t>(field.data() - text_.data());
    return offset == text_.size() ? "end of file" : "end of line";
}

void Scanner::fail(std::string_view found_field, std::string_view expected) const {
    throw SyntaxError(position(found_field.data()), fmt::format("found {}, expected {}", found(found_field), expected));
}

void Scanner::complain(std::string_view at, const std::string& message) const {
    throw ProgramError(position(at.data()), message);
}

}  // namespace vcore::runner
