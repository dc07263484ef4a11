// Which source lines touched which bytes of the UB since a barrier, exactly and for any number of accesses.
//
// Contiguous and block accesses are kept by (line, page): one node holds the bytes of the page that the line touched,
// however often. Indexed accesses are kept by line: the last few as they are, older ones in a bitmap of the UB.
// Memory grows with the number of (line, page) pairs, plus one bitmap for each line that has made more than a few
// indexed accesses; it is kept and used again after clear(), which costs a few words.
//
// Lines are named by slot, a small dense number. Accesses carry the serial number of their load (stores: 0).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/engine/byte_pages.hpp"
#include "models/engine/load_set.hpp"
#include "models/isa/access.hpp"

namespace vcore::engine {

using LineSlot = std::uint32_t;

/// A later access, as the search for earlier ones sees it.
class LaterPages {
public:
    explicit LaterPages(const TouchedPages& touched) : touched_(touched) {}
    std::uint32_t low() const { return touched_.low; }
    std::uint32_t high() const { return touched_.high; }
    std::uint64_t bits_at(std::uint32_t word) { return touched_.bits_at(word); }
    template <typename Test>
    bool any_word(Test&& test) const {
        return touched_.any_word(test);
    }
    template <typename Test>
    bool any_page(Test&& test) const {
        return touched_.any_page(test);
    }

private:
    const TouchedPages& touched_;
};

/// The same of an indexed access. `bitmap` is all zero before and after, and is only written when a random look-up is
/// needed.
class LaterLanes {
public:
    LaterLanes(const isa::IndexedAccess& access, std::vector<std::uint64_t>& bitmap)
        : access_(access), bitmap_(bitmap) {}
    LaterLanes(const LaterLanes&) = delete;
    LaterLanes& operator=(const LaterLanes&) = delete;
    ~LaterLanes() {
        if (marked_) for_each_lane(access_, [this](std::uint32_t word, std::uint64_t) { bitmap_[word] = 0; });
    }
    std::uint32_t low() const { return access_.low; }
    std::uint32_t high() const { return access_.high; }
    std::uint64_t bits_at(std::uint32_t word) {
        if (!marked_) {
            mark_lanes(bitmap_.data(), access_);
            marked_ = true;
        }
        return bitmap_[word];
    }
    template <typename Test>
    bool any_word(Test&& test) const {
        return any_lane(access_, test);
    }

private:
    const isa::IndexedAccess& access_;
    std::vector<std::uint64_t>& bitmap_;
    bool marked_ = false;
};

/// Loads that an earlier entry stands for, asked only once bytes are known to overlap.
struct EntryLoads {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    bool same_bytes = false;  ///< both `first` and `last` touched every byte of the entry

    /// Whether one of the loads certainly touched every byte of the overlap and is certainly no member of `set`.
    bool exceeds(LoadSet& set, std::uint64_t now) const {
        if (same_bytes) return !set.may_contain(first, now) || !set.may_contain(last, now);
        return !set.may_meet(first, last, now);
    }
};

/// Contiguous and block accesses.
class PageHistory {
public:
    explicit PageHistory(std::uint32_t pages)
        : pages_(pages), occupied_((pages + 63) / 64), heads_(pages), table_(kFirstTable) {
        nodes_.reserve(kFirstTable);
    }

    void clear() {
        if (nodes_.empty()) return;
        nodes_.clear();
        used_table_ = 0;
        ++epoch_;
        std::fill(occupied_.begin(), occupied_.end(), 0);
    }

    void add(LineSlot line, const TouchedPages& touched, std::uint64_t serial) {
        for (std::uint32_t i = 0; i < touched.count; ++i) {
            const std::uint32_t page = touched.page[i];
            if (!occupied(page)) {
                set_bit(occupied_, page);
                insert(line, page, touched.bits[i], serial, kNone, 1);
            } else if (Node* node = find(line, page)) {
                node->extend(touched.bits[i], serial);
            } else {
                const std::uint32_t next = heads_[page];
                insert(line, page, touched.bits[i], serial, next, std::min(nodes_[next].depth + 1U, kInTable));
            }
        }
    }

    /// Whether one of the pages of the bytes [low, high) was touched.
    bool may_meet(std::uint32_t low, std::uint32_t high) const {
        if (nodes_.empty() || low == high) return false;
        const std::uint32_t first = low / kPageBytes;
        const std::uint32_t last = (high - 1) / kPageBytes;
        for (std::uint32_t word = first / 64; word <= last / 64; ++word) {
            if ((occupied_[word] & range_bits(first, last + 1, word)) != 0) return true;
        }
        return false;
    }

    /// Calls `found(line, address, loads)` for each word and line whose bytes overlap; the same line may come again.
    template <typename Later, typename Found>
    void search(const Later& later, Found&& found) const {
        later.any_word([&](std::uint32_t word, std::uint64_t bits) {
            if (occupied(word / kPageWords)) search_word(word, bits, found);
            return false;
        });
    }
    template <typename Found>
    void search(const LaterPages& later, Found&& found) const {
        later.any_page([&](std::uint32_t page, const PageBits& bits) {
            if (!occupied(page)) return false;
            for (std::uint32_t k = 0; k < kPageWords; ++k) {
                if (bits[k] != 0) search_word(page * kPageWords + k, bits[k], found);
            }
            return false;
        });
    }

private:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    static constexpr std::uint32_t kInTable = 5;      // nodes that deep, and those below them, are in the table
    static constexpr std::size_t kFirstTable = 1024;  // power of two

    /// What one line touched of one page. The nodes of a page are a list, the newest at its head.
    struct Node {
        PageBits bits;
        std::uint64_t first;  ///< serial numbers of the loads
        std::uint64_t last;
        LineSlot line;
        std::uint32_t page;
        std::uint32_t next;
        std::uint8_t depth;  ///< nodes from here to the end of the list, at most kInTable
        bool same_bytes;     ///< each access touched all of `bits`

        void extend(const PageBits& more, std::uint64_t serial) {
            std::uint64_t changed = 0;
            for (std::uint32_t k = 0; k < kPageWords; ++k) {
                changed |= bits[k] ^ more[k];
                bits[k] |= more[k];
            }
            same_bytes = same_bytes && changed == 0;
            last = serial;
        }
    };
    static_assert(sizeof(Node) == 64, "a node is a cache line");

    struct TableEntry {
        std::uint64_t epoch = 0;  ///< empty unless the current one
        std::uint32_t node = 0;
    };

    bool occupied(std::uint32_t page) const { return test_bit(occupied_, page); }

    /// Precondition: the word's page is occupied.
    template <typename Found>
    void search_word(std::uint32_t word, std::uint64_t bits, Found&& found) const {
        for (std::uint32_t at = heads_[word / kPageWords]; at != kNone; at = nodes_[at].next) {
            const Node& node = nodes_[at];
            const std::uint64_t common = node.bits[word % kPageWords] & bits;
            if (common == 0) continue;
            found(node.line, word * kWordBytes + lowest_bit(common),
                  EntryLoads{node.first, node.last, node.same_bytes});
        }
    }

    std::size_t start_of(LineSlot line, std::uint32_t page) const {
        const std::uint64_t key = std::uint64_t{line} * pages_ + page;
        return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15U) >> 32U) & (table_.size() - 1);
    }

    /// The line's node of an occupied page. Short lists are walked, the others looked up.
    Node* find(LineSlot line, std::uint32_t page) {
        Node* node = &nodes_[heads_[page]];
        if (node->line == line) return node;
        if (node->depth == kInTable) return look_up(line, page);
        while (node->next != kNone) {
            node = &nodes_[node->next];
            if (node->line == line) return node;
        }
        return nullptr;
    }

    Node* look_up(LineSlot line, std::uint32_t page) {
        for (std::size_t at = start_of(line, page); table_[at].epoch == epoch_; at = (at + 1) & (table_.size() - 1)) {
            Node& node = nodes_[table_[at].node];
            if (node.line == line && node.page == page) return &node;
        }
        return nullptr;
    }

    void insert(LineSlot line, std::uint32_t page, const PageBits& bits, std::uint64_t serial, std::uint32_t next,
                std::uint32_t depth) {
        const auto index = static_cast<std::uint32_t>(nodes_.size());
        Node& node = nodes_.emplace_back();  // filled in place: it is too large to be made elsewhere
        node.bits = bits;
        node.first = node.last = serial;
        node.line = line;
        node.page = page;
        node.next = next;
        node.depth = static_cast<std::uint8_t>(depth);
        node.same_bytes = true;
        heads_[page] = index;
        if (depth < kInTable) return;
        enter(index);
        if (nodes_[next].depth == kInTable) return;
        for (std::uint32_t at = next; at != kNone; at = nodes_[at].next) enter(at);
    }

    void enter(std::uint32_t index) {
        if (++used_table_ * 2 > table_.size()) grow_table();
        place(index);
    }

    void place(std::uint32_t index) {
        std::size_t at = start_of(nodes_[index].line, nodes_[index].page);
        while (table_[at].epoch == epoch_) at = (at + 1) & (table_.size() - 1);
        table_[at] = {epoch_, index};
    }

    void grow_table() {
        std::vector<TableEntry> old(table_.size() * 2);
        old.swap(table_);
        for (const TableEntry& entry : old) {
            if (entry.epoch == epoch_) place(entry.node);
        }
    }

    std::uint32_t pages_;
    std::vector<std::uint64_t> occupied_;  // bit per page: heads_ holds a node
    std::vector<std::uint32_t> heads_;
    std::vector<Node> nodes_;
    std::vector<TableEntry> table_;  // (line, page) -> node, for long lists
    std::size_t used_table_ = 0;
    std::uint64_t epoch_ = 1;
};

/// Gathers or scatters.
///
/// As long as later accesses stay out of the hull of the indexed ones, nothing is done lane by lane: accesses are
/// copied. Of each line, the last few are searched one by one; those before them wait, and are folded into the line's
/// bitmap when somebody looks for them or when too many wait. Once an access comes into the hull, a bitmap of all lines
/// answers for most of those that touch no common byte.
class IndexedHistory {
public:
    explicit IndexedHistory(std::uint32_t pages) : all_(pages) { reserve(); }

    void clear() {
        if (lines_.empty()) return;
        lines_.clear();
        used_records_ = 0;
        free_ = kNone;
        used_bitmaps_ = 0;
        low_ = kNone;
        high_ = 0;
        all_in_use_ = false;
        ++epoch_;
    }

    void add(LineSlot slot, const isa::IndexedAccess& access, std::uint64_t serial) {
        if (access.low == access.high) return;
        low_ = std::min(low_, access.low);
        high_ = std::max(high_, access.high);
        if (all_in_use_) all_.mark(access);
        Line& line = line_of(slot);
        line.low = std::min(line.low, access.low);
        line.high = std::max(line.high, access.high);
        if (line.kept != 0) {
            Record& newest = records_[line.newest];
            if (same_lanes(newest.access, access)) {
                newest.loads.add_newest(serial);
                newest.last = serial;
                return;
            }
        }
        copy(append_record(line), access, serial);
    }

    bool may_meet(std::uint32_t low, std::uint32_t high) const { return meet(low_, high_, low, high); }

    /// As PageHistory::search().
    template <typename Later, typename Found>
    void search(Later& later, Found&& found) {
        if (!all_in_use_ && used_records_ > kSearchOneByOne) collect_all();
        if (all_in_use_ && !all_.meets(later)) return;
        for (Line& line : lines_) {
            if (!meet(line.low, line.high, later.low(), later.high())) continue;
            fold_waiting(line);
            for (std::uint32_t at = line.oldest_kept; at != kNone; at = records_[at].newer)
                search_record(line.slot, records_[at], later, found);
            if (line.bitmap != kNone) search_bitmap(line, later, found);
        }
    }

private:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    static constexpr std::uint32_t kKept = 8;            // accesses of a line that are searched one by one
    static constexpr std::uint32_t kWaiting = 248;       // before them, not yet folded: more than most VFs have
    static constexpr std::uint32_t kSearchOneByOne = 2;  // records; more are first asked all together

    struct Record {
        LoadSet loads;            ///< that touched exactly these lanes
        std::uint64_t first = 0;  ///< lowest of them
        std::uint64_t last = 0;   ///< highest of them
        std::uint32_t newer = 0;  ///< the line's next record, or the next free one
        isa::IndexedAccess access;
    };

    struct Line {
        LineSlot slot = 0;
        std::uint32_t low = kNone;  ///< hull of all its accesses
        std::uint32_t high = 0;
        // Records, from the oldest to the newest a list: those that wait for being folded, then the kept ones.
        std::uint32_t oldest = kNone;
        std::uint32_t oldest_kept = kNone;
        std::uint32_t newest = kNone;
        std::uint32_t waiting = 0;
        std::uint32_t kept = 0;
        std::uint32_t bitmap = kNone;  ///< of accesses that have been folded
        EntryLoads folded;
    };

    /// A bit per byte of the UB, and which words may be other than zero.
    class Bitmap {
    public:
        explicit Bitmap(std::uint32_t pages) : words_(std::size_t{pages} * kPageWords) {}
        void clear() {
            if (low_ < high_) std::fill(words_.begin() + low_, words_.begin() + high_, 0);
            low_ = kNone;
            high_ = 0;
        }
        void mark(const isa::IndexedAccess& access) {
            stretch(access.low / kWordBytes, (access.high - 1) / kWordBytes + 1);
            mark_lanes(words_.data(), access);
        }
        void mark(const Bitmap& other) {
            stretch(other.low_, other.high_);
            for (std::uint32_t word = other.low_; word < other.high_; ++word) words_[word] |= other.words_[word];
        }
        template <typename Later>
        bool meets(const Later& later) const {
            return later.any_word(
                [this](std::uint32_t word, std::uint64_t bits) { return (words_[word] & bits) != 0; });
        }
        std::uint64_t operator[](std::uint32_t word) const { return words_[word]; }
        std::uint32_t pages() const { return static_cast<std::uint32_t>(words_.size() / kPageWords); }

    private:
        void stretch(std::uint32_t low, std::uint32_t high) {
            low_ = std::min(low_, low);
            high_ = std::max(high_, high);
        }
        std::vector<std::uint64_t> words_;
        std::uint32_t low_ = kNone;
        std::uint32_t high_ = 0;
    };

    struct LineIndex {
        std::uint64_t epoch = 0;  ///< of no meaning unless the current one
        std::uint32_t line = 0;
    };

    void reserve() {
        lines_.reserve(kKept);
        records_.resize(kKept);
        line_of_slot_.resize(kKept);
    }

    Line& line_of(LineSlot slot) {
        if (slot >= line_of_slot_.size()) line_of_slot_.resize(std::size_t{slot} * 2);
        LineIndex& index = line_of_slot_[slot];
        if (index.epoch != epoch_) {
            index = {epoch_, static_cast<std::uint32_t>(lines_.size())};
            lines_.emplace_back().slot = slot;
        }
        return lines_[index.line];
    }

    /// A record for one more access of the line.
    Record& append_record(Line& line) {
        if (line.waiting == kWaiting) fold_oldest(line);
        const std::uint32_t at = take_record();
        Record& record = records_[at];
        record.newer = kNone;
        if (line.kept == 0) {
            line.oldest = line.oldest_kept = at;
        } else {
            records_[line.newest].newer = at;
        }
        line.newest = at;
        if (line.kept < kKept) {
            ++line.kept;
        } else {
            line.oldest_kept = records_[line.oldest_kept].newer;
            ++line.waiting;
        }
        return record;
    }

    std::uint32_t take_record() {
        if (free_ != kNone) {
            const std::uint32_t at = free_;
            free_ = records_[at].newer;
            return at;
        }
        if (used_records_ == records_.size()) records_.resize(records_.size() * 2);
        return used_records_++;
    }

    static void copy(Record& record, const isa::IndexedAccess& access, std::uint64_t serial) {
        record.loads = LoadSet{};
        record.loads.add_newest(serial);
        record.first = record.last = serial;
        isa::IndexedAccess& kept = record.access;
        kept.element_bytes = access.element_bytes;
        kept.lanes = access.lanes;
        kept.all_active = access.all_active;
        kept.low = access.low;
        kept.high = access.high;
        kept.active = access.active;
        std::copy_n(access.address.begin(), access.lanes, kept.address.begin());
    }

    void fold_waiting(Line& line) {
        while (line.waiting != 0) fold_oldest(line);
    }

    void fold_oldest(Line& line) {
        Record& record = records_[line.oldest];
        if (line.bitmap == kNone) {
            if (used_bitmaps_ == bitmaps_.size()) bitmaps_.emplace_back(all_.pages());
            line.bitmap = used_bitmaps_++;
            bitmaps_[line.bitmap].clear();
            line.folded.first = record.first;
        }
        line.folded.last = record.last;
        bitmaps_[line.bitmap].mark(record.access);
        --line.waiting;
        const std::uint32_t freed = line.oldest;
        line.oldest = record.newer;
        record.newer = free_;
        free_ = freed;
    }

    static bool same_lanes(const isa::IndexedAccess& a, const isa::IndexedAccess& b) {
        return a.low == b.low && a.high == b.high && a.element_bytes == b.element_bytes && a.lanes == b.lanes &&
               a.all_active == b.all_active && (a.all_active || a.active == b.active) &&
               std::equal(a.address.begin(), a.address.begin() + a.lanes, b.address.begin());
    }

    void collect_all() {
        all_.clear();
        for (const Line& line : lines_) {
            for (std::uint32_t at = line.oldest; at != kNone; at = records_[at].newer) all_.mark(records_[at].access);
            if (line.bitmap != kNone) all_.mark(bitmaps_[line.bitmap]);
        }
        all_in_use_ = true;
    }

    template <typename Later, typename Found>
    static void search_record(LineSlot slot, Record& record, Later& later, Found&& found) {
        if (!meet(record.access.low, record.access.high, later.low(), later.high())) return;
        const std::uint32_t first = later.low() / kWordBytes;
        const std::uint32_t words = (later.high() - 1) / kWordBytes - first + 1;
        for_each_lane(record.access, [&](std::uint32_t word, std::uint64_t bits) {
            if (word - first >= words) return;
            const std::uint64_t common = bits & later.bits_at(word);
            if (common != 0) found(slot, word * kWordBytes + lowest_bit(common), record.loads);
        });
    }

    template <typename Later, typename Found>
    void search_bitmap(Line& line, Later& later, Found&& found) {
        const Bitmap& bitmap = bitmaps_[line.bitmap];
        later.any_word([&](std::uint32_t word, std::uint64_t bits) {
            const std::uint64_t common = bitmap[word] & bits;
            if (common != 0) found(line.slot, word * kWordBytes + lowest_bit(common), line.folded);
            return false;
        });
    }

    std::uint32_t low_ = kNone;  // hull of all accesses
    std::uint32_t high_ = 0;
    bool all_in_use_ = false;
    Bitmap all_;  // of all accesses, where in use
    std::vector<Line> lines_;
    std::vector<Record> records_;
    std::vector<Bitmap> bitmaps_;
    std::vector<LineIndex> line_of_slot_;
    std::uint32_t used_records_ = 0;  // of records_, those that are free among them
    std::uint32_t free_ = kNone;      // a list
    std::uint32_t used_bitmaps_ = 0;
    std::uint64_t epoch_ = 1;
};

/// Both kinds together.
class AccessHistory {
public:
    explicit AccessHistory(std::uint32_t pages) : contiguous_(pages), indexed_(pages) {}

    void clear() {
        contiguous_.clear();
        indexed_.clear();
    }
    void add(LineSlot line, const TouchedPages& touched, std::uint64_t serial) {
        contiguous_.add(line, touched, serial);
    }
    void add(LineSlot line, const isa::IndexedAccess& access, std::uint64_t serial) {
        indexed_.add(line, access, serial);
    }

    /// Calls `found(line, address, loads)` for overlaps with `later`, at least once for each line that has one, among
    /// them the lowest address. `loads.exceeds(set, now)` tells whether one of the entry's loads is outside `set`.
    template <typename Later, typename Found>
    void search(Later& later, Found&& found) {
        if (contiguous_.may_meet(later.low(), later.high())) contiguous_.search(later, found);
        if (indexed_.may_meet(later.low(), later.high())) indexed_.search(later, found);
    }

private:
    PageHistory contiguous_;
    IndexedHistory indexed_;
};

}  // namespace vcore::engine
