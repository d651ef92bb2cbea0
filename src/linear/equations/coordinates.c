/* SPDX-License-Identifier: MIT */
/* States for the linear equations that are quantities of the model.
 *
 * The tangent space has the basis B = (T, orbit_T), orthonormal in the metric of the masses. On it
 * entry k of the state is the linear function e_k B, and its rate for a co-moving observer is e_k J
 * B. Symmetries that change none of the requested entries are divided out: O spans them, Q its
 * complement. Of the functions that vanish on O, n = dim Q independent ones are chosen, one after
 * the other by the sine of the angle to those before; units do not matter, since only directions
 * are compared. With E their rows on the state and H = E B Q',
 *
 *     y = E dx = H eta,     Y = B Q' H^-1,     A = H A_eta H^-1,    A_eta = Q (D J B) Q'.
 *
 * A coordinate is taken together with its rate, if both are independent of the states so far: s and
 * u = s'. The rest are states of first order, coordinates without an independent rate (nonholonomic
 * ones at rest), velocities of coordinates that are divided out, and last combinations. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/result_arena.h"
#include "base/tolerance.h"
#include "num/linear/dense.h"
#include "zwang/statespace.h"

/* Relative difference of a velocity and the rate of a coordinate that are the same function: both
 * are products with solutions of linear equations. Also the length of a symmetry that moves
 * nothing. */
#define SAME_FUNCTION ZW_ROUNDOFF_SOLVED
/* Rate of the motion's own symmetry, relative to the largest rate: below it the motion is at rest,
 * as the rates of a steady motion are found no better. */
#define MOTION_PACE ZW_ROUNDOFF_SOLVED
/* derivative of an entry along that symmetry, of its typical one; true ones are of order 1 */
#define ROTATED_ENTRY ZW_ROUNDOFF_SOLVED
/* entry of Y relative to the largest of its column, in typical sizes: 45 eps */
#define Y_ROUNDOFF 1e-14
/* Change of an entry by any disturbance, relative to a typical one: below it the entry is constant,
 * and its direction is rounding. A tenth of ZW_ROUNDOFF_SOLVED: weakly coupled entries still
 * change. */
#define ENTRY_CONSTANT 1e-10
/* Part of an entry that changes along a symmetry. ZW_ROUNDOFF_SOLVED after one more decomposition;
 * true changes are of order 1. */
#define SYMMETRY_CHANGE 1e-8
/* Sine of the angle to the states before, below which a function is no further state. Matrices in
 * the states lose as many digits: six of fifteen. */
#define INDEPENDENT_SINE 1e-6
#define NEARLY_BEST 0.5 /* of the best sine: among these the order of the model decides */
/* Part of A that maps what is divided out into the rest, as for NOT_STEADY
 * of linearise.c. */
#define ORBIT_MIX ZW_SAME_SOLUTION

/* Work on the choice of states. */
typedef struct chooser {
    zw_flow *flow;
    const zw_symmetries *s;
    const zw_steady *at;
    const zw_linearisation *a;
    const double *scale;
    const bool *first_order;
    zw_states *out;
    int nx, nq;
    int d, n, r;     /* dimensions of the tangent space, of Q, of O */
    double *B, *A0;  /* nx x d, d x d */
    double *frame;   /* d x d: rows O (r), then Q */
    double *row;     /* nx x n: e_k B Q' */
    double *rate;    /* nx x n: e_k J B Q' */
    bool *invariant; /* nx: the entry does not change along O */
    bool *taken;     /* nx */
    int count;       /* states so far */
    double *basis;   /* n x n: orthonormal rows that span them */
    double *H;       /* n x n */
    zw_arena work;
    zw_error *err;
} chooser;

/* ---------------------------------------------------------------------------- the tangent space */

static zw_status join_basis(chooser *c) {
    const zw_linearisation *a = c->a;
    int n = a->n, r = a->norbit, d = c->d;
    c->B = ZW_NEW(&c->work, double, c->nx *d + 1);
    c->A0 = ZW_NEW(&c->work, double, d *d + 1);
    c->frame = ZW_NEW(&c->work, double, d *d + 1);
    if (c->work.failed)
        return zw_out_of_memory(c->err, NULL);
    for (int i = 0; i < c->nx; i++)
        for (int j = 0; j < d; j++)
            c->B[i * d + j] = j < n ? a->T[i * n + j] : a->orbit_T[i * r + j - n];
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++)
            if (i < n)
                c->A0[i * d + j] = j < n ? a->A[i * n + j] : 0;
            else
                c->A0[i * d + j] =
                    j < n ? a->drift[(i - n) * n + j] : a->orbit_A[(i - n) * r + j - n];
    return ZW_OK;
}

/* No entries requested: O are the orbits, Q the rest. */
static void divide_all(chooser *c) {
    int n = c->a->n, d = c->d;
    c->r = c->a->norbit;
    for (int i = 0; i < d; i++)
        c->frame[i * d + (i < c->r ? n + i : i - c->r)] = 1;
}

/* The combinations of the symmetries (rows of `invariant`; returns their number) that change no
 * requested entry: the null space of the changes, each relative to the largest. Negative: no
 * memory. */
static int find_invariant(chooser *c, int nwish, const int *requested, const double *X,
                          double *invariant) {
    int ns = c->s->n, zero = 0;
    double *change = ZW_NEW(&c->work, double, nwish *ns + 1),
           *sv = ZW_NEW(&c->work, double, ns + 1), *V = ZW_NEW(&c->work, double, ns *ns + 1);
    if (c->work.failed)
        return -1;
    for (int i = 0; i < nwish; i++) {
        double size = zw_dense_norm(c->d, c->B + (size_t)requested[i] * (size_t)c->d);
        for (int j = 0; j < ns; j++) {
            double length = zw_dense_norm(c->nx, X + (size_t)j * (size_t)c->nx);
            change[i * ns + j] =
                size > 0 && length > 0 ? X[j * c->nx + requested[i]] / (size * length) : 0;
        }
    }
    if (!zw_dense_svd(&c->work, nwish, ns, change, sv, V, NULL))
        return -1;
    for (int i = 0; i < ns; i++)
        if (!(sv[i] > SYMMETRY_CHANGE * sv[0]))
            memcpy(invariant + (size_t)zero++ * (size_t)ns, V + (size_t)i * (size_t)ns,
                   sizeof(double) * (size_t)ns);
    for (int i = 0; i < zero; i++)
        for (int j = 0; j < ns; j++) {
            double length = zw_dense_norm(c->nx, X + (size_t)j * (size_t)c->nx);
            invariant[i * ns + j] = length > 0 ? invariant[i * ns + j] / length : 0;
        }
    return zero;
}

/* O and Q: the right singular vectors of those combinations, in the coordinates of B. */
static zw_status divide_invariant(chooser *c, int nwish, const int *requested) {
    int ns = c->s->n, d = c->d, nx = c->nx, n = c->a->n, r = c->a->norbit;
    double *X = ZW_NEW(&c->work, double, ns *nx + 1),
           *invariant = ZW_NEW(&c->work, double, ns *ns + 1),
           *moves = ZW_NEW(&c->work, double, nx + 1), *rows = ZW_NEW(&c->work, double, ns *d + 1),
           *sv = ZW_NEW(&c->work, double, d + 1);
    if (c->work.failed)
        return zw_out_of_memory(c->err, NULL);
    ZW_TRY(zw_symmetries_at(c->s, c->flow, c->at->t, c->at->x, NULL, X, c->err));
    int count = find_invariant(c, nwish, requested, X, invariant);
    if (count < 0)
        return zw_dense_failure(&c->work, c->err);
    for (int i = 0; i < count; i++) {
        double *row = rows + (size_t)i * (size_t)d;
        zw_dense_multiply(1, ns, nx, invariant + (size_t)i * (size_t)ns, X, moves);
        for (int j = 0; j < d; j++) {
            const double *D = j < n ? c->a->D + (size_t)j * (size_t)nx
                                    : c->a->orbit_D + (size_t)(j - n) * (size_t)nx;
            row[j] = 0;
            for (int l = 0; l < nx; l++)
                row[j] += D[l] * moves[l];
        }
        double length = zw_dense_norm(d, row);
        for (int j = 0; j < d; j++)
            row[j] = length > SAME_FUNCTION ? row[j] / length : 0;
    }
    if (!zw_dense_svd(&c->work, count, d, rows, sv, c->frame, NULL))
        return zw_dense_failure(&c->work, c->err);
    c->r = 0;
    while (c->r < count && c->r < r && sv[c->r] > SYMMETRY_CHANGE)
        c->r++;
    return ZW_OK;
}

/* A_eta, drift and orbit_A in the frame. False if O is not invariant. */
static bool rotate_matrix(chooser *c, double *A_eta, double *drift, double *orbit_A) {
    int d = c->d, r = c->r, n = c->n;
    double *half = ZW_NEW(&c->work, double, d *d + 1), mixed = 0, all = 0;
    if (!half)
        return false;
    zw_dense_multiply(d, d, d, c->frame, c->A0, half);
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) {
            double sum = 0;
            for (int k = 0; k < d; k++)
                sum += half[i * d + k] * c->frame[j * d + k];
            all += sum * sum;
            if (i >= r && j >= r)
                A_eta[(i - r) * n + j - r] = sum;
            else if (i < r && j >= r)
                drift[i * n + j - r] = sum;
            else if (i < r)
                orbit_A[i * r + j] = sum;
            else
                mixed += sum * sum;
        }
    return mixed <= ORBIT_MIX * ORBIT_MIX * all;
}

/* Set entries to zero that no disturbance changes: the direction of their rounding means
 * nothing. */
static void clear_constant_entries(chooser *c, int from, int to) {
    int n = c->n;
    double most = 0;
    for (int k = from; k < to; k++)
        most = fmax(most, zw_dense_norm(n, c->row + (size_t)k * (size_t)n) / c->scale[k]);
    for (int k = from; k < to; k++)
        if (zw_dense_norm(n, c->row + (size_t)k * (size_t)n) <= ENTRY_CONSTANT * most * c->scale[k])
            memset(c->row + (size_t)k * (size_t)n, 0, sizeof(double) * (size_t)n);
}

/* The entries and their rates as functions on Q. */
static zw_status find_rows(chooser *c) {
    int nx = c->nx, d = c->d, n = c->n, r = c->r;
    double *JB = ZW_NEW(&c->work, double, nx *d + 1);
    c->row = ZW_NEW(&c->work, double, nx *n + 1);
    c->rate = ZW_NEW(&c->work, double, nx *n + 1);
    c->invariant = ZW_NEW(&c->work, bool, nx + 1);
    c->taken = ZW_NEW(&c->work, bool, nx + 1);
    c->basis = ZW_NEW(&c->work, double, n *n + 1);
    if (c->work.failed)
        return zw_out_of_memory(c->err, NULL);
    zw_dense_multiply(nx, nx, d, c->a->J, c->B, JB);
    for (int k = 0; k < nx; k++) {
        const double *b = c->B + (size_t)k * (size_t)d, *jb = JB + (size_t)k * (size_t)d;
        double along = 0;
        for (int i = 0; i < d; i++) {
            const double *f = c->frame + (size_t)i * (size_t)d;
            double entry = 0, rate = 0;
            for (int l = 0; l < d; l++) {
                entry += f[l] * b[l];
                rate += f[l] * jb[l];
            }
            if (i < r)
                along += entry * entry;
            else {
                c->row[k * n + i - r] = entry;
                c->rate[k * n + i - r] = rate;
            }
        }
        c->invariant[k] = sqrt(along) <= SYMMETRY_CHANGE * zw_dense_norm(d, b);
    }
    clear_constant_entries(c, 0, c->nq);
    clear_constant_entries(c, c->nq, nx);
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------- choosing */

/* Write to `rest` the part of a function that the chosen ones do not span; returns its sine. */
static double independent_part(const chooser *c, int count, const double *row, double *rest) {
    int n = c->n;
    double size = zw_dense_norm(n, row);
    memcpy(rest, row, sizeof(double) * (size_t)n);
    for (int pass = 0; pass < 2; pass++) /* the second removes the rounding of the first */
        for (int i = 0; i < count; i++) {
            const double *b = c->basis + (size_t)i * (size_t)n;
            double part = 0;
            for (int j = 0; j < n; j++)
                part += b[j] * rest[j];
            for (int j = 0; j < n; j++)
                rest[j] -= part * b[j];
        }
    return size > 0 ? zw_dense_norm(n, rest) / size : 0;
}

/* Append the function to the basis. */
static void span_function(chooser *c, int count, const double *row) {
    double *rest = c->basis + (size_t)count * (size_t)c->n;
    independent_part(c, count, row, rest);
    double size = zw_dense_norm(c->n, rest);
    for (int j = 0; j < c->n; j++)
        rest[j] /= size;
}

static void add_state(chooser *c, zw_state_kind kind, int entry, const double *row) {
    zw_states *out = c->out;
    int i = c->count++;
    span_function(c, i, row);
    memcpy(c->H + (size_t)i * (size_t)c->n, row, sizeof(double) * (size_t)c->n);
    out->kind[i] = kind;
    out->entry[i] = entry;
    if (kind == ZW_STATE_ENTRY) {
        out->E[i * c->nx + entry] = 1;
        c->taken[entry] = true;
    } else if (kind == ZW_STATE_RATE)
        memcpy(out->E + (size_t)i * (size_t)c->nx, c->a->J + (size_t)entry * (size_t)c->nx,
               sizeof(double) * (size_t)c->nx);
}

static void add_entry(chooser *c, int k) {
    add_state(c, ZW_STATE_ENTRY, k, c->row + (size_t)k * (size_t)c->n);
}

/* The velocity that is the rate of entry k, -1 if there is none. */
static int velocity_of(const chooser *c, int k) {
    int n = c->n;
    const double *rate = c->rate + (size_t)k * (size_t)n;
    for (int v = c->nq; v < c->nx; v++) {
        double differ = 0;
        for (int j = 0; j < n; j++)
            differ += pow(c->row[v * n + j] - rate[j], 2);
        if (c->invariant[v] && sqrt(differ) <= SAME_FUNCTION * zw_dense_norm(n, rate))
            return v;
    }
    return -1;
}

static void add_rate(chooser *c, int k) {
    int v = velocity_of(c, k);
    if (v >= 0 && !c->taken[v])
        add_entry(c, v);
    else
        add_state(c, ZW_STATE_RATE, k, c->rate + (size_t)k * (size_t)c->n);
}

static bool is_coordinate(const chooser *c, int k) {
    return k < c->nq && !(c->first_order && c->first_order[k]);
}

/* The sine of an entry that is not taken, with `pairs` the smaller of its and its rate's; 0 if it
 * is no candidate. */
static double sine_of(chooser *c, int k, bool pairs, double *rest) {
    int n = c->n;
    if (c->taken[k] || !c->invariant[k] || (pairs && !is_coordinate(c, k)))
        return 0;
    double sine = independent_part(c, c->count, c->row + (size_t)k * (size_t)n, rest);
    if (!pairs || c->count + 2 > n || sine < INDEPENDENT_SINE)
        return pairs && c->count + 2 > n ? 0 : sine;
    span_function(c, c->count, c->row + (size_t)k * (size_t)n);
    return fmin(sine, independent_part(c, c->count + 1, c->rate + (size_t)k * (size_t)n, rest));
}

/* The first of the entries from..to-1 that is about as good as the best one; -1 if none is good. */
static int best_entry(chooser *c, int from, int to, bool pairs, double *rest) {
    double best = 0;
    for (int k = from; k < to; k++)
        best = fmax(best, sine_of(c, k, pairs, rest));
    for (int k = from; k < to && best > INDEPENDENT_SINE; k++)
        if (sine_of(c, k, pairs, rest) >= NEARLY_BEST * best)
            return k;
    return -1;
}

/* Coordinates with their rates: all coordinates first, then all rates. */
static zw_status add_pairs(chooser *c) {
    int pairs = 0, *pair = ZW_NEW(&c->work, int, c->n + 1);
    double *rest = ZW_NEW(&c->work, double, c->n + 1);
    if (c->work.failed)
        return zw_out_of_memory(c->err, NULL);
    int before = c->count;
    for (int k; (k = best_entry(c, 0, c->nq, true, rest)) >= 0;) {
        pair[pairs++] = k;
        c->taken[k] = true;
        span_function(c, c->count++, c->row + (size_t)k * (size_t)c->n);
        span_function(c, c->count++, c->rate + (size_t)k * (size_t)c->n);
    }
    c->count = before;
    for (int i = 0; i < pairs; i++)
        for (int j = i + 1; j < pairs; j++)
            if (pair[j] < pair[i]) {
                int k = pair[i];
                pair[i] = pair[j];
                pair[j] = k;
            }
    for (int i = 0; i < pairs; i++)
        add_entry(c, pair[i]);
    for (int i = 0; i < pairs; i++)
        add_rate(c, pair[i]);
    return ZW_OK;
}

/* Further entries, then combinations. */
static zw_status add_others(chooser *c) {
    double *rest = ZW_NEW(&c->work, double, c->n + 1);
    if (!rest)
        return zw_out_of_memory(c->err, NULL);
    for (int k; c->count < c->n && (k = best_entry(c, 0, c->nq, false, rest)) >= 0;)
        add_entry(c, k);
    for (int k; c->count < c->n && (k = best_entry(c, c->nq, c->nx, false, rest)) >= 0;)
        add_entry(c, k);
    for (int j = 0; c->count < c->n && j < c->n; j++) {
        double *unit = ZW_NEW(&c->work, double, c->n + 1);
        if (!unit)
            return zw_out_of_memory(c->err, NULL);
        unit[j] = 1;
        if (independent_part(c, c->count, unit, rest) < 0.5 / c->n)
            continue;
        add_state(c, ZW_STATE_MIXED, -1, rest);
    }
    return ZW_OK;
}

static zw_status add_requested(chooser *c, int nwish, const int *requested, int *bad) {
    double *rest = ZW_NEW(&c->work, double, c->n + 1);
    if (!rest)
        return zw_out_of_memory(c->err, NULL);
    for (int i = 0; i < nwish; i++) {
        *bad = requested[i];
        if (c->count == c->n ||
            independent_part(c, c->count, c->row + (size_t)requested[i] * (size_t)c->n, rest) <
                INDEPENDENT_SINE)
            return zw_fail(c->err, ZW_E_SINGULAR,
                           "the states that were asked for are not independent");
        add_entry(c, requested[i]);
    }
    *bad = -1;
    for (int i = 0; i < nwish && c->count < c->n; i++) /* their rates come next */
        if (is_coordinate(c, requested[i]) &&
            independent_part(c, c->count, c->rate + (size_t)requested[i] * (size_t)c->n, rest) >
                INDEPENDENT_SINE)
            add_rate(c, requested[i]);
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------- matrices */

/* Rows of E of the combinations: eta of a disturbance is Q D. */
static void fill_mixed(chooser *c) {
    const zw_linearisation *a = c->a;
    int n = c->n, nx = c->nx, d = c->d;
    for (int i = 0; i < n; i++)
        for (int j = 0; c->out->kind[i] == ZW_STATE_MIXED && j < d; j++) {
            double part = 0;
            for (int l = 0; l < n; l++)
                part += c->H[i * n + l] * c->frame[(c->r + l) * d + j];
            const double *D = j < a->n ? a->D + (size_t)j * (size_t)nx
                                       : a->orbit_D + (size_t)(j - a->n) * (size_t)nx;
            for (int l = 0; l < nx; l++)
                c->out->E[i * nx + l] += part * D[l];
        }
}

/* H^-1 and the condition of its rows, each of length one. */
static zw_status invert_rows(chooser *c) {
    int n = c->n;
    zw_states *out = c->out;
    double *rows = ZW_NEW(&c->work, double, n *n + 1), *sv = ZW_NEW(&c->work, double, n + 1),
           *V = ZW_NEW(&c->work, double, n *n + 1), *U = ZW_NEW(&c->work, double, n *n + 1),
           *length = ZW_NEW(&c->work, double, n + 1);
    if (c->work.failed)
        return zw_out_of_memory(c->err, NULL);
    for (int i = 0; i < n; i++) {
        length[i] = zw_dense_norm(n, c->H + (size_t)i * (size_t)n);
        for (int j = 0; j < n; j++)
            rows[i * n + j] = c->H[i * n + j] / length[i];
    }
    if (!zw_dense_svd(&c->work, n, n, rows, sv, V, U))
        return zw_dense_failure(&c->work, c->err);
    out->condition = n > 0 && sv[n - 1] > 0 ? sv[0] / sv[n - 1] : 1;
    for (int i = 0; i < n; i++) /* V' S^-1 U, U scaled back */
        for (int j = 0; j < n; j++)
            for (int l = 0; l < n; l++)
                out->inverse[i * n + j] += V[l * n + i] / sv[l] * U[l * n + j] / length[j];
    return ZW_OK;
}

/* Set entries of Y to zero that are rounding relative to their column, in typical sizes. */
static void clean_columns(const chooser *c) {
    int n = c->n;
    double *Y = c->out->Y;
    for (int j = 0; j < n; j++) {
        double most = 0;
        for (int i = 0; i < c->nx; i++)
            most = fmax(most, fabs(Y[i * n + j]) / c->scale[i]);
        for (int i = 0; i < c->nx; i++)
            if (fabs(Y[i * n + j]) < Y_ROUNDOFF * most * c->scale[i])
                Y[i * n + j] = 0;
    }
}

static zw_status fill_matrices(chooser *c) {
    zw_states *out = c->out;
    int n = c->n, nx = c->nx, d = c->d, r = c->r;
    double *half = ZW_NEW(&c->work, double, (n > nx ? n : nx) * n + 1),
           *orbit_drift = ZW_NEW(&c->work, double, r *n + 1);
    if (c->work.failed)
        return zw_out_of_memory(c->err, NULL);
    fill_mixed(c);
    ZW_TRY(invert_rows(c));
    zw_dense_multiply(n, n, n, c->H, out->A_eta, half);
    zw_dense_multiply(n, n, n, half, out->inverse, out->A);
    memset(half, 0, sizeof(double) * (size_t)(nx * n));
    for (int i = 0; i < nx; i++) {
        for (int j = 0; j < n; j++)
            for (int l = 0; l < d; l++)
                half[i * n + j] += c->B[i * d + l] * c->frame[(r + j) * d + l];
        for (int j = 0; j < r; j++)
            for (int l = 0; l < d; l++)
                out->orbit[i * r + j] += c->B[i * d + l] * c->frame[j * d + l];
    }
    zw_dense_multiply(nx, n, n, half, out->inverse, out->Y);
    clean_columns(c);
    memcpy(orbit_drift, out->drift, sizeof(double) * (size_t)(r * n));
    zw_dense_multiply(r, n, n, orbit_drift, out->inverse, out->drift);
    return ZW_OK;
}

/* Rates of states that are states themselves: their rows are exactly 0 and 1. */
static void clean_rounding(chooser *c) {
    zw_states *out = c->out;
    int n = c->n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            bool is_rate =
                out->kind[i] == ZW_STATE_ENTRY &&
                ((out->kind[j] == ZW_STATE_RATE && out->entry[j] == out->entry[i]) ||
                 (out->kind[j] == ZW_STATE_ENTRY && out->entry[i] < c->nq &&
                  out->entry[j] >= c->nq && velocity_of(c, out->entry[i]) == out->entry[j]));
            if (!is_rate)
                continue;
            for (int l = 0; l < n; l++)
                out->A[i * n + l] = l == j;
        }
}

/* Entries that the motion's own symmetry xi changes near the motion: the rows of its derivative, Df
 * - J. Rates are those of a co-moving observer in any case. */
static zw_status find_rotated(chooser *c) {
    zw_states *out = c->out;
    int nx = c->nx, n = c->n;
    double *D = ZW_NEW(&c->work, double, nx *nx + 1), *DY = ZW_NEW(&c->work, double, nx *n + 1),
           pace = 0, rate = 0;
    if (c->work.failed)
        return zw_out_of_memory(c->err, NULL);
    ZW_TRY(zw_flow_jacobian(c->flow, c->at->t, c->at->x, D, NULL, c->err));
    for (int i = 0; i < nx * nx; i++) {
        double unit = c->scale[i % nx] / c->scale[i / nx];
        rate = fmax(rate, fabs(D[i]) * unit);
        D[i] -= c->a->J[i];
        pace = fmax(pace, fabs(D[i]) * unit);
    }
    if (pace <= MOTION_PACE * rate) /* the motion is at rest */
        return ZW_OK;
    zw_dense_multiply(nx, nx, n, D, out->Y, DY);
    for (int i = 0; i < n; i++) {
        int k = out->entry[i];
        double most = 0;
        for (int j = 0; j < n && out->kind[i] == ZW_STATE_ENTRY; j++) {
            double size = out->kind[j] == ZW_STATE_ENTRY ? c->scale[out->entry[j]] : 0;
            most = fmax(most, fabs(DY[k * n + j]) * size);
        }
        out->turning[i] = most > ROTATED_ENTRY * pace * (k >= 0 ? c->scale[k] : 0);
    }
    return ZW_OK;
}

static zw_status allocate_states(chooser *c, zw_arena *result) {
    zw_states *out = c->out;
    int n = c->n, nx = c->nx, r = c->r;
    out->kind = ZW_NEW(result, zw_state_kind, n + 1);
    out->entry = ZW_NEW(result, int, n + 1);
    out->E = ZW_NEW(result, double, n *nx + 1);
    out->Y = ZW_NEW(result, double, n *nx + 1);
    out->A = ZW_NEW(result, double, n *n + 1);
    out->A_eta = ZW_NEW(result, double, n *n + 1);
    out->inverse = ZW_NEW(result, double, n *n + 1);
    out->H = c->H = ZW_NEW(result, double, n *n + 1);
    out->orbit = ZW_NEW(result, double, nx *r + 1);
    out->drift = ZW_NEW(result, double, n *r + 1);
    out->orbit_A = ZW_NEW(result, double, r *r + 1);
    out->turning = ZW_NEW(result, bool, n + 1);
    out->nx = nx;
    out->n = n;
    out->norbit = r;
    out->nkept = c->a->norbit - r;
    return zw_arena_status(result, c->err);
}

/* The zeros of the linearisation, counted again if directions of symmetries have become states. */
static zw_status count_zeros(chooser *c) {
    zw_states *out = c->out;
    int families;
    out->nzero = c->a->nzero;
    if (out->nkept > 0 &&
        !zw_dense_zeros(&c->work, out->n, out->A_eta, NULL, &families, &out->nzero))
        return zw_dense_failure(&c->work, c->err);
    return ZW_OK;
}

static zw_status choose_states(chooser *c, int nwish, const int *requested, int *bad,
                               zw_arena *result) {
    ZW_TRY(join_basis(c));
    if (nwish)
        ZW_TRY(divide_invariant(c, nwish, requested));
    else
        divide_all(c);
    c->n = c->d - c->r;
    ZW_TRY(allocate_states(c, result));
    if (!rotate_matrix(c, c->out->A_eta, c->out->drift, c->out->orbit_A)) {
        *bad = requested ? requested[0] : -1;
        return c->work.failed ? zw_out_of_memory(c->err, NULL)
                              : zw_fail(c->err, ZW_E_DOMAIN,
                                        "the linear equations of these states are not constant");
    }
    ZW_TRY(count_zeros(c));
    ZW_TRY(find_rows(c));
    ZW_TRY(add_requested(c, nwish, requested, bad));
    c->out->nwish = nwish;
    ZW_TRY(add_pairs(c));
    ZW_TRY(add_others(c));
    ZW_TRY(fill_matrices(c));
    clean_rounding(c);
    return find_rotated(c);
}

zw_status zw_states_choose(zw_states *out, zw_flow *flow, const zw_symmetries *s,
                           const zw_steady *at, const zw_linearisation *a, const double *scale,
                           const bool *first_order, int nwish, const int *requested, int *bad,
                           zw_error *err) {
    const zw_kernel *k = zw_flow_kernel(flow);
    int ignored;
    chooser c = {.flow = flow,
                 .s = s,
                 .at = at,
                 .a = a,
                 .scale = scale,
                 .first_order = first_order,
                 .out = out,
                 .nx = k->nx,
                 .nq = k->nq,
                 .d = a->dimension,
                 .err = err};
    *out = (zw_states){0};
    out->memory = zw_result_arena_create(&k->alloc);
    if (!out->memory)
        return zw_out_of_memory(err, NULL);
    zw_arena_init(&c.work, &k->alloc);
    zw_status status =
        choose_states(&c, nwish, requested, bad ? bad : &ignored, &out->memory->arena);
    zw_arena_clear(&c.work);
    if (status < 0)
        zw_states_clear(out);
    return status;
}

void zw_states_clear(zw_states *s) {
    zw_result_arena_destroy(s->memory);
    *s = (zw_states){0};
}
