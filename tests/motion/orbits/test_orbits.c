/* SPDX-License-Identifier: MIT */
/* Orbits from text to branch: periods and bifurcations that other programs and closed forms
 * have. */
#include <math.h>
#include <stdlib.h>

#include "motion/segments/periodic.h"
#include "support/failing_allocator.h"
#include "support/orbits.h"
#include "support/test.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

static zw_context *ctx;
static zw_system *sys;
static zw_orbits *study;
static zw_error err;
static bool unjudged; /* without multipliers, which take long where periods are */

static zw_status open_study(const char *text, const char *set, const char *over) {
    zw_model_options model = {.size = sizeof model, .nset = set ? 1 : 0, .set = &set};
    zw_orbits_options o = zw_orbits_options_default();
    err = (zw_error){0};
    study = NULL;
    ctx = zw_context_create(NULL);
    o.over = over;
    o.stability = !unjudged;
    zw_status status = text[0] == '/'
                           ? zw_model_read(&sys, ctx, text, &model, &err)
                           : zw_model_parse(&sys, ctx, text, strlen(text), "test", &model, &err);
    if (status < 0)
        fail_msg("%s", err.text);
    return zw_orbits_create(&study, sys, &o, &err);
}

static void close_study(void) {
    zw_orbits_destroy(study);
    zw_context_destroy(ctx);
}

static const zw_orbit_motion *find(const char *text, const char *set) {
    int number;
    if (open_study(text, set, NULL) < 0 || zw_orbits_find(study, NAN, &number, &err) < 0)
        fail_msg("%s", err.text);
    return zw_orbits_at(study, number);
}

static const char van_der_pol[] =
    "model vdp\nunits none\nparam mu = 1\ncoord x\nkinetic x'^2/2\npotential x^2/2\n"
    "force (x) = mu*(1 - x^2)*x'\nstart x = 0.3\n";
static const char lorenz[] = "model lorenz\nunits none\nparam r = 20, s = 10, b = 8/3\n"
                             "state x, y, z : x' = s*(y - x), y' = r*x - y - x*z, z' = x*y - b*z\n"
                             "start x = 7, y = 7, z = 19\n";
static const char roessler[] =
    "model roessler\nunits none\nparam a = 0.2, b = 0.2, c = 2.5\n"
    "state x, y, z : x' = -y - z, y' = x + a*y, z' = b + z*(x - c)\nstart x = 1, y = 1, z = 1\n";

/* mu = 1: 6.66328685932 by series of high order and other programs */
static void test_orbits__van_der_pol(void **state) {
    (void)state;
    const zw_orbit_motion *m = find(van_der_pol, NULL);
    assert_close(m->period, 6.66328685932313, 1e-7);
    assert_close(m->measure[0].max, 2.00861986087484, 1e-6);
    assert_int_equal(m->verdict, ZW_FLOQUET_STABLE);
    assert_true(m->trivial < 1e-8);
    close_study();
}

/* a driven model: as the balance of harmonics has it */
static void test_orbits__driven(void **state) {
    (void)state;
    const zw_orbit_motion *m = find(MODEL("duffing"), "Omega=1.4 [rad/s]");
    assert_close(m->measure[0].rms, 1.14180765, 1e-7);
    assert_close(m->period, 2 * M_PI / 1.4, 1e-12);
    assert_int_equal(m->nmultiplier, 2);
    close_study();
    m = find(MODEL("pendulum_cartesian"), NULL);
    assert_close(m->measure[2].rms, .48779523, 1e-7);
    assert_int_equal(m->nmultiplier, 2);
    close_study();
}

/* The multiplier of largest size of the orbit of `text` at a parameter's value, by shooting:
 * integration of the linear equations. */
static double multiplier_by_shooting(const char *text, const char *name, double value,
                                     const zw_orbit_motion *near) {
    zw_context *own = zw_context_create(NULL);
    zw_system *s;
    zw_equations eq;
    zw_kernel *k;
    zw_shooting shot = {0};
    zw_kernel_options ko = zw_kernel_options_default();
    zw_shooting_options so = zw_shooting_options_default();
    double p[8];
    ko.jit = ZW_JIT_NEVER;
    ko.functions = ZW_FUNCTIONS_ALL_METHODS;
    so.is_period_free = true;
    so.period = near->period;
    assert_true(zw_model_parse(&s, own, text, strlen(text), "test", NULL, &err) >= 0);
    assert_true(zw_derive(&eq, s, NULL, "lagrange", &err) >= 0);
    assert_true(zw_kernel_create(&k, &eq, &ko, &err) >= 0);
    assert_true(zw_system_param_values(s, p, &err) >= 0);
    for (int i = 0; i < s->np; i++)
        p[i] = strcmp(s->param[i].name, name) == 0 ? value : p[i];
    if (zw_shooting_find(&shot, k, p, near->x, &so, &err) < 0)
        fail_msg("%s", err.text);
    double largest = 0;
    for (int i = 0; i < shot.floquet.n; i++)
        if (i != shot.floquet.trivial && fabs(shot.floquet.re[i]) > fabs(largest))
            largest = shot.floquet.re[i];
    assert_close(shot.period, near->period, 1e-6);
    zw_shooting_clear(&shot);
    zw_kernel_destroy(k);
    zw_context_destroy(own);
    return largest;
}

/* the first period doubling of Roessler's system on the branch of its simple cycle */
static void test_orbits__roessler_doubles(void **state) {
    (void)state;
    int number, n = 0;
    if (open_study(roessler, NULL, "c=2.5:4") < 0 ||
        zw_orbits_find(study, 2.5, &number, &err) < 0 || zw_orbits_follow(study, number, &err) < 0)
        fail_msg("%s", err.text);
    for (int i = 0; i < zw_orbits_count(study); i++) {
        const zw_orbit_motion *m = zw_orbits_at(study, i);
        if (m->event != ZW_BIFURCATION_FLIP)
            continue;
        n++;
        assert_close(multiplier_by_shooting(roessler, "c", m->value, m), -1, 1e-5);
    }
    assert_int_equal(n, 1);
    assert_int_equal(zw_orbits_branch_end(study, 0, 1), ZW_CONT_AT_BOUND);
    close_study();
}

/* Lorenz: subcritical at 470/19, the cycles exist below; at r = 19.38860560 their period is
 * 0.91876845 by another program */
static void test_orbits__lorenz_from_hopf(void **state) {
    (void)state;
    int born;
    if (open_study(lorenz, NULL, "r=19.38860560:26") < 0 ||
        zw_orbits_from_hopf(study, &born, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(born, 1);
    const zw_orbit_motion *first = zw_orbits_at(study, 0),
                          *last = zw_orbits_at(study, zw_orbits_count(study) - 1);
    assert_close(first->value, 470. / 19, 1e-2);
    assert_close(last->value, 19.38860560, 1e-9);
    assert_close(last->period, 0.91876845, 1e-7);
    assert_int_equal(last->verdict, ZW_FLOQUET_UNSTABLE);
    assert_true(last->trivial < 1e-6);
    close_study();
}

static const char normal_form
    [] = /* a circle of radius sqrt(mu), pi long, in a plane to which the third state decays */
    "model nf\nunits none\nparam mu = 0.25, w = 2, c = 0.3\n"
    "state x, y, z : x' = x*(mu - x^2 - y^2) - w*y, y' = y*(mu - x^2 - y^2) + w*x, z' = -c*z\n"
    "start x = 0.5, z = 0.1\n";

/* the shortest period counts, also where the run comes back more closely after several, or another
 * one is asked for */
static void test_orbits__shortest_period(void **state) {
    (void)state;
    const zw_orbit_motion *m = find(normal_form, NULL);
    assert_close(m->period, M_PI, 1e-9);
    assert_close(m->measure[0].max, 0.5, 1e-7);
    assert_close(m->re[1], fmax(exp(-0.5 * M_PI), exp(-0.3 * M_PI)), 1e-8);
    close_study();
    zw_orbits_options o = zw_orbits_options_default();
    o.period = 6.2;
    assert_true(open_study(normal_form, NULL, NULL) >= 0);
    zw_orbits_destroy(study);
    assert_true(zw_orbits_create(&study, sys, &o, &err) >= 0);
    assert_true(zw_orbits_find(study, NAN, NULL, &err) >= 0);
    assert_close(zw_orbits_at(study, 0)->period, M_PI, 1e-9);
    close_study();
}

/* branches end where orbits shrink to a point, and where the period has no bound: nothing is told
 * from behind */
static void test_orbits__branches_end(void **state) {
    (void)state;
    for (int slow = 0; slow < 2; slow++) {
        int number;
        unjudged = slow;
        if (open_study(normal_form, NULL, slow ? "w=-1:3" : "mu=-0.3:0.3") < 0 ||
            zw_orbits_find(study, slow ? 2 : 0.25, &number, &err) < 0 ||
            zw_orbits_follow(study, number, &err) < 0)
            fail_msg("%s", err.text);
        for (int i = 0; i < zw_orbits_count(study); i++) {
            const zw_orbit_motion *m = zw_orbits_at(study, i);
            assert_true(m->value > 0 && m->period > 0);
            assert_true(m->event == ZW_BIFURCATION_POINT || m->event == ZW_BIFURCATION_END);
            if (slow)
                assert_close(m->period * m->value, 2 * M_PI, 1e-6);
            else
                assert_close(m->measure[0].max, sqrt(m->value), 1e-6);
        }
        char *text = orbits_text(study);
        assert_non_null(strstr(text, slow ? "the period has no bound" : "at a Hopf point"));
        free(text);
        close_study();
    }
    unjudged = false;
}

/* a torus is no orbit, though there is one that the run never was at */
static void test_orbits__torus(void **state) {
    (void)state;
    assert_true(open_study("model torus\nunits none\nparam w = 1.41421356\nstate a, b, c, d : "
                           "a' = a*(1-a^2-b^2) - b, b' = b*(1-a^2-b^2) + a, "
                           "c' = c*(1-c^2-d^2) - w*d, d' = d*(1-c^2-d^2) + w*c\n"
                           "start a = 1, c = 1\n",
                           NULL, NULL) >= 0);
    assert_int_equal(zw_orbits_find(study, NAN, NULL, &err), ZW_E_NUMERIC);
    assert_int_equal(zw_orbits_count(study), 0);
    close_study();
}

static void test_orbits__refuses(void **state) {
    (void)state;
    static const char settles[] = "model m\nunits none\ncoord x\nkinetic x'^2/2\npotential x^2/2\n"
                                  "force (x) = -0.5*x'\nstart x = 1\n";
    assert_true(open_study(settles, NULL, NULL) >= 0);
    assert_int_equal(zw_orbits_find(study, NAN, NULL, &err), ZW_E_NUMERIC);
    if (!strstr(err.text, "comes to rest"))
        fail_msg("%s", err.text);
    assert_int_equal(zw_orbits_follow(study, 0, &err), ZW_E_OPTION);
    close_study();
    assert_int_equal(open_study(van_der_pol, NULL, "x=0:1"), ZW_E_OPTION);
    close_study();
    assert_int_equal(open_study("model relay\nunits none\ncoord x\nkinetic x'^2/2\n"
                                "force (x) = -x - 0.2*x' + sign(x')\nstart x = 1\n",
                                NULL, NULL),
                     ZW_E_OPTION);
    assert_non_null(strstr(err.text, "sign"));
    close_study();
}

/* the memory that a branch of at most `points` orbits holds, and their number */
static double bytes_of_branch(int points, int *orbits, double *unknowns) {
    failing_allocator counting = failing_allocator_make(0);
    zw_allocator alloc = failing_allocator_of(&counting);
    zw_orbits_options o = zw_orbits_options_default();
    int number;
    ctx = zw_context_create(&alloc);
    o.over = "mu=1:4";
    o.intervals = 500;
    o.points_max = points;
    o.stability = false;
    err = (zw_error){0};
    if (zw_model_parse(&sys, ctx, van_der_pol, strlen(van_der_pol), "test", NULL, &err) < 0 ||
        zw_orbits_create(&study, sys, &o, &err) < 0 || zw_orbits_find(study, 1, &number, &err) < 0)
        fail_msg("%s", err.text);
    double before = (double)counting.bytes;
    if (zw_orbits_follow(study, number, &err) < 0)
        fail_msg("%s", err.text);
    *orbits = zw_orbits_count(study);
    *unknowns = 2 * zw_orbits_at(study, 0)->intervals * (o.stages + 1);
    double bytes = (double)counting.bytes - before;
    close_study();
    return bytes;
}

/* What grows with a branch is its orbits: one number for each unknown, and little else (mesh,
 * measures, the ends of chunks of memory). */
static void test_orbits__memory_grows_by_the_orbits(void **state) {
    (void)state;
    int few, many;
    double unknowns, a = bytes_of_branch(10, &few, &unknowns),
                     b = bytes_of_branch(40, &many, &unknowns);
    assert_true(many >= few + 20);
    double copies = (b - a) / (many - few) / (sizeof(double) * unknowns);
    if (!(copies < 1.5))
        fail_msg("%.3g copies of the unknowns for each orbit", copies);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orbits__van_der_pol),
        cmocka_unit_test(test_orbits__driven),
        cmocka_unit_test(test_orbits__roessler_doubles),
        cmocka_unit_test(test_orbits__lorenz_from_hopf),
        cmocka_unit_test(test_orbits__shortest_period),
        cmocka_unit_test(test_orbits__branches_end),
        cmocka_unit_test(test_orbits__torus),
        cmocka_unit_test(test_orbits__refuses),
        cmocka_unit_test(test_orbits__memory_grows_by_the_orbits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
