// The memory-mapped targets that the generic payload suite runs against. To add one: write a fixture like these and put
// it into MemoryTargets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/engine/configuration.hpp"
#include "models/registers/mask_register_file.hpp"
#include "models/registers/vector_register_file.hpp"
#include "models/ub/ub_bank.hpp"
#include "models/ub/unified_buffer.hpp"
#include "testbenches/conformance/prober.hpp"

namespace vcore::conformance {

/// ascend950's UB in figures that are easy to count with: 1 cycle = 1 ns, a read 5 cycles, a write 3.
inline engine::Configuration ub_configuration(std::uint64_t logical_bytes = 0x40000) {
    engine::Configuration configuration;
    configuration.clock_mhz = 1000.0;
    configuration.capabilities.ub_bytes = logical_bytes;
    timing::UbGeometry& ub = configuration.timing.ub;
    ub.bank_groups = 8;
    ub.banks_per_group = 2;
    ub.rows_per_bank = 512;
    ub.row_bytes = 32;
    ub.sub_banks = 4;
    ub.reads_per_group = 2;
    ub.writes_per_group = 1;
    ub.read_latency = 5;
    ub.write_latency = 3;
    configuration.timing.gather_scatter.lanes_per_beat_b32 = 32;
    configuration.timing.gather_scatter.lanes_per_beat_b16 = 64;
    configuration.timing.gather_scatter.minimum_block_beats = 2;
    return configuration;
}

// A fixture has: bind(socket), size() in bytes, delay(command, address, bytes) of a full access, direct_span(address):
// the first and last byte of a DMI grant, counted(): rows counted so far, reset(), set_direct_memory(bool).

/// A UB whose geometry holds more than its logical size (T12).
class UnifiedBufferTarget {
public:
    static std::string name() { return "UnifiedBuffer"; }
    template <typename Socket>
    void bind(Socket& socket) {
        socket.bind(ub.port);
    }
    static std::uint64_t size() { return 0x3E000; }
    /// One beat for each time that the rows of the access come round to a bank group.
    static sc_core::sc_time delay(tlm::tlm_command command, std::uint64_t address, std::uint64_t bytes) {
        const std::uint64_t rows = (address + bytes - 1) / 32 - address / 32 + 1;
        const std::uint64_t latency = command == tlm::TLM_WRITE_COMMAND ? 3 : 5;
        return {static_cast<double>(latency + (rows + 7) / 8 - 1), sc_core::SC_NS};
    }
    static std::pair<std::uint64_t, std::uint64_t> direct_span(std::uint64_t) { return {0, size() - 1}; }
    std::uint64_t counted() const {
        std::uint64_t rows = 0;
        for (const std::uint64_t count : ub.counters().reads) rows += count;
        for (const std::uint64_t count : ub.counters().writes) rows += count;
        return rows;
    }
    void reset() { ub.reset(); }
    void set_direct_memory(bool allowed) { ub.set_direct_memory(allowed); }

    ub::UnifiedBuffer ub{"ub", ub_configuration(size())};
};

class UbBankTarget {
public:
    static std::string name() { return "UbBank"; }
    template <typename Socket>
    void bind(Socket& socket) {
        socket.bind(bank.socket);
    }
    static std::uint64_t size() { return 512 * 32; }
    static sc_core::sc_time delay(tlm::tlm_command, std::uint64_t, std::uint64_t) { return {2, sc_core::SC_NS}; }
    static std::pair<std::uint64_t, std::uint64_t> direct_span(std::uint64_t address) {
        return {address / 32 * 32, address / 32 * 32 + 31};
    }
    std::uint64_t counted() const { return bank.reads() + bank.writes(); }
    void reset() { bank.reset(); }
    void set_direct_memory(bool allowed) { bank.set_direct_memory(allowed); }

    // Every third row of an array, so that a run past a row's end into its neighbour would show.
    std::vector<std::byte> array = std::vector<std::byte>(std::size_t{512} * 96);
    ub::UbBank bank{"bank", ub::RowView{array.data(), 96, 512, 32}, sc_core::sc_time(2, sc_core::SC_NS)};
};

template <typename File>
class RegisterFileTarget {
public:
    static std::string name() {
        return std::is_same_v<File, registers::VectorRegisterFile> ? "VectorRegisterFile" : "MaskRegisterFile";
    }
    template <typename Socket>
    void bind(Socket& socket) {
        socket.bind(file.port);
    }
    std::uint64_t size() const { return file.size_bytes(); }
    static sc_core::sc_time delay(tlm::tlm_command, std::uint64_t, std::uint64_t) { return sc_core::SC_ZERO_TIME; }
    std::pair<std::uint64_t, std::uint64_t> direct_span(std::uint64_t) const { return {0, size() - 1}; }
    static std::uint64_t counted() { return 0; }
    void reset() { file.reset(); }
    void set_direct_memory(bool allowed) { file.set_direct_memory(allowed); }

    File file{"file"};
};

using MemoryTargets =
    ::testing::Types<UnifiedBufferTarget, UbBankTarget, RegisterFileTarget<registers::VectorRegisterFile>,
                     RegisterFileTarget<registers::MaskRegisterFile>>;

struct TargetName {
    template <typename Target>
    static std::string GetName(int) {
        return Target::name();
    }
};

}  // namespace vcore::conformance
