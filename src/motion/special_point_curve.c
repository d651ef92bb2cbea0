/* SPDX-License-Identifier: MIT */
#include "special_point_curve.h"
#include "base/arena.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* In the units of the arclength: step of central differences, near eps^(1/3), where their error
 * 1e-10 equals the round-off of g. It only affects convergence. */
#define DIFFERENCE_STEP 1e-5
/* Relative to the range of b: its unit in the arclength, as that of a (continuation). */
#define SECOND_UNIT 0.1

typedef zw_special_curve special_curve;

static double unit_of(const special_curve *m) {
    return m->on.own.unit;
}

static double second_unit(const special_curve *m) {
    return SECOND_UNIT * m->on.range;
}

/* ------------------------------------------------------------------------------------ functions */

static zw_status own_residual(special_curve *m, const double *X, double b, double *r,
                              zw_error *err) {
    ZW_TRY(m->on.set_second(m->on.user, b, err));
    return m->on.own.residual(m->on.own.self, X, X[m->on.own.n], r, err);
}

/* the tangent at fixed b into t */
static zw_status own_tangent(special_curve *m, const double *X, double b, double *t,
                             zw_error *err) {
    zw_status status = own_residual(m, X, b, m->r, err);
    if (status == ZW_OK)
        status = m->on.own.factor(m->on.own.self, X, X[m->on.own.n], m->plane, err);
    if (status != ZW_OK)
        return status;
    memset(t, 0, sizeof(double) * (size_t)m->on.own.n);
    t[m->on.own.n] = 1;
    m->on.own.solve(m->on.own.self, t);
    return ZW_OK;
}

static double multiplier_test(const zw_floquet *m, zw_bifurcation kind) {
    double complex product = 1;
    for (int i = 0; i < m->n; i++) {
        double complex mu = m->re[i] + I * m->im[i];
        if (i == m->trivial)
            continue;
        if (kind != ZW_BIFURCATION_TORUS)
            product *= (mu + (kind == ZW_BIFURCATION_FLIP ? 1 : -1)) / (1 + cabs(mu));
        for (int j = i + 1; kind == ZW_BIFURCATION_TORUS && j < m->n; j++) {
            if (j == m->trivial)
                continue;
            double complex other = mu * (m->re[j] + I * m->im[j]);
            product *= (other - 1) / (1 + cabs(other));
        }
    }
    return creal(product);
}

static zw_status find_g(special_curve *m, const double *X, double b, double *g, zw_error *err) {
    const zw_floquet *multipliers;
    if (m->kind == ZW_BIFURCATION_FOLD) {
        zw_status status = own_tangent(m, X, b, m->r2, err);
        *g = m->r2[m->on.own.n] / unit_of(m);
        return status;
    }
    ZW_TRY(m->on.set_second(m->on.user, b, err));
    if (m->on.function) {
        ZW_TRY(m->on.function(m->on.user, X, X[m->on.own.n], g, err));
        return isnan(*g) ? ZW_RETRY : ZW_OK;
    }
    ZW_TRY(m->on.multipliers(m->on.user, X, X[m->on.own.n], &multipliers, err));
    if (!multipliers)
        return ZW_RETRY;
    *g = multiplier_test(multipliers, m->kind);
    return ZW_OK;
}

/* the derivative of g along (t, db), by a step of small length in the metric of the arclength */
static zw_status find_slope(special_curve *m, const double *t, double db, double *slope,
                            zw_error *err) {
    int n = m->on.own.n;
    double a = t[n] / unit_of(m), c = db / second_unit(m),
           size = sqrt(m->on.own.inner(m->on.own.self, t, t) + a * a + c * c),
           h = DIFFERENCE_STEP / size, g[2];
    for (int side = 0; side < 2; side++) {
        double step = side ? h : -h;
        for (int k = 0; k <= n; k++)
            m->work[k] = m->at[k] + step * t[k];
        zw_status status = find_g(m, m->work, m->at_b + step * db, &g[side], err);
        if (status != ZW_OK)
            return status;
    }
    *slope = (g[1] - g[0]) / (2 * h);
    return ZW_OK;
}

/* -------------------------------------------------------------------------------------- problem */

static zw_status evaluate_residual(void *self, const double *X, double b, double *r,
                                   zw_error *err) {
    special_curve *m = self;
    if (m->memory_failed)
        return zw_out_of_memory(err, NULL);
    zw_status status = find_g(m, X, b, &m->g, err);
    if (status == ZW_OK)
        status = own_residual(m, X, b, r, err);
    r[m->on.own.n] = m->g;
    memcpy(m->now, X, sizeof(double) * (size_t)(m->on.own.n + 1));
    m->now_b = b;
    return status;
}

/* t_2 from r_b; afterwards the matrix at the point itself is factored */
static zw_status find_second(special_curve *m, zw_error *err) {
    int n = m->on.own.n;
    double h = DIFFERENCE_STEP * m->on.range;
    zw_status status = own_residual(m, m->at, m->at_b + h, m->t2, err);
    if (status == ZW_OK)
        status = own_residual(m, m->at, m->at_b - h, m->r, err);
    if (status != ZW_OK)
        return status;
    for (int k = 0; k < n; k++)
        m->t2[k] = -(m->t2[k] - m->r[k]) / (2 * h);
    m->t2[n] = 0;
    if ((status = own_tangent(m, m->at, m->at_b, m->t1, err)) != ZW_OK)
        return status;
    m->on.own.solve(m->on.own.self, m->t2);
    return ZW_OK;
}

static zw_status factor_jacobian(void *self, const double *X, double b, const double *row,
                                 zw_error *err) {
    special_curve *m = self;
    int n = m->on.own.n;
    memcpy(m->at, X, sizeof(double) * (size_t)(n + 1));
    m->at_b = b;
    memcpy(m->row, row, sizeof(double) * (size_t)(n + 2));
    zw_status status = find_second(m, err);
    if (status == ZW_OK)
        status = find_slope(m, m->t1, 0, &m->g1, err);
    if (status == ZW_OK)
        status = find_slope(m, m->t2, 1, &m->g2, err);
    if (status == ZW_OK) /* the factors that solve_bordered needs */
        status = own_tangent(m, m->at, m->at_b, m->work, err);
    return status;
}

static double times_row(const special_curve *m, const double *d, double db) {
    double sum = m->row[m->on.own.n + 1] * db;
    for (int k = 0; k <= m->on.own.n; k++)
        sum += m->row[k] * d[k];
    return sum;
}

static void solve_bordered(void *self, double *B) {
    special_curve *m = self;
    int n = m->on.own.n;
    double rhs_g = B[n], rhs_row = B[n + 1], most = 0, gy = 0;
    for (int k = 0; k < n; k++)
        most = fmax(most, fabs(B[k]));
    B[n] = 0;
    if (most > 0) {
        m->on.own.solve(m->on.own.self, B); /* y */
        for (int k = 0; k <= n; k++)
            m->work[k] = m->now[k] + B[k];
        zw_status status = find_g(m, m->work, m->now_b, &gy, NULL);
        m->memory_failed |= status == ZW_E_MEMORY;
        gy = status == ZW_OK ? gy - m->g : 0;
    }
    double p = rhs_g - gy, q = rhs_row - (most > 0 ? times_row(m, B, 0) : 0),
           r1 = times_row(m, m->t1, 0), r2 = times_row(m, m->t2, 1), det = m->g1 * r2 - m->g2 * r1,
           alpha = (p * r2 - m->g2 * q) / det, beta = (m->g1 * q - p * r1) / det;
    for (int k = 0; k <= n; k++)
        B[k] += alpha * m->t1[k] + beta * m->t2[k];
    B[n + 1] = beta;
}

static double inner_product(void *self, const double *u, const double *v) {
    special_curve *m = self;
    double unit = unit_of(m);
    return m->on.own.inner(m->on.own.self, u, v) + u[m->on.own.n] * v[m->on.own.n] / (unit * unit);
}

static void dual_vector(void *self, const double *u, double *row) {
    special_curve *m = self;
    double unit = unit_of(m);
    m->on.own.dual(m->on.own.self, u, row);
    row[m->on.own.n] = u[m->on.own.n] / (unit * unit);
}

static zw_status evaluate_tests(void *self, const double *X, double b, double slope, double *value,
                                zw_error *err) {
    special_curve *m = self;
    (void)slope;
    return m->on.tests(m->on.user, X, b, value, err);
}

zw_cont_problem zw_special_curve_problem(zw_special_curve *m) {
    return (zw_cont_problem){.self = m,
                             .n = m->on.own.n + 1,
                             .unit = second_unit(m),
                             .residual = evaluate_residual,
                             .factor = factor_jacobian,
                             .solve = solve_bordered,
                             .inner = inner_product,
                             .dual = m->on.own.dual ? dual_vector : NULL,
                             .ntest = m->on.ntest,
                             .tests = evaluate_tests};
}

/* --------------------------------------------------------------------------------------- curves */

/* the functional of the plane orthogonal to v (n + 1), scaled to its largest entry */
static void set_plane(special_curve *m, const double *v) {
    const zw_cont_problem *own = &m->on.own;
    int n = own->n;
    double unit = unit_of(m), most = 0;
    memset(m->work, 0, sizeof(double) * (size_t)(n + 1));
    if (own->dual)
        own->dual(own->self, v, m->plane);
    for (int k = 0; k < n; k++) {
        m->work[k] = 1;
        if (!own->dual)
            m->plane[k] = own->inner(own->self, m->work, v);
        m->work[k] = 0;
        most = fmax(most, fabs(m->plane[k]));
    }
    m->plane[n] = v[n] / (unit * unit);
    most = fmax(most, fabs(m->plane[n]));
    for (int k = 0; k <= n && most > 0; k++)
        m->plane[k] /= most;
}

zw_status zw_special_curve_turn(zw_special_curve *m, const double *X, double b, zw_error *err) {
    zw_status status = own_tangent(m, X, b, m->t1, err);
    if (status == ZW_OK)
        set_plane(m, m->t1);
    return status;
}

zw_status zw_special_curve_bend(zw_special_curve *m, const double *X, double b, double *bend,
                                zw_error *err) {
    *bend = NAN;
    memcpy(m->at, X, sizeof(double) * (size_t)(m->on.own.n + 1));
    m->at_b = b;
    zw_status status = own_tangent(m, X, b, m->t1, err);
    if (status == ZW_OK)
        status = find_slope(m, m->t1, 0, bend, err);
    return status < 0 ? status : ZW_OK;
}

zw_status zw_special_curve_make(zw_special_curve *m, zw_arena *arena, const zw_mark_surface *on,
                                zw_bifurcation kind, const double *X, double b,
                                const double *toward, zw_error *err) {
    int n = on->own.n;
    *m = (zw_special_curve){.on = *on, .kind = kind};
    m->plane = ZW_NEW(arena, double, n + 2);
    m->t1 = ZW_NEW(arena, double, n + 2);
    m->t2 = ZW_NEW(arena, double, n + 2);
    m->at = ZW_NEW(arena, double, n + 2);
    m->now = ZW_NEW(arena, double, n + 2);
    m->row = ZW_NEW(arena, double, n + 3);
    m->work = ZW_NEW(arena, double, n + 3);
    m->r = ZW_NEW(arena, double, n + 2);
    m->r2 = ZW_NEW(arena, double, n + 2);
    if (arena->failed)
        return zw_out_of_memory(err, NULL);
    set_plane(m, toward);
    return zw_special_curve_turn(m, X, b, err);
}

zw_status zw_special_curve_second(zw_parameter_range *out, const zw_system *sys, const char *text,
                                  const zw_parameter_range *first, const double *p, zw_error *err) {
    ZW_TRY(zw_parameter_range_read(out, sys, text, err));
    if (out->parameter < 0 || out->parameter == first->parameter) {
        zw_fail(err, ZW_E_OPTION, "--marks %s: curves of marks need a second parameter", out->name);
        zw_error_hint(err, "another one than that of --over");
        return ZW_E_OPTION;
    }
    double own = p[out->parameter];
    if (own >= fmin(out->from, out->to) && own <= fmax(out->from, out->to))
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION,
            "--marks %s: the range begins with the marks at the value of the model, %.9g, which is "
            "not in it",
            out->name, own / out->factor);
    zw_error_hint(err, "--set \"%s=...\" changes it", out->name);
    return ZW_E_OPTION;
}
