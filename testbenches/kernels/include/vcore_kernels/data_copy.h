// Copies between global memory and the UB, and the tensor ops that stand outside vector functions.
#pragma once

#include <cstdint>
#include <type_traits>

#include "models/isa/type_rules.hpp"
#include "testbenches/kernels/include/vcore_kernels/queues.h"
#include "testbenches/kernels/include/vcore_kernels/tensors.h"
#include "testbenches/kernels/runtime/op_call.hpp"

namespace AscendC {

/// Blocks of 32 B: `blockCount` rows of `blockLen` blocks, `srcGap` and `dstGap` blocks between them.
struct DataCopyParams {
    std::uint16_t blockCount = 1;
    std::uint16_t blockLen = 0;
    union {
        std::uint16_t srcGap = 0;
        std::uint16_t srcStride;
    };
    union {
        std::uint16_t dstGap = 0;
        std::uint16_t dstStride;
    };
    DataCopyParams() = default;
    DataCopyParams(std::uint16_t count, std::uint16_t length, std::uint16_t source_gap, std::uint16_t target_gap)
        : blockCount(count), blockLen(length), srcGap(source_gap), dstGap(target_gap) {}
};
/// Rows of `blockLen` bytes; gaps are bytes in global memory and blocks of 32 B in the UB.
struct DataCopyExtParams {
    std::uint16_t blockCount = 1;
    std::uint32_t blockLen = 0;
    std::int64_t srcStride = 0;
    std::int64_t dstStride = 0;
    std::uint32_t rsv = 0;
    DataCopyExtParams() = default;
    DataCopyExtParams(std::uint16_t count, std::uint32_t length, std::int64_t source_gap, std::int64_t target_gap,
                      std::uint32_t reserved)
        : blockCount(count), blockLen(length), srcStride(source_gap), dstStride(target_gap), rsv(reserved) {}
};
/// What stands around the bytes of a row in the UB: `leftPadding` and `rightPadding` elements of `paddingValue`.
struct DataCopyPadParams {
    bool isPad = false;
    std::uint8_t leftPadding = 0;
    std::uint8_t rightPadding = 0;
    std::uint64_t paddingValue = 0;
};
template <typename T>
struct DataCopyPadExtParams {
    bool isPad = false;
    std::uint8_t leftPadding = 0;
    std::uint8_t rightPadding = 0;
    T paddingValue{};
    DataCopyPadExtParams() = default;
    DataCopyPadExtParams(bool pad, std::uint8_t left, std::uint8_t right, T value)
        : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
};

namespace detail {

inline ::vcore::kernels::TransferShape one_row(std::uint64_t bytes, CallSite site) {
    if (bytes % ONE_BLK_SIZE != 0) {
        ::vcore::kernels::fail(site, ::vcore::isa::DiagnosticId::bad_count,
                               "DataCopy of " + std::to_string(bytes) +
                                   " bytes: expected a multiple of 32; DataCopyPad copies any length");
    }
    ::vcore::kernels::TransferShape shape;
    shape.row_bytes = bytes;
    return shape;
}
inline ::vcore::kernels::TransferShape blocks(const DataCopyParams& params, bool into_ub) {
    ::vcore::kernels::TransferShape shape;
    shape.rows = params.blockCount;
    shape.row_bytes = std::uint64_t{params.blockLen} * ONE_BLK_SIZE;
    const std::int64_t source = std::int64_t{params.srcGap} * ONE_BLK_SIZE;
    const std::int64_t target = std::int64_t{params.dstGap} * ONE_BLK_SIZE;
    shape.global_gap = into_ub ? source : target;
    shape.ub_gap = into_ub ? target : source;
    return shape;
}
inline ::vcore::kernels::TransferShape rows(std::uint64_t count, std::uint64_t bytes, std::int64_t global_gap,
                                            std::int64_t ub_blocks) {
    ::vcore::kernels::TransferShape shape;
    shape.rows = static_cast<std::uint32_t>(count);
    shape.row_bytes = bytes;
    shape.global_gap = global_gap;
    shape.ub_gap = ub_blocks * ONE_BLK_SIZE;
    return shape;
}

}  // namespace detail

// ---- DataCopy: `count` elements, a multiple of 32 B; 32 B aligned in the UB

template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, std::uint32_t count,
                     CallSite site = CallSite::here()) {
    ::vcore::kernels::copy_in(dst.address("dst", site), src.address_,
                              detail::one_row(std::uint64_t{count} * sizeof(T), site), site);
}
template <typename T>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, std::uint32_t count,
                     CallSite site = CallSite::here()) {
    ::vcore::kernels::copy_out(dst.address_, src.address("src", site),
                               detail::one_row(std::uint64_t{count} * sizeof(T), site), site);
}
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, std::uint32_t count,
                     CallSite site = CallSite::here()) {
    const auto shape = detail::one_row(std::uint64_t{count} * sizeof(T), site);
    ::vcore::kernels::copy_within(dst.address("dst", site), src.address("src", site), 1, shape.row_bytes, 0, 0, site);
}
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& params,
                     CallSite site = CallSite::here()) {
    ::vcore::kernels::copy_in(dst.address("dst", site), src.address_, detail::blocks(params, true), site);
}
template <typename T>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params,
                     CallSite site = CallSite::here()) {
    ::vcore::kernels::copy_out(dst.address_, src.address("src", site), detail::blocks(params, false), site);
}
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params,
                     CallSite site = CallSite::here()) {
    ::vcore::kernels::copy_within(dst.address("dst", site), src.address("src", site), params.blockCount,
                                  std::uint64_t{params.blockLen} * ONE_BLK_SIZE,
                                  std::int64_t{params.srcGap} * ONE_BLK_SIZE,
                                  std::int64_t{params.dstGap} * ONE_BLK_SIZE, site);
}

// ---- DataCopyPad: rows of any length in bytes; in the UB each is padded up to 32 B

template <typename T>
inline void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyExtParams& params,
                        const DataCopyPadExtParams<T>& pad, CallSite site = CallSite::here()) {
    auto shape = detail::rows(params.blockCount, params.blockLen, params.srcStride, params.dstStride);
    if (pad.isPad) {
        shape.left_padding = pad.leftPadding * static_cast<std::uint32_t>(sizeof(T));
        shape.right_padding = pad.rightPadding * static_cast<std::uint32_t>(sizeof(T));
        shape.padding = ::vcore::kernels::bits_of(pad.paddingValue);
        shape.padding_bytes = sizeof(T);
    }
    ::vcore::kernels::copy_in(dst.address("dst", site), src.address_, shape, site);
}
template <typename T>
inline void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& params,
                        const DataCopyPadParams& pad, CallSite site = CallSite::here()) {
    auto shape = detail::rows(params.blockCount, params.blockLen, params.srcStride, params.dstStride);
    if (pad.isPad) {
        shape.left_padding = pad.leftPadding * static_cast<std::uint32_t>(sizeof(T));
        shape.right_padding = pad.rightPadding * static_cast<std::uint32_t>(sizeof(T));
        shape.padding = pad.paddingValue;
        shape.padding_bytes = sizeof(T);
    }
    ::vcore::kernels::copy_in(dst.address("dst", site), src.address_, shape, site);
}
template <typename T>
inline void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyExtParams& params,
                        CallSite site = CallSite::here()) {
    ::vcore::kernels::copy_out(dst.address_, src.address("src", site),
                               detail::rows(params.blockCount, params.blockLen, params.dstStride, params.srcStride),
                               site);
}
template <typename T>
inline void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params,
                        CallSite site = CallSite::here()) {
    ::vcore::kernels::copy_out(dst.address_, src.address("src", site),
                               detail::rows(params.blockCount, params.blockLen, params.dstStride, params.srcStride),
                               site);
}

// ---- ops on tensors

namespace detail {

template <typename T>
::vcore::isa::TensorScatter scatter_of(const ::vcore::kernels::OpCall& call, const LocalTensor<T>& dst,
                                       const LocalTensor<T>& src, const LocalTensor<std::uint32_t>& offset,
                                       std::uint32_t base, CallSite site) {
    static_assert(::vcore::isa::is_tensor_scatter(::vcore::kernels::element_of<T>()),
                  "Scatter: elements are integers of 8 to 64 bits, half, bfloat16_t or float");
    ::vcore::isa::TensorScatter op;
    op.type = ::vcore::kernels::element_of<T>();
    op.dst = call.address(dst.address("dst", site), "dst");
    op.src = call.address(src.address("src", site), "src");
    op.offset = call.address(offset.address("dstOffset", site), "dstOffset");
    op.base = base;
    return op;
}

}  // namespace detail

/// dst[(dstBaseAddr + dstOffset[i]) / sizeof(T)] = src[i] for the first `count` elements; offsets in bytes.
template <typename T>
inline void Scatter(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<std::uint32_t>& dstOffset,
                    const std::uint32_t dstBaseAddr, const std::uint32_t count, CallSite site = CallSite::here()) {
    ::vcore::kernels::OpCall call(site);
    ::vcore::isa::TensorScatter op = detail::scatter_of(call, dst, src, dstOffset, dstBaseAddr, site);
    op.form = ::vcore::isa::TensorScatterForm::count;
    op.count = count;
    call.issue(op);
}
/// `repeatTime` iterations; bit k of mask selects element k; the source advances `srcRepStride` blocks of 32 B.
template <typename T>
inline void Scatter(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<std::uint32_t>& dstOffset,
                    const std::uint32_t dstBaseAddr, const std::uint64_t mask[], const std::uint8_t repeatTime,
                    const std::uint8_t srcRepStride, CallSite site = CallSite::here()) {
    ::vcore::kernels::OpCall call(site);
    ::vcore::isa::TensorScatter op = detail::scatter_of(call, dst, src, dstOffset, dstBaseAddr, site);
    op.form = ::vcore::isa::TensorScatterForm::bit_mask;
    op.mask_low = mask[0];
    op.mask_high = mask[1];
    op.repeat = repeatTime;
    op.stride = srcRepStride;
    call.issue(op);
}
/// The first `mask` elements of each iteration.
template <typename T>
inline void Scatter(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<std::uint32_t>& dstOffset,
                    const std::uint32_t dstBaseAddr, const std::uint64_t mask, const std::uint8_t repeatTime,
                    const std::uint8_t srcRepStride, CallSite site = CallSite::here()) {
    ::vcore::kernels::OpCall call(site);
    ::vcore::isa::TensorScatter op = detail::scatter_of(call, dst, src, dstOffset, dstBaseAddr, site);
    op.form = ::vcore::isa::TensorScatterForm::contiguous_mask;
    op.mask_low = mask;
    op.repeat = repeatTime;
    op.stride = srcRepStride;
    call.issue(op);
}

/// dst[i] = src0[i] + src1[i] for `count` elements, on products with tensor.add (A2, A3).
template <typename T>
inline void Add(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                const std::int32_t& count, CallSite site = CallSite::here()) {
    ::vcore::kernels::OpCall call(site);
    ::vcore::isa::TensorAdd op;
    op.type = ::vcore::kernels::element_of<T>();
    op.dst = call.address(dst.address("dst", site), "dst");
    op.src0 = call.address(src0.address("src0", site), "src0");
    op.src1 = call.address(src1.address("src1", site), "src1");
    op.count = count;
    call.issue(op);
}

}  // namespace AscendC
