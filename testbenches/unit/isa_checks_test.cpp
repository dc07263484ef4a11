// Every way in which an op can be illegal: the exact id, what the message names, and that nothing has changed.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testbenches/unit/isa_machine.hpp"

namespace vcore::isa {
namespace {

using testing::kUbBytes;
using testing::Machine;
using T = ElementType;
using Id = DiagnosticId;

constexpr VregId v(std::int64_t number) {
    return VregId{number};
}
constexpr MregId m(std::int64_t number) {
    return MregId{number};
}
constexpr UbAddress at(std::int64_t address) {
    return UbAddress{address};
}
constexpr std::int64_t kEnd = kUbBytes;
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

struct IsaChecks : ::testing::Test {
    Machine machine;

    IsaChecks() {
        for (std::size_t i = 0; i < kUbBytes; ++i) machine.bytes[i] = static_cast<std::byte>(i * 31 + (i >> 8));
        machine.masks[0].words.fill(~std::uint64_t{0});
        // v0 holds small u16 and u32 indices, v1 and v2 something else.
        for (std::uint32_t i = 0; i < 64; ++i) machine.vectors[0].set<std::uint32_t>(i, 3 * i);
        machine.vectors[1].bytes.fill(std::byte{0x5A});
        machine.vectors[2].bytes.fill(std::byte{0});
    }

    /// The op is refused with `id`, says all of `parts`, and changes nothing: bytes, registers, its own in/out fields,
    /// and no access is announced. check() says the same as run().
    Fault refused(const Op& op, Id id, const std::vector<std::string>& parts = {}) {
        const auto bytes = machine.bytes;
        const auto vectors = machine.vectors;
        const auto masks = machine.masks;
        Op tried = op;
        const Fault asked = machine.executor.check(op, machine.registers(), machine.ub);
        const int announced = machine.sink.reads + machine.sink.writes;
        const Fault fault = machine.run(tried);
        const std::string text = describe(fault, op, machine.capabilities.product, "ascend950");
        EXPECT_EQ(info(fault.id).text, info(id).text) << text;
        EXPECT_EQ(asked.id, fault.id);
        EXPECT_EQ(asked.lane, fault.lane);
        EXPECT_EQ(asked.address, fault.address);
        EXPECT_NE(text.find(std::string(name(kind_of(op)))), std::string::npos) << text;
        for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text;
        EXPECT_TRUE(bytes == machine.bytes);
        EXPECT_TRUE(vectors == machine.vectors);
        EXPECT_TRUE(masks == machine.masks);
        EXPECT_EQ(announced, machine.sink.reads + machine.sink.writes);
        EXPECT_EQ(describe(fault, tried, "p", "q"), describe(fault, op, "p", "q"));
        return fault;
    }
    void accepted(Op op) {
        const Fault fault = machine.run(op);
        EXPECT_FALSE(fault) << describe(fault, op, machine.capabilities.product, "");
    }

    static Gather gather(T dst, T src, T index) { return {dst, src, index, v(3), at(0), v(0), m(0)}; }
    static Scatter scatter(T type, T index) { return {type, index, at(0), v(1), v(0), m(0)}; }
    /// 16 elements of `type` from 0x1000 to 0x4000, offsets at 0x2000 counting up.
    TensorScatter tensor(T type) {
        const auto bytes = static_cast<std::uint32_t>(size_of(type));
        for (std::uint32_t i = 0; i < 2048; ++i) machine.put<std::uint32_t>(0x2000 + 4 * i, i * bytes);
        TensorScatter op;
        op.type = type;
        op.dst = at(0x6000);
        op.src = at(0x1000);
        op.offset = at(0x2000);
        op.count = 16;
        return op;
    }
    TensorScatter contiguous(T type, std::uint64_t elements) {
        TensorScatter op = tensor(type);
        op.form = TensorScatterForm::contiguous_mask;
        op.mask_low = elements;
        return op;
    }
    TensorScatter bits(T type, std::uint64_t low, std::uint64_t high) {
        TensorScatter op = tensor(type);
        op.form = TensorScatterForm::bit_mask;
        op.mask_low = low;
        op.mask_high = high;
        return op;
    }
};

// ---- product

TEST_F(IsaChecks, OpsThatTheProductLacks) {
    machine.capabilities.vector_functions = false;
    const std::vector<Op> ops = {
        VfBegin{},
        VfEnd{},
        Barrier{},
        CreateMask{T::b16, m(99), MaskPattern::all},
        UpdateMask{T::b8, m(99), -1, true},
        MaskGen{T::b8, m(99), v(99), 99},
        MaskLoad{m(99), at(1), MaskLoadMode::norm, 0},
        MaskStore{at(1), m(99), MaskStoreMode::norm, 0},
        Load{T::half, v(99), at(1), 0},
        Store{T::half, at(1), v(99), m(99), 0},
        BlockLoad{T::half, v(99), at(1), -1, m(99), 0},
        BlockStore{T::half, at(1), v(99), -1, m(99), 0},
        Gather{T::half, T::f32, T::u8, v(99), at(1), v(99), m(99)},
        GatherBlock{T::half, v(99), at(1), v(99), m(99)},
        GatherRegister{T::s64, v(99), v(99), v(99)},
        Scatter{T::half, T::u8, at(1), v(99), v(99), m(99)},
        Add{T::e4m3, v(99), v(99), v(99), m(99)},
        Adds{T::e4m3, v(99), v(99), 0, m(99)},
        Duplicate{T::e4m3, v(99), 0},
        Move{T::half, v(99), v(99), m(99)},
    };
    for (const Op& op : ops) {
        refused(op, Id::unsupported_op, {"not supported on test-product", "it is supported on: ascend950"});
    }
    machine.capabilities.tensor_scatter = TypeSet();
    machine.capabilities.tensor_add = TypeSet();
    TensorScatter op;
    op.type = T::hif8;
    op.dst = at(1);
    op.repeat = 1000;
    refused(op, Id::unsupported_op, {"hif8", "test-product", "ascend950"});
    refused(TensorAdd{T::s8, at(1), at(1), at(1), -1}, Id::unsupported_op, {"test-product"});
    EXPECT_NE(
        describe(machine.executor.check(op, machine.registers(), machine.ub), op, "x", "").find("nor on any other"),
        std::string::npos);
}

// ---- types

TEST_F(IsaChecks, EveryGatherTripleIsLegalExactlyIfItStandsInTheTable) {
    struct Row {
        T dst, src, index;
    };
    std::vector<Row> rows = {{T::s16, T::s8, T::u16}, {T::u16, T::u8, T::u16}};
    for (const T type : {T::s8, T::u8, T::hif8, T::e8m0, T::e5m2, T::e4m3}) rows.push_back({type, type, T::u16});
    for (const T type : {T::s16, T::u16, T::half, T::bf16}) {
        rows.push_back({type, type, T::u16});
        rows.push_back({type, type, T::u32});
    }
    for (const T type : {T::s32, T::u32, T::f32}) rows.push_back({type, type, T::u32});
    for (const T type : {T::s64, T::u64}) {
        rows.push_back({type, type, T::u32});
        rows.push_back({type, type, T::u64});
    }
    const auto fits = [](T given, T tabled) {
        return given == tabled || (is_bits(given) && size_of(given) == size_of(tabled));
    };
    int legal = 0;
    for (std::size_t d = 0; d < kElementTypes; ++d) {
        for (std::size_t s = 0; s < kElementTypes; ++s) {
            for (std::size_t i = 0; i < kElementTypes; ++i) {
                const Row given{static_cast<T>(d), static_cast<T>(s), static_cast<T>(i)};
                bool stands = false;
                for (const Row& row : rows) {
                    stands = stands ||
                             (fits(given.dst, row.dst) && fits(given.src, row.src) && fits(given.index, row.index));
                }
                Op op = gather(given.dst, given.src, given.index);
                machine.vectors[0].bytes.fill(std::byte{0});
                const Fault fault = machine.run(op);
                EXPECT_EQ(fault.id, stands ? Id::none : Id::unsupported_type)
                    << name(given.dst) << " " << name(given.src) << " " << name(given.index);
                legal += stands ? 1 : 0;
            }
        }
    }
    EXPECT_GT(legal, 23);
}

TEST_F(IsaChecks, EveryScatterPairIsLegalExactlyIfItStandsInTheTable) {
    machine.vectors[0].bytes.fill(std::byte{0});
    for (std::size_t t = 0; t < kElementTypes; ++t) {
        for (std::size_t i = 0; i < kElementTypes; ++i) {
            const auto type = static_cast<T>(t);
            const auto index = static_cast<T>(i);
            const bool u16 = index == T::u16 || index == T::b16;
            const bool u32 = index == T::u32 || index == T::b32;
            const bool u64 = index == T::u64 || index == T::b64;
            bool stands = false;
            switch (type) {
                case T::s8:
                case T::u8:
                case T::b8:
                case T::s16:
                case T::u16:
                case T::half:
                case T::bf16:
                case T::b16: stands = u16; break;
                case T::s32:
                case T::u32:
                case T::f32:
                case T::b32: stands = u32; break;
                case T::s64:
                case T::u64:
                case T::b64: stands = u32 || u64; break;
                default: break;
            }
            Op op = scatter(type, index);
            EXPECT_EQ(machine.run(op).id, stands ? Id::none : Id::unsupported_type) << name(type) << " " << name(index);
        }
    }
}

TEST_F(IsaChecks, TypesThatOpsDoNotTake) {
    refused(gather(T::f32, T::half, T::u32), Id::unsupported_type, {"float from half with u32 indices", "16-bit data"});
    refused(gather(T::s16, T::u8, T::u16), Id::unsupported_type, {"s16 from u8", "s16 from s8"});
    refused(gather(T::half, T::half, T::s16), Id::unsupported_type, {"s16 indices", "u16 or u32"});
    refused(gather(T::s64, T::s64, T::u16), Id::unsupported_type, {"u32 or u64"});
    refused(scatter(T::half, T::u32), Id::unsupported_type, {"half with u32", "u16 indices"});
    refused(scatter(T::hif8, T::u16), Id::unsupported_type, {"hif8", "s8 and u8"});
    refused(MaskGen{T::b8, m(1), v(1), 0}, Id::unsupported_type, {"b8", "16-bit and 32-bit"});
    refused(MaskGen{T::s64, m(1), v(1), 0}, Id::unsupported_type, {"s64"});
    refused(GatherRegister{T::u64, v(1), v(2), v(0)}, Id::unsupported_type, {"u64", "8-bit, 16-bit and 32-bit"});
    for (const T type : {T::b16, T::b32, T::bf16, T::s8, T::u64, T::e5m2}) {
        refused(Add{type, v(3), v(1), v(2), m(0)}, Id::unsupported_type, {std::string(name(type)), "float, half"});
        refused(Adds{type, v(3), v(1), 0, m(0)}, Id::unsupported_type, {std::string(name(type))});
    }
    for (const T type : {T::b8, T::b64, T::bf16, T::s8, T::s64}) {
        refused(Duplicate{type, v(3), 0}, Id::unsupported_type, {std::string(name(type)), "b32 and b16"});
    }
    accepted(Duplicate{T::b16, v(3), 0});
    refused(Load{T::half, v(3), at(0), 0, LoadMode::us_b8}, Id::unsupported_type,
            {"does not take half in mode us_b8", "the mode takes 8-bit types"});
    refused(Load{T::s64, v(3), at(0), 0, LoadMode::unpack_b8}, Id::unsupported_type,
            {"s64 in mode unpack_b8", "8-bit types, or 16-bit ones for the other side"});
    refused(Store{T::u8, at(0), v(3), m(0), 0, StoreMode::pack_b64}, Id::unsupported_type,
            {"u8 in mode pack_b64", "64-bit types, or 32-bit ones"});
    refused(Load{T::u8, v(3), at(0), 0, LoadMode::dintlv_b8}, Id::unsupported_type,
            {"mode dintlv_b8 takes two registers as dst, not one"});
    refused(Load{T::u64, {v(3), v(4)}, at(0), 0, LoadMode::blk}, Id::unsupported_type,
            {"mode blk takes one register as dst, not two"});
    refused(Store{T::u32, at(0), v(3), m(0), 0, StoreMode::intlv_b32}, Id::unsupported_type,
            {"mode intlv_b32 takes two registers as src, not one"});
    accepted(Store{T::u32, at(0), {v(3), v(3)}, m(0), 0, StoreMode::intlv_b32});
    refused(TensorAdd{T::b32, at(0), at(0), at(0), 8}, Id::unsupported_type, {"b32", "float"});
    refused(TensorAdd{T::half, at(0), at(0), at(0), 8}, Id::unsupported_type, {"half"});
    refused(tensor(T::hif8), Id::unsupported_type, {"hif8", "test-product"});
    refused(contiguous(T::s8, 8), Id::unsupported_type, {"s8 with a mask", "count form only"});
    refused(bits(T::b8, 8, 0), Id::unsupported_type, {"b8 with a mask"});
    accepted(tensor(T::b8));
    accepted(contiguous(T::b16, 8));
}

TEST_F(IsaChecks, PairsWhereTheyDoNotBelong) {
    const VectorOperand pair(v(1), v(2));
    Gather op = gather(T::f32, T::f32, T::u32);
    op.dst = pair;
    refused(op, Id::unsupported_type, {"register pair as dst", "float from float"});
    op = gather(T::f32, T::f32, T::u32);
    op.index = pair;
    refused(op, Id::unsupported_type, {"register pair as index"});
    op = gather(T::u64, T::u64, T::u64);
    op.dst = pair;
    refused(op, Id::unsupported_type, {"indices as a pair too"});
    op = gather(T::u64, T::u64, T::u32);
    op.index = pair;
    refused(op, Id::unsupported_type, {"register pair as index"});
    Scatter put = scatter(T::half, T::u16);
    put.src = pair;
    refused(put, Id::unsupported_type, {"register pair as src"});
    put = scatter(T::u64, T::u64);
    put.src = pair;
    refused(put, Id::unsupported_type, {"indices as a pair too"});
    put = scatter(T::u64, T::u32);
    put.index = pair;
    refused(put, Id::unsupported_type, {"register pair as index"});
    refused(Load{T::f32, pair, at(0), 0}, Id::unsupported_type, {"register pair as dst", "float"});
    refused(Store{T::b32, at(0), pair, m(0), 0}, Id::unsupported_type, {"register pair as src"});
    refused(UpdateMask{T::b32, m(1), 5, true}, Id::unsupported_type, {"b32 takes a single register"});
}

// ---- registers

TEST_F(IsaChecks, RegistersPastTheEnd) {
    const std::string vector_range = "there are v0 to v31";
    const std::string mask_range = "there are m0 to m7";
    for (const std::int64_t bad : {std::int64_t{32}, std::int64_t{-1}, kMax, kMin}) {
        const std::string named = "v" + std::to_string(bad) + ";";
        const auto wrong = [&](const Op& op, const char* operand) {
            refused(op, Id::bad_register, {named, "'" + std::string(operand) + "'", vector_range});
        };
        Gather g = gather(T::half, T::half, T::u16);
        g.dst = v(bad);
        wrong(g, "dst");
        g = gather(T::half, T::half, T::u16);
        g.index = v(bad);
        wrong(g, "index");
        Scatter s = scatter(T::half, T::u16);
        s.src = v(bad);
        wrong(s, "src");
        s = scatter(T::half, T::u16);
        s.index = v(bad);
        wrong(s, "index");
        wrong(Load{T::half, v(bad), at(0), 0}, "dst");
        wrong(Load{T::u64, VectorOperand(v(1), v(bad)), at(0), 0}, "dst");
        wrong(Load{T::u64, VectorOperand(v(bad), v(1)), at(0), 0}, "dst");
        wrong(Store{T::half, at(0), v(bad), m(0), 0}, "src");
        wrong(BlockLoad{T::half, v(bad), at(0), 1, m(0), 0}, "dst");
        wrong(BlockStore{T::half, at(0), v(bad), 1, m(0), 0}, "src");
        wrong(GatherBlock{T::half, v(bad), at(0), v(2), m(0)}, "dst");
        wrong(GatherBlock{T::half, v(1), at(0), v(bad), m(0)}, "index");
        wrong(GatherRegister{T::half, v(bad), v(1), v(0)}, "dst");
        wrong(GatherRegister{T::half, v(3), v(bad), v(0)}, "src");
        wrong(GatherRegister{T::half, v(3), v(1), v(bad)}, "index");
        wrong(MaskGen{T::b16, m(1), v(bad), 0}, "src");
        wrong(Add{T::half, v(bad), v(1), v(2), m(0)}, "dst");
        wrong(Add{T::half, v(3), v(bad), v(2), m(0)}, "src0");
        wrong(Add{T::half, v(3), v(1), v(bad), m(0)}, "src1");
        wrong(Adds{T::half, v(bad), v(1), 0, m(0)}, "dst");
        wrong(Adds{T::half, v(3), v(bad), 0, m(0)}, "src0");
        wrong(Duplicate{T::half, v(bad), 0}, "dst");
    }
    for (const std::int64_t bad : {std::int64_t{8}, std::int64_t{-1}, kMax, kMin}) {
        const std::string named = "m" + std::to_string(bad) + ";";
        const auto wrong = [&](const Op& op) { refused(op, Id::bad_register, {named, mask_range}); };
        Gather g = gather(T::half, T::half, T::u16);
        g.mask = m(bad);
        wrong(g);
        Scatter s = scatter(T::half, T::u16);
        s.mask = m(bad);
        wrong(s);
        wrong(Store{T::half, at(0), v(1), m(bad), 0});
        wrong(BlockLoad{T::half, v(1), at(0), 1, m(bad), 0});
        wrong(BlockStore{T::half, at(0), v(1), 1, m(bad), 0});
        wrong(GatherBlock{T::half, v(1), at(0), v(2), m(bad)});
        wrong(CreateMask{T::half, m(bad), MaskPattern::all});
        wrong(UpdateMask{T::half, m(bad), 4, false});
        wrong(MaskGen{T::half, m(bad), v(1), 0});
        wrong(MaskLoad{m(bad), at(0), MaskLoadMode::us, 0});
        wrong(MaskStore{at(0), m(bad), MaskStoreMode::pack, 0});
        wrong(Add{T::half, v(3), v(1), v(2), m(bad)});
        wrong(Adds{T::half, v(3), v(1), 0, m(bad)});
    }
}

TEST_F(IsaChecks, PairsOfOneRegister) {
    const VectorOperand twice(v(5), v(5));
    refused(Load{T::u64, twice, at(0), 0}, Id::bad_register, {"v5:v5", "two different registers"});
    refused(Store{T::u64, at(0), twice, m(0), 0}, Id::bad_register, {"v5:v5"});
    Gather op = gather(T::u64, T::u64, T::u32);
    op.dst = twice;
    refused(op, Id::bad_register, {"'dst'", "v5:v5"});
    op = gather(T::u64, T::u64, T::u64);
    op.index = twice;
    refused(op, Id::bad_register, {"'index'", "v5:v5"});
    Scatter put = scatter(T::u64, T::u32);
    put.src = twice;
    refused(put, Id::bad_register, {"'src'", "v5:v5"});
}

// ---- parameters

TEST_F(IsaChecks, Parts) {
    for (const std::int64_t bad : {std::int64_t{16}, std::int64_t{-1}, kMax}) {
        refused(MaskGen{T::b16, m(1), v(1), bad}, Id::bad_part, {"part " + std::to_string(bad), "0 to 15"});
    }
    for (const std::int64_t bad : {std::int64_t{32}, std::int64_t{-1}, kMin}) {
        refused(MaskGen{T::f32, m(1), v(1), bad}, Id::bad_part, {"part " + std::to_string(bad), "0 to 31"});
    }
    accepted(MaskGen{T::b16, m(1), v(1), 15});
    accepted(MaskGen{T::b32, m(1), v(1), 31});
}

TEST_F(IsaChecks, Counts) {
    for (const std::int64_t bad : {std::int64_t{-1}, std::int64_t{1} << 32, kMax, kMin}) {
        refused(UpdateMask{T::b32, m(1), bad, false}, Id::bad_count,
                {"count " + std::to_string(bad), "0 to 4294967295"});
    }
    accepted(UpdateMask{T::b32, m(1), 0xFFFFFFFF, false});
    TensorScatter op = tensor(T::half);
    op.count = -1;
    refused(op, Id::bad_count, {"count -1"});
    refused(TensorAdd{T::f32, at(0), at(0), at(0), 0}, Id::bad_count, {"count 0"});
    refused(TensorAdd{T::f32, at(0), at(0), at(0), kMin}, Id::bad_count);
}

TEST_F(IsaChecks, BlockStrides) {
    for (const std::int64_t bad : {std::int64_t{-1}, std::int64_t{65536}, kMax, kMin}) {
        refused(BlockLoad{T::b8, v(1), at(0), bad, m(0), 0}, Id::bad_stride,
                {"stride " + std::to_string(bad), "65535"});
        refused(BlockStore{T::b8, at(0), v(1), bad, m(0), 0}, Id::bad_stride);
    }
    machine.masks[1].words = {1, 0, 0, 0};
    accepted(BlockLoad{T::b8, v(1), at(0), 65535, m(1), 0});
}

TEST_F(IsaChecks, TensorScatterMasks) {
    refused(contiguous(T::half, 0), Id::bad_mask, {"mask 0", "half", "1 to 128"});
    refused(contiguous(T::half, 129), Id::bad_mask, {"mask 129"});
    refused(contiguous(T::f32, 65), Id::bad_mask, {"1 to 64"});
    refused(contiguous(T::u64, 33), Id::bad_mask, {"1 to 32"});
    refused(contiguous(T::half, ~std::uint64_t{0}), Id::bad_mask, {"mask 18446744073709551615"});
    for (const T type : {T::half, T::s32, T::s64}) refused(bits(type, 0, 0), Id::bad_mask, {"{0x0, 0x0}"});
    refused(bits(T::s32, 1, 1), Id::bad_mask, {"{0x1, 0x1}", "lowest 64 bits"});
    refused(bits(T::s64, std::uint64_t{1} << 32, 0), Id::bad_mask, {"0x100000000", "lowest 32 bits"});
    refused(bits(T::s64, 1, 1), Id::bad_mask);
    accepted(bits(T::s64, 0xFFFFFFFF, 0));
    accepted(bits(T::half, 0, std::uint64_t{1} << 63));
    accepted(contiguous(T::u64, 32));
}

TEST_F(IsaChecks, TensorScatterRepeatsAndStrides) {
    for (const std::int64_t bad : {std::int64_t{256}, std::int64_t{-1}, kMax}) {
        TensorScatter op = contiguous(T::half, 4);
        op.repeat = bad;
        refused(op, Id::bad_repeat, {"repeat " + std::to_string(bad), "0 to 255"});
        op = bits(T::half, 4, 0);
        op.stride = bad;
        refused(op, Id::bad_stride, {"stride " + std::to_string(bad), "0 to 255"});
    }
    TensorScatter op = tensor(T::half);  // the count form has neither
    op.repeat = 256;
    op.stride = -1;
    accepted(op);
}

// ---- alignment

TEST_F(IsaChecks, Alignment) {
    const std::vector<std::string> says = {"0x1004", "32 bytes", "0x1000 and 0x1020"};
    Gather g = gather(T::half, T::half, T::u16);
    g.base = at(0x1004);
    refused(g, Id::misaligned, {"'base'", "0x1004", "32 bytes", "0x1000 and 0x1020"});
    g.base = at(0x1020);
    accepted(g);
    Scatter s = scatter(T::half, T::u16);
    s.base = at(0x1010);
    refused(s, Id::misaligned, {"'base'", "0x1010"});
    refused(Load{T::half, v(1), at(0x1004), 0}, Id::misaligned, says);
    refused(Store{T::half, at(0x1004), v(1), m(0), 0}, Id::misaligned, says);
    refused(BlockLoad{T::half, v(1), at(0x1004), 1, m(0), 0}, Id::misaligned, says);
    refused(BlockStore{T::half, at(0x1004), v(1), 1, m(0), 0}, Id::misaligned, says);
    refused(GatherBlock{T::b8, v(1), at(0x1004), v(2), m(0)}, Id::misaligned, says);
    refused(MaskLoad{m(1), at(0x1010), MaskLoadMode::norm, 0}, Id::misaligned, {"32 bytes"});
    refused(MaskLoad{m(1), at(0x1010), MaskLoadMode::ds, 0}, Id::misaligned, {"32 bytes"});
    refused(MaskLoad{m(1), at(0x1008), MaskLoadMode::us, 0}, Id::misaligned, {"16 bytes"});
    accepted(MaskLoad{m(1), at(0x1010), MaskLoadMode::us, 0});
    refused(MaskStore{at(0x1010), m(1), MaskStoreMode::norm, 0}, Id::misaligned, {"32 bytes"});
    refused(MaskStore{at(0x1008), m(1), MaskStoreMode::pack, 0}, Id::misaligned, {"16 bytes"});
    accepted(MaskStore{at(0x1010), m(1), MaskStoreMode::pack, 0});
    refused(Load{T::half, v(1), at(-1), 0}, Id::misaligned, {"-0x1 "});
    refused(Load{T::half, v(1), at(kMax), 0}, Id::misaligned);
}

TEST_F(IsaChecks, BlockGatherOffsetsAreAlignedToo) {
    machine.vectors[2].set<std::uint32_t>(4, 40);
    machine.vectors[2].set<std::uint32_t>(6, 8);
    const Op op = GatherBlock{T::b8, v(1), at(0x20), v(2), m(0)};
    const Fault fault = refused(op, Id::misaligned, {"block 4", "index 40", "0x48", "32 bytes"});
    EXPECT_EQ(fault.lane, 4);
    machine.masks[1].words = {0x11101111, 0, 0, 0};
    refused(GatherBlock{T::b8, v(1), at(0x20), v(2), m(1)}, Id::misaligned, {"block 6"});
    machine.masks[1].words = {0x10101111, 0, 0, 0};
    accepted(GatherBlock{T::b8, v(1), at(0x20), v(2), m(1)});
}

TEST_F(IsaChecks, TensorAlignment) {
    TensorScatter op = tensor(T::half);
    op.dst = at(0x6002);
    refused(op, Id::misaligned, {"'dst'", "0x6002"});
    op = tensor(T::half);
    op.src = at(0x1010);
    refused(op, Id::misaligned, {"'src'", "0x1010"});
    op = tensor(T::half);
    op.offset = at(0x2004);
    refused(op, Id::misaligned, {"'offset'", "0x2004"});
    op = tensor(T::half);
    op.base = 3;
    refused(op, Id::misaligned, {"'base'", "0x3", "2 bytes"});
    op = tensor(T::s64);
    op.base = 4;
    refused(op, Id::misaligned, {"8 bytes"});
    op = tensor(T::s32);
    machine.put<std::uint32_t>(0x2000, 6);
    const Fault fault = refused(op, Id::misaligned, {"element 0", "offset 6", "0x6006", "4 bytes"});
    EXPECT_EQ(fault.lane, 0);
    refused(TensorAdd{T::f32, at(4), at(0), at(0), 8}, Id::misaligned, {"'dst'"});
    refused(TensorAdd{T::f32, at(0), at(4), at(0), 8}, Id::misaligned, {"'src0'"});
    refused(TensorAdd{T::f32, at(0), at(0), at(4), 8}, Id::misaligned, {"'src1'"});
}

// ---- bounds

TEST_F(IsaChecks, GatherPastTheEndNamesTheLowestActiveLaneAndTheFullAddress) {
    machine.vectors[0].bytes.fill(std::byte{0});
    machine.vectors[0].set<std::uint32_t>(7, 0x3F800000);
    machine.vectors[0].set<std::uint32_t>(9, 0xFFFFFFFF);
    Gather op = gather(T::f32, T::f32, T::u32);
    op.base = at(0x8000);
    Fault fault = refused(op, Id::ub_out_of_bounds, {"lane 7", "0xFE008000", "0x10000 bytes", "index 1065353216"});
    EXPECT_EQ(fault.lane, 7);
    EXPECT_EQ(fault.address, 0xFE008000);
    machine.masks[1] = machine.masks[0];
    machine.masks[1].words[0] &= ~(std::uint64_t{1} << 28);
    op.mask = m(1);
    fault = refused(op, Id::ub_out_of_bounds, {"lane 9", "index is unsigned", "4294967295 is not -1"});
    EXPECT_EQ(fault.address, 0x8000 + 4 * std::int64_t{0xFFFFFFFF});
    machine.masks[1].words[0] &= ~(std::uint64_t{1} << 36);
    accepted(op);
    const VregId dst{3};
    EXPECT_EQ(machine.vectors[3].get<std::uint32_t>(7), 0U);
    EXPECT_EQ(op.dst.low, dst);
}

TEST_F(IsaChecks, GatherOfTheLastElementAndOnePast) {
    for (const auto& [type, index_type] : std::vector<std::pair<T, T>>{{T::u8, T::u16},
                                                                       {T::half, T::u16},
                                                                       {T::half, T::u32},
                                                                       {T::f32, T::u32},
                                                                       {T::u64, T::u32},
                                                                       {T::u64, T::u64}}) {
        const auto bytes = static_cast<std::int64_t>(size_of(type));
        const std::int64_t base = kEnd - 64;
        const std::int64_t last = 64 / bytes - 1;
        for (std::size_t lane = 0; lane < 32; ++lane) {
            for (const bool past : {false, true}) {
                machine.vectors[0].bytes.fill(std::byte{0});
                const auto index = static_cast<std::uint64_t>(past ? last + 1 : last);
                const std::size_t width = size_of(index_type);
                std::memcpy(machine.vectors[0].bytes.data() + lane * width, &index, width);
                Gather op = gather(type, type, index_type);
                op.base = at(base);
                if (!past) {
                    accepted(op);
                    continue;
                }
                const Fault fault = refused(op, Id::ub_out_of_bounds, {"lane " + std::to_string(lane), "0x10000 "});
                EXPECT_EQ(fault.lane, static_cast<std::int32_t>(lane));
                EXPECT_EQ(fault.address, kEnd);
                if (type == T::u8 || (type == T::half && index_type == T::u32)) continue;
                Scatter put = scatter(type, index_type);
                put.base = at(base);
                EXPECT_EQ(refused(put, Id::ub_out_of_bounds).lane, static_cast<std::int32_t>(lane));
            }
        }
    }
}

TEST_F(IsaChecks, WideIndicesAreNeverTruncated) {
    machine.vectors[0].bytes.fill(std::byte{0});
    machine.vectors[0].set<std::uint64_t>(2, std::uint64_t{1} << 32);
    Fault fault = refused(gather(T::u64, T::u64, T::u64), Id::ub_out_of_bounds, {"lane 2", "0x800000000 "});
    EXPECT_EQ(fault.address, std::int64_t{1} << 35);
    machine.vectors[0].set<std::uint64_t>(2, ~std::uint64_t{0});
    fault = refused(gather(T::u64, T::u64, T::u64), Id::ub_out_of_bounds,
                    {"index is unsigned", "18446744073709551615 is not -1"});
    EXPECT_EQ(fault.address, kMax);
    machine.vectors[0].bytes.fill(std::byte{0});
    machine.vectors[2].set<std::uint32_t>(40, 1);
    Gather op = gather(T::u64, T::u64, T::u64);
    op.index = VectorOperand(v(0), v(2));
    accepted(op);  // the One form looks at the first 32 lanes only
    op.dst = VectorOperand(v(3), v(4));
    refused(op, Id::ub_out_of_bounds, {"lane 40"});
}

TEST_F(IsaChecks, BasesOutsideTheUb) {
    machine.masks[1].words = {std::uint64_t{1} << 20, 0, 0, 0};
    machine.masks[2].words = {};
    for (const std::int64_t base : {std::int64_t{-32}, kEnd, kEnd + 32, std::int64_t{1} << 40, kMin, kMax - 31}) {
        Gather g = gather(T::half, T::half, T::u16);
        g.base = at(base);
        g.mask = m(1);
        Fault fault = refused(g, Id::ub_out_of_bounds, {"lane 10", "'base'", base < 0 ? "is negative" : "outside"});
        EXPECT_EQ(fault.lane, 10);
        g.mask = m(2);
        accepted(g);
        Scatter s = scatter(T::f32, T::u32);
        s.base = at(base);
        s.mask = m(1);
        fault = refused(s, Id::ub_out_of_bounds, {"lane 5"});
        s.mask = m(2);
        accepted(s);
        refused(GatherBlock{T::b8, v(1), at(base), v(2), m(0)}, Id::ub_out_of_bounds, {"block 0"});
        accepted(GatherBlock{T::b8, v(1), at(base), v(2), m(2)});
        refused(Load{T::half, v(1), at(base), 0}, Id::ub_out_of_bounds, {"lane 0"});
        refused(Store{T::half, at(base), v(1), m(1), 0}, Id::ub_out_of_bounds, {"lane 10"});
        accepted(Store{T::half, at(base), v(1), m(2), 0});
        refused(BlockLoad{T::b8, v(1), at(base), 0, m(0), 0}, Id::ub_out_of_bounds, {"block 0"});
        accepted(BlockLoad{T::b8, v(1), at(base), 0, m(2), 0});
        refused(BlockStore{T::b8, at(base), v(1), 3, m(0), 0}, Id::ub_out_of_bounds, {"block 0"});
        accepted(BlockStore{T::b8, at(base), v(1), 3, m(2), 0});
        refused(MaskLoad{m(1), at(base), MaskLoadMode::norm, 0}, Id::ub_out_of_bounds, {"'address'"});
        refused(MaskStore{at(base), m(1), MaskStoreMode::norm, 0}, Id::ub_out_of_bounds);
    }
    EXPECT_EQ(machine.masks[1].words[0], std::uint64_t{1} << 20);
}

TEST_F(IsaChecks, ContiguousAccessesAtTheEnd) {
    accepted(Load{T::half, v(1), at(kEnd - 256), 0});
    Fault fault = refused(Load{T::half, v(1), at(kEnd - 224), 0}, Id::ub_out_of_bounds, {"lane 112", "0x10000 "});
    EXPECT_EQ(fault.address, kEnd);
    refused(Load{T::u64, VectorOperand(v(1), v(2)), at(kEnd - 256), 0}, Id::ub_out_of_bounds, {"lane 32"});
    accepted(Load{T::u64, VectorOperand(v(1), v(2)), at(kEnd - 512), 0});

    refused(Store{T::half, at(kEnd - 32), v(1), m(0), 0}, Id::ub_out_of_bounds, {"lane 16", "0x10000 "});
    machine.masks[1].words = {0x5555, 0, 0, 0};  // 8 lanes of 2 bytes
    machine.vectors[1].bytes.fill(std::byte{0x77});
    accepted(Store{T::half, at(kEnd - 32), v(1), m(1), 0});
    EXPECT_EQ(machine.bytes[kEnd - 17], std::byte{0x77});
    EXPECT_NE(machine.bytes[kEnd - 16], std::byte{0x77});
    machine.masks[1].words = {std::uint64_t{1} << 40, 0, 0, 0};
    refused(Store{T::half, at(kEnd - 32), v(1), m(1), 0}, Id::ub_out_of_bounds, {"lane 20", "0x10008 "});

    refused(BlockLoad{T::b8, v(1), at(kEnd - 64), 1, m(0), 0}, Id::ub_out_of_bounds, {"block 2", "0x10000 "});
    accepted(BlockLoad{T::b8, v(1), at(kEnd - 32), 0, m(0), 0});
    machine.masks[1].words = {0x8000000080000000, 0, 0, 0};
    accepted(BlockStore{T::b8, at(kEnd - 64), v(1), 1, m(1), 0});
    refused(BlockStore{T::b8, at(kEnd - 64), v(1), 2, m(1), 0}, Id::ub_out_of_bounds, {"block 1"});

    refused(MaskLoad{m(1), at(kEnd - 32), MaskLoadMode::ds, 0}, Id::ub_out_of_bounds, {"0x10000 "});
    accepted(MaskLoad{m(1), at(kEnd - 16), MaskLoadMode::us, 0});
    accepted(MaskStore{at(kEnd - 16), m(1), MaskStoreMode::pack, 0});
    machine.vectors[2].bytes.fill(std::byte{0});
    refused(GatherBlock{T::b8, v(1), at(kEnd), v(2), m(0)}, Id::ub_out_of_bounds, {"block 0", "offset 0 bytes"});
}

TEST_F(IsaChecks, TheLogicalSizeIsTheLimit) {
    machine.capabilities.ub_bytes = 0xE000;
    machine.vectors[0].bytes.fill(std::byte{0});
    Gather op = gather(T::f32, T::f32, T::u32);
    op.base = at(0xDFE0);
    machine.vectors[0].set<std::uint32_t>(0, 7);
    accepted(op);
    machine.vectors[0].set<std::uint32_t>(0, 8);
    refused(op, Id::ub_out_of_bounds, {"0xE000 bytes"});
}

TEST_F(IsaChecks, TensorScatterOffsets) {
    TensorScatter op = tensor(T::half);
    machine.put<std::uint32_t>(0x2000 + 4 * 5, 0x20000);
    Fault fault =
        refused(op, Id::offset_out_of_range, {"element 5", "offset 131072", "131071", "test-product", "half"});
    EXPECT_EQ(fault.lane, 5);
    EXPECT_EQ(fault.value, 0x20000);
    op = tensor(T::u8);
    machine.put<std::uint32_t>(0x2000, 0x10000);
    refused(op, Id::offset_out_of_range, {"element 0", "65535"});
    op = tensor(T::f32);
    machine.put<std::uint32_t>(0x2000 + 4 * 2, 0xFFFFFFFC);
    fault = refused(op, Id::ub_out_of_bounds, {"element 2", "'dst'", "0x100005FFC", "offset 4294967292"});
    EXPECT_EQ(fault.address, 0x100005FFC);
    op = tensor(T::f32);
    op.base = 0x9FFC;
    machine.put<std::uint32_t>(0x2000 + 4, 0);
    fault = refused(op, Id::ub_out_of_bounds, {"element 2"});
    op.count = 2;
    accepted(op);
    op.base = -4;
    refused(op, Id::ub_out_of_bounds, {"element 0", "-0x4 is negative"});
    op.base = kMax - 3;
    refused(op, Id::ub_out_of_bounds, {"element 0"});
}

TEST_F(IsaChecks, TensorScatterLooksAtActiveElementsOnlyAndAtAllIterationsFirst) {
    TensorScatter op = bits(T::s32, 0xE, 0);
    machine.put<std::uint32_t>(0x2000, 1);
    accepted(op);
    op.repeat = 3;
    machine.put<std::uint32_t>(0x2000 + 4 * (2 * 64 + 3), 0xFFFFFFF0);
    const Fault fault = refused(op, Id::ub_out_of_bounds, {"element 3 of iteration 2"});
    EXPECT_EQ(fault.lane, 3);
    EXPECT_EQ(fault.iteration, 2);
    op = tensor(T::s32);
    op.count = 200;
    machine.put<std::uint32_t>(0x2000 + 4 * 150, 2);
    refused(op, Id::misaligned, {"element 150:"});
}

TEST_F(IsaChecks, TensorScatterTensorsInsideTheUb) {
    TensorScatter op = tensor(T::s32);
    op.src = at(kEnd - 32);
    op.count = 8;
    accepted(op);
    op.count = 9;
    refused(op, Id::ub_out_of_bounds, {"element 8", "'src'", "0x10000 "});
    op = tensor(T::s32);
    op.offset = at(kEnd - 32);
    for (std::uint32_t i = 0; i < 8; ++i) machine.put<std::uint32_t>(kEnd - 32 + 4 * i, 4 * i);
    op.count = 9;
    refused(op, Id::ub_out_of_bounds, {"element 8", "'offset'", "0x10000 "});
    op.count = 8;
    accepted(op);
    op.count = kMax;
    refused(op, Id::ub_out_of_bounds, {"element 8"});
    for (const std::int64_t bad : {std::int64_t{-32}, kEnd, kMax - 31, kMin}) {
        op = tensor(T::s32);
        op.src = at(bad);
        refused(op, Id::ub_out_of_bounds, {"element 0", "'src'"});
        op = tensor(T::s32);
        op.offset = at(bad);
        refused(op, Id::ub_out_of_bounds, {"element 0", "'offset'"});
        op = tensor(T::s32);
        op.dst = at(bad);
        refused(op, Id::ub_out_of_bounds, {"element 0", "'dst'"});
        op.count = 0;
        accepted(op);
    }
    op = contiguous(T::s64, 32);
    op.repeat = 255;
    op.stride = 255;
    refused(op, Id::ub_out_of_bounds, {"of iteration 8", "'src'"});
}

TEST_F(IsaChecks, TensorAddInsideTheUb) {
    Fault fault = refused(TensorAdd{T::f32, at(kEnd - 64), at(kEnd - 32), at(0), 100}, Id::ub_out_of_bounds,
                          {"element 8", "'src0'", "0x10000 "});
    EXPECT_EQ(fault.lane, 8);
    refused(TensorAdd{T::f32, at(kEnd - 64), at(0), at(0), 17}, Id::ub_out_of_bounds, {"element 16", "'dst'"});
    refused(TensorAdd{T::f32, at(0), at(0), at(-32), 1}, Id::ub_out_of_bounds, {"'src1'", "is negative"});
    refused(TensorAdd{T::f32, at(0), at(0), at(0), kMax}, Id::ub_out_of_bounds, {"element 16384"});
    accepted(TensorAdd{T::f32, at(kEnd - 64), at(0), at(0), 16});
}

// ---- order, and what is not announced

TEST_F(IsaChecks, OrderOfChecks) {
    // Each op is wrong in every way that is left; one repair after the other shows the next complaint.
    machine.capabilities.vector_functions = false;
    machine.vectors[0].bytes.fill(std::byte{0xFF});
    Gather op{T::half, T::f32, T::u16, v(99), at(1), v(99), m(99)};
    refused(op, Id::unsupported_op);
    machine.capabilities.vector_functions = true;
    refused(op, Id::unsupported_type);
    op.src_type = T::half;
    refused(op, Id::bad_register, {"'dst'"});
    op.dst = v(3);
    refused(op, Id::bad_register, {"'index'"});
    op.index = v(0);
    refused(op, Id::bad_register, {"'mask'"});
    op.mask = m(0);
    refused(op, Id::misaligned);
    op.base = at(0);
    refused(op, Id::ub_out_of_bounds, {"lane 0"});

    BlockLoad block{T::b8, v(99), at(kEnd + 1), -1, m(99), 0};
    refused(block, Id::bad_register, {"v99"});
    block.dst = v(1);
    refused(block, Id::bad_register, {"m99"});
    block.mask = m(0);
    refused(block, Id::bad_stride);
    block.stride = 1;
    refused(block, Id::misaligned);
    block.address = at(kEnd);
    refused(block, Id::ub_out_of_bounds);

    TensorScatter scattered = contiguous(T::hif8, 0);
    scattered.repeat = scattered.stride = 256;
    scattered.dst = scattered.src = scattered.offset = at(kEnd + 1);
    scattered.base = 1;
    refused(scattered, Id::unsupported_type);
    scattered.type = T::half;
    refused(scattered, Id::bad_mask);
    scattered.mask_low = 1;
    refused(scattered, Id::bad_repeat);
    scattered.repeat = 1;
    refused(scattered, Id::bad_stride);
    scattered.stride = 0;
    refused(scattered, Id::misaligned, {"'dst'"});
    scattered.dst = at(kEnd);
    refused(scattered, Id::misaligned, {"'src'"});
    scattered.src = at(kEnd);
    refused(scattered, Id::misaligned, {"'offset'"});
    scattered.offset = at(kEnd);
    refused(scattered, Id::misaligned, {"'base'"});
    scattered.base = 0;
    refused(scattered, Id::ub_out_of_bounds, {"'src'"});
    scattered.repeat = 0;
    accepted(scattered);
}

TEST_F(IsaChecks, AccessesWithNothingActiveAreNotAnnounced) {
    machine.masks[1].words = {};
    accepted(Gather{T::half, T::half, T::u16, v(3), at(0), v(0), m(1)});
    accepted(Scatter{T::half, T::u16, at(0), v(3), v(0), m(1)});
    accepted(GatherBlock{T::half, v(3), at(0), v(2), m(1)});
    accepted(Store{T::half, at(0), v(3), m(1), 0});
    accepted(BlockLoad{T::half, v(3), at(0), 1, m(1), 0});
    accepted(BlockStore{T::half, at(0), v(3), 1, m(1), 0});
    EXPECT_EQ(machine.sink.reads + machine.sink.writes, 0);
    EXPECT_EQ(machine.vectors[3], VectorRegister());
    accepted(Load{T::half, v(3), at(0), 0});
    accepted(Store{T::half, at(0), v(3), m(0), 0});
    EXPECT_EQ(machine.sink.reads, 1);
    EXPECT_EQ(machine.sink.writes, 1);
    TensorScatter op = tensor(T::half);
    op.count = 130;
    accepted(op);
    EXPECT_EQ(machine.sink.reads, 5);
    EXPECT_EQ(machine.sink.writes, 3);
}

TEST_F(IsaChecks, PostUpdatesDoNotWrap) {
    Op op = Load{T::half, v(1), at(0), kMax};
    EXPECT_FALSE(machine.run(op));
    EXPECT_EQ(std::get<Load>(op).address, at(kMax));
    op = Store{T::half, at(0), v(1), m(0), kMin};
    EXPECT_FALSE(machine.run(op));
    EXPECT_EQ(std::get<Store>(op).address, at(kMin));
    op = Store{T::half, at(64), v(1), m(0), -16};
    EXPECT_FALSE(machine.run(op));
    EXPECT_EQ(std::get<Store>(op).address, at(32));
}

// ---- warnings

TEST_F(IsaChecks, WarningsSayWhatHappened) {
    machine.vectors[0].bytes.fill(std::byte{0});
    Op op = scatter(T::f32, T::u32);
    EXPECT_FALSE(machine.run(op));
    ASSERT_EQ(machine.notes.duplicate.id, Id::duplicate_target);
    EXPECT_EQ(machine.notes.duplicate.count, 63U);
    const std::string text = describe(machine.notes.duplicate, op, "", "");
    EXPECT_NE(text.find("lanes 0, 1, 2"), std::string::npos) << text;
    EXPECT_NE(text.find("lane 0 is written"), std::string::npos) << text;

    TensorScatter tensor_op = tensor(T::s32);
    machine.put<std::uint32_t>(0x2000 + 4 * 9, 4 * 3);
    op = tensor_op;
    EXPECT_FALSE(machine.run(op));
    EXPECT_NE(describe(machine.notes.duplicate, op, "", "").find("element 9 has the target 0x600C"), std::string::npos)
        << describe(machine.notes.duplicate, op, "", "");

    tensor_op.dst = tensor_op.src;
    tensor_op.base = 8;
    tensor_op.dst = at(0x1020);
    op = tensor_op;
    EXPECT_FALSE(machine.run(op));
    EXPECT_NE(describe(machine.notes.overlap, op, "", "").find("0x1028"), std::string::npos);

    tensor_op = tensor(T::s32);
    tensor_op.dst = at(0x2000);
    op = tensor_op;
    EXPECT_FALSE(machine.run(op));
    EXPECT_EQ(machine.notes.overlap.operand, Operand::offset);
    EXPECT_NE(describe(machine.notes.overlap, op, "", "").find("offsets"), std::string::npos);

    tensor_op = contiguous(T::s32, 4);
    tensor_op.repeat = 0;
    op = tensor_op;
    EXPECT_FALSE(machine.run(op));
    EXPECT_NE(describe(machine.notes.empty, op, "", "").find("repeat 0 does nothing"), std::string::npos);
    machine.capabilities.empty_scatter_warns = false;
    EXPECT_FALSE(machine.run(op));
    EXPECT_FALSE(machine.notes.any);

    machine.capabilities.ub_reserved_from = 0x40;
    op = Load{T::half, v(1), at(0), 0};
    EXPECT_FALSE(machine.run(op));
    EXPECT_NE(describe(machine.notes.reserved, op, "", "").find("from 0x40"), std::string::npos);
}

}  // namespace
}  // namespace vcore::isa
