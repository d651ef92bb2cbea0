/* SPDX-License-Identifier: MIT */
/* The period-integrated Gaussian against numbers of other programs, shooting, harmonic balance,
 * closed forms, lines in space, and differences. */
#include "motion/harmonic/balance.h"
#include "support/failing_allocator.h"
#include "support/gauss_model.h"

#include <complex.h>

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

static gauss_model t;

/* a skate that is pushed to and fro: nonholonomic, without and with velocities of its own */
#define SKATE                                                                                      \
    "model skate\nunits none\nparam Omega = 1\ncoord x, y, th\nkinetic x'^2 + y'^2 + th'^2/4\n"    \
    "potential x^2 + y^2 + th^2\ndissipation x'^2/5 + y'^2/5 + th'^2/5\n"                          \
    "constraint blade : -x'*sin(th) + y'*cos(th) = 0\nforce (x) = cos(Omega*t)\n"                  \
    "force (th) = sin(Omega*t)/2\n"

static void start_at(double c, double s) {
    memset(t.x, 0, sizeof t.x);
    t.x[0] = c;
    t.x[1] = s;
}

/* ---- Duffing's oscillator, set 1 ---- */

typedef struct known_minimum {
    double Omega, c, s, G, rms;
} known_minimum;

/* One harmonic, the 25 integer pairs -2 .. 2 and the origin as starts. The rms of the source of
 * these numbers is that of its four digits of c and s. */
static void check_single_harmonic(zw_gauss_method method) {
    static const known_minimum known[] = {
        {.8, 1.1974, .2580, .90478, .86612},     {1.4, 1.2968, .8549, 2.3647, 1.09830},
        {1.4, -.5109, .6715, 4.4884, .59663},    {1.8, -.8741, .4081, .31192, .68213},
        {2.5, -.3748, .0729, 2.4355e-4, .26999}, {2.5, -1.8739, 1.1318, 14.918, 1.5480}};
    static const int count[] = {1, 2, 2, 1, 2, 2};
    zw_gauss_starts starts = zw_gauss_starts_default();
    starts.grid = 5;
    gauss_open(&t, MODEL("duffing"), NULL, "Omega");
    t.options.method = method;
    gauss_trial(&t, 1, 2, 1);
    for (int i = 0, at = 0; i < 6; i++) {
        const zw_gauss_minimum *list;
        int n;
        assert_int_equal(
            zw_gauss_integral_search(t.g, known[i].Omega, &starts, &list, &n, &t.m.err), ZW_OK);
        assert_int_equal(n, count[i]);
        at = i > 0 && known[i].Omega == known[i - 1].Omega ? at + 1 : 0;
        assert_close(list[at].x[0], known[i].c, 5e-5);
        assert_close(list[at].x[1], known[i].s, 5e-5);
        assert_true(fabs(list[at].result.value - known[i].G) < 5e-5 * known[i].G);
        assert_close(hypot(known[i].c, known[i].s) / sqrt(2), known[i].rms,
                     known[i].rms > 1.5 ? 5e-5 : 6e-6); /* the last has a digit less */
        assert_close(zw_gauss_integral_rms(t.g, list[at].x, 0),
                     hypot(list[at].x[0], list[at].x[1]) / sqrt(2), 1e-14);
    }
    gauss_close(&t);
}

static bool has_nlopt(void) {
    zw_gauss_integral *g;
    int one = 1;
    bool there;
    gauss_open(&t, MODEL("duffing"), NULL, "Omega");
    t.options.method = ZW_GAUSS_BFGS;
    t.options.nharmonic = 1;
    t.options.harmonic = &one;
    zw_status status =
        zw_gauss_integral_create(&g, t.m.kernel, t.m.p, &t.options, periodic_set, &t.m, &t.m.err);
    there = status == ZW_OK;
    if (!there)
        assert_int_equal(status, ZW_E_MISSING);
    zw_gauss_integral_destroy(g);
    gauss_close(&t);
    return there;
}

static void test_gauss_integral__minima_of_one_harmonic(void **state) {
    (void)state;
    check_single_harmonic(ZW_GAUSS_GAUSS_NEWTON);
    check_single_harmonic(ZW_GAUSS_NEWTON);
    if (!has_nlopt())
        skip();
    check_single_harmonic(ZW_GAUSS_BFGS);
    check_single_harmonic(ZW_GAUSS_NELDER_MEAD);
}

/* so many odd harmonics, from a start: G_int and rms */
static void test_gauss_integral__odd_harmonics(void **state) {
    (void)state;
    static const struct {
        double Omega, start;
        int pairs;
        double G, G_digit, rms, rms_digit;
    } known[] = {
        {1.4, 2, 2, .06095, 5e-6, 1.140044, 5e-7}, {1.4, 2, 4, 3.8e-6, 5e-8, 1.141807, 5e-7},
        {1.4, 2, 6, 8e-11, 5e-12, 1.141808, 5e-7}, {1.8, 0, 4, .2037, 5e-5, .756078, 5e-7},
        {1.8, 0, 6, .2037, 5e-5, .756078, 5e-7},   {2.5, 2, 4, .4683, 5e-5, 1.81875, 5e-6},
        {2.5, 2, 6, .4683, 5e-5, 1.81875, 5e-6}};
    for (int method = 0; method < 2; method++) {
        gauss_open(&t, MODEL("duffing"), NULL, "Omega");
        t.options.method = method ? ZW_GAUSS_NEWTON : ZW_GAUSS_GAUSS_NEWTON;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
            gauss_trial(&t, 1, 2, 2 * known[i].pairs - 1);
            start_at(known[i].start, known[i].start);
            zw_gauss_result r = gauss_minimise(&t, known[i].Omega);
            assert_true(r.converged);
            assert_true(fabs(r.value - known[i].G) <= known[i].G_digit);
            assert_close(gauss_rms(&t, 0), known[i].rms, known[i].rms_digit);
        }
        gauss_close(&t);
    }
}

/* with many harmonics the minima are the orbits of shooting, carried along Omega from where there
 * is one minimum alone */
static zw_status check_orbit(void *user, double a, const double *x, const zw_gauss_result *r,
                             zw_error *err) {
    static const double known[][2] = {{0.5, .84714640},  {0.8, .85680666},  {1.1, .98758865},
                                      {1.4, 1.14180765}, {1.8, 1.37583150}, {2.5, .27004777},
                                      {3.0, .17581764}};
    (void)err;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i][0] == a) {
            ++*(int *)user;
            assert_true(r->value < 1e-12);
            assert_close(zw_gauss_integral_rms(t.g, x, 0), known[i][1], 1e-7);
        }
    return ZW_OK;
}

static void test_gauss_integral__carried_along_to_orbits(void **state) {
    (void)state;
    static const double up[] = {.3,  .4,  .5,  .6,  .7,  .8,  .9,  1.0,
                                1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8},
                        down[] = {4, 3.5, 3.0, 2.8, 2.5};
    int met = 0;
    gauss_open(&t, MODEL("duffing"), NULL, "Omega");
    gauss_trial(&t, 1, 2, 45);
    assert_int_equal(zw_gauss_integral_march(t.g, t.x, 16, up, check_orbit, &met, &t.m.err), ZW_OK);
    start_at(0, 0);
    assert_int_equal(zw_gauss_integral_march(t.g, t.x, 5, down, check_orbit, &met, &t.m.err),
                     ZW_OK);
    assert_int_equal(met, 7);
    gauss_close(&t);
}

/* ---- is it a motion? ---- */

static zw_gauss_judgement judge(double Omega, double start, int top, int step) {
    zw_gauss_judgement j;
    gauss_trial(&t, step == 2 ? 1 : 0, step, top);
    start_at(step == 2 ? start : 0, start);
    gauss_minimise(&t, Omega);
    if (zw_gauss_integral_judge(t.g, t.x, Omega, 0, &j, &t.m.err) < 0)
        fail_msg("%s", t.m.err.text);
    return j;
}

static void test_gauss_integral__ghosts_of_duffing(void **state) {
    (void)state;
    gauss_open(&t, MODEL("duffing"), NULL, "Omega");
    zw_gauss_judgement j = judge(1.4, 2, 1, 2);
    assert_int_equal(j.verdict, ZW_GAUSS_MOTION);
    assert_close(j.orbit_rms, 1.14180765, 6e-9);
    assert_true(j.distance < 1e-6 && j.step[1] < 0.5 * j.step[0] + 1e-12);
    j = judge(1.8, 0, 1, 2);
    assert_int_equal(j.verdict, ZW_GAUSS_GHOST);
    assert_close(j.value[j.levels - 1], .2037, 5e-5);
    j = judge(2.5, 2, 1, 2);
    assert_int_equal(j.verdict, ZW_GAUSS_GHOST);
    assert_close(j.value[j.levels - 1], .4683, 5e-5);
    j = judge(2.5, 0, 1, 2);
    assert_int_equal(j.verdict, ZW_GAUSS_MOTION);
    assert_close(j.orbit_rms, .27004777, 6e-9);
    gauss_close(&t);
}

/* ---- forces with kinks ---- */

/* From rest. Found by a Python program that shares nothing with this one: kinks as roots of the
 * trigonometric polynomial, 40 Gauss points in each of many pieces between, SciPy's BFGS and
 * Newton's method; derivatives in F by the implicit function theorem. At 0.7 rad/s and N > 3 that
 * BFGS ends in other minima. */
static const struct spring_row {
    double Omega;
    int top;
    double G, rms;
    double dF[2]; /* derivatives of G and rms */
} spring_rows[] = {
    {0.3, 1, 4.18969989376, 0.999232389048, {4.8794124, 0.4254788}},
    {0.3, 3, 0.175925341658, 1.21726027273, {0.12294624, 0.56086663}},
    {0.3, 5, 0.132493684938, 1.21019283435, {0.13012939, 0.55324368}},
    {0.3, 7, 0.120259244677, 1.20805570977, {0.11896381, 0.55447061}},
    {0.7, 1, 3.3531675615, 1.19736305903, {3.4860303, 0.49344607}},
    {0.7, 3, 2.51627493704, 1.19090202498, {2.686477, 0.52124166}},
    {1, 1, 5.44590047785, 1.38923195467, {5.0412101, 0.53695842}},
    {1, 3, 1.3501775331, 1.85875738055, {1.1499226, 0.78418978}},
    {1, 5, 0.143220784048, 2.04492486786, {0.13143003, 0.86876062}},
    {1, 7, 0.0998563245379, 2.05037591845, {0.083275528, 0.87138263}},
    {1.3, 1, 5.14326194315, 0.910553860769, {6.2697649, 0.35932948}},
    {1.3, 3, 5.11771434731, 0.893604215668, {6.2335622, 0.34749995}},
    {1.3, 5, 5.11702196111, 0.896674273921, {6.2336648, 0.34611545}},
    {1.3, 7, 5.11544267978, 0.900252104912, {6.2331116, 0.34582891}},
    {1.6, 1, 0.883956408703, 0.981386606294, {1.4625594, 0.58466682}},
    {1.6, 3, 0.228835209593, 1.6317754368, {0.28090603, 1.1717002}},
    {1.6, 5, 0.0567605216948, 1.7026263156, {0.09286508, 1.2002571}},
    {1.6, 7, 0.0167165435503, 1.74178627123, {0.020581411, 1.2261712}},
    {2, 1, 0.03049475396, 0.485459240236, {0.12447032, 0.29194374}},
    {2, 3, 0.0139741943316, 0.504614726596, {0.037759056, 0.35214268}},
    {2, 5, 0.00170059683097, 0.512273925168, {0.0010674608, 0.34856321}},
    {2, 7, 0.000818982477524, 0.511535033479, {0.0035100312, 0.3490028}},
    {2.2, 1, 0.000319819612082, 0.36798848193, {0.0090774441, 0.19150228}},
    {2.2, 3, 0.00026995650629, 0.368239499188, {0.0073086722, 0.1976034}},
    {2.2, 5, 0.000197523880811, 0.368597054042, {0.0046792296, 0.20676614}},
    {2.2, 7, 0.000118787293437, 0.368971761863, {0.0020021816, 0.21466315}},
};
enum { SPRING_ROWS = sizeof spring_rows / sizeof *spring_rows };

static void displace_force(void *user, double s) {
    (void)user;
    t.m.p[periodic_parameter(&t.m, "F")] = 2 + s;
}

static void check_row(const struct spring_row *row) {
    static double dx[PERIODIC_UNKNOWNS];
    zw_gauss_sensitivity slope = {.x = dx};
    double rms;
    gauss_trial(&t, 0, 1, row->top);
    memset(t.x, 0, sizeof t.x);
    zw_gauss_result r = gauss_minimise(&t, row->Omega);
    assert_true(r.converged && r.error < 1e-13);
    assert_close(r.value, row->G, 1e-11);
    assert_close(gauss_rms(&t, 0), row->rms, 1e-10);
    assert_int_equal(zw_gauss_integral_sensitivity(t.g, t.x, row->Omega, displace_force, NULL, 1e-4,
                                                   &slope, &t.m.err),
                     ZW_OK);
    rms = zw_gauss_integral_rms_slope(t.g, t.x, dx, 0);
    assert_close(slope.G, row->dF[0], 1e-7 * (1 + fabs(row->dF[0])));
    assert_close(rms, row->dF[1], 1e-7);
}

static void test_gauss_integral__second_spring(void **state) {
    (void)state;
    gauss_open(&t, MODEL("piecewise_linear"), NULL, "Omega");
    gauss_kinks(&t);
    t.m.keep = periodic_parameter(&t.m, "F");
    for (int k = 0; k < SPRING_ROWS; k++)
        check_row(&spring_rows[k]);
    gauss_close(&t);
}

/* the sum over equidistant points comes near by adding points, and says how near it is */
static void test_gauss_integral__equidistant_points_tell_their_error(void **state) {
    (void)state;
    gauss_open(&t, MODEL("piecewise_linear"), NULL, "Omega");
    for (int samples = 64; samples <= 512; samples *= 8) {
        t.options.samples = samples;
        gauss_trial(&t, 0, 1, 1);
        memset(t.x, 0, sizeof t.x);
        zw_gauss_result r = gauss_minimise(&t, .7);
        assert_true(r.error > 1e-9 && r.error < 1e-3);
        assert_true(fabs(r.value - 3.3531675615) < 20 * r.error);
    }
    assert_true(zw_gauss_integral_samples(t.g) == 8 * 512);
    gauss_close(&t);
}

#define DRIVEN(text)                                                                               \
    "model m\nunits none\nparam Omega = 1.3, c = 0.3\ncoord x\nkinetic x'^2/2\n"                   \
    "potential x^2/8\nforce (x) = " text "\n"

/* G of rest is the integral of the force squared: closed forms */
static void test_gauss_integral__kinks_in_time(void **state) {
    (void)state;
    double a = acos(.3), value;
    const struct {
        const char *model;
        double G; /* times Omega */
    } known[] = {
        {DRIVEN("max(0, cos(Omega*t) - c)"), a + sin(2 * a) / 2 - 4 * .3 * sin(a) + 2 * .09 * a},
        {DRIVEN("if(cos(Omega*t) < c, 1, 2)"), (2 * M_PI - 2 * a) + 8 * a},
        {DRIVEN("abs(sin(Omega*t) + sign(cos(Omega*t)))"), 3 * M_PI},
        {DRIVEN("cos(Omega*t) + x*abs(x)"), M_PI}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        gauss_open(&t, known[i].model, NULL, "Omega");
        gauss_kinks(&t);
        gauss_trial(&t, 0, 1, 5);
        memset(t.x, 0, sizeof t.x);
        assert_int_equal(zw_gauss_integral_value(t.g, t.x, 1.7, &value, NULL, &t.m.err), ZW_OK);
        assert_close(value, known[i].G / 1.7, 1e-13);
        gauss_close(&t);
    }
}

/* From few harmonics to 63: the orbits of shooting. With kinks the error of rms falls like 1/N^3,
 * so that 1e-6 is reached at Omega = 2 alone. At Omega = 1.3 a ghost, whose orbit has 7.635. */
static void test_gauss_integral__second_spring_to_its_orbits(void **state) {
    (void)state;
    static const struct {
        double Omega, rms, tolerance;
    } known[] = {
        {.7, 1.46967, 1e-4}, {1.0, 2.066812, 2e-5}, {1.6, 1.750396, 4e-5}, {2.0, .512311, 1e-6}};
    gauss_open(&t, MODEL("piecewise_linear"), NULL, "Omega");
    gauss_kinks(&t);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        zw_gauss_judgement j = judge(known[i].Omega, 0, 1, 1);
        assert_int_equal(j.verdict, ZW_GAUSS_MOTION);
        assert_close(j.rms[j.levels - 1], known[i].rms, known[i].tolerance);
        assert_close(j.orbit_rms, known[i].rms, known[i].tolerance);
        for (int k = 1; k < j.levels; k++)
            assert_true(j.value[k] < j.value[k - 1]);
    }
    zw_gauss_judgement j = judge(1.3, 0, 1, 1);
    assert_int_equal(j.verdict, ZW_GAUSS_GHOST);
    assert_true(j.value[j.levels - 1] > 5.1);
    gauss_close(&t);
}

/* ---- a wall ---- */

static zw_gauss_bounded bounded(double Omega, double d, int top, bool whole,
                                zw_gauss_solver solver) {
    zw_gauss_bound bound = {.index = 0, .limit = d, .sign = 1};
    zw_gauss_bound_options o = zw_gauss_bound_options_default();
    zw_gauss_bounded r;
    o.nbound = 1;
    o.bound = &bound;
    o.whole = whole;
    o.solver = solver;
    gauss_trial(&t, 0, 1, top);
    start_at(0, 0);
    zw_status status = zw_gauss_integral_minimise_bounded(t.g, t.x, Omega, &o, &r, &t.m.err);
    if (status == ZW_E_MISSING && solver == ZW_GAUSS_IPOPT)
        skip();
    if (status < 0)
        fail_msg("%s", t.m.err.text);
    return r;
}

static double half_free_amplitude(double Omega) {
    return 1 / hypot(1 - Omega * Omega, 0.1 * Omega);
}

/* with bounds at 30 points */
static void check_wall(zw_gauss_solver solver) {
    static const double Omega[3] = {.2, .5, 2}, d[3] = {1.04144, 1.33038, .33260};
    static const int top[4] = {1, 3, 7, 10};
    static const double G[3][4] = {{10.742, 5.4714, 4.9367, 4.9116},
                                   {4.8560, 1.1703, 1.0968, 1.0947},
                                   {.28205, .27964, .27945, .27943}};
    static const double digit[3] = {5e-5, 5e-5, 5e-6};
    static const double rms[4] = {1.02331, 1.21970, 1.25381, 1.25541};
    gauss_open(&t, MODEL("wall_oscillator"), NULL, "Omega");
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++) {
            assert_close(half_free_amplitude(Omega[i]), d[i], 5e-6);
            zw_gauss_bounded r =
                bounded(Omega[i], half_free_amplitude(Omega[i]), top[k], false, solver);
            assert_true(r.result.converged);
            assert_true(fabs(r.result.value - G[i][k]) <= (G[i][k] > 10 ? 5e-4 : digit[i]));
            if (i == 0)
                assert_close(gauss_rms(&t, 0), rms[k], 5e-6);
            if (i == 2) /* it pushes at all times, also where the mass is far from the wall */
                assert_true(r.force_low > 0 && r.complementarity > 0.5);
            if (i == 0 && k == 3) {
                double low = 0;
                for (int s = 0; s < 2000; s++)
                    low = fmin(low, zw_gauss_integral_at(t.g, t.x, 0, s * M_PI / 1000));
                assert_close(low, -2.3311, 5e-5);
                assert_close(r.force_low, -.063, 5e-4); /* it pulls */
                assert_close(r.force_high, .962, 5e-4);
                assert_true(r.complementarity > 0.1);
            }
        }
    gauss_close(&t);
}

static void test_gauss_integral__wall(void **state) {
    (void)state;
    check_wall(ZW_GAUSS_BARRIER);
    check_wall(ZW_GAUSS_IPOPT);
}

/* at all times: more than at 30 points, and both solvers agree, with their multipliers */
static void test_gauss_integral__wall_at_all_times(void **state) {
    (void)state;
    gauss_open(&t, MODEL("wall_oscillator"), NULL, "Omega");
    double d = half_free_amplitude(.2), value;
    zw_gauss_bounded some = bounded(.2, d, 7, false, ZW_GAUSS_BARRIER);
    assert_true(some.violation > 1e-3);
    zw_gauss_bounded r = bounded(.2, d, 7, true, ZW_GAUSS_BARRIER);
    assert_true(r.violation < 2e-6 && r.result.value > some.result.value && r.n > 30 && r.n < 200);
    for (int i = 0; i < r.n; i++) {
        assert_true(r.multiplier[i] >= 0 && r.slack[i] >= 0);
        assert_true(r.multiplier[i] * r.slack[i] < 1e-9);
    }
    value = r.result.value;
    r = bounded(.2, d, 7, true, ZW_GAUSS_IPOPT);
    assert_close(r.result.value, value, 1e-6);
    assert_true(r.result.gradient < 1e-8);
    gauss_close(&t);
}

/* ---- the same as by harmonic balance: coefficients, two degrees of freedom, constraints ---- */

static void compare_with_balance(const char *model, const char *over, double a, int first, int step,
                                 int top, double tolerance) {
    gauss_open(&t, model, NULL, over);
    gauss_trial(&t, first, step, top);
    periodic_balance(&t.m, first, step, top, 0);
    int n = zw_gauss_integral_unknowns(t.g);
    assert_int_equal(zw_gauss_integral_coefficients(t.g), zw_harmonic_coefficients(t.m.balance));
    double rest;
    assert_int_equal(zw_gauss_integral_value(t.g, t.x, a, &rest, NULL, &t.m.err), ZW_OK);
    zw_gauss_result r = gauss_minimise(&t, a);
    if (!r.converged || r.value > 1e-12 * rest)
        fail_msg("%s: G_int %g, at rest %g", model, r.value, rest);
    assert_int_equal(periodic_solve(&t.m, a), ZW_OK);
    for (int i = 0; i < n; i++)
        assert_close(t.x[i], t.m.x[i], tolerance);
    gauss_close(&t);
}

static void test_gauss_integral__is_harmonic_balance(void **state) {
    (void)state;
    compare_with_balance(MODEL("duffing"), "Omega", 0.6, 1, 2, 45, 1e-7);
    compare_with_balance(MODEL("absorber_planar"), "omega", 3, 0, 1, 17, 1e-7);
    compare_with_balance(MODEL("bar"), "Omega", 10, 1, 1, 1, 1e-9);
    compare_with_balance(
        "model two\nunits none\nparam Omega = 1\ncoord x, y\nkinetic 1/2*x'^2 + y'^2\n"
        "potential 1/2*x^2 + 1/4*(x - y)^4 + y^2\ndissipation 0.1*x'^2 + 0.2*y'^2\n"
        "force (x) = cos(Omega*t)\n",
        "Omega", 2.2, 0, 1, 21, 1e-7);
}

/* a nonholonomic system: the same orbit, which the constraint holds on, and which the judgement
 * calls a motion */
static void test_gauss_integral__skate(void **state) {
    (void)state;
    zw_gauss_judgement j;
    gauss_open(&t, SKATE, NULL, "Omega");
    gauss_trial(&t, 0, 1, 15);
    zw_gauss_result r = gauss_minimise(&t, 3);
    assert_true(r.converged && r.value + r.defect < 1e-12);
    if (zw_gauss_integral_judge(t.g, t.x, 3, 0, &j, &t.m.err) < 0)
        fail_msg("%s", t.m.err.text);
    assert_int_equal(j.verdict, ZW_GAUSS_MOTION);
    assert_true(j.distance < 1e-6);
    gauss_close(&t);
}

/* one pendulum in an angle, in polar and in Cartesian coordinates with a constraint */
static void test_gauss_integral__pendulum(void **state) {
    (void)state;
    gauss_open(&t, MODEL("pendulum_polar"), NULL, "Omega");
    gauss_trial(&t, 0, 1, 25);
    t.x[0] = 0.5;
    zw_gauss_result r = gauss_minimise(&t, 1);
    assert_true(r.converged && r.value + r.defect < 1e-14);
    assert_close(gauss_rms(&t, 1), .48779523, 6e-9);
    assert_close(zw_gauss_integral_at(t.g, t.x, 1, 0), .71433266, 6e-9);
    /* tension: m g cos theta + m l theta'^2 */
    static double lambda[2000];
    assert_int_equal(zw_gauss_integral_forces(t.g, t.x, 1, NULL, lambda, &t.m.err), ZW_OK);
    assert_close(-lambda[0], 9.8 * cos(.71433266) + 0.5 * .03499168 * .03499168, 1e-7);
    gauss_close(&t);
    gauss_open(&t, MODEL("pendulum_cartesian"), NULL, "Omega");
    gauss_trial(&t, 0, 1, 25);
    t.x[zw_gauss_integral_coefficients(t.g)] = -0.5;
    r = gauss_minimise(&t, 1);
    assert_true(r.converged && r.value + r.defect < 1e-14);
    double x = zw_gauss_integral_at(t.g, t.x, 0, 0), y = zw_gauss_integral_at(t.g, t.x, 1, 0);
    assert_close(hypot(x, y), 0.5, 1e-8);
    assert_close(atan2(x, -y), .71433266, 6e-9);
    gauss_close(&t);
}

/* ---- a bar ---- */

/* the tip of the bar with n modes, as a text */
static double tip_of_modes(int n) {
    static char text[20000];
    size_t used = 0;
#define ADD(...) (used += (size_t)snprintf(text + used, sizeof text - used, __VA_ARGS__))
    ADD("model bar\nunits none\nparam Omega = 10\ncoord q_1");
    for (int i = 2; i <= n; i++)
        ADD(", q_%d", i);
    for (int i = 1; i <= n; i++) {
        ADD("\nkinetic 0.1*q_%d'^2\ndissipation 250*q_%d'^2\n", i, i);
        ADD("potential 1/2*(pi/2000)^2*1e8*%d*q_%d^2\n", (2 * i - 1) * (2 * i - 1), i);
        ADD("force (q_%d) = 2e5/pi/%d*cos(Omega*t)\n", i, 2 * i - 1);
    }
#undef ADD
    double c = 0, s = 0;
    gauss_open(&t, text, NULL, "Omega");
    gauss_trial(&t, 1, 1, 1);
    zw_gauss_result r = gauss_minimise(&t, 10);
    assert_true(r.converged);
    for (int i = 0; i < n; i++) {
        double a, b;
        zw_gauss_integral_part(t.g, t.x, i, 1, &a, &b);
        c += i % 2 ? -a : a;
        s += i % 2 ? -b : b;
    }
    gauss_close(&t);
    return hypot(c, s);
}

/* E A u'' + (rho A Omega^2 - i c Omega) u + F = 0 on lines x = k l/n, by elimination */
static double tip_of_lines(int n) {
    static double complex upper[4001], right[4001];
    double h = 1000.0 / n, k = 2e5 / (h * h);
    double complex middle = -2 * k + 0.04 - 10 * I;
    for (int i = 1; i <= n; i++) { /* at the free end the line beyond moves as the one before */
        double left = i == n ? 2 * k : k, next = i == n ? 0 : k;
        double complex pivot = middle - (i > 1 ? left * upper[i - 1] : 0);
        upper[i] = next / pivot;
        right[i] = (-100 - (i > 1 ? left * right[i - 1] : 0)) / pivot;
    }
    return cabs(right[n]);
}

static void test_gauss_integral__bar(void **state) {
    (void)state;
    double complex beta =
                       csqrt((0.04 - 10 * I) / 2e5), /* u = U (1 - cos(beta (l - x))/cos(beta l)) */
        U = -100 / (0.04 - 10 * I) * (1 - 1 / ccos(1000 * beta));
    double exact = cabs(U);
    assert_close(exact, 9.96085, 5e-6);
    assert_close(creal(U), -.169970, 5e-7);
    assert_close(cimag(U), -9.959401, 5e-7);
    assert_close(tip_of_lines(1000), exact, 1e-5);
    assert_close(tip_of_modes(1), 12.7193, 5e-5);
    assert_close(tip_of_modes(20), exact, 1e-4);
    gauss_open(&t, MODEL("bar"), NULL, "Omega");
    gauss_trial(&t, 1, 1, 1);
    gauss_minimise(&t, 10);
    double c = 0, s = 0;
    for (int i = 0; i < 8; i++) {
        c += (i % 2 ? -1 : 1) * t.x[2 * i];
        s += (i % 2 ? -1 : 1) * t.x[2 * i + 1];
    }
    assert_close(hypot(c, s), 9.9591, 5e-5);
    gauss_close(&t);
}

/* ---- derivatives, weights, bounds of observables, refusals ---- */

/* forces that jump, of two masses that differ, and with a constraint and functions of velocities */
#define RUBBED                                                                                     \
    "model rubbed\nunits none\nparam Omega = 2, mu = 0.2\ncoord x, y\n"                            \
    "kinetic x'^2 + (2 + x)*y'^2/2\npotential x^2 + 2*(y - x)^2\n"                                 \
    "force (x) = cos(Omega*t) - mu*sign(x')\nforce (y) = -mu*sign(y' - x'/2) - abs(y)*y\n"
#define RUBBED_SKATE SKATE "force (th) = -sign(th')/5\n"

/* what is minimised, with the weighted constraints: of a minimisation of no steps */
static double total_at(double a) {
    zw_gauss_result r = gauss_minimise(&t, a);
    return r.value + r.defect;
}

/* the gradient by differences of what is minimised */
static void check_gradient(const char *model, const char *over, double a, zw_gauss_weight weight,
                           bool kinks) {
    enum { MOST = 100 };
    static double gradient[MOST];
    gauss_open(&t, model, NULL, over);
    if (kinks)
        gauss_kinks(&t);
    t.options.weight = weight;
    t.options.iterations = 0;
    t.options.hold = 3;
    gauss_trial(&t, 0, 1, 3);
    int n = zw_gauss_integral_unknowns(t.g), size = zw_gauss_integral_coefficients(t.g);
    assert_true(n <= MOST);
    for (int i = 0; i < n; i++)
        t.x[i] = (i % size == 0 ? 0.6 : 0) + (kinks ? 0.5 : 0.05) * sin(3.0 * i + 1);
    double value;
    assert_int_equal(zw_gauss_integral_value(t.g, t.x, a, &value, gradient, &t.m.err), ZW_OK);
    for (int i = 0; i < n; i++) {
        double h = 1e-5, x = t.x[i];
        t.x[i] = x + h;
        double plus = total_at(a);
        t.x[i] = x - h;
        double minus = total_at(a);
        t.x[i] = x;
        assert_close(gradient[i], (plus - minus) / (2 * h), 1e-6);
    }
    gauss_close(&t);
}

static void test_gauss_integral__gradient_by_differences(void **state) {
    (void)state;
    for (int weight = ZW_GAUSS_MASS; weight <= ZW_GAUSS_FORCE; weight++) {
        check_gradient(MODEL("duffing"), "Omega", 1.3, (zw_gauss_weight)weight, false);
        check_gradient(MODEL("absorber_planar"), "omega", 3, (zw_gauss_weight)weight, false);
        check_gradient(MODEL("pendulum_cartesian"), "Omega", 1, (zw_gauss_weight)weight, false);
        check_gradient(MODEL("pendulum_polar"), "Omega", 1, (zw_gauss_weight)weight, false);
        check_gradient(SKATE, "Omega", 2, (zw_gauss_weight)weight, false);
        check_gradient(MODEL("piecewise_linear"), "Omega", 2, (zw_gauss_weight)weight, true);
        check_gradient(RUBBED, "Omega", 2, (zw_gauss_weight)weight, true);
        check_gradient(RUBBED_SKATE, "Omega", 2, (zw_gauss_weight)weight, true);
    }
}

/* the exact second derivatives by differences of the gradient */
static void check_hessian(const char *model, const char *over, double a, zw_gauss_weight weight,
                          bool kinks) {
    enum { MOST = 60 };
    static double H[MOST * MOST], gradient[2][MOST];
    gauss_open(&t, model, NULL, over);
    if (kinks)
        gauss_kinks(&t);
    t.options.weight = weight;
    t.options.hold = 3;
    gauss_trial(&t, 0, 1, 2);
    int n = zw_gauss_integral_unknowns(t.g), size = zw_gauss_integral_coefficients(t.g);
    assert_true(n <= MOST);
    for (int i = 0; i < n; i++)
        t.x[i] = (i % size == 0 ? 0.6 : 0) + (kinks ? 0.5 : 0.05) * sin(3.0 * i + 1);
    double value, largest = 1;
    assert_int_equal(zw_gauss_integral_second(t.g, t.x, a, H, &t.m.err), ZW_OK);
    for (int i = 0; i < n * n; i++)
        largest = fmax(largest, fabs(H[i]));
    for (int i = 0; i < n; i++) {
        double h = 1e-5, x = t.x[i];
        for (int side = 0; side < 2; side++) {
            t.x[i] = side ? x - h : x + h;
            zw_gauss_integral_value(t.g, t.x, a, &value, gradient[side], &t.m.err);
        }
        t.x[i] = x;
        for (int j = 0; j < n; j++)
            assert_close(H[i * n + j] / largest,
                         (gradient[0][j] - gradient[1][j]) / (2 * h * largest), 1e-7);
    }
    gauss_close(&t);
}

static void test_gauss_integral__second_derivatives_by_differences(void **state) {
    (void)state;
    for (int force = 0; force < 2; force++) {
        zw_gauss_weight weight = force ? ZW_GAUSS_FORCE : ZW_GAUSS_MASS;
        check_hessian(MODEL("duffing"), "Omega", 1.3, weight, false);
        check_hessian(MODEL("absorber_planar"), "omega", 3, weight, false);
        check_hessian(MODEL("pendulum_cartesian"), "Omega", 1, weight, false);
        check_hessian(MODEL("pendulum_polar"), "Omega", 1, weight, false);
        check_hessian(SKATE, "Omega", 2, weight, false);
        check_hessian(MODEL("piecewise_linear"), "Omega", 2, weight, true);
        check_hessian(RUBBED, "Omega", 2, weight, true);
        check_hessian(RUBBED_SKATE, "Omega", 2, weight, true);
    }
}

/* velocities that are functions of their own: derivatives, and the orbit of the same system without
 * them */
#define QUASI                                                                                      \
    "model skate\nunits none\nparam Omega = 1\ncoord x, y, th\n"                                   \
    "quasi u = cos(th)*x' + sin(th)*y', s = -sin(th)*x' + cos(th)*y', o = th'\n"                   \
    "kinetic u^2 + s^2 + o^2/4\npotential x^2 + y^2 + th^2\n"                                      \
    "dissipation u^2/5 + s^2/5 + o^2/5\nconstraint blade : s = 0\n"                                \
    "force (x) = cos(Omega*t)\nforce (th) = sin(Omega*t)/2\n"

static void test_gauss_integral__quasi_velocities(void **state) {
    (void)state;
    double rms[2];
    for (int i = 0; i < 2; i++) {
        gauss_open(&t, i ? QUASI : SKATE, NULL, "Omega");
        gauss_trial(&t, 0, 1, 15);
        zw_gauss_result r = gauss_minimise(&t, 3);
        assert_true(r.converged && r.value + r.defect < 1e-12);
        assert_int_equal(t.m.kernel->plain_rates, i == 0);
        rms[i] = gauss_rms(&t, 0);
        gauss_close(&t);
    }
    assert_true(rms[0] > 0.01);
    assert_close(rms[0], rms[1], 1e-7);
    check_gradient(QUASI, "Omega", 2, ZW_GAUSS_MASS, false);
    check_hessian(QUASI, "Omega", 2, ZW_GAUSS_MASS, false);
}

/* with constraints: Newton's method with the exact matrix converges squared, to the same minimum as
 * Gauss and Newton's; with few harmonics it is not zero */
static void test_gauss_integral__newton_with_constraints(void **state) {
    (void)state;
    double G[2], rms[2];
    int steps[2];
    for (int method = 0; method < 2; method++) {
        gauss_open(&t, MODEL("pendulum_cartesian"), NULL, "Omega");
        t.options.method = method ? ZW_GAUSS_NEWTON : ZW_GAUSS_GAUSS_NEWTON;
        gauss_trial(&t, 0, 1, 2);
        t.x[zw_gauss_integral_coefficients(t.g)] = -0.5;
        zw_gauss_result r = gauss_minimise(&t, 1);
        assert_true(r.converged);
        G[method] = r.value + r.defect;
        rms[method] = gauss_rms(&t, 0);
        steps[method] = r.iterations;
        gauss_close(&t);
    }
    assert_true(G[0] > 1e-6);
    assert_close(G[0], G[1], 1e-9);
    assert_close(rms[0], rms[1], 1e-6);
    assert_true(steps[1] <= steps[0] + 5);
}

/* a bound of an observable that is the coordinate is the bound of the coordinate; a lower bound is
 * an upper one of the mirror image */
static void test_gauss_integral__bounds_of_observables(void **state) {
    (void)state;
    double value[3];
    for (int i = 0; i < 3; i++) {
        zw_gauss_bound bound = {
            .observable = i == 1, .limit = i == 2 ? -1 : 1, .sign = i == 2 ? -1 : 1};
        zw_gauss_bound_options o = zw_gauss_bound_options_default();
        zw_gauss_bounded r;
        o.nbound = 1;
        o.bound = &bound;
        gauss_open(&t,
                   "model wall\nunits none\nparam Omega = 0.2\ncoord x\nkinetic "
                   "1/2*x'^2\npotential 1/2*x^2\n"
                   "dissipation 0.05*x'^2\nforce (x) = 2*cos(Omega*t)\nobserve place = x\n",
                   NULL, "Omega");
        gauss_trial(&t, 0, 1, 5);
        if (zw_gauss_integral_minimise_bounded(t.g, t.x, .2, &o, &r, &t.m.err) < 0)
            fail_msg("%s", t.m.err.text);
        value[i] = r.result.value;
        gauss_close(&t);
    }
    assert_close(value[1], value[0], 1e-9);
    assert_close(value[2], value[0], 1e-9);
}

/* all that takes memory */
static zw_status do_all(void) {
    int list[] = {1, 3};
    zw_gauss_bound bound = {.limit = 1, .sign = 1};
    zw_gauss_bound_options bounds = zw_gauss_bound_options_default();
    zw_gauss_starts starts = zw_gauss_starts_default();
    zw_gauss_bounded b;
    zw_gauss_judgement j;
    zw_gauss_integral *g;
    const zw_gauss_minimum *minima;
    int n;
    bounds.nbound = 1;
    bounds.bound = &bound;
    starts.halton = 3;
    starts.grid = 2;
    starts.dimension = 2;
    t.options.nharmonic = 2;
    t.options.harmonic = list;
    t.m.err = (zw_error){0};
    start_at(0, 0);
    ZW_TRY(
        zw_gauss_integral_create(&g, t.m.kernel, t.m.p, &t.options, periodic_set, &t.m, &t.m.err));
    zw_status status = zw_gauss_integral_search(g, 1.4, &starts, &minima, &n, &t.m.err);
    if (status == ZW_OK)
        status = zw_gauss_integral_judge(g, minima[0].x, 1.4, 7, &j, &t.m.err);
    if (status == ZW_OK)
        status = zw_gauss_integral_minimise_bounded(g, t.x, 1.4, &bounds, &b, &t.m.err);
    zw_gauss_integral_destroy(g);
    return status;
}

static void test_gauss_integral__memory_runs_out(void **state) {
    (void)state;
    gauss_open(&t, MODEL("duffing"), NULL, "Omega");
    zw_allocator before = t.m.kernel->alloc;
    zw_status status = ZW_E_MEMORY;
    int n = 1;
    for (; status == ZW_E_MEMORY; n++) {
        failing_allocator f = failing_allocator_make(n);
        t.m.kernel->alloc = failing_allocator_of(&f);
        status = do_all();
        t.m.kernel->alloc = before;
        assert_int_equal(status, f.failed ? ZW_E_MEMORY : ZW_OK);
        assert_int_equal(f.blocks, 0);
        assert_int_equal(f.bytes, 0);
    }
    assert_true(n > 10);
    gauss_close(&t);
}

static void test_gauss_integral__refusals(void **state) {
    (void)state;
    zw_gauss_integral *g;
    int one = 1;
    gauss_open(&t, MODEL("duffing"), NULL, "Omega");
    assert_int_equal(
        zw_gauss_integral_create(&g, t.m.kernel, t.m.p, &t.options, periodic_set, &t.m, &t.m.err),
        ZW_E_OPTION);
    assert_non_null(strstr(t.m.err.text, "harmonic"));
    t.options.nharmonic = 1;
    t.options.harmonic = &one;
    t.options.method = ZW_GAUSS_NEWTON;
    t.options.weight = ZW_GAUSS_ACCELERATION;
    t.m.err = (zw_error){0};
    assert_int_equal(
        zw_gauss_integral_create(&g, t.m.kernel, t.m.p, &t.options, periodic_set, &t.m, &t.m.err),
        ZW_E_OPTION);
    assert_null(g);
    gauss_close(&t);
    gauss_open(&t, MODEL("pendulum_polar"), NULL, "Omega"); /* no mass matrix at r = 0 */
    gauss_trial(&t, 0, 1, 3);
    assert_int_equal(zw_gauss_integral_minimise(t.g, t.x, 1, NULL, &t.m.err), ZW_E_NUMERIC);
    gauss_close(&t);
    assert_close(zw_gauss_halton(6, 0), 0.375, 0);
    assert_close(zw_gauss_halton(5, 1), 7.0 / 9, 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gauss_integral__minima_of_one_harmonic),
        cmocka_unit_test(test_gauss_integral__odd_harmonics),
        cmocka_unit_test(test_gauss_integral__carried_along_to_orbits),
        cmocka_unit_test(test_gauss_integral__ghosts_of_duffing),
        cmocka_unit_test(test_gauss_integral__second_spring),
        cmocka_unit_test(test_gauss_integral__equidistant_points_tell_their_error),
        cmocka_unit_test(test_gauss_integral__kinks_in_time),
        cmocka_unit_test(test_gauss_integral__second_spring_to_its_orbits),
        cmocka_unit_test(test_gauss_integral__wall),
        cmocka_unit_test(test_gauss_integral__wall_at_all_times),
        cmocka_unit_test(test_gauss_integral__is_harmonic_balance),
        cmocka_unit_test(test_gauss_integral__skate),
        cmocka_unit_test(test_gauss_integral__pendulum),
        cmocka_unit_test(test_gauss_integral__bar),
        cmocka_unit_test(test_gauss_integral__gradient_by_differences),
        cmocka_unit_test(test_gauss_integral__second_derivatives_by_differences),
        cmocka_unit_test(test_gauss_integral__quasi_velocities),
        cmocka_unit_test(test_gauss_integral__newton_with_constraints),
        cmocka_unit_test(test_gauss_integral__bounds_of_observables),
        cmocka_unit_test(test_gauss_integral__memory_runs_out),
        cmocka_unit_test(test_gauss_integral__refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
