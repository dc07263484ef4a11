// The product files as they are built into the binary. Their definition is generated from platforms/products/*.json.
#pragma once

#include <string_view>
#include <vector>

namespace vcore::platforms {

struct EmbeddedProduct {
    std::string_view name;  ///< of the file, without its ending; the product's canonical name
    std::string_view json;
};

/// In the order of `isa.md` "Products".
const std::vector<EmbeddedProduct>& embedded_products();

}  // namespace vcore::platforms
