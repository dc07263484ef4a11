#include "testbenches/runner/interpreter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "testbenches/runner/fold.hpp"
#include "testbenches/runner/literal.hpp"

namespace vcore::runner {
namespace {

std::uint64_t element_at(const std::vector<std::byte>& bytes, std::size_t index, std::size_t size) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + index * size, size);
    return bits;
}

void put_element(std::vector<std::byte>& bytes, std::size_t index, std::size_t size, std::uint64_t bits) {
    std::memcpy(bytes.data() + index * size, &bits, size);
}

/// File errors have no position of their own: they get that of the path.
template <typename Action>
void with_position(const FilePath& path, Action action) {
    try {
        action();
    } catch (const FileError& error) {
        throw ProgramError(path.where, error.what());
    }
}

}  // namespace

Interpreter::Interpreter(const Program& program, const std::string& folder, Machine& machine, DumpListener on_dump)
    : program_(program),
      machine_(machine),
      files_(folder),
      on_dump_(std::move(on_dump)),
      completions_(program),
      values_(program.slots) {
    result_.ops.resize(program.ops.size());
    result_.vectors.resize(program.vectors.size());
    machine_.set_listener(&completions_);
}

Interpreter::~Interpreter() {
    machine_.set_listener(nullptr);
}

void Interpreter::set_trace(Trace* trace) {
    trace_ = trace;
    completions_.set_next(trace);
}

void Interpreter::run() {
    const auto finish = [this] {
        machine_.finish();
        result_.ops = completions_.totals();
        result_.deadlocks = completions_.deadlocks();
    };
    try {
        block(program_.body);
    } catch (const ProgramError&) {
        finish();
        throw;
    }
    finish();
}

Interpreter::Flow Interpreter::block(const Block& statements) {
    for (const Statement& statement : statements) {
        const Flow flow = std::visit([&](const auto& action) { return execute(statement, action); }, statement.action);
        if (flow != Flow::next) return flow;
    }
    return Flow::next;
}

// ---- ops and what came of them

Interpreter::Flow Interpreter::execute(const Statement& statement, const OpStatement& op) {
    charge(statement);
    isa::Op issued = op.op;
    for (const Patch& patch : op.patches) patch.set(issued, evaluate(patch.expression));
    if (!op.counter) return perform(statement, issued);

    auto& update = std::get<isa::UpdateMask>(issued);
    update.count = values_[*op.counter];
    const Flow flow = perform(statement, issued);
    values_[*op.counter] = update.count;
    return flow;
}

Interpreter::Flow Interpreter::perform(const Statement& statement, isa::Op& op) {
    const Outcome outcome = machine_.issue(op, statement.where.line);
    if (trace_ != nullptr && !outcome.refused()) trace_->on_call(outcome.ticket, op);
    const Flow flow = conclude(statement, outcome);
    if (outcome.pending) measured_.pending = Measured::Pending::op;
    return flow;
}

/// What the op took goes into `completions_`, now or later.
Interpreter::Flow Interpreter::conclude(const Statement& statement, const Outcome& outcome) {
    if (outcome.refused()) return refused(statement, outcome.fault);
    measured_ = {};
    measured_.cycles = outcome.complete - outcome.issue;
    measured_.calls = 1;
    measured_.ticket = outcome.ticket;
    return statement.expected_fault ? accepted(statement) : Flow::next;
}

Interpreter::Flow Interpreter::accepted(const Statement& statement) {
    if (statement.expected_fault) {
        expectation_failed(statement, "expect.fault", std::nullopt,
                           fmt::format("expected the statement to be refused with {}, it was performed",
                                       isa::info(*statement.expected_fault).text));
    }
    return Flow::next;
}

Interpreter::Flow Interpreter::refused(const Statement& statement, isa::DiagnosticId id) {
    measured_ = {};
    measured_.refused = true;
    if (statement.expected_fault) {
        if (*statement.expected_fault == id) {
            result_.announced.insert({id, statement.where.line});
        } else {
            expectation_failed(statement, "expect.fault", std::nullopt,
                               fmt::format("expected the statement to be refused with {}, it was refused with {}",
                                           isa::info(*statement.expected_fault).text, isa::info(id).text));
        }
        return Flow::next;
    }
    if (vf_fault_ == id) {
        result_.announced.insert({id, statement.where.line});
        vf_fault_seen_ = true;
        return Flow::leave_vf;
    }
    raise(ExitStatus::refused);
    return stop_on_fault_ ? Flow::stop : Flow::next;
}

void Interpreter::charge(const Statement& statement) {
    if (++executed_ > kMostOps) {
        throw ProgramError(statement.where,
                           fmt::format("found more than {0} executed ops, expected at most {0} in a run", kMostOps));
    }
}

// ---- names, loops and vector functions

Interpreter::Flow Interpreter::execute(const Statement&, const LetStatement& let) {
    values_[let.slot] = evaluate(let.value);
    return Flow::next;
}

Interpreter::Flow Interpreter::execute(const Statement& statement, const ForStatement& loop) {
    const std::int64_t first = evaluate(loop.first);
    const std::int64_t end = evaluate(loop.end);
    for (std::int64_t i = first; i < end; ++i) {
        values_[loop.variable] = i;
        const std::uint64_t before = executed_;
        const Flow flow = block(loop.body);
        if (flow != Flow::next) return flow;
        if (executed_ == before) charge(statement);
    }
    return Flow::next;
}

Interpreter::Flow Interpreter::execute(const Statement& statement, const VfStatement& vf) {
    const std::uint64_t calls = evaluate_count(vf.repeat, "number of calls");
    VfTotals& totals = result_.vectors[vf.statistics];
    vf_meter_.start(machine_, totals);
    vf_fault_ = statement.expected_fault;
    vf_fault_seen_ = false;

    Flow flow = Flow::next;
    for (std::uint64_t i = 0; i < calls && flow != Flow::stop; ++i) flow = call(statement, vf, totals);

    vf_fault_.reset();
    const VfMeter::Measure measure = vf_meter_.finish(machine_, totals);
    measured_ = {};
    measured_.cycles = measure.cycles;
    measured_.calls = measure.calls;
    if (measure.calls == 0) measured_.refused = vf_fault_seen_;
    if (flow == Flow::stop) return flow;
    return vf_fault_seen_ ? Flow::next : accepted(statement);
}

/// One call. Names that count down start each call with the values they had before the first.
Interpreter::Flow Interpreter::call(const Statement& statement, const VfStatement& vf, VfTotals& totals) {
    isa::Op begin = isa::VfBegin{};
    const Outcome begun = machine_.issue(begin, statement.where.line);
    if (begun.refused()) {
        vf_fault_seen_ = vf_fault_ == begun.fault;
        return refused(statement, begun.fault);
    }
    vf_meter_.begun(machine_, begun);
    const std::uint64_t called = machine_.now();
    std::vector<std::int64_t> saved;
    for (const Slot slot : vf.counted) saved.push_back(values_[slot]);
    const std::uint64_t before = executed_;
    isa::Op end = isa::VfEnd{};
    Flow flow = Flow::next;
    try {
        flow = block(vf.body);
    } catch (const ProgramError&) {
        machine_.issue(end, statement.where.line);  // what has been called completes
        throw;
    }
    for (std::size_t i = 0; i < saved.size(); ++i) values_[vf.counted[i]] = saved[i];
    if (executed_ == before) charge(statement);

    const Outcome ended = machine_.issue(end, statement.where.line);
    VfMeter::ended(totals, ended);
    if (trace_ != nullptr) trace_->on_vf(statement.where.line, called, ended.complete);
    return flow;
}

// ---- data that are placed

Interpreter::Flow Interpreter::execute(const Statement& statement, const DataStatement& data) {
    const std::int64_t address = evaluate(data.address);
    const std::size_t size = isa::size_of(data.values.type);
    if (const auto flow = check_ub(statement, "data", address, count_of(data.values), size)) return *flow;
    generate(statement, data.values, buffer_);
    place(address, buffer_);
    return accepted(statement);
}

Interpreter::Flow Interpreter::execute(const Statement& statement, const FillStatement& fill) {
    const std::int64_t address = evaluate(fill.address);
    const std::uint64_t count = evaluate_count(fill.count, "number of elements");
    const std::size_t size = isa::size_of(fill.type);
    if (const auto flow = check_ub(statement, "fill", address, count, size)) return *flow;
    buffer_.resize(count * size);
    for (std::size_t i = 0; i < count; ++i) put_element(buffer_, i, size, fill.bits);
    place(address, buffer_);
    return accepted(statement);
}

Interpreter::Flow Interpreter::execute(const Statement& statement, const FileStatement& file) {
    const std::int64_t address = evaluate(file.address);
    const std::uint64_t offset = evaluate_count(file.offset, "offset into a file");
    std::uint64_t bytes = 0;
    if (file.bytes) {
        bytes = evaluate_count(*file.bytes, "number of bytes");
    } else {
        with_position(file.path, [&] {
            const std::uint64_t length = files_.size(file.path.name);
            bytes = length - std::min(length, offset);
        });
    }
    if (const auto flow = check_ub(statement, "file", address, bytes, 1)) return *flow;
    buffer_.resize(bytes);
    with_position(file.path, [&] { files_.read(file.path.name, offset, buffer_.data(), bytes); });
    place(address, buffer_);
    return accepted(statement);
}

void Interpreter::place(std::int64_t address, const std::vector<std::byte>& bytes) {
    if (bytes.empty()) return;
    machine_.place(static_cast<std::uint32_t>(address), bytes.data(), static_cast<std::uint32_t>(bytes.size()));
}

std::uint64_t Interpreter::count_of(const Values& values) const {
    if (const auto* iota = std::get_if<Iota>(&values.elements)) {
        return evaluate_count(iota->count, "number of elements");
    }
    return std::get<std::vector<std::byte>>(values.elements).size() / isa::size_of(values.type);
}

void Interpreter::generate(const Statement& statement, const Values& values, std::vector<std::byte>& bytes) const {
    if (const auto* list = std::get_if<std::vector<std::byte>>(&values.elements)) {
        bytes = *list;
        return;
    }
    const Iota& iota = std::get<Iota>(values.elements);
    const std::size_t size = isa::size_of(values.type);
    const std::uint64_t count = evaluate_count(iota.count, "number of elements");
    const Wide start = evaluate(iota.start);
    const Wide step = evaluate(iota.step);
    bytes.resize(count * size);
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto bits = iota.real ? bits_of(values.type, iota.real->start + static_cast<double>(i) * iota.real->step)
                                    : bits_of(values.type, start + static_cast<Wide>(i) * step);
        if (!bits) {
            throw ProgramError(statement.where, fmt::format("found element {} of the iota out of range, expected {}", i,
                                                            range_text(values.type)));
        }
        put_element(bytes, i, size, *bits);
    }
}

// ---- data that are looked at

std::string Interpreter::place_text(const Place& place) const {
    if (const auto* address = std::get_if<Expression>(&place)) return fmt::format("0x{:04x}", evaluate(*address));
    if (const auto* mask = std::get_if<isa::MregId>(&place)) return fmt::format("m{}", value(*mask));
    const auto& vector = std::get<VectorPlace>(place);
    if (!vector.pair) return fmt::format("v{}", value(vector.low));
    return fmt::format("v{}:v{}", value(vector.low), value(vector.high));
}

std::optional<Interpreter::Flow> Interpreter::check_ub(const Statement& statement, std::string_view op,
                                                       std::int64_t address, std::uint64_t count, std::size_t size) {
    const auto end = static_cast<Wide>(machine_.configuration().capabilities.ub_bytes);
    const Wide last = static_cast<Wide>(address) + static_cast<Wide>(count) * size;
    if (address >= 0 && address <= end && last <= end) return std::nullopt;
    const std::int64_t first_outside = address < 0 || address > end ? address : static_cast<std::int64_t>(end);
    return refuse_place(statement, op, isa::DiagnosticId::ub_out_of_bounds, first_outside,
                        fmt::format("{} bytes from byte address {:#x} do not fit into the UB of {} bytes",
                                    count > std::numeric_limits<std::uint64_t>::max() / size ? count : count * size,
                                    address, static_cast<std::uint64_t>(end)));
}

Interpreter::Flow Interpreter::refuse_place(const Statement& statement, std::string_view op, isa::DiagnosticId id,
                                            std::optional<std::int64_t> address, std::string message) {
    report(id, statement.where.line, op, address, std::move(message));
    return refused(statement, id);
}

std::optional<Interpreter::Flow> Interpreter::look(const Statement& statement, std::string_view op, const Place& place,
                                                   isa::ElementType type, std::optional<std::uint64_t> count,
                                                   std::vector<std::byte>& bytes) {
    const std::size_t size = isa::size_of(type);
    if (const auto* expression = std::get_if<Expression>(&place)) {
        const std::int64_t address = evaluate(*expression);
        if (const auto flow = check_ub(statement, op, address, *count, size)) return flow;
        bytes.resize(*count * size);
        if (bytes.empty()) return std::nullopt;
        machine_.look(static_cast<std::uint32_t>(address), bytes.data(), static_cast<std::uint32_t>(bytes.size()));
        return std::nullopt;
    }
    const auto no_such_register = [&](std::string_view kind, int registers) {
        return refuse_place(statement, op, isa::DiagnosticId::bad_register, std::nullopt,
                            fmt::format("{} is no {} register: there are {}", place_text(place), kind, registers));
    };
    const auto copy = [&bytes](const auto& source) {
        const auto* const first = reinterpret_cast<const std::byte*>(&source);
        bytes.assign(first, first + sizeof(source));
    };
    if (const auto* mask = std::get_if<isa::MregId>(&place)) {
        if (value(*mask) >= isa::kMaskRegisters) return no_such_register("mask", isa::kMaskRegisters);
        copy(machine_.mask_register(static_cast<std::uint32_t>(value(*mask))));
    } else {
        const auto& vector = std::get<VectorPlace>(place);
        const bool bad_high = vector.pair && value(vector.high) >= isa::kVectorRegisters;
        if (value(vector.low) >= isa::kVectorRegisters || bad_high) {
            return no_such_register("vector", isa::kVectorRegisters);
        }
        const auto low = machine_.vector_register(static_cast<std::uint32_t>(value(vector.low)));
        copy(low.bytes);
        if (vector.pair) {
            const auto high = machine_.vector_register(static_cast<std::uint32_t>(value(vector.high)));
            bytes.resize(2 * isa::kVectorBytes);
            constexpr std::size_t kWord = 4;
            for (std::size_t i = 0; i < isa::kVectorBytes / kWord; ++i) {
                std::memcpy(bytes.data() + 2 * i * kWord, low.bytes.data() + i * kWord, kWord);
                std::memcpy(bytes.data() + (2 * i + 1) * kWord, high.bytes.data() + i * kWord, kWord);
            }
        }
    }
    if (!count) return std::nullopt;
    if (*count > bytes.size() / size) {
        throw ProgramError(statement.where, fmt::format("{} holds {} elements of {}, not {}", place_text(place),
                                                        bytes.size() / size, name(type), *count));
    }
    bytes.resize(*count * size);
    return std::nullopt;
}

Interpreter::Flow Interpreter::execute(const Statement& statement, const DumpStatement& dump) {
    std::optional<std::uint64_t> count;
    if (dump.count) count = evaluate_count(*dump.count, "number of elements");
    Dump record;
    if (const auto flow = look(statement, "dump", dump.place, dump.type, count, record.bytes)) return *flow;
    dumped_bytes_ += record.bytes.size();
    if (dumped_bytes_ > kMostDumpedBytes) {
        throw ProgramError(
            statement.where,
            fmt::format("found more than {0} bytes of dumps, expected at most {0} in a run", kMostDumpedBytes));
    }
    record.line = statement.where.line;
    record.place = place_text(dump.place);
    record.type = dump.type;
    if (const auto* address = std::get_if<Expression>(&dump.place)) {
        record.address = static_cast<std::uint64_t>(evaluate(*address));
    }
    on_dump_(record);
    result_.dumps.push_back(std::move(record));
    return accepted(statement);
}

Interpreter::Flow Interpreter::execute(const Statement& statement, const ExpectStatement& expect) {
    std::vector<std::byte> found;
    const std::uint64_t count = count_of(expect.values);
    if (const auto flow = look(statement, "expect", expect.place, expect.values.type, count, found)) return *flow;
    generate(statement, expect.values, buffer_);
    if (found != buffer_) compare(statement, expect, found, buffer_);
    return accepted(statement);
}

/// Precondition: the two differ.
void Interpreter::compare(const Statement& statement, const ExpectStatement& expect,
                          const std::vector<std::byte>& found, const std::vector<std::byte>& expected) {
    const isa::ElementType type = expect.values.type;
    const std::size_t size = isa::size_of(type);
    const std::size_t count = expected.size() / size;
    std::size_t first = count;
    std::size_t differing = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (element_at(found, i, size) == element_at(expected, i, size)) continue;
        first = std::min(first, i);
        ++differing;
    }
    std::optional<std::int64_t> address;
    std::string where = place_text(expect.place);
    if (const auto* base = std::get_if<Expression>(&expect.place)) {
        address = evaluate(*base) + static_cast<std::int64_t>(first * size);
        where = fmt::format("byte address {:#x}", *address);
    }
    const auto show = [&](const std::vector<std::byte>& bytes) {
        const std::uint64_t bits = element_at(bytes, first, size);
        return fmt::format("{} ({})", value_text(type, bits), pattern_text(type, bits));
    };
    expectation_failed(statement, "expect", address,
                       fmt::format("element {} at {}: found {}, expected {}; {} of {} elements differ", first, where,
                                   show(found), show(expected), differing, count));
}

Interpreter::Flow Interpreter::execute(const Statement& statement, const ExpectCyclesStatement& expect) {
    const std::int64_t low = evaluate(expect.low);
    const std::int64_t high = evaluate(expect.high);
    if (measured_.calls == 0) {
        expectation_failed(statement, "expect.cycles", std::nullopt,
                           measured_.refused ? "the statement before was refused: it took no cycles"
                                             : "the statement before was not executed: it took no cycles");
        return Flow::next;
    }
    const auto check = [this, &statement, low, high](std::uint64_t cycles) {
        check_cycles(statement, low, high, cycles, 1);
    };
    switch (measured_.pending) {
        case Measured::Pending::no: check_cycles(statement, low, high, measured_.cycles, measured_.calls); break;
        case Measured::Pending::op: completions_.when_complete(measured_.ticket, check); break;
        case Measured::Pending::transfer: completions_.when_transferred(measured_.ticket, check); break;
    }
    return Flow::next;
}

void Interpreter::check_cycles(const Statement& statement, std::int64_t low, std::int64_t high, std::uint64_t cycles,
                               std::uint64_t calls) {
    const auto found = static_cast<Wide>(cycles);
    if (low * static_cast<Wide>(calls) <= found && found <= high * static_cast<Wide>(calls)) return;
    expectation_failed(
        statement, "expect.cycles", std::nullopt,
        fmt::format("found {} cycles{}, expected {} to {}", static_cast<double>(cycles) / static_cast<double>(calls),
                    calls > 1 ? " per call" : "", low, high));
}

Interpreter::Flow Interpreter::execute(const Statement&, const OnFaultStatement& on_fault) {
    stop_on_fault_ = on_fault.stop;
    return Flow::next;
}

Interpreter::Flow Interpreter::execute(const Statement& statement, const RestartStatement&) {
    machine_.restart();
    return accepted(statement);
}

// ---- transfers

Interpreter::Flow Interpreter::execute(const Statement& statement, const TransferStatement& transfer) {
    charge(statement);
    engine::TransferRequest request;
    request.direction = transfer.direction;
    request.address = evaluate(transfer.address);
    request.bytes = evaluate(transfer.bytes);
    request.line = statement.where.line;
    const std::uint64_t offset = evaluate_count(transfer.offset, "offset into a file");
    std::optional<std::uint64_t> at;
    if (transfer.at) at = start_of(*transfer.at);

    // A transfer that cannot fit is refused before any file is touched.
    const auto ub_bytes = static_cast<std::int64_t>(machine_.configuration().capabilities.ub_bytes);
    const bool moves_bytes = transfer.path && request.bytes >= 0 && request.bytes <= ub_bytes;
    std::byte* data = nullptr;
    if (moves_bytes) {
        buffer_.resize(static_cast<std::size_t>(request.bytes));
        data = buffer_.data();
        if (transfer.direction == timing::Direction::write) {
            with_position(*transfer.path, [&] { files_.read(transfer.path->name, offset, data, buffer_.size()); });
        }
    }
    const Outcome outcome = machine_.transfer(request, data, at);
    if (moves_bytes && !outcome.refused() && transfer.direction == timing::Direction::read) {
        with_position(*transfer.path, [&] { files_.write(transfer.path->name, offset, data, buffer_.size()); });
    }
    const Flow flow = conclude(statement, outcome);
    if (outcome.refused()) return flow;
    if (trace_ != nullptr) trace_->on_transfer(request, outcome);
    if (outcome.pending) {
        completions_.expect_transfer(outcome.ticket, transfer.statistics, outcome.issue);
        measured_.pending = Measured::Pending::transfer;
    } else {
        completions_.transferred(transfer.statistics, measured_.cycles);
    }
    return flow;
}

/// Half of what sc_time can hold at its resolution of 1 ps is left for what the run does after the transfer.
std::uint64_t Interpreter::start_of(const Expression& at) const {
    constexpr double kLatestPicosecond = 9.2e18;
    constexpr double kPicosecondsOfMicrosecond = 1e6;
    const std::int64_t cycle = evaluate(at);
    const auto latest = std::min(static_cast<double>(std::numeric_limits<std::int64_t>::max() / 2),
                                 kLatestPicosecond / kPicosecondsOfMicrosecond * machine_.configuration().clock_mhz);
    if (static_cast<double>(cycle) > latest) {
        throw ProgramError(at.where(),
                           fmt::format("found the cycle {}, expected at most {}: simulated time does not go "
                                       "much further",
                                       cycle, static_cast<std::int64_t>(latest)));
    }
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, cycle));
}

// ---- findings

void Interpreter::expectation_failed(const Statement& statement, std::string_view op,
                                     std::optional<std::int64_t> address, std::string message) {
    raise(ExitStatus::expectation_failed);
    report(isa::DiagnosticId::expect_mismatch, statement.where.line, op, address, std::move(message));
}

void Interpreter::report(isa::DiagnosticId id, std::uint32_t line, std::string_view op,
                         std::optional<std::int64_t> address, std::string message) {
    const auto same = std::find_if(result_.diagnostics.begin(), result_.diagnostics.end(), [&](const auto& known) {
        return known.id == id && known.line == line && known.op == op;
    });
    if (same != result_.diagnostics.end()) {
        ++same->count;
        return;
    }
    isa::Diagnostic diagnostic;
    diagnostic.severity = isa::Severity::error;
    diagnostic.id = id;
    diagnostic.op_index = machine_.statistics().ops;
    diagnostic.line = line;
    diagnostic.op = std::string(op);
    if (address) diagnostic.address = *address;
    diagnostic.message = std::move(message);
    result_.diagnostics.push_back(std::move(diagnostic));
}

void Interpreter::raise(ExitStatus status) {
    result_.status = std::max(result_.status, status);
}

std::uint64_t Interpreter::evaluate_count(const Expression& expression, std::string_view what) const {
    const std::int64_t count = evaluate(expression);
    check_count(expression, count, what);
    return static_cast<std::uint64_t>(count);
}

}  // namespace vcore::runner
