// Footprints against the bank rules, which count what footprints list: beats, rows per bank, and the promises of a
// step.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>
#include <vector>

#include "models/timing/bank_rules.hpp"
#include "models/timing/footprint.hpp"
#include "testbenches/unit/allocation_counter.hpp"
#include "testbenches/unit/random.hpp"
#include "testbenches/unit/timing_parameters.hpp"

namespace vcore::timing {
namespace {

UbGeometry random_geometry(unit::Random& random) {
    if (random.one_in(3)) return random.pick({geometry_3510(), geometry_2201(), geometry_3002()});
    UbGeometry ub;
    ub.bank_groups = random.pick({1U, 2U, 3U, 5U, 8U, 16U, 70U});
    ub.banks_per_group = random.pick({1U, 2U, 3U, 4U});
    ub.row_bytes = random.pick({32U, 64U, 128U, 256U});
    ub.rows_per_bank = 65536 / (ub.bank_groups * ub.banks_per_group * ub.row_bytes) + 1;
    ub.sub_banks = random.pick({1U, 2U, 4U, 16U, 32U});
    ub.sub_bank_scope = random.one_in(2) ? SubBankScope::group : SubBankScope::bank;
    ub.order = random.one_in(2) ? AddressOrder::row_bank_group : AddressOrder::bank_row_group;
    return ub;
}

isa::ContiguousAccess random_run(unit::Random& random, std::uint64_t ub_bytes) {
    isa::ContiguousAccess access;
    access.bytes = static_cast<std::uint32_t>(random.below(513));
    access.address = static_cast<std::uint32_t>(random.below(ub_bytes - access.bytes + 1));
    access.all_enabled = random.one_in(2);
    for (auto& word : access.enable) word = random.bits() & random.bits() & (random.one_in(2) ? random.bits() : 0);
    return access;
}

isa::BlockAccess random_blocks(unit::Random& random, std::uint64_t ub_bytes) {
    isa::BlockAccess access;
    const std::uint64_t most = (ub_bytes - 32) / (7 * 32);
    access.stride_bytes =
        static_cast<std::uint32_t>(32 * random.pick({std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{8},
                                                     std::uint64_t{16}, random.below(most + 1)}));
    access.stride_bytes = std::min<std::uint32_t>(access.stride_bytes, static_cast<std::uint32_t>(32 * most));
    access.address = static_cast<std::uint32_t>(32 * random.below((ub_bytes - 32 - 7 * access.stride_bytes) / 32 + 1));
    access.active = static_cast<std::uint8_t>(random.one_in(2) ? 255 : random.bits());
    return access;
}

isa::IndexedAccess random_lanes(unit::Random& random, std::uint64_t ub_bytes) {
    isa::IndexedAccess access;
    access.element_bytes = random.pick<std::uint16_t>({1, 2, 4, 8, 32});
    access.lanes = access.element_bytes == 32 ? 8 : static_cast<std::uint16_t>(1 + random.below(isa::kMaxIndexedLanes));
    const std::uint64_t elements = ub_bytes / access.element_bytes;
    const std::uint64_t near = std::min<std::uint64_t>(elements, random.pick({4, 64, 1 << 20}));
    const std::uint64_t stride = random.pick({1, 8, 64, 128});
    access.low = ~0U;
    access.high = 0;
    for (std::uint32_t lane = 0; lane < access.lanes; ++lane) {
        access.address[lane] = 0;
        if (random.one_in(8)) continue;
        access.active[lane / 64] |= std::uint64_t{1} << (lane % 64);
        const std::uint64_t element = random.below(near) * stride % elements;
        access.address[lane] = static_cast<std::uint32_t>(element * access.element_bytes);
        access.low = std::min(access.low, access.address[lane]);
        access.high = std::max(access.high, access.address[lane] + access.element_bytes);
    }
    if (access.high == 0) access.low = 0;
    return access;
}

/// What the bank rules count must be what the footprint lists, and a step must be what the arbiter relies on.
void check(const Footprint& footprint, AccessCost cost, const BankCounters& counted, const UbGeometry& ub,
           Direction direction) {
    RC_ASSERT(footprint.steps() == cost.beats);
    RC_ASSERT(footprint.direction == direction);
    std::vector<std::uint64_t> touched(ub.banks(), 0);
    const AddressMap map(ub);
    const MaskLayout layout(ub);
    std::uint32_t further = 0;
    for (std::uint32_t step = 0; step < footprint.steps(); ++step) {
        std::set<std::uint32_t> groups;
        std::set<std::uint32_t> ports;
        std::vector<std::uint64_t> masks(layout.words(), 0);
        const auto mark = [&](std::uint32_t first_word, std::uint32_t bit) {
            masks[first_word + bit / 64] |= std::uint64_t{1} << (bit % 64);
        };
        footprint.for_each_row(step, [&](const Touch& touch) {
            ++touched[touch.bank];
            RC_ASSERT(touch.bank == value(map.bank_of_row(touch.row)));
            RC_ASSERT(touch.group == touch.bank % ub.bank_groups);
            const bool fresh = groups.insert(touch.group).second;
            mark(0, touch.bank);
            mark(layout.banks, touch.group);
            if (footprint.indexed) {
                RC_ASSERT(ports.insert(touch.port).second);
                mark(layout.banks + layout.groups, touch.port);
            } else {
                RC_ASSERT(fresh);
            }
        });
        RC_ASSERT(std::equal(masks.begin(), masks.end(), footprint.masks(step)));
        if (footprint.further(step)) ++further;
    }
    RC_ASSERT(further == cost.sub_bank_stalls);
    RC_ASSERT(touched == (direction == Direction::read ? counted.reads : counted.writes));
}

TEST(FootprintProperty, ListsWhatTheBankRulesCount) {
    EXPECT_TRUE(rc::check("random accesses in random geometries", [](std::uint64_t seed) {
        unit::Random random(seed);
        const UbGeometry ub = random_geometry(random);
        GatherScatterParameters gather_scatter;
        gather_scatter.minimum_block_beats = random.pick({1U, 2U, 9U});
        BankRules rules(ub, gather_scatter);
        FootprintMaker maker(ub, gather_scatter);
        Footprint footprint;
        for (int i = 0; i < 30; ++i) {
            const Direction direction = random.one_in(2) ? Direction::read : Direction::write;
            BankCounters counted = rules.make_counters();
            AccessCost cost;
            switch (random.below(3)) {
                case 0: {
                    const isa::ContiguousAccess access = random_run(random, ub.bytes());
                    cost = rules.cost(access, direction, counted);
                    maker.make(access, direction, footprint);
                    break;
                }
                case 1: {
                    const isa::BlockAccess access = random_blocks(random, ub.bytes());
                    cost = rules.cost(access, direction, counted);
                    maker.make(access, direction, footprint);
                    break;
                }
                default: {
                    const isa::IndexedAccess access = random_lanes(random, ub.bytes());
                    const std::uint32_t lanes = random.pick({1U, 8U, 32U, 64U, 128U});
                    cost = rules.cost(access, lanes, direction, counted);
                    maker.make(access, lanes, direction, footprint);
                    break;
                }
            }
            check(footprint, cost, counted, ub, direction);
        }
    }));
}

TEST(FootprintProperty, TransfersTouchEachRowOnceAndInTheirRate) {
    EXPECT_TRUE(rc::check("random transfers", [](std::uint64_t seed) {
        unit::Random random(seed);
        const UbGeometry ub = random_geometry(random);
        FootprintMaker maker(ub, {});
        const auto bytes = static_cast<std::uint32_t>(random.below(4096));
        const auto address = static_cast<std::uint32_t>(random.below(ub.bytes() - bytes + 1));
        const auto rate = static_cast<std::uint32_t>(1 + random.below(512));
        Footprint footprint;
        maker.make(address, bytes, rate, Direction::write, footprint);
        std::uint32_t next_row = address / ub.row_bytes;
        for (std::uint32_t step = 0; step < footprint.steps(); ++step) {
            std::set<std::uint32_t> groups;
            footprint.for_each_row(step, [&](const Touch& touch) {
                RC_ASSERT(touch.row == next_row++);
                RC_ASSERT(groups.insert(touch.group).second);
            });
            RC_ASSERT(groups.size() <= std::max(1U, rate / ub.row_bytes));
        }
        RC_ASSERT(next_row == (bytes == 0 ? address / ub.row_bytes : (address + bytes - 1) / ub.row_bytes + 1));
    }));
}

TEST(Footprint, AlternatingRowsOfOnePortTakeTurns) {
    // Words 0 and 128 of the published gather: two rows of one (group, sub-bank).
    FootprintMaker maker(geometry_3510(), parameters_3510().gather_scatter);
    isa::IndexedAccess access;
    access.element_bytes = 4;
    access.lanes = 64;
    access.all_active = true;
    access.active = {~std::uint64_t{0}, 0};
    for (std::uint32_t lane = 0; lane < 64; ++lane) access.address[lane] = 0x400 + (lane % 2) * 0x200;
    access.low = 0x400;
    access.high = 0x604;
    Footprint footprint;
    maker.make(access, 32, Direction::read, footprint);
    ASSERT_EQ(footprint.steps(), 4U) << "two beats of two rows";
    EXPECT_FALSE(footprint.further(0));
    EXPECT_TRUE(footprint.further(1));
    EXPECT_FALSE(footprint.further(2));
    EXPECT_EQ(footprint.begin(1)->row, 0x600U / 32);
    EXPECT_EQ(footprint.begin(1)->port, 0U);
}

TEST(Footprint, MakesAgainWithoutAllocating) {
    unit::Random random(1);
    const UbGeometry ub = geometry_3510();
    FootprintMaker maker(ub, parameters_3510().gather_scatter);
    Footprint footprint;
    const auto make_some = [&] {
        unit::Random same(7);
        for (int i = 0; i < 100; ++i) {
            maker.make(random_run(same, ub.bytes()), Direction::read, footprint);
            maker.make(random_blocks(same, ub.bytes()), Direction::write, footprint);
            maker.make(random_lanes(same, ub.bytes()), 32, Direction::read, footprint);
        }
    };
    make_some();
    const std::uint64_t before = unit::allocations();
    make_some();
    EXPECT_EQ(unit::allocations(), before);
}

}  // namespace
}  // namespace vcore::timing
