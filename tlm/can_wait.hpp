// Whether the calling code may wait: it runs in a thread process of a running simulation.
#pragma once

#include <systemc>

namespace vcore::transport {

inline bool can_wait() {
    if (!sc_core::sc_is_running()) return false;
    const sc_core::sc_process_handle process = sc_core::sc_get_current_process_handle();
    if (!process.valid()) return false;
    return process.proc_kind() == sc_core::SC_THREAD_PROC_ || process.proc_kind() == sc_core::SC_CTHREAD_PROC_;
}

}  // namespace vcore::transport
