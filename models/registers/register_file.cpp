#include "models/registers/register_file.hpp"

#include <algorithm>

#include "tlm/metadata_extension.hpp"
#include "tlm/payload_rules.hpp"

namespace vcore::registers {

RegisterFile::RegisterFile(sc_core::sc_module_name file_name, std::byte* bytes, std::size_t count,
                           std::size_t register_bytes)
    : sc_module(file_name), port("port"), bytes_(bytes), count_(count), register_bytes_(register_bytes) {
    port.register_b_transport(this, &RegisterFile::b_transport);
    port.register_nb_transport_fw(this, &RegisterFile::nb_transport_fw);
    port.register_transport_dbg(this, &RegisterFile::transport_dbg);
    port.register_get_direct_mem_ptr(this, &RegisterFile::get_direct_mem_ptr);
}

void RegisterFile::reset() {
    std::fill_n(bytes_, size_bytes(), std::byte{0});
    withdraw_direct_memory();
}

void RegisterFile::set_direct_memory(bool allowed) {
    direct_memory_ = allowed;
    if (!allowed) withdraw_direct_memory();
}

void RegisterFile::b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    const tlm::tlm_response_status status = transport::check_payload(payload, size_bytes());
    payload.set_response_status(status);
    payload.set_dmi_allowed(false);
    if (status != tlm::TLM_OK_RESPONSE) return;
    transport::perform(payload, bytes_);
    payload.set_dmi_allowed(direct_memory_);
    if (payload.is_write()) notify_written(payload, payload.get_address(), transport::span_bytes(payload));
}

tlm::tlm_sync_enum RegisterFile::nb_transport_fw(int initiator, tlm::tlm_generic_payload& payload,
                                                 tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (!transport::begins_request(phase, "/vcore/registers/phase")) return tlm::TLM_ACCEPTED;
    b_transport(initiator, payload, delay);
    return tlm::TLM_COMPLETED;
}

unsigned RegisterFile::transport_dbg(int, tlm::tlm_generic_payload& payload) {
    const unsigned moved = transport::debug_perform(payload, bytes_, size_bytes());
    if (payload.is_write()) notify_written(payload, payload.get_address(), moved);
    return moved;
}

bool RegisterFile::get_direct_mem_ptr(int initiator, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& grant) {
    const bool exists = payload.get_address() < size_bytes();
    grant.allow_none();
    grant.set_start_address(exists ? 0 : size_bytes());
    grant.set_end_address(exists ? size_bytes() - 1 : ~sc_dt::uint64{0});
    if (!exists || !direct_memory_) return false;

    grant.set_dmi_ptr(reinterpret_cast<unsigned char*>(bytes_));
    grant.set_read_latency(sc_core::SC_ZERO_TIME);
    grant.set_write_latency(sc_core::SC_ZERO_TIME);
    if (payload.is_write()) {
        grant.allow_read_write();
        notify_written(payload, 0, size_bytes());
    } else {
        grant.allow_read();
    }
    granted_.resize(std::max(granted_.size(), static_cast<std::size_t>(initiator) + 1));
    granted_[static_cast<std::size_t>(initiator)] = true;
    return true;
}

void RegisterFile::withdraw_direct_memory() {
    for (std::size_t initiator = 0; initiator < granted_.size(); ++initiator) {
        if (!granted_[initiator]) continue;
        granted_[initiator] = false;
        port[static_cast<int>(initiator)]->invalidate_direct_mem_ptr(0, size_bytes() - 1);
    }
}

void RegisterFile::notify_written(const tlm::tlm_generic_payload& payload, std::uint64_t address, std::size_t bytes) {
    if (!write_listener_ || bytes == 0) return;
    const auto* metadata = payload.get_extension<transport::MetadataExtension>();
    if (metadata != nullptr && metadata->requester == transport::Requester::load) return;
    for (std::uint64_t index = address / register_bytes_; index <= (address + bytes - 1) / register_bytes_; ++index) {
        write_listener_(index);
    }
}

}  // namespace vcore::registers
