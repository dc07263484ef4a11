// Sockets, payload pool and splitter of the tlm/ folder.
#include <algorithm>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include "models/ub/unified_buffer.hpp"
#include "testbenches/conformance/allocations.hpp"
#include "testbenches/conformance/prober.hpp"
#include "testbenches/conformance/target_fixtures.hpp"
#include "tlm/indexed_splitter.hpp"
#include "tlm/payload_pool.hpp"
#include "tlm/sockets.hpp"

namespace vcore::conformance {
namespace {

using sc_core::SC_NS;
using sc_core::sc_time;
using sc_core::SC_ZERO_TIME;
using transport::PayloadHandle;
using transport::PayloadPool;
using transport::Requester;

// Which sockets bind: decided when this file is compiled.

struct Module : sc_core::sc_module {};

template <typename Initiator, typename Target, typename = void>
constexpr bool kBinds = false;
template <typename Initiator, typename Target>
constexpr bool
    kBinds<Initiator, Target, std::void_t<decltype(std::declval<Initiator&>().bind(std::declval<Target&>()))>> = true;

using StrangersInitiator = tlm_utils::simple_initiator_socket<Module>;
using StrangersTarget = tlm_utils::simple_target_socket<Module>;

static_assert(kBinds<StrangersInitiator, transport::MemoryTargetSocket<Module>>);
static_assert(kBinds<transport::MemoryInitiatorSocket<Module>, StrangersTarget>);
static_assert(kBinds<transport::OpInitiatorSocket<Module>, transport::OpTargetSocket<Module>>);
static_assert(kBinds<transport::IndexedInitiatorSocket<Module>, transport::IndexedTargetSocket<Module>>);
static_assert(!kBinds<transport::OpInitiatorSocket<Module>, transport::MemoryTargetSocket<Module>>);
static_assert(!kBinds<transport::OpInitiatorSocket<Module>, StrangersTarget>);
static_assert(!kBinds<transport::OpInitiatorSocket<Module>, transport::IndexedTargetSocket<Module>>);
static_assert(!kBinds<StrangersInitiator, transport::OpTargetSocket<Module>>);
static_assert(!kBinds<StrangersInitiator, transport::IndexedTargetSocket<Module>>);
static_assert(!kBinds<transport::IndexedInitiatorSocket<Module>, transport::MemoryTargetSocket<Module>>);

// The pool.

TEST(PayloadPool, a_fresh_payload_is_ready_to_send) {
    PayloadPool pool;
    const PayloadHandle payload = pool.acquire_memory(tlm::TLM_WRITE_COMMAND, 0x1234, 100);
    EXPECT_EQ(payload->get_ref_count(), 1);
    EXPECT_TRUE(payload->has_mm());
    EXPECT_TRUE(payload->is_write());
    EXPECT_EQ(payload->get_address(), 0x1234U);
    EXPECT_EQ(payload->get_data_ptr(), payload->data());
    EXPECT_EQ(payload->get_data_length(), 100U);
    EXPECT_EQ(payload->get_streaming_width(), 100U);
    EXPECT_EQ(payload->get_byte_enable_ptr(), nullptr);
    EXPECT_EQ(payload->get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
    EXPECT_FALSE(payload->is_dmi_allowed());
    EXPECT_EQ(payload->get_extension<transport::MetadataExtension>(), &payload->metadata());
    EXPECT_EQ(payload->get_extension<transport::OpExtension>(), nullptr);
    payload->enable_bytes();
    EXPECT_EQ(payload->get_byte_enable_ptr(), payload->byte_enables());
    EXPECT_EQ(payload->get_byte_enable_length(), 100U);
    std::fill_n(payload->data(), 100, static_cast<unsigned char>(1));
    std::fill_n(payload->byte_enables(), 100, static_cast<unsigned char>(0xFF));
    EXPECT_EQ(payload->data()[99], 1);
}

struct Foreign : tlm::tlm_extension<Foreign> {
    explicit Foreign(int& alive_in) : alive(alive_in) { ++alive; }
    ~Foreign() override { --alive; }
    tlm::tlm_extension_base* clone() const override { return new Foreign(alive); }
    void copy_from(const tlm::tlm_extension_base&) override {}
    int& alive;
};

TEST(PayloadPool, reuse_resets_status_hint_and_extensions) {
    PayloadPool pool;
    int alive = 0;
    const tlm::tlm_generic_payload* first = nullptr;
    {
        const PayloadHandle payload = pool.acquire_memory(tlm::TLM_WRITE_COMMAND, 0, 64);
        first = payload.get();
        payload->set_response_status(tlm::TLM_OK_RESPONSE);
        payload->set_dmi_allowed(true);
        payload->set_gp_option(tlm::TLM_FULL_PAYLOAD);
        payload->enable_bytes();
        payload->metadata().requester = Requester::store;
        payload->metadata().line = 7;
        payload->set_extension(new Foreign(alive));
        EXPECT_EQ(alive, 1);
    }
    EXPECT_EQ(alive, 0);
    const PayloadHandle payload = pool.acquire_memory(tlm::TLM_READ_COMMAND, 0, 64);
    ASSERT_EQ(payload.get(), first) << "the same payload again";
    EXPECT_EQ(payload->get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
    EXPECT_FALSE(payload->is_dmi_allowed());
    EXPECT_EQ(payload->get_gp_option(), tlm::TLM_MIN_PAYLOAD);
    EXPECT_EQ(payload->get_byte_enable_ptr(), nullptr);
    EXPECT_EQ(payload->metadata().requester, Requester::foreign);
    EXPECT_EQ(payload->metadata().line, 0U);
    EXPECT_EQ(payload->get_extension<Foreign>(), nullptr);
}

TEST(PayloadPool, automatic_extensions_and_our_own_released_by_a_stranger) {
    PayloadPool pool;
    int alive = 0;
    {
        const PayloadHandle payload = pool.acquire_memory(tlm::TLM_READ_COMMAND, 0, 8);
        payload->set_auto_extension(new Foreign(alive));
        payload->release_extension<transport::MetadataExtension>();
    }
    EXPECT_EQ(alive, 0);
    const PayloadHandle payload = pool.acquire_memory(tlm::TLM_READ_COMMAND, 0, 8);
    ASSERT_NE(payload->get_extension<transport::MetadataExtension>(), nullptr);
    EXPECT_EQ(payload->get_extension<transport::MetadataExtension>(), &payload->metadata());
    EXPECT_EQ(pool.created(), 1U);
}

TEST(PayloadPool, ops_and_indexed_accesses_keep_their_extension) {
    PayloadPool pool;
    for (int round = 0; round < 3; ++round) {
        const PayloadHandle op = pool.acquire_op();
        ASSERT_NE(op->get_extension<transport::OpExtension>(), nullptr);
        EXPECT_EQ(&op->get_extension<transport::OpExtension>()->descriptor, &op->op());
        EXPECT_EQ(op->get_command(), tlm::TLM_IGNORE_COMMAND);
        EXPECT_EQ(op->get_data_ptr(), nullptr);
        EXPECT_EQ(op->op().line, 0U) << "as default-constructed";
        op->op().line = 9;
        const PayloadHandle indexed = pool.acquire_indexed(tlm::TLM_READ_COMMAND, 256);
        ASSERT_NE(indexed->get_extension<transport::IndexedExtension>(), nullptr);
        EXPECT_EQ(&indexed->get_extension<transport::IndexedExtension>()->access, &indexed->indexed());
    }
    EXPECT_EQ(pool.created(), 2U);
    EXPECT_EQ(pool.outstanding(), 0U);
}

/// The LT half of T07: transactions that end by the return of the first call.
TEST(PayloadPool, T07_ten_times_the_pool_leaves_counts_and_pool_as_they_were) {
    PayloadPool pool;
    constexpr std::size_t kPool = 16;
    std::vector<PayloadHandle> handles(kPool);
    for (PayloadHandle& handle : handles) handle = pool.acquire_memory(tlm::TLM_READ_COMMAND, 0, 256);
    EXPECT_EQ(pool.outstanding(), kPool);
    EXPECT_EQ(pool.created(), kPool);
    for (PayloadHandle& handle : handles) handle.reset();
    EXPECT_EQ(pool.outstanding(), 0U);

    for (std::size_t transaction = 0; transaction < 10 * kPool; ++transaction) {
        PayloadHandle payload = pool.acquire_memory(tlm::TLM_WRITE_COMMAND, transaction, 200);
        payload->acquire();  // a target that keeps it a while
        EXPECT_EQ(payload->get_ref_count(), 2);
        tlm::tlm_generic_payload* const kept = payload.get();
        payload.reset();
        EXPECT_EQ(pool.outstanding(), 1U);
        EXPECT_EQ(kept->get_ref_count(), 1);
        kept->release();
        EXPECT_EQ(kept->get_ref_count(), 0);
        EXPECT_EQ(pool.outstanding(), 0U);
    }
    EXPECT_EQ(pool.created(), kPool);
}

TEST(PayloadPool, steady_state_allocates_nothing) {
    PayloadPool pool;
    const auto use_each_kind = [&pool] {
        const PayloadHandle memory = pool.acquire_memory(tlm::TLM_WRITE_COMMAND, 0, 256);
        memory->enable_bytes();
        const PayloadHandle op = pool.acquire_op();
        const PayloadHandle indexed = pool.acquire_indexed(tlm::TLM_READ_COMMAND, 512);
    };
    use_each_kind();
    const std::uint64_t before = allocations();
    for (int round = 0; round < 1000; ++round) use_each_kind();
    EXPECT_EQ(allocations(), before);
    EXPECT_GT(before, 0U);
}

TEST(PayloadPool, sizes_share_payloads_within_a_class_only) {
    PayloadPool pool;
    for (const std::uint32_t bytes : {1U, 64U, 33U}) pool.acquire_memory(tlm::TLM_READ_COMMAND, 0, bytes);
    EXPECT_EQ(pool.created(), 1U);
    for (const std::uint32_t bytes : {65U, 128U, 100U}) pool.acquire_memory(tlm::TLM_READ_COMMAND, 0, bytes);
    EXPECT_EQ(pool.created(), 2U);
    const PayloadHandle large = pool.acquire_memory(tlm::TLM_WRITE_COMMAND, 0, 0x40000);
    std::fill_n(large->data(), 0x40000, static_cast<unsigned char>(3));
    EXPECT_EQ(pool.created(), 3U);
}

// The splitter, in front of a UB that is reached by its base-protocol port only.

class Splitter : public ::testing::Test {
protected:
    class Initiator : public sc_core::sc_module {
    public:
        explicit Initiator(sc_core::sc_module_name initiator_name) : sc_module(initiator_name), socket("socket") {}
        transport::IndexedInitiatorSocket<Initiator> socket;
    };

    Splitter() {
        initiator.socket.bind(splitter.target);
        splitter.initiator.bind(ub.port);
        prober.socket.bind(ub.port);
    }
    static void elaborate() { sc_core::sc_start(SC_ZERO_TIME); }

    PayloadHandle access(tlm::tlm_command command, const std::vector<std::uint32_t>& addresses,
                         std::uint64_t active = ~std::uint64_t{0}) {
        const auto lanes = static_cast<std::uint16_t>(addresses.size());
        PayloadHandle payload = pool.acquire_indexed(command, lanes * 4U);
        isa::IndexedAccess& indexed = payload->indexed();
        indexed.element_bytes = 4;
        indexed.lanes = lanes;
        indexed.active = {active, 0};
        std::copy(addresses.begin(), addresses.end(), indexed.address.begin());
        std::fill_n(payload->data(), lanes * 4, static_cast<unsigned char>(0xEE));
        return payload;
    }

    ub::UnifiedBuffer ub{"ub", ub_configuration()};
    transport::IndexedSplitter splitter{"splitter"};
    Initiator initiator{"initiator"};
    Prober prober{"prober"};
    PayloadPool pool;
    sc_time delay;
};

TEST_F(Splitter, a_gather_becomes_one_read_per_active_lane) {
    elaborate();
    Bytes table(64);
    std::iota(table.begin(), table.end(), static_cast<unsigned char>(0));
    prober.debug_write(0x100, table);
    const PayloadHandle payload = access(tlm::TLM_READ_COMMAND, {0x13C, 0xFFFFFFFF, 0x104}, 0b101);
    delay = sc_time(7, SC_NS);
    initiator.socket->b_transport(*payload, delay);
    EXPECT_EQ(payload->get_response_status(), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(Bytes(payload->data(), payload->data() + 12),
              (Bytes{60, 61, 62, 63, 0xEE, 0xEE, 0xEE, 0xEE, 4, 5, 6, 7}));
    EXPECT_EQ(delay, sc_time(7 + 2 * 5, SC_NS));
}

TEST_F(Splitter, a_scatter_writes_its_lanes_and_carries_the_metadata) {
    std::size_t heard = 0;
    ub.set_write_listener([&heard](std::uint32_t, std::uint32_t) { ++heard; });
    elaborate();
    const PayloadHandle payload = access(tlm::TLM_WRITE_COMMAND, {0x20, 0x10});
    payload->metadata().requester = Requester::gather_scatter;
    initiator.socket->b_transport(*payload, delay);
    EXPECT_EQ(payload->get_response_status(), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(prober.debug_read(0x20, 4), Bytes(4, 0xEE));
    EXPECT_EQ(prober.debug_read(0x10, 4), Bytes(4, 0xEE));
    EXPECT_EQ(heard, 0U) << "the UB takes it for the core's";
}

TEST_F(Splitter, the_memorys_error_comes_back_and_malformed_payloads_do_not_get_there) {
    elaborate();
    PayloadHandle payload = access(tlm::TLM_READ_COMMAND, {0x20, 0x40000, 0x10});
    initiator.socket->b_transport(*payload, delay);
    EXPECT_EQ(payload->get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    payload = access(tlm::TLM_READ_COMMAND, {0x20});
    payload->set_data_length(3);
    initiator.socket->b_transport(*payload, delay);
    EXPECT_EQ(payload->get_response_status(), tlm::TLM_BURST_ERROR_RESPONSE);
}

TEST_F(Splitter, debug_accesses_pass) {
    elaborate();
    prober.debug_write(0x40, {1, 2, 3, 4});
    const PayloadHandle payload = access(tlm::TLM_READ_COMMAND, {0x40, 0x3FFFE});
    EXPECT_EQ(initiator.socket->transport_dbg(*payload), 6U);
    EXPECT_EQ(payload->data()[3], 4);
}

}  // namespace
}  // namespace vcore::conformance
