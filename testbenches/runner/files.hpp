// The files that stand for global memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>

namespace vcore::runner {

/// One name for all spellings of a path, whether the file exists or not.
std::filesystem::path place_of(const std::filesystem::path& path);

class FileError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Files by their path relative to one folder; two spellings of a path are one file. Reads see earlier writes; the
/// first write to a file empties it. Every failure is a FileError that names the file.
class Files {
public:
    explicit Files(const std::string& folder) : folder_(folder) {}

    std::uint64_t size(const std::string& path);
    void read(const std::string& path, std::uint64_t offset, std::byte* data, std::uint64_t bytes);
    void write(const std::string& path, std::uint64_t offset, const std::byte* data, std::uint64_t bytes);

private:
    struct File {
        std::fstream stream;
        bool written = false;
    };
    File& open(const std::string& path, bool to_write);
    std::string full_path(const std::string& path) const;

    std::filesystem::path folder_;
    std::map<std::filesystem::path, File> files_;  ///< by place_of
    std::map<std::string, File*> spellings_;       ///< by the path as it is spelled
};

}  // namespace vcore::runner
