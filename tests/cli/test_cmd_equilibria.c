/* SPDX-License-Identifier: MIT */
/* The command for steady motions: options, files, exit codes. */
#include "support/command.h"

static answer equilibria(const char *arguments) {
    return *zwang_verb("equilibria", arguments);
}

static void test_cmd_equilibria__searches(void **state) {
    (void)state;
    answer a = equilibria(MODEL("double_pendulum") " --search phi_1 --search phi_2=-pi:pi");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "double_pendulum: 4 equilibria");
    assert_has(a.out, "a potential well");
    assert_has(a.out, "A search is no proof");
    a = equilibria(MODEL("double_pendulum") " --search phi_1 --search phi_2 --json");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "\"solutions\": [\n");
}

static void test_cmd_equilibria__writes_tables_that_plots_read(void **state) {
    (void)state;
    answer a = equilibria(
        MODEL("double_pendulum") " --search phi_1 --search phi_2 --starts 40 --out found.csv");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "4 equilibria");
    char text[1 << 14];
    read_file("found.csv", text, sizeof text);
    assert_has(text, "# kind: steady motions");
    assert_has(text, "solution,phi_1[rad],phi_2[rad]");
    a = *zwang_verb("plot", "found.csv --plot phi_1,phi_2 --points --picture found.svg");
    assert_int_equal(a.code, 0);
}

static void test_cmd_equilibria__holds_from_a_pipe(void **state) {
    (void)state;
    write_file("conical.zw", "model conical\nunits none\nparam g = 9.81\ncoord x, y, z\n"
                             "particle P : 1 at (x, y, z)\ngravity g along -z\n"
                             "constraint l : x^2 + y^2 + z^2 = 1\nguess x = 0.9, y' = 4.5\n"
                             "observe pull = -2*lambda(l)\n");
    answer a = equilibria("- --hold z=-0.6 --hold \"y=0\" --json < conical.zw");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "-0.6");
    a = equilibria("conical.zw --hold pull=20 --hold \"x*y'/(x^2+y^2)=5\" --hold y=0 --solve g");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "solved for  g = ");
}

static void test_cmd_equilibria__over_a_number(void **state) {
    (void)state;
    answer a = equilibria(MODEL("rolling_disc") " --over \"alpha'=2:12 [rad/s]\" --hold beta");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "a branch of equilibria or relative equilibria over alpha'");
    a = equilibria(
        MODEL("rolling_disc") " --over \"alpha'=2:12:21 [rad/s]\" --hold beta --out over.csv");
    assert_int_equal(a.code, 0);
    char text[1 << 15];
    read_file("over.csv", text, sizeof text);
    assert_has(text, "# kind: steady motions");
    assert_has(text, "alpha'[rad/s],x[m],y[m]");
    a = *zwang_verb("plot", "over.csv --plot \"gamma':alpha'\" --picture over.svg");
    assert_int_equal(a.code, 0);
    a = equilibria(MODEL("rolling_disc") " --over \"alpha'=2:12 [rad/s]\"");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "the steady motions form a family with 1 parameter");
    a = equilibria(MODEL("rolling_disc") " --over \"alpha'=2:12 [rad/s]\" --search beta");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "--over follows one motion");
}

static void test_cmd_equilibria__branches_and_marks(void **state) {
    (void)state;
    answer a = equilibria(MODEL("lorenz") " --over rho=0:30 --branches --out branches.csv");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "branch 2, ");
    assert_has(a.out, "Hopf point    rho = 24.73684211");
    a = *zwang_verb("plot", "branches.csv --plot x:rho --picture branches.svg");
    assert_int_equal(a.code, 0);
    a = equilibria(MODEL("lorenz") " --set x=8 --set y=8 --set z=20 --over rho=0:60 --marks "
                                   "sigma=4:15 --json");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "\"of\": \"hopf\"");
    /* the first branch has none: those that cross it are followed. rho = sigma (sigma + beta +
     * 3)/(sigma - beta - 1) */
    a = equilibria(MODEL("lorenz") " --over rho=0:30 --marks sigma=5:15 --out marks.csv");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "curve 2 of Hopf points");
    assert_has(a.out, "rho = 27.352941");
    a = equilibria(MODEL("lorenz") " --over rho=2:3 --marks sigma=5:15 --out none.csv");
    assert_int_equal(a.code, 0);
    assert_has(a.err, "no branch has a fold or a Hopf point here");
    assert_has(a.err, "the table has the branches");
    a = *zwang_verb("plot", "none.csv --plot x:rho --picture none.svg");
    assert_int_equal(a.code, 0);
    a = equilibria(MODEL("lorenz") " --branches");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "--branches needs a parameter");
    a = equilibria(MODEL("lorenz") " --over rho=0:30 --marks sigma=20:30");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "which is not in the range");
    a = equilibria(MODEL("rolling_disc") " --over g=5:15 --branches");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "the steady motions form a family");
}

static void test_cmd_equilibria__mistakes(void **state) {
    (void)state;
    answer a = equilibria(MODEL("double_pendulum") " --starts 5");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "--starts is the number of starts of a search, and there is none");
    a = equilibria(MODEL("double_pendulum") " --search psi_1");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "did you mean phi_1?");
    a = equilibria(MODEL("double_pendulum") " --search \"phi_1'=0:1\"");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "must be in rad/s");
    a = equilibria(MODEL("double_pendulum") " --solve mass --hold phi_1");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "there is no parameter of this name");
    a = equilibria(MODEL("duffing") " --search \"x=-1:1 [m]\"");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "time enters its equations");
    assert_has(a.err, "zwang orbit");
    assert_has(a.err, "zwang response");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cmd_equilibria__searches),
        cmocka_unit_test(test_cmd_equilibria__writes_tables_that_plots_read),
        cmocka_unit_test(test_cmd_equilibria__holds_from_a_pipe),
        cmocka_unit_test(test_cmd_equilibria__over_a_number),
        cmocka_unit_test(test_cmd_equilibria__branches_and_marks),
        cmocka_unit_test(test_cmd_equilibria__mistakes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
