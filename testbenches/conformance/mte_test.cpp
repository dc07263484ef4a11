// The MTE: transfers between global memory and UB as single transactions.
#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <systemc>

#include "testbenches/conformance/platform_bench.hpp"
#include "testbenches/conformance/reports.hpp"
#include "tlm/metadata_extension.hpp"
#include "tlm/traffic_extension.hpp"

namespace vcore::conformance {
namespace {

using isa::DiagnosticId;
using isa::ElementType;
using sc_core::SC_NS;
using sc_core::SC_PS;
using sc_core::sc_time;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// 1 cycle = 1 ns, so that delays are counts; 128 bytes a cycle, no latency.
const std::vector<std::string> kOneGigahertz{"clock_mhz=1000"};

Bytes pattern(std::size_t bytes) {
    Bytes data(bytes);
    for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<unsigned char>(i * 7 + i / 256);
    return data;
}

std::uint64_t sum(const std::vector<std::uint64_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

TEST(Mte, bytes_go_in_and_come_out_and_take_their_time) {
    PlatformBench bench("bench", kOneGigahertz);
    elaborate();
    const struct {
        std::uint64_t address;
        std::size_t bytes;
        double cycles;
    } transfers[] = {{0, 1, 1}, {32, 128, 1}, {64, 129, 2}, {0x1000, 0x10000, 512}, {0x3FFE0, 32, 1}};
    for (const auto& transfer : transfers) {
        const Bytes data = pattern(transfer.bytes);
        const auto in = bench.transfers.write(transfer.address, data);
        EXPECT_EQ(in.status, tlm::TLM_OK_RESPONSE);
        EXPECT_FALSE(in.dmi_hint);
        EXPECT_EQ(in.delay, sc_time(transfer.cycles, SC_NS)) << transfer.bytes;
        EXPECT_EQ(bench.ub.debug_read(transfer.address, transfer.bytes), data);
        EXPECT_EQ(bench.transfers.read(transfer.address, transfer.bytes), data);
    }
}

TEST(Mte, the_figures_of_the_product_count) {
    PlatformBench bench("bench", {"clock_mhz=1000", "mte.bytes_per_cycle=64", "mte.latency=100"});
    elaborate();
    EXPECT_EQ(bench.transfers.write(0, Bytes(6400)).delay, sc_time(200, SC_NS));
}

TEST(Mte, the_delay_is_added_and_rounded_up_to_a_cycle) {
    PlatformBench bench("bench", kOneGigahertz);
    elaborate();
    Bytes data(256);
    tlm::tlm_generic_payload payload;
    fill(payload, tlm::TLM_WRITE_COMMAND, 0, data);
    sc_time delay(7001, SC_PS);
    bench.transfers.socket->b_transport(payload, delay);
    EXPECT_EQ(delay, sc_time(10, SC_NS));

    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    EXPECT_EQ(bench.transfers.socket->nb_transport_fw(payload, phase, delay), tlm::TLM_COMPLETED);
    EXPECT_EQ(delay, sc_time(12, SC_NS));
    const ExpectedReport report("/vcore/dma/phase");
    phase = tlm::END_RESP;
    bench.transfers.socket->nb_transport_fw(payload, phase, delay);
}

TEST(Mte, what_does_not_fit_moves_no_byte_and_says_why) {
    PlatformBench bench("bench", kOneGigahertz);
    elaborate();
    bench.ub.debug_write(0x3FF00, Bytes(256, 0xCD));
    const struct {
        std::uint64_t address;
        std::size_t bytes;
        tlm::tlm_response_status status;
        DiagnosticId id;
    } refused[] = {
        {0x3FFE0, 33, tlm::TLM_ADDRESS_ERROR_RESPONSE, DiagnosticId::ub_out_of_bounds},
        {0x3FF00, 257, tlm::TLM_ADDRESS_ERROR_RESPONSE, DiagnosticId::ub_out_of_bounds},
        {0x40000, 1, tlm::TLM_ADDRESS_ERROR_RESPONSE, DiagnosticId::ub_out_of_bounds},
        {std::uint64_t{1} << 62, 32, tlm::TLM_ADDRESS_ERROR_RESPONSE, DiagnosticId::ub_out_of_bounds},
        {0x3FF01, 8, transport::status_of(isa::info(DiagnosticId::misaligned).response), DiagnosticId::misaligned},
        {0x3FF10, 16, transport::status_of(isa::info(DiagnosticId::misaligned).response), DiagnosticId::misaligned},
    };
    for (const auto& transfer : refused) {
        SCOPED_TRACE(testing::Message() << transfer.bytes << " bytes at " << transfer.address);
        bench.top.core.engine().diagnostics().clear();
        const auto answer = bench.transfers.write(transfer.address, Bytes(transfer.bytes, 1));
        EXPECT_EQ(answer.status, transfer.status);
        EXPECT_EQ(answer.delay, sc_core::SC_ZERO_TIME);
        ASSERT_THAT(bench.diagnostics(), SizeIs(1));
        EXPECT_EQ(bench.diagnostics()[0].id, transfer.id);
    }
    bench.top.core.engine().diagnostics().clear();
    EXPECT_EQ(bench.transfers.write(~std::uint64_t{0} - 31, Bytes(32, 1)).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(bench.ub.debug_read(0x3FF00, 256), Bytes(256, 0xCD));
}

TEST(Mte, a_dma_has_neither_byte_enables_nor_streaming) {
    PlatformBench bench("bench");
    elaborate();
    Bytes data(64, 1);
    Bytes enables{0xFF};
    tlm::tlm_generic_payload payload;
    fill(payload, tlm::TLM_WRITE_COMMAND, 0, data);
    payload.set_byte_enable_ptr(enables.data());
    payload.set_byte_enable_length(1);
    EXPECT_EQ(bench.transfers.send(payload).status, tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    fill(payload, tlm::TLM_WRITE_COMMAND, 0, data);
    payload.set_streaming_width(32);
    EXPECT_EQ(bench.transfers.send(payload).status, tlm::TLM_BURST_ERROR_RESPONSE);
    fill(payload, tlm::TLM_WRITE_COMMAND, 0, data);
    payload.set_data_ptr(nullptr);
    EXPECT_EQ(bench.transfers.send(payload).status, tlm::TLM_GENERIC_ERROR_RESPONSE);
    fill(payload, tlm::TLM_WRITE_COMMAND, 0, data);
    payload.set_data_length(0);
    EXPECT_EQ(bench.transfers.send(payload).status, tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(bench.ub.debug_read(0, 64), Bytes(64, 0));
    EXPECT_FALSE(bench.transfers.ask_direct(tlm::TLM_READ_COMMAND, 0).granted);
}

TEST(Mte, debug_goes_through_to_the_ub) {
    PlatformBench bench("bench");
    elaborate();
    EXPECT_EQ(bench.transfers.debug_write(3, {1, 2, 3}), 3U);
    EXPECT_EQ(bench.ub.read(3, 3), (Bytes{1, 2, 3}));
    EXPECT_EQ(bench.transfers.debug_read(2, 3), (Bytes{0, 1, 2}));
    EXPECT_EQ(bench.top.core.engine().statistics().ops, 0U);
}

TEST(Mte, reserved_bytes_give_one_warning_with_the_line) {
    PlatformBench bench("bench");
    elaborate();
    Bytes data(32, 5);
    tlm::tlm_generic_payload payload;
    transport::MetadataExtension metadata;
    metadata.line = 42;
    payload.set_extension(&metadata);
    for (int i = 0; i < 3; ++i) {
        fill(payload, tlm::TLM_WRITE_COMMAND, 253952, data);
        EXPECT_EQ(bench.transfers.send(payload).status, tlm::TLM_OK_RESPONSE);
    }
    payload.clear_extension(&metadata);
    EXPECT_EQ(bench.transfers.write(253952 - 32, data).status, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(bench.ub.read(253952, 32), data);
    ASSERT_THAT(bench.diagnostics(), SizeIs(1));
    EXPECT_EQ(bench.diagnostics()[0].id, DiagnosticId::reserved_ub);
    EXPECT_EQ(bench.diagnostics()[0].line, 42U);
    EXPECT_EQ(bench.diagnostics()[0].count, 3U);
    EXPECT_THAT(bench.diagnostics()[0].message, HasSubstr("3E000"));
}

TEST(Mte, what_came_in_counts_as_written) {
    PlatformBench bench("bench");
    elaborate();
    bench.transfers.write(0x400, Bytes(256, 1));
    bench.perform(isa::VfBegin{});
    bench.perform(isa::Load{ElementType::u32, isa::VregId{0}, isa::UbAddress{0x400}});
    EXPECT_THAT(bench.diagnostics(), IsEmpty());
    bench.perform(isa::Load{ElementType::u32, isa::VregId{0}, isa::UbAddress{0x420}}, 9);
    ASSERT_THAT(bench.diagnostics(), SizeIs(1));
    EXPECT_EQ(bench.diagnostics()[0].id, DiagnosticId::uninitialised_read);
    EXPECT_EQ(bench.diagnostics()[0].address, 0x500);
}

TEST(Mte, every_row_is_counted_once) {
    PlatformBench bench("bench");
    elaborate();
    const auto& banks = bench.top.core.engine().statistics().banks;
    bench.transfers.write(0x400, Bytes(1024));
    EXPECT_EQ(sum(banks.writes), 32U);
    bench.transfers.read(0x400, 64);
    EXPECT_EQ(sum(banks.reads), 2U);
    EXPECT_EQ(sum(banks.writes), 32U);
    EXPECT_EQ(sum(bench.top.ub.counters().reads) + sum(bench.top.ub.counters().writes), 0U);
}

TEST(Mte, traffic_alone_costs_and_counts_but_moves_nothing) {
    PlatformBench bench("bench", kOneGigahertz);
    elaborate();
    const auto& banks = bench.top.core.engine().statistics().banks;
    bench.ub.debug_write(0, Bytes(1024, 0xCD));
    Bytes data(1024, 1);
    tlm::tlm_generic_payload payload;
    fill(payload, tlm::TLM_IGNORE_COMMAND, 0, data);
    auto answer = bench.transfers.send(payload);
    EXPECT_EQ(answer.status, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(answer.delay, sc_time(8, SC_NS));
    EXPECT_EQ(sum(banks.writes), 32U);
    EXPECT_EQ(sum(banks.reads), 0U);

    transport::TrafficExtension traffic;
    traffic.direction = transport::TrafficDirection::out_of_ub;
    payload.set_extension(&traffic);
    payload.set_data_ptr(nullptr);  // there need not be any
    EXPECT_EQ(bench.transfers.send(payload).status, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(sum(banks.writes), 32U);
    EXPECT_EQ(sum(banks.reads), 32U);
    payload.set_address(0x3FFE0);
    EXPECT_EQ(bench.transfers.send(payload).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    payload.clear_extension(&traffic);
    EXPECT_EQ(bench.ub.debug_read(0, 1024), Bytes(1024, 0xCD));
    EXPECT_EQ(data, Bytes(1024, 1));
}

TEST(Mte, a_transfer_runs_beside_an_open_function) {
    PlatformBench bench("bench");
    elaborate();
    bench.perform(isa::VfBegin{});
    EXPECT_EQ(bench.transfers.write(0x400, pattern(256)).status, tlm::TLM_OK_RESPONSE);
    bench.perform(isa::Load{ElementType::u32, isa::VregId{0}, isa::UbAddress{0x400}});
    bench.perform(isa::VfEnd{});
    EXPECT_EQ(bench.vector(0), pattern(256));
}

TEST(Mte, works_on_every_product) {
    std::vector<std::unique_ptr<PlatformBench>> benches;
    for (const std::string& product : platforms::product_names()) {
        benches.push_back(std::make_unique<PlatformBench>(sc_core::sc_gen_unique_name("bench"),
                                                          std::vector<std::string>{}, product.c_str()));
    }
    elaborate();
    for (const auto& bench : benches) {
        SCOPED_TRACE(bench->top.configuration().product);
        EXPECT_EQ(bench->transfers.write(0x400, pattern(1000)).status, tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(bench->transfers.read(0x400, 1000), pattern(1000));
        EXPECT_THAT(bench->diagnostics(), IsEmpty());
    }
}

}  // namespace
}  // namespace vcore::conformance
