#include "models/engine/configuration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "models/engine/configuration_keys.hpp"
#include "models/engine/json_text.hpp"
#include "models/engine/nearest_name.hpp"

namespace vcore::engine {

namespace {

constexpr std::string_view kBase = "base";
constexpr std::size_t kLongestQuote = 60;

/// A value that a text gives for a key.
struct Entry {
    const Key* key = nullptr;
    std::string where;  ///< for messages: "my.json: /ub/bank_groups"
    Json value;
    std::string mark;
    std::string source;
};
/// By dotted path.
using Entries = std::map<std::string, Entry>;

/// Where a text comes from: how messages name it, and the mark of its figures that carry none.
struct Origin {
    std::string name;
    std::string mark;
    std::string source;
};

/// On one line, as JSON.
std::string text_of(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// At most kLongestQuote bytes of it, whole characters.
std::string shortened(const std::string& text) {
    if (text.size() <= kLongestQuote) return text;
    std::size_t end = kLongestQuote;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    return text.substr(0, end) + "…";
}

std::string quote(const Json& value) {
    return shortened(text_of(value));
}

bool is_comment(std::string_view name) {
    return name == "comment" || name == "$comment" || name == "$schema";
}

[[noreturn]] void fail(const std::string& where, const std::string& what) {
    throw ConfigurationError(where + ": " + what);
}

/// The known key or section that `path` most likely stands for, or an empty string.
std::string nearest_key(const std::string& path) {
    std::vector<std::string> paths;
    const auto add = [&](const std::string& candidate) {
        if (std::find(paths.begin(), paths.end(), candidate) == paths.end()) paths.push_back(candidate);
    };
    for (const Key& key : keys()) {
        const bool pattern = key.info.key == bank_group_pattern();
        const std::string name = pattern ? "ub.bank_group.0.implementation" : key.info.key;
        add(name);
        for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
            add(name.substr(0, dot));
        }
    }
    // A whole key first; then the right name in the wrong section, as in {"bank_groups": 8}.
    std::string nearest = nearest_name(path, paths);
    if (!nearest.empty()) return nearest;
    const auto last_name = [](const std::string& dotted) { return dotted.substr(dotted.rfind('.') + 1); };
    std::vector<std::string> names;
    for (const std::string& candidate : paths) names.push_back(last_name(candidate));
    const auto found = std::find(names.begin(), names.end(), nearest_name(last_name(path), names));
    return found == names.end() ? std::string() : paths[static_cast<std::size_t>(found - names.begin())];
}

[[noreturn]] void fail_unknown_key(const std::string& where, const std::string& path) {
    const std::string nearest = nearest_key(path);
    fail(where, nearest.empty() ? "unknown key; vcore-sim describe --keys lists all that exist"
                                : fmt::format("unknown key; did you mean {}?", nearest));
}

/// Reads the entries of one document.
class Reader {
public:
    Reader(Origin origin, bool base_allowed) : origin_(std::move(origin)), base_allowed_(base_allowed) {}

    Entries read(const Json& document) {
        walk(document, "", "");
        return std::move(entries_);
    }

private:
    void walk(const Json& object, const std::string& path_before, const std::string& pointer_before) {
        for (const auto& item : object.items()) {
            if (is_comment(item.key())) continue;
            const std::string path = path_before.empty() ? item.key() : path_before + "." + item.key();
            const std::string pointer = pointer_before + "/" + pointer_token(item.key());
            const std::string where = origin_.name + ": " + pointer;
            if (path == kBase) {
                check_base(item.value(), where);
            } else if (const Key* key = find_key(path)) {
                add(*key, path, where, pointer, item.value());
            } else if (!is_section(path)) {
                fail_unknown_key(where, path);
            } else if (item.value().is_object()) {
                walk(item.value(), path, pointer);
            } else {
                fail(where, fmt::format("found {}, expected an object of {}.* keys", quote(item.value()), path));
            }
        }
    }

    void check_base(const Json& value, const std::string& where) const {
        if (!value.is_string()) fail(where, fmt::format("found {}, expected the name of a product", quote(value)));
        if (!base_allowed_) fail(where, "found a base, expected a complete configuration");
    }

    void add(const Key& key, const std::string& path, const std::string& where, const std::string& pointer,
             const Json& value) {
        Entry entry{&key, where, value, origin_.mark, origin_.source};
        if (value.is_object()) read_annotated(value, entry, pointer);
        const auto [place, is_new] = entries_.emplace(path, std::move(entry));
        if (!is_new) fail(where, fmt::format("{} is given twice, before at {}", path, place->second.where));
    }

    /// {"value": 8, "mark": "D", "source": "…"}
    void read_annotated(const Json& object, Entry& entry, const std::string& pointer) const {
        const auto text_field = [&](const Json& field, const std::string& name) {
            if (!field.is_string()) {
                fail(fmt::format("{}: {}/{}", origin_.name, pointer, name),
                     fmt::format("found {}, expected a text", quote(field)));
            }
            return field.get<std::string>();
        };
        for (const auto& item : object.items()) {
            if (item.key() == "value") {
                entry.value = item.value();
            } else if (item.key() == "mark") {
                entry.mark = text_field(item.value(), "mark");
                check_mark(item.value(), fmt::format("{}: {}/mark", origin_.name, pointer));
            } else if (item.key() == "source") {
                entry.source = text_field(item.value(), "source");
            } else if (!is_comment(item.key())) {
                fail(fmt::format("{}: {}/{}", origin_.name, pointer, pointer_token(item.key())),
                     "unknown field; a figure has value, mark, source and comment");
            }
        }
        if (!object.contains("value")) {
            fail(entry.where, fmt::format("found {}, expected a value or {{\"value\": …}}", quote(object)));
        }
    }

    static void check_mark(const Json& mark, const std::string& where) {
        static const std::vector<std::string> marks = {"S", "D", "M", "3", "I", "P", "file", "set"};
        if (std::find(marks.begin(), marks.end(), mark.get<std::string>()) == marks.end()) {
            fail(where, fmt::format("found {}, expected a mark: S, D, M, 3, I, P, file or set", quote(mark)));
        }
    }

    Origin origin_;
    bool base_allowed_;
    Entries entries_;
};

// ---- overrides

/// What stands behind the = of an override: JSON, a hexadecimal number, or a text without quotes.
Json override_value(const std::string& text) {
    if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        std::uint64_t number = 0;
        const char* end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data() + 2, end, number, 16);
        if (error == std::errc() && stop == end) return number;
    }
    const bool is_structure = text.find_first_of("{[") == 0;
    if (is_structure) {
        // Nested JSON passes the same checks as a file.
        return parse_json(text, "value");
    }
    Json value = Json::parse(text, nullptr, false);
    return value.is_discarded() ? Json(text) : value;
}

bool is_utf8(const std::string& text) {
    try {
        return !Json(text).dump().empty();
    } catch (const Json::type_error&) {
        return false;
    }
}

Entries read_override(const std::string& assignment) {
    const std::string shown = "--set " + shortened(assignment);
    if (!is_utf8(assignment)) fail("--set " + text_of(assignment), "found other bytes, expected text in UTF-8");
    const std::size_t equals = assignment.find('=');
    if (equals == 0 || equals == std::string::npos) fail(shown, "found no key, expected key=value");
    const std::string path = assignment.substr(0, equals);
    std::string pointer = "/" + pointer_token(path);
    std::replace(pointer.begin(), pointer.end(), '.', '/');
    const std::string where = shown + ": " + pointer;
    const Json value = [&] {
        try {
            return override_value(assignment.substr(equals + 1));
        } catch (const ConfigurationError& error) {
            fail(where, error.what());
        }
    }();
    Entries entries;
    const Key* key = find_key(path);
    if (key == nullptr && is_section(path)) {
        fail(where, fmt::format("found a section, expected one of its keys, {}.…", path));
    }
    if (key == nullptr) fail_unknown_key(where, path);
    entries.emplace(path, Entry{key, where, value, "set", shown});
    return entries;
}

// ---- from entries to a configuration

void merge(Entries& below, Entries above) {
    for (auto& [path, entry] : above) below.insert_or_assign(path, std::move(entry));
}

Entries collect(std::string_view json_text, std::string_view source_name, const std::vector<std::string>& overrides,
                std::string_view base_text) {
    const std::string name(source_name);
    Entries given = Reader({name, "file", name}, !base_text.empty()).read(parse_object(json_text, source_name));
    for (const std::string& assignment : overrides) merge(given, read_override(assignment));
    if (base_text.empty()) return given;

    const std::string base_name = "base product";
    Entries entries = Reader({base_name, "file", base_name}, false).read(parse_object(base_text, base_name));
    // A product of the user's own does not answer to the names of the one it is made from.
    const auto product = given.find("product");
    if (product != given.end() && product->second.value != entries["product"].value) entries.erase("aliases");
    merge(entries, std::move(given));
    return entries;
}

void require_complete(const Entries& entries, std::string_view source_name) {
    std::vector<std::string> missing;
    for (const Key& key : keys()) {
        if (key.required && entries.count(key.info.key) == 0) missing.push_back(key.info.key);
    }
    if (missing.empty()) return;
    const std::string others =
        missing.size() == 1 ? "" : fmt::format(" (and {} more, the next is {})", missing.size() - 1, missing[1]);
    std::string pointer = "/" + missing.front();
    std::replace(pointer.begin(), pointer.end(), '.', '/');
    throw IncompleteConfiguration(
        fmt::format("{}: {}: missing key {}{}; only a file with a \"base\" may leave keys out", source_name, pointer,
                    missing.front(), others));
}

/// What has no field of its own but is known once all keys are.
void derive(Configuration& configuration) {
    isa::Capabilities& capabilities = configuration.capabilities;
    capabilities.product = configuration.product;
    const std::uint64_t held = configuration.timing.ub.bytes();
    // The toolchain keeps the same bytes however small a part of the buffer a run is allowed to use.
    capabilities.ub_reserved_from = std::min(capabilities.ub_bytes, held - configuration.ub_reserved_bytes);
}

/// Values that are legal alone and contradict each other.
void check_together(const Configuration& configuration, const Entries& entries) {
    const auto where = [&](const char* path) { return entries.at(path).where; };
    const timing::UbGeometry& ub = configuration.timing.ub;
    const std::string held = fmt::format("{} groups x {} banks x {} rows x {} bytes = {} bytes", ub.bank_groups,
                                         ub.banks_per_group, ub.rows_per_bank, ub.row_bytes, ub.bytes());
    const std::uint64_t size = configuration.capabilities.ub_bytes;
    if (ub.bytes() > kMaxUbBytes) {
        fail(where("ub.rows_per_bank"), fmt::format("found {}, expected at most {} bytes", held, kMaxUbBytes));
    }
    if (size > ub.bytes()) {
        fail(where("ub.size_bytes"),
             fmt::format("found {}, expected at most what the geometry holds, {}; set ub.size_bytes to fit", size,
                         held));
    }
    if (size % isa::kBlockBytes != 0) {
        fail(where("ub.size_bytes"), fmt::format("found {}, expected a multiple of {}", size, isa::kBlockBytes));
    }
    if (configuration.ub_reserved_bytes > ub.bytes()) {
        fail(where("ub.reserved_bytes"), fmt::format("found {}, expected at most what the geometry holds, {}",
                                                     configuration.ub_reserved_bytes, held));
    }
    if (ub.sub_banks > ub.row_bytes) {
        fail(where("ub.sub_banks"),
             fmt::format("found {}, expected at most one per byte of a row of {}", ub.sub_banks, ub.row_bytes));
    }
    if (const std::uint32_t bytes = configuration.timing.mte.bytes_per_cycle; bytes % ub.row_bytes != 0) {
        fail(where("mte.bytes_per_cycle"), fmt::format("found {}, expected a multiple of ub.row_bytes, {}: a transfer "
                                                       "asks for whole rows",
                                                       bytes, ub.row_bytes));
    }
    for (std::size_t i = 0; i < isa::kElementTypes; ++i) {
        const auto type = static_cast<isa::ElementType>(i);
        if (configuration.capabilities.tensor_scatter_masked.contains(type) &&
            !configuration.capabilities.tensor_scatter.contains(type)) {
            fail(where("capabilities.tensor_scatter_masked_types"),
                 fmt::format("found {}, expected types that stand in capabilities.tensor_scatter_types too",
                             isa::name(type)));
        }
    }
    for (const auto& [path, entry] : entries) {
        if (bank_group_of(path) >= static_cast<std::int64_t>(ub.bank_groups)) {
            fail(entry.where, fmt::format("found group {}, expected 0 to {}", bank_group_of(path), ub.bank_groups - 1));
        }
    }
}

/// FNV-1a, 64 bits, over "key=value" lines of every typed value in the order of the keys' names.
std::string hash_of(const Configuration& configuration) {
    std::map<std::string, std::string> values;
    for (const Key& key : keys()) values[key.info.key] = key.write(configuration).dump();
    std::uint64_t hash = 0xCBF29CE484222325U;
    const auto add = [&](const std::string& text) {
        for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
    };
    for (const auto& [key, value] : values) add(key + "=" + value + "\n");
    return fmt::format("{:016x}", hash);
}

Configuration configuration_of(const Entries& entries, std::string_view source_name) {
    require_complete(entries, source_name);
    Configuration configuration;
    for (const auto& [path, entry] : entries) {
        try {
            entry.key->read(configuration, entry.value);
        } catch (const Mismatch& expected) {
            fail(entry.where, fmt::format("found {}, expected {}", quote(entry.value), expected.what()));
        }
    }
    check_together(configuration, entries);
    derive(configuration);
    configuration.hash = hash_of(configuration);
    return configuration;
}

// ---- describe

/// One value as describe writes it, on one line.
std::string described(const Entry& entry, const Json& value) {
    if (!entry.key->figure) return text_of(value);
    return fmt::format("{{\"value\": {}, \"mark\": {}, \"source\": {}}}", text_of(value), text_of(entry.mark),
                       text_of(entry.source));
}

/// Collects lines `"key": value` under their sections.
class Writer {
public:
    void add(const std::string& path, const std::string& value) {
        const std::size_t dot = path.find('.');
        const std::string section = dot == std::string::npos ? std::string() : path.substr(0, dot);
        if (section != section_) change_section(section);
        separate();
        text_ += fmt::format("{}{}: {}", section.empty() ? "  " : "    ",
                             text_of(section.empty() ? path : path.substr(dot + 1)), value);
        first_ = false;
    }
    std::string finish() {
        change_section("");
        return text_ + "\n}\n";
    }

private:
    void change_section(const std::string& section) {
        if (!section_.empty()) {
            text_ += "\n  }";
            first_ = false;
        }
        if (!section.empty()) {
            separate();
            text_ += fmt::format("  {}: {{", text_of(section));
            first_ = true;
        }
        section_ = section;
    }
    void separate() { text_ += first_ ? "\n" : ",\n"; }

    std::string text_ = "{";
    std::string section_;
    bool first_ = true;
};

}  // namespace

Configuration load_configuration(std::string_view json_text, std::string_view source_name,
                                 const std::vector<std::string>& overrides, std::string_view base_text) {
    return configuration_of(collect(json_text, source_name, overrides, base_text), source_name);
}

std::string describe_configuration(std::string_view json_text, std::string_view source_name,
                                   const std::vector<std::string>& overrides, std::string_view base_text) {
    const Entries entries = collect(json_text, source_name, overrides, base_text);
    const Configuration configuration = configuration_of(entries, source_name);
    Writer writer;
    for (const Key& key : keys()) {
        // A key of the table stands for one entry, that of the bank groups for one per group.
        for (const auto& [path, entry] : entries) {
            if (entry.key == &key) writer.add(path, described(entry, key.write(configuration)));
        }
    }
    return writer.finish();
}

}  // namespace vcore::engine
