// The names of a program: `let` names and loop variables, with the blocks in which they are known.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "testbenches/runner/expression.hpp"
#include "testbenches/runner/text.hpp"

namespace vcore::runner {

class Names final : public NameResolver {
public:
    explicit Names(const Scanner& scanner) : scanner_(scanner) {}

    void open_block() { blocks_.push_back(visible_.size()); }
    void close_block();

    /// Declares a name from here to the end of the innermost block. Throws ProgramError for text that is no name, looks
    /// like a register, or is taken: a `let` name stands once in the whole program.
    Slot declare_let(std::string_view name);
    Slot declare_loop_variable(std::string_view name);

    /// The slot of a visible name; throws ProgramError with the nearest one where there is none.
    Slot resolve(std::string_view name) override;
    /// The same for a name that can be counted down: loop variables cannot.
    Slot resolve_let(std::string_view name);

    std::size_t slots() const { return slots_; }

private:
    struct Entry {
        std::string name;
        Slot slot;
        bool is_let;
        std::uint32_t line;
    };
    Slot declare(std::string_view name, bool is_let);
    const Entry& find(std::string_view name) const;

    const Scanner& scanner_;
    std::vector<Entry> visible_;                           ///< in the order of their declaration
    std::unordered_map<std::string, std::size_t> places_;  ///< in visible_, by name
    std::unordered_map<std::string, std::uint32_t> lets_;  ///< of the whole program: their lines
    std::vector<std::size_t> blocks_;
    std::size_t slots_ = 0;
};

}  // namespace vcore::runner
