// engine::Core: every diagnostic provoked and its text read, order of ops, statistics, transfers, reset.
#include "models/engine/core.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "platforms/products.hpp"

namespace vcore::engine {
namespace {

using isa::DiagnosticId;
using isa::ElementType;
using isa::MregId;
using isa::UbAddress;
using isa::VregId;
using ::testing::HasSubstr;
using timing::Cycle;

/// A core of a product with its own storage; bytes and registers count as written unless a test says otherwise.
class Bench {
public:
    explicit Bench(const std::string& product = "ascend950", const std::vector<std::string>& overrides = {})
        : configuration_(platforms::load_product(product, overrides)), storage_(configuration_) {}

    OpResult issue(isa::Op op, std::uint32_t line = 1) {
        const OpResult result = core_.issue(op, line, now_);
        now_ = std::max(now_, result.dispatch);
        return result;
    }
    Bench& in_vf() {
        issue(isa::VfBegin{});
        return *this;
    }
    Bench& all_written() {
        core_.mark_written(0, static_cast<std::uint32_t>(configuration_.capabilities.ub_bytes));
        for (int k = 0; k < isa::kVectorRegisters; ++k) core_.mark_written(VregId{k});
        for (int k = 0; k < isa::kMaskRegisters; ++k) core_.mark_written(MregId{k});
        return *this;
    }
    Bench& mask_all(int k = 0) {
        storage_.registers().mask[k].words.fill(~std::uint64_t{0});
        return *this;
    }
    void index(int reg, std::size_t lane, std::uint32_t value) {
        storage_.registers().vector[reg].set<std::uint32_t>(lane, value);
    }
    void word(std::uint32_t address, std::uint32_t value) {
        std::memcpy(storage_.ub_bytes() + address, &value, sizeof value);
    }
    const std::vector<isa::Diagnostic>& diagnostics() { return core_.diagnostics().entries(); }
    Core& core() { return core_; }
    Storage& storage() { return storage_; }

private:
    Configuration configuration_;
    Storage storage_;
    Core core_{configuration_, storage_.registers(), storage_.ub()};
    Cycle now_;
};

isa::Gather gather_b32(int dst, int index, std::int64_t base) {
    isa::Gather gather;
    gather.dst_type = gather.src_type = ElementType::f32;
    gather.index_type = ElementType::u32;
    gather.dst = VregId{dst};
    gather.index = VregId{index};
    gather.base = UbAddress{base};
    return gather;
}

isa::Scatter scatter_b32(std::int64_t base, int src, int index) {
    isa::Scatter scatter;
    scatter.type = ElementType::u32;
    scatter.index_type = ElementType::u32;
    scatter.base = UbAddress{base};
    scatter.src = VregId{src};
    scatter.index = VregId{index};
    return scatter;
}

isa::TensorScatter tensor_scatter(ElementType type) {
    isa::TensorScatter scatter;
    scatter.type = type;
    scatter.dst = UbAddress{0x2000};
    scatter.src = UbAddress{0x0};
    scatter.offset = UbAddress{0x1000};
    scatter.form = isa::TensorScatterForm::count;
    scatter.count = 4;
    return scatter;
}

struct Provocation {
    DiagnosticId id;
    std::vector<std::string> says;  ///< all of these
    std::function<void(Bench&)> provoke;
    std::string product = "ascend950";
};

std::vector<Provocation> provocations() {
    return {
        {DiagnosticId::unsupported_op,
         {"gather", "atlas-a3", "ascend950"},
         [](Bench& b) { b.in_vf().issue(gather_b32(1, 0, 0)); },
         "atlas-a3"},
        {DiagnosticId::unsupported_type,
         {"gather", "u16"},
         [](Bench& b) {
             isa::Gather gather = gather_b32(1, 0, 0);
             gather.index_type = ElementType::u16;
             b.in_vf().issue(gather);
         }},
        {DiagnosticId::ub_out_of_bounds,
         {"lane 7", "0xFE008000", "0x40000"},
         [](Bench& b) {
             b.all_written().mask_all().in_vf();
             b.index(0, 7, 0x3F800000);
             b.issue(gather_b32(1, 0, 0x8000));
         }},
        {DiagnosticId::misaligned,
         {"'base'", "0x1004", "32 bytes"},
         [](Bench& b) { b.all_written().in_vf().issue(gather_b32(1, 0, 0x1004)); }},
        {DiagnosticId::bad_register, {"32", "31"}, [](Bench& b) { b.in_vf().issue(gather_b32(32, 0, 0)); }},
        {DiagnosticId::bad_mask,
         {"mask", "129", "128"},
         [](Bench& b) {
             isa::TensorScatter scatter = tensor_scatter(ElementType::half);
             scatter.form = isa::TensorScatterForm::contiguous_mask;
             scatter.mask_low = 129;
             b.issue(scatter);
         }},
        {DiagnosticId::bad_part,
         {"part", "16", "15"},
         [](Bench& b) {
             b.in_vf().issue(isa::MaskGen{ElementType::b16, MregId{0}, VregId{0}, 16});
         }},
        {DiagnosticId::bad_repeat,
         {"repeat", "256", "255"},
         [](Bench& b) {
             isa::TensorScatter scatter = tensor_scatter(ElementType::half);
             scatter.form = isa::TensorScatterForm::contiguous_mask;
             scatter.mask_low = 128;
             scatter.repeat = 256;
             b.issue(scatter);
         }},
        {DiagnosticId::bad_stride,
         {"stride", "256", "255"},
         [](Bench& b) {
             isa::TensorScatter scatter = tensor_scatter(ElementType::half);
             scatter.form = isa::TensorScatterForm::contiguous_mask;
             scatter.mask_low = 128;
             scatter.stride = 256;
             b.issue(scatter);
         }},
        {DiagnosticId::bad_count,
         {"count", "-1"},
         [](Bench& b) {
             b.in_vf().issue(isa::UpdateMask{ElementType::b16, MregId{0}, -1});
         }},
        {DiagnosticId::offset_out_of_range,
         {"offset", "131072", "131071"},
         [](Bench& b) {
             b.all_written().word(0x1000, 131072);
             isa::TensorScatter scatter = tensor_scatter(ElementType::half);
             scatter.count = 1;
             b.issue(scatter);
         }},
        {DiagnosticId::vf_order,
         {"'gather'", "outside a vector function"},
         [](Bench& b) { b.issue(gather_b32(1, 0, 0)); }},
        {DiagnosticId::vf_order, {"do not nest"}, [](Bench& b) { b.in_vf().issue(isa::VfBegin{}); }},
        {DiagnosticId::vf_order, {"without a vector function"}, [](Bench& b) { b.issue(isa::VfEnd{}); }},
        {DiagnosticId::vf_order,
         {"stands on its own"},
         [](Bench& b) { b.in_vf().issue(tensor_scatter(ElementType::half)); }},
        {DiagnosticId::duplicate_target,
         {"lanes 0, 1", "0x2000"},
         [](Bench& b) {
             b.all_written().in_vf();
             b.storage().registers().mask[0].words[0] = 0x11;  // lanes 0 and 1
             b.issue(scatter_b32(0x2000, 1, 0));
         }},
        {DiagnosticId::hazard,
         {"load after store", "0x800", "line 5", "VST_VLD"},
         [](Bench& b) {
             b.all_written().mask_all().in_vf();
             b.issue(isa::Store{ElementType::b8, UbAddress{0x800}, VregId{0}, MregId{0}}, 5);
             b.issue(isa::Load{ElementType::b8, VregId{1}, UbAddress{0x800}}, 6);
         }},
        {DiagnosticId::reserved_ub,
         {"0x3E000"},
         [](Bench& b) {
             b.all_written().in_vf().issue(isa::Load{ElementType::b8, VregId{1}, UbAddress{0x3DF20}});
         }},
        {DiagnosticId::overlap,
         {"tensor.scatter"},
         [](Bench& b) {
             b.all_written();
             isa::TensorScatter scatter = tensor_scatter(ElementType::half);
             scatter.dst = UbAddress{0x20};
             scatter.count = 64;
             for (std::uint32_t i = 0; i < 64; ++i) b.word(0x1000 + 4 * i, 2 * i);
             b.issue(scatter);
         }},
        {DiagnosticId::empty_op,
         {"count 0"},
         [](Bench& b) {
             isa::TensorScatter scatter = tensor_scatter(ElementType::half);
             scatter.count = 0;
             b.issue(scatter);
         }},
        {DiagnosticId::uninitialised_read,
         {"byte address 0x800", "never written"},
         [](Bench& b) {
             b.in_vf().issue(isa::Load{ElementType::b8, VregId{1}, UbAddress{0x800}});
         }},
    };
}

TEST(EngineCore, EveryDiagnosticIsProvokedAndSaysWhatItIsAbout) {
    std::set<DiagnosticId> provoked;
    for (const Provocation& provocation : provocations()) {
        SCOPED_TRACE(std::string(isa::info(provocation.id).text));
        Bench bench(provocation.product);
        provocation.provoke(bench);
        bool found = false;
        for (const isa::Diagnostic& diagnostic : bench.diagnostics()) {
            if (diagnostic.id != provocation.id) continue;
            found = true;
            for (const std::string& text : provocation.says) EXPECT_THAT(diagnostic.message, HasSubstr(text));
            EXPECT_EQ(diagnostic.severity, isa::info(provocation.id).severity);
        }
        EXPECT_TRUE(found);
        provoked.insert(provocation.id);
    }
    // `busy` needs two initiators (platform tests).
    provoked.insert(DiagnosticId::busy);
    for (const isa::DiagnosticInfo& entry : isa::diagnostic_table()) {
        if (entry.id >= DiagnosticId::expect_mismatch) continue;  // found outside the core (runner and kernel tests)
        EXPECT_EQ(provoked.count(entry.id), 1U) << entry.text << " is provoked by no test";
    }
}

TEST(EngineCore, RefusedOpAnswersWithItsResponseAndChangesNothing) {
    Bench bench;
    bench.all_written().mask_all().in_vf();
    bench.index(0, 3, 0xFFFFFFFF);
    bench.storage().registers().vector[1].set<std::uint32_t>(0, 0x1234);
    const OpResult result = bench.issue(gather_b32(1, 0, 0));
    EXPECT_EQ(result.response, isa::Response::address_error);
    EXPECT_EQ(result.fault, DiagnosticId::ub_out_of_bounds);
    EXPECT_EQ(bench.storage().registers().vector[1].get<std::uint32_t>(0), 0x1234U);
    EXPECT_EQ(bench.core().statistics().refused, 1U);
}

TEST(EngineCore, EqualDiagnosticsOfALineAreOneEntryWithACount) {
    Bench bench;
    bench.all_written().in_vf();
    for (int i = 0; i < 1000; ++i) bench.issue(gather_b32(1, 0, 0x1004), 12);
    bench.issue(gather_b32(1, 0, 0x1004), 13);
    ASSERT_EQ(bench.diagnostics().size(), 2U);
    EXPECT_EQ(bench.diagnostics()[0].count, 1000U);
    EXPECT_EQ(bench.diagnostics()[0].line, 12U);
    EXPECT_EQ(bench.diagnostics()[1].count, 1U);
}

TEST(EngineCore, UnwrittenRegistersAreNamed) {
    Bench bench;
    bench.mask_all().in_vf();
    bench.issue(isa::Add{ElementType::f32, VregId{1}, VregId{2}, VregId{3}, MregId{0}});
    ASSERT_EQ(bench.diagnostics().size(), 1U);
    EXPECT_THAT(bench.diagnostics()[0].message, HasSubstr("vector register v2"));
    bench.issue(isa::Add{ElementType::f32, VregId{1}, VregId{1}, VregId{1}, MregId{4}}, 2);
    ASSERT_EQ(bench.diagnostics().size(), 2U);
    EXPECT_THAT(bench.diagnostics()[1].message, HasSubstr("mask register m4"));
}

TEST(EngineCore, AnOpWithAllLanesOffReadsNoVectorRegister) {
    Bench bench;
    bench.in_vf();
    bench.issue(isa::CreateMask{ElementType::f32, MregId{0}, isa::MaskPattern::allf});
    bench.issue(gather_b32(1, 5, 0));
    EXPECT_EQ(bench.diagnostics().size(), 0U);
    bench.issue(isa::CreateMask{ElementType::f32, MregId{0}, isa::MaskPattern::vl1});
    bench.core().mark_written(0, 256);
    bench.issue(gather_b32(1, 5, 0), 2);
    ASSERT_EQ(bench.diagnostics().size(), 1U);
    EXPECT_THAT(bench.diagnostics()[0].message, HasSubstr("vector register v5"));
}

TEST(EngineCore, ATransferOutOfNeverWrittenBytesIsWarnedAboutOnce) {
    Bench bench;
    bench.core().mark_written(0x1000, 0x140);
    std::vector<std::byte> data(1024);
    TransferRequest request;
    request.direction = timing::Direction::read;
    request.address = 0x1000;
    request.bytes = 0x140;
    request.line = 7;
    bench.core().transfer(request, data.data(), timing::Cycle());
    EXPECT_EQ(bench.diagnostics().size(), 0U);
    request.bytes = 1024;
    request.traffic_only = true;
    bench.core().transfer(request, nullptr, timing::Cycle());
    EXPECT_EQ(bench.diagnostics().size(), 0U) << "nobody looks at the bytes of traffic";
    request.traffic_only = false;
    bench.core().transfer(request, data.data(), timing::Cycle());
    ASSERT_EQ(bench.diagnostics().size(), 1U);
    EXPECT_EQ(bench.diagnostics()[0].count, 1U);
    EXPECT_EQ(bench.diagnostics()[0].line, 7U);
    EXPECT_EQ(bench.diagnostics()[0].message, "mte.out reads byte address 0x1140, which was never written");
}

TEST(EngineCore, VectorFunctionsNestNeverAndTensorOpsStayOutside) {
    Bench bench;
    EXPECT_EQ(bench.issue(isa::VfEnd{}).fault, DiagnosticId::vf_order);
    bench.in_vf();
    EXPECT_EQ(bench.issue(isa::VfBegin{}).fault, DiagnosticId::vf_order);
    EXPECT_EQ(bench.issue(tensor_scatter(ElementType::half)).fault, DiagnosticId::vf_order);
    EXPECT_EQ(bench.issue(isa::VfEnd{}).response, isa::Response::ok);
    EXPECT_FALSE(bench.core().in_vf());
}

TEST(EngineCore, WhatAProductLacksIsSaidBeforeWhereItStands) {
    Bench bench("atlas-a3");
    EXPECT_EQ(bench.issue(gather_b32(1, 0, 0)).fault, DiagnosticId::unsupported_op);
}

TEST(EngineCore, TransferMovesBytesAndTakesItsTime) {
    Bench bench;
    std::array<std::byte, 1000> sent{};
    for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<std::byte>(i * 7);
    TransferRequest request;
    request.address = 0x400;
    request.bytes = static_cast<std::int64_t>(sent.size());
    const OpResult in = bench.core().transfer(request, sent.data(), Cycle(100));
    EXPECT_EQ(in.response, isa::Response::ok);
    EXPECT_EQ(in.complete.count(), 100 + (1000 + 127) / 128);
    std::array<std::byte, 1000> back{};
    request.direction = timing::Direction::read;
    bench.core().transfer(request, back.data(), in.complete);
    EXPECT_EQ(back, sent);
    EXPECT_TRUE(bench.diagnostics().empty());
}

TEST(EngineCore, ATransferWaitsForWhatWentBeforeUnlessItRunsBeside) {
    for (const bool beside : {false, true}) {
        Bench bench("ascend950", {"latency.store=900"});
        bench.all_written().mask_all().in_vf();
        bench.issue(isa::Store{ElementType::b8, UbAddress{0x800}, VregId{0}, MregId{0}});
        const OpResult end = bench.issue(isa::VfEnd{});
        EXPECT_GT(end.complete.count(), 900U);
        TransferRequest request;
        request.direction = timing::Direction::read;
        request.address = 0x800;
        request.bytes = 1280;
        request.beside = beside;
        const OpResult transfer = bench.core().transfer(request, nullptr, end.dispatch);
        EXPECT_EQ(transfer.complete.count(), (beside ? end.dispatch : end.complete).count() + 10);
    }
}

TEST(EngineCore, TrafficWithoutBytesCountsAsWritten) {
    Bench bench;
    TransferRequest request;
    request.address = 0x800;
    request.bytes = 256;
    bench.core().transfer(request, nullptr, Cycle(0));
    bench.in_vf().issue(isa::Load{ElementType::b8, VregId{1}, UbAddress{0x800}});
    EXPECT_TRUE(bench.diagnostics().empty());
}

TEST(EngineCore, TransfersAreCheckedWhole) {
    const auto fault_of = [](std::int64_t address, std::int64_t bytes) {
        Bench bench;
        TransferRequest request;
        request.address = address;
        request.bytes = bytes;
        request.line = 3;
        const OpResult result = bench.core().transfer(request, nullptr, Cycle(0));
        const auto& log = bench.diagnostics();
        return std::pair(result.fault, log.empty() ? std::string() : log[0].message);
    };
    EXPECT_EQ(fault_of(0x20, 0).first, DiagnosticId::none);
    EXPECT_EQ(fault_of(0x10, 32).first, DiagnosticId::misaligned);
    EXPECT_THAT(fault_of(0x10, 32).second, HasSubstr("0x10"));
    EXPECT_EQ(fault_of(0x3FFE0, 33).first, DiagnosticId::ub_out_of_bounds);
    EXPECT_THAT(fault_of(0x3FFE0, 33).second, HasSubstr("0x40000"));
    EXPECT_EQ(fault_of(-32, 32).first, DiagnosticId::ub_out_of_bounds);
    EXPECT_EQ(fault_of(0, std::int64_t{1} << 62).first, DiagnosticId::ub_out_of_bounds);
    EXPECT_EQ(fault_of(0, -1).first, DiagnosticId::bad_count);
    EXPECT_EQ(fault_of(0x3E000, 32).first, DiagnosticId::none);
    EXPECT_THAT(fault_of(0x3DFE0, 64).second, HasSubstr("reserved"));
}

TEST(EngineCore, ResetForgetsTimeAndMarksButNotBytes) {
    Bench bench;
    bench.all_written().mask_all().in_vf();
    bench.issue(isa::Duplicate{ElementType::b16, VregId{1}, 0xABCD});
    bench.core().reset();
    EXPECT_FALSE(bench.core().in_vf());
    EXPECT_EQ(bench.core().statistics().ops, 0U);
    EXPECT_EQ(bench.core().statistics().last_completion.count(), 0U);
    EXPECT_EQ(bench.storage().registers().vector[1].get<std::uint16_t>(5), 0xABCD);
    bench.in_vf();
    bench.issue(isa::Store{ElementType::b8, UbAddress{0}, VregId{1}, MregId{0}});
    ASSERT_EQ(bench.diagnostics().size(), 1U);
    EXPECT_EQ(bench.diagnostics()[0].id, DiagnosticId::uninitialised_read);
}

TEST(EngineCore, DetectorsCanBeSwitchedOff) {
    Bench bench("ascend950", {"detectors.hazard=false", "detectors.uninitialised=false"});
    bench.mask_all().in_vf();
    bench.issue(isa::Store{ElementType::b8, UbAddress{0x800}, VregId{0}, MregId{0}}, 5);
    bench.issue(isa::Load{ElementType::b8, VregId{1}, UbAddress{0x800}}, 6);
    EXPECT_TRUE(bench.diagnostics().empty());
}

}  // namespace
}  // namespace vcore::engine
