#include "testbenches/conformance/reports.hpp"

#include <utility>

#include <gtest/gtest.h>
#include <systemc>

namespace vcore::conformance {

class ReportWatch {
public:
    static void on_report(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
        for (ExpectedReport* expected = innermost; expected != nullptr; expected = expected->outer_) {
            if (expected->id_ != report.get_msg_type()) continue;
            ++expected->count_;
            expected->text_ = report.get_msg();
            if (report.get_severity() == sc_core::SC_FATAL) throw report;
            return;
        }
        if (report.get_severity() >= sc_core::SC_WARNING) {
            ADD_FAILURE_AT(report.get_file_name(), report.get_line_number())
                << "unexpected report " << report.get_msg_type() << ": " << report.get_msg();
        }
        sc_core::sc_report_handler::default_handler(report, actions);
    }

    static inline ExpectedReport* innermost = nullptr;
};

ExpectedReport::ExpectedReport(std::string id) : id_(std::move(id)), outer_(ReportWatch::innermost) {
    ReportWatch::innermost = this;
}

ExpectedReport::~ExpectedReport() {
    ReportWatch::innermost = outer_;
    EXPECT_GT(count_, 0U) << "no report " << id_ << " came";
}

void watch_reports() {
    sc_core::sc_report_handler::set_handler(&ReportWatch::on_report);
}

}  // namespace vcore::conformance
