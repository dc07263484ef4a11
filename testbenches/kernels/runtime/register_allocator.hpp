// Which values of kernels lie in which registers, and which in the UB.
//
// Models: what a compiler's register allocator does for values that a kernel keeps alive: a value has a register from
// the op that makes it until its last handle is gone; where registers run out, the value that was used longest ago is
// stored to a slot in the UB by a real op, and loaded again when it is needed.
// Does not model: a compiler's look ahead, nor its reuse of a register between two ops without a value alive in it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "models/isa/ops.hpp"
#include "testbenches/kernels/runtime/call_site.hpp"
#include "testbenches/kernels/runtime/registers.hpp"

namespace vcore::kernels {

/// Who performs the ops that move values between registers and UB. The call site is that of the op that needs room.
class SpillPort {
public:
    virtual void spill_op(isa::Op op, CallSite site) = 0;
    /// A value that must be stored finds no slot left: does not return.
    [[noreturn]] virtual void no_slot_left(const char* kind, std::uint32_t slots, CallSite site) = 0;

protected:
    ~SpillPort() = default;
};

/// How often values went to the UB and back.
struct SpillCounts {
    std::uint64_t vector_stores = 0;
    std::uint64_t vector_loads = 0;
    std::uint64_t mask_stores = 0;
    std::uint64_t mask_loads = 0;
};

class RegisterAllocator {
public:
    /// Slots are taken from the UB bytes [begin, end), 32 B aligned: masks get a sixteenth of them.
    RegisterAllocator(SpillPort& port, std::uint64_t begin, std::uint64_t end);

    /// The register that holds the value; the handle names one.
    std::uint32_t use(const VectorRegister& source, const Pins& pins, CallSite site);
    std::uint32_t use(const MaskRegister& source, const Pins& pins, CallSite site);
    /// A register for a new content of the handle.
    std::uint32_t define(VectorRegister& target, const Pins& pins, CallSite site);
    std::uint32_t define(MaskRegister& target, const Pins& pins, CallSite site);
    /// The value may be changed in place: no other handle shares it.
    std::uint32_t modify(VectorRegister& target, const Pins& pins, CallSite site);

    /// A register that nobody needs, with whatever it holds.
    std::uint32_t undefined(detail::RegisterKind kind, const Pins& pins, CallSite site) {
        return room(bank(kind), pins, site);
    }

    void discard(detail::RegisterKind kind, detail::RegisterValue* value);

    /// A vector function has begun or ended, or a barrier was set that orders all accesses of vectors.
    void accesses_ordered() { epoch_ += 1; }
    /// The core was reset: what registers and slots held is gone. Handles that are still alive name undefined values.
    void reset();

    const SpillCounts& counts() const { return counts_; }

private:
    using Value = detail::RegisterValue;
    struct Slot {
        std::uint64_t touched = 0;  ///< the epoch in which an op last stored or loaded there
    };
    struct Bank {
        detail::RegisterKind kind;
        std::vector<Value*> owner;  ///< by register; null: free
        std::vector<Slot> slots;
        std::deque<std::int32_t> free_slots;  ///< the one that has been free for longest in front
        std::uint64_t first_slot = 0;         ///< UB address
        std::uint32_t slot_bytes = 0;
    };

    std::uint32_t resident(Bank& bank, Value& value, const Pins& pins, CallSite site);
    std::uint32_t take(Bank& bank, Value& value, const Pins& pins, CallSite site);
    std::uint32_t room(Bank& bank, const Pins& pins, CallSite site);
    void spill(Bank& bank, Value& value, const Pins& pins, CallSite site);
    void load(Bank& bank, std::uint32_t physical, std::int32_t slot, CallSite site);
    void free_slot(Bank& bank, Value& value);
    void order_slot(Slot& slot, CallSite site);
    Value* make_value();
    void destroy(Bank& bank, Value& value);
    Bank& bank(detail::RegisterKind kind) { return kind == detail::RegisterKind::vector ? vectors_ : masks_; }

    SpillPort& port_;
    Bank vectors_;
    Bank masks_;
    Value all_lanes_;  ///< a mask that selects everything, for stores: made again rather than loaded
    std::uint64_t uses_ = 0;
    std::uint64_t epoch_ = 1;
    SpillCounts counts_;
    std::vector<Value*> recycled_;
};

}  // namespace vcore::kernels
