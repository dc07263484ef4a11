#include "testbenches/runner/command_line.hpp"

#include <fmt/format.h>

#include <boost/program_options.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <sstream>

#include "platforms/products.hpp"
#include "testbenches/runner/bank_waveform.hpp"
#include "testbenches/runner/fold.hpp"
#include "testbenches/runner/interpreter.hpp"
#include "testbenches/runner/program.hpp"
#include "testbenches/runner/report.hpp"
#include "testbenches/runner/suggestion.hpp"
#include "testbenches/runner/systemc_machine.hpp"
#include "testbenches/runner/trace.hpp"

namespace vcore::runner {
namespace {

namespace po = boost::program_options;

constexpr std::string_view kDefaultProduct = "ascend950";
constexpr std::string_view kDefaultMode = "at";

int status_code(ExitStatus status) {
    return static_cast<int>(status);
}

/// Arguments, files or settings that make no sense; the text is what the user reads.
class UsageError : public std::runtime_error {
public:
    explicit UsageError(const std::string& message, std::string command = {})
        : std::runtime_error(message), command_(std::move(command)) {}
    /// The command whose help says more; empty for errors that no help explains.
    const std::string& command() const { return command_; }

private:
    std::string command_;
};

struct Command {
    std::string name;
    std::string synopsis;
    std::string summary;
    po::options_description (*options)();
    po::positional_options_description (*positionals)();
    int (*run)(const Command& command, const po::variables_map& arguments);
};
const std::vector<Command>& commands();

// ---- reading arguments

std::vector<std::string> option_names(const po::options_description& options) {
    std::vector<std::string> names;
    for (const auto& option : options.options()) names.push_back("--" + option->long_name());
    return names;
}

po::variables_map parse_arguments(const Command& command, const std::vector<std::string>& arguments) {
    po::options_description visible = command.options();
    visible.add_options()("help", "show this help");
    po::options_description all;
    all.add(visible);
    all.add_options()("NAME", po::value<std::vector<std::string>>());
    constexpr int kStyle = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    po::variables_map result;
    try {
        po::store(po::command_line_parser(arguments).options(all).positional(command.positionals()).style(kStyle).run(),
                  result);
        po::notify(result);
    } catch (const po::unknown_option& error) {
        throw UsageError(fmt::format("unknown option '{}'{}", error.get_option_name(),
                                     suggestion(error.get_option_name(), option_names(visible))),
                         command.name);
    } catch (const po::too_many_positional_options_error&) {
        throw UsageError("too many arguments", command.name);
    } catch (const po::error& error) {
        throw UsageError(error.what(), command.name);
    }
    return result;
}

void print_help(const Command& command) {
    std::ostringstream options;
    po::options_description described = command.options();
    described.add_options()("help", "show this help");
    options << described;
    std::cout << fmt::format("usage: vcore-sim {} {}\n\n{}\n\noptions:\n{}", command.name, command.synopsis,
                             command.summary, options.str());
}

std::string general_help() {
    std::string text =
        "usage: vcore-sim COMMAND [arguments]\n\n"
        "Runs vector programs on a SystemC model of the Ascend vector core and its Unified Buffer.\n\ncommands:\n";
    for (const Command& command : commands()) {
        text += fmt::format("  {:<10}{}\n", command.name, command.summary);
    }
    return text +
           "\n'vcore-sim COMMAND --help' shows the options of a command; 'vcore-sim --version' the version.\n"
           "exit status: 0 fine; 1 an expect failed; 2 bad usage, configuration or program; 3 an op was refused\n";
}

const Command& find_command(const std::string& name) {
    std::vector<std::string> names;
    for (const Command& command : commands()) {
        if (command.name == name) return command;
        names.push_back(command.name);
    }
    if (name.substr(0, 1) == "-") {
        throw UsageError(fmt::format("unknown option '{}'{}", name, suggestion(name, {"--help", "--version"})), "");
    }
    throw UsageError(fmt::format("'{}' is not a command{}", name, suggestion(name, names)), "");
}

std::vector<std::string> list_argument(const po::variables_map& arguments, const char* name) {
    return arguments.count(name) != 0 ? arguments[name].as<std::vector<std::string>>() : std::vector<std::string>();
}

std::optional<std::string> argument(const po::variables_map& arguments, const char* name) {
    if (arguments.count(name) == 0) return std::nullopt;
    return arguments[name].as<std::string>();
}

std::string the_name(const Command& command, const po::variables_map& arguments, std::string_view what) {
    const auto names = list_argument(arguments, "NAME");
    if (names.empty()) throw UsageError(fmt::format("{} is missing", what), command.name);
    return names.front();
}

// ---- programs

std::string read_file(const std::string& path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) throw UsageError(fmt::format("'{}' is a directory", path));
    std::ifstream stream(path, std::ios::binary);
    if (!stream) throw UsageError(fmt::format("cannot read the program '{}'", path));
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// A program with all that can be known of it before it runs.
struct LoadedProgram {
    std::string path;
    std::string folder;
    Program program;
};

LoadedProgram load_program(const std::string& path) {
    LoadedProgram loaded;
    loaded.path = path;
    loaded.folder = std::filesystem::path(path).parent_path().string();
    try {
        loaded.program = parse_program(read_file(path));
        check_files(loaded.program, loaded.folder);
    } catch (const ProgramError& error) {
        throw UsageError(error.text(path));
    }
    return loaded;
}

// ---- run

po::options_description run_options() {
    po::options_description options;
    options.add_options()("product", po::value<std::string>()->value_name("NAME"),
                          "the product to run on, see 'vcore-sim products' (default: ascend950)")(
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

po::positional_options_description one_name() {
    po::positional_options_description positionals;
    positionals.add("NAME", 1);
    return positionals;
}
po::positional_options_description no_names() {
    return {};
}

engine::Configuration chosen_configuration(const Command& command, const po::variables_map& arguments) {
    const auto product = argument(arguments, "product");
    const auto file = argument(arguments, "config");
    if (product && file) throw UsageError("--product and --config exclude each other", command.name);
    const auto overrides = list_argument(arguments, "set");
    if (file) return platforms::load_file(*file, overrides);
    return platforms::load_product(product.value_or(std::string(kDefaultProduct)), overrides);
}

engine::Mode chosen_mode(const Command& command, const po::variables_map& arguments) {
    const std::string mode = argument(arguments, "mode").value_or(std::string(kDefaultMode));
    if (mode == "lt") return engine::Mode::loosely_timed;
    if (mode == "at") return engine::Mode::approximately_timed;
    throw UsageError(fmt::format("unknown mode '{}', expected lt or at", mode), command.name);
}

/// Finds out before the run whether an output file can be written.
void check_output_path(std::string_view what, const std::string& path, const std::string& program) {
    std::error_code ignored;
    if (std::filesystem::equivalent(path, program, ignored)) {
        throw UsageError(fmt::format("the {} '{}' would overwrite the program", what, path));
    }
    if (!std::ofstream(path, std::ios::app)) throw UsageError(fmt::format("cannot write the {} '{}'", what, path));
}

void write_report(const std::string& path, const std::string& text) {
    std::ofstream stream(path, std::ios::trunc | std::ios::binary);
    stream << text << std::flush;
    if (!stream) throw UsageError(fmt::format("cannot write the report '{}'", path));
}

/// The trace of a run, in the format that the file's extension names.
class TraceFile {
public:
    /// Throws UsageError for what cannot be written.
    TraceFile(std::string path, engine::Mode mode, const std::string& program) : path_(std::move(path)) {
        const std::string extension = std::filesystem::path(path_).extension().string();
        if (extension == ".json") {
            trace_.emplace();
        } else if (extension == ".vcd") {
            if (mode != engine::Mode::approximately_timed) {
                throw UsageError("a waveform of the banks (--trace FILE.vcd) needs --mode at");
            }
            waveform_.emplace();
        } else {
            throw UsageError(
                fmt::format("unknown extension '{}' of the trace '{}', expected .json or .vcd", extension, path_));
        }
        check_output_path("trace", path_, program);
    }

    void attach(Machine& machine, Interpreter& interpreter) {
        if (trace_) interpreter.set_trace(&*trace_);
        if (waveform_) machine.set_bank_listener(&*waveform_);
    }
    void write(const engine::Configuration& configuration) const {
        std::ofstream stream(path_, std::ios::trunc | std::ios::binary);
        if (trace_) trace_->write_json(stream, configuration);
        if (waveform_) waveform_->write_vcd(stream, configuration);
        stream.flush();
        if (!stream) throw UsageError(fmt::format("cannot write the trace '{}'", path_));
        if (const std::uint64_t dropped = trace_ ? trace_->dropped() : waveform_->dropped(); dropped > 0) {
            std::cerr << fmt::format("vcore-sim: the trace '{}' lacks the {} oldest events\n", path_, dropped);
        }
    }

private:
    std::string path_;
    std::optional<Trace> trace_;
    std::optional<BankWaveform> waveform_;
};

void print_outcome(const LoadedProgram& loaded, const RunResult& result, Machine& machine, bool quiet) {
    std::cout.flush();
    for (const isa::Diagnostic& diagnostic : all_diagnostics(result, machine)) {
        if (result.announced.count({diagnostic.id, diagnostic.line}) != 0) continue;
        std::cerr << diagnostic_text(diagnostic, loaded.path) << "\n";
    }
    for (const timing::Deadlock& deadlock : result.deadlocks) std::cerr << deadlock_text(deadlock);
    std::cerr.flush();
    if (quiet) return;
    std::cout << causes_text(loaded.program, result, machine) << summary_text(result, machine) << "\n";
}

/// Runs the program and fills `report`.
ExitStatus run_on(Machine& machine, const LoadedProgram& loaded, bool quiet, TraceFile* trace, std::string& report) {
    const auto print_dump = [quiet](const Dump& dump) {
        if (!quiet) std::cout << dump_text(dump);
    };
    Interpreter interpreter(loaded.program, loaded.folder, machine, print_dump);
    if (trace != nullptr) trace->attach(machine, interpreter);
    ExitStatus status = ExitStatus::fine;
    std::string error_text;
    try {
        interpreter.run();
    } catch (const ProgramError& error) {
        status = ExitStatus::bad_input;
        error_text = error.text(loaded.path) + "\n";
    }
    const RunResult& result = interpreter.result();
    print_outcome(loaded, result, machine, quiet);
    std::cerr << error_text;
    if (!result.deadlocks.empty()) status = ExitStatus::refused;
    report = report_json(loaded.program, result, machine);
    return std::max(status, result.status);
}

int run_program(const Command& command, const po::variables_map& arguments) {
    const engine::Mode mode = chosen_mode(command, arguments);
    const std::string path = the_name(command, arguments, "PROGRAM");
    const engine::Configuration configuration = chosen_configuration(command, arguments);
    const LoadedProgram loaded = load_program(path);
    const auto report_path = argument(arguments, "report");
    if (report_path) check_output_path("report", *report_path, path);
    std::optional<TraceFile> trace;
    if (const auto trace_path = argument(arguments, "trace")) trace.emplace(*trace_path, mode, path);

    const bool quiet = arguments.count("quiet") != 0;
    ExitStatus status = ExitStatus::fine;
    std::string report;
    with_systemc_machine(configuration, mode, [&](Machine& machine) {
        status = run_on(machine, loaded, quiet, trace ? &*trace : nullptr, report);
    });
    if (trace) trace->write(configuration);
    if (report_path) write_report(*report_path, report);
    return status_code(status);
}

// ---- the other commands

po::options_description no_options() {
    return {};
}

int check_program(const Command& command, const po::variables_map& arguments) {
    load_program(the_name(command, arguments, "PROGRAM"));
    return status_code(ExitStatus::fine);
}

po::options_description products_options() {
    po::options_description options;
    options.add_options()("markdown", "print Markdown tables");
    return options;
}

int print_products(const Command&, const po::variables_map& arguments) {
    std::cout << platforms::products_table(arguments.count("markdown") != 0);
    return status_code(ExitStatus::fine);
}

po::options_description describe_options() {
    po::options_description options;
    options.add_options()("keys", "print the table of configuration keys instead")("markdown",
                                                                                   "print that table in Markdown")(
        "set", po::value<std::vector<std::string>>()->composing()->value_name("KEY=VALUE"),
        "override a figure; may be repeated");
    return options;
}

int describe_product(const Command& command, const po::variables_map& arguments) {
    if (arguments.count("keys") != 0) {
        std::cout << platforms::keys_table(arguments.count("markdown") != 0);
    } else {
        std::cout << platforms::describe(the_name(command, arguments, "NAME"), list_argument(arguments, "set"));
    }
    return status_code(ExitStatus::fine);
}

const std::vector<Command>& commands() {
    static const std::vector<Command> table = {
        {"run",
         "PROGRAM [--product NAME | --config FILE] [--mode lt|at] [--set KEY=VALUE]...\n"
         "                     [--report FILE] [--trace FILE] [--quiet]",
         "run a program", run_options, one_name, run_program},
        {"check", "PROGRAM", "parse and check a program, run nothing", no_options, one_name, check_program},
        {"products", "[--markdown]", "what each product supports, with its figures", products_options, no_names,
         print_products},
        {"describe", "NAME [--set KEY=VALUE]... | --keys",
         "a product's effective configuration as JSON, with the source of every figure", describe_options, one_name,
         describe_product},
    };
    return table;
}

int run_command(const std::vector<std::string>& arguments) {
    const std::string first = arguments.empty() ? "" : arguments[0];
    if (arguments.empty()) {
        std::cerr << general_help();
        return status_code(ExitStatus::bad_input);
    }
    if (first == "--version") {
        std::cout << "vcore-sim " << VCORE_VERSION << "\n";
        return status_code(ExitStatus::fine);
    }
    if (first == "--help" || first == "-h" || (first == "help" && arguments.size() == 1)) {
        std::cout << general_help();
        return status_code(ExitStatus::fine);
    }
    if (first == "help") {
        print_help(find_command(arguments[1]));
        return status_code(ExitStatus::fine);
    }
    const Command& command = find_command(first);
    const po::variables_map values = parse_arguments(command, {arguments.begin() + 1, arguments.end()});
    if (values.count("help") != 0) {
        print_help(command);
        return status_code(ExitStatus::fine);
    }
    return command.run(command, values);
}

}  // namespace

int run_command_line(const std::vector<std::string>& arguments) {
    try {
        return run_command(arguments);
    } catch (const UsageError& error) {
        const std::string text = error.what();
        const bool has_position = text.find(": error: ") != std::string::npos;
        std::cerr << (has_position ? "" : "vcore-sim: ") << text << "\n";
        if (!has_position && !error.command().empty()) {
            std::cerr << fmt::format("See 'vcore-sim {} --help'.\n", error.command());
        }
    } catch (const engine::ConfigurationError& error) {
        std::cerr << "vcore-sim: " << error.what() << "\n";
    }
    return status_code(ExitStatus::bad_input);
}

}  // namespace vcore::runner
