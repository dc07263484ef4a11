// MaskRegisterFile: 8 mask registers of 256 bits, register k at byte address k * 32, bit i at bit i % 8 of byte i / 8.
//
// See models/registers/register_file.hpp for what is modelled, and the timing and reset contracts.
// Source: `isa.md` "Mask register".
#pragma once

#include <array>
#include <cstdint>

#include "models/isa/element_type.hpp"
#include "models/isa/ids.hpp"
#include "models/isa/registers.hpp"
#include "models/registers/register_file.hpp"

namespace vcore::registers {

class MaskRegisterFile : public RegisterFile {
public:
    explicit MaskRegisterFile(sc_core::sc_module_name name)
        : RegisterFile(name, reinterpret_cast<std::byte*>(registers_.data()), registers_.size(),
                       sizeof(isa::MaskRegister)) {}

    /// Byte address of a register on `port`.
    static constexpr std::uint64_t address(isa::MregId id) {
        return static_cast<std::uint64_t>(isa::value(id)) * sizeof(isa::MaskRegister);
    }

private:
    std::array<isa::MaskRegister, isa::kMaskRegisters> registers_{};
};

}  // namespace vcore::registers
