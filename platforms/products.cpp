#include "platforms/products.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "models/engine/json_text.hpp"
#include "models/engine/nearest_name.hpp"
#include "platforms/embedded_products.hpp"

namespace vcore::platforms {

namespace {

using engine::Configuration;
using engine::ConfigurationError;

constexpr std::string_view kProductOverride = "product=";

// ---- the seven products

struct Product {
    EmbeddedProduct embedded;
    Configuration configuration;
};

const std::vector<Product>& products() {
    static const std::vector<Product> all = [] {
        std::vector<Product> loaded;
        for (const EmbeddedProduct& product : embedded_products()) {
            const std::string file = std::string(product.name) + ".json";
            loaded.push_back({product, engine::load_configuration(product.json, file)});
        }
        return loaded;
    }();
    return all;
}

const Product* find_product(std::string_view name_or_alias) {
    for (const Product& product : products()) {
        const auto& aliases = product.configuration.aliases;
        const bool is_alias = std::find(aliases.begin(), aliases.end(), name_or_alias) != aliases.end();
        if (product.configuration.product == name_or_alias || is_alias) return &product;
    }
    return nullptr;
}

std::string join(const std::vector<std::string>& words, std::string_view separator) {
    return fmt::format("{}", fmt::join(words, separator));
}

/// "did you mean ascend950?", or all names where none is near.
std::string advice(std::string_view name) {
    std::vector<std::string> known = product_names();
    for (const Product& product : products()) {
        const auto& aliases = product.configuration.aliases;
        known.insert(known.end(), aliases.begin(), aliases.end());
    }
    const std::string nearest = engine::nearest_name(name, known);
    if (!nearest.empty()) return fmt::format("did you mean {}?", nearest);
    return fmt::format("the products are {}", join(product_names(), ", "));
}

const Product& product(std::string_view name_or_alias) {
    if (const Product* found = find_product(name_or_alias)) return *found;
    throw ConfigurationError(fmt::format("unknown product '{}'; {}", name_or_alias, advice(name_or_alias)));
}

/// Products that have something, for advice to `user`: not the one that it changed so that it lacks it.
template <typename Has>
std::string products_with(Has has, const Configuration& user) {
    std::vector<std::string> names;
    for (const Product& candidate : products()) {
        const std::string& name = candidate.configuration.product;
        const bool lost = name == user.product && !has(user.capabilities);
        if (has(candidate.configuration.capabilities) && !lost) names.push_back(name);
    }
    return join(names, ", ");
}

Configuration with_advice(Configuration configuration) {
    isa::Capabilities& capabilities = configuration.capabilities;
    capabilities.vector_functions_on =
        products_with([](const isa::Capabilities& c) { return c.vector_functions; }, configuration);
    capabilities.tensor_scatter_on =
        products_with([](const isa::Capabilities& c) { return !c.tensor_scatter.empty(); }, configuration);
    capabilities.tensor_add_on =
        products_with([](const isa::Capabilities& c) { return !c.tensor_add.empty(); }, configuration);
    return configuration;
}

bool is_product_override(const std::string& assignment) {
    return assignment.compare(0, kProductOverride.size(), kProductOverride) == 0;
}

// ---- what load and describe work on

/// The texts that a configuration is made from.
struct Source {
    std::string text;
    std::string name;
    std::vector<std::string> overrides;
    std::string_view base_text;
};

Source product_source(std::string_view name_or_alias, const std::vector<std::string>& overrides) {
    std::string name(name_or_alias);
    Source source;
    for (const std::string& assignment : overrides) {
        if (is_product_override(assignment)) {
            name = assignment.substr(kProductOverride.size());
        } else {
            source.overrides.push_back(assignment);
        }
    }
    const Product& chosen = product(name);
    source.text = std::string(chosen.embedded.json);
    source.name = std::string(chosen.embedded.name) + ".json";
    return source;
}

std::string read_file(const std::string& path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
        throw ConfigurationError(fmt::format("{}: found a directory, expected a configuration file", path));
    }
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) throw ConfigurationError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
    // One byte more than is allowed, so that the reader of the text can tell; a device may never end.
    std::string text(engine::kMaxConfigurationBytes + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (file.bad()) throw ConfigurationError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
    text.resize(static_cast<std::size_t>(file.gcount()));
    return text;
}

/// A member of the document that is a text, written plainly or as {"value": …}.
std::optional<std::string> text_member(const engine::Json& document, const char* name) {
    const auto found = document.find(name);
    if (found == document.end()) return std::nullopt;
    const engine::Json& value = found->is_object() && found->contains("value") ? (*found)["value"] : *found;
    if (!value.is_string()) return std::nullopt;
    return value.get<std::string>();
}

Source text_source(std::string text, const std::string& path, const std::vector<std::string>& overrides) {
    if (std::any_of(overrides.begin(), overrides.end(), is_product_override)) {
        throw ConfigurationError(
            fmt::format("--set product: {} says which product it describes; change it there", path));
    }
    Source source{std::move(text), path, overrides, {}};
    const engine::Json document = engine::parse_object(source.text, path);
    const auto base = text_member(document, "base");
    const auto own = text_member(document, "product");
    if (base) {
        const Product* found = find_product(*base);
        if (found == nullptr) {
            throw ConfigurationError(fmt::format("{}: /base: unknown product '{}'; {}", path, *base, advice(*base)));
        }
        source.base_text = found->embedded.json;
    } else if (own && find_product(*own) != nullptr) {
        source.base_text = find_product(*own)->embedded.json;
    }
    // An alias names the same machine: the canonical name stands in reports.
    if (own && find_product(*own) != nullptr && find_product(*own)->configuration.product != *own) {
        source.overrides.insert(source.overrides.begin(),
                                std::string(kProductOverride) + find_product(*own)->configuration.product);
    }
    return source;
}

Source file_source(const std::string& path, const std::vector<std::string>& overrides) {
    return text_source(read_file(path), path, overrides);
}

/// A file without a base that leaves keys out often means a product that it misspells.
template <typename Load>
auto naming_bases(const Source& source, Load load) {
    try {
        return load();
    } catch (const engine::IncompleteConfiguration& error) {
        const auto own = text_member(engine::parse_object(source.text, source.name), "product");
        const std::string product_advice =
            own ? fmt::format("'{}' is no known product, {}", *own, advice(*own)) : advice("");
        throw ConfigurationError(fmt::format("{}; {}", error.what(), product_advice));
    }
}

// ---- tables

using Row = std::vector<std::string>;

/// Characters, not bytes: titles may hold any letters.
std::size_t width_of(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string markdown_cell(const std::string& text) {
    std::string cell;
    for (const char c : text) cell += c == '|' ? std::string("\\|") : std::string(1, c);
    return cell;
}

std::string markdown_table(const std::vector<Row>& rows) {
    std::string text;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        text += "|";
        for (const std::string& cell : rows[i]) text += fmt::format(" {} |", markdown_cell(cell));
        text += "\n";
        if (i == 0) {
            text += "|";
            for (std::size_t column = 0; column < rows[0].size(); ++column) text += "---|";
            text += "\n";
        }
    }
    return text;
}

std::string plain_table(const std::vector<Row>& rows) {
    std::vector<std::size_t> widths(rows[0].size(), 0);
    for (const Row& row : rows) {
        for (std::size_t column = 0; column < row.size(); ++column) {
            widths[column] = std::max(widths[column], width_of(row[column]));
        }
    }
    std::string text;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::string line;
        for (std::size_t column = 0; column < rows[i].size(); ++column) {
            const std::size_t padding = widths[column] - width_of(rows[i][column]);
            line += rows[i][column] + std::string(padding + 2, ' ');
        }
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
        if (i == 0) {
            std::string rule;
            for (const std::size_t width : widths) rule += std::string(width, '-') + "  ";
            text += rule.substr(0, rule.find_last_not_of(' ') + 1) + "\n";
        }
    }
    return text;
}

std::string table(const std::vector<Row>& rows, bool markdown) {
    return markdown ? markdown_table(rows) : plain_table(rows);
}

std::string headline(std::string_view text, bool markdown) {
    return markdown ? fmt::format("**{}**\n\n", text) : fmt::format("{}\n\n", text);
}

std::string type_names(const isa::TypeSet& types) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < isa::kElementTypes; ++i) {
        const auto type = static_cast<isa::ElementType>(i);
        if (types.contains(type)) names.emplace_back(isa::name(type));
    }
    return names.empty() ? "no" : join(names, " ");
}

std::vector<Row> support_rows() {
    std::vector<Row> rows = {
        {"product", "also", "arch", "vf statements", "tensor.scatter", "with mask= or bits=", "tensor.add"}};
    for (const Product& one : products()) {
        const Configuration& c = one.configuration;
        rows.push_back({c.product, join(c.aliases, " "), c.architecture, c.capabilities.vector_functions ? "yes" : "no",
                        type_names(c.capabilities.tensor_scatter), type_names(c.capabilities.tensor_scatter_masked),
                        type_names(c.capabilities.tensor_add)});
    }
    return rows;
}

/// Types of the ops that stand inside a vector function; they are the same wherever vector functions are.
std::vector<Row> vf_rows() {
    const std::string all = "s8 u8 hif8 e8m0 e5m2 e4m3 s16 u16 half bf16 s32 u32 float s64 u64";
    return {
        {"vf statement", "op", "types", "index"},
        {"gather", "asc_gather, Reg::Gather", "s16 from s8, u16 from u8; s16 u16 half bf16", "u16"},
        {"", "", "s32 u32 float", "u32"},
        {"", "asc_gather only", "s8 u8 hif8 e8m0 e5m2 e4m3 (even bytes)", "u16"},
        {"", "asc_gather only", "s16 u16 half bf16 (even half-words)", "u32"},
        {"", "Reg::Gather only", "s64 u64, one register or a pair", "u32 u64"},
        {"gather.reg", "asc_gather, Reg::Gather", "s8 u8 hif8 e8m0 e5m2 e4m3", "u8"},
        {"", "", "s16 u16 half bf16", "u16"},
        {"", "", "s32 u32; Reg::Gather also float", "u32"},
        {"gather.block", "GatherB", "any", "u32 (bytes)"},
        {"scatter", "asc_scatter, Reg::Scatter", "s8 u8 (even bytes); s16 u16 half bf16", "u16"},
        {"", "", "s32 u32 float", "u32"},
        {"", "Reg::Scatter only", "s64 u64, one register or a pair", "u32 u64"},
        {"mask.gen", "MaskGenWithRegTensor", "b16 b32", ""},
        {"mask.create, mask.update", "CreateMask, UpdateMask", "b8 b16 b32 b64", ""},
        {"mask.load, mask.store", "mask load and store", "norm us ds; norm pack", ""},
        {"load, store", "LoadAlign, StoreAlign", all, ""},
        {"load.block, store.block", "block copy", "any", ""},
        {"add, adds, dup", "Add, Adds, Duplicate", "float half s32 u32 s16 u16", ""},
        {"barrier", "LocalMemBar", "", ""},
    };
}

std::string address_text(timing::AddressOrder order) {
    return order == timing::AddressOrder::row_bank_group ? "row, bank, group, byte" : "bank, row, group, byte";
}

std::string sub_bank_text(const timing::UbGeometry& ub) {
    return ub.sub_banks == 1 ? "none" : fmt::format("{} x {} B", ub.sub_banks, ub.row_bytes / ub.sub_banks);
}

std::vector<Row> figure_rows() {
    std::vector<Row> rows = {{"product", "clock MHz", "UB bytes", "reserved", "groups x banks x rows x bytes",
                              "address, high to low", "sub-banks", "reads + writes per group", "MTE bytes per cycle"}};
    for (const Product& one : products()) {
        const Configuration& c = one.configuration;
        const timing::UbGeometry& ub = c.timing.ub;
        rows.push_back(
            {c.product, fmt::format("{}", c.clock_mhz), std::to_string(c.capabilities.ub_bytes),
             std::to_string(c.ub_reserved_bytes),
             fmt::format("{} x {} x {} x {}", ub.bank_groups, ub.banks_per_group, ub.rows_per_bank, ub.row_bytes),
             address_text(ub.order), sub_bank_text(ub), fmt::format("{} + {}", ub.reads_per_group, ub.writes_per_group),
             std::to_string(c.timing.mte.bytes_per_cycle)});
    }
    return rows;
}

std::vector<Row> title_rows() {
    std::vector<Row> rows = {{"product", "the vendor's names"}};
    for (const Product& one : products()) rows.push_back({one.configuration.product, one.configuration.title});
    return rows;
}

}  // namespace

const std::vector<std::string>& product_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const EmbeddedProduct& one : embedded_products()) all.emplace_back(one.name);
        return all;
    }();
    return names;
}

std::string_view product_json(std::string_view name_or_alias) {
    return product(name_or_alias).embedded.json;
}

Configuration load_product(std::string_view name_or_alias, const std::vector<std::string>& overrides) {
    const Source source = product_source(name_or_alias, overrides);
    return with_advice(engine::load_configuration(source.text, source.name, source.overrides));
}

Configuration load_text(const std::string& json, const std::string& name, const std::vector<std::string>& overrides) {
    const Source source = text_source(json, name, overrides);
    return naming_bases(source, [&] {
        return with_advice(engine::load_configuration(source.text, source.name, source.overrides, source.base_text));
    });
}

Configuration load_file(const std::string& path, const std::vector<std::string>& overrides) {
    return load_text(read_file(path), path, overrides);
}

std::string products_table(bool markdown) {
    const std::string end = "\n";
    return headline("Products and what each supports (data, dump, expect and mte work on all)", markdown) +
           table(support_rows(), markdown) + end +
           headline("Statements inside vf, on products that have it", markdown) + table(vf_rows(), markdown) + end +
           headline("Figures", markdown) + table(figure_rows(), markdown) + end + headline("Names", markdown) +
           table(title_rows(), markdown);
}

std::string describe(const std::string& name_or_path, const std::vector<std::string>& overrides) {
    std::error_code ignored;
    const std::string ending = ".json";
    const bool ends_as_file = name_or_path.size() > ending.size() &&
                              name_or_path.compare(name_or_path.size() - ending.size(), ending.size(), ending) == 0;
    const bool is_file =
        ends_as_file || name_or_path.find('/') != std::string::npos || std::filesystem::exists(name_or_path, ignored);
    const bool is_path = is_file && find_product(name_or_path) == nullptr;
    const Source source = is_path ? file_source(name_or_path, overrides) : product_source(name_or_path, overrides);
    return naming_bases(source, [&] {
        return engine::describe_configuration(source.text, source.name, source.overrides, source.base_text);
    });
}

std::string keys_table(bool markdown) {
    std::vector<Row> rows = {{"key", "value", "unit", "meaning"}};
    for (const engine::KeyInfo& key : engine::key_table()) {
        rows.push_back({key.key, key.type, key.unit, key.meaning});
    }
    return table(rows, markdown);
}

}  // namespace vcore::platforms
