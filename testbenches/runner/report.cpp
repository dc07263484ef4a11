#include "testbenches/runner/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "models/isa/scalar.hpp"
#include "models/timing/deadlock_text.hpp"
#include "testbenches/runner/literal.hpp"

namespace vcore::runner {
namespace {

using Json = nlohmann::ordered_json;

std::uint64_t element_of(const Dump& dump, std::size_t index) {
    const std::size_t size = isa::size_of(dump.type);
    std::uint64_t bits = 0;
    std::memcpy(&bits, dump.bytes.data() + index * size, size);
    return bits;
}

std::size_t elements_of(const Dump& dump) {
    return dump.bytes.size() / isa::size_of(dump.type);
}

/// Real numbers exactly, NaN and infinities as text; integers exactly; types that only have bit patterns as those.
Json json_value(isa::ElementType type, std::uint64_t bits) {
    if (const auto real = isa::to_double(type, bits)) {
        return std::isfinite(*real) ? Json(*real) : Json(isa::to_text(type, bits));
    }
    if (takes_patterns_only(type)) return pattern_text(type, bits);
    switch (type) {
        case isa::ElementType::s8: return static_cast<std::int8_t>(bits);
        case isa::ElementType::s16: return static_cast<std::int16_t>(bits);
        case isa::ElementType::s32: return static_cast<std::int32_t>(bits);
        case isa::ElementType::s64: return static_cast<std::int64_t>(bits);
        default: return bits;
    }
}

Json json_dump(const Dump& dump) {
    Json json;
    json["line"] = dump.line;
    if (dump.address) {
        json["address"] = *dump.address;
    } else {
        json["register"] = dump.place;
    }
    json["type"] = name(dump.type);
    json["values"] = Json::array();
    for (std::size_t i = 0; i < elements_of(dump); ++i) {
        json["values"].push_back(json_value(dump.type, element_of(dump, i)));
    }
    std::string hex;
    for (const std::byte byte : dump.bytes) hex += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
    json["hex"] = hex;
    return json;
}

Json json_diagnostic(const isa::Diagnostic& diagnostic) {
    Json json;
    json["severity"] = name(diagnostic.severity);
    json["id"] = isa::info(diagnostic.id).text;
    if (!diagnostic.file.empty()) json["file"] = diagnostic.file;
    json["line"] = diagnostic.line;
    if (diagnostic.other_line != 0) json["other_line"] = diagnostic.other_line;
    json["op"] = diagnostic.op;
    if (diagnostic.lane != isa::Fault::kNoLane) json["lane"] = diagnostic.lane;
    if (diagnostic.address != isa::Fault::kNoAddress) json["address"] = diagnostic.address;
    json["count"] = diagnostic.count;
    json["message"] = diagnostic.message;
    return json;
}

Json json_ops(const Program& program, const RunResult& result, engine::Mode mode) {
    Json ops = Json::array();
    for (std::size_t i = 0; i < program.ops.size(); ++i) {
        const OpTotals& totals = result.ops[i];
        if (totals.count == 0) continue;
        const SourcePlace place = program.places.at(program.ops[i].line);
        Json op{{"line", place.line}, {"op", program.ops[i].op}, {"count", totals.count}, {"cycles", totals.cycles}};
        if (!place.file.empty()) op["file"] = place.file;
        if (mode == engine::Mode::approximately_timed && !totals.transfer) {
            op["lifetime_cycles"] = totals.lifetime;
            for (std::size_t part = 0; part < kParts; ++part) {
                op["parts"][std::string(name(static_cast<Part>(part)))] = totals.parts[part];
            }
        }
        ops.push_back(std::move(op));
    }
    return ops;
}

Json json_vectors(const Program& program, const RunResult& result, engine::Mode mode) {
    Json vectors = Json::array();
    for (std::size_t i = 0; i < program.vectors.size(); ++i) {
        const VfTotals& totals = result.vectors[i];
        if (totals.calls == 0) continue;
        const SourcePlace place = program.places.at(program.vectors[i].line);
        Json vector{{"line", place.line},
                    {"calls", totals.calls},
                    {"total_cycles", totals.cycles},
                    {"cycles", static_cast<double>(totals.cycles) / static_cast<double>(totals.calls)}};
        if (!place.file.empty()) vector["file"] = place.file;
        if (mode == engine::Mode::approximately_timed) {
            for (std::size_t cause = 0; cause < timing::kCauses; ++cause) {
                vector["causes"][std::string(name(static_cast<timing::Cause>(cause)))] = totals.causes[cause];
            }
        }
        vectors.push_back(std::move(vector));
    }
    return vectors;
}

Json json_ub(const engine::Statistics& statistics, engine::Mode mode) {
    const std::uint64_t all = statistics.vf_cycles + statistics.tensor_cycles;
    const auto share = [all](std::uint64_t cycles) {
        return all == 0 ? 0.0 : std::min(1.0, static_cast<double>(cycles) / static_cast<double>(all));
    };
    Json ub;
    ub["load_conflict_ratio"] = share(statistics.load_conflict_cycles);
    ub["store_conflict_ratio"] = share(statistics.store_conflict_cycles);
    // The same under the names of the vendor's profiler.
    ub["aiv_vec_ldu_cflt_ratio"] = ub["load_conflict_ratio"];
    ub["aiv_vec_stu_cflt_ratio"] = ub["store_conflict_ratio"];
    ub["subbank_stall_cycles"] = statistics.sub_bank_stall_cycles;
    ub["bank_reads"] = statistics.banks.reads;
    ub["bank_writes"] = statistics.banks.writes;
    if (mode == engine::Mode::approximately_timed) ub["bank_conflicts"] = statistics.banks.conflicts;
    return ub;
}

std::uint64_t cycles_of(Machine& machine) {
    return machine.statistics().last_completion.count();
}

double nanoseconds_of(Machine& machine) {
    return static_cast<double>(cycles_of(machine)) * 1000.0 / machine.configuration().clock_mhz;
}

/// "12", or "embedding.asc:12" without the folder.
std::string place_text(const SourcePlace& place) {
    if (place.file.empty()) return fmt::format("{}", place.line);
    return fmt::format("{}:{}", place.file.substr(place.file.find_last_of('/') + 1), place.line);
}

/// Numbers of a diagnostic of the model become places.
void put_in_place(isa::Diagnostic& diagnostic, const SourcePlaces& places) {
    if (!places.numbered()) return;
    const std::string number = fmt::format("in line {}", diagnostic.other_line);
    const auto found = diagnostic.other_line != 0 ? diagnostic.message.find(number) : std::string::npos;
    if (found != std::string::npos) {
        diagnostic.message.replace(found, number.size(), "in " + place_text(places.at(diagnostic.other_line)));
    }
    const SourcePlace place = places.at(diagnostic.line);
    diagnostic.file = place.file;
    diagnostic.line = place.line;
    diagnostic.other_line = places.at(diagnostic.other_line).line;
}

std::string counted(std::size_t count, std::string_view thing) {
    return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

}  // namespace

std::vector<isa::Diagnostic> all_diagnostics(const RunResult& result, Machine& machine, const SourcePlaces& places) {
    std::vector<isa::Diagnostic> all = machine.diagnostics().entries();
    const auto is_allowed = [&places](const isa::Diagnostic& diagnostic) {
        return diagnostic.id == isa::DiagnosticId::reserved_ub && places.at(diagnostic.line).toolchain;
    };
    all.erase(std::remove_if(all.begin(), all.end(), is_allowed), all.end());
    for (isa::Diagnostic& diagnostic : all) put_in_place(diagnostic, places);
    all.insert(all.end(), result.diagnostics.begin(), result.diagnostics.end());
    std::stable_sort(all.begin(), all.end(),
                     [](const isa::Diagnostic& a, const isa::Diagnostic& b) { return a.op_index < b.op_index; });
    return all;
}

nlohmann::ordered_json report_document(const Program& program, const RunResult& result, Machine& machine) {
    const engine::Configuration& configuration = machine.configuration();
    Json report;
    report["schema"] = 1;
    report["product"] = configuration.product;
    report["mode"] = mode_name(machine.mode());
    report["config_hash"] = configuration.hash;
    report["cycles"] = cycles_of(machine);
    report["time_ns"] = nanoseconds_of(machine);
    report["ops"] = json_ops(program, result, machine.mode());
    report["vf"] = json_vectors(program, result, machine.mode());
    report["ub"] = json_ub(machine.statistics(), machine.mode());
    if (result.spills) report["spills"] = {{"stores", result.spills->stores}, {"loads", result.spills->loads}};
    report["dumps"] = Json::array();
    for (const Dump& dump : result.dumps) report["dumps"].push_back(json_dump(dump));
    report["diagnostics"] = Json::array();
    for (const isa::Diagnostic& diagnostic : all_diagnostics(result, machine, program.places)) {
        report["diagnostics"].push_back(json_diagnostic(diagnostic));
    }
    return report;
}

std::string report_json(const Program& program, const RunResult& result, Machine& machine) {
    return report_document(program, result, machine).dump(2) + "\n";
}

std::string diagnostic_text(const isa::Diagnostic& diagnostic, std::string_view file) {
    const std::string times = diagnostic.count > 1 ? fmt::format(" ({} times)", diagnostic.count) : "";
    // Most of the model's sentences name the op themselves.
    const std::string quoted_op = "'" + diagnostic.op + "'";
    const bool names_op = diagnostic.op.empty() || diagnostic.message.compare(0, quoted_op.size(), quoted_op) == 0;
    return fmt::format("{}:{}: {}: {}{} [{}]{}", diagnostic.file.empty() ? file : diagnostic.file, diagnostic.line,
                       name(diagnostic.severity), names_op ? "" : diagnostic.op + ": ", diagnostic.message,
                       isa::info(diagnostic.id).text, times);
}

std::string dump_text(const Dump& dump) {
    constexpr std::size_t kPerLine = 16;
    const std::size_t count = elements_of(dump);
    std::string text =
        fmt::format("line {}: {} {}, {}\n", dump.line, dump.place, name(dump.type), counted(count, "element"));
    for (std::size_t first = 0; first < count; first += kPerLine) {
        text += dump.address ? fmt::format("  {:#07x}:", *dump.address + first * isa::size_of(dump.type))
                             : fmt::format("  {:>7}:", fmt::format("[{}]", first));
        for (std::size_t i = first; i < std::min(count, first + kPerLine); ++i) {
            text += " " + value_text(dump.type, element_of(dump, i));
        }
        text += "\n";
    }
    return text;
}

std::string_view mode_name(engine::Mode mode) {
    return mode == engine::Mode::loosely_timed ? "lt" : "at";
}

std::string causes_text(const Program& program, const RunResult& result, Machine& machine) {
    if (machine.mode() == engine::Mode::loosely_timed) return "";
    std::string rows;
    std::vector<std::string> where;
    std::size_t width = 6;
    for (const ReportedLine& vector : program.vectors) {
        where.push_back(place_text(program.places.at(vector.line)));
        width = std::max(width, where.back().size());
    }
    for (std::size_t i = 0; i < program.vectors.size(); ++i) {
        const VfTotals& totals = result.vectors[i];
        if (totals.calls == 0) continue;
        const auto calls = static_cast<double>(totals.calls);
        rows += fmt::format("{:>{}} {:>8} {:>10.2f}", where[i], width, totals.calls,
                            static_cast<double>(totals.cycles) / calls);
        for (const std::uint64_t cycles : totals.causes) {
            rows += fmt::format(" {:>10.2f}", static_cast<double>(cycles) / calls);
        }
        rows += "\n";
    }
    if (rows.empty()) return "";
    std::string header = fmt::format("where the cycles went, per call:\n{:>{}}    calls     cycles", "line", width);
    for (std::size_t cause = 0; cause < timing::kCauses; ++cause) {
        header += fmt::format(" {:>10}", name(static_cast<timing::Cause>(cause)));
    }
    return header + "\n" + rows;
}

std::string deadlock_text(const timing::Deadlock& deadlock) {
    std::string text = fmt::format("deadlock in cycle {}: nothing can go on\n", deadlock.cycle.count());
    for (const timing::Deadlock::Waiter& waiter : deadlock.waiters) text += "  " + timing::describe(waiter) + "\n";
    return text;
}

std::string summary_text(const Program& program, const RunResult& result, Machine& machine) {
    std::size_t errors = 0;
    std::size_t warnings = 0;
    for (const isa::Diagnostic& diagnostic : all_diagnostics(result, machine, program.places)) {
        if (result.announced.count({diagnostic.id, diagnostic.line}) != 0) continue;
        ++(diagnostic.severity == isa::Severity::error ? errors : warnings);
    }
    return fmt::format("{}, mode {}: {} = {:.3f} ns, {}, {}", machine.configuration().product,
                       mode_name(machine.mode()), counted(cycles_of(machine), "cycle"), nanoseconds_of(machine),
                       counted(errors, "error"), counted(warnings, "warning"));
}

}  // namespace vcore::runner
