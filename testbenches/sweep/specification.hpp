// What a sweep runs: programs x products x axes, as SPEC.json says.
//
// {
//   "products": ["ascend950", "mine.json"],                   // or "product": "…"; default ascend950
//   "mode": "at",                                             // or "lt"
//   "set": {"ub.max_wait": 64},                               // the same in every point
//   "programs": ["a.vprog", {"generate": "uniform", "type": "float", "size": 1024}],
//   "axes": {"ub.bank_groups": [4, 8], "ub.sub_banks": {"powers_of_two": [1, 8]},
//            "latency.load": {"range": [5, 20], "step": 5}},
//   "derived": {"ub.rows_per_bank": "262144 / (32 * ub.bank_groups * ub.banks_per_group)"},
//   "constraints": ["ub.bank_groups * ub.banks_per_group <= 32"],
//   "sampling": {"method": "random", "points": 100, "seed": 1} // or "latin_hypercube"; default {"method": "grid"}
// }
//
// Paths are relative to the folder of SPEC.json. Every error is a SpecificationError: "spec.json: /axes/…: …".
// Points are numbered from 0: the last axis changes fastest, then the axes before it, then products, then programs.
// Sampling draws combinations of axis values; each is run with every program on every product.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/engine/configuration.hpp"
#include "models/engine/core.hpp"
#include "models/engine/json_text.hpp"
#include "testbenches/runner/program.hpp"
#include "testbenches/sweep/formula.hpp"

namespace vcore::sweep {

inline constexpr std::uint64_t kMostPoints = 1'000'000;

class SpecificationError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

using engine::Json;

struct Axis {
    std::string key;
    std::vector<Json> values;
};

/// A program, parsed once for all points.
struct SweptProgram {
    std::string name;    ///< as the specification names it; generated: "generate uniform --type …"
    std::string folder;  ///< where its paths start
    bool generated = false;
    runner::Program program;
};

struct Product {
    std::string name;                     ///< as the specification names it
    std::string path;                     ///< a file; empty: a built-in product
    std::string json;                     ///< its text
    engine::Configuration configuration;  ///< with `set`, without axes
};

/// One point: which program, which product, and which value of each axis.
struct Point {
    std::uint64_t number = 0;
    std::size_t program = 0;
    std::size_t product = 0;
    std::vector<std::size_t> levels;  ///< of each axis
};

class Specification {
public:
    /// Reads the file, its programs and its products.
    explicit Specification(const std::string& path);

    const std::vector<SweptProgram>& programs() const { return programs_; }
    const std::vector<Product>& products() const { return products_; }
    const std::vector<Axis>& axes() const { return axes_; }
    engine::Mode mode() const { return mode_; }
    const std::vector<std::string>& fixed() const { return fixed_; }  ///< "key=value" of `set`

    std::uint64_t points() const { return programs_.size() * products_.size() * combinations(); }
    Point point(std::uint64_t number) const;
    /// "key=value" of the keys that follow from others. Throws FormulaError.
    std::vector<std::pair<std::string, std::int64_t>> derived(const Point& point) const;

    /// The specification as it was read, and 16 hex digits that differ where it, a program or a product does.
    const Json& document() const { return document_; }
    const std::string& hash() const { return hash_; }

private:
    class Reader;
    std::uint64_t combinations() const { return listed_ ? drawn_.size() : grid_; }
    std::int64_t value_of(const std::string& key, const Point& point) const;
    bool admits(std::uint64_t combination) const;
    Point with_levels(std::uint64_t combination) const;

    std::vector<SweptProgram> programs_;
    std::vector<Product> products_;
    std::vector<Axis> axes_;
    engine::Mode mode_{};
    std::vector<std::string> fixed_;
    std::vector<std::pair<std::string, Formula>> derived_;
    std::vector<Formula> constraints_;
    std::uint64_t grid_ = 1;  // combinations of axis values
    bool listed_ = false;     // whether `drawn_` holds those that are run
    std::vector<std::uint64_t> drawn_;
    Json document_;
    std::string hash_;
};

}  // namespace vcore::sweep
