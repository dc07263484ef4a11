#include "tlm/base_protocol_rules.hpp"

#include <sstream>
#include <utility>

namespace vcore::transport {

using sc_core::sc_time;
using tlm::tlm_generic_payload;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

const std::array<ProtocolRuleInfo, kProtocolRules>& protocol_rules() {
    using R = ProtocolRule;
    static const std::array<ProtocolRuleInfo, kProtocolRules> table = {{
        {R::command, "command", "14.9", "the command is read, write or ignore"},
        {R::data_pointer, "data-pointer", "14.11", "a read or write has a data array"},
        {R::data_length, "data-length", "14.12", "a read or write has at least one byte"},
        {R::byte_enable_value, "byte-enable-value", "14.13", "a byte enable is 0x00 or 0xFF"},
        {R::byte_enable_length, "byte-enable-length", "14.14", "a byte enable array has at least one element"},
        {R::streaming_width, "streaming-width", "14.15", "the streaming width is greater than 0"},
        {R::request_status, "request-status", "14.17", "the initiator sets TLM_INCOMPLETE_RESPONSE before it sends"},
        {R::request_dmi_hint, "request-dmi-hint", "14.16", "the initiator clears the DMI hint before it sends"},
        {R::response_status, "response-status", "14.17", "the target sets a response status before it answers"},
        {R::attributes, "attributes", "14.7", "only the address may change while a transaction is under way"},
        {R::write_data, "write-data", "14.11", "nobody changes the data of a write on its way"},
        {R::byte_enables, "byte-enables", "14.13", "nobody changes byte enables on their way"},
        {R::status_after_response, "status-after-response", "14.17", "the status does not change after the response"},
        {R::memory_manager, "memory-manager", "14.5", "a payload of non-blocking transport has a memory manager"},
        {R::reference_count, "reference-count", "14.5", "a payload of non-blocking transport is held by its initiator"},
        {R::uninitialized_phase, "uninitialized-phase", "15.1", "a call has a phase"},
        {R::path, "path", "15.2.3", "BEGIN_REQ and END_RESP go forward, END_REQ and BEGIN_RESP backward"},
        {R::request_exclusion, "request-exclusion", "15.2.6", "a request begins when the one before it has ended"},
        {R::response_exclusion, "response-exclusion", "15.2.6", "a response begins when the one before it has ended"},
        {R::phase_order, "phase-order", "15.2.4", "phases come in order, each once"},
        {R::unknown_transaction, "unknown-transaction", "15.2.3", "a phase belongs to a transaction that is under way"},
        {R::reuse, "reuse", "14.5", "a payload is used again when its transaction has ended"},
        {R::accepted, "accepted", "11.1.2", "TLM_ACCEPTED leaves phase and delay as they were"},
        {R::updated, "updated", "15.2.4", "TLM_UPDATED comes with the phase that follows"},
        {R::completed, "completed", "15.2.4", "TLM_COMPLETED answers BEGIN_REQ, BEGIN_RESP or END_RESP"},
        {R::blocking_while_pending, "blocking-while-pending", "15.2.10",
         "a payload is in blocking or in non-blocking transport, not in both"},
        {R::blocking_time, "blocking-time", "11.1.3", "b_transport does not take time back"},
        {R::phase_time, "phase-time", "15.2.7", "the phases of a transaction do not go back in time"},
        {R::nonblocking_wait, "nonblocking-wait", "11.1.2", "nb_transport does not wait"},
        {R::dmi_range, "dmi-range", "11.2", "a DMI answer covers the address that was asked for"},
        {R::dmi_bounds, "dmi-bounds", "11.2", "a DMI range does not end before it starts"},
        {R::dmi_pointer, "dmi-pointer", "11.2", "a granted DMI has a pointer"},
        {R::dmi_access, "dmi-access", "11.2", "a granted DMI allows the access that was asked for"},
        {R::dmi_invalidate, "dmi-invalidate", "11.2", "an invalidated range does not end before it starts"},
        {R::dmi_wait, "dmi-wait", "11.2", "get_direct_mem_ptr does not wait"},
        {R::debug_bytes, "debug-bytes", "11.3", "transport_dbg moves no more bytes than it was asked to"},
        {R::debug_attributes, "debug-attributes", "11.3", "transport_dbg leaves the payload's attributes alone"},
        {R::debug_wait, "debug-wait", "11.3", "transport_dbg does not wait"},
    }};
    return table;
}

const ProtocolRuleInfo& info(ProtocolRule rule) {
    return protocol_rules()[static_cast<std::size_t>(rule)];
}

namespace {

/// FNV-1a: enough to notice a change.
std::uint64_t sum(const unsigned char* bytes, std::size_t count) {
    std::uint64_t hash = 0xCBF29CE484222325;
    for (std::size_t i = 0; i < count; ++i) hash = (hash ^ bytes[i]) * 0x100000001B3;
    return hash;
}

bool moves_bytes(const tlm_generic_payload& payload) {
    return payload.is_read() || payload.is_write();
}

BaseProtocolRules::Snapshot snapshot_of(const tlm_generic_payload& payload) {
    BaseProtocolRules::Snapshot snapshot;
    snapshot.command = payload.get_command();
    snapshot.data = payload.get_data_ptr();
    snapshot.length = payload.get_data_length();
    snapshot.enables = payload.get_byte_enable_ptr();
    snapshot.enable_length = payload.get_byte_enable_length();
    snapshot.width = payload.get_streaming_width();
    if (payload.is_write() && snapshot.data != nullptr) snapshot.data_sum = sum(snapshot.data, snapshot.length);
    if (snapshot.enables != nullptr) snapshot.enable_sum = sum(snapshot.enables, snapshot.enable_length);
    return snapshot;
}

std::string text_of(const tlm_generic_payload& payload) {
    std::ostringstream text;
    text << (payload.is_read()    ? "read"
             : payload.is_write() ? "write"
                                  : "command " + std::to_string(payload.get_command()))
         << " of " << payload.get_data_length() << " bytes at 0x" << std::hex << payload.get_address();
    return text.str();
}

std::string name_of(const tlm_phase& phase) {
    return phase.get_name();
}

}  // namespace

// ---- what every call is checked for

void BaseProtocolRules::report(ProtocolRule rule, const tlm_generic_payload* payload, const std::string& found) {
    ++broken_[static_cast<std::size_t>(rule)];
    const ProtocolRuleInfo& what = info(rule);
    std::ostringstream text;
    text << name_ << ": " << found << "; " << what.meaning << " (IEEE 1666-2011, " << what.section << ")";
    if (payload != nullptr) text << "; " << text_of(*payload);
    text << "; at " << sc_core::sc_time_stamp();
    const std::string id = std::string("/vcore/tlm/base_protocol/") + what.id;
    SC_REPORT_ERROR(id.c_str(), text.str().c_str());
}

void BaseProtocolRules::check_request(const tlm_generic_payload& payload) {
    using R = ProtocolRule;
    const auto command = payload.get_command();
    if (command != tlm::TLM_READ_COMMAND && command != tlm::TLM_WRITE_COMMAND && command != tlm::TLM_IGNORE_COMMAND) {
        report(R::command, &payload, "the initiator sent command " + std::to_string(command));
    }
    if (moves_bytes(payload)) {
        if (payload.get_data_ptr() == nullptr)
            report(R::data_pointer, &payload, "the initiator sent a null data pointer");
        if (payload.get_data_length() == 0) report(R::data_length, &payload, "the initiator sent data length 0");
        if (payload.get_streaming_width() == 0) {
            report(R::streaming_width, &payload, "the initiator sent streaming width 0");
        }
        if (payload.get_byte_enable_ptr() != nullptr) {
            if (payload.get_byte_enable_length() == 0) {
                report(R::byte_enable_length, &payload, "the initiator sent byte enables of length 0");
            }
            for (unsigned i = 0; i < payload.get_byte_enable_length(); ++i) {
                const unsigned enable = payload.get_byte_enable_ptr()[i];
                if (enable == TLM_BYTE_DISABLED || enable == TLM_BYTE_ENABLED) continue;
                report(R::byte_enable_value, &payload,
                       "byte enable " + std::to_string(i) + " of the initiator is " + std::to_string(enable));
                break;
            }
        }
    }
    if (payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE) {
        report(R::request_status, &payload, "the initiator sent status " + payload.get_response_string());
    }
    if (payload.is_dmi_allowed()) report(R::request_dmi_hint, &payload, "the initiator sent a set DMI hint");
}

void BaseProtocolRules::check_unchanged(const Snapshot& before, const tlm_generic_payload& payload) {
    const bool same = before.command == payload.get_command() && before.data == payload.get_data_ptr() &&
                      before.length == payload.get_data_length() && before.enables == payload.get_byte_enable_ptr() &&
                      before.enable_length == payload.get_byte_enable_length() &&
                      before.width == payload.get_streaming_width();
    if (!same) {
        report(ProtocolRule::attributes, &payload, "an attribute of the payload was changed on its way");
        return;  // its arrays cannot be compared
    }
    if (payload.is_write() && before.data != nullptr && before.data_sum != sum(before.data, before.length)) {
        report(ProtocolRule::write_data, &payload, "the data of a write was changed on its way");
    }
    if (before.enables != nullptr && before.enable_sum != sum(before.enables, before.enable_length)) {
        report(ProtocolRule::byte_enables, &payload, "byte enables were changed on their way");
    }
}

void BaseProtocolRules::check_response(const Snapshot& before, const tlm_generic_payload& payload) {
    check_unchanged(before, payload);
    if (payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE) {
        report(ProtocolRule::response_status, &payload, "the target answered with TLM_INCOMPLETE_RESPONSE");
    }
}

void BaseProtocolRules::check_held(const tlm_generic_payload& payload) {
    if (!payload.has_mm()) {
        report(ProtocolRule::memory_manager, &payload, "a payload without a memory manager came by nb_transport");
    } else if (payload.get_ref_count() < 1) {
        report(ProtocolRule::reference_count, &payload, "a payload that nobody holds came by nb_transport");
    }
}

void BaseProtocolRules::check_time(Transaction& transaction, const tlm_generic_payload& payload, const sc_time& delay) {
    const sc_time effective = sc_core::sc_time_stamp() + delay;
    if (effective < transaction.last) {
        report(ProtocolRule::phase_time, &payload,
               "a phase at " + effective.to_string() + " follows one at " + transaction.last.to_string());
    }
    transaction.last = std::max(transaction.last, effective);
}

void BaseProtocolRules::check_no_wait(const Call& call, const tlm_generic_payload& payload, ProtocolRule rule) {
    if (sc_core::sc_time_stamp() != call.now) {
        report(rule, &payload, "time went on during a call that began at " + call.now.to_string());
    }
}

BaseProtocolRules::Transaction* BaseProtocolRules::find(const tlm_generic_payload& payload, const char* phase) {
    const auto found = transactions_.find(&payload);
    if (found != transactions_.end()) return &found->second;
    report(ProtocolRule::unknown_transaction, &payload,
           std::string(phase) + " came for a transaction that is not under way");
    return nullptr;
}

BaseProtocolRules::Transaction* BaseProtocolRules::find(const tlm_generic_payload& payload, std::uint64_t serial) {
    const auto found = transactions_.find(&payload);
    return found != transactions_.end() && found->second.serial == serial ? &found->second : nullptr;
}

// ---- blocking transport

BaseProtocolRules::Call BaseProtocolRules::before_blocking(const tlm_generic_payload& payload, const sc_time& delay) {
    if (transactions_.count(&payload) != 0) {
        report(ProtocolRule::blocking_while_pending, &payload,
               "b_transport was called with a payload whose four phases have not ended");
    }
    check_request(payload);
    return {snapshot_of(payload), tlm_phase(), delay, sc_core::sc_time_stamp(), 0};
}

void BaseProtocolRules::after_blocking(const Call& call, const tlm_generic_payload& payload, const sc_time& delay) {
    check_response(call.before, payload);
    const sc_time called = call.now + call.delay;
    const sc_time returned = sc_core::sc_time_stamp() + delay;
    if (returned < called) {
        report(ProtocolRule::blocking_time, &payload,
               "b_transport was called for " + called.to_string() + " and returned " + returned.to_string());
    }
}

// ---- the phases

void BaseProtocolRules::begin_request(Call& call, const tlm_generic_payload& payload) {
    if (transactions_.count(&payload) != 0) {
        report(ProtocolRule::reuse, &payload, "BEGIN_REQ came with a payload whose transaction has not ended");
        return;
    }
    if (requesting_ != nullptr) {
        report(ProtocolRule::request_exclusion, &payload, "BEGIN_REQ came before the request before it had ended");
    }
    check_request(payload);
    Transaction& transaction = transactions_[&payload];
    transaction.serial = call.serial = ++serials_;
    transaction.request = call.before;
    transaction.last = call.now + call.delay;
    requesting_ = &payload;
}

void BaseProtocolRules::end_request(Transaction& transaction, const tlm_generic_payload& payload) {
    if (transaction.state != State::requesting) {
        report(ProtocolRule::phase_order, &payload, "END_REQ came after the request had ended");
        return;
    }
    transaction.state = State::requested;
    if (requesting_ == &payload) requesting_ = nullptr;
}

void BaseProtocolRules::begin_response(Transaction& transaction, const tlm_generic_payload& payload) {
    if (transaction.state == State::responding) {
        report(ProtocolRule::phase_order, &payload, "BEGIN_RESP came a second time");
        return;
    }
    if (responding_ != nullptr) {
        report(ProtocolRule::response_exclusion, &payload, "BEGIN_RESP came before the response before it had ended");
    }
    check_response(transaction.request, payload);
    transaction.state = State::responding;
    transaction.status = payload.get_response_status();
    if (requesting_ == &payload) requesting_ = nullptr;
    responding_ = &payload;
}

void BaseProtocolRules::end_response(const tlm_generic_payload& payload) {
    const auto found = transactions_.find(&payload);
    if (found == transactions_.end()) return;
    if (found->second.state != State::responding) {
        report(ProtocolRule::phase_order, &payload, "END_RESP came before BEGIN_RESP");
        return;
    }
    if (found->second.status != payload.get_response_status()) {
        report(ProtocolRule::status_after_response, &payload, "the status became " + payload.get_response_string());
    }
    finish(payload);
}

void BaseProtocolRules::finish(const tlm_generic_payload& payload) {
    if (requesting_ == &payload) requesting_ = nullptr;
    if (responding_ == &payload) responding_ = nullptr;
    transactions_.erase(&payload);
}

void BaseProtocolRules::accepted_unchanged(const Call& call, const tlm_generic_payload& payload, const tlm_phase& phase,
                                           const sc_time& delay) {
    if (phase == call.phase && delay == call.delay) return;
    report(ProtocolRule::accepted, &payload,
           "TLM_ACCEPTED came back with " + name_of(phase) + " and " + delay.to_string() + " for " +
               name_of(call.phase) + " and " + call.delay.to_string());
}

BaseProtocolRules::Call BaseProtocolRules::before_forward(const tlm_generic_payload& payload, const tlm_phase& phase,
                                                          const sc_time& delay) {
    Call call{snapshot_of(payload), phase, delay, sc_core::sc_time_stamp(), 0};
    check_held(payload);
    switch (static_cast<unsigned>(phase)) {
        case tlm::UNINITIALIZED_PHASE:
            report(ProtocolRule::uninitialized_phase, &payload, "nb_transport_fw was called without a phase");
            break;
        case tlm::BEGIN_REQ: begin_request(call, payload); break;
        case tlm::END_RESP:
            if (Transaction* transaction = find(payload, "END_RESP")) {
                check_time(*transaction, payload, delay);
                end_response(payload);
            }
            break;
        case tlm::END_REQ:
        case tlm::BEGIN_RESP: report(ProtocolRule::path, &payload, name_of(phase) + " came by nb_transport_fw"); break;
        default: break;  // an ignorable phase
    }
    return call;
}

void BaseProtocolRules::after_forward(const Call& call, const tlm_generic_payload& payload, const tlm_phase& phase,
                                      const sc_time& delay, tlm_sync_enum answer) {
    check_no_wait(call, payload, ProtocolRule::nonblocking_wait);
    if (answer == tlm::TLM_ACCEPTED) accepted_unchanged(call, payload, phase, delay);
    if (call.phase != tlm::BEGIN_REQ) {
        // Nothing follows END_RESP, and an ignorable phase may be answered in any way.
        if (call.phase == tlm::END_RESP && answer == tlm::TLM_UPDATED) {
            report(ProtocolRule::updated, &payload, "END_RESP was answered with TLM_UPDATED");
        }
        return;
    }
    if (call.serial == 0 || answer == tlm::TLM_ACCEPTED) return;
    Transaction* const transaction = find(payload, call.serial);
    if (transaction == nullptr) {
        report(ProtocolRule::phase_order, &payload, "a transaction that ended during the call was answered once more");
        return;
    }
    check_time(*transaction, payload, delay);
    if (answer == tlm::TLM_COMPLETED) {
        check_response(transaction->request, payload);
        finish(payload);
    } else if (phase == tlm::END_REQ) {
        end_request(*transaction, payload);
    } else if (phase == tlm::BEGIN_RESP) {
        begin_response(*transaction, payload);
    } else {
        report(ProtocolRule::updated, &payload, "BEGIN_REQ was answered with TLM_UPDATED and " + name_of(phase));
    }
}

BaseProtocolRules::Call BaseProtocolRules::before_backward(const tlm_generic_payload& payload, const tlm_phase& phase,
                                                           const sc_time& delay) {
    Call call{snapshot_of(payload), phase, delay, sc_core::sc_time_stamp(), 0};
    check_held(payload);
    switch (static_cast<unsigned>(phase)) {
        case tlm::UNINITIALIZED_PHASE:
            report(ProtocolRule::uninitialized_phase, &payload, "nb_transport_bw was called without a phase");
            break;
        case tlm::END_REQ:
        case tlm::BEGIN_RESP:
            if (Transaction* transaction = find(payload, phase == tlm::END_REQ ? "END_REQ" : "BEGIN_RESP")) {
                call.serial = transaction->serial;
                check_time(*transaction, payload, delay);
                phase == tlm::END_REQ ? end_request(*transaction, payload) : begin_response(*transaction, payload);
            }
            break;
        case tlm::BEGIN_REQ:
        case tlm::END_RESP: report(ProtocolRule::path, &payload, name_of(phase) + " came by nb_transport_bw"); break;
        default: break;  // an ignorable phase
    }
    return call;
}

void BaseProtocolRules::after_backward(const Call& call, const tlm_generic_payload& payload, const tlm_phase& phase,
                                       const sc_time& delay, tlm_sync_enum answer) {
    check_no_wait(call, payload, ProtocolRule::nonblocking_wait);
    if (answer == tlm::TLM_ACCEPTED) accepted_unchanged(call, payload, phase, delay);
    if (call.phase == tlm::END_REQ && answer == tlm::TLM_COMPLETED) {
        report(ProtocolRule::completed, &payload, "END_REQ was answered with TLM_COMPLETED");
    }
    if (call.phase == tlm::END_REQ && answer == tlm::TLM_UPDATED) {
        report(ProtocolRule::updated, &payload, "END_REQ was answered with TLM_UPDATED");
    }
    if (call.phase != tlm::BEGIN_RESP || call.serial == 0 || answer == tlm::TLM_ACCEPTED) return;
    Transaction* const transaction = find(payload, call.serial);
    if (transaction == nullptr) {
        report(ProtocolRule::phase_order, &payload, "a transaction that ended during the call was answered once more");
        return;
    }
    check_time(*transaction, payload, delay);
    if (answer == tlm::TLM_COMPLETED || phase == tlm::END_RESP) {
        end_response(payload);
    } else {
        report(ProtocolRule::updated, &payload, "BEGIN_RESP was answered with TLM_UPDATED and " + name_of(phase));
    }
}

// ---- direct memory and debug

BaseProtocolRules::Call BaseProtocolRules::before_direct(const tlm_generic_payload& payload) {
    return {snapshot_of(payload), tlm_phase(), sc_core::SC_ZERO_TIME, sc_core::sc_time_stamp(), 0};
}

void BaseProtocolRules::after_direct(const Call& call, const tlm_generic_payload& payload, const tlm::tlm_dmi& dmi,
                                     bool granted) {
    using R = ProtocolRule;
    check_no_wait(call, payload, R::dmi_wait);
    if (dmi.get_start_address() > dmi.get_end_address()) {
        report(R::dmi_bounds, &payload, "the target answered with a DMI range that ends before it starts");
    } else if (payload.get_address() < dmi.get_start_address() || payload.get_address() > dmi.get_end_address()) {
        report(R::dmi_range, &payload, "the target answered with a DMI range that leaves the address out");
    }
    if (!granted) return;
    if (dmi.get_dmi_ptr() == nullptr) report(R::dmi_pointer, &payload, "the target granted DMI without a pointer");
    const bool allowed = payload.is_read() ? dmi.is_read_allowed() : !payload.is_write() || dmi.is_write_allowed();
    if (!allowed) report(R::dmi_access, &payload, "the target granted DMI for another access");
}

void BaseProtocolRules::invalidated(sc_dt::uint64 first, sc_dt::uint64 last) {
    if (first > last) {
        report(ProtocolRule::dmi_invalidate, nullptr,
               "the target invalidated from " + std::to_string(first) + " to " + std::to_string(last));
    }
}

BaseProtocolRules::Call BaseProtocolRules::before_debug(const tlm_generic_payload& payload) {
    return {snapshot_of(payload), tlm_phase(), sc_core::SC_ZERO_TIME, sc_core::sc_time_stamp(), 0};
}

void BaseProtocolRules::after_debug(const Call& call, const tlm_generic_payload& payload, unsigned bytes) {
    check_no_wait(call, payload, ProtocolRule::debug_wait);
    const bool same = call.before.command == payload.get_command() && call.before.data == payload.get_data_ptr() &&
                      call.before.length == payload.get_data_length();
    if (!same) report(ProtocolRule::debug_attributes, &payload, "transport_dbg changed an attribute of the payload");
    if (bytes > call.before.length) {
        report(ProtocolRule::debug_bytes, &payload,
               "transport_dbg returned " + std::to_string(bytes) + " bytes for " + std::to_string(call.before.length));
    }
}

}  // namespace vcore::transport
