/* SPDX-License-Identifier: MIT */
/* Labels as LaTeX: what they say, and that nothing in them is obeyed. */
#include <ctype.h>

#include "base/arena.h"
#include "out/plots/label.h"
#include "support/test.h"

static bool beyond;

static const char *tex(const char *text, zw_out_mode mode) {
    static char out[4000];
    const zw_allocator alloc = zw_allocator_default();
    zw_text t;
    zw_text_init(&t, &alloc);
    beyond = false;
    zw_out_label_tex(&t, text, mode, 9, &beyond);
    assert_false(t.failed);
    snprintf(out, sizeof out, "%s", zw_text_get(&t));
    zw_text_clear(&t);
    return out;
}

static const char *name(const char *text) {
    return tex(text, ZW_OUT_NAME);
}

static void test_tex__names_are_mathematics(void **state) {
    (void)state;
    assert_string_equal(name("theta_1'"), "$\\dot{{\\theta}}_{{1}}$");
    assert_string_equal(name("x''"), "$\\ddot{{x}}$");
    assert_string_equal(name("energy"), "$\\mathrm{energy}$");
    assert_string_equal(name("lambda(roll)"), "${\\lambda}{(}\\mathrm{roll}{)}$");
    assert_string_equal(name("1e-8"), "${10}^{{-}{8}}$");
    assert_string_equal(name("x^2"), "${x}^{{2}}$");
    assert_string_equal(name("a [m/s^2]"), "${a}\\ {[}\\mathrm{m}{/}\\mathrm{s}^{{2}}{]}$");
    assert_string_equal(name("\"run_1\""), "run\\_1");
    assert_false(beyond);
}

/* two indices, two exponents at one letter are an error of TeX's */
static void test_tex__no_double_index(void **state) {
    (void)state;
    assert_string_equal(name("x^2^3"), "${x}^{{2}{3}}$");
    assert_string_equal(name("x_1^2"), "${x}_{{1}}^{{2}}$");
    assert_string_equal(name("x_1_2"), "${x}_{{1}{,}{2}}$");
    assert_string_equal(name("^2"), "$^{{2}}$");
}

static void test_tex__data_are_not_obeyed(void **state) {
    (void)state;
    assert_string_equal(tex("\\input{/etc/passwd}", ZW_OUT_PLAIN),
                        "\\textbackslash{}input\\{/etc/passwd\\}");
    assert_string_equal(tex("50% & #1_a^b~$x$", ZW_OUT_PLAIN),
                        "50\\%\\ \\&\\ \\#1\\_a\\textasciicircum{}b\\textasciitilde{}"
                        "\\ensuremath{\\$}x\\ensuremath{\\$}");
    assert_string_equal(tex("^^5cinput", ZW_OUT_PLAIN),
                        "\\textasciicircum{}\\textasciicircum{}5cinput");
    assert_string_equal(tex("a\n\nb\x01\xff", ZW_OUT_PLAIN), "a\\ \\ b?{}?{}");
    /* in names, units and quotations too: a backslash is never followed by a letter of the data */
    static const char *const hostile[] = {"\\end{document}",
                                          "x_\\undefined",
                                          "{\\write18{ls}}",
                                          "[m\\n]",
                                          "\"\\csname x\\endcsname\"",
                                          "a%b",
                                          "x^\\b"};
    static const char *const harmless[] = {"textbackslash", "mbox", "zwf", "mathrm", "ensuremath"};
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++)
        for (const char *s = name(hostile[i]); (s = strchr(s, '\\')); s++) {
            bool known = !isalpha((unsigned char)s[1]);
            for (size_t k = 0; k < sizeof harmless / sizeof *harmless; k++)
                known = known || strncmp(s + 1, harmless[k], strlen(harmless[k])) == 0;
            assert_true(known);
        }
    assert_null(strstr(name("a%b"), "a%"));
}

static void test_tex__letters_beyond(void **state) {
    (void)state;
    assert_string_equal(tex("Ångström θ", ZW_OUT_PLAIN), "Ångström\\ \\ensuremath{\\theta}");
    assert_false(beyond);
    assert_string_equal(tex("日本", ZW_OUT_PLAIN), "日本");
    assert_true(beyond);
    tex("Ęż", ZW_OUT_PLAIN);
    assert_true(beyond);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tex__names_are_mathematics),
        cmocka_unit_test(test_tex__no_double_index),
        cmocka_unit_test(test_tex__data_are_not_obeyed),
        cmocka_unit_test(test_tex__letters_beyond),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
