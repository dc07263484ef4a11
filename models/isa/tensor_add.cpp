// Sum of two tensors in UB, on architectures without vector functions.
#include <algorithm>
#include <array>
#include <limits>

#include "models/isa/arithmetic.hpp"
#include "models/isa/bits.hpp"
#include "models/isa/execution.hpp"
#include "models/isa/faults.hpp"
#include "models/isa/type_rules.hpp"

namespace vcore::isa::detail {
namespace {

struct Tensor {
    Operand operand;
    UbAddress address;
};
std::array<Tensor, 3> tensors_of(const TensorAdd& op) {
    return {{{Operand::src0, op.src0}, {Operand::src1, op.src1}, {Operand::dst, op.dst}}};
}

/// How many elements from `address` lie in the UB.
std::int64_t room(const Execution& e, UbAddress address, std::int64_t element_bytes) {
    const auto size = static_cast<std::int64_t>(e.capabilities.ub_bytes);
    if (value(address) < 0 || value(address) >= size) return 0;
    return (size - value(address)) / element_bytes;
}

ContiguousAccess run_of(UbAddress address, std::int64_t offset, std::int64_t bytes) {
    ContiguousAccess access;
    access.address = static_cast<std::uint32_t>(value(address) + offset);
    access.bytes = static_cast<std::uint32_t>(bytes);
    return access;
}

}  // namespace

Fault check(const TensorAdd& op, Execution& e) {
    if (e.capabilities.tensor_add.empty()) return unsupported_op();
    if (!e.capabilities.tensor_add.contains(op.type) || !is_arithmetic(op.type)) return unsupported_type(Operand::type);
    if (op.count <= 0) {
        return bad_number(DiagnosticId::bad_count, Operand::count, op.count, 1,
                          std::numeric_limits<std::uint32_t>::max());
    }
    if (!aligned(op.dst, kBlockBytes)) return misaligned(Operand::dst, op.dst, kBlockBytes);
    if (!aligned(op.src0, kBlockBytes)) return misaligned(Operand::src0, op.src0, kBlockBytes);
    if (!aligned(op.src1, kBlockBytes)) return misaligned(Operand::src1, op.src1, kBlockBytes);

    const auto bytes = static_cast<std::int64_t>(size_of(op.type));
    const auto tensors = tensors_of(op);
    const auto shortest = std::min_element(tensors.begin(), tensors.end(), [&](const Tensor& a, const Tensor& b) {
        return room(e, a.address, bytes) < room(e, b.address, bytes);
    });
    const std::int64_t first_outside = room(e, shortest->address, bytes);
    if (first_outside < op.count) {
        return out_of_bounds(e, shortest->operand, first_outside,
                             saturating_add(value(shortest->address), first_outside * bytes));
    }
    return {};
}

void perform(TensorAdd& op, Execution& e) {
    const auto element_bytes = static_cast<std::int64_t>(size_of(op.type));
    const std::int64_t total = op.count * element_bytes;
    std::byte* first = e.scratch.data.data();
    std::byte* second = first + kVectorBytes;
    for (std::int64_t done = 0; done < total; done += kVectorBytes) {
        const std::int64_t bytes = std::min<std::int64_t>(kVectorBytes, total - done);
        const ContiguousAccess src0 = run_of(op.src0, done, bytes);
        const ContiguousAccess src1 = run_of(op.src1, done, bytes);
        const ContiguousAccess dst = run_of(op.dst, done, bytes);
        e.announce_read(src0);
        e.announce_read(src1);
        e.ub.read(src0, first);
        e.ub.read(src1, second);
        add_elements(op.type, static_cast<std::size_t>(bytes / element_bytes), first, second, first);
        e.announce_write(dst);
        e.ub.write(dst, first);
    }
}

}  // namespace vcore::isa::detail
