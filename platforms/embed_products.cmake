# Writes OUTPUT, a C++ source that holds each product's JSON text, in the order of PRODUCTS.
#   cmake -DPRODUCTS=a,b -DFOLDER=dir -DOUTPUT=file.cpp -P embed_products.cmake
string(REPLACE "," ";" names "${PRODUCTS}")
set(entries "")
foreach(name IN LISTS names)
  file(READ "${FOLDER}/${name}.json" json)
  string(APPEND entries "    {\"${name}\", R\"json(${json})json\"},\n")
endforeach()
file(WRITE "${OUTPUT}.new" "// Written by embed_products.cmake from the files in platforms/products.
#include \"platforms/embedded_products.hpp\"

namespace vcore::platforms {

const std::vector<EmbeddedProduct>& embedded_products() {
  static const std::vector<EmbeddedProduct> products = {
${entries}  };
  return products;
}

}  // namespace vcore::platforms
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
