// Writes a waveform in the VCD format (IEEE 1364, section 18): signals first, then their changes in the order of time.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace vcore::runner {

class VcdWriter {
public:
    using Signal = std::size_t;

    /// Times are in picoseconds. `stream` must outlive the writer.
    explicit VcdWriter(std::ostream& stream) : stream_(stream) {}

    /// A one-bit signal `scope.name`, 0 at the start; signals of one scope come one after the other. Throws
    /// std::logic_error after start().
    Signal add(const std::string& scope, const std::string& name);
    /// Ends the list of signals, which may be empty.
    void start();
    /// `time` never goes back. Only after start().
    void change(std::uint64_t time, Signal signal, bool value);
    /// The waveform reaches to here.
    void end(std::uint64_t time);

private:
    static std::string code_of(Signal signal);
    void at(std::uint64_t time);

    std::ostream& stream_;
    struct Named {
        std::string scope;
        std::string name;
    };
    std::vector<Named> signals_;
    bool started_ = false;
    std::uint64_t time_ = 0;
};

}  // namespace vcore::runner
