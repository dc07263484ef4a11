// The rules of the generic payload, written once: what makes one illegal, and which bytes a legal one moves.
//
// Used by every memory-mapped target of the model (UB, banks, register files). Bytes are in address order; the model
// is little-endian like the machines it describes, and so is the host.
// Source: IEEE 1666-2011, "TLM-2.0 generic payload".
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <tlm>

namespace vcore::transport {

/// What a target of `size_bytes` bytes answers: TLM_OK_RESPONSE, or the first rule that the payload breaks, in the
/// order of this list.
///   command    TLM_COMMAND_ERROR_RESPONSE      not read, write or ignore
///   data       TLM_GENERIC_ERROR_RESPONSE      null data pointer
///   length     TLM_BURST_ERROR_RESPONSE        0 bytes (the null command is TLM_IGNORE_COMMAND)
///   streaming  TLM_BURST_ERROR_RESPONSE        streaming width 0
///   enables    TLM_BYTE_ENABLE_ERROR_RESPONSE  enable length 0, or an enable that is neither 0x00 nor 0xFF
///   address    TLM_ADDRESS_ERROR_RESPONSE      a byte at or past size_bytes, enabled or not; nothing wraps
/// TLM_IGNORE_COMMAND breaks no rule: its other attributes mean nothing.
tlm::tlm_response_status check_payload(const tlm::tlm_generic_payload& payload, std::uint64_t size_bytes);

/// Bytes of address space that one pass of the payload covers: the length, or the streaming width where that is less.
inline std::uint32_t span_bytes(const tlm::tlm_generic_payload& payload) {
    return std::min(payload.get_data_length(), payload.get_streaming_width());
}

/// Whether byte `index` of the data array is enabled. Precondition: check_payload() said OK.
inline bool byte_enabled(const tlm::tlm_generic_payload& payload, std::uint32_t index) {
    const unsigned char* enables = payload.get_byte_enable_ptr();
    return enables == nullptr || enables[index % payload.get_byte_enable_length()] != TLM_BYTE_DISABLED;
}

/// Calls `move(address, data, bytes)` for every run of enabled bytes, in the order of the data array: `data` points
/// into the payload's data. A streaming width below the length starts again at the address, so a later pass wins.
/// Precondition: check_payload() said OK and the command is read or write.
template <typename Move>
void for_each_run(const tlm::tlm_generic_payload& payload, Move&& move) {
    const std::uint64_t address = payload.get_address();
    unsigned char* const data = payload.get_data_ptr();
    const std::uint32_t length = payload.get_data_length();
    const std::uint32_t width = span_bytes(payload);
    const bool all_enabled = payload.get_byte_enable_ptr() == nullptr;
    for (std::uint32_t pass = 0; pass < length; pass += width) {
        const std::uint32_t pass_bytes = std::min(width, length - pass);
        if (all_enabled) {
            move(address, data + pass, pass_bytes);
            continue;
        }
        std::uint32_t begin = 0;
        while (begin < pass_bytes) {
            if (!byte_enabled(payload, pass + begin)) {
                ++begin;
                continue;
            }
            std::uint32_t end = begin + 1;
            while (end < pass_bytes && byte_enabled(payload, pass + end)) ++end;
            move(address + begin, data + pass + begin, end - begin);
            begin = end;
        }
        if (width > length - pass) break;  // also keeps `pass` from overflowing
    }
}

/// Performs a checked payload on a linear memory; TLM_IGNORE_COMMAND moves nothing.
void perform(const tlm::tlm_generic_payload& payload, std::byte* memory);

/// The bytes a debug access can move: its length, cut at the end of the target; 0 for TLM_IGNORE_COMMAND, a null
/// pointer or an address past the end.
std::uint32_t debug_bytes(const tlm::tlm_generic_payload& payload, std::uint64_t size_bytes);
/// transport_dbg of a linear memory: moves debug_bytes() bytes and returns their number. Byte enables and streaming
/// width do not exist for debug accesses.
std::uint32_t debug_perform(const tlm::tlm_generic_payload& payload, std::byte* memory, std::uint64_t size_bytes);

/// Whether a phase is none of the base protocol's: whoever does not know it passes over it, by TLM_ACCEPTED.
inline bool is_ignorable(const tlm::tlm_phase& phase) {
    return static_cast<unsigned>(phase) > tlm::END_RESP;
}

/// Whether a forward call with this phase starts a transaction. An ignorable phase does not, and any other is a
/// protocol error of the caller: reports `report_id` (an SC_ERROR) and returns false.
bool begins_request(const tlm::tlm_phase& phase, const char* report_id);

}  // namespace vcore::transport
