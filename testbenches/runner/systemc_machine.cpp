#include "testbenches/runner/systemc_machine.hpp"

#include <algorithm>
#include <exception>
#include <limits>

#include <systemc>
#include <tlm>

#include "platforms/top.hpp"
#include "tlm/clock_period.hpp"
#include "tlm/metadata_extension.hpp"
#include "tlm/op_initiator.hpp"
#include "tlm/sockets.hpp"
#include "tlm/traffic_extension.hpp"

namespace vcore::runner {
namespace {

/// Blocks nest up to a hundred deep, and each level takes a few frames, which sanitizers make larger.
constexpr std::size_t kStackBytes = std::size_t{1} << 20;

class Driver final : public sc_core::sc_module, public Machine {
public:
    SC_HAS_PROCESS(Driver);

    Driver(sc_core::sc_module_name driver_name, platforms::Top& top, const std::function<void(Machine&)>& use,
           std::uint64_t quantum_cycles)
        : sc_module(driver_name),
          ops_("ops"),
          transfers_("transfers"),
          vector_registers_("vector_registers"),
          mask_registers_("mask_registers"),
          top_(top),
          use_(use),
          period_(top.configuration().clock_mhz),
          quantum_(period_.duration(quantum_cycles)) {
        ops_.socket.bind(top.core.op_socket);
        transfers_.bind(top.mte.transfer_socket);
        vector_registers_.bind(top.vector_registers.port);
        mask_registers_.bind(top.mask_registers.port);
        SC_THREAD(run);
        set_stack_size(kStackBytes);
    }

    /// Throws what the user of the machine threw.
    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }
    bool finished() const { return finished_; }

    const engine::Configuration& configuration() const override { return top_.configuration(); }
    engine::Mode mode() const override { return top_.core.engine().mode(); }
    void set_listener(engine::TimingListener* listener) override { top_.core.set_timing_listener(listener); }
    void set_bank_listener(timing::BankListener* listener) override { top_.core.engine().set_bank_listener(listener); }
    void finish() override {
        ops_.sync();
        top_.core.engine().finish();
    }
    std::uint64_t now() const override { return now_; }
    const engine::Statistics& statistics() const override { return top_.core.engine().statistics(); }
    const isa::DiagnosticLog& diagnostics() override { return top_.core.engine().diagnostics(); }

    Outcome issue(isa::Op& op, std::uint32_t line) override {
        const transport::OpDescriptor& done = ops_.issue(op, line);
        op = done.op;
        now_ = std::max(now_, done.dispatch_cycle);
        if (ops_.local_time >= quantum_) ops_.sync();
        return {done.fault, done.issue_cycle, done.complete_cycle, done.ticket, done.pending};
    }

    Outcome transfer(const engine::TransferRequest& request, std::byte* data,
                     std::optional<std::uint64_t> at) override {
        // What went before must have completed, unless the transfer is meant to run beside it.
        const std::uint64_t start = std::max(now_, at ? *at : statistics().last_completion.count());
        if (!fits_payload(request)) {
            return {top_.core.engine().check_transfer(request), start, start};
        }
        tlm::tlm_generic_payload payload;
        transport::MetadataExtension metadata;
        transport::TrafficExtension traffic;
        metadata.line = request.line;
        const bool into_ub = request.direction == timing::Direction::write;
        traffic.direction = into_ub ? transport::TrafficDirection::into_ub : transport::TrafficDirection::out_of_ub;
        traffic.beside = at.has_value();
        payload.set_extension(&metadata);
        payload.set_extension(&traffic);
        payload.set_command(data == nullptr ? tlm::TLM_IGNORE_COMMAND
                            : into_ub       ? tlm::TLM_WRITE_COMMAND
                                            : tlm::TLM_READ_COMMAND);
        payload.set_address(static_cast<std::uint64_t>(request.address));
        payload.set_data_ptr(reinterpret_cast<unsigned char*>(data));
        payload.set_data_length(static_cast<unsigned>(request.bytes));
        payload.set_streaming_width(static_cast<unsigned>(request.bytes));
        sc_core::sc_time delay = offset_of(start);
        transfers_->b_transport(payload, delay);
        payload.clear_extension(&metadata);
        payload.clear_extension(&traffic);

        const std::uint64_t complete =
            at ? traffic.complete_cycle : period_.next_cycle(sc_core::sc_time_stamp() + delay);
        const Outcome outcome{fault_of(payload), start, complete, traffic.ticket, traffic.pending};

        if (!at && !outcome.refused()) {
            now_ = std::max(now_, outcome.complete);
            ops_.local_time = offset_of(now_);
        }
        return outcome;
    }

    // Debug accesses reach the UB through the MTE: an initiator of the UB's own port would be one more who may ask for
    // banks at any time, and ops would have to keep to simulated time.
    void place(std::uint32_t address, const std::byte* data, std::uint32_t bytes) override {
        debug(transfers_, tlm::TLM_WRITE_COMMAND, address, const_cast<std::byte*>(data), bytes);
    }
    void look(std::uint32_t address, std::byte* data, std::uint32_t bytes) override {
        debug(transfers_, tlm::TLM_READ_COMMAND, address, data, bytes);
    }
    isa::VectorRegister vector_register(std::uint32_t number) override {
        return register_at<isa::VectorRegister>(vector_registers_, number);
    }
    isa::MaskRegister mask_register(std::uint32_t number) override {
        return register_at<isa::MaskRegister>(mask_registers_, number);
    }

private:
    using MemorySocket = transport::MemoryInitiatorSocket<Driver>;

    void run() {
        try {
            use_(*this);
        } catch (...) {
            error_ = std::current_exception();
        }
        ops_.sync();
        finished_ = true;
    }

    /// Time from now, in simulation time, to a cycle that is not past.
    sc_core::sc_time offset_of(std::uint64_t cycle) const {
        const sc_core::sc_time time = period_.duration(cycle);
        return time - std::min(time, sc_core::sc_time_stamp());
    }

    static bool fits_payload(const engine::TransferRequest& request) {
        return request.address >= 0 && request.bytes > 0 && request.bytes <= std::numeric_limits<std::int32_t>::max();
    }

    /// Which check refused a transfer: the answers of models/dma/mte_engine.hpp.
    static isa::DiagnosticId fault_of(const tlm::tlm_generic_payload& payload) {
        if (payload.is_response_ok()) return isa::DiagnosticId::none;
        return payload.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE ? isa::DiagnosticId::ub_out_of_bounds
                                                                                : isa::DiagnosticId::misaligned;
    }

    template <typename Register>
    Register register_at(MemorySocket& socket, std::uint32_t number) {
        Register result;
        debug(socket, tlm::TLM_READ_COMMAND, number * sizeof(Register), reinterpret_cast<std::byte*>(&result),
              sizeof(Register));
        return result;
    }

    static void debug(MemorySocket& socket, tlm::tlm_command command, std::uint64_t address, std::byte* data,
                      std::uint32_t bytes) {
        tlm::tlm_generic_payload payload;
        payload.set_command(command);
        payload.set_address(address);
        payload.set_data_ptr(reinterpret_cast<unsigned char*>(data));
        payload.set_data_length(bytes);
        payload.set_streaming_width(bytes);
        if (socket->transport_dbg(payload) != bytes) {
            SC_REPORT_FATAL("/vcore/runner/debug", "a debug access inside the memory was not answered in full");
        }
    }

    transport::OpInitiator ops_;
    MemorySocket transfers_;
    MemorySocket vector_registers_;
    MemorySocket mask_registers_;
    platforms::Top& top_;
    const std::function<void(Machine&)>& use_;
    transport::ClockPeriod period_;
    sc_core::sc_time quantum_;
    std::uint64_t now_ = 0;
    bool finished_ = false;
    std::exception_ptr error_;
};

}  // namespace

void with_systemc_machine(const engine::Configuration& configuration, engine::Mode mode,
                          const std::function<void(Machine&)>& use, std::uint64_t quantum_cycles) {
    platforms::Top top("top", configuration, mode);
    Driver driver("driver", top, use, quantum_cycles);
    sc_core::sc_start();
    driver.rethrow();
    if (!driver.finished()) SC_REPORT_FATAL("/vcore/runner/end", "the simulation ended before the program");
}

}  // namespace vcore::runner
