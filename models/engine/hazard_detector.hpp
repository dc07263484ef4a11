// Finds accesses of one vector function that overlap with no barrier between them.
//
// The UB does not track order inside a VF (`isa.md` "Order and barriers"): a load after a store, a store after a store,
// and a store after a load of the same bytes need a LocalMemBar, the last unless the stored data depend on that load.
// Overlap is judged by the byte: only enabled bytes and active lanes count. Findings are pairs of source lines; a pair
// is counted once per later op. All ops of line 0 are of one line.
//
// Data depend on a load through registers: masks and indices count as the data do, for a store that waits for its mask
// or its addresses stands behind the load as well. What counts is the execution of the load, not its line.
//
// Barriers of vector accesses clear what they order: VST_VLD load after store, VST_VST store after store, VLD_VST store
// after load, VV_ALL all three. The others order vector against scalar accesses or those among themselves; with no
// vector access on one of their sides they say nothing about two vector accesses, and clear nothing.
//
// Exactness: load after store and store after store are exact at any length of VF. Store after load is exact for the
// last 64 loads of the VF (of gathers: those that are among the last 8 different ones of their line, too). Of older
// loads only the range of their places in program order is kept, and an overlap is reported only when the store
// certainly does not depend on one of them: there may be findings too few, never too many.
// What it does not see: accesses of scalar code, and of other initiators.
// Cost contract: no allocation in steady state (memory grows with the number of lines and the bytes they touch between
// two barriers, and is used again); a few words per access as long as the spans of loads and stores in a VF do not
// meet. Accesses lie inside the UB; shapes as byte_pages.hpp says.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "models/isa/access.hpp"
#include "models/isa/ops.hpp"

namespace vcore::engine {

enum class HazardKind : std::uint8_t { store_load, store_store, load_store };
inline constexpr std::size_t kHazardKinds = 3;
std::string_view name(HazardKind kind);  ///< "load after store", "store after store", "store after load"

/// Told of each finding, in the course of the load() or store() that is the later access.
class HazardListener {
public:
    /// `earlier_line`: the line of the earlier access; `address`: lowest byte both touch (where the later op makes
    /// several accesses: of the first one that meets that line). Findings of one access come in order of their lines.
    virtual void on_hazard(HazardKind kind, std::uint32_t earlier_line, std::uint32_t address) = 0;

protected:
    ~HazardListener() = default;
};

class HazardDetector {
public:
    /// `listener` must outlive the detector.
    HazardDetector(std::uint64_t ub_bytes, HazardListener& listener);
    ~HazardDetector();

    /// A VF starts (or the whole core is reset): nothing before it matters.
    void begin_vf();
    void barrier(isa::BarrierKind kind);

    /// Starts the next op of the VF; the accesses that follow belong to it, and are no hazards to each other.
    /// `operands` carries the data flow: registers it writes depend on the loads that the registers it reads depend on,
    /// and on its own loads.
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
