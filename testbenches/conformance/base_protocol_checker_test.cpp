// The base-protocol checker: for each rule somebody who breaks just that one, and is caught; nobody else is.
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <systemc>
#include <tlm>

#include "testbenches/conformance/prober.hpp"
#include "testbenches/conformance/reports.hpp"
#include "testbenches/conformance/scripted_ends.hpp"
#include "testbenches/conformance/scripts.hpp"
#include "tlm/base_protocol_checker.hpp"

namespace vcore::conformance {
namespace {

using sc_core::SC_NS;
using sc_core::sc_time;
using sc_core::SC_ZERO_TIME;
using tlm::tlm_generic_payload;
using tlm::tlm_phase;
using transport::ProtocolRule;

/// An initiator, the checker and a target, all within the rules until a test changes one thing.
struct Bench {
    ScriptedInitiator initiator{"initiator"};
    transport::BaseProtocolChecker<> checker{"checker"};
    ScriptedTarget target{"target"};
    Bytes data = Bytes(32, 0x5A);
    Bytes enables{0xFF, 0x00};
    HeldPayload payload;

    Bench() {
        initiator.socket.bind(checker.target_socket);
        checker.initiator_socket.bind(target.socket);
        prepare(payload);
    }
    void prepare(tlm_generic_payload& one) {
        fill(one, tlm::TLM_WRITE_COMMAND, 0x100, data);
        one.set_byte_enable_ptr(enables.data());
        one.set_byte_enable_length(2);
    }
    void blocking(sc_time delay = SC_ZERO_TIME) { initiator.socket->b_transport(payload, delay); }
    tlm::tlm_sync_enum forward(tlm_generic_payload& one, tlm::tlm_phase_enum phase, sc_time delay = SC_ZERO_TIME) {
        tlm_phase passed = phase;
        return initiator.socket->nb_transport_fw(one, passed, delay);
    }
    tlm::tlm_sync_enum forward(tlm::tlm_phase_enum phase, sc_time delay = SC_ZERO_TIME) {
        return forward(payload, phase, delay);
    }
    void answer(tlm_generic_payload& one) { one.set_response_status(tlm::TLM_OK_RESPONSE); }
    /// The rest of a transaction whose request has been made.
    void complete() {
        answer(payload);
        target.call_back(payload, tlm::BEGIN_RESP);
        forward(tlm::END_RESP);
    }
};

using Breaker = std::function<void(Bench&)>;

/// What each rule is broken by. Whoever adds a rule adds it here: a test asks for every one.
const std::map<ProtocolRule, Breaker>& breakers() {
    using R = ProtocolRule;
    static const std::map<ProtocolRule, Breaker> all = {
        {R::command,
         [](Bench& b) {
             b.payload.set_command(static_cast<tlm::tlm_command>(3));
             b.blocking();
         }},
        {R::data_pointer,
         [](Bench& b) {
             b.payload.set_data_ptr(nullptr);
             b.blocking();
         }},
        {R::data_length,
         [](Bench& b) {
             b.payload.set_data_length(0);
             b.blocking();
         }},
        {R::byte_enable_value,
         [](Bench& b) {
             b.enables[1] = 0x0F;
             b.blocking();
         }},
        {R::byte_enable_length,
         [](Bench& b) {
             b.payload.set_byte_enable_length(0);
             b.blocking();
         }},
        {R::streaming_width,
         [](Bench& b) {
             b.payload.set_streaming_width(0);
             b.blocking();
         }},
        {R::request_status,
         [](Bench& b) {
             b.answer(b.payload);
             b.blocking();
         }},
        {R::request_dmi_hint,
         [](Bench& b) {
             b.payload.set_dmi_allowed(true);
             b.blocking();
         }},
        {R::response_status,
         [](Bench& b) {
             b.target.on_blocking = [](tlm_generic_payload&, sc_time&) {};
             b.blocking();
         }},
        {R::attributes,
         [](Bench& b) {
             b.target.on_blocking = [&b](tlm_generic_payload& p, sc_time&) {
                 p.set_streaming_width(16);
                 b.answer(p);
             };
             b.blocking();
         }},
        {R::write_data,
         [](Bench& b) {
             b.forward(tlm::BEGIN_REQ);
             b.data[3] ^= 1U;
             b.complete();
         }},
        {R::byte_enables,
         [](Bench& b) {
             b.target.on_blocking = [&b](tlm_generic_payload& p, sc_time&) {
                 b.enables[0] = 0x00;
                 b.answer(p);
             };
             b.blocking();
         }},
        {R::status_after_response,
         [](Bench& b) {
             b.forward(tlm::BEGIN_REQ);
             b.answer(b.payload);
             b.target.call_back(b.payload, tlm::BEGIN_RESP);
             b.payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
             b.forward(tlm::END_RESP);
         }},
        {R::memory_manager,
         [](Bench& b) {
             tlm_generic_payload plain;
             b.prepare(plain);
             b.target.on_forward = [&b](tlm_generic_payload& p, tlm_phase&, sc_time&) {
                 b.answer(p);
                 return tlm::TLM_COMPLETED;
             };
             b.forward(plain, tlm::BEGIN_REQ);
         }},
        {R::reference_count,
         [](Bench& b) {
             b.payload.release();
             b.target.on_forward = [&b](tlm_generic_payload& p, tlm_phase&, sc_time&) {
                 b.answer(p);
                 return tlm::TLM_COMPLETED;
             };
             b.forward(tlm::BEGIN_REQ);
             b.payload.acquire();
         }},
        {R::uninitialized_phase, [](Bench& b) { b.forward(tlm::UNINITIALIZED_PHASE); }},
        {R::path,
         [](Bench& b) {
             b.forward(tlm::BEGIN_REQ);
             b.target.call_back(b.payload, tlm::END_RESP);
             b.complete();
         }},
        {R::request_exclusion,
         [](Bench& b) {
             HeldPayload second;
             b.prepare(second);
             b.forward(tlm::BEGIN_REQ);
             b.forward(second, tlm::BEGIN_REQ);
             b.target.call_back(b.payload, tlm::END_REQ);
             b.target.call_back(second, tlm::END_REQ);
             b.complete();
             b.answer(second);
             b.target.call_back(second, tlm::BEGIN_RESP);
             b.forward(second, tlm::END_RESP);
         }},
        {R::response_exclusion,
         [](Bench& b) {
             HeldPayload second;
             b.prepare(second);
             b.forward(tlm::BEGIN_REQ);
             b.target.call_back(b.payload, tlm::END_REQ);
             b.forward(second, tlm::BEGIN_REQ);
             b.target.call_back(second, tlm::END_REQ);
             b.answer(b.payload);
             b.answer(second);
             b.target.call_back(b.payload, tlm::BEGIN_RESP);
             b.target.call_back(second, tlm::BEGIN_RESP);
             b.forward(tlm::END_RESP);
             b.forward(second, tlm::END_RESP);
         }},
        {R::phase_order,
         [](Bench& b) {
             b.forward(tlm::BEGIN_REQ);
             b.target.call_back(b.payload, tlm::END_REQ);
             b.target.call_back(b.payload, tlm::END_REQ);
             b.complete();
         }},
        {R::unknown_transaction, [](Bench& b) { b.target.call_back(b.payload, tlm::END_REQ); }},
        {R::reuse,
         [](Bench& b) {
             b.forward(tlm::BEGIN_REQ);
             b.target.call_back(b.payload, tlm::END_REQ);
             b.forward(tlm::BEGIN_REQ);
             b.complete();
         }},
        {R::accepted,
         [](Bench& b) {
             b.target.on_forward = [](tlm_generic_payload&, tlm_phase& phase, sc_time& delay) {
                 if (phase == tlm::BEGIN_REQ) delay += sc_time(1, SC_NS);
                 return tlm::TLM_ACCEPTED;
             };
             b.forward(tlm::BEGIN_REQ);
             b.complete();
         }},
        {R::updated,
         [](Bench& b) {
             b.target.on_forward = [](tlm_generic_payload&, tlm_phase& phase, sc_time&) {
                 return phase == tlm::BEGIN_REQ ? tlm::TLM_UPDATED : tlm::TLM_ACCEPTED;
             };
             b.forward(tlm::BEGIN_REQ);
             b.complete();
         }},
        {R::completed,
         [](Bench& b) {
             b.initiator.on_backward = [](tlm_generic_payload&, tlm_phase& phase, sc_time&) {
                 return phase == tlm::END_REQ ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
             };
             b.forward(tlm::BEGIN_REQ);
             b.target.call_back(b.payload, tlm::END_REQ);
             b.complete();
         }},
        {R::blocking_while_pending,
         [](Bench& b) {
             b.forward(tlm::BEGIN_REQ);
             b.blocking();
             b.complete();
         }},
        {R::blocking_time,
         [](Bench& b) {
             b.target.on_blocking = [&b](tlm_generic_payload& p, sc_time& delay) {
                 delay = SC_ZERO_TIME;
                 b.answer(p);
             };
             b.blocking(sc_time(5, SC_NS));
         }},
        {R::phase_time,
         [](Bench& b) {
             b.forward(tlm::BEGIN_REQ, sc_time(5, SC_NS));
             b.target.call_back(b.payload, tlm::END_REQ, sc_time(4, SC_NS));
             sc_core::wait(10, SC_NS);
             b.complete();
         }},
        {R::nonblocking_wait,
         [](Bench& b) {
             b.target.on_forward = [](tlm_generic_payload&, tlm_phase& phase, sc_time&) {
                 if (phase == tlm::BEGIN_REQ) sc_core::wait(1, SC_NS);
                 return tlm::TLM_ACCEPTED;
             };
             b.forward(tlm::BEGIN_REQ);
             b.complete();
         }},
        {R::dmi_range,
         [](Bench& b) {
             b.target.on_direct = [](tlm_generic_payload&, tlm::tlm_dmi& dmi) {
                 dmi.set_start_address(0);
                 dmi.set_end_address(0xFF);
                 return false;
             };
             tlm::tlm_dmi dmi;
             b.initiator.socket->get_direct_mem_ptr(b.payload, dmi);
         }},
        {R::dmi_bounds,
         [](Bench& b) {
             b.target.on_direct = [](tlm_generic_payload&, tlm::tlm_dmi& dmi) {
                 dmi.set_start_address(0x200);
                 dmi.set_end_address(0x1FF);
                 return false;
             };
             tlm::tlm_dmi dmi;
             b.initiator.socket->get_direct_mem_ptr(b.payload, dmi);
         }},
        {R::dmi_pointer,
         [](Bench& b) {
             b.target.on_direct = [](tlm_generic_payload&, tlm::tlm_dmi& dmi) {
                 dmi.allow_read_write();
                 return true;
             };
             tlm::tlm_dmi dmi;
             b.initiator.socket->get_direct_mem_ptr(b.payload, dmi);
         }},
        {R::dmi_access,
         [](Bench& b) {
             b.target.on_direct = [&b](tlm_generic_payload&, tlm::tlm_dmi& dmi) {
                 dmi.set_dmi_ptr(b.data.data());
                 dmi.allow_read();
                 return true;
             };
             tlm::tlm_dmi dmi;
             b.initiator.socket->get_direct_mem_ptr(b.payload, dmi);
         }},
        {R::dmi_invalidate, [](Bench& b) { b.target.socket->invalidate_direct_mem_ptr(8, 7); }},
        {R::dmi_wait,
         [](Bench& b) {
             b.target.on_direct = [](tlm_generic_payload&, tlm::tlm_dmi&) {
                 sc_core::wait(1, SC_NS);
                 return false;
             };
             tlm::tlm_dmi dmi;
             b.initiator.socket->get_direct_mem_ptr(b.payload, dmi);
         }},
        {R::debug_bytes,
         [](Bench& b) {
             b.target.on_debug = [](tlm_generic_payload& p) { return p.get_data_length() + 1; };
             b.initiator.socket->transport_dbg(b.payload);
         }},
        {R::debug_attributes,
         [](Bench& b) {
             b.target.on_debug = [](tlm_generic_payload& p) {
                 p.set_data_length(p.get_data_length() / 2);
                 return 0U;
             };
             b.initiator.socket->transport_dbg(b.payload);
         }},
        {R::debug_wait,
         [](Bench& b) {
             b.target.on_debug = [](tlm_generic_payload&) {
                 sc_core::wait(1, SC_NS);
                 return 0U;
             };
             b.initiator.socket->transport_dbg(b.payload);
         }},
    };
    return all;
}

class BaseProtocolRule : public ::testing::TestWithParam<transport::ProtocolRuleInfo> {};

TEST_P(BaseProtocolRule, BrokenAloneIsCaughtAlone) {
    const transport::ProtocolRuleInfo& rule = GetParam();
    ASSERT_EQ(breakers().count(rule.rule), 1U) << "no test breaks " << rule.id;
    Bench bench;
    ExpectedReport report(std::string("/vcore/tlm/base_protocol/") + rule.id);
    Scripts scripts;
    scripts.add([&] { breakers().at(rule.rule)(bench); });
    scripts.run();
    for (const transport::ProtocolRuleInfo& other : transport::protocol_rules()) {
        EXPECT_EQ(bench.checker.rules().broken(other.rule), other.rule == rule.rule ? 1U : 0U) << other.id;
    }
    EXPECT_EQ(report.count(), 1U);
    EXPECT_THAT(report.text(), ::testing::HasSubstr("checker: "));
    EXPECT_THAT(report.text(), ::testing::HasSubstr(rule.meaning));
    EXPECT_THAT(report.text(), ::testing::HasSubstr(std::string("(IEEE 1666-2011, ") + rule.section + ")"));
    EXPECT_EQ(bench.checker.rules().outstanding(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Each, BaseProtocolRule, ::testing::ValuesIn(transport::protocol_rules()),
                         [](const auto& tested) {
                             std::string name = tested.param.id;
                             for (char& c : name) c = c == '-' ? '_' : c;
                             return name;
                         });

/// Every permitted way through the phases.
TEST(BaseProtocolChecker, IsSilentAboutWhatIsPermitted) {
    Bench bench;
    Scripts scripts;
    scripts.add([&] {
        bench.blocking(sc_time(5, SC_NS));
        bench.prepare(bench.payload);
        bench.target.on_blocking = [&](tlm_generic_payload& p, sc_time& delay) {
            sc_core::wait(delay + sc_time(2, SC_NS));
            delay = SC_ZERO_TIME;
            bench.answer(p);
        };
        bench.blocking(sc_time(5, SC_NS));  // waited instead of annotated

        for (const bool end_request : {false, true}) {
            for (const tlm::tlm_sync_enum reply : {tlm::TLM_ACCEPTED, tlm::TLM_UPDATED, tlm::TLM_COMPLETED}) {
                bench.prepare(bench.payload);
                bench.initiator.on_backward = [reply](tlm_generic_payload&, tlm_phase& phase, sc_time& delay) {
                    if (phase != tlm::BEGIN_RESP || reply == tlm::TLM_ACCEPTED) return tlm::TLM_ACCEPTED;
                    if (reply == tlm::TLM_UPDATED) phase = tlm::END_RESP;
                    delay += sc_time(1, SC_NS);
                    return reply;
                };
                bench.forward(tlm::BEGIN_REQ, sc_time(3, SC_NS));
                if (end_request) bench.target.call_back(bench.payload, tlm::END_REQ, sc_time(4, SC_NS));
                bench.answer(bench.payload);
                bench.target.call_back(bench.payload, tlm::BEGIN_RESP, sc_time(6, SC_NS));
                if (reply == tlm::TLM_ACCEPTED) bench.forward(tlm::END_RESP, sc_time(6, SC_NS));
                EXPECT_EQ(bench.checker.rules().outstanding(), 0U);
            }
        }

        // What the return path can carry, and calls from inside a call.
        bench.initiator.on_backward = [](tlm_generic_payload&, tlm_phase&, sc_time&) { return tlm::TLM_ACCEPTED; };
        for (const tlm::tlm_phase_enum answer : {tlm::END_REQ, tlm::BEGIN_RESP}) {
            bench.prepare(bench.payload);
            bench.target.on_forward = [&](tlm_generic_payload& p, tlm_phase& phase, sc_time& delay) {
                if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;
                if (answer == tlm::BEGIN_RESP) bench.answer(p);
                phase = answer;
                delay += sc_time(2, SC_NS);
                return tlm::TLM_UPDATED;
            };
            bench.forward(tlm::BEGIN_REQ);
            sc_core::wait(5, SC_NS);
            if (answer == tlm::END_REQ) {
                bench.answer(bench.payload);
                bench.target.call_back(bench.payload, tlm::BEGIN_RESP);
            }
            bench.forward(tlm::END_RESP);
        }
        bench.prepare(bench.payload);
        bench.target.on_forward = [&](tlm_generic_payload& p, tlm_phase& phase, sc_time&) {
            if (phase == tlm::BEGIN_REQ) bench.target.call_back(p, tlm::END_REQ);
            return tlm::TLM_ACCEPTED;
        };
        bench.forward(tlm::BEGIN_REQ);
        bench.complete();
        EXPECT_EQ(bench.checker.rules().outstanding(), 0U);
    });
    scripts.run();
    for (const transport::ProtocolRuleInfo& rule : transport::protocol_rules()) {
        EXPECT_EQ(bench.checker.rules().broken(rule.rule), 0U) << rule.id;
    }
}

TEST(BaseProtocolChecker, KnowsEveryRuleByAnIdOfItsOwn) {
    std::map<std::string, int> ids;
    std::size_t at = 0;
    for (const transport::ProtocolRuleInfo& rule : transport::protocol_rules()) {
        EXPECT_EQ(static_cast<std::size_t>(rule.rule), at++) << "the table is in the order of the enumeration";
        EXPECT_EQ(++ids[rule.id], 1) << rule.id;
    }
}

}  // namespace
}  // namespace vcore::conformance
