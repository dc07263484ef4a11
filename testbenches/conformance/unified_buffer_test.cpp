// The Unified Buffer beyond the generic payload rules: banks, traffic, gathers and scatters, time, counters.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <systemc>
#include <tlm>

#include "models/ub/unified_buffer.hpp"
#include "testbenches/conformance/bank_monitor.hpp"
#include "testbenches/conformance/prober.hpp"
#include "testbenches/conformance/reports.hpp"
#include "testbenches/conformance/target_fixtures.hpp"
#include "tlm/indexed_extension.hpp"
#include "tlm/metadata_extension.hpp"
#include "tlm/payload_pool.hpp"

namespace vcore::conformance {
namespace {

using sc_core::SC_NS;
using sc_core::sc_time;
using sc_core::SC_ZERO_TIME;
using testing::ElementsAre;
using timing::BankId;
using transport::Requester;

void elaborate() {
    sc_core::sc_start(SC_ZERO_TIME);
}

/// Where timing.md says that a byte of ascend950's UB lies: row 17:9, bank 8, group 7:5, byte 4:0.
struct Place {
    std::uint32_t bank_id;
    std::uint32_t local;
};
Place place_3510(std::uint32_t address) {
    const std::uint32_t group = (address >> 5U) & 7U;
    const std::uint32_t bank = (address >> 8U) & 1U;
    return {group + 8 * bank, (address >> 9U) * 32 + (address & 31U)};
}

class UnifiedBuffer : public ::testing::Test {
protected:
    explicit UnifiedBuffer(const engine::Configuration& configuration = ub_configuration()) : ub("ub", configuration) {
        prober.socket.bind(ub.port);
    }

    Monitor& watch(std::uint32_t bank) {
        monitors.push_back(std::make_unique<Monitor>(("monitor_" + std::to_string(bank)).c_str()));
        Monitor& monitor = *monitors.back();
        ub.bank_socket(BankId{bank}).bind(monitor.target);
        monitor.initiator.bind(ub.bank(BankId{bank}).socket);
        return monitor;
    }

    ub::UnifiedBuffer ub;
    Prober prober{"prober"};
    std::vector<std::unique_ptr<Monitor>> monitors;
};

class Indexed : public UnifiedBuffer {
protected:
    Indexed() { indexed_socket.bind(ub.indexed); }

    /// A gather or scatter of `bytes`-byte elements at these addresses, all active.
    transport::PayloadHandle access(tlm::tlm_command command, std::uint16_t bytes,
                                    const std::vector<std::uint32_t>& addresses) {
        const auto lanes = static_cast<std::uint16_t>(addresses.size());
        transport::PayloadHandle payload = pool.acquire_indexed(command, std::uint32_t{lanes} * bytes);
        isa::IndexedAccess& indexed = payload->indexed();
        indexed = isa::IndexedAccess();
        indexed.element_bytes = bytes;
        indexed.lanes = lanes;
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            indexed.address[lane] = addresses[lane];
            indexed.active[lane / 64] |= std::uint64_t{1} << (lane % 64);
        }
        return payload;
    }
    tlm::tlm_response_status send(tlm::tlm_generic_payload& payload) {
        delay = SC_ZERO_TIME;
        indexed_socket->b_transport(payload, delay);
        return payload.get_response_status();
    }

    class Initiator : public sc_core::sc_module {
    public:
        explicit Initiator(sc_core::sc_module_name initiator_name) : sc_module(initiator_name), socket("socket") {}
        transport::IndexedInitiatorSocket<Initiator> socket;
    };
    transport::PayloadPool pool;
    Initiator initiator{"indexed_initiator"};
    transport::IndexedInitiatorSocket<Initiator>& indexed_socket = initiator.socket;
    sc_time delay;
};

// Banks.

TEST_F(UnifiedBuffer, a_bank_serves_its_rows_of_the_array) {
    elaborate();
    Bytes all(0x40000);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<unsigned char>(i * 31 + (i >> 8U));
    prober.debug_write(0, all);
    for (std::uint32_t address = 0; address < 0x40000; address += 13) {
        const Place place = place_3510(address);
        Bytes byte(1);
        tlm::tlm_generic_payload payload;
        fill(payload, tlm::TLM_READ_COMMAND, place.local, byte);
        ASSERT_EQ(ub.bank_socket(BankId{place.bank_id})->transport_dbg(payload), 1U);
        ASSERT_EQ(byte[0], all[address]) << "address " << address;
    }
    EXPECT_EQ(ub.bank_count(), 16U);
}

class UnifiedBuffer2201 : public UnifiedBuffer {
protected:
    UnifiedBuffer2201() : UnifiedBuffer(geometry_2201()) {}
    static engine::Configuration geometry_2201() {
        engine::Configuration configuration = ub_configuration(0x30000);
        timing::UbGeometry& ub = configuration.timing.ub;
        ub.bank_groups = 16;
        ub.banks_per_group = 3;
        ub.rows_per_bank = 128;
        ub.sub_banks = 1;
        ub.order = timing::AddressOrder::bank_row_group;
        return configuration;
    }
};

TEST_F(UnifiedBuffer2201, a_bank_serves_its_rows_of_the_array) {
    elaborate();
    Bytes all(0x30000);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<unsigned char>(i * 31 + (i >> 8U));
    prober.debug_write(0, all);
    for (std::uint32_t address = 0; address < 0x30000; address += 13) {
        const std::uint32_t group = (address >> 5U) & 15U;
        const std::uint32_t row = (address >> 9U) & 127U;
        const std::uint32_t bank = address >> 16U;
        Bytes byte(1);
        tlm::tlm_generic_payload payload;
        fill(payload, tlm::TLM_READ_COMMAND, row * 32 + address % 32, byte);
        ASSERT_EQ(ub.bank_socket(BankId{group + 16 * bank})->transport_dbg(payload), 1U);
        ASSERT_EQ(byte[0], all[address]) << "address " << address;
    }
}

// Time and counters.

TEST_F(UnifiedBuffer, T23_a_long_access_costs_a_beat_per_round_of_its_rows_and_counts_each_row_once) {
    elaborate();
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        const auto address = static_cast<std::uint32_t>(random() % 0x30000);
        const auto bytes = static_cast<std::uint32_t>(1 + random() % 5000);
        ub.reset();
        const auto answer = prober.write(address, Bytes(bytes));
        ASSERT_EQ(answer.status, tlm::TLM_OK_RESPONSE);
        std::map<std::uint32_t, std::uint64_t> rows;
        for (std::uint32_t row = address / 32; row <= (address + bytes - 1) / 32; ++row) {
            ++rows[place_3510(row * 32).bank_id];
        }
        for (std::uint32_t bank = 0; bank < 16; ++bank) {
            ASSERT_EQ(ub.counters().writes[bank], rows[bank]) << bytes << " bytes at " << address;
            ASSERT_EQ(ub.counters().reads[bank], 0U);
        }
        // Parts of 512 B, ending with a row, each of which needs a beat per round over the eight groups.
        std::uint32_t beats = 0;
        for (std::uint32_t at = address, left = bytes; left != 0;) {
            const std::uint32_t part = std::min(left, 512 - at % 32);
            beats += ((at + part - 1) / 32 - at / 32) / 8 + 1;
            at += part;
            left -= part;
        }
        ASSERT_EQ(answer.delay, sc_time(3.0 + beats - 1, SC_NS)) << bytes << " bytes at " << address;
    }
}

TEST_F(UnifiedBuffer, T23_disabled_rows_cost_nothing) {
    elaborate();
    Bytes data(512);
    Bytes enables(512, 0x00);
    std::fill_n(enables.begin(), 256, static_cast<unsigned char>(0xFF));
    tlm::tlm_generic_payload payload;
    fill(payload, tlm::TLM_READ_COMMAND, 0, data);
    EXPECT_EQ(prober.send(payload).delay, sc_time(6, SC_NS));
    payload.set_byte_enable_ptr(enables.data());
    payload.set_byte_enable_length(512);
    EXPECT_EQ(prober.send(payload).delay, sc_time(5, SC_NS));
    enables.assign(512, 0x00);
    EXPECT_EQ(prober.send(payload).delay, sc_time(5, SC_NS));
    EXPECT_EQ(std::accumulate(ub.counters().reads.begin(), ub.counters().reads.end(), 0U), 16U + 8U);
}

class SlowClock : public UnifiedBuffer {
protected:
    SlowClock() : UnifiedBuffer(configuration()) {}
    static engine::Configuration configuration() {
        engine::Configuration result = ub_configuration();
        result.clock_mhz = 1650.0;
        return result;
    }
};

TEST_F(SlowClock, T23_cycles_become_time_once) {
    elaborate();
    // 5 cycles of 606.06 ps are 3030.3 ps; 5 rounded periods would be 3030. 33 rows more: 4 beats more.
    Bytes data(32);
    tlm::tlm_generic_payload payload;
    fill(payload, tlm::TLM_READ_COMMAND, 0, data);
    EXPECT_EQ(prober.send(payload).delay, sc_time(3030, sc_core::SC_PS));
    const transport::ClockPeriod period(1650.0);
    EXPECT_EQ(period.duration(1000), sc_time(606061, sc_core::SC_PS));
    for (const std::uint64_t cycle : {0ULL, 1ULL, 2ULL, 3ULL, 1000ULL, 123456789ULL, 9999999999ULL}) {
        const sc_time start = period.duration(cycle);
        EXPECT_EQ(period.next_cycle(start), cycle);
        EXPECT_EQ(period.next_cycle(start + sc_time(1, sc_core::SC_PS)), cycle + 1);
    }
}

TEST_F(SlowClock, T23_times_at_the_end_of_sc_time_are_bounded) {
    elaborate();
    const std::uint64_t most = sc_core::sc_max_time().value();
    for (const double clock_mhz : {0.001, 1650.0, 100000.0}) {
        const transport::ClockPeriod period(clock_mhz);
        EXPECT_EQ(period.duration(~std::uint64_t{0}), sc_core::sc_max_time()) << clock_mhz;
        const std::uint64_t last = period.next_cycle(sc_core::sc_max_time());
        EXPECT_EQ(period.duration(last), sc_core::sc_max_time()) << clock_mhz;
        EXPECT_LT(period.duration(last - 1), sc_core::sc_max_time()) << clock_mhz;
        for (std::uint64_t cycle = 1; cycle < last; cycle += cycle / 3 + 1) {
            EXPECT_EQ(period.next_cycle(period.duration(cycle)), cycle) << clock_mhz;
        }
        for (const std::uint64_t back : {1ULL, 1000ULL, 1ULL << 40}) {
            const sc_time time = sc_time::from_value(most - back);
            const std::uint64_t cycle = period.next_cycle(time);
            EXPECT_GE(period.duration(cycle), time) << clock_mhz << ' ' << back;
            EXPECT_LT(period.duration(cycle - 1), time) << clock_mhz << ' ' << back;
        }
    }
}

class NoClock : public UnifiedBuffer {
protected:
    NoClock() : UnifiedBuffer(configuration()) {}
    static engine::Configuration configuration() {
        engine::Configuration result = ub_configuration();
        result.clock_mhz = 0.0;
        return result;
    }
};

TEST_F(NoClock, T23_an_unset_clock_adds_nothing_and_keeps_the_delay) {
    elaborate();
    Bytes data(64);
    tlm::tlm_generic_payload payload;
    fill(payload, tlm::TLM_WRITE_COMMAND, 0, data);
    sc_time delay(7, SC_NS);
    prober.socket->b_transport(payload, delay);
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(delay, sc_time(7, SC_NS));
    EXPECT_EQ(transport::ClockPeriod(0.0).next_cycle(sc_time(7, SC_NS)), 0U);
}

TEST_F(UnifiedBuffer, an_ignored_access_takes_the_time_of_a_read) {
    elaborate();
    Bytes data(4);
    tlm::tlm_generic_payload payload;
    fill(payload, tlm::TLM_IGNORE_COMMAND, 0, data);
    EXPECT_EQ(prober.send(payload).delay, sc_time(5, SC_NS));
}

TEST_F(UnifiedBuffer, a_phase_that_cannot_follow_is_refused) {
    elaborate();
    Bytes data(4, 9);
    tlm::tlm_generic_payload payload;
    fill(payload, tlm::TLM_WRITE_COMMAND, 0, data);
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_time delay;
    ExpectedReport expected("/vcore/ub/phase");
    prober.socket->nb_transport_fw(payload, phase, delay);
    EXPECT_EQ(expected.count(), 1U);
    EXPECT_THAT(expected.text(), testing::HasSubstr("END_RESP"));
    EXPECT_EQ(prober.debug_read(0, 4), Bytes(4, 0));
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
}

TEST_F(UnifiedBuffer, counters_leave_out_the_core_and_reset_clears_them) {
    elaborate();
    transport::MetadataExtension metadata;
    Bytes data(32);
    tlm::tlm_generic_payload payload;
    fill(payload, tlm::TLM_READ_COMMAND, 0x100, data);
    payload.set_extension(&metadata);
    for (const Requester requester : {Requester::load, Requester::store, Requester::gather_scatter}) {
        metadata.requester = requester;
        prober.send(payload);
    }
    EXPECT_EQ(ub.counters().reads[8], 0U);
    metadata.requester = Requester::foreign;
    prober.send(payload);
    payload.clear_extension(&metadata);
    prober.send(payload);
    EXPECT_EQ(ub.counters().reads[8], 2U);
    ub.reset();
    EXPECT_EQ(ub.counters().reads[8], 0U);
}

// The array, direct memory and the write listener.

TEST_F(UnifiedBuffer, the_array_is_what_the_port_shows) {
    elaborate();
    ASSERT_NE(ub.array(), nullptr);
    EXPECT_FALSE(ub.bank_traffic());
    ub.array()[0x1234] = std::byte{0x5A};
    EXPECT_EQ(prober.read(0x1234, 1), Bytes{0x5A});
    ub.reset();
    EXPECT_EQ(prober.read(0x1234, 1), Bytes{0});
}

TEST_F(UnifiedBuffer, T21_the_module_itself_takes_accesses_before_elaboration) {
    Bytes data{1, 2, 3, 4};
    tlm::tlm_generic_payload payload;
    fill(payload, tlm::TLM_WRITE_COMMAND, 0x40, data);
    sc_time delay(1, SC_NS);
    ub.b_transport(payload, delay);
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(delay, sc_time(4, SC_NS));
    payload.set_address(0x44);
    EXPECT_EQ(ub.transport_dbg(payload), 4U);
    elaborate();
    EXPECT_EQ(prober.read(0x40, 8), (Bytes{1, 2, 3, 4, 1, 2, 3, 4}));
}

TEST_F(UnifiedBuffer, T20_every_port_that_was_granted_is_told_and_no_other) {
    Prober second("second");
    Prober third("third");
    second.socket.bind(ub.port);
    third.socket.bind(ub.port);
    elaborate();
    ASSERT_TRUE(prober.ask_direct(tlm::TLM_READ_COMMAND, 0).granted);
    ASSERT_TRUE(third.ask_direct(tlm::TLM_WRITE_COMMAND, 0x100).granted);
    ub.reset();
    const std::pair<std::uint64_t, std::uint64_t> whole{0, 0x3FFFF};
    EXPECT_THAT(prober.invalidations, ElementsAre(whole));
    EXPECT_THAT(second.invalidations, ElementsAre());
    EXPECT_THAT(third.invalidations, ElementsAre(whole));
}

TEST_F(UnifiedBuffer, the_write_listener_hears_what_others_write) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> written;
    ub.set_write_listener(
        [&written](std::uint32_t address, std::uint32_t bytes) { written.emplace_back(address, bytes); });
    elaborate();
    using Run = std::pair<std::uint32_t, std::uint32_t>;

    prober.write(3, Bytes(100));
    prober.write(0x3FFFE, Bytes(4));  // refused
    prober.read(0, 4);
    prober.debug_write(0x3FFFE, Bytes(4));  // two bytes of it
    EXPECT_THAT(written, ElementsAre(Run(3, 100), Run(0x3FFFE, 2)));

    written.clear();
    Bytes data(8);
    Bytes enables{0xFF, 0xFF, 0x00, 0xFF};
    tlm::tlm_generic_payload payload;
    fill(payload, tlm::TLM_WRITE_COMMAND, 0x10, data);
    payload.set_byte_enable_ptr(enables.data());
    payload.set_byte_enable_length(4);
    prober.send(payload);
    EXPECT_THAT(written, ElementsAre(Run(0x10, 2), Run(0x13, 3), Run(0x17, 1)));

    written.clear();
    transport::MetadataExtension metadata;
    payload.set_extension(&metadata);
    metadata.requester = Requester::store;
    prober.send(payload);
    tlm::tlm_dmi grant;
    EXPECT_TRUE(prober.socket->get_direct_mem_ptr(payload, grant));
    EXPECT_THAT(written, ElementsAre());
    metadata.requester = Requester::mte;
    prober.send(payload);
    EXPECT_EQ(written.size(), 3U);
    payload.clear_extension(&metadata);

    written.clear();
    EXPECT_FALSE(prober.ask_direct(tlm::TLM_READ_COMMAND, 0).dmi.is_write_allowed());
    EXPECT_THAT(written, ElementsAre());
    EXPECT_TRUE(prober.ask_direct(tlm::TLM_WRITE_COMMAND, 0).dmi.is_write_allowed());
    EXPECT_THAT(written, ElementsAre(Run(0, 0x40000)));
}

// Bank traffic.

TEST_F(UnifiedBuffer, a_monitor_sees_contiguous_accesses_row_by_row) {
    Monitor& bank0 = watch(0);
    Monitor& bank1 = watch(1);
    Monitor& bank8 = watch(8);
    elaborate();
    EXPECT_TRUE(ub.bank_traffic());
    EXPECT_EQ(ub.array(), nullptr);
    EXPECT_FALSE(prober.ask_direct(tlm::TLM_READ_COMMAND, 0).granted);

    Bytes data(40);
    std::iota(data.begin(), data.end(), static_cast<unsigned char>(1));
    const auto answer = prober.write(0x218, data);  // bytes 24..31 of row 1 of bank 0, then all of bank 1
    EXPECT_EQ(answer.status, tlm::TLM_OK_RESPONSE);
    EXPECT_FALSE(answer.dmi_hint);
    EXPECT_EQ(answer.delay, sc_time(3, SC_NS)) << "built-in banks add nothing";
    ASSERT_EQ(bank0.seen.size(), 1U);
    EXPECT_TRUE(bank0.seen[0].write);
    EXPECT_EQ(bank0.seen[0].address, 32U + 24U);
    EXPECT_EQ(bank0.seen[0].data, Bytes(data.begin(), data.begin() + 8));
    ASSERT_EQ(bank1.seen.size(), 1U);
    EXPECT_EQ(bank1.seen[0].address, 32U);
    EXPECT_EQ(bank1.seen[0].data, Bytes(data.begin() + 8, data.end()));
    EXPECT_TRUE(bank8.seen.empty());

    EXPECT_EQ(prober.read(0x218, 40), data);
    EXPECT_EQ(bank0.seen.size(), 2U);
    EXPECT_FALSE(bank0.seen[1].write);
    prober.debug_write(0x300, Bytes(16, 5));
    EXPECT_EQ(bank8.debug_calls, 1U);
    EXPECT_EQ(prober.read(0x300, 16), Bytes(16, 5));
}

TEST_F(UnifiedBuffer, a_monitor_sees_byte_enables_and_no_row_without_any) {
    Monitor& bank0 = watch(0);
    Monitor& bank1 = watch(1);
    elaborate();
    Bytes data(64, 7);
    Bytes enables(64, 0x00);
    enables[3] = 0xFF;
    tlm::tlm_generic_payload payload;
    fill(payload, tlm::TLM_WRITE_COMMAND, 0, data);
    payload.set_byte_enable_ptr(enables.data());
    payload.set_byte_enable_length(64);
    EXPECT_EQ(prober.send(payload).status, tlm::TLM_OK_RESPONSE);
    ASSERT_EQ(bank0.seen.size(), 1U);
    EXPECT_EQ(bank0.seen[0].enables, Bytes(enables.begin(), enables.begin() + 32));
    EXPECT_TRUE(bank1.seen.empty());
    EXPECT_EQ(prober.read(0, 5), (Bytes{0, 0, 0, 7, 0}));
}

TEST_F(UnifiedBuffer, what_a_bank_adds_to_the_delay_stays) {
    watch(0).extra_delay = sc_time(10, SC_NS);
    elaborate();
    EXPECT_EQ(prober.write(0, Bytes(32)).delay, sc_time(13, SC_NS));
    EXPECT_EQ(prober.write(0x20, Bytes(32)).delay, sc_time(3, SC_NS));
}

TEST_F(UnifiedBuffer, a_bank_that_reads_something_else_is_an_error_and_the_array_counts) {
    watch(2).flip = 0x01;
    elaborate();
    prober.write(0x40, Bytes(32, 8));
    ExpectedReport expected("/vcore/ub/bank-data");
    EXPECT_EQ(prober.read(0x40, 32), Bytes(32, 8));
    EXPECT_EQ(expected.count(), 1U);
    EXPECT_EQ(expected.text(), "bank 2 read 9 at UB address 64, the array holds 8");
}

TEST_F(UnifiedBuffer, a_bank_that_answers_with_an_error_is_fatal) {
    watch(2).answer = tlm::TLM_GENERIC_ERROR_RESPONSE;
    elaborate();
    ExpectedReport expected("/vcore/ub/bank-error");
    EXPECT_THROW(prober.write(0x40, Bytes(4)), sc_core::sc_report);
    EXPECT_THAT(expected.text(), testing::HasSubstr("bank 2 answered TLM_GENERIC_ERROR_RESPONSE"));
}

TEST_F(UnifiedBuffer, a_replaced_bank_gets_everything_and_keeps_its_own_bytes) {
    std::vector<std::byte> own(std::size_t{512} * 32);
    ub::UbBank replacement("replacement", ub::RowView{own.data(), 32, 512, 32}, sc_time(4, SC_NS));
    ub.bank_socket(BankId{9}).bind(replacement.socket);
    elaborate();
    const std::uint32_t address = 0x120 + 3 * 0x200;  // row 3 of bank 9
    EXPECT_EQ(prober.write(address, {1, 2, 3}).delay, sc_time(7, SC_NS));
    prober.debug_write(address + 3, {4});
    EXPECT_EQ(std::to_integer<int>(own[3 * 32]), 1);
    EXPECT_EQ(std::to_integer<int>(own[3 * 32 + 3]), 4);
    EXPECT_EQ(prober.read(address, 4), (Bytes{1, 2, 3, 4}));
    EXPECT_EQ(replacement.writes(), 1U);
    EXPECT_EQ(ub.bank(BankId{9}).writes(), 0U);
}

class RoutedTraffic : public Indexed {
protected:
    RoutedTraffic() {
        for (std::uint32_t bank = 0; bank < 16; ++bank) watch(bank);
    }
};

TEST_F(RoutedTraffic, random_traffic_equals_the_plain_array) {
    elaborate();
    std::mt19937 random(11);
    Bytes reference(0x40000);
    for (int round = 0; round < 3000; ++round) {
        if (random() % 2 == 0) {
            const auto address = static_cast<std::uint32_t>(random() % 0x3F000);
            Bytes data(1 + random() % 300);
            for (unsigned char& byte : data) byte = static_cast<unsigned char>(random());
            tlm::tlm_generic_payload payload;
            fill(payload, tlm::TLM_WRITE_COMMAND, address, data);
            const auto width = static_cast<unsigned>(1 + random() % data.size());
            payload.set_streaming_width(width);
            ASSERT_EQ(prober.send(payload).status, tlm::TLM_OK_RESPONSE);
            for (std::size_t i = 0; i < data.size(); ++i) reference[address + i % width] = data[i];
            ASSERT_EQ(prober.read(address, data.size()),
                      Bytes(reference.begin() + address, reference.begin() + address + data.size()));
        } else {
            const std::uint16_t bytes = std::array<std::uint16_t, 5>{1, 2, 4, 8, 32}[random() % 5];
            std::vector<std::uint32_t> addresses(1 + random() % (bytes == 32 ? 8 : 128));
            for (std::uint32_t& address : addresses) address = (random() % (0x40000 / bytes)) * bytes;
            std::sort(addresses.begin(), addresses.end());
            addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
            std::shuffle(addresses.begin(), addresses.end(), random);
            auto payload = access(random() % 2 == 0 ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND, bytes, addresses);
            unsigned char* data = payload->data();
            for (std::size_t i = 0; i < addresses.size() * bytes; ++i) data[i] = static_cast<unsigned char>(random());
            ASSERT_EQ(send(*payload), tlm::TLM_OK_RESPONSE);
            for (std::size_t lane = 0; lane < addresses.size(); ++lane) {
                for (std::size_t i = 0; i < bytes; ++i) {
                    unsigned char& cell = reference[addresses[lane] + i];
                    if (payload->is_write()) cell = data[lane * bytes + i];
                    ASSERT_EQ(data[lane * bytes + i], cell);
                }
            }
        }
    }
    EXPECT_EQ(prober.debug_read(0, reference.size()), reference);
    EXPECT_EQ(pool.outstanding(), 0U);
}

// Gathers and scatters.

TEST_F(RoutedTraffic, S06_the_first_index_is_not_dropped_and_words_merge) {
    elaborate();
    Bytes words(32);
    for (std::size_t i = 0; i < 8; ++i) words[4 * i] = static_cast<unsigned char>(i);
    prober.debug_write(0x1000, words);
    const auto payload = access(tlm::TLM_READ_COMMAND, 4, {0x101C, 0x1004, 0x1008, 0x100C});  // words 7, 1, 2, 3
    ASSERT_EQ(send(*payload), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(payload->data()[0], 7);
    EXPECT_EQ(payload->data()[4], 1);
    EXPECT_EQ(payload->data()[8], 2);
    EXPECT_EQ(payload->data()[12], 3);

    std::vector<std::uint64_t> local;
    for (const auto& monitor : monitors) {
        for (const Monitor::Seen& seen : monitor->seen) {
            EXPECT_FALSE(seen.write);
            EXPECT_EQ(seen.data.size(), 8U);
            local.push_back(seen.address);
        }
    }
    const std::uint64_t row = 0x1000 / 512 * 32;  // 0x1000 is row 8 of bank 0
    EXPECT_THAT(local, ElementsAre(row + 24, row + 0, row + 8));
}

TEST_F(RoutedTraffic, a_scatter_arrives_as_words_with_byte_enables) {
    elaborate();
    const auto payload = access(tlm::TLM_WRITE_COMMAND, 2, {0x6, 0x2, 0x20});
    std::iota(payload->data(), payload->data() + 6, static_cast<unsigned char>(1));
    payload->metadata().requester = Requester::gather_scatter;
    ASSERT_EQ(send(*payload), tlm::TLM_OK_RESPONSE);
    ASSERT_EQ(monitors[0]->seen.size(), 1U);
    EXPECT_EQ(monitors[0]->seen[0].data, (Bytes{0, 0, 3, 4, 0, 0, 1, 2}));
    EXPECT_EQ(monitors[0]->seen[0].enables, (Bytes{0, 0, 0xFF, 0xFF, 0, 0, 0xFF, 0xFF}));
    EXPECT_EQ(monitors[0]->seen[0].requester, Requester::gather_scatter);
    ASSERT_EQ(monitors[1]->seen.size(), 1U);
    EXPECT_EQ(monitors[1]->seen[0].enables, (Bytes{0xFF, 0xFF, 0, 0, 0, 0, 0, 0}));
}

TEST_F(RoutedTraffic, words_merge_within_a_beat_only) {
    elaborate();
    // 64 lanes of b32 on one word: two beats of 32 lanes.
    const auto payload = access(tlm::TLM_READ_COMMAND, 4, std::vector<std::uint32_t>(64, 0x400));
    ASSERT_EQ(send(*payload), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(monitors[0]->seen.size(), 2U);
    EXPECT_EQ(delay, sc_time(5 + 1, SC_NS));
}

TEST_F(RoutedTraffic, a_block_gather_reads_whole_rows) {
    elaborate();
    const auto payload = access(tlm::TLM_READ_COMMAND, 32, {0x0, 0x20, 0x200, 0x0});
    ASSERT_EQ(send(*payload), tlm::TLM_OK_RESPONSE);
    ASSERT_EQ(monitors[0]->seen.size(), 2U);
    EXPECT_EQ(monitors[0]->seen[0].data.size(), 32U);
    EXPECT_EQ(monitors[0]->seen[1].address, 32U);
    EXPECT_EQ(monitors[1]->seen.size(), 1U);
}

TEST_F(Indexed, inactive_lanes_are_not_touched) {
    elaborate();
    prober.debug_write(0, {1, 2, 3, 4});
    auto payload = access(tlm::TLM_READ_COMMAND, 1, {3, 0xFFFFFFFF, 1});
    payload->indexed().active[0] = 0b101;
    std::fill_n(payload->data(), 3, static_cast<unsigned char>(0xEE));
    ASSERT_EQ(send(*payload), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(Bytes(payload->data(), payload->data() + 3), (Bytes{4, 0xEE, 2}));

    payload->set_write();
    payload->indexed().address[0] = 8;
    ASSERT_EQ(send(*payload), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(prober.debug_read(0, 9), (Bytes{1, 2, 3, 4, 0, 0, 0, 0, 4}));
}

TEST_F(Indexed, a_refused_scatter_writes_nothing) {
    std::vector<std::uint32_t> written;
    ub.set_write_listener([&written](std::uint32_t address, std::uint32_t) { written.push_back(address); });
    elaborate();
    auto payload = access(tlm::TLM_WRITE_COMMAND, 4, {0x100, 0x3FFFE});
    std::fill_n(payload->data(), 8, static_cast<unsigned char>(0xEE));
    EXPECT_EQ(send(*payload), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(delay, SC_ZERO_TIME);
    EXPECT_EQ(prober.debug_read(0x100, 4), Bytes(4, 0));
    EXPECT_THAT(written, ElementsAre());

    payload->indexed().address[1] = 0x3FFFC;
    EXPECT_EQ(send(*payload), tlm::TLM_OK_RESPONSE);
    EXPECT_THAT(written, ElementsAre(0x100U, 0x3FFFCU));
}

TEST_F(Indexed, malformed_indexed_payloads_are_refused) {
    elaborate();
    const auto good = [this] { return access(tlm::TLM_READ_COMMAND, 4, {0, 4}); };
    auto payload = good();
    payload->set_command(tlm::TLM_IGNORE_COMMAND);
    EXPECT_EQ(send(*payload), tlm::TLM_COMMAND_ERROR_RESPONSE);
    payload = good();
    payload->set_data_ptr(nullptr);
    EXPECT_EQ(send(*payload), tlm::TLM_GENERIC_ERROR_RESPONSE);
    payload = good();
    payload->set_data_length(7);
    EXPECT_EQ(send(*payload), tlm::TLM_BURST_ERROR_RESPONSE);
    payload = good();
    payload->indexed().element_bytes = 3;
    payload->set_data_length(6);
    EXPECT_EQ(send(*payload), tlm::TLM_BURST_ERROR_RESPONSE);
    payload = good();
    payload->indexed().lanes = 129;
    EXPECT_EQ(send(*payload), tlm::TLM_BURST_ERROR_RESPONSE);
    payload = good();
    payload->enable_bytes();
    EXPECT_EQ(send(*payload), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    payload = good();
    EXPECT_EQ(indexed_socket->transport_dbg(*payload), 8U);
    tlm::tlm_generic_payload without_extension;
    Bytes data(8);
    fill(without_extension, tlm::TLM_READ_COMMAND, 0, data);
    EXPECT_EQ(send(without_extension), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(indexed_socket->transport_dbg(without_extension), 0U);
}

TEST_F(Indexed, sub_bank_conflicts_cost_beats) {
    elaborate();
    // A39: 0x400 and 0x600 are rows 2 and 3 of the same bank and sub-bank.
    std::vector<std::uint32_t> straight;
    std::vector<std::uint32_t> alternating;
    for (std::uint32_t lane = 0; lane < 64; ++lane) {
        straight.push_back(0x400 + 4 * lane);
        alternating.push_back(lane % 2 == 0 ? 0x400 : 0x600);
    }
    const auto first = access(tlm::TLM_READ_COMMAND, 4, straight);
    ASSERT_EQ(send(*first), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(delay, sc_time(5 + 2 - 1, SC_NS));
    const auto second = access(tlm::TLM_READ_COMMAND, 4, alternating);
    ASSERT_EQ(send(*second), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(delay, sc_time(5 + 4 - 1, SC_NS));
}

}  // namespace
}  // namespace vcore::conformance
