/* Test functions along a curve of steady motions, and whether a step passes over too much.
 *
 * With K = U Dr (N x (N + 1)) and t a row along the curve, det (K; t) changes its sign where
 * another curve crosses (H. B. Keller, 1977). The test function is the smallest singular value with
 * the sign of the determinant. Products of sums of eigenvalues are another test function
 * (steady_curve_spectrum.c).
 *
 * The number of growing eigenvalues changes by one at folds and crossings, by two at Hopf points. A
 * step between whose ends it changes otherwise has passed over an undetected special point, or from
 * one curve to another, and is rejected. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "num/linear/dense.h"
#include "num/linear/linalg.h"
#include "steady_branch.h"

/* test function at a zero of da/ds: below, a curve crosses, no fold; NEXT_SINGULAR makes true folds
 * larger */
#define CROSSING 1e-4
/* a zero of da/ds so near a crossing is no fold: a hundred times the error of two zeros located on
 * polynomials */
#define SAME_ARCLENGTH 1e-5
/* The same where da/ds is zero at the crossing itself: the zero is then located less accurately. */
#define SAME_ARCLENGTH_FLAT 1e-2
/* da/ds at a crossing, in units, below which it is zero: SINGULAR_CROSSING with margin */
#define SLOPE_ZERO 1e-6
/* Added to the next singular value: where this one vanishes too, the ratio of both would jump. */
#define NEXT_SINGULAR 1e-3
#define IMPERFECTION_ROUNDOFF ZW_ROUNDOFF_SUM /* in the sizes of the rates */
#define IMPERFECTION_CURVATURE 10 /* e is at most this times sigma^2 next to a true crossing */
/* Of the slowest eigenvalue elsewhere: zero at a located zero, whose error is 1e-9 of the step,
 * with margin for a steep eigenvalue. */
#define EIGENVALUE_ZERO 1e-6
/* singular value of K at a fold: there may be a crossing within a step of STEP_SHORT */
#define SINGULAR_NEARBY 1e-4
#define STEP_SHORT 1e-4 /* in s: a step that would have separated this crossing */
/* singular value of K at a zero of da/ds: below, more than a fold; ten times SINGULAR_CROSSING */
#define SINGULAR_FLAT 1e-6
/* singular value of K at a located crossing: sqrt(eps) with margin */
#define SINGULAR_CROSSING 1e-7

/* ---------------------------------------------------------------------------------------- tests */

/* A last row before there is a tangent: the null vector of K. */
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
    /* relative to the next one: the largest grows where rates have a pole, and nothing crosses */
    double least = known && sv[n - 2] > 0 ? sv[n - 1] / (sv[n - 2] + NEXT_SINGULAR) : NAN;
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

/* The motion along the only symmetry, in the direction that it had at the last point: it changes
 * its sign where this symmetry does not move the state. */
static double shrink_test(const zw_steady_curve *c) {
    double along = 0;
    if (c->nc != 1 || c->norbit != 1)
        return NAN;
    for (int i = 0; i < c->nx; i++)
        along += c->O[i] * c->X[i] * c->unit_c[0] / c->o.scale[i];
    return along;
}

zw_status zw_steady_branch_tests(void *self, const double *X, double a, double slope, double *value,
                                 zw_error *err) {
    static const int none[2] = {-1, -1};
    zw_steady_branch *w = self;
    zw_error ignored = {0};
    (void)slope;
    value[ZW_STEADY_TEST_HOPF] = value[ZW_STEADY_TEST_BRANCH] = value[ZW_STEADY_TEST_SHRINKS] = NAN;
    zw_status status = zw_steady_curve_spectrum(w->c, X, a, w->b, false, &ignored);
    w->growing_now = status >= 0 ? zw_steady_curve_growing(w->c) : -1;
    if (status >= 0 && w->c->n > 1)
        value[ZW_STEADY_TEST_HOPF] = zw_steady_curve_sums(w->c, none);
    value[ZW_STEADY_TEST_BRANCH] = branch_test(w->c, X, a, w->b, &ignored);
    if (!ignored.status)
        value[ZW_STEADY_TEST_SHRINKS] = shrink_test(w->c);
    return ignored.status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : ZW_OK;
}

/* ---------------------------------------------------------------------------------------- steps */

/* Is a change of n in the number of growing eigenvalues explained? They cross the axis one by one
 * at a fold or a branch point, two by two at a Hopf point: as many such points must lie between,
 * and the parity must agree. If values are held or eigenvalues always zero, there are folds at
 * which none crosses. */
static bool is_explained(const zw_steady_curve *c, int n, int ones, int pairs) {
    bool all = c->nhold == 0 && c->deflation.m == c->deflation.n;
    return zw_cont_explains(n, ones, pairs) || (!all && abs(n) <= ones + 2 * pairs);
}

static void count_changes(zw_steady_branch *w, const zw_cont_point *from, const zw_cont_point *to) {
    bool lost = isnan(from->test[ZW_STEADY_TEST_BRANCH] + to->test[ZW_STEADY_TEST_BRANCH]),
         lost_pair =
             w->c->n > 1 && isnan(from->test[ZW_STEADY_TEST_HOPF] + to->test[ZW_STEADY_TEST_HOPF]);
    w->step_ones = zw_cont_changes(from, to, ZW_CONT_FOLD) +
                   (zw_cont_changes(from, to, ZW_STEADY_TEST_BRANCH) || lost);
    w->step_pairs = zw_cont_changes(from, to, ZW_STEADY_TEST_HOPF) || lost_pair;
}

zw_status zw_steady_branch_accept(void *self, const zw_cont_point *from, const zw_cont_point *to,
                                  bool *yes, zw_error *err) {
    zw_steady_branch *w = self;
    (void)err;
    count_changes(w, from, to);
    w->step = to->s - from->s;
    w->crosses = zw_cont_changes(from, to, ZW_STEADY_TEST_BRANCH);
    w->crossed = NAN;
    w->slope = 1;
    w->shrinks = false;
    w->change =
        w->growing >= 0 && w->growing_now >= 0 ? w->growing_now - w->growing : ZW_STEADY_UNKNOWN;
    if (w->change != ZW_STEADY_UNKNOWN)
        *yes = is_explained(w->c, w->change, w->ones + w->step_ones, w->pairs + w->step_pairs);
    return ZW_OK;
}

/* Record an accepted point. */
void zw_steady_branch_record(zw_steady_branch *w) {
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

/* Where the test function of crossings changes its sign, two curves may pass each other without
 * meeting: the step went from one to the other. Along psi, the left null vector of K, r is then not
 * zero between them: the imperfection e. Next to a crossing, where K has the singular value sigma,
 * e is of order sigma^2. */
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

/* The number of eigenvalues that are zero to working accuracy. */
int zw_steady_branch_zeros(const zw_steady_curve *c) {
    int n = 0;
    for (int i = 0; i < c->n; i++)
        n += hypot(c->re[i], c->im[i]) <= EIGENVALUE_ZERO * c->slow;
    return n;
}

/* Opposite real eigenvalues are no special point, unless both are zero and two curves cross at
 * once. */
static bool confirm_opposite(zw_steady_branch *w, const zw_cont_point *p) {
    bool several = zw_steady_branch_zeros(w->c) > 1;
    w->step_pairs -= w->step_pairs > 0;
    w->step_ones += several ? 2 : 0;
    w->crossed = several ? p->s : w->crossed;
    return w->change == ZW_STEADY_UNKNOWN ||
           is_explained(w->c, w->change, w->ones + w->step_ones, w->pairs + w->step_pairs);
}

zw_status zw_steady_branch_confirm(void *self, const zw_cont_point *p, bool *yes, zw_error *err) {
    static const int none[2] = {-1, -1};
    zw_steady_branch *w = self;
    double e, sigma;
    zw_error ignored = {0};
    if (p->what == ZW_STEADY_TEST_HOPF && zw_steady_curve_pair(w->c, none) < 0)
        *yes = confirm_opposite(w, p);
    if (p->what == ZW_STEADY_TEST_SHRINKS) {
        w->shrinks = true;
        w->crossed = p->s;
    }
    /* a fold where K is nearly singular may be the crossing of a branch that turns, next to another
     * crossing in the same step */
    bool suspicious = p->what == ZW_CONT_FOLD && !w->crosses && w->step > STEP_SHORT;
    if ((p->what != ZW_STEADY_TEST_BRANCH && !suspicious) || w->shrinks)
        return ZW_OK;
    zw_status status = find_imperfection(w->c, p->x, p->a, w->b, &e, &sigma, &ignored);
    if (status < 0)
        return status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : ZW_OK;
    if (suspicious) {
        *yes = sigma > SINGULAR_NEARBY;
        return ZW_OK;
    }
    *yes = fabs(e) <= IMPERFECTION_ROUNDOFF + IMPERFECTION_CURVATURE * sigma * sigma &&
           sigma <= SINGULAR_CROSSING;
    if (*yes) {
        w->crossed = p->s;
        w->slope = p->slope;
        w->imperfection = fmax(fabs(e) - IMPERFECTION_CURVATURE * sigma * sigma, 0);
    }
    return ZW_OK;
}

bool zw_steady_branch_is_fold(zw_steady_branch *w, const zw_cont_point *p) {
    double e, sigma;
    zw_error ignored = {0};
    double near =
        fabs(w->slope * w->c->unit_a) <= SLOPE_ZERO ? SAME_ARCLENGTH_FLAT : SAME_ARCLENGTH;
    return fabs(p->test[ZW_STEADY_TEST_BRANCH]) > CROSSING && !(fabs(p->s - w->crossed) <= near) &&
           find_imperfection(w->c, p->x, p->a, w->b, &e, &sigma, &ignored) >= 0 &&
           sigma > SINGULAR_FLAT;
}
