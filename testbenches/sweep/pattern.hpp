// Programs for the access patterns people study, written as text that runs as it is.
//
// A table of `size` elements lies at UB address 0, element i holding i; behind it the indices of every op, then the
// results. The program loads indices, gathers and stores, one op a round with `lanes` active lanes, and compares what
// came out. Two exceptions: `histogram` gathers counters, adds 1 and scatters them back.
//
// Equal parameters give equal text on every machine.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace vcore::sweep {

/// Parameters that make no program; the text says which and what was expected.
class PatternError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct PatternParameters {
    std::string pattern;         ///< one of pattern_names()
    std::string type = "half";   ///< s8 u8 s16 u16 half bf16 s32 u32 float
    std::uint32_t lanes = 0;     ///< active lanes of each op; 0: all of them
    std::uint32_t size = 4096;   ///< elements of the table; histogram: bins
    std::uint32_t count = 1024;  ///< elements to look up, rounded up to whole ops
    std::uint32_t stride = 8;    ///< stride: elements from one look-up to the next; transpose: columns
    std::uint32_t burst = 32;    ///< bursts: the longest
    std::uint32_t hot = 4;       ///< hot: rows of 32 B that nine of ten look-ups go to
    double skew = 1.0;           ///< zipf: exponent
    std::uint32_t row = 8;       ///< zipf: elements of one embedding
    std::uint32_t percent = 50;  ///< compaction: elements that stay
    std::uint64_t seed = 1;
};

struct PatternInfo {
    std::string name;
    std::string meaning;
};
const std::vector<PatternInfo>& patterns();
std::vector<std::string> pattern_names();

/// The elements that are looked up, in order: whole ops. Throws PatternError.
std::vector<std::uint32_t> lookups(const PatternParameters& parameters);

/// Program text. Throws PatternError.
std::string generate(const PatternParameters& parameters);

/// The options of `vcore-sim generate` that give these parameters: "uniform --type half --size 4096 …".
std::string command_arguments(const PatternParameters& parameters);

}  // namespace vcore::sweep
