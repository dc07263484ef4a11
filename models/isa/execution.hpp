// Inside of the executor: what one run of an op works with, and the check and the effect of every op.
//
// Each op has two functions. `check` says why the op is illegal, or computes its access into the scratch space; nothing
// visible changes. `perform` is only called after a successful check of the same op and cannot fail.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/isa/access.hpp"
#include "models/isa/capabilities.hpp"
#include "models/isa/diagnostics.hpp"
#include "models/isa/executor.hpp"
#include "models/isa/ops.hpp"
#include "models/isa/registers.hpp"

namespace vcore::isa::detail {

/// The elements of the UB that a scatter has written so far, one bit each: small enough to stay in the nearest cache.
class TargetSet {
public:
    explicit TargetSet(std::uint64_t elements) : words_(elements / 64 + 1) {}

    /// Adds an element; false if it was there before.
    bool take(std::size_t element) {
        std::uint64_t& word = words_[element / 64];
        const std::uint64_t bit = std::uint64_t{1} << (element % 64);
        const bool fresh = (word & bit) == 0;
        word |= bit;
        return fresh;
    }
    /// Takes an element out, and perhaps neighbours: only for emptying the set element by element.
    void release(std::size_t element) { words_[element / 64] = 0; }

    /// Whether two active lanes of an access go to one element. The set is empty before and afterwards.
    bool any_repeated(const IndexedAccess& access);

private:
    std::vector<std::uint64_t> words_;
};

/// Space that would be too large, or too slow to clear, for the stack. Contents are meaningless between ops, except
/// that `targets` is empty.
struct Scratch {
    explicit Scratch(const Capabilities& capabilities);

    ContiguousAccess contiguous;
    BlockAccess block;
    IndexedAccess indexed;
    alignas(64) std::array<std::byte, 2 * kVectorBytes> data;  ///< elements in the order of the access
    alignas(
        64) std::array<std::byte, kVectorBytes> lane_select;  ///< all ones in the index width where a lane is active
    TargetSet targets;
    std::vector<std::uint32_t> offsets;    ///< of a tensor scatter, by element
    std::vector<std::uint64_t> survivors;  ///< of a tensor scatter: bit per element that is written
};

struct Execution {
    const Capabilities& capabilities;
    const Registers& registers;
    UbPort& ub;
    AccessSink* sink;
    Notes& notes;
    Scratch& scratch;

    VectorRegister& vector(VregId id) const { return registers.vector[value(id)]; }
    MaskRegister& mask(MregId id) const { return registers.mask[value(id)]; }

    /// Says that an access is about to happen: to the sink, and to the notes if it touches reserved bytes.
    template <typename Access>
    void announce_read(const Access& access) {
        if (reaches_reserved(access)) note_reserved(access);
        if (sink != nullptr) sink->on_read(access);
    }
    template <typename Access>
    void announce_write(const Access& access) {
        if (reaches_reserved(access)) note_reserved(access);
        if (sink != nullptr) sink->on_write(access);
    }

private:
    bool reaches_reserved(const ContiguousAccess& access) const {
        return access.address + std::uint64_t{access.bytes} > capabilities.ub_reserved_from;
    }
    bool reaches_reserved(const BlockAccess& access) const {
        return access.block(kBlocksPerVector - 1) + kBlockBytes > capabilities.ub_reserved_from;
    }
    bool reaches_reserved(const IndexedAccess& access) const { return access.high > capabilities.ub_reserved_from; }

    void note_reserved(const ContiguousAccess& access);
    void note_reserved(const BlockAccess& access);
    void note_reserved(const IndexedAccess& access);
    void note_reserved_at(std::uint64_t address);
};

Fault check(const VfBegin& op, Execution& e);
Fault check(const VfEnd& op, Execution& e);
Fault check(const Barrier& op, Execution& e);
Fault check(const CreateMask& op, Execution& e);
Fault check(const UpdateMask& op, Execution& e);
Fault check(const MaskGen& op, Execution& e);
Fault check(const MaskLoad& op, Execution& e);
Fault check(const MaskStore& op, Execution& e);
Fault check(const Load& op, Execution& e);
Fault check(const Store& op, Execution& e);
Fault check(const BlockLoad& op, Execution& e);
Fault check(const BlockStore& op, Execution& e);
Fault check(const Gather& op, Execution& e);
Fault check(const GatherBlock& op, Execution& e);
Fault check(const GatherRegister& op, Execution& e);
Fault check(const Scatter& op, Execution& e);
Fault check(const TensorScatter& op, Execution& e);
Fault check(const TensorAdd& op, Execution& e);
Fault check(const Add& op, Execution& e);
Fault check(const Adds& op, Execution& e);
Fault check(const Duplicate& op, Execution& e);
Fault check(const Move& op, Execution& e);

inline void perform(VfBegin&, Execution&) {}
inline void perform(VfEnd&, Execution&) {}
inline void perform(Barrier&, Execution&) {}
void perform(CreateMask& op, Execution& e);
void perform(UpdateMask& op, Execution& e);
void perform(MaskGen& op, Execution& e);
void perform(MaskLoad& op, Execution& e);
void perform(MaskStore& op, Execution& e);
void perform(Load& op, Execution& e);
void perform(Store& op, Execution& e);
void perform(BlockLoad& op, Execution& e);
void perform(BlockStore& op, Execution& e);
void perform(Gather& op, Execution& e);
void perform(GatherBlock& op, Execution& e);
void perform(GatherRegister& op, Execution& e);
void perform(Scatter& op, Execution& e);
void perform(TensorScatter& op, Execution& e);
void perform(TensorAdd& op, Execution& e);
void perform(Add& op, Execution& e);
void perform(Adds& op, Execution& e);
void perform(Duplicate& op, Execution& e);
void perform(Move& op, Execution& e);

}  // namespace vcore::isa::detail
