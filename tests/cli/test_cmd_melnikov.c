/* SPDX-License-Identifier: MIT */
/* The command for Melnikov's method: options, files, exit codes. */
#include "support/command.h"

#define PENDULUM MODEL("melnikov_pendulum") " --eps eps --side + "

static answer melnikov(const char *arguments) {
    return *zwang_verb("melnikov", arguments);
}

static void test_cmd_melnikov__prints_what_it_found(void **state) {
    (void)state;
    answer a = melnikov(PENDULUM "--over gamma=0:10 --points 5");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "C = the energy; its rate vanishes identically");
    assert_has(a.out, "M = (delta) I1 + (gamma) I2");
    assert_has(a.out, "gamma = 1.59739263191");
    assert_has(a.out, "the manifolds intersect above, separatrix 0");
    assert_string_equal(a.err, "");
    a = melnikov(PENDULUM "--json");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "\"proved\": true");
    assert_has(a.out, "\"study\": \"melnikov\"");
    assert_has(a.out, "\"exact\": \"-8\"");
    a = melnikov(
        MODEL("van_der_pol") " --eps mu --set mu=0.1 --cycles --amplitude 0.5:4 --points 8");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "amplitude 2 m: a stable cycle, period 6.28318531 s, multiplier 0.533488");
}

static void test_cmd_melnikov__writes_results(void **state) {
    char text[1 << 16];
    (void)state;
    answer a = melnikov(PENDULUM "--over gamma=0:10 --points 5 --out m.csv --curves levels.csv");
    assert_int_equal(a.code, 0);
    read_file("m.csv", text, sizeof text);
    assert_has(text, "# kind: melnikov over a parameter");
    assert_has(text, "# mark 0: zero 1.597392631");
    assert_has(text, "gamma,excess");
    a = *zwang_verb("plot", "m.csv --picture m.svg");
    assert_int_equal(a.code, 0);
    a = *zwang_verb("plot", "levels.csv --picture levels.svg");
    assert_int_equal(a.code, 0);
    a = melnikov(PENDULUM "--over gamma=0:10 --points 5 --marks w=0.5:1.5:3 --out curve.csv");
    assert_int_equal(a.code, 0);
    read_file("curve.csv", text, sizeof text);
    assert_has(text, "w,gamma,separatrix");
}

/* constraints are eliminated, then the fast velocity; the same threshold as the model that was
 * reduced by hand */
static void test_cmd_melnikov__reduces_the_model(void **state) {
    (void)state;
    answer a = melnikov(MODEL("tippedisk") " --variant viscous --with cog,roll,spin --eps eps "
                                           "--fast \"beta'\" --over Omega=29:32 --points 5");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "model reduced to 3 states: beta, gamma, beta'; left out: alpha");
    assert_has(a.out,
               "flow on the slow manifold up to eps^1: beta, gamma; fast variables left out");
    assert_has(a.out, "Omega = 30.1263337791");
    a = melnikov(MODEL("tippedisk_slow") " --eps eps --over Omega=29:32 --points 5");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "Omega = 30.1263337791");
    assert_string_equal(a.err, "");
}

static void test_cmd_melnikov__refuses(void **state) {
    (void)state;
    answer a = melnikov(MODEL("melnikov_pendulum"));
    assert_int_equal(a.code, 1);
    assert_has(a.err, "which parameter is small?");
    a = melnikov(PENDULUM "--over gamma=0:1 --points 5"); /* what was found is printed */
    assert_int_equal(a.code, 2);
    assert_has(a.err, "no threshold for gamma between 0 and 1");
    assert_has(a.out, "M(t0) lies between");
    a = melnikov(PENDULUM "--expand gamma=0:1");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "phase of the excitation");
    a = melnikov(PENDULUM "--master psi");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "the states are phi and phi'");
    a = melnikov(PENDULUM "--set delta=30 --strict");
    assert_int_equal(a.code, 4);
    assert_has(a.err, "second order");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cmd_melnikov__prints_what_it_found),
        cmocka_unit_test(test_cmd_melnikov__writes_results),
        cmocka_unit_test(test_cmd_melnikov__reduces_the_model),
        cmocka_unit_test(test_cmd_melnikov__refuses),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
