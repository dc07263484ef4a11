// Two architectures by hand, for tests of models/timing alone. Figures of `timing.md`; those it does not give are
// marked P.
#pragma once

#include "models/timing/parameters.hpp"

namespace vcore::timing {

inline UbGeometry geometry_3510() {
    UbGeometry ub;
    ub.bank_groups = 8;
    ub.banks_per_group = 2;
    ub.rows_per_bank = 512;
    ub.row_bytes = 32;
    ub.sub_banks = 4;
    ub.sub_bank_scope = SubBankScope::group;
    ub.order = AddressOrder::row_bank_group;
    ub.reads_per_group = 2;
    ub.writes_per_group = 1;
    ub.accesses_per_group = 2;
    ub.max_wait = 256;  // P
    return ub;
}

inline UbGeometry geometry_2201() {
    UbGeometry ub;
    ub.bank_groups = 16;
    ub.banks_per_group = 3;
    ub.rows_per_bank = 128;
    ub.row_bytes = 32;
    ub.order = AddressOrder::bank_row_group;
    return ub;
}

/// 3002, 2002 and 1001 share it.
inline UbGeometry geometry_3002() {
    UbGeometry ub = geometry_2201();
    ub.banks_per_group = 4;
    return ub;
}

inline Parameters parameters_3510() {
    Parameters p;
    p.ub = geometry_3510();
    p.pipeline.vf_start = 23;
    p.pipeline.vf_drain = 12;
    p.pipeline.vf_overlap = 1;  // P
    p.pipeline.dispatch_width = 5;
    p.pipeline.shared_queue = 58;
    p.pipeline.unit_queue = 26;
    p.pipeline.physical_registers = 68;
    p.pipeline.load_ports = 2;
    p.pipeline.store_ports = 1;
    p.pipeline.memory_issues = 2;
    p.pipeline.execution_units = 2;
    p.latency.load = 9;
    p.latency.store = 9;
    p.latency.gather = 27;
    p.latency.gather_block = 21;
    p.latency.gather_register = 8;  // P
    p.latency.scatter = 13;
    p.latency.mask_load = 9;    // P
    p.latency.mask_store = 9;   // P
    p.latency.mask_create = 0;  // P
    p.latency.mask_gen = 8;     // P
    p.latency.add = 7;
    p.latency.duplicate = 7;  // P
    p.latency.move = 7;       // P
    p.latency.forward_add_add = 3;
    p.latency.forward_add_store = 5;
    p.latency.forward_load_arithmetic = 6;
    p.latency.forward_block_load_arithmetic = 8;  // P
    p.interval.mask_gen = 4;
    p.interval.gather = 2;
    p.interval.gather_block = 2;
    p.interval.gather_register = 4;
    p.interval.scatter = 2;
    p.interval.add_integer = 2;
    p.gather_scatter.lanes_per_beat_b32 = 32;
    p.gather_scatter.lanes_per_beat_b16 = 64;
    p.gather_scatter.minimum_block_beats = 2;
    p.mte.bytes_per_cycle = 128;
    return p;
}

inline Parameters parameters_2201() {
    Parameters p;
    p.ub = geometry_2201();
    p.pipeline.tensor_head = 24;
    p.pipeline.tensor_write_lag = 13;         // P
    p.gather_scatter.lanes_per_beat_b32 = 8;  // P
    p.gather_scatter.lanes_per_beat_b16 = 8;  // P
    p.mte.bytes_per_cycle = 64;
    return p;
}

}  // namespace vcore::timing
