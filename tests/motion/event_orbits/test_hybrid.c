/* SPDX-License-Identifier: MIT */
/* Orbits through events against closed forms of linear pieces, and against differences of runs. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "support/failing_allocator.h"
#include "support/orbits.h"
#include "support/test.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

static zw_context *ctx;
static zw_system *sys;
static zw_event_orbits *study;
static zw_error err;

static zw_status open_study(const char *text, const char *set, const char *over) {
    zw_model_options model = {.size = sizeof model, .nset = set ? 1 : 0, .set = &set};
    zw_event_orbits_options o = zw_event_orbits_options_default();
    err = (zw_error){0};
    study = NULL;
    ctx = zw_context_create(NULL);
    o.over = over;
    zw_status status = text[0] == '/'
                           ? zw_model_read(&sys, ctx, text, &model, &err)
                           : zw_model_parse(&sys, ctx, text, strlen(text), "test", &model, &err);
    if (status < 0)
        fail_msg("%s", err.text);
    return zw_event_orbits_create(&study, sys, &o, &err);
}

static void close_study(void) {
    zw_event_orbits_destroy(study);
    zw_context_destroy(ctx);
}

static const zw_segmented_motion *find(const char *text, const char *set, const char *over,
                                       double value) {
    int number;
    if (open_study(text, set, over) < 0 || zw_event_orbits_find(study, value, &number, &err) < 0)
        fail_msg("%s", err.text);
    return zw_event_orbits_at(study, number);
}

static void follow(const char *text, const char *set, const char *over, double value) {
    find(text, set, over, value);
    if (zw_event_orbits_follow(study, 0, &err) < 0)
        fail_msg("%s", err.text);
}

/* the n-th point at which something happens on the branch, NULL: there are not so many */
static const zw_segmented_motion *mark(zw_bifurcation event, int n) {
    for (int i = 0; i < zw_event_orbits_count(study); i++) {
        const zw_segmented_motion *m = zw_event_orbits_at(study, i);
        if (m->curve >= 0 && m->event_here == event && n-- == 0)
            return m;
    }
    return NULL;
}

static int count(zw_bifurcation event) {
    int n = 0;
    while (mark(event, n))
        n++;
    return n;
}

static double sum_of(const zw_segmented_motion *m) {
    double sum = 0;
    for (int i = 0; i < m->nmultiplier; i++)
        sum += m->re[i];
    return sum;
}

/* the product of at most two multipliers */
static double product_of(const zw_segmented_motion *m) {
    assert_int_equal(m->nmultiplier, 2);
    return m->re[0] * m->re[1] - m->im[0] * m->im[1];
}

/* ---------------------------------------------------------------------------- impact oscillator */

typedef struct impact {
    double t, speed, trace,
        det; /* of the impact: when, with which velocity behind it; of the monodromy matrix */
} impact;

/* x'' + 2 z x' + x = cos(W t) with a wall at s: y = x - x_p moves by the matrix of the free
 * oscillation over a period, so that (s - X, -V) = v k with the linear answer (X, V) at the impact,
 * of known amplitude */
static impact one_impact(double z, double W, double s, double e) {
    double w = sqrt(1 - z * z), P = 2 * M_PI / W, c = cos(w * P), d = sin(w * P), f = exp(-z * P);
    double A[4] = {f * (c + z / w * d), f * d / w, -f * d / w, f * (c - z / w * d)};
    double a = A[0] - 1, b = A[1], g = A[2], h = A[3] - 1, det = a * h - b * g, r1 = A[1],
           r2 = A[3] + 1 / e;
    double k1 = -(h * r1 - b * r2) / det, k2 = -(-g * r1 + a * r2) / det;
    double D = (1 - W * W) * (1 - W * W) + 4 * z * z * W * W, ac = (1 - W * W) / D,
           as = 2 * z * W / D, R2 = 1 / D;
    /* (s - k1 v)^2 + (k2 v/W)^2 = R2 */
    double qa = k1 * k1 + k2 * k2 / (W * W), qb = -2 * s * k1, qc = s * s - R2,
           root = sqrt(qb * qb - 4 * qa * qc);
    double v = fmin((-qb + root) / (2 * qa), (-qb - root) / (2 * qa));
    double X = s - k1 * v, V = -k2 * v;
    /* X = ac cos + as sin, V/W = -ac sin + as cos */
    double co = (ac * X + as * V / W) / R2, si = (as * X - ac * V / W) / R2;
    double before = -v / e, a_before = co - 2 * z * before - s, a_behind = co - 2 * z * v - s;
    impact out = {.t = atan2(si, co) / W, .speed = v};
    /* saltation (-e, 0; (a_behind + e a_before)/v_before, -e) times A */
    double q = (a_behind + e * a_before) / before;
    out.trace = -e * A[0] + q * A[1] - e * A[3];
    out.det = e * e * (A[0] * A[3] - A[1] * A[2]);
    return out;
}

static void check_impact(const zw_segmented_motion *m, double W, double s) {
    impact i = one_impact(0.05, W, s, 0.8);
    double late = (m->start - i.t) / m->period;
    assert_string_equal(m->signature, "impact");
    assert_close(m->period, 2 * M_PI / W, 1e-13);
    assert_true(fabs(late - round(late)) < 1e-10);
    assert_close(m->unknown[0], s, 1e-11);
    assert_close(m->unknown[1], i.speed, 1e-10);
    assert_close(sum_of(m), i.trace, 1e-9);
    assert_close(product_of(m), i.det, 1e-9);
    assert_true(m->accuracy < 1e-10);
    assert_true(m->residual < 1e-10 && m->confirmed < 1e-8);
}

static void test_hybrid__impact_oscillator(void **state) {
    (void)state;
    static const double frequency[] = {1.8, 2, 2.3, 2.6};
    for (int i = 0; i < 4; i++) {
        char set[40];
        snprintf(set, sizeof set, "Omega=%.17g", frequency[i]);
        check_impact(find(MODEL("impact_oscillator"), set, NULL, NAN), frequency[i], 0);
        close_study();
    }
    check_impact(find(MODEL("impact_oscillator"), "Omega=2", "sigma=0:1", 0.1), 2, 0.1);
    close_study();
}

/* the period doubles where 1 + trace + det = 0 */
static void test_hybrid__impact_doubling(void **state) {
    (void)state;
    follow(MODEL("impact_oscillator"), "Omega=2", "Omega=1.6:3.2", 2);
    assert_int_equal(count(ZW_BIFURCATION_FLIP), 1);
    assert_int_equal(
        count(ZW_BIFURCATION_FOLD) + count(ZW_BIFURCATION_GRAZE) + count(ZW_BIFURCATION_BRANCH), 0);
    double low = 2.4, high = 2.9;
    for (int k = 0; k < 60; k++) {
        impact i = one_impact(0.05, 0.5 * (low + high), 0, 0.8);
        *(1 + i.trace + i.det > 0 ? &low : &high) = 0.5 * (low + high);
    }
    assert_close(mark(ZW_BIFURCATION_FLIP, 0)->value, low, 1e-9);
    for (int i = 0; i < zw_event_orbits_count(study); i++) {
        const zw_segmented_motion *m = zw_event_orbits_at(study, i);
        impact exact = one_impact(0.05, m->value, 0, 0.8);
        assert_close(sum_of(m), exact.trace, 1e-8);
        assert_close(m->unknown[1], exact.speed, 1e-9);
    }
    close_study();
}

/* the linear answer touches the wall; from the side of impacts the same place, where they become
 * tangential */
static void test_hybrid__grazing(void **state) {
    (void)state;
    const char *why;
    double amplitude = 1 / hypot(1 - 4, 2 * 0.05 * 2);
    follow(MODEL("impact_oscillator"), "Omega=2", "sigma=0.2:1", 1);
    assert_int_equal(count(ZW_BIFURCATION_GRAZE), 1);
    assert_close(mark(ZW_BIFURCATION_GRAZE, 0)->value, amplitude, 1e-9);
    assert_int_equal(mark(ZW_BIFURCATION_GRAZE, 0)->jumps, 0);
    zw_event_orbits_branch_end(study, 0, 0, &why);
    assert_non_null(strstr(why, "touches the event impact"));
    close_study();
    follow(MODEL("impact_oscillator"), "Omega=2", "sigma=0:1", 0.1);
    assert_close(mark(ZW_BIFURCATION_GRAZE, 0)->value, amplitude, 1e-8);
    assert_int_equal(mark(ZW_BIFURCATION_GRAZE, 0)->jumps, 1);
    zw_event_orbits_branch_end(study, 0, 1, &why);
    assert_non_null(strstr(why, "impact is met tangentially"));
    close_study();
}

/* Beside grazing a multiplier grows without bound, like the inverse of the speed of impact: it
 * passes -1 so near to it that one step goes over both. */
static void test_hybrid__doubles_beside_grazing(void **state) {
    (void)state;
    double low = 0.33, high = 1 / hypot(1 - 4, 2 * 0.05 * 2);
    for (int i = 0; i < 60; i++) {
        double s = 0.5 * (low + high);
        impact at = one_impact(0.05, 2, s, 0.8);
        *(1 + at.trace + at.det > 0 ? &low : &high) = s;
    }
    follow(MODEL("impact_oscillator"), "Omega=2", "sigma=0.1:0.6", 0.2);
    assert_int_equal(count(ZW_BIFURCATION_FLIP), 1);
    assert_close(mark(ZW_BIFURCATION_FLIP, 0)->value, low, 1e-9);
    assert_int_equal(count(ZW_BIFURCATION_GRAZE), 1);
    close_study();
}

/* Two that know nothing of each other: where the impact comes at the moment of a clock is known;
 * from both sides the branch ends there. */
static void test_hybrid__events_meet(void **state) {
    (void)state;
    char text[600];
    double P = M_PI, at = one_impact(0.05, 2, 0.2, 0.8).t;
    snprintf(text, sizeof text,
             "model meet\nunits none\nparam sigma = 0, P = pi, T = %.17g\ncoord x, y\n"
             "kinetic (x'^2 + y'^2)/2\npotential (x^2 + y^2)/2\n"
             "force (x) = cos(2*t) - 0.1*x'\nforce (y) = -y'\nstart x = -0.5\n"
             "event impact : sigma - x falling, set x' = -0.8*x'\n"
             "event kick : every P from T, set y' = y' + 1\n",
             at - P * floor(at / P));
    for (int side = 0; side < 2; side++) {
        const char *why;
        follow(text, NULL, "sigma=0.1:0.3", side ? 0.28 : 0.12);
        assert_int_equal(count(ZW_BIFURCATION_GRAZE), 1);
        assert_close(mark(ZW_BIFURCATION_GRAZE, 0)->value, 0.2, 1e-9);
        assert_int_equal(zw_event_orbits_branch_end(study, 0, !side, &why), ZW_CONT_ASKED);
        assert_non_null(strstr(why, " meet"));
        for (int i = 0; i < zw_event_orbits_count(study); i++)
            assert_true((zw_event_orbits_at(study, i)->value - 0.2) * (side ? 1 : -1) > -1e-9);
        close_study();
    }
}

/* from impacts to none, and back */
static void test_hybrid__beyond_grazing(void **state) {
    (void)state;
    double touch = 0.3 * hypot(1 - 4, 2 * 0.05 * 2);
    const char *why;
    const char *set[] = {"sigma=0.3", "Omega=2"};
    zw_model_options model = {.size = sizeof model, .nset = 2, .set = set};
    zw_event_orbits_options o = zw_event_orbits_options_default();
    o.over = "F=0.5:1.5";
    ctx = zw_context_create(NULL);
    err = (zw_error){0};
    assert_int_equal(zw_model_read(&sys, ctx, MODEL("impact_oscillator"), &model, &err), ZW_OK);
    if (zw_event_orbits_create(&study, sys, &o, &err) < 0 ||
        zw_event_orbits_find(study, 1, NULL, &err) < 0 ||
        zw_event_orbits_follow(study, 0, &err) < 0 || zw_event_orbits_beyond(study, 3, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(zw_event_orbits_branches(study), 2);
    assert_int_equal(count(ZW_BIFURCATION_GRAZE), 2);
    assert_close(mark(ZW_BIFURCATION_GRAZE, 0)->value, touch, 1e-8);
    assert_close(mark(ZW_BIFURCATION_GRAZE, 1)->value, touch, 1e-8);
    zw_event_orbits_branch_end(study, 0, 0, &why);
    assert_non_null(strstr(why, "leads to the events none"));
    zw_event_orbits_branch_end(study, 1, 1, &why);
    assert_non_null(strstr(why, "leads to the events impact"));
    close_study();
}

/* ------------------------------------------------------------------------------- bouncing table */

/* The drive is in the event alone. Birth, phase, multipliers and doubling in closed form (see the
 * model). */
static void test_hybrid__bouncing_table(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        double e = k ? 0.7 : 0.5, least = M_PI * (1 - e) / (1 + e),
               twice = hypot(least, 2 * (1 + e * e) / ((1 + e) * (1 + e)));
        follow(MODEL("bouncing_table"), k ? "e=0.7" : NULL, "Gamma=0.3:2.2", k ? 0.75 : 1.2);
        assert_int_equal(count(ZW_BIFURCATION_FOLD), 1);
        assert_int_equal(count(ZW_BIFURCATION_FLIP), 1);
        assert_close(mark(ZW_BIFURCATION_FOLD, 0)->value, least, 1e-9);
        assert_close(mark(ZW_BIFURCATION_FLIP, 0)->value, twice, 1e-9);
        for (int i = 0; i < zw_event_orbits_count(study); i++) {
            const zw_segmented_motion *m = zw_event_orbits_at(study, i);
            assert_close(cos(m->start), least / m->value, 1e-8);
            assert_close(m->unknown[1], M_PI, 1e-9); /* half of the period times g */
            assert_close(sum_of(m), 1 + e * e - (1 + e) * (1 + e) * m->value * sin(m->start), 1e-8);
        }
        close_study();
    }
}

/* the same as a contact: no grazing is seen in a flight of one step */
static void test_hybrid__table_as_contact(void **state) {
    (void)state;
    double e = 0.5, least = M_PI * (1 - e) / (1 + e),
           twice = hypot(least, 2 * (1 + e * e) / ((1 + e) * (1 + e)));
    follow("model table\nunits none\nparam e = 0.5, Gamma = 1.1\ncoord y\nkinetic y'^2/2\n"
           "potential y\nstart y = 3, y' = 3\n"
           "contact table : gap y - Gamma*sin(t), law newton(e)\n",
           NULL, "Gamma=0.9:2.2", 1.1);
    assert_int_equal(count(ZW_BIFURCATION_GRAZE), 0);
    assert_int_equal(count(ZW_BIFURCATION_FOLD), 1);
    assert_int_equal(count(ZW_BIFURCATION_FLIP), 1);
    assert_close(mark(ZW_BIFURCATION_FOLD, 0)->value, least, 1e-9);
    assert_close(mark(ZW_BIFURCATION_FLIP, 0)->value, twice, 1e-9);
    close_study();
}

/* A ceiling that moves quickly, in a flight that the method does in one step: y = A sin t0 + pi s -
 * s^2/2 with s = t - t0, cos t0 = pi/(3 A), touches C + D cos(n t) from below. */
static double touching_ceiling(double A, double D, int n) {
    double t0 = acos(M_PI / (3 * A)), highest = -INFINITY, best = 0;
    for (int i = 0; i <= 20000; i++) {
        double s = 2 * M_PI * i / 20000, y = M_PI * s - s * s / 2 - D * cos(n * (t0 + s));
        if (y > highest) {
            highest = y;
            best = s;
        }
    }
    for (int i = 0; i < 20; i++)
        best -=
            (M_PI - best + n * D * sin(n * (t0 + best))) / (-1 + n * n * D * cos(n * (t0 + best)));
    return A * sin(t0) + M_PI * best - best * best / 2 - D * cos(n * (t0 + best));
}

static void test_hybrid__quick_ceiling(void **state) {
    (void)state;
    static const int times[] = {2, 4, 8, 40};
    for (int i = 0; i < 4; i++) {
        char set[20];
        snprintf(set, sizeof set, "n=%d", times[i]);
        follow("model ceiling\nunits none\nparam e = 0.5, A = 1.2, C = 9, D = 0.5, n = 4\ncoord y\n"
               "kinetic y'^2/2\npotential y\nstart y = 3, y' = 3\n"
               "event impact : y - A*sin(t) falling, set y' = -e*y' + (1 + e)*A*cos(t)\n"
               "event ceil : C + D*cos(n*t) - y falling, set y' = -e*y' - (1 + e)*n*D*sin(n*t)\n",
               set, "C=5:9", 9);
        assert_int_equal(count(ZW_BIFURCATION_GRAZE), 1);
        assert_close(mark(ZW_BIFURCATION_GRAZE, 0)->value, touching_ceiling(1.2, 0.5, times[i]),
                     1e-8);
        close_study();
    }
}

/* an event that ends motions: the ball rises to sqrt(Gamma^2 - (pi/3)^2) + pi^2/2 */
static void test_hybrid__stop(void **state) {
    (void)state;
    const char *why;
    follow("model ceiling\nunits none\nparam e = 0.5, Gamma = 1.2\ncoord y\nkinetic y'^2/2\n"
           "potential y\nstart y = 2.058, y' = -2.631\n"
           "event impact : y - Gamma*sin(t) falling, set y' = -e*y' + (1 + e)*Gamma*cos(t)\n"
           "event ceil : y - 6 rising stop\n",
           NULL, "Gamma=1.1:2", 1.2);
    assert_int_equal(count(ZW_BIFURCATION_GRAZE), 1);
    assert_close(mark(ZW_BIFURCATION_GRAZE, 0)->value, hypot(M_PI / 3, 6 - M_PI * M_PI / 2), 1e-9);
    assert_int_equal(zw_event_orbits_branch_end(study, 0, 1, &why), ZW_CONT_ASKED);
    assert_non_null(strstr(why, "touches the event ceil"));
    close_study();
}

/* ---------------------------------------------------------------------------------------- turns */

#define ROTOR(force)                                                                               \
    "model rotor\nunits none\nparam c = 0.2, M = 1, J = 1.5, W = 2.3\ncoord phi\nperiodic phi\n"   \
    "kinetic phi'^2/2\nforce (phi) = M - c*phi'" force "\nstart phi = 0, phi' = 2.3\n"             \
    "event brake : phi - 1 rising, set phi' = phi' - J\n"

static void check_turn(const zw_segmented_motion *m) {
    zw_table *rows;
    double gap, v = m->unknown[1];
    char *text = event_orbits_text(study);
    assert_non_null(strstr(text, "phi makes 1 turn\n"));
    free(text);
    assert_close(m->unknown[0], 1, 1e-10);
    /* damping, and the saltation matrix at the brake */
    assert_close(product_of(m), exp(-0.2 * m->period) * v / (v + 1.5), 1e-9);
    assert_true(m->measure[0].max - m->measure[0].min < 1);
    assert_int_equal(zw_event_orbits_motion_table(study, 0, 100, NULL, &rows, &gap, &err), ZW_OK);
    assert_true(gap < 1e-7);
    zw_table_destroy(rows);
}

static void test_hybrid__turns(void **state) {
    (void)state;
    const zw_segmented_motion *m = find(ROTOR(""), NULL, NULL, NAN);
    double c = 0.2, P = 2 * M_PI * c + 1.5, less = -1.5 / (1 - exp(-c * P));
    assert_close(m->period, P, 1e-11); /* M P = c 2 pi + J */
    assert_close(m->unknown[1], 1 / c + less, 1e-10);
    assert_close(m->measure[0].mean,
                 1 + P / (2 * c) + less / c * (1 - (1 - exp(-c * P)) / (c * P)) - M_PI, 1e-9);
    check_turn(m);
    close_study();
    m = find(ROTOR(" + sin(W*t - phi)"), NULL, NULL, NAN); /* locked to a drive */
    assert_close(m->period, 2 * M_PI / 2.3, 1e-12);
    check_turn(m);
    close_study();
}

/* the same among 300 further parameters */
static void test_hybrid__turns_of_a_large_model(void **state) {
    (void)state;
    static char text[8000];
    size_t n = (size_t)snprintf(text, sizeof text, "%s", ROTOR(""));
    for (int i = 0; i < 300; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "param other%d = 0\n", i);
    check_turn(find(text, NULL, NULL, NAN));
    close_study();
}

/* ------------------------------------------------------------------------- switched constraints */

static void test_hybrid__stick_slip(void **state) {
    (void)state;
    follow(MODEL("stick_slip"), NULL, "v=0.05:2", 0.2);
    assert_true(zw_event_orbits_count(study) > 20);
    for (int i = 0; i < zw_event_orbits_count(study); i++) {
        const zw_segmented_motion *m = zw_event_orbits_at(study, i);
        double v = m->value, exact = 2 * 0.5 / v + 2 * (M_PI - atan(0.5 / v));
        assert_close(m->period, exact, 1e-9);
        assert_close(m->measure[0].max, 0.5 + hypot(0.5, v), 1e-9);
        assert_true(m->trivial < 1e-9);
    }
    assert_string_equal(zw_event_orbits_at(study, 0)->signature, "tear, catch");
    close_study();
}

/* Without a difference of the two frictions nothing sticks. Beyond that the equations of the
 * segments have solutions that stick for no time, of which none is a motion. */
static void test_hybrid__stick_slip_ends(void **state) {
    (void)state;
    const char *ranges[] = {"F_s=0.3:1", "F_s=0.6:0.3", "F_s=3:0.49"};
    for (int k = 0; k < 3; k++) {
        follow(MODEL("stick_slip"), NULL, ranges[k], k == 1 ? 0.6 : 1);
        assert_int_equal(count(ZW_BIFURCATION_GRAZE), 1);
        assert_close(mark(ZW_BIFURCATION_GRAZE, 0)->value, 0.5, 1e-8);
        for (int i = 0; i < zw_event_orbits_count(study); i++) {
            const zw_segmented_motion *m = zw_event_orbits_at(study, i);
            double d = m->value - 0.5;
            assert_true(d > -1e-8);
            assert_close(m->period, 2 * d / 0.2 + 2 * (M_PI - atan(d / 0.2)), 1e-9);
        }
        close_study();
    }
}

/* A ball without restitution on the table: it is held by a constraint that moves, until the table
 * falls faster than it. */
static const char plastic[] =
    "model plastic\nunits none\nparam G = 1.5\ncoord y\nkinetic y'^2/2\npotential y\n"
    "constraint table : y = G*sin(t)\n"
    "event lift : lambda(table) falling, switch off table\n"
    "event land : y - G*sin(t) falling, switch on table\n";

static void test_hybrid__moving_constraint(void **state) {
    (void)state;
    const zw_segmented_motion *m = find(plastic, NULL, "G=1.2:3", 1.5);
    double leave = asin(1 / 1.5), low = 0.5, high = 6;
    /* y - y_table of the flight that begins there */
    for (int k = 0; k < 60; k++) {
        double s = 0.5 * (low + high), y = 1.5 * sin(leave) + 1.5 * cos(leave) * s - s * s / 2;
        *(y > 1.5 * sin(leave + s) ? &low : &high) = s;
    }
    int lift = strcmp(sys->event[m->event[0]].name, "lift") == 0 ? 0 : 1, stride = 3;
    double ends = m->start + (lift ? m->unknown[stride - 1] : 0) + m->unknown[lift * stride + 2];
    assert_int_equal(m->nsegment, 2);
    assert_true(fabs(remainder(ends - leave, 2 * M_PI)) < 1e-9);
    assert_close(m->unknown[(1 - lift) * stride + 2], low, 1e-9);
    assert_int_equal(m->verdict, ZW_FLOQUET_STABLE);
    close_study();
}

/* ----------------------------------------------------------------------------------- autonomous */

static void test_hybrid__rimless_wheel(void **state) {
    (void)state;
    follow(MODEL("rimless_wheel"), NULL, "slope=0.08:0.3", 0.15);
    double alpha = M_PI / 8;
    assert_true(zw_event_orbits_count(study) > 20);
    for (int i = 0; i < zw_event_orbits_count(study); i++) {
        const zw_segmented_motion *m = zw_event_orbits_at(study, i);
        double before = sqrt(4 * 9.81 * sin(alpha) * sin(m->value)) / sin(2 * alpha);
        assert_close(m->unknown[1], cos(2 * alpha) * before, 1e-9);
        assert_int_equal(m->nmultiplier, 2);
        assert_close(m->re[1], cos(2 * alpha) * cos(2 * alpha), 1e-7);
        assert_true(m->trivial < 1e-7);
        /* the time of a step by quadrature: from -alpha to alpha about the slope */
        double sum = 0, n = 2000;
        for (int k = 0; k < n; k++) {
            double th = m->value - alpha + 2 * alpha * (k + 0.5) / n,
                   w = sqrt(m->unknown[1] * m->unknown[1] +
                            2 * 9.81 * (cos(m->value - alpha) - cos(th)));
            sum += 2 * alpha / n / w;
        }
        assert_close(m->period, sum, 1e-5);
    }
    close_study();
}

static void test_hybrid__escapement(void **state) {
    (void)state;
    follow(MODEL("escapement"), NULL, "zeta=0.02:0.5", 0.05);
    for (int i = 0; i < zw_event_orbits_count(study); i++) {
        const zw_segmented_motion *m = zw_event_orbits_at(study, i);
        double w = sqrt(1 - m->value * m->value), q = exp(-2 * M_PI * m->value / w);
        assert_close(m->period, 2 * M_PI / w, 1e-10);
        assert_close(m->unknown[1], 0.3 / (1 - q), 1e-9);
        assert_close(m->re[1], q, 1e-9);
    }
    assert_true(zw_event_orbits_count(study) > 20);
    close_study();
}

/* --------------------------------------------------------------------------------------- clocks */

/* a damped oscillator that a clock kicks: x' jumps by J every T; the state behind the kick solves
 * (1 - A) y = (0, J) */
static void test_hybrid__clock(void **state) {
    (void)state;
    const zw_segmented_motion *m =
        find("model kicked\nunits none\nparam T = 2, J = 0.5\ncoord x\nkinetic x'^2/2\n"
             "potential x^2/2\nforce (x) = -0.2*x'\nstart x = 0\n"
             "event kick : every T, set x' = x' + J\n",
             NULL, "T=1:3", 2);
    double z = 0.1, w = sqrt(1 - z * z), P = 2, c = cos(w * P), d = sin(w * P), f = exp(-z * P);
    double a = 1 - f * (c + z / w * d), b = -f * d / w, g = f * d / w, h = 1 - f * (c - z / w * d),
           det = a * h - b * g;
    assert_close(m->unknown[0], -b * 0.5 / det, 1e-10);
    assert_close(m->unknown[1], a * 0.5 / det, 1e-10);
    assert_close(product_of(m), f * f, 1e-10);
    assert_close(m->period, 2, 1e-13);
    if (zw_event_orbits_follow(study, 0, &err) < 0)
        fail_msg("%s", err.text);
    for (int i = 0; i < zw_event_orbits_count(study); i++)
        assert_close(zw_event_orbits_at(study, i)->period, zw_event_orbits_at(study, i)->value,
                     1e-12);
    close_study();
}

/* every 2 s, and a drive of 3 s: both come back after 6 s */
static void test_hybrid__clock_and_drive(void **state) {
    (void)state;
    zw_table *rows;
    double gap;
    const zw_segmented_motion *m =
        find("model two\nunits none\nparam c = 0.3, J = 0.5, T = 2, W = 2*pi/3\ncoord x\n"
             "kinetic x'^2/2\npotential x^2/2\nforce (x) = -c*x' + 0.3*cos(W*t)\nstart x = 0.3\n"
             "event push : every T, set x' = x' + J\n",
             NULL, NULL, NAN);
    assert_close(m->period, 6, 1e-12);
    assert_string_equal(m->signature, "push, push, push");
    assert_close(product_of(m), exp(-0.3 * 6), 1e-10);
    assert_close(m->measure[0].mean, 0.5 / 2, 1e-10); /* the spring carries the pushes */
    assert_true(m->confirmed < 1e-8);
    /* the run does not begin with the push once more */
    assert_int_equal(zw_event_orbits_motion_table(study, 0, 100, NULL, &rows, &gap, &err), ZW_OK);
    assert_true(gap < 1e-7);
    zw_table_destroy(rows);
    close_study();
}

/* ---------------------------------------------------------------------------- as forced motions */

static void test_hybrid__steady_by_shooting(void **state) {
    (void)state;
    const char *set = "Omega=2";
    zw_model_options model = {.size = sizeof model, .nset = 1, .set = &set};
    zw_forced_options o = zw_forced_options_default();
    zw_forced *f;
    int found;
    err = (zw_error){0};
    ctx = zw_context_create(NULL);
    assert_int_equal(zw_model_read(&sys, ctx, MODEL("impact_oscillator"), &model, &err), ZW_OK);
    assert_int_equal(zw_forced_create(&f, sys, &o, &err), ZW_OK);
    if (zw_forced_shoot(f, NAN, 1, 6, &found, &err) < 0)
        fail_msg("%s", err.text);
    const zw_forced_motion *m = zw_forced_motion_at(f, 0);
    impact i = one_impact(0.05, 2, 0, 0.8);
    assert_int_equal(found, 1);
    assert_string_equal(m->events, "impact");
    assert_close(m->re[0] + m->re[1], i.trace, 1e-9);
    /* the mean of the force: that of the spring balances the impulse -(1 + 1/e) v per period,
     * damping has none */
    assert_close(m->measure[0].mean * M_PI, i.speed * (1 + 1 / 0.8), 1e-9);
    /* the state at t = 0 is on the motion: a run from there meets the wall at the time of the
     * impact */
    zw_table *rows;
    double gap;
    assert_int_equal(zw_forced_motion_table(f, 0, 100, NULL, &rows, &gap, &err), ZW_OK);
    assert_true(gap < 1e-7);
    zw_table_destroy(rows);
    assert_int_equal(zw_forced_find(f, NAN, NULL, &err), ZW_E_OPTION);
    assert_non_null(strstr(err.text, "does not know of events"));
    zw_forced_destroy(f);
    zw_context_destroy(ctx);
}

/* ------------------------------------------------------------------ against differences of runs */

/* Nonlinear, with a wall that moves, restitution that depends on the speed, and a memory that
 * impacts change by and by: three multipliers. */
static const char worn[] =
    "model worn\nunits none\nparam W = 2.1, e = 0.7, worn = 0.1\ncoord x\nkinetic x'^2/2\n"
    "potential x^2/2 + 0.1*x^4\nforce (x) = -0.1*x' + 1.2*cos(W*t) - worn*x\n"
    "let wall = 0.05*sin(W*t)\nlet speed = 0.05*W*cos(W*t)\nstart x = -0.5\n"
    "event hit : wall - x falling,\n"
    "    set x' = -e*(x' - speed)/(1 + 0.1*(x' - speed)) + speed, worn = 0.6*worn + 0.1*x'^2\n";

/* state and memory after `time` from y at t0, by a simulation */
static void run_from(const double *y, double t0, double time, double *out) {
    zw_sim_options o = zw_sim_options_default();
    zw_sim *sim;
    zw_sim_number start[] = {{.name = "x", .value = y[0]}, {.name = "x'", .value = y[1]}},
                  param = {.name = "worn", .value = y[2]};
    zw_sim_numbers numbers = {.nparam = 1, .param = &param, .nstart = 2, .start = start};
    o.numbers = &numbers;
    o.start = t0;
    o.until = t0 + time;
    o.step_out = time;
    o.run.rtol = 1e-12;
    o.run.atol = 1e-14;
    if (zw_sim_create(&sim, sys, NULL, &o, &err) < 0 || zw_sim_run(sim, &err) < 0)
        fail_msg("%s", err.text);
    const zw_table *rows = zw_sim_rows(sim), *events = zw_sim_events(sim);
    long last = zw_table_rows(rows) - 1;
    out[0] = zw_table_at(rows, last, 1);
    out[1] = zw_table_at(rows, last, 2);
    out[2] = y[2];
    for (long i = 0; i < zw_table_rows(events); i++) {
        double v = zw_table_at(events, i, zw_table_find(events, "x'"));
        out[2] = 0.6 * out[2] + 0.1 * v * v;
    }
    zw_sim_destroy(sim);
}

static void test_hybrid__multipliers_by_differences(void **state) {
    (void)state;
    const zw_segmented_motion *m = find(worn, NULL, NULL, NAN);
    double M[3][3], y[3], half = 0.5 * m->unknown[3];
    assert_string_equal(m->signature, "hit");
    assert_int_equal(m->nmultiplier, 3);
    run_from(m->unknown, m->start, half, y); /* where no event is near */
    for (int j = 0; j < 3; j++) {
        double h = 1e-5, up[3], down[3], a[3], b[3];
        memcpy(up, y, sizeof up);
        memcpy(down, y, sizeof down);
        up[j] += h;
        down[j] -= h;
        run_from(up, m->start + half, m->period, a);
        run_from(down, m->start + half, m->period, b);
        for (int i = 0; i < 3; i++)
            M[i][j] = (a[i] - b[i]) / (2 * h);
    }
    /* the three coefficients of the characteristic polynomial */
    double trace = M[0][0] + M[1][1] + M[2][2],
           minors = M[0][0] * M[1][1] - M[0][1] * M[1][0] + M[0][0] * M[2][2] - M[0][2] * M[2][0] +
                    M[1][1] * M[2][2] - M[1][2] * M[2][1],
           det = M[0][0] * (M[1][1] * M[2][2] - M[1][2] * M[2][1]) -
                 M[0][1] * (M[1][0] * M[2][2] - M[1][2] * M[2][0]) +
                 M[0][2] * (M[1][0] * M[2][1] - M[1][1] * M[2][0]);
    double complex r[3];
    for (int i = 0; i < 3; i++)
        r[i] = m->re[i] + m->im[i] * I;
    assert_close(creal(r[0] + r[1] + r[2]), trace, 1e-7);
    assert_close(creal(r[0] * r[1] + r[0] * r[2] + r[1] * r[2]), minors, 1e-7);
    assert_close(creal(r[0] * r[1] * r[2]), det, 1e-7);
    assert_true(m->accuracy < 1e-9);
    close_study();
}

/* ------------------------------------------------------------------------------------- contacts */

/* the impact oscillator with a contact in the place of the event: the same closed form, the same
 * grazing */
static void test_hybrid__contact(void **state) {
    (void)state;
    static const char text[] =
        "model wall\nunits none\nparam W = 2, s = 0.1\ncoord x\nkinetic x'^2/2\n"
        "potential x^2/2\nforce (x) = -0.1*x' + cos(W*t)\nstart x = -0.5\n"
        "contact wall : gap s - x, law newton(0.8)\n";
    const char *why;
    follow(text, NULL, "s=0:1", 0.1);
    const zw_segmented_motion *m = zw_event_orbits_at(study, 0);
    impact i = one_impact(0.05, 2, 0.1, 0.8);
    assert_string_equal(m->signature, "wall.hit");
    assert_close(m->unknown[1], i.speed, 1e-9);
    assert_close(sum_of(m), i.trace, 1e-8);
    assert_close(product_of(m), i.det, 1e-8);
    assert_close(mark(ZW_BIFURCATION_GRAZE, 0)->value, 1 / hypot(1 - 4, 2 * 0.05 * 2), 1e-8);
    zw_event_orbits_branch_end(study, 0, 1, &why);
    assert_non_null(strstr(why, "wall.hit is met tangentially"));
    close_study();
}

/* Coulomb's friction on a belt, with a pump: sticking ends where the force of the spring and the
 * pump is mu; slipping is a linear motion about x = mu, from (u, v) about it with u = -0.1 v to
 * where the velocity is v again */
static void test_hybrid__contact_sticks(void **state) {
    (void)state;
    const zw_segmented_motion *m =
        find("model belt\nunits none\nparam v = 0.2\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
             "potential y + x^2/2\nforce (x) = 0.1*x'\nstart x = 0.3, y = 0\n"
             "contact floor : gap y, slip (x' - v), law coulomb(0.5)\n",
             NULL, "v=0.1:1", 0.2);
    double z = -0.05, w = sqrt(1 - z * z), u = 0.1 * 0.2, low = 3, high = 6.6;
    for (int k = 0; k < 60; k++) { /* velocity of the free motion, from x - mu = u, x' = v on */
        double s = 0.5 * (low + high),
               v = exp(-z * s) * (0.2 * cos(w * s) - (u + z * 0.2) / w * sin(w * s));
        *(v < 0.2 ? &low : &high) = s;
    }
    double end = exp(-z * low) * (u * cos(w * low) + (0.2 + z * u) / w * sin(w * low));
    int sticks = strcmp(m->name[0], "floor.sticks") == 0 ? 1 : 0, stride = 5;
    assert_int_equal(m->nsegment, 2);
    assert_close(m->unknown[(1 - sticks) * stride + 4], low, 1e-8);
    assert_close(m->unknown[sticks * stride + 4], (u - end) / 0.2, 1e-8);
    assert_int_equal(m->verdict, ZW_FLOQUET_STABLE);
    close_study();
}

/* The woodpecker toy: nine changes of its three contacts in 0.1460 s (0.1462 s in the sources),
 * 19.4 mm per period; its multiplier by differences of simulations over a period. */
static void test_hybrid__woodpecker(void **state) {
    (void)state;
    const zw_segmented_motion *m = find(MODEL("woodpecker"), NULL, NULL, NAN);
    assert_string_equal(m->signature,
                        "upper.hit, beak.hit, upper.hit, upper.lifts, lower.hit, lower.hit, "
                        "lower.sticks, lower.slips, lower.lifts");
    assert_close(m->period, 0.1460, 1e-4);
    assert_non_null(m->drift);
    assert_close(m->drift[0], -19.4e-3, 5e-5);
    assert_true(m->trivial < 1e-8);
    /* behind lower.lifts the sleeve is free: where lower.sticks ends, phi_S' alone is free. Its
     * value there, one period later, in a run from a value beside it */
    double after[2];
    int k = 8, stride = 7;
    const double *z = m->unknown + (size_t)(k * stride); /* behind lower.slips */
    for (int side = 0; side < 2; side++) {
        zw_sim_options o = zw_sim_options_default();
        zw_sim *sim;
        zw_sim_number start[6];
        for (int i = 0; i < 6; i++)
            start[i] =
                (zw_sim_number){.index = i, .value = z[i] + (i == 5 ? (side ? -1e-4 : 1e-4) : 0)};
        zw_sim_numbers numbers = {.nstart = 6, .start = start};
        o.numbers = &numbers;
        o.contacts = ZW_SIM_CONTACTS_EVENTS;
        o.until = 1.02 * m->period;
        o.run.rtol = o.run.atol = 1e-10;
        if (zw_sim_create(&sim, sys, NULL, &o, &err) < 0 || zw_sim_run(sim, &err) < 0)
            fail_msg("%s", err.text);
        const zw_table *events = zw_sim_events(sim);
        char key[40];
        after[side] = NAN;
        for (long i = 0; i < zw_table_rows(events); i++) {
            snprintf(key, sizeof key, "event %.0f", zw_table_at(events, i, 0));
            const char *name = zw_table_get_note(events, key);
            if (name && strcmp(name, "lower.slips") == 0)
                after[side] = zw_table_at(events, i, zw_table_find(events, "phi_S'"));
        }
        zw_sim_destroy(sim);
    }
    assert_close((after[0] - after[1]) / 2e-4, m->re[1], 2e-3);
    close_study();
}

/* --------------------------------------------------------------------------------------- memory */

/* every request for memory fails once: nothing crashes, nothing is lost */
static void test_hybrid__memory(void **state) {
    (void)state;
    static const char text[] = "model clock\nunits none\nparam J = 0.3\ncoord x\nkinetic x'^2/2\n"
                               "potential x^2/2\nforce (x) = -0.4*x'\nstart x = 0.1, x' = 0.5\n"
                               "event push : x rising, set x' = x' + J\n";
    long step = 1, tried = 0;
    for (long n = 1;; n += step, tried++) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_context *own = zw_context_create(&alloc);
        zw_event_orbits_options o = zw_event_orbits_options_default();
        zw_event_orbits *h = NULL;
        zw_system *s = NULL;
        zw_error trouble = {0};
        int number;
        o.over = "J=0.29:0.31";
        o.step_max = 0.2;
        o.events = 30;
        zw_status status =
            own ? zw_model_parse(&s, own, text, sizeof text - 1, "test", NULL, &trouble)
                : ZW_E_MEMORY;
        long read = f.requests;
        if (status >= 0)
            status = zw_event_orbits_create(&h, s, &o, &trouble);
        if (status >= 0)
            status = zw_event_orbits_find(h, 0.3, &number, &trouble);
        if (status >= 0)
            status = zw_event_orbits_follow(h, number, &trouble);
        zw_event_orbits_destroy(h);
        zw_context_destroy(own);
        assert_int_equal(f.blocks, 0);
        assert_int_equal(f.bytes, 0);
        if (!f.failed)
            break;
        if (status != ZW_E_MEMORY)
            fail_msg("request %ld fails: status %d, %s", n, status, trouble.text);
        if (n == 1)
            n = read > 1 ? read : 1; /* the reader has tests of its own */
        step = 1 + n / 10;
    }
    assert_true(tried > 10);
}

/* ------------------------------------------------------------------------------ what is refused */

/* Two impacts of one kind in a period, of which one slides forwards and one backwards: each takes 2
 * pi mu, as its normal impulse is 2 pi. With X the linear answer x' at the first of them, w = X - 2
 * pi mu/(1 + q) behind it, q = e^(-2 pi c), and -w a period of the table later. */
static void test_hybrid__contact_slides_both_ways(void **state) {
    (void)state;
    double c = 0.1, A = 3, mu = 0.1, q = exp(-2 * M_PI * c);
    const zw_segmented_motion *m =
        find("model slide\nunits none\nparam e = 0.5, Gamma = 1.2, c = 0.1, A = 3, mu = 0.1\n"
             "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential y\nforce (x) = A*cos(t/2) - c*x'\n"
             "start y = 2.058, y' = -2.631, x' = 0\n"
             "contact table : gap y - Gamma*sin(t), slip x', law newton(e) + coulomb(mu)\n",
             NULL, NULL, NAN);
    assert_string_equal(m->signature, "table.hit, table.hit");
    double X = creal(A * cexp(I * m->start / 2) / (c + I / 2)),
           w = X - (X > 0 ? 1 : -1) * 2 * M_PI * mu / (1 + q);
    assert_close(cos(m->start), M_PI / 3 / 1.2, 1e-8);
    assert_close(m->unknown[2], w, 1e-8);
    assert_close(m->unknown[5 + 2], -w, 1e-8);
    assert_close(m->re[0], q * q, 1e-8);
    assert_true(m->confirmed < 1e-6);
    close_study();
}

#define KICKED(more, kick)                                                                         \
    "model kick\nunits none\nparam e = 0.8, J = 1" more                                            \
    "\ncoord y\nkinetic y'^2/2\npotential y\nstart y = 2, y' = 4\n"                                \
    "contact floor : gap y, law newton(e)\nevent lift : y - 1 rising, set " kick "\n"

/* A ball on a floor that gets a push J where it rises past the height 1 with the speed s: it comes
 * down with u^2 = (s + J)^2 + 2, and rises with s^2 = (e u)^2 - 2. With k = 1/e^2 - 1 that is k s^2
 * - 2 J s + 2 k - J^2 = 0: two orbits from the fold J = e sqrt(2) k on, the slow one up to J =
 * sqrt(2 k), where it just comes to the height; the multiplier is (s + J) e^2/s. */
static void test_hybrid__contact_and_event(void **state) {
    (void)state;
    double e = 0.8, k = 1 / (e * e) - 1;
    follow(KICKED("", "y' = y' + J"), NULL, "J=0.4:1.5", 1);
    assert_int_equal(count(ZW_BIFURCATION_FOLD), 1);
    assert_int_equal(count(ZW_BIFURCATION_GRAZE), 1);
    assert_close(mark(ZW_BIFURCATION_FOLD, 0)->value, e * sqrt(2) * k, 1e-9);
    assert_close(mark(ZW_BIFURCATION_GRAZE, 0)->value, sqrt(2 * k), 1e-8);
    int fast = 0, slow = 0;
    for (int i = 0; i < zw_event_orbits_count(study); i++) {
        const zw_segmented_motion *m = zw_event_orbits_at(study, i);
        assert_string_equal(m->signature, "floor.hit, lift");
        double J = m->value, root = sqrt(fmax(J * J - k * (2 * k - J * J), 0)),
               own = m->unknown[1] - J; /* behind the push */
        if (m->event_here == ZW_BIFURCATION_FOLD || m->event_here == ZW_BIFURCATION_GRAZE)
            continue;
        double s = fabs(own - (J + root) / k) < fabs(own - (J - root) / k) ? (J + root) / k
                                                                           : (J - root) / k,
               u = sqrt((s + J) * (s + J) + 2);
        *(s > J / k ? &fast : &slow) += 1;
        assert_close(own, s, 1e-8);
        assert_close(m->period, e * u - s + s + J + u, 1e-9);
        assert_close(product_of(m), (s + J) * e * e / s, 1e-6);
    }
    assert_true(fast > 10 && slow > 10);
    close_study();
}

/* the push remembers what it was: K goes to J by halves */
static void test_hybrid__contact_and_memory(void **state) {
    (void)state;
    double e = 0.8, k = 1 / (e * e) - 1, s = (1 + sqrt(1 - k * (2 * k - 1))) / k;
    const zw_segmented_motion *m =
        find(KICKED(", K = 0.7", "y' = y' + K, K = (K + J)/2"), NULL, NULL, NAN);
    assert_int_equal(m->nmultiplier, 3);
    assert_close(m->re[0], 1, 1e-9);
    assert_close(m->re[1], (s + 1) * e * e / s, 1e-9);
    assert_close(m->re[2], 0.5, 1e-9);
    close_study();
}

static void refused(const char *text, const char *words) {
    int number;
    zw_status status = open_study(text, NULL, NULL);
    if (status >= 0)
        status = zw_event_orbits_find(study, NAN, &number, &err);
    assert_true(status < 0);
    if (!strstr(err.text, words))
        fail_msg("'%s' instead of '%s'", err.text, words);
    close_study();
}

static void test_hybrid__refusals(void **state) {
    (void)state;
#define BALL "model ball\nunits none\ncoord y\nkinetic y'^2/2\npotential y\nstart y = 1\n"
    refused(BALL "event hit : y falling, set y' = -0.5*y'\n",
            "the event hit accumulates at t = 4.24");
    refused(BALL "event hit : y falling, set y' = 0\n", "the event hit has no lasting effect");
    refused(BALL "event hit : y falling, set y' = -y'\nevent low : y - 0.5 falling, stop\n",
            "the event low ends the motion");
    refused(BALL "event hit : y falling, set y' = -y'\nevent also : 2*y falling, set y = 0.1\n",
            "act at one moment");
    refused(BALL "event high : y - 2 falling, set y' = -y'\n", "leads to no orbit through events");
    refused("model two\nunits none\ncoord y\nkinetic y'^2/2\npotential y\nforce (y) = "
            "cos(t) + cos(sqrt(2)*t)\nstart y = 1\nevent hit : y falling, set y' = -0.5*y'\n",
            "no common period");
    refused("model ball\nunits none\ncoord y\nkinetic y'^2/2\npotential y\nstart y = 1\n"
            "contact floor : gap y, law newton(0.5)\n",
            "impacts of the contact floor accumulate");
    refused("model disc\nunits none\ncoord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential z\n"
            "start z = 0\ncontact floor : gap z, slip (x', y'), law coulomb(0.5)\n",
            "several velocities");
    refused("model ball\nunits none\ncoord y\nkinetic y'^2/2\npotential y\nstart y = 1\n"
            "constraint held off : y = 1\ncontact floor : gap y, law newton(0.5)\n"
            "event catch : y - 1 rising, switch on held\n",
            "switches a constraint");
    refused("model ball\nunits none\ncoord y\nkinetic y'^2/2\npotential y\nstart y = 1\n"
            "contact floor : gap y, law newton(0.5)\nevent kick : y - 1, set y' = y' + 1\n",
            "acts in both");
    /* M P - 2 pi c - J is not 0 with the period of the drive, whose mean is: no orbit, and an
     * end */
    refused(ROTOR(" + 0.3*sin(W*t)"), "no solution was found");
#undef BALL
}

/* A gear written by velocities keeps x - r th: with impacts, too, its orbit is that of the same by
 * positions. */
static void test_hybrid__gear_on_its_leaf(void **state) {
    (void)state;
#define GEAR(said)                                                                                 \
    "model gear\nunits none\nparam r = 0.5\ncoord x, th\nkinetic (x'^2 + th'^2)/2\n"               \
    "potential (x - 1)^2 + 1.5*th^2\ndissipation 0.2*th'^2\nforce (x) = cos(1.9*t)\n"              \
    "constraint gear : " said "\nstart x = 0.1, th = 0\n"                                          \
    "event hit : th - 0.3 rising, set th' = -0.7*th'\n"
    const zw_segmented_motion *m = find(GEAR("x = 0.1 + r*th"), NULL, NULL, NAN);
    double mean = m->measure[1].mean, min = m->measure[1].min;
    assert_int_equal(m->nmultiplier, 2);
    close_study();
    m = find(GEAR("x' = r*th'"), NULL, NULL, NAN);
    assert_close(m->measure[1].mean, mean, 1e-9);
    assert_close(m->measure[1].min, min, 1e-9);
    assert_int_equal(m->nmultiplier, 2);
    close_study();
#undef GEAR
}

/* ---------------------------------------------------------------------- transport on an incline */

/* Transport on an incline that vibrates along itself, s_p = A sin(w t): stuck but for the time in
 * which the incline goes back too fast. In its frame u'' = a(t) = A w^2 sin(w t) - g sin(al) + mu g
 * cos(al) from where a = 0 and falls to where u' = 0: the transport of a period is the integral of
 * u', with the end by bisection. */
static double transport(double mu, double *lasts) {
    const double A = 0.005, w = 30, g = 9.81, al = M_PI / 18, rest = g * (mu * cos(al) - sin(al)),
                 t1 = (M_PI + asin(rest / (A * w * w))) / w;
    double low = 1e-3, high = 2 * M_PI / w;
    for (int i = 0; i < 200; i++) { /* u'(t1 + d) */
        double d = 0.5 * (low + high), speed = A * w * (cos(w * t1) - cos(w * (t1 + d))) + rest * d;
        *(speed < 0 ? &low : &high) = d;
    }
    *lasts = low;
    return A * w * cos(w * t1) * low - A * (sin(w * (t1 + low)) - sin(w * t1)) +
           rest * low * low / 2;
}

#define TRANSPORT(law, force)                                                                      \
    "model transport\nparam m = 1 [kg], mu = 0.35, al = 10 [deg], A = 0.005 [m], w = 30 "          \
    "[rad/s], g = 9.81 [m/s^2]\ncoord s, n [m]\nparticle P : m at (s, 0, n)\n"                     \
    "force weight (s, n) = m*g*(-sin(al), -cos(al))" force "\n"                                    \
    "contact plane : gap n, slip " law ", law coulomb(mu)\nstart s' = 0.15 [m/s]\n"                \
    "observe half = s/2\n"

/* The first harmonic of s without its drift: s' - drift/T has that of s', which differs from 0 only
 * while the body slides, s' as in transport; in the frame at rest A sin(w t) comes to it. By
 * Simpson's rule; S such that s = Re(S exp(i w t)) + ... */
static double complex swing_without_drift(double mu, double lasts, bool at_rest) {
    enum { PARTS = 2000 };
    const double A = 0.005, w = 30, g = 9.81, al = M_PI / 18, rest = g * (mu * cos(al) - sin(al)),
                 t1 = (M_PI + asin(rest / (A * w * w))) / w;
    double complex sum = 0;
    for (int i = 0; i <= PARTS; i++) {
        double d = lasts * i / PARTS, t = t1 + d,
               speed = A * w * (cos(w * t1) - cos(w * t)) + rest * d,
               weight = i == 0 || i == PARTS ? 1
                        : i % 2              ? 4
                                             : 2;
        sum += weight * lasts / (3. * PARTS) * speed * cexp(-I * w * t);
    }
    return w / M_PI * sum / (I * w) - (at_rest ? I * A : 0);
}

/* A surface that moves drives the model as a force does; what the coordinate gains in a period is
 * reported. */
static void test_hybrid__surface_drives(void **state) {
    static const char *const texts[] = {TRANSPORT("(s' - A*w*cos(w*t))", ""),
                                        TRANSPORT("s'", " + (m*A*w^2*sin(w*t), 0 [N])")};
    double lasts, drift = transport(0.35, &lasts);
    (void)state;
    for (int k = 0; k < 2; k++) {
        const zw_segmented_motion *m = find(texts[k], NULL, NULL, NAN);
        assert_false(zw_event_orbits_autonomous(study));
        assert_close(m->period, 2 * M_PI / 30, 1e-12);
        assert_int_equal(m->nsegment, 2);
        assert_non_null(m->drift);
        assert_close(m->drift[0], drift, 1e-8);
        assert_true(m->drift[1] == 0);
        int slides = strcmp(m->name[0], "plane.sticks") == 0 ? 0 : 1, stride = 4 + 1;
        assert_close(m->unknown[slides * stride + 4], lasts, 1e-8);
        char *text = event_orbits_text(study);
        assert_non_null(strstr(text, "s drifts by -0.01034793"));
        assert_non_null(strstr(text, "half drifts by -0.00517396"));
        double complex swing = swing_without_drift(0.35, lasts, k == 0);
        for (int i = 0; i < 3; i += 2) { /* s, and what is observed of it */
            assert_close(m->measure[i].first, cabs(swing) / (i ? 2 : 1), 1e-9);
            assert_close(m->measure[i].phase, carg(swing), 1e-7);
        }
        free(text);
        close_study();
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hybrid__surface_drives),
        cmocka_unit_test(test_hybrid__impact_oscillator),
        cmocka_unit_test(test_hybrid__impact_doubling),
        cmocka_unit_test(test_hybrid__grazing),
        cmocka_unit_test(test_hybrid__doubles_beside_grazing),
        cmocka_unit_test(test_hybrid__events_meet),
        cmocka_unit_test(test_hybrid__beyond_grazing),
        cmocka_unit_test(test_hybrid__bouncing_table),
        cmocka_unit_test(test_hybrid__table_as_contact),
        cmocka_unit_test(test_hybrid__quick_ceiling),
        cmocka_unit_test(test_hybrid__stop),
        cmocka_unit_test(test_hybrid__turns),
        cmocka_unit_test(test_hybrid__turns_of_a_large_model),
        cmocka_unit_test(test_hybrid__clock_and_drive),
        cmocka_unit_test(test_hybrid__stick_slip),
        cmocka_unit_test(test_hybrid__stick_slip_ends),
        cmocka_unit_test(test_hybrid__moving_constraint),
        cmocka_unit_test(test_hybrid__rimless_wheel),
        cmocka_unit_test(test_hybrid__escapement),
        cmocka_unit_test(test_hybrid__clock),
        cmocka_unit_test(test_hybrid__steady_by_shooting),
        cmocka_unit_test(test_hybrid__multipliers_by_differences),
        cmocka_unit_test(test_hybrid__contact),
        cmocka_unit_test(test_hybrid__contact_sticks),
        cmocka_unit_test(test_hybrid__contact_slides_both_ways),
        cmocka_unit_test(test_hybrid__contact_and_event),
        cmocka_unit_test(test_hybrid__contact_and_memory),
        cmocka_unit_test(test_hybrid__woodpecker),
        cmocka_unit_test(test_hybrid__gear_on_its_leaf),
        cmocka_unit_test(test_hybrid__memory),
        cmocka_unit_test(test_hybrid__refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
