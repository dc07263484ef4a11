// A memory that answers as unpleasantly as the base protocol permits: it waits or annotates at random, hints at DMI and
// refuses it, leaves extensions aside, and moves bytes by enables and widths of any shape.
#pragma once

#include <cstdint>
#include <vector>

#include <systemc>
#include <tlm>

#include "testbenches/unit/random.hpp"
#include "tlm/payload_rules.hpp"

namespace vcore::conformance {

class HostileTarget : public sc_core::sc_module, private tlm::tlm_fw_transport_if<> {
public:
    tlm::tlm_target_socket<> socket{"socket"};
    std::size_t accesses = 0;
    std::size_t asked_for_direct = 0;

    /// Several targets may share one array.
    HostileTarget(sc_core::sc_module_name target_name, std::vector<std::byte>& memory, std::uint64_t seed)
        : sc_module(target_name), bytes_(memory), random_(seed) {
        socket.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    }

private:
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
        ++accesses;
        const sc_core::sc_time more(static_cast<double>(random_.below(900)) / 100, sc_core::SC_NS);
        if (random_.one_in(3)) {
            sc_core::wait(delay + more);
            delay = sc_core::SC_ZERO_TIME;
        } else {
            delay += more;
        }
        const tlm::tlm_response_status status = transport::check_payload(payload, bytes_.size());
        payload.set_response_status(status);
        if (status == tlm::TLM_OK_RESPONSE) transport::perform(payload, bytes_.data());
        payload.set_dmi_allowed(random_.one_in(4));
    }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase&,
                                       sc_core::sc_time& delay) override {
        delay += sc_core::sc_time(1, sc_core::SC_NS);
        const tlm::tlm_response_status status = transport::check_payload(payload, bytes_.size());
        payload.set_response_status(status);
        if (status == tlm::TLM_OK_RESPONSE) transport::perform(payload, bytes_.data());
        return tlm::TLM_COMPLETED;
    }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) override {
        ++asked_for_direct;
        dmi.allow_none();
        return false;
    }
    unsigned transport_dbg(tlm::tlm_generic_payload& payload) override {
        return transport::debug_perform(payload, bytes_.data(), bytes_.size());
    }

    std::vector<std::byte>& bytes_;
    unit::Random random_;
};

}  // namespace vcore::conformance
