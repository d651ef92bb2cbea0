/* SPDX-License-Identifier: MIT */
/* Curves of steady motions over one value, by zw_continue on the equations of steady_curve.h, and the change to another curve at a branch point.
 *
 * With K = U Dr (N x (N + 1)) and t a row along the curve, det (K; t) changes its sign where another curve crosses (H. B. Keller, 1977). Its smallest
 * singular value with the sign of the determinant is the function that is watched. At the crossing ker K = span(T, phi), T the tangent of the curve, and
 * psi K = 0; tangents alpha T + beta phi of curves through it fulfil
 *
 *     2 c_12 alpha beta + c_22 beta^2 = 0,     c_12 = psi DK(phi) T,   c_22 = psi DK(phi) phi,
 *
 * so that the other one is phi - c_22/(2 c_12) T. DK(phi) is a difference.
 *
 * The arclength measures the state by its sizes; where it swings by much more they grow with the curve, and where another curve is only seen closer to a branch
 * point they begin smaller: else steps would pass over what bends on a smaller scale. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dense.h"
#include "num/linalg.h"
#include "steady_curve.h"

enum { HOPF, BRANCH, SHRINKS, TESTS, UNKNOWN = 1 << 20 };
#define FAMILY 1e-9   /* singular values of Dr: neighbours in more than one direction */
#define CROSSING 1e-4 /* of them: a fold of another curve that crosses is none */
#define BESIDE 1e-5   /* in s: no fold either, */
#define ROUGHLY 1e-2  /* if da/ds is zero at the crossing itself, */
#define STRAIGHT 1e-6 /* in units: near it points are hard to find */
#define STEP 0.02     /* the first, in s */
#define SIDE 1e-3     /* of s: differences of matrices */
#define ASIDE 0.02    /* from a branch point: where left vectors are known, */
#define FIRST 2e-3    /* and where another curve begins: what lies nearer is not seen, */
#define NEARER 0.1    /* and again, where it is not met there, */
#define NEAREST 1e-5  /* but not so near */
#define MET 0.3       /* of this distance: so far from it the curve may be */
#define SWING 0.3     /* of what the state has gone along a curve: a size */
#define ENOUGH 1.5    /* times larger than before: worth another measure */
#define AWAY 1e6      /* sizes of the state: it leaves for infinity */
#define PERFECT 1e-12 /* of the sizes of the rates: an imperfection that is rounding */
#define VANISHES 1e-6 /* of the slowest rate elsewhere: an eigenvalue that is none */
#define NEARLY 1e-4   /* a singular value of K: perhaps it is zero near by, */
#define SHORT 1e-4    /* in s: which so short a step would have told */
#define FLAT 1e-6     /* a singular value of K: more than a fold */
#define MEETS 1e-7    /* of them: a singular value where curves cross */
#define SLOW 1e-3     /* of the fastest rate, for what is: */
#define OFF 1e-6      /* what is met worse is no motion */

typedef struct walk {
    zw_steady_curve *c;
    double b;
    const double *aim; /* N: the first point of another curve as it was predicted; NULL: none is */
    double aside;      /* its distance from the branch point */
    bool missed;       /* it was not there, */
    bool outside;      /* or out of the range */
    bool away;         /* the state has left */
    int growing,
        now; /* eigenvalues: of the last point of which it is known, and of that at which tests were asked last; -1: not known */
    double step;               /* its length, */
    bool crosses;              /* with a change of sign of the function that is zero at crossings */
    int ones, pairs;           /* changes of sign since then: by one eigenvalue, by a pair, */
    int step_ones, step_pairs; /* and in the step that is looked at, */
    double crossed; /* s of a crossing in it, or of where the motion shrinks; NaN: there is none */
    bool shrinks, shrunk;       /* the latter is so; it was told */
    double imperfection, slope; /* of this crossing; da/ds there */
    int change;                 /* with so many more that grow; UNKNOWN: not known */
} walk;

/* --------------------------------------------------------------------------------------------- problem */

static zw_status residual(void *self, const double *X, double a, double *r, zw_error *err) {
    walk *w = self;
    zw_status status = zw_steady_curve_residual(w->c, X, a, w->b, w->c->r, err);
    if (status == ZW_OK)
        zw_steady_curve_reduce(w->c, w->c->r, r);
    return status;
}

static zw_status factor(void *self, const double *X, double a, const double *row, zw_error *err) {
    walk *w = self;
    zw_steady_curve *c = w->c;
    int n = c->N + 1;
    ZW_TRY(zw_steady_curve_jacobian(c, X, a, w->b, n, err));
    zw_steady_curve_reduce_matrix(c, n, c->matrix);
    memcpy(c->matrix + (size_t)(c->N * n), row, sizeof(double) * (size_t)c->N);
    c->matrix[n * n - 1] = row[c->N] * c->unit_a;
    return zw_num_lu(n, c->matrix, c->pivot) > 0 ? ZW_OK : ZW_RETRY;
}

static void solve(void *self, double *B) {
    walk *w = self;
    zw_num_lu_solve(w->c->N + 1, w->c->matrix, w->c->pivot, 1, B);
    B[w->c->N] *= w->c->unit_a;
}

/* rates of symmetries have no weight: the state goes with them */
static double inner(void *self, const double *u, const double *v) {
    walk *w = self;
    double sum = 0;
    for (int i = 0; i < w->c->nx; i++)
        sum += u[i] * v[i] / (w->c->size[i] * w->c->size[i]);
    return sum;
}

static void dual(void *self, const double *u, double *row) {
    walk *w = self;
    for (int i = 0; i < w->c->nx; i++)
        row[i] = u[i] / (w->c->size[i] * w->c->size[i]);
    memset(row + w->c->nx, 0, sizeof(double) * (size_t)w->c->nc);
}

/* ------------------------------------------------------------------------------------------------ tests */

/* a row to measure by before there is a tangent: the null vector of K */
static zw_status first_row(zw_steady_curve *c, zw_error *err) {
    int n = c->N + 1;
    zw_arena_mark mark = zw_arena_mark_now(&c->arena);
    double *sv = ZW_NEW(&c->arena, double, n + 1), *V = ZW_NEW(&c->arena, double, n *n + 1);
    if (c->arena.failed)
        return zw_steady_curve_no_memory(err);
    zw_steady_curve_reduce_matrix(c, n, c->work);
    if (!zw_dense_svd(&c->arena, c->N, n, c->work, sv, V, NULL))
        return zw_dense_failure(&c->arena, err);
    memcpy(c->row, V + (size_t)(c->N * n), sizeof(double) * (size_t)n);
    c->has_row = true;
    zw_arena_release(&c->arena, mark);
    return ZW_OK;
}

static double branch_test(zw_steady_curve *c, const double *X, double a, double b, zw_error *err) {
    int n = c->N + 1;
    double sign = 1;
    if (zw_steady_curve_jacobian(c, X, a, b, n, err) < 0 || (!c->has_row && first_row(c, err) < 0))
        return NAN;
    zw_steady_curve_reduce_matrix(c, n, c->work);
    memcpy(c->work + (size_t)(c->N * n), c->row, sizeof(double) * (size_t)n);
    zw_arena_mark mark = zw_arena_mark_now(&c->arena);
    double *sv = ZW_NEW(&c->arena, double, n + 1), *V = ZW_NEW(&c->arena, double, n *n + 1);
    bool known = !c->arena.failed && zw_dense_svd(&c->arena, n, n, c->work, sv, V, NULL);
    /* beside the next one: where rates have a pole the largest grows, and nothing crosses */
    double least = known && sv[n - 2] > 0 ? sv[n - 1] / sv[n - 2] : NAN;
    zw_arena_release(&c->arena, mark);
    if (!known)
        return NAN;
    zw_num_lu(n, c->work, c->pivot_side);
    for (int i = 0; i < n; i++) {
        sign *= c->work[i * n + i] < 0 ? -1 : 1;
        sign *= c->pivot_side[i] != i ? -1 : 1;
    }
    return sign * least;
}

/* The motion along the only symmetry, by the direction that it had at the last point: it changes its sign where this symmetry does not move the state. */
static double shrink_test(const zw_steady_curve *c) {
    double along = 0;
    if (c->nc != 1 || c->norbit != 1)
        return NAN;
    for (int i = 0; i < c->nx; i++)
        along += c->O[i] * c->X[i] * c->unit_c[0] / c->o.scale[i];
    return along;
}

static zw_status tests(void *self, const double *X, double a, double slope, double *value,
                       zw_error *err) {
    static const int none[2] = {-1, -1};
    walk *w = self;
    zw_error ignored = {0};
    (void)slope;
    value[HOPF] = value[BRANCH] = value[SHRINKS] = NAN;
    zw_status status = zw_steady_curve_spectrum(w->c, X, a, w->b, false, &ignored);
    w->now = status >= 0 ? zw_steady_curve_growing(w->c) : -1;
    if (status >= 0 && w->c->n > 1)
        value[HOPF] = zw_steady_curve_sums(w->c, none);
    value[BRANCH] = branch_test(w->c, X, a, w->b, &ignored);
    if (!ignored.status)
        value[SHRINKS] = shrink_test(w->c);
    return ignored.status == ZW_E_MEMORY ? zw_steady_curve_no_memory(err) : ZW_OK;
}

/* ----------------------------------------------------------------------------------------------- steps */

/* Eigenvalues leave or enter the left half plane one by one where a fold or a branch point is told, two by two at a Hopf point: n of them between two points need marks that explain
 * them, an even or odd number of them by the marks of one. What is held or always zero gives folds that no eigenvalue passes. */
static bool is_explained(const zw_steady_curve *c, int n, int ones, int pairs) {
    bool all = c->nhold == 0 && c->deflation.m == c->deflation.n;
    return zw_cont_explains(n, ones, pairs) || (!all && abs(n) <= ones + 2 * pairs);
}

static void count_changes(walk *w, const zw_cont_point *from, const zw_cont_point *to) {
    bool lost = isnan(from->test[BRANCH] + to->test[BRANCH]),
         lost_pair = w->c->n > 1 && isnan(from->test[HOPF] + to->test[HOPF]);
    w->step_ones =
        zw_cont_changes(from, to, ZW_CONT_FOLD) + (zw_cont_changes(from, to, BRANCH) || lost);
    w->step_pairs = zw_cont_changes(from, to, HOPF) || lost_pair;
}

static zw_status accept(void *self, const zw_cont_point *from, const zw_cont_point *to, bool *yes,
                        zw_error *err) {
    walk *w = self;
    (void)err;
    count_changes(w, from, to);
    w->step = to->s - from->s;
    w->crosses = zw_cont_changes(from, to, BRANCH);
    w->crossed = NAN;
    w->slope = 1;
    w->shrinks = false;
    w->change = w->growing >= 0 && w->now >= 0 ? w->now - w->growing : UNKNOWN;
    if (w->change != UNKNOWN)
        *yes = is_explained(w->c, w->change, w->ones + w->step_ones, w->pairs + w->step_pairs);
    return ZW_OK;
}

/* a point that was taken */
static void keep_count(walk *w) {
    double least = INFINITY;
    for (int i = 0; i < w->c->n; i++)
        least = fmin(least, hypot(w->c->re[i], w->c->im[i]));
    w->c->slow = w->c->n > 0 ? fmax(w->c->slow, least) : w->c->slow;
    int now = zw_steady_curve_growing(w->c);
    if (now >= 0 || w->growing < 0) {
        w->growing = now;
        w->ones = w->pairs = 0;
    } else {
        w->ones += w->step_ones;
        w->pairs += w->step_pairs;
    }
    w->step_ones = w->step_pairs = 0;
}

/* Where a function that is zero at crossings changes its sign, two curves may pass each other without a meeting: the step went from one to the other. Along psi, which no change of X and
 * a moves, r is then not zero between them: the imperfection e. Beside a crossing, where K has the singular value sigma, it is as sigma^2. */
static zw_status find_imperfection(zw_steady_curve *c, const double *X, double a, double b,
                                   double *e, double *sigma, zw_error *err) {
    int n = c->N + 1;
    zw_arena_mark mark = zw_arena_mark_now(&c->arena);
    double *sv = ZW_NEW(&c->arena, double, n + 1), *V = ZW_NEW(&c->arena, double, n *n + 1),
           *U = ZW_NEW(&c->arena, double, n *n + 1);
    if (c->arena.failed)
        return zw_steady_curve_no_memory(err);
    ZW_TRY(zw_steady_curve_jacobian(c, X, a, b, n, err));
    zw_steady_curve_reduce_matrix(c, n, c->work);
    if (!zw_dense_svd(&c->arena, c->N, n, c->work, sv, V, U))
        return zw_dense_failure(&c->arena, err);
    ZW_TRY(zw_steady_curve_residual(c, X, a, b, c->r, err));
    zw_steady_curve_reduce(c, c->r, c->point);
    *e = 0;
    for (int i = 0; i < c->N; i++)
        *e += U[(c->N - 1) * c->N + i] * c->point[i];
    *sigma = sv[c->N - 1];
    zw_arena_release(&c->arena, mark);
    return ZW_OK;
}

/* eigenvalues that are as good as zero */
static int count_zeros(const zw_steady_curve *c) {
    int n = 0;
    for (int i = 0; i < c->n; i++)
        n += hypot(c->re[i], c->im[i]) <= VANISHES * c->slow;
    return n;
}

/* Opposite real eigenvalues: nothing happens, unless both are zero and two curves cross at once. */
static bool confirm_opposite(walk *w, const zw_cont_point *p) {
    bool several = count_zeros(w->c) > 1;
    w->step_pairs -= w->step_pairs > 0;
    w->step_ones += several ? 2 : 0;
    w->crossed = several ? p->s : w->crossed;
    return w->change == UNKNOWN ||
           is_explained(w->c, w->change, w->ones + w->step_ones, w->pairs + w->step_pairs);
}

static zw_status confirm(void *self, const zw_cont_point *p, bool *yes, zw_error *err) {
    static const int none[2] = {-1, -1};
    walk *w = self;
    double e, sigma;
    zw_error ignored = {0};
    if (p->what == HOPF && zw_steady_curve_pair(w->c, none) < 0)
        *yes = confirm_opposite(w, p);
    if (p->what == SHRINKS) {
        w->shrinks = true;
        w->crossed = p->s;
    }
    /* a fold where K is nearly singular may be the crossing of a branch that turns, beside another crossing in the same step */
    bool suspicious = p->what == ZW_CONT_FOLD && !w->crosses && w->step > SHORT;
    if ((p->what != BRANCH && !suspicious) || w->shrinks)
        return ZW_OK;
    zw_status status = find_imperfection(w->c, p->x, p->a, w->b, &e, &sigma, &ignored);
    if (status < 0)
        return status == ZW_E_MEMORY ? zw_steady_curve_no_memory(err) : ZW_OK;
    if (suspicious) {
        *yes = sigma > NEARLY;
        return ZW_OK;
    }
    *yes = fabs(e) <= PERFECT + 10 * sigma * sigma && sigma <= MEETS;
    if (*yes) {
        w->crossed = p->s;
        w->slope = p->slope;
        w->imperfection = fmax(fabs(e) - 10 * sigma * sigma, 0);
    }
    return ZW_OK;
}

/* ----------------------------------------------------------------------------------------------- points */

zw_status zw_steady_curve_tell(zw_steady_curve *c, zw_steady_point *told, const double *X,
                               const double *tangent, int ntangent, zw_error *err) {
    ZW_TRY(zw_steady_curve_residual(c, X, told->a, told->b, c->r, err));
    memcpy(c->motion.x, c->x, sizeof(double) * (size_t)c->nx);
    memcpy(c->motion.c, c->c, sizeof(double) * (size_t)c->nc);
    memcpy(c->motion.z, c->z, sizeof(double) * (size_t)c->k->nz);
    c->motion.residual = 0;
    for (int i = 0; i < c->M; i++) { /* rows that vanish where a curve begins have small units */
        double slow = i < c->nx ? SLOW * c->rate * c->o.scale[i] : 0,
               part = c->row_unit[i] / fmax(c->row_unit[i], slow);
        c->motion.residual = fmax(c->motion.residual, part * fabs(c->r[i]));
    }
    if (c->motion.residual > OFF)
        return zw_fail(err, ZW_E_NUMERIC,
                       "the equations of steady motions contradict what is held, by %.2g of their "
                       "size",
                       c->motion.residual);
    for (int i = 0; i < c->N; i++)
        c->tangent[i] = tangent[i] * (i < c->nx ? c->o.scale[i] : c->unit_c[i - c->nx]);
    for (int i = c->N; i < ntangent; i++)
        c->tangent[i] = tangent[i];
    told->motion = &c->motion;
    told->symmetries = &c->s;
    told->tangent = c->tangent;
    told->n = c->n;
    told->re = c->re;
    told->im = c->im;
    return c->take(c->user, told, err);
}

/* The tangent is the row that determinants are measured by from here on, on the side that keeps their sign. */
static void turn_row(zw_steady_curve *c, const double *tangent) {
    double along = 0;
    for (int i = 0; i <= c->N; i++)
        along += c->row[i] * tangent[i] / (i == c->N ? c->unit_a : 1);
    for (int i = 0; i <= c->N; i++)
        c->row[i] = (c->has_row && along < 0 ? -1 : 1) * tangent[i] / (i == c->N ? c->unit_a : 1);
    c->has_row = true;
}

/* Is da/ds zero because the curve turns, and not because another one crosses? */
static bool is_fold(walk *w, const zw_cont_point *p) {
    double e, sigma;
    zw_error ignored = {0};
    double beside = fabs(w->slope * w->c->unit_a) <= STRAIGHT ? ROUGHLY : BESIDE;
    return fabs(p->test[BRANCH]) > CROSSING && !(fabs(p->s - w->crossed) <= beside) &&
           find_imperfection(w->c, p->x, p->a, w->b, &e, &sigma, &ignored) >= 0 && sigma > FLAT;
}

static zw_steady_kind kind_of(walk *w, const zw_cont_point *p, int *pair) {
    static const int none[2] = {-1, -1};
    *pair = -1;
    switch (p->what) {
    case HOPF:
        *pair = zw_steady_curve_pair(w->c, none);
        return *pair >= 0              ? ZW_STEADY_HOPF
               : count_zeros(w->c) > 1 ? ZW_STEADY_BRANCH
                                       : ZW_STEADY_POINT;
    case BRANCH:
        return w->shrinks && fabs(p->s - w->crossed) <= BESIDE ? ZW_STEADY_POINT : ZW_STEADY_BRANCH;
    case SHRINKS:
        return ZW_STEADY_SHRINKS;
    case ZW_CONT_FOLD:
        return is_fold(w, p) ? ZW_STEADY_FOLD : ZW_STEADY_POINT;
    case ZW_CONT_BOUND:
        return ZW_STEADY_END;
    default:
        return ZW_STEADY_POINT;
    }
}

static bool misses(walk *w, const zw_cont_point *p) {
    double off = 0;
    for (int i = 0; i < w->c->nx; i++)
        off = hypot(off, p->x[i] - w->aim[i]);
    w->aim = NULL;
    return off > MET * w->aside;
}

static zw_status take(void *user, const zw_cont_point *p, zw_error *err) {
    walk *w = user;
    zw_steady_curve *c = w->c;
    int pair;
    if (w->aim) {
        w->outside = p->a < c->o.low || p->a > c->o.high;
        w->missed = misses(w, p);
        if (w->missed || w->outside)
            return ZW_STOPPED;
    }
    ZW_TRY(zw_steady_curve_spectrum(c, p->x, p->a, w->b, false, err));
    zw_steady_kind kind = kind_of(w, p, &pair);
    bool located = p->what >= 0 || p->what == ZW_CONT_FOLD;
    if (located && kind == ZW_STEADY_POINT)
        return ZW_OK;
    zw_steady_point told = {.kind = kind,
                            .a = p->a,
                            .b = w->b,
                            .s = p->s,
                            .omega = pair >= 0 ? c->im[pair] : 0,
                            .cubic = NAN,
                            .zeros = count_zeros(c),
                            .imperfection = kind == ZW_STEADY_BRANCH ? w->imperfection : 0};
    zw_status status = zw_steady_curve_tell(c, &told, p->x, p->tangent, c->N + 1, err);
    ZW_TRY(status);
    if (!located) {
        ZW_TRY(zw_steady_curve_spectrum(c, p->x, p->a, w->b, true, err));
        memcpy(c->last_re, c->re, sizeof(double) * (size_t)c->n);
        memcpy(c->last_im, c->im, sizeof(double) * (size_t)c->n);
        c->nlast = c->n;
        keep_count(w);
        turn_row(c, p->tangent);
        for (int i = 0; i < c->nx; i++)
            w->away |= fabs(p->x[i] - c->origin[i]) > AWAY;
    }
    w->shrunk |= kind == ZW_STEADY_SHRINKS;
    return (w->away && p->what != ZW_CONT_BOUND) || w->shrunk ? ZW_STOPPED : status;
}

/* planes and left vectors anew at every point, and sizes where the state has gone far */
static bool measure(void *self, const double *X, double a) {
    walk *w = self;
    zw_steady_curve *c = w->c;
    zw_error ignored = {0};
    bool changed = false;
    zw_steady_curve_refer(c, X, a, w->b, c->N + 1, NULL, &ignored);
    for (int i = 0; i < c->nx; i++) {
        double swing = fabs(X[i] - c->origin[i]),
               wanted = c->size[i] < 1 ? fmin(swing, 1) : SWING * swing;
        if (!(wanted > ENOUGH * c->size[i]))
            continue;
        c->size[i] = wanted;
        changed = true;
    }
    return changed;
}

/* The planes across the orbits have turned at this point: directions along the curve, which lie in them, get as much of the symmetries as puts them there. */
static zw_status follow_planes(void *self, double a, int n, double **vector, bool *moved,
                               zw_error *err) {
    zw_steady_curve *c = ((walk *)self)->c;
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

/* own: what is small where the curve begins is measured by itself */
static void measure_from(zw_steady_curve *c, const double *X, double size, bool own) {
    for (int i = 0; i < c->nx; i++) {
        bool small = own && fabs(X[i]) > NEAREST && fabs(X[i]) < SWING;
        c->size[i] = small ? fabs(X[i]) : size;
    }
    memcpy(c->origin, X, sizeof(double) * (size_t)c->nx);
}

static zw_status go(walk *w, double *X, double a, int direction, const double *toward,
                    zw_cont_info *info, zw_error *err) {
    zw_steady_curve *c = w->c;
    zw_cont_problem p = {.self = w,
                         .n = c->N,
                         .unit = c->unit_a,
                         .residual = residual,
                         .factor = factor,
                         .solve = solve,
                         .inner = inner,
                         .ntest = TESTS,
                         .tests = tests,
                         .dual = dual,
                         .measure = measure,
                         .adapt = follow_planes,
                         .accept = accept,
                         .confirm = confirm};
    zw_cont_options o = zw_cont_options_default();
    o.low = c->o.low;
    o.high = c->o.high;
    o.step = STEP;
    o.step_max = c->o.step_max;
    o.points_max = c->o.points_max;
    o.tolerance = c->o.tolerance;
    o.toward = toward;
    w->away = false;
    w->growing = -1;
    w->crossed = NAN;
    w->shrinks = w->shrunk = false;
    w->imperfection = 0;
    w->change = UNKNOWN;
    zw_status status = zw_continue(&p, &o, X, a, direction, take, w, info, &c->arena.alloc, err);
    if (status >= 0 && w->away && info && info->end == ZW_CONT_ASKED) {
        info->end = ZW_CONT_STUCK;
        snprintf(info->why, sizeof info->why, "the state has grown by %g times its size", AWAY);
    }
    return status;
}

/* Are all eigenvalues of the motion different from zero, by more than what rounding makes of it? */
static zw_status find_regular(zw_steady_curve *c, zw_error *err) {
    zw_linearisation a;
    zw_error ignored = {0};
    zw_status status = zw_linearise(&a, c->flow, &c->s, &c->motion, &ignored);
    c->regular = status >= 0 && a.nzero == 0;
    if (status >= 0)
        zw_linearisation_clear(&a);
    return status == ZW_E_MEMORY ? zw_steady_curve_no_memory(err) : ZW_OK;
}

zw_status zw_steady_curve_follow(zw_steady_curve *c, const double *x, double a, double b,
                                 int direction, zw_steady_take taker, void *user,
                                 zw_cont_info *info, zw_error *err) {
    walk w = {.c = c, .b = b};
    double gap;
    c->take = taker;
    c->user = user;
    c->slow = 0;
    c->deflation.nlevel = -1; /* what is always zero is learned anew */
    c->deflation.m = c->deflation.n;
    ZW_TRY(zw_steady_curve_set(c, a, b, err));
    memcpy(c->motion.x, x, sizeof(double) * (size_t)c->nx);
    ZW_TRY(zw_steady_find(&c->motion, c->flow, &c->s, c->o.scale, c->nhold, c->hold, err));
    ZW_TRY(find_regular(c, err));
    ZW_TRY(zw_steady_curve_begin(c, &c->motion, a, b, true, err));
    double *X = zw_allocate(&c->arena.alloc, sizeof *X * (size_t)(c->N + 1));
    if (!X)
        return zw_steady_curve_no_memory(err);
    zw_steady_curve_place(c, &c->motion, X);
    zw_status status = zw_steady_curve_refer(c, X, a, b, c->N + 1, &gap, err);
    if (status >= 0 && gap < FAMILY) {
        status = zw_fail(err, ZW_E_MODEL,
                         "neighbouring steady motions are left open, or branches meet where the "
                         "curve begins");
        zw_error_hint(err, "begin at another value (--set), or hold one of them (--hold)");
    }
    measure_from(c, X, 1, true);
    if (status >= 0)
        status = go(&w, X, a, direction, NULL, info, err);
    zw_release(&c->arena.alloc, X, sizeof *X * (size_t)(c->N + 1));
    return status;
}

/* --------------------------------------------------------------------------------------- another curve */

/* ker K beside T into phi, and psi; work: K (N x (N + 1)) */
static zw_status find_kernel(zw_steady_curve *c, const double *T, double *phi, double *psi,
                             zw_error *err) {
    int n = c->N + 1;
    zw_arena_mark mark = zw_arena_mark_now(&c->arena);
    double *sv = ZW_NEW(&c->arena, double, n + 1), *V = ZW_NEW(&c->arena, double, n *n + 1),
           *U = ZW_NEW(&c->arena, double, n *n + 1), length = 0;
    if (c->arena.failed)
        return zw_steady_curve_no_memory(err);
    zw_steady_curve_reduce_matrix(c, n, c->work);
    if (!zw_dense_svd(&c->arena, c->N, n, c->work, sv, V, U))
        return zw_dense_failure(&c->arena, err);
    memcpy(psi, U + (size_t)((c->N - 1) * c->N), sizeof(double) * (size_t)c->N);
    /* T lies in the span of the last two: what of them is across it */
    const double *u = V + (size_t)((c->N - 1) * n), *v = V + (size_t)(c->N * n);
    double tu = 0, tv = 0;
    for (int i = 0; i < n; i++) {
        tu += T[i] * u[i];
        tv += T[i] * v[i];
    }
    for (int i = 0; i < n; i++) {
        phi[i] = tv * u[i] - tu * v[i];
        length += phi[i] * phi[i];
    }
    for (int i = 0; i < n; i++)
        phi[i] /= sqrt(length);
    zw_arena_release(&c->arena, mark);
    return length > 0 ? ZW_OK : zw_fail(err, ZW_E_NUMERIC, "no other curve crosses here");
}

/* psi K(X + h phi) (N + 1) into out */
static zw_status left_product(zw_steady_curve *c, const double *X, double a, double b, double h,
                              const double *phi, const double *psi, double *out, zw_error *err) {
    int n = c->N + 1;
    for (int i = 0; i < c->N; i++)
        c->point[i] = X[i] + h * phi[i];
    ZW_TRY(zw_steady_curve_jacobian(c, c->point, a + h * phi[c->N] * c->unit_a, b, n, err));
    zw_steady_curve_reduce_matrix(c, n, c->work);
    zw_dense_multiply(1, c->N, n, psi, c->work, out);
    return ZW_OK;
}

/* the other tangent (in units) into T2 */
static zw_status other_tangent(zw_steady_curve *c, const double *X, double a, double b,
                               const double *T, double *T2, zw_error *err) {
    int n = c->N + 1;
    double *phi = c->work2, *psi = phi + n, *low = psi + n, *high = low + n, c12 = 0, c22 = 0,
           length = 0;
    ZW_TRY(zw_steady_curve_jacobian(c, X, a, b, n, err));
    ZW_TRY(find_kernel(c, T, phi, psi, err));
    ZW_TRY(left_product(c, X, a, b, SIDE, phi, psi, high, err));
    ZW_TRY(left_product(c, X, a, b, -SIDE, phi, psi, low, err));
    for (int i = 0; i < n; i++) {
        c12 += (high[i] - low[i]) / (2 * SIDE) * T[i];
        c22 += (high[i] - low[i]) / (2 * SIDE) * phi[i];
    }
    if (!(fabs(c12) > 1e-8))
        return zw_fail(err, ZW_E_NUMERIC,
                       "the curves touch at the branch point, or there are more than two");
    for (int i = 0; i < n; i++) {
        T2[i] = phi[i] - c22 / (2 * c12) * T[i];
        if (i < c->nx || i == c->N)
            length += T2[i] * T2[i];
    }
    for (int i = 0; i < n; i++)
        T2[i] /= sqrt(length);
    return ZW_OK;
}

static zw_status start_beside(walk *w, const zw_steady_point *at, int direction, double *X,
                              double *T, double *T2, zw_cont_info *info, zw_error *err) {
    zw_steady_curve *c = w->c;
    double gap, a = at->a;
    zw_steady_curve_place(c, at->motion, X);
    for (int i = 0; i < c->N; i++) /* a little before it the left vectors are known */
        c->point[i] = T[i] = at->tangent[i] / (i < c->nx ? c->o.scale[i] : c->unit_c[i - c->nx]);
    T[c->N] = at->tangent[c->N] / c->unit_a;
    double length = 0;
    for (int i = 0; i <= c->N; i++)
        length += T[i] * T[i];
    for (int i = 0; i <= c->N; i++)
        T[i] /= sqrt(length);
    for (int i = 0; i < c->N; i++)
        T2[i] = X[i] - ASIDE * T[i];
    ZW_TRY(
        zw_steady_curve_refer(c, T2, a - ASIDE * T[c->N] * c->unit_a, w->b, c->N + 1, &gap, err));
    memcpy(c->reference, X, sizeof(double) * (size_t)c->N);
    ZW_TRY(other_tangent(c, X, a, w->b, T, T2, err));
    for (int i = 0; i <= c->N; i++)
        T2[i] *= direction;
    T2[c->N] *= c->unit_a;
    memcpy(T, X, sizeof(double) * (size_t)c->N); /* the branch point */
    zw_status status = ZW_OK;
    bool again = true;
    for (double h = FIRST; again && h >= NEAREST; h *= NEARER) {
        zw_error trouble = {0};
        for (int i = 0; i < c->N; i++)
            X[i] = T[i] + h * T2[i];
        memcpy(T + c->N + 2, X, sizeof(double) * (size_t)c->N);
        a = at->a + h * T2[c->N];
        measure_from(c, T, h / FIRST, false);
        w->aim = T + c->N + 2;
        w->aside = h;
        w->missed = false;
        w->outside = a < c->o.low || a > c->o.high;
        if (!w->outside)
            status = go(w, X, a, direction, T2, info, &trouble);
        if (w->outside) /* half of the curve is */
            *info = (zw_cont_info){.end = ZW_CONT_AT_BOUND};
        again = !w->outside && (w->missed || (w->aim && status == ZW_E_NUMERIC));
        w->aim = NULL;
        if (again)
            status = zw_fail(&trouble, ZW_E_NUMERIC, "the other curve was not met beside it");
        if (status < 0 && !again && err)
            *err = trouble;
    }
    return again ? zw_fail(err, ZW_E_NUMERIC, "the other curve was not met beside it") : status;
}

zw_status zw_steady_curve_switch(zw_steady_curve *c, const zw_steady_point *at, int direction,
                                 zw_steady_take taker, void *user, zw_cont_info *info,
                                 zw_error *err) {
    walk w = {.c = c, .b = at->b};
    size_t bytes = sizeof(double) * 4 * (size_t)(c->N + 2);
    c->take = taker;
    c->user = user;
    ZW_TRY(zw_steady_curve_begin(c, at->motion, at->a, at->b, false, err));
    double *X = zw_allocate(&c->arena.alloc, bytes);
    if (!X)
        return zw_steady_curve_no_memory(err);
    zw_status status =
        start_beside(&w, at, direction, X, X + c->N + 2, X + 3 * (c->N + 2), info, err);
    zw_release(&c->arena.alloc, X, bytes);
    return status;
}
