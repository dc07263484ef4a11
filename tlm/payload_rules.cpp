#include "tlm/payload_rules.hpp"

#include <cstring>
#include <string>

namespace vcore::transport {

namespace {

bool enables_are_legal(const tlm::tlm_generic_payload& payload) {
    const unsigned char* enables = payload.get_byte_enable_ptr();
    if (enables == nullptr) return true;
    const std::uint32_t count = payload.get_byte_enable_length();
    return count != 0 && std::all_of(enables, enables + count, [](unsigned char enable) {
               return enable == TLM_BYTE_DISABLED || enable == TLM_BYTE_ENABLED;
           });
}

void copy(bool write, std::byte* memory, unsigned char* data, std::uint32_t bytes) {
    if (write) {
        std::memcpy(memory, data, bytes);
    } else {
        std::memcpy(data, memory, bytes);
    }
}

}  // namespace

tlm::tlm_response_status check_payload(const tlm::tlm_generic_payload& payload, std::uint64_t size_bytes) {
    const tlm::tlm_command command = payload.get_command();
    if (command == tlm::TLM_IGNORE_COMMAND) return tlm::TLM_OK_RESPONSE;
    if (command != tlm::TLM_READ_COMMAND && command != tlm::TLM_WRITE_COMMAND) {
        return tlm::TLM_COMMAND_ERROR_RESPONSE;
    }
    if (payload.get_data_ptr() == nullptr) return tlm::TLM_GENERIC_ERROR_RESPONSE;
    const std::uint32_t span = span_bytes(payload);
    if (span == 0) return tlm::TLM_BURST_ERROR_RESPONSE;
    if (!enables_are_legal(payload)) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    if (span > size_bytes || payload.get_address() > size_bytes - span) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    return tlm::TLM_OK_RESPONSE;
}

void perform(const tlm::tlm_generic_payload& payload, std::byte* memory) {
    if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return;
    const bool write = payload.is_write();
    for_each_run(payload, [memory, write](std::uint64_t address, unsigned char* data, std::uint32_t bytes) {
        copy(write, memory + address, data, bytes);
    });
}

std::uint32_t debug_bytes(const tlm::tlm_generic_payload& payload, std::uint64_t size_bytes) {
    const tlm::tlm_command command = payload.get_command();
    if (command != tlm::TLM_READ_COMMAND && command != tlm::TLM_WRITE_COMMAND) return 0;
    if (payload.get_data_ptr() == nullptr || payload.get_address() >= size_bytes) return 0;
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(payload.get_data_length(), size_bytes - payload.get_address()));
}

std::uint32_t debug_perform(const tlm::tlm_generic_payload& payload, std::byte* memory, std::uint64_t size_bytes) {
    const std::uint32_t bytes = debug_bytes(payload, size_bytes);
    if (bytes != 0) copy(payload.is_write(), memory + payload.get_address(), payload.get_data_ptr(), bytes);
    return bytes;
}

bool begins_request(const tlm::tlm_phase& phase, const char* report_id) {
    if (phase == tlm::BEGIN_REQ) return true;
    if (is_ignorable(phase)) return false;
    const std::string text = std::string("nb_transport_fw with phase ") + phase.get_name() +
                             ": every transaction completes in its BEGIN_REQ, so no other phase can follow";
    SC_REPORT_ERROR(report_id, text.c_str());
    return false;
}

}  // namespace vcore::transport
