// Thread processes for tests that need several at a time.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <systemc>

namespace vcore::conformance {

/// Runs each script as a thread process and ends when all have.
class Scripts {
public:
    void add(std::function<void()> script) {
        auto prober = std::make_unique<Script>(sc_core::sc_gen_unique_name("script"));
        prober->run_ = std::move(script);
        scripts_.push_back(std::move(prober));
    }
    void run(sc_core::sc_time limit = sc_core::sc_time(100, sc_core::SC_MS)) {
        sc_core::sc_start(limit);
        for (const auto& script : scripts_) EXPECT_TRUE(script->finished_) << "a script hangs";
    }

private:
    struct Script : sc_core::sc_module {
        explicit Script(sc_core::sc_module_name name) : sc_module(name) {
            SC_HAS_PROCESS(Script);
            SC_THREAD(body);
        }
        void body() {
            run_();
            finished_ = true;
        }
        std::function<void()> run_;
        bool finished_ = false;
    };
    std::vector<std::unique_ptr<Script>> scripts_;
};

}  // namespace vcore::conformance
