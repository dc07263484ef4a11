// A generic payload as accesses that the bank rules know.
#pragma once

#include <algorithm>
#include <cstdint>

#include <tlm>

#include "models/isa/access.hpp"
#include "tlm/payload_rules.hpp"

namespace vcore::ub {

/// Bytes of the longest isa::ContiguousAccess.
inline constexpr std::uint32_t kMaxAccessBytes = 512;

/// Calls `visit` with each part of a legal read or write, pass over its streaming width by pass, with its byte enables.
/// Parts of a long access end with a row, so that no row belongs to two of them.
template <typename Visit>
void for_each_part(const tlm::tlm_generic_payload& payload, std::uint32_t row_bytes, Visit&& visit) {
    const std::uint32_t length = payload.get_data_length();
    const std::uint32_t width = transport::span_bytes(payload);
    for (std::uint32_t done = 0; done < length;) {
        isa::ContiguousAccess access;
        const std::uint32_t in_pass = done % width;
        access.address = static_cast<std::uint32_t>(payload.get_address()) + in_pass;
        const std::uint32_t part =
            kMaxAccessBytes > row_bytes ? kMaxAccessBytes - access.address % row_bytes : kMaxAccessBytes;
        access.bytes = std::min({part, width - in_pass, length - done});
        access.all_enabled = payload.get_byte_enable_ptr() == nullptr;
        if (!access.all_enabled) {
            for (std::uint32_t byte = 0; byte < access.bytes; ++byte) {
                if (transport::byte_enabled(payload, done + byte)) {
                    access.enable[byte / 64] |= std::uint64_t{1} << (byte % 64);
                }
            }
        }
        visit(access);
        done += access.bytes;
    }
}

}  // namespace vcore::ub
