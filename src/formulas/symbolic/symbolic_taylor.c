/* SPDX-License-Identifier: MIT */
/* Equations of motion up to some order about the steady motion, in the disturbances of chosen kept
 * entries; the other kept entries are constant. Everything is a series in a bookkeeping
 * parameter: the dependent entries from g = 0, order by order,
 *
 *   x_D^(j) = -G_D^-1 (g with the known terms)^(j),
 *
 * and in the same way v' = B v'_I + E with W B = 0, W E = b, B = 1 in the kept velocities I, and a
 * left basis L with L C = 0, L = 1 there (C = W': L = B'). So
 *
 *   q' = ...,    M~ v'_I = h~,    M~ = L M B,    h~ = L (h - M E),
 *
 * without multipliers, and the accelerations by the series of M~^-1 h~ if they are readable.
 *
 * The check: at a state y of small disturbances, with the dependent entries from g = 0 by Newton's
 * method in numbers, the difference of the rates of the flow and of the truncated equations must
 * decrease with the order + 1 as y is halved. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "expr/calculus/ratio.h"
#include "expr/print/textbook.h"
#include "symbolic.h"
#include "zwang/expr.h"

#define ORDER_MARGIN 1.3 /* of the ratio 2^-(order + 1) of errors for half of the disturbance */

enum {
    SMALL_MOST = 12,     /* disturbances of an expansion */
    SERIES_MOST = 400,   /* reported equations */
    EXPLICIT_MOST = 1200 /* characters of a readable acceleration */
};
#define RATE_ROUNDOFF 1e-10       /* of the sizes of the rates: a smaller difference is round-off */
#define SMALLEST_SIZE 1e-3        /* in SI units: of an entry that may be zero */
#define STEP_CONVERGED 1e-15      /* relative: some spacings of doubles */
#define SMALLEST_DISTURBANCE 1e-7 /* of the sizes: smaller ones leave only round-off */

typedef struct expander {
    zw_symbolic *s;
    int order, width;
    int nsmall, small[SMALL_MOST]; /* entries of x */
    zw_expr symbol[SMALL_MOST];    /* of their disturbances */
    zw_expr *x;                    /* nx x width */
    int ni, *velocity;             /* the kept velocities, of nv */
    int nd, *dependent;            /* the others that the constraints determine, of nv */
    zw_expr *M, *h;                /* (ni x ni, ni) x width: M~, h~ */
    zw_expr *rate;                 /* nq x width: q' */
    int n;
    zw_expr *left, *right; /* the reported equations */
} expander;

static zw_expr *allocate_series(expander *e, int n) {
    return ZW_SYMBOLIC_NEW(e->s, zw_expr, n * e->width);
}

/* ----------------------------------------------------------------------------------- the choice */

static bool is_named(const zw_symbolic *s, int i) {
    int q = i >= s->eq.nq ? s->sys->velocity[i - s->eq.nq].coord : -1;
    for (int k = 0; k < s->options.nkeep; k++)
        if (strcmp(s->options.keep[k], zw_symbolic_entry(s, i)) == 0 ||
            (q >= 0 && strcmp(s->options.keep[k], s->sys->coord[q].name) == 0))
            return true;
    return s->options.nkeep == 0 || s->options.cycles;
}

static zw_status choose_velocities(expander *e, zw_error *err) {
    zw_symbolic *s = e->s;
    int nq = s->eq.nq;
    e->velocity = ZW_SYMBOLIC_NEW(s, int, s->eq.nv);
    e->dependent = ZW_SYMBOLIC_NEW(s, int, s->eq.nv);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    for (int k = 0; k < s->result.n; k++) {
        int i = s->kept[k];
        for (int j = 0; j < s->result.norbit; j++)
            if (s->DX[j * s->nx + i] != ZW_ZERO) {
                zw_fail(err, ZW_E_MODEL,
                        "%s turns along with the motion, so that its equation has no expansion "
                        "with constant "
                        "factors",
                        zw_symbolic_entry(s, i));
                zw_error_hint(err, "use coordinates that move along");
                return ZW_E_MODEL;
            }
        if (i >= nq)
            e->velocity[e->ni++] = i - nq;
        if (!is_named(s, i))
            continue;
        if (e->nsmall == SMALL_MOST) {
            zw_fail(err, ZW_E_MODEL, "more than %d small quantities in an expansion", SMALL_MOST);
            zw_error_hint(err,
                          "choose some of them: --small NAME,...; the others stay as they are");
            return ZW_E_MODEL;
        }
        e->symbol[e->nsmall] = s->small[i];
        e->small[e->nsmall++] = i;
    }
    for (int k = 0; k < s->ndependent; k++)
        if (s->dependent[k] >= nq)
            e->dependent[e->nd++] = s->dependent[k] - nq;
    if (e->nd == s->eq.nc && e->ni + e->nd == s->eq.nv)
        return ZW_OK;
    zw_fail(
        err, ZW_E_MODEL,
        "constraints on accelerations, or among the equations of motion of %s, are not expanded",
        s->eq.principle);
    zw_error_hint(err, "--by lagrange, and constraints on positions and velocities");
    return ZW_E_MODEL;
}

/* --------------------------------------------------------------------------- series of matrices */

/* out^(j) += sign sum over i in [from, j] of A^(i) B^(j - i); A is m x k, B is k x n. */
static void add_product(expander *e, int j, int from, int m, int k, int n, const zw_expr *A,
                        const zw_expr *B, bool minus, zw_expr *out) {
    zw_context *ctx = e->s->ctx;
    for (int row = 0; row < m; row++)
        for (int column = 0; column < n; column++) {
            zw_expr *to = &out[(row * n + column) * e->width + j];
            for (int l = 0; l < k; l++)
                for (int i = from; i <= j; i++) {
                    zw_expr term = zw_mul(ctx, A[(row * k + l) * e->width + i],
                                          B[(l * n + column) * e->width + j - i]);
                    *to = minus ? zw_sub(ctx, *to, term) : zw_add(ctx, *to, term);
                }
            *to = zw_symbolic_tidy(e->s, *to);
        }
}

static void multiply_matrices(expander *e, int m, int k, int n, const zw_expr *A, const zw_expr *B,
                              zw_expr *out) {
    for (int j = 0; j < e->width; j++) {
        for (int i = 0; i < m * n; i++)
            out[i * e->width + j] = ZW_ZERO;
        add_product(e, j, 0, m, k, n, A, B, false, out);
    }
}

/* The inverse of the part of order 0. */
static zw_status invert_matrix(expander *e, int n, const zw_expr *A, zw_expr *out, zw_error *err) {
    zw_symbolic *s = e->s;
    int singular;
    zw_expr *first = ZW_SYMBOLIC_NEW(s, zw_expr, n * n), *unit = ZW_SYMBOLIC_NEW(s, zw_expr, n * n);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    for (int i = 0; i < n * n; i++) {
        first[i] = A[i * e->width];
        unit[i] = i / n == i % n ? ZW_ONE : ZW_ZERO;
    }
    ZW_TRY(zw_symbolic_solve(s, n, n, first, unit, out, &singular, err));
    return singular < 0 ? ZW_OK
                        : zw_fail(err, ZW_E_SINGULAR, "a matrix of the expansion is singular");
}

/* A x = b (n x n, n x m) order by order. */
static zw_status solve_series(expander *e, int n, int m, const zw_expr *A, const zw_expr *b,
                              zw_expr *x, zw_error *err) {
    zw_symbolic *s = e->s;
    zw_expr *inv = ZW_SYMBOLIC_NEW(s, zw_expr, n * n), *right = allocate_series(e, n * m);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    ZW_TRY(invert_matrix(e, n, A, inv, err));
    for (int i = 0; i < n * m * e->width; i++)
        right[i] = b[i];
    for (int j = 0; j < e->width; j++) {
        if (j > 0)
            add_product(e, j, 1, n, n, m, A, x, true, right);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < m; k++) {
                zw_expr sum = ZW_ZERO;
                for (int l = 0; l < n; l++)
                    sum = zw_add(s->ctx, sum,
                                 zw_mul(s->ctx, inv[i * n + l], right[(l * m + k) * e->width + j]));
                x[(i * m + k) * e->width + j] = zw_symbolic_tidy(s, sum);
            }
    }
    return zw_context_status(s->ctx, err);
}

/* Series of m expressions of the state. */
static zw_status expand_expressions(expander *e, int m, const zw_expr *of, zw_expr *out,
                                    zw_error *err) {
    zw_symbolic *s = e->s;
    ZW_TRY(zw_taylor_series(s->ctx, m, of, s->nx, s->entry, e->x, e->order, out, err));
    for (int i = 0; i < m * e->width; i++)
        out[i] = zw_symbolic_tidy(s, out[i]);
    return zw_context_status(s->ctx, err);
}

/* --------------------------------------------------------------------------------------- states */

static zw_expr constraint_level(const zw_symbolic *s, int row) {
    const zw_equations *eq = &s->eq;
    if (row < eq->npos)
        return eq->phi[row];
    row -= eq->npos;
    if (row >= eq->nunit)
        return eq->psi[row - eq->nunit];
    zw_expr sum = zw_rational(s->ctx, -1, 2);
    for (int k = 0; k < 4; k++)
        sum = zw_add(s->ctx, sum,
                     zw_mul(s->ctx, ZW_HALF, zw_pow(s->ctx, eq->q[eq->unit[row] + k], ZW_TWO)));
    return sum;
}

static zw_status expand_state(expander *e, zw_error *err) {
    zw_symbolic *s = e->s;
    int d = s->ndependent, singular;
    e->x = allocate_series(e, s->nx);
    zw_expr *g = ZW_SYMBOLIC_NEW(s, zw_expr, d), *part = allocate_series(e, d),
            *GD = ZW_SYMBOLIC_NEW(s, zw_expr, d * d), *unit = ZW_SYMBOLIC_NEW(s, zw_expr, d * d),
            *inv = ZW_SYMBOLIC_NEW(s, zw_expr, d * d);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    for (int i = 0; i < s->nx * e->width; i++)
        e->x[i] = i % e->width ? ZW_ZERO : s->x[i / e->width];
    for (int k = 0; k < e->nsmall; k++)
        e->x[e->small[k] * e->width + 1] = e->symbol[k];
    for (int i = 0; i < d; i++) {
        g[i] = constraint_level(s, s->row[i]);
        for (int j = 0; j < d; j++) {
            GD[i * d + j] = s->G[s->row[i] * s->nx + s->dependent[j]];
            unit[i * d + j] = i == j ? ZW_ONE : ZW_ZERO;
        }
    }
    ZW_TRY(zw_symbolic_solve(s, d, d, GD, unit, inv, &singular, err));
    for (int j = 1; d && j < e->width; j++) {
        ZW_TRY(expand_expressions(e, d, g, part, err));
        for (int i = 0; i < d; i++) {
            zw_expr sum = ZW_ZERO;
            for (int l = 0; l < d; l++)
                sum = zw_sub(s->ctx, sum, zw_mul(s->ctx, inv[i * d + l], part[l * e->width + j]));
            e->x[s->dependent[i] * e->width + j] = zw_symbolic_tidy(s, sum);
        }
    }
    return zw_context_status(s->ctx, err);
}

/* ------------------------------------------------------------------------------------ equations */

/* Rows or columns of a matrix of series. */
static zw_expr *select_entries(expander *e, int nr, const int *rows, int nc, const int *columns,
                               int stride, const zw_expr *A) {
    zw_expr *out = allocate_series(e, nr * nc);
    for (int i = 0; out && i < nr; i++)
        for (int j = 0; j < nc; j++)
            memcpy(out + (size_t)((i * nc + j) * e->width),
                   A + (size_t)((rows[i] * stride + columns[j]) * e->width),
                   (size_t)e->width * sizeof *out);
    return out;
}

static void negate_matrix(expander *e, int n, zw_expr *a) {
    for (int i = 0; i < n * e->width; i++)
        a[i] = zw_neg(e->s->ctx, a[i]);
}

static zw_expr *transpose_matrix(expander *e, int m, int n, const zw_expr *A) {
    zw_expr *out = allocate_series(e, m * n);
    for (int i = 0; out && i < m; i++)
        for (int j = 0; j < n; j++)
            memcpy(out + (size_t)((j * m + i) * e->width), A + (size_t)((i * n + j) * e->width),
                   (size_t)e->width * sizeof *out);
    return out;
}

/* (1 in the kept velocities, given in the others), nv x n. */
static zw_expr *distribute_rows(expander *e, int n, const zw_expr *given, bool unit) {
    zw_expr *out = allocate_series(e, e->s->eq.nv * n);
    for (int i = 0; out && i < e->s->eq.nv * n * e->width; i++)
        out[i] = ZW_ZERO;
    for (int i = 0; out && unit && i < e->ni; i++)
        out[(e->velocity[i] * n + i) * e->width] = ZW_ONE;
    for (int i = 0; out && i < e->nd; i++)
        memcpy(out + (size_t)(e->dependent[i] * n * e->width), given + (size_t)(i * n * e->width),
               (size_t)(n * e->width) * sizeof *out);
    return out;
}

static zw_status reduce_equations(expander *e, zw_error *err) {
    zw_symbolic *s = e->s;
    const zw_equations *eq = &s->eq;
    int nv = eq->nv, nc = eq->nc, ni = e->ni, *all = ZW_SYMBOLIC_NEW(s, int, nv + nc);
    zw_expr *M = allocate_series(e, nv * nv), *h = allocate_series(e, nv),
            *C = allocate_series(e, nv * nc), *W = allocate_series(e, nc * nv),
            *b = allocate_series(e, nc), *BD = allocate_series(e, nc * ni),
            *ED = allocate_series(e, nc), *LD = allocate_series(e, nc * ni),
            *MB = allocate_series(e, nv * ni), *ME = allocate_series(e, nv);
    e->M = allocate_series(e, ni * ni);
    e->h = allocate_series(e, ni);
    e->rate = allocate_series(e, eq->nq);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    for (int i = 0; i < nv + nc; i++)
        all[i] = i;
    ZW_TRY(expand_expressions(e, nv * nv, eq->M, M, err));
    ZW_TRY(expand_expressions(e, nv, eq->h, h, err));
    ZW_TRY(expand_expressions(e, nv * nc, eq->C, C, err));
    ZW_TRY(expand_expressions(e, nc * nv, eq->W, W, err));
    ZW_TRY(expand_expressions(e, nc, eq->b, b, err));
    ZW_TRY(expand_expressions(e, eq->nq, eq->qdot, e->rate, err));
    zw_expr *WD = select_entries(e, nc, all, nc, e->dependent, nv, W),
            *WI = select_entries(e, nc, all, ni, e->velocity, nv, W),
            *CD = select_entries(e, nc, e->dependent, nc, all, nc, C),
            *CI = select_entries(e, ni, e->velocity, nc, all, nc, C);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    negate_matrix(e, nc * ni, WI);
    negate_matrix(e, ni * nc, CI);
    zw_expr *CDT = transpose_matrix(e, nc, nc, CD), *CIT = transpose_matrix(e, ni, nc, CI);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    ZW_TRY(solve_series(e, nc, ni, WD, WI, BD, err));
    ZW_TRY(solve_series(e, nc, 1, WD, b, ED, err));
    ZW_TRY(solve_series(e, nc, ni, CDT, CIT, LD, err)); /* L_D', nc x ni */
    zw_expr *B = distribute_rows(e, ni, BD, true), *E = distribute_rows(e, 1, ED, false),
            *LT = distribute_rows(e, ni, LD, true);
    zw_expr *L = LT ? transpose_matrix(e, nv, ni, LT) : NULL;
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    multiply_matrices(e, nv, nv, ni, M, B, MB);
    multiply_matrices(e, ni, nv, ni, L, MB, e->M);
    multiply_matrices(e, nv, nv, 1, M, E, ME);
    for (int i = 0; i < nv * e->width; i++)
        h[i] = zw_symbolic_tidy(s, zw_sub(s->ctx, h[i], ME[i]));
    multiply_matrices(e, ni, nv, 1, L, h, e->h);
    return zw_context_status(s->ctx, err);
}

/* ---- output ---- */

static zw_expr short_form(const expander *e, zw_expr a) {
    zw_context *ctx = e->s->ctx;
    zw_expr b = zw_factored(ctx, a), c = zw_textbook(ctx, a, false, true);
    zw_expr best = zw_print_length(ctx, b) <= 1.1 * zw_print_length(ctx, c) ? b : c;
    return zw_print_length(ctx, best) <= zw_print_length(ctx, a) ? best : a;
}

/* All monomials of this degree from variable `from` on. */
static zw_expr collect_monomials(const expander *e, zw_expr part, int from, int degree,
                                 int *powers) {
    zw_context *ctx = e->s->ctx;
    if (degree == 0) {
        zw_expr c =
            zw_symbolic_tidy(e->s, zw_taylor_coefficient(ctx, part, e->nsmall, e->symbol, powers));
        if (c == ZW_ZERO)
            return ZW_ZERO;
        c = short_form(e, c);
        for (int k = 0; k < e->nsmall; k++)
            c = zw_mul(ctx, c, zw_pow(ctx, e->symbol[k], zw_integer(ctx, powers[k])));
        return c;
    }
    zw_expr sum = ZW_ZERO;
    for (int k = from; k < e->nsmall; k++) {
        powers[k]++;
        sum = zw_add(ctx, sum, collect_monomials(e, part, k, degree - 1, powers));
        powers[k]--;
    }
    return sum;
}

/* The polynomial, each monomial once. */
static zw_expr collect_polynomial(const expander *e, const zw_expr *parts) {
    int powers[SMALL_MOST] = {0};
    zw_expr sum = ZW_ZERO;
    for (int j = 0; j < e->width; j++)
        if (parts[j] != ZW_ZERO)
            sum = zw_add(e->s->ctx, sum, collect_monomials(e, parts[j], 0, j, powers));
    return sum;
}

static void report_symbol(expander *e, zw_expr left, zw_expr right) {
    if (e->n < SERIES_MOST) {
        e->left[e->n] = left;
        e->right[e->n++] = right;
    }
}

static void report_series(expander *e, const char *name, zw_expr right) {
    report_symbol(e, zw_symbol(e->s->ctx, name), right);
}

static void report_rates(expander *e) {
    const zw_symbolic *s = e->s;
    char name[200];
    for (int k = 0; k < s->result.n; k++) {
        int i = s->kept[k];
        bool plain = false;
        for (int v = 0; v < e->ni; v++)
            plain |= s->sys->velocity[e->velocity[v]].coord == i;
        if (i >= s->eq.nq || plain)
            continue;
        snprintf(name, sizeof name, "%.190s'", s->sys->coord[i].name);
        report_series(e, name, collect_polynomial(e, e->rate + (size_t)(i * e->width)));
    }
}

static void report_forces(expander *e) {
    for (int i = 0; i < e->ni; i++)
        for (int j = 0; j < e->ni; j++)
            report_symbol(e, zw_symbolic_entry_name(e->s, "M", e->ni, i + 1, j + 1),
                          collect_polynomial(e, e->M + (size_t)((i * e->ni + j) * e->width)));
    for (int i = 0; i < e->ni; i++) {
        char plain[32], words[32];
        snprintf(plain, sizeof plain, "h_%d", i + 1);
        snprintf(words, sizeof words, "h_entry_%d", i + 1);
        report_symbol(e, zw_symbolic_free_name(e->s, plain, words, words),
                      collect_polynomial(e, e->h + (size_t)(i * e->width)));
    }
}

static zw_status report_accelerations(expander *e, zw_error *err) {
    zw_symbolic *s = e->s;
    zw_expr *a = allocate_series(e, e->ni);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    ZW_TRY(solve_series(e, e->ni, 1, e->M, e->h, a, err));
    for (int i = 0; i < e->ni && !s->too_long; i++) {
        zw_expr right = collect_polynomial(e, a + (size_t)(i * e->width));
        if (zw_print_length(s->ctx, right) <= EXPLICIT_MOST)
            report_series(e, zw_expr_name(s->ctx, s->eq.a[e->velocity[i]]), right);
    }
    return zw_context_status(s->ctx, err);
}

/* ---------------------------------------------------------------------------------------- check */

static double at_small(const expander *e, int probe, const double *y, zw_expr f) {
    const zw_symbolic *s = e->s;
    int n = s->nsymbol + e->nsmall;
    zw_expr *symbol = ZW_NEW((zw_arena *)&s->arena, zw_expr, n);
    double *value = ZW_NEW((zw_arena *)&s->arena, double, n);
    if (!symbol || !value)
        return NAN;
    memcpy(symbol, s->symbol, (size_t)s->nsymbol * sizeof *symbol);
    memcpy(value, s->probe + (size_t)probe * (size_t)s->nsymbol,
           (size_t)s->nsymbol * sizeof *value);
    for (int k = 0; k < e->nsmall; k++) {
        symbol[s->nsymbol + k] = e->symbol[k];
        value[s->nsymbol + k] = y[k];
    }
    return zw_eval(s->ctx, f, n, symbol, value);
}

/* The dependent entries of x from the constraints. */
static bool solve_dependent(const expander *e, double *x) {
    zw_symbolic *s = e->s;
    int d = s->ndependent, nx = s->nx, ng = zw_flow_levels(s->flow);
    double *g = ZW_SYMBOLIC_NEW(s, double, ng), *G = ZW_SYMBOLIC_NEW(s, double, ng *nx),
           *A = ZW_SYMBOLIC_NEW(s, double, d *d), *b = ZW_SYMBOLIC_NEW(s, double, d);
    for (int pass = 0; pass < 20 && !s->arena.failed; pass++) {
        double most = 0;
        if (zw_flow_constraints(s->flow, 0, x, g, G, NULL) < 0)
            return false;
        for (int i = 0; i < d; i++) {
            b[i] = -g[s->row[i]];
            for (int j = 0; j < d; j++)
                A[i * d + j] = G[s->row[i] * nx + s->dependent[j]];
        }
        if (!zw_symbolic_solve_numbers(d, A, 1, b))
            return false;
        for (int i = 0; i < d; i++) {
            x[s->dependent[i]] += b[i];
            most = fmax(most, fabs(b[i]) / fmax(SMALLEST_SIZE, fabs(x[s->dependent[i]])));
        }
        if (most < STEP_CONVERGED)
            break;
    }
    return !s->arena.failed;
}

/* Difference of the truncated equations and the flow at the disturbance y; *size: of the rates. */
static double truncation_difference(const expander *e, int probe, const double *x0, const double *y,
                                    double *size) {
    zw_symbolic *s = e->s;
    int nx = s->nx, ni = e->ni, nq = s->eq.nq;
    double *x = ZW_SYMBOLIC_NEW(s, double, nx), *f = ZW_SYMBOLIC_NEW(s, double, nx),
           *A = ZW_SYMBOLIC_NEW(s, double, ni *ni), *b = ZW_SYMBOLIC_NEW(s, double, ni), most = 0;
    if (s->arena.failed)
        return NAN;
    memcpy(x, x0, (size_t)nx * sizeof *x);
    for (int k = 0; k < e->nsmall; k++)
        x[e->small[k]] += y[k];
    if (!solve_dependent(e, x) || zw_flow_rates(s->flow, 0, x, f, NULL, NULL) < 0)
        return NAN;
    *size = 0;
    for (int i = 0; i < e->n; i++) { /* q', then M and h row by row */
        double value = at_small(e, probe, y, e->right[i]);
        int first = e->n;
        for (int k = 0; k < e->n && first == e->n; k++)
            if (e->left[k] == zw_symbolic_entry_name(s, "M", ni, 1, 1))
                first = k;
        if (i >= first && i < first + ni * ni)
            A[i - first] = value;
        else if (i >= first + ni * ni && i < first + ni * ni + ni)
            b[i - first - ni * ni] = value;
        for (int q = 0; q < nq && i < first; q++) {
            char name[200];
            snprintf(name, sizeof name, "%.190s'", s->sys->coord[q].name);
            if (strcmp(name, zw_expr_name(s->ctx, e->left[i])) == 0) {
                most = fmax(most, fabs(value - f[q]));
                *size = fmax(*size, fabs(f[q]));
            }
        }
    }
    if (!zw_symbolic_solve_numbers(ni, A, 1, b))
        return NAN;
    for (int i = 0; i < ni; i++) {
        most = fmax(most, fabs(b[i] - f[nq + e->velocity[i]]));
        *size = fmax(*size, fabs(f[nq + e->velocity[i]]));
    }
    return most;
}

/* Does the difference decrease as it should, at some size of the disturbance? */
static bool is_difference_falling(const expander *e, int probe, const double *x0,
                                  const double *scale) {
    zw_random random = zw_random_stream(e->s->options.seed, 77);
    double y[SMALL_MOST], half[SMALL_MOST], direction[SMALL_MOST];
    for (int k = 0; k < e->nsmall; k++)
        direction[k] = zw_random_real(&random, 0.5, 1) * fmin(1, scale[e->small[k]]);
    for (double length = 0.1; length > SMALLEST_DISTURBANCE; length /= 3) {
        double size, other;
        for (int k = 0; k < e->nsmall; k++) {
            y[k] = length * direction[k];
            half[k] = y[k] / 2;
        }
        double far = truncation_difference(e, probe, x0, y, &size),
               near = truncation_difference(e, probe, x0, half, &other);
        if (!isfinite(far) || !isfinite(near))
            continue;
        if (far <= RATE_ROUNDOFF * size && near <= RATE_ROUNDOFF * size)
            return true;
        if (near > RATE_ROUNDOFF * size && near <= ORDER_MARGIN * far * pow(0.5, e->order + 1))
            return true;
    }
    return false;
}

static zw_status check_expansion(const expander *e, zw_error *err) {
    zw_symbolic *s = e->s;
    static const int order[] = {ZW_PROBE_PLAIN, 1, 2};
    double *x = ZW_SYMBOLIC_NEW(s, double, s->nx), *scale = ZW_SYMBOLIC_NEW(s, double, s->nx);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    for (int k = 0; k < 3; k++) {
        zw_error ignored = {0};
        if (zw_symbolic_flow_at(s, order[k], x, scale, &ignored) >= 0 &&
            is_difference_falling(e, order[k], x, scale))
            return ZW_OK;
    }
    return zw_fail(
        err, ZW_E_NUMERIC,
        "the expansion could not be confirmed by numbers: what it leaves out does not fall with "
        "the power %d of the disturbance; it is not shown",
        e->order + 1);
}

/* The rows y' - ... = 0 and M v' - h = 0 of all kept entries, for cycles. */
static zw_status store_rows(expander *e, zw_error *err) {
    zw_symbolic *s = e->s;
    zw_context *ctx = s->ctx;
    int n = s->result.n, velocity = 0;
    zw_expr *x = ZW_SYMBOLIC_NEW(s, zw_expr, 2 * n), *row = ZW_SYMBOLIC_NEW(s, zw_expr, n);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    for (int k = 0; k < n; k++) {
        char name[32];
        snprintf(name, sizeof name, "rate %d", k);
        x[k] = s->small[s->kept[k]];
        x[n + k] = zw_symbol(ctx, name);
    }
    for (int k = 0; k < n; k++) {
        int i = s->kept[k], column = 0;
        if (i < s->eq.nq) {
            row[k] = zw_sub(ctx, x[n + k], zw_sum(ctx, e->width, e->rate + (size_t)(i * e->width)));
            continue;
        }
        row[k] = zw_neg(ctx, zw_sum(ctx, e->width, e->h + (size_t)(velocity * e->width)));
        for (int j = 0; j < n; j++) {
            if (s->kept[j] < s->eq.nq)
                continue;
            zw_expr M =
                zw_sum(ctx, e->width, e->M + (size_t)((velocity * e->ni + column++) * e->width));
            row[k] = zw_add(ctx, row[k], zw_mul(ctx, M, x[n + j]));
        }
        velocity++;
    }
    return zw_symbolic_cycles(s, n, x, row, err);
}

/* --------------------------------------------------------------------------------------- public */

zw_status zw_symbolic_expand(zw_symbolic *s, zw_error *err) {
    expander e = {.s = s, .order = s->options.order, .width = s->options.order + 1};
    ZW_TRY(choose_velocities(&e, err));
    e.left = ZW_SYMBOLIC_NEW(s, zw_expr, SERIES_MOST);
    e.right = ZW_SYMBOLIC_NEW(s, zw_expr, SERIES_MOST);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    ZW_TRY(expand_state(&e, err));
    zw_symbolic_progress(s, "expansion", 0.85);
    ZW_TRY(reduce_equations(&e, err));
    zw_symbolic_progress(s, "expansion", 0.95);
    report_rates(&e);
    report_forces(&e);
    double longest = 0;
    for (int i = 0; i < e.n; i++)
        longest = fmax(longest, zw_print_length(s->ctx, e.right[i]));
    if (s->too_long || e.n == SERIES_MOST || longest > ZW_LENGTH_MOST) {
        zw_fail(
            err, ZW_E_MODEL,
            "the expansion to order %d would be too long to be read, or has numbers that are too "
            "large for exact fractions",
            e.order);
        zw_error_hint(
            err,
            "choose fewer small quantities (--small NAME,...), a lower order, or numbers instead "
            "of symbols (--numbers NAME,...)");
        return ZW_E_MODEL;
    }
    ZW_TRY(check_expansion(&e, err));
    if (s->options.cycles)
        return store_rows(&e, err);
    ZW_TRY(report_accelerations(&e, err));
    s->too_long = false;
    zw_expr *small = ZW_SYMBOLIC_NEW(s, zw_expr, e.nsmall),
            *velocity = ZW_SYMBOLIC_NEW(s, zw_expr, e.ni);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    memcpy(small, e.symbol, (size_t)e.nsmall * sizeof *small);
    for (int i = 0; i < e.ni; i++)
        velocity[i] = s->eq.a[e.velocity[i]];
    zw_symbolic_result *r = &s->result;
    r->order = e.order;
    r->nseries = e.n;
    r->series_left = e.left;
    r->series_right = e.right;
    r->nsmall = e.nsmall;
    r->small = small;
    r->nacceleration = e.ni;
    r->acceleration = velocity;
    return ZW_OK;
}
