#include "acl/acl.h"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <set>
#include <string>

#include "models/isa/scalar.hpp"
#include "testbenches/kernels/runtime/device_memory.hpp"
#include "testbenches/kernels/runtime/runtime.hpp"

namespace vcore::kernels {
namespace {

using Range = DeviceMemory::Range;
using Kind = DeviceMemory::Kind;

/// What a host program has set up.
struct Host {
    bool initialised = false;
    bool device_set = false;
    std::string message;
    bool has_message = false;
    std::uintptr_t next = 1;  // handle
    std::set<std::uintptr_t> contexts;
    std::set<std::uintptr_t> streams;
    struct Event {
        bool recorded = false;
        std::uint64_t cycle = 0;
    };
    std::map<std::uintptr_t, Event> events;
    std::uintptr_t context = 0;
};

Host& host() {
    static Host& state = *new Host();
    return state;
}

std::uintptr_t number(const void* handle) {
    return reinterpret_cast<std::uintptr_t>(handle);
}
/// Handles are numbers that nobody can take for memory.
void* make_handle() {
    return reinterpret_cast<void*>(host().next++);
}

aclError error(aclError code, std::string message) {
    host().message = std::move(message);
    host().has_message = true;
    return code;
}

aclError null_argument(const char* function, const char* argument) {
    return error(ACL_ERROR_INVALID_PARAM, fmt::format("{}: {} is null", function, argument));
}

aclError check_device(const char* function) {
    if (host().device_set) return ACL_SUCCESS;
    return error(ACL_ERROR_RT_CONTEXT_NULL, fmt::format("{}: no device is set, call aclrtSetDevice before", function));
}

aclError check_device_id(const char* function, int32_t id) {
    if (id == 0) return ACL_SUCCESS;
    return error(ACL_ERROR_RT_INVALID_DEVICEID, fmt::format("{}: there is no device {}, only 0", function, id));
}

/// Null stands for the default stream.
aclError check_stream(const char* function, aclrtStream stream) {
    if (stream == nullptr || host().streams.count(number(stream)) != 0) return ACL_SUCCESS;
    return error(ACL_ERROR_RT_PARAM_INVALID, fmt::format("{}: there is no such stream", function));
}

/// Whether [pointer, pointer + bytes) can be memory of the device (or of the host).
aclError check_memory(const char* function, const char* argument, const void* pointer, std::size_t bytes, bool device) {
    const Range range = DeviceMemory::get().find(pointer, bytes);
    const bool is_device = range.state != Range::State::unknown && range.kind == Kind::device;
    if (is_device != device) {
        return error(ACL_ERROR_RT_PARAM_INVALID,
                     fmt::format("{}: {} is no memory of the {}", function, argument, device ? "device" : "host"));
    }
    switch (range.state) {
        case Range::State::unknown:
        case Range::State::inside: return ACL_SUCCESS;
        case Range::State::freed:
            return error(ACL_ERROR_RT_PARAM_INVALID, fmt::format("{}: {} has been freed", function, argument));
        case Range::State::outside: break;
    }
    return error(ACL_ERROR_RT_PARAM_INVALID,
                 fmt::format("{}: {} bytes from byte {} of {} leave the allocation of {} bytes", function, bytes,
                             range.offset, argument, range.bytes));
}

aclError copy(const char* function, void* dst, std::size_t room, const void* src, std::size_t count,
              aclrtMemcpyKind kind) {
    if (dst == nullptr) return null_argument(function, "dst");
    if (src == nullptr) return null_argument(function, "src");
    if (count > room) {
        return error(ACL_ERROR_INVALID_PARAM,
                     fmt::format("{}: {} bytes into a destination of {} bytes", function, count, room));
    }
    const auto on_device = [](const void* pointer) {
        const Range range = DeviceMemory::get().find(pointer, 0);
        return range.state != Range::State::unknown && range.kind == Kind::device;
    };
    bool to_device = false;
    bool from_device = false;
    switch (kind) {
        case ACL_MEMCPY_HOST_TO_HOST: break;
        case ACL_MEMCPY_HOST_TO_DEVICE: to_device = true; break;
        case ACL_MEMCPY_DEVICE_TO_HOST: from_device = true; break;
        case ACL_MEMCPY_DEVICE_TO_DEVICE: to_device = from_device = true; break;
        case ACL_MEMCPY_DEFAULT:
            to_device = on_device(dst);
            from_device = on_device(src);
            break;
        default:
            return error(ACL_ERROR_INVALID_PARAM,
                         fmt::format("{}: {} is no kind of a copy", function, static_cast<int>(kind)));
    }
    if (const aclError bad = check_memory(function, "dst", dst, count, to_device)) return bad;
    if (const aclError bad = check_memory(function, "src", src, count, from_device)) return bad;
    std::memmove(dst, src, count);
    return ACL_SUCCESS;
}

aclError fill(const char* function, void* pointer, std::size_t room, std::int32_t value, std::size_t count) {
    if (pointer == nullptr) return null_argument(function, "devPtr");
    if (count > room) {
        return error(ACL_ERROR_INVALID_PARAM,
                     fmt::format("{}: {} bytes into memory of {} bytes", function, count, room));
    }
    if (const aclError bad = check_memory(function, "devPtr", pointer, count, true)) return bad;
    std::memset(pointer, value, count);
    return ACL_SUCCESS;
}

aclError allocate(const char* function, void** pointer, std::size_t size, Kind kind) {
    if (pointer == nullptr) return null_argument(function, "the pointer to the pointer");
    if (size == 0) return error(ACL_ERROR_INVALID_PARAM, fmt::format("{}: 0 bytes", function));
    if (const aclError bad = check_device(function)) return bad;
    *pointer = DeviceMemory::get().allocate(size, kind);
    if (*pointer != nullptr) return ACL_SUCCESS;
    return error(ACL_ERROR_RT_MEMORY_ALLOCATION, fmt::format("{}: no room for {} bytes", function, size));
}

aclError release(const char* function, void* pointer, Kind kind, const char* giver) {
    if (pointer == nullptr) return null_argument(function, "the pointer");
    switch (DeviceMemory::get().free(pointer, kind)) {
        case DeviceMemory::Freed::yes: return ACL_SUCCESS;
        case DeviceMemory::Freed::twice:
            return error(ACL_ERROR_RT_PARAM_INVALID, fmt::format("{}: the memory has been freed already", function));
        case DeviceMemory::Freed::not_ours: break;
    }
    return error(ACL_ERROR_RT_PARAM_INVALID, fmt::format("{}: the pointer does not come from {}", function, giver));
}

Host::Event* event_of(aclrtEvent event) {
    const auto found = host().events.find(number(event));
    return found == host().events.end() ? nullptr : &found->second;
}

aclError no_event(const char* function) {
    return error(ACL_ERROR_RT_PARAM_INVALID, fmt::format("{}: there is no such event", function));
}

}  // namespace
}  // namespace vcore::kernels

using namespace vcore::kernels;

aclError aclInit(const char*) {
    if (host().initialised) return error(ACL_ERROR_REPEAT_INITIALIZE, "aclInit: called already");
    Runtime::get();  // arguments that make no sense end the program here
    host().initialised = true;
    return ACL_SUCCESS;
}

aclError aclFinalize() {
    if (!host().initialised) return error(ACL_ERROR_UNINITIALIZE, "aclFinalize: aclInit was not called");
    host().initialised = false;
    return ACL_SUCCESS;
}

const char* aclGetRecentErrMsg() {
    return host().has_message ? host().message.c_str() : nullptr;
}

const char* aclrtGetSocName() {
    static const std::map<std::string, const char*> kNames{
        {"ascend950", "Ascend950PR"},
        {"atlas-a3", "Ascend910_9391"},
        {"atlas-a2", "Ascend910B1"},
        {"atlas-200i-500-a2", "Ascend310B1"},
        {"atlas-training", "Ascend910A"},
        {"atlas-inference-aicore", "Ascend310P3"},
        {"atlas-inference-vectorcore", "Ascend310P3"},
    };
    const auto found = kNames.find(Runtime::get().configuration().product);
    return found == kNames.end() ? nullptr : found->second;
}

// ---- devices, contexts, streams

aclError aclrtSetDevice(int32_t deviceId) {
    if (const aclError bad = check_device_id("aclrtSetDevice", deviceId)) return bad;
    host().device_set = true;
    return ACL_SUCCESS;
}

aclError aclrtResetDevice(int32_t deviceId) {
    if (const aclError bad = check_device_id("aclrtResetDevice", deviceId)) return bad;
    host().device_set = false;
    return ACL_SUCCESS;
}

aclError aclrtGetDevice(int32_t* deviceId) {
    if (deviceId == nullptr) return null_argument("aclrtGetDevice", "deviceId");
    if (const aclError bad = check_device("aclrtGetDevice")) return bad;
    *deviceId = 0;
    return ACL_SUCCESS;
}

aclError aclrtGetDeviceCount(uint32_t* count) {
    if (count == nullptr) return null_argument("aclrtGetDeviceCount", "count");
    *count = 1;
    return ACL_SUCCESS;
}

aclError aclrtGetRunMode(aclrtRunMode* runMode) {
    if (runMode == nullptr) return null_argument("aclrtGetRunMode", "runMode");
    *runMode = ACL_HOST;
    return ACL_SUCCESS;
}

aclError aclrtSynchronizeDevice() {
    return check_device("aclrtSynchronizeDevice");
}

aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId) {
    if (context == nullptr) return null_argument("aclrtCreateContext", "context");
    if (const aclError bad = check_device_id("aclrtCreateContext", deviceId)) return bad;
    *context = make_handle();
    host().contexts.insert(number(*context));
    host().context = number(*context);
    host().device_set = true;
    return ACL_SUCCESS;
}

aclError aclrtDestroyContext(aclrtContext context) {
    if (host().contexts.erase(number(context)) == 0) {
        return error(ACL_ERROR_RT_PARAM_INVALID, "aclrtDestroyContext: there is no such context");
    }
    if (host().context == number(context)) host().context = 0;
    return ACL_SUCCESS;
}

aclError aclrtSetCurrentContext(aclrtContext context) {
    if (host().contexts.count(number(context)) == 0) {
        return error(ACL_ERROR_RT_PARAM_INVALID, "aclrtSetCurrentContext: there is no such context");
    }
    host().context = number(context);
    host().device_set = true;
    return ACL_SUCCESS;
}

aclError aclrtGetCurrentContext(aclrtContext* context) {
    if (context == nullptr) return null_argument("aclrtGetCurrentContext", "context");
    if (host().context == 0) return error(ACL_ERROR_RT_CONTEXT_NULL, "aclrtGetCurrentContext: no context is set");
    *context = reinterpret_cast<void*>(host().context);
    return ACL_SUCCESS;
}

aclError aclrtCreateStream(aclrtStream* stream) {
    if (stream == nullptr) return null_argument("aclrtCreateStream", "stream");
    if (const aclError bad = check_device("aclrtCreateStream")) return bad;
    *stream = make_handle();
    host().streams.insert(number(*stream));
    return ACL_SUCCESS;
}

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t, uint32_t) {
    return aclrtCreateStream(stream);
}

aclError aclrtDestroyStream(aclrtStream stream) {
    if (host().streams.erase(number(stream)) != 0) return ACL_SUCCESS;
    return error(ACL_ERROR_RT_PARAM_INVALID, "aclrtDestroyStream: there is no such stream");
}

aclError aclrtDestroyStreamForce(aclrtStream stream) {
    return aclrtDestroyStream(stream);
}

aclError aclrtSynchronizeStream(aclrtStream stream) {
    return check_stream("aclrtSynchronizeStream", stream);
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t) {
    return check_stream("aclrtSynchronizeStreamWithTimeout", stream);
}

// ---- memory

aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy) {
    return allocate("aclrtMalloc", devPtr, size, Kind::device);
}

aclError aclrtFree(void* devPtr) {
    return release("aclrtFree", devPtr, Kind::device, "aclrtMalloc");
}

aclError aclrtMallocHost(void** hostPtr, size_t size) {
    return allocate("aclrtMallocHost", hostPtr, size, Kind::host);
}

aclError aclrtFreeHost(void* hostPtr) {
    return release("aclrtFreeHost", hostPtr, Kind::host, "aclrtMallocHost");
}

aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind) {
    return copy("aclrtMemcpy", dst, destMax, src, count, kind);
}

aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream) {
    if (const aclError bad = check_stream("aclrtMemcpyAsync", stream)) return bad;
    return copy("aclrtMemcpyAsync", dst, destMax, src, count, kind);
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
    return fill("aclrtMemset", devPtr, maxCount, value, count);
}

aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream) {
    if (const aclError bad = check_stream("aclrtMemsetAsync", stream)) return bad;
    return fill("aclrtMemsetAsync", devPtr, maxCount, value, count);
}

// ---- events

aclError aclrtCreateEvent(aclrtEvent* event) {
    if (event == nullptr) return null_argument("aclrtCreateEvent", "event");
    *event = make_handle();
    host().events[number(*event)] = {};
    return ACL_SUCCESS;
}

aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t) {
    return aclrtCreateEvent(event);
}

aclError aclrtDestroyEvent(aclrtEvent event) {
    return host().events.erase(number(event)) != 0 ? ACL_SUCCESS : no_event("aclrtDestroyEvent");
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
    Host::Event* const known = event_of(event);
    if (known == nullptr) return no_event("aclrtRecordEvent");
    if (const aclError bad = check_stream("aclrtRecordEvent", stream)) return bad;
    known->recorded = true;
    known->cycle = Runtime::get().machine().statistics().last_completion.count();
    return ACL_SUCCESS;
}

aclError aclrtSynchronizeEvent(aclrtEvent event) {
    return event_of(event) != nullptr ? ACL_SUCCESS : no_event("aclrtSynchronizeEvent");
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
    if (const aclError bad = check_stream("aclrtStreamWaitEvent", stream)) return bad;
    return event_of(event) != nullptr ? ACL_SUCCESS : no_event("aclrtStreamWaitEvent");
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status) {
    if (status == nullptr) return null_argument("aclrtQueryEventStatus", "status");
    const Host::Event* const known = event_of(event);
    if (known == nullptr) return no_event("aclrtQueryEventStatus");
    *status = known->recorded ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    return ACL_SUCCESS;
}

aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent) {
    if (ms == nullptr) return null_argument("aclrtEventElapsedTime", "ms");
    const Host::Event* const start = event_of(startEvent);
    const Host::Event* const end = event_of(endEvent);
    if (start == nullptr || end == nullptr) return no_event("aclrtEventElapsedTime");
    if (!start->recorded || !end->recorded) {
        return error(ACL_ERROR_RT_PARAM_INVALID, "aclrtEventElapsedTime: an event has not been recorded");
    }
    const double cycles = static_cast<double>(end->cycle) - static_cast<double>(start->cycle);
    constexpr double kKilohertz = 1000.0;
    *ms = static_cast<float>(cycles / (Runtime::get().configuration().clock_mhz * kKilohertz));
    return ACL_SUCCESS;
}

// ---- elements

size_t aclDataTypeSize(aclDataType dataType) {
    switch (dataType) {
        case ACL_INT8:
        case ACL_UINT8:
        case ACL_BOOL: return 1;
        case ACL_FLOAT16:
        case ACL_BF16:
        case ACL_INT16:
        case ACL_UINT16: return 2;
        case ACL_FLOAT:
        case ACL_INT32:
        case ACL_UINT32: return 4;
        case ACL_INT64:
        case ACL_UINT64:
        case ACL_DOUBLE: return 8;
        case ACL_STRING:
        case ACL_DT_UNDEFINED: break;
    }
    return 0;
}

float aclFloat16ToFloat(aclFloat16 value) {
    return static_cast<float>(vcore::isa::half_to_double(value));
}

aclFloat16 aclFloatToFloat16(float value) {
    return vcore::isa::half_from_double(value);
}
