#include "testbenches/sweep/specification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <unordered_set>

#include "models/engine/configuration_keys.hpp"
#include "platforms/products.hpp"
#include "testbenches/runner/suggestion.hpp"
#include "testbenches/sweep/pattern.hpp"
#include "testbenches/sweep/random.hpp"

namespace vcore::sweep {
namespace {

constexpr std::string_view kDefaultProduct = "ascend950";
constexpr std::uint64_t kDrawsPerPoint = 200;

std::string read_file(const std::string& path, const std::string& where) {
    std::error_code ignored;
    std::ifstream stream(path, std::ios::binary);
    if (!stream || std::filesystem::is_directory(path, ignored)) {
        throw SpecificationError(fmt::format("{}: cannot read '{}'", where, path));
    }
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// As --set takes it.
std::string assignment(const std::string& key, const Json& value) {
    return key + "=" + (value.is_string() ? value.get<std::string>() : value.dump());
}

/// FNV-1a, 64 bits.
class Hash {
public:
    void add(std::string_view text) {
        for (const char c : text) add_byte(static_cast<unsigned char>(c));
        add_byte(0);
    }
    std::string text() const { return fmt::format("{:016x}", hash_); }

private:
    void add_byte(unsigned char byte) { hash_ = (hash_ ^ byte) * 0x100000001B3U; }
    std::uint64_t hash_ = 0xCBF29CE484222325U;
};

/// Points run side by side, and again after an interruption: what one writes another could read.
bool writes_files(const runner::Block& block) {
    return std::any_of(block.begin(), block.end(), [](const runner::Statement& statement) {
        if (const auto* transfer = std::get_if<runner::TransferStatement>(&statement.action)) {
            return transfer->path && transfer->direction == timing::Direction::read;
        }
        if (const auto* loop = std::get_if<runner::ForStatement>(&statement.action)) return writes_files(loop->body);
        return false;
    });
}

}  // namespace

class Specification::Reader {
public:
    Reader(Specification& specification, const std::string& path)
        : specification_(specification), path_(path), folder_(std::filesystem::path(path).parent_path()) {}

    void read() {
        try {
            specification_.document_ = engine::parse_object(read_file(path_, path_), path_);
        } catch (const engine::ConfigurationError& error) {
            throw SpecificationError(error.what());
        }
        check_names(document(), "",
                    {"product", "products", "mode", "set", "programs", "axes", "derived", "constraints", "sampling",
                     "comment"});
        hash_.add(document().dump());
        read_mode();
        read_set();
        read_axes();
        read_derived();
        read_products();
        read_constraints();
        read_programs();
        specification_.hash_ = hash_.text();
        read_sampling();
    }

private:
    const Json& document() const { return specification_.document_; }

    [[noreturn]] void fail(const std::string& pointer, const std::string& what) const {
        throw SpecificationError(fmt::format("{}: {}: {}", path_, pointer, what));
    }

    const Json* find(const Json& object, const std::string& name) const {
        const auto found = object.find(name);
        return found == object.end() ? nullptr : &*found;
    }

    void check_names(const Json& object, const std::string& pointer, const std::vector<std::string>& known) const {
        for (const auto& item : object.items()) {
            if (std::find(known.begin(), known.end(), item.key()) != known.end()) continue;
            fail(fmt::format("{}/{}", pointer, engine::pointer_token(item.key())),
                 fmt::format("unknown field{}; there are {}", runner::suggestion(item.key(), known),
                             fmt::join(known, ", ")));
        }
    }

    void check_key(const std::string& pointer, const std::string& key) const {
        if (engine::find_key(key) != nullptr && key != "product" && key != "aliases") return;
        std::vector<std::string> known;
        for (const engine::KeyInfo& info : engine::key_table()) known.push_back(info.key);
        fail(pointer, fmt::format("unknown key '{}'{}; vcore-sim describe --keys lists all that exist", key,
                                  runner::suggestion(key, known)));
    }

    const Json& object_at(const std::string& name) const {
        static const Json none = Json::object();
        const Json* const found = find(document(), name);
        if (found == nullptr) return none;
        if (!found->is_object()) fail("/" + name, fmt::format("found {}, expected an object", found->dump()));
        return *found;
    }

    std::int64_t integer(const Json& value, const std::string& pointer, std::int64_t low, std::int64_t high) const {
        const bool is_whole =
            value.is_number_integer() && !(value.is_number_unsigned() && value > std::uint64_t{INT64_MAX});
        if (!is_whole || value.get<std::int64_t>() < low || value.get<std::int64_t>() > high) {
            fail(pointer, fmt::format("found {}, expected a whole number from {} to {}", value.dump(), low, high));
        }
        return value.get<std::int64_t>();
    }

    std::string text(const Json& value, const std::string& pointer) const {
        if (!value.is_string()) fail(pointer, fmt::format("found {}, expected a text", value.dump()));
        return value.get<std::string>();
    }

    void read_mode() {
        const Json* const mode = find(document(), "mode");
        const std::string name = mode == nullptr ? "at" : text(*mode, "/mode");
        if (name != "at" && name != "lt") fail("/mode", fmt::format("found '{}', expected at or lt", name));
        specification_.mode_ = name == "lt" ? engine::Mode::loosely_timed : engine::Mode::approximately_timed;
    }

    void read_set() {
        for (const auto& item : object_at("set").items()) {
            check_key("/set/" + item.key(), item.key());
            taken_.insert(item.key());
            specification_.fixed_.push_back(assignment(item.key(), item.value()));
        }
    }

    void claim(const std::string& key, const std::string& pointer) {
        check_key(pointer, key);
        if (!taken_.insert(key).second) {
            fail(pointer, fmt::format("contradicts another part of the specification that sets {} too", key));
        }
    }

    // ---- axes

    void read_axes() {
        std::uint64_t& grid = specification_.grid_;
        for (const auto& item : object_at("axes").items()) {
            const std::string pointer = "/axes/" + item.key();
            claim(item.key(), pointer);
            Axis axis{item.key(), values_of(item.value(), pointer)};
            if (axis.values.empty()) fail(pointer, "the axis has no values");
            for (std::size_t i = 0; i < axis.values.size(); ++i) {
                if (std::find(axis.values.begin(), axis.values.begin() + static_cast<std::ptrdiff_t>(i),
                              axis.values[i]) != axis.values.begin() + static_cast<std::ptrdiff_t>(i)) {
                    fail(pointer, fmt::format("the axis has the value {} twice", axis.values[i].dump()));
                }
            }
            if (__builtin_mul_overflow(grid, axis.values.size(), &grid)) {
                fail("/axes", "the axes have more combinations than 64 bits can count");
            }
            specification_.axes_.push_back(std::move(axis));
        }
    }

    std::vector<Json> values_of(const Json& given, const std::string& pointer) const {
        if (given.is_array()) return {given.begin(), given.end()};
        if (given.is_object()) {
            check_names(given, pointer, {"range", "step", "powers_of_two"});
            if (const Json* const range = find(given, "range")) return range_of(given, *range, pointer);
            if (const Json* const powers = find(given, "powers_of_two")) return powers_of(*powers, pointer);
        }
        fail(pointer, fmt::format("found {}, expected [values], {{\"range\": [first, last], \"step\": n}} or "
                                  "{{\"powers_of_two\": [first, last]}}",
                                  given.dump()));
    }

    std::pair<std::int64_t, std::int64_t> bounds(const Json& pair, const std::string& pointer, std::int64_t low) const {
        constexpr std::int64_t kMost = std::int64_t{1} << 40;
        if (!pair.is_array() || pair.size() != 2) {
            fail(pointer, fmt::format("found {}, expected [first, last]", pair.dump()));
        }
        const std::int64_t first = integer(pair[0], pointer + "/0", low, kMost);
        const std::int64_t last = integer(pair[1], pointer + "/1", low, kMost);
        if (first > last) fail(pointer, fmt::format("the axis is empty: first {} is above last {}", first, last));
        return {first, last};
    }

    std::vector<Json> range_of(const Json& given, const Json& range, const std::string& pointer) const {
        const auto [first, last] = bounds(range, pointer + "/range", -(std::int64_t{1} << 40));
        const Json* const given_step = find(given, "step");
        const std::int64_t step =
            given_step == nullptr ? 1 : integer(*given_step, pointer + "/step", 1, std::int64_t{1} << 40);
        if ((last - first) / step >= static_cast<std::int64_t>(kMostPoints)) {
            fail(pointer, fmt::format("the axis has {} values, expected at most {}: take a larger step",
                                      (last - first) / step + 1, kMostPoints));
        }
        std::vector<Json> values;
        for (std::int64_t value = first; value <= last; value += step) values.emplace_back(value);
        return values;
    }

    std::vector<Json> powers_of(const Json& powers, const std::string& pointer) const {
        const auto [first, last] = bounds(powers, pointer + "/powers_of_two", 1);
        std::vector<Json> values;
        for (std::int64_t power = 1; power <= last; power *= 2) {
            if (power >= first) values.emplace_back(power);
        }
        return values;
    }

    // ---- formulas

    Formula formula(const Json& value, const std::string& pointer) const {
        const auto parsed = [&] {
            try {
                return Formula(text(value, pointer));
            } catch (const FormulaError& error) {
                fail(pointer, error.what());
            }
        }();
        for (const std::string& key : parsed.keys()) check_key(pointer, key);
        return parsed;
    }

    void read_derived() {
        for (const auto& item : object_at("derived").items()) {
            const std::string pointer = "/derived/" + item.key();
            claim(item.key(), pointer);
            specification_.derived_.emplace_back(item.key(), formula(item.value(), pointer));
        }
        for (const auto& [key, one] : specification_.derived_) {
            for (const std::string& used : one.keys()) {
                for (const auto& other : specification_.derived_) {
                    if (other.first == used) {
                        fail("/derived/" + key, fmt::format("reads {}, which is derived itself", used));
                    }
                }
            }
        }
    }

    void read_constraints() {
        const Json* const given = find(document(), "constraints");
        if (given == nullptr) return;
        if (!given->is_array()) fail("/constraints", fmt::format("found {}, expected a list", given->dump()));
        for (std::size_t i = 0; i < given->size(); ++i) {
            specification_.constraints_.push_back(formula((*given)[i], fmt::format("/constraints/{}", i)));
        }
    }

    // ---- products and programs

    void read_products() {
        if (find(document(), "product") != nullptr && find(document(), "products") != nullptr) {
            fail("/products", "contradicts /product: expected one of them");
        }
        if (const Json* const list = find(document(), "products")) {
            if (!list->is_array() || list->empty()) fail("/products", "expected a list of at least one product");
            for (std::size_t i = 0; i < list->size(); ++i) {
                const std::string pointer = fmt::format("/products/{}", i);
                add_product(text((*list)[i], pointer), pointer);
            }
        } else {
            const Json* const one = find(document(), "product");
            add_product(one == nullptr ? std::string(kDefaultProduct) : text(*one, "/product"), "/product");
        }
    }

    void add_product(const std::string& name, const std::string& pointer) {
        Product product{name, "", "", {}};
        const std::string ending = ".json";
        try {
            if (name.size() > ending.size() && name.substr(name.size() - ending.size()) == ending) {
                product.path = (folder_ / name).string();
                product.json = read_file(product.path, path_ + ": " + pointer);
                product.configuration = platforms::load_text(product.json, name, specification_.fixed_);
            } else {
                product.configuration = platforms::load_product(name, specification_.fixed_);
            }
        } catch (const engine::ConfigurationError& error) {
            fail(pointer, error.what());
        }
        hash_.add(product.configuration.hash);
        specification_.products_.push_back(std::move(product));
    }

    void read_programs() {
        const Json* const list = find(document(), "programs");
        if (list == nullptr || !list->is_array() || list->empty()) {
            fail("/programs", "expected a list of at least one program: a path, or {\"generate\": PATTERN, …}");
        }
        for (std::size_t i = 0; i < list->size(); ++i) {
            const std::string pointer = fmt::format("/programs/{}", i);
            SweptProgram program;
            std::string source;
            if ((*list)[i].is_object()) {
                const PatternParameters parameters = pattern_of((*list)[i], pointer);
                try {
                    source = generate(parameters);
                } catch (const PatternError& error) {
                    fail(pointer, error.what());
                }
                program.generated = true;
                program.name = "generate " + command_arguments(parameters);
            } else {
                program.name = text((*list)[i], pointer);
                const std::filesystem::path file = folder_ / program.name;
                program.folder = file.parent_path().string();
                source = read_file(file.string(), path_ + ": " + pointer);
            }
            parse(program, source, pointer);
            hash_.add(source);
            specification_.programs_.push_back(std::move(program));
        }
    }

    void parse(SweptProgram& program, const std::string& source, const std::string& pointer) const {
        try {
            program.program = runner::parse_program(source);
            runner::check_files(program.program, program.folder);
        } catch (const runner::ProgramError& error) {
            fail(pointer, error.text(program.name));
        }
        if (writes_files(program.program.body)) {
            fail(pointer, fmt::format("'{}' writes a file (mte.out with a path), which points side by side cannot",
                                      program.name));
        }
    }

    PatternParameters pattern_of(const Json& given, const std::string& pointer) const {
        check_names(
            given, pointer,
            {"generate", "type", "lanes", "size", "count", "stride", "burst", "hot", "skew", "row", "percent", "seed"});
        PatternParameters parameters;
        const auto number = [&](const char* name, auto& field, std::int64_t highest) {
            if (const Json* const value = find(given, name)) {
                field = static_cast<std::remove_reference_t<decltype(field)>>(
                    integer(*value, fmt::format("{}/{}", pointer, name), 0, highest));
            }
        };
        const Json* const pattern = find(given, "generate");
        if (pattern == nullptr) fail(pointer, "expected \"generate\": PATTERN");
        parameters.pattern = text(*pattern, pointer + "/generate");
        if (const Json* const type = find(given, "type")) parameters.type = text(*type, pointer + "/type");
        number("lanes", parameters.lanes, UINT32_MAX);
        number("size", parameters.size, UINT32_MAX);
        number("count", parameters.count, UINT32_MAX);
        number("stride", parameters.stride, UINT32_MAX);
        number("burst", parameters.burst, UINT32_MAX);
        number("hot", parameters.hot, UINT32_MAX);
        number("row", parameters.row, UINT32_MAX);
        number("percent", parameters.percent, UINT32_MAX);
        number("seed", parameters.seed, INT64_MAX);
        if (const Json* const skew = find(given, "skew")) {
            if (!skew->is_number()) fail(pointer + "/skew", fmt::format("found {}, expected a number", skew->dump()));
            parameters.skew = skew->get<double>();
        }
        return parameters;
    }

    // ---- sampling

    void read_sampling() {
        const Json& sampling = object_at("sampling");
        check_names(sampling, "/sampling", {"method", "points", "seed"});
        const Json* const given = find(sampling, "method");
        const std::string method = given == nullptr ? "grid" : text(*given, "/sampling/method");
        if (method != "grid" && method != "random" && method != "latin_hypercube") {
            const std::vector<std::string> known = {"grid", "random", "latin_hypercube"};
            fail("/sampling/method", fmt::format("found '{}'{}, expected grid, random or latin_hypercube", method,
                                                 runner::suggestion(method, known)));
        }
        const std::uint64_t runs = specification_.programs_.size() * specification_.products_.size();
        std::uint64_t wanted = specification_.grid_;
        std::uint64_t seed = 1;
        if (method == "grid") {
            if (sampling.contains("points")) fail("/sampling/points", "a grid has as many points as its axes say");
        } else {
            const Json* const points = find(sampling, "points");
            if (points == nullptr) fail("/sampling", "expected \"points\": the number of points to draw");
            wanted = static_cast<std::uint64_t>(integer(*points, "/sampling/points", 1, INT64_MAX));
            if (const Json* const value = find(sampling, "seed")) {
                seed = static_cast<std::uint64_t>(integer(*value, "/sampling/seed", 0, INT64_MAX));
            }
        }
        check_size(runs, wanted);
        try {
            if (method == "random") draw_random(wanted, seed);
            if (method == "latin_hypercube") draw_latin_hypercube(wanted, seed);
            if (method == "grid" && !specification_.constraints_.empty()) list_grid();
        } catch (const FormulaError& error) {
            fail("/constraints", error.what());
        }
        if (specification_.points() == 0) {
            fail("/constraints", fmt::format("none of the {} points meets all constraints", wanted));
        }
    }

    void check_size(std::uint64_t runs, std::uint64_t wanted) const {
        std::uint64_t points = 0;
        const bool overflow = __builtin_mul_overflow(runs, wanted, &points);
        if (!overflow && points <= kMostPoints) return;
        fail("/axes",
             fmt::format("the specification has {} points, more than {}: take fewer values, split it, or draw "
                         "some with \"sampling\": {{\"method\": \"random\", \"points\": {}}}",
                         overflow ? "more than 2^64" : std::to_string(points), kMostPoints, kMostPoints / runs));
    }

    void list_grid() {
        specification_.listed_ = true;
        for (std::uint64_t i = 0; i < specification_.grid_; ++i) {
            if (specification_.admits(i)) specification_.drawn_.push_back(i);
        }
    }

    /// Different combinations, in the order in which they are drawn.
    void draw_random(std::uint64_t wanted, std::uint64_t seed) {
        specification_.listed_ = true;
        Random random(seed);
        std::unordered_set<std::uint64_t> seen;
        for (std::uint64_t draws = 0; specification_.drawn_.size() < wanted; ++draws) {
            if (draws > wanted * kDrawsPerPoint) {
                fail("/sampling/points",
                     fmt::format("found {} different points that meet the constraints, expected {}: ask for fewer",
                                 specification_.drawn_.size(), wanted));
            }
            const std::uint64_t combination = random.below(specification_.grid_);
            if (!seen.insert(combination).second || !specification_.admits(combination)) continue;
            specification_.drawn_.push_back(combination);
        }
    }

    /// Each axis is cut into as many strata as points are wanted, and every stratum is used once. Points that break a
    /// constraint are left out.
    void draw_latin_hypercube(std::uint64_t wanted, std::uint64_t seed) {
        specification_.listed_ = true;
        Random random(seed);
        std::vector<std::uint64_t> combinations(wanted, 0);
        std::vector<std::uint64_t> strata(wanted);
        for (const Axis& axis : specification_.axes_) {
            for (std::uint64_t i = 0; i < wanted; ++i) strata[i] = i;
            shuffle(strata, random);
            for (std::uint64_t i = 0; i < wanted; ++i) {
                combinations[i] = combinations[i] * axis.values.size() + strata[i] * axis.values.size() / wanted;
            }
        }
        for (const std::uint64_t combination : combinations) {
            if (specification_.admits(combination)) specification_.drawn_.push_back(combination);
        }
    }

    Specification& specification_;
    std::string path_;
    std::filesystem::path folder_;
    std::set<std::string> taken_;
    Hash hash_;
};

Specification::Specification(const std::string& path) {
    Reader(*this, path).read();
}

Point Specification::with_levels(std::uint64_t combination) const {
    Point point;
    point.levels.resize(axes_.size());
    for (std::size_t i = axes_.size(); i-- > 0;) {
        point.levels[i] = combination % axes_[i].values.size();
        combination /= axes_[i].values.size();
    }
    return point;
}

Point Specification::point(std::uint64_t number) const {
    const std::uint64_t each = combinations();
    const std::uint64_t combination = number % each;
    Point point = with_levels(listed_ ? drawn_[combination] : combination);
    point.number = number;
    point.product = number / each % products_.size();
    point.program = number / each / products_.size();
    return point;
}

std::int64_t Specification::value_of(const std::string& key, const Point& point) const {
    const auto whole = [&](const Json& value) {
        if (value.is_boolean()) return std::int64_t{value.get<bool>()};
        if (!value.is_number_integer()) {
            throw FormulaError(fmt::format("{} is {}, a formula needs a whole number", key, value.dump()));
        }
        return value.get<std::int64_t>();
    };
    for (std::size_t i = 0; i < axes_.size(); ++i) {
        if (axes_[i].key == key) return whole(axes_[i].values[point.levels[i]]);
    }
    for (const auto& [name, formula] : derived_) {
        if (name == key) {
            return formula.evaluate([&](const std::string& used) { return value_of(used, point); });
        }
    }
    return whole(engine::find_key(key)->write(products_[point.product].configuration));
}

bool Specification::admits(std::uint64_t combination) const {
    if (constraints_.empty()) return true;
    // Constraints see figures of the first product where no axis gives them.
    const Point point = with_levels(combination);
    return std::all_of(constraints_.begin(), constraints_.end(), [&](const Formula& constraint) {
        return constraint.evaluate([&](const std::string& key) { return value_of(key, point); }) != 0;
    });
}

std::vector<std::pair<std::string, std::int64_t>> Specification::derived(const Point& point) const {
    std::vector<std::pair<std::string, std::int64_t>> values;
    for (const auto& entry : derived_) values.emplace_back(entry.first, value_of(entry.first, point));
    return values;
}

}  // namespace vcore::sweep
