#include "testbenches/runner/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace vcore::runner {
namespace {

using Step = Expression::Step;
using Kind = Expression::Step::Kind;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// Recursive descent over one expression: sum = product {(+|-) product}, product = factor {* factor}.
class ExpressionParser {
public:
    ExpressionParser(const Scanner& scanner, std::string_view text, NameResolver& names, bool blanks)
        : scanner_(scanner), text_(text), names_(names), blanks_(blanks) {}

    Expression parse() {
        sum();
        skip_blanks();
        if (offset_ < text_.size()) scanner_.fail(rest(), "an operator (+ - *) or the end of the expression");
        return {scanner_.position(text_.data()), std::move(steps_)};
    }

private:
    void sum() {
        product();
        while (true) {
            if (accept('+')) {
                product();
                steps_.push_back({Kind::add});
            } else if (accept('-')) {
                product();
                steps_.push_back({Kind::subtract});
            } else {
                return;
            }
        }
    }

    void product() {
        factor();
        while (accept('*')) {
            factor();
            steps_.push_back({Kind::multiply});
        }
    }

    void factor() {
        if (++depth_ > kDeepestExpression) {
            scanner_.complain(rest(),
                              fmt::format("found an expression that nests more than {0} deep, expected at most {0}",
                                          kDeepestExpression));
        }
        if (accept('-')) {
            negated_factor();
        } else if (accept('(')) {
            parenthesis();
        } else {
            operand();
        }
        --depth_;
    }

    void negated_factor() {
        skip_blanks();
        // The most negative number has no positive counterpart, so the sign belongs to the literal.
        if (offset_ < text_.size() && is_digit(text_[offset_])) {
            number(true);
        } else {
            factor();
            steps_.push_back({Kind::negate});
        }
    }

    void parenthesis() {
        ++parentheses_;
        sum();
        if (!accept(')')) scanner_.fail(rest(), "')'");
        --parentheses_;
    }

    void operand() {
        skip_blanks();
        const char c = offset_ < text_.size() ? text_[offset_] : '\0';
        if (is_digit(c)) {
            number(false);
        } else if (is_letter(c)) {
            steps_.push_back({Kind::name, static_cast<std::int64_t>(names_.resolve(word()))});
        } else {
            scanner_.fail(rest(), "a number, a name or '('");
        }
    }

    void number(bool negative) {
        const std::string_view literal = word();
        const bool hex = literal.size() > 2 && literal[0] == '0' && (literal[1] == 'x' || literal[1] == 'X');
        const std::optional<std::uint64_t> magnitude = hex ? digits(literal.substr(2), 16) : digits(literal, 10);
        if (!magnitude) scanner_.fail(literal, "an integer of at most 64 bits");
        // A hex literal is a bit pattern and may fill all 64 bits.
        const std::uint64_t limit = std::uint64_t{std::numeric_limits<std::int64_t>::max()} + (negative ? 1 : 0);
        if (*magnitude > limit && !(hex && !negative)) {
            scanner_.complain(literal,
                              fmt::format("found {}, expected a number that fits 64 bits, signed", quoted(literal)));
        }
        steps_.push_back({Kind::literal, static_cast<std::int64_t>(negative ? 0 - *magnitude : *magnitude)});
    }

    static std::optional<std::uint64_t> digits(std::string_view text, std::uint64_t radix) {
        std::uint64_t result = 0;
        for (const char c : text) {
            std::uint64_t digit = radix;
            if (is_digit(c)) digit = static_cast<std::uint64_t>(c - '0');
            if (c >= 'a' && c <= 'f') digit = static_cast<std::uint64_t>(c - 'a' + 10);
            if (c >= 'A' && c <= 'F') digit = static_cast<std::uint64_t>(c - 'A' + 10);
            if (digit >= radix || __builtin_mul_overflow(result, radix, &result) ||
                __builtin_add_overflow(result, digit, &result)) {
                return std::nullopt;
            }
        }
        return result;
    }

    std::string_view word() {
        const std::size_t start = offset_;
        while (offset_ < text_.size() && (is_letter(text_[offset_]) || is_digit(text_[offset_]))) ++offset_;
        return text_.substr(start, offset_ - start);
    }

    bool accept(char c) {
        skip_blanks();
        if (offset_ == text_.size() || text_[offset_] != c) return false;
        ++offset_;
        return true;
    }

    void skip_blanks() {
        if (!blanks_ && parentheses_ == 0) return;
        while (offset_ < text_.size() && (text_[offset_] == ' ' || text_[offset_] == '\t')) ++offset_;
    }

    std::string_view rest() const { return text_.substr(offset_); }

    const Scanner& scanner_;
    std::string_view text_;
    NameResolver& names_;
    bool blanks_;
    std::size_t offset_ = 0;
    std::size_t depth_ = 0;
    std::size_t parentheses_ = 0;
    std::vector<Step> steps_;
};

}  // namespace

Expression::Expression(Position where, std::vector<Step> steps) : where_(where), steps_(std::move(steps)) {
    if (steps_.size() == 1 && steps_[0].kind == Kind::literal) {
        constant_ = true;
        value_ = steps_[0].operand;
    }
}

bool Expression::uses(Slot slot) const {
    return std::any_of(steps_.begin(), steps_.end(),
                       [slot](const Step& step) { return step.kind == Kind::name && step.operand == slot; });
}

void Expression::fold(const std::vector<std::optional<std::int64_t>>& known) {
    if (constant_) return;
    std::vector<std::int64_t> values(known.size());
    for (const Step& step : steps_) {
        if (step.kind != Kind::name) continue;
        const auto slot = static_cast<std::size_t>(step.operand);
        if (!known[slot]) return;
        values[slot] = *known[slot];
    }
    value_ = run(values.data());
    constant_ = true;
}

std::int64_t Expression::run(const std::int64_t* values) const {
    // Each level of nesting holds at most three values: a sum, a product and the operand being read.
    std::array<std::int64_t, 3 * kDeepestExpression + 3> stack;
    std::int64_t* top = stack.data();
    bool overflow = false;
    for (const Step& step : steps_) {
        switch (step.kind) {
            case Kind::literal: *top++ = step.operand; break;
            case Kind::name: *top++ = values[step.operand]; break;
            case Kind::add:
                --top;
                overflow |= __builtin_add_overflow(top[-1], top[0], &top[-1]);
                break;
            case Kind::subtract:
                --top;
                overflow |= __builtin_sub_overflow(top[-1], top[0], &top[-1]);
                break;
            case Kind::multiply:
                --top;
                overflow |= __builtin_mul_overflow(top[-1], top[0], &top[-1]);
                break;
            case Kind::negate: overflow |= __builtin_sub_overflow(std::int64_t{0}, top[-1], &top[-1]); break;
        }
    }
    if (overflow)
        throw ProgramError(where_, "found an expression that overflows, expected one that fits 64 bits, signed");
    return top[-1];
}

Expression parse_expression(const Scanner& scanner, std::string_view text, NameResolver& names, bool blanks) {
    return ExpressionParser(scanner, text, names, blanks).parse();
}

bool is_name(std::string_view text) {
    return !text.empty() && is_letter(text[0]) &&
           std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

}  // namespace vcore::runner
