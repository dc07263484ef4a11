#include "testbenches/sweep/formula.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace vcore::sweep {
namespace {

constexpr int kDeepest = 100;

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

}  // namespace

/// Precedence climbing: or, and, comparisons, sums, products.
class Formula::Parser {
public:
    explicit Parser(Formula& formula) : formula_(formula), rest_(formula.text_) {}

    void parse() {
        binary(0);
        if (!skip_blanks().empty()) fail();
    }

private:
    struct Operator {
        std::string_view text;
        Kind kind;
        int level;
    };

    [[noreturn]] void fail() const {
        throw FormulaError(fmt::format("formula '{}': found '{}', expected {}", formula_.text_, rest_,
                                       rest_.empty() ? "more" : "a key, a number, an operator or a parenthesis"));
    }

    std::string_view skip_blanks() {
        while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
        return rest_;
    }

    const Operator* next_operator() {
        static const Operator operators[] = {
            {"or", Kind::logical_or, 0},    {"and", Kind::logical_and, 1}, {"<=", Kind::less_equal, 2},
            {">=", Kind::greater_equal, 2}, {"==", Kind::equal, 2},        {"!=", Kind::unequal, 2},
            {"<", Kind::less, 2},           {">", Kind::greater, 2},       {"+", Kind::add, 3},
            {"-", Kind::subtract, 3},       {"*", Kind::multiply, 4},      {"/", Kind::divide, 4},
            {"%", Kind::remainder, 4}};
        skip_blanks();
        for (const Operator& one : operators) {
            if (rest_.substr(0, one.text.size()) == one.text) return &one;
        }
        return nullptr;
    }

    void binary(int level) {
        primary();
        while (const Operator* const found = next_operator()) {
            if (found->level < level) return;
            rest_.remove_prefix(found->text.size());
            binary(found->level + 1);
            formula_.steps_.push_back({found->kind, 0});
        }
    }

    void primary() {
        if (++depth_ > kDeepest) throw FormulaError(fmt::format("formula '{}' nests too deeply", formula_.text_));
        skip_blanks();
        if (rest_.empty()) fail();
        if (rest_.front() == '(') {
            rest_.remove_prefix(1);
            binary(0);
            if (skip_blanks().empty() || rest_.front() != ')') fail();
            rest_.remove_prefix(1);
        } else if (rest_.front() == '-') {
            formula_.steps_.push_back({Kind::number, 0});
            rest_.remove_prefix(1);
            primary();
            formula_.steps_.push_back({Kind::subtract, 0});
        } else if (is_digit(rest_.front())) {
            number();
        } else if (is_letter(rest_.front())) {
            key();
        } else {
            fail();
        }
        --depth_;
    }

    void number() {
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        if (error != std::errc()) fail();
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        formula_.steps_.push_back({Kind::number, value});
    }

    void key() {
        std::size_t length = 0;
        while (length < rest_.size() && (is_letter(rest_[length]) || is_digit(rest_[length]) || rest_[length] == '.')) {
            ++length;
        }
        const std::string name(rest_.substr(0, length));
        rest_.remove_prefix(length);
        std::vector<std::string>& keys = formula_.keys_;
        const auto found = std::find(keys.begin(), keys.end(), name);
        formula_.steps_.push_back({Kind::key, found - keys.begin()});
        if (found == keys.end()) keys.push_back(name);
    }

    Formula& formula_;
    std::string_view rest_;
    int depth_ = 0;
};

Formula::Formula(std::string text) : text_(std::move(text)) {
    Parser(*this).parse();
}

std::int64_t Formula::apply(Kind kind, std::int64_t a, std::int64_t b) const {
    std::int64_t result = 0;
    bool overflow = false;
    switch (kind) {
        case Kind::add: overflow = __builtin_add_overflow(a, b, &result); break;
        case Kind::subtract: overflow = __builtin_sub_overflow(a, b, &result); break;
        case Kind::multiply: overflow = __builtin_mul_overflow(a, b, &result); break;
        case Kind::divide:
        case Kind::remainder:
            if (b == 0) throw FormulaError(fmt::format("formula '{}' divides by zero", text_));
            overflow = b == -1 && __builtin_sub_overflow(std::int64_t{0}, a, &result);
            if (!overflow && kind == Kind::divide) result = a / b;
            if (!overflow && kind == Kind::remainder) result = b == -1 ? 0 : a % b;
            break;
        case Kind::less: result = a < b; break;
        case Kind::less_equal: result = a <= b; break;
        case Kind::greater: result = a > b; break;
        case Kind::greater_equal: result = a >= b; break;
        case Kind::equal: result = a == b; break;
        case Kind::unequal: result = a != b; break;
        case Kind::logical_and: result = a != 0 && b != 0; break;
        case Kind::logical_or: result = a != 0 || b != 0; break;
        case Kind::number:
        case Kind::key: break;
    }
    if (overflow) throw FormulaError(fmt::format("formula '{}' overflows 64 bits", text_));
    return result;
}

std::int64_t Formula::evaluate(const LookUp& look_up) const {
    std::vector<std::int64_t> stack;
    for (const Step& step : steps_) {
        if (step.kind == Kind::number) {
            stack.push_back(step.operand);
        } else if (step.kind == Kind::key) {
            stack.push_back(look_up(keys_[static_cast<std::size_t>(step.operand)]));
        } else {
            const std::int64_t b = stack.back();
            stack.pop_back();
            stack.back() = apply(step.kind, stack.back(), b);
        }
    }
    return stack.back();
}

}  // namespace vcore::sweep
