// Order between pipes, blocks, and what a kernel can ask the core.
//
// The model performs a kernel in program order and every transfer waits for what was before it, so flags and barriers
// take no time; waiting for a flag that nobody has set would hang on silicon and ends the kernel here.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "testbenches/kernels/include/vcore_kernels/qualifiers.h"
#include "testbenches/kernels/include/vcore_kernels/types.h"
#include "testbenches/kernels/runtime/core_state.hpp"
#include "testbenches/kernels/runtime/events.hpp"
#include "testbenches/kernels/runtime/fail.hpp"

enum pipe_t {
    PIPE_S,
    PIPE_V,
    PIPE_M,
    PIPE_MTE1,
    PIPE_MTE2,
    PIPE_MTE3,
    PIPE_ALL,
    PIPE_MTE4,
    PIPE_MTE5,
    PIPE_V2,
    PIPE_FIX,
};
enum event_t { EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };
enum mem_dsb_t { DSB_ALL, DSB_DDR, DSB_UB, DSB_SEQ };

namespace vcore::kernels {

inline const char* pipe_name(pipe_t pipe) {
    static const char* const names[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "ALL", "MTE4", "MTE5", "V2", "FIX"};
    return names[static_cast<int>(pipe)];
}
inline std::string flag_name(pipe_t from, pipe_t to, std::int64_t event) {
    return std::string(pipe_name(from)) + "_" + pipe_name(to) + ", event " + std::to_string(event);
}
inline EventFlag event_flag(pipe_t from, pipe_t to, std::int64_t event, CallSite site) {
    if (event < 0 || event > 7) {
        fail(site, isa::DiagnosticId::bad_argument,
             "event " + std::to_string(event) + " does not exist: expected 0..7");
    }
    return {static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to), static_cast<std::uint32_t>(event)};
}

/// The number of the running block, as a plain name: `block_idx`.
struct BlockIndex {
    operator std::int64_t() const { return block_index(); }  // NOLINT: reads like a number
};
struct BlockCount {
    operator std::int64_t() const { return block_count(); }  // NOLINT
};

}  // namespace vcore::kernels

inline constexpr vcore::kernels::BlockIndex block_idx;
inline constexpr vcore::kernels::BlockCount block_num;

inline std::int64_t get_block_idx() {
    return vcore::kernels::block_index();
}
inline std::int64_t get_block_num() {
    return vcore::kernels::block_count();
}
inline std::int64_t asc_get_block_idx() {
    return vcore::kernels::block_index();
}
inline std::int64_t asc_get_block_num() {
    return vcore::kernels::block_count();
}

// ---- the C API's

/// Brings the core into its initial state: it is.
inline void asc_init() {}
inline void asc_sync_notify(pipe_t from, pipe_t to, std::int64_t event,
                            vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) {
    vcore::kernels::set_flag(vcore::kernels::event_flag(from, to, event, site),
                             vcore::kernels::flag_name(from, to, event).c_str(), site);
}
inline void asc_sync_wait(pipe_t from, pipe_t to, std::int64_t event,
                          vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) {
    vcore::kernels::wait_flag(vcore::kernels::event_flag(from, to, event, site),
                              vcore::kernels::flag_name(from, to, event).c_str(), site);
}
/// Waits for everything, or for one pipe.
inline void asc_sync(vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) {
    vcore::kernels::pipe_barrier(site);
}
inline void asc_sync_pipe(pipe_t, vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) {
    vcore::kernels::pipe_barrier(site);
}
inline void pipe_barrier(pipe_t, vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) {
    vcore::kernels::pipe_barrier(site);
}
inline void set_flag(pipe_t from, pipe_t to, std::int64_t event,
                     vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) {
    asc_sync_notify(from, to, event, site);
}
inline void wait_flag(pipe_t from, pipe_t to, std::int64_t event,
                      vcore::kernels::CallSite site = vcore::kernels::CallSite::here()) {
    asc_sync_wait(from, to, event, site);
}

// ---- AscendC

namespace AscendC {

using ::vcore::kernels::CallSite;
using TEventID = std::int8_t;

enum class HardEvent : std::uint8_t {
    MTE2_MTE1,
    MTE1_MTE2,
    MTE1_M,
    M_MTE1,
    MTE2_V,
    V_MTE2,
    MTE3_V,
    V_MTE3,
    M_V,
    V_M,
    V_V,
    MTE3_MTE1,
    MTE1_MTE3,
    MTE1_V,
    MTE2_M,
    M_MTE2,
    V_MTE1,
    M_FIX,
    FIX_M,
    MTE3_MTE2,
    MTE2_MTE3,
    S_V,
    V_S,
    S_MTE2,
    MTE2_S,
    S_MTE3,
    MTE3_S,
    MAX,
};

namespace detail {

struct Pipes {
    pipe_t from;
    pipe_t to;
};
constexpr Pipes pipes_of(HardEvent event) {
    constexpr Pipes kPipes[] = {
        {PIPE_MTE2, PIPE_MTE1}, {PIPE_MTE1, PIPE_MTE2}, {PIPE_MTE1, PIPE_M}, {PIPE_M, PIPE_MTE1},
        {PIPE_MTE2, PIPE_V},    {PIPE_V, PIPE_MTE2},    {PIPE_MTE3, PIPE_V}, {PIPE_V, PIPE_MTE3},
        {PIPE_M, PIPE_V},       {PIPE_V, PIPE_M},       {PIPE_V, PIPE_V},    {PIPE_MTE3, PIPE_MTE1},
        {PIPE_MTE1, PIPE_MTE3}, {PIPE_MTE1, PIPE_V},    {PIPE_MTE2, PIPE_M}, {PIPE_M, PIPE_MTE2},
        {PIPE_V, PIPE_MTE1},    {PIPE_M, PIPE_FIX},     {PIPE_FIX, PIPE_M},  {PIPE_MTE3, PIPE_MTE2},
        {PIPE_MTE2, PIPE_MTE3}, {PIPE_S, PIPE_V},       {PIPE_V, PIPE_S},    {PIPE_S, PIPE_MTE2},
        {PIPE_MTE2, PIPE_S},    {PIPE_S, PIPE_MTE3},    {PIPE_MTE3, PIPE_S}};
    return kPipes[static_cast<int>(event)];
}

}  // namespace detail

/// Sets flag `eventID` (0..7) from one pipe to another.
template <HardEvent event>
inline void SetFlag(std::int32_t eventID, CallSite site = CallSite::here()) {
    constexpr detail::Pipes kPipes = detail::pipes_of(event);
    asc_sync_notify(kPipes.from, kPipes.to, eventID, site);
}
/// Ends the kernel where nobody has set the flag (deadlock).
template <HardEvent event>
inline void WaitFlag(std::int32_t eventID, CallSite site = CallSite::here()) {
    constexpr detail::Pipes kPipes = detail::pipes_of(event);
    asc_sync_wait(kPipes.from, kPipes.to, eventID, site);
}
template <pipe_t pipe>
inline void PipeBarrier(CallSite site = CallSite::here()) {
    ::vcore::kernels::pipe_barrier(site);
}
template <mem_dsb_t>
inline void DataSyncBarrier() {}
enum class MemDsbT { ALL, DDR, UB, SEQ };
template <MemDsbT>
inline void DataSyncBarrier() {}

/// The state that tensor ops find: no element masked, results written rather than added. It is never anything else
/// here.
inline void SetMaskNorm() {}
inline void ResetMask() {}
inline void SetAtomicNone() {}
template <typename... Types>
inline void SetMaskCount() {
    static_assert(::vcore::kernels::kNever<Types...>, "not modelled: SetMaskCount");
}
template <typename T>
inline void SetAtomicAdd() {
    static_assert(::vcore::kernels::kNever<T>, "not modelled: SetAtomicAdd");
}
/// Blocks run one after another, so none can wait for a later one.
template <bool isAIVOnly = true, typename... Arguments>
inline void SyncAll(Arguments&&...) {
    static_assert(::vcore::kernels::kNever<Arguments...>, "not modelled: SyncAll");
}

inline std::int64_t GetBlockIdx() {
    return ::vcore::kernels::block_index();
}
inline std::int64_t GetBlockNum() {
    return ::vcore::kernels::block_count();
}
inline std::int64_t GetSubBlockIdx() {
    return 0;
}
inline std::int64_t GetSubBlockNum() {
    return 1;
}
inline std::int64_t GetTaskRation() {
    return 1;
}
inline std::int64_t GetTaskRatio() {
    return 1;
}
/// Cycles of the core since it was reset.
inline std::int64_t GetSystemCycle() {
    return static_cast<std::int64_t>(::vcore::kernels::cycles());
}
/// Brings registers into their initial state: they are.
inline void InitSocState() {}
/// Bytes of a vector register.
constexpr std::uint32_t GetVecLen() {
    return ::vcore::isa::kVectorBytes;
}
template <typename A, typename B>
constexpr auto CeilDivision(A a, B b) {
    return b == 0 ? decltype(a + b)(a) : (a + b - 1) / b;
}
template <typename A, typename B>
constexpr auto CeilDiv(A a, B b) {
    return CeilDivision(a, b);
}
/// Bytes of a vector register, as a constant.
constexpr std::uint32_t VECTOR_REG_WIDTH = ::vcore::isa::kVectorBytes;
inline float ToFloat(const bfloat16_t& value) {
    return value;
}
inline bfloat16_t ToBfloat16(const float& value) {
    return bfloat16_t(value);
}
template <typename A, typename B>
constexpr auto AlignUp(A a, B b) {
    return CeilDivision(a, b) * b;
}

/// As printf, from a kernel.
template <typename... Arguments>
inline void PRINTF(const char* format, Arguments... arguments) {
    if constexpr (sizeof...(Arguments) == 0) {
        std::fputs(format, stdout);
    } else {
        std::printf(format, arguments...);
    }
}
using std::printf;

template <typename A, typename B>
constexpr auto Ceil(A a, B b) {
    return CeilDivision(a, b);
}

}  // namespace AscendC

/// Ends the kernel where the condition does not hold.
#define ASCENDC_ASSERT_TEXT(text) #text
#define ASSERT(condition, ...)                                                                                  \
    ((condition)                                                                                                \
         ? static_cast<void>(0)                                                                                 \
         : ::vcore::kernels::fail(::vcore::kernels::CallSite::here(), ::vcore::isa::DiagnosticId::bad_argument, \
                                  "the assertion " ASCENDC_ASSERT_TEXT(condition) " does not hold"))
#define ascendc_assert(condition, ...) ASSERT(condition)
#define ASCENDC_ASSERT(condition, ...) ASSERT(condition)
