// What a kernel can ask the core that it runs on.
#pragma once

#include <cstdint>

#include "models/isa/ids.hpp"
#include "testbenches/kernels/runtime/call_site.hpp"

namespace vcore::kernels {

/// The UB bytes that a kernel may use: those below what the toolchain keeps for itself.
std::uint64_t ub_bytes();
/// A pointer to a UB byte; `address` is at most the size of the UB. Ordinary code may read and write there: that takes
/// no time, and nothing checks it.
void* ub_pointer(isa::UbAddress address);
/// Whether a pointer points into the UB or to its end.
bool is_ub_pointer(const void* pointer);
/// The UB address of a pointer, as OpCall::address().
isa::UbAddress ub_address(const void* pointer, const char* operand, CallSite site);
/// UB bytes written by ordinary code through an API function (LocalTensor::SetValue): they count as written.
void mark_ub_written(isa::UbAddress address, std::uint64_t bytes);

/// UB space of a local array `__ubuf__ T name[n]`, which lives as long as the block: the same place, `identity` given,
/// whenever its declaration is reached. Ends the kernel where the UB has no room left (out-of-space). Arrays start
/// behind each other from address 0, aligned to 32 bytes; `ub_array_end()` is the first byte behind them.
void* ub_array(const void* identity, std::uint64_t bytes, const char* name, CallSite site);
std::uint64_t ub_array_end();

/// Cycles of the core since reset, as time has passed for the running kernel.
std::uint64_t cycles();

/// Number of the running block and of all blocks of the launch; 0 and 1 outside a launch.
std::uint32_t block_index();
std::uint32_t block_count();
/// Whether a kernel is running.
bool in_kernel();

/// Counts blocks that have been started: what belongs to one block (allocators, queues) starts anew when it changes.
std::uint64_t block_serial();

/// The product's canonical name ("ascend950") and architecture ("3510").
const char* product_name();
const char* architecture();

}  // namespace vcore::kernels
