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
    std::vector<Placed> placed;
    std::vector<std::uint32_t> next_of_step;  // where a step's next touch goes
    std::uint32_t placed_steps = 0;
    void place(const Touch& touch, std::uint32_t step) {
        placed.push_back({touch, step});
        placed_steps = std::max(placed_steps, step + 1);
    }
    void start_placing() {
        next_stamp();
        placed.clear();
        placed_steps = 0;
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
    footprint.touches_.clear();
    footprint.steps_.clear();
    footprint.masks_.clear();
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

/// Neighbouring rows lie in neighbouring groups: each step takes as many as there are groups.
void FootprintMaker::add_run(std::uint32_t first_row, std::uint32_t rows, Footprint& footprint) const {
    for (std::uint32_t row = first_row; row < first_row + rows;) {
        const std::uint32_t end = std::min(first_row + rows, row + map_.geometry().bank_groups);
        const std::size_t masks = footprint.masks_.size();
        footprint.masks_.resize(masks + layout_.words());
        for (; row < end; ++row) {
            const Touch touch = row_touch(row);
            footprint.touches_.push_back(touch);
            mark(touch, footprint.masks_.data() + masks, false);
        }
        footprint.steps_.push_back({static_cast<std::uint32_t>(footprint.touches_.size()), false});
    }
}

/// Writes down what scratch_->placed holds, step by step.
void FootprintMaker::add_placed(Footprint& footprint) {
    Scratch& scratch = *scratch_;
    const std::size_t first_step = footprint.steps_.size();
    const auto first_touch = static_cast<std::uint32_t>(footprint.touches_.size());
    std::vector<std::uint32_t>& next = scratch.next_of_step;
    next.assign(scratch.placed_steps, 0);
    for (const Scratch::Placed& item : scratch.placed) ++next[item.step];
    std::uint32_t end = first_touch;
    for (std::uint32_t step = 0; step < scratch.placed_steps; ++step) {
        const std::uint32_t begin = end;
        end += next[step];
        next[step] = begin;
        footprint.steps_.push_back({end, footprint.indexed && step > 0});
    }
    footprint.touches_.resize(end);
    footprint.masks_.resize((first_step + scratch.placed_steps) * layout_.words());
    for (const Scratch::Placed& item : scratch.placed) {
        footprint.touches_[next[item.step]++] = item.touch;
        mark(item.touch, footprint.masks_.data() + (first_step + item.step) * layout_.words(), footprint.indexed);
    }
}

// ---- accesses

void FootprintMaker::make(const isa::ContiguousAccess& access, Direction direction, Footprint& footprint) {
    start(footprint, direction, false);
    if (access.bytes == 0) return;
    const std::uint32_t first = map_.row_index(access.address);
    const std::uint32_t last = map_.row_index(access.address + access.bytes - 1);
    if (access.all_enabled) return add_run(first, last - first + 1, footprint);
    Scratch& scratch = *scratch_;
    scratch.start_placing();
    const std::uint32_t row_bytes = map_.geometry().row_bytes;
    for (std::uint32_t row = first; row <= last; ++row) {
        const std::uint32_t begin = std::max(row * row_bytes, access.address) - access.address;
        const std::uint32_t end = std::min((row + 1) * row_bytes - access.address, access.bytes);
        if (!any_enabled(access, begin, end)) continue;
        const Touch touch = row_touch(row);
        scratch.place(touch, scratch.count_up(scratch.group_rows[touch.group]));
    }
    add_placed(footprint);
}

void FootprintMaker::make(const isa::BlockAccess& access, Direction direction, Footprint& footprint) {
    start(footprint, direction, false);
    Scratch& scratch = *scratch_;
    scratch.start_placing();
    const bool rewrites = direction == Direction::write && access.stride_bytes == 0;
    std::uint32_t next_row = 0;  // blocks ascend, so rows below are there already
    for (std::size_t block = 0; block < isa::kBlocksPerVector; ++block) {
        if (((access.active >> block) & 1U) == 0) continue;
        const std::uint32_t address = access.block(block);
        const std::uint32_t last_row = map_.row_index(address + isa::kBlockBytes - 1);
        std::uint32_t row = map_.row_index(address);
        if (!rewrites) row = std::max(row, next_row);
        for (; row <= last_row; ++row) {
            const Touch touch = row_touch(row);
            scratch.place(touch, scratch.count_up(scratch.group_rows[touch.group]));
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

void FootprintMaker::add_beat(const isa::IndexedAccess& access, std::uint32_t first_lane, std::uint32_t last_lane,
                              std::uint32_t offset, std::uint32_t bytes, Footprint& footprint) {
    Scratch& scratch = *scratch_;
    scratch.start_placing();
    scratch.placed_steps = 1;  // a beat without an active lane takes its cycle too
    for (std::uint32_t lane = first_lane; lane < last_lane; ++lane) {
        if (!access.is_active(lane)) continue;
        const std::uint32_t address = access.address[lane] + offset;
        const std::uint32_t last_word = scratch.word_bytes.quotient(address + bytes - 1);
        for (std::uint32_t word = scratch.word_bytes.quotient(address); word <= last_word; ++word) {
            if (scratch.word_seen[word] == scratch.stamp) continue;
            scratch.word_seen[word] = scratch.stamp;
            Touch touch = row_touch(scratch.sub_banks.quotient(word));
            touch.port = (scratch.per_bank ? touch.bank : touch.group) * scratch.sub_banks.value() +
                         scratch.sub_banks.remainder(word);
            scratch.place(touch, scratch.count_up(scratch.port_words[touch.port]));
        }
    }
    add_placed(footprint);
}

void FootprintMaker::make(const isa::IndexedAccess& access, std::uint32_t lanes_per_beat, Direction direction,
                          Footprint& footprint) {
    const bool blocks = access.element_bytes == isa::kBlockBytes;
    start(footprint, direction, !blocks);
    if (access.low == access.high) return;
    if (blocks) return make_block_gather(access, footprint);
    // 64-bit elements run as two passes, one for the low and one for the high words.
    const std::uint32_t passes = access.element_bytes == 8 ? 2 : 1;
    const std::uint32_t bytes = access.element_bytes / passes;
    for (std::uint32_t pass = 0; pass < passes; ++pass) {
        for (std::uint32_t first = 0; first < access.lanes; first += lanes_per_beat) {
            const std::uint32_t last = std::min<std::uint32_t>(access.lanes, first + lanes_per_beat);
            add_beat(access, first, last, pass * bytes, bytes, footprint);
        }
    }
}

void FootprintMaker::make_block_gather(const isa::IndexedAccess& access, Footprint& footprint) {
    Scratch& scratch = *scratch_;
    scratch.start_placing();
    for (std::uint32_t lane = 0; lane < access.lanes; ++lane) {
        if (!access.is_active(lane)) continue;
        const std::uint32_t last_row = map_.row_index(access.address[lane] + isa::kBlockBytes - 1);
        for (std::uint32_t row = map_.row_index(access.address[lane]); row <= last_row; ++row) {
            std::uint32_t& seen = scratch.word_seen[row * scratch.sub_banks.value()];
            if (seen == scratch.stamp) continue;
            seen = scratch.stamp;
            const Touch touch = row_touch(row);
            scratch.place(touch, scratch.count_up(scratch.group_rows[touch.group]));
        }
    }
    scratch.placed_steps = std::max(scratch.placed_steps, gather_scatter_.minimum_block_beats);
    add_placed(footprint);
}

}  // namespace vcore::timing
