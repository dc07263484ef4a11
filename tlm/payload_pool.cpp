#include "tlm/payload_pool.hpp"

namespace vcore::transport {

namespace {

constexpr std::size_t kSmallest = 64;

std::size_t size_class_of(std::uint32_t bytes) {
    std::size_t size_class = 0;
    while ((kSmallest << size_class) < bytes) ++size_class;
    return size_class;
}

}  // namespace

PooledPayload::PooledPayload(PayloadPool& pool, Kind kind, std::size_t size_class)
    : tlm_generic_payload(&pool),
      kind_(kind),
      size_class_(size_class),
      capacity_(kind == Kind::op ? 0 : kSmallest << size_class),
      buffer_(new unsigned char[2 * capacity_]) {
    attach_own_extensions();
}

void PooledPayload::enable_bytes() {
    set_byte_enable_ptr(byte_enables());
    set_byte_enable_length(get_data_length());
}

/// Somebody may have released an extension of ours together with his own; then a new one takes its place.
void PooledPayload::attach_own_extensions() {
    const auto attach = [this](auto*& extension) {
        using Extension = std::remove_reference_t<decltype(*extension)>;
        extension = get_extension<Extension>();
        if (extension == nullptr) set_extension(extension = new Extension);
    };
    attach(metadata_);
    if (kind_ == Kind::op) attach(op_);
    if (kind_ == Kind::indexed) attach(indexed_);
}

void PooledPayload::drop_foreign_extensions() {
    reset();  // releases the automatic ones
    attach_own_extensions();
    for (unsigned index = 0; index < tlm::max_num_extensions(); ++index) {
        tlm::tlm_extension_base* const extension = get_extension(index);
        if (extension == nullptr || extension == metadata_ || extension == op_ || extension == indexed_) continue;
        set_extension(index, nullptr);
        extension->free();
    }
}

PayloadHandle PayloadPool::acquire(PooledPayload::Kind kind, std::uint32_t bytes) {
    const std::size_t size_class = size_class_of(bytes);
    PooledPayload*& free_list = free_[static_cast<std::size_t>(kind)][size_class];
    PooledPayload* payload = free_list;
    if (payload == nullptr) {
        payloads_.emplace_back(new PooledPayload(*this, kind, size_class));
        payload = payloads_.back().get();
    } else {
        free_list = payload->next_free_;
        payload->next_free_ = nullptr;
    }
    ++outstanding_;

    payload->set_address(0);
    payload->set_data_ptr(bytes == 0 ? nullptr : payload->data());
    payload->set_data_length(bytes);
    payload->set_streaming_width(bytes);
    payload->set_byte_enable_ptr(nullptr);
    payload->set_byte_enable_length(0);
    payload->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    payload->set_dmi_allowed(false);
    payload->set_gp_option(tlm::TLM_MIN_PAYLOAD);
    payload->metadata() = MetadataExtension();
    return PayloadHandle(payload);
}

PayloadHandle PayloadPool::acquire_memory(tlm::tlm_command command, std::uint64_t address, std::uint32_t bytes) {
    PayloadHandle payload = acquire(PooledPayload::Kind::memory, bytes);
    payload->set_command(command);
    payload->set_address(address);
    return payload;
}

PayloadHandle PayloadPool::acquire_op() {
    PayloadHandle payload = acquire(PooledPayload::Kind::op, 0);
    payload->set_command(tlm::TLM_IGNORE_COMMAND);
    payload->op() = OpDescriptor();
    return payload;
}

PayloadHandle PayloadPool::acquire_indexed(tlm::tlm_command command, std::uint32_t bytes) {
    PayloadHandle payload = acquire(PooledPayload::Kind::indexed, bytes);
    payload->set_command(command);
    return payload;
}

void PayloadPool::free(tlm::tlm_generic_payload* payload) {
    auto* const pooled = static_cast<PooledPayload*>(payload);
    pooled->drop_foreign_extensions();
    PooledPayload*& free_list = free_[static_cast<std::size_t>(pooled->kind_)][pooled->size_class_];
    pooled->next_free_ = free_list;
    free_list = pooled;
    --outstanding_;
}

}  // namespace vcore::transport
