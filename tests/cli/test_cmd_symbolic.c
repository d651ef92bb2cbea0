/* SPDX-License-Identifier: MIT */
/* The command for formulas: what it tells, what it refuses. */
#include "support/command.h"

static answer linearise(const char *arguments) {
    return *zwang_verb("linearise", arguments);
}

static void test_cmd_symbolic__tells_formulas(void **state) {
    (void)state;
    answer a =
        linearise(MODEL("tippedisk_reduced") " --symbolic --steady inverted_spin --for Omega");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "Omega = (r + e)*sqrt(g*m/(r*J_2))        [H_2]");
    a = linearise(MODEL(
        "rolling_disc") " --at \"with w [rad/s] : beta = pi/2, gamma' = w\" --symbolic --json");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "\"entries\": [\"beta\", \"alpha'\", \"beta'\", \"gamma'\"]");
    a = linearise(MODEL("double_pendulum") " --taylor 2 --steady hanging --format latex");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "\\tilde{\\phi}_{1}");
    assert_has(a.out, "\\end{document}");
}

/* a document in a file is not shown, too; formulas are no matrices of numbers */
static void test_cmd_symbolic__files(void **state) {
    (void)state;
    answer a = linearise(MODEL("double_pendulum") " --symbolic --steady hanging --out s.tex");
    assert_int_equal(a.code, 0);
    assert_string_equal(a.out, "");
    char text[1 << 14];
    read_file("s.tex", text, sizeof text);
    assert_has(text, "\\end{document}");
    a = linearise(MODEL("double_pendulum") " --symbolic --steady hanging --equations s.txt");
    assert_int_equal(a.code, 0);
    read_file("s.txt", text, sizeof text);
    assert_has(text, "Characteristic polynomial");
    a = linearise(MODEL("double_pendulum") " --symbolic --steady hanging --matrices m/");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "--matrices is for numbers, not for formulas");
    a = linearise(MODEL("double_pendulum") " --symbolic --steady hanging --out s.csv");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "--out FILE.tex has the formulas");
}

/* without formulas the motion is where the search begins */
static void test_cmd_symbolic__motions_are_starts(void **state) {
    (void)state;
    answer a = linearise(MODEL("double_pendulum") " --steady standing --json");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "\"name\": \"phi_1\",\n      \"value\": 3.14159265358979");
    a = linearise(MODEL("chaplygin_sleigh") " --at \"u = 2 [m/s]\"");
    assert_int_equal(a.code, 0);
    a = linearise(MODEL("chaplygin_sleigh") " --steady glide");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "the symbol c of the motion has no value");
}

static void test_cmd_symbolic__refuses(void **state) {
    (void)state;
    answer a = linearise(MODEL("double_pendulum") " --symbolic");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "has 2 steady motions");
    a = linearise(MODEL("double_pendulum") " --symbolic --at \"phi_1 = 1\"");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "is not an equilibrium: there the rate of phi_1' is");
    a = linearise(MODEL("double_pendulum") " --symbolic --at \"phi_3 = 1\"");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "--at:1:1: error: there is no name 'phi_3'");
    a = linearise(MODEL("double_pendulum") " --for g");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "--for is for formulas");
    a = linearise(MODEL("double_pendulum") " --symbolic --steady hanging --hold phi_1");
    assert_int_equal(a.code, 1);
    a = linearise(MODEL("bicycle") " --symbolic --at \"lean = 0\"");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "too long to print");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cmd_symbolic__tells_formulas),
        cmocka_unit_test(test_cmd_symbolic__files),
        cmocka_unit_test(test_cmd_symbolic__motions_are_starts),
        cmocka_unit_test(test_cmd_symbolic__refuses),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
