#include "testbenches/runner/files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace vcore::runner {

std::filesystem::path place_of(const std::filesystem::path& path) {
    // Made absolute first: what does not exist yet would else be named from where its path starts.
    std::error_code error;
    const std::filesystem::path full = std::filesystem::absolute(path, error);
    const std::filesystem::path place = std::filesystem::weakly_canonical(full, error);
    return error ? full.lexically_normal() : place;
}

std::string Files::full_path(const std::string& path) const {
    return (folder_ / path).string();
}

Files::File& Files::open(const std::string& path, bool to_write) {
    const std::string full = full_path(path);
    File*& known = spellings_[path];
    if (known == nullptr) known = &files_[place_of(full)];
    File& file = *known;
    if (file.stream.is_open() && (file.written || !to_write)) return file;
    std::error_code ignored;
    if (std::filesystem::is_directory(full, ignored)) throw FileError(fmt::format("'{}' is a directory", full));
    // Opening a FIFO waits for somebody at its other end.
    if (std::filesystem::is_fifo(full, ignored)) {
        throw FileError(fmt::format("'{}' is a FIFO, expected a plain file", full));
    }
    if (file.stream.is_open()) file.stream.close();
    file.stream.clear();
    constexpr auto kRead = std::ios::in | std::ios::binary;
    errno = 0;
    file.stream.open(full, to_write ? kRead | std::ios::out | std::ios::trunc : kRead);
    if (!file.stream.is_open()) {
        throw FileError(
            fmt::format("cannot {} the file '{}': {}", to_write ? "write" : "read", full, std::strerror(errno)));
    }
    file.written = to_write;
    return file;
}

std::uint64_t Files::size(const std::string& path) {
    std::fstream& stream = open(path, false).stream;
    stream.clear();
    stream.seekg(0, std::ios::end);
    const auto end = stream.tellg();
    if (end < 0) throw FileError(fmt::format("'{}' has no size, expected a plain file", full_path(path)));
    return static_cast<std::uint64_t>(end);
}

void Files::read(const std::string& path, std::uint64_t offset, std::byte* data, std::uint64_t bytes) {
    const std::uint64_t length = size(path);
    if (offset > length || bytes > length - offset) {
        throw FileError(fmt::format("found {1} bytes in '{0}', expected {2} from offset {3}", full_path(path), length,
                                    bytes, offset));
    }
    if (bytes == 0) return;
    std::fstream& stream = open(path, false).stream;
    stream.seekg(static_cast<std::streamoff>(offset));
    stream.read(reinterpret_cast<char*>(data), static_cast<std::streamsize>(bytes));
    if (!stream) throw FileError(fmt::format("cannot read the file '{}'", full_path(path)));
}

void Files::write(const std::string& path, std::uint64_t offset, const std::byte* data, std::uint64_t bytes) {
    std::fstream& stream = open(path, true).stream;
    stream.clear();
    if (bytes == 0) return;
    stream.seekp(static_cast<std::streamoff>(offset));
    stream.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(bytes));
    stream.flush();
    if (!stream) throw FileError(fmt::format("cannot write the file '{}'", full_path(path)));
}

}  // namespace vcore::runner
