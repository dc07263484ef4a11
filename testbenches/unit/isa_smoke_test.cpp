// Each op once, with a result worked out by hand from `isa.md` and the seed pages. The reference tests do the rest.
#include <gtest/gtest.h>

#include <cstring>

#include "testbenches/unit/isa_machine.hpp"

namespace vcore::isa {
namespace {

using testing::Machine;

struct IsaSmoke : ::testing::Test {
    Machine machine;
    void run(Op op) {
        const Fault fault = machine.run(op);
        EXPECT_FALSE(fault) << describe(fault, op, "here", "there");
    }
    MaskRegister& mask(int number) { return machine.masks[static_cast<std::size_t>(number)]; }
    VectorRegister& vector(int number) { return machine.vectors[static_cast<std::size_t>(number)]; }
};

TEST_F(IsaSmoke, GatherOf16BitDataReversesATable) {
    for (std::uint16_t i = 0; i < 128; ++i) {
        machine.put<std::uint16_t>(0x400 + 2U * i, i);
        vector(0).set<std::uint16_t>(i, static_cast<std::uint16_t>(127 - i));
    }
    run(CreateMask{ElementType::b16, MregId{0}, MaskPattern::all});
    run(Gather{ElementType::half, ElementType::half, ElementType::u16, VregId{1}, UbAddress{0x400}, VregId{0},
               MregId{0}});
    for (std::uint16_t i = 0; i < 128; ++i) EXPECT_EQ(vector(1).get<std::uint16_t>(i), 127 - i);
}

TEST_F(IsaSmoke, GatherZeroesInactiveLanesAndNeverLooksAtTheirIndices) {
    vector(1).bytes.fill(std::byte{0xFF});
    for (int i = 0; i < 64; ++i) vector(0).set<std::uint32_t>(static_cast<std::size_t>(i), i < 8 ? 7 - i : 0x3F800000U);
    for (std::uint32_t i = 0; i < 8; ++i) machine.put<std::uint32_t>(0x8000 + 4 * i, 100 + i);
    run(CreateMask{ElementType::b32, MregId{3}, MaskPattern::vl8});
    run(Gather{ElementType::f32, ElementType::f32, ElementType::u32, VregId{1}, UbAddress{0x8000}, VregId{0},
               MregId{3}});
    for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(vector(1).get<std::uint32_t>(i), i < 8 ? 107 - i : 0);
}

TEST_F(IsaSmoke, GatherWidensWithZerosAndSpreadsNarrowData) {
    const std::array<std::uint8_t, 4> table = {0x28, 0xD8, 0x80, 0xFF};
    std::memcpy(machine.bytes.data() + 0x100, table.data(), table.size());
    for (std::uint16_t i = 0; i < 4; ++i) vector(0).set<std::uint16_t>(i, i);
    run(CreateMask{ElementType::b16, MregId{0}, MaskPattern::vl4});
    run(Gather{ElementType::s16, ElementType::s8, ElementType::u16, VregId{1}, UbAddress{0x100}, VregId{0}, MregId{0}});
    run(Gather{ElementType::e4m3, ElementType::e4m3, ElementType::u16, VregId{2}, UbAddress{0x100}, VregId{0},
               MregId{0}});
    for (std::uint16_t i = 0; i < 4; ++i) {
        EXPECT_EQ(vector(1).get<std::uint16_t>(i), table[i]);
        EXPECT_EQ(vector(2).get<std::uint8_t>(2U * i), table[i]);
        EXPECT_EQ(vector(2).get<std::uint8_t>(2U * i + 1), 0);
    }

    machine.put<std::uint16_t>(0x200 + 6, 0xBEEF);
    vector(0).set<std::uint32_t>(0, 3);
    run(CreateMask{ElementType::b32, MregId{0}, MaskPattern::vl1});
    run(Gather{ElementType::half, ElementType::half, ElementType::u32, VregId{1}, UbAddress{0x200}, VregId{0},
               MregId{0}});
    EXPECT_EQ(vector(1).get<std::uint32_t>(0), 0xBEEFU);
}

TEST_F(IsaSmoke, GatherOf64BitDataInEveryPairForm) {
    for (std::uint64_t i = 0; i < 64; ++i) machine.put<std::uint64_t>(0x800 + 8 * i, i * 0x0101010101010101);
    run(CreateMask{ElementType::b64, MregId{0}, MaskPattern::all});
    run(CreateMask{ElementType::b32, MregId{1}, MaskPattern::all});
    const VectorOperand pair(VregId{4}, VregId{9});

    for (std::uint32_t i = 0; i < 64; ++i) vector(0).set<std::uint32_t>(i, i < 32 ? 31 - i : 0xFFFFFFFF);
    run(Gather{ElementType::u64, ElementType::u64, ElementType::u32, VregId{1}, UbAddress{0x800}, VregId{0},
               MregId{0}});
    for (std::uint64_t i = 0; i < 32; ++i) EXPECT_EQ(vector(1).get<std::uint64_t>(i), (31 - i) * 0x0101010101010101);

    for (std::uint32_t i = 0; i < 64; ++i) vector(0).set<std::uint32_t>(i, 63 - i);
    run(Gather{ElementType::s64, ElementType::s64, ElementType::u32, pair, UbAddress{0x800}, VregId{0}, MregId{1}});
    for (std::uint32_t i = 0; i < 64; ++i) {
        EXPECT_EQ(vector(4).get<std::uint32_t>(i), (63 - i) * 0x01010101);
        EXPECT_EQ(vector(9).get<std::uint32_t>(i), (63 - i) * 0x01010101);
    }

    vector(2).bytes.fill(std::byte{0});
    for (std::uint32_t i = 0; i < 64; ++i) vector(0).set<std::uint32_t>(i, i ^ 5);
    const VectorOperand indices(VregId{0}, VregId{2});
    run(Gather{ElementType::u64, ElementType::u64, ElementType::u64, pair, UbAddress{0x800}, indices, MregId{1}});
    for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(vector(4).get<std::uint32_t>(i), (i ^ 5) * 0x01010101);
    run(Gather{ElementType::u64, ElementType::u64, ElementType::u64, VregId{1}, UbAddress{0x800}, indices, MregId{0}});
    for (std::uint64_t i = 0; i < 32; ++i) EXPECT_EQ(vector(1).get<std::uint64_t>(i), (i ^ 5) * 0x0101010101010101);

    for (std::uint64_t i = 0; i < 32; ++i) vector(0).set<std::uint64_t>(i, 40 - i);
    run(Gather{ElementType::u64, ElementType::u64, ElementType::u64, VregId{0}, UbAddress{0x800}, VregId{0},
               MregId{0}});
    for (std::uint64_t i = 0; i < 32; ++i) EXPECT_EQ(vector(0).get<std::uint64_t>(i), (40 - i) * 0x0101010101010101);
}

TEST_F(IsaSmoke, BlockGatherMovesGatedBlocks) {
    for (std::size_t i = 0; i < 1024; ++i) machine.bytes[i] = static_cast<std::byte>(i / 32);
    for (std::uint32_t b = 0; b < 8; ++b) vector(0).set<std::uint32_t>(b, b == 3 ? 1 : (7 - b) * 64);
    mask(0).words = {0x11110111, 0, 0, 0};
    run(GatherBlock{ElementType::b32, VregId{1}, UbAddress{32}, VregId{0}, MregId{0}});
    for (std::uint32_t b = 0; b < 8; ++b)
        EXPECT_EQ(vector(1).get<std::uint8_t>(32 * b + 5), b == 3 ? 0 : 1 + 2 * (7 - b));
}

TEST_F(IsaSmoke, RegisterGatherWrapsIndicesAndMayOverlap) {
    for (std::uint16_t i = 0; i < 128; ++i) vector(1).set<std::uint16_t>(i, static_cast<std::uint16_t>(127 - i));
    run(GatherRegister{ElementType::u16, VregId{1}, VregId{1}, VregId{1}});
    for (std::uint16_t i = 0; i < 128; ++i) EXPECT_EQ(vector(1).get<std::uint16_t>(i), i);
    vector(2).set<std::uint16_t>(0, 168);
    run(GatherRegister{ElementType::half, VregId{3}, VregId{1}, VregId{2}});
    EXPECT_EQ(vector(3).get<std::uint16_t>(0), 40);
}

TEST_F(IsaSmoke, ScatterKeepsOneSurvivorAndNamesTheLanes) {
    const std::array<std::uint32_t, 4> index = {5, 5, 7, 5};
    for (std::uint32_t i = 0; i < 4; ++i) {
        vector(0).set<std::uint32_t>(i, index[i]);
        vector(1).set<std::uint32_t>(i, 10 * (i + 1));
    }
    run(CreateMask{ElementType::b32, MregId{0}, MaskPattern::vl4});
    const Op op = Scatter{ElementType::s32, ElementType::u32, UbAddress{0x100}, VregId{1}, VregId{0}, MregId{0}};
    run(op);
    EXPECT_EQ(machine.get<std::uint32_t>(0x100 + 20), 10U);
    EXPECT_EQ(machine.get<std::uint32_t>(0x100 + 28), 30U);
    EXPECT_EQ(machine.notes.duplicate.count, 2U);
    EXPECT_EQ(machine.notes.duplicate.lane, 1);
    EXPECT_EQ(machine.notes.duplicate.address, 0x114);
    EXPECT_EQ(machine.notes.duplicate.limit, 0);
    EXPECT_NE(describe(machine.notes.duplicate, op, "", "").find("lanes 0, 1, 3 "), std::string::npos);

    machine.capabilities.scatter_duplicate = ScatterDuplicate::highest_lane;
    run(op);
    EXPECT_EQ(machine.get<std::uint32_t>(0x100 + 20), 40U);
    EXPECT_EQ(machine.notes.duplicate.count, 2U);
    EXPECT_EQ(machine.notes.duplicate.limit, 3);
}

TEST_F(IsaSmoke, ScatterOf8BitDataTakesEvenBytes) {
    for (std::size_t i = 0; i < 256; ++i) vector(1).bytes[i] = static_cast<std::byte>(i);
    for (std::uint16_t i = 0; i < 128; ++i) vector(0).set<std::uint16_t>(i, i);
    machine.bytes[0x3080] = std::byte{0xCD};
    run(CreateMask{ElementType::b16, MregId{0}, MaskPattern::all});
    run(Scatter{ElementType::u8, ElementType::u16, UbAddress{0x3000}, VregId{1}, VregId{0}, MregId{0}});
    for (std::size_t i = 0; i < 128; ++i) EXPECT_EQ(machine.bytes[0x3000 + i], static_cast<std::byte>(2 * i));
    EXPECT_EQ(machine.bytes[0x3080], std::byte{0xCD});
}

TEST_F(IsaSmoke, ScatterOfAPairWritesWholeElements) {
    for (std::uint32_t i = 0; i < 64; ++i) {
        vector(0).set<std::uint32_t>(i, 63 - i);
        vector(1).set<std::uint32_t>(i, i);
        vector(2).set<std::uint32_t>(i, 100 + i);
    }
    run(CreateMask{ElementType::b32, MregId{0}, MaskPattern::all});
    run(Scatter{ElementType::u64, ElementType::u32, UbAddress{0x1000}, VectorOperand(VregId{1}, VregId{2}), VregId{0},
                MregId{0}});
    for (std::uint64_t i = 0; i < 64; ++i) {
        EXPECT_EQ(machine.get<std::uint64_t>(0x1000 + 8 * (63 - i)), (100 + i) << 32 | i);
    }
}

TEST_F(IsaSmoke, LoadsAndStoresWithPostUpdate) {
    for (std::size_t i = 0; i < 512; ++i) machine.bytes[i] = static_cast<std::byte>(i * 7);
    Op load = Load{ElementType::half, VregId{0}, UbAddress{32}, 64};
    EXPECT_FALSE(machine.run(load));
    EXPECT_EQ(std::get<Load>(load).address, UbAddress{32 + 128});
    EXPECT_EQ(std::memcmp(vector(0).bytes.data(), machine.bytes.data() + 32, 256), 0);

    mask(0).words.fill(~std::uint64_t{0});
    mask(0).words[3] &= ~(std::uint64_t{1} << 8);
    run(Store{ElementType::b8, UbAddress{0x1000}, VregId{0}, MregId{0}, 0});
    for (std::size_t i = 0; i < 256; ++i) {
        EXPECT_EQ(machine.bytes[0x1000 + i], i == 200 ? std::byte{0} : vector(0).bytes[i]) << i;
    }

    run(Load{ElementType::u64, VectorOperand(VregId{1}, VregId{2}), UbAddress{0}, 0});
    EXPECT_EQ(vector(1).get<std::uint32_t>(5), machine.get<std::uint32_t>(40));
    EXPECT_EQ(vector(2).get<std::uint32_t>(5), machine.get<std::uint32_t>(44));
    run(UpdateMask{ElementType::u64, MregId{1}, 63, true});
    run(Store{ElementType::u64, UbAddress{0x2000}, VectorOperand(VregId{1}, VregId{2}), MregId{1}, 0});
    EXPECT_EQ(std::memcmp(machine.bytes.data() + 0x2000, machine.bytes.data(), 63 * 8), 0);
    EXPECT_EQ(machine.get<std::uint64_t>(0x2000 + 63 * 8), 0U);
}

TEST_F(IsaSmoke, BlockCopies) {
    for (std::size_t i = 0; i < 2048; ++i) machine.bytes[i] = static_cast<std::byte>(i / 32 + 1);
    mask(0).words = {~std::uint64_t{0}, 0, 0x0000000100000000, 0};
    Op load = BlockLoad{ElementType::b16, VregId{0}, UbAddress{0}, 2, MregId{0}, 4};
    EXPECT_FALSE(machine.run(load));
    EXPECT_EQ(std::get<BlockLoad>(load).address, UbAddress{128});
    const std::array<int, 8> expected = {1, 3, 0, 0, 0, 11, 0, 0};
    for (std::size_t b = 0; b < 8; ++b) EXPECT_EQ(vector(0).bytes[32 * b + 31], static_cast<std::byte>(expected[b]));
    run(BlockStore{ElementType::b16, UbAddress{0x1000}, VregId{0}, 0, MregId{0}, 0});
    EXPECT_EQ(machine.bytes[0x1000], std::byte{11});
    EXPECT_EQ(machine.bytes[0x1020], std::byte{0});
}

TEST_F(IsaSmoke, MaskOps) {
    run(UpdateMask{ElementType::b32, MregId{0}, 63, false});
    EXPECT_EQ(mask(0).words[3], 0x0111111111111111U);
    run(CreateMask{ElementType::b16, MregId{1}, MaskPattern::m3});
    EXPECT_EQ(mask(1).words[0], 0x1041041041041041U);
    run(CreateMask{ElementType::b64, MregId{1}, MaskPattern::vl128});
    EXPECT_EQ(mask(1).words[3], 0x0101010101010101U);

    vector(0).bytes[48] = std::byte{0xA5};
    vector(0).bytes[248] = std::byte{0xA5};
    run(MaskGen{ElementType::b16, MregId{2}, VregId{0}, 3});
    EXPECT_EQ(mask(2).words[0], 0xCC33U);
    run(MaskGen{ElementType::b32, MregId{2}, VregId{0}, 31});
    EXPECT_EQ(mask(2).words[0], 0xF0F00F0FU);

    for (std::size_t i = 0; i < 64; ++i) machine.bytes[i] = static_cast<std::byte>(i * 37 + 11);
    Op load = MaskLoad{MregId{3}, UbAddress{0}, MaskLoadMode::norm, 32};
    EXPECT_FALSE(machine.run(load));
    EXPECT_EQ(std::get<MaskLoad>(load).address, UbAddress{32});
    EXPECT_EQ(std::memcmp(mask(3).words.data(), machine.bytes.data(), 32), 0);
    const auto bit_in_ub = [&](std::size_t k) {
        return (std::to_integer<int>(machine.bytes[k / 8]) >> (k % 8) & 1) != 0;
    };
    run(MaskLoad{MregId{4}, UbAddress{0}, MaskLoadMode::us, 0});
    run(MaskLoad{MregId{5}, UbAddress{0}, MaskLoadMode::ds, 0});
    for (std::size_t k = 0; k < 256; ++k) {
        EXPECT_EQ(mask(4).bit(k), bit_in_ub(k / 2)) << k;
        EXPECT_EQ(mask(5).bit(k), bit_in_ub(2 * k)) << k;
    }
    run(MaskStore{UbAddress{0x100}, MregId{4}, MaskStoreMode::pack, 0});
    EXPECT_EQ(std::memcmp(machine.bytes.data() + 0x100, machine.bytes.data(), 16), 0);
    run(MaskStore{UbAddress{0x120}, MregId{5}, MaskStoreMode::norm, 0});
    EXPECT_EQ(std::memcmp(machine.bytes.data() + 0x120, mask(5).words.data(), 32), 0);
}

TEST_F(IsaSmoke, TensorScatterInItsThreeForms) {
    for (std::uint16_t i = 0; i < 256; ++i) {
        machine.put<std::uint16_t>(0x400 + 2U * i, i);
        machine.put<std::uint32_t>(0x1000 + 4U * i, 2U * i);
    }
    TensorScatter op;
    op.type = ElementType::half;
    op.dst = UbAddress{0x2000};
    op.src = UbAddress{0x400};
    op.offset = UbAddress{0x1000};
    op.count = 200;
    run(op);
    for (std::uint16_t i = 0; i < 256; ++i) EXPECT_EQ(machine.get<std::uint16_t>(0x2000 + 2U * i), i < 200 ? i : 0);

    op.form = TensorScatterForm::contiguous_mask;
    op.mask_low = 128;
    op.repeat = 2;
    op.stride = 1;
    run(op);
    for (std::uint16_t i = 0; i < 128; ++i) EXPECT_EQ(machine.get<std::uint16_t>(0x2000 + 2U * (128 + i)), 16 + i);

    op.form = TensorScatterForm::bit_mask;
    op.dst = UbAddress{0x3000};
    op.mask_low = 0;
    op.mask_high = 1;
    op.repeat = 1;
    run(op);
    for (std::uint16_t i = 0; i < 256; ++i) EXPECT_EQ(machine.get<std::uint16_t>(0x3000 + 2U * i), i == 64 ? i : 0);
    EXPECT_FALSE(machine.notes.any);
}

TEST_F(IsaSmoke, TensorScatterDuplicatesCountOverTheWholeOp) {
    for (std::uint32_t i = 0; i < 128; ++i) {
        machine.put<std::uint32_t>(0x400 + 4 * i, i);
        machine.put<std::uint32_t>(0x1000 + 4 * i, i == 100 || i == 120 ? 12 : 4 * i);
    }
    TensorScatter op;
    op.type = ElementType::s32;
    op.dst = UbAddress{0x2000};
    op.src = UbAddress{0x400};
    op.offset = UbAddress{0x1000};
    op.count = 128;
    run(op);
    EXPECT_EQ(machine.get<std::uint32_t>(0x200C), 3U);
    EXPECT_EQ(machine.notes.duplicate.count, 2U);
    EXPECT_EQ(machine.notes.duplicate.lane, 100);
    machine.capabilities.scatter_duplicate = ScatterDuplicate::highest_lane;
    run(op);
    EXPECT_EQ(machine.get<std::uint32_t>(0x200C), 120U);
    EXPECT_EQ(machine.notes.duplicate.count, 2U);
    EXPECT_EQ(machine.notes.duplicate.lane, 100);
}

TEST_F(IsaSmoke, TensorScatterNotesOverlapAndEmptiness) {
    for (std::uint32_t i = 0; i < 128; ++i)
        machine.put<std::uint32_t>(0x1000 + 4 * i, 4 * ((i + 1) % 64) + i / 64 * 256);
    for (std::uint32_t i = 0; i < 128; ++i) machine.put<std::uint32_t>(0x2000 + 4 * i, i);
    TensorScatter op;
    op.type = ElementType::s32;
    op.dst = op.src = UbAddress{0x2000};
    op.offset = UbAddress{0x1000};
    op.count = 64;
    run(op);
    EXPECT_FALSE(machine.notes.any);
    for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(machine.get<std::uint32_t>(0x2000 + 4 * ((i + 1) % 64)), i);
    op.count = 128;
    run(op);
    EXPECT_EQ(machine.notes.overlap.id, DiagnosticId::overlap);
    op.dst = UbAddress{0x20A0};
    op.count = 64;
    run(op);
    EXPECT_EQ(machine.notes.overlap.id, DiagnosticId::overlap);
    EXPECT_EQ(machine.notes.overlap.address, 0x20A4);
    op.count = 0;
    run(op);
    EXPECT_EQ(machine.notes.empty.id, DiagnosticId::empty_op);
    EXPECT_FALSE(machine.notes.overlap);
}

TEST_F(IsaSmoke, TensorScatterOverlapIsJudgedByTheElementInUse) {
    for (std::uint32_t i = 0; i < 256; ++i) machine.put<std::uint32_t>(0x1000 + 4 * i, 4 * (i % 64));
    TensorScatter op;
    op.type = ElementType::s32;
    op.offset = UbAddress{0x1000};
    op.form = TensorScatterForm::contiguous_mask;
    op.mask_low = 4;
    op.repeat = 1;
    op.stride = 8;

    op.dst = op.src = UbAddress{0x2000};
    op.base = 8;  // no longer onto itself: elements 2 and 3 are overwritten
    run(op);
    EXPECT_EQ(machine.notes.overlap.address, 0x2008);
    EXPECT_NE(describe(machine.notes.overlap, op, "", "").find("reads its source before it writes"), std::string::npos);
    op.base = 16;  // beyond the four elements in use
    run(op);
    EXPECT_FALSE(machine.notes.overlap);

    op.repeat = 2;
    op.dst = UbAddress{0x2080};  // in the gap between the two iterations
    op.base = 0;
    run(op);
    EXPECT_FALSE(machine.notes.overlap);
    op.dst = UbAddress{0x2100};  // the source of the second
    run(op);
    EXPECT_EQ(machine.notes.overlap.operand, Operand::src);

    op.dst = UbAddress{0x1080};  // offsets 32 and on, which the mask leaves out
    run(op);
    EXPECT_FALSE(machine.notes.overlap);
    for (std::uint32_t i = 0; i < 4; ++i) machine.put<std::uint32_t>(0x1000 + 4 * i, 0x80 + 4 * i);
    run(op);  // offsets of the second iteration
    EXPECT_EQ(machine.notes.overlap.operand, Operand::offset);
    EXPECT_EQ(machine.notes.overlap.address, 0x1100);
}

TEST_F(IsaSmoke, Arithmetic) {
    vector(0).set<std::uint16_t>(0, 0x3C00);  // 1
    vector(1).set<std::uint16_t>(0, 0x1000);  // 2^-11: half an ulp of 1, ties to even
    vector(0).set<std::uint16_t>(1, 0x3C01);
    vector(1).set<std::uint16_t>(1, 0x1000);
    vector(0).set<std::uint16_t>(2, 0x7BFF);
    vector(1).set<std::uint16_t>(2, 0x7BFF);
    vector(0).set<std::uint16_t>(3, 0x3C00);
    run(CreateMask{ElementType::half, MregId{0}, MaskPattern::vl3});
    run(Add{ElementType::half, VregId{2}, VregId{0}, VregId{1}, MregId{0}});
    EXPECT_EQ(vector(2).get<std::uint16_t>(0), 0x3C00);
    EXPECT_EQ(vector(2).get<std::uint16_t>(1), 0x3C02);
    EXPECT_EQ(vector(2).get<std::uint16_t>(2), 0x7C00);
    EXPECT_EQ(vector(2).get<std::uint16_t>(3), 0);
    run(Duplicate{ElementType::s32, VregId{3}, 0xFFFFFFFF});
    EXPECT_EQ(vector(3).get<std::uint32_t>(63), 0xFFFFFFFFU);
    run(CreateMask{ElementType::s32, MregId{0}, MaskPattern::all});
    run(Adds{ElementType::s32, VregId{3}, VregId{3}, 3, MregId{0}});
    EXPECT_EQ(vector(3).get<std::uint32_t>(63), 2U);
    run(Duplicate{ElementType::f32, VregId{4}, 0x3FC00000});
    run(Add{ElementType::f32, VregId{4}, VregId{4}, VregId{4}, MregId{0}});
    EXPECT_EQ(vector(4).get<float>(17), 3.0F);
}

TEST_F(IsaSmoke, TensorAddOfManyRepeats) {
    machine.capabilities.tensor_add = TypeSet(ElementType::f32);
    for (std::uint32_t i = 0; i < 150; ++i) {
        machine.put<float>(0x1000 + 4 * i, static_cast<float>(i));
        machine.put<float>(0x2000 + 4 * i, 0.5F);
    }
    run(TensorAdd{ElementType::f32, UbAddress{0x3000}, UbAddress{0x1000}, UbAddress{0x2000}, 149});
    for (std::uint32_t i = 0; i < 150; ++i) {
        EXPECT_EQ(machine.get<float>(0x3000 + 4 * i), i < 149 ? static_cast<float>(i) + 0.5F : 0.0F);
    }
}

TEST_F(IsaSmoke, ReservedBytesAreNoted) {
    machine.capabilities.ub_reserved_from = 0x1080;
    run(Load{ElementType::b8, VregId{0}, UbAddress{0x1000}, 0});
    EXPECT_EQ(machine.notes.reserved.address, 0x1080);
    run(CreateMask{ElementType::b32, MregId{0}, MaskPattern::vl32});
    run(Store{ElementType::b32, UbAddress{0x1000}, VregId{0}, MregId{0}, 0});
    EXPECT_FALSE(machine.notes.any);
    vector(0).bytes.fill(std::byte{0});
    vector(0).set<std::uint32_t>(5, 0x90);
    run(Gather{ElementType::f32, ElementType::f32, ElementType::u32, VregId{1}, UbAddress{0x1000}, VregId{0},
               MregId{0}});
    EXPECT_EQ(machine.notes.reserved.address, 0x1240);
}

/// A port without an array gives the same results, and sees no more than what is active.
TEST_F(IsaSmoke, PortWithoutAnArray) {
    for (std::uint16_t i = 0; i < 128; ++i) {
        machine.put<std::uint16_t>(0x400 + 2U * i, static_cast<std::uint16_t>(i + 1));
        vector(0).set<std::uint16_t>(i, static_cast<std::uint16_t>(i * 5 % 128));
    }
    run(CreateMask{ElementType::b16, MregId{0}, MaskPattern::m3});
    const Op op = Gather{ElementType::half, ElementType::half, ElementType::u16, VregId{1},
                         UbAddress{0x400},  VregId{0},         MregId{0}};
    run(op);
    const VectorRegister with_array = vector(1);
    machine.hide_array = true;
    vector(1).bytes.fill(std::byte{0xEE});
    run(op);
    EXPECT_EQ(vector(1), with_array);
    EXPECT_EQ(vector(1).get<std::uint16_t>(3), 16);
    EXPECT_EQ(vector(1).get<std::uint16_t>(4), 0);
}

}  // namespace
}  // namespace vcore::isa
