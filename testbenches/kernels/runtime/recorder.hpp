// Writes what a kernel did as a program that `vcore-sim run` replays with the same bytes and the same cycles.
//
// The program is FILE.vprog; bytes that came from global memory stand beside it, in FILE.bin. Bytes that leave the UB
// are written as `expect`, so that the program checks itself. Ordinary code that wrote the UB by pointer is found by
// comparing the UB with a copy before each op, which makes recording slow.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "models/engine/core.hpp"
#include "models/isa/ops.hpp"

namespace vcore::kernels {

class Recorder {
public:
    /// Throws runner::UsageError for a file that cannot be written. `ub` holds `ub_bytes` zeros. `how` says in the
    /// program what it is: "product ascend950, mode at".
    Recorder(const std::string& path, const std::byte* ub, std::uint64_t ub_bytes, const std::string& how);

    /// Before the op, the transfer, the restart is performed.
    void op(const isa::Op& op);
    void transfer(const engine::TransferRequest& request, const std::byte* data);
    void restart();
    /// After it: what the UB holds now is its doing.
    void performed(const isa::Op& op);
    void performed_transfer();

    /// Closes what is open. Throws runner::UsageError where the files could not be written.
    void close();

private:
    void note_scalar_writes();
    void data(std::uint64_t begin, std::uint64_t end);
    void emit(const std::string& statement);
    std::string counter(std::int64_t count);
    void flush_vf();

    std::string path_;
    std::ofstream program_;
    std::ofstream bytes_;
    std::string bytes_name_;
    std::uint64_t bytes_written_ = 0;
    const std::byte* ub_;
    std::vector<std::byte> shadow_;
    bool in_vf_ = false;
    std::string vf_;                             // statements of the running vf
    std::map<std::int64_t, unsigned> declared_;  // how many names of that value there are
    std::map<std::int64_t, unsigned> counted_;   // in the running vf
};

}  // namespace vcore::kernels
