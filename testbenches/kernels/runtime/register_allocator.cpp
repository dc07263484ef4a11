#include "testbenches/kernels/runtime/register_allocator.hpp"

#include <limits>

namespace vcore::kernels {
namespace {

using detail::RegisterKind;
constexpr std::int32_t kNowhere = detail::RegisterValue::kNowhere;
constexpr std::uint32_t kMaskBytes = 32;
constexpr std::uint32_t kVectorBytes = isa::kVectorBytes;

}  // namespace

RegisterAllocator::RegisterAllocator(SpillPort& port, std::uint64_t begin, std::uint64_t end) : port_(port) {
    const auto init = [](Bank& bank, RegisterKind kind, int registers, std::uint64_t first, std::uint64_t bytes,
                         std::uint32_t slot_bytes) {
        bank.kind = kind;
        bank.owner.assign(static_cast<std::size_t>(registers), nullptr);
        bank.first_slot = first;
        bank.slot_bytes = slot_bytes;
        bank.slots.resize(bytes / slot_bytes);
        for (std::size_t i = 0; i < bank.slots.size(); ++i) bank.free_slots.push_back(static_cast<std::int32_t>(i));
    };
    const std::uint64_t bytes = end - begin;
    const std::uint64_t mask_bytes = bytes / 16 / kMaskBytes * kMaskBytes;
    init(vectors_, RegisterKind::vector, isa::kVectorRegisters, begin, bytes - mask_bytes, kVectorBytes);
    init(masks_, RegisterKind::mask, isa::kMaskRegisters, end - mask_bytes, mask_bytes, kMaskBytes);
    all_lanes_.owners = 1;
}

std::uint32_t RegisterAllocator::use(const VectorRegister& source, const Pins& pins, CallSite site) {
    return resident(vectors_, *source.value(), pins, site);
}

std::uint32_t RegisterAllocator::use(const MaskRegister& source, const Pins& pins, CallSite site) {
    return resident(masks_, *source.value(), pins, site);
}

std::uint32_t RegisterAllocator::define(VectorRegister& target, const Pins& pins, CallSite site) {
    if (target.value() == nullptr || target.value()->owners > 1) target.reset(make_value());
    return take(vectors_, *target.value(), pins, site);
}

std::uint32_t RegisterAllocator::define(MaskRegister& target, const Pins& pins, CallSite site) {
    if (target.value() == nullptr || target.value()->owners > 1) target.reset(make_value());
    return take(masks_, *target.value(), pins, site);
}

std::uint32_t RegisterAllocator::modify(VectorRegister& target, const Pins& pins, CallSite site) {
    Value& shared = *target.value();
    if (shared.owners == 1) {
        const std::uint32_t physical = resident(vectors_, shared, pins, site);
        free_slot(vectors_, shared);
        return physical;
    }
    // The other handles keep the value; this one gets a copy.
    const std::uint32_t source = resident(vectors_, shared, pins, site);
    Pins both = pins;
    both.vectors |= 1U << source;
    target.reset(make_value());
    const std::uint32_t physical = take(vectors_, *target.value(), both, site);
    isa::Move copy;
    copy.type = isa::ElementType::b8;
    copy.src = isa::VregId{source};
    copy.dst = isa::VregId{physical};
    port_.spill_op(copy, site);
    return physical;
}

/// The register that holds the value; loads it where it is in the UB.
std::uint32_t RegisterAllocator::resident(Bank& bank, Value& value, const Pins& pins, CallSite site) {
    if (value.physical == kNowhere) {
        const std::uint32_t physical = room(bank, pins, site);
        bank.owner[physical] = &value;
        value.physical = static_cast<std::int32_t>(physical);
        if (value.slot != kNowhere) load(bank, physical, value.slot, site);
    }
    value.used = ++uses_;
    return static_cast<std::uint32_t>(value.physical);
}

/// A register for a new content of the value.
std::uint32_t RegisterAllocator::take(Bank& bank, Value& value, const Pins& pins, CallSite site) {
    free_slot(bank, value);
    return resident(bank, value, pins, site);
}

/// A register that nobody needs: a free one, or that of the value which was used longest ago.
std::uint32_t RegisterAllocator::room(Bank& bank, const Pins& pins, CallSite site) {
    const std::uint32_t pinned = bank.kind == RegisterKind::vector ? pins.vectors : pins.masks;
    std::uint32_t oldest = 0;
    std::uint64_t used = std::numeric_limits<std::uint64_t>::max();
    for (std::uint32_t i = 0; i < bank.owner.size(); ++i) {
        if (((pinned >> i) & 1U) != 0) continue;
        if (bank.owner[i] == nullptr) return i;
        if (bank.owner[i]->used < used) {
            oldest = i;
            used = bank.owner[i]->used;
        }
    }
    Value& victim = *bank.owner[oldest];
    if (&victim != &all_lanes_ && victim.slot == kNowhere) spill(bank, victim, pins, site);
    victim.physical = kNowhere;
    bank.owner[oldest] = nullptr;
    return oldest;
}

/// Stores the value to a slot; it keeps its register.
void RegisterAllocator::spill(Bank& bank, Value& value, const Pins& pins, CallSite site) {
    // A value that has been loaded again keeps its copy as long as nobody needs the slot.
    for (std::size_t i = 0; bank.free_slots.empty() && i < bank.owner.size(); ++i) {
        if (bank.owner[i] != nullptr) free_slot(bank, *bank.owner[i]);
    }
    if (bank.free_slots.empty()) {
        port_.no_slot_left(bank.kind == RegisterKind::vector ? "vector" : "mask",
                           static_cast<std::uint32_t>(bank.slots.size()), site);
    }
    const std::int32_t slot = bank.free_slots.front();
    bank.free_slots.pop_front();
    value.slot = slot;
    const isa::UbAddress address{static_cast<std::int64_t>(bank.first_slot) + slot * std::int64_t{bank.slot_bytes}};
    order_slot(bank.slots[static_cast<std::size_t>(slot)], site);
    if (bank.kind == RegisterKind::mask) {
        isa::MaskStore store;
        store.src = isa::MregId{value.physical};
        store.address = address;
        port_.spill_op(store, site);
        ++counts_.mask_stores;
        return;
    }
    if (all_lanes_.physical == kNowhere) {
        isa::CreateMask create;
        create.type = isa::ElementType::b8;
        create.dst = isa::MregId{resident(masks_, all_lanes_, pins, site)};
        create.pattern = isa::MaskPattern::all;
        port_.spill_op(create, site);
    }
    isa::Store store;
    store.type = isa::ElementType::b8;
    store.src = isa::VregId{value.physical};
    store.address = address;
    store.mask = isa::MregId{resident(masks_, all_lanes_, pins, site)};
    port_.spill_op(store, site);
    ++counts_.vector_stores;
}

void RegisterAllocator::load(Bank& bank, std::uint32_t physical, std::int32_t slot, CallSite site) {
    const isa::UbAddress address{static_cast<std::int64_t>(bank.first_slot) + slot * std::int64_t{bank.slot_bytes}};
    order_slot(bank.slots[static_cast<std::size_t>(slot)], site);
    if (bank.kind == RegisterKind::mask) {
        isa::MaskLoad load;
        load.dst = isa::MregId{physical};
        load.address = address;
        port_.spill_op(load, site);
        ++counts_.mask_loads;
        return;
    }
    isa::Load load;
    load.type = isa::ElementType::b8;
    load.dst = isa::VregId{physical};
    load.address = address;
    port_.spill_op(load, site);
    ++counts_.vector_loads;
}

/// The UB keeps no order inside a vector function: what was done to the slot must be over.
void RegisterAllocator::order_slot(Slot& slot, CallSite site) {
    if (slot.touched == epoch_) {
        isa::Barrier barrier;
        barrier.kind = isa::BarrierKind::vv_all;
        port_.spill_op(barrier, site);
        accesses_ordered();
    }
    slot.touched = epoch_;
}

void RegisterAllocator::free_slot(Bank& bank, Value& value) {
    if (value.slot == kNowhere) return;
    bank.free_slots.push_back(value.slot);
    value.slot = kNowhere;
}

detail::RegisterValue* RegisterAllocator::make_value() {
    if (recycled_.empty()) return new Value();
    Value* const value = recycled_.back();
    recycled_.pop_back();
    *value = Value();
    return value;
}

void RegisterAllocator::destroy(Bank& bank, Value& value) {
    if (value.physical != kNowhere) bank.owner[static_cast<std::size_t>(value.physical)] = nullptr;
    value.physical = kNowhere;
    free_slot(bank, value);
}

void RegisterAllocator::discard(RegisterKind kind, Value* value) {
    destroy(bank(kind), *value);
    recycled_.push_back(value);
}

void RegisterAllocator::reset() {
    for (Bank* bank : {&vectors_, &masks_}) {
        for (Value*& owner : bank->owner) {
            if (owner != nullptr) owner->physical = kNowhere;
            owner = nullptr;
        }
    }
    accesses_ordered();
}

}  // namespace vcore::kernels
