#include "models/core/turns.hpp"

namespace vcore::core {

namespace {

bool can_wait() {
    if (!sc_core::sc_is_running()) return false;
    const sc_core::sc_process_handle process = sc_core::sc_get_current_process_handle();
    if (!process.valid()) return false;
    return process.proc_kind() == sc_core::SC_THREAD_PROC_ || process.proc_kind() == sc_core::SC_CTHREAD_PROC_;
}

}  // namespace

/// A place in the queue. Leaves it, or passes its turn on, when the waiting process is killed.
class Turns::Waiter {
public:
    Waiter(Turns& turns, int initiator_in) : initiator(initiator_in), turns_(turns) {
        Waiter** link = &turns_.first_;
        while (*link != nullptr) link = &(*link)->next;
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
        next = nullptr;
    }

    const int initiator;
    bool granted = false;  ///< it is this waiter's turn
    bool arrived = false;  ///< and its process knows
    Waiter* next = nullptr;

private:
    Turns& turns_;
};

bool Turns::queue_up(int initiator) {
    if (!can_wait()) return false;
    Waiter waiter(*this, initiator);
    while (!waiter.granted) sc_core::wait(changed_);
    waiter.arrived = true;
    return true;
}

void Turns::hand_over() {
    for (Waiter* waiter = first_; waiter != nullptr; waiter = waiter->next) {
        if (owner_ != kNobody && owner_ != waiter->initiator) continue;
        waiter->leave();
        waiter->granted = true;
        owner_ = waiter->initiator;
        busy_ = true;
        changed_.notify(sc_core::SC_ZERO_TIME);
        return;
    }
}

}  // namespace vcore::core
