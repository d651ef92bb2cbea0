/* SPDX-License-Identifier: MIT */
/* The command for basins: what it says, files, exit codes. */
#include "command.h"

static answer basin(const char *arguments) {
    return *zwang_verb("basin", arguments);
}

static void test_cmd_basin__tells(void **state) {
    (void)state;
    answer a = basin(MODEL("two_well") " --variant free --start x=-2:2:20 --start \"x'=-2:2:20\" "
                                       "--out b.csv --picture b.png");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "1  rest: 0.50000");
    assert_has(a.out, "2  rest: 0.50000");
    assert_has(a.out, "0 differ");
    a = *zwang_verb("plot", "b.csv --picture again.png");
    assert_int_equal(a.code, 0);
    a = basin(MODEL(
        "two_well") " --variant free --start x=-2:2:20 --start \"x'=-2:2:20\" --json --threads 1");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "\"share\": 0.5,");
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
    assert_has(a.err, "whole number of periods");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cmd_basin__tells),
        cmocka_unit_test(test_cmd_basin__unresolved),
        cmocka_unit_test(test_cmd_basin__mistakes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
