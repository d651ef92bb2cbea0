/* SPDX-License-Identifier: MIT */
/* How long does it take to derive a planar chain of n point masses on massless rods?
 *
 *   positions     x_i = sum_{k<=i} l_k sin theta_k,   y_i = -sum_{k<=i} l_k cos theta_k
 *   energies      T = sum m_i (x_i'^2 + y_i'^2)/2,    V = sum m_i g y_i
 *   mass matrix   M = d^2 T / d theta'^2
 *   bias          h = d(dT/d theta')/dt at theta'' = 0, minus dT/d theta
 *   gravity       G = dV/d theta
 *
 * Nothing about chains is used: positions are differentiated, energies are differentiated again.
 * With relative angles theta_k = phi_1 + ... + phi_k, everything depends on everything. One
 * measurement is a derivation from an empty context; afterwards M, h and G are compared at a point
 * with
 *
 *   M_jk = mu_jk l_j l_k cos(theta_j - theta_k),   mu_jk = sum_{i >= max(j,k)} m_i
 *   h_j  = sum_k mu_jk l_j l_k sin(theta_j - theta_k) theta_k'^2,   G_j = mu_jj g l_j sin theta_j
 *
 * which relative angles turn into S' M S, S' h, S' G with S_kj = 1 for j <= k. */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "zwang/expr.h"

enum { NMAX = 20 };

typedef struct chain {
    int n;
    bool relative;
    zw_context *ctx;
    zw_expr q[NMAX], v[NMAX], m[NMAX], l[NMAX], g;
    zw_expr M[NMAX * NMAX], h[NMAX], G[NMAX];
} chain;

static zw_expr numbered(zw_context *ctx, const char *stem, int i, const char *primes) {
    char name[16];
    snprintf(name, sizeof name, "%s%d%s", stem, i + 1, primes);
    return zw_symbol(ctx, name);
}

static void name_symbols(chain *c) {
    for (int i = 0; i < c->n; i++) {
        c->q[i] = numbered(c->ctx, "q", i, "");
        c->v[i] = numbered(c->ctx, "q", i, "'");
        c->m[i] = numbered(c->ctx, "m", i, "");
        c->l[i] = numbered(c->ctx, "l", i, "");
    }
    c->g = zw_symbol(c->ctx, "g");
}

static zw_expr square(zw_context *ctx, zw_expr e) {
    return zw_pow(ctx, e, ZW_TWO);
}

/* T and V from the Cartesian positions of the masses */
static void energies(chain *c, zw_expr *T, zw_expr *V) {
    zw_context *ctx = c->ctx;
    zw_expr x = ZW_ZERO, y = ZW_ZERO, angle = ZW_ZERO;
    *T = *V = ZW_ZERO;
    for (int i = 0; i < c->n; i++) {
        angle = c->relative ? zw_add(ctx, angle, c->q[i]) : c->q[i];
        x = zw_add(ctx, x, zw_mul(ctx, c->l[i], zw_sin(ctx, angle)));
        y = zw_sub(ctx, y, zw_mul(ctx, c->l[i], zw_cos(ctx, angle)));
        zw_expr xdot = zw_along(ctx, x, c->n, c->q, c->v);
        zw_expr ydot = zw_along(ctx, y, c->n, c->q, c->v);
        zw_expr speed2 = zw_add(ctx, square(ctx, xdot), square(ctx, ydot));
        *T = zw_add(ctx, *T, zw_mul(ctx, ZW_HALF, zw_mul(ctx, c->m[i], speed2)));
        *V = zw_add(ctx, *V, zw_mul(ctx, c->m[i], zw_mul(ctx, c->g, y)));
    }
}

static void derive_in_context(chain *c) {
    zw_context *ctx = c->ctx;
    zw_expr T, V, momentum[NMAX], dTdq[NMAX];
    name_symbols(c);
    energies(c, &T, &V);
    zw_gradient(ctx, T, c->n, c->v, momentum);
    zw_gradient(ctx, T, c->n, c->q, dTdq);
    zw_gradient(ctx, V, c->n, c->q, c->G);
    zw_jacobian(ctx, c->n, momentum, c->n, c->v, c->M);
    for (int j = 0; j < c->n; j++)
        c->h[j] = zw_sub(ctx, zw_along(ctx, momentum[j], c->n, c->q, c->v), dTdq[j]);
}

/* one measurement: everything from an empty context to its destruction */
static void derive_and_forget(void *data) {
    chain *c = data;
    c->ctx = zw_context_create(NULL);
    derive_in_context(c);
    zw_context_destroy(c->ctx);
}

typedef struct numbers {
    double theta[NMAX], rate[NMAX], M[NMAX * NMAX], h[NMAX], G[NMAX];
} numbers;

/* the closed form for absolute angles */
static void closed_form(int n, const double *m, const double *l, double g, numbers *out) {
    for (int j = 0; j < n; j++) {
        out->h[j] = 0;
        for (int k = 0; k < n; k++) {
            double mu = 0, difference = out->theta[j] - out->theta[k];
            for (int i = j > k ? j : k; i < n; i++)
                mu += m[i];
            out->M[j * n + k] = mu * l[j] * l[k] * cos(difference);
            out->h[j] += mu * l[j] * l[k] * sin(difference) * out->rate[k] * out->rate[k];
            if (j == k)
                out->G[j] = mu * g * l[j] * sin(out->theta[j]);
        }
    }
}

/* a <- S' a for n rows of length `columns`: row j becomes the sum of the rows from j on */
static void sum_from_below(int n, int columns, double *a) {
    for (int j = n - 2; j >= 0; j--)
        for (int k = 0; k < columns; k++)
            a[j * columns + k] += a[(j + 1) * columns + k];
}

static void to_relative(int n, numbers *out) {
    sum_from_below(n, n, out->M);
    for (int j = 0; j < n; j++)
        sum_from_below(n, 1, out->M + j * n);
    sum_from_below(n, 1, out->h);
    sum_from_below(n, 1, out->G);
}

/* largest difference between the expressions and the closed form, relative to the largest entry */
static double largest_error(const chain *c) {
    int n = c->n;
    zw_expr symbols[4 * NMAX + 1];
    double values[4 * NMAX + 1];
    numbers want = {{0}, {0}, {0}, {0}, {0}};
    double *q = values, *v = values + n, *m = values + 2 * n, *l = values + 3 * n;
    const zw_expr *groups[] = {c->q, c->v, c->m, c->l};
    for (int part = 0; part < 4; part++)
        memcpy(symbols + part * n, groups[part], sizeof symbols[0] * (size_t)n);
    symbols[4 * n] = c->g;
    values[4 * n] = 9.81;
    for (int i = 0; i < n; i++) {
        q[i] = sin(1.0 + 3 * i);
        v[i] = cos(2.0 + 5 * i);
        m[i] = 1.0 + 0.5 * sin(7.0 * i);
        l[i] = 1.0 + 0.5 * cos(11.0 * i);
        want.theta[i] = q[i] + (c->relative && i > 0 ? want.theta[i - 1] : 0);
        want.rate[i] = v[i] + (c->relative && i > 0 ? want.rate[i - 1] : 0);
    }
    closed_form(n, m, l, 9.81, &want);
    if (c->relative)
        to_relative(n, &want);

    double error = 0, scale = 0;
    const zw_expr *have[] = {c->M, c->h, c->G};
    const double *expected[] = {want.M, want.h, want.G};
    const int count[] = {n * n, n, n};
    for (int part = 0; part < 3; part++) {
        for (int i = 0; i < count[part]; i++) {
            double value = zw_eval(c->ctx, have[part][i], 4 * n + 1, symbols, values);
            error = fmax(error, isnan(value) ? INFINITY : fabs(value - expected[part][i]));
            scale = fmax(scale, fabs(expected[part][i]));
        }
    }
    return error / scale;
}

static long operations(const chain *c) {
    zw_expr all[NMAX * NMAX + 2 * NMAX];
    int n = c->n;
    memcpy(all, c->M, sizeof all[0] * (size_t)(n * n));
    memcpy(all + n * n, c->h, sizeof all[0] * (size_t)n);
    memcpy(all + n * n + n, c->G, sizeof all[0] * (size_t)n);
    return zw_count(c->ctx, n * n + 2 * n, all);
}

/* false if the derivation is wrong */
static bool measure(int n, bool relative, const char *target) {
    chain c = {.n = n, .relative = relative};
    char what[32];
    snprintf(what, sizeof what, "n=%d %s", n, relative ? "relative" : "absolute");

    bench_times times = bench_repeat(derive_and_forget, &c, 0.5);
    bench_row("derive", what, "time (min)", 1e3 * times.min, "ms", target);
    bench_row("derive", what, "time (median)", 1e3 * times.median, "ms", "");

    c.ctx = zw_context_create(NULL);
    derive_in_context(&c);
    double error = largest_error(&c);
    bench_row("derive", what, "nodes", zw_context_node_count(c.ctx), "1", "");
    bench_row("derive", what, "operations", (double)operations(&c), "1", "");
    bench_row("derive", what, "error against closed form", error, "1", "<= 1e-12");
    zw_context_destroy(c.ctx);
    return error <= 1e-12;
}

int main(void) {
    static const int sizes[] = {6, 10, 20};
    static const char *const targets[] = {"<= 5", "<= 20", "<= 200"};
    bool right = true;
    for (int i = 0; i < 3; i++) {
        right = measure(sizes[i], false, targets[i]) && right;
        right = measure(sizes[i], true, targets[i]) && right;
    }
    return right ? 0 : 1;
}
