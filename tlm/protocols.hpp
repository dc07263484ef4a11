// Protocol-traits classes: what makes it a compile-time error to bind an op socket to a memory socket.
//
// All three kinds of socket carry tlm_generic_payload and tlm_phase; only the traits differ.
//   memory   tlm::tlm_base_protocol_types: the TLM-2.0 base protocol, to the letter. UB ports, banks, register files.
//   op       OpProtocol: one generic payload = one op; carries an OpExtension (op_extension.hpp).
//   indexed  IndexedProtocol: one generic payload = one gather or scatter; carries an IndexedExtension.
#pragma once

#include <tlm>

namespace vcore::transport {

struct OpProtocol {
    using tlm_payload_type = tlm::tlm_generic_payload;
    using tlm_phase_type = tlm::tlm_phase;
};

struct IndexedProtocol {
    using tlm_payload_type = tlm::tlm_generic_payload;
    using tlm_phase_type = tlm::tlm_phase;
};

}  // namespace vcore::transport
