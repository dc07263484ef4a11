// The register files, beyond what the generic payload suite asks of every target.
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <systemc>

#include "testbenches/conformance/platform_bench.hpp"
#include "tlm/payload_pool.hpp"

namespace vcore::conformance {
namespace {

using isa::DiagnosticId;
using isa::ElementType;
using isa::MregId;
using isa::UbAddress;
using isa::VregId;
using registers::MaskRegisterFile;
using registers::VectorRegisterFile;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr auto kU32 = ElementType::u32;

TEST(RegisterFiles, a_register_stands_at_its_address) {
    static_assert(VectorRegisterFile::address(VregId{31}) == 31 * 256);
    static_assert(MaskRegisterFile::address(MregId{7}) == 7 * 32);
    PlatformBench bench("bench");
    elaborate();
    EXPECT_EQ(bench.top.vector_registers.size_bytes(), 8192U);
    EXPECT_EQ(bench.top.mask_registers.size_bytes(), 256U);
    bench.perform(isa::VfBegin{});
    bench.perform(isa::Duplicate{kU32, VregId{31}, 0x01020304});
    bench.perform(isa::CreateMask{kU32, MregId{7}, isa::MaskPattern::vl2});
    EXPECT_EQ(bench.vectors.read(VectorRegisterFile::address(VregId{31}), 5), (Bytes{4, 3, 2, 1, 4}));
    EXPECT_EQ(bench.masks.read(MaskRegisterFile::address(MregId{7}), 3), (Bytes{0x11, 0, 0}));
}

TEST(RegisterFiles, what_others_write_the_core_reads) {
    PlatformBench direct("direct");
    PlatformBench refused("refused");
    elaborate();
    refused.set_direct_memory(false);
    for (PlatformBench* bench : {&direct, &refused}) {
        bench->perform(isa::VfBegin{});
        bench->perform(isa::Duplicate{kU32, VregId{1}, 7});
        bench->vectors.write(256 + 4, bytes_of(std::vector<std::uint32_t>{99}));
        bench->masks.debug_write(0, Bytes{0x31});  // lanes 0 and 1, and a bit that does not count
        bench->perform(isa::Store{kU32, UbAddress{0x800}, VregId{1}, MregId{0}});
        EXPECT_EQ(elements_of<std::uint32_t>(bench->ub.read(0x800, 12)), (std::vector<std::uint32_t>{7, 99, 0}));
    }
}

TEST(RegisterFiles, the_listener_hears_of_every_register_that_others_write) {
    VectorRegisterFile file("file");
    Prober prober("prober");
    prober.socket.bind(file.port);
    std::vector<std::size_t> heard;
    file.set_write_listener([&heard](std::size_t index) { heard.push_back(index); });
    elaborate();

    prober.write(255, {1});
    EXPECT_THAT(heard, ElementsAre(0));
    heard.clear();
    prober.write(255, {1, 2});
    EXPECT_THAT(heard, ElementsAre(0, 1));
    heard.clear();
    prober.debug_write(31 * 256, Bytes(1000, 1));  // cut at the end
    EXPECT_THAT(heard, ElementsAre(31));
    heard.clear();

    prober.read(0, 512);
    prober.debug_read(0, 512);
    EXPECT_EQ(prober.write(8192, {1}).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(prober.debug_write(8192, {1}), 0U);
    ASSERT_TRUE(prober.ask_direct(tlm::TLM_READ_COMMAND, 0).granted);
    EXPECT_THAT(heard, IsEmpty());
    ASSERT_TRUE(prober.ask_direct(tlm::TLM_WRITE_COMMAND, 0).granted);
    EXPECT_THAT(heard, SizeIs(32));
    heard.clear();

    transport::PayloadPool pool;
    const auto from_core = pool.acquire_memory(tlm::TLM_WRITE_COMMAND, 0, 256);
    from_core->metadata().requester = transport::Requester::load;
    prober.send(*from_core);
    EXPECT_THAT(heard, IsEmpty()) << "the core knows what it writes";
}

TEST(RegisterFiles, a_register_that_nobody_wrote_is_warned_about_once_a_line) {
    PlatformBench bench("bench");
    PlatformBench refused("refused");
    elaborate();
    refused.set_direct_memory(false);
    for (PlatformBench* on : {&bench, &refused}) {
        on->vectors.write(VectorRegisterFile::address(VregId{1}), Bytes(256, 1));
        on->masks.write(MaskRegisterFile::address(MregId{0}), Bytes(32, 0xFF));
        on->perform(isa::VfBegin{});
        on->perform(isa::Add{kU32, VregId{2}, VregId{1}, VregId{1}, MregId{0}}, 5);
        EXPECT_THAT(on->diagnostics(), IsEmpty()) << "written from outside";
        on->perform(isa::Add{kU32, VregId{2}, VregId{1}, VregId{3}, MregId{0}}, 6);
        on->perform(isa::Add{kU32, VregId{2}, VregId{1}, VregId{3}, MregId{0}}, 6);
        ASSERT_THAT(on->diagnostics(), SizeIs(1));
        EXPECT_EQ(on->diagnostics()[0].id, DiagnosticId::uninitialised_read);
        EXPECT_EQ(on->diagnostics()[0].line, 6U);
    }
}

TEST(RegisterFiles, taking_direct_memory_back_in_the_middle_of_a_function) {
    PlatformBench bench("bench");
    elaborate();
    bench.perform(isa::VfBegin{});
    bench.perform(isa::CreateMask{kU32, MregId{0}, isa::MaskPattern::all});
    bench.perform(isa::Duplicate{kU32, VregId{0}, 1});
    std::uint32_t expected = 1;
    for (const bool vectors : {false, true, false}) {
        for (const bool masks : {true, false, true}) {
            bench.top.vector_registers.set_direct_memory(vectors);
            bench.top.mask_registers.set_direct_memory(masks);
            bench.perform(isa::Adds{kU32, VregId{0}, VregId{0}, 1, MregId{0}});
            EXPECT_EQ(elements_of<std::uint32_t>(bench.vector(0)), std::vector<std::uint32_t>(64, ++expected));
        }
    }
}

}  // namespace
}  // namespace vcore::conformance
