/* SPDX-License-Identifier: MIT */
/* M = L D L' gives, with G = L^-1 h, Zc = L^-1 C, Zw = L^-1 W',
 *
 *     S lambda = b - Zw' D^-1 G,     S = Zw' D^-1 Zc        (Schur complement)
 *     L' v'    = D^-1 (G + Zc lambda)
 *
 * S is factorised as L D L' too if C = W', else as L U. There is no pivoting for size: M is
 * positive definite in any valid model, and if it is not, or S is singular, the smallest ratio of a
 * pivot to the diagonal entry it started from shows it (1: nothing was lost, 0: singular).
 *
 * All of it is arithmetic on values, so structural zeros cost nothing, and values that depend on
 * parameters only move to `prepare`. To have many of both, the elimination of M begins with rows
 * that depend on parameters only, then takes rows with the fewest entries (minimum degree). */
#include "solve.h"

#include <string.h>

typedef struct solver {
    zw_graph *g;
    int nv, nc;
    zw_value *A;           /* nv x nv: M, then its Schur complements; below the pivots: L */
    zw_value *G, *Zc, *Zw; /* nv, nv x nc, nv x nc (Zw = Zc if symmetric) */
    zw_value *r;           /* nv: 1 / pivot */
    zw_value *S, *s, *rs;  /* nc x nc, nc, nc: 1 / pivot */
    zw_value *part;        /* for dot products */
    int *order;            /* nv: elimination order */
    bool *eliminated;
    zw_value quality;
} solver;

/* quality = min(quality, pivot / diagonal), of its absolute value if the sign does not matter */
static void note_pivot(solver *s, zw_value pivot, zw_value diagonal, bool positive) {
    zw_graph *g = s->g;
    if (pivot == diagonal)
        return;
    zw_value ratio = zw_graph_div(g, pivot, diagonal);
    if (!positive)
        ratio = zw_graph_op(g, ZW_CODE_ABS, ratio, 0, 0);
    s->quality = zw_graph_op(g, ZW_CODE_MIN, ratio, s->quality, 0);
}

/* to -= a b */
static void subtract_product(zw_graph *g, zw_value *to, zw_value a, zw_value b) {
    *to = zw_graph_sub(g, *to, zw_graph_mul(g, a, b));
}

/* sum_i a[i stride] b[i stride], added in pairs */
static zw_value dot(solver *s, int n, const zw_value *a, int astride, const zw_value *b,
                    int bstride) {
    int m = 0;
    for (int i = 0; i < n; i++) {
        zw_value p = zw_graph_mul(s->g, a[i * astride], b[i * bstride]);
        if (p != s->g->zero)
            s->part[m++] = p;
    }
    if (!m)
        return s->g->zero;
    for (; m > 1; m = (m + 1) / 2)
        for (int i = 0; i < m; i += 2)
            s->part[i / 2] =
                i + 1 < m ? zw_graph_add(s->g, s->part[i], s->part[i + 1]) : s->part[i];
    return s->part[0];
}

/* the next row to eliminate */
static int choose_row(const solver *s) {
    int best = -1, best_cost = 0;
    for (int i = 0; i < s->nv; i++) {
        if (s->eliminated[i])
            continue;
        int cost = 0;
        bool fast = false;
        for (int j = 0; j < s->nv; j++) {
            zw_value a = s->A[i * s->nv + j];
            if (s->eliminated[j] || a == s->g->zero)
                continue;
            cost += j != i;
            fast |= zw_graph_rate(s->g, a) == ZW_RATE_STATE;
        }
        cost += fast ? s->nv : 0;
        if (best < 0 || cost < best_cost) {
            best = i;
            best_cost = cost;
        }
    }
    return best;
}

/* one column of L D L' and its effect on the rest and on the right sides */
static bool eliminate_column(solver *s, int p, const zw_value *M) {
    zw_graph *g = s->g;
    int n = s->nv, nc = s->nc;
    zw_value d = s->A[p * n + p];
    if (d == g->zero)
        return false;
    note_pivot(s, d, M[p * n + p], true);
    s->r[p] = zw_graph_div(g, g->one, d);
    s->eliminated[p] = true;
    for (int i = 0; i < n; i++) {
        if (s->eliminated[i] || s->A[i * n + p] == g->zero)
            continue;
        zw_value l = zw_graph_mul(g, s->A[i * n + p], s->r[p]);
        for (int j = 0; j <= i; j++)
            if (!s->eliminated[j]) {
                subtract_product(g, &s->A[i * n + j], l, s->A[j * n + p]);
                s->A[j * n + i] = s->A[i * n + j];
            }
        subtract_product(g, &s->G[i], l, s->G[p]);
        for (int k = 0; k < nc; k++) {
            subtract_product(g, &s->Zc[i * nc + k], l, s->Zc[p * nc + k]);
            if (s->Zw != s->Zc)
                subtract_product(g, &s->Zw[i * nc + k], l, s->Zw[p * nc + k]);
        }
    }
    /* column p of A still holds the unscaled entries: the elimination above reads them */
    for (int i = 0; i < n; i++)
        if (!s->eliminated[i])
            s->A[i * n + p] = zw_graph_mul(g, s->A[i * n + p], s->r[p]);
    return true;
}

/* D^-1 G and D^-1 Zc in place of G and Zc; Zw keeps its unscaled entries in a copy */
static void make_schur(solver *s, const zw_value *b, zw_value *unscaled) {
    zw_graph *g = s->g;
    int n = s->nv, nc = s->nc;
    memcpy(unscaled, s->Zw, sizeof *unscaled * (size_t)(n * nc));
    for (int i = 0; i < n; i++) {
        s->G[i] = zw_graph_mul(g, s->G[i], s->r[i]);
        for (int k = 0; k < nc; k++)
            s->Zc[i * nc + k] = zw_graph_mul(g, s->Zc[i * nc + k], s->r[i]);
    }
    bool symmetric = s->Zw == s->Zc;
    for (int k = 0; k < nc; k++) {
        s->s[k] = zw_graph_sub(g, b[k], dot(s, n, unscaled + k, nc, s->G, 1));
        for (int l = 0; l < nc; l++)
            s->S[k * nc + l] =
                symmetric && l < k ? s->S[l * nc + k] : dot(s, n, unscaled + k, nc, s->Zc + l, nc);
    }
}

/* lambda from S lambda = s by elimination; of a symmetric S only the upper half is updated */
static bool solve_schur(solver *s, bool symmetric, zw_value *diagonal, zw_value *lambda) {
    zw_graph *g = s->g;
    int n = s->nc;
    for (int k = 0; k < n; k++)
        diagonal[k] = s->S[k * n + k];
    for (int k = 0; k < n; k++) {
        zw_value d = s->S[k * n + k];
        if (d == g->zero)
            return false;
        note_pivot(s, d, diagonal[k], symmetric);
        s->rs[k] = zw_graph_div(g, g->one, d);
        for (int i = k + 1; i < n; i++) {
            zw_value l = zw_graph_mul(g, s->S[(symmetric ? k * n + i : i * n + k)], s->rs[k]);
            for (int j = symmetric ? i : k + 1; j < n; j++)
                subtract_product(g, &s->S[i * n + j], l, s->S[k * n + j]);
            subtract_product(g, &s->s[i], l, s->s[k]);
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        zw_value rest = dot(s, n - 1 - k, &s->S[k * n + k + 1], 1, &lambda[k + 1], 1);
        lambda[k] = zw_graph_mul(g, zw_graph_sub(g, s->s[k], rest), s->rs[k]);
    }
    return true;
}

/* L' x = x */
static void solve_transposed(solver *s, zw_value *x) {
    int n = s->nv;
    for (int k = n - 1; k >= 0; k--) {
        int p = s->order[k];
        for (int m = n - 1; m > k; m--) {
            int i = s->order[m];
            subtract_product(s->g, &x[p], s->A[i * n + p], x[i]);
        }
    }
}

static void back_substitute(solver *s, const zw_value *lambda, zw_value *accel) {
    int n = s->nv, nc = s->nc;
    for (int i = 0; i < n; i++)
        accel[i] = zw_graph_add(s->g, s->G[i], dot(s, nc, &s->Zc[i * nc], 1, lambda, 1));
    solve_transposed(s, accel);
}

static bool allocate_solver(solver *s, zw_arena *scratch, const zw_solve *in) {
    int n = in->nv, nc = in->nc;
    s->A = ZW_NEW(scratch, zw_value, n * n + 1);
    s->G = ZW_NEW(scratch, zw_value, n + 1);
    s->Zc = ZW_NEW(scratch, zw_value, n * nc + 1);
    s->Zw = in->symmetric ? s->Zc : ZW_NEW(scratch, zw_value, n * nc + 1);
    s->r = ZW_NEW(scratch, zw_value, n + 1);
    s->S = ZW_NEW(scratch, zw_value, nc * nc + 1);
    s->s = ZW_NEW(scratch, zw_value, nc + 1);
    s->rs = ZW_NEW(scratch, zw_value, nc + 1);
    s->part = ZW_NEW(scratch, zw_value, n + nc + 1);
    s->order = ZW_NEW(scratch, int, n + 1);
    s->eliminated = ZW_NEW(scratch, bool, n + 1);
    if (scratch->failed)
        return false;
    for (int i = 0; i < n * n; i++)
        s->A[i] = in->M[i];
    for (int i = 0; i < n; i++) {
        s->G[i] = in->h[i];
        for (int k = 0; k < nc; k++) {
            s->Zc[i * nc + k] = in->C[i * nc + k];
            if (!in->symmetric)
                s->Zw[i * nc + k] = in->W[k * n + i];
        }
    }
    return true;
}

static zw_status unroll_solve(zw_graph *g, zw_arena *scratch, const zw_solve *in, zw_value *accel,
                              zw_value *lambda, zw_value *quality) {
    solver s = {.g = g, .nv = in->nv, .nc = in->nc, .quality = g->one};
    zw_value *unscaled = ZW_NEW(scratch, zw_value, in->nv * in->nc + 1);
    zw_value *diagonal = ZW_NEW(scratch, zw_value, in->nc + 1);
    if (!unscaled || !diagonal || !allocate_solver(&s, scratch, in))
        return ZW_E_MEMORY;
    for (int k = 0; k < in->nv; k++) {
        s.order[k] = choose_row(&s);
        if (!eliminate_column(&s, s.order[k], in->M))
            return ZW_E_SINGULAR;
    }
    make_schur(&s, in->b, unscaled);
    if (!solve_schur(&s, in->symmetric, diagonal, lambda))
        return ZW_E_SINGULAR;
    back_substitute(&s, lambda, accel);
    *quality = s.quality;
    return g->arena->failed ? ZW_E_MEMORY : ZW_OK;
}

zw_status zw_solve_unroll(zw_graph *g, zw_arena *scratch, const zw_solve *system, zw_value *accel,
                          zw_value *lambda, zw_value *quality) {
    zw_arena_mark mark = zw_arena_mark_now(scratch);
    zw_status status = unroll_solve(g, scratch, system, accel, lambda, quality);
    zw_arena_release(scratch, mark);
    return status;
}

static zw_status unroll_hit(zw_graph *g, zw_arena *scratch, const zw_solve *in,
                            const zw_solve_hit *out) {
    int n = in->nv, nc = in->nc;
    solver s = {.g = g, .nv = n, .nc = nc, .quality = g->one};
    zw_value *unscaled = ZW_NEW(scratch, zw_value, n * nc + 1);
    if (!unscaled || !allocate_solver(&s, scratch, in))
        return ZW_E_MEMORY;
    for (int k = 0; k < n; k++) {
        s.order[k] = choose_row(&s);
        if (!eliminate_column(&s, s.order[k], in->M))
            return ZW_E_SINGULAR;
    }
    make_schur(&s, in->b, unscaled);
    memcpy(out->a, s.G, sizeof *out->a * (size_t)n);
    solve_transposed(&s, out->a);
    for (int k = 0; k < nc; k++) {
        out->Ha[k] = zw_graph_sub(g, g->zero, s.s[k]);
        for (int i = 0; i < n; i++)
            out->B[k * n + i] = s.Zc[i * nc + k];
        solve_transposed(&s, out->B + k * n);
        memcpy(out->W + k * nc, s.S + k * nc, sizeof *out->W * (size_t)nc);
    }
    return g->arena->failed ? ZW_E_MEMORY : ZW_OK;
}

zw_status zw_solve_unroll_hit(zw_graph *g, zw_arena *scratch, const zw_solve *system,
                              const zw_solve_hit *out) {
    zw_arena_mark mark = zw_arena_mark_now(scratch);
    zw_status status = unroll_hit(g, scratch, system, out);
    zw_arena_release(scratch, mark);
    return status;
}
