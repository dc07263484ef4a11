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
#include "testbenches/runner/command.hpp"
#include "testbenches/runner/files.hpp"
#include "testbenches/runner/fold.hpp"
#include "testbenches/runner/interpreter.hpp"
#include "testbenches/runner/program.hpp"
#include "testbenches/runner/report.hpp"
#include "testbenches/runner/run_setup.hpp"
#include "testbenches/runner/suggestion.hpp"
#include "testbenches/runner/systemc_machine.hpp"

namespace vcore::runner {
namespace {

namespace po = boost::program_options;

const std::vector<Command>& commands();

// ---- reading arguments

po::options_description visible_options(const Command& command) {
    po::options_description visible = command.options();
    visible.add_options()("help", "show this help");
    return visible;
}

void print_help(const Command& command) {
    std::ostringstream options;
    options << visible_options(command);
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
        check_files(loaded.program, path);
    } catch (const ProgramError& error) {
        throw UsageError(error.text(path));
    }
    return loaded;
}

// ---- run

po::options_description run_options() {
    return run_setup_options();
}

void print_outcome(const LoadedProgram& loaded, const RunResult& result, Machine& machine, bool quiet) {
    std::cout.flush();
    for (const isa::Diagnostic& diagnostic : all_diagnostics(result, machine, loaded.program.places)) {
        if (result.announced.count({diagnostic.id, diagnostic.line}) != 0) continue;
        std::cerr << diagnostic_text(diagnostic, loaded.path) << "\n";
    }
    for (const timing::Deadlock& deadlock : result.deadlocks) std::cerr << deadlock_text(deadlock);
    std::cerr.flush();
    if (quiet) return;
    std::cout << causes_text(loaded.program, result, machine) << summary_text(loaded.program, result, machine) << "\n";
}

/// Runs the program and fills `report`.
ExitStatus run_on(Machine& machine, const LoadedProgram& loaded, bool quiet, RunFiles& files, std::string& report) {
    const auto print_dump = [quiet](const Dump& dump) {
        if (!quiet) std::cout << dump_text(dump);
    };
    Interpreter interpreter(loaded.program, loaded.folder, machine, print_dump);
    if (Trace* const trace = files.attach(machine)) interpreter.set_trace(trace);
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

/// What the run itself writes must not replace what the program reads or writes.
void check_no_file_of(const std::vector<std::string>& files, std::string_view what, const std::string& output) {
    const std::filesystem::path place = place_of(output);
    for (const std::string& file : files) {
        if (place_of(file) != place) continue;
        throw UsageError(fmt::format("the {} '{}' would overwrite a file of the program", what, output));
    }
}

int run_program(const Command& command, const po::variables_map& arguments) {
    const std::string path = the_name(command, arguments, "PROGRAM");
    const RunSetup setup = run_setup(arguments, command.name);
    const LoadedProgram loaded = load_program(path);
    const std::vector<std::string> inputs = named_files(loaded.program, path);
    if (setup.report) check_no_file_of(inputs, "report", *setup.report);
    if (setup.trace) check_no_file_of(inputs, "trace", *setup.trace);
    RunFiles files(setup, path);

    ExitStatus status = ExitStatus::fine;
    std::string report;
    with_systemc_machine(setup.configuration, setup.mode,
                         [&](Machine& machine) { status = run_on(machine, loaded, setup.quiet, files, report); });
    files.write(setup.configuration, report);
    return status_code(status);
}

// ---- the other commands

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
        generate_command(),
        sweep_command(),
        merge_command(),
        diff_command(),
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
    const po::variables_map values = parse_options(visible_options(command), command.positionals(),
                                                   {arguments.begin() + 1, arguments.end()}, command.name);
    if (values.count("help") != 0) {
        print_help(command);
        return status_code(ExitStatus::fine);
    }
    return command.run(command, values);
}

}  // namespace

int run_command_line(const std::vector<std::string>& arguments) {
    try {
        const int status = run_command(arguments);
        if (!std::cout.flush()) throw UsageError("cannot write to the standard output");
        return status;
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
