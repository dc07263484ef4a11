// Configuration: every key reaches its field, every wrong text is refused with a message that says where and why.
#include "models/engine/configuration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "models/engine/nearest_name.hpp"
#include "platforms/products.hpp"

namespace vcore::engine {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string_view complete_text() {
    return platforms::product_json("ascend950");
}

Configuration load(const std::vector<std::string>& overrides = {}) {
    return load_configuration(complete_text(), "ascend950.json", overrides);
}

/// What load_configuration() says against a user's text on top of ascend950.
std::string error_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
    try {
        load_configuration(text, "my.json", overrides, complete_text());
    } catch (const ConfigurationError& error) {
        return error.what();
    }
    return "no error";
}

std::string override_error(const std::string& assignment) {
    return error_of("{}", {assignment});
}

// ---- every key reaches its field

struct Override {
    std::string key;
    std::string value;
    std::function<bool(const Configuration&)> took_effect;
};

#define EFFECT(condition) [](const Configuration& c) { return condition; }

/// One value per key that differs from ascend950's.
const std::vector<Override>& overrides() {
    using isa::ElementType;
    static const std::vector<Override> table = {
        {"product", "mine", EFFECT(c.product == "mine" && c.capabilities.product == "mine")},
        {"title", "\"My own\"", EFFECT(c.title == "My own")},
        {"aliases", "[\"a\", \"b\"]", EFFECT((c.aliases == std::vector<std::string>{"a", "b"}))},
        {"architecture", "9999", EFFECT(c.architecture == "9999")},
        {"clock_mhz", "1234.5", EFFECT(c.clock_mhz == 1234.5)},
        {"capabilities.vector_functions", "false", EFFECT(!c.capabilities.vector_functions)},
        {"capabilities.tensor_scatter_types", "s16 u16 half bf16 s32 u32 float s64 u64",
         EFFECT(!c.capabilities.tensor_scatter.contains(ElementType::s8) &&
                c.capabilities.tensor_scatter.contains(ElementType::u64))},
        {"capabilities.tensor_scatter_masked_types", "half,float",
         EFFECT(c.capabilities.tensor_scatter_masked.contains(ElementType::half) &&
                c.capabilities.tensor_scatter_masked.contains(ElementType::f32) &&
                !c.capabilities.tensor_scatter_masked.contains(ElementType::u32))},
        {"capabilities.offset_limit_b8", "100", EFFECT(c.capabilities.offset_limit_b8 == 100)},
        {"capabilities.offset_limit_b16", "101", EFFECT(c.capabilities.offset_limit_b16 == 101)},
        {"capabilities.empty_scatter_warns", "false", EFFECT(!c.capabilities.empty_scatter_warns)},
        {"capabilities.tensor_add_types", "[\"float\"]",
         EFFECT(c.capabilities.tensor_add.contains(ElementType::f32) &&
                !c.capabilities.tensor_add.contains(ElementType::half))},
        {"scatter_duplicate", "highest_lane",
         EFFECT(c.capabilities.scatter_duplicate == isa::ScatterDuplicate::highest_lane)},
        {"ub.size_bytes", "0x3E000",
         EFFECT(c.capabilities.ub_bytes == 253952 && c.capabilities.ub_reserved_from == 253952)},
        {"ub.reserved_bytes", "4096",
         EFFECT(c.ub_reserved_bytes == 4096 && c.capabilities.ub_reserved_from == 262144 - 4096)},
        {"ub.bank_groups", "16", EFFECT(c.timing.ub.bank_groups == 16)},
        {"ub.banks_per_group", "3", EFFECT(c.timing.ub.banks_per_group == 3)},
        {"ub.rows_per_bank", "600", EFFECT(c.timing.ub.rows_per_bank == 600)},
        {"ub.row_bytes", "64", EFFECT(c.timing.ub.row_bytes == 64)},
        {"ub.address_order", "bank_row_group", EFFECT(c.timing.ub.order == timing::AddressOrder::bank_row_group)},
        {"ub.sub_banks", "2", EFFECT(c.timing.ub.sub_banks == 2)},
        {"ub.sub_bank_scope", "bank", EFFECT(c.timing.ub.sub_bank_scope == timing::SubBankScope::bank)},
        {"ub.reads_per_group", "3", EFFECT(c.timing.ub.reads_per_group == 3)},
        {"ub.writes_per_group", "4", EFFECT(c.timing.ub.writes_per_group == 4)},
        {"ub.accesses_per_group", "5", EFFECT(c.timing.ub.accesses_per_group == 5)},
        {"ub.read_latency", "205", EFFECT(c.timing.ub.read_latency == 205)},
        {"ub.write_latency", "206", EFFECT(c.timing.ub.write_latency == 206)},
        {"ub.priority", "mte gather_scatter load_store",
         EFFECT((c.timing.ub.priority == std::array<timing::Requester, 3>{timing::Requester::mte,
                                                                          timing::Requester::gather_scatter,
                                                                          timing::Requester::load_store}))},
        {"ub.max_wait", "207", EFFECT(c.timing.ub.max_wait == 207)},
        {"ub.bank_traffic", "true", EFFECT(c.bank_traffic)},
        {"pipeline.vf_start", "301", EFFECT(c.timing.pipeline.vf_start == 301)},
        {"pipeline.vf_drain", "302", EFFECT(c.timing.pipeline.vf_drain == 302)},
        {"pipeline.vf_overlap", "303", EFFECT(c.timing.pipeline.vf_overlap == 303)},
        {"pipeline.dispatch_width", "4", EFFECT(c.timing.pipeline.dispatch_width == 4)},
        {"pipeline.shared_queue", "305", EFFECT(c.timing.pipeline.shared_queue == 305)},
        {"pipeline.unit_queue", "306", EFFECT(c.timing.pipeline.unit_queue == 306)},
        {"pipeline.physical_registers", "307", EFFECT(c.timing.pipeline.physical_registers == 307)},
        {"pipeline.load_ports", "3", EFFECT(c.timing.pipeline.load_ports == 3)},
        {"pipeline.store_ports", "4", EFFECT(c.timing.pipeline.store_ports == 4)},
        {"pipeline.memory_issues", "5", EFFECT(c.timing.pipeline.memory_issues == 5)},
        {"pipeline.execution_units", "6", EFFECT(c.timing.pipeline.execution_units == 6)},
        {"pipeline.tensor_head", "312", EFFECT(c.timing.pipeline.tensor_head == 312)},
        {"pipeline.tensor_write_lag", "313", EFFECT(c.timing.pipeline.tensor_write_lag == 313)},
        {"latency.load", "401", EFFECT(c.timing.latency.load == 401)},
        {"latency.store", "402", EFFECT(c.timing.latency.store == 402)},
        {"latency.gather", "403", EFFECT(c.timing.latency.gather == 403)},
        {"latency.gather_block", "404", EFFECT(c.timing.latency.gather_block == 404)},
        {"latency.gather_register", "405", EFFECT(c.timing.latency.gather_register == 405)},
        {"latency.scatter", "406", EFFECT(c.timing.latency.scatter == 406)},
        {"latency.mask_load", "407", EFFECT(c.timing.latency.mask_load == 407)},
        {"latency.mask_store", "408", EFFECT(c.timing.latency.mask_store == 408)},
        {"latency.mask_create", "409", EFFECT(c.timing.latency.mask_create == 409)},
        {"latency.mask_gen", "410", EFFECT(c.timing.latency.mask_gen == 410)},
        {"latency.add", "411", EFFECT(c.timing.latency.add == 411)},
        {"latency.duplicate", "412", EFFECT(c.timing.latency.duplicate == 412)},
        {"latency.move", "417", EFFECT(c.timing.latency.move == 417)},
        {"latency.forward_add_add", "413", EFFECT(c.timing.latency.forward_add_add == 413)},
        {"latency.forward_add_store", "414", EFFECT(c.timing.latency.forward_add_store == 414)},
        {"latency.forward_load_arithmetic", "415", EFFECT(c.timing.latency.forward_load_arithmetic == 415)},
        {"latency.forward_block_load_arithmetic", "416", EFFECT(c.timing.latency.forward_block_load_arithmetic == 416)},
        {"interval.load", "101", EFFECT(c.timing.interval.load == 101)},
        {"interval.store", "102", EFFECT(c.timing.interval.store == 102)},
        {"interval.block_load", "103", EFFECT(c.timing.interval.block_load == 103)},
        {"interval.block_store", "104", EFFECT(c.timing.interval.block_store == 104)},
        {"interval.mask_load", "105", EFFECT(c.timing.interval.mask_load == 105)},
        {"interval.mask_store", "106", EFFECT(c.timing.interval.mask_store == 106)},
        {"interval.mask_create", "107", EFFECT(c.timing.interval.mask_create == 107)},
        {"interval.mask_gen", "108", EFFECT(c.timing.interval.mask_gen == 108)},
        {"interval.gather", "109", EFFECT(c.timing.interval.gather == 109)},
        {"interval.gather_block", "110", EFFECT(c.timing.interval.gather_block == 110)},
        {"interval.gather_register", "111", EFFECT(c.timing.interval.gather_register == 111)},
        {"interval.scatter", "112", EFFECT(c.timing.interval.scatter == 112)},
        {"interval.add_float", "113", EFFECT(c.timing.interval.add_float == 113)},
        {"interval.add_half", "114", EFFECT(c.timing.interval.add_half == 114)},
        {"interval.add_integer", "115", EFFECT(c.timing.interval.add_integer == 115)},
        {"interval.duplicate", "116", EFFECT(c.timing.interval.duplicate == 116)},
        {"interval.move", "117", EFFECT(c.timing.interval.move == 117)},
        {"gather_scatter.lanes_per_beat_b32", "61", EFFECT(c.timing.gather_scatter.lanes_per_beat_b32 == 61)},
        {"gather_scatter.lanes_per_beat_b16", "62", EFFECT(c.timing.gather_scatter.lanes_per_beat_b16 == 62)},
        {"gather_scatter.minimum_block_beats", "63", EFFECT(c.timing.gather_scatter.minimum_block_beats == 63)},
        {"mte.bytes_per_cycle", "704", EFFECT(c.timing.mte.bytes_per_cycle == 704)},
        {"mte.latency", "702", EFFECT(c.timing.mte.latency == 702)},
        {"detectors.hazard", "false", EFFECT(!c.hazard_detector)},
        {"detectors.uninitialised", "false", EFFECT(!c.uninitialised_detector)},
    };
    return table;
}

#undef EFFECT

/// Only one of their two choices exists in this version: they can be given, never changed.
const std::set<std::string> kFixedKeys = {"ub.bank_group.N.implementation", "gather_scatter.implementation"};

TEST(ConfigurationKeys, EveryKeyOfTheTableIsTestedBelow) {
    std::set<std::string> tested = kFixedKeys;
    for (const Override& one : overrides()) EXPECT_TRUE(tested.insert(one.key).second) << one.key;
    std::set<std::string> listed;
    for (const KeyInfo& key : key_table()) EXPECT_TRUE(listed.insert(key.key).second) << key.key;
    EXPECT_EQ(tested, listed);
}

TEST(ConfigurationKeys, AnOverrideReachesItsFieldAndChangesTheHash) {
    const std::string before = load().hash;
    std::set<std::string> hashes = {before};
    for (const Override& one : overrides()) {
        SCOPED_TRACE(one.key);
        EXPECT_FALSE(one.took_effect(load())) << "the test's value must differ from the product's";
        const Configuration changed = load({one.key + "=" + one.value});
        EXPECT_TRUE(one.took_effect(changed));
        EXPECT_TRUE(hashes.insert(changed.hash).second) << "the hash is that of another configuration";
    }
}

TEST(ConfigurationKeys, AFileReachesTheSameFieldsNestedAndDotted) {
    for (const Override& one : overrides()) {
        SCOPED_TRACE(one.key);
        auto value = nlohmann::json::parse(one.value, nullptr, false);
        if (value.is_discarded()) value = one.value == "0x3E000" ? nlohmann::json(0x3E000) : nlohmann::json(one.value);
        const nlohmann::json dotted = {{one.key, value}};
        nlohmann::json nested = {{"value", value}, {"mark", "P"}, {"source", "tried out"}};
        for (std::string rest = one.key; !rest.empty();) {
            const std::size_t dot = rest.rfind('.');
            nested = {{rest.substr(dot + 1), nested}};
            rest = dot == std::string::npos ? "" : rest.substr(0, dot);
        }
        const Configuration by_dots = load_configuration(dotted.dump(), "my.json", {}, complete_text());
        const Configuration by_objects = load_configuration(nested.dump(), "my.json", {}, complete_text());
        EXPECT_TRUE(one.took_effect(by_dots));
        EXPECT_TRUE(one.took_effect(by_objects));
        EXPECT_EQ(by_dots.hash, by_objects.hash);
    }
}

TEST(ConfigurationKeys, DescribeShowsTheOverrideWithItsMark) {
    for (const Override& one : overrides()) {
        SCOPED_TRACE(one.key);
        const std::string assignment = one.key + "=" + one.value;
        const auto described =
            nlohmann::json::parse(describe_configuration(complete_text(), "ascend950.json", {assignment}));
        const nlohmann::json* value = &described;
        for (std::string rest = one.key; !rest.empty();) {
            const std::size_t dot = rest.find('.');
            value = &value->at(rest.substr(0, dot));
            rest = dot == std::string::npos ? "" : rest.substr(dot + 1);
        }
        if (!value->is_object()) continue;  // names carry no mark
        EXPECT_EQ(value->at("mark"), "set");
        EXPECT_THAT(value->at("source").get<std::string>(), StartsWith("--set " + one.key));
    }
}

TEST(ConfigurationKeys, EveryRowOfTheTableIsComplete) {
    for (const KeyInfo& key : key_table()) {
        EXPECT_FALSE(key.key.empty());
        EXPECT_FALSE(key.type.empty()) << key.key;
        EXPECT_FALSE(key.meaning.empty()) << key.key;
    }
}

TEST(ConfigurationKeys, TheBuiltInImplementationCanBeNamed) {
    const std::string before = load().hash;
    EXPECT_EQ(load({"gather_scatter.implementation=model", "ub.bank_group.0.implementation=model",
                    "ub.bank_group.7.implementation=model"})
                  .hash,
              before);
    const std::string described =
        describe_configuration(complete_text(), "ascend950.json", {"ub.bank_group.3.implementation=model"});
    EXPECT_THAT(described, HasSubstr(R"("bank_group.3.implementation": {"value": "model", "mark": "set")"));
    EXPECT_EQ(load_configuration(described, "described.json").hash, before);
}

// ---- values

TEST(ConfigurationValues, TheLastOfSeveralOverridesCounts) {
    EXPECT_EQ(load({"clock_mhz=1", "clock_mhz=2"}).clock_mhz, 2.0);
}

TEST(ConfigurationValues, HashDoesNotDependOnOrderSpellingOrMarks) {
    const std::string one = R"({"clock_mhz": 1000, "ub": {"banks_per_group": 3, "read_latency": 5}})";
    const std::string other = R"({"$comment": 1, "ub.read_latency": {"value": 5, "mark": "M", "source": "scope"},
                                  "ub": {"comment": ["x"], "banks_per_group": 3}, "clock_mhz": 1e3})";
    const std::string hash = load_configuration(one, "one.json", {}, complete_text()).hash;
    EXPECT_EQ(load_configuration(other, "other.json", {}, complete_text()).hash, hash);
    EXPECT_THAT(hash, ::testing::MatchesRegex("[0-9a-f]{16}"));
    EXPECT_NE(hash, load().hash);
}

TEST(ConfigurationValues, ReservedBytesStayWhereTheyAreInASmallerBuffer) {
    EXPECT_EQ(load().capabilities.ub_reserved_from, 253952u);
    EXPECT_EQ(load({"ub.size_bytes=256000"}).capabilities.ub_reserved_from, 253952u);
    EXPECT_EQ(load({"ub.size_bytes=131072"}).capabilities.ub_reserved_from, 131072u);
    EXPECT_EQ(load({"ub.reserved_bytes=0"}).capabilities.ub_reserved_from, 262144u);
}

TEST(ConfigurationValues, AProductOfOnesOwnDoesNotTakeTheAliasesOfItsBase) {
    EXPECT_TRUE(load_configuration(R"({"product": "mine"})", "my.json", {}, complete_text()).aliases.empty());
    EXPECT_EQ(load_configuration(R"({"clock_mhz": 1})", "my.json", {}, complete_text()).aliases.size(), 3u);
}

TEST(ConfigurationValues, AByteOrderMarkIsPassedOver) {
    EXPECT_EQ(load_configuration("\xEF\xBB\xBF{}", "my.json", {}, complete_text()).hash, load().hash);
}

TEST(ConfigurationValues, DescribeCanBeLoadedAndIsStable) {
    const std::vector<std::string> changes = {"clock_mhz=0.1", "ub.size_bytes=0x1000",
                                              "title=\"caf\u00E9 | \\\"x\\\"\""};
    const std::string described = describe_configuration(complete_text(), "ascend950.json", changes);
    EXPECT_EQ(load_configuration(described, "described.json").hash, load(changes).hash);
    EXPECT_EQ(describe_configuration(described, "described.json"), described);
}

TEST(ConfigurationValues, FiguresOfAUsersFileCarryTheFilesName) {
    const std::string described =
        describe_configuration(R"({"clock_mhz": 7, "mte.latency": {"value": 3, "mark": "M", "source": "scope"}})",
                               "my.json", {}, complete_text());
    EXPECT_THAT(described, HasSubstr(R"("clock_mhz": {"value": 7.0, "mark": "file", "source": "my.json"})"));
    EXPECT_THAT(described, HasSubstr(R"("latency": {"value": 3, "mark": "M", "source": "scope"})"));
}

// ---- text that is no JSON

struct BadText {
    std::string text;
    std::string message;
};

constexpr const char* kAValue = "a value (an object, a list, text in double quotes, a number, true, false or null)";

TEST(ConfigurationText, MalformedTextIsPlacedAndExplained) {
    const std::vector<BadText> cases = {
        {"", "my.json:1:1: found no text, expected a JSON object"},
        {" \n\t ", "my.json:1:1: found no text, expected a JSON object"},
        {"[1]", "my.json:1:1: found a JSON array, expected a JSON object"},
        {"\n 7", "my.json:2:2: found a JSON number, expected a JSON object"},
        {"{", "my.json:1:2: found the end of the text, expected a key in double quotes"},
        {"{\"ub\": {}", "my.json:1:10: found the end of the text, expected ',' or '}'"},
        {"{\"clock_mhz\": 5,}",
         "my.json:1:17: found '}', expected a key in double quotes (is the comma before it one too many?)"},
        {"{\"aliases\": [\"a\",]}",
         "my.json:1:18: found ']', expected " + std::string(kAValue) + " (is the comma before it one too many?)"},
        {"{\n  \"clock_mhz\": fast}", "my.json:2:16: found 'fast', expected " + std::string(kAValue)},
        {"{\"title\": \"\u00E9\u00E9\", \"x\": tru}", "my.json:1:22: found 'tru', expected " + std::string(kAValue)},
        {"{'ub': 1}", "my.json:1:2: found ''', expected a key in double quotes"},
        {"{\"clock_mhz\": 5\n \"ub\": {}}", "my.json:2:2: found \"ub\", expected ',' or '}'"},
        {"{\"clock_mhz\" 5}", "my.json:1:14: found '5', expected ':'"},
        {"{} {}", "my.json:1:4: found '{', expected the end of the text"},
        {"{} x", "my.json:1:4: found 'x', expected the end of the text"},
        {"{\"ub\": true false}", "my.json:1:13: found 'false', expected ',' or '}'"},
        {"// c\n{}", "my.json:1:1: found '/', expected " + std::string(kAValue) +
                         "; JSON has no comments, write a \"comment\" key instead"},
        {"{\"title\": \"x\n\"}", "my.json:1:13: found '\\x0A', expected a closing double quote on the same line"},
        {"{\"title\": \"x", "my.json:1:13: found the end of the text, expected a closing double quote"},
        {"{\"title\": \"\xFF\"}", "my.json:1:12: found '\\xFF', expected text in UTF-8"},
        {"{\"title\": \"\xC3\"}", "my.json:1:12: found '\\xC3', expected text in UTF-8"},
        {std::string("{}\0", 3), "my.json:1:3: found '\\x00', expected text in UTF-8"},
        {std::string("{}\0{", 4), "my.json:1:3: found '\\x00', expected text in UTF-8"},
        {R"({"title": "\x"})", R"(my.json:1:13: found 'x', expected an escape of JSON (\" \\ \/ \b \f \n \r \t or \u)"
                               " and 4 hex digits)"},
        {R"({"title": "\ud800"})", "my.json:1:18: found '\"', expected both halves of a surrogate pair"},
        {"{\"clock_mhz\": 1e999}", "my.json:1:15: found '1e999', expected a number that fits a double"},
        {"{\"clock_mhz\": -}", "my.json:1:16: found '}', expected a digit"},
        {"{\"clock_mhz\": 01}", "my.json:1:16: found '1', expected ',' or '}'"},
        {std::string(std::size_t{2} << 20, ' '), "my.json: found more than 1048576 bytes, expected a configuration"},
    };
    for (const BadText& one : cases) {
        if (one.text.size() > 1000) {
            EXPECT_EQ(error_of("{}" + one.text), one.message);
        } else {
            EXPECT_EQ(error_of(one.text), one.message) << one.text;
        }
    }
}

TEST(ConfigurationText, DeepNestingIsRefusedWithoutRecursion) {
    std::string objects;
    for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
    EXPECT_THAT(error_of(objects), HasSubstr("/a/a/a: nested deeper than 16 levels"));
    EXPECT_THAT(error_of("{\"aliases\": " + std::string(100000, '[')), HasSubstr("nested deeper than 16 levels"));
    EXPECT_THAT(override_error("aliases=" + std::string(60000, '[')), HasSubstr("nested deeper than 16 levels"));
}

// ---- JSON that is no configuration

TEST(ConfigurationText, WrongKeysAndValuesAreNamedByPointer) {
    const std::vector<BadText> cases = {
        {R"({"ub": {"bank_goups": 8}})", "my.json: /ub/bank_goups: unknown key; did you mean ub.bank_groups?"},
        {R"({"ub.bank_goups": 8})", "my.json: /ub.bank_goups: unknown key; did you mean ub.bank_groups?"},
        {R"({"bank_groups": 8})", "my.json: /bank_groups: unknown key; did you mean ub.bank_groups?"},
        {R"({"pipelin": {"vf_start": 1}})", "my.json: /pipelin: unknown key; did you mean pipeline?"},
        {R"({"CLOCK-MHZ": 8})", "my.json: /CLOCK-MHZ: unknown key; did you mean clock_mhz?"},
        {R"({"q/~w": 8})", "my.json: /q~1~0w: unknown key; vcore-sim describe --keys lists all that exist"},
        {R"({"": 8})", "my.json: /: unknown key; vcore-sim describe --keys lists all that exist"},
        {R"({"ub": {"bank_groups": 8, "bank_groups": 9}})",
         "my.json: /ub/bank_groups: this key stands twice in its object"},
        {R"({"ub": {"bank_groups": 8}, "ub.bank_groups": 8})",
         "my.json: /ub.bank_groups: ub.bank_groups is given twice, before at my.json: /ub/bank_groups"},
        {R"({"ub": 8})", "my.json: /ub: found 8, expected an object of ub.* keys"},
        {R"({"ub": [8]})", "my.json: /ub: found [8], expected an object of ub.* keys"},
        {R"({"clock_mhz": {}})", "my.json: /clock_mhz: found {}, expected a value or {\"value\": …}"},
        {R"({"clock_mhz": {"valu": 1}})",
         "my.json: /clock_mhz/valu: unknown field; a figure has value, mark, source and comment"},
        {R"({"clock_mhz": {"value": 1, "mark": "Q"}})",
         "my.json: /clock_mhz/mark: found \"Q\", expected a mark: S, D, M, 3, I, P, file or set"},
        {R"({"clock_mhz": {"value": 1, "source": 3}})", "my.json: /clock_mhz/source: found 3, expected a text"},
        {R"({"base": 3})", "my.json: /base: found 3, expected the name of a product"},
        {R"({"product": ""})", "my.json: /product: found \"\", expected a name of letters, digits, '-', '_' and '.'"},
        {R"({"title": "a\u0007"})",
         "my.json: /title: found \"a\\u0007\", expected a text of 1 to 200 printable characters"},
        {R"({"aliases": [1]})", "my.json: /aliases: found [1], expected a list of names"},
        {R"({"clock_mhz": 0})", "my.json: /clock_mhz: found 0, expected a number from 0.001 to 100000"},
        {R"({"clock_mhz": -5})", "my.json: /clock_mhz: found -5, expected a number from 0.001 to 100000"},
        {R"({"clock_mhz": 1e308})", "my.json: /clock_mhz: found 1e+308, expected a number from 0.001 to 100000"},
        {R"({"clock_mhz": "1650"})", "my.json: /clock_mhz: found \"1650\", expected a number from 0.001 to 100000"},
        {R"({"clock_mhz": true})", "my.json: /clock_mhz: found true, expected a number from 0.001 to 100000"},
        {R"({"ub.bank_groups": 0})", "my.json: /ub.bank_groups: found 0, expected an integer from 1 to 1024"},
        {R"({"ub.bank_groups": -1})", "my.json: /ub.bank_groups: found -1, expected an integer from 1 to 1024"},
        {R"({"ub.bank_groups": 8.0})", "my.json: /ub.bank_groups: found 8.0, expected an integer from 1 to 1024"},
        {R"({"ub.bank_groups": "8"})", "my.json: /ub.bank_groups: found \"8\", expected an integer from 1 to 1024"},
        {R"({"ub.bank_groups": null})", "my.json: /ub.bank_groups: found null, expected an integer from 1 to 1024"},
        {R"({"ub.bank_groups": 4294967304})",
         "my.json: /ub.bank_groups: found 4294967304, expected an integer from 1 to 1024"},
        {R"({"ub.bank_groups": 18446744073709551624})",
         "my.json: /ub.bank_groups: found 1.8446744073709552e+19, expected an integer from 1 to 1024"},
        {R"({"ub.row_bytes": 48})", "my.json: /ub.row_bytes: found 48, expected a power of two from 32 to 256"},
        {R"({"ub.sub_banks": 64})", "my.json: /ub.sub_banks: found 64, expected a power of two from 1 to 32"},
        {R"({"pipeline.physical_registers": 32})",
         "my.json: /pipeline.physical_registers: found 32, expected an integer from 33 to 1000"},
        {R"({"pipeline": {"load_ports": 0}})",
         "my.json: /pipeline/load_ports: found 0, expected an integer from 1 to 8"},
        {R"({"pipeline": {"store_ports": 0}})",
         "my.json: /pipeline/store_ports: found 0, expected an integer from 1 to 8"},
        {R"({"gather_scatter": {"lanes_per_beat_b32": 65}})",
         "my.json: /gather_scatter/lanes_per_beat_b32: found 65, expected an integer from 1 to 64"},
        {R"({"gather_scatter": {"lanes_per_beat_b16": 129}})",
         "my.json: /gather_scatter/lanes_per_beat_b16: found 129, expected an integer from 1 to 128"},
        {R"({"detectors.hazard": 1})", "my.json: /detectors.hazard: found 1, expected true or false"},
        {R"({"ub.sub_bank_scope": "banks"})", "my.json: /ub.sub_bank_scope: found \"banks\", expected group or bank"},
        {R"({"ub.priority": ["mte", "mte", "load_store"]})",
         "my.json: /ub.priority: found [\"mte\",\"mte\",\"load_store\"], expected load_store, gather_scatter, mte in "
         "some order, each once"},
        {R"({"capabilities.tensor_add_types": ["flaot"]})",
         "my.json: /capabilities.tensor_add_types: found [\"flaot\"], expected a list of types out of: s16 u16 half "
         "s32 u32 float"},
        {R"({"gather_scatter.implementation": "rtl"})",
         "my.json: /gather_scatter.implementation: found \"rtl\", expected model (this version has no RTL to put "
         "there)"},
        {R"({"ub": {"bank_group": {"2": {"implementation": "rtl"}}}})",
         "my.json: /ub/bank_group/2/implementation: found \"rtl\", expected model (this version has no RTL to put "
         "there)"},
        {R"({"ub": {"bank_group": {"2": {"implementation": "vhdl"}}}})",
         "my.json: /ub/bank_group/2/implementation: found \"vhdl\", expected model or rtl"},
        {R"({"ub": {"bank_group": {"8": {"implementation": "model"}}}})",
         "my.json: /ub/bank_group/8/implementation: found group 8, expected 0 to 7"},
        {R"({"ub": {"bank_group": {"x": {"implementation": "model"}}}})",
         "my.json: /ub/bank_group/x: unknown key; did you mean ub.bank_group.0?"},
    };
    for (const BadText& one : cases) EXPECT_EQ(error_of(one.text), one.message) << one.text;
}

TEST(ConfigurationText, ValuesThatContradictEachOtherAreRefused) {
    const std::vector<BadText> cases = {
        {R"({"ub": {"size_bytes": 262176}})",
         "my.json: /ub/size_bytes: found 262176, expected at most what the geometry holds, 8 groups x 2 banks x 512 "
         "rows x 32 bytes = 262144 bytes; set ub.size_bytes to fit"},
        {R"({"ub": {"bank_groups": 4}})",
         "base product: /ub/size_bytes: found 262144, expected at most what the geometry holds, 4 groups x 2 banks x "
         "512 rows x 32 bytes = 131072 bytes; set ub.size_bytes to fit"},
        {R"({"ub": {"size_bytes": 1000}})", "my.json: /ub/size_bytes: found 1000, expected a multiple of 32"},
        {R"({"ub": {"reserved_bytes": 262145}})",
         "my.json: /ub/reserved_bytes: found 262145, expected at most what the geometry holds, 8 groups x 2 banks x "
         "512 rows x 32 bytes = 262144 bytes"},
        {R"({"ub": {"bank_groups": 1024, "rows_per_bank": 65536}})",
         "my.json: /ub/rows_per_bank: found 1024 groups x 2 banks x 65536 rows x 32 bytes = 4294967296 bytes, expected "
         "at most 67108864 bytes"},
        {R"({"mte": {"bytes_per_cycle": 48}})",
         "my.json: /mte/bytes_per_cycle: found 48, expected a multiple of ub.row_bytes, 32: a transfer asks for whole "
         "rows"},
        {R"({"capabilities": {"tensor_scatter_masked_types": ["s8"]}, "capabilities.tensor_scatter_types": ["half"]})",
         "my.json: /capabilities/tensor_scatter_masked_types: found s8, expected types that stand in "
         "capabilities.tensor_scatter_types too"},
    };
    for (const BadText& one : cases) EXPECT_EQ(error_of(one.text), one.message) << one.text;
}

TEST(ConfigurationText, ALongWrongValueIsCutInTheMessage) {
    const std::string message = error_of(R"({"clock_mhz": ")" + std::string(100000, 'x') + "\"}");
    EXPECT_LT(message.size(), 200u);
    EXPECT_THAT(message, HasSubstr("xxx…, expected a number"));
}

TEST(ConfigurationText, EveryMissingKeyIsNamed) {
    const auto complete = nlohmann::json::parse(complete_text());
    for (const KeyInfo& key : key_table()) {
        if (key.key == "aliases" || key.key == "ub.bank_group.N.implementation") continue;
        auto text = complete;
        const std::size_t dot = key.key.find('.');
        if (dot == std::string::npos) {
            text.erase(key.key);
        } else {
            text[key.key.substr(0, dot)].erase(key.key.substr(dot + 1));
        }
        std::string message = "no error";
        try {
            load_configuration(text.dump(), "my.json");
        } catch (const IncompleteConfiguration& error) {
            message = error.what();
        }
        EXPECT_THAT(message, HasSubstr("missing key " + key.key + "; only a file with a \"base\"")) << key.key;
    }
}

TEST(ConfigurationText, ManyMissingKeysAreCounted) {
    try {
        load_configuration(R"({"product": "mine"})", "my.json");
        FAIL() << "an empty configuration was taken";
    } catch (const IncompleteConfiguration& error) {
        EXPECT_THAT(error.what(), StartsWith("my.json: /title: missing key title (and "));
        EXPECT_THAT(error.what(), HasSubstr("the next is architecture"));
    }
}

TEST(ConfigurationText, ABaseThatNobodyLooksUpIsRefused) {
    EXPECT_THROW(load_configuration(R"({"base": "ascend950"})", "my.json"), ConfigurationError);
}

// ---- overrides

TEST(ConfigurationOverrides, WrongOnesAreNamed) {
    const std::vector<BadText> cases = {
        {"", "--set : found no key, expected key=value"},
        {"clock_mhz", "--set clock_mhz: found no key, expected key=value"},
        {"=5", "--set =5: found no key, expected key=value"},
        {"ub.bank_goups=4", "--set ub.bank_goups=4: /ub/bank_goups: unknown key; did you mean ub.bank_groups?"},
        {"ub=4", "--set ub=4: /ub: found a section, expected one of its keys, ub.…"},
        {"base=x", "--set base=x: /base: unknown key; vcore-sim describe --keys lists all that exist"},
        {"ub.bank_groups=", "--set ub.bank_groups=: /ub/bank_groups: found \"\", expected an integer from 1 to 1024"},
        {"ub.bank_groups=8 ", "ok"},
        {"ub.bank_groups=0x",
         "--set ub.bank_groups=0x: /ub/bank_groups: found \"0x\", expected an integer from 1 to 1024"},
        {"ub.bank_groups=0x8g",
         "--set ub.bank_groups=0x8g: /ub/bank_groups: found \"0x8g\", expected an integer from 1 to 1024"},
        {"ub.bank_groups=0x10000000000000008",
         "--set ub.bank_groups=0x10000000000000008: /ub/bank_groups: found \"0x10000000000000008\", expected an "
         "integer "
         "from 1 to 1024"},
        {"ub.bank_groups=eight",
         "--set ub.bank_groups=eight: /ub/bank_groups: found \"eight\", expected an integer from 1 to 1024"},
        {"clock_mhz=nan", "--set clock_mhz=nan: /clock_mhz: found \"nan\", expected a number from 0.001 to 100000"},
        {"clock_mhz=1e999",
         "--set clock_mhz=1e999: /clock_mhz: found \"1e999\", expected a number from 0.001 to 100000"},
        {"clock_mhz={\"value\": 5}",
         "--set clock_mhz={\"value\": 5}: /clock_mhz: found {\"value\":5}, expected a number from 0.001 to 100000"},
        {"aliases=[\"a\"", "--set aliases=[\"a\": /aliases: value:1:5: found the end of the text, expected ',' or ']'"},
        {"title=\xFF", "--set \"title=\uFFFD\": found other bytes, expected text in UTF-8"},
        {"ub.bank_group.99999999999999999999.implementation=model",
         "--set ub.bank_group.99999999999999999999.implementation=model: "
         "/ub/bank_group/99999999999999999999/implementation: unknown key; did you mean "
         "ub.bank_group.0.implementation?"},
    };
    for (const BadText& one : cases) {
        const std::string message = override_error(one.text);
        EXPECT_EQ(message, one.message == "ok" ? "no error" : one.message) << one.text;
    }
}

// ---- near misses

TEST(NearestName, CountsEdits) {
    EXPECT_EQ(edit_distance("", ""), 0u);
    EXPECT_EQ(edit_distance("", "abc"), 3u);
    EXPECT_EQ(edit_distance("abc", "abc"), 0u);
    EXPECT_EQ(edit_distance("abc", "acb"), 1u);
    EXPECT_EQ(edit_distance("abcd", "abxd"), 1u);
    EXPECT_EQ(edit_distance("abcd", "abd"), 1u);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
    EXPECT_EQ(edit_distance("Atlas A2", "atlas-a2"), 0u);
}

TEST(NearestName, NamesOnlyWhatIsNear) {
    const std::vector<std::string> names = {"gather", "scatter", "load"};
    EXPECT_EQ(nearest_name("gahter", names), "gather");
    EXPECT_EQ(nearest_name("LOAD", names), "load");
    EXPECT_EQ(nearest_name("xyzzy", names), "");
    EXPECT_EQ(nearest_name("", names), "");
    EXPECT_EQ(nearest_name(std::string(1000000, 'g'), names), "");
}

}  // namespace
}  // namespace vcore::engine
