/* SPDX-License-Identifier: MIT */
/* Moments, spectral densities and ends over many paths: against closed forms, to the sampling error
 * that is reported. */
#include "support/report.h"
#include "support/test.h"

#include "zwang/zwang.h"

static zw_error err;

static zw_noise *study(const char *text, double transient, double time, uint64_t paths, double step,
                       int frequencies, int threads) {
    zw_model_source source = {.text = text, .length = strlen(text), .file = "test"};
    zw_noise_options o = zw_noise_options_default();
    zw_noise *n = NULL;
    o.transient = transient, o.time = time, o.paths = paths, o.step = step;
    o.frequencies = frequencies, o.threads = threads;
    err = (zw_error){0};
    if (zw_noise_create(&n, &source, &o, &err) < 0 || zw_noise_run(n, &err) < 0)
        fail_msg("%s", err.text);
    return n;
}

/* the estimate is as near as its error says, and that is as small as it should be */
static void agrees(zw_noise_estimate e, double exact, double errors, double largest) {
    if (!(fabs(e.value - exact) <= errors * e.error) || !(e.error <= largest))
        fail_msg("%g +- %g against %g, error at most %g", e.value, e.error, exact, largest);
}

static const char OU[] = "model ou\nparam T = 0.5 [s], s = 0.4 [m/s^(1/2)], u = 3 [m/s]\n"
                         "input w = noise(s)\nstate x [m] : x' = u - x/T + w\n";

/* Ornstein and Uhlenbeck: mean u T, variance s^2 T/2, normal; G(f) = 2 s^2 T^2/(1 + (2 pi f
 * T)^2) */
static void test_noise_study__ornstein_uhlenbeck(void **state) {
    (void)state;
    zw_noise *n = study(OU, 4, 32, 200, 0.0625, 64, 2);
    zw_noise_moments m = zw_noise_moments_of(n, 0);
    agrees(m.mean, 1.5, 4, 0.004);
    agrees(m.sd, 0.4 * sqrt(0.25), 4, 0.003);
    agrees(m.skewness, 0, 4, 0.05);
    agrees(m.excess, 0, 4, 0.1);
    assert_true(zw_noise_is_settled(n));
    zw_table *t;
    assert_true(zw_noise_spectrum_table(n, &t, &err) >= 0);
    double chi2 = 0, area = 0, before = 0;
    long rows = zw_table_rows(t);
    for (long i = 0; i < rows; i++) {
        double f = zw_table_at(t, i, 0), g = zw_table_at(t, i, 1), e = zw_table_at(t, i, 2);
        double exact = 2 * 0.16 * 0.25 / (1 + pow(2 * M_PI * f * 0.5, 2));
        if (i > 0) /* Hann's window shares the first with the mean that was taken off */
            chi2 += pow((g - exact) / e, 2) / (double)(rows - 1);
        area += g * (f - before);
        before = f;
    }
    assert_true(chi2 > 0.5 && chi2 < 2);
    assert_true(area < 1.05 * m.sd.value * m.sd.value && area > 0.8 * m.sd.value * m.sd.value);
    zw_table_destroy(t);
    zw_noise_destroy(n);
}

/* the same numbers in one thread and in three */
/* A large constant beside a quantity takes nothing from its moments: those of an exponential of it,
 * which are not normal, as well. */
static void test_noise_study__large_means(void **state) {
    (void)state;
    static const char text[] =
        "model far\nunits none\nparam c = 1e9\nstate y : y' = -y + hiss\n"
        "input hiss = noise(1)\nobserve near = exp(y/2)\nobserve far = exp(y/2) + c\n";
    static const char *const of[] = {"near", "far"};
    zw_noise_moments m[2];
    for (int i = 0; i < 2; i++) {
        zw_model_source source = {.text = text, .length = strlen(text), .file = "test"};
        zw_noise_options o = zw_noise_options_default();
        zw_noise *n = NULL;
        o.transient = 5, o.time = 16, o.paths = 50, o.step = 0.125;
        o.frequencies = 16, o.threads = 2;
        o.nof = 1, o.of = &of[i];
        err = (zw_error){0};
        if (zw_noise_create(&n, &source, &o, &err) < 0 || zw_noise_run(n, &err) < 0)
            fail_msg("%s", err.text);
        m[i] = zw_noise_moments_of(n, 0);
        zw_noise_destroy(n);
    }
    assert_close(m[1].mean.value - 1e9, m[0].mean.value, 1e-6);
    assert_close(m[1].sd.value, m[0].sd.value, 1e-6);
    assert_close(m[1].skewness.value, m[0].skewness.value, 1e-5);
    assert_close(m[1].excess.value, m[0].excess.value, 1e-5);
    assert_true(m[1].skewness.value > 0.3);
}

static void test_noise_study__threads_change_nothing(void **state) {
    (void)state;
    zw_noise *a = study(OU, 1, 4, 20, 0.125, 4, 1), *b = study(OU, 1, 4, 20, 0.125, 4, 3);
    assert_true(zw_noise_moments_of(a, 0).sd.value == zw_noise_moments_of(b, 0).sd.value);
    assert_true(zw_noise_moments_of(a, 0).mean.value == zw_noise_moments_of(b, 0).mean.value);
    zw_noise_destroy(a);
    zw_noise_destroy(b);
}

/* what has not settled is seen: from 0 to a mean of 1.5 */
static void test_noise_study__what_is_not_stationary_is_told(void **state) {
    (void)state;
    zw_noise *n = study(OU, 0, 2, 50, 0.125, 4, 2);
    assert_false(zw_noise_is_settled(n));
    zw_noise_destroy(n);
}

static bool stop_at_once(void *user, double done) {
    (void)user;
    (void)done;
    return true;
}

/* numbers of the report are those of the functions; a study that is stopped says what it lacks */
static void test_noise_study__report(void **state) {
    (void)state;
    zw_noise *n = study(OU, 0, 2, 50, 0.125, 4, 2);
    zw_noise_moments m = zw_noise_moments_of(n, 0);
    zw_report *r = report_begin("ou");
    zw_warnings *list = zw_warnings_create(NULL);
    zw_noise_report(n, r);
    zw_noise_warnings(n, list);
    assert_true(zw_report_get_number(r, "paths") == 50);
    assert_true(zw_report_get_number(r, "quantities.0.mean") == m.mean.value);
    assert_true(zw_report_get_number(r, "quantities.0.standard_deviation") == m.sd.value);
    assert_int_equal(zw_warnings_count(list), 1);
    assert_non_null(strstr(zw_warnings_at(list, 0)->text, "the distribution is not stationary"));
    char *text = report_take_text(r);
    assert_non_null(strstr(text, "ou: 50 paths of seed 1, 2 s after 0 s, noise step 0.125 s"));
    free(text);
    zw_warnings_destroy(list);
    zw_noise_destroy(n);

    zw_model_source source = {.text = OU, .length = strlen(OU), .file = "test"};
    zw_noise_options o = zw_noise_options_default();
    o.stop = stop_at_once;
    assert_int_equal(zw_noise_create(&n, &source, &o, &err), ZW_OK);
    assert_int_equal(zw_noise_run(n, &err), ZW_STOPPED);
    r = report_begin("ou");
    zw_noise_report(n, r);
    text = report_take_text(r);
    assert_non_null(strstr(text, "0 paths of seed 1"));
    assert_non_null(strstr(text, "No moments: these need 4 paths"));
    free(text);
    zw_noise_destroy(n);
}

static const char TWO[] =
    "model two\nparam m = 1 [kg], k = 4 [N/m], c = 0.6 [kg/s], s = 0.7 [N*s^(1/2)]\n"
    "coord x [m]\nparticle P : m at (x, 0)\npotential 1/2*k*x^2\n"
    "dissipation 1/2*c*x'^2\ninput w = noise(s)\n"
    "input v = noise(0.5 [N], 0.25 [s])\nforce (x) = w + v\n";

/* An oscillator under white and filtered noise at once. Lyapunov's equation has it in closed form:
 * of white noise s^2/(2 c k) and s^2/(2 c m), of noise with the correlation r^2 exp(-|t|/T), with a
 * = 1/T, b = c/m, o = k/m,
 *   var x = r^2 (a + b)/(m^2 b o (a^2 + a b + o)),   var x' = r^2 a/(m^2 b (a^2 + a b + o));
 * and the paths to their errors. */
static void test_noise_study__lyapunov(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    zw_system *sys;
    zw_equilibria *e;
    zw_linear_equations *l;
    zw_equilibria_options how = zw_equilibria_options_default();
    zw_linear_options what = zw_linear_options_default();
    assert_true(zw_model_parse(&sys, ctx, TWO, strlen(TWO), "test", NULL, &err) >= 0);
    assert_true(zw_linear_prepare(sys, &what, &how, &err) >= 0);
    assert_true(zw_equilibria_create(&e, sys, &how, &err) >= 0);
    assert_true(zw_equilibria_find(e, &err) >= 0);
    assert_true(zw_linear_create(&l, e, &what, &err) >= 0);
    const double *P = zw_linear_covariance(l);
    assert_non_null(P);
    int n = zw_linear_states(l)->n, x = -1, v = -1, w = -1;
    for (int i = 0; i < n; i++) {
        const char *name = zw_linear_state(l, i, NULL);
        x = strcmp(name, "x") == 0 ? i : x;
        v = strcmp(name, "x'") == 0 ? i : v;
        w = strcmp(name, "v") == 0 ? i : w;
    }
    double a = 4, b = 0.6, o = 4, r2 = 0.25, D = a * a + a * b + o;
    double xx = 0.49 / (2 * 0.6 * 4) + r2 * (a + b) / (b * o * D);
    double vv = 0.49 / (2 * 0.6) + r2 * a / (b * D);
    assert_close(P[x * n + x], xx, 1e-12);
    assert_close(P[v * n + v], vv, 1e-12);
    assert_close(P[w * n + w], r2, 1e-12);
    assert_close(P[x * n + v], 0, 1e-12);
    zw_noise *paths = study(TWO, 16, 48, 150, 0.0625, 16, 2);
    for (int i = 0; i < zw_noise_count(paths); i++) {
        zw_noise_moments m = zw_noise_moments_of(paths, i);
        double exact = strcmp(m.name, "x") == 0    ? sqrt(xx)
                       : strcmp(m.name, "x'") == 0 ? sqrt(vv)
                                                   : 0.5;
        agrees(m.sd, exact, 4, 0.03 * exact);
        agrees(m.mean, 0, 4, 0.03);
    }
    zw_noise_destroy(paths);
    zw_linear_destroy(l);
    zw_equilibria_destroy(e);
    zw_context_destroy(ctx);
}

static double well(double x) {
    return x * x * x * x / 4 - x * x / 2;
}

/* Kramers' problem, x' = x - x^3 + w: the mean time from -1 to b is 2/s^2 times the integral over y
 * from -1 to b of exp(2 U(y)/s^2) times that over z from -inf to y of exp(-2 U(z)/s^2). */
static double mean_passage(double s, double b) {
    enum { N = 200000 };
    double dz = (b + 4) / N, inner = 0, outer = 0;
    for (int i = 0; i < N; i++) {
        double z = -4 + (i + 0.5) * dz;
        inner += exp(-2 * well(z) / (s * s)) * dz;
        if (z > -1)
            outer += exp(2 * well(z) / (s * s)) * inner * dz;
    }
    return 2 / (s * s) * outer;
}

static void test_noise_study__leaving_a_well(void **state) {
    (void)state;
    const char text[] =
        "model kramers\nunits none\ninput w = noise(0.7)\nstate x : x' = x - x^3 + w\n"
        "start x = -1\nevent over : x - 0.9 rising, stop\n";
    zw_noise *n = study(text, 0, 150, 400, 0.03125, 4, 2);
    uint64_t ended = zw_noise_ended(n, 0);
    double low, high, T = mean_passage(0.7, 0.9);
    assert_true(ended > 395 && zw_noise_ended(n, -1) == ended); /* one in e^10.7 does not */
    double measured = zw_noise_time(n) / (double)ended;
    assert_true(fabs(measured - T) < 4 * T / sqrt(400));
    zw_noise_interval(ended, zw_noise_paths(n), &low, &high);
    assert_true(low < (double)ended / 400 && high <= 1 && high - low < 0.03);
    zw_noise_destroy(n);
    /* Wilson's interval in closed form: 0 of n ends at z^2/(n + z^2) */
    zw_noise_interval(0, 100, &low, &high);
    assert_true(low == 0);
    assert_close(high, 3.8414588206941236 / 103.8414588206941236, 1e-12);
}

/* Brownian motion with drift u and intensity s comes to c before T with the probability Phi((u T
 * - c)/(s sqrt(T))) + exp(2 u c/s^2) Phi((-c - u T)/(s sqrt(T))) = 0.765684; within cells of a
 * quarter of a second alone it would be 0.69 */
static void test_noise_study__first_passages(void **state) {
    (void)state;
    enum { PATHS = 3000 };
    const char text[] = "model bm\nunits none\ninput w = noise(0.8)\nstate x : x' = 0.3 + w\n"
                        "event over : x - 1 rising, stop\n";
    zw_noise *n = study(text, 0, 4, PATHS, 0.25, 4, 2);
    double share = (double)zw_noise_ended(n, 0) / PATHS, exact = 0.7656843619399603;
    assert_true(fabs(share - exact) < 3 * sqrt(exact * (1 - exact) / PATHS));
    assert_true(zw_noise_commutes(n));
    zw_noise_destroy(n);
}

static bool always(void *user, double done) {
    (void)user, (void)done;
    return true;
}

/* Stopped before there are moments: there are no results, and nothing claims that there are. */
static void test_noise_study__stopped_at_once(void **state) {
    (void)state;
    zw_model_source source = {.text = OU, .length = strlen(OU), .file = "test"};
    zw_context *ctx = zw_context_create(NULL);
    zw_system *sys = NULL;
    zw_study *s = NULL;
    err = (zw_error){0};
    assert_int_equal(zw_model_parse(&sys, ctx, OU, source.length, "test", NULL, &err), ZW_OK);
    assert_int_equal(zw_study_create(&s, "noise", sys, &source, &err), ZW_OK);
    zw_study_watch(s, always, NULL);
    assert_true(zw_study_work(s, &err) < 0);
    assert_non_null(strstr(err.text, "stopped before 4 paths"));
    assert_false(zw_study_has_results(s));
    zw_study_destroy(s);
    zw_context_destroy(ctx);
}

static void test_noise_study__refusals(void **state) {
    (void)state;
    const char quiet[] = "model quiet\nunits none\nstate x : x' = -x\n";
    zw_model_source source = {.text = quiet, .length = strlen(quiet), .file = "test"};
    zw_noise_options o = zw_noise_options_default();
    zw_noise *n;
    err = (zw_error){0};
    assert_int_equal(zw_noise_create(&n, &source, &o, &err), ZW_E_MODEL);
    assert_non_null(strstr(err.text, "has no noise"));
    source.text = OU, source.length = strlen(OU);
    o.frequencies = 100;
    assert_int_equal(zw_noise_create(&n, &source, &o, &err), ZW_E_OPTION);
    o.frequencies = 64, o.paths = 1;
    assert_int_equal(zw_noise_create(&n, &source, &o, &err), ZW_E_OPTION);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_noise_study__ornstein_uhlenbeck),
        cmocka_unit_test(test_noise_study__large_means),
        cmocka_unit_test(test_noise_study__threads_change_nothing),
        cmocka_unit_test(test_noise_study__what_is_not_stationary_is_told),
        cmocka_unit_test(test_noise_study__report),
        cmocka_unit_test(test_noise_study__lyapunov),
        cmocka_unit_test(test_noise_study__leaving_a_well),
        cmocka_unit_test(test_noise_study__first_passages),
        cmocka_unit_test(test_noise_study__stopped_at_once),
        cmocka_unit_test(test_noise_study__refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
