// Integer expressions of program text: addresses, counts, bounds and options.
//
// Source: `vprog.md` "Expressions": integers, `let` names, loop variables, + - * ( ), usual precedence, 64-bit signed;
// overflow is an error. Names are resolved to slots of an array while parsing: evaluation knows no strings.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "testbenches/runner/text.hpp"

namespace vcore::runner {

/// Index of a name's value in the array of values that evaluation reads.
using Slot = std::uint32_t;

/// Nesting limit of ( ), so that no text can exhaust the stack.
inline constexpr std::size_t kDeepestExpression = 200;

class Expression {
public:
    /// One step of a stack machine.
    struct Step {
        enum class Kind : std::uint8_t { literal, name, add, subtract, multiply, negate };
        Kind kind{};
        std::int64_t operand = 0;  ///< the literal, or the slot
    };

    Expression() : Expression(0) {}
    explicit Expression(std::int64_t literal) : constant_(true), value_(literal) {}
    /// Steps in postfix order that leave one value.
    Expression(Position where, std::vector<Step> steps);

    /// Throws ProgramError on overflow.
    std::int64_t evaluate(const std::int64_t* values) const { return constant_ ? value_ : run(values); }

    bool is_constant() const { return constant_; }
    std::optional<std::int64_t> constant() const {
        return constant_ ? std::optional<std::int64_t>(value_) : std::nullopt;
    }
    bool uses(Slot slot) const;
    Position where() const { return where_; }

    /// Becomes a constant where every name's value is known. Throws ProgramError on overflow.
    void fold(const std::vector<std::optional<std::int64_t>>& known);

private:
    std::int64_t run(const std::int64_t* values) const;

    bool constant_ = false;
    std::int64_t value_ = 0;
    Position where_;
    std::vector<Step> steps_;
};

/// Finds the slot of a name; throws ProgramError where there is none.
class NameResolver {
public:
    virtual Slot resolve(std::string_view name) = 0;

protected:
    ~NameResolver() = default;
};

/// Parses `text`, a part of the scanner's current line, as one expression. Blanks are allowed inside ( ), and
/// everywhere when `blanks` is set (between [ ]).
Expression parse_expression(const Scanner& scanner, std::string_view text, NameResolver& names, bool blanks);

/// Whether `text` is a name: a letter or _, then letters, digits and _.
bool is_name(std::string_view text);

}  // namespace vcore::runner
