// The pairing tables as functions, against the tables written out as people read them: every combination of types that
// stands in a row is legal and no other is. That the checks of the ops decide alike, the tables' tests show.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "models/isa/type_rules.hpp"
#include "platforms/products.hpp"

namespace vcore::unit {
namespace {

using isa::Api;
using isa::ElementType;
using Names = std::set<std::string>;

// Usable where a kernel is compiled.
static_assert(isa::is_gather(ElementType::s16, ElementType::s8, ElementType::u16, Api::c));
static_assert(!isa::is_gather(ElementType::s16, ElementType::u8, ElementType::u16, Api::c));
static_assert(!isa::is_gather(ElementType::u8, ElementType::u8, ElementType::u16, Api::cpp));
static_assert(isa::is_scatter(ElementType::u64, ElementType::u32, Api::cpp));

std::vector<ElementType> value_types() {
    std::vector<ElementType> types;
    for (std::size_t i = 0; i < isa::kElementTypes; ++i) {
        const auto type = static_cast<ElementType>(i);
        if (!isa::is_bits(type)) types.push_back(type);
    }
    return types;
}

std::string text(ElementType type) {
    return std::string(isa::name(type));
}

/// The types for which `rule` holds.
template <typename Rule>
Names types_where(Rule&& rule) {
    Names names;
    for (const ElementType type : value_types()) {
        if (rule(type)) names.insert(text(type));
    }
    return names;
}

/// "data index" for every two types for which `rule` holds.
template <typename Rule>
Names pairs_where(Rule&& rule) {
    Names names;
    for (const ElementType data : value_types()) {
        for (const ElementType index : value_types()) {
            if (rule(data, index)) names.insert(text(data) + " " + text(index));
        }
    }
    return names;
}

/// "dst src index" for every three types that the API gathers from UB.
Names gathers(Api api) {
    Names names;
    for (const ElementType dst : value_types()) {
        const Names rows =
            pairs_where([&](ElementType src, ElementType index) { return isa::is_gather(dst, src, index, api); });
        for (const std::string& row : rows) names.insert(text(dst) + " " + row);
    }
    return names;
}

Names joined(Names a, const Names& b) {
    a.insert(b.begin(), b.end());
    return a;
}

const Names kCommonGathers = {
    "s16 s8 u16",    "u16 u8 u16",  "s16 s16 u16", "u16 u16 u16",     "half half u16",
    "bf16 bf16 u16", "s32 s32 u32", "u32 u32 u32", "float float u32",
};
const Names kCGathers = {
    "s8 s8 u16",     "u8 u8 u16",   "hif8 hif8 u16", "e8m0 e8m0 u16", "e5m2 e5m2 u16",
    "e4m3 e4m3 u16", "s16 s16 u32", "u16 u16 u32",   "half half u32", "bf16 bf16 u32",
};
const Names kCppGathers = {"s64 s64 u32", "s64 s64 u64", "u64 u64 u32", "u64 u64 u64"};

TEST(TypeRules, GatherFromUb) {
    EXPECT_EQ(gathers(Api::c), joined(kCommonGathers, kCGathers));
    EXPECT_EQ(gathers(Api::cpp), joined(kCommonGathers, kCppGathers));
    EXPECT_EQ(gathers(Api::machine), joined(joined(kCommonGathers, kCGathers), kCppGathers));
}

TEST(TypeRules, GatherFromRegister) {
    const auto rows = [](Api api) {
        return pairs_where(
            [&](ElementType data, ElementType index) { return isa::is_gather_register(data, index, api); });
    };
    const Names c = {"s8 u8",   "u8 u8",   "hif8 u8",  "e8m0 u8",  "e5m2 u8", "e4m3 u8",
                     "s16 u16", "u16 u16", "half u16", "bf16 u16", "s32 u32", "u32 u32"};
    EXPECT_EQ(rows(Api::c), c);
    EXPECT_EQ(rows(Api::cpp), joined(c, {"float u32"}));
    EXPECT_EQ(rows(Api::machine), joined(c, {"float u32"}));
}

TEST(TypeRules, GatherOfBlocks) {
    const Names rows = pairs_where(isa::is_gather_block);
    EXPECT_EQ(rows.size(), value_types().size());
    for (const std::string& row : rows) EXPECT_EQ(row.substr(row.find(' ')), " u32");
}

TEST(TypeRules, RegisterScatter) {
    const auto rows = [](Api api) {
        return pairs_where([&](ElementType data, ElementType index) { return isa::is_scatter(data, index, api); });
    };
    const Names c = {"s8 u16",   "u8 u16",  "s16 u16", "u16 u16",  "half u16",
                     "bf16 u16", "s32 u32", "u32 u32", "float u32"};
    const Names wide = {"s64 u32", "s64 u64", "u64 u32", "u64 u64"};
    EXPECT_EQ(rows(Api::c), c);
    EXPECT_EQ(rows(Api::cpp), joined(c, wide));
    EXPECT_EQ(rows(Api::machine), joined(c, wide));
}

TEST(TypeRules, FormsOf64BitData) {
    using T = ElementType;
    EXPECT_TRUE(isa::is_form(false, T::u32, false));
    EXPECT_TRUE(isa::is_form(true, T::u32, false));
    EXPECT_FALSE(isa::is_form(true, T::u32, true));
    EXPECT_TRUE(isa::is_form(false, T::u64, false));
    EXPECT_TRUE(isa::is_form(false, T::u64, true));
    EXPECT_TRUE(isa::is_form(true, T::u64, true));
    EXPECT_FALSE(isa::is_form(true, T::u64, false));
    EXPECT_EQ(types_where(isa::is_pair), (Names{"s64", "u64"}));
}

TEST(TypeRules, MaskGenAndArithmetic) {
    EXPECT_EQ(types_where(isa::is_mask_gen), (Names{"s16", "u16", "half", "bf16", "s32", "u32", "float"}));
    const Names sums = {"s16", "u16", "half", "s32", "u32", "float"};
    EXPECT_EQ(types_where(isa::is_arithmetic), sums);
    EXPECT_EQ(types_where(isa::is_duplicate), sums);
    EXPECT_FALSE(isa::is_arithmetic(ElementType::b16)) << "a sum depends on what the bits mean";
    EXPECT_TRUE(isa::is_duplicate(ElementType::b16)) << "a copy does not";
}

TEST(TypeRules, TensorScatterIsTheUnionOfTheProducts) {
    Names of_products;
    for (const std::string& product : platforms::product_names()) {
        const engine::Configuration configuration = platforms::load_product(product);
        of_products = joined(of_products, types_where([&](ElementType type) {
                                 return configuration.capabilities.tensor_scatter.contains(type);
                             }));
    }
    EXPECT_EQ(types_where(isa::is_tensor_scatter), of_products);
}

TEST(TypeRules, BitsStandForAnyTypeOfTheirWidth) {
    using T = ElementType;
    EXPECT_TRUE(isa::is_gather(T::b16, T::b8, T::b16));
    EXPECT_TRUE(isa::is_gather(T::b64, T::b64, T::b64));
    EXPECT_TRUE(isa::is_scatter(T::b8, T::b16));
    EXPECT_FALSE(isa::is_gather(T::b32, T::b16, T::b32));
    EXPECT_FALSE(isa::is_scatter(T::b8, T::b32));
}

}  // namespace
}  // namespace vcore::unit
