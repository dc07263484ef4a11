// vcore-sim sweep and merge as their users meet them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "testbenches/runner/tests/process.hpp"

namespace vcore::runner::tests {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

const char* const kSpecification = R"json({
  "programs": [{"generate": "uniform", "type": "float", "count": 256, "size": 1024}, {"generate": "stride", "count": 256}],
  "axes": {"ub.bank_groups": [4, 8], "ub.sub_banks": {"powers_of_two": [1, 8]}, "latency.load": {"range": [5, 20], "step": 5}},
  "derived": {"ub.rows_per_bank": "262144 / (32 * ub.bank_groups * ub.banks_per_group)"
}
})json";

const char* const kTiny = "vf {\n  dup v0 float 1\n}\n";

class Sweep : public ::testing::Test {
protected:
    Finished sim(const std::vector<std::string>& arguments) { return run_vcore_sim(arguments, folder_.path()); }
    Finished sweep(const std::string& specification, std::vector<std::string> more = {}) {
        folder_.write("s.json", specification);
        more.insert(more.begin(), {"sweep", "s.json"});
        return sim(more);
    }
    std::vector<json> points(const std::string& name) {
        std::istringstream stream(folder_.read(name));
        std::vector<json> all;
        std::string line;
        std::getline(stream, line);
        while (std::getline(stream, line)) all.push_back(json::parse(line));
        return all;
    }
    /// What a specification made of a part of it says.
    std::string error(const std::string& specification) {
        const Finished finished = sweep(specification);
        EXPECT_EQ(finished.status, 2) << specification;
        return finished.err;
    }
    std::string axes_error(const std::string& axes) {
        folder_.write("t.vprog", kTiny);
        return error(R"({"programs": ["t.vprog"], "axes": {)" + axes + "}}");
    }
    TemporaryFolder folder_;
};

TEST_F(Sweep, SameResultsForThreadsAndShards) {
    ASSERT_EQ(sweep(kSpecification, {"--threads", "1", "--out", "one.jsonl"}).status, 0);
    ASSERT_EQ(sweep(kSpecification, {"--threads", "2", "--out", "two.jsonl"}).status, 0);
    const std::string one = folder_.read("one.jsonl");
    EXPECT_EQ(folder_.read("two.jsonl"), one);
    EXPECT_EQ(points("one.jsonl").size(), 2U * 2 * 4 * 4);
    EXPECT_EQ(sim({"sweep", "s.json", "--shard-index", "1", "--total-shards", "3"}).status, 0);
    for (const char* const index : {"0", "2"}) {
        const Finished finished = run_program(VCORE_SIM, {"sweep", "s.json"}, folder_.path(),
                                              {std::string("VCORE_SHARD_INDEX=") + index, "VCORE_TOTAL_SHARDS=3"});
        ASSERT_EQ(finished.status, 0) << finished.err;
    }
    const Finished merged =
        sim({"merge", "s.2-of-3.jsonl", "s.0-of-3.jsonl", "s.1-of-3.jsonl", "--out", "merged.jsonl"});
    EXPECT_EQ(merged.status, 0) << merged.err;
    EXPECT_EQ(folder_.read("merged.jsonl"), one);
}

TEST_F(Sweep, PointsSayWhatARunSays) {
    ASSERT_EQ(sweep(kSpecification).status, 0);
    const std::vector<json> all = points("s.jsonl");
    for (const std::size_t number : {0U, 13U, 63U}) {
        const json& point = all.at(number);
        EXPECT_EQ(point["point"], number);
        EXPECT_EQ(point["status"], "fine");
        const std::string bin = std::filesystem::path(VCORE_SIM).parent_path().string();
        const std::string command =
            "PATH=" + bin + ":$PATH; " + point["command"].get<std::string>() + " --quiet --report r.json";
        const Finished run = run_program("/bin/sh", {"-c", command}, folder_.path());
        ASSERT_EQ(run.status, 0) << run.err;
        const json report = json::parse(folder_.read("r.json"));
        for (const char* const field : {"config_hash", "cycles", "time_ns", "ops", "vf", "ub", "diagnostics"}) {
            EXPECT_EQ(point[field], report[field]) << field;
        }
    }
}

TEST_F(Sweep, GoesOnWhereItWasCut) {
    ASSERT_EQ(sweep(kSpecification).status, 0);
    const std::string whole = folder_.read("s.jsonl");
    const std::size_t header = whole.find('\n');
    for (const std::size_t size : {std::size_t{0}, std::size_t{20}, header, header + 1, header + 2, whole.size() / 2,
                                   whole.size() - 1, whole.size()}) {
        folder_.write("s.jsonl", whole.substr(0, size));
        const Finished again = sim({"sweep", "s.json"});
        EXPECT_EQ(again.status, 0) << again.err;
        EXPECT_EQ(folder_.read("s.jsonl"), whole) << size;
    }
    folder_.write("s.jsonl", whole.substr(0, whole.size() / 2));
    EXPECT_THAT(sim({"sweep", "s.json"}).err, HasSubstr("of 64 points and a part of one, which is run again"));
}

TEST_F(Sweep, KilledAtAnyMomentItEndsTheSame) {
    folder_.write("t.vprog", kTiny);
    const std::string specification =
        R"({"programs": ["t.vprog"], "axes": {"latency.load": {"range": [1, 40]}, "latency.store": {"range": [1, 40]}}})";
    ASSERT_EQ(sweep(specification, {"--out", "whole.jsonl"}).status, 0);
    int killed = 0;
    for (int delay = 1; delay <= 30; ++delay) {
        const pid_t child = ::fork();
        if (child == 0) {
            if (::chdir(folder_.path().c_str()) != 0) ::_exit(1);
            ::execl(VCORE_SIM, VCORE_SIM, "sweep", "s.json", "--out", "k.jsonl", "--quiet", nullptr);
            ::_exit(1);
        }
        ::usleep(static_cast<useconds_t>(delay) * 3000);
        ::kill(child, SIGKILL);
        int status = 0;
        ::waitpid(child, &status, 0);
        killed += WIFSIGNALED(status);
    }
    EXPECT_GT(killed, 0);
    ASSERT_EQ(sim({"sweep", "s.json", "--out", "k.jsonl"}).status, 0);
    EXPECT_EQ(folder_.read("k.jsonl"), folder_.read("whole.jsonl"));
}

TEST_F(Sweep, MemoryIsFlat) {
    folder_.write("t.vprog", kTiny);
    // The peak of one sweep, in kilobytes.
    const auto peak = [&](int loads) {
        const std::string specification = fmt::format(
            R"({{"programs": ["t.vprog"], "mode": "lt", "set": {{"ub.rows_per_bank": 8, "ub.size_bytes": 4096,
                 "ub.reserved_bytes": 0}},
                 "axes": {{"latency.load": {{"range": [1, {}]}}, "latency.store": {{"range": [1, 250]}}}}}})",
            loads);
        folder_.write("s.json", specification);
        const pid_t child = ::fork();
        if (child == 0) {
            if (::chdir(folder_.path().c_str()) != 0) ::_exit(1);
            ::execl(VCORE_SIM, VCORE_SIM, "sweep", "s.json", "--out", fmt::format("{}.jsonl", loads).c_str(), "--quiet",
                    nullptr);
            ::_exit(1);
        }
        int status = 0;
        struct rusage usage {};
        ::wait4(child, &status, 0, &usage);
        EXPECT_EQ(status, 0);
        return usage.ru_maxrss;
    };
    const auto few = peak(4);
    const auto many = peak(400);
    EXPECT_LT(many, few + few / 4) << "1,000 points: " << few << " KB, 100,000 points: " << many << " KB";
    std::istringstream stream(folder_.read("400.jsonl"));
    const auto lines = std::count(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>(), '\n');
    EXPECT_EQ(lines, 100001);
}

TEST_F(Sweep, IllegalPointsAreRecorded) {
    ASSERT_EQ(sweep(R"({"programs": [{"generate": "uniform"}], "axes": {"ub.bank_groups": [4, 8, 5000]}})").status, 0);
    const std::vector<json> all = points("s.jsonl");
    EXPECT_EQ(all.at(0)["status"], "illegal");
    EXPECT_THAT(all.at(0)["error"].get<std::string>(), HasSubstr("expected at most what the geometry holds"));
    EXPECT_EQ(all.at(1)["status"], "fine");
    EXPECT_EQ(all.at(2)["status"], "illegal");
    EXPECT_FALSE(all.at(2).contains("cycles"));
}

TEST_F(Sweep, ConstraintsAndSampling) {
    const std::string base = R"({"programs": [{"generate": "uniform", "count": 64}],
        "axes": {"latency.load": {"range": [1, 8]}, "latency.store": {"range": [1, 8]}})";
    ASSERT_EQ(sweep(base + R"(, "constraints": ["latency.load < latency.store"]})", {"--out", "c.jsonl"}).status, 0);
    EXPECT_EQ(points("c.jsonl").size(), 28U);
    for (const json& point : points("c.jsonl")) {
        EXPECT_LT(point["axes"]["latency.load"], point["axes"]["latency.store"]);
    }
    ASSERT_EQ(
        sweep(base + R"(, "sampling": {"method": "latin_hypercube", "points": 8, "seed": 3}})", {"--out", "l.jsonl"})
            .status,
        0);
    std::set<int> loads;
    std::set<int> stores;
    for (const json& point : points("l.jsonl")) {
        loads.insert(point["axes"]["latency.load"].get<int>());
        stores.insert(point["axes"]["latency.store"].get<int>());
    }
    EXPECT_EQ(loads.size(), 8U);
    EXPECT_EQ(stores.size(), 8U);
    ASSERT_EQ(sweep(base + R"(, "sampling": {"method": "random", "points": 20}})", {"--out", "r.jsonl"}).status, 0);
    std::set<std::string> different;
    for (const json& point : points("r.jsonl")) different.insert(point["axes"].dump());
    EXPECT_EQ(different.size(), 20U);
    EXPECT_THAT(error(base + R"(, "constraints": ["latency.load > 8"]})"),
                HasSubstr("s.json: /constraints: none of the 64 points meets all constraints"));
    EXPECT_THAT(error(base + R"(, "sampling": {"method": "random", "points": 65}})"),
                HasSubstr("found 64 different points that meet the constraints, expected 65: ask for fewer"));
    EXPECT_THAT(error(base + R"(, "sampling": {"method": "radnom", "points": 5}})"),
                HasSubstr("found 'radnom', did you mean 'random'?, expected grid, random or latin_hypercube"));
}

// ---- bad specifications

TEST_F(Sweep, UnknownKeysNameTheNearest) {
    EXPECT_THAT(axes_error(R"("ub.bank_grops": [1])"),
                HasSubstr("s.json: /axes/ub.bank_grops: unknown key 'ub.bank_grops', did you mean 'ub.bank_groups'?"));
    EXPECT_THAT(error(R"({"programs": [], "axis": {}})"),
                HasSubstr("s.json: /axis: unknown field, did you mean 'axes'?"));
    EXPECT_THAT(error("{\"programs\": ["), HasSubstr("s.json:1:"));
}

TEST_F(Sweep, EmptyAndContradictoryAxes) {
    EXPECT_THAT(axes_error(R"("latency.load": [])"), HasSubstr("s.json: /axes/latency.load: the axis has no values"));
    EXPECT_THAT(axes_error(R"("latency.load": {"range": [5, 4]})"),
                HasSubstr("/axes/latency.load/range: the axis is empty: first 5 is above last 4"));
    EXPECT_THAT(axes_error(R"("latency.load": {"powers_of_two": [5, 7]})"), HasSubstr("the axis has no values"));
    EXPECT_THAT(axes_error(R"("latency.load": [3, 4, 3])"), HasSubstr("the axis has the value 3 twice"));
    EXPECT_THAT(axes_error(R"("latency.load": 3)"), HasSubstr("/axes/latency.load: found 3, expected [values], "));
    EXPECT_THAT(error(R"({"programs": ["t.vprog"], "set": {"latency.load": 3}, "axes": {"latency.load": [3]}})"),
                HasSubstr("contradicts another part of the specification that sets latency.load too"));
}

TEST_F(Sweep, TooManyPoints) {
    EXPECT_THAT(axes_error(R"("latency.load": {"range": [1, 1001]}, "latency.store": {"range": [1, 1000]})"),
                AllOf(HasSubstr("the specification has 1001000 points, more than 1000000: take fewer values"),
                      HasSubstr("\"sampling\": {\"method\": \"random\", \"points\": 1000000}")));
}

TEST_F(Sweep, BadPrograms) {
    EXPECT_THAT(error(R"({"programs": []})"), HasSubstr("/programs: expected a list of at least one program"));
    EXPECT_THAT(error(R"({"programs": ["none.vprog"]})"), HasSubstr("s.json: /programs/0: cannot read 'none.vprog'"));
    EXPECT_THAT(error(R"({"programs": [{"generate": "unifrom"}]})"), HasSubstr("did you mean 'uniform'?"));
    folder_.write("w.vprog", "mte.out 0 32 \"x.bin\"\n");
    EXPECT_THAT(error(R"({"programs": ["w.vprog"]})"), HasSubstr("'w.vprog' writes a file"));
    folder_.write("b.vprog", "laod\n");
    EXPECT_THAT(error(R"({"programs": ["b.vprog"]})"), HasSubstr("/programs/0: b.vprog:1:1: error:"));
    const Finished missing = sim({"sweep", "none.json"});
    EXPECT_EQ(missing.status, 2);
    EXPECT_THAT(missing.err, HasSubstr("cannot read 'none.json'"));
    EXPECT_THAT(sim({"sweep", "s.json", "--shard-index", "1"}).err,
                HasSubstr("a shard needs both --shard-index and --total-shards"));
    EXPECT_THAT(sim({"sweep", "s.json", "--shard-index", "3", "--total-shards", "3"}).err,
                HasSubstr("found --shard-index '3', expected a whole number from 0 to 2"));
}

// ---- bad results

TEST_F(Sweep, ResultsOfSomethingElseAreKept) {
    folder_.write("s.jsonl", "my diary\n");
    EXPECT_THAT(error(kSpecification), HasSubstr("results 's.jsonl': holds something else than results of a sweep"));
    EXPECT_EQ(folder_.read("s.jsonl"), "my diary\n");
    folder_.write("t.vprog", kTiny);
    ASSERT_EQ(sweep(R"({"programs": ["t.vprog"]})", {"--out", "t.jsonl"}).status, 0);
    const std::string before = folder_.read("t.jsonl");
    const Finished other = sweep(kSpecification, {"--out", "t.jsonl"});
    EXPECT_EQ(other.status, 2);
    EXPECT_THAT(other.err, HasSubstr("holds results of another specification or shard"));
    EXPECT_EQ(folder_.read("t.jsonl"), before);
}

TEST_F(Sweep, MergeErrors) {
    ASSERT_EQ(sweep(kSpecification, {"--shard-index", "0", "--total-shards", "2"}).status, 0);
    ASSERT_EQ(sweep(kSpecification, {"--shard-index", "1", "--total-shards", "2"}).status, 0);
    const auto merge = [&](const std::vector<std::string>& shards) {
        std::vector<std::string> arguments = {"merge", "--out", "m.jsonl"};
        arguments.insert(arguments.end(), shards.begin(), shards.end());
        const Finished finished = sim(arguments);
        EXPECT_EQ(finished.status, 2);
        EXPECT_FALSE(std::filesystem::exists(folder_.path() / "m.jsonl"));
        return finished.err;
    };
    EXPECT_THAT(merge({"s.0-of-2.jsonl"}), HasSubstr("are shard 0 of 2, found 1 files: expected every shard once"));
    EXPECT_THAT(merge({"s.0-of-2.jsonl", "s.0-of-2.jsonl"}), HasSubstr("are both shard 0 of 2"));
    const std::string one = folder_.read("s.1-of-2.jsonl");
    folder_.write("cut.jsonl", one.substr(0, one.size() - 10));
    EXPECT_THAT(merge({"s.0-of-2.jsonl", "cut.jsonl"}),
                HasSubstr("results 'cut.jsonl': is cut in the middle of line 33"));
    folder_.write("cut.jsonl", one.substr(0, one.rfind("{\"point\"")));
    EXPECT_THAT(merge({"s.0-of-2.jsonl", "cut.jsonl"}), HasSubstr("results 'cut.jsonl': ends before point 63"));
    folder_.write("t.vprog", kTiny);
    ASSERT_EQ(
        sweep(R"({"programs": ["t.vprog"]})", {"--shard-index", "1", "--total-shards", "2", "--out", "other.jsonl"})
            .status,
        0);
    EXPECT_THAT(merge({"s.0-of-2.jsonl", "other.jsonl"}), HasSubstr("are of different specifications (hash "));
}

TEST_F(Sweep, FullDiskKeepsWhatIsThere) {
    const Finished full = sweep(kSpecification, {"--out", "/dev/full"});
    EXPECT_EQ(full.status, 2);
    EXPECT_THAT(full.err, HasSubstr("results '/dev/full': cannot be written: No space left on device; 0 points are "
                                    "kept, and the same command goes on from there"));
    // A disk that fills up on the way: files of at most 32 KB.
    const Finished part =
        run_program("/bin/bash", {"-c", std::string("trap '' XFSZ; ulimit -f 32; exec ") + VCORE_SIM + " sweep s.json"},
                    folder_.path());
    EXPECT_EQ(part.status, 2);
    EXPECT_THAT(part.err, HasSubstr("points are kept, and the same command goes on from there"));
    EXPECT_GT(std::filesystem::file_size(folder_.path() / "s.jsonl"), 16000U);
    ASSERT_EQ(sim({"sweep", "s.json"}).status, 0);
    ASSERT_EQ(sim({"sweep", "s.json", "--out", "whole.jsonl"}).status, 0);
    EXPECT_EQ(folder_.read("s.jsonl"), folder_.read("whole.jsonl"));
}

TEST_F(Sweep, NoPermissionToWrite) {
    folder_.write("s.json", kSpecification);
    std::filesystem::create_directory(folder_.path() / "closed");
    std::filesystem::permissions(folder_.path() / "closed", std::filesystem::perms::none);
    std::string command = std::string(VCORE_SIM) + " sweep s.json --out closed/r.jsonl";
    if (::geteuid() == 0) {
        std::filesystem::permissions(folder_.path(), std::filesystem::perms{0755});
        const Finished nobody = run_program(
            "/usr/bin/setpriv", {"--reuid=65534", "--clear-groups", VCORE_SIM, "--version"}, folder_.path());
        if (nobody.status != 0) GTEST_SKIP() << "root may write anywhere, and vcore-sim cannot be run as somebody else";
        command = "setpriv --reuid=65534 --clear-groups " + command;
    }
    const Finished finished = run_program("/bin/sh", {"-c", command}, folder_.path());
    EXPECT_EQ(finished.status, 2);
    EXPECT_THAT(finished.err, HasSubstr("results 'closed/r.jsonl': cannot be written: Permission denied"));
}

}  // namespace
}  // namespace vcore::runner::tests
