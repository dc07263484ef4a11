// Every target of the project against an initiator, and every initiator and bridge against a memory, that does all that
// the base protocol permits, with the checker between them: no rule is broken, no byte is wrong, nothing is left over.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

#include <gtest/gtest.h>
#include <systemc>

#include "models/core/vector_core.hpp"
#include "models/engine/core.hpp"
#include "platforms/products.hpp"
#include "platforms/top.hpp"
#include "testbenches/conformance/hostile_initiator.hpp"
#include "testbenches/conformance/hostile_target.hpp"
#include "testbenches/conformance/random_ops.hpp"
#include "testbenches/conformance/scripts.hpp"
#include "testbenches/conformance/target_fixtures.hpp"
#include "tlm/base_protocol_checker.hpp"
#include "tlm/indexed_splitter.hpp"
#include "tlm/op_initiator.hpp"

namespace vcore::conformance {
namespace {

constexpr std::size_t kTransactions = 20'000;

/// A seed of its own for each run, or the one that VCORE_SEED names.
std::uint64_t new_seed() {
    const char* const given = std::getenv("VCORE_SEED");
    const std::uint64_t seed =
        given != nullptr ? std::strtoull(given, nullptr, 10) : static_cast<std::uint64_t>(std::random_device()());
    std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
    return seed;
}

void expect_clean(const transport::BaseProtocolChecker<>& checker) {
    EXPECT_EQ(checker.rules().outstanding(), 0U);
    for (const transport::ProtocolRuleInfo& rule : transport::protocol_rules()) {
        EXPECT_EQ(checker.rules().broken(rule.rule), 0U) << rule.id;
    }
}

template <typename Target>
class HostileTargets : public ::testing::Test {};
TYPED_TEST_SUITE(HostileTargets, MemoryTargets, TargetName);

TYPED_TEST(HostileTargets, SurviveAHostileInitiator) {
    TypeParam target;
    HostileHabits habits;
    habits.window = target.size() / HostileInitiator::kSlots;
    if (habits.window > 4096) habits.window = 4096;
    habits.end = target.size();
    HostileInitiator hostile("hostile", habits, new_seed());
    transport::BaseProtocolChecker<> checker("checker");
    hostile.socket.bind(checker.target_socket);
    target.bind(checker.initiator_socket);
    Scripts scripts;
    scripts.add([&] { hostile.run(kTransactions); });
    scripts.run(sc_core::sc_time(10, sc_core::SC_SEC));
    EXPECT_EQ(hostile.completed, kTransactions);
    EXPECT_GT(hostile.refused, 100U);
    expect_clean(checker);
}

/// Two hostile initiators at the UB and one at the MTE of a whole platform.
void survive_on_a_platform(engine::Mode mode) {
    const std::uint64_t seed = new_seed();
    platforms::Top top("top", platforms::load_product("ascend950"), mode);
    HostileHabits habits;
    habits.end = top.ub.size_bytes();
    HostileInitiator first("first", habits, seed);
    habits.first = 0x10000;
    HostileInitiator second("second", habits, seed + 1);
    habits.first = 0x20000;
    habits.byte_enables = false;  // a DMA has none
    habits.alignment = 32;
    habits.checks_ignore = true;
    HostileInitiator third("third", habits, seed + 2);
    transport::BaseProtocolChecker<> first_checker("first_checker");
    transport::BaseProtocolChecker<> second_checker("second_checker");
    transport::BaseProtocolChecker<> third_checker("third_checker");
    first.socket.bind(first_checker.target_socket);
    second.socket.bind(second_checker.target_socket);
    third.socket.bind(third_checker.target_socket);
    first_checker.initiator_socket.bind(top.ub.port);
    second_checker.initiator_socket.bind(top.ub.port);
    third_checker.initiator_socket.bind(top.mte.transfer_socket);
    Scripts scripts;
    constexpr std::size_t kEach = kTransactions / 4;
    scripts.add([&] { first.run(kEach); });
    scripts.add([&] { second.run(kEach); });
    scripts.add([&] { third.run(kEach); });
    scripts.run(sc_core::sc_time(10, sc_core::SC_SEC));
    EXPECT_EQ(first.completed + second.completed + third.completed, 3 * kEach);
    expect_clean(first_checker);
    expect_clean(second_checker);
    expect_clean(third_checker);
}

TEST(HostilePlatform, SurvivesLooselyTimed) {
    survive_on_a_platform(engine::Mode::loosely_timed);
}

TEST(HostilePlatform, SurvivesApproximatelyTimed) {
    survive_on_a_platform(engine::Mode::approximately_timed);
}

/// A core whose registers and UB are hostile memories, with a checker on every base-protocol socket.
struct HostileMemories : sc_core::sc_module {
    HostileMemories(sc_core::sc_module_name bench_name, std::uint64_t seed)
        : sc_module(bench_name),
          configuration(platforms::load_product("ascend950")),
          core("core", configuration),
          vectors("vectors", vector_bytes, seed),
          masks("masks", mask_bytes, seed + 1),
          loads("loads", ub_bytes, seed + 2),
          stores("stores", ub_bytes, seed + 3),
          indexed("indexed", ub_bytes, seed + 4) {
        ops.socket.bind(core.op_socket);
        core.vector_registers.bind(vector_checker.target_socket);
        core.mask_registers.bind(mask_checker.target_socket);
        core.load_port.bind(load_checker.target_socket);
        core.store_port.bind(store_checker.target_socket);
        core.gather_scatter.bind(splitter.target);
        splitter.initiator.bind(indexed_checker.target_socket);
        vector_checker.initiator_socket.bind(vectors.socket);
        mask_checker.initiator_socket.bind(masks.socket);
        load_checker.initiator_socket.bind(loads.socket);
        store_checker.initiator_socket.bind(stores.socket);
        indexed_checker.initiator_socket.bind(indexed.socket);
    }
    std::vector<std::byte> vector_bytes = std::vector<std::byte>(std::size_t{32} * 256);
    std::vector<std::byte> mask_bytes = std::vector<std::byte>(std::size_t{8} * 32);
    std::vector<std::byte> ub_bytes = std::vector<std::byte>(0x40000);
    engine::Configuration configuration;
    transport::OpInitiator ops{"ops"};
    core::VectorCore core;
    transport::IndexedSplitter splitter{"splitter"};
    transport::BaseProtocolChecker<> vector_checker{"vector_checker"};
    transport::BaseProtocolChecker<> mask_checker{"mask_checker"};
    transport::BaseProtocolChecker<> load_checker{"load_checker"};
    transport::BaseProtocolChecker<> store_checker{"store_checker"};
    transport::BaseProtocolChecker<> indexed_checker{"indexed_checker"};
    HostileTarget vectors;
    HostileTarget masks;
    HostileTarget loads;
    HostileTarget stores;
    HostileTarget indexed;
};

TEST(HostileMemory, ACoreOnItComputesTheSameBytes) {
    const std::uint64_t seed = new_seed();
    unit::Random random(seed);
    const Bytes memory = random_memory(random, 0x40000);
    HostileMemories bench("bench", seed);
    engine::Storage storage(bench.configuration);
    engine::Core reference(bench.configuration, storage.registers(), storage.ub());
    std::memcpy(storage.ub_bytes(), memory.data(), memory.size());
    std::memcpy(bench.ub_bytes.data(), memory.data(), memory.size());
    std::size_t performed = 0;
    Scripts scripts;
    scripts.add([&] {
        for (int part = 0; part < 60; ++part) {
            for (const isa::Op& op : random_program(random)) {
                isa::Op moved_on = op;
                const isa::DiagnosticId fault = reference.issue(moved_on, 0, timing::Cycle(0)).fault;
                ASSERT_EQ(bench.ops.issue(op).fault, fault) << isa::name(isa::kind_of(op));
                if (fault == isa::DiagnosticId::none) ++performed;
            }
        }
    });
    scripts.run(sc_core::sc_time(10, sc_core::SC_SEC));
    EXPECT_GT(performed, 1000U);
    EXPECT_EQ(std::memcmp(bench.ub_bytes.data(), storage.ub_bytes(), bench.ub_bytes.size()), 0);
    EXPECT_EQ(std::memcmp(bench.vector_bytes.data(), storage.registers().vector, bench.vector_bytes.size()), 0);
    EXPECT_EQ(std::memcmp(bench.mask_bytes.data(), storage.registers().mask, bench.mask_bytes.size()), 0);
    EXPECT_GT(bench.indexed.accesses, 1000U);
    EXPECT_GT(bench.loads.asked_for_direct, 0U);
    for (const auto* checker : {&bench.vector_checker, &bench.mask_checker, &bench.load_checker, &bench.store_checker,
                                &bench.indexed_checker}) {
        expect_clean(*checker);
    }
}

}  // namespace
}  // namespace vcore::conformance
