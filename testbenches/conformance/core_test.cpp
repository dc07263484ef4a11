// The vector core's sockets: answers, time, several initiators, no leaks and no allocation. Names start with the id of
// the case where there is one.
#include <array>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include "testbenches/conformance/allocations.hpp"
#include "testbenches/conformance/platform_bench.hpp"
#include "testbenches/conformance/reports.hpp"
#include "tlm/clock_period.hpp"
#include "tlm/indexed_splitter.hpp"

namespace vcore::conformance {
namespace {

using isa::DiagnosticId;
using isa::ElementType;
using isa::MregId;
using isa::UbAddress;
using isa::VregId;
using sc_core::SC_NS;
using sc_core::SC_PS;
using sc_core::sc_time;
using sc_core::SC_US;
using sc_core::SC_ZERO_TIME;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto kU16 = ElementType::u16;
constexpr auto kU32 = ElementType::u32;

isa::Gather gather_u32(int dst, std::int64_t base, int index, int mask) {
    return {kU32, kU32, kU32, VregId{dst}, UbAddress{base}, VregId{index}, MregId{mask}};
}

/// A table of 64 words 100, 101 … at 0x1000, the numbers 63 … 0 at 0x400, and a VF that has loaded them into v0.
void open_gather(PlatformBench& bench) {
    bench.ub.write(0x1000, bytes_of(iota<std::uint32_t>(64, 100)));
    bench.ub.write(0x0400, bytes_of(iota<std::uint32_t>(64, 63, -1)));
    bench.perform(isa::VfBegin{});
    bench.perform(isa::CreateMask{kU32, MregId{0}, isa::MaskPattern::all});
    bench.perform(isa::Load{kU32, VregId{0}, UbAddress{0x400}});
}

// ---- answers

TEST(OpSocket, S05_gather_then_a_register_read_in_the_same_delta) {
    PlatformBench direct("direct");
    PlatformBench refused("refused");
    refused.set_direct_memory(false);
    for (PlatformBench* bench : {&direct, &refused}) {
        bench->ub.script = [bench] {
            open_gather(*bench);
            const std::uint64_t delta = sc_core::sc_delta_count();
            const transport::OpDescriptor gather = bench->perform(gather_u32(1, 0x1000, 0, 0));
            const auto now = elements_of<std::uint32_t>(bench->vectors.read(256, 256));
            EXPECT_EQ(sc_core::sc_delta_count(), delta);
            EXPECT_EQ(now, iota<std::uint32_t>(64, 163, -1));

            EXPECT_GT(gather.complete_cycle, gather.issue_cycle);
            const transport::ClockPeriod period(bench->top.configuration().clock_mhz);
            sc_core::wait(period.duration(gather.complete_cycle));
            EXPECT_EQ(elements_of<std::uint32_t>(bench->vectors.read(256, 256)), now);
        };
    }
    sc_core::sc_start();
    EXPECT_TRUE(direct.ub.finished);
    EXPECT_TRUE(refused.ub.finished);
}

TEST(OpSocket, S15a_a_read_after_a_scatter_sees_the_new_data) {
    PlatformBench bench("bench");
    elaborate();
    open_gather(bench);
    bench.perform(isa::Scatter{kU32, kU32, UbAddress{0x2000}, VregId{0}, VregId{0}, MregId{0}});
    EXPECT_EQ(elements_of<std::uint32_t>(bench.ub.read(0x2000, 256)), iota<std::uint32_t>(64, 0));
}

TEST(OpSocket, S18_the_mask_register_survives_the_instruction) {
    PlatformBench bench("bench");
    elaborate();
    open_gather(bench);
    for (int k = 0; k < 8; ++k) {
        bench.masks.write(static_cast<std::uint64_t>(k) * 32, Bytes(32, static_cast<unsigned char>(0x11 * (k + 1))));
    }
    const Bytes before = bench.all_masks();
    bench.perform(gather_u32(1, 0x1000, 0, 3));
    EXPECT_EQ(bench.all_masks(), before);
}

TEST(OpSocket, A51_registers_past_the_end_are_errors_and_alias_nothing) {
    PlatformBench bench("bench");
    elaborate();
    open_gather(bench);
    const Bytes vectors = bench.all_vectors();
    const Bytes masks = bench.all_masks();
    bench.refuse(gather_u32(32, 0x1000, 0, 0), DiagnosticId::bad_register);
    bench.refuse(gather_u32(1, 0x1000, 32, 0), DiagnosticId::bad_register);
    bench.refuse(gather_u32(1, 0x1000, 0, 8), DiagnosticId::bad_register);
    bench.refuse(isa::CreateMask{kU32, MregId{8}, isa::MaskPattern::vl1}, DiagnosticId::bad_register);
    bench.refuse(isa::Duplicate{kU32, VregId{32}, 7}, DiagnosticId::bad_register);
    bench.refuse(isa::Duplicate{kU32, VregId{-1}, 7}, DiagnosticId::bad_register);
    bench.refuse(isa::Duplicate{kU32, VregId{std::int64_t{1} << 32}, 7}, DiagnosticId::bad_register);
    EXPECT_EQ(bench.all_vectors(), vectors);
    EXPECT_EQ(bench.all_masks(), masks);
    EXPECT_THAT(bench.diagnostics().front().message, HasSubstr("32"));
}

TEST(OpSocket, in_out_fields_come_back) {
    PlatformBench bench("bench");
    elaborate();
    bench.perform(isa::VfBegin{});
    const auto& update = bench.perform(isa::UpdateMask{kU32, MregId{1}, 127});
    EXPECT_EQ(std::get<isa::UpdateMask>(update.op).count, 63);
    const auto& load = bench.perform(isa::Load{kU16, VregId{0}, UbAddress{0x100}, 128});
    EXPECT_EQ(std::get<isa::Load>(load.op).address, UbAddress{0x200});
    bench.refuse(isa::Load{kU16, VregId{0}, UbAddress{0x101}, 128}, DiagnosticId::misaligned);
    EXPECT_EQ(std::get<isa::Load>(bench.ops.descriptor().op).address, UbAddress{0x101});
}

TEST(OpSocket, an_op_in_the_wrong_place_is_refused) {
    PlatformBench bench("bench");
    elaborate();
    const isa::TensorScatter tensor{
        ElementType::half, UbAddress{0}, UbAddress{0x400}, UbAddress{0x800}, 0, isa::TensorScatterForm::count, 4};
    bench.refuse(isa::VfEnd{}, DiagnosticId::vf_order);
    bench.refuse(isa::Duplicate{kU32, VregId{0}, 7}, DiagnosticId::vf_order);
    bench.perform(isa::VfBegin{});
    bench.refuse(isa::VfBegin{}, DiagnosticId::vf_order);
    bench.refuse(tensor, DiagnosticId::vf_order);
    bench.perform(isa::Duplicate{kU32, VregId{0}, 7});
    bench.perform(isa::VfEnd{});
    EXPECT_EQ(elements_of<std::uint32_t>(bench.vector(0)), std::vector<std::uint32_t>(64, 7));
}

TEST(OpSocket, a_payload_that_is_no_op_is_answered_and_changes_nothing) {
    PlatformBench bench("bench");
    elaborate();
    tlm::tlm_generic_payload payload;
    sc_time delay(5, SC_NS);
    const auto send = [&] {
        payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        payload.set_dmi_allowed(true);
        bench.ops.socket->b_transport(payload, delay);
        EXPECT_FALSE(payload.is_dmi_allowed());
        EXPECT_EQ(delay, sc_time(5, SC_NS));
        return payload.get_response_status();
    };
    payload.set_command(tlm::TLM_IGNORE_COMMAND);
    EXPECT_EQ(send(), tlm::TLM_GENERIC_ERROR_RESPONSE) << "no extension";

    transport::OpExtension extension;
    extension.descriptor.op = isa::VfBegin{};
    payload.set_extension(&extension);
    for (const std::uint32_t version : {0U, transport::kOpDescriptorVersion + 1, ~0U}) {
        extension.descriptor.version = version;
        EXPECT_EQ(send(), tlm::TLM_GENERIC_ERROR_RESPONSE) << "version " << version;
    }
    extension.descriptor.version = transport::kOpDescriptorVersion;
    for (const tlm::tlm_command command : {tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND}) {
        payload.set_command(command);
        EXPECT_EQ(send(), tlm::TLM_COMMAND_ERROR_RESPONSE);
    }
    EXPECT_FALSE(bench.top.core.engine().in_vf());
    EXPECT_EQ(bench.top.core.engine().statistics().ops, 0U);
    EXPECT_TRUE(bench.diagnostics().empty());
    payload.clear_extension(&extension);
}

TEST(OpSocket, debug_transport_moves_nothing) {
    PlatformBench bench("bench");
    elaborate();
    Bytes data(8);
    tlm::tlm_generic_payload payload;
    fill(payload, tlm::TLM_READ_COMMAND, 0, data);
    EXPECT_EQ(bench.ops.socket->transport_dbg(payload), 0U);
    bench.perform(isa::VfBegin{});
    EXPECT_EQ(bench.ops.socket->transport_dbg(payload), 0U);
}

TEST(OpSocket, nb_transport_completes_at_begin_req_with_the_same_annotation) {
    PlatformBench blocking("blocking");
    PlatformBench nonblocking("nonblocking");
    elaborate();
    const std::array<isa::Op, 4> program{isa::VfBegin{}, isa::Duplicate{kU32, VregId{0}, 7},
                                         isa::Duplicate{kU32, VregId{99}, 7}, isa::VfEnd{}};
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_IGNORE_COMMAND);
    transport::OpExtension extension;
    payload.set_extension(&extension);
    sc_time delay;
    for (const isa::Op& op : program) {
        const auto& expected = blocking.ops.issue(op);
        extension.descriptor = transport::OpDescriptor();
        extension.descriptor.op = op;
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        EXPECT_EQ(nonblocking.ops.socket->nb_transport_fw(payload, phase, delay), tlm::TLM_COMPLETED);
        EXPECT_EQ(payload.get_response_status(), blocking.ops.status());
        EXPECT_EQ(extension.descriptor.complete_cycle, expected.complete_cycle);
        EXPECT_EQ(delay, blocking.ops.local_time);
    }
    {
        const ExpectedReport report("/vcore/core/phase");
        tlm::tlm_phase phase = tlm::END_RESP;
        nonblocking.ops.socket->nb_transport_fw(payload, phase, delay);
    }
    payload.clear_extension(&extension);
}

// ---- time

TEST(OpSocket, the_delay_moves_to_the_dispatch_cycle) {
    PlatformBench bench("bench");
    elaborate();
    open_gather(bench);
    const transport::ClockPeriod period(bench.top.configuration().clock_mhz);
    sc_time before = bench.ops.local_time;
    for (int i = 0; i < 200; ++i) {
        const auto& gather = bench.perform(gather_u32(1 + i % 8, 0x1000, 0, 0));
        EXPECT_EQ(bench.ops.local_time, period.duration(gather.dispatch_cycle));
        EXPECT_GE(bench.ops.local_time, before);
        EXPECT_LE(gather.dispatch_cycle, gather.complete_cycle);
        before = bench.ops.local_time;
    }
    const auto& end = bench.perform(isa::VfEnd{});
    EXPECT_EQ(bench.top.core.engine().statistics().last_completion, timing::Cycle(end.complete_cycle));
}

TEST(OpSocket, a_call_between_two_edges_counts_from_the_later_one) {
    PlatformBench bench("bench", {"clock_mhz=1000"});
    elaborate();
    bench.ops.local_time = sc_time(1, SC_PS);
    bench.refuse(isa::VfEnd{}, DiagnosticId::vf_order);
    EXPECT_EQ(bench.ops.local_time, sc_time(1, SC_NS));
    bench.refuse(isa::VfEnd{}, DiagnosticId::vf_order);
    EXPECT_EQ(bench.ops.local_time, sc_time(1, SC_NS)) << "on an edge nothing is added";
    bench.ops.local_time = sc_time(1001, SC_PS);
    EXPECT_EQ(bench.ops.issue(isa::VfEnd{}).dispatch_cycle, 2U);
}

TEST(OpSocket, cycles_do_not_depend_on_how_far_the_caller_runs_ahead) {
    PlatformBench decoupled("decoupled");
    PlatformBench synchronous("synchronous");
    std::vector<std::uint64_t> ahead;
    std::vector<std::uint64_t> stepwise;
    const auto run = [](PlatformBench& bench, bool sync, std::vector<std::uint64_t>& cycles) {
        open_gather(bench);
        for (int i = 0; i < 50; ++i) {
            cycles.push_back(bench.perform(gather_u32(1 + i % 8, 0x1000, 0, 0)).complete_cycle);
            if (sync) bench.ops.sync();
        }
        cycles.push_back(bench.perform(isa::VfEnd{}).complete_cycle);
    };
    decoupled.ub.script = [&] { run(decoupled, false, ahead); };
    synchronous.ub.script = [&] { run(synchronous, true, stepwise); };
    sc_core::sc_start();
    ASSERT_EQ(ahead.size(), 51U);
    EXPECT_EQ(stepwise, ahead);
}

TEST(OpSocket, reset_ends_the_function_and_forgets_time) {
    PlatformBench bench("bench");
    elaborate();
    open_gather(bench);
    bench.top.reset();
    bench.ops.local_time = SC_ZERO_TIME;
    EXPECT_FALSE(bench.top.core.engine().in_vf());
    EXPECT_EQ(bench.top.core.engine().statistics().ops, 0U);
    EXPECT_EQ(bench.all_vectors(), Bytes(32 * 256, 0));
    EXPECT_EQ(bench.all_masks(), Bytes(8 * 32, 0));
    EXPECT_EQ(bench.all_of_ub(), Bytes(bench.top.ub.size_bytes(), 0));
    const auto first = bench.perform(isa::VfBegin{}).dispatch_cycle;
    bench.top.reset();
    bench.ops.local_time = SC_ZERO_TIME;
    EXPECT_EQ(bench.perform(isa::VfBegin{}).dispatch_cycle, first);
}

// ---- several initiators

/// An op initiator with a process that runs a script.
class Issuer : public sc_core::sc_module {
public:
    explicit Issuer(sc_core::sc_module_name name, bool as_method = false) : sc_module(name) {
        SC_HAS_PROCESS(Issuer);
        if (as_method) {
            SC_METHOD(run);
        } else {
            SC_THREAD(run);
        }
        process = sc_core::sc_get_current_process_handle();
    }
    transport::OpInitiator ops{"ops"};
    std::function<void()> script;
    bool finished = false;
    sc_core::sc_process_handle process;

private:
    void run() {
        if (script) script();
        finished = true;
    }
};

TEST(SeveralInitiators, the_second_waits_for_the_end_of_the_function) {
    PlatformBench bench("bench", {"clock_mhz=1000"});
    Issuer other("other");
    other.ops.socket.bind(bench.top.core.op_socket);
    std::vector<std::string> order;
    bench.ub.script = [&] {
        bench.perform(isa::VfBegin{});
        sc_core::wait(100, SC_NS);
        order.emplace_back("first ends");
        bench.perform(isa::VfEnd{});
        bench.ops.sync();
    };
    other.script = [&] {
        sc_core::wait(10, SC_NS);
        order.emplace_back("second calls");
        other.ops.local_time = sc_time(20, SC_NS);  // of which 90 ns of waiting leave nothing
        const auto& begin = other.ops.issue(isa::VfBegin{});
        order.emplace_back("second begins");
        EXPECT_TRUE(other.ops.ok());
        EXPECT_EQ(sc_core::sc_time_stamp(), sc_time(100, SC_NS));
        EXPECT_GE(begin.dispatch_cycle, 100U);
        EXPECT_EQ(sc_core::sc_time_stamp() + other.ops.local_time,
                  sc_time(static_cast<double>(begin.dispatch_cycle), SC_NS));
        other.ops.issue(isa::VfEnd{});
    };
    sc_core::sc_start();
    EXPECT_TRUE(bench.ub.finished);
    EXPECT_TRUE(other.finished);
    EXPECT_THAT(order, ElementsAre("second calls", "first ends", "second begins"));
    EXPECT_EQ(bench.top.core.engine().statistics().vf_calls, 2U);
    EXPECT_TRUE(bench.diagnostics().empty());
}

TEST(SeveralInitiators, one_that_runs_function_after_function_does_not_starve_the_other) {
    PlatformBench bench("bench");
    Issuer other("other");
    other.ops.socket.bind(bench.top.core.op_socket);
    int functions = 0;
    int functions_when_served = -1;
    bench.ub.script = [&] {
        for (; functions < 1000; ++functions) {
            bench.perform(isa::VfBegin{});
            bench.ops.sync();
            bench.perform(isa::VfEnd{});
        }
    };
    other.script = [&] {
        sc_core::wait(1, SC_US);
        other.ops.issue(isa::VfBegin{});
        functions_when_served = functions;
        other.ops.issue(isa::VfEnd{});
    };
    sc_core::sc_start();
    EXPECT_TRUE(bench.ub.finished);
    EXPECT_TRUE(other.finished);
    EXPECT_GT(functions_when_served, 0);
    EXPECT_LT(functions_when_served, 200);
}

TEST(SeveralInitiators, who_cannot_wait_is_told_that_the_core_is_busy) {
    PlatformBench bench("bench");
    Issuer method("method", true);
    method.ops.socket.bind(bench.top.core.op_socket);
    elaborate();
    bench.perform(isa::VfBegin{});  // from sc_main, no process
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(method.ops.issue(isa::VfBegin{}, 17).fault, DiagnosticId::busy);
        EXPECT_EQ(method.ops.status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
    }
    ASSERT_EQ(bench.diagnostics().size(), 1U);
    EXPECT_EQ(bench.diagnostics()[0].id, DiagnosticId::busy);
    EXPECT_EQ(bench.diagnostics()[0].line, 17U);
    EXPECT_EQ(bench.diagnostics()[0].count, 3U);
    EXPECT_FALSE(bench.diagnostics()[0].message.empty());
    bench.perform(isa::VfEnd{});
    EXPECT_EQ(method.ops.issue(isa::VfBegin{}).fault, DiagnosticId::none);
    EXPECT_EQ(bench.ops.issue(isa::VfBegin{}).fault, DiagnosticId::busy);
}

TEST(SeveralInitiators, a_method_process_and_nb_transport_never_wait) {
    PlatformBench bench("bench");
    Issuer method("method", true);
    Issuer thread("thread");
    method.ops.socket.bind(bench.top.core.op_socket);
    thread.ops.socket.bind(bench.top.core.op_socket);
    bench.ub.at_end_of_elaboration = [&] { bench.perform(isa::VfBegin{}); };
    method.script = [&] { EXPECT_EQ(method.ops.issue(isa::VfBegin{}).fault, DiagnosticId::busy); };
    thread.script = [&] {
        tlm::tlm_generic_payload payload;
        payload.set_command(tlm::TLM_IGNORE_COMMAND);
        transport::OpExtension extension;
        extension.descriptor.op = isa::VfBegin{};
        payload.set_extension(&extension);
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_time delay;
        EXPECT_EQ(thread.ops.socket->nb_transport_fw(payload, phase, delay), tlm::TLM_COMPLETED);
        EXPECT_EQ(payload.get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
        EXPECT_EQ(extension.descriptor.fault, DiagnosticId::busy);
        payload.clear_extension(&extension);
    };
    sc_core::sc_start();
    EXPECT_TRUE(method.finished);
    EXPECT_TRUE(thread.finished);
}

TEST(SeveralInitiators, a_killed_process_leaves_the_queue) {
    PlatformBench bench("bench");
    Issuer killed("killed");
    Issuer patient("patient");
    killed.ops.socket.bind(bench.top.core.op_socket);
    patient.ops.socket.bind(bench.top.core.op_socket);
    bench.ub.script = [&] {
        bench.perform(isa::VfBegin{});
        sc_core::wait(10, SC_NS);
        killed.process.kill();
        bench.perform(isa::VfEnd{});
    };
    for (Issuer* issuer : {&killed, &patient}) {
        issuer->script = [issuer] {
            sc_core::wait(1, SC_NS);
            issuer->process = sc_core::sc_get_current_process_handle();
            issuer->ops.issue(isa::VfBegin{});
            issuer->ops.issue(isa::VfEnd{});
        };
    }
    sc_core::sc_start();
    EXPECT_FALSE(killed.finished);
    EXPECT_TRUE(patient.finished);
    EXPECT_EQ(bench.top.core.engine().statistics().vf_calls, 2U);
}

TEST(SeveralInitiators, T26_the_run_ends_by_itself_in_both_orders) {
    PlatformBench early("early");
    PlatformBench late("late");
    const auto finish = [](PlatformBench& bench, Prober& last) {
        for (Prober* prober : {&bench.ub, &bench.transfers}) {
            prober->script = [prober, &last] {
                EXPECT_EQ(prober->write(0x400, Bytes(64, 1)).status, tlm::TLM_OK_RESPONSE);
                if (prober == &last) sc_core::wait(1, SC_US);
                EXPECT_EQ(prober->write(0x800, Bytes(64, 1)).status, tlm::TLM_OK_RESPONSE);
            };
        }
    };
    finish(early, early.ub);
    finish(late, late.transfers);
    sc_core::sc_start();
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_time(1, SC_US));
    EXPECT_FALSE(sc_core::sc_pending_activity());
    for (PlatformBench* bench : {&early, &late}) {
        EXPECT_TRUE(bench->ub.finished);
        EXPECT_TRUE(bench->transfers.finished);
    }
}

/// A platform with one initiator that gathers a word and one that scatters it at the same clock edge. Their processes
/// are made in one order or the other.
class Race : public sc_core::sc_module {
public:
    Race(sc_core::sc_module_name name, bool scatter_made_first) : sc_module(name), bench("bench") {
        if (scatter_made_first) scatter = std::make_unique<Issuer>("scatter");
        gather = std::make_unique<Issuer>("gather");
        if (!scatter_made_first) scatter = std::make_unique<Issuer>("scatter");
        gather->ops.socket.bind(bench.top.core.op_socket);
        scatter->ops.socket.bind(bench.top.core.op_socket);
        gather->script = [this] { run(*gather, gather_u32(1, 0x1000, 0, 0)); };
        scatter->script = [this] {
            run(*scatter, isa::Scatter{kU32, kU32, UbAddress{0x1000}, VregId{2}, VregId{0}, MregId{0}});
        };
    }
    static void run(Issuer& issuer, const isa::Op& op) {
        sc_core::wait(10, SC_NS);
        for (const isa::Op& step : {isa::Op{isa::VfBegin{}}, op, isa::Op{isa::VfEnd{}}}) {
            issuer.ops.issue(step);
            EXPECT_TRUE(issuer.ops.ok());
        }
    }

    PlatformBench bench;
    std::unique_ptr<Issuer> gather;
    std::unique_ptr<Issuer> scatter;
};

TEST(SeveralInitiators, T27_the_order_of_two_processes_decides_nothing) {
    Race one("one", false);
    Race other("other", true);
    for (Race* race : {&one, &other}) {
        PlatformBench& bench = race->bench;
        bench.ub.at_end_of_elaboration = [&bench] {
            bench.vectors.write(2 * 256, bytes_of(std::vector<std::uint32_t>(64, 7)));
            bench.masks.write(0, Bytes(32, 0x01));
            bench.ub.write(0x1000, bytes_of(std::vector<std::uint32_t>(64, 5)));
        };
    }
    sc_core::sc_start();
    for (Race* race : {&one, &other}) {
        EXPECT_TRUE(race->gather->finished);
        EXPECT_TRUE(race->scatter->finished);
        EXPECT_EQ(elements_of<std::uint32_t>(race->bench.vector(1))[0], 5U) << "the gather is bound first";
        EXPECT_EQ(elements_of<std::uint32_t>(race->bench.ub.read(0x1000, 4))[0], 7U);
    }
    EXPECT_EQ(one.bench.all_vectors(), other.bench.all_vectors());
    EXPECT_EQ(one.gather->ops.descriptor().complete_cycle, other.gather->ops.descriptor().complete_cycle);
    EXPECT_EQ(one.scatter->ops.descriptor().complete_cycle, other.scatter->ops.descriptor().complete_cycle);
}

// ---- leaks and allocation

TEST(OpSocket, a_thousand_refused_ops_leak_nothing) {
    PlatformBench bench("bench");
    elaborate();
    bench.set_direct_memory(false);  // so that payloads are used at all
    open_gather(bench);
    const isa::Op refused = gather_u32(1, 0x3FFE0, 0, 0);  // the index leads past the end
    bench.refuse(refused, DiagnosticId::ub_out_of_bounds);
    const Bytes ub = bench.all_of_ub();
    const Bytes vectors = bench.all_vectors();
    const std::size_t created = bench.top.core.payloads().created();
    const std::uint64_t before = allocations();
    for (int i = 0; i < 1000; ++i) bench.ops.issue(refused);
    EXPECT_EQ(allocations(), before);
    EXPECT_FALSE(bench.ops.ok());
    EXPECT_EQ(bench.top.core.payloads().outstanding(), 0U);
    EXPECT_EQ(bench.top.core.payloads().created(), created);
    EXPECT_EQ(bench.all_of_ub(), ub);
    EXPECT_EQ(bench.all_vectors(), vectors);
    ASSERT_EQ(bench.diagnostics().size(), 1U);
    EXPECT_EQ(bench.diagnostics()[0].count, 1001U);
    EXPECT_EQ(bench.top.core.engine().statistics().refused, 1001U);
    bench.perform(gather_u32(1, 0x1000, 0, 0));
}

/// One op of each kind, in an order that is legal again and again.
std::vector<isa::Op> one_of_each_kind() {
    const VregId v0{0}, v1{1}, v2{2}, v3{3};
    const MregId m0{0}, m1{1};
    return {
        isa::TensorScatter{kU16, UbAddress{0x4000}, UbAddress{0x5000}, UbAddress{0x6000}, 0,
                           isa::TensorScatterForm::count, 128},
        isa::VfBegin{},
        isa::CreateMask{kU32, m0, isa::MaskPattern::all},
        isa::UpdateMask{kU32, m1, 64},
        isa::MaskGen{kU16, m1, v0, 0},
        isa::MaskStore{UbAddress{0x7000}, m0, isa::MaskStoreMode::norm},
        isa::Barrier{isa::BarrierKind::vst_vld},
        isa::MaskLoad{m0, UbAddress{0x7000}, isa::MaskLoadMode::norm},
        isa::Load{kU32, v0, UbAddress{0x400}},
        isa::Load{ElementType::u64, {v2, v3}, UbAddress{0x400}},
        isa::BlockLoad{kU32, v3, UbAddress{0x1000}, 1, m0},
        isa::Gather{kU32, kU32, kU32, v1, UbAddress{0x1000}, v0, m0},
        isa::GatherBlock{kU32, v2, UbAddress{0x1000}, v3, MregId{7}},
        isa::GatherRegister{kU32, v2, v1, v0},
        isa::Add{kU32, v1, v1, v2, m0},
        isa::Adds{kU32, v1, v1, 3, m0},
        isa::Duplicate{kU32, v2, 9},
        isa::Store{kU32, UbAddress{0x8000}, v1, m0},
        isa::BlockStore{kU32, UbAddress{0x9000}, v1, 2, m0},
        isa::Scatter{kU32, kU32, UbAddress{0xA000}, v1, v0, m0},
        isa::VfEnd{},
    };
}

TEST(OpSocket, no_heap_allocation_in_steady_state) {
    PlatformBench bench("bench");
    PlatformBench traffic("traffic", {"ub.bank_traffic=true"});
    elaborate();
    const std::vector<isa::Op> program = one_of_each_kind();
    const auto run = [&program](PlatformBench& on, int times) {
        for (int i = 0; i < times; ++i) {
            for (const isa::Op& op : program) {
                on.ops.issue(op);
                EXPECT_TRUE(on.ops.ok()) << isa::name(isa::kind_of(op));
            }
        }
    };
    for (PlatformBench* on : {&bench, &traffic}) {
        on->ub.write(0x1000, bytes_of(iota<std::uint32_t>(64, 0)));
        on->ub.write(0x0400, bytes_of(iota<std::uint32_t>(64, 63, -1)));
        on->ub.write(0x6000, bytes_of(iota<std::uint32_t>(128, 0, 2)));
    }
    for (const bool direct : {true, false}) {
        for (PlatformBench* on : {&bench, &traffic}) {
            on->set_direct_memory(direct);
            run(*on, 20);
            const std::uint64_t before = allocations();
            run(*on, 100);
            EXPECT_EQ(allocations(), before) << on->name() << ", direct memory " << direct;
        }
    }
}

// ---- a core on a stranger's memories

/// tlm_utils' plain target with a memory that grants no DMI, and may be told to answer with an error.
class PlainMemory : public sc_core::sc_module {
public:
    PlainMemory(sc_core::sc_module_name name, std::size_t size) : sc_module(name), bytes(size) {
        socket.register_b_transport(this, &PlainMemory::b_transport);
    }
    tlm_utils::simple_target_socket<PlainMemory> socket{"socket"};
    Bytes bytes;
    std::uint64_t calls = 0;
    bool fails = false;
    sc_time waits;

private:
    void b_transport(tlm::tlm_generic_payload& payload, sc_time&) {
        ++calls;
        if (waits != SC_ZERO_TIME) sc_core::wait(waits);
        if (fails) return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        for (unsigned i = 0; i < payload.get_data_length(); ++i) {
            const unsigned char* enables = payload.get_byte_enable_ptr();
            if (enables != nullptr && enables[i % payload.get_byte_enable_length()] == TLM_BYTE_DISABLED) continue;
            unsigned char& cell = bytes.at(payload.get_address() + i);
            (payload.is_write() ? cell : payload.get_data_ptr()[i]) =
                payload.is_write() ? payload.get_data_ptr()[i] : cell;
        }
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
};

class StrangerBench : public sc_core::sc_module {
public:
    explicit StrangerBench(sc_core::sc_module_name name, bool as_method = false)
        : sc_module(name),
          issuer("issuer", as_method),
          configuration(platforms::load_product("ascend950")),
          core("core", configuration) {
        issuer.ops.socket.bind(core.op_socket);
        core.vector_registers.bind(vectors.socket);
        core.mask_registers.bind(masks.socket);
        core.load_port.bind(loads.socket);
        core.store_port.bind(stores.socket);
        core.gather_scatter.bind(splitter.target);
        splitter.initiator.bind(indexed.socket);
    }
    Issuer issuer;
    engine::Configuration configuration;
    core::VectorCore core;
    PlainMemory vectors{"vectors", 32 * 256};
    PlainMemory masks{"masks", 8 * 32};
    PlainMemory loads{"loads", 0x40000};
    PlainMemory stores{"stores", 0x40000};
    PlainMemory indexed{"indexed", 0x40000};
    transport::IndexedSplitter splitter{"splitter"};
};

TEST(StrangersMemory, every_port_carries_what_it_is_for) {
    StrangerBench bench("bench");
    const auto table = iota<std::uint32_t>(64, 100);
    const auto index = iota<std::uint32_t>(64, 63, -1);
    std::memcpy(&bench.indexed.bytes[0x1000], table.data(), 256);
    std::memcpy(&bench.loads.bytes[0x400], index.data(), 256);
    const auto issue = [&bench](const isa::Op& op) {
        bench.issuer.ops.issue(op);
        EXPECT_TRUE(bench.issuer.ops.ok());
    };
    elaborate();
    issue(isa::VfBegin{});
    issue(isa::CreateMask{kU32, MregId{2}, isa::MaskPattern::vl4});
    EXPECT_EQ(bench.masks.calls, 1U);
    EXPECT_EQ(bench.masks.bytes[2 * 32], 0x11);
    issue(isa::Load{kU32, VregId{0}, UbAddress{0x400}});
    EXPECT_EQ(bench.loads.calls, 1U);
    EXPECT_EQ(bench.vectors.calls, 1U);
    issue(gather_u32(1, 0x1000, 0, 2));
    EXPECT_EQ(bench.indexed.calls, 4U);
    const Bytes v1(&bench.vectors.bytes[256], &bench.vectors.bytes[512]);
    auto expected = std::vector<std::uint32_t>{163, 162, 161, 160};
    expected.resize(64);
    EXPECT_EQ(elements_of<std::uint32_t>(v1), expected);
    issue(isa::Store{kU32, UbAddress{0x800}, VregId{1}, MregId{2}});
    EXPECT_EQ(bench.stores.calls, 1U);
    EXPECT_EQ(elements_of<std::uint32_t>(Bytes(&bench.stores.bytes[0x800], &bench.stores.bytes[0x810])),
              std::vector<std::uint32_t>(expected.begin(), expected.begin() + 4));
    issue(isa::BlockLoad{kU32, VregId{3}, UbAddress{0x400}, 4, MregId{2}});
    EXPECT_EQ(bench.loads.calls, 2U) << "one block moves, so one access";
    issue(isa::Scatter{kU32, kU32, UbAddress{0x2000}, VregId{1}, VregId{0}, MregId{2}});
    EXPECT_EQ(bench.indexed.calls, 8U);
    EXPECT_EQ(bench.indexed.bytes[0x2000 + 63 * 4], 163);
    issue(isa::VfEnd{});
    EXPECT_EQ(bench.core.payloads().outstanding(), 0U);
}

TEST(StrangersMemory, an_error_answer_to_a_checked_access_is_fatal) {
    // No thread process: AddressSanitizer loses the bounds of the main stack to them, and the report is thrown.
    StrangerBench bench("bench", true);
    elaborate();
    bench.issuer.ops.issue(isa::VfBegin{});
    bench.loads.fails = true;
    const ExpectedReport report("/vcore/core/memory");
    EXPECT_THROW(bench.issuer.ops.issue(isa::Load{kU32, VregId{0}, UbAddress{0x400}}), sc_core::sc_report);
    EXPECT_THAT(report.text(), HasSubstr("1024"));
    EXPECT_THAT(report.text(), HasSubstr("load_port"));
}

TEST(StrangersMemory, one_that_waits_keeps_other_initiators_out) {
    StrangerBench bench("bench");
    Issuer other("other");
    other.ops.socket.bind(bench.core.op_socket);
    bench.loads.waits = sc_time(50, SC_NS);
    bench.issuer.script = [&] {
        bench.issuer.ops.issue(isa::VfBegin{});
        bench.issuer.ops.issue(isa::Load{kU32, VregId{0}, UbAddress{0x400}});
        EXPECT_EQ(sc_core::sc_time_stamp(), sc_time(50, SC_NS));
        bench.issuer.ops.issue(isa::VfEnd{});
    };
    other.script = [&] {
        sc_core::wait(10, SC_NS);
        other.ops.issue(isa::VfBegin{});
        EXPECT_EQ(sc_core::sc_time_stamp(), sc_time(50, SC_NS));
        other.ops.issue(isa::VfEnd{});
    };
    sc_core::sc_start();
    EXPECT_TRUE(bench.issuer.finished);
    EXPECT_TRUE(other.finished);
}

}  // namespace
}  // namespace vcore::conformance
