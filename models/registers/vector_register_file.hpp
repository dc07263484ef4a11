// VectorRegisterFile: 32 vector registers of 256 B, register k at byte address k * 256.
//
// See models/registers/register_file.hpp for what is modelled, and the timing and reset contracts.
// Source: `isa.md`, head.
#pragma once

#include <array>
#include <cstdint>

#include "models/isa/element_type.hpp"
#include "models/isa/ids.hpp"
#include "models/isa/registers.hpp"
#include "models/registers/register_file.hpp"

namespace vcore::registers {

class VectorRegisterFile : public RegisterFile {
public:
    explicit VectorRegisterFile(sc_core::sc_module_name name)
        : RegisterFile(name, reinterpret_cast<std::byte*>(registers_.data()), registers_.size(),
                       sizeof(isa::VectorRegister)) {}

    /// Byte address of a register on `port`.
    static constexpr std::uint64_t address(isa::VregId id) {
        return static_cast<std::uint64_t>(isa::value(id)) * sizeof(isa::VectorRegister);
    }

private:
    std::array<isa::VectorRegister, isa::kVectorRegisters> registers_{};
};

}  // namespace vcore::registers
