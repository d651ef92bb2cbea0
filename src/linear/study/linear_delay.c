/* SPDX-License-Identifier: MIT */
/* Frequency responses with delays. A delay y = e by tau is nodes in the state, which resolve its
 * factor exp(-i omega tau) up to some frequency. Where the linear rows of its nodes give e back as
 * e = of y + of_in u, these rows are replaced by the exact ones, for the node at s tau
 *
 *     y_s - exp(-i omega s tau) (of y + of_in u) = 0.
 *
 * That is not possible if the nodes are no states of their own (a symmetry that shifts them is
 * divided out), or if something else follows from the nodes, as a rate y' does. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "base/radau.h"
#include "base/tolerance.h"
#include "linear.h"

#define ROW_OF_NODE 1e-9   /* relative: what the rows of a delay differ by from its polynomial */
#define PIVOT_REGULAR 1e-8 /* of rows and columns of size 1: as in frequency_response.c */
#define RANGE_GROWTH 1.2   /* from frequency to frequency where the resolved range is searched */

static int state_of(const zw_states *s, int entry) {
    for (int i = 0; i < s->n; i++)
        if (s->kind[i] == ZW_STATE_ENTRY && s->entry[i] == entry && !s->turning[i])
            return i;
    return -1;
}

/* The rows of B and A next to each other, without the polynomial of the nodes, times -tau/D_i0: the
 * same (of, of_in) for all nodes i, or the rows are others. */
static bool read_row(const zw_linear_equations *l, const zw_linear_delay *d, const double *D, int i,
                     double *row) {
    const zw_states *s = &l->states;
    int n = s->n, nin = l->nin, N = d->nodes, k = d->state[i];
    double factor = -d->lag / D[i * (N + 1)];
    for (int j = 0; j < n; j++)
        row[j] = s->A[k * n + j];
    for (int j = 0; j < N; j++)
        row[d->state[j]] += D[i * (N + 1) + 1 + j] / d->lag;
    for (int j = 0; j < nin; j++)
        row[n + j] = l->inout.B[k * nin + j];
    for (int j = 0; j < n + nin; j++)
        row[j] *= factor;
    return isfinite(factor);
}

static bool read_line(zw_linear_equations *l, const zw_delay *from, zw_linear_delay *d) {
    double D[ZW_DELAY_NODES_MAX * (ZW_DELAY_NODES_MAX + 1)];
    int size = l->states.n + l->nin, N = from->nodes, best = 0;
    double *other = ZW_NEW(&l->arena, double, size + 1), most = 0;
    d->nodes = N;
    d->state = ZW_NEW(&l->arena, int, N);
    d->at = ZW_NEW(&l->arena, double, N);
    d->of = ZW_NEW(&l->arena, double, size + 1);
    if (l->arena.failed)
        return false;
    for (int i = 0; i < N; i++)
        if ((d->state[i] = state_of(&l->states, from->first + i)) < 0)
            return false;
    zw_radau_points(N, d->at);
    zw_radau_derivative(N, D);
    for (int i = 1; i < N; i++)
        best = fabs(D[i * (N + 1)]) > fabs(D[best * (N + 1)]) ? i : best;
    if (!read_row(l, d, D, best, d->of))
        return false;
    for (int j = 0; j < size; j++)
        most = fmax(most, fabs(d->of[j]));
    for (int i = 0; i < N; i++) {
        double weight = fabs(D[i * (N + 1)] / D[best * (N + 1)]);
        if (!read_row(l, d, D, i, other))
            return false;
        for (int j = 0; j < size; j++)
            if (fabs(other[j] - d->of[j]) * weight > ROW_OF_NODE * fmax(most, 1))
                return false;
    }
    for (int j = 0; j < N; j++) /* e does not depend on its own past: rounding */
        if (j < N - 1)
            d->of[d->state[j]] = 0;
    return true;
}

/* Does a row depend on a node inside a delay? */
static bool uses_nodes(const zw_linear_equations *l, const double *row) {
    double most = 0, inside = 0;
    for (int j = 0; j < l->states.n; j++)
        most = fmax(most, fabs(row[j]));
    for (int i = 0; i < l->ndelay; i++)
        for (int k = 0; k + 1 < l->delay[i].nodes; k++)
            inside = fmax(inside, fabs(row[l->delay[i].state[k]]));
    return inside > ROW_OF_NODE * most;
}

static const zw_linear_delay *delay_of(const zw_linear_equations *l, int state, int *node) {
    for (int i = 0; i < l->ndelay; i++)
        for (*node = 0; *node < l->delay[i].nodes; ++*node)
            if (l->delay[i].state[*node] == state)
                return &l->delay[i];
    return NULL;
}

zw_status zw_linear_delays_find(zw_linear_equations *l, zw_error *err) {
    const zw_system *s = l->e->sys;
    int node;
    l->ndelay = 0;
    l->delay = ZW_NEW(&l->arena, zw_linear_delay, s->ndelay + 1);
    l->exact = l->delay != NULL;
    for (int i = 0; i < s->ndelay && l->exact; i++) {
        l->delay[i].lag = zw_system_delay_lag(s, i, l->e->p);
        l->exact = read_line(l, &s->delay[i], &l->delay[i]);
        l->ndelay += l->exact;
    }
    for (int i = 0; i < l->ndelay && l->exact; i++)
        l->exact = !uses_nodes(l, l->delay[i].of);
    for (int i = 0; i < l->states.n && l->exact; i++)
        l->exact = delay_of(l, i, &node) || !uses_nodes(l, l->states.A + i * l->states.n);
    return l->arena.failed ? zw_out_of_memory(err, NULL) : ZW_OK;
}

bool zw_linear_delays_exact(const zw_linear_equations *l, int put) {
    return l->exact && !uses_nodes(l, l->inout.C + put * l->states.n);
}

double zw_linear_resolved_to(const zw_linear_equations *l) {
    const zw_system *s = l->e->sys;
    double longest = 0;
    for (int i = 0; i < s->ndelay; i++)
        longest = fmax(longest, zw_system_delay_lag(s, i, l->e->p));
    if (!(longest > 0))
        return INFINITY;
    double low = 1e-3 / longest, high = low;
    while (zw_equilibria_resolves(l->e, l->e->p, 0, high) && isfinite(high)) {
        low = high;
        high *= RANGE_GROWTH;
    }
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        *(zw_equilibria_resolves(l->e, l->e->p, 0, middle) ? &low : &high) = middle;
    }
    return low;
}

/* ----------------------------------------------------------------------------------- covariance */

bool zw_linear_delays_noise(const zw_linear_equations *l) {
    const zw_system *s = l->e->sys;
    for (int i = 0; i < s->ndelay; i++)
        for (int k = 0; k < s->nsignal; k++)
            if (s->signal[k].noise && zw_depends(s->ctx, s->delay[i].of, s->signal[k].sym))
                return true;
    return false;
}

/* The variance of what a delay delays. */
static double variance_of(const zw_linear_equations *l, const zw_linear_delay *d, const double *P) {
    int n = l->states.n;
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sum += d->of[i] * P[i * n + j] * d->of[j];
    return sum;
}

void zw_linear_delays_vary(zw_linear_equations *l, double *P) {
    int n = l->states.n;
    for (int i = 0; i < l->ndelay && l->exact; i++) {
        const zw_linear_delay *d = &l->delay[i];
        double variance = variance_of(l, d, P);
        for (int m = 0; m < d->nodes && variance > 0; m++) {
            int k = d->state[m];
            double factor = sqrt(variance / P[k * n + k]);
            if (!isfinite(factor) || factor == 0)
                continue;
            if (m == d->nodes - 1 && fabs(1 - 1 / factor) > l->past_lost) {
                l->past_lost = fabs(1 - 1 / factor);
                l->past_lost_by = i;
            }
            for (int j = 0; j < n; j++) {
                P[k * n + j] *= factor;
                P[j * n + k] *= factor;
            }
        }
    }
}

/* ------------------------------------------------------------------------------------ responses */

/* x = K^-1 x by elimination with pivots; false: a pivot is small. */
static bool solve(int n, double complex *K, double complex *x) {
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            p = cabs(K[i * n + k]) > cabs(K[p * n + k]) ? i : p;
        if (!(cabs(K[p * n + k]) > PIVOT_REGULAR))
            return false;
        double complex swap = x[k];
        x[k] = x[p];
        x[p] = swap;
        for (int j = k; j < n && p != k; j++) {
            swap = K[k * n + j];
            K[k * n + j] = K[p * n + j];
            K[p * n + j] = swap;
        }
        for (int i = k + 1; i < n; i++) {
            double complex factor = K[i * n + k] / K[k * n + k];
            if (factor == 0)
                continue;
            for (int j = k + 1; j < n; j++)
                K[i * n + j] -= factor * K[k * n + j];
            x[i] -= factor * x[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            x[k] -= K[k * n + j] * x[j];
        x[k] /= K[k * n + k];
    }
    return true;
}

static void fill_rows(const zw_linear_equations *l, int in, double omega, double complex *K,
                      double complex *x) {
    int n = l->states.n, node;
    for (int i = 0; i < n; i++) {
        const zw_linear_delay *d = delay_of(l, i, &node);
        double complex factor = d ? cexp(-I * omega * d->at[node] * d->lag) : 1;
        const double *row = d ? d->of : l->states.A + i * n;
        for (int j = 0; j < n; j++)
            K[i * n + j] = -factor * row[j];
        K[i * n + i] += d ? 1 : I * omega;
        x[i] = factor * (d ? d->of[n + in] : l->inout.B[i * l->nin + in]);
    }
}

/* rows and columns of the size 1; scale (n): x_j is scale_j times the new one */
static void equilibrate(int n, double complex *K, double complex *x, double *scale) {
    for (int i = 0; i < n; i++) {
        double most = 0;
        for (int j = 0; j < n; j++)
            most = fmax(most, cabs(K[i * n + j]));
        for (int j = 0; j < n && most > 0; j++)
            K[i * n + j] /= most;
        x[i] = most > 0 ? x[i] / most : x[i];
    }
    for (int j = 0; j < n; j++) {
        double most = 0;
        for (int i = 0; i < n; i++)
            most = fmax(most, cabs(K[i * n + j]));
        scale[j] = most > 0 ? 1 / most : 1;
        for (int i = 0; i < n; i++)
            K[i * n + j] *= scale[j];
    }
}

zw_status zw_linear_response_at(const zw_linear_equations *l, int in, int put, double omega,
                                double g[2], zw_error *err) {
    int n = l->states.n;
    if (l->ndelay == 0 || omega == 0 || !zw_linear_delays_exact(l, put))
        return zw_response_at(&l->states, &l->inout, in, put, omega, g, err);
    zw_arena work;
    zw_arena_init(&work, &l->arena.alloc);
    double complex *K = ZW_NEW(&work, double complex, n *n + 1),
                   *x = ZW_NEW(&work, double complex, n + 1), sum = l->inout.D[put * l->nin + in];
    double *scale = ZW_NEW(&work, double, n + 1);
    bool fine = false, failed = work.failed;
    if (!failed) {
        fill_rows(l, in, omega, K, x);
        equilibrate(n, K, x, scale);
        fine = solve(n, K, x);
    }
    for (int j = 0; fine && j < n; j++)
        sum += l->inout.C[put * n + j] * scale[j] * x[j];
    zw_arena_clear(&work);
    g[0] = creal(sum);
    g[1] = cimag(sum);
    if (failed)
        return zw_out_of_memory(err, NULL);
    if (!fine && zw_equilibria_resolves(l->e, l->e->p, 0, omega))
        return zw_response_at(&l->states, &l->inout, in, put, omega, g, err);
    return fine ? ZW_OK
                : zw_fail(err, ZW_E_SINGULAR,
                          "the response is not determined at %.10g rad/s: an undamped eigenvalue "
                          "lies there",
                          omega);
}
