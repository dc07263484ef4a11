#include "models/engine/configuration_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "models/isa/type_rules.hpp"

namespace vcore::engine {

namespace {

constexpr std::string_view kBankGroup = "ub.bank_group.";
constexpr std::string_view kBankGroupPattern = "ub.bank_group.N.implementation";
constexpr std::size_t kLongestText = 200;

template <typename Enum>
struct Choice {
    std::string_view name;
    Enum value;
};

template <typename Enum>
using Choices = std::vector<Choice<Enum>>;

template <typename Enum>
std::string join(const Choices<Enum>& choices, std::string_view separator) {
    std::string result;
    for (const Choice<Enum>& choice : choices) {
        if (!result.empty()) result += separator;
        result += choice.name;
    }
    return result;
}

template <typename Enum>
std::string_view name_of(const Choices<Enum>& choices, Enum value) {
    for (const Choice<Enum>& choice : choices) {
        if (choice.value == value) return choice.name;
    }
    return {};
}

/// A list of texts, or one text of words with blanks or commas between them (as --set writes it).
std::optional<std::vector<std::string>> words_of(const Json& value) {
    std::vector<std::string> words;
    if (value.is_string()) {
        std::string word;
        for (const char c : value.get<std::string>() + " ") {
            if (c != ' ' && c != ',') {
                word += c;
            } else if (!word.empty()) {
                words.push_back(std::exchange(word, {}));
            }
        }
        return words;
    }
    if (!value.is_array()) return std::nullopt;
    for (const Json& item : value) {
        if (!item.is_string()) return std::nullopt;
        words.push_back(item.get<std::string>());
    }
    return words;
}

bool is_printable(const std::string& text) {
    return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

bool is_product_name(const std::string& text) {
    return !text.empty() && text.size() <= kLongestText && std::all_of(text.begin(), text.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
    });
}

// ---- rows. `field` is a generic lambda that returns the field of a Configuration, const or not.

template <typename Field>
Key integer(std::string key, std::uint64_t lowest, std::uint64_t highest, std::string unit, std::string meaning,
            Field field) {
    Key row;
    row.info = {std::move(key), fmt::format("integer {}..{}", lowest, highest), std::move(unit), std::move(meaning)};
    row.read = [=](Configuration& configuration, const Json& value) {
        const bool in_range =
            value.is_number_unsigned() && value.get<std::uint64_t>() >= lowest && value.get<std::uint64_t>() <= highest;
        if (!in_range) throw Mismatch(fmt::format("an integer from {} to {}", lowest, highest));
        auto& target = field(configuration);
        target = static_cast<std::decay_t<decltype(target)>>(value.get<std::uint64_t>());
    };
    row.write = [=](const Configuration& configuration) { return Json(field(configuration)); };
    return row;
}

template <typename Field>
Key power_of_two(std::string key, std::uint64_t lowest, std::uint64_t highest, std::string unit, std::string meaning,
                 Field field) {
    Key row = integer(std::move(key), lowest, highest, std::move(unit), std::move(meaning), field);
    row.info.type = fmt::format("power of two {}..{}", lowest, highest);
    row.read = [read = row.read, lowest, highest](Configuration& configuration, const Json& value) {
        const std::uint64_t number = value.is_number_unsigned() ? value.get<std::uint64_t>() : 0;
        if (number < lowest || number > highest || (number & (number - 1)) != 0) {
            throw Mismatch(fmt::format("a power of two from {} to {}", lowest, highest));
        }
        read(configuration, value);
    };
    return row;
}

template <typename Field>
Key number(std::string key, double lowest, double highest, std::string unit, std::string meaning, Field field) {
    Key row;
    row.info = {std::move(key), fmt::format("number {}..{}", lowest, highest), std::move(unit), std::move(meaning)};
    row.read = [=](Configuration& configuration, const Json& value) {
        // Written so that a value which is no number at all fails too.
        const bool in_range = value.is_number() && value.get<double>() >= lowest && value.get<double>() <= highest;
        if (!in_range) throw Mismatch(fmt::format("a number from {} to {}", lowest, highest));
        field(configuration) = value.get<double>();
    };
    row.write = [=](const Configuration& configuration) { return Json(field(configuration)); };
    return row;
}

template <typename Field>
Key boolean(std::string key, std::string meaning, Field field) {
    Key row;
    row.info = {std::move(key), "boolean", "", std::move(meaning)};
    row.read = [=](Configuration& configuration, const Json& value) {
        if (!value.is_boolean()) throw Mismatch("true or false");
        field(configuration) = value.get<bool>();
    };
    row.write = [=](const Configuration& configuration) { return Json(field(configuration)); };
    return row;
}

template <typename Field>
Key text(std::string key, std::string meaning, Field field) {
    Key row;
    row.info = {std::move(key), "string", "", std::move(meaning)};
    row.figure = false;
    row.read = [=](Configuration& configuration, const Json& value) {
        // --set reads digits as a number: an architecture is a name all the same.
        const std::string content = value.is_string()            ? value.get<std::string>()
                                    : value.is_number_unsigned() ? value.dump()
                                                                 : std::string();
        if (content.empty() || content.size() > kLongestText || !is_printable(content)) {
            throw Mismatch(fmt::format("a text of 1 to {} printable characters", kLongestText));
        }
        field(configuration) = content;
    };
    row.write = [=](const Configuration& configuration) { return Json(field(configuration)); };
    return row;
}

Key product_name() {
    Key row;
    row.info = {"product", "string", "", "name of the product; a known one gives what a file leaves out"};
    row.figure = false;
    row.read = [](Configuration& configuration, const Json& value) {
        if (!value.is_string() || !is_product_name(value.get<std::string>())) {
            throw Mismatch("a name of letters, digits, '-', '_' and '.'");
        }
        configuration.product = value.get<std::string>();
    };
    row.write = [](const Configuration& configuration) { return Json(configuration.product); };
    return row;
}

Key aliases() {
    Key row;
    row.info = {"aliases", "list", "", "other names of a built-in product"};
    row.figure = false;
    row.required = false;
    row.read = [](Configuration& configuration, const Json& value) {
        const auto words = words_of(value);
        if (!words || !std::all_of(words->begin(), words->end(), is_product_name)) throw Mismatch("a list of names");
        configuration.aliases = *words;
    };
    row.write = [](const Configuration& configuration) { return Json(configuration.aliases); };
    return row;
}

template <typename Enum, typename Field>
Key choice(std::string key, std::string meaning, Choices<Enum> choices, Field field) {
    Key row;
    row.info = {std::move(key), join(choices, " | "), "", std::move(meaning)};
    row.read = [=](Configuration& configuration, const Json& value) {
        for (const Choice<Enum>& one : choices) {
            if (value.is_string() && value.get<std::string>() == one.name) {
                field(configuration) = one.value;
                return;
            }
        }
        throw Mismatch(join(choices, " or "));
    };
    row.write = [=](const Configuration& configuration) {
        return Json(std::string(name_of(choices, field(configuration))));
    };
    return row;
}

/// What stands behind a port: the only implementation that exists is the model's own.
Key implementation(std::string key, std::string meaning) {
    Key row;
    row.info = {std::move(key), "model | rtl", "", std::move(meaning)};
    row.read = [](Configuration&, const Json& value) {
        if (value == "rtl") throw Mismatch("model (this version has no RTL to put there)");
        if (value != "model") throw Mismatch("model or rtl");
    };
    row.write = [](const Configuration&) { return Json("model"); };
    return row;
}

/// `legal`: the types that an op of this kind can have on any product.
template <typename Field>
Key types(std::string key, std::string meaning, std::vector<isa::ElementType> legal, Field field) {
    Key row;
    row.info = {std::move(key), "list", "", std::move(meaning)};
    row.read = [=](Configuration& configuration, const Json& value) {
        isa::TypeSet set;
        const auto words = words_of(value);
        bool known = words.has_value();
        for (const std::string& word : words.value_or(std::vector<std::string>{})) {
            const auto type = isa::element_type(word);
            known = known && type && std::find(legal.begin(), legal.end(), *type) != legal.end();
            if (type) set.insert(*type);
        }
        if (!known) {
            std::string names;
            for (const isa::ElementType type : legal) names += fmt::format(" {}", isa::name(type));
            throw Mismatch(fmt::format("a list of types out of:{}", names));
        }
        field(configuration) = set;
    };
    row.write = [=](const Configuration& configuration) {
        Json names = Json::array();
        for (const isa::ElementType type : legal) {
            if (field(configuration).contains(type)) names.push_back(std::string(isa::name(type)));
        }
        return names;
    };
    return row;
}

Key priority() {
    using timing::kRequesters;
    using timing::Requester;
    static const Choices<Requester> requesters = {
        {"load_store", Requester::load_store}, {"gather_scatter", Requester::gather_scatter}, {"mte", Requester::mte}};
    Key row;
    row.info = {
        "ub.priority", "list", "",
        "who wins a bank that several want in one cycle, strongest first; used by the approximately-timed mode"};
    row.read = [](Configuration& configuration, const Json& value) {
        const auto words = words_of(value);
        const bool complete = words && words->size() == kRequesters &&
                              std::all_of(requesters.begin(), requesters.end(), [&](const auto& requester) {
                                  return std::find(words->begin(), words->end(), requester.name) != words->end();
                              });
        if (!complete) throw Mismatch(join(requesters, ", ") + " in some order, each once");
        for (std::size_t place = 0; place < kRequesters; ++place) {
            for (const auto& requester : requesters) {
                if ((*words)[place] == requester.name) configuration.timing.ub.priority[place] = requester.value;
            }
        }
    };
    row.write = [](const Configuration& configuration) {
        Json names = Json::array();
        for (const Requester requester : configuration.timing.ub.priority) {
            names.push_back(std::string(name_of(requesters, requester)));
        }
        return names;
    };
    return row;
}

std::vector<isa::ElementType> types_in(const isa::TypeSet& set) {
    std::vector<isa::ElementType> types;
    for (std::size_t i = 0; i < isa::kElementTypes; ++i) {
        const auto type = static_cast<isa::ElementType>(i);
        if (set.contains(type)) types.push_back(type);
    }
    return types;
}

std::vector<isa::ElementType> scatter_types() {
    return types_in(isa::kTensorScatterTypes);
}

std::vector<isa::ElementType> add_types() {
    return types_in(isa::kArithmeticTypes);
}

// Bounds that keep booked cycles and counts within reason, far beyond any hardware.
constexpr std::uint64_t kMostCycles = 100000;
constexpr std::uint64_t kMostGroups = 1024;
// What the pipeline's window of booked cycles and its queue counters hold, so that no value is cut off silently.
constexpr std::uint64_t kMostQueued = 1000;
constexpr std::uint64_t kMostLatency = 1000;
constexpr std::uint64_t kMostInterval = 128;
constexpr std::uint64_t kMostWriteLag = 1000;
constexpr std::uint64_t kAnyU32 = 0xFFFFFFFF;

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): a member path cannot be a template argument
#define FIELD(path)                    \
    [](auto& configuration) -> auto& { \
        return configuration.path;     \
    }

void append_product(std::vector<Key>& rows) {
    rows.push_back(product_name());
    rows.push_back(text("title", "the vendor's names", FIELD(title)));
    rows.push_back(aliases());
    rows.push_back(text("architecture", "the vendor's number of the architecture", FIELD(architecture)));
    rows.push_back(number("clock_mhz", 0.001, 100000, "MHz", "clock of the vector core", FIELD(clock_mhz)));
}

void append_capabilities(std::vector<Key>& rows) {
    rows.push_back(boolean("capabilities.vector_functions", "whether vf and everything that stands in one is supported",
                           FIELD(capabilities.vector_functions)));
    rows.push_back(types("capabilities.tensor_scatter_types", "element types of the tensor scatter; none: unsupported",
                         scatter_types(), FIELD(capabilities.tensor_scatter)));
    rows.push_back(types("capabilities.tensor_scatter_masked_types", "of them, types of the two mask forms",
                         scatter_types(), FIELD(capabilities.tensor_scatter_masked)));
    rows.push_back(integer("capabilities.offset_limit_b8", 0, kAnyU32, "bytes",
                           "largest offset of a tensor scatter of 8-bit elements",
                           FIELD(capabilities.offset_limit_b8)));
    rows.push_back(integer("capabilities.offset_limit_b16", 0, kAnyU32, "bytes",
                           "largest offset of a tensor scatter of 16-bit elements",
                           FIELD(capabilities.offset_limit_b16)));
    rows.push_back(boolean("capabilities.empty_scatter_warns",
                           "warn about a tensor scatter of count or repeat 0 (empty-op)",
                           FIELD(capabilities.empty_scatter_warns)));
    rows.push_back(types("capabilities.tensor_add_types", "element types of the tensor add; none: unsupported",
                         add_types(), FIELD(capabilities.tensor_add)));
    rows.push_back(choice<isa::ScatterDuplicate>(
        "scatter_duplicate", "which active lane wins where several scatter to one target",
        {{"lowest_lane", isa::ScatterDuplicate::lowest_lane}, {"highest_lane", isa::ScatterDuplicate::highest_lane}},
        FIELD(capabilities.scatter_duplicate)));
}

void append_ub(std::vector<Key>& rows) {
    rows.push_back(integer("ub.size_bytes", 32, kMaxUbBytes, "bytes",
                           "logical size, a multiple of 32 and at most what the geometry holds",
                           FIELD(capabilities.ub_bytes)));
    rows.push_back(integer("ub.reserved_bytes", 0, kMaxUbBytes, "bytes",
                           "kept by the toolchain at the top of what the geometry holds; touching them warns",
                           FIELD(ub_reserved_bytes)));
    rows.push_back(integer("ub.bank_groups", 1, kMostGroups, "", "bank groups", FIELD(timing.ub.bank_groups)));
    rows.push_back(integer("ub.banks_per_group", 1, 64, "", "banks of a group", FIELD(timing.ub.banks_per_group)));
    rows.push_back(integer("ub.rows_per_bank", 1, 65536, "", "rows of a bank", FIELD(timing.ub.rows_per_bank)));
    rows.push_back(power_of_two("ub.row_bytes", 32, 256, "bytes", "bytes of a row", FIELD(timing.ub.row_bytes)));
    rows.push_back(choice<timing::AddressOrder>("ub.address_order",
                                                "fields of a byte address above the byte in its row, from high to low",
                                                {{"row_bank_group", timing::AddressOrder::row_bank_group},
                                                 {"bank_row_group", timing::AddressOrder::bank_row_group}},
                                                FIELD(timing.ub.order)));
    rows.push_back(power_of_two("ub.sub_banks", 1, 32, "", "sub-banks of a bank; 1: none", FIELD(timing.ub.sub_banks)));
    rows.push_back(choice<timing::SubBankScope>(
        "ub.sub_bank_scope", "who shares a sub-bank: all banks of a group, or each bank has its own",
        {{"group", timing::SubBankScope::group}, {"bank", timing::SubBankScope::bank}},
        FIELD(timing.ub.sub_bank_scope)));
    rows.push_back(integer("ub.reads_per_group", 1, 16, "rows per cycle",
                           "rows that a group reads in one cycle; used by the approximately-timed mode",
                           FIELD(timing.ub.reads_per_group)));
    rows.push_back(integer("ub.writes_per_group", 1, 16, "rows per cycle",
                           "rows that a group writes in one cycle; used by the approximately-timed mode",
                           FIELD(timing.ub.writes_per_group)));
    rows.push_back(integer("ub.accesses_per_group", 1, 32, "rows per cycle",
                           "rows that a group reads and writes together in one cycle; used by the approximately-timed "
                           "mode",
                           FIELD(timing.ub.accesses_per_group)));
    rows.push_back(integer("ub.read_latency", 0, kMostCycles, "cycles",
                           "from the first beat of a foreign initiator's read to its data",
                           FIELD(timing.ub.read_latency)));
    rows.push_back(integer("ub.write_latency", 0, kMostCycles, "cycles",
                           "from the first beat of a foreign initiator's write to its end",
                           FIELD(timing.ub.write_latency)));
    rows.push_back(priority());
    rows.push_back(integer("ub.max_wait", 1, kMostCycles, "cycles",
                           "after so long whoever waits for a bank goes before all others; used by the "
                           "approximately-timed mode",
                           FIELD(timing.ub.max_wait)));
    rows.push_back(boolean("ub.bank_traffic", "the core's accesses pass the bank sockets: slower, seen by monitors",
                           FIELD(bank_traffic)));
    Key group = implementation(std::string(kBankGroupPattern), "what serves the banks of group N");
    group.required = false;
    rows.push_back(std::move(group));
}

void append_pipeline(std::vector<Key>& rows) {
    const auto cycles = [&](const char* key, const char* meaning, auto field) {
        rows.push_back(integer(std::string("pipeline.") + key, 0, kMostCycles, "cycles", meaning, field));
    };
    const auto count = [&](const char* key, std::uint64_t lowest, std::uint64_t highest, const char* unit,
                           const char* meaning, auto field) {
        rows.push_back(integer(std::string("pipeline.") + key, lowest, highest, unit, meaning, field));
    };
    cycles("vf_start", "from the call of a vector function to its first issue", FIELD(timing.pipeline.vf_start));
    cycles("vf_drain", "from the last completion to the end of the vector function", FIELD(timing.pipeline.vf_drain));
    cycles("vf_overlap", "between the last memory issue of a vector function and the start-up of the next",
           FIELD(timing.pipeline.vf_overlap));
    count("dispatch_width", 1, 64, "ops per cycle", "ops dispatched in one cycle",
          FIELD(timing.pipeline.dispatch_width));
    count("shared_queue", 1, kMostQueued, "ops", "ops dispatched and not yet issued",
          FIELD(timing.pipeline.shared_queue));
    count("unit_queue", 1, kMostQueued, "ops", "of them, waiting for one unit", FIELD(timing.pipeline.unit_queue));
    count("physical_registers", isa::kVectorRegisters + 1, kMostQueued, "registers", "vector registers behind renaming",
          FIELD(timing.pipeline.physical_registers));
    count("load_ports", 1, 8, "per cycle", "loads that start in one cycle", FIELD(timing.pipeline.load_ports));
    count("store_ports", 1, 8, "per cycle", "stores that start in one cycle", FIELD(timing.pipeline.store_ports));
    count("memory_issues", 1, 16, "per cycle", "loads and stores together that start in one cycle",
          FIELD(timing.pipeline.memory_issues));
    count("execution_units", 1, 8, "units", "arithmetic units", FIELD(timing.pipeline.execution_units));
    cycles("tensor_head", "of a memory-based tensor op beyond its iterations", FIELD(timing.pipeline.tensor_head));
    rows.push_back(integer("pipeline.tensor_write_lag", 1, kMostWriteLag, "cycles",
                           "of tensor_head, from an iteration's reads to its write",
                           FIELD(timing.pipeline.tensor_write_lag)));
}

void append_latency(std::vector<Key>& rows) {
    const auto at_least = [&](std::uint32_t least, const char* key, const char* meaning, auto field) {
        rows.push_back(integer(std::string("latency.") + key, least, kMostLatency, "cycles",
                               std::string("issue to result: ") + meaning, field));
    };
    const auto row = [&](const char* key, const char* meaning, auto field) { at_least(1, key, meaning, field); };
    row("load", "contiguous and block load", FIELD(timing.latency.load));
    row("store", "contiguous and block store", FIELD(timing.latency.store));
    row("gather", "gather from UB", FIELD(timing.latency.gather));
    row("gather_block", "block gather", FIELD(timing.latency.gather_block));
    row("gather_register", "register gather", FIELD(timing.latency.gather_register));
    row("scatter", "register scatter", FIELD(timing.latency.scatter));
    row("mask_load", "mask load", FIELD(timing.latency.mask_load));
    row("mask_store", "mask store", FIELD(timing.latency.mask_store));
    at_least(0, "mask_create", "CreateMask, UpdateMask", FIELD(timing.latency.mask_create));
    row("mask_gen", "MaskGenWithRegTensor", FIELD(timing.latency.mask_gen));
    row("add", "Add, Adds", FIELD(timing.latency.add));
    row("duplicate", "Duplicate", FIELD(timing.latency.duplicate));
    row("move", "Move", FIELD(timing.latency.move));
    row("forward_add_add", "an Add forwarded to an Add", FIELD(timing.latency.forward_add_add));
    row("forward_add_store", "an Add forwarded to a store", FIELD(timing.latency.forward_add_store));
    row("forward_load_arithmetic", "a load forwarded to arithmetic", FIELD(timing.latency.forward_load_arithmetic));
    row("forward_block_load_arithmetic", "a block-copy load forwarded to arithmetic",
        FIELD(timing.latency.forward_block_load_arithmetic));
}

void append_interval(std::vector<Key>& rows) {
    const auto row = [&](const char* key, const char* meaning, auto field) {
        rows.push_back(integer(std::string("interval.") + key, 1, kMostInterval, "cycles",
                               std::string("issue to next issue: ") + meaning, field));
    };
    row("load", "contiguous load", FIELD(timing.interval.load));
    row("store", "contiguous store", FIELD(timing.interval.store));
    row("block_load", "block-copy load", FIELD(timing.interval.block_load));
    row("block_store", "block-copy store", FIELD(timing.interval.block_store));
    row("mask_load", "mask load", FIELD(timing.interval.mask_load));
    row("mask_store", "mask store", FIELD(timing.interval.mask_store));
    row("mask_create", "CreateMask, UpdateMask", FIELD(timing.interval.mask_create));
    row("mask_gen", "MaskGenWithRegTensor", FIELD(timing.interval.mask_gen));
    row("gather", "gather from UB", FIELD(timing.interval.gather));
    row("gather_block", "block gather", FIELD(timing.interval.gather_block));
    row("gather_register", "register gather", FIELD(timing.interval.gather_register));
    row("scatter", "register scatter", FIELD(timing.interval.scatter));
    row("add_float", "Add, Adds of float", FIELD(timing.interval.add_float));
    row("add_half", "Add, Adds of half", FIELD(timing.interval.add_half));
    row("add_integer", "Add, Adds of integers", FIELD(timing.interval.add_integer));
    row("duplicate", "Duplicate", FIELD(timing.interval.duplicate));
    row("move", "Move", FIELD(timing.interval.move));
}

void append_units(std::vector<Key>& rows) {
    rows.push_back(integer("gather_scatter.lanes_per_beat_b32", 1, isa::kVectorBytes / 4, "lanes",
                           "lanes of a beat under u32 indices and of 32-bit data",
                           FIELD(timing.gather_scatter.lanes_per_beat_b32)));
    rows.push_back(integer("gather_scatter.lanes_per_beat_b16", 1, isa::kVectorBytes / 2, "lanes",
                           "lanes of a beat of 16-bit and 8-bit data",
                           FIELD(timing.gather_scatter.lanes_per_beat_b16)));
    rows.push_back(integer("gather_scatter.minimum_block_beats", 1, 64, "beats", "least beats of a block gather",
                           FIELD(timing.gather_scatter.minimum_block_beats)));
    rows.push_back(implementation("gather_scatter.implementation", "what serves gathers and scatters"));
    rows.push_back(integer("mte.bytes_per_cycle", 1, 65536, "bytes per cycle", "rate of transfers between GM and UB",
                           FIELD(timing.mte.bytes_per_cycle)));
    rows.push_back(integer("mte.latency", 0, kMostCycles, "cycles", "from the call of a transfer to its first beat",
                           FIELD(timing.mte.latency)));
    rows.push_back(boolean("detectors.hazard", "warn about missing barriers", FIELD(hazard_detector)));
    rows.push_back(
        boolean("detectors.uninitialised", "warn about reads of never-written bytes", FIELD(uninitialised_detector)));
}

#undef FIELD

std::vector<Key> make_keys() {
    std::vector<Key> rows;
    append_product(rows);
    append_capabilities(rows);
    append_ub(rows);
    append_pipeline(rows);
    append_latency(rows);
    append_interval(rows);
    append_units(rows);
    return rows;
}

/// The path as the table writes it: a group's number becomes N.
std::string table_path(std::string_view path) {
    if (path.substr(0, kBankGroup.size()) != kBankGroup) return std::string(path);
    const std::string_view rest = path.substr(kBankGroup.size());
    const std::size_t dot = std::min(rest.find('.'), rest.size());
    const bool is_number = dot > 0 && dot <= 9 && (rest[0] != '0' || dot == 1) &&
                           std::all_of(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(dot),
                                       [](char c) { return c >= '0' && c <= '9'; });
    if (!is_number) return {};
    return std::string(kBankGroup) + "N" + std::string(rest.substr(dot));
}

}  // namespace

const std::vector<Key>& keys() {
    static const std::vector<Key> rows = make_keys();
    return rows;
}

const Key* find_key(std::string_view path) {
    const std::string wanted = table_path(path);
    for (const Key& key : keys()) {
        if (key.info.key == wanted) return &key;
    }
    return nullptr;
}

bool is_section(std::string_view path) {
    const std::string wanted = table_path(path) + ".";
    return std::any_of(keys().begin(), keys().end(), [&](const Key& key) {
        return key.info.key.size() > wanted.size() && key.info.key.compare(0, wanted.size(), wanted) == 0;
    });
}

std::string_view bank_group_pattern() {
    return kBankGroupPattern;
}

std::int64_t bank_group_of(std::string_view path) {
    if (table_path(path) != kBankGroupPattern) return -1;
    return std::stoll(std::string(path.substr(kBankGroup.size())));
}

const std::vector<KeyInfo>& key_table() {
    static const std::vector<KeyInfo> table = [] {
        std::vector<KeyInfo> rows;
        for (const Key& key : keys()) rows.push_back(key.info);
        return rows;
    }();
    return table;
}

}  // namespace vcore::engine
