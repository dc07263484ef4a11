#include "models/timing/arbiter.hpp"

#include <algorithm>

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

}  // namespace

Arbiter::Arbiter(const UbGeometry& geometry)
    : layout_(geometry),
      busy_(layout_.banks, 0),
      mergeable_(layout_.banks, 0),
      word_banks_(layout_.banks, 0),
      ports_(layout_.ports, 0),
      external_(layout_.groups, 0),
      row_(geometry.banks(), 0),
      counted_(layout_.banks, 0),
      fresh_(layout_.groups, 0),
      reads_(geometry.reads_per_group, layout_.groups),
      writes_(geometry.writes_per_group, layout_.groups),
      accesses_(geometry.accesses_per_group, layout_.groups) {}

void Arbiter::clear() {
    used_ = false;
    for (std::vector<Word>* const set : {&busy_, &mergeable_, &word_banks_, &ports_, &external_}) {
        std::fill(set->begin(), set->end(), Word{0});
    }
    reads_.clear();
    writes_.clear();
    accesses_.clear();
}

bool Arbiter::room_in_groups(const Word* groups, Direction direction) const {
    const Uses& uses = direction == Direction::read ? reads_ : writes_;
    Word without_room = 0;
    for (std::uint32_t i = 0; i < layout_.groups; ++i) without_room |= groups[i] & (uses.full(i) | accesses_.full(i));
    return without_room == 0;
}

void Arbiter::take_groups(const Word* groups, Direction direction) {
    Uses& uses = direction == Direction::read ? reads_ : writes_;
    for (std::uint32_t i = 0; i < layout_.groups; ++i) {
        uses.add(i, groups[i]);
        accesses_.add(i, groups[i]);
    }
}

Grant Arbiter::request(const Footprint& footprint, std::uint32_t step) {
    if (footprint.begin(step) == footprint.end(step)) return Grant::granted;
    const Word* const groups = footprint.masks(step) + layout_.banks;
    if (footprint.indexed ? request_words(footprint, step) : request_rows(footprint, step)) {
        used_ = true;
        if (listener_ != nullptr) {
            listener_->on_banks(Cycle(cycle_), footprint.direction, footprint.begin(step), footprint.end(step));
        }
        if (footprint.external) add_all(external_.data(), groups, layout_.groups);
        return Grant::granted;
    }
    if (conflicts_ != nullptr) count_conflicts(footprint, step);
    return !footprint.external && any_common(groups, external_.data(), layout_.groups) ? Grant::blocked_by_external
                                                                                       : Grant::blocked;
}

/// Counts the banks that a refused request waits for: those that do something else; where there are none, those in
/// groups that are full. Words that wait for words do so for their sub-banks.
void Arbiter::count_conflicts(const Footprint& footprint, std::uint32_t step) {
    const bool reads = footprint.direction == Direction::read;
    const Uses& uses = reads ? reads_ : writes_;
    const auto bit_of = [](const std::vector<Word>& set, std::uint32_t member) {
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
        for (const Touch* touch = footprint.begin(step); touch != footprint.end(step); ++touch) {
            if (bit_of(counted_, touch->bank) || !blocks(*touch)) continue;
            counted_[touch->bank / 64] |= Word{1} << (touch->bank % 64);
            ++(*conflicts_)[touch->bank];
            any = true;
        }
        return any;
    };
    if (!count(does_something_else)) count(group_is_full);
}

bool Arbiter::request_rows(const Footprint& footprint, std::uint32_t step) {
    const Word* const banks = footprint.masks(step);
    const Word* const groups = banks + layout_.banks;
    const bool reads = footprint.direction == Direction::read;
    if (any_common(banks, busy_.data(), layout_.banks)) return reads && merge_reads(footprint, step);
    if (!room_in_groups(groups, footprint.direction)) return false;
    add_all(busy_.data(), banks, layout_.banks);
    take_groups(groups, footprint.direction);
    if (!reads) return true;
    add_all(mergeable_.data(), banks, layout_.banks);
    const Touch* const last = footprint.end(step);
    for (const Touch* touch = footprint.begin(step); touch != last; ++touch) row_[touch->bank] = touch->row;
    return true;
}

/// Reads of rows of which some banks are busy: with the same row, or the request waits.
bool Arbiter::merge_reads(const Footprint& footprint, std::uint32_t step) {
    const Touch* const first = footprint.begin(step);
    const Touch* const last = footprint.end(step);
    std::fill(fresh_.begin(), fresh_.end(), Word{0});
    for (const Touch* touch = first; touch != last; ++touch) {
        if (!is_busy(touch->bank)) {
            fresh_[touch->group / 64] |= Word{1} << (touch->group % 64);
        } else if (!only_reads(touch->bank, touch->row)) {
            return false;
        }
    }
    if (!room_in_groups(fresh_.data(), Direction::read)) return false;
    take_groups(fresh_.data(), Direction::read);
    add_all(busy_.data(), footprint.masks(step), layout_.banks);
    add_all(mergeable_.data(), footprint.masks(step), layout_.banks);
    take_all(word_banks_.data(), footprint.masks(step), layout_.banks);  // whose whole row is read now
    for (const Touch* touch = first; touch != last; ++touch) row_[touch->bank] = touch->row;
    return true;
}

bool Arbiter::request_words(const Footprint& footprint, std::uint32_t step) {
    const Word* const banks = footprint.masks(step);
    const Word* const groups = banks + layout_.banks;
    const Word* const ports = groups + layout_.groups;
    const bool reads = footprint.direction == Direction::read;
    if (any_common(ports, ports_.data(), layout_.ports) || !room_in_groups(groups, footprint.direction)) return false;
    const Touch* const first = footprint.begin(step);
    const Touch* const last = footprint.end(step);
    const bool meets_others = any_common(banks, busy_.data(), layout_.banks);
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
            row_[touch->bank] = touch->row;
        } else if (row_[touch->bank] != touch->row) {
            mergeable &= ~bit;
        }
    }
    add_all(ports_.data(), ports, layout_.ports);
    take_groups(groups, footprint.direction);
    if (!reads) take_all(mergeable_.data(), banks, layout_.banks);
    return true;
}

}  // namespace vcore::timing
