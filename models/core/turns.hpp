// Whose turn it is to issue: one op at a time, and between VF begin and VF end only the initiator whose VF it is.
//
// Others queue up and are served in the order of their calls; a running initiator that ends its VF goes behind them.
#pragma once

#include <systemc>

namespace vcore::core {

class Turns {
public:
    Turns() = default;
    ~Turns() = default;
    Turns(const Turns&) = delete;
    Turns& operator=(const Turns&) = delete;

    enum class Wait : bool { no, yes };

    /// Takes the turn for `initiator`, waiting for it where that is needed. False: it is somebody else's turn, and the
    /// caller must not wait (`Wait::no`) or cannot (it is no thread process, or the simulation is not running).
    bool take(int initiator, Wait wait) {
        if (!busy_ && (owner_ == kNobody || owner_ == initiator)) {
            owner_ = initiator;
            busy_ = true;
            return true;
        }
        return wait == Wait::yes && queue_up(initiator);
    }

    /// Ends an op. `vf_open`: the next op must come from the same initiator.
    void give(bool vf_open) {
        busy_ = false;
        vf_open_ = vf_open;
        if (!vf_open) owner_ = kNobody;
        if (first_ != nullptr) hand_over();
    }

    /// No VF is open any more. An op that is being performed ends as usual.
    void reset() {
        if (!busy_) give(false);
    }

private:
    static constexpr int kNobody = -1;
    class Waiter;

    bool queue_up(int initiator);
    void hand_over();

    int owner_ = kNobody;
    bool busy_ = false;        ///< an op is being performed
    bool vf_open_ = false;     ///< and after it, the turn stays with owner_
    Waiter* first_ = nullptr;  ///< oldest first; each lives on the stack of the process that waits
    sc_core::sc_event changed_;
};

}  // namespace vcore::core
