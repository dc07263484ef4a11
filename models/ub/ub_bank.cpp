#include "models/ub/ub_bank.hpp"

#include <algorithm>
#include <cstring>

#include "tlm/payload_rules.hpp"

namespace vcore::ub {

UbBank::UbBank(sc_core::sc_module_name module_name, const RowView& rows, const sc_core::sc_time& access_time)
    : sc_module(module_name), socket("socket"), rows_(rows), access_time_(access_time) {
    socket.register_b_transport(this, &UbBank::b_transport);
    socket.register_nb_transport_fw(this, &UbBank::nb_transport_fw);
    socket.register_transport_dbg(this, &UbBank::transport_dbg);
    socket.register_get_direct_mem_ptr(this, &UbBank::get_direct_mem_ptr);
}

void UbBank::set_direct_memory(bool allowed) {
    direct_memory_ = allowed;
    if (!allowed) withdraw_direct_memory();
}

void UbBank::reset() {
    reads_ = 0;
    writes_ = 0;
    withdraw_direct_memory();
}

void UbBank::b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const tlm::tlm_response_status status = transport::check_payload(payload, rows_.bytes());
    payload.set_response_status(status);
    payload.set_dmi_allowed(status == tlm::TLM_OK_RESPONSE && direct_memory_);
    if (status != tlm::TLM_OK_RESPONSE) return;
    delay += access_time_;
    if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return;

    const bool write = payload.is_write();
    transport::for_each_run(payload, [this, write](std::uint64_t address, unsigned char* data, std::uint32_t bytes) {
        move(write, address, data, bytes);
    });
    const std::uint64_t first_row = payload.get_address() / rows_.row_bytes;
    const std::uint64_t last_row = (payload.get_address() + transport::span_bytes(payload) - 1) / rows_.row_bytes;
    (write ? writes_ : reads_) += last_row - first_row + 1;
}

tlm::tlm_sync_enum UbBank::nb_transport_fw(int index, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay) {
    if (!transport::begins_request(phase, "/vcore/ub/bank-phase")) return tlm::TLM_ACCEPTED;
    b_transport(index, payload, delay);
    return tlm::TLM_COMPLETED;
}

unsigned UbBank::transport_dbg(int, tlm::tlm_generic_payload& payload) {
    const std::uint32_t bytes = transport::debug_bytes(payload, rows_.bytes());
    if (bytes != 0) move(payload.is_write(), payload.get_address(), payload.get_data_ptr(), bytes);
    return bytes;
}

bool UbBank::get_direct_mem_ptr(int index, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
    const std::uint64_t row = payload.get_address() / rows_.row_bytes;
    const bool exists = row < rows_.rows;
    dmi.allow_none();
    dmi.set_start_address(exists ? row * rows_.row_bytes : rows_.bytes());
    dmi.set_end_address(exists ? dmi.get_start_address() + rows_.row_bytes - 1 : ~std::uint64_t{0});
    if (!exists || !direct_memory_) return false;

    dmi.set_dmi_ptr(reinterpret_cast<unsigned char*>(rows_.row(static_cast<std::uint32_t>(row))));
    dmi.set_read_latency(access_time_);
    dmi.set_write_latency(access_time_);
    dmi.allow_read_write();
    granted_.resize(std::max(granted_.size(), static_cast<std::size_t>(index) + 1));
    granted_[static_cast<std::size_t>(index)] = true;
    return true;
}

void UbBank::move(bool write, std::uint64_t address, unsigned char* data, std::uint32_t bytes) {
    while (bytes != 0) {
        const auto in_row = static_cast<std::uint32_t>(address % rows_.row_bytes);
        const std::uint32_t part = std::min(bytes, rows_.row_bytes - in_row);
        std::byte* const memory = rows_.row(static_cast<std::uint32_t>(address / rows_.row_bytes)) + in_row;
        if (write) {
            std::memcpy(memory, data, part);
        } else {
            std::memcpy(data, memory, part);
        }
        address += part;
        data += part;
        bytes -= part;
    }
}

void UbBank::withdraw_direct_memory() {
    for (std::size_t index = 0; index < granted_.size(); ++index) {
        if (!granted_[index]) continue;
        granted_[index] = false;
        socket[static_cast<int>(index)]->invalidate_direct_mem_ptr(0, rows_.bytes() - 1);
    }
}

}  // namespace vcore::ub
