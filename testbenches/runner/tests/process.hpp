// Runs vcore-sim as a user does, and a folder of its own for each test.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace vcore::runner::tests {

struct Finished {
    int status = -1;  ///< exit status, or -1 where the process died otherwise
    std::string out;
    std::string err;
};

/// Runs a program in the folder and waits for it. `environment` holds settings "NAME=VALUE" to add.
Finished run_program(const std::string& program, const std::vector<std::string>& arguments,
                     const std::filesystem::path& folder, const std::vector<std::string>& environment = {});
/// The same for vcore-sim.
Finished run_vcore_sim(const std::vector<std::string>& arguments, const std::filesystem::path& folder);

/// A new folder, removed with all it holds.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    /// Writes a file into it and returns its full path.
    std::string write(const std::string& name, const std::string& content) const;
    std::string read(const std::string& name) const;

private:
    std::filesystem::path path_;
};

}  // namespace vcore::runner::tests
