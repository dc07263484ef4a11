#include "models/timing/arbiter.hpp"

#include <algorithm>
#include <utility>

namespace vcore::timing {

namespace {

using Word = std::uint64_t;

bool any_common(const Word* a, const Word* b, std::uint32_t words) {
    Word common = 0;
    for (std::uint32_t i = 0; i < words; ++i) common |= a[i] & b[i];
    return common != 0;
}

void add_all(Word* to, const Word* from, std::uint32_t words) {
    for (std::uint32_t i = 0; i < words; ++i) to[i] |= from[i];
}

void take_all(Word* from, const Word* what, std::uint32_t words) {
    for (std::uint32_t i = 0; i < words; ++i) from[i] &= ~what[i];
}

/// Known when compiled where sets are a word each, which is so on every product.
struct OneWord {
    static constexpr std::uint32_t banks = 1;
    static constexpr std::uint32_t groups = 1;
    static constexpr std::uint32_t ports = 1;
};

}  // namespace

Arbiter::Arbiter(const UbGeometry& geometry)
    : layout_(geometry),
      one_word_(layout_.banks == 1 && layout_.groups == 1 && layout_.ports == 1),
      reads_(geometry.reads_per_group, layout_.groups),
      writes_(geometry.writes_per_group, layout_.groups),
      accesses_(geometry.accesses_per_group, layout_.groups),
      word_row_(geometry.banks(), 0),
      counted_(layout_.banks, 0),
      fresh_(layout_.groups, 0) {
    state_.resize(3 * layout_.banks + layout_.ports + layout_.groups + reads_.size() + writes_.size() +
                  accesses_.size());
    Word* next = state_.data();
    const auto take = [&](std::uint32_t words) { return std::exchange(next, next + words); };
    busy_ = take(layout_.banks);
    mergeable_ = take(layout_.banks);
    word_banks_ = take(layout_.banks);
    ports_ = take(layout_.ports);
    external_ = take(layout_.groups);
    for (Uses* const uses : {&reads_, &writes_, &accesses_}) uses->lie_at(take(uses->size()));
}

template <typename Layout>
bool Arbiter::room_in_groups(const Layout& layout, const Word* groups, Direction direction) const {
    const Uses& uses = direction == Direction::read ? reads_ : writes_;
    Word without_room = 0;
    for (std::uint32_t i = 0; i < layout.groups; ++i) without_room |= groups[i] & (uses.full(i) | accesses_.full(i));
    return without_room == 0;
}

template <typename Layout>
void Arbiter::take_groups(const Layout& layout, const Word* groups, Direction direction) {
    Uses& uses = direction == Direction::read ? reads_ : writes_;
    for (std::uint32_t i = 0; i < layout.groups; ++i) {
        uses.add(i, groups[i]);
        accesses_.add(i, groups[i]);
    }
}

Grant Arbiter::request(const Footprint& footprint, std::uint32_t step) {
    return one_word_ ? request(OneWord{}, footprint, step) : request(layout_, footprint, step);
}

template <typename Layout>
Grant Arbiter::request(const Layout& layout, const Footprint& footprint, std::uint32_t step) {
    if (footprint.begin(step) == footprint.end(step)) return Grant::granted;
    const Word* const groups = footprint.masks(step) + layout.banks;
    if (footprint.indexed ? request_words(layout, footprint, step) : request_rows(layout, footprint, step)) {
        used_ = true;
        if (listener_ != nullptr) {
            shown_.clear();
            footprint.for_each_row(step, [&](const Touch& row) { shown_.push_back(row); });
            listener_->on_banks(Cycle(cycle_), footprint.direction, shown_.data(), shown_.data() + shown_.size());
        }
        if (footprint.external) add_all(external_, groups, layout.groups);
        return Grant::granted;
    }
    if (conflicts_ != nullptr) count_conflicts(footprint, step);
    return !footprint.external && any_common(groups, external_, layout.groups) ? Grant::blocked_by_external
                                                                               : Grant::blocked;
}

/// Counts the banks that a refused request waits for: those that do something else; where there are none, those in
/// groups that are full. Words that wait for words do so for their sub-banks.
void Arbiter::count_conflicts(const Footprint& footprint, std::uint32_t step) {
    const bool reads = footprint.direction == Direction::read;
    const Uses& uses = reads ? reads_ : writes_;
    const auto bit_of = [](const Word* set, std::uint32_t member) {
        return (set[member / 64] >> (member % 64) & 1U) != 0;
    };
    const auto does_something_else = [&](const Touch& touch) {
        return is_busy(touch.bank) && !(footprint.indexed && bit_of(word_banks_, touch.bank)) &&
               !(reads && only_reads(touch.bank, touch.row));
    };
    const auto group_is_full = [&](const Touch& touch) {
        const std::uint32_t word = touch.group / 64;
        return ((uses.full(word) | accesses_.full(word)) >> (touch.group % 64) & 1U) != 0;
    };
    const auto count = [&](const auto& blocks) {
        std::fill(counted_.begin(), counted_.end(), Word{0});
        bool any = false;
        footprint.for_each_row(step, [&](const Touch& row) {
            if (bit_of(counted_.data(), row.bank) || !blocks(row)) return;
            counted_[row.bank / 64] |= Word{1} << (row.bank % 64);
            ++(*conflicts_)[row.bank];
            any = true;
        });
        return any;
    };
    if (!count(does_something_else)) count(group_is_full);
}

template <typename Layout>
bool Arbiter::request_rows(const Layout& layout, const Footprint& footprint, std::uint32_t step) {
    const Word* const banks = footprint.masks(step);
    const Word* const groups = banks + layout.banks;
    const bool reads = footprint.direction == Direction::read;
    if (any_common(banks, busy_, layout.banks)) return reads && merge_reads(layout, footprint, step);
    if (!room_in_groups(layout, groups, footprint.direction)) return false;
    add_all(busy_, banks, layout.banks);
    take_groups(layout, groups, footprint.direction);
    if (!reads) return true;
    add_all(mergeable_, banks, layout.banks);
    note_reads(footprint, step);
    return true;
}

void Arbiter::note_reads(const Footprint& footprint, std::uint32_t step) {
    const Touch* const last = footprint.end(step);
    for (const Touch* touch = footprint.begin(step); touch != last; ++touch) whole_reads_.push_back(*touch);
}

/// Reads of rows of which some banks are busy: with the same row, or the request waits.
template <typename Layout>
bool Arbiter::merge_reads(const Layout& layout, const Footprint& footprint, std::uint32_t step) {
    const Touch* const last = footprint.end(step);
    std::fill(fresh_.begin(), fresh_.end(), Word{0});
    for (const Touch* touch = footprint.begin(step); touch != last; ++touch) {
        for (std::uint32_t i = 0; i < touch->rows; ++i) {
            const std::uint32_t group = touch->group + i;
            if (!is_busy(touch->bank + i)) {
                fresh_[group / 64] |= Word{1} << (group % 64);
            } else if (!only_reads(touch->bank + i, touch->row + i)) {
                return false;
            }
        }
    }
    if (!room_in_groups(layout, fresh_.data(), Direction::read)) return false;
    take_groups(layout, fresh_.data(), Direction::read);
    add_all(busy_, footprint.masks(step), layout.banks);
    add_all(mergeable_, footprint.masks(step), layout.banks);
    take_all(word_banks_, footprint.masks(step), layout.banks);  // whose whole row is read now
    note_reads(footprint, step);
    return true;
}

template <typename Layout>
bool Arbiter::request_words(const Layout& layout, const Footprint& footprint, std::uint32_t step) {
    const Word* const banks = footprint.masks(step);
    const Word* const groups = banks + layout.banks;
    const Word* const ports = groups + layout.groups;
    const bool reads = footprint.direction == Direction::read;
    if (any_common(ports, ports_, layout.ports) || !room_in_groups(layout, groups, footprint.direction)) return false;
    const Touch* const first = footprint.begin(step);
    const Touch* const last = footprint.end(step);
    const bool meets_others = any_common(banks, busy_, layout.banks);
    if (meets_others) {
        for (const Touch* touch = first; touch != last; ++touch) {
            const std::uint32_t bank = touch->bank;
            if (!is_busy(bank) || (word_banks_[bank / 64] >> (bank % 64) & 1U) != 0) continue;
            if (!reads || !only_reads(bank, touch->row)) return false;
        }
    }
    // A bank that serves words of one row, all read, can still be read as a whole. Each bank's first word decides
    // which.
    for (const Touch* touch = first; touch != last; ++touch) {
        const Word bit = Word{1} << (touch->bank % 64);
        Word& busy = busy_[touch->bank / 64];
        Word& mergeable = mergeable_[touch->bank / 64];
        if ((busy & bit) == 0) {
            busy |= bit;
            word_banks_[touch->bank / 64] |= bit;
            if (reads) mergeable |= bit;
            word_row_[touch->bank] = touch->row;
        } else if ((word_banks_[touch->bank / 64] & bit) != 0 && word_row_[touch->bank] != touch->row) {
            mergeable &= ~bit;
        }
    }
    add_all(ports_, ports, layout.ports);
    take_groups(layout, groups, footprint.direction);
    if (!reads) take_all(mergeable_, banks, layout.banks);
    return true;
}

}  // namespace vcore::timing
