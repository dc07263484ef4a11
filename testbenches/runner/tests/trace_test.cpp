// Traces: what a viewer finds in them, and what happens to those that do not fit.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>

#include "platforms/products.hpp"
#include "testbenches/runner/bank_waveform.hpp"
#include "testbenches/runner/core_machine.hpp"
#include "testbenches/runner/interpreter.hpp"
#include "testbenches/runner/tests/process.hpp"
#include "testbenches/runner/trace.hpp"
#include "testbenches/runner/vcd_writer.hpp"

namespace vcore::runner {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::StartsWith;

constexpr const char* kProgram = R"(
data 0x0000 u32 iota 256
fill 0x0400 float 512 0.0
mte.in 0x9000 1024 at=5
vf repeat=3 {
  mask.create m0 b32 ALL
  for i in 0..4 {
    load    v0 u32 [0x0000 + i*256]
    gather  v1 float [0x0400] v0 u32 m0
    adds    v2 float v1 1.0 m0
    scatter [0x0400] float v2 v0 u32 m0
    store   [0x8000 + i*256] float v2 m0
    barrier VST_VLD
  }
}
mte.out 0x8000 1024
)";

class TraceFile : public ::testing::Test {
protected:
    tests::Finished sim(const std::string& text, const std::vector<std::string>& more) {
        folder_.write("p.vprog", text);
        std::vector<std::string> arguments{"run", "p.vprog", "--report", "r.json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return tests::run_vcore_sim(arguments, folder_.path());
    }
    json trace(const std::string& text, const std::string& mode) {
        const tests::Finished finished = sim(text, {"--mode", mode, "--trace", "t.json"});
        EXPECT_EQ(finished.status, 0) << finished.err;
        return json::parse(folder_.read("t.json"));
    }
    json report() { return json::parse(folder_.read("r.json")); }

    static std::map<int, std::string> tracks(const json& trace) {
        std::map<int, std::string> names;
        for (const json& event : trace["traceEvents"]) {
            if (event["name"] == "thread_name") names[event["tid"]] = event["args"]["name"];
        }
        return names;
    }
    static std::vector<json> slices(const json& trace) {
        std::vector<json> found;
        for (const json& event : trace["traceEvents"]) {
            if (event["ph"] == "X") found.push_back(event);
        }
        return found;
    }

    tests::TemporaryFolder folder_;
};

TEST_F(TraceFile, T28_every_op_that_began_has_ended) {
    for (const char* mode : {"lt", "at"}) {
        const json events = trace(kProgram, mode);
        std::map<std::pair<int, std::string>, int> found;
        for (const json& slice : slices(events)) {
            EXPECT_GE(slice["dur"], 1) << slice;
            ++found[{slice["args"]["line"], slice["name"]}];
        }
        const json done = report();
        for (const json& op : done["ops"]) {
            EXPECT_EQ((found[{op["line"], op["op"]}]), op["count"]) << mode << op;
        }
        EXPECT_EQ((found[{5, "vf"}]), 3) << mode;
        EXPECT_EQ(found.size(), done["ops"].size() + 1) << "nothing but ops and vector functions";
    }
}

TEST_F(TraceFile, ThereIsATrackForEachUnitAndSlicesDoNotOverlap) {
    const json events = trace(kProgram, "at");
    const auto names = tracks(events);
    std::set<std::string> distinct;
    for (const auto& [thread, name] : names) distinct.insert(name);
    EXPECT_THAT(distinct, IsSupersetOf({"vf", "load", "store", "gather", "scatter", "execution", "mte"}));
    EXPECT_EQ(distinct.size(), names.size());
    std::map<int, std::int64_t> free;
    for (const json& slice : slices(events)) {
        const int thread = slice["tid"];
        ASSERT_EQ(names.count(thread), 1u);
        EXPECT_GE(slice["ts"], free[thread]) << slice;
        free[thread] = slice["ts"].get<std::int64_t>() + slice["dur"].get<std::int64_t>();
        const std::string& track = names.at(thread);
        if (slice["name"] == "gather") {
            EXPECT_THAT(track, StartsWith("gather"));
        }
        if (slice["name"] == "adds") {
            EXPECT_THAT(track, StartsWith("execution"));
        }
    }
}

TEST_F(TraceFile, ASliceSaysWhereAndWhyItWaited) {
    const json events = trace(kProgram, "at");
    bool load_seen = false;
    bool transfer_seen = false;
    for (const json& slice : slices(events)) {
        const json& args = slice["args"];
        if (slice["cat"] == "op" && slice["name"] != "barrier") {
            std::int64_t sum = 0;
            for (const char* part : {"enter", "operands", "bank", "port", "sub_bank", "execute"}) {
                sum += args[part].get<std::int64_t>();
            }
            EXPECT_EQ(sum, args["complete"].get<std::int64_t>() - args["dispatch"].get<std::int64_t>()) << slice;
            EXPECT_LE(args["dispatch"], slice["ts"]);
        }
        if (slice["name"] == "load" && args["address"] == "0x300") {
            load_seen = true;
            EXPECT_EQ(args["line"], 8);
            EXPECT_EQ(args["beats"], 1);
        }
        if (slice["name"] == "mte.in") {
            transfer_seen = true;
            EXPECT_EQ(slice["ts"], 5);
            EXPECT_EQ(slice["dur"], 8);
            EXPECT_EQ(args["address"], "0x9000");
            EXPECT_EQ(args["bytes"], 1024);
        }
    }
    EXPECT_TRUE(load_seen);
    EXPECT_TRUE(transfer_seen);
}

TEST_F(TraceFile, CountersOfBankConflictsGrow) {
    const json events =
        trace("fill 0 u8 8192 0\nvf {\n for i in 0..8 {\n load v0 u16 [0]\n load v1 u16 [0x200]\n }\n}", "at");
    std::int64_t last = -1;
    std::int64_t time = -1;
    for (const json& event : events["traceEvents"]) {
        if (event["ph"] != "C") continue;
        EXPECT_GE(event["ts"], time);
        time = event["ts"];
        EXPECT_GE(event["args"]["load"], last);
        last = event["args"]["load"];
    }
    const json ops = report()["ops"];
    EXPECT_EQ(last, ops[0]["parts"]["bank"].get<std::int64_t>() + ops[1]["parts"]["bank"].get<std::int64_t>());
    EXPECT_GT(last, 0);
}

TEST_F(TraceFile, NothingRunIsATraceWithEmptyTracks) {
    const json events = trace("data 0 u8 1", "at");
    EXPECT_EQ(slices(events).size(), 0u);
    EXPECT_EQ(tracks(events).size(), 7u);
    EXPECT_EQ(events["otherData"]["dropped_events"], 0);
}

TEST_F(TraceFile, ATraceChangesNoCycle) {
    sim(kProgram, {});
    const json without = report();
    for (const char* file : {"t.json", "t.vcd"}) {
        sim(kProgram, {"--trace", file});
        EXPECT_EQ(report(), without) << file;
    }
}

TEST(TraceRing, TheOldestEventsMakeRoomAndAreCounted) {
    const Program program = parse_program(kProgram);
    CoreMachine machine(platforms::load_product("ascend950"), engine::Mode::approximately_timed);
    Trace trace(10);
    Interpreter interpreter(program, "", machine, [](const Dump&) {});
    interpreter.set_trace(&trace);
    interpreter.run();
    std::ostringstream text;
    trace.write_json(text, machine.configuration());
    const json events = json::parse(text.str());
    EXPECT_GT(trace.dropped(), 50u);
    EXPECT_EQ(events["otherData"]["dropped_events"], trace.dropped());
    std::size_t slices = 0;
    std::string last;
    for (const json& event : events["traceEvents"]) {
        if (event["ph"] != "X") continue;
        ++slices;
        if (event["name"] == "mte.out") last = event["name"];
    }
    EXPECT_LE(slices, 10u);
    EXPECT_EQ(last, "mte.out") << "the latest are kept";
}

// ---- waveforms

/// Signals as "bank_3.read", with the times at which each is 1, by an own reading of the format.
std::map<std::string, std::set<std::uint64_t>> high_times(const std::string& text) {
    std::map<std::string, std::string> name_of_code;
    std::map<std::string, std::set<std::uint64_t>> rises;
    std::istringstream stream(text);
    std::string scope;
    std::uint64_t time = 0;
    std::map<std::string, bool> value;
    for (std::string line; std::getline(stream, line);) {
        std::istringstream words(line);
        std::string first;
        words >> first;
        if (first == "$scope") {
            words >> first >> scope;
        } else if (first == "$var") {
            std::string type, width, code, name;
            words >> type >> width >> code >> name;
            name_of_code[code] = scope + "." + name;
            rises[scope + "." + name] = {};
        } else if (first[0] == '#') {
            const std::uint64_t next = std::stoull(first.substr(1));
            EXPECT_GE(next, time) << "time goes on";
            time = next;
        } else if (first[0] == '0' || first[0] == '1') {
            const std::string code = first.substr(1);
            EXPECT_EQ(name_of_code.count(code), 1u) << line;
            const bool is_high = first[0] == '1';
            if (time > 0 || is_high) {
                EXPECT_NE(value[code], is_high) << "a change changes something: " << line;
            }
            value[code] = is_high;
            if (is_high) rises[name_of_code[code]].insert(time);
        }
    }
    for (const auto& [code, is_high] : value) EXPECT_FALSE(is_high) << "all is quiet at the end";
    return rises;
}

TEST_F(TraceFile, T29_all_banks_appear_in_a_waveform) {
    for (const std::string& product : platforms::product_names()) {
        const tests::Finished finished = sim("mte.in 0 32", {"--product", product, "--trace", "t.vcd"});
        ASSERT_EQ(finished.status, 0) << finished.err;
        const auto signals = high_times(folder_.read("t.vcd"));
        const std::size_t banks = report()["ub"]["bank_reads"].size();
        EXPECT_EQ(signals.size(), 2 * banks) << product;
        EXPECT_EQ(signals.count(fmt::format("bank_{}.write", banks - 1)), 1u);
        EXPECT_EQ(signals.at("bank_0.write").size(), 1u) << product;
        EXPECT_EQ(signals.at("bank_0.read").size(), 0u) << product;
    }
}

TEST_F(TraceFile, T29_a_waveform_without_signals_or_activity) {
    std::ostringstream text;
    VcdWriter vcd(text);
    vcd.start();
    vcd.end(0);
    EXPECT_THAT(text.str(), HasSubstr("$enddefinitions $end"));
    EXPECT_EQ(high_times(text.str()).size(), 0u);
    ASSERT_EQ(sim("data 0 u8 1", {"--trace", "t.vcd"}).status, 0);
    EXPECT_EQ(high_times(folder_.read("t.vcd")).size(), 32u);
}

TEST(Waveform, T29_a_signal_that_comes_late_is_refused) {
    std::ostringstream text;
    VcdWriter vcd(text);
    vcd.add("bank_0", "read");
    vcd.start();
    vcd.change(1, 0, true);
    try {
        vcd.add("bank_1", "read");
        FAIL() << "no exception";
    } catch (const std::logic_error& error) {
        EXPECT_THAT(error.what(), HasSubstr("signal bank_1.read comes too late"));
    }
}

TEST_F(TraceFile, AWaveformShowsEachAccessInItsCycle) {
    // The load goes 23 cycles after the call: 8 rows, bank 0 of each group. The store of what it loads goes 9 later.
    ASSERT_EQ(sim("fill 0 u8 256 0\nvf {\n load v0 u16 [0]\n}\nmte.in 0x100 64",
                  {"--set", "clock_mhz=1000", "--trace", "t.vcd"})
                  .status,
              0);
    const auto signals = high_times(folder_.read("t.vcd"));
    const std::uint64_t cycle = 1000;
    for (int bank = 0; bank < 8; ++bank) {
        EXPECT_THAT(signals.at(fmt::format("bank_{}.read", bank)), ElementsAre(23 * cycle)) << bank;
        EXPECT_EQ(signals.at(fmt::format("bank_{}.write", bank)).size(), 0u) << bank;
    }
    // The transfer waits for the end of the vector function, 23 + 9 + 12.
    EXPECT_THAT(signals.at("bank_8.write"), ElementsAre(45 * cycle));
    EXPECT_THAT(signals.at("bank_9.write"), ElementsAre(45 * cycle));
    EXPECT_EQ(signals.at("bank_10.write").size(), 0u);
}

TEST(Waveform, ActivityIsWhatTheCountersCount) {
    const Program program = parse_program(
        "fill 0 u8 4096 0\nvf {\n for i in 0..8 {\n load v0 u16 [i*512]\n store [0x8000 + i*768] u16 v0 m0\n }\n}");
    CoreMachine machine(platforms::load_product("ascend950", {"clock_mhz=1000"}), engine::Mode::approximately_timed);
    BankWaveform waveform;
    machine.set_bank_listener(&waveform);
    Interpreter interpreter(program, "", machine, [](const Dump&) {});
    interpreter.run();
    EXPECT_EQ(waveform.dropped(), 0u);
    std::ostringstream text;
    waveform.write_vcd(text, machine.configuration());
    std::uint64_t touched = 0;
    for (const auto& [signal, times] : high_times(text.str())) touched += times.empty() ? 0 : 1;
    std::uint64_t counted = 0;
    for (const auto* rows : {&machine.statistics().banks.reads, &machine.statistics().banks.writes}) {
        for (const std::uint64_t row : *rows) counted += row > 0 ? 1 : 0;
    }
    EXPECT_EQ(touched, counted);
    EXPECT_GT(counted, 0u);
}

}  // namespace
}  // namespace vcore::runner
