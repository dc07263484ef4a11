// The seven products: the figures and capabilities of the specification, written out here a second time.
#include "platforms/products.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace vcore::platforms {
namespace {

using engine::Configuration;
using engine::ConfigurationError;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

template <typename Call>
std::string error_of(Call call) {
    try {
        call();
    } catch (const ConfigurationError& error) {
        return error.what();
    }
    return "no error";
}

/// A file in the test's own temporary folder.
class TemporaryFile {
public:
    explicit TemporaryFile(const std::string& text)
        : path_(::testing::TempDir() + "vcore_" + ::testing::UnitTest::GetInstance()->current_test_info()->name() +
                "_" + std::to_string(++count_) + ".json") {
        std::ofstream(path_, std::ios::binary) << text;
    }
    ~TemporaryFile() { std::remove(path_.c_str()); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    const std::string& path() const { return path_; }

private:
    static inline int count_ = 0;
    std::string path_;
};

// ---- figures: "UB geometry" and "MTE" of the timing facts

struct Figures {
    std::string product;
    std::string architecture;
    double clock_mhz;
    std::uint64_t size;
    std::uint64_t reserved_from;
    std::uint32_t groups, banks, rows, row_bytes;
    timing::AddressOrder order;
    std::uint32_t sub_banks;
    std::uint32_t reads, writes;
    std::uint32_t mte_bytes;
    std::uint32_t tensor_head;
};

TEST(Products, FiguresAreThoseOfTheTable) {
    const auto rbg = timing::AddressOrder::row_bank_group;
    const auto brg = timing::AddressOrder::bank_row_group;
    const std::vector<Figures> table = {
        {"ascend950", "3510", 1650, 262144, 253952, 8, 2, 512, 32, rbg, 4, 2, 1, 128, 0},
        {"atlas-a3", "2201", 1850, 196608, 196608, 16, 3, 128, 32, brg, 1, 1, 1, 64, 24},
        {"atlas-a2", "2201", 1850, 196608, 196608, 16, 3, 128, 32, brg, 1, 1, 1, 64, 24},
        {"atlas-200i-500-a2", "3002", 1224, 262144, 262144, 16, 4, 128, 32, brg, 1, 1, 1, 128, 24},
        {"atlas-inference-aicore", "2002", 1060, 262144, 262144, 16, 4, 128, 32, brg, 1, 1, 1, 128, 24},
        {"atlas-inference-vectorcore", "2002", 1000, 262144, 262144, 16, 4, 128, 32, brg, 1, 1, 1, 128, 24},
        {"atlas-training", "1001", 1000, 262144, 262144, 16, 4, 128, 32, brg, 1, 1, 1, 64, 24},
    };
    std::vector<std::string> names;
    for (const Figures& expected : table) {
        SCOPED_TRACE(expected.product);
        names.push_back(expected.product);
        const Configuration c = load_product(expected.product);
        EXPECT_EQ(c.product, expected.product);
        EXPECT_EQ(c.capabilities.product, expected.product);
        EXPECT_EQ(c.architecture, expected.architecture);
        EXPECT_EQ(c.clock_mhz, expected.clock_mhz);
        EXPECT_EQ(c.capabilities.ub_bytes, expected.size);
        EXPECT_EQ(c.capabilities.ub_reserved_from, expected.reserved_from);
        EXPECT_EQ(c.timing.ub.bank_groups, expected.groups);
        EXPECT_EQ(c.timing.ub.banks_per_group, expected.banks);
        EXPECT_EQ(c.timing.ub.rows_per_bank, expected.rows);
        EXPECT_EQ(c.timing.ub.row_bytes, expected.row_bytes);
        EXPECT_EQ(c.timing.ub.bytes(), expected.size);
        EXPECT_EQ(c.timing.ub.order, expected.order);
        EXPECT_EQ(c.timing.ub.sub_banks, expected.sub_banks);
        EXPECT_EQ(c.timing.ub.sub_bank_scope, timing::SubBankScope::group);
        EXPECT_EQ(c.timing.ub.reads_per_group, expected.reads);
        EXPECT_EQ(c.timing.ub.writes_per_group, expected.writes);
        EXPECT_EQ(c.timing.ub.accesses_per_group, 2u);
        EXPECT_EQ(c.timing.mte.bytes_per_cycle, expected.mte_bytes);
        EXPECT_EQ(c.timing.mte.latency, 0u);
        EXPECT_EQ(c.timing.pipeline.tensor_head, expected.tensor_head);
        EXPECT_EQ(c.timing.pipeline.tensor_write_lag, expected.architecture == "2201" ? 13u : 1u);  // our own
        EXPECT_EQ(c.timing.ub.max_wait, 256u);                                                      // our own
        EXPECT_TRUE(c.hazard_detector);
        EXPECT_TRUE(c.uninitialised_detector);
        EXPECT_FALSE(c.bank_traffic);
    }
    EXPECT_EQ(product_names(), names);
}

TEST(Products, PipelineOf3510) {
    const timing::Parameters t = load_product("ascend950").timing;
    EXPECT_EQ(t.pipeline.vf_start, 23u);
    EXPECT_EQ(t.pipeline.vf_drain, 12u);
    EXPECT_EQ(t.pipeline.dispatch_width, 5u);
    EXPECT_EQ(t.pipeline.shared_queue, 58u);
    EXPECT_EQ(t.pipeline.unit_queue, 26u);
    EXPECT_EQ(t.pipeline.physical_registers, 68u);
    EXPECT_EQ(t.pipeline.load_ports, 2u);
    EXPECT_EQ(t.pipeline.store_ports, 1u);
    EXPECT_EQ(t.pipeline.memory_issues, 2u);
    EXPECT_EQ(t.pipeline.execution_units, 2u);
    EXPECT_EQ(t.latency.load, 9u);
    EXPECT_EQ(t.latency.store, 9u);
    EXPECT_EQ(t.latency.gather, 27u);
    EXPECT_EQ(t.latency.gather_block, 21u);
    EXPECT_EQ(t.latency.scatter, 13u);
    EXPECT_EQ(t.latency.add, 7u);
    EXPECT_EQ(t.latency.forward_add_add, 3u);
    EXPECT_EQ(t.latency.forward_add_store, 5u);
    EXPECT_EQ(t.latency.forward_load_arithmetic, 6u);
    EXPECT_EQ(t.interval.load, 1u);
    EXPECT_EQ(t.interval.store, 1u);
    EXPECT_EQ(t.interval.block_load, 1u);
    EXPECT_EQ(t.interval.block_store, 1u);
    EXPECT_EQ(t.interval.mask_load, 1u);
    EXPECT_EQ(t.interval.mask_store, 1u);
    EXPECT_EQ(t.interval.mask_create, 1u);
    EXPECT_EQ(t.interval.mask_gen, 4u);
    EXPECT_EQ(t.interval.gather, 2u);
    EXPECT_EQ(t.interval.gather_block, 2u);
    EXPECT_EQ(t.interval.gather_register, 4u);
    EXPECT_EQ(t.interval.scatter, 2u);
    EXPECT_EQ(t.interval.add_float, 1u);
    EXPECT_EQ(t.interval.add_integer, 2u);
    // No public figures: our own.
    EXPECT_EQ(t.pipeline.vf_overlap, 1u);
    EXPECT_EQ(t.latency.forward_block_load_arithmetic, 8u);
    EXPECT_EQ(t.latency.gather_register, 8u);
    EXPECT_EQ(t.latency.mask_load, 9u);
    EXPECT_EQ(t.latency.mask_store, 9u);
    EXPECT_EQ(t.latency.mask_create, 0u);
    EXPECT_EQ(t.latency.mask_gen, 8u);
    EXPECT_EQ(t.latency.duplicate, 7u);
    EXPECT_EQ(t.latency.move, 7u);
    EXPECT_EQ(t.interval.add_half, 1u);
    EXPECT_EQ(t.interval.duplicate, 1u);
    EXPECT_EQ(t.interval.move, 1u);
    EXPECT_EQ(t.ub.read_latency, 1u);
    EXPECT_EQ(t.ub.write_latency, 1u);
    EXPECT_EQ(t.gather_scatter.lanes_per_beat_b32, 32u);
    EXPECT_EQ(t.gather_scatter.lanes_per_beat_b16, 64u);
    EXPECT_EQ(t.gather_scatter.minimum_block_beats, 2u);
}

// ---- capabilities

std::string types_of(const isa::TypeSet& set) {
    std::string names;
    for (std::size_t i = 0; i < isa::kElementTypes; ++i) {
        const auto type = static_cast<isa::ElementType>(i);
        if (set.contains(type)) names += (names.empty() ? "" : " ") + std::string(isa::name(type));
    }
    return names;
}

struct Abilities {
    std::string product;
    bool vector_functions;
    std::string scatter;
    std::string scatter_masked;
    std::string add;
};

TEST(Products, AdviceNeverNamesTheProductThatLacksIt) {
    const engine::Configuration changed = load_product("ascend950", {"capabilities.vector_functions=false"});
    EXPECT_EQ(changed.capabilities.vector_functions_on, "");
    EXPECT_EQ(changed.capabilities.tensor_add_on, "atlas-a3, atlas-a2");
}

TEST(Products, CapabilitiesAreThoseOfTheTable) {
    const std::vector<Abilities> table = {
        {"ascend950", true, "s8 u8 s16 u16 half bf16 s32 u32 float s64 u64", "s16 u16 half bf16 s32 u32 float s64 u64",
         ""},
        {"atlas-a3", false, "", "", "float"},
        {"atlas-a2", false, "", "", "float"},
        {"atlas-200i-500-a2", false, "s8 u8 s16 u16 half s32 u32 float", "s8 u8 s16 u16 half s32 u32 float", ""},
        {"atlas-inference-aicore", false, "u16 half u32 float", "u16 half u32 float", ""},
        {"atlas-inference-vectorcore", false, "", "", ""},
        {"atlas-training", false, "", "", ""},
    };
    for (const Abilities& expected : table) {
        SCOPED_TRACE(expected.product);
        const isa::Capabilities c = load_product(expected.product).capabilities;
        EXPECT_EQ(c.vector_functions, expected.vector_functions);
        EXPECT_EQ(types_of(c.tensor_scatter), expected.scatter);
        EXPECT_EQ(types_of(c.tensor_scatter_masked), expected.scatter_masked);
        EXPECT_EQ(types_of(c.tensor_add), expected.add);
        EXPECT_EQ(c.scatter_duplicate, isa::ScatterDuplicate::lowest_lane);
        EXPECT_EQ(c.empty_scatter_warns, expected.product == "ascend950");
        EXPECT_EQ(c.vector_functions_on, "ascend950");
        EXPECT_EQ(c.tensor_scatter_on, "ascend950, atlas-200i-500-a2, atlas-inference-aicore");
        EXPECT_EQ(c.tensor_add_on, "atlas-a3, atlas-a2");
    }
}

TEST(Products, OffsetLimitsOfTheTensorScatter) {
    for (const char* product : {"ascend950", "atlas-200i-500-a2"}) {
        EXPECT_EQ(load_product(product).capabilities.offset_limit_b8, 65535u) << product;
        EXPECT_EQ(load_product(product).capabilities.offset_limit_b16, 131071u) << product;
    }
    EXPECT_EQ(load_product("atlas-inference-aicore").capabilities.offset_limit_b8, 0xFFFFFFFFu);
    EXPECT_EQ(load_product("atlas-inference-aicore").capabilities.offset_limit_b16, 0xFFFFFFFFu);
}

TEST(Products, AliasesAreTheSameMachine) {
    const std::string hash = load_product("ascend950").hash;
    for (const char* alias : {"ascend950pr", "ascend950dt", "atlas350"}) {
        EXPECT_EQ(load_product(alias).hash, hash) << alias;
        EXPECT_EQ(load_product(alias).product, "ascend950") << alias;
        EXPECT_EQ(product_json(alias), product_json("ascend950")) << alias;
    }
}

TEST(Products, HashesDiffer) {
    std::set<std::string> hashes;
    for (const std::string& name : product_names()) hashes.insert(load_product(name).hash);
    EXPECT_EQ(hashes.size(), 7u);
}

TEST(Products, EveryFigureOfEveryProductHasAMarkAndASource) {
    for (const std::string& name : product_names()) {
        const auto described = nlohmann::json::parse(describe(name));
        for (const engine::KeyInfo& key : engine::key_table()) {
            if (key.key == "ub.bank_group.N.implementation") continue;
            SCOPED_TRACE(name + " " + key.key);
            const std::size_t dot = key.key.find('.');
            const auto& value = dot == std::string::npos
                                    ? described.at(key.key)
                                    : described.at(key.key.substr(0, dot)).at(key.key.substr(dot + 1));
            const bool is_name =
                std::set<std::string>{"product", "title", "aliases", "architecture"}.count(key.key) != 0;
            ASSERT_EQ(value.is_object(), !is_name);
            if (is_name) continue;
            EXPECT_THAT(value.at("mark").get<std::string>(), ::testing::AnyOf("S", "D", "M", "3", "I", "P"));
            EXPECT_FALSE(value.at("source").get<std::string>().empty());
        }
    }
}

TEST(Products, UnknownNamesLeadToTheNearest) {
    EXPECT_EQ(error_of([] { load_product("asend950"); }), "unknown product 'asend950'; did you mean ascend950?");
    EXPECT_EQ(error_of([] { load_product("Ascend950PR"); }),
              "unknown product 'Ascend950PR'; did you mean ascend950pr?");
    EXPECT_EQ(error_of([] { product_json("atlas_a2"); }), "unknown product 'atlas_a2'; did you mean atlas-a2?");
    EXPECT_EQ(error_of([] { describe("atlas-trainin"); }),
              "unknown product 'atlas-trainin'; did you mean atlas-training?");
    const std::string all =
        "the products are ascend950, atlas-a3, atlas-a2, atlas-200i-500-a2, atlas-inference-aicore, "
        "atlas-inference-vectorcore, atlas-training";
    EXPECT_EQ(error_of([] { load_product("gpu"); }), "unknown product 'gpu'; " + all);
    EXPECT_EQ(error_of([] { load_product(""); }), "unknown product ''; " + all);
}

TEST(Products, TheProductCanBeOverridden) {
    EXPECT_EQ(load_product("ascend950", {"product=atlas-a2"}).hash, load_product("atlas-a2").hash);
    EXPECT_EQ(load_product("ascend950", {"clock_mhz=9", "product=atlas350"}).clock_mhz, 9.0);
    EXPECT_EQ(error_of([] { load_product("ascend950", {"product=atlas-a22"}); }),
              "unknown product 'atlas-a22'; did you mean atlas-a2?");
}

TEST(Products, MessagesAboutAProductsOwnFileNameIt) {
    EXPECT_THAT(error_of([] { load_product("atlas-a2", {"ub.banks_per_group=1"}); }),
                StartsWith("atlas-a2.json: /ub/size_bytes: found 196608, expected at most what the geometry holds"));
}

// ---- files

TEST(ProductFiles, DescribeIsAFileWithTheSameHash) {
    for (const std::string& name : product_names()) {
        const std::vector<std::string> overrides = {"clock_mhz=333.25", "latency.load=11", "detectors.hazard=false"};
        const TemporaryFile plain(describe(name));
        const TemporaryFile changed(describe(name, overrides));
        EXPECT_EQ(load_file(plain.path()).hash, load_product(name).hash) << name;
        EXPECT_EQ(load_file(changed.path()).hash, load_product(name, overrides).hash) << name;
        EXPECT_EQ(describe(plain.path()), describe(name)) << name;
        EXPECT_EQ(describe(changed.path()), describe(name, overrides)) << name;
    }
}

TEST(ProductFiles, AUsersOwnProductOnABase) {
    const TemporaryFile file(R"({
        "comment": "half the banks",
        "base": "atlas350",
        "product": "my-chip",
        "clock_mhz": 2000,
        "ub": {"bank_groups": {"value": 4, "mark": "P", "source": "a trial"}, "size_bytes": 131072, "reserved_bytes": 0}
    })");
    const Configuration c = load_file(file.path(), {"latency.gather=30"});
    EXPECT_EQ(c.product, "my-chip");
    EXPECT_EQ(c.capabilities.product, "my-chip");
    EXPECT_TRUE(c.aliases.empty());
    EXPECT_EQ(c.clock_mhz, 2000.0);
    EXPECT_EQ(c.timing.ub.bank_groups, 4u);
    EXPECT_EQ(c.timing.ub.banks_per_group, 2u);
    EXPECT_EQ(c.timing.latency.gather, 30u);
    EXPECT_EQ(c.capabilities.ub_bytes, 131072u);
    EXPECT_EQ(c.capabilities.vector_functions_on, "ascend950");
    const TemporaryFile described(describe(file.path(), {"latency.gather=30"}));
    EXPECT_EQ(load_file(described.path()).hash, c.hash);
}

TEST(ProductFiles, AKnownProductsNameServesAsBase) {
    const TemporaryFile file(R"({"product": "atlas-a2", "clock_mhz": 1000})");
    EXPECT_EQ(load_file(file.path()).hash, load_product("atlas-a2", {"clock_mhz=1000"}).hash);
    const TemporaryFile alias(R"({"product": {"value": "atlas350"}})");
    EXPECT_EQ(load_file(alias.path()).hash, load_product("ascend950").hash);
}

TEST(ProductFiles, ASelfContainedProduct) {
    auto text = nlohmann::json::parse(product_json("atlas-training"));
    text["product"] = "own-silicon";
    text["title"] = "Own silicon";
    text.erase("aliases");
    const TemporaryFile file(text.dump());
    const Configuration c = load_file(file.path());
    EXPECT_EQ(c.product, "own-silicon");
    EXPECT_EQ(c.clock_mhz, 1000.0);
    EXPECT_NE(c.hash, load_product("atlas-training").hash);
}

TEST(ProductFiles, ErrorsNameThePath) {
    EXPECT_EQ(error_of([] { load_file("/nonexistent/my.json"); }),
              "/nonexistent/my.json: cannot be read: No such file or directory");
    EXPECT_EQ(error_of([] { describe("nonexistent.json"); }),
              "nonexistent.json: cannot be read: No such file or directory");
    const std::string folder = ::testing::TempDir();
    EXPECT_EQ(error_of([&] { load_file(folder); }), folder + ": found a directory, expected a configuration file");
    const TemporaryFile broken("{\n  \"base\": \"ascend950\",\n}\n");
    EXPECT_EQ(
        error_of([&] { load_file(broken.path()); }),
        broken.path() + ":3:1: found '}', expected a key in double quotes (is the comma before it one too many?)");
    const TemporaryFile misspelt(R"({"base": "ascend590"})");
    EXPECT_EQ(error_of([&] { load_file(misspelt.path()); }),
              misspelt.path() + ": /base: unknown product 'ascend590'; did you mean ascend950?");
    const TemporaryFile number(R"({"base": 950})");
    EXPECT_EQ(error_of([&] { load_file(number.path()); }),
              number.path() + ": /base: found 950, expected the name of a product");
    const TemporaryFile unbased(R"({"product": "ascend951", "clock_mhz": 5})");
    EXPECT_THAT(error_of([&] { load_file(unbased.path()); }),
                ::testing::AllOf(StartsWith(unbased.path() + ": /title: missing key title"),
                                 HasSubstr("'ascend951' is no known product, did you mean ascend950?")));
    const TemporaryFile whole(describe("ascend950"));
    EXPECT_EQ(error_of([&] { load_file(whole.path(), {"product=atlas-a2"}); }),
              "--set product: " + whole.path() + " says which product it describes; change it there");
}

TEST(ProductFiles, AnEndlessFileIsRefused) {
    EXPECT_EQ(error_of([] { load_file("/dev/zero"); }),
              "/dev/zero: found more than 1048576 bytes, expected a configuration");
}

// ---- tables

/// Cells of the Markdown row that starts with `name`, of the table whose header starts with `header`.
std::vector<std::string> markdown_row(const std::string& text, const std::string& header, const std::string& name) {
    std::size_t at = text.find("| " + header + " |");
    if (at == std::string::npos) return {};
    at = text.find("\n| " + name + " |", at);
    if (at == std::string::npos) return {};
    const std::string line = text.substr(at + 1, text.find('\n', at + 1) - at - 1);
    std::vector<std::string> cells;
    for (std::size_t from = 2; from < line.size();) {
        const std::size_t to = line.find(" |", from);
        cells.push_back(line.substr(from, to - from));
        from = to + 3;
    }
    return cells;
}

TEST(ProductTables, MarkdownHoldsEveryProduct) {
    const std::string text = products_table(true);
    EXPECT_THAT(
        markdown_row(text, "product | also", "ascend950"),
        ElementsAre("ascend950", "ascend950pr ascend950dt atlas350", "3510", "yes",
                    "s8 u8 s16 u16 half bf16 s32 u32 float s64 u64", "s16 u16 half bf16 s32 u32 float s64 u64", "no"));
    EXPECT_THAT(markdown_row(text, "product | also", "atlas-a2"),
                ElementsAre("atlas-a2", "", "2201", "no", "no", "no", "float"));
    EXPECT_THAT(
        markdown_row(text, "product | also", "atlas-inference-aicore"),
        ElementsAre("atlas-inference-aicore", "", "2002", "no", "u16 half u32 float", "u16 half u32 float", "no"));
    EXPECT_THAT(markdown_row(text, "product | clock MHz", "atlas-a3"),
                ElementsAre("atlas-a3", "1850", "196608", "0", "16 x 3 x 128 x 32", "bank, row, group, byte", "none",
                            "1 + 1", "64"));
    EXPECT_THAT(markdown_row(text, "product | clock MHz", "ascend950"),
                ElementsAre("ascend950", "1650", "262144", "8192", "8 x 2 x 512 x 32", "row, bank, group, byte",
                            "4 x 8 B", "2 + 1", "128"));
    for (const std::string& name : product_names()) {
        EXPECT_EQ(markdown_row(text, "product | also", name).size(), 7u) << name;
        EXPECT_EQ(markdown_row(text, "product | clock MHz", name).size(), 9u) << name;
        EXPECT_EQ(markdown_row(text, "product | the vendor's names", name).size(), 2u) << name;
    }
}

TEST(ProductTables, PlainTextHasNoTrailingBlanksAndAlignedColumns) {
    const std::string text = products_table();
    EXPECT_THAT(text, ::testing::Not(HasSubstr(" \n")));
    EXPECT_THAT(text, HasSubstr("atlas-training              1000       262144    0         16 x 4 x 128 x 32"));
    EXPECT_THAT(text, HasSubstr("Ascend 950PR / 950DT, Atlas 350 card"));
}

TEST(ProductTables, KeysTableNamesEveryKey) {
    const std::string markdown = keys_table(true);
    const std::string plain = keys_table();
    for (const engine::KeyInfo& key : engine::key_table()) {
        EXPECT_THAT(markdown, HasSubstr("| " + key.key + " |"));
        EXPECT_THAT(plain, HasSubstr("\n" + key.key + " "));
    }
    EXPECT_THAT(markdown, HasSubstr("| ub.sub_bank_scope | group \\| bank |"));
}

}  // namespace
}  // namespace vcore::platforms
