// The UB's port in approximately-timed mode: foreign initiators contend for banks, by four phases or by b_transport.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tlm_utils/simple_target_socket.h>
#include <systemc>

#include "testbenches/conformance/four_phase_initiator.hpp"
#include "testbenches/conformance/platform_bench.hpp"
#include "testbenches/conformance/reports.hpp"
#include "testbenches/conformance/scripts.hpp"
#include "testbenches/unit/random.hpp"
#include "tlm/traffic_extension.hpp"

namespace vcore::conformance {
namespace {

using engine::Mode;
using isa::ElementType;
using isa::MregId;
using isa::UbAddress;
using isa::VregId;

constexpr auto kU32 = ElementType::u32;

/// A platform with initiators of all kinds on the UB.
class Bench : public PlatformBench {
public:
    explicit Bench(sc_core::sc_module_name name, Mode mode = Mode::approximately_timed,
                   const std::vector<std::string>& overrides = {})
        : PlatformBench(name, overrides, "ascend950", mode) {
        memory.socket.bind(top.ub.port);
        other.socket.bind(top.ub.port);
        phases.socket.bind(top.core.op_socket);
    }
    /// Cycles from the start of the simulation.
    std::uint64_t cycle() const { return period.next_cycle(sc_core::sc_time_stamp()); }

    FourPhaseMemory memory{"memory"};
    FourPhaseMemory other{"other"};
    FourPhaseOps phases{"phases"};
    transport::ClockPeriod period{top.configuration().clock_mhz};
};

/// Loads of one row group after the other, as many as asked for.
std::vector<isa::Op> loads(int count) {
    std::vector<isa::Op> program{isa::VfBegin{}};
    for (int i = 0; i < count; ++i) program.emplace_back(isa::Load{kU32, VregId{i % 32}, UbAddress{i % 64 * 256}});
    program.emplace_back(isa::VfEnd{});
    return program;
}

TEST(AtUb, FourPhasesMoveTheBytesAtTheGrantAndRespondAfterTheLatency) {
    Bench bench("bench");
    Scripts scripts;
    scripts.add([&] {
        const timing::UbGeometry& ub = bench.top.configuration().timing.ub;
        auto* const write = bench.memory.new_access(tlm::TLM_WRITE_COMMAND, 0x100, Bytes(32, 7));
        bench.memory.start(write);
        EXPECT_EQ(bench.ub.debug_read(0x100, 1)[0], 0);
        bench.memory.wait_for(write);
        EXPECT_TRUE(write->is_response_ok());
        EXPECT_EQ(bench.ub.debug_read(0x100, 32), Bytes(32, 7));
        EXPECT_EQ(write->responded, bench.period.duration(ub.write_latency));
        EXPECT_EQ(write->implied, ub.write_latency <= 1);
        write->release();
        auto* const read = bench.memory.request(bench.memory.new_access(tlm::TLM_READ_COMMAND, 0x100, Bytes(32)));
        bench.memory.wait_for(read);
        EXPECT_EQ(read->data, Bytes(32, 7));
        EXPECT_EQ(read->responded - read->requested, bench.period.duration(ub.read_latency));
        read->release();
    });
    scripts.run();
    EXPECT_EQ(bench.memory.in_use(), 0U);
}

TEST(AtUb, AnAccessAloneCostsWhatItCostsLooselyTimed) {
    Bench timed("timed");
    Bench loose("loose", Mode::loosely_timed);
    unit::Random random(99);
    Scripts scripts;
    scripts.add([&] {
        for (int i = 0; i < 300; ++i) {
            const std::uint64_t address = random.below(0x3F000);
            const std::size_t bytes = 1 + random.below(256);
            const bool is_write = random.one_in(2);
            Bytes data(bytes, static_cast<unsigned char>(i));
            Bytes enables(random.one_in(2) ? 0 : 1 + random.below(300), 0);
            for (unsigned char& enable : enables) enable = random.one_in(40) ? 0xFF : 0x00;  // whole rows are off
            sc_core::sc_time spent[2];
            for (Bench* bench : {&loose, &timed}) {
                sc_core::wait(bench->period.duration(bench->cycle() + 1) - sc_core::sc_time_stamp());
                const std::uint64_t from = bench->cycle();
                tlm::tlm_generic_payload payload;
                fill(payload, is_write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, address, data);
                if (!enables.empty()) {
                    payload.set_byte_enable_ptr(enables.data());
                    payload.set_byte_enable_length(static_cast<unsigned>(enables.size()));
                }
                const sc_core::sc_time rest = bench->ub.send(payload).delay;
                spent[bench == &timed ? 1 : 0] =
                    bench->period.duration(bench->period.next_cycle(sc_core::sc_time_stamp() + rest) - from);
            }
            ASSERT_EQ(spent[1], spent[0]) << bytes << " bytes at " << address;
        }
    });
    scripts.run();
    EXPECT_EQ(timed.top.ub.counters().reads, loose.top.ub.counters().reads);
    EXPECT_EQ(timed.top.ub.counters().writes, loose.top.ub.counters().writes);
    const auto all = [](const std::vector<std::uint64_t>& rows) {
        return std::accumulate(rows.begin(), rows.end(), std::uint64_t{0});
    };
    EXPECT_GT(all(timed.top.ub.counters().reads), 300U);
    for (Bench* bench : {&timed, &loose}) {
        const timing::BankCounters& core = bench->top.core.engine().statistics().banks;
        EXPECT_EQ(all(core.reads) + all(core.writes), 0U) << "rows of others are counted at the UB alone";
    }
}

TEST(AtUb, DisabledRowsLeaveTheirBanksToOthers) {
    // Two writers of one bank: rows 0x1000 and 0x1200. Where the first one's row there is disabled, nobody waits.
    const auto cycles = [](Bench& bench, bool disabled, std::uint64_t& end) {
        Bytes data(64, 1);
        Bytes enables(64, 0xFF);
        if (disabled) std::fill(enables.begin(), enables.begin() + 32, 0x00);
        auto* const first = bench.memory.new_access(tlm::TLM_WRITE_COMMAND, 0x1000, data);
        first->set_byte_enable_ptr(enables.data());
        first->set_byte_enable_length(64);
        bench.memory.start(first);
        first->release();
        bench.other.request(bench.other.new_access(tlm::TLM_WRITE_COMMAND, 0x1200, Bytes(32, 2)))->release();
        bench.memory.wait_for_all();
        end = bench.cycle();
    };
    Bench whole("whole");
    Bench part("part");
    std::uint64_t ends[2] = {};
    Scripts scripts;
    scripts.add([&] { cycles(whole, false, ends[0]); });
    scripts.add([&] { cycles(part, true, ends[1]); });
    scripts.run();
    EXPECT_EQ(ends[0], ends[1] + 1);
}

TEST(AtUb, T03_every_way_of_ending_a_response_frees_the_channel) {
    Bench bench("bench");
    bench.memory.replies = {Reply::completed, Reply::updated, Reply::accepted, Reply::accepted};
    bench.memory.response_time = sc_core::sc_time(20, sc_core::SC_NS);
    int responses = 0;
    Scripts scripts;
    scripts.add([&] {
        std::vector<FourPhaseMemory::Handle> handles;
        for (unsigned i = 0; i < 40; ++i) {
            handles.push_back(bench.memory.request(
                bench.memory.new_access(tlm::TLM_WRITE_COMMAND, i * 32, Bytes(32, static_cast<unsigned char>(i)))));
        }
        bench.memory.wait_for_all();
        for (auto* handle : handles) {
            responses += handle->is_response_ok() ? 1 : 0;
            handle->release();
        }
    });
    scripts.run();
    EXPECT_EQ(responses, 40);
    EXPECT_EQ(bench.ub.debug_read(39 * 32, 1)[0], 39);
}

TEST(AtUb, T04_a_response_implies_the_end_of_its_request) {
    // By return of the forward call: a target of the test.
    struct Answering : sc_core::sc_module {
        explicit Answering(sc_core::sc_module_name name) : sc_module(name), socket("socket") {
            socket.register_nb_transport_fw(this, &Answering::nb_transport_fw);
        }
        tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                           sc_core::sc_time&) {
            if (phase == tlm::END_RESP) return tlm::TLM_COMPLETED;
            payload.set_response_status(tlm::TLM_OK_RESPONSE);
            phase = tlm::BEGIN_RESP;
            return tlm::TLM_UPDATED;
        }
        tlm_utils::simple_target_socket<Answering> socket;
    };
    Answering answering("answering");
    FourPhaseMemory initiator("initiator");
    initiator.socket.bind(answering.socket);
    // By a backward call: the UB, whose accesses end in the cycle of their grant where the latency is one cycle.
    engine::Configuration configuration = platforms::load_product("ascend950", {});
    configuration.timing.ub.read_latency = 1;
    platforms::Top top("top", configuration, Mode::approximately_timed);
    FourPhaseMemory memory("memory");
    memory.socket.bind(top.ub.port);

    Scripts scripts;
    for (FourPhaseMemory* one : {&initiator, &memory}) {
        scripts.add([one] {
            for (unsigned i = 0; i < 5; ++i) {
                auto* const read = one->request(one->new_access(tlm::TLM_READ_COMMAND, i * 32, Bytes(32)));
                EXPECT_TRUE(read->implied);
                one->wait_for(read);
                EXPECT_TRUE(read->is_response_ok());
                read->release();
            }
        });
    }
    scripts.run();
    EXPECT_EQ(memory.in_use() + initiator.in_use(), 0U);
}

TEST(AtUb, T05_a_second_request_is_an_error_and_the_first_is_intact) {
    Bench bench("bench");
    ExpectedReport report("/vcore/ub/phase");
    Scripts scripts;
    scripts.add([&] {
        auto* const first = bench.memory.new_access(tlm::TLM_WRITE_COMMAND, 0x40, Bytes(32, 1));
        auto* const second = bench.memory.new_access(tlm::TLM_WRITE_COMMAND, 0x80, Bytes(32, 2));
        bench.memory.start(first);
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay;
        EXPECT_EQ(bench.memory.socket->nb_transport_fw(*second, phase, delay), tlm::TLM_COMPLETED);
        EXPECT_EQ(second->get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
        phase = tlm::END_RESP;
        EXPECT_EQ(bench.memory.socket->nb_transport_fw(*first, phase, delay), tlm::TLM_ACCEPTED);
        EXPECT_FALSE(first->ended);
        bench.memory.wait_for(first);
        EXPECT_TRUE(first->is_response_ok());
        first->release();
        second->release();
    });
    scripts.run();
    EXPECT_EQ(report.count(), 2U);
    EXPECT_EQ(bench.ub.debug_read(0x40, 1)[0], 1);
    EXPECT_EQ(bench.ub.debug_read(0x80, 1)[0], 0);
}

TEST(AtUb, T07_reference_counts_return_to_their_start) {
    constexpr unsigned kPool = 8;
    Bench bench("bench");
    bench.memory.replies = {Reply::completed};
    bench.other.replies = {Reply::accepted};
    Scripts scripts;
    for (FourPhaseMemory* one : {&bench.memory, &bench.other}) {
        scripts.add([one] {
            for (unsigned round = 0; round < 10; ++round) {
                std::vector<FourPhaseMemory::Handle> handles;
                for (unsigned i = 0; i < kPool; ++i) {
                    handles.push_back(one->request(one->new_access(tlm::TLM_READ_COMMAND, i * 32, Bytes(32))));
                }
                one->wait_for_all();
                sc_core::wait(sc_core::SC_ZERO_TIME);
                for (auto* handle : handles) {
                    EXPECT_EQ(handle->get_ref_count(), 1);
                    handle->release();
                }
            }
        });
    }
    scripts.run();
    for (FourPhaseMemory* one : {&bench.memory, &bench.other}) {
        EXPECT_EQ(one->in_use(), 0U);
        EXPECT_EQ(one->pool_size(), kPool);
    }
}

TEST(AtUb, S15_a_read_during_a_scatter_is_ordered_by_acceptance_and_grant) {
    // The scatter takes effect when it is accepted, the read when it is granted. So a read that is requested in the
    // cycle of the scatter's END_REQ or later sees the new bytes, although the scatter has not responded.
    Bench bench("bench");
    int overtaken = 0;
    Scripts scripts;
    scripts.add([&] {
        bench.ub.debug_write(0x400, bytes_of(iota<std::uint32_t>(64, 0)));
        for (const bool read_first : {false, true}) {
            bench.ub.debug_write(0x2000, Bytes(256, 0));
            for (const isa::Op& op :
                 {isa::Op(isa::VfBegin{}), isa::Op(isa::CreateMask{kU32, MregId{0}, isa::MaskPattern::all}),
                  isa::Op(isa::Load{kU32, VregId{0}, UbAddress{0x400}}),
                  isa::Op(isa::Duplicate{kU32, VregId{1}, 0x55})}) {
                bench.phases.request(bench.phases.new_op(op))->release();
            }
            auto* const read = bench.memory.new_access(tlm::TLM_READ_COMMAND, 0x2000, Bytes(4));
            auto* const scatter =
                bench.phases.new_op(isa::Scatter{kU32, kU32, UbAddress{0x2000}, VregId{1}, VregId{0}, MregId{0}});
            if (read_first) bench.memory.start(read);
            bench.phases.request(scatter);
            if (!read_first) bench.memory.start(read);
            bench.memory.wait_for(read);
            overtaken += scatter->ended ? 0 : 1;
            EXPECT_EQ(read->data, (Bytes{0x55, 0, 0, 0}));
            read->release();
            bench.phases.request(bench.phases.new_op(isa::VfEnd{}))->release();
            bench.phases.wait_for_all();
            scatter->release();
            // (a) after the response
            EXPECT_EQ(bench.ub.read(0x2000, 4), (Bytes{0x55, 0, 0, 0}));
        }
    });
    scripts.run();
    EXPECT_EQ(overtaken, 2);
}

/// Cycles of a VF of loads, and of a foreign initiator's reads of the same rows, beside each other or alone.
struct Contention {
    std::uint64_t function = 0;
    std::uint64_t reads = 0;
};
void contend(Scripts& scripts, Bench& bench, bool with_function, bool with_reads, Contention& spent) {
    if (with_function) {
        scripts.add([&bench, &spent] {
            for (const isa::Op& op : loads(400)) bench.perform(op);
            bench.ops.sync();
            spent.function = bench.cycle();
        });
    }
    if (with_reads) {
        scripts.add([&bench, &spent] {
            for (unsigned i = 0; i < 100; ++i) {
                bench.memory.request(bench.memory.new_access(tlm::TLM_READ_COMMAND, 0x20000, Bytes(256)))->release();
            }
            bench.memory.wait_for_all();
            spent.reads = bench.cycle();
        });
    }
}

TEST(AtUb, ForeignTrafficDelaysAndIsDelayed) {
    Bench function("function");
    Bench reads("reads");
    Bench both("both");
    Contention function_alone;
    Contention reads_alone;
    Contention together;
    Scripts scripts;
    contend(scripts, function, true, false, function_alone);
    contend(scripts, reads, false, true, reads_alone);
    contend(scripts, both, true, true, together);
    scripts.run();
    EXPECT_GT(together.function + together.reads, function_alone.function + reads_alone.reads);
    EXPECT_GE(together.function, function_alone.function);
    EXPECT_GE(together.reads, reads_alone.reads);
    EXPECT_EQ(both.memory.in_use(), 0U);
}

TEST(AtUb, ABlockingReaderContendsLikeAFourPhaseOne) {
    // Two readers of one row each, of the same group: one access in a cycle each way.
    Bench bench("bench");
    std::vector<std::uint64_t> ends;
    Scripts scripts;
    for (int initiator = 0; initiator < 2; ++initiator) {
        scripts.add([&, initiator] {
            const std::uint64_t address = initiator == 0 ? 0x1000 : 0x21000;
            for (int i = 0; i < 50; ++i) {
                if (initiator == 0) {
                    tlm::tlm_generic_payload payload;
                    Bytes data(32, 1);
                    fill(payload, tlm::TLM_WRITE_COMMAND, address, data);
                    bench.ub.send(payload);
                } else {
                    bench.memory.request(bench.memory.new_access(tlm::TLM_WRITE_COMMAND, address, Bytes(32, 2)))
                        ->release();
                }
            }
            ends.push_back(bench.cycle());
        });
    }
    scripts.run();
    // 100 writes of one group, one in a cycle.
    EXPECT_EQ(*std::max_element(ends.begin(), ends.end()), 100U);
}

/// Cycles of a VF full of loads, and of foreign reads that begin while it runs.
struct Beside {
    std::uint64_t function = 0;
    std::uint64_t reads = 0;
};
Beside& run_beside(Scripts& scripts, Bench& bench, Beside& spent, bool with_reads) {
    scripts.add([&bench, &spent] {
        for (const isa::Op& op : loads(300)) spent.function = bench.perform(op).complete_cycle;
    });
    if (!with_reads) return spent;
    scripts.add([&bench, &spent] {
        sc_core::wait(bench.period.duration(60));  // the loads are under way
        for (unsigned i = 0; i < 50; ++i) {
            bench.memory.request(bench.memory.new_access(tlm::TLM_READ_COMMAND, 0x3000, Bytes(256)))->release();
        }
        spent.reads = bench.cycle() - 60;
        bench.memory.wait_for_all();
    });
    return spent;
}

TEST(AtUb, ThePriorityDecidesWhoWaits) {
    // Two loads in a cycle take all that the groups can read; a foreign read wants all groups too.
    Bench alone("alone");
    Bench loads_first("loads_first");
    Bench others_first("others_first", Mode::approximately_timed, {"ub.priority=mte gather_scatter load_store"});
    Beside spent[3];
    Scripts scripts;
    run_beside(scripts, alone, spent[0], false);
    run_beside(scripts, loads_first, spent[1], true);
    run_beside(scripts, others_first, spent[2], true);
    scripts.run();
    EXPECT_EQ(spent[1].function, spent[0].function);
    EXPECT_GT(spent[1].reads, 100U);
    EXPECT_EQ(spent[2].reads, 50U);  // one in a cycle, as if alone
    // Each of them takes a cycle's read of every group, half of what the loads have.
    EXPECT_GE(spent[2].function, spent[0].function + 20);
    EXPECT_LE(spent[2].function, spent[0].function + 50);
}

TEST(AtUb, EnablesAndStreamingMeanTheSameInBothModes) {
    Bench timed("timed");
    Bench loose("loose", Mode::loosely_timed);
    unit::Random random(5);
    Scripts scripts;
    scripts.add([&] {
        for (int i = 0; i < 200; ++i) {
            Bytes data(1 + random.below(600));
            for (unsigned char& byte : data) byte = static_cast<unsigned char>(random.bits());
            Bytes enables(1 + random.below(40));
            for (unsigned char& enable : enables) enable = random.one_in(2) ? 0xFF : 0x00;
            const std::uint64_t address = random.below(0x3F000);
            const unsigned width = static_cast<unsigned>(1 + random.below(data.size()));
            for (Bench* bench : {&loose, &timed}) {
                tlm::tlm_generic_payload payload;
                fill(payload, tlm::TLM_WRITE_COMMAND, address, data);
                payload.set_byte_enable_ptr(enables.data());
                payload.set_byte_enable_length(static_cast<unsigned>(enables.size()));
                payload.set_streaming_width(width);
                ASSERT_EQ(bench->ub.send(payload).status, tlm::TLM_OK_RESPONSE);
            }
        }
    });
    scripts.run();
    EXPECT_EQ(timed.all_of_ub(), loose.all_of_ub());
}

TEST(AtUb, BeforeTheSimulationAndWithoutAThreadAnAccessCostsWhatItCostsAlone) {
    Bench bench("bench");
    elaborate();
    const Prober::Answer answer = bench.ub.write(0x100, Bytes(32, 9));
    EXPECT_EQ(answer.status, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(answer.delay, bench.period.duration(bench.top.configuration().timing.ub.write_latency));
    EXPECT_EQ(bench.ub.debug_read(0x100, 1)[0], 9);
    EXPECT_TRUE(bench.ub.ask_direct(tlm::TLM_READ_COMMAND, 0).granted);
}

TEST(AtUb, WhatIsRefusedCompletesEarly) {
    Bench bench("bench");
    Scripts scripts;
    scripts.add([&] {
        auto* const read = bench.memory.request(bench.memory.new_access(tlm::TLM_READ_COMMAND, 0x40000, Bytes(4)));
        EXPECT_TRUE(read->early);
        EXPECT_EQ(read->get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        read->release();
    });
    scripts.run();
    EXPECT_EQ(bench.memory.in_use(), 0U);
}

TEST(AtUb, AResetFailsWhatWaitsForBanks) {
    Bench bench("bench");
    Bench core_only("core_only");
    Scripts scripts;
    for (Bench* one : {&bench, &core_only}) {
        const bool whole = one == &bench;
        scripts.add([one, whole] {
            auto* const write = one->memory.new_access(tlm::TLM_WRITE_COMMAND, 0x100, Bytes(2048, 1));
            one->memory.start(write);
            sc_core::wait(one->period.duration(2));
            whole ? one->top.reset() : one->top.core.reset();
            one->memory.wait_for(write);
            EXPECT_EQ(write->get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
            EXPECT_EQ(one->ub.debug_read(0x100, 1)[0], 0);
            write->release();
            auto* const next = one->memory.request(one->memory.new_access(tlm::TLM_WRITE_COMMAND, 0x100, Bytes(32, 3)));
            one->memory.wait_for(next);
            EXPECT_TRUE(next->is_response_ok());
            next->release();
        });
        scripts.add([one] {
            const Prober::Answer answer = one->ub.write(0x8000, Bytes(4096, 1));
            EXPECT_EQ(answer.status, tlm::TLM_GENERIC_ERROR_RESPONSE);
            EXPECT_EQ(one->ub.write(0x8000, Bytes(32, 1)).status, tlm::TLM_OK_RESPONSE);
        });
    }
    scripts.run();
    EXPECT_EQ(bench.memory.in_use() + core_only.memory.in_use(), 0U);
}

TEST(AtUb, A49_a_scatter_after_a_transfer_sees_its_indices) {
    Bench bench("bench");
    const auto scatter = [&bench](std::int64_t dst) {
        for (const isa::Op& op :
             {isa::Op(isa::VfBegin{}), isa::Op(isa::CreateMask{kU32, MregId{0}, isa::MaskPattern::all}),
              isa::Op(isa::Load{kU32, VregId{0}, UbAddress{0x400}}), isa::Op(isa::Duplicate{kU32, VregId{1}, 0x55}),
              isa::Op(isa::Scatter{kU32, kU32, UbAddress{dst}, VregId{1}, VregId{0}, MregId{0}}),
              isa::Op(isa::VfEnd{})}) {
            bench.perform(op);
        }
        bench.ops.sync();
    };
    Scripts scripts;
    scripts.add([&] {
        // With a wait: the transfer's b_transport returns when its last byte is there.
        Bytes indices = bytes_of(iota<std::uint32_t>(64, 0));
        tlm::tlm_generic_payload payload;
        fill(payload, tlm::TLM_WRITE_COMMAND, 0x400, indices);
        const std::uint64_t before = bench.cycle();
        EXPECT_EQ(bench.transfers.send(payload).status, tlm::TLM_OK_RESPONSE);
        const timing::MteParameters& mte = bench.top.configuration().timing.mte;
        EXPECT_EQ(bench.cycle() - before, mte.latency + 256 / mte.bytes_per_cycle);
        scatter(0x2000);
        EXPECT_EQ(bench.ub.debug_read(0x2000, 256), bytes_of(std::vector<std::uint32_t>(64, 0x55)));
        // Without: it goes on beside. Its bytes are there as a whole, so indices never mix.
        indices = bytes_of(iota<std::uint32_t>(64, 63, -1));
        fill(payload, tlm::TLM_WRITE_COMMAND, 0x400, indices);
        transport::TrafficExtension beside;
        beside.beside = true;
        payload.set_extension(&beside);
        const sc_core::sc_time called = sc_core::sc_time_stamp();
        EXPECT_EQ(bench.transfers.send(payload).delay, sc_core::SC_ZERO_TIME);
        payload.clear_extension(&beside);
        EXPECT_EQ(sc_core::sc_time_stamp(), called);
        scatter(0x3000);
        EXPECT_EQ(bench.ub.debug_read(0x3000, 256), bytes_of(std::vector<std::uint32_t>(64, 0x55)));
    });
    scripts.run();
}

}  // namespace
}  // namespace vcore::conformance
