// A parsed program: what the parser makes and the interpreter executes. Expressions are compiled and folded, names are
// slots, ops are ready to issue but for the fields that depend on loops.
//
// Source: `vprog.md` "Program text".
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "models/isa/diagnostics.hpp"
#include "models/isa/ops.hpp"
#include "models/timing/bank_rules.hpp"
#include "testbenches/runner/expression.hpp"
#include "testbenches/runner/places.hpp"
#include "testbenches/runner/text.hpp"

namespace vcore::runner {

/// More executed ops than this, in one run, are an error. An iteration or a call without any op counts as one op.
inline constexpr std::uint64_t kMostOps = 10'000'000'000;

/// Dumps are kept for the report; more bytes of them than this, in one run, are an error.
inline constexpr std::uint64_t kMostDumpedBytes = 16 * 1024 * 1024;

struct Statement;
using Block = std::vector<Statement>;

/// A field of an op that is computed each time the op is issued.
struct Patch {
    Expression expression;
    void (*set)(isa::Op& op, std::int64_t value) = nullptr;
};

/// Any op of the vector core.
struct OpStatement {
    isa::Op op;
    std::vector<Patch> patches;
    std::optional<Slot> counter;  ///< the name that UpdateMask counts down
    std::size_t statistics = 0;   ///< index of this statement among all ops and transfers
};

struct LetStatement {
    Slot slot = 0;
    Expression value;
};

struct ForStatement {
    Slot variable = 0;
    Expression first;
    Expression end;
    Block body;
};

struct VfStatement {
    Expression repeat{1};
    Block body;
    std::vector<Slot> counted;   ///< names that count down inside; each call starts with their old values
    std::size_t statistics = 0;  ///< index of this statement among all vector functions
};

/// `count` elements start, start + step, …; computed in integers, or in floating point where `real` is set.
struct Iota {
    struct Real {
        double start = 0;
        double step = 1;
    };
    Expression count;
    Expression start{0};
    Expression step{1};
    std::optional<Real> real;
};

/// Elements of one type: a list of literals, or an iota.
struct Values {
    isa::ElementType type{};
    std::variant<std::vector<std::byte>, Iota> elements;
};

/// Where data are placed or looked at.
using VectorPlace = isa::VectorOperand;
using Place = std::variant<Expression, VectorPlace, isa::MregId>;

struct DataStatement {
    Expression address;
    Values values;
};

struct FillStatement {
    Expression address;
    isa::ElementType type{};
    Expression count;
    std::uint64_t bits = 0;
};

/// A file as a statement names it.
struct FilePath {
    std::string name;
    Position where;
};

struct FileStatement {
    Expression address;
    FilePath path;
    Expression offset{0};
    std::optional<Expression> bytes;  ///< nothing: to the end of the file
};

struct DumpStatement {
    Place place;
    isa::ElementType type{};
    std::optional<Expression> count;  ///< nothing: the whole register
};

struct ExpectStatement {
    Place place;
    Values values;
};

struct ExpectCyclesStatement {
    Expression low;
    Expression high;
};

struct OnFaultStatement {
    bool stop = true;
};

/// A core as at reset, but for time.
struct RestartStatement {};

/// `mte.in` and `mte.out`.
struct TransferStatement {
    timing::Direction direction{};  ///< of the UB: write is mte.in
    Expression address;
    Expression bytes;
    std::optional<FilePath> path;  ///< nothing: traffic only
    Expression offset{0};          ///< bytes into the file
    std::optional<Expression> at;  ///< nothing: the next statement waits
    std::size_t statistics = 0;    ///< index of this statement among all ops and transfers
};

struct Statement {
    Position where;
    std::optional<isa::DiagnosticId> expected_fault;  ///< announced by `expect.fault` on the line before
    std::variant<OpStatement, LetStatement, ForStatement, VfStatement, DataStatement, FillStatement, FileStatement,
                 DumpStatement, ExpectStatement, ExpectCyclesStatement, OnFaultStatement, RestartStatement,
                 TransferStatement>
        action;
};

/// A statement that has a line of its own in the report.
struct ReportedLine {
    std::uint32_t line = 0;
    std::string op;
};

struct Program {
    Block body;
    std::size_t slots = 0;              ///< values that evaluation needs
    std::vector<ReportedLine> ops;      ///< ops and transfers, in the order of their statistics indices
    std::vector<ReportedLine> vectors;  ///< vector functions, likewise
    SourcePlaces places;                ///< where those lines are
};

/// Parses and checks program text: the first error is thrown as a ProgramError. Whether numbers are legal for the ops
/// that carry them is the model's to say; files are not looked at.
Program parse_program(std::string_view text);

/// Throws ProgramError for a file that a program reads, that does not exist and that the program does not write, and
/// for a program that writes over itself.
void check_files(const Program& program, const std::string& program_path);

/// The paths of all files that a program reads or writes, from where the program's path starts.
std::vector<std::string> named_files(const Program& program, const std::string& program_path);

}  // namespace vcore::runner
