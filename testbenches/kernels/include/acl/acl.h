// The host side of a program with kernels: devices, streams, memory, events.
//
// There is one device, number 0: the model. Its memory is memory of the process, and what runs on a stream has run when
// the call returns; kernels do so too. Names, types and error codes are those of the public interface; every function
// returns ACL_SUCCESS or a code below, and aclGetRecentErrMsg() has the sentence.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int aclError;
typedef void* aclrtContext;
typedef void* aclrtStream;
typedef void* aclrtEvent;
typedef uint16_t aclFloat16;

enum {
    ACL_SUCCESS = 0,
    ACL_ERROR_NONE = 0,
    ACL_ERROR_INVALID_PARAM = 100000,
    ACL_ERROR_UNINITIALIZE = 100001,
    ACL_ERROR_REPEAT_INITIALIZE = 100002,
    ACL_ERROR_RT_PARAM_INVALID = 107000,
    ACL_ERROR_RT_INVALID_DEVICEID = 107001,
    ACL_ERROR_RT_CONTEXT_NULL = 107002,
    ACL_ERROR_RT_STREAM_CONTEXT = 107003,
    ACL_ERROR_BAD_ALLOC = 200000,
    ACL_ERROR_API_NOT_SUPPORT = 200001,
    ACL_ERROR_RT_MEMORY_ALLOCATION = 207001,
    ACL_ERROR_FAILURE = 500001
};

typedef enum aclrtMemMallocPolicy {
    ACL_MEM_MALLOC_HUGE_FIRST,
    ACL_MEM_MALLOC_HUGE_ONLY,
    ACL_MEM_MALLOC_NORMAL_ONLY,
    ACL_MEM_MALLOC_HUGE_FIRST_P2P,
    ACL_MEM_MALLOC_HUGE_ONLY_P2P,
    ACL_MEM_MALLOC_NORMAL_ONLY_P2P
} aclrtMemMallocPolicy;

typedef enum aclrtMemcpyKind {
    ACL_MEMCPY_HOST_TO_HOST,
    ACL_MEMCPY_HOST_TO_DEVICE,
    ACL_MEMCPY_DEVICE_TO_HOST,
    ACL_MEMCPY_DEVICE_TO_DEVICE,
    ACL_MEMCPY_DEFAULT  // whatever the pointers are
} aclrtMemcpyKind;

typedef enum aclrtRunMode { ACL_DEVICE, ACL_HOST } aclrtRunMode;

typedef enum aclrtEventRecordedStatus {
    ACL_EVENT_RECORDED_STATUS_NOT_READY = 0,
    ACL_EVENT_RECORDED_STATUS_COMPLETE = 1
} aclrtEventRecordedStatus;

typedef enum {
    ACL_DT_UNDEFINED = -1,
    ACL_FLOAT = 0,
    ACL_FLOAT16 = 1,
    ACL_INT8 = 2,
    ACL_INT32 = 3,
    ACL_UINT8 = 4,
    ACL_INT16 = 6,
    ACL_UINT16 = 7,
    ACL_UINT32 = 8,
    ACL_INT64 = 9,
    ACL_UINT64 = 10,
    ACL_DOUBLE = 11,
    ACL_BOOL = 12,
    ACL_STRING = 13,
    ACL_BF16 = 27
} aclDataType;

/// Once before everything else; `configPath` may be null and is not read. Again: ACL_ERROR_REPEAT_INITIALIZE.
aclError aclInit(const char* configPath);
/// Without aclInit: ACL_ERROR_UNINITIALIZE.
aclError aclFinalize(void);
/// The latest error's sentence, or null; it stays until the next error.
const char* aclGetRecentErrMsg(void);
/// The product's name as the vendor writes it, or null.
const char* aclrtGetSocName(void);

// ---- devices, contexts, streams. Another device than 0: ACL_ERROR_RT_INVALID_DEVICEID

aclError aclrtSetDevice(int32_t deviceId);
aclError aclrtResetDevice(int32_t deviceId);
aclError aclrtGetDevice(int32_t* deviceId);  ///< none is set: ACL_ERROR_RT_CONTEXT_NULL
aclError aclrtGetDeviceCount(uint32_t* count);
aclError aclrtGetRunMode(aclrtRunMode* runMode);
aclError aclrtSynchronizeDevice(void);

aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId);
aclError aclrtDestroyContext(aclrtContext context);
aclError aclrtSetCurrentContext(aclrtContext context);
aclError aclrtGetCurrentContext(aclrtContext* context);

/// A stream that does not exist, or no more: ACL_ERROR_RT_PARAM_INVALID. Null is the default stream, where one may
/// stand.
aclError aclrtCreateStream(aclrtStream* stream);
aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag);
aclError aclrtDestroyStream(aclrtStream stream);
aclError aclrtDestroyStreamForce(aclrtStream stream);
aclError aclrtSynchronizeStream(aclrtStream stream);
aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout);

// ---- memory. Null pointers and size 0: ACL_ERROR_INVALID_PARAM

/// Uninitialised bytes on the device, aligned to 512. No room: ACL_ERROR_RT_MEMORY_ALLOCATION.
aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy policy);
/// What aclrtMalloc did not give, or has been freed: ACL_ERROR_RT_PARAM_INVALID.
aclError aclrtFree(void* devPtr);
aclError aclrtMallocHost(void** hostPtr, size_t size);
aclError aclrtFreeHost(void* hostPtr);
/// Copies `count` bytes. More than `destMax`: ACL_ERROR_INVALID_PARAM. Pointers that are not where `kind` says, or
/// bytes outside an allocation or in a freed one: ACL_ERROR_RT_PARAM_INVALID.
aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind);
aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream);
aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count);
aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream);

// ---- events, which keep the core's time

aclError aclrtCreateEvent(aclrtEvent* event);
aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag);
aclError aclrtDestroyEvent(aclrtEvent event);
aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream);
aclError aclrtSynchronizeEvent(aclrtEvent event);
aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event);
aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status);
/// Milliseconds of the model between two recorded events. One that is not recorded: ACL_ERROR_RT_PARAM_INVALID.
aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent);

// ---- elements

size_t aclDataTypeSize(aclDataType dataType);  ///< bytes, 0 where there is no such type
float aclFloat16ToFloat(aclFloat16 value);
aclFloat16 aclFloatToFloat16(float value);  ///< rounded to nearest even

#ifdef __cplusplus
}
#endif
