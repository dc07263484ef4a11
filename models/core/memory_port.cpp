#include "models/core/memory_port.hpp"

#include <cstring>
#include <string>

namespace vcore::core {

using isa::ContiguousAccess;

namespace {

bool covers(tlm::tlm_dmi::dmi_access_e granted, tlm::tlm_dmi::dmi_access_e wanted) {
    return (static_cast<unsigned>(granted) & static_cast<unsigned>(wanted)) == static_cast<unsigned>(wanted);
}

}  // namespace

MemoryPort::MemoryPort(const char* port_name, tlm::tlm_dmi::dmi_access_e access, transport::Requester requester,
                       transport::PayloadPool& pool)
    : transport::MemoryInitiatorSocket<MemoryPort>(port_name), access_(access), requester_(requester), pool_(pool) {
    register_invalidate_direct_mem_ptr(this, &MemoryPort::invalidate);
}

void MemoryPort::read(const ContiguousAccess& access, std::byte* data, std::uint32_t line) {
    const transport::PayloadHandle payload = acquire(tlm::TLM_READ_COMMAND, access, line);
    if (!access.all_enabled) std::memcpy(payload->data(), data, access.bytes);
    send(*payload);
    std::memcpy(data, payload->data(), access.bytes);
}

void MemoryPort::write(const ContiguousAccess& access, const std::byte* data, std::uint32_t line) {
    const transport::PayloadHandle payload = acquire(tlm::TLM_WRITE_COMMAND, access, line);
    std::memcpy(payload->data(), data, access.bytes);
    send(*payload);
}

transport::PayloadHandle MemoryPort::acquire(tlm::tlm_command command, const ContiguousAccess& access,
                                             std::uint32_t line) {
    transport::PayloadHandle payload = pool_.acquire_memory(command, access.address, access.bytes);
    payload->metadata().requester = requester_;
    payload->metadata().line = line;
    if (!access.all_enabled) {
        payload->enable_bytes();
        for (std::uint32_t byte = 0; byte < access.bytes; ++byte) {
            payload->byte_enables()[byte] = access.enabled(byte) ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
        }
    }
    return payload;
}

void MemoryPort::send(transport::PooledPayload& payload) {
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    (*this)->b_transport(payload, delay);
    if (payload.is_response_error()) {
        const std::string text = std::string(name()) + ": the target of a checked access at byte address " +
                                 std::to_string(payload.get_address()) + " answered " + payload.get_response_string();
        SC_REPORT_FATAL("/vcore/core/memory", text.c_str());
    }
    if (pointer_ == nullptr && payload.is_dmi_allowed()) asked_ = false;
}

void MemoryPort::ask() {
    asked_ = true;
    pointer_ = nullptr;
    const bool writes = covers(access_, tlm::tlm_dmi::DMI_ACCESS_WRITE);
    const transport::PayloadHandle payload =
        pool_.acquire_memory(writes ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, 0, 1);
    payload->metadata().requester = requester_;
    tlm::tlm_dmi grant;
    if (!(*this)->get_direct_mem_ptr(*payload, grant)) return;
    if (grant.get_start_address() != 0 || !covers(grant.get_granted_access(), access_)) return;
    pointer_ = reinterpret_cast<std::byte*>(grant.get_dmi_ptr());
    granted_last_ = grant.get_end_address();
}

void MemoryPort::invalidate(sc_dt::uint64 first, sc_dt::uint64) {
    if (pointer_ != nullptr && first > granted_last_) return;
    pointer_ = nullptr;
    asked_ = false;
}

}  // namespace vcore::core
