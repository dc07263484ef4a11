// The numbers that call sites of kernels have where the model speaks of lines.
//
// The model and the runner know one number per op, a source line. A kernel's ops come from several files, and several
// from one line: each (file, line, op) gets a number of its own, counted from 1, and the report turns it back.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "models/isa/ops.hpp"
#include "testbenches/kernels/runtime/call_site.hpp"

namespace vcore::kernels {

struct Site {
    std::string file;
    std::uint32_t line = 0;
    isa::OpKind kind{};
    bool spill = false;  ///< an op that moves a value between registers and UB
};

class Sites {
public:
    /// The number of an op from a call site; the same for the same file, line and op.
    std::uint32_t number(CallSite site, isa::OpKind kind, bool spill) {
        const std::uint32_t code = static_cast<std::uint32_t>(kind) * 2 + (spill ? 1 : 0);
        const auto file = reinterpret_cast<std::uintptr_t>(site.file);
        Known& known = known_[(file / 8 + site.line * 64 + code) % known_.size()];
        if (known.file != site.file || known.line != site.line || known.code != code || known.number == 0) {
            known = {site.file, site.line, code, look_up(site, kind, spill)};
        }
        return known.number;
    }
    /// Number n is at n - 1.
    const std::vector<Site>& all() const { return sites_; }

private:
    struct Known {
        const char* file = nullptr;
        std::uint32_t line = 0;
        std::uint32_t code = 0;
        std::uint32_t number = 0;
    };

    std::uint32_t look_up(CallSite site, isa::OpKind kind, bool spill);

    std::array<Known, 4096> known_{};  // the latest by hash: no look-up of text for an op
    std::map<std::tuple<std::string, std::uint32_t, isa::OpKind, bool>, std::uint32_t> numbers_;
    std::vector<Site> sites_;
};

}  // namespace vcore::kernels
