/* SPDX-License-Identifier: MIT */
#include "split.h"

#include <math.h>
#include <string.h>

#include "forces.h"
#include "mech/system/sample.h"

/* Least quality of a pivot that is chosen because it is simple: an elimination step then enlarges
 * errors at most tenfold. */
#define PIVOT_USABLE 0.1
/* Weight of the mean in the quality of a pivot that vanishes at a point: it counts more than none,
 * and less than any that is above 1e-6 at all points. */
#define VANISHING_PIVOT_WEIGHT 1e-6
/* Entries of eliminated rows are below it, relative to entries of order 1: their round-off after
 * elimination of rows with condition numbers up to 4e6. */
#define ENTRY_ELIMINATED 1e-9
enum { POINTS = 6, ATTEMPTS = 50 };
enum { INDEPENDENT_COST = 100000 }; /* operations; more than any entry has */

/* the cost of making velocity j dependent by row c */
static long dependence_cost(const zw_equations *eq, const zw_system *s, int c, int j) {
    zw_expr e = eq->W[c * eq->nv + j];
    long cost = zw_count(s->ctx, 1, &e);
    if (!zw_expr_is_number(s->ctx, e))
        cost += 2;
    for (int i = 0; i < s->nq; i++)
        cost += 4 * zw_depends(s->ctx, e, s->coord[i].sym);
    return cost + (s->velocity[j].independent ? INDEPENDENT_COST : 0);
}

/* the largest entry of row c at each point */
static void find_largest(const double *W, int nc, int nv, int c, double *largest) {
    for (int p = 0; p < POINTS; p++) {
        const double *row = W + ((size_t)p * (size_t)nc + (size_t)c) * (size_t)nv;
        largest[p] = 0;
        for (int i = 0; i < nv; i++)
            largest[p] = fmax(largest[p], fabs(row[i]));
    }
}

/* The quality of entry (c, j) as a pivot: its size relative to the largest of its row, the minimum
 * over all points. If it vanishes at one point (perhaps the start) it still counts a little. */
static double pivot_quality(const double *W, int nc, int nv, int c, int j, const double *largest) {
    double quality = 1, mean = 0;
    for (int p = 0; p < POINTS; p++) {
        double entry = W[((size_t)p * (size_t)nc + (size_t)c) * (size_t)nv + (size_t)j];
        double relative = largest[p] > ENTRY_ELIMINATED ? fabs(entry) / largest[p] : 0;
        quality = fmin(quality, relative);
        mean += relative / POINTS;
    }
    return fmax(quality, VANISHING_PIVOT_WEIGHT * mean);
}

/* true if a row vanishes at all points: it depends on the rows taken before */
static bool is_used_up(const double *largest) {
    for (int p = 0; p < POINTS; p++)
        if (largest[p] > ENTRY_ELIMINATED)
            return false;
    return true;
}

static void eliminate_column(double *W, int nc, int nv, int row, int column) {
    for (int p = 0; p < POINTS; p++) {
        double *at = W + (size_t)p * (size_t)(nc * nv);
        for (int c = 0; c < nc; c++) {
            double pivot = at[row * nv + column];
            double factor = c == row || pivot == 0 ? 0 : at[c * nv + column] / pivot;
            for (int j = 0; j < nv; j++)
                at[c * nv + j] -= factor * at[row * nv + j];
        }
    }
}

/* the next pivot: the simplest entry that is large enough at all points, else the best one; false
 * if a row depends on the others (*bad) */
static bool next_pivot(const zw_equations *eq, const zw_system *s, const double *W,
                       const bool *used, int *row, int *column, int *bad) {
    int nc = eq->nc, nv = eq->nv;
    long least = 0;
    double best = 0;
    bool good = false;
    *row = -1;
    for (int c = 0; c < nc; c++) {
        if (used[c])
            continue;
        double largest[POINTS];
        find_largest(W, nc, nv, c, largest);
        if (is_used_up(largest)) {
            *bad = c;
            return false;
        }
        for (int j = 0; j < nv; j++) {
            double quality = pivot_quality(W, nc, nv, c, j, largest);
            bool enough = quality > PIVOT_USABLE;
            long cost = enough ? dependence_cost(eq, s, c, j) : 0;
            bool better = enough ? !good || cost < least : !good && quality > best;
            if (!better)
                continue;
            good = enough;
            least = cost;
            best = quality;
            *row = c;
            *column = j;
        }
    }
    if (*row < 0)
        for (int c = 0; c < nc; c++)
            if (!used[c])
                *bad = c;
    return *row >= 0;
}

static bool choose_pivots(const zw_equations *eq, const zw_system *s, double *W, int *pivot,
                          int *bad) {
    bool *used = ZW_SCRATCH_NEW(s->ctx, bool, eq->nc);
    for (int step = 0; used && step < eq->nc; step++) {
        int row, column = 0;
        if (!next_pivot(eq, s, W, used, &row, &column, bad))
            return false;
        used[row] = true;
        pivot[row] = column;
        eliminate_column(W, eq->nc, eq->nv, row, column);
    }
    return used != NULL;
}

/* the rows at the sample's point; false if an entry is not finite there */
static bool rows_at(const zw_equations *eq, const zw_system *s, const zw_sample *sample,
                    double *W) {
    for (int i = 0; i < eq->nc * eq->nv; i++) {
        W[i] = zw_sample_value(sample, s, eq->W[i]);
        if (!isfinite(W[i]))
            return false;
    }
    return true;
}

/* The rows at POINTS points: the start given in the model, so that the choice is good there, and
 * random ones. Points without a value (the root of a negative number) are skipped, unless there are
 * no others. */
static zw_status evaluate_rows(const zw_equations *eq, const zw_system *s, zw_sample *sample,
                               double *W, zw_error *err) {
    int size = eq->nc * eq->nv, n = 0;
    double *x = ZW_SCRATCH_NEW(s->ctx, double, s->nq + s->nv);
    bool *fixed = ZW_SCRATCH_NEW(s->ctx, bool, s->nq + s->nv);
    zw_error ignored = {0};
    if (!x || !fixed)
        return zw_context_status(s->ctx, err);
    zw_sample_scatter(sample, s, 0);
    if (zw_system_start_state(s, sample->value, x, fixed, &ignored) >= 0) {
        for (int i = 0; i < s->nq + s->nv; i++)
            if (fixed[i])
                sample->value[s->np + i] = x[i];
        n += rows_at(eq, s, sample, W);
    }
    for (unsigned attempt = 0; n < POINTS && attempt < ATTEMPTS; attempt++) {
        zw_sample_scatter(sample, s, attempt);
        n += rows_at(eq, s, sample, W + (size_t)n * (size_t)size);
    }
    for (; n > 0 && n < POINTS; n++)
        memcpy(W + (size_t)n * (size_t)size, W, sizeof *W * (size_t)size);
    return n > 0 ? zw_context_status(s->ctx, err)
                 : zw_fail(err, ZW_E_MODEL,
                           "the constraints of %s have no finite rows at %d random states", s->name,
                           ATTEMPTS);
}

/* the choice requested by the caller: as many velocities as constraints */
static zw_status use_requested(zw_split *out, const zw_equations *eq, zw_error *err) {
    for (int j = 0; j < eq->nv; j++)
        if (eq->dependent[j])
            out->dep[out->nc++] = j;
        else
            out->indep[out->k++] = j;
    return out->nc == eq->nc
               ? ZW_OK
               : zw_fail(err, ZW_E_MODEL, "%d velocities are to be eliminated by %d constraints",
                         out->nc, eq->nc);
}

static zw_status choose_dependent(zw_split *out, const zw_equations *eq, const zw_system *s,
                                  zw_error *err) {
    int nc = eq->nc, nv = eq->nv, bad = -1;
    if (eq->dependent)
        return use_requested(out, eq, err);
    double *W = ZW_SCRATCH_NEW(s->ctx, double, POINTS *nc *nv);
    int *pivot = ZW_SCRATCH_NEW(s->ctx, int, nc);
    bool *dependent = ZW_SCRATCH_NEW(s->ctx, bool, nv);
    zw_sample sample;
    if (!W || !pivot || !dependent)
        return zw_context_status(s->ctx, err);
    ZW_TRY(zw_sample_init(&sample, s, err));
    ZW_TRY(evaluate_rows(eq, s, &sample, W, err));
    if (!choose_pivots(eq, s, W, pivot, &bad)) {
        ZW_TRY(zw_context_status(s->ctx, err));
        const zw_constraint *c = &s->constraint[eq->constraint[bad]];
        zw_fail_at(err, ZW_E_SINGULAR, c->place, "the constraint %s depends on the others",
                   c->name);
        zw_error_hint(err,
                      "switch it off (--without %s), or use --by gauss, which takes redundant "
                      "constraints",
                      c->name);
        return ZW_E_SINGULAR;
    }
    for (int c = 0; c < nc; c++)
        dependent[pivot[c]] = true;
    for (int j = 0; j < nv; j++)
        if (dependent[j])
            out->dep[out->nc++] = j;
        else
            out->indep[out->k++] = j;
    return ZW_OK;
}

zw_status zw_split_velocities(zw_split *out, const zw_equations *eq, const zw_system *s,
                              zw_error *err) {
    zw_context *ctx = s->ctx;
    int nc = eq->nc, nv = eq->nv, k = nv - nc;
    *out = (zw_split){0};
    if (k < 0)
        return zw_fail(err, ZW_E_MODEL, "%d constraints are more than the %d velocities of %s", nc,
                       nv, s->name);
    out->dep = ZW_SCRATCH_NEW(ctx, int, nv);
    out->indep = ZW_SCRATCH_NEW(ctx, int, nv);
    out->inverse = ZW_SCRATCH_NEW(ctx, zw_expr, nc * nc);
    out->D = ZW_SCRATCH_NEW(ctx, zw_expr, nc * k);
    out->d = ZW_SCRATCH_NEW(ctx, zw_expr, nc);
    out->e = ZW_SCRATCH_NEW(ctx, zw_expr, nc);
    zw_expr *square = ZW_SCRATCH_NEW(ctx, zw_expr, nc * nc),
            *zeros = ZW_SCRATCH_NEW(ctx, zw_expr, nv);
    if (!out->dep || !out->indep || !out->inverse || !out->D || !out->d || !out->e || !square ||
        !zeros)
        return zw_context_status(ctx, err);
    ZW_TRY(choose_dependent(out, eq, s, err));
    for (int c = 0; c < nc; c++)
        for (int j = 0; j < nc; j++)
            square[c * nc + j] = eq->W[c * nv + out->dep[j]];
    if (!zw_mech_inverse(ctx, nc, square, out->inverse)) {
        ZW_TRY(zw_context_status(ctx, err));
        return zw_fail(err, ZW_E_MODEL,
                       "the constraints of %s cannot be solved for their dependent velocities",
                       s->name);
    }
    out->weight = out->D;
    out->reach = out->inverse;
    bool affine = true;
    for (int c = 0; c < nc; c++) {
        const zw_constraint *constraint = &s->constraint[eq->constraint[c]];
        affine &= constraint->linear && constraint->level != ZW_ACCELERATION;
    }
    for (int j = 0; j < nv; j++)
        zeros[j] = ZW_ZERO;
    for (int r = 0; r < nc; r++) {
        const zw_expr *row = out->inverse + (size_t)r * (size_t)nc;
        for (int i = 0; i < k; i++) {
            zw_expr sum = ZW_ZERO;
            for (int c = 0; c < nc; c++)
                sum = zw_sub(ctx, sum, zw_mul(ctx, row[c], eq->W[c * nv + out->indep[i]]));
            out->D[r * k + i] = sum;
        }
        out->e[r] = zw_dot(ctx, nc, row, eq->b);
        out->d[r] = ZW_ZERO;
        /* with affine constraints every row c has a velocity-level residual psi_c, in order */
        for (int c = 0; affine && c < nc; c++) {
            zw_expr rest = zw_subst(ctx, eq->psi[c], nv, eq->v, zeros);
            out->d[r] = zw_sub(ctx, out->d[r], zw_mul(ctx, row[c], rest));
        }
    }
    if (!affine)
        out->d = NULL;
    return zw_context_status(ctx, err);
}

bool zw_split_is_tilted(const zw_split *split) {
    return split->weight != split->D;
}

zw_status zw_split_tilt(zw_split *split, const zw_equations *eq, const zw_system *s,
                        const zw_expr *X, zw_error *err) {
    zw_context *ctx = s->ctx;
    int nc = split->nc, k = split->k, nv = eq->nv;
    zw_expr *P = ZW_SCRATCH_NEW(ctx, zw_expr, nc * nv),
            *square = ZW_SCRATCH_NEW(ctx, zw_expr, nc * nc);
    split->weight = ZW_SCRATCH_NEW(ctx, zw_expr, nc * k);
    split->reach = ZW_SCRATCH_NEW(ctx, zw_expr, nc * nc);
    if (!P || !square || !split->weight || !split->reach)
        return zw_context_status(ctx, err);
    for (int c = 0; c < nc; c++) {
        for (int j = 0; j < nv; j++)
            P[c * nv + j] = zw_add(ctx, eq->W[c * nv + j], X[j * nc + c]);
        for (int r = 0; r < nc; r++)
            square[c * nc + r] = P[c * nv + split->dep[r]];
    }
    if (!zw_mech_inverse(ctx, nc, square, split->reach)) {
        ZW_TRY(zw_context_status(ctx, err));
        zw_fail(err, ZW_E_MODEL,
                "the multipliers of %s cannot be eliminated from the forces that depend on them",
                s->name);
        zw_error_hint(err, "use --by lagrange, which keeps them");
        return ZW_E_MODEL;
    }
    for (int r = 0; r < nc; r++)
        for (int i = 0; i < k; i++) {
            zw_expr sum = ZW_ZERO;
            for (int c = 0; c < nc; c++)
                sum = zw_sub(ctx, sum,
                             zw_mul(ctx, split->reach[r * nc + c], P[c * nv + split->indep[i]]));
            split->weight[r * k + i] = sum;
        }
    return zw_context_status(ctx, err);
}

zw_status zw_split_forces(zw_split *split, const zw_equations *eq, const zw_system *s, zw_expr *Q,
                          const zw_expr **X, zw_error *err) {
    bool depends = false;
    zw_expr *extra = ZW_SCRATCH_NEW(s->ctx, zw_expr, s->nv * eq->nc);
    *X = NULL;
    if (!extra)
        return zw_context_status(s->ctx, err);
    ZW_TRY(zw_given_forces(eq, s, Q, extra, &depends, err));
    if (!depends)
        return ZW_OK;
    *X = extra;
    return zw_split_tilt(split, eq, s, extra, err);
}

zw_expr zw_split_basis(const zw_split *split, int velocity, int column) {
    if (velocity == split->indep[column])
        return ZW_ONE;
    for (int r = 0; r < split->nc; r++)
        if (split->dep[r] == velocity)
            return split->D[r * split->k + column];
    return ZW_ZERO;
}

zw_expr zw_split_project(zw_context *ctx, const zw_split *split, const zw_expr *x, int column) {
    zw_expr sum = x[split->indep[column]];
    for (int r = 0; r < split->nc; r++)
        sum = zw_add(ctx, sum, zw_mul(ctx, split->weight[r * split->k + column], x[split->dep[r]]));
    return sum;
}

zw_status zw_split_fill(zw_equations *out, const zw_system *s, const zw_split *split,
                        const zw_expr *rows, zw_error *err) {
    zw_context *ctx = s->ctx;
    int nv = out->nv, nc = split->nc;
    zw_expr *M = ZW_EQUATIONS_NEW(out, ctx, zw_expr, nv * nv),
            *h = ZW_EQUATIONS_NEW(out, ctx, zw_expr, nv), rest;
    int *row_constraint = ZW_EQUATIONS_NEW(out, ctx, int, nv);
    bool *dependent = ZW_EQUATIONS_NEW(out, ctx, bool, nv);
    if (!M || !h || !row_constraint || !dependent)
        return zw_context_status(ctx, err);
    for (int i = 0; i < split->k; i++) {
        int at = split->indep[i];
        if (!zw_linear(ctx, rows[i], nv, out->a, M + (size_t)at * (size_t)nv, &rest)) {
            ZW_TRY(zw_context_status(ctx, err));
            return zw_fail(err, ZW_E_MODEL, "%s: an equation is not linear in the accelerations",
                           out->principle);
        }
        h[at] = zw_neg(ctx, rest);
        row_constraint[at] = -1;
    }
    for (int c = 0; c < nc; c++) {
        int at = split->dep[c];
        row_constraint[at] = out->constraint[c];
        dependent[at] = true;
        memcpy(M + (size_t)at * (size_t)nv, out->W + (size_t)c * (size_t)nv,
               (size_t)nv * sizeof *M);
        h[at] = out->b[c];
    }
    zw_shorten(ctx, nv, h);
    out->M = M;
    out->h = h;
    out->row_constraint = row_constraint;
    out->dependent = nc > 0 ? dependent : NULL;
    out->nc = 0;
    out->symmetric = true;
    out->definite = nc == 0;
    return zw_context_status(ctx, err);
}
