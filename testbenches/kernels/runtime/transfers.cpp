#include "testbenches/kernels/runtime/transfers.hpp"

#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "testbenches/kernels/runtime/core_state.hpp"
#include "testbenches/kernels/runtime/device_memory.hpp"
#include "testbenches/kernels/runtime/runtime.hpp"

namespace vcore::kernels {
namespace {

using isa::DiagnosticId;
constexpr std::uint64_t kBlock = isa::kBlockBytes;

std::uint64_t padded_bytes(const TransferShape& shape) {
    const std::uint64_t bytes = shape.left_padding + shape.row_bytes + shape.right_padding;
    return (bytes + kBlock - 1) / kBlock * kBlock;
}

void check_shape(const TransferShape& shape, CallSite site) {
    if (shape.ub_gap % static_cast<std::int64_t>(kBlock) == 0) return;
    Runtime::get().fail(
        site, DiagnosticId::misaligned,
        fmt::format("rows in the UB lie {} bytes apart: expected a multiple of {}", shape.ub_gap, kBlock));
}

/// Bytes of a row as they stand in the UB; `out` is filled with the padding before.
void fill_padding(std::byte* out, std::uint64_t bytes, const TransferShape& shape) {
    for (std::uint64_t i = 0; i < bytes; ++i) {
        out[i] = static_cast<std::byte>(shape.padding >> (8 * (i % shape.padding_bytes)));
    }
}

engine::TransferRequest request_of(timing::Direction direction, isa::UbAddress address, std::int64_t bytes) {
    engine::TransferRequest request;
    request.direction = direction;
    request.address = isa::value(address);
    request.bytes = bytes;
    return request;
}

isa::UbAddress advance(isa::UbAddress address, std::int64_t bytes) {
    return isa::UbAddress{isa::value(address) + bytes};
}

}  // namespace

void check_global(const void* global, std::uint64_t bytes, CallSite site) {
    Runtime& runtime = Runtime::get();
    if (global == nullptr) runtime.fail(site, DiagnosticId::null_pointer, "the global memory address is null");
    if (is_ub_pointer(global)) {
        runtime.fail(site, DiagnosticId::foreign_pointer, "the global memory address points into the UB");
    }
    const DeviceMemory::Range range = DeviceMemory::get().find(global, bytes);
    if (range.state == DeviceMemory::Range::State::freed) {
        runtime.fail(site, DiagnosticId::freed_memory,
                     fmt::format("byte {} of an allocation of {} bytes in global memory, which has been freed",
                                 range.offset, range.bytes));
    }
    if (range.state == DeviceMemory::Range::State::outside) {
        runtime.fail(site, DiagnosticId::outside_memory,
                     fmt::format("{} bytes from byte {} of an allocation of {} bytes in global memory", bytes,
                                 range.offset, range.bytes));
    }
}

void copy_in(void* ub, const void* global, const TransferShape& shape, CallSite site) {
    check_shape(shape, site);
    isa::UbAddress address = ub_address(ub, "the destination in the UB", site);
    const std::uint64_t row = padded_bytes(shape);
    if (shape.rows == 0 || row == 0) return;
    const std::uint32_t rows_at_once = shape.ub_gap == 0 ? shape.rows : 1;
    Runtime& runtime = Runtime::get();
    if (rows_at_once * row > runtime.ub_size()) {
        runtime.fail(site, DiagnosticId::ub_out_of_bounds,
                     fmt::format("{} rows of {} bytes do not fit into the UB of {} bytes", rows_at_once, row,
                                 runtime.ub_size()));
    }
    std::vector<std::byte> buffer(rows_at_once * row);
    const auto* source = static_cast<const std::byte*>(global);
    for (std::uint32_t first = 0; first < shape.rows; first += rows_at_once) {
        for (std::uint32_t i = 0; i < rows_at_once; ++i) {
            check_global(source, shape.row_bytes, site);
            std::byte* const target = buffer.data() + i * row;
            fill_padding(target, shape.left_padding, shape);
            std::memcpy(target + shape.left_padding, source, shape.row_bytes);
            const std::uint64_t behind = shape.left_padding + shape.row_bytes;
            fill_padding(target + behind, row - behind, shape);
            source += static_cast<std::int64_t>(shape.row_bytes) + shape.global_gap;
        }
        runtime.transfer(request_of(timing::Direction::write, address, static_cast<std::int64_t>(buffer.size())),
                         buffer.data(), site);
        address = advance(address, static_cast<std::int64_t>(row) + shape.ub_gap);
    }
}

void copy_out(void* global, const void* ub, const TransferShape& shape, CallSite site) {
    check_shape(shape, site);
    isa::UbAddress address = ub_address(ub, "the source in the UB", site);
    const std::uint64_t row = (shape.row_bytes + kBlock - 1) / kBlock * kBlock;
    if (shape.rows == 0 || row == 0) return;
    // What is padding in the UB stays there: only rows without any are one piece.
    const bool one_piece = shape.ub_gap == 0 && row == shape.row_bytes;
    const std::uint32_t rows_at_once = one_piece ? shape.rows : 1;
    Runtime& runtime = Runtime::get();
    const std::uint64_t bytes = one_piece ? rows_at_once * row : shape.row_bytes;
    if (bytes > runtime.ub_size()) {
        runtime.fail(site, DiagnosticId::ub_out_of_bounds,
                     fmt::format("{} rows of {} bytes do not fit into the UB of {} bytes", rows_at_once, row,
                                 runtime.ub_size()));
    }
    std::vector<std::byte> buffer(bytes);
    auto* target = static_cast<std::byte*>(global);
    for (std::uint32_t first = 0; first < shape.rows; first += rows_at_once) {
        runtime.transfer(request_of(timing::Direction::read, address, static_cast<std::int64_t>(buffer.size())),
                         buffer.data(), site);
        for (std::uint32_t i = 0; i < rows_at_once; ++i) {
            check_global(target, shape.row_bytes, site);
            std::memcpy(target, buffer.data() + i * row, shape.row_bytes);
            target += static_cast<std::int64_t>(shape.row_bytes) + shape.global_gap;
        }
        address = advance(address, static_cast<std::int64_t>(row) + shape.ub_gap);
    }
}

void copy_within(void* target, const void* source, std::uint32_t rows, std::uint64_t row_bytes, std::int64_t source_gap,
                 std::int64_t target_gap, CallSite site) {
    if (rows == 0 || row_bytes == 0) return;
    isa::UbAddress from = ub_address(source, "the source in the UB", site);
    isa::UbAddress to = ub_address(target, "the destination in the UB", site);
    Runtime& runtime = Runtime::get();
    const bool one_piece = source_gap == 0 && target_gap == 0;
    const std::uint64_t bytes = one_piece ? rows * row_bytes : row_bytes;
    if (bytes > runtime.ub_size()) {
        runtime.fail(
            site, DiagnosticId::ub_out_of_bounds,
            fmt::format("{} rows of {} bytes do not fit into the UB of {} bytes", rows, row_bytes, runtime.ub_size()));
    }
    std::vector<std::byte> buffer(bytes);
    const auto size = static_cast<std::int64_t>(bytes);
    for (std::uint32_t row = 0; row < (one_piece ? 1 : rows); ++row) {
        runtime.transfer(request_of(timing::Direction::read, from, size), buffer.data(), site);
        runtime.transfer(request_of(timing::Direction::write, to, size), buffer.data(), site);
        from = advance(from, size + source_gap);
        to = advance(to, size + target_gap);
    }
}

}  // namespace vcore::kernels
