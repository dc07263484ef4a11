#include "testbenches/sweep/point.hpp"

#include <fmt/format.h>

#include "platforms/products.hpp"
#include "testbenches/runner/core_machine.hpp"
#include "testbenches/runner/interpreter.hpp"
#include "testbenches/runner/report.hpp"

namespace vcore::sweep {
namespace {

std::string assignment(const std::string& key, const Json& value) {
    return key + "=" + (value.is_string() ? value.get<std::string>() : value.dump());
}

/// For a POSIX shell.
std::string shell_word(const std::string& text) {
    const bool is_plain = !text.empty() && text.find_first_not_of(
                                               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                               "0123456789_-+=.,:/@%") == std::string::npos;
    if (is_plain) return text;
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

std::vector<std::string> assignments(const Specification& specification, const Point& point) {
    std::vector<std::string> all = specification.fixed();
    for (std::size_t i = 0; i < point.levels.size(); ++i) {
        const Axis& axis = specification.axes()[i];
        all.push_back(assignment(axis.key, axis.values[point.levels[i]]));
    }
    for (const auto& [key, value] : specification.derived(point)) all.push_back(fmt::format("{}={}", key, value));
    return all;
}

engine::Configuration configuration_of(const Specification& specification, const Point& point) {
    const Product& product = specification.products()[point.product];
    const std::vector<std::string> overrides = assignments(specification, point);
    return product.path.empty() ? platforms::load_product(product.name, overrides)
                                : platforms::load_text(product.json, product.name, overrides);
}

std::string_view status_name(runner::ExitStatus status) {
    switch (status) {
        case runner::ExitStatus::fine: return "fine";
        case runner::ExitStatus::expectation_failed: return "expect_failed";
        case runner::ExitStatus::bad_input: return "bad_input";
        case runner::ExitStatus::refused: return "refused";
    }
    return "";
}

void run(const Specification& specification, const Point& point, const engine::Configuration& configuration,
         Json& line) {
    const SweptProgram& program = specification.programs()[point.program];
    runner::CoreMachine machine(configuration, specification.mode());
    runner::Interpreter interpreter(program.program, program.folder, machine, [](const runner::Dump&) {});
    runner::ExitStatus status = runner::ExitStatus::fine;
    std::string error;
    try {
        interpreter.run();
    } catch (const runner::ProgramError& failure) {
        status = runner::ExitStatus::bad_input;
        error = failure.text(program.name);
    }
    const runner::RunResult& result = interpreter.result();
    if (!result.deadlocks.empty()) status = runner::ExitStatus::refused;
    line["status"] = status_name(std::max(status, result.status));
    if (!error.empty()) line["error"] = error;
    Json report = runner::report_document(program.program, result, machine);
    report.erase("schema");
    report.erase("product");
    report.erase("dumps");
    line.update(report);
}

}  // namespace

std::string repeat_command(const Specification& specification, const Point& point) {
    const SweptProgram& program = specification.programs()[point.program];
    const Product& product = specification.products()[point.product];
    std::string text = program.generated ? "vcore-sim " + program.name + " | vcore-sim run /dev/stdin"
                                         : "vcore-sim run " + shell_word(program.name);
    text += (product.path.empty() ? " --product " : " --config ") + shell_word(product.name);
    text += fmt::format(" --mode {}", runner::mode_name(specification.mode()));
    std::vector<std::string> all = specification.fixed();
    try {
        all = assignments(specification, point);
    } catch (const FormulaError&) {
        // A point without derived values has no configuration either: its line says so.
    }
    for (const std::string& one : all) text += " --set " + shell_word(one);
    return text;
}

std::string run_point(const Specification& specification, const Point& point) {
    Json line;
    line["point"] = point.number;
    line["program"] = specification.programs()[point.program].name;
    line["product"] = specification.products()[point.product].name;
    line["axes"] = Json::object();
    for (std::size_t i = 0; i < point.levels.size(); ++i) {
        const Axis& axis = specification.axes()[i];
        line["axes"][axis.key] = axis.values[point.levels[i]];
    }
    line["command"] = repeat_command(specification, point);
    try {
        line["derived"] = Json::object();
        for (const auto& [key, value] : specification.derived(point)) line["derived"][key] = value;
        run(specification, point, configuration_of(specification, point), line);
    } catch (const engine::ConfigurationError& error) {
        line["status"] = "illegal";
        line["error"] = error.what();
    } catch (const FormulaError& error) {
        line["status"] = "illegal";
        line["error"] = error.what();
    }
    return line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace vcore::sweep
