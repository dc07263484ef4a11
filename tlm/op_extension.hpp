// The mandatory extension of an op transaction: one versioned op descriptor.
//
// The payload's command is TLM_IGNORE_COMMAND, it has no data; address and length are 0. The response status says
// whether the op was performed (isa::Response). In/out fields of the op (pointers, counts) and the result come back in
// the descriptor.
#pragma once

#include <cstdint>

#include <tlm>

#include "models/isa/diagnostics.hpp"
#include "models/isa/ops.hpp"

namespace vcore::transport {

/// Raised when a field changes meaning or place; a core refuses a descriptor of another version.
inline constexpr std::uint32_t kOpDescriptorVersion = 1;

struct OpDescriptor {
    std::uint32_t version = kOpDescriptorVersion;
    std::uint32_t line = 0;  ///< source line for diagnostics and statistics, 0 where there is none
    isa::Op op;              ///< written by the initiator; in/out fields by the core

    // Written by the core.
    isa::DiagnosticId fault = isa::DiagnosticId::none;  ///< why the op was refused
    std::uint64_t dispatch_cycle = 0;                   ///< the next op can be dispatched at this cycle
    std::uint64_t issue_cycle = 0;
    std::uint64_t complete_cycle = 0;
    std::uint64_t ticket = 0;  ///< names the op to a timing listener
    bool pending = false;      ///< issue and completion were not known when the call returned: the listener is told
};

class OpExtension : public tlm::tlm_extension<OpExtension> {
public:
    OpDescriptor descriptor;

    tlm::tlm_extension_base* clone() const override { return new OpExtension(*this); }
    void copy_from(const tlm::tlm_extension_base& other) override {
        descriptor = static_cast<const OpExtension&>(other).descriptor;
    }
};

/// The TLM status for a response of the model.
constexpr tlm::tlm_response_status status_of(isa::Response response) {
    switch (response) {
        case isa::Response::ok: return tlm::TLM_OK_RESPONSE;
        case isa::Response::address_error: return tlm::TLM_ADDRESS_ERROR_RESPONSE;
        case isa::Response::command_error: return tlm::TLM_COMMAND_ERROR_RESPONSE;
        case isa::Response::generic_error: return tlm::TLM_GENERIC_ERROR_RESPONSE;
    }
    return tlm::TLM_GENERIC_ERROR_RESPONSE;
}

}  // namespace vcore::transport
