#include "models/core/turns.hpp"

#include "tlm/can_wait.hpp"

namespace vcore::core {

/// A place in the queue. Leaves it, or gives its turn back, when the waiting process is killed.
class Turns::Waiter {
public:
    Waiter(Turns& turns, const Request& request_in) : request(request_in), turns_(turns) {
        Waiter** link = &turns_.first_;
        while (*link != nullptr && !before(**link)) link = &(*link)->next;
        next = *link;
        *link = this;
    }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    ~Waiter() {
        if (arrived) return;
        if (granted) {
            turns_.give(turns_.vf_open_);
        } else {
            leave();
        }
    }

    void leave() {
        Waiter** link = &turns_.first_;
        while (*link != this) link = &(*link)->next;
        *link = next;
    }

    const Request request;
    bool granted = false;  ///< it is this waiter's turn
    bool arrived = false;  ///< and its process knows
    Waiter* next = nullptr;

private:
    bool before(const Waiter& other) const { return request.before(other.request); }

    Turns& turns_;
};

bool Turns::queue_up(const Request& request, Wait wait) {
    if (wait == Wait::no || !transport::can_wait()) {
        if (busy_ || owner_ != kNobody || first_ != nullptr) return false;
        grant(request.initiator);
        return true;
    }
    Waiter waiter(*this, request);
    while (!waiter.granted) {
        if (next() == nullptr) {
            sc_core::wait(changed_);
            continue;
        }
        // Others may call in this delta cycle and come first.
        sc_core::wait(sc_core::SC_ZERO_TIME);
        grant_next();
    }
    waiter.arrived = true;
    return true;
}

bool Turns::take_from_queue(const Request& request) {
    if (busy_ || (owner_ != kNobody && owner_ != request.initiator)) return false;
    if (owner_ == kNobody && first_ != nullptr && first_->request.before(request)) return false;
    grant(request.initiator);
    return true;
}

/// The first in the queue that may go on now, or null.
Turns::Waiter* Turns::next() const {
    if (busy_) return nullptr;
    Waiter* waiter = first_;
    while (waiter != nullptr && owner_ != kNobody && owner_ != waiter->request.initiator) waiter = waiter->next;
    return waiter;
}

void Turns::grant_next() {
    Waiter* const waiter = next();
    if (waiter == nullptr) return;
    waiter->leave();
    waiter->granted = true;
    grant(waiter->request.initiator);
    changed_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace vcore::core
