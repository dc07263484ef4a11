// Workloads of the approximately-timed mode: what a simulated cycle costs.

#include <cstring>
#include <memory>
#include <utility>

#include <systemc>

#include "models/engine/core.hpp"
#include "platforms/products.hpp"
#include "platforms/top.hpp"
#include "testbenches/benchmarks/workloads.hpp"
#include "testbenches/runner/trace.hpp"
#include "tlm/op_extension.hpp"
#include "tlm/sockets.hpp"

namespace vcore::benchmarks {

namespace {

using isa::ElementType;
using isa::MregId;
using isa::UbAddress;
using isa::VregId;
using Ops = std::vector<isa::Op>;

constexpr std::uint32_t kUbBytes = 256 * 1024;

isa::Op load(int dst, std::int64_t address) {
    return isa::Load{ElementType::f32, VregId(dst), UbAddress(address)};
}

/// Case 6 of the published measurements: Add of `repeats` (64) times 64 floats in one vector function, at most 320.
Ops case_6(int repeats) {
    Ops ops{isa::VfBegin{}, isa::CreateMask{ElementType::f32, MregId{0}, isa::MaskPattern::all}};
    const std::int64_t second = repeats <= 64 ? 0x5000 : 0x14000;
    for (int i = 0; i < repeats; ++i) {
        const std::int64_t at = i * 256;
        ops.push_back(load(0, at));
        ops.push_back(load(1, second + at));
        ops.push_back(isa::Add{ElementType::f32, VregId{2}, VregId{0}, VregId{1}, MregId{0}});
        ops.push_back(isa::Store{ElementType::f32, UbAddress(2 * second + at), VregId{2}, MregId{0}});
    }
    ops.emplace_back(isa::VfEnd{});
    return ops;
}

/// 64 gathers of 128 halves by the indices at 0 or 0x100: those that differ by 0 conflict with nobody, those of 256
/// are all in rows of one sub-bank of one group.
Ops gathers(std::int64_t indices) {
    Ops ops{isa::VfBegin{}, isa::CreateMask{ElementType::half, MregId{0}, isa::MaskPattern::all},
            isa::Load{ElementType::u16, VregId{0}, UbAddress(indices)}};
    for (int i = 0; i < 64; ++i) {
        isa::Gather gather;
        gather.dst_type = gather.src_type = ElementType::half;
        gather.index_type = ElementType::u16;
        gather.dst = VregId{1};
        gather.index = VregId{0};
        gather.mask = MregId{0};
        gather.base = UbAddress{0x400};
        ops.emplace_back(gather);
    }
    ops.emplace_back(isa::VfEnd{});
    return ops;
}

/// What every UB holds: indices for gathers() at 0 and 0x100, and finite floats elsewhere.
std::vector<std::byte> content() {
    std::vector<std::byte> bytes(kUbBytes, std::byte{0x3F});
    for (std::uint16_t lane = 0; lane < 128; ++lane) {
        const std::uint16_t indices[2] = {lane, static_cast<std::uint16_t>(lane * 256)};
        std::memcpy(&bytes[2U * lane], &indices[0], 2);
        std::memcpy(&bytes[0x100 + 2U * lane], &indices[1], 2);
    }
    return bytes;
}

class Issuer {
public:
    virtual ~Issuer() = default;
    /// Performs an op in place and returns the cycle in which the next can dispatch.
    virtual std::uint64_t issue(const isa::Op& op) = 0;
};

/// The engine without SystemC.
class EngineIssuer final : public Issuer {
public:
    explicit EngineIssuer(engine::TimingListener* listener = nullptr) {
        const std::vector<std::byte> bytes = content();
        std::memcpy(storage_.ub_bytes(), bytes.data(), kUbBytes);
        core_.mark_written(0, kUbBytes);
        core_.set_listener(listener);
    }
    std::uint64_t issue(const isa::Op& op) override {
        isa::Op performed = op;
        const engine::OpResult result = core_.issue(performed, 1, now_);
        if (result.response != isa::Response::ok) fail("the engine refused an op");
        now_ = result.dispatch;
        return now_.count();
    }

private:
    engine::Configuration configuration_ = platforms::load_product("ascend950");
    engine::Storage storage_{configuration_};
    engine::Core core_{configuration_, storage_.registers(), storage_.ub(), engine::Mode::approximately_timed};
    timing::Cycle now_;
};

/// The platform top, through its op socket.
class TopIssuer final : public sc_core::sc_module, public Issuer {
public:
    platforms::Top top{"top", platforms::load_product("ascend950"), engine::Mode::approximately_timed};
    transport::OpInitiatorSocket<TopIssuer> ops{"ops"};

    explicit TopIssuer(sc_core::sc_module_name name) : sc_module(name) {
        ops.bind(top.core.op_socket);
        payload_.set_command(tlm::TLM_IGNORE_COMMAND);
    }
    ~TopIssuer() override { payload_.clear_extension(&extension_); }

    /// After elaboration.
    void start() {
        payload_.set_extension(&extension_);
        std::vector<std::byte> bytes = content();
        tlm::tlm_generic_payload fill;
        fill.set_write();
        fill.set_address(0);
        fill.set_data_ptr(reinterpret_cast<unsigned char*>(bytes.data()));
        fill.set_data_length(kUbBytes);
        if (top.ub.transport_dbg(fill) != kUbBytes) fail("cannot fill the UB");
    }
    std::uint64_t issue(const isa::Op& op) override {
        extension_.descriptor.op = op;
        ops->b_transport(payload_, local_);
        if (!payload_.is_response_ok()) fail("the model refused an op");
        return extension_.descriptor.dispatch_cycle;
    }

private:
    tlm::tlm_generic_payload payload_;
    transport::OpExtension extension_;
    sc_core::sc_time local_;
};

/// Goes through ops again and again.
class Loop {
public:
    Loop(Issuer& issuer, Ops ops) : issuer_(issuer), ops_(std::move(ops)) {}

    /// At least `cycles` of simulated time; what is too much is done less by the next call. Precondition: the issuer is
    /// this loop's alone.
    void run_cycles(std::uint64_t cycles) {
        wanted_ += cycles;
        const std::uint64_t before = done_;
        step();
        done_ = before;  // simulated time may have passed between the calls
        while (done_ < wanted_) step();
    }
    void run_ops(std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) step();
    }
    void run_vector_functions(std::uint64_t count) { run_ops(count * ops_.size()); }

private:
    void step() {
        const std::uint64_t now = issuer_.issue(ops_[next_]);
        done_ += now - last_;
        last_ = now;
        next_ = next_ + 1 == ops_.size() ? 0 : next_ + 1;
    }

    Issuer& issuer_;
    Ops ops_;
    std::size_t next_ = 0;
    std::uint64_t last_ = 0;
    std::uint64_t wanted_ = 0;
    std::uint64_t done_ = 0;
};

struct TimedBench {
    runner::Trace trace;
    TopIssuer top{"timed"};
    EngineIssuer engine;
    EngineIssuer traced{&trace};
    EngineIssuer gatherer;
    EngineIssuer half_runner;
    EngineIssuer long_runner;
    Loop engine_once{engine, case_6(64)};
    Loop engine_half{half_runner, case_6(160)};
    Loop engine_long{long_runner, case_6(320)};
    Loop engine_traced{traced, case_6(64)};
    Loop top_loop{top, case_6(64)};
    Loop gathers_apart{gatherer, gathers(0)};
    Loop gathers_together{gatherer, gathers(0x100)};
};

}  // namespace

std::function<void()> add_timed_workloads(std::vector<Workload>& workloads) {
    static TimedBench bench;
    const auto add = [&](const char* name, Loop& loop) {
        workloads.push_back({name, [&loop](std::uint64_t count) { loop.run_cycles(count); }});
    };
    add("at_engine/case6", bench.engine_once);
    add("at_engine/case6_traced", bench.engine_traced);
    add("at_top/case6", bench.top_loop);
    const auto add_ops = [&](const char* name, Loop& loop) {
        workloads.push_back({name, [&loop](std::uint64_t count) { loop.run_ops(count); }});
    };
    add_ops("at_length/half", bench.engine_half);
    add_ops("at_length/full", bench.engine_long);
    const auto add_gathers = [&](const char* name, Loop& loop) {
        workloads.push_back({name, [&loop](std::uint64_t count) { loop.run_vector_functions((count + 63) / 64); }});
    };
    add_gathers("at_gather/no_conflict", bench.gathers_apart);
    add_gathers("at_gather/all_conflict", bench.gathers_together);
    workloads.push_back({"at_idle_microseconds", [](std::uint64_t count) {
                             if (count > 0) sc_core::sc_start(static_cast<double>(count), sc_core::SC_US);
                         }});
    return [] { bench.top.start(); };
}

}  // namespace vcore::benchmarks
