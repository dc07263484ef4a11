#include "testbenches/runner/fold.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "testbenches/runner/files.hpp"

namespace vcore::runner {
namespace {

using KnownValues = std::vector<std::optional<std::int64_t>>;

// ---- folding

class Folder {
public:
    explicit Folder(std::size_t slots) : known_(slots) {}

    void block(Block& statements) {
        for (Statement& statement : statements) std::visit(*this, statement.action);
    }

    void operator()(OpStatement& op) {
        auto& patches = op.patches;
        for (Patch& patch : patches) {
            fold(patch.expression);
            if (const auto value = patch.expression.constant()) patch.set(op.op, *value);
        }
        const auto is_done = [](const Patch& patch) { return patch.expression.is_constant(); };
        patches.erase(std::remove_if(patches.begin(), patches.end(), is_done), patches.end());
    }
    void operator()(LetStatement& let) {
        fold(let.value);
        known_[let.slot] = let.value.constant();
    }
    void operator()(ForStatement& loop) {
        fold(loop.first);
        fold(loop.end);
        block(loop.body);
    }
    void operator()(VfStatement& vf) {
        fold_count(vf.repeat, "number of calls");
        const KnownValues outside = known_;
        for (const Slot slot : vf.counted) known_[slot].reset();
        block(vf.body);
        known_ = outside;
    }
    void operator()(DataStatement& data) {
        fold(data.address);
        values(data.values);
    }
    void operator()(FillStatement& fill) {
        fold(fill.address);
        fold_count(fill.count, "number of elements");
    }
    void operator()(FileStatement& file) {
        fold(file.address);
        fold_count(file.offset, "offset into a file");
        if (file.bytes) fold_count(*file.bytes, "number of bytes");
    }
    void operator()(DumpStatement& dump) {
        place(dump.place);
        if (dump.count) fold_count(*dump.count, "number of elements");
    }
    void operator()(ExpectStatement& expect) {
        place(expect.place);
        values(expect.values);
    }
    void operator()(ExpectCyclesStatement& expect) {
        fold(expect.low);
        fold(expect.high);
    }
    void operator()(OnFaultStatement&) {}
    void operator()(RestartStatement&) {}
    void operator()(TransferStatement& transfer) {
        fold(transfer.address);
        fold(transfer.bytes);
        fold_count(transfer.offset, "offset into a file");
        if (transfer.at) fold(*transfer.at);
    }

private:
    void fold(Expression& expression) { expression.fold(known_); }
    void fold_count(Expression& expression, std::string_view what) {
        fold(expression);
        if (const auto count = expression.constant()) check_count(expression, *count, what);
    }
    void place(Place& place) {
        if (auto* address = std::get_if<Expression>(&place)) fold(*address);
    }
    void values(Values& values) {
        auto* iota = std::get_if<Iota>(&values.elements);
        if (iota == nullptr) return;
        fold_count(iota->count, "number of elements");
        fold(iota->start);
        fold(iota->step);
    }

    KnownValues known_;
};

// ---- the number of ops

/// Counts executed ops, never past kMostOps + 1. Bounds that a vector function counts down are not known: such loops
/// count as empty, and so does what is left when the effort is spent.
class OpCounter {
public:
    explicit OpCounter(std::size_t slots) : values_(slots) {}

    std::uint64_t block(const Block& statements) {
        std::uint64_t ops = 0;
        for (const Statement& statement : statements) ops = capped(ops, count(statement));
        return ops;
    }

    std::uint64_t count(const Statement& statement) {
        if (const auto* let = std::get_if<LetStatement>(&statement.action)) {
            values_[let->slot] = let->value.evaluate(values_.data());
            return 0;
        }
        if (const auto* loop = std::get_if<ForStatement>(&statement.action)) return iterations(*loop);
        if (const auto* vf = std::get_if<VfStatement>(&statement.action)) return calls(*vf);
        const bool is_op = std::holds_alternative<OpStatement>(statement.action) ||
                           std::holds_alternative<TransferStatement>(statement.action);
        return is_op ? 1 : 0;
    }

private:
    static constexpr std::uint64_t kCap = kMostOps + 1;
    static std::uint64_t capped(std::uint64_t a, std::uint64_t b) { return std::min(kCap, a + b); }
    static std::uint64_t capped_product(std::uint64_t a, std::uint64_t b) {
        std::uint64_t product = 0;
        return __builtin_mul_overflow(a, b, &product) ? kCap : std::min(kCap, product);
    }

    std::uint64_t calls(const VfStatement& vf) {
        const std::int64_t repeat = vf.repeat.evaluate(values_.data());
        if (repeat <= 0) return 0;
        for (const Slot slot : vf.counted) unknown_.insert(slot);
        const std::uint64_t ops = std::max<std::uint64_t>(1, block(vf.body));
        for (const Slot slot : vf.counted) unknown_.erase(slot);
        return capped_product(static_cast<std::uint64_t>(repeat), ops);
    }

    std::uint64_t iterations(const ForStatement& loop) {
        if (!is_known(loop.first) || !is_known(loop.end)) return 0;
        const std::int64_t first = loop.first.evaluate(values_.data());
        const std::int64_t end = loop.end.evaluate(values_.data());
        if (first >= end) return 0;
        values_[loop.variable] = first;
        if (!varies(loop.body)) {
            const std::uint64_t trips = static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(first);
            return capped_product(trips, std::max<std::uint64_t>(1, block(loop.body)));
        }
        std::uint64_t ops = 0;
        for (std::int64_t i = first; i < end && ops < kCap && effort_ > 0; ++i, --effort_) {
            values_[loop.variable] = i;
            ops = capped(ops, std::max<std::uint64_t>(1, block(loop.body)));
        }
        return ops;
    }

    /// Whether the number of ops in a block can differ from one execution to the next.
    static bool varies(const Block& statements) {
        return std::any_of(statements.begin(), statements.end(), [](const Statement& statement) {
            if (const auto* loop = std::get_if<ForStatement>(&statement.action)) {
                return !loop->first.is_constant() || !loop->end.is_constant() || varies(loop->body);
            }
            if (const auto* vf = std::get_if<VfStatement>(&statement.action)) {
                return !vf->repeat.is_constant() || varies(vf->body);
            }
            return false;
        });
    }

    bool is_known(const Expression& expression) const {
        return std::none_of(unknown_.begin(), unknown_.end(), [&](Slot slot) { return expression.uses(slot); });
    }

    std::vector<std::int64_t> values_;
    std::set<Slot> unknown_;
    std::uint64_t effort_ = 1'000'000;  ///< iterations that may still be walked
};

// ---- files

/// Calls visit(path, is_written) for each file that the statements name.
template <typename Visit>
void for_each_file(const Block& statements, const Visit& visit) {
    for (const Statement& statement : statements) {
        if (const auto* loop = std::get_if<ForStatement>(&statement.action)) {
            for_each_file(loop->body, visit);
        } else if (const auto* file = std::get_if<FileStatement>(&statement.action)) {
            visit(file->path, false);
        } else if (const auto* transfer = std::get_if<TransferStatement>(&statement.action)) {
            if (transfer->path) visit(*transfer->path, transfer->direction == timing::Direction::read);
        }
    }
}

void check_readable(const FilePath& path, const std::filesystem::path& full) {
    std::error_code error;
    const auto refuse = [&](std::string_view what) {
        throw ProgramError(path.where,
                           fmt::format("found {} '{}', expected a file that can be read", what, full.string()));
    };
    if (std::filesystem::is_directory(full, error)) refuse("the directory");
    if (std::filesystem::is_fifo(full, error)) refuse("the FIFO");  // opening it would wait for its other end
    if (!std::ifstream(full, std::ios::binary).good()) refuse("no readable file");
}

}  // namespace

void check_count(const Expression& expression, std::int64_t count, std::string_view what) {
    if (count >= 0) return;
    throw ProgramError(expression.where(), fmt::format("found {}, expected the {} to be 0 or more", count, what));
}

void fold(Program& program) {
    Folder(program.slots).block(program.body);
}

void check_op_limit(const Program& program) {
    OpCounter counter(program.slots);
    std::uint64_t ops = 0;
    for (const Statement& statement : program.body) {
        ops += counter.count(statement);
        if (ops > kMostOps) {
            throw ProgramError(
                statement.where,
                fmt::format("found more than {0} executed ops up to the end of this statement, expected at "
                            "most {0} in a run",
                            kMostOps));
        }
    }
}

void check_files(const Program& program, const std::string& program_path) {
    const std::filesystem::path folder = std::filesystem::path(program_path).parent_path();
    std::error_code ignored;
    std::set<std::filesystem::path> written;
    for_each_file(program.body, [&](const FilePath& path, bool is_written) {
        if (!is_written) return;
        const std::filesystem::path full = folder / path.name;
        if (std::filesystem::equivalent(full, program_path, ignored)) {
            throw ProgramError(path.where, fmt::format("found the program itself, '{}', expected a file that may be "
                                                       "overwritten",
                                                       full.string()));
        }
        written.insert(place_of(full));
    });
    for_each_file(program.body, [&](const FilePath& path, bool is_written) {
        const std::filesystem::path full = folder / path.name;
        if (is_written || written.count(place_of(full)) != 0) return;
        check_readable(path, full);
    });
}

std::vector<std::string> named_files(const Program& program, const std::string& program_path) {
    const std::filesystem::path folder = std::filesystem::path(program_path).parent_path();
    std::vector<std::string> paths;
    for_each_file(program.body, [&](const FilePath& path, bool) { paths.push_back((folder / path.name).string()); });
    return paths;
}

}  // namespace vcore::runner
