/* SPDX-License-Identifier: MIT */
/* The command for connecting orbits: options, files, exit codes. */
#include "support/command.h"

#define PENDULUM MODEL("pendulum_torque") " --steady up --turn phi=1 "

static answer connect_orbits(const char *arguments) {
    return *zwang_verb("connect", arguments);
}

static void test_cmd_connect__tells(void **state) {
    (void)state;
    answer a = connect_orbits(PENDULUM "--over tau=0.05:0.3 --side + --points 11");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "tau = 0.1270088598: homoclinic, turned by phi=1");
    assert_has(a.out, "one stable cycle is born, for tau >");
    assert_has(a.out, "it passes on the side where it came from");
    assert_string_equal(a.err, "");
    a = connect_orbits(PENDULUM "--over tau=0.05:0.3 --points 11 --json");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "\"kind\": \"homoclinic\",");
    assert_has(a.out, "\"solved\": true,");
}

#define SPUN                                                                                       \
    " --variant viscous --with cog,roll,spin --steady plain_spin --turn gamma=1 --points 7 "

/* rings of wire and rounded rims: of wire and lump as own integrations of other texts found,
 * without rounding as the tippedisk, Sailer 2023 (30.0851) */
static void test_cmd_connect__rounded_rims(void **state) {
    (void)state;
    answer a = connect_orbits(MODEL("paperclip") SPUN "--over Omega=35.8:36.4");
    assert_has(a.out, "Omega = 36.10250354 rad/s: homoclinic, turned by gamma=1");
    assert_has(a.out, "one stable cycle is born, for Omega < 36.10250354");
    a = connect_orbits(MODEL("tippedisk_fillet") SPUN "--set f=0 --over Omega=29.8:30.3");
    assert_has(a.out, "Omega = 30.08513179 rad/s: homoclinic");
    a = connect_orbits(MODEL("tippedisk_fillet") SPUN "--over Omega=31.6:32.2");
    assert_has(a.out, "Omega = 31.94946321 rad/s: homoclinic");
}

static void test_cmd_connect__writes_results(void **state) {
    char text[1 << 15];
    (void)state;
    answer a = connect_orbits(PENDULUM "--over tau=0.08:0.2 --points 11 --out joined.csv");
    assert_int_equal(a.code, 0);
    read_file("joined.csv", text, sizeof text);
    assert_has(text, "t[s],phi,phi'");
    assert_has(text, "# method: connecting orbit by collocation");
    assert_has(text, "0.127008859805");
    a = *zwang_verb("plot", "joined.csv --plot \"phi',phi\" --picture joined.svg");
    assert_int_equal(a.code, 0);
    a = connect_orbits(MODEL("bogdanov_takens") " --steady saddle --over b_1=-0.01:0.0005 --marks "
                                                "b_2=-0.12:-0.08 --out curve.csv");
    assert_int_equal(a.code, 0);
    read_file("curve.csv", text, sizeof text);
    assert_has(text, "# kind: marks");
    assert_has(text, "b_1,b_2,time[s],quantity[1/s],curve");
}

/* small matrices need no LAPACK: the same words without it */
static void test_cmd_connect__without_lapack(void **state) {
    static const char *const verb[] = {"connect", "linearise", "equilibria"};
    static const char *const arguments[] = {PENDULUM "--over tau=0.05:0.3 --side + --points 5",
                                            MODEL("double_pendulum"), MODEL("lorenz")};
    char out[1 << 15];
    (void)state;
    for (int k = 0; k < 3; k++) {
        answer a = *zwang_verb(verb[k], arguments[k]);
        assert_int_equal(a.code, 0);
        snprintf(out, sizeof out, "%.400s", a.out);
        setenv("ZWANG_LAPACK", "none", 1);
        a = *zwang_verb(verb[k], arguments[k]);
        unsetenv("ZWANG_LAPACK");
        assert_int_equal(a.code, 0);
        assert_string_equal(a.err, "");
        a.out[strlen(out)] = '\0';
        if (k > 0) /* digits of errors may differ */
            assert_string_equal(a.out, out);
        else
            assert_has(a.out, "tau = 0.1270088598: homoclinic");
    }
}

static void test_cmd_connect__refuses(void **state) {
    (void)state;
    answer a = connect_orbits(MODEL("pendulum_torque"));
    assert_int_equal(a.code, 1);
    assert_has(a.err, "of which parameter");
    a = connect_orbits(PENDULUM "--over tau=0.2:0.3");
    assert_int_equal(a.code, 2);
    assert_has(a.err, "no connection over tau = 0.2 to 0.3");
    assert_has(a.err, "passes");
    a = connect_orbits(PENDULUM "--over tua=0.2:0.3");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "tau");
    a = connect_orbits(PENDULUM "--over tau=0.05:0.3 --to down");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "take one");
    a = connect_orbits(PENDULUM "--over tau=0.05:0.3 --side up");
    assert_int_equal(a.code, 1);
    a = connect_orbits(PENDULUM "--over tau=0.05:0.3 --points 1");
    assert_int_equal(a.code, 1);
    a = connect_orbits(PENDULUM "--over tau=0.08:0.2 --points 11 --number 3 --out joined.csv");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "there is 1 connecting orbit");
    a = connect_orbits(PENDULUM "--over tau=0.08:0.2 --points 11 --marks zeta=0.2:0.3");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "does not hold its value of the model");
    assert_has(a.out, "homoclinic"); /* what there is, is told */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cmd_connect__tells),
        cmocka_unit_test(test_cmd_connect__rounded_rims),
        cmocka_unit_test(test_cmd_connect__writes_results),
        cmocka_unit_test(test_cmd_connect__without_lapack),
        cmocka_unit_test(test_cmd_connect__refuses),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
