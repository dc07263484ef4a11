// The target's side of the four phases, for one socket with any number of initiators: which transactions are under way,
// the exclusion rules, and the life of their payloads. When a request ends and what is answered is the owner's affair.
//
// Rules kept: an initiator has one request that has not ended (END_REQ, or BEGIN_RESP, which implies it) and one
// response that has not (END_RESP by call or by return, or TLM_COMPLETED). A call that breaks them is the caller's
// mistake: an SC_ERROR, and everything under way goes on as if it had not been made; a payload of its own gets
// TLM_GENERIC_ERROR_RESPONSE and TLM_COMPLETED. Payloads with a memory manager are held from BEGIN_REQ to the end.
// Any mix of answers to BEGIN_RESP is taken: TLM_ACCEPTED and END_RESP later, TLM_UPDATED with END_RESP, TLM_COMPLETED.
// Source: IEEE 1666-2011, "TLM-2.0 base protocol".
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <systemc>
#include <tlm>

namespace vcore::transport {

class FourPhases {
public:
    class Owner {
    public:
        /// nb_transport_bw of this initiator. Calls may come back into the owner from inside it.
        virtual tlm::tlm_sync_enum call_back(int initiator, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                             sc_core::sc_time& delay) = 0;
        /// Responses may go now: call send_responses() from a process, not from inside a forward call.
        virtual void responses_wait() = 0;

    protected:
        ~Owner() = default;
    };

    /// Names a transaction; never used again.
    using Id = std::uint64_t;
    static constexpr Id kNone = 0;

    /// `report_id` is that of protocol errors. Both must outlive it.
    FourPhases(Owner& owner, const char* report_id) : owner_(owner), report_id_(report_id) {}
    FourPhases(const FourPhases&) = delete;
    FourPhases& operator=(const FourPhases&) = delete;
    ~FourPhases();

    struct Received {
        Id id = kNone;  ///< of a new request; none: the call has been dealt with, return `answer`
        tlm::tlm_sync_enum answer = tlm::TLM_ACCEPTED;
    };
    /// Takes a forward call.
    Received receive(int initiator, tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase);

    // What comes of a request, inside the forward call that brought it: return what these return.
    tlm::tlm_sync_enum complete_in_call(Id id);
    tlm::tlm_sync_enum end_request_in_call(Id id, tlm::tlm_phase& phase);
    // Or later, if the forward call returned TLM_ACCEPTED.
    void end_request(Id id, sc_core::sc_time delay);
    /// The status is set: a response can go. send_responses() sends it when the initiator's last one has ended.
    void respond(Id id);
    void send_responses();

    /// Whether the id still names a transaction, and what it is.
    bool knows(Id id) const { return find(id) != nullptr; }
    tlm::tlm_generic_payload& payload(Id id) const { return *find(id)->payload; }

    /// Answers TLM_GENERIC_ERROR_RESPONSE to everything that has no answer yet; responses_wait() follows.
    void fail_all();

    std::size_t outstanding() const { return transactions_.size(); }

private:
    struct Transaction {
        Id id = kNone;
        int initiator = 0;
        tlm::tlm_generic_payload* payload = nullptr;
        bool requesting = true;   ///< the request has not ended
        bool ready = false;       ///< the response can go
        bool responding = false;  ///< it has gone and has not ended
    };
    const Transaction* find(Id id) const;
    Transaction* find(Id id) { return const_cast<Transaction*>(static_cast<const FourPhases*>(this)->find(id)); }
    Received begin_request(int initiator, tlm::tlm_generic_payload& payload);
    Received end_response(int initiator, const tlm::tlm_generic_payload& payload);
    bool is_responding(int initiator) const;
    void send(Id id);
    void finish(Id id);
    void error(const char* text) const;

    Owner& owner_;
    const char* report_id_;
    Id last_ = kNone;
    std::vector<Transaction> transactions_;  // in the order of their requests
    std::vector<Id> ready_;                  // in the order in which responses are to go
};

}  // namespace vcore::transport
