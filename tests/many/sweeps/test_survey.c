/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "support/test.h"

#include "zwang/survey.h"

static const char linear[] = "model linear \"driven\"\n"
                             "param m = 1 [kg], c = 0.4 [N*s/m], k = 4 [N/m]\n"
                             "param F = 2 [N], Omega = 1.5 [rad/s]\n"
                             "coord x [m]\n"
                             "particle mass : m at (x, 0)\n"
                             "potential 1/2*k*x^2\n"
                             "dissipation 1/2*c*x'^2\n"
                             "force drive (x) = F*cos(Omega*t)\n"
                             "start x = 0, x' = 0\n";

static const char falling[] = "model falling \"a stone\"\n"
                              "param m = 1 [kg], h = 5 [m]\n"
                              "gravity 10 [m/s^2] along (0, -1)\n"
                              "coord y [m]\n"
                              "particle stone : m at (0, y)\n"
                              "start y = h, y' = 0\n"
                              "event half : y - h/2 falling\n"
                              "event ground : y falling, stop\n";

static zw_model_source source_of(const char *text) {
    return (zw_model_source){.text = text, .length = strlen(text), .file = "test"};
}

typedef struct setup {
    const char *model, *over[3], *start[2];
    uint64_t samples;
    int threads;
    zw_ensemble_engine engine;
    zw_survey_options o;
} setup;

static setup set(const char *model, const char *over, const char *measure) {
    setup s = {.model = model, .over = {over}, .threads = 1, .o = zw_survey_options_default()};
    s.o.measure = measure;
    return s;
}

static zw_status try_open(zw_survey **out, const setup *u, zw_error *err) {
    zw_model_source source = source_of(u->model);
    zw_plan_options plan = zw_plan_options_default();
    zw_ensemble_options ensemble = zw_ensemble_options_default();
    plan.over = u->over, plan.start = u->start;
    while (plan.nover < 3 && u->over[plan.nover])
        plan.nover++;
    while (plan.nstart < 2 && u->start[plan.nstart])
        plan.nstart++;
    plan.samples = u->samples;
    ensemble.threads = u->threads;
    ensemble.engine = u->engine;
    ensemble.run.rtol = 1e-9, ensemble.run.atol = 1e-10;
    return zw_survey_create(out, &source, &plan, &ensemble, &u->o, err);
}

static zw_survey *open_sweep(const setup *u) {
    zw_survey *s;
    zw_error err = {0};
    if (try_open(&s, u, &err) < 0)
        fail_msg("%s (%s)", err.text, err.hint);
    return s;
}

static zw_survey_block run_all(zw_survey *s) {
    zw_survey_block b;
    zw_error err = {0};
    if (zw_survey_run(s, 0, zw_survey_motions(s), &b, &err) != ZW_OK)
        fail_msg("%s", err.text);
    assert_true(b.motions == zw_survey_motions(s));
    return b;
}

static const double *row_of(const zw_survey *s, const zw_survey_block *b, long i) {
    assert_true(i < b->nrow);
    return b->row + i * zw_survey_columns(s);
}

/* A = F/sqrt((k - m W^2)^2 + (c W)^2), phi = -atan2(c W, k - m W^2) */
static void test_survey__linear_oscillator_has_its_resonance_curve(void **state) {
    (void)state;
    setup u = set(linear, "Omega=lin:0.5:4:8",
                  "max(x), rms(x), first(x), phase(x), amplitude(x'), mean(x), harmonic(x,2)");
    u.o.transient = "120s", u.o.duration = "5 periods";
    zw_survey *s = open_sweep(&u);
    zw_survey_block b = run_all(s);
    assert_int_equal(b.nrow, 8);
    for (long i = 0; i < 8; i++) {
        const double *r = row_of(s, &b, i), *y = r + zw_survey_first_measure(s);
        double W = 0.5 + 0.5 * (double)i, A = 2 / hypot(4 - W * W, 0.4 * W);
        assert_close(r[0], W, 1e-14);
        assert_close(y[0], A, 1e-7);
        assert_close(y[1], A / sqrt(2), 1e-7);
        assert_close(y[2], A, 1e-7);
        assert_close(y[3], -atan2(0.4 * W, 4 - W * W), 1e-7);
        assert_close(y[4], A * W, 1e-7);
        assert_close(y[5], 0, 1e-7);
        assert_close(y[6], 0, 1e-7);
        assert_true(r[zw_survey_columns(s) - 2] == (double)i);
        assert_true(r[zw_survey_columns(s) - 1] == 0);
    }
    zw_survey_block_clear(&b);
    zw_survey_destroy(s);
}

/* Between two elastic walls, once to and fro in a period of the drive of y: x = 8/pi^2 sum of cos(k
 * (t - t_1))/k^2 over odd k, at the wall at t_1 = 0.7 pi/2; 64 samples alone have errors of
 * 2/64^2 */
static void test_survey__harmonics_of_impacts(void **state) {
    (void)state;
    const char *text = "model m \"m\"\nunits none\nparam v = 2/pi, F = 1\ncoord x, y\n"
                       "kinetic (x'^2 + y'^2)/2\nforce (y) = F*cos(t) - y - y'\n"
                       "contact l : gap x + 1, law newton(1)\n"
                       "contact r : gap 1 - x, law newton(1)\nstart x = 0.3, x' = v\n";
    setup u = set(text, "F=1,2",
                  "first(x), phase(x), harmonic(x,3), first(y), first(x'), phase(x'), "
                  "harmonic(x',5)");
    for (int late = 0; late < 2; late++) {
        u.o.transient = late ? "30 periods" : "0", u.o.duration = "1 periods";
        zw_survey *s = open_sweep(&u);
        zw_survey_block b = run_all(s);
        const double *y = row_of(s, &b, 0) + zw_survey_first_measure(s);
        assert_close(y[0], 8 / (M_PI * M_PI), 1e-10);
        assert_close(y[1], -0.35 * M_PI, 1e-10);
        assert_close(y[2], 8 / (9 * M_PI * M_PI), 1e-10);
        assert_close(y[4], 8 / (M_PI * M_PI), 1e-10); /* x' is a square wave */
        assert_close(y[5], 0.15 * M_PI, 1e-10);
        assert_close(y[6], 8 / (5 * M_PI * M_PI), 1e-10);
        if (late)
            assert_close(y[3], 1, 1e-6); /* of y at its resonance */
        zw_survey_block_clear(&b);
        zw_survey_destroy(s);
    }
}

/* A ball on a table that vibrates, once in each period: between impacts z' = pi - s, s the time
 * since the impact at t_1 where the table has the speed A cos(t_1) = pi (1 - e)/(1 + e). That is
 * the sum of 2 sin(k s)/k over all k. */
static void test_survey__harmonics_of_jumps(void **state) {
    (void)state;
    const char *text = "model m \"m\"\nunits none\nparam A = 1.1, e = 0.5\ncoord z\n"
                       "kinetic 1/2*z'^2\npotential z\n"
                       "contact floor : gap z - A*sin(t), law newton(e)\n"
                       "start z = 1.2599, z' = -2.832\n";
    setup u = set(text, "A=1.08,1.1", "first(z'), phase(z'), harmonic(z',4), phase(z',4)");
    u.o.transient = "100 periods", u.o.duration = "3 periods";
    zw_survey *s = open_sweep(&u);
    zw_survey_block b = run_all(s);
    for (int i = 0; i < 2; i++) {
        const double *y = row_of(s, &b, i) + zw_survey_first_measure(s);
        double at = acos(M_PI / 3 / (i ? 1.1 : 1.08));
        assert_close(y[0], 2, 1e-8);
        assert_close(y[1], -at - M_PI / 2, 1e-7);
        assert_close(y[2], 0.5, 1e-8);
        assert_true(fabs(remainder(y[3] + 4 * at + M_PI / 2, 2 * M_PI)) < 1e-6);
    }
    zw_survey_block_clear(&b);
    zw_survey_destroy(s);
}

/* The same over the frequency of the table, which enters by the contact alone: its phase goes
 * on. */
static void test_survey__carried_through_contacts(void **state) {
    (void)state;
    const char *text = "model m \"m\"\nunits none\nparam Om = 1, e = 0.5\ncoord z\n"
                       "kinetic 1/2*z'^2\npotential z\n"
                       "contact floor : gap z - 1.1*sin(Om*t), law newton(e)\n"
                       "start z = 1.2599, z' = -2.832\n";
    setup u = set(text, "Om=1,1.01,1.02", "first(z'), harmonic(z',2), phase(z')");
    u.o.transient = "60 periods", u.o.duration = "2 periods";
    u.o.carry = ZW_SURVEY_UP;
    zw_survey *s = open_sweep(&u);
    zw_survey_block b = run_all(s);
    for (int i = 0; i < 3; i++) {
        const double *y = row_of(s, &b, i) + zw_survey_first_measure(s);
        double Om = 1 + 0.01 * i;
        assert_close(y[0], 2 / Om, 1e-8);
        assert_close(y[1], 1 / Om, 1e-8);
        assert_close(y[2], -acos(M_PI / (3 * 1.1 * Om * Om)) - M_PI / 2, 1e-7);
    }
    zw_survey_block_clear(&b);
    zw_survey_destroy(s);
}

/* Dry friction as a force, x'' = F cos t - mu sign(x'): with sin t_0 = -pi mu/(2 F), where x'
 * becomes positive, the friction is mu 4/pi sum of sin(k (t - t_0))/k over odd k. */
static void test_survey__harmonics_of_dry_friction(void **state) {
    (void)state;
    const char *text = "model m \"m\"\nunits none\nparam F = 1, mu = 0.3\ncoord x\n"
                       "kinetic x'^2/2\nforce (x) = F*cos(t) - mu*sign(x')\n"
                       "start x = 0, x' = 0.1\n";
    setup u = set(text, "F=1,1.2", "first(x'), phase(x'), harmonic(x',3)");
    u.o.transient = "300 periods", u.o.duration = "2 periods";
    zw_survey *s = open_sweep(&u);
    zw_survey_block b = run_all(s);
    for (int i = 0; i < 2; i++) {
        const double *y = row_of(s, &b, i) + zw_survey_first_measure(s);
        double F = i ? 1.2 : 1, t0 = asin(-M_PI * 0.3 / (2 * F)), friction = 4 * 0.3 / M_PI;
        double re = F + friction * sin(t0), im = friction * cos(t0); /* of x'' */
        assert_close(y[0], hypot(re, im), 1e-9);
        assert_close(y[1], atan2(im, re) - M_PI / 2, 1e-9);
        assert_close(y[2], friction / 9, 1e-9);
    }
    zw_survey_block_clear(&b);
    zw_survey_destroy(s);
}

/* the phase of the drive goes on: carried in steps, a linear oscillator is on its curve after a
 * short transient at each value, up and down, and the numbers do not depend on where it came
 * from */
static void test_survey__carried_state_and_phase(void **state) {
    (void)state;
    setup u = set(linear, "Omega=1.5:2.5:0.125", "first(x), phase(x)");
    u.o.transient = "40 periods", u.o.duration = "4 periods", u.o.carry = ZW_SURVEY_BOTH;
    zw_survey *s = open_sweep(&u);
    assert_int_equal(zw_survey_motions(s), 1);
    zw_survey_block b = run_all(s);
    assert_int_equal(b.nrow, 18);
    for (long i = 0; i < 18; i++) {
        const double *r = row_of(s, &b, i), *y = r + zw_survey_first_measure(s);
        double W = 1.5 + 0.125 * (double)(i < 9 ? i : 17 - i);
        assert_close(r[0], W, 1e-14);
        assert_true(r[1] == (i < 9 ? 1 : -1));
        assert_close(y[0], 2 / hypot(4 - W * W, 0.4 * W), 1e-6);
        assert_close(y[1], -atan2(0.4 * W, 4 - W * W), 1e-6);
    }
    zw_survey_block_clear(&b);
    zw_survey_destroy(s);
    /* without a transient the state of before is what is seen: nothing is restarted from rest */
    u.o.transient = "0", u.o.duration = "1 period", u.over[0] = "Omega=1.5,1.5000001";
    u.o.carry = ZW_SURVEY_UP, u.o.measure = "last(x), max(x)";
    s = open_sweep(&u);
    b = run_all(s);
    double first = row_of(s, &b, 0)[zw_survey_first_measure(s)];
    double second = row_of(s, &b, 1)[zw_survey_first_measure(s)];
    zw_survey_block_clear(&b);
    zw_survey_destroy(s);
    setup v = set(linear, "Omega=1.5", "last(x)");
    v.o.duration = "2 periods";
    s = open_sweep(&v);
    b = run_all(s);
    assert_close(second, row_of(s, &b, 0)[zw_survey_first_measure(s)], 1e-5);
    assert_true(fabs(first - second) > 1e-2);
    zw_survey_block_clear(&b);
    zw_survey_destroy(s);
}

/* The folds of the response curve of models/duffing.zw, by continuation of harmonic balance (zwang
 * response): 2.2182041 and 1.8890328 rad/s. Swept up the motion falls from the upper branch at the
 * first, swept down it jumps onto it at the second, each a little late because it is slow near a
 * fold. */
static void test_survey__jumps_are_at_the_folds(void **state) {
    (void)state;
    static const char duffing[] =
        "model duffing \"hardening\"\n"
        "param m = 1 [kg], c = 0.4 [N*s/m], k = 1 [N/m], k_nl = 1 [N/m^3]\n"
        "param F = 2 [N], Omega = 1.4 [rad/s]\n"
        "coord x [m]\n"
        "particle mass_1 : m at (x, 0)\n"
        "potential 1/2*k*x^2 + 1/4*k_nl*x^4\n"
        "dissipation 1/2*c*x'^2\n"
        "force drive (x) = F*cos(Omega*t)\n"
        "start x = 0, x' = 0\n";
    setup u = set(duffing, "Omega=1.7:2.4:0.1", "max(x)");
    u.o.transient = "60 periods", u.o.duration = "2 periods", u.o.carry = ZW_SURVEY_BOTH;
    u.o.jump = 0.3, u.o.jump_width = 0.01;
    zw_survey *s = open_sweep(&u);
    zw_survey_block b = run_all(s);
    double place[4][2] = {{0}};
    int n = 0;
    for (long i = 0; i < b.nrow; i++) {
        const double *r = row_of(s, &b, i);
        if (r[2] == 0)
            continue;
        assert_true(n < 4 && r[2] == 1 + n % 2);
        place[n][0] = r[0], place[n++][1] = r[1];
    }
    assert_int_equal(n, 4);
    assert_int_equal(b.nrow, 20);
    assert_true(place[0][1] == 1 && place[2][1] == -1);
    assert_true(place[0][0] < place[1][0] && place[1][0] - place[0][0] < 0.0011);
    assert_true(place[1][0] > 2.2182041 - 0.001 && place[0][0] < 2.2182041 + 0.02);
    assert_true(place[3][0] < 1.8890328 + 0.001 && place[2][0] > 1.8890328 - 0.02);
    zw_survey_block_clear(&b);
    zw_survey_destroy(s);
}

/* u = a/(1 + a^2) grows steeply and passes zero, and jumps nowhere: u is nowhere told to jump. With
 * a + 3 u - u^3 it is, at a = 2. */
static void test_survey__steep_is_no_jump(void **state) {
    (void)state;
    static const struct {
        const char *rate;
        int jumps;
    } c[] = {{"5*(a/(1 + a^2) - u)", 0}, {"a + 3*u - u^3", 2}};
    for (int k = 0; k < 2; k++) {
        char text[200];
        snprintf(text, sizeof text,
                 "model m\nunits none\nparam a = 0\nstate u : u' = %s\nstart u = -2\n", c[k].rate);
        setup u = set(text, "a=-2.5:2.5:0.5", "last(u)");
        u.o.transient = "200s", u.o.duration = "1s", u.o.carry = ZW_SURVEY_UP, u.o.jump = 0.3;
        zw_survey *s = open_sweep(&u);
        zw_survey_block b = run_all(s);
        int n = 0;
        for (long i = 0; i < b.nrow; i++) {
            n += row_of(s, &b, i)[2] != 0;
            if (row_of(s, &b, i)[2] == 1)
                assert_close(row_of(s, &b, i)[0], 2, 1e-3);
        }
        assert_int_equal(n, c[k].jumps);
        assert_int_equal(b.nrow, 11 + n);
        zw_survey_block_clear(&b);
        zw_survey_destroy(s);
    }
}

/* undamped, with natural frequencies W/3, W/2, W/4 and W/sqrt 2: the free vibration lasts, and the
 * sum comes back after 3, 2, 4 periods of the drive, or never */
static void test_survey__period_of_the_attractor(void **state) {
    (void)state;
    setup u = set(linear, "k=0.25,0.5625,0.140625,1.125", "period, x");
    u.over[1] = "c=0";
    u.start[0] = "x=1";
    u.o.transient = "3 periods", u.o.duration = "60 periods", u.o.rows = "strobe";
    zw_survey *s = open_sweep(&u);
    assert_int_equal(zw_survey_rows(s), 60);
    zw_survey_block b = run_all(s);
    assert_int_equal(b.nrow, 240);
    const double expected[4] = {3, 2, 4, 0};
    for (long i = 0; i < 240; i++)
        assert_true(row_of(s, &b, i)[zw_survey_first_measure(s)] == expected[i / 60]);
    int x = zw_survey_first_measure(s) + 1;
    for (long i = 3; i < 60; i++)
        assert_close(row_of(s, &b, i)[x], row_of(s, &b, i - 3)[x], 1e-6);
    assert_true(fabs(row_of(s, &b, 2)[x] - row_of(s, &b, 1)[x]) > 0.1);
    zw_survey_block_clear(&b);
    zw_survey_destroy(s);
}

/* sqrt(2 h/g), sqrt(h/g) and -sqrt(g h); the mean height up to the ground is 2/3 h */
static void test_survey__first_passage_times_and_values_there(void **state) {
    (void)state;
    setup u = set(falling, "h=lin:1:9:5",
                  "time(ground), time(half), at(y',half), mean(y), count(half), last(y'), min(y)");
    u.o.duration = "100s";
    zw_survey *s = open_sweep(&u);
    zw_survey_block b = run_all(s);
    assert_int_equal(b.nrow, 5);
    assert_int_equal(b.stopped, 5);
    for (long i = 0; i < 5; i++) {
        const double *r = row_of(s, &b, i), *y = r + zw_survey_first_measure(s);
        double h = 1 + 2 * (double)i;
        assert_close(y[0], sqrt(h / 5), 1e-9);
        assert_close(y[1], sqrt(h / 10), 1e-9);
        assert_close(y[2], -sqrt(10 * h), 1e-9);
        assert_close(y[3], h * 2 / 3, 1e-8);
        assert_true(y[4] == 1);
        assert_close(y[5], -sqrt(20 * h), 1e-9);
        assert_close(y[6], 0, 1e-9);
        assert_true(r[zw_survey_columns(s) - 1] == 1);
    }
    zw_survey_block_clear(&b);
    zw_survey_destroy(s);
}

/* A stone that reaches the ground within the transient: its end is known, -sqrt(2 g h); nothing is
 * measured. */
static void test_survey__stopped_within_the_transient(void **state) {
    (void)state;
    setup u = set(falling, "h=5,45", "last(y'), max(y), time(ground)");
    u.o.transient = "2s";
    for (int k = 0; k < 2; k++) {
        u.engine = k ? ZW_ENSEMBLE_SINGLE : ZW_ENSEMBLE_LANES;
        zw_survey *s = open_sweep(&u);
        zw_survey_block b = run_all(s);
        const double *y = row_of(s, &b, 0) + zw_survey_first_measure(s);
        assert_close(y[0], -10, 1e-8);
        assert_true(isnan(y[1]));
        assert_close(y[2], 1, 1e-9);
        y = row_of(s, &b, 1) + zw_survey_first_measure(s);
        assert_close(y[0], -30, 1e-8);
        assert_close(y[1], 25, 1e-8);
        assert_int_equal(b.doubtful, 0);
        zw_survey_block_clear(&b);
        zw_survey_destroy(s);
    }
}

/* u = t goes in steps of seconds; what is made of it does not. Means over 10 s: s sqrt(pi)/10 of
 * the bell, (3.3^2 + 6.7^2)/20 of |u - 3.3|, 0.34 of its sign, which jumps within 2^-16 of a
 * step. */
static void test_survey__quantities_that_steps_do_not_resolve(void **state) {
    (void)state;
    setup u =
        set("model bell\nunits none\nparam s = 1\nstate u : u' = 1\n"
            "observe bell = exp(-((u - 3.3)/s)^2), far = abs(u - 3.3), side = sign(u - 3.3)\n",
            "s=0.1,0.3,1", "max(bell), mean(bell), min(far), mean(far), mean(side)");
    u.o.duration = "10s";
    for (int k = 0; k < 2; k++) {
        u.engine = k ? ZW_ENSEMBLE_SINGLE : ZW_ENSEMBLE_LANES;
        zw_survey *s = open_sweep(&u);
        zw_survey_block b = run_all(s);
        const double width[] = {0.1, 0.3, 1};
        for (long i = 0; i < 3; i++) {
            const double *y = row_of(s, &b, i) + zw_survey_first_measure(s);
            double mean =
                width[i] * sqrt(acos(-1)) / 20 * (erf(3.3 / width[i]) + erf(6.7 / width[i]));
            assert_close(y[0], 1, 1e-8);
            assert_true(fabs(y[1] - mean) < 1e-8);
            assert_true(fabs(y[2]) < 1e-5);
            assert_close(y[3], (3.3 * 3.3 + 6.7 * 6.7) / 20, 1e-8);
            assert_true(fabs(y[4] - 0.34) < 1e-4);
        }
        zw_survey_block_clear(&b);
        zw_survey_destroy(s);
    }
}

/* u = sin t. sqrt(u - c) has no value where u < c, so no least one and no mean; with c = -5/4 it is
 * between 1/2 and 3/2. */
static void test_survey__what_has_no_value_has_no_measure(void **state) {
    (void)state;
    setup u = set("model root\nunits none\nparam c = 0\nstate u : u' = cos(t)\n"
                  "observe root = sqrt(u - c)\n",
                  "c=0,-1.25,0.5", "min(root), max(root), mean(root), share(root,0,3), max(u)");
    u.o.duration = "6.283185307179586s";
    for (int k = 0; k < 2; k++) {
        u.engine = k ? ZW_ENSEMBLE_SINGLE : ZW_ENSEMBLE_LANES;
        zw_survey *s = open_sweep(&u);
        zw_survey_block b = run_all(s);
        for (long i = 0; i < 3; i++) {
            const double *y = row_of(s, &b, i) + zw_survey_first_measure(s);
            for (int m = 0; m < 4 && i != 1; m++)
                assert_true(isnan(y[m]));
            assert_close(y[4], 1, 1e-8);
        }
        const double *y = row_of(s, &b, 1) + zw_survey_first_measure(s);
        assert_close(y[0], 0.5, 1e-8);
        assert_close(y[1], 1.5, 1e-8);
        assert_true(y[3] == 1);
        assert_int_equal(b.doubtful, 2);
        assert_int_equal(b.doubt.point, 0);
        assert_non_null(strstr(b.doubt.why, "min(root): root has no finite value"));
        zw_survey_block_clear(&b);
        zw_survey_destroy(s);
    }
}

/* x = cos(2 t): a third of the time above 1/2; all histogram parts together are 1 */
static void test_survey__shares_of_time(void **state) {
    (void)state;
    setup u = set(linear, "F=0", "share(x,0.5,2), histogram(x,-2,2,8), rms(x)");
    u.over[1] = "c=0", u.start[0] = "x=1", u.start[1] = "x'=0";
    u.o.duration = "31.41592653589793s";
    zw_survey *s = open_sweep(&u);
    zw_survey_block b = run_all(s);
    const double *y = row_of(s, &b, 0) + zw_survey_first_measure(s);
    assert_true(fabs(y[0] - 1. / 3) <
                10. * 2 / 1024); /* two crossings of ten periods among 1024 samples */
    double sum = 0;
    for (int i = 0; i < 8; i++)
        sum += y[1 + i];
    assert_close(sum, 1, 1e-14);
    assert_close(y[9], sqrt(0.5), 1e-8);
    zw_survey_block_clear(&b);
    zw_survey_destroy(s);
}

static void test_survey__bits_do_not_depend_on_threads_and_blocks(void **state) {
    (void)state;
    setup u = set(linear, "Omega=uniform:1:3", "max(x), rms(x'), first(x), period");
    u.over[1] = "F=1,2", u.start[0] = "x=normal:0:1";
    u.samples = 11;
    u.o.transient = "2 periods", u.o.duration = "12 periods";
    zw_survey *s = open_sweep(&u);
    zw_survey_block whole = run_all(s);
    size_t size = sizeof(double) * (size_t)zw_survey_columns(s);
    assert_int_equal(whole.nrow, 22);
    zw_survey_destroy(s);
    for (int threads = 1; threads <= 3; threads++) {
        u.threads = threads;
        s = open_sweep(&u);
        for (uint64_t first = 0, count; first < 22; first += count) {
            zw_survey_block b;
            count = first < 5 ? 5 : 17;
            assert_int_equal(zw_survey_run(s, first, count, &b, NULL), ZW_OK);
            assert_memory_equal(b.row, whole.row + first * (uint64_t)zw_survey_columns(s),
                                size * (size_t)b.nrow);
            zw_survey_block_clear(&b);
        }
        zw_survey_destroy(s);
    }
    zw_survey_block_clear(&whole);
}

/* A pendulum on a string that becomes longer from value to value: the state is moved onto the new
 * constraint, one by one and side by side, and both agree. */
static void test_survey__engines_agree_on_a_carried_constraint(void **state) {
    (void)state;
    static const char string[] = "model string \"pendulum\"\n"
                                 "param m = 1 [kg], l = 1 [m]\n"
                                 "coord x, y [m]\n"
                                 "particle bob : m at (x, y)\n"
                                 "force weight (y) = -10*m*1 [m/s^2]\n"
                                 "constraint rope : x^2 + y^2 = l^2\n"
                                 "start x = 0.6 [m], y = -0.8 [m]\n";
    zw_survey_block b[2];
    zw_survey *s[2];
    for (int k = 0; k < 2; k++) {
        setup u = set(string, "l=1:1.4:0.1", "last(x), last(y), max(x), rms(y')");
        u.engine = k ? ZW_ENSEMBLE_LANES : ZW_ENSEMBLE_SINGLE;
        u.o.carry = ZW_SURVEY_BOTH, u.o.duration = "2s", u.o.transient = "1s";
        s[k] = open_sweep(&u);
        b[k] = run_all(s[k]);
    }
    assert_int_equal(b[0].nrow, 10);
    assert_int_equal(b[1].nrow, 10);
    for (long i = 0; i < 10; i++) {
        const double *u = row_of(s[0], &b[0], i), *v = row_of(s[1], &b[1], i);
        assert_close(u[2] * u[2] + u[3] * u[3], u[0] * u[0], 1e-9);
        for (int j = 0; j < zw_survey_columns(s[0]); j++)
            assert_close(u[j], v[j], 1e-6);
    }
    for (int k = 0; k < 2; k++) {
        zw_survey_block_clear(&b[k]);
        zw_survey_destroy(s[k]);
    }
}

/* s' = s^2 is infinite at t = 1/s_0: of these four two do not come to the end, and the others do */
static void test_survey__a_motion_that_fails_is_told_and_the_others_go_on(void **state) {
    (void)state;
    static const char blow[] = "model blow \"up\"\n"
                               "param k = 1 [1/s]\n"
                               "state u [1] : u' = k*u^2\n"
                               "start u = 0.1\n";
    setup u = set(blow, NULL, "last(u)");
    u.start[0] = "u=0.1,2,0.5,4";
    u.o.duration = "1";
    zw_survey *s = open_sweep(&u);
    zw_survey_block b = run_all(s);
    assert_int_equal(b.nrow, 4);
    assert_int_equal(b.failed, 2);
    assert_int_equal(b.nfailure, 2);
    assert_true(b.failure[0].point == 1 && b.failure[1].point == 3);
    assert_true(strlen(b.failure[0].why) > 5);
    assert_close(row_of(s, &b, 0)[1], 1 / 9., 1e-7);
    assert_true(row_of(s, &b, 1)[0] == 2 && isnan(row_of(s, &b, 1)[1]));
    assert_true(row_of(s, &b, 1)[3] == -1);
    assert_close(row_of(s, &b, 2)[1], 1, 1e-7);
    zw_survey_block_clear(&b);
    zw_survey_destroy(s);
}

static const char undecided[] = "model undecided \"leaves to either side\"\n"
                                "param v = 1 [m/s]\n"
                                "coord x [m]\n"
                                "particle m : 1 [kg] at (x, 0)\n"
                                "force push (x) = 1 [N]*sign(x)\n"
                                "start x = 0, x' = 0\n";

/* both sides lead away from x = 0: the motion is computed, and doubtful; beside it there is none */
static void test_survey__doubts_of_motions_are_counted(void **state) {
    (void)state;
    setup u = set(undecided, "v=1,2", "last(x)");
    u.start[0] = "x=0,0.5", u.o.duration = "1s";
    zw_survey *s = open_sweep(&u);
    zw_survey_block b = run_all(s);
    assert_int_equal(b.doubtful, 2);
    assert_int_equal(b.failed, 0);
    assert_non_null(strstr(b.doubt.why, "sign(x)"));
    assert_int_equal(b.doubt.point, 0);
    assert_close(row_of(s, &b, 2)[zw_survey_first_measure(s)], 1, 1e-8);
    zw_survey_block_clear(&b);
    zw_survey_destroy(s);
}

static const char blinking[] = "model blinking \"two zeros close together\"\n"
                               "units none\n"
                               "param place = 3.3\n"
                               "state u : u' = 1\n"
                               "start u = 0\n"
                               "event gate : (u - place)^2 - 1e-10\n";

/* no event is passed unseen unless lanes are asked for */
static void test_survey__events_close_together_are_found(void **state) {
    (void)state;
    setup u = set(blinking, "place=lin:1:9:17", "count(gate)");
    u.o.duration = "10s";
    zw_survey *s = open_sweep(&u);
    zw_survey_block b = run_all(s);
    for (long i = 0; i < 17; i++)
        assert_true(row_of(s, &b, i)[zw_survey_first_measure(s)] == 2);
    zw_survey_block_clear(&b);
    zw_survey_destroy(s);
}

static const char coasting[] = "model coasting \"a free mass\"\n"
                               "param c = 1 [1]\n"
                               "coord x, y [m]\n"
                               "particle mass : 1 [kg] at (x, y)\n"
                               "start x = 0, x' = 0, y' = 0\n";

/* A free mass keeps what it is given: after k values the velocity is k times a number, and the
 * variance of what is drawn adds up. The same seed gives the same pushes to a chain, whatever
 * others there are. */
static void test_survey__disturbances_of_a_carried_state(void **state) {
    (void)state;
    const char *const pushes[] = {"x'=2 [mm/s]", "y'=normal:0:0.5"};
    setup u = set(coasting, "c=lin:0:1:401", "last(x'), last(y')");
    u.o.carry = ZW_SURVEY_UP, u.o.duration = "0.1s", u.o.ndisturb = 2, u.o.disturb = pushes;
    zw_survey *s = open_sweep(&u);
    zw_survey_block b = run_all(s);
    int at = zw_survey_first_measure(s);
    double square = 0;
    for (long i = 0; i < 401; i++) {
        const double *y = row_of(s, &b, i) + at;
        assert_close(y[0], 2e-3 * (double)i, 1e-12);
        double push = y[1] - (i ? row_of(s, &b, i - 1)[at + 1] : 0);
        square += push * push;
    }
    assert_close(square / 400, 0.25, 4 * 0.25 * sqrt(2.0 / 400));
    double end = row_of(s, &b, 400)[at + 1];
    zw_survey_block_clear(&b);
    zw_survey_destroy(s);
    u.start[0] = "x=0,1,2", u.threads = 2;
    s = open_sweep(&u);
    b = run_all(s);
    assert_true(row_of(s, &b, 400)[zw_survey_first_measure(s) + 1] == end);
    assert_true(row_of(s, &b, 801)[zw_survey_first_measure(s) + 1] != end);
    zw_survey_block_clear(&b);
    zw_survey_destroy(s);
}

static void test_survey__refuses_disturbances_without_a_meaning(void **state) {
    (void)state;
    const struct {
        zw_survey_carry carry;
        double jump;
        const char *word, *say;
    } bad[] = {{ZW_SURVEY_OWN_STARTS, 0, "x'=1", "needs a continued state"},
               {ZW_SURVEY_UP, 0.1, "x'=1", "without disturbances"},
               {ZW_SURVEY_UP, 0, "x'=1,2", "one number"},
               {ZW_SURVEY_UP, 0, "z=1", "z"},
               {ZW_SURVEY_UP, 0, "x=1 [kg]", "kg"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        zw_survey *s;
        zw_error err = {0};
        setup u = set(coasting, "c=0,1", "max(x)");
        u.o.carry = bad[i].carry, u.o.jump = bad[i].jump;
        u.o.ndisturb = 1, u.o.disturb = &bad[i].word;
        if (try_open(&s, &u, &err) >= 0 || !strstr(err.text, bad[i].say))
            fail_msg("case %zu: '%s' does not say '%s'", i, err.text, bad[i].say);
    }
}

static void test_survey__refuses_what_cannot_be_measured(void **state) {
    (void)state;
    const struct {
        const char *model, *over, *measure, *transient, *duration, *rows, *say;
    } bad[] = {
        {linear, "F=1,2", "max(z)", NULL, NULL, NULL, "no z"},
        {linear, "F=1,2", "biggest(x)", NULL, NULL, NULL, "no measure"},
        {linear, "F=1,2", "max(x", NULL, NULL, NULL, "closed"},
        {linear, "F=1,2", "max(x), max(x)", NULL, NULL, NULL, "twice"},
        {linear, "F=1,2", "max(x),", NULL, NULL, NULL, "missing"},
        {linear, "F=1,2", "x", NULL, NULL, NULL, "which times"},
        {linear, "F=1,2", "first(x)", NULL, "10s", NULL, "whole number of periods"},
        {linear, "F=1,2", "first(x)", NULL, "2.5 periods", NULL, "whole number of periods"},
        {linear, "F=1,2", "max(x)", "soon", NULL, NULL, "no time"},
        {linear, "F=1,2", "max(x)", NULL, "0", NULL, "positive"},
        {linear, "F=1,2", "max(x)", NULL, "3kg", NULL, "no time"},
        {linear, "F=1,2", "x", NULL, NULL, "never", "neither an event"},
        {falling, "h=1,2", "time(grond)", NULL, NULL, NULL, "no event"},
        {falling, "h=1,2", "max(y)", NULL, "3 periods", NULL, "periods of the excitation"},
        {linear, "F=1,2", "period", NULL, "5 periods", NULL, "too few"},
        {linear, "F=1,2", "share(x,2,1)", NULL, NULL, NULL, "empty"},
        {linear, "F=1,2", "x", NULL, NULL, "1e-300s", "rows"},
        {linear, "F=1,2", "x", NULL, "1e10 periods", "strobe", "1e+10 rows"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        zw_survey *s;
        zw_error err = {0};
        setup u = set(bad[i].model, bad[i].over, bad[i].measure);
        u.o.transient = bad[i].transient, u.o.duration = bad[i].duration, u.o.rows = bad[i].rows;
        zw_status status = try_open(&s, &u, &err);
        if (status >= 0 || !strstr(err.text, bad[i].say))
            fail_msg("case %zu: '%s' does not say '%s'", i, err.text, bad[i].say);
        assert_null(s);
    }
    setup u = set(linear, "F=uniform:0:1", "max(x)");
    zw_survey *s;
    zw_error err = {0};
    u.samples = 3, u.o.carry = ZW_SURVEY_UP;
    assert_true(try_open(&s, &u, &err) < 0);
    assert_non_null(strstr(err.text, "--carry"));
}

/* Sample k has path k of the noise, the same one at every value of an axis and in any number of
 * threads: x = a + s W(t), of which the mean square over the samples is s^2 t to five standard
 * errors. */
static void test_survey__samples_are_paths_of_the_noise(void **state) {
    (void)state;
    enum { N = 200 };
    const char *text = "model walk\nunits none\nparam a = 0, s = 0.5\ninput w = noise(s)\n"
                       "state x : x' = w\nstart x = a\n";
    double square = 0;
    setup u = set(text, "a=1,3", "last(x)");
    u.samples = N, u.o.duration = "4s";
    zw_survey *one = open_sweep(&u);
    u.threads = 3;
    zw_survey *three = open_sweep(&u);
    zw_survey_block b = run_all(one), c = run_all(three);
    assert_int_equal(b.nrow, 2 * N);
    assert_memory_equal(b.row, c.row, sizeof(double) * 2 * N * (size_t)zw_survey_columns(one));
    for (long i = 0; i < N; i++) {
        int at = zw_survey_first_measure(one);
        double first = row_of(one, &b, i)[at] - 1, second = row_of(one, &b, i + N)[at] - 3;
        assert_close(first, second, 1e-9);
        square += first * first / N;
    }
    assert_true(fabs(square - 1) < 5 * sqrt(2. / N));
    zw_survey_block_clear(&b);
    zw_survey_block_clear(&c);
    zw_survey_destroy(one);
    zw_survey_destroy(three);
    zw_error err = {0};
    u.o.carry = ZW_SURVEY_UP;
    assert_true(try_open(&one, &u, &err) < 0);
    assert_non_null(strstr(err.text, "with noise"));
}

/* the step of the noise is that of the points in the middle, where a state decays a hundred
 * times as fast as at the ends; its factors commute */
static void test_survey__step_of_noise_suits_points_between(void **state) {
    (void)state;
    const char model[] = "model decay\nunits none\nparam p = 0\ninput w = noise(0.3)\n"
                         "state x : x' = -(1 + 99*exp(-100*(p - 0.5)^2))*sin(x) + w\n";
    double step[2], error;
    for (int k = 0; k < 2; k++) {
        zw_survey *s;
        zw_error err = {0};
        setup u = set(model, k ? "p=0:1:0.125" : "p=0:1:1", "last(x)");
        u.o.duration = "8";
        u.samples = 1;
        if (try_open(&s, &u, &err) < 0)
            fail_msg("%s", err.text);
        step[k] = zw_survey_noise(s, &error);
        assert_true(error < 0.01 && zw_survey_noises_commute(s));
        zw_survey_destroy(s);
    }
    assert_true(step[1] < step[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_survey__linear_oscillator_has_its_resonance_curve),
        cmocka_unit_test(test_survey__harmonics_of_impacts),
        cmocka_unit_test(test_survey__harmonics_of_jumps),
        cmocka_unit_test(test_survey__carried_through_contacts),
        cmocka_unit_test(test_survey__harmonics_of_dry_friction),
        cmocka_unit_test(test_survey__carried_state_and_phase),
        cmocka_unit_test(test_survey__jumps_are_at_the_folds),
        cmocka_unit_test(test_survey__steep_is_no_jump),
        cmocka_unit_test(test_survey__period_of_the_attractor),
        cmocka_unit_test(test_survey__first_passage_times_and_values_there),
        cmocka_unit_test(test_survey__stopped_within_the_transient),
        cmocka_unit_test(test_survey__quantities_that_steps_do_not_resolve),
        cmocka_unit_test(test_survey__what_has_no_value_has_no_measure),
        cmocka_unit_test(test_survey__shares_of_time),
        cmocka_unit_test(test_survey__bits_do_not_depend_on_threads_and_blocks),
        cmocka_unit_test(test_survey__engines_agree_on_a_carried_constraint),
        cmocka_unit_test(test_survey__a_motion_that_fails_is_told_and_the_others_go_on),
        cmocka_unit_test(test_survey__doubts_of_motions_are_counted),
        cmocka_unit_test(test_survey__events_close_together_are_found),
        cmocka_unit_test(test_survey__disturbances_of_a_carried_state),
        cmocka_unit_test(test_survey__refuses_disturbances_without_a_meaning),
        cmocka_unit_test(test_survey__samples_are_paths_of_the_noise),
        cmocka_unit_test(test_survey__refuses_what_cannot_be_measured),
        cmocka_unit_test(test_survey__step_of_noise_suits_points_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
