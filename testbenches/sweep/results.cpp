#include "testbenches/sweep/results.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>

namespace vcore::sweep {
namespace {

std::string point_prefix(std::uint64_t number) {
    return fmt::format("{{\"point\":{},", number);
}

bool starts_with(const std::string& text, const std::string& prefix) {
    return text.compare(0, prefix.size(), prefix) == 0;
}

/// Line 1 where it is one.
std::optional<Json> parsed_header(const std::string& line) {
    Json header = Json::parse(line, nullptr, false);
    const bool is_header = header.is_object() && header.contains("sweep") && header["sweep"] == 1 &&
                           header.contains("hash") && header["hash"].is_string() && header.contains("points") &&
                           header["points"].is_number_unsigned() && header.contains("shard") &&
                           header["shard"].is_number_unsigned() && header.contains("shards") &&
                           header["shards"].is_number_unsigned();
    if (!is_header) return std::nullopt;
    return header;
}

std::string header_text(const Json& specification, const std::string& hash, std::uint64_t points, const Shard& shard) {
    Json header;
    header["sweep"] = 1;
    header["hash"] = hash;
    header["points"] = points;
    header["shard"] = shard.index;
    header["shards"] = shard.total;
    header["specification"] = specification;
    return header.dump() + "\n";
}

}  // namespace

std::string header_line(const Specification& specification, const Shard& shard) {
    return header_text(specification.document(), specification.hash(), specification.points(), shard);
}

// ---- writing

ResultsWriter::ResultsWriter(std::string path, const Specification& specification, const Shard& shard)
    : path_(std::move(path)) {
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0) fail(fmt::format("cannot be written: {}", std::strerror(errno)));
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0) fail("is being written by another sweep");
    const std::string header = header_line(specification, shard);
    resume(header, shard);
    if (kept_ == 0 && ::lseek(file_, 0, SEEK_END) <= 0) write(header);
}

ResultsWriter::~ResultsWriter() {
    if (file_ >= 0) ::close(file_);
}

void ResultsWriter::resume(const std::string& header, const Shard& shard) {
    struct stat status {};
    if (::fstat(file_, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) return;
    std::ifstream stream(path_, std::ios::binary);
    std::string line;
    std::uint64_t whole = 0;  // bytes of whole lines
    while (std::getline(stream, line)) {
        if (stream.eof()) {
            was_cut_ = true;
            break;
        }
        if (whole == 0) {
            const auto found = parsed_header(line);
            if (!found) fail("holds something else than results of a sweep; remove it, or name another file");
            if (line + "\n" != header) {
                fail(fmt::format(
                    "holds results of another specification or shard (hash {}, shard {} of {}; now {}, "
                    "shard {} of {}); it is kept as it is: name another file",
                    (*found)["hash"].get<std::string>(), (*found)["shard"].dump(), (*found)["shards"].dump(),
                    parsed_header(header)->at("hash").get<std::string>(), shard.index, shard.total));
            }
        } else {
            if (!starts_with(line, point_prefix(shard.number(kept_))) || line.back() != '}') {
                fail(fmt::format("line {}: found another text than the result of point {}; it is kept as it is",
                                 kept_ + 2, shard.number(kept_)));
            }
            ++kept_;
        }
        whole += line.size() + 1;
    }
    if (whole == 0 && header.compare(0, line.size(), line) != 0) {
        fail("holds something else than results of a sweep; remove it, or name another file");
    }
    if (was_cut_ && ::ftruncate(file_, static_cast<off_t>(whole)) != 0) {
        fail(fmt::format("cannot be cut to whole lines: {}", std::strerror(errno)));
    }
    ::lseek(file_, 0, SEEK_END);
}

void ResultsWriter::write(const std::string& text) {
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t written = ::write(file_, text.data() + done, text.size() - done);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) {
            fail(fmt::format("cannot be written: {}; {} points are kept, and the same command goes on from there",
                             std::strerror(errno), kept_));
        }
        done += static_cast<std::size_t>(written);
    }
}

void ResultsWriter::append(const std::string& lines, std::uint64_t count) {
    write(lines);
    kept_ += count;
}

void ResultsWriter::fail(const std::string& what) const {
    throw ResultsError(fmt::format("results '{}': {}", path_, what));
}

// ---- reading

ResultsReader::ResultsReader(std::string path) : path_(std::move(path)), stream_(path_, std::ios::binary) {
    std::error_code ignored;
    if (!stream_ || std::filesystem::is_directory(path_, ignored)) fail("cannot be read");
    if (!next_line()) fail("is empty");
    const auto header = parsed_header(line_);
    if (!header) fail("holds something else than results of a sweep");
    header_ = *header;
    hash_ = header_["hash"].get<std::string>();
    points_ = header_["points"].get<std::uint64_t>();
    shard_ = {header_["shard"].get<std::uint64_t>(), header_["shards"].get<std::uint64_t>()};
    if (shard_.total == 0 || shard_.index >= shard_.total) fail("names a shard that cannot be");
}

bool ResultsReader::next_line() {
    if (!std::getline(stream_, line_)) return false;
    ++line_number_;
    if (stream_.eof()) {
        fail(fmt::format("is cut in the middle of line {}: run that sweep again, it goes on from there", line_number_));
    }
    line_ += '\n';
    return true;
}

const std::string& ResultsReader::line(std::uint64_t number) {
    if (!next_line()) fail(fmt::format("ends before point {}: run that sweep again, it goes on from there", number));
    if (!starts_with(line_, point_prefix(number))) {
        fail(fmt::format("line {}: found another text than the result of point {}", line_number_, number));
    }
    return line_;
}

void ResultsReader::end() {
    if (next_line()) fail(fmt::format("line {}: found more than its {} points", line_number_, shard_.share(points_)));
}

void ResultsReader::fail(const std::string& what) const {
    throw ResultsError(fmt::format("results '{}': {}", path_, what));
}

// ---- merging

namespace {

/// The readers in the order of their shards.
std::vector<std::unique_ptr<ResultsReader>> open_shards(const std::vector<std::string>& paths) {
    std::vector<std::unique_ptr<ResultsReader>> shards;
    for (const std::string& path : paths) {
        auto reader = std::make_unique<ResultsReader>(path);
        if (shards.empty()) shards.resize(paths.size());
        const Shard& shard = reader->shard();
        if (shard.total != paths.size()) {
            throw ResultsError(fmt::format("results '{}' are shard {} of {}, found {} files: expected every shard once",
                                           path, shard.index, shard.total, paths.size()));
        }
        std::unique_ptr<ResultsReader>& place = shards[shard.index];
        if (place) {
            throw ResultsError(fmt::format("results '{}' and '{}' are both shard {} of {}: expected every shard once",
                                           place->path(), path, shard.index, shard.total));
        }
        place = std::move(reader);
    }
    for (const auto& shard : shards) {
        if (shard->hash() == shards[0]->hash() &&
            shard->header()["specification"] == shards[0]->header()["specification"])
            continue;
        throw ResultsError(fmt::format("results '{}' and '{}' are of different specifications (hash {} and {})",
                                       shards[0]->path(), shard->path(), shards[0]->hash(), shard->hash()));
    }
    return shards;
}

}  // namespace

void merge(const std::vector<std::string>& paths, const std::string& output) {
    const auto shards = open_shards(paths);
    // Written beside and renamed: the output is whole, or what it was before.
    const std::string part = output + ".part";
    const auto fail = [&] {
        const std::string reason = std::strerror(errno);
        std::remove(part.c_str());
        throw ResultsError(fmt::format("results '{}': cannot be written: {}", output, reason));
    };
    std::ofstream stream(part, std::ios::binary | std::ios::trunc);
    if (!stream) fail();
    try {
        const ResultsReader& first = *shards[0];
        stream << header_text(first.header()["specification"], first.hash(), first.points(), {});
        for (std::uint64_t number = 0; number < first.points(); ++number) {
            if (!(stream << shards[number % shards.size()]->line(number))) fail();
        }
        for (const auto& shard : shards) shard->end();
    } catch (const ResultsError&) {
        std::remove(part.c_str());
        throw;
    }
    stream.close();
    if (!stream || std::rename(part.c_str(), output.c_str()) != 0) fail();
}

}  // namespace vcore::sweep
