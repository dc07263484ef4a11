// The one model that kernels of a process run on, and what is known of the run.
//
//     kernel ──API──▶ OpCall, transfers ──▶ Runtime ──op socket, MTE socket──▶ platform top (runner::SystemcMachine)
//
// Built by the first launch. Time contract: that of runner::Machine.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/isa/diagnostics.hpp"
#include "models/isa/ops.hpp"
#include "testbenches/kernels/runtime/call_site.hpp"
#include "testbenches/kernels/runtime/recorder.hpp"
#include "testbenches/kernels/runtime/register_allocator.hpp"
#include "testbenches/kernels/runtime/sites.hpp"
#include "testbenches/runner/completions.hpp"
#include "testbenches/runner/interpreter.hpp"
#include "testbenches/runner/machine.hpp"
#include "testbenches/runner/run_setup.hpp"
#include "testbenches/runner/systemc_machine.hpp"
#include "testbenches/runner/vf_meter.hpp"

namespace vcore::kernels {

class Runtime final : private SpillPort {
public:
    /// Reads VCORE_ARGS and elaborates the model when it is first called. Ends the process, as vcore-sim does, where
    /// the arguments make no sense.
    static Runtime& get();
    /// Null until somebody has called get().
    static Runtime* existing();

    runner::Machine& machine() { return machine_.machine(); }
    const engine::Configuration& configuration() { return machine().configuration(); }
    RegisterAllocator& registers() { return registers_; }

    // ---- launches

    void run_blocks(std::int64_t blocks, const std::function<void()>& kernel, CallSite site);
    bool in_kernel() const { return in_kernel_; }
    std::uint32_t block_index() const { return block_index_; }
    std::uint32_t block_count() const { return block_count_; }
    std::uint64_t block_serial() const { return block_serial_; }

    // ---- ops and transfers

    /// Ends the kernel where the op is refused.
    const isa::Op& perform(const isa::Op& op, CallSite site);
    void transfer(const engine::TransferRequest& request, std::byte* data, CallSite site);
    void enter_vector_function(const void* function);
    void leave_vector_function();
    bool in_vector_function() const { return vf_depth_ > 0; }
    /// What a register that was never written is read as: a warning, unless the model gives one.
    void warn_of_undefined(bool mask, std::uint32_t number, CallSite site);

    // ---- UB

    std::byte* ub() const { return ub_; }
    std::uint64_t ub_size() const { return ub_size_; }
    void* array(const void* identity, std::uint64_t bytes, const char* name, CallSite site);
    std::uint64_t array_end() const { return array_end_; }

    // ---- findings

    [[noreturn]] void fail(CallSite site, isa::DiagnosticId id, const std::string& message);
    void warn(CallSite site, isa::DiagnosticId id, const std::string& message);
    /// Where the latest op was called.
    CallSite latest_site() const { return site_; }

    /// Prints findings and results and writes files, once. Returns the exit status.
    int conclude(runner::ExitStatus status);

private:
    static void conclude_at_exit();
    struct Arguments;
    explicit Runtime(const Arguments& arguments);
    static Arguments read_arguments();
    void spill_op(isa::Op op, CallSite site) override;
    [[noreturn]] void no_slot_left(const char* kind, std::uint32_t slots, CallSite site) override;

    void start_block(std::uint32_t index);
    void begin_vector_function(CallSite site);
    runner::Outcome issue(isa::Op& op, std::uint32_t line);
    std::uint32_t number(CallSite site, isa::OpKind kind, bool spill = false);
    runner::Program program() const;
    void add(CallSite site, isa::DiagnosticId id, const std::string& message);
    [[noreturn]] void end_refused();

    runner::RunSetup setup_;
    runner::RunFiles files_;
    runner::SystemcMachine machine_;
    runner::Trace* trace_ = nullptr;  // null: none is wanted
    std::byte* ub_ = nullptr;
    std::uint64_t ub_size_ = 0;
    RegisterAllocator registers_;
    Sites sites_;
    runner::Completions completions_;
    runner::RunResult result_;

    bool in_kernel_ = false;
    bool used_ = false;  ///< some block has run: the core must be reset for the next
    std::uint32_t block_index_ = 0;
    std::uint32_t block_count_ = 1;
    std::uint64_t block_serial_ = 0;

    isa::Op op_;  ///< the latest
    CallSite site_;
    std::uint32_t vectors_written_ = 0;  ///< registers since the block started: bit k is register k
    std::uint32_t masks_written_ = 0;

    std::uint32_t vf_depth_ = 0;
    bool vf_open_ = false;  ///< its VfBegin has been issued
    const void* vf_function_ = nullptr;
    CallSite vf_site_;
    std::uint64_t vf_called_ = 0;  ///< cycle
    runner::VfMeter vf_meter_;
    std::size_t vf_statistics_ = 0;
    std::unordered_map<const void*, std::size_t> vf_of_function_;
    std::vector<runner::ReportedLine> vfs_;

    struct Array {
        std::uint64_t address = 0;
        std::uint64_t bytes = 0;
    };
    std::optional<Recorder> recorder_;
    std::unordered_map<const void*, Array> arrays_;
    std::uint64_t array_end_ = 0;
    bool concluded_ = false;
};

}  // namespace vcore::kernels
