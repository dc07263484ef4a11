// Programs for the timing models, and a listener that keeps what it is told.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "models/isa/access.hpp"
#include "models/timing/bank_rules.hpp"
#include "models/timing/footprint.hpp"
#include "models/timing/pipeline.hpp"
#include "models/timing/timeline.hpp"
#include "testbenches/unit/random.hpp"
#include "testbenches/unit/timing_parameters.hpp"

namespace vcore::timing {

/// One op of a VF, for both models: the op decides kind and type, `registers` what it reads and writes.
struct ProgramOp {
    enum class Access { none, contiguous, blocks, indexed };
    isa::Op op;
    isa::Operands registers;
    Direction direction = Direction::read;
    Access access = Access::none;
    isa::ContiguousAccess contiguous{};
    isa::BlockAccess blocks{};
    isa::IndexedAccess indexed{};
    std::uint32_t lanes_per_beat = 32;
    bool is_barrier = false;
    isa::BarrierKind barrier{};
};
using TimedProgram = std::vector<ProgramOp>;

/// Shorthand for the ops of the published cases; registers by number.
class Programmer {
public:
    TimedProgram program;

    void load(std::uint32_t address, unsigned dst, std::uint32_t bytes = 256) {
        ProgramOp& op = contiguous(address, bytes, Direction::read);
        isa::Load load;
        load.type = isa::ElementType::f32;
        op.op = load;
        op.registers.vector_writes = 1U << dst;
    }
    void store(std::uint32_t address, unsigned src, std::uint32_t bytes = 256) {
        ProgramOp& op = contiguous(address, bytes, Direction::write);
        op.op = isa::Store{};
        op.registers.vector_reads = 1U << src;
    }
    void load_pair(std::uint32_t address, unsigned low, unsigned high) {
        ProgramOp& op = contiguous(address, 512, Direction::read);
        isa::Load load;
        load.type = isa::ElementType::u64;
        load.dst = {isa::VregId{low}, isa::VregId{high}};
        op.op = load;
        op.registers.vector_writes = 1U << low | 1U << high;
    }
    void block_load(std::uint32_t address, std::uint32_t stride, unsigned dst) {
        ProgramOp& op = blocks(address, stride, Direction::read);
        op.op = isa::BlockLoad{};
        op.registers.vector_writes = 1U << dst;
    }
    void block_store(std::uint32_t address, std::uint32_t stride, unsigned src) {
        ProgramOp& op = blocks(address, stride, Direction::write);
        op.op = isa::BlockStore{};
        op.registers.vector_reads = 1U << src;
    }
    void add(unsigned dst, unsigned a, unsigned b, isa::ElementType type = isa::ElementType::f32) {
        ProgramOp& op = next();
        isa::Add sum;
        sum.type = type;
        op.op = sum;
        op.registers.vector_reads = 1U << a | 1U << b;
        op.registers.vector_writes = 1U << dst;
    }
    void duplicate(unsigned dst) {
        ProgramOp& op = next();
        op.op = isa::Duplicate{};
        op.registers.vector_writes = 1U << dst;
    }
    void create_mask(unsigned dst) {
        ProgramOp& op = next();
        op.op = isa::CreateMask{};
        op.registers.mask_writes = static_cast<std::uint8_t>(1U << dst);
    }
    void mask_gen(unsigned dst, unsigned src) {
        ProgramOp& op = next();
        op.op = isa::MaskGen{};
        op.registers.vector_reads = 1U << src;
        op.registers.mask_writes = static_cast<std::uint8_t>(1U << dst);
    }
    void gather_register(unsigned dst, unsigned src, unsigned index) {
        ProgramOp& op = next();
        op.op = isa::GatherRegister{};
        op.registers.vector_reads = 1U << src | 1U << index;
        op.registers.vector_writes = 1U << dst;
    }
    void mask_load(std::uint32_t address, unsigned dst) {
        ProgramOp& op = contiguous(address, 32, Direction::read);
        op.op = isa::MaskLoad{};
        op.registers.mask_writes = static_cast<std::uint8_t>(1U << dst);
    }
    void mask_store(std::uint32_t address, unsigned src) {
        ProgramOp& op = contiguous(address, 32, Direction::write);
        op.op = isa::MaskStore{};
        op.registers.mask_reads = static_cast<std::uint8_t>(1U << src);
    }
    /// `lanes` lanes of 32 bits, lane i at base + 4 * index(i).
    using Index = std::function<std::uint32_t(std::uint32_t lane)>;
    void gather(std::uint32_t base, const Index& index, unsigned dst, unsigned indices, std::uint16_t lanes = 64) {
        ProgramOp& op = indexed(base, index, lanes, Direction::read);
        op.op = isa::Gather{};
        op.registers.vector_reads = 1U << indices;
        op.registers.vector_writes = 1U << dst;
    }
    void scatter(std::uint32_t base, const Index& index, unsigned src, unsigned indices, std::uint16_t lanes = 64) {
        ProgramOp& op = indexed(base, index, lanes, Direction::write);
        op.op = isa::Scatter{};
        op.registers.vector_reads = 1U << src | 1U << indices;
    }
    void gather_block(const Index& address, unsigned dst, unsigned indices) {
        ProgramOp& op = indexed(0, address, 8, Direction::read);
        op.op = isa::GatherBlock{};
        op.indexed.element_bytes = 32;
        for (std::uint32_t lane = 0; lane < 8; ++lane) op.indexed.address[lane] = address(lane);
        op.registers.vector_reads = 1U << indices;
        op.registers.vector_writes = 1U << dst;
    }
    void barrier(isa::BarrierKind kind) {
        ProgramOp& op = next();
        op.is_barrier = true;
        op.barrier = kind;
    }

private:
    ProgramOp& next() {
        program.emplace_back();
        return program.back();
    }
    ProgramOp& contiguous(std::uint32_t address, std::uint32_t bytes, Direction direction) {
        ProgramOp& op = next();
        op.access = ProgramOp::Access::contiguous;
        op.direction = direction;
        op.contiguous.address = address;
        op.contiguous.bytes = bytes;
        return op;
    }
    ProgramOp& blocks(std::uint32_t address, std::uint32_t stride, Direction direction) {
        ProgramOp& op = next();
        op.access = ProgramOp::Access::blocks;
        op.direction = direction;
        op.blocks = {address, stride * 32, 0xFF};
        return op;
    }
    ProgramOp& indexed(std::uint32_t base, const Index& index, std::uint16_t lanes, Direction direction) {
        ProgramOp& op = next();
        op.access = ProgramOp::Access::indexed;
        op.direction = direction;
        isa::IndexedAccess& access = op.indexed;
        access.base = base;
        access.element_bytes = 4;
        access.lanes = lanes;
        access.low = ~0U;
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            access.active[lane / 64] |= std::uint64_t{1} << (lane % 64);
            access.address[lane] = base + 4 * index(lane);
            access.low = std::min(access.low, access.address[lane]);
            access.high = std::max(access.high, access.address[lane] + 4);
        }
        return op;
    }
};

/// Any op, with operands among the first registers so that ops depend on one another, and addresses that meet.
inline void add_random_op(unit::Random& random, Programmer& p) {
    const auto reg = [&] { return static_cast<unsigned>(random.below(6)); };
    const auto address = [&] {
        return static_cast<std::uint32_t>(random.below(64) * 256 + (random.one_in(4) ? 32 : 0));
    };
    const std::uint32_t spread = random.pick({1U, 2U, 64U, 128U});
    const std::uint64_t salt = random.bits();
    const Programmer::Index index = [&](std::uint32_t lane) {
        unit::Random of_lane(salt + lane);
        return static_cast<std::uint32_t>(of_lane.below(64) * spread);
    };
    const auto stride = [&] { return random.pick({0U, 1U, 1U, 2U, 4U, 8U}); };
    switch (random.below(20)) {
        case 0:
        case 1:
        case 2: return p.load(address(), reg());
        case 3:
        case 4: return p.store(address(), reg());
        case 5: return p.load_pair(address(), 6, 7);
        case 6: return p.block_load(address(), stride(), reg());
        case 7: return p.block_store(address(), stride(), reg());
        case 8:
        case 9: return p.gather(address(), index, reg(), reg(), random.pick<std::uint16_t>({16, 32, 64}));
        case 10: return p.scatter(address(), index, reg(), reg(), random.pick<std::uint16_t>({16, 32, 64}));
        case 11: return p.gather_block([&](std::uint32_t lane) { return 32 * index(lane); }, reg(), reg());
        case 12: return p.duplicate(reg());
        case 13: return p.create_mask(reg());
        case 14: return p.mask_gen(reg(), reg());
        case 15: return p.gather_register(reg(), reg(), reg());
        case 16: return p.mask_load(address(), reg());
        case 17: return p.mask_store(address(), reg());
        default:
            return p.add(reg(), reg(), reg(),
                         random.pick({isa::ElementType::f32, isa::ElementType::half, isa::ElementType::s32}));
    }
}

inline TimedProgram random_timed_program(unit::Random& random, std::size_t length, bool with_barriers) {
    Programmer p;
    while (p.program.size() < length) {
        if (with_barriers && random.one_in(25)) {
            p.barrier(static_cast<isa::BarrierKind>(random.below(isa::kBarrierKinds)));
        } else {
            add_random_op(random, p);
        }
    }
    return p.program;
}

/// Everything that a pipeline has reported.
class Reports final : public PipelineListener {
public:
    struct External {
        std::uint32_t id;
        Cycle complete;
    };
    std::vector<OpTrace> ops;  // in the order of the reports
    std::vector<External> externals;
    std::vector<Cycle> barriers;
    std::vector<Deadlock> deadlocks;

    void on_op(const OpTrace& op) override { ops.push_back(op); }
    void on_barrier(std::uint32_t, Cycle, Cycle reached) override { barriers.push_back(reached); }
    void on_external(std::uint32_t id, Cycle complete) override { externals.push_back({id, complete}); }
    void on_deadlock(const Deadlock& deadlock) override { deadlocks.push_back(deadlock); }

    const OpTrace& op(std::uint32_t tag) const {
        return *std::find_if(ops.begin(), ops.end(), [&](const OpTrace& one) { return one.tag == tag; });
    }
    Cycle external(std::uint32_t id) const {
        return std::find_if(externals.begin(), externals.end(), [&](const External& one) { return one.id == id; })
            ->complete;
    }
};

/// Feeds programs to a pipeline; the tag of an op is its place in the program.
class PipelineBench {
public:
    explicit PipelineBench(const Parameters& parameters)
        : pipeline(parameters, reports), maker_(parameters.ub, parameters.gather_scatter) {}

    Reports reports;
    Pipeline pipeline;

    void feed(const ProgramOp& op, std::uint32_t tag) {
        if (op.is_barrier) {
            pipeline.barrier(op.barrier, tag);
            return;
        }
        make(op, footprint_);
        pipeline.feed(class_of(op.op), RegisterUse(op.registers),
                      op.access == ProgramOp::Access::none ? nullptr : &footprint_, tag);
    }
    void feed(const TimedProgram& program) {
        for (std::size_t i = 0; i < program.size(); ++i) feed(program[i], static_cast<std::uint32_t>(i));
    }
    Pipeline::VfTimes call(const TimedProgram& program, Cycle now = Cycle(0)) {
        pipeline.vf_begin(now);
        feed(program);
        return pipeline.vf_end();
    }
    void make(const ProgramOp& op, Footprint& footprint) {
        switch (op.access) {
            case ProgramOp::Access::none: footprint.clear(); break;
            case ProgramOp::Access::contiguous: maker_.make(op.contiguous, op.direction, footprint); break;
            case ProgramOp::Access::blocks: maker_.make(op.blocks, op.direction, footprint); break;
            case ProgramOp::Access::indexed: maker_.make(op.indexed, op.lanes_per_beat, op.direction, footprint); break;
        }
    }
    void external(std::uint32_t id, std::uint32_t channel, Direction direction, std::uint32_t address,
                  std::uint32_t bytes, Cycle at, std::uint32_t rate = 128) {
        maker_.make(address, bytes, rate, direction, footprint_);
        pipeline.external(id, channel, footprint_, at);
    }

private:
    FootprintMaker maker_;
    Footprint footprint_;
};

/// The same programs on the loosely-timed timeline.
class TimelineBench {
public:
    explicit TimelineBench(const Parameters& parameters)
        : timeline(parameters), rules_(parameters.ub, parameters.gather_scatter), counters_(rules_.make_counters()) {}

    Timeline timeline;

    OpTimes feed(const ProgramOp& op) {
        if (op.is_barrier) return timeline.barrier(op.barrier);
        return timeline.issue(op.op, op.registers, beats(op));
    }
    OpTimes call(const TimedProgram& program, Cycle now = Cycle(0)) {
        timeline.vf_begin(now);
        for (const ProgramOp& op : program) feed(op);
        return timeline.vf_end();
    }

private:
    std::uint32_t beats(const ProgramOp& op) {
        switch (op.access) {
            case ProgramOp::Access::none: break;
            case ProgramOp::Access::contiguous: return rules_.cost(op.contiguous, op.direction, counters_).beats;
            case ProgramOp::Access::blocks: return rules_.cost(op.blocks, op.direction, counters_).beats;
            case ProgramOp::Access::indexed:
                return rules_.cost(op.indexed, op.lanes_per_beat, op.direction, counters_).beats;
        }
        return 0;
    }

    BankRules rules_;
    BankCounters counters_;
};

// ---- loop bodies of the published measurements (`timing.md` "Published measurements to reproduce")

inline TimedProgram published_add(std::uint32_t src0, std::uint32_t src1, std::uint32_t dst, bool unrolled) {
    Programmer p;
    const auto repeat = [&](std::uint32_t i, unsigned first) {
        p.load(src0 + 256 * i, first);
        p.load(src1 + 256 * i, first + 1);
        p.add(first + 2, first, first + 1);
        p.store(dst + 256 * i, first + 2);
    };
    for (std::uint32_t i = 0; i < 32; ++i) {
        if (unrolled) {
            repeat(i, 0);
            repeat(32 + i, 3);
        } else {
            repeat(2 * i, 0);
            repeat(2 * i + 1, 0);
        }
    }
    return p.program;
}

inline TimedProgram published_dependent_adds(int adds) {
    Programmer p;
    for (std::uint32_t i = 0; i < 64; ++i) {
        p.load(256 * i, 0);
        p.load(0x5000 + 256 * i, 1);
        for (int k = 0; k < adds; ++k) p.add(0, 0, 0);
        p.add(2, 0, 1);
        p.store(0xA000 + 256 * i, 2);
    }
    return p.program;
}

inline TimedProgram published_gather(bool alternating) {
    Programmer p;
    for (std::uint32_t i = 0; i < 4; ++i) {
        const auto index = [&](std::uint32_t lane) { return alternating ? lane % 2 * 128 : 64 * i + lane; };
        p.load(256 * i, 0);
        p.gather(0x400, index, 1, 0);
        p.add(2, 1, 1);
        p.scatter(0x400, index, 2, 0);
    }
    return p.program;
}

inline TimedProgram published_block_copy(std::uint32_t load_stride, std::uint32_t store_stride, std::uint32_t repeat) {
    Programmer p;
    for (std::uint32_t i = 0; i < 8; ++i) {
        p.block_load(repeat * i, load_stride, 0);
        p.add(1, 0, 0);
        p.block_store(0x4100 + repeat * i, store_stride, 1);
    }
    return p.program;
}

}  // namespace vcore::timing
