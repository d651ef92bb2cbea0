/* SPDX-License-Identifier: MIT */
/* Where orbits begin: runs, start values and sections as tables of the literature print them,
 * results on file; angles that turn and quaternions that change their sign. */
#include <math.h>
#include <stdlib.h>

#include "motion/segments/periodic.h"
#include "support/orbits.h"
#include "support/test.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

static zw_context *ctx;
static zw_system *sys;
static zw_orbits *study;
static zw_error err;
static zw_orbits_options options;

static zw_status open_with(const char *text, int nset, const char *const *set) {
    zw_model_options model = {.size = sizeof model, .nset = nset, .set = set};
    err = (zw_error){0};
    study = NULL;
    ctx = zw_context_create(NULL);
    zw_status status = text[0] == '/'
                           ? zw_model_read(&sys, ctx, text, &model, &err)
                           : zw_model_parse(&sys, ctx, text, strlen(text), "test", &model, &err);
    if (status < 0)
        fail_msg("%s", err.text);
    status = zw_orbits_create(&study, sys, &options, &err);
    options = zw_orbits_options_default();
    return status;
}

static void close_study(void) {
    zw_orbits_destroy(study);
    zw_context_destroy(ctx);
}

static int begin(void **state) {
    (void)state;
    options = zw_orbits_options_default();
    return 0;
}

static const zw_orbit_motion *find_from(const zw_orbits_start *start) {
    int number;
    if (zw_orbits_find_from(study, start, NAN, &number, &err) < 0)
        fail_msg("%s", err.text);
    return zw_orbits_at(study, number);
}

static const zw_orbit_motion *find(const char *text, int nset, const char *const *set) {
    static const zw_orbits_start run = {.from = ZW_ORBITS_FROM_RUN};
    if (open_with(text, nset, set) < 0)
        fail_msg("%s", err.text);
    return find_from(&run);
}

/* x'' - mu w (1 - (x/a)^2) x' + w^2 x = 0 */
static const char van_der_pol[] =
    "model vdp\nunits none\nparam mu = 0.1, a = 1, w = 1\ncoord x\nkinetic x'^2/2\n"
    "potential w^2*x^2/2\nforce (x) = mu*w*(1 - (x/a)^2)*x'\nstart x = 0.3*a\n";

/* the period by shooting from about the same state: integration with tolerances of 1e-12 */
static double period_by_shooting(const zw_orbit_motion *near) {
    zw_equations eq;
    zw_kernel *k;
    zw_shooting shot = {0};
    zw_kernel_options ko = zw_kernel_options_default();
    zw_shooting_options so = zw_shooting_options_default();
    double p[16];
    ko.jit = ZW_JIT_NEVER;
    ko.functions = ZW_FUNCTIONS_ALL_METHODS;
    so.is_period_free = true;
    so.period = near->period;
    assert_true(zw_derive(&eq, sys, NULL, "lagrange", &err) >= 0);
    assert_true(zw_kernel_create(&k, &eq, &ko, &err) >= 0);
    assert_true(zw_system_param_values(sys, p, &err) >= 0);
    if (zw_shooting_find(&shot, k, p, near->x, &so, &err) < 0)
        fail_msg("%s", err.text);
    double period = shot.period;
    zw_shooting_clear(&shot);
    zw_kernel_destroy(k);
    return period;
}

/* Relaxation needs a mesh of its own from the beginning. */
static void test_starts__relaxation(void **state) {
    (void)state;
    static const char *const mu[] = {"mu=10", "mu=30"};
    for (int i = 0; i < 2; i++) {
        const zw_orbit_motion *m = find(van_der_pol, 1, &mu[i]);
        assert_close(m->period, period_by_shooting(m), 1e-8);
        if (i == 0)
            assert_close(m->period, 19.0783695659, 1e-8); /* as other programs have it */
        close_study();
    }
}

/* units make an orbit small or slow, and nothing else of it different */
static void test_starts__small_and_slow(void **state) {
    (void)state;
    static const char *const set[][2] = {{"a=1", "w=1"}, {"a=1e-8", "w=1"}, {"a=1", "w=1e-4"}};
    double period = 0, rms = 0;
    for (int i = 0; i < 3; i++) {
        const zw_orbit_motion *m = find(van_der_pol, 2, set[i]);
        double a = i == 1 ? 1e-8 : 1, w = i == 2 ? 1e-4 : 1;
        if (i == 0) {
            period = m->period;
            rms = m->measure[0].rms;
        }
        assert_close(m->period * w, period, 1e-8);
        assert_close(m->measure[0].rms / a, rms, 1e-7);
        close_study();
    }
}

/* Sailer's Table 4.2 as printed (S. Sailer, thesis, Stuttgart 2023): beta = 0, gamma = 1.69, beta'
 * = -1.72 beside inverted spinning, T = 1.10 s, at Omega_c - 0.5. The same by another program: T =
 * 1.09843, gamma_max = 1.7398, multiplier 0.7893. */
static void test_starts__as_printed(void **state) {
    (void)state;
    static const char *const set[] = {"Omega=30.41676 [rad/s]", "beta=pi/2", "gamma=pi/2 + 1.69",
                                      "beta'=-1.72 [rad/s]"};
    const zw_orbits_start start = {.from = ZW_ORBITS_FROM_START},
                          section = {.from = ZW_ORBITS_FROM_SECTION, .section = "beta - pi/2"};
    options.period = 1.1;
    assert_true(open_with(MODEL("tippedisk_reduced"), 4, set) >= 0);
    const zw_orbit_motion *m = find_from(&start);
    assert_in_range(m->iterations, 1, 6);
    assert_close(m->period, 1.09843, 1e-5);
    assert_close(m->measure[1].max - M_PI / 2, 1.7398, 1e-4);
    assert_close(m->re[1], 0.7893, 2e-4);
    const zw_orbit_motion *again = find_from(&section);
    assert_close(again->period, m->period, 1e-6);
    assert_close(again->x[0], M_PI / 2, 1e-7);
    close_study();
}

/* An orbit of Lorenz's attractor that is unstable, of which six digits are given: D. Viswanath,
 * Nonlinearity 16 (2003) 1035: AB has the period 1.5586522107 and passes z = 27 at (-13.763610682,
 * -19.578751942). */
static void test_starts__unstable_orbit_of_lorenz(void **state) {
    (void)state;
    static const char lorenz[] =
        "model lorenz\nunits none\nparam r = 28, s = 10, b = 8/3\n"
        "state x, y, z : x' = s*(y - x), y' = r*x - y - x*z, z' = x*y - b*z\n"
        "event plane : z - 27 rising record\nstart x = -13.7636, y = -19.5788, z = 26.999\n";
    const zw_orbits_start section = {
        .from = ZW_ORBITS_FROM_SECTION, .section = "plane", .returns = 2};
    options.tolerance = 1e-9;
    assert_true(open_with(lorenz, 0, NULL) >= 0);
    const zw_orbit_motion *m = find_from(&section);
    assert_close(m->period, 1.5586522107, 1e-9);
    assert_close(m->x[0], -13.763610682, 1e-7);
    assert_close(m->x[1], -19.578751942, 1e-7);
    assert_close(m->x[2], 27, 1e-9);
    assert_int_equal(m->outside, 1);
    /* too many returns, no such section, one that is never passed */
    zw_orbits_start bad = {.from = ZW_ORBITS_FROM_SECTION, .section = "plane", .returns = 100};
    assert_int_equal(zw_orbits_find_from(study, &bad, NAN, NULL, &err), ZW_E_OPTION);
    bad = (zw_orbits_start){.from = ZW_ORBITS_FROM_SECTION, .section = "q - 1"};
    assert_true(zw_orbits_find_from(study, &bad, NAN, NULL, &err) < 0);
    bad.section = "z + 10";
    err = (zw_error){0};
    assert_int_equal(zw_orbits_find_from(study, &bad, NAN, NULL, &err), ZW_E_NUMERIC);
    assert_non_null(strstr(err.text, "0 times"));
    bad = (zw_orbits_start){.from = ZW_ORBITS_FROM_START};
    err = (zw_error){0};
    assert_int_equal(zw_orbits_find_from(study, &bad, NAN, NULL, &err), ZW_E_OPTION);
    close_study();
}

/* what was tried is told */
static void test_starts__no_orbit(void **state) {
    (void)state;
    static const char escapes[] = "model escapes\nunits none\ncoord x\nkinetic x'^2/2\n"
                                  "potential -x^2/2\nforce (x) = 1\nstart x = 0.5, x' = 1\n";
    const zw_orbits_start start = {.from = ZW_ORBITS_FROM_START};
    options.period = 3;
    assert_true(open_with(escapes, 0, NULL) >= 0);
    assert_int_equal(zw_orbits_find_from(study, &start, NAN, NULL, &err), ZW_E_NUMERIC);
    if (!strstr(err.text, "residual") && !strstr(err.text, "is an equilibrium"))
        fail_msg("%s", err.text);
    close_study();
}

static void test_starts__from_a_result(void **state) {
    (void)state;
    zw_sim *sim;
    zw_sim_options run = zw_sim_options_default();
    static const char *const mu = "mu=1";
    assert_true(open_with(van_der_pol, 1, &mu) >= 0);
    run.until = 60;
    run.step_out = 0.02;
    assert_true(zw_sim_create(&sim, sys, NULL, &run, &err) >= 0);
    assert_true(zw_sim_run(sim, &err) >= 0);
    zw_orbits_start start = {.from = ZW_ORBITS_FROM_RESULT, .result = zw_sim_rows(sim)};
    assert_close(find_from(&start)->period, 6.66328685932, 1e-8);
    zw_table *other = zw_table_create(NULL);
    assert_true(zw_table_column(other, "t", "s") >= 0);
    assert_true(zw_table_add_rows(other, 100) >= 0);
    start.result = other;
    assert_int_equal(zw_orbits_find_from(study, &start, NAN, NULL, &err), ZW_E_FILE);
    zw_table_destroy(other);
    zw_sim_destroy(sim);
    close_study();
}

/* phi' = T - sin(phi) turns in 2 pi/sqrt(T^2 - 1) */
static void test_starts__turns(void **state) {
    (void)state;
    static const char rotor[] = "model rotor\nunits none\nparam T = 1.25\n"
                                "state phi : phi' = T - sin(phi)\nstart phi = 0\n";
    const zw_orbit_motion *m = find(rotor, 0, NULL);
    assert_close(m->period, 2 * M_PI / 0.75, 1e-9);
    assert_true(fabs(m->x[0]) <= M_PI + 1e-6);
    close_study();
    static const char *const wrong[] = {"phi=2", "psi=1", "phi=0.5", "phi", ""};
    for (int i = 0; i < 4; i++) {
        options.winding = wrong[i];
        zw_status status = open_with(rotor, 0, NULL);
        if (status >= 0)
            status = zw_orbits_find(study, NAN, NULL, &err);
        assert_true(status == ZW_E_OPTION || status == ZW_E_NAME);
        close_study();
    }
    options.winding = "x=1"; /* no angle */
    assert_int_equal(open_with(van_der_pol, 0, NULL), ZW_E_OPTION);
    close_study();
}

/* A pendulum that a torque turns, by its angle and by a quaternion, which comes back with the other
 * sign: the same branch. */
static void test_starts__quaternion(void **state) {
    (void)state;
    static const char *const rotor[] = {
        "model r\nunits none\nparam T = 0.8, c = 0.2\ncoord phi\nkinetic phi'^2/2\n"
        "potential -cos(phi)\nforce (phi) = T - c*phi'\nstart phi = 0, phi' = 3\n",
        "model r\nunits none\nparam T = 0.8, c = 0.2\nrotation B\n"
        "body bob : B, inertia(1, 1/2, 1/2, 1/2) at (0, 0, 0)\n"
        "constraint y : B.x.y = 0\nconstraint z : B.x.z = 0\npotential -1/2*B.z.z\n"
        "torque drive on bob = (T/2 - c/2*B.wx)*B.x\nstart B.wx = 3\n"};
    double period[2], last[2], multiplier[2];
    for (int i = 0; i < 2; i++) {
        int number;
        options.over = "T=0.8:1";
        if (open_with(rotor[i], 0, NULL) < 0 || zw_orbits_find(study, 0.8, &number, &err) < 0 ||
            zw_orbits_follow(study, number, &err) < 0)
            fail_msg("%s", err.text);
        const zw_orbit_motion *first = zw_orbits_at(study, number),
                              *end = zw_orbits_at(study, zw_orbits_count(study) - 1);
        period[i] = first->period;
        assert_int_equal(first->nmultiplier, 2);
        multiplier[i] = first->re[1];
        assert_close(end->value, 1, 1e-12);
        last[i] = end->period;
        close_study();
    }
    assert_close(period[0], period[1], 1e-8);
    assert_close(last[0], last[1], 1e-8);
    /* the product of both multipliers: exp(-c P) */
    assert_close(multiplier[0], exp(-0.2 * period[0]), 1e-7);
    assert_close(multiplier[1], exp(-0.2 * period[1]), 1e-7);
}

/* Wheels in mesh: a turn of the one alone breaks the constraint. The first is van der Pol's
 * oscillator, the other must be what the constraint says. */
static void test_starts__gears(void **state) {
    static const char text[] =
        "model gear\nunits none\nparam mu = 1\ncoord a, b\nkinetic a'^2/2\npotential a^2/2\n"
        "force (a) = mu*(1 - a^2)*a'\nconstraint mesh : b = 2*a\nstart a = 1, b = 2\n";
    static const char turning[] =
        "model gear\nunits none\ncoord a, b\nkinetic a'^2/2\nforce (a) = 5 - a' + sin(a)\n"
        "constraint mesh : b = 2*a\nstart a = 1, b = 2\n";
    (void)state;
    const zw_orbit_motion *m = find(text, 0, NULL);
    assert_close(m->period, 6.66328685932, 1e-8); /* docs/orbits.md: by shooting */
    assert_close(m->measure[1].max, 2 * m->measure[0].max, 1e-7);
    close_study();
    find(turning, 0, NULL);
    double first[4], last[4];
    zw_orbits_state(study, 0, 0, first);
    zw_orbits_state(study, 0, 1, last);
    assert_close(last[0] - first[0], 2 * M_PI, 1e-9);
    assert_close(last[1] - first[1], 4 * M_PI, 1e-9);
    assert_true(fabs(first[0]) < 8); /* whole turns of the run are left out, of both */
    close_study();
}

/* Powers that are no whole numbers of what does not vanish are smooth; sign(x') in other words is
 * not. */
static void test_starts__smooth_roots(void **state) {
    static const char *const form =
        "model f\nunits none\nparam eps = %s\ncoord x\nkinetic x'^2/2\npotential x^2/2\n"
        "force (x) = 0.3*x' - 0.1*x'^3 - 0.1*x'*(%s)^(-1/2)\nstart x = 2\n";
    static const struct {
        const char *eps, *root;
        bool smooth;
    } cases[] = {{"0.1", "x'^2 + 0.01", true},
                 {"0.1", "x'^2 + eps^2", true},
                 {"0.1", "x'^4 + eps", true},
                 {"0", "x'^2 + eps^2", false},
                 {"0.1", "exp(x) + x'^2", true}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        snprintf(text, sizeof text, form, cases[i].eps, cases[i].root);
        zw_status status = open_with(text, 0, NULL);
        if (cases[i].smooth && status < 0)
            fail_msg("%s: %s", cases[i].root, err.text);
        assert_int_equal(status, cases[i].smooth ? ZW_OK : ZW_E_OPTION);
        if (!cases[i].smooth)
            assert_non_null(strstr(err.text, "jump"));
        close_study();
    }
}

/* A coordinate that the equations do not know: q'' = 1 + 0.3 x - q'/2 beside van der Pol's
 * oscillator, whose mean is zero. q goes on by 2 periods; its first harmonic is that of x times
 * 0.3/(w sqrt(w^2 + 1/4)). */
static void test_starts__drift(void **state) {
    static const char text[] =
        "model d\nunits none\ncoord x, q\nkinetic (x'^2 + q'^2)/2\npotential x^2/2\n"
        "force (x, q) = ((1 - x^2)*x', 1 + 0.3*x - 0.5*q')\nobserve twice = 2*q\nstart x = 1\n";
    (void)state;
    const zw_orbit_motion *m = find(text, 0, NULL);
    double w = 2 * M_PI / m->period;
    assert_non_null(m->drift);
    assert_true(m->drift[0] == 0);
    assert_close(m->drift[1], 2 * m->period, 1e-8);
    assert_close(m->drift[2], 4 * m->period, 1e-8);
    assert_close(m->measure[1].first, 0.3 * m->measure[0].first / (w * sqrt(w * w + 0.25)), 1e-6);
    assert_close(m->measure[2].first, 2 * m->measure[1].first, 1e-8);
    char *told = orbits_text(study);
    zw_report *r = orbits_report(study);
    assert_non_null(strstr(told, "q drifts by 13.32657"));
    assert_string_equal(zw_report_get_word(r, "orbits.0.drift.0.name"), "q");
    assert_close(zw_report_get_number(r, "orbits.0.drift.0.per_period"), 13.32657, 1e-5);
    zw_report_destroy(r);
    free(told);
    close_study();
    m = find(van_der_pol, 0, NULL);
    assert_null(m->drift);
    close_study();
}

static const char hopf[] = "model hop\nunits none\nparam mu = -0.1, a = 1, b = 0\nstate x, y :\n"
                           "  x' = mu*x - 3*y - x*(a*(x^2 + y^2) + b*(x^2 + y^2)^2),\n"
                           "  y' = mu*y + 3*x - y*(a*(x^2 + y^2) + b*(x^2 + y^2)^2)\n";

/* r^2 = mu, r^4 = mu: a Hopf point at an end of the range is found, one without terms of third
 * order, too; where orbits are behind that end, that is told */
static void test_starts__hopf_at_an_end(void **state) {
    static const char *const none[] = {"a=0", "b=1"};
    static const struct {
        const char *over;
        int nset, born;
        const char *told;
    } cases[] = {{"mu=0:0.3", 0, 1, NULL},
                 {"mu=0.3:0", 0, 1, NULL},
                 {"mu=-0.3:0", 0, 0, "beyond this end"},
                 {"mu=-0.3:0.2", 2, 1, NULL}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int born;
        options.over = cases[i].over;
        if (open_with(hopf, cases[i].nset, none) < 0 || zw_orbits_from_hopf(study, &born, &err) < 0)
            fail_msg("%s", err.text);
        assert_int_equal(born, cases[i].born);
        for (int k = 0; k < zw_orbits_count(study); k++) {
            const zw_orbit_motion *m = zw_orbits_at(study, k);
            assert_close(m->measure[0].max, pow(m->value, cases[i].nset ? 0.25 : 0.5), 1e-5);
        }
        assert_true((zw_orbits_count(study) > 10) == (born == 1));
        zw_warnings *doubts = zw_warnings_create(NULL);
        zw_orbits_warnings(study, doubts);
        assert_int_equal(zw_warnings_count(doubts), cases[i].told ? 1 : 0);
        if (cases[i].told)
            assert_non_null(strstr(zw_warnings_at(doubts, 0)->text, cases[i].told));
        zw_warnings_destroy(doubts);
        close_study();
    }
}

/* where energy stays, nobody is told of chaos alone */
static void test_starts__conservative(void **state) {
    static const char text[] = "model hh\nunits none\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                               "potential (x^2 + y^2)/2 + x^2*y - y^3/3\nstart x = 0.3, y = 0.1\n";
    const zw_orbits_start run = {.from = ZW_ORBITS_FROM_RUN};
    int number;
    (void)state;
    assert_int_equal(open_with(text, 0, NULL), ZW_OK);
    assert_int_equal(zw_orbits_find_from(study, &run, NAN, &number, &err), ZW_E_NUMERIC);
    assert_non_null(strstr(err.hint, "--over energy="));
    close_study();
}

/* x' = mu x - y - x z, y' = x + mu y - y z, z' = -k (z - x^2 - y^2): on the cycle x^2 + y^2 = z =
 * mu, with the period 2 pi. The fast z stands still there but for errors of the run, whose explicit
 * steps stability holds short: for large k they end before the motion has come to the cycle. */
static void test_starts__fast_states(void **state) {
    static const char text[] =
        "model fast\nunits none\nparam mu = 0.1, k = 300\nstate x, y, z : x' = mu*x - y - x*z, "
        "y' = x + mu*y - y*z, z' = -k*(z - x^2 - y^2)\nstart x = 0.1\n";
    static const char *const fast[] = {"k=20", "k=50", "k=300", "k=365", "k=700"};
    (void)state;
    for (size_t i = 0; i < sizeof fast / sizeof *fast; i++) {
        const zw_orbit_motion *m = find(text, 1, &fast[i]);
        assert_close(m->period, 2 * M_PI, 1e-8);
        assert_close(m->measure[0].max, sqrt(0.1), 1e-6);
        assert_int_equal(m->verdict, ZW_FLOQUET_STABLE);
        close_study();
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_starts__relaxation, begin),
        cmocka_unit_test_setup(test_starts__small_and_slow, begin),
        cmocka_unit_test_setup(test_starts__as_printed, begin),
        cmocka_unit_test_setup(test_starts__unstable_orbit_of_lorenz, begin),
        cmocka_unit_test_setup(test_starts__no_orbit, begin),
        cmocka_unit_test_setup(test_starts__from_a_result, begin),
        cmocka_unit_test_setup(test_starts__turns, begin),
        cmocka_unit_test_setup(test_starts__gears, begin),
        cmocka_unit_test_setup(test_starts__smooth_roots, begin),
        cmocka_unit_test_setup(test_starts__drift, begin),
        cmocka_unit_test_setup(test_starts__hopf_at_an_end, begin),
        cmocka_unit_test_setup(test_starts__conservative, begin),
        cmocka_unit_test_setup(test_starts__quaternion, begin),
        cmocka_unit_test_setup(test_starts__fast_states, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
