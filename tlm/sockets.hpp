// The sockets that modules of this project have, by what they carry.
//
// All are 32 bits wide, the width of tlm_utils' convenience sockets, so that a stranger's
// tlm_utils::simple_initiator_socket<M> binds without a word. BUSWIDTH has no other meaning here: a UB row is 32 B,
// and nothing in the model counts 4-byte words.
//
// Binding across kinds (an op socket to a memory port, say) does not compile: the interfaces are templates of the
// traits classes in protocols.hpp. Target sockets take any number of initiators and may stay unbound; their callbacks
// carry the initiator's index first: b_transport(int index, payload&, sc_time&).
#pragma once

#include <tlm>

#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include "tlm/protocols.hpp"

namespace vcore::transport {

inline constexpr unsigned kBusWidth = 32;

using MemoryProtocol = tlm::tlm_base_protocol_types;

/// Base protocol.
template <typename Module>
using MemoryInitiatorSocket = tlm_utils::simple_initiator_socket<Module, kBusWidth, MemoryProtocol>;
template <typename Module>
using OptionalMemoryInitiatorSocket = tlm_utils::simple_initiator_socket_optional<Module, kBusWidth, MemoryProtocol>;
template <typename Module>
using MemoryTargetSocket = tlm_utils::multi_passthrough_target_socket_optional<Module, kBusWidth, MemoryProtocol>;

/// One payload = one op.
template <typename Module>
using OpInitiatorSocket = tlm_utils::simple_initiator_socket<Module, kBusWidth, OpProtocol>;
template <typename Module>
using OpTargetSocket = tlm_utils::multi_passthrough_target_socket_optional<Module, kBusWidth, OpProtocol>;

/// One payload = one gather or scatter.
template <typename Module>
using IndexedInitiatorSocket = tlm_utils::simple_initiator_socket<Module, kBusWidth, IndexedProtocol>;
template <typename Module>
using OptionalIndexedInitiatorSocket = tlm_utils::simple_initiator_socket_optional<Module, kBusWidth, IndexedProtocol>;
template <typename Module>
using IndexedTargetSocket = tlm_utils::multi_passthrough_target_socket_optional<Module, kBusWidth, IndexedProtocol>;

}  // namespace vcore::transport
