// The core in simulated time: four phases on the op socket, waiting for the dispatch of an op, and the one process that
// lets the pipeline catch up with the simulation while somebody waits for it.
#include <algorithm>
#include <string>

#include "models/core/turn.hpp"
#include "models/core/vector_core.hpp"
#include "models/timing/deadlock_text.hpp"
#include "tlm/can_wait.hpp"

namespace vcore::core {

using transport::FourPhases;
using transport::OpDescriptor;

namespace {

constexpr timing::Cycle kNever{~std::uint64_t{0}};

/// Whether it starts something of its own: a VF or a tensor op.
bool stands_outside(const isa::Op& op) {
    const isa::OpKind kind = isa::kind_of(op);
    return kind != isa::OpKind::vf_end && !isa::belongs_in_vf(kind);
}

std::string describe(const timing::Deadlock& deadlock) {
    constexpr std::size_t kShown = 8;
    std::string text = "nothing moves any more at cycle " + std::to_string(deadlock.cycle.count()) + ": ";
    for (std::size_t i = 0; i < std::min(kShown, deadlock.waiters.size()); ++i) {
        text += (i == 0 ? "" : ", ") + timing::describe(deadlock.waiters[i]);
    }
    if (deadlock.waiters.size() > kShown) {
        text += " and " + std::to_string(deadlock.waiters.size() - kShown) + " more";
    }
    return text;
}

}  // namespace

/// What came of an op that asked to be accepted.
struct VectorCore::Accepted {
    bool accepted = false;
    bool complete = false;      ///< and there is nothing more to wait for than `dispatch`
    sc_core::sc_time dispatch;  ///< from now
};

// ---- blocking callers

bool VectorCore::may_dispatch(const isa::Op& op) const {
    return engine_.has_room(op) && (isa::kind_of(op) != isa::OpKind::vf_end || engine_.all_issued());
}

bool VectorCore::has_queued(int initiator) const {
    return std::any_of(timed_ops_.begin(), timed_ops_.end(), [initiator](const TimedOp& op) {
        return op.initiator == initiator && op.stage == TimedOp::Stage::queued;
    });
}

/// Lets requests of the same initiator go first. False: there are some, and the caller cannot wait.
bool VectorCore::wait_for_requests_of(int initiator) {
    while (has_queued(initiator)) {
        if (!transport::can_wait()) return false;
        sc_core::wait(accepted_);
    }
    return true;
}

/// The cycle in which an op counts as called. After VfEnd the caller may have waited for ops that the next VF need not
/// wait for.
timing::Cycle VectorCore::call_of(const isa::Op& op, const sc_core::sc_time& called) const {
    const timing::Cycle call = cycle_of(std::max(called, sc_core::sc_time_stamp()));
    if (!approximate() || !stands_outside(op) || call != vf_end_seen_) return call;
    return std::min(call, vf_end_);
}

/// The first cycle that the pipeline must have seen before it takes the op: it takes VfBegin with the first dispatch.
timing::Cycle VectorCore::start_of(const isa::Op& op, timing::Cycle call) const {
    if (!others_may_ask_ || isa::kind_of(op) != isa::OpKind::vf_begin || engine_.in_vf()) return call;
    return call + (std::max(1U, engine_.configuration().timing.pipeline.vf_start) - 1);
}

void VectorCore::note_end_of_vf(const OpDescriptor& descriptor, const engine::OpResult& result) {
    if (isa::kind_of(descriptor.op) != isa::OpKind::vf_end || result.response != isa::Response::ok) return;
    vf_end_ = result.dispatch;
    vf_end_seen_ = std::max(result.dispatch, cycle_of(sc_core::sc_time_stamp()));
}

/// Where others could see the pipeline run ahead, waits until it need not. `now` is the cycle in which the op counts as
/// called. False: the core was reset meanwhile.
bool VectorCore::wait_until_dispatchable(const isa::Op& op, const sc_core::sc_time& called, timing::Cycle& now) {
    now = call_of(op, called);
    if (!approximate() || (!others_may_ask_ && timed_ops_.empty()) || !transport::can_wait()) return true;
    const std::uint64_t resets = resets_;
    const sc_core::sc_time from = std::max(called, period_.duration(start_of(op, now).count()));
    if (from > sc_core::sc_time_stamp()) sc_core::wait(from - sc_core::sc_time_stamp(), reset_done_);
    while (resets == resets_) {
        engine_.advance_to(cycle_of(sc_core::sc_time_stamp()));
        const timing::Cycle next = engine_.next_wakeup();
        if (may_dispatch(op) || next == kNever) {
            if (!stands_outside(op)) now = cycle_of(sc_core::sc_time_stamp());
            return true;
        }
        sc_core::wait(time_until(next), reset_done_);
    }
    return false;
}

// ---- four phases

tlm::tlm_sync_enum VectorCore::begin_op(int initiator, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                        sc_core::sc_time& delay) {
    const FourPhases::Received received = phases_.receive(initiator, payload, phase);
    if (received.id == FourPhases::kNone) return received.answer;
    OpDescriptor* const descriptor = descriptor_of(payload);
    if (descriptor == nullptr) return phases_.complete_in_call(received.id);

    TimedOp op;
    op.id = received.id;
    op.initiator = initiator;
    op.descriptor = descriptor;
    op.called = sc_core::sc_time_stamp() + delay;
    op.call = call_of(descriptor->op, op.called);
    op.from = std::max(op.called, period_.duration(start_of(descriptor->op, op.call).count()));
    timed_ops_.push_back(op);
    engine_.advance_to(cycle_of(sc_core::sc_time_stamp()));
    const Accepted result = accept(timed_ops_.size() - 1);
    tlm::tlm_sync_enum answer = tlm::TLM_ACCEPTED;
    if (result.accepted) {
        delay = result.dispatch;
        if (result.complete) {
            timed_ops_.pop_back();
            answer = phases_.complete_in_call(received.id);
        } else {
            answer = phases_.end_request_in_call(received.id, phase);
        }
    }
    settle();
    return answer;
}

VectorCore::Accepted VectorCore::accept(std::size_t place) {
    const TimedOp called = timed_ops_[place];
    const isa::Op& asked = called.descriptor->op;
    if (called.from > sc_core::sc_time_stamp() || !may_dispatch(asked)) return {};
    if (!turns_.take_from_queue({called.initiator, called.called})) return {};

    engine::OpResult result;
    const timing::Cycle now = stands_outside(asked) ? called.call : cycle_of(sc_core::sc_time_stamp());
    {
        const Turn turn(turns_, engine_);
        latest_ = {};
        result = perform(*called.descriptor, now);
    }
    note_end_of_vf(*called.descriptor, result);
    answer(phases_.payload(called.id), result);
    TimedOp& op = timed_ops_[place];
    op.stage = result.pending ? TimedOp::Stage::running : TimedOp::Stage::known;
    op.ticket = result.ticket;
    op.complete = result.complete;
    if (result.pending && latest_.ticket == result.ticket) on_op(latest_);  // it has completed already
    accepted_.notify(sc_core::SC_ZERO_TIME);

    Accepted accepted;
    accepted.accepted = true;
    accepted.complete = !result.pending && result.complete <= result.dispatch;
    accepted.dispatch = time_until(std::max(now, result.dispatch));
    return accepted;
}

/// Accepts the first of the queued ops that may go on. False: none may.
bool VectorCore::accept_one() {
    for (std::size_t place = 0; place < timed_ops_.size(); ++place) {
        if (timed_ops_[place].stage != TimedOp::Stage::queued) continue;
        const Accepted result = accept(place);
        if (!result.accepted) continue;
        // One that ends when it dispatches is answered then; its response ends the request.
        if (!result.complete) phases_.end_request(timed_ops_[place].id, result.dispatch);
        return true;
    }
    return false;
}

/// Hands on one op that has completed by now. False: there is none.
bool VectorCore::respond_to_one() {
    const auto done = std::find_if(timed_ops_.begin(), timed_ops_.end(), [this](const TimedOp& op) {
        return op.stage == TimedOp::Stage::known && time_until(op.complete) == sc_core::SC_ZERO_TIME;
    });
    if (done == timed_ops_.end()) return false;
    const FourPhases::Id id = done->id;
    timed_ops_.erase(done);
    phases_.respond(id);
    return true;
}

tlm::tlm_sync_enum VectorCore::call_back(int initiator, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                         sc_core::sc_time& delay) {
    return op_socket[initiator]->nb_transport_bw(payload, phase, delay);
}

void VectorCore::responses_wait() {
    wake_.notify(sc_core::SC_ZERO_TIME);
}

// ---- the process

void VectorCore::drive() {
    engine_.advance_to(cycle_of(sc_core::sc_time_stamp()));
    while (accept_one()) {
    }
    while (respond_to_one()) {
    }
    phases_.send_responses();
    settle();
}

/// After anything that may have moved the pipeline.
void VectorCore::settle() {
    if (!approximate()) return;
    if (!deadlock_.empty()) {
        const std::string text = std::move(deadlock_);
        deadlock_.clear();
        fail_pending();
        SC_REPORT_ERROR("/vcore/core/deadlock", text.c_str());
    }
    if (!timed_ops_.empty() || !traffic_.empty()) arm();
}

/// Has drive() called when the next thing can happen that somebody waits for.
void VectorCore::arm() {
    bool watched = !traffic_.empty();
    for (const TimedOp& op : timed_ops_) {
        if (op.stage == TimedOp::Stage::known) {
            wake_.notify(time_until(op.complete));
        } else if (op.from > sc_core::sc_time_stamp()) {
            wake_.notify(op.from - sc_core::sc_time_stamp());
        } else {
            watched = true;
        }
    }
    if (!watched) return;
    const timing::Cycle next = engine_.next_wakeup();
    if (next != kNever) wake_.notify(time_until(next));
}

void VectorCore::fail_pending() {
    timed_ops_.clear();
    traffic_.clear();
    phases_.fail_all();
    accepted_.notify(sc_core::SC_ZERO_TIME);
    for (engine::BankTraffic::Listener* listener : traffic_listeners_) listener->on_abandoned();
}

// ---- what the pipeline has found out; it is still at work, so nothing but notes is made of it

void VectorCore::set_timing_listener(engine::TimingListener* listener) {
    listener_ = listener;
    if (!approximate()) engine_.set_listener(listener);
}

void VectorCore::on_op(const engine::OpRecord& record) {
    if (listener_ != nullptr && &record != &latest_) listener_->on_op(record);
    if (timed_ops_.empty()) return;
    latest_ = record;
    for (TimedOp& op : timed_ops_) {
        if (op.stage != TimedOp::Stage::running || op.ticket != record.ticket) continue;
        op.stage = TimedOp::Stage::known;
        op.complete = record.complete;
        op.descriptor->issue_cycle = record.issue.count();
        op.descriptor->complete_cycle = record.complete.count();
        return;
    }
}

void VectorCore::on_traffic(std::uint32_t id, timing::Cycle complete) {
    if (listener_ != nullptr) listener_->on_traffic(id, complete);
    const auto found = std::find(traffic_.begin(), traffic_.end(), id);
    if (found == traffic_.end()) return;
    traffic_.erase(found);
    for (engine::BankTraffic::Listener* listener : traffic_listeners_) listener->on_granted(id, complete);
}

void VectorCore::on_deadlock(const timing::Deadlock& deadlock) {
    if (listener_ != nullptr) listener_->on_deadlock(deadlock);
    dead_ = true;
    deadlock_ = describe(deadlock);
}

// ---- others at the banks

void VectorCore::add_listener(engine::BankTraffic::Listener& listener) {
    traffic_listeners_.push_back(&listener);
}

void VectorCore::expect_foreign() {
    others_may_ask_ = true;
}

bool VectorCore::alive() const {
    return !dead_;
}

std::uint32_t VectorCore::request(timing::Direction direction, std::uint32_t address, std::uint32_t bytes,
                                  std::uint32_t channel, timing::Cycle at) {
    const std::uint32_t id = engine_.foreign_access(direction, address, bytes, channel, at);
    expect(id);
    return id;
}

std::uint32_t VectorCore::request(timing::Direction direction, const isa::ContiguousAccess& access,
                                  std::uint32_t channel, timing::Cycle at) {
    const std::uint32_t id = engine_.foreign_access(direction, access, channel, at);
    expect(id);
    return id;
}

void VectorCore::expect(std::uint32_t id) {
    traffic_.push_back(id);
    arm();
}

}  // namespace vcore::core
