// Checks an op and performs it: the only place that gives ops their meaning.
//
// Order of checks (`design.md` "Errors"): product, types, register numbers, parameters (part, mask, repeat, stride),
// alignment of bases, lanes from the lowest up. The first failure is returned and nothing has changed. All operands are
// read before the result is written; a tensor op does so in each iteration, but reads all offsets first.
//
// Nothing here throws, allocates (after construction) or knows of time. VF nesting is the engine's concern.
#pragma once

#include <cstdint>
#include <memory>

#include "models/isa/access.hpp"
#include "models/isa/capabilities.hpp"
#include "models/isa/diagnostics.hpp"
#include "models/isa/ops.hpp"
#include "models/isa/registers.hpp"

namespace vcore::isa {

/// What execution found worth a warning. Each `id` is none where there is nothing to say.
struct Notes {
    Fault duplicate;   ///< duplicate_target: count = writes that lost; lane = the first lane whose target an earlier
                       ///< one has, address = that target, value = the earlier lane, limit = the lane that survives
    Fault overlap;     ///< a tensor scatter writes into its source or its offsets: first element, its address
    Fault empty;       ///< empty_op
    Fault reserved;    ///< reserved_ub: lowest reserved byte touched
    bool any = false;  ///< one of the above is set
};

class Executor {
public:
    /// `capabilities` must outlive the executor.
    explicit Executor(const Capabilities& capabilities);
    ~Executor();
    Executor(Executor&&) noexcept;
    Executor& operator=(Executor&&) noexcept;

    /// Performs `op`, or says why not. In/out fields of `op` are updated on success. `sink` (may be null) is told of
    /// each access after all checks have passed and before its bytes move; `notes` is overwritten on success.
    Fault run(Op& op, const Registers& registers, UbPort& ub, AccessSink* sink, Notes& notes);

    /// The checks alone, for callers that only ask.
    Fault check(const Op& op, const Registers& registers, UbPort& ub);

private:
    struct Scratch;
    const Capabilities* capabilities_;
    std::unique_ptr<Scratch> scratch_;
};

}  // namespace vcore::isa
