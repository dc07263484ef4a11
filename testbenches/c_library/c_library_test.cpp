// Mistakes that a caller of the C library can make: each is a status and a text, and nothing has changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "models/isa/diagnostics.hpp"
#include "platforms/c_library/instance.hpp"
#include "platforms/c_library/vcore.h"
#include "platforms/products.hpp"

namespace {

using ::testing::HasSubstr;
using ::testing::StrEq;

class CLibraryCalls : public ::testing::Test {
protected:
    void SetUp() override { ASSERT_EQ(vcore_create("ascend950", nullptr, 0, VCORE_MODE_AT, &core_), VCORE_OK); }
    void TearDown() override { vcore_destroy(core_); }

    static vcore_op op(std::uint32_t kind) {
        vcore_op result;
        EXPECT_EQ(vcore_op_init(&result, sizeof result, kind), VCORE_OK);
        return result;
    }
    vcore_status issue(vcore_op plain) { return vcore_issue(core_, &plain, &result_); }
    void perform(const vcore_op& plain) { ASSERT_EQ(issue(plain), VCORE_OK) << vcore_last_error(); }
    static vcore_op load(std::int64_t dst, std::int64_t address) {
        vcore_op result = op(VCORE_LOAD);
        result.type = VCORE_U8;
        result.dst = dst;
        result.address = address;
        return result;
    }
    std::uint64_t cycle() {
        std::uint64_t now = 0;
        EXPECT_EQ(vcore_cycle(core_, &now), VCORE_OK);
        return now;
    }

    vcore_handle core_ = 0;
    vcore_result result_{sizeof(vcore_result), 0, 0, 0, 0, 0, 0, 0};
};

#define EXPECT_FAILURE(call, status, text)                \
    do {                                                  \
        EXPECT_EQ(call, status);                          \
        EXPECT_THAT(vcore_last_error(), HasSubstr(text)); \
    } while (false)

TEST_F(CLibraryCalls, KnowItsVersion) {
    EXPECT_THAT(vcore_version(), StrEq("1.0"));
    EXPECT_EQ(VCORE_VERSION_MAJOR, 1);
    EXPECT_EQ(VCORE_VERSION_MINOR, 0);
}

TEST_F(CLibraryCalls, NameEveryFault) {
    EXPECT_THAT(vcore_fault_name(0), StrEq("none"));
    std::uint32_t id = 0;
    for (const vcore::isa::DiagnosticInfo& info : vcore::isa::diagnostic_table()) {
        EXPECT_EQ(vcore_fault_name(++id), info.text);
        EXPECT_EQ(id, static_cast<std::uint32_t>(info.id));
    }
    EXPECT_EQ(vcore_fault_name(id + 1), nullptr);
}

TEST_F(CLibraryCalls, KnowAStaleHandle) {
    vcore_handle gone = 0;
    ASSERT_EQ(vcore_create("ascend950", nullptr, 0, VCORE_MODE_LT, &gone), VCORE_OK);
    ASSERT_EQ(vcore_destroy(gone), VCORE_OK);
    vcore_handle next = 0;
    ASSERT_EQ(vcore_create("ascend950", nullptr, 0, VCORE_MODE_LT, &next), VCORE_OK);
    EXPECT_NE(next, gone) << "a handle is used once";
    std::uint64_t now = 77;
    EXPECT_FAILURE(vcore_cycle(gone, &now), VCORE_BAD_HANDLE,
                   "no core has the handle " + std::to_string(gone) + ": it was destroyed, or never made");
    EXPECT_EQ(now, 77U);
    EXPECT_FAILURE(vcore_destroy(gone), VCORE_BAD_HANDLE, "it was destroyed, or never made");
    EXPECT_FAILURE(vcore_reset(0), VCORE_BAD_HANDLE, "no core has the handle 0");
    EXPECT_EQ(vcore_destroy(next), VCORE_OK);
}

TEST_F(CLibraryCalls, RefuseNull) {
    vcore_handle core = 5;
    EXPECT_FAILURE(vcore_create(nullptr, nullptr, 0, VCORE_MODE_LT, &core), VCORE_BAD_ARGUMENT, "product is NULL");
    EXPECT_FAILURE(vcore_create("ascend950", nullptr, 0, VCORE_MODE_LT, nullptr), VCORE_BAD_ARGUMENT, "core is NULL");
    EXPECT_FAILURE(vcore_create("ascend950", nullptr, 1, VCORE_MODE_LT, &core), VCORE_BAD_ARGUMENT,
                   "overrides is NULL");
    const char* const overrides[] = {"clock_mhz=1000", nullptr};
    EXPECT_FAILURE(vcore_create("ascend950", overrides, 2, VCORE_MODE_LT, &core), VCORE_BAD_ARGUMENT,
                   "overrides[1] is NULL");
    EXPECT_FAILURE(vcore_create_json(nullptr, "x", nullptr, 0, VCORE_MODE_LT, &core), VCORE_BAD_ARGUMENT,
                   "json is NULL");
    EXPECT_FAILURE(vcore_create_json("{}", nullptr, nullptr, 0, VCORE_MODE_LT, &core), VCORE_BAD_ARGUMENT,
                   "name is NULL");
    EXPECT_EQ(core, 5U) << "nothing changed";
    vcore_op plain = op(VCORE_VF_BEGIN);
    EXPECT_FAILURE(vcore_issue(core_, nullptr, &result_), VCORE_BAD_ARGUMENT, "op is NULL");
    EXPECT_FAILURE(vcore_issue(core_, &plain, nullptr), VCORE_BAD_ARGUMENT, "result is NULL");
    EXPECT_FAILURE(vcore_write_ub(core_, 0, nullptr, 1), VCORE_BAD_ARGUMENT, "data is NULL");
    EXPECT_FAILURE(vcore_read_ub(core_, 0, nullptr, 1), VCORE_BAD_ARGUMENT, "data is NULL");
    EXPECT_FAILURE(vcore_transfer(core_, 1, 0, nullptr, 32, 0, 0, &result_), VCORE_BAD_ARGUMENT, "data is NULL");
    EXPECT_FAILURE(vcore_cycle(core_, nullptr), VCORE_BAD_ARGUMENT, "cycle is NULL");
    EXPECT_FAILURE(vcore_ub_size(core_, nullptr), VCORE_BAD_ARGUMENT, "bytes is NULL");
    EXPECT_FAILURE(vcore_diagnostic_count(core_, nullptr), VCORE_BAD_ARGUMENT, "count is NULL");
    EXPECT_FAILURE(vcore_diagnostic_read(core_, 0, nullptr), VCORE_BAD_ARGUMENT, "diagnostic is NULL");
    EXPECT_FAILURE(vcore_statistics_read(core_, nullptr), VCORE_BAD_ARGUMENT, "statistics is NULL");
    EXPECT_FAILURE(vcore_op_init(nullptr, sizeof(vcore_op), VCORE_LOAD), VCORE_BAD_ARGUMENT, "op is NULL");
    std::size_t number = 0;
    EXPECT_FAILURE(vcore_compare_ub(core_, 0, nullptr, nullptr, 1, &number, &number), VCORE_BAD_ARGUMENT,
                   "expected is NULL");
    EXPECT_FAILURE(vcore_compare_ub(core_, 0, &number, nullptr, 1, nullptr, &number), VCORE_BAD_ARGUMENT,
                   "differences is NULL");
    EXPECT_FAILURE(vcore_compare_ub(core_, 0, &number, nullptr, 1, &number, nullptr), VCORE_BAD_ARGUMENT,
                   "first is NULL");
    std::uint64_t cycles = 0;
    EXPECT_FAILURE(vcore_completion(core_, 1, nullptr, &cycles), VCORE_BAD_ARGUMENT, "issue_cycle is NULL");
    EXPECT_FAILURE(vcore_completion(core_, 1, &cycles, nullptr), VCORE_BAD_ARGUMENT, "complete_cycle is NULL");
    char text[4] = "abc";
    EXPECT_FAILURE(vcore_configuration_hash(core_, nullptr, 17, nullptr), VCORE_BAD_ARGUMENT, "buffer is NULL");
    EXPECT_STREQ(text, "abc");
}

TEST_F(CLibraryCalls, RefuseStructuresOfAnotherSize) {
    vcore_op plain = op(VCORE_VF_BEGIN);
    plain.size = 8;
    EXPECT_FAILURE(vcore_issue(core_, &plain, &result_), VCORE_WRONG_SIZE,
                   "vcore_op.size is 8, expected " + std::to_string(sizeof(vcore_op)) + ": set it to sizeof(vcore_op)");
    plain = op(VCORE_VF_BEGIN);
    plain.version = 9;
    EXPECT_FAILURE(vcore_issue(core_, &plain, &result_), VCORE_WRONG_SIZE, "vcore_op.version is 9, expected 1");
    plain = op(VCORE_VF_BEGIN);
    vcore_result small{};
    EXPECT_FAILURE(vcore_issue(core_, &plain, &small), VCORE_WRONG_SIZE, "vcore_result.size is 0");
    std::array<std::uint64_t, 4> row{};
    EXPECT_FAILURE(vcore_transfer(core_, 1, 0, row.data(), 32, 0, 0, &small), VCORE_WRONG_SIZE, "vcore_result.size");
    vcore_statistics statistics{};
    EXPECT_FAILURE(vcore_statistics_read(core_, &statistics), VCORE_WRONG_SIZE, "vcore_statistics.size is 0");
    vcore_diagnostic diagnostic{};
    EXPECT_FAILURE(vcore_diagnostic_read(core_, 0, &diagnostic), VCORE_WRONG_SIZE, "vcore_diagnostic.size is 0");
    EXPECT_FAILURE(vcore_op_init(&plain, 3, VCORE_LOAD), VCORE_WRONG_SIZE, "vcore_op.size is 3");
    statistics.size = sizeof statistics;
    ASSERT_EQ(vcore_statistics_read(core_, &statistics), VCORE_OK);
    EXPECT_EQ(statistics.ops, 0U) << "no op came through";
}

TEST_F(CLibraryCalls, RefuseNumbersThatAreNoEnumerator) {
    EXPECT_FAILURE(issue(op(999)), VCORE_BAD_ARGUMENT, "vcore_op.kind is 999, which no enumerator is");
    vcore_op plain = load(0, 0);
    plain.type = 19;
    EXPECT_FAILURE(issue(plain), VCORE_BAD_ARGUMENT, "vcore_op.type is 19");
    plain = load(0, 0);
    plain.pair = 2;
    EXPECT_FAILURE(issue(plain), VCORE_BAD_ARGUMENT, "vcore_op.pair is 2");
    plain = op(VCORE_GATHER);
    plain.src_type = 0xFFFFFFFF;
    EXPECT_FAILURE(issue(plain), VCORE_BAD_ARGUMENT, "vcore_op.src_type is 4294967295");
    plain = op(VCORE_GATHER);
    plain.index_type = 77;
    EXPECT_FAILURE(issue(plain), VCORE_BAD_ARGUMENT, "vcore_op.index_type is 77");
    plain = op(VCORE_GATHER);
    plain.index_pair = 7;
    EXPECT_FAILURE(issue(plain), VCORE_BAD_ARGUMENT, "vcore_op.index_pair is 7");
    for (const auto& [kind, mode] : std::vector<std::pair<vcore_op_kind, std::uint32_t>>{{VCORE_BARRIER, 16},
                                                                                         {VCORE_CREATE_MASK, 15},
                                                                                         {VCORE_MASK_LOAD, 3},
                                                                                         {VCORE_MASK_STORE, 1},
                                                                                         {VCORE_LOAD, 18},
                                                                                         {VCORE_STORE, 11},
                                                                                         {VCORE_TENSOR_SCATTER, 3}}) {
        plain = op(kind);
        plain.mode = mode;
        EXPECT_FAILURE(issue(plain), VCORE_BAD_ARGUMENT, "vcore_op.mode is " + std::to_string(mode));
    }
    plain = op(VCORE_MOVE);
    plain.masked = 3;
    EXPECT_FAILURE(issue(plain), VCORE_BAD_ARGUMENT, "vcore_op.masked is 3");
    vcore_handle core = 0;
    EXPECT_FAILURE(vcore_create("ascend950", nullptr, 0, 2, &core), VCORE_BAD_ARGUMENT,
                   "mode is 2, expected VCORE_MODE_LT or VCORE_MODE_AT");
    std::array<std::uint64_t, 4> row{};
    EXPECT_FAILURE(vcore_transfer(core_, 2, 0, row.data(), 32, 0, 0, &result_), VCORE_BAD_ARGUMENT,
                   "into_ub is neither 0 nor 1");
    EXPECT_FAILURE(vcore_transfer(core_, 1, 0, row.data(), 32, 5, 0, &result_), VCORE_BAD_ARGUMENT,
                   "beside is neither 0 nor 1");
}

TEST_F(CLibraryCalls, RefuseShortAndForeignStretches) {
    std::array<unsigned char, 256> data{};
    EXPECT_FAILURE(vcore_write_vector(core_, 32, data.data(), 256), VCORE_BAD_ARGUMENT,
                   "vector register 32 does not exist; legal are 0..31");
    EXPECT_FAILURE(vcore_read_vector(core_, 0, data.data(), 255), VCORE_SHORT_BUFFER,
                   "a vector register has 256 bytes, the buffer 255");
    EXPECT_FAILURE(vcore_write_mask(core_, 8, data.data(), 32), VCORE_BAD_ARGUMENT,
                   "mask register 8 does not exist; legal are 0..7");
    EXPECT_FAILURE(vcore_read_mask(core_, 0, data.data(), 31), VCORE_SHORT_BUFFER, "a mask register has 32 bytes");
    EXPECT_FAILURE(vcore_write_ub(core_, 0x40000 - 255, data.data(), 256), VCORE_BAD_ARGUMENT,
                   "256 bytes at address 261889 do not lie in the UB of 262144 bytes");
    EXPECT_FAILURE(vcore_read_ub(core_, ~std::uint64_t{0}, data.data(), 256), VCORE_BAD_ARGUMENT,
                   "do not lie in the UB");
    EXPECT_FAILURE(vcore_read_ub(core_, 0, data.data(), ~std::size_t{0}), VCORE_BAD_ARGUMENT, "do not lie in the UB");
    char hash[17];
    std::size_t needed = 0;
    EXPECT_FAILURE(vcore_configuration_hash(core_, hash, 16, &needed), VCORE_SHORT_BUFFER,
                   "the text takes 17 bytes, the buffer has 16");
    EXPECT_EQ(needed, 17U);
    ASSERT_EQ(vcore_configuration_hash(core_, hash, sizeof hash, nullptr), VCORE_OK);
    EXPECT_EQ(hash, vcore::platforms::load_product("ascend950").hash);
}

TEST_F(CLibraryCalls, SayWhatTheConfigurationHasWrong) {
    vcore_handle core = 0;
    EXPECT_FAILURE(vcore_create("ascend95", nullptr, 0, VCORE_MODE_LT, &core), VCORE_CONFIGURATION,
                   "unknown product 'ascend95'; did you mean ascend950");
    const char* const typo[] = {"ub.bank_grops=8"};
    EXPECT_FAILURE(vcore_create("ascend950", typo, 1, VCORE_MODE_LT, &core), VCORE_CONFIGURATION, "ub.bank_groups");
    EXPECT_FAILURE(vcore_create_json("{", "mine.json", nullptr, 0, VCORE_MODE_LT, &core), VCORE_CONFIGURATION,
                   "mine.json:1:");
    EXPECT_EQ(core, 0U);
    const char* const json = R"({"base": "ascend950", "product": "mine", "ub": {"size_bytes": 65536}})";
    ASSERT_EQ(vcore_create_json(json, "mine.json", nullptr, 0, VCORE_MODE_LT, &core), VCORE_OK) << vcore_last_error();
    std::uint64_t bytes = 0;
    ASSERT_EQ(vcore_ub_size(core, &bytes), VCORE_OK);
    EXPECT_EQ(bytes, 65536U);
    EXPECT_EQ(vcore_destroy(core), VCORE_OK);
}

TEST_F(CLibraryCalls, PassOnWhyAnOpWasRefused) {
    EXPECT_FAILURE(issue(load(0, 0)), VCORE_REFUSED, "load");
    EXPECT_THAT(vcore_fault_name(result_.fault), StrEq("vf-order"));
    perform(op(VCORE_VF_BEGIN));
    vcore_op plain = load(0, 17);
    plain.line = 12;
    EXPECT_FAILURE(vcore_issue(core_, &plain, &result_), VCORE_REFUSED, "32");
    EXPECT_EQ(plain.address, 17) << "a refused op changes nothing";
    EXPECT_THAT(vcore_fault_name(result_.fault), StrEq("misaligned"));
    plain = load(33, 0);
    EXPECT_FAILURE(vcore_issue(core_, &plain, &result_), VCORE_REFUSED, "33");
    std::size_t count = 0;
    ASSERT_EQ(vcore_diagnostic_count(core_, &count), VCORE_OK);
    ASSERT_EQ(count, 3U);
    vcore_diagnostic diagnostic{};
    diagnostic.size = sizeof diagnostic;
    ASSERT_EQ(vcore_diagnostic_read(core_, 1, &diagnostic), VCORE_OK);
    EXPECT_EQ(diagnostic.line, 12U);
    EXPECT_EQ(diagnostic.severity, static_cast<std::uint32_t>(VCORE_ERROR));
    EXPECT_EQ(diagnostic.has_address, 1U);
    EXPECT_EQ(diagnostic.address, 17);
    std::size_t needed = 0;
    char small[8] = "keep";
    EXPECT_FAILURE(vcore_diagnostic_text(core_, 1, small, sizeof small, &needed), VCORE_SHORT_BUFFER, "the text takes");
    EXPECT_STREQ(small, "keep");
    std::vector<char> text(needed);
    ASSERT_EQ(vcore_diagnostic_text(core_, 1, text.data(), text.size(), nullptr), VCORE_OK);
    EXPECT_EQ(std::strlen(text.data()) + 1, needed);
    EXPECT_FAILURE(vcore_diagnostic_read(core_, 3, &diagnostic), VCORE_UNKNOWN,
                   "there is no diagnostic 3: the core has 3");
    ASSERT_EQ(vcore_clear_diagnostics(core_), VCORE_OK);
    ASSERT_EQ(vcore_diagnostic_count(core_, &count), VCORE_OK);
    EXPECT_EQ(count, 0U);
}

TEST_F(CLibraryCalls, TellOfACompletionOnceItIsKnown) {
    perform(op(VCORE_VF_BEGIN));
    perform(load(0, 0));
    ASSERT_EQ(result_.pending, 1U);
    const std::uint64_t ticket = result_.ticket;
    const std::uint64_t dispatched = cycle();
    std::uint64_t issued = 0;
    std::uint64_t complete = 0;
    EXPECT_FAILURE(vcore_completion(core_, ticket, &issued, &complete), VCORE_PENDING, "has not completed by cycle");
    EXPECT_FAILURE(vcore_completion(core_, ticket + 1, &issued, &complete), VCORE_UNKNOWN, "is of no op");
    ASSERT_EQ(vcore_step(core_, 5), VCORE_OK);
    EXPECT_EQ(cycle(), dispatched + 5);
    ASSERT_EQ(vcore_step(core_, 100), VCORE_OK);
    ASSERT_EQ(vcore_completion(core_, ticket, &issued, &complete), VCORE_OK) << vcore_last_error();
    EXPECT_EQ(complete, issued + 9) << "a load's latency";
}

TEST_F(CLibraryCalls, MoveBytesBesideTheCore) {
    std::vector<unsigned char> data(256, 0xAB);
    ASSERT_EQ(vcore_transfer(core_, 1, 0x100, data.data(), data.size(), 1, 0, &result_), VCORE_OK);
    EXPECT_EQ(cycle(), 0U);
    const std::uint64_t ticket = result_.ticket;
    std::uint64_t now = 0;
    ASSERT_EQ(vcore_finish(core_, &now), VCORE_OK);
    std::uint64_t issued = 0;
    std::uint64_t complete = 0;
    ASSERT_EQ(vcore_completion(core_, ticket, &issued, &complete), VCORE_OK) << vcore_last_error();
    EXPECT_EQ(complete, 2U) << "128 bytes a cycle";
    EXPECT_EQ(now, complete);
    std::vector<unsigned char> back(256);
    ASSERT_EQ(vcore_transfer(core_, 0, 0x100, back.data(), back.size(), 0, 0, &result_), VCORE_OK);
    EXPECT_EQ(back, data);
    EXPECT_FAILURE(vcore_transfer(core_, 1, 0x101, data.data(), 32, 0, 0, &result_), VCORE_REFUSED, "32");
}

TEST_F(CLibraryCalls, CompareUnderAMask) {
    std::array<unsigned char, 256> data{};
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<unsigned char>(i);
    ASSERT_EQ(vcore_write_vector(core_, 3, data.data(), 256), VCORE_OK);
    ASSERT_EQ(vcore_write_ub(core_, 1000, data.data(), 256), VCORE_OK);
    std::array<unsigned char, 256> expected = data;
    expected[7] ^= 0x01;
    expected[200] ^= 0x80;
    std::size_t differences = 9;
    std::size_t first = 9;
    ASSERT_EQ(vcore_compare_vector(core_, 3, expected.data(), nullptr, 256, &differences, &first), VCORE_OK);
    EXPECT_EQ(differences, 2U);
    EXPECT_EQ(first, 7U);
    std::array<unsigned char, 256> care;
    care.fill(0xFE);
    ASSERT_EQ(vcore_compare_ub(core_, 1000, expected.data(), care.data(), 256, &differences, &first), VCORE_OK);
    EXPECT_EQ(differences, 1U);
    EXPECT_EQ(first, 200U);
    care[200] = 0;
    ASSERT_EQ(vcore_compare_ub(core_, 1000, expected.data(), care.data(), 256, &differences, &first), VCORE_OK);
    EXPECT_EQ(differences, 0U);
    EXPECT_EQ(first, 256U);
}

TEST_F(CLibraryCalls, ResetForgetsAllButDiagnostics) {
    std::array<unsigned char, 256> data{};
    data.fill(1);
    ASSERT_EQ(vcore_write_vector(core_, 0, data.data(), 256), VCORE_OK);
    ASSERT_EQ(vcore_write_ub(core_, 0, data.data(), 256), VCORE_OK);
    perform(op(VCORE_VF_BEGIN));
    perform(load(1, 0));
    EXPECT_EQ(issue(load(1, 1)), VCORE_REFUSED);
    ASSERT_EQ(vcore_reset(core_), VCORE_OK);
    EXPECT_EQ(cycle(), 0U);
    std::array<unsigned char, 256> back{};
    std::array<unsigned char, 256> zero{};
    ASSERT_EQ(vcore_read_vector(core_, 0, back.data(), 256), VCORE_OK);
    EXPECT_EQ(back, zero);
    ASSERT_EQ(vcore_read_ub(core_, 0, back.data(), 256), VCORE_OK);
    EXPECT_EQ(back, zero);
    std::size_t count = 0;
    ASSERT_EQ(vcore_diagnostic_count(core_, &count), VCORE_OK);
    EXPECT_EQ(count, 1U);
    perform(op(VCORE_VF_BEGIN));  // no function is open
    perform(load(1, 0));
    perform(op(VCORE_VF_END));
}

/// Every configuration that could hang is refused, so the instance behind a handle is given one by hand.
TEST(CLibraryInstances, SayWhoWaitsForWhomAndGoOnAfterAReset) {
    vcore::engine::Configuration configuration = vcore::platforms::load_product("ascend950");
    configuration.timing.ub.writes_per_group = 0;  // no store is ever granted
    vcore::c_library::Instance instance(configuration, vcore::engine::Mode::approximately_timed);
    const auto issue = [&instance](vcore::isa::Op op) { return instance.issue(op, 0).fault; };
    issue(vcore::isa::VfBegin{});
    issue(vcore::isa::Duplicate{vcore::isa::ElementType::u32, vcore::isa::VregId{0}, 1});
    issue(vcore::isa::CreateMask{vcore::isa::ElementType::u32, vcore::isa::MregId{0}, vcore::isa::MaskPattern::all});
    issue(vcore::isa::Store{vcore::isa::ElementType::u32, vcore::isa::UbAddress{0}, vcore::isa::VregId{0},
                            vcore::isa::MregId{0}});
    instance.finish();
    EXPECT_THAT(instance.deadlock(), HasSubstr("nothing moves any more at cycle "));
    EXPECT_THAT(instance.deadlock(), HasSubstr("store "));
    EXPECT_THAT(instance.deadlock(), HasSubstr(" waits for banks"));
    instance.reset();
    EXPECT_EQ(instance.deadlock(), "");
    EXPECT_EQ(issue(vcore::isa::VfBegin{}), vcore::isa::DiagnosticId::none);
}

/// A gather of the core's own index pattern; returns the cycle at its end and a checksum.
std::pair<std::uint64_t, std::uint64_t> run_gather(vcore_handle core, unsigned step) {
    std::array<std::uint16_t, 128> index{};
    for (std::size_t i = 0; i < index.size(); ++i) index[i] = static_cast<std::uint16_t>(i * step);
    std::vector<std::uint16_t> table(65536);
    for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<std::uint16_t>(i * 7);
    EXPECT_EQ(vcore_write_ub(core, 0, table.data(), table.size() * 2), VCORE_OK);
    EXPECT_EQ(vcore_write_vector(core, 0, index.data(), 256), VCORE_OK);
    vcore_result result{};
    result.size = sizeof result;
    for (const vcore_op_kind kind : {VCORE_VF_BEGIN, VCORE_CREATE_MASK, VCORE_GATHER, VCORE_VF_END}) {
        vcore_op plain;
        EXPECT_EQ(vcore_op_init(&plain, sizeof plain, kind), VCORE_OK);
        plain.type = plain.src_type = VCORE_U16;
        plain.index_type = VCORE_U16;
        plain.dst = kind == VCORE_GATHER ? 1 : 0;
        EXPECT_EQ(vcore_issue(core, &plain, &result), VCORE_OK) << vcore_last_error();
    }
    std::uint64_t cycle = 0;
    EXPECT_EQ(vcore_finish(core, &cycle), VCORE_OK);
    std::array<std::uint16_t, 128> got{};
    EXPECT_EQ(vcore_read_vector(core, 1, got.data(), 256), VCORE_OK);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(got[i], static_cast<std::uint16_t>(i * step * 7));
        sum += got[i];
    }
    return {cycle, sum};
}

TEST(CLibraryInstances, LiveAndDieInAnyOrder) {
    std::vector<vcore_handle> cores(24);
    for (std::size_t i = 0; i < cores.size(); ++i) {
        const vcore_mode mode = i % 2 == 0 ? VCORE_MODE_LT : VCORE_MODE_AT;
        ASSERT_EQ(vcore_create("ascend950", nullptr, 0, mode, &cores[i]), VCORE_OK);
    }
    vcore_handle reference = 0;
    ASSERT_EQ(vcore_create("ascend950", nullptr, 0, VCORE_MODE_AT, &reference), VCORE_OK);
    const auto expected = run_gather(reference, 3);
    for (std::size_t i = 1; i < cores.size(); i += 4) {
        ASSERT_EQ(vcore_destroy(cores[i - 1]), VCORE_OK);
        EXPECT_EQ(run_gather(cores[i], 3), expected);
    }
    for (std::size_t i = cores.size(); i-- > 0;) vcore_destroy(cores[i]);
    EXPECT_EQ(vcore_destroy(reference), VCORE_OK);
}

TEST(CLibraryInstances, RunInThreadsOfTheirOwn) {
    vcore_handle reference = 0;
    ASSERT_EQ(vcore_create("ascend950", nullptr, 0, VCORE_MODE_AT, &reference), VCORE_OK);
    const auto expected = run_gather(reference, 5);
    ASSERT_EQ(vcore_destroy(reference), VCORE_OK);
    std::vector<std::thread> threads;
    std::atomic<int> right{0};
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int round = 0; round < 20; ++round) {
                vcore_handle core = 0;
                if (vcore_create("ascend950", nullptr, 0, VCORE_MODE_AT, &core) != VCORE_OK) return;
                if (run_gather(core, 5) == expected) ++right;
                vcore_destroy(core);
                vcore_destroy(core);  // leaves an error in this thread only
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(right, 80);
}

}  // namespace
