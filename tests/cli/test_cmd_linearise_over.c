/* SPDX-License-Identifier: MIT */
/* zwang linearise --over: what is told, written and drawn, and the exit codes. */
#include "support/command.h"

static answer linearise(const char *arguments) {
    return *zwang_verb("linearise", arguments);
}

static void test_linearise_over__tells_and_writes(void **state) {
    (void)state;
    answer a =
        linearise(MODEL("tippedisk_reduced") " --over \"Omega=5:50:51 [rad/s]\" --set gamma=90deg "
                                             "--out locus.csv --picture locus.svg");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "coalescence Omega = 12.5134406579 rad/s: 2.810230941, tracks 1, 2");
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

/* Inverted spinning of a disc whose centre of gravity is e from the middle of its edge, of radius
 * R, with a rounding w,
 *     Omega_c^2 = (R + w + e)^2 (R + e) m g/((R + w) (R + e) J_2 - w (R + w + e) (J_3 - J_1)),
 * J about the centre of gravity: along that line, across it in the disc, about the axis. */
static double critical(double R, double w, double e, double m, const double J[3]) {
    return (R + w + e) *
           sqrt((R + e) * m * 9.81 / ((R + w) * (R + e) * J[1] - w * (R + w + e) * (J[2] - J[0])));
}

static void expect_hopf(const char *arguments, double Omega, const char *type) {
    char line[300];
    snprintf(line, sizeof line,
             "%s --variant viscous --with cog,roll,spin --steady inverted_spin --over Omega=30:45 "
             "--amplitude gamma",
             arguments);
    answer a = linearise(line);
    assert_int_equal(a.code, 0);
    const char *found = strstr(a.out, "hopf        Omega = ");
    assert_non_null(found);
    assert_close(strtod(found + 20, NULL), Omega, 1e-10);
    assert_has(a.out, type);
}

static void test_linearise_over__rounded_rims(void **state) {
    (void)state;
    double r = 0.02, e = 0.3e-3 * r / 4.3e-3, rest = 4e-3 * e * e + 0.3e-3 * (r - e) * (r - e),
           clip[3] = {2e-3 * r * r, 2e-3 * r * r + rest, 4e-3 * r * r + rest};
    assert_close(critical(r, 1.5e-3, e, 4.3e-3, clip), 34.917006, 1e-6);
    expect_hopf(MODEL("paperclip"), critical(r, 1.5e-3, e, 4.3e-3, clip), "subcritical");
    double m_d = 2700 * M_PI * 0.03 * 0.03 * 2e-3, m_b = 7800 * 4 / 3. * M_PI * pow(4e-3, 3),
           a = 15e-3, ball = 0.4 * m_b * 16e-6, m = m_d + m_b;
    e = m_b * a / m;
    rest = m_d * e * e + m_b * (a - e) * (a - e);
    double thin = m_d * (0.03 * 0.03 / 4 + 4e-6 / 12),
           top[3] = {thin + ball, thin + ball + rest, m_d * 0.03 * 0.03 / 2 + ball + rest};
    expect_hopf(MODEL("orbit_top"), critical(0.029, 1e-3, e, m, top), "subcritical");
    double whole = 7700 * M_PI * 0.045 * 0.045 * 0.01, hole = 7700 * M_PI * 0.015 * 0.015 * 0.01;
    m = whole - hole;
    e = hole * 0.02 / m;
    rest = whole * e * e - hole * (0.02 + e) * (0.02 + e);
    double across = whole * (0.045 * 0.045 / 4 + 1e-4 / 12) - hole * (225e-6 / 4 + 1e-4 / 12),
           disk[3] = {across, across + rest, whole * 0.045 * 0.045 / 2 - hole * 225e-6 / 2 + rest};
    for (double f = 0; f <= 5e-3; f += 2.5e-3) {
        char arguments[200];
        snprintf(arguments, sizeof arguments, "%s --set \"f=%g [m]\"", MODEL("tippedisk_fillet"),
                 f);
        expect_hopf(arguments, critical(0.045 - f, f, e, m, disk), "supercritical");
    }
    assert_close(critical(0.045, 0, e, m, disk), 30.9167617, 1e-7);
}

static void test_linearise_over__json(void **state) {
    (void)state;
    answer a = linearise(MODEL("lorenz") " --over rho=5:30 --set x=8 --set y=8 --set z=27 --json");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "\"kind\": \"hopf\",\n      \"value\": 24.73684210526");
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
    a = linearise(MODEL("lorenz") " --out matrices.csv");
    assert_int_equal(a.code, 1);
    assert_string_equal(a.out, "");
    assert_has(a.err, "--matrices FOLDER/ has the matrices");
    a = linearise(MODEL("lorenz") " --over rho=5:30 --out locus.tex");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "as LaTeX is for matrices and formulas");
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
        cmocka_unit_test(test_linearise_over__rounded_rims),
        cmocka_unit_test(test_linearise_over__json),
        cmocka_unit_test(test_linearise_over__ends),
        cmocka_unit_test(test_linearise_over__mistakes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
