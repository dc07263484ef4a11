// Transfers that run beside the ops, and what ops have to do with bytes that are still on their way.
//
// A transfer that nobody waits for moves its bytes in program order, as everything does, but on silicon an op that
// comes before its end would see some of the old bytes and some of the new. Source: `isa.md` "Order and barriers",
// `vprog.md` on `mte.in` with `at`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/isa/access.hpp"
#include "models/timing/bank_rules.hpp"
#include "models/timing/cycle.hpp"

namespace vcore::engine {

class UnfinishedTransfers {
public:
    struct Transfer {
        timing::Direction direction{};
        std::uint32_t begin = 0;  ///< bytes [begin, end) of the UB
        std::uint32_t end = 0;
        std::uint32_t line = 0;
        std::uint64_t id = 0;           ///< for finish(); 0 where the end is known
        timing::Cycle complete;         ///< where it is
        std::uint64_t reported_in = 0;  ///< number of the last op that met it
    };

    bool empty() const { return transfers_.empty(); }
    void clear() { transfers_.clear(); }
    void add(const Transfer& transfer) { transfers_.push_back(transfer); }
    void finish(std::uint64_t id) {
        remove([id](const Transfer& transfer) { return transfer.id == id; });
    }
    /// Forgets those whose end is known and not after `now`.
    void pass(timing::Cycle now) {
        remove([now](const Transfer& transfer) { return transfer.id == 0 && transfer.complete <= now; });
    }

    /// Calls `visit(transfer, first common byte)` for each transfer that an access of op number `op` meets for the
    /// first time: any access of bytes on their way into the UB, a write of bytes on their way out.
    template <typename Access, typename Visit>
    void meet(const Access& access, timing::Direction direction, std::uint64_t op, Visit visit) {
        for (Transfer& transfer : transfers_) {
            if (transfer.reported_in == op) continue;
            if (transfer.direction == timing::Direction::read && direction == timing::Direction::read) continue;
            const std::optional<std::uint32_t> byte = first_common(access, transfer);
            if (!byte) continue;
            transfer.reported_in = op;
            visit(transfer, *byte);
        }
    }

private:
    template <typename Done>
    void remove(Done done) {
        transfers_.erase(std::remove_if(transfers_.begin(), transfers_.end(), done), transfers_.end());
    }
    static std::optional<std::uint32_t> first_common(std::uint32_t begin, std::uint32_t end, const Transfer& with) {
        const std::uint32_t first = std::max(begin, with.begin);
        if (first >= std::min(end, with.end)) return std::nullopt;
        return first;
    }
    static std::optional<std::uint32_t> first_common(const isa::ContiguousAccess& access, const Transfer& with) {
        const std::uint32_t end = std::min(access.address + access.bytes, with.end);
        for (std::uint32_t byte = std::max(access.address, with.begin); byte < end; ++byte) {
            if (access.enabled(byte - access.address)) return byte;
        }
        return std::nullopt;
    }
    static std::optional<std::uint32_t> first_common(const isa::BlockAccess& access, const Transfer& with) {
        for (std::size_t block = 0; block < isa::kBlocksPerVector; ++block) {
            if (((access.active >> block) & 1U) == 0) continue;
            const std::uint32_t begin = access.block(block);
            if (const auto byte = first_common(begin, begin + isa::kBlockBytes, with)) return byte;
        }
        return std::nullopt;
    }
    static std::optional<std::uint32_t> first_common(const isa::IndexedAccess& access, const Transfer& with) {
        if (!first_common(access.low, access.high, with)) return std::nullopt;
        std::optional<std::uint32_t> lowest;
        for (std::uint32_t lane = 0; lane < access.lanes; ++lane) {
            if (!access.all_active && !access.is_active(lane)) continue;
            const std::uint32_t begin = access.address[lane];
            const auto byte = first_common(begin, begin + access.element_bytes, with);
            if (byte && (!lowest || *byte < *lowest)) lowest = byte;
        }
        return lowest;
    }

    std::vector<Transfer> transfers_;
};

}  // namespace vcore::engine
