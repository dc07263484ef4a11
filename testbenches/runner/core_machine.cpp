#include "testbenches/runner/core_machine.hpp"

#include <algorithm>
#include <cstring>

namespace vcore::runner {

CoreMachine::CoreMachine(const engine::Configuration& configuration, engine::Mode mode)
    : configuration_(configuration),
      storage_(configuration_),
      core_(configuration_, storage_.registers(), storage_.ub(), mode) {}

Outcome CoreMachine::issue(isa::Op& op, std::uint32_t line) {
    const engine::OpResult result = core_.issue(op, line, now_);
    now_ = std::max(now_, result.dispatch);
    return {result.fault, result.issue.count(), result.complete.count(), result.ticket, result.pending};
}

Outcome CoreMachine::transfer(const engine::TransferRequest& request, std::byte* data,
                              std::optional<std::uint64_t> at) {
    const timing::Cycle start = std::max(now_, timing::Cycle(at.value_or(0)));
    engine::TransferRequest beside = request;
    beside.beside = at.has_value();
    beside.traffic_only = data == nullptr;
    const engine::OpResult result = core_.transfer(beside, data, start);
    if (!at) now_ = std::max(now_, result.complete);
    return {result.fault, result.issue.count(), result.complete.count(), result.ticket, result.pending};
}

void CoreMachine::restart() {
    now_ = std::max(now_, core_.finish());
    storage_.clear();
    core_.forget_written();
}

std::byte* CoreMachine::ub_bytes() {
    core_.watch_content(storage_.ub_bytes());
    return storage_.ub_bytes();
}

void CoreMachine::place(std::uint32_t address, const std::byte* data, std::uint32_t bytes) {
    std::memcpy(storage_.ub_bytes() + address, data, bytes);
    core_.mark_written(address, bytes);
}

void CoreMachine::look(std::uint32_t address, std::byte* data, std::uint32_t bytes) {
    std::memcpy(data, storage_.ub_bytes() + address, bytes);
}

isa::VectorRegister CoreMachine::vector_register(std::uint32_t number) {
    return storage_.registers().vector[number];
}

isa::MaskRegister CoreMachine::mask_register(std::uint32_t number) {
    return storage_.registers().mask[number];
}

}  // namespace vcore::runner
