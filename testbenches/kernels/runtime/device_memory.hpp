// Global memory: what aclrtMalloc gave, by address.
//
// Device memory is memory of the process. The ranges are kept so that an access beyond an allocation, or into one that
// has been freed, can be told; a freed range is remembered until its addresses are given out again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace vcore::kernels {

class DeviceMemory {
public:
    static DeviceMemory& get();

    enum class Kind : std::uint8_t { device, host };  ///< aclrtMalloc, aclrtMallocHost

    /// Null where there is no memory left. Aligned to 512 bytes.
    void* allocate(std::size_t bytes, Kind kind);
    enum class Freed : std::uint8_t { yes, twice, not_ours };
    Freed free(void* pointer, Kind kind);

    /// What is known of an access to bytes [pointer, pointer + bytes).
    struct Range {
        enum class State : std::uint8_t { unknown, inside, outside, freed };
        State state = State::unknown;  ///< unknown: no memory of ours, nothing can be said
        Kind kind{};
        std::uint64_t offset = 0;  ///< of the access in its allocation
        std::uint64_t bytes = 0;   ///< of the allocation
    };
    Range find(const void* pointer, std::uint64_t bytes) const;

private:
    struct Allocation {
        std::size_t bytes = 0;
        Kind kind{};
        bool freed = false;
    };
    void forget(std::uintptr_t begin, std::uintptr_t end);

    std::map<std::uintptr_t, Allocation> allocations_;  // by first byte; they do not overlap
};

}  // namespace vcore::kernels
