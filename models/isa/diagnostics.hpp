// The one table of diagnostic ids, and diagnostics as data.
//
// A Fault is what a check returns: small, trivially copyable, no text. A Diagnostic is what people and tests read; the
// text is made from a Fault only when it is first reported. A DiagnosticLog folds equal diagnostics of a line into one
// entry with a count, so that a warning repeated a million times costs a look-up each time and no memory.
// Source: `design.md` "Errors", `vprog.md` "Report".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "models/isa/ops.hpp"

namespace vcore::isa {

enum class Severity : std::uint8_t { info, warning, error };
std::string_view name(Severity severity);

/// What the caller of a socket gets for an op that was refused.
enum class Response : std::uint8_t { ok, address_error, command_error, generic_error };

enum class DiagnosticId : std::uint8_t {
    none,
    // errors: the op changed nothing
    unsupported_op,    ///< the product lacks the op
    unsupported_type,  ///< the op exists, not for these types
    ub_out_of_bounds,
    misaligned,
    bad_register,
    bad_mask,
    bad_part,
    bad_repeat,
    bad_stride,
    bad_count,
    offset_out_of_range,
    vf_order,  ///< VF op outside a VF, tensor op inside one, VF begun twice or ended without begin
    busy,      ///< another initiator's VF is running and the caller cannot wait
    // warnings: the op was executed
    duplicate_target,
    hazard,
    reserved_ub,
    overlap,
    empty_op,
    uninitialised_read,
    // found outside the core: by the runner
    expect_mismatch,
    // by the front end of kernels
    null_pointer,
    foreign_pointer,
    freed_memory,
    outside_memory,
    wild_access,
    out_of_space,
    deadlock,
    bad_argument,
    bad_tensor,
    flag_set_twice,
};

struct DiagnosticInfo {
    DiagnosticId id;
    std::string_view text;  ///< "ub-out-of-bounds"
    Severity severity;
    Response response;         ///< what the socket answers
    std::string_view meaning;  ///< one sentence for the documentation
};
/// All ids, in the order of the enumeration (without `none`).
const std::vector<DiagnosticInfo>& diagnostic_table();
const DiagnosticInfo& info(DiagnosticId id);

/// The operand or parameter that a fault is about.
enum class Operand : std::uint8_t {
    none,
    op,
    dst,
    src,
    src0,
    src1,
    index,
    mask,
    base,
    address,
    offset,
    part,
    count,
    repeat,
    stride,
    scalar,
    dst_type,
    index_type,
    source_type,
    type,
};
std::string_view name(Operand operand);

/// Why an op is refused (or warned about). Fields that do not apply keep their defaults.
struct Fault {
    static constexpr std::int32_t kNoLane = -1;
    static constexpr std::int64_t kNoAddress = std::numeric_limits<std::int64_t>::min();

    DiagnosticId id = DiagnosticId::none;
    Operand operand = Operand::none;
    std::int32_t lane = kNoLane;        ///< lane, or element of a tensor op
    std::int32_t iteration = -1;        ///< iteration of a tensor op
    std::int64_t address = kNoAddress;  ///< full byte address, never wrapped
    std::int64_t value = 0;             ///< the offending number (register, part, index, offset …)
    std::int64_t limit = 0;             ///< the largest legal number, the UB size, or the required alignment
    std::int64_t minimum = 0;           ///< the smallest legal number
    std::uint64_t count = 1;            ///< how often (duplicate targets)
    /// Lanes that share the first duplicated target of a register scatter: bit k of word k/64 is lane k.
    std::array<std::uint64_t, 2> lanes{};

    explicit operator bool() const { return id != DiagnosticId::none; }
};

/// The sentence for a fault of an op: names operand, lane, byte address and limit, and says what to do where that
/// helps. `product` and `supported_on` are used for unsupported ops and types.
std::string describe(const Fault& fault, const Op& op, std::string_view product, std::string_view supported_on);

/// One line of the report.
struct Diagnostic {
    Severity severity = Severity::error;
    DiagnosticId id = DiagnosticId::none;
    std::uint64_t op_index = 0;    ///< of the first occurrence: ops accepted or refused before it
    std::uint32_t line = 0;        ///< source line, 0 where there is none
    std::uint32_t other_line = 0;  ///< hazards: the line of the earlier access
    std::string file;              ///< source file, empty where there is only one
    std::string op;                ///< name of the op, empty where none is at fault
    std::int32_t lane = Fault::kNoLane;
    std::int64_t address = Fault::kNoAddress;
    std::uint64_t count = 1;
    std::string message;  ///< of the first occurrence
};

/// Diagnostics of a run, folded by (id, line, other line, op kind), in order of first occurrence.
class DiagnosticLog {
public:
    /// Whether an entry for this key exists; if so, adds `count` to it. The hot path of a repeated warning.
    bool repeat(DiagnosticId id, std::uint32_t line, std::uint32_t other_line, OpKind kind, std::uint64_t count = 1);
    /// Adds a first occurrence. Precondition: repeat() with the same key returned false.
    void add(Diagnostic diagnostic, OpKind kind);

    const std::vector<Diagnostic>& entries() const { return entries_; }
    void clear();

private:
    using Key = std::tuple<DiagnosticId, std::uint32_t, std::uint32_t, OpKind>;
    std::map<Key, std::size_t> index_;
    std::vector<Diagnostic> entries_;
};

}  // namespace vcore::isa
