// Whose turn it is to issue: one op at a time, and between VF begin and VF end only the initiator whose VF it is.
//
// Others queue up. Calls that are made in one delta cycle are served by their local time, then in the order in which
// the initiators were bound, whatever the order in which the simulator runs their processes: where several initiators
// are bound, a call outside a VF therefore waits for the end of the delta cycle.
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
    struct Request {
        int initiator;          ///< index on the op socket
        sc_core::sc_time time;  ///< local time of the call

        /// Whether it is served before another one.
        bool before(const Request& other) const {
            return time != other.time ? time < other.time : initiator < other.initiator;
        }
    };

    /// Whether more than one initiator is bound. To be said once, at the end of elaboration.
    void set_several(bool several) { several_ = several; }

    /// Takes the turn, waiting for it where that is needed. False: it is somebody else's turn, and the caller must not
    /// wait (`Wait::no`) or cannot (it is no thread process, or the simulation is not running).
    bool take(const Request& request, Wait wait) {
        const bool own_vf = owner_ == request.initiator;
        const bool nobody_else = owner_ == kNobody && !several_;
        if (busy_ || (!own_vf && !nobody_else)) return queue_up(request, wait);
        grant(request.initiator);
        return true;
    }

    /// Takes the turn for a request that waits elsewhere, if it may go on now and nobody in the queue comes first.
    bool take_from_queue(const Request& request);

    /// Ends an op. `vf_open`: the next op must come from the same initiator.
    void give(bool vf_open) {
        busy_ = false;
        vf_open_ = vf_open;
        if (!vf_open) owner_ = kNobody;
        if (first_ != nullptr) changed_.notify(sc_core::SC_ZERO_TIME);
    }

    /// No VF is open any more. An op that is being performed ends as usual.
    void reset() {
        if (!busy_) give(false);
    }

private:
    static constexpr int kNobody = -1;
    class Waiter;

    void grant(int initiator) {
        owner_ = initiator;
        busy_ = true;
    }
    bool queue_up(const Request& request, Wait wait);
    Waiter* next() const;
    void grant_next();

    bool several_ = false;
    int owner_ = kNobody;      ///< whose op is being performed, or whose VF is open
    bool busy_ = false;        ///< an op is being performed
    bool vf_open_ = false;     ///< after the last op
    Waiter* first_ = nullptr;  ///< in the order of service; each lives on the stack of the process that waits
    sc_core::sc_event changed_;
};

}  // namespace vcore::core
