// Address decode: worked examples of `timing.md`, every byte of every architecture, and geometries of any counts.

#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "models/timing/address_map.hpp"
#include "testbenches/unit/timing_parameters.hpp"

namespace vcore::timing {
namespace {

void expect_location(const AddressMap& map, std::uint32_t address, UbLocation expected) {
    SCOPED_TRACE(testing::Message() << "address 0x" << std::hex << address);
    const UbLocation location = map.locate(address);
    EXPECT_EQ(location.row, expected.row);
    EXPECT_EQ(location.bank, expected.bank);
    EXPECT_EQ(location.group, expected.group);
    EXPECT_EQ(location.byte, expected.byte);
    EXPECT_EQ(map.address(expected), address);
}

TEST(AddressMap, A42_UbAddressDecode) {
    const AddressMap map(geometry_3510());
    expect_location(map, 0x4100, {32, 1, 0, 0});
    expect_location(map, 0x00E0, {0, 0, 7, 0});
    expect_location(map, 0x0100, {0, 1, 0, 0});
    expect_location(map, 0x8900, {68, 1, 0, 0});
    expect_location(map, 0x3FFFF, {511, 1, 7, 31});
}

TEST(AddressMap, BankNumbersOf2201) {
    const AddressMap map(geometry_2201());
    EXPECT_EQ(value(map.bank(0x10000)), 16U);
    EXPECT_EQ(value(map.bank(0x10020)), 17U);
    EXPECT_EQ(value(map.bank(0x20020)), 33U);
}

/// The gather case of cases.md A39: addresses 128 words apart share bank, group and sub-bank, in neighbouring rows.
TEST(AddressMap, SubBanks) {
    const AddressMap map(geometry_3510());
    expect_location(map, 0x400, {2, 0, 0, 0});
    expect_location(map, 0x600, {3, 0, 0, 0});
    EXPECT_EQ(map.sub_bank(0x400), 0U);
    EXPECT_EQ(map.sub_bank(0x407), 0U);
    EXPECT_EQ(map.sub_bank(0x408), 1U);
    EXPECT_EQ(map.sub_bank(0x41F), 3U);
    EXPECT_EQ(AddressMap(geometry_2201()).sub_bank(0x41F), 0U) << "none";
}

/// Where a byte of 3510 and 2201 lies by the bit fields that `timing.md` prints.
UbLocation fields_3510(std::uint32_t address) {
    return {address >> 9, (address >> 8) & 1U, (address >> 5) & 7U, address & 31U};
}
UbLocation fields_2201(std::uint32_t address) {
    return {(address >> 9) & 127U, address >> 16, (address >> 5) & 15U, address & 31U};
}

void expect_all_bytes(const UbGeometry& geometry, UbLocation (*fields)(std::uint32_t)) {
    const AddressMap map(geometry);
    for (std::uint32_t address = 0; address < geometry.bytes(); ++address) {
        const UbLocation expected = fields(address);
        ASSERT_TRUE(map.locate(address) == expected) << address;
        ASSERT_EQ(map.address(expected), address);
        ASSERT_EQ(value(map.bank(address)), expected.group + geometry.bank_groups * expected.bank) << address;
    }
}

TEST(AddressMap, EveryByteOf3510) {
    EXPECT_EQ(geometry_3510().bytes(), 262144U);
    expect_all_bytes(geometry_3510(), fields_3510);
}
TEST(AddressMap, EveryByteOf2201) {
    EXPECT_EQ(geometry_2201().bytes(), 196608U);
    expect_all_bytes(geometry_2201(), fields_2201);
}
TEST(AddressMap, EveryByteOf3002And2002And1001) {
    EXPECT_EQ(geometry_3002().bytes(), 262144U);
    expect_all_bytes(geometry_3002(), fields_2201);
}

/// Counts the fields up like an odometer, lowest first: what an address means in any geometry.
TEST(AddressMap, AnyCounts) {
    for (const auto& [groups, banks, rows, row_bytes] :
         std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>>{
             {1, 1, 1, 1}, {3, 5, 7, 24}, {16, 3, 128, 32}, {8, 1, 10, 64}, {6, 2, 33, 32}, {1, 4, 9, 16}}) {
        for (const AddressOrder order : {AddressOrder::row_bank_group, AddressOrder::bank_row_group}) {
            SCOPED_TRACE(testing::Message() << groups << " groups, " << banks << " banks, " << rows << " rows of "
                                            << row_bytes << " B, order " << static_cast<int>(order));
            UbGeometry geometry;
            geometry.bank_groups = groups;
            geometry.banks_per_group = banks;
            geometry.rows_per_bank = rows;
            geometry.row_bytes = row_bytes;
            geometry.order = order;
            const AddressMap map(geometry);
            UbLocation expected;
            for (std::uint32_t address = 0; address < geometry.bytes(); ++address) {
                ASSERT_TRUE(map.locate(address) == expected) << address;
                ASSERT_EQ(map.address(expected), address);
                ASSERT_EQ(value(map.bank(address)), expected.group + groups * expected.bank);
                ASSERT_EQ(map.row_index(address), address / row_bytes);
                if (++expected.byte < row_bytes) continue;
                expected.byte = 0;
                if (++expected.group < groups) continue;
                expected.group = 0;
                const bool bank_first = order == AddressOrder::row_bank_group;
                std::uint32_t& inner = bank_first ? expected.bank : expected.row;
                std::uint32_t& outer = bank_first ? expected.row : expected.bank;
                if (++inner < (bank_first ? banks : rows)) continue;
                inner = 0;
                ++outer;
            }
        }
    }
}

}  // namespace
}  // namespace vcore::timing
