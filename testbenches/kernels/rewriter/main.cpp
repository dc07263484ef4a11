// vcore-kernel-rewrite: prepares a kernel's source for a C++ compiler (rewrite.hpp), with the local headers it
// includes.
//
//     vcore-kernel-rewrite SOURCE FOLDER OUTPUT [DEPENDENCIES]
//
// Writes OUTPUT: the folder FOLDER mirrors absolute paths, so that an include by relative path finds the rewritten
// header. Each file begins with #line, so that compilers and diagnostics name the original. DEPENDENCIES is a makefile
// for the build system. Exit status: 0, or 2 with a message "FILE:LINE: error: …".
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <string>

#include "testbenches/kernels/rewriter/rewrite.hpp"

namespace {

namespace fs = std::filesystem;

constexpr int kBadInput = 2;

struct Failure {
    std::string text;
};

std::string read(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream) throw Failure{"vcore-kernel-rewrite: cannot read '" + path.string() + "'"};
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// Leaves a file alone that is right already, so that nothing is compiled again.
void write(const fs::path& path, const std::string& text) {
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored) && read(path) == text) return;
    fs::create_directories(path.parent_path());
    std::ofstream stream(path, std::ios::trunc | std::ios::binary);
    stream << text << std::flush;
    if (!stream) throw Failure{"vcore-kernel-rewrite: cannot write '" + path.string() + "'"};
}

fs::path mirrored(const fs::path& folder, const fs::path& file) {
    fs::path result = folder / file.relative_path();
    // .asc and the like are C++ whatever they are called.
    return result;
}

void rewrite_file(const fs::path& file, const fs::path& output, const fs::path& folder, std::set<fs::path>& seen) {
    if (!seen.insert(file).second) return;
    const std::string text = read(file);
    std::string rewritten;
    try {
        rewritten = vcore::kernels::rewrite(text);
    } catch (const vcore::kernels::RewriteError& error) {
        throw Failure{file.string() + ":" + std::to_string(error.line()) + ": error: " + error.what()};
    }
    write(output, "#line 1 \"" + file.string() + "\"\n" + rewritten);
    for (const std::string& name : vcore::kernels::quoted_includes(text)) {
        const fs::path included = (file.parent_path() / name).lexically_normal();
        std::error_code ignored;
        if (!fs::is_regular_file(included, ignored)) continue;  // on the include path
        rewrite_file(included, mirrored(folder, included), folder, seen);
    }
}

std::string escaped(const fs::path& path) {
    std::string text;
    for (const char c : path.string()) {
        if (c == ' ' || c == '#') text += '\\';
        if (c == '$') text += '$';
        text += c;
    }
    return text;
}

}  // namespace

int main(int argc, char* argv[]) {
    if (argc != 4 && argc != 5) {
        std::cerr << "usage: vcore-kernel-rewrite SOURCE FOLDER OUTPUT [DEPENDENCIES]\n";
        return kBadInput;
    }
    try {
        const fs::path source = fs::absolute(argv[1]).lexically_normal();
        std::set<fs::path> seen;
        rewrite_file(source, argv[3], fs::absolute(argv[2]), seen);
        if (argc == 5) {
            std::string rule = escaped(argv[3]) + ":";
            for (const fs::path& file : seen) rule += " \\\n  " + escaped(file);
            write(argv[4], rule + "\n");
        }
    } catch (const Failure& failure) {
        std::cerr << failure.text << "\n";
        return kBadInput;
    }
    return 0;
}
