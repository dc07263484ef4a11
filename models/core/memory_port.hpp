// The core's side of one base-protocol target: its bytes over the socket, or by pointer where the target grants that.
//
// The core checks addresses before it uses them, so a target that answers with anything but OK is a broken model and
// fatal ("/vcore/core/memory"). The time a target annotates is not looked at: cost is computed in models/timing.
#pragma once

#include <cstddef>
#include <cstdint>

#include <systemc>
#include <tlm>

#include "models/isa/access.hpp"
#include "tlm/metadata_extension.hpp"
#include "tlm/payload_pool.hpp"
#include "tlm/sockets.hpp"

namespace vcore::core {

class MemoryPort : public transport::MemoryInitiatorSocket<MemoryPort> {
public:
    /// `access`: what a DMI grant must allow to be used. `requester`: what the metadata of every call say.
    MemoryPort(const char* name, tlm::tlm_dmi::dmi_access_e access, transport::Requester requester,
               transport::PayloadPool& pool);

    /// The first `bytes` > 0 bytes of the target as one array, or null where the target does not grant it. Asks once,
    /// and again after the target has invalidated its grant or has hinted at one.
    std::byte* direct(std::uint64_t bytes) {
        if (!asked_) ask();
        return bytes - 1 <= granted_last_ ? pointer_ : nullptr;
    }

    /// Moves the enabled bytes over the socket; `data` holds one byte for each of the access, enabled or not. Bytes
    /// that are not enabled stay as they are on both sides. `line`: of the op, for the metadata.
    void read(const isa::ContiguousAccess& access, std::byte* data, std::uint32_t line);
    void write(const isa::ContiguousAccess& access, const std::byte* data, std::uint32_t line);

private:
    void ask();
    void invalidate(sc_dt::uint64 first, sc_dt::uint64 last);
    transport::PayloadHandle acquire(tlm::tlm_command command, const isa::ContiguousAccess& access, std::uint32_t line);
    void send(transport::PooledPayload& payload);

    tlm::tlm_dmi::dmi_access_e access_;
    transport::Requester requester_;
    transport::PayloadPool& pool_;
    bool asked_ = false;
    std::byte* pointer_ = nullptr;
    std::uint64_t granted_last_ = 0;  ///< last address of the grant
};

}  // namespace vcore::core
