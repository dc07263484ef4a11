// vcore-sim as its users meet it: exit status, streams, reports.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "testbenches/runner/tests/process.hpp"
#include "testbenches/runner/tests/schema.hpp"

namespace vcore::runner::tests {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

json schema() {
    std::ifstream stream(VCORE_REPORT_SCHEMA);
    return json::parse(stream);
}

class CommandLine : public ::testing::Test {
protected:
    Finished sim(const std::vector<std::string>& arguments) { return run_vcore_sim(arguments, folder_.path()); }

    /// Runs program text as p.vprog.
    Finished run(const std::string& text, std::vector<std::string> more = {}) {
        folder_.write("p.vprog", text);
        more.insert(more.begin(), {"run", "p.vprog"});
        return sim(more);
    }

    /// The report of a run, which fits the schema.
    json report(const std::string& text, std::vector<std::string> more = {}) {
        more.insert(more.end(), {"--report", "r.json"});
        run(text, more);
        const json result = json::parse(folder_.read("r.json"));
        EXPECT_THAT(schema_violations(schema(), result), ElementsAre());
        return result;
    }

    TemporaryFolder folder_;
};

// ---- commands and options

TEST_F(CommandLine, HelpAndVersion) {
    const Finished help = sim({"--help"});
    EXPECT_EQ(help.status, 0);
    EXPECT_THAT(help.out,
                AllOf(StartsWith("usage: vcore-sim"), HasSubstr("run "), HasSubstr("products"), HasSubstr("describe")));
    EXPECT_EQ(help.err, "");
    EXPECT_EQ(sim({"help"}).out, help.out);
    const Finished none = sim({});
    EXPECT_EQ(none.status, 2);
    EXPECT_EQ(none.out, "");
    EXPECT_THAT(none.err, StartsWith("usage: vcore-sim"));
    const Finished version = sim({"--version"});
    EXPECT_EQ(version.status, 0);
    EXPECT_EQ(version.out, "vcore-sim " VCORE_VERSION "\n");
    for (const char* command : {"run", "check", "products", "describe"}) {
        const Finished of_command = sim({command, "--help"});
        EXPECT_EQ(of_command.status, 0);
        EXPECT_THAT(of_command.out, StartsWith(std::string("usage: vcore-sim ") + command));
        EXPECT_EQ(sim({"help", command}).out, of_command.out);
    }
}

TEST_F(CommandLine, MistypedNamesGetASuggestion) {
    const auto error = [this](const std::vector<std::string>& arguments) {
        const Finished finished = sim(arguments);
        EXPECT_EQ(finished.status, 2);
        EXPECT_EQ(finished.out, "");
        return finished.err;
    };
    EXPECT_THAT(error({"rnu"}), HasSubstr("'rnu' is not a command, did you mean 'run'?"));
    EXPECT_THAT(error({"--verison"}), HasSubstr("unknown option '--verison', did you mean '--version'?"));
    EXPECT_THAT(error({"help", "prodcuts"}), HasSubstr("did you mean 'products'?"));
    EXPECT_THAT(error({"run", "p.vprog", "--prodct", "x"}),
                HasSubstr("unknown option '--prodct', did you mean '--product'?"));
    EXPECT_THAT(error({"run", "p.vprog", "--prod", "x"}), HasSubstr("unknown option '--prod'")) << "no guessing";
    EXPECT_THAT(error({"run", "p.vprog", "--prodct", "x"}), HasSubstr("See 'vcore-sim run --help'."));
    folder_.write("p.vprog", "");
    EXPECT_THAT(error({"run", "p.vprog", "--product", "ascend95"}), HasSubstr("ascend950"));
    EXPECT_THAT(error({"run", "p.vprog", "--set", "ub.bank_gruops=8"}), HasSubstr("ub.bank_groups"));
    EXPECT_THAT(error({"describe", "atlas-a22"}), HasSubstr("atlas-a2"));
}

TEST_F(CommandLine, ArgumentsThatMakeNoSense) {
    folder_.write("p.vprog", "");
    const auto error = [this](const std::vector<std::string>& arguments) {
        const Finished finished = sim(arguments);
        EXPECT_EQ(finished.status, 2) << finished.err;
        return finished.err;
    };
    EXPECT_THAT(error({"run"}), HasSubstr("PROGRAM is missing"));
    EXPECT_THAT(error({"run", "p.vprog", "q.vprog"}), HasSubstr("too many arguments"));
    EXPECT_THAT(error({"run", "q.vprog"}), HasSubstr("cannot read the program 'q.vprog'"));
    EXPECT_THAT(error({"run", "."}), HasSubstr("'.' is a directory"));
    EXPECT_THAT(error({"run", "p.vprog", "--product"}), HasSubstr("--product"));
    EXPECT_THAT(error({"run", "p.vprog", "--product", "atlas-a2", "--product", "atlas-a3"}),
                HasSubstr("more than once"));
    EXPECT_THAT(error({"run", "p.vprog", "--product", "atlas-a2", "--config", "c.json"}),
                HasSubstr("exclude each other"));
    EXPECT_THAT(error({"run", "p.vprog", "--config", "c.json"}), HasSubstr("c.json"));
    EXPECT_THAT(error({"run", "p.vprog", "--mode", "rtl"}), HasSubstr("unknown mode 'rtl', expected lt or at"));
    EXPECT_THAT(error({"run", "p.vprog", "--trace", "t.txt"}), HasSubstr("unknown extension '.txt'"));
    EXPECT_THAT(error({"run", "p.vprog", "--trace", "t"}), HasSubstr("expected .json or .vcd"));
    EXPECT_THAT(error({"run", "p.vprog", "--trace", "no/such/t.json"}), HasSubstr("the trace 'no/such/t.json'"));
    EXPECT_THAT(error({"run", "p.vprog", "--trace", "no/such/t.vcd"}), HasSubstr("the trace 'no/such/t.vcd'"));
    EXPECT_THAT(error({"run", "p.vprog", "--mode", "lt", "--trace", "t.vcd"}), HasSubstr("needs --mode at"));
    EXPECT_THAT(error({"run", "p.vprog", "--set", "nonsense"}), HasSubstr("nonsense"));
    EXPECT_THAT(error({"run", "p.vprog", "--report", "no/such/folder/r.json"}), HasSubstr("cannot write the report"));
    EXPECT_THAT(error({"run", "p.vprog", "--report", "p.vprog"}), HasSubstr("would overwrite the program"));
    EXPECT_THAT(error({"describe"}), HasSubstr("NAME is missing"));
    EXPECT_THAT(error({"products", "x"}), HasSubstr("too many arguments"));
    EXPECT_EQ(sim({"run", "p.vprog", "--mode", "lt"}).status, 0);
}

TEST_F(CommandLine, CheckRunsNothing) {
    folder_.write("good.vprog", "dump 0 u8 4\nexpect 0 u8 1\nmte.out 0 32 \"out.bin\"\nfile 0 \"out.bin\"");
    const Finished good = sim({"check", "good.vprog"});
    EXPECT_EQ(good.status, 0);
    EXPECT_EQ(good.out + good.err, "");
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "out.bin"));
    folder_.write("bad.vprog", "dump 0 u8 4\n  dmup 0 u8 4\n");
    const Finished bad = sim({"check", "bad.vprog"});
    EXPECT_EQ(bad.status, 2);
    EXPECT_EQ(bad.err, "bad.vprog:2:3: error: found 'dmup', expected a statement, did you mean 'dump'?\n");
    folder_.write("missing.vprog", "data 0 u8 1\nfile 0 \"nothing.bin\"");
    EXPECT_THAT(sim({"check", "missing.vprog"}).err,
                StartsWith("missing.vprog:2:8: error: found no readable file 'nothing.bin'"));
}

TEST_F(CommandLine, NoRunOverwritesItsInputs) {
    const Finished itself = run("mte.out 0 32 \"./p.vprog\"\n");
    EXPECT_EQ(itself.status, 2);
    EXPECT_THAT(itself.err, StartsWith("p.vprog:1:14: error: found the program itself, './p.vprog', expected a file"));
    EXPECT_EQ(folder_.read("p.vprog"), "mte.out 0 32 \"./p.vprog\"\n");

    folder_.write("in.bin", "0123456789");
    folder_.write("mine.json", sim({"describe", "ascend950"}).out);
    const std::string mine = folder_.read("mine.json");
    const std::string text = "for i in 0..1 {\n file 0 \"in.bin\"\n}\nmte.out 0 32 \"out.bin\"\n";
    const auto refused = [&](std::vector<std::string> options, const char* message) {
        const Finished finished = run(text, std::move(options));
        EXPECT_EQ(finished.status, 2);
        EXPECT_THAT(finished.err, HasSubstr(message));
    };
    refused({"--report", "./in.bin"}, "the report './in.bin' would overwrite a file of the program");
    refused({"--report", "out.bin"}, "the report 'out.bin' would overwrite a file of the program");
    folder_.write("t.json", "0");
    EXPECT_THAT(run("file 0 \"t.json\"", {"--trace", "t.json"}).err, HasSubstr("the trace 't.json' would overwrite"));
    refused({"--config", "mine.json", "--report", "./mine.json"},
            "the report './mine.json' would overwrite the configuration");
    refused({"--config", "mine.json", "--trace", "mine.json"},
            "the trace 'mine.json' would overwrite the configuration");
    EXPECT_EQ(folder_.read("in.bin"), "0123456789");
    EXPECT_EQ(folder_.read("t.json"), "0");
    EXPECT_EQ(folder_.read("mine.json"), mine);
}

TEST_F(CommandLine, AFifoIsNoInput) {
    ASSERT_EQ(mkfifo((folder_.path() / "fifo").c_str(), 0600), 0);
    EXPECT_THAT(run("file 0 \"fifo\"").err,
                StartsWith("p.vprog:1:8: error: found the FIFO 'fifo', expected a file that can be read"));
    const Finished out = run("mte.out 0 32 \"fifo\"");
    EXPECT_EQ(out.status, 2);
    EXPECT_THAT(out.err, HasSubstr("'fifo' is a FIFO, expected a plain file"));
}

TEST_F(CommandLine, OutputThatCannotBeWrittenIsNoSuccess) {
    folder_.write("p.vprog", "dump 0 u8 4\n");
    for (const char* arguments : {"run p.vprog", "products", "--help", "--version"}) {
        const Finished full =
            run_program("/bin/sh", {"-c", fmt::format("'{}' {} > /dev/full", VCORE_SIM, arguments)}, folder_.path());
        EXPECT_EQ(full.status, 2) << arguments;
        EXPECT_THAT(full.err, HasSubstr("vcore-sim: cannot write to the standard output\n")) << arguments;
    }
}

TEST_F(CommandLine, ProductsAndDescribe) {
    const Finished products = sim({"products"});
    EXPECT_EQ(products.status, 0);
    for (const char* name : {"ascend950", "atlas-a3", "atlas-a2", "atlas-200i-500-a2", "atlas-inference-aicore",
                             "atlas-inference-vectorcore", "atlas-training"}) {
        EXPECT_THAT(products.out, HasSubstr(name));
        const Finished described = sim({"describe", name});
        EXPECT_EQ(described.status, 0);
        EXPECT_NO_THROW(json::parse(described.out)) << name;
    }
    EXPECT_THAT(sim({"describe", "--keys"}).out, HasSubstr("ub.bank_groups"));
    EXPECT_THAT(sim({"describe", "ascend950", "--set", "latency.load=17"}).out, HasSubstr("17"));
}

// ---- run

TEST_F(CommandLine, S22_the_default_product_is_named) {
    const Finished finished = run("");
    EXPECT_EQ(finished.status, 0);
    EXPECT_EQ(finished.out, "ascend950, mode at: 0 cycles = 0.000 ns, 0 errors, 0 warnings\n");
    EXPECT_EQ(report("")["product"], "ascend950");
    EXPECT_THAT(run("", {"--mode", "lt"}).out, StartsWith("ascend950, mode lt: 0 cycles"));
    EXPECT_EQ(report("")["config_hash"], report("", {"--product", "ascend950"})["config_hash"]);
    EXPECT_EQ(report("", {"--product", "atlas350"})["product"], "ascend950") << "an alias";
}

TEST_F(CommandLine, ExitStatus) {
    const std::string refused = "vf {\n mask.gen m0 b16 v0 part=16\n}\n";
    EXPECT_EQ(run("data 0 u8 1\nexpect 0 u8 1").status, 0);
    EXPECT_EQ(run("expect 0 u8 1").status, 1);
    EXPECT_EQ(run("expect 0 u8").status, 2);
    EXPECT_EQ(run(refused).status, 3);
    EXPECT_EQ(run("expect 0 u8 1\n" + refused).status, 3) << "the highest";
    EXPECT_EQ(run("on_fault continue\n" + refused + "expect 0 u8 1").status, 3);
    EXPECT_EQ(run("expect.fault bad-part\n" + refused).status, 0);
    EXPECT_EQ(run("expect.fault bad-part\nvf {\n}").status, 1);
    EXPECT_EQ(run("for i in 0..2 {\nfill 0 u8 1-i*2 0\n}").status, 2) << "a count that turns negative in the run";
}

TEST_F(CommandLine, DiagnosticsGoToTheErrorStream) {
    const Finished finished = run("vf {\n  mask.gen m0 b16 v0 part=16\n}\n");
    EXPECT_THAT(finished.err, StartsWith("p.vprog:2: error: 'mask.gen': "));
    EXPECT_THAT(finished.err, HasSubstr(" [bad-part]\n"));
    EXPECT_THAT(finished.out, HasSubstr("1 error, 0 warnings"));
    EXPECT_THAT(run("for i in 0..3 {\nexpect 0 u8 1\n}").err, HasSubstr("[expect-mismatch] (3 times)\n"));
    const Finished announced = run("expect.fault bad-part\nvf {\n mask.gen m0 b16 v0 part=16\n}\n");
    EXPECT_EQ(announced.err, "");
    EXPECT_THAT(announced.out, HasSubstr("0 errors"));
}

TEST_F(CommandLine, DumpsAreShown) {
    const Finished finished = run("data 0x800 half iota 18 start=0.5 step=0.5\ndump 0x800 half 18\ndump m0 b8 2");
    EXPECT_EQ(finished.out,
              "line 2: 0x0800 half, 18 elements\n"
              "  0x00800: 0.5 1 1.5 2 2.5 3 3.5 4 4.5 5 5.5 6 6.5 7 7.5 8\n"
              "  0x00820: 8.5 9\n"
              "line 3: m0 b8, 2 elements\n"
              "      [0]: 0x00 0x00\n"
              "ascend950, mode at: 0 cycles = 0.000 ns, 0 errors, 0 warnings\n");
}

TEST_F(CommandLine, QuietLeavesDiagnosticsOnly) {
    const Finished finished = run("dump 0 u8 4\nexpect 0 u8 1", {"--quiet"});
    EXPECT_EQ(finished.status, 1);
    EXPECT_EQ(finished.out, "");
    EXPECT_THAT(finished.err, HasSubstr("[expect-mismatch]"));
}

TEST_F(CommandLine, SettingsReachTheModel) {
    const std::string vf = "vf {\n dup v0 u16 1\n}";
    EXPECT_EQ(report(vf, {"--set", "clock_mhz=1000"})["time_ns"], report(vf)["cycles"]);
    EXPECT_GT(report(vf, {"--set", "latency.duplicate=500"})["cycles"], 500);
    EXPECT_NE(report(vf, {"--set", "latency.duplicate=500"})["config_hash"], report(vf)["config_hash"]);
    EXPECT_EQ(run("data 0x3DFFC b32 1", {"--set", "ub.size_bytes=253952"}).status, 0);
    EXPECT_EQ(run("data 0x3E000 b32 1", {"--set", "ub.size_bytes=253952"}).status, 3);
}

TEST_F(CommandLine, AConfigurationFileIsAProduct) {
    folder_.write("mine.json", sim({"describe", "atlas-a2"}).out);
    EXPECT_EQ(run("", {"--config", "mine.json"}).status, 0);
    EXPECT_EQ(report("", {"--config", "mine.json"})["config_hash"],
              report("", {"--product", "atlas-a2"})["config_hash"]);
    folder_.write("broken.json", "{ \"clock_mhz\": }");
    EXPECT_THAT(run("", {"--config", "broken.json"}).err, HasSubstr("broken.json:1:"));
}

TEST_F(CommandLine, TheDeepestProgramRuns) {
    constexpr int kLoops = 98;
    std::string text = "data 0 u32 0\n";
    for (int i = 0; i < kLoops; ++i) text += fmt::format("for i{0} in 0..1 {{\n", i);
    text += "vf {\ndup v0 u16 7\n}\nexpect v0 u16 7\n";
    for (int i = 0; i < kLoops; ++i) text += "}\n";
    const Finished finished = run(text);
    EXPECT_EQ(finished.status, 0) << finished.err;
}

TEST_F(CommandLine, RunsLongerThanAQuantumKeepTheirTime) {
    const std::string body = "vf repeat=2000 {\n  dup v0 u16 7\n}\n";
    const json result = report(body);
    EXPECT_GT(result["cycles"], 20'000);
    EXPECT_EQ(result["cycles"], result["vf"][0]["total_cycles"]);
}

// ---- the report

TEST_F(CommandLine, TheReportHoldsWhatTheRunDid) {
    const json result = report(R"(
data 0x0400 half iota 300
data 0x1000 u16 iota 384 start=383 step=-1
let n = 128
vf repeat=10 {
  for i in 0..2 {
    mask.create m0 b16 ALL
    load   v0 u16 [0x1100]
    gather v1 half [0x0400] v0 u16 m0
    store  [0x2000] half v1 m0
    barrier VST_VST
  }
}
mte.in 0x8000 1024
dump 0x2000 half 4
)");
    EXPECT_EQ(result["schema"], 1);
    EXPECT_EQ(result["mode"], "at");
    ASSERT_EQ(result["ops"].size(), 6u);
    EXPECT_EQ(result["ops"][2]["op"], "gather");
    EXPECT_EQ(result["ops"][2]["line"], 9);
    EXPECT_EQ(result["ops"][2]["count"], 20);
    EXPECT_GE(result["ops"][2]["cycles"], 20 * 27) << "27 cycles from issue to result";
    EXPECT_EQ(result["ops"][5]["op"], "mte.in");
    EXPECT_EQ(result["ops"][5]["cycles"], 8);
    ASSERT_EQ(result["vf"].size(), 1u);
    EXPECT_EQ(result["vf"][0]["line"], 5);
    EXPECT_EQ(result["vf"][0]["calls"], 10);
    EXPECT_DOUBLE_EQ(result["vf"][0]["cycles"], result["vf"][0]["total_cycles"].get<double>() / 10);
    EXPECT_EQ(result["ub"]["bank_reads"].size(), 16u);
    EXPECT_EQ(result["ub"]["bank_writes"].size(), 16u);
    EXPECT_DOUBLE_EQ(result["time_ns"], result["cycles"].get<double>() * 1000 / 1650);
    EXPECT_EQ(result["dumps"][0]["address"], 0x2000);
    EXPECT_EQ(result["dumps"][0]["type"], "half");
}

TEST_F(CommandLine, ValuesInTheReportAreExact) {
    const json dumps = report(R"(
data 0x000 u64 18446744073709551615 9007199254740993
dump 0x000 u64 2
data 0x100 s64 -9223372036854775808
dump 0x100 s64 1
data 0x200 half nan inf -inf -0.0 0.0999755859375 0x7E01
dump 0x200 half 6
data 0x300 e5m2 0x3C 0x01
dump 0x300 e5m2 2
data 0x400 s8 -1 127
dump 0x400 s8 2
dump 0x400 b16 1
dump v3 u32 2
dump m1 b8 1
data 0x500 float 0.1
dump 0x500 float 1
)")["dumps"];
    EXPECT_EQ(dumps[0]["values"][0].get<std::uint64_t>(), 18446744073709551615u);
    EXPECT_EQ(dumps[0]["values"][1].get<std::uint64_t>(), 9007199254740993u);
    EXPECT_EQ(dumps[0]["hex"], "ffffffffffffffff0100000000002000");
    EXPECT_EQ(dumps[1]["values"][0].get<std::int64_t>(), INT64_MIN);
    EXPECT_EQ(dumps[2]["values"], json::parse(R"(["nan", "inf", "-inf", -0.0, 0.0999755859375, "nan"])"));
    EXPECT_TRUE(std::signbit(dumps[2]["values"][3].get<double>()));
    EXPECT_EQ(dumps[2]["hex"], "007e007c00fc0080662e017e");
    EXPECT_EQ(dumps[3]["values"], json::parse(R"(["0x3c", "0x01"])"));
    EXPECT_EQ(dumps[4]["values"], json::parse("[-1, 127]"));
    EXPECT_EQ(dumps[5]["values"], json::parse("[32767]"));
    EXPECT_EQ(dumps[6]["register"], "v3");
    EXPECT_FALSE(dumps[6].contains("address"));
    EXPECT_EQ(dumps[7]["register"], "m1");
    EXPECT_EQ(dumps[8]["values"][0].get<double>(), static_cast<double>(0.1F));
}

TEST_F(CommandLine, TheReportIsWrittenAlsoWhenTheRunStops) {
    const json result = report("dump 0 u8 1\nvf {\n  mask.gen m0 b16 v0 part=16\n}\ndump 0 u8 1");
    EXPECT_EQ(result["dumps"].size(), 1u);
    ASSERT_EQ(result["diagnostics"].size(), 1u);
    const json& diagnostic = result["diagnostics"][0];
    EXPECT_EQ(diagnostic["severity"], "error");
    EXPECT_EQ(diagnostic["id"], "bad-part");
    EXPECT_EQ(diagnostic["line"], 3);
    EXPECT_EQ(diagnostic["op"], "mask.gen");
    EXPECT_EQ(diagnostic["count"], 1);
}

TEST_F(CommandLine, AGatherPastTheEndNamesLaneAndAddress) {
    const json result = report(R"(
data 0x1000 u32 0 1 2 3 4 5 6 0x3F800000
fill 0x1020 u32 56 0
vf {
  mask.create m0 b32 VL8
  load v0 u32 [0x1000]
  gather v1 float [0x8000] v0 u32 m0
}
)");
    const json& diagnostic = result["diagnostics"][0];
    EXPECT_EQ(diagnostic["id"], "ub-out-of-bounds");
    EXPECT_EQ(diagnostic["lane"], 7);
    EXPECT_EQ(diagnostic["address"], 0x8000 + 4261412864);
}

TEST_F(CommandLine, TheSchemaRefusesWhatIsNoReport) {
    json good = report("dump 0 u8 1");
    for (const char* broken :
         {R"({"op": "remove", "path": "/cycles"})", R"({"op": "replace", "path": "/cycles", "value": -1})",
          R"({"op": "replace", "path": "/cycles", "value": "3"})",
          R"({"op": "replace", "path": "/cycles", "value": 1.5})", R"({"op": "add", "path": "/more", "value": 1})",
          R"({"op": "replace", "path": "/mode", "value": "rtl"})",
          R"({"op": "replace", "path": "/schema", "value": 2})",
          R"({"op": "replace", "path": "/dumps/0/hex", "value": "0"})",
          R"({"op": "replace", "path": "/ub/load_conflict_ratio", "value": 1.5})"}) {
        const json patched = good.patch(json::array({json::parse(broken)}));
        EXPECT_EQ(schema_violations(schema(), patched).size(), 1u) << broken;
    }
}

}  // namespace
}  // namespace vcore::runner::tests
