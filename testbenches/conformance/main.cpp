// Runs GoogleTest under SystemC's main(), one process per test.
//
// SystemC elaborates once per process, so a process never runs two tests: asked for several, the program runs each in a
// child of its own.
#include <fnmatch.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <systemc>

#include "testbenches/conformance/reports.hpp"

namespace {

bool matches_any(const std::string& name, const std::string& patterns) {
    std::istringstream stream(patterns);
    for (std::string pattern; std::getline(stream, pattern, ':');) {
        if (fnmatch(pattern.c_str(), name.c_str(), 0) == 0) return true;
    }
    return false;
}

/// GoogleTest's rule: POSITIVE[-NEGATIVE], each a list of patterns separated by colons.
bool selected(const std::string& name, const std::string& filter) {
    const std::size_t minus = filter.find('-');
    const std::string positive = filter.substr(0, minus);
    const std::string negative = minus == std::string::npos ? "" : filter.substr(minus + 1);
    return matches_any(name, positive.empty() ? "*" : positive) && !matches_any(name, negative);
}

std::vector<std::string> selected_tests() {
    std::vector<std::string> names;
    const ::testing::UnitTest& unit_test = *::testing::UnitTest::GetInstance();
    for (int s = 0; s < unit_test.total_test_suite_count(); ++s) {
        const ::testing::TestSuite& suite = *unit_test.GetTestSuite(s);
        for (int t = 0; t < suite.total_test_count(); ++t) {
            const std::string name = std::string(suite.name()) + "." + suite.GetTestInfo(t)->name();
            if (selected(name, ::testing::GTEST_FLAG(filter))) names.push_back(name);
        }
    }
    return names;
}

/// Runs one test in this process.
int run(const std::string& name) {
    ::testing::GTEST_FLAG(filter) = name;
    vcore::conformance::watch_reports();
    return RUN_ALL_TESTS();
}

}  // namespace

int sc_main(int argc, char** argv) {
    ::testing::InitGoogleMock(&argc, argv);
    if (::testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();

    const std::vector<std::string> names = selected_tests();
    if (names.empty()) {
        std::fputs("no test has such a name\n", stderr);
        return 1;
    }
    if (names.size() == 1) return run(names.front());

    std::vector<std::string> failed;
    for (const std::string& name : names) {
        std::fflush(nullptr);
        const pid_t child = fork();
        if (child < 0) {
            std::perror("fork");
            return 1;
        }
        if (child == 0) return run(name);
        int status = 0;
        waitpid(child, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) failed.push_back(name);
    }
    std::printf("%zu of %zu tests passed, each in its own process\n", names.size() - failed.size(), names.size());
    for (const std::string& name : failed) std::printf("FAILED: %s\n", name.c_str());
    return failed.empty() ? 0 : 1;
}
