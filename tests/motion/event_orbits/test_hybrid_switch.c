/* SPDX-License-Identifier: MIT */
/* Branches that leave at period doublings and where a symmetry breaks, of orbits through impacts:
 * against the exact map of a bouncing ball, and closed forms of linear pieces. */
#include <math.h>
#include <stdlib.h>

#include "support/failing_allocator.h"
#include "support/orbits.h"
#include "support/test.h"
#include "zwang/zwang.h"

#define BALL(more)                                                                                 \
    "model table\nunits none\nparam e = 0.5, " more                                                \
    "\ncoord y\nkinetic y'^2/2\npotential y\nstart y = 3, y' = 3\n"                                \
    "event impact : y - Gamma*sin(t) falling, set y' = -e*y' + (1 + e)*Gamma*cos(t)\n"
#define WALLS                                                                                      \
    "model two\nunits none\nparam zeta = 0.05, Omega = 1.5, s = 0.5, e = 0.6\ncoord x\n"           \
    "kinetic x'^2/2\npotential x^2/2\nforce (x) = cos(Omega*t) - 2*zeta*x'\n"                      \
    "start x = 0, x' = 1\nevent right : s - x falling, set x' = -e*x'\n"                           \
    "event left : x + s falling, set x' = -e*x'\n"

static zw_context *ctx;
static zw_system *sys;
static zw_event_orbits *study;
static zw_error err;

static void open_study(const char *text, const char *over, int order) {
    zw_model_options model = {.size = sizeof model};
    zw_event_orbits_options o = zw_event_orbits_options_default();
    err = (zw_error){0};
    ctx = zw_context_create(NULL);
    o.over = over;
    o.order = order;
    if (zw_model_parse(&sys, ctx, text, strlen(text), "test", &model, &err) < 0 ||
        zw_event_orbits_create(&study, sys, &o, &err) < 0)
        fail_msg("%s", err.text);
}

static int leave(const char *text, const char *over, double value, int most) {
    int found;
    open_study(text, over, 1);
    if (zw_event_orbits_find(study, value, NULL, &err) < 0 ||
        zw_event_orbits_follow(study, 0, &err) < 0 ||
        zw_event_orbits_switch(study, most, &found, &err) < 0)
        fail_msg("%s", err.text);
    return found;
}

static void close_study(void) {
    zw_event_orbits_destroy(study);
    zw_context_destroy(ctx);
}

/* the n-th mark of a branch; NULL: there are not so many */
static const zw_segmented_motion *mark(int branch, zw_bifurcation event, int n) {
    for (int i = 0; i < zw_event_orbits_count(study); i++) {
        const zw_segmented_motion *m = zw_event_orbits_at(study, i);
        if (m->curve == branch && m->event_here == event && n-- == 0)
            return m;
    }
    return NULL;
}

/* ---------------------------------------------------------------------------- the bouncing ball */

/* From one impact to the next, (t, v) behind it, with the derivative: J. Guckenheimer, P. J. Holmes
 * (1982) have it for small tables; here the flight time is solved for. */
static void bounce(double G, double *t, double *v, double J[4]) {
    double e = 0.5, s = 2 * *v;
    for (int i = 0; i < 60; i++) {
        double f = G * sin(*t) + *v * s - s * s / 2 - G * sin(*t + s),
               df = *v - s - G * cos(*t + s);
        s -= f / df;
    }
    double to = *t + s, down = *v - s - G * cos(to), st = -(G * cos(*t) - G * cos(to)) / down,
           sv = -s / down, k = (1 + e) * G * sin(to);
    double M[4] = {1 + st, sv, e * st - k * (1 + st), -e + e * sv - k * sv},
           N[4] = {M[0] * J[0] + M[1] * J[2], M[0] * J[1] + M[1] * J[3], M[2] * J[0] + M[3] * J[2],
                   M[2] * J[1] + M[3] * J[3]};
    memcpy(J, N, sizeof N);
    *v = -e * (*v - s) + (1 + e) * G * cos(to);
    *t = to;
}

/* the cycle of n bounces near (t, v) by Newton's method; 1 + trace + det of its derivative */
static double cycle(double G, int n, double *t, double *v) {
    double J[4];
    for (int i = 0; i < 30; i++) {
        double t1 = *t, v1 = *v;
        J[0] = J[3] = 1;
        J[1] = J[2] = 0;
        for (int k = 0; k < n; k++)
            bounce(G, &t1, &v1, J);
        double a = J[0] - 1, b = J[1], c = J[2], d = J[3] - 1, det = a * d - b * c,
               rt = t1 - 2 * M_PI * n - *t, rv = v1 - *v;
        *t -= (d * rt - b * rv) / det;
        *v -= (a * rv - c * rt) / det;
    }
    return 1 + J[0] + J[3] + J[0] * J[3] - J[1] * J[2];
}

/* where a cycle of n bounces doubles, between two values with a stable one at the first */
static double doubling(int n, double low, double high) {
    double t = 0.8, v = M_PI, J[4] = {1, 0, 0, 1};
    for (int i = 0; i < 4000; i++)
        bounce(low, &t, &v, J);
    for (int i = 0; i < 50; i++) {
        double middle = 0.5 * (low + high), at = t, speed = v;
        if (cycle(middle, n, &at, &speed) > 0) {
            low = middle;
            t = at;
            v = speed;
        } else {
            high = middle;
        }
    }
    return low;
}

static void test_switch__cascade_of_a_bouncing_ball(void **state) {
    (void)state;
    double first = hypot(M_PI / 3, 2.5 / 2.25);
    assert_int_equal(leave(BALL("Gamma = 1.2"), "Gamma=1:1.9", 1.2, 2), 2);
    assert_int_equal(zw_event_orbits_branches(study), 3);
    assert_close(mark(0, ZW_BIFURCATION_FLIP, 0)->value, first, 1e-9);
    assert_close(mark(1, ZW_BIFURCATION_FLIP, 0)->value, doubling(2, 1.6, 1.69), 1e-9);
    assert_close(mark(2, ZW_BIFURCATION_FLIP, 0)->value, doubling(4, 1.68, 1.7), 1e-9);
    assert_null(mark(1, ZW_BIFURCATION_FLIP, 1));
    for (int b = 1; b < 3; b++) {
        zw_bifurcation event;
        double value;
        int times;
        assert_int_equal(zw_event_orbits_branch_origin(study, b, &event, &value, &times), b - 1);
        assert_int_equal(event, ZW_BIFURCATION_FLIP);
        assert_int_equal(times, 1 << b);
        assert_close(value, mark(b - 1, ZW_BIFURCATION_FLIP, 0)->value, 1e-12);
    }
    for (int i = 0; i < zw_event_orbits_count(study); i++) { /* cycles of the map, all of them */
        const zw_segmented_motion *m = zw_event_orbits_at(study, i);
        double t = m->start, v = m->unknown[1], J[4] = {1, 0, 0, 1};
        assert_close(m->period, 2 * M_PI * m->nsegment, 1e-11);
        for (int k = 0; k < m->nsegment; k++)
            bounce(m->value, &t, &v, J);
        assert_true(fabs(t - m->start - m->period) < 1e-7 && fabs(v - m->unknown[1]) < 1e-7);
        double trace = m->re[0] + m->re[1];
        assert_true(fabs(trace - J[0] - J[3]) < 1e-6 * (1 + fabs(trace)));
    }
    close_study();
}

/* Behind the first doubling the orbit goes apart like a root, and with orbits of two bounces as
 * those of the order 2. */
static void test_switch__file_of_two_rounds(void **state) {
    (void)state;
    zw_table *t;
    zw_orbits_file f;
    int number, index;
    double value;
    leave(BALL("Gamma = 1.2"), "Gamma=1:1.66", 1.2, 1);
    if (zw_event_orbits_table(study, NULL, &t, &err) < 0 || zw_orbits_file_read(&f, t, &err) < 0 ||
        zw_orbits_file_pick(&f, "1.6 3", &index, &value, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(f.nsignature, 2);
    for (int i = 0; i < f.n; i++)
        assert_int_equal(f.orbit[i].times, f.signature[f.orbit[i].signature].n);
    assert_int_equal(f.orbit[index].times, 2);
    close_study();
    open_study(BALL("Gamma = 1.2"), "Gamma=1.58:1.9", 2);
    if (zw_event_orbits_adopt(study, &f, index, 1.6, &number, &err) < 0 ||
        zw_event_orbits_follow(study, number, &err) < 0)
        fail_msg("%s", err.text);
    assert_close(mark(0, ZW_BIFURCATION_FLIP, 0)->value, doubling(2, 1.6, 1.69), 1e-9);
    close_study();
    open_study(BALL("Gamma = 1.2"), "Gamma=1.58:1.9", 1);
    assert_int_equal(zw_event_orbits_adopt(study, &f, index, 1.6, &number, &err), ZW_E_OPTION);
    close_study();
    zw_orbits_file_clear(&f);
    zw_table_destroy(t);
}

/* Orbits of two bounces, down to where they are born: that is no fold, and orbits of one bounce are
 * not counted as theirs. */
static void test_switch__doubling_from_behind(void **state) {
    (void)state;
    zw_table *t;
    zw_orbits_file f;
    int number, index;
    double value, first = hypot(M_PI / 3, 2.5 / 2.25), least = 9;
    const double from[] = {1.6, 1.56, 1.64};
    const char *why;
    leave(BALL("Gamma = 1.2"), "Gamma=1:1.66", 1.2, 1);
    if (zw_event_orbits_table(study, NULL, &t, &err) < 0 || zw_orbits_file_read(&f, t, &err) < 0 ||
        zw_orbits_file_pick(&f, "1.6 3", &index, &value, &err) < 0)
        fail_msg("%s", err.text);
    close_study();
    for (int k = 0; k < 3; k++) {
        open_study(BALL("Gamma = 1.2"), "Gamma=1.4:1.66", 2);
        if (zw_event_orbits_adopt(study, &f, index, from[k], &number, &err) < 0 ||
            zw_event_orbits_follow(study, number, &err) < 0)
            fail_msg("%s", err.text);
        assert_null(mark(0, ZW_BIFURCATION_FOLD, 0));
        for (int i = 0; i < zw_event_orbits_count(study); i++)
            least = fmin(least, zw_event_orbits_at(study, i)->value);
        assert_close(least, first, 1e-5);
        assert_int_equal(zw_event_orbits_branch_end(study, 0, 0, &why), ZW_CONT_ASKED);
        assert_non_null(strstr(why, "a period doubling of orbits of half the period"));
        close_study();
    }
    zw_orbits_file_clear(&f);
    zw_table_destroy(t);
}

/* up through the doubling and down again: the branch that leaves ends where it was */
static void test_switch__bubble_of_doublings(void **state) {
    (void)state;
    double first = hypot(M_PI / 3, 2.5 / 2.25),
           h = 0.5 - sqrt(0.25 - (first - 1.5) / 0.4); /* 1.5 + 0.4 h (1 - h) */
    assert_int_equal(leave(BALL("h = 0, Gamma = 1.5 + 0.4*h*(1 - h)"), "h=0:1", 0, 3), 1);
    assert_close(mark(0, ZW_BIFURCATION_FLIP, 0)->value, h, 1e-8);
    assert_close(mark(0, ZW_BIFURCATION_FLIP, 1)->value, 1 - h, 1e-8);
    char *text = event_orbits_text(study);
    assert_non_null(strstr(text, "is born at the period doubling 0.0722"));
    assert_non_null(strstr(text, "ends on branch 0\n"));
    free(text);
    const zw_segmented_motion *last = zw_event_orbits_at(study, zw_event_orbits_count(study) - 1);
    assert_int_equal(last->curve, 1);
    assert_close(last->value, 1 - h, 1e-8);
    for (int i = 0; i < zw_event_orbits_count(study); i++)
        if (zw_event_orbits_at(study, i)->curve == 1)
            assert_true(zw_event_orbits_at(study, i)->value < 1 - h + 1e-8);
    close_study();
}

/* ------------------------------------------------------------------------------------ two walls */

typedef struct half {
    double speed, trace, det;
} half;

/* x'' + 2 z x' + x = cos(W t) between walls at -s and s: y = x - x_p moves by the matrix of half a
 * period, after which all is mirrored, so that (s - X, -V) = v k with the linear answer (X, V) at
 * the right wall. trace, det: of the map from one wall to the other, mirrored; the symmetry breaks
 * where it has the multiplier -1. */
static half between_walls(double z, double W, double s, double e) {
    double w = sqrt(1 - z * z), P = M_PI / W, c = cos(w * P), d = sin(w * P), f = exp(-z * P);
    double A[4] = {f * (c + z / w * d), f * d / w, -f * d / w, f * (c - z / w * d)};
    double a = A[0] + 1, b = A[1], g = A[2], h = A[3] + 1, det = a * h - b * g, r1 = -A[1],
           r2 = 1 / e - A[3], k1 = (h * r1 - b * r2) / det, k2 = (a * r2 - g * r1) / det;
    double D = (1 - W * W) * (1 - W * W) + 4 * z * z * W * W, ac = (1 - W * W) / D,
           as = 2 * z * W / D, R2 = 1 / D;
    double qa = k1 * k1 + k2 * k2 / (W * W), qb = -2 * s * k1, qc = s * s - R2,
           root = sqrt(qb * qb - 4 * qa * qc),
           v = fmin((-qb + root) / (2 * qa), (-qb - root) / (2 * qa));
    double X = s - k1 * v, V = -k2 * v, co = (ac * X + as * V / W) / R2, before = v / e,
           q = ((-co + 2 * z * v + s) + e * (-co - 2 * z * before + s)) / before;
    return (half){v, e * A[0] - q * A[1] + e * A[3], e * e * (A[0] * A[3] - A[1] * A[2])};
}

static double breaking(double low, double high) {
    double sign = 0;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        half m = between_walls(0.05, middle, 0.5, 0.6), n = between_walls(0.05, low, 0.5, 0.6);
        sign = (1 + m.trace + m.det) * (1 + n.trace + n.det);
        *(sign > 0 ? &low : &high) = middle;
    }
    return low;
}

static void test_switch__symmetry_breaks(void **state) {
    (void)state;
    double first = breaking(1.1, 1.25), second = breaking(1.25, 1.45), gap;
    zw_table *rows;
    assert_int_equal(leave(WALLS, "Omega=1.1:1.5", 1.5, 5), 1);
    assert_close(mark(0, ZW_BIFURCATION_BRANCH, 0)->value, first, 1e-8);
    assert_close(mark(0, ZW_BIFURCATION_BRANCH, 1)->value, second, 1e-8);
    assert_null(mark(0, ZW_BIFURCATION_BRANCH, 2));
    char *text = event_orbits_text(study);
    assert_non_null(strstr(text, "with its mirror image"));
    assert_non_null(strstr(text, "ends on branch 0\n"));
    free(text);
    int runs = 0, n = zw_event_orbits_count(study);
    for (int i = 0; i < n; i++) {
        const zw_segmented_motion *m = zw_event_orbits_at(study, i);
        half exact = between_walls(0.05, m->value, 0.5, 0.6);
        double trace = m->re[0] + m->re[1];
        if (m->curve <= 0) {
            assert_close(fabs(m->unknown[1]), -exact.speed, 1e-8);
            assert_close(trace, exact.trace * exact.trace - 2 * exact.det, 1e-7);
            assert_true(fabs(m->measure[0].mean) < 1e-8);
            continue;
        }
        assert_true(m->value > first - 1e-8 && m->value < second + 1e-8);
        if (m->value < first + 0.01 || m->value > second - 0.01 || runs++ % 8)
            continue;
        assert_true(fabs(m->measure[0].mean) > 1e-3 && m->verdict == ZW_FLOQUET_STABLE);
        if (zw_event_orbits_motion_table(study, i, 100, NULL, &rows, &gap, &err) < 0)
            fail_msg("%s", err.text);
        assert_true(gap < 1e-7); /* a run through the events of the model */
        zw_table_destroy(rows);
    }
    assert_true(runs > 8);
    close_study();
}

/* The same from orbits without the symmetry: where they are born their branch ends, and turns back
 * without being at a fold. */
static void test_switch__symmetry_from_behind(void **state) {
    (void)state;
    const double from[] = {1.2, 1.25, 1.3};
    for (int k = 0; k < 3; k++) {
        const char *why;
        leave(WALLS, "Omega=1.1:1.35", from[k], 0);
        assert_null(mark(0, ZW_BIFURCATION_FOLD, 0));
        assert_close(mark(0, ZW_BIFURCATION_BRANCH, 0)->value, breaking(1.1, 1.25), 1e-8);
        assert_null(mark(0, ZW_BIFURCATION_BRANCH, 1));
        assert_int_equal(zw_event_orbits_branch_end(study, 0, 0, &why), ZW_CONT_ASKED);
        assert_non_null(strstr(why, "a symmetry-breaking point"));
        for (int i = 0; i < zw_event_orbits_count(study); i++)
            assert_true(zw_event_orbits_at(study, i)->value > breaking(1.1, 1.25) - 1e-8);
        close_study();
    }
}

/* switches, curves of marks, tables and adopted orbits with memory that ends at the n-th request,
 * for some n */
static zw_status all(zw_context *own, zw_event_orbits **h, zw_table **t, zw_orbits_file *f,
                     long *before, const failing_allocator *counted, zw_error *trouble) {
    static const char text[] = BALL("Gamma = 1.5");
    zw_event_orbits_options o = zw_event_orbits_options_default();
    zw_system *s;
    int number;
    o.over = "Gamma=1.5:1.56";
    o.step_max = 0.2;
    ZW_TRY(zw_model_parse(&s, own, text, sizeof text - 1, "test", NULL, trouble));
    ZW_TRY(zw_event_orbits_create(h, s, &o, trouble));
    ZW_TRY(zw_event_orbits_find(*h, 1.5, &number, trouble));
    ZW_TRY(zw_event_orbits_follow(*h, number, trouble));
    *before = counted->requests;
    ZW_TRY(zw_event_orbits_switch(*h, 1, NULL, trouble));
    ZW_TRY(zw_event_orbits_marks(*h, "e=0.49:0.51", trouble));
    ZW_TRY(zw_event_orbits_table(*h, NULL, t, trouble));
    ZW_TRY(zw_orbits_file_read(f, *t, trouble));
    return zw_event_orbits_adopt(*h, f, 0, NAN, &number, trouble);
}

static void test_switch__without_memory(void **state) {
    (void)state;
    long step = 1, tried = 0;
    for (long n = 1;; n += step, tried++) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_context *own = zw_context_create(&alloc);
        zw_event_orbits *h = NULL;
        zw_table *t = NULL;
        zw_orbits_file file = {0};
        zw_error trouble = {0};
        long before = 1000000;
        if (n == 1) { /* the parts before have tests of their own */
            f.fail_at = 0;
            zw_context_destroy(own);
            own = zw_context_create(&alloc);
        }
        zw_status status = own ? all(own, &h, &t, &file, &before, &f, &trouble) : ZW_E_MEMORY;
        zw_orbits_file_clear(&file);
        zw_table_destroy(t);
        zw_event_orbits_destroy(h);
        zw_context_destroy(own);
        assert_int_equal(f.blocks, 0);
        if (n == 1) {
            assert_int_equal(status, ZW_OK);
            n = before;
            step = (f.requests - before) / 40 + 1;
            continue;
        }
        if (!f.failed)
            break;
        if (status != ZW_E_MEMORY)
            fail_msg("request %ld fails: status %d, %s", n, status, trouble.text);
    }
    assert_true(tried > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_switch__cascade_of_a_bouncing_ball),
        cmocka_unit_test(test_switch__file_of_two_rounds),
        cmocka_unit_test(test_switch__bubble_of_doublings),
        cmocka_unit_test(test_switch__symmetry_breaks),
        cmocka_unit_test(test_switch__doubling_from_behind),
        cmocka_unit_test(test_switch__symmetry_from_behind),
        cmocka_unit_test(test_switch__without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
