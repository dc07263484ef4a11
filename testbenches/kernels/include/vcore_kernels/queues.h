// TPipe, TQue and TBuf: UB memory in buffers that go round between copies and computation.
//
// A queue orders its users on silicon by flags; here transfers and ops complete in program order, so a queue takes no
// time. What would hang on silicon ends the kernel: taking a buffer from a queue that has none free, or a tensor from
// an empty one (deadlock).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "testbenches/kernels/include/vcore_kernels/sync.h"
#include "testbenches/kernels/include/vcore_kernels/tensors.h"

namespace AscendC {

struct TQueConfig {};

/// A queue of tensors from one position to another, with buffers of its own.
template <TPosition src, TPosition dst, std::int32_t depth = 1, auto mask = 0>
class TQueBind {
public:
    static constexpr TPosition kSource = src;
    static constexpr TPosition kTarget = dst;
    TQueBind() = default;
    TQueBind(const TQueBind&) = delete;
    TQueBind& operator=(const TQueBind&) = delete;

    template <typename T>
    LocalTensor<T> AllocTensor(CallSite site = CallSite::here()) {
        for (const auto& buffer : buffers_) {
            if (buffer->out) continue;
            buffer->out = true;
            return tensor<T>(*buffer);
        }
        ::vcore::kernels::fail(site, ::vcore::isa::DiagnosticId::deadlock,
                               buffers_.empty()
                                   ? std::string("AllocTensor of a queue that TPipe::InitBuffer gave no buffers")
                                   : "AllocTensor waits for ever: all " + std::to_string(buffers_.size()) +
                                         " buffers of the queue are in use; FreeTensor gives one back");
    }
    template <typename T>
    void AllocTensor(LocalTensor<T>& tensor_out, CallSite site = CallSite::here()) {
        tensor_out = AllocTensor<T>(site);
    }
    template <typename T>
    void FreeTensor(LocalTensor<T>& tensor_in, CallSite site = CallSite::here()) {
        detail::UbBuffer* const buffer = owned(tensor_in, "FreeTensor", site);
        buffer->out = false;
        ++buffer->generation;
    }
    template <typename T>
    bool EnQue(const LocalTensor<T>& tensor_in, CallSite site = CallSite::here()) {
        detail::UbBuffer* const buffer = owned(tensor_in, "EnQue", site);
        filled_.push_back(buffer);
        return true;
    }
    template <TPosition, TPosition, typename T>
    bool EnQue(const LocalTensor<T>& tensor_in, CallSite site = CallSite::here()) {
        return EnQue(tensor_in, site);
    }
    template <typename T>
    LocalTensor<T> DeQue(CallSite site = CallSite::here()) {
        if (filled_.empty()) {
            ::vcore::kernels::fail(site, ::vcore::isa::DiagnosticId::deadlock,
                                   "DeQue waits for ever: the queue is empty; EnQue puts a tensor in");
        }
        detail::UbBuffer* const buffer = filled_.front();
        filled_.pop_front();
        return tensor<T>(*buffer);
    }
    template <typename T>
    void DeQue(LocalTensor<T>& tensor_out, CallSite site = CallSite::here()) {
        tensor_out = DeQue<T>(site);
    }
    template <TPosition, TPosition, typename T>
    LocalTensor<T> DeQue(CallSite site = CallSite::here()) {
        return DeQue<T>(site);
    }
    bool VacantInQue() const { return filled_.size() < buffers_.size(); }
    bool HasTensorInQue() const { return !filled_.empty(); }
    std::int32_t GetTensorCountInQue() const { return static_cast<std::int32_t>(filled_.size()); }
    bool HasIdleBuffer() const {
        for (const auto& buffer : buffers_) {
            if (!buffer->out) return true;
        }
        return false;
    }
    void FreeAllEvent() {}

    /// For TPipe.
    void give(std::uint8_t* bytes, std::uint32_t size) {
        auto buffer = std::make_unique<detail::UbBuffer>();
        buffer->bytes = bytes;
        buffer->size = size;
        buffers_.push_back(std::move(buffer));
    }

private:
    template <typename T>
    LocalTensor<T> tensor(detail::UbBuffer& buffer) const {
        return LocalTensor<T>(reinterpret_cast<T*>(buffer.bytes), buffer.size / static_cast<std::uint32_t>(sizeof(T)),
                              dst, &buffer, buffer.generation);
    }
    template <typename T>
    detail::UbBuffer* owned(const LocalTensor<T>& tensor_in, const char* call, CallSite site) const {
        tensor_in.check_alive(site);
        for (const auto& buffer : buffers_) {
            if (buffer.get() == tensor_in.buffer() && buffer->out) return buffer.get();
        }
        ::vcore::kernels::fail(site, ::vcore::isa::DiagnosticId::bad_tensor,
                               std::string(call) + " of a tensor that AllocTensor of this queue did not give");
    }

    std::vector<std::unique_ptr<detail::UbBuffer>> buffers_;
    std::deque<detail::UbBuffer*> filled_;
};

/// A queue between global memory and computation: VECIN is filled by copies, VECOUT emptied by them.
template <TPosition position, std::int32_t depth = 1, auto mask = 0>
class TQue : public TQueBind<position, position, depth, mask> {};

/// A buffer for intermediate results.
template <TPosition position = TPosition::LCM>
class TBuf {
public:
    TBuf() = default;
    template <typename T>
    LocalTensor<T> Get(CallSite site = CallSite::here()) {
        return Get<T>(size_ / static_cast<std::uint32_t>(sizeof(T)), site);
    }
    template <typename T>
    LocalTensor<T> Get(std::uint32_t elements, CallSite site = CallSite::here()) {
        return part<T>(0, elements, site);
    }
    template <typename T>
    LocalTensor<T> GetWithOffset(std::uint32_t elements, std::uint32_t byteOffset, CallSite site = CallSite::here()) {
        return part<T>(byteOffset, elements, site);
    }

    /// For TPipe.
    void give(std::uint8_t* bytes, std::uint32_t size) {
        bytes_ = bytes;
        size_ = size;
    }

private:
    template <typename T>
    LocalTensor<T> part(std::uint64_t offset, std::uint64_t elements, CallSite site) {
        if (bytes_ == nullptr) {
            ::vcore::kernels::fail(site, ::vcore::isa::DiagnosticId::bad_tensor,
                                   "Get of a TBuf that TPipe::InitBuffer gave no memory");
        }
        if (offset + elements * sizeof(T) > size_) {
            ::vcore::kernels::fail(site, ::vcore::isa::DiagnosticId::bad_tensor,
                                   std::to_string(elements) + " elements of " + std::to_string(sizeof(T)) +
                                       " bytes from byte " + std::to_string(offset) + " of a TBuf of " +
                                       std::to_string(size_) + " bytes");
        }
        return LocalTensor<T>(reinterpret_cast<T*>(bytes_ + offset), static_cast<std::uint32_t>(elements), position,
                              nullptr, 0);
    }
    std::uint8_t* bytes_ = nullptr;
    std::uint32_t size_ = 0;
};

/// Gives UB memory to queues and buffers, and numbers to events. Ends the kernel where no memory is left
/// (out-of-space).
class TPipe {
public:
    TPipe() = default;
    void Init() {}
    void Destroy() {}
    void Reset() {
        detail::UbSpace::get().restart();
        next_event_.fill(0);
    }
    template <TPosition src, TPosition dst, std::int32_t depth, auto mask>
    bool InitBuffer(TQueBind<src, dst, depth, mask>& queue, std::uint8_t num, std::uint32_t len,
                    CallSite site = CallSite::here()) {
        const std::uint32_t padded = (len + 31) / 32 * 32;
        for (std::uint8_t i = 0; i < num; ++i) {
            queue.give(detail::UbSpace::get().take(padded, "TPipe::InitBuffer", site), padded);
        }
        return true;
    }
    template <TPosition position>
    bool InitBuffer(TBuf<position>& buffer, std::uint32_t len, CallSite site = CallSite::here()) {
        const std::uint32_t padded = (len + 31) / 32 * 32;
        buffer.give(detail::UbSpace::get().take(padded, "TPipe::InitBuffer", site), padded);
        return true;
    }
    template <HardEvent event>
    TEventID AllocEventID(CallSite site = CallSite::here()) {
        std::uint8_t& next = next_event_[static_cast<std::size_t>(event)];
        if (next >= 8) {
            ::vcore::kernels::fail(site, ::vcore::isa::DiagnosticId::out_of_space,
                                   "AllocEventID: all 8 events of this direction are in use");
        }
        return static_cast<TEventID>(next++);
    }
    template <HardEvent event>
    void ReleaseEventID(TEventID) {
        std::uint8_t& next = next_event_[static_cast<std::size_t>(event)];
        if (next > 0) --next;
    }
    TEventID FetchEventID(HardEvent event) {
        return static_cast<TEventID>(next_event_[static_cast<std::size_t>(event)] % 8);
    }
    template <HardEvent event>
    TEventID FetchEventID() {
        return FetchEventID(event);
    }

private:
    std::array<std::uint8_t, static_cast<std::size_t>(HardEvent::MAX)> next_event_{};
};

inline TPipe* GetTPipePtr() {
    static TPipe pipe;
    return &pipe;
}

}  // namespace AscendC
