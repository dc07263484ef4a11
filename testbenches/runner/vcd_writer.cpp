#include "testbenches/runner/vcd_writer.hpp"

#include <fmt/format.h>

#include <ostream>
#include <stdexcept>

namespace vcore::runner {

VcdWriter::Signal VcdWriter::add(const std::string& scope, const std::string& name) {
    if (started_) {
        throw std::logic_error(fmt::format("signal {}.{} comes too late: the waveform has started", scope, name));
    }
    signals_.push_back({scope, name});
    return signals_.size() - 1;
}

/// Identifier codes are any printable characters.
std::string VcdWriter::code_of(Signal signal) {
    constexpr char kFirst = '!';
    constexpr std::size_t kCharacters = '~' - '!' + 1;
    std::string code;
    do {
        code += static_cast<char>(kFirst + signal % kCharacters);
        signal /= kCharacters;
    } while (signal > 0);
    return code;
}

void VcdWriter::start() {
    started_ = true;
    stream_ << "$timescale 1 ps $end\n";
    for (Signal signal = 0; signal < signals_.size(); ++signal) {
        const Named& named = signals_[signal];
        const bool opens = signal == 0 || signals_[signal - 1].scope != named.scope;
        if (opens && signal > 0) stream_ << "$upscope $end\n";
        if (opens) stream_ << "$scope module " << named.scope << " $end\n";
        stream_ << "$var wire 1 " << code_of(signal) << " " << named.name << " $end\n";
    }
    if (!signals_.empty()) stream_ << "$upscope $end\n";
    stream_ << "$enddefinitions $end\n#0\n$dumpvars\n";
    for (Signal signal = 0; signal < signals_.size(); ++signal) stream_ << "0" << code_of(signal) << "\n";
    stream_ << "$end\n";
}

void VcdWriter::at(std::uint64_t time) {
    if (time == time_) return;
    time_ = time;
    stream_ << "#" << time << "\n";
}

void VcdWriter::change(std::uint64_t time, Signal signal, bool value) {
    at(time);
    stream_ << (value ? "1" : "0") << code_of(signal) << "\n";
}

void VcdWriter::end(std::uint64_t time) {
    at(time);
}

}  // namespace vcore::runner
