#include "models/timing/bank_rules.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "models/isa/instruction_set.hpp"

namespace vcore::timing {

namespace {

using isa::IndexedAccess;

/// One counter per value of a byte: the low byte of a word number is its index, at no cost.
constexpr std::uint32_t kFoldedCells = 256;
/// In place of a constant of the geometry: it is not known before run time.
constexpr std::uint32_t kVariable = 0;
/// Words that a LaneWords can number.
constexpr std::size_t kMostWords = 0x10000;
/// Word numbers of the widest bitmap.
constexpr std::uint32_t kBitmapWords = 64;

using CellCounts = std::array<std::uint8_t, kFoldedCells>;

/// Number of the word that a lane touches, by lane; of lanes past the last anything.
using LaneWords = std::array<std::uint16_t, isa::kMaxIndexedLanes>;

/// 16 counters at once; GCC and Clang compile it to one vector register. Counters never exceed 128, the lanes of an
/// access, so sums of them never overflow.
using Bytes16 = std::uint8_t __attribute__((vector_size(16)));

Bytes16 load16(const std::uint8_t* from) {
    Bytes16 bytes;
    std::memcpy(&bytes, from, sizeof bytes);
    return bytes;
}
void store16(std::uint8_t* to, Bytes16 bytes) {
    std::memcpy(to, &bytes, sizeof bytes);
}
Bytes16 larger(Bytes16 a, Bytes16 b) {
    return a > b ? a : b;
}

std::uint32_t largest_byte(Bytes16 bytes) {
    using Words2 = std::uint64_t __attribute__((vector_size(16)));
    using Words4 = std::uint32_t __attribute__((vector_size(16)));
    Words2 pair = reinterpret_cast<Words2>(bytes);
    bytes = larger(bytes, reinterpret_cast<Bytes16>(Words2{pair[1], 0}));
    pair = reinterpret_cast<Words2>(bytes);
    bytes = larger(bytes, reinterpret_cast<Bytes16>(pair >> 32));
    Words4 word = reinterpret_cast<Words4>(bytes);
    bytes = larger(bytes, reinterpret_cast<Bytes16>(word >> 16));
    word = reinterpret_cast<Words4>(bytes);
    bytes = larger(bytes, reinterpret_cast<Bytes16>(word >> 8));
    return bytes[0];
}

/// Adds up the counters that share a remainder by `width`: sums[i] = counts[i] + counts[i + width] + ...
/// `width` is a power of two, at least 16.
inline void fold(const CellCounts& counts, std::uint32_t width, std::uint8_t* sums) {
#pragma GCC unroll 4
    for (std::uint32_t i = 0; i < width; i += 16) {
        Bytes16 sum = load16(counts.data() + i);
#pragma GCC unroll 4
        for (std::uint32_t j = i + width; j < kFoldedCells; j += width) sum += load16(counts.data() + j);
        store16(sums + i, sum);
    }
}

/// The largest of the sums over cells that share a remainder by `width`. Both are powers of two, at least 16.
inline std::uint32_t largest_sum(const std::uint8_t* cells, std::uint32_t count, std::uint32_t width) {
    Bytes16 most{};
#pragma GCC unroll 4
    for (std::uint32_t i = 0; i < width; i += 16) {
        Bytes16 sum = load16(cells + i);
#pragma GCC unroll 4
        for (std::uint32_t j = i + width; j < count; j += width) sum += load16(cells + j);
        most = larger(most, sum);
    }
    return largest_byte(most);
}

/// Calls visit(of_lane[lane]) for the active lanes among [first, last). Inlined by force: as a call, it would reload
/// what `visit` captured for every lane.
template <typename OfLane, typename Visit>
[[gnu::always_inline]] inline void for_active_lanes(const IndexedAccess& access, const OfLane& of_lane,
                                                    std::uint32_t first, std::uint32_t last, Visit&& visit) {
    if (access.all_active) {
        const auto* lane = of_lane.data() + first;
        const auto* const end = of_lane.data() + last;
        for (; end - lane >= 8; lane += 8) {
            visit(lane[0]);
            visit(lane[1]);
            visit(lane[2]);
            visit(lane[3]);
            visit(lane[4]);
            visit(lane[5]);
            visit(lane[6]);
            visit(lane[7]);
        }
        for (; lane != end; ++lane) visit(*lane);
        return;
    }
    while (first < last) {
        const std::uint32_t end = std::min(last, (first | 63U) + 1);
        std::uint64_t bits = access.active[first / 64] >> (first % 64);
        if (end - first < 64) bits &= (std::uint64_t{1} << (end - first)) - 1;
        for (; bits != 0; bits &= bits - 1) visit(of_lane[first + static_cast<std::uint32_t>(__builtin_ctzll(bits))]);
        first = end;
    }
}

/// Computes all at once, by vectors, what would else cost an instruction a lane.
[[gnu::always_inline]] inline void number_words(const IndexedAccess& access, std::uint32_t word_shift,
                                                LaneWords& words) {
    constexpr std::size_t kStep = 32;
    static_assert(isa::kMaxIndexedLanes % kStep == 0);
    for (std::size_t first = 0; first < access.lanes; first += kStep) {
        for (std::size_t lane = first; lane < first + kStep; ++lane)
            words[lane] = static_cast<std::uint16_t>(access.address[lane] >> word_shift);
    }
}

/// The part of an element that a pass moves.
struct Part {
    std::uint32_t offset;
    std::uint32_t bytes;
};

/// Whether any byte in [first, last) of the access takes part.
bool any_enabled(const isa::ContiguousAccess& access, std::uint32_t first, std::uint32_t last) {
    while (first < last) {
        const std::uint32_t end = std::min(last, (first | 63U) + 1);
        std::uint64_t bits = access.enable[first / 64] >> (first % 64);
        if (end - first < 64) bits &= (std::uint64_t{1} << (end - first)) - 1;
        if (bits != 0) return true;
        first = end;
    }
    return false;
}

}  // namespace

/// Words (sub-bank words, or rows where there are no sub-banks) are numbered in address order, as rows are. Since
/// sub-bank and group are the lowest fields of that number, a (group, sub-bank) is its remainder in every geometry.
struct BankRules::Scratch {
    explicit Scratch(const AddressMap& map)
        : word_bytes(map.geometry().row_bytes / map.geometry().sub_banks),
          sub_banks(map.geometry().sub_banks),
          ports(map.geometry().sub_banks * map.geometry().bank_groups),
          cells(map.geometry().sub_banks * map.geometry().banks()),
          per_bank(map.geometry().sub_bank_scope == SubBankScope::bank && map.geometry().sub_banks > 1),
          resources(per_bank ? cells : ports.value()),
          seen(map.geometry().bytes() / word_bytes.value(), 0),
          resource_words(resources, 0),
          group_rows(map.geometry().bank_groups, 0) {
        // Where the bank stands right above the group, cells are remainders too. A word holds every element whole (or
        // both halves of a 64-bit one), since elements are aligned to their size.
        folded = map.geometry().order == AddressOrder::row_bank_group && word_bytes.power_of_two() &&
                 word_bytes.value() >= 8 && seen.size() <= kMostWords && sub_banks.power_of_two() &&
                 sub_banks.value() <= 8 && ports.power_of_two() && (cells & (cells - 1)) == 0 && ports.value() >= 16 &&
                 cells <= kFoldedCells;
    }

    /// A value that no entry of `seen` has yet: every word is new again. Epochs only grow.
    std::uint8_t next_epoch() {
        if (epoch == 0xFF) {
            std::fill(seen.begin(), seen.end(), std::uint8_t{0});
            epoch = 0;
        }
        return ++epoch;
    }

    /// Cycles of a gather or scatter of `part` of each element, in any geometry.
    std::uint32_t general(const AddressMap& map, const IndexedAccess& access, std::uint32_t lanes_per_beat, Part part,
                          std::uint64_t* banks);

    /// Cycles of a gather or scatter, once, and `passes` times its words added to `banks`. Precondition: folded.
    std::uint32_t by_cells(const IndexedAccess& access, std::uint32_t lanes_per_beat, std::uint32_t passes,
                           std::uint64_t* banks);
    /// The same with the geometry in constants, or in none where they are kVariable.
    template <std::uint32_t word_shift, std::uint32_t cell_count, std::uint32_t resource_count>
    std::uint32_t by_constant_cells(const IndexedAccess& access, std::uint32_t lanes_per_beat, std::uint32_t passes,
                                    std::uint64_t* banks);
    template <std::uint32_t word_shift, std::uint32_t cell_count, std::uint32_t resource_count>
    VCORE_FOR_AVX2 std::uint32_t by_constant_cells_avx2(const IndexedAccess& access, std::uint32_t lanes_per_beat,
                                                        std::uint32_t passes, std::uint64_t* banks);
    template <std::uint32_t word_shift, std::uint32_t cell_count, std::uint32_t resource_count>
    std::uint32_t count_cells(const IndexedAccess& access, std::uint32_t lanes_per_beat, std::uint32_t passes,
                              std::uint64_t* banks);
    /// Counts the distinct words of lanes [first, last), each under the low byte of its number.
    void count_words(const IndexedAccess& access, const LaneWords& words, std::uint32_t first, std::uint32_t last,
                     CellCounts& counts);
    /// The same where all words lie in [first_word, first_word + bitmap_words()). `word_shift` 0: any.
    template <std::uint32_t word_shift>
    std::uint32_t by_bitmap(const IndexedAccess& access, std::uint32_t lanes_per_beat, std::uint32_t first_word,
                            std::uint32_t passes, std::uint64_t* banks);
    /// So few consecutive words that no resource has to serve three of them.
    std::uint32_t bitmap_words() const { return std::min(kBitmapWords, 2 * resources); }

    Divisor word_bytes;
    Divisor sub_banks;
    Divisor ports;        // (group, sub-bank) pairs
    std::uint32_t cells;  // (bank, group, sub-bank) triples
    bool per_bank;        // the serial resource is a cell, not a port
    bool folded;          // the fast ways to count apply
    std::uint32_t resources;

    std::vector<std::uint8_t> seen;  // per word: the epoch of the last beat that touched it
    std::uint8_t epoch = 0;
    std::vector<std::uint32_t> resource_words;
    std::vector<std::uint32_t> group_rows;  // all zero between calls
};

std::uint32_t BankRules::Scratch::general(const AddressMap& map, const IndexedAccess& access,
                                          std::uint32_t lanes_per_beat, Part part, std::uint64_t* banks) {
    std::uint32_t cycles = 0;
    for (std::uint32_t first = 0; first < access.lanes; first += lanes_per_beat) {
        const std::uint32_t last = std::min<std::uint32_t>(access.lanes, first + lanes_per_beat);
        const std::uint8_t now = next_epoch();
        std::uint32_t most = 1;
        std::fill(resource_words.begin(), resource_words.end(), 0U);
        for_active_lanes(access, access.address, first, last, [&](std::uint32_t address) {
            const std::uint32_t begin = word_bytes.quotient(address + part.offset);
            const std::uint32_t end = word_bytes.quotient(address + part.offset + part.bytes - 1);
            for (std::uint32_t word = begin; word <= end; ++word) {
                if (seen[word] == now) continue;
                seen[word] = now;
                const std::uint32_t bank = value(map.bank_of_row(sub_banks.quotient(word)));
                const std::uint32_t resource =
                    per_bank ? bank * sub_banks.value() + sub_banks.remainder(word) : ports.remainder(word);
                most = std::max(most, ++resource_words[resource]);
                ++banks[bank];
            }
        });
        cycles += most;
    }
    return cycles;
}

[[gnu::always_inline]] inline void BankRules::Scratch::count_words(const IndexedAccess& access, const LaneWords& words,
                                                                   std::uint32_t first, std::uint32_t last,
                                                                   CellCounts& counts) {
    std::uint8_t* const last_seen = seen.data();
    const std::uint8_t now = next_epoch();
    counts.fill(0);
    // Since epochs grow, "not seen in this beat" is one unsigned comparison whose carry is added to the counter.
    for_active_lanes(access, words, first, last, [&](std::uint32_t word) {
        std::uint8_t& count = counts[word % kFoldedCells];
        count = static_cast<std::uint8_t>(count + (last_seen[word] < now));
        last_seen[word] = now;
    });
}

template <std::uint32_t word_shift, std::uint32_t cell_count, std::uint32_t resource_count>
[[gnu::always_inline]] inline std::uint32_t BankRules::Scratch::count_cells(const IndexedAccess& access,
                                                                            std::uint32_t lanes_per_beat,
                                                                            std::uint32_t passes,
                                                                            std::uint64_t* banks) {
    const std::uint32_t width = cell_count != kVariable ? cell_count : cells;
    const std::uint32_t ports_width = resource_count != kVariable ? resource_count : resources;
    const std::uint32_t shift = word_shift != kVariable ? word_shift : word_bytes.shift();
    const std::uint32_t sub_bank_count = cell_count != kVariable ? 4 : sub_banks.value();
    std::uint32_t cycles = 0;
    alignas(32) LaneWords words;
    number_words(access, shift, words);
    alignas(16) CellCounts beat;
    alignas(16) CellCounts total;
    std::memset(total.data(), 0, width);
    const auto add_up = [&](const CellCounts& counts) {
        fold(counts, width, beat.data());
#pragma GCC unroll 4
        for (std::uint32_t i = 0; i < width; i += 16)
            store16(total.data() + i, load16(total.data() + i) + load16(beat.data() + i));
        cycles += std::max(1U, largest_sum(beat.data(), width, ports_width));
    };
    // A beat is added up after the next one has been counted: by then its byte-wide stores have left the store buffer,
    // and the wide loads do not wait for them.
    alignas(16) std::array<CellCounts, 2> counts;
    std::uint32_t beats = 0;
    for (std::uint32_t first = 0; first < access.lanes; first += lanes_per_beat, ++beats) {
        count_words(access, words, first, std::min<std::uint32_t>(access.lanes, first + lanes_per_beat),
                    counts[beats % 2]);
        if (beats > 0) add_up(counts[(beats - 1) % 2]);
    }
    add_up(counts[(beats - 1) % 2]);
    if (passes == 2) {
        for (std::uint32_t cell = 0; cell < width; ++cell) total[cell] = static_cast<std::uint8_t>(2 * total[cell]);
    }
    if (sub_bank_count == 4) {
#pragma GCC unroll 4
        for (std::uint32_t cell = 0; cell < width; cell += 4) {
            std::uint32_t four;
            std::memcpy(&four, total.data() + cell, sizeof four);
            banks[cell / 4] += (four * 0x01010101U) >> 24;
        }
    } else {
        for (std::uint32_t cell = 0; cell < width; ++cell) banks[sub_banks.quotient(cell)] += total[cell];
    }
    return cycles;
}

template <std::uint32_t word_shift, std::uint32_t cell_count, std::uint32_t resource_count>
std::uint32_t BankRules::Scratch::by_constant_cells(const IndexedAccess& access, std::uint32_t lanes_per_beat,
                                                    std::uint32_t passes, std::uint64_t* banks) {
    return count_cells<word_shift, cell_count, resource_count>(access, lanes_per_beat, passes, banks);
}

template <std::uint32_t word_shift, std::uint32_t cell_count, std::uint32_t resource_count>
VCORE_FOR_AVX2 std::uint32_t BankRules::Scratch::by_constant_cells_avx2(const IndexedAccess& access,
                                                                        std::uint32_t lanes_per_beat,
                                                                        std::uint32_t passes, std::uint64_t* banks) {
    return count_cells<word_shift, cell_count, resource_count>(access, lanes_per_beat, passes, banks);
}

std::uint32_t BankRules::Scratch::by_cells(const IndexedAccess& access, std::uint32_t lanes_per_beat,
                                           std::uint32_t passes, std::uint64_t* banks) {
    const bool architecture_3510 = word_bytes.value() == 8 && cells == 64 && resources == 32 && sub_banks.value() == 4;
    if (!architecture_3510) {
        return by_constant_cells<kVariable, kVariable, kVariable>(access, lanes_per_beat, passes, banks);
    }
    return isa::has_avx2() ? by_constant_cells_avx2<3, 64, 32>(access, lanes_per_beat, passes, banks)
                           : by_constant_cells<3, 64, 32>(access, lanes_per_beat, passes, banks);
}

template <std::uint32_t word_shift>
std::uint32_t BankRules::Scratch::by_bitmap(const IndexedAccess& access, std::uint32_t lanes_per_beat,
                                            std::uint32_t first_word, std::uint32_t passes, std::uint64_t* banks) {
    const std::uint32_t shift = word_shift != 0 ? word_shift : word_bytes.shift();
    const std::uint32_t row_words = sub_banks.value();
    const std::uint32_t first_row = first_word >> sub_banks.shift();
    const std::uint32_t bank_mask = (cells >> sub_banks.shift()) - 1;
    const std::uint64_t row_mask = (std::uint64_t{1} << row_words) - 1;
    std::uint32_t cycles = 0;
    for (std::uint32_t first = 0; first < access.lanes; first += lanes_per_beat) {
        const std::uint32_t last = std::min<std::uint32_t>(access.lanes, first + lanes_per_beat);
        std::uint64_t words = 0;
        for_active_lanes(access, access.address, first, last, [&](std::uint32_t address) {
            words |= std::uint64_t{1} << ((address >> shift) % kBitmapWords);
        });
        const std::uint32_t turn = first_word % kBitmapWords;  // to the first word in bit 0
        words = (words >> turn) | (words << ((kBitmapWords - turn) % kBitmapWords));
        cycles += resources < kBitmapWords && (words & (words >> resources)) != 0 ? 2 : 1;
        // Bits are added up in place: pairs, nibbles, bytes, until a field holds what its row serves.
        std::uint64_t counts = words;
        if (row_words >= 2) counts -= (counts >> 1) & 0x5555555555555555U;
        if (row_words >= 4) counts = (counts & 0x3333333333333333U) + ((counts >> 2) & 0x3333333333333333U);
        if (row_words >= 8) counts = (counts + (counts >> 4)) & 0x0F0F0F0F0F0F0F0FU;
        for (std::uint32_t row = first_row; counts != 0; ++row, counts >>= row_words)
            banks[row & bank_mask] += (counts & row_mask) * passes;
    }
    return cycles;
}

BankRules::BankRules(const UbGeometry& geometry, const GatherScatterParameters& gather_scatter)
    : map_(geometry), gather_scatter_(gather_scatter), scratch_(std::make_unique<Scratch>(map_)) {}
BankRules::~BankRules() = default;
BankRules::BankRules(BankRules&&) noexcept = default;
BankRules& BankRules::operator=(BankRules&&) noexcept = default;

AccessCost BankRules::cost(const isa::ContiguousAccess& access, Direction direction, BankCounters& counters) {
    AccessCost cost;
    if (access.bytes == 0) return cost;
    std::vector<std::uint64_t>& banks = direction == Direction::read ? counters.reads : counters.writes;
    const std::uint32_t groups = map_.geometry().bank_groups;
    const std::uint32_t row_bytes = map_.geometry().row_bytes;
    const std::uint32_t first_row = map_.row_index(access.address);
    const std::uint32_t last_row = map_.row_index(access.address + access.bytes - 1);
    if (access.all_enabled) {
        for (std::uint32_t row = first_row; row <= last_row;) {  // up to the last group, bank numbers are neighbours
            const std::uint32_t end = std::min(last_row + 1, row + groups - map_.group_of_row(row));
            std::uint64_t* bank = &banks[value(map_.bank_of_row(row))];
            for (; row < end; ++row) ++*bank++;
        }
        const std::uint32_t rows = last_row - first_row + 1;
        cost.beats = rows <= groups ? 1 : (rows + groups - 1) / groups;
        return cost;
    }
    std::vector<std::uint32_t>& group_rows = scratch_->group_rows;
    for (std::uint32_t row = first_row; row <= last_row; ++row) {
        const std::uint64_t row_address = std::uint64_t{row} * row_bytes;
        const std::uint64_t first = std::max<std::uint64_t>(row_address, access.address) - access.address;
        const std::uint64_t last = std::min<std::uint64_t>(row_address + row_bytes - access.address, access.bytes);
        if (!any_enabled(access, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last))) continue;
        ++banks[value(map_.bank_of_row(row))];
        cost.beats = std::max(cost.beats, ++group_rows[map_.group_of_row(row)]);
    }
    for (std::uint32_t row = first_row; row <= last_row; ++row) group_rows[map_.group_of_row(row)] = 0;
    return cost;
}

AccessCost BankRules::cost(const isa::BlockAccess& access, Direction direction, BankCounters& counters) {
    AccessCost cost;
    std::vector<std::uint64_t>& banks = direction == Direction::read ? counters.reads : counters.writes;
    std::vector<std::uint32_t>& group_rows = scratch_->group_rows;
    const bool rewrites = direction == Direction::write && access.stride_bytes == 0;
    std::uint32_t next_row = 0;  // blocks ascend, so rows below have been counted
    for (std::size_t block = 0; block < isa::kBlocksPerVector; ++block) {
        if (((access.active >> block) & 1U) == 0) continue;
        const std::uint32_t address = access.block(block);
        const std::uint32_t last_row = map_.row_index(address + isa::kBlockBytes - 1);
        std::uint32_t row = map_.row_index(address);
        if (!rewrites) row = std::max(row, next_row);
        for (; row <= last_row; ++row) {
            ++banks[value(map_.bank_of_row(row))];
            cost.beats = std::max(cost.beats, ++group_rows[map_.group_of_row(row)]);
        }
        next_row = last_row + 1;
    }
    std::fill(group_rows.begin(), group_rows.end(), 0U);
    return cost;
}

AccessCost BankRules::cost(const isa::IndexedAccess& access, std::uint32_t lanes_per_beat, Direction direction,
                           BankCounters& counters) {
    AccessCost cost;
    if (access.low == access.high) return cost;
    std::vector<std::uint64_t>& banks = direction == Direction::read ? counters.reads : counters.writes;

    if (access.element_bytes == isa::kBlockBytes) {
        std::uint32_t most = 0;
        std::vector<std::uint32_t>& group_rows = scratch_->group_rows;
        const std::uint8_t now = scratch_->next_epoch();
        for_active_lanes(access, access.address, 0, access.lanes, [&](std::uint32_t address) {
            const std::uint32_t last_row = map_.row_index(address + isa::kBlockBytes - 1);
            for (std::uint32_t row = map_.row_index(address); row <= last_row; ++row) {
                std::uint8_t& seen = scratch_->seen[row * map_.geometry().sub_banks];
                if (seen == now) continue;
                seen = now;
                ++banks[value(map_.bank_of_row(row))];
                most = std::max(most, ++group_rows[map_.group_of_row(row)]);
            }
        });
        std::fill(group_rows.begin(), group_rows.end(), 0U);
        cost.beats = std::max(most, gather_scatter_.minimum_block_beats);
        return cost;
    }

    // Every pass of a 64-bit element runs over all lanes. Where a word holds both halves, the passes are alike.
    const std::uint32_t passes = access.element_bytes == 8 ? 2 : 1;
    if (scratch_->folded) {
        const Divisor& word_bytes = scratch_->word_bytes;
        const std::uint32_t first_word =  // of the lowest row
            word_bytes.quotient(access.low) & ~(scratch_->sub_banks.value() - 1);
        const bool narrow = word_bytes.quotient(access.high - 1) - first_word < scratch_->bitmap_words();
        std::uint32_t cycles;
        if (!narrow) {
            cycles = scratch_->by_cells(access, lanes_per_beat, passes, banks.data());
        } else if (word_bytes.value() == 8) {
            cycles = scratch_->by_bitmap<3>(access, lanes_per_beat, first_word, passes, banks.data());
        } else {
            cycles = scratch_->by_bitmap<0>(access, lanes_per_beat, first_word, passes, banks.data());
        }
        cost.beats = passes * cycles;
    } else {
        const std::uint32_t part_bytes = access.element_bytes / passes;
        for (std::uint32_t pass = 0; pass < passes; ++pass)
            cost.beats +=
                scratch_->general(map_, access, lanes_per_beat, {pass * part_bytes, part_bytes}, banks.data());
    }
    const std::uint32_t beats_alone = (access.lanes + lanes_per_beat - 1) / lanes_per_beat * passes;
    cost.sub_bank_stalls = cost.beats - beats_alone;
    return cost;
}

std::uint32_t BankRules::lanes_per_beat(std::size_t element_bytes, std::size_t index_bytes) const {
    return element_bytes <= 2 && index_bytes <= 2 ? gather_scatter_.lanes_per_beat_b16
                                                  : gather_scatter_.lanes_per_beat_b32;
}

BankCounters BankRules::make_counters() const {
    BankCounters counters;
    counters.reads.assign(map_.geometry().banks(), 0);
    counters.writes.assign(map_.geometry().banks(), 0);
    counters.conflicts.assign(map_.geometry().banks(), 0);
    return counters;
}

}  // namespace vcore::timing
