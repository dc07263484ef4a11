#include "testbenches/runner/statement_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "testbenches/runner/literal.hpp"
#include "testbenches/runner/suggestion.hpp"

namespace vcore::runner {
namespace {

constexpr std::string_view kVectorRegister = "a vector register (v0 to v31)";
constexpr std::string_view kMaskRegister = "a mask register (m0 to m7)";

/// The number of "v17"; the text is_register().
std::int64_t register_number(const Scanner& scanner, std::string_view text) {
    std::int64_t number = 0;
    const auto result = std::from_chars(text.data() + 1, text.data() + text.size(), number);
    if (result.ec != std::errc()) scanner.fail(text, "a register number that fits 64 bits");
    return number;
}

std::vector<std::string> type_names() {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < isa::kElementTypes; ++i) names.emplace_back(name(static_cast<isa::ElementType>(i)));
    return names;
}

}  // namespace

bool is_register(std::string_view text, char letter) {
    return text.size() > 1 && text[0] == letter && text.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

std::string_view StatementReader::word() {
    collect_options();
    return scanner_.field();
}

std::string_view StatementReader::peek_word() {
    collect_options();
    return scanner_.peek();
}

std::string_view StatementReader::word_or_fail(std::string_view expected) {
    const std::string_view field = word();
    if (field.empty()) scanner_.fail(field, expected);
    return field;
}

void StatementReader::collect_options() {
    while (true) {
        const std::string_view field = scanner_.peek();
        const std::size_t sign = field.find('=');
        if (sign == std::string_view::npos || !is_name(field.substr(0, sign))) return;
        scanner_.field();
        const Option option{field, field.substr(0, sign), field.substr(sign + 1)};
        check_option(option);
        options_.push_back(option);
    }
}

void StatementReader::check_option(const Option& option) const {
    if (std::find(known_.begin(), known_.end(), option.name) == known_.end()) {
        const std::string expected =
            known_.empty() ? "expected none in this statement" : fmt::format("expected {}=", fmt::join(known_, "=, "));
        scanner_.complain(option.field, fmt::format("found option {}, {}{}", quoted(option.name), expected,
                                                    suggestion(option.name, known_)));
    }
    if (std::any_of(options_.begin(), options_.end(), [&](const Option& o) { return o.name == option.name; })) {
        scanner_.complain(option.field, fmt::format("found option {} twice, expected it once", quoted(option.name)));
    }
    if (option.value.empty()) {
        scanner_.complain(option.field, fmt::format("found nothing after {}, expected a value with no blank before it",
                                                    quoted(option.field)));
    }
}

Expression StatementReader::expression(std::string_view expected) {
    return parse(word_or_fail(expected));
}

Expression StatementReader::address() {
    const std::string_view field = word();
    if (field.size() < 2 || field.front() != '[') scanner_.fail(field, "an address in brackets, as [0x400]");
    if (field.back() != ']') scanner_.fail(field.substr(field.rfind(']') + 1), "a blank after ']'");
    return parse_expression(scanner_, field.substr(1, field.size() - 2), names_, true);
}

isa::VregId StatementReader::vector_register() {
    const std::string_view field = word();
    if (!is_register(field, 'v')) scanner_.fail(field, kVectorRegister);
    return isa::VregId{register_number(scanner_, field)};
}

isa::VectorOperand StatementReader::vector_operand() {
    const std::string_view field = word();
    const std::size_t colon = field.find(':');
    const std::string_view low = field.substr(0, colon);
    if (!is_register(low, 'v')) scanner_.fail(field, "a vector register (v0 to v31) or a pair of them, as v4:v5");
    const isa::VregId first{register_number(scanner_, low)};
    if (colon == std::string_view::npos) return first;
    const std::string_view high = field.substr(colon + 1);
    if (!is_register(high, 'v')) scanner_.fail(field, "a pair of vector registers, as v4:v5");
    return {first, isa::VregId{register_number(scanner_, high)}};
}

isa::MregId StatementReader::mask_register() {
    const std::string_view field = word();
    if (!is_register(field, 'm')) scanner_.fail(field, kMaskRegister);
    return isa::MregId{register_number(scanner_, field)};
}

isa::ElementType StatementReader::type() {
    const std::string_view field = word();
    if (const auto found = isa::element_type(field)) return *found;
    const std::string hint = field.empty() ? std::string() : suggestion(field, type_names());
    scanner_.fail(field, fmt::format("an element type ({}){}", fmt::join(type_names(), " "), hint));
}

std::uint64_t StatementReader::value(isa::ElementType type) {
    return parse_value(scanner_, word(), type);
}

FilePath StatementReader::path() {
    const std::string_view field = word();
    if (field.empty() || field[0] != '"') scanner_.fail(field, "a path in quotes");
    if (field.size() == 2) scanner_.complain(field, "found an empty path, expected the name of a file");
    return {std::string(field.substr(1, field.size() - 2)), scanner_.position(field.data())};
}

const StatementReader::Option* StatementReader::find_option(std::string_view name) {
    collect_options();
    const auto found =
        std::find_if(options_.begin(), options_.end(), [name](const Option& option) { return option.name == name; });
    return found == options_.end() ? nullptr : &*found;
}

bool StatementReader::has_option(std::string_view name) {
    return find_option(name) != nullptr;
}

std::optional<Expression> StatementReader::optional_option(std::string_view name) {
    const Option* option = find_option(name);
    return option == nullptr ? std::nullopt : std::optional<Expression>(parse(option->value));
}

Expression StatementReader::option_or(std::string_view name, std::int64_t value) {
    const auto given = optional_option(name);
    return given ? *given : Expression(value);
}

Expression StatementReader::option(std::string_view name) {
    return parse(option_text(name));
}

std::string_view StatementReader::option_text(std::string_view name) {
    const Option* option = find_option(name);
    if (option != nullptr) return option->value;
    scanner_.fail(scanner_.peek(), fmt::format("option {}=", name));
}

std::pair<Expression, Expression> StatementReader::option_words(std::string_view name) {
    const std::string_view text = option_text(name);
    const std::size_t comma = text.find(',');
    if (comma == std::string_view::npos) scanner_.fail(text, "two numbers with a comma between them");
    return {word_of_bits(text.substr(0, comma)), word_of_bits(text.substr(comma + 1))};
}

Expression StatementReader::word_of_bits(std::string_view text) {
    std::uint64_t word = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), word);
    const bool is_decimal = result.ec == std::errc() && result.ptr == text.data() + text.size();
    return is_decimal ? Expression(static_cast<std::int64_t>(word)) : parse(text);
}

void StatementReader::end_of_statement() {
    const std::string_view field = word();
    if (!field.empty()) scanner_.fail(field, "end of line");
}

void StatementReader::opening_brace() {
    const std::string_view field = word();
    if (field != "{") scanner_.fail(field, "'{'");
    const std::string_view rest = scanner_.field();
    if (!rest.empty()) scanner_.fail(rest, "end of line after '{'");
}

}  // namespace vcore::runner
