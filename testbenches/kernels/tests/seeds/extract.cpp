// Takes the functions that the seed pages print out of the pages: extract FOLDER OUTPUT
//
// Each function goes into a namespace of its own, with nothing changed. Of gather_vf, which its page prints for half,
// there is also a variant for every other type that the page lists, in which only the type names are replaced.
#include <cstddef>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

namespace {

std::string content_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        std::cerr << "cannot read " << path << "\n";
        std::exit(1);
    }
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// From occurrence `which` of `start` to the brace that closes the function.
std::string function_at(const std::string& page, const std::string& start, int which) {
    std::size_t at = page.find(start);
    for (; which > 0 && at != std::string::npos; --which) at = page.find(start, at + 1);
    if (at == std::string::npos) {
        std::cerr << "the page has no '" << start << "'\n";
        std::exit(1);
    }
    std::size_t end = page.find('{', at);
    int depth = 0;
    do {
        depth += page[end] == '{' ? 1 : page[end] == '}' ? -1 : 0;
        ++end;
    } while (depth > 0);
    return page.substr(at, end - at);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
        text.replace(at, from.size(), to);
    }
    return text;
}

struct Variant {
    const char* type;
    const char* index;
    const char* mask;
};

}  // namespace

int main(int count, char** arguments) {
    if (count != 3) return 2;
    const std::string folder = arguments[1];
    const std::string c_page = content_of(folder + "/000_73d8e6cfa1f69853.txt");
    const std::string mask_page = content_of(folder + "/001_4e40c520f8f92896.txt");
    const std::string scatter_page = content_of(folder + "/002_18ff6f0a61c0008e.txt");
    const std::string reg_page = content_of(folder + "/003_23e5ab2d7677630c.txt");
    std::ofstream out(arguments[2], std::ios::binary);
    const auto put = [&out](const std::string& name, const std::string& code) {
        out << "namespace " << name << " {\n" << code << "\n}  // namespace " << name << "\n\n";
    };

    put("reg_ub", function_at(reg_page, "template <typename T, typename U>\n__simd_vf__ inline void GatherVF", 0));
    put("reg_register",
        function_at(reg_page, "template <typename T, typename U>\n__simd_vf__ inline void GatherVF", 1));
    put("mask_gen", function_at(mask_page, "template <typename T, int16_t offset>\n__simd_vf__", 0));

    const std::string from_ub = function_at(c_page, "__simd_vf__ inline void gather_vf", 0);
    const std::string from_register = function_at(c_page, "__simd_vf__ inline void gather_vf", 1);
    put("c_ub", from_ub);
    put("c_register", from_register);
    const auto variant = [](const std::string& code, const Variant& v) {
        std::string text = replaced(code, "vector_half", std::string("vector_") + v.type);
        text = replaced(text, "__ubuf__ half*", std::string("__ubuf__ ") + v.type + "*");
        text = replaced(text, "vector_uint16_t index", std::string("vector_") + v.index + " index");
        text = replaced(text, "__ubuf__ uint16_t* index_addr", std::string("__ubuf__ ") + v.index + "* index_addr");
        return replaced(text, "asc_update_mask_b16", std::string("asc_update_mask_") + v.mask);
    };
    for (const Variant& v : std::vector<Variant>{{"int16_t", "uint16_t", "b16"},
                                                 {"uint16_t", "uint16_t", "b16"},
                                                 {"bfloat16_t", "uint16_t", "b16"},
                                                 {"int32_t", "uint32_t", "b32"},
                                                 {"uint32_t", "uint32_t", "b32"},
                                                 {"float", "uint32_t", "b32"}}) {
        put(std::string("c_ub_") + v.type, variant(from_ub, v));
    }
    for (const Variant& v : std::vector<Variant>{{"int8_t", "uint8_t", "b8"},
                                                 {"uint8_t", "uint8_t", "b8"},
                                                 {"hifloat8_t", "uint8_t", "b8"},
                                                 {"fp8_e8m0_t", "uint8_t", "b8"},
                                                 {"fp8_e5m2_t", "uint8_t", "b8"},
                                                 {"fp8_e4m3fn_t", "uint8_t", "b8"},
                                                 {"int16_t", "uint16_t", "b16"},
                                                 {"uint16_t", "uint16_t", "b16"},
                                                 {"bfloat16_t", "uint16_t", "b16"},
                                                 {"int32_t", "uint32_t", "b32"},
                                                 {"uint32_t", "uint32_t", "b32"}}) {
        put(std::string("c_register_") + v.type, variant(from_register, v));
    }

    // The call of Scatter stands in no function; its declaration of the count lacks a semicolon on the page.
    const std::size_t call = scatter_page.find("AscendC::Scatter(dstLocal");
    if (call == std::string::npos) return 1;
    const std::string statement = scatter_page.substr(call, scatter_page.find(';', call) + 1 - call);
    out << "template <typename T>\nvoid scatter_call(const AscendC::LocalTensor<T>& dstLocal, const "
           "AscendC::LocalTensor<T>& srcLocal,\n                  const AscendC::LocalTensor<uint32_t>& "
           "dstOffsetLocal)\n{\n    uint32_t m_elementCount = 128;\n    "
        << statement << "\n}\n";
    return out ? 0 : 1;
}
