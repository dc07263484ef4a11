// Where several elements of a scatter have one target: who is written.
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/isa/bits.hpp"
#include "models/isa/capabilities.hpp"
#include "models/isa/execution.hpp"

namespace vcore::isa::detail {

struct Duplicates {
    std::uint64_t losers = 0;  ///< elements that are not written
    std::size_t first = 0;     ///< the first element whose target an earlier one has
};

/// Clears the bits of elements that lose their target to another one. `words` holds a bit for each element of the
/// scatter, `target(k)` is the number of the UB element it goes to. `targets` is empty before and afterwards.
template <typename TargetOf>
Duplicates keep_survivors(std::uint64_t* words, std::size_t count, TargetSet& targets, ScatterDuplicate policy,
                          TargetOf&& target) {
    Duplicates found;
    for_each_bit(words, count, [&](std::size_t element) {
        if (targets.take(target(element))) return;
        if (found.losers++ == 0) found.first = element;
    });
    const auto empty_targets = [&] {
        for_each_bit(words, count, [&](std::size_t element) { targets.release(target(element)); });
    };
    empty_targets();
    if (found.losers == 0) return found;

    // The survivors keep every target in the set, so that they alone suffice to empty it.
    const auto settle = [&](std::size_t element) {
        if (!targets.take(target(element))) words[element / 64] &= ~(std::uint64_t{1} << (element % 64));
    };
    if (policy == ScatterDuplicate::lowest_lane) {
        for_each_bit(words, count, settle);
    } else {
        for (std::size_t w = count; w-- > 0;) {
            for (std::uint64_t word = words[w]; word != 0;) {
                const std::size_t highest = 63 - static_cast<std::size_t>(__builtin_clzll(word));
                word &= ~(std::uint64_t{1} << highest);
                settle(w * 64 + highest);
            }
        }
    }
    empty_targets();
    return found;
}

}  // namespace vcore::isa::detail
