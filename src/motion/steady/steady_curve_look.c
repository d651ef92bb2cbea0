/* SPDX-License-Identifier: MIT */
/* What is watched along a curve of steady motions, and whether a step passes over too much.
 *
 * With K = U Dr (N x (N + 1)) and t a row along the curve, det (K; t) changes its sign where
 * another curve crosses (H. B. Keller, 1977). Its smallest singular value with the sign of the
 * determinant is the function that is watched; products of sums of eigenvalues are another
 * (steady_curve_spectrum.c).
 *
 * The number of eigenvalues that grow changes by one at folds and crossings, by two at Hopf points.
 * A step between whose ends it changes otherwise has passed over more than was seen, or from one
 * curve to another, and is refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "branch/curve.h"
#include "num/linear/dense.h"
#include "num/linear/linalg.h"
#include "steady_curve_walk.h"

#define CROSSING 1e-4 /* of singular values: a fold of another curve that crosses is none */
#define BESIDE 1e-5   /* in s: no fold either, */
#define ROUGHLY 1e-2  /* if da/ds is zero at the crossing itself, */
#define STRAIGHT 1e-6 /* in units: near it points are hard to find */
#define SEVERAL                                                                                    \
    1e-3 /* a singular value: where it vanishes with the smallest one, their ratio would jump */
#define PERFECT 1e-12 /* of the sizes of the rates: an imperfection that is rounding */
#define VANISHES 1e-6 /* of the slowest rate elsewhere: an eigenvalue that is none */
#define NEARLY 1e-4   /* a singular value of K: perhaps it is zero near by, */
#define SHORT 1e-4    /* in s: which so short a step would have told */
#define FLAT 1e-6     /* a singular value of K: more than a fold */
#define MEETS 1e-7    /* a singular value of K where curves cross */

/* ---------------------------------------------------------------------------------------- tests */

/* a row to measure by before there is a tangent: the null vector of K */
static zw_status first_row(zw_steady_curve *c, zw_error *err) {
    int n = c->N + 1;
    zw_arena_mark mark = zw_arena_mark_now(&c->arena);
    double *sv = ZW_NEW(&c->arena, double, n + 1), *V = ZW_NEW(&c->arena, double, n *n + 1);
    if (c->arena.failed)
        return zw_out_of_memory(err, NULL);
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
    double least = known && sv[n - 2] > 0 ? sv[n - 1] / (sv[n - 2] + SEVERAL) : NAN;
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

/* The motion along the only symmetry, by the direction that it had at the last point: it changes
 * its sign where this symmetry does not move the state. */
static double shrink_test(const zw_steady_curve *c) {
    double along = 0;
    if (c->nc != 1 || c->norbit != 1)
        return NAN;
    for (int i = 0; i < c->nx; i++)
        along += c->O[i] * c->X[i] * c->unit_c[0] / c->o.scale[i];
    return along;
}

zw_status zw_steady_walk_tests(void *self, const double *X, double a, double slope, double *value,
                               zw_error *err) {
    static const int none[2] = {-1, -1};
    zw_steady_walk *w = self;
    zw_error ignored = {0};
    (void)slope;
    value[ZW_STEADY_TEST_HOPF] = value[ZW_STEADY_TEST_BRANCH] = value[ZW_STEADY_TEST_SHRINKS] = NAN;
    zw_status status = zw_steady_curve_spectrum(w->c, X, a, w->b, false, &ignored);
    w->now = status >= 0 ? zw_steady_curve_growing(w->c) : -1;
    if (status >= 0 && w->c->n > 1)
        value[ZW_STEADY_TEST_HOPF] = zw_steady_curve_sums(w->c, none);
    value[ZW_STEADY_TEST_BRANCH] = branch_test(w->c, X, a, w->b, &ignored);
    if (!ignored.status)
        value[ZW_STEADY_TEST_SHRINKS] = shrink_test(w->c);
    return ignored.status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : ZW_OK;
}

/* ---------------------------------------------------------------------------------------- steps */

/* Eigenvalues leave or enter the left half plane one by one where a fold or a branch point is told,
 * two by two at a Hopf point: n of them between two points need marks that explain them, an even or
 * odd number of them by the marks of one. What is held or always zero gives folds that no
 * eigenvalue passes. */
static bool is_explained(const zw_steady_curve *c, int n, int ones, int pairs) {
    bool all = c->nhold == 0 && c->deflation.m == c->deflation.n;
    return zw_cont_explains(n, ones, pairs) || (!all && abs(n) <= ones + 2 * pairs);
}

static void count_changes(zw_steady_walk *w, const zw_cont_point *from, const zw_cont_point *to) {
    bool lost = isnan(from->test[ZW_STEADY_TEST_BRANCH] + to->test[ZW_STEADY_TEST_BRANCH]),
         lost_pair =
             w->c->n > 1 && isnan(from->test[ZW_STEADY_TEST_HOPF] + to->test[ZW_STEADY_TEST_HOPF]);
    w->step_ones = zw_cont_changes(from, to, ZW_CONT_FOLD) +
                   (zw_cont_changes(from, to, ZW_STEADY_TEST_BRANCH) || lost);
    w->step_pairs = zw_cont_changes(from, to, ZW_STEADY_TEST_HOPF) || lost_pair;
}

zw_status zw_steady_walk_accept(void *self, const zw_cont_point *from, const zw_cont_point *to,
                                bool *yes, zw_error *err) {
    zw_steady_walk *w = self;
    (void)err;
    count_changes(w, from, to);
    w->step = to->s - from->s;
    w->crosses = zw_cont_changes(from, to, ZW_STEADY_TEST_BRANCH);
    w->crossed = NAN;
    w->slope = 1;
    w->shrinks = false;
    w->change = w->growing >= 0 && w->now >= 0 ? w->now - w->growing : ZW_STEADY_UNKNOWN;
    if (w->change != ZW_STEADY_UNKNOWN)
        *yes = is_explained(w->c, w->change, w->ones + w->step_ones, w->pairs + w->step_pairs);
    return ZW_OK;
}

/* a point that was taken */
void zw_steady_walk_keep(zw_steady_walk *w) {
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

/* Where a function that is zero at crossings changes its sign, two curves may pass each other
 * without a meeting: the step went from one to the other. Along psi, which no change of X and a
 * moves, r is then not zero between them: the imperfection e. Beside a crossing, where K has the
 * singular value sigma, it is as sigma^2. */
static zw_status find_imperfection(zw_steady_curve *c, const double *X, double a, double b,
                                   double *e, double *sigma, zw_error *err) {
    int n = c->N + 1;
    zw_arena_mark mark = zw_arena_mark_now(&c->arena);
    double *sv = ZW_NEW(&c->arena, double, n + 1), *V = ZW_NEW(&c->arena, double, n *n + 1),
           *U = ZW_NEW(&c->arena, double, n *n + 1);
    if (c->arena.failed)
        return zw_out_of_memory(err, NULL);
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
int zw_steady_walk_zeros(const zw_steady_curve *c) {
    int n = 0;
    for (int i = 0; i < c->n; i++)
        n += hypot(c->re[i], c->im[i]) <= VANISHES * c->slow;
    return n;
}

/* Opposite real eigenvalues: nothing happens, unless both are zero and two curves cross at once. */
static bool confirm_opposite(zw_steady_walk *w, const zw_cont_point *p) {
    bool several = zw_steady_walk_zeros(w->c) > 1;
    w->step_pairs -= w->step_pairs > 0;
    w->step_ones += several ? 2 : 0;
    w->crossed = several ? p->s : w->crossed;
    return w->change == ZW_STEADY_UNKNOWN ||
           is_explained(w->c, w->change, w->ones + w->step_ones, w->pairs + w->step_pairs);
}

zw_status zw_steady_walk_confirm(void *self, const zw_cont_point *p, bool *yes, zw_error *err) {
    static const int none[2] = {-1, -1};
    zw_steady_walk *w = self;
    double e, sigma;
    zw_error ignored = {0};
    if (p->what == ZW_STEADY_TEST_HOPF && zw_steady_curve_pair(w->c, none) < 0)
        *yes = confirm_opposite(w, p);
    if (p->what == ZW_STEADY_TEST_SHRINKS) {
        w->shrinks = true;
        w->crossed = p->s;
    }
    /* a fold where K is nearly singular may be the crossing of a branch that turns, beside another
     * crossing in the same step */
    bool suspicious = p->what == ZW_CONT_FOLD && !w->crosses && w->step > SHORT;
    if ((p->what != ZW_STEADY_TEST_BRANCH && !suspicious) || w->shrinks)
        return ZW_OK;
    zw_status status = find_imperfection(w->c, p->x, p->a, w->b, &e, &sigma, &ignored);
    if (status < 0)
        return status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : ZW_OK;
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

/* Is da/ds zero because the curve turns, and not because another one crosses? */
bool zw_steady_walk_is_fold(zw_steady_walk *w, const zw_cont_point *p) {
    double e, sigma;
    zw_error ignored = {0};
    double beside = fabs(w->slope * w->c->unit_a) <= STRAIGHT ? ROUGHLY : BESIDE;
    return fabs(p->test[ZW_STEADY_TEST_BRANCH]) > CROSSING &&
           !(fabs(p->s - w->crossed) <= beside) &&
           find_imperfection(w->c, p->x, p->a, w->b, &e, &sigma, &ignored) >= 0 && sigma > FLAT;
}
