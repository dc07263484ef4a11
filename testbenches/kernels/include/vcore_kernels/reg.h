// AscendC::Reg (older name: AscendC::MicroAPI): registers and the ops on them.
//
// Every function stands inside a vector function (__simd_vf__). T is taken from the register where the caller does not
// name it. A combination of types that no table of the instruction set has is refused when the kernel is compiled.
#pragma once

#include <cstdint>
#include <type_traits>

#include "models/isa/type_rules.hpp"
#include "testbenches/kernels/include/vcore_kernels/qualifiers.h"
#include "testbenches/kernels/include/vcore_kernels/register_ops.h"
#include "testbenches/kernels/include/vcore_kernels/types.h"

namespace AscendC {

/// Stands for "the type of the register".
struct DefaultType {};

namespace Reg {

using ::vcore::kernels::CallSite;
namespace isa = ::vcore::isa;
namespace detail = ::vcore::kernels;

/// How many registers a tensor of 64-bit elements takes.
struct RegTrait {
    std::int32_t REG_NUM = 1;
};
inline constexpr RegTrait RegTraitNumOne = {1};
inline constexpr RegTrait RegTraitNumTwo = {2};

/// The value of a vector register: 256 bytes; of a pair (RegTraitNumTwo, 64-bit elements): 64 elements, low words in
/// one register and high words in the other. A copy shares the value.
template <typename T, const RegTrait& regTrait = RegTraitNumOne>
class RegTensor {
    static_assert(detail::kIsElement<T>, "RegTensor: not an element type");
    static_assert(regTrait.REG_NUM == 1 || isa::is_pair(detail::element_of<T>()),
                  "RegTensor: RegTraitNumTwo is for elements of 64 bits");

public:
    using ActualT = T;
    static constexpr bool kPair = regTrait.REG_NUM == 2;
    static constexpr const RegTrait& trait = regTrait;

    detail::Registers registers;
};

/// The value of a mask register: one bit per byte of a vector register.
class MaskReg {
public:
    detail::MaskRegister value;
};

/// An address offset in bytes (CreateAddrReg).
class AddrReg {
public:
    std::int64_t offset = 0;
};

enum class MaskPattern { ALL, VL1, VL2, VL3, VL4, VL8, VL16, VL32, VL64, VL128, M3, M4, H, Q, ALLF };
enum class MaskMergeMode { UNKNOWN, ZEROING, MERGING };
enum class PostLiteral { POST_MODE_NORMAL, POST_MODE_UPDATE };
enum class DataCopyMode { DATA_BLOCK_LOAD, DATA_BLOCK_COPY = DATA_BLOCK_LOAD };
enum class MaskDist { DIST_NORM, DIST_US, DIST_DS, DIST_PACK };
enum class MemType { VEC_STORE, VEC_LOAD, SCALAR_STORE, SCALAR_LOAD, VEC_ALL, SCALAR_ALL };
enum class LoadDist {
    DIST_NORM,
    DIST_BRC_B8,
    DIST_BRC_B16,
    DIST_BRC_B32,
    DIST_BLK,
    DIST_US_B8,
    DIST_US_B16,
    DIST_DS_B8,
    DIST_DS_B16,
    DIST_UNPACK_B8,
    DIST_UNPACK_B16,
    DIST_UNPACK_B32,
    DIST_UNPACK4_B8,
    DIST_E2B_B16,
    DIST_E2B_B32,
    DIST_DINTLV_B8,
    DIST_DINTLV_B16,
    DIST_DINTLV_B32,
};
enum class StoreDist {
    DIST_NORM,
    DIST_NORM_B8,
    DIST_NORM_B16,
    DIST_NORM_B32,
    DIST_FIRST_ELEMENT_B8,
    DIST_FIRST_ELEMENT_B16,
    DIST_FIRST_ELEMENT_B32,
    DIST_PACK_B16,
    DIST_PACK_B32,
    DIST_PACK_B64,
    DIST_PACK4_B32,
    DIST_INTLV_B8,
    DIST_INTLV_B16,
    DIST_INTLV_B32,
};

namespace rules {

template <typename T>
struct IsRegTensor : std::false_type {};
template <typename T, const RegTrait& trait>
struct IsRegTensor<RegTensor<T, trait>> : std::true_type {};
template <typename R>
inline constexpr bool kIsReg = IsRegTensor<std::remove_cv_t<R>>::value;
template <typename R>
using IfReg = std::enable_if_t<kIsReg<R>, int>;

/// What the caller named, or the element type of the register.
template <typename Named, typename Actual>
using Chosen = std::conditional_t<std::is_same_v<Named, DefaultType>, Actual, Named>;
/// The caller may name another type of the same width: the bits are moved as they are.
template <typename Named, typename Actual>
constexpr isa::ElementType type_of() {
    using Type = Chosen<Named, Actual>;
    static_assert(sizeof(Type) == sizeof(Actual), "the type that is named is not as wide as the register's elements");
    return detail::element_of<Type>();
}

constexpr isa::LoadMode mode_of(LoadDist dist) {
    return static_cast<isa::LoadMode>(dist);
}
static_assert(mode_of(LoadDist::DIST_BLK) == isa::LoadMode::blk &&
              mode_of(LoadDist::DIST_DS_B16) == isa::LoadMode::ds_b16 &&
              mode_of(LoadDist::DIST_UNPACK4_B8) == isa::LoadMode::unpack4_b8 &&
              mode_of(LoadDist::DIST_DINTLV_B32) == isa::LoadMode::dintlv_b32);
constexpr isa::StoreMode mode_of(StoreDist dist) {
    if (dist <= StoreDist::DIST_NORM_B32) return isa::StoreMode::norm;
    return static_cast<isa::StoreMode>(static_cast<int>(dist) - 3);
}
static_assert(mode_of(StoreDist::DIST_FIRST_ELEMENT_B8) == isa::StoreMode::first_element_b8 &&
              mode_of(StoreDist::DIST_PACK4_B32) == isa::StoreMode::pack4_b32 &&
              mode_of(StoreDist::DIST_INTLV_B32) == isa::StoreMode::intlv_b32);
static_assert(static_cast<int>(MaskPattern::ALLF) == static_cast<int>(isa::MaskPattern::allf));

template <MaskDist dist>
constexpr isa::MaskLoadMode mask_load_mode() {
    static_assert(dist != MaskDist::DIST_PACK, "LoadAlign: masks are loaded as DIST_NORM, DIST_US or DIST_DS");
    return dist == MaskDist::DIST_US   ? isa::MaskLoadMode::us
           : dist == MaskDist::DIST_DS ? isa::MaskLoadMode::ds
                                       : isa::MaskLoadMode::norm;
}
template <MaskDist dist>
constexpr isa::MaskStoreMode mask_store_mode() {
    static_assert(dist == MaskDist::DIST_NORM || dist == MaskDist::DIST_PACK,
                  "StoreAlign: masks are stored as DIST_NORM or DIST_PACK");
    return dist == MaskDist::DIST_PACK ? isa::MaskStoreMode::pack : isa::MaskStoreMode::norm;
}

template <MaskMergeMode mode>
constexpr void zeroing() {
    static_assert(mode != MaskMergeMode::MERGING,
                  "not modelled: MaskMergeMode::MERGING; Move is the one op that merges");
}

/// The pair of LocalMemBar's arguments as a barrier.
template <MemType src, MemType dst>
constexpr isa::BarrierKind barrier_kind() {
    using M = MemType;
    using B = isa::BarrierKind;
    struct Row {
        M first;
        M second;
        B kind;
    };
    constexpr Row kRows[] = {
        {M::VEC_STORE, M::VEC_LOAD, B::vst_vld},     {M::VEC_LOAD, M::VEC_STORE, B::vld_vst},
        {M::VEC_STORE, M::VEC_STORE, B::vst_vst},    {M::VEC_ALL, M::VEC_ALL, B::vv_all},
        {M::VEC_ALL, M::SCALAR_ALL, B::vs_all},      {M::VEC_STORE, M::SCALAR_LOAD, B::vst_ld},
        {M::VEC_LOAD, M::SCALAR_STORE, B::vld_st},   {M::VEC_STORE, M::SCALAR_STORE, B::vst_st},
        {M::SCALAR_ALL, M::VEC_ALL, B::sv_all},      {M::SCALAR_STORE, M::VEC_LOAD, B::st_vld},
        {M::SCALAR_LOAD, M::VEC_STORE, B::ld_vst},   {M::SCALAR_STORE, M::VEC_STORE, B::st_vst},
        {M::SCALAR_ALL, M::SCALAR_ALL, B::ss_all},   {M::SCALAR_LOAD, M::SCALAR_STORE, B::ld_st},
        {M::SCALAR_STORE, M::SCALAR_LOAD, B::st_ld}, {M::SCALAR_STORE, M::SCALAR_STORE, B::st_st},
    };
    for (const Row& row : kRows) {
        if (row.first == src && row.second == dst) return row.kind;
    }
    return static_cast<B>(isa::kBarrierKinds);
}

}  // namespace rules

// ---- masks

/// A mask of the lanes that the pattern names; VLn with n beyond the lanes: all.
template <typename T = DefaultType, MaskPattern mode = MaskPattern::ALL, const RegTrait& regTrait = RegTraitNumOne>
inline MaskReg CreateMask(CallSite site = CallSite::here()) {
    using Element = std::conditional_t<std::is_same_v<T, DefaultType>, std::uint8_t, T>;
    // A pair of 64-bit elements has the lanes of 32-bit ones.
    constexpr auto kType = regTrait.REG_NUM == 2 ? isa::ElementType::b32 : detail::element_of<Element>();
    MaskReg mask;
    detail::ops::create_mask(kType, static_cast<isa::MaskPattern>(mode), mask.value, site);
    return mask;
}

/// A mask of the first `scalar` lanes; `scalar` becomes what is left, at least 0. A pair counts 64 lanes.
template <typename T, const RegTrait& regTrait = RegTraitNumOne>
inline MaskReg UpdateMask(std::uint32_t& scalar, CallSite site = CallSite::here()) {
    MaskReg mask;
    detail::ops::update_mask(detail::element_of<T>(), regTrait.REG_NUM == 2, scalar, mask.value, site);
    return mask;
}

/// Bits of part `offset` of the source (16 B of b16, 0..15; 8 B of b32, 0..31) as mask, each twice or four times.
template <typename T = DefaultType, std::int16_t offset, typename U, rules::IfReg<U> = 0>
inline void MaskGenWithRegTensor(MaskReg& dst, U& srcReg, CallSite site = CallSite::here()) {
    constexpr auto kType = rules::type_of<T, typename U::ActualT>();
    static_assert(isa::is_mask_gen(kType), "MaskGenWithRegTensor: elements are 16 or 32 bits wide");
    static_assert(offset >= 0 && offset < (isa::size_of(kType) == 2 ? 16 : 32),
                  "MaskGenWithRegTensor: offset is 0..15 for 16-bit elements and 0..31 for 32-bit ones");
    detail::ops::mask_gen(kType, offset, srcReg.registers.low, dst.value, site);
}

/// Loads a mask: NORM 32 B, US 16 B with each bit doubled, DS every other bit of 64 B; 32 B aligned (US: 16 B).
template <typename T, MaskDist dist = MaskDist::DIST_NORM>
inline void LoadAlign(MaskReg& mask, __ubuf__ T* srcAddr, CallSite site = CallSite::here()) {
    detail::ops::mask_load(mask.value, srcAddr, rules::mask_load_mode<dist>(), 0, site);
}
/// The pointer is moved on by `offset` bytes afterwards.
template <typename T, PostLiteral postMode, MaskDist dist = MaskDist::DIST_NORM>
inline void LoadAlign(MaskReg& mask, __ubuf__ T*& srcAddr, std::int32_t offset, CallSite site = CallSite::here()) {
    static_assert(postMode == PostLiteral::POST_MODE_UPDATE,
                  "LoadAlign of a mask with an offset: expected PostLiteral::POST_MODE_UPDATE");
    detail::ops::mask_load(mask.value, srcAddr, rules::mask_load_mode<dist>(), offset, site);
}
template <typename T, MaskDist dist = MaskDist::DIST_NORM>
inline void LoadAlign(MaskReg& mask, __ubuf__ T* srcAddr, AddrReg offset, CallSite site = CallSite::here()) {
    auto* pointer = reinterpret_cast<std::uint8_t*>(srcAddr) + offset.offset;
    detail::ops::mask_load(mask.value, pointer, rules::mask_load_mode<dist>(), 0, site);
}

/// Stores a mask: NORM 32 B, PACK every other bit in 16 B.
template <typename T, MaskDist dist = MaskDist::DIST_NORM>
inline void StoreAlign(__ubuf__ T* dstAddr, MaskReg& mask, CallSite site = CallSite::here()) {
    detail::ops::mask_store(dstAddr, mask.value, rules::mask_store_mode<dist>(), 0, site);
}
template <typename T, PostLiteral postMode, MaskDist dist = MaskDist::DIST_NORM>
inline void StoreAlign(__ubuf__ T*& dstAddr, MaskReg& mask, std::int32_t offset, CallSite site = CallSite::here()) {
    static_assert(postMode == PostLiteral::POST_MODE_UPDATE,
                  "StoreAlign of a mask with an offset: expected PostLiteral::POST_MODE_UPDATE");
    detail::ops::mask_store(dstAddr, mask.value, rules::mask_store_mode<dist>(), offset, site);
}

// ---- load

namespace rules {

template <typename T, LoadDist dist, typename U>
constexpr isa::ElementType load_type() {
    constexpr isa::ElementType kType = detail::element_of<std::remove_cv_t<T>>();
    static_assert(isa::is_load(mode_of(dist), kType), "LoadAlign: the mode is for elements of another width");
    static_assert(dist != LoadDist::DIST_NORM || sizeof(T) == sizeof(typename U::ActualT),
                  "LoadAlign: the pointer's elements are not as wide as the register's");
    return kType;
}

}  // namespace rules

/// Loads a register from `srcAddr`: 256 B (a pair: 512 B, de-interleaved) or what the mode reads; aligned to 32 B or as
/// the mode says.
template <typename T = DefaultType, LoadDist dist = LoadDist::DIST_NORM, typename U, typename S, rules::IfReg<U> = 0>
inline void LoadAlign(U& dstReg, __ubuf__ S* srcAddr, CallSite site = CallSite::here()) {
    static_assert(!isa::shape_of(rules::mode_of(dist)).two_registers, "LoadAlign: DIST_DINTLV takes two registers");
    constexpr auto kType = rules::load_type<rules::Chosen<T, S>, dist, U>();
    detail::ops::load(kType, rules::mode_of(dist), dstReg.registers, U::kPair, srcAddr, 0, site);
}
template <typename T = DefaultType, LoadDist dist = LoadDist::DIST_NORM, typename U, typename S, rules::IfReg<U> = 0>
inline void LoadAlign(U& dstReg, __ubuf__ S* srcAddr, AddrReg offset, CallSite site = CallSite::here()) {
    auto* pointer =
        reinterpret_cast<S*>(reinterpret_cast<std::uintptr_t>(srcAddr) + static_cast<std::uintptr_t>(offset.offset));
    LoadAlign<T, dist>(dstReg, pointer, site);
}
/// POST_MODE_UPDATE: reads at the pointer, then moves it on by `postUpdateStride` elements. POST_MODE_NORMAL: reads
/// that far behind the pointer, which stays.
template <typename T = DefaultType, PostLiteral postMode, LoadDist dist = LoadDist::DIST_NORM, typename U, typename S,
          rules::IfReg<U> = 0>
inline void LoadAlign(U& dstReg, __ubuf__ S*& srcAddr, std::int32_t postUpdateStride,
                      CallSite site = CallSite::here()) {
    static_assert(!isa::shape_of(rules::mode_of(dist)).two_registers, "LoadAlign: DIST_DINTLV takes two registers");
    constexpr auto kType = rules::load_type<rules::Chosen<T, S>, dist, U>();
    if constexpr (postMode == PostLiteral::POST_MODE_UPDATE) {
        detail::ops::load(kType, rules::mode_of(dist), dstReg.registers, U::kPair, srcAddr, postUpdateStride, site);
    } else {
        S* pointer = srcAddr + postUpdateStride;
        detail::ops::load(kType, rules::mode_of(dist), dstReg.registers, U::kPair, pointer, 0, site);
    }
}
/// De-interleaves 512 B: even elements to the first register, odd ones to the second.
template <typename T = DefaultType, LoadDist dist, typename U, typename S, rules::IfReg<U> = 0>
inline void LoadAlign(U& dstReg0, U& dstReg1, __ubuf__ S* srcAddr, CallSite site = CallSite::here()) {
    static_assert(isa::shape_of(rules::mode_of(dist)).two_registers, "LoadAlign: two registers are for DIST_DINTLV");
    constexpr auto kType = rules::load_type<rules::Chosen<T, S>, dist, U>();
    detail::Registers pair;
    detail::ops::load(kType, rules::mode_of(dist), pair, true, srcAddr, 0, site);
    dstReg0.registers.low = pair.low;
    dstReg1.registers.low = pair.high;
}
template <typename T = DefaultType, PostLiteral postMode, LoadDist dist, typename U, typename S, rules::IfReg<U> = 0>
inline void LoadAlign(U& dstReg0, U& dstReg1, __ubuf__ S*& srcAddr, std::int32_t postUpdateStride,
                      CallSite site = CallSite::here()) {
    static_assert(isa::shape_of(rules::mode_of(dist)).two_registers, "LoadAlign: two registers are for DIST_DINTLV");
    static_assert(postMode == PostLiteral::POST_MODE_UPDATE, "LoadAlign: expected PostLiteral::POST_MODE_UPDATE");
    constexpr auto kType = rules::load_type<rules::Chosen<T, S>, dist, U>();
    detail::Registers pair;
    detail::ops::load(kType, rules::mode_of(dist), pair, true, srcAddr, postUpdateStride, site);
    dstReg0.registers.low = pair.low;
    dstReg1.registers.low = pair.high;
}
/// Block copy: 8 blocks of 32 B, `blockStride` blocks apart; blocks without an active lane become zero.
template <typename T = DefaultType, DataCopyMode dataMode, typename U, typename S, rules::IfReg<U> = 0>
inline void LoadAlign(U& dstReg, __ubuf__ S* srcAddr, std::uint32_t blockStride, MaskReg& mask,
                      CallSite site = CallSite::here()) {
    constexpr auto kType = rules::load_type<rules::Chosen<T, S>, LoadDist::DIST_NORM, U>();
    detail::ops::block_load(kType, dstReg.registers.low, srcAddr, blockStride, mask.value, 0, site);
}
/// The same, and the pointer is moved on by `repeatStride` blocks of 32 B.
template <typename T = DefaultType, DataCopyMode dataMode, PostLiteral postMode, typename U, typename S,
          rules::IfReg<U> = 0>
inline void LoadAlign(U& dstReg, __ubuf__ S*& srcAddr, std::uint32_t blockStride, std::uint32_t repeatStride,
                      MaskReg& mask, CallSite site = CallSite::here()) {
    static_assert(postMode == PostLiteral::POST_MODE_UPDATE, "LoadAlign: expected PostLiteral::POST_MODE_UPDATE");
    constexpr auto kType = rules::load_type<rules::Chosen<T, S>, LoadDist::DIST_NORM, U>();
    detail::ops::block_load(kType, dstReg.registers.low, srcAddr, blockStride, mask.value, repeatStride, site);
}

// ---- store

namespace rules {

template <typename T, StoreDist dist, typename U>
constexpr isa::ElementType store_type() {
    constexpr isa::ElementType kType = detail::element_of<typename U::ActualT>();
    static_assert(isa::is_store(mode_of(dist), kType), "StoreAlign: the mode is for elements of another width");
    static_assert(mode_of(dist) != isa::StoreMode::norm || sizeof(T) == sizeof(typename U::ActualT),
                  "StoreAlign: the pointer's elements are not as wide as the register's");
    return kType;
}

}  // namespace rules

/// Stores the active lanes of a register (a pair: interleaved, mask of 32-bit lanes), or what the mode writes.
template <typename T = DefaultType, StoreDist dist = StoreDist::DIST_NORM, typename U, typename S, rules::IfReg<U> = 0>
inline void StoreAlign(__ubuf__ S* dstAddr, U& srcReg, MaskReg& mask, CallSite site = CallSite::here()) {
    static_assert(!isa::shape_of(rules::mode_of(dist)).two_registers, "StoreAlign: DIST_INTLV takes two registers");
    constexpr auto kType = rules::store_type<rules::Chosen<T, S>, dist, U>();
    const detail::MaskRegister* used = isa::shape_of(rules::mode_of(dist)).masked ? &mask.value : nullptr;
    detail::ops::store(kType, rules::mode_of(dist), dstAddr, srcReg.registers, U::kPair, used, 0, site);
}
template <typename T = DefaultType, StoreDist dist = StoreDist::DIST_NORM, typename U, typename S, rules::IfReg<U> = 0>
inline void StoreAlign(__ubuf__ S* dstAddr, U& srcReg, AddrReg offset, MaskReg& mask,
                       CallSite site = CallSite::here()) {
    auto* pointer =
        reinterpret_cast<S*>(reinterpret_cast<std::uintptr_t>(dstAddr) + static_cast<std::uintptr_t>(offset.offset));
    StoreAlign<T, dist>(pointer, srcReg, mask, site);
}
/// POST_MODE_UPDATE: writes at the pointer, then moves it on by `postUpdateStride` elements.
template <typename T = DefaultType, PostLiteral postMode, StoreDist dist = StoreDist::DIST_NORM, typename U, typename S,
          rules::IfReg<U> = 0>
inline void StoreAlign(__ubuf__ S*& dstAddr, U& srcReg, std::int32_t postUpdateStride, MaskReg& mask,
                       CallSite site = CallSite::here()) {
    static_assert(!isa::shape_of(rules::mode_of(dist)).two_registers, "StoreAlign: DIST_INTLV takes two registers");
    constexpr auto kType = rules::store_type<rules::Chosen<T, S>, dist, U>();
    const detail::MaskRegister* used = isa::shape_of(rules::mode_of(dist)).masked ? &mask.value : nullptr;
    if constexpr (postMode == PostLiteral::POST_MODE_UPDATE) {
        detail::ops::store(kType, rules::mode_of(dist), dstAddr, srcReg.registers, U::kPair, used, postUpdateStride,
                           site);
    } else {
        S* pointer = dstAddr + postUpdateStride;
        detail::ops::store(kType, rules::mode_of(dist), pointer, srcReg.registers, U::kPair, used, 0, site);
    }
}
/// Interleaves two registers into 512 B; the mask is not looked at.
template <typename T = DefaultType, StoreDist dist, typename U, typename S, rules::IfReg<U> = 0>
inline void StoreAlign(__ubuf__ S* dstAddr, U& srcReg0, U& srcReg1, MaskReg&, CallSite site = CallSite::here()) {
    static_assert(isa::shape_of(rules::mode_of(dist)).two_registers, "StoreAlign: two registers are for DIST_INTLV");
    constexpr auto kType = rules::store_type<rules::Chosen<T, S>, dist, U>();
    const detail::Registers pair{srcReg0.registers.low, srcReg1.registers.low};
    detail::ops::store(kType, rules::mode_of(dist), dstAddr, pair, true, nullptr, 0, site);
}
/// Block copy: a block is written whole where any of its lanes is active.
template <typename T = DefaultType, DataCopyMode dataMode, typename U, typename S, rules::IfReg<U> = 0>
inline void StoreAlign(__ubuf__ S* dstAddr, U& srcReg, std::uint32_t blockStride, MaskReg& mask,
                       CallSite site = CallSite::here()) {
    constexpr auto kType = rules::store_type<rules::Chosen<T, S>, StoreDist::DIST_NORM, U>();
    detail::ops::block_store(kType, dstAddr, srcReg.registers.low, blockStride, mask.value, 0, site);
}
template <typename T = DefaultType, DataCopyMode dataMode, PostLiteral postMode, typename U, typename S,
          rules::IfReg<U> = 0>
inline void StoreAlign(__ubuf__ S*& dstAddr, U& srcReg, std::uint32_t blockStride, std::uint32_t repeatStride,
                       MaskReg& mask, CallSite site = CallSite::here()) {
    static_assert(postMode == PostLiteral::POST_MODE_UPDATE, "StoreAlign: expected PostLiteral::POST_MODE_UPDATE");
    constexpr auto kType = rules::store_type<rules::Chosen<T, S>, StoreDist::DIST_NORM, U>();
    detail::ops::block_store(kType, dstAddr, srcReg.registers.low, blockStride, mask.value, repeatStride, site);
}

/// index0 * stride0 + index1 * stride1 + … elements of T, as an offset for LoadAlign and StoreAlign.
template <typename T>
inline AddrReg CreateAddrReg(std::uint16_t index0, std::uint32_t stride0, std::uint16_t index1 = 0,
                             std::uint32_t stride1 = 0, std::uint16_t index2 = 0, std::uint32_t stride2 = 0,
                             std::uint16_t index3 = 0, std::uint32_t stride3 = 0) {
    const std::int64_t elements = std::int64_t{index0} * stride0 + std::int64_t{index1} * stride1 +
                                  std::int64_t{index2} * stride2 + std::int64_t{index3} * stride3;
    return AddrReg{elements * static_cast<std::int64_t>(sizeof(T))};
}

// ---- gather and scatter

/// dstReg[i] = baseAddr[index[i]] for active lanes, others 0. `index` counts elements of T1; `baseAddr` is 32 B
/// aligned; an active lane past the end of the UB ends the kernel.
template <typename T0 = DefaultType, typename T1, typename T2 = DefaultType, typename T3, typename T4,
          rules::IfReg<T3> = 0, rules::IfReg<T4> = 0>
inline void Gather(T3& dstReg, __ubuf__ T1* baseAddr, T4& index, MaskReg& mask, CallSite site = CallSite::here()) {
    constexpr auto kDst = rules::type_of<T0, typename T3::ActualT>();
    constexpr auto kIndex = rules::type_of<T2, typename T4::ActualT>();
    constexpr auto kSrc = detail::element_of<T1>();
    static_assert(isa::is_gather(kDst, kSrc, kIndex, isa::Api::cpp),
                  "Gather: no such combination of destination, source and index types; 8-bit sources widen to 16 bits "
                  "with u16 indices, 16-bit data take u16, 32-bit u32, 64-bit u32 or u64 indices");
    static_assert(isa::is_form(T3::kPair, kIndex, T4::kPair),
                  "Gather: 64-bit indices in one register cannot fill a RegTraitNumTwo destination");
    detail::ops::gather(kDst, kSrc, kIndex, dstReg.registers, T3::kPair, baseAddr, index.registers, T4::kPair,
                        mask.value, site);
}

/// dstReg[i] = srcReg[indexReg[i] mod lanes], all lanes.
template <typename T = DefaultType, typename U = DefaultType, typename S, typename V, rules::IfReg<S> = 0,
          rules::IfReg<V> = 0>
inline void Gather(S& dstReg, S& srcReg, V& indexReg, CallSite site = CallSite::here()) {
    constexpr auto kData = rules::type_of<T, typename S::ActualT>();
    constexpr auto kIndex = rules::type_of<U, typename V::ActualT>();
    static_assert(isa::is_gather_register(kData, kIndex, isa::Api::cpp),
                  "Gather from a register: data of 8, 16 or 32 bits, and unsigned indices as wide as the data");
    detail::ops::gather_register(kData, dstReg.registers.low, srcReg.registers.low, indexReg.registers.low, site);
}

/// Eight blocks of 32 B from baseAddr + index[b] bytes; lane b of the 32-bit mask gates block b.
template <typename T = DefaultType, typename U, typename S, typename V, rules::IfReg<U> = 0, rules::IfReg<V> = 0>
inline void GatherB(U& dstReg, __ubuf__ S* baseAddr, V& index, MaskReg& mask, CallSite site = CallSite::here()) {
    static_assert(isa::is_gather_block(detail::element_of<S>(), detail::element_of<typename V::ActualT>()),
                  "GatherB: indices are uint32_t byte offsets");
    detail::ops::gather_block(detail::element_of<typename U::ActualT>(), dstReg.registers.low, baseAddr,
                              index.registers.low, mask.value, site);
}

/// baseAddr[index[i]] = srcReg[i] for active lanes. Of equal targets the lowest lane's element stays, with a warning.
template <typename T = DefaultType, typename U = DefaultType, typename S, typename D, typename V, rules::IfReg<S> = 0,
          rules::IfReg<V> = 0>
inline void Scatter(__ubuf__ D* baseAddr, S& srcReg, V& index, MaskReg& mask, CallSite site = CallSite::here()) {
    constexpr auto kType = detail::element_of<typename S::ActualT>();
    constexpr auto kIndex = rules::type_of<U, typename V::ActualT>();
    static_assert(sizeof(D) == sizeof(typename S::ActualT),
                  "Scatter: the pointer's elements are not as wide as the register's");
    static_assert(
        isa::is_scatter(kType, kIndex, isa::Api::cpp),
        "Scatter: no such combination of data and index types; 8 and 16-bit data take u16, 32-bit u32, 64-bit "
        "u32 or u64 indices");
    static_assert(isa::is_form(S::kPair, kIndex, V::kPair),
                  "Scatter: 64-bit indices in one register cannot serve a RegTraitNumTwo source");
    detail::ops::scatter(kType, kIndex, baseAddr, srcReg.registers, S::kPair, index.registers, V::kPair, mask.value,
                         site);
}

// ---- arithmetic and moves

/// dstReg[i] = srcReg0[i] + srcReg1[i] for active lanes, others 0.
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U, rules::IfReg<U> = 0>
inline void Add(U& dstReg, U& srcReg0, U& srcReg1, MaskReg& mask, CallSite site = CallSite::here()) {
    rules::zeroing<mode>();
    constexpr auto kType = rules::type_of<T, typename U::ActualT>();
    static_assert(isa::is_arithmetic(kType), "Add: float, half, int32_t, uint32_t, int16_t or uint16_t");
    detail::ops::add(kType, dstReg.registers.low, srcReg0.registers.low, srcReg1.registers.low, mask.value, site);
}
/// dstReg[i] = srcReg[i] + scalar for active lanes, others 0.
template <typename T = DefaultType, typename U, MaskMergeMode mode = MaskMergeMode::ZEROING, typename S,
          rules::IfReg<S> = 0>
inline void Adds(S& dstReg, S& srcReg, U scalar, MaskReg& mask, CallSite site = CallSite::here()) {
    rules::zeroing<mode>();
    using Element = typename S::ActualT;
    constexpr auto kType = rules::type_of<T, Element>();
    static_assert(isa::is_arithmetic(kType), "Adds: float, half, int32_t, uint32_t, int16_t or uint16_t");
    detail::ops::adds(kType, dstReg.registers.low, srcReg.registers.low, detail::bits_of(static_cast<Element>(scalar)),
                      mask.value, site);
}
/// All lanes become `scalar`; with a mask, the active ones, others 0.
template <typename T = DefaultType, typename U, typename S, rules::IfReg<S> = 0,
          std::enable_if_t<!rules::kIsReg<U>, int> = 0>
inline void Duplicate(S& dstReg, U scalar, CallSite site = CallSite::here()) {
    using Element = typename S::ActualT;
    static_assert(isa::is_duplicate(detail::element_of<Element>()),
                  "Duplicate: float, half, int32_t, uint32_t, int16_t or uint16_t");
    detail::ops::duplicate(detail::element_of<Element>(), dstReg.registers.low,
                           detail::bits_of(static_cast<Element>(scalar)), nullptr, site);
}
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U, typename S,
          rules::IfReg<S> = 0, std::enable_if_t<!rules::kIsReg<U>, int> = 0>
inline void Duplicate(S& dstReg, U scalar, MaskReg& mask, CallSite site = CallSite::here()) {
    rules::zeroing<mode>();
    using Element = typename S::ActualT;
    static_assert(isa::is_duplicate(detail::element_of<Element>()),
                  "Duplicate: float, half, int32_t, uint32_t, int16_t or uint16_t");
    detail::ops::duplicate(detail::element_of<Element>(), dstReg.registers.low,
                           detail::bits_of(static_cast<Element>(scalar)), &mask.value, site);
}
/// Copies active lanes and keeps the others of dstReg; without a mask, all lanes.
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::MERGING, typename U, rules::IfReg<U> = 0>
inline void Move(U& dstReg, U& srcReg, MaskReg& mask, CallSite site = CallSite::here()) {
    static_assert(mode == MaskMergeMode::MERGING, "not modelled: Move that clears inactive lanes");
    detail::ops::move(rules::type_of<T, typename U::ActualT>(), dstReg.registers.low, srcReg.registers.low, &mask.value,
                      site);
}
template <typename T = DefaultType, typename U, rules::IfReg<U> = 0>
inline void Move(U& dstReg, U& srcReg, CallSite site = CallSite::here()) {
    detail::ops::move(rules::type_of<T, typename U::ActualT>(), dstReg.registers.low, srcReg.registers.low, nullptr,
                      site);
}
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::MERGING, typename U, rules::IfReg<U> = 0>
inline void Copy(U& dstReg, U& srcReg, MaskReg& mask, CallSite site = CallSite::here()) {
    Move<T, mode>(dstReg, srcReg, mask, site);
}
template <typename T = DefaultType, typename U, rules::IfReg<U> = 0>
inline void Copy(U& dstReg, U& srcReg, CallSite site = CallSite::here()) {
    Move<T>(dstReg, srcReg, site);
}

/// Accesses of kind `dst` that follow wait for earlier ones of kind `src`.
template <MemType src, MemType dst>
inline void LocalMemBar(CallSite site = CallSite::here()) {
    constexpr auto kKind = rules::barrier_kind<src, dst>();
    static_assert(
        static_cast<std::size_t>(kKind) < isa::kBarrierKinds,
        "LocalMemBar: no such barrier; see the list of VST_VLD, VLD_VST, VST_VST, VV_ALL and the scalar mixes");
    detail::ops::barrier(kKind, site);
}

// ---- older names

template <typename T = DefaultType, LoadDist dist = LoadDist::DIST_NORM, typename U, typename S, rules::IfReg<U> = 0>
inline void DataCopy(U& dstReg, __ubuf__ S* srcAddr, CallSite site = CallSite::here()) {
    LoadAlign<T, dist>(dstReg, srcAddr, site);
}
template <typename T = DefaultType, LoadDist dist = LoadDist::DIST_NORM, typename U, typename S, rules::IfReg<U> = 0>
inline void DataCopy(U& dstReg, __ubuf__ S* srcAddr, AddrReg offset, CallSite site = CallSite::here()) {
    LoadAlign<T, dist>(dstReg, srcAddr, offset, site);
}
template <typename T = DefaultType, PostLiteral postMode, LoadDist dist = LoadDist::DIST_NORM, typename U, typename S,
          rules::IfReg<U> = 0>
inline void DataCopy(U& dstReg, __ubuf__ S*& srcAddr, std::int32_t postUpdateStride, CallSite site = CallSite::here()) {
    LoadAlign<T, postMode, dist>(dstReg, srcAddr, postUpdateStride, site);
}
template <typename T = DefaultType, LoadDist dist, typename U, typename S, rules::IfReg<U> = 0>
inline void DataCopy(U& dstReg0, U& dstReg1, __ubuf__ S* srcAddr, CallSite site = CallSite::here()) {
    LoadAlign<T, dist>(dstReg0, dstReg1, srcAddr, site);
}
template <typename T = DefaultType, DataCopyMode dataMode, typename U, typename S, rules::IfReg<U> = 0>
inline void DataCopy(U& dstReg, __ubuf__ S* srcAddr, std::uint32_t blockStride, MaskReg& mask,
                     CallSite site = CallSite::here()) {
    LoadAlign<T, dataMode>(dstReg, srcAddr, blockStride, mask, site);
}
template <typename T = DefaultType, DataCopyMode dataMode, PostLiteral postMode, typename U, typename S,
          rules::IfReg<U> = 0>
inline void DataCopy(U& dstReg, __ubuf__ S*& srcAddr, std::uint32_t blockStride, std::uint32_t repeatStride,
                     MaskReg& mask, CallSite site = CallSite::here()) {
    LoadAlign<T, dataMode, postMode>(dstReg, srcAddr, blockStride, repeatStride, mask, site);
}
template <typename T = DefaultType, StoreDist dist = StoreDist::DIST_NORM, typename U, typename S, rules::IfReg<U> = 0>
inline void DataCopy(__ubuf__ S* dstAddr, U& srcReg, MaskReg& mask, CallSite site = CallSite::here()) {
    StoreAlign<T, dist>(dstAddr, srcReg, mask, site);
}
template <typename T = DefaultType, StoreDist dist = StoreDist::DIST_NORM, typename U, typename S, rules::IfReg<U> = 0>
inline void DataCopy(__ubuf__ S* dstAddr, U& srcReg, AddrReg offset, MaskReg& mask, CallSite site = CallSite::here()) {
    StoreAlign<T, dist>(dstAddr, srcReg, offset, mask, site);
}
template <typename T = DefaultType, PostLiteral postMode, StoreDist dist = StoreDist::DIST_NORM, typename U, typename S,
          rules::IfReg<U> = 0>
inline void DataCopy(__ubuf__ S*& dstAddr, U& srcReg, std::int32_t postUpdateStride, MaskReg& mask,
                     CallSite site = CallSite::here()) {
    StoreAlign<T, postMode, dist>(dstAddr, srcReg, postUpdateStride, mask, site);
}
template <typename T = DefaultType, StoreDist dist, typename U, typename S, rules::IfReg<U> = 0>
inline void DataCopy(__ubuf__ S* dstAddr, U& srcReg0, U& srcReg1, MaskReg& mask, CallSite site = CallSite::here()) {
    StoreAlign<T, dist>(dstAddr, srcReg0, srcReg1, mask, site);
}
template <typename T = DefaultType, DataCopyMode dataMode, typename U, typename S, rules::IfReg<U> = 0>
inline void DataCopy(__ubuf__ S* dstAddr, U& srcReg, std::uint32_t blockStride, MaskReg& mask,
                     CallSite site = CallSite::here()) {
    StoreAlign<T, dataMode>(dstAddr, srcReg, blockStride, mask, site);
}
template <typename T = DefaultType, DataCopyMode dataMode, PostLiteral postMode, typename U, typename S,
          rules::IfReg<U> = 0>
inline void DataCopy(__ubuf__ S*& dstAddr, U& srcReg, std::uint32_t blockStride, std::uint32_t repeatStride,
                     MaskReg& mask, CallSite site = CallSite::here()) {
    StoreAlign<T, dataMode, postMode>(dstAddr, srcReg, blockStride, repeatStride, mask, site);
}
template <typename T = DefaultType, MaskDist dist = MaskDist::DIST_NORM, typename S>
inline void DataCopy(MaskReg& mask, __ubuf__ S* srcAddr, CallSite site = CallSite::here()) {
    LoadAlign<S, dist>(mask, srcAddr, site);
}
template <typename T = DefaultType, MaskDist dist = MaskDist::DIST_NORM, typename S>
inline void DataCopy(__ubuf__ S* dstAddr, MaskReg& mask, CallSite site = CallSite::here()) {
    StoreAlign<S, dist>(dstAddr, mask, site);
}

template <typename T0 = DefaultType, typename T1, typename T2 = DefaultType, typename T3, typename T4,
          rules::IfReg<T3> = 0, rules::IfReg<T4> = 0>
inline void DataCopyGather(T3& dstReg, __ubuf__ T1* baseAddr, T4& index, MaskReg& mask,
                           CallSite site = CallSite::here()) {
    Gather<T0, T1, T2>(dstReg, baseAddr, index, mask, site);
}
template <typename T = DefaultType, typename U, typename S, typename V, rules::IfReg<U> = 0, rules::IfReg<V> = 0>
inline void DataCopyGatherB(U& dstReg, __ubuf__ S* baseAddr, V& index, MaskReg& mask,
                            CallSite site = CallSite::here()) {
    GatherB<T>(dstReg, baseAddr, index, mask, site);
}
template <typename T = DefaultType, typename U = DefaultType, typename S, typename D, typename V, rules::IfReg<S> = 0,
          rules::IfReg<V> = 0>
inline void DataCopyScatter(__ubuf__ D* baseAddr, S& srcReg, V& index, MaskReg& mask,
                            CallSite site = CallSite::here()) {
    Scatter<T, U>(baseAddr, srcReg, index, mask, site);
}

}  // namespace Reg

namespace MicroAPI = Reg;

}  // namespace AscendC
