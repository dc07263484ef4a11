#include "testbenches/kernels/runtime/runtime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "testbenches/kernels/runtime/fail.hpp"
#include "testbenches/kernels/runtime/wild_access.hpp"
#include "testbenches/runner/report.hpp"

// The product that the kernel's executable was built for; vcore_add_kernel() defines it.
extern "C" __attribute__((weak)) const char vcore_kernel_product[];
extern "C" __attribute__((weak)) const char vcore_kernel_product[] = "ascend950";

/// SystemC's own main, which kernels' programs do not use, would call it.
extern "C" int sc_main(int, char*[]);
int sc_main(int, char*[]) {
    return EXIT_FAILURE;
}

namespace vcore::kernels {
namespace {

constexpr std::size_t kStackBytes = std::size_t{16} << 20;
constexpr std::uint64_t kMostBlocks = 65'535;
constexpr std::uint64_t kBlockBytes = isa::kBlockBytes;

Runtime* the_runtime = nullptr;

[[noreturn]] void end_usage(const std::string& message) {
    std::fflush(nullptr);
    std::cout.flush();
    std::cerr << "VCORE_ARGS: " << message << std::endl;
    std::_Exit(static_cast<int>(runner::ExitStatus::bad_input));
}

}  // namespace

struct Runtime::Arguments {
    runner::RunSetup setup;
    std::optional<std::string> record;
};

Runtime* Runtime::existing() {
    return the_runtime;
}

Runtime& Runtime::get() {
    if (the_runtime == nullptr) {
        setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 1);
        try {
            const Arguments arguments = read_arguments();
            the_runtime =
                new Runtime(arguments);  // stays until the process ends: whatever is destroyed last may still ask it
        } catch (const runner::UsageError& error) {
            end_usage(error.what());
        } catch (const engine::ConfigurationError& error) {
            end_usage(error.what());
        }
        conclude_at_exit();
    }
    return *the_runtime;
}

/// What was set up last goes first at the end of a process. The report needs tables that are made when they are first
/// used, so this is called again whenever something may have used them; whoever concludes first does it for all.
void Runtime::conclude_at_exit() {
    std::atexit([] { the_runtime->conclude(runner::ExitStatus::fine); });
}

/// The same options as `vcore-sim run`, and those that only kernels have.
Runtime::Arguments Runtime::read_arguments() {
    namespace po = boost::program_options;
    po::options_description options = runner::run_setup_options(vcore_kernel_product);
    options.add_options()("record", po::value<std::string>()->value_name("FILE.vprog"),
                          "write the ops as a program that 'vcore-sim run' replays")("help", "show this help");
    const char* const text = std::getenv("VCORE_ARGS");
    const std::vector<std::string> words = po::split_unix(text != nullptr ? text : "");
    const po::variables_map arguments = runner::parse_options(options, {}, words, "");
    if (arguments.count("help") != 0) {
        std::cout << "VCORE_ARGS: options of the model that the kernels of this program run on\n\n"
                  << options << std::flush;
        std::_Exit(EXIT_SUCCESS);
    }
    Arguments result{runner::run_setup(arguments, "", vcore_kernel_product), runner::argument(arguments, "record")};
    if (result.setup.configuration.bank_traffic) {
        throw runner::UsageError(
            "kernels read and write the UB by pointer: banks that see all traffic (bank_traffic) or are swapped are "
            "not "
            "for them");
    }
    return result;
}

Runtime::Runtime(const Arguments& arguments)
    : setup_(arguments.setup),
      files_(setup_, program_invocation_name),
      machine_(setup_.configuration, setup_.mode, runner::kQuantumCycles, kStackBytes),
      trace_(files_.attach(machine_.machine())),
      ub_(machine_.machine().ub_bytes()),
      ub_size_(machine_.machine().configuration().capabilities.ub_bytes),
      registers_(*this, machine_.machine().configuration().capabilities.ub_reserved_from, ub_size_) {
    if (arguments.record) {
        const std::string how =
            fmt::format("product {}, mode {}", setup_.configuration.product, runner::mode_name(setup_.mode));
        recorder_.emplace(*arguments.record, ub_, ub_size_, how);
    }
    machine().set_listener(&completions_);
    completions_.set_next(trace_);
}

// ---- launches

void Runtime::run_blocks(std::int64_t blocks, const std::function<void()>& kernel, CallSite site) {
    if (blocks < 1 || static_cast<std::uint64_t>(blocks) > kMostBlocks) {
        fail(site, isa::DiagnosticId::bad_argument,
             fmt::format("a launch of {} blocks: expected 1 to {}", blocks, kMostBlocks));
    }
    if (in_kernel_) fail(site, isa::DiagnosticId::bad_argument, "a kernel cannot launch another one");
    struct Running {
        bool& flag;
        explicit Running(bool& running) : flag(running) { flag = true; }
        ~Running() { flag = false; }
    };
    machine_.run([&](runner::Machine& machine) {
        const Running running(in_kernel_);
        site_ = site;
        const WildAccessGuard guard(site_);
        block_count_ = static_cast<std::uint32_t>(blocks);
        for (std::uint32_t index = 0; index < block_count_; ++index) {
            start_block(index);
            kernel();
        }
        machine.finish();
        if (!completions_.deadlocks().empty()) end_refused();
    });
    block_index_ = 0;
    block_count_ = 1;
    conclude_at_exit();
}

/// A core as after reset, but for time.
void Runtime::start_block(std::uint32_t index) {
    block_index_ = index;
    ++block_serial_;
    if (used_) {
        if (recorder_) recorder_->restart();
        machine().restart();
        registers_.reset();
    }
    used_ = true;
    vectors_written_ = 0;
    masks_written_ = 0;
    arrays_.clear();
    array_end_ = 0;
}

// ---- ops and transfers

std::uint32_t Runtime::number(CallSite site, isa::OpKind kind, bool spill) {
    const std::uint32_t number = sites_.number(site, kind, spill);
    if (number > completions_.totals().size()) completions_.add_line(number);
    return number;
}

runner::Outcome Runtime::issue(isa::Op& op, std::uint32_t line) {
    const isa::Operands operands = isa::operands_of(op);
    if (recorder_) recorder_->op(op);
    const runner::Outcome outcome = machine().issue(op, line);
    if (outcome.refused()) end_refused();
    if (recorder_) recorder_->performed(op);
    if (trace_ != nullptr) trace_->on_call(outcome.ticket, op);
    vectors_written_ |= operands.vector_writes;
    masks_written_ |= operands.mask_writes;
    return outcome;
}

const isa::Op& Runtime::perform(const isa::Op& op, CallSite site) {
    if (!in_kernel_) fail(site, isa::DiagnosticId::bad_argument, "an op was called outside a kernel");
    site_ = site;
    if (vf_depth_ > 0 && !vf_open_) begin_vector_function(site);
    op_ = op;
    issue(op_, number(site, isa::kind_of(op)));
    if (const auto* barrier = std::get_if<isa::Barrier>(&op_)) {
        if (barrier->kind == isa::BarrierKind::vv_all) registers_.accesses_ordered();
    }
    return op_;
}

void Runtime::spill_op(isa::Op op, CallSite site) {
    if (vf_depth_ > 0 && !vf_open_) begin_vector_function(site);
    issue(op, number(site, isa::kind_of(op), true));
}

void Runtime::no_slot_left(const char* kind, std::uint32_t slots, CallSite site) {
    fail(site, isa::DiagnosticId::out_of_space,
         fmt::format("too many {} registers are alive: beyond those of the core, {} find room in the reserved bytes of "
                     "the UB",
                     kind, slots));
}

void Runtime::transfer(const engine::TransferRequest& request, std::byte* data, CallSite site) {
    if (!in_kernel_) fail(site, isa::DiagnosticId::bad_argument, "a transfer was called outside a kernel");
    site_ = site;
    const auto kind = request.direction == timing::Direction::write ? isa::OpKind::mte_in : isa::OpKind::mte_out;
    engine::TransferRequest numbered = request;
    numbered.line = number(site, kind);
    if (recorder_) recorder_->transfer(numbered, data);
    const runner::Outcome outcome = machine().transfer(numbered, data, std::nullopt);
    if (outcome.refused()) end_refused();
    if (recorder_) recorder_->performed_transfer();
    if (trace_ != nullptr) trace_->on_transfer(numbered, outcome);
    completions_.transferred(numbered.line - 1, outcome.complete - outcome.issue);
}

void Runtime::enter_vector_function(const void* function) {
    if (vf_depth_++ > 0) return;
    vf_function_ = function;
    vf_site_ = site_;
}

/// Late: the first op knows the place in the source.
void Runtime::begin_vector_function(CallSite site) {
    vf_open_ = true;
    vf_site_ = site;
    const auto [known, is_new] = vf_of_function_.try_emplace(vf_function_, result_.vectors.size());
    if (is_new) {
        result_.vectors.emplace_back();
        vfs_.push_back({number(site, isa::OpKind::vf_begin), "vf"});
    }
    vf_statistics_ = known->second;
    vf_called_ = machine().now();
    vf_meter_.start(machine(), result_.vectors[vf_statistics_]);
    isa::Op begin = isa::VfBegin{};
    vf_meter_.begun(machine(), issue(begin, vfs_[vf_statistics_].line));
    registers_.accesses_ordered();
}

void Runtime::leave_vector_function() {
    if (--vf_depth_ > 0) return;
    if (!vf_open_) begin_vector_function(vf_site_);
    isa::Op end = isa::VfEnd{};
    const runner::Outcome ended = issue(end, vfs_[vf_statistics_].line);
    runner::VfTotals& totals = result_.vectors[vf_statistics_];
    runner::VfMeter::ended(totals, ended);
    vf_meter_.finish(machine(), totals);
    if (trace_ != nullptr) trace_->on_vf(vfs_[vf_statistics_].line, vf_called_, ended.complete);
    vf_open_ = false;
    registers_.accesses_ordered();
}

void Runtime::warn_of_undefined(bool mask, std::uint32_t number, CallSite site) {
    const std::uint32_t written = mask ? masks_written_ : vectors_written_;
    if (((written >> number) & 1U) == 0) return;  // the model warns itself
    warn(site, isa::DiagnosticId::uninitialised_read,
         fmt::format("reads a {} register that nobody has written", mask ? "mask" : "vector"));
}

// ---- UB

void* Runtime::array(const void* identity, std::uint64_t bytes, const char* name, CallSite site) {
    if (!in_kernel_) {
        fail(site, isa::DiagnosticId::bad_argument, fmt::format("the __ubuf__ array '{}' is outside a kernel", name));
    }
    const auto [known, is_new] = arrays_.try_emplace(identity);
    if (is_new) {
        const std::uint64_t room = configuration().capabilities.ub_reserved_from;
        if (bytes > room - array_end_) {
            fail(site, isa::DiagnosticId::out_of_space,
                 fmt::format("the __ubuf__ array '{}' of {} bytes does not fit: {} of {} bytes of the UB are left",
                             name, bytes, room - array_end_, room));
        }
        known->second = {array_end_, bytes};
        // Ordinary code fills such arrays, with zeros too: they count as written.
        const std::vector<std::byte> content(ub_ + array_end_, ub_ + array_end_ + bytes);
        if (bytes > 0) {
            machine().place(static_cast<std::uint32_t>(array_end_), content.data(), static_cast<std::uint32_t>(bytes));
        }
        array_end_ = std::min(room, (array_end_ + bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes);
    }
    return ub_ + known->second.address;
}

// ---- findings

void Runtime::add(CallSite site, isa::DiagnosticId id, const std::string& message) {
    for (isa::Diagnostic& known : result_.diagnostics) {
        if (known.id == id && known.line == site.line && known.file == site.file) {
            ++known.count;
            return;
        }
    }
    isa::Diagnostic diagnostic;
    diagnostic.severity = isa::info(id).severity;
    diagnostic.id = id;
    diagnostic.op_index = machine().statistics().ops;
    diagnostic.file = site.file != nullptr ? site.file : "";
    diagnostic.line = site.line;
    diagnostic.message = message;
    result_.diagnostics.push_back(std::move(diagnostic));
}

void Runtime::fail(CallSite site, isa::DiagnosticId id, const std::string& message) {
    add(site, id, message);
    end_refused();
}

void Runtime::warn(CallSite site, isa::DiagnosticId id, const std::string& message) {
    add(site, id, message);
}

/// No destructor and no handler of the kernel runs: it has no business after a refusal.
void Runtime::end_refused() {
    const int status = conclude(runner::ExitStatus::refused);
    std::fflush(nullptr);
    std::_Exit(status);
}

/// The run as the report wants to see it: a program whose lines are numbers of call sites.
runner::Program Runtime::program() const {
    runner::Program program;
    std::vector<runner::SourcePlace> places;
    for (const Site& site : sites_.all()) {
        places.push_back({site.file, site.line, site.spill});
        const std::string op(isa::name(site.kind));
        program.ops.push_back({static_cast<std::uint32_t>(places.size()), site.spill ? "spill." + op : op});
    }
    program.places = runner::SourcePlaces(std::move(places));
    program.vectors = vfs_;
    return program;
}

int Runtime::conclude(runner::ExitStatus status) {
    if (concluded_ || (!used_ && result_.diagnostics.empty())) return static_cast<int>(status);
    concluded_ = true;
    std::fflush(stdout);
    std::cout.flush();
    result_.status = status;
    result_.ops = completions_.totals();
    result_.deadlocks = completions_.deadlocks();
    const SpillCounts& spilled = registers_.counts();
    result_.spills = {spilled.vector_stores + spilled.mask_stores, spilled.vector_loads + spilled.mask_loads};
    const runner::Program program = this->program();
    for (const isa::Diagnostic& diagnostic : runner::all_diagnostics(result_, machine(), program.places)) {
        std::cerr << runner::diagnostic_text(diagnostic, diagnostic.file) << "\n";
    }
    for (const timing::Deadlock& deadlock : result_.deadlocks) std::cerr << runner::deadlock_text(deadlock);
    std::cerr.flush();
    if (!setup_.quiet) {
        if (result_.spills->stores + result_.spills->loads > 0) {
            std::cout << fmt::format("spilled registers: {} stored, {} loaded\n", result_.spills->stores,
                                     result_.spills->loads);
        }
        std::cout << runner::causes_text(program, result_, machine())
                  << runner::summary_text(program, result_, machine()) << std::endl;
    }
    try {
        if (recorder_) recorder_->close();
        files_.write(configuration(), runner::report_json(program, result_, machine()), program.places);
    } catch (const runner::UsageError& error) {
        end_usage(error.what());
    }
    return static_cast<int>(status);
}

}  // namespace vcore::kernels
