// The table of diagnostics, the log that folds them, and names that programs and reports use.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "models/isa/diagnostics.hpp"

namespace vcore::isa {
namespace {

TEST(IsaDiagnostics, EveryIdStandsOnceAndHasTextMeaningAndResponse) {
    std::set<std::string> texts;
    auto expected = static_cast<int>(DiagnosticId::unsupported_op);
    for (const DiagnosticInfo& entry : diagnostic_table()) {
        EXPECT_EQ(static_cast<int>(entry.id), expected++) << entry.text;
        EXPECT_EQ(&info(entry.id), &entry);
        EXPECT_TRUE(texts.insert(std::string(entry.text)).second) << entry.text;
        EXPECT_EQ(entry.text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string_view::npos) << entry.text;
        EXPECT_EQ(entry.meaning.back(), '.') << entry.text;
        const bool refused = entry.response != Response::ok;
        EXPECT_EQ(refused, entry.severity == Severity::error && entry.id < DiagnosticId::expect_mismatch);
    }
    EXPECT_EQ(expected, static_cast<int>(DiagnosticId::flag_set_twice) + 1);
    EXPECT_EQ(info(DiagnosticId::none).text, "none");
    EXPECT_EQ(info(static_cast<DiagnosticId>(200)).text, "none");
}

TEST(IsaDiagnostics, TheNamesThatProgramsRelyOn) {
    const std::set<std::string> relied_on = {
        "unsupported-op", "unsupported-type", "ub-out-of-bounds", "misaligned",          "bad-register",     "bad-mask",
        "bad-part",       "bad-repeat",       "bad-stride",       "offset-out-of-range", "duplicate-target", "hazard",
        "reserved-ub",    "overlap",          "empty-op",         "uninitialised-read",  "expect-mismatch"};
    std::set<std::string> present;
    for (const DiagnosticInfo& entry : diagnostic_table()) present.insert(std::string(entry.text));
    for (const std::string& text : relied_on) EXPECT_EQ(present.count(text), 1U) << text;
    EXPECT_EQ(info(DiagnosticId::unsupported_op).response, Response::command_error);
    EXPECT_EQ(info(DiagnosticId::ub_out_of_bounds).response, Response::address_error);
    EXPECT_EQ(name(Severity::info), "info");
    EXPECT_EQ(name(Severity::warning), "warning");
    EXPECT_EQ(name(Severity::error), "error");
}

TEST(IsaDiagnostics, EveryIdIsDescribedForEveryOp) {
    // A fault may come from anywhere: no combination of op and fault may break the describer or say nothing.
    std::vector<Op> ops = {VfBegin{},  VfEnd{},       Barrier{},        CreateMask{}, UpdateMask{},    MaskGen{},
                           MaskLoad{}, MaskStore{},   Load{},           Store{},      BlockLoad{},     BlockStore{},
                           Gather{},   GatherBlock{}, GatherRegister{}, Scatter{},    TensorScatter{}, TensorAdd{},
                           Add{},      Adds{},        Duplicate{},      Move{}};
    ASSERT_EQ(ops.size(), kOpKinds);
    for (const Op& op : ops) {
        for (const DiagnosticInfo& entry : diagnostic_table()) {
            for (int operand = 0; operand <= static_cast<int>(Operand::type); ++operand) {
                Fault fault;
                fault.id = entry.id;
                fault.operand = static_cast<Operand>(operand);
                fault.lane = 3;
                fault.address = 0x40;
                fault.limit = 32;
                const std::string text = describe(fault, op, "some-product", "other-product");
                EXPECT_NE(text.find(std::string(name(kind_of(op)))), std::string::npos) << text;
                EXPECT_GT(text.size(), name(kind_of(op)).size() + 8) << text;
            }
        }
    }
}

TEST(IsaDiagnostics, OperandsHaveNames) {
    std::set<std::string> names;
    for (int operand = 0; operand <= static_cast<int>(Operand::type); ++operand) {
        names.insert(std::string(name(static_cast<Operand>(operand))));
    }
    EXPECT_EQ(names.size(), static_cast<std::size_t>(Operand::type) + 1);
    EXPECT_EQ(names.count("?"), 0U);
}

TEST(IsaDiagnosticLog, FoldsEqualDiagnosticsOfALine) {
    DiagnosticLog log;
    const auto report = [&](DiagnosticId id, std::uint32_t line, std::uint32_t other, OpKind kind,
                            std::uint64_t count) {
        if (log.repeat(id, line, other, kind, count)) return;
        Diagnostic diagnostic;
        diagnostic.id = id;
        diagnostic.line = line;
        diagnostic.other_line = other;
        diagnostic.count = count;
        diagnostic.message = "first";
        log.add(diagnostic, kind);
    };
    for (int i = 0; i < 1000; ++i) report(DiagnosticId::hazard, 7, 5, OpKind::load, 2);
    report(DiagnosticId::hazard, 7, 6, OpKind::load, 1);
    report(DiagnosticId::hazard, 8, 5, OpKind::load, 1);
    report(DiagnosticId::hazard, 7, 5, OpKind::gather, 1);
    report(DiagnosticId::overlap, 7, 5, OpKind::load, 1);
    report(DiagnosticId::hazard, 7, 5, OpKind::load, 3);
    ASSERT_EQ(log.entries().size(), 5U);
    EXPECT_EQ(log.entries()[0].count, 2003U);
    EXPECT_EQ(log.entries()[0].message, "first");
    EXPECT_EQ(log.entries()[1].other_line, 6U);
    EXPECT_EQ(log.entries()[4].id, DiagnosticId::overlap);
    log.clear();
    EXPECT_TRUE(log.entries().empty());
    EXPECT_FALSE(log.repeat(DiagnosticId::hazard, 7, 5, OpKind::load));
}

TEST(IsaNames, OpsBarriersAndPatterns) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < kOpKinds; ++i) names.insert(std::string(name(static_cast<OpKind>(i))));
    EXPECT_EQ(names.size(), kOpKinds);
    EXPECT_EQ(name(OpKind::gather), "gather");
    EXPECT_EQ(name(OpKind::gather_register), "gather.reg");
    EXPECT_EQ(name(OpKind::update_mask), "mask.update");
    EXPECT_EQ(name(OpKind::tensor_scatter), "tensor.scatter");
    EXPECT_EQ(name(OpKind::duplicate), "dup");
    for (std::size_t i = 0; i < kBarrierKinds; ++i) {
        const auto kind = static_cast<BarrierKind>(i);
        EXPECT_EQ(barrier_kind(name(kind)), kind);
    }
    for (std::size_t i = 0; i < kMaskPatterns; ++i) {
        const auto pattern = static_cast<MaskPattern>(i);
        EXPECT_EQ(mask_pattern(name(pattern)), pattern);
    }
    EXPECT_EQ(name(BarrierKind::vst_vld), "VST_VLD");
    EXPECT_EQ(name(BarrierKind::st_st), "ST_ST");
    EXPECT_EQ(name(MaskPattern::vl128), "VL128");
    EXPECT_EQ(mask_pattern("vl16"), std::nullopt);
    EXPECT_EQ(barrier_kind("ALL"), std::nullopt);
}

TEST(IsaOperands, AreWhatTheOpReadsAndWrites) {
    const Operands gather =
        operands_of(Gather{ElementType::u64, ElementType::u64, ElementType::u64, VectorOperand(VregId{1}, VregId{2}),
                           UbAddress{0}, VectorOperand(VregId{3}, VregId{31}), MregId{7}});
    EXPECT_EQ(gather.vector_writes, 0x6U);
    EXPECT_EQ(gather.vector_reads, 0x80000008U);
    EXPECT_EQ(gather.mask_reads, 0x80);
    EXPECT_EQ(gather.mask_writes, 0);
    const Operands store = operands_of(Store{ElementType::half, UbAddress{0}, VregId{4}, MregId{0}, 0});
    EXPECT_EQ(store.vector_reads, 0x10U);
    EXPECT_EQ(store.vector_writes, 0U);
    EXPECT_EQ(store.mask_reads, 1);
    const Operands past_the_end = operands_of(Add{ElementType::half, VregId{32}, VregId{-1}, VregId{0}, MregId{8}});
    EXPECT_EQ(past_the_end.vector_writes, 0U);
    EXPECT_EQ(past_the_end.vector_reads, 1U);
    EXPECT_EQ(past_the_end.mask_reads, 0);
    EXPECT_EQ(operands_of(MaskGen{ElementType::b16, MregId{2}, VregId{5}, 0}).mask_writes, 4);
    EXPECT_EQ(operands_of(TensorScatter{}).vector_reads, 0U);
}

}  // namespace
}  // namespace vcore::isa
