/* SPDX-License-Identifier: MIT */
#include "branch_points.h"

#include <math.h>
#include <string.h>

#include "base/tolerance.h"

enum { ITERATIONS = 4 }; /* each one reduces the other directions by the ratio of singular values */

/* Two motions that were found in different ways, one of them at a crude distance: relative to the
 * range and to the size of the motion. On the scale of a plot they are the same. */
#define SAME_MOTION_VALUE 1e-5
#define SAME_MOTION_SIZE 1e-2
/* Mirror images, both corrected by Newton's method on their own branches: the value is where the
 * branches were asked to be, the size has the error of meshes that are not mirror images. */
#define MIRROR_VALUE 1e-6
#define MIRROR_SIZE 1e-5

const double zw_branch_points_distance[ZW_BRANCH_POINTS_DISTANCES] = {0.005, 0.02, 0.05, 0.001};

double zw_branch_points_inner(const zw_cont_problem *p, const double *u, const double *v) {
    return p->inner(p->self, u, v) + u[p->n] * v[p->n] / (p->unit * p->unit);
}

bool zw_branch_points_normalise(const zw_cont_problem *p, double *u) {
    double size = sqrt(zw_branch_points_inner(p, u, u));
    for (int i = 0; i <= p->n; i++)
        u[i] /= size;
    return size > 0 && isfinite(size);
}

/* pseudo-random numbers in [-1, 1], the same in every call with the same seed */
static double random_signed(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

/* the row of the plane orthogonal to u, scaled to its largest entry */
static void fill_row(const zw_cont_problem *p, const double *u, double *row, double *scratch) {
    double most = 0;
    memset(scratch, 0, sizeof(double) * (size_t)(p->n + 1));
    if (p->dual)
        p->dual(p->self, u, row);
    for (int i = 0; i < p->n; i++) {
        scratch[i] = 1;
        if (!p->dual)
            row[i] = p->inner(p->self, scratch, u);
        scratch[i] = 0;
        most = fmax(most, fabs(row[i]));
    }
    row[p->n] = u[p->n] / (p->unit * p->unit);
    most = fmax(most, fabs(row[p->n]));
    for (int i = 0; i <= p->n && most > 0; i++)
        row[i] /= most;
}

zw_status zw_branch_points_null(const zw_cont_problem *p, const double *x, double a,
                                const double *T, double *phi, double *scratch, zw_error *err) {
    unsigned seed = 11;
    double *row = scratch, *work = scratch + p->n + 1;
    fill_row(p, T, row, work);
    zw_status status = p->residual(p->self, x, a, work, err);
    if (status == ZW_OK)
        status = p->factor(p->self, x, a, row, err);
    if (status != ZW_OK)
        return status;
    for (int i = 0; i < p->n; i++)
        phi[i] = random_signed(&seed);
    for (int round = 0; round < ITERATIONS; round++) {
        phi[p->n] = 0;
        p->solve(p->self, phi);
        double along = zw_branch_points_inner(p, phi, T);
        for (int i = 0; i <= p->n; i++)
            phi[i] -= along * T[i];
        if (!zw_branch_points_normalise(p, phi))
            return ZW_RETRY;
    }
    return ZW_OK;
}

bool zw_branch_points_is_same(int nq, const double *width, double range, zw_branch_points_place a,
                              zw_branch_points_place b) {
    if (fabs(a.value - b.value) > SAME_MOTION_VALUE * range)
        return false;
    for (int k = 0; k < nq; k++)
        if (fabs(a.measure[k].rms - b.measure[k].rms) >
            SAME_MOTION_SIZE * (fabs(a.measure[k].rms) + fabs(b.measure[k].rms)) +
                ZW_ROUNDOFF_SOLVED * width[k])
            return false;
    return true;
}

/* the size about the mean: a mirror plane need not contain the origin */
static double about_mean(const zw_motion_measure *m) {
    return sqrt(fmax(m->rms * m->rms - m->mean * m->mean, 0));
}

bool zw_branch_points_is_mirrored(int nq, const double *width, double range,
                                  zw_branch_points_place a, zw_branch_points_place b) {
    if (fabs(a.value - b.value) > MIRROR_VALUE * range)
        return false;
    for (int k = 0; k < nq; k++) {
        const zw_motion_measure *u = &a.measure[k], *v = &b.measure[k];
        double one = about_mean(u), two = about_mean(v),
               size = MIRROR_SIZE * (one + two) + ZW_ROUNDOFF_SOLVED * width[k];
        if (fabs(one - two) > size || fabs(u->max - u->min - v->max + v->min) > 4 * size)
            return false;
    }
    return true;
}
