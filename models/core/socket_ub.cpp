#include "models/core/socket_ub.hpp"

#include <cstring>
#include <string>

namespace vcore::core {

using isa::BlockAccess;
using isa::ContiguousAccess;
using isa::IndexedAccess;

namespace {

/// Calls `move(block, access)` for each block that moves.
template <typename Move>
void for_each_block(const BlockAccess& access, Move move) {
    for (std::size_t block = 0; block < isa::kBlocksPerVector; ++block) {
        if (((access.active >> block) & 1U) == 0) continue;
        ContiguousAccess one;
        one.address = access.block(block);
        one.bytes = isa::kBlockBytes;
        move(block, one);
    }
}

}  // namespace

IndexedPort::IndexedPort(const char* port_name, transport::PayloadPool& pool)
    : transport::IndexedInitiatorSocket<IndexedPort>(port_name), pool_(pool) {}

void IndexedPort::read(const IndexedAccess& access, std::byte* data, std::uint32_t line) {
    const transport::PayloadHandle payload = acquire(tlm::TLM_READ_COMMAND, access, data, line);
    send(*payload);
    std::memcpy(data, payload->data(), payload->get_data_length());
}

void IndexedPort::write(const IndexedAccess& access, const std::byte* data, std::uint32_t line) {
    send(*acquire(tlm::TLM_WRITE_COMMAND, access, data, line));
}

transport::PayloadHandle IndexedPort::acquire(tlm::tlm_command command, const IndexedAccess& access,
                                              const std::byte* data, std::uint32_t line) {
    const std::uint32_t bytes = std::uint32_t{access.lanes} * access.element_bytes;
    transport::PayloadHandle payload = pool_.acquire_indexed(command, bytes);
    payload->set_address(access.base);
    payload->indexed() = access;
    payload->metadata().requester = transport::Requester::gather_scatter;
    payload->metadata().line = line;
    // Also for a read: the elements of inactive lanes come back as they went.
    std::memcpy(payload->data(), data, bytes);
    return payload;
}

void IndexedPort::send(transport::PooledPayload& payload) {
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    (*this)->b_transport(payload, delay);
    if (payload.is_response_error()) {
        const std::string text =
            std::string(name()) + ": the target of a checked indexed access answered " + payload.get_response_string();
        SC_REPORT_FATAL("/vcore/core/indexed", text.c_str());
    }
}

// Where the UB grants its array, an access is a copy; the sockets are for those that want to see it.

void SocketUb::read(const ContiguousAccess& access, std::byte* data) {
    if (std::byte* const bytes = array()) return isa::LinearUb(bytes).read(access, data);
    if (access.bytes != 0) load_.read(access, data, line_);
}

void SocketUb::write(const ContiguousAccess& access, const std::byte* data) {
    if (std::byte* const bytes = array()) return isa::LinearUb(bytes).write(access, data);
    if (access.bytes != 0) store_.write(access, data, line_);
}

void SocketUb::read(const BlockAccess& access, std::byte* data) {
    if (std::byte* const bytes = array()) return isa::LinearUb(bytes).read(access, data);
    for_each_block(access, [&](std::size_t block, const ContiguousAccess& one) {
        load_.read(one, data + block * isa::kBlockBytes, line_);
    });
}

void SocketUb::write(const BlockAccess& access, const std::byte* data) {
    if (std::byte* const bytes = array()) return isa::LinearUb(bytes).write(access, data);
    for_each_block(access, [&](std::size_t block, const ContiguousAccess& one) {
        store_.write(one, data + block * isa::kBlockBytes, line_);
    });
}

void SocketUb::read(const IndexedAccess& access, std::byte* data) {
    if (std::byte* const bytes = array()) return isa::LinearUb(bytes).read(access, data);
    if (access.lanes != 0) indexed_.read(access, data, line_);
}

void SocketUb::write(const IndexedAccess& access, const std::byte* data) {
    if (std::byte* const bytes = array()) return isa::LinearUb(bytes).write(access, data);
    if (access.lanes != 0) indexed_.write(access, data, line_);
}

}  // namespace vcore::core
