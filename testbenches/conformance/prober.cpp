#include "testbenches/conformance/prober.hpp"

#include <gtest/gtest.h>

namespace vcore::conformance {

Prober::Prober(sc_core::sc_module_name prober_name) : sc_module(prober_name), socket("socket") {
    socket.register_invalidate_direct_mem_ptr(this, &Prober::invalidate);
}

void Prober::invalidate(sc_dt::uint64 first, sc_dt::uint64 last) {
    invalidations.emplace_back(first, last);
}

/// No process without a script: the first thread process leaves AddressSanitizer with wrong bounds of the main stack,
/// and then it takes exceptions that are thrown from the test body for errors.
void Prober::before_end_of_elaboration() {
    if (!script) return;
    SC_HAS_PROCESS(Prober);
    SC_THREAD(run);
}

void Prober::end_of_elaboration() {
    if (at_end_of_elaboration) at_end_of_elaboration();
}

void Prober::run() {
    script();
    finished = true;
}

void fill(tlm::tlm_generic_payload& payload, tlm::tlm_command command, std::uint64_t address, Bytes& data) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(data.data());
    payload.set_data_length(static_cast<unsigned>(data.size()));
    payload.set_streaming_width(static_cast<unsigned>(data.size()));
    payload.set_byte_enable_ptr(nullptr);
    payload.set_byte_enable_length(0);
    payload.set_dmi_allowed(false);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

Prober::Answer Prober::send(tlm::tlm_generic_payload& payload) {
    Answer answer;
    socket->b_transport(payload, answer.delay);
    answer.status = payload.get_response_status();
    answer.dmi_hint = payload.is_dmi_allowed();
    return answer;
}

Prober::Answer Prober::write(std::uint64_t address, const Bytes& data) {
    Bytes copy = data;
    tlm::tlm_generic_payload payload;
    fill(payload, tlm::TLM_WRITE_COMMAND, address, copy);
    return send(payload);
}

Bytes Prober::read(std::uint64_t address, std::size_t bytes) {
    Bytes data(bytes, 0xEE);
    tlm::tlm_generic_payload payload;
    fill(payload, tlm::TLM_READ_COMMAND, address, data);
    EXPECT_EQ(send(payload).status, tlm::TLM_OK_RESPONSE) << "read of " << bytes << " bytes at " << address;
    return data;
}

unsigned Prober::debug_write(std::uint64_t address, const Bytes& data) {
    Bytes copy = data;
    tlm::tlm_generic_payload payload;
    fill(payload, tlm::TLM_WRITE_COMMAND, address, copy);
    return socket->transport_dbg(payload);
}

Bytes Prober::debug_read(std::uint64_t address, std::size_t bytes) {
    Bytes data(bytes, 0xEE);
    tlm::tlm_generic_payload payload;
    fill(payload, tlm::TLM_READ_COMMAND, address, data);
    data.resize(socket->transport_dbg(payload));
    return data;
}

Prober::Grant Prober::ask_direct(tlm::tlm_command command, std::uint64_t address) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    Grant grant;
    grant.granted = socket->get_direct_mem_ptr(payload, grant.dmi);
    return grant;
}

}  // namespace vcore::conformance
