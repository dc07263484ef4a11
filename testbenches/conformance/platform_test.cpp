// Whole platforms: the seven products, and that no way of moving bytes changes a result.
#include <array>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <systemc>

#include "platforms/product_tops.hpp"
#include "testbenches/conformance/platform_bench.hpp"
#include "testbenches/conformance/random_ops.hpp"

namespace vcore::conformance {
namespace {

using isa::DiagnosticId;
using isa::ElementType;
using isa::MregId;
using isa::UbAddress;
using isa::VregId;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr auto kU32 = ElementType::u32;
constexpr auto kF32 = ElementType::f32;
constexpr auto kHalf = ElementType::half;

// ---- products

TEST(Products, each_has_its_top) {
    platforms::Ascend950 ascend950("ascend950");
    platforms::AtlasA3 a3("a3");
    platforms::AtlasA2 a2("a2");
    platforms::Atlas200I500A2 a200i("a200i");
    platforms::AtlasInferenceAiCore ai_core("ai_core");
    platforms::AtlasInferenceVectorCore vector_core("vector_core");
    platforms::AtlasTraining training("training", {"clock_mhz=900"});
    elaborate();
    EXPECT_EQ(ascend950.configuration().product, "ascend950");
    EXPECT_EQ(a3.configuration().product, "atlas-a3");
    EXPECT_EQ(a2.configuration().product, "atlas-a2");
    EXPECT_EQ(a200i.configuration().product, "atlas-200i-500-a2");
    EXPECT_EQ(ai_core.configuration().product, "atlas-inference-aicore");
    EXPECT_EQ(vector_core.configuration().product, "atlas-inference-vectorcore");
    EXPECT_EQ(training.configuration().product, "atlas-training");
    EXPECT_EQ(training.configuration().clock_mhz, 900.0);
    EXPECT_EQ(ascend950.ub.bank_count(), 16U);
    EXPECT_EQ(a2.ub.bank_count(), 48U);
    EXPECT_EQ(a2.ub.size_bytes(), 196608U);
    EXPECT_EQ(training.ub.bank_count(), 64U);
}

TEST(Products, an_op_that_a_product_lacks_is_refused_with_the_product_that_has_it) {
    struct Support {
        const char* product;
        bool vector_functions;
        bool tensor_scatter;
        bool tensor_add;
    };
    const std::array<Support, 7> table{{{"ascend950", true, true, false},
                                        {"atlas-a3", false, false, true},
                                        {"atlas-a2", false, false, true},
                                        {"atlas-200i-500-a2", false, true, false},
                                        {"atlas-inference-aicore", false, true, false},
                                        {"atlas-inference-vectorcore", false, false, false},
                                        {"atlas-training", false, false, false}}};
    std::vector<std::unique_ptr<PlatformBench>> benches;
    for (const Support& row : table) {
        benches.push_back(std::make_unique<PlatformBench>(sc_core::sc_gen_unique_name("bench"),
                                                          std::vector<std::string>{}, row.product));
    }
    elaborate();
    const isa::TensorScatter scatter{
        kHalf, UbAddress{0x2000}, UbAddress{0x400}, UbAddress{0x800}, 0, isa::TensorScatterForm::count, 3};
    const isa::TensorAdd add{kF32, UbAddress{0x2000}, UbAddress{0x400}, UbAddress{0x800}, 64};
    for (std::size_t i = 0; i < table.size(); ++i) {
        SCOPED_TRACE(table[i].product);
        PlatformBench& bench = *benches[i];
        bench.ub.write(0x400, bytes_of(std::vector<std::uint16_t>{10, 11, 12}));
        bench.ub.write(0x800, bytes_of(std::vector<std::uint32_t>{4, 2, 0}));
        bench.ub.write(0x2000, Bytes(256, 0xCD));
        const auto try_op = [&bench](const isa::Op& op, bool supported) {
            const Bytes before = bench.all_of_ub();
            bench.ops.issue(op);
            if (supported) {
                EXPECT_TRUE(bench.ops.ok()) << isa::name(isa::kind_of(op));
                return;
            }
            EXPECT_EQ(bench.ops.status(), tlm::TLM_COMMAND_ERROR_RESPONSE) << isa::name(isa::kind_of(op));
            EXPECT_EQ(bench.ops.descriptor().fault, DiagnosticId::unsupported_op);
            EXPECT_EQ(bench.all_of_ub(), before);
            EXPECT_THAT(bench.diagnostics().back().message, HasSubstr(bench.top.configuration().product));
        };
        try_op(scatter, table[i].tensor_scatter);
        if (table[i].tensor_scatter) {
            EXPECT_EQ(elements_of<std::uint16_t>(bench.ub.read(0x2000, 6)), (std::vector<std::uint16_t>{12, 11, 10}));
        }
        try_op(add, table[i].tensor_add);
        bench.perform(isa::VfBegin{});  // an empty function is no op of the table
        const Bytes vectors = bench.all_vectors();
        for (const isa::Op& op : {isa::Op{isa::Duplicate{kU32, VregId{0}, 7}},
                                  isa::Op{isa::CreateMask{kU32, MregId{0}, isa::MaskPattern::all}},
                                  isa::Op{isa::Load{kU32, VregId{1}, UbAddress{0x400}}},
                                  isa::Op{isa::GatherRegister{kU32, VregId{2}, VregId{0}, VregId{0}}}}) {
            try_op(op, table[i].vector_functions);
            if (table[i].vector_functions) continue;
            EXPECT_THAT(bench.diagnostics().back().message, HasSubstr("ascend950"));
            EXPECT_EQ(bench.all_vectors(), vectors);
        }
        bench.perform(isa::VfEnd{});
    }
}

// ---- the gather/scatter unit

TEST(GatherScatterUnit, counts_what_passes_and_stands_still_where_the_core_holds_the_ub) {
    PlatformBench bench("bench");
    elaborate();
    bench.ub.write(0x400, bytes_of(iota<std::uint32_t>(64, 0)));
    bench.ub.write(0x800, bytes_of(iota<std::uint32_t>(64, 0, 128)));
    bench.perform(isa::VfBegin{});
    bench.perform(isa::CreateMask{kU32, MregId{0}, isa::MaskPattern::all});
    bench.perform(isa::Load{kU32, VregId{0}, UbAddress{0x400}});
    bench.perform(isa::Load{kU32, VregId{1}, UbAddress{0x800}});
    const isa::Gather neighbours{kU32, kU32, kU32, VregId{2}, UbAddress{0x400}, VregId{0}, MregId{0}};
    const isa::Gather far_apart{kU32, kU32, kU32, VregId{2}, UbAddress{0x400}, VregId{1}, MregId{0}};
    const isa::Scatter scatter{kU32, kU32, UbAddress{0x2000}, VregId{2}, VregId{0}, MregId{0}};
    bench.perform(neighbours);
    EXPECT_EQ(bench.top.gather_scatter.counters().gathers, 0U);

    bench.set_direct_memory(false);
    bench.perform(neighbours);
    bench.perform(scatter);
    const auto& counters = bench.top.gather_scatter.counters();
    EXPECT_EQ(counters.gathers, 1U);
    EXPECT_EQ(counters.scatters, 1U);
    EXPECT_EQ(counters.beats, 4U) << "32 lanes of b32 a beat";
    EXPECT_EQ(counters.stalls, 0U);
    bench.perform(far_apart);  // index 128 * lane: every lane in a row of its own, all in one sub-bank
    EXPECT_EQ(counters.beats, 4U + 64U);
    EXPECT_EQ(counters.stalls, 62U);
    bench.top.gather_scatter.reset();
    EXPECT_EQ(counters.gathers + counters.scatters + counters.beats + counters.stalls, 0U);
}

// ---- any way of moving bytes gives the same results

/// One way for bytes and registers to travel.
struct Way {
    const char* name;
    std::vector<std::string> overrides;
    bool direct_ub;
    bool direct_vectors;
    bool direct_masks;
    bool toggles;  ///< grants come and go between ops
};

class Ways {
public:
    Ways() {
        const std::array<Way, 6> ways{{{"direct", {}, true, true, true, false},
                                       {"sockets", {}, false, false, false, false},
                                       {"ub_by_socket", {}, false, true, true, false},
                                       {"registers_by_socket", {}, true, false, false, false},
                                       {"bank_traffic", {"ub.bank_traffic=true"}, true, true, true, false},
                                       {"changing", {}, true, true, true, true}}};
        for (const Way& way : ways) {
            ways_.push_back(way);
            benches_.push_back(std::make_unique<PlatformBench>(way.name, way.overrides));
        }
    }

    /// Runs a random program on all ways and on an engine::Core with plain storage; RC_FAILs at the first difference.
    void run(std::uint64_t seed) {
        unit::Random random(seed);
        const Bytes memory = random_memory(random, benches_.front()->top.ub.size_bytes());
        const std::vector<isa::Op> program = random_program(random);
        engine::Storage storage(benches_.front()->top.configuration());
        engine::Core core(benches_.front()->top.configuration(), storage.registers(), storage.ub());
        std::memcpy(storage.ub_bytes(), memory.data(), memory.size());
        core.mark_written(0, static_cast<std::uint32_t>(memory.size()));
        for (std::size_t w = 0; w < benches_.size(); ++w) start(w, memory);

        timing::Cycle now;
        std::uint32_t line = 0;
        for (isa::Op op : program) {
            ++line;
            const isa::Op original = op;
            const engine::OpResult expected = core.issue(op, line, now);
            now = expected.dispatch;
            for (std::size_t w = 0; w < benches_.size(); ++w) {
                if (ways_[w].toggles) toggle(random, benches_[w]->top);
                const transport::OpDescriptor& got = benches_[w]->ops.issue(original, line);
                if (got.fault != expected.fault || got.dispatch_cycle != expected.dispatch.count() ||
                    got.issue_cycle != expected.issue.count() || got.complete_cycle != expected.complete.count() ||
                    benches_[w]->ops.status() != transport::status_of(expected.response)) {
                    RC_FAIL(where(w, line, original) + ": another answer or other cycles");
                }
            }
            refused_ += expected.response == isa::Response::ok ? 0 : 1;
            ++ops_;
        }
        for (std::size_t w = 0; w < benches_.size(); ++w) compare(w, storage, core);
    }

    std::uint64_t ops() const { return ops_; }
    std::uint64_t refused() const { return refused_; }

private:
    void start(std::size_t w, const Bytes& memory) {
        PlatformBench& bench = *benches_[w];
        bench.top.reset();
        bench.top.core.engine().diagnostics().clear();
        bench.ops.local_time = sc_core::SC_ZERO_TIME;
        bench.top.ub.set_direct_memory(ways_[w].direct_ub);
        bench.top.vector_registers.set_direct_memory(ways_[w].direct_vectors);
        bench.top.mask_registers.set_direct_memory(ways_[w].direct_masks);
        bench.ub.debug_write(0, memory);
    }

    static void toggle(unit::Random& random, platforms::Top& top) {
        if (random.one_in(4)) top.ub.set_direct_memory(random.one_in(2));
        if (random.one_in(4)) top.vector_registers.set_direct_memory(random.one_in(2));
        if (random.one_in(4)) top.mask_registers.set_direct_memory(random.one_in(2));
    }

    void compare(std::size_t w, engine::Storage& storage, engine::Core& core) {
        PlatformBench& bench = *benches_[w];
        const isa::Registers registers = storage.registers();
        const auto equal = [this, w](const Bytes& got, const void* expected, const char* what) {
            if (std::memcmp(got.data(), expected, got.size()) != 0) {
                RC_FAIL(std::string(ways_[w].name) + ": other " + what);
            }
        };
        equal(bench.all_of_ub(), storage.ub_bytes(), "UB bytes");
        equal(bench.all_vectors(), registers.vector, "vector registers");
        equal(bench.all_masks(), registers.mask, "mask registers");

        const engine::Statistics& got = bench.top.core.engine().statistics();
        const engine::Statistics& expected = core.statistics();
        RC_ASSERT(got.ops == expected.ops);
        RC_ASSERT(got.refused == expected.refused);
        RC_ASSERT(got.last_completion == expected.last_completion);
        RC_ASSERT(got.vf_cycles == expected.vf_cycles);
        RC_ASSERT(got.sub_bank_stall_cycles == expected.sub_bank_stall_cycles);
        RC_ASSERT(got.banks.reads == expected.banks.reads);
        RC_ASSERT(got.banks.writes == expected.banks.writes);

        const auto& diagnostics = bench.diagnostics();
        const auto& wanted = core.diagnostics().entries();
        RC_ASSERT(diagnostics.size() == wanted.size());
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            RC_ASSERT(diagnostics[i].id == wanted[i].id);
            RC_ASSERT(diagnostics[i].line == wanted[i].line);
            RC_ASSERT(diagnostics[i].lane == wanted[i].lane);
            RC_ASSERT(diagnostics[i].address == wanted[i].address);
            RC_ASSERT(diagnostics[i].count == wanted[i].count);
            RC_ASSERT(diagnostics[i].message == wanted[i].message);
        }
    }

    std::string where(std::size_t w, std::uint32_t line, const isa::Op& op) const {
        return std::string(ways_[w].name) + ", op " + std::to_string(line) + " (" +
               std::string(isa::name(isa::kind_of(op))) + ")";
    }

    std::vector<Way> ways_;
    std::vector<std::unique_ptr<PlatformBench>> benches_;
    std::uint64_t ops_ = 0;
    std::uint64_t refused_ = 0;
};

TEST(Platform, every_way_gives_the_same_bytes_diagnostics_and_cycles) {
    Ways ways;
    elaborate();
    EXPECT_TRUE(rc::check("random programs on all ways", [&ways](std::uint64_t seed) { ways.run(seed); }));
    EXPECT_GT(ways.ops(), 5000U);
    EXPECT_GT(ways.ops(), 2 * ways.refused()) << "most ops should be performed, or little has been compared";
    EXPECT_GT(ways.refused(), 0U);
}

TEST(Platform, the_core_asks_for_direct_memory_once_and_again_after_it_was_taken_back) {
    PlatformBench bench("bench");
    elaborate();
    bench.ub.write(0x400, Bytes(256, 1));
    bench.perform(isa::VfBegin{});
    bench.perform(isa::Load{kU32, VregId{0}, UbAddress{0x400}});
    const auto created = bench.top.core.payloads().created();
    for (int i = 0; i < 100; ++i) bench.perform(isa::Load{kU32, VregId{0}, UbAddress{0x400}});
    EXPECT_EQ(bench.top.core.payloads().created(), created);

    bench.top.ub.reset();  // clears and takes back; the written marks are the core's
    bench.perform(isa::Load{kU32, VregId{0}, UbAddress{0x400}});
    EXPECT_EQ(bench.vector(0), Bytes(256, 0));
    bench.ub.write(0x400, Bytes(256, 2));
    bench.perform(isa::Load{kU32, VregId{0}, UbAddress{0x400}});
    EXPECT_EQ(bench.vector(0), Bytes(256, 2));

    // Whether the core holds the UB by pointer shows where its gathers pass.
    bench.perform(isa::CreateMask{kU32, MregId{0}, isa::MaskPattern::all});
    bench.ub.write(0x800, bytes_of(iota<std::uint32_t>(64, 0)));
    bench.perform(isa::Load{kU32, VregId{1}, UbAddress{0x800}});
    const isa::Gather gather{kU32, kU32, kU32, VregId{2}, UbAddress{0x400}, VregId{1}, MregId{0}};
    const auto& passed = bench.top.gather_scatter.counters().gathers;
    bench.perform(gather);
    EXPECT_EQ(passed, 0U) << "asked again after the reset";
    bench.top.ub.set_direct_memory(false);
    bench.perform(gather);
    EXPECT_EQ(passed, 1U);
    bench.top.ub.set_direct_memory(true);
    bench.perform(isa::Load{kU32, VregId{3}, UbAddress{0x400}});  // their answers hint at the grant
    bench.perform(isa::Store{kU32, UbAddress{0xC00}, VregId{3}, MregId{0}});
    bench.perform(gather);
    EXPECT_EQ(passed, 1U);
}

TEST(Platform, what_a_foreign_initiator_writes_counts_as_written) {
    PlatformBench bench("bench");
    elaborate();
    bench.ub.write(0x400, Bytes(128, 1));
    bench.ub.debug_write(0x480, Bytes(128, 1));
    bench.perform(isa::VfBegin{});
    bench.perform(isa::Load{kU32, VregId{0}, UbAddress{0x400}});
    EXPECT_THAT(bench.diagnostics(), IsEmpty());
    bench.perform(isa::Load{kU32, VregId{0}, UbAddress{0x420}}, 3);
    ASSERT_THAT(bench.diagnostics(), SizeIs(1));
    EXPECT_EQ(bench.diagnostics()[0].id, DiagnosticId::uninitialised_read);
    EXPECT_EQ(bench.diagnostics()[0].address, 0x500);
}

}  // namespace
}  // namespace vcore::conformance
