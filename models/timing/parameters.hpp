// Every figure that the cost model uses. Values come from a product's JSON (see models/engine/configuration.hpp); there
// are no defaults here on purpose, except where a field's absence means "none".
//
// Units: bytes, vector-core cycles, counts per cycle. Source of the figures: `timing.md`, with a mark in each product
// file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace vcore::timing {

/// Order of the fields in a byte address, from high to low.
enum class AddressOrder : std::uint8_t {
    row_bank_group,  ///< row, bank, group, byte (architecture 3510)
    bank_row_group,  ///< bank, row, group, byte (2201 and older)
};
/// What a sub-bank's serial resource is counted per.
enum class SubBankScope : std::uint8_t {
    group,  ///< (group, sub-bank): shared by all banks of the group
    bank,   ///< (group, bank, sub-bank)
};

/// Who asks for a bank.
enum class Requester : std::uint8_t {
    load_store,      ///< contiguous and block accesses of the core, accesses of memory-based ops
    gather_scatter,  ///< indexed accesses of the core
    mte,             ///< transfers, and foreign initiators
};
inline constexpr std::size_t kRequesters = 3;

/// Geometry of the Unified Buffer. groups * banks * rows * row bytes is what the geometry holds.
struct UbGeometry {
    std::uint32_t bank_groups = 1;
    std::uint32_t banks_per_group = 1;
    std::uint32_t rows_per_bank = 1;
    std::uint32_t row_bytes = 32;
    std::uint32_t sub_banks = 1;  ///< per bank row; 1: none, a row is served as a whole
    SubBankScope sub_bank_scope = SubBankScope::group;
    AddressOrder order = AddressOrder::row_bank_group;
    std::uint32_t reads_per_group = 1;     ///< rows per cycle
    std::uint32_t writes_per_group = 1;    ///< rows per cycle
    std::uint32_t accesses_per_group = 2;  ///< rows read and written together, per cycle
    /// Who wins a bank that several want in one cycle, strongest first.
    std::array<Requester, kRequesters> priority{Requester::load_store, Requester::gather_scatter, Requester::mte};
    std::uint32_t max_wait = 256;     ///< cycles after which whoever waits for a bank goes before all others
    std::uint32_t read_latency = 1;   ///< cycles from a foreign access's first beat to its data
    std::uint32_t write_latency = 1;  ///< cycles from a foreign access's first beat to its end

    std::uint32_t banks() const { return bank_groups * banks_per_group; }
    std::uint64_t bytes() const { return std::uint64_t{banks()} * rows_per_bank * row_bytes; }
};

/// The vector-function pipeline.
struct PipelineParameters {
    std::uint32_t vf_start = 0;        ///< cycles from call to first issue
    std::uint32_t vf_drain = 0;        ///< cycles from last completion to the end of the VF
    std::uint32_t vf_overlap = 0;      ///< added between the last memory issue of a VF and the start-up of the next
    std::uint32_t dispatch_width = 1;  ///< ops per cycle
    std::uint32_t shared_queue = 1;    ///< ops dispatched and not yet issued
    std::uint32_t unit_queue = 1;      ///< of them, per unit
    std::uint32_t physical_registers = 33;  ///< vector registers behind renaming
    std::uint32_t load_ports = 1;           ///< loads that start in one cycle
    std::uint32_t store_ports = 1;          ///< stores that start in one cycle
    std::uint32_t memory_issues = 1;        ///< loads and stores together that start in one cycle
    std::uint32_t execution_units = 1;
    std::uint32_t tensor_head = 0;       ///< what a memory-based tensor op costs beyond its iterations
    std::uint32_t tensor_write_lag = 1;  ///< of it, cycles from an iteration's reads to its write
};

/// Cycles from issue to result.
struct Latencies {
    std::uint32_t load = 1;
    std::uint32_t store = 1;
    std::uint32_t gather = 1;
    std::uint32_t gather_block = 1;
    std::uint32_t gather_register = 1;
    std::uint32_t scatter = 1;
    std::uint32_t mask_load = 1;
    std::uint32_t mask_store = 1;
    std::uint32_t mask_create = 0;  ///< CreateMask and UpdateMask: the front end makes them, from scalars
    std::uint32_t mask_gen = 1;
    std::uint32_t add = 1;  ///< Add, Adds
    std::uint32_t duplicate = 1;
    std::uint32_t move = 1;
    std::uint32_t forward_add_add = 1;
    std::uint32_t forward_add_store = 1;
    std::uint32_t forward_load_arithmetic = 1;
    std::uint32_t forward_block_load_arithmetic = 1;
};

/// Cycles between the issues of two ops of one kind.
struct Intervals {
    std::uint32_t load = 1;  ///< contiguous load and store
    std::uint32_t store = 1;
    std::uint32_t block_load = 1;
    std::uint32_t block_store = 1;
    std::uint32_t mask_load = 1;
    std::uint32_t mask_store = 1;
    std::uint32_t mask_create = 1;
    std::uint32_t mask_gen = 1;
    std::uint32_t gather = 1;
    std::uint32_t gather_block = 1;
    std::uint32_t gather_register = 1;
    std::uint32_t scatter = 1;
    std::uint32_t add_float = 1;
    std::uint32_t add_half = 1;
    std::uint32_t add_integer = 1;
    std::uint32_t duplicate = 1;
    std::uint32_t move = 1;
};

/// Lanes that a gather or scatter addresses in one beat.
struct GatherScatterParameters {
    std::uint32_t lanes_per_beat_b32 = 1;
    std::uint32_t lanes_per_beat_b16 = 1;   ///< also b8, and b8 widened to b16
    std::uint32_t minimum_block_beats = 1;  ///< of a block gather
};

/// Transfers between global memory and UB.
struct MteParameters {
    std::uint32_t bytes_per_cycle = 1;
    std::uint32_t latency = 0;
};

struct Parameters {
    UbGeometry ub;
    PipelineParameters pipeline;
    Latencies latency;
    Intervals interval;
    GatherScatterParameters gather_scatter;
    MteParameters mte;
};

}  // namespace vcore::timing
