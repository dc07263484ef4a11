#include "testbenches/runner/names.hpp"

#include <fmt/format.h>

#include "testbenches/runner/suggestion.hpp"

namespace vcore::runner {
namespace {

bool looks_like_register(std::string_view name) {
    return name.size() > 1 && (name[0] == 'v' || name[0] == 'm') &&
           name.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

}  // namespace

void Names::close_block() {
    for (std::size_t i = blocks_.back(); i < visible_.size(); ++i) places_.erase(visible_[i].name);
    visible_.resize(blocks_.back(), Entry{});
    blocks_.pop_back();
}

Slot Names::declare_let(std::string_view name) {
    return declare(name, true);
}

Slot Names::declare_loop_variable(std::string_view name) {
    return declare(name, false);
}

Slot Names::declare(std::string_view name, bool is_let) {
    if (!is_name(name)) scanner_.fail(name, "a name (letters, digits and _)");
    if (looks_like_register(name)) {
        scanner_.complain(name, fmt::format("found {}, expected a name that is no register", quoted(name)));
    }
    const std::string key(name);
    const auto refuse = [&](bool by_let, std::uint32_t line) {
        scanner_.complain(name, fmt::format("found {}, expected a new name: this one is taken by the {} in line {}",
                                            quoted(name), by_let ? "let" : "loop", line));
    };
    if (const auto taken = places_.find(key); taken != places_.end()) {
        refuse(visible_[taken->second].is_let, visible_[taken->second].line);
    }
    if (const auto taken = lets_.find(key); is_let && taken != lets_.end()) refuse(true, taken->second);
    places_[key] = visible_.size();
    visible_.push_back({key, static_cast<Slot>(slots_++), is_let, scanner_.line()});
    if (is_let) lets_[key] = scanner_.line();
    return visible_.back().slot;
}

const Names::Entry& Names::find(std::string_view name) const {
    if (const auto place = places_.find(std::string(name)); place != places_.end()) return visible_[place->second];
    std::vector<std::string> known;
    for (const Entry& other : visible_) known.push_back(other.name);
    scanner_.complain(name, fmt::format("found {}, expected the name of a let or a loop around this line{}",
                                        quoted(name), suggestion(name, known)));
}

Slot Names::resolve(std::string_view name) {
    return find(name).slot;
}

Slot Names::resolve_let(std::string_view name) {
    const Entry& entry = find(name);
    if (!entry.is_let) {
        scanner_.complain(
            name, fmt::format("found {}, which is a loop variable, expected the name of a let, which can count down",
                              quoted(name)));
    }
    return entry.slot;
}

}  // namespace vcore::runner
