// The C API: asc_… functions on vector_… registers.
//
// Every op function stands inside a vector function (__simd_vf__). Combinations are those of the C API's pages; another
// one is refused when the kernel is compiled. Pointers of …_postupdate functions are moved on by `stride` elements.
#pragma once

#include <cstdint>
#include <type_traits>

#include "models/isa/type_rules.hpp"
#include "testbenches/kernels/include/vcore_kernels/qualifiers.h"
#include "testbenches/kernels/include/vcore_kernels/register_ops.h"
#include "testbenches/kernels/include/vcore_kernels/types.h"

namespace vcore::kernels {

/// The value of a vector register of T: 256 bytes. A copy shares it.
template <typename T>
struct Vector {
    using Element = T;
    Registers registers;
};

/// The value of a mask register.
struct Bool {
    MaskRegister value;
};

}  // namespace vcore::kernels

using vector_int8_t = vcore::kernels::Vector<std::int8_t>;
using vector_uint8_t = vcore::kernels::Vector<std::uint8_t>;
using vector_int16_t = vcore::kernels::Vector<std::int16_t>;
using vector_uint16_t = vcore::kernels::Vector<std::uint16_t>;
using vector_int32_t = vcore::kernels::Vector<std::int32_t>;
using vector_uint32_t = vcore::kernels::Vector<std::uint32_t>;
using vector_int64_t = vcore::kernels::Vector<std::int64_t>;
using vector_uint64_t = vcore::kernels::Vector<std::uint64_t>;
using vector_half = vcore::kernels::Vector<half>;
using vector_bfloat16_t = vcore::kernels::Vector<bfloat16_t>;
using vector_float = vcore::kernels::Vector<float>;
using vector_hifloat8_t = vcore::kernels::Vector<hifloat8_t>;
using vector_fp8_e8m0_t = vcore::kernels::Vector<fp8_e8m0_t>;
using vector_fp8_e5m2_t = vcore::kernels::Vector<fp8_e5m2_t>;
using vector_fp8_e4m3fn_t = vcore::kernels::Vector<fp8_e4m3fn_t>;
using vector_bool = vcore::kernels::Bool;

/// Patterns of asc_create_mask: all lanes, the lowest n, lanes divisible by 3 or 4, half, quarter, none.
enum MaskPatternOfC {
    PAT_ALL,
    PAT_VL1,
    PAT_VL2,
    PAT_VL3,
    PAT_VL4,
    PAT_VL8,
    PAT_VL16,
    PAT_VL32,
    PAT_VL64,
    PAT_VL128,
    PAT_M3,
    PAT_M4,
    PAT_H,
    PAT_Q,
    PAT_ALLF,
};

/// Bytes of a vector register.
constexpr std::uint32_t asc_get_vf_len() {
    return vcore::isa::kVectorBytes;
}

// ---- masks

#define VCORE_C_MASKS(width)                                                                                        \
    /* A mask of the lanes that the pattern names. */                                                               \
    inline vector_bool asc_create_mask_b##width(MaskPatternOfC pattern,                                             \
                                                vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) { \
        vector_bool mask;                                                                                           \
        vcore::kernels::ops::create_mask(vcore::isa::ElementType::b##width,                                         \
                                         static_cast<vcore::isa::MaskPattern>(pattern), mask.value, site);          \
        return mask;                                                                                                \
    }                                                                                                               \
    /* A mask of the first `count` lanes; count becomes what is left, at least 0. */                                \
    inline vector_bool asc_update_mask_b##width(std::uint32_t& count,                                               \
                                                vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) { \
        vector_bool mask;                                                                                           \
        vcore::kernels::ops::update_mask(vcore::isa::ElementType::b##width, false, count, mask.value, site);        \
        return mask;                                                                                                \
    }
VCORE_C_MASKS(8)
VCORE_C_MASKS(16)
VCORE_C_MASKS(32)
#undef VCORE_C_MASKS

namespace vcore::kernels {

template <typename D, typename S>
constexpr isa::ElementType c_load_type() {
    static_assert(sizeof(D) == sizeof(std::remove_cv_t<S>),
                  "asc_loadalign: the pointer's elements are not as wide as the register's");
    return element_of<std::remove_cv_t<S>>();
}

}  // namespace vcore::kernels

// ---- contiguous load and store: 256 B at a 32 B aligned address

template <typename D, typename S>
inline void asc_loadalign(vcore::kernels::Vector<D>& dst, __ubuf__ S* src,
                          vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) {
    vcore::kernels::ops::load(vcore::kernels::c_load_type<D, S>(), vcore::isa::LoadMode::norm, dst.registers, false,
                              src, 0, site);
}
/// The pointer is moved on by `stride` elements.
template <typename D, typename S>
inline void asc_loadalign_postupdate(vcore::kernels::Vector<D>& dst, __ubuf__ S*& src, std::int32_t stride,
                                     vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) {
    vcore::kernels::ops::load(vcore::kernels::c_load_type<D, S>(), vcore::isa::LoadMode::norm, dst.registers, false,
                              src, stride, site);
}
/// Active lanes only.
template <typename D, typename S>
inline void asc_storealign(__ubuf__ S* dst, const vcore::kernels::Vector<D>& src, vector_bool mask,
                           vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) {
    vcore::kernels::ops::store(vcore::kernels::c_load_type<D, S>(), vcore::isa::StoreMode::norm, dst, src.registers,
                               false, &mask.value, 0, site);
}
template <typename D, typename S>
inline void asc_storealign_postupdate(__ubuf__ S*& dst, const vcore::kernels::Vector<D>& src, std::int32_t stride,
                                      vector_bool mask,
                                      vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) {
    vcore::kernels::ops::store(vcore::kernels::c_load_type<D, S>(), vcore::isa::StoreMode::norm, dst, src.registers,
                               false, &mask.value, stride, site);
}

// Modes: each function is named after what it does; elements, alignment and bytes are those of the mode.
#define VCORE_C_LOAD_MODE(name, load_mode)                                                                            \
    template <typename D, typename S>                                                                                 \
    inline void asc_loadalign_##name(vcore::kernels::Vector<D>& dst, __ubuf__ S* src,                                 \
                                     vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) {              \
        constexpr auto kType = vcore::kernels::element_of<std::remove_cv_t<S>>();                                     \
        static_assert(vcore::isa::is_load(vcore::isa::LoadMode::load_mode, kType),                                    \
                      "asc_loadalign_" #name ": the mode is for elements of another width");                          \
        vcore::kernels::ops::load(kType, vcore::isa::LoadMode::load_mode, dst.registers, false, src, 0, site);        \
    }                                                                                                                 \
    template <typename D, typename S>                                                                                 \
    inline void asc_loadalign_##name##_postupdate(vcore::kernels::Vector<D>& dst, __ubuf__ S*& src,                   \
                                                  std::int32_t stride,                                                \
                                                  vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) { \
        constexpr auto kType = vcore::kernels::element_of<std::remove_cv_t<S>>();                                     \
        static_assert(vcore::isa::is_load(vcore::isa::LoadMode::load_mode, kType),                                    \
                      "asc_loadalign_" #name ": the mode is for elements of another width");                          \
        vcore::kernels::ops::load(kType, vcore::isa::LoadMode::load_mode, dst.registers, false, src, stride, site);   \
    }
VCORE_C_LOAD_MODE(brc_b8, brc_b8)
VCORE_C_LOAD_MODE(brc_b16, brc_b16)
VCORE_C_LOAD_MODE(brc_b32, brc_b32)
VCORE_C_LOAD_MODE(blk, blk)
VCORE_C_LOAD_MODE(us_b8, us_b8)
VCORE_C_LOAD_MODE(us_b16, us_b16)
VCORE_C_LOAD_MODE(ds_b8, ds_b8)
VCORE_C_LOAD_MODE(ds_b16, ds_b16)
VCORE_C_LOAD_MODE(unpack_b8, unpack_b8)
VCORE_C_LOAD_MODE(unpack_b16, unpack_b16)
VCORE_C_LOAD_MODE(unpack_b32, unpack_b32)
VCORE_C_LOAD_MODE(unpack4_b8, unpack4_b8)
VCORE_C_LOAD_MODE(e2b_b16, e2b_b16)
VCORE_C_LOAD_MODE(e2b_b32, e2b_b32)
#undef VCORE_C_LOAD_MODE

#define VCORE_C_STORE_MODE(name, store_mode)                                                                       \
    template <typename D, typename S>                                                                              \
    inline void asc_storealign_##name(__ubuf__ S* dst, const vcore::kernels::Vector<D>& src, vector_bool mask,     \
                                      vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) {          \
        constexpr auto kType = vcore::kernels::element_of<D>();                                                    \
        static_assert(vcore::isa::is_store(vcore::isa::StoreMode::store_mode, kType),                              \
                      "asc_storealign_" #name ": the mode is for elements of another width");                      \
        const auto* used = vcore::isa::shape_of(vcore::isa::StoreMode::store_mode).masked ? &mask.value : nullptr; \
        vcore::kernels::ops::store(kType, vcore::isa::StoreMode::store_mode, dst, src.registers, false, used, 0,   \
                                   site);                                                                          \
    }
VCORE_C_STORE_MODE(first_element_b8, first_element_b8)
VCORE_C_STORE_MODE(first_element_b16, first_element_b16)
VCORE_C_STORE_MODE(first_element_b32, first_element_b32)
VCORE_C_STORE_MODE(pack_b16, pack_b16)
VCORE_C_STORE_MODE(pack_b32, pack_b32)
VCORE_C_STORE_MODE(pack_b64, pack_b64)
VCORE_C_STORE_MODE(pack4_b32, pack4_b32)
#undef VCORE_C_STORE_MODE

/// Masks in the UB: 32 B, aligned to 32 B.
template <typename S>
inline void asc_loadalign(vector_bool& dst, __ubuf__ S* src,
                          vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) {
    vcore::kernels::ops::mask_load(dst.value, src, vcore::isa::MaskLoadMode::norm, 0, site);
}
template <typename S>
inline void asc_storealign(__ubuf__ S* dst, const vector_bool& src,
                           vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) {
    vcore::kernels::ops::mask_store(dst, src.value, vcore::isa::MaskStoreMode::norm, 0, site);
}

// ---- gather and scatter

/// dst[i] = src[index[i]] for active lanes, others 0; `src` is 32 B aligned. Where the index is wider than same-typed
/// data needs, data lie in the even positions and odd ones are 0.
template <typename D, typename S, typename I>
inline void asc_gather(vcore::kernels::Vector<D>& dst, __ubuf__ S* src, vcore::kernels::Vector<I> index,
                       vector_bool mask, vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) {
    constexpr auto kDst = vcore::kernels::element_of<D>();
    constexpr auto kSrc = vcore::kernels::element_of<std::remove_cv_t<S>>();
    constexpr auto kIndex = vcore::kernels::element_of<I>();
    static_assert(vcore::isa::is_gather(kDst, kSrc, kIndex, vcore::isa::Api::c),
                  "asc_gather: no such combination of destination, source and index types; see the 19 of its page");
    vcore::kernels::ops::gather(kDst, kSrc, kIndex, dst.registers, false, src, index.registers, false, mask.value,
                                site);
}
/// dst[i] = src[index[i] mod lanes], all lanes.
template <typename D, typename I>
inline void asc_gather(vcore::kernels::Vector<D>& dst, vcore::kernels::Vector<D> src, vcore::kernels::Vector<I> index,
                       vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) {
    static_assert(vcore::isa::is_gather_register(vcore::kernels::element_of<D>(), vcore::kernels::element_of<I>(),
                                                 vcore::isa::Api::c),
                  "asc_gather from a register: no such combination of data and index types; see the 12 of its page");
    vcore::kernels::ops::gather_register(vcore::kernels::element_of<D>(), dst.registers.low, src.registers.low,
                                         index.registers.low, site);
}
/// Eight blocks of 32 B from src + index[b] bytes; lane b of the 32-bit mask gates block b.
template <typename D, typename S, typename I>
inline void asc_gather_datablock(vcore::kernels::Vector<D>& dst, __ubuf__ S* src, vcore::kernels::Vector<I> index,
                                 vector_bool mask, vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) {
    static_assert(sizeof(D) == sizeof(S), "asc_gather_datablock: the pointer's elements are not the register's");
    static_assert(vcore::isa::is_gather_block(vcore::kernels::element_of<D>(), vcore::kernels::element_of<I>()),
                  "asc_gather_datablock: indices are uint32_t byte offsets");
    vcore::kernels::ops::gather_block(vcore::kernels::element_of<D>(), dst.registers.low, src, index.registers.low,
                                      mask.value, site);
}
/// dst[index[i]] = src[i] for active lanes; 8-bit data: the even bytes of the source.
template <typename D, typename S, typename I>
inline void asc_scatter(__ubuf__ D* dst, vcore::kernels::Vector<S> src, vcore::kernels::Vector<I> index,
                        vector_bool mask, vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) {
    static_assert(std::is_same_v<D, S>, "asc_scatter: the pointer's elements are not the register's");
    static_assert(
        vcore::isa::is_scatter(vcore::kernels::element_of<S>(), vcore::kernels::element_of<I>(), vcore::isa::Api::c),
        "asc_scatter: no such combination of data and index types; 8 and 16-bit data take u16, 32-bit u32");
    vcore::kernels::ops::scatter(vcore::kernels::element_of<S>(), vcore::kernels::element_of<I>(), dst, src.registers,
                                 false, index.registers, false, mask.value, site);
}

// ---- arithmetic; inactive lanes become 0

template <typename T>
inline void asc_add(vcore::kernels::Vector<T>& dst, vcore::kernels::Vector<T> src0, vcore::kernels::Vector<T> src1,
                    vector_bool mask, vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) {
    static_assert(vcore::isa::is_arithmetic(vcore::kernels::element_of<T>()),
                  "asc_add: float, half, int32_t, uint32_t, int16_t or uint16_t");
    vcore::kernels::ops::add(vcore::kernels::element_of<T>(), dst.registers.low, src0.registers.low, src1.registers.low,
                             mask.value, site);
}
template <typename T, typename Scalar>
inline void asc_adds(vcore::kernels::Vector<T>& dst, vcore::kernels::Vector<T> src, Scalar value, vector_bool mask,
                     vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) {
    static_assert(vcore::isa::is_arithmetic(vcore::kernels::element_of<T>()),
                  "asc_adds: float, half, int32_t, uint32_t, int16_t or uint16_t");
    vcore::kernels::ops::adds(vcore::kernels::element_of<T>(), dst.registers.low, src.registers.low,
                              vcore::kernels::bits_of(static_cast<T>(value)), mask.value, site);
}
/// All lanes become `value`; with a mask the active ones, others 0.
template <typename T, typename Scalar>
inline void asc_duplicate(vcore::kernels::Vector<T>& dst, Scalar value,
                          vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) {
    static_assert(vcore::isa::is_duplicate(vcore::kernels::element_of<T>()),
                  "asc_duplicate: float, half, int32_t, uint32_t, int16_t or uint16_t");
    vcore::kernels::ops::duplicate(vcore::kernels::element_of<T>(), dst.registers.low,
                                   vcore::kernels::bits_of(static_cast<T>(value)), nullptr, site);
}
template <typename T, typename Scalar>
inline void asc_duplicate(vcore::kernels::Vector<T>& dst, Scalar value, vector_bool mask,
                          vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) {
    static_assert(vcore::isa::is_duplicate(vcore::kernels::element_of<T>()),
                  "asc_duplicate: float, half, int32_t, uint32_t, int16_t or uint16_t");
    vcore::kernels::ops::duplicate(vcore::kernels::element_of<T>(), dst.registers.low,
                                   vcore::kernels::bits_of(static_cast<T>(value)), &mask.value, site);
}
