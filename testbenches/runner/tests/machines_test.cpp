// Every program of the tree, through the SystemC model and through the core alone: one report, to the byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "platforms/products.hpp"
#include "testbenches/runner/core_machine.hpp"
#include "testbenches/runner/interpreter.hpp"
#include "testbenches/runner/report.hpp"
#include "testbenches/runner/tests/process.hpp"

namespace vcore::runner {
namespace {

std::string content_of(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

constexpr engine::Mode kModes[] = {engine::Mode::loosely_timed, engine::Mode::approximately_timed};

std::string report_of_core(const std::filesystem::path& path, const std::string& product, engine::Mode mode) {
    const Program program = parse_program(content_of(path));
    CoreMachine machine(platforms::load_product(product), mode);
    Interpreter interpreter(program, path.parent_path().string(), machine, [](const Dump&) {});
    interpreter.run();
    return report_json(program, interpreter.result(), machine);
}

std::vector<std::filesystem::path> programs() {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(VCORE_PROGRAMS)) {
        if (entry.path().extension() == ".vprog") paths.push_back(entry.path());
    }
    return paths;
}

class Machines : public ::testing::TestWithParam<std::string> {};

TEST_P(Machines, AgreeOnEveryProgram) {
    const tests::TemporaryFolder folder;
    ASSERT_GE(programs().size(), 8u);
    for (const auto& path : programs()) {
        for (const engine::Mode mode : kModes) {
            const std::string name(mode_name(mode));
            const auto run = tests::run_vcore_sim(
                {"run", path.string(), "--product", GetParam(), "--mode", name, "--report", "r.json", "--quiet"},
                folder.path());
            EXPECT_EQ(run.out, "") << path;
            if (GetParam() == "ascend950") {
                EXPECT_EQ(run.status, 0) << path << run.err;
            }
            EXPECT_EQ(folder.read("r.json"), report_of_core(path, GetParam(), mode)) << path << " " << name;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Products, Machines, ::testing::ValuesIn(platforms::product_names()), [](const auto& product) {
    std::string name = product.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

/// Ops of every statement, at random and mostly wrong, so that refusals and warnings agree as well.
TEST(MachinesAlike, AgreeOnAProgramOfEverything) {
    const tests::TemporaryFolder folder;
    const std::string input = folder.write("in.bin", std::string(1024, 'x'));
    const std::string path = folder.write("all.vprog", R"(
on_fault continue
let n = 300
data 0x0400 half iota 300
data 0x1000 u16 iota 384 start=383 step=-1
data 0x3000 u32 iota 128 start=254 step=-2
mte.in 0x8000 1024 "in.bin"
mte.in 0x8400 512 at=700
mte.out 0x8000 64 "out.bin" offset=32
mte.in 0x40000 32
mte.in 0x3FFE1 32
vf repeat=3 {
  for i in 0..4 {
    mask.update m0 b16 n
    mask.create m1 b32 M3
    mask.gen m2 b16 v0 part=i+13
    mask.load m3 [0x8000 + i*16] us
    mask.store [0x9000 + i*16] m3 pack
    load v0 u16 [0x1000 + i*256]
    load v4:v5 u64 [0x8000]
    gather v1 half [0x0400] v0 u16 m0
    gather v6 s8 [0x0400] v0 u16 m0
    gather v7:v8 u64 [0x8000] v0 u32 m1
    gather.reg v2 half v1 v0
    gather.block v3 b32 [0x8000] v9 m1
    store [0x5000 + i*256] half v1 m0
    scatter [0x6000] half v1 v0 u16 m0
    load.block v10 float [0x8000] stride=2 m1
    store.block [0xA000] float v10 stride=1 m1
    add v11 s16 v1 v2 m0
    adds v12 float v10 1.5 m1
    dup v13 u8 0x5A
    barrier VV_ALL
    load v32 u8 [0]
    store [0x3FFF0] u8 v13 m1
  }
}
tensor.scatter half dst=0x2000 src=0x0400 offset=0x3000 base=0 count=128
tensor.scatter half dst=0x2000 src=0x0400 offset=0x3000 base=0 mask=64 repeat=2
tensor.scatter half dst=0x2000 src=0x0400 offset=0x3000 base=1 count=128
tensor.add float dst=0 src0=0 src1=0 count=64
dump 0x2000 half 128
dump 0x6000 half 300
dump v1 half
dump v4:v5 u64
dump v12 float
dump m3 b8
expect v1 half 1 2 3
)");
    for (const std::string& product : platforms::product_names()) {
        for (const engine::Mode mode : kModes) {
            const std::string name(mode_name(mode));
            const auto run = tests::run_vcore_sim(
                {"run", path, "--product", product, "--mode", name, "--report", "r.json", "--quiet"}, folder.path());
            EXPECT_EQ(run.status, 3) << run.err;
            EXPECT_EQ(folder.read("r.json"), report_of_core(path, product, mode)) << product << " " << name;
        }
    }
}

}  // namespace
}  // namespace vcore::runner
