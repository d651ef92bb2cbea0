/* SPDX-License-Identifier: MIT */
/* zwang linearise --over: what is told, written and drawn, and the exit codes. */
#include "command.h"

static answer linearise(const char *arguments) {
    return *zwang_verb("linearise", arguments);
}

static void test_linearise_over__tells_and_writes(void **state) {
    (void)state;
    answer a =
        linearise(MODEL("tippedisk_reduced") " --over \"Omega=5:50:51 [rad/s]\" --set gamma=90deg "
                                             "--out locus.csv --picture locus.svg");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "coalescence Omega = 12.5134406579 rad/s: 2.810230941, tracks 1,2");
    assert_has(a.out, "hopf        Omega = 30.9167616973 rad/s: +-7.092791574i");
    assert_has(a.out, "supercritical");
    assert_has(a.out, "stable      from 30.9167616973 rad/s to 50 rad/s");
    char text[1 << 15];
    read_file("locus.csv", text, sizeof text);
    assert_has(text, "# kind: eigenvalues");
    assert_has(text, "# mark 0: coalescence 12.513");
    assert_has(text, "Omega[rad/s],re(1)[1/s],im(1)[rad/s]");
    assert_has(a.err, "picture locus.svg");
    a = *zwang_verb("plot", "locus.csv --picture again.svg");
    assert_int_equal(a.code, 0);
}

static void test_linearise_over__json(void **state) {
    (void)state;
    answer a = linearise(MODEL("lorenz") " --over rho=5:30 --set x=8 --set y=8 --set z=27 --json");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "\"kind\": \"hopf\", \"value\": 24.73684210526");
    assert_has(a.out, "\"stability\": \"stable\"");
}

/* a way that ends is told with its results, and is no success */
static void test_linearise_over__ends(void **state) {
    (void)state;
    write_file("fold.zw", "model fold\nunits none\nparam a = 1\ncoord x\nkinetic x'^2/2\n"
                          "force (x) = a - x^2 - 0.1*x'\nstart x = 1\n");
    answer a = linearise("fold.zw --over a=1:-1");
    assert_int_equal(a.code, 2);
    assert_has(a.out, "ends        at a = ");
    assert_has(a.out, "stable      from 1 to ");
    assert_has(a.err, "turns back at");
}

static void test_linearise_over__mistakes(void **state) {
    (void)state;
    answer a = linearise(MODEL("lorenz") " --over roh=5:30");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "did you mean rho?");
    a = linearise(MODEL("lorenz") " --over rho=5");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "two values are needed");
    a = linearise(MODEL("lorenz") " --over rho=5:30 --out locus.txt");
    assert_int_equal(a.code, 1);
    a = linearise(MODEL("bicycle") " --over \"m_B=80:90 [kg]\"");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "--hold");
    write_file("jump.zw", "model jump\nunits none\nparam a = 1\ncoord x\nkinetic x'^2/2\n"
                          "potential if(a < 2, 1, 3)*x^2\ndissipation x'^2/9\n");
    a = linearise("jump.zw --over a=1:3 --strict");
    assert_int_equal(a.code, 4);
    assert_has(a.err, "a jump or a corner near a = ");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linearise_over__tells_and_writes),
        cmocka_unit_test(test_linearise_over__json),
        cmocka_unit_test(test_linearise_over__ends),
        cmocka_unit_test(test_linearise_over__mistakes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
