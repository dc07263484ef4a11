#include "testbenches/runner/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <ostream>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "testbenches/runner/completions.hpp"

namespace vcore::runner {
namespace {

enum Track : std::size_t { vf_track, load_track, store_track, gather_track, scatter_track, execution_track, mte_track };
constexpr std::array<const char*, 7> kTracks{"vf", "load", "store", "gather", "scatter", "execution", "mte"};
/// Lines of a track have thread numbers of their own; a track has room for this many.
constexpr std::size_t kLinesPerTrack = 1000;

Track track_of(isa::OpKind kind) {
    switch (kind) {
        case isa::OpKind::load:
        case isa::OpKind::block_load:
        case isa::OpKind::mask_load: return load_track;
        case isa::OpKind::store:
        case isa::OpKind::block_store:
        case isa::OpKind::mask_store: return store_track;
        case isa::OpKind::gather:
        case isa::OpKind::gather_block: return gather_track;
        case isa::OpKind::scatter: return scatter_track;
        case isa::OpKind::vf_begin:
        case isa::OpKind::vf_end:
        case isa::OpKind::barrier:
        case isa::OpKind::tensor_scatter:
        case isa::OpKind::tensor_add: return vf_track;
        case isa::OpKind::mte_in:
        case isa::OpKind::mte_out: return mte_track;
        default: return execution_track;
    }
}

template <typename T, typename = void>
struct HasAddress : std::false_type {};
template <typename T>
struct HasAddress<T, std::void_t<decltype(std::declval<T>().address)>> : std::true_type {};
template <typename T, typename = void>
struct HasBase : std::false_type {};
template <typename T>
struct HasBase<T, std::void_t<decltype(std::declval<T>().base)>> : std::true_type {};
/// Where an op touches the UB: the address of its access, or the base that its indices count from.
std::optional<std::int64_t> address_of(const isa::Op& op) {
    return std::visit(
        [](const auto& of) -> std::optional<std::int64_t> {
            using Type = std::decay_t<decltype(of)>;
            if constexpr (std::is_same_v<Type, isa::TensorScatter> || std::is_same_v<Type, isa::TensorAdd>) {
                return value(of.dst);
            } else if constexpr (HasAddress<Type>::value) {
                return value(of.address);
            } else if constexpr (HasBase<Type>::value) {
                return value(of.base);
            } else {
                return std::nullopt;
            }
        },
        op);
}

}  // namespace

// ---- while the program runs

void Trace::on_call(std::uint64_t ticket, const isa::Op& op) {
    const auto address = address_of(op);
    if (!address) return;
    Event event;
    event.kind = Event::Kind::call;
    event.ticket = ticket;
    event.has_address = true;
    event.address = *address;
    ring_.push(event);
}

void Trace::on_vf(std::uint32_t line, std::uint64_t called, std::uint64_t complete) {
    Event event;
    event.kind = Event::Kind::vf;
    event.line = line;
    event.begin = event.issue = called;
    event.complete = complete;
    ring_.push(event);
}

void Trace::on_transfer(const engine::TransferRequest& request, const Outcome& outcome) {
    Event event;
    event.kind = Event::Kind::transfer;
    event.op = request.direction == timing::Direction::write ? isa::OpKind::mte_in : isa::OpKind::mte_out;
    event.line = request.line;
    event.ticket = outcome.ticket;
    event.pending = outcome.pending;
    event.has_address = true;
    event.address = request.address;
    event.bytes = static_cast<std::uint64_t>(request.bytes);
    event.begin = event.issue = outcome.issue;
    event.complete = outcome.complete;
    ring_.push(event);
}

void Trace::on_op(const engine::OpRecord& record) {
    Event event;
    event.kind = Event::Kind::op;
    event.op = record.kind;
    event.line = record.line;
    event.ticket = record.ticket;
    event.begin = record.dispatch.count();
    event.issue = record.issue.count();
    event.complete = record.complete.count();
    event.steps = record.steps;
    const auto parts = parts_of(record);
    std::copy(parts.begin(), parts.end(), event.parts);
    ring_.push(event);
}

void Trace::on_traffic(std::uint32_t id, timing::Cycle complete) {
    Event event;
    event.kind = Event::Kind::traffic_end;
    event.ticket = id;
    event.complete = complete.count();
    ring_.push(event);
}

// ---- at the end

class Trace::Writer {
public:
    Writer(const Trace& trace, std::ostream& stream, const SourcePlaces& places)
        : trace_(trace), stream_(stream), places_(places) {}

    void write(const engine::Configuration& configuration) {
        collect();
        stream_ << "{\"displayTimeUnit\": \"ns\",\n\"otherData\": {"
                << fmt::format(
                       "\"product\": \"{}\", \"clock_mhz\": {}, \"time\": \"1 us is 1 cycle\", "
                       "\"dropped_events\": {}",
                       configuration.product, configuration.clock_mhz, trace_.dropped())
                << "},\n\"traceEvents\": [";
        entry(R"({"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "vector core"}})");
        for (std::size_t track = 0; track < kTracks.size(); ++track) write_track(track);
        write_counters();
        stream_ << "\n]}\n";
    }

private:
    void entry(const std::string& text) {
        stream_ << (first_ ? "\n" : ",\n") << text;
        first_ = false;
    }

    /// Sorts events into tracks, and gives calls and transfers what other events say of them.
    void collect() {
        std::unordered_map<std::uint64_t, std::uint64_t> transfer_ends;
        for (std::size_t i = 0; i < trace_.ring_.size(); ++i) {
            const Event& event = trace_.ring_.at(i);
            switch (event.kind) {
                case Event::Kind::call: addresses_[event.ticket] = event.address; break;
                case Event::Kind::traffic_end: transfer_ends[event.ticket] = event.complete; break;
                case Event::Kind::vf: tracks_[vf_track].push_back(event); break;
                default: tracks_[track_of(event.op)].push_back(event); break;
            }
        }
        // A transfer that never ended has no slice: nobody knows how long it is.
        auto& transfers = tracks_[mte_track];
        transfers.erase(
            std::remove_if(transfers.begin(), transfers.end(),
                           [&](const Event& event) { return event.pending && transfer_ends.count(event.ticket) == 0; }),
            transfers.end());
        for (Event& event : transfers) {
            if (event.pending) event.complete = transfer_ends[event.ticket];
        }
        for (auto& track : tracks_) {
            std::stable_sort(track.begin(), track.end(),
                             [](const Event& a, const Event& b) { return start_of(a) < start_of(b); });
        }
    }

    static std::uint64_t start_of(const Event& event) { return event.issue; }
    /// Pipelined ops leave their unit long before they complete.
    static std::uint64_t end_of(const Event& event) {
        const bool pipelined = event.kind == Event::Kind::op && track_of(event.op) != vf_track;
        const std::uint64_t end = pipelined ? event.issue + event.steps : event.complete;
        return std::max(event.issue + 1, end);
    }

    void write_track(std::size_t track) {
        std::vector<std::uint64_t> free{0};  // by line of the track
        const std::size_t first_thread = 1 + track * kLinesPerTrack;
        name_line(track, first_thread, 0);
        for (const Event& event : tracks_[track]) {
            std::size_t line = 0;
            while (line < free.size() && free[line] > start_of(event)) ++line;
            if (line == free.size()) {
                free.push_back(0);
                name_line(track, first_thread, line);
            }
            free[line] = end_of(event);
            write_slice(event, first_thread + line);
        }
    }

    void name_line(std::size_t track, std::size_t first_thread, std::size_t line) {
        const std::string number = line == 0 ? "" : fmt::format(" {}", line + 1);
        entry(fmt::format(R"({{"ph": "M", "pid": 1, "tid": {0}, "name": "thread_name", "args": {{"name": "{1}{2}"}}}})",
                          first_thread + line, kTracks[track], number));
        entry(fmt::format(R"({{"ph": "M", "pid": 1, "tid": {0}, "name": "thread_sort_index", "args": )"
                          R"({{"sort_index": {0}}}}})",
                          first_thread + line));
    }

    void write_slice(const Event& event, std::size_t thread) {
        const std::string_view name = event.kind == Event::Kind::vf ? "vf" : isa::name(event.op);
        const SourcePlace place = places_.at(event.line);
        std::string text = fmt::format(
            R"({{"ph": "X", "pid": 1, "tid": {}, "ts": {}, "dur": {}, "cat": "{}", "name": "{}", "args": {{"line": {})",
            thread, start_of(event), end_of(event) - start_of(event), event.kind == Event::Kind::op ? "op" : "call",
            name, place.line);
        if (!place.file.empty()) text += fmt::format(R"(, "file": {})", nlohmann::json(place.file).dump());
        if (const auto address = address_of_event(event)) text += fmt::format(R"(, "address": "0x{:X}")", *address);
        if (event.kind == Event::Kind::transfer) text += fmt::format(R"(, "bytes": {})", event.bytes);
        if (event.kind == Event::Kind::op) {
            text += fmt::format(R"(, "beats": {}, "dispatch": {}, "complete": {})", event.steps,
                                std::min(event.begin, event.issue), event.complete);
            for (std::size_t i = 0; i < kParts; ++i) {
                text += fmt::format(R"(, "{}": {})", vcore::runner::name(static_cast<Part>(i)), event.parts[i]);
            }
        }
        entry(text + "}}");
    }

    std::optional<std::int64_t> address_of_event(const Event& event) const {
        if (event.has_address) return event.address;
        if (event.kind != Event::Kind::op) return std::nullopt;
        const auto found = addresses_.find(event.ticket);
        if (found == addresses_.end()) return std::nullopt;
        return found->second;
    }

    /// Cycles that banks have cost so far, by unit.
    void write_counters() {
        std::array<std::uint64_t, kTracks.size()> lost{};
        std::vector<const Event*> blocked;
        for (const auto& track : tracks_) {
            for (const Event& event : track) {
                if (event.kind == Event::Kind::op && lost_in(event) > 0) blocked.push_back(&event);
            }
        }
        std::stable_sort(blocked.begin(), blocked.end(),
                         [](const Event* a, const Event* b) { return a->issue < b->issue; });
        write_counter(0, lost);
        for (const Event* event : blocked) {
            lost[track_of(event->op)] += lost_in(*event);
            write_counter(event->issue, lost);
        }
    }
    static std::uint64_t lost_in(const Event& event) {
        return std::uint64_t{event.parts[static_cast<std::size_t>(Part::bank)]} +
               event.parts[static_cast<std::size_t>(Part::sub_bank)];
    }
    void write_counter(std::uint64_t at, const std::array<std::uint64_t, kTracks.size()>& lost) {
        entry(fmt::format(R"({{"ph": "C", "pid": 1, "ts": {}, "name": "bank conflicts", "args": {{"load": {}, )"
                          R"("store": {}, "gather": {}, "scatter": {}}}}})",
                          at, lost[load_track], lost[store_track], lost[gather_track], lost[scatter_track]));
    }

    const Trace& trace_;
    std::ostream& stream_;
    const SourcePlaces& places_;
    bool first_ = true;
    std::unordered_map<std::uint64_t, std::int64_t> addresses_;  // by ticket
    std::array<std::vector<Event>, kTracks.size()> tracks_;
};

void Trace::write_json(std::ostream& stream, const engine::Configuration& configuration,
                       const SourcePlaces& places) const {
    Writer(*this, stream, places).write(configuration);
}

}  // namespace vcore::runner
