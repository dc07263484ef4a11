// Sits between an initiator and a target and checks that both keep to the TLM-2.0 base protocol.
//
//     initiator.socket.bind(checker.target_socket);
//     checker.initiator_socket.bind(target.socket);
//
// What it models: nothing; calls pass through in the same delta cycle, unchanged, DMI and debug access too.
// Time contract: adds no time. Reset contract: has no state of its own that outlives the transactions it watches.
// Which rules there are, and how a broken one is reported: base_protocol_rules.hpp.
#pragma once

#include <systemc>
#include <tlm>

#include "tlm/base_protocol_rules.hpp"
#include "tlm/sockets.hpp"

namespace vcore::transport {

/// `Protocol`: a protocol of this project keeps the phases and payload rules of the base protocol and is checked for
/// the same.
template <unsigned BusWidth = kBusWidth, typename Protocol = tlm::tlm_base_protocol_types>
class BaseProtocolChecker : public sc_core::sc_module,
                            private tlm::tlm_fw_transport_if<Protocol>,
                            private tlm::tlm_bw_transport_if<Protocol> {
public:
    tlm::tlm_target_socket<BusWidth, Protocol> target_socket;        ///< the initiator binds here
    tlm::tlm_initiator_socket<BusWidth, Protocol> initiator_socket;  ///< binds to the target

    explicit BaseProtocolChecker(sc_core::sc_module_name checker_name)
        : sc_module(checker_name),
          target_socket("target_socket"),
          initiator_socket("initiator_socket"),
          rules_(name()) {
        target_socket.bind(static_cast<tlm::tlm_fw_transport_if<Protocol>&>(*this));
        initiator_socket.bind(static_cast<tlm::tlm_bw_transport_if<Protocol>&>(*this));
    }

    const BaseProtocolRules& rules() const { return rules_; }

private:
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
        const BaseProtocolRules::Call call = rules_.before_blocking(payload, delay);
        initiator_socket->b_transport(payload, delay);
        rules_.after_blocking(call, payload, delay);
    }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
        const BaseProtocolRules::Call call = rules_.before_forward(payload, phase, delay);
        const tlm::tlm_sync_enum answer = initiator_socket->nb_transport_fw(payload, phase, delay);
        rules_.after_forward(call, payload, phase, delay, answer);
        return answer;
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
        const BaseProtocolRules::Call call = rules_.before_backward(payload, phase, delay);
        const tlm::tlm_sync_enum answer = target_socket->nb_transport_bw(payload, phase, delay);
        rules_.after_backward(call, payload, phase, delay, answer);
        return answer;
    }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override {
        const BaseProtocolRules::Call call = rules_.before_direct(payload);
        const bool granted = initiator_socket->get_direct_mem_ptr(payload, dmi);
        rules_.after_direct(call, payload, dmi, granted);
        return granted;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override {
        rules_.invalidated(first, last);
        target_socket->invalidate_direct_mem_ptr(first, last);
    }
    unsigned transport_dbg(tlm::tlm_generic_payload& payload) override {
        const BaseProtocolRules::Call call = rules_.before_debug(payload);
        const unsigned bytes = initiator_socket->transport_dbg(payload);
        rules_.after_debug(call, payload, bytes);
        return bytes;
    }

    BaseProtocolRules rules_;
};

}  // namespace vcore::transport
