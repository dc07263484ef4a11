// A platform with an initiator on each of its doors, for tests that drive it from the test body or from a script.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <systemc>

#include "platforms/products.hpp"
#include "platforms/top.hpp"
#include "testbenches/conformance/prober.hpp"
#include "tlm/op_initiator.hpp"

namespace vcore::conformance {

/// Elements as the bytes they lie in memory with, and back.
template <typename T>
Bytes bytes_of(const std::vector<T>& elements) {
    Bytes bytes(elements.size() * sizeof(T));
    std::memcpy(bytes.data(), elements.data(), bytes.size());
    return bytes;
}
template <typename T>
std::vector<T> elements_of(const Bytes& bytes) {
    std::vector<T> elements(bytes.size() / sizeof(T));
    std::memcpy(elements.data(), bytes.data(), elements.size() * sizeof(T));
    return elements;
}
/// first, first + step, …
template <typename T>
std::vector<T> iota(std::size_t count, T first, int step = 1) {
    std::vector<T> elements(count);
    for (std::size_t i = 0; i < count; ++i) elements[i] = static_cast<T>(first + static_cast<T>(i) * step);
    return elements;
}

class PlatformBench : public sc_core::sc_module {
public:
    explicit PlatformBench(sc_core::sc_module_name name, const std::vector<std::string>& overrides = {},
                           const char* product = "ascend950", engine::Mode mode = engine::Mode::loosely_timed)
        : sc_module(name), top("top", platforms::load_product(product, overrides), mode) {
        ops.socket.bind(top.core.op_socket);
        ub.socket.bind(top.ub.port);
        vectors.socket.bind(top.vector_registers.port);
        masks.socket.bind(top.mask_registers.port);
        transfers.socket.bind(top.mte.transfer_socket);
    }

    platforms::Top top;
    transport::OpInitiator ops{"ops"};
    Prober ub{"ub"};
    Prober vectors{"vectors"};
    Prober masks{"masks"};
    Prober transfers{"transfers"};

    void set_direct_memory(bool allowed) {
        top.ub.set_direct_memory(allowed);
        top.vector_registers.set_direct_memory(allowed);
        top.mask_registers.set_direct_memory(allowed);
    }

    /// Issues an op that must be performed.
    const transport::OpDescriptor& perform(const isa::Op& op, std::uint32_t line = 0) {
        const transport::OpDescriptor& descriptor = ops.issue(op, line);
        EXPECT_TRUE(ops.ok()) << isa::name(isa::kind_of(op)) << " was refused: " << isa::info(descriptor.fault).text;
        return descriptor;
    }
    /// Issues an op that must be refused with this fault.
    void refuse(const isa::Op& op, isa::DiagnosticId fault) {
        const transport::OpDescriptor& descriptor = ops.issue(op);
        EXPECT_EQ(descriptor.fault, fault) << isa::name(isa::kind_of(op));
        EXPECT_EQ(ops.status(), transport::status_of(isa::info(fault).response));
    }

    Bytes vector(int k) { return vectors.debug_read(static_cast<std::uint64_t>(k) * 256, 256); }
    Bytes mask(int k) { return masks.debug_read(static_cast<std::uint64_t>(k) * 32, 32); }
    Bytes all_of_ub() { return ub.debug_read(0, top.ub.size_bytes()); }
    Bytes all_vectors() { return vectors.debug_read(0, top.vector_registers.size_bytes()); }
    Bytes all_masks() { return masks.debug_read(0, top.mask_registers.size_bytes()); }

    const std::vector<isa::Diagnostic>& diagnostics() { return top.core.engine().diagnostics().entries(); }
};

/// From here on the test body may use the sockets.
inline void elaborate() {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

}  // namespace vcore::conformance
