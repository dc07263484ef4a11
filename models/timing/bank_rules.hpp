// What one access costs on its own: beats, merged rows, sub-bank stalls. A pure function of the access and the
// geometry; who else wants the banks in the same cycle is the arbiter's business.
//
// Rules (`timing.md` "Bank rules, per cycle" and "3510 pipeline"):
// - A load or store port touches each bank group once per cycle: rows that fall k times into one group take k beats.
//   Rows without an enabled byte are not touched; one and the same row is touched once. Only a block store of stride 0
//   writes its row again for every active block (reads of it merge, writes do not).
// - An indexed access runs in beats of lanes_per_beat lanes; a beat costs the largest number of distinct words that any
//   (group, sub-bank) has to serve, at least 1. Lanes in one sub-bank word merge. Without sub-banks a word is a row and
//   the serial resource is the group. 64-bit elements run twice, first for all low, then for all high 32-bit words.
// - A block gather reads one row per group a beat, at least `minimum_block_beats`; blocks in one row merge.
// - An access without an active lane, byte or block touches nothing and costs 0 beats: what it still holds its pipe for
//   is the timeline's business.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/isa/access.hpp"
#include "models/timing/address_map.hpp"
#include "models/timing/parameters.hpp"

namespace vcore::timing {

/// Rows (or sub-bank words, for indexed accesses) read and written per bank, after merging. Index: BankId.
struct BankCounters {
    std::vector<std::uint64_t> reads;
    std::vector<std::uint64_t> writes;
    /// Approximately timed: cycles that accesses waited for the bank, or for its group, with another access or with
    /// rows of their own in it. Sub-banks do not count.
    std::vector<std::uint64_t> conflicts;
};

enum class Direction : std::uint8_t { read, write };

struct AccessCost {
    std::uint32_t beats = 0;  ///< cycles that the access holds its port; 0 where it touches nothing
    /// Of them, cycles beyond one per beat of a gather or scatter; 0 for every other access, block gathers included.
    std::uint32_t sub_bank_stalls = 0;
};

class BankRules {
public:
    BankRules(const UbGeometry& geometry, const GatherScatterParameters& gather_scatter);
    ~BankRules();
    BankRules(BankRules&&) noexcept;
    BankRules& operator=(BankRules&&) noexcept;

    /// Cost of the access alone; adds the rows it touches to `counters`. Does not allocate.
    AccessCost cost(const isa::ContiguousAccess& access, Direction direction, BankCounters& counters);
    AccessCost cost(const isa::BlockAccess& access, Direction direction, BankCounters& counters);
    /// `lanes_per_beat` as lanes_per_beat() says for gathers and scatters; block gathers (element_bytes 32) ignore it.
    AccessCost cost(const isa::IndexedAccess& access, std::uint32_t lanes_per_beat, Direction direction,
                    BankCounters& counters);

    /// Lanes of a beat: 32 for b32 data or u32 indices, 64 for b16 and b8 under u16 indices (ascend950's figures).
    /// 64-bit elements run as two 32-bit passes, which cost() of an 8-byte access includes.
    std::uint32_t lanes_per_beat(std::size_t element_bytes, std::size_t index_bytes) const;

    const AddressMap& map() const { return map_; }
    BankCounters make_counters() const;

private:
    struct Scratch;
    AddressMap map_;
    GatherScatterParameters gather_scatter_;
    std::unique_ptr<Scratch> scratch_;
};

}  // namespace vcore::timing
