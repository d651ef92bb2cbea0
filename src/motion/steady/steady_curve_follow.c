/* SPDX-License-Identifier: MIT */
/* Curves of steady motions over one value, by zw_continue on the equations of steady_curve.h.
 *
 * The arclength measures the state in its sizes, which grow with the curve where the state moves by
 * much more. Planes perpendicular to the orbits of symmetries, and left vectors, are updated at
 * every point. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "branch/curve.h"
#include "num/linear/linalg.h"
#include "steady_branch.h"

/* Singular value of Dr relative to the largest: below, there are neighbours in more than one
 * direction. */
#define RANK_DEFECT ZW_ROUNDOFF_SOLVED
/* s of the point where the motion comes to rest and of a branch point */
#define SAME_ARCLENGTH 1e-5
#define STEP_FIRST 0.02 /* in s */
/* of a small entry as unit of the arclength: smaller ones are errors of the start */
#define SIZE_MIN 1e-5
/* Distance from the predicted first point of another curve, of its distance from the branch point:
 * further away it is the old curve. */
#define FIRST_POINT_OFF 0.3
/* of the distance that an entry has moved along a curve: its unit, so that steps of 0.3 are a tenth
 * of that distance */
#define SWING_UNIT 0.3
#define UNIT_GROWS 1.5 /* at least, for a new unit: each one costs the history of the prediction */
/* sizes of the state: it goes to infinity; no entry with a unit of the model is so large */
#define STATE_DIVERGES 1e6
/* Rate relative to the fastest row, at least, for the unit of a row in the judgement of a
 * residual. */
#define RATE_MIN 1e-3
#define RESIDUAL_CONTRADICTS ZW_SAME_SOLUTION /* above, the equations contradict held values */
#define POINTS_LIMIT 1e9                      /* fits into an int */

/* -------------------------------------------------------------------------------------- problem */

static zw_status evaluate_residual(void *self, const double *X, double a, double *r,
                                   zw_error *err) {
    zw_steady_branch *w = self;
    zw_status status = zw_steady_curve_residual(w->c, X, a, w->b, w->c->r, err);
    if (status == ZW_OK)
        zw_steady_curve_reduce(w->c, w->c->r, r);
    return status;
}

static zw_status factor_jacobian(void *self, const double *X, double a, const double *row,
                                 zw_error *err) {
    zw_steady_branch *w = self;
    zw_steady_curve *c = w->c;
    int n = c->N + 1;
    ZW_TRY(zw_steady_curve_jacobian(c, X, a, w->b, n, err));
    zw_steady_curve_reduce_matrix(c, n, c->matrix);
    memcpy(c->matrix + (size_t)(c->N * n), row, sizeof(double) * (size_t)c->N);
    c->matrix[n * n - 1] = row[c->N] * c->unit_a;
    return zw_num_lu(n, c->matrix, c->pivot) > 0 ? ZW_OK : ZW_RETRY;
}

static void solve_factored(void *self, double *B) {
    zw_steady_branch *w = self;
    zw_num_lu_solve(w->c->N + 1, w->c->matrix, w->c->pivot, 1, B);
    B[w->c->N] *= w->c->unit_a;
}

/* Rates of symmetries have no weight: they follow from the state. */
static double inner_product(void *self, const double *u, const double *v) {
    zw_steady_branch *w = self;
    double sum = 0;
    for (int i = 0; i < w->c->nx; i++)
        sum += u[i] * v[i] / (w->c->size[i] * w->c->size[i]);
    return sum;
}

static void dual_vector(void *self, const double *u, double *row) {
    zw_steady_branch *w = self;
    for (int i = 0; i < w->c->nx; i++)
        row[i] = u[i] / (w->c->size[i] * w->c->size[i]);
    memset(row + w->c->nx, 0, sizeof(double) * (size_t)w->c->nc);
}

/* --------------------------------------------------------------------------------------- points */

/* The largest residual of c->r; grown: relative to the effect of the present state on each row. */
static zw_status measure_residual(zw_steady_curve *c, const double *X, double a, double b,
                                  bool grown, zw_error *err) {
    if (grown)
        ZW_TRY(zw_steady_curve_jacobian(c, X, a, b, c->N + 1, err));
    c->motion.residual = 0;
    for (int i = 0; i < c->M; i++) { /* rows that vanish at the start of a curve have small units */
        double slow = i < c->nx ? RATE_MIN * c->rate * c->o.scale[i] : 0,
               part = c->row_unit[i] / fmax(c->row_unit[i], slow), size = 0;
        for (int l = 0; grown && l < c->nx; l++)
            size += fabs(c->full[i * (c->N + 1) + l] * X[l]);
        c->motion.residual = fmax(c->motion.residual, part * fabs(c->r[i]) / fmax(1, part * size));
    }
    return ZW_OK;
}

zw_status zw_steady_curve_report(zw_steady_curve *c, zw_steady_point *point, const double *X,
                                 const double *tangent, int ntangent, zw_error *err) {
    ZW_TRY(zw_steady_curve_residual(c, X, point->a, point->b, c->r, err));
    memcpy(c->motion.x, c->x, sizeof(double) * (size_t)c->nx);
    memcpy(c->motion.c, c->c, sizeof(double) * (size_t)c->nc);
    memcpy(c->motion.z, c->z, sizeof(double) * (size_t)c->k->nz);
    ZW_TRY(measure_residual(c, X, point->a, point->b, false, err));
    if (c->motion.residual > RESIDUAL_CONTRADICTS)
        ZW_TRY(measure_residual(c, X, point->a, point->b, true, err));
    if (c->motion.residual > RESIDUAL_CONTRADICTS)
        return zw_fail(
            err, ZW_E_NUMERIC,
            "the equations of steady motions contradict the held values (relative residual %.2g)",
            c->motion.residual);
    for (int i = 0; i < c->N; i++)
        c->tangent[i] = tangent[i] * (i < c->nx ? c->o.scale[i] : c->unit_c[i - c->nx]);
    for (int i = c->N; i < ntangent; i++)
        c->tangent[i] = tangent[i];
    point->motion = &c->motion;
    point->symmetries = &c->s;
    point->tangent = c->tangent;
    point->n = c->n;
    point->re = c->re;
    point->im = c->im;
    return c->take(c->user, point, err);
}

/* The tangent becomes the last row of the determinants, oriented so that these keep their sign. */
static void orient_row(zw_steady_curve *c, const double *tangent) {
    double along = 0;
    for (int i = 0; i <= c->N; i++)
        along += c->row[i] * tangent[i] / (i == c->N ? c->unit_a : 1);
    for (int i = 0; i <= c->N; i++)
        c->row[i] = (c->has_row && along < 0 ? -1 : 1) * tangent[i] / (i == c->N ? c->unit_a : 1);
    c->has_row = true;
}

static zw_steady_kind kind_of(zw_steady_branch *w, const zw_cont_point *p, int *pair) {
    static const int none[2] = {-1, -1};
    *pair = -1;
    switch (p->what) {
    case ZW_STEADY_TEST_HOPF:
        *pair = zw_steady_curve_pair(w->c, none);
        return *pair >= 0                         ? ZW_STEADY_HOPF
               : zw_steady_branch_zeros(w->c) > 1 ? ZW_STEADY_BRANCH
                                                  : ZW_STEADY_POINT;
    case ZW_STEADY_TEST_BRANCH:
        return w->shrinks && fabs(p->s - w->crossed) <= SAME_ARCLENGTH ? ZW_STEADY_POINT
                                                                       : ZW_STEADY_BRANCH;
    case ZW_STEADY_TEST_SHRINKS:
        return ZW_STEADY_SHRINKS;
    case ZW_CONT_FOLD:
        return zw_steady_branch_is_fold(w, p) ? ZW_STEADY_FOLD : ZW_STEADY_POINT;
    case ZW_CONT_BOUND:
        return ZW_STEADY_END;
    default:
        return ZW_STEADY_POINT;
    }
}

static bool has_missed(zw_steady_branch *w, const zw_cont_point *p) {
    double off = 0;
    for (int i = 0; i < w->c->nx; i++)
        off = hypot(off, p->x[i] - w->predicted[i]);
    w->predicted = NULL;
    return off > FIRST_POINT_OFF * w->distance;
}

static zw_status accept_point(void *user, const zw_cont_point *p, zw_error *err) {
    zw_steady_branch *w = user;
    zw_steady_curve *c = w->c;
    int pair;
    if (w->predicted) {
        w->outside = p->a < c->o.low || p->a > c->o.high;
        w->missed = has_missed(w, p);
        if (w->missed || w->outside)
            return ZW_STOPPED;
    }
    ZW_TRY(zw_steady_curve_spectrum(c, p->x, p->a, w->b, false, err));
    zw_steady_kind kind = kind_of(w, p, &pair);
    bool located = p->what >= 0 || p->what == ZW_CONT_FOLD;
    if (located && kind == ZW_STEADY_POINT)
        return ZW_OK;
    zw_steady_point point = {.kind = kind,
                             .a = p->a,
                             .b = w->b,
                             .s = p->s,
                             .omega = pair >= 0 ? c->im[pair] : 0,
                             .cubic = NAN,
                             .zeros = zw_steady_branch_zeros(c),
                             .imperfection = kind == ZW_STEADY_BRANCH ? w->imperfection : 0};
    zw_status status = zw_steady_curve_report(c, &point, p->x, p->tangent, c->N + 1, err);
    ZW_TRY(status);
    if (!located) {
        ZW_TRY(zw_steady_curve_spectrum(c, p->x, p->a, w->b, true, err));
        memcpy(c->last_re, c->re, sizeof(double) * (size_t)c->n);
        memcpy(c->last_im, c->im, sizeof(double) * (size_t)c->n);
        c->nlast = c->n;
        zw_steady_branch_record(w);
        orient_row(c, p->tangent);
        for (int i = 0; i < c->nx; i++)
            w->diverged |= fabs(p->x[i] - c->origin[i]) > STATE_DIVERGES;
    }
    w->at_rest |= kind == ZW_STEADY_SHRINKS;
    return (w->diverged && p->what != ZW_CONT_BOUND) || w->at_rest ? ZW_STOPPED : status;
}

/* Update planes and left vectors at every point, and sizes where the state has moved far. */
static bool update_metric(void *self, const double *X, double a) {
    zw_steady_branch *w = self;
    zw_steady_curve *c = w->c;
    zw_error ignored = {0};
    bool changed = false;
    zw_steady_curve_refer(c, X, a, w->b, c->N + 1, NULL, &ignored);
    for (int i = 0; i < c->nx; i++) {
        double swing = fabs(X[i] - c->origin[i]),
               unit = c->size[i] < 1 ? fmin(swing, 1) : SWING_UNIT * swing;
        if (!(unit > UNIT_GROWS * c->size[i]))
            continue;
        c->size[i] = unit;
        changed = true;
    }
    return changed;
}

/* The planes perpendicular to the orbits have changed at this point: add multiples of the
 * symmetries to the directions along the curve so that these lie in the new planes. */
static zw_status follow_planes(void *self, double a, int n, double **vector, bool *moved,
                               zw_error *err) {
    zw_steady_curve *c = ((zw_steady_branch *)self)->c;
    int nc = c->nc, nx = c->nx;
    double *M = c->work, *off = c->work2;
    (void)a;
    (void)err;
    if (nc == 0 || c->norbit != nc)
        return ZW_OK;
    for (int k = 0; k < nc; k++)
        for (int j = 0; j < nc; j++) {
            M[k * nc + j] = 0;
            for (int i = 0; i < nx; i++)
                M[k * nc + j] += c->O[k * nx + i] * c->X[j * nx + i] * c->unit_c[j] / c->o.scale[i];
        }
    if (!(zw_num_lu(nc, M, c->pivot_side) > 0))
        return ZW_OK;
    for (int v = 1; v + 2 < n; v++) {
        for (int k = 0; k < nc; k++) {
            off[k] = 0;
            for (int i = 0; i < nx; i++)
                off[k] -= c->O[k * nx + i] * vector[v][i];
        }
        zw_num_lu_solve(nc, M, c->pivot_side, 1, off);
        for (int j = 0; j < nc; j++)
            for (int i = 0; i < nx; i++)
                vector[v][i] += off[j] * c->X[j * nx + i] * c->unit_c[j] / c->o.scale[i];
    }
    *moved = true;
    return ZW_OK;
}

/* own: an entry that is small at the start of the curve is measured by itself. */
void zw_steady_branch_measure(zw_steady_curve *c, const double *X, double size, bool own) {
    for (int i = 0; i < c->nx; i++) {
        bool small = own && fabs(X[i]) > SIZE_MIN && fabs(X[i]) < SWING_UNIT;
        c->size[i] = small ? fabs(X[i]) : size;
    }
    memcpy(c->origin, X, sizeof(double) * (size_t)c->nx);
}

zw_status zw_steady_branch_follow(zw_steady_branch *w, double *X, double a, int direction,
                                  const double *toward, zw_cont_info *info, zw_error *err) {
    zw_steady_curve *c = w->c;
    zw_cont_problem p = {.self = w,
                         .n = c->N,
                         .unit = c->unit_a,
                         .residual = evaluate_residual,
                         .factor = factor_jacobian,
                         .solve = solve_factored,
                         .inner = inner_product,
                         .ntest = ZW_STEADY_BRANCH_TESTS,
                         .tests = zw_steady_branch_tests,
                         .dual = dual_vector,
                         .measure = update_metric,
                         .adapt = follow_planes,
                         .accept = zw_steady_branch_accept,
                         .confirm = zw_steady_branch_confirm,
                         .returns = true};
    zw_cont_options o = zw_cont_options_default();
    o.low = c->o.low;
    o.high = c->o.high;
    o.step = c->shorter * STEP_FIRST;
    o.step_max = c->shorter * c->o.step_max;
    o.points_max = (int)fmin(c->o.points_max / c->shorter, POINTS_LIMIT);
    o.tolerance = c->o.tolerance;
    o.toward = toward;
    w->diverged = false;
    w->growing = -1;
    w->crossed = NAN;
    w->shrinks = w->at_rest = false;
    w->imperfection = 0;
    w->change = ZW_STEADY_UNKNOWN;
    zw_status status =
        zw_continue(&p, &o, X, a, direction, accept_point, w, info, &c->arena.alloc, err);
    if (status >= 0 && w->diverged && info && info->end == ZW_CONT_ASKED) {
        info->end = ZW_CONT_STUCK;
        snprintf(info->why, sizeof info->why, "the state has grown by %g times its size",
                 STATE_DIVERGES);
    }
    return status;
}

/* Are all eigenvalues of the motion different from zero, beyond rounding? */
static zw_status find_regular(zw_steady_curve *c, zw_error *err) {
    zw_linearisation a;
    zw_error ignored = {0};
    zw_status status = zw_linearise(&a, c->flow, &c->s, &c->motion, &ignored);
    c->regular = status >= 0 && a.nzero == 0;
    if (status >= 0)
        zw_linearisation_clear(&a);
    return status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : ZW_OK;
}

zw_status zw_steady_curve_follow(zw_steady_curve *c, const double *x, double a, double b,
                                 int direction, zw_steady_take taker, void *user,
                                 zw_cont_info *info, zw_error *err) {
    zw_steady_branch w = {.c = c, .b = b};
    double gap;
    c->take = taker;
    c->user = user;
    c->slow = 0;
    c->deflation.nlevel = -1; /* count again the eigenvalues that are always zero */
    c->deflation.m = c->deflation.n;
    ZW_TRY(zw_steady_curve_set(c, a, b, err));
    memcpy(c->motion.x, x, sizeof(double) * (size_t)c->nx);
    ZW_TRY(zw_steady_find(&c->motion, c->flow, &c->s, c->o.scale, c->nhold, c->hold, err));
    ZW_TRY(find_regular(c, err));
    ZW_TRY(zw_steady_curve_begin(c, &c->motion, a, b, true, err));
    double *X = zw_allocate(&c->arena.alloc, sizeof *X * (size_t)(c->N + 1));
    if (!X)
        return zw_out_of_memory(err, NULL);
    zw_steady_curve_place(c, &c->motion, X);
    zw_status status = zw_steady_curve_refer(c, X, a, b, c->N + 1, &gap, err);
    if (status >= 0 && gap < RANK_DEFECT) {
        status = zw_fail(
            err, ZW_E_MODEL,
            "the steady motions form a family, or branches meet at the first point of the curve");
        zw_error_hint(err, "begin at another value (--set), or hold one of them (--hold)");
    }
    zw_steady_branch_measure(c, X, 1, true);
    if (status >= 0)
        status = zw_steady_branch_follow(&w, X, a, direction, NULL, info, err);
    zw_release(&c->arena.alloc, X, sizeof *X * (size_t)(c->N + 1));
    return status;
}
