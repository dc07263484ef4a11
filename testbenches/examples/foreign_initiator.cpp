// A bench of your own: any TLM-2.0 initiator on a UB port, and ops on the core's op socket.
#include <array>
#include <cstdint>
#include <iostream>

#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>
#include <tlm>

#include "platforms/product_tops.hpp"
#include "tlm/op_initiator.hpp"

using namespace vcore;
using isa::ElementType;
using isa::MregId;
using isa::UbAddress;
using isa::VregId;

class Bench : public sc_core::sc_module {
public:
    tlm_utils::simple_initiator_socket<Bench> memory{"memory"};  // a DMA, a CPU model: nothing of this project
    transport::OpInitiator ops{"ops"};
    bool passed = false;

    Bench(sc_core::sc_module_name name, double clock_mhz) : sc_module(name), clock_(clock_mhz) {
        SC_HAS_PROCESS(Bench);
        SC_THREAD(run);
    }

private:
    using Words = std::array<std::uint32_t, 64>;

    void run() {
        Words table{}, index{}, result{};
        for (std::uint32_t lane = 0; lane < 64; ++lane) {
            table[lane] = 100 + lane;
            index[lane] = 63 - lane;
        }
        access(tlm::TLM_WRITE_COMMAND, 0x1000, table);
        access(tlm::TLM_WRITE_COMMAND, 0x0400, index);

        ops.issue(isa::VfBegin{});
        ops.issue(isa::CreateMask{ElementType::u32, MregId{0}, isa::MaskPattern::all});
        ops.issue(isa::Load{ElementType::u32, VregId{0}, UbAddress{0x400}});
        ops.issue(isa::Gather{ElementType::u32, ElementType::u32, ElementType::u32, VregId{1}, UbAddress{0x1000},
                              VregId{0}, MregId{0}});
        ops.issue(isa::Store{ElementType::u32, UbAddress{0x800}, VregId{1}, MregId{0}});
        const auto& end = ops.issue(isa::VfEnd{});
        ops.run_to(end.complete_cycle, clock_);  // a vector function is called, not waited for

        access(tlm::TLM_READ_COMMAND, 0x0800, result);
        std::cout << "lane 0 = " << result[0] << ", lane 63 = " << result[63] << ", " << end.complete_cycle
                  << " cycles\n";
        passed = ops.ok() && result[0] == 163 && result[63] == 100;
    }

    void access(tlm::tlm_command command, std::uint64_t address, Words& words) {
        tlm::tlm_generic_payload payload;
        payload.set_command(command);
        payload.set_address(address);
        payload.set_data_ptr(reinterpret_cast<unsigned char*>(words.data()));
        payload.set_data_length(sizeof(words));
        payload.set_streaming_width(sizeof(words));
        memory->b_transport(payload, ops.local_time);
        if (!payload.is_response_ok()) SC_REPORT_ERROR("/bench", payload.get_response_string().c_str());
    }

    transport::ClockPeriod clock_;
};

int sc_main(int, char**) {
    platforms::Ascend950 top("top");
    Bench bench("bench", top.configuration().clock_mhz);
    bench.memory.bind(top.ub.port);
    bench.ops.socket.bind(top.core.op_socket);
    sc_core::sc_start();
    for (const auto& diagnostic : top.core.engine().diagnostics().entries()) std::cout << diagnostic.message << '\n';
    return bench.passed ? 0 : 1;
}
