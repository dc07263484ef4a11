// One core behind a handle, and the table of all of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/engine/core.hpp"
#include "platforms/c_library/vcore.h"

namespace vcore::c_library {

/// A core on plain storage with a current cycle, that remembers when its last ops completed.
class Instance final : engine::TimingListener {
public:
    Instance(engine::Configuration configuration, engine::Mode mode);

    engine::OpResult issue(isa::Op& op, std::uint32_t line);
    engine::OpResult transfer(const engine::TransferRequest& request, std::byte* data);
    void step(std::uint64_t cycles);
    void finish();
    void reset();

    /// What is remembered of a ticket.
    struct Completion {
        std::uint64_t ticket = 0;
        timing::Cycle issue;
        timing::Cycle complete;
        bool known = false;
    };
    /// Null: never given, or too long ago.
    const Completion* completion(std::uint64_t ticket);

    timing::Cycle now() const { return now_; }
    engine::Core& core() { return core_; }
    const engine::Configuration& configuration() const { return configuration_; }
    std::byte* ub() { return storage_.ub_bytes(); }
    std::uint64_t ub_bytes() const { return configuration_.capabilities.ub_bytes; }
    isa::Registers registers() { return storage_.registers(); }
    /// Who waits for whom, once nothing can go on; empty before.
    const std::string& deadlock() const { return deadlock_; }

    std::atomic_flag in_call = ATOMIC_FLAG_INIT;  ///< set while a thread is in a call

private:
    void on_op(const engine::OpRecord& record) override;
    void on_traffic(std::uint32_t id, timing::Cycle complete) override;
    void on_deadlock(const timing::Deadlock& deadlock) override;
    /// The last completions of ops, or of transfers, by ticket.
    using Ring = std::vector<Completion>;
    static Completion& slot(Ring& ring, std::uint64_t ticket) { return ring[ticket % ring.size()]; }
    Ring& ring_of(std::uint64_t ticket);
    void called(const engine::OpResult& result);

    engine::Configuration configuration_;
    engine::Storage storage_;
    engine::Core core_;
    timing::Cycle now_;
    Ring ops_;
    Ring transfers_;
    std::string deadlock_;
};

/// Handles are never used twice, so that a stale one is known as such.
vcore_handle add_instance(std::shared_ptr<Instance> instance);
std::shared_ptr<Instance> find_instance(vcore_handle handle);  ///< null: no such handle
bool remove_instance(vcore_handle handle);

}  // namespace vcore::c_library
