// The plain generator that expands a seed into test cases: splitmix64, because it is short and every seed is good.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <vector>

namespace vcore::unit {

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t bits() {
        state_ += 0x9E3779B97F4A7C15;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        return z ^ (z >> 31);
    }
    /// 0 .. limit-1; limit > 0.
    std::uint64_t below(std::uint64_t limit) { return bits() % limit; }
    std::int64_t between(std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
    }
    /// True once in `times`.
    bool one_in(std::uint64_t times) { return below(times) == 0; }

    template <typename T>
    T pick(std::initializer_list<T> choices) {
        return *(choices.begin() + below(choices.size()));
    }
    template <typename T>
    const T& pick(const std::vector<T>& choices) {
        return choices[below(choices.size())];
    }
    void fill(void* bytes, std::size_t size) {
        auto* out = static_cast<unsigned char*>(bytes);
        while (size >= 8) {
            const std::uint64_t word = bits();
            std::memcpy(out, &word, 8);
            out += 8;
            size -= 8;
        }
        const std::uint64_t word = bits();
        std::memcpy(out, &word, size);
    }

private:
    std::uint64_t state_;
};

}  // namespace vcore::unit
