#include "testbenches/runner/systemc_machine.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <vector>

#include <systemc>
#include <tlm>

#include "platforms/top.hpp"
#include "tlm/clock_period.hpp"
#include "tlm/metadata_extension.hpp"
#include "tlm/op_initiator.hpp"
#include "tlm/sockets.hpp"
#include "tlm/traffic_extension.hpp"

namespace vcore::runner {

class SystemcMachine::Driver final : public sc_core::sc_module, public Machine {
public:
    SC_HAS_PROCESS(Driver);

    Driver(sc_core::sc_module_name driver_name, platforms::Top& top, std::uint64_t quantum_cycles,
           std::size_t stack_bytes)
        : sc_module(driver_name),
          ops_("ops"),
          transfers_("transfers"),
          vector_registers_("vector_registers"),
          mask_registers_("mask_registers"),
          top_(top),
          period_(top.configuration().clock_mhz),
          quantum_(period_.duration(quantum_cycles)) {
        ops_.socket.bind(top.core.op_socket);
        transfers_.bind(top.mte.transfer_socket);
        vector_registers_.bind(top.vector_registers.port);
        mask_registers_.bind(top.mask_registers.port);
        SC_THREAD(serve);
        set_stack_size(stack_bytes);
    }

    void run(const std::function<void(Machine&)>& use) {
        use_ = &use;
        error_ = nullptr;
        called_.notify(sc_core::SC_ZERO_TIME);
        sc_core::sc_start();
        if (error_) std::rethrow_exception(error_);
        if (use_ != nullptr) SC_REPORT_FATAL("/vcore/runner/end", "the simulation ended before the program");
    }

    const engine::Configuration& configuration() const override { return top_.configuration(); }
    engine::Mode mode() const override { return top_.core.engine().mode(); }
    void set_listener(engine::TimingListener* listener) override { top_.core.set_timing_listener(listener); }
    void set_bank_listener(timing::BankListener* listener) override { top_.core.engine().set_bank_listener(listener); }
    void finish() override {
        ops_.sync();
        top_.core.engine().finish();
    }
    void restart() override {
        ops_.sync();
        now_ = std::max(now_, top_.core.engine().finish().count());
        ops_.local_time = offset_of(now_);
        clear(transfers_, configuration().capabilities.ub_bytes);
        clear(vector_registers_, isa::kVectorRegisters * sizeof(isa::VectorRegister));
        clear(mask_registers_, isa::kMaskRegisters * sizeof(isa::MaskRegister));
        top_.core.engine().forget_written();
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
    std::byte* ub_bytes() override {
        std::byte* const bytes = top_.ub.array();
        top_.core.engine().watch_content(bytes);
        return bytes;
    }
    isa::VectorRegister vector_register(std::uint32_t number) override {
        return register_at<isa::VectorRegister>(vector_registers_, number);
    }
    isa::MaskRegister mask_register(std::uint32_t number) override {
        return register_at<isa::MaskRegister>(mask_registers_, number);
    }

private:
    using MemorySocket = transport::MemoryInitiatorSocket<Driver>;

    void serve() {
        while (true) {
            while (use_ == nullptr) sc_core::wait(called_);
            try {
                (*use_)(*this);
            } catch (...) {
                error_ = std::current_exception();
            }
            ops_.sync();
            use_ = nullptr;
        }
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

    /// Zeroes a whole memory.
    static void clear(MemorySocket& socket, std::uint64_t bytes) {
        std::vector<std::byte> zeros(bytes);
        debug(socket, tlm::TLM_WRITE_COMMAND, 0, zeros.data(), static_cast<std::uint32_t>(bytes));
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
    const std::function<void(Machine&)>* use_ = nullptr;  // null: nobody
    sc_core::sc_event called_;
    transport::ClockPeriod period_;
    sc_core::sc_time quantum_;
    std::uint64_t now_ = 0;
    std::exception_ptr error_;
};

struct SystemcMachine::Parts {
    Parts(const engine::Configuration& configuration, engine::Mode mode, std::uint64_t quantum_cycles,
          std::size_t stack_bytes)
        : top("top", configuration, mode), driver("driver", top, quantum_cycles, stack_bytes) {}

    platforms::Top top;
    Driver driver;
};

SystemcMachine::SystemcMachine(const engine::Configuration& configuration, engine::Mode mode,
                               std::uint64_t quantum_cycles, std::size_t stack_bytes)
    : parts_(std::make_unique<Parts>(configuration, mode, quantum_cycles, stack_bytes)) {}

SystemcMachine::~SystemcMachine() = default;

void SystemcMachine::run(const std::function<void(Machine&)>& use) {
    parts_->driver.run(use);
}

Machine& SystemcMachine::machine() {
    return parts_->driver;
}

void with_systemc_machine(const engine::Configuration& configuration, engine::Mode mode,
                          const std::function<void(Machine&)>& use, std::uint64_t quantum_cycles) {
    SystemcMachine(configuration, mode, quantum_cycles).run(use);
}

}  // namespace vcore::runner
