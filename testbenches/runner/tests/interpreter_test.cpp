// Programs on a machine: state, scopes, faults, checks and transfers.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "platforms/products.hpp"
#include "testbenches/runner/core_machine.hpp"
#include "testbenches/runner/interpreter.hpp"
#include "testbenches/runner/report.hpp"
#include "testbenches/runner/tests/process.hpp"

namespace vcore::runner {
namespace {

using isa::DiagnosticId;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using tests::TemporaryFolder;

/// One run of a program on a core without SystemC.
class Execution {
public:
    explicit Execution(const std::string& text, std::string_view product = "ascend950",
                       engine::Mode mode = engine::Mode::loosely_timed)
        : program_(parse_program(text)), machine_(platforms::load_product(product), mode) {
        Interpreter interpreter(program_, folder_.path().string(), machine_, [](const Dump&) {});
        try {
            interpreter.run();
        } catch (const ProgramError& error) {
            error_ = fmt::format("{}:{}: {}", error.where().line, error.where().column, error.what());
        }
        result_ = interpreter.result();
    }

    const RunResult& result() const { return result_; }
    ExitStatus status() const { return result_.status; }
    /// Text of the ProgramError that ended the run.
    const std::string& error() const { return error_; }
    CoreMachine& machine() { return machine_; }
    const TemporaryFolder& folder() const { return folder_; }

    std::vector<isa::Diagnostic> diagnostics() { return all_diagnostics(result_, machine_); }
    std::optional<isa::Diagnostic> diagnostic(DiagnosticId id) {
        for (const isa::Diagnostic& entry : diagnostics()) {
            if (entry.id == id) return entry;
        }
        return std::nullopt;
    }
    /// Everything that is wrong, for messages of tests.
    std::string complaints() {
        std::string text = error_;
        for (const isa::Diagnostic& entry : diagnostics()) text += diagnostic_text(entry, "program") + "\n";
        return text;
    }

private:
    TemporaryFolder folder_;
    Program program_;
    CoreMachine machine_;
    RunResult result_;
    std::string error_;
};

void expect_fine(const std::string& text) {
    Execution run(text);
    EXPECT_EQ(run.status(), ExitStatus::fine) << run.complaints();
    EXPECT_EQ(run.error(), "");
    EXPECT_EQ(run.diagnostics().size(), 0u) << run.complaints();
}

/// The text without the lines that begin with one of `starts`.
std::string without_lines(const std::string& text, const std::vector<std::string>& starts) {
    std::istringstream lines(text);
    std::string kept;
    for (std::string line; std::getline(lines, line);) {
        const bool goes = std::any_of(starts.begin(), starts.end(), [&line](const std::string& start) {
            return line.compare(0, start.size(), start) == 0;
        });
        kept += (goes ? "" : line) + "\n";
    }
    return kept;
}

// ---- data

TEST(Interpreter, DataStandBetweenTheOpsOfAVectorFunction) {
    const std::string with_data = R"(
vf repeat=2 {
  mask.create m0 b32 ALL
  data  0x0 u32 iota 64 start=1
  load  v0 u32 [0x0]
  store [0x400] u32 v0 m0
  data  0x0 u32 iota 64 start=100
  load  v0 u32 [0x0]
  store [0x800] u32 v0 m0
}
expect 0x400 u32 iota 64 start=1
expect 0x800 u32 iota 64 start=100
expect.fault ub-out-of-bounds
vf {
  data 0x3FFFF u16 1
}
)";
    for (const auto mode : {engine::Mode::loosely_timed, engine::Mode::approximately_timed}) {
        Execution run(with_data, "ascend950", mode);
        EXPECT_EQ(run.status(), ExitStatus::fine) << run.complaints();
        Execution without(without_lines(with_data, {"  data  ", "expect 0"}), "ascend950", mode);
        EXPECT_EQ(run.result().vectors[0].cycles, without.result().vectors[0].cycles) << "no time passes";
    }
}

TEST(Interpreter, DataAreLittleEndianAndAnyAddressWillDo) {
    expect_fine(R"(
data 0x101 u32 0x11223344
expect 0x101 b8 0x44 0x33 0x22 0x11
data 0x3FFFF u8 7
expect 0x3FFFF b8 7
data 0x40000 u8 iota 0
expect 0x40000 u8 iota 0
)");
}

TEST(Interpreter, IotaKnowsItsType) {
    expect_fine(R"(
data 0x000 half iota 5 start=2046
expect 0x000 half 2046 2047 2048 2048 2050
data 0x100 s8 iota 3 start=-1
expect 0x100 b8 0xFF 0x00 0x01
data 0x200 float iota 4 start=-0.5 step=0.25
expect 0x200 float -0.5 -0.25 0 0.25
data 0x300 u64 iota 2 start=9223372036854775807
expect 0x300 u64 9223372036854775807 9223372036854775808
data 0x400 hif8 iota 256
expect 0x4FF b8 0xFF
data 0x500 float iota 3 start=9007199254740991 step=1
expect 0x500 float 9007199254740992 9007199254740992 9007199254740992
let n = 3
data 0x600 u16 iota n+1 start=n*2 step=-(n - 1)
expect 0x600 u16 6 4 2 0
)");
    EXPECT_THAT(Execution("data 0 u8 iota 3 start=254").error(),
                StartsWith("1:1: found element 2 of the iota out of range, expected a value of u8, 0 to 255"));
    EXPECT_THAT(Execution("data 0 u16 iota 2 start=0 step=-1").error(), HasSubstr("found element 1 of the iota"));
    EXPECT_THAT(Execution("data 0 half iota 2 start=65504 step=100").error(), HasSubstr("element 1 of the iota"));
}

TEST(Interpreter, FillRepeatsOneElement) {
    expect_fine("fill 0x10 u16 3 0xABCD\nexpect 0x10 u16 0xABCD 0xABCD 0xABCD 0\nfill 0 u8 0 1\nexpect 0 u8 0");
}

TEST(Interpreter, PlacesOutsideTheUbAreRefused) {
    for (const char* text : {"data 0x40000 u8 1", "data 0x3FFFF u16 1", "data -1 u8 1", "fill 0 u8 262145 1",
                             "fill 0 b64 9223372036854775807 1", "dump 0x3FFFF u16 1", "expect 0x40000 u8 1",
                             "data 0 u8 iota 9223372036854775807", "data 9223372036854775807 u64 1"}) {
        Execution run(text);
        EXPECT_EQ(run.status(), ExitStatus::refused) << text;
        ASSERT_TRUE(run.diagnostic(DiagnosticId::ub_out_of_bounds)) << text;
        EXPECT_EQ(run.diagnostic(DiagnosticId::ub_out_of_bounds)->line, 1u);
        expect_fine(std::string("data 0 u8 5\n") + "expect 0 u8 5");
    }
    EXPECT_EQ(Execution("data 0x40000 u8 1").diagnostic(DiagnosticId::ub_out_of_bounds)->address, 0x40000);
    EXPECT_EQ(Execution("expect.fault ub-out-of-bounds\ndata 0x40000 u8 1\ndata 0 u8 1\nexpect 0 u8 1").status(),
              ExitStatus::fine);
}

TEST(Interpreter, FilesArePlacedWholeOrInPart) {
    TemporaryFolder folder;
    const std::string path = folder.write("ten.bin", "0123456789");
    expect_fine(fmt::format(R"(
file 0x100 "{0}"
expect 0x100 b8 0x30 0x31 0x32 0x33 0x34 0x35 0x36 0x37 0x38 0x39 0
file 0x200 "{0}" offset=7
expect 0x200 b8 0x37 0x38 0x39 0
file 0x300 "{0}" offset=2 bytes=3
expect 0x300 b8 0x32 0x33 0x34 0
file 0x400 "{0}" offset=10
)",
                            path));
    EXPECT_THAT(Execution(fmt::format("file 0 \"{}\" offset=8 bytes=3", path)).error(),
                AllOf(StartsWith("1:8: "), HasSubstr("found 10 bytes"), HasSubstr("expected 3 from offset 8")));
    EXPECT_THAT(Execution(fmt::format("file 0 \"{}\" offset=11", path)).error(),
                HasSubstr("expected 0 from offset 11"));
    EXPECT_THAT(Execution("file 0 \"no such file\"").error(), HasSubstr("cannot read the file"));
    EXPECT_THAT(Execution("file 0 \".\"").error(), HasSubstr("is a directory"));
    Execution large(fmt::format("file 0x3FFF8 \"{}\"", path));
    EXPECT_EQ(large.status(), ExitStatus::refused) << "a file larger than what is left of the UB";
    EXPECT_THAT(large.complaints(), HasSubstr("10 bytes from byte address 0x3fff8 do not fit"));
}

// ---- names and loops

TEST(Interpreter, LoopsAndNames) {
    expect_fine(R"(
let n = 3
for i in 0..n {
  let twice = i*2
  for j in i..n {
    data 0x100+0 u8 0
  }
  data (0x100 + i) u8 iota 1 start=twice
}
expect 0x100 u8 0 2 4 0
for i in 2..-2 {
  data 0x100 u8 99
}
for i in -2..0 {
  data (0x202 + i) u8 iota 1 start=7
}
expect 0x200 u8 7 7 0
)" + std::string(""));
}

TEST(Interpreter, AnExpressionMayOverflowOnlyWhenItRuns) {
    const Execution run("for i in 0..3 {\n  fill 0 u8 9223372036854775806+i 0\n}");
    EXPECT_EQ(run.status(), ExitStatus::refused) << "the first count is merely too large for the UB";
    const Execution overflow("on_fault continue\nfor i in 0..3 {\n  fill 0 u8 9223372036854775806+i 0\n}");
    EXPECT_EQ(overflow.error(), "3:13: found an expression that overflows, expected one that fits 64 bits, signed");
}

TEST(Interpreter, NamesCountDownInsideAVfOnly) {
    expect_fine(R"(
let n = 300
vf repeat=2 {
  for i in 0..3 {
    mask.update m0 b16 n
    mask.store [0x100 + i*32] m0 norm
  }
  mask.store [0x200 + n] m0 norm       # n is 0 here
}
expect 0x100 b8 iota 32 start=0x55 step=0
expect 0x120 b8 iota 32 start=0x55 step=0
expect 0x140 b8 0x55 0x55 0x55 0x55 0x55 0x55 0x55 0x55 0x55 0x55 0x55 0
expect 0x200 b8 0x55 0x55 0x55 0x55 0x55 0x55 0x55 0x55 0x55 0x55 0x55 0
fill 0x1000 u8 n 1                     # n is 300 again
expect 0x112B u8 1 0
)");
}

TEST(Interpreter, BoundsMayCountDown) {
    expect_fine(R"(
let n = 130
vf {
  dup v1 u16 0
  mask.create m1 b16 ALL
  for i in 0..2 {
    mask.update m0 b16 n
    for j in 0..n {                    # 2, then 0
      adds v1 u16 v1 1 m1
    }
  }
}
expect v1 u16 2 2
)");
}

TEST(Interpreter, RegistersPersistFromOneVfToTheNext) {
    expect_fine(
        "vf {\ndup v3 u32 7\nmask.create m5 b32 ALL\n}\nvf {\nadds v3 u32 v3 1 m5\n}\nexpect v3 u32 iota 64 start=8 "
        "step=0");
}

TEST(Interpreter, PairsAreLookedAtAsSixtyFourBitElements) {
    expect_fine(R"(
data 0x200 u64 iota 64 start=4294967290
vf {
  load v4:v9 u64 [0x200]
}
expect v4:v9 u64 iota 64 start=4294967290
expect v4 u32 0xFFFFFFFA
expect v9 u32 0 0 0 0 0 0 1
dump v4:v9 s64 2
)");
}

TEST(Interpreter, MasksAreComparedAsBytes) {
    expect_fine("vf {\nmask.create m2 b32 VL2\n}\nexpect m2 b8 0x11 0 0\nexpect m2 b16 0x11 0");
    EXPECT_THAT(Execution("expect m0 b8 iota 33 start=0 step=0").error(),
                HasSubstr("m0 holds 32 elements of b8, not 33"));
    EXPECT_THAT(Execution("dump v0 half 129").error(), HasSubstr("v0 holds 128 elements of half, not 129"));
    for (const char* text : {"dump v32 u8", "dump m8 b8", "expect v0:v32 u64 0", "expect m8 b8 0"}) {
        EXPECT_TRUE(Execution(text).diagnostic(DiagnosticId::bad_register)) << text;
        EXPECT_EQ(Execution(text).status(), ExitStatus::refused) << text;
    }
}

// ---- expectations

TEST(Interpreter, AMismatchNamesTheFirstElementAndTheRunGoesOn) {
    Execution run(
        "data 0x800 half 0 1 2 3\nexpect 0x800 half 0 1 nan -0.0\nexpect 0x800 half 0 1\nexpect 0x802 half 2");
    EXPECT_EQ(run.status(), ExitStatus::expectation_failed);
    const auto found = run.diagnostics();
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].id, DiagnosticId::expect_mismatch);
    EXPECT_EQ(found[0].line, 2u);
    EXPECT_EQ(found[0].address, 0x804);
    EXPECT_EQ(found[0].message,
              "element 2 at byte address 0x804: found 2 (0x4000), expected nan (0x7e00); 2 of 4 elements differ");
    EXPECT_EQ(found[1].line, 4u);
    EXPECT_EQ(found[1].op, "expect");
}

TEST(Interpreter, EqualMismatchesOfALineAreOneEntry) {
    Execution run("for i in 0..100 {\n  expect 0 u8 1\n}\nexpect v2 s16 0 -1");
    ASSERT_EQ(run.diagnostics().size(), 2u);
    EXPECT_EQ(run.diagnostics()[0].count, 100u);
    EXPECT_THAT(run.diagnostics()[1].message, StartsWith("element 1 at v2: found 0 (0x0000), expected -1 (0xffff)"));
}

TEST(Interpreter, ZeroesOfDifferentSignDiffer) {
    EXPECT_EQ(Execution("data 0 float 0\nexpect 0 float -0.0").status(), ExitStatus::expectation_failed);
}

TEST(Interpreter, ExpectCyclesTakesBothEnds) {
    Execution probe("vf {\nmask.create m0 b16 ALL\n}");
    const std::uint64_t cycles = probe.result().vectors.at(0).cycles;
    ASSERT_GT(cycles, 0u);
    const auto status = [&](const std::string& vf, std::uint64_t low, std::uint64_t high) {
        return Execution(fmt::format("{}\nmask.create m0 b16 ALL\n}}\nexpect.cycles {}..{}", vf, low, high)).status();
    };
    EXPECT_EQ(status("vf {", cycles, cycles), ExitStatus::fine);
    EXPECT_EQ(status("vf {", cycles - 1, cycles - 1), ExitStatus::expectation_failed);
    EXPECT_EQ(status("vf {", cycles + 1, cycles + 1), ExitStatus::expectation_failed);
    EXPECT_EQ(status("vf repeat=100 {", 1, cycles), ExitStatus::fine) << "per call, not in total";
    EXPECT_EQ(status("vf repeat=0 {", 0, 1000), ExitStatus::expectation_failed) << "nothing was executed";
    EXPECT_THAT(Execution("vf {\n}\nexpect.cycles 0..1").complaints(), HasSubstr("cycles, expected 0 to 1"));
    Execution refused("expect.fault bad-part\nvf {\nmask.gen m0 b16 v0 part=16\nexpect.cycles 1..99\n}");
    EXPECT_EQ(refused.status(), ExitStatus::fine) << "the call ends where it is refused";
    Execution inside("vf {\nexpect.fault bad-part\nmask.gen m0 b16 v0 part=16\nexpect.cycles 1..99\n}");
    EXPECT_EQ(inside.status(), ExitStatus::expectation_failed);
    EXPECT_THAT(inside.complaints(), HasSubstr("the statement before was refused"));
}

// ---- faults

constexpr const char* kBadPart = "vf {\n  mask.gen m0 b16 v0 part=16\n}\n";

TEST(Interpreter, AFaultStopsTheRun) {
    Execution run(std::string(kBadPart) + "data 0 u8 1\nexpect 0 u8 9");
    EXPECT_EQ(run.status(), ExitStatus::refused);
    EXPECT_EQ(run.diagnostics().size(), 1u) << "the rest is skipped";
    std::byte byte{};
    run.machine().look(0, &byte, 1);
    EXPECT_EQ(byte, std::byte{0});
}

TEST(Interpreter, AFaultStopsInsideLoopsToo) {
    Execution run("vf repeat=5 {\n  for i in 0..5 {\n    mask.gen m0 b16 v0 part=16\n  }\n}\nexpect 0 u8 1");
    EXPECT_EQ(run.status(), ExitStatus::refused);
    EXPECT_EQ(run.diagnostic(DiagnosticId::bad_part)->count, 1u);
    EXPECT_FALSE(run.diagnostic(DiagnosticId::expect_mismatch));
}

TEST(Interpreter, OnFaultContinueGoesOnWithTheNextOp) {
    Execution run(
        "on_fault continue\nvf {\n  for i in 0..1000 {\n    mask.gen m0 b16 v0 part=16\n  }\n  dup v1 u16 7\n}\nexpect "
        "v1 u8 7");
    EXPECT_EQ(run.status(), ExitStatus::refused);
    ASSERT_EQ(run.diagnostics().size(), 1u);
    EXPECT_EQ(run.diagnostics()[0].count, 1000u);
    EXPECT_EQ(run.diagnostics()[0].line, 4u);
    Execution back(std::string("on_fault continue\non_fault stop\n") + kBadPart + "expect 0 u8 1");
    EXPECT_FALSE(back.diagnostic(DiagnosticId::expect_mismatch));
}

TEST(Interpreter, TheHighestExitStatusApplies) {
    Execution run(std::string("on_fault continue\nexpect 0 u8 1\n") + kBadPart);
    EXPECT_EQ(run.status(), ExitStatus::refused);
}

TEST(Interpreter, AnnouncedFaultsAreFine) {
    Execution run("vf {\n  expect.fault bad-part\n  mask.gen m0 b16 v0 part=16\n  dup v1 u16 7\n}\nexpect v1 u16 7");
    EXPECT_EQ(run.status(), ExitStatus::fine) << run.complaints();
    EXPECT_EQ(run.diagnostics().size(), 1u) << "they stay in the report";
    EXPECT_EQ(run.result().announced.size(), 1u);
    Execution whole(std::string("expect.fault bad-part\n") + kBadPart + "data 0 u8 1\nexpect 0 u8 1");
    EXPECT_EQ(whole.status(), ExitStatus::fine) << "announced for the vf in which it happens";
    Execution loop("expect.fault bad-part\nvf repeat=3 {\n  mask.gen m0 b16 v0 part=16\n  dup v40 u16 1\n}");
    EXPECT_EQ(loop.status(), ExitStatus::fine) << "each call ends at the fault";
}

TEST(Interpreter, AnAnnouncedFaultThatDoesNotComeIsAMismatch) {
    Execution none("expect.fault bad-part\nvf {\n}\ndata 0 u8 1\nexpect 0 u8 1");
    EXPECT_EQ(none.status(), ExitStatus::expectation_failed);
    EXPECT_THAT(none.complaints(), HasSubstr("expected the statement to be refused with bad-part, it was performed"));
    Execution other(
        "vf {\n  expect.fault bad-register\n  mask.gen m0 b16 v0 part=16\n  dup v1 u16 7\n}\nexpect v1 u16 7");
    EXPECT_EQ(other.status(), ExitStatus::expectation_failed) << "and the run goes on";
    EXPECT_THAT(other.complaints(), HasSubstr("refused with bad-register, it was refused with bad-part"));
    EXPECT_EQ(Execution("expect.fault misaligned\nmte.in 0 32").status(), ExitStatus::expectation_failed);
    EXPECT_EQ(Execution("expect.fault misaligned\nexpect 0 u8 0").status(), ExitStatus::expectation_failed);
}

TEST(Interpreter, AProductWithoutVectorFunctionsRefusesTheirOps) {
    const std::string gather = "mask.create m0 b16 ALL\n";
    Execution run("vf {\n" + gather + "}", "atlas-a2");
    EXPECT_EQ(run.status(), ExitStatus::refused);
    EXPECT_TRUE(run.diagnostic(DiagnosticId::unsupported_op));
    EXPECT_EQ(Execution("expect.fault unsupported-op\nvf {\n" + gather + "}", "atlas-a2").status(), ExitStatus::fine);
    EXPECT_EQ(Execution("vf {\nexpect.fault unsupported-op\n" + gather + "}", "atlas-a2").status(), ExitStatus::fine);
}

TEST(Interpreter, RefusedOpsChangeNothing) {
    expect_fine("let n = 5\nvf {\n dup v0 u16 9\n}\nexpect v0 u16 9");
    Execution run(
        "let n = -5\non_fault continue\nvf {\n mask.update m0 b16 n\n mask.update m8 b16 n\n}\nexpect m0 b8 0\nfill "
        "0x10 u8 6+n 1\nexpect 0x10 u8 1 0");
    EXPECT_EQ(run.status(), ExitStatus::refused);
    EXPECT_FALSE(run.diagnostic(DiagnosticId::expect_mismatch)) << run.complaints();
}

// ---- transfers

TEST(Interpreter, TransfersMoveBytesInProgramOrder) {
    TemporaryFolder folder;
    const std::string in = folder.write("in.bin", std::string(64, 'a') + std::string(64, 'b'));
    const std::string out = (folder.path() / "out.bin").string();
    folder.write("out.bin", "an old file that is longer than what is written below, and must go away first ........");
    expect_fine(fmt::format(R"(
for i in 0..2 {{
  mte.in 0x100 64 "{0}" offset=i*64
  mte.out 0x100 32 "{1}" offset=(1 - i)*32
}}
expect 0x100 b8 0x62 0x62
file 0x400 "{1}"
expect 0x400 b8 0x62
expect 0x420 b8 0x61
expect 0x440 b8 0
)",
                            in, out));
    EXPECT_EQ(folder.read("out.bin"), std::string(32, 'b') + std::string(32, 'a'));
}

TEST(Interpreter, TwoSpellingsOfAPathAreOneFile) {
    const Execution run("data 0 b8 0x68 0x69\nmte.out 0 2 \"a\"\nmte.out 0 2 \".//a\" offset=2\nfile 0x20 \"./a\"");
    EXPECT_EQ(run.error(), "");
    EXPECT_EQ(run.folder().read("a"), "hihi");
}

TEST(Interpreter, TransfersCannotStartAfterTheEndOfTime) {
    EXPECT_EQ(Execution("mte.in 0 32 at=15000000000000000").error(), "");
    EXPECT_EQ(
        Execution("mte.in 0 32 at=9223372036854775807").error(),
        "1:16: found the cycle 9223372036854775807, expected at most 15180000000000000: simulated time does not go "
        "much further");
    EXPECT_EQ(Execution("mte.in 0 32 at=-9223372036854775807").error(), "") << "as soon as possible";
}

TEST(Interpreter, PathsAreRelativeToTheProgram) {
    const Execution run("data 0 b8 0x68 0x69\nmte.out 0 2 \"hi.txt\"");
    EXPECT_EQ(run.folder().read("hi.txt"), "hi");
}

TEST(Interpreter, TransfersWaitUnlessTheyHaveATime) {
    Execution waits("mte.in 0 12800\nvf {\n}");
    Execution beside("mte.in 0 12800 at=0\nvf {\n}");
    EXPECT_GT(waits.machine().now(), beside.machine().now());
    const auto& ops = waits.result().ops;
    ASSERT_EQ(ops.size(), 1u);
    EXPECT_EQ(ops[0].count, 1u);
    EXPECT_EQ(ops[0].cycles, 100u) << "128 B a cycle";
    Execution later("mte.in 0 128 at=1000\nvf {\n}");
    EXPECT_GE(later.machine().statistics().last_completion.count(), 1001u);
    Execution past("mte.in 0 12800\nmte.in 0 128 at=3\nexpect.cycles 1..1");
    EXPECT_EQ(past.status(), ExitStatus::fine) << "a past time means now";
}

TEST(Interpreter, A49_ops_beside_an_unfinished_transfer_are_warned_of) {
    const auto hazard = [](const std::string& transfer, const std::string& op, engine::Mode mode) {
        Execution run(
            "fill 0 b8 0x2000 0\n" + transfer + "\nvf {\n  mask.create m0 b32 ALL\n  dup v0 u32 0\n  " + op + "\n}",
            "ascend950", mode);
        return run.diagnostic(DiagnosticId::hazard);
    };
    for (const engine::Mode mode : {engine::Mode::loosely_timed, engine::Mode::approximately_timed}) {
        SCOPED_TRACE(mode == engine::Mode::loosely_timed ? "loosely timed" : "approximately timed");
        const std::string indices = "load v1 u32 [0x1000]\n  scatter [0x400] u32 v0 v1 u32 m0";
        const auto found = hazard("mte.in 0x1000 256 at=500", indices, mode);
        ASSERT_TRUE(found);
        EXPECT_EQ(
            found->message,
            "touches byte 0x1000 of the transfer in line 2, which is not over; leave out `at=` there to wait for it");
        EXPECT_EQ(found->line, 6u);
        EXPECT_EQ(found->address, 0x1000);
        EXPECT_EQ(found->count, 1u);
        EXPECT_FALSE(hazard("mte.in 0x1000 256", indices, mode)) << "waited for";
        EXPECT_FALSE(hazard("mte.in 0x1000 256 at=0", indices, mode)) << "over before the function starts";
        EXPECT_FALSE(hazard("mte.in 0x1100 256 at=500", indices, mode)) << "other bytes";
        EXPECT_TRUE(hazard("mte.in 0x400 32 at=500", "scatter [0x400] u32 v0 v0 u32 m0", mode)) << "the target";
        EXPECT_TRUE(hazard("mte.in 0x400 32 at=500", "gather v1 u32 [0x400] v0 u32 m0", mode));
        EXPECT_FALSE(hazard("mte.in 0x420 32 at=500", "gather v1 u32 [0x400] v0 u32 m0", mode)) << "all lanes at 0x400";
        EXPECT_TRUE(hazard("mte.in 0x420 32 at=500", "load.block v1 u32 [0x400] stride=1 m0", mode));
        EXPECT_FALSE(hazard("mte.in 0x420 32 at=500", "load.block v1 u32 [0x400] stride=2 m0", mode));
        EXPECT_TRUE(hazard("mte.out 0x400 32 at=500", "store [0x400] u32 v0 m0", mode));
        EXPECT_FALSE(hazard("mte.out 0x400 32 at=500", "load v1 u32 [0x400]", mode)) << "both read";
    }
}

TEST(Interpreter, TransfersThatDoNotFitAreRefusedBeforeAnyFileIsTouched) {
    TemporaryFolder folder;
    const std::string kept = folder.write("kept.bin", "kept");
    for (const char* place : {"0x40000 32", "0x10 32", "0 262176", "0 9223372036854775807", "0 -1", "-32 32"}) {
        Execution run(fmt::format("mte.out {} \"{}\"", place, kept));
        EXPECT_EQ(run.status(), ExitStatus::refused) << place;
        EXPECT_EQ(folder.read("kept.bin"), "kept") << place;
    }
    EXPECT_THAT(Execution(fmt::format("mte.in 0 64 \"{}\"", kept)).error(), HasSubstr("found 4 bytes"));
    EXPECT_THAT(Execution("mte.out 0 32 \"no folder/x.bin\"").error(), HasSubstr("cannot write the file"));
    EXPECT_THAT(Execution("for i in 0..1 {\nmte.in 0 32 \"x\" offset=i-1\n}").error(),
                HasSubstr("found -1, expected the offset into a file to be 0 or more"));
}

// ---- limits

TEST(Interpreter, DumpsAreBounded) {
    EXPECT_EQ(Execution("for i in 0..64 {\n  dump 0 u8 262144\n}").error(), "");
    EXPECT_EQ(Execution("for i in 0..65 {\n  dump 0 u8 262144\n}").error(),
              "2:3: found more than 16777216 bytes of dumps, expected at most 16777216 in a run");
}

// ---- totals

TEST(Interpreter, TotalsAreKeptByLine) {
    Execution run("vf repeat=10 {\n  for i in 0..4 {\n    dup v0 u16 1\n  }\n}\nvf {\n}");
    ASSERT_EQ(run.result().ops.size(), 1u);
    EXPECT_EQ(run.result().ops[0].count, 40u);
    ASSERT_EQ(run.result().vectors.size(), 2u);
    EXPECT_EQ(run.result().vectors[0].calls, 10u);
    EXPECT_EQ(run.result().vectors[1].calls, 1u);
}

TEST(Interpreter, CallsFromALoopCountSharedCyclesOnce) {
    const std::string body = "  for i in 0..8 {\n    load v0 u8 [0x100]\n  }\n";
    Execution repeated("data 0x100 u8 iota 256\nvf repeat=100 {\n" + body + "}");
    Execution looped("data 0x100 u8 iota 256\nfor k in 0..100 {\nvf {\n" + body + "}\n}");
    EXPECT_EQ(repeated.result().vectors.at(0).cycles, looped.result().vectors.at(0).cycles);
    EXPECT_EQ(looped.result().vectors.at(0).calls, 100u);
}

}  // namespace
}  // namespace vcore::runner
