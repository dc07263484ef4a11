// Runs a program on a machine and keeps what the report needs.
//
// Source: `vprog.md`: state and scopes, `on_fault`, `expect`, `expect.fault`, `expect.cycles`, exit status.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/isa/diagnostics.hpp"
#include "testbenches/runner/completions.hpp"
#include "testbenches/runner/files.hpp"
#include "testbenches/runner/machine.hpp"
#include "testbenches/runner/program.hpp"
#include "testbenches/runner/trace.hpp"
#include "testbenches/runner/vf_meter.hpp"

namespace vcore::runner {

/// Exit status of the command line; of several reasons the highest applies.
enum class ExitStatus : int { fine = 0, expectation_failed = 1, bad_input = 2, refused = 3 };

/// What a `dump` found.
struct Dump {
    std::uint32_t line = 0;
    std::string place;                     ///< "0x0800", "v3", "v4:v5" or "m0"
    std::optional<std::uint64_t> address;  ///< of UB bytes
    isa::ElementType type{};
    std::vector<std::byte> bytes;
};

/// How often registers of a kernel were moved to the UB and back because there were too few.
struct Spills {
    std::uint64_t stores = 0;
    std::uint64_t loads = 0;
};

struct RunResult {
    ExitStatus status = ExitStatus::fine;
    std::vector<OpTotals> ops;      ///< indexed as Program::ops
    std::vector<VfTotals> vectors;  ///< indexed as Program::vectors
    std::vector<Dump> dumps;        ///< in order of execution
    /// The runner's own findings: failed expectations, and places outside the UB or the register files.
    std::vector<isa::Diagnostic> diagnostics;
    /// Refusals that `expect.fault` announced: id and line.
    std::set<std::pair<isa::DiagnosticId, std::uint32_t>> announced;
    std::optional<Spills> spills;             ///< kernels only
    std::vector<timing::Deadlock> deadlocks;  ///< ops and transfers that were given up
};

class Interpreter {
public:
    using DumpListener = std::function<void(const Dump&)>;

    /// `folder`: where the program's relative paths start. All references must outlive the interpreter.
    Interpreter(const Program& program, const std::string& folder, Machine& machine, DumpListener on_dump);

    ~Interpreter();
    Interpreter(const Interpreter&) = delete;
    Interpreter& operator=(const Interpreter&) = delete;

    /// Shows ops as they are called and completions as they become known to somebody who keeps them. Before run().
    void set_trace(Trace* trace);

    /// Runs the whole program, once, and waits until everything has completed. Throws ProgramError for what only the
    /// run can tell: an expression that overflows, a file that is too short, too many ops. result() holds what came
    /// before.
    void run();

    const RunResult& result() const { return result_; }

private:
    enum class Flow : std::uint8_t { next, leave_vf, stop };

    /// Cycles of the latest statement that takes any.
    struct Measured {
        std::uint64_t cycles = 0;
        std::uint64_t calls = 0;  ///< 0: nothing was executed
        bool refused = false;
        enum class Pending : std::uint8_t { no, op, transfer };
        Pending pending = Pending::no;  ///< whether `cycles` are not known yet
        std::uint64_t ticket = 0;       ///< of what is pending
    };

    Flow block(const Block& statements);
    Flow execute(const Statement& statement, const OpStatement& op);
    Flow execute(const Statement& statement, const LetStatement& let);
    Flow execute(const Statement& statement, const ForStatement& loop);
    Flow execute(const Statement& statement, const VfStatement& vf);
    Flow execute(const Statement& statement, const DataStatement& data);
    Flow execute(const Statement& statement, const FillStatement& fill);
    Flow execute(const Statement& statement, const FileStatement& file);
    Flow execute(const Statement& statement, const DumpStatement& dump);
    Flow execute(const Statement& statement, const ExpectStatement& expect);
    Flow execute(const Statement& statement, const ExpectCyclesStatement& expect);
    Flow execute(const Statement& statement, const OnFaultStatement& on_fault);
    Flow execute(const Statement& statement, const RestartStatement& restart);
    Flow execute(const Statement& statement, const TransferStatement& transfer);

    Flow conclude(const Statement& statement, const Outcome& outcome);
    Flow perform(const Statement& statement, isa::Op& op);
    Flow call(const Statement& statement, const VfStatement& vf, VfTotals& totals);
    void check_cycles(const Statement& statement, std::int64_t low, std::int64_t high, std::uint64_t cycles,
                      std::uint64_t calls);
    Flow accepted(const Statement& statement);
    Flow refused(const Statement& statement, isa::DiagnosticId id);

    /// A place or look outside what exists.
    Flow refuse_place(const Statement& statement, std::string_view op, isa::DiagnosticId id,
                      std::optional<std::int64_t> address, std::string message);
    std::optional<Flow> check_ub(const Statement& statement, std::string_view op, std::int64_t address,
                                 std::uint64_t count, std::size_t size);
    std::optional<Flow> look(const Statement& statement, std::string_view op, const Place& place, isa::ElementType type,
                             std::optional<std::uint64_t> count, std::vector<std::byte>& bytes);
    void compare(const Statement& statement, const ExpectStatement& expect, const std::vector<std::byte>& found,
                 const std::vector<std::byte>& expected);
    void place(std::int64_t address, const std::vector<std::byte>& bytes);

    std::uint64_t count_of(const Values& values) const;
    void generate(const Statement& statement, const Values& values, std::vector<std::byte>& bytes) const;
    void expectation_failed(const Statement& statement, std::string_view op, std::optional<std::int64_t> address,
                            std::string message);
    void report(isa::DiagnosticId id, std::uint32_t line, std::string_view op, std::optional<std::int64_t> address,
                std::string message);
    void raise(ExitStatus status);
    void charge(const Statement& statement);

    std::int64_t evaluate(const Expression& expression) const { return expression.evaluate(values_.data()); }
    std::uint64_t start_of(const Expression& at) const;
    std::uint64_t evaluate_count(const Expression& expression, std::string_view what) const;
    std::string place_text(const Place& place) const;

    const Program& program_;
    Machine& machine_;
    Files files_;
    DumpListener on_dump_;
    RunResult result_;
    Completions completions_;
    Trace* trace_ = nullptr;

    std::vector<std::int64_t> values_;
    bool stop_on_fault_ = true;
    std::uint64_t executed_ = 0;
    std::uint64_t dumped_bytes_ = 0;
    Measured measured_;
    std::optional<isa::DiagnosticId> vf_fault_;  ///< announced for the whole running vf
    bool vf_fault_seen_ = false;
    VfMeter vf_meter_;  ///< of the running `vf`
    std::vector<std::byte> buffer_;
};

}  // namespace vcore::runner
