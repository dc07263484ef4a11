// The table of statements that are ops of the vector core. A new op is one new entry.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "testbenches/runner/program.hpp"
#include "testbenches/runner/statement_reader.hpp"

namespace vcore::runner {

struct OpStatementInfo {
    std::string name;  ///< "mask.gen"
    std::string form;  ///< "mask.gen mD TYPE vS part=K", as documentation and errors write it
    std::vector<std::string> options;
    void (*read)(StatementReader& reader, OpStatement& statement) = nullptr;  ///< up to the end of the operands
};

const std::vector<OpStatementInfo>& op_statements();

}  // namespace vcore::runner
