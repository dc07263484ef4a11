// What one op touches in the Unified Buffer, and the port through which it does.
//
// An Access is computed once per op from its registers and then used by everybody: the bounds check, the data movement,
// the bank rules (models/timing), the hazard detector (models/engine) and the indexed transaction (tlm/).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/isa/element_type.hpp"

namespace vcore::isa {

/// Up to 128 lanes, each with a byte address, as gathers and scatters make them.
///
/// Shapes: `address` holds `lanes` byte addresses in lane order; an inactive lane's address is meaningless but always
/// inside the UB, so that it may be computed with and never looked at. `active` holds one bit per lane.
struct IndexedAccess {
    std::uint32_t base = 0;           ///< byte address the indices count from
    std::uint16_t element_bytes = 0;  ///< 1, 2, 4, 8, or 32 for block gathers
    std::uint16_t lanes = 0;
    bool all_active = false;  ///< every lane is active
    std::uint32_t low = 0;    ///< lowest byte address of an active lane
    std::uint32_t high = 0;   ///< one past the highest byte of an active lane; low == high: no lane is active
    std::array<std::uint64_t, 2> active{};
    alignas(64) std::array<std::uint32_t, kMaxIndexedLanes> address;  // written for `lanes` lanes only

    bool is_active(std::size_t lane) const { return ((active[lane / 64] >> (lane % 64)) & 1U) != 0; }
};

/// A run of bytes, some of them disabled. Every load and store, mask move and 64-bit pair is one.
///
/// `bytes` is at most 512 (a 64-bit pair). Byte k of the run takes part when bit k%64 of `enable[k/64]` is set;
/// `all_enabled` says that all are, and then `enable` is not looked at.
struct ContiguousAccess {
    std::uint32_t address = 0;
    std::uint32_t bytes = 0;
    bool all_enabled = true;
    std::array<std::uint64_t, 8> enable{};

    bool enabled(std::size_t byte) const { return all_enabled || ((enable[byte / 64] >> (byte % 64)) & 1U) != 0; }
};

/// Eight blocks of 32 B at a constant distance, some of them disabled (block-copy loads and stores).
struct BlockAccess {
    std::uint32_t address = 0;       ///< of block 0
    std::uint32_t stride_bytes = 0;  ///< 0 reads or writes the same block eight times
    std::uint8_t active = 0;         ///< bit b: block b moves

    std::uint32_t block(std::size_t index) const { return address + static_cast<std::uint32_t>(index) * stride_bytes; }
};

/// The bytes of the UB as an executor sees them. Every address has been checked before: implementations do not fail.
///
/// Reads leave the bytes of disabled or inactive elements in `data` as they are. Element i of an IndexedAccess stands
/// at data[i * element_bytes]. Writes of an IndexedAccess never have two active lanes on one element.
class UbPort {
public:
    virtual void read(const ContiguousAccess& access, std::byte* data) = 0;
    virtual void write(const ContiguousAccess& access, const std::byte* data) = 0;
    virtual void read(const BlockAccess& access, std::byte* data) = 0;
    virtual void write(const BlockAccess& access, const std::byte* data) = 0;
    virtual void read(const IndexedAccess& access, std::byte* data) = 0;
    virtual void write(const IndexedAccess& access, const std::byte* data) = 0;
    /// The whole buffer as one array, or null where there is none (traffic must be seen by somebody). Executors may use
    /// it instead of the calls above: the meaning is the same.
    virtual std::byte* array() { return nullptr; }

protected:
    ~UbPort() = default;
};

/// A UB that is one plain array in memory.
class LinearUb final : public UbPort {
public:
    explicit LinearUb(std::byte* bytes) : bytes_(bytes) {}
    void read(const ContiguousAccess& access, std::byte* data) override;
    void write(const ContiguousAccess& access, const std::byte* data) override;
    void read(const BlockAccess& access, std::byte* data) override;
    void write(const BlockAccess& access, const std::byte* data) override;
    void read(const IndexedAccess& access, std::byte* data) override;
    void write(const IndexedAccess& access, const std::byte* data) override;
    std::byte* array() override { return bytes_; }

private:
    std::byte* bytes_;
};

/// Told of every access of an op that was accepted, before its bytes move, in program order. `dependent` accesses of a
/// tensor op arrive iteration by iteration.
class AccessSink {
public:
    virtual void on_read(const ContiguousAccess& access) = 0;
    virtual void on_write(const ContiguousAccess& access) = 0;
    virtual void on_read(const BlockAccess& access) = 0;
    virtual void on_write(const BlockAccess& access) = 0;
    virtual void on_read(const IndexedAccess& access) = 0;
    virtual void on_write(const IndexedAccess& access) = 0;

protected:
    ~AccessSink() = default;
};

}  // namespace vcore::isa
