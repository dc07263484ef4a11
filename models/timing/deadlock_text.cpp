#include "models/timing/deadlock_text.hpp"

namespace vcore::timing {
namespace {

std::string name_of(const Deadlock::Waiter& waiter) {
    if (waiter.tensor) return "tensor op";
    const std::string tag = " " + std::to_string(waiter.tag);
    if (waiter.external) return "traffic" + tag;
    if (waiter.barrier) return "barrier" + tag;
    return std::string(name(waiter.op_class)) + tag;
}

}  // namespace

std::string describe(const Deadlock::Waiter& waiter) {
    const std::string who = name_of(waiter) + " waits for ";
    switch (waiter.reason) {
        case Deadlock::Reason::producer: return who + "op " + std::to_string(waiter.producer);
        case Deadlock::Reason::banks: return who + "banks";
        case Deadlock::Reason::unit: return who + "a port or unit";
        case Deadlock::Reason::room: return who + "room in the queues or for a register";
    }
    return who + "something unknown";
}

}  // namespace vcore::timing
