// The C API's copies between global memory and the UB, by the MTE. Lengths are bytes; UB addresses are 32 B aligned; in
// the UB each row starts at a multiple of 32 B and is padded up to it.
#pragma once

#include <cstdint>

#include "testbenches/kernels/include/vcore_kernels/qualifiers.h"
#include "testbenches/kernels/runtime/transfers.hpp"

/// `size` bytes in one row.
template <typename D, typename S>
inline void asc_copy_gm2ub_align(__ubuf__ D* dst, __gm__ S* src, std::uint32_t size,
                                 vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) {
    vcore::kernels::TransferShape shape;
    shape.row_bytes = size;
    vcore::kernels::copy_in(dst, src, shape, site);
}
/// `n_burst` rows of `len_burst` bytes; `src_gap` bytes between rows in global memory, `dst_gap` blocks of 32 B between
/// rows in the UB; padding counts bytes and is 0.
template <typename D, typename S>
inline void asc_copy_gm2ub_align(__ubuf__ D* dst, __gm__ S* src, std::uint16_t n_burst, std::uint32_t len_burst,
                                 std::uint8_t left_padding_num, std::uint8_t right_padding_num, std::uint32_t src_gap,
                                 std::uint32_t dst_gap,
                                 vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) {
    vcore::kernels::TransferShape shape;
    shape.rows = n_burst;
    shape.row_bytes = len_burst;
    shape.left_padding = left_padding_num;
    shape.right_padding = right_padding_num;
    shape.global_gap = src_gap;
    shape.ub_gap = std::int64_t{dst_gap} * 32;
    vcore::kernels::copy_in(dst, src, shape, site);
}
/// The same with strides in bytes from the start of a row to that of the next.
template <typename D, typename S>
inline void asc_copy_gm2ub_align(__ubuf__ D* dst, __gm__ S* src, std::uint16_t n_burst, std::uint32_t len_burst,
                                 std::uint8_t left_padding_num, std::uint8_t right_padding_num, bool, std::uint8_t,
                                 std::uint64_t src_stride, std::uint32_t dst_stride,
                                 vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) {
    vcore::kernels::TransferShape shape;
    shape.rows = n_burst;
    shape.row_bytes = len_burst;
    shape.left_padding = left_padding_num;
    shape.right_padding = right_padding_num;
    const std::int64_t padded = (std::int64_t{len_burst} + left_padding_num + right_padding_num + 31) / 32 * 32;
    shape.global_gap = n_burst > 1 ? static_cast<std::int64_t>(src_stride) - len_burst : 0;
    shape.ub_gap = n_burst > 1 ? std::int64_t{dst_stride} - padded : 0;
    vcore::kernels::copy_in(dst, src, shape, site);
}
template <typename D, typename S>
inline void asc_copy_gm2ub(__ubuf__ D* dst, __gm__ S* src, std::uint32_t size,
                           vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) {
    asc_copy_gm2ub_align(dst, src, size, site);
}

/// `size` bytes in one row; padding is left behind.
template <typename D, typename S>
inline void asc_copy_ub2gm_align(__gm__ D* dst, __ubuf__ S* src, std::uint32_t size,
                                 vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) {
    vcore::kernels::TransferShape shape;
    shape.row_bytes = size;
    vcore::kernels::copy_out(dst, src, shape, site);
}
/// `src_gap` blocks of 32 B between rows in the UB, `dst_gap` bytes between rows in global memory.
template <typename D, typename S>
inline void asc_copy_ub2gm_align(__gm__ D* dst, __ubuf__ S* src, std::uint16_t n_burst, std::uint32_t len_burst,
                                 std::uint32_t src_gap, std::uint32_t dst_gap,
                                 vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) {
    vcore::kernels::TransferShape shape;
    shape.rows = n_burst;
    shape.row_bytes = len_burst;
    shape.ub_gap = std::int64_t{src_gap} * 32;
    shape.global_gap = dst_gap;
    vcore::kernels::copy_out(dst, src, shape, site);
}
/// The same with strides in bytes from the start of a row to that of the next.
template <typename D, typename S>
inline void asc_copy_ub2gm_align(__gm__ D* dst, __ubuf__ S* src, std::uint16_t n_burst, std::uint32_t len_burst,
                                 std::uint8_t, std::uint64_t dst_stride, std::uint32_t src_stride,
                                 vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) {
    vcore::kernels::TransferShape shape;
    shape.rows = n_burst;
    shape.row_bytes = len_burst;
    const std::int64_t padded = (std::int64_t{len_burst} + 31) / 32 * 32;
    shape.global_gap = n_burst > 1 ? static_cast<std::int64_t>(dst_stride) - len_burst : 0;
    shape.ub_gap = n_burst > 1 ? std::int64_t{src_stride} - padded : 0;
    vcore::kernels::copy_out(dst, src, shape, site);
}
template <typename D, typename S>
inline void asc_copy_ub2gm(__gm__ D* dst, __ubuf__ S* src, std::uint32_t size,
                           vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) {
    asc_copy_ub2gm_align(dst, src, size, site);
}
