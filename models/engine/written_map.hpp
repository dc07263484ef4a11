// Which bytes of the UB have been written since reset.
//
// One bit per byte plus one summary bit per page, so that the common question — has everything in this span been
// written? — costs a few words whatever the access looks like. Never allocates after construction.
// Source: `vprog.md` "State" (at reset everything is marked never written), diagnostic uninitialised-read.
#pragma once

#include <cstdint>
#include <vector>

#include "models/engine/byte_pages.hpp"
#include "models/isa/access.hpp"

namespace vcore::engine {

/// Accesses lie inside the UB; shapes as byte_pages.hpp says.
class WrittenMap {
public:
    explicit WrittenMap(std::uint64_t bytes);
    void reset();  ///< nothing has been written

    void mark(std::uint32_t address, std::uint32_t bytes);  ///< any number of bytes
    void mark(const isa::ContiguousAccess& access);
    void mark(const isa::BlockAccess& access);
    void mark(const isa::IndexedAccess& access);

    /// The lowest byte address of the access that was never written, or kAllWritten.
    static constexpr std::int64_t kAllWritten = -1;
    std::int64_t first_unwritten(const isa::ContiguousAccess& access) const;
    std::int64_t first_unwritten(const isa::BlockAccess& access) const;
    std::int64_t first_unwritten(const isa::IndexedAccess& access) const;  ///< of the lowest such lane
    bool all_written(std::uint32_t address, std::uint32_t bytes) const;    ///< true for no bytes

private:
    bool pages_full(std::uint32_t low, std::uint32_t high) const;  ///< of the bytes [low, high), low < high
    void note_if_full(std::uint32_t page);
    void mark(const TouchedPages& touched);
    std::int64_t first_unwritten(const TouchedPages& touched) const;

    std::uint64_t ub_bytes_;
    std::vector<std::uint64_t> bytes_;  ///< bit per byte, whole pages; those past the end of the UB count as written
    std::vector<std::uint64_t> pages_;  ///< bit per 256 B page, all of whose bytes are written
};

}  // namespace vcore::engine
