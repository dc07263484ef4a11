// Every op against the reference, over random types, forms, masks, indices, addresses and mistakes.
//
// RapidCheck draws a seed and how many cases to make of it, and shrinks both; splitmix64 expands the seed. Each case
// has its own random UB and registers, so that one failing case can be run again alone. After each op the whole UB, all
// registers and the op's in/out fields are compared bit by bit; refusals are compared by id, lane and address, and must
// change nothing.
//
//     VCORE_PROPERTY_CASES=1000000   cases per op (default 100,000; 5,000 under sanitizers)
//     VCORE_PROPERTY_SEED=42         RapidCheck's seed, as a failure prints it
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>

#include "testbenches/unit/isa_bench.hpp"
#include "testbenches/unit/random.hpp"
#include "testbenches/unit/reference/modes.hpp"
#include "testbenches/unit/reference/reference.hpp"

namespace vcore::unit {
namespace {

using isa::ElementType;
using isa::MregId;
using isa::Op;
using isa::UbAddress;
using isa::VectorOperand;
using isa::VregId;
using reference::Machine;
using reference::Opinion;

#if defined(__SANITIZE_ADDRESS__)
constexpr int kDefaultCases = 5000;
#else
constexpr int kDefaultCases = 100000;
#endif
constexpr int kCasesPerSeed = 500;

int cases_wanted() {
    const char* text = std::getenv("VCORE_PROPERTY_CASES");
    return text == nullptr ? kDefaultCases : std::max(1, std::atoi(text));
}

// ---- what a generator starts from

constexpr std::int64_t kImpossible[] = {32,
                                        33,
                                        8,
                                        255,
                                        256,
                                        -1,
                                        -32,
                                        std::int64_t{1} << 32,
                                        std::numeric_limits<std::int64_t>::min(),
                                        std::numeric_limits<std::int64_t>::max()};

int bytes_of(ElementType type) {
    if (type <= ElementType::b8) return 1;
    if (type <= ElementType::b16) return 2;
    return type <= ElementType::b32 ? 4 : 8;
}

const std::vector<ElementType>& all_types() {
    static const std::vector<ElementType> types = [] {
        std::vector<ElementType> list;
        for (std::size_t i = 0; i < isa::kElementTypes; ++i) list.push_back(static_cast<ElementType>(i));
        return list;
    }();
    return types;
}

ElementType any_of_width(int bytes) {
    switch (bytes) {
        case 1: return ElementType::b8;
        case 2: return ElementType::b16;
        case 4: return ElementType::b32;
        default: return ElementType::b64;
    }
}

/// What the targets of a scatter are to be.
enum class Targets { mixed, unique, shared };

/// A case in the making: random state, and the dice.
struct Draft {
    Random& random;
    Machine& machine;
    const reference::Product& product;
    Targets targets = Targets::mixed;

    std::int64_t ub_bytes() const { return static_cast<std::int64_t>(machine.ub.size()); }

    VregId vreg() { return VregId{random.one_in(4) ? random.between(0, 31) : random.between(0, 4)}; }
    MregId mreg() { return MregId{random.between(0, 7)}; }
    VregId bad_vreg() { return VregId{bad_number(31)}; }
    MregId bad_mreg() { return MregId{bad_number(7)}; }
    VectorOperand pair() {
        const VregId low = vreg();
        VregId high = vreg();
        while (high == low) high = vreg();
        return {low, high};
    }
    ElementType type() { return random.pick(all_types()); }
    ElementType widened(ElementType exact) { return random.one_in(8) ? any_of_width(bytes_of(exact)) : exact; }

    /// A 32 B aligned address with at least `room` bytes behind it; 0 where there is no room.
    std::int64_t aligned(std::int64_t room) {
        const std::int64_t blocks = (ub_bytes() - room) / 32;
        if (blocks <= 0) return 0;
        return random.one_in(6) ? blocks * 32 : random.between(0, blocks) * 32;
    }
    /// An aligned address outside the UB.
    std::int64_t aligned_outside() {
        const std::int64_t end = (ub_bytes() + 31) / 32 * 32;
        return random.pick<std::int64_t>({end, end + 32, end - 32, end - 224, -32, -256, -512, std::int64_t{1} << 32,
                                          (std::int64_t{1} << 32) + 1024, std::numeric_limits<std::int64_t>::min(),
                                          std::numeric_limits<std::int64_t>::max() - 31});
    }
    std::int64_t post_update() { return random.one_in(3) ? random.between(-5000, 5000) : 0; }

    void shape_mask(MregId id) {
        auto& bytes = machine.mask[static_cast<std::size_t>(isa::value(id))];
        switch (random.below(8)) {
            case 0: bytes.fill(0xFF); break;
            case 1: bytes.fill(0); break;
            case 2: bytes.fill(random.pick<std::uint8_t>({0x55, 0xAA, 0x11, 0x01, 0x10, 0xEE, 0xFE})); break;
            case 3: {  // the first lanes only
                const std::size_t whole = random.below(33);
                bytes.fill(0);
                std::fill(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(whole), std::uint8_t{0xFF});
                break;
            }
            case 4:  // a single bit
                bytes.fill(0);
                bytes[random.below(32)] = static_cast<std::uint8_t>(1U << random.below(8));
                break;
            default: break;  // as random as it came
        }
    }
    bool mask_bit(MregId id, int bit) const {
        return (machine.mask[static_cast<std::size_t>(isa::value(id))][static_cast<std::size_t>(bit / 8)] >> (bit % 8) &
                1) != 0;
    }
    void put(VregId id, int at, int bytes, std::uint64_t number) {
        std::memcpy(&machine.vector[static_cast<std::size_t>(isa::value(id))][static_cast<std::size_t>(at)], &number,
                    static_cast<std::size_t>(bytes));
    }
    void put_ub(std::int64_t at, int bytes, std::uint64_t number) {
        if (at >= 0 && at + bytes <= ub_bytes()) {
            std::memcpy(&machine.ub[static_cast<std::size_t>(at)], &number, static_cast<std::size_t>(bytes));
        }
    }
    void put_index(const VectorOperand& index, int index_bytes, int lane, std::uint64_t number) {
        if (index.pair) {
            put(index.low, lane * 4, 4, number);
            put(index.high, lane * 4, 4, number >> 32);
        } else {
            put(index.low, lane * index_bytes, index_bytes, number);
        }
    }

private:
    std::int64_t bad_number(std::int64_t most) {
        while (true) {
            const std::int64_t number = kImpossible[random.below(std::size(kImpossible))];
            if (number < 0 || number > most) return number;
        }
    }
};

/// Whether this case shall have something wrong with it.
bool spoil(Draft& draft) {
    return draft.targets == Targets::mixed && draft.random.below(100) < 27;
}

/// Element numbers below `reach` for the lanes of one op, all different, few of them, or as it comes.
class TargetDice {
public:
    TargetDice(Draft& draft, std::uint64_t reach) : draft_(draft), unique_(draft.targets == Targets::unique) {
        window_ = reach;
        if (draft.targets == Targets::shared) window_ = std::min<std::uint64_t>(reach, 1 + draft.random.below(16));
        if (draft.targets == Targets::mixed) {
            unique_ = draft.random.one_in(3);
            if (draft.random.one_in(3)) window_ = std::min<std::uint64_t>(reach, 1 + draft.random.below(40));
        }
        start_ = draft.random.below(reach - window_ + 1);
        if (unique_) {
            // An odd stride meets every number below a power of two once.
            while (power_ * 2 <= reach) power_ *= 2;
            start_ = draft.random.bits();
            stride_ = draft.random.bits() | 1;
        }
    }
    std::uint64_t roll(std::int64_t lane) {
        if (unique_) return (start_ + static_cast<std::uint64_t>(lane) * stride_) % power_;
        return start_ + draft_.random.below(window_);
    }

private:
    Draft& draft_;
    bool unique_;
    std::uint64_t window_ = 0;
    std::uint64_t start_ = 0;
    std::uint64_t stride_ = 1;
    std::uint64_t power_ = 1;
};

// ---- masks

Op draw_create_mask(Draft& draft) {
    isa::CreateMask op{draft.type(), draft.mreg(), static_cast<isa::MaskPattern>(draft.random.below(15))};
    if (spoil(draft)) op.dst = draft.bad_mreg();
    return op;
}

Op draw_update_mask(Draft& draft) {
    isa::UpdateMask op;
    op.type = draft.type();
    op.dst = draft.mreg();
    op.pair = bytes_of(op.type) == 8 && draft.random.one_in(2);
    op.count = draft.random.one_in(8) ? draft.random.pick<std::int64_t>({0, 1, 32, 64, 127, 128, 256, 4294967295})
                                      : draft.random.between(0, 600);
    if (spoil(draft)) {
        switch (draft.random.below(3)) {
            case 0: op.dst = draft.bad_mreg(); break;
            case 1:
                op.count = draft.random.pick<std::int64_t>({-1, 4294967296, std::numeric_limits<std::int64_t>::min(),
                                                            std::numeric_limits<std::int64_t>::max()});
                break;
            default: op.pair = !op.pair; break;
        }
    }
    return op;
}

Op draw_mask_gen(Draft& draft) {
    isa::MaskGen op;
    op.type =
        draft.random.pick({ElementType::s16, ElementType::u16, ElementType::half, ElementType::bf16, ElementType::b16,
                           ElementType::s32, ElementType::u32, ElementType::f32, ElementType::b32});
    op.dst = draft.mreg();
    op.src = draft.vreg();
    op.part = draft.random.between(0, bytes_of(op.type) == 2 ? 15 : 31);
    if (spoil(draft)) {
        switch (draft.random.below(4)) {
            case 0: op.dst = draft.bad_mreg(); break;
            case 1: op.src = draft.bad_vreg(); break;
            case 2: op.type = draft.type(); break;
            default: op.part = draft.random.pick<std::int64_t>({-1, 16, 31, 32, 256, std::int64_t{1} << 32}); break;
        }
    }
    return op;
}

template <typename MaskMove>
void spoil_mask_move(Draft& draft, MaskMove& op, MregId& mask) {
    switch (draft.random.below(4)) {
        case 0: mask = draft.bad_mreg(); break;
        case 1: op.address = UbAddress{isa::value(op.address) + draft.random.between(1, 31)}; break;
        case 2: op.address = UbAddress{draft.aligned_outside()}; break;
        default: op.address = UbAddress{draft.ub_bytes() / 16 * 16 - 16 * draft.random.between(0, 5)}; break;
    }
}

Op draw_mask_load(Draft& draft) {
    isa::MaskLoad op;
    op.mode = static_cast<isa::MaskLoadMode>(draft.random.below(3));
    op.dst = draft.mreg();
    op.address = UbAddress{draft.aligned(64)};
    if (op.mode == isa::MaskLoadMode::us && draft.random.one_in(2)) op.address = UbAddress{isa::value(op.address) + 16};
    op.post_update = draft.post_update();
    if (spoil(draft)) spoil_mask_move(draft, op, op.dst);
    return op;
}

Op draw_mask_store(Draft& draft) {
    isa::MaskStore op;
    op.mode = static_cast<isa::MaskStoreMode>(draft.random.below(2));
    op.src = draft.mreg();
    op.address = UbAddress{draft.aligned(32)};
    if (op.mode == isa::MaskStoreMode::pack && draft.random.one_in(2)) {
        op.address = UbAddress{isa::value(op.address) + 16};
    }
    op.post_update = draft.post_update();
    if (spoil(draft)) spoil_mask_move(draft, op, op.src);
    return op;
}

// ---- loads and stores

void spoil_operand(Draft& draft, VectorOperand& operand) {
    switch (draft.random.below(3)) {
        case 0: operand.low = draft.bad_vreg(); break;
        case 1:
            operand.high = draft.bad_vreg();
            operand.pair = true;
            break;
        default:
            operand.high = operand.low;
            operand.pair = true;
            break;
    }
}

Op draw_load(Draft& draft) {
    isa::Load op;
    op.type = draft.type();
    op.dst = draft.vreg();
    if (bytes_of(op.type) == 8 && draft.random.one_in(2)) op.dst = draft.pair();
    op.address = UbAddress{draft.aligned(op.dst.pair ? 512 : 256)};
    op.post_update = draft.post_update();
    if (spoil(draft)) {
        switch (draft.random.below(4)) {
            case 0: spoil_operand(draft, op.dst); break;
            case 1: op.address = UbAddress{isa::value(op.address) + draft.random.between(1, 31)}; break;
            case 2: op.address = UbAddress{draft.aligned_outside()}; break;
            default: op.address = UbAddress{draft.aligned(0)}; break;
        }
    }
    return op;
}

Op draw_store(Draft& draft) {
    isa::Store op;
    op.type = draft.type();
    op.src = draft.vreg();
    if (bytes_of(op.type) == 8 && draft.random.one_in(2)) op.src = draft.pair();
    op.mask = draft.mreg();
    draft.shape_mask(op.mask);
    op.address = UbAddress{draft.aligned(op.src.pair ? 512 : 256)};
    op.post_update = draft.post_update();
    if (spoil(draft)) {
        switch (draft.random.below(5)) {
            case 0: spoil_operand(draft, op.src); break;
            case 1: op.mask = draft.bad_mreg(); break;
            case 2: op.address = UbAddress{isa::value(op.address) + draft.random.between(1, 31)}; break;
            case 3: op.address = UbAddress{draft.aligned_outside()}; break;
            default: op.address = UbAddress{draft.aligned(0)}; break;
        }
    }
    return op;
}

/// A type of the width of either side; of any width where the mode does not care.
ElementType moved_type(Draft& draft, int ub_width, int register_width) {
    while (true) {
        const ElementType type = draft.type();
        const int width = bytes_of(type);
        if (ub_width == 0 || width == ub_width || width == register_width) return type;
    }
}

/// An address that is a multiple of `alignment`, seldom of more, with `bytes` behind it.
std::int64_t mode_address(Draft& draft, int alignment, int bytes) {
    const std::int64_t room = draft.ub_bytes() - bytes;
    if (draft.random.one_in(6)) return room / alignment * alignment;
    return draft.random.between(0, room / alignment) * alignment;
}

/// What is wrong with a mode's address, registers or type.
template <typename MoveOp>
void spoil_mode(Draft& draft, MoveOp& op, VectorOperand& operand, int alignment) {
    switch (draft.random.below(6)) {
        case 0: spoil_operand(draft, operand); break;
        case 1: operand = operand.pair ? VectorOperand(operand.low) : draft.pair(); break;
        case 2: op.type = draft.type(); break;
        case 3: op.address = UbAddress{isa::value(op.address) + draft.random.between(1, 31)}; break;
        case 4: op.address = UbAddress{draft.aligned_outside()}; break;
        default:
            op.address = UbAddress{draft.ub_bytes() / alignment * alignment - alignment * draft.random.between(0, 3)};
            break;
    }
}

template <isa::LoadMode mode>
Op draw_load_mode(Draft& draft) {
    const reference::LoadRow row = reference::load_row(mode);
    isa::Load op;
    op.mode = mode;
    op.type = moved_type(draft, row.ub_width, row.register_width);
    op.dst = row.registers == 2 ? draft.pair() : VectorOperand(draft.vreg());
    op.address = UbAddress{mode_address(draft, row.alignment, row.bytes)};
    op.post_update = draft.post_update();
    if (spoil(draft)) spoil_mode(draft, op, op.dst, row.alignment);
    return op;
}

template <isa::StoreMode mode>
Op draw_store_mode(Draft& draft) {
    const reference::StoreRow row = reference::store_row(mode);
    isa::Store op;
    op.mode = mode;
    op.type = moved_type(draft, row.ub_width, row.register_width);
    op.src = row.registers == 2 ? draft.pair() : VectorOperand(draft.vreg());
    op.mask = draft.mreg();
    draft.shape_mask(op.mask);
    op.address = UbAddress{mode_address(draft, row.alignment, row.elements * row.ub_width)};
    op.post_update = draft.post_update();
    if (!row.masked && draft.random.one_in(4)) op.mask = draft.bad_mreg();  // nothing looks at it
    if (spoil(draft)) {
        if (row.masked && draft.random.one_in(6)) {
            op.mask = draft.bad_mreg();
        } else {
            spoil_mode(draft, op, op.src, row.alignment);
        }
    }
    return op;
}

template <typename BlockOp>
void draw_blocks(Draft& draft, BlockOp& op, VregId& data) {
    op.type = draft.type();
    data = draft.vreg();
    op.mask = draft.mreg();
    draft.shape_mask(op.mask);
    op.stride = draft.random.one_in(5) ? 0 : draft.random.between(0, draft.ub_bytes() / 256 - 1);
    op.address = UbAddress{draft.aligned((7 * op.stride + 1) * 32)};
    op.post_update = draft.post_update();
    if (!spoil(draft)) return;
    switch (draft.random.below(6)) {
        case 0: data = draft.bad_vreg(); break;
        case 1: op.mask = draft.bad_mreg(); break;
        case 2: op.stride = draft.random.pick<std::int64_t>({-1, 65535, 65536, std::int64_t{1} << 32, -65536}); break;
        case 3: op.address = UbAddress{isa::value(op.address) + draft.random.between(1, 31)}; break;
        case 4: op.address = UbAddress{draft.aligned_outside()}; break;
        default: op.address = UbAddress{draft.aligned(32)}; break;
    }
}

Op draw_block_load(Draft& draft) {
    isa::BlockLoad op;
    draw_blocks(draft, op, op.dst);
    return op;
}

Op draw_block_store(Draft& draft) {
    isa::BlockStore op;
    draw_blocks(draft, op, op.src);
    return op;
}

// ---- gathers and scatters

/// Base, mask and indices of an indexed op: everything legal, with garbage where nothing may look at it.
struct Indexed {
    ElementType data_type;
    ElementType index_type;
    VectorOperand& data;
    VectorOperand& index;
    UbAddress& base;
    MregId& mask;

    int data_bytes() const { return bytes_of(data_type); }
    int index_bytes() const { return bytes_of(index_type); }
    int lanes() const {
        if (data_bytes() == 8) return data.pair ? 64 : 32;
        return index_bytes() == 2 ? 128 : 64;
    }
    int mask_bits() const { return 256 / lanes(); }
    std::uint64_t most(const Draft& draft) const {
        return static_cast<std::uint64_t>((draft.ub_bytes() - isa::value(base)) / data_bytes()) - 1;
    }
};

void draw_indexed(Draft& draft, Indexed& x) {
    x.data = draft.vreg();
    x.index = draft.vreg();
    if (x.data_bytes() == 8) {
        if (draft.random.one_in(2)) x.data = draft.pair();
        if (x.index_bytes() == 8 && (x.data.pair || draft.random.one_in(2))) x.index = draft.pair();
    }
    x.mask = draft.mreg();
    draft.shape_mask(x.mask);
    x.base = UbAddress{draft.aligned(draft.targets == Targets::unique ? 64 * x.lanes() : 8)};

    const std::uint64_t last = x.index_bytes() == 2 ? std::min<std::uint64_t>(x.most(draft), 0xFFFF) : x.most(draft);
    TargetDice targets(draft, last + 1);
    const bool garbage_when_inactive = draft.random.one_in(2);
    for (int lane = 0; lane < x.lanes(); ++lane) {
        if (garbage_when_inactive && !draft.mask_bit(x.mask, lane * x.mask_bits())) continue;
        draft.put_index(x.index, x.index_bytes(), lane, targets.roll(lane));
    }
}

/// One active lane (or any, where none is) gets an index that is too large, by one or by far.
void spoil_index(Draft& draft, Indexed& x) {
    int lane = static_cast<int>(draft.random.below(static_cast<std::uint64_t>(x.lanes())));
    for (int tries = 0; tries < x.lanes() && !draft.mask_bit(x.mask, lane * x.mask_bits()); ++tries) {
        lane = (lane + 1) % x.lanes();
    }
    const std::uint64_t limit = x.most(draft) + 1;
    std::uint64_t index = draft.random.pick<std::uint64_t>(
        {limit, limit, limit + draft.random.below(100), 0x7FFFFFFF, 0xFFFFFFFF, 0x3F800000});
    if (x.index_bytes() == 8 && draft.random.one_in(2)) {
        index =
            draft.random.pick<std::uint64_t>({std::uint64_t{1} << 32, std::uint64_t{1} << 61, std::uint64_t{1} << 63,
                                              ~std::uint64_t{0}, (std::uint64_t{1} << 60) - 1, 0xFFFFFFFF00000000});
    }
    draft.put_index(x.index, x.index_bytes(), lane, index);
}

void spoil_indexed(Draft& draft, Indexed& x) {
    switch (draft.random.below(9)) {
        case 0: spoil_operand(draft, x.data); break;
        case 1: spoil_operand(draft, x.index); break;
        case 2: x.mask = draft.bad_mreg(); break;
        case 3: x.base = UbAddress{isa::value(x.base) + draft.random.between(1, 31)}; break;
        case 4: x.base = UbAddress{draft.aligned_outside()}; break;
        case 5:  // another form of registers
            if (draft.random.one_in(2))
                x.data.pair = !x.data.pair;
            else
                x.index.pair = !x.index.pair;
            break;
        default: spoil_index(draft, x); break;
    }
}

Op draw_gather(Draft& draft) {
    const reference::GatherRow& row = draft.random.pick(reference::gather_rows());
    isa::Gather op;
    op.dst_type = draft.widened(row.dst);
    op.src_type = draft.widened(row.src);
    op.index_type = draft.widened(row.index);
    Indexed x{op.src_type, op.index_type, op.dst, op.index, op.base, op.mask};
    draw_indexed(draft, x);
    if (spoil(draft)) {
        switch (draft.random.below(12)) {
            case 0: op.dst_type = draft.type(); break;
            case 1: op.src_type = draft.type(); break;
            case 2: op.index_type = draft.type(); break;
            default: spoil_indexed(draft, x); break;
        }
    }
    return op;
}

Op draw_scatter(Draft& draft) {
    const reference::ScatterRow& row = draft.random.pick(reference::scatter_rows());
    isa::Scatter op;
    op.type = draft.widened(row.type);
    op.index_type = draft.widened(row.index);
    Indexed x{op.type, op.index_type, op.src, op.index, op.base, op.mask};
    draw_indexed(draft, x);
    if (spoil(draft)) {
        switch (draft.random.below(12)) {
            case 0: op.type = draft.type(); break;
            case 1: op.index_type = draft.type(); break;
            default: spoil_indexed(draft, x); break;
        }
    }
    return op;
}

Op draw_gather_block(Draft& draft) {
    isa::GatherBlock op;
    op.type = draft.type();
    op.dst = draft.vreg();
    op.index = draft.vreg();
    op.mask = draft.mreg();
    draft.shape_mask(op.mask);
    op.base = UbAddress{draft.aligned(32)};
    const std::int64_t blocks = (draft.ub_bytes() - isa::value(op.base)) / 32;
    for (int block = 0; block < 8; ++block) {
        if (!draft.mask_bit(op.mask, block * 4) && draft.random.one_in(2)) continue;
        draft.put(op.index, block * 4, 4, draft.random.below(static_cast<std::uint64_t>(blocks)) * 32);
    }
    if (spoil(draft)) {
        const int block = static_cast<int>(draft.random.below(8));
        switch (draft.random.below(7)) {
            case 0: op.dst = draft.bad_vreg(); break;
            case 1: op.index = draft.bad_vreg(); break;
            case 2: op.mask = draft.bad_mreg(); break;
            case 3: op.base = UbAddress{isa::value(op.base) + draft.random.between(1, 31)}; break;
            case 4: op.base = UbAddress{draft.aligned_outside()}; break;
            case 5: draft.put(op.index, block * 4, 4, static_cast<std::uint64_t>(draft.random.between(1, 31))); break;
            default:
                draft.put(op.index, block * 4, 4,
                          draft.random.pick<std::uint64_t>({static_cast<std::uint64_t>(blocks) * 32, 0xFFFFFFE0,
                                                            0x80000000, static_cast<std::uint64_t>(blocks) * 32 + 32}));
                break;
        }
    }
    return op;
}

Op draw_gather_register(Draft& draft) {
    isa::GatherRegister op;
    op.type = all_types()[draft.random.below(16)];
    op.dst = draft.vreg();
    op.src = draft.vreg();
    op.index = draft.vreg();
    if (spoil(draft)) {
        switch (draft.random.below(4)) {
            case 0: op.dst = draft.bad_vreg(); break;
            case 1: op.src = draft.bad_vreg(); break;
            case 2: op.index = draft.bad_vreg(); break;
            default: op.type = draft.random.pick({ElementType::s64, ElementType::u64, ElementType::b64}); break;
        }
    }
    return op;
}

// ---- tensor ops

template <isa::TensorScatterForm kForm>
Op draw_tensor_scatter(Draft& draft) {
    using Form = isa::TensorScatterForm;
    isa::TensorScatter op;
    op.form = kForm;
    op.type = draft.widened(
        draft.random.pick(op.form == Form::count ? draft.product.tensor_scatter : draft.product.tensor_scatter_masked));
    const int size = bytes_of(op.type);
    const std::int64_t per_iteration = size <= 2 ? 128 : 256 / size;

    std::int64_t steps = 0;
    std::int64_t source_bytes = 0;
    if (op.form == Form::count) {
        op.count = draft.random.one_in(10) ? draft.random.between(0, 1) : draft.random.between(1, 300);
        steps = op.count;
        source_bytes = steps * size;
    } else {
        op.repeat = draft.random.one_in(20) ? 0 : draft.random.between(1, 3);
        op.stride = draft.random.one_in(5) ? 0 : draft.random.between(0, 10);
        steps = op.repeat * per_iteration;
        source_bytes = std::max<std::int64_t>(op.repeat - 1, 0) * op.stride * 32 + per_iteration * size;
    }
    if (op.form == Form::contiguous_mask) {
        op.mask_low = static_cast<std::uint64_t>(draft.random.between(1, per_iteration));
    } else if (op.form == Form::bit_mask) {
        op.mask_low = draft.random.one_in(4) ? std::uint64_t{1} << draft.random.below(64) : draft.random.bits();
        op.mask_high = draft.random.one_in(4) ? 0 : draft.random.bits();
        if (per_iteration < 128) op.mask_high = 0;
        if (per_iteration < 64) op.mask_low &= 0xFFFFFFFF;
        if (op.mask_low == 0) op.mask_low = 1;
    }
    const auto active = [&op](std::int64_t element) {
        if (op.form == Form::count) return true;
        const auto at = static_cast<std::uint64_t>(element);
        if (op.form == Form::contiguous_mask) return at < op.mask_low;
        return ((at < 64 ? op.mask_low >> at : op.mask_high >> (at - 64)) & 1) != 0;
    };

    op.dst = UbAddress{draft.targets == Targets::unique ? 0 : draft.aligned(64)};
    op.src = UbAddress{draft.aligned(source_bytes)};
    op.offset = UbAddress{draft.aligned(steps * 4)};
    if (draft.random.one_in(10) && isa::value(op.dst) + source_bytes <= draft.ub_bytes()) op.src = op.dst;
    op.base = draft.random.one_in(2) ? 0 : draft.random.between(0, 32 / size - 1) * size;
    const auto reach =
        static_cast<std::uint64_t>(std::max<std::int64_t>(1, (draft.ub_bytes() - isa::value(op.dst) - op.base) / size));
    TargetDice targets(draft, reach);
    for (std::int64_t step = 0; step < steps; ++step) {
        if (!active(step % per_iteration) && draft.random.one_in(2)) continue;
        draft.put_ub(isa::value(op.offset) + step * 4, 4, targets.roll(step) * static_cast<std::uint64_t>(size));
    }
    if (!spoil(draft)) return op;

    const std::int64_t one_step = steps == 0 ? 0 : draft.random.between(0, steps - 1);
    switch (draft.random.below(16)) {
        case 0: op.type = draft.type(); break;
        case 1: op.dst = UbAddress{isa::value(op.dst) + draft.random.between(1, 31)}; break;
        case 2: op.src = UbAddress{isa::value(op.src) + draft.random.between(1, 31)}; break;
        case 3: op.offset = UbAddress{isa::value(op.offset) + draft.random.between(1, 31)}; break;
        case 4: op.dst = UbAddress{draft.aligned_outside()}; break;
        case 5: op.src = UbAddress{draft.aligned_outside()}; break;
        case 6: op.offset = UbAddress{draft.aligned_outside()}; break;
        case 7: op.base += draft.random.between(1, 7); break;
        case 8: op.base = draft.ub_bytes() / 8 * 8; break;
        case 9: op.count = draft.random.pick<std::int64_t>({-1, draft.ub_bytes(), std::int64_t{1} << 40}); break;
        case 10:
            op.mask_low = draft.random.pick<std::uint64_t>({0, 129, 65, 33, std::uint64_t{1} << 32, ~std::uint64_t{0}});
            if (op.form == Form::contiguous_mask) break;
            op.mask_high = draft.random.pick<std::uint64_t>({0, 1, std::uint64_t{1} << 63});
            break;
        case 11: op.repeat = draft.random.pick<std::int64_t>({-1, 256, std::int64_t{1} << 32, 255}); break;
        case 12: op.stride = draft.random.pick<std::int64_t>({-1, 256, std::int64_t{1} << 32, 255}); break;
        case 13: draft.put_ub(isa::value(op.offset) + one_step * 4, 4, draft.random.below(reach) | 1); break;
        case 14: draft.put_ub(isa::value(op.offset) + one_step * 4, 4, reach * static_cast<std::uint64_t>(size)); break;
        default:
            draft.put_ub(isa::value(op.offset) + one_step * 4, 4,
                         draft.random.pick<std::uint64_t>({65536, 131072, 0xFFFFFFF8, 0x80000000}));
            break;
    }
    return op;
}

std::uint64_t interesting_float(Random& random, int size) {
    const bool half = size == 2;
    switch (random.below(6)) {
        case 0:
            return half ? random.pick<std::uint64_t>({0x0000, 0x8000, 0x7C00, 0xFC00, 0x7E00, 0x7C01, 0xFE01, 0x0001,
                                                      0x8001, 0x03FF, 0x0400, 0x7BFF, 0xFBFF, 0x3C00, 0xBC00})
                        : random.pick<std::uint64_t>({0x00000000, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000,
                                                      0x7F800001, 0xFFC12345, 0x00000001, 0x80000001, 0x007FFFFF,
                                                      0x00800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x3F800000, 0xBF800000});
        case 1:  // exponents close to 1, where alignment, ties and cancellation happen
            return half ? (random.bits() & 0x83FF) | (random.below(8) + 12) << 10
                        : (random.bits() & 0x807FFFFF) | (random.below(40) + 110) << 23;
        case 2:  // subnormals
            return random.bits() & (half ? 0x83FF : 0x807FFFFF);
        case 3:  // short fractions: ties are frequent
            return random.bits() & (half ? 0xFFE1 : 0xFFFFC003);
        default: return random.bits();
    }
}

/// Floating-point operands that meet the corners of rounding; other types stay as random as they are.
void shape_numbers(Draft& draft, ElementType type, std::uint8_t* a, std::uint8_t* b, std::size_t bytes) {
    if (type != ElementType::half && type != ElementType::f32) return;
    const auto size = static_cast<std::size_t>(bytes_of(type));
    for (std::size_t at = 0; at + size <= bytes; at += size) {
        const std::uint64_t one = interesting_float(draft.random, bytes_of(type));
        std::uint64_t other = interesting_float(draft.random, bytes_of(type));
        if (draft.random.one_in(4)) other = (one ^ (std::uint64_t{1} << (8 * size - 1))) + draft.random.below(3);
        std::memcpy(a + at, &one, size);
        std::memcpy(b + at, &other, size);
    }
}

Op draw_tensor_add(Draft& draft) {
    isa::TensorAdd op;
    op.type = draft.random.pick(draft.product.tensor_add);
    op.count = draft.random.one_in(10) ? draft.random.between(0, 8) : draft.random.between(1, 400);
    const std::int64_t bytes = op.count * bytes_of(op.type);
    op.dst = UbAddress{draft.aligned(bytes)};
    op.src0 = UbAddress{draft.aligned(bytes)};
    op.src1 = UbAddress{draft.aligned(bytes)};
    if (draft.random.one_in(5)) op.dst = op.src0;
    if (draft.random.one_in(10)) op.src1 = op.src0;
    shape_numbers(draft, op.type, &draft.machine.ub[static_cast<std::size_t>(isa::value(op.src0))],
                  &draft.machine.ub[static_cast<std::size_t>(isa::value(op.src1))], static_cast<std::size_t>(bytes));
    if (!spoil(draft)) return op;
    UbAddress& address = *draft.random.pick({&op.dst, &op.src0, &op.src1});
    switch (draft.random.below(5)) {
        case 0: op.type = draft.type(); break;
        case 1: op.count = draft.random.pick<std::int64_t>({-1, draft.ub_bytes(), std::int64_t{1} << 40}); break;
        case 2: address = UbAddress{isa::value(address) + draft.random.between(1, 31)}; break;
        default: address = UbAddress{draft.aligned_outside()}; break;
    }
    return op;
}

// ---- arithmetic

ElementType arithmetic_type(Draft& draft) {
    return draft.random.pick(
        {ElementType::f32, ElementType::half, ElementType::s32, ElementType::u32, ElementType::s16, ElementType::u16});
}

std::uint8_t* bytes_of_register(Draft& draft, VregId id) {
    return draft.machine.vector[static_cast<std::size_t>(isa::value(id))].data();
}

Op draw_add(Draft& draft) {
    isa::Add op{arithmetic_type(draft), draft.vreg(), draft.vreg(), draft.vreg(), draft.mreg()};
    draft.shape_mask(op.mask);
    shape_numbers(draft, op.type, bytes_of_register(draft, op.a), bytes_of_register(draft, op.b), 256);
    if (spoil(draft)) {
        switch (draft.random.below(5)) {
            case 0: op.type = draft.type(); break;
            case 1: op.dst = draft.bad_vreg(); break;
            case 2: op.a = draft.bad_vreg(); break;
            case 3: op.b = draft.bad_vreg(); break;
            default: op.mask = draft.bad_mreg(); break;
        }
    }
    return op;
}

Op draw_adds(Draft& draft) {
    isa::Adds op;
    op.type = arithmetic_type(draft);
    op.dst = draft.vreg();
    op.a = draft.vreg();
    op.mask = draft.mreg();
    draft.shape_mask(op.mask);
    std::array<std::uint8_t, 256> unused{};
    shape_numbers(draft, op.type, bytes_of_register(draft, op.a), unused.data(), 256);
    const int size = bytes_of(op.type);
    op.scalar = interesting_float(draft.random, size);
    if (draft.random.one_in(2)) op.scalar &= (std::uint64_t{1} << (8 * size)) - 1;
    if (spoil(draft)) {
        switch (draft.random.below(4)) {
            case 0: op.type = draft.type(); break;
            case 1: op.dst = draft.bad_vreg(); break;
            case 2: op.a = draft.bad_vreg(); break;
            default: op.mask = draft.bad_mreg(); break;
        }
    }
    return op;
}

Op draw_duplicate(Draft& draft) {
    isa::Duplicate op{draft.random.pick({ElementType::f32, ElementType::half, ElementType::s32, ElementType::u32,
                                         ElementType::s16, ElementType::u16, ElementType::b16, ElementType::b32}),
                      draft.vreg(), draft.random.bits()};
    if (draft.random.one_in(2)) {
        op.mask = draft.mreg();
        draft.shape_mask(*op.mask);
    }
    if (spoil(draft)) {
        switch (draft.random.below(3)) {
            case 0: op.type = draft.type(); break;
            case 1: op.dst = draft.bad_vreg(); break;
            default: op.mask = draft.bad_mreg(); break;
        }
    }
    return op;
}

Op draw_move(Draft& draft) {
    isa::Move op{draft.type(), draft.vreg(), draft.vreg()};
    if (!draft.random.one_in(4)) {
        op.mask = draft.mreg();
        draft.shape_mask(*op.mask);
    }
    if (spoil(draft)) {
        switch (draft.random.below(3)) {
            case 0: op.dst = draft.bad_vreg(); break;
            case 1: op.src = draft.bad_vreg(); break;
            default: op.mask = draft.bad_mreg(); break;
        }
    }
    return op;
}

// ---- watching the model

/// A UB that has no array to hand out: it keeps the books on what it is asked, byte by byte.
class WatchedUb final : public isa::UbPort {
public:
    explicit WatchedUb(std::vector<std::byte>& bytes) : bytes_(bytes) {}

    void read(const isa::ContiguousAccess& access, std::byte* data) override {
        for (std::uint32_t i = 0; i < access.bytes; ++i) {
            if (access.enabled(i)) data[i] = at(access.address + i);
        }
    }
    void write(const isa::ContiguousAccess& access, const std::byte* data) override {
        for (std::uint32_t i = 0; i < access.bytes; ++i) {
            if (access.enabled(i)) at(access.address + i) = data[i];
        }
    }
    void read(const isa::BlockAccess& access, std::byte* data) override {
        for (std::uint32_t i = 0; i < 256; ++i) {
            if ((access.active >> (i / 32) & 1) != 0) data[i] = at(access.block(i / 32) + i % 32);
        }
    }
    void write(const isa::BlockAccess& access, const std::byte* data) override {
        for (std::uint32_t i = 0; i < 256; ++i) {
            if ((access.active >> (i / 32) & 1) != 0) at(access.block(i / 32) + i % 32) = data[i];
        }
    }
    void read(const isa::IndexedAccess& access, std::byte* data) override {
        for (std::uint32_t lane = 0; lane < access.lanes; ++lane) {
            for (std::uint32_t i = 0; i < access.element_bytes && access.is_active(lane); ++i) {
                data[lane * access.element_bytes + i] = at(access.address[lane] + i);
            }
        }
    }
    void write(const isa::IndexedAccess& access, const std::byte* data) override {
        std::set<std::uint32_t> targets;
        for (std::uint32_t lane = 0; lane < access.lanes; ++lane) {
            if (!access.is_active(lane)) continue;
            if (!targets.insert(access.address[lane]).second) complaint_ = "two active lanes write one element";
            for (std::uint32_t i = 0; i < access.element_bytes; ++i) {
                at(access.address[lane] + i) = data[lane * access.element_bytes + i];
            }
        }
    }
    /// What was wrong with the calls; empty: nothing.
    const std::string& complaint() const { return complaint_; }

private:
    std::byte& at(std::uint32_t address) {
        if (address < bytes_.size()) return bytes_[address];
        complaint_ = "an access outside the UB at byte " + std::to_string(address);
        return nowhere_;
    }

    std::vector<std::byte>& bytes_;
    std::byte nowhere_{};
    std::string complaint_;
};

/// Notes which bytes an op says it writes, and whether it says anything at all.
class WatchingSink final : public isa::AccessSink {
public:
    explicit WatchingSink(std::size_t ub_bytes) : written_(ub_bytes, false) {}

    void on_read(const isa::ContiguousAccess& access) override { see(access, false); }
    void on_write(const isa::ContiguousAccess& access) override { see(access, true); }
    void on_read(const isa::BlockAccess& access) override { see(access, false); }
    void on_write(const isa::BlockAccess& access) override { see(access, true); }
    void on_read(const isa::IndexedAccess& access) override { see(access, false); }
    void on_write(const isa::IndexedAccess& access) override { see(access, true); }

    bool called() const { return called_; }
    bool written(std::size_t byte) const { return written_[byte]; }
    const std::string& complaint() const { return complaint_; }

private:
    void see(const isa::ContiguousAccess& access, bool write) {
        called_ = true;
        for (std::uint32_t i = 0; i < access.bytes; ++i) {
            if (access.enabled(i)) touch(access.address + i, write);
        }
    }
    void see(const isa::BlockAccess& access, bool write) {
        called_ = true;
        for (std::uint32_t i = 0; i < 256; ++i) {
            if ((access.active >> (i / 32) & 1) != 0) touch(access.block(i / 32) + i % 32, write);
        }
    }
    void see(const isa::IndexedAccess& access, bool write) {
        called_ = true;
        std::uint32_t low = 0;
        std::uint32_t high = 0;
        bool all = true;
        for (std::uint32_t lane = 0; lane < access.lanes; ++lane) {
            const std::uint32_t address = access.address[lane];
            if (address >= written_.size()) complaint_ = "a lane's address lies outside the UB";
            if (!access.is_active(lane)) {
                all = false;
                continue;
            }
            low = low == high ? address : std::min(low, address);
            high = std::max(high, address + access.element_bytes);
            for (std::uint32_t i = 0; i < access.element_bytes; ++i) touch(address + i, write);
        }
        if (all != access.all_active) complaint_ = "all_active is wrong";
        if (low != high ? low != access.low || high != access.high : access.low != access.high) {
            complaint_ = "low and high are wrong";
        }
    }
    void touch(std::uint32_t byte, bool write) {
        if (byte >= written_.size()) {
            complaint_ = "an access outside the UB";
        } else if (write) {
            written_[byte] = true;
        }
    }

    std::vector<bool> written_;
    bool called_ = false;
    std::string complaint_;
};

// ---- showing an op that failed

std::string text(VregId id) {
    return "v" + std::to_string(isa::value(id));
}
std::string text(MregId id) {
    return "m" + std::to_string(isa::value(id));
}
std::string text(UbAddress address) {
    return "[" + std::to_string(isa::value(address)) + "]";
}
std::string text(const VectorOperand& operand) {
    return operand.pair ? text(operand.low) + ":" + text(operand.high) : text(operand.low);
}
std::string text(ElementType type) {
    return std::string(isa::name(type));
}
template <typename Number, typename = std::enable_if_t<std::is_integral_v<Number>>>
std::string text(Number number) {
    return std::to_string(number);
}
template <typename... Fields>
std::string fields(const Fields&... all) {
    std::string line;
    ((line += " " + text(all)), ...);
    return line;
}

/// The op with its fields, in the order of the struct.
std::string text(const Op& op) {
    struct Show {
        std::string operator()(const isa::VfBegin&) const { return {}; }
        std::string operator()(const isa::VfEnd&) const { return {}; }
        std::string operator()(const isa::Barrier& o) const { return fields(static_cast<int>(o.kind)); }
        std::string operator()(const isa::CreateMask& o) const {
            return fields(o.type, o.dst, static_cast<int>(o.pattern));
        }
        std::string operator()(const isa::UpdateMask& o) const { return fields(o.type, o.dst, o.count, o.pair); }
        std::string operator()(const isa::MaskGen& o) const { return fields(o.type, o.dst, o.src, o.part); }
        std::string operator()(const isa::MaskLoad& o) const {
            return fields(o.dst, o.address, static_cast<int>(o.mode), o.post_update);
        }
        std::string operator()(const isa::MaskStore& o) const {
            return fields(o.address, o.src, static_cast<int>(o.mode), o.post_update);
        }
        std::string operator()(const isa::Load& o) const {
            return fields(o.type, o.dst, o.address, o.post_update) + " " + std::string(isa::name(o.mode));
        }
        std::string operator()(const isa::Store& o) const {
            return fields(o.type, o.address, o.src, o.mask, o.post_update) + " " + std::string(isa::name(o.mode));
        }
        std::string operator()(const isa::BlockLoad& o) const {
            return fields(o.type, o.dst, o.address, o.stride, o.mask, o.post_update);
        }
        std::string operator()(const isa::BlockStore& o) const {
            return fields(o.type, o.address, o.src, o.stride, o.mask, o.post_update);
        }
        std::string operator()(const isa::Gather& o) const {
            return fields(o.dst_type, o.src_type, o.index_type, o.dst, o.base, o.index, o.mask);
        }
        std::string operator()(const isa::GatherBlock& o) const {
            return fields(o.type, o.dst, o.base, o.index, o.mask);
        }
        std::string operator()(const isa::GatherRegister& o) const { return fields(o.type, o.dst, o.src, o.index); }
        std::string operator()(const isa::Scatter& o) const {
            return fields(o.type, o.index_type, o.base, o.src, o.index, o.mask);
        }
        std::string operator()(const isa::TensorScatter& o) const {
            return fields(o.type, o.dst, o.src, o.offset, o.base, static_cast<int>(o.form), o.count, o.mask_low,
                          o.mask_high, o.repeat, o.stride);
        }
        std::string operator()(const isa::TensorAdd& o) const { return fields(o.type, o.dst, o.src0, o.src1, o.count); }
        std::string operator()(const isa::Add& o) const { return fields(o.type, o.dst, o.a, o.b, o.mask); }
        std::string operator()(const isa::Adds& o) const { return fields(o.type, o.dst, o.a, o.scalar, o.mask); }
        std::string operator()(const isa::Duplicate& o) const {
            return fields(o.type, o.dst, o.scalar) + (o.mask ? fields(*o.mask) : "");
        }
        std::string operator()(const isa::Move& o) const {
            return fields(o.type, o.dst, o.src) + (o.mask ? fields(*o.mask) : "");
        }
    };
    return std::string(isa::name(isa::kind_of(op))) + std::visit(Show{}, op);
}

// ---- the comparison

/// The value of the op's in/out field, or 0.
std::int64_t in_out(const Op& op) {
    struct Field {
        std::int64_t operator()(const isa::UpdateMask& one) const { return one.count; }
        std::int64_t operator()(const isa::MaskLoad& one) const { return isa::value(one.address); }
        std::int64_t operator()(const isa::MaskStore& one) const { return isa::value(one.address); }
        std::int64_t operator()(const isa::Load& one) const { return isa::value(one.address); }
        std::int64_t operator()(const isa::Store& one) const { return isa::value(one.address); }
        std::int64_t operator()(const isa::BlockLoad& one) const { return isa::value(one.address); }
        std::int64_t operator()(const isa::BlockStore& one) const { return isa::value(one.address); }
        std::int64_t operator()(const isa::VfBegin&) const { return 0; }
        std::int64_t operator()(const isa::VfEnd&) const { return 0; }
        std::int64_t operator()(const isa::Barrier&) const { return 0; }
        std::int64_t operator()(const isa::CreateMask&) const { return 0; }
        std::int64_t operator()(const isa::MaskGen&) const { return 0; }
        std::int64_t operator()(const isa::Gather&) const { return 0; }
        std::int64_t operator()(const isa::GatherBlock&) const { return 0; }
        std::int64_t operator()(const isa::GatherRegister&) const { return 0; }
        std::int64_t operator()(const isa::Scatter&) const { return 0; }
        std::int64_t operator()(const isa::TensorScatter&) const { return 0; }
        std::int64_t operator()(const isa::TensorAdd&) const { return 0; }
        std::int64_t operator()(const isa::Add&) const { return 0; }
        std::int64_t operator()(const isa::Adds&) const { return 0; }
        std::int64_t operator()(const isa::Duplicate&) const { return 0; }
        std::int64_t operator()(const isa::Move&) const { return 0; }
    };
    return std::visit(Field{}, op);
}

std::string place(std::int64_t lane, std::int64_t address) {
    std::ostringstream text;
    if (lane != isa::Fault::kNoLane) text << " lane " << lane;
    if (address != isa::Fault::kNoAddress) text << " address " << address;
    return text.str();
}

std::string refusal_text(isa::DiagnosticId id, std::int64_t lane, std::int64_t address) {
    if (id == isa::DiagnosticId::none) return "accepted";
    return std::string(isa::info(id).text) + place(lane, address);
}

/// Names the first byte that differs, or nothing.
std::string first_difference(const std::string& what, const std::uint8_t* expected, const void* found,
                             std::size_t size) {
    if (std::memcmp(expected, found, size) == 0) return {};
    const auto* bytes = static_cast<const std::uint8_t*>(found);
    std::size_t at = 0;
    while (expected[at] == bytes[at]) ++at;
    std::ostringstream text;
    text << what << " byte " << at << ": found 0x" << std::hex << int{bytes[at]} << ", expected 0x"
         << int{expected[at]};
    return text.str();
}

struct Tally {
    std::uint64_t cases = 0;
    std::uint64_t refused = 0;
    std::uint64_t with_collisions = 0;
    std::map<isa::DiagnosticId, std::uint64_t> refusals;
};

/// One kind of product and UB, with the model built for it once.
class Arena {
public:
    /// Ops are drawn as for `drawn_for` and run on `product`.
    Arena(const reference::Product& product, const reference::Product& drawn_for)
        : bench_(product), drawn_for_(drawn_for) {
        before_.ub.resize(product.ub_bytes);
    }

    /// Makes and judges the case that `seed` stands for. Returns what is wrong with it, or nothing.
    std::string judge(Op (*draw)(Draft&), std::uint64_t seed, Tally& tally) {
        Random random(seed);
        randomise(random);
        Draft draft{random, before_, drawn_for_};
        Op expected_op = draw(draft);
        const Op drawn = expected_op;
        Op op = drawn;
        load_model();

        Machine& after = before_;
        original_ub_ = before_.ub;
        const Opinion opinion = reference::perform(expected_op, after, bench_.product());
        ++tally.cases;
        ++tally.refusals[opinion.refusal];
        if (opinion.refusal != isa::DiagnosticId::none) ++tally.refused;

        const isa::Fault asked = bench_.check(op);
        WatchedUb watched(bench_.ub());
        const bool with_array = random.one_in(2);
        isa::UbPort& port = with_array ? static_cast<isa::UbPort&>(bench_.port()) : watched;
        WatchingSink sink(bench_.ub().size());
        const bool with_sink = random.one_in(2);
        const isa::Fault fault = bench_.run(op, port, with_sink ? &sink : nullptr);

        std::string wrong = judge_refusal(opinion, fault, asked);
        if (wrong.empty()) wrong = judge_state(after, in_out(expected_op), in_out(op));
        if (wrong.empty() && !fault) wrong = judge_notes(opinion);
        if (wrong.empty() && with_sink) wrong = judge_sink(sink, static_cast<bool>(fault));
        if (wrong.empty()) wrong = watched.complaint();
        if (!wrong.empty()) wrong += "\n  " + text(drawn) + (with_array ? "" : ", through the calls of the port");
        return wrong;
    }

    /// As judge(), for scatters of which every target is unique or many are shared: the bytes may be any candidate's,
    /// as far as the architecture goes, and must be the candidate of the policy, as far as this model goes.
    std::string judge_candidates(Op (*draw)(Draft&), Targets targets, std::uint64_t seed, Tally& tally) {
        Random random(seed);
        randomise(random);
        Draft draft{random, before_, drawn_for_, targets};
        Op op = draw(draft);
        Op reference_op = op;
        load_model();
        original_ub_ = before_.ub;
        const Opinion opinion = reference::perform(reference_op, before_, bench_.product());
        ++tally.cases;
        if (opinion.refusal != isa::DiagnosticId::none) {
            return "the generator made an illegal op: " + refusal_text(opinion.refusal, opinion.lane, opinion.address);
        }
        if (const isa::Fault fault = bench_.run(op))
            return isa::describe(fault, op, "product", "others") + "\n  " + text(reference_op);
        if (opinion.collisions != 0) ++tally.with_collisions;

        using Element = std::vector<std::uint8_t>;
        std::map<std::int64_t, std::vector<Element>> candidates;
        for (const reference::ElementWrite& write : opinion.scattered) {
            candidates[write.address].emplace_back(write.bytes.begin(),
                                                   write.bytes.begin() + static_cast<std::ptrdiff_t>(write.size));
        }
        std::vector<std::uint8_t> found(bench_.ub().size());
        std::memcpy(found.data(), bench_.ub().data(), found.size());
        for (const auto& [address, elements] : candidates) {
            const auto at = found.begin() + static_cast<std::ptrdiff_t>(address);
            const Element survivor(at, at + static_cast<std::ptrdiff_t>(elements.front().size()));
            if (std::find(elements.begin(), elements.end(), survivor) == elements.end()) {
                return "no lane wanted what stands at " + std::to_string(address);
            }
            if (survivor != (bench_.product().highest_lane_wins ? elements.back() : elements.front())) {
                return "the wrong lane won at " + std::to_string(address);
            }
            std::copy_n(original_ub_.begin() + static_cast<std::ptrdiff_t>(address), survivor.size(), at);
        }
        return first_difference("beside the targets, UB", original_ub_.data(), found.data(), found.size());
    }

private:
    void randomise(Random& random) {
        random.fill(before_.ub.data(), before_.ub.size());
        random.fill(before_.vector.data(), sizeof(before_.vector));
        random.fill(before_.mask.data(), sizeof(before_.mask));
    }
    void load_model() {
        std::memcpy(bench_.ub().data(), before_.ub.data(), before_.ub.size());
        for (std::size_t i = 0; i < 32; ++i)
            std::memcpy(bench_.vector()[i].bytes.data(), before_.vector[i].data(), 256);
        for (std::size_t i = 0; i < 8; ++i) std::memcpy(bench_.mask()[i].words.data(), before_.mask[i].data(), 32);
    }
    static std::string judge_refusal(const Opinion& opinion, const isa::Fault& fault, const isa::Fault& asked) {
        if (asked.id != fault.id || asked.lane != fault.lane || asked.address != fault.address) {
            return "check() says " + refusal_text(asked.id, asked.lane, asked.address) + ", run() says " +
                   refusal_text(fault.id, fault.lane, fault.address);
        }
        if (opinion.refusal == fault.id && opinion.lane == fault.lane && opinion.address == fault.address &&
            opinion.iteration == fault.iteration) {
            return {};
        }
        return "the model says " + refusal_text(fault.id, fault.lane, fault.address) + ", the reference " +
               refusal_text(opinion.refusal, opinion.lane, opinion.address);
    }
    std::string judge_state(const Machine& after, std::int64_t expected_field, std::int64_t field) {
        std::string wrong = first_difference("UB", after.ub.data(), bench_.ub().data(), after.ub.size());
        for (std::size_t i = 0; i < 32 && wrong.empty(); ++i) {
            wrong =
                first_difference("v" + std::to_string(i), after.vector[i].data(), bench_.vector()[i].bytes.data(), 256);
        }
        for (std::size_t i = 0; i < 8 && wrong.empty(); ++i) {
            wrong = first_difference("m" + std::to_string(i), after.mask[i].data(), bench_.mask()[i].words.data(), 32);
        }
        if (wrong.empty() && expected_field != field) {
            wrong = "in/out field: found " + std::to_string(field) + ", expected " + std::to_string(expected_field);
        }
        return wrong;
    }
    std::string judge_notes(const Opinion& opinion) {
        const isa::Notes& notes = bench_.notes();
        const std::uint64_t counted = notes.duplicate ? notes.duplicate.count : 0;
        if (counted != opinion.collisions) {
            return "duplicate targets: found " + std::to_string(counted) + ", expected " +
                   std::to_string(opinion.collisions);
        }
        if (notes.duplicate && (notes.duplicate.lane != opinion.first_collision ||
                                notes.duplicate.iteration != opinion.first_collision_iteration)) {
            return "first duplicate: found lane " + std::to_string(notes.duplicate.lane) + ", expected " +
                   std::to_string(opinion.first_collision);
        }
        if (notes.overlap && !opinion.overlap) return "the overlap warning is wrong";
        if (!notes.overlap && opinion.overlap) return "the overlap warning is missing";
        const bool warns_of_empty = opinion.empty && bench_.product().empty_scatter_warns;
        if (static_cast<bool>(notes.empty) != warns_of_empty) return "the empty-op warning is wrong";
        if (static_cast<bool>(notes.reserved) != opinion.reserved) return "the reserved-ub warning is wrong";
        const bool any = notes.duplicate || notes.overlap || notes.empty || notes.reserved;
        if (notes.any != any) return "Notes::any is wrong";
        return {};
    }
    std::string judge_sink(const WatchingSink& sink, bool refused) {
        if (!sink.complaint().empty()) return sink.complaint();
        if (refused && sink.called()) return "a refused op told the sink of an access";
        for (std::size_t byte = 0; byte < bench_.ub().size(); ++byte) {
            if (bench_.ub()[byte] != std::byte{original_ub_[byte]} && !sink.written(byte)) {
                return "UB byte " + std::to_string(byte) + " changed and the sink was not told";
            }
        }
        return {};
    }

    Bench bench_;
    reference::Product drawn_for_;
    Machine before_;
    std::vector<std::uint8_t> original_ub_;
};

std::uint64_t case_seed(std::uint64_t seed, int number) {
    return Random(seed + static_cast<std::uint64_t>(number) * 0xD1342543DE82EF95).bits();
}

reference::Product with_everything(std::uint64_t ub_bytes, bool highest_lane_wins) {
    reference::Product product = ascend950(ub_bytes);
    product.tensor_add = {ElementType::f32};
    product.highest_lane_wins = highest_lane_wins;
    product.ub_reserved_from = ub_bytes / 32 * 31;
    return product;
}

/// Most cases run on small UBs, because all of it is compared each time; some on one of the real size.
class Arenas {
public:
    explicit Arenas(const std::vector<reference::Product>& variants) {
        for (const reference::Product& product : variants) small_.push_back(std::make_unique<Arena>(product, product));
        reference::Product large = variants.front();
        large.ub_bytes = 262144;
        large.ub_reserved_from = 253952;
        large_ = std::make_unique<Arena>(large, large);
        lacking_ = std::make_unique<Arena>(atlas_training(variants.front().ub_bytes), variants.front());
    }
    Arena& choose(Random& random) {
        const std::uint64_t dice = random.below(512);
        if (dice == 0) return *large_;
        if (dice < 8) return *lacking_;
        return *small_[random.below(small_.size())];
    }

private:
    std::vector<std::unique_ptr<Arena>> small_;
    std::unique_ptr<Arena> large_;
    std::unique_ptr<Arena> lacking_;  // a product that has none of the ops
};

rc::detail::TestParams rapidcheck_parameters(int cases) {
    rc::detail::TestParams parameters = rc::detail::configuration().testParams;
    if (const char* seed = std::getenv("VCORE_PROPERTY_SEED")) parameters.seed = std::strtoull(seed, nullptr, 0);
    parameters.maxSuccess = (cases + kCasesPerSeed - 1) / kCasesPerSeed;
    return parameters;
}

/// Lets RapidCheck draw seeds and judges the cases they stand for: judge(case seed) says what is wrong, or nothing.
void hold(int wanted, Tally& tally, const std::function<std::string(std::uint64_t)>& judge) {
    const auto property = [&] {
        const auto seed = *rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>()).as("seed");
        const auto cases = *rc::gen::shrink(rc::gen::just(kCasesPerSeed), [](int count) {
                                return rc::shrink::towards(count, 1);
                            }).as("cases");
        for (int number = 0; number < cases; ++number) {
            const std::string wrong = judge(case_seed(seed, number));
            if (!wrong.empty()) RC_FAIL("case " + std::to_string(number) + " of the seed: " + wrong);
        }
    };
    const rc::detail::TestParams parameters = rapidcheck_parameters(wanted);
    const auto result = rc::detail::checkTestable(property, rc::detail::TestMetadata{}, parameters);

    const std::string seed = std::to_string(parameters.seed);
    ::testing::Test::RecordProperty("rapidcheck_seed", seed);
    ::testing::Test::RecordProperty("cases", std::to_string(tally.cases));
    std::cout << "seed " << seed << ", " << tally.cases << " cases";
    for (const auto& [id, count] : tally.refusals) {
        if (id != isa::DiagnosticId::none) std::cout << ", " << isa::info(id).text << ' ' << count;
    }
    std::cout << '\n';

    if (!result.template is<rc::detail::SuccessResult>()) {
        std::ostringstream text;
        rc::detail::printResultMessage(result, text);
        FAIL() << text.str() << "\nAgain with VCORE_PROPERTY_SEED=" << seed;
    }
    ASSERT_GE(tally.cases, static_cast<std::uint64_t>(wanted));
}

void hold(const std::vector<reference::Product>& variants, Op (*draw)(Draft&)) {
    Arenas arenas(variants);
    Tally tally;
    hold(cases_wanted(), tally, [&](std::uint64_t seed) {
        Random dice(seed);
        return arenas.choose(dice).judge(draw, seed, tally);
    });
    // The mix the generators promise; a generator that only makes refused ops would test little.
    if (tally.cases >= 1000) {
        EXPECT_GT(tally.refused * 100, tally.cases * 5);
        EXPECT_LT(tally.refused * 100, tally.cases * 45);
    }
}

/// Case S12: one run with unique targets, one with forced aliasing.
void hold_candidates(Op (*draw)(Draft&), Targets targets, bool highest_lane_wins) {
    const reference::Product product = with_everything(32768, highest_lane_wins);
    Arena arena(product, product);
    Tally tally;
    hold(std::max(1, cases_wanted() / 10), tally,
         [&](std::uint64_t seed) { return arena.judge_candidates(draw, targets, seed, tally); });
    if (targets == Targets::unique) {
        EXPECT_EQ(tally.with_collisions, 0U);
    } else {
        EXPECT_GT(tally.with_collisions * 10, tally.cases * 6);  // the rest have too few active lanes
    }
}

std::vector<reference::Product> usual_products() {
    return {with_everything(8192, false), with_everything(4096, true), with_everything(8192 - 13, false)};
}

std::vector<reference::Product> tensor_products() {
    reference::Product masked_b8 = atlas_200i(8192);
    reference::Product any_offset = atlas_inference(8192);
    any_offset.highest_lane_wins = true;
    return {with_everything(8192, false), with_everything(8192, true), masked_b8, any_offset};
}

TEST(IsaProperty, CreateMask) {
    hold(usual_products(), draw_create_mask);
}
TEST(IsaProperty, UpdateMask) {
    hold(usual_products(), draw_update_mask);
}
TEST(IsaProperty, MaskGen) {
    hold(usual_products(), draw_mask_gen);
}
TEST(IsaProperty, MaskLoad) {
    hold(usual_products(), draw_mask_load);
}
TEST(IsaProperty, MaskStore) {
    hold(usual_products(), draw_mask_store);
}
TEST(IsaProperty, Load) {
    hold(usual_products(), draw_load);
}
TEST(IsaProperty, Store) {
    hold(usual_products(), draw_store);
}

using Draw = Op (*)(Draft&);
template <std::size_t... numbers>
std::vector<Draw> load_mode_draws(std::index_sequence<numbers...>) {
    return {draw_load_mode<static_cast<isa::LoadMode>(numbers + 1)>...};
}
template <std::size_t... numbers>
std::vector<Draw> store_mode_draws(std::index_sequence<numbers...>) {
    return {draw_store_mode<static_cast<isa::StoreMode>(numbers + 1)>...};
}

/// Every mode but `norm`, by its number.
class LoadModeProperty : public ::testing::TestWithParam<std::size_t> {};
TEST_P(LoadModeProperty, IsAsItsRow) {
    hold(usual_products(), load_mode_draws(std::make_index_sequence<isa::kLoadModes - 1>{})[GetParam() - 1]);
}
INSTANTIATE_TEST_SUITE_P(IsaProperty, LoadModeProperty, ::testing::Range<std::size_t>(1, isa::kLoadModes),
                         [](const auto& mode) {
                             return std::string(isa::name(static_cast<isa::LoadMode>(mode.param)));
                         });

class StoreModeProperty : public ::testing::TestWithParam<std::size_t> {};
TEST_P(StoreModeProperty, IsAsItsRow) {
    hold(usual_products(), store_mode_draws(std::make_index_sequence<isa::kStoreModes - 1>{})[GetParam() - 1]);
}
INSTANTIATE_TEST_SUITE_P(IsaProperty, StoreModeProperty, ::testing::Range<std::size_t>(1, isa::kStoreModes),
                         [](const auto& mode) {
                             return std::string(isa::name(static_cast<isa::StoreMode>(mode.param)));
                         });

TEST(IsaProperty, BlockLoad) {
    hold(usual_products(), draw_block_load);
}
TEST(IsaProperty, BlockStore) {
    hold(usual_products(), draw_block_store);
}
TEST(IsaProperty, Gather) {
    hold(usual_products(), draw_gather);
}
TEST(IsaProperty, GatherBlock) {
    hold(usual_products(), draw_gather_block);
}
TEST(IsaProperty, GatherRegister) {
    hold(usual_products(), draw_gather_register);
}
TEST(IsaProperty, Scatter) {
    hold(usual_products(), draw_scatter);
}
TEST(IsaProperty, TensorScatterCount) {
    hold(tensor_products(), draw_tensor_scatter<isa::TensorScatterForm::count>);
}
TEST(IsaProperty, TensorScatterContiguousMask) {
    hold(tensor_products(), draw_tensor_scatter<isa::TensorScatterForm::contiguous_mask>);
}
TEST(IsaProperty, TensorScatterBitMask) {
    hold(tensor_products(), draw_tensor_scatter<isa::TensorScatterForm::bit_mask>);
}
TEST(IsaProperty, TensorAdd) {
    hold(usual_products(), draw_tensor_add);
}
TEST(IsaProperty, Add) {
    hold(usual_products(), draw_add);
}
TEST(IsaProperty, Adds) {
    hold(usual_products(), draw_adds);
}
TEST(IsaProperty, Duplicate) {
    hold(usual_products(), draw_duplicate);
}
TEST(IsaProperty, Move) {
    hold(usual_products(), draw_move);
}

Op draw_any_tensor_scatter(Draft& draft) {
    using Form = isa::TensorScatterForm;
    switch (draft.random.below(3)) {
        case 0: return draw_tensor_scatter<Form::count>(draft);
        case 1: return draw_tensor_scatter<Form::contiguous_mask>(draft);
        default: return draw_tensor_scatter<Form::bit_mask>(draft);
    }
}

class S12 : public ::testing::TestWithParam<bool> {};
TEST_P(S12, UniqueRegisterScatterIsExact) {
    hold_candidates(draw_scatter, Targets::unique, GetParam());
}
TEST_P(S12, AliasedRegisterScatterKeepsOneCandidate) {
    hold_candidates(draw_scatter, Targets::shared, GetParam());
}
TEST_P(S12, UniqueTensorScatterIsExact) {
    hold_candidates(draw_any_tensor_scatter, Targets::unique, GetParam());
}
TEST_P(S12, AliasedTensorScatterKeepsOneCandidate) {
    hold_candidates(draw_any_tensor_scatter, Targets::shared, GetParam());
}
INSTANTIATE_TEST_SUITE_P(ScatterDuplicate, S12, ::testing::Bool(),
                         [](const auto& policy) { return std::string(policy.param ? "highest_lane" : "lowest_lane"); });

}  // namespace
}  // namespace vcore::unit
