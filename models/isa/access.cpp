#include "models/isa/access.hpp"

#include <algorithm>
#include <cstring>

#include "models/isa/bits.hpp"

namespace vcore::isa {
namespace {

/// Copies `bytes` bytes, at most 8, of which the bits of `enable` take part.
void copy_chunk(std::uint64_t enable, std::size_t bytes, const std::byte* from, std::byte* to) {
    if ((enable & 0xFF) == 0xFF && bytes == 8) {
        std::memcpy(to, from, 8);
        return;
    }
    for (std::size_t byte = 0; byte < bytes; ++byte) {
        if (((enable >> byte) & 1U) != 0) to[byte] = from[byte];
    }
}

/// Copies the enabled bytes only: disabled ones may lie outside the buffer.
void copy_enabled(const ContiguousAccess& access, const std::byte* from, std::byte* to) {
    for (std::size_t start = 0; start < access.bytes; start += 64) {
        const std::uint64_t enable = access.enable[start / 64];
        const std::size_t bytes = std::min<std::size_t>(64, access.bytes - start);
        if (enable == 0) continue;
        if (enable == ~std::uint64_t{0}) {
            std::memcpy(to + start, from + start, bytes);
            continue;
        }
        for (std::size_t chunk = 0; chunk < bytes; chunk += 8) {
            copy_chunk(enable >> chunk, std::min<std::size_t>(8, bytes - chunk), from + start + chunk,
                       to + start + chunk);
        }
    }
}

void copy(const ContiguousAccess& access, const std::byte* from, std::byte* to) {
    if (access.all_enabled) {
        std::memcpy(to, from, access.bytes);
    } else {
        copy_enabled(access, from, to);
    }
}

template <std::size_t kBytes>
void read_lanes(const IndexedAccess& access, const std::byte* ub, std::byte* data) {
    for_each_active(access,
                    [&](std::size_t lane) { std::memcpy(data + lane * kBytes, ub + access.address[lane], kBytes); });
}

template <std::size_t kBytes>
void write_lanes(const IndexedAccess& access, std::byte* ub, const std::byte* data) {
    for_each_active(access,
                    [&](std::size_t lane) { std::memcpy(ub + access.address[lane], data + lane * kBytes, kBytes); });
}

}  // namespace

void LinearUb::read(const ContiguousAccess& access, std::byte* data) {
    copy(access, bytes_ + access.address, data);
}

void LinearUb::write(const ContiguousAccess& access, const std::byte* data) {
    copy(access, data, bytes_ + access.address);
}

void LinearUb::read(const BlockAccess& access, std::byte* data) {
    for (std::size_t b = 0; b < kBlocksPerVector; ++b) {
        if (((access.active >> b) & 1U) != 0)
            std::memcpy(data + b * kBlockBytes, bytes_ + access.block(b), kBlockBytes);
    }
}

void LinearUb::write(const BlockAccess& access, const std::byte* data) {
    for (std::size_t b = 0; b < kBlocksPerVector; ++b) {
        if (((access.active >> b) & 1U) != 0)
            std::memcpy(bytes_ + access.block(b), data + b * kBlockBytes, kBlockBytes);
    }
}

void LinearUb::read(const IndexedAccess& access, std::byte* data) {
    switch (access.element_bytes) {
        case 1: return read_lanes<1>(access, bytes_, data);
        case 2: return read_lanes<2>(access, bytes_, data);
        case 4: return read_lanes<4>(access, bytes_, data);
        case 8: return read_lanes<8>(access, bytes_, data);
        default: return read_lanes<kBlockBytes>(access, bytes_, data);
    }
}

void LinearUb::write(const IndexedAccess& access, const std::byte* data) {
    switch (access.element_bytes) {
        case 1: return write_lanes<1>(access, bytes_, data);
        case 2: return write_lanes<2>(access, bytes_, data);
        case 4: return write_lanes<4>(access, bytes_, data);
        case 8: return write_lanes<8>(access, bytes_, data);
        default: return write_lanes<kBlockBytes>(access, bytes_, data);
    }
}

}  // namespace vcore::isa
