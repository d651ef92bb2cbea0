/* SPDX-License-Identifier: MIT */
/* Equations in which every velocity has a rate. Where rows of M are zero, the velocities J have no
 * inertia, and
 *
 *     0 = h_J + C_J lambda
 *
 * does not contain v'. Eliminating the multipliers leaves combinations without them, which are
 * conditions on the state,
 *
 *     s(t, q, v) = 0,     the forces without multipliers balance.
 *
 * They are added to the velocity constraints, or to the position constraints if no velocity occurs
 * in them. The row from which s came is replaced by its derivative,
 *
 *     s_v v' = -(s_q q' + s_t)          (ds/dt for an s of positions).
 *
 * The other rows of J determine multipliers. They are chosen where the pivots are large at a given
 * state, and replaced by C_J'(h_J + C_J lambda) = 0, which is regular wherever C_J has full rank. M
 * is no longer symmetric; the metric of projections is the old one, with 1 for J. If a velocity
 * still has no rate, M is singular. */
#include <math.h>
#include <string.h>

#include "mech/system/build.h"

typedef struct balance {
    const zw_equations *eq;
    zw_equations *out;
    zw_context *ctx;
    int nrow;
    int *row;       /* nrow: J */
    zw_expr *C, *h; /* nrow x nc, nrow: modified by elimination */
    int *column;    /* nrow: the multiplier that the row determines; -1: none */
    int nsym;
    zw_expr *sym;   /* parameters, t, q, v */
    double *value;  /* at the given state */
    int *pos, *vel; /* of out */
    zw_error *err;
} balance;

/* true if row and column are zero: velocity k has no inertia */
static bool is_massless(const zw_equations *eq, int k) {
    for (int j = 0; j < eq->nv; j++)
        if (eq->M[k * eq->nv + j] != ZW_ZERO || eq->M[j * eq->nv + k] != ZW_ZERO)
            return false;
    return !eq->row_constraint || eq->row_constraint[k] < 0;
}

static double size_of(const balance *b, zw_expr e) {
    double size = fabs(zw_eval(b->ctx, e, b->nsym, b->sym, b->value));
    return isfinite(size) ? size : 0;
}

/* the row with the largest entry in the column; -1 if all are zero */
static int pivot_of(const balance *b, int column) {
    int best = -1;
    double most = -1;
    for (int i = 0; i < b->nrow; i++) {
        zw_expr entry = b->C[i * b->eq->nc + column];
        if (b->column[i] >= 0 || entry == ZW_ZERO || size_of(b, entry) <= most)
            continue;
        most = size_of(b, entry);
        best = i;
    }
    return best;
}

/* row i times the pivot's entry, minus the pivot's row times that of i: no quotients */
static void subtract_row(balance *b, int i, int from, int column) {
    int nc = b->eq->nc;
    zw_expr p = b->C[from * nc + column], e = b->C[i * nc + column];
    for (int c = 0; c < nc; c++)
        b->C[i * nc + c] = zw_sub(b->ctx, zw_mul(b->ctx, p, b->C[i * nc + c]),
                                  zw_mul(b->ctx, e, b->C[from * nc + c]));
    zw_shorten(b->ctx, nc, b->C + i * nc);
    b->C[i * nc + column] = ZW_ZERO;
    b->h[i] = zw_sub(b->ctx, zw_mul(b->ctx, p, b->h[i]), zw_mul(b->ctx, e, b->h[from]));
}

static void eliminate_rows(balance *b) {
    int nc = b->eq->nc;
    for (int c = 0; c < nc; c++) {
        int from = pivot_of(b, c);
        if (from < 0)
            continue;
        b->column[from] = c;
        for (int i = 0; i < b->nrow; i++)
            if (b->column[i] < 0 && b->C[i * nc + c] != ZW_ZERO)
                subtract_row(b, i, from, c);
    }
}

/* d/dt of s due to q' and t alone */
static zw_expr drift_rate(const balance *b, zw_expr s) {
    const zw_equations *eq = b->eq;
    return zw_add(b->ctx, zw_along(b->ctx, s, eq->nq, eq->q, eq->qdot),
                  zw_diff(b->ctx, s, eq->sys->t));
}

/* C_J'(h_J + C_J lambda) = 0 for the multiplier `column`, in one of the rows */
static void put_reaction(balance *b, int row, int column) {
    const zw_equations *eq = b->eq;
    int nc = eq->nc;
    zw_expr *h = &b->out->h[row], *C = b->out->C + (size_t)row * (size_t)nc;
    *h = ZW_ZERO;
    for (int c = 0; c < nc; c++)
        C[c] = ZW_ZERO;
    for (int i = 0; i < b->nrow; i++) {
        const zw_expr *from = eq->C + (size_t)b->row[i] * (size_t)nc;
        *h = zw_add(b->ctx, *h, zw_mul(b->ctx, from[column], eq->h[b->row[i]]));
        for (int c = 0; c < nc; c++)
            C[c] = zw_add(b->ctx, C[c], zw_mul(b->ctx, from[column], from[c]));
    }
}

static zw_status put_condition(balance *b, int row, zw_expr s) {
    zw_equations *out = b->out;
    int nv = out->nv;
    bool position = !zw_depends_any(b->ctx, s, nv, out->v);
    zw_expr psi = position ? drift_rate(b, s) : s;
    if (zw_depends_any(b->ctx, s, out->nu, out->u)) {
        zw_fail(b->err, ZW_E_MODEL,
                "%s has no inertia, and an external input is among the forces on it",
                zw_expr_name(b->ctx, out->v[row]));
        zw_error_hint(b->err, "give it a mass, or let the input act elsewhere");
        return ZW_E_MODEL;
    }
    zw_jacobian(b->ctx, 1, &psi, nv, out->v, out->M + (size_t)row * (size_t)nv);
    out->h[row] = zw_neg(b->ctx, drift_rate(b, psi));
    for (int c = 0; c < out->nc; c++)
        out->C[row * out->nc + c] = ZW_ZERO;
    size_t slopes = (size_t)nv * sizeof *out->M;
    if (position) {
        memcpy(out->Phi + (size_t)out->npos * (size_t)nv, out->M + (size_t)row * (size_t)nv,
               slopes);
        b->pos[out->npos] = -1;
        out->phi[out->npos++] = s;
    }
    memcpy(out->Psi + (size_t)out->nvel * (size_t)nv, out->M + (size_t)row * (size_t)nv, slopes);
    b->vel[out->nvel] = -1;
    out->psi[out->nvel++] = psi;
    return ZW_OK;
}

static void *copy_array(zw_context *ctx, const void *from, int n, int room, size_t size) {
    void *to = zw_context_alloc(ctx, (size_t)(room + 1) * size);
    if (to && n > 0)
        memcpy(to, from, (size_t)n * size);
    return to;
}

/* copies the arrays whose rows change, with space for the conditions */
static zw_status own_arrays(balance *b) {
    const zw_equations *eq = b->eq;
    zw_equations *out = b->out;
    zw_context *ctx = b->ctx;
    int nv = eq->nv, nc = eq->nc, npos = eq->npos + b->nrow, nvel = eq->nvel + b->nrow;
    const zw_expr *metric = eq->metric ? eq->metric : eq->M;
    out->M = copy_array(ctx, eq->M, nv * nv, nv * nv, sizeof *out->M);
    out->metric = copy_array(ctx, metric, nv * nv, nv * nv, sizeof *out->M);
    out->h = copy_array(ctx, eq->h, nv, nv, sizeof *out->h);
    out->C = copy_array(ctx, eq->C, nv * nc, nv * nc, sizeof *out->C);
    out->phi = copy_array(ctx, eq->phi, eq->npos, npos, sizeof *out->phi);
    out->Phi = copy_array(ctx, eq->Phi, eq->npos * nv, npos * nv, sizeof *out->Phi);
    out->psi = copy_array(ctx, eq->psi, eq->nvel, nvel, sizeof *out->psi);
    out->Psi = copy_array(ctx, eq->Psi, eq->nvel * nv, nvel * nv, sizeof *out->Psi);
    b->pos = copy_array(ctx, eq->pos_constraint, eq->npos, npos, sizeof *b->pos);
    b->vel = copy_array(ctx, eq->vel_constraint, eq->nvel, nvel, sizeof *b->vel);
    out->pos_constraint = b->pos;
    out->vel_constraint = b->vel;
    out->symmetric = out->definite = out->canonical = false;
    return zw_context_status(ctx, b->err);
}

static zw_status gather_rows(balance *b) {
    const zw_equations *eq = b->eq;
    int nv = eq->nv, nc = eq->nc;
    b->row = ZW_CONTEXT_NEW(b->ctx, int, nv);
    b->C = ZW_CONTEXT_NEW(b->ctx, zw_expr, nv * nc);
    b->h = ZW_CONTEXT_NEW(b->ctx, zw_expr, nv);
    b->column = ZW_CONTEXT_NEW(b->ctx, int, nv);
    if (!b->row || !b->C || !b->h || !b->column)
        return zw_context_status(b->ctx, b->err);
    for (int k = 0; k < nv; k++) {
        if (!is_massless(eq, k))
            continue;
        memcpy(b->C + (size_t)b->nrow * (size_t)nc, eq->C + (size_t)k * (size_t)nc,
               (size_t)nc * sizeof *b->C);
        b->h[b->nrow] = eq->h[k];
        b->column[b->nrow] = -1;
        b->row[b->nrow++] = k;
    }
    return ZW_OK;
}

static zw_status set_values(balance *b, double t, const double *p, const double *x) {
    const zw_equations *eq = b->eq;
    const zw_system *s = eq->sys;
    int size = s->np + 1 + eq->nq + eq->nv;
    b->sym = ZW_CONTEXT_NEW(b->ctx, zw_expr, size);
    b->value = ZW_CONTEXT_NEW(b->ctx, double, size);
    if (!b->sym || !b->value)
        return zw_context_status(b->ctx, b->err);
    for (int i = 0; i < s->np; i++)
        b->sym[b->nsym] = s->param[i].sym, b->value[b->nsym++] = p[i];
    b->sym[b->nsym] = s->t, b->value[b->nsym++] = t;
    for (int i = 0; i < eq->nq + eq->nv; i++) {
        b->sym[b->nsym] = i < eq->nq ? eq->q[i] : eq->v[i - eq->nq];
        b->value[b->nsym++] = x[i];
    }
    return ZW_OK;
}

zw_status zw_equations_with_rates(zw_equations *out, const zw_equations *eq, double t,
                                  const double *p, const double *x, zw_error *err) {
    balance b = {.eq = eq, .out = out, .ctx = eq->sys->ctx, .err = err};
    *out = *eq;
    ZW_TRY(gather_rows(&b));
    if (b.nrow == 0)
        return ZW_OK;
    ZW_TRY(set_values(&b, t, p, x));
    eliminate_rows(&b);
    ZW_TRY(own_arrays(&b));
    for (int i = 0; i < b.nrow; i++) {
        int k = b.row[i];
        out->metric[k * eq->nv + k] = ZW_ONE;
        if (b.column[i] < 0)
            ZW_TRY(put_condition(&b, k, b.h[i]));
        else
            put_reaction(&b, k, b.column[i]);
    }
    return zw_context_status(b.ctx, err);
}
