#include "testbenches/kernels/runtime/wild_access.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>

#include "testbenches/kernels/runtime/fail.hpp"

namespace vcore::kernels {
namespace {

constexpr std::size_t kStackBytes = std::size_t{64} << 10;
constexpr std::uintptr_t kNullPage = 4096;
constexpr std::array<int, 2> kSignals{SIGSEGV, SIGBUS};

const CallSite* latest_site = nullptr;
std::array<struct sigaction, kSignals.size()> previous_actions;
stack_t previous_stack;
/// The kernel's own stack may be what ran out.
alignas(16) std::array<char, kStackBytes> handler_stack;

void on_signal(int, siginfo_t* info, void*) {
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    std::array<char, 1024> text;
    const int length = std::snprintf(
        text.data(), text.size(), "%s:%u: error: ordinary code after this used address 0x%llx, %s [wild-access]\n",
        latest_site->file != nullptr ? latest_site->file : "?", latest_site->line,
        static_cast<unsigned long long>(address),
        address < kNullPage ? "a null pointer or close to one" : "where there is no memory");
    const auto bytes = static_cast<std::size_t>(length) < text.size() ? static_cast<std::size_t>(length) : text.size();
    if (write(STDERR_FILENO, text.data(), bytes) < 0) _exit(kRefused);
    _exit(kRefused);
}

}  // namespace

WildAccessGuard::WildAccessGuard(const CallSite& latest) {
    latest_site = &latest;
    stack_t stack{};
    stack.ss_sp = handler_stack.data();
    stack.ss_size = handler_stack.size();
    sigaltstack(&stack, &previous_stack);
    struct sigaction action {};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &previous_actions[i]);
}

WildAccessGuard::~WildAccessGuard() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &previous_actions[i], nullptr);
    sigaltstack(&previous_stack, nullptr);
}

}  // namespace vcore::kernels
