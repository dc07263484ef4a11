// Makes the input of embedding.vprog and checks its output by a plain look-up that shares no code with the model.
//
//   vcore-embedding-data DIR          writes DIR/table.bin (1,000 rows x 64 halves) and DIR/rows.bin (10,000 u16)
//   vcore-embedding-data --check DIR  compares DIR/embedded.bin (10,000 rows x 64 halves) with the look-up
//
// The values are any 16-bit patterns: an embedding look-up moves bits, NaNs included.

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

namespace {

constexpr std::size_t kTableRows = 1000;
constexpr std::size_t kRowHalves = 64;
constexpr std::size_t kLookups = 10000;

/// Knuth's MMIX linear congruential generator; the high bits are the good ones.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint16_t next() {
        state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<std::uint16_t>(state_ >> 48);
    }

private:
    std::uint64_t state_;
};

std::vector<std::uint16_t> table() {
    Random random(1);
    std::vector<std::uint16_t> halves(kTableRows * kRowHalves);
    for (auto& half : halves) half = random.next();
    return halves;
}

std::vector<std::uint16_t> rows() {
    Random random(2);
    std::vector<std::uint16_t> numbers(kLookups);
    for (auto& number : numbers) number = static_cast<std::uint16_t>(random.next() % kTableRows);
    return numbers;
}

bool write_file(const std::string& path, const std::vector<std::uint16_t>& words) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(words.data()),
               static_cast<std::streamsize>(words.size() * sizeof(std::uint16_t)));
    file.close();
    if (!file) std::cerr << "vcore-embedding-data: cannot write " << path << '\n';
    return static_cast<bool>(file);
}

bool check(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        std::cerr << "vcore-embedding-data: cannot read " << path << '\n';
        return false;
    }
    const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
    if (bytes.size() != kLookups * kRowHalves * sizeof(std::uint16_t)) {
        std::cerr << path << ": has " << bytes.size() << " bytes, expected "
                  << kLookups * kRowHalves * sizeof(std::uint16_t) << '\n';
        return false;
    }
    const auto halves = table();
    const auto numbers = rows();
    for (std::size_t lookup = 0; lookup < kLookups; ++lookup) {
        for (std::size_t column = 0; column < kRowHalves; ++column) {
            std::uint16_t found;
            std::memcpy(&found, bytes.data() + (lookup * kRowHalves + column) * sizeof found, sizeof found);
            const std::uint16_t expected = halves[numbers[lookup] * kRowHalves + column];
            if (found == expected) continue;
            std::cerr << path << ": look-up " << lookup << " (row " << numbers[lookup] << "), column " << column
                      << ": found " << found << ", expected " << expected << '\n';
            return false;
        }
    }
    std::cout << path << ": " << kLookups << " look-ups match\n";
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments.size() == 2 && arguments[0] == "--check") return check(arguments[1] + "/embedded.bin") ? 0 : 1;
    if (arguments.size() != 1) {
        std::cerr << "usage: vcore-embedding-data [--check] DIR\n";
        return 2;
    }
    return write_file(arguments[0] + "/table.bin", table()) && write_file(arguments[0] + "/rows.bin", rows()) ? 0 : 1;
}
