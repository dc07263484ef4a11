// Every row of every table of `isa.md`, by name: what the row does on a small example worked out by hand or by a simple
// formula, and that the pairing beside it, which stands in no table, is refused.
#include <gtest/gtest.h>

#include <cctype>
#include <ostream>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "testbenches/unit/isa_bench.hpp"

namespace vcore::unit {
namespace {

using isa::DiagnosticId;
using isa::ElementType;
using isa::MaskPattern;
using isa::MregId;
using isa::Op;
using isa::UbAddress;
using isa::VectorOperand;
using isa::VregId;
using T = ElementType;

constexpr MregId m0{0};
constexpr MregId m1{1};
constexpr VregId v0{0};
constexpr VregId v1{1};
constexpr VregId v2{2};
constexpr VregId v3{3};
constexpr VregId v4{4};

const char* text_of(ElementType type) {
    switch (type) {
        case T::s8: return "s8";
        case T::u8: return "u8";
        case T::hif8: return "hif8";
        case T::e8m0: return "e8m0";
        case T::e5m2: return "e5m2";
        case T::e4m3: return "e4m3";
        case T::b8: return "b8";
        case T::s16: return "s16";
        case T::u16: return "u16";
        case T::half: return "half";
        case T::bf16: return "bf16";
        case T::b16: return "b16";
        case T::s32: return "s32";
        case T::u32: return "u32";
        case T::f32: return "float";
        case T::b32: return "b32";
        case T::s64: return "s64";
        case T::u64: return "u64";
        case T::b64: return "b64";
    }
    return "?";
}

std::size_t bytes_of(ElementType type) {
    switch (type) {
        case T::s8:
        case T::u8:
        case T::hif8:
        case T::e8m0:
        case T::e5m2:
        case T::e4m3:
        case T::b8: return 1;
        case T::s16:
        case T::u16:
        case T::half:
        case T::bf16:
        case T::b16: return 2;
        case T::s32:
        case T::u32:
        case T::f32:
        case T::b32: return 4;
        default: return 8;
    }
}

const std::vector<ElementType> kAllTypes = {T::s8,  T::u8,  T::hif8, T::e8m0, T::e5m2, T::e4m3, T::b8,
                                            T::s16, T::u16, T::half, T::bf16, T::b16,  T::s32,  T::u32,
                                            T::f32, T::b32, T::s64,  T::u64,  T::b64};

bool any_of_its_width(ElementType type) {
    return type == T::b8 || type == T::b16 || type == T::b32 || type == T::b64;
}

/// "b16" stands wherever a 16-bit type may.
bool stands_for(ElementType asked, ElementType type) {
    return asked == type || (any_of_its_width(asked) && bytes_of(asked) == bytes_of(type));
}

/// The byte the examples place at an address: no two neighbours alike, the top bit in both states.
std::uint8_t placed(std::size_t address) {
    return static_cast<std::uint8_t>(address * 37 + address / 256 * 11 + 0x28);
}

std::uint64_t placed_number(std::size_t address, std::size_t bytes) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < bytes; ++i) number |= static_cast<std::uint64_t>(placed(address + i)) << (8 * i);
    return number;
}

void place_all(Bench& bench) {
    for (std::size_t at = 0; at < bench.ub().size(); ++at) bench.ub()[at] = std::byte{placed(at)};
}

std::uint64_t lane_of(const Bench& bench, std::size_t vreg, std::size_t slot, std::size_t lane) {
    switch (slot) {
        case 1: return bench.lane<std::uint8_t>(vreg, lane);
        case 2: return bench.lane<std::uint16_t>(vreg, lane);
        case 4: return bench.lane<std::uint32_t>(vreg, lane);
        default: return bench.lane<std::uint64_t>(vreg, lane);
    }
}

void set_lane(Bench& bench, std::size_t vreg, std::size_t slot, std::size_t lane, std::uint64_t number) {
    switch (slot) {
        case 1: bench.set_lane(vreg, lane, static_cast<std::uint8_t>(number)); break;
        case 2: bench.set_lane(vreg, lane, static_cast<std::uint16_t>(number)); break;
        case 4: bench.set_lane(vreg, lane, static_cast<std::uint32_t>(number)); break;
        default: bench.set_lane(vreg, lane, number); break;
    }
}

::testing::AssertionResult accepted(const isa::Fault& fault) {
    if (!fault) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "refused: " << isa::info(fault.id).text;
}

/// Refused with `id`, and nothing moved.
::testing::AssertionResult refused(Bench& bench, Op op, DiagnosticId id) {
    const auto ub = bench.ub();
    const auto vector = bench.vector();
    const auto mask = bench.mask();
    const isa::Fault fault = bench.run(op);
    if (fault.id != id) {
        return ::testing::AssertionFailure()
               << (fault ? isa::info(fault.id).text : "accepted") << " instead of " << isa::info(id).text;
    }
    if (ub != bench.ub() || vector != bench.vector() || mask != bench.mask()) {
        return ::testing::AssertionFailure() << "a refused op changed something";
    }
    return ::testing::AssertionSuccess();
}

// ---- Gather, UB to register

enum class Form { one, two };

VectorOperand operand(Form form, VregId low, VregId high) {
    return form == Form::one ? VectorOperand(low) : VectorOperand(low, high);
}

struct GatherCase {
    const char* name;
    ElementType dst;
    ElementType src;
    ElementType index;
    ElementType neighbour_dst;  ///< with this type for dst the same op stands in no table
    std::size_t lanes;
    Form dst_form = Form::one;
    Form index_form = Form::one;

    friend std::ostream& operator<<(std::ostream& out, const GatherCase& c) { return out << c.name; }
};

Op gather_op(const GatherCase& c) {
    isa::Gather op;
    op.dst_type = c.dst;
    op.src_type = c.src;
    op.index_type = c.index;
    op.dst = operand(c.dst_form, v0, v1);
    op.index = operand(c.index_form, v2, v3);
    op.mask = m0;
    op.base = UbAddress{0x400};
    return op;
}

class GatherFromUb : public ::testing::TestWithParam<GatherCase> {
protected:
    static constexpr std::size_t kBase = 0x400;

    /// Lane i reads element 5 i + 3 (mod 251), so that no two lanes read the same one; what lies beyond the lanes in
    /// use is garbage.
    static std::size_t index_of(std::size_t lane) { return (lane * 5 + 3) % 251; }
    void place_indices() {
        bench_.vector_fill(2, 0xFF);
        bench_.vector_fill(3, 0xFF);
        for (std::size_t lane = 0; lane < GetParam().lanes; ++lane) {
            if (GetParam().index_form == Form::one) {
                set_lane(bench_, 2, bytes_of(GetParam().index), lane, index_of(lane));
            } else {
                bench_.set_lane(2, lane, static_cast<std::uint32_t>(index_of(lane)));
                bench_.set_lane(3, lane, std::uint32_t{0});
            }
        }
    }
    std::uint64_t expected(std::size_t lane) const {
        const std::size_t bytes = bytes_of(GetParam().src);
        return placed_number(kBase + index_of(lane) * bytes, bytes);
    }
    std::uint64_t found(std::size_t lane) const {
        if (GetParam().dst_form == Form::two) {
            return bench_.lane<std::uint32_t>(0, lane) | std::uint64_t{bench_.lane<std::uint32_t>(1, lane)} << 32;
        }
        return lane_of(bench_, 0, 256 / GetParam().lanes, lane);
    }
    /// Mask bits from one lane to the next: by the index, and by the form of dst for 64-bit data.
    std::size_t mask_bits() const { return 256 / GetParam().lanes; }

    Bench bench_{ascend950()};
};

TEST_P(GatherFromUb, TakesEachElementToItsLane) {
    place_all(bench_);
    place_indices();
    bench_.mask_all(0);
    ASSERT_TRUE(accepted(bench_.run(gather_op(GetParam()))));
    for (std::size_t lane = 0; lane < GetParam().lanes; ++lane)
        EXPECT_EQ(found(lane), expected(lane)) << "lane " << lane;
}

TEST_P(GatherFromUb, ReadsTheMaskAtItsOwnGrain) {
    place_all(bench_);
    place_indices();
    bench_.vector_fill(0, 0xFF);
    bench_.vector_fill(1, 0xFF);
    // Lane i is active when i is a multiple of 3; every bit that is not a lane's lowest says the opposite.
    for (std::size_t bit = 0; bit < 256; ++bit) {
        const bool lowest = bit % mask_bits() == 0;
        const bool active = bit / mask_bits() % 3 == 0;
        if (lowest == active) bench_.mask()[0].set_bit(bit);
    }
    ASSERT_TRUE(accepted(bench_.run(gather_op(GetParam()))));
    for (std::size_t lane = 0; lane < GetParam().lanes; ++lane) {
        EXPECT_EQ(found(lane), lane % 3 == 0 ? expected(lane) : 0) << "lane " << lane;
    }
}

TEST_P(GatherFromUb, InactiveLanesNeverFault) {
    place_all(bench_);
    bench_.vector_fill(0, 0xFF);
    bench_.vector_fill(1, 0xFF);
    bench_.vector_fill(2, 0xFF);
    bench_.vector_fill(3, 0xFF);
    ASSERT_TRUE(accepted(bench_.run(gather_op(GetParam()))));
    for (std::size_t lane = 0; lane < GetParam().lanes; ++lane) EXPECT_EQ(found(lane), 0U);
}

TEST_P(GatherFromUb, RefusesTheNeighbour) {
    place_indices();
    bench_.mask_all(0);
    GatherCase neighbour = GetParam();
    neighbour.dst = neighbour.neighbour_dst;
    EXPECT_TRUE(refused(bench_, gather_op(neighbour), DiagnosticId::unsupported_type));
}

std::string name_of(const ::testing::TestParamInfo<GatherCase>& row) {
    return row.param.name;
}

// The prototypes of the seed page of asc_gather, in its order: dst, src, index.
INSTANTIATE_TEST_SUITE_P(
    AscGatherOverload, GatherFromUb,
    ::testing::Values(GatherCase{"vector_int16_from_int8_by_uint16", T::s16, T::s8, T::u16, T::u16, 128},
                      GatherCase{"vector_uint16_from_uint8_by_uint16", T::u16, T::u8, T::u16, T::s16, 128},
                      GatherCase{"vector_int8_from_int8_by_uint16", T::s8, T::s8, T::u16, T::u8, 128},
                      GatherCase{"vector_uint8_from_uint8_by_uint16", T::u8, T::u8, T::u16, T::s8, 128},
                      GatherCase{"vector_hifloat8_from_hifloat8_by_uint16", T::hif8, T::hif8, T::u16, T::half, 128},
                      GatherCase{"vector_fp8_e8m0_from_fp8_e8m0_by_uint16", T::e8m0, T::e8m0, T::u16, T::u16, 128},
                      GatherCase{"vector_fp8_e5m2_from_fp8_e5m2_by_uint16", T::e5m2, T::e5m2, T::u16, T::e4m3, 128},
                      GatherCase{"vector_fp8_e4m3fn_from_fp8_e4m3fn_by_uint16", T::e4m3, T::e4m3, T::u16, T::bf16, 128},
                      GatherCase{"vector_int16_from_int16_by_uint16", T::s16, T::s16, T::u16, T::u16, 128},
                      GatherCase{"vector_uint16_from_uint16_by_uint16", T::u16, T::u16, T::u16, T::s16, 128},
                      GatherCase{"vector_half_from_half_by_uint16", T::half, T::half, T::u16, T::bf16, 128},
                      GatherCase{"vector_bfloat16_from_bfloat16_by_uint16", T::bf16, T::bf16, T::u16, T::f32, 128},
                      GatherCase{"vector_int32_from_int32_by_uint32", T::s32, T::s32, T::u32, T::u32, 64},
                      GatherCase{"vector_uint32_from_uint32_by_uint32", T::u32, T::u32, T::u32, T::u64, 64},
                      GatherCase{"vector_float_from_float_by_uint32", T::f32, T::f32, T::u32, T::half, 64},
                      GatherCase{"vector_int16_from_int16_by_uint32", T::s16, T::s16, T::u32, T::s32, 64},
                      GatherCase{"vector_uint16_from_uint16_by_uint32", T::u16, T::u16, T::u32, T::u32, 64},
                      GatherCase{"vector_half_from_half_by_uint32", T::half, T::half, T::u32, T::f32, 64},
                      GatherCase{"vector_bfloat16_from_bfloat16_by_uint32", T::bf16, T::bf16, T::u32, T::f32, 64}),
    name_of);

// Table 5 of the seed page of Gather, in its order: T0, T1, T2. The forms of its 64-bit rows stand in the next suite.
INSTANTIATE_TEST_SUITE_P(RegGatherTable5, GatherFromUb,
                         ::testing::Values(GatherCase{"int16_int8_uint16", T::s16, T::s8, T::u16, T::half, 128},
                                           GatherCase{"uint16_uint8_uint16", T::u16, T::u8, T::u16, T::bf16, 128},
                                           GatherCase{"int16_int16_uint16", T::s16, T::s16, T::u16, T::s8, 128},
                                           GatherCase{"uint16_uint16_uint16", T::u16, T::u16, T::u16, T::u8, 128},
                                           GatherCase{"half_half_uint16", T::half, T::half, T::u16, T::f32, 128},
                                           GatherCase{"bfloat16_bfloat16_uint16", T::bf16, T::bf16, T::u16, T::half,
                                                      128},
                                           GatherCase{"int32_int32_uint32", T::s32, T::s32, T::u32, T::s16, 64},
                                           GatherCase{"uint32_uint32_uint32", T::u32, T::u32, T::u32, T::s32, 64},
                                           GatherCase{"float_float_uint32", T::f32, T::f32, T::u32, T::u32, 64},
                                           GatherCase{"uint64_uint64_uint32", T::u64, T::u64, T::u32, T::s64, 32},
                                           GatherCase{"int64_int64_uint32", T::s64, T::s64, T::u32, T::u64, 32},
                                           GatherCase{"uint64_uint64_uint64", T::u64, T::u64, T::u64, T::u32, 32},
                                           GatherCase{"int64_int64_uint64", T::s64, T::s64, T::u64, T::s32, 32}),
                         name_of);

// The ten 64-bit rows of the same page: T2 and its form, T3 and its form.
INSTANTIATE_TEST_SUITE_P(
    RegGatherB64Row, GatherFromUb,
    ::testing::Values(
        GatherCase{"uint32_index_uint64_One", T::u64, T::u64, T::u32, T::s64, 32, Form::one, Form::one},
        GatherCase{"uint32_index_int64_One", T::s64, T::s64, T::u32, T::u64, 32, Form::one, Form::one},
        GatherCase{"uint32_index_uint64_Two", T::u64, T::u64, T::u32, T::s64, 64, Form::two, Form::one},
        GatherCase{"uint32_index_int64_Two", T::s64, T::s64, T::u32, T::u64, 64, Form::two, Form::one},
        GatherCase{"uint64_One_index_uint64_One", T::u64, T::u64, T::u64, T::s64, 32, Form::one, Form::one},
        GatherCase{"uint64_One_index_int64_One", T::s64, T::s64, T::u64, T::u64, 32, Form::one, Form::one},
        GatherCase{"uint64_Two_index_uint64_One", T::u64, T::u64, T::u64, T::u32, 32, Form::one, Form::two},
        GatherCase{"uint64_Two_index_int64_One", T::s64, T::s64, T::u64, T::s32, 32, Form::one, Form::two},
        GatherCase{"uint64_Two_index_uint64_Two", T::u64, T::u64, T::u64, T::s64, 64, Form::two, Form::two},
        GatherCase{"uint64_Two_index_int64_Two", T::s64, T::s64, T::u64, T::u64, 64, Form::two, Form::two}),
    name_of);

TEST(GatherForms, OneRegisterOfLongIndicesCannotFillAPair) {
    Bench bench(ascend950());
    for (const ElementType type : {T::s64, T::u64, T::b64}) {
        const GatherCase c{"", type, type, T::u64, type, 64, Form::two, Form::one};
        EXPECT_TRUE(refused(bench, gather_op(c), DiagnosticId::unsupported_type)) << text_of(type);
    }
}

TEST(GatherForms, AHighIndexWordIsOutOfRangeNotTruncated) {
    Bench bench(ascend950());
    bench.mask_all(0);
    bench.set_lane(2, 5, std::uint64_t{1} << 32);
    const isa::Fault fault = bench.run(gather_op({"", T::u64, T::u64, T::u64, T::u64, 32}));
    EXPECT_EQ(fault.id, DiagnosticId::ub_out_of_bounds);
    EXPECT_EQ(fault.lane, 5);
    EXPECT_EQ(fault.address, 0x400 + (std::int64_t{8} << 32));
}

TEST(GatherForms, APairIsTwoDistinctRegisters) {
    Bench bench(ascend950());
    isa::Gather op = std::get<isa::Gather>(gather_op({"", T::u64, T::u64, T::u32, T::u64, 64, Form::two}));
    op.dst = VectorOperand(v4, v4);
    EXPECT_TRUE(refused(bench, op, DiagnosticId::bad_register));
    op.dst = VectorOperand(v4, v1);
    EXPECT_TRUE(accepted(bench.run(op)));
}

TEST(GatherWidening, ANegativeByteBecomesItsUnsignedValue) {
    Bench bench(ascend950());
    bench.mask_all(0);
    const std::uint8_t bytes[] = {0x28, 0xD8, 0x80, 0xFF};
    for (std::size_t i = 0; i < 4; ++i) {
        bench.ub_set(0x400 + i, bytes[i]);
        bench.set_lane(2, i, static_cast<std::uint16_t>(i));
    }
    ASSERT_TRUE(accepted(bench.run(gather_op({"", T::s16, T::s8, T::u16, T::s16, 128}))));
    EXPECT_EQ(bench.lane<std::int16_t>(0, 0), 40);
    EXPECT_EQ(bench.lane<std::int16_t>(0, 1), 216);
    EXPECT_EQ(bench.lane<std::int16_t>(0, 2), 128);
    EXPECT_EQ(bench.lane<std::int16_t>(0, 3), 255);
}

TEST(GatherWidening, BytesGoToEvenPositions) {
    Bench bench(ascend950());
    place_all(bench);
    bench.mask_all(0);
    bench.vector_fill(0, 0xFF);
    for (std::size_t i = 0; i < 128; ++i) bench.set_lane(2, i, static_cast<std::uint16_t>(i));
    ASSERT_TRUE(accepted(bench.run(gather_op({"", T::e5m2, T::e5m2, T::u16, T::e5m2, 128}))));
    for (std::size_t i = 0; i < 128; ++i) {
        EXPECT_EQ(bench.lane<std::uint8_t>(0, 2 * i), placed(0x400 + i));
        EXPECT_EQ(bench.lane<std::uint8_t>(0, 2 * i + 1), 0);
    }
}

/// A legal combination of types and forms, written out.
struct GatherLegal {
    ElementType dst;
    ElementType src;
    ElementType index;
    Form dst_form;
    Form index_form;
};

const GatherLegal kGatherLegal[] = {
    {T::s16, T::s8, T::u16, Form::one, Form::one},    {T::u16, T::u8, T::u16, Form::one, Form::one},
    {T::s8, T::s8, T::u16, Form::one, Form::one},     {T::u8, T::u8, T::u16, Form::one, Form::one},
    {T::hif8, T::hif8, T::u16, Form::one, Form::one}, {T::e8m0, T::e8m0, T::u16, Form::one, Form::one},
    {T::e5m2, T::e5m2, T::u16, Form::one, Form::one}, {T::e4m3, T::e4m3, T::u16, Form::one, Form::one},
    {T::s16, T::s16, T::u16, Form::one, Form::one},   {T::u16, T::u16, T::u16, Form::one, Form::one},
    {T::half, T::half, T::u16, Form::one, Form::one}, {T::bf16, T::bf16, T::u16, Form::one, Form::one},
    {T::s32, T::s32, T::u32, Form::one, Form::one},   {T::u32, T::u32, T::u32, Form::one, Form::one},
    {T::f32, T::f32, T::u32, Form::one, Form::one},   {T::s16, T::s16, T::u32, Form::one, Form::one},
    {T::u16, T::u16, T::u32, Form::one, Form::one},   {T::half, T::half, T::u32, Form::one, Form::one},
    {T::bf16, T::bf16, T::u32, Form::one, Form::one}, {T::s64, T::s64, T::u32, Form::one, Form::one},
    {T::u64, T::u64, T::u32, Form::one, Form::one},   {T::s64, T::s64, T::u32, Form::two, Form::one},
    {T::u64, T::u64, T::u32, Form::two, Form::one},   {T::s64, T::s64, T::u64, Form::one, Form::one},
    {T::u64, T::u64, T::u64, Form::one, Form::one},   {T::s64, T::s64, T::u64, Form::one, Form::two},
    {T::u64, T::u64, T::u64, Form::one, Form::two},   {T::s64, T::s64, T::u64, Form::two, Form::two},
    {T::u64, T::u64, T::u64, Form::two, Form::two},
};

TEST(GatherTable, HoldsWhatIsWrittenHereAndNothingElse) {
    Bench bench(ascend950());
    std::size_t legal_exact = 0;
    for (const ElementType dst : kAllTypes) {
        for (const ElementType src : kAllTypes) {
            for (const ElementType index : kAllTypes) {
                for (const Form dst_form : {Form::one, Form::two}) {
                    for (const Form index_form : {Form::one, Form::two}) {
                        bool legal = false;
                        for (const GatherLegal& row : kGatherLegal) {
                            legal |= stands_for(dst, row.dst) && stands_for(src, row.src) &&
                                     stands_for(index, row.index) && dst_form == row.dst_form &&
                                     index_form == row.index_form;
                        }
                        const bool exact = !any_of_its_width(dst) && !any_of_its_width(src) && !any_of_its_width(index);
                        if (legal && exact) ++legal_exact;
                        const isa::Fault fault =
                            bench.check(gather_op({"", dst, src, index, dst, 0, dst_form, index_form}));
                        EXPECT_EQ(fault.id, legal ? DiagnosticId::none : DiagnosticId::unsupported_type)
                            << text_of(dst) << " from " << text_of(src) << " by " << text_of(index)
                            << (dst_form == Form::two ? ", pair" : "")
                            << (index_form == Form::two ? ", index pair" : "");
                    }
                }
            }
        }
    }
    EXPECT_EQ(legal_exact, std::size(kGatherLegal));
}

// ---- Gather, register to register

struct RegisterGatherCase {
    const char* name;
    ElementType type;
    friend std::ostream& operator<<(std::ostream& out, const RegisterGatherCase& c) { return out << c.name; }
};

class GatherFromRegister : public ::testing::TestWithParam<RegisterGatherCase> {};

TEST_P(GatherFromRegister, TakesIndicesModuloTheLanes) {
    Bench bench(ascend950());
    const std::size_t bytes = bytes_of(GetParam().type);
    const std::size_t lanes = 256 / bytes;
    for (std::size_t at = 0; at < 256; ++at) bench.set_lane(1, at, placed(at));
    for (std::size_t lane = 0; lane < lanes; ++lane) set_lane(bench, 2, bytes, lane, lane * 7 + lanes + 40);
    set_lane(bench, 2, bytes, 0, ~std::uint64_t{0});
    ASSERT_TRUE(accepted(bench.run(isa::GatherRegister{GetParam().type, v0, v1, v2})));
    EXPECT_EQ(lane_of(bench, 0, bytes, 0), placed_number((lanes - 1) * bytes, bytes));
    for (std::size_t lane = 1; lane < lanes; ++lane) {
        EXPECT_EQ(lane_of(bench, 0, bytes, lane), placed_number((lane * 7 + 40) % lanes * bytes, bytes)) << lane;
    }
}

// The prototypes of the seed page of asc_gather, in its order.
INSTANTIATE_TEST_SUITE_P(
    AscGatherOverload, GatherFromRegister,
    ::testing::Values(RegisterGatherCase{"vector_int8", T::s8}, RegisterGatherCase{"vector_uint8", T::u8},
                      RegisterGatherCase{"vector_hifloat8", T::hif8}, RegisterGatherCase{"vector_fp8_e8m0", T::e8m0},
                      RegisterGatherCase{"vector_fp8_e5m2", T::e5m2}, RegisterGatherCase{"vector_fp8_e4m3fn", T::e4m3},
                      RegisterGatherCase{"vector_int16", T::s16}, RegisterGatherCase{"vector_uint16", T::u16},
                      RegisterGatherCase{"vector_half", T::half}, RegisterGatherCase{"vector_bfloat16", T::bf16},
                      RegisterGatherCase{"vector_int32", T::s32}, RegisterGatherCase{"vector_uint32", T::u32}),
    [](const auto& row) { return std::string(row.param.name); });
// Table 3 of the seed page of Gather: any type of these widths.
INSTANTIATE_TEST_SUITE_P(RegGather, GatherFromRegister,
                         ::testing::Values(RegisterGatherCase{"b8", T::b8}, RegisterGatherCase{"b16", T::b16},
                                           RegisterGatherCase{"b32", T::b32}, RegisterGatherCase{"float", T::f32}),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(GatherRegisterTable, IndexOf168ReadsLane40) {
    Bench bench(ascend950());
    for (std::size_t lane = 0; lane < 128; ++lane) bench.set_lane(1, lane, static_cast<std::uint16_t>(lane));
    const std::uint16_t indices[] = {168, 127, 128, 65535};
    for (std::size_t lane = 0; lane < 4; ++lane) bench.set_lane(2, lane, indices[lane]);
    ASSERT_TRUE(accepted(bench.run(isa::GatherRegister{T::half, v0, v1, v2})));
    EXPECT_EQ(bench.lane<std::uint16_t>(0, 0), 40);
    EXPECT_EQ(bench.lane<std::uint16_t>(0, 1), 127);
    EXPECT_EQ(bench.lane<std::uint16_t>(0, 2), 0);
    EXPECT_EQ(bench.lane<std::uint16_t>(0, 3), 127);
}

TEST(GatherRegisterTable, HasNo64BitRow) {
    Bench bench(ascend950());
    for (const ElementType type : {T::s64, T::u64, T::b64}) {
        EXPECT_TRUE(refused(bench, isa::GatherRegister{type, v0, v1, v2}, DiagnosticId::unsupported_type));
    }
}

TEST(GatherRegisterTable, OperandsMayBeOneRegister) {
    Bench bench(ascend950());
    for (std::size_t lane = 0; lane < 128; ++lane) bench.set_lane(1, lane, static_cast<std::uint16_t>(127 - lane));
    ASSERT_TRUE(accepted(bench.run(isa::GatherRegister{T::u16, v1, v1, v1})));
    for (std::size_t lane = 0; lane < 128; ++lane) EXPECT_EQ(bench.lane<std::uint16_t>(1, lane), lane);
}

// ---- GatherB

class GatherBlocks : public ::testing::TestWithParam<ElementType> {
protected:
    static Op op() {
        isa::GatherBlock one;
        one.type = GetParam();
        one.dst = v0;
        one.index = v2;
        one.mask = m0;
        one.base = UbAddress{0x200};
        return one;
    }
};

TEST_P(GatherBlocks, MovesEightBlocksByByteOffsets) {
    Bench bench(ascend950());
    place_all(bench);
    for (std::size_t block = 0; block < 8; ++block)
        bench.set_lane(2, block, static_cast<std::uint32_t>(32 * (7 - block)));
    bench.mask_all(0);
    ASSERT_TRUE(accepted(bench.run(op())));
    for (std::size_t at = 0; at < 256; ++at) {
        EXPECT_EQ(bench.lane<std::uint8_t>(0, at), placed(0x200 + 32 * (7 - at / 32) + at % 32));
    }
}

TEST_P(GatherBlocks, ReadsTheMaskAsB32WhateverTheType) {
    Bench bench(ascend950());
    place_all(bench);
    bench.vector_fill(0, 0xFF);
    bench.vector_fill(2, 0xFF);  // gated-off blocks: misaligned and far outside
    bench.set_lane(2, 1, std::uint32_t{64});
    bench.set_lane(2, 6, std::uint32_t{0});
    bench.mask()[0].words = {0xFFFFFFFFFFFFFFFF, ~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}};
    for (const std::size_t off : {0, 2, 3, 4, 5, 7}) bench.mask()[0].words[0] &= ~(std::uint64_t{1} << (4 * off));
    ASSERT_TRUE(accepted(bench.run(op())));
    for (std::size_t at = 0; at < 256; ++at) {
        const std::size_t block = at / 32;
        const int expected = block == 1 ? placed(0x240 + at % 32) : block == 6 ? placed(0x200 + at % 32) : 0;
        EXPECT_EQ(bench.lane<std::uint8_t>(0, at), expected) << at;
    }
}

TEST_P(GatherBlocks, RefusesAnOffsetBesideABlock) {
    Bench bench(ascend950());
    bench.mask_all(0);
    bench.set_lane(2, 3, std::uint32_t{48});
    const isa::Fault fault = bench.run(op());
    EXPECT_EQ(fault.id, DiagnosticId::misaligned);
    EXPECT_EQ(fault.lane, 3);
    EXPECT_EQ(fault.address, 0x200 + 48);
}

INSTANTIATE_TEST_SUITE_P(Width, GatherBlocks, ::testing::Values(T::b8, T::half, T::f32, T::u64),
                         [](const auto& row) { return std::string(text_of(row.param)); });

// ---- register scatter

struct ScatterCase {
    const char* name;
    ElementType type;
    ElementType index;
    ElementType neighbour_index;  ///< by this index the same type stands in no table
    std::size_t lanes;
    Form src_form = Form::one;
    Form index_form = Form::one;
    friend std::ostream& operator<<(std::ostream& out, const ScatterCase& c) { return out << c.name; }
};

Op scatter_op(const ScatterCase& c) {
    isa::Scatter op;
    op.type = c.type;
    op.index_type = c.index;
    op.src = operand(c.src_form, v0, v1);
    op.index = operand(c.index_form, v2, v3);
    op.base = UbAddress{0x800};
    op.mask = m0;
    return op;
}

class ScatterToUb : public ::testing::TestWithParam<ScatterCase> {
protected:
    static constexpr std::size_t kBase = 0x800;
    ScatterToUb() {
        bench_.ub_fill(0xCD);
        for (std::size_t at = 0; at < 256; ++at) {
            bench_.set_lane(0, at, placed(at));
            bench_.set_lane(1, at, placed(at + 1000));
        }
        bench_.vector_fill(2, 0xFF);
        bench_.vector_fill(3, 0xFF);
        for (std::size_t lane = 0; lane < GetParam().lanes; ++lane) {
            if (GetParam().index_form == Form::one) {
                set_lane(bench_, 2, bytes_of(GetParam().index), lane, target(lane));
            } else {
                bench_.set_lane(2, lane, static_cast<std::uint32_t>(target(lane)));
                bench_.set_lane(3, lane, std::uint32_t{0});
            }
        }
    }
    /// A permutation with holes: element 3 * (lanes - 1 - lane).
    static std::size_t target(std::size_t lane) { return 3 * (GetParam().lanes - 1 - lane); }
    std::uint8_t element_byte(std::size_t lane, std::size_t byte) const {
        if (GetParam().src_form == Form::two) return placed(4 * lane + byte % 4 + (byte < 4 ? 0 : 1000));
        // 8-bit data stand in the even bytes.
        return placed(bytes_of(GetParam().type) == 1 ? 2 * lane : bytes_of(GetParam().type) * lane + byte);
    }
    /// The UB as it must be when lanes for which `active` holds have written.
    template <typename Active>
    void expect_written(Active active) {
        const std::size_t bytes = bytes_of(GetParam().type);
        std::vector<std::byte> expected(bench_.ub().size(), std::byte{0xCD});
        for (std::size_t lane = 0; lane < GetParam().lanes; ++lane) {
            for (std::size_t byte = 0; byte < bytes && active(lane); ++byte) {
                expected[kBase + target(lane) * bytes + byte] = std::byte{element_byte(lane, byte)};
            }
        }
        EXPECT_TRUE(expected == bench_.ub());
    }
    Bench bench_{ascend950()};
};

TEST_P(ScatterToUb, PutsEachLaneToItsElement) {
    bench_.mask_all(0);
    ASSERT_TRUE(accepted(bench_.run(scatter_op(GetParam()))));
    expect_written([](std::size_t) { return true; });
    EXPECT_FALSE(bench_.notes().duplicate);
}

TEST_P(ScatterToUb, ReadsTheMaskAtItsOwnGrain) {
    const std::size_t grain = 256 / GetParam().lanes;
    for (std::size_t bit = 0; bit < 256; ++bit) {
        const bool lowest = bit % grain == 0;
        const bool active = bit / grain % 3 == 0;
        if (lowest == active) bench_.mask()[0].set_bit(bit);
    }
    ASSERT_TRUE(accepted(bench_.run(scatter_op(GetParam()))));
    expect_written([](std::size_t lane) { return lane % 3 == 0; });
}

TEST_P(ScatterToUb, RefusesTheNeighbour) {
    bench_.mask_all(0);
    ScatterCase neighbour = GetParam();
    neighbour.index = neighbour.neighbour_index;
    EXPECT_TRUE(refused(bench_, scatter_op(neighbour), DiagnosticId::unsupported_type));
}

INSTANTIATE_TEST_SUITE_P(
    Row, ScatterToUb,
    ::testing::Values(
        ScatterCase{"s8_by_u16", T::s8, T::u16, T::u32, 128}, ScatterCase{"u8_by_u16", T::u8, T::u16, T::u8, 128},
        ScatterCase{"s16_by_u16", T::s16, T::u16, T::u32, 128}, ScatterCase{"u16_by_u16", T::u16, T::u16, T::s16, 128},
        ScatterCase{"half_by_u16", T::half, T::u16, T::u32, 128},
        ScatterCase{"bf16_by_u16", T::bf16, T::u16, T::u64, 128}, ScatterCase{"s32_by_u32", T::s32, T::u32, T::u16, 64},
        ScatterCase{"u32_by_u32", T::u32, T::u32, T::s32, 64}, ScatterCase{"float_by_u32", T::f32, T::u32, T::u64, 64},
        ScatterCase{"s64_One_by_u32", T::s64, T::u32, T::u16, 32},
        ScatterCase{"u64_One_by_u32", T::u64, T::u32, T::s32, 32},
        ScatterCase{"s64_Two_by_u32", T::s64, T::u32, T::s64, 64, Form::two},
        ScatterCase{"u64_Two_by_u32", T::u64, T::u32, T::u64, 64, Form::two},
        ScatterCase{"s64_One_by_u64_One", T::s64, T::u64, T::s64, 32},
        ScatterCase{"u64_One_by_u64_One", T::u64, T::u64, T::u16, 32},
        ScatterCase{"s64_One_by_u64_Two", T::s64, T::u64, T::u32, 32, Form::one, Form::two},
        ScatterCase{"u64_One_by_u64_Two", T::u64, T::u64, T::u32, 32, Form::one, Form::two},
        ScatterCase{"s64_Two_by_u64_Two", T::s64, T::u64, T::u32, 64, Form::two, Form::two},
        ScatterCase{"u64_Two_by_u64_Two", T::u64, T::u64, T::s64, 64, Form::two, Form::two}),
    [](const auto& row) { return std::string(row.param.name); });

struct ScatterLegal {
    ElementType type;
    ElementType index;
    Form src_form;
    Form index_form;
};

const ScatterLegal kScatterLegal[] = {
    {T::s8, T::u16, Form::one, Form::one},   {T::u8, T::u16, Form::one, Form::one},
    {T::s16, T::u16, Form::one, Form::one},  {T::u16, T::u16, Form::one, Form::one},
    {T::half, T::u16, Form::one, Form::one}, {T::bf16, T::u16, Form::one, Form::one},
    {T::s32, T::u32, Form::one, Form::one},  {T::u32, T::u32, Form::one, Form::one},
    {T::f32, T::u32, Form::one, Form::one},  {T::s64, T::u32, Form::one, Form::one},
    {T::u64, T::u32, Form::one, Form::one},  {T::s64, T::u32, Form::two, Form::one},
    {T::u64, T::u32, Form::two, Form::one},  {T::s64, T::u64, Form::one, Form::one},
    {T::u64, T::u64, Form::one, Form::one},  {T::s64, T::u64, Form::one, Form::two},
    {T::u64, T::u64, Form::one, Form::two},  {T::s64, T::u64, Form::two, Form::two},
    {T::u64, T::u64, Form::two, Form::two},
};

TEST(ScatterTable, HoldsWhatIsWrittenHereAndNothingElse) {
    Bench bench(ascend950());
    for (const ElementType type : kAllTypes) {
        for (const ElementType index : kAllTypes) {
            for (const Form src_form : {Form::one, Form::two}) {
                for (const Form index_form : {Form::one, Form::two}) {
                    bool legal = false;
                    for (const ScatterLegal& row : kScatterLegal) {
                        legal |= stands_for(type, row.type) && stands_for(index, row.index) &&
                                 src_form == row.src_form && index_form == row.index_form;
                    }
                    const isa::Fault fault = bench.check(scatter_op({"", type, index, index, 0, src_form, index_form}));
                    EXPECT_EQ(fault.id, legal ? DiagnosticId::none : DiagnosticId::unsupported_type)
                        << text_of(type) << " by " << text_of(index) << (src_form == Form::two ? ", pair" : "")
                        << (index_form == Form::two ? ", index pair" : "");
                }
            }
        }
    }
}

TEST(ScatterDuplicates, LowestOrHighestLaneWinsAndTheFirstIsNamed) {
    for (const bool highest : {false, true}) {
        reference::Product product = ascend950();
        product.highest_lane_wins = highest;
        Bench bench(product);
        bench.ub_fill(0xCD);
        const std::uint32_t data[] = {10, 20, 30, 40};
        const std::uint32_t index[] = {5, 5, 7, 5};
        for (std::size_t lane = 0; lane < 4; ++lane) {
            bench.set_lane(0, lane, data[lane]);
            bench.set_lane(2, lane, index[lane]);
        }
        bench.mask()[0].words = {0xFFFF, 0, 0, 0};
        ASSERT_TRUE(accepted(bench.run(scatter_op({"", T::u32, T::u32, T::u32, 64}))));
        EXPECT_EQ(bench.ub_get<std::uint32_t>(0x800 + 28), 30U);
        EXPECT_EQ(bench.ub_get<std::uint32_t>(0x800 + 20), highest ? 40U : 10U);
        EXPECT_EQ(bench.ub_get<std::uint32_t>(0x800 + 24), 0xCDCDCDCDU);
        ASSERT_TRUE(bench.notes().duplicate);
        EXPECT_EQ(bench.notes().duplicate.id, DiagnosticId::duplicate_target);
        EXPECT_EQ(bench.notes().duplicate.count, 2U);
        EXPECT_EQ(bench.notes().duplicate.lane, 1);
    }
}

// ---- mask registers

struct PatternRow {
    MaskPattern pattern;
    const char* name;
    std::size_t every;                  ///< lanes divisible by this
    std::array<std::size_t, 4> active;  ///< lanes of b8, b16, b32, b64
    friend std::ostream& operator<<(std::ostream& out, const PatternRow& row) { return out << row.name; }
};

class CreateMaskPattern : public ::testing::TestWithParam<std::tuple<PatternRow, ElementType>> {};

TEST_P(CreateMaskPattern, SetsTheLowestBitOfEachSelectedLane) {
    const auto& [row, type] = GetParam();
    const std::size_t bytes = bytes_of(type);
    const std::size_t column = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
    Bench bench(ascend950());
    bench.mask_all(0);
    ASSERT_TRUE(accepted(bench.run(isa::CreateMask{type, m0, row.pattern})));
    std::size_t active = 0;
    for (std::size_t bit = 0; bit < 256; ++bit) {
        if (!bench.mask()[0].bit(bit)) continue;
        EXPECT_EQ(bit, active * row.every * bytes);
        ++active;
    }
    EXPECT_EQ(active, row.active[column]);
}

INSTANTIATE_TEST_SUITE_P(
    Table, CreateMaskPattern,
    ::testing::Combine(::testing::Values(PatternRow{MaskPattern::all, "ALL", 1, {256, 128, 64, 32}},
                                         PatternRow{MaskPattern::vl1, "VL1", 1, {1, 1, 1, 1}},
                                         PatternRow{MaskPattern::vl2, "VL2", 1, {2, 2, 2, 2}},
                                         PatternRow{MaskPattern::vl3, "VL3", 1, {3, 3, 3, 3}},
                                         PatternRow{MaskPattern::vl4, "VL4", 1, {4, 4, 4, 4}},
                                         PatternRow{MaskPattern::vl8, "VL8", 1, {8, 8, 8, 8}},
                                         PatternRow{MaskPattern::vl16, "VL16", 1, {16, 16, 16, 16}},
                                         PatternRow{MaskPattern::vl32, "VL32", 1, {32, 32, 32, 32}},
                                         PatternRow{MaskPattern::vl64, "VL64", 1, {64, 64, 64, 32}},
                                         PatternRow{MaskPattern::vl128, "VL128", 1, {128, 128, 64, 32}},
                                         PatternRow{MaskPattern::m3, "M3", 3, {86, 43, 22, 11}},
                                         PatternRow{MaskPattern::m4, "M4", 4, {64, 32, 16, 8}},
                                         PatternRow{MaskPattern::h, "H", 1, {128, 64, 32, 16}},
                                         PatternRow{MaskPattern::q, "Q", 1, {64, 32, 16, 8}},
                                         PatternRow{MaskPattern::allf, "ALLF", 1, {0, 0, 0, 0}}),
                       ::testing::Values(T::b8, T::half, T::f32, T::s64)),
    [](const auto& row) { return std::string(std::get<0>(row.param).name) + "_" + text_of(std::get<1>(row.param)); });

struct UpdateMaskRow {
    const char* name;
    ElementType type;
    bool pair;
    std::int64_t count;
    std::vector<std::size_t> lanes;  ///< of each call in turn
    friend std::ostream& operator<<(std::ostream& out, const UpdateMaskRow& row) { return out << row.name; }
};

class UpdateMaskCalls : public ::testing::TestWithParam<UpdateMaskRow> {};

TEST_P(UpdateMaskCalls, CountDown) {
    const UpdateMaskRow& row = GetParam();
    Bench bench(ascend950());
    bench.mask_all(0);
    Op op = isa::UpdateMask{row.type, m0, row.count, row.pair};
    const std::size_t grain = row.pair ? 4 : bytes_of(row.type);
    std::int64_t left = row.count;
    for (const std::size_t lanes : row.lanes) {
        ASSERT_TRUE(accepted(bench.run(op, bench.port(), nullptr)));
        for (std::size_t bit = 0; bit < 256; ++bit) {
            EXPECT_EQ(bench.mask()[0].bit(bit), bit % grain == 0 && bit / grain < lanes) << bit;
        }
        left -= static_cast<std::int64_t>(lanes);
        EXPECT_EQ(std::get<isa::UpdateMask>(op).count, left);
    }
}

INSTANTIATE_TEST_SUITE_P(Row, UpdateMaskCalls,
                         ::testing::Values(UpdateMaskRow{"b8_300", T::b8, false, 300, {256, 44, 0}},
                                           UpdateMaskRow{"b16_300", T::b16, false, 300, {128, 128, 44, 0}},
                                           UpdateMaskRow{"b32_127", T::b32, false, 127, {64, 63}},
                                           UpdateMaskRow{"b32_64", T::b32, false, 64, {64, 0}},
                                           UpdateMaskRow{"b64_One_40", T::b64, false, 40, {32, 8, 0}},
                                           UpdateMaskRow{"b64_Two_70", T::b64, true, 70, {64, 6, 0}},
                                           UpdateMaskRow{"b32_0", T::b32, false, 0, {0, 0}}),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(UpdateMaskLimits, CountIsAnUnsignedWord) {
    Bench bench(ascend950());
    EXPECT_TRUE(accepted(bench.run(isa::UpdateMask{T::b32, m0, 4294967295, false})));
    EXPECT_TRUE(refused(bench, isa::UpdateMask{T::b32, m0, 4294967296, false}, DiagnosticId::bad_count));
    EXPECT_TRUE(refused(bench, isa::UpdateMask{T::b32, m0, -1, false}, DiagnosticId::bad_count));
    EXPECT_TRUE(refused(bench, isa::UpdateMask{T::b32, m0, 1, true}, DiagnosticId::unsupported_type));
}

struct MaskGenRow {
    const char* name;
    ElementType type;
    std::int64_t last_part;
    std::size_t part_bytes;
    std::array<std::uint8_t, 4> first_bytes;  ///< of the mask made from A5 00 00 …
    friend std::ostream& operator<<(std::ostream& out, const MaskGenRow& row) { return out << row.name; }
};

class MaskGenRows : public ::testing::TestWithParam<MaskGenRow> {};

TEST_P(MaskGenRows, EveryCopyOfABitIsSet) {
    const MaskGenRow& row = GetParam();
    for (std::int64_t part = 0; part <= row.last_part; ++part) {
        Bench bench(ascend950());
        bench.mask_all(0);
        bench.vector_fill(1, 0xFF);
        for (std::size_t at = 0; at < row.part_bytes; ++at) {
            bench.set_lane(1, static_cast<std::size_t>(part) * row.part_bytes + at, std::uint8_t(at == 0 ? 0xA5 : 0));
        }
        ASSERT_TRUE(accepted(bench.run(isa::MaskGen{row.type, m0, v1, part})));
        std::array<std::uint8_t, 32> expected{};
        std::copy(row.first_bytes.begin(), row.first_bytes.end(), expected.begin());
        EXPECT_EQ(std::memcmp(bench.mask()[0].words.data(), expected.data(), 32), 0) << "part " << part;
    }
}

TEST_P(MaskGenRows, PartsPastTheEndAreRefused) {
    Bench bench(ascend950());
    EXPECT_TRUE(
        refused(bench, isa::MaskGen{GetParam().type, m0, v1, GetParam().last_part + 1}, DiagnosticId::bad_part));
    EXPECT_TRUE(refused(bench, isa::MaskGen{GetParam().type, m0, v1, -1}, DiagnosticId::bad_part));
}

INSTANTIATE_TEST_SUITE_P(Width, MaskGenRows,
                         ::testing::Values(MaskGenRow{"b16", T::b16, 15, 16, {0x33, 0xCC, 0, 0}},
                                           MaskGenRow{"s16", T::s16, 15, 16, {0x33, 0xCC, 0, 0}},
                                           MaskGenRow{"u16", T::u16, 15, 16, {0x33, 0xCC, 0, 0}},
                                           MaskGenRow{"half", T::half, 15, 16, {0x33, 0xCC, 0, 0}},
                                           MaskGenRow{"bf16", T::bf16, 15, 16, {0x33, 0xCC, 0, 0}},
                                           MaskGenRow{"b32", T::b32, 31, 8, {0x0F, 0x0F, 0xF0, 0xF0}},
                                           MaskGenRow{"s32", T::s32, 31, 8, {0x0F, 0x0F, 0xF0, 0xF0}},
                                           MaskGenRow{"u32", T::u32, 31, 8, {0x0F, 0x0F, 0xF0, 0xF0}},
                                           MaskGenRow{"float", T::f32, 31, 8, {0x0F, 0x0F, 0xF0, 0xF0}}),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(MaskGenTypes, OtherWidthsAreRefused) {
    Bench bench(ascend950());
    for (const ElementType type : kAllTypes) {
        if (bytes_of(type) == 2 || bytes_of(type) == 4) continue;
        EXPECT_TRUE(refused(bench, isa::MaskGen{type, m0, v1, 0}, DiagnosticId::unsupported_type)) << text_of(type);
    }
}

/// A mask move: 0xA5 at every fourth byte of what is read, and what it must become.
TEST(MaskLoadRow, NormTakes32Bytes) {
    Bench bench(ascend950());
    place_all(bench);
    Op op = isa::MaskLoad{m0, UbAddress{96}, isa::MaskLoadMode::norm, 32};
    ASSERT_TRUE(accepted(bench.run(op, bench.port(), nullptr)));
    EXPECT_EQ(std::memcmp(bench.mask()[0].words.data(), &bench.ub()[96], 32), 0);
    EXPECT_EQ(isa::value(std::get<isa::MaskLoad>(op).address), 128);
    EXPECT_TRUE(refused(bench, isa::MaskLoad{m0, UbAddress{16}, isa::MaskLoadMode::norm, 0}, DiagnosticId::misaligned));
}

TEST(MaskLoadRow, UsDoublesEachBitOf16Bytes) {
    Bench bench(ascend950());
    bench.ub_set(48, std::uint8_t{0xA5});
    bench.ub_set(63, std::uint8_t{0x80});
    ASSERT_TRUE(accepted(bench.run(isa::MaskLoad{m0, UbAddress{48}, isa::MaskLoadMode::us, 0})));
    EXPECT_EQ(bench.mask()[0].words, (std::array<std::uint64_t, 4>{0xCC33, 0, 0, 0xC000000000000000}));
    EXPECT_TRUE(refused(bench, isa::MaskLoad{m0, UbAddress{8}, isa::MaskLoadMode::us, 0}, DiagnosticId::misaligned));
}

TEST(MaskLoadRow, DsKeepsEveryOtherBitOf64Bytes) {
    Bench bench(ascend950());
    bench.ub_set(32, std::uint16_t{0xCC33});       // even bits 1 1 0 0, then 0 1 0 1 of 0xCC: 0b10100101
    bench.ub_set(32 + 62, std::uint16_t{0xAAAA});  // odd bits only: nothing
    bench.ub_set(32 + 60, std::uint16_t{0x5555});
    ASSERT_TRUE(accepted(bench.run(isa::MaskLoad{m0, UbAddress{32}, isa::MaskLoadMode::ds, 0})));
    EXPECT_EQ(bench.mask()[0].words, (std::array<std::uint64_t, 4>{0xA5, 0, 0, 0x00FF000000000000}));
    EXPECT_TRUE(refused(bench, isa::MaskLoad{m0, UbAddress{16}, isa::MaskLoadMode::ds, 0}, DiagnosticId::misaligned));
}

TEST(MaskStoreRow, NormPuts32Bytes) {
    Bench bench(ascend950());
    bench.ub_fill(0xCD);
    bench.mask()[1].words = {1, 2, 3, 0x8000000000000004};
    Op op = isa::MaskStore{UbAddress{64}, m1, isa::MaskStoreMode::norm, -32};
    ASSERT_TRUE(accepted(bench.run(op, bench.port(), nullptr)));
    EXPECT_EQ(std::memcmp(bench.mask()[1].words.data(), &bench.ub()[64], 32), 0);
    EXPECT_EQ(bench.ub_get<std::uint8_t>(63), 0xCD);
    EXPECT_EQ(bench.ub_get<std::uint8_t>(96), 0xCD);
    EXPECT_EQ(isa::value(std::get<isa::MaskStore>(op).address), 32);
    EXPECT_TRUE(
        refused(bench, isa::MaskStore{UbAddress{48}, m1, isa::MaskStoreMode::norm, 0}, DiagnosticId::misaligned));
}

TEST(MaskStoreRow, PackPutsTheEvenBitsIn16Bytes) {
    Bench bench(ascend950());
    bench.ub_fill(0xCD);
    bench.mask()[1].words = {0xCC33, 0, 0, 0x4000000000000000};
    ASSERT_TRUE(accepted(bench.run(isa::MaskStore{UbAddress{48}, m1, isa::MaskStoreMode::pack, 0})));
    EXPECT_EQ(bench.ub_get<std::uint64_t>(48), 0xA5U);
    EXPECT_EQ(bench.ub_get<std::uint64_t>(56), 0x8000000000000000U);
    EXPECT_EQ(bench.ub_get<std::uint8_t>(64), 0xCD);
    EXPECT_TRUE(
        refused(bench, isa::MaskStore{UbAddress{24}, m1, isa::MaskStoreMode::pack, 0}, DiagnosticId::misaligned));
}

TEST(MaskReading, OnlyTheLowestBitOfALaneCounts) {
    Bench bench(ascend950());
    bench.ub_fill(0xCD);
    bench.mask()[0].words.fill(0xAAAAAAAAAAAAAAAA);
    ASSERT_TRUE(accepted(bench.run(isa::Store{T::b16, UbAddress{0}, v0, m0, 0})));
    EXPECT_EQ(bench.ub_get<std::uint8_t>(0), 0xCD);
    EXPECT_EQ(bench.ub_get<std::uint8_t>(255), 0xCD);
    bench.mask()[0].words.fill(0x5555555555555555);
    ASSERT_TRUE(accepted(bench.run(isa::Store{T::b16, UbAddress{0}, v0, m0, 0})));
    for (std::size_t at = 0; at < 256; ++at) EXPECT_EQ(bench.ub_get<std::uint8_t>(at), 0);
}

// ---- contiguous and block load and store

class LoadStore : public ::testing::TestWithParam<ElementType> {};

TEST_P(LoadStore, LoadTakes256BytesAndStepsByElements) {
    Bench bench(ascend950());
    place_all(bench);
    Op op = isa::Load{GetParam(), v0, UbAddress{0x140}, 3};
    ASSERT_TRUE(accepted(bench.run(op, bench.port(), nullptr)));
    for (std::size_t at = 0; at < 256; ++at) EXPECT_EQ(bench.lane<std::uint8_t>(0, at), placed(0x140 + at));
    EXPECT_EQ(isa::value(std::get<isa::Load>(op).address), 0x140 + 3 * static_cast<std::int64_t>(bytes_of(GetParam())));
    EXPECT_TRUE(refused(bench, isa::Load{GetParam(), v0, UbAddress{0x150}, 0}, DiagnosticId::misaligned));
}

TEST_P(LoadStore, StoreWritesActiveLanesOnly) {
    Bench bench(ascend950());
    bench.ub_fill(0xCD);
    const std::size_t bytes = bytes_of(GetParam());
    for (std::size_t at = 0; at < 256; ++at) bench.set_lane(0, at, placed(at));
    for (std::size_t lane = 0; lane < 256 / bytes; lane += 3) bench.mask()[0].set_bit(lane * bytes);
    ASSERT_TRUE(accepted(bench.run(isa::Store{GetParam(), UbAddress{0x140}, v0, m0, 0})));
    for (std::size_t at = 0; at < 256; ++at) {
        EXPECT_EQ(bench.ub_get<std::uint8_t>(0x140 + at), at / bytes % 3 == 0 ? placed(at) : 0xCD) << at;
    }
    EXPECT_TRUE(refused(bench, isa::Store{GetParam(), UbAddress{0x150}, v0, m0, 0}, DiagnosticId::misaligned));
}

TEST_P(LoadStore, BlocksMoveWhenAnyOfTheirLanesIsActive) {
    Bench bench(ascend950());
    place_all(bench);
    bench.vector_fill(0, 0xEE);
    const std::size_t bytes = bytes_of(GetParam());
    bench.mask()[0].set_bit(32 * 2 + 32 - bytes);  // the last lane of block 2
    bench.mask()[0].set_bit(32 * 5);
    ASSERT_TRUE(accepted(bench.run(isa::BlockLoad{GetParam(), v0, UbAddress{0x40}, 3, m0, 0})));
    for (std::size_t at = 0; at < 256; ++at) {
        const std::size_t block = at / 32;
        const int expected = block == 2 || block == 5 ? placed(0x40 + block * 96 + at % 32) : 0;
        EXPECT_EQ(bench.lane<std::uint8_t>(0, at), expected) << at;
    }
    bench.ub_fill(0xCD);
    ASSERT_TRUE(accepted(bench.run(isa::BlockStore{GetParam(), UbAddress{0x40}, v0, 3, m0, 0})));
    for (std::size_t at = 0; at < 1024; ++at) {
        const bool written = at >= 0x40 && (at - 0x40) % 96 < 32 && ((at - 0x40) / 96 == 2 || (at - 0x40) / 96 == 5);
        EXPECT_EQ(bench.ub_get<std::uint8_t>(at), written ? placed(at) : 0xCD) << at;
    }
}

INSTANTIATE_TEST_SUITE_P(EveryType, LoadStore, ::testing::ValuesIn(kAllTypes),
                         [](const auto& row) { return std::string(text_of(row.param)); });

TEST(LoadStorePair, DeInterleavesWordsUnderAB32Mask) {
    Bench bench(ascend950());
    place_all(bench);
    ASSERT_TRUE(accepted(bench.run(isa::Load{T::u64, VectorOperand(v4, v1), UbAddress{0x200}, 0})));
    for (std::size_t i = 0; i < 64; ++i) {
        EXPECT_EQ(bench.lane<std::uint32_t>(4, i), placed_number(0x200 + 8 * i, 4));
        EXPECT_EQ(bench.lane<std::uint32_t>(1, i), placed_number(0x204 + 8 * i, 4));
    }
    bench.ub_fill(0xCD);
    for (std::size_t i = 0; i < 64; i += 2) bench.mask()[0].set_bit(4 * i);
    Op store = isa::Store{T::u64, UbAddress{0x200}, VectorOperand(v4, v1), m0, 64};
    ASSERT_TRUE(accepted(bench.run(store, bench.port(), nullptr)));
    for (std::size_t i = 0; i < 64; ++i) {
        EXPECT_EQ(bench.ub_get<std::uint64_t>(0x200 + 8 * i),
                  i % 2 == 0 ? placed_number(0x200 + 8 * i, 8) : 0xCDCDCDCDCDCDCDCD);
    }
    EXPECT_EQ(isa::value(std::get<isa::Store>(store).address), 0x200 + 512);
}

TEST(LoadStorePair, ExistsFor64BitTypesOnly) {
    Bench bench(ascend950());
    for (const ElementType type : kAllTypes) {
        const Op load = isa::Load{type, VectorOperand(v0, v1), UbAddress{0}, 0};
        const Op store = isa::Store{type, UbAddress{0}, VectorOperand(v0, v1), m0, 0};
        const DiagnosticId expected = bytes_of(type) == 8 ? DiagnosticId::none : DiagnosticId::unsupported_type;
        EXPECT_EQ(bench.check(load).id, expected) << text_of(type);
        EXPECT_EQ(bench.check(store).id, expected) << text_of(type);
    }
}

TEST(StoreAtTheEnd, OnlyActiveLanesMustLieInTheUb) {
    Bench bench(ascend950());
    bench.ub_fill(0xCD);
    bench.vector_fill(0, 0x11);
    bench.mask()[0].words = {0x3FF, 0, 0, 0};  // 5 lanes of 16 bits
    Op op = isa::Store{T::b16, UbAddress{262144 - 32}, v0, m0, 0};
    ASSERT_TRUE(accepted(bench.run(op)));
    for (std::size_t at = 0; at < 32; ++at) {
        EXPECT_EQ(bench.ub_get<std::uint8_t>(262144 - 32 + at), at < 10 ? 0x11 : 0xCD) << at;
    }
    bench.mask()[0].set_bit(2 * 17);
    const isa::Fault fault = bench.run(op);
    EXPECT_EQ(fault.id, DiagnosticId::ub_out_of_bounds);
    EXPECT_EQ(fault.lane, 17);
    EXPECT_EQ(fault.address, 262144 + 2);
}

TEST(BlockStride, ZeroRepeatsABlockAndTooLargeIsRefused) {
    Bench bench(ascend950());
    place_all(bench);
    bench.mask_all(0);
    ASSERT_TRUE(accepted(bench.run(isa::BlockLoad{T::b8, v0, UbAddress{0x40}, 0, m0, 0})));
    for (std::size_t at = 0; at < 256; ++at) EXPECT_EQ(bench.lane<std::uint8_t>(0, at), placed(0x40 + at % 32));
    for (const std::int64_t stride : {std::int64_t{-1}, std::int64_t{65536}, std::int64_t{1} << 32}) {
        EXPECT_TRUE(refused(bench, isa::BlockLoad{T::b8, v0, UbAddress{0}, stride, m0, 0}, DiagnosticId::bad_stride));
        EXPECT_TRUE(refused(bench, isa::BlockStore{T::b8, UbAddress{0}, v0, stride, m0, 0}, DiagnosticId::bad_stride));
    }
    bench.mask_none(0);
    EXPECT_TRUE(accepted(bench.run(isa::BlockLoad{T::b8, v0, UbAddress{0}, 65535, m0, 0})));
}

// ---- tensor scatter

struct ScatterProduct {
    const char* name;
    reference::Product (*make)(std::uint64_t);
    std::vector<ElementType> types;         ///< of the count form, written out
    std::vector<ElementType> masked_types;  ///< of the mask forms
    std::uint64_t limit_b8;
    std::uint64_t limit_b16;
    friend std::ostream& operator<<(std::ostream& out, const ScatterProduct& p) { return out << p.name; }
};

const ScatterProduct kScatterProducts[] = {
    {"ascend950",
     ascend950,
     {T::s8, T::u8, T::s16, T::u16, T::half, T::bf16, T::s32, T::u32, T::f32, T::s64, T::u64},
     {T::s16, T::u16, T::half, T::bf16, T::s32, T::u32, T::f32, T::s64, T::u64},
     0xFFFF,
     0x1FFFF},
    {"atlas_200i_500_a2",
     atlas_200i,
     {T::s8, T::u8, T::s16, T::u16, T::half, T::s32, T::u32, T::f32},
     {T::s8, T::u8, T::s16, T::u16, T::half, T::s32, T::u32, T::f32},
     0xFFFF,
     0x1FFFF},
    {"atlas_inference_aicore",
     atlas_inference,
     {T::u16, T::half, T::u32, T::f32},
     {T::u16, T::half, T::u32, T::f32},
     0xFFFFFFFF,
     0xFFFFFFFF},
};

isa::TensorScatter tensor_op(ElementType type) {
    isa::TensorScatter op;
    op.type = type;
    op.dst = UbAddress{0x8000};
    op.src = UbAddress{0x400};
    op.offset = UbAddress{0x4000};
    return op;
}

bool holds(const std::vector<ElementType>& types, ElementType asked) {
    for (const ElementType type : types) {
        if (stands_for(asked, type)) return true;
    }
    return false;
}

class TensorScatterTypes : public ::testing::TestWithParam<std::tuple<ScatterProduct, ElementType>> {
protected:
    /// Places `steps` elements and offsets that reverse them; returns the bench.
    static void place(Bench& bench, std::size_t bytes, std::size_t steps) {
        place_all(bench);
        for (std::size_t step = 0; step < steps; ++step) {
            bench.ub_set(0x4000 + 4 * step, static_cast<std::uint32_t>((steps - 1 - step) * bytes));
        }
        for (std::size_t at = 0; at < 0x1000; ++at) bench.ub_set(0x8000 + at, std::uint8_t{0xCD});
    }
};

TEST_P(TensorScatterTypes, CountForm) {
    const auto& [product, type] = GetParam();
    Bench bench(product.make(262144));
    const std::size_t bytes = bytes_of(type);
    place(bench, bytes, 150);
    isa::TensorScatter op = tensor_op(type);
    op.form = isa::TensorScatterForm::count;
    op.count = 150;
    if (!holds(product.types, type)) {
        EXPECT_TRUE(refused(bench, op, DiagnosticId::unsupported_type));
        return;
    }
    ASSERT_TRUE(accepted(bench.run(op)));
    for (std::size_t at = 0; at < 150 * bytes; ++at) {
        EXPECT_EQ(bench.ub_get<std::uint8_t>(0x8000 + at), placed(0x400 + (149 - at / bytes) * bytes + at % bytes));
    }
    EXPECT_EQ(bench.ub_get<std::uint8_t>(0x8000 + 150 * bytes), 0xCD);
}

TEST_P(TensorScatterTypes, ContiguousMaskForm) {
    const auto& [product, type] = GetParam();
    Bench bench(product.make(262144));
    const std::size_t bytes = bytes_of(type);
    const std::size_t per_iteration = bytes <= 2 ? 128 : 256 / bytes;
    place(bench, bytes, 2 * per_iteration);
    isa::TensorScatter op = tensor_op(type);
    op.form = isa::TensorScatterForm::contiguous_mask;
    op.mask_low = 5;
    op.repeat = 2;
    op.stride = 9;
    if (!holds(product.masked_types, type)) {
        EXPECT_TRUE(refused(bench, op, DiagnosticId::unsupported_type));
        return;
    }
    ASSERT_TRUE(accepted(bench.run(op)));
    for (std::size_t target = 0; target < 2 * per_iteration; ++target) {
        const std::size_t step = 2 * per_iteration - 1 - target;
        const std::size_t element = step % per_iteration;
        for (std::size_t byte = 0; byte < bytes; ++byte) {
            const std::size_t source = 0x400 + step / per_iteration * 288 + element * bytes + byte;
            EXPECT_EQ(bench.ub_get<std::uint8_t>(0x8000 + target * bytes + byte), element < 5 ? placed(source) : 0xCD);
        }
    }
}

TEST_P(TensorScatterTypes, BitMaskForm) {
    const auto& [product, type] = GetParam();
    Bench bench(product.make(262144));
    const std::size_t bytes = bytes_of(type);
    const std::size_t per_iteration = bytes <= 2 ? 128 : 256 / bytes;
    place(bench, bytes, per_iteration);
    isa::TensorScatter op = tensor_op(type);
    op.form = isa::TensorScatterForm::bit_mask;
    op.mask_low = 0x80000001;
    op.mask_high = per_iteration == 128 ? std::uint64_t{1} << 63 : 0;
    if (!holds(product.masked_types, type)) {
        EXPECT_TRUE(refused(bench, op, DiagnosticId::unsupported_type));
        return;
    }
    ASSERT_TRUE(accepted(bench.run(op)));
    for (std::size_t element = 0; element < per_iteration; ++element) {
        const bool active = element == 0 || element == 31 || element == 127;
        const std::size_t at = 0x8000 + (per_iteration - 1 - element) * bytes;
        EXPECT_EQ(bench.ub_get<std::uint8_t>(at), active ? placed(0x400 + element * bytes) : 0xCD) << element;
    }
}

INSTANTIATE_TEST_SUITE_P(ProductTable, TensorScatterTypes,
                         ::testing::Combine(::testing::ValuesIn(kScatterProducts), ::testing::ValuesIn(kAllTypes)),
                         [](const auto& row) {
                             return std::string(std::get<0>(row.param).name) + "_" + text_of(std::get<1>(row.param));
                         });

class TensorScatterLimits : public ::testing::TestWithParam<ScatterProduct> {
protected:
    Bench bench_{GetParam().make(262144)};

    isa::TensorScatter masked(ElementType type, isa::TensorScatterForm form, std::uint64_t low, std::uint64_t high) {
        isa::TensorScatter op = tensor_op(type);
        op.form = form;
        op.mask_low = low;
        op.mask_high = high;
        return op;
    }
    void expect_offset(ElementType type, std::uint64_t largest_legal) {
        isa::TensorScatter op = tensor_op(type);
        op.dst = UbAddress{0};
        op.count = 1;
        bench_.ub_set(0x4000, static_cast<std::uint32_t>(largest_legal));
        EXPECT_TRUE(accepted(bench_.run(op))) << text_of(type);
        if (largest_legal + bytes_of(type) == 262144) {
            bench_.ub_set(0x4000, std::uint32_t{262144});
            EXPECT_TRUE(refused(bench_, op, DiagnosticId::ub_out_of_bounds)) << text_of(type);
        } else {
            bench_.ub_set(0x4000, static_cast<std::uint32_t>(largest_legal + bytes_of(type)));
            EXPECT_TRUE(refused(bench_, op, DiagnosticId::offset_out_of_range)) << text_of(type);
        }
    }
};

TEST_P(TensorScatterLimits, Offsets) {
    const std::uint64_t end = 262144;
    if (GetParam().limit_b8 == 0xFFFF) {
        expect_offset(T::s8, 65535);
        expect_offset(T::u16, 131070);
    } else {
        expect_offset(T::u16, end - 2);
    }
    expect_offset(T::u32, end - 4);
}

TEST_P(TensorScatterLimits, ContiguousMask) {
    const auto form = isa::TensorScatterForm::contiguous_mask;
    for (const auto& [type, most] :
         {std::pair{T::u8, 128}, std::pair{T::half, 128}, std::pair{T::f32, 64}, std::pair{T::u64, 32}}) {
        if (!holds(GetParam().masked_types, type)) continue;
        const auto n = static_cast<std::uint64_t>(most);
        EXPECT_EQ(bench_.check(masked(type, form, 1, 0)).id == DiagnosticId::bad_mask, false);
        EXPECT_EQ(bench_.check(masked(type, form, n, 0)).id == DiagnosticId::bad_mask, false);
        EXPECT_TRUE(refused(bench_, masked(type, form, 0, 0), DiagnosticId::bad_mask)) << text_of(type);
        EXPECT_TRUE(refused(bench_, masked(type, form, n + 1, 0), DiagnosticId::bad_mask)) << text_of(type);
        EXPECT_TRUE(refused(bench_, masked(type, form, (std::uint64_t{1} << 32) + 1, 0), DiagnosticId::bad_mask));
    }
}

TEST_P(TensorScatterLimits, BitMask) {
    const auto form = isa::TensorScatterForm::bit_mask;
    const std::uint64_t all = ~std::uint64_t{0};
    for (const ElementType type : {T::u8, T::half, T::f32, T::u64}) {
        if (!holds(GetParam().masked_types, type)) continue;
        EXPECT_TRUE(refused(bench_, masked(type, form, 0, 0), DiagnosticId::bad_mask)) << text_of(type);
        EXPECT_EQ(bench_.check(masked(type, form, 1, 0)).id, DiagnosticId::none);
        const bool wide = bytes_of(type) <= 2;
        EXPECT_EQ(bench_.check(masked(type, form, all, all)).id, wide ? DiagnosticId::none : DiagnosticId::bad_mask);
        EXPECT_EQ(bench_.check(masked(type, form, 0, 1)).id, wide ? DiagnosticId::none : DiagnosticId::bad_mask);
        EXPECT_EQ(bench_.check(masked(type, form, 1, 1)).id, wide ? DiagnosticId::none : DiagnosticId::bad_mask);
        const bool word = bytes_of(type) == 8;
        EXPECT_EQ(bench_.check(masked(type, form, 0xFFFFFFFF, 0)).id, DiagnosticId::none);
        EXPECT_EQ(bench_.check(masked(type, form, std::uint64_t{1} << 32, 0)).id,
                  word ? DiagnosticId::bad_mask : DiagnosticId::none);
    }
}

TEST_P(TensorScatterLimits, RepeatAndStride) {
    for (const auto form : {isa::TensorScatterForm::contiguous_mask, isa::TensorScatterForm::bit_mask}) {
        isa::TensorScatter op = masked(T::half, form, 1, 0);
        op.repeat = 255;
        op.stride = 0;
        EXPECT_EQ(bench_.check(op).id, DiagnosticId::none);
        op.stride = 255;
        op.repeat = 2;
        EXPECT_EQ(bench_.check(op).id, DiagnosticId::none);
        for (const std::int64_t repeat : {-1, 256, 65536}) {
            op.repeat = repeat;
            EXPECT_TRUE(refused(bench_, op, DiagnosticId::bad_repeat)) << repeat;
        }
        op.repeat = 1;
        for (const std::int64_t stride : {-1, 256, 65536}) {
            op.stride = stride;
            EXPECT_TRUE(refused(bench_, op, DiagnosticId::bad_stride)) << stride;
        }
    }
}

TEST_P(TensorScatterLimits, NothingToDoIsLegalAndWritesNothing) {
    const bool warns = std::string(GetParam().name) == "ascend950";
    bench_.ub_fill(0xCD);
    const auto before = bench_.ub();
    isa::TensorScatter count = tensor_op(T::half);
    isa::TensorScatter repeat = masked(T::half, isa::TensorScatterForm::contiguous_mask, 5, 0);
    repeat.repeat = 0;
    for (const isa::TensorScatter& op : {count, repeat}) {
        ASSERT_TRUE(accepted(bench_.run(op)));
        EXPECT_EQ(static_cast<bool>(bench_.notes().empty), warns);
        EXPECT_TRUE(before == bench_.ub());
    }
}

TEST_P(TensorScatterLimits, Alignment) {
    isa::TensorScatter op = tensor_op(T::half);
    op.count = 1;
    bench_.ub_set(0x4000, std::uint32_t{0});
    for (UbAddress isa::TensorScatter::*start :
         {&isa::TensorScatter::dst, &isa::TensorScatter::src, &isa::TensorScatter::offset}) {
        isa::TensorScatter crooked = op;
        crooked.*start = UbAddress{isa::value(op.*start) + 16};
        const isa::Fault fault = bench_.run(crooked);
        EXPECT_EQ(fault.id, DiagnosticId::misaligned);
        EXPECT_EQ(fault.address, isa::value(crooked.*start));
    }
    isa::TensorScatter base = op;
    base.base = 3;
    EXPECT_TRUE(refused(bench_, base, DiagnosticId::misaligned));
    bench_.ub_set(0x4000, std::uint32_t{3});
    const isa::Fault fault = bench_.run(op);
    EXPECT_EQ(fault.id, DiagnosticId::misaligned);
    EXPECT_EQ(fault.lane, 0);
}

INSTANTIATE_TEST_SUITE_P(Product, TensorScatterLimits, ::testing::ValuesIn(kScatterProducts),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(TensorScatterOffsets, OnlyActiveOnesAreLookedAt) {
    Bench bench(ascend950());
    const std::uint32_t words[] = {0x11111111, 0x22222222, 0x33333333, 0x44444444};
    const std::uint32_t offsets[] = {1, 4, 8, 12};
    for (std::size_t i = 0; i < 4; ++i) {
        bench.ub_set(0x400 + 4 * i, words[i]);
        bench.ub_set(0x4000 + 4 * i, offsets[i]);
        bench.ub_set(0x8000 + 4 * i, 0xDEADBEEF);
    }
    isa::TensorScatter op = tensor_op(T::u32);
    op.form = isa::TensorScatterForm::bit_mask;
    op.mask_low = 0xE;
    ASSERT_TRUE(accepted(bench.run(op)));
    EXPECT_EQ(bench.ub_get<std::uint32_t>(0x8000), 0xDEADBEEF);
    for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(bench.ub_get<std::uint32_t>(0x8000 + 4 * i), words[i]);
}

TEST(TensorScatterOffsets, TheTensorNeedOnlyHoldTheElementsInUse) {
    Bench bench(ascend950());
    bench.ub_set(262144 - 32, std::uint32_t{6});
    bench.ub_set(0x400, std::uint16_t{0xBEEF});
    isa::TensorScatter op = tensor_op(T::u16);
    op.offset = UbAddress{262144 - 32};
    op.form = isa::TensorScatterForm::bit_mask;
    op.mask_low = 1;
    ASSERT_TRUE(accepted(bench.run(op)));
    EXPECT_EQ(bench.ub_get<std::uint16_t>(0x8006), 0xBEEF);
}

TEST(TensorScatterOffsets, NothingStartsBeforeTheUb) {
    Bench bench(ascend950());
    isa::TensorScatter op = tensor_op(T::u16);
    op.form = isa::TensorScatterForm::bit_mask;
    op.mask_low = std::uint64_t{1} << 20;  // its source and its offset would lie in the UB
    for (UbAddress isa::TensorScatter::*start : {&isa::TensorScatter::src, &isa::TensorScatter::offset}) {
        isa::TensorScatter early = op;
        early.*start = UbAddress{-32};
        EXPECT_TRUE(refused(bench, early, DiagnosticId::ub_out_of_bounds));
    }
    EXPECT_TRUE(accepted(bench.run(op)));
}

// ---- products

TEST(ProductTable, VectorFunctionsExistOnAscend950Only) {
    const std::vector<Op> ops = {
        isa::CreateMask{T::b16, m0, MaskPattern::all},
        isa::UpdateMask{T::b16, m0, 3, false},
        isa::MaskGen{T::b16, m0, v1, 0},
        isa::MaskLoad{m0, UbAddress{0}, isa::MaskLoadMode::norm, 0},
        isa::MaskStore{UbAddress{0}, m0, isa::MaskStoreMode::norm, 0},
        isa::Load{T::b16, v0, UbAddress{0}, 0},
        isa::Store{T::b16, UbAddress{0}, v0, m0, 0},
        isa::BlockLoad{T::b16, v0, UbAddress{0}, 1, m0, 0},
        isa::BlockStore{T::b16, UbAddress{0}, v0, 1, m0, 0},
        gather_op({"", T::half, T::half, T::u16, T::half, 128}),
        isa::GatherBlock{T::b16, v0, UbAddress{0}, v1, m0},
        isa::GatherRegister{T::b16, v0, v1, v2},
        scatter_op({"", T::half, T::u16, T::u16, 128}),
        isa::Add{T::half, v0, v1, v2, m0},
        isa::Adds{T::half, v0, v1, 0, m0},
        isa::Duplicate{T::half, v0, 0},
    };
    Bench ascend(ascend950());
    for (const Op& op : ops) EXPECT_TRUE(accepted(ascend.run(op))) << isa::name(isa::kind_of(op));
    for (const auto make : {atlas_200i, atlas_inference, atlas_a2, atlas_training}) {
        Bench bench(make(196608));
        for (const Op& op : ops) {
            EXPECT_TRUE(refused(bench, op, DiagnosticId::unsupported_op)) << isa::name(isa::kind_of(op));
        }
    }
}

TEST(ProductTable, TensorScatterExistsOnThreeAndTensorAddOnArchitecture2201) {
    const Op scatter = tensor_op(T::half);
    const Op add = isa::TensorAdd{T::f32, UbAddress{0}, UbAddress{32}, UbAddress{64}, 8};
    for (const auto make : {ascend950, atlas_200i, atlas_inference}) {
        Bench bench(make(196608));
        EXPECT_TRUE(accepted(bench.run(scatter)));
        EXPECT_TRUE(refused(bench, add, DiagnosticId::unsupported_op));
    }
    Bench a2(atlas_a2());
    EXPECT_TRUE(refused(a2, scatter, DiagnosticId::unsupported_op));
    EXPECT_TRUE(accepted(a2.run(add)));
    Bench training(atlas_training());
    EXPECT_TRUE(refused(training, scatter, DiagnosticId::unsupported_op));
    EXPECT_TRUE(refused(training, add, DiagnosticId::unsupported_op));
}

TEST(ProductTable, TensorAddAddsFloats) {
    Bench bench(atlas_a2());
    for (std::size_t i = 0; i < 70; ++i) {
        bench.ub_set(0x400 + 4 * i, static_cast<float>(i));
        bench.ub_set(0x800 + 4 * i, 0.5F);
    }
    ASSERT_TRUE(accepted(bench.run(isa::TensorAdd{T::f32, UbAddress{0x1000}, UbAddress{0x400}, UbAddress{0x800}, 69})));
    for (std::size_t i = 0; i < 69; ++i) {
        EXPECT_EQ(bench.ub_get<float>(0x1000 + 4 * i), static_cast<float>(i) + 0.5F);
    }
    EXPECT_EQ(bench.ub_get<float>(0x1000 + 4 * 69), 0.0F);
    EXPECT_TRUE(refused(bench, isa::TensorAdd{T::half, UbAddress{0}, UbAddress{0}, UbAddress{0}, 1},
                        DiagnosticId::unsupported_type));
    EXPECT_TRUE(
        refused(bench, isa::TensorAdd{T::f32, UbAddress{0}, UbAddress{0}, UbAddress{0}, -1}, DiagnosticId::bad_count));
}

// ---- arithmetic

struct SumRow {
    const char* name;
    ElementType type;
    std::uint64_t a;
    std::uint64_t b;
    std::uint64_t sum;
    friend std::ostream& operator<<(std::ostream& out, const SumRow& row) { return out << row.name; }
};

class Sums : public ::testing::TestWithParam<SumRow> {};

TEST_P(Sums, AddAndAddsAgreeWithTheHandAndZeroInactiveLanes) {
    const SumRow& row = GetParam();
    const std::size_t bytes = bytes_of(row.type);
    const std::size_t lanes = 256 / bytes;
    Bench bench(ascend950());
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        set_lane(bench, 1, bytes, lane, row.a);
        set_lane(bench, 2, bytes, lane, row.b);
        if (lane % 2 == 0) bench.mask()[0].set_bit(lane * bytes);
    }
    bench.vector_fill(0, 0xFF);
    bench.vector_fill(3, 0xFF);
    ASSERT_TRUE(accepted(bench.run(isa::Add{row.type, v0, v1, v2, m0})));
    ASSERT_TRUE(accepted(bench.run(isa::Adds{row.type, v3, v1, row.b, m0})));
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        const std::uint64_t expected = lane % 2 == 0 ? row.sum : 0;
        EXPECT_EQ(lane_of(bench, 0, bytes, lane), expected);
        EXPECT_EQ(lane_of(bench, 3, bytes, lane), expected);
    }
}

INSTANTIATE_TEST_SUITE_P(Row, Sums,
                         ::testing::Values(SumRow{"float_one_and_a_half", T::f32, 0x3F800000, 0x3FC00000, 0x40200000},
                                           SumRow{"float_tie_to_even", T::f32, 0x3F800000, 0x33800000, 0x3F800000},
                                           SumRow{"float_subnormals", T::f32, 0x00000001, 0x007FFFFF, 0x00800000},
                                           SumRow{"float_overflow", T::f32, 0x7F7FFFFF, 0x7F7FFFFF, 0x7F800000},
                                           SumRow{"float_inf_minus_inf", T::f32, 0x7F800000, 0xFF800000, 0x7FC00000},
                                           SumRow{"half_tie_to_even_down", T::half, 0x3C00, 0x1000, 0x3C00},
                                           SumRow{"half_tie_to_even_up", T::half, 0x3C01, 0x1000, 0x3C02},
                                           SumRow{"half_just_above_a_tie", T::half, 0x3C00, 0x1001, 0x3C01},
                                           SumRow{"half_2048_and_1", T::half, 0x6800, 0x3C00, 0x6800},
                                           SumRow{"half_subnormals", T::half, 0x0001, 0x03FF, 0x0400},
                                           SumRow{"half_largest_and_16", T::half, 0x7BFF, 0x4C00, 0x7C00},
                                           SumRow{"half_largest_and_just_less", T::half, 0x7BFF, 0x4BFF, 0x7BFF},
                                           SumRow{"half_cancels_to_plus_zero", T::half, 0x3C00, 0xBC00, 0x0000},
                                           SumRow{"half_minus_zeros", T::half, 0x8000, 0x8000, 0x8000},
                                           SumRow{"half_inf_minus_inf", T::half, 0x7C00, 0xFC00, 0x7E00},
                                           SumRow{"half_nan_becomes_canonical", T::half, 0xFD01, 0x3C00, 0x7E00},
                                           SumRow{"s32_wraps", T::s32, 0x7FFFFFFF, 1, 0x80000000},
                                           SumRow{"u32_wraps", T::u32, 0xFFFFFFFF, 2, 1},
                                           SumRow{"s16_wraps", T::s16, 0x7FFF, 1, 0x8000},
                                           SumRow{"u16_wraps", T::u16, 0xFFFF, 3, 2}),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(ArithmeticTypes, AreTheSixAndNoOthers) {
    const std::set<ElementType> six = {T::f32, T::half, T::s32, T::u32, T::s16, T::u16};
    Bench bench(ascend950());
    for (const ElementType type : kAllTypes) {
        const DiagnosticId expected = six.count(type) != 0 ? DiagnosticId::none : DiagnosticId::unsupported_type;
        EXPECT_EQ(bench.check(isa::Add{type, v0, v1, v2, m0}).id, expected) << text_of(type);
        EXPECT_EQ(bench.check(isa::Adds{type, v0, v1, 0, m0}).id, expected) << text_of(type);
        // A duplicate only moves bits, so the width alone will do.
        const bool moves = expected == DiagnosticId::none || type == T::b16 || type == T::b32;
        EXPECT_EQ(bench.check(isa::Duplicate{type, v0, 0}).id,
                  moves ? DiagnosticId::none : DiagnosticId::unsupported_type)
            << text_of(type);
    }
}

class Duplicates : public ::testing::TestWithParam<ElementType> {};

TEST_P(Duplicates, FillEveryLane) {
    Bench bench(ascend950());
    ASSERT_TRUE(accepted(bench.run(isa::Duplicate{GetParam(), v0, 0x7F8000017C01})));
    const std::size_t bytes = bytes_of(GetParam());
    for (std::size_t lane = 0; lane < 256 / bytes; ++lane) {
        EXPECT_EQ(lane_of(bench, 0, bytes, lane), bytes == 2 ? 0x7C01U : 0x00017C01U);
    }
}

INSTANTIATE_TEST_SUITE_P(Row, Duplicates, ::testing::Values(T::f32, T::half, T::s32, T::u32, T::s16, T::u16),
                         [](const auto& row) { return std::string(text_of(row.param)); });

// ---- registers and addresses

TEST(RegisterFile, NumbersPastTheEndNeverAlias) {
    Bench bench(ascend950());
    for (const std::int64_t number : {std::int64_t{32}, std::int64_t{-1}, std::int64_t{1} << 32, std::int64_t{256}}) {
        EXPECT_TRUE(refused(bench, isa::Duplicate{T::u16, VregId{number}, 0xFFFF}, DiagnosticId::bad_register));
    }
    for (const std::int64_t number : {std::int64_t{8}, std::int64_t{-1}, std::int64_t{1} << 32, std::int64_t{32}}) {
        EXPECT_TRUE(
            refused(bench, isa::CreateMask{T::b8, MregId{number}, MaskPattern::all}, DiagnosticId::bad_register));
    }
}

TEST(OrderOfChecks, ProductThenTypesThenRegistersThenParametersThenAlignmentThenLanes) {
    // Everything is wrong; then one thing after the other is put right.
    isa::BlockLoad op;
    op.type = T::half;
    op.dst = VregId{32};
    op.stride = -1;
    op.address = UbAddress{262144 + 1};
    Bench none(atlas_training());
    EXPECT_EQ(none.check(op).id, DiagnosticId::unsupported_op);
    Bench bench(ascend950());
    bench.mask_all(0);
    EXPECT_EQ(bench.check(op).id, DiagnosticId::bad_register);
    op.dst = v0;
    EXPECT_EQ(bench.check(op).id, DiagnosticId::bad_stride);
    op.stride = 1;
    EXPECT_EQ(bench.check(op).id, DiagnosticId::misaligned);
    op.address = UbAddress{262144};
    EXPECT_EQ(bench.check(op).id, DiagnosticId::ub_out_of_bounds);
    op.address = UbAddress{262144 - 256};
    EXPECT_EQ(bench.check(op).id, DiagnosticId::none);

    isa::Gather gather = std::get<isa::Gather>(gather_op({"", T::half, T::s8, T::u16, T::half, 128}));
    gather.dst = VregId{99};
    EXPECT_EQ(bench.check(gather).id, DiagnosticId::unsupported_type);
}

}  // namespace
}  // namespace vcore::unit
