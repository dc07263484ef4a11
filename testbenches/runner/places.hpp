// Where in source text the lines are that ops carry.
//
// A program is one file, and an op's line is its line there. Kernels come from several files and put several ops on a
// line: their ops carry numbers, which a report turns back into places.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace vcore::runner {

struct SourcePlace {
    std::string file;  ///< empty where there is only one
    std::uint32_t line = 0;
    bool toolchain = false;  ///< no op of the source: one that a compiler adds, which may use reserved bytes of the UB
};

class SourcePlaces {
public:
    /// Lines are lines.
    SourcePlaces() = default;
    /// The op with the number n is at places[n - 1].
    explicit SourcePlaces(std::vector<SourcePlace> places) : places_(std::move(places)) {}

    bool numbered() const { return !places_.empty(); }
    SourcePlace at(std::uint32_t line) const {
        if (!numbered()) return {"", line};
        return line == 0 || line > places_.size() ? SourcePlace{} : places_[line - 1];
    }

private:
    std::vector<SourcePlace> places_;
};

}  // namespace vcore::runner
