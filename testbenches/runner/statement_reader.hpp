// Reads the operands of one statement: what stands in order, and options (name=expression) in any place between.
//
// Every read throws a ProgramError that names what was found and what was expected.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/isa/element_type.hpp"
#include "models/isa/ids.hpp"
#include "models/isa/ops.hpp"
#include "testbenches/runner/expression.hpp"
#include "testbenches/runner/names.hpp"
#include "testbenches/runner/program.hpp"
#include "testbenches/runner/text.hpp"

namespace vcore::runner {

class StatementReader {
public:
    /// `options`: names of the options that the statement takes.
    StatementReader(Scanner& scanner, Names& names, const std::vector<std::string>& options = {})
        : scanner_(scanner), names_(names), known_(options) {}

    // ---- operands in order

    /// The next field that is no option; empty at the end of the line.
    std::string_view word();
    std::string_view peek_word();
    Expression expression(std::string_view expected);
    /// "[A]"
    Expression address();
    isa::VregId vector_register();
    /// "v4", or "v4:v5" where a pair may stand.
    isa::VectorOperand vector_operand();
    isa::MregId mask_register();
    isa::ElementType type();
    /// A literal of that type, as a bit pattern.
    std::uint64_t value(isa::ElementType type);
    /// A "path" in quotes.
    FilePath path();
    bool path_follows() { return !peek_word().empty() && peek_word()[0] == '"'; }
    /// The name of a `let`.
    Slot let_name() { return names_.resolve_let(word_or_fail("the name of a let")); }
    std::string_view word_or_fail(std::string_view expected);

    // ---- options; read them after the operands

    bool has_option(std::string_view name);
    Expression option(std::string_view name);
    Expression option_or(std::string_view name, std::int64_t value);
    std::optional<Expression> optional_option(std::string_view name);
    /// The text of an option that is no plain expression.
    std::string_view option_text(std::string_view name);
    /// "LO,HI", two 64-bit words.
    std::pair<Expression, Expression> option_words(std::string_view name);

    /// Nothing may be left on the line, or nothing but the `{` of a block.
    void end_of_statement();
    void opening_brace();

    Expression parse(std::string_view text) { return parse_expression(scanner_, text, names_, false); }
    const Scanner& scanner() const { return scanner_; }
    Names& names() { return names_; }

private:
    struct Option {
        std::string_view field;  ///< "stride=8"
        std::string_view name;
        std::string_view value;
    };
    void collect_options();
    const Option* find_option(std::string_view name);
    void check_option(const Option& option) const;
    Expression word_of_bits(std::string_view text);

    Scanner& scanner_;
    Names& names_;
    std::vector<std::string> known_;
    std::vector<Option> options_;
};

/// Whether the text is a register name: the letter, then digits only.
bool is_register(std::string_view text, char letter);

}  // namespace vcore::runner
