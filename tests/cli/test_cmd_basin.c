/* SPDX-License-Identifier: MIT */
/* The command for basins: what it says, files, exit codes. */
#include <math.h>

#include "support/command.h"

static answer basin(const char *arguments) {
    return *zwang_verb("basin", arguments);
}

static void test_cmd_basin__tells(void **state) {
    (void)state;
    answer a = basin(MODEL("two_well") " --variant free --start x=-2:2:20 --start \"x'=-2:2:20\" "
                                       "--out b.csv --picture b.png");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "1  rest: 0.500 +- 0.013 of the starts (200)");
    assert_has(a.out, "2  rest: 0.500 +- 0.013 of the starts (200)");
    assert_has(a.out, "0 differ");
    a = *zwang_verb("plot", "b.csv --picture again.png");
    assert_int_equal(a.code, 0);
    a = basin(MODEL(
        "two_well") " --variant free --start x=-2:2:20 --start \"x'=-2:2:20\" --json --threads 1");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "\"share\": 0.5, \"share_error\": 0.01316");
    a = basin(MODEL("two_well") " --variant free --start x=-2:2:8 --start \"x'=-2:2:8\" --over "
                                "delta=0.2:0.3:2 --out o.csv");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "attractor 2");
}

/* what is not known is said, and is no success for who wants to be strict */
static void test_cmd_basin__unresolved(void **state) {
    (void)state;
    answer a = basin(MODEL(
        "two_well") " --set F=0.3 --start x=-1:1:2 --start \"x'=-1:1:2\" --looks 40 --strict");
    assert_int_equal(a.code, 4);
    assert_has(a.err, "4 of 4 starts are unresolved");
}

static const char sleigh[] =
    "model sleigh\n"
    "param m = 1 [kg], J = 0.1 [kg*m^2], a = 0.2 [m], c = 0.5 [kg/s], d = 0.1 [N*m*s], "
    "      M0 = 2 [N*m], Om = 3 [rad/s]\n"
    "coord x, y [m], th [rad]\n"
    "frame S : rotate z th at (x, y, 0)\n"
    "body B : S, inertia(m, J, J, J) at (a, 0, 0)\n"
    "constraint blade : -sin(th)*x' + cos(th)*y' = 0\n"
    "force drag (x, y) = -c*(x', y')\n"
    "force turn (th) = M0*cos(Om*t) - d*th'\n"
    "start th = 0, x' = 0.98 [m/s], y' = 0, th' = 0.76 [rad/s]\n";

/* A sleigh may set out in any direction: there is one attractor, not one for each. That of zwang
 * steady drifts by 3.07008009 m, see tests/motion/orbits/test_orbits_modulo.c. A start from another
 * direction has other velocities in its axes. */
static void test_cmd_basin__modulo_symmetry(void **state) {
    double x, y;
    (void)state;
    write_file("sleigh.zw", sleigh);
    answer a = basin("sleigh.zw --start \"x'=0:1:4\" --start \"th'=-1:1:4\" --check 4");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "left out: x, y, th");
    assert_has(a.out, "1  cycle of 1 period, 2.094395 s: 1 of the starts (16)");
    a = basin("sleigh.zw --set th=0.3 --start \"th'=-1:1:2\" --check 2 --looks 100");
    assert_null(strstr(a.out, "left out"));
    a = *zwang_verb("response", "sleigh.zw --tolerance 1e-10 --json");
    assert_int_equal(a.code, 0);
    const char *drift = strstr(a.out, "\"drift\": [");
    assert_non_null(drift);
    drift = strstr(drift, "\"per_period\": ");
    assert_non_null(drift);
    assert_int_equal(sscanf(drift, "\"per_period\": %lf", &x), 1);
    drift = strstr(drift + 1, "\"per_period\": ");
    assert_non_null(drift);
    assert_int_equal(sscanf(drift, "\"per_period\": %lf", &y), 1);
    assert_close(hypot(x, y), 3.070080090173, 1e-7);
}

/* The start of the absorber has an equation for its spin: motions that go on from where they have
 * come do not meet it. */
static void test_cmd_basin__start_with_an_equation(void **state) {
    (void)state;
    answer a = basin(MODEL("absorber_spatial") " --variant zone --set \"omega=2.98 [rad/s]\" "
                                               "--set \"kappa_r=0.02 [N*m*s]\" --start "
                                               "\"y'=-0.3:0.3:4 [m/s]\" --check 2");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "1  cycle of 1 period, 2.108451 s: 1 of the starts (4)");
}

static void test_cmd_basin__mistakes(void **state) {
    (void)state;
    answer a = basin(MODEL("two_well"));
    assert_int_equal(a.code, 1);
    assert_has(a.err, "no range of starts");
    a = basin(MODEL("two_well") " --start q=1:2:3");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "--start q");
    a = basin(MODEL("two_well") " --start x=1:2:3 --pairs 10");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "--uncertainty");
    a = basin(MODEL("two_well") " --start x=1:2:3 --refine");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "two axes");
    a = basin(MODEL("two_well") " --start x=1:2:3 --out b.xyz");
    assert_int_equal(a.code, 1);
    a = basin(MODEL("two_well") " --start x=1:2:3 --every 1");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "whole number of excitation periods");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cmd_basin__tells),
        cmocka_unit_test(test_cmd_basin__unresolved),
        cmocka_unit_test(test_cmd_basin__modulo_symmetry),
        cmocka_unit_test(test_cmd_basin__start_with_an_equation),
        cmocka_unit_test(test_cmd_basin__mistakes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
