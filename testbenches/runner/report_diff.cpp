#include "testbenches/runner/report_diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace vcore::runner {
namespace {

using Json = nlohmann::ordered_json;

Json parse(std::string_view text, const std::string& name) {
    Json report = Json::parse(text, nullptr, false);
    if (report.is_discarded()) throw ReportError(fmt::format("'{}' is no JSON", name));
    const auto has = [&](const char* field, bool (Json::*is)() const noexcept) {
        return report.is_object() && report.contains(field) && (report[field].*is)();
    };
    if (!has("cycles", &Json::is_number) || !has("ops", &Json::is_array) || !has("vf", &Json::is_array) ||
        !has("ub", &Json::is_object)) {
        throw ReportError(fmt::format("'{}' is no report of vcore-sim run --report", name));
    }
    return report;
}

double number(const Json& object, const char* field) {
    const auto found = object.find(field);
    return found != object.end() && found->is_number() ? found->get<double>() : 0.0;
}

std::string text(const Json& object, const char* field) {
    const auto found = object.find(field);
    if (found == object.end()) return "";
    return found->is_string() ? found->get<std::string>() : found->dump();
}

std::string change(double a, double b) {
    if (a == b) return "same";
    if (a == 0) return fmt::format("{:+.2f}", b - a);
    return fmt::format("{:+.2f} ({:+.1f} %)", b - a, (b - a) / a * 100);
}

/// What is counted on one line of the program.
struct Row {
    std::string place;  ///< "12 gather"
    double count = 0;   ///< executions or calls
    double cycles = 0;  ///< of all
    Json parts;         ///< of them, by cause
    double each() const { return count == 0 ? 0 : cycles / count; }
};

std::vector<Row> rows_of(const Json& list, const char* count, const char* cycles, const char* parts) {
    std::vector<Row> rows;
    for (const Json& entry : list) {
        Row row;
        row.place = text(entry, "file") + (entry.contains("file") ? ":" : "") + text(entry, "line");
        if (entry.contains("op")) row.place += " " + text(entry, "op");
        row.count = number(entry, count);
        row.cycles = number(entry, cycles);
        if (entry.contains(parts)) row.parts = entry[parts];
        rows.push_back(std::move(row));
    }
    return rows;
}

/// "operands +3.00, sub_bank -1.00", per execution, the largest first.
std::string why(const Row& a, const Row& b) {
    std::vector<std::pair<std::string, double>> changes;
    if (!a.parts.is_object() || !b.parts.is_object()) return "";
    for (const auto& part : b.parts.items()) {
        const double before = number(a.parts, part.key().c_str()) / a.count;
        const double after = part.value().get<double>() / b.count;
        if (std::abs(after - before) >= 0.005) changes.emplace_back(part.key(), after - before);
    }
    std::stable_sort(changes.begin(), changes.end(), [](const auto& left, const auto& right) {
        return std::abs(left.second) > std::abs(right.second);
    });
    std::string text;
    for (const auto& [cause, cycles] : changes) {
        text += fmt::format("{}{} {:+.2f}", text.empty() ? "" : ", ", cause, cycles);
    }
    return text;
}

class Comparison {
public:
    void line(const std::string& text) { result_.text += text + "\n"; }

    void total(const Json& a, const Json& b) {
        const double before = number(a, "cycles");
        const double after = number(b, "cycles");
        note(before, after);
        const char* const verdict = after < before ? ": B is faster" : after > before ? ": B is slower" : "";
        line(fmt::format("cycles {:.0f} -> {:.0f}, {}{}", before, after, change(before, after), verdict));
    }

    /// Lines of the program that differ.
    void rows(const std::string& title, const std::vector<Row>& a, const std::vector<Row>& b) {
        std::vector<std::string> lines;
        for (const Row& before : a) {
            const Row* const after = find(b, before.place);
            if (after == nullptr) {
                lines.push_back(fmt::format("  {:<20} only in A: {:.2f}", before.place, before.each()));
                continue;
            }
            const std::string reasons = why(before, *after);
            if (before.cycles == after->cycles && before.count == after->count && reasons.empty()) continue;
            lines.push_back(fmt::format("  {:<20} {:>10.2f} -> {:>10.2f}  {}{}{}", before.place, before.each(),
                                        after->each(), change(before.each(), after->each()),
                                        reasons.empty() ? "" : ": ", reasons));
        }
        for (const Row& after : b) {
            if (find(a, after.place) == nullptr) {
                lines.push_back(fmt::format("  {:<20} only in B: {:.2f}", after.place, after.each()));
            }
        }
        section(title, lines);
    }

    void banks(const Json& a, const Json& b) {
        std::vector<std::string> lines;
        for (const char* const counter : {"bank_reads", "bank_writes", "bank_conflicts"}) {
            const Json before = a.value(counter, Json::array());
            const Json after = b.value(counter, Json::array());
            for (std::size_t bank = 0; bank < std::max(before.size(), after.size()); ++bank) {
                const double x = bank < before.size() ? before[bank].get<double>() : 0.0;
                const double y = bank < after.size() ? after[bank].get<double>() : 0.0;
                if (x == y && bank < before.size() && bank < after.size()) continue;
                const char* const only = bank >= before.size()  ? " (no such bank in A)"
                                         : bank >= after.size() ? " (no such bank in B)"
                                                                : "";
                lines.push_back(fmt::format("  bank {:<3} {:<15} {:>10.0f} -> {:>10.0f}  {}{}", bank, counter + 5, x, y,
                                            change(x, y), only));
            }
        }
        section("banks, rows and cycles waited for them:", lines);
        const double before = number(a, "subbank_stall_cycles");
        const double after = number(b, "subbank_stall_cycles");
        note(before, after);
        if (before != after) line(fmt::format("sub-bank stall cycles {:.0f} -> {:.0f}", before, after));
    }

    ReportDiff finish() {
        if (!result_.differs) line("no difference in time or traffic");
        return result_;
    }

private:
    static const Row* find(const std::vector<Row>& rows, const std::string& place) {
        const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.place == place; });
        return found == rows.end() ? nullptr : &*found;
    }

    void note(double a, double b) { result_.differs = result_.differs || a != b; }

    void section(const std::string& title, const std::vector<std::string>& lines) {
        if (lines.empty()) return;
        result_.differs = true;
        line(title);
        for (const std::string& one : lines) line(one);
    }

    ReportDiff result_;
};

}  // namespace

ReportDiff diff_reports(std::string_view a_text, const std::string& a_name, std::string_view b_text,
                        const std::string& b_name) {
    const Json a = parse(a_text, a_name);
    const Json b = parse(b_text, b_name);
    Comparison comparison;
    const auto run = [&](char letter, const std::string& name, const Json& report) {
        comparison.line(fmt::format("{}  {}: {}, mode {}, configuration {}", letter, name, text(report, "product"),
                                    text(report, "mode"), text(report, "config_hash")));
    };
    run('A', a_name, a);
    run('B', b_name, b);
    comparison.total(a, b);
    comparison.rows("vector functions, by line, cycles per call:", rows_of(a["vf"], "calls", "total_cycles", "causes"),
                    rows_of(b["vf"], "calls", "total_cycles", "causes"));
    comparison.rows("ops, by line, cycles from issue to completion, and what changed from dispatch on:",
                    rows_of(a["ops"], "count", "cycles", "parts"), rows_of(b["ops"], "count", "cycles", "parts"));
    comparison.banks(a["ub"], b["ub"]);
    return comparison.finish();
}

}  // namespace vcore::runner
