#include "models/engine/hazard_detector.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "models/engine/access_history.hpp"
#include "models/engine/byte_pages.hpp"
#include "models/engine/load_set.hpp"

namespace vcore::engine {

std::string_view name(HazardKind kind) {
    switch (kind) {
        case HazardKind::store_load: return "load after store";
        case HazardKind::store_store: return "store after store";
        case HazardKind::load_store: return "store after load";
    }
    return "";
}

namespace {

/// Gives each line of a VF a small number.
class LineTable {
public:
    LineTable() : entries_(kFirstEntries) { lines_.reserve(kFirstEntries); }

    void clear() {
        lines_.clear();
        ++epoch_;
    }
    std::size_t size() const { return lines_.size(); }
    std::uint32_t line(LineSlot slot) const { return lines_[slot]; }

    LineSlot slot(std::uint32_t line) {
        std::size_t at = start_of(line);
        for (; entries_[at].epoch == epoch_; at = (at + 1) & (entries_.size() - 1)) {
            if (entries_[at].line == line) return entries_[at].slot;
        }
        const auto slot = static_cast<LineSlot>(lines_.size());
        lines_.push_back(line);
        entries_[at] = {epoch_, line, slot};
        if (lines_.size() * 2 > entries_.size()) rebuild();
        return slot;
    }

private:
    static constexpr std::size_t kFirstEntries = 256;  // power of two
    struct Entry {
        std::uint64_t epoch = 0;  ///< empty unless the current one
        std::uint32_t line = 0;
        LineSlot slot = 0;
    };

    // Lines of a program are nearly dense: their own low bits spread them best.
    std::size_t start_of(std::uint32_t line) const { return line & (entries_.size() - 1); }

    void rebuild() {
        entries_.resize(entries_.size() * 2);
        ++epoch_;
        for (LineSlot slot = 0; slot < lines_.size(); ++slot) {
            std::size_t at = start_of(lines_[slot]);
            while (entries_[at].epoch == epoch_) at = (at + 1) & (entries_.size() - 1);
            entries_[at] = {epoch_, lines_[slot], slot};
        }
    }

    std::vector<Entry> entries_;
    std::vector<std::uint32_t> lines_;  // of each slot
    std::uint64_t epoch_ = 1;
};

/// The last contiguous and block loads, each by itself, so that a store can be told from exactly the loads that it
/// depends on.
class LoadWindow {
public:
    static constexpr std::uint64_t kLoads = LoadSet::kExact;

    explicit LoadWindow(std::uint32_t pages) : newest_of_page_(pages) {}

    /// Loads up to `serial` no longer matter.
    void forget(std::uint64_t serial) { forgotten_ = serial; }

    /// Moves the load that `serial` pushes out of the window to `history`.
    void make_room(std::uint64_t serial, AccessHistory& history) {
        const std::size_t at = serial % kLoads;
        const std::uint64_t leaving = serial - kLoads;
        if (has_pages(at) && serial > kLoads && leaving > forgotten_) {
            history.add(entries_[at].line, entries_[at].pages, leaving);
        }
        filled_ &= ~(std::uint64_t{1} << at);
        low_[at] = high_[at] = 0;
    }

    /// Adds a load for which there is room.
    template <typename Access>
    const TouchedPages& add(std::uint64_t serial, LineSlot line, const Access& access) {
        Entry& entry = entries_[serial % kLoads];
        entry.line = line;
        entry.pages.assign(access);
        if (entry.pages.count != 0) filled_ |= std::uint64_t{1} << (serial % kLoads);
        low_[serial % kLoads] = entry.pages.low;
        high_[serial % kLoads] = entry.pages.high;
        for (std::uint32_t i = 0; i < entry.pages.count; ++i) newest_of_page_[entry.pages.page[i]] = serial;
        return entry.pages;
    }

    /// As AccessHistory::search(). `newest`: serial number of the newest load.
    template <typename Later, typename Found>
    void search(Later& later, std::uint64_t newest, Found&& found) const {
        const std::uint64_t floor = std::max(forgotten_, newest - std::min(newest, kLoads));
        if (floor == newest || later.low() == later.high() || !may_meet(later, floor)) return;
        for (std::uint64_t serial = floor + 1; serial <= newest; ++serial) {
            const std::size_t at = serial % kLoads;
            if (!meet(low_[at], high_[at], later.low(), later.high())) continue;
            const Entry& entry = entries_[at];
            entry.pages.any_word([&](std::uint32_t word, std::uint64_t bits) {
                const std::uint64_t common = bits & later.bits_at(word);
                if (common == 0) return false;
                found(entry.line, word * kWordBytes + lowest_bit(common), EntryLoads{serial, serial, true});
                return true;
            });
        }
    }

private:
    struct Entry {
        LineSlot line = 0;
        TouchedPages pages;
    };

    bool has_pages(std::size_t entry) const { return ((filled_ >> entry) & 1U) != 0; }

    bool may_meet(const LaterPages& later, std::uint64_t floor) const {
        return later.any_page([&](std::uint32_t page, const PageBits&) { return newest_of_page_[page] > floor; });
    }
    static bool may_meet(const LaterLanes&, std::uint64_t) { return true; }

    // Entry k: the load whose serial number is k modulo kLoads. Entries are large: gathers, which have none, do not
    // look at them.
    std::array<Entry, kLoads> entries_{};
    std::uint64_t filled_ = 0;  // bit k: entry k holds pages
    static_assert(kLoads <= 64);
    std::array<std::uint32_t, kLoads> low_{};
    std::array<std::uint32_t, kLoads> high_{};
    std::vector<std::uint64_t> newest_of_page_;
    std::uint64_t forgotten_ = 0;
};

/// Which loads the values of the registers depend on.
class DataFlow {
public:
    void clear() {
        registers_.fill(LoadSet{});
        writes_ = 0;
    }

    void begin_op(const isa::Operands& operands, std::uint64_t now) {
        op_ = LoadSet{};
        for (std::uint64_t left = word(operands.vector_reads, operands.mask_reads); left != 0; left &= left - 1) {
            LoadSet& read = registers_[lowest_bit(left)];
            if (!read.empty()) op_.merge(read, now);
        }
        writes_ = word(operands.vector_writes, operands.mask_writes);
    }
    void add_own_load(std::uint64_t serial) { op_.add_newest(serial); }
    void end_op() {
        for (std::uint64_t left = writes_; left != 0; left &= left - 1) registers_[lowest_bit(left)] = op_;
        writes_ = 0;
    }
    LoadSet& of_op() { return op_; }

private:
    static constexpr std::size_t kRegisters = isa::kVectorRegisters + isa::kMaskRegisters;

    static std::uint64_t word(std::uint32_t vector, std::uint8_t mask) {
        return vector | (std::uint64_t{mask} << static_cast<unsigned>(isa::kVectorRegisters));
    }

    std::array<LoadSet, kRegisters> registers_{};  // vector registers, then masks
    LoadSet op_;
    std::uint64_t writes_ = 0;
};

std::uint32_t page_count(std::uint64_t ub_bytes) {
    return static_cast<std::uint32_t>((ub_bytes + kPageBytes - 1) / kPageBytes);
}

}  // namespace

struct HazardDetector::State {
    State(std::uint64_t ub_bytes, HazardListener& to)
        : listener(to),
          stores_before_load(page_count(ub_bytes)),
          stores_before_store(page_count(ub_bytes)),
          loads_before_store(page_count(ub_bytes)),
          window(page_count(ub_bytes)),
          later_bitmap(std::size_t{page_count(ub_bytes)} * kPageWords),
          store_pages(1),
          store_lanes(1) {}

    struct Finding {
        std::uint32_t line;
        std::uint32_t address;
    };
    /// The latest finding against a line, to report each once per op.
    struct Mark {
        std::uint64_t op = 0;
        std::size_t finding = 0;
    };

    HazardListener& listener;
    LineTable lines;
    DataFlow flow;

    AccessHistory stores_before_load;  // since the last barrier of that kind
    AccessHistory stores_before_store;
    AccessHistory loads_before_store;  // and which are no longer in the window
    LoadWindow window;
    std::uint64_t newest_load = 0;  // serial number; goes on from VF to VF

    std::uint64_t op = 0;  // goes on from VF to VF
    std::uint32_t op_line = 0;
    LineSlot op_slot = 0;
    bool op_has_slot = false;
    std::vector<Finding> findings;  // of the running op; the first `reported` have been
    std::size_t reported = 0;
    std::vector<std::array<Mark, kHazardKinds>> marks;  // of each line slot
    std::vector<std::uint64_t> later_bitmap;            // scratch of LaterLanes

    // Stores of the running op join the histories when it is over, for they are no hazards to its other accesses.
    std::vector<TouchedPages> store_pages;
    std::vector<isa::IndexedAccess> store_lanes;
    std::size_t waiting_pages = 0;
    std::size_t waiting_lanes = 0;

    LineSlot slot() {
        if (!op_has_slot) {
            op_slot = lines.slot(op_line);
            op_has_slot = true;
            if (op_slot >= marks.size()) marks.resize(lines.size());
        }
        return op_slot;
    }

    void end_op() {
        flow.end_op();
        for (std::size_t i = 0; i < waiting_pages; ++i) add_store(store_pages[i]);
        for (std::size_t i = 0; i < waiting_lanes; ++i) add_store(store_lanes[i]);
        waiting_pages = 0;
        waiting_lanes = 0;
    }
    template <typename Shape>
    void add_store(const Shape& shape) {
        stores_before_load.add(op_slot, shape, 0);
        stores_before_store.add(op_slot, shape, 0);
    }

    void find(HazardKind kind, LineSlot earlier, std::uint32_t address) {
        Mark& mark = marks[earlier][static_cast<std::size_t>(kind)];
        if (mark.op != op) {
            mark = {op, findings.size()};
            findings.push_back({lines.line(earlier), address});
        } else if (mark.finding >= reported) {
            findings[mark.finding].address = std::min(findings[mark.finding].address, address);
        }
    }
    void report(HazardKind kind) {
        if (findings.size() == reported) return;
        std::sort(findings.begin() + static_cast<std::ptrdiff_t>(reported), findings.end(),
                  [](const Finding& a, const Finding& b) { return a.line < b.line; });
        for (; reported < findings.size(); ++reported) {
            listener.on_hazard(kind, findings[reported].line, findings[reported].address);
        }
    }

    template <typename Later>
    void search_before_load(Later&& later) {
        stores_before_load.search(later, [this](LineSlot line, std::uint32_t address, const auto&) {
            find(HazardKind::store_load, line, address);
        });
        report(HazardKind::store_load);
    }
    template <typename Later>
    void search_before_store(Later&& later) {
        stores_before_store.search(later, [this](LineSlot line, std::uint32_t address, const auto&) {
            find(HazardKind::store_store, line, address);
        });
        report(HazardKind::store_store);
        const auto found = [this](LineSlot line, std::uint32_t address, auto&& loads) {
            if (loads.exceeds(flow.of_op(), newest_load)) find(HazardKind::load_store, line, address);
        };
        window.search(later, newest_load, found);
        loads_before_store.search(later, found);
        report(HazardKind::load_store);
    }

    void begin_load() {
        ++newest_load;
        flow.add_own_load(newest_load);
        window.make_room(newest_load, loads_before_store);
    }
    template <typename Access>
    void load(const Access& access) {
        begin_load();
        search_before_load(LaterPages(window.add(newest_load, slot(), access)));
    }
    void load(const isa::IndexedAccess& access) {
        begin_load();
        loads_before_store.add(slot(), access, newest_load);
        search_before_load(LaterLanes(access, later_bitmap));
    }

    template <typename Access>
    void store(const Access& access) {
        slot();
        if (waiting_pages == store_pages.size()) store_pages.emplace_back();
        TouchedPages& touched = store_pages[waiting_pages++];
        touched.assign(access);
        search_before_store(LaterPages(touched));
    }
    void store(const isa::IndexedAccess& access) {
        slot();
        if (waiting_lanes == store_lanes.size()) store_lanes.emplace_back();
        store_lanes[waiting_lanes++] = access;
        search_before_store(LaterLanes(access, later_bitmap));
    }
};

HazardDetector::HazardDetector(std::uint64_t ub_bytes, HazardListener& listener)
    : state_(std::make_unique<State>(ub_bytes, listener)) {}
HazardDetector::~HazardDetector() = default;

void HazardDetector::begin_vf() {
    State& state = *state_;
    state.waiting_pages = 0;
    state.waiting_lanes = 0;
    state.stores_before_load.clear();
    state.stores_before_store.clear();
    state.loads_before_store.clear();
    state.window.forget(state.newest_load);
    state.flow.clear();
    state.lines.clear();
}

void HazardDetector::barrier(isa::BarrierKind kind) {
    State& state = *state_;
    state.end_op();
    const bool all = kind == isa::BarrierKind::vv_all;
    if (all || kind == isa::BarrierKind::vst_vld) state.stores_before_load.clear();
    if (all || kind == isa::BarrierKind::vst_vst) state.stores_before_store.clear();
    if (all || kind == isa::BarrierKind::vld_vst) {
        state.loads_before_store.clear();
        state.window.forget(state.newest_load);
    }
}

void HazardDetector::begin_op(std::uint32_t line, const isa::Operands& operands) {
    State& state = *state_;
    state.end_op();
    ++state.op;
    state.op_line = line;
    state.op_has_slot = false;
    state.findings.clear();
    state.reported = 0;
    state.flow.begin_op(operands, state.newest_load);
}

template <typename Access>
void HazardDetector::load(const Access& access) {
    state_->load(access);
}
template <typename Access>
void HazardDetector::store(const Access& access) {
    state_->store(access);
}
template void HazardDetector::load(const isa::ContiguousAccess&);
template void HazardDetector::load(const isa::BlockAccess&);
template void HazardDetector::load(const isa::IndexedAccess&);
template void HazardDetector::store(const isa::ContiguousAccess&);
template void HazardDetector::store(const isa::BlockAccess&);
template void HazardDetector::store(const isa::IndexedAccess&);

}  // namespace vcore::engine
