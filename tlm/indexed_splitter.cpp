#include "tlm/indexed_splitter.hpp"

#include <cstring>
#include <limits>

namespace vcore::transport {

namespace {

/// The sizes that isa::IndexedAccess knows.
bool is_element_size(std::uint32_t bytes) {
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == isa::kBlockBytes;
}

}  // namespace

tlm::tlm_response_status check_indexed(const tlm::tlm_generic_payload& payload, std::uint64_t size_bytes) {
    const auto* extension = payload.get_extension<IndexedExtension>();
    if (extension == nullptr) return tlm::TLM_GENERIC_ERROR_RESPONSE;
    if (!payload.is_read() && !payload.is_write()) return tlm::TLM_COMMAND_ERROR_RESPONSE;
    if (payload.get_data_ptr() == nullptr) return tlm::TLM_GENERIC_ERROR_RESPONSE;
    const isa::IndexedAccess& access = extension->access;
    if (access.lanes == 0 || access.lanes > isa::kMaxIndexedLanes || !is_element_size(access.element_bytes) ||
        payload.get_data_length() != std::uint32_t{access.lanes} * access.element_bytes) {
        return tlm::TLM_BURST_ERROR_RESPONSE;
    }
    if (payload.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    for (std::size_t lane = 0; lane < access.lanes; ++lane) {
        if (access.is_active(lane) && std::uint64_t{access.address[lane]} + access.element_bytes > size_bytes) {
            return tlm::TLM_ADDRESS_ERROR_RESPONSE;
        }
    }
    return tlm::TLM_OK_RESPONSE;
}

IndexedSplitter::IndexedSplitter(sc_core::sc_module_name module_name)
    : sc_module(module_name), target("target"), initiator("initiator") {
    target.register_b_transport(this, &IndexedSplitter::b_transport);
    target.register_transport_dbg(this, &IndexedSplitter::transport_dbg);
}

template <typename Move>
void IndexedSplitter::for_each_lane(tlm::tlm_generic_payload& payload, Move&& move) {
    const isa::IndexedAccess& access = payload.get_extension<IndexedExtension>()->access;
    const auto* metadata = payload.get_extension<MetadataExtension>();
    for (std::size_t lane = 0; lane < access.lanes; ++lane) {
        if (!access.is_active(lane)) continue;
        const PayloadHandle element =
            pool_.acquire_memory(payload.get_command(), access.address[lane], access.element_bytes);
        element->set_data_ptr(payload.get_data_ptr() + lane * access.element_bytes);
        if (metadata != nullptr) element->metadata() = *metadata;
        if (!move(*element)) return;
    }
}

void IndexedSplitter::b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    tlm::tlm_response_status status = check_indexed(payload, std::numeric_limits<std::uint64_t>::max());
    if (status == tlm::TLM_OK_RESPONSE) {
        for_each_lane(payload, [&](tlm::tlm_generic_payload& element) {
            initiator->b_transport(element, delay);
            status = element.get_response_status();
            return status == tlm::TLM_OK_RESPONSE;
        });
    }
    payload.set_dmi_allowed(false);
    payload.set_response_status(status);
}

unsigned IndexedSplitter::transport_dbg(int, tlm::tlm_generic_payload& payload) {
    if (check_indexed(payload, std::numeric_limits<std::uint64_t>::max()) != tlm::TLM_OK_RESPONSE) return 0;
    unsigned moved = 0;
    for_each_lane(payload, [&](tlm::tlm_generic_payload& element) {
        const unsigned bytes = initiator->transport_dbg(element);
        moved += bytes;
        return bytes == element.get_data_length();
    });
    return moved;
}

}  // namespace vcore::transport
