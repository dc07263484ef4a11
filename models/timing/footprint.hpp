// What an access asks of the banks, cycle by cycle, when nobody else wants them: the request that the arbiter grants or
// delays. One Footprint serves loads, stores, block copies, gathers, scatters, transfers and foreign accesses.
//
// Same rules as bank_rules.hpp, which counts what this lists: steps() equals AccessCost::beats for every access, and
// the touches are the rows (words) that BankRules counts per bank. Source: `timing.md` "Bank rules, per cycle".
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "models/isa/access.hpp"
#include "models/timing/address_map.hpp"
#include "models/timing/bank_rules.hpp"
#include "models/timing/parameters.hpp"

namespace vcore::timing {

/// Neighbouring rows of neighbouring banks and groups, or one sub-bank word of a row, read or written in a cycle.
struct Touch {
    static constexpr std::uint32_t kWholeRow = 0xFFFFFFFF;

    std::uint32_t row = 0;           ///< the first one, in address order over the whole UB
    std::uint32_t port = kWholeRow;  ///< words: the (group, sub-bank) or (bank, sub-bank) that serves it
    std::uint16_t bank = 0;          ///< BankId of the first row
    std::uint16_t group = 0;         ///< of the first row
    std::uint32_t rows = 1;

    /// Calls `visit` with each row by itself.
    template <typename Visit>
    void for_each_row(Visit&& visit) const {
        Touch one = *this;
        one.rows = 1;
        for (std::uint32_t i = 0; i < rows; ++i, ++one.row, ++one.bank, ++one.group) visit(std::as_const(one));
    }
};

/// How sets of banks, groups and ports lie in 64-bit words, one bit each.
struct MaskLayout {
    explicit MaskLayout(const UbGeometry& geometry);
    std::uint32_t banks = 1;   ///< words of a set of banks
    std::uint32_t groups = 1;  ///< words of a set of groups
    std::uint32_t ports = 1;   ///< words of a set of ports
    std::uint32_t words() const { return banks + groups + ports; }
};

/// The steps of an access. A step touches every group at most once, or is one of sub-bank words and then touches every
/// port at most once. Steps may be empty: cycles in which a gather has no active lane. Reused: clear() keeps the
/// memory, so that nothing is allocated once footprints have grown to their size. Swap, do not move: what was moved
/// from has no memory.
class Footprint {
public:
    Direction direction = Direction::read;
    bool indexed = false;   ///< touches are sub-bank words; else whole rows
    bool external = false;  ///< not the core's own

    Footprint() = default;
    Footprint(const Footprint& other) { *this = other; }
    Footprint(Footprint&&) noexcept = default;
    Footprint& operator=(Footprint&&) noexcept = default;
    Footprint& operator=(const Footprint& other) {
        direction = other.direction;
        indexed = other.indexed;
        external = other.external;
        *storage_ = *other.storage_;
        touch_count_ = other.touch_count_;
        step_count_ = other.step_count_;
        mask_words_ = other.mask_words_;
        return *this;
    }
    ~Footprint() = default;

    std::uint32_t steps() const { return step_count_; }
    const Touch* begin(std::uint32_t step) const {
        return storage_->touches.data() + (step == 0 ? 0 : storage_->steps[step - 1].end);
    }
    const Touch* end(std::uint32_t step) const { return storage_->touches.data() + storage_->steps[step].end; }
    /// Calls `visit` with each row, or word, of a step by itself.
    template <typename Visit>
    void for_each_row(std::uint32_t step, Visit&& visit) const {
        for (const Touch* touch = begin(step); touch != end(step); ++touch) touch->for_each_row(visit);
    }
    /// Banks, groups and ports of a step, one after the other as MaskLayout says.
    const std::uint64_t* masks(std::uint32_t step) const {
        return storage_->masks.data() + std::size_t{step} * mask_words_;
    }
    /// Whether a step is one more of the beat before it, for its sub-banks.
    bool further(std::uint32_t step) const { return storage_->steps[step].further; }
    void clear() { touch_count_ = step_count_ = 0; }

private:
    friend class FootprintMaker;
    struct Step {
        std::uint32_t end;  ///< one past its last touch
        bool further;
    };
    /// Room for `count` more; what stands there is the caller's to overwrite.
    Touch* add_touches(std::uint32_t count) {
        touch_count_ += count;
        std::vector<Touch>& touches = storage_->touches;
        if (touches.size() < touch_count_) touches.resize(2 * touch_count_);
        return touches.data() + touch_count_ - count;
    }
    /// `count` more steps, whose masks are empty; returns the first one's masks.
    std::uint64_t* add_steps(std::uint32_t count) {
        const std::size_t first = std::size_t{step_count_} * mask_words_;
        const std::size_t words = std::size_t{count} * mask_words_;
        step_count_ += count;
        Storage& storage = *storage_;
        if (storage.steps.size() < step_count_) storage.steps.resize(2 * step_count_);
        if (storage.masks.size() < first + words) storage.masks.resize(2 * (first + words));
        std::uint64_t* const masks = storage.masks.data() + first;
        for (std::size_t i = 0; i < words; ++i) masks[i] = 0;
        return masks;
    }

    // Never shrinks; the first so many of everything are in use.
    struct Storage {
        std::vector<Touch> touches;
        std::vector<Step> steps;
        std::vector<std::uint64_t> masks;
    };
    std::unique_ptr<Storage> storage_ = std::make_unique<Storage>();  // so that footprints change hands cheaply
    std::uint32_t touch_count_ = 0;
    std::uint32_t step_count_ = 0;
    std::uint32_t mask_words_ = 0;
};

/// Turns accesses into footprints.
class FootprintMaker {
public:
    FootprintMaker(const UbGeometry& geometry, const GatherScatterParameters& gather_scatter);
    ~FootprintMaker();
    FootprintMaker(FootprintMaker&&) noexcept;
    FootprintMaker& operator=(FootprintMaker&&) noexcept;

    /// What was in `footprint` is replaced; its memory is used again.
    void make(const isa::ContiguousAccess& access, Direction direction, Footprint& footprint);
    void make(const isa::BlockAccess& access, Direction direction, Footprint& footprint);
    /// `lanes_per_beat` as BankRules::lanes_per_beat() says; block gathers (element_bytes 32) ignore it.
    void make(const isa::IndexedAccess& access, std::uint32_t lanes_per_beat, Direction direction,
              Footprint& footprint);
    /// `bytes` from `address` on, at most `bytes_per_step` of them in a cycle, whole rows at least: transfers and
    /// foreign accesses.
    void make(std::uint32_t address, std::uint32_t bytes, std::uint32_t bytes_per_step, Direction direction,
              Footprint& footprint);

private:
    struct Scratch;

    void start(Footprint& footprint, Direction direction, bool indexed) const;
    void mark(const Touch& touch, std::uint64_t* masks, bool indexed) const;
    Touch row_touch(std::uint32_t row) const;
    void place_row(std::uint32_t row);
    void add_run(std::uint32_t first_row, std::uint32_t rows, Footprint& footprint) const;
    void add_placed(Footprint& footprint);
    template <bool simple>
    void place_words(const isa::IndexedAccess& access, std::uint32_t first_lane, std::uint32_t last_lane,
                     std::uint32_t offset, std::uint32_t bytes);
    void place_block_gather(const isa::IndexedAccess& access);

    AddressMap map_;
    MaskLayout layout_;
    GatherScatterParameters gather_scatter_;
    std::unique_ptr<Scratch> scratch_;
};

}  // namespace vcore::timing
