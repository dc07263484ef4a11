#include "testbenches/kernels/runtime/recorder.hpp"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>

#include "testbenches/runner/op_text.hpp"
#include "testbenches/runner/run_setup.hpp"

namespace vcore::kernels {
namespace {

constexpr std::uint64_t kPerLine = 32;

/// Bytes as values of a `data` or an `expect`: words where they fill some.
std::string values(const std::byte* bytes, std::uint64_t count) {
    std::string text = count % sizeof(std::uint32_t) == 0 ? "b32" : "b8";
    if (text == "b32") {
        for (std::uint64_t i = 0; i < count; i += sizeof(std::uint32_t)) {
            std::uint32_t word = 0;
            std::memcpy(&word, bytes + i, sizeof(word));
            text += fmt::format(" {:#x}", word);
        }
    } else {
        for (std::uint64_t i = 0; i < count; ++i) text += fmt::format(" {:#x}", std::to_integer<unsigned>(bytes[i]));
    }
    return text;
}

bool writes_ub(isa::OpKind kind) {
    return kind == isa::OpKind::store || kind == isa::OpKind::block_store || kind == isa::OpKind::scatter ||
           kind == isa::OpKind::mask_store || kind == isa::OpKind::tensor_scatter || kind == isa::OpKind::tensor_add;
}

}  // namespace

Recorder::Recorder(const std::string& path, const std::byte* ub, std::uint64_t ub_bytes, const std::string& how)
    : path_(path), ub_(ub), shadow_(ub_bytes) {
    const std::filesystem::path file(path);
    if (file.extension() != ".vprog") {
        throw runner::UsageError(fmt::format("unknown extension '{}' of the recording '{}', expected .vprog",
                                             file.extension().string(), path));
    }
    std::filesystem::path bytes = file;
    bytes.replace_extension(".bin");
    bytes_name_ = bytes.filename().string();
    runner::check_output_path("recording", path, "");
    runner::check_output_path("recording", bytes.string(), "");
    program_.open(path, std::ios::trunc | std::ios::binary);
    bytes_.open(bytes, std::ios::trunc | std::ios::binary);
    program_ << "# Recorded from a kernel: " << how << "\n";
}

void Recorder::emit(const std::string& statement) {
    if (in_vf_) {
        vf_ += "  " + statement + "\n";
    } else {
        program_ << statement << "\n";
    }
}

void Recorder::note_scalar_writes() {
    const std::uint64_t size = shadow_.size();
    if (std::memcmp(ub_, shadow_.data(), size) == 0) return;
    for (std::uint64_t begin = 0; begin < size;) {
        if (ub_[begin] == shadow_[begin]) {
            ++begin;
            continue;
        }
        std::uint64_t end = begin + 1;
        while (end < size && end - begin < kPerLine && ub_[end] != shadow_[end]) ++end;
        data(begin, end);
        begin = end;
    }
    std::memcpy(shadow_.data(), ub_, size);
}

void Recorder::data(std::uint64_t begin, std::uint64_t end) {
    emit(fmt::format("data {:#x} {}", begin, values(ub_ + begin, end - begin)));
}

/// A name with this value: one that has not been counted down in the running vf, where it has its old value.
std::string Recorder::counter(std::int64_t count) {
    const unsigned number = ++counted_[count];
    const std::string name = number == 1 ? fmt::format("n{}", count) : fmt::format("n{}_{}", count, number);
    if (declared_[count] < number) {
        declared_[count] = number;
        program_ << fmt::format("let {} = {}\n", name, count);
    }
    return name;
}

void Recorder::flush_vf() {
    program_ << vf_;
    vf_.clear();
    counted_.clear();
    in_vf_ = false;
}

void Recorder::op(const isa::Op& op) {
    note_scalar_writes();
    if (const auto* update = std::get_if<isa::UpdateMask>(&op)) {
        emit(runner::statement_of(op, counter(update->count)));
        return;
    }
    if (std::holds_alternative<isa::VfBegin>(op)) {
        vf_ = runner::statement_of(op) + "\n";
        in_vf_ = true;
        return;
    }
    if (std::holds_alternative<isa::VfEnd>(op)) {
        vf_ += runner::statement_of(op) + "\n";
        flush_vf();
        return;
    }
    emit(runner::statement_of(op));
}

void Recorder::performed(const isa::Op& op) {
    if (writes_ub(isa::kind_of(op))) std::memcpy(shadow_.data(), ub_, shadow_.size());
}

void Recorder::performed_transfer() {
    std::memcpy(shadow_.data(), ub_, shadow_.size());
}

void Recorder::transfer(const engine::TransferRequest& request, const std::byte* data) {
    note_scalar_writes();
    const auto bytes = static_cast<std::uint64_t>(request.bytes);
    if (request.direction == timing::Direction::write) {
        emit(fmt::format("mte.in {:#x} {} \"{}\" offset={}", request.address, request.bytes, bytes_name_,
                         bytes_written_));
        bytes_.write(reinterpret_cast<const char*>(data), request.bytes);
        bytes_written_ += bytes;
        return;
    }
    const auto first = static_cast<std::uint64_t>(request.address);
    for (std::uint64_t begin = 0; first + bytes <= shadow_.size() && begin < bytes; begin += kPerLine) {
        const std::uint64_t count = std::min(kPerLine, bytes - begin);
        emit(fmt::format("expect {:#x} {}", first + begin, values(ub_ + first + begin, count)));
    }
    emit(fmt::format("mte.out {:#x} {}", request.address, request.bytes));
}

void Recorder::restart() {
    note_scalar_writes();
    emit("restart");
    std::fill(shadow_.begin(), shadow_.end(), std::byte{});
}

void Recorder::close() {
    if (in_vf_) {
        vf_ += "}\n";
        flush_vf();
    }
    program_.flush();
    bytes_.flush();
    if (!program_ || !bytes_) throw runner::UsageError(fmt::format("cannot write the recording '{}'", path_));
}

}  // namespace vcore::kernels
