// Generic payloads with their data, byte enables and extensions, pooled: in steady state a transaction allocates
// nothing.
//
// A payload's life follows TLM-2.0's reference counting: a PayloadHandle holds one reference, every acquire() in a
// target another, and the last release() brings the payload home. Coming home drops what others attached (automatic
// and foreign extensions); the pool's own extensions stay attached and are reset.
// Not for use from several OS threads. A pool must outlive its payloads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <tlm>

#include "tlm/indexed_extension.hpp"
#include "tlm/metadata_extension.hpp"
#include "tlm/op_extension.hpp"

namespace vcore::transport {

class PayloadPool;

/// A generic payload that belongs to a pool.
class PooledPayload final : public tlm::tlm_generic_payload {
public:
    /// The payload's own buffers; both hold at least the bytes asked for. The byte enables are not attached until
    /// enable_bytes() is called.
    unsigned char* data() { return buffer_.get(); }
    unsigned char* byte_enables() { return buffer_.get() + capacity_; }
    /// Attaches byte_enables() with the length of the data.
    void enable_bytes();

    MetadataExtension& metadata() { return *metadata_; }
    OpDescriptor& op() { return op_->descriptor; }              ///< payloads of acquire_op() only
    isa::IndexedAccess& indexed() { return indexed_->access; }  ///< payloads of acquire_indexed() only

private:
    friend class PayloadPool;
    enum class Kind : std::uint8_t { memory, op, indexed };
    static constexpr std::size_t kKinds = 3;

    PooledPayload(PayloadPool& pool, Kind kind, std::size_t size_class);
    void attach_own_extensions();
    void drop_foreign_extensions();

    Kind kind_;
    std::size_t size_class_;
    std::size_t capacity_;
    std::unique_ptr<unsigned char[]> buffer_;
    // Owned by the base class, which frees what is attached when it is destroyed.
    MetadataExtension* metadata_ = nullptr;
    OpExtension* op_ = nullptr;
    IndexedExtension* indexed_ = nullptr;
    PooledPayload* next_free_ = nullptr;
};

inline void intrusive_ptr_add_ref(PooledPayload* payload) {
    payload->acquire();
}
inline void intrusive_ptr_release(PooledPayload* payload) {
    payload->release();
}
using PayloadHandle = boost::intrusive_ptr<PooledPayload>;

class PayloadPool final : public tlm::tlm_mm_interface {
public:
    PayloadPool() = default;
    PayloadPool(const PayloadPool&) = delete;
    PayloadPool& operator=(const PayloadPool&) = delete;

    /// A memory access: data pointer, length and streaming width (= length) set, no byte enables, status incomplete.
    PayloadHandle acquire_memory(tlm::tlm_command command, std::uint64_t address, std::uint32_t bytes);
    /// An op: TLM_IGNORE_COMMAND, no data, a descriptor as default-constructed.
    PayloadHandle acquire_op();
    /// A gather (read) or scatter (write) with room for `bytes` of lane data. The caller fills indexed() and sets the
    /// address; the access is as the last user left it.
    PayloadHandle acquire_indexed(tlm::tlm_command command, std::uint32_t bytes);

    /// Called by the last release().
    void free(tlm::tlm_generic_payload* payload) override;

    std::size_t outstanding() const { return outstanding_; }  ///< payloads in use
    std::size_t created() const { return payloads_.size(); }  ///< payloads ever allocated

private:
    static constexpr std::size_t kSizeClasses = 33;  ///< powers of two from kSmallest up

    PayloadHandle acquire(PooledPayload::Kind kind, std::uint32_t bytes);

    std::vector<std::unique_ptr<PooledPayload>> payloads_;
    std::array<std::array<PooledPayload*, kSizeClasses>, PooledPayload::kKinds> free_{};
    std::size_t outstanding_ = 0;
};

}  // namespace vcore::transport
