// How simulations with the UB run and end: a stranger's initiator with time of its own, the end of a run, several
// tests.
#include <algorithm>
#include <vector>

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/tlm_quantumkeeper.h>
#include <systemc>
#include <tlm>

#include "models/ub/unified_buffer.hpp"
#include "testbenches/conformance/platform_bench.hpp"
#include "testbenches/conformance/prober.hpp"
#include "testbenches/conformance/reports.hpp"
#include "testbenches/conformance/target_fixtures.hpp"

namespace vcore::conformance {
namespace {

using sc_core::SC_NS;
using sc_core::sc_time;
using sc_core::SC_US;

/// A DMA as its author would write it: temporally decoupled, direct memory where it may, and nb_transport where not.
class StrangersDma : public sc_core::sc_module {
public:
    StrangersDma(sc_core::sc_module_name dma_name, std::uint64_t from, std::uint64_t to, unsigned bytes)
        : sc_module(dma_name), socket("socket"), from_(from), to_(to), bytes_(bytes) {
        socket.register_nb_transport_bw(this, &StrangersDma::nb_transport_bw);
        socket.register_invalidate_direct_mem_ptr(this, &StrangersDma::invalidate);
        SC_HAS_PROCESS(StrangersDma);
        SC_THREAD(run);
    }

    tlm_utils::simple_initiator_socket<StrangersDma> socket;
    unsigned by_pointer = 0;
    unsigned by_call = 0;
    unsigned errors = 0;
    bool finished = false;

private:
    void run() {
        tlm_utils::tlm_quantumkeeper keeper;
        keeper.reset();
        for (unsigned offset = 0; offset < bytes_; offset += 4) {
            unsigned char word[4];
            sc_time delay = keeper.get_local_time();
            move(tlm::TLM_READ_COMMAND, from_ + offset, word, delay);
            move(tlm::TLM_WRITE_COMMAND, to_ + offset, word, delay);
            keeper.set(delay);
            if (keeper.need_sync()) keeper.sync();
        }
        keeper.sync();
        finished = true;
    }

    void move(tlm::tlm_command command, std::uint64_t address, unsigned char* word, sc_time& delay) {
        const bool write = command == tlm::TLM_WRITE_COMMAND;
        if (write ? grant_.is_write_allowed() : grant_.is_read_allowed()) {
            ++by_pointer;
            unsigned char* const memory = grant_.get_dmi_ptr() + (address - grant_.get_start_address());
            std::copy_n(write ? word : memory, 4, write ? memory : word);
            delay += write ? grant_.get_write_latency() : grant_.get_read_latency();
            return;
        }
        ++by_call;
        tlm::tlm_generic_payload payload;
        payload.set_command(command);
        payload.set_address(address);
        payload.set_data_ptr(word);
        payload.set_data_length(4);
        payload.set_streaming_width(4);
        if (by_call % 2 == 0) {
            socket->b_transport(payload, delay);
        } else {
            tlm::tlm_phase phase = tlm::BEGIN_REQ;
            if (socket->nb_transport_fw(payload, phase, delay) != tlm::TLM_COMPLETED) ++errors;
        }
        if (payload.is_response_error()) ++errors;
        if (payload.is_dmi_allowed()) socket->get_direct_mem_ptr(payload, grant_);
    }

    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_time&) {
        ++errors;  // nothing is left to be said after TLM_COMPLETED
        return tlm::TLM_ACCEPTED;
    }
    void invalidate(sc_dt::uint64, sc_dt::uint64) { grant_.init(); }

    std::uint64_t from_;
    std::uint64_t to_;
    unsigned bytes_;
    tlm::tlm_dmi grant_;
};

class Stranger : public ::testing::Test {
protected:
    Stranger() {
        dma.socket.bind(ub.port);
        prober.socket.bind(ub.port);
        prober.at_end_of_elaboration = [this] {
            for (unsigned i = 0; i < 1024; ++i) table[i] = static_cast<unsigned char>(i * 7);
            prober.debug_write(0x1000, table);
        };
    }
    ub::UnifiedBuffer ub{"ub", ub_configuration()};
    StrangersDma dma{"dma", 0x1000, 0x8000, 1024};
    Prober prober{"prober"};
    Bytes table = Bytes(1024);
};

TEST_F(Stranger, a_strangers_dma_works_by_pointer) {
    sc_core::sc_start();
    EXPECT_TRUE(dma.finished);
    EXPECT_EQ(dma.errors, 0U);
    EXPECT_EQ(dma.by_call, 2U) << "one read and one write, to be given the hint";
    EXPECT_EQ(dma.by_pointer, 510U);
    EXPECT_EQ(prober.debug_read(0x8000, 1024), table);
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_time(256 * (5 + 3), SC_NS));
}

TEST_F(Stranger, a_strangers_dma_works_by_call_in_the_same_time) {
    ub.set_direct_memory(false);
    sc_core::sc_start();
    EXPECT_TRUE(dma.finished);
    EXPECT_EQ(dma.errors, 0U);
    EXPECT_EQ(dma.by_pointer, 0U);
    EXPECT_EQ(dma.by_call, 512U);
    EXPECT_EQ(prober.debug_read(0x8000, 1024), table);
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_time(256 * (5 + 3), SC_NS));
}

TEST_F(Stranger, T20_a_strangers_dma_survives_invalidation_half_way) {
    prober.script = [this] {
        sc_core::wait(sc_time(1000, SC_NS));
        ub.set_direct_memory(false);
    };
    sc_core::sc_start();
    EXPECT_TRUE(dma.finished && prober.finished);
    EXPECT_EQ(dma.errors, 0U);
    EXPECT_EQ(dma.by_call + dma.by_pointer, 512U);
    EXPECT_EQ(prober.debug_read(0x8000, 1024), table);
}

/// Whoever finishes last, early or late: the run ends by itself when he does.
class EndOfRun : public ::testing::Test {
protected:
    EndOfRun() {
        first.socket.bind(ub.port);
        second.socket.bind(ub.port);
    }
    static void access_and_linger(Prober& prober, const sc_time& linger) {
        const auto answer = prober.write(0x100, {1, 2, 3, 4});
        sc_core::wait(answer.delay + linger);
    }
    void run_with(const sc_time& first_linger, const sc_time& second_linger) {
        first.script = [this, first_linger] { access_and_linger(first, first_linger); };
        second.script = [this, second_linger] { access_and_linger(second, second_linger); };
        sc_core::sc_start();
        EXPECT_TRUE(first.finished && second.finished) << "the simulation ended early";
        EXPECT_EQ(sc_core::sc_time_stamp(), sc_time(3, SC_NS) + std::max(first_linger, second_linger));
        EXPECT_FALSE(sc_core::sc_pending_activity());
    }
    ub::UnifiedBuffer ub{"ub", ub_configuration()};
    Prober first{"first"};
    Prober second{"second"};
};

TEST_F(EndOfRun, T26_the_first_initiator_is_late) {
    run_with(sc_time(1, SC_US), sc_core::SC_ZERO_TIME);
}

TEST_F(EndOfRun, T26_the_second_initiator_is_late) {
    run_with(sc_core::SC_ZERO_TIME, sc_time(1, SC_US));
}

// T14, second half: a debug access while an op of the core is in flight.

TEST(DebugAccess, T14_a_debug_write_while_an_op_is_in_flight) {
    PlatformBench bench("bench");
    Prober& prober = bench.ub;
    sc_time time_before;
    sc_time time_after;
    prober.script = [&] {
        bench.perform(isa::VfBegin{});
        bench.perform(isa::Load{isa::ElementType::u32, isa::VregId{1}, isa::UbAddress{0x1000}});
        EXPECT_GT(bench.ops.local_time, sc_core::SC_ZERO_TIME) << "the load has not completed at the simulation's time";
        const timing::BankCounters core_rows = bench.top.core.engine().statistics().banks;
        const timing::BankCounters ub_rows = bench.top.ub.counters();
        const sc_time local_time = bench.ops.local_time;
        time_before = sc_core::sc_time_stamp();

        EXPECT_EQ(prober.debug_write(0x1000, Bytes(16, 0xAB)), 16U);

        time_after = sc_core::sc_time_stamp();
        EXPECT_EQ(bench.ops.local_time, local_time);
        EXPECT_EQ(bench.top.core.engine().statistics().banks.reads, core_rows.reads);
        EXPECT_EQ(bench.top.core.engine().statistics().banks.writes, core_rows.writes);
        EXPECT_EQ(bench.top.ub.counters().writes, ub_rows.writes);
        EXPECT_EQ(prober.debug_read(0x1000, 16), Bytes(16, 0xAB));
        EXPECT_EQ(bench.vector(1), Bytes(256, 0)) << "the load took effect when it was accepted";
        bench.perform(isa::VfEnd{});
    };
    sc_core::sc_start();
    EXPECT_TRUE(prober.finished);
    EXPECT_EQ(time_after, time_before);
}

// The harness itself.

TEST(Reports, an_unexpected_warning_fails_the_test) {
    EXPECT_NONFATAL_FAILURE(SC_REPORT_WARNING("/vcore/test/warning", "something odd"),
                            "unexpected report /vcore/test/warning: something odd");
}

TEST(Reports, an_expected_report_that_does_not_come_fails_the_test) {
    EXPECT_NONFATAL_FAILURE({ const ExpectedReport expected("/vcore/test/warning"); },
                            "no report /vcore/test/warning came");
}

TEST(Reports, expected_errors_go_on_and_expected_fatal_ones_throw) {
    ExpectedReport error("/vcore/test/error");
    ExpectedReport fatal("/vcore/test/fatal");
    SC_REPORT_ERROR("/vcore/test/error", "first");
    SC_REPORT_ERROR("/vcore/test/error", "second");
    EXPECT_EQ(error.count(), 2U);
    EXPECT_EQ(error.text(), "second");
    EXPECT_THROW(SC_REPORT_FATAL("/vcore/test/fatal", "broken"), sc_core::sc_report);
}

// T32: two tests that each build and run the model. In one process the second could not elaborate.

void build_and_run() {
    static int runs = 0;
    EXPECT_EQ(++runs, 1) << "another test has run in this process";
    EXPECT_EQ(sc_core::sc_get_status(), sc_core::SC_ELABORATION);
    ub::UnifiedBuffer ub("ub", ub_configuration());
    Prober prober("prober");
    prober.socket.bind(ub.port);
    sc_core::sc_start(sc_time(1, SC_NS));
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_time(1, SC_NS));
    EXPECT_EQ(prober.write(0, {1}).status, tlm::TLM_OK_RESPONSE);
}

TEST(OneProcess, T32_first_test_builds_the_model) {
    build_and_run();
}

TEST(OneProcess, T32_second_test_builds_it_again) {
    build_and_run();
}

}  // namespace
}  // namespace vcore::conformance
