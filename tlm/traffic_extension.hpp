// How a transfer on a MteEngine's transfer socket is meant, where its payload alone does not say it.
//
// Without one, TLM_IGNORE_COMMAND (a transfer without data) goes into the UB, and what follows waits for the transfer.
#pragma once

#include <cstdint>

#include <tlm>

namespace vcore::transport {

enum class TrafficDirection : std::uint8_t { into_ub, out_of_ub };

class TrafficExtension : public tlm::tlm_extension<TrafficExtension> {
public:
    TrafficDirection direction = TrafficDirection::into_ub;  ///< of TLM_IGNORE_COMMAND; reads and writes say it
    bool beside = false;                                     ///< what follows does not wait for it

    // Written by the MTE.
    std::uint64_t ticket = 0;          ///< names the transfer to a timing listener
    std::uint64_t complete_cycle = 0;  ///< of one that is beside and not pending
    bool pending = false;              ///< its end was not known when the call returned: the listener is told

    tlm::tlm_extension_base* clone() const override { return new TrafficExtension(*this); }
    void copy_from(const tlm::tlm_extension_base& other) override {
        const auto& source = static_cast<const TrafficExtension&>(other);
        direction = source.direction;
        beside = source.beside;
        ticket = source.ticket;
        complete_cycle = source.complete_cycle;
        pending = source.pending;
    }
};

}  // namespace vcore::transport
