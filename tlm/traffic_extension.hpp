// Says which way a transfer goes that has no data: TLM_IGNORE_COMMAND on a MteEngine's transfer socket.
//
// Transfers with data are reads and writes and need no extension. Without one, TLM_IGNORE_COMMAND goes into the UB.
#pragma once

#include <cstdint>

#include <tlm>

namespace vcore::transport {

enum class TrafficDirection : std::uint8_t { into_ub, out_of_ub };

class TrafficExtension : public tlm::tlm_extension<TrafficExtension> {
public:
    TrafficDirection direction = TrafficDirection::into_ub;

    tlm::tlm_extension_base* clone() const override { return new TrafficExtension(*this); }
    void copy_from(const tlm::tlm_extension_base& other) override {
        direction = static_cast<const TrafficExtension&>(other).direction;
    }
};

}  // namespace vcore::transport
