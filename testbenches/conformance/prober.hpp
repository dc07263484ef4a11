// A stranger's initiator: tlm_utils' plain socket, plain payloads on the stack, nothing of this project's tlm/ folder.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>
#include <tlm>

namespace vcore::conformance {

using Bytes = std::vector<unsigned char>;

class Prober : public sc_core::sc_module {
public:
    explicit Prober(sc_core::sc_module_name name);

    tlm_utils::simple_initiator_socket<Prober> socket;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> invalidations;  ///< first and last address, as they came

    /// Called from end_of_elaboration: before the simulation starts.
    std::function<void()> at_end_of_elaboration;
    /// Runs as a thread process from time 0 where it is set before that. What it is to do must be done when the
    /// simulation ends: check `finished`.
    std::function<void()> script;
    bool finished = false;

    struct Answer {
        tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
        sc_core::sc_time delay;
        bool dmi_hint = false;
    };
    /// b_transport of a payload as it stands, from delay 0.
    Answer send(tlm::tlm_generic_payload& payload);
    Answer write(std::uint64_t address, const Bytes& data);
    Bytes read(std::uint64_t address, std::size_t bytes);  ///< fails the test unless the answer is OK

    unsigned debug_write(std::uint64_t address, const Bytes& data);
    Bytes debug_read(std::uint64_t address, std::size_t bytes);  ///< as many bytes as the target gave

    /// Asks for DMI at the address; `granted` false where it is refused.
    struct Grant {
        bool granted = false;
        tlm::tlm_dmi dmi;
    };
    Grant ask_direct(tlm::tlm_command command, std::uint64_t address);

private:
    void invalidate(sc_dt::uint64 first, sc_dt::uint64 last);
    void before_end_of_elaboration() override;
    void end_of_elaboration() override;
    void run();
};

/// A payload over `data`: streaming width = length, no enables, status incomplete.
void fill(tlm::tlm_generic_payload& payload, tlm::tlm_command command, std::uint64_t address, Bytes& data);

}  // namespace vcore::conformance
