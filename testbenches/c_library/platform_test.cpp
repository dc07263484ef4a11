// The C library against the SystemC platform top: the same ops give the same bytes, cycles and diagnostics.
#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "testbenches/c_library/plain_ops.hpp"
#include "testbenches/conformance/platform_bench.hpp"
#include "testbenches/conformance/random_ops.hpp"
#include "testbenches/conformance/scripts.hpp"

namespace vcore::c_library_tests {
namespace {

using conformance::Bytes;

/// Completion of each op of a platform, by ticket.
class Completions final : public engine::TimingListener {
public:
    std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> times;

private:
    void on_op(const engine::OpRecord& record) override {
        times[record.ticket] = {record.issue.count(), record.complete.count()};
    }
    void on_traffic(std::uint32_t, timing::Cycle) override {}
    void on_deadlock(const timing::Deadlock&) override { FAIL() << "a deadlock"; }
};

/// A platform on whose UB nobody else is bound, so that nothing disturbs it.
struct Bench : sc_core::sc_module {
    Bench(sc_core::sc_module_name name, engine::Mode mode)
        : sc_module(name), top("top", platforms::load_product("ascend950"), mode) {
        ops.socket.bind(top.core.op_socket);
        transfers.socket.bind(top.mte.transfer_socket);
        vectors.socket.bind(top.vector_registers.port);
        masks.socket.bind(top.mask_registers.port);
    }
    platforms::Top top;
    transport::OpInitiator ops{"ops"};
    conformance::Prober transfers{"transfers"};
    conformance::Prober vectors{"vectors"};
    conformance::Prober masks{"masks"};
};

void same_as_the_platform(engine::Mode mode, vcore_mode c_mode, std::uint64_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    unit::Random random(seed);
    const Bytes memory = conformance::random_memory(random, 0x40000);
    std::vector<isa::Op> program;
    for (int part = 0; part < 40; ++part) {
        for (const isa::Op& op : conformance::random_program(random)) program.push_back(op);
    }

    vcore_handle core = 0;
    ASSERT_EQ(vcore_create("ascend950", nullptr, 0, c_mode, &core), VCORE_OK) << vcore_last_error();
    ASSERT_EQ(vcore_write_ub(core, 0, memory.data(), memory.size()), VCORE_OK);

    Bench bench("bench", mode);
    Completions completions;
    bench.top.core.set_timing_listener(&completions);

    conformance::Scripts scripts;
    std::vector<std::uint64_t> tickets;
    scripts.add([&] {
        bench.transfers.debug_write(0, memory);
        std::uint32_t line = 0;
        for (const isa::Op& op : program) {
            ++line;
            const transport::OpDescriptor& done = bench.ops.issue(op, line);
            vcore_op plain = plain_of(op);
            plain.line = line;
            vcore_result result{};
            result.size = sizeof result;
            const vcore_status status = vcore_issue(core, &plain, &result);
            ASSERT_EQ(status, bench.ops.ok() ? VCORE_OK : VCORE_REFUSED) << line << " " << vcore_last_error();
            ASSERT_EQ(result.fault, static_cast<std::uint32_t>(done.fault)) << line;
            ASSERT_EQ(result.dispatch_cycle, done.dispatch_cycle) << line << " " << isa::name(isa::kind_of(op));
            if (bench.ops.ok()) {
                vcore_op updated = plain_of(done.op);
                ASSERT_EQ(plain.address, updated.address) << line;
                ASSERT_EQ(plain.count, updated.count) << line;
            }
            if (result.ticket != 0) tickets.push_back(result.ticket);
        }
        bench.ops.sync();
        bench.top.core.engine().finish();
    });
    scripts.run();
    ASSERT_EQ(vcore_finish(core, nullptr), VCORE_OK) << vcore_last_error();

    ASSERT_GT(tickets.size(), 500U);
    for (const std::uint64_t ticket : tickets) {
        std::uint64_t issue = 0;
        std::uint64_t complete = 0;
        ASSERT_EQ(vcore_completion(core, ticket, &issue, &complete), VCORE_OK) << vcore_last_error();
        const auto found = completions.times.find(ticket);
        if (found == completions.times.end()) continue;  // barriers are nobody's op
        EXPECT_EQ(issue, found->second.first) << ticket;
        EXPECT_EQ(complete, found->second.second) << ticket;
    }
    ASSERT_GT(completions.times.size(), 500U);

    Bytes bytes(memory.size());
    ASSERT_EQ(vcore_read_ub(core, 0, bytes.data(), bytes.size()), VCORE_OK);
    EXPECT_EQ(bytes, bench.transfers.debug_read(0, memory.size()));
    for (std::uint32_t k = 0; k < 32; ++k) {
        Bytes mine(256);
        ASSERT_EQ(vcore_read_vector(core, k, mine.data(), mine.size()), VCORE_OK);
        EXPECT_EQ(mine, bench.vectors.debug_read(k * 256U, 256)) << "v" << k;
    }
    for (std::uint32_t k = 0; k < 8; ++k) {
        Bytes mine(32);
        ASSERT_EQ(vcore_read_mask(core, k, mine.data(), mine.size()), VCORE_OK);
        EXPECT_EQ(mine, bench.masks.debug_read(k * 32U, 32)) << "m" << k;
    }

    size_t entries = 0;
    ASSERT_EQ(vcore_diagnostic_count(core, &entries), VCORE_OK);
    const auto& theirs = bench.top.core.engine().diagnostics().entries();
    ASSERT_EQ(entries, theirs.size());
    ASSERT_GT(entries, 0U);
    for (size_t i = 0; i < entries; ++i) {
        vcore_diagnostic mine{};
        mine.size = sizeof mine;
        ASSERT_EQ(vcore_diagnostic_read(core, i, &mine), VCORE_OK);
        EXPECT_EQ(mine.count, theirs[i].count);
        EXPECT_EQ(mine.line, theirs[i].line);
        std::vector<char> text(theirs[i].message.size() + 1);
        ASSERT_EQ(vcore_diagnostic_text(core, i, text.data(), text.size(), nullptr), VCORE_OK);
        EXPECT_EQ(std::string(text.data()), theirs[i].message);
    }
    EXPECT_EQ(vcore_destroy(core), VCORE_OK);
}

TEST(CLibrary, IsThePlatformLooselyTimed) {
    same_as_the_platform(engine::Mode::loosely_timed, VCORE_MODE_LT, 41);
}

TEST(CLibrary, IsThePlatformApproximatelyTimed) {
    same_as_the_platform(engine::Mode::approximately_timed, VCORE_MODE_AT, 42);
}

}  // namespace
}  // namespace vcore::c_library_tests
