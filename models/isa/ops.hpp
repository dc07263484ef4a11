// One struct per op of the vector core, and Op, the variant of them all.
//
// Ops are plain data: trivially copyable, no pointers, no checks. What an op means and what makes it illegal is
// executor.hpp's to say, what it costs models/timing's. Fields are as wide as a caller's numbers so that an illegal one
// arrives unchanged and can be refused by name.
//
// Fields marked "in/out" are read and then updated by execution, as the API's reference parameters are.
// Source: the section of `isa.md` named above each op.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <variant>

#include "models/isa/element_type.hpp"
#include "models/isa/ids.hpp"
#include "models/isa/modes.hpp"

namespace vcore::isa {

/// A vector operand: one register, or a pair that holds the low words (`low`) and the high words (`high`) of 64-bit
/// elements. A 64-bit type with a single register is the One form (32 lanes), with a pair the Two form (64 lanes).
/// Loads and stores whose mode takes two registers name the first one `low` and the second one `high`; the two sources
/// of a store may be one register.
struct VectorOperand {
    VregId low{};
    VregId high{};
    bool pair = false;

    constexpr VectorOperand() = default;
    constexpr VectorOperand(VregId one) : low(one) {}  // NOLINT: a single register is an operand
    constexpr VectorOperand(VregId low_words, VregId high_words) : low(low_words), high(high_words), pair(true) {}
};

// ---- vector functions ("Order and barriers")

/// Starts a vector function. Registers and masks persist from one function to the next.
struct VfBegin {};
/// Ends the running vector function; everything in it has completed afterwards.
struct VfEnd {};

enum class BarrierKind : std::uint8_t {
    vst_vld,
    vld_vst,
    vst_vst,
    vv_all,
    vs_all,
    vst_ld,
    vld_st,
    vst_st,
    sv_all,
    st_vld,
    ld_vst,
    st_vst,
    ss_all,
    ld_st,
    st_ld,
    st_st,
};
inline constexpr std::size_t kBarrierKinds = 16;
/// `LocalMemBar`: later accesses of the second kind wait for earlier ones of the first.
struct Barrier {
    BarrierKind kind{};
};

// ---- mask registers ("Mask register")

enum class MaskPattern : std::uint8_t {
    all,
    vl1,
    vl2,
    vl3,
    vl4,
    vl8,
    vl16,
    vl32,
    vl64,
    vl128,
    m3,
    m4,
    h,
    q,
    allf,
};
inline constexpr std::size_t kMaskPatterns = 15;
struct CreateMask {
    ElementType type{};
    MregId dst{};
    MaskPattern pattern{};
};
/// Lane i is active iff i < count; then count = max(0, count - lanes). `pair` counts the 64 lanes of a 64-bit pair.
struct UpdateMask {
    ElementType type{};
    MregId dst{};
    std::int64_t count = 0;  ///< in/out, lanes; legal are 0..2^32-1
    bool pair = false;
};
/// `MaskGenWithRegTensor`: part `part` of the source, each bit doubled (b16) or quadrupled (b32).
struct MaskGen {
    ElementType type{};
    MregId dst{};
    VregId src{};
    std::int64_t part = 0;
};
enum class MaskLoadMode : std::uint8_t { norm, us, ds };
struct MaskLoad {
    MregId dst{};
    UbAddress address{};  ///< in/out
    MaskLoadMode mode{};
    std::int64_t post_update = 0;  ///< bytes added to `address` afterwards
};
enum class MaskStoreMode : std::uint8_t { norm, pack };
struct MaskStore {
    UbAddress address{};  ///< in/out
    MregId src{};
    MaskStoreMode mode{};
    std::int64_t post_update = 0;  ///< bytes added to `address` afterwards
};

// ---- contiguous and block load and store ("Contiguous load and store")

/// 256 B from a 32 B aligned address; 512 B, de-interleaved, into a 64-bit pair; or as the mode says.
struct Load {
    ElementType type{};
    VectorOperand dst{};
    UbAddress address{};           ///< in/out
    std::int64_t post_update = 0;  ///< elements of `type` added to `address` afterwards
    LoadMode mode = LoadMode::norm;
};
/// Active lanes only; a pair is interleaved under a b32 mask. Other modes as they say; those that ignore the mask do
/// not look at the operand either.
struct Store {
    ElementType type{};
    UbAddress address{};  ///< in/out
    VectorOperand src{};
    MregId mask{};
    std::int64_t post_update = 0;  ///< elements of `type` added to `address` afterwards
    StoreMode mode = StoreMode::norm;
};
/// 8 blocks of 32 B, block b from address + b * stride * 32. A block moves if any of its lanes is active, else becomes
/// 0.
struct BlockLoad {
    ElementType type{};
    VregId dst{};
    UbAddress address{};      ///< in/out
    std::int64_t stride = 1;  ///< blocks of 32 B, 0..65535
    MregId mask{};
    std::int64_t post_update = 0;  ///< blocks of 32 B added to `address` afterwards
};
/// A block is written if any of its lanes is active; all its 32 bytes are.
struct BlockStore {
    ElementType type{};
    UbAddress address{};  ///< in/out
    VregId src{};
    std::int64_t stride = 1;  ///< blocks of 32 B, 0..65535
    MregId mask{};
    std::int64_t post_update = 0;  ///< blocks of 32 B added to `address` afterwards
};

// ---- gather and scatter

/// dst[i] = UB[base + index[i] * size_of(source)] ("Gather, UB to register").
struct Gather {
    ElementType dst_type{};
    ElementType src_type{};
    ElementType index_type{};
    VectorOperand dst{};
    UbAddress base{};
    VectorOperand index{};
    MregId mask{};
};
/// Eight blocks of 32 B at base + index[b], byte offsets ("GatherB / block gather").
struct GatherBlock {
    ElementType type{};
    VregId dst{};
    UbAddress base{};
    VregId index{};
    MregId mask{};
};
/// dst[i] = src[index[i] mod lanes], all lanes ("Gather, register to register").
struct GatherRegister {
    ElementType type{};
    VregId dst{};
    VregId src{};
    VregId index{};
};
/// UB[base + index[i] * size] = src[i] ("Register scatter").
struct Scatter {
    ElementType type{};
    ElementType index_type{};
    UbAddress base{};
    VectorOperand src{};
    VectorOperand index{};
    MregId mask{};
};

// ---- ops on tensors in UB, outside vector functions

enum class TensorScatterForm : std::uint8_t { count, contiguous_mask, bit_mask };
/// dst[(base + offset[i]) / size] = src[i], offsets in bytes ("Tensor scatter").
struct TensorScatter {
    ElementType type{};
    UbAddress dst{};
    UbAddress src{};
    UbAddress offset{};     ///< u32 byte offsets
    std::int64_t base = 0;  ///< bytes
    TensorScatterForm form{};
    std::int64_t count = 0;  ///< count form: elements
    std::uint64_t mask_low =
        0;  ///< contiguous form: the number of elements (as the caller's 64-bit number); bit form: elements 0..63
    std::uint64_t mask_high = 0;  ///< bit form: elements 64..127
    std::int64_t repeat = 1;      ///< iterations, 0..255
    std::int64_t stride = 8;      ///< blocks of 32 B between the sources of two iterations, 0..255
};
/// dst[i] = src0[i] + src1[i] for `count` elements (products of architecture 2201).
struct TensorAdd {
    ElementType type{};
    UbAddress dst{};
    UbAddress src0{};
    UbAddress src1{};
    std::int64_t count = 0;  ///< elements
};

// ---- arithmetic ("Arithmetic")

struct Add {
    ElementType type{};
    VregId dst{};
    VregId a{};
    VregId b{};
    MregId mask{};
};
struct Adds {
    ElementType type{};
    VregId dst{};
    VregId a{};
    std::uint64_t scalar = 0;  ///< bit pattern of an element
    MregId mask{};
};
struct Duplicate {
    ElementType type{};
    VregId dst{};
    std::uint64_t scalar = 0;      ///< bit pattern of an element
    std::optional<MregId> mask{};  ///< nothing: all lanes
};
/// Copies active lanes and keeps the others of the destination: the one op that merges ("Contiguous load and store").
struct Move {
    ElementType type{};
    VregId dst{};
    VregId src{};
    std::optional<MregId> mask{};  ///< nothing: all lanes
};

using Op = std::variant<VfBegin, VfEnd, Barrier, CreateMask, UpdateMask, MaskGen, MaskLoad, MaskStore, Load, Store,
                        BlockLoad, BlockStore, Gather, GatherBlock, GatherRegister, Scatter, TensorScatter, TensorAdd,
                        Add, Adds, Duplicate, Move>;
inline constexpr std::size_t kOpKinds = std::variant_size_v<Op>;
static_assert(std::is_trivially_copyable_v<Op>, "ops travel by copy between modules, processes and files");

/// The same order as the alternatives of Op.
enum class OpKind : std::uint8_t {
    vf_begin,
    vf_end,
    barrier,
    create_mask,
    update_mask,
    mask_gen,
    mask_load,
    mask_store,
    load,
    store,
    block_load,
    block_store,
    gather,
    gather_block,
    gather_register,
    scatter,
    tensor_scatter,
    tensor_add,
    add,
    adds,
    duplicate,
    move,
    // Not alternatives of Op: transfers between global memory and UB, which the MTE performs. For names and
    // diagnostics.
    mte_in,
    mte_out,
};
constexpr OpKind kind_of(const Op& op) {
    return static_cast<OpKind>(op.index());
}

/// Name as programs, reports and diagnostics write it: "gather", "mask.update", "tensor.scatter" …
std::string_view name(OpKind kind);
std::string_view name(BarrierKind kind);     ///< "VST_VLD" …
std::string_view name(MaskPattern pattern);  ///< "ALL", "VL16", "M3" …
std::optional<BarrierKind> barrier_kind(std::string_view name);
std::optional<MaskPattern> mask_pattern(std::string_view name);

/// Whether an op of this kind stands inside a vector function (true), outside (false). VfBegin and VfEnd delimit one.
constexpr bool belongs_in_vf(OpKind kind) {
    return kind != OpKind::vf_begin && kind != OpKind::vf_end && kind != OpKind::tensor_scatter &&
           kind != OpKind::tensor_add && kind < OpKind::mte_in;
}

/// Registers an op reads and writes: bit k of a word is register k. Numbers past the end are left out (check() refuses
/// them). Used for dependencies in time, for hazards and for moving operands over sockets.
struct Operands {
    std::uint32_t vector_reads = 0;
    std::uint32_t vector_writes = 0;
    std::uint8_t mask_reads = 0;
    std::uint8_t mask_writes = 0;
};
Operands operands_of(const Op& op);

}  // namespace vcore::isa
