// Issues ops to a VectorCore: bind `socket`, call issue(). For benches; anything that speaks OpProtocol may do without.
//
// Time contract: loosely timed. `local_time` runs ahead of sc_time_stamp() by what the ops have taken; sync() lets the
// rest of the simulation catch up. issue() waits only where the core does.
//
// A member of a module, as every socket:
//
//     transport::OpInitiator ops{"ops"};                // in your module
//     bench.ops.socket.bind(top.core.op_socket);        // where it meets the platform
//     ops.issue(isa::VfBegin{});                        // in a process
//     if (!ops.ok()) … ops.descriptor().fault …
#pragma once

#include <cstdint>

#include <systemc>
#include <tlm>

#include "tlm/clock_period.hpp"
#include "tlm/op_extension.hpp"
#include "tlm/sockets.hpp"

namespace vcore::transport {

class OpInitiator {
public:
    OpInitiatorSocket<OpInitiator> socket;
    sc_core::sc_time local_time;  ///< offset from sc_time_stamp()

    explicit OpInitiator(const char* name) : socket(name) {
        payload_.set_command(tlm::TLM_IGNORE_COMMAND);
        payload_.set_extension(&extension_);
    }
    ~OpInitiator() { payload_.clear_extension(&extension_); }
    OpInitiator(const OpInitiator&) = delete;
    OpInitiator& operator=(const OpInitiator&) = delete;

    /// Performs one op; `line` is what diagnostics name. The descriptor holds until the next call: in/out fields of the
    /// op, the fault where it was refused, cycles.
    const OpDescriptor& issue(const isa::Op& op, std::uint32_t line = 0) {
        extension_.descriptor = OpDescriptor();
        extension_.descriptor.op = op;
        extension_.descriptor.line = line;
        payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        socket->b_transport(payload_, local_time);
        return extension_.descriptor;
    }
    bool ok() const { return payload_.is_response_ok(); }
    tlm::tlm_response_status status() const { return payload_.get_response_status(); }
    const OpDescriptor& descriptor() const { return extension_.descriptor; }

    /// Lets local time run on to cycle `cycle` of the core, its `complete_cycle` say: what an op has stored is there
    /// then.
    void run_to(std::uint64_t cycle, const ClockPeriod& clock) {
        const sc_core::sc_time time = clock.duration(cycle);
        const sc_core::sc_time now = sc_core::sc_time_stamp();
        if (time > now + local_time) local_time = time - now;
    }

    /// Waits until simulation time has caught up. From a thread process only.
    void sync() {
        sc_core::wait(local_time);
        local_time = sc_core::SC_ZERO_TIME;
    }

private:
    tlm::tlm_generic_payload payload_;
    OpExtension extension_;
};

}  // namespace vcore::transport
