// vcore-sim diff on reports of real runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbenches/runner/tests/process.hpp"

namespace vcore::runner::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Diff : public ::testing::Test {
protected:
    Diff() {
        sim({"generate", "uniform", "--type", "float", "--out", "p.vprog"});
        report("a.json", {});
    }
    Finished sim(const std::vector<std::string>& arguments) { return run_vcore_sim(arguments, folder_.path()); }
    void report(const std::string& name, std::vector<std::string> more) {
        more.insert(more.begin(), {"run", "p.vprog", "--quiet", "--report", name});
        ASSERT_EQ(sim(more).status, 0);
    }
    TemporaryFolder folder_;
};

TEST_F(Diff, SameRunsAreTheSame) {
    const Finished diff = sim({"diff", "a.json", "a.json"});
    EXPECT_EQ(diff.status, 0);
    EXPECT_THAT(diff.out, HasSubstr("no difference in time or traffic"));
}

TEST_F(Diff, FewerSubBanksCostSubBankCycles) {
    report("b.json", {"--set", "ub.sub_banks=1"});
    const Finished diff = sim({"diff", "a.json", "b.json"});
    EXPECT_EQ(diff.status, 1);
    EXPECT_THAT(diff.out, AllOf(HasSubstr(": B is slower"), HasSubstr("vector functions, by line"),
                                HasSubstr(": sub_bank +"), HasSubstr(" gather "), HasSubstr("sub-bank stall cycles ")));
    EXPECT_THAT(sim({"diff", "b.json", "a.json"}).out, AllOf(HasSubstr(": B is faster"), HasSubstr("sub_bank -")));
}

TEST_F(Diff, NamesBanksThatOneLacks) {
    report("b.json", {"--set", "ub.bank_groups=4", "--set", "ub.rows_per_bank=1024"});
    EXPECT_THAT(sim({"diff", "a.json", "b.json"}).out, HasSubstr("(no such bank in B)"));
}

TEST_F(Diff, BadInput) {
    EXPECT_THAT(sim({"diff", "a.json"}).err, HasSubstr("two reports are needed"));
    const Finished missing = sim({"diff", "a.json", "none.json"});
    EXPECT_EQ(missing.status, 2);
    EXPECT_THAT(missing.err, HasSubstr("cannot read the report 'none.json'"));
    EXPECT_THAT(sim({"diff", "a.json", "p.vprog"}).err, HasSubstr("'p.vprog' is no JSON"));
    folder_.write("x.json", R"({"cycles": 1})");
    EXPECT_THAT(sim({"diff", "a.json", "x.json"}).err, HasSubstr("'x.json' is no report of vcore-sim run --report"));
}

}  // namespace
}  // namespace vcore::runner::tests
