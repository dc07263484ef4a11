#include "models/isa/element_type.hpp"

#include <array>

namespace vcore::isa {
namespace {

constexpr std::array<std::string_view, kElementTypes> kNames = {
    "s8",   "u8",  "hif8", "e8m0", "e5m2",  "e4m3", "b8",  "s16", "u16", "half",
    "bf16", "b16", "s32",  "u32",  "float", "b32",  "s64", "u64", "b64",
};

}  // namespace

std::string_view name(ElementType type) {
    const auto index = static_cast<std::size_t>(type);
    return index < kNames.size() ? kNames[index] : "?";
}

std::optional<ElementType> element_type(std::string_view name) {
    for (std::size_t i = 0; i < kNames.size(); ++i) {
        if (kNames[i] == name) return static_cast<ElementType>(i);
    }
    return std::nullopt;
}

}  // namespace vcore::isa
