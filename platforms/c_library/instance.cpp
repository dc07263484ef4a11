#include "platforms/c_library/instance.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "models/timing/deadlock_text.hpp"

namespace vcore::c_library {
namespace {

constexpr std::size_t kRemembered = 65536;
/// Tells the tickets of transfers from those of ops, which the core counts apart.
constexpr std::uint64_t kTransferTicket = std::uint64_t{1} << 63;

struct Table {
    std::mutex mutex;
    std::unordered_map<vcore_handle, std::shared_ptr<Instance>> instances;
    vcore_handle next = 1;
};

Table& table() {
    // Never destroyed: a bench may end while another thread still asks.
    static Table* const one = new Table;
    return *one;
}

}  // namespace

Instance::Instance(engine::Configuration configuration, engine::Mode mode)
    : configuration_(std::move(configuration)),
      storage_(configuration_),
      core_(configuration_, storage_.registers(), storage_.ub(), mode),
      ops_(kRemembered),
      transfers_(kRemembered) {
    core_.set_listener(this);
}

engine::OpResult Instance::issue(isa::Op& op, std::uint32_t line) {
    const engine::OpResult result = core_.issue(op, line, now_);
    now_ = std::max(now_, result.dispatch);
    called(result);
    return result;
}

engine::OpResult Instance::transfer(const engine::TransferRequest& request, std::byte* data) {
    engine::OpResult result = core_.transfer(request, data, now_);
    if (result.fault == isa::DiagnosticId::none) {
        if (!request.beside) now_ = std::max(now_, result.complete);
        result.ticket |= kTransferTicket;
        called(result);
    }
    return result;
}

void Instance::step(std::uint64_t cycles) {
    const std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
    now_ = timing::Cycle(cycles > last - now_.count() ? last : now_.count() + cycles);
    core_.advance_to(now_);
}

void Instance::finish() {
    now_ = std::max(now_, core_.finish());
}

void Instance::reset() {
    core_.reset();
    storage_.clear();
    now_ = timing::Cycle(0);
    std::fill(ops_.begin(), ops_.end(), Completion{});
    std::fill(transfers_.begin(), transfers_.end(), Completion{});
    deadlock_.clear();
}

Instance::Ring& Instance::ring_of(std::uint64_t ticket) {
    return (ticket & kTransferTicket) != 0 ? transfers_ : ops_;
}

const Instance::Completion* Instance::completion(std::uint64_t ticket) {
    const Completion& found = slot(ring_of(ticket), ticket);
    return ticket != 0 && found.ticket == ticket ? &found : nullptr;
}

void Instance::called(const engine::OpResult& result) {
    if (result.ticket == 0) return;
    Completion& place = slot(ring_of(result.ticket), result.ticket);
    const bool told_already = place.ticket == result.ticket && place.known;
    if (!told_already) place = {result.ticket, result.issue, result.complete, !result.pending};
}

void Instance::on_op(const engine::OpRecord& record) {
    slot(ops_, record.ticket) = {record.ticket, record.issue, record.complete, true};
}

void Instance::on_traffic(std::uint32_t id, timing::Cycle complete) {
    const std::uint64_t ticket = id | kTransferTicket;
    Completion& place = slot(transfers_, ticket);
    const timing::Cycle issue = place.ticket == ticket ? place.issue : complete;
    place = {ticket, issue, complete, true};
}

void Instance::on_deadlock(const timing::Deadlock& deadlock) {
    deadlock_ = "nothing moves any more at cycle " + std::to_string(deadlock.cycle.count());
    for (const timing::Deadlock::Waiter& waiter : deadlock.waiters) deadlock_ += "; " + timing::describe(waiter);
}

vcore_handle add_instance(std::shared_ptr<Instance> instance) {
    Table& all = table();
    const std::lock_guard<std::mutex> lock(all.mutex);
    const vcore_handle handle = all.next++;
    all.instances.emplace(handle, std::move(instance));
    return handle;
}

std::shared_ptr<Instance> find_instance(vcore_handle handle) {
    Table& all = table();
    const std::lock_guard<std::mutex> lock(all.mutex);
    const auto found = all.instances.find(handle);
    return found == all.instances.end() ? nullptr : found->second;
}

bool remove_instance(vcore_handle handle) {
    std::shared_ptr<Instance> last;  // goes after the lock
    Table& all = table();
    const std::lock_guard<std::mutex> lock(all.mutex);
    const auto found = all.instances.find(handle);
    if (found == all.instances.end()) return false;
    last = std::move(found->second);
    all.instances.erase(found);
    return true;
}

}  // namespace vcore::c_library
