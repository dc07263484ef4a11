// Two reports of runs side by side: what got slower or faster, and why.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace vcore::runner {

/// Text that is no report of a run; the message says where.
class ReportError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct ReportDiff {
    std::string text;      ///< for people
    bool differs = false;  ///< whether any count of cycles, rows or conflicts does
};

/// `a_name` and `b_name` stand for the files. Throws ReportError.
ReportDiff diff_reports(std::string_view a_text, const std::string& a_name, std::string_view b_text,
                        const std::string& b_name);

}  // namespace vcore::runner
