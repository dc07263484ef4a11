// Finds accesses of one vector function that overlap with no barrier between them.
//
// The UB does not track order inside a VF (`isa.md` "Order and barriers"): a load after a store, a store after a store,
// and a store after a load of the same bytes need a LocalMemBar, the last unless the stored data depend on that load.
// Overlap is judged by the byte: only enabled bytes and active lanes count. Findings are pairs of source lines; a pair
// is counted once per later op.
//
// What it does not see: accesses of scalar code, and of other initiators.
// Cost contract: no allocation in steady state; a few words per access as long as the spans of loads and stores in a VF
// do not meet. Exact at any length of VF.
#pragma once

#include <cstdint>
#include <memory>

#include "models/isa/access.hpp"
#include "models/isa/ops.hpp"

namespace vcore::engine {

enum class HazardKind : std::uint8_t { store_load, store_store, load_store };
std::string_view name(HazardKind kind);  ///< "load after store" …

/// Told of each finding.
class HazardListener {
public:
    /// `earlier_line`: the line of the earlier access; `address`: lowest byte both touch.
    virtual void on_hazard(HazardKind kind, std::uint32_t earlier_line, std::uint32_t address) = 0;

protected:
    ~HazardListener() = default;
};

class HazardDetector {
public:
    HazardDetector(std::uint64_t ub_bytes, HazardListener& listener);
    ~HazardDetector();

    /// A VF starts (or the whole core is reset): nothing before it matters.
    void begin_vf();
    void barrier(isa::BarrierKind kind);

    /// Starts the next op of the VF; the accesses that follow belong to it. `operands` carries the data flow: registers
    /// it writes depend on the loads that the registers it reads depend on, and on its own loads.
    void begin_op(std::uint32_t line, const isa::Operands& operands);
    template <typename Access>
    void load(const Access& access);  ///< Contiguous-, Block- or IndexedAccess
    template <typename Access>
    void store(const Access& access);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace vcore::engine
