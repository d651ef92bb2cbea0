/* SPDX-License-Identifier: MIT */
/* A, by the steps of zwang/symbolic.h. With the residual R(x, z) = (M v' - h - C lambda, W v' - b)
 * at fixed z, K = dR/dz,
 *
 *   G_D Y_D = -G_kept,    K Dz Y = -R_x Y,    J Y = (Dqdot Y; Dv' Y) - sum_i c_i DX_i Y,
 *   A = (J Y)_kept - X_kept X_pinned^-1 (J Y)_pinned.
 *
 * R_x contains the derivatives of C and W with respect to the positions, times the multipliers
 * of the motion; without them, or with velocities in ker W alone instead of Y, the matrix is
 * wrong.
 *
 * Second order: s are the kept positions whose rates u are kept, w the other velocities. The rows
 * of -M A that belong to u are (D + G, K + N) if w is not coupled to them, or if w' = R u, so that
 * w = R s + const (Routh). M = U'M U with W U = 0, U = 1 in u, at fixed positions: these are not
 * the velocity rows of Y. */
#include <string.h>

#include "symbolic.h"

static bool has_number(const int *list, int n, int x) {
    for (int i = 0; i < n; i++)
        if (list[i] == x)
            return true;
    return false;
}

/* Y, nx x n. */
static zw_status find_tangents(zw_symbolic *s, zw_expr *Y, zw_error *err) {
    int n = s->result.n, d = s->ndependent, nx = s->nx, singular;
    zw_expr *GD = ZW_SYMBOLIC_NEW(s, zw_expr, d * d), *right = ZW_SYMBOLIC_NEW(s, zw_expr, d * n),
            *YD = ZW_SYMBOLIC_NEW(s, zw_expr, d * n);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    for (int i = 0; i < d; i++) {
        for (int j = 0; j < d; j++)
            GD[i * d + j] = s->G[s->row[i] * nx + s->dependent[j]];
        for (int j = 0; j < n; j++)
            right[i * n + j] = zw_neg(s->ctx, s->G[s->row[i] * nx + s->kept[j]]);
    }
    ZW_TRY(zw_symbolic_solve(s, d, n, GD, right, YD, &singular, err));
    for (int i = 0; i < nx * n; i++)
        Y[i] = ZW_ZERO;
    for (int j = 0; j < n; j++) {
        Y[s->kept[j] * n + j] = ZW_ONE;
        for (int i = 0; i < d; i++)
            Y[s->dependent[i] * n + j] = YD[i * n + j];
    }
    return ZW_OK;
}

/* R_x Y, nz x n. */
static zw_status residual_slopes(zw_symbolic *s, const zw_expr *Y, zw_expr *out, zw_error *err) {
    const zw_equations *eq = &s->eq;
    zw_context *ctx = s->ctx;
    int nv = eq->nv, nc = eq->nc, nz = s->nz;
    zw_expr *R = ZW_SYMBOLIC_NEW(s, zw_expr, nz), *slope = ZW_SYMBOLIC_NEW(s, zw_expr, nz * s->nx);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    for (int i = 0; i < nv; i++) {
        R[i] = zw_sub(ctx, zw_dot(ctx, nv, eq->M + (size_t)i * (size_t)nv, s->z), eq->h[i]);
        R[i] = zw_sub(ctx, R[i], zw_dot(ctx, nc, eq->C + (size_t)i * (size_t)nc, s->z + nv));
    }
    for (int i = 0; i < nc; i++)
        R[nv + i] = zw_sub(ctx, zw_dot(ctx, nv, eq->W + (size_t)i * (size_t)nv, s->z), eq->b[i]);
    ZW_TRY(zw_symbolic_linear(s, nz, R, NULL, slope, err));
    zw_symbolic_multiply(s, nz, s->nx, s->result.n, slope, Y, out);
    return zw_context_status(ctx, err);
}

/* sum_i c_i DX_i Y, nx x n. */
static zw_status rotation_matrix(zw_symbolic *s, const zw_expr *Y, zw_expr *out, zw_error *err) {
    int nx = s->nx;
    zw_expr *sum = ZW_SYMBOLIC_NEW(s, zw_expr, nx), *slope = ZW_SYMBOLIC_NEW(s, zw_expr, nx * nx);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    for (int k = 0; k < nx; k++) {
        sum[k] = ZW_ZERO;
        for (int i = 0; i < s->result.norbit; i++)
            sum[k] = zw_add(s->ctx, sum[k], zw_mul(s->ctx, s->c[i], s->DX[i * nx + k]));
    }
    ZW_TRY(zw_symbolic_linear(s, nx, sum, NULL, slope, err));
    zw_symbolic_multiply(s, nx, nx, s->result.n, slope, Y, out);
    return zw_context_status(s->ctx, err);
}

/* JY, nx x n. */
static zw_status rates_of(zw_symbolic *s, const zw_expr *Y, zw_expr *JY, zw_error *err) {
    int n = s->result.n, nx = s->nx, nz = s->nz, nq = s->eq.nq, singular;
    zw_expr *Rx = ZW_SYMBOLIC_NEW(s, zw_expr, nz * n), *Dz = ZW_SYMBOLIC_NEW(s, zw_expr, nz * n),
            *slope = ZW_SYMBOLIC_NEW(s, zw_expr, nq * nx),
            *turn = ZW_SYMBOLIC_NEW(s, zw_expr, nx * n);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    ZW_TRY(residual_slopes(s, Y, Rx, err));
    for (int i = 0; i < nz * n; i++)
        Rx[i] = zw_neg(s->ctx, Rx[i]);
    ZW_TRY(zw_symbolic_solve(s, nz, n, s->K, Rx, Dz, &singular, err));
    ZW_TRY(zw_symbolic_linear(s, nq, s->eq.qdot, NULL, slope, err));
    zw_symbolic_multiply(s, nq, nx, n, slope, Y, JY);
    memcpy(JY + (size_t)nq * (size_t)n, Dz, (size_t)((nx - nq) * n) * sizeof *JY);
    ZW_TRY(rotation_matrix(s, Y, turn, err));
    for (int i = 0; i < nx * n; i++)
        JY[i] = zw_symbolic_tidy(s, zw_sub(s->ctx, JY[i], turn[i]));
    return zw_context_status(s->ctx, err);
}

static zw_status say_long(const zw_symbolic *s, const char *what, zw_error *err) {
    zw_fail_at(err, ZW_E_MODEL, s->motion->place,
               "%s about %s is too long to print, or its numbers are too large for exact fractions",
               what, s->motion->name);
    zw_error_hint(
        err,
        "let parameters stand with their values (--numbers NAME,...), or linearise in numbers, "
        "without --symbolic");
    return ZW_E_MODEL;
}

zw_status zw_symbolic_linearise(zw_symbolic *s, zw_error *err) {
    int n = s->result.n, m = s->result.norbit, nx = s->nx, singular;
    zw_expr *Y = ZW_SYMBOLIC_NEW(s, zw_expr, nx * n), *JY = ZW_SYMBOLIC_NEW(s, zw_expr, nx * n),
            *A = ZW_SYMBOLIC_NEW(s, zw_expr, n * n), *XK = ZW_SYMBOLIC_NEW(s, zw_expr, m * m),
            *JK = ZW_SYMBOLIC_NEW(s, zw_expr, m * n), *along = ZW_SYMBOLIC_NEW(s, zw_expr, m * n);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    ZW_TRY(find_tangents(s, Y, err));
    ZW_TRY(rates_of(s, Y, JY, err));
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++)
            XK[i * m + j] = s->X[j * nx + s->pinned[i]];
        memcpy(JK + (size_t)i * (size_t)n, JY + (size_t)s->pinned[i] * (size_t)n,
               (size_t)n * sizeof *JK);
    }
    ZW_TRY(zw_symbolic_solve(s, m, n, XK, JK, along, &singular, err));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            zw_expr sum = JY[s->kept[i] * n + j];
            for (int k = 0; k < m; k++)
                sum = zw_sub(s->ctx, sum,
                             zw_mul(s->ctx, s->X[k * nx + s->kept[i]], along[k * n + j]));
            A[i * n + j] = zw_symbolic_tidy(s, sum);
            s->too_long |= zw_print_length(s->ctx, A[i * n + j]) > ZW_LENGTH_MOST;
        }
    s->result.A = A;
    s->result.Y = Y;
    s->result.kept = s->kept;
    s->result.pinned = s->pinned;
    ZW_TRY(zw_context_status(s->ctx, err));
    return s->too_long ? say_long(s, "the matrix A", err) : ZW_OK;
}

/* --------------------------------------------------------------------------------- second order */

typedef struct second_order {
    zw_symbolic *s;
    int ns, nw;
    int *shape, *rate, *other; /* of the kept entries: s, u, w */
} second_order;

static zw_status no_form(zw_symbolic *s, const char *format, const char *name) {
    s->result.second = ZW_FORMULA_NO_FORM;
    s->result.why_not = zw_arena_printf(&s->arena, format, name);
    return ZW_OK;
}

static int kept_velocity(const zw_symbolic *s, int position) {
    for (int j = 0; j < s->result.n; j++) {
        int k = s->kept[j] - s->eq.nq;
        if (k >= 0 && s->sys->velocity[k].coord == position)
            return j;
    }
    return -1;
}

/* Sorts the entries; returns the name of one that does not fit. */
static const char *sort_entries(second_order *o) {
    zw_symbolic *s = o->s;
    int n = s->result.n;
    for (int j = 0; j < n; j++) {
        int i = s->kept[j], u = i < s->eq.nq ? kept_velocity(s, i) : -1;
        if (i >= s->eq.nq)
            continue;
        if (u < 0)
            return zw_symbolic_entry(s, i);
        for (int k = 0; k < n; k++)
            if (s->result.A[j * n + k] != (k == u ? ZW_ONE : ZW_ZERO))
                return zw_symbolic_entry(s, i);
        o->shape[o->ns] = j;
        o->rate[o->ns++] = u;
    }
    for (int j = 0; j < n; j++)
        if (s->kept[j] >= s->eq.nq && !has_number(o->rate, o->ns, j))
            o->other[o->nw++] = j;
    return NULL;
}

/* Is the block of A in these rows and columns 0? */
static bool is_zero(const second_order *o, int nr, const int *rows, int nc, const int *columns) {
    int n = o->s->result.n;
    for (int i = 0; i < nr; i++)
        for (int j = 0; j < nc; j++)
            if (o->s->result.A[rows[i] * n + columns[j]] != ZW_ZERO)
                return false;
    return true;
}

/* U (nv x ns): the velocities in the rates u at fixed positions and fixed w. */
static zw_status find_velocities(second_order *o, zw_expr *U, zw_error *err) {
    zw_symbolic *s = o->s;
    int nq = s->eq.nq, ns = o->ns, nx = s->nx, d = 0, singular,
        *row = ZW_SYMBOLIC_NEW(s, int, s->ndependent),
        *column = ZW_SYMBOLIC_NEW(s, int, s->ndependent);
    for (int i = 0; !s->arena.failed && i < s->ndependent; i++)
        if (s->dependent[i] >= nq) {
            row[d] = s->row[i];
            column[d++] = s->dependent[i];
        }
    zw_expr *A = ZW_SYMBOLIC_NEW(s, zw_expr, d * d), *right = ZW_SYMBOLIC_NEW(s, zw_expr, d * ns),
            *UD = ZW_SYMBOLIC_NEW(s, zw_expr, d * ns);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    for (int j = 0; j < ns; j++) {
        for (int k = 0; k < s->eq.nv; k++)
            U[k * ns + j] = ZW_ZERO;
        U[(s->kept[o->rate[j]] - nq) * ns + j] = ZW_ONE;
    }
    for (int i = 0; i < d; i++) {
        for (int j = 0; j < d; j++)
            A[i * d + j] = s->G[row[i] * nx + column[j]];
        for (int j = 0; j < ns; j++) {
            zw_expr sum = ZW_ZERO;
            for (int k = nq; k < nx; k++)
                sum = zw_sub(s->ctx, sum,
                             zw_mul(s->ctx, s->G[row[i] * nx + k], U[(k - nq) * ns + j]));
            right[i * ns + j] = zw_symbolic_tidy(s, sum);
        }
    }
    ZW_TRY(zw_symbolic_solve(s, d, ns, A, right, UD, &singular, err));
    for (int i = 0; i < d; i++)
        for (int j = 0; j < ns; j++)
            U[(column[i] - nq) * ns + j] = UD[i * ns + j];
    return zw_context_status(s->ctx, err);
}

/* The halves (B + B')/2 and (B - B')/2. */
static void split_symmetric(zw_symbolic *s, int n, const zw_expr *B, zw_expr *symmetric,
                            zw_expr *skew) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            zw_expr a = B[i * n + j], b = B[j * n + i];
            symmetric[i * n + j] =
                zw_symbolic_tidy(s, zw_mul(s->ctx, ZW_HALF, zw_add(s->ctx, a, b)));
            skew[i * n + j] = zw_symbolic_tidy(s, zw_mul(s->ctx, ZW_HALF, zw_sub(s->ctx, a, b)));
        }
}

static zw_status make_second(second_order *o, bool routh, zw_error *err) {
    zw_symbolic *s = o->s;
    zw_context *ctx = s->ctx;
    int ns = o->ns, nv = s->eq.nv, n = s->result.n;
    zw_expr *block = ZW_SYMBOLIC_NEW(s, zw_expr, 8 * ns * ns),
            *U = ZW_SYMBOLIC_NEW(s, zw_expr, nv * ns), *MU = ZW_SYMBOLIC_NEW(s, zw_expr, nv * ns),
            *UT = ZW_SYMBOLIC_NEW(s, zw_expr, nv * ns), *M0 = ZW_SYMBOLIC_NEW(s, zw_expr, nv * nv);
    int *shape = ZW_SYMBOLIC_NEW(s, int, ns);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    zw_expr *M = block, *rates = block + ns * ns, *places = rates + ns * ns, *D = places + ns * ns,
            *G = D + ns * ns, *K = G + ns * ns, *N = K + ns * ns, *part = N + ns * ns;
    ZW_TRY(find_velocities(o, U, err));
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++)
            M0[i * nv + j] = s->K[i * s->nz + j];
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < ns; j++)
            UT[j * nv + i] = U[i * ns + j];
    zw_symbolic_multiply(s, nv, nv, ns, M0, U, MU);
    zw_symbolic_multiply(s, ns, nv, ns, UT, MU, M);
    for (int i = 0; i < ns; i++) {
        shape[i] = s->kept[o->shape[i]];
        for (int j = 0; j < ns; j++) {
            part[i * ns + j] = zw_neg(ctx, s->result.A[o->rate[i] * n + o->rate[j]]);
            places[i * ns + j] = s->result.A[o->rate[i] * n + o->shape[j]];
            for (int k = 0; routh && k < o->nw; k++)
                places[i * ns + j] = zw_add(ctx, places[i * ns + j],
                                            zw_mul(ctx, s->result.A[o->rate[i] * n + o->other[k]],
                                                   s->result.A[o->other[k] * n + o->rate[j]]));
            places[i * ns + j] = zw_neg(ctx, places[i * ns + j]);
        }
    }
    zw_symbolic_multiply(s, ns, ns, ns, M, part, rates);
    zw_symbolic_multiply(s, ns, ns, ns, M, places, part);
    split_symmetric(s, ns, rates, D, G);
    split_symmetric(s, ns, part, K, N);
    s->result.routh = routh;
    s->result.ns = ns;
    s->result.shape = shape;
    s->result.M = M;
    s->result.D = D;
    s->result.G = G;
    s->result.K = K;
    s->result.N = N;
    s->result.second = s->too_long ? ZW_FORMULA_LONG : ZW_FORMULA_THERE;
    s->too_long = false;
    return zw_context_status(ctx, err);
}

zw_status zw_symbolic_second(zw_symbolic *s, zw_error *err) {
    int n = s->result.n;
    second_order o = {.s = s,
                      .shape = ZW_SYMBOLIC_NEW(s, int, n),
                      .rate = ZW_SYMBOLIC_NEW(s, int, n),
                      .other = ZW_SYMBOLIC_NEW(s, int, n)};
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    if (s->eq.nc == 0 && s->eq.row_constraint)
        return no_form(s,
                       "%s has its constraints among the equations of motion, whose matrix is no "
                       "mass matrix",
                       s->eq.principle);
    const char *odd = sort_entries(&o);
    if (odd)
        return no_form(s, "%s has an equation of first order", odd);
    if (o.ns == 0)
        return no_form(s, "%s", "there is no position to be disturbed");
    if (is_zero(&o, o.ns, o.rate, o.nw, o.other))
        return make_second(&o, false, err);
    if (!is_zero(&o, o.nw, o.other, o.ns, o.shape) || !is_zero(&o, o.nw, o.other, o.nw, o.other))
        return no_form(
            s, "%s is a velocity without a position of its own that is coupled to the others",
            zw_symbolic_entry(s, s->kept[o.other[0]]));
    return make_second(&o, true, err);
}
