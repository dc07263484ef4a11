// The Unified Buffer: one array of bytes that everybody shares, in front of its banks.
//
// Models: the linear array with the product's logical size; the TLM-2.0 base protocol on `port`, whole (byte enables,
// streaming width, DMI with invalidation, transport_dbg), for any number of initiators; gathers and scatters as single
// transactions on `indexed`; one initiator socket per bank, bound to a built-in UbBank unless the user binds his own
// target. Accesses may be unaligned and of any length.
// Does not model: contention, loosely timed: accesses then take effect in the order of the calls, each costs what it
// costs alone. Approximately timed (contend()), accesses of foreign initiators on `port` go through contended_port.hpp;
// those that cannot wait in b_transport (method processes, before the simulation runs), gathers and scatters on
// `indexed`, debug and direct accesses stay as here.
//
// Bank traffic. Normally accesses go straight to the array and the bank sockets stay quiet. With `bank_traffic` in the
// configuration, or when the user has bound a bank socket himself, every access also passes the bank sockets: a
// contiguous one row by row, a gather or scatter beat by beat as merged sub-bank words (8 B on ascend950), debug
// writes as transport_dbg. The array stays the authority: what a bank reads is compared with it, and a difference is
// the error `/vcore/ub/bank-data`; a bank that answers with an error is fatal (`/vcore/ub/bank-error`). Then array() is
// null and no DMI is granted, so that nothing bypasses the banks.
// To watch or replace bank b, bind before elaboration ends:
//     ub.bank_socket(b).bind(my_bank.socket);                  // replace
//     ub.bank_socket(b).bind(monitor.target);                  // watch …
//     monitor.initiator.bind(ub.bank(b).socket);               // … and pass on to the built-in bank
//
// Timing contract: b_transport adds (latency + beats - 1) * period to the delay, where latency is the read or write
// latency of the configuration and beats are those of models/timing/bank_rules.hpp for this access alone; with bank
// traffic, also what the banks add. An access that is refused adds nothing. TLM_IGNORE_COMMAND costs a read of one
// beat. nb_transport_fw performs the access in BEGIN_REQ and returns TLM_COMPLETED. Nothing here waits (a bank that a
// user bound may), and all calls work before the simulation starts, through sockets from end_of_elaboration on, through
// the member functions b_transport() and transport_dbg() always; before elaboration has ended those reach the array
// only, not the banks. Debug and direct accesses change no time and no counters.
// Reset contract: reset() zeroes the bytes and counters and withdraws DMI over the whole range; settings and the write
// listener stay. Accesses that wait for banks get a generic error and change no byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <systemc>
#include <tlm>

#include "models/engine/bank_traffic.hpp"
#include "models/engine/configuration.hpp"
#include "models/isa/access.hpp"
#include "models/timing/bank_rules.hpp"
#include "models/ub/contended_port.hpp"
#include "models/ub/ub_bank.hpp"
#include "tlm/clock_period.hpp"
#include "tlm/metadata_extension.hpp"
#include "tlm/payload_pool.hpp"
#include "tlm/sockets.hpp"

namespace vcore::ub {

/// Lanes begin .. end-1 of an indexed access.
struct LaneRange {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
};

class UnifiedBuffer : public sc_core::sc_module, private ContendedPort::Port {
public:
    /// Copies what it needs of `configuration`.
    UnifiedBuffer(sc_core::sc_module_name name, const engine::Configuration& configuration);

    using BankSocket = transport::MemoryInitiatorSocket<UnifiedBuffer>;
    using WriteListener = std::function<void(std::uint32_t address, std::uint32_t bytes)>;

    transport::MemoryTargetSocket<UnifiedBuffer> port;
    transport::IndexedTargetSocket<UnifiedBuffer> indexed;

    /// Towards bank b; see "Bank traffic" above.
    BankSocket& bank_socket(timing::BankId bank) { return bank_sockets_[timing::value(bank)]; }
    /// The built-in bank b. Its socket is free where the user has bound bank_socket(b).
    UbBank& bank(timing::BankId bank) { return banks_[timing::value(bank)]; }
    std::uint32_t bank_count() const { return static_cast<std::uint32_t>(banks_.size()); }

    /// As through `port`, for whoever holds the module: a testbench that preloads from sc_main.
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned transport_dbg(tlm::tlm_generic_payload& payload);

    /// The bytes, for the core's own accesses; null while bank traffic is on. The answer is final once
    /// before_end_of_elaboration callbacks have run; the pointer itself never changes.
    std::byte* array() { return bank_traffic_ ? nullptr : bytes_.data(); }
    std::uint64_t size_bytes() const { return size_bytes_; }  ///< logical size
    bool bank_traffic() const { return bank_traffic_; }

    /// Grants or refuses DMI on `port` from now on; refusing withdraws what was granted. Initially granted.
    void set_direct_memory(bool allowed);

    /// Called after each write on `port` and `indexed` that does not come from the core itself (metadata requester
    /// load, store or gather_scatter), for debug writes, and over the whole buffer when write DMI is granted. One
    /// listener.
    void set_write_listener(WriteListener listener);

    /// Approximately timed: foreign accesses on `port` contend for banks from now on. `own_initiators`: how many of the
    /// initiators on `port` account for their traffic themselves (the core's ports, the MTE); any further one makes the
    /// core expect foreign traffic. To be called before elaboration ends.
    void contend(engine::BankTraffic& traffic, unsigned own_initiators);

    /// Rows of foreign accesses since reset; those of the core and the MTE are in engine::Statistics.
    const timing::BankCounters& counters() const { return counters_; }

    void reset();

private:
    void before_end_of_elaboration() override;
    void end_of_elaboration() override;

    void port_b_transport(int index, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    tlm::tlm_sync_enum port_nb_transport_fw(int index, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                            sc_core::sc_time& delay);
    unsigned port_transport_dbg(int index, tlm::tlm_generic_payload& payload);
    bool port_get_direct_mem_ptr(int index, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);

    void indexed_b_transport(int index, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    tlm::tlm_sync_enum indexed_nb_transport_fw(int index, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                               sc_core::sc_time& delay);
    unsigned indexed_transport_dbg(int index, tlm::tlm_generic_payload& payload);

    bool begins_contention(const tlm::tlm_generic_payload& payload) const;
    sc_core::sc_time perform_granted(tlm::tlm_generic_payload& payload) override;
    tlm::tlm_sync_enum call_initiator(int initiator, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                      sc_core::sc_time& delay) override;
    void contention_process();
    std::uint32_t perform(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

    bool grants_direct_memory() const { return direct_memory_ && !bank_traffic_; }
    void withdraw_direct_memory();
    void notify_written(std::uint64_t address, std::uint32_t bytes);
    void notify_written(const isa::IndexedAccess& access);
    void move_lanes(const isa::IndexedAccess& access, bool write, unsigned char* data);

    sc_core::sc_time latency(timing::Direction direction, std::uint32_t beats) const;
    timing::BankCounters& counters_for(transport::Requester requester);
    std::uint32_t beats_of(const tlm::tlm_generic_payload& payload, timing::Direction direction,
                           timing::BankCounters& counters);
    std::uint32_t lanes_per_beat(const isa::IndexedAccess& access) const;

    // Bank traffic. `data` of an access to a bank: what to write, or what the array says a read must give.
    bool routes_to_banks() const { return bank_traffic_ && elaborated_; }
    void route(const tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    void route(const isa::IndexedAccess& access, const tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    void route_beat(const isa::IndexedAccess& access, LaneRange lanes, std::uint32_t word_bytes,
                    const tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    void route_debug_write(std::uint64_t address, const unsigned char* data, std::uint32_t bytes);
    transport::PayloadHandle bank_access(const tlm::tlm_generic_payload& origin, std::uint32_t address,
                                         std::uint32_t bytes);
    void perform_at_bank(transport::PooledPayload& access, std::uint32_t address, const unsigned char* data,
                         sc_core::sc_time& delay);

    timing::BankRules rules_;
    transport::ClockPeriod period_;
    std::uint32_t read_latency_;
    std::uint32_t write_latency_;
    std::uint64_t size_bytes_;
    std::vector<std::byte> bytes_;  ///< what the geometry holds, at least size_bytes_
    bool bank_traffic_;
    bool direct_memory_ = true;
    bool elaborated_ = false;

    timing::BankCounters counters_;
    timing::BankCounters ignored_counters_;  ///< takes the rows that somebody else counts
    WriteListener write_listener_;
    std::vector<bool> granted_;  ///< DMI, by initiator index
    transport::PayloadPool pool_;
    std::unique_ptr<ContendedPort> contention_;  ///< null: loosely timed
    engine::BankTraffic* traffic_ = nullptr;
    unsigned own_initiators_ = 0;
    sc_core::sc_event contention_wake_;

    sc_core::sc_vector<UbBank> banks_;
    sc_core::sc_vector<BankSocket> bank_sockets_;
};

}  // namespace vcore::ub
