// From text to Program: blocks, and every statement that is no op. Ops have a table of their own (op_statements.hpp);
// folding and the limit on ops follow when all text is read (fold.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "testbenches/runner/fold.hpp"
#include "testbenches/runner/literal.hpp"
#include "testbenches/runner/names.hpp"
#include "testbenches/runner/op_statements.hpp"
#include "testbenches/runner/program.hpp"
#include "testbenches/runner/statement_reader.hpp"
#include "testbenches/runner/suggestion.hpp"

namespace vcore::runner {
namespace {

constexpr std::size_t kDeepestBlock = 100;

/// Where a statement may stand.
enum class Region : std::uint8_t { inside_vf, outside_vf, anywhere };

class Parser {
public:
    explicit Parser(std::string_view text) : scanner_(text), names_(scanner_) {}

    Program parse() {
        program_.body = block(nullptr);
        program_.slots = names_.slots();
        return std::move(program_);
    }

private:
    /// A statement that is no op.
    struct Form {
        std::string name;
        std::string form;
        Region region;
        std::vector<std::string> options;
        void (Parser::*read)(StatementReader& reader, Statement& statement);
    };
    static const std::vector<Form>& forms();
    static std::vector<std::string> statement_names();

    // ---- blocks

    /// Statements up to the closing brace, or to the end of the text for the outermost block (no opener).
    Block block(const Statement* opener) {
        if (++depth_ > kDeepestBlock) {
            throw ProgramError(opener->where,
                               fmt::format("found more than {0} nested blocks, expected at most {0}", kDeepestBlock));
        }
        names_.open_block();
        Block statements;
        while (true) {
            if (!scanner_.next_line()) {
                if (opener != nullptr) fail_at_end(*opener);
                break;
            }
            const std::string_view first = scanner_.field();
            if (first == "}" && opener != nullptr) {
                end_of_line("end of line after '}'");
                break;
            }
            if (first == "expect.fault") {
                announce_fault(first);
            } else {
                statement(first, statements);
            }
        }
        if (expected_fault_) fail_unused(*expected_fault_);
        names_.close_block();
        --depth_;
        return statements;
    }

    void end_of_line(std::string_view expected) {
        const std::string_view rest = scanner_.field();
        if (!rest.empty()) scanner_.fail(rest, expected);
    }

    [[noreturn]] void fail_at_end(const Statement& opener) {
        const std::string_view end = scanner_.field();
        scanner_.fail(end, fmt::format("'}}' for the '{{' of line {}", opener.where.line));
    }

    // ---- statements

    void statement(std::string_view first, Block& statements) {
        Statement result;
        result.where = scanner_.position(first.data());
        const auto announced = std::exchange(expected_fault_, std::nullopt);
        const std::string* form = nullptr;
        try {
            const auto& ops = op_statements();
            const auto op = std::find_if(ops.begin(), ops.end(), [&](const auto& info) { return info.name == first; });
            if (op != ops.end()) {
                form = &op->form;
                read_op(*op, first, result);
            } else {
                const Form& other = find_form(first);
                form = &other.form;
                check_region(first, other.region);
                previous_ = statements.empty() ? nullptr : &statements.back();
                StatementReader reader(scanner_, names_, other.options);
                (this->*other.read)(reader, result);
            }
        } catch (const SyntaxError& error) {
            // Errors inside a block belong to the statements there.
            if (form == nullptr || error.where().line != result.where.line) throw;
            throw SyntaxError(error.where(), fmt::format("{} (form: {})", error.what(), *form));
        }
        if (announced) {
            if (!can_be_refused(result)) fail_unused(*announced);
            result.expected_fault = announced->id;
        }
        statements.push_back(std::move(result));
    }

    const Form& find_form(std::string_view first) {
        for (const Form& form : forms()) {
            if (form.name == first) return form;
        }
        scanner_.fail(first, "a statement" + suggestion(first, statement_names()));
    }

    void check_region(std::string_view first, Region region) {
        if (region == Region::outside_vf && vf_ != nullptr) {
            scanner_.complain(first, fmt::format("found {} inside vf {{ }}, expected it outside only", quoted(first)));
        }
        if (region == Region::inside_vf && vf_ == nullptr) {
            scanner_.complain(first, fmt::format("found {} outside vf {{ }}, expected it inside only", quoted(first)));
        }
    }

    void read_op(const OpStatementInfo& info, std::string_view first, Statement& statement) {
        OpStatement op;
        StatementReader reader(scanner_, names_, info.options);
        info.read(reader, op);
        reader.end_of_statement();
        check_region(first, isa::belongs_in_vf(isa::kind_of(op.op)) ? Region::inside_vf : Region::outside_vf);
        op.statistics = add_reported(info.name);
        if (op.counter) count_down(*op.counter);
        statement.action = std::move(op);
    }

    void count_down(Slot slot) {
        auto& counted = vf_->counted;
        if (std::find(counted.begin(), counted.end(), slot) == counted.end()) counted.push_back(slot);
    }

    std::size_t add_reported(std::string_view name) {
        program_.ops.push_back({scanner_.line(), std::string(name)});
        return program_.ops.size() - 1;
    }

    // ---- faults that are announced

    struct AnnouncedFault {
        Position where;
        isa::DiagnosticId id;
    };

    void announce_fault(std::string_view first) {
        if (expected_fault_) fail_unused(*expected_fault_);
        StatementReader reader(scanner_, names_);
        const std::string_view id = reader.word();
        std::vector<std::string> ids;
        for (const isa::DiagnosticInfo& info : isa::diagnostic_table()) {
            if (info.response == isa::Response::ok) continue;
            ids.emplace_back(info.text);
            if (info.text == id) expected_fault_ = AnnouncedFault{scanner_.position(first.data()), info.id};
        }
        if (!expected_fault_) {
            const std::string hint = id.empty() ? std::string() : suggestion(id, ids);
            scanner_.fail(id, fmt::format("the id of an error ({}){}", fmt::join(ids, " "), hint));
        }
        reader.end_of_statement();
    }

    [[noreturn]] static void fail_unused(const AnnouncedFault& fault) {
        throw ProgramError(
            fault.where,
            "found expect.fault with nothing to watch, expected a statement after it that can be refused: an "
            "op, a vf, a transfer, or data that are placed or looked at");
    }

    static bool can_be_refused(const Statement& statement) {
        return !std::holds_alternative<LetStatement>(statement.action) &&
               !std::holds_alternative<ForStatement>(statement.action) &&
               !std::holds_alternative<OnFaultStatement>(statement.action) &&
               !std::holds_alternative<ExpectCyclesStatement>(statement.action);
    }

    // ---- statements that are no ops

    void read_let(StatementReader& reader, Statement& statement) {
        // The blanks around = are the usual style here, though an option has none.
        std::string_view name = scanner_.field();
        std::string_view value;
        if (const std::size_t sign = name.find('='); sign != std::string_view::npos) {
            value = name.substr(sign + 1);
            name = name.substr(0, sign);
        } else {
            if (!is_name(name)) scanner_.fail(name, "a name (letters, digits and _)");
            value = scanner_.field();
            if (value.substr(0, 1) != "=") scanner_.fail(value, "'='");
            value.remove_prefix(1);
        }
        if (value.empty()) value = scanner_.field();
        if (value.empty()) scanner_.fail(value, "a value");
        LetStatement let;
        let.value = reader.parse(value);
        let.slot = names_.declare_let(name);
        reader.end_of_statement();
        statement.action = std::move(let);
    }

    void read_for(StatementReader& reader, Statement& statement) {
        ForStatement loop;
        const std::string_view name = reader.word_or_fail("the name of a loop variable");
        if (!is_name(name)) scanner_.fail(name, "the name of a loop variable");
        if (const std::string_view in = reader.word(); in != "in") scanner_.fail(in, "'in'");
        std::tie(loop.first, loop.end) = read_range(reader, "a range, as 0..3 for 0, 1, 2");
        reader.opening_brace();
        names_.open_block();
        loop.variable = names_.declare_loop_variable(name);
        loop.body = block(&statement);
        names_.close_block();
        statement.action = std::move(loop);
    }

    std::pair<Expression, Expression> read_range(StatementReader& reader, std::string_view expected) {
        const std::string_view range = reader.word_or_fail(expected);
        const std::size_t dots = range.find("..");
        if (dots == std::string_view::npos || dots == 0) scanner_.fail(range, expected);
        const std::string_view end = range.substr(dots + 2);
        if (end.empty()) scanner_.fail(end, expected);
        return {reader.parse(range.substr(0, dots)), reader.parse(end)};
    }

    void read_vf(StatementReader& reader, Statement& statement) {
        VfStatement vf;
        if (reader.peek_word() != "{") scanner_.fail(reader.peek_word(), "repeat=N or '{'");
        vf.repeat = reader.option_or("repeat", 1);
        reader.opening_brace();
        program_.vectors.push_back({statement.where.line, "vf"});
        vf.statistics = program_.vectors.size() - 1;
        vf_ = &vf;
        vf.body = block(&statement);
        vf_ = nullptr;
        statement.action = std::move(vf);
    }

    void read_data(StatementReader& reader, Statement& statement) {
        DataStatement data;
        data.address = reader.expression("an address");
        data.values = read_values(reader);
        statement.action = std::move(data);
    }

    /// "TYPE literal …" or "TYPE iota COUNT start=S step=S".
    Values read_values(StatementReader& reader) {
        Values values;
        values.type = reader.type();
        if (reader.peek_word() == "iota") {
            reader.word();
            values.elements = read_iota(reader, values.type);
        } else {
            values.elements = read_literals(reader, values.type);
            for (const std::string_view option : {"start", "step"}) {
                if (!reader.has_option(option)) continue;
                scanner_.complain(reader.option_text(option),
                                  fmt::format("found {}= beside a list of values, expected it with iota only", option));
            }
        }
        reader.end_of_statement();
        return values;
    }

    std::vector<std::byte> read_literals(StatementReader& reader, isa::ElementType type) {
        std::vector<std::byte> bytes;
        const std::size_t size = isa::size_of(type);
        std::string_view field = reader.word_or_fail("a value");
        for (; !field.empty(); field = reader.word()) {
            const std::uint64_t bits = parse_value(scanner_, field, type);
            bytes.resize(bytes.size() + size);
            std::memcpy(bytes.data() + bytes.size() - size, &bits, size);
        }
        return bytes;
    }

    Iota read_iota(StatementReader& reader, isa::ElementType type) {
        Iota iota;
        iota.count = reader.expression("the number of elements");
        const bool fraction = is_fraction(reader, "start") || is_fraction(reader, "step");
        if (fraction && is_real(type)) {
            iota.real = Iota::Real{};
            if (reader.has_option("start")) iota.real->start = read_real(reader.option_text("start"));
            if (reader.has_option("step")) iota.real->step = read_real(reader.option_text("step"));
        } else {
            iota.start = reader.option_or("start", 0);
            iota.step = reader.option_or("step", 1);
        }
        return iota;
    }

    static bool is_fraction(StatementReader& reader, std::string_view option) {
        if (!reader.has_option(option)) return false;
        const std::string_view text = reader.option_text(option);
        return text.substr(0, 2) != "0x" && text.find_first_of(".eE") != std::string_view::npos &&
               text.find_first_not_of("+-0123456789.eE") == std::string_view::npos;
    }

    double read_real(std::string_view text) {
        if (const auto number = real_number(text)) return *number;
        scanner_.fail(text, "a number");
    }

    void read_fill(StatementReader& reader, Statement& statement) {
        FillStatement fill;
        fill.address = reader.expression("an address");
        fill.type = reader.type();
        fill.count = reader.expression("the number of elements");
        fill.bits = reader.value(fill.type);
        reader.end_of_statement();
        statement.action = std::move(fill);
    }

    void read_file(StatementReader& reader, Statement& statement) {
        FileStatement file;
        file.address = reader.expression("an address");
        file.path = reader.path();
        reader.end_of_statement();
        file.offset = reader.option_or("offset", 0);
        file.bytes = reader.optional_option("bytes");
        statement.action = std::move(file);
    }

    /// An address, a register, a pair or a mask.
    Place read_place(StatementReader& reader) {
        const std::string_view field = reader.peek_word();
        if (is_register(field, 'm')) return reader.mask_register();
        if (is_register(field.substr(0, field.find(':')), 'v')) return reader.vector_operand();
        return reader.expression("an address or a register");
    }

    void check_place(std::string_view at, const Place& place, isa::ElementType type) {
        const auto* vector = std::get_if<VectorPlace>(&place);
        if (vector != nullptr && vector->pair && isa::size_of(type) != 8) {
            scanner_.complain(at, "found a pair of registers, expected a type of 64 bits with it");
        }
    }

    void read_dump(StatementReader& reader, Statement& statement) {
        DumpStatement dump;
        const std::string_view at = reader.peek_word();
        dump.place = read_place(reader);
        dump.type = reader.type();
        check_place(at, dump.place, dump.type);
        const bool needs_count = std::holds_alternative<Expression>(dump.place);
        if (needs_count || !reader.peek_word().empty()) dump.count = reader.expression("the number of elements");
        reader.end_of_statement();
        statement.action = std::move(dump);
    }

    void read_expect(StatementReader& reader, Statement& statement) {
        ExpectStatement expect;
        const std::string_view at = reader.peek_word();
        expect.place = read_place(reader);
        expect.values = read_values(reader);
        check_place(at, expect.place, expect.values.type);
        statement.action = std::move(expect);
    }

    void read_expect_cycles(StatementReader& reader, Statement& statement) {
        ExpectCyclesStatement expect;
        std::tie(expect.low, expect.high) = read_range(reader, "a range LO..HI, both ends included");
        reader.end_of_statement();
        const bool has_cycles = previous_ != nullptr && (std::holds_alternative<OpStatement>(previous_->action) ||
                                                         std::holds_alternative<VfStatement>(previous_->action) ||
                                                         std::holds_alternative<TransferStatement>(previous_->action));
        if (!has_cycles) {
            throw ProgramError(
                statement.where,
                "found expect.cycles after nothing that takes cycles, expected an op, a vf or a transfer "
                "just before it");
        }
        statement.action = std::move(expect);
    }

    void read_on_fault(StatementReader& reader, Statement& statement) {
        const std::string_view word = reader.word();
        if (word != "stop" && word != "continue") scanner_.fail(word, "stop or continue");
        reader.end_of_statement();
        statement.action = OnFaultStatement{word == "stop"};
    }

    void read_restart(StatementReader& reader, Statement& statement) {
        reader.end_of_statement();
        statement.action = RestartStatement{};
    }

    void read_mte_in(StatementReader& reader, Statement& statement) {
        read_transfer(reader, statement, timing::Direction::write, "mte.in");
    }
    void read_mte_out(StatementReader& reader, Statement& statement) {
        read_transfer(reader, statement, timing::Direction::read, "mte.out");
    }
    void read_transfer(StatementReader& reader, Statement& statement, timing::Direction direction,
                       std::string_view name) {
        TransferStatement transfer;
        transfer.direction = direction;
        transfer.address = reader.expression("an address");
        transfer.bytes = reader.expression("the number of bytes");
        if (reader.path_follows()) transfer.path = reader.path();
        reader.end_of_statement();
        if (reader.has_option("offset") && !transfer.path) {
            scanner_.complain(reader.option_text("offset"),
                              "found offset= without a path, expected the path of a file before it");
        }
        transfer.offset = reader.option_or("offset", 0);
        transfer.at = reader.optional_option("at");
        transfer.statistics = add_reported(name);
        statement.action = std::move(transfer);
    }

    Scanner scanner_;
    Names names_;
    Program program_;
    std::size_t depth_ = 0;
    VfStatement* vf_ = nullptr;                     ///< the one that is being read
    const Statement* previous_ = nullptr;           ///< in the same block
    std::optional<AnnouncedFault> expected_fault_;  ///< by the line before
};

const std::vector<Parser::Form>& Parser::forms() {
    static const std::vector<Form> table = {
        {"data",
         "data A TYPE VALUE… | data A TYPE iota COUNT start=S step=S",
         Region::anywhere,
         {"start", "step"},
         &Parser::read_data},
        {"fill", "fill A TYPE COUNT VALUE", Region::outside_vf, {}, &Parser::read_fill},
        {"file", "file A \"path\" offset=N bytes=N", Region::outside_vf, {"offset", "bytes"}, &Parser::read_file},
        {"dump", "dump A TYPE COUNT | dump REGISTER TYPE", Region::outside_vf, {}, &Parser::read_dump},
        {"expect",
         "expect A|REGISTER TYPE VALUE… | expect A|REGISTER TYPE iota COUNT start=S step=S",
         Region::outside_vf,
         {"start", "step"},
         &Parser::read_expect},
        {"expect.cycles", "expect.cycles LO..HI", Region::anywhere, {}, &Parser::read_expect_cycles},
        {"let", "let NAME = VALUE", Region::outside_vf, {}, &Parser::read_let},
        {"for", "for NAME in FIRST..END {", Region::anywhere, {}, &Parser::read_for},
        {"vf", "vf repeat=N {", Region::outside_vf, {"repeat"}, &Parser::read_vf},
        {"on_fault", "on_fault stop|continue", Region::outside_vf, {}, &Parser::read_on_fault},
        {"restart", "restart", Region::outside_vf, {}, &Parser::read_restart},
        {"mte.in",
         "mte.in A BYTES \"path\" offset=N at=CYCLE",
         Region::outside_vf,
         {"offset", "at"},
         &Parser::read_mte_in},
        {"mte.out",
         "mte.out A BYTES \"path\" offset=N at=CYCLE",
         Region::outside_vf,
         {"offset", "at"},
         &Parser::read_mte_out},
    };
    return table;
}

std::vector<std::string> Parser::statement_names() {
    std::vector<std::string> names = {"expect.fault"};
    for (const Form& form : forms()) names.push_back(form.name);
    for (const OpStatementInfo& op : op_statements()) names.push_back(op.name);
    return names;
}

}  // namespace

Program parse_program(std::string_view text) {
    Program program = Parser(text).parse();
    fold(program);
    check_op_limit(program);
    return program;
}

}  // namespace vcore::runner
