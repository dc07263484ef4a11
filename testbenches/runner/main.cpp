// vcore-sim. SystemC wants to be entered through sc_main, and would print its banner on the way.
#include <cstdlib>
#include <exception>
#include <iostream>

#include <systemc>

#include "testbenches/runner/command_line.hpp"

int sc_main(int argc, char* argv[]) {
    try {
        return vcore::runner::run_command_line({argv + 1, argv + argc});
    } catch (const std::exception& error) {
        std::cerr << "vcore-sim: the model failed: " << error.what() << "\n";
        constexpr int kModelFailed = 3;
        return kModelFailed;
    }
}

int main(int argc, char* argv[]) {
    setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 1);
    return sc_core::sc_elab_and_sim(argc, argv);
}
