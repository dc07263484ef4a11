// The op socket in approximately-timed mode: whoever calls, and however, gets the same bytes and the same cycles.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <systemc>

#include "testbenches/conformance/four_phase_initiator.hpp"
#include "testbenches/conformance/platform_bench.hpp"
#include "testbenches/conformance/random_ops.hpp"
#include "testbenches/conformance/reports.hpp"
#include "testbenches/conformance/scripts.hpp"

namespace vcore::conformance {
namespace {

using engine::Mode;
using isa::ElementType;
using isa::MregId;
using isa::UbAddress;
using isa::VregId;

constexpr auto kU32 = ElementType::u32;

const engine::Configuration& ascend950() {
    static const engine::Configuration configuration = platforms::load_product("ascend950", {});
    return configuration;
}

/// When ops dispatched, issued and completed.
class Times final : public engine::TimingListener {
public:
    using Row = std::tuple<std::uint64_t, std::uint32_t, std::uint64_t, std::uint64_t, std::uint64_t>;

    void on_op(const engine::OpRecord& op) override {
        rows_.emplace_back(op.ticket, op.line, op.dispatch.count(), op.issue.count(), op.complete.count());
    }
    void on_traffic(std::uint32_t, timing::Cycle) override {}
    void on_deadlock(const timing::Deadlock&) override { ADD_FAILURE() << "deadlock"; }

    /// In program order.
    std::vector<Row> rows() {
        std::sort(rows_.begin(), rows_.end());
        return rows_;
    }

private:
    std::vector<Row> rows_;
};

/// Names the first op that differs.
void expect_same(const std::vector<Times::Row>& found, const std::vector<Times::Row>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], expected[i]);
}

/// A platform whose UB nobody else is bound to, so that ops run ahead.
class Alone : public sc_core::sc_module {
public:
    explicit Alone(sc_core::sc_module_name name, const engine::Configuration& configuration = ascend950())
        : sc_module(name), top("top", configuration, Mode::approximately_timed) {
        top.core.set_timing_listener(&times);
    }
    void fill_ub(const Bytes& memory) {
        tlm::tlm_generic_payload payload;
        Bytes copy = memory;
        fill(payload, tlm::TLM_WRITE_COMMAND, 0, copy);
        top.ub.transport_dbg(payload);
    }
    Bytes ub_bytes() {
        tlm::tlm_generic_payload payload;
        Bytes bytes(top.ub.size_bytes());
        fill(payload, tlm::TLM_READ_COMMAND, 0, bytes);
        top.ub.transport_dbg(payload);
        return bytes;
    }

    platforms::Top top;
    Times times;
};

class BlockingAlone : public Alone {
public:
    explicit BlockingAlone(sc_core::sc_module_name name) : Alone(name) { ops.socket.bind(top.core.op_socket); }
    transport::OpInitiator ops{"ops"};
};

class FourPhaseAlone : public Alone {
public:
    explicit FourPhaseAlone(sc_core::sc_module_name name, const engine::Configuration& configuration = ascend950())
        : Alone(name, configuration) {
        ops.socket.bind(top.core.op_socket);
    }
    FourPhaseOps ops{"ops"};
};

/// Loads, gathers and stores that keep the pipeline full: the queue runs out of room.
std::vector<isa::Op> busy_function(int length = 60) {
    std::vector<isa::Op> program{isa::VfBegin{}, isa::CreateMask{kU32, MregId{0}, isa::MaskPattern::all}};
    for (int i = 0; i < length; ++i) {
        const VregId v{i % 16};
        program.emplace_back(isa::Load{kU32, v, UbAddress{0x2000 + (i % 4) * 256}});
        program.emplace_back(isa::Adds{kU32, VregId{16 + i % 16}, v, 8, MregId{0}});
        program.emplace_back(isa::Store{kU32, UbAddress{0x8000 + (i % 8) * 256}, VregId{16 + i % 16}, MregId{0}});
    }
    program.emplace_back(isa::VfEnd{});
    return program;
}

void issue_blocking(transport::OpInitiator& ops, const std::vector<isa::Op>& program) {
    for (std::size_t i = 0; i < program.size(); ++i) ops.issue(program[i], static_cast<std::uint32_t>(i + 1));
}

void issue_four_phases(FourPhaseOps& ops, const std::vector<isa::Op>& program) {
    for (std::size_t i = 0; i < program.size(); ++i) {
        ops.request(ops.new_op(program[i], static_cast<std::uint32_t>(i + 1)))->release();
    }
    ops.wait_for_all();
}

TEST(AtOps, EngineBlockingAndFourPhasesTakeTheSameCycles) {
    BlockingAlone blocking("blocking");
    FourPhaseAlone phases("phases");
    phases.ops.replies = {Reply::accepted, Reply::completed, Reply::updated};
    engine::Storage storage(ascend950());
    engine::Core core(ascend950(), storage.registers(), storage.ub(), Mode::approximately_timed);
    Times times;
    core.set_listener(&times);

    unit::Random random(20260101);
    const Bytes memory = random_memory(random, 0x40000);
    std::vector<isa::Op> program;
    for (int i = 0; i < 12; ++i) {
        for (const isa::Op& op : random_program(random)) program.push_back(op);
        for (const isa::Op& op : busy_function()) program.push_back(op);
    }
    blocking.fill_ub(memory);
    phases.fill_ub(memory);
    std::memcpy(storage.ub_bytes(), memory.data(), memory.size());
    core.mark_written(0, 0x40000);
    timing::Cycle now;
    std::uint32_t line = 0;
    for (isa::Op op : program) now = core.issue(op, ++line, now).dispatch;

    Scripts scripts;
    scripts.add([&] { issue_blocking(blocking.ops, program); });
    scripts.add([&] { issue_four_phases(phases.ops, program); });
    scripts.run();

    ASSERT_GT(times.rows().size(), 1000U);
    expect_same(blocking.times.rows(), times.rows());
    expect_same(phases.times.rows(), times.rows());
    EXPECT_EQ(phases.ub_bytes(), blocking.ub_bytes());
    EXPECT_EQ(phases.ops.in_use(), 0U);
}

TEST(AtOps, InitiatorsThatDoNothingChangeNoCycle) {
    BlockingAlone alone("alone");
    PlatformBench beside("beside", {}, "ascend950", Mode::approximately_timed);  // somebody is bound to its UB
    Times times;
    beside.top.core.set_timing_listener(&times);
    unit::Random random(31);
    std::vector<isa::Op> program;
    for (int i = 0; i < 8; ++i) {
        for (const isa::Op& op : random_program(random)) program.push_back(op);
        for (const isa::Op& op : busy_function(10 * i)) program.push_back(op);
    }
    Scripts scripts;
    scripts.add([&] { issue_blocking(alone.ops, program); });
    scripts.add([&] { issue_blocking(beside.ops, program); });
    scripts.run();
    ASSERT_GT(times.rows().size(), 500U);
    expect_same(times.rows(), alone.times.rows());
}

TEST(AtOps, ResultsAreTheSameInBothModesWhateverElseGoesOn) {
    PlatformBench loose("loose");
    PlatformBench timed("timed", {}, "ascend950", Mode::approximately_timed);
    FourPhaseAlone phases("phases");
    unit::Random random(7);
    const Bytes memory = random_memory(random, 0x40000);
    std::vector<isa::Op> program;
    for (int i = 0; i < 30; ++i) {
        for (const isa::Op& op : random_program(random)) program.push_back(op);
    }
    loose.top.ub.reset();
    for (PlatformBench* bench : {&loose, &timed}) {
        tlm::tlm_generic_payload payload;
        Bytes copy = memory;
        fill(payload, tlm::TLM_WRITE_COMMAND, 0, copy);
        bench->top.ub.transport_dbg(payload);
    }
    phases.fill_ub(memory);
    bool done = false;
    Scripts scripts;
    scripts.add([&] { issue_blocking(loose.ops, program); });
    scripts.add([&] {
        issue_blocking(timed.ops, program);
        done = true;
    });
    scripts.add([&] {
        for (std::uint64_t i = 0; !done; ++i) timed.ub.read(i * 32 % 0x3F000, 256);
    });
    scripts.add([&] { issue_four_phases(phases.ops, program); });
    scripts.run();
    EXPECT_EQ(timed.all_of_ub(), loose.all_of_ub());
    EXPECT_EQ(timed.all_vectors(), loose.all_vectors());
    EXPECT_EQ(timed.all_masks(), loose.all_masks());
    EXPECT_EQ(phases.ub_bytes(), loose.all_of_ub());
    EXPECT_EQ(timed.diagnostics().size(), loose.diagnostics().size());
}

TEST(AtOps, AQuantumChangesNoCycle) {
    std::vector<std::unique_ptr<BlockingAlone>> platforms;
    const sc_core::sc_time cycle(1000.0 / 1650, sc_core::SC_NS);
    const std::vector<sc_core::sc_time> quanta{sc_core::SC_ZERO_TIME, cycle, sc_core::sc_time(1, sc_core::SC_US),
                                               sc_core::sc_time(1, sc_core::SC_MS)};
    std::vector<isa::Op> program;
    for (int i = 0; i < 5; ++i) {
        for (const isa::Op& op : busy_function(20 + i)) program.push_back(op);
    }
    Scripts scripts;
    for (const sc_core::sc_time& quantum : quanta) {
        platforms.push_back(std::make_unique<BlockingAlone>(sc_core::sc_gen_unique_name("platform")));
        transport::OpInitiator& ops = platforms.back()->ops;
        scripts.add([&ops, &program, quantum] {
            for (std::size_t i = 0; i < program.size(); ++i) {
                ops.issue(program[i], static_cast<std::uint32_t>(i + 1));
                if (ops.local_time > quantum) ops.sync();
            }
        });
    }
    scripts.run();
    ASSERT_GT(platforms[0]->times.rows().size(), 300U);
    for (const auto& platform : platforms) expect_same(platform->times.rows(), platforms[0]->times.rows());
}

TEST(AtOps, SeveralOpsAreUnderWayAndEachRespondsWhenItCompletes) {
    FourPhaseAlone bench("bench");
    const std::vector<isa::Op> program = busy_function(8);
    std::vector<FourPhaseOps::Handle> handles;
    std::size_t most = 0;
    Scripts scripts;
    scripts.add([&] {
        for (const isa::Op& op : program) {
            handles.push_back(bench.ops.request(bench.ops.new_op(op)));
            most = std::max(most, static_cast<std::size_t>(std::count_if(handles.begin(), handles.end(),
                                                                         [](auto* handle) { return !handle->ended; })));
        }
        bench.ops.wait_for_all();
    });
    scripts.run();
    EXPECT_GT(most, 4U);
    const transport::ClockPeriod period(ascend950().clock_mhz);
    for (FourPhaseOps::Handle handle : handles) {
        EXPECT_TRUE(handle->is_response_ok());
        const transport::OpDescriptor& descriptor = handle->descriptor();
        EXPECT_EQ(handle->responded, period.duration(descriptor.complete_cycle));
        if (!handle->early) {
            EXPECT_EQ(handle->request_ended, period.duration(descriptor.dispatch_cycle));
        }
        handle->release();
    }
    EXPECT_TRUE(handles.front()->early) << "VfBegin";
    EXPECT_FALSE(handles.back()->early) << "VfEnd";
    EXPECT_EQ(bench.ops.in_use(), 0U);
}

TEST(AtOps, T05_a_second_request_is_an_error_and_the_first_goes_on) {
    FourPhaseAlone bench("bench");
    ExpectedReport report("/vcore/core/phase");
    Scripts scripts;
    scripts.add([&] {
        for (const isa::Op& op : busy_function()) {
            auto* const first = bench.ops.new_op(op);
            bench.ops.start(first);
            if (first->ended || first->request_ended >= first->requested) {
                bench.ops.wait_for_request();
                first->release();
                continue;
            }
            // It waits for room: not ended. A second one breaks the rule.
            auto* const second = bench.ops.new_op(op);
            tlm::tlm_phase phase = tlm::BEGIN_REQ;
            sc_core::sc_time delay;
            EXPECT_EQ(bench.ops.socket->nb_transport_fw(*second, phase, delay), tlm::TLM_COMPLETED);
            EXPECT_EQ(second->get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
            EXPECT_EQ(bench.ops.socket->nb_transport_fw(*first, phase, delay), tlm::TLM_ACCEPTED);
            second->release();
            bench.ops.wait_for(first);
            EXPECT_TRUE(first->is_response_ok());
            first->release();
        }
        bench.ops.wait_for_all();
    });
    scripts.run();
    EXPECT_GT(report.count(), 2U);
    EXPECT_EQ(bench.ops.in_use(), 0U);
}

TEST(AtOps, RefusedOpsCompleteEarlyAndTakeNoTime) {
    FourPhaseAlone bench("bench");
    Scripts scripts;
    scripts.add([&] {
        auto* const op = bench.ops.request(bench.ops.new_op(isa::VfEnd{}));
        EXPECT_TRUE(op->early);
        EXPECT_EQ(op->descriptor().fault, isa::DiagnosticId::vf_order);
        EXPECT_EQ(op->responded, sc_core::SC_ZERO_TIME);
        op->release();
        auto* const bare = bench.ops.new_op(isa::VfBegin{});
        bare->set_command(tlm::TLM_READ_COMMAND);
        bench.ops.request(bare);
        EXPECT_TRUE(bare->early);
        EXPECT_EQ(bare->get_response_status(), tlm::TLM_COMMAND_ERROR_RESPONSE);
        bare->release();
    });
    scripts.run();
    EXPECT_EQ(bench.ops.in_use(), 0U);
}

/// A platform with a blocking and a four-phase caller on one op socket.
class Shared : public Alone {
public:
    explicit Shared(sc_core::sc_module_name name) : Alone(name) {
        phases.socket.bind(top.core.op_socket);
        blocking.socket.bind(top.core.op_socket);
    }
    FourPhaseOps phases{"phases"};
    transport::OpInitiator blocking{"blocking"};
};

TEST(AtOps, ABlockingAndAFourPhaseCallerShareTheSocket) {
    Shared bench("bench");
    std::vector<std::string> order;
    Scripts scripts;
    const std::vector<isa::Op> program = busy_function(10);
    scripts.add([&] {
        for (int call = 0; call < 5; ++call) {
            for (std::size_t i = 0; i < program.size(); ++i) {
                auto* const op = bench.phases.request(bench.phases.new_op(program[i]));
                if (i == 0) order.emplace_back("phases begins");
                if (i + 1 == program.size()) {
                    bench.phases.wait_for(op);
                    order.emplace_back("phases ends");
                }
                EXPECT_TRUE(op->ended ? op->is_response_ok() : true);
                op->release();
            }
        }
    });
    scripts.add([&] {
        for (int call = 0; call < 5; ++call) {
            for (std::size_t i = 0; i < program.size(); ++i) {
                bench.blocking.issue(program[i]);
                EXPECT_TRUE(bench.blocking.ok());
            }
            bench.blocking.sync();
        }
    });
    scripts.run();
    EXPECT_EQ(order.size(), 10U);
    EXPECT_EQ(bench.top.core.engine().statistics().vf_calls, 10U);
    EXPECT_EQ(bench.top.core.engine().statistics().refused, 0U);
    EXPECT_EQ(bench.phases.in_use(), 0U);
}

TEST(AtOps, IdleTimeIsFree) {
    FourPhaseAlone bench("bench");
    Scripts scripts;
    scripts.add([&] {
        issue_four_phases(bench.ops, busy_function(4));
        const sc_dt::uint64 deltas = sc_core::sc_delta_count();
        sc_core::wait(sc_core::sc_time(1, sc_core::SC_SEC));
        EXPECT_LE(sc_core::sc_delta_count() - deltas, 4U);
        issue_four_phases(bench.ops, busy_function(4));
    });
    scripts.run(sc_core::sc_time(2, sc_core::SC_SEC));
}

TEST(AtOps, S01_an_index_out_of_range_takes_normal_time) {
    FourPhaseAlone bench("bench");
    const sc_core::sc_time watchdog(10, sc_core::SC_US);
    Scripts scripts;
    scripts.add([&] {
        issue_four_phases(bench.ops,
                          {isa::VfBegin{}, isa::Duplicate{ElementType::u16, VregId{0}, 200},
                           isa::Duplicate{ElementType::u16, VregId{1}, 5},
                           isa::GatherRegister{ElementType::u16, VregId{2}, VregId{1}, VregId{0}}, isa::VfEnd{}});
        EXPECT_LT(sc_core::sc_time_stamp(), watchdog);
    });
    scripts.run(watchdog);
}

TEST(AtOps, AResetFailsWhatIsUnderWayAndTheNextOpWorks) {
    Shared bench("bench");
    Scripts scripts;
    int failed = 0;
    bool blocked_failed = false;
    scripts.add([&] {
        const std::vector<isa::Op> program = busy_function();
        std::vector<FourPhaseOps::Handle> handles;
        for (std::size_t i = 0; i < 60; ++i) handles.push_back(bench.phases.request(bench.phases.new_op(program[i])));
        handles.push_back(bench.phases.new_op(program[60]));
        bench.phases.start(handles.back());
        bench.top.reset();
        bench.phases.wait_for_all();
        for (auto* handle : handles) {
            if (handle->get_response_status() == tlm::TLM_GENERIC_ERROR_RESPONSE) ++failed;
            handle->release();
        }
        sc_core::wait(sc_core::sc_time(1, sc_core::SC_US));
        issue_four_phases(bench.phases, busy_function(6));
    });
    scripts.add([&] {
        sc_core::wait(sc_core::sc_time(5, sc_core::SC_NS));
        bench.blocking.issue(isa::VfBegin{});
        blocked_failed = !bench.blocking.ok();
        if (!blocked_failed) bench.blocking.issue(isa::VfEnd{});
    });
    scripts.run();
    EXPECT_GT(failed, 2);
    EXPECT_FALSE(blocked_failed) << "it waited for its turn, and the reset gave it";
    EXPECT_EQ(bench.phases.in_use(), 0U);
    EXPECT_EQ(bench.top.core.engine().statistics().refused, 0U);
}

TEST(AtOps, AResetWakesACallerThatWaitsForTheDispatch) {
    PlatformBench bench("bench", {}, "ascend950", Mode::approximately_timed);
    Scripts scripts;
    bool failed = false;
    scripts.add([&] {
        for (const isa::Op& op : busy_function(400)) {
            bench.ops.issue(op);
            failed = !bench.ops.ok();
            if (failed) break;
        }
        EXPECT_EQ(bench.ops.status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
        for (const isa::Op& op : busy_function(4)) bench.perform(op);
    });
    scripts.add([&] {
        sc_core::wait(sc_core::sc_time(100, sc_core::SC_NS));
        bench.top.reset();
    });
    scripts.run();
    EXPECT_TRUE(failed);
}

TEST(AtOps, AnAnnotatedRequestTakesEffectWhenItArrives) {
    FourPhaseAlone bench("bench");
    Scripts scripts;
    const sc_core::sc_time delay(100, sc_core::SC_NS);
    scripts.add([&] {
        auto* const begin = bench.ops.new_op(isa::VfBegin{});
        bench.ops.start(begin, delay);
        EXPECT_FALSE(bench.top.core.engine().in_vf());
        bench.ops.wait_for(begin);
        EXPECT_GE(sc_core::sc_time_stamp(), delay);
        EXPECT_TRUE(begin->implied);
        EXPECT_TRUE(bench.top.core.engine().in_vf());
        begin->release();
        issue_four_phases(bench.ops, {isa::VfEnd{}});
    });
    scripts.run();
}

TEST(AtOps, ADeadlockIsReportedAndNothingHangs) {
    engine::Configuration configuration = ascend950();
    configuration.timing.ub.writes_per_group = 0;  // no store is ever granted
    FourPhaseAlone bench("bench", configuration);
    ExpectedReport report("/vcore/core/deadlock");
    bench.top.core.set_timing_listener(nullptr);
    Scripts scripts;
    scripts.add([&] {
        const std::vector<isa::Op> program{isa::VfBegin{}, isa::CreateMask{kU32, MregId{0}, isa::MaskPattern::all},
                                           isa::Duplicate{kU32, VregId{0}, 1},
                                           isa::Store{kU32, UbAddress{0x400}, VregId{0}, MregId{0}}, isa::VfEnd{}};
        std::vector<FourPhaseOps::Handle> handles;
        for (const isa::Op& op : program) {
            handles.push_back(bench.ops.request(bench.ops.new_op(op)));
        }
        bench.ops.wait_for_all();
        EXPECT_EQ(handles[3]->get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
        for (auto* handle : handles) handle->release();
        bench.top.core.reset();
        issue_four_phases(bench.ops, {isa::VfBegin{}, isa::Duplicate{kU32, VregId{0}, 1}, isa::VfEnd{}});
    });
    scripts.run();
    EXPECT_THAT(report.text(), ::testing::HasSubstr("store"));
    EXPECT_THAT(report.text(), ::testing::HasSubstr("waits for banks"));
    EXPECT_EQ(bench.ops.in_use(), 0U);
}

}  // namespace
}  // namespace vcore::conformance
