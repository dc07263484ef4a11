// Program text to statements: what is accepted, and the text and place of every error.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>

#include "testbenches/runner/op_statements.hpp"
#include "testbenches/runner/op_text.hpp"
#include "testbenches/runner/program.hpp"

namespace vcore::runner {
namespace {

using isa::ElementType;
using isa::MregId;
using isa::UbAddress;
using isa::VregId;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// "line:column: message" of the first error, or an empty string.
std::string error_of(const std::string& text) {
    try {
        parse_program(text);
        return {};
    } catch (const ProgramError& error) {
        return fmt::format("{}:{}: {}", error.where().line, error.where().column, error.what());
    }
}

/// The op of the only statement inside a vf.
template <typename Op>
Op op_in_vf(const std::string& statement) {
    const Program program = parse_program("let n = 300\nvf {\n" + statement + "\n}\n");
    const auto& vf = std::get<VfStatement>(program.body.at(1).action);
    return std::get<Op>(std::get<OpStatement>(vf.body.at(0).action).op);
}

template <typename Op>
Op op_outside(const std::string& statement) {
    const Program program = parse_program(statement);
    return std::get<Op>(std::get<OpStatement>(program.body.at(0).action).op);
}

template <typename Action>
Action only_statement(const std::string& text) {
    Program program = parse_program(text);
    return std::get<Action>(std::move(program.body.at(0).action));
}

std::vector<std::uint64_t> listed(const Values& values) {
    const auto& bytes = std::get<std::vector<std::byte>>(values.elements);
    const std::size_t size = isa::size_of(values.type);
    std::vector<std::uint64_t> elements(bytes.size() / size);
    for (std::size_t i = 0; i < elements.size(); ++i) std::memcpy(&elements[i], bytes.data() + i * size, size);
    return elements;
}

// ---- ops

TEST(ParserOps, Masks) {
    const auto create = op_in_vf<isa::CreateMask>("mask.create m3 b16 VL16");
    EXPECT_EQ(create.dst, MregId{3});
    EXPECT_EQ(create.type, ElementType::b16);
    EXPECT_EQ(create.pattern, isa::MaskPattern::vl16);

    const auto update = op_in_vf<isa::UpdateMask>("mask.update m1 b32 n");
    EXPECT_EQ(update.dst, MregId{1});
    EXPECT_EQ(update.type, ElementType::b32);

    const auto gen = op_in_vf<isa::MaskGen>("mask.gen m2 b16 v7 part=-1");
    EXPECT_EQ(gen.dst, MregId{2});
    EXPECT_EQ(gen.src, VregId{7});
    EXPECT_EQ(gen.part, -1);

    const auto load = op_in_vf<isa::MaskLoad>("mask.load m2 [0x40 + n*2] us");
    EXPECT_EQ(load.dst, MregId{2});
    EXPECT_EQ(load.address, UbAddress{0x40 + 600});
    EXPECT_EQ(load.mode, isa::MaskLoadMode::us);
    EXPECT_EQ(op_in_vf<isa::MaskLoad>("mask.load m2 [0] norm").mode, isa::MaskLoadMode::norm);
    EXPECT_EQ(op_in_vf<isa::MaskLoad>("mask.load m2 [0] ds").mode, isa::MaskLoadMode::ds);

    const auto store = op_in_vf<isa::MaskStore>("mask.store [0x60] m4 pack");
    EXPECT_EQ(store.address, UbAddress{0x60});
    EXPECT_EQ(store.src, MregId{4});
    EXPECT_EQ(store.mode, isa::MaskStoreMode::pack);
    EXPECT_EQ(op_in_vf<isa::MaskStore>("mask.store [0x60] m4 norm").mode, isa::MaskStoreMode::norm);
}

TEST(ParserOps, LoadsAndStores) {
    const auto load = op_in_vf<isa::Load>("load v4:v5 u64 [0x200]");
    EXPECT_TRUE(load.dst.pair);
    EXPECT_EQ(load.dst.low, VregId{4});
    EXPECT_EQ(load.dst.high, VregId{5});
    EXPECT_EQ(load.type, ElementType::u64);
    EXPECT_EQ(load.address, UbAddress{0x200});

    const auto store = op_in_vf<isa::Store>("store [0x300] half v1 m6");
    EXPECT_EQ(store.address, UbAddress{0x300});
    EXPECT_EQ(store.type, ElementType::half);
    EXPECT_FALSE(store.src.pair);
    EXPECT_EQ(store.src.low, VregId{1});
    EXPECT_EQ(store.mask, MregId{6});

    EXPECT_EQ(load.mode, isa::LoadMode::norm);
    EXPECT_EQ(store.mode, isa::StoreMode::norm);
    for (std::size_t i = 0; i < isa::kLoadModes; ++i) {
        const auto mode = static_cast<isa::LoadMode>(i);
        const std::string line = "load v1 b16 [0x40] " + std::string(isa::name(mode));
        EXPECT_EQ(op_in_vf<isa::Load>(line).mode, mode) << line;
    }
    for (std::size_t i = 0; i < isa::kStoreModes; ++i) {
        const auto mode = static_cast<isa::StoreMode>(i);
        const std::string line = "store [0x40] b16 v1:v2 m5 " + std::string(isa::name(mode));
        EXPECT_EQ(op_in_vf<isa::Store>(line).mode, mode) << line;
        EXPECT_EQ(op_in_vf<isa::Store>(line).mask, MregId{5}) << line;
    }
    EXPECT_TRUE(op_in_vf<isa::Store>("store [0x40] b16 v1:v2 intlv_b16").src.pair) << "no mask to ignore";
    EXPECT_EQ(op_in_vf<isa::Store>("store [0x40] u8 v1 first_element_b8").mode, isa::StoreMode::first_element_b8);

    const auto block_load = op_in_vf<isa::BlockLoad>("load.block v9 float [0x400] stride=8 m1");
    EXPECT_EQ(block_load.dst, VregId{9});
    EXPECT_EQ(block_load.type, ElementType::f32);
    EXPECT_EQ(block_load.address, UbAddress{0x400});
    EXPECT_EQ(block_load.stride, 8);
    EXPECT_EQ(block_load.mask, MregId{1});

    const auto block_store = op_in_vf<isa::BlockStore>("store.block [0x500] u8 v2 stride=0 m0");
    EXPECT_EQ(block_store.address, UbAddress{0x500});
    EXPECT_EQ(block_store.type, ElementType::u8);
    EXPECT_EQ(block_store.src, VregId{2});
    EXPECT_EQ(block_store.stride, 0);
}

TEST(ParserOps, GathersAndScatters) {
    const auto same = op_in_vf<isa::Gather>("gather v1 half [0x400] v0 u16 m0");
    EXPECT_EQ(same.dst_type, ElementType::half);
    EXPECT_EQ(same.src_type, ElementType::half);
    EXPECT_EQ(same.index_type, ElementType::u16);
    EXPECT_EQ(same.base, UbAddress{0x400});
    EXPECT_EQ(same.index.low, VregId{0});

    const auto widened = op_in_vf<isa::Gather>("gather v1 s16 [0x400] s8 v0 u16 m7");
    EXPECT_EQ(widened.dst_type, ElementType::s16);
    EXPECT_EQ(widened.src_type, ElementType::s8);
    EXPECT_EQ(widened.mask, MregId{7});

    const auto pairs = op_in_vf<isa::Gather>("gather v1:v9 s64 [0] v31:v0 u64 m0");
    EXPECT_TRUE(pairs.dst.pair);
    EXPECT_EQ(pairs.dst.high, VregId{9});
    EXPECT_TRUE(pairs.index.pair);
    EXPECT_EQ(pairs.index.low, VregId{31});

    const auto block = op_in_vf<isa::GatherBlock>("gather.block v1 b32 [0x20] v2 m3");
    EXPECT_EQ(block.dst, VregId{1});
    EXPECT_EQ(block.base, UbAddress{0x20});
    EXPECT_EQ(block.index, VregId{2});
    EXPECT_EQ(block.mask, MregId{3});

    const auto reg = op_in_vf<isa::GatherRegister>("gather.reg v1 bf16 v2 v3");
    EXPECT_EQ(reg.type, ElementType::bf16);
    EXPECT_EQ(reg.dst, VregId{1});
    EXPECT_EQ(reg.src, VregId{2});
    EXPECT_EQ(reg.index, VregId{3});

    const auto scatter = op_in_vf<isa::Scatter>("scatter [0x800] u64 v2:v3 v4 u32 m1");
    EXPECT_EQ(scatter.base, UbAddress{0x800});
    EXPECT_EQ(scatter.type, ElementType::u64);
    EXPECT_TRUE(scatter.src.pair);
    EXPECT_FALSE(scatter.index.pair);
    EXPECT_EQ(scatter.index_type, ElementType::u32);
    EXPECT_EQ(scatter.mask, MregId{1});
}

TEST(ParserOps, Arithmetic) {
    const auto add = op_in_vf<isa::Add>("add v1 s32 v2 v3 m4");
    EXPECT_EQ(add.type, ElementType::s32);
    EXPECT_EQ(add.dst, VregId{1});
    EXPECT_EQ(add.a, VregId{2});
    EXPECT_EQ(add.b, VregId{3});
    EXPECT_EQ(add.mask, MregId{4});
    EXPECT_EQ(op_in_vf<isa::Adds>("adds v1 half v2 1.5 m0").scalar, 0x3E00u);
    EXPECT_EQ(op_in_vf<isa::Adds>("adds v1 s16 v2 -1 m0").scalar, 0xFFFFu);
    EXPECT_EQ(op_in_vf<isa::Adds>("adds v1 float v2 0x7F800001 m0").scalar, 0x7F800001u);
    EXPECT_EQ(op_in_vf<isa::Duplicate>("dup v1 e5m2 0x3c").scalar, 0x3Cu);
    EXPECT_EQ(op_in_vf<isa::Duplicate>("dup v1 float -0.0").scalar, 0x80000000u);
    EXPECT_EQ(op_in_vf<isa::Duplicate>("dup v1 float 1").mask, std::nullopt);
    EXPECT_EQ(op_in_vf<isa::Duplicate>("dup v1 float 1 m3").mask, MregId{3});
    const auto move = op_in_vf<isa::Move>("move v1 half v2 m3");
    EXPECT_EQ(move.dst, VregId{1});
    EXPECT_EQ(move.type, ElementType::half);
    EXPECT_EQ(move.src, VregId{2});
    EXPECT_EQ(move.mask, MregId{3});
    EXPECT_EQ(op_in_vf<isa::Move>("move v1 half v2").mask, std::nullopt);
    EXPECT_EQ(op_in_vf<isa::Barrier>("barrier SV_ALL").kind, isa::BarrierKind::sv_all);
}

TEST(ParserOps, TensorScatterHasThreeForms) {
    const auto count =
        op_outside<isa::TensorScatter>("tensor.scatter half dst=0x20 src=0x40 offset=0x60 base=8 count=9");
    EXPECT_EQ(count.form, isa::TensorScatterForm::count);
    EXPECT_EQ(count.dst, UbAddress{0x20});
    EXPECT_EQ(count.src, UbAddress{0x40});
    EXPECT_EQ(count.offset, UbAddress{0x60});
    EXPECT_EQ(count.base, 8);
    EXPECT_EQ(count.count, 9);

    const auto mask = op_outside<isa::TensorScatter>("tensor.scatter half dst=0 src=0 offset=0 base=0 mask=128");
    EXPECT_EQ(mask.form, isa::TensorScatterForm::contiguous_mask);
    EXPECT_EQ(mask.mask_low, 128u);
    EXPECT_EQ(mask.repeat, 1);
    EXPECT_EQ(mask.stride, 8);

    const auto bits = op_outside<isa::TensorScatter>(
        "tensor.scatter u8 dst=0 src=0 offset=0 base=0 bits=0xFFFFFFFFFFFFFFFF,18446744073709551615 repeat=256");
    EXPECT_EQ(bits.form, isa::TensorScatterForm::bit_mask);
    EXPECT_EQ(bits.mask_low, ~std::uint64_t{0});
    EXPECT_EQ(bits.mask_high, ~std::uint64_t{0});
    EXPECT_EQ(bits.repeat, 256);
    EXPECT_EQ(bits.stride, 4) << "8-bit elements advance by four blocks";

    const auto add = op_outside<isa::TensorAdd>("tensor.add float dst=0x20000 src0=0 src1=0x10100 count=4096");
    EXPECT_EQ(add.dst, UbAddress{0x20000});
    EXPECT_EQ(add.src1, UbAddress{0x10100});
    EXPECT_EQ(add.count, 4096);
}

TEST(ParserOps, NumbersAndTypesAreTheModelsToJudge) {
    EXPECT_EQ(op_in_vf<isa::Load>("load v32 e4m3 [-1]").dst.low, VregId{32});
    EXPECT_EQ(op_in_vf<isa::Load>("load v9223372036854775807 u8 [0]").dst.low, VregId{INT64_MAX});
    EXPECT_EQ(op_in_vf<isa::CreateMask>("mask.create m8 u64 ALL").dst, MregId{8});
    EXPECT_EQ(op_in_vf<isa::MaskGen>("mask.gen m0 hif8 v0 part=16").type, ElementType::hif8);
    EXPECT_EQ(op_in_vf<isa::Load>("load v0 u8 [0xFFFFFFFFFFFFFFFF]").address, UbAddress{-1});
    EXPECT_EQ(op_in_vf<isa::Load>("load v0 u8 [-9223372036854775808]").address, UbAddress{INT64_MIN});
}

TEST(ParserOps, EveryTableEntryNamesItsOpAsTheModelDoes) {
    for (const OpStatementInfo& info : op_statements()) {
        EXPECT_THAT(info.form, StartsWith(info.name + " "));
        bool known = false;
        for (std::size_t k = 0; k < isa::kOpKinds; ++k) known |= isa::name(static_cast<isa::OpKind>(k)) == info.name;
        EXPECT_TRUE(known) << info.name;
    }
    EXPECT_EQ(op_statements().size(), isa::kOpKinds - 2) << "every op but the two that delimit a vf";
}

// ---- values

TEST(ParserValues, PatternsAndValues) {
    const auto of = [](const std::string& text) {
        return listed(only_statement<DataStatement>("data 0 " + text).values);
    };
    using Elements = std::vector<std::uint64_t>;
    EXPECT_EQ(of("half 0 1 -0.0 inf -inf 65504 0x7E01"), (Elements{0, 0x3C00, 0x8000, 0x7C00, 0xFC00, 0x7BFF, 0x7E01}));
    EXPECT_EQ(of("half 2049 2051"), (Elements{0x6800, 0x6802})) << "ties go to the even neighbour";
    EXPECT_EQ(of("float 0.1 1e-3 16777217"), (Elements{0x3DCCCCCD, 0x3A83126F, 0x4B800000}));
    EXPECT_EQ(of("bf16 1 -2"), (Elements{0x3F80, 0xC000}));
    EXPECT_EQ(of("s8 -128 127 0xFF"), (Elements{0x80, 0x7F, 0xFF}));
    EXPECT_EQ(of("u64 18446744073709551615 0"), (Elements{~std::uint64_t{0}, 0}));
    EXPECT_EQ(of("s64 -9223372036854775808"), (Elements{std::uint64_t{1} << 63}));
    EXPECT_EQ(of("b8 255 -128 0x1"), (Elements{0xFF, 0x80, 1}));
    EXPECT_EQ(of("e4m3 0x3C 0Xff"), (Elements{0x3C, 0xFF}));
    EXPECT_EQ(of("u16 1 0x0002"), (Elements{1, 2}));
    EXPECT_EQ(of("s16 1 -1"), (Elements{1, 0xFFFF})) << "lists hold literals only: two items";
}

TEST(ParserValues, ErrorsSayWhatTheTypeTakes) {
    const auto error = [](const std::string& text) { return error_of("data 0 " + text); };
    EXPECT_EQ(error("half 1 70000"),
              "1:15: found '70000', expected a value of half that rounds to at most 65504 in size");
    EXPECT_EQ(error("u8 -1"), "1:11: found '-1', expected a value of u8, 0 to 255");
    EXPECT_EQ(error("s8 128"), "1:11: found '128', expected a value of s8, -128 to 127");
    EXPECT_EQ(error("u64 18446744073709551616"),
              "1:12: found '18446744073709551616', expected a value of u64, 0 to 18446744073709551615");
    EXPECT_EQ(error("u8 0x100"), "1:11: found '0x100', expected at most 2 hex digits for u8");
    EXPECT_EQ(error("u64 0x10000000000000000"),
              "1:12: found '0x10000000000000000', expected at most 16 hex digits for u64");
    EXPECT_THAT(error("u8 0xG0"), StartsWith("1:11: found '0xG0', expected hex digits after 0x"));
    EXPECT_THAT(error("u8 1.5"), StartsWith("1:11: found '1.5', expected a value (an integer, or a bit pattern 0x…)"));
    EXPECT_THAT(error("half one"), StartsWith("1:13: found 'one', expected a value (a decimal number, nan, inf"));
    EXPECT_THAT(error("hif8 1"), StartsWith("1:13: found '1', expected a bit pattern 0x…: hif8 has no decimal values"));
    EXPECT_THAT(error("half"), StartsWith("1:12: found end of file, expected a value"));
    EXPECT_THAT(error("half 1 n"), StartsWith("1:15: found 'n', expected a value"));
    EXPECT_THAT(error("half 1 (1)"), StartsWith("1:15: found '(1)', expected a value"));
}

// ---- expressions

std::int64_t value_of(const std::string& expression) {
    return *only_statement<LetStatement>("let x = " + expression).value.constant();
}

TEST(ParserExpressions, PrecedenceSignsAndBlanks) {
    EXPECT_EQ(value_of("2+3*4"), 14);
    EXPECT_EQ(value_of("(2 + 3)*4"), 20) << "blanks inside parentheses only";
    EXPECT_EQ(value_of("2-3-4"), -5);
    EXPECT_EQ(value_of("-2*-3"), 6);
    EXPECT_EQ(value_of("2--3"), 5);
    EXPECT_EQ(value_of("-(1 + ( 2*3 ) )"), -7);
    EXPECT_EQ(value_of("0x10+0X0f"), 31);
}

TEST(ParserExpressions, Limits) {
    EXPECT_EQ(value_of("-9223372036854775808"), INT64_MIN);
    EXPECT_EQ(value_of("9223372036854775807"), INT64_MAX);
    EXPECT_EQ(value_of("0xFFFFFFFFFFFFFFFF"), -1) << "a hex literal is a bit pattern";
    EXPECT_EQ(error_of("let x = 9223372036854775808"),
              "1:9: found '9223372036854775808', expected a number that fits 64 bits, signed");
    EXPECT_EQ(error_of("let x = 9223372036854775807+1"),
              "1:9: found an expression that overflows, expected one that fits 64 bits, signed");
    EXPECT_THAT(error_of("let x = -9223372036854775808-1"), HasSubstr("overflows"));
    EXPECT_THAT(error_of("let x = 4294967296*2147483648"), HasSubstr("overflows"));
    EXPECT_THAT(error_of("let x = -(-9223372036854775808)"), HasSubstr("overflows"));
    EXPECT_THAT(error_of("let a = 4294967296\nlet x = a*a"), StartsWith("2:9: found an expression that overflows"));
    EXPECT_THAT(error_of("let x = 99999999999999999999"), HasSubstr("an integer of at most 64 bits"));
}

TEST(ParserExpressions, Malformed) {
    EXPECT_THAT(error_of("let x = 1+"), StartsWith("1:11: found end of file, expected a number, a name or '('"));
    EXPECT_THAT(error_of("let x = (1"), StartsWith("1:9: found '(' that is not closed"));
    EXPECT_THAT(error_of("let x = 1)"), StartsWith("1:10: found ')', expected an operator (+ - *) or the end"));
    EXPECT_THAT(error_of("let x = 1/2"), StartsWith("1:10: found '/2', expected an operator (+ - *)"));
    EXPECT_THAT(error_of("let x = 1 + 2"), StartsWith("1:11: found '+', expected end of line"));
    EXPECT_THAT(error_of("let x = 12ab"), StartsWith("1:9: found '12ab', expected an integer"));
    EXPECT_THAT(error_of("let x = y"), StartsWith("1:9: found 'y', expected the name of a let or a loop"));
    EXPECT_THAT(error_of("let count = 3\nlet x = cuont"), HasSubstr("did you mean 'count'?"));
    EXPECT_THAT(error_of("let x = 1.5"), StartsWith("1:10: found '.5', expected an operator"));
}

TEST(ParserExpressions, DeepNestingIsAnError) {
    const auto nested = [](std::size_t depth) {
        return "let x = " + std::string(depth, '(') + "1" + std::string(depth, ')');
    };
    EXPECT_EQ(error_of(nested(150)), "");
    EXPECT_THAT(error_of(nested(100'000)), HasSubstr("nests more than 200 deep"));
    EXPECT_THAT(error_of("let x = " + std::string(100'000, '-') + "n"), HasSubstr("nests more than 200 deep"));
    std::string right = "1";
    for (int i = 0; i < 190; ++i) right = "(1+1*" + right + ")";
    EXPECT_EQ(value_of(right), 191);
}

// ---- statements

TEST(ParserStatements, UnknownNamesSuggestTheNearest) {
    EXPECT_EQ(error_of("vf {\n  gatehr v1 half [0] v0 u16 m0\n}"),
              "2:3: found 'gatehr', expected a statement, did you mean 'gather'?");
    EXPECT_EQ(error_of("xyzzy"), "1:1: found 'xyzzy', expected a statement");
    EXPECT_THAT(error_of("data 0 hlaf 1"), HasSubstr("did you mean 'half'?"));
    EXPECT_THAT(error_of("vf {\nmask.create m0 b16 VL3O\n}"), HasSubstr("did you mean 'VL3'?"));
    EXPECT_THAT(error_of("vf {\nbarrier VST_VDL\n}"), HasSubstr("did you mean 'VST_VLD'?"));
    EXPECT_THAT(error_of("vf {\nload.block v0 half [0] strid=1 m0\n}"),
                StartsWith("2:24: found option 'strid', expected stride=, did you mean 'stride'?"));
    EXPECT_THAT(error_of("vf {\nload v0 u8 [0] dintlv_b61\n}"), HasSubstr("did you mean 'dintlv_b16'?"));
    EXPECT_THAT(error_of("vf {\nstore [0] u16 v0\n}"), StartsWith("2:17: found end of line, expected a mask register"));
    EXPECT_THAT(error_of("vf {\nstore [0] u16 v0 pack_b16\n}"),
                StartsWith("2:18: found 'pack_b16', expected a mask register before the mode"));
    EXPECT_THAT(error_of("vf {\nstore [0] u16 v0 m0 pakc_b16\n}"), HasSubstr("did you mean 'pack_b16'?"));
    EXPECT_THAT(error_of("expect.fault bad-prat\nvf {\n}"), HasSubstr("did you mean 'bad-part'?"));
}

TEST(ParserStatements, OperandsThatAreMissingOrTooMany) {
    EXPECT_EQ(error_of("vf {\n  load v0 u16\n}"),
              "2:14: found end of line, expected an address in brackets, as [0x400] (form: load vD TYPE [A] [MODE])");
    EXPECT_THAT(error_of("vf {\n  load v0 u16 [0] m0\n}"),
                StartsWith("2:19: found 'm0', expected a load mode (norm brc_b8"));
    EXPECT_THAT(error_of("vf {\n  load m0 u16 [0]\n}"), StartsWith("2:8: found 'm0', expected a vector register"));
    EXPECT_THAT(error_of("vf {\n  store [0] u16 v0 v1\n}"), StartsWith("2:20: found 'v1', expected a mask register"));
    EXPECT_THAT(error_of("vf {\n  load v0: u16 [0]\n}"), StartsWith("2:8: found 'v0:', expected a pair"));
    EXPECT_THAT(error_of("vf {\n  load v99999999999999999999 u16 [0]\n}"),
                HasSubstr("a register number that fits 64 bits"));
    EXPECT_THAT(error_of("vf {\n  load v0 u16 [0]x\n}"), StartsWith("2:18: found 'x', expected a blank after ']'"));
    EXPECT_THAT(error_of("vf {\n  load v0 u16 [0x400\n}"),
                StartsWith("2:15: found '[' that is not closed, expected ']'"));
    EXPECT_THAT(error_of("vf {\n  mask.gen m0 b16 v0\n}"),
                StartsWith("2:21: found end of line, expected option part="));
    EXPECT_THAT(error_of("vf {\n  mask.gen m0 b16 v0 part=1 part=2\n}"), HasSubstr("found option 'part' twice"));
    EXPECT_THAT(error_of("vf {\n  mask.gen m0 b16 v0 part= 1\n}"), HasSubstr("found nothing after 'part='"));
    EXPECT_THAT(error_of("vf {\n  dup v0 half 1 x=2\n}"),
                HasSubstr("found option 'x', expected none in this statement"));
    EXPECT_THAT(error_of("fill 0 b8 1 2 3"), StartsWith("1:15: found '3', expected end of line"));
}

TEST(ParserStatements, TensorScatterTakesOneForm) {
    const std::string start = "tensor.scatter half dst=0 src=0 offset=0 base=0";
    EXPECT_THAT(error_of(start), HasSubstr("found end of file, expected exactly one of count=, mask= and bits="));
    EXPECT_THAT(error_of(start + " count=1 mask=1"), HasSubstr("expected exactly one of count=, mask= and bits="));
    EXPECT_THAT(error_of(start + " count=1 repeat=2"), HasSubstr("found repeat= beside count="));
    EXPECT_THAT(error_of(start + " bits=1"), HasSubstr("expected two numbers with a comma between them"));
    EXPECT_THAT(error_of("tensor.scatter half src=0 offset=0 base=0 count=1"), HasSubstr("expected option dst="));
}

TEST(ParserStatements, RegionsAreKept) {
    EXPECT_EQ(error_of("load v0 u16 [0]"), "1:1: found 'load' outside vf { }, expected it inside only");
    EXPECT_EQ(error_of("vf {\n  data 0 u8 1\n}"), "") << "scalars write between ops";
    EXPECT_EQ(error_of("vf {\n  fill 0 u8 1 1\n}"), "2:3: found 'fill' inside vf { }, expected it outside only");
    EXPECT_EQ(error_of("vf {\n  for i in 0..2 {\n    let n = 1\n  }\n}"),
              "3:5: found 'let' inside vf { }, expected it outside only");
    EXPECT_THAT(error_of("vf {\nvf {\n}\n}"), StartsWith("2:1: found 'vf' inside vf { }"));
    EXPECT_THAT(error_of("vf {\ntensor.add float dst=0 src0=0 src1=0 count=1\n}"), HasSubstr("inside vf { }"));
    for (const char* statement : {"dump 0 u8 1", "expect 0 u8 1", "fill 0 u8 1 1", "on_fault stop", "mte.in 0 32"}) {
        EXPECT_THAT(error_of(std::string("vf {\n") + statement + "\n}"), HasSubstr("inside vf { }")) << statement;
    }
}

TEST(ParserStatements, Braces) {
    EXPECT_EQ(error_of("vf {\n  for i in 0..2 {\n  }\n"), "4:1: found end of file, expected '}' for the '{' of line 1")
        << "the position is where the text ends";
    EXPECT_EQ(error_of("}"), "1:1: found '}', expected a statement");
    EXPECT_THAT(error_of("vf\n{\n}"), StartsWith("1:3: found end of line, expected repeat=N or '{'"));
    EXPECT_THAT(error_of("vf { load v0 u16 [0]\n}"), StartsWith("1:6: found 'load', expected end of line after '{'"));
    EXPECT_THAT(error_of("vf {\n} dump v0 u8"), StartsWith("2:3: found 'dump', expected end of line after '}'"));
    EXPECT_EQ(error_of("vf{\n}"), "");
    EXPECT_EQ(error_of("vf repeat=3{\n}"), "");
}

TEST(ParserStatements, DeepBlocksAreAnError) {
    std::string text;
    for (int i = 0; i < 5000; ++i) text += fmt::format("for i{} in 0..1 {{\n", i);
    EXPECT_THAT(error_of(text), HasSubstr("found more than 100 nested blocks"));
}

TEST(ParserStatements, ForAndItsNames) {
    EXPECT_EQ(error_of("for i in 0..3 {\n}\nfor i in 0..3 {\n}"), "") << "one after the other";
    EXPECT_EQ(error_of("for i in 0..3 {\nfor i in 0..3 {\n}\n}"),
              "2:5: found 'i', expected a new name: this one is taken by the loop in line 1");
    EXPECT_THAT(error_of("let i = 1\nfor i in 0..3 {\n}"), StartsWith("2:5: found 'i', expected a new name"));
    EXPECT_THAT(error_of("let i = 1\nlet i = 2"), StartsWith("2:5: found 'i', expected a new name"));
    EXPECT_THAT(error_of("for k in 0..2 {\nlet i = 1\n}\nlet i = 2"),
                StartsWith("4:5: found 'i', expected a new name"));
    EXPECT_THAT(error_of("for k in 0..2 {\nlet i = 1\n}\nlet j = i"), StartsWith("4:9: found 'i', expected the name"))
        << "a name is known up to the end of its block";
    EXPECT_THAT(error_of("for k in 0..2 {\n}\nlet j = k"), StartsWith("3:9: found 'k', expected the name"));
    EXPECT_THAT(error_of("let v3 = 1"), StartsWith("1:5: found 'v3', expected a name that is no register"));
    EXPECT_THAT(error_of("for 3 in 0..2 {\n}"), StartsWith("1:5: found '3', expected the name of a loop variable"));
    EXPECT_THAT(error_of("for i of 0..2 {\n}"), StartsWith("1:7: found 'of', expected 'in'"));
    EXPECT_THAT(error_of("for i in 0-2 {\n}"), StartsWith("1:10: found '0-2', expected a range"));
    EXPECT_THAT(error_of("for i in 0.. {\n}"), HasSubstr("expected a range"));
    EXPECT_EQ(error_of("let n=3\nfor i in (n - 1)..n*2+(1 + 1) {\n}"), "");
    EXPECT_THAT(error_of("vf {\nfor i in 0..2 {\nmask.update m0 b16 i\n}\n}"), HasSubstr("which is a loop variable"));
}

TEST(ParserStatements, ManyNames) {
    constexpr int kNames = 100'000;
    std::string text = "let n0 = 1\n";
    for (int i = 1; i < kNames; ++i) text += fmt::format("let n{} = n{}\n", i, i - 1);
    EXPECT_EQ(parse_program(text).slots, static_cast<std::size_t>(kNames));
    EXPECT_EQ(error_of("for i in 0..1 {\n}\nfor i in 0..1 {\n let a = i\n}\nlet i = 1"), "");
    EXPECT_THAT(error_of("for i in 0..1 {\n let a = i\n}\nlet a = 1"), HasSubstr("taken by the let in line 2"));
    EXPECT_THAT(error_of("for i in 0..1 {\n let a = i\n}\nfill a u8 1 1"), HasSubstr("expected the name of a let"));
}

TEST(ParserStatements, ExpectFaultNeedsAStatementThatCanBeRefused) {
    const std::string message = "found expect.fault with nothing to watch";
    EXPECT_THAT(error_of("expect.fault bad-part"), StartsWith("1:1: " + message));
    EXPECT_THAT(error_of("expect.fault bad-part\nlet n = 1"), StartsWith("1:1: " + message));
    EXPECT_THAT(error_of("expect.fault bad-part\nexpect.fault bad-part\nvf {\n}"), StartsWith("1:1: " + message));
    EXPECT_THAT(error_of("vf {\nexpect.fault bad-part\n}"), StartsWith("2:1: " + message));
    EXPECT_THAT(error_of("expect.fault bad-part\nfor i in 0..1 {\n}"), StartsWith("1:1: " + message));
    EXPECT_THAT(error_of("expect.fault hazard\nvf {\n}"),
                StartsWith("1:14: found 'hazard', expected the id of an error"));
    EXPECT_EQ(error_of("expect.fault bad-part\n\n# a comment between\nvf {\n}"), "");
}

TEST(ParserStatements, ExpectCyclesFollowsSomethingWithCycles) {
    EXPECT_THAT(error_of("expect.cycles 1..2"), HasSubstr("found expect.cycles after nothing that takes cycles"));
    EXPECT_THAT(error_of("data 0 u8 1\nexpect.cycles 1..2"), HasSubstr("after nothing that takes cycles"));
    EXPECT_EQ(error_of("vf {\n}\nexpect.cycles 1..2"), "");
    EXPECT_EQ(error_of("mte.in 0 32\nexpect.cycles 1..2"), "");
    EXPECT_EQ(error_of("vf {\ndup v0 u8 1\nexpect.cycles 1..2\n}"), "");
}

TEST(ParserStatements, Transfers) {
    const auto in = only_statement<TransferStatement>("mte.in 0x40 64 \"a b.bin\" offset=32 at=100");
    EXPECT_EQ(in.direction, timing::Direction::write);
    EXPECT_EQ(in.path->name, "a b.bin");
    EXPECT_EQ(in.offset.constant(), 32);
    EXPECT_EQ(in.at->constant(), 100);
    const auto out = only_statement<TransferStatement>("mte.out 0x40 64");
    EXPECT_EQ(out.direction, timing::Direction::read);
    EXPECT_FALSE(out.path);
    EXPECT_FALSE(out.at);
    EXPECT_THAT(error_of("mte.in 0 32 offset=3"), HasSubstr("found offset= without a path"));
    EXPECT_THAT(error_of("mte.in 0 32 \"\""), HasSubstr("found an empty path"));
    EXPECT_THAT(error_of("mte.in 0 32 file.bin"), StartsWith("1:13: found 'file.bin', expected end of line"));
    EXPECT_THAT(error_of("file 0 \"x.bin"), StartsWith("1:8: found a string that does not end"));
    EXPECT_THAT(error_of("file 0 x.bin"), StartsWith("1:8: found 'x.bin', expected a path in quotes"));
}

TEST(ParserStatements, Places) {
    EXPECT_EQ(std::get<MregId>(only_statement<DumpStatement>("dump m3 b8").place), MregId{3});
    EXPECT_EQ(std::get<VectorPlace>(only_statement<DumpStatement>("dump v3 half 8").place).low, VregId{3});
    EXPECT_TRUE(std::get<VectorPlace>(only_statement<DumpStatement>("dump v3:v4 s64").place).pair);
    EXPECT_THAT(error_of("dump v3:v4 half"), HasSubstr("found a pair of registers, expected a type of 64 bits"));
    EXPECT_THAT(error_of("dump 0x10 half"), HasSubstr("expected the number of elements"));
    EXPECT_THAT(error_of("dump 0x10 half -1"), HasSubstr("found -1, expected the number of elements to be 0 or more"));
    EXPECT_THAT(error_of("expect v3 half"), HasSubstr("expected a value"));
    EXPECT_THAT(error_of("data v3 half 1"), HasSubstr("found 'v3', expected the name of a let or a loop"));
}

TEST(ParserStatements, Iota) {
    const auto data = only_statement<DataStatement>("data 0 u16 iota 128 start=127 step=-1");
    const auto& iota = std::get<Iota>(data.values.elements);
    EXPECT_EQ(iota.count.constant(), 128);
    EXPECT_EQ(iota.start.constant(), 127);
    EXPECT_EQ(iota.step.constant(), -1);
    EXPECT_FALSE(iota.real);
    const auto real = only_statement<DataStatement>("data 0 half iota 4 step=0.25");
    EXPECT_EQ(std::get<Iota>(real.values.elements).real->step, 0.25);
    EXPECT_THAT(error_of("data 0 u16 iota 4 step=0.25"), HasSubstr("found '.25', expected an operator"));
    EXPECT_THAT(error_of("data 0 u16 iota"), HasSubstr("expected the number of elements"));
    EXPECT_THAT(error_of("data 0 u16 1 2 start=3"),
                StartsWith("1:22: found start= beside a list of values, expected it with iota only"));
    EXPECT_THAT(error_of("data 0 u16 iota -4"), HasSubstr("expected the number of elements to be 0 or more"));
}

// ---- text

TEST(ParserText, LinesMayEndInAnyWay) {
    EXPECT_EQ(error_of(""), "");
    EXPECT_EQ(error_of("\n\n  \n\t\n# only a comment"), "");
    EXPECT_EQ(error_of("let n = 1\r\nlet k = n\r\n"), "");
    EXPECT_EQ(error_of("let n = 1"), "") << "no end of the last line";
    EXPECT_EQ(error_of("let n = 1\r"), "");
    EXPECT_EQ(error_of("\tlet\tn\t=\t1\t# tabs\n"), "");
    EXPECT_EQ(error_of("let n = 1# a comment needs no blank"), "");
    EXPECT_EQ(error_of("\xEF\xBB\xBFlet n = 1"), "") << "a byte order mark";
    EXPECT_EQ(error_of("# Größe 尺寸\nlet n = 1"), "");
    EXPECT_EQ(error_of("let n=1\nlet k= 2\nlet l =3\n"), "");
    EXPECT_THAT(error_of("let n = 1\rlet k = 2"), HasSubstr("\\x0d"));
}

TEST(ParserText, PositionsCountCharacters) {
    EXPECT_THAT(error_of("\xEF\xBB\xBF@"), StartsWith("1:1: found '@'"));
    EXPECT_THAT(error_of("file 0 \"größe.bin\" x"), StartsWith("1:20: found 'x'"));
    EXPECT_THAT(error_of("\t\tfoo"), StartsWith("1:3: found 'foo'"));
    EXPECT_THAT(error_of("\r\n\r\n  foo"), StartsWith("3:3: found 'foo'"));
    EXPECT_THAT(error_of(std::string("da\0ta", 5)), StartsWith("1:1: found 'da\\x00ta', expected a statement"));
    EXPECT_THAT(error_of(std::string(1000, 'x')), StartsWith("1:1: found '" + std::string(40, 'x') + "…'"));
}

TEST(ParserText, LinesOfMegabytes) {
    std::string text = "data 0 u16";
    constexpr std::size_t kElements = 1'000'000;
    for (std::size_t i = 0; i < kElements; ++i) text += " 12345";
    EXPECT_EQ(listed(only_statement<DataStatement>(text).values).size(), kElements);
    EXPECT_THAT(error_of(text + " x"), StartsWith(fmt::format("1:{}: found 'x'", 10 + 6 * kElements + 2)));
    EXPECT_EQ(error_of("# " + std::string(5'000'000, 'c')), "");
}

// ---- the number of ops

TEST(ParserLimits, AbsurdCountsAreRefusedBeforeTheStart) {
    const std::string message = "found more than 10000000000 executed ops";
    EXPECT_THAT(error_of("vf repeat=10000000001 {\n}"), HasSubstr(message));
    EXPECT_EQ(error_of("vf repeat=10000000000 {\ndup v0 u8 1\n}"), "") << "just as many as may be";
    EXPECT_THAT(error_of("vf repeat=10000000000 {\ndup v0 u8 1\n}\nmte.in 0 32"), StartsWith("4:1: " + message));
    EXPECT_THAT(error_of("for i in 0..9223372036854775807 {\n}"), HasSubstr(message));
    EXPECT_THAT(error_of("for i in -9223372036854775808..9223372036854775807 {\n}"), HasSubstr(message));
    EXPECT_THAT(error_of("for i in 0..1000000 {\nfor j in 0..1000000 {\nmte.in 0 32\n}\n}"), HasSubstr(message));
    EXPECT_THAT(error_of("for i in 0..200000 {\nfor j in 0..i {\nmte.in 0 32\n}\n}"), HasSubstr(message))
        << "a triangle of 2 * 10^10";
    EXPECT_EQ(error_of("for i in 0..100000 {\nfor j in 0..i {\nmte.in 0 32\n}\n}"), "") << "half of 10^10";
    EXPECT_EQ(error_of("for i in 3..0 {\nfor j in 0..9223372036854775807 {\n}\n}"), "") << "never executed";
    EXPECT_EQ(error_of("vf repeat=-1 {\n}"), "1:11: found -1, expected the number of calls to be 0 or more");
}

// ---- anything at all

/// Broken pieces of a good program: an error with a place in the text, or a program; never a crash or another
/// exception.
TEST(ParserText, BrokenProgramsAreParsedOrRefused) {
    const std::string good =
        "let n = 300\ndata 0x400 half 0 1 -0.0 nan\ndata 0 u16 iota 128 start=127 step=-1\nfill 0x800 b8 256 0xCD\n"
        "expect.fault bad-part\nvf repeat=2 {\n for i in 0..3 {\n  mask.update m0 b16 n\n  load v0 u16 [0x0 + i*256]\n"
        "  gather v1 half [0x400] v0 u16 m0\n  store [0x800 + i*256] half v1 m0\n }\n}\nexpect.cycles 1..2\n"
        "tensor.scatter half dst=0x2000 src=0x400 offset=0x3000 base=0 bits=1,2 repeat=3 stride=0\n"
        "dump v4:v5 u64\nmte.out 0 64 \"f\" offset=(n + 1) at=3\n";
    const std::string alphabet = "{}[]()#\"=.,:*+-0x19vmn \t\r\n\\\xC3\x28";
    const unsigned seed = std::random_device{}();
    SCOPED_TRACE(fmt::format("seed {}", seed));
    std::mt19937 random(seed);
    int refused = 0;
    for (int round = 0; round < 20'000; ++round) {
        std::string text = good;
        for (unsigned edits = 1 + random() % 4; edits > 0 && !text.empty(); --edits) {
            const std::size_t at = random() % text.size();
            switch (random() % 4) {
                case 0: text[at] = alphabet[random() % alphabet.size()]; break;
                case 1: text.insert(at, 1, alphabet[random() % alphabet.size()]); break;
                case 2: text.erase(at, 1 + random() % 5); break;
                default: text.resize(at + 1); break;
            }
        }
        const std::size_t lines = 2 + static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
        try {
            parse_program(text);
        } catch (const ProgramError& error) {
            ++refused;
            ASSERT_GE(error.where().line, 1u) << text;
            ASSERT_LE(error.where().line, lines) << text;
            ASSERT_GE(error.where().column, 1u) << error.what() << "\n" << text;
            ASSERT_THAT(error.what(), HasSubstr("expected")) << text;
        }
    }
    EXPECT_GT(refused, 10'000);
}

/// Text of every kind of op, as the parser reads it and statement_of() writes it.
TEST(Parser, OpsAreWrittenAsTheyAreRead) {
    for (const char* const text : {
             "mask.create m1 b16 VL8",
             "mask.update m2 b32 n",
             "mask.gen m3 b16 v4 part=7",
             "mask.load m1 [0x40] us",
             "mask.store [0x40] m2 pack",
             "load v1 half [0x100]",
             "load v1:v2 u64 [0x100]",
             "store [0x100] float v3 m1",
             "store [0x100] s64 v3:v4 m1",
             "load.block v1 u8 [0x20] stride=3 m2",
             "store.block [0x20] u8 v1 stride=0 m2",
             "gather v1 half [0x400] v0 u16 m0",
             "gather v1 s16 [0x400] s8 v0 u16 m0",
             "gather v1:v2 u64 [0x400] v3:v4 u64 m0",
             "gather.block v1 u8 [0x400] v0 m0",
             "gather.reg v1 half v2 v3",
             "scatter [0x400] half v1 v0 u16 m0",
             "add v1 float v2 v3 m0",
             "adds v1 half v2 0x3c00 m0",
             "dup v1 s32 0xffffffff",
             "barrier VST_VLD",
             "load v1 half [0x100] brc_b16",
             "load v1:v2 half [0x100] dintlv_b16",
             "store [0x100] half v1 m2 pack_b16",
             "store [0x100] half v1:v2 intlv_b16",
             "dup v1 s32 0x1 m3",
             "move v1 half v2",
             "move v1 half v2 m1",
         }) {
        const Program program = parse_program("let n = 300\nvf {\n" + std::string(text) + "\n}\n");
        const auto& vf = std::get<VfStatement>(program.body.at(1).action);
        EXPECT_EQ(statement_of(std::get<OpStatement>(vf.body.at(0).action).op), text);
    }
    for (const char* const text : {
             "tensor.scatter half dst=0x2000 src=0x400 offset=0x3000 base=2 count=128",
             "tensor.scatter u8 dst=0x2000 src=0x400 offset=0x3000 base=0 mask=100 repeat=2 stride=4",
             "tensor.scatter half dst=0x2000 src=0x400 offset=0x3000 base=0 bits=0xff,0x1 repeat=1 stride=0",
             "tensor.add float dst=0x2000 src0=0x400 src1=0x3000 count=64",
         }) {
        const Program program = parse_program(text);
        EXPECT_EQ(statement_of(std::get<OpStatement>(program.body.at(0).action).op), text);
    }
}

TEST(Parser, DataInsideAVfAndRestartOutside) {
    EXPECT_EQ(error_of("vf {\n  data 0 u8 1\n}"), "");
    EXPECT_EQ(error_of("restart"), "");
    EXPECT_THAT(error_of("vf {\n  restart\n}"), StartsWith("2:3: found 'restart' inside vf"));
    EXPECT_THAT(error_of("restart 1"), StartsWith("1:9: "));
}

}  // namespace
}  // namespace vcore::runner
