// The UB as the core's executor sees it, over the core's sockets: by pointer where both ports are granted the same one,
// else one transaction per contiguous access, per moving block and per indexed access.
#pragma once

#include <cstdint>

#include <tlm>

#include "models/core/memory_port.hpp"
#include "models/isa/access.hpp"
#include "tlm/payload_pool.hpp"
#include "tlm/sockets.hpp"

namespace vcore::core {

/// Carries a gather or scatter to the gather/scatter unit.
class IndexedPort : public transport::IndexedInitiatorSocket<IndexedPort> {
public:
    IndexedPort(const char* name, transport::PayloadPool& pool);

    /// Precondition: the access has been checked. Another answer than OK is fatal ("/vcore/core/indexed").
    void read(const isa::IndexedAccess& access, std::byte* data, std::uint32_t line);
    void write(const isa::IndexedAccess& access, const std::byte* data, std::uint32_t line);

private:
    transport::PayloadHandle acquire(tlm::tlm_command command, const isa::IndexedAccess& access, const std::byte* data,
                                     std::uint32_t line);
    void send(transport::PooledPayload& payload);

    transport::PayloadPool& pool_;
};

class SocketUb final : public isa::UbPort {
public:
    /// `bytes`: the logical size of the UB, which a grant must cover to be used.
    SocketUb(MemoryPort& load, MemoryPort& store, IndexedPort& indexed, std::uint64_t bytes)
        : load_(load), store_(store), indexed_(indexed), bytes_(bytes) {}

    /// Source line of the op whose accesses follow.
    void set_line(std::uint32_t line) { line_ = line; }

    void read(const isa::ContiguousAccess& access, std::byte* data) override;
    void write(const isa::ContiguousAccess& access, const std::byte* data) override;
    void read(const isa::BlockAccess& access, std::byte* data) override;
    void write(const isa::BlockAccess& access, const std::byte* data) override;
    void read(const isa::IndexedAccess& access, std::byte* data) override;
    void write(const isa::IndexedAccess& access, const std::byte* data) override;
    std::byte* array() override {
        std::byte* const loads = load_.direct(bytes_);
        return loads != nullptr && loads == store_.direct(bytes_) ? loads : nullptr;
    }

private:
    MemoryPort& load_;
    MemoryPort& store_;
    IndexedPort& indexed_;
    std::uint64_t bytes_;
    std::uint32_t line_ = 0;
};

}  // namespace vcore::core
