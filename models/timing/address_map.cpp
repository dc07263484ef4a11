#include "models/timing/address_map.hpp"

namespace vcore::timing {

AddressMap::AddressMap(const UbGeometry& geometry)
    : geometry_(geometry),
      row_bytes_(geometry.row_bytes),
      word_bytes_(geometry.row_bytes / geometry.sub_banks),
      groups_(geometry.bank_groups),
      banks_(geometry.banks()),
      rows_(geometry.rows_per_bank),
      rows_of_a_bank_slice_(geometry.bank_groups * geometry.rows_per_bank) {}

UbLocation AddressMap::locate(std::uint32_t address) const {
    const std::uint32_t index = row_index(address);
    const std::uint32_t above_group = groups_.quotient(index);
    UbLocation location;
    location.byte = row_bytes_.remainder(address);
    location.group = groups_.remainder(index);
    if (geometry_.order == AddressOrder::row_bank_group) {
        location.row = banks_.quotient(index);
        location.bank = above_group - location.row * geometry_.banks_per_group;
    } else {
        location.row = rows_.remainder(above_group);
        location.bank = rows_.quotient(above_group);
    }
    return location;
}

std::uint32_t AddressMap::address(const UbLocation& location) const {
    const std::uint32_t above_group = geometry_.order == AddressOrder::row_bank_group
                                          ? location.row * geometry_.banks_per_group + location.bank
                                          : location.bank * geometry_.rows_per_bank + location.row;
    return (above_group * geometry_.bank_groups + location.group) * geometry_.row_bytes + location.byte;
}

std::uint32_t AddressMap::sub_bank(std::uint32_t address) const {
    return word_bytes_.quotient(row_bytes_.remainder(address));
}

}  // namespace vcore::timing
