#include "models/isa/executor.hpp"

#include <algorithm>

#include "models/isa/bits.hpp"
#include "models/isa/execution.hpp"
#include "models/isa/faults.hpp"

namespace vcore::isa {
namespace detail {

namespace {

/// No branch on what a lane does: an inactive one adds no bit to the word it falls on.
template <unsigned kShift, bool kAllActive>
bool any_repeated_in(const IndexedAccess& access, std::uint64_t* words) {
    const std::size_t lanes = access.lanes;
    std::uint64_t repeated = 0;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        const std::uint32_t element = access.address[lane] >> kShift;
        const std::uint64_t active = kAllActive || access.is_active(lane) ? 1 : 0;
        const std::uint64_t bit = active << (element % 64);
        const std::uint64_t before = words[element / 64];
        repeated |= before & bit;
        words[element / 64] = before | bit;
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) words[(access.address[lane] >> kShift) / 64] = 0;
    return repeated != 0;
}

template <unsigned kShift>
bool any_repeated_in(const IndexedAccess& access, std::uint64_t* words) {
    return access.all_active ? any_repeated_in<kShift, true>(access, words)
                             : any_repeated_in<kShift, false>(access, words);
}

}  // namespace

bool TargetSet::any_repeated(const IndexedAccess& access) {
    switch (access.element_bytes) {
        case 1: return any_repeated_in<0>(access, words_.data());
        case 2: return any_repeated_in<1>(access, words_.data());
        case 4: return any_repeated_in<2>(access, words_.data());
        default: return any_repeated_in<3>(access, words_.data());
    }
}

Scratch::Scratch(const Capabilities& capabilities) : targets(capabilities.ub_bytes) {
    if (capabilities.tensor_scatter.empty()) return;
    // Every element needs a u32 offset in UB; the last iteration may be a part of one.
    const std::uint64_t elements = capabilities.ub_bytes / sizeof(std::uint32_t) + kMaxIndexedLanes;
    offsets.resize(elements);
    survivors.resize(elements / 64 + 1);
}

void Execution::note_reserved_at(std::uint64_t address) {
    const auto first = static_cast<std::int64_t>(std::max(address, capabilities.ub_reserved_from));
    if (notes.reserved && notes.reserved.address <= first) return;
    notes.reserved = fault(DiagnosticId::reserved_ub, Operand::address);
    notes.reserved.address = first;
    notes.reserved.limit = static_cast<std::int64_t>(capabilities.ub_reserved_from);
    notes.any = true;
}

void Execution::note_reserved(const ContiguousAccess& access) {
    const std::uint64_t reserved = capabilities.ub_reserved_from;
    if (access.all_enabled) return note_reserved_at(access.address);
    for (std::uint32_t byte = 0; byte < access.bytes; ++byte) {
        if (access.enabled(byte) && access.address + byte >= reserved) return note_reserved_at(access.address + byte);
    }
}

void Execution::note_reserved(const BlockAccess& access) {
    for (std::size_t b = 0; b < kBlocksPerVector; ++b) {
        if (((access.active >> b) & 1U) == 0 || access.block(b) + kBlockBytes <= capabilities.ub_reserved_from)
            continue;
        note_reserved_at(access.block(b));
    }
}

void Execution::note_reserved(const IndexedAccess& access) {
    for_each_active(access, [&](std::size_t lane) {
        if (access.address[lane] + std::uint64_t{access.element_bytes} > capabilities.ub_reserved_from) {
            note_reserved_at(access.address[lane]);
        }
    });
}

Fault check(const VfBegin&, Execution& e) {
    return has_vector_functions(e) ? Fault{} : unsupported_op();
}
Fault check(const VfEnd&, Execution& e) {
    return has_vector_functions(e) ? Fault{} : unsupported_op();
}
Fault check(const Barrier&, Execution& e) {
    return has_vector_functions(e) ? Fault{} : unsupported_op();
}

}  // namespace detail

namespace {

/// Out of the way of run(), which seldom needs it.
[[gnu::noinline, gnu::cold]] void clear(Notes& notes) {
    notes = Notes{};
}

}  // namespace

struct Executor::Scratch : detail::Scratch {
    using detail::Scratch::Scratch;
};

Executor::Executor(const Capabilities& capabilities)
    : capabilities_(&capabilities), scratch_(std::make_unique<Scratch>(capabilities)) {}
Executor::~Executor() = default;
Executor::Executor(Executor&&) noexcept = default;
Executor& Executor::operator=(Executor&&) noexcept = default;

Fault Executor::run(Op& op, const Registers& registers, UbPort& ub, AccessSink* sink, Notes& notes) {
    if (notes.any) clear(notes);
    detail::Execution execution{*capabilities_, registers, ub, sink, notes, *scratch_};
    return std::visit(
        [&execution](auto& alternative) {
            Fault fault = detail::check(alternative, execution);
            if (!fault) detail::perform(alternative, execution);
            return fault;
        },
        op);
}

Fault Executor::check(const Op& op, const Registers& registers, UbPort& ub) {
    Notes notes;
    detail::Execution execution{*capabilities_, registers, ub, nullptr, notes, *scratch_};
    return std::visit([&execution](const auto& alternative) { return detail::check(alternative, execution); }, op);
}

}  // namespace vcore::isa
