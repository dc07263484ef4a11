// A bench on a bank's socket, as a user builds one.
#pragma once

#include <cstdint>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include "testbenches/conformance/prober.hpp"
#include "tlm/metadata_extension.hpp"

namespace vcore::conformance {

/// Sits in front of a bank, writes down what passes and hands it on.
class Monitor : public sc_core::sc_module {
public:
    explicit Monitor(sc_core::sc_module_name monitor_name)
        : sc_module(monitor_name), target("target"), initiator("initiator") {
        target.register_b_transport(this, &Monitor::b_transport);
        target.register_transport_dbg(this, &Monitor::transport_dbg);
    }

    struct Seen {
        bool write;
        std::uint64_t address;
        Bytes data;
        Bytes enables;
        transport::Requester requester;
    };

    tlm_utils::simple_target_socket<Monitor> target;
    tlm_utils::simple_initiator_socket<Monitor> initiator;
    std::vector<Seen> seen;
    unsigned debug_calls = 0;
    sc_core::sc_time extra_delay;
    unsigned char flip = 0;  ///< bits that go wrong in the first byte that is read
    tlm::tlm_response_status answer = tlm::TLM_OK_RESPONSE;

private:
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
        initiator->b_transport(payload, delay);
        delay += extra_delay;
        const unsigned char* data = payload.get_data_ptr();
        const unsigned char* enables = payload.get_byte_enable_ptr();
        const auto* metadata = payload.get_extension<transport::MetadataExtension>();
        seen.push_back({payload.is_write(), payload.get_address(), Bytes(data, data + payload.get_data_length()),
                        enables == nullptr ? Bytes() : Bytes(enables, enables + payload.get_byte_enable_length()),
                        metadata == nullptr ? transport::Requester::foreign : metadata->requester});
        if (payload.is_read()) payload.get_data_ptr()[0] ^= flip;
        payload.set_response_status(answer);
    }
    unsigned transport_dbg(tlm::tlm_generic_payload& payload) {
        ++debug_calls;
        return initiator->transport_dbg(payload);
    }
};

}  // namespace vcore::conformance
