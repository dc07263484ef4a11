// How a run is set up by options, and the files that it writes: what `vcore-sim run` and kernels have in common.
//
// Source: `vprog.md` "Command line". Unknown options and near-miss names behave as users of git or cmake expect.
#pragma once

#include <boost/program_options.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "models/engine/configuration.hpp"
#include "models/engine/core.hpp"
#include "testbenches/runner/bank_waveform.hpp"
#include "testbenches/runner/machine.hpp"
#include "testbenches/runner/places.hpp"
#include "testbenches/runner/trace.hpp"

namespace vcore::runner {

inline constexpr std::string_view kDefaultProduct = "ascend950";

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

/// Parses arguments; those that are no options become "NAME". `command` goes into errors.
boost::program_options::variables_map parse_options(
    const boost::program_options::options_description& options,
    const boost::program_options::positional_options_description& positionals,
    const std::vector<std::string>& arguments, const std::string& command);

/// The value of an option, or of all that may be repeated.
std::optional<std::string> argument(const boost::program_options::variables_map& arguments, const char* name);
std::vector<std::string> list_argument(const boost::program_options::variables_map& arguments, const char* name);

struct RunSetup {
    engine::Configuration configuration;
    engine::Mode mode{};
    bool quiet = false;
    std::optional<std::string> report;  ///< paths
    std::optional<std::string> trace;
};

/// --product, --config, --mode, --set, --report, --trace, --quiet.
boost::program_options::options_description run_setup_options(std::string_view default_product = kDefaultProduct);
/// Throws UsageError, with `command`, and engine::ConfigurationError.
RunSetup run_setup(const boost::program_options::variables_map& arguments, const std::string& command,
                   std::string_view default_product = kDefaultProduct);

/// Throws UsageError for an output file that cannot be written, or that is the program. `what` names it: "report".
void check_output_path(std::string_view what, const std::string& path, const std::string& program);

/// Report and trace of a run.
class RunFiles {
public:
    /// Throws UsageError for what cannot be written. `program` is the file that must not be overwritten.
    RunFiles(const RunSetup& setup, const std::string& program);

    /// Lets the machine tell of its banks where that is traced. Returns the trace of ops; null: none is wanted.
    Trace* attach(Machine& machine);
    /// Throws UsageError for what cannot be written after all.
    void write(const engine::Configuration& configuration, const std::string& report,
               const SourcePlaces& places = {}) const;

private:
    std::optional<std::string> report_path_;
    std::optional<std::string> trace_path_;
    std::optional<Trace> trace_;
    std::optional<BankWaveform> waveform_;
};

}  // namespace vcore::runner
