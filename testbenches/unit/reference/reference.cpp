#include "testbenches/unit/reference/reference.hpp"

#include <algorithm>
#include <limits>

#include "testbenches/unit/reference/arithmetic.hpp"
#include "testbenches/unit/reference/modes.hpp"

namespace vcore::reference {
namespace {

using isa::DiagnosticId;
using isa::ElementType;

__extension__ typedef __int128 Wide;  // addresses of 64-bit indices do not fit into 64 bits

// ---- types

int width(ElementType type) {
    switch (type) {
        case ElementType::s8:
        case ElementType::u8:
        case ElementType::hif8:
        case ElementType::e8m0:
        case ElementType::e5m2:
        case ElementType::e4m3:
        case ElementType::b8: return 1;
        case ElementType::s16:
        case ElementType::u16:
        case ElementType::half:
        case ElementType::bf16:
        case ElementType::b16: return 2;
        case ElementType::s32:
        case ElementType::u32:
        case ElementType::f32:
        case ElementType::b32: return 4;
        case ElementType::s64:
        case ElementType::u64:
        case ElementType::b64: return 8;
    }
    return 0;
}

bool any_of_its_width(ElementType type) {
    return type == ElementType::b8 || type == ElementType::b16 || type == ElementType::b32 || type == ElementType::b64;
}

/// A caller's type fits a row of a table if it is that type, or stands for any type of that width.
bool fits(ElementType asked, ElementType row) {
    return asked == row || (any_of_its_width(asked) && width(asked) == width(row));
}

bool fits(ElementType asked, const std::vector<ElementType>& rows) {
    for (const ElementType row : rows) {
        if (fits(asked, row)) return true;
    }
    return false;
}

// ---- bytes

std::uint64_t number_at(const std::uint8_t* bytes, int size) {
    std::uint64_t number = 0;
    for (int i = 0; i < size; ++i) number |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
    return number;
}

void put_number(std::uint8_t* bytes, int size, std::uint64_t number) {
    for (int i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
}

bool bit_of(const std::uint8_t* bytes, int bit) {
    return ((bytes[bit / 8] >> (bit % 8)) & 1) != 0;
}

void set_bit(std::uint8_t* bytes, int bit) {
    bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] | (1 << (bit % 8)));
}

// ---- refusals

/// Numbers that do not fit into 64 bits stop at the last one that does.
std::int64_t clamped(Wide number) {
    const Wide most = std::numeric_limits<std::int64_t>::max();
    const Wide least = std::numeric_limits<std::int64_t>::min();
    return static_cast<std::int64_t>(std::min(std::max(number, least), most));
}

isa::UbAddress advanced(isa::UbAddress address, Wide bytes) {
    return isa::UbAddress{clamped(Wide{isa::value(address)} + bytes)};
}

Opinion refuse(DiagnosticId id, std::int64_t lane = isa::Fault::kNoLane, Wide address = isa::Fault::kNoAddress) {
    Opinion opinion;
    opinion.refusal = id;
    opinion.lane = lane;
    opinion.address = clamped(address);
    return opinion;
}

bool legal(isa::VregId id) {
    return isa::value(id) >= 0 && isa::value(id) <= 31;
}

bool legal(isa::MregId id) {
    return isa::value(id) >= 0 && isa::value(id) <= 7;
}

bool legal(const isa::VectorOperand& operand) {
    if (!operand.pair) return legal(operand.low);
    return legal(operand.low) && legal(operand.high) && operand.low != operand.high;
}

bool multiple_of(Wide number, int divisor) {
    return number % divisor == 0;
}

/// One op at work: the machine, the product, and what has been found so far.
class Worker {
public:
    Worker(Machine& machine, const Product& product) : machine_(machine), product_(product) {}

    // Vector functions delimit and order other ops; alone they change nothing.
    Opinion run(isa::VfBegin&) { return in_vf(); }
    Opinion run(isa::VfEnd&) { return in_vf(); }
    Opinion run(isa::Barrier&) { return in_vf(); }

    Opinion run(isa::CreateMask& op) {
        if (!product_.vector_functions) return refuse(DiagnosticId::unsupported_op);
        if (!legal(op.dst)) return refuse(DiagnosticId::bad_register);
        const int lanes = 256 / width(op.type);
        std::uint8_t* dst = clear_mask(op.dst);
        for (int lane = 0; lane < lanes; ++lane) {
            if (selected(op.pattern, lane, lanes)) set_bit(dst, lane * width(op.type));
        }
        return {};
    }

    Opinion run(isa::UpdateMask& op) {
        if (!product_.vector_functions) return refuse(DiagnosticId::unsupported_op);
        if (op.pair && width(op.type) != 8) return refuse(DiagnosticId::unsupported_type);
        if (!legal(op.dst)) return refuse(DiagnosticId::bad_register);
        if (op.count < 0 || op.count > 4294967295) return refuse(DiagnosticId::bad_count);
        const int bits = op.pair ? 4 : width(op.type);
        const int lanes = 256 / bits;
        std::uint8_t* dst = clear_mask(op.dst);
        for (int lane = 0; lane < lanes; ++lane) {
            if (lane < op.count) set_bit(dst, lane * bits);
        }
        op.count = op.count > lanes ? op.count - lanes : 0;
        return {};
    }

    Opinion run(isa::MaskGen& op) {
        if (!product_.vector_functions) return refuse(DiagnosticId::unsupported_op);
        const int copies = width(op.type);
        if (copies != 2 && copies != 4) return refuse(DiagnosticId::unsupported_type);
        if (!legal(op.dst) || !legal(op.src)) return refuse(DiagnosticId::bad_register);
        const int part_bytes = copies == 2 ? 16 : 8;
        const int parts = copies == 2 ? 16 : 32;
        if (op.part < 0 || op.part >= parts) return refuse(DiagnosticId::bad_part);
        const std::uint8_t* part = vector(op.src) + op.part * part_bytes;
        std::uint8_t* dst = clear_mask(op.dst);
        for (int bit = 0; bit < 256; ++bit) {
            if (bit_of(part, bit / copies)) set_bit(dst, bit);
        }
        return {};
    }

    Opinion run(isa::MaskLoad& op) {
        if (!product_.vector_functions) return refuse(DiagnosticId::unsupported_op);
        if (!legal(op.dst)) return refuse(DiagnosticId::bad_register);
        const bool doubled = op.mode == isa::MaskLoadMode::us;
        const bool halved = op.mode == isa::MaskLoadMode::ds;
        const std::int64_t address = isa::value(op.address);
        if (!multiple_of(address, doubled ? 16 : 32)) return refuse(DiagnosticId::misaligned, -1, address);
        const int bytes = doubled ? 16 : halved ? 64 : 32;
        if (!inside(address, bytes)) return refuse(DiagnosticId::ub_out_of_bounds, -1, first_byte_outside(address));
        note_touched(address, bytes);
        std::uint8_t* dst = clear_mask(op.dst);
        for (int bit = 0; bit < 256; ++bit) {
            const int source = doubled ? bit / 2 : halved ? bit * 2 : bit;
            if (bit_of(&machine_.ub[static_cast<std::size_t>(address)], source)) set_bit(dst, bit);
        }
        op.address = advanced(op.address, op.post_update);
        return found_;
    }

    Opinion run(isa::MaskStore& op) {
        if (!product_.vector_functions) return refuse(DiagnosticId::unsupported_op);
        if (!legal(op.src)) return refuse(DiagnosticId::bad_register);
        const bool packed = op.mode == isa::MaskStoreMode::pack;
        const std::int64_t address = isa::value(op.address);
        if (!multiple_of(address, packed ? 16 : 32)) return refuse(DiagnosticId::misaligned, -1, address);
        const int bytes = packed ? 16 : 32;
        if (!inside(address, bytes)) return refuse(DiagnosticId::ub_out_of_bounds, -1, first_byte_outside(address));
        note_touched(address, bytes);
        std::uint8_t* ub = &machine_.ub[static_cast<std::size_t>(address)];
        for (int byte = 0; byte < bytes; ++byte) ub[byte] = 0;
        for (int bit = 0; bit < bytes * 8; ++bit) {
            if (bit_of(mask(op.src), packed ? bit * 2 : bit)) set_bit(ub, bit);
        }
        op.address = advanced(op.address, op.post_update);
        return found_;
    }

    Opinion run(isa::Load& op) {
        if (!product_.vector_functions) return refuse(DiagnosticId::unsupported_op);
        if (op.mode != isa::LoadMode::norm) return run_mode(op, load_row(op.mode));
        const int size = width(op.type);
        if (op.dst.pair && size != 8) return refuse(DiagnosticId::unsupported_type);
        if (!legal(op.dst)) return refuse(DiagnosticId::bad_register);
        const std::int64_t address = isa::value(op.address);
        if (!multiple_of(address, 32)) return refuse(DiagnosticId::misaligned, -1, address);
        const int bytes = op.dst.pair ? 512 : 256;
        for (int lane = 0; lane < bytes / size; ++lane) {
            const Wide element = Wide{address} + lane * size;
            if (!inside_from(address, element, size)) return refuse(DiagnosticId::ub_out_of_bounds, lane, element);
        }
        note_touched(address, bytes);
        for (int byte = 0; byte < bytes; ++byte) {
            const std::uint8_t loaded = machine_.ub[static_cast<std::size_t>(address + byte)];
            if (!op.dst.pair) {
                vector(op.dst.low)[byte] = loaded;
            } else {
                const int word = byte / 8 * 4;
                vector(byte % 8 < 4 ? op.dst.low : op.dst.high)[word + byte % 4] = loaded;
            }
        }
        op.address = advanced(op.address, Wide{op.post_update} * size);
        return found_;
    }

    Opinion run(isa::Store& op) {
        if (!product_.vector_functions) return refuse(DiagnosticId::unsupported_op);
        if (op.mode != isa::StoreMode::norm) return run_mode(op, store_row(op.mode));
        const int size = width(op.type);
        if (op.src.pair && size != 8) return refuse(DiagnosticId::unsupported_type);
        if (!legal(op.src) || !legal(op.mask)) return refuse(DiagnosticId::bad_register);
        const std::int64_t address = isa::value(op.address);
        if (!multiple_of(address, 32)) return refuse(DiagnosticId::misaligned, -1, address);
        const int lanes = (op.src.pair ? 512 : 256) / size;
        const int mask_bits = op.src.pair ? 4 : size;
        for (int lane = 0; lane < lanes; ++lane) {
            const Wide element = Wide{address} + lane * size;
            if (bit_of(mask(op.mask), lane * mask_bits) && !inside_from(address, element, size)) {
                return refuse(DiagnosticId::ub_out_of_bounds, lane, element);
            }
        }
        for (int lane = 0; lane < lanes; ++lane) {
            if (!bit_of(mask(op.mask), lane * mask_bits)) continue;
            note_touched(address + lane * size, size);
            for (int byte = 0; byte < size; ++byte) {
                machine_.ub[static_cast<std::size_t>(address + lane * size + byte)] =
                    element_byte(op.src, size, lane, byte);
            }
        }
        op.address = advanced(op.address, Wide{op.post_update} * size);
        return found_;
    }

    Opinion run(isa::BlockLoad& op) {
        const Opinion refused = check_blocks(op, op.dst);
        if (refused.refusal != DiagnosticId::none) return refused;
        for (int block = 0; block < 8; ++block) {
            const bool moves = block_moves(op.mask, op.type, block);
            const std::int64_t from = moves ? isa::value(op.address) + block * op.stride * 32 : 0;
            if (moves) note_touched(from, 32);
            for (int byte = 0; byte < 32; ++byte) {
                vector(op.dst)[block * 32 + byte] = moves ? machine_.ub[static_cast<std::size_t>(from + byte)] : 0;
            }
        }
        op.address = advanced(op.address, Wide{op.post_update} * 32);
        return found_;
    }

    Opinion run(isa::BlockStore& op) {
        const Opinion refused = check_blocks(op, op.src);
        if (refused.refusal != DiagnosticId::none) return refused;
        for (int block = 0; block < 8; ++block) {
            if (!block_moves(op.mask, op.type, block)) continue;
            const std::int64_t to = isa::value(op.address) + block * op.stride * 32;
            note_touched(to, 32);
            for (int byte = 0; byte < 32; ++byte) {
                machine_.ub[static_cast<std::size_t>(to + byte)] = vector(op.src)[block * 32 + byte];
            }
        }
        op.address = advanced(op.address, Wide{op.post_update} * 32);
        return found_;
    }

    Opinion run(isa::Gather& op) {
        if (!product_.vector_functions) return refuse(DiagnosticId::unsupported_op);
        bool in_table = false;
        for (const GatherRow& row : gather_rows()) {
            in_table |= fits(op.dst_type, row.dst) && fits(op.src_type, row.src) && fits(op.index_type, row.index);
        }
        if (!in_table || !forms_match(width(op.dst_type), op.dst, width(op.index_type), op.index)) {
            return refuse(DiagnosticId::unsupported_type);
        }
        if (!legal(op.dst) || !legal(op.index) || !legal(op.mask)) return refuse(DiagnosticId::bad_register);
        if (!multiple_of(isa::value(op.base), 32)) {
            return refuse(DiagnosticId::misaligned, -1, isa::value(op.base));
        }
        const int size = width(op.src_type);
        const Lanes lanes = indexed_lanes(size, op.dst, width(op.index_type));
        std::vector<std::uint64_t> gathered(static_cast<std::size_t>(lanes.count), 0);
        for (int lane = 0; lane < lanes.count; ++lane) {
            if (!bit_of(mask(op.mask), lane * lanes.mask_bits)) continue;
            const Wide address = isa::value(op.base) + Wide{index_of(op.index, width(op.index_type), lane)} * size;
            if (!inside_from(isa::value(op.base), address, size)) {
                return refuse(DiagnosticId::ub_out_of_bounds, lane, address);
            }
            gathered[static_cast<std::size_t>(lane)] = number_at(&machine_.ub[static_cast<std::size_t>(address)], size);
            note_touched(static_cast<std::int64_t>(address), size);
        }
        for (int lane = 0; lane < lanes.count; ++lane) {
            const std::uint64_t element = gathered[static_cast<std::size_t>(lane)];
            if (op.dst.pair) {
                put_number(vector(op.dst.low) + lane * 4, 4, element & 0xFFFFFFFF);
                put_number(vector(op.dst.high) + lane * 4, 4, element >> 32);
            } else {
                put_number(vector(op.dst.low) + lane * (256 / lanes.count), 256 / lanes.count, element);
            }
        }
        return found_;
    }

    Opinion run(isa::GatherBlock& op) {
        if (!product_.vector_functions) return refuse(DiagnosticId::unsupported_op);
        if (!legal(op.dst) || !legal(op.index) || !legal(op.mask)) return refuse(DiagnosticId::bad_register);
        if (!multiple_of(isa::value(op.base), 32)) {
            return refuse(DiagnosticId::misaligned, -1, isa::value(op.base));
        }
        std::array<std::uint8_t, 256> gathered{};
        for (int block = 0; block < 8; ++block) {
            if (!bit_of(mask(op.mask), block * 4)) continue;
            const std::int64_t offset = static_cast<std::int64_t>(number_at(vector(op.index) + block * 4, 4));
            const Wide address = Wide{isa::value(op.base)} + offset;
            if (!multiple_of(offset, 32)) return refuse(DiagnosticId::misaligned, block, address);
            if (!inside_from(isa::value(op.base), address, 32)) {
                return refuse(DiagnosticId::ub_out_of_bounds, block, address);
            }
            note_touched(static_cast<std::int64_t>(address), 32);
            for (int byte = 0; byte < 32; ++byte) {
                gathered[static_cast<std::size_t>(block * 32 + byte)] =
                    machine_.ub[static_cast<std::size_t>(address) + static_cast<std::size_t>(byte)];
            }
        }
        std::copy(gathered.begin(), gathered.end(), vector(op.dst));
        return found_;
    }

    Opinion run(isa::GatherRegister& op) {
        if (!product_.vector_functions) return refuse(DiagnosticId::unsupported_op);
        const int size = width(op.type);
        if (size == 8) return refuse(DiagnosticId::unsupported_type);
        if (!legal(op.dst) || !legal(op.src) || !legal(op.index)) return refuse(DiagnosticId::bad_register);
        const int lanes = 256 / size;
        std::array<std::uint8_t, 256> gathered{};
        for (int lane = 0; lane < lanes; ++lane) {
            const std::uint64_t index = number_at(vector(op.index) + lane * size, size);
            const int source = static_cast<int>(index % static_cast<std::uint64_t>(lanes));
            put_number(&gathered[static_cast<std::size_t>(lane * size)], size,
                       number_at(vector(op.src) + source * size, size));
        }
        std::copy(gathered.begin(), gathered.end(), vector(op.dst));
        return {};
    }

    Opinion run(isa::Scatter& op) {
        if (!product_.vector_functions) return refuse(DiagnosticId::unsupported_op);
        bool in_table = false;
        for (const ScatterRow& row : scatter_rows()) {
            in_table |= fits(op.type, row.type) && fits(op.index_type, row.index);
        }
        if (!in_table || !forms_match(width(op.type), op.src, width(op.index_type), op.index)) {
            return refuse(DiagnosticId::unsupported_type);
        }
        if (!legal(op.src) || !legal(op.index) || !legal(op.mask)) return refuse(DiagnosticId::bad_register);
        if (!multiple_of(isa::value(op.base), 32)) {
            return refuse(DiagnosticId::misaligned, -1, isa::value(op.base));
        }
        const int size = width(op.type);
        const Lanes lanes = indexed_lanes(size, op.src, width(op.index_type));
        for (int lane = 0; lane < lanes.count; ++lane) {
            if (!bit_of(mask(op.mask), lane * lanes.mask_bits)) continue;
            const Wide address = isa::value(op.base) + Wide{index_of(op.index, width(op.index_type), lane)} * size;
            if (!inside_from(isa::value(op.base), address, size)) {
                return refuse(DiagnosticId::ub_out_of_bounds, lane, address);
            }
            ElementWrite write;
            write.lane = lane;
            write.address = static_cast<std::int64_t>(address);
            write.size = static_cast<std::size_t>(size);
            for (int byte = 0; byte < size; ++byte) {
                // 8-bit data stand in the even bytes, one to each 16-bit index.
                write.bytes[static_cast<std::size_t>(byte)] =
                    size == 1 ? vector(op.src.low)[lane * 2] : element_byte(op.src, size, lane, byte);
            }
            found_.scattered.push_back(write);
        }
        const std::vector<bool> winners = settle_targets();
        for (std::size_t i = 0; i < winners.size(); ++i) {
            if (winners[i]) store(found_.scattered[i]);
        }
        return found_;
    }

    Opinion run(isa::TensorScatter& op) {
        if (product_.tensor_scatter.empty()) return refuse(DiagnosticId::unsupported_op);
        const bool masked = op.form != isa::TensorScatterForm::count;
        if (!fits(op.type, product_.tensor_scatter)) return refuse(DiagnosticId::unsupported_type);
        if (masked && !fits(op.type, product_.tensor_scatter_masked)) return refuse(DiagnosticId::unsupported_type);

        const int size = width(op.type);
        const std::int64_t per_iteration = size <= 2 ? 128 : 256 / size;
        if (masked && !legal_tensor_mask(op, per_iteration)) return refuse(DiagnosticId::bad_mask);
        if (masked && (op.repeat < 0 || op.repeat > 255)) return refuse(DiagnosticId::bad_repeat);
        if (masked && (op.stride < 0 || op.stride > 255)) return refuse(DiagnosticId::bad_stride);
        if (!masked && op.count < 0) return refuse(DiagnosticId::bad_count);

        for (const isa::UbAddress start : {op.dst, op.src, op.offset}) {
            if (!multiple_of(isa::value(start), 32)) return refuse(DiagnosticId::misaligned, -1, isa::value(start));
        }
        if (!multiple_of(op.base, size)) return refuse(DiagnosticId::misaligned, -1, op.base);

        const std::int64_t steps = masked ? op.repeat * per_iteration : op.count;
        for (std::int64_t step = 0; step < steps; ++step) {
            if (masked && !tensor_active(op, step % per_iteration)) continue;
            Opinion refused = plan_step(op, size, per_iteration, step);
            if (refused.refusal == DiagnosticId::none) continue;
            refused.lane = masked ? step % per_iteration : step;
            refused.iteration = masked ? step / per_iteration : -1;
            return refused;
        }
        found_.empty = steps == 0;
        find_overlap(op, size, per_iteration, steps <= per_iteration);
        // Offsets have been read all; sources are read iteration by iteration, before the iteration's results are
        // written.
        const std::vector<bool> winners = settle_targets();
        for (std::int64_t iteration = 0; iteration * per_iteration < steps; ++iteration) {
            for (ElementWrite& write : found_.scattered) {
                if (write.step / per_iteration != iteration) continue;
                const Wide source = source_of(op, size, per_iteration, write.step);
                for (int byte = 0; byte < size; ++byte) {
                    write.bytes[static_cast<std::size_t>(byte)] = machine_.ub[static_cast<std::size_t>(source + byte)];
                }
            }
            for (std::size_t i = 0; i < winners.size(); ++i) {
                if (winners[i] && found_.scattered[i].step / per_iteration == iteration) store(found_.scattered[i]);
            }
        }
        return found_;
    }

    Opinion run(isa::TensorAdd& op) {
        if (product_.tensor_add.empty()) return refuse(DiagnosticId::unsupported_op);
        // Sums need a type: a width alone says nothing of how to add.
        const auto& types = product_.tensor_add;
        if (std::find(types.begin(), types.end(), op.type) == types.end()) {
            return refuse(DiagnosticId::unsupported_type);
        }
        const int size = width(op.type);
        if (op.count < 1) return refuse(DiagnosticId::bad_count);
        for (const isa::UbAddress start : {op.dst, op.src0, op.src1}) {
            if (!multiple_of(isa::value(start), 32)) return refuse(DiagnosticId::misaligned, -1, isa::value(start));
        }
        for (std::int64_t element = 0; element < op.count; ++element) {
            for (const isa::UbAddress start : {op.src0, op.src1, op.dst}) {
                const Wide address = Wide{isa::value(start)} + Wide{element} * size;
                if (!inside_from(isa::value(start), address, size)) {
                    return refuse(DiagnosticId::ub_out_of_bounds, element, address);
                }
                note_touched(static_cast<std::int64_t>(address), size);
            }
        }
        // An iteration of 256 B reads all its operands before it writes.
        const std::int64_t per_iteration = 256 / size;
        for (std::int64_t first = 0; first < op.count; first += per_iteration) {
            std::vector<std::uint64_t> sums;
            for (std::int64_t element = first; element < std::min(op.count, first + per_iteration); ++element) {
                sums.push_back(sum(op.type, ub_number(isa::value(op.src0) + element * size, size),
                                   ub_number(isa::value(op.src1) + element * size, size)));
            }
            for (std::size_t i = 0; i < sums.size(); ++i) {
                const auto element = first + static_cast<std::int64_t>(i);
                put_number(&machine_.ub[static_cast<std::size_t>(isa::value(op.dst) + element * size)], size, sums[i]);
            }
        }
        return found_;
    }

    Opinion run(isa::Add& op) {
        if (!product_.vector_functions) return refuse(DiagnosticId::unsupported_op);
        if (!arithmetic_type(op.type)) return refuse(DiagnosticId::unsupported_type);
        if (!legal(op.dst) || !legal(op.a) || !legal(op.b) || !legal(op.mask)) {
            return refuse(DiagnosticId::bad_register);
        }
        const int size = width(op.type);
        for (int at = 0; at < 256; at += size) {
            const std::uint64_t result = bit_of(mask(op.mask), at) ? sum(op.type, number_at(vector(op.a) + at, size),
                                                                         number_at(vector(op.b) + at, size))
                                                                   : 0;
            put_number(vector(op.dst) + at, size, result);
        }
        return {};
    }

    Opinion run(isa::Adds& op) {
        if (!product_.vector_functions) return refuse(DiagnosticId::unsupported_op);
        if (!arithmetic_type(op.type)) return refuse(DiagnosticId::unsupported_type);
        if (!legal(op.dst) || !legal(op.a) || !legal(op.mask)) return refuse(DiagnosticId::bad_register);
        const int size = width(op.type);
        for (int at = 0; at < 256; at += size) {
            const std::uint64_t result =
                bit_of(mask(op.mask), at) ? sum(op.type, number_at(vector(op.a) + at, size), op.scalar) : 0;
            put_number(vector(op.dst) + at, size, result);
        }
        return {};
    }

    Opinion run(isa::Duplicate& op) {
        if (!product_.vector_functions) return refuse(DiagnosticId::unsupported_op);
        // It moves bits and computes nothing, so a type may be named by its width alone.
        if (!arithmetic_type(op.type) && op.type != ElementType::b16 && op.type != ElementType::b32) {
            return refuse(DiagnosticId::unsupported_type);
        }
        if (!legal(op.dst) || (op.mask && !legal(*op.mask))) return refuse(DiagnosticId::bad_register);
        const int size = width(op.type);
        for (int at = 0; at < 256; at += size) {
            const bool active = !op.mask || bit_of(mask(*op.mask), at);
            put_number(vector(op.dst) + at, size, active ? op.scalar : 0);
        }
        return {};
    }

    Opinion run(isa::Move& op) {
        if (!product_.vector_functions) return refuse(DiagnosticId::unsupported_op);
        if (!legal(op.dst) || !legal(op.src) || (op.mask && !legal(*op.mask))) {
            return refuse(DiagnosticId::bad_register);
        }
        const int size = width(op.type);
        for (int byte = 0; byte < 256; ++byte) {
            if (!op.mask || bit_of(mask(*op.mask), byte / size * size)) {
                vector(op.dst)[byte] = vector(op.src)[byte];
            }
        }
        return {};
    }

private:
    Opinion run_mode(isa::Load& op, const LoadRow& row) {
        const int any_width = width(op.type);
        const int narrow = row.ub_width == 0 ? any_width : row.ub_width;
        const int wide = row.register_width == 0 ? any_width : row.register_width;
        if (any_width != narrow && any_width != wide) return refuse(DiagnosticId::unsupported_type);
        if (op.dst.pair != (row.registers == 2)) return refuse(DiagnosticId::unsupported_type);
        if (!legal(op.dst)) return refuse(DiagnosticId::bad_register);
        const std::int64_t address = isa::value(op.address);
        if (!multiple_of(address, row.alignment)) return refuse(DiagnosticId::misaligned, -1, address);
        for (int element = 0; element < row.bytes / narrow; ++element) {
            const Wide at = Wide{address} + element * narrow;
            if (!inside_from(address, at, narrow)) return refuse(DiagnosticId::ub_out_of_bounds, element, at);
        }
        note_touched(address, row.bytes);
        for (int number = 0; number < row.registers; ++number) {
            std::uint8_t* to = vector(number == 0 ? op.dst.low : op.dst.high);
            for (int lane = 0; lane < 256 / wide; ++lane) {
                const std::int64_t from = address + row.element_of(lane, number, narrow) * narrow;
                for (int byte = 0; byte < wide; ++byte) {
                    to[lane * wide + byte] = byte < narrow ? machine_.ub[static_cast<std::size_t>(from + byte)] : 0;
                }
            }
        }
        op.address = advanced(op.address, Wide{op.post_update} * any_width);
        return found_;
    }

    Opinion run_mode(isa::Store& op, const StoreRow& row) {
        if (width(op.type) != row.ub_width && width(op.type) != row.register_width) {
            return refuse(DiagnosticId::unsupported_type);
        }
        if (op.src.pair != (row.registers == 2)) return refuse(DiagnosticId::unsupported_type);
        // Two sources may be one register; they are no pair of words.
        if (!legal(op.src.low) || (op.src.pair && !legal(op.src.high))) return refuse(DiagnosticId::bad_register);
        if (row.masked && !legal(op.mask)) return refuse(DiagnosticId::bad_register);
        const std::int64_t address = isa::value(op.address);
        if (!multiple_of(address, row.alignment)) return refuse(DiagnosticId::misaligned, -1, address);
        const auto is_written = [&](int element) {
            return !row.masked || bit_of(mask(op.mask), element * row.register_width);
        };
        for (int element = 0; element < row.elements; ++element) {
            const Wide at = Wide{address} + element * row.ub_width;
            if (is_written(element) && !inside_from(address, at, row.ub_width)) {
                return refuse(DiagnosticId::ub_out_of_bounds, element, at);
            }
        }
        for (int element = 0; element < row.elements; ++element) {
            if (!is_written(element)) continue;
            const std::int64_t to = address + element * row.ub_width;
            note_touched(to, row.ub_width);
            const int lane = element / row.registers;
            const std::uint8_t* from = vector(element % row.registers == 0 ? op.src.low : op.src.high);
            for (int byte = 0; byte < row.ub_width; ++byte) {
                machine_.ub[static_cast<std::size_t>(to + byte)] = from[lane * row.register_width + byte];
            }
        }
        op.address = advanced(op.address, Wide{op.post_update} * width(op.type));
        return found_;
    }

    /// How many lanes an indexed op has and how many mask bits lie from one lane to the next.
    struct Lanes {
        int count;
        int mask_bits;
    };

    Opinion in_vf() const { return product_.vector_functions ? Opinion{} : refuse(DiagnosticId::unsupported_op); }

    std::uint8_t* vector(isa::VregId id) { return machine_.vector[static_cast<std::size_t>(isa::value(id))].data(); }
    std::uint8_t* mask(isa::MregId id) { return machine_.mask[static_cast<std::size_t>(isa::value(id))].data(); }
    std::uint8_t* clear_mask(isa::MregId id) {
        machine_.mask[static_cast<std::size_t>(isa::value(id))].fill(0);
        return mask(id);
    }

    bool inside(Wide address, int bytes) const {
        return address >= 0 && address + bytes <= static_cast<Wide>(machine_.ub.size());
    }

    /// As inside(), counted from an operand that starts at `start`: a UB has no bytes before its first one, so nothing
    /// can be reached from there, whatever an index adds.
    bool inside_from(Wide start, Wide address, int bytes) const { return start >= 0 && inside(address, bytes); }

    Wide first_byte_outside(std::int64_t address) const {
        const auto size = static_cast<Wide>(machine_.ub.size());
        return address < 0 || address > size ? Wide{address} : size;
    }

    void note_touched(std::int64_t address, int bytes) {
        if (static_cast<std::uint64_t>(address + bytes) > product_.ub_reserved_from) found_.reserved = true;
    }

    static bool selected(isa::MaskPattern pattern, int lane, int lanes) {
        switch (pattern) {
            case isa::MaskPattern::all: return true;
            case isa::MaskPattern::vl1: return lane < 1;
            case isa::MaskPattern::vl2: return lane < 2;
            case isa::MaskPattern::vl3: return lane < 3;
            case isa::MaskPattern::vl4: return lane < 4;
            case isa::MaskPattern::vl8: return lane < 8;
            case isa::MaskPattern::vl16: return lane < 16;
            case isa::MaskPattern::vl32: return lane < 32;
            case isa::MaskPattern::vl64: return lane < 64;
            case isa::MaskPattern::vl128: return lane < 128;
            case isa::MaskPattern::m3: return lane % 3 == 0;
            case isa::MaskPattern::m4: return lane % 4 == 0;
            case isa::MaskPattern::h: return lane < lanes / 2;
            case isa::MaskPattern::q: return lane < lanes / 4;
            case isa::MaskPattern::allf: return false;
        }
        return false;
    }

    /// Byte `byte` of 64-bit or smaller element `lane` of one register or a pair.
    std::uint8_t element_byte(const isa::VectorOperand& operand, int size, int lane, int byte) {
        if (!operand.pair) return vector(operand.low)[lane * size + byte];
        return byte < 4 ? vector(operand.low)[lane * 4 + byte] : vector(operand.high)[lane * 4 + byte - 4];
    }

    /// The 64-bit combinations; everything else takes single registers.
    static bool forms_match(int data_size, const isa::VectorOperand& data, int index_size,
                            const isa::VectorOperand& index) {
        if (data_size != 8) return !data.pair && !index.pair;
        if (index_size != 8) return !index.pair;
        return index.pair || !data.pair;
    }

    static Lanes indexed_lanes(int data_size, const isa::VectorOperand& data, int index_size) {
        if (data_size == 8) return data.pair ? Lanes{64, 4} : Lanes{32, 8};
        return index_size == 2 ? Lanes{128, 2} : Lanes{64, 4};
    }

    std::uint64_t index_of(const isa::VectorOperand& index, int index_size, int lane) {
        if (index.pair) {
            return number_at(vector(index.low) + lane * 4, 4) | number_at(vector(index.high) + lane * 4, 4) << 32;
        }
        return number_at(vector(index.low) + lane * index_size, index_size);
    }

    template <typename BlockOp>
    Opinion check_blocks(const BlockOp& op, isa::VregId data) {
        if (!product_.vector_functions) return refuse(DiagnosticId::unsupported_op);
        if (!legal(data) || !legal(op.mask)) return refuse(DiagnosticId::bad_register);
        if (op.stride < 0 || op.stride > 65535) return refuse(DiagnosticId::bad_stride);
        if (!multiple_of(isa::value(op.address), 32)) {
            return refuse(DiagnosticId::misaligned, -1, isa::value(op.address));
        }
        for (int block = 0; block < 8; ++block) {
            const Wide address = Wide{isa::value(op.address)} + Wide{block} * op.stride * 32;
            if (block_moves(op.mask, op.type, block) && !inside_from(isa::value(op.address), address, 32)) {
                return refuse(DiagnosticId::ub_out_of_bounds, block, address);
            }
        }
        return {};
    }

    bool block_moves(isa::MregId id, ElementType type, int block) {
        for (int at = block * 32; at < block * 32 + 32; at += width(type)) {
            if (bit_of(mask(id), at)) return true;
        }
        return false;
    }

    static bool legal_tensor_mask(const isa::TensorScatter& op, std::int64_t per_iteration) {
        if (op.form == isa::TensorScatterForm::contiguous_mask) {
            return op.mask_low >= 1 && op.mask_low <= static_cast<std::uint64_t>(per_iteration);
        }
        if (op.mask_low == 0 && op.mask_high == 0) return false;
        if (per_iteration < 128 && op.mask_high != 0) return false;
        return per_iteration > 32 || op.mask_low <= 0xFFFFFFFF;
    }

    static bool tensor_active(const isa::TensorScatter& op, std::int64_t element) {
        if (op.form == isa::TensorScatterForm::contiguous_mask) {
            return static_cast<std::uint64_t>(element) < op.mask_low;
        }
        return element < 64 ? ((op.mask_low >> element) & 1) != 0 : ((op.mask_high >> (element - 64)) & 1) != 0;
    }

    std::uint64_t ub_number(std::int64_t address, int size) const {
        return number_at(&machine_.ub[static_cast<std::size_t>(address)], size);
    }

    static Wide source_of(const isa::TensorScatter& op, int size, std::int64_t per_iteration, std::int64_t step) {
        if (op.form == isa::TensorScatterForm::count) return Wide{isa::value(op.src)} + Wide{step} * size;
        return Wide{isa::value(op.src)} + step / per_iteration * op.stride * 32 + step % per_iteration * size;
    }

    /// Checks one active element of a tensor scatter and plans its write; its bytes are read later.
    Opinion plan_step(const isa::TensorScatter& op, int size, std::int64_t per_iteration, std::int64_t step) {
        const Wide source = source_of(op, size, per_iteration, step);
        const Wide offset_at = Wide{isa::value(op.offset)} + Wide{step} * 4;
        if (!inside_from(isa::value(op.src), source, size)) return refuse(DiagnosticId::ub_out_of_bounds, step, source);
        if (!inside_from(isa::value(op.offset), offset_at, 4)) {
            return refuse(DiagnosticId::ub_out_of_bounds, step, offset_at);
        }
        const std::uint64_t offset = ub_number(static_cast<std::int64_t>(offset_at), 4);
        if (size == 1 && offset > product_.offset_limit_b8) return refuse(DiagnosticId::offset_out_of_range, step);
        if (size == 2 && offset > product_.offset_limit_b16) return refuse(DiagnosticId::offset_out_of_range, step);
        const Wide target = Wide{isa::value(op.dst)} + op.base + Wide{offset};
        if (!multiple_of(Wide{offset}, size)) return refuse(DiagnosticId::misaligned, step, target);
        if (op.base < 0 || !inside_from(isa::value(op.dst), target, size)) {
            return refuse(DiagnosticId::ub_out_of_bounds, step, target);
        }
        note_touched(static_cast<std::int64_t>(source), size);
        note_touched(static_cast<std::int64_t>(offset_at), 4);
        ElementWrite write;
        const bool masked = op.form != isa::TensorScatterForm::count;
        write.lane = masked ? step % per_iteration : step;
        write.iteration = masked ? step / per_iteration : -1;
        write.step = step;
        write.address = static_cast<std::int64_t>(target);
        write.size = static_cast<std::size_t>(size);
        found_.scattered.push_back(write);
        return {};
    }

    /// Which of the planned writes happen: one for each target. Counts the lanes that come to a target second.
    std::vector<bool> settle_targets() {
        const std::size_t none = found_.scattered.size();
        std::vector<std::size_t> holder(machine_.ub.size(), none);
        std::vector<bool> winners(none, true);
        for (std::size_t i = 0; i < none; ++i) {
            const ElementWrite& write = found_.scattered[i];
            note_touched(write.address, static_cast<int>(write.size));
            std::size_t& held = holder[static_cast<std::size_t>(write.address)];
            if (held == none) {
                held = i;
                continue;
            }
            if (found_.collisions == 0) {
                found_.first_collision = write.lane;
                found_.first_collision_iteration = write.iteration;
            }
            ++found_.collisions;
            if (product_.highest_lane_wins) {
                winners[held] = false;
                held = i;
            } else {
                winners[i] = false;
            }
        }
        return winners;
    }

    /// Marks the bytes of elements in use.
    static void mark_read(std::vector<bool>& read, const std::vector<Wide>& elements, int size) {
        for (const Wide element : elements) {
            for (Wide byte = element; byte < element + size; ++byte) read[static_cast<std::size_t>(byte)] = true;
        }
    }

    /// Whether targets lie on sources or offsets. A tensor scattered onto itself within one iteration is allowed.
    void find_overlap(const isa::TensorScatter& op, int size, std::int64_t per_iteration, bool one_iteration) {
        std::vector<Wide> sources;
        std::vector<Wide> offsets;
        for (const ElementWrite& write : found_.scattered) {
            sources.push_back(source_of(op, size, per_iteration, write.step));
            offsets.push_back(Wide{isa::value(op.offset)} + write.step * 4);
        }
        std::vector<bool> read(machine_.ub.size());
        const bool in_place = one_iteration && op.src == op.dst && op.base == 0;
        if (!in_place) mark_read(read, sources, size);
        mark_read(read, offsets, 4);
        for (const ElementWrite& write : found_.scattered) {
            for (std::size_t byte = 0; byte < write.size; ++byte) {
                found_.overlap |= read[static_cast<std::size_t>(write.address) + byte];
            }
        }
    }

    void store(const ElementWrite& write) {
        for (std::size_t byte = 0; byte < write.size; ++byte) {
            machine_.ub[static_cast<std::size_t>(write.address) + byte] = write.bytes[byte];
        }
    }

    static bool arithmetic_type(ElementType type) {
        return type == ElementType::f32 || type == ElementType::half || type == ElementType::s32 ||
               type == ElementType::u32 || type == ElementType::s16 || type == ElementType::u16;
    }

    static std::uint64_t sum(ElementType type, std::uint64_t a, std::uint64_t b) {
        if (type == ElementType::half) {
            return add_half(static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b));
        }
        if (type == ElementType::f32) {
            return add_float(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
        }
        return a + b;  // whole numbers wrap: only the low bytes are kept
    }

    Machine& machine_;
    const Product& product_;
    Opinion found_;
};

}  // namespace

const std::vector<GatherRow>& gather_rows() {
    using T = ElementType;
    static const std::vector<GatherRow> rows = {
        {T::s16, T::s8, T::u16},    {T::u16, T::u8, T::u16},    {T::s8, T::s8, T::u16},     {T::u8, T::u8, T::u16},
        {T::hif8, T::hif8, T::u16}, {T::e8m0, T::e8m0, T::u16}, {T::e5m2, T::e5m2, T::u16}, {T::e4m3, T::e4m3, T::u16},
        {T::s16, T::s16, T::u16},   {T::u16, T::u16, T::u16},   {T::half, T::half, T::u16}, {T::bf16, T::bf16, T::u16},
        {T::s32, T::s32, T::u32},   {T::u32, T::u32, T::u32},   {T::f32, T::f32, T::u32},   {T::s16, T::s16, T::u32},
        {T::u16, T::u16, T::u32},   {T::half, T::half, T::u32}, {T::bf16, T::bf16, T::u32}, {T::s64, T::s64, T::u32},
        {T::u64, T::u64, T::u32},   {T::s64, T::s64, T::u64},   {T::u64, T::u64, T::u64},
    };
    return rows;
}

const std::vector<ScatterRow>& scatter_rows() {
    using T = ElementType;
    static const std::vector<ScatterRow> rows = {
        {T::s8, T::u16},   {T::u8, T::u16},  {T::s16, T::u16}, {T::u16, T::u16}, {T::half, T::u16},
        {T::bf16, T::u16}, {T::s32, T::u32}, {T::u32, T::u32}, {T::f32, T::u32}, {T::s64, T::u32},
        {T::u64, T::u32},  {T::s64, T::u64}, {T::u64, T::u64},
    };
    return rows;
}

Opinion perform(isa::Op& op, Machine& machine, const Product& product) {
    Worker worker(machine, product);
    return std::visit([&worker](auto& one) { return worker.run(one); }, op);
}

}  // namespace vcore::reference
