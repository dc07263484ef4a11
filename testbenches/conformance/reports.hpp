// SystemC reports in tests: a warning or error that a test did not announce fails it.
#pragma once

#include <cstddef>
#include <string>

namespace vcore::conformance {

/// While it lives, reports with this id are expected; when it dies, at least one must have come. An expected warning or
/// error is swallowed and the model goes on; an expected fatal report is thrown as sc_core::sc_report, since nothing
/// may go on behind it.
class ExpectedReport {
public:
    explicit ExpectedReport(std::string id);
    ~ExpectedReport();
    ExpectedReport(const ExpectedReport&) = delete;
    ExpectedReport& operator=(const ExpectedReport&) = delete;

    std::size_t count() const { return count_; }
    const std::string& text() const { return text_; }  ///< of the last one

private:
    friend class ReportWatch;
    std::string id_;
    std::string text_;
    std::size_t count_ = 0;
    ExpectedReport* outer_;
};

/// Called once by sc_main: from now on unexpected reports of severity warning and above are test failures.
void watch_reports();

}  // namespace vcore::conformance
