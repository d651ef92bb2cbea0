/* SPDX-License-Identifier: MIT */
/* Folds, and curves of marks in two parameters: closed forms of a single harmonic, a program of its
 * own that shoots, the same places found along one parameter. */
#include <math.h>

#include "support/test.h"
#include "zwang/zwang.h"

typedef struct forced {
    zw_context *ctx;
    zw_system *sys;
    zw_forced *study;
    zw_error err;
} forced;

static forced f;

#define DUFFING                                                                                    \
    "model d\nunits none\nparam c = 0.1, k = 10, n = 0.1, F = 2, W = 3\ncoord x\n"                 \
    "kinetic 1/2*x'^2\npotential 1/2*k*x^2 + 1/4*n*x^4\ndissipation 1/2*c*x'^2\n"                  \
    "force drive (x) = F*cos(W*t)\n"
#define WELLS                                                                                      \
    "model m\nunits none\nparam F = 0.2, W = 1.2\ncoord x\nkinetic 1/2*x'^2\n"                     \
    "potential -1/2*x^2 + 1/4*x^4\ndissipation 0.15*x'^2\nforce drive (x) = F*cos(W*t)\n"          \
    "start x = 1\n"

static void follow(const char *text, const char *set, zw_forced_options o, const char *marks) {
    zw_model_options model = {.size = sizeof model, .nset = set ? 1 : 0, .set = &set};
    f = (forced){.ctx = zw_context_create(NULL)};
    if (zw_model_parse(&f.sys, f.ctx, text, strlen(text), "test", &model, &f.err) < 0 ||
        zw_forced_create(&f.study, f.sys, &o, &f.err) < 0 ||
        zw_forced_curves(f.study, 0, 0, &f.err) < 0 ||
        (marks && zw_forced_marks(f.study, marks, &f.err) < 0))
        fail_msg("%s", f.err.text);
}

static void close_study(void) {
    zw_forced_destroy(f.study);
    zw_context_destroy(f.ctx);
}

static zw_forced_options over(const char *text, double tolerance) {
    zw_forced_options o = zw_forced_options_default();
    o.over = text;
    o.tolerance = tolerance;
    return o;
}

/* u [(s + b u)^2 + c^2 W^2] = F^2 with u = A^2, s = k - W^2, b = 3n/4 has a double root in u at
 * folds, and a triple one where b u = 2 c W/sqrt(3), W^2 = k + sqrt(3) c W */
static void test_marks__folds_of_one_harmonic(void **state) {
    (void)state;
    const double c = 0.1, k = 10, b = 0.75 * 0.1;
    zw_forced_options o = over("W=3:4.4", 0.4);
    int cusps = 0;
    o.harmonics = 1;
    o.odd = true;
    o.stability = false;
    follow(DUFFING, NULL, o, "F=0.3:5");
    assert_true(zw_forced_mark_count(f.study) > 50);
    for (int i = 0; i < zw_forced_mark_count(f.study); i++) {
        const zw_forced_mark *m = zw_forced_mark_at(f.study, i);
        double W = m->value, u = m->measure[0].first * m->measure[0].first, s = k - W * W,
               force = u * (pow(s + b * u, 2) + c * c * W * W),
               slope = pow(s + b * u, 2) + c * c * W * W + 2 * b * u * (s + b * u);
        assert_int_equal(m->event, ZW_BIFURCATION_FOLD);
        assert_close(sqrt(force), m->second, 1e-8);
        assert_close(slope, 0, 1e-8);
        if (m->cusp) {
            double at = 0.5 * (sqrt(3) * c + sqrt(3 * c * c + 4 * k));
            double cusp_u = 2 * c * at / sqrt(3) / b;
            assert_close(W, at, 1e-8);
            assert_close(m->second, sqrt(cusp_u * (pow(b * cusp_u / 2, 2) + c * c * at * at)),
                         1e-8);
            cusps++;
        }
    }
    assert_int_equal(cusps, 1);
    close_study();
}

/* ---- a program of its own: Runge and Kutta's method for x, x' and their derivatives over a
 * period */

typedef struct period {
    double x[2], M[4]; /* the end, and its derivatives in the beginning */
} period;

static void rates(double t, const double *y, double F, double W, double *d) {
    const double c = 0.1, k = 10, n = 0.1, stiff = -(k + 3 * n * y[0] * y[0]);
    d[0] = y[1];
    d[1] = F * cos(W * t) - c * y[1] - k * y[0] - n * y[0] * y[0] * y[0];
    for (int j = 0; j < 2; j++) {
        d[2 + j] = y[4 + j];
        d[4 + j] = stiff * y[2 + j] - c * y[4 + j];
    }
}

static period go_round(const double *x, double F, double W) {
    enum { STEPS = 4000 };
    double y[6] = {x[0], x[1], 1, 0, 0, 1}, h = 2 * M_PI / W / STEPS, k[4][6], z[6];
    static const double part[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
    for (int i = 0; i < STEPS; i++) {
        for (int s = 0; s < 4; s++) {
            for (int j = 0; j < 6; j++)
                z[j] = y[j] + (s ? part[s] * h * k[s - 1][j] : 0);
            rates((i + part[s]) * h, z, F, W, k[s]);
        }
        for (int j = 0; j < 6; j++)
            for (int s = 0; s < 4; s++)
                y[j] += h / 6 * weight[s] * k[s][j];
    }
    return (period){{y[0], y[1]}, {y[2], y[3], y[4], y[5]}};
}

/* the motion closes, and det(M - 1) = 0 */
static void mismatch(const double u[3], double F, double *r) {
    period p = go_round(u, F, u[2]);
    r[0] = p.x[0] - u[0];
    r[1] = p.x[1] - u[1];
    r[2] = (p.M[0] - 1) * (p.M[3] - 1) - p.M[1] * p.M[2];
}

static double det3(const double A[3][3]) {
    return A[0][0] * (A[1][1] * A[2][2] - A[1][2] * A[2][1]) -
           A[0][1] * (A[1][0] * A[2][2] - A[1][2] * A[2][0]) +
           A[0][2] * (A[1][0] * A[2][1] - A[1][1] * A[2][0]);
}

/* Newton's method by differences for x, x' and W of a fold */
static double shoot_fold(double x, double v, double W, double F) {
    double u[3] = {x, v, W}, r[3], plus[3], minus[3], J[3][3];
    for (int i = 0; i < 12; i++) {
        const double h = 1e-6;
        mismatch(u, F, r);
        for (int j = 0; j < 3; j++) {
            double keep = u[j];
            u[j] = keep + h;
            mismatch(u, F, plus);
            u[j] = keep - h;
            mismatch(u, F, minus);
            u[j] = keep;
            for (int k = 0; k < 3; k++)
                J[k][j] = (plus[k] - minus[k]) / (2 * h);
        }
        double det = det3((const double(*)[3])J), step[3], most = 0;
        for (int j = 0; j < 3; j++) {
            double B[3][3];
            memcpy(B, J, sizeof B);
            for (int k = 0; k < 3; k++)
                B[k][j] = r[k];
            step[j] = det3((const double(*)[3])B) / det;
            most = fmax(most, fabs(step[j]));
        }
        for (int j = 0; j < 3; j++)
            u[j] -= step[j];
        if (most < 1e-12)
            break;
    }
    return u[2];
}

static void test_marks__folds_as_by_shooting(void **state) {
    (void)state;
    int n = 0;
    follow(DUFFING, NULL, over("W=2.5:4.5", 1e-9), "F=1.5:3");
    for (int i = 0; i < zw_forced_motions(f.study); i++) {
        const zw_forced_motion *m = zw_forced_motion_at(f.study, i);
        if (m->event != ZW_BIFURCATION_FOLD)
            continue;
        double x = 0, v = 0; /* of all harmonics at t = 0: mean, cos, sin, cos, ... */
        for (int k = 0; k < m->ncoefficient; k++) {
            int h = (k + 1) / 2;
            x += k == 0 || k % 2 ? m->x[k] : 0;
            v += k && k % 2 == 0 ? h * m->value * m->x[k] : 0;
        }
        assert_close(shoot_fold(x, v, m->value, 2), m->value, 1e-8);
        n++;
    }
    assert_int_equal(n, 2);
    /* the ends of the curves of folds, at other forces */
    for (int i = 0; i < zw_forced_mark_count(f.study); i++) {
        const zw_forced_mark *m = zw_forced_mark_at(f.study, i);
        if (m->second != 1.5 && m->second != 3)
            continue;
        double first = m->measure[0].first, phase = m->measure[0].phase;
        assert_close(
            shoot_fold(first * cos(phase), -first * m->value * sin(phase), m->value, m->second),
            m->value, 1e-8);
        n++;
    }
    assert_int_equal(n, 6);
    close_study();
}

/* period doublings over two parameters, against those along the first at another value of the
 * second */
static void test_marks__period_doublings(void **state) {
    (void)state;
    double end = 0, single = -1;
    follow(WELLS, NULL, over("F=0.1:0.3", 1e-9), "W=1.15:1.25");
    for (int i = 0; i < zw_forced_mark_count(f.study); i++) {
        assert_int_equal(zw_forced_mark_at(f.study, i)->event, ZW_BIFURCATION_FLIP);
        if (zw_forced_mark_at(f.study, i)->second == 1.25)
            end = zw_forced_mark_at(f.study, i)->value;
    }
    zw_table *t;
    assert_int_equal(zw_forced_marks_table(f.study, NULL, &t, &f.err), ZW_OK);
    assert_string_equal(zw_table_get_note(t, "kind"), "marks");
    assert_int_equal(zw_table_find(t, "W"), 1);
    zw_table_destroy(t);
    close_study();
    follow(WELLS, "W=1.25", over("F=0.1:0.3", 1e-9), NULL);
    for (int i = 0; i < zw_forced_motions(f.study); i++)
        if (zw_forced_motion_at(f.study, i)->event == ZW_BIFURCATION_FLIP)
            single = zw_forced_motion_at(f.study, i)->value;
    assert_close(end, single, 1e-8);
    close_study();
}

/* Neimark-Sacker points of a self-excited oscillator that is entrained by a drive: their divergence
 * over a period is zero there, mu^2 = exp of its integral, so that the mean of x^2 is e for the
 * damping x^2 - e */
static void test_marks__tori(void **state) {
    (void)state;
    int n = 0;
    zw_forced_options o = over("W=1.05:1.6", 1e-9);
    follow("model v\nunits none\nparam e = 0.3, F = 0.6, W = 1.2\ncoord x\nkinetic 1/2*x'^2\n"
           "potential 1/2*x^2\nforce drive (x) = F*cos(W*t) + (e - x^2)*x'\n",
           NULL, o, "F=0.5:0.8");
    for (int i = 0; i < zw_forced_mark_count(f.study); i++) {
        const zw_forced_mark *m = zw_forced_mark_at(f.study, i);
        if (m->event != ZW_BIFURCATION_TORUS)
            continue;
        n++;
        assert_close(m->measure[0].rms * m->measure[0].rms, 0.3, 1e-7);
    }
    assert_true(n > 5);
    close_study();
}

static void test_marks__refusals(void **state) {
    (void)state;
    follow(DUFFING, NULL, over("W=3:4", 1e-6), NULL);
    assert_int_equal(zw_forced_marks(f.study, "W=1:2", &f.err), ZW_E_OPTION);
    f.err = (zw_error){0};
    assert_int_equal(zw_forced_marks(f.study, "F=3:5", &f.err), ZW_E_OPTION);
    if (!strstr(f.err.text, "not in it"))
        fail_msg("%s", f.err.text);
    f.err = (zw_error){0};
    assert_int_equal(zw_forced_marks(f.study, "nothing=3:5", &f.err), ZW_E_NAME);
    close_study();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marks__folds_of_one_harmonic),
        cmocka_unit_test(test_marks__folds_as_by_shooting),
        cmocka_unit_test(test_marks__period_doublings),
        cmocka_unit_test(test_marks__tori),
        cmocka_unit_test(test_marks__refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
