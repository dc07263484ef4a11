// The C functions: arguments are checked, exceptions stop here.
#include "platforms/c_library/vcore.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "models/isa/diagnostics.hpp"
#include "platforms/c_library/instance.hpp"
#include "platforms/c_library/op_translation.hpp"
#include "platforms/products.hpp"

namespace {

using vcore::c_library::Instance;

thread_local std::string last_error;

vcore_status fail(vcore_status status, std::string text) noexcept {
    try {
        last_error = std::move(text);
    } catch (...) {
        last_error.clear();
    }
    return status;
}

vcore_status null_pointer(const char* argument) {
    return fail(VCORE_BAD_ARGUMENT, std::string(argument) + " is NULL");
}

/// Runs `call`, which returns a status, and lets no exception out.
template <typename Call>
vcore_status guarded(Call call) noexcept {
    try {
        return call();
    } catch (const vcore::engine::ConfigurationError& error) {
        return fail(VCORE_CONFIGURATION, error.what());
    } catch (const std::bad_alloc&) {
        return fail(VCORE_NO_MEMORY, "not enough memory");
    } catch (const std::exception& error) {
        return fail(VCORE_INTERNAL, error.what());
    } catch (...) {
        return fail(VCORE_INTERNAL, "an unknown exception");
    }
}

/// Keeps other threads out of an instance for the length of a call.
class Turn {
public:
    explicit Turn(Instance& instance) : instance_(instance), mine_(!instance.in_call.test_and_set()) {}
    ~Turn() {
        if (mine_) instance_.in_call.clear();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    bool mine() const { return mine_; }

private:
    Instance& instance_;
    bool mine_;
};

/// Runs `call` on the core behind a handle.
template <typename Call>
vcore_status with(vcore_handle handle, Call call) noexcept {
    return guarded([&] {
        const std::shared_ptr<Instance> instance = vcore::c_library::find_instance(handle);
        if (instance == nullptr) {
            return fail(VCORE_BAD_HANDLE,
                        "no core has the handle " + std::to_string(handle) + ": it was destroyed, or never made");
        }
        const Turn turn(*instance);
        if (!turn.mine()) return fail(VCORE_BUSY, "another thread is in a call on this core");
        return call(*instance);
    });
}

vcore_status wrong_size(const char* structure, std::size_t size, std::size_t expected) {
    return fail(VCORE_WRONG_SIZE, std::string(structure) + ".size is " + std::to_string(size) + ", expected " +
                                      std::to_string(expected) + ": set it to sizeof(" + structure +
                                      ") and compile with the header of this library");
}

vcore_status deadlock_of(Instance& instance) {
    return instance.deadlock().empty() ? VCORE_OK : fail(VCORE_DEADLOCK, instance.deadlock());
}

vcore_status copy_text(const std::string& text, char* buffer, std::size_t bytes, std::size_t* needed) {
    if (buffer == nullptr && bytes != 0) return null_pointer("buffer");
    if (needed != nullptr) *needed = text.size() + 1;
    if (bytes < text.size() + 1) {
        return fail(VCORE_SHORT_BUFFER, "the text takes " + std::to_string(text.size() + 1) +
                                            " bytes, the buffer has " + std::to_string(bytes));
    }
    std::memcpy(buffer, text.c_str(), text.size() + 1);
    return VCORE_OK;
}

// ---- creation

template <typename Load>
vcore_status create(const char* const* overrides, std::size_t count, uint32_t mode, vcore_handle* core, Load load) {
    if (core == nullptr) return null_pointer("core");
    if (mode != VCORE_MODE_LT && mode != VCORE_MODE_AT) {
        return fail(VCORE_BAD_ARGUMENT,
                    "mode is " + std::to_string(mode) + ", expected VCORE_MODE_LT or VCORE_MODE_AT");
    }
    if (overrides == nullptr && count != 0) return null_pointer("overrides");
    return guarded([&] {
        std::vector<std::string> assignments;
        for (std::size_t i = 0; i < count; ++i) {
            if (overrides[i] == nullptr) return null_pointer(("overrides[" + std::to_string(i) + "]").c_str());
            assignments.emplace_back(overrides[i]);
        }
        const auto engine_mode =
            mode == VCORE_MODE_LT ? vcore::engine::Mode::loosely_timed : vcore::engine::Mode::approximately_timed;
        *core = vcore::c_library::add_instance(std::make_shared<Instance>(load(assignments), engine_mode));
        return VCORE_OK;
    });
}

// ---- bytes

/// A stretch of bytes of a core, or why there is none.
struct Stretch {
    vcore_status status = VCORE_OK;
    std::byte* bytes = nullptr;
};

Stretch ub_stretch(Instance& instance, std::uint64_t address, std::size_t bytes) {
    const std::uint64_t size = instance.ub_bytes();
    if (bytes > size || address > size - bytes) {
        return {fail(VCORE_BAD_ARGUMENT, std::to_string(bytes) + " bytes at address " + std::to_string(address) +
                                             " do not lie in the UB of " + std::to_string(size) + " bytes"),
                nullptr};
    }
    return {VCORE_OK, instance.ub() + address};
}

Stretch register_stretch(const char* kind, std::uint32_t number, std::uint32_t registers, std::size_t bytes,
                         std::size_t register_bytes) {
    if (number >= registers) {
        return {fail(VCORE_BAD_ARGUMENT, std::string(kind) + " register " + std::to_string(number) +
                                             " does not exist; legal are 0.." + std::to_string(registers - 1)),
                nullptr};
    }
    if (bytes != register_bytes) {
        return {fail(VCORE_SHORT_BUFFER, std::string("a ") + kind + " register has " + std::to_string(register_bytes) +
                                             " bytes, the buffer " + std::to_string(bytes)),
                nullptr};
    }
    return {};
}

Stretch vector_stretch(Instance& instance, std::uint32_t number, std::size_t bytes) {
    Stretch result = register_stretch("vector", number, vcore::isa::kVectorRegisters, bytes, vcore::isa::kVectorBytes);
    if (result.status == VCORE_OK) result.bytes = instance.registers().vector[number].bytes.data();
    return result;
}

Stretch mask_stretch(Instance& instance, std::uint32_t number, std::size_t bytes) {
    Stretch result =
        register_stretch("mask", number, vcore::isa::kMaskRegisters, bytes, sizeof(vcore::isa::MaskRegister));
    if (result.status == VCORE_OK) {
        result.bytes = reinterpret_cast<std::byte*>(instance.registers().mask[number].words.data());
    }
    return result;
}

vcore_status compare(const Stretch& actual, const void* expected, const void* care, std::size_t bytes,
                     std::size_t* differences, std::size_t* first) {
    const auto* want = static_cast<const unsigned char*>(expected);
    const auto* mask = static_cast<const unsigned char*>(care);
    std::size_t count = 0;
    std::size_t first_at = bytes;
    for (std::size_t i = 0; i < bytes; ++i) {
        const unsigned difference = std::to_integer<unsigned>(actual.bytes[i]) ^ want[i];
        if ((difference & (mask == nullptr ? 0xFFU : mask[i])) == 0) continue;
        if (count++ == 0) first_at = i;
    }
    *differences = count;
    *first = first_at;
    return VCORE_OK;
}

/// Calls `use` with a stretch of the core behind `handle`, where both exist.
template <typename Find, typename Use>
vcore_status with_bytes(vcore_handle handle, const void* data, std::size_t bytes, Find find, Use use) noexcept {
    return with(handle, [&](Instance& instance) {
        if (data == nullptr && bytes != 0) return null_pointer("data");
        const Stretch stretch = find(instance);
        if (stretch.status != VCORE_OK || bytes == 0) return stretch.status;
        use(instance, stretch.bytes);
        return VCORE_OK;
    });
}

template <typename Find>
vcore_status compare_bytes(vcore_handle handle, const void* expected, const void* care, std::size_t bytes,
                           std::size_t* differences, std::size_t* first, Find find) noexcept {
    return with(handle, [&](Instance& instance) {
        if (expected == nullptr && bytes != 0) return null_pointer("expected");
        if (differences == nullptr) return null_pointer("differences");
        if (first == nullptr) return null_pointer("first");
        const Stretch stretch = find(instance);
        if (stretch.status != VCORE_OK) return stretch.status;
        return compare(stretch, expected, care, bytes, differences, first);
    });
}

// ---- ops

vcore_status report(Instance& instance, const vcore::engine::OpResult& done, vcore_result* result) {
    result->fault = static_cast<std::uint32_t>(done.fault);
    result->ticket = done.ticket;
    result->dispatch_cycle = done.dispatch.count();
    result->issue_cycle = done.issue.count();
    result->complete_cycle = done.complete.count();
    result->pending = done.pending ? 1 : 0;
    if (done.fault == vcore::isa::DiagnosticId::none) return deadlock_of(instance);
    const auto& entries = instance.core().diagnostics().entries();
    const auto last = std::find_if(entries.rbegin(), entries.rend(),
                                   [&done](const vcore::isa::Diagnostic& entry) { return entry.id == done.fault; });
    return fail(VCORE_REFUSED, last != entries.rend() ? last->message : std::string(vcore::isa::info(done.fault).text));
}

const vcore::isa::Diagnostic* diagnostic_at(Instance& instance, std::size_t index) {
    const auto& entries = instance.core().diagnostics().entries();
    if (index < entries.size()) return &entries[index];
    fail(VCORE_UNKNOWN,
         "there is no diagnostic " + std::to_string(index) + ": the core has " + std::to_string(entries.size()));
    return nullptr;
}

}  // namespace

#define VCORE_TEXT_OF(number) #number
#define VCORE_TEXT(number) VCORE_TEXT_OF(number)

extern "C" {

const char* vcore_version(void) {
    return VCORE_TEXT(VCORE_VERSION_MAJOR) "." VCORE_TEXT(VCORE_VERSION_MINOR);
}

const char* vcore_last_error(void) {
    return last_error.c_str();
}

const char* vcore_fault_name(uint32_t id) {
    if (id == 0) return "none";
    const auto& table = vcore::isa::diagnostic_table();
    return id <= table.size() ? table[id - 1].text.data() : nullptr;
}

vcore_status vcore_create(const char* product, const char* const* overrides, size_t count, uint32_t mode,
                          vcore_handle* core) {
    if (product == nullptr) return null_pointer("product");
    return create(overrides, count, mode, core, [product](const std::vector<std::string>& assignments) {
        return vcore::platforms::load_product(product, assignments);
    });
}

vcore_status vcore_create_json(const char* json, const char* name, const char* const* overrides, size_t count,
                               uint32_t mode, vcore_handle* core) {
    if (json == nullptr) return null_pointer("json");
    if (name == nullptr) return null_pointer("name");
    return create(overrides, count, mode, core, [json, name](const std::vector<std::string>& assignments) {
        return vcore::platforms::load_text(json, name, assignments);
    });
}

vcore_status vcore_destroy(vcore_handle core) {
    const vcore_status free = with(core, [](Instance&) { return VCORE_OK; });
    if (free != VCORE_OK) return free;
    return guarded([core] {
        return vcore::c_library::remove_instance(core)
                   ? VCORE_OK
                   : fail(VCORE_BAD_HANDLE, "another thread has destroyed the core meanwhile");
    });
}

vcore_status vcore_reset(vcore_handle core) {
    return with(core, [](Instance& instance) {
        instance.reset();
        return VCORE_OK;
    });
}

vcore_status vcore_configuration_hash(vcore_handle core, char* buffer, size_t bytes, size_t* needed) {
    return with(core,
                [&](Instance& instance) { return copy_text(instance.configuration().hash, buffer, bytes, needed); });
}

vcore_status vcore_ub_size(vcore_handle core, uint64_t* bytes) {
    return with(core, [&](Instance& instance) {
        if (bytes == nullptr) return null_pointer("bytes");
        *bytes = instance.ub_bytes();
        return VCORE_OK;
    });
}

vcore_status vcore_write_ub(vcore_handle core, uint64_t address, const void* data, size_t bytes) {
    const auto find = [&](Instance& instance) { return ub_stretch(instance, address, bytes); };
    return with_bytes(core, data, bytes, find, [&](Instance& instance, std::byte* place) {
        std::memcpy(place, data, bytes);
        instance.core().mark_written(static_cast<std::uint32_t>(address), static_cast<std::uint32_t>(bytes));
    });
}

vcore_status vcore_read_ub(vcore_handle core, uint64_t address, void* data, size_t bytes) {
    const auto find = [&](Instance& instance) { return ub_stretch(instance, address, bytes); };
    return with_bytes(core, data, bytes, find,
                      [&](Instance&, const std::byte* place) { std::memcpy(data, place, bytes); });
}

vcore_status vcore_write_vector(vcore_handle core, uint32_t number, const void* data, size_t bytes) {
    const auto find = [&](Instance& instance) { return vector_stretch(instance, number, bytes); };
    return with_bytes(core, data, bytes, find, [&](Instance& instance, std::byte* place) {
        std::memcpy(place, data, bytes);
        instance.core().mark_written(vcore::isa::VregId{number});
    });
}

vcore_status vcore_read_vector(vcore_handle core, uint32_t number, void* data, size_t bytes) {
    const auto find = [&](Instance& instance) { return vector_stretch(instance, number, bytes); };
    return with_bytes(core, data, bytes, find,
                      [&](Instance&, const std::byte* place) { std::memcpy(data, place, bytes); });
}

vcore_status vcore_write_mask(vcore_handle core, uint32_t number, const void* data, size_t bytes) {
    const auto find = [&](Instance& instance) { return mask_stretch(instance, number, bytes); };
    return with_bytes(core, data, bytes, find, [&](Instance& instance, std::byte* place) {
        std::memcpy(place, data, bytes);
        instance.core().mark_written(vcore::isa::MregId{number});
    });
}

vcore_status vcore_read_mask(vcore_handle core, uint32_t number, void* data, size_t bytes) {
    const auto find = [&](Instance& instance) { return mask_stretch(instance, number, bytes); };
    return with_bytes(core, data, bytes, find,
                      [&](Instance&, const std::byte* place) { std::memcpy(data, place, bytes); });
}

vcore_status vcore_compare_ub(vcore_handle core, uint64_t address, const void* expected, const void* care, size_t bytes,
                              size_t* differences, size_t* first) {
    return compare_bytes(core, expected, care, bytes, differences, first,
                         [&](Instance& instance) { return ub_stretch(instance, address, bytes); });
}

vcore_status vcore_compare_vector(vcore_handle core, uint32_t number, const void* expected, const void* care,
                                  size_t bytes, size_t* differences, size_t* first) {
    return compare_bytes(core, expected, care, bytes, differences, first,
                         [&](Instance& instance) { return vector_stretch(instance, number, bytes); });
}

vcore_status vcore_op_init(vcore_op* op, size_t bytes, uint32_t kind) {
    if (op == nullptr) return null_pointer("op");
    if (bytes != sizeof(vcore_op)) return wrong_size("vcore_op", bytes, sizeof(vcore_op));
    *op = vcore_op{};
    op->size = sizeof(vcore_op);
    op->version = VCORE_OP_VERSION;
    op->kind = kind;
    return VCORE_OK;
}

vcore_status vcore_issue(vcore_handle core, vcore_op* op, vcore_result* result) {
    return with(core, [&](Instance& instance) {
        if (op == nullptr) return null_pointer("op");
        if (result == nullptr) return null_pointer("result");
        if (op->size != sizeof(vcore_op)) return wrong_size("vcore_op", op->size, sizeof(vcore_op));
        if (result->size != sizeof(vcore_result)) return wrong_size("vcore_result", result->size, sizeof(vcore_result));
        if (op->version != VCORE_OP_VERSION) {
            return fail(VCORE_WRONG_SIZE, "vcore_op.version is " + std::to_string(op->version) + ", expected " +
                                              std::to_string(VCORE_OP_VERSION));
        }
        vcore::isa::Op translated;
        const vcore::c_library::BadField bad = vcore::c_library::to_op(*op, translated);
        if (bad.field != nullptr) {
            return fail(VCORE_BAD_ARGUMENT, std::string("vcore_op.") + bad.field + " is " + std::to_string(bad.value) +
                                                ", which no enumerator is");
        }
        if (deadlock_of(instance) != VCORE_OK) return VCORE_DEADLOCK;
        const vcore::engine::OpResult done = instance.issue(translated, op->line);
        if (done.fault == vcore::isa::DiagnosticId::none) vcore::c_library::update(translated, *op);
        return report(instance, done, result);
    });
}

vcore_status vcore_transfer(vcore_handle core, int into_ub, int64_t address, void* data, size_t bytes, int beside,
                            uint32_t line, vcore_result* result) {
    return with(core, [&](Instance& instance) {
        if (data == nullptr && bytes != 0) return null_pointer("data");
        if (result == nullptr) return null_pointer("result");
        if (result->size != sizeof(vcore_result)) return wrong_size("vcore_result", result->size, sizeof(vcore_result));
        if (into_ub != 0 && into_ub != 1) return fail(VCORE_BAD_ARGUMENT, "into_ub is neither 0 nor 1");
        if (beside != 0 && beside != 1) return fail(VCORE_BAD_ARGUMENT, "beside is neither 0 nor 1");
        if (bytes > static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max())) {
            return fail(VCORE_BAD_ARGUMENT, "bytes is past any memory");
        }
        if (deadlock_of(instance) != VCORE_OK) return VCORE_DEADLOCK;
        vcore::engine::TransferRequest request;
        request.direction = into_ub == 1 ? vcore::timing::Direction::write : vcore::timing::Direction::read;
        request.address = address;
        request.bytes = static_cast<std::int64_t>(bytes);
        request.beside = beside == 1;
        request.line = line;
        return report(instance, instance.transfer(request, static_cast<std::byte*>(data)), result);
    });
}

vcore_status vcore_completion(vcore_handle core, uint64_t ticket, uint64_t* issue_cycle, uint64_t* complete_cycle) {
    return with(core, [&](Instance& instance) {
        if (issue_cycle == nullptr) return null_pointer("issue_cycle");
        if (complete_cycle == nullptr) return null_pointer("complete_cycle");
        const Instance::Completion* found = instance.completion(ticket);
        if (found == nullptr) {
            return fail(VCORE_UNKNOWN, "ticket " + std::to_string(ticket) + " is of no op of the last 65536");
        }
        if (!found->known) {
            return fail(VCORE_PENDING, "ticket " + std::to_string(ticket) + " has not completed by cycle " +
                                           std::to_string(instance.now().count()));
        }
        *issue_cycle = found->issue.count();
        *complete_cycle = found->complete.count();
        return VCORE_OK;
    });
}

vcore_status vcore_step(vcore_handle core, uint64_t cycles) {
    return with(core, [&](Instance& instance) {
        instance.step(cycles);
        return deadlock_of(instance);
    });
}

vcore_status vcore_finish(vcore_handle core, uint64_t* cycle) {
    return with(core, [&](Instance& instance) {
        instance.finish();
        const vcore_status status = deadlock_of(instance);
        if (status == VCORE_OK && cycle != nullptr) *cycle = instance.now().count();
        return status;
    });
}

vcore_status vcore_cycle(vcore_handle core, uint64_t* cycle) {
    return with(core, [&](Instance& instance) {
        if (cycle == nullptr) return null_pointer("cycle");
        *cycle = instance.now().count();
        return VCORE_OK;
    });
}

vcore_status vcore_statistics_read(vcore_handle core, vcore_statistics* statistics) {
    return with(core, [&](Instance& instance) {
        if (statistics == nullptr) return null_pointer("statistics");
        if (statistics->size != sizeof(vcore_statistics)) {
            return wrong_size("vcore_statistics", statistics->size, sizeof(vcore_statistics));
        }
        const vcore::engine::Statistics& totals = instance.core().statistics();
        statistics->ops = totals.ops;
        statistics->refused = totals.refused;
        statistics->vf_calls = totals.vf_calls;
        statistics->vf_cycles = totals.vf_cycles;
        statistics->load_conflict_cycles = totals.load_conflict_cycles;
        statistics->store_conflict_cycles = totals.store_conflict_cycles;
        statistics->sub_bank_stall_cycles = totals.sub_bank_stall_cycles;
        statistics->last_completion = totals.last_completion.count();
        return VCORE_OK;
    });
}

vcore_status vcore_diagnostic_count(vcore_handle core, size_t* count) {
    return with(core, [&](Instance& instance) {
        if (count == nullptr) return null_pointer("count");
        *count = instance.core().diagnostics().entries().size();
        return VCORE_OK;
    });
}

vcore_status vcore_diagnostic_read(vcore_handle core, size_t index, vcore_diagnostic* diagnostic) {
    return with(core, [&](Instance& instance) {
        if (diagnostic == nullptr) return null_pointer("diagnostic");
        if (diagnostic->size != sizeof(vcore_diagnostic)) {
            return wrong_size("vcore_diagnostic", diagnostic->size, sizeof(vcore_diagnostic));
        }
        const vcore::isa::Diagnostic* found = diagnostic_at(instance, index);
        if (found == nullptr) return VCORE_UNKNOWN;
        diagnostic->severity = static_cast<std::uint32_t>(found->severity);
        diagnostic->id = static_cast<std::uint32_t>(found->id);
        diagnostic->line = found->line;
        diagnostic->other_line = found->other_line;
        diagnostic->lane = found->lane;
        diagnostic->has_address = found->address != vcore::isa::Fault::kNoAddress ? 1 : 0;
        diagnostic->address = diagnostic->has_address == 1 ? found->address : 0;
        diagnostic->op_index = found->op_index;
        diagnostic->count = found->count;
        return VCORE_OK;
    });
}

vcore_status vcore_diagnostic_text(vcore_handle core, size_t index, char* buffer, size_t bytes, size_t* needed) {
    return with(core, [&](Instance& instance) {
        const vcore::isa::Diagnostic* found = diagnostic_at(instance, index);
        return found == nullptr ? VCORE_UNKNOWN : copy_text(found->message, buffer, bytes, needed);
    });
}

vcore_status vcore_clear_diagnostics(vcore_handle core) {
    return with(core, [](Instance& instance) {
        instance.core().diagnostics().clear();
        return VCORE_OK;
    });
}

}  // extern "C"
