// What a product's vector core can do: the capability table as checks read it.
//
// Source: `isa.md` "Products" and "Tensor scatter". Filled from the product's JSON by models/engine/configuration.
#pragma once

#include <cstdint>
#include <string>

#include "models/isa/element_type.hpp"

namespace vcore::isa {

/// Which active lane wins where several scatter to one target.
enum class ScatterDuplicate : std::uint8_t { lowest_lane, highest_lane };

struct Capabilities {
    std::string product;  ///< name for messages

    bool vector_functions = false;  ///< everything that stands inside a VF

    TypeSet tensor_scatter;              ///< element types; empty: no tensor scatter
    TypeSet tensor_scatter_masked;       ///< element types of the two mask forms
    std::uint64_t offset_limit_b8 = 0;   ///< largest legal byte offset, 8-bit elements
    std::uint64_t offset_limit_b16 = 0;  ///< largest legal byte offset, 16-bit elements
    bool empty_scatter_warns = false;    ///< the vendor promises nothing for count or repeat 0

    TypeSet tensor_add;  ///< element types; empty: no tensor add

    /// Products that have what this one lacks, for messages: "ascend950". Filled by whoever knows all products.
    std::string vector_functions_on;
    std::string tensor_scatter_on;
    std::string tensor_add_on;

    std::uint64_t ub_bytes = 0;          ///< logical size; the first byte past it is an error
    std::uint64_t ub_reserved_from = 0;  ///< first byte kept by the toolchain; ub_bytes where none is
    ScatterDuplicate scatter_duplicate = ScatterDuplicate::lowest_lane;
};

}  // namespace vcore::isa
