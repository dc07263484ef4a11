#include "testbenches/sweep/formula.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vcore::sweep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::int64_t value(const std::string& text) {
    return Formula(text).evaluate([](const std::string& key) { return key == "ub.groups" ? 8 : 2; });
}

std::string error(const std::string& text) {
    try {
        value(text);
    } catch (const FormulaError& failure) {
        return failure.what();
    }
    return "none";
}

TEST(Formula, Precedence) {
    EXPECT_EQ(value("2 + 3 * 4"), 14);
    EXPECT_EQ(value("(2 + 3) * 4"), 20);
    EXPECT_EQ(value("20 - 5 - 3"), 12);
    EXPECT_EQ(value("-7 / 2 + 9 % 4"), -2);
    EXPECT_EQ(value("ub.groups * ub.banks <= 16 and ub.groups != 7"), 1);
    EXPECT_EQ(value("1 > 2 or 2 > 3 or 3 == 4"), 0);
    EXPECT_THAT(Formula("b + a * b").keys(), ElementsAre("b", "a"));
}

TEST(Formula, Errors) {
    EXPECT_THAT(error("2 +"), HasSubstr("formula '2 +': found '', expected more"));
    EXPECT_THAT(error("2 3"), HasSubstr("found '3', expected a key, a number, an operator or a parenthesis"));
    EXPECT_THAT(error("(1"), HasSubstr("expected more"));
    EXPECT_THAT(error("1 / (ub.groups - 8)"), HasSubstr("divides by zero"));
    EXPECT_THAT(error("9223372036854775807 + 1"), HasSubstr("overflows 64 bits"));
    EXPECT_THAT(error(std::string(500, '(')), HasSubstr("nests too deeply"));
}

}  // namespace
}  // namespace vcore::sweep
