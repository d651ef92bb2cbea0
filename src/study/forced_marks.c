/* SPDX-License-Identifier: MIT */
/* Curves of marks in two parameters a and b. The motions r(x, a, b) = 0 are a surface; a mark is where a function g of them vanishes,
 *
 *     fold              da/ds of the motions at fixed b, s such that a fixed functional of (x, a) grows by 1
 *     period doubling   prod (mu_i + 1)             branch point   prod (mu_i - 1)
 *     Neimark-Sacker    prod_{i<j} (mu_i mu_j - 1)
 *
 * with Floquet's multipliers mu. Newton's method needs the derivatives of g within the surface alone: with the tangents
 *
 *     t_1 = (x_s, a_s, 0),     t_2 = (x_b, a_b, 1),     the functional of t_2 zero,
 *
 * and the step y to the surface, d = y + alpha t_1 + beta t_2 fulfils g + g(y) + alpha g_1 + beta g_2 = 0. g_1, g_2, r_b are central differences: they
 * steer the method, and what it finds is where r and g vanish. Where a curve of folds turns in b while it does not move in a, two folds meet: a cusp. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "forced.h"

enum { LOW, HIGH, TESTS };
#define SHIFT 1e-5 /* of the units: central differences */
#define STILL 1e-4 /* a part of a tangent in a: it does not move */
#define NEAR 2e-3  /* of a range: two curves pass the same place */

typedef struct marks {
    zw_forced *f;
    zw_cont_problem own;
    zw_forced_event kind;
    double *plane;         /* n + 1: the functional */
    double *t1, *t2;       /* n + 1; t2 has db = 1 */
    double g1, g2;         /* at the place of the matrix */
    double *now, now_b, g; /* n + 1: the place of the residual, and g there */
    double *at, at_b;      /* n + 1: this place */
    double *row;           /* n + 2 */
    double *work, *r, *r2; /* n + 2, n + 1, n + 1 */
    int curve;
    bool skip;
} marks;

/* ---------------------------------------------------------------------------------------------- the second one */

static zw_status set_second(zw_forced *f, double b, zw_error *err) {
    if (f->p[f->second.parameter] == b)
        return ZW_OK;
    f->p[f->second.parameter] = b;
    ZW_TRY(zw_system_param_follow(f->sys, f->given, f->p, err));
    zw_harmonic_renew(f->balance);
    zw_harmonic_renew(f->finer);
    if (f->whole)
        zw_harmonic_renew(f->whole);
    f->last_known = false;
    return ZW_OK;
}

static zw_status read_second(zw_forced *f, const char *text, zw_error *err) {
    ZW_TRY(zw_over_read(&f->second, f->sys, text, err));
    if (f->second.parameter < 0 || f->second.parameter == f->over.parameter) {
        zw_fail(err, ZW_E_OPTION, "--marks %s: curves of marks need a second parameter",
                f->second.name);
        zw_error_hint(err, "another one than that of --over");
        return ZW_E_OPTION;
    }
    double own = f->p[f->second.parameter], low = fmin(f->second.from, f->second.to),
           high = fmax(f->second.from, f->second.to);
    if (own >= low && own <= high)
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION,
            "--marks %s: the range begins with the marks at the value of the model, %.9g, which is "
            "not in it",
            f->second.name, own / f->second.factor);
    zw_error_hint(err, "--set \"%s=...\" changes it", f->second.name);
    return ZW_E_OPTION;
}

/* --------------------------------------------------------------------------------------------------- functions */

static zw_status own_residual(marks *m, const double *X, double b, double *r, zw_error *err) {
    ZW_TRY(set_second(m->f, b, err));
    return m->own.residual(m->own.self, X, X[m->own.n], r, err);
}

/* the tangent at fixed b into t */
static zw_status own_tangent(marks *m, const double *X, double b, double *t, zw_error *err) {
    zw_status status = own_residual(m, X, b, m->r, err);
    if (status == ZW_OK)
        status = m->own.factor(m->own.self, X, X[m->own.n], m->plane, err);
    if (status != ZW_OK)
        return status;
    memset(t, 0, sizeof(double) * (size_t)m->own.n);
    t[m->own.n] = 1;
    m->own.solve(m->own.self, t);
    return ZW_OK;
}

static double multiplier_test(const zw_floquet *m, zw_forced_event kind) {
    double complex product = 1;
    for (int i = 0; i < m->n; i++) {
        double complex mu = m->re[i] + I * m->im[i];
        if (kind != ZW_FORCED_TORUS)
            product *= (mu + (kind == ZW_FORCED_FLIP ? 1 : -1)) / (1 + cabs(mu));
        for (int j = i + 1; kind == ZW_FORCED_TORUS && j < m->n; j++) {
            double complex other = mu * (m->re[j] + I * m->im[j]);
            product *= (other - 1) / (1 + cabs(other));
        }
    }
    return creal(product);
}

static zw_status find_g(marks *m, const double *X, double b, double *g, zw_error *err) {
    const zw_floquet *multipliers;
    if (m->kind == ZW_FORCED_FOLD) {
        zw_status status = own_tangent(m, X, b, m->r2, err);
        *g = m->r2[m->own.n] / zw_forced_unit(m->f);
        return status;
    }
    ZW_TRY(set_second(m->f, b, err));
    m->f->last_known = false;
    ZW_TRY(zw_forced_multipliers(m->f, X, X[m->own.n], &multipliers, err));
    if (!multipliers)
        return ZW_RETRY;
    *g = multiplier_test(multipliers, m->kind);
    return ZW_OK;
}

/* the derivative of g along (t, db), by a length that is small in the metric */
static zw_status find_slope(marks *m, const double *t, double db, double *slope, zw_error *err) {
    int n = m->own.n;
    double a = t[n] / zw_forced_unit(m->f),
           c = db / (0.1 * fabs(m->f->second.to - m->f->second.from)),
           size = sqrt(m->own.inner(m->own.self, t, t) + a * a + c * c), h = SHIFT / size, g[2];
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

/* ----------------------------------------------------------------------------------------------------- problem */

static zw_status residual(void *self, const double *X, double b, double *r, zw_error *err) {
    marks *m = self;
    zw_status status = find_g(m, X, b, &m->g, err);
    if (status == ZW_OK)
        status = own_residual(m, X, b, r, err);
    r[m->own.n] = m->g;
    memcpy(m->now, X, sizeof(double) * (size_t)(m->own.n + 1));
    m->now_b = b;
    return status;
}

/* t_2 from r_b, with the matrix at the place itself factored afterwards */
static zw_status find_second(marks *m, zw_error *err) {
    int n = m->own.n;
    double h = SHIFT * fabs(m->f->second.to - m->f->second.from);
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
    m->own.solve(m->own.self, m->t2);
    return ZW_OK;
}

static zw_status factor(void *self, const double *X, double b, const double *row, zw_error *err) {
    marks *m = self;
    int n = m->own.n;
    memcpy(m->at, X, sizeof(double) * (size_t)(n + 1));
    m->at_b = b;
    memcpy(m->row, row, sizeof(double) * (size_t)(n + 2));
    zw_status status = find_second(m, err);
    if (status == ZW_OK)
        status = find_slope(m, m->t1, 0, &m->g1, err);
    if (status == ZW_OK)
        status = find_slope(m, m->t2, 1, &m->g2, err);
    if (status == ZW_OK) /* the factors that solve needs */
        status = own_tangent(m, m->at, m->at_b, m->work, err);
    return status;
}

static double times_row(const marks *m, const double *d, double db) {
    double sum = m->row[m->own.n + 1] * db;
    for (int k = 0; k <= m->own.n; k++)
        sum += m->row[k] * d[k];
    return sum;
}

static void solve(void *self, double *B) {
    marks *m = self;
    int n = m->own.n;
    double rhs_g = B[n], rhs_row = B[n + 1], most = 0, gy = 0;
    for (int k = 0; k < n; k++)
        most = fmax(most, fabs(B[k]));
    B[n] = 0;
    if (most > 0) {
        m->own.solve(m->own.self, B); /* y */
        for (int k = 0; k <= n; k++)
            m->work[k] = m->now[k] + B[k];
        if (find_g(m, m->work, m->now_b, &gy, NULL) == ZW_OK)
            gy -= m->g;
        else
            gy = 0;
    }
    double p = rhs_g - gy, q = rhs_row - (most > 0 ? times_row(m, B, 0) : 0),
           r1 = times_row(m, m->t1, 0), r2 = times_row(m, m->t2, 1), det = m->g1 * r2 - m->g2 * r1,
           alpha = (p * r2 - m->g2 * q) / det, beta = (m->g1 * q - p * r1) / det;
    for (int k = 0; k <= n; k++)
        B[k] += alpha * m->t1[k] + beta * m->t2[k];
    B[n + 1] = beta;
}

static double inner(void *self, const double *u, const double *v) {
    marks *m = self;
    double unit = zw_forced_unit(m->f);
    return m->own.inner(m->own.self, u, v) + u[m->own.n] * v[m->own.n] / (unit * unit);
}

static zw_status tests(void *self, const double *X, double b, double slope, double *value,
                       zw_error *err) {
    marks *m = self;
    const zw_over *over = &m->f->over;
    (void)b;
    (void)slope;
    (void)err;
    value[LOW] = X[m->own.n] - fmin(over->from, over->to);
    value[HIGH] = X[m->own.n] - fmax(over->from, over->to);
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------------------------ points */

/* the plane across the motions of fixed b here: the functional of the next step */
static zw_status turn_plane(marks *m, const double *X, double b, zw_error *err) {
    int n = m->own.n;
    double unit = zw_forced_unit(m->f), most = 0;
    zw_status status = own_tangent(m, X, b, m->t1, err);
    if (status != ZW_OK)
        return status;
    memset(m->work, 0, sizeof(double) * (size_t)(n + 1));
    for (int k = 0; k < n; k++) {
        m->work[k] = 1;
        m->plane[k] = m->own.inner(m->own.self, m->work, m->t1);
        m->work[k] = 0;
        most = fmax(most, fabs(m->plane[k]));
    }
    m->plane[n] = m->t1[n] / (unit * unit);
    most = fmax(most, fabs(m->plane[n]));
    for (int k = 0; k <= n && most > 0; k++)
        m->plane[k] /= most;
    return ZW_OK;
}

static zw_status keep(marks *m, const double *X, double b, bool cusp, zw_error *err) {
    zw_forced *f = m->f;
    int n = m->own.n;
    double w, slope, error;
    if (!zw_arena_grow(&f->arena, (void **)&f->mark, f->nmark, &f->mark_capacity, sizeof *f->mark))
        return zw_forced_no_memory(err);
    zw_forced_measure *measured = ZW_NEW(&f->arena, zw_forced_measure, f->nquantity + 1);
    if (!measured)
        return zw_forced_no_memory(err);
    memcpy(f->x, X, sizeof(double) * (size_t)n);
    ZW_TRY(set_second(f, b, err));
    ZW_TRY(zw_forced_set(f, X[n], f->now, &w, &slope, err));
    ZW_TRY(zw_flow_set_parameters(f->flow, f->now, err));
    ZW_TRY(zw_forced_measure_all(f, w, measured, err));
    if (f->nmark % 10 == 0 || cusp) {
        ZW_TRY(zw_forced_error(f, X[n], m->t1, &error, err));
        f->worst_error = fmax(f->worst_error, error);
    }
    f->mark[f->nmark++] = (zw_forced_mark){.value = X[n],
                                           .second = b,
                                           .event = m->kind,
                                           .cusp = cusp,
                                           .curve = m->curve,
                                           .measure = measured};
    return ZW_OK;
}

static zw_status take(void *user, const zw_cont_point *point, zw_error *err) {
    marks *m = user;
    zw_forced *f = m->f;
    bool over = point->what == LOW || point->what == HIGH;
    double along = fabs(point->tangent[m->own.n]) / zw_forced_unit(f);
    if (m->skip) {
        m->skip = false;
        return ZW_OK;
    }
    zw_status status = turn_plane(m, point->x, point->a, err);
    ZW_TRY(status);
    bool cusp = point->what == ZW_CONT_FOLD && m->kind == ZW_FORCED_FOLD && along < STILL;
    ZW_TRY(keep(m, point->x, point->a, cusp, err));
    double done = fabs(point->a - f->second.from) / fabs(f->second.to - f->second.from);
    f->stopped = f->options.stop && f->options.stop(f->options.stop_user, fmin(done, 1));
    return over || f->stopped ? ZW_STOPPED : ZW_OK;
}

/* ------------------------------------------------------------------------------------------------------ curves */

static zw_status make(marks *m, const zw_forced_motion *start, zw_error *err) {
    zw_forced *f = m->f;
    ZW_TRY(zw_forced_load(f, start, err));
    zw_forced_scale_by(f, start);
    m->own = zw_harmonic_problem(f->balance);
    int n = m->own.n;
    m->plane = ZW_NEW(&f->arena, double, n + 2);
    m->t1 = ZW_NEW(&f->arena, double, n + 2);
    m->t2 = ZW_NEW(&f->arena, double, n + 2);
    m->at = ZW_NEW(&f->arena, double, n + 2);
    m->now = ZW_NEW(&f->arena, double, n + 2);
    m->row = ZW_NEW(&f->arena, double, n + 3);
    m->work = ZW_NEW(&f->arena, double, n + 3);
    m->r = ZW_NEW(&f->arena, double, n + 2);
    m->r2 = ZW_NEW(&f->arena, double, n + 2);
    if (f->arena.failed)
        return zw_forced_no_memory(err);
    /* motions grow along their curve, as a rule: then the tangent is known, and its plane is better */
    for (int k = 0; k < n; k++) {
        m->work[k] = 1;
        m->plane[k] = m->own.inner(m->own.self, m->work, f->x);
        m->work[k] = 0;
    }
    memcpy(m->at, f->x, sizeof(double) * (size_t)n);
    m->at[n] = start->value;
    zw_status status = turn_plane(m, m->at, f->p[f->second.parameter], err);
    return status == ZW_RETRY ? zw_fail(err, ZW_E_NUMERIC, "the mark has no neighbours") : status;
}

/* does a curve of this kind pass there? */
static bool is_known(const zw_forced *f, const zw_forced_motion *start, double b) {
    double range = fabs(f->over.to - f->over.from);
    for (int i = 0; i + 1 < f->nmark; i++) {
        const zw_forced_mark *u = &f->mark[i], *v = &f->mark[i + 1];
        if (u->curve != v->curve || u->event != start->event ||
            (u->second - b) * (v->second - b) > 0)
            continue;
        double part = u->second == v->second ? 0 : (b - u->second) / (v->second - u->second);
        bool same = fabs(u->value + part * (v->value - u->value) - start->value) <=
                    NEAR * range + 0.1 * fabs(v->value - u->value);
        for (int k = 0; k < f->sys->nq && same; k++) {
            double rms = u->measure[k].rms + part * (v->measure[k].rms - u->measure[k].rms);
            same = fabs(rms - start->measure[k].rms) <=
                   0.02 * start->measure[k].rms + 1e-9 * f->width[k] +
                       0.2 * fabs(v->measure[k].rms - u->measure[k].rms);
        }
        if (same)
            return true;
    }
    return false;
}

static void reverse(zw_forced *f, int first) {
    for (int i = first, k = f->nmark - 1; i < k; i++, k--) {
        zw_forced_mark keep = f->mark[i];
        f->mark[i] = f->mark[k];
        f->mark[k] = keep;
    }
}

static zw_status follow(zw_forced *f, const zw_forced_motion *start, double b, zw_error *err) {
    zw_cont_options o = zw_cont_options_default();
    o.low = fmin(f->second.from, f->second.to);
    o.high = fmax(f->second.from, f->second.to);
    o.step_max = f->options.step_max * 10;
    o.step = fmin(0.02, o.step_max);
    o.points_max = f->options.points_max;
    o.tolerance = start->event == ZW_FORCED_FOLD ? 1e-10 : 1e-8; /* multipliers have an error */
    int first = f->nmark;
    if (!zw_arena_grow(&f->arena, (void **)&f->locus, f->nlocus, &f->locus_capacity,
                       sizeof *f->locus))
        return zw_forced_no_memory(err);
    f->locus[f->nlocus] = (zw_forced_curve){.first = first};
    for (int side = 0; side < 2; side++) {
        marks m = {.f = f, .kind = start->event, .curve = f->nlocus, .skip = side == 1};
        ZW_TRY(set_second(f, b, err));
        ZW_TRY(make(&m, start, err));
        zw_cont_problem p = {.self = &m,
                             .n = m.own.n + 1,
                             .unit = 0.1 * fabs(f->second.to - f->second.from),
                             .residual = residual,
                             .factor = factor,
                             .solve = solve,
                             .inner = inner,
                             .ntest = TESTS,
                             .tests = tests};
        double *X = ZW_NEW(&f->arena, double, m.own.n + 2);
        zw_cont_info *info = &f->locus[f->nlocus].info[side];
        if (!X)
            return zw_forced_no_memory(err);
        memcpy(X, m.at, sizeof(double) * (size_t)(m.own.n + 1));
        if (b == (side ? o.high : o.low)) {
            *info = (zw_cont_info){.end = ZW_CONT_AT_BOUND};
            if (side == 0)
                ZW_TRY(keep(&m, X, b, false, err));
            continue;
        }
        ZW_TRY(zw_continue(&p, &o, X, b, side ? 1 : -1, take, &m, info, &f->arena.alloc, err));
        if (info->end == ZW_CONT_ASKED && !f->stopped)
            info->end = ZW_CONT_AT_BOUND;
        if (side == 0)
            reverse(f, first);
        if (info->end == ZW_CONT_CLOSED || f->stopped)
            break;
    }
    f->locus[f->nlocus++].n = f->nmark - first;
    return ZW_OK;
}

zw_status zw_forced_marks(zw_forced *f, const char *second, zw_error *err) {
    if (!f->has_over || f->options.free)
        return zw_fail(err, ZW_E_OPTION,
                       "curves of marks begin with marks on a curve over a parameter");
    ZW_TRY(read_second(f, second, err));
    double b = f->p[f->second.parameter];
    bool given = f->given[f->second.parameter];
    f->given[f->second.parameter] = true;
    bool straight = f->straight; /* which it may not be for other values of the second */
    f->straight = false;
    zw_status status = ZW_OK;
    int motions = f->nmotion;
    for (int i = 0; i < motions && !f->stopped && status >= 0; i++) {
        zw_forced_motion start = f->motion[i];
        bool mark =
            start.curve >= 0 && start.event != ZW_FORCED_POINT && start.event != ZW_FORCED_END;
        /* where branches cross there is no one tangent, unless the other one breaks a symmetry that is kept */
        bool crossing = start.event == ZW_FORCED_BRANCH && !f->options.odd;
        f->crossings += mark && crossing;
        if (!mark || crossing || is_known(f, &start, b))
            continue;
        status = follow(f, &start, b, err);
    }
    zw_status back = set_second(f, b, err);
    f->straight = straight;
    f->given[f->second.parameter] = given;
    return status < 0 ? status : back;
}

int zw_forced_mark_count(const zw_forced *f) {
    return f->nmark;
}

const zw_forced_mark *zw_forced_mark_at(const zw_forced *f, int number) {
    return &f->mark[number];
}
