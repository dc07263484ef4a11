// Registers as values: handles that kernels copy, keep and drop as they like.
//
// A handle names a value, or nothing: a register that was never written. Copies share the value and cost nothing. While
// a value is used by an op it lies in one of the 32 vector (8 mask) registers; where more values are alive than there
// are registers, those that were used longest ago lie in reserved bytes of the UB. OpCall (op_call.hpp) does all that.
// Source: the kernels' page, "Registers".
#pragma once

#include <cstdint>
#include <utility>

namespace vcore::kernels {

namespace detail {

/// A value that some handle names.
struct RegisterValue {
    static constexpr std::int32_t kNowhere = -1;

    std::uint32_t owners = 0;
    std::int32_t physical = kNowhere;  ///< number of the register that holds it
    std::int32_t slot = kNowhere;      ///< number of the place in the UB that holds a copy
    std::uint64_t used = 0;            ///< when an op used it last: a count of uses
};

enum class RegisterKind : std::uint8_t { vector, mask };

/// Nobody names the value any more.
template <RegisterKind kind>
void discard(RegisterValue* value);
extern template void discard<RegisterKind::vector>(RegisterValue* value);
extern template void discard<RegisterKind::mask>(RegisterValue* value);

}  // namespace detail

/// Registers that are operands of the op that is being made, and stay as they are: bit k is register k.
struct Pins {
    std::uint32_t vectors = 0;
    std::uint32_t masks = 0;
};

template <detail::RegisterKind kind>
class RegisterHandle {
public:
    RegisterHandle() = default;
    RegisterHandle(const RegisterHandle& other) : value_(other.value_) { acquire(); }
    RegisterHandle(RegisterHandle&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
    RegisterHandle& operator=(const RegisterHandle& other) {
        RegisterHandle copy(other);
        std::swap(value_, copy.value_);
        return *this;
    }
    RegisterHandle& operator=(RegisterHandle&& other) noexcept {
        std::swap(value_, other.value_);
        return *this;
    }
    ~RegisterHandle() { release(); }

    bool written() const { return value_ != nullptr; }

    /// For the allocator: the value, and a new one in its place.
    detail::RegisterValue* value() const { return value_; }
    void reset(detail::RegisterValue* value) {
        release();
        value_ = value;
        acquire();
    }

private:
    void acquire() {
        if (value_ != nullptr) ++value_->owners;
    }
    void release() {
        if (value_ != nullptr && --value_->owners == 0) detail::discard<kind>(value_);
        value_ = nullptr;
    }

    detail::RegisterValue* value_ = nullptr;
};

using VectorRegister = RegisterHandle<detail::RegisterKind::vector>;
using MaskRegister = RegisterHandle<detail::RegisterKind::mask>;

}  // namespace vcore::kernels
