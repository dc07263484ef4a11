// Cost of single accesses: worked examples, cases A39 and A40, and random accesses in random geometries against a
// reference that collects rows in sets.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "models/timing/bank_rules.hpp"
#include "testbenches/unit/random.hpp"
#include "testbenches/unit/timing_parameters.hpp"

namespace vcore::timing {
namespace {

// ---- making accesses

isa::ContiguousAccess contiguous(std::uint32_t address, std::uint32_t bytes) {
    isa::ContiguousAccess access;
    access.address = address;
    access.bytes = bytes;
    return access;
}
isa::BlockAccess blocks(std::uint32_t address, std::uint32_t stride_blocks, std::uint8_t active = 0xFF) {
    return {address, stride_blocks * 32, active};
}
/// Lane i at addresses[i]; an address of kOff is an inactive lane.
constexpr std::uint32_t kOff = 0xFFFFFFFF;
isa::IndexedAccess indexed(std::uint16_t element_bytes, const std::vector<std::uint32_t>& addresses) {
    isa::IndexedAccess access;
    access.element_bytes = element_bytes;
    access.lanes = static_cast<std::uint16_t>(addresses.size());
    access.all_active = true;
    access.low = kOff;
    for (std::size_t lane = 0; lane < addresses.size(); ++lane) {
        access.address[lane] = addresses[lane] == kOff ? 0 : addresses[lane];
        if (addresses[lane] == kOff) {
            access.all_active = false;
            continue;
        }
        access.active[lane / 64] |= std::uint64_t{1} << (lane % 64);
        access.low = std::min(access.low, addresses[lane]);
        access.high = std::max(access.high, addresses[lane] + element_bytes);
    }
    if (access.high == 0) access.low = 0;
    return access;
}

/// `count` b32 lanes from `base` with the repeating indices.
isa::IndexedAccess words(std::uint32_t base, const std::vector<std::uint32_t>& pattern, std::size_t count = 64) {
    std::vector<std::uint32_t> addresses;
    for (std::size_t lane = 0; lane < count; ++lane) addresses.push_back(base + 4 * pattern[lane % pattern.size()]);
    return indexed(4, addresses);
}

struct Rules : testing::Test {
    BankRules rules{geometry_3510(), parameters_3510().gather_scatter};
    BankCounters counters = rules.make_counters();

    std::uint64_t total(const std::vector<std::uint64_t>& banks) {
        std::uint64_t sum = 0;
        for (const std::uint64_t count : banks) sum += count;
        return sum;
    }
    AccessCost read(const isa::IndexedAccess& access, std::uint32_t lanes_per_beat) {
        return rules.cost(access, lanes_per_beat, Direction::read, counters);
    }
    template <typename Access>
    std::uint32_t read(const Access& access) {
        return rules.cost(access, Direction::read, counters).beats;
    }
    template <typename Access>
    std::uint32_t write(const Access& access) {
        return rules.cost(access, Direction::write, counters).beats;
    }
};

// ---- worked examples

TEST_F(Rules, ContiguousRegisterIsOneBeat) {
    EXPECT_EQ(read(contiguous(0x4100, 256)), 1U);
    EXPECT_EQ(total(counters.reads), 8U);
    for (std::uint32_t bank = 8; bank < 16; ++bank) EXPECT_EQ(counters.reads[bank], 1U) << bank;
    EXPECT_EQ(total(counters.writes), 0U);
}
TEST_F(Rules, PairIsTwoBeats) {
    EXPECT_EQ(read(contiguous(0, 512)), 2U);
    EXPECT_EQ(total(counters.reads), 16U);
}
TEST_F(Rules, LargeRunsTakeABeatPerEightRows) {
    EXPECT_EQ(read(contiguous(0x20, 4096)), 16U);
    EXPECT_EQ(read(contiguous(0, 32)), 1U);
    EXPECT_EQ(read(contiguous(16, 32)), 1U);
    EXPECT_EQ(read(contiguous(0, 0)), 0U);
    EXPECT_EQ(total(counters.reads), 128U + 1U + 2U);
}
TEST_F(Rules, RowsWithoutAnEnabledByteAreNotTouched) {
    isa::ContiguousAccess access = contiguous(0, 256);
    access.all_enabled = false;
    EXPECT_EQ(write(access), 0U);
    EXPECT_EQ(total(counters.writes), 0U);
    access.enable[0] = 1;                       // byte 0
    access.enable[3] = std::uint64_t{1} << 63;  // byte 255
    EXPECT_EQ(write(access), 1U);
    EXPECT_EQ(counters.writes[0], 1U);
    EXPECT_EQ(counters.writes[7], 1U);
    EXPECT_EQ(total(counters.writes), 2U);
}
TEST_F(Rules, BlockStrides) {
    EXPECT_EQ(read(blocks(0, 1)), 1U);
    EXPECT_EQ(read(blocks(0, 2)), 2U);
    EXPECT_EQ(read(blocks(0, 4)), 4U);
    EXPECT_EQ(read(blocks(0, 8)), 8U) << "eight rows of one group";
    EXPECT_EQ(read(blocks(0, 9)), 1U);
    EXPECT_EQ(read(blocks(0, 16)), 8U);
    EXPECT_EQ(read(blocks(0, 8, 0x81)), 2U) << "active blocks only";
    EXPECT_EQ(read(blocks(0, 8, 0)), 0U);
}
TEST_F(Rules, BlockStrideZeroMergesReadsAndNotWrites) {
    EXPECT_EQ(read(blocks(0x40, 0)), 1U);
    EXPECT_EQ(total(counters.reads), 1U);
    EXPECT_EQ(write(blocks(0x40, 0)), 8U);
    EXPECT_EQ(write(blocks(0x40, 0, 0x05)), 2U);
    EXPECT_EQ(counters.writes[2], 10U);
}
TEST_F(Rules, BlocksOf2201FallIntoSixteenGroups) {
    BankRules other(geometry_2201(), parameters_2201().gather_scatter);
    BankCounters of_other = other.make_counters();
    ASSERT_EQ(of_other.reads.size(), 48U);
    EXPECT_EQ(other.cost(blocks(0, 8), Direction::read, of_other).beats, 4U);
    EXPECT_EQ(other.cost(blocks(0, 16), Direction::read, of_other).beats, 8U) << "eight same-group blocks";
    EXPECT_EQ(other.cost(contiguous(0x10000, 256), Direction::write, of_other).beats, 1U);
    EXPECT_EQ(of_other.writes[16], 1U);
}

TEST_F(Rules, A39_SubBankConflictCostsTime) {
    std::vector<std::uint32_t> ascending;
    for (std::uint32_t lane = 0; lane < 64; ++lane) ascending.push_back(lane);
    const AccessCost free = read(words(0x400, ascending), 32);
    EXPECT_EQ(free.beats, 2U);
    EXPECT_EQ(free.sub_bank_stalls, 0U);
    const AccessCost conflict = read(words(0x400, {0, 128}), 32);
    EXPECT_EQ(conflict.beats, 4U) << "rows 2 and 3 of one sub-bank, in each of two beats";
    EXPECT_EQ(conflict.sub_bank_stalls, 2U);
}
TEST_F(Rules, A40_SameWordOrSameSlotIsNoConflict) {
    for (const std::vector<std::uint32_t>& pattern :
         {std::vector<std::uint32_t>{0}, std::vector<std::uint32_t>{0, 1}, std::vector<std::uint32_t>{0, 2}}) {
        const AccessCost cost = read(words(0x400, pattern), 32);
        EXPECT_EQ(cost.beats, 2U);
        EXPECT_EQ(cost.sub_bank_stalls, 0U);
    }
    EXPECT_EQ(total(counters.reads), 2U * (1 + 1 + 2)) << "lanes in one word merge";
}
TEST_F(Rules, SubBanksAreSharedByBothBanksOfAGroup) {
    // Words 0 and 64 lie 256 B apart: the two banks of group 0.
    EXPECT_EQ(read(words(0, {0, 64}), 32).beats, 4U);
    UbGeometry geometry = geometry_3510();
    geometry.sub_bank_scope = SubBankScope::bank;
    BankRules per_bank(geometry, parameters_3510().gather_scatter);
    EXPECT_EQ(per_bank.cost(words(0, {0, 64}), 32, Direction::read, counters).beats, 2U);
}
/// cases.md S06: the words 7, 1, 2, 3 are three reads, because 2 and 3 share eight bytes.
TEST_F(Rules, S06_NeighbouringWordsMerge) {
    EXPECT_EQ(read(words(0, {7, 1, 2, 3}, 4), 32).beats, 1U);
    EXPECT_EQ(total(counters.reads), 3U);
}
TEST_F(Rules, EveryLaneInOneSubBank) {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t lane = 0; lane < 64; ++lane) rows.push_back(lane * 64);
    const AccessCost cost = read(words(0, rows), 32);
    EXPECT_EQ(cost.beats, 64U);
    EXPECT_EQ(cost.sub_bank_stalls, 62U);
}
TEST_F(Rules, NoActiveLaneCostsNothing) {
    const AccessCost cost = read(indexed(2, std::vector<std::uint32_t>(128, kOff)), 64);
    EXPECT_EQ(cost.beats, 0U);
    EXPECT_EQ(cost.sub_bank_stalls, 0U);
    EXPECT_EQ(read(indexed(32, std::vector<std::uint32_t>(8, kOff)), 8).beats, 0U);
    EXPECT_EQ(total(counters.reads), 0U);
    std::vector<std::uint32_t> one(128, kOff);
    one[127] = 0x100;
    EXPECT_EQ(read(indexed(2, one), 64).beats, 2U) << "both beats run";
}
TEST_F(Rules, SixtyFourBitElementsRunTwice) {
    std::vector<std::uint32_t> addresses;
    for (std::uint32_t lane = 0; lane < 32; ++lane) addresses.push_back(lane * 8);
    EXPECT_EQ(read(indexed(8, addresses), 32).beats, 2U);
    EXPECT_EQ(total(counters.reads), 64U);
    for (std::uint32_t lane = 0; lane < 32; ++lane) addresses[lane] = lane * 512;
    const AccessCost cost = read(indexed(8, addresses), 32);
    EXPECT_EQ(cost.beats, 64U);
    EXPECT_EQ(cost.sub_bank_stalls, 62U);
}
TEST_F(Rules, BlockGathers) {
    const auto gather = [&](const std::vector<std::uint32_t>& rows) {
        std::vector<std::uint32_t> addresses;
        for (const std::uint32_t row : rows) addresses.push_back(row == kOff ? kOff : row * 32);
        return read(indexed(32, addresses), 8).beats;
    };
    EXPECT_EQ(gather({0, 1, 2, 3, 4, 5, 6, 7}), 2U) << "the least";
    EXPECT_EQ(gather({0, 8, 16, 24, 1, 2, 3, 4}), 4U) << "four rows of group 0";
    EXPECT_EQ(gather({5, 5, 5, 5, 5, 5, 5, 5}), 2U) << "one row";
    EXPECT_EQ(gather({0, 8, 16, kOff, 24, kOff, 32, 40}), 6U);
    EXPECT_EQ(total(counters.reads), 8U + 8U + 1U + 6U);
}
TEST_F(Rules, LanesPerBeat) {
    EXPECT_EQ(rules.lanes_per_beat(4, 4), 32U);
    EXPECT_EQ(rules.lanes_per_beat(2, 2), 64U);
    EXPECT_EQ(rules.lanes_per_beat(1, 2), 64U);
    EXPECT_EQ(rules.lanes_per_beat(2, 4), 32U) << "u32 indices with b16 data";
    EXPECT_EQ(rules.lanes_per_beat(8, 4), 32U);
    EXPECT_EQ(rules.lanes_per_beat(8, 8), 32U);
}

// ---- random accesses against sets

/// Where a byte lies, by counting fields off the address.
struct Place {
    std::uint32_t group;
    std::uint32_t bank;
    std::uint32_t row;
    std::uint32_t sub_bank;
    std::uint32_t bank_id;
};
Place place_of(const UbGeometry& ub, std::uint32_t address) {
    Place place{};
    place.sub_bank = (address % ub.row_bytes) / (ub.row_bytes / ub.sub_banks);
    std::uint32_t rest = address / ub.row_bytes;
    place.group = rest % ub.bank_groups;
    rest /= ub.bank_groups;
    if (ub.order == AddressOrder::row_bank_group) {
        place.bank = rest % ub.banks_per_group;
        place.row = rest / ub.banks_per_group;
    } else {
        place.row = rest % ub.rows_per_bank;
        place.bank = rest / ub.rows_per_bank;
    }
    place.bank_id = place.group + ub.bank_groups * place.bank;
    return place;
}

struct Expected {
    std::uint32_t beats = 0;
    std::uint32_t stalls = 0;
    std::map<std::uint32_t, std::uint64_t> banks;
};

/// Rows of the listed bytes, one per group and beat.
Expected by_rows(const UbGeometry& ub, const std::vector<std::uint32_t>& bytes) {
    std::map<std::uint32_t, std::set<std::pair<std::uint32_t, std::uint32_t>>> groups;
    for (const std::uint32_t byte : bytes) {
        const Place place = place_of(ub, byte);
        groups[place.group].insert({place.bank, place.row});
    }
    Expected expected;
    for (const auto& [group, rows] : groups) {
        expected.beats = std::max(expected.beats, static_cast<std::uint32_t>(rows.size()));
        for (const auto& [bank, row] : rows) ++expected.banks[group + ub.bank_groups * bank];
    }
    return expected;
}

Expected by_beats(const UbGeometry& ub, const isa::IndexedAccess& access, std::uint32_t lanes_per_beat) {
    Expected expected;
    const std::uint32_t passes = access.element_bytes == 8 ? 2 : 1;
    const std::uint32_t width = access.element_bytes / passes;
    for (std::uint32_t pass = 0; pass < passes; ++pass) {
        for (std::uint32_t first = 0; first < access.lanes; first += lanes_per_beat) {
            std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>> served;
            for (std::uint32_t lane = first; lane < std::min<std::uint32_t>(access.lanes, first + lanes_per_beat);
                 ++lane) {
                if (!access.is_active(lane)) continue;
                for (std::uint32_t byte = 0; byte < width; ++byte) {
                    const Place place = place_of(ub, access.address[lane] + pass * width + byte);
                    served.insert({place.group, place.sub_bank, place.bank, place.row});
                }
            }
            std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> load;
            std::uint32_t most = 1;
            for (const auto& [group, sub_bank, bank, row] : served) {
                const bool own = ub.sub_banks > 1 && ub.sub_bank_scope == SubBankScope::bank;
                most = std::max(most, ++load[{group, sub_bank, own ? bank : 0}]);
                ++expected.banks[group + ub.bank_groups * bank];
            }
            expected.beats += most;
            expected.stalls += most - 1;
        }
    }
    return expected;
}

UbGeometry random_geometry(unit::Random& random) {
    if (random.one_in(4)) return geometry_3510();
    if (random.one_in(8)) return random.one_in(2) ? geometry_2201() : geometry_3002();
    UbGeometry ub;
    const bool powers = random.one_in(2);
    ub.bank_groups = powers ? 1U << random.below(5) : static_cast<std::uint32_t>(random.between(1, 17));
    ub.banks_per_group = powers ? 1U << random.below(3) : static_cast<std::uint32_t>(random.between(1, 5));
    ub.rows_per_bank = static_cast<std::uint32_t>(random.between(64, 300));
    ub.row_bytes = random.pick<std::uint32_t>({32, 32, 32, 64, 96, 16});
    ub.sub_banks = random.pick<std::uint32_t>({1, 2, 4, 8});
    ub.sub_bank_scope = random.one_in(2) ? SubBankScope::group : SubBankScope::bank;
    ub.order = random.one_in(2) ? AddressOrder::row_bank_group : AddressOrder::bank_row_group;
    return ub;
}

/// A size for this many property runs; the sanitizers slow each of them down.
int accesses_per_seed() {
#if defined(__SANITIZE_ADDRESS__)
    return 40;
#else
    return 200;
#endif
}

void expect_counters(const std::vector<std::uint64_t>& counted, const Expected& expected) {
    for (std::uint32_t bank = 0; bank < counted.size(); ++bank) {
        const auto found = expected.banks.find(bank);
        RC_ASSERT(counted[bank] == (found == expected.banks.end() ? 0 : found->second));
    }
}

TEST(RulesProperty, IndexedAccesses) {
    EXPECT_TRUE(rc::check("gathers and scatters cost what sets of words say", [](std::uint64_t seed) {
        unit::Random random(seed);
        const UbGeometry ub = random_geometry(random);
        BankRules rules(ub, parameters_3510().gather_scatter);
        for (int run = 0; run < accesses_per_seed(); ++run) {
            const auto element = random.pick<std::uint16_t>({1, 2, 4, 8});
            const auto lanes =
                element == 8 ? random.pick<std::uint32_t>({32, 64}) : random.pick<std::uint32_t>({64, 128, 128, 17});
            const auto lanes_per_beat = random.pick<std::uint32_t>({32, 64, 64, 7, 128});
            // Spans around the widths at which the ways to count change, and the whole UB.
            const std::uint64_t slots = ub.bytes() / element;
            const std::uint64_t span = std::min<std::uint64_t>(
                slots, random.pick<std::uint64_t>({1, 16, 64, 128, 250, 256, 257, 1024, slots, slots}));
            const std::uint64_t start = random.below(slots - span + 1);
            const std::uint64_t step = std::min<std::uint64_t>(span, random.pick<std::uint64_t>({1, 1, 32, 64, 128}));
            const std::uint64_t off_in = random.pick<std::uint64_t>({1000000, 2, 8, 1});
            std::vector<std::uint32_t> addresses;
            for (std::uint32_t lane = 0; lane < lanes; ++lane) {
                const std::uint64_t slot = start + random.below(span) / step * step;
                addresses.push_back(random.one_in(off_in) ? kOff : static_cast<std::uint32_t>(slot * element));
            }
            const isa::IndexedAccess access = indexed(element, addresses);
            const Direction direction = random.one_in(2) ? Direction::read : Direction::write;
            BankCounters counters = rules.make_counters();
            const AccessCost cost = rules.cost(access, lanes_per_beat, direction, counters);
            const bool any = access.low != access.high;
            const Expected expected = any ? by_beats(ub, access, lanes_per_beat) : Expected{};
            RC_ASSERT(cost.beats == expected.beats);
            RC_ASSERT(cost.sub_bank_stalls == expected.stalls);
            expect_counters(direction == Direction::read ? counters.reads : counters.writes, expected);
            expect_counters(direction == Direction::read ? counters.writes : counters.reads, {});
        }
    }));
}

TEST(RulesProperty, ContiguousAccesses) {
    EXPECT_TRUE(rc::check("runs cost what sets of rows say", [](std::uint64_t seed) {
        unit::Random random(seed);
        const UbGeometry ub = random_geometry(random);
        BankRules rules(ub, parameters_3510().gather_scatter);
        for (int run = 0; run < accesses_per_seed(); ++run) {
            const auto bytes = static_cast<std::uint32_t>(
                std::min<std::uint64_t>(ub.bytes(), random.pick<std::uint64_t>({256, 512, 32, 16, 64, 100, 1})));
            isa::ContiguousAccess access =
                contiguous(static_cast<std::uint32_t>(random.below(ub.bytes() - bytes + 1)), bytes);
            access.all_enabled = random.one_in(3);
            for (std::uint64_t& word : access.enable)
                word = random.pick<std::uint64_t>(
                    {0, 0, random.bits(),
                     random.bits() & random.bits() & random.bits() & random.bits() & random.bits()});
            std::vector<std::uint32_t> touched;
            for (std::uint32_t byte = 0; byte < bytes; ++byte)
                if (access.enabled(byte)) touched.push_back(access.address + byte);
            BankCounters counters = rules.make_counters();
            const AccessCost cost = rules.cost(access, Direction::write, counters);
            const Expected expected = by_rows(ub, touched);
            RC_ASSERT(cost.beats == expected.beats);
            RC_ASSERT(cost.sub_bank_stalls == 0U);
            expect_counters(counters.writes, expected);
        }
    }));
}

TEST(RulesProperty, BlockAccessesAndBlockGathers) {
    EXPECT_TRUE(rc::check("blocks cost what sets of rows say", [](std::uint64_t seed) {
        unit::Random random(seed);
        UbGeometry ub = random_geometry(random);
        ub.rows_per_bank = 256;
        BankRules rules(ub, parameters_3510().gather_scatter);
        const std::uint64_t ub_blocks = ub.bytes() / 32;
        for (int run = 0; run < accesses_per_seed(); ++run) {
            const std::uint64_t most_stride = std::min<std::uint64_t>(65535, (ub_blocks - 1) / 7);
            const auto stride = static_cast<std::uint32_t>(std::min(
                most_stride, random.pick<std::uint64_t>({0, 1, 2, 3, 8, 16, 48, random.below(most_stride + 1)})));
            const std::uint64_t first = random.below(ub_blocks - 7 * stride);
            const isa::BlockAccess access =
                blocks(static_cast<std::uint32_t>(first * 32), stride, static_cast<std::uint8_t>(random.bits()));
            std::vector<std::uint32_t> gathered;
            std::vector<std::uint32_t> touched;
            for (std::uint32_t block = 0; block < 8; ++block) {
                const bool active = ((access.active >> block) & 1) != 0;
                gathered.push_back(active ? static_cast<std::uint32_t>(first + block * stride) * 32 : kOff);
                for (std::uint32_t byte = 0; active && byte < 32; ++byte) touched.push_back(gathered.back() + byte);
            }
            BankCounters counters = rules.make_counters();
            const Expected expected = by_rows(ub, touched);
            RC_ASSERT(rules.cost(access, Direction::read, counters).beats == expected.beats);
            expect_counters(counters.reads, expected);

            BankCounters of_gather = rules.make_counters();
            const std::uint32_t gather_beats = rules.cost(indexed(32, gathered), 8, Direction::read, of_gather).beats;
            RC_ASSERT(gather_beats == (touched.empty() ? 0U : std::max(2U, expected.beats)));
            expect_counters(of_gather.reads, expected);

            if (stride != 0) {
                RC_ASSERT(rules.cost(access, Direction::write, counters).beats == expected.beats);
                expect_counters(counters.writes, expected);
            }
        }
    }));
}

}  // namespace
}  // namespace vcore::timing
