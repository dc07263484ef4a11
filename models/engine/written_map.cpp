#include "models/engine/written_map.hpp"

namespace vcore::engine {

WrittenMap::WrittenMap(std::uint64_t bytes) : ub_bytes_(bytes) {
    const std::uint64_t pages = (bytes + kPageBytes - 1) / kPageBytes;
    bytes_.resize(pages * kPageWords);
    pages_.resize((pages + 63) / 64);
    reset();
}

void WrittenMap::reset() {
    std::fill(bytes_.begin(), bytes_.end(), 0);
    std::fill(pages_.begin(), pages_.end(), 0);
    // A last page that the UB fills only in part must be able to become full.
    for (std::uint64_t byte = ub_bytes_; byte < bytes_.size() * kWordBytes; ++byte) {
        set_bit(bytes_, byte);
    }
}

bool WrittenMap::pages_full(std::uint32_t low, std::uint32_t high) const {
    const std::uint32_t first = low / kPageBytes;
    const std::uint32_t last = (high - 1) / kPageBytes;
    const std::uint64_t from_first = kEveryByte << (first % 64);
    const std::uint64_t to_last = low_bits(last % 64 + 1);
    if (first / 64 == last / 64) return (~pages_[first / 64] & from_first & to_last) == 0;
    std::uint64_t missing = (~pages_[first / 64] & from_first) | (~pages_[last / 64] & to_last);
    for (std::uint32_t word = first / 64 + 1; word < last / 64; ++word) missing |= ~pages_[word];
    return missing == 0;
}

void WrittenMap::note_if_full(std::uint32_t page) {
    const std::uint64_t* words = &bytes_[page * kPageWords];
    if ((words[0] & words[1] & words[2] & words[3]) == kEveryByte) set_bit(pages_, page);
}

void WrittenMap::mark(std::uint32_t address, std::uint32_t bytes) {
    const std::uint64_t end = std::uint64_t{address} + bytes;
    isa::ContiguousAccess part;
    for (std::uint64_t at = address; at < end; at += part.bytes) {
        const std::uint64_t page_end = (at / kPageBytes + 1) * kPageBytes;
        part.address = static_cast<std::uint32_t>(at);
        part.bytes = static_cast<std::uint32_t>(std::min(end, page_end) - at);
        mark(part);
    }
}

void WrittenMap::mark(const TouchedPages& touched) {
    for (std::uint32_t i = 0; i < touched.count; ++i) {
        std::uint64_t* words = &bytes_[touched.page[i] * kPageWords];
        for (std::uint32_t k = 0; k < kPageWords; ++k) words[k] |= touched.bits[i][k];
        note_if_full(touched.page[i]);
    }
}

void WrittenMap::mark(const isa::ContiguousAccess& access) {
    if (access.bytes == 0 || pages_full(access.address, access.address + access.bytes)) return;
    TouchedPages touched;
    touched.assign(access);
    mark(touched);
}

void WrittenMap::mark(const isa::BlockAccess& access) {
    TouchedPages touched;
    touched.assign(access);
    mark(touched);
}

void WrittenMap::mark(const isa::IndexedAccess& access) {
    if (access.low == access.high || pages_full(access.low, access.high)) return;
    for_each_lane(access, [this](std::uint32_t word, std::uint64_t bits) {
        if ((bytes_[word] & bits) == bits) return;
        bytes_[word] |= bits;
        note_if_full(word / kPageWords);
    });
}

std::int64_t WrittenMap::first_unwritten(const TouchedPages& touched) const {
    for (std::uint32_t i = 0; i < touched.count; ++i) {
        const std::uint64_t* words = &bytes_[touched.page[i] * kPageWords];
        for (std::uint32_t k = 0; k < kPageWords; ++k) {
            const std::uint64_t missing = touched.bits[i][k] & ~words[k];
            if (missing != 0) return touched.page[i] * kPageBytes + k * kWordBytes + lowest_bit(missing);
        }
    }
    return kAllWritten;
}

std::int64_t WrittenMap::first_unwritten(const isa::ContiguousAccess& access) const {
    if (access.bytes == 0 || pages_full(access.address, access.address + access.bytes)) return kAllWritten;
    TouchedPages touched;
    touched.assign(access);
    return first_unwritten(touched);
}

std::int64_t WrittenMap::first_unwritten(const isa::BlockAccess& access) const {
    TouchedPages touched;
    touched.assign(access);
    return first_unwritten(touched);
}

std::int64_t WrittenMap::first_unwritten(const isa::IndexedAccess& access) const {
    if (access.low == access.high || pages_full(access.low, access.high)) return kAllWritten;
    std::int64_t found = kAllWritten;
    any_lane(access, [&](std::uint32_t word, std::uint64_t bits) {
        const std::uint64_t missing = bits & ~bytes_[word];
        if (missing != 0) found = word * kWordBytes + lowest_bit(missing);
        return missing != 0;
    });
    return found;
}

bool WrittenMap::all_written(std::uint32_t address, std::uint32_t bytes) const {
    if (bytes == 0) return true;
    const std::uint32_t end = address + bytes;
    if (pages_full(address, end)) return true;
    for (std::uint32_t word = address / kWordBytes; word <= (end - 1) / kWordBytes; ++word) {
        if ((range_bits(address, end, word) & ~bytes_[word]) != 0) return false;
    }
    return true;
}

}  // namespace vcore::engine
