/* SPDX-License-Identifier: MIT */
/* Lyapunov exponents from text to verdict: closed forms, invariants, other methods, numbers of the
 * literature. */
#include "support/failing_allocator.h"
#include "support/report.h"
#include "support/test.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

typedef struct wish {
    const char *set, *also, *over, *second, *of, *by;
    double rtol;
    int threads;
    double transient, time;
    int motions, exponents;
    zw_lyapunov_engine engine;
    bool carry;
    zw_sim_scheme contacts;
} wish;

static zw_context *ctx;
static zw_system *sys;
static zw_lyapunov *study;
static zw_error err;
static char text[1 << 16];

static char *report_text(const zw_lyapunov *s) {
    zw_report *r = report_begin(sys->name);
    zw_lyapunov_report(s, r);
    return report_take_text(r);
}

static char *report_json(const zw_lyapunov *s) {
    zw_report *r = report_begin(sys->name);
    zw_lyapunov_report(s, r);
    return report_take_json(r);
}

static zw_status open_study(const char *model, const wish *w) {
    static zw_model_options read;
    static const char *set[2];
    static zw_model_source source;
    zw_lyapunov_options o = zw_lyapunov_options_default();
    err = (zw_error){0};
    study = NULL;
    set[0] = w->set;
    set[1] = w->also;
    read = (zw_model_options){.size = sizeof read,
                              .nset = w->also  ? 2
                                      : w->set ? 1
                                               : 0,
                              .set = set};
    if (model[0] == '/') {
        FILE *f = fopen(model, "r");
        assert_non_null(f);
        text[fread(text, 1, sizeof text - 1, f)] = 0;
        fclose(f);
    } else {
        snprintf(text, sizeof text, "%s", model);
    }
    ctx = zw_context_create(NULL);
    if (zw_model_parse(&sys, ctx, text, strlen(text), "test", &read, &err) < 0)
        fail_msg("%s", err.text);
    source =
        (zw_model_source){.text = text, .length = strlen(text), .file = "test", .options = &read};
    o.nover = w->second ? 2 : w->over ? 1 : 0;
    o.over[0] = w->over;
    o.over[1] = w->second;
    o.of = w->of;
    o.principle = w->by;
    o.transient = w->transient;
    o.time = w->time;
    o.motions = w->motions;
    o.exponents = w->exponents;
    o.engine = w->engine;
    o.carry = w->carry;
    o.threads = w->threads;
    static zw_run_options run;
    run = zw_run_options_default();
    run.rtol = w->rtol > 0 ? w->rtol : run.rtol;
    o.run = &run;
    static zw_sim_options contacts;
    contacts = zw_sim_options_default();
    contacts.contacts = w->contacts;
    o.contacts = &contacts;
    return zw_lyapunov_create(&study, sys, &source, &o, &err);
}

static void close_study(void) {
    zw_lyapunov_destroy(study);
    zw_context_destroy(ctx);
}

static const zw_lyapunov_point *find(const char *model, const wish *w) {
    if (open_study(model, w) < 0 || zw_lyapunov_run(study, &err) < 0)
        fail_msg("%s (%s)", err.text, err.hint);
    const zw_lyapunov_point *p = zw_lyapunov_at(study, 0);
    assert_non_null(p);
    if (p->status < 0)
        fail_msg("%s", p->why);
    return p;
}

/* is one of this key told? */
static bool is_doubtful(const char *key) {
    zw_warnings *list = zw_warnings_create(NULL);
    bool found = false;
    zw_lyapunov_warnings(study, list);
    for (int i = 0; i < zw_warnings_count(list); i++)
        found |= strcmp(zw_warnings_at(list, i)->key, key) == 0;
    zw_warnings_destroy(list);
    return found;
}

static void assert_no_doubts(void) {
    zw_warnings *list = zw_warnings_create(NULL);
    zw_lyapunov_warnings(study, list);
    if (zw_warnings_count(list))
        fail_msg("%s", zw_warnings_at(list, 0)->text);
    zw_warnings_destroy(list);
}

/* within so many of its own standard errors, which are no larger than `most` */
static void assert_within(const zw_lyapunov_point *p, int i, double value, double most) {
    if (!(fabs(p->exponent[i] - value) <= 4.5 * p->error[i]) || !(p->error[i] <= most))
        fail_msg("lambda_%d = %.10g +- %.3g against %.10g (error at most %.3g)", i + 1,
                 p->exponent[i], p->error[i], value, most);
}

/* --------------------------------------------------------------------------------- closed forms */

static const char oscillator[] = "model o \"o\"\nunits none\nparam d = 2, k = 1\ncoord x\n"
                                 "particle p : 1 at (x, 0)\npotential k*x^2/2\n"
                                 "dissipation d*x'^2\nstart x = 1\n";

/* x'' + 2 d x' + k x = 0: -d +- sqrt(d^2 - k) */
static void test_lyapunov__oscillator(void **state) {
    (void)state;
    for (int engine = ZW_LYAPUNOV_ENSEMBLE; engine <= ZW_LYAPUNOV_ALONE; engine++) {
        const zw_lyapunov_point *p = find(oscillator, &(wish){.motions = 1,
                                                              .engine = (zw_lyapunov_engine)engine,
                                                              .transient = 100,
                                                              .time = 500});
        assert_int_equal(p->n, 2);
        assert_close(p->exponent[0], -2 + sqrt(3), 1e-6);
        assert_close(p->exponent[1], -2 - sqrt(3), 1e-6);
        assert_close(p->sum, -4, 1e-8);
        assert_close(p->divergence, -4, 1e-12);
        assert_int_equal(p->verdict, ZW_LYAPUNOV_STEADY);
        assert_true(p->dimension == 0);
        assert_no_doubts();
        close_study();
    }
    /* a pair of complex eigenvalues: equal exponents, whose sum is exact */
    const zw_lyapunov_point *p = find(oscillator, &(wish){.set = "d=0.1", .motions = 2});
    assert_within(p, 0, -0.1, 1e-3);
    assert_within(p, 1, -0.1, 1e-3);
    assert_close(p->sum, -0.2, 1e-8);
    close_study();
}

/* A saddle: the exponents of its linear equations, and it is told that it does not stay by
 * itself. */
static void test_lyapunov__saddle(void **state) {
    (void)state;
    const zw_lyapunov_point *p =
        find("model o \"o\"\nunits none\ncoord x, y\nparticle p : 1 at (x, y)\n"
             "potential -x^2/2 + 2*y^2\nstart x = 0\n",
             &(wish){.motions = 2, .transient = 10, .time = 100});
    assert_int_equal(p->n, 4);
    assert_close(p->exponent[0], 1, 1e-6);
    assert_close(p->exponent[3], -1, 1e-6);
    assert_true(p->pairs < 1e-6);
    assert_int_equal(p->verdict, ZW_LYAPUNOV_STEADY);
    assert_true(is_doubtful("unstable"));
    close_study();
}

/* The same oscillator in more coordinates than it needs, also with a constraint that is said twice:
 * exponents of constraints are none. */
static void test_lyapunov__redundant_coordinates(void **state) {
    (void)state;
    static const char wheel[] =
        "model o \"o\"\nunits none\nparam d = 2\ncoord x, y, u\nparticle p : 1 at (x, y)\n"
        "constraint line : y = 2*x\nconstraint copy : u = x + y\n%s"
        "potential (x^2 + y^2)/2\ndissipation d*(x'^2 + y'^2)\nstart x = 0.4\n";
    char model[600];
    for (int twice = 0; twice < 2; twice++) {
        snprintf(model, sizeof model, wheel, twice ? "constraint again : 2*y = 4*x\n" : "");
        const zw_lyapunov_point *p = find(
            model,
            &(wish){.motions = 1, .by = twice ? "gauss" : NULL, .transient = 100, .time = 500});
        assert_int_equal(p->n, 2);
        assert_close(p->exponent[0], -2 + sqrt(3), 1e-6);
        assert_close(p->exponent[1], -2 - sqrt(3), 1e-6);
        assert_close(p->divergence, -4, 1e-6);
        close_study();
    }
}

/* A sleigh ends in a straight glide: 0 by its energy, and -m a c/(J + m a^2) with c^2 = 2 E/m.
 * Place and heading are ignorable. */
static void test_lyapunov__sleigh(void **state) {
    (void)state;
    double m = 2, J = 0.1, a = 0.2, E = 0.5 * m * 0.25 + 0.5 * (J + m * a * a) * 9;
    const zw_lyapunov_point *p = find(MODEL("chaplygin_sleigh"), &(wish){.motions = 1});
    assert_int_equal(p->n, 2);
    assert_close(p->exponent[0], 0, 1e-8);
    assert_close(p->exponent[1], -m * a * sqrt(2 * E / m) / (J + m * a * a), 1e-7);
    assert_int_equal(p->verdict, ZW_LYAPUNOV_STEADY);
    close_study();
}

/* A sleigh with a driven mass and friction comes to a motion that repeats with the drive. Its
 * velocity across the blade is zero by the constraint: what rounding leaves of it never repeats,
 * and is no sign of chaos. */
static void test_lyapunov__rounding_is_no_motion(void **state) {
    (void)state;
    const zw_lyapunov_point *p = find(
        "model sleigh \"s\"\nunits none\ncoord x, y, th\n"
        "quasi u = x'*cos(th) + y'*sin(th), v = -x'*sin(th) + y'*cos(th), w = th'\n"
        "frame S : rotate z th at (x, y, 0)\n"
        "body sleigh : S, inertia(1, 0.05, 0.05, 0.05) at (0.5, 0, 0)\n"
        "particle driven : 0.5 at S.origin + S(-0.5, 0.5*sin(2*pi*t), 0)\n"
        "constraint blade : v = 0\ndissipation 1/2*0.4*u^2 + 1/2*0.1*w^2\nstart u = 1, w = 0\n",
        &(wish){.motions = 2, .time = 200, .transient = 200});
    assert_int_equal(p->verdict, ZW_LYAPUNOV_PERIODIC);
    assert_close(p->period, 1, 1e-9);
    close_study();
}

/* Suslov's problem: a body about a fixed point that does not turn about its axis z. It ends with
 * w_x = c, I_x c^2 = 2 T, where w_y decays with (I_yz/I_y) c. */
static void test_lyapunov__suslov(void **state) {
    (void)state;
    const zw_lyapunov_point *p =
        find("model suslov \"s\"\nunits none\nrotation K\n"
             "body B : K, inertia(1, 2, 3, 4, 0, 0, -0.5)\nconstraint c : K.wz = 0\n"
             "start K.wx = 1, K.wy = 0.5\n",
             &(wish){.motions = 1, .transient = 300, .time = 300});
    assert_int_equal(p->n, 2);
    assert_within(p, 0, 0, 1e-7);
    assert_close(p->exponent[1], -0.5 / 3 * sqrt((2 + 0.75) / 2), 1e-7);
    close_study();
}

/* the largest of many directions alone */
static void test_lyapunov__first_exponents(void **state) {
    (void)state;
    const zw_lyapunov_point *p =
        find("model o \"o\"\nunits none\nstate x, y, z, w : x' = -x, y' = -3*y + x, z' = -2*z, "
             "w' = -400*w\nstart x = 1, y = 1, z = 1, w = 1\n",
             &(wish){.motions = 1, .exponents = 2, .time = 100});
    assert_int_equal(p->k, 2);
    assert_int_equal(p->n, 4);
    assert_close(p->exponent[0], -1, 1e-6);
    assert_close(p->exponent[1], -2, 1e-6);
    assert_true(isnan(p->sum));
    close_study();
    p = find("model o \"o\"\nunits none\nstate x, y, z, w : x' = -x, y' = -3*y + x, z' = -2*z, "
             "w' = -400*w\nstart x = 1, y = 1, z = 1, w = 1\n",
             &(wish){.motions = 1, .time = 20, .transient = 1});
    assert_close(p->exponent[3], -400, 1e-6);
    close_study();
}

/* ------------------------------------------------------------------------------- the literature */

/* J. C. Sprott, Chaos and Time-Series Analysis (2003): 0.9056, 0, -14.5723 */
static void test_lyapunov__lorenz(void **state) {
    (void)state;
    for (int engine = ZW_LYAPUNOV_ENSEMBLE; engine <= ZW_LYAPUNOV_ALONE; engine++) {
        const zw_lyapunov_point *p =
            find(MODEL("lorenz"), &(wish){.engine = (zw_lyapunov_engine)engine, .time = 500});
        assert_within(p, 0, 0.9056, 0.01);
        assert_within(p, 1, 0, 0.005);
        assert_within(p, 2, -14.5723, 0.01);
        assert_close(p->sum, -(10 + 1 + 8. / 3), 1e-7);
        assert_close(p->divergence, -(10 + 1 + 8. / 3), 1e-12);
        assert_true(fabs(p->dimension - 2.06215) < 4.5 * p->dimension_error);
        assert_true(p->dimension_error < 1e-3);
        assert_int_equal(p->verdict, ZW_LYAPUNOV_CHAOTIC);
        assert_true(p->confidence > 0.99 && p->K > 0.95);
        assert_no_doubts();
        close_study();
    }
}

/* the same source: a = b = 0.2, c = 5.7: 0.0714, 0, -5.3943 */
/* Motions in step, by Adams' formulas: the divergence of Lorenz's equations is -(sigma + 1 + beta)
 * everywhere, which no formula knows; the mean rates over a cycle are Floquet's, by every engine;
 * groups of motions are the same in any number of threads. */
static void test_lyapunov__in_step(void **state) {
    (void)state;
    const double tolerance[] = {1e-4, 1e-6, 1e-8}, off[] = {2e-5, 1e-6, 1e-8};
    for (int i = 0; i < 3; i++) {
        const zw_lyapunov_point *p = find(MODEL("lorenz"), &(wish){.rtol = tolerance[i],
                                                                   .time = 200,
                                                                   .transient = 20,
                                                                   .engine = ZW_LYAPUNOV_FRAMES});
        char *words = report_text(study);
        assert_non_null(strstr(words, "in step"));
        assert_true(fabs(p->sum + 10 + 1 + 8. / 3) < off[i]);
        assert_true(fabs(p->gap - (p->sum - p->divergence)) < 1e-9);
        free(words);
        close_study();
    }
    double exponent[3][2];
    const zw_lyapunov_engine engine[] = {ZW_LYAPUNOV_FRAMES, ZW_LYAPUNOV_ENSEMBLE,
                                         ZW_LYAPUNOV_ALONE};
    for (int i = 0; i < 3; i++) { /* whole periods, behind which nothing is left of the transient */
        const zw_lyapunov_point *p = find(
            MODEL("van_der_pol"),
            &(wish){
                .time = 64 * 6.663286859 * 2, .transient = 200, .motions = 1, .engine = engine[i]});
        memcpy(exponent[i], p->exponent, sizeof exponent[i]);
        close_study();
    }
    for (int k = 0; k < 2; k++) {
        assert_true(fabs(exponent[0][k] - exponent[2][k]) < 2e-6);
        assert_true(fabs(exponent[1][k] - exponent[2][k]) < 2e-6);
    }
    double kept[2][4];
    for (int threads = 1; threads <= 3; threads += 2) {
        const zw_lyapunov_point *p =
            find(MODEL("double_pendulum"),
                 &(wish){.time = 20, .transient = 5, .motions = 20, .threads = threads});
        memcpy(kept[threads / 2], p->exponent, sizeof kept[0]);
        close_study();
    }
    assert_memory_equal(kept[0], kept[1], sizeof kept[0]);
}

static void test_lyapunov__roessler(void **state) {
    (void)state;
    const zw_lyapunov_point *p = find(MODEL("roessler"), &(wish){.set = "c=5.7"});
    assert_within(p, 0, 0.0714, 0.003);
    assert_within(p, 1, 0, 0.002);
    assert_within(p, 2, -5.3943, 0.01);
    assert_true(fabs(p->gap) < 5 * p->gap_error && p->gap_error < 1e-3);
    assert_int_equal(p->verdict, ZW_LYAPUNOV_CHAOTIC);
    assert_no_doubts();
    close_study();
}

/* ----------------------------------------------------------------------------------- invariants */

/* a drive: the sum is the damping; the largest exponent of Baker and Gollub's pendulum is positive
 * at F = 1.15, and at F = 0.9 it swings with the drive */
static void test_lyapunov__driven_pendulum(void **state) {
    (void)state;
    const zw_lyapunov_point *p =
        find(MODEL("driven_pendulum"), &(wish){.set = "F=1.15", .motions = 4});
    assert_close(p->sum, -0.5, 1e-8);
    assert_true(p->exponent[0] > 0.08);
    assert_int_equal(p->verdict, ZW_LYAPUNOV_CHAOTIC);
    assert_no_doubts();
    close_study();
    p = find(MODEL("driven_pendulum"), &(wish){.set = "F=0.9", .motions = 2});
    assert_close(p->sum, -0.5, 1e-8);
    assert_int_equal(p->verdict, ZW_LYAPUNOV_PERIODIC);
    assert_int_equal(p->times, 1);
    assert_close(p->period, 3 * M_PI, 1e-9);
    close_study();
    p = find(MODEL("driven_pendulum"), &(wish){.set = "F=1.07", .motions = 2});
    assert_int_equal(p->times, 2);
    close_study();
}

static const char henon[] = "model h \"h\"\nunits none\ncoord x, y\nparticle p : 1 at (x, y)\n"
                            "potential (x^2 + y^2)/2 + x^2*y - y^3/3\n"
                            "start x = 0, y = %s, x' = %s, y' = 0\n";

/* Henon and Heiles: at E = 1/6 almost all is chaotic, at E = 1/100 almost nothing; pairs in either
 * case */
static void test_lyapunov__henon_heiles(void **state) {
    (void)state;
    char model[400];
    double y = -0.15, e = y * y / 2 - y * y * y / 3;
    for (int chaotic = 0; chaotic < 2; chaotic++) {
        char at[40], v[40];
        snprintf(at, sizeof at, "%.17g", chaotic ? y : 0.03);
        snprintf(v, sizeof v, "%.17g", chaotic ? sqrt(2 * (1. / 6 - e)) : 0.13);
        snprintf(model, sizeof model, henon, at, v);
        const zw_lyapunov_point *p = find(model, &(wish){.motions = 4, .time = 3000});
        assert_true(p->pairs < 1e-4 && fabs(p->sum) < 1e-6);
        assert_true(fabs(p->exponent[1]) < 2 * p->resolution);
        assert_int_equal(p->verdict, chaotic ? ZW_LYAPUNOV_CHAOTIC : ZW_LYAPUNOV_QUASI_PERIODIC);
        assert_true(p->dimension == 4);
        assert_true(chaotic ? p->exponent[0] > 0.05 : p->exponent[0] < p->resolution);
        close_study();
    }
}

static const char minimal[] =
    "model d \"d\"\nunits none\ncoord p, q\npoint A : (sin(p), -cos(p), 0)\n"
    "point B : A + (sin(q), -cos(q), 0)\nparticle P : 1 at A\nparticle Q : 1 at B\n"
    "gravity 9.81 along -y\nstart p = 2, q = -0.2\n";
static const char cartesian[] =
    "model d \"d\"\nunits none\ncoord x, y, u, v\nparticle A : 1 at (x, y)\n"
    "particle B : 1 at (u, v)\ngravity 9.81 along -y\nconstraint a : x^2 + y^2 = 1\n"
    "constraint b : (u - x)^2 + (v - y)^2 = 1\n"
    "start x = sin(2), y = -cos(2), u - x = sin(-0.2), v - y = -cos(0.2)\n";

/* a double pendulum in its angles and with constraints: the same exponents, by two engines */
static void test_lyapunov__double_pendulum(void **state) {
    (void)state;
    double lead[3], error[3];
    for (int i = 0; i < 3; i++) {
        const zw_lyapunov_point *p =
            find(i ? cartesian : minimal,
                 &(wish){.motions = 4,
                         .time = 300,
                         .transient = 50,
                         .engine = i == 2 ? ZW_LYAPUNOV_ALONE : ZW_LYAPUNOV_ENSEMBLE});
        assert_int_equal(p->n, 4);
        assert_true(p->pairs < 0.01);
        assert_true(fabs(p->exponent[1]) < 3 * p->resolution);
        assert_int_equal(p->verdict, ZW_LYAPUNOV_CHAOTIC);
        lead[i] = p->exponent[0];
        error[i] = p->error[0];
        assert_true(error[i] < 0.1);
        close_study();
    }
    assert_true(fabs(lead[0] - lead[1]) < 4 * hypot(error[0], error[1]));
    assert_true(fabs(lead[0] - lead[2]) < 4 * hypot(error[0], error[2]));
}

/* A rolling body that is nonholonomic and conservative: the sum is the mean divergence, energy and
 * the turn about the vertical leave zeros. */
static void test_lyapunov__rattleback(void **state) {
    (void)state;
    const zw_lyapunov_point *p =
        find(MODEL("rattleback"),
             &(wish){.set = "push=0.5 [rad/s]", .motions = 2, .time = 20, .transient = 5});
    assert_int_equal(p->n, 6); /* of 13 + 6 entries, without the place */
    assert_true(fabs(p->gap) < 5 * p->gap_error + 1e-3);
    int zeros = 0;
    for (int i = 0; i < p->k; i++)
        zeros += fabs(p->exponent[i]) <= p->resolution;
    assert_true(zeros >= 3);
    close_study();
}

/* At these states two of the eight directions lie within rounding of those of the place, which does
 * not count. */
static void test_lyapunov__rattleback_has_six_directions(void **state) {
    (void)state;
    static const char *const set[][2] = {{"W=20 [rad/s]", "push=0.05 [rad/s]"},
                                         {"W=-12 [rad/s]", "push=0.5 [rad/s]"},
                                         {"W=3 [rad/s]", "push=0.01 [rad/s]"}};
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
        const zw_lyapunov_point *p = find(
            MODEL("rattleback"),
            &(wish){
                .set = set[i][0], .also = set[i][1], .motions = 2, .time = 1, .transient = 0.5});
        assert_int_equal(p->n, 6);
        close_study();
    }
}

/* -------------------------------------------------------------------------------- other methods */

/* a limit cycle: exponents are logarithms of Floquet's multipliers over the period, here by
 * collocation */
static void test_lyapunov__floquet(void **state) {
    (void)state;
    int number;
    zw_orbits *orbits;
    zw_orbits_options o = zw_orbits_options_default();
    const zw_lyapunov_point *p = find(MODEL("van_der_pol"), &(wish){.motions = 4});
    assert_int_equal(p->verdict, ZW_LYAPUNOV_PERIODIC);
    assert_true(zw_orbits_create(&orbits, sys, &o, &err) >= 0);
    assert_true(zw_orbits_find(orbits, NAN, &number, &err) >= 0);
    const zw_orbit_motion *m = zw_orbits_at(orbits, number);
    assert_close(p->period, m->period, 1e-6);
    assert_int_equal(m->nmultiplier, 2);
    double other = fmin(fabs(m->re[0]), fabs(m->re[1]));
    assert_within(p, 0, 0, 2e-3);
    assert_within(p, 1, log(other) / m->period, 2e-3);
    assert_true(fabs(p->gap) < 5 * p->gap_error + 1e-4);
    assert_true(p->dimension == 1);
    zw_orbits_destroy(orbits);
    close_study();
}

/* a drive: pairs of complex multipliers have equal exponents, their sum is the damping */
static void test_lyapunov__duffing(void **state) {
    (void)state;
    const zw_lyapunov_point *p = find(MODEL("duffing"), &(wish){.motions = 2});
    assert_close(p->sum, -0.4, 1e-8);
    assert_within(p, 0, -0.2, 1e-3);
    assert_int_equal(p->verdict, ZW_LYAPUNOV_PERIODIC);
    assert_int_equal(p->times, 1);
    assert_no_doubts();
    close_study();
}

/* Dry friction, which jumps: by shooting (zwang response --shooting) the multipliers are 0.11021981
 * +- 0.8751947 i. The equations themselves have no divergence: all decay is from the jumps. */
static void test_lyapunov__rates_that_jump(void **state) {
    (void)state;
    const zw_lyapunov_point *p =
        find("model f \"f\"\nunits none\ncoord x\nparticle p : 1 at (x, 0)\npotential x^2/2\n"
             "force dry (x) = -0.3*sign(x')\nforce drive (x) = 2*cos(1.3*t)\nstart x = 0.5\n",
             &(wish){.motions = 2, .time = 500, .transient = 200});
    double each = log(hypot(0.11021981, 0.8751947)) * 1.3 / (2 * M_PI);
    assert_true(fabs(p->sum - 2 * each) < 4.5 * p->sum_error && p->sum_error < 1e-3);
    assert_within(p, 0, each, 1e-3);
    assert_int_equal(p->verdict, ZW_LYAPUNOV_PERIODIC);
    assert_true(isnan(p->divergence));
    assert_no_doubts();
    close_study();
}

/* Impacts, x' -> -e x' at a wall. An impact in each period of the drive: the product of the
 * multipliers is exp(-2 zeta P) e^2, whatever the orbit is; that of stable ones of a pair is
 * |mu|^2. Over whole periods the sum is exact. A rimless wheel: omega^2 before an impact is the
 * same function of that before the last one on every slope, with the slope cos^2(2 alpha), and so
 * is omega at the fixed point (McGeer 1990); along itself nothing grows. */
static void test_lyapunov__events_that_act(void **state) {
    (void)state;
    double period = 2 * M_PI / 2.2;
    const zw_lyapunov_point *p = find(MODEL("impact_oscillator"), &(wish){.set = "Omega=2.2",
                                                                          .time = 64 * 2 * period,
                                                                          .transient = 200 * period,
                                                                          .motions = 1});
    assert_int_equal(p->verdict, ZW_LYAPUNOV_PERIODIC);
    assert_close(p->period, period, 1e-6);
    assert_close(p->sum, -2 * 0.05 + 2 * log(0.8) / period, 1e-7);
    assert_true(fabs(p->exponent[0] - p->exponent[1]) < 0.01);
    assert_true(isnan(p->divergence));
    close_study();
    p = find(MODEL("rimless_wheel"), &(wish){.time = 64, .transient = 20, .motions = 1});
    assert_int_equal(p->verdict, ZW_LYAPUNOV_PERIODIC);
    double step = p->period, alpha = M_PI / 8;
    close_study();
    p = find(MODEL("rimless_wheel"), &(wish){.time = 64 * 2 * step, .transient = 20, .motions = 1});
    assert_true(fabs(p->exponent[0]) < 1e-5);
    assert_close(p->exponent[1], 2 * log(cos(2 * alpha)) / step, 1e-5);
    close_study();
}

/* ------------------------------------------------------------------------------------- contacts */

#define TWO_PI 6.283185307179586

/* An oscillator with two impacts in each period of its drive. Multipliers from closed forms between
 * impacts and the saltation matrix of Newton's law, by numpy: -0.38362225, -0.23805662. */
static const char impacts[] =
    "model impacts \"i\"\nunits none\nparam om = 2, z = 0.05, F = 1, Om = 1.3, e = 0.7, d = 0.3\n"
    "coord x\nkinetic 1/2*x'^2\npotential 1/2*om^2*x^2\nforce (x) = -2*z*om*x' + F*cos(Om*t)\n"
    "contact wall : gap d - x, law newton(e)\n";

static void test_lyapunov__impacts(void **state) {
    (void)state;
    double period = TWO_PI / 1.3;
    static const double rtol[] = {1e-6, 1e-8, 1e-11};
    for (int i = 0; i < 3; i++) {
        const zw_lyapunov_point *p = find(impacts, &(wish){.time = 64 * 8 * period,
                                                           .transient = 100 * period,
                                                           .motions = 1,
                                                           .rtol = rtol[i]});
        assert_int_equal(p->verdict, ZW_LYAPUNOV_PERIODIC);
        assert_close(p->period, period, 1e-6);
        assert_int_equal(p->n, 2);
        assert_close(p->exponent[0], -0.19823162244228096, i ? 1e-8 : 1e-6);
        assert_close(p->exponent[1], -0.2969545956630561, i ? 1e-8 : 1e-6);
        assert_no_doubts();
        close_study();
    }
}

/* A ball on a table that vibrates, between impacts in closed form: 8 sequences of 8000 impacts with
 * QR of the exact Jacobian of the map (numpy): 0.05900 +- 0.00020, -0.27963 +- 0.00020. At smaller
 * amplitudes it comes to rest on the table in each period, after infinitely many impacts: nothing
 * is left of disturbances. */
static void test_lyapunov__vibrating_table(void **state) {
    (void)state;
    static const char table[] =
        "model table \"t\"\nunits none\nparam A = 1.75, e = 0.5\ncoord z\n"
        "kinetic 1/2*z'^2\npotential z\ncontact floor : gap z - A*sin(t), law newton(e)\n"
        "start z = 0.1, z' = 4\n";
    const zw_lyapunov_point *p = find(table, &(wish){.motions = 4, .time = 4000});
    assert_int_equal(p->verdict, ZW_LYAPUNOV_CHAOTIC);
    for (int i = 0; i < 2; i++) {
        double value = i ? -0.27963 : 0.05900, error = hypot(p->error[i], 0.0002);
        assert_true(fabs(p->exponent[i] - value) < 4 * error && p->error[i] < 0.003);
    }
    close_study();
    p = find(table, &(wish){.set = "A=1.01", .motions = 1, .time = 100, .transient = 50});
    assert_true(isinf(p->exponent[0]) && p->exponent[0] < 0 && isinf(p->exponent[1]));
    assert_true(p->dimension == 0 && isinf(p->sum));
    assert_true(is_doubtful("motions")); /* impacts accumulate */
    close_study();
}

/* A forced oscillator that sticks twice in each period: of x, x', and gap and its rate of a contact
 * that stays closed, x is left. Its multiplier from closed forms between the moments at which it
 * sticks and slips, in Python: 0.024133843081382736. */
static void test_lyapunov__sticking(void **state) {
    (void)state;
    const zw_lyapunov_point *p = find(
        "model stick \"s\"\nunits none\nparam F = 1, Om = 0.5, mu = 0.6, c = 0.02\ncoord x, y\n"
        "kinetic 1/2*(x'^2 + y'^2)\npotential 1/2*x^2 + y\nforce (x) = F*cos(Om*t) - c*x'\n"
        "contact floor : gap y, slip x', law coulomb(mu)\nstart x = 0.1, y = 0\n",
        &(wish){.time = 64 * 2 * TWO_PI, .transient = 10 * TWO_PI, .motions = 1});
    assert_int_equal(p->verdict, ZW_LYAPUNOV_PERIODIC);
    assert_int_equal(p->n, 4);
    assert_close(p->exponent[0], log(0.024133843081382736) / (2 * TWO_PI), 1e-6);
    for (int i = 1; i < 4; i++)
        assert_true(isinf(p->exponent[i]) && p->exponent[i] < 0 && p->error[i] == 0);
    char *told = report_text(study);
    assert_non_null(strstr(told, "lambda_4   -inf"));
    free(told);
    assert_no_doubts();
    close_study();
}

/* A relay with hysteresis, x' = -x + u with u = -1 from x = 1/2 on and u = 1 from x = -1/2 on: the
 * period is 2 log 3. u jumps, and is no section. */
static void test_lyapunov__relay(void **state) {
    (void)state;
    const zw_lyapunov_point *p =
        find("model relay \"r\"\nunits none\nstate x : x' = u - x\nstate u : u' = 0\n"
             "start x = 0, u = 1\nevent up : x - 1/2 rising, set u = -1\n"
             "event down : x + 1/2 falling, set u = 1\n",
             &(wish){.motions = 1, .time = 64 * 4 * 2 * log(3), .transient = 100});
    assert_int_equal(p->verdict, ZW_LYAPUNOV_PERIODIC);
    assert_close(p->period, 2 * log(3), 1e-6);
    assert_true(fabs(p->exponent[0]) < 1e-6 && isinf(p->exponent[1]));
    assert_no_doubts();
    close_study();
}

/* A rod that lies on both feet on a shaken table: no direction is left in which it could be
 * disturbed. */
static void test_lyapunov__rests_on_two_feet(void **state) {
    (void)state;
    const zw_lyapunov_point *p =
        find("model rod \"r\"\nunits none\nparam A = 0.5, e = 0.3\ncoord y, phi\n"
             "kinetic 1/2*y'^2 + 1/2*0.2*phi'^2\npotential y\n"
             "contact left : gap y - sin(phi) - A*sin(t), law newton(e)\n"
             "contact right : gap y + sin(phi) - A*sin(t), law newton(e)\n"
             "start y = 0.5, phi = 0.1\n",
             &(wish){.motions = 1, .time = 64 * TWO_PI, .transient = 2 * TWO_PI});
    assert_int_equal(p->verdict, ZW_LYAPUNOV_PERIODIC);
    assert_close(p->period, TWO_PI, 1e-9);
    assert_int_equal(p->n, 4);
    for (int i = 0; i < 4; i++)
        assert_true(isinf(p->exponent[i]) && p->exponent[i] < 0);
    assert_true(p->dimension == 0);
    close_study();
}

/* An impact damper whose chaos ends after some thousand periods, in an orbit with five impacts in
 * each. Its multipliers, found by Newton's method on the closed form between impacts with 30 digits
 * (mpmath), have the moduli 0.9932889595222225 and 0.7741295853435604, twice each; the sum is that
 * of damping and impacts, -2 c + 10 log(e)/T. */
static const char damper[] =
    "model damper \"d\"\nunits none\nparam F = 0.1, e = 0.95, mu = 0.02, c = 0.001, d = 1\n"
    "coord x, y\nkinetic 1/2*x'^2 + 1/2*mu*y'^2\npotential 1/2*x^2\n"
    "force (x) = F*cos(t) - 2*c*x'\ncontact left : gap y - x + d, law newton(e)\n"
    "contact right : gap x + d - y, law newton(e)\nstart x = 0, y = 0.2\n";

static void test_lyapunov__outlasts_transients(void **state) {
    (void)state;
    const zw_lyapunov_point *p = find(damper, &(wish){.motions = 1});
    assert_int_equal(p->verdict, ZW_LYAPUNOV_PERIODIC);
    assert_close(p->period, TWO_PI, 1e-6);
    assert_true(p->transient > 1000 * TWO_PI);
    for (int i = 0; i < 4; i++)
        assert_within(p, i, log(i < 2 ? 0.9932889595222225 : 0.7741295853435604) / TWO_PI, 1e-3);
    assert_close(p->sum, -0.002 + 10 * log(0.95) / TWO_PI, 1e-6);
    assert_no_doubts();
    close_study();
}

/* A transient that is given is taken as it is: the exponents behind it are not those of the orbit,
 * and nothing is made of them. */
static void test_lyapunov__is_not_settled(void **state) {
    (void)state;
    const zw_lyapunov_point *p = find(damper, &(wish){.motions = 2, .transient = 100 * TWO_PI});
    assert_true(is_doubtful("halves"));
    assert_false(is_doubtful("unstable"));
    assert_true(isnan(p->dimension) && isnan(p->entropy));
    assert_non_null(strstr(p->reason, "those of the transient"));
    close_study();
}

/* The woodpecker on its limit cycle, against the multipliers of zwang orbit, 1 and -0.83915565 with
 * the period 0.1459760651 s; three directions are annihilated. */
static void test_lyapunov__woodpecker(void **state) {
    (void)state;
    double period = 0.1459760651;
    const zw_lyapunov_point *p =
        find(MODEL("woodpecker"),
             &(wish){.time = 64 * 8 * period, .transient = 60 * period, .motions = 1});
    assert_int_equal(p->verdict, ZW_LYAPUNOV_PERIODIC);
    assert_close(p->period, period, 1e-6);
    assert_int_equal(p->n, 5);
    assert_true(fabs(p->exponent[0]) < 1e-5);
    assert_close(p->exponent[1], log(0.83915565) / period, 1e-5);
    for (int i = 2; i < 5; i++)
        assert_true(isinf(p->exponent[i]));
    close_study();
}

/* ------------------------------------------------------------------------------------- verdicts */

static const char rotations[] = "model r \"r\"\nunits none\nparam w = sqrt(2)\ncoord x, y\n"
                                "particle p : 1 at (x, y)\npotential (x^2 + w^2*y^2)/2\n"
                                "start x = 1, y = 0.5\n";

/* two rotations: incommensurate, resonant, and nearly so */
static void test_lyapunov__rotations(void **state) {
    (void)state;
    static const struct {
        const char *set;
        zw_lyapunov_verdict verdict;
        double period;
    } all[] = {{NULL, ZW_LYAPUNOV_QUASI_PERIODIC, 0},
               {"w=2", ZW_LYAPUNOV_PERIODIC, 2 * M_PI},
               {"w=1.5", ZW_LYAPUNOV_PERIODIC, 4 * M_PI},
               {"w=2.001", ZW_LYAPUNOV_QUASI_PERIODIC, 0}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const zw_lyapunov_point *p =
            find(rotations, &(wish){.set = all[i].set, .motions = 1, .time = 500});
        assert_int_equal(p->verdict, all[i].verdict);
        if (all[i].period > 0)
            assert_close(p->period, all[i].period, 1e-5);
        for (int k = 0; k < 4; k++)
            assert_true(fabs(p->exponent[k]) < 1e-4);
        close_study();
    }
}

/* a torus that attracts: two zeros, dimension 2; and a drive of two frequencies, which leaves
 * none */
static void test_lyapunov__tori(void **state) {
    (void)state;
    const zw_lyapunov_point *p =
        find("model t \"t\"\nunits none\nparam m = 0.2, e = 0.02, w = 1.6180339\n"
             "state x, y, u, v : x' = y, y' = m*(1 - x^2)*y - x + e*(u - x), u' = v, "
             "v' = m*(1 - u^2)*v - w^2*u + e*(x - u)\nstart x = 1, u = 1\n",
             &(wish){.motions = 2});
    assert_int_equal(p->verdict, ZW_LYAPUNOV_QUASI_PERIODIC);
    assert_true(p->dimension == 2);
    assert_true(p->exponent[2] < -0.1);
    close_study();
    p = find("model t \"t\"\nunits none\nparam v = sqrt(2)\ncoord x\nparticle p : 1 at (x, 0)\n"
             "potential x^2/2 + x^4/4\ndissipation 0.1*x'^2\n"
             "force drive (x) = 0.3*(cos(t) + cos(v*t))\nstart x = 0.1\n",
             &(wish){.motions = 2});
    assert_int_equal(p->verdict, ZW_LYAPUNOV_QUASI_PERIODIC);
    assert_close(p->sum, -0.2, 1e-7);
    close_study();
}

/* Chaos that ends: between rho = 13.93 and 24.06 every motion of Lorenz's equations comes to rest
 * in the end. It must not be called chaotic without a doubt. */
static void test_lyapunov__transient_chaos(void **state) {
    (void)state;
    const zw_lyapunov_point *p =
        find(MODEL("lorenz"), &(wish){.set = "rho=22", .transient = 1, .time = 400});
    assert_int_not_equal(p->verdict, ZW_LYAPUNOV_CHAOTIC);
    assert_true(p->verdict == ZW_LYAPUNOV_STEADY || is_doubtful("verdict"));
    close_study();
}

/* A driven pendulum in spherical angles that swings in a plane: ph has no inertia at th = 0. */
static void test_lyapunov__tells_singular_coordinates(void **state) {
    (void)state;
    for (int engine = ZW_LYAPUNOV_ENSEMBLE; engine <= ZW_LYAPUNOV_ALONE; engine++) {
        find(
            "model sph\nunits none\ncoord th, ph\nkinetic (th'^2 + sin(th)^2*ph'^2)/2\n"
            "potential -9.81*cos(th)\nforce (th) = -0.3*th' + 3*cos(2*t)\nstart th = 1\n",
            &(wish){
                .exponents = 1, .time = 40, .transient = 10, .engine = (zw_lyapunov_engine)engine});
        assert_true(is_doubtful("motions"));
        close_study();
    }
}

/* ---------------------------------------------------------------------------------- many points */

/* Chaos that may end is told with how long it lasts at least; conservative chaos does not end. */
static void test_lyapunov__how_long_chaos_lasts(void **state) {
    (void)state;
    const zw_lyapunov_point *p =
        find(MODEL("lorenz"), &(wish){.set = "rho=24", .time = 400, .transient = 20});
    assert_int_equal(p->verdict, ZW_LYAPUNOV_CHAOTIC);
    assert_close(p->lasting, p->independent * p->time / 3, 1e-12);
    assert_true(p->lasting > 400 && p->lasting < 8 * 400 / 3.);
    char *words = report_text(study);
    assert_non_null(strstr(words, "a transient would last"));
    free(words);
    close_study();
    p = find(MODEL("lorenz"), &(wish){.set = "rho=10", .time = 100, .transient = 50});
    assert_true(isnan(p->lasting));
    close_study();
}

typedef struct patience {
    double least; /* of what is done, when it is stopped */
} patience;

static bool stops(void *user, double done) {
    return done > ((patience *)user)->least;
}

/* Points come in parts: one that is stopped on the way keeps those that are done, with the numbers
 * that they have anyway. */
static void test_lyapunov__keeps_what_is_done(void **state) {
    (void)state;
    double kept[64];
    int done = 0;
    for (int stopped = 0; stopped < 2; stopped++) {
        patience p = {0.6};
        zw_error trouble = {0};
        zw_model_source source = {.text = oscillator, .length = strlen(oscillator), .file = "o"};
        zw_lyapunov_options o = zw_lyapunov_options_default();
        o.nover = 1;
        o.over[0] = "k=0.5:2:64";
        o.time = 20;
        o.transient = 1;
        o.stop = stopped ? stops : NULL;
        o.stop_user = &p;
        ctx = zw_context_create(NULL);
        assert_int_equal(zw_model_parse(&sys, ctx, oscillator, strlen(oscillator), "o", NULL, &err),
                         ZW_OK);
        assert_int_equal(zw_lyapunov_create(&study, sys, &source, &o, &trouble), ZW_OK);
        assert_int_equal(zw_lyapunov_run(study, &trouble), stopped ? ZW_STOPPED : ZW_OK);
        for (int i = 0; i < 64; i++) {
            const zw_lyapunov_point *q = zw_lyapunov_at(study, i);
            if (!stopped)
                kept[i] = q->exponent[0];
            else if (q && q->steady + q->periodic + q->other > 0)
                assert_true(q->exponent[0] == kept[i] && ++done);
        }
        close_study();
    }
    assert_in_range(done, 16, 63);
}

/* in the second round, in which progress begins again */
static bool stops_again(void *user, double done) {
    patience *p = user;
    bool again = done < p->least - 0.3;
    p->least = fmax(p->least, done);
    return again;
}

/* A round that is stopped leaves the point as the one before has found it. */
static void test_lyapunov__keeps_the_round_before(void **state) {
    (void)state;
    patience p = {0};
    zw_error trouble = {0};
    zw_model_source source = {.text = damper, .length = strlen(damper), .file = "d"};
    zw_lyapunov_options o = zw_lyapunov_options_default();
    o.motions = 1;
    o.stop = stops_again;
    o.stop_user = &p;
    ctx = zw_context_create(NULL);
    assert_int_equal(zw_model_parse(&sys, ctx, damper, strlen(damper), "d", NULL, &err), ZW_OK);
    assert_int_equal(zw_lyapunov_create(&study, sys, &source, &o, &trouble), ZW_OK);
    p.least = 0;
    assert_int_equal(zw_lyapunov_run(study, &trouble), ZW_STOPPED);
    const zw_lyapunov_point *q = zw_lyapunov_at(study, 0);
    assert_non_null(q);
    assert_true(q->motions == 1 && q->transient < 101 * TWO_PI);
    assert_true(is_doubtful("halves") || is_doubtful("ends") || is_doubtful("verdict"));
    zw_table *t;
    assert_int_equal(zw_lyapunov_table(study, &source, &t, &trouble), ZW_OK);
    assert_close(zw_table_at(t, zw_table_rows(t) - 1, 2), q->exponent[1], 1e-12);
    zw_table_destroy(t);
    close_study();
}

static bool counts(void *user, double done) {
    (void)done;
    ++*(int *)user;
    return false;
}

/* Long motions in step: whether to stop is asked within their blocks, of which there are 64 however
 * long they are. */
static void test_lyapunov__is_asked_within_blocks(void **state) {
    (void)state;
    int asked = 0;
    zw_model_source source = {.text = oscillator, .length = strlen(oscillator), .file = "o"};
    zw_lyapunov_options o = zw_lyapunov_options_default();
    o.engine = ZW_LYAPUNOV_FRAMES;
    o.time = 1e5;
    o.transient = 1;
    o.motions = 1;
    o.stop = counts;
    o.stop_user = &asked;
    ctx = zw_context_create(NULL);
    assert_int_equal(zw_model_parse(&sys, ctx, oscillator, strlen(oscillator), "o", NULL, &err),
                     ZW_OK);
    assert_int_equal(zw_lyapunov_create(&study, sys, &source, &o, &err), ZW_OK);
    asked = 0;
    assert_int_equal(zw_lyapunov_run(study, &err), ZW_OK);
    assert_true(asked > 100);
    close_study();
}

static void test_lyapunov__over_a_parameter(void **state) {
    (void)state;
    zw_table *t;
    for (int carry = 0; carry < 2; carry++) {
        find(MODEL("lorenz"),
             &(wish){.over = "rho=5:28:3", .carry = carry == 1, .transient = 60, .time = 120});
        assert_int_equal(zw_lyapunov_points(study), 3);
        assert_int_equal(zw_lyapunov_at(study, 0)->verdict, ZW_LYAPUNOV_STEADY);
        assert_int_equal(zw_lyapunov_at(study, 2)->verdict, ZW_LYAPUNOV_CHAOTIC);
        assert_true(zw_lyapunov_at(study, 1)->at[0] == 16.5);
        assert_true(zw_lyapunov_table(study, NULL, &t, &err) >= 0);
        assert_int_equal(zw_table_rows(t), 3);
        assert_string_equal(zw_table_name(t, 0), "rho");
        assert_int_equal(zw_table_find(t, "lambda_1"), 1);
        assert_true(zw_table_at(t, 2, zw_table_find(t, "verdict")) == ZW_LYAPUNOV_CHAOTIC);
        assert_close(zw_table_at(t, 2, 1), 0.9056, 0.15);
        assert_string_equal(zw_table_get_note(t, "kind"), "exponents over a parameter");
        zw_table_destroy(t);
        close_study();
    }
}

/* a chart: exponents of x'' + 2 d x' + k x = 0 at every place of it */
static void test_lyapunov__chart(void **state) {
    (void)state;
    zw_table *t;
    find(oscillator,
         &(wish){.over = "d=2:4:3", .second = "k=0.5:1:2", .transient = 20, .time = 50});
    assert_int_equal(zw_lyapunov_points(study), 6);
    assert_true(zw_lyapunov_table(study, NULL, &t, &err) >= 0);
    assert_int_equal(zw_table_rows(t), 6);
    for (int i = 0; i < 6; i++) {
        const zw_lyapunov_point *p = zw_lyapunov_at(study, i);
        double d = p->at[0], k = p->at[1];
        assert_close(d, 2 + i % 3, 1e-12);
        assert_close(k, i < 3 ? 0.5 : 1, 1e-12);
        assert_close(p->exponent[0], -d + sqrt(d * d - k), 1e-5);
        assert_close(p->exponent[1], -d - sqrt(d * d - k), 1e-5);
        assert_close(zw_table_at(t, i, 2), p->exponent[0], 1e-15);
    }
    zw_table_destroy(t);
    close_study();
}

/* ------------------------------------------------------------------------------------- refusals */

static void refuse(const char *model, const wish *w, const char *what) {
    zw_status status = open_study(model, w);
    if (status >= 0 || !strstr(err.text, what))
        fail_msg("'%s' does not say '%s'", err.text, what);
    close_study();
}

static void test_lyapunov__refuses(void **state) {
    (void)state;
    refuse(MODEL("bouncing_ball"), &(wish){0}, "bounce");
    refuse(impacts, &(wish){.contacts = ZW_SIM_CONTACTS_MOREAU}, "time steps");
    refuse(oscillator, &(wish){.exponents = 3}, "there are 2");
    refuse(oscillator, &(wish){.over = "x=0:1"}, "parameters");
    refuse(oscillator, &(wish){.over = "d=1:1:5"}, "the same");
    refuse(oscillator, &(wish){.over = "d=1:2", .second = "d=2:3"}, "already");
    refuse(oscillator, &(wish){.over = "d=1:2:100000", .second = "k=1:2:100000"}, "points");
    refuse(oscillator, &(wish){.of = "y"}, "y");
    refuse(oscillator, &(wish){.carry = true}, "--over");
    refuse("model s \"s\"\nunits none\ncoord x\nparticle p : 1 at (x, 0)\n"
           "event out : x - 5 rising stop\nstart x' = 1\n",
           &(wish){0}, "out");
}

/* -------------------------------------------------------------------------------------- writing */

/* A rest where the energy is stationary, the top of a pendulum: 1 and -1, and the conserved energy
 * makes no zero. Beside the top it does. */
/* what a run would advise, another method, does not help here */
static void test_lyapunov__without_inertia(void **state) {
    (void)state;
    assert_true(open_study("model m \"m\"\nunits none\ncoord x, y\nparticle p : 1 at (x, 0)\n"
                           "potential (x - y)^2/2 + y^4/4\ndissipation 0.1*y'^2/2\n"
                           "start x = 1, y = 0.2\n",
                           &(wish){.time = 10}) == ZW_E_SINGULAR);
    assert_non_null(strstr(err.text, "no inertia"));
    assert_null(strstr(err.hint, "--method"));
    assert_non_null(strstr(err.hint, "state of first order"));
    close_study();
}

static void test_lyapunov__names_no_zeros_that_are_none(void **state) {
    (void)state;
    static const char *const start[] = {"0", "0.5"};
    for (int k = 0; k < 2; k++) {
        char model[200];
        snprintf(
            model, sizeof model,
            "model top\nunits none\ncoord phi\nperiodic phi\nkinetic phi'^2/2\npotential cos(phi)\n"
            "start phi = %s\n",
            start[k]);
        const zw_lyapunov_point *p = find(model, &(wish){.motions = 2, .time = 200});
        char *told = report_text(study);
        assert_int_equal(strstr(told, "Zero in theory") != NULL, k);
        if (k)
            assert_non_null(strstr(told, "along the motion, energy"));
        else
            assert_close(p->exponent[0], 1, 1e-6);
        free(told);
        close_study();
    }
}

static void test_lyapunov__writes(void **state) {
    (void)state;
    zw_table *t;
    const zw_lyapunov_point *p =
        find(MODEL("lorenz"), &(wish){.motions = 2, .time = 100, .of = "x"});
    assert_true(p->sampled > 0 && p->K > 0.8); /* in time, as the autocorrelation says */
    char *told = report_text(study), *json = report_json(study);
    assert_non_null(strstr(told, "lambda_3"));
    assert_non_null(strstr(told, "along the motion"));
    assert_non_null(strstr(told, "Verdict: chaotic"));
    assert_non_null(strstr(json, "\"verdict\": \"chaotic\""));
    free(told);
    free(json);
    assert_true(zw_lyapunov_table(study, NULL, &t, &err) >= 0);
    long rows = zw_table_rows(t);
    assert_int_equal(zw_table_find(t, "lambda_2"), 2);
    assert_close(zw_table_at(t, rows - 1, 0), 100, 1e-12);
    for (int i = 0; i < 3; i++) /* its last row is the result */
        assert_close(zw_table_at(t, rows - 1, 1 + i), p->exponent[i], 1e-12);
    zw_table_destroy(t);
    close_study();
}

static void test_lyapunov__memory_runs_out(void **state) {
    (void)state;
    long all = 0;
    for (int pass = 0; pass < 2; pass++)
        for (long n = pass ? 1 : 0; n <= all || n == 0; n += 1 + all / 60) {
            failing_allocator f = failing_allocator_make(n);
            zw_allocator alloc = failing_allocator_of(&f);
            zw_lyapunov_options o = zw_lyapunov_options_default();
            zw_system *s;
            zw_lyapunov *l = NULL;
            o.motions = 1;
            o.transient = o.time = 1;
            o.threads = 1;
            err = (zw_error){0};
            zw_context *own = zw_context_create(&alloc);
            zw_status status =
                own ? zw_model_parse(&s, own, oscillator, strlen(oscillator), "test", NULL, &err)
                    : ZW_E_MEMORY;
            if (status >= 0)
                status = zw_lyapunov_create(&l, s, NULL, &o, &err);
            if (status >= 0)
                status = zw_lyapunov_run(l, &err);
            zw_lyapunov_destroy(l);
            zw_context_destroy(own);
            if (n == 0)
                all = f.requests;
            else if (status >= 0 && f.failed && status != ZW_OK)
                fail_msg("request %ld of %ld: %d, %s", n, all, status, err.text);
            assert_int_equal(f.blocks, 0);
            if (n == 0)
                break;
        }
    assert_true(all > 50);
}

/* x = c + r th on a leaf, (1 + r^2) th'' + d th' + (k1 r^2 + k2) th = const: 2 exponents of -d/(2
 * (1 + r^2)), and none of the direction to other leaves */
static void test_lyapunov__on_the_leaf(void **state) {
    (void)state;
    static const char gear[] = "model gear\nunits none\nparam r = 0.5\ncoord x, th\n"
                               "kinetic (x'^2 + th'^2)/2\npotential (x - 1)^2 + 3*th^2/2\n"
                               "constraint gear : x' = r*th'\ndissipation 0.1*th'^2\n"
                               "start x = 0.1, th = 0.4\n";
    for (int alone = 0; alone < 2; alone++) {
        const zw_lyapunov_point *p =
            find(gear, &(wish){.time = 100,
                               .transient = 20,
                               .engine = alone ? ZW_LYAPUNOV_ALONE : ZW_LYAPUNOV_CHOSEN});
        assert_int_equal(p->n, 2);
        assert_close(p->exponent[0] + p->exponent[1], -0.2 / 1.25, 1e-6);
        assert_false(is_doubtful("leaf"));
        close_study();
    }
    /* it begins close to where it rests: what is left soon is the error of the steps, which has no
     * time scale */
    const zw_lyapunov_point *near =
        find("model gears\nunits none\ncoord q0, q1\nkinetic 1.545*q0'^2/2 + 1.15*q1'^2/2\n"
             "potential 2.687*(q0 + 0.8389)^2/2 + 1.807*(q1 - 0.7822)^2/2\n"
             "dissipation 0.3894*q0'^2/2 + 0.352*q1'^2/2\nconstraint g : q1' = 1.505*q0'\n"
             "start q0 = -0.8161, q1 = 0.7283\n",
             &(wish){.time = 0});
    double inertia = 1.545 + 1.505 * 1.505 * 1.15, drag = 0.3894 + 1.505 * 1.505 * 0.352;
    assert_int_equal(near->n, 2);
    assert_close(near->exponent[0], -drag / (2 * inertia), 1e-3);
    close_study();
    /* a ball in a bowl swings in a plane: what the others of its coordinates do is rounding */
    const zw_lyapunov_point *p =
        find("model ball\nparam m = 1 [kg], r = 0.1 [m], R = 0.9 [m], F = 4 [N]\n"
             "coord x, y, z [m]\nbody ball : sphere(m, r) at (x, y, z)\n"
             "gravity 9.81 [m/s^2] along -z\nforce wind at ball.origin = (F, 0, 0)\n"
             "rolling roll : sphere ball radius r on sphere centre (0, 0, R) radius R inside\n"
             "start x = 0, y = 0, z = r\n",
             &(wish){.time = 10, .transient = 5});
    assert_int_equal(p->n, 5);
    assert_false(is_doubtful("failed"));
    close_study();
    /* x - int exp(-y^2) dy has no formula */
    find("model hidden\nunits none\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential x^2 + y^2\n"
         "constraint c : x' = exp(-y^2)*y'\ndissipation 0.1*y'^2\nstart x = 0.3, y = 0.2\n",
         &(wish){.time = 100, .transient = 20});
    assert_true(is_doubtful("leaf"));
    close_study();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lyapunov__oscillator),
        cmocka_unit_test(test_lyapunov__saddle),
        cmocka_unit_test(test_lyapunov__redundant_coordinates),
        cmocka_unit_test(test_lyapunov__sleigh),
        cmocka_unit_test(test_lyapunov__rounding_is_no_motion),
        cmocka_unit_test(test_lyapunov__suslov),
        cmocka_unit_test(test_lyapunov__first_exponents),
        cmocka_unit_test(test_lyapunov__lorenz),
        cmocka_unit_test(test_lyapunov__in_step),
        cmocka_unit_test(test_lyapunov__roessler),
        cmocka_unit_test(test_lyapunov__driven_pendulum),
        cmocka_unit_test(test_lyapunov__henon_heiles),
        cmocka_unit_test(test_lyapunov__double_pendulum),
        cmocka_unit_test(test_lyapunov__rattleback),
        cmocka_unit_test(test_lyapunov__rattleback_has_six_directions),
        cmocka_unit_test(test_lyapunov__floquet),
        cmocka_unit_test(test_lyapunov__duffing),
        cmocka_unit_test(test_lyapunov__rates_that_jump),
        cmocka_unit_test(test_lyapunov__events_that_act),
        cmocka_unit_test(test_lyapunov__impacts),
        cmocka_unit_test(test_lyapunov__vibrating_table),
        cmocka_unit_test(test_lyapunov__sticking),
        cmocka_unit_test(test_lyapunov__relay),
        cmocka_unit_test(test_lyapunov__rests_on_two_feet),
        cmocka_unit_test(test_lyapunov__outlasts_transients),
        cmocka_unit_test(test_lyapunov__is_not_settled),
        cmocka_unit_test(test_lyapunov__woodpecker),
        cmocka_unit_test(test_lyapunov__rotations),
        cmocka_unit_test(test_lyapunov__tori),
        cmocka_unit_test(test_lyapunov__transient_chaos),
        cmocka_unit_test(test_lyapunov__tells_singular_coordinates),
        cmocka_unit_test(test_lyapunov__how_long_chaos_lasts),
        cmocka_unit_test(test_lyapunov__keeps_what_is_done),
        cmocka_unit_test(test_lyapunov__keeps_the_round_before),
        cmocka_unit_test(test_lyapunov__is_asked_within_blocks),
        cmocka_unit_test(test_lyapunov__over_a_parameter),
        cmocka_unit_test(test_lyapunov__chart),
        cmocka_unit_test(test_lyapunov__refuses),
        cmocka_unit_test(test_lyapunov__without_inertia),
        cmocka_unit_test(test_lyapunov__names_no_zeros_that_are_none),
        cmocka_unit_test(test_lyapunov__writes),
        cmocka_unit_test(test_lyapunov__on_the_leaf),
        cmocka_unit_test(test_lyapunov__memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
