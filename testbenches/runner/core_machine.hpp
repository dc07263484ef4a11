// A machine without SystemC: one engine::Core on plain storage. For tests of programs and of the interpreter.
#pragma once

#include "testbenches/runner/machine.hpp"

namespace vcore::runner {

class CoreMachine final : public Machine {
public:
    CoreMachine(const engine::Configuration& configuration, engine::Mode mode);

    const engine::Configuration& configuration() const override { return configuration_; }
    engine::Mode mode() const override { return core_.mode(); }
    void set_listener(engine::TimingListener* listener) override { core_.set_listener(listener); }
    void set_bank_listener(timing::BankListener* listener) override { core_.set_bank_listener(listener); }
    Outcome issue(isa::Op& op, std::uint32_t line) override;
    Outcome transfer(const engine::TransferRequest& request, std::byte* data, std::optional<std::uint64_t> at) override;
    void finish() override { core_.finish(); }
    void restart() override;
    std::uint64_t now() const override { return now_.count(); }
    void place(std::uint32_t address, const std::byte* data, std::uint32_t bytes) override;
    void look(std::uint32_t address, std::byte* data, std::uint32_t bytes) override;
    isa::VectorRegister vector_register(std::uint32_t number) override;
    isa::MaskRegister mask_register(std::uint32_t number) override;
    std::byte* ub_bytes() override;
    const engine::Statistics& statistics() const override { return core_.statistics(); }
    const isa::DiagnosticLog& diagnostics() override { return core_.diagnostics(); }

private:
    engine::Configuration configuration_;
    engine::Storage storage_;
    engine::Core core_;
    timing::Cycle now_;
};

}  // namespace vcore::runner
