// Program text, cut into lines and fields, and the errors that point into it.
//
// A field is what stands between blanks; blanks inside ( ) and [ ] do not end it, braces are fields of their own, and
// so is a "string". A comment runs from # to the end of the line. Lines end in LF or CR LF; the last one may have no
// end.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace vcore::runner {

/// A place in program text, both counted from 1. Columns count characters (UTF-8 code points); a tab is one.
struct Position {
    std::uint32_t line = 0;
    std::uint32_t column = 0;
};

/// Program text that cannot be run: what was found, what was expected, and where.
class ProgramError : public std::runtime_error {
public:
    ProgramError(Position where, const std::string& message) : std::runtime_error(message), where_(where) {}

    Position where() const { return where_; }
    /// "first.vprog:3:8: error: found 'v9', expected …"
    std::string text(std::string_view file) const;

private:
    Position where_;
};

/// Text that breaks the form of its statement.
class SyntaxError : public ProgramError {
public:
    using ProgramError::ProgramError;
};

/// Walks program text line by line, field by field. The text must outlive the scanner and its fields.
class Scanner {
public:
    explicit Scanner(std::string_view text);

    /// Moves to the next line that has a field; false at the end of the text. Whatever is left of this line is skipped.
    bool next_line();

    /// The next field of the line, or an empty one at the end of the line. Throws ProgramError for a bracket or string
    /// that is not closed on its line.
    std::string_view field();
    /// The same without moving on.
    std::string_view peek();

    /// Line number of the current line.
    std::uint32_t line() const { return line_; }
    /// Where a character of the current line stands.
    Position position(const char* character) const;

    /// Throws the SyntaxError "found …, expected …" at a field of the current line, or at a part of one.
    [[noreturn]] void fail(std::string_view found, std::string_view expected) const;
    /// Throws a ProgramError at a field that has the right form, and still cannot be.
    [[noreturn]] void complain(std::string_view at, const std::string& message) const;

private:
    void skip_blanks();
    bool at_line_end() const;
    std::string_view string_field();
    std::string_view word_field();
    std::string found(std::string_view field) const;

    std::string_view text_;
    std::size_t offset_ = 0;
    std::size_t line_start_ = 0;
    std::uint32_t line_ = 0;
};

/// A piece of text as a message quotes it: 'v9', cut off after 40 characters, control characters spelled out.
std::string quoted(std::string_view text);

}  // namespace vcore::runner
