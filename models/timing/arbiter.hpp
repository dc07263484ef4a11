// Who gets the banks of the UB in a cycle.
//
// Rules (`timing.md` "Bank rules, per cycle"): a bank does one read or one write; a group serves reads_per_group reads
// and writes_per_group writes, and accesses_per_group together; reads of one row merge, a read and a write never do.
// Gathers and scatters see sub-banks: one word per port and cycle, a port being a (group, sub-bank) shared by the
// banks of the group. To everybody else a bank they touch is taken, except for a read of the same row. An indexed
// access is one access of each group it touches, however many words of it.
//
// A request is granted whole or changes nothing. The arbiter answers in the order of asking: priority is the order in
// which requests are made within a cycle. It knows nothing of who asks, except whether they are of the core.
#pragma once

#include <cstdint>
#include <vector>

#include "models/timing/cycle.hpp"
#include "models/timing/footprint.hpp"
#include "models/timing/parameters.hpp"

namespace vcore::timing {

enum class Grant : std::uint8_t {
    granted,
    blocked,
    blocked_by_external,  ///< the core's own request, by traffic of others in a group that it wants
};

/// Sees what the banks do, cycle by cycle.
class BankListener {
public:
    /// The banks of touches [first, last), a row or word each, are read, or written, in a cycle.
    virtual void on_banks(Cycle cycle, Direction direction, const Touch* first, const Touch* last) = 0;

protected:
    ~BankListener() = default;
};

class Arbiter {
public:
    explicit Arbiter(const UbGeometry& geometry);
    Arbiter(const Arbiter&) = delete;
    Arbiter& operator=(const Arbiter&) = delete;

    /// Everything is idle again: all requests until the next call are for one new cycle, whose number only a listener
    /// sees.
    void begin_cycle(std::uint64_t cycle = 0) {
        cycle_ = cycle;
        if (used_) clear();
    }

    /// Told of all that is granted; null: nobody.
    void set_listener(BankListener* listener) { listener_ = listener; }
    /// Where to count, per bank, requests that were refused because of it or its group; null: nowhere.
    void count_conflicts_in(std::vector<std::uint64_t>* counters) { conflicts_ = counters; }

    /// Grants a step of a footprint whole, or leaves everything as it was. Precondition: the footprint was made for
    /// this geometry.
    Grant request(const Footprint& footprint, std::uint32_t step);

private:
    using Word = std::uint64_t;

    std::uint64_t cycle_ = 0;
    BankListener* listener_ = nullptr;
    std::vector<std::uint64_t>* conflicts_ = nullptr;

    /// Counts up to `limit` uses of every member of a set, as one set per count: plane k holds who was used more than k
    /// times.
    class Uses {
    public:
        Uses(std::uint32_t limit, std::uint32_t words) : limit_(limit), words_(words) {}
        std::uint32_t size() const { return limit_ * words_; }
        void lie_at(Word* planes) { planes_ = planes; }
        void add(std::uint32_t word, Word members) {
            for (Word* plane = planes_ + word; members != 0 && plane < planes_ + size(); plane += words_) {
                const Word before = *plane;
                *plane |= members;
                members &= before;
            }
        }
        /// Those of a word that have had all their uses.
        Word full(std::uint32_t word) const { return limit_ == 0 ? ~Word{0} : planes_[(limit_ - 1) * words_ + word]; }

    private:
        std::uint32_t limit_;
        std::uint32_t words_;
        Word* planes_ = nullptr;
    };

    void clear() {
        used_ = false;
        whole_reads_.clear();
        for (Word& word : state_) word = 0;
    }
    void count_conflicts(const Footprint& footprint, std::uint32_t step);
    void note_reads(const Footprint& footprint, std::uint32_t step);

    // The same for one word per set and for several; `layout` says how many.
    template <typename Layout>
    Grant request(const Layout& layout, const Footprint& footprint, std::uint32_t step);
    template <typename Layout>
    bool request_rows(const Layout& layout, const Footprint& footprint, std::uint32_t step);
    template <typename Layout>
    bool merge_reads(const Layout& layout, const Footprint& footprint, std::uint32_t step);
    template <typename Layout>
    bool request_words(const Layout& layout, const Footprint& footprint, std::uint32_t step);
    template <typename Layout>
    bool room_in_groups(const Layout& layout, const Word* groups, Direction direction) const;
    template <typename Layout>
    void take_groups(const Layout& layout, const Word* groups, Direction direction);

    bool is_busy(std::uint32_t bank) const { return (busy_[bank / 64] >> (bank % 64) & 1U) != 0; }
    /// Whether a bank does nothing but read `row`.
    bool only_reads(std::uint32_t bank, std::uint32_t row) const {
        if ((mergeable_[bank / 64] >> (bank % 64) & 1U) == 0) return false;
        if ((word_banks_[bank / 64] >> (bank % 64) & 1U) != 0) return word_row_[bank] == row;
        for (const Touch& read : whole_reads_) {
            if (bank - read.bank < read.rows) return row - read.row == bank - read.bank;
        }
        return false;
    }

    MaskLayout layout_;
    bool one_word_;
    bool used_ = false;           // anything was granted in this cycle
    std::vector<Word> state_;     // of the cycle: the sets that follow and the planes of uses
    Word* busy_ = nullptr;        // banks that do something
    Word* mergeable_ = nullptr;   // banks that read one row, which others may read too
    Word* word_banks_ = nullptr;  // banks that serve words only, no whole row
    Word* ports_ = nullptr;       // ports that serve a word
    Word* external_ = nullptr;    // groups that others use
    Uses reads_;
    Uses writes_;
    Uses accesses_;
    std::vector<Touch> whole_reads_;       // rows that mergeable banks read as a whole
    std::vector<std::uint32_t> word_row_;  // the row that a mergeable bank reads words of
    std::vector<Word> counted_;            // scratch: banks of a refused request that have been counted
    std::vector<Touch> shown_;             // scratch: what the listener sees
    std::vector<Word> fresh_;              // scratch: groups that a merging read uses
};

}  // namespace vcore::timing
