// The cycle-stepped pipeline: published measurements, hand-computed cycles, properties over random programs, fairness,
// deadlocks, and the same answer as the loosely-timed timeline for an op alone.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "testbenches/unit/allocation_counter.hpp"
#include "testbenches/unit/timing_pipeline_bench.hpp"

namespace vcore::timing {
namespace {

std::uint64_t sum(const PipelineCounters& counters) {
    return std::accumulate(counters.causes.begin(), counters.causes.end(), std::uint64_t{0});
}

// ---- the published measurements of `timing.md`

struct Measured {
    double period = 0;
    double load_conflicts = 0;  // per cent
    double store_conflicts = 0;
};

Measured measure(const TimedProgram& program, int calls) {
    PipelineBench bench(parameters_3510());
    Cycle end;
    for (int call = 0; call < calls; ++call) end = bench.call(program).complete;
    const PipelineCounters counters = bench.pipeline.counters();
    EXPECT_EQ(sum(counters), end.count()) << "each cycle has one cause";
    const auto share = [&](std::uint64_t cycles) {
        return 100 * static_cast<double>(cycles) / static_cast<double>(counters.vf_spans);
    };
    return {static_cast<double>(end.count()) / calls, share(counters.load_blocked), share(counters.store_blocked)};
}

struct Published {
    int number;
    TimedProgram program;
    double cycles;
    double load_conflicts;  // per cent, -1: not published
    double store_conflicts;
    bool exact;
    double divided_by = 1;
    int calls = 1000;
};

TEST(Pipeline, PublishedMeasurementsOfAscend950) {
    const std::vector<Published> cases = {
        {1, published_add(0, 0x5000, 0xA100, true), 133, 40.9, 17.6, false},
        {2, published_add(0, 0x5100, 0xA000, true), 147, 0.0, 27.1, false},
        {4, published_add(0, 0x5100, 0xA100, true), 144, 0.0, 25.6, false},
        {6, published_add(0, 0x5000, 0xA000, false), 142, 4.1, 23.8, false},
        {8, published_dependent_adds(1000), 2.83, 0.1, 0.0, false, 64000, 3},
        {9, published_gather(false), 65, -1, -1, true},
        {11, published_block_copy(1, 1, 256), 44, 0, 0, true},
        {12, published_block_copy(8, 8, 32), 151, 0, 53.5, false},
        {13, published_block_copy(0, 1, 256), 44, 0, 0, true},
    };
    double total = 0;
    std::printf("case  published  modelled   error   load conflicts %%      store conflicts %%\n");
    for (const Published& published : cases) {
        const Measured modelled = measure(published.program, published.calls);
        const double period = modelled.period / published.divided_by;
        const double error = period / published.cycles - 1;
        total += std::abs(error);
        std::printf("%4d  %9.2f  %8.2f  %+5.1f %%  %5.1f modelled %5.1f  %5.1f modelled %5.1f\n", published.number,
                    published.cycles, period, 100 * error, published.load_conflicts, modelled.load_conflicts,
                    published.store_conflicts, modelled.store_conflicts);
        EXPECT_LE(std::abs(error), 0.06) << "case " << published.number;
        if (published.exact) {
            EXPECT_EQ(std::round(period), published.cycles) << "case " << published.number;
        }
        if (published.load_conflicts < 0) continue;
        EXPECT_NEAR(modelled.load_conflicts, published.load_conflicts, 8) << "case " << published.number;
        EXPECT_NEAR(modelled.store_conflicts, published.store_conflicts, 8) << "case " << published.number;
    }
    const double mean = total / static_cast<double>(cases.size());
    std::printf("mean absolute error %.1f %%\n", 100 * mean);
    EXPECT_LE(mean, 0.03);
    // The pair that was measured with consecutive and with alternating indices: 65 and 75 cycles.
    EXPECT_EQ(std::round(measure(published_gather(true), 1000).period), 75);
}

TEST(PipelineProperty, ShiftingAllAddressesByARowOfAllBanksChangesNothing) {
    EXPECT_TRUE(rc::check("the published loop elsewhere", [](std::uint64_t seed) {
        unit::Random random(seed);
        constexpr std::uint32_t kAllBanks = 512;  // 16 banks of 32 B
        const auto block = [&](std::uint32_t first) {
            return first + 32 * static_cast<std::uint32_t>(random.below(8));
        };
        const std::uint32_t src0 = block(0);
        const std::uint32_t src1 = block(0x5000);
        const std::uint32_t dst = block(0xA000);
        const std::uint32_t shift = kAllBanks * static_cast<std::uint32_t>(1 + random.below(200));
        const bool unrolled = random.below(2) == 1;
        const Measured here = measure(published_add(src0, src1, dst, unrolled), 3);
        const Measured there = measure(published_add(src0 + shift, src1 + shift, dst + shift, unrolled), 3);
        RC_ASSERT(here.period == there.period);
        RC_ASSERT(here.load_conflicts == there.load_conflicts);
        RC_ASSERT(here.store_conflicts == there.store_conflicts);
    }));
}

TEST(Pipeline, MoreBlocksInABankGroupNeverTakeFewerCycles) {
    for (const bool load_side : {true, false}) {
        double before = 0;
        for (const std::uint32_t stride : {1U, 2U, 4U, 8U}) {  // blocks that meet in a group
            const Measured now = measure(published_block_copy(load_side ? stride : 1, load_side ? 1 : stride, 256), 3);
            EXPECT_GE(now.period, before) << "stride " << stride << (load_side ? " of loads" : " of stores");
            before = now.period;
        }
    }
}

TEST(Pipeline, LooselyTimedTotalsComeWithinAQuarter) {
    for (const TimedProgram& program :
         {published_add(0, 0x5000, 0xA100, true), published_add(0, 0x5100, 0xA000, true),
          published_add(0, 0x5000, 0xA000, false), published_dependent_adds(20), published_gather(false),
          published_gather(true), published_block_copy(1, 1, 256), published_block_copy(8, 8, 32),
          published_block_copy(0, 1, 256)}) {
        PipelineBench stepped(parameters_3510());
        TimelineBench loose(parameters_3510());
        Cycle stepped_end;
        Cycle loose_end;
        for (int call = 0; call < 100; ++call) {
            stepped_end = stepped.call(program).complete;
            loose_end = loose.call(program).complete;
        }
        const auto exact = static_cast<double>(stepped_end.count());
        EXPECT_NEAR(static_cast<double>(loose_end.count()), exact, 0.25 * exact);
    }
}

struct PublishedTensorAdd {
    std::uint32_t src0, src1, dst;
    double cycles;
    double most_error;
};

TEST(TensorUnit, PublishedMeasurementsOfA2AndA3) {
    const std::vector<PublishedTensorAdd> cases = {{0x0, 0x10100, 0x20000, 88, 0.03},
                                                   {0x0, 0x4000, 0x10000, 154, 0.03},
                                                   {0x0, 0x10100, 0x4000, 88, 0.03},
                                                   {0x0, 0x10100, 0x4020, 139, 0.10}};
    const Parameters parameters = parameters_2201();
    FootprintMaker maker(parameters.ub, parameters.gather_scatter);
    std::printf("   src0     src1      dst  published  modelled   error\n");
    for (const PublishedTensorAdd& published : cases) {
        Timeline timeline(parameters);
        PipelineBench bench(parameters);
        EXPECT_EQ(timeline.tensor_begin(Cycle(100)).count(), 100U);
        EXPECT_EQ(bench.pipeline.tensor_begin(Cycle(100)).count(), 100U);
        Footprint src0;
        Footprint src1;
        Footprint dst;
        for (std::uint32_t repeat = 0; repeat < 64; ++repeat) {
            maker.make(published.src0 + 256 * repeat, 256, 256, Direction::read, src0);
            maker.make(published.src1 + 256 * repeat, 256, 256, Direction::read, src1);
            maker.make(published.dst + 256 * repeat, 256, 256, Direction::write, dst);
            timeline.tensor_iteration(src0, src1, dst);
            bench.pipeline.tensor_iteration(src0, src1, dst);
        }
        const Cycle complete = timeline.tensor_end().complete;
        EXPECT_EQ(bench.pipeline.tensor_end(), complete) << "the same alone in both modes";
        const double modelled = static_cast<double>((complete - Cycle(100)).count());
        const double error = modelled / published.cycles - 1;
        std::printf("0x%05X  0x%05X  0x%05X  %9.0f  %8.0f  %+5.1f %%\n", published.src0, published.src1, published.dst,
                    published.cycles, modelled, 100 * error);
        EXPECT_LE(std::abs(error), published.most_error);
        EXPECT_EQ(timeline.last_completion(), complete);
        EXPECT_EQ(bench.pipeline.last_completion(), complete);
        EXPECT_EQ(timeline.tensor_begin(Cycle(0)), complete) << "one op after the other";
    }
}

TEST(TensorUnit, SerialAccessesFollowTheHead) {
    const Parameters parameters = parameters_2201();
    PipelineBench bench(parameters);
    FootprintMaker maker(parameters.ub, parameters.gather_scatter);
    Footprint eight;
    isa::BlockAccess blocks{0, 16 * 32, 0xFF};
    maker.make(blocks, Direction::read, eight);
    ASSERT_EQ(eight.steps(), 8U) << "eight blocks of one group";
    bench.pipeline.tensor_begin(Cycle(10));
    bench.pipeline.tensor_access(eight);
    bench.pipeline.tensor_access(eight);
    EXPECT_EQ(bench.pipeline.tensor_end().count(), 10U + 24U + 16U);
    Timeline timeline(parameters);
    EXPECT_EQ(timeline.tensor(Cycle(10), 16).complete.count(), 10U + 24U + 16U);
    bench.pipeline.tensor_begin(Cycle(0));
    EXPECT_EQ(bench.pipeline.tensor_end().count(), 50U + 24U) << "nothing but the head";
}

TEST(TensorUnit, SharesTheBanksWithTransfers) {
    const Parameters parameters = parameters_2201();
    const auto run = [&](bool transfer) {
        PipelineBench bench(parameters);
        FootprintMaker maker(parameters.ub, parameters.gather_scatter);
        Footprint src0;
        Footprint src1;
        Footprint dst;
        bench.pipeline.tensor_begin(Cycle(0));
        for (std::uint32_t repeat = 0; repeat < 64; ++repeat) {
            if (transfer && repeat == 0) bench.external(1, 0, Direction::write, 0x8000, 8192, Cycle(0), 64);
            maker.make(256 * repeat, 256, 256, Direction::read, src0);
            maker.make(0x10100 + 256 * repeat, 256, 256, Direction::read, src1);
            maker.make(0x20000 + 256 * repeat, 256, 256, Direction::write, dst);
            bench.pipeline.tensor_iteration(src0, src1, dst);
        }
        const Cycle end = bench.pipeline.tensor_end();
        const Cycle transferred = transfer ? bench.pipeline.finish_external(1) : Cycle(0);
        return std::make_pair(end.count(), transferred.count());
    };
    EXPECT_EQ(run(false).first, 88U);
    const auto [end, transferred] = run(true);
    EXPECT_EQ(end, 88U) << "the transfer goes where the op leaves banks free";
    EXPECT_GT(transferred, 128U) << "and takes longer than its 128 beats";
}

// ---- hand-computed cycles, relative to the call of a VF at 0: the first op dispatches at 22 and issues at 23

using Write = std::function<void(Programmer&)>;

std::vector<std::uint64_t> issues(const Write& write) {
    Programmer p;
    write(p);
    PipelineBench bench(parameters_3510());
    bench.call(p.program);
    std::vector<std::uint64_t> cycles;
    for (std::size_t i = 0; i < p.program.size(); ++i) {
        if (!p.program[i].is_barrier)
            cycles.push_back(bench.reports.op(static_cast<std::uint32_t>(i)).issue.count() - 23);
    }
    return cycles;
}
using Cycles = std::vector<std::uint64_t>;

TEST(Pipeline, TheFirstOpIssuesVfStartAfterTheCall) {
    PipelineBench bench(parameters_3510());
    Programmer p;
    p.load(0, 0);
    EXPECT_EQ(bench.pipeline.vf_begin(Cycle(100)).count(), 122U);
    bench.feed(p.program);
    const Pipeline::VfTimes end = bench.pipeline.vf_end();
    const OpTrace& load = bench.reports.op(0);
    EXPECT_EQ(load.dispatch.count(), 122U);
    EXPECT_EQ(load.issue.count(), 123U);
    EXPECT_EQ(load.complete.count(), 132U);
    EXPECT_EQ(load.execute, 9U);
    EXPECT_EQ(end.complete.count(), 144U);
    EXPECT_EQ(end.dispatch.count(), 124U) << "the next VF starts up behind the last memory issue";
}

TEST(Pipeline, TwoLoadsOrALoadAndAStore) {
    EXPECT_EQ(issues([](Programmer& p) {
                  p.load(0x000, 0);
                  p.load(0x100, 1);
                  p.load(0x200, 2);
                  p.load(0x300, 3);
              }),
              (Cycles{0, 0, 1, 1}));
    EXPECT_EQ(issues([](Programmer& p) {
                  p.store(0x000, 0);
                  p.store(0x100, 1);
                  p.load(0x200, 2);
              }),
              (Cycles{1, 0, 0}))
        << "the load takes the first store's banks: the second overtakes it";
    EXPECT_EQ(issues([](Programmer& p) {
                  p.store(0x100, 0);
                  p.load(0x200, 2);
              }),
              (Cycles{0, 0}));
    EXPECT_EQ(issues([](Programmer& p) {
                  p.load(0x000, 0);
                  p.load(0x200, 1);
                  p.load(0x100, 2);
              }),
              (Cycles{0, 1, 1}))
        << "both rows in one bank: the second load waits, and no third overtakes it";
    EXPECT_EQ(issues([](Programmer& p) {
                  p.load(0x000, 0);
                  p.load(0x000, 1);
              }),
              (Cycles{0, 0}))
        << "one row: the reads merge";
}

TEST(Pipeline, MasksOfScalarsAreMadeOnTheWayThroughDispatch) {
    EXPECT_EQ(issues([](Programmer& p) {
                  p.create_mask(0);
                  p.mask_store(0x000, 0);
                  p.duplicate(1);
                  p.duplicate(2);
              }),
              (Cycles{0, 0, 0, 1}))
        << "the store need not wait, and no execution unit is taken";
    EXPECT_EQ(issues([](Programmer& p) {
                  p.create_mask(0);
                  p.create_mask(1);
                  p.create_mask(0);
                  p.mask_store(0x000, 0);
              }),
              (Cycles{0, 1, 2, 2}))
        << "one in a cycle";
    // A full queue holds back neither them nor what does not need it.
    Parameters parameters = parameters_3510();
    parameters.pipeline.shared_queue = 1;
    PipelineBench bench(parameters);
    Programmer p;
    p.gather(
        0x0, [](std::uint32_t lane) { return lane; }, 0, 1);
    p.gather(
        0x0, [](std::uint32_t lane) { return lane; }, 2, 1);
    p.create_mask(0);
    bench.call(p.program);
    EXPECT_EQ(bench.reports.op(2).dispatch, bench.reports.op(1).dispatch);
    parameters.latency.mask_create = 4;
    PipelineBench late(parameters);
    Programmer q;
    q.create_mask(0);
    q.mask_store(0x000, 0);
    late.call(q.program);
    EXPECT_EQ(late.reports.op(0).complete, late.reports.op(1).issue);
    EXPECT_EQ(late.reports.op(1).issue.count(), 23U + 4U);
}

TEST(Pipeline, BlockCopiesOfSeveralBeatsKeepOthersAway) {
    EXPECT_EQ(issues([](Programmer& p) {
                  p.block_load(0x000, 8, 0);
                  p.load(0x0, 1);
                  p.store(0x100, 2);
              }),
              (Cycles{0, 8, 8}));
    EXPECT_EQ(issues([](Programmer& p) {
                  p.load_pair(0x000, 0, 1);
                  p.load(0x400, 2);
                  p.load(0x500, 3);
              }),
              (Cycles{0, 1, 2}))
        << "a pair holds one port for two beats; the load collides with its first beat, not with its second";
}

TEST(Pipeline, BarriersOrderTheKindsTheyName) {
    struct Expectation {
        isa::BarrierKind kind;
        std::uint64_t load, store, reached;
    };
    // Before the barrier: a load that completes at 9 and a scatter that completes at 13, or a cycle later where a store
    // has taken its issue slot. Relative to 23.
    for (const Expectation& expected :
         {Expectation{isa::BarrierKind::vst_vld, 14, 0, 14}, Expectation{isa::BarrierKind::vld_vst, 0, 9, 9},
          Expectation{isa::BarrierKind::vst_vst, 0, 13, 13}, Expectation{isa::BarrierKind::vv_all, 13, 13, 13},
          Expectation{isa::BarrierKind::vs_all, 0, 1, 13}, Expectation{isa::BarrierKind::vld_st, 0, 1, 9}}) {
        SCOPED_TRACE(testing::Message() << "barrier kind " << static_cast<int>(expected.kind));
        const auto same = [](std::uint32_t lane) { return lane; };
        Programmer p;
        p.load(0x000, 0, 32);  // all in groups of their own
        p.scatter(0x1020, same, 8, 9, 8);
        p.barrier(expected.kind);
        p.load(0x040, 1, 32);
        p.store(0x060, 2, 32);
        PipelineBench bench(parameters_3510());
        bench.call(p.program);
        const auto relative = [](Cycle cycle) { return cycle.count() - 23; };
        EXPECT_EQ(relative(bench.reports.op(3).issue), expected.load);
        EXPECT_EQ(relative(bench.reports.op(4).issue), expected.store);
        ASSERT_EQ(bench.reports.barriers.size(), 1U);
        EXPECT_EQ(relative(bench.reports.barriers[0]), expected.reached);
    }
}

TEST(Pipeline, ExplainsWhereTheCyclesWent) {
    Programmer p;
    p.load(0x000, 0);
    p.load(0x200, 1);  // one bank with the first
    p.add(2, 0, 1);    // waits for the second
    p.gather(
        0x4000, [](std::uint32_t lane) { return lane % 2 * 128; }, 3, 4);  // two rows of one sub-bank
    p.block_load(0x000, 8, 5);                                             // eight blocks of one group
    PipelineBench bench(parameters_3510());
    bench.call(p.program);
    EXPECT_EQ(bench.reports.op(1).bank, 1U);
    EXPECT_EQ(bench.reports.op(2).operands, 7U) << "one cycle late, then forwarding";
    EXPECT_EQ(bench.reports.op(3).sub_bank, 2U) << "four steps in an interval of two";
    EXPECT_EQ(bench.reports.op(3).steps, 4U);
    EXPECT_GE(bench.reports.op(4).bank, 7U);
}

TEST(Pipeline, ATransferIsTheCauseWhereItTakesTheBanks) {
    Parameters parameters = parameters_3510();
    parameters.ub.priority = {Requester::mte, Requester::load_store, Requester::gather_scatter};
    Programmer p;
    p.load(0x000, 0);
    PipelineBench bench(parameters);
    bench.pipeline.vf_begin(Cycle(0));
    bench.external(7, 0, Direction::write, 0x000, 256, Cycle(22), 256);
    bench.external(8, 0, Direction::write, 0x200, 256, Cycle(22), 256);
    bench.feed(p.program);
    bench.pipeline.vf_end();
    EXPECT_EQ(bench.reports.op(0).issue.count(), 25U) << "two beats of its banks go first";
    EXPECT_EQ(bench.reports.op(0).bank, 2U);
    EXPECT_EQ(bench.pipeline.counters().causes[static_cast<std::size_t>(Cause::mte)], 2U);
    EXPECT_EQ(bench.reports.external(8).count(), 24U);

    // By default the load goes first and the transfer waits.
    PipelineBench other(parameters_3510());
    other.pipeline.vf_begin(Cycle(0));
    other.external(7, 0, Direction::write, 0x000, 256, Cycle(22), 256);
    other.feed(p.program);
    other.pipeline.vf_end();
    EXPECT_EQ(other.reports.op(0).issue.count(), 23U);
    EXPECT_EQ(other.pipeline.finish_external(7).count(), 24U);
}

TEST(Pipeline, ATransferAloneTakesAsManyCyclesAsBeats) {
    PipelineBench bench(parameters_3510());
    bench.external(1, 0, Direction::write, 0, 1024, Cycle(10));
    EXPECT_TRUE(bench.pipeline.external_pending());
    EXPECT_EQ(bench.pipeline.finish_external(1).count(), 18U);
    bench.external(2, 0, Direction::read, 0, 0, Cycle(20));
    EXPECT_EQ(bench.pipeline.finish_external(2).count(), 21U) << "of nothing: a cycle";
    // Two in one channel go one after the other, in two channels side by side.
    bench.external(3, 0, Direction::read, 0x000, 256, Cycle(30));
    bench.external(4, 0, Direction::read, 0x100, 256, Cycle(30));
    bench.external(5, 1, Direction::read, 0x200, 256, Cycle(30));
    bench.pipeline.finish_external(4);
    EXPECT_EQ(bench.reports.external(3).count(), 32U);
    EXPECT_EQ(bench.reports.external(4).count(), 34U);
    EXPECT_FALSE(bench.pipeline.external_pending());
}

TEST(Pipeline, TensorScatterIsAFunctionOfMicroOps) {
    for (const isa::ElementType type : {isa::ElementType::f32, isa::ElementType::half}) {
        PipelineBench bench(parameters_3510());
        FootprintMaker maker(parameters_3510().ub, parameters_3510().gather_scatter);
        Timeline timeline(parameters_3510());
        const bool packs = type == isa::ElementType::half;
        bench.pipeline.vf_begin(Cycle(0));
        timeline.vf_begin(Cycle(0));
        Programmer p;
        p.scatter(
            0x2000, [](std::uint32_t lane) { return lane; }, 0, 0);
        TensorScatterFootprints iteration;
        maker.make(0x000, 256, 256, Direction::read, iteration.source);
        maker.make(0x100, 256, 256, Direction::read, iteration.first_offsets);
        if (packs) maker.make(0x300, 256, 256, Direction::read, iteration.second_offsets);
        bench.make(p.program.front(), iteration.scatter);
        bench.pipeline.tensor_scatter_iteration(type, iteration, 3);
        const OpTimes times = timeline.tensor_scatter_iteration(type, {1, packs ? 2U : 1U, 2});
        EXPECT_EQ(bench.pipeline.vf_end().complete, timeline.vf_end().complete);
        EXPECT_EQ(bench.reports.ops.size(), packs ? 7U : 4U);
        EXPECT_EQ(bench.reports.ops.back().op_class, OpClass::scatter);
        EXPECT_EQ(bench.reports.ops.back().issue, times.issue);
    }
}

// ---- the same answer in both modes

TEST(PipelineProperty, AnOpAloneCompletesInTheSameCycleInBothModes) {
    EXPECT_TRUE(rc::check("an op alone, loosely timed and stepped", [](std::uint64_t seed) {
        unit::Random random(seed);
        Programmer p;
        add_random_op(random, p);
        const Cycle now(random.below(1000));
        PipelineBench stepped(parameters_3510());
        TimelineBench loose(parameters_3510());
        RC_ASSERT(stepped.pipeline.vf_begin(now) == loose.timeline.vf_begin(now));
        stepped.feed(p.program);
        const OpTimes times = loose.feed(p.program.front());
        const Pipeline::VfTimes end = stepped.pipeline.vf_end();
        const OpTimes loose_end = loose.timeline.vf_end();
        RC_ASSERT(stepped.reports.op(0).dispatch == times.dispatch);
        RC_ASSERT(stepped.reports.op(0).issue == times.issue);
        RC_ASSERT(stepped.reports.op(0).complete == times.complete);
        RC_ASSERT(end.dispatch == loose_end.dispatch);
        RC_ASSERT(end.complete == loose_end.complete);
    }));
}

/// A chain through one register leaves both models no choice.
TEST(PipelineProperty, ChainsCompleteInTheSameCycleInBothModes) {
    EXPECT_TRUE(rc::check("dependent ops, loosely timed and stepped", [](std::uint64_t seed) {
        unit::Random random(seed);
        Programmer p;
        for (int i = 0; i < 60; ++i) {
            const std::uint32_t spread = random.pick({1U, 64U, 128U});
            const auto index = [&](std::uint32_t lane) { return lane % 8 * spread; };
            switch (random.below(4)) {
                case 0: p.gather(0, index, 0, 0); break;
                case 1: p.add(0, 0, 0, isa::ElementType::s32); break;
                case 2: p.gather_register(0, 0, 0); break;
                default: p.add(0, 0, 0); break;
            }
        }
        PipelineBench stepped(parameters_3510());
        TimelineBench loose(parameters_3510());
        RC_ASSERT(stepped.call(p.program).complete == loose.call(p.program).complete);
    }));
}

// ---- properties over random programs

struct Span {
    std::uint64_t first;
    std::uint64_t last;
};

bool is_single(OpClass op_class) {
    return class_costs(parameters_3510())[static_cast<std::size_t>(op_class)].single_issue;
}

TEST(PipelineProperty, NoCycleIsOverbooked) {
    EXPECT_TRUE(rc::check("per-cycle limits of random programs", [](std::uint64_t seed) {
        unit::Random random(seed);
        const TimedProgram program = random_timed_program(random, 300, random.one_in(2));
        PipelineBench bench(parameters_3510());
        bench.call(program);
        const ClassCosts costs = class_costs(parameters_3510());
        std::map<std::uint64_t, int> dispatched, singles, loads, stores, copies, units, first_units;
        std::size_t ops = 0;
        for (const ProgramOp& op : program) ops += op.is_barrier ? 0 : 1;
        RC_ASSERT(bench.reports.ops.size() == ops);
        for (const OpTrace& op : bench.reports.ops) {
            const ClassCost& cost = costs[static_cast<std::size_t>(op.op_class)];
            RC_ASSERT(op.issue > op.dispatch);
            ++dispatched[op.dispatch.count()];
            if (is_single(op.op_class)) ++singles[op.issue.count()];
            // Nobody but the core is there: beats of a load or store follow one another unless a gather is in the way.
            const std::uint64_t last = op.complete.count() - cost.result() + cost.interval - 1;
            for (std::uint64_t cycle = op.issue.count(); cycle <= last; ++cycle) {
                if (cost.unit == Unit::load) ++loads[cycle];
                if (cost.unit == Unit::store) ++stores[cycle];
                if (cost.exclusive_beats && op.steps > 1) ++copies[cycle];
                if (cost.unit == Unit::execution) ++units[cycle];
                if (cost.first_unit_only) ++first_units[cycle];
            }
        }
        for (const auto& [cycle, count] : dispatched) RC_ASSERT(count <= 5);
        for (const auto& [cycle, count] : singles) RC_ASSERT(count <= 1);
        for (const auto& [cycle, count] : loads) RC_ASSERT(count + stores[cycle] <= 2);
        for (const auto& [cycle, count] : stores) RC_ASSERT(count <= 1);
        for (const auto& [cycle, count] : units) RC_ASSERT(count <= 2);
        for (const auto& [cycle, count] : first_units) RC_ASSERT(count <= 1);
        for (const auto& [cycle, count] : copies) RC_ASSERT(loads[cycle] + stores[cycle] == 1);
    }));
}

/// Judges every cycle of a run by the bank rules as they are written.
class BankJudge final : public BankListener {
public:
    explicit BankJudge(const UbGeometry& ub) : ub_(ub) {}

    void on_banks(Cycle cycle, Direction direction, const Touch* first, const Touch* last) override {
        if (cycle != cycle_) close();
        cycle_ = cycle;
        grants_.push_back({direction == Direction::write, std::vector<Touch>(first, last)});
        touches += static_cast<std::size_t>(last - first);
    }
    /// Whether all cycles so far were legal.
    bool legal() {
        close();
        return legal_;
    }
    std::size_t touches = 0;

private:
    struct Grant {
        bool write;
        std::vector<Touch> touches;
    };
    void close() {
        // At most two accesses of a group, of them one write; a grant is one of each group; equal rows read merge.
        std::map<std::uint32_t, std::pair<std::size_t, std::size_t>> uses;  // reads, writes by group
        std::set<std::uint32_t> rows_read;
        for (const Grant& grant : grants_) {
            std::set<std::uint32_t> groups;
            std::set<std::uint32_t> merged;
            for (const Touch& touch : grant.touches) {
                if (!grant.write && rows_read.count(touch.row) != 0) {
                    merged.insert(touch.group);
                } else {
                    groups.insert(touch.group);
                }
            }
            for (const std::uint32_t group : groups) ++(grant.write ? uses[group].second : uses[group].first);
            for (const Touch& touch : grant.touches) {
                if (!grant.write) rows_read.insert(touch.row);
            }
        }
        for (const auto& [group, count] : uses) {
            if (count.first > ub_.reads_per_group || count.second > ub_.writes_per_group ||
                count.first + count.second > ub_.accesses_per_group)
                legal_ = false;
        }
        // A bank does one thing, except that words of other sub-banks go side by side.
        for (std::size_t i = 0; i < grants_.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                for (const Touch& a : grants_[i].touches) {
                    for (const Touch& b : grants_[j].touches) {
                        const bool reads_one_row = !grants_[i].write && !grants_[j].write && a.row == b.row;
                        const bool words = indexed(grants_[i]) && indexed(grants_[j]);
                        if (a.bank == b.bank && !reads_one_row && !(words && a.port != b.port)) legal_ = false;
                    }
                }
            }
        }
        grants_.clear();
    }
    static bool indexed(const Grant& grant) { return grant.touches.front().port != Touch::kWholeRow; }

    UbGeometry ub_;
    Cycle cycle_;
    std::vector<Grant> grants_;
    bool legal_ = true;
};

TEST(PipelineProperty, NoCycleBreaksABankRule) {
    EXPECT_TRUE(rc::check("banks of random programs and transfers", [](std::uint64_t seed) {
        unit::Random random(seed);
        Parameters parameters = parameters_3510();
        parameters.ub.max_wait = random.pick({1U, 5U, 256U});
        std::array<Requester, 3>& order = parameters.ub.priority;
        for (std::size_t i = 2; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
        PipelineBench bench(parameters);
        BankJudge judge(parameters.ub);
        bench.pipeline.set_bank_listener(&judge);
        bench.pipeline.vf_begin(Cycle(0));
        std::size_t expected = 0;
        Footprint footprint;
        const auto expect = [&] {
            for (std::uint32_t step = 0; step < footprint.steps(); ++step)
                footprint.for_each_row(step, [&](const Touch&) { ++expected; });
        };
        const TimedProgram program = random_timed_program(random, 200, true);
        for (std::uint32_t i = 0; i < program.size(); ++i) {
            if (random.one_in(4)) {
                const auto address = static_cast<std::uint32_t>(random.below(64) * 128);
                const Direction direction = random.one_in(2) ? Direction::write : Direction::read;
                bench.external(i, static_cast<std::uint32_t>(random.below(3)), direction, address, 256,
                               bench.pipeline.current());
                expected += 8;
            }
            if (!program[i].is_barrier) {
                bench.make(program[i], footprint);
                expect();
            }
            bench.feed(program[i], i);
        }
        bench.pipeline.vf_end();
        while (bench.pipeline.external_pending()) bench.pipeline.advance_to(bench.pipeline.next_wakeup());
        RC_ASSERT(judge.legal());
        RC_ASSERT(judge.touches == expected);  // everything was served, and nothing twice
    }));
}

TEST(PipelineProperty, OpsWaitForOperandsQueuesAndBarriers) {
    EXPECT_TRUE(rc::check("operands, queues and barriers of random programs", [](std::uint64_t seed) {
        unit::Random random(seed);
        const TimedProgram program = random_timed_program(random, 300, true);
        PipelineBench bench(parameters_3510());
        bench.call(program);
        const ClassCosts costs = class_costs(parameters_3510());
        std::map<int, std::uint32_t> writer;  // by register, masks from 32 on
        std::vector<const OpTrace*> ops(program.size(), nullptr);
        for (const OpTrace& op : bench.reports.ops) ops[op.tag] = &op;
        std::map<bool, std::uint64_t> held_until;  // accesses by whether they store
        std::map<bool, std::uint64_t> completed;
        for (std::uint32_t i = 0; i < program.size(); ++i) {
            if (program[i].is_barrier) {
                const BarrierRule rule = rule_of(program[i].barrier);
                std::uint64_t reached = 0;
                if (rule.after_loads) reached = std::max(reached, completed[false]);
                if (rule.after_stores) reached = std::max(reached, completed[true]);
                if (rule.holds_loads) held_until[false] = std::max(held_until[false], reached);
                if (rule.holds_stores) held_until[true] = std::max(held_until[true], reached);
                continue;
            }
            const OpTrace& op = *ops[i];
            const ClassCost& cost = costs[static_cast<std::size_t>(op.op_class)];
            const auto for_registers = [](std::uint32_t vectors, std::uint32_t masks, auto&& visit) {
                for (int k = 0; k < 32; ++k) {
                    if ((vectors >> k & 1U) != 0) visit(k);
                }
                for (int k = 0; k < 8; ++k) {
                    if ((masks >> k & 1U) != 0) visit(32 + k);
                }
            };
            for_registers(program[i].registers.vector_reads, program[i].registers.mask_reads, [&](int k) {
                const auto found = writer.find(k);
                if (found == writer.end()) return;
                const OpTrace& from = *ops[found->second];
                const ClassCost& source = costs[static_cast<std::size_t>(from.op_class)];
                const std::uint64_t forwarded =
                    source.result() - source.latency[static_cast<std::size_t>(cost.consumer)];
                RC_ASSERT(op.issue.count() + forwarded >= from.complete.count());
            });
            for_registers(program[i].registers.vector_writes, program[i].registers.mask_writes,
                          [&](int k) { writer[k] = i; });
            if (cost.is_load() || cost.is_store()) {
                RC_ASSERT(op.issue.count() >= held_until[cost.is_store()]);
                completed[cost.is_store()] = std::max(completed[cost.is_store()], op.complete.count());
            }
            const auto takes_entry = [&](const OpTrace& other) {
                return costs[static_cast<std::size_t>(other.op_class)].unit != Unit::front_end;
            };
            int waiting = 0;
            for (std::uint32_t j = i > 200 ? i - 200 : 0; j < i; ++j) {
                if (ops[j] != nullptr && ops[j]->issue > op.dispatch && takes_entry(*ops[j])) ++waiting;
            }
            if (takes_entry(op)) RC_ASSERT(waiting < 58);
        }
    }));
}

TEST(PipelineProperty, PartsAndCausesAddUp) {
    EXPECT_TRUE(rc::check("parts of ops, causes of cycles", [](std::uint64_t seed) {
        unit::Random random(seed);
        PipelineBench bench(parameters_3510());
        Cycle end;
        std::uint64_t outside = 0;
        for (int call = 0; call < 4; ++call) {
            const Cycle now = random.one_in(2) ? end : Cycle(end.count() + random.below(100));
            if (random.one_in(2)) bench.external(1, 0, Direction::write, 0, 4096, bench.pipeline.current());
            outside += (now - end).count();
            end = bench.call(random_timed_program(random, random.below(150), true), now).complete;
        }
        for (const OpTrace& op : bench.reports.ops) {
            RC_ASSERT(op.enter + op.operands + op.bank + op.port + op.sub_bank + op.execute ==
                      (op.complete - op.dispatch).count());
        }
        RC_ASSERT(sum(bench.pipeline.counters()) + outside == end.count());
        RC_ASSERT(bench.pipeline.counters().vf_spans + outside == end.count());
    }));
}

TEST(PipelineProperty, SkippingIdleCyclesChangesNothing) {
    EXPECT_TRUE(rc::check("skipping against looking at every cycle", [](std::uint64_t seed) {
        std::vector<Reports> reports;
        std::vector<PipelineCounters> counters;
        for (const bool every : {false, true}) {
            unit::Random random(seed);
            PipelineBench bench(parameters_3510());
            bench.pipeline.step_every_cycle(every);
            Cycle now;
            for (int call = 0; call < 4; ++call) {
                const TimedProgram program = random_timed_program(random, random.below(100), true);
                bench.pipeline.vf_begin(now);
                std::uint32_t tag = 0;
                for (const ProgramOp& op : program) {
                    if (random.one_in(20))
                        bench.external(tag, static_cast<std::uint32_t>(random.below(3)), Direction::write,
                                       static_cast<std::uint32_t>(random.below(64) * 256), 512,
                                       bench.pipeline.current());
                    if (random.one_in(30)) bench.pipeline.advance_to(bench.pipeline.current() + random.below(100));
                    bench.feed(op, tag++);
                }
                now = bench.pipeline.vf_end().dispatch + random.below(50);
            }
            while (bench.pipeline.external_pending()) bench.pipeline.advance_to(bench.pipeline.next_wakeup());
            reports.push_back(bench.reports);
            counters.push_back(bench.pipeline.counters());
        }
        RC_ASSERT(counters[0].causes == counters[1].causes);
        RC_ASSERT(counters[0].load_blocked == counters[1].load_blocked);
        RC_ASSERT(counters[0].store_blocked == counters[1].store_blocked);
        RC_ASSERT(counters[0].sub_bank_stalls == counters[1].sub_bank_stalls);
        RC_ASSERT(counters[0].stepped_cycles <= counters[1].stepped_cycles);
        RC_ASSERT(reports[0].ops.size() == reports[1].ops.size());
        for (std::size_t i = 0; i < reports[0].ops.size(); ++i) {
            const auto key = [](const OpTrace& op) {
                return std::make_tuple(op.tag, op.dispatch.count(), op.issue.count(), op.complete.count(), op.steps,
                                       op.operands, op.bank, op.port, op.sub_bank, op.execute);
            };
            RC_ASSERT(key(reports[0].ops[i]) == key(reports[1].ops[i]));
        }
        RC_ASSERT(reports[0].externals.size() == reports[1].externals.size());
        for (std::size_t i = 0; i < reports[0].externals.size(); ++i)
            RC_ASSERT(reports[0].externals[i].complete == reports[1].externals[i].complete);
    }));
}

/// An op and a foreign access that are called in one cycle: the order of the calls must not matter.
TEST(PipelineProperty, TheOrderOfCallsInOneCycleDoesNotMatter) {
    EXPECT_TRUE(rc::check("op before traffic, traffic before op", [](std::uint64_t seed) {
        std::vector<std::vector<std::uint64_t>> results;
        for (const bool traffic_first : {false, true}) {
            unit::Random random(seed);
            PipelineBench bench(parameters_3510());
            bench.pipeline.vf_begin(Cycle(0));
            for (std::uint32_t i = 0; i < 40; ++i) {
                Programmer p;
                add_random_op(random, p);
                const auto address = static_cast<std::uint32_t>(random.below(64) * 256);
                const Cycle now = bench.pipeline.current() + 1 + random.below(4);
                const auto add_traffic = [&] { bench.external(i, 0, Direction::write, address, 256, now); };
                bench.pipeline.advance_to(now);
                if (traffic_first) add_traffic();
                bench.feed(p.program.front(), i);
                RC_ASSERT(bench.pipeline.current() == now);  // it had room
                if (!traffic_first) add_traffic();
            }
            bench.pipeline.vf_end();
            while (bench.pipeline.external_pending()) bench.pipeline.advance_to(bench.pipeline.next_wakeup());
            std::vector<std::uint64_t> result;
            for (const OpTrace& op : bench.reports.ops) result.push_back(op.complete.count());
            for (const Reports::External& one : bench.reports.externals) result.push_back(one.complete.count());
            results.push_back(result);
        }
        RC_ASSERT(results[0] == results[1]);
    }));
}

TEST(PipelineProperty, ResetForgetsEverything) {
    EXPECT_TRUE(rc::check("a reset pipeline equals a new one", [](std::uint64_t seed) {
        unit::Random random(seed);
        PipelineBench used(parameters_3510());
        used.pipeline.vf_begin(Cycle(random.below(1000)));
        used.external(1, 0, Direction::write, 0, 4096, Cycle(0));
        used.feed(random_timed_program(random, 100, true));
        if (random.one_in(2)) used.pipeline.vf_end();
        used.pipeline.reset();
        used.reports = {};
        RC_ASSERT(used.pipeline.last_completion() == Cycle(0));
        RC_ASSERT(used.pipeline.current() == Cycle(0));
        RC_ASSERT(!used.pipeline.external_pending());
        PipelineBench fresh(parameters_3510());
        const TimedProgram program = random_timed_program(random, 100, true);
        RC_ASSERT(used.call(program, Cycle(5)).complete == fresh.call(program, Cycle(5)).complete);
        RC_ASSERT(used.reports.ops.size() == fresh.reports.ops.size());
        for (std::size_t i = 0; i < used.reports.ops.size(); ++i)
            RC_ASSERT(used.reports.ops[i].complete == fresh.reports.ops[i].complete);
        RC_ASSERT(used.pipeline.counters().causes == fresh.pipeline.counters().causes);
    }));
}

/// A caller that waits for room, and never runs ahead, gets the cycles of one that feeds as fast as it can.
TEST(PipelineProperty, AskingForRoomFirstChangesNothing) {
    EXPECT_TRUE(rc::check("feeding cycle by cycle", [](std::uint64_t seed) {
        unit::Random random(seed);
        const TimedProgram program = random_timed_program(random, 200, false);
        PipelineBench eager(parameters_3510());
        const Pipeline::VfTimes expected = eager.call(program);
        PipelineBench patient(parameters_3510());
        Pipeline& pipeline = patient.pipeline;
        pipeline.vf_begin(Cycle(0));
        for (std::uint32_t i = 0; i < program.size(); ++i) {
            while (!pipeline.has_room(class_of(program[i].op), RegisterUse(program[i].registers)))
                pipeline.advance_to(pipeline.current() + 1);
            const Cycle now = pipeline.current();
            patient.feed(program[i], i);
            RC_ASSERT(pipeline.current() == now);
        }
        while (!pipeline.all_issued()) pipeline.advance_to(pipeline.next_wakeup());
        RC_ASSERT(pipeline.vf_end().complete == expected.complete);
        for (const OpTrace& op : eager.reports.ops) RC_ASSERT(patient.reports.op(op.tag).complete == op.complete);
    }));
}

TEST(PipelineProperty, AnyParametersRunToTheEnd) {
    EXPECT_TRUE(rc::check("random parameters", [](std::uint64_t seed) {
        unit::Random random(seed);
        Parameters p = parameters_3510();
        const auto some = [&](std::uint32_t most) { return static_cast<std::uint32_t>(1 + random.below(most)); };
        p.pipeline.vf_start = some(30) - 1;
        p.pipeline.dispatch_width = some(6);
        p.pipeline.shared_queue = some(58);
        p.pipeline.unit_queue = some(26);
        p.pipeline.physical_registers = some(68);
        p.pipeline.load_ports = some(3);
        p.pipeline.store_ports = some(2);
        p.pipeline.memory_issues = some(4);
        p.pipeline.execution_units = some(3);
        p.ub.reads_per_group = some(2);
        p.ub.writes_per_group = some(2);
        p.ub.accesses_per_group = some(3);
        p.ub.max_wait = some(40);
        p.latency.gather = some(5000);
        p.latency.add = some(9);
        p.interval.load = some(4);
        p.interval.store = some(4);
        p.interval.block_load = some(12);
        p.interval.gather = some(40);
        p.interval.add_float = some(5);
        std::array<Requester, 3>& order = p.ub.priority;
        for (std::size_t i = 2; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
        PipelineBench bench(p);
        const TimedProgram program = random_timed_program(random, 150, false);
        bench.external(1, 0, Direction::read, 0, 2048, Cycle(20));
        const Pipeline::VfTimes end = bench.call(program);
        RC_ASSERT(bench.reports.deadlocks.empty());
        RC_ASSERT(bench.reports.ops.size() == program.size());
        RC_ASSERT(sum(bench.pipeline.counters()) == end.complete.count());
        for (const OpTrace& op : bench.reports.ops) {
            RC_ASSERT(op.enter + op.operands + op.bank + op.port + op.sub_bank + op.execute ==
                      (op.complete - op.dispatch).count());
        }
    }));
}

// ---- nobody waits for ever

TEST(PipelineFairness, TrafficGetsThroughAnEndlessStreamOfLoads) {
    PipelineBench bench(parameters_3510());
    bench.pipeline.vf_begin(Cycle(0));
    bench.external(1, 0, Direction::write, 0, 256, Cycle(25), 256);
    Programmer p;
    for (int i = 0; i < 4; ++i) p.load(static_cast<std::uint32_t>(i % 2 * 0x100), static_cast<unsigned>(i));
    for (std::uint32_t i = 0; bench.reports.externals.empty() && i < 4000; ++i) bench.feed(p.program[i % 4], i);
    ASSERT_EQ(bench.reports.externals.size(), 1U);
    const std::uint64_t ended = bench.reports.external(1).count();
    EXPECT_GT(ended, 200U) << "the loads do win while they may";
    EXPECT_LE(ended, 26U + 256U + 1U);
}

TEST(PipelineFairness, ALoadGetsThroughEndlessTraffic) {
    Parameters parameters = parameters_3510();
    parameters.ub.priority = {Requester::mte, Requester::gather_scatter, Requester::load_store};
    for (const std::uint32_t channels : {1U, 8U}) {
        PipelineBench bench(parameters);
        Programmer p;
        p.load(0, 0);
        p.gather(
            0, [](std::uint32_t lane) { return lane; }, 1, 2);
        p.store(0, 3);
        p.block_load(0, 8, 4);
        bench.pipeline.vf_begin(Cycle(0));
        std::uint32_t id = 0;
        // Two beats are always waiting in every channel.
        const auto refill = [&] {
            while (id < channels * 2 + bench.reports.externals.size()) {
                bench.external(id, id % channels, Direction::write, 0, 256, bench.pipeline.current(), 256);
                ++id;
            }
        };
        refill();
        bench.feed(p.program);
        while (!bench.pipeline.all_issued() && bench.pipeline.current() < Cycle(20000)) {
            refill();
            bench.pipeline.advance_to(bench.pipeline.current() + 1);
        }
        ASSERT_EQ(bench.reports.ops.size(), 4U);
        for (const OpTrace& op : bench.reports.ops) EXPECT_LT(op.issue.count(), 23U + 3 * (256U + 2 * channels));
    }
}

TEST(PipelineFairness, AStoreGetsThroughEndlessLoads) {
    PipelineBench bench(parameters_3510());
    bench.pipeline.vf_begin(Cycle(0));
    Programmer p;
    p.store(0x000, 0);
    p.block_store(0x000, 8, 0);
    p.scatter(
        0x000, [](std::uint32_t lane) { return lane; }, 0, 0);
    p.mask_gen(1, 0);
    bench.feed(p.program);
    Programmer endless;
    for (unsigned i = 0; i < 4; ++i) endless.load(i % 2 * 0x100, 1 + i);
    for (unsigned i = 0; i < 4; ++i) endless.load_pair(0x400, 5, 6);
    for (std::uint32_t i = 0; bench.reports.ops.size() < 20000 && i < 20000; ++i)
        bench.feed(endless.program[i < 10000 ? i % 4 : 4 + i % 4], 100 + i);
    for (std::uint32_t tag = 0; tag < 4; ++tag) {
        const bool issued = std::any_of(bench.reports.ops.begin(), bench.reports.ops.end(),
                                        [&](const OpTrace& op) { return op.tag == tag; });
        ASSERT_TRUE(issued) << tag;
        EXPECT_LE(bench.reports.op(tag).issue.count(), 23U + 3 * 260U) << tag;
    }
}

// ---- deadlocks

TEST(PipelineDeadlock, IsReportedWithWhoWaitsForWhom) {
    Parameters parameters = parameters_3510();
    parameters.ub.accesses_per_group = 0;  // nobody ever gets a bank
    PipelineBench bench(parameters);
    Programmer p;
    p.load(0, 0);
    p.add(1, 0, 0);
    p.barrier(isa::BarrierKind::vld_vst);
    p.store(0, 2);
    bench.external(9, 0, Direction::read, 0, 32, Cycle(0));
    bench.call(p.program);
    ASSERT_EQ(bench.reports.deadlocks.size(), 1U);
    EXPECT_TRUE(bench.reports.ops.empty());
    const Deadlock& deadlock = bench.reports.deadlocks.front();
    const auto waits = [&](auto&& matches) {
        return std::any_of(deadlock.waiters.begin(), deadlock.waiters.end(), matches);
    };
    using Waiter = Deadlock::Waiter;
    using Reason = Deadlock::Reason;
    EXPECT_TRUE(waits([](const Waiter& w) { return w.external && w.tag == 9 && w.reason == Reason::banks; }));
    EXPECT_TRUE(waits([](const Waiter& w) {
        return !w.external && w.tag == 0 && w.op_class == OpClass::load && w.reason == Reason::banks;
    }));
    EXPECT_TRUE(waits([](const Waiter& w) { return w.tag == 1 && w.reason == Reason::producer && w.producer == 0; }));
    EXPECT_TRUE(waits([](const Waiter& w) { return w.barrier && w.reason == Reason::producer && w.producer == 0; }));
    EXPECT_TRUE(waits([](const Waiter& w) { return w.tag == 3 && w.reason == Reason::producer && w.producer == 2; }));

    // Nothing hangs afterwards, and a reset works.
    bench.call(p.program);
    EXPECT_EQ(bench.pipeline.finish_external(9), bench.pipeline.current());
    EXPECT_EQ(bench.reports.deadlocks.size(), 1U);
    bench.pipeline.reset();
    Programmer harmless;
    harmless.add(0, 1, 1);
    bench.call(harmless.program);
    EXPECT_EQ(bench.reports.ops.size(), 1U);
}

TEST(PipelineDeadlock, EveryMissingUnitIsFound) {
    for (int missing = 0; missing < 4; ++missing) {
        SCOPED_TRACE(missing);
        Parameters parameters = parameters_3510();
        if (missing == 0) parameters.pipeline.load_ports = 0;
        if (missing == 1) parameters.pipeline.store_ports = 0;
        if (missing == 2) parameters.pipeline.memory_issues = 0;
        if (missing == 3) parameters.pipeline.execution_units = 0;
        PipelineBench bench(parameters);
        Programmer p;
        for (unsigned i = 0; i < 100; ++i) {  // more than the queues hold
            p.load(0, 0);
            p.add(1, 0, 0);
            p.store(0x100, 1);
        }
        bench.call(p.program);
        ASSERT_EQ(bench.reports.deadlocks.size(), 1U);
        EXPECT_FALSE(bench.reports.deadlocks.front().waiters.empty());
    }
}

TEST(PipelineDeadlock, ATensorOpThatGetsNoBankIsFoundToo) {
    Parameters parameters = parameters_2201();
    parameters.ub.reads_per_group = 0;
    PipelineBench bench(parameters);
    FootprintMaker maker(parameters.ub, parameters.gather_scatter);
    Footprint rows;
    maker.make(0, 256, 256, Direction::read, rows);
    bench.pipeline.tensor_begin(Cycle(0));
    bench.pipeline.tensor_access(rows);
    bench.pipeline.tensor_iteration(rows, rows, rows);
    bench.pipeline.tensor_end();
    ASSERT_EQ(bench.reports.deadlocks.size(), 1U);
    EXPECT_TRUE(bench.reports.deadlocks.front().waiters.front().tensor);
    Timeline timeline(parameters);
    timeline.tensor_begin(Cycle(0));
    timeline.tensor_iteration(rows, rows, rows);
    timeline.tensor_end();  // comes back
}

TEST(Pipeline, LatenciesBeyondTheWheelAreKept) {
    Parameters parameters = parameters_3510();
    parameters.latency.load = 1000000;
    parameters.latency.forward_load_arithmetic = 1000000;
    PipelineBench bench(parameters);
    Programmer p;
    p.load(0, 0);
    p.add(1, 0, 0);
    bench.call(p.program);
    EXPECT_EQ(bench.reports.op(1).issue.count(), 23U + 1000000U);
    EXPECT_LT(bench.pipeline.counters().stepped_cycles, 1000U) << "idle time is free";
    EXPECT_EQ(bench.pipeline.vf_begin(Cycle(std::uint64_t{1} << 60)).count(), (std::uint64_t{1} << 60) + 22);
}

TEST(Pipeline, AnAllConflictGatherIsNotSteppedCycleByCycle) {
    PipelineBench bench(parameters_3510());
    Programmer p;
    p.gather(
        0, [](std::uint32_t lane) { return 128 * lane; }, 1, 0);
    bench.call(p.program);
    EXPECT_EQ(bench.reports.op(0).steps, 64U) << "64 rows of one sub-bank";
    EXPECT_EQ(bench.reports.op(0).sub_bank, 62U);
    EXPECT_LT(bench.pipeline.counters().stepped_cycles, 10U);
}

TEST(Pipeline, DoesNotAllocateInSteadyState) {
    struct Quiet final : PipelineListener {
        void on_op(const OpTrace&) override {}
        void on_barrier(std::uint32_t, Cycle, Cycle) override {}
        void on_external(std::uint32_t, Cycle) override {}
        void on_deadlock(const Deadlock&) override {}
    } quiet;
    const Parameters parameters = parameters_3510();
    Pipeline pipeline(parameters, quiet);
    PipelineBench maker(parameters);
    unit::Random random(3);
    const TimedProgram program = random_timed_program(random, 300, true);
    Footprint footprint;
    const auto call = [&] {
        pipeline.vf_begin(Cycle(0));
        for (const ProgramOp& op : program) {
            if (op.is_barrier) {
                pipeline.barrier(op.barrier, 0);
                continue;
            }
            maker.make(op, footprint);
            pipeline.feed(class_of(op.op), RegisterUse(op.registers), &footprint, 0);
        }
        maker.make(program.front(), footprint);
        pipeline.external(0, 0, footprint, pipeline.current());
        pipeline.vf_end();
    };
    for (int i = 0; i < 200; ++i) call();  // until every footprint has met the largest access
    const std::uint64_t before = unit::allocations();
    for (int i = 0; i < 20; ++i) call();
    EXPECT_EQ(unit::allocations(), before);
}

TEST(OpClass, NamesAreDistinct) {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < kOpClasses; ++i) EXPECT_TRUE(names.insert(name(static_cast<OpClass>(i))).second);
    EXPECT_EQ(name(OpClass::duplicate), "duplicate");
    std::set<std::string_view> causes;
    for (std::size_t i = 0; i < kCauses; ++i) EXPECT_TRUE(causes.insert(name(static_cast<Cause>(i))).second);
}

}  // namespace
}  // namespace vcore::timing
