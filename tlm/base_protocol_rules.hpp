// The rules of the TLM-2.0 base protocol, one id each, and the bookkeeping that tells when one is broken on a socket.
//
// BaseProtocolChecker (base_protocol_checker.hpp) puts it between two sockets; it can be used without that module.
// A broken rule is an SC_ERROR with the report id "/vcore/tlm/base_protocol/<rule>"; its text names the section of
// IEEE 1666-2011, whose fault it is, the transaction and the time. Nothing is changed or held up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

#include <systemc>
#include <tlm>

namespace vcore::transport {

enum class ProtocolRule : std::uint8_t {
    // the generic payload as the initiator sends it
    command,
    data_pointer,
    data_length,
    byte_enable_value,
    byte_enable_length,
    streaming_width,
    request_status,
    request_dmi_hint,
    // what becomes of it on its way
    response_status,
    attributes,
    write_data,
    byte_enables,
    status_after_response,
    // life of a payload in non-blocking transport
    memory_manager,
    reference_count,
    // phases
    uninitialized_phase,
    path,
    request_exclusion,
    response_exclusion,
    phase_order,
    unknown_transaction,
    reuse,
    accepted,
    updated,
    completed,
    blocking_while_pending,
    // time
    blocking_time,
    phase_time,
    nonblocking_wait,
    // direct memory and debug
    dmi_range,
    dmi_bounds,
    dmi_pointer,
    dmi_access,
    dmi_invalidate,
    dmi_wait,
    debug_bytes,
    debug_attributes,
    debug_wait,
};
inline constexpr std::size_t kProtocolRules = 38;

struct ProtocolRuleInfo {
    ProtocolRule rule;
    const char* id;       ///< "request-exclusion"
    const char* section;  ///< of IEEE 1666-2011
    const char* meaning;  ///< what must hold
};
const std::array<ProtocolRuleInfo, kProtocolRules>& protocol_rules();
const ProtocolRuleInfo& info(ProtocolRule rule);

/// Watches the calls through one socket. Each call is shown before it is passed on and after it has returned.
class BaseProtocolRules {
public:
    /// `name` stands in messages: of the checker's module.
    explicit BaseProtocolRules(std::string name) : name_(std::move(name)) {}

    /// The attributes that nobody may change while a transaction is under way.
    struct Snapshot {
        tlm::tlm_command command{};
        const unsigned char* data = nullptr;
        unsigned length = 0;
        const unsigned char* enables = nullptr;
        unsigned enable_length = 0;
        unsigned width = 0;
        std::uint64_t data_sum = 0;    ///< of a write's data
        std::uint64_t enable_sum = 0;  ///< of the byte enables
    };
    /// A call on its way.
    struct Call {
        Snapshot before;
        tlm::tlm_phase phase;      ///< as the caller gave it
        sc_core::sc_time delay;    ///< as the caller gave it
        sc_core::sc_time now;      ///< simulation time of the call
        std::uint64_t serial = 0;  ///< of the transaction, 0: none that is known
    };

    Call before_blocking(const tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay);
    void after_blocking(const Call& call, const tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay);

    Call before_forward(const tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase,
                        const sc_core::sc_time& delay);
    void after_forward(const Call& call, const tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase,
                       const sc_core::sc_time& delay, tlm::tlm_sync_enum answer);
    Call before_backward(const tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase,
                         const sc_core::sc_time& delay);
    void after_backward(const Call& call, const tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase,
                        const sc_core::sc_time& delay, tlm::tlm_sync_enum answer);

    Call before_direct(const tlm::tlm_generic_payload& payload);
    void after_direct(const Call& call, const tlm::tlm_generic_payload& payload, const tlm::tlm_dmi& dmi, bool granted);
    void invalidated(sc_dt::uint64 first, sc_dt::uint64 last);

    Call before_debug(const tlm::tlm_generic_payload& payload);
    void after_debug(const Call& call, const tlm::tlm_generic_payload& payload, unsigned bytes);

    /// Non-blocking transactions that have not ended.
    std::size_t outstanding() const { return transactions_.size(); }
    /// How often a rule was broken.
    std::uint64_t broken(ProtocolRule rule) const { return broken_[static_cast<std::size_t>(rule)]; }

private:
    enum class State : std::uint8_t { requesting, requested, responding };
    struct Transaction {
        State state = State::requesting;
        std::uint64_t serial = 0;
        Snapshot request;
        sc_core::sc_time last;  ///< the latest effective time of a phase
        tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
    };
    using Payload = tlm::tlm_generic_payload;

    void check_request(const Payload& payload);
    void check_unchanged(const Snapshot& before, const Payload& payload);
    void check_response(const Snapshot& before, const Payload& payload);
    void check_held(const Payload& payload);
    void check_time(Transaction& transaction, const Payload& payload, const sc_core::sc_time& delay);
    void check_no_wait(const Call& call, const Payload& payload, ProtocolRule rule);
    Transaction* find(const Payload& payload, const char* phase);
    Transaction* find(const Payload& payload, std::uint64_t serial);

    void begin_request(Call& call, const Payload& payload);
    void end_request(Transaction& transaction, const Payload& payload);
    void begin_response(Transaction& transaction, const Payload& payload);
    void end_response(const Payload& payload);
    void finish(const Payload& payload);
    void accepted_unchanged(const Call& call, const Payload& payload, const tlm::tlm_phase& phase,
                            const sc_core::sc_time& delay);

    void report(ProtocolRule rule, const Payload* payload, const std::string& found);

    std::string name_;
    std::unordered_map<const Payload*, Transaction> transactions_;
    const Payload* requesting_ = nullptr;  ///< its request has not ended
    const Payload* responding_ = nullptr;  ///< its response has not ended
    std::uint64_t serials_ = 0;
    std::array<std::uint64_t, kProtocolRules> broken_{};
};

}  // namespace vcore::transport
