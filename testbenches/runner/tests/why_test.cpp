// Where cycles went: causes of vector functions, parts of ops, and the same counts in both modes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>

#include "platforms/products.hpp"
#include "testbenches/runner/core_machine.hpp"
#include "testbenches/runner/interpreter.hpp"
#include "testbenches/runner/report.hpp"
#include "testbenches/runner/tests/process.hpp"
#include "testbenches/runner/tests/schema.hpp"

namespace vcore::runner {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr engine::Mode kLt = engine::Mode::loosely_timed;
constexpr engine::Mode kAt = engine::Mode::approximately_timed;

struct Run {
    json report;
    std::string table;
    ExitStatus status = ExitStatus::fine;
};

Run run(const std::string& text, engine::Mode mode = kAt, const std::string& product = "ascend950",
        const std::vector<std::string>& settings = {}) {
    const tests::TemporaryFolder folder;
    const Program program = parse_program(text);
    CoreMachine machine(platforms::load_product(product, settings), mode);
    Interpreter interpreter(program, folder.path().string(), machine, [](const Dump&) {});
    interpreter.run();
    Run run;
    run.report = json::parse(report_json(program, interpreter.result(), machine));
    run.table = causes_text(program, interpreter.result(), machine);
    run.status = interpreter.result().status;
    return run;
}

std::uint64_t sum_of(const json& object) {
    return std::accumulate(object.begin(), object.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const json& value) { return sum + value.get<std::uint64_t>(); });
}

/// What must hold for each report.
void expect_accounted(const json& report) {
    for (const json& vector : report["vf"]) {
        EXPECT_EQ(sum_of(vector["causes"]), vector["total_cycles"]) << vector;
    }
    for (const json& op : report["ops"]) {
        if (!op.contains("parts")) continue;
        EXPECT_EQ(sum_of(op["parts"]), op["lifetime_cycles"]) << op;
        EXPECT_GE(op["lifetime_cycles"], op["cycles"]) << op;
    }
    EXPECT_EQ(report["ub"]["aiv_vec_ldu_cflt_ratio"], report["ub"]["load_conflict_ratio"]);
    EXPECT_EQ(report["ub"]["aiv_vec_stu_cflt_ratio"], report["ub"]["store_conflict_ratio"]);
}

constexpr const char* kEverything = R"(
let n = 300
data 0x0400 half iota 300
data 0x1000 u16 iota 384 start=383 step=-1
fill 0x8000 u8 4096 0
mte.in 0x8000 4096 at=0
for k in 0..3 {
  vf repeat=2 {
    for i in 0..3 {
      mask.update m0 b16 n
      load v0 u16 [0x1000 + i*256]
      gather v1 half [0x0400] v0 u16 m0
      add v2 half v1 v1 m0
      store [0x5000 + i*256] half v2 m0
      load.block v3 half [0x8000] stride=8 m0
      store.block [0xC000] half v3 stride=8 m0
      barrier VST_VLD
      scatter [0x6000] half v1 v0 u16 m0
    }
  }
}
vf {
  dup v5 u16 1
}
mte.in 0x9000 1024 at=10
vf repeat=3 {
}
tensor.scatter half dst=0x2000 src=0x0400 offset=0x3000 base=0 count=128
)";

TEST(Why, CausesSumToTheCyclesOfEachVectorFunction) {
    expect_accounted(run(kEverything).report);
    for (const int gap : {0, 1, 5, 20, 21, 22, 23, 30, 100}) {
        std::string text = "vf repeat=5 {\n dup v0 u16 1\n store [0] u16 v0 m0\n}\n";
        text += fmt::format("mte.in 0 {}\n", gap * 128);
        text +=
            "vf {\n load v1 u16 [0]\n}\nfor i in 0..4 {\nvf repeat=2 {\n load v1 u16 [0]\n add v1 u16 v1 v1 m0\n}\n}";
        expect_accounted(run(text).report);
    }
}

TEST(Why, CausesSumForEveryProgramOfTheTree) {
    std::size_t programs = 0;
    for (const char* folder : {VCORE_PROGRAMS, VCORE_PROGRAMS "/cases"}) {
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            if (entry.path().extension() != ".vprog") continue;
            std::ifstream stream(entry.path());
            const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
            expect_accounted(run(text).report);
            ++programs;
        }
    }
    EXPECT_GT(programs, 20u);
}

TEST(Why, BothModesCountTheSameAndFindTheSame) {
    const json lt = run(kEverything, kLt).report;
    const json at = run(kEverything, kAt).report;
    ASSERT_EQ(lt["ops"].size(), at["ops"].size());
    for (std::size_t i = 0; i < lt["ops"].size(); ++i) {
        for (const char* key : {"line", "op", "count"}) EXPECT_EQ(lt["ops"][i][key], at["ops"][i][key]);
        EXPECT_FALSE(lt["ops"][i].contains("parts"));
    }
    ASSERT_EQ(lt["vf"].size(), at["vf"].size());
    for (std::size_t i = 0; i < lt["vf"].size(); ++i) EXPECT_EQ(lt["vf"][i]["calls"], at["vf"][i]["calls"]);
    EXPECT_EQ(lt["diagnostics"], at["diagnostics"]);
    EXPECT_EQ(lt["ub"]["bank_reads"], at["ub"]["bank_reads"]);
    EXPECT_EQ(lt["ub"]["bank_writes"], at["ub"]["bank_writes"]);
    EXPECT_EQ(lt["mode"], "lt");
    EXPECT_EQ(at["mode"], "at");
}

TEST(Why, AVectorFunctionAloneIsExplainedCycleByCycle) {
    // Called at 0: 23 cycles to the first issue, in which the load goes; 9 to its result, then 12 of drain.
    const json vector = run("fill 0 u8 256 0\nvf {\n  load v0 u16 [0]\n}").report["vf"][0];
    EXPECT_EQ(vector["total_cycles"], 23 + 9 + 12);
    EXPECT_EQ(vector["causes"]["start"], 23);
    EXPECT_EQ(vector["causes"]["issue"], 1);
    EXPECT_EQ(vector["causes"]["drain"], 8 + 12);
}

TEST(Why, BlockedCyclesHaveTheirCause) {
    const auto parts = [](const std::string& body, std::size_t op) {
        const json report = run("fill 0 u8 8192 0\nvf {\n mask.create m0 b32 ALL\n}\nvf {\n" + body + "\n}").report;
        expect_accounted(report);
        return report["ops"][op + 1]["parts"];
    };
    // Eight blocks of one bank group take eight beats.
    EXPECT_EQ(parts("load.block v0 b32 [0] stride=8 m0", 0)["bank"], 7);
    EXPECT_EQ(parts("load.block v0 b32 [0] stride=1 m0", 0)["bank"], 0);
    // Two loads of one and the same bank per group: the second waits a cycle.
    EXPECT_EQ(parts("load v0 u16 [0]\nload v1 u16 [0x200]", 1)["bank"], 1);
    EXPECT_EQ(parts("load v0 u16 [0]\nload v1 u16 [0x100]", 1)["bank"], 0) << "the other bank of each group";
    // Results of a load are there after nine cycles.
    EXPECT_GT(parts("load v0 u16 [0]\nadd v1 u16 v0 v0 m0", 1)["operands"], 0);

    const json gathers =
        run("fill 0 u8 65536 0\ndata 0x100 u32 iota 64 start=0 step=256\nvf {\n mask.create m0 b32 ALL\n"
            " load v0 u32 [0x100]\n gather v1 u32 [0] v0 u32 m0\n}")
            .report;
    expect_accounted(gathers);
    EXPECT_GT(gathers["ops"][2]["parts"]["sub_bank"], 0) << "all lanes in one sub-bank of one group";
    EXPECT_GT(gathers["vf"][0]["causes"]["sub_bank"], 0);
    EXPECT_GT(gathers["ub"]["subbank_stall_cycles"], 0);

    // All loads go to one bank of each group, and the transfer comes by there in half of its cycles.
    const json beside =
        run("fill 0 u8 65536 0\nmte.in 0 65536 at=0\nvf {\n for i in 0..64 {\n load v0 u16 [i*512]\n }\n}", kAt,
            "ascend950", {"ub.priority=[\"mte\",\"load_store\",\"gather_scatter\"]"})
            .report;
    expect_accounted(beside);
    EXPECT_GT(beside["vf"][0]["causes"]["mte"], 0) << "blocked by a transfer";
}

TEST(Why, ConflictsAreCountedByBank) {
    using Counts = std::vector<std::uint64_t>;
    const auto conflicts = [](const std::string& body, engine::Mode mode = kAt) {
        return run("fill 0 u8 8192 0\nvf {\n mask.create m0 b32 ALL\n}\nvf {\n" + body + "\n}", mode).report["ub"];
    };
    const Counts none(16, 0);
    EXPECT_EQ(conflicts("load v0 u16 [0]\nload v1 u16 [0x100]")["bank_conflicts"], none);
    EXPECT_EQ(conflicts("load v0 u16 [0]\nload v1 u16 [0]")["bank_conflicts"], none) << "reads of one row merge";
    Counts first_banks(16, 0);
    for (std::size_t group = 0; group < 8; ++group) first_banks[group] = 1;
    EXPECT_EQ(conflicts("load v0 u16 [0]\nload v1 u16 [0x200]")["bank_conflicts"], first_banks);
    // Seven of eight blocks wait for their turn; they lie in both banks of group 0.
    Counts one_group(16, 0);
    one_group[0] = 3;
    one_group[8] = 4;
    EXPECT_EQ(conflicts("load.block v0 b32 [0] stride=8 m0")["bank_conflicts"], one_group);
    EXPECT_FALSE(conflicts("load v0 u16 [0]", kLt).contains("bank_conflicts"));
}

TEST(Why, MemoryBasedOpsAreExplainedToo) {
    const auto add = [](const char* dst, const char* src1, engine::Mode mode) {
        return run(fmt::format("fill 0 u8 196608 0\ntensor.add float dst={} src0=0 src1={} count=4096", dst, src1),
                   mode, "atlas-a2")
            .report;
    };
    const json free = add("0x20000", "0x10100", kAt);
    expect_accounted(free);
    EXPECT_EQ(free["ops"][0]["cycles"], 88);
    EXPECT_EQ(free["ops"][0]["parts"]["bank"], 0);
    EXPECT_EQ(free["ub"]["load_conflict_ratio"], 0.0);
    const json reads = add("0x10000", "0x4000", kAt);
    expect_accounted(reads);
    EXPECT_EQ(reads["ops"][0]["parts"]["bank"], 64) << "each repeat reads twice";
    EXPECT_DOUBLE_EQ(reads["ub"]["load_conflict_ratio"], 64.0 / 152);
    EXPECT_EQ(reads["ub"]["store_conflict_ratio"], 0.0);
    for (const char* dst : {"0x20000", "0x4000", "0x4020", "0x10000"}) {
        for (const char* src1 : {"0x10100", "0x4000", "0x8020"}) {
            EXPECT_EQ(add(dst, src1, kLt)["cycles"], add(dst, src1, kAt)["cycles"]) << dst << " " << src1;
        }
    }
}

TEST(Why, TheTerminalShowsATable) {
    EXPECT_THAT(run(kEverything).table, HasSubstr("where the cycles went, per call:\n  line    calls     cycles"));
    EXPECT_THAT(run(kEverything).table, HasSubstr("\n     8        6 "));
    EXPECT_EQ(run(kEverything, kLt).table, "") << "not known";
    EXPECT_EQ(run("data 0 u8 1").table, "") << "nothing to show";
    const tests::TemporaryFolder folder;
    folder.write("p.vprog", "vf {\n dup v0 u16 1\n}\n");
    EXPECT_THAT(tests::run_vcore_sim({"run", "p.vprog"}, folder.path()).out, HasSubstr("where the cycles went"));
    EXPECT_EQ(tests::run_vcore_sim({"run", "p.vprog", "--quiet"}, folder.path()).out, "");
}

TEST(Why, ADeadlockSaysWhoWaitsForWhom) {
    timing::Deadlock deadlock;
    deadlock.cycle = timing::Cycle(812);
    deadlock.waiters.resize(3);
    deadlock.waiters[0].tag = 7;
    deadlock.waiters[0].op_class = timing::OpClass::load;
    deadlock.waiters[0].reason = timing::Deadlock::Reason::producer;
    deadlock.waiters[0].producer = 3;
    deadlock.waiters[1].barrier = true;
    deadlock.waiters[1].tag = 8;
    deadlock.waiters[1].reason = timing::Deadlock::Reason::room;
    deadlock.waiters[2].external = true;
    deadlock.waiters[2].tag = 9;
    deadlock.waiters[2].reason = timing::Deadlock::Reason::banks;
    EXPECT_EQ(deadlock_text(deadlock),
              "deadlock in cycle 812: nothing can go on\n  load 7 waits for op 3\n  barrier 8 waits for room in the "
              "queues or for a register\n"
              "  traffic 9 waits for banks\n");
}

// ---- what is known only later

TEST(Why, CyclesOfAnOpAreCheckedOnceTheyAreKnown) {
    const auto status = [](const std::string& range) {
        return run("fill 0 u8 256 0\nvf {\n load v0 u16 [0]\n expect.cycles " + range + "\n}").status;
    };
    EXPECT_EQ(status("9..9"), ExitStatus::fine);
    EXPECT_EQ(status("0..8"), ExitStatus::expectation_failed);
    EXPECT_EQ(status("10..99"), ExitStatus::expectation_failed);
    const auto beside = [](const std::string& range) {
        return run("mte.in 0 12800 at=50\nexpect.cycles " + range + "\nvf {\n}").status;
    };
    EXPECT_EQ(beside("100..100"), ExitStatus::fine);
    EXPECT_EQ(beside("0..99"), ExitStatus::expectation_failed);
}

TEST(Why, WhatRunsBesideCountsToTheEnd) {
    const json report = run("mte.in 0 12800 at=50").report;
    EXPECT_EQ(report["cycles"], 150);
    EXPECT_EQ(report["ops"][0]["count"], 1);
    EXPECT_EQ(report["ops"][0]["cycles"], 100);
    EXPECT_FALSE(report["ops"][0].contains("parts")) << "a transfer is no op of the core";
}

TEST(Why, AnErrorInsideAVectorFunctionKeepsWhatWasCalled) {
    const Program program =
        parse_program("vf {\n dup v0 u16 1\n for i in 0..3 {\n load v1 u16 [i*9223372036854775807*0]\n }\n}");
    CoreMachine machine(platforms::load_product("ascend950"), kAt);
    Interpreter interpreter(program, "", machine, [](const Dump&) {});
    EXPECT_THROW(interpreter.run(), ProgramError);
    EXPECT_EQ(interpreter.result().ops.at(0).count, 1u);
    EXPECT_EQ(interpreter.result().ops.at(1).count, 2u);
}

}  // namespace
}  // namespace vcore::runner
