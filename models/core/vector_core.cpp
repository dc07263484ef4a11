#include "models/core/vector_core.hpp"

#include <algorithm>
#include <cstdint>

#include "models/core/turn.hpp"
#include "tlm/payload_rules.hpp"

namespace vcore::core {

using transport::OpDescriptor;
using transport::OpExtension;
using transport::Requester;

namespace {

/// Calls `visit(k)` for every bit k that is set.
template <typename Visit>
void for_each_bit(std::uint32_t bits, Visit visit) {
    for (; bits != 0; bits &= bits - 1) visit(static_cast<std::size_t>(__builtin_ctz(bits)));
}

/// Where register `k` stands in its file.
template <typename Register>
isa::ContiguousAccess place_of(std::size_t k) {
    isa::ContiguousAccess access;
    access.address = static_cast<std::uint32_t>(k * sizeof(Register));
    access.bytes = sizeof(Register);
    return access;
}

template <typename Register>
std::byte* bytes_of(Register& value) {
    return reinterpret_cast<std::byte*>(&value);
}

}  // namespace

VectorCore::VectorCore(sc_core::sc_module_name core_name, const engine::Configuration& configuration, engine::Mode mode)
    : sc_module(core_name),
      op_socket("op_socket"),
      vector_registers("vector_registers", tlm::tlm_dmi::DMI_ACCESS_READ_WRITE, Requester::load, pool_),
      mask_registers("mask_registers", tlm::tlm_dmi::DMI_ACCESS_READ_WRITE, Requester::load, pool_),
      load_port("load_port", tlm::tlm_dmi::DMI_ACCESS_READ, Requester::load, pool_),
      store_port("store_port", tlm::tlm_dmi::DMI_ACCESS_WRITE, Requester::store, pool_),
      gather_scatter("gather_scatter", pool_),
      period_(configuration.clock_mhz),
      ub_(load_port, store_port, gather_scatter, configuration.capabilities.ub_bytes),
      engine_(configuration, registers_, ub_, mode) {
    op_socket.register_b_transport(this, &VectorCore::b_transport);
    op_socket.register_nb_transport_fw(this, &VectorCore::nb_transport_fw);
    op_socket.register_transport_dbg(this, &VectorCore::transport_dbg);
    if (!approximate()) return;
    engine_.set_listener(this);
    SC_HAS_PROCESS(VectorCore);
    SC_METHOD(drive);
    dont_initialize();
    sensitive << wake_;
}

void VectorCore::end_of_elaboration() {
    turns_.set_several(op_socket.size() > 1);
}

void VectorCore::reset() {
    engine_.reset();
    turns_.reset();
    if (approximate()) fail_pending();
    dead_ = false;
    vf_end_seen_ = vf_end_ = timing::Cycle();
    ++resets_;
    reset_done_.notify(sc_core::SC_ZERO_TIME);
}

void VectorCore::b_transport(int initiator, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    serve(initiator, payload, delay, Turns::Wait::yes);
}

tlm::tlm_sync_enum VectorCore::nb_transport_fw(int initiator, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                               sc_core::sc_time& delay) {
    if (approximate()) return begin_op(initiator, payload, phase, delay);
    if (!transport::begins_request(phase, "/vcore/core/phase")) return tlm::TLM_ACCEPTED;
    serve(initiator, payload, delay, Turns::Wait::no);
    return tlm::TLM_COMPLETED;
}

unsigned VectorCore::transport_dbg(int, tlm::tlm_generic_payload&) {
    return 0;
}

/// The op of a payload that is one; else null, and the payload has its answer.
OpDescriptor* VectorCore::descriptor_of(tlm::tlm_generic_payload& payload) {
    payload.set_dmi_allowed(false);
    if (payload.get_command() != tlm::TLM_IGNORE_COMMAND) {
        payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
        return nullptr;
    }
    auto* extension = payload.get_extension<OpExtension>();
    if (extension == nullptr || extension->descriptor.version != transport::kOpDescriptorVersion) {
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return nullptr;
    }
    return &extension->descriptor;
}

timing::Cycle VectorCore::cycle_of(const sc_core::sc_time& time) const {
    return time == next_call_time_ ? next_call_ : timing::Cycle(period_.next_cycle(time));
}

sc_core::sc_time VectorCore::time_until(timing::Cycle cycle) const {
    const sc_core::sc_time time = period_.duration(cycle.count());
    return time - std::min(time, sc_core::sc_time_stamp());
}

void VectorCore::serve(int initiator, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay, Turns::Wait wait) {
    OpDescriptor* const descriptor = descriptor_of(payload);
    if (descriptor == nullptr) return;

    const sc_core::sc_time called = sc_core::sc_time_stamp() + delay;
    const bool in_time = wait_for_requests_of(initiator);
    if (!in_time || !turns_.take({initiator, called}, wait)) {
        descriptor->fault = isa::DiagnosticId::busy;
        payload.set_response_status(transport::status_of(isa::info(descriptor->fault).response));
        report_busy(*descriptor);
        return;
    }
    {
        const Turn turn(turns_, engine_);
        timing::Cycle now;
        if (!wait_until_dispatchable(descriptor->op, called, now)) {
            payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
            delay = sc_core::SC_ZERO_TIME;
            return;
        }
        const engine::OpResult result = perform(*descriptor, now);
        note_end_of_vf(*descriptor, result);
        answer(payload, result);
        // A target that waited has moved time while the op was performed.
        next_call_ = std::max(now, result.dispatch);
        next_call_time_ = period_.duration(next_call_.count());
        delay = next_call_time_ - std::min(next_call_time_, sc_core::sc_time_stamp());
    }
    if (!timed_ops_.empty()) wake_.notify(sc_core::SC_ZERO_TIME);  // queued ops may have their turn now
    settle();
}

void VectorCore::answer(tlm::tlm_generic_payload& payload, const engine::OpResult& result) {
    OpDescriptor& descriptor = payload.get_extension<OpExtension>()->descriptor;
    payload.set_response_status(transport::status_of(result.response));
    descriptor.fault = result.fault;
    descriptor.dispatch_cycle = result.dispatch.count();
    descriptor.issue_cycle = result.issue.count();
    descriptor.complete_cycle = result.complete.count();
    descriptor.ticket = result.ticket;
    descriptor.pending = result.pending;
}

engine::OpResult VectorCore::perform(OpDescriptor& descriptor, timing::Cycle now) {
    ub_.set_line(descriptor.line);
    locate_registers();
    const bool copies = registers_.vector == vector_copies_.data() || registers_.mask == mask_copies_.data();
    if (!copies) return engine_.issue(descriptor.op, descriptor.line, now);

    const isa::Operands operands = operands_of(descriptor.op);
    fetch(operands, descriptor.line);
    const engine::OpResult result = engine_.issue(descriptor.op, descriptor.line, now);
    if (result.response == isa::Response::ok) write_back(operands, descriptor.line);
    return result;
}

void VectorCore::report_busy(const OpDescriptor& descriptor) {
    isa::DiagnosticLog& log = engine_.diagnostics();
    const isa::OpKind kind = isa::kind_of(descriptor.op);
    if (log.repeat(isa::DiagnosticId::busy, descriptor.line, 0, kind)) return;
    isa::Fault fault;
    fault.id = isa::DiagnosticId::busy;
    fault.operand = isa::Operand::op;
    isa::Diagnostic diagnostic;
    diagnostic.severity = isa::info(fault.id).severity;
    diagnostic.id = fault.id;
    diagnostic.op_index = engine_.statistics().ops;
    diagnostic.line = descriptor.line;
    diagnostic.op = std::string(isa::name(kind));
    diagnostic.message = isa::describe(fault, descriptor.op, engine_.configuration().product, {});
    log.add(std::move(diagnostic), kind);
}

void VectorCore::locate_registers() {
    isa::Registers found{vector_copies_.data(), mask_copies_.data()};
    // A grant that a register does not fit in, by size or by alignment, is as good as none.
    const auto aligned = [](const std::byte* pointer, std::size_t alignment) {
        return pointer != nullptr && reinterpret_cast<std::uintptr_t>(pointer) % alignment == 0;
    };
    std::byte* const vectors = vector_registers.direct(sizeof(vector_copies_));
    if (aligned(vectors, alignof(isa::VectorRegister))) found.vector = reinterpret_cast<isa::VectorRegister*>(vectors);
    std::byte* const masks = mask_registers.direct(sizeof(mask_copies_));
    if (aligned(masks, alignof(isa::MaskRegister))) found.mask = reinterpret_cast<isa::MaskRegister*>(masks);
    if (found.vector == registers_.vector && found.mask == registers_.mask) return;
    registers_ = found;
    engine_.use_registers(found);
}

void VectorCore::fetch(const isa::Operands& operands, std::uint32_t line) {
    if (registers_.vector == vector_copies_.data()) {
        for_each_bit(operands.vector_reads, [&](std::size_t k) {
            vector_registers.read(place_of<isa::VectorRegister>(k), bytes_of(vector_copies_[k]), line);
        });
    }
    if (registers_.mask == mask_copies_.data()) {
        for_each_bit(operands.mask_reads, [&](std::size_t k) {
            mask_registers.read(place_of<isa::MaskRegister>(k), bytes_of(mask_copies_[k]), line);
        });
    }
}

void VectorCore::write_back(const isa::Operands& operands, std::uint32_t line) {
    if (registers_.vector == vector_copies_.data()) {
        for_each_bit(operands.vector_writes, [&](std::size_t k) {
            vector_registers.write(place_of<isa::VectorRegister>(k), bytes_of(vector_copies_[k]), line);
        });
    }
    if (registers_.mask == mask_copies_.data()) {
        for_each_bit(operands.mask_writes, [&](std::size_t k) {
            mask_registers.write(place_of<isa::MaskRegister>(k), bytes_of(mask_copies_[k]), line);
        });
    }
}

}  // namespace vcore::core
