#include "testbenches/sweep/pattern.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "testbenches/runner/tests/process.hpp"

namespace vcore::sweep {
namespace {

using runner::tests::Finished;
using runner::tests::run_vcore_sim;
using runner::tests::TemporaryFolder;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Lt;

PatternParameters parameters(const std::string& pattern) {
    PatternParameters result;
    result.pattern = pattern;
    result.size = 512;
    return result;
}

std::string error(const PatternParameters& given) {
    try {
        generate(given);
    } catch (const PatternError& failure) {
        return failure.what();
    }
    return "none";
}

TEST(Pattern, EveryProgramRunsAndChecksItself) {
    const TemporaryFolder folder;
    for (const std::string& pattern : pattern_names()) {
        for (const char* const type : {"s8", "u8", "s16", "half", "bf16", "u32", "float"}) {
            const bool counts = std::string(type).back() != '8' && std::string(type) != "bf16";
            if (pattern == "histogram" && !counts) continue;
            for (const char* const lanes : {"0", "5"}) {
                const Finished made = run_vcore_sim({"generate", pattern, "--type", type, "--lanes", lanes, "--size",
                                                     "256", "--count", "200", "--out", "p.vprog"},
                                                    folder.path());
                ASSERT_EQ(made.status, 0) << made.err;
                EXPECT_EQ(folder.read("p.vprog").find("\nexpect ") == std::string::npos, pattern == "histogram");
                const Finished run = run_vcore_sim({"run", "p.vprog", "--quiet"}, folder.path());
                EXPECT_EQ(run.status, 0) << pattern << " " << type;
                EXPECT_EQ(run.err, "") << pattern << " " << type << " " << lanes;
            }
        }
    }
}

TEST(Pattern, DeterministicBySeed) {
    for (const std::string& pattern : pattern_names()) {
        PatternParameters given = parameters(pattern);
        const std::string text = generate(given);
        EXPECT_EQ(generate(given), text);
        given.seed = 2;
        const bool is_random = pattern != "stride" && pattern != "transpose";
        EXPECT_EQ(lookups(given) != lookups(parameters(pattern)), is_random) << pattern;
    }
}

TEST(Pattern, Shapes) {
    PatternParameters given = parameters("stride");
    given.count = 4;
    given.lanes = 4;
    given.stride = 200;
    EXPECT_THAT(lookups(given), ElementsAre(0, 200, 400, 88));
    given.pattern = "transpose";
    given.stride = 128;
    EXPECT_THAT(lookups(given), ElementsAre(0, 128, 256, 384));

    std::vector<std::uint32_t> all = lookups(parameters("permutation"));
    all.resize(512);
    EXPECT_EQ(std::set<std::uint32_t>(all.begin(), all.end()).size(), 512U);

    given = parameters("compaction");
    given.percent = 100;
    given.count = 128;
    const auto kept = lookups(given);
    EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
    EXPECT_EQ(kept.back(), 127U);

    for (const std::string& pattern : pattern_names()) {
        const std::uint32_t copies = pattern == "histogram" ? 128 : 1;
        EXPECT_THAT(lookups(parameters(pattern)), Each(Lt(512U * copies))) << pattern;
    }
}

TEST(Pattern, BurstsAreRunsOfNeighbours) {
    PatternParameters given = parameters("bursts");
    given.burst = 16;
    const auto elements = lookups(given);
    std::size_t breaks = 0;
    for (std::size_t i = 1; i < elements.size(); ++i) breaks += elements[i] != (elements[i - 1] + 1) % given.size;
    EXPECT_GE(breaks, elements.size() / 16 - 1);
    EXPECT_LT(breaks, elements.size() / 5);
}

TEST(Pattern, HotRowsAndZipfAreSkewed) {
    PatternParameters given = parameters("hot");
    given.hot = 2;
    given.count = 4096;
    std::map<std::uint32_t, std::size_t> rows;
    for (const std::uint32_t element : lookups(given)) ++rows[element / 16];
    std::vector<std::size_t> counts;
    for (const auto& row : rows) counts.push_back(row.second);
    std::sort(counts.rbegin(), counts.rend());
    EXPECT_GT(counts[0] + counts[1], 4096U * 8 / 10);

    given = parameters("zipf");
    given.count = 65536;
    given.row = 8;
    std::map<std::uint32_t, std::size_t> embeddings;
    for (const std::uint32_t element : lookups(given)) ++embeddings[element / 8];
    counts.clear();
    for (const auto& embedding : embeddings) counts.push_back(embedding.second);
    std::sort(counts.rbegin(), counts.rend());
    // 64 embeddings, H(64) = 4.744: the first has 21.1 % of the look-ups, twice the second.
    EXPECT_NEAR(static_cast<double>(counts[0]) / 65536, 0.211, 0.02);
    EXPECT_NEAR(static_cast<double>(counts[0]) / static_cast<double>(counts[1]), 2.0, 0.25);
}

TEST(Pattern, Errors) {
    EXPECT_THAT(error(parameters("unifrom")), HasSubstr("'unifrom' is not a pattern, did you mean 'uniform'?"));
    PatternParameters given = parameters("uniform");
    given.type = "double";
    EXPECT_EQ(error(given), "found type 'double', expected one of s8 u8 s16 u16 half bf16 s32 u32 float");
    given = parameters("uniform");
    given.lanes = 129;
    EXPECT_EQ(error(given), "found lanes 129, expected 1 to 128");
    given = parameters("uniform");
    given.size = 0;
    EXPECT_EQ(error(given), "found size 0, expected 1 to 65536");
    given = parameters("uniform");
    given.type = "float";
    given.size = 63000;
    EXPECT_THAT(error(given),
                AllOf(HasSubstr("found table, indices and results of"), HasSubstr("take a smaller size or count")));
    given = parameters("transpose");
    given.stride = 7;
    EXPECT_THAT(error(given), HasSubstr("expected whole rows: size a multiple of stride"));
    given = parameters("histogram");
    given.type = "s8";
    EXPECT_THAT(error(given), HasSubstr("found type 's8' of a histogram, expected one that can be counted up"));
    const TemporaryFolder folder;
    const Finished finished = run_vcore_sim({"generate", "gather"}, folder.path());
    EXPECT_EQ(finished.status, 2);
    EXPECT_THAT(finished.err, HasSubstr("vcore-sim: 'gather' is not a pattern"));
}

}  // namespace
}  // namespace vcore::sweep
