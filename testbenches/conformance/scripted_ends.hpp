// An initiator and a target that do exactly what a test tells them to, right or wrong. They stand on the plain TLM
// sockets: the convenience sockets would put some mistakes right.
#pragma once

#include <functional>

#include <systemc>
#include <tlm>

namespace vcore::conformance {

/// A payload with the memory manager and the reference count that non-blocking transport wants.
class HeldPayload : public tlm::tlm_generic_payload, private tlm::tlm_mm_interface {
public:
    HeldPayload() : tlm_generic_payload(static_cast<tlm::tlm_mm_interface*>(this)) { acquire(); }

private:
    void free(tlm::tlm_generic_payload*) override {}
};

class ScriptedInitiator : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
public:
    tlm::tlm_initiator_socket<> socket{"socket"};
    std::function<tlm::tlm_sync_enum(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&)> on_backward =
        [](tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) { return tlm::TLM_ACCEPTED; };

    explicit ScriptedInitiator(sc_core::sc_module_name initiator_name) : sc_module(initiator_name) {
        socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
    }

private:
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
        return on_backward(payload, phase, delay);
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

class ScriptedTarget : public sc_core::sc_module, private tlm::tlm_fw_transport_if<> {
public:
    tlm::tlm_target_socket<> socket{"socket"};
    std::function<void(tlm::tlm_generic_payload&, sc_core::sc_time&)> on_blocking =
        [](tlm::tlm_generic_payload& payload, sc_core::sc_time&) { payload.set_response_status(tlm::TLM_OK_RESPONSE); };
    std::function<tlm::tlm_sync_enum(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&)> on_forward =
        [](tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) { return tlm::TLM_ACCEPTED; };
    std::function<bool(tlm::tlm_generic_payload&, tlm::tlm_dmi&)> on_direct = [](tlm::tlm_generic_payload&,
                                                                                 tlm::tlm_dmi&) { return false; };
    std::function<unsigned(tlm::tlm_generic_payload&)> on_debug = [](tlm::tlm_generic_payload&) { return 0U; };

    explicit ScriptedTarget(sc_core::sc_module_name target_name) : sc_module(target_name) {
        socket.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    }

    /// Calls nb_transport_bw.
    tlm::tlm_sync_enum call_back(tlm::tlm_generic_payload& payload, const tlm::tlm_phase_enum& phase,
                                 sc_core::sc_time delay = sc_core::SC_ZERO_TIME) {
        tlm::tlm_phase passed = phase;
        return socket->nb_transport_bw(payload, passed, delay);
    }

private:
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
        on_blocking(payload, delay);
    }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
        return on_forward(payload, phase, delay);
    }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override {
        return on_direct(payload, dmi);
    }
    unsigned transport_dbg(tlm::tlm_generic_payload& payload) override { return on_debug(payload); }
};

}  // namespace vcore::conformance
