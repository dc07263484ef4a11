// Sideband data of a memory access: who asks, and for which op. Ignorable: a target or bus that drops it changes no
// byte and no status, only what statistics and diagnostics can say.
#pragma once

#include <cstdint>

#include <tlm>

namespace vcore::transport {

enum class Requester : std::uint8_t { foreign, load, store, gather_scatter, mte };

class MetadataExtension : public tlm::tlm_extension<MetadataExtension> {
public:
    Requester requester = Requester::foreign;  ///< written by the initiator
    std::uint32_t line = 0;  ///< source line of the op, 0 where there is none; written by the initiator

    tlm::tlm_extension_base* clone() const override { return new MetadataExtension(*this); }
    void copy_from(const tlm::tlm_extension_base& other) override {
        const auto& source = static_cast<const MetadataExtension&>(other);
        requester = source.requester;
        line = source.line;
    }
};

}  // namespace vcore::transport
