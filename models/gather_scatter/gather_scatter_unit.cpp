#include "models/gather_scatter/gather_scatter_unit.hpp"

#include "tlm/indexed_extension.hpp"

namespace vcore::gather_scatter {

namespace {

/// 128 lanes fit in an index register only as 16-bit indices; fewer are addressed by wider ones.
std::size_t index_bytes(const isa::IndexedAccess& access) {
    return access.lanes > isa::kMaxIndexedLanes / 2 ? 2 : 4;
}

}  // namespace

GatherScatterUnit::GatherScatterUnit(sc_core::sc_module_name unit_name, const timing::Parameters& parameters)
    : sc_module(unit_name),
      core_port("core_port"),
      ub_port("ub_port"),
      rules_(parameters.ub, parameters.gather_scatter),
      rows_(rules_.make_counters()) {
    core_port.register_b_transport(this, &GatherScatterUnit::b_transport);
    core_port.register_transport_dbg(this, &GatherScatterUnit::transport_dbg);
}

void GatherScatterUnit::reset() {
    counters_ = {};
}

void GatherScatterUnit::b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const auto* extension = payload.get_extension<transport::IndexedExtension>();
    ub_port->b_transport(payload, delay);
    if (extension != nullptr && payload.is_response_ok()) count(payload, extension->access);
}

unsigned GatherScatterUnit::transport_dbg(int, tlm::tlm_generic_payload& payload) {
    return ub_port->transport_dbg(payload);
}

void GatherScatterUnit::count(const tlm::tlm_generic_payload& payload, const isa::IndexedAccess& access) {
    const bool gather = payload.is_read();
    ++(gather ? counters_.gathers : counters_.scatters);
    const timing::AccessCost cost =
        rules_.cost(access, rules_.lanes_per_beat(access.element_bytes, index_bytes(access)),
                    gather ? timing::Direction::read : timing::Direction::write, rows_);
    counters_.beats += cost.beats;
    counters_.stalls += cost.sub_bank_stalls;
}

}  // namespace vcore::gather_scatter
