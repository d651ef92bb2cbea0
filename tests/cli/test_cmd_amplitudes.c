/* SPDX-License-Identifier: MIT */
/* The verb amplitudes: what it reports, writes and rejects; its LaTeX is what TeX compiles. */
#include "support/command.h"

static answer amplitudes(const char *arguments) {
    return *zwang_verb("amplitudes", arguments);
}

static void test_cmd_amplitudes__tells_formulas(void **state) {
    (void)state;
    answer a = amplitudes(MODEL("duffing") " --symbolic");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "-2*m*Omega           c");
    assert_has(a.out, "3/4*k_nl*x_c*(x_c^2 + x_s^2)");
    assert_has(a.out, "Means stay zero");
    a = amplitudes(MODEL("absorber_planar") " --symbolic --taylor 2 --json");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "\"amplitudes\": [\"u_c\", \"u_s\", \"phi_c\", \"phi_s\"]");
    a = amplitudes(MODEL("absorber_planar") " --symbolic --van-der-pol");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "A_41 = 1/8*m*q*omega*(phi_c^2 + 3*phi_s^2 - 8)");
}

static void test_cmd_amplitudes__latex_compiles(void **state) {
    (void)state;
    answer a = amplitudes(MODEL("absorber_planar") " --symbolic --format latex --out am.tex");
    char command[256], log[20000];
    assert_int_equal(a.code, 0);
    if (system("command -v pdflatex >/dev/null 2>&1") != 0)
        skip();
    snprintf(command, sizeof command,
             "cd %s && pdflatex -interaction=nonstopmode -halt-on-error am.tex >tex.txt 2>&1",
             folder);
    assert_int_equal(system(command), 0);
    read_file("tex.txt", log, sizeof log);
    assert_null(strstr(log, "Overfull"));
}

static void test_cmd_amplitudes__tells_stationary_ones(void **state) {
    (void)state;
    answer a = amplitudes(MODEL("duffing") " --odd --quiet");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "amplitudes grow as exp(s t), s [1/s] =");
    assert_has(a.out, "1.64792015"); /* root of the cubic equation of the amplitude squared */
    a = amplitudes(MODEL("duffing") " --odd --quiet --json");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "\"amplitude_eigenvalues\": [[-0.");
    a = amplitudes(MODEL("duffing") " --odd --strict");
    assert_int_equal(a.code, 4); /* one harmonic leaves something out, which is told */
    assert_has(a.err, "omitted harmonics");
}

static void test_cmd_amplitudes__draws_curves_and_runs(void **state) {
    (void)state;
    char text[4000];
    answer a =
        amplitudes(MODEL("duffing") " --variant set_2 --odd --quiet --over Omega=0.5:5 --out "
                                    "c.csv --picture c.svg");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "3.345"); /* folds of one harmonic: 3.3459 and 3.5252 */
    assert_has(a.out, "3.525");
    read_file("c.csv", text, sizeof text);
    assert_has(text, "kind: response");
    a = *zwang_verb("plot", "c.csv --plot 'first(x):Omega' --picture d.svg");
    assert_int_equal(a.code, 0);
    a = amplitudes(MODEL("duffing") " --odd --until 60 --out r.csv --picture r.svg");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "at the end first(x) = 1.64792");
    read_file("r.csv", text, sizeof text);
    assert_has(text, "kind: amplitudes");
}

static void test_cmd_amplitudes__refuses(void **state) {
    (void)state;
    static const struct {
        const char *arguments, *word;
    } wrong[] = {{MODEL("double_pendulum"), "no periodic excitation"},
                 {MODEL("duffing") " --symbolic --over Omega=1:2", "--over is for numbers"},
                 {MODEL("duffing") " --symbolic --harmonics 3", "--harmonics is for numbers"},
                 {MODEL("duffing") " --format latex", "--format is for formulas"},
                 {MODEL("duffing") " --out a.csv", "are printed only"},
                 {MODEL("duffing") " --until 5 --over Omega=1:2", "choose one of them"},
                 {MODEL("duffing") " --taylor 99", "taylor"},
                 {MODEL("piecewise_linear") " --taylor 2", "has no series of a few terms"},
                 {MODEL("absorber_spatial") " --symbolic", "without constraints"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        answer a = amplitudes(wrong[i].arguments);
        assert_int_equal(a.code, 1);
        assert_has(a.err, wrong[i].word);
    }
    assert_int_equal(amplitudes(MODEL("pendulum_cartesian") " --until 5").code, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cmd_amplitudes__tells_formulas),
        cmocka_unit_test(test_cmd_amplitudes__latex_compiles),
        cmocka_unit_test(test_cmd_amplitudes__tells_stationary_ones),
        cmocka_unit_test(test_cmd_amplitudes__draws_curves_and_runs),
        cmocka_unit_test(test_cmd_amplitudes__refuses),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
