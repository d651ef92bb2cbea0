/* SPDX-License-Identifier: MIT */
/* The command for diagrams: what it says, files, exit codes. */
#include "support/command.h"

static answer diagram(const char *arguments) {
    return *zwang_verb("diagram", arguments);
}

static void test_cmd_diagram__tells(void **state) {
    (void)state;
    answer a = diagram(MODEL("lorenz") " --over rho=10:26 --out d.csv --picture d.svg");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "homoclinic: the orbits end");
    assert_has(a.out, "rho = 24.73684211: subcritical Hopf point");
    assert_has(a.out, "solutions between them");
    a = *zwang_verb("plot", "d.csv --plot \"max(z)+min(z):rho\" --picture z.svg");
    assert_int_equal(a.code, 0);
    a = *zwang_verb("orbit", "d.csv --point 20");
    assert_int_equal(a.code, 0);
    a = diagram(MODEL("lorenz") " --over rho=10:26 --orbits-max 0 --json");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "\"stable_steady\": 2");
}

/* steady motions alone have a file, too */
static void test_cmd_diagram__without_orbits(void **state) {
    (void)state;
    answer a = diagram(MODEL("double_pendulum") " --over g=5:10 --out s.csv --picture s.svg");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "1 neutrally stable steady motion; unstable: 3 steady motions");
    a = *zwang_verb("plot", "s.csv --plot phi_1:g --picture phi.svg");
    assert_int_equal(a.code, 0);
    write_file("pitchfork.zw", "model p\nunits none\nparam mu = -0.3\nstate x : x' = mu*x - x^3\n");
    a = diagram("pitchfork.zw --over mu=-1:1 --picture pitchfork.tex");
    assert_int_equal(a.code, 0);
    char text[1 << 15];
    read_file("pitchfork.tex", text, sizeof text); /* one curve, and a mark at 0, not at 1e-20 */
    assert_null(strstr(text, "growing"));
    assert_null(strstr(text, "10^"));
}

/* x = sqrt(a) lies behind the wall where a > 0.64; the other two are motions */
static void test_cmd_diagram__overlaps(void **state) {
    (void)state;
    write_file("wall.zw",
               "model wall\nunits none\nparam a = 1, c = 0.2\ncoord x\nkinetic 1/2*x'^2\n"
               "potential -a*x^2/2 + x^4/4\nforce (x) = -c*x'\n"
               "contact wall : gap 0.8 - x, law newton(0.7)\nstart x = 0.1\n");
    answer a = diagram("wall.zw --over a=0.7:1.5");
    assert_int_equal(a.code, 0);
    assert_has(a.err, "contact wall overlaps there by 0.03666 m: this is not an admissible motion");
    assert_has(a.err, "at a = 0.7, the first of ");
    assert_null(strstr(strstr(a.err, "wall overlaps") + 1, "wall overlaps"));
    a = diagram("wall.zw --over a=0.3:0.6");
    assert_int_equal(a.code, 0);
    assert_null(strstr(a.err, "overlaps"));
    a = *zwang_verb("equilibria", "wall.zw --set x=1 --over a=0.3:1.5 --branches");
    assert_has(a.err, "contact wall overlaps there");
    a = *zwang_verb("chart", "wall.zw --over a=1:1.5:2 --over c=0.1:0.3:3 --search x=-2:2");
    assert_int_equal(a.code, 0);
    assert_has(a.err, "6 of the equilibria may be none, the first at a = 1, c = 0.1: contact wall "
                      "overlaps there by 0.2 m");
    a = *zwang_verb("chart", "wall.zw --over a=0.3:0.6:2 --over c=0.1:0.3:3 --search x=-2:2");
    assert_null(strstr(a.err, "overlaps"));
}

static void test_cmd_diagram__mistakes(void **state) {
    (void)state;
    answer a = diagram(MODEL("lorenz"));
    assert_int_equal(a.code, 1);
    assert_has(a.err, "needs a parameter");
    a = diagram(MODEL("lorenz") " --over rho=1");
    assert_int_equal(a.code, 1);
    a = diagram(MODEL("lorenz") " --over rhoo=1:2");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "did you mean rho");
    a = diagram(MODEL("lorenz") " --over rho=1:2 --search w=1:2");
    assert_int_equal(a.code, 1);
    a = diagram(MODEL("lorenz") " --over rho=1:2 --out d.xyz");
    assert_int_equal(a.code, 1);
    a = diagram(MODEL("duffing") " --over F=1:2");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "time enters its equations");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cmd_diagram__tells),
        cmocka_unit_test(test_cmd_diagram__without_orbits),
        cmocka_unit_test(test_cmd_diagram__overlaps),
        cmocka_unit_test(test_cmd_diagram__mistakes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
