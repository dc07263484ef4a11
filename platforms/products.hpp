// The seven products, their JSON files as built into the binary, and the table of what each supports.
//
// A product is data: to add one, add its JSON file to platforms/products/ and its name to the list in
// platforms/CMakeLists.txt.
// Errors: engine::ConfigurationError, as models/engine/configuration.hpp says; a file that cannot be read is named with
// its path and the reason.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/engine/configuration.hpp"

namespace vcore::platforms {

/// Canonical names in the order of `isa.md` "Products": "ascend950", "atlas-a3", …
const std::vector<std::string>& product_names();

/// JSON text of a product by name or alias. Throws engine::ConfigurationError that names the nearest known product.
std::string_view product_json(std::string_view name_or_alias);

/// The configuration of a product with `key=value` overrides; messages about missing ops name the products that have
/// them. `product=NAME` among the overrides loads that product instead.
engine::Configuration load_product(std::string_view name_or_alias, const std::vector<std::string>& overrides = {});

/// The configuration in a file. `"base": "ascend950"` in it takes what the file leaves out from that product; without a
/// base, a known product that the file names as its own `product` serves as one. The product cannot be overridden here.
engine::Configuration load_file(const std::string& path, const std::vector<std::string>& overrides = {});

/// The same for the text of such a file; `name` stands for its path in messages.
engine::Configuration load_text(const std::string& json, const std::string& name,
                                const std::vector<std::string>& overrides = {});

/// Tables for `vcore-sim products`: products x ops x types, and the figures, as fixed-width text or Markdown.
std::string products_table(bool markdown = false);
/// `vcore-sim describe NAME`: effective configuration as JSON with source marks. NAME is a product, alias or file path;
/// a product's name wins over a file of that name. The text can be loaded with load_file() and has the same hash.
std::string describe(const std::string& name_or_path, const std::vector<std::string>& overrides = {});
/// `vcore-sim describe --keys`: the table of keys.
std::string keys_table(bool markdown = false);

}  // namespace vcore::platforms
