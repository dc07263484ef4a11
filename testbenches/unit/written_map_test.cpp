// WrittenMap against a plain array of flags, and its cost promise.
#include "models/engine/written_map.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "testbenches/unit/allocation_counter.hpp"
#include "testbenches/unit/random.hpp"

namespace vcore::unit {
namespace {

using engine::WrittenMap;

isa::ContiguousAccess run(std::uint32_t address, std::uint32_t bytes) {
    isa::ContiguousAccess access;
    access.address = address;
    access.bytes = bytes;
    return access;
}

isa::IndexedAccess lanes(std::uint16_t element_bytes, const std::vector<std::uint32_t>& addresses) {
    isa::IndexedAccess access;
    access.element_bytes = element_bytes;
    access.lanes = static_cast<std::uint16_t>(addresses.size());
    access.all_active = true;
    access.low = ~0U;
    for (std::size_t lane = 0; lane < addresses.size(); ++lane) {
        access.active[lane / 64] |= std::uint64_t{1} << (lane % 64);
        access.address[lane] = addresses[lane];
        access.low = std::min(access.low, addresses[lane]);
        access.high = std::max(access.high, addresses[lane] + element_bytes);
    }
    return access;
}

TEST(WrittenMap, NothingIsWrittenAtFirst) {
    const WrittenMap map(4096);
    EXPECT_EQ(map.first_unwritten(run(256, 256)), 256);
    EXPECT_EQ(map.first_unwritten(lanes(2, {40, 8})), 40) << "the lowest lane, not the lowest address";
    EXPECT_FALSE(map.all_written(0, 1));
    EXPECT_TRUE(map.all_written(0, 0));
}

TEST(WrittenMap, PageFilledInPartsIsFull) {
    WrittenMap map(4096);
    map.mark(run(512, 64));
    map.mark(512 + 64, 63);
    map.mark(lanes(1, {512 + 127}));
    map.mark(lanes(32, {512 + 128, 512 + 160}));
    isa::BlockAccess blocks;
    blocks.address = 512 + 192;
    blocks.stride_bytes = 32;
    blocks.active = 0b11;
    EXPECT_EQ(map.first_unwritten(run(512, 256)), 512 + 192);
    map.mark(blocks);
    EXPECT_EQ(map.first_unwritten(run(512, 256)), WrittenMap::kAllWritten);
    EXPECT_EQ(map.first_unwritten(lanes(2, {512, 766})), WrittenMap::kAllWritten);
    EXPECT_EQ(map.first_unwritten(run(512, 257)), 768);
    EXPECT_EQ(map.first_unwritten(run(511, 257)), 511);
}

TEST(WrittenMap, MaskedStoreMarksOnlyItsEnabledBytes) {
    WrittenMap map(4096);
    isa::ContiguousAccess store = run(32, 256);
    store.all_enabled = false;
    store.enable = {0x0F, 0, 0, std::uint64_t{1} << 63, 0, 0, 0, 0};
    map.mark(store);
    EXPECT_TRUE(map.all_written(32, 4));
    EXPECT_FALSE(map.all_written(36, 1));
    EXPECT_TRUE(map.all_written(287, 1));
    EXPECT_FALSE(map.all_written(288, 1));
    EXPECT_EQ(map.first_unwritten(store), WrittenMap::kAllWritten) << "a masked read looks at enabled bytes alone";
    store.all_enabled = true;
    EXPECT_EQ(map.first_unwritten(store), 36);
}

TEST(WrittenMap, InactiveLanesAreNotLookedAt) {
    WrittenMap map(4096);
    map.mark(0, 64);
    isa::IndexedAccess gather = lanes(4, {0, 2048, 60});
    gather.all_active = false;
    gather.active = {0b101, 0};
    gather.low = 0;
    gather.high = 64;
    EXPECT_EQ(map.first_unwritten(gather), WrittenMap::kAllWritten);
    map.mark(gather);
    EXPECT_FALSE(map.all_written(2048, 1));
    gather.active = {0, 0};
    gather.low = gather.high = 0;
    EXPECT_EQ(map.first_unwritten(gather), WrittenMap::kAllWritten) << "no lane, nothing to read";
}

TEST(WrittenMap, LastPageMayBeShort) {
    WrittenMap map(1024 + 32);
    map.mark(0, 1024 + 32);
    EXPECT_TRUE(map.all_written(0, 1024 + 32));
    EXPECT_EQ(map.first_unwritten(lanes(2, {1054, 0})), WrittenMap::kAllWritten);
    map.reset();
    EXPECT_EQ(map.first_unwritten(run(1024, 32)), 1024);
}

/// The same as WrittenMap, byte by byte.
class Flags {
public:
    explicit Flags(std::size_t bytes) : written_(bytes) {}
    void mark(std::size_t byte) { written_[byte] = true; }
    bool at(std::size_t byte) const { return written_[byte]; }

private:
    std::vector<bool> written_;
};

class RandomWrites {
public:
    RandomWrites(std::uint64_t seed, std::uint32_t ub_bytes)
        : random_(seed), ub_bytes_(ub_bytes), map_(ub_bytes), flags_(ub_bytes) {}

    void step() {
        switch (random_.below(4)) {
            case 0: contiguous(); break;
            case 1: blocks(); break;
            case 2: indexed(); break;
            case 3: range(); break;
        }
    }

private:
    bool write() { return random_.one_in(2); }

    template <typename Access>
    void judge(const Access& access, const std::vector<std::uint32_t>& bytes) {
        std::int64_t first = WrittenMap::kAllWritten;
        for (const std::uint32_t byte : bytes) {
            if (first == WrittenMap::kAllWritten && !flags_.at(byte)) first = byte;
        }
        ASSERT_EQ(map_.first_unwritten(access), first);
        if (!write()) return;
        map_.mark(access);
        for (const std::uint32_t byte : bytes) flags_.mark(byte);
    }

    void contiguous() {
        isa::ContiguousAccess access;
        access.bytes = static_cast<std::uint32_t>(random_.one_in(2) ? 256 : random_.below(513));
        access.address = static_cast<std::uint32_t>(random_.below(ub_bytes_ - access.bytes + 1));
        if (random_.one_in(2)) access.address = access.address / 32 * 32;
        access.all_enabled = random_.one_in(2);
        const bool sparse = random_.one_in(2);
        std::vector<std::uint32_t> bytes;
        for (auto& word : access.enable) word = sparse ? random_.bits() & random_.bits() : ~std::uint64_t{0};
        for (std::uint32_t k = 0; k < access.bytes; ++k) {
            if (access.all_enabled || ((access.enable[k / 64] >> (k % 64)) & 1) != 0)
                bytes.push_back(access.address + k);
        }
        judge(access, bytes);
    }

    void blocks() {
        isa::BlockAccess access;
        access.stride_bytes = static_cast<std::uint32_t>(random_.below((ub_bytes_ - 32) / 7 / 32 + 1) * 32);
        access.address =
            static_cast<std::uint32_t>(random_.below((ub_bytes_ - 32 - 7 * access.stride_bytes) / 32 + 1) * 32);
        access.active = static_cast<std::uint8_t>(random_.bits());
        std::vector<std::uint32_t> bytes;
        for (std::uint32_t block = 0; block < 8; ++block) {
            if (((access.active >> block) & 1) == 0) continue;
            for (std::uint32_t k = 0; k < 32; ++k) bytes.push_back(access.address + block * access.stride_bytes + k);
        }
        judge(access, bytes);
    }

    void indexed() {
        isa::IndexedAccess access;
        access.element_bytes = random_.pick<std::uint16_t>({1, 2, 4, 8, 32});
        access.lanes = random_.pick<std::uint16_t>({8, 32, 64, 128});
        access.all_active = random_.one_in(2);
        const std::uint32_t places = static_cast<std::uint32_t>(ub_bytes_ / access.element_bytes);
        std::vector<std::uint32_t> bytes;
        access.low = ~0U;
        for (std::size_t lane = 0; lane < access.lanes; ++lane) {
            access.address[lane] = static_cast<std::uint32_t>(random_.below(places)) * access.element_bytes;
            if (!access.all_active && random_.one_in(2)) continue;
            access.active[lane / 64] |= std::uint64_t{1} << (lane % 64);
            access.low = std::min(access.low, access.address[lane]);
            access.high = std::max(access.high, access.address[lane] + access.element_bytes);
            for (std::uint32_t k = 0; k < access.element_bytes; ++k) bytes.push_back(access.address[lane] + k);
        }
        if (bytes.empty()) access.low = 0;
        judge(access, bytes);
    }

    void range() {
        const auto bytes = static_cast<std::uint32_t>(random_.below(random_.one_in(8) ? ub_bytes_ + 1 : 300));
        const auto address = static_cast<std::uint32_t>(random_.below(ub_bytes_ - bytes + 1));
        bool all = true;
        for (std::uint32_t k = 0; k < bytes; ++k) all = all && flags_.at(address + k);
        ASSERT_EQ(map_.all_written(address, bytes), all);
        if (random_.one_in(16)) {
            map_.mark(address, bytes);
            for (std::uint32_t k = 0; k < bytes; ++k) flags_.mark(address + k);
        } else if (random_.one_in(200)) {
            map_.reset();
            flags_ = Flags(ub_bytes_);
        }
    }

    Random random_;
    std::uint32_t ub_bytes_;
    WrittenMap map_;
    Flags flags_;
};

TEST(WrittenMap, AgreesWithOneFlagPerByte) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const std::uint32_t sizes[] = {1024, 2048, 4096 + 32, 16640, 32768};
        RandomWrites writes(seed, sizes[seed % 5]);
        for (int step = 0; step < 200; ++step) ASSERT_NO_FATAL_FAILURE(writes.step());
    }
}

TEST(WrittenMap, NeverAllocatesAfterConstruction) {
    WrittenMap map(262144);
    const isa::IndexedAccess gather = lanes(2, {40, 8, 200000});
    isa::BlockAccess blocks;
    blocks.active = 0xFF;
    blocks.stride_bytes = 4096;
    const std::uint64_t before = allocations();
    map.mark(run(32, 256));
    map.mark(gather);
    map.mark(blocks);
    map.mark(0, 262144);
    const bool all = map.first_unwritten(gather) == WrittenMap::kAllWritten;
    map.reset();
    EXPECT_EQ(allocations(), before);
    EXPECT_TRUE(all);
}

}  // namespace
}  // namespace vcore::unit
