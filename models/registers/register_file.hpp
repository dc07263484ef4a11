// RegisterFile: what the two register files share, a small memory behind a base-protocol socket.
//
// Models: storage, in registers of one size, that any number of initiators read and write, at any address and length.
// Does not model: ports, renaming, cost: those belong to the core's pipeline (models/timing).
// Timing contract: annotates no time and never waits; nb_transport completes in the first call.
// Reset contract: reset() clears every register and withdraws DMI over the whole range; settings and the write listener
// stay.
// Answers: as tlm/payload_rules.hpp says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <systemc>
#include <tlm>

#include "tlm/sockets.hpp"

namespace vcore::registers {

class RegisterFile : public sc_core::sc_module {
public:
    transport::MemoryTargetSocket<RegisterFile> port;

    void reset();

    /// Grants or refuses DMI from now on; refusing withdraws what was granted, so that every access is seen. Initially
    /// granted.
    void set_direct_memory(bool allowed);

    /// Called with the number of each register that somebody else than the core (metadata requester load) has written
    /// to, debug writes included, and for all registers when write DMI is granted. One listener.
    using WriteListener = std::function<void(std::size_t index)>;
    void set_write_listener(WriteListener listener) { write_listener_ = std::move(listener); }

    std::size_t size_bytes() const { return count_ * register_bytes_; }

protected:
    /// `bytes`: count * register_bytes bytes, owned by the derived class.
    RegisterFile(sc_core::sc_module_name name, std::byte* bytes, std::size_t count, std::size_t register_bytes);

private:
    void b_transport(int initiator, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    tlm::tlm_sync_enum nb_transport_fw(int initiator, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    unsigned transport_dbg(int initiator, tlm::tlm_generic_payload& payload);
    bool get_direct_mem_ptr(int initiator, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& grant);

    void withdraw_direct_memory();
    void notify_written(const tlm::tlm_generic_payload& payload, std::uint64_t address, std::size_t bytes);

    std::byte* bytes_;
    std::size_t count_;
    std::size_t register_bytes_;
    bool direct_memory_ = true;
    std::vector<bool> granted_;  ///< by initiator index
    WriteListener write_listener_;
};

}  // namespace vcore::registers
