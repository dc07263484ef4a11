// The composition that all products share: one core with its register files, gather/scatter unit, UB and MTE, wired as
// the README's picture shows. Wiring only: no behaviour lives here.
//
// Bind here: `core.op_socket` (ops), `mte.transfer_socket` (GM <-> UB transfers), `ub.port` (any base-protocol
// initiator). All take several initiators and may stay unbound.
// A product without vector functions has the same modules; its core refuses what the product lacks.
#pragma once

#include <systemc>

#include "models/core/vector_core.hpp"
#include "models/dma/mte_engine.hpp"
#include "models/engine/configuration.hpp"
#include "models/gather_scatter/gather_scatter_unit.hpp"
#include "models/registers/mask_register_file.hpp"
#include "models/registers/vector_register_file.hpp"
#include "models/ub/unified_buffer.hpp"

namespace vcore::platforms {

class Top : public sc_core::sc_module {
public:
    /// `configuration` is copied.
    Top(sc_core::sc_module_name name, const engine::Configuration& configuration,
        engine::Mode mode = engine::Mode::loosely_timed);

    /// Resets every module: registers and UB zero and never written, no VF open, counters zero. Diagnostics stay: they
    /// belong to the run (core.engine().diagnostics()).
    void reset();

private:
    engine::Configuration configuration_;  // before the modules that refer to it

public:
    ub::UnifiedBuffer ub;
    registers::VectorRegisterFile vector_registers;
    registers::MaskRegisterFile mask_registers;
    gather_scatter::GatherScatterUnit gather_scatter;
    core::VectorCore core;
    dma::MteEngine mte;

    const engine::Configuration& configuration() const { return configuration_; }
};

}  // namespace vcore::platforms
