// Turns gathers and scatters into base-protocol accesses, for a UB that has no indexed port (a stranger's memory).
//
// Models: one access of element_bytes per active lane, in lane order, at the lane's address, with the metadata of the
// indexed transaction. Lanes in one word are not merged.
// Does not model: the banks, and all-or-nothing. A scatter that the memory refuses half way has written the lanes
// before; its status is the memory's. nb_transport is not offered, since the memory may wait.
// Timing contract: the delays of the accesses add up; the splitter adds none. Waits only where the memory does.
// Reset contract: it has no state.
#pragma once

#include <systemc>

#include "tlm/payload_pool.hpp"
#include "tlm/sockets.hpp"

namespace vcore::transport {

/// What an indexed target of `size_bytes` bytes answers: the first rule that the payload breaks.
///   no IndexedExtension, null data pointer         TLM_GENERIC_ERROR_RESPONSE
///   neither read nor write                         TLM_COMMAND_ERROR_RESPONSE
///   lane count, element size or data length wrong  TLM_BURST_ERROR_RESPONSE
///   byte enables                                   TLM_BYTE_ENABLE_ERROR_RESPONSE
///   an active lane past the end                    TLM_ADDRESS_ERROR_RESPONSE
tlm::tlm_response_status check_indexed(const tlm::tlm_generic_payload& payload, std::uint64_t size_bytes);

class IndexedSplitter : public sc_core::sc_module {
public:
    explicit IndexedSplitter(sc_core::sc_module_name name);

    IndexedTargetSocket<IndexedSplitter> target;
    MemoryInitiatorSocket<IndexedSplitter> initiator;

private:
    void b_transport(int index, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned transport_dbg(int index, tlm::tlm_generic_payload& payload);
    /// Gives `move` each active lane's access; stops when it returns false.
    template <typename Move>
    void for_each_lane(tlm::tlm_generic_payload& payload, Move&& move);

    PayloadPool pool_;
};

}  // namespace vcore::transport
