// The arbiter against a checker that keeps every grant of a cycle and judges a request by the rules as they are
// written.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>
#include <vector>

#include "models/timing/arbiter.hpp"
#include "testbenches/unit/random.hpp"
#include "testbenches/unit/timing_parameters.hpp"

namespace vcore::timing {
namespace {

/// One row or word that is served in the cycle.
struct Use {
    std::uint32_t grant;  ///< number of the granted request
    bool write;
    bool word;
    Touch touch;
};

/// Whether a set of uses, of which each grant is one request, is legal in one cycle. Direct from the rules.
bool legal(const std::vector<Use>& uses, const UbGeometry& ub) {
    for (std::size_t i = 0; i < uses.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const Use& a = uses[i];
            const Use& b = uses[j];
            if (a.grant == b.grant) continue;
            if (a.word && b.word) {
                if (a.touch.port == b.touch.port) return false;
            } else if (a.touch.bank == b.touch.bank) {
                // The bank does one thing: both read one row, or neither may be there.
                if (a.write || b.write || a.touch.row != b.touch.row) return false;
            }
        }
    }
    for (std::uint32_t group = 0; group < ub.bank_groups; ++group) {
        std::set<std::uint32_t> rows_read;       // by this grant or earlier ones
        std::set<std::uint32_t> indexed_grants;  // one access each, however many words
        std::set<std::uint32_t> writers;
        std::size_t reads = 0;
        for (const Use& use : uses) {  // in the order of the grants
            if (use.touch.group != group) continue;
            if (use.write) {
                writers.insert(use.grant);
            } else if (use.word) {
                reads += indexed_grants.insert(use.grant).second ? 1 : 0;
                rows_read.insert(use.touch.row);
            } else {
                reads += rows_read.insert(use.touch.row).second ? 1 : 0;  // a row that is read already merges
            }
        }
        if (reads > ub.reads_per_group || writers.size() > ub.writes_per_group) return false;
        if (reads + writers.size() > ub.accesses_per_group) return false;
    }
    return true;
}

UbGeometry random_geometry(unit::Random& random) {
    UbGeometry ub = random.pick({geometry_3510(), geometry_2201(), geometry_3002()});
    if (random.one_in(2)) {
        ub.bank_groups = random.pick({1U, 2U, 8U, 70U});
        ub.banks_per_group = random.pick({1U, 2U, 3U});
        ub.rows_per_bank = 64;
        ub.sub_banks = random.pick({1U, 2U, 4U});
        ub.sub_bank_scope = random.one_in(2) ? SubBankScope::group : SubBankScope::bank;
        ub.order = random.one_in(2) ? AddressOrder::row_bank_group : AddressOrder::bank_row_group;
        ub.reads_per_group = random.pick({1U, 2U, 3U});
        ub.writes_per_group = random.pick({1U, 2U});
        ub.accesses_per_group = random.pick({1U, 2U, 3U, 5U});
    }
    return ub;
}

/// Accesses that lie close together, so that they meet.
void make_random(unit::Random& random, const UbGeometry& ub, FootprintMaker& maker, Footprint& footprint) {
    const Direction direction = random.one_in(3) ? Direction::write : Direction::read;
    const auto span = static_cast<std::uint32_t>(std::min<std::uint64_t>(ub.bytes(), 2048));
    const auto at = [&](std::uint32_t bytes) {
        return static_cast<std::uint32_t>(random.below((span - bytes) / 32 + 1) * 32);
    };
    switch (random.below(4)) {
        case 0: {
            isa::ContiguousAccess access;
            access.bytes = random.pick({32U, 64U, 256U});
            access.address = at(access.bytes);
            maker.make(access, direction, footprint);
            break;
        }
        case 1: {
            isa::BlockAccess access;
            access.stride_bytes = 32 * random.pick({0U, 1U, 3U, 8U});
            access.address = at(7 * access.stride_bytes + 32);
            access.active = static_cast<std::uint8_t>(random.bits());
            maker.make(access, direction, footprint);
            break;
        }
        case 2: maker.make(at(128), 128, 128, direction, footprint); break;
        default: {
            isa::IndexedAccess access;
            access.element_bytes = 4;
            access.lanes = static_cast<std::uint16_t>(1 + random.below(8));
            access.active = {(std::uint64_t{1} << access.lanes) - 1, 0};
            access.high = 1;  // some lane is active
            for (std::uint32_t lane = 0; lane < access.lanes; ++lane)
                access.address[lane] = static_cast<std::uint32_t>(random.below(span / 4) * 4);
            maker.make(access, 8, direction, footprint);
            break;
        }
    }
    footprint.external = random.one_in(4);
}

TEST(ArbiterProperty, GrantsWhatTheRulesAllowAndNothingElse) {
    EXPECT_TRUE(rc::check("random requests of a cycle", [](std::uint64_t seed) {
        unit::Random random(seed);
        const UbGeometry ub = random_geometry(random);
        FootprintMaker maker(ub, {});
        Arbiter arbiter(ub);
        Footprint footprint;
        for (int cycle = 0; cycle < 40; ++cycle) {
            arbiter.begin_cycle();
            std::vector<Use> uses;
            std::set<std::uint32_t> external_groups;
            for (std::uint32_t request = 0; request < 1 + random.below(7); ++request) {
                make_random(random, ub, maker, footprint);
                if (footprint.steps() == 0) continue;
                const auto step = static_cast<std::uint32_t>(random.below(footprint.steps()));
                std::vector<Use> with = uses;
                bool meets_external = false;
                footprint.for_each_row(step, [&](const Touch& touch) {
                    with.push_back({request, footprint.direction == Direction::write, footprint.indexed, touch});
                    meets_external = meets_external || external_groups.count(touch.group) != 0;
                });
                const Grant grant = arbiter.request(footprint, step);
                RC_ASSERT((grant == Grant::granted) == legal(with, ub));
                if (grant == Grant::granted) {
                    uses = with;
                    if (footprint.external) {
                        footprint.for_each_row(step, [&](const Touch& touch) { external_groups.insert(touch.group); });
                    }
                } else {
                    RC_ASSERT((grant == Grant::blocked_by_external) == (meets_external && !footprint.external));
                }
            }
        }
    }));
}

// ---- the rules by name, 3510

struct Bench {
    UbGeometry ub = geometry_3510();
    FootprintMaker maker{ub, parameters_3510().gather_scatter};
    Arbiter arbiter{ub};

    bool ask(Direction direction, std::uint32_t address, std::uint32_t bytes = 32) {
        Footprint footprint;
        maker.make(address, bytes, bytes, direction, footprint);
        return arbiter.request(footprint, 0) == Grant::granted;
    }
    bool words(Direction direction, const std::vector<std::uint32_t>& addresses) {
        isa::IndexedAccess access;
        access.element_bytes = 4;
        access.lanes = static_cast<std::uint16_t>(addresses.size());
        access.active = {(std::uint64_t{1} << addresses.size()) - 1, 0};
        access.high = 1;
        std::copy(addresses.begin(), addresses.end(), access.address.begin());
        Footprint footprint;
        maker.make(access, 32, direction, footprint);
        return arbiter.request(footprint, 0) == Grant::granted;
    }
};

TEST(Arbiter, AGroupReadsTwiceOrReadsAndWrites) {
    Bench two_reads;
    EXPECT_TRUE(two_reads.ask(Direction::read, 0x000));
    EXPECT_TRUE(two_reads.ask(Direction::read, 0x100)) << "the other bank of the group";
    EXPECT_FALSE(two_reads.ask(Direction::write, 0x300)) << "never two reads and a write";
    EXPECT_TRUE(two_reads.ask(Direction::write, 0x020)) << "another group";
    Bench read_write;
    EXPECT_TRUE(read_write.ask(Direction::read, 0x000));
    EXPECT_TRUE(read_write.ask(Direction::write, 0x100));
    EXPECT_FALSE(read_write.ask(Direction::read, 0x200)) << "never a second read beside the write";
    EXPECT_TRUE(read_write.ask(Direction::read, 0x000)) << "a merging read is none";
    Bench two_writes;
    EXPECT_TRUE(two_writes.ask(Direction::write, 0x000));
    EXPECT_FALSE(two_writes.ask(Direction::write, 0x100)) << "never two writes";
    EXPECT_FALSE(two_writes.ask(Direction::read, 0x000)) << "a read and a write never merge";
}

TEST(Arbiter, ReadsOfOneRowMerge) {
    Bench bench;
    EXPECT_TRUE(bench.ask(Direction::read, 0x000, 256));
    EXPECT_TRUE(bench.ask(Direction::read, 0x000, 256));
    EXPECT_TRUE(bench.ask(Direction::read, 0x000, 256));
    EXPECT_FALSE(bench.ask(Direction::read, 0x200)) << "another row of the bank";
    EXPECT_TRUE(bench.ask(Direction::read, 0x100, 256)) << "merged reads are one: the other banks are free";
}

TEST(Arbiter, SubBanksServeBothBanksOfTheirGroup) {
    Bench bench;
    EXPECT_TRUE(bench.words(Direction::read, {0x000, 0x108}));
    EXPECT_FALSE(bench.words(Direction::write, {0x100})) << "sub-bank 0 of the group serves the other bank";
    EXPECT_TRUE(bench.words(Direction::write, {0x110}));
    EXPECT_FALSE(bench.ask(Direction::read, 0x100)) << "words are written in that bank";
    EXPECT_FALSE(bench.words(Direction::read, {0x018})) << "the group has had a read and a write";
}

TEST(Arbiter, AWholeRowBesideWordsOfItKeepsOtherWordsAway) {
    for (const bool row_first : {false, true}) {
        Bench bench;
        const auto row = [&] { return bench.ask(Direction::read, 0x000); };
        const auto word = [&] { return bench.words(Direction::read, {0x000}); };
        EXPECT_TRUE(row_first ? row() : word());
        EXPECT_TRUE(row_first ? word() : row()) << "merges";
        EXPECT_FALSE(bench.words(Direction::write, {0x208})) << "another row of the bank";
    }
}

TEST(Arbiter, ARefusedRequestLeavesNothingBehind) {
    Bench bench;
    EXPECT_TRUE(bench.ask(Direction::write, 0x0E0));
    EXPECT_FALSE(bench.ask(Direction::read, 0x000, 256)) << "its last block meets the write";
    EXPECT_TRUE(bench.ask(Direction::write, 0x000)) << "its first blocks have taken nothing";
}

TEST(Arbiter, A2201GroupServesARowForReadsAndOneForWrites) {
    const UbGeometry ub = geometry_2201();
    FootprintMaker maker(ub, {});
    Arbiter arbiter(ub);
    const auto ask = [&](Direction direction, std::uint32_t address) {
        Footprint footprint;
        maker.make(address, 32, 32, direction, footprint);
        return arbiter.request(footprint, 0) == Grant::granted;
    };
    EXPECT_TRUE(ask(Direction::read, 0x00000));
    EXPECT_FALSE(ask(Direction::read, 0x10000)) << "two reads of a group collide";
    EXPECT_FALSE(ask(Direction::write, 0x00200)) << "read and write in one bank collide";
    EXPECT_TRUE(ask(Direction::write, 0x10000));
    EXPECT_FALSE(ask(Direction::write, 0x20000)) << "two writes of a group collide";
    arbiter.begin_cycle();
    EXPECT_TRUE(ask(Direction::write, 0x20000));
}

}  // namespace
}  // namespace vcore::timing
