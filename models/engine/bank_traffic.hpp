// How whoever shares the UB's banks with a core asks that core's arbiter, in simulated time. Approximately timed only.
//
// The core's shell implements it; the UB's and the MTE's shells use it. Time contract: requests are made in the cycle
// that the simulation is in; grants are told in that order in which the arbiter gives them, from inside the core's own
// work: a listener notes them and acts in a process of its own.
#pragma once

#include <cstdint>

#include "models/isa/access.hpp"
#include "models/timing/bank_rules.hpp"
#include "models/timing/cycle.hpp"

namespace vcore::engine {

class BankTraffic {
public:
    class Listener {
    public:
        /// Traffic `id` has its last beat in cycle `last_beat`. Ids that it does not know are somebody else's.
        virtual void on_granted(std::uint32_t id, timing::Cycle last_beat) = 0;
        /// Nothing that has been asked for will be granted any more: the core was reset, or is deadlocked.
        virtual void on_abandoned() = 0;

    protected:
        ~Listener() = default;
    };

    virtual void add_listener(Listener& listener) = 0;
    /// Somebody may ask at any time: ops must not be performed ahead of simulated time. To be said by the end of
    /// elaboration.
    virtual void expect_foreign() = 0;
    /// Whether asking leads to anything: not in a deadlocked core.
    virtual bool alive() const = 0;
    /// Asks for banks from the cycle after `at` on, 256 B in a cycle. Requests of one channel are granted in the order
    /// of the calls. Returns the id of the traffic.
    virtual std::uint32_t request(timing::Direction direction, std::uint32_t address, std::uint32_t bytes,
                                  std::uint32_t channel, timing::Cycle at) = 0;
    /// The same for an access of which bytes are disabled.
    virtual std::uint32_t request(timing::Direction direction, const isa::ContiguousAccess& access,
                                  std::uint32_t channel, timing::Cycle at) = 0;
    /// Tells the listeners also of a transfer that engine::Core::transfer() has left pending under this ticket.
    virtual void expect(std::uint32_t id) = 0;

protected:
    ~BankTraffic() = default;
};

}  // namespace vcore::engine
