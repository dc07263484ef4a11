// Transfers between global memory and the UB, by the MTE.
//
// Global memory is memory of the process: what aclrtMalloc gave, or any other. Where the pointer lies in memory of
// aclrtMalloc, the transfer must stay inside that allocation (outside-memory), and the memory must not have been freed
// (freed-memory).
// Time contract: a transfer starts when everything before it has completed, and what follows waits for its last byte.
// Rows that follow each other in the UB without gaps are one transfer, others one each.
#pragma once

#include <cstdint>

#include "models/isa/ids.hpp"
#include "testbenches/kernels/runtime/call_site.hpp"

namespace vcore::kernels {

/// Shape of a transfer in bytes. In the UB each row starts at a multiple of 32.
struct TransferShape {
    std::uint32_t rows = 1;
    std::uint64_t row_bytes = 0;
    std::int64_t global_gap = 0;  ///< bytes in global memory between the end of a row and the next
    std::int64_t ub_gap = 0;      ///< bytes in the UB between the padded end of a row and the next; a multiple of 32
    // Into the UB only: what stands around the bytes of a row.
    std::uint32_t left_padding = 0;  ///< bytes before them, 0..32
    std::uint32_t right_padding =
        0;                      ///< bytes behind them, 0..32; the rest up to the next multiple of 32 is padded too
    std::uint64_t padding = 0;  ///< bits of a padding element
    std::uint32_t padding_bytes = 1;  ///< size of that element: 1, 2, 4 or 8
};

/// Global memory to UB. Errors (the kernel ends): null-pointer, foreign-pointer (no UB pointer), misaligned, and
/// ub-out-of-bounds; those of global memory as above.
void copy_in(void* ub, const void* global, const TransferShape& shape, CallSite site);
/// UB to global memory; padding is left behind.
void copy_out(void* global, const void* ub, const TransferShape& shape, CallSite site);
/// UB to UB, rows as above: `source_gap` and `target_gap` are bytes between rows. It takes the time of both ways.
void copy_within(void* target, const void* source, std::uint32_t rows, std::uint64_t row_bytes, std::int64_t source_gap,
                 std::int64_t target_gap, CallSite site);

/// For ordinary code that reads or writes global memory by element (GlobalTensor::GetValue): ends the kernel where
/// the bytes do not lie in one live allocation.
void check_global(const void* global, std::uint64_t bytes, CallSite site);

}  // namespace vcore::kernels
