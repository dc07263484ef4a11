// The loosely-timed pipeline against hand-computed cycles, properties over random programs, and the published periods.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "models/timing/bank_rules.hpp"
#include "models/timing/mte.hpp"
#include "models/timing/timeline.hpp"
#include "testbenches/unit/random.hpp"
#include "testbenches/unit/timing_parameters.hpp"

namespace vcore::timing {
namespace {

using isa::ElementType;

constexpr isa::MregId m0{0};

isa::VregId v(std::int64_t number) {
    return isa::VregId{number};
}

std::uint32_t bit(isa::VregId id) {
    return 1U << isa::value(id);
}

/// An op together with what a core would say about it.
struct Step {
    isa::Op op;
    isa::Operands operands;
    std::uint32_t beats = 0;
};

Step load(isa::VregId dst, std::uint32_t beats = 1) {
    isa::Load op;
    op.type = ElementType::f32;
    op.dst = dst;
    return {op, {0, bit(dst), 0, 0}, beats};
}
Step load_pair(isa::VregId low, isa::VregId high) {
    isa::Load op;
    op.type = ElementType::u64;
    op.dst = {low, high};
    return {op, {0, bit(low) | bit(high), 0, 0}, 2};
}
Step load_deinterleaved(isa::VregId even, isa::VregId odd) {
    isa::Load op;
    op.type = ElementType::f32;
    op.dst = {even, odd};
    op.mode = isa::LoadMode::dintlv_b32;
    return {op, isa::operands_of(op), 2};
}
Step move_lanes(isa::VregId dst, isa::VregId src, std::optional<isa::MregId> mask = m0) {
    const isa::Op op = isa::Move{ElementType::f32, dst, src, mask};
    return {op, isa::operands_of(op), 0};
}
Step store(isa::VregId src, std::uint32_t beats = 1) {
    isa::Store op;
    op.type = ElementType::f32;
    op.src = src;
    op.mask = m0;
    return {op, {bit(src), 0, 1, 0}, beats};
}
Step block_load(isa::VregId dst, std::uint32_t beats) {
    isa::BlockLoad op;
    op.type = ElementType::f32;
    op.dst = dst;
    return {op, {0, bit(dst), 1, 0}, beats};
}
Step block_store(isa::VregId src, std::uint32_t beats) {
    isa::BlockStore op;
    op.type = ElementType::f32;
    op.src = src;
    return {op, {bit(src), 0, 1, 0}, beats};
}
Step gather(isa::VregId dst, isa::VregId index, std::uint32_t beats) {
    isa::Gather op;
    op.dst_type = op.src_type = ElementType::f32;
    op.index_type = ElementType::u32;
    op.dst = dst;
    op.index = index;
    return {op, {bit(index), bit(dst), 1, 0}, beats};
}
Step scatter(isa::VregId src, isa::VregId index, std::uint32_t beats) {
    isa::Scatter op;
    op.type = ElementType::f32;
    op.index_type = ElementType::u32;
    op.src = src;
    op.index = index;
    return {op, {bit(src) | bit(index), 0, 1, 0}, beats};
}
Step add(isa::VregId dst, isa::VregId a, isa::VregId b, ElementType type = ElementType::f32) {
    return {isa::Add{type, dst, a, b, m0}, {bit(a) | bit(b), bit(dst), 1, 0}, 0};
}
Step adds(isa::VregId dst, isa::VregId a, ElementType type = ElementType::f32) {
    return {isa::Adds{type, dst, a, 0, m0}, {bit(a), bit(dst), 1, 0}, 0};
}
Step duplicate(isa::VregId dst) {
    return {isa::Duplicate{ElementType::f32, dst, 0}, {0, bit(dst), 0, 0}, 0};
}
Step create_mask(isa::MregId dst) {
    return {isa::CreateMask{ElementType::f32, dst, isa::MaskPattern::all},
            {0, 0, 0, static_cast<std::uint8_t>(1U << isa::value(dst))},
            0};
}
Step mask_gen(isa::MregId dst, isa::VregId src) {
    return {isa::MaskGen{ElementType::f32, dst, src, 0},
            {bit(src), 0, 0, static_cast<std::uint8_t>(1U << isa::value(dst))},
            0};
}
Step gather_register(isa::VregId dst, isa::VregId src, isa::VregId index) {
    return {isa::GatherRegister{ElementType::u32, dst, src, index}, {bit(src) | bit(index), bit(dst), 0, 0}, 0};
}

using Program = std::vector<Step>;

std::vector<OpTimes> feed(Timeline& timeline, const Program& program) {
    std::vector<OpTimes> times;
    for (const Step& step : program) times.push_back(timeline.issue(step.op, step.operands, step.beats));
    return times;
}

/// Times of a program in a fresh VF called at 0: dispatches relative to the first dispatch, issues and completions
/// relative to the first possible issue, a cycle later.
std::vector<OpTimes> alone(const Parameters& parameters, const Program& program) {
    Timeline timeline(parameters);
    const Cycle start = timeline.vf_begin(Cycle(0));
    std::vector<OpTimes> times = feed(timeline, program);
    for (OpTimes& time : times)
        time = {time.dispatch - start, time.issue - start - Cycle(1), time.complete - start - Cycle(1)};
    return times;
}

/// Cycles from call to call when a VF is called `calls` times, each as soon as the one before lets it.
double period(const Parameters& parameters, const Program& program, int calls = 1000) {
    Timeline timeline(parameters);
    Cycle now;
    for (int call = 0; call < calls; ++call) {
        timeline.vf_begin(now);
        feed(timeline, program);
        now = timeline.vf_end().dispatch;
    }
    return static_cast<double>(timeline.last_completion().count()) / calls;
}

// ---- the published measurements of `timing.md`

Program add_program(bool unrolled) {
    Program program;
    for (int i = 0; i < 64; ++i) {
        const int first = unrolled && i % 2 != 0 ? 3 : 0;
        program.push_back(load(v(first)));
        program.push_back(load(v(first + 1)));
        program.push_back(add(v(first + 2), v(first), v(first + 1)));
        program.push_back(store(v(first + 2)));
    }
    return program;
}
Program gather_program() {
    Program program;
    for (int i = 0; i < 4; ++i) {
        program.push_back(load(v(0)));
        program.push_back(gather(v(1), v(0), 2));
        program.push_back(adds(v(2), v(1)));
        program.push_back(scatter(v(2), v(0), 2));
    }
    return program;
}
Program block_program(std::uint32_t load_beats, std::uint32_t store_beats) {
    Program program;
    for (int i = 0; i < 8; ++i) {
        program.push_back(block_load(v(0), load_beats));
        program.push_back(adds(v(1), v(0)));
        program.push_back(block_store(v(1), store_beats));
    }
    return program;
}

struct Published {
    int number;
    Program program;
    double cycles;
};

TEST(Timeline, PublishedPeriodsOfAscend950) {
    const std::vector<Published> cases = {
        {1, add_program(true), 133},    {2, add_program(true), 147},   {4, add_program(true), 144},
        {6, add_program(false), 142},   {9, gather_program(), 65},     {11, block_program(1, 1), 44},
        {12, block_program(8, 8), 151}, {13, block_program(1, 1), 44},
    };
    double sum = 0;
    std::printf("case  published  modelled   error\n");
    for (const Published& published : cases) {
        const double modelled = period(parameters_3510(), published.program);
        const double error = modelled / published.cycles - 1;
        sum += std::abs(error);
        std::printf("%4d  %9.0f  %8.1f  %+5.1f %%\n", published.number, published.cycles, modelled, 100 * error);
        EXPECT_LE(std::abs(error), 0.25) << "case " << published.number;
    }
    std::printf("mean absolute error %.1f %%; conflicts between ops are not part of the loosely-timed model\n",
                100 * sum / static_cast<double>(cases.size()));
}

// ---- hand-computed cycles

TEST(Timeline, FirstOpIssuesVfStartAfterTheCall) {
    Timeline timeline(parameters_3510());
    EXPECT_EQ(timeline.vf_begin(Cycle(100)).count(), 122U);
    const OpTimes times = feed(timeline, {load(v(0))}).front();
    EXPECT_EQ(times.dispatch.count(), 122U);
    EXPECT_EQ(times.issue.count(), 123U);
    EXPECT_EQ(times.complete.count(), 132U);
    const OpTimes end = timeline.vf_end();
    EXPECT_EQ(end.complete.count(), 144U) << "drain";
    EXPECT_EQ(end.dispatch.count(), 124U) << "the next VF starts up behind the last memory issue";
    EXPECT_EQ(timeline.last_completion().count(), 144U);
}

TEST(Timeline, ForwardsResults) {
    const auto issue = [](const Program& program) { return alone(parameters_3510(), program).back().issue.count(); };
    EXPECT_EQ(issue({load(v(0)), adds(v(1), v(0))}), 6U);
    EXPECT_EQ(issue({load(v(0)), store(v(0))}), 9U);
    EXPECT_EQ(issue({adds(v(1), v(0)), adds(v(2), v(1))}), 3U);
    EXPECT_EQ(issue({adds(v(1), v(0)), store(v(1))}), 5U);
    EXPECT_EQ(issue({adds(v(1), v(0)), gather(v(2), v(1), 2)}), 3U);
    EXPECT_EQ(issue({gather(v(1), v(0), 2), adds(v(2), v(1))}), 24U);
    EXPECT_EQ(issue({gather(v(1), v(0), 2), store(v(1))}), 27U);
    EXPECT_EQ(issue({create_mask(m0), store(v(1))}), 0U) << "made in the front end";
    EXPECT_EQ(issue({gather_register(v(1), v(0), v(2)), mask_gen(m0, v(1))}), 8U);
}

TEST(Timeline, AddsBeatsBeyondTheIntervalToTheLatency) {
    const auto complete = [](const Step& step) { return alone(parameters_3510(), {step}).front().complete.count(); };
    EXPECT_EQ(complete(load(v(0), 1)), 9U);
    EXPECT_EQ(complete(load(v(0), 2)), 10U);
    EXPECT_EQ(complete(block_load(v(0), 8)), 16U);
    EXPECT_EQ(complete(gather(v(1), v(0), 2)), 27U);
    EXPECT_EQ(complete(gather(v(1), v(0), 5)), 30U);
    EXPECT_EQ(complete(gather(v(1), v(0), 0)), 27U) << "all lanes off: still the interval";
}

TEST(Timeline, DispatchesFiveOpsACycle) {
    const std::vector<OpTimes> times = alone(parameters_3510(), Program(12, adds(v(1), v(0))));
    for (std::size_t i = 0; i < times.size(); ++i) EXPECT_EQ(times[i].dispatch.count(), i / 5) << i;
}

TEST(Timeline, WaitingOpsDoNotHoldBackOthers) {
    const std::vector<OpTimes> times =
        alone(parameters_3510(), {gather(v(1), v(0), 2), store(v(1)), load(v(2)), adds(v(3), v(2)), store(v(3))});
    EXPECT_EQ(times[1].issue.count(), 27U);
    EXPECT_EQ(times[2].issue.count(), 0U);
    EXPECT_EQ(times[4].issue.count(), 11U) << "the later store overtakes the earlier one";
}

TEST(Timeline, QueuesHoldBackDispatch) {
    // A chain of Adds issues every third cycle; 26 wait for each of the two execution units.
    const std::vector<OpTimes> chain = alone(parameters_3510(), Program(100, adds(v(0), v(0))));
    for (std::size_t i = 52; i < chain.size(); ++i) ASSERT_GE(chain[i].dispatch, chain[i - 52].issue + 1) << "op " << i;
    EXPECT_EQ(chain[99].issue.count(), 3U * 99U);

    // Loads wait in the shared queue alone: 58 of them behind a barrier that takes long to reach.
    Timeline timeline(parameters_3510());
    timeline.vf_begin(Cycle(0));
    feed(timeline, {scatter(v(0), v(1), 200)});
    timeline.barrier(isa::BarrierKind::vst_vld);
    const std::vector<OpTimes> loads = feed(timeline, Program(59, load(v(2))));
    EXPECT_LT(loads[35].dispatch.count(), 100U);
    EXPECT_GE(loads[58].dispatch, loads[0].issue);

    // Two registers: one for the value of v0, one for the next; a third write waits until the second value is there.
    Parameters parameters = parameters_3510();
    parameters.pipeline.physical_registers = 2;
    const std::vector<OpTimes> writes = alone(parameters, {load(v(0)), load(v(0)), load(v(0)), load(v(0))});
    EXPECT_EQ(writes[1].dispatch.count(), 0U);
    EXPECT_EQ(writes[2].dispatch, writes[1].complete + 1);
    EXPECT_EQ(writes[3].dispatch, writes[2].complete + 1);
}

TEST(Timeline, AnAwkwardRegisterCountCannotDeadlock) {
    Parameters parameters = parameters_3510();
    for (std::uint32_t registers : {0U, 32U, 33U}) {
        parameters.pipeline.physical_registers = registers;
        const std::vector<OpTimes> times = alone(parameters, Program(10, load_pair(v(0), v(1))));
        EXPECT_GT(times.back().issue, times.front().issue);
    }
}

TEST(Timeline, IssueClassesAndPorts) {
    const auto issues = [](const Program& program) {
        std::vector<std::uint64_t> cycles;
        for (const OpTimes& time : alone(parameters_3510(), program)) cycles.push_back(time.issue.count());
        return cycles;
    };
    using Cycles = std::vector<std::uint64_t>;
    EXPECT_EQ(issues({load(v(0)), load(v(1)), load(v(2)), load(v(3))}), (Cycles{0, 0, 1, 1})) << "two loads";
    EXPECT_EQ(issues({store(v(0)), store(v(1)), load(v(2)), load(v(3))}), (Cycles{0, 1, 0, 1}))
        << "one load and one store";
    EXPECT_EQ(issues({gather(v(4), v(0), 2), scatter(v(1), v(0), 2), gather(v(5), v(0), 2)}), (Cycles{0, 1, 2}))
        << "one start a cycle, pipes overlap";
    EXPECT_EQ(issues({block_load(v(0), 1), block_load(v(1), 1), load(v(2)), load(v(3))}), (Cycles{0, 1, 0, 1}))
        << "block copies start one at a time, beside normal loads";
    EXPECT_EQ(issues({block_load(v(0), 8), load(v(2)), store(v(4)), gather(v(5), v(6), 2)}), (Cycles{0, 8, 8, 9}))
        << "a block copy of several beats is alone";
    EXPECT_EQ(issues({load_deinterleaved(v(0), v(1)), load_deinterleaved(v(2), v(3)), load(v(4)), load(v(5))}),
              (Cycles{0, 1, 0, 2}))
        << "two destinations are two destinations";
    EXPECT_EQ(issues({load_pair(v(0), v(1)), load_pair(v(2), v(3)), load(v(4)), load(v(5))}), (Cycles{0, 1, 0, 2}))
        << "a pair holds a port for two beats";
    EXPECT_EQ(issues({gather(v(4), v(0), 0), gather(v(5), v(0), 0)}), (Cycles{0, 2})) << "no lane active";
    EXPECT_EQ(issues({gather(v(4), v(0), 7), gather(v(5), v(0), 2)}), (Cycles{0, 7})) << "conflicts hold the pipe";
    EXPECT_EQ(issues({adds(v(1), v(0)), adds(v(2), v(0)), adds(v(3), v(0))}), (Cycles{0, 0, 1})) << "two units";
    const auto s32 = ElementType::s32;
    EXPECT_EQ(issues({adds(v(1), v(0), s32), adds(v(2), v(0), s32), adds(v(3), v(0), s32)}), (Cycles{0, 0, 2}));
    EXPECT_EQ(issues({duplicate(v(1)), duplicate(v(2)), adds(v(3), v(0)), adds(v(4), v(0))}), (Cycles{0, 1, 0, 1}))
        << "Duplicate only on the first unit";
    EXPECT_EQ(issues({move_lanes(v(1), v(0)), move_lanes(v(2), v(0)), move_lanes(v(3), v(0))}), (Cycles{0, 0, 1}))
        << "Move on both";
    EXPECT_EQ(issues({move_lanes(v(1), v(0)), move_lanes(v(1), v(2))}), (Cycles{0, 7})) << "what is kept must be there";
    EXPECT_EQ(issues({move_lanes(v(1), v(0)), move_lanes(v(1), v(2), std::nullopt)}), (Cycles{0, 0}))
        << "nothing is kept";
    EXPECT_EQ(issues({mask_gen(isa::MregId{1}, v(0)), mask_gen(isa::MregId{2}, v(0))}), (Cycles{0, 4}));
    EXPECT_EQ(issues({gather_register(v(1), v(0), v(0)), gather_register(v(2), v(0), v(0))}), (Cycles{0, 4}));
}

TEST(Timeline, BarriersOrderTheKindsTheyName) {
    struct Expectation {
        isa::BarrierKind kind;
        std::uint64_t load;
        std::uint64_t store;
        std::uint64_t reached;
    };
    // Before the barrier: a load that completes at 9 and a scatter that completes at 13.
    for (const Expectation& expected :
         {Expectation{isa::BarrierKind::vst_vld, 13, 1, 13}, Expectation{isa::BarrierKind::vld_vst, 0, 9, 9},
          Expectation{isa::BarrierKind::vst_vst, 0, 13, 13}, Expectation{isa::BarrierKind::vv_all, 13, 13, 13},
          Expectation{isa::BarrierKind::vs_all, 0, 1, 13}, Expectation{isa::BarrierKind::vld_st, 0, 1, 9},
          Expectation{isa::BarrierKind::st_vld, 0, 1, 0}, Expectation{isa::BarrierKind::sv_all, 0, 1, 0},
          Expectation{isa::BarrierKind::ss_all, 0, 1, 0}}) {
        SCOPED_TRACE(testing::Message() << "barrier kind " << static_cast<int>(expected.kind));
        Timeline timeline(parameters_3510());
        const Cycle start = timeline.vf_begin(Cycle(0)) + 1;
        feed(timeline, {load(v(0)), scatter(v(8), v(9), 2)});
        EXPECT_EQ((std::max(timeline.barrier(expected.kind).complete, start) - start).count(), expected.reached);
        const std::vector<OpTimes> times = feed(timeline, {load(v(1)), store(v(2))});
        EXPECT_EQ((times[0].issue - start).count(), expected.load);
        EXPECT_EQ((times[1].issue - start).count(), expected.store);
    }
}

TEST(Timeline, BackToBackCallsOverlapStartUpWithTheTail) {
    // Last memory issue: that of the last scatter, whose beats take no longer than its interval.
    const Parameters parameters = parameters_3510();
    const std::vector<OpTimes> once = alone(parameters, gather_program());
    const auto last_memory_issue = static_cast<double>(once.back().issue.count());
    const double expected = parameters.pipeline.vf_start + last_memory_issue + parameters.pipeline.vf_overlap;
    EXPECT_NEAR(period(parameters, gather_program()), expected, 0.1);
    EXPECT_NEAR(period(parameters, {}), parameters.pipeline.vf_start, 0.1) << "an empty VF costs its start-up";
}

TEST(Timeline, CallersMayLetTimePass) {
    Timeline timeline(parameters_3510());
    timeline.vf_begin(Cycle(0));
    timeline.not_before(Cycle(1000));
    EXPECT_EQ(feed(timeline, {load(v(0))}).front().dispatch.count(), 1000U);
    timeline.not_before(Cycle(500));
    EXPECT_EQ(feed(timeline, {load(v(0))}).front().dispatch.count(), 1000U);
}

TEST(Timeline, TensorOpsRunOneAfterAnother) {
    Timeline timeline(parameters_2201());
    const OpTimes first = timeline.tensor(Cycle(10), 64);
    EXPECT_EQ(first.issue.count(), 10U);
    EXPECT_EQ(first.complete.count(), 10U + 88U) << "the published 88 cycles of 64 conflict-free repeats";
    EXPECT_EQ(timeline.tensor(Cycle(20), 1).issue.count(), 98U);
    EXPECT_EQ(timeline.last_completion().count(), 98U + 25U);
}

TEST(Timeline, TensorScatterIsAFunctionOfMicroOps) {
    const auto scatter_issue = [](ElementType type, TensorScatterBeats beats) {
        Timeline timeline(parameters_3510());
        const Cycle start = timeline.vf_begin(Cycle(0)) + 1;
        return (timeline.tensor_scatter_iteration(type, beats).issue - start).count();
    };
    // b32: loads at 0, shift at 6, scatter 5 later.
    EXPECT_EQ(scatter_issue(ElementType::f32, {1, 1, 2}), 11U);
    // b16: the second offset register is loaded at 1 and shifted at 7, packed at 10.
    EXPECT_EQ(scatter_issue(ElementType::half, {1, 2, 2}), 15U);
    // Offsets of two beats a register: the second load starts at 1, its last beat is one later, and so is all behind
    // it.
    EXPECT_EQ(scatter_issue(ElementType::half, {1, 4, 2}), 16U);

    Timeline timeline(parameters_3510());
    timeline.vf_begin(Cycle(0));
    Cycle last = timeline.tensor_scatter_iteration(ElementType::half, {1, 2, 2}).issue;
    for (int i = 1; i < 20; ++i) {
        const Cycle next = timeline.tensor_scatter_iteration(ElementType::half, {1, 2, 2}).issue;
        EXPECT_GE((next - last).count(), 2U) << "two beats of the scatter pipe";
        last = next;
    }
}

TEST(Timeline, SurvivesLatenciesBeyondItsWindow) {
    Parameters parameters = parameters_3510();
    parameters.latency.load = 1000000;
    parameters.latency.forward_load_arithmetic = 1000000;
    const std::vector<OpTimes> times = alone(parameters, {load(v(0)), adds(v(1), v(0)), load(v(2)), adds(v(3), v(2))});
    EXPECT_EQ(times[1].issue.count(), 1000000U);
    EXPECT_GE(times[3].issue - times[2].issue, Cycle(1000000));
    const std::vector<OpTimes> held = alone(parameters_3510(), {gather(v(1), v(0), 100000), gather(v(2), v(0), 2)});
    EXPECT_EQ(held[1].issue.count(), 100000U);
    Timeline late(parameters_3510());
    EXPECT_EQ(late.vf_begin(Cycle(std::uint64_t{1} << 60)).count(), (std::uint64_t{1} << 60) + 22);
}

TEST(Mte, TransfersTakeLatencyPlusWholeBeats) {
    MteParameters mte;
    mte.bytes_per_cycle = 128;
    EXPECT_EQ(mte_cycles(mte, 0).count(), 0U);
    EXPECT_EQ(mte_cycles(mte, 1).count(), 1U);
    EXPECT_EQ(mte_cycles(mte, 256).count(), 2U);
    EXPECT_EQ(mte_cycles(mte, 257).count(), 3U);
    mte.latency = 100;
    EXPECT_EQ(mte_cycles(mte, 256).count(), 102U);
}

// ---- properties over random programs

Step random_step(unit::Random& random) {
    const auto any = [&] { return v(static_cast<std::int64_t>(random.below(6))); };
    const auto beats = [&](std::uint64_t most) { return static_cast<std::uint32_t>(1 + random.below(most)); };
    switch (random.below(12)) {
        case 0: return load(any());
        case 1: return load(any(), 2);
        case 2: return load_pair(v(6), v(7));
        case 3: return store(any());
        case 4: return block_load(any(), random.one_in(2) ? 1 : beats(8));
        case 5: return block_store(any(), random.one_in(2) ? 1 : beats(8));
        case 6: return gather(any(), any(), static_cast<std::uint32_t>(random.below(20)));
        case 7: return scatter(any(), any(), static_cast<std::uint32_t>(random.below(20)));
        case 8: return adds(any(), any(), random.one_in(2) ? ElementType::s32 : ElementType::f32);
        case 9: return duplicate(any());
        case 10: return create_mask(m0);
        default: return add(any(), any(), any());
    }
}

Program random_program(unit::Random& random, std::size_t length) {
    Program program;
    while (program.size() < length) program.push_back(random_step(random));
    return program;
}

bool is_gather(isa::OpKind kind) {
    return kind == isa::OpKind::gather;
}
bool is_memory_load(isa::OpKind kind) {
    return kind == isa::OpKind::load || kind == isa::OpKind::block_load;
}
bool is_memory_store(isa::OpKind kind) {
    return kind == isa::OpKind::store || kind == isa::OpKind::block_store;
}
bool is_block_copy(const Step& step) {
    return step.beats > 1 &&
           (isa::kind_of(step.op) == isa::OpKind::block_load || isa::kind_of(step.op) == isa::OpKind::block_store);
}
bool is_single_issue(const Step& step) {
    const isa::OpKind kind = isa::kind_of(step.op);
    return kind == isa::OpKind::block_load || is_memory_store(kind) || is_gather(kind) ||
           kind == isa::OpKind::scatter || (kind == isa::OpKind::load && std::get<isa::Load>(step.op).dst.pair);
}

TEST(TimelineProperty, NoCycleIsOverbooked) {
    EXPECT_TRUE(rc::check("per-cycle limits of random programs", [](std::uint64_t seed) {
        unit::Random random(seed);
        const Program program = random_program(random, 400);
        const std::vector<OpTimes> times = alone(parameters_3510(), program);
        std::map<std::uint64_t, int> loads, stores, gathers, scatters, copies, starts, units, first_units, masks,
            dispatched;
        for (std::size_t i = 0; i < program.size(); ++i) {
            const Step& step = program[i];
            const isa::OpKind kind = isa::kind_of(step.op);
            const std::uint64_t issue = times[i].issue.count();
            ++dispatched[times[i].dispatch.count()];
            if (is_single_issue(step)) ++starts[issue];
            const bool piped = is_gather(kind) || kind == isa::OpKind::scatter;
            for (std::uint64_t cycle = issue; cycle < issue + std::max(piped ? 2U : 1U, step.beats); ++cycle) {
                if (is_memory_load(kind)) ++loads[cycle];
                if (is_memory_store(kind)) ++stores[cycle];
                if (is_gather(kind)) ++gathers[cycle];
                if (kind == isa::OpKind::scatter) ++scatters[cycle];
                if (is_block_copy(step)) ++copies[cycle];
            }
            if (kind == isa::OpKind::duplicate) ++first_units[issue];
            const bool integer = kind == isa::OpKind::adds && std::get<isa::Adds>(step.op).type == ElementType::s32;
            if (kind == isa::OpKind::create_mask) ++masks[issue];
            if (kind == isa::OpKind::duplicate || kind == isa::OpKind::add || kind == isa::OpKind::adds)
                for (std::uint64_t cycle = issue; cycle <= issue + (integer ? 1 : 0); ++cycle) ++units[cycle];
        }
        for (const auto& [cycle, count] : dispatched) RC_ASSERT(count <= 5);
        for (const auto& [cycle, count] : loads) RC_ASSERT(count + stores[cycle] <= 2);
        for (const auto& [cycle, count] : stores) RC_ASSERT(count <= 1);
        for (const auto& [cycle, count] : gathers) RC_ASSERT(count <= 1);
        for (const auto& [cycle, count] : scatters) RC_ASSERT(count <= 1);
        for (const auto& [cycle, count] : starts) RC_ASSERT(count <= 1);
        for (const auto& [cycle, count] : units) RC_ASSERT(count <= 2);
        for (const auto& [cycle, count] : first_units) RC_ASSERT(count <= 1);
        for (const auto& [cycle, count] : masks) RC_ASSERT(count <= 1);
        for (const auto& [cycle, count] : copies) {
            RC_ASSERT(count == 1);
            RC_ASSERT(loads[cycle] + stores[cycle] == 1);
            RC_ASSERT(gathers[cycle] + scatters[cycle] == 0);
        }
    }));
}

TEST(TimelineProperty, OpsWaitForOperandsAndQueues) {
    EXPECT_TRUE(rc::check("operands and queues of random programs", [](std::uint64_t seed) {
        unit::Random random(seed);
        const Program program = random_program(random, 400);
        const std::vector<OpTimes> times = alone(parameters_3510(), program);
        std::map<int, std::size_t> writer;  // by register, masks from 32 on
        std::vector<Cycle> freed;           // when a replaced value's register becomes free again
        std::set<int> written;              // vector registers that hold a value of this VF
        for (std::size_t i = 0; i < program.size(); ++i) {
            const isa::Operands& operands = program[i].operands;
            const isa::OpKind kind = isa::kind_of(program[i].op);
            RC_ASSERT(times[i].issue >= times[i].dispatch);  // a cycle later, by the meaning of alone()
            if (i > 0) RC_ASSERT(times[i].dispatch >= times[i - 1].dispatch);
            for (int number = 0; number < 40; ++number) {
                const bool reads = number < 32 ? ((operands.vector_reads >> number) & 1U) != 0
                                               : ((operands.mask_reads >> (number - 32)) & 1U) != 0;
                if (!reads) continue;
                const auto found = writer.find(number);
                if (found == writer.end()) continue;
                // What forwarding saves: Add to Add 4 cycles, Add to store 2, load or gather to arithmetic 3.
                const isa::OpKind from = isa::kind_of(program[found->second].op);
                const bool adds_up = from == isa::OpKind::add || from == isa::OpKind::adds;
                const bool loads = is_memory_load(from) || is_gather(from);
                const bool stores = is_memory_store(kind) || kind == isa::OpKind::scatter;
                std::uint64_t saved = 0;
                if (number < 32 && adds_up) saved = stores ? 2 : 4;
                if (number < 32 && loads && !stores) saved = 3;
                RC_ASSERT(times[i].issue.count() + saved >= times[found->second].complete.count());
            }
            // An entry and a physical register are free from the cycle of the issue, or completion, on.
            std::size_t waiting = 0;
            std::size_t waiting_for_execution = 0;
            const auto executes = [](isa::OpKind k) {
                return k == isa::OpKind::add || k == isa::OpKind::adds || k == isa::OpKind::duplicate;
            };
            for (std::size_t j = i > 100 ? i - 100 : 0; j < i; ++j) {
                if (times[j].issue + 1 <= times[i].dispatch) continue;
                if (isa::kind_of(program[j].op) == isa::OpKind::create_mask) continue;  // takes no entry
                ++waiting;
                waiting_for_execution += executes(isa::kind_of(program[j].op)) ? 1 : 0;
            }
            if (kind != isa::OpKind::create_mask) RC_ASSERT(waiting < 58U);
            if (executes(kind)) RC_ASSERT(waiting_for_execution < 52U);
            const auto replaced =
                std::count_if(freed.begin(), freed.end(), [&](auto c) { return c > times[i].dispatch; });
            const auto wanted = static_cast<std::size_t>(__builtin_popcount(operands.vector_writes));
            RC_ASSERT(static_cast<std::size_t>(replaced) + written.size() + wanted <= 68U);
            for (int number = 0; number < 40; ++number) {
                const bool writes = number < 32 ? ((operands.vector_writes >> number) & 1U) != 0
                                                : ((operands.mask_writes >> (number - 32)) & 1U) != 0;
                if (!writes) continue;
                if (number < 32 && !written.insert(number).second) freed.push_back(times[i].complete + 1);
                writer[number] = i;
            }
        }
    }));
}

TEST(TimelineProperty, ResetForgetsEverything) {
    EXPECT_TRUE(rc::check("a reset timeline equals a new one", [](std::uint64_t seed) {
        unit::Random random(seed);
        Timeline used(parameters_3510());
        used.vf_begin(Cycle(random.below(1000)));
        feed(used, random_program(random, 200));
        used.barrier(isa::BarrierKind::vv_all);
        if (random.one_in(2)) used.vf_end();
        used.reset();
        RC_ASSERT(used.last_completion() == Cycle(0));
        Timeline fresh(parameters_3510());
        const Program program = random_program(random, 200);
        RC_ASSERT(used.vf_begin(Cycle(5)) == fresh.vf_begin(Cycle(5)));
        const std::vector<OpTimes> again = feed(used, program);
        const std::vector<OpTimes> expected = feed(fresh, program);
        for (std::size_t i = 0; i < program.size(); ++i) {
            RC_ASSERT(again[i].dispatch == expected[i].dispatch);
            RC_ASSERT(again[i].issue == expected[i].issue);
            RC_ASSERT(again[i].complete == expected[i].complete);
        }
        RC_ASSERT(used.vf_end().complete == fresh.vf_end().complete);
    }));
}

/// Every op reads what the one before wrote: no freedom in the order, so more latency can never help. (Among
/// independent ops it can: greedy scheduling may fill the gap that a delay leaves.)
TEST(TimelineProperty, AddedLatencyNeverSpeedsUpAChain) {
    EXPECT_TRUE(rc::check("chains under added latency", [](std::uint64_t seed) {
        unit::Random random(seed);
        Program chain;
        for (int i = 0; i < 200; ++i) {
            switch (random.below(3)) {
                case 0: chain.push_back(gather(v(0), v(0), static_cast<std::uint32_t>(random.below(8)))); break;
                case 1: chain.push_back(adds(v(0), v(0))); break;
                default: chain.push_back(add(v(0), v(0), v(0), ElementType::s32)); break;
            }
        }
        Program slower_chain = chain;
        for (Step& step : slower_chain)
            if (is_gather(isa::kind_of(step.op))) step.beats += static_cast<std::uint32_t>(random.below(3));
        Parameters slower = parameters_3510();
        const auto more = [&](std::uint32_t& cycles) { cycles += static_cast<std::uint32_t>(random.below(5)); };
        more(slower.latency.gather);
        more(slower.latency.add);
        more(slower.latency.forward_add_add);
        const std::vector<OpTimes> before = alone(parameters_3510(), chain);
        const std::vector<OpTimes> after = alone(slower, slower_chain);
        for (std::size_t i = 0; i < chain.size(); ++i) {
            RC_ASSERT(after[i].issue >= before[i].issue);
            RC_ASSERT(after[i].dispatch >= before[i].dispatch);
        }
        RC_ASSERT(after.back().complete >= before.back().complete);
    }));
}

}  // namespace
}  // namespace vcore::timing
