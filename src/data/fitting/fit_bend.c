/* SPDX-License-Identifier: MIT */
/* Steps that follow a curved valley (M. K. Transtrum, J. P. Sethna, arXiv:1201.5885, 2012). Along
 * the damped step v the residuals are r + J v s + r_vv s^2/2 + ..., and the point that solves the
 * linear problem moves on a parabola, v s + a s^2/2, with
 *
 *   a = -(J'J + lambda^2 D^2)^-1 J' r_vv,
 *   r_vv = 2/s (( r(x + s v) - r(x))/s - J v)     at a small s,
 *
 * one motion more for each step. It is added while |D a| < SHORT |D v|; if it is longer, lambda
 * grows. Only for motions in one part without a loss: gaps and weights have their own second
 * derivatives. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "fit.h"

/* s: large enough against the errors of the integration, small enough for a second difference */
#define PROBE_STEP 0.1
#define BEND_LIMIT 0.75 /* of the step: length of its correction, as in the reference */

/* e->h becomes y + r_vv sigma, from that of the trial and from `here`. */
static void find_bend(const zw_fit *f, const zw_fit_experiment *e, const double *z,
                      const double *here) {
    const zw_fit_node *node = e->node;
    double y[f->nx + 1], dp[f->P + 1];
    zw_fit_follow_step(f, e, node, z, y, dp);
    for (int cell = 0; cell < e->nrow * f->nq; cell++) {
        const double *D = e->D + (size_t)cell * (size_t)(f->nx + f->P);
        double linear = 0;
        for (int c = 0; c < node->n; c++)
            linear += D[c] * y[c];
        for (int j = 0; j < f->P; j++)
            linear += D[node->n + j] * dp[j];
        e->h[cell] =
            e->y[cell] + 2 / PROBE_STEP * ((e->h[cell] - here[cell]) / PROBE_STEP - linear);
    }
}

static double length_of(const zw_fit *f, const double *z) {
    double sum = 0;
    for (int j = 0; j < f->N; j++)
        sum += f->norm[j] * f->norm[j] * z[j] * z[j];
    return sqrt(sum);
}

zw_status zw_fit_bend(zw_fit *f, double *z, double *scratch, bool *good, zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    double **h = ZW_NEW(&f->arena, double *, f->E + 1), *c = ZW_NEW(&f->arena, double, f->N + 1),
           *a = ZW_NEW(&f->arena, double, f->N + 1), rest = f->rest;
    for (int i = 0; i < f->E && h; i++) {
        const zw_fit_experiment *e = &f->experiment[i];
        h[i] = ZW_NEW(&f->arena, double, e->nrow * f->nq + 1);
        if (h[i])
            memcpy(h[i], e->h, sizeof(double) * (size_t)(e->nrow * f->nq));
    }
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    zw_status status = zw_fit_go(f, z, PROBE_STEP, NULL);
    for (int i = 0; i < f->E && status >= 0; i++)
        status = zw_fit_motion(f, &f->experiment[i], true, false, NULL);
    for (int i = 0; i < f->E && status >= 0; i++)
        find_bend(f, &f->experiment[i], z, h[i]);
    memcpy(c, f->c, sizeof(double) * (size_t)f->N);
    f->is_bend = true;
    if (status >= 0)
        status = zw_fit_condense(f, false, NULL);
    f->is_bend = false;
    if (status >= 0)
        zw_fit_find_step(f, f->lambda, a, scratch);
    memcpy(f->c, c, sizeof(double) * (size_t)f->N);
    f->rest = rest;
    for (int i = 0; i < f->E; i++)
        memcpy(f->experiment[i].h, h[i], sizeof(double) * (size_t)(f->experiment[i].nrow * f->nq));
    double longer = status >= 0 ? length_of(f, a) : INFINITY;
    *good = longer <= BEND_LIMIT * length_of(f, z);
    for (int j = 0; j < f->N && *good; j++)
        z[j] += a[j] / 2;
    zw_arena_release(&f->arena, mark);
    return status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : ZW_OK;
}
