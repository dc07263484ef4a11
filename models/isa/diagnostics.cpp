#include "models/isa/diagnostics.hpp"

#include <fmt/format.h>

#include <iterator>

#include "models/isa/bits.hpp"

namespace vcore::isa {
namespace {

constexpr auto kError = Severity::error;
constexpr auto kWarning = Severity::warning;

// ---- words

std::string hex(std::int64_t address) {
    if (address >= 0) return fmt::format("0x{:X}", address);
    return fmt::format("-0x{:X}", 0 - static_cast<std::uint64_t>(address));
}

std::string quoted_op(const Op& op) {
    return fmt::format("'{}'", name(kind_of(op)));
}

/// The name of the mode that a load or store is in, where it is another than the usual one.
std::string_view mode_of(const Op& op) {
    const auto* load = std::get_if<Load>(&op);
    if (load != nullptr && load->mode != LoadMode::norm) return name(load->mode);
    const auto* store = std::get_if<Store>(&op);
    if (store != nullptr && store->mode != StoreMode::norm) return name(store->mode);
    return "";
}

/// What a fault's lane is called in this op. Modes count elements as they stand in memory.
std::string_view lane_word(const Op& op) {
    if (!mode_of(op).empty()) return "element";
    switch (kind_of(op)) {
        case OpKind::gather_block:
        case OpKind::block_load:
        case OpKind::block_store: return "block";
        case OpKind::tensor_scatter:
        case OpKind::tensor_add: return "element";
        default: return "lane";
    }
}

/// "lane 7", "element 3 of iteration 2"; empty where the fault names no lane.
std::string place(const Fault& fault, const Op& op) {
    if (fault.lane == Fault::kNoLane) return "";
    if (fault.iteration < 0) return fmt::format("{} {}", lane_word(op), fault.lane);
    return fmt::format("{} {} of iteration {}", lane_word(op), fault.lane, fault.iteration);
}

struct Start {
    Operand operand;
    std::int64_t operator()(const MaskLoad& o) const { return value(o.address); }
    std::int64_t operator()(const MaskStore& o) const { return value(o.address); }
    std::int64_t operator()(const Load& o) const { return value(o.address); }
    std::int64_t operator()(const Store& o) const { return value(o.address); }
    std::int64_t operator()(const BlockLoad& o) const { return value(o.address); }
    std::int64_t operator()(const BlockStore& o) const { return value(o.address); }
    std::int64_t operator()(const Gather& o) const { return value(o.base); }
    std::int64_t operator()(const GatherBlock& o) const { return value(o.base); }
    std::int64_t operator()(const Scatter& o) const { return value(o.base); }
    std::int64_t operator()(const TensorScatter& o) const {
        if (operand == Operand::src) return value(o.src);
        if (operand == Operand::offset) return value(o.offset);
        return value(o.dst) < 0 ? value(o.dst) : o.base;
    }
    std::int64_t operator()(const TensorAdd& o) const {
        if (operand == Operand::src0) return value(o.src0);
        return value(operand == Operand::src1 ? o.src1 : o.dst);
    }
    template <typename Other>
    std::int64_t operator()(const Other&) const {
        return 0;
    }
};

/// The address that an op's indices, offsets or lanes count from.
std::int64_t start_of(const Op& op, Operand operand) {
    return std::visit(Start{operand}, op);
}

bool has_index(const Op& op) {
    return kind_of(op) == OpKind::gather || kind_of(op) == OpKind::scatter;
}
std::size_t index_bytes(const Op& op) {
    if (const auto* gather = std::get_if<Gather>(&op)) return size_of(gather->index_type);
    if (const auto* scatter = std::get_if<Scatter>(&op)) return size_of(scatter->index_type);
    return 8;
}

// ---- types

struct Types {
    std::string operator()(const Gather& o) const {
        return fmt::format("{} from {} with {} indices", name(o.dst_type), name(o.src_type), name(o.index_type));
    }
    std::string operator()(const Scatter& o) const {
        return fmt::format("{} with {} indices", name(o.type), name(o.index_type));
    }
    std::string operator()(const VfBegin&) const { return ""; }
    std::string operator()(const VfEnd&) const { return ""; }
    std::string operator()(const Barrier&) const { return ""; }
    std::string operator()(const MaskLoad&) const { return ""; }
    std::string operator()(const MaskStore&) const { return ""; }
    template <typename Other>
    std::string operator()(const Other& o) const {
        return std::string(name(o.type));
    }
};

std::string types_of(const Op& op) {
    std::string types = std::visit(Types{}, op);
    if (const std::string_view mode = mode_of(op); !mode.empty()) {
        fmt::format_to(std::back_inserter(types), " in mode {}", mode);
    }
    return types;
}

std::string legal_in_mode(const ModeShape& shape) {
    const unsigned bits = 8U * shape.element_bytes;
    if (shape.repacked_bytes == 0) return fmt::format("the mode takes {}-bit types", bits);
    return fmt::format("the mode takes {}-bit types, or {}-bit ones for the other side", bits,
                       8U * shape.repacked_bytes);
}

std::string_view legal_gather(const Gather& op) {
    switch (size_of(op.src_type)) {
        case 1:
            return "from 8-bit data go s16 from s8, u16 from u8 and every 8-bit type to itself, all with u16 indices";
        case 2: return "16-bit data go to their own type, with u16 or u32 indices";
        case 4: return "32-bit data go to their own type, with u32 indices";
        default: return "64-bit data go to their own type, with u32 or u64 indices";
    }
}

std::string_view legal_scatter(const Scatter& op) {
    switch (size_of(op.type)) {
        case 1: return "of the 8-bit types it takes s8 and u8, with u16 indices";
        case 2: return "16-bit data take u16 indices";
        case 4: return "32-bit data take u32 indices";
        default: return "64-bit data take u32 or u64 indices";
    }
}

constexpr std::string_view kSums = "it takes float, half, s32, u32, s16 and u16";

struct Legal {
    std::string operator()(const Load& o) const { return legal_in_mode(shape_of(o.mode)); }
    std::string operator()(const Store& o) const { return legal_in_mode(shape_of(o.mode)); }
    std::string operator()(const Gather& o) const { return std::string(legal_gather(o)); }
    std::string operator()(const Scatter& o) const { return std::string(legal_scatter(o)); }
    std::string operator()(const MaskGen&) const { return "it takes 16-bit and 32-bit types"; }
    std::string operator()(const GatherRegister&) const { return "it takes 8-bit, 16-bit and 32-bit types"; }
    std::string operator()(const Add&) const { return std::string(kSums); }
    std::string operator()(const Adds&) const { return std::string(kSums); }
    std::string operator()(const TensorAdd&) const { return "it takes float"; }
    std::string operator()(const Duplicate&) const { return "it takes float, half, s32, u32, s16, u16, b32 and b16"; }
    std::string operator()(const TensorScatter& o) const {
        if (o.form == TensorScatterForm::count) return "";
        return size_of(o.type) == 1 ? "8-bit types may take the count form only" : "";
    }
    template <typename Other>
    std::string operator()(const Other&) const {
        return "";
    }
};

/// What would be legal instead; empty where the product decides.
std::string legal_types(const Op& op) {
    return std::visit(Legal{}, op);
}

/// One register where a pair is needed, or the other way round.
std::string describe_form(const Fault& fault, const Op& op) {
    if (const std::string_view mode = mode_of(op); !mode.empty()) {
        const auto* load = std::get_if<Load>(&op);
        const auto* store = std::get_if<Store>(&op);
        const bool pair = load != nullptr ? load->dst.pair : store != nullptr && store->src.pair;
        return fmt::format("{}: mode {} takes {} as {}, not {}", quoted_op(op), mode,
                           pair ? "one register" : "two registers", name(fault.operand), pair ? "two" : "one");
    }
    const auto* gather = std::get_if<Gather>(&op);
    const auto* scatter = std::get_if<Scatter>(&op);
    const bool single_index =
        (gather != nullptr && !gather->index.pair) || (scatter != nullptr && !scatter->index.pair);
    if (fault.operand == Operand::index && single_index) {
        return fmt::format(
            "{}: u64 indices in one register are 32, a pair of data registers has 64 lanes; give the "
            "indices as a pair too",
            quoted_op(op));
    }
    if (kind_of(op) == OpKind::update_mask) {
        return fmt::format("{}: the 64 lanes of a pair are those of a 64-bit type; {} takes a single register",
                           quoted_op(op), types_of(op));
    }
    return fmt::format("{}: a register pair as {} holds 64-bit elements; {} takes a single register there",
                       quoted_op(op), name(fault.operand), types_of(op));
}

std::string describe_type(const Fault& fault, const Op& op, std::string_view product, std::string_view supported_on) {
    if (fault.operand == Operand::dst || fault.operand == Operand::src || fault.operand == Operand::index) {
        return describe_form(fault, op);
    }
    std::string text = fmt::format("{} on {} does not take {}", quoted_op(op), product, types_of(op));
    if (fault.operand == Operand::mask) text += " with a mask";
    if (const std::string legal = legal_types(op); !legal.empty()) {
        fmt::format_to(std::back_inserter(text), ": {}", legal);
    } else if (!supported_on.empty()) {
        fmt::format_to(std::back_inserter(text), "; products with this op: {}", supported_on);
    }
    return text;
}

// ---- the other errors

std::string describe_op(const Op& op, std::string_view product, std::string_view supported_on) {
    std::string types = types_of(op);
    if (!types.empty()) types = fmt::format(" ({})", types);
    if (supported_on.empty()) {
        return fmt::format("{}{} is not supported on {}, nor on any other product here", quoted_op(op), types, product);
    }
    return fmt::format("{}{} is not supported on {}; it is supported on: {}", quoted_op(op), types, product,
                       supported_on);
}

std::string describe_bounds(const Fault& fault, const Op& op) {
    const std::int64_t start = start_of(op, fault.operand);
    std::string where = place(fault, op);
    if (!where.empty()) where += " ";
    std::string text = fmt::format("{}: {}", quoted_op(op), where);
    fmt::format_to(std::back_inserter(text), "{} byte address {} through operand '{}', ",
                   where.empty() ? "reaches" : "would access", hex(fault.address), name(fault.operand));
    if (start < 0) {
        fmt::format_to(std::back_inserter(text), "whose start {} is negative", hex(start));
    } else {
        fmt::format_to(std::back_inserter(text), "outside the UB of {} bytes", hex(fault.limit));
    }
    if (has_index(op)) {
        const auto index = static_cast<std::uint64_t>(fault.value);
        const std::size_t bytes = index_bytes(op);
        fmt::format_to(std::back_inserter(text), " (index {}, base {})", index, hex(start));
        if ((index >> (8 * bytes - 1)) != 0) {
            const auto sign = std::uint64_t{1} << (8 * bytes - 1);
            fmt::format_to(std::back_inserter(text), "; the index is unsigned: {} is not {}", index,
                           static_cast<std::int64_t>((index ^ sign) - sign));
        } else {
            text += "; correct the index or leave the lane out of the mask";
        }
    } else if (kind_of(op) == OpKind::gather_block ||
               (kind_of(op) == OpKind::tensor_scatter && fault.operand == Operand::dst)) {
        fmt::format_to(std::back_inserter(text), " (offset {} bytes)", fault.value);
    }
    return text;
}

std::string describe_alignment(const Fault& fault, const Op& op) {
    std::string text = fmt::format("{}: ", quoted_op(op));
    if (fault.lane != Fault::kNoLane) {
        fmt::format_to(std::back_inserter(text), "{}: {} {} (byte address {}) is not a multiple of {} bytes",
                       place(fault, op), name(fault.operand), fault.value, hex(fault.address), fault.limit);
        return text;
    }
    fmt::format_to(std::back_inserter(text), "operand '{}' at byte address {} is not aligned to {} bytes",
                   name(fault.operand), hex(fault.address), fault.limit);
    const std::int64_t below = fault.address & ~(fault.limit - 1);
    if (below >= 0) {
        fmt::format_to(std::back_inserter(text), "; the nearest legal ones are {} and {}", hex(below),
                       hex(saturating_add(below, fault.limit)));
    }
    return text;
}

bool is_mask_register(const Fault& fault, const Op& op) {
    if (fault.operand == Operand::mask) return true;
    switch (kind_of(op)) {
        case OpKind::create_mask:
        case OpKind::update_mask:
        case OpKind::mask_load:
        case OpKind::mask_store: return true;
        case OpKind::mask_gen: return fault.operand == Operand::dst;
        default: return false;
    }
}

std::string describe_register(const Fault& fault, const Op& op) {
    const char letter = is_mask_register(fault, op) ? 'm' : 'v';
    if (fault.value >= 0 && fault.value <= fault.limit) {
        return fmt::format("{}: operand '{}' is the pair {}{}:{}{}; a pair is two different registers", quoted_op(op),
                           name(fault.operand), letter, fault.value, letter, fault.value);
    }
    return fmt::format("{}: operand '{}' names register {}{}; there are {}0 to {}{}", quoted_op(op),
                       name(fault.operand), letter, fault.value, letter, letter, fault.limit);
}

std::string describe_mask(const Fault& fault, const Op& op) {
    const auto* scatter = std::get_if<TensorScatter>(&op);
    if (scatter == nullptr) return fmt::format("{}: the mask is illegal", quoted_op(op));
    if (scatter->form == TensorScatterForm::contiguous_mask) {
        return fmt::format("{}: mask {} is illegal; {} takes {} to {} elements an iteration", quoted_op(op),
                           scatter->mask_low, name(scatter->type), fault.minimum, fault.limit);
    }
    return fmt::format(
        "{}: bit mask {{0x{:X}, 0x{:X}}} is illegal; for {} some of the lowest {} bits must be set and no "
        "others",
        quoted_op(op), scatter->mask_low, scatter->mask_high, name(scatter->type), fault.limit);
}

std::string describe_number(const Fault& fault, const Op& op) {
    return fmt::format("{}: {} {} is out of range; legal are {} to {}", quoted_op(op), name(fault.operand), fault.value,
                       fault.minimum, fault.limit);
}

std::string describe_offset(const Fault& fault, const Op& op, std::string_view product) {
    return fmt::format("{}: {}: offset {} is past the limit of {} bytes on {} for {}", quoted_op(op), place(fault, op),
                       fault.value, fault.limit, product, types_of(op));
}

// ---- warnings

std::string lane_list(const Fault& fault) {
    std::string list;
    for_each_bit(fault.lanes.data(), fault.lanes.size(), [&](std::size_t lane) {
        fmt::format_to(std::back_inserter(list), "{}{}", list.empty() ? "" : ", ", lane);
    });
    return list;
}

std::string describe_duplicate(const Fault& fault, const Op& op) {
    const std::string losers = fault.count == 1 ? "1 write is" : fmt::format("{} writes are", fault.count);
    if ((fault.lanes[0] | fault.lanes[1]) == 0) {
        return fmt::format(
            "{}: {} has the target {} of an earlier element (offset {}); {} lost to another of the same "
            "target",
            quoted_op(op), place(fault, op), hex(fault.address), fault.value, losers);
    }
    return fmt::format("{}: lanes {} have the same target, byte address {}; lane {} is written; {} lost in all",
                       quoted_op(op), lane_list(fault), hex(fault.address), fault.limit, losers);
}

std::string describe_overlap(const Fault& fault, const Op& op) {
    return fmt::format("{}: {} is written to byte address {}, inside the op's own {}; {}", quoted_op(op),
                       place(fault, op), hex(fault.address), fault.operand == Operand::offset ? "offsets" : "source",
                       fault.operand == Operand::offset ? "offsets are taken as they stood before the op"
                                                        : "each iteration reads its source before it writes");
}

std::string describe_order(const Op& op) {
    switch (kind_of(op)) {
        case OpKind::vf_begin:
            return fmt::format("{} inside a vector function: they do not nest; end the running one first",
                               quoted_op(op));
        case OpKind::vf_end: return fmt::format("{} without a vector function to end", quoted_op(op));
        default: break;
    }
    if (belongs_in_vf(kind_of(op))) {
        return fmt::format("{} outside a vector function; put it between VfBegin and VfEnd", quoted_op(op));
    }
    return fmt::format("{} inside a vector function; it stands on its own, after VfEnd", quoted_op(op));
}

/// What an uninitialised read found: a byte of the UB, or a register whose number is in `value`.
std::string unwritten(const Fault& fault) {
    if (fault.operand == Operand::src) return fmt::format("vector register v{}", fault.value);
    if (fault.operand == Operand::mask) return fmt::format("mask register m{}", fault.value);
    return fmt::format("byte address {}", hex(fault.address));
}

}  // namespace

std::string_view name(Severity severity) {
    switch (severity) {
        case Severity::info: return "info";
        case Severity::warning: return "warning";
        case Severity::error: return "error";
    }
    return "?";
}

const std::vector<DiagnosticInfo>& diagnostic_table() {
    using Id = DiagnosticId;
    static const std::vector<DiagnosticInfo> table = {
        {Id::unsupported_op, "unsupported-op", kError, Response::command_error, "The product has no such op."},
        {Id::unsupported_type, "unsupported-type", kError, Response::generic_error,
         "The op exists, but not for these element types or register forms."},
        {Id::ub_out_of_bounds, "ub-out-of-bounds", kError, Response::address_error,
         "An active lane, block or element lies outside the Unified Buffer."},
        {Id::misaligned, "misaligned", kError, Response::address_error,
         "An address or offset is not a multiple of what the op requires."},
        {Id::bad_register, "bad-register", kError, Response::generic_error,
         "A register number is past the end, or a pair names one register twice."},
        {Id::bad_mask, "bad-mask", kError, Response::generic_error,
         "The mask of a tensor op selects nothing or more elements than an iteration has."},
        {Id::bad_part, "bad-part", kError, Response::generic_error, "Mask generation from a part that does not exist."},
        {Id::bad_repeat, "bad-repeat", kError, Response::generic_error, "The number of iterations is out of range."},
        {Id::bad_stride, "bad-stride", kError, Response::generic_error, "The stride is out of range."},
        {Id::bad_count, "bad-count", kError, Response::generic_error, "The number of elements is out of range."},
        {Id::offset_out_of_range, "offset-out-of-range", kError, Response::generic_error,
         "A byte offset is larger than the product allows for elements of this size."},
        {Id::vf_order, "vf-order", kError, Response::generic_error,
         "An op on the wrong side of a vector function's begin or end."},
        {Id::busy, "busy", kError, Response::generic_error,
         "Another initiator's vector function is running and the caller cannot wait."},
        {Id::duplicate_target, "duplicate-target", kWarning, Response::ok,
         "Several elements of a scatter have one target; one of them was written."},
        {Id::hazard, "hazard", kWarning, Response::ok,
         "An access overlaps an earlier one in the same vector function with no barrier between."},
        {Id::reserved_ub, "reserved-ub", kWarning, Response::ok,
         "Bytes that the toolchain keeps for itself were used."},
        {Id::overlap, "overlap", kWarning, Response::ok, "A tensor op writes into its own source or offsets."},
        {Id::empty_op, "empty-op", kWarning, Response::ok,
         "A tensor op of zero elements: nothing was done, and the vendor promises nothing."},
        {Id::uninitialised_read, "uninitialised-read", kWarning, Response::ok,
         "Bytes or a register were read that nobody has written."},
        {Id::expect_mismatch, "expect-mismatch", kError, Response::ok,
         "A program's expectation did not hold; the run went on."},
        {Id::null_pointer, "null-pointer", kError, Response::ok, "A kernel handed a null pointer to an op."},
        {Id::foreign_pointer, "foreign-pointer", kError, Response::ok,
         "A pointer of a kernel points to the wrong memory: outside the Unified Buffer, or into it."},
        {Id::freed_memory, "freed-memory", kError, Response::ok, "A kernel used global memory that has been freed."},
        {Id::outside_memory, "outside-memory", kError, Response::ok,
         "A transfer of a kernel leaves the allocation in global memory that it starts in."},
        {Id::wild_access, "wild-access", kError, Response::ok,
         "Ordinary code of a kernel read or wrote where there is no memory."},
        {Id::out_of_space, "out-of-space", kError, Response::ok,
         "A kernel asked for more of the Unified Buffer, or of the room for spilled registers, than is left."},
        {Id::deadlock, "deadlock", kError, Response::ok, "A kernel waits for what will never happen."},
        {Id::bad_argument, "bad-argument", kError, Response::ok, "An argument of an API function is out of range."},
        {Id::bad_tensor, "bad-tensor", kError, Response::ok,
         "A tensor or queue of a kernel was used in a state in which it cannot be."},
        {Id::flag_set_twice, "flag-set-twice", kWarning, Response::ok,
         "A flag was set that nobody had waited for since it was set before."},
    };
    return table;
}

const DiagnosticInfo& info(DiagnosticId id) {
    static const DiagnosticInfo nothing = {DiagnosticId::none, "none", Severity::info, Response::ok, "Nothing."};
    const auto index = static_cast<std::size_t>(id);
    return index == 0 || index > diagnostic_table().size() ? nothing : diagnostic_table()[index - 1];
}

std::string_view name(Operand operand) {
    switch (operand) {
        case Operand::none: return "none";
        case Operand::op: return "op";
        case Operand::dst: return "dst";
        case Operand::src: return "src";
        case Operand::src0: return "src0";
        case Operand::src1: return "src1";
        case Operand::index: return "index";
        case Operand::mask: return "mask";
        case Operand::base: return "base";
        case Operand::address: return "address";
        case Operand::offset: return "offset";
        case Operand::part: return "part";
        case Operand::count: return "count";
        case Operand::repeat: return "repeat";
        case Operand::stride: return "stride";
        case Operand::scalar: return "scalar";
        case Operand::dst_type: return "dst type";
        case Operand::index_type: return "index type";
        case Operand::source_type: return "source type";
        case Operand::type: return "type";
    }
    return "?";
}

std::string describe(const Fault& fault, const Op& op, std::string_view product, std::string_view supported_on) {
    switch (fault.id) {
        case DiagnosticId::unsupported_op: return describe_op(op, product, supported_on);
        case DiagnosticId::unsupported_type: return describe_type(fault, op, product, supported_on);
        case DiagnosticId::ub_out_of_bounds: return describe_bounds(fault, op);
        case DiagnosticId::misaligned: return describe_alignment(fault, op);
        case DiagnosticId::bad_register: return describe_register(fault, op);
        case DiagnosticId::bad_mask: return describe_mask(fault, op);
        case DiagnosticId::bad_part:
        case DiagnosticId::bad_repeat:
        case DiagnosticId::bad_stride:
        case DiagnosticId::bad_count: return describe_number(fault, op);
        case DiagnosticId::offset_out_of_range: return describe_offset(fault, op, product);
        case DiagnosticId::duplicate_target: return describe_duplicate(fault, op);
        case DiagnosticId::reserved_ub:
            return fmt::format("{} touches byte address {}; the toolchain keeps bytes from {} for itself",
                               quoted_op(op), hex(fault.address), hex(fault.limit));
        case DiagnosticId::overlap: return describe_overlap(fault, op);
        case DiagnosticId::empty_op:
            return fmt::format("{} with {} 0 does nothing here; the vendor promises nothing for it", quoted_op(op),
                               name(fault.operand));
        case DiagnosticId::vf_order: return describe_order(op);
        case DiagnosticId::uninitialised_read:
            return fmt::format("{} reads {}, which was never written", quoted_op(op), unwritten(fault));
        default: return fmt::format("{}: {}", quoted_op(op), info(fault.id).meaning);
    }
}

bool DiagnosticLog::repeat(DiagnosticId id, std::uint32_t line, std::uint32_t other_line, OpKind kind,
                           std::uint64_t count) {
    const auto found = index_.find({id, line, other_line, kind});
    if (found == index_.end()) return false;
    entries_[found->second].count += count;
    return true;
}

void DiagnosticLog::add(Diagnostic diagnostic, OpKind kind) {
    index_.emplace(Key{diagnostic.id, diagnostic.line, diagnostic.other_line, kind}, entries_.size());
    entries_.push_back(std::move(diagnostic));
}

void DiagnosticLog::clear() {
    index_.clear();
    entries_.clear();
}

}  // namespace vcore::isa
