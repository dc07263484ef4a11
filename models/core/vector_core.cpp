#include "models/core/vector_core.hpp"

#include <algorithm>
#include <cstdint>

#include "tlm/payload_rules.hpp"

namespace vcore::core {

using transport::OpDescriptor;
using transport::OpExtension;
using transport::Requester;

namespace {

/// Ends the turn of an op, also when the calling process is killed inside it.
class TurnGuard {
public:
    TurnGuard(Turns& turns, const engine::Core& engine) : turns_(turns), engine_(engine) {}
    TurnGuard(const TurnGuard&) = delete;
    TurnGuard& operator=(const TurnGuard&) = delete;
    ~TurnGuard() { turns_.give(engine_.in_vf()); }

private:
    Turns& turns_;
    const engine::Core& engine_;
};

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

VectorCore::VectorCore(sc_core::sc_module_name core_name, const engine::Configuration& configuration)
    : sc_module(core_name),
      op_socket("op_socket"),
      vector_registers("vector_registers", tlm::tlm_dmi::DMI_ACCESS_READ_WRITE, Requester::load, pool_),
      mask_registers("mask_registers", tlm::tlm_dmi::DMI_ACCESS_READ_WRITE, Requester::load, pool_),
      load_port("load_port", tlm::tlm_dmi::DMI_ACCESS_READ, Requester::load, pool_),
      store_port("store_port", tlm::tlm_dmi::DMI_ACCESS_WRITE, Requester::store, pool_),
      gather_scatter("gather_scatter", pool_),
      period_(configuration.clock_mhz),
      ub_(load_port, store_port, gather_scatter, configuration.capabilities.ub_bytes),
      engine_(configuration, registers_, ub_) {
    op_socket.register_b_transport(this, &VectorCore::b_transport);
    op_socket.register_nb_transport_fw(this, &VectorCore::nb_transport_fw);
    op_socket.register_transport_dbg(this, &VectorCore::transport_dbg);
}

void VectorCore::end_of_elaboration() {
    turns_.set_several(op_socket.size() > 1);
}

void VectorCore::reset() {
    engine_.reset();
    turns_.reset();
}

void VectorCore::b_transport(int initiator, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    serve(initiator, payload, delay, Turns::Wait::yes);
}

tlm::tlm_sync_enum VectorCore::nb_transport_fw(int initiator, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                               sc_core::sc_time& delay) {
    if (!transport::begins_request(phase, "/vcore/core/phase")) return tlm::TLM_ACCEPTED;
    serve(initiator, payload, delay, Turns::Wait::no);
    return tlm::TLM_COMPLETED;
}

unsigned VectorCore::transport_dbg(int, tlm::tlm_generic_payload&) {
    return 0;
}

void VectorCore::serve(int initiator, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay, Turns::Wait wait) {
    payload.set_dmi_allowed(false);
    if (payload.get_command() != tlm::TLM_IGNORE_COMMAND) {
        payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
        return;
    }
    auto* extension = payload.get_extension<OpExtension>();
    if (extension == nullptr || extension->descriptor.version != transport::kOpDescriptorVersion) {
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return;
    }
    OpDescriptor& descriptor = extension->descriptor;

    const sc_core::sc_time called = sc_core::sc_time_stamp() + delay;
    if (!turns_.take({initiator, called}, wait)) {
        descriptor.fault = isa::DiagnosticId::busy;
        payload.set_response_status(transport::status_of(isa::info(descriptor.fault).response));
        report_busy(descriptor);
        return;
    }
    const TurnGuard guard(turns_, engine_);
    const timing::Cycle now(period_.next_cycle(std::max(called, sc_core::sc_time_stamp())));
    const engine::OpResult result = perform(descriptor, now);
    payload.set_response_status(transport::status_of(result.response));
    descriptor.fault = result.fault;
    descriptor.dispatch_cycle = result.dispatch.count();
    descriptor.issue_cycle = result.issue.count();
    descriptor.complete_cycle = result.complete.count();

    // A target that waited has moved time while the op was performed.
    const sc_core::sc_time dispatch = period_.duration(std::max(now, result.dispatch).count());
    delay = dispatch - std::min(dispatch, sc_core::sc_time_stamp());
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
