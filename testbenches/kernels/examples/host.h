// What the host parts of the examples share: device memory with a life of its own, and a comparison that says where.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "acl/acl.h"

#define CHECK_ACL(call)                                                                         \
    do {                                                                                        \
        const aclError status = (call);                                                         \
        if (status != ACL_SUCCESS) {                                                            \
            std::fprintf(stderr, "%s:%d: %s returned %d\n", __FILE__, __LINE__, #call, status); \
            std::exit(1);                                                                       \
        }                                                                                       \
    } while (false)

/// A copy of host data on the device.
class DeviceBuffer {
public:
    explicit DeviceBuffer(std::size_t bytes) : bytes_(bytes) {
        CHECK_ACL(aclrtMalloc(&memory_, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    }
    template <typename T>
    explicit DeviceBuffer(const std::vector<T>& host) : DeviceBuffer(host.size() * sizeof(T)) {
        CHECK_ACL(aclrtMemcpy(memory_, bytes_, host.data(), bytes_, ACL_MEMCPY_HOST_TO_DEVICE));
    }
    ~DeviceBuffer() { aclrtFree(memory_); }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;

    template <typename T>
    T* as() const {
        return static_cast<T*>(memory_);
    }
    template <typename T>
    std::vector<T> read() const {
        std::vector<T> host(bytes_ / sizeof(T));
        CHECK_ACL(aclrtMemcpy(host.data(), bytes_, memory_, bytes_, ACL_MEMCPY_DEVICE_TO_HOST));
        return host;
    }

private:
    void* memory_ = nullptr;
    std::size_t bytes_ = 0;
};

/// The device for the length of main.
class Device {
public:
    Device() {
        CHECK_ACL(aclInit(nullptr));
        CHECK_ACL(aclrtSetDevice(0));
        CHECK_ACL(aclrtCreateStream(&stream));
    }
    ~Device() {
        aclrtDestroyStream(stream);
        aclrtResetDevice(0);
        aclFinalize();
    }
    aclrtStream stream = nullptr;
};

/// 0 where the elements are the same, bit by bit; else 1, and the first difference is printed.
template <typename T>
int compare(const std::vector<T>& found, const std::vector<T>& expected) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
        if (std::memcmp(&found[i], &expected[i], sizeof(T)) == 0) continue;
        std::printf("element %zu differs: found %g, expected %g\n", i, static_cast<double>(found[i]),
                    static_cast<double>(expected[i]));
        return 1;
    }
    std::printf("%zu elements are as expected\n", expected.size());
    return 0;
}
