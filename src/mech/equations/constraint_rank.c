/* SPDX-License-Identifier: MIT */
/* Counts the active constraints and finds the rank of their rows W at random points. A row that
 * depends on earlier ones at every point is redundant. */
#include <math.h>

#include "mech/principles/principles.h"
#include "mech/system/sample.h"

enum { TRIES = 3 };
/* Rest of a dependent row after elimination, relative to the row: round-off with pivots down to
 * 1e-5. Independent rows are that nearly parallel at a random point only by chance: hence TRIES. */
#define PIVOT_ROUNDOFF 1e-10

/* rank of the n x m matrix by elimination row by row, pivot[i] the column of row i (-1: none);
 * *dependent is the first row that is a combination of earlier ones, -1 if none */
static int rank_of(int n, int m, double *W, int *pivot, int *dependent) {
    int rank = 0;
    *dependent = -1;
    for (int i = 0; i < n; i++) {
        double *row = W + (size_t)i * (size_t)m, size = 0;
        for (int k = 0; k < m; k++)
            size = fmax(size, fabs(row[k]));
        for (int j = 0; j < i; j++) {
            if (pivot[j] < 0)
                continue;
            const double *earlier = W + (size_t)j * (size_t)m;
            double factor = row[pivot[j]] / earlier[pivot[j]];
            for (int k = 0; k < m; k++)
                row[k] -= factor * earlier[k];
        }
        pivot[i] = 0;
        for (int k = 1; k < m; k++)
            if (fabs(row[k]) > fabs(row[pivot[i]]))
                pivot[i] = k;
        if (fabs(row[pivot[i]]) > PIVOT_ROUNDOFF * size) {
            rank++;
        } else {
            pivot[i] = -1;
            *dependent = *dependent < 0 ? i : *dependent;
        }
    }
    return rank;
}

static zw_status rank_at_random_points(const zw_system *s, const zw_equations *eq, zw_census *out,
                                       zw_error *err) {
    double *W = ZW_SCRATCH_NEW(s->ctx, double, eq->nc * eq->nv);
    int *pivot = ZW_SCRATCH_NEW(s->ctx, int, eq->nc);
    zw_sample sample;
    if (!W || !pivot)
        return zw_context_status(s->ctx, err);
    ZW_TRY(zw_sample_init(&sample, s, err));
    for (unsigned attempt = 0; attempt < TRIES; attempt++) {
        zw_sample_scatter(&sample, s, attempt);
        for (int k = 0; k < eq->nc * eq->nv; k++)
            W[k] = zw_sample_value(&sample, s, eq->W[k]);
        int dependent, rank = rank_of(eq->nc, eq->nv, W, pivot, &dependent);
        if (rank >= out->rank) {
            out->rank = rank;
            out->redundant = dependent < 0 ? -1 : eq->constraint[dependent];
        }
    }
    return ZW_OK;
}

static zw_status count_constraints(const zw_system *s, const zw_active *active, zw_census *out,
                                   zw_error *err) {
    zw_equations eq = {.passing = true};
    *out = (zw_census){.redundant = -1};
    ZW_TRY(zw_principle_begin(&eq, s, active, err));
    for (int i = 0; i < s->nconstraint; i++) {
        const zw_constraint *c = &s->constraint[i];
        if (!eq.holds[i])
            continue;
        out->active++;
        out->position += c->level == ZW_POSITION;
        out->affine += c->level == ZW_VELOCITY && c->linear;
        out->nonlinear += c->level == ZW_VELOCITY && !c->linear;
        out->acceleration += c->level == ZW_ACCELERATION;
        out->rheonomic += zw_depends(s->ctx, c->residual, s->t) || zw_mech_state_in(s, c->residual);
    }
    ZW_TRY(rank_at_random_points(s, &eq, out, err));
    out->freedom = s->nv - out->rank;
    return ZW_OK;
}

zw_status zw_system_census(const zw_system *s, const zw_active *active, zw_census *out,
                           zw_error *err) {
    zw_arena_mark mark = zw_scratch_mark(s->ctx);
    zw_status status = count_constraints(s, active, out, err);
    zw_scratch_release(s->ctx, mark);
    return status;
}
