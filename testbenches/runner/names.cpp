#include "testbenches/runner/names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "testbenches/runner/suggestion.hpp"

namespace vcore::runner {
namespace {

bool looks_like_register(std::string_view name) {
    return name.size() > 1 && (name[0] == 'v' || name[0] == 'm') &&
           name.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

}  // namespace

void Names::close_block() {
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
    const auto has_name = [name](const Entry& entry) { return entry.name == name; };
    const auto refuse_if_in = [&](const std::vector<Entry>& others) {
        const auto taken = std::find_if(others.begin(), others.end(), has_name);
        if (taken == others.end()) return;
        scanner_.complain(name, fmt::format("found {}, expected a new name: this one is taken by the {} in line {}",
                                            quoted(name), taken->is_let ? "let" : "loop", taken->line));
    };
    refuse_if_in(visible_);
    if (is_let) refuse_if_in(lets_);
    visible_.push_back({std::string(name), static_cast<Slot>(slots_++), is_let, scanner_.line()});
    if (is_let) lets_.push_back(visible_.back());
    return visible_.back().slot;
}

const Names::Entry& Names::find(std::string_view name) const {
    const auto entry =
        std::find_if(visible_.begin(), visible_.end(), [name](const Entry& known) { return known.name == name; });
    if (entry != visible_.end()) return *entry;
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
