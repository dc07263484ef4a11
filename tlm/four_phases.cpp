#include "tlm/four_phases.hpp"

#include <algorithm>

#include "tlm/payload_rules.hpp"

namespace vcore::transport {

FourPhases::~FourPhases() {
    for (const Transaction& transaction : transactions_) {
        if (transaction.payload->has_mm()) transaction.payload->release();
    }
}

const FourPhases::Transaction* FourPhases::find(Id id) const {
    for (const Transaction& transaction : transactions_) {
        if (transaction.id == id) return &transaction;
    }
    return nullptr;
}

void FourPhases::error(const char* text) const {
    SC_REPORT_ERROR(report_id_, text);
}

// ---- forward calls

FourPhases::Received FourPhases::receive(int initiator, tlm::tlm_generic_payload& payload,
                                         const tlm::tlm_phase& phase) {
    if (phase == tlm::BEGIN_REQ) return begin_request(initiator, payload);
    if (phase == tlm::END_RESP) return end_response(initiator, payload);
    if (is_ignorable(phase)) return {};
    error("nb_transport_fw with a phase other than BEGIN_REQ and END_RESP");
    return {};
}

FourPhases::Received FourPhases::begin_request(int initiator, tlm::tlm_generic_payload& payload) {
    for (const Transaction& transaction : transactions_) {
        if (transaction.payload == &payload) {
            error("BEGIN_REQ of a payload that is under way");
            return {};
        }
    }
    for (const Transaction& transaction : transactions_) {
        if (transaction.initiator == initiator && transaction.requesting) {
            payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
            error("BEGIN_REQ before the END_REQ of the request before it");
            return {kNone, tlm::TLM_COMPLETED};
        }
    }
    if (payload.has_mm()) payload.acquire();
    Transaction transaction;
    transaction.id = ++last_;
    transaction.initiator = initiator;
    transaction.payload = &payload;
    transactions_.push_back(transaction);
    return {transaction.id, tlm::TLM_ACCEPTED};
}

FourPhases::Received FourPhases::end_response(int initiator, const tlm::tlm_generic_payload& payload) {
    for (const Transaction& transaction : transactions_) {
        if (transaction.initiator != initiator || transaction.payload != &payload || !transaction.responding) continue;
        finish(transaction.id);
        if (!ready_.empty()) owner_.responses_wait();
        return {kNone, tlm::TLM_COMPLETED};
    }
    error("END_RESP without a BEGIN_RESP that it could answer");
    return {};
}

tlm::tlm_sync_enum FourPhases::complete_in_call(Id id) {
    finish(id);
    return tlm::TLM_COMPLETED;
}

tlm::tlm_sync_enum FourPhases::end_request_in_call(Id id, tlm::tlm_phase& phase) {
    find(id)->requesting = false;
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
}

// ---- backward calls

void FourPhases::end_request(Id id, sc_core::sc_time delay) {
    Transaction& transaction = *find(id);
    transaction.requesting = false;
    tlm::tlm_phase phase = tlm::END_REQ;
    // Nothing that an initiator may answer to END_REQ asks for more.
    owner_.call_back(transaction.initiator, *transaction.payload, phase, delay);
}

void FourPhases::respond(Id id) {
    find(id)->ready = true;
    ready_.push_back(id);
}

bool FourPhases::is_responding(int initiator) const {
    return std::any_of(transactions_.begin(), transactions_.end(), [initiator](const Transaction& transaction) {
        return transaction.initiator == initiator && transaction.responding;
    });
}

void FourPhases::send_responses() {
    for (std::size_t i = 0; i < ready_.size();) {
        const Id id = ready_[i];
        if (is_responding(find(id)->initiator)) {
            ++i;
            continue;
        }
        ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(i));
        send(id);
        i = 0;  // the call may have changed everything
    }
}

void FourPhases::send(Id id) {
    Transaction& transaction = *find(id);
    transaction.requesting = false;
    transaction.responding = true;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const tlm::tlm_sync_enum answer = owner_.call_back(transaction.initiator, *transaction.payload, phase, delay);
    if (!knows(id)) return;  // END_RESP came from inside the call
    if (answer == tlm::TLM_COMPLETED || (answer == tlm::TLM_UPDATED && phase == tlm::END_RESP)) {
        finish(id);
    } else if (answer == tlm::TLM_UPDATED) {
        error("BEGIN_RESP was answered by TLM_UPDATED with a phase other than END_RESP");
    }
}

void FourPhases::finish(Id id) {
    const auto found = std::find_if(transactions_.begin(), transactions_.end(),
                                    [id](const Transaction& transaction) { return transaction.id == id; });
    tlm::tlm_generic_payload* const payload = found->payload;
    transactions_.erase(found);
    ready_.erase(std::remove(ready_.begin(), ready_.end(), id), ready_.end());
    if (payload->has_mm()) payload->release();
}

void FourPhases::fail_all() {
    for (Transaction& transaction : transactions_) {
        if (transaction.ready) continue;
        transaction.payload->set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        transaction.ready = true;
        ready_.push_back(transaction.id);
    }
    if (!ready_.empty()) owner_.responses_wait();
}

}  // namespace vcore::transport
