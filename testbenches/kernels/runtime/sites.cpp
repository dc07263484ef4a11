#include "testbenches/kernels/runtime/sites.hpp"

namespace vcore::kernels {

std::uint32_t Sites::look_up(CallSite site, isa::OpKind kind, bool spill) {
    const std::string file = site.file != nullptr ? site.file : "";
    const auto next = static_cast<std::uint32_t>(sites_.size() + 1);
    const auto [found, is_new] = numbers_.try_emplace({file, site.line, kind, spill}, next);
    if (is_new) sites_.push_back({file, site.line, kind, spill});
    return found->second;
}

}  // namespace vcore::kernels
