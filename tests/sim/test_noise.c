/* SPDX-License-Identifier: MIT */
/* Motions under noise, path by path: against closed forms of the path itself, and against the same
 * path in shorter steps. */
#include "base/brownian.h"
#include "support/simulation.h"

/* W at a time that is a multiple of 2^level, of the first noise of a model */
static double path_at(long seed, long path, int level, double t) {
    zw_brownian b;
    double sum = 0, W, H;
    zw_brownian_begin(&b, (uint64_t)seed, (uint64_t)path, 0);
    for (int64_t k = 0; (double)k * ldexp(1, level) < t; k++) {
        zw_brownian_cell(&b, level, k, &W, &H);
        sum += W;
    }
    return sum;
}

/* an entry of the last row */
static double end_of(const char *text, double until, double step, long seed, long path,
                     const char *column) {
    simulation s = simulation_make(until);
    s.options.noise_step = step;
    s.options.step_out = until;
    s.options.seed = seed;
    s.options.path = path;
    simulation_run(&s, text);
    assert_done(&s);
    double value = at(zw_sim_rows(s.sim), -1, column);
    simulation_clear(&s);
    return value;
}

static const char GROWTH[] = "model growth\n"
                             "param a = 0.3 [1/s], b = 0.8 [1/s^(1/2)]\n"
                             "input w = noise(b)\n"
                             "state x [m] : x' = (a + w)*x\n"
                             "start x = 1 [m]\n";

/* x' = a x + b x w in the sense of Stratonovich: x = exp(a t + b W(t)) on every path, in every
 * step. Ito's would be smaller by exp(-b^2 t/2), a factor of 0.53 here. */
static void test_noise__multiplicative_noise_is_stratonovich(void **state) {
    (void)state;
    for (long path = 0; path < 5; path++) {
        double W = path_at(3, path, 0, 2);
        for (int level = 0; level >= -6; level -= 3)
            assert_close(end_of(GROWTH, 2, ldexp(1, level), 3, path, "x"), exp(0.3 * 2 + 0.8 * W),
                         1e-8);
    }
}

/* x'' = w: the velocity is s W, the place its integral, which cells know exactly */
static void test_noise__free_mass_follows_the_path(void **state) {
    (void)state;
    const char text[] = "model free\nparam s = 0.7 [N*s^(1/2)]\ninput w = noise(s)\ncoord x [m]\n"
                        "particle P : 2 [kg] at (x, 0)\nforce (x) = w\n";
    double x = end_of(text, 4, 0.5, 1, 2, "x");
    assert_close(end_of(text, 4, 0.5, 1, 2, "x'"), 0.35 * path_at(1, 2, -1, 4), 1e-9);
    assert_close(x, end_of(text, 4, 0.03, 1, 2, "x"), 1e-9);
    double sum = 0, W = 0, dW, H;
    zw_brownian b;
    zw_brownian_begin(&b, 1, 2, 0);
    for (int64_t k = 0; k < 256; k++) { /* integral of W by cells of 1/64 s */
        zw_brownian_cell(&b, -6, k, &dW, &H);
        sum += (W + dW / 2 + H) / 64;
        W += dW;
    }
    assert_close(x, 0.35 * sum, 1e-9);
}

/* the strong error, rms over paths, at three steps: the slope of its logarithm */
static double strong_order(const char *text, const char *column, double *last) {
    enum { PATHS = 60 };
    double error[3] = {0};
    for (long path = 0; path < PATHS; path++) {
        double exact = end_of(text, 2, ldexp(1, -9), 1, path, column);
        for (int i = 0; i < 3; i++) {
            double d = end_of(text, 2, ldexp(1, -2 - i), 1, path, column) - exact;
            error[i] += d * d / PATHS;
        }
    }
    *last = sqrt(error[2]);
    return log2(error[0] / error[2]) / 4;
}

static void test_noise__strong_orders(void **state) {
    (void)state;
    double last;
    /* linear, additive: 2 */
    const char oscillator[] = "model linear\nparam s = 1 [N*s^(1/2)]\ninput w = noise(s)\n"
                              "coord x [m]\nparticle P : 1 [kg] at (x, 0)\n"
                              "potential 1/2*4 [N/m]*x^2\nforce (x) = w - 0.5 [kg/s]*x'\n";
    assert_true(strong_order(oscillator, "x", &last) > 1.7 && last < 1e-2);
    /* nonlinear with noise that depends on the state: 1 or better */
    const char bent[] = "model bent\nunits none\ninput w = noise(0.7)\n"
                        "state x : x' = sin(x) - x^3 + (1 + x^2/2)*w\nstart x = 0.5\n";
    assert_true(strong_order(bent, "x", &last) > 0.9 && last < 2e-2);
}

/* the step that is chosen makes as little difference as it says */
static void test_noise__step_is_chosen(void **state) {
    (void)state;
    const char text[] = "model bent\nunits none\ninput w = noise(0.3)\ncoord x\nkinetic x'^2/2\n"
                        "potential x^2/2 + x^4/4\nforce (x) = w - 0.2*x'\n";
    simulation s = simulation_make(8), fine = simulation_make(8);
    s.options.step_out = fine.options.step_out = 0.25;
    simulation_run(&s, text);
    assert_done(&s);
    zw_sim_info info = zw_sim_statistics(s.sim);
    assert_true(info.noise_error > 0 && info.noise_error <= ZW_SIM_NOISE_TOLERANCE);
    assert_int_equal(zw_warnings_count(zw_sim_warnings(s.sim)), 0);
    fine.options.noise_step = info.noise_step / 16;
    simulation_run(&fine, text);
    assert_done(&fine);
    double apart = 0, size = 0;
    for (long i = 0; i < zw_table_rows(zw_sim_rows(fine.sim)); i++) {
        double a = at(zw_sim_rows(s.sim), i, "x'"), b = at(zw_sim_rows(fine.sim), i, "x'");
        apart += (a - b) * (a - b), size += b * b;
    }
    assert_true(sqrt(apart / size) < 2 * ZW_SIM_NOISE_TOLERANCE);
    simulation_clear(&s);
    simulation_clear(&fine);
}

/* rows between the ends of cells lie on the path, not on a line between them: W itself at times
 * that are no powers of two */
static void test_noise__rows_between_cells(void **state) {
    (void)state;
    const char text[] = "model free\nunits none\ninput w = noise(1)\nstate x : x' = w\n";
    simulation s = simulation_make(0.9);
    s.options.noise_step = 0.25;
    s.options.step_out = 0.3;
    simulation_run(&s, text);
    assert_done(&s);
    for (long i = 1; i < zw_table_rows(zw_sim_rows(s.sim)); i++) {
        double t = at(zw_sim_rows(s.sim), i, "t"),
               W = path_at(1, 0, -16, floor(ldexp(t, 16)) / 65536);
        /* the smallest cell lasts 2^-12 s: a quarter of its root is the standard deviation from the
         * parabola */
        assert_true(fabs(at(zw_sim_rows(s.sim), i, "x") - W) < 5 * 0.25 * ldexp(1, -6));
    }
    simulation_clear(&s);
}

/* the stationary start of filtered noise: over paths, the values at 0 have its standard deviation;
 * five standard errors */
static void test_noise__filters_start_stationary(void **state) {
    (void)state;
    enum { N = 400 };
    const char text[] = "model filtered\ninput w = noise(0.5 [N], 2 [s])\n"
                        "input v = noise(0.2 [N], 3 [rad/s], 0.1)\ncoord x [m]\n"
                        "particle P : 1 [kg] at (x, 0)\nforce (x) = w + v\n";
    double ww = 0, vv = 0, rr = 0, wv = 0;
    simulation s = simulation_make(0);
    s.options.noise_step = 0.1;
    for (long path = 0; path < N; path++) {
        s.options.path = path;
        s.sim = NULL;
        simulation_create(&s, text);
        assert_done(&s);
        assert_true(zw_sim_run(s.sim, &s.err) >= 0);
        double w = at(zw_sim_rows(s.sim), 0, "w") / 0.5, v = at(zw_sim_rows(s.sim), 0, "v") / 0.2,
               r = at(zw_sim_rows(s.sim), 0, "rate(v)") / 0.6;
        ww += w * w / N, vv += v * v / N, rr += r * r / N, wv += w * v / N;
        simulation_clear(&s);
    }
    double allowed = 5 * sqrt(2. / N);
    assert_true(fabs(ww - 1) < allowed && fabs(vv - 1) < allowed && fabs(rr - 1) < allowed);
    assert_true(fabs(wv) < 5 / sqrt(N));
}

/* goes on from a result, in the middle of a cell, on the same path; the notes tell which */
static void test_noise__resumes_on_its_path(void **state) {
    (void)state;
    simulation s = simulation_make(1), whole = simulation_make(2);
    s.options.noise_step = whole.options.noise_step = 1. / 16;
    s.options.path = whole.options.path = 4;
    s.options.step_out = whole.options.step_out = 0.5;
    simulation_run(&s, GROWTH);
    simulation_run(&whole, GROWTH);
    assert_done(&s);
    assert_done(&whole);
    assert_text_has(note_of(zw_sim_rows(s.sim), "options"), "path=4");
    zw_context *ctx = zw_context_create(NULL);
    zw_sim_options o;
    zw_sim *more;
    assert_true(zw_sim_options_of(&o, zw_sim_rows(s.sim), &s.err) >= 0);
    o.until = 2;
    assert_true(zw_sim_resume(&more, ctx, zw_sim_rows(s.sim), NULL, &o, &s.err) >= 0);
    assert_true(zw_sim_run(more, &s.err) >= 0);
    assert_close(at(zw_sim_rows(more), -1, "x"), at(zw_sim_rows(whole.sim), -1, "x"), 1e-9);
    zw_sim_destroy(more);
    zw_context_destroy(ctx);
    simulation_clear(&s);
    simulation_clear(&whole);
}

/* accelerations and forces of constraints hold the noise: what is made of them is doubtful, the
 * rest is not */
static void test_noise__observed_noise_is_doubtful(void **state) {
    (void)state;
    const char text[] =
        "model pendulum\nparam l = 1 [m]\ncoord x, y [m]\nparticle P : 1 [kg] at (x, y)\n"
        "constraint rod : x^2 + y^2 = l^2\ngravity 10 [m/s^2] along -y\n"
        "input w = noise(0.5 [N*s^(1/2)])\nforce at P = (w, 0, 0)\n"
        "start x = 0.6 [m], y = -0.8 [m]\nobserve speed = norm(P'), %s\n";
    static const char *const observed[] = {"tension = lambda(rod)", "a = x''", "height = y"};
    for (int i = 0; i < 3; i++) {
        char whole[600];
        snprintf(whole, sizeof whole, text, observed[i]);
        simulation s = simulation_make(1);
        s.options.noise_step = 1. / 32;
        simulation_run(&s, whole);
        assert_done(&s);
        assert_int_equal(zw_warnings_count(zw_sim_warnings(s.sim)), i < 2);
        if (i < 2)
            assert_text_has(zw_warnings_at(zw_sim_warnings(s.sim), 0)->text,
                            i ? "observable a contains white noise"
                              : "observable tension contains");
        assert_close(pow(at(zw_sim_rows(s.sim), -1, "x"), 2) +
                         pow(at(zw_sim_rows(s.sim), -1, "y"), 2),
                     1, 1e-12);
        simulation_clear(&s);
    }
}

/* Kloeden and Platen, 10.3: of x' = -x + a, y' = -y + x b the bracket is d/dy, so that b is no
 * function of increments alone; factors of forces that depend on positions commute, and so do
 * two noises of one geometric Brownian motion */
static void test_noise__noises_that_do_not_commute_are_doubtful(void **state) {
    (void)state;
#define TWO "units none\ninput a = noise(1)\ninput b = noise(0.5)\n"
    static const char *const text[] = {
        "model areas\n" TWO "state x : x' = -x + a\nstate y : y' = -y + x*b\n",
        "model rigid\n" TWO "coord x, y\nkinetic x'^2/2 + y'^2/2\nforce (x) = a*y'\n"
        "force (y) = b\nstart y' = 1\n",
        "model forces\n" TWO "coord x, y\nkinetic (1 + y^2)*x'^2/2 + y'^2/2\n"
        "force (x) = a*y\nforce (y) = b*cos(x)\nstart y = 1, x' = 1\n",
        "model growth\n" TWO "state x : x' = x + sin(x)*(a - b)\nstart x = 1\n",
        "model added\n" TWO "state x : x' = -x^3 + a\nstate y : y' = x + b\n"};
#undef TWO
    for (int i = 0; i < 5; i++) {
        simulation s = simulation_make(0.5);
        s.options.noise_step = 0.125;
        simulation_run(&s, text[i]);
        assert_done(&s);
        if (zw_warnings_count(zw_sim_warnings(s.sim)) != (i < 2))
            fail_msg("%s", text[i]);
        if (i < 2)
            assert_text_has(zw_warnings_at(zw_sim_warnings(s.sim), 0)->text, "do not commute");
        simulation_clear(&s);
    }
}

/* where a path first comes to 1 in steps of 2^-16 s, by the increments alone */
static double first_passage(long path, double drift, double intensity, double until) {
    double x = 0, t = 0, h = ldexp(1, -16), W, H;
    zw_brownian b;
    zw_brownian_begin(&b, 1, (uint64_t)path, 0);
    for (int64_t k = 0; x < 1 && t < until; k++, t += h) {
        zw_brownian_cell(&b, -16, k, &W, &H);
        x += drift * h + intensity * W;
    }
    return t;
}

/* Brownian motion with drift stops where its path first comes to the end, not where cells of a
 * quarter of a second do, which leave out what it does between their ends and are late by 0.1 s
 * and more on most paths */
static void test_noise__stops_where_the_path_does(void **state) {
    (void)state;
    int near = 0;
    for (long path = 0; path < 12; path++) {
        simulation s = simulation_make(8);
        s.options.noise_step = 0.25;
        s.options.step_out = 8; /* rows have short cells of their own */
        s.options.path = path;
        simulation_run(&s, "model bm\nunits none\ninput w = noise(0.8)\nstate x : x' = 0.3 + w\n"
                           "event over : x - 1 rising, stop\n");
        assert_done(&s);
        double end = at(zw_sim_rows(s.sim), -1, "t");
        near += fabs(end - first_passage(path, 0.3, 0.8, 8)) < 0.01;
        simulation_clear(&s);
    }
    assert_true(near >= 11);
}

/* A neuron that integrates and fires, v' = mu - v + s w from 0 to 1: the mean of the intervals
 * is sqrt(pi) times the integral of exp(u^2) (1 + erf u) over u = (v - mu)/s, 0.654224 here, so
 * that 305.7 spikes come in 200 s. The path goes on in many cells between two of them. */
static void test_noise__every_passage_acts(void **state) {
    (void)state;
    double spikes = 0;
    for (long path = 0; path < 3; path++)
        spikes += end_of("model fire\nunits none\ninput w = noise(0.5)\nstate v : v' = 2 - v + w\n"
                         "state n : n' = 0\nevent spike : v - 1 rising, set v = 0, n = n + 1\n",
                         200, 0.0625, 1, path, "n");
    assert_true(fabs(spikes / 3 - 200 / 0.654224) <
                3 * sqrt(305.7 / 3)); /* sd: less than Poisson's */
}

static void refused(const char *text, const char *why) {
    simulation s = simulation_make(1);
    s.options.noise_step = 0.125;
    simulation_create(&s, text);
    if (s.status >= 0)
        fail_msg("not refused: %s", text);
    assert_text_has(s.err.text, why);
    simulation_clear(&s);
}

static void test_noise__what_has_no_meaning_is_refused(void **state) {
    (void)state;
#define HEAD "model m\nunits none\ninput w = noise(1)\n"
    refused(HEAD "state x : x' = w^2\n", "not linear in the white noise w");
    refused(HEAD "input v = noise(1)\nstate x : x' = w*v\n", "not linear in the white noise");
    refused(HEAD "state x : x' = if(w > 0, 1, 0)\n", "not linear in the white noise w");
    refused(HEAD "coord x\nkinetic x'^2/2\nforce f (x) = abs(w)\n", "the force f is not linear");
    refused(HEAD "state x : x' = w\nobserve o = 2*w\n", "which has no value at a given time");
    refused(HEAD "state x : x' = w\nevent e : w\n", "which has no value at a given time");
    refused(HEAD "coord x\nkinetic x'^2/2\npotential x^2*w\n", "cannot depend on the signal w");
    refused("model m\nunits none\ncoord x, y\nkinetic x'^2/2\npotential (x - y)^2/2\n"
            "dissipation y'^2/2\ninput w = noise(1)\nforce (y) = w\n",
            "without inertia");
    refused("model m\nunits none\nparam a = -1\ninput w = noise(a)\nstate x : x' = w\n",
            "intensity -1");
    refused("model m\nunits none\nstate x : x' = w\ninput w = noise(x)\n", "x");
    refused("model m\nunits none\nstate x : x' = w\ninput w = noise(1, 2, 3, 4)\n",
            "1 to 3 arguments");
    refused("model m\ninput w = noise(1 [N])\ncoord x [m]\nparticle P : 1 [kg] at (x, 0)\n"
            "force (x) = w\n",
            "kg*m/s^(5/2)");
    refused("model m\ninput w = noise(1 [N], 2 [m])\ncoord x [m]\nparticle P : 1 [kg] at (x, 0)\n"
            "force (x) = w\n",
            "correlation time");
    refused(HEAD "coord y\nkinetic y'^2/2\ngravity 1 along -y\nforce (y) = w\n"
                 "contact floor : gap y\nstart y = 1\n",
            "contacts");
#undef HEAD
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_noise__multiplicative_noise_is_stratonovich),
        cmocka_unit_test(test_noise__free_mass_follows_the_path),
        cmocka_unit_test(test_noise__strong_orders),
        cmocka_unit_test(test_noise__step_is_chosen),
        cmocka_unit_test(test_noise__rows_between_cells),
        cmocka_unit_test(test_noise__filters_start_stationary),
        cmocka_unit_test(test_noise__resumes_on_its_path),
        cmocka_unit_test(test_noise__observed_noise_is_doubtful),
        cmocka_unit_test(test_noise__noises_that_do_not_commute_are_doubtful),
        cmocka_unit_test(test_noise__stops_where_the_path_does),
        cmocka_unit_test(test_noise__every_passage_acts),
        cmocka_unit_test(test_noise__what_has_no_meaning_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
