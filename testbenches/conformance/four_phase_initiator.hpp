// An initiator that speaks four phases by the book, and fails the test when its target does not. Pooled payloads with a
// memory manager of its own; answers BEGIN_RESP as it is told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>
#include <tlm>

#include "testbenches/conformance/prober.hpp"
#include "tlm/op_extension.hpp"
#include "tlm/protocols.hpp"

namespace vcore::conformance {

/// What an initiator returns to BEGIN_RESP.
enum class Reply : std::uint8_t { accepted, updated, completed };

template <typename Protocol>
class FourPhaseInitiator : public sc_core::sc_module, tlm::tlm_mm_interface {
public:
    explicit FourPhaseInitiator(sc_core::sc_module_name initiator_name) : sc_module(initiator_name), socket("socket") {
        socket.register_nb_transport_bw(this, &FourPhaseInitiator::nb_transport_bw);
        SC_HAS_PROCESS(FourPhaseInitiator);
        SC_METHOD(end_response);
        dont_initialize();
        sensitive << end_response_;
    }

    tlm_utils::simple_initiator_socket<FourPhaseInitiator, 32, Protocol> socket;
    std::vector<Reply> replies{Reply::accepted};  ///< to the responses, in turn
    sc_core::sc_time response_time;               ///< from BEGIN_RESP to END_RESP, with Reply::accepted

    /// One transaction and what came of it.
    struct Transaction : tlm::tlm_generic_payload {
        explicit Transaction(tlm::tlm_mm_interface& pool) : tlm_generic_payload(&pool) {}
        Bytes data;
        transport::OpExtension* op = nullptr;
        sc_core::sc_time requested;
        sc_core::sc_time request_ended;
        sc_core::sc_time responded;
        bool early = false;    ///< TLM_COMPLETED
        bool implied = false;  ///< BEGIN_RESP without END_REQ
        bool ended = false;
        transport::OpDescriptor& descriptor() { return op->descriptor; }
    };
    using Handle = Transaction*;

    // ---- from a thread process; the caller holds one reference until release()

    Handle new_access(tlm::tlm_command command, std::uint64_t address, Bytes data) {
        Handle transaction = take();
        transaction->data = std::move(data);
        fill(*transaction, command, address, transaction->data);
        return transaction;
    }
    Handle new_op(const isa::Op& op, std::uint32_t line = 0) {
        Handle transaction = take();
        if (transaction->op == nullptr) transaction->set_extension(transaction->op = new transport::OpExtension);
        transaction->descriptor() = transport::OpDescriptor();
        transaction->descriptor().op = op;
        transaction->descriptor().line = line;
        transaction->set_command(tlm::TLM_IGNORE_COMMAND);
        transaction->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        return transaction;
    }
    /// Makes the request as soon as the one before it has ended, and returns when it may be followed by another one.
    Handle request(Handle transaction) {
        start(transaction);
        wait_for_request();
        return transaction;
    }
    /// Makes the request and returns at once: the request may not have ended.
    void start(Handle transaction, sc_core::sc_time delay = sc_core::SC_ZERO_TIME) {
        wait_for_request();
        transaction->requested = sc_core::sc_time_stamp();
        ++outstanding_;
        requesting_ = transaction;
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        const tlm::tlm_sync_enum answer = socket->nb_transport_fw(*transaction, phase, delay);
        if (answer == tlm::TLM_COMPLETED) {
            transaction->early = true;
            requesting_ = nullptr;
            finish(*transaction, delay);
            if (delay != sc_core::SC_ZERO_TIME) wait(delay);
        } else if (answer == tlm::TLM_UPDATED) {
            take_phase(*transaction, phase, delay);
            if (phase == tlm::END_REQ && delay != sc_core::SC_ZERO_TIME) wait(delay);
        }
    }
    void wait_for_request() {
        while (requesting_ != nullptr) wait(changed_);
        if (request_free_ > sc_core::sc_time_stamp()) wait(request_free_ - sc_core::sc_time_stamp());
    }
    void wait_for(Handle transaction) {
        while (!transaction->ended) wait(changed_);
    }
    void wait_for_all() {
        while (outstanding_ != 0) wait(changed_);
    }

    std::size_t pool_size() const { return pool_.size(); }
    std::size_t in_use() const { return pool_.size() - free_.size(); }

private:
    Handle take() {
        if (free_.empty()) {
            pool_.emplace_back(new Transaction(*this));
            free_.push_back(pool_.back().get());
        }
        Handle transaction = free_.back();
        free_.pop_back();
        transaction->acquire();
        EXPECT_EQ(transaction->get_ref_count(), 1);
        transaction->early = transaction->implied = transaction->ended = false;
        return transaction;
    }
    void free(tlm::tlm_generic_payload* payload) override { free_.push_back(static_cast<Handle>(payload)); }

    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
        return take_phase(static_cast<Transaction&>(payload), phase, delay);
    }

    tlm::tlm_sync_enum take_phase(Transaction& transaction, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
        if (phase == tlm::END_REQ) {
            EXPECT_EQ(requesting_, &transaction) << "END_REQ of a request that is not open";
            transaction.request_ended = request_free_ = sc_core::sc_time_stamp() + delay;
            requesting_ = nullptr;
            changed_.notify(sc_core::SC_ZERO_TIME);
            return tlm::TLM_ACCEPTED;
        }
        EXPECT_EQ(phase, tlm::BEGIN_RESP);
        if (requesting_ == &transaction) {
            transaction.implied = true;
            transaction.request_ended = sc_core::sc_time_stamp();
            requesting_ = nullptr;
        }
        EXPECT_EQ(responding_, nullptr) << "BEGIN_RESP before the END_RESP of the response before it";
        EXPECT_NE(transaction.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
        const Reply reply = replies[responses_++ % replies.size()];
        if (reply == Reply::accepted) {
            responding_ = &transaction;
            transaction.responded = sc_core::sc_time_stamp() + delay;
            end_response_.notify(response_time);
            return tlm::TLM_ACCEPTED;
        }
        finish(transaction, delay);
        if (reply == Reply::completed) return tlm::TLM_COMPLETED;
        phase = tlm::END_RESP;
        return tlm::TLM_UPDATED;
    }

    void end_response() {
        Transaction& transaction = *std::exchange(responding_, nullptr);
        const sc_core::sc_time responded = transaction.responded;
        tlm::tlm_phase phase = tlm::END_RESP;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        EXPECT_NE(socket->nb_transport_fw(transaction, phase, delay), tlm::TLM_UPDATED);
        finish(transaction, sc_core::SC_ZERO_TIME);
        transaction.responded = responded;
    }

    void finish(Transaction& transaction, const sc_core::sc_time& delay) {
        transaction.responded = sc_core::sc_time_stamp() + delay;
        transaction.ended = true;
        --outstanding_;
        changed_.notify(sc_core::SC_ZERO_TIME);
    }

    std::vector<std::unique_ptr<Transaction>> pool_;
    std::vector<Handle> free_;
    Transaction* requesting_ = nullptr;
    Transaction* responding_ = nullptr;
    sc_core::sc_time request_free_;
    std::size_t outstanding_ = 0;
    std::size_t responses_ = 0;
    sc_core::sc_event changed_;
    sc_core::sc_event end_response_;
};

using FourPhaseMemory = FourPhaseInitiator<tlm::tlm_base_protocol_types>;
using FourPhaseOps = FourPhaseInitiator<transport::OpProtocol>;

}  // namespace vcore::conformance
