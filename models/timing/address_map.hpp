// Which bank a byte of the Unified Buffer lies in.
//
// Source: `timing.md` "UB geometry". Works for any counts; those that are powers of two need no division.
#pragma once

#include <cstdint>

#include "models/timing/parameters.hpp"

namespace vcore::timing {

/// Index of a bank in counters and reports: group + groups * bank.
enum class BankId : std::uint32_t {};
constexpr std::uint32_t value(BankId id) {
    return static_cast<std::uint32_t>(id);
}

/// The place of a byte.
struct UbLocation {
    std::uint32_t row = 0;
    std::uint32_t bank = 0;  ///< within its group
    std::uint32_t group = 0;
    std::uint32_t byte = 0;  ///< within its row
    friend bool operator==(const UbLocation& a, const UbLocation& b) {
        return a.row == b.row && a.bank == b.bank && a.group == b.group && a.byte == b.byte;
    }
};

class AddressMap {
public:
    explicit AddressMap(const UbGeometry& geometry) : geometry_(geometry) {}

    /// Precondition: address < geometry.bytes().
    UbLocation locate(std::uint32_t address) const;
    /// Inverse of locate().
    std::uint32_t address(const UbLocation& location) const;
    BankId bank(std::uint32_t address) const;
    /// Number of the sub-bank within its row, 0 where there are none.
    std::uint32_t sub_bank(std::uint32_t address) const;

    const UbGeometry& geometry() const { return geometry_; }

private:
    UbGeometry geometry_;
};

}  // namespace vcore::timing
