// Every target of the project against an initiator that does all that the base protocol permits, with the checker
// between them: no rule is broken, no byte is wrong, nothing is left under way.
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include <gtest/gtest.h>
#include <systemc>

#include "platforms/products.hpp"
#include "platforms/top.hpp"
#include "testbenches/conformance/hostile_initiator.hpp"
#include "testbenches/conformance/scripts.hpp"
#include "testbenches/conformance/target_fixtures.hpp"
#include "tlm/base_protocol_checker.hpp"

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

}  // namespace
}  // namespace vcore::conformance
