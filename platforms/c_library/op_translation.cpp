#include "platforms/c_library/op_translation.hpp"

#include <cstdint>
#include <optional>

namespace vcore::c_library {
namespace {

// The header's enumerators are the model's, by number.
#define VCORE_SAME(c_name, model) \
    static_assert(static_cast<std::uint32_t>(c_name) == static_cast<std::uint32_t>(model), #c_name)
VCORE_SAME(VCORE_S8, isa::ElementType::s8);
VCORE_SAME(VCORE_B8, isa::ElementType::b8);
VCORE_SAME(VCORE_S16, isa::ElementType::s16);
VCORE_SAME(VCORE_HALF, isa::ElementType::half);
VCORE_SAME(VCORE_BF16, isa::ElementType::bf16);
VCORE_SAME(VCORE_B16, isa::ElementType::b16);
VCORE_SAME(VCORE_S32, isa::ElementType::s32);
VCORE_SAME(VCORE_FLOAT, isa::ElementType::f32);
VCORE_SAME(VCORE_B32, isa::ElementType::b32);
VCORE_SAME(VCORE_B64, isa::ElementType::b64);
static_assert(VCORE_B64 + 1 == isa::kElementTypes);
VCORE_SAME(VCORE_VF_BEGIN, isa::OpKind::vf_begin);
VCORE_SAME(VCORE_UPDATE_MASK, isa::OpKind::update_mask);
VCORE_SAME(VCORE_MASK_STORE, isa::OpKind::mask_store);
VCORE_SAME(VCORE_LOAD, isa::OpKind::load);
VCORE_SAME(VCORE_BLOCK_STORE, isa::OpKind::block_store);
VCORE_SAME(VCORE_GATHER, isa::OpKind::gather);
VCORE_SAME(VCORE_GATHER_REGISTER, isa::OpKind::gather_register);
VCORE_SAME(VCORE_TENSOR_SCATTER, isa::OpKind::tensor_scatter);
VCORE_SAME(VCORE_DUPLICATE, isa::OpKind::duplicate);
VCORE_SAME(VCORE_MOVE, isa::OpKind::move);
static_assert(VCORE_MOVE + 1 == isa::kOpKinds);
VCORE_SAME(VCORE_LOAD_BLK, isa::LoadMode::blk);
VCORE_SAME(VCORE_LOAD_UNPACK4_B8, isa::LoadMode::unpack4_b8);
VCORE_SAME(VCORE_LOAD_DINTLV_B32, isa::LoadMode::dintlv_b32);
static_assert(VCORE_LOAD_DINTLV_B32 + 1 == isa::kLoadModes);
VCORE_SAME(VCORE_STORE_PACK_B16, isa::StoreMode::pack_b16);
VCORE_SAME(VCORE_STORE_INTLV_B32, isa::StoreMode::intlv_b32);
static_assert(VCORE_STORE_INTLV_B32 + 1 == isa::kStoreModes);
VCORE_SAME(VCORE_PATTERN_VL128, isa::MaskPattern::vl128);
VCORE_SAME(VCORE_PATTERN_ALLF, isa::MaskPattern::allf);
static_assert(VCORE_PATTERN_ALLF + 1 == isa::kMaskPatterns);
VCORE_SAME(VCORE_VV_ALL, isa::BarrierKind::vv_all);
VCORE_SAME(VCORE_ST_ST, isa::BarrierKind::st_st);
static_assert(VCORE_ST_ST + 1 == isa::kBarrierKinds);
VCORE_SAME(VCORE_FORM_BIT_MASK, isa::TensorScatterForm::bit_mask);
VCORE_SAME(VCORE_MASK_DS, isa::MaskLoadMode::ds);
#undef VCORE_SAME

/// Reads the fields of a plain op and remembers the first that is not what it must be.
class Reader {
public:
    explicit Reader(const vcore_op& plain) : plain_(plain) {}

    template <typename Enumeration>
    Enumeration choice(const char* field, std::uint32_t number, std::size_t choices) {
        if (number >= choices) reject(field, number);
        return static_cast<Enumeration>(number);
    }
    isa::ElementType type(const char* field, std::uint32_t number) {
        return choice<isa::ElementType>(field, number, isa::kElementTypes);
    }
    isa::ElementType type() { return type("type", plain_.type); }
    bool flag(const char* field, std::uint32_t number) {
        if (number > 1) reject(field, number);
        return number != 0;
    }
    isa::VectorOperand operand(std::int64_t low, std::int64_t high, const char* field, std::uint32_t pair) {
        if (!flag(field, pair)) return isa::VregId{low};
        return {isa::VregId{low}, isa::VregId{high}};
    }
    isa::VectorOperand dst() { return operand(plain_.dst, plain_.dst_high, "pair", plain_.pair); }
    isa::VectorOperand src() { return operand(plain_.src, plain_.src_high, "pair", plain_.pair); }
    isa::VectorOperand index() { return operand(plain_.index, plain_.index_high, "index_pair", plain_.index_pair); }

    std::optional<isa::MregId> optional_mask() {
        if (!flag("masked", plain_.masked)) return std::nullopt;
        return isa::MregId{plain_.mask};
    }

    void reject(const char* field, std::uint64_t number) {
        if (bad_.field == nullptr) bad_ = {field, number};
    }
    const BadField& bad() const { return bad_; }

private:
    const vcore_op& plain_;
    BadField bad_;
};

isa::MaskLoadMode load_mode(Reader& reader, std::uint32_t mode) {
    return reader.choice<isa::MaskLoadMode>("mode", mode, VCORE_MASK_DS + 1);
}
isa::MaskStoreMode store_mode(Reader& reader, std::uint32_t mode) {
    if (mode == VCORE_MASK_PACK) return isa::MaskStoreMode::pack;
    if (mode != VCORE_MASK_NORM) reader.reject("mode", mode);
    return isa::MaskStoreMode::norm;
}

isa::Op tensor_scatter(Reader& read, const vcore_op& p) {
    isa::TensorScatter op;
    op.type = read.type();
    op.dst = isa::UbAddress{p.address};
    op.src = isa::UbAddress{p.src_address};
    op.offset = isa::UbAddress{p.offset_address};
    op.base = p.base;
    op.form = read.choice<isa::TensorScatterForm>("mode", p.mode, VCORE_FORM_BIT_MASK + 1);
    op.count = p.count;
    op.mask_low = p.mask_low;
    op.mask_high = p.mask_high;
    op.repeat = p.repeat;
    op.stride = p.stride;
    return op;
}

isa::Op translate(Reader& read, const vcore_op& p) {
    const isa::UbAddress address{p.address};
    const isa::MregId mask{p.mask};
    const isa::VregId dst{p.dst};
    const isa::VregId src{p.src};
    switch (static_cast<vcore_op_kind>(p.kind)) {
        case VCORE_VF_BEGIN: return isa::VfBegin{};
        case VCORE_VF_END: return isa::VfEnd{};
        case VCORE_BARRIER: return isa::Barrier{read.choice<isa::BarrierKind>("mode", p.mode, isa::kBarrierKinds)};
        case VCORE_CREATE_MASK:
            return isa::CreateMask{read.type(), isa::MregId{p.dst},
                                   read.choice<isa::MaskPattern>("mode", p.mode, isa::kMaskPatterns)};
        case VCORE_UPDATE_MASK:
            return isa::UpdateMask{read.type(), isa::MregId{p.dst}, p.count, read.flag("pair", p.pair)};
        case VCORE_MASK_GEN: return isa::MaskGen{read.type(), isa::MregId{p.dst}, src, p.part};
        case VCORE_MASK_LOAD: return isa::MaskLoad{isa::MregId{p.dst}, address, load_mode(read, p.mode), p.post_update};
        case VCORE_MASK_STORE:
            return isa::MaskStore{address, isa::MregId{p.src}, store_mode(read, p.mode), p.post_update};
        case VCORE_LOAD:
            return isa::Load{read.type(), read.dst(), address, p.post_update,
                             read.choice<isa::LoadMode>("mode", p.mode, isa::kLoadModes)};
        case VCORE_STORE:
            return isa::Store{read.type(),   address,
                              read.src(),    mask,
                              p.post_update, read.choice<isa::StoreMode>("mode", p.mode, isa::kStoreModes)};
        case VCORE_BLOCK_LOAD: return isa::BlockLoad{read.type(), dst, address, p.stride, mask, p.post_update};
        case VCORE_BLOCK_STORE: return isa::BlockStore{read.type(), address, src, p.stride, mask, p.post_update};
        case VCORE_GATHER:
            return isa::Gather{read.type(),
                               read.type("src_type", p.src_type),
                               read.type("index_type", p.index_type),
                               read.dst(),
                               address,
                               read.index(),
                               mask};
        case VCORE_GATHER_BLOCK: return isa::GatherBlock{read.type(), dst, address, isa::VregId{p.index}, mask};
        case VCORE_GATHER_REGISTER: return isa::GatherRegister{read.type(), dst, src, isa::VregId{p.index}};
        case VCORE_SCATTER:
            return isa::Scatter{read.type(), read.type("index_type", p.index_type), address, read.src(), read.index(),
                                mask};
        case VCORE_TENSOR_SCATTER: return tensor_scatter(read, p);
        case VCORE_TENSOR_ADD:
            return isa::TensorAdd{read.type(), address, isa::UbAddress{p.src_address}, isa::UbAddress{p.src1_address},
                                  p.count};
        case VCORE_ADD: return isa::Add{read.type(), dst, src, isa::VregId{p.src1}, mask};
        case VCORE_ADDS: return isa::Adds{read.type(), dst, src, p.scalar, mask};
        case VCORE_DUPLICATE: return isa::Duplicate{read.type(), dst, p.scalar, read.optional_mask()};
        case VCORE_MOVE: return isa::Move{read.type(), dst, src, read.optional_mask()};
    }
    read.reject("kind", p.kind);
    return isa::VfEnd{};
}

/// Copies what the op has moved on, where it has such a field.
struct Update {
    vcore_op& plain;

    void operator()(const isa::UpdateMask& op) const { plain.count = op.count; }
    void operator()(const isa::MaskLoad& op) const { plain.address = value(op.address); }
    void operator()(const isa::MaskStore& op) const { plain.address = value(op.address); }
    void operator()(const isa::Load& op) const { plain.address = value(op.address); }
    void operator()(const isa::Store& op) const { plain.address = value(op.address); }
    void operator()(const isa::BlockLoad& op) const { plain.address = value(op.address); }
    void operator()(const isa::BlockStore& op) const { plain.address = value(op.address); }
    template <typename Other>
    void operator()(const Other&) const {}
};

}  // namespace

BadField to_op(const vcore_op& plain, isa::Op& op) {
    Reader reader(plain);
    op = translate(reader, plain);
    return reader.bad();
}

void update(const isa::Op& op, vcore_op& plain) {
    std::visit(Update{plain}, op);
}

}  // namespace vcore::c_library
