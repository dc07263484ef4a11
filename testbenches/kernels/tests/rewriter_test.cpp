// What is rewritten, what is left alone, and that lines stay where they were.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "testbenches/kernels/rewriter/rewrite.hpp"

namespace vcore::kernels {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::ptrdiff_t lines(const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
}

TEST(KernelRewriter, LaunchesOfTwoAndThreeArguments) {
    EXPECT_EQ(rewrite("add<<<8, nullptr, stream>>>(x, y);"),
              "::vcore::kernels::launch(8, nullptr, stream, [&] { add(x, y); });");
    EXPECT_EQ(rewrite("add<<<8, nullptr>>>(x);"), "::vcore::kernels::launch(8, nullptr, [&] { add(x); });");
    EXPECT_EQ(rewrite("add <<< n(1, 2), nullptr, s[0] >>> ();"),
              "::vcore::kernels::launch( n(1, 2), nullptr, s[0] , [&] { add  (); });");
}

TEST(KernelRewriter, NamesWithNamespacesAndTemplates) {
    EXPECT_EQ(rewrite("run<half><<<1, nullptr, s>>>(x);"),
              "::vcore::kernels::launch(1, nullptr, s, [&] { run<half>(x); });");
    EXPECT_EQ(rewrite("a::b<C<int>>::run<(1 > 0), D<E<2>>><<<1, nullptr, s>>>(x);"),
              "::vcore::kernels::launch(1, nullptr, s, [&] { a::b<C<int>>::run<(1 > 0), D<E<2>>>(x); });");
    EXPECT_EQ(rewrite("return ::run<<<1, nullptr, s>>>(x);"),
              "return ::vcore::kernels::launch(1, nullptr, s, [&] { ::run(x); });");
}

TEST(KernelRewriter, LaunchesOverSeveralLinesAndInMacros) {
    const std::string text = "run<half>\n  <<<blocks,\n   nullptr, // two\n   stream>>>\n  (x,\n   y);\nafter;";
    const std::string result = rewrite(text);
    EXPECT_EQ(lines(result), lines(text));
    EXPECT_EQ(result.substr(result.rfind('\n')), "\nafter;");
    EXPECT_EQ(rewrite("#define LAUNCH(n) \\\n  run<<<n, nullptr, s>>>(x)"),
              "#define LAUNCH(n) \\\n  ::vcore::kernels::launch(n, nullptr, s, [&] { run(x); })");
}

TEST(KernelRewriter, LeavesOtherTextAlone) {
    for (const char* const text : {
             "int a = b << 3 >> 1; c <<= 2; d >>= 1;",
             "// run<<<1, nullptr, s>>>(x)\n/* __ubuf__ half a[3]; */",
             "const char* s = \"run<<<1, nullptr, s>>>(x)\\\"\"; char c = '\"'; int n = 1'000;",
             "auto r = R\"x(run<<<1, nullptr, s>>>(x) \" )\" )x\"; int y;",
             "std::operator<<<char>(stream, 'a');",
             "A<B<C<int>>> nested; f<g<h<1>>>(x);",
             "void f(__ubuf__ half* p, __ubuf__ half q[], __ubuf__ half r[4], __ubuf__ half s[4][2]);",
             "__ubuf__ half* p = q; __ubuf__ half* list[4]; using T = __ubuf__ half;",
             "for (__ubuf__ half* p = a; p < b; ++p) x[0] = *p;",
         }) {
        EXPECT_EQ(rewrite(text), text);
    }
}

TEST(KernelRewriter, LocalArrays) {
    EXPECT_EQ(rewrite("__ubuf__ half a[128];"), "auto& a = ::vcore::kernels::local_array<half[(128)]>([] {}, \"a\");");
    EXPECT_EQ(rewrite("__ubuf__ std::pair<int, A<2>> a[N > 2 ? 1 : 2][3];"),
              "auto& a = ::vcore::kernels::local_array<std::pair<int, A<2>>[(N > 2 ? 1 : 2)][(3)]>([] {}, \"a\");");
    EXPECT_EQ(rewrite("alignas(32) static __ubuf__ const T a[4];"),
              "auto& a = ::vcore::kernels::local_array<const T[(4)]>([] {}, \"a\");");
    EXPECT_EQ(rewrite("half __ubuf__ a[4];"), "auto& a = ::vcore::kernels::local_array<half[(4)]>([] {}, \"a\");");
    EXPECT_EQ(rewrite("__ubuf__ half a[4], b[2 * N];"),
              "auto& a = ::vcore::kernels::local_array<half[(4)]>([] {}, \"a\"); "
              "auto& b = ::vcore::kernels::local_array<half[(2 * N)]>([] {}, \"b\");");
    EXPECT_EQ(lines(rewrite("__ubuf__\n half\n a\n[4];\nx")), 4);
}

TEST(KernelRewriter, SaysWhatItCannotRewrite) {
    const auto error = [](const std::string& text) {
        try {
            rewrite(text);
        } catch (const RewriteError& found) {
            return std::to_string(found.line()) + ": " + found.what();
        }
        return std::string();
    };
    EXPECT_THAT(error("\n\n__ubuf__ half a[2] = {1, 2};"), HasSubstr("3: the __ubuf__ array 'a' has an initialiser"));
    EXPECT_THAT(error("\nrun<<<1, 2, 3, 4>>>(x);"), HasSubstr("2: a launch with 4 arguments"));
    EXPECT_THAT(error("run<<<1, 2>>>(x;"), HasSubstr("1: the arguments of a launch are not closed"));
}

TEST(KernelRewriter, FindsQuotedIncludes) {
    EXPECT_THAT(quoted_includes("#include \"a.h\"\n// #include \"b.h\"\n#  include \"../c/d.h\" // x\n#include <e.h>\n"
                                "const char* s = \"#include\";"),
                ElementsAre("a.h", "../c/d.h"));
}

}  // namespace
}  // namespace vcore::kernels
