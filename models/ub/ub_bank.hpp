// One bank of the Unified Buffer.
//
// Models: a memory of `rows` rows of `row_bytes` bytes, which are rows of the UB's linear array. Local address =
// row * row_bytes + byte. Base protocol whole: byte enables, streaming width, DMI (one row at a time, since the rows do
// not lie side by side in the array), transport_dbg. All rows of the geometry exist, also those past a smaller logical
// UB size: that limit is the UB's.
// Does not model: ports, sub-banks and conflicts; their cost is the UB's (models/timing/bank_rules.hpp).
// Timing contract: adds `access_time` to the delay of each accepted access. The built-in banks of a UnifiedBuffer add
// nothing, because the UB has priced the access. Never waits; nb_transport completes in the first call.
// Reset contract: reset() zeroes the counters and withdraws DMI. The bytes belong to the UB and are cleared by it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <systemc>
#include <tlm>

#include "tlm/sockets.hpp"

namespace vcore::ub {

/// Rows of a larger array at a constant distance.
struct RowView {
    std::byte* first = nullptr;  ///< byte 0 of row 0
    std::size_t stride = 0;      ///< bytes from one row to the next
    std::uint32_t rows = 0;
    std::uint32_t row_bytes = 0;

    std::byte* row(std::uint32_t index) const { return first + index * stride; }
    std::uint64_t bytes() const { return std::uint64_t{rows} * row_bytes; }
};

class UbBank : public sc_core::sc_module {
public:
    UbBank(sc_core::sc_module_name name, const RowView& rows,
           const sc_core::sc_time& access_time = sc_core::SC_ZERO_TIME);

    transport::MemoryTargetSocket<UbBank> socket;

    /// Grants or refuses DMI from now on; refusing withdraws what was granted. Initially granted.
    void set_direct_memory(bool allowed);
    void reset();

    /// Rows touched by accepted accesses since reset; debug and DMI accesses are not counted.
    std::uint64_t reads() const { return reads_; }
    std::uint64_t writes() const { return writes_; }

private:
    void b_transport(int index, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    tlm::tlm_sync_enum nb_transport_fw(int index, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    unsigned transport_dbg(int index, tlm::tlm_generic_payload& payload);
    bool get_direct_mem_ptr(int index, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);

    void move(bool write, std::uint64_t address, unsigned char* data, std::uint32_t bytes);
    void withdraw_direct_memory();

    RowView rows_;
    sc_core::sc_time access_time_;
    bool direct_memory_ = true;
    std::vector<bool> granted_;  ///< by initiator index
    std::uint64_t reads_ = 0;
    std::uint64_t writes_ = 0;
};

}  // namespace vcore::ub
