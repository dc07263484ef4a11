// Which bank a byte of the Unified Buffer lies in.
//
// Source: `timing.md` "UB geometry". Works for any counts; those that are powers of two need no division.
//
// In both address orders the group stands right above the byte. So rows are also numbered in address order ("row
// index" = address / row bytes): neighbours in that numbering lie in neighbouring groups, and a run of n rows falls
// ceil(n / groups) times into the fullest group. The bank rules count with row indices.
#pragma once

#include <cstdint>

#include "models/timing/divisor.hpp"
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
    /// Precondition: every count of the geometry is at least 1, and sub_banks divides row_bytes.
    explicit AddressMap(const UbGeometry& geometry);

    /// Precondition: address < geometry.bytes().
    UbLocation locate(std::uint32_t address) const;
    /// Inverse of locate().
    std::uint32_t address(const UbLocation& location) const;
    BankId bank(std::uint32_t address) const { return bank_of_row(row_index(address)); }
    /// Number of the sub-bank within its row, 0 where there are none.
    std::uint32_t sub_bank(std::uint32_t address) const;

    /// Number of the row that holds `address`, counted in address order over the whole UB.
    std::uint32_t row_index(std::uint32_t address) const { return row_bytes_.quotient(address); }
    std::uint32_t group_of_row(std::uint32_t row_index) const { return groups_.remainder(row_index); }
    BankId bank_of_row(std::uint32_t row_index) const {
        if (geometry_.order == AddressOrder::row_bank_group) return BankId{banks_.remainder(row_index)};
        return BankId{groups_.remainder(row_index) + groups_.value() * rows_of_a_bank_slice_.quotient(row_index)};
    }

    const UbGeometry& geometry() const { return geometry_; }

private:
    UbGeometry geometry_;
    Divisor row_bytes_;
    Divisor word_bytes_;
    Divisor groups_;
    Divisor banks_;
    Divisor rows_;
    Divisor rows_of_a_bank_slice_;  // rows of all groups that share a bank number
};

}  // namespace vcore::timing
