// Small cases that broke similar tools, where a program cannot see what is asked: what reaches the banks, sweeps over
// all lanes, sizes given to the constructor. The others are programs (testbenches/programs/cases).
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <systemc>

#include "testbenches/conformance/bank_monitor.hpp"
#include "testbenches/conformance/platform_bench.hpp"

namespace vcore::conformance {
namespace {

using isa::DiagnosticId;
using isa::ElementType;
using isa::MregId;
using isa::UbAddress;
using isa::VregId;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr auto kHalf = ElementType::half;
constexpr auto kU16 = ElementType::u16;
constexpr auto kU32 = ElementType::u32;

/// A platform with a monitor on every bank.
class Watched {
public:
    Watched() {
        for (std::uint32_t k = 0; k < bench.top.ub.bank_count(); ++k) {
            monitors_.push_back(std::make_unique<Monitor>(("monitor_" + std::to_string(k)).c_str()));
            bench.top.ub.bank_socket(timing::BankId{k}).bind(monitors_[k]->target);
            monitors_[k]->initiator.bind(bench.top.ub.bank(timing::BankId{k}).socket);
        }
    }

    void forget() {
        for (const auto& monitor : monitors_) monitor->seen.clear();
    }
    /// What the monitors of all banks but bank 0 have seen.
    std::size_t seen_elsewhere() const {
        std::size_t count = 0;
        for (std::size_t k = 1; k < monitors_.size(); ++k) count += monitors_[k]->seen.size();
        return count;
    }
    /// Addresses inside bank 0 of the 8-byte reads it has seen; anything else that it saw fails the test.
    std::vector<std::uint64_t> word_reads() const {
        std::vector<std::uint64_t> addresses;
        for (const Monitor::Seen& seen : monitors_[0]->seen) {
            EXPECT_FALSE(seen.write);
            EXPECT_EQ(seen.data.size(), 8U);
            addresses.push_back(seen.address);
        }
        return addresses;
    }

    PlatformBench bench{"bench"};

private:
    std::vector<std::unique_ptr<Monitor>> monitors_;
};

isa::Gather gather(ElementType type, ElementType index_type, int dst, std::int64_t base, int index, int mask) {
    return {type, type, index_type, VregId{dst}, UbAddress{base}, VregId{index}, MregId{mask}};
}

TEST(Cases, A03_tail_lanes_read_nothing) {
    Watched watched;
    PlatformBench& bench = watched.bench;
    elaborate();
    std::vector<std::uint32_t> indices(64, 0x3F800000);
    for (std::uint32_t lane = 0; lane < 8; ++lane) indices[lane] = lane;
    bench.ub.write(0x400, bytes_of(indices));
    bench.ub.write(0x8000, bytes_of(iota<std::uint32_t>(8, 500)));
    bench.perform(isa::VfBegin{});
    bench.perform(isa::CreateMask{kU32, MregId{0}, isa::MaskPattern::vl8});
    bench.perform(isa::Load{kU32, VregId{0}, UbAddress{0x400}});
    watched.forget();
    bench.perform(gather(kU32, kU32, 1, 0x8000, 0, 0));
    // 0x8000 begins row 64 of bank 0; the eight words are four of 8 bytes.
    EXPECT_THAT(watched.word_reads(), UnorderedElementsAre(2048, 2056, 2064, 2072));
    EXPECT_EQ(watched.seen_elsewhere(), 0U);
    std::vector<std::uint32_t> expected{500, 501, 502, 503, 504, 505, 506, 507};
    expected.resize(64);
    EXPECT_EQ(elements_of<std::uint32_t>(bench.vector(1)), expected);
    EXPECT_THAT(bench.diagnostics(), IsEmpty());
}

TEST(Cases, S06_the_first_index_of_a_gather_reaches_its_bank) {
    Watched watched;
    PlatformBench& bench = watched.bench;
    elaborate();
    std::vector<std::uint32_t> indices(64);
    indices[0] = 7;
    indices[1] = 1;
    indices[2] = 2;
    indices[3] = 3;
    bench.ub.write(0x400, bytes_of(indices));
    bench.ub.write(0x1000, bytes_of(iota<std::uint32_t>(8, 100)));
    bench.perform(isa::VfBegin{});
    bench.perform(isa::CreateMask{kU32, MregId{0}, isa::MaskPattern::vl4});
    bench.perform(isa::Load{kU32, VregId{0}, UbAddress{0x400}});
    watched.forget();
    bench.perform(gather(kU32, kU32, 1, 0x1000, 0, 0));
    // 0x1000 begins row 8 of bank 0. Word 7 is in its fourth 8 bytes, 1 in the first, 2 and 3 share the second.
    EXPECT_THAT(watched.word_reads(), ElementsAre(256 + 24, 256, 256 + 8));
    EXPECT_EQ(watched.seen_elsewhere(), 0U);
    const auto lanes = elements_of<std::uint32_t>(bench.vector(1));
    EXPECT_EQ(std::vector<std::uint32_t>(lanes.begin(), lanes.begin() + 5),
              (std::vector<std::uint32_t>{107, 101, 102, 103, 0}));
}

/// Accesses of the core that the banks have counted: rows of contiguous ones, 8-byte words of gathers and scatters.
std::uint64_t accesses_counted(PlatformBench& bench) {
    const timing::BankCounters& banks = bench.top.core.engine().statistics().banks;
    std::uint64_t accesses = 0;
    for (const std::uint64_t count : banks.reads) accesses += count;
    for (const std::uint64_t count : banks.writes) accesses += count;
    return accesses;
}

TEST(Cases, A19_an_empty_tensor_scatter_touches_no_bank) {
    Watched watched;
    PlatformBench& bench = watched.bench;
    elaborate();
    bench.ub.write(0x2000, Bytes(256, 0xCD));
    const Bytes before = bench.all_of_ub();
    watched.forget();
    isa::TensorScatter scatter{kHalf, UbAddress{0x2000}, UbAddress{0x400}, UbAddress{0x1000}};
    scatter.form = isa::TensorScatterForm::count;
    scatter.count = 0;
    bench.perform(scatter);
    scatter.form = isa::TensorScatterForm::contiguous_mask;
    scatter.mask_low = 128;
    scatter.repeat = 0;
    bench.perform(scatter);
    EXPECT_THAT(watched.word_reads(), IsEmpty());
    EXPECT_EQ(watched.seen_elsewhere(), 0U);
    EXPECT_EQ(accesses_counted(bench), 0U);
    EXPECT_EQ(bench.all_of_ub(), before);
}

TEST(Cases, A38_an_update_past_the_end_leaves_nothing_to_scatter) {
    Watched watched;
    PlatformBench& bench = watched.bench;
    elaborate();
    bench.ub.write(0x400, bytes_of(iota<std::uint32_t>(64, 0)));
    bench.perform(isa::VfBegin{});
    bench.perform(isa::Load{kU32, VregId{0}, UbAddress{0x400}});
    const auto full = std::get<isa::UpdateMask>(bench.perform(isa::UpdateMask{kU32, MregId{0}, 64}).op);
    EXPECT_EQ(full.count, 0);
    bench.perform(isa::UpdateMask{kU32, MregId{1}, full.count});
    EXPECT_EQ(bench.mask(0), Bytes(32, 0x11));
    EXPECT_EQ(bench.mask(1), Bytes(32, 0x00));

    const isa::Scatter with_all{kU32, kU32, UbAddress{0x2000}, VregId{0}, VregId{0}, MregId{0}};
    const isa::Scatter with_none{kU32, kU32, UbAddress{0x2000}, VregId{0}, VregId{0}, MregId{1}};
    const std::uint64_t loaded = accesses_counted(bench);
    bench.perform(with_all);
    EXPECT_EQ(accesses_counted(bench), loaded + 32);  // two words each
    watched.forget();
    bench.perform(with_none);
    EXPECT_EQ(accesses_counted(bench), loaded + 32);
    EXPECT_THAT(watched.word_reads(), IsEmpty());
    EXPECT_EQ(watched.seen_elsewhere(), 0U);
}

/// Gathers with each lane alone; `lane_bits` bits of the mask belong to a lane.
template <typename T>
void walk_one_lane(PlatformBench& bench, ElementType type, unsigned lane_bits) {
    constexpr std::size_t kLanes = 256 / sizeof(T);
    bench.ub.write(0x400, bytes_of(iota<T>(kLanes, 0)));
    bench.ub.write(0x1000, bytes_of(iota<T>(kLanes, 1000)));
    bench.perform(isa::VfBegin{});
    bench.perform(isa::Load{type, VregId{0}, UbAddress{0x400}});
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        Bytes mask(32);
        mask[lane * lane_bits / 8] = static_cast<unsigned char>(1U << (lane * lane_bits % 8));
        bench.masks.write(0, mask);
        bench.vectors.write(256, Bytes(256, 0xFF));
        bench.perform(gather(type, type, 1, 0x1000, 0, 0));
        std::vector<T> expected(kLanes);
        expected[lane] = static_cast<T>(1000 + lane);
        ASSERT_EQ(elements_of<T>(bench.vector(1)), expected) << "lane " << lane;
    }
    bench.perform(isa::VfEnd{});
}

TEST(Cases, S03_each_single_lane_loads_alone) {
    PlatformBench bench("bench");
    elaborate();
    walk_one_lane<std::uint16_t>(bench, kU16, 2);
    walk_one_lane<std::uint32_t>(bench, kU32, 4);
}

TEST(Cases, A28_the_size_of_the_ub_is_given_to_the_constructor) {
    PlatformBench small("small", {"ub.size_bytes=253952"});
    PlatformBench large("large", {"ub.size_bytes=262144"});
    elaborate();
    for (PlatformBench* bench : {&small, &large}) {
        const std::uint32_t size = bench == &small ? 0x3E000 : 0x40000;
        EXPECT_EQ(bench->top.ub.size_bytes(), size);
        bench->ub.write(size - 4, {77, 0, 0, 0});
        bench->ub.write(0x400, bytes_of(iota<std::uint32_t>(64, 63)));  // 63 is the last word, 64 past the end
        bench->perform(isa::VfBegin{});
        bench->perform(isa::CreateMask{kU32, MregId{0}, isa::MaskPattern::vl1});
        bench->perform(isa::CreateMask{kU32, MregId{1}, isa::MaskPattern::vl2});
        bench->perform(isa::Load{kU32, VregId{0}, UbAddress{0x400}});
        bench->perform(gather(kU32, kU32, 1, size - 256, 0, 0));
        EXPECT_EQ(elements_of<std::uint32_t>(bench->vector(1)).front(), 77U);
        bench->refuse(gather(kU32, kU32, 1, size - 256, 0, 1), DiagnosticId::ub_out_of_bounds);
        EXPECT_EQ(bench->diagnostics().back().lane, 1);
        EXPECT_EQ(bench->diagnostics().back().address, size);
    }
}

}  // namespace
}  // namespace vcore::conformance
