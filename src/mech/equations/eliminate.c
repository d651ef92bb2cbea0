/* SPDX-License-Identifier: MIT */
/* Substitutes the constraints into the equations and solves them for the accelerations, as far as
 * the result is readable.
 *
 * The constraints give the dependent velocities and accelerations (src/mech/principles/split.h),
 *     v_D = D v_I + d,   v'_D = D v'_I + e,   so v' = B v'_I + E with B = (1, D), E = (0, e).
 * Substituted, the equations of motion are A x = r with fewer unknowns x, depending on the
 * principle:
 *     multipliers of ideal constraints, C = W'     x = v'_I,            B'M B v'_I = B'(h - M E),
 *                                                  lambda = W_D'^-1 (M v' - h)_D;
 *     forces that depend on multipliers            x = (v'_I, lambda),
 *                                                  M B v'_I - C lambda = h - M E;
 *     no multipliers, rows of independent v only   x = v'_I,            (M B)_I v'_I = (h - M E)_I;
 *     momenta                                      x = lambda,          W C lambda = b - W h
 *                                                                       (W p' = b, M = 1).
 * Vakonomic equations are of the first kind, with the rates of their multipliers as lambda.
 *
 * Common factors of a row are removed. A falls into uncoupled blocks. A block of at most BLOCK_MAX
 * rows is solved by Cramer's rule, x_i = n_i/det, without intermediate divisions (common factors of
 * columns are moved to the denominators). If it is larger, singular, or its solution has more than
 * TERMS_MAX operations, its rows stay as they are, and the reason is recorded. Constraints that are
 * not affine in the velocities leave v_D unchanged. */
#include <string.h>

#include "common_factors.h"
#include "expr/calculus/ratio.h"
#include "mech/principles/split.h"
#include "mech/system/build.h"

enum {
    BLOCK_MAX = 3,
    TERMS_MAX = 1500,
    RATIO_MAX = 600, /* characters; longer quotients are not reduced to lowest terms */
    TIDY_MAX =
        20000 /* characters: longer ones are not multiplied out to see whether that is shorter */
};

typedef struct eliminator {
    const zw_equations *eq;
    const zw_system *s;
    zw_context *ctx;
    zw_elimination *out;
    zw_equations rows; /* M, h, C, W, b of the physical velocities, nc constraints */
    zw_split split;
    bool reduced, momenta;
    zw_expr *E;      /* nv */
    zw_expr *S;      /* nunknown x nunknown: A without the common factors of its columns */
    zw_expr *common; /* nunknown: these common factors */
} eliminator;

#define NEW(e, type, n) ZW_CONTEXT_NEW((e)->ctx, type, n)

static void simplify_expression(const eliminator *e, zw_expr *x) {
    double length = zw_print_length(e->ctx, *x);
    if (length < TIDY_MAX)
        zw_shorten(e->ctx, 1, x);
    zw_expr lowest = length < RATIO_MAX ? zw_ratio(e->ctx, *x) : ZW_NULL;
    if (lowest && zw_print_length(e->ctx, lowest) < zw_print_length(e->ctx, *x))
        *x = lowest;
}

/* ------------------------------------------------------------------ one form for all principles */

/* constraint rows that are among those of M v' = h, at the indices of the dependent velocities */
static zw_status from_reduced(eliminator *e, zw_error *err) {
    const zw_equations *eq = e->eq;
    int nv = eq->nv, nc = 0;
    zw_expr *W = ZW_SCRATCH_NEW(e->ctx, zw_expr, nv * nv), *b = ZW_SCRATCH_NEW(e->ctx, zw_expr, nv);
    int *constraint = ZW_SCRATCH_NEW(e->ctx, int, nv);
    bool *dependent = ZW_SCRATCH_NEW(e->ctx, bool, nv);
    if (!W || !b || !constraint || !dependent)
        return zw_context_status(e->ctx, err);
    for (int k = 0; k < nv; k++) {
        dependent[k] = eq->row_constraint && eq->row_constraint[k] >= 0;
        if (!dependent[k])
            continue;
        memcpy(W + (size_t)nc * (size_t)nv, eq->M + (size_t)k * (size_t)nv, (size_t)nv * sizeof *W);
        b[nc] = eq->h[k];
        constraint[nc++] = eq->row_constraint[k];
    }
    e->reduced = true;
    e->rows.W = W;
    e->rows.b = b;
    e->rows.nc = nc;
    e->rows.constraint = constraint;
    e->rows.dependent = dependent;
    return ZW_OK;
}

/* multipliers are states after the velocities: their rates are the multipliers of other
 * principles */
static zw_status from_vakonomic(eliminator *e, zw_error *err) {
    const zw_equations *eq = e->eq;
    int nv = e->s->nv, n = eq->nv, nc = n - nv;
    zw_expr *M = ZW_SCRATCH_NEW(e->ctx, zw_expr, nv * nv),
            *W = ZW_SCRATCH_NEW(e->ctx, zw_expr, nc * nv);
    if (!M || !W)
        return zw_context_status(e->ctx, err);
    for (int k = 0; k < nv; k++)
        memcpy(M + (size_t)k * (size_t)nv, eq->M + (size_t)k * (size_t)n, (size_t)nv * sizeof *M);
    for (int c = 0; c < nc; c++)
        memcpy(W + (size_t)c * (size_t)nv, eq->M + (size_t)(nv + c) * (size_t)n,
               (size_t)nv * sizeof *W);
    e->rows.M = M;
    e->rows.W = W;
    e->rows.b = eq->h + nv;
    e->rows.nv = nv;
    e->rows.nc = nc;
    e->rows.constraint = eq->row_constraint + nv;
    e->rows.lambda = eq->a + nv;
    e->rows.symmetric = true;
    return ZW_OK;
}

static zw_status find_rows(eliminator *e, zw_error *err) {
    const zw_equations *eq = e->eq;
    for (int c = 0; eq->inequality && c < eq->nc; c++)
        if (eq->inequality[c]) {
            const zw_constraint *k = &e->s->constraint[eq->constraint[c]];
            return zw_fail_at(err, ZW_E_MODEL, k->place,
                              "the accelerations have no formula: %s is an inequality", k->name);
        }
    e->rows = *eq;
    e->momenta = eq->system_v != NULL;
    if (e->momenta)
        return ZW_OK;
    if (eq->nv > e->s->nv)
        return from_vakonomic(e, err);
    return eq->nc ? ZW_OK : from_reduced(e, err);
}

/* ------------------------------------------------------------------------------ what is put in */

static zw_expr substitute(const eliminator *e, zw_expr x) {
    const zw_elimination *o = e->out;
    if (!o->velocity)
        return x;
    zw_expr *symbol = ZW_SCRATCH_NEW(e->ctx, zw_expr, o->ndependent);
    for (int r = 0; symbol && r < o->ndependent; r++)
        symbol[r] = e->rows.v[o->dependent[r]];
    return symbol ? zw_subst(e->ctx, x, o->ndependent, symbol, o->velocity) : ZW_NULL;
}

static zw_status find_dependent(eliminator *e, zw_error *err) {
    zw_elimination *o = e->out;
    int nv = e->rows.nv;
    ZW_TRY(zw_split_velocities(&e->split, &e->rows, e->s, err));
    int k = e->split.k, nc = e->split.nc;
    o->nindependent = k;
    o->ndependent = nc;
    o->independent = NEW(e, int, k);
    o->dependent = NEW(e, int, nc);
    o->acceleration = NEW(e, zw_expr, nc);
    o->velocity = e->split.d ? NEW(e, zw_expr, nc) : NULL;
    e->E = ZW_SCRATCH_NEW(e->ctx, zw_expr, nv);
    zw_expr *free = ZW_SCRATCH_NEW(e->ctx, zw_expr, k);
    if (!o->independent || !o->dependent || !o->acceleration || !e->E || !free)
        return zw_context_status(e->ctx, err);
    memcpy(o->independent, e->split.indep, (size_t)k * sizeof(int));
    memcpy(o->dependent, e->split.dep, (size_t)nc * sizeof(int));
    for (int i = 0; i < nc * k; i++)
        simplify_expression(e, &e->split.D[i]);
    for (int i = 0; i < k; i++)
        free[i] = e->rows.v[o->independent[i]];
    for (int r = 0; o->velocity && r < nc; r++) {
        o->velocity[r] = zw_add(e->ctx, e->split.d[r],
                                zw_dot(e->ctx, k, e->split.D + (size_t)r * (size_t)k, free));
        simplify_expression(e, &o->velocity[r]);
    }
    for (int i = 0; i < k; i++)
        free[i] = e->rows.a[o->independent[i]];
    for (int j = 0; j < nv; j++)
        e->E[j] = ZW_ZERO;
    for (int r = 0; r < nc; r++) {
        zw_expr rest = substitute(e, e->split.e[r]);
        simplify_expression(e, &rest);
        e->E[o->dependent[r]] = rest;
        o->acceleration[r] =
            zw_add(e->ctx, rest, zw_dot(e->ctx, k, e->split.D + (size_t)r * (size_t)k, free));
        simplify_expression(e, &o->acceleration[r]);
    }
    return zw_context_status(e->ctx, err);
}

/* row k of M B, column i */
static zw_expr embedded_entry(const eliminator *e, int k, int i) {
    zw_expr sum = ZW_ZERO;
    for (int j = 0; j < e->rows.nv; j++)
        sum =
            zw_add(e->ctx, sum,
                   zw_mul(e->ctx, e->rows.M[k * e->rows.nv + j], zw_split_basis(&e->split, j, i)));
    return sum;
}

/* (h - M E)_k */
static zw_expr right_of(const eliminator *e, int k) {
    int nv = e->rows.nv;
    return zw_sub(e->ctx, e->rows.h[k],
                  zw_dot(e->ctx, nv, e->rows.M + (size_t)k * (size_t)nv, e->E));
}

/* entry i of a row of B'M B, or of the right side (i = k) */
static zw_expr projected_entry(const eliminator *e, int row, int i) {
    zw_expr sum = ZW_ZERO;
    for (int j = 0; j < e->rows.nv; j++) {
        zw_expr weight = zw_split_basis(&e->split, j, row);
        if (weight != ZW_ZERO)
            sum = zw_add(
                e->ctx, sum,
                zw_mul(e->ctx, weight, i < e->split.k ? embedded_entry(e, j, i) : right_of(e, j)));
    }
    return sum;
}

/* entry (i, j) of A, or of r if j is the number of unknowns */
static zw_expr matrix_entry(const eliminator *e, int i, int j) {
    const zw_equations *q = &e->rows;
    int k = e->split.k, nv = q->nv, n = e->out->nunknown;
    if (e->momenta) {
        const zw_expr *row = q->W + (size_t)i * (size_t)nv;
        zw_expr sum = j == n ? q->b[i] : ZW_ZERO;
        for (int l = 0; l < nv; l++)
            sum = j == n ? zw_sub(e->ctx, sum, zw_mul(e->ctx, row[l], q->h[l]))
                         : zw_add(e->ctx, sum, zw_mul(e->ctx, row[l], q->C[l * q->nc + j]));
        return sum;
    }
    if (e->reduced) {
        int at = e->out->independent[i];
        return j == n ? right_of(e, at) : embedded_entry(e, at, j);
    }
    if (q->symmetric)
        return projected_entry(e, i, j);
    return j == n  ? right_of(e, i)
           : j < k ? embedded_entry(e, i, j)
                   : zw_neg(e->ctx, q->C[i * q->nc + j - k]);
}

/* removes the common factors of all terms from row i of A and r */
static void reduce_row(const eliminator *e, int i) {
    zw_elimination *o = e->out;
    int n = o->nunknown;
    zw_content row, right;
    zw_content_of(&row, e->ctx, n, o->A + (size_t)i * (size_t)n);
    zw_content_of(&right, e->ctx, 1, &o->r[i]);
    zw_expr both[2] = {zw_content_product(&row, e->ctx),
                       o->r[i] == ZW_ZERO ? ZW_ZERO : zw_content_product(&right, e->ctx)};
    zw_content_of(&row, e->ctx, 2, both);
    for (int j = 0; j < n; j++)
        o->A[i * n + j] = zw_content_divide(&row, e->ctx, o->A[i * n + j]);
    o->r[i] = zw_content_divide(&row, e->ctx, o->r[i]);
}

static zw_status find_system(eliminator *e, zw_error *err) {
    zw_elimination *o = e->out;
    bool with_multipliers = !e->momenta && !e->reduced && !e->rows.symmetric;
    int n = e->momenta ? e->rows.nc : e->split.k + (with_multipliers ? e->rows.nc : 0);
    o->nunknown = n;
    o->unknown = NEW(e, zw_expr, n);
    o->A = NEW(e, zw_expr, n * n);
    o->r = NEW(e, zw_expr, n);
    if (!o->unknown || !o->A || !o->r)
        return zw_context_status(e->ctx, err);
    for (int i = 0; i < n; i++) {
        o->unknown[i] = e->momenta       ? e->rows.lambda[i]
                        : i < e->split.k ? e->rows.a[o->independent[i]]
                                         : e->rows.lambda[i - e->split.k];
        for (int j = 0; j < n; j++)
            o->A[i * n + j] = substitute(e, matrix_entry(e, i, j));
        o->r[i] = substitute(e, matrix_entry(e, i, n));
    }
    /* cancellation must be seen, since it decides on the blocks */
    for (int i = 0; i < n * n; i++)
        simplify_expression(e, &o->A[i]);
    for (int i = 0; i < n; i++)
        simplify_expression(e, &o->r[i]);
    for (int i = 0; i < n; i++)
        reduce_row(e, i);
    return zw_context_status(e->ctx, err);
}

/* multipliers of ideal constraints in terms of the accelerations: W_D'^-1 (M v' - h)_D */
static zw_status find_multipliers(eliminator *e, zw_error *err) {
    zw_elimination *o = e->out;
    const zw_equations *q = &e->rows;
    int nc = e->split.nc, nv = q->nv;
    if (e->momenta || e->reduced || !q->symmetric || !nc)
        return ZW_OK;
    zw_expr *v_dot = ZW_SCRATCH_NEW(e->ctx, zw_expr, nv), *symbol = NEW(e, zw_expr, nc);
    o->multiplier = NEW(e, zw_expr, nc);
    if (!v_dot || !symbol || !o->multiplier)
        return zw_context_status(e->ctx, err);
    for (int i = 0; i < e->split.k; i++)
        v_dot[o->independent[i]] = q->a[o->independent[i]];
    for (int r = 0; r < nc; r++)
        v_dot[o->dependent[r]] = o->acceleration[r];
    for (int c = 0; c < nc; c++) {
        zw_expr sum = ZW_ZERO;
        for (int r = 0; r < nc; r++) {
            int at = o->dependent[r];
            zw_expr force =
                zw_sub(e->ctx, zw_dot(e->ctx, nv, q->M + (size_t)at * (size_t)nv, v_dot), q->h[at]);
            sum = zw_add(e->ctx, sum, zw_mul(e->ctx, e->split.inverse[r * nc + c], force));
        }
        symbol[c] = q->lambda[c];
        o->multiplier[c] = substitute(e, sum);
        simplify_expression(e, &o->multiplier[c]);
    }
    o->nmultiplier = nc;
    o->lambda = symbol;
    return zw_context_status(e->ctx, err);
}

/* ----------------------------------------------------------------------------------- solution */

/* the determinant of the block with column `instead` (-1: none) replaced by r, expanded along its
 * first row */
static zw_expr block_determinant(const eliminator *e, int m, const int *rows, const int *columns,
                                 int instead) {
    const zw_elimination *o = e->out;
    int n = o->nunknown, rest[BLOCK_MAX];
    if (m == 0)
        return ZW_ONE;
    zw_expr sum = ZW_ZERO;
    for (int j = 0; j < m; j++) {
        zw_expr first = columns[j] == instead ? o->r[rows[0]] : e->S[rows[0] * n + columns[j]];
        if (first == ZW_ZERO)
            continue;
        for (int k = 0, c = 0; k < m; k++)
            if (k != j)
                rest[c++] = columns[k];
        zw_expr term = zw_mul(e->ctx, first, block_determinant(e, m - 1, rows + 1, rest, instead));
        sum = j % 2 ? zw_sub(e->ctx, sum, term) : zw_add(e->ctx, sum, term);
    }
    return sum;
}

/* x_j = top/(det common_j), with common factors cancelled */
static void put_quotient(const eliminator *e, int j, zw_expr top, zw_expr det) {
    zw_expr both[2] = {top, zw_mul(e->ctx, det, e->common[j])};
    zw_content c;
    zw_content_of(&c, e->ctx, top == ZW_ZERO ? 0 : 2, both);
    e->out->numerator[j] = zw_content_divide(&c, e->ctx, both[0]);
    e->out->denominator[j] = top == ZW_ZERO ? ZW_ONE : zw_content_divide(&c, e->ctx, both[1]);
}

/* finds S and the common factors of its columns */
static void reduce_columns(eliminator *e) {
    const zw_elimination *o = e->out;
    int n = o->nunknown;
    zw_expr *column = ZW_SCRATCH_NEW(e->ctx, zw_expr, n);
    for (int j = 0; column && j < n; j++) {
        zw_content c;
        for (int i = 0; i < n; i++)
            column[i] = o->A[i * n + j];
        zw_content_of(&c, e->ctx, n, column);
        e->common[j] = zw_content_product(&c, e->ctx);
        for (int i = 0; i < n; i++)
            e->S[i * n + j] = zw_content_divide(&c, e->ctx, column[i]);
    }
}

static void solve_block(eliminator *e, int m, const int *rows, const int *columns) {
    zw_elimination *o = e->out;
    zw_elimination_reason why = m > BLOCK_MAX ? ZW_IMPLICIT_COUPLED : ZW_EXPLICIT;
    zw_expr det = m > BLOCK_MAX ? ZW_ONE : block_determinant(e, m, rows, columns, -1);
    simplify_expression(e, &det);
    if (zw_print_length(e->ctx, det) >= TIDY_MAX)
        why = ZW_IMPLICIT_LONG;
    else if (zw_expand(e->ctx, det) == ZW_ZERO)
        why = ZW_IMPLICIT_SINGULAR;
    for (int i = 0; i < m && why == ZW_EXPLICIT; i++) {
        zw_expr top = block_determinant(e, m, rows, columns, columns[i]);
        simplify_expression(e, &top);
        put_quotient(e, columns[i], top, det);
        if (zw_count(e->ctx, 2, (zw_expr[]){top, det}) > TERMS_MAX)
            why = ZW_IMPLICIT_LONG;
    }
    for (int i = 0; i < m; i++)
        o->row_reason[rows[i]] = o->reason[columns[i]] = why;
}

/* gives rows and columns that are coupled by a nonzero entry the same label */
static void label_blocks(const zw_elimination *o, int *row, int *column) {
    int n = o->nunknown;
    for (int i = 0; i < n; i++) {
        row[i] = i;
        column[i] = n + i;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                if (o->A[i * n + j] != ZW_ZERO && row[i] != column[j]) {
                    int low = row[i] < column[j] ? row[i] : column[j];
                    row[i] = column[j] = low;
                    changed = true;
                }
    }
}

static zw_status solve_system(eliminator *e, zw_error *err) {
    zw_elimination *o = e->out;
    int n = o->nunknown, *row = ZW_SCRATCH_NEW(e->ctx, int, n),
        *column = ZW_SCRATCH_NEW(e->ctx, int, n), *rows = ZW_SCRATCH_NEW(e->ctx, int, n),
        *columns = ZW_SCRATCH_NEW(e->ctx, int, n);
    o->numerator = NEW(e, zw_expr, n);
    o->denominator = NEW(e, zw_expr, n);
    o->reason = NEW(e, zw_elimination_reason, n);
    o->row_reason = NEW(e, zw_elimination_reason, n);
    if (!row || !column || !rows || !columns || !o->numerator || !o->denominator || !o->reason ||
        !o->row_reason)
        return zw_context_status(e->ctx, err);
    e->S = ZW_SCRATCH_NEW(e->ctx, zw_expr, n * n);
    e->common = ZW_SCRATCH_NEW(e->ctx, zw_expr, n);
    if (!e->S || !e->common)
        return zw_context_status(e->ctx, err);
    reduce_columns(e);
    label_blocks(o, row, column);
    for (int label = 0; label < 2 * n; label++) {
        int nr = 0, nc = 0;
        for (int i = 0; i < n; i++) {
            if (row[i] == label)
                rows[nr++] = i;
            if (column[i] == label)
                columns[nc++] = i;
        }
        if (nr == nc && nr > 0)
            solve_block(e, nr, rows, columns);
        else /* the numbers of unknowns and of their equations differ */
            for (int i = 0; i < n; i++) {
                if (row[i] == label)
                    o->row_reason[i] = ZW_IMPLICIT_SINGULAR;
                if (column[i] == label)
                    o->reason[i] = ZW_IMPLICIT_SINGULAR;
            }
    }
    return zw_context_status(e->ctx, err);
}

static zw_status eliminate_multipliers(eliminator *e, zw_error *err) {
    ZW_TRY(find_rows(e, err));
    if (!e->momenta)
        ZW_TRY(find_dependent(e, err));
    ZW_TRY(find_system(e, err));
    ZW_TRY(solve_system(e, err));
    return find_multipliers(e, err);
}

zw_status zw_equations_eliminate(zw_equations *out, const zw_equations *eq, zw_error *err) {
    zw_context *ctx = eq->sys->ctx;
    eliminator e = {
        .eq = eq, .s = eq->sys, .ctx = ctx, .out = ZW_CONTEXT_NEW(ctx, zw_elimination, 1)};
    if (!e.out)
        return zw_context_status(ctx, err);
    zw_arena_mark mark = zw_scratch_mark(ctx);
    zw_status status = eliminate_multipliers(&e, err);
    zw_scratch_release(ctx, mark);
    *out = *eq;
    out->elimination = status < 0 ? NULL : e.out;
    return status;
}
