#include "testbenches/sweep/pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "testbenches/runner/suggestion.hpp"
#include "testbenches/sweep/random.hpp"

namespace vcore::sweep {
namespace {

constexpr std::uint32_t kVectorBytes = 256;
constexpr std::uint32_t kUsableBytes = 262144 - 8192;  // of the default product, without what the toolchain keeps
constexpr std::uint32_t kRowBytes = 32;

struct Type {
    std::string_view name;
    std::uint32_t bytes;      ///< of an element in the table
    std::string_view bits;    ///< the same bits as whole numbers
    std::string_view result;  ///< what a gather leaves in the register
    std::string_view index;   ///< type of the indices and, as bits, of results
    std::string_view mask;    ///< width that masks count in
    std::string_view source;  ///< source type where the gather names one
};

const Type& type_of(const std::string& name) {
    static const std::vector<Type> types = {
        {"s8", 1, "u8", "s16", "u16", "b16", "s8 "},   {"u8", 1, "u8", "u16", "u16", "b16", "u8 "},
        {"s16", 2, "u16", "s16", "u16", "b16", ""},    {"u16", 2, "u16", "u16", "u16", "b16", ""},
        {"half", 2, "u16", "half", "u16", "b16", ""},  {"bf16", 2, "u16", "bf16", "u16", "b16", ""},
        {"s32", 4, "u32", "s32", "u32", "b32", ""},    {"u32", 4, "u32", "u32", "u32", "b32", ""},
        {"float", 4, "u32", "float", "u32", "b32", ""}};
    for (const Type& type : types) {
        if (type.name == name) return type;
    }
    throw PatternError(fmt::format("found type '{}', expected one of s8 u8 s16 u16 half bf16 s32 u32 float", name));
}

bool is_histogram(const PatternParameters& parameters) {
    return parameters.pattern == "histogram";
}

std::uint32_t lanes_of_op(const Type& type) {
    return type.mask == "b32" ? kVectorBytes / 4 : kVectorBytes / 2;
}

std::uint32_t active_lanes(const PatternParameters& parameters) {
    return parameters.lanes == 0 ? lanes_of_op(type_of(parameters.type)) : parameters.lanes;
}

void check(const char* what, std::uint64_t value, std::uint64_t low, std::uint64_t high) {
    if (value < low || value > high) {
        throw PatternError(fmt::format("found {} {}, expected {} to {}", what, value, low, high));
    }
}

void check(const PatternParameters& parameters) {
    const std::vector<std::string> names = pattern_names();
    if (std::find(names.begin(), names.end(), parameters.pattern) == names.end()) {
        throw PatternError(fmt::format("'{}' is not a pattern{}; there are {}", parameters.pattern,
                                       runner::suggestion(parameters.pattern, names), fmt::join(names, ", ")));
    }
    const Type& type = type_of(parameters.type);
    check("lanes", active_lanes(parameters), 1, lanes_of_op(type));
    const std::uint32_t most = type.index == "u16" ? 65536 : kUsableBytes;
    check("size", parameters.size, 1, most);
    check("count", parameters.count, 1, kUsableBytes);
    check("stride", parameters.stride, 1, most);
    check("burst", parameters.burst, 1, most);
    check("hot", parameters.hot, 1, most);
    check("row", parameters.row, 1, parameters.pattern == "zipf" ? parameters.size : most);
    check("percent", parameters.percent, 1, 100);
    if (!(parameters.skew >= 0.0 && parameters.skew <= 10.0)) {
        throw PatternError(fmt::format("found skew {}, expected 0 to 10", parameters.skew));
    }
    if (parameters.pattern == "transpose" && parameters.size % parameters.stride != 0) {
        throw PatternError(fmt::format("found size {} and stride {}, expected whole rows: size a multiple of stride",
                                       parameters.size, parameters.stride));
    }
    if (is_histogram(parameters) && (type.bytes == 1 || type.name == "bf16")) {
        throw PatternError(
            fmt::format("found type '{}' of a histogram, expected one that can be counted up: s16 u16 "
                        "half s32 u32 float",
                        type.name));
    }
}

// ---- the patterns: `count` elements of a table of `size`

using Elements = std::vector<std::uint32_t>;

Elements uniform(const PatternParameters& p, std::uint32_t count, Random& random) {
    Elements elements(count);
    for (std::uint32_t& element : elements) element = static_cast<std::uint32_t>(random.below(p.size));
    return elements;
}

Elements permutation(const PatternParameters& p, std::uint32_t count, Random& random) {
    Elements order(p.size);
    std::iota(order.begin(), order.end(), 0U);
    shuffle(order, random);
    Elements elements(count);
    for (std::uint32_t i = 0; i < count; ++i) elements[i] = order[i % p.size];
    return elements;
}

Elements stride(const PatternParameters& p, std::uint32_t count, Random&) {
    Elements elements(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        elements[i] = static_cast<std::uint32_t>(std::uint64_t{i} * p.stride % p.size);
    }
    return elements;
}

Elements bursts(const PatternParameters& p, std::uint32_t count, Random& random) {
    Elements elements;
    while (elements.size() < count) {
        const std::uint64_t length = 1 + random.below(p.burst);
        const std::uint64_t first = random.below(p.size);
        for (std::uint64_t i = 0; i < length && elements.size() < count; ++i) {
            elements.push_back(static_cast<std::uint32_t>((first + i) % p.size));
        }
    }
    return elements;
}

Elements hot(const PatternParameters& p, std::uint32_t count, Random& random) {
    const std::uint32_t per_row = kRowBytes / type_of(p.type).bytes;
    const std::uint32_t rows = (p.size + per_row - 1) / per_row;
    Elements hot_rows(std::min(p.hot, rows));
    for (std::uint32_t& row : hot_rows) row = static_cast<std::uint32_t>(random.below(rows));
    Elements elements(count);
    for (std::uint32_t& element : elements) {
        const bool is_hot = random.below(10) != 0;
        const std::uint64_t in_row =
            hot_rows[random.below(hot_rows.size())] * std::uint64_t{per_row} + random.below(per_row);
        element = static_cast<std::uint32_t>(is_hot ? in_row % p.size : random.below(p.size));
    }
    return elements;
}

/// Whole embeddings of `row` elements; the k-th most popular is looked up in proportion to k^-skew.
Elements zipf(const PatternParameters& p, std::uint32_t count, Random& random) {
    const std::uint32_t rows = p.size / p.row;
    std::vector<double> cumulated(rows);
    double sum = 0;
    for (std::uint32_t k = 0; k < rows; ++k) cumulated[k] = sum += std::pow(k + 1.0, -p.skew);
    Elements place(rows);
    std::iota(place.begin(), place.end(), 0U);
    shuffle(place, random);
    Elements elements;
    while (elements.size() < count) {
        const double draw = static_cast<double>(random.next() >> 11U) * 0x1p-53 * sum;
        const auto found = std::upper_bound(cumulated.begin(), cumulated.end(), draw);
        const auto rank = std::min<std::ptrdiff_t>(found - cumulated.begin(), rows - 1);
        const std::uint32_t first = place[static_cast<std::size_t>(rank)] * p.row;
        for (std::uint32_t i = 0; i < p.row && elements.size() < count; ++i) elements.push_back(first + i);
    }
    return elements;
}

/// Columns of a matrix whose rows follow one another.
Elements transpose(const PatternParameters& p, std::uint32_t count, Random&) {
    const std::uint32_t columns = p.stride;
    const std::uint32_t rows = p.size / columns;
    Elements elements(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t k = i % p.size;
        elements[i] = k % rows * columns + k / rows;
    }
    return elements;
}

Elements compaction(const PatternParameters& p, std::uint32_t count, Random& random) {
    Elements kept;
    while (kept.empty()) {
        for (std::uint32_t i = 0; i < p.size; ++i) {
            if (random.below(100) < p.percent) kept.push_back(i);
        }
    }
    Elements elements(count);
    for (std::uint32_t i = 0; i < count; ++i) elements[i] = kept[i % kept.size()];
    return elements;
}

/// A counter of its own for each lane, so that no two lanes count in one place.
Elements histogram(const PatternParameters& p, std::uint32_t count, Random& random) {
    const std::uint32_t copies = active_lanes(p);
    Elements elements(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        elements[i] = static_cast<std::uint32_t>(random.below(p.size)) * copies + i % copies;
    }
    return elements;
}

struct Pattern {
    PatternInfo info;
    Elements (*make)(const PatternParameters& parameters, std::uint32_t count, Random& random);
};

const std::vector<Pattern>& table() {
    static const std::vector<Pattern> rows = {
        {{"uniform", "every look-up anywhere in the table"}, uniform},
        {{"permutation", "every element once, in random order"}, permutation},
        {{"stride", "every stride-th element, around the table"}, stride},
        {{"bursts", "runs of 1 to burst neighbours, from anywhere"}, bursts},
        {{"hot", "nine of ten look-ups in a few rows of 32 B"}, hot},
        {{"zipf", "embeddings of row elements, the k-th most popular with weight k^-skew"}, zipf},
        {{"transpose", "a matrix of stride columns, read by columns"}, transpose},
        {{"compaction", "the elements that a random mask keeps, in order"}, compaction},
        {{"histogram", "counters of random keys: gather, add 1, scatter; a copy for each lane"}, histogram}};
    return rows;
}

// ---- text

/// Where things lie, in bytes.
struct Layout {
    std::uint32_t rounds = 0;
    std::uint64_t elements = 0;  ///< of the table
    std::uint64_t indices = 0;
    std::uint64_t results = 0;
};

Layout layout_of(const PatternParameters& parameters, std::size_t lookups) {
    const Type& type = type_of(parameters.type);
    const std::uint32_t lanes = active_lanes(parameters);
    Layout layout;
    layout.rounds = static_cast<std::uint32_t>(lookups / lanes);
    layout.elements = std::uint64_t{parameters.size} * (is_histogram(parameters) ? lanes : 1U);
    const std::uint64_t vectors = (layout.elements * type.bytes + kVectorBytes - 1) / kVectorBytes;
    layout.indices = vectors * kVectorBytes;
    layout.results = layout.indices + std::uint64_t{layout.rounds} * kVectorBytes;
    const std::uint64_t end =
        layout.results + (is_histogram(parameters) ? 0 : std::uint64_t{layout.rounds} * kVectorBytes);
    if (end > kUsableBytes) {
        throw PatternError(
            fmt::format("found table, indices and results of {} bytes, expected at most {}: take a "
                        "smaller size or count",
                        end, kUsableBytes));
    }
    if (type.index == "u16" && layout.elements > 65536) {
        throw PatternError(
            fmt::format("found {} counters, expected at most 65536 under u16 indices: take fewer bins, "
                        "fewer lanes or a 32-bit type",
                        layout.elements));
    }
    return layout;
}

std::string table_text(const PatternParameters& parameters, const Layout& layout) {
    const Type& type = type_of(parameters.type);
    if (is_histogram(parameters)) return fmt::format("fill 0 {} {} 0\n", type.bits, layout.elements);
    if (type.bytes > 1) return fmt::format("data 0 {} iota {}\n", type.bits, layout.elements);
    // Element i holds the low byte of i.
    return fmt::format("for page in 0..{} {{\n  data page*256 u8 iota 256\n}}\n", (layout.elements + 255) / 256);
}

/// The bits that a gather of the element leaves in a lane; 8-bit elements are extended with zeros.
std::uint32_t expected(const Type& type, std::uint32_t element) {
    return type.bytes == 1 ? element & 0xFFU : element;
}

std::string vector_function(const PatternParameters& parameters, const Layout& layout) {
    const Type& type = type_of(parameters.type);
    std::string text = fmt::format("let active = {}\n\nvf {{\n  mask.update m0 {} active\n  for i in 0..{} {{\n",
                                   active_lanes(parameters), type.mask, layout.rounds);
    text += fmt::format("    load v0 {} [{:#x} + i*256]\n", type.index, layout.indices);
    text += fmt::format("    gather v1 {} [0] {}v0 {} m0\n", type.result, type.source, type.index);
    if (is_histogram(parameters)) {
        text += fmt::format("    adds v2 {} v1 1 m0\n    scatter [0] {} v2 v0 {} m0\n    barrier VV_ALL\n", type.result,
                            type.result, type.index);
    } else {
        text += fmt::format("    store [{:#x} + i*256] {} v1 m0\n", layout.results, type.result);
    }
    return text + "  }\n}\n";
}

}  // namespace

const std::vector<PatternInfo>& patterns() {
    static const std::vector<PatternInfo> infos = [] {
        std::vector<PatternInfo> all;
        for (const Pattern& pattern : table()) all.push_back(pattern.info);
        return all;
    }();
    return infos;
}

std::vector<std::string> pattern_names() {
    std::vector<std::string> names;
    for (const PatternInfo& pattern : patterns()) names.push_back(pattern.name);
    return names;
}

std::vector<std::uint32_t> lookups(const PatternParameters& parameters) {
    check(parameters);
    const std::uint32_t lanes = active_lanes(parameters);
    const std::uint32_t count = (parameters.count + lanes - 1) / lanes * lanes;
    Random random(parameters.seed);
    const auto found = std::find_if(table().begin(), table().end(),
                                    [&](const Pattern& pattern) { return pattern.info.name == parameters.pattern; });
    return found->make(parameters, count, random);
}

std::string generate(const PatternParameters& parameters) {
    const std::vector<std::uint32_t> elements = lookups(parameters);
    const Layout layout = layout_of(parameters, elements.size());
    const Type& type = type_of(parameters.type);
    const std::uint32_t lanes = active_lanes(parameters);

    std::string text = fmt::format("# vcore-sim generate {}\n", command_arguments(parameters));
    text += table_text(parameters, layout);
    text += fmt::format("fill {:#x} {} {} 0\n", layout.indices, type.index, layout.rounds * lanes_of_op(type));
    const auto first_of = [&](std::uint32_t round) { return elements.begin() + std::ptrdiff_t{round} * lanes; };
    for (std::uint32_t round = 0; round < layout.rounds; ++round) {
        text += fmt::format("data {:#x} {} {}\n", layout.indices + round * kVectorBytes, type.index,
                            fmt::join(first_of(round), first_of(round + 1), " "));
    }
    text += "\n" + vector_function(parameters, layout);
    if (is_histogram(parameters)) return text;
    text += "\n";
    for (std::uint32_t round = 0; round < layout.rounds; ++round) {
        std::vector<std::uint32_t> values(first_of(round), first_of(round + 1));
        for (std::uint32_t& value : values) value = expected(type, value);
        text += fmt::format("expect {:#x} {} {}\n", layout.results + round * kVectorBytes, type.index,
                            fmt::join(values, " "));
    }
    return text;
}

std::string command_arguments(const PatternParameters& p) {
    std::string text = fmt::format("{} --type {} --lanes {} --size {} --count {}", p.pattern, p.type, active_lanes(p),
                                   p.size, p.count);
    if (p.pattern == "stride" || p.pattern == "transpose") text += fmt::format(" --stride {}", p.stride);
    if (p.pattern == "bursts") text += fmt::format(" --burst {}", p.burst);
    if (p.pattern == "hot") text += fmt::format(" --hot {}", p.hot);
    if (p.pattern == "zipf") text += fmt::format(" --skew {} --row {}", p.skew, p.row);
    if (p.pattern == "compaction") text += fmt::format(" --percent {}", p.percent);
    return text + fmt::format(" --seed {}", p.seed);
}

}  // namespace vcore::sweep
