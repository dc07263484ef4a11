// Kernels as their users meet them: each test runs an executable that vcore_add_kernel() made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "testbenches/runner/tests/process.hpp"
#include "testbenches/runner/tests/schema.hpp"

namespace vcore::kernels {
namespace {

using nlohmann::json;
using runner::tests::Finished;
using runner::tests::TemporaryFolder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The line of a source of the tests that holds `text`, as diagnostics write it: "…/faults.asc:21".
std::string place_of(const std::string& file, const std::string& text) {
    const std::string path = std::string(VCORE_KERNEL_TESTS) + "/" + file;
    std::ifstream stream(path);
    std::string line;
    for (int number = 1; std::getline(stream, line); ++number) {
        if (line.find(text) != std::string::npos) return path + ":" + std::to_string(number);
    }
    return "no line holds " + text;
}

class Kernels : public ::testing::Test {
protected:
    Finished run(const std::string& program, const std::string& arguments = "", std::vector<std::string> words = {}) {
        return runner::tests::run_program(program, words, folder_.path(), {"VCORE_ARGS=" + arguments});
    }
    Finished fault(const std::string& name, const std::string& arguments = "") {
        return run(VCORE_KERNEL_FAULTS, arguments, {name});
    }
    void expect_fault(const std::string& name, const std::string& line, const std::string& message) {
        SCOPED_TRACE(name);
        for (const char* const mode : {"--mode at", "--mode lt"}) {
            const Finished found = fault(name, mode);
            EXPECT_EQ(found.status, 3) << found.err;
            EXPECT_THAT(found.err, HasSubstr(place_of("faults.asc", "// line: " + line) + ": error: "));
            EXPECT_THAT(found.err, HasSubstr(message));
        }
    }

    TemporaryFolder folder_;
};

TEST_F(Kernels, PointersThatAreNone) {
    expect_fault("null", "load", "source is a null pointer [null-pointer]");
    expect_fault("foreign", "load",
                 "source points outside the UB: expected an address in its 262144 bytes [foreign-po");
    expect_fault("misaligned", "load", "[misaligned]");
    expect_fault("outside-ub", "load", "[ub-out-of-bounds]");
    expect_fault("null-global", "null global", "the global memory address is null [null-pointer]");
    expect_fault("global-is-ub", "global is ub", "the global memory address points into the UB [foreign-pointer]");
    expect_fault("copy-misaligned", "copy misaligned", "[misaligned]");
    expect_fault("overrun", "overrun",
                 "256 bytes from byte 128 of an allocation of 256 bytes in global memory [outside-");
    expect_fault("freed", "freed",
                 "byte 0 of an allocation of 256 bytes in global memory, which has been freed [freed-m");
}

TEST_F(Kernels, SpaceOrderAndFlags) {
    expect_fault("large-array", "large array",
                 "the __ubuf__ array 'large' of 262144 bytes does not fit: 253696 of 253952 bytes of the UB are left");
    expect_fault("too-many", "too many", "too many vector registers are alive: beyond those of the core, 30 find room");
    expect_fault("outside-vf", "outside a vf", "[vf-order]");
    expect_fault("wait", "wait",
                 "waits for the flag MTE2_V, event 1, which nobody has set: a deadlock on silicon [deadl");
    expect_fault("no-blocks", "launch", "a launch of 0 blocks: expected 1 to 65535 [bad-argument]");
}

TEST_F(Kernels, TensorsQueuesAndFlagsThatCannotBe) {
    struct Mistake {
        std::string name;
        std::string line;
        std::string message;
    };
    const std::vector<Mistake> mistakes{
        {"larger-than-ub", "larger than ub", "a LocalTensor of 262148 bytes at UB address 0 does not lie in the "},
        {"tensor-misaligned", "tensor misaligned", "a LocalTensor at UB address 4: expected a multiple of 32"},
        {"allocator", "allocator", "LocalMemAllocator::Alloc asks for 280000 bytes of UB, 253952 of 253952 are left"},
        {"init-buffer", "init buffer", "TPipe::InitBuffer asks for 200000 bytes of UB, 53952 of 253952 are left"},
        {"wait-flag", "wait flag", "waits for the flag MTE2_V, event 3, which nobody has set: a deadlock on silicon"},
        {"event", "event", "event 8 does not exist: expected 0..7"},
        {"no-memory", "no memory", "dst is a LocalTensor that was never given memory"},
        {"no-global", "no global", "the global memory address is null"},
        {"past-global", "past global", "512 bytes from byte 0 of an allocation of 256 bytes in global memory"},
        {"count", "count", "DataCopy of 28 bytes: expected a multiple of 32; DataCopyPad copies any length"},
        {"element", "element", "element 8 of a LocalTensor of 8 elements"},
        {"global-element", "global element", "of an allocation of 256 bytes in global memory"},
        {"no-buffers", "no buffers", "AllocTensor of a queue that TPipe::InitBuffer gave no buffers"},
        {"empty-queue", "empty queue", "DeQue waits for ever: the queue is empty; EnQue puts a tensor in"},
        {"given-back", "given back", "the LocalTensor was given back by FreeTensor and is used again"},
        {"raw", "load", "points outside the UB"},
    };
    for (const Mistake& mistake : mistakes) {
        SCOPED_TRACE(mistake.name);
        const Finished found = run(VCORE_KERNEL_TENSOR_FAULTS, "", {mistake.name});
        EXPECT_EQ(found.status, 3) << found.err;
        EXPECT_THAT(found.err, HasSubstr(place_of("tensor_faults.asc", "// line: " + mistake.line) + ": error: "));
        EXPECT_THAT(found.err, HasSubstr(mistake.message));
    }
}

TEST_F(Kernels, WarningsNameTheLineAndChangeNoStatus) {
    const Finished twice = fault("set-twice");
    EXPECT_EQ(twice.status, 0);
    EXPECT_THAT(twice.err,
                HasSubstr(place_of("faults.asc", "// line: set twice") + ": warning: the flag MTE2_V, event 1 "
                                                                         "is set already"));
    const Finished never = fault("uninitialised");
    EXPECT_EQ(never.status, 0);
    EXPECT_THAT(never.err, HasSubstr(place_of("faults.asc", "// line: uninitialised") + ": warning: "));
    EXPECT_THAT(never.err, HasSubstr("[uninitialised-read]"));
}

TEST_F(Kernels, FindingsAreToldWhenMainHasReturned) {
    // Nothing else has used the tables that the messages come from: they must still be there.
    const Finished found = fault("uninitialised", "--mode at");
    EXPECT_EQ(found.status, 0) << found.err;
    EXPECT_THAT(found.out, HasSubstr("0 errors, 1 warning"));
}

TEST_F(Kernels, WildAccessEndsWithASentence) {
    const Finished found = fault("wild");
    EXPECT_EQ(found.status, 3);
    EXPECT_THAT(found.err, HasSubstr(place_of("faults.asc", "// line: load") +
                                     ": error: ordinary code after this used address 0x10, a null pointer or close to "
                                     "one [wild-access]"));
}

TEST_F(Kernels, AProductWithoutTheOpRefusesItByLine) {
    const Finished found = fault("misaligned", "--product atlas-a2");
    EXPECT_EQ(found.status, 3);
    EXPECT_THAT(found.err, AllOf(HasSubstr("faults.asc:"), HasSubstr("[unsupported-op]"), HasSubstr("ascend950")));
}

TEST_F(Kernels, ArgumentsBehaveAsThoseOfVcoreSim) {
    const Finished unknown = run(VCORE_KERNEL_PLAIN, "--moed at");
    EXPECT_EQ(unknown.status, 2);
    EXPECT_THAT(unknown.err, HasSubstr("VCORE_ARGS: unknown option '--moed', did you mean '--mode'?"));
    EXPECT_EQ(run(VCORE_KERNEL_PLAIN, "--mode fast").status, 2);
    EXPECT_EQ(run(VCORE_KERNEL_PLAIN, "word").status, 2);
    EXPECT_EQ(run(VCORE_KERNEL_PLAIN, "--set ub.banks=3").status, 2);
    EXPECT_EQ(run(VCORE_KERNEL_PLAIN, "--report /nowhere/r.json").status, 2);
    EXPECT_EQ(run(VCORE_KERNEL_PLAIN, "--trace t.txt").status, 2);
    EXPECT_EQ(run(VCORE_KERNEL_PLAIN, "--set bank_traffic=true").status, 2);
    EXPECT_THAT(run(VCORE_KERNEL_PLAIN, "--help").out, HasSubstr("--record"));
    EXPECT_EQ(run(VCORE_KERNEL_PLAIN, "--quiet").out, "");
}

TEST_F(Kernels, BlocksRunOneAfterAnotherAndTimeGoesOn) {
    for (const char* const mode : {"at", "lt"}) {
        const Finished found = run(VCORE_KERNEL_PLAIN, std::string("--report r.json --mode ") + mode);
        ASSERT_EQ(found.status, 0) << found.out << found.err;
        EXPECT_EQ(found.err, "");
        const json report = json::parse(folder_.read("r.json"));
        std::ifstream schema(VCORE_REPORT_SCHEMA);
        EXPECT_THAT(runner::tests::schema_violations(json::parse(schema), report), ElementsAre());
        ASSERT_EQ(report["vf"].size(), 1U);
        EXPECT_EQ(report["vf"][0]["calls"], 2);
        EXPECT_THAT(report["vf"][0]["file"], HasSubstr("plain.asc"));
        // Two blocks, and nothing beside each other: the whole is longer than both calls.
        EXPECT_GT(report["cycles"], report["vf"][0]["total_cycles"]);
    }
}

TEST_F(Kernels, TraceNamesFiles) {
    ASSERT_EQ(run(VCORE_KERNEL_PLAIN, "--trace t.json").status, 0);
    const json trace = json::parse(folder_.read("t.json"));
    bool found = false;
    for (const json& event : trace["traceEvents"]) {
        if (event.value("name", "") != "adds") continue;
        found = true;
        EXPECT_THAT(event["args"]["file"], HasSubstr("plain.asc"));
    }
    EXPECT_TRUE(found);
    EXPECT_EQ(run(VCORE_KERNEL_PLAIN, "--trace t.vcd").status, 0);
    EXPECT_THAT(folder_.read("t.vcd"), HasSubstr("$enddefinitions"));
}

TEST_F(Kernels, SpilledRegistersAreCounted) {
    const Finished found = run(VCORE_KERNEL_RECORDED, "--report r.json");
    ASSERT_EQ(found.status, 0) << found.out << found.err;
    EXPECT_EQ(found.err, "") << "spills must not warn of reserved bytes or missing barriers";
    const json report = json::parse(folder_.read("r.json"));
    std::uint64_t stores = 0;
    std::uint64_t loads = 0;
    for (const json& op : report["ops"]) {
        if (op["op"] == "spill.store" || op["op"] == "spill.mask.store") stores += op["count"].get<std::uint64_t>();
        if (op["op"] == "spill.load" || op["op"] == "spill.mask.load") loads += op["count"].get<std::uint64_t>();
    }
    EXPECT_GT(stores, 4U * (45 - 32));
    EXPECT_GT(loads, 4U * (45 - 32));
    EXPECT_EQ(report["spills"]["stores"], stores);
    EXPECT_EQ(report["spills"]["loads"], loads);
}

TEST_F(Kernels, ARecordingReplaysWithTheSameBytesAndCycles) {
    for (const std::string program : {VCORE_KERNEL_PLAIN, VCORE_KERNEL_RECORDED}) {
        for (const std::string mode : {"at", "lt"}) {
            SCOPED_TRACE(program + " " + mode);
            const Finished ran = run(program, "--record k.vprog --report k.json --mode " + mode);
            ASSERT_EQ(ran.status, 0) << ran.out << ran.err;
            const Finished replayed =
                runner::tests::run_vcore_sim({"run", "k.vprog", "--mode", mode, "--report", "r.json"}, folder_.path());
            // Bytes that leave the UB stand in the program as `expect`.
            EXPECT_EQ(replayed.status, 0) << replayed.out << replayed.err;
            EXPECT_THAT(folder_.read("k.vprog"), HasSubstr("expect 0x"));
            const json kernel = json::parse(folder_.read("k.json"));
            const json replay = json::parse(folder_.read("r.json"));
            EXPECT_EQ(kernel["cycles"], replay["cycles"]);
            EXPECT_EQ(kernel["ub"], replay["ub"]);
        }
    }
}

TEST_F(Kernels, ARecordingHoldsTheOpThatWasRefused) {
    EXPECT_EQ(fault("misaligned", "--record k.vprog").status, 3);
    const Finished replayed = runner::tests::run_vcore_sim({"run", "k.vprog"}, folder_.path());
    EXPECT_EQ(replayed.status, 3);
    EXPECT_THAT(replayed.err, HasSubstr("[misaligned]"));
    EXPECT_EQ(run(VCORE_KERNEL_PLAIN, "--record k.txt").status, 2);
}

}  // namespace
}  // namespace vcore::kernels
