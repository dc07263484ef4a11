#include "testbenches/runner/run_setup.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>

#include "platforms/products.hpp"
#include "testbenches/runner/suggestion.hpp"

namespace vcore::runner {
namespace {

namespace po = boost::program_options;

constexpr std::string_view kDefaultMode = "at";

std::vector<std::string> option_names(const po::options_description& options) {
    std::vector<std::string> names;
    for (const auto& option : options.options()) names.push_back("--" + option->long_name());
    return names;
}

engine::Configuration chosen_configuration(const po::variables_map& arguments, const std::string& command,
                                           std::string_view default_product) {
    const auto product = argument(arguments, "product");
    const auto file = argument(arguments, "config");
    if (product && file) throw UsageError("--product and --config exclude each other", command);
    const auto overrides = list_argument(arguments, "set");
    for (const char* output : {"report", "trace"}) {
        std::error_code ignored;
        const auto path = argument(arguments, output);
        if (file && path && std::filesystem::equivalent(*file, *path, ignored)) {
            throw UsageError(fmt::format("the {} '{}' would overwrite the configuration", output, *path), command);
        }
    }
    if (file) return platforms::load_file(*file, overrides);
    return platforms::load_product(product.value_or(std::string(default_product)), overrides);
}

engine::Mode chosen_mode(const po::variables_map& arguments, const std::string& command) {
    const std::string mode = argument(arguments, "mode").value_or(std::string(kDefaultMode));
    if (mode == "lt") return engine::Mode::loosely_timed;
    if (mode == "at") return engine::Mode::approximately_timed;
    throw UsageError(fmt::format("unknown mode '{}', expected lt or at", mode), command);
}

}  // namespace

po::variables_map parse_options(const po::options_description& visible,
                                const po::positional_options_description& positionals,
                                const std::vector<std::string>& arguments, const std::string& command) {
    po::options_description all;
    all.add(visible);
    all.add_options()("NAME", po::value<std::vector<std::string>>());
    constexpr int kStyle = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    po::variables_map result;
    try {
        po::store(po::command_line_parser(arguments).options(all).positional(positionals).style(kStyle).run(), result);
        po::notify(result);
    } catch (const po::unknown_option& error) {
        throw UsageError(fmt::format("unknown option '{}'{}", error.get_option_name(),
                                     suggestion(error.get_option_name(), option_names(visible))),
                         command);
    } catch (const po::too_many_positional_options_error&) {
        throw UsageError("too many arguments", command);
    } catch (const po::error& error) {
        throw UsageError(error.what(), command);
    }
    return result;
}

std::vector<std::string> list_argument(const po::variables_map& arguments, const char* name) {
    return arguments.count(name) != 0 ? arguments[name].as<std::vector<std::string>>() : std::vector<std::string>();
}

std::optional<std::string> argument(const po::variables_map& arguments, const char* name) {
    if (arguments.count(name) == 0) return std::nullopt;
    return arguments[name].as<std::string>();
}

po::options_description run_setup_options(std::string_view default_product) {
    po::options_description options;
    options.add_options()(
        "product", po::value<std::string>()->value_name("NAME"),
        fmt::format("the product to run on, see 'vcore-sim products' (default: {})", default_product).c_str())(
        "config", po::value<std::string>()->value_name("FILE"), "a product of your own, as JSON")(
        "mode", po::value<std::string>()->value_name("lt|at"), "approximately timed (at, the default) or loosely (lt)")(
        "set", po::value<std::vector<std::string>>()->composing()->value_name("KEY=VALUE"),
        "override a figure of the configuration, see 'vcore-sim describe --keys'; may be repeated")(
        "report", po::value<std::string>()->value_name("FILE"), "write a report in JSON")(
        "trace", po::value<std::string>()->value_name("FILE"),
        "write what ran when: FILE.json opens in Perfetto, FILE.vcd is a waveform of the banks (mode at)")(
        "quiet", "print neither dumps nor the summary");
    return options;
}

RunSetup run_setup(const po::variables_map& arguments, const std::string& command, std::string_view default_product) {
    RunSetup setup;
    setup.mode = chosen_mode(arguments, command);
    setup.configuration = chosen_configuration(arguments, command, default_product);
    setup.quiet = arguments.count("quiet") != 0;
    setup.report = argument(arguments, "report");
    setup.trace = argument(arguments, "trace");
    return setup;
}

void check_output_path(std::string_view what, const std::string& path, const std::string& program) {
    std::error_code ignored;
    if (std::filesystem::equivalent(path, program, ignored)) {
        throw UsageError(fmt::format("the {} '{}' would overwrite the program", what, path));
    }
    if (!std::ofstream(path, std::ios::app)) throw UsageError(fmt::format("cannot write the {} '{}'", what, path));
}

RunFiles::RunFiles(const RunSetup& setup, const std::string& program)
    : report_path_(setup.report), trace_path_(setup.trace) {
    if (report_path_) check_output_path("report", *report_path_, program);
    if (!trace_path_) return;
    const std::string extension = std::filesystem::path(*trace_path_).extension().string();
    if (extension == ".json") {
        trace_.emplace();
    } else if (extension == ".vcd") {
        if (setup.mode != engine::Mode::approximately_timed) {
            throw UsageError("a waveform of the banks (--trace FILE.vcd) needs --mode at");
        }
        waveform_.emplace();
    } else {
        throw UsageError(
            fmt::format("unknown extension '{}' of the trace '{}', expected .json or .vcd", extension, *trace_path_));
    }
    check_output_path("trace", *trace_path_, program);
}

Trace* RunFiles::attach(Machine& machine) {
    if (waveform_) machine.set_bank_listener(&*waveform_);
    return trace_ ? &*trace_ : nullptr;
}

void RunFiles::write(const engine::Configuration& configuration, const std::string& report,
                     const SourcePlaces& places) const {
    if (trace_path_) {
        std::ofstream stream(*trace_path_, std::ios::trunc | std::ios::binary);
        if (trace_) trace_->write_json(stream, configuration, places);
        if (waveform_) waveform_->write_vcd(stream, configuration);
        stream.flush();
        if (!stream) throw UsageError(fmt::format("cannot write the trace '{}'", *trace_path_));
        if (const std::uint64_t dropped = trace_ ? trace_->dropped() : waveform_->dropped(); dropped > 0) {
            std::cerr << fmt::format("vcore-sim: the trace '{}' lacks the {} oldest events\n", *trace_path_, dropped);
        }
    }
    if (report_path_) {
        std::ofstream stream(*report_path_, std::ios::trunc | std::ios::binary);
        stream << report << std::flush;
        if (!stream) throw UsageError(fmt::format("cannot write the report '{}'", *report_path_));
    }
}

}  // namespace vcore::runner
