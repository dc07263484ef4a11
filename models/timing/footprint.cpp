#include "models/timing/footprint.hpp"

#include <algorithm>
#include <array>

namespace vcore::timing {

namespace {

std::uint32_t words_for(std::uint64_t bits) {
    return static_cast<std::uint32_t>((bits + 63) / 64);
}

void set_bit(std::uint64_t* words, std::uint32_t bit) {
    words[bit / 64] |= std::uint64_t{1} << (bit % 64);
}

/// Bits [first, first + count).
void set_bits_across_words(std::uint64_t* words, std::uint32_t first, std::uint32_t count) {
    while (count > 0) {
        const std::uint32_t in_word = std::min(count, 64 - first % 64);
        const std::uint64_t bits = in_word == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << in_word) - 1;
        words[first / 64] |= bits << (first % 64);
        first += in_word;
        count -= in_word;
    }
}

inline void set_bits(std::uint64_t* words, std::uint32_t first, std::uint32_t count) {
    if (first % 64 + count >= 64) return set_bits_across_words(words, first, count);
    words[first / 64] |= ((std::uint64_t{1} << count) - 1) << (first % 64);
}

bool any_enabled(const isa::ContiguousAccess& access, std::uint32_t first, std::uint32_t last) {
    while (first < last && !access.enabled(first)) ++first;
    return first < last;
}

bool sub_banks_per_bank(const UbGeometry& geometry) {
    return geometry.sub_bank_scope == SubBankScope::bank && geometry.sub_banks > 1;
}

}  // namespace

MaskLayout::MaskLayout(const UbGeometry& geometry)
    : banks(words_for(geometry.banks())),
      groups(words_for(geometry.bank_groups)),
      ports(words_for(std::uint64_t{geometry.sub_banks} *
                      (sub_banks_per_bank(geometry) ? geometry.banks() : geometry.bank_groups))) {}

/// Space for one access. Counters are valid where their stamp is the current one.
struct FootprintMaker::Scratch {
    explicit Scratch(const UbGeometry& geometry)
        : word_bytes(geometry.row_bytes / geometry.sub_banks),
          sub_banks(geometry.sub_banks),
          per_bank(sub_banks_per_bank(geometry)),
          word_seen(geometry.bytes() / word_bytes.value(), 0),
          port_words(std::size_t{geometry.sub_banks} * (per_bank ? geometry.banks() : geometry.bank_groups)),
          group_rows(geometry.bank_groups) {}

    struct Counter {
        std::uint32_t stamp = 0;
        std::uint32_t count = 0;
    };
    std::uint32_t count_up(Counter& counter) const {
        if (counter.stamp != stamp) counter = {stamp, 0};
        return counter.count++;
    }
    void next_stamp() {
        if (++stamp != 0) return;
        std::fill(word_seen.begin(), word_seen.end(), 0U);
        std::fill(port_words.begin(), port_words.end(), Counter{});
        std::fill(group_rows.begin(), group_rows.end(), Counter{});
        stamp = 1;
    }

    Divisor word_bytes;
    Divisor sub_banks;
    bool per_bank;
    std::uint32_t stamp = 0;
    std::vector<std::uint32_t> word_seen;  // stamp of the last beat that touched the word
    std::vector<Counter> port_words;       // distinct words of a port in this beat
    std::vector<Counter> group_rows;       // rows of a group in this access

    /// What is wanted, and the step in which it can be had.
    struct Placed {
        Touch touch;
        std::uint32_t step;
    };
    /// A beat's lanes, each of which may lie in four words of a byte.
    std::array<Placed, 4 * isa::kMaxIndexedLanes> placed;
    std::uint32_t placed_count = 0;
    std::uint32_t placed_steps = 0;
    std::vector<std::uint32_t> next_of_step;  // where a step's next touch goes
    void place(const Touch& touch, std::uint32_t step) {
        placed[placed_count++] = {touch, step};
        placed_steps = std::max(placed_steps, step + 1);
    }
    void start_placing(std::uint32_t least_steps = 0) {
        next_stamp();
        placed_count = 0;
        placed_steps = least_steps;
    }
};

FootprintMaker::FootprintMaker(const UbGeometry& geometry, const GatherScatterParameters& gather_scatter)
    : map_(geometry),
      layout_(geometry),
      gather_scatter_(gather_scatter),
      scratch_(std::make_unique<Scratch>(geometry)) {}
FootprintMaker::~FootprintMaker() = default;
FootprintMaker::FootprintMaker(FootprintMaker&&) noexcept = default;
FootprintMaker& FootprintMaker::operator=(FootprintMaker&&) noexcept = default;

// ---- steps

void FootprintMaker::start(Footprint& footprint, Direction direction, bool indexed) const {
    footprint.direction = direction;
    footprint.indexed = indexed;
    footprint.external = false;
    footprint.clear();
    footprint.mask_words_ = layout_.words();
}

void FootprintMaker::mark(const Touch& touch, std::uint64_t* masks, bool indexed) const {
    set_bit(masks, touch.bank);
    set_bit(masks + layout_.banks, touch.group);
    if (indexed) set_bit(masks + layout_.banks + layout_.groups, touch.port);
}

Touch FootprintMaker::row_touch(std::uint32_t row) const {
    Touch made;
    made.row = row;
    made.bank = static_cast<std::uint16_t>(value(map_.bank_of_row(row)));
    made.group = static_cast<std::uint16_t>(map_.group_of_row(row));
    return made;
}

/// Puts a row into the first step in which its group is free: a port touches each group once per cycle.
void FootprintMaker::place_row(std::uint32_t row) {
    const Touch touch = row_touch(row);
    scratch_->place(touch, scratch_->count_up(scratch_->group_rows[touch.group]));
}

/// Neighbouring rows lie in neighbouring groups: each step takes as many as there are groups.
void FootprintMaker::add_run(std::uint32_t first_row, std::uint32_t rows, Footprint& footprint) const {
    const UbGeometry& geometry = map_.geometry();
    for (std::uint32_t row = first_row; row < first_row + rows;) {
        const std::uint32_t count = std::min(first_row + rows - row, geometry.bank_groups);
        std::uint64_t* const masks = footprint.add_steps(1);
        for (std::uint32_t done = 0; done < count;) {  // up to the last group, groups and banks are neighbours too
            Touch& touch = *footprint.add_touches(1);
            touch.row = row + done;
            touch.port = Touch::kWholeRow;
            touch.bank = static_cast<std::uint16_t>(value(map_.bank_of_row(touch.row)));
            touch.group = static_cast<std::uint16_t>(map_.group_of_row(touch.row));
            touch.rows = std::min(count - done, geometry.bank_groups - touch.group);
            set_bits(masks, touch.bank, touch.rows);
            set_bits(masks + layout_.banks, touch.group, touch.rows);
            done += touch.rows;
        }
        footprint.storage_->steps[footprint.step_count_ - 1] = {footprint.touch_count_, false};
        row += count;
    }
}

/// Writes down what scratch_->placed holds, step by step.
void FootprintMaker::add_placed(Footprint& footprint) {
    Scratch& scratch = *scratch_;
    const std::uint32_t steps = scratch.placed_steps;
    if (steps == 0) return;
    const Scratch::Placed* const last = scratch.placed.data() + scratch.placed_count;
    std::uint64_t* const masks = footprint.add_steps(steps);
    Footprint::Step* const first_step = footprint.storage_->steps.data() + footprint.step_count_ - steps;
    std::uint32_t end = footprint.touch_count_;
    footprint.add_touches(scratch.placed_count);
    std::vector<std::uint32_t>& next = scratch.next_of_step;
    next.assign(steps, 0);
    for (const Scratch::Placed* item = scratch.placed.data(); item != last; ++item) ++next[item->step];
    for (std::uint32_t step = 0; step < steps; ++step) {
        const std::uint32_t begin = end;
        end += next[step];
        next[step] = begin;
        first_step[step] = {end, footprint.indexed && step > 0};
    }
    for (const Scratch::Placed* item = scratch.placed.data(); item != last; ++item) {
        footprint.storage_->touches[next[item->step]++] = item->touch;
        mark(item->touch, masks + std::size_t{item->step} * layout_.words(), footprint.indexed);
    }
}

// ---- accesses

void FootprintMaker::make(const isa::ContiguousAccess& access, Direction direction, Footprint& footprint) {
    start(footprint, direction, false);
    if (access.bytes == 0) return;
    const std::uint32_t first = map_.row_index(access.address);
    const std::uint32_t last = map_.row_index(access.address + access.bytes - 1);
    if (access.all_enabled) return add_run(first, last - first + 1, footprint);
    scratch_->start_placing();
    const std::uint32_t row_bytes = map_.geometry().row_bytes;
    for (std::uint32_t row = first; row <= last; ++row) {
        const std::uint32_t begin = std::max(row * row_bytes, access.address) - access.address;
        const std::uint32_t end = std::min((row + 1) * row_bytes - access.address, access.bytes);
        if (any_enabled(access, begin, end)) place_row(row);
    }
    add_placed(footprint);
}

void FootprintMaker::make(const isa::BlockAccess& access, Direction direction, Footprint& footprint) {
    start(footprint, direction, false);
    scratch_->start_placing();
    const bool rewrites = direction == Direction::write && access.stride_bytes == 0;
    std::uint32_t next_row = 0;  // blocks ascend, so rows below are there already
    for (std::size_t block = 0; block < isa::kBlocksPerVector; ++block) {
        if (((access.active >> block) & 1U) == 0) continue;
        const std::uint32_t address = access.block(block);
        const std::uint32_t last_row = map_.row_index(address + isa::kBlockBytes - 1);
        std::uint32_t row = map_.row_index(address);
        if (!rewrites) row = std::max(row, next_row);
        for (; row <= last_row; ++row) {
            place_row(row);
        }
        next_row = last_row + 1;
    }
    add_placed(footprint);
}

void FootprintMaker::make(std::uint32_t address, std::uint32_t bytes, std::uint32_t bytes_per_step, Direction direction,
                          Footprint& footprint) {
    start(footprint, direction, false);
    if (bytes == 0) return;
    const std::uint32_t rows_per_step = std::max(1U, bytes_per_step / map_.geometry().row_bytes);
    const std::uint32_t last = map_.row_index(address + bytes - 1);
    for (std::uint32_t row = map_.row_index(address); row <= last; row += rows_per_step) {
        add_run(row, std::min(rows_per_step, last + 1 - row), footprint);
    }
}

/// `simple`: every division of the address map is a mask, words are no narrower than what a lane moves, and a port is
/// the low part of a word's number.
template <bool simple>
void FootprintMaker::place_words(const isa::IndexedAccess& access, std::uint32_t first_lane, std::uint32_t last_lane,
                                 std::uint32_t offset, std::uint32_t bytes) {
    Scratch& scratch = *scratch_;
    const UbGeometry& geometry = map_.geometry();
    const auto place_word = [&](std::uint32_t word) {
        std::uint32_t& seen = scratch.word_seen[word];
        if (seen == scratch.stamp) return;
        seen = scratch.stamp;
        Touch touch;
        if constexpr (simple) {
            touch.row = word >> scratch.sub_banks.shift();
            touch.bank = static_cast<std::uint16_t>(touch.row & (geometry.banks() - 1));
            touch.group = static_cast<std::uint16_t>(touch.row & (geometry.bank_groups - 1));
            touch.port = word & (geometry.bank_groups * geometry.sub_banks - 1);
        } else {
            touch = row_touch(scratch.sub_banks.quotient(word));
            touch.port = (scratch.per_bank ? touch.bank : touch.group) * scratch.sub_banks.value() +
                         scratch.sub_banks.remainder(word);
        }
        scratch.place(touch, scratch.count_up(scratch.port_words[touch.port]));
    };
    for (std::uint32_t lane = first_lane; lane < last_lane; ++lane) {
        if (!access.all_active && !access.is_active(lane)) continue;
        const std::uint32_t address = access.address[lane] + offset;
        if constexpr (simple) {
            place_word(address >> scratch.word_bytes.shift());
        } else {
            const std::uint32_t last_word = scratch.word_bytes.quotient(address + bytes - 1);
            for (std::uint32_t word = scratch.word_bytes.quotient(address); word <= last_word; ++word) place_word(word);
        }
    }
}

void FootprintMaker::make(const isa::IndexedAccess& access, std::uint32_t lanes_per_beat, Direction direction,
                          Footprint& footprint) {
    const bool blocks = access.element_bytes == isa::kBlockBytes;
    start(footprint, direction, !blocks);
    if (access.low == access.high) return;
    if (blocks) {
        place_block_gather(access);
        return add_placed(footprint);
    }
    // 64-bit elements run as two passes, one for the low and one for the high words.
    const std::uint32_t passes = access.element_bytes == 8 ? 2 : 1;
    const std::uint32_t bytes = access.element_bytes / passes;
    const UbGeometry& geometry = map_.geometry();
    const bool simple = geometry.order == AddressOrder::row_bank_group && !scratch_->per_bank &&
                        (geometry.banks() & (geometry.banks() - 1)) == 0 &&
                        (geometry.bank_groups & (geometry.bank_groups - 1)) == 0 &&
                        scratch_->word_bytes.value() >= bytes;
    for (std::uint32_t pass = 0; pass < passes; ++pass) {
        for (std::uint32_t first = 0; first < access.lanes; first += lanes_per_beat) {
            const std::uint32_t last = std::min<std::uint32_t>(access.lanes, first + lanes_per_beat);
            scratch_->start_placing(1);  // a beat without an active lane takes its cycle too
            if (simple) {
                place_words<true>(access, first, last, pass * bytes, bytes);
            } else {
                place_words<false>(access, first, last, pass * bytes, bytes);
            }
            add_placed(footprint);
        }
    }
}

void FootprintMaker::place_block_gather(const isa::IndexedAccess& access) {
    Scratch& scratch = *scratch_;
    scratch.start_placing(gather_scatter_.minimum_block_beats);
    for (std::uint32_t lane = 0; lane < access.lanes; ++lane) {
        if (!access.is_active(lane)) continue;
        const std::uint32_t last_row = map_.row_index(access.address[lane] + isa::kBlockBytes - 1);
        for (std::uint32_t row = map_.row_index(access.address[lane]); row <= last_row; ++row) {
            std::uint32_t& seen = scratch.word_seen[row * scratch.sub_banks.value()];
            if (seen == scratch.stamp) continue;
            seen = scratch.stamp;
            place_row(row);
        }
    }
}

}  // namespace vcore::timing
