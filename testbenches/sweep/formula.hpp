// Whole-number formulas over configuration keys: constraints ("ub.bank_groups * ub.banks_per_group <= 32") and keys
// that follow from others.
//
// 64-bit integers, + - * / % with the usual precedence, comparisons (1 or 0), `and`, `or`, ( ). Division rounds towards
// zero. Errors are FormulaErrors that quote the formula: bad form, overflow, division by zero, a key that is no whole
// number.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace vcore::sweep {

class FormulaError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class Formula {
public:
    /// Gives the value of a key.
    using LookUp = std::function<std::int64_t(const std::string& key)>;

    explicit Formula(std::string text);

    std::int64_t evaluate(const LookUp& look_up) const;
    const std::string& text() const { return text_; }
    /// The keys it reads, in order of their first appearance.
    const std::vector<std::string>& keys() const { return keys_; }

private:
    enum class Kind : std::uint8_t {
        number,
        key,
        add,
        subtract,
        multiply,
        divide,
        remainder,
        less,
        less_equal,
        greater,
        greater_equal,
        equal,
        unequal,
        logical_and,
        logical_or
    };
    struct Step {
        Kind kind{};
        std::int64_t operand = 0;  ///< the number, or the index of the key
    };
    class Parser;
    std::int64_t apply(Kind kind, std::int64_t a, std::int64_t b) const;

    std::string text_;
    std::vector<std::string> keys_;
    std::vector<Step> steps_;  // postfix
};

}  // namespace vcore::sweep
