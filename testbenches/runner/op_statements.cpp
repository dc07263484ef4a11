#include "testbenches/runner/op_statements.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "testbenches/runner/suggestion.hpp"

namespace vcore::runner {
namespace {

/// Stores an expression's value in a member of one op: setter<&isa::Load::address>.
template <auto Member>
struct Setter;
template <typename Op, typename Field, Field Op::*Member>
struct Setter<Member> {
    static void set(isa::Op& op, std::int64_t value) { std::get<Op>(op).*Member = static_cast<Field>(value); }
};

/// The op that a statement is to become, with its fields that depend on expressions.
template <typename Op>
class Builder {
public:
    explicit Builder(OpStatement& statement) : statement_(statement) { statement_.op = Op{}; }

    Op& op() { return std::get<Op>(statement_.op); }
    Op* operator->() { return &op(); }

    template <auto Member>
    void bind(Expression expression) {
        statement_.patches.push_back({std::move(expression), &Setter<Member>::set});
    }

private:
    OpStatement& statement_;
};

/// One of a few words; the result is its index.
template <typename Enum>
Enum read_choice(StatementReader& reader, std::string_view what, const std::vector<std::string>& names) {
    const std::string_view field = reader.word();
    const auto found = std::find(names.begin(), names.end(), field);
    if (found != names.end()) return static_cast<Enum>(found - names.begin());
    const std::string hint = field.empty() ? std::string() : suggestion(field, names);
    reader.scanner().fail(field, fmt::format("{} ({}){}", what, fmt::join(names, " "), hint));
}

template <typename Enum>
std::vector<std::string> names_of(std::size_t count) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) names.emplace_back(name(static_cast<Enum>(i)));
    return names;
}

// ---- masks

void read_mask_create(StatementReader& reader, OpStatement& statement) {
    Builder<isa::CreateMask> create(statement);
    create->dst = reader.mask_register();
    create->type = reader.type();
    create->pattern =
        read_choice<isa::MaskPattern>(reader, "a mask pattern", names_of<isa::MaskPattern>(isa::kMaskPatterns));
}

void read_mask_update(StatementReader& reader, OpStatement& statement) {
    Builder<isa::UpdateMask> update(statement);
    update->dst = reader.mask_register();
    update->type = reader.type();
    statement.counter = reader.let_name();
}

void read_mask_gen(StatementReader& reader, OpStatement& statement) {
    Builder<isa::MaskGen> gen(statement);
    gen->dst = reader.mask_register();
    gen->type = reader.type();
    gen->src = reader.vector_register();
    gen.bind<&isa::MaskGen::part>(reader.option("part"));
}

void read_mask_load(StatementReader& reader, OpStatement& statement) {
    Builder<isa::MaskLoad> load(statement);
    load->dst = reader.mask_register();
    load.bind<&isa::MaskLoad::address>(reader.address());
    load->mode = read_choice<isa::MaskLoadMode>(reader, "a mode", {"norm", "us", "ds"});
}

void read_mask_store(StatementReader& reader, OpStatement& statement) {
    Builder<isa::MaskStore> store(statement);
    store.bind<&isa::MaskStore::address>(reader.address());
    store->src = reader.mask_register();
    store->mode = read_choice<isa::MaskStoreMode>(reader, "a mode", {"norm", "pack"});
}

// ---- contiguous and block load and store

void read_load(StatementReader& reader, OpStatement& statement) {
    Builder<isa::Load> load(statement);
    load->dst = reader.vector_operand();
    load->type = reader.type();
    load.bind<&isa::Load::address>(reader.address());
    if (!reader.peek_word().empty()) {
        load->mode = read_choice<isa::LoadMode>(reader, "a load mode", names_of<isa::LoadMode>(isa::kLoadModes));
    }
}

void read_store(StatementReader& reader, OpStatement& statement) {
    Builder<isa::Store> store(statement);
    store.bind<&isa::Store::address>(reader.address());
    store->type = reader.type();
    store->src = reader.vector_operand();
    // Where a mode ignores the mask, it may be left out.
    const bool masked = !isa::store_mode(reader.peek_word());
    if (masked) store->mask = reader.mask_register();
    const std::string_view mode = reader.peek_word();
    if (mode.empty()) return;
    store->mode = read_choice<isa::StoreMode>(reader, "a store mode", names_of<isa::StoreMode>(isa::kStoreModes));
    if (!masked && isa::shape_of(store->mode).masked) reader.scanner().fail(mode, "a mask register before the mode");
}

void read_load_block(StatementReader& reader, OpStatement& statement) {
    Builder<isa::BlockLoad> load(statement);
    load->dst = reader.vector_register();
    load->type = reader.type();
    load.bind<&isa::BlockLoad::address>(reader.address());
    load->mask = reader.mask_register();
    load.bind<&isa::BlockLoad::stride>(reader.option("stride"));
}

void read_store_block(StatementReader& reader, OpStatement& statement) {
    Builder<isa::BlockStore> store(statement);
    store.bind<&isa::BlockStore::address>(reader.address());
    store->type = reader.type();
    store->src = reader.vector_register();
    store->mask = reader.mask_register();
    store.bind<&isa::BlockStore::stride>(reader.option("stride"));
}

// ---- gather and scatter

void read_gather(StatementReader& reader, OpStatement& statement) {
    Builder<isa::Gather> gather(statement);
    gather->dst = reader.vector_operand();
    gather->dst_type = reader.type();
    gather.bind<&isa::Gather::base>(reader.address());
    // The source type stands only where it differs from the destination's.
    gather->src_type = isa::element_type(reader.peek_word()) ? reader.type() : gather->dst_type;
    gather->index = reader.vector_operand();
    gather->index_type = reader.type();
    gather->mask = reader.mask_register();
}

void read_gather_block(StatementReader& reader, OpStatement& statement) {
    Builder<isa::GatherBlock> gather(statement);
    gather->dst = reader.vector_register();
    gather->type = reader.type();
    gather.bind<&isa::GatherBlock::base>(reader.address());
    gather->index = reader.vector_register();
    gather->mask = reader.mask_register();
}

void read_gather_register(StatementReader& reader, OpStatement& statement) {
    Builder<isa::GatherRegister> gather(statement);
    gather->dst = reader.vector_register();
    gather->type = reader.type();
    gather->src = reader.vector_register();
    gather->index = reader.vector_register();
}

void read_scatter(StatementReader& reader, OpStatement& statement) {
    Builder<isa::Scatter> scatter(statement);
    scatter.bind<&isa::Scatter::base>(reader.address());
    scatter->type = reader.type();
    scatter->src = reader.vector_operand();
    scatter->index = reader.vector_operand();
    scatter->index_type = reader.type();
    scatter->mask = reader.mask_register();
}

// ---- ops on tensors

/// The option that selects the form, and the fields that go with it.
void read_tensor_scatter_form(StatementReader& reader, Builder<isa::TensorScatter>& scatter) {
    const bool count = reader.has_option("count");
    const bool mask = reader.has_option("mask");
    const bool bits = reader.has_option("bits");
    if (int{count} + int{mask} + int{bits} != 1) {
        reader.scanner().fail(reader.peek_word(), "exactly one of count=, mask= and bits=");
    }
    if (count) {
        for (const std::string_view option : {"repeat", "stride"}) {
            if (!reader.has_option(option)) continue;
            reader.scanner().complain(
                reader.option_text(option),
                fmt::format("found {}= beside count=, expected it with mask= or bits= only", option));
        }
        scatter->form = isa::TensorScatterForm::count;
        scatter.bind<&isa::TensorScatter::count>(reader.option("count"));
        return;
    }
    if (mask) {
        scatter->form = isa::TensorScatterForm::contiguous_mask;
        scatter.bind<&isa::TensorScatter::mask_low>(reader.option("mask"));
    } else {
        scatter->form = isa::TensorScatterForm::bit_mask;
        auto [low, high] = reader.option_words("bits");
        scatter.bind<&isa::TensorScatter::mask_low>(std::move(low));
        scatter.bind<&isa::TensorScatter::mask_high>(std::move(high));
    }
    const std::int64_t blocks_per_iteration = isa::size_of(scatter->type) == 1 ? 4 : 8;
    scatter.bind<&isa::TensorScatter::repeat>(reader.option_or("repeat", 1));
    scatter.bind<&isa::TensorScatter::stride>(reader.option_or("stride", blocks_per_iteration));
}

void read_tensor_scatter(StatementReader& reader, OpStatement& statement) {
    Builder<isa::TensorScatter> scatter(statement);
    scatter->type = reader.type();
    scatter.bind<&isa::TensorScatter::dst>(reader.option("dst"));
    scatter.bind<&isa::TensorScatter::src>(reader.option("src"));
    scatter.bind<&isa::TensorScatter::offset>(reader.option("offset"));
    scatter.bind<&isa::TensorScatter::base>(reader.option_or("base", 0));
    read_tensor_scatter_form(reader, scatter);
}

void read_tensor_add(StatementReader& reader, OpStatement& statement) {
    Builder<isa::TensorAdd> add(statement);
    add->type = reader.type();
    add.bind<&isa::TensorAdd::dst>(reader.option("dst"));
    add.bind<&isa::TensorAdd::src0>(reader.option("src0"));
    add.bind<&isa::TensorAdd::src1>(reader.option("src1"));
    add.bind<&isa::TensorAdd::count>(reader.option("count"));
}

// ---- arithmetic and barriers

void read_add(StatementReader& reader, OpStatement& statement) {
    Builder<isa::Add> add(statement);
    add->dst = reader.vector_register();
    add->type = reader.type();
    add->a = reader.vector_register();
    add->b = reader.vector_register();
    add->mask = reader.mask_register();
}

void read_adds(StatementReader& reader, OpStatement& statement) {
    Builder<isa::Adds> adds(statement);
    adds->dst = reader.vector_register();
    adds->type = reader.type();
    adds->a = reader.vector_register();
    adds->scalar = reader.value(adds->type);
    adds->mask = reader.mask_register();
}

/// A mask that may be left out.
std::optional<isa::MregId> read_mask_or_all(StatementReader& reader) {
    if (reader.peek_word().empty()) return std::nullopt;
    return reader.mask_register();
}

void read_dup(StatementReader& reader, OpStatement& statement) {
    Builder<isa::Duplicate> dup(statement);
    dup->dst = reader.vector_register();
    dup->type = reader.type();
    dup->scalar = reader.value(dup->type);
    dup->mask = read_mask_or_all(reader);
}

void read_move(StatementReader& reader, OpStatement& statement) {
    Builder<isa::Move> move(statement);
    move->dst = reader.vector_register();
    move->type = reader.type();
    move->src = reader.vector_register();
    move->mask = read_mask_or_all(reader);
}

void read_barrier(StatementReader& reader, OpStatement& statement) {
    Builder<isa::Barrier> barrier(statement);
    barrier->kind =
        read_choice<isa::BarrierKind>(reader, "a kind of barrier", names_of<isa::BarrierKind>(isa::kBarrierKinds));
}

}  // namespace

const std::vector<OpStatementInfo>& op_statements() {
    static const std::vector<OpStatementInfo> table = {
        {"mask.create", "mask.create mD TYPE PATTERN", {}, read_mask_create},
        {"mask.update", "mask.update mD TYPE NAME", {}, read_mask_update},
        {"mask.gen", "mask.gen mD TYPE vS part=K", {"part"}, read_mask_gen},
        {"mask.load", "mask.load mD [A] norm|us|ds", {}, read_mask_load},
        {"mask.store", "mask.store [A] mS norm|pack", {}, read_mask_store},
        {"load", "load vD TYPE [A] [MODE]", {}, read_load},
        {"store", "store [A] TYPE vS mS [MODE]", {}, read_store},
        {"load.block", "load.block vD TYPE [A] stride=S mS", {"stride"}, read_load_block},
        {"store.block", "store.block [A] TYPE vS stride=S mS", {"stride"}, read_store_block},
        {"gather", "gather vD TYPE [A] [STYPE] vI ITYPE mS", {}, read_gather},
        {"gather.block", "gather.block vD TYPE [A] vI mS", {}, read_gather_block},
        {"gather.reg", "gather.reg vD TYPE vS vI", {}, read_gather_register},
        {"scatter", "scatter [A] TYPE vS vI ITYPE mS", {}, read_scatter},
        {"tensor.scatter",
         "tensor.scatter TYPE dst=A src=A offset=A base=B (count=N | mask=N | bits=LO,HI) repeat=R stride=S",
         {"dst", "src", "offset", "base", "count", "mask", "bits", "repeat", "stride"},
         read_tensor_scatter},
        {"tensor.add",
         "tensor.add TYPE dst=A src0=A src1=A count=N",
         {"dst", "src0", "src1", "count"},
         read_tensor_add},
        {"add", "add vD TYPE vA vB mS", {}, read_add},
        {"adds", "adds vD TYPE vA VALUE mS", {}, read_adds},
        {"dup", "dup vD TYPE VALUE [mS]", {}, read_dup},
        {"move", "move vD TYPE vS [mS]", {}, read_move},
        {"barrier", "barrier KIND", {}, read_barrier},
    };
    return table;
}

}  // namespace vcore::runner
