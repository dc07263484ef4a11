#include "platforms/top.hpp"

namespace vcore::platforms {

namespace {

/// The core's two ports and the MTE: their traffic is known to the core.
constexpr unsigned kOwnInitiatorsOfUb = 3;

}  // namespace

Top::Top(sc_core::sc_module_name top_name, const engine::Configuration& configuration, engine::Mode mode)
    : sc_module(top_name),
      configuration_(configuration),
      ub("ub", configuration_),
      vector_registers("vector_registers"),
      mask_registers("mask_registers"),
      gather_scatter("gather_scatter", configuration_.timing),
      core("core", configuration_, mode),
      mte("mte", core.engine()) {
    core.vector_registers.bind(vector_registers.port);
    core.mask_registers.bind(mask_registers.port);
    core.load_port.bind(ub.port);
    core.store_port.bind(ub.port);
    core.gather_scatter.bind(gather_scatter.core_port);
    gather_scatter.ub_port.bind(ub.indexed);
    mte.ub_port.bind(ub.port);
    if (mode == engine::Mode::approximately_timed) {
        ub.contend(core.bank_traffic(), kOwnInitiatorsOfUb);
        mte.contend(core.bank_traffic());
    }

    // What others write counts as written for the core's warnings.
    ub.set_write_listener(
        [this](std::uint32_t address, std::uint32_t bytes) { core.engine().mark_written(address, bytes); });
    vector_registers.set_write_listener(
        [this](std::size_t index) { core.engine().mark_written(static_cast<isa::VregId>(index)); });
    mask_registers.set_write_listener(
        [this](std::size_t index) { core.engine().mark_written(static_cast<isa::MregId>(index)); });
}

void Top::reset() {
    ub.reset();
    vector_registers.reset();
    mask_registers.reset();
    gather_scatter.reset();
    core.reset();
}

}  // namespace vcore::platforms
