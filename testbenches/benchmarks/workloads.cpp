#include "testbenches/benchmarks/workloads.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include "models/engine/core.hpp"
#include "models/isa/executor.hpp"
#include "platforms/products.hpp"
#include "platforms/top.hpp"
#include "tlm/op_extension.hpp"
#include "tlm/sockets.hpp"

namespace vcore::benchmarks {

namespace {

constexpr std::size_t kBufferBytes = 256 * 1024;
constexpr std::size_t kIndexRegisters = 16;
constexpr std::size_t kLanes = 128;
constexpr std::uint64_t kOpsPerVf = 64;
constexpr isa::VregId kDestination{31};
constexpr isa::MregId kMask{0};

enum class Pattern { random, sequential, masked };

std::size_t active_lanes(Pattern pattern) {
    return pattern == Pattern::masked ? kLanes / 2 : kLanes;
}

using IndexRegister = std::array<std::uint16_t, kLanes>;

std::array<IndexRegister, kIndexRegisters> make_indices(Pattern pattern) {
    std::array<IndexRegister, kIndexRegisters> registers;
    std::mt19937 random(1);
    for (std::size_t r = 0; r < kIndexRegisters; ++r) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const bool sequential = pattern == Pattern::sequential;
            registers[r][lane] = static_cast<std::uint16_t>(sequential ? r * kLanes + lane : random());
        }
    }
    return registers;
}

/// What a person writes without a model: a bounds check per lane, no masks, no types. Aligned, because where so short a
/// loop falls decides a quarter of its time, and everything else is measured by it.
__attribute__((noinline, aligned(64))) bool native_gather(const std::byte* buffer, std::size_t size, std::size_t base,
                                                          const std::uint16_t* index, std::size_t lanes,
                                                          std::uint16_t* destination) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        const std::size_t address = base + index[lane] * sizeof(std::uint16_t);
        if (address + sizeof(std::uint16_t) > size) return false;
        std::memcpy(&destination[lane], buffer + address, sizeof(std::uint16_t));
    }
    return true;
}

// Ops are made in place, where they are used: a copy of what has just been written field by field waits for the stores.
void make_gather(isa::Op& op, std::uint64_t i) {
    auto& gather = op.emplace<isa::Gather>();
    gather.dst_type = gather.src_type = isa::ElementType::half;
    gather.index_type = isa::ElementType::u16;
    gather.dst = kDestination;
    gather.index = isa::VregId(static_cast<std::int64_t>(i % kIndexRegisters));
    gather.mask = kMask;
}

void make_load(isa::Op& op, std::uint64_t i) {
    auto& load = op.emplace<isa::Load>();
    load.type = isa::ElementType::b8;
    load.dst = kDestination;
    load.address = isa::UbAddress(static_cast<std::int64_t>(i % 512 * isa::kVectorBytes));
}

/// Registers as the workloads want them: indices in v0..v15, active lanes in m0.
void set_registers(const isa::Registers& registers, const std::array<IndexRegister, kIndexRegisters>& indices,
                   std::size_t lanes) {
    for (std::size_t r = 0; r < kIndexRegisters; ++r) {
        std::memcpy(registers.vector[r].bytes.data(), indices[r].data(), isa::kVectorBytes);
    }
    registers.mask[0] = isa::MaskRegister{};
    for (std::size_t bit = 0; bit < lanes * sizeof(std::uint16_t); ++bit) registers.mask[0].set_bit(bit);
}

/// A plain memory, as small as a TLM target can be: the yardstick for the op socket.
class PlainMemory : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<PlainMemory> socket{"socket"};

    explicit PlainMemory(sc_core::sc_module_name name) : sc_module(name), bytes_(kBufferBytes) {
        socket.register_b_transport(this, &PlainMemory::b_transport);
    }

private:
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
        if (payload.get_address() + payload.get_data_length() > bytes_.size()) {
            payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        std::memcpy(payload.get_data_ptr(), bytes_.data() + payload.get_address(), payload.get_data_length());
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }

    std::vector<unsigned char> bytes_;
};

class Driver : public sc_core::sc_module {
public:
    transport::OpInitiatorSocket<Driver> ops{"ops"};
    tlm_utils::simple_initiator_socket<Driver> memory{"memory"};

    explicit Driver(sc_core::sc_module_name name) : sc_module(name) { payload_.set_command(tlm::TLM_IGNORE_COMMAND); }
    ~Driver() override { payload_.clear_extension(&extension_); }

    void start() { payload_.set_extension(&extension_); }

    /// The op that issue() sends.
    isa::Op& op() { return extension_.descriptor.op; }

    void issue() {
        sc_core::sc_time delay = local_;
        ops->b_transport(payload_, delay);
        if (!payload_.is_response_ok()) fail("the model refused an op");
        local_ = delay;
    }

    void read(std::uint64_t address, unsigned char* data) {
        tlm::tlm_generic_payload payload;
        payload.set_read();
        payload.set_address(address);
        payload.set_data_ptr(data);
        payload.set_data_length(isa::kVectorBytes);
        payload.set_streaming_width(isa::kVectorBytes);
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        memory->b_transport(payload, delay);
        if (!payload.is_response_ok()) fail("the plain memory refused an access");
    }

private:
    tlm::tlm_generic_payload payload_;
    transport::OpExtension extension_;
    sc_core::sc_time local_;
};

/// Everything the workloads use, alive until the process ends.
struct Bench {
    engine::Configuration configuration = platforms::load_product("ascend950");
    platforms::Top top{"top", configuration};
    Driver driver{"driver"};
    PlainMemory memory{"memory"};
    engine::Storage storage{configuration};
    engine::Core engine{configuration, storage.registers(), storage.ub()};
    isa::Executor executor{configuration.capabilities};
    std::vector<std::byte> buffer = std::vector<std::byte>(kBufferBytes, std::byte{0x5A});
    std::array<IndexRegister, kIndexRegisters> indices{};
    std::size_t lanes = 0;  // active ones of each gather

    Bench() {
        driver.ops.bind(top.core.op_socket);
        driver.memory.bind(memory.socket);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        driver.start();
        std::memcpy(storage.ub_bytes(), buffer.data(), kBufferBytes);
        engine.mark_written(0, kBufferBytes);
        for (std::size_t r = 0; r < kIndexRegisters; ++r)
            engine.mark_written(isa::VregId(static_cast<std::int64_t>(r)));
        engine.mark_written(kMask);
        write_top_ub();
    }

    void use(Pattern pattern) {
        indices = make_indices(pattern);
        lanes = active_lanes(pattern);
        set_registers(storage.registers(), indices, lanes);
        write_top_registers();
    }

    /// Through the sockets' debug interface, as a testbench would.
    void write_top_ub() {
        tlm::tlm_generic_payload payload;
        payload.set_write();
        payload.set_address(0);
        payload.set_data_ptr(reinterpret_cast<unsigned char*>(buffer.data()));
        payload.set_data_length(kBufferBytes);
        if (top.ub.transport_dbg(payload) != kBufferBytes) fail("cannot fill the UB");
    }

    void write_top_registers() {
        for (std::size_t r = 0; r < kIndexRegisters; ++r) {
            isa::Load load;
            load.type = isa::ElementType::u16;
            load.dst = isa::VregId(static_cast<std::int64_t>(r));
            load.address = isa::UbAddress(static_cast<std::int64_t>(r * isa::kVectorBytes));
            tlm::tlm_generic_payload payload;
            payload.set_write();
            payload.set_address(r * isa::kVectorBytes);
            payload.set_data_ptr(reinterpret_cast<unsigned char*>(indices[r].data()));
            payload.set_data_length(isa::kVectorBytes);
            top.ub.transport_dbg(payload);
            const isa::CreateMask mask{isa::ElementType::b16, kMask,
                                       lanes == kLanes ? isa::MaskPattern::all : isa::MaskPattern::h};
            for (const isa::Op& op : {isa::Op(isa::VfBegin{}), isa::Op(load), isa::Op(mask), isa::Op(isa::VfEnd{})}) {
                driver.op() = op;
                driver.issue();
            }
        }
    }
};

/// Calls issue() for `count` ops that make() has written to `op`, and for the brackets of their vector functions.
template <typename Make, typename Issue>
void in_vector_functions(std::uint64_t count, isa::Op& op, Make make, Issue issue) {
    for (std::uint64_t i = 0; i < count; ++i) {
        if (i % kOpsPerVf == 0) {
            op = isa::VfBegin{};
            issue();
        }
        make(op, i);
        issue();
        if (i % kOpsPerVf == kOpsPerVf - 1 || i + 1 == count) {
            op = isa::VfEnd{};
            issue();
        }
    }
}

void add_gathers(std::vector<Workload>& workloads, Bench& bench, Pattern pattern, const std::string& suffix) {
    const auto add = [&](const std::string& name, auto body) {
        workloads.push_back({name + suffix, [&bench, pattern, body](std::uint64_t count) {
                                 if (count == 0) return bench.use(pattern);
                                 body(bench, count);
                             }});
    };
    add("native_gather", [](Bench& b, std::uint64_t count) {
        std::array<std::uint16_t, kLanes> destination;
        for (std::uint64_t i = 0; i < count; ++i) {
            const IndexRegister& index = b.indices[i % kIndexRegisters];
            if (!native_gather(b.buffer.data(), b.buffer.size(), 0, index.data(), b.lanes, destination.data())) {
                fail("bounds");
            }
        }
    });
    add("isa_gather", [](Bench& b, std::uint64_t count) {
        isa::Notes notes;
        isa::Op op;
        for (std::uint64_t i = 0; i < count; ++i) {
            make_gather(op, i);
            if (b.executor.run(op, b.storage.registers(), b.storage.ub(), nullptr, notes)) fail("refused");
        }
    });
    add("engine_gather", [](Bench& b, std::uint64_t count) {
        isa::Op op;
        in_vector_functions(count, op, make_gather, [&] {
            if (b.engine.issue(op, 1, timing::Cycle(0)).response != isa::Response::ok) fail("refused");
        });
    });
    add("model_gather", [](Bench& b, std::uint64_t count) {
        in_vector_functions(count, b.driver.op(), make_gather, [&] { b.driver.issue(); });
    });
}

}  // namespace

[[noreturn]] void fail(const char* what) {
    std::fprintf(stderr, "vcore-bench: %s\n", what);
    std::exit(1);
}

std::vector<Workload> make_workloads() {
    std::vector<Workload> timed;
    const std::function<void()> start_timed = add_timed_workloads(timed);
    static Bench bench;  // elaborates
    start_timed();
    std::vector<Workload> workloads;
    add_gathers(workloads, bench, Pattern::random, "/random");
    add_gathers(workloads, bench, Pattern::sequential, "/sequential");
    add_gathers(workloads, bench, Pattern::masked, "/masked");
    workloads.push_back({"plain_b_transport", [](std::uint64_t count) {
                             std::array<unsigned char, isa::kVectorBytes> data;
                             for (std::uint64_t i = 0; i < count; ++i) {
                                 bench.driver.read(i % 512 * isa::kVectorBytes, data.data());
                             }
                         }});
    workloads.push_back({"model_load", [](std::uint64_t count) {
                             in_vector_functions(count, bench.driver.op(), make_load, [] { bench.driver.issue(); });
                         }});
    workloads.insert(workloads.end(), timed.begin(), timed.end());
    return workloads;
}

}  // namespace vcore::benchmarks
