// The file of results: a line that says of which sweep, then a line for each point, in the order of their numbers.
//
// Line 1: {"sweep":1,"hash":"…","points":N,"shard":I,"shards":T,"specification":{…}}; shard I of T holds the points
// whose number is I modulo T. What was written once stays: after an interruption the file ends with whole lines and
// perhaps a part of one, which is cut off when the sweep goes on.
// Errors: ResultsError names the file, what is wrong with it, and what is kept.
#pragma once

#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "testbenches/sweep/specification.hpp"

namespace vcore::sweep {

class ResultsError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct Shard {
    std::uint64_t index = 0;
    std::uint64_t total = 1;

    /// How many of `points` are its own, and the number of the k-th of them.
    std::uint64_t share(std::uint64_t points) const { return points / total + (index < points % total ? 1 : 0); }
    std::uint64_t number(std::uint64_t k) const { return index + k * total; }
};

/// Line 1, with its end.
std::string header_line(const Specification& specification, const Shard& shard);

/// A file to which points are added, in order. One process at a time writes it.
class ResultsWriter {
public:
    /// Opens or makes the file and keeps the points that stand in it.
    ResultsWriter(std::string path, const Specification& specification, const Shard& shard);
    ~ResultsWriter();
    ResultsWriter(const ResultsWriter&) = delete;
    ResultsWriter& operator=(const ResultsWriter&) = delete;

    /// Points in the file.
    std::uint64_t kept() const { return kept_; }
    /// Whether the file ended within a line.
    bool was_cut() const { return was_cut_; }
    /// Adds whole lines of `count` points.
    void append(const std::string& lines, std::uint64_t count);

private:
    void resume(const std::string& header, const Shard& shard);
    void write(const std::string& text);
    [[noreturn]] void fail(const std::string& what) const;

    std::string path_;
    int file_ = -1;
    std::uint64_t kept_ = 0;
    bool was_cut_ = false;
};

/// The complete results of one shard, read line by line.
class ResultsReader {
public:
    explicit ResultsReader(std::string path);

    const Shard& shard() const { return shard_; }
    std::uint64_t points() const { return points_; }  ///< of all shards
    const std::string& hash() const { return hash_; }
    const Json& header() const { return header_; }
    const std::string& path() const { return path_; }

    /// The line of that point, with its end; it must be the next one.
    const std::string& line(std::uint64_t number);
    /// Nothing may follow.
    void end();

private:
    bool next_line();
    [[noreturn]] void fail(const std::string& what) const;

    std::string path_;
    std::ifstream stream_;
    std::string line_;
    std::uint64_t line_number_ = 0;
    Json header_;
    std::string hash_;
    std::uint64_t points_ = 0;
    Shard shard_;
};

/// Puts the results of all shards of one specification together: the file that one machine would have written.
void merge(const std::vector<std::string>& shards, const std::string& output);

}  // namespace vcore::sweep
