/* SPDX-License-Identifier: MIT */
/* The form of second order, M s'' + (D + G) s' + (K + N) s = 0, where it exists.
 *
 * s are the coordinates among the states whose rates u = s' are independent of them and of each
 * other, w the rest:
 *
 *     s' = u,    u' = A_us s + A_uu u + A_uw w,    w' = A_ws s + A_wu u + A_ww w.
 *
 * Directions of w that never affect u, the kernel of A_uw, A_uw A_ww, ..., are omitted: the speed
 * of a bicycle that rides straight, for instance. For the rest, w = R s + S u + constant must be an
 * integral (Routh),
 *
 *     S (A_us, A_uw) = (A_ws, A_ww),    R = A_wu - S A_uu,
 *
 * and with the constant zero A_us + A_uw R, A_uu + A_uw S remain. Otherwise there is no such form.
 *
 * The masses belong to velocities at fixed positions that the constraints allow: U with s' = 1, w =
 * S s', of the directions of the tangent space in which no coordinate changes; M = U' M U.
 * (Velocities of disturbances have parts along the orbits, which do not belong to M.) Then D + G =
 * -M (A_uu + A_uw S), K + N = -M (A_us + A_uw R), each as its symmetric and its skew part. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/result_arena.h"
#include "base/tolerance.h"
#include "num/flow/flow.h"
#include "num/linear/dense.h"
#include "zwang/statespace.h"

/* Sine of an angle to the states before, below which a function is no further state, as in
 * coordinates.c. */
#define INDEPENDENT_SINE 1e-6
/* Entry of A relative to the largest: an influence on u below it is rounding of solved
 * equations. */
#define INFLUENCE_ROUNDOFF ZW_ROUNDOFF_SOLVED
#define MATRIX_ROUNDOFF 2e-14 /* entries of M, D, ... relative to the largest: 90 eps */
/* Steps of velocity relative to the motion's own velocities: the derivative of the kinetic energy
 * is linear in them, so that a long step costs nothing, and the difference loses no digits to the
 * motion. */
#define LONG_STEP 1e4
/* part of the metric below which no coordinate changes: quadratic, so that coordinates change by
 * 1e-6 of it */
#define COORDINATES_FIXED 1e-12
#define DIRECTION_INDEPENDENT ZW_ROUNDOFF_SOLVED /* singular values relative to the largest */
/* Rates of w that no integral explains, relative to the largest entry of A: ten times the error of
 * a solution whose equations have singular values down to INFLUENCE_ROUNDOFF. */
#define INTEGRAL_MISSED 1e-7
#define VELOCITY_MISSED 1e-8 /* of u = 1 or w: no combination of velocities has these rates */

/* Work on the form of second order. */
typedef struct second_order_work {
    zw_flow *flow;
    const zw_steady *at;
    const zw_linearisation *a;
    const zw_states *states;
    const bool *first_order;
    int nq, n;
    int k, m;       /* sizes of s (and u), of w */
    double *P;      /* n x n: rows s, u, w in the states */
    double *size;   /* n: lengths of these rows as functions */
    int *further;   /* m: the states w */
    double *A;      /* n x n: in (s, u, w), in units of size */
    double *w_rows; /* mw x m: the combinations of w that affect u */
    int mw;
    double *S, *R; /* mw x k */
    double *basis; /* n x n, orthonormal, of the rows so far */
    zw_second_order *out;
    zw_arena work, *result;
    zw_error *err;
} second_order_work;

static double *allocate_doubles(second_order_work *b, int n) {
    return ZW_NEW(&b->work, double, n + 1);
}

/* -------------------------------------------------------------------------------------- s, u, w */

/* Row times H is a function in the metric of the masses; its part outside the first `count` rows of
 * the basis becomes the next one. Returns its sine. */
static double extend_basis(second_order_work *b, int count, const double *row, double *size) {
    int n = b->n;
    double *rest = b->basis + (size_t)count * (size_t)n;
    zw_dense_multiply(1, n, n, row, b->states->H, rest);
    *size = zw_dense_norm(n, rest);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < count; i++) {
            const double *e = b->basis + (size_t)i * (size_t)n;
            double part = 0;
            for (int j = 0; j < n; j++)
                part += e[j] * rest[j];
            for (int j = 0; j < n; j++)
                rest[j] -= part * e[j];
        }
    double length = zw_dense_norm(n, rest);
    for (int j = 0; j < n && length > 0; j++)
        rest[j] /= length;
    return *size > 0 ? length / *size : 0;
}

static bool is_coordinate(const second_order_work *b, int i) {
    const zw_states *s = b->states;
    return s->kind[i] == ZW_STATE_ENTRY && s->entry[i] < b->nq &&
           !(b->first_order && b->first_order[s->entry[i]]);
}

/* The rows s and u, in pairs one after the other. */
static void find_pairs(second_order_work *b) {
    int n = b->n;
    double *s_size = b->size, *u_size = b->size + n, *unit = allocate_doubles(b, n);
    for (int i = 0; unit && i < n && 2 * b->k + 2 <= n; i++) {
        int k = b->k;
        if (!is_coordinate(b, i))
            continue;
        memset(unit, 0, sizeof(double) * (size_t)n);
        unit[i] = 1;
        if (extend_basis(b, 2 * k, unit, &s_size[k]) < INDEPENDENT_SINE ||
            extend_basis(b, 2 * k + 1, b->states->A + (size_t)i * (size_t)n, &u_size[k]) <
                INDEPENDENT_SINE)
            continue;
        b->out->s[b->k++] = i;
    }
}

/* States that complete the rows; P and the sizes of all rows. */
static bool fill_rows(second_order_work *b) {
    int n = b->n, k = b->k, count = 2 * k;
    double *all = allocate_doubles(b, n), *unit = allocate_doubles(b, n);
    bool *used = ZW_NEW(&b->work, bool, n + 1);
    if (b->work.failed)
        return false;
    for (int i = 0; i < k; i++) {
        b->P[i * n + b->out->s[i]] = 1;
        memcpy(b->P + (size_t)(k + i) * (size_t)n, b->states->A + (size_t)b->out->s[i] * (size_t)n,
               sizeof(double) * (size_t)n);
        all[i] = b->size[i];
        all[k + i] = b->size[n + i];
        used[b->out->s[i]] = true;
    }
    while (count < n) {
        int best = -1;
        double most = 0, size;
        for (int i = 0; i < n; i++) {
            memset(unit, 0, sizeof(double) * (size_t)n);
            unit[i] = 1;
            double sine = used[i] ? 0 : extend_basis(b, count, unit, &size);
            if (sine > most) {
                most = sine;
                best = i;
            }
        }
        if (best < 0)
            return false;
        memset(unit, 0, sizeof(double) * (size_t)n);
        unit[best] = 1;
        extend_basis(b, count, unit, &all[count]);
        b->P[count * n + best] = 1;
        b->further[count - 2 * k] = best;
        used[best] = true;
        count++;
    }
    b->m = n - 2 * k;
    memcpy(b->size, all, sizeof(double) * (size_t)n);
    return true;
}

/* X (n x m) with P X = R, by singular values: P is as regular as the states are independent. */
static bool solve_svd(second_order_work *b, int n, int m, const double *P, const double *R,
                      double *X) {
    double *sv = allocate_doubles(b, n), *V = allocate_doubles(b, n * n),
           *U = allocate_doubles(b, n * n);
    if (b->work.failed || !zw_dense_svd(&b->work, n, n, P, sv, V, U))
        return false;
    memset(X, 0, sizeof(double) * (size_t)(n * m));
    for (int l = 0; l < n && sv[l] > 0; l++)
        for (int j = 0; j < m; j++) {
            double part = 0;
            for (int i = 0; i < n; i++)
                part += U[l * n + i] * R[i * m + j];
            for (int i = 0; i < n; i++)
                X[i * m + j] += V[l * n + i] * part / sv[l];
        }
    return true;
}

/* A in (s, u, w), each in units of its size: P A P^-1. */
static zw_status transform_matrix(second_order_work *b) {
    int n = b->n;
    double *PA = allocate_doubles(b, n * n), *Pt = allocate_doubles(b, n * n),
           *PAt = allocate_doubles(b, n * n), *At = allocate_doubles(b, n * n);
    if (b->work.failed)
        return zw_out_of_memory(b->err, NULL);
    for (int i = 0; i < n; i++) /* rows of P as functions of length one: P H / size */
        for (int j = 0; j < n; j++)
            for (int l = 0; l < n; l++)
                PA[i * n + j] += b->P[i * n + l] * b->states->H[l * n + j] / b->size[i];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            Pt[j * n + i] = PA[i * n + j];
            for (int l = 0; l < n; l++)
                PAt[j * n + i] += PA[i * n + l] * b->states->A_eta[l * n + j];
        }
    if (!solve_svd(b, n, n, Pt, PAt, At)) /* A' = P'^-1 (P A)' */
        return zw_dense_failure(&b->work, b->err);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b->A[i * n + j] = At[j * n + i];
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------- integrals of
 * w */

static double largest_entry(const second_order_work *b) {
    double most = 0;
    for (int i = 0; i < b->n * b->n; i++)
        most = fmax(most, fabs(b->A[i]));
    return most;
}

/* Remove from a row (m) what the combinations so far span. */
static void remove_span(const second_order_work *b, double *row) {
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < b->mw; i++) {
            const double *e = b->w_rows + (size_t)i * (size_t)b->m;
            double part = 0;
            for (int j = 0; j < b->m; j++)
                part += e[j] * row[j];
            for (int j = 0; j < b->m; j++)
                row[j] -= part * e[j];
        }
}

/* The combinations of w that affect u: rows of A_uw, A_uw A_ww, ..., orthonormalised one after the
 * other. */
static zw_status find_affecting(second_order_work *b) {
    int n = b->n, k = b->k, m = b->m, w = 2 * k;
    double *row = allocate_doubles(b, m), most = largest_entry(b);
    b->w_rows = allocate_doubles(b, m * m);
    if (b->work.failed)
        return zw_out_of_memory(b->err, NULL);
    for (int next = 0; next < k + b->mw && b->mw < m; next++) {
        for (int j = 0; j < m; j++) {
            row[j] = next < k ? b->A[(k + next) * n + w + j] : 0;
            for (int l = 0; next >= k && l < m; l++)
                row[j] += b->w_rows[(next - k) * m + l] * b->A[(w + l) * n + w + j];
        }
        remove_span(b, row);
        double length = zw_dense_norm(m, row);
        if (length <= INFLUENCE_ROUNDOFF * most)
            continue;
        for (int j = 0; j < m; j++)
            b->w_rows[b->mw * m + j] = row[j] / length;
        b->mw++;
    }
    return ZW_OK;
}

/* Which states of w take part, and which are omitted? */
static void sort_further(second_order_work *b) {
    zw_second_order *out = b->out;
    for (int j = 0; j < b->m; j++) {
        double part = 0;
        for (int i = 0; i < b->mw; i++)
            part = fmax(part, fabs(b->w_rows[i * b->m + j]));
        if (part > INFLUENCE_ROUNDOFF)
            out->integral[out->nintegral++] = b->further[j];
        else
            out->omitted[out->nomitted++] = b->further[j];
    }
}

/* Row i of A with w replaced by its combinations that affect u. */
static void reduced_row(const second_order_work *b, int i, double *out) {
    int n = b->n, k = b->k, w = 2 * k;
    const double *row = b->A + (size_t)i * (size_t)n;
    memcpy(out, row, sizeof(double) * (size_t)w);
    for (int j = 0; j < b->mw; j++) {
        out[w + j] = 0;
        for (int l = 0; l < b->m; l++)
            out[w + j] += row[w + l] * b->w_rows[j * b->m + l];
    }
}

/* The rate of combination i: a row over (s, u, w). */
static void affecting_rate(const second_order_work *b, int i, double *row, double *sum) {
    int all = 2 * b->k + b->mw;
    memset(sum, 0, sizeof(double) * (size_t)all);
    for (int l = 0; l < b->m; l++) {
        reduced_row(b, 2 * b->k + l, row);
        for (int j = 0; j < all; j++)
            sum[j] += b->w_rows[i * b->m + l] * row[j];
    }
}

/* S and R; *found is false if w is no integral, and *worst is then the combination with the largest
 * error. */
static zw_status find_integrals(second_order_work *b, bool *found, int *worst) {
    int k = b->k, mw = b->mw, wide = k + mw, all = 2 * k + mw;
    double *L = allocate_doubles(b, k * wide), *row = allocate_doubles(b, all),
           *rate = allocate_doubles(b, all), *sv = allocate_doubles(b, wide),
           *V = allocate_doubles(b, wide * wide), *U = allocate_doubles(b, k * k + wide * k),
           most = largest_entry(b), missed = 0;
    b->S = allocate_doubles(b, mw * k);
    b->R = allocate_doubles(b, mw * k);
    if (b->work.failed)
        return zw_out_of_memory(b->err, NULL);
    double *A_u = allocate_doubles(b, k * all);
    if (!A_u)
        return zw_out_of_memory(b->err, NULL);
    for (int i = 0; i < k; i++) {
        reduced_row(b, k + i, A_u + (size_t)i * (size_t)all);
        for (int j = 0; j < wide; j++)
            L[i * wide + j] = A_u[i * all + (j < k ? j : j + k)];
    }
    if (!zw_dense_svd(&b->work, k, wide, L, sv, V, U))
        return zw_dense_failure(&b->work, b->err);
    for (int i = 0; i < mw; i++) {
        double off = 0;
        affecting_rate(b, i, row, rate);
        for (int l = 0; l < k && l < wide && sv[l] > INFLUENCE_ROUNDOFF * sv[0]; l++) {
            double part = 0;
            for (int j = 0; j < wide; j++)
                part += V[l * wide + j] * rate[j < k ? j : j + k];
            for (int j = 0; j < k; j++)
                b->S[i * k + j] += part / sv[l] * U[l * k + j];
        }
        for (int j = 0; j < k; j++) {
            b->R[i * k + j] = rate[k + j];
            for (int l = 0; l < k; l++)
                b->R[i * k + j] -= b->S[i * k + l] * A_u[l * all + k + j];
            b->R[i * k + j] *= b->size[j] / b->size[k + j]; /* s' = u in plain units */
        }
        for (int j = 0; j < wide; j++) {
            double left = rate[j < k ? j : j + k];
            for (int l = 0; l < k; l++)
                left -= b->S[i * k + l] * L[l * wide + j];
            off = fmax(off, fabs(left));
        }
        if (off > missed) {
            missed = off;
            *worst = i;
        }
    }
    *found = missed <= INTEGRAL_MISSED * most;
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------- matrices */

/* Z (*count x d): directions of the tangent space in which no coordinate changes, in its
 * coordinates: the coordinates' part of the metric, T_q' A_q T_q, vanishes there. */
static zw_status find_velocities(second_order_work *b, double *Z, int *count) {
    const zw_linearisation *a = b->a;
    int d = a->dimension, n = a->n, r = a->norbit, nx = a->nx;
    double *Q = allocate_doubles(b, d * d), *sv = allocate_doubles(b, d),
           *V = allocate_doubles(b, d * d);
    if (b->work.failed)
        return zw_out_of_memory(b->err, NULL);
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++)
            for (int l = 0; l < b->nq; l++)
                Q[i * d + j] += (i < n ? a->D[i * nx + l] : a->orbit_D[(i - n) * nx + l]) *
                                (j < n ? a->T[l * n + j] : a->orbit_T[l * r + j - n]);
    if (!zw_dense_svd(&b->work, d, d, Q, sv, V, NULL))
        return zw_dense_failure(&b->work, b->err);
    *count = 0;
    for (int i = 0; i < d; i++)
        if (sv[i] <= COORDINATES_FIXED)
            memcpy(Z + (size_t)(*count)++ * (size_t)d, V + (size_t)i * (size_t)d,
                   sizeof(double) * (size_t)d);
    return ZW_OK;
}

/* u and the combinations w of those velocities: L ((k + m) x count), in units of size. */
static zw_status rates_of_velocities(second_order_work *b, int count, const double *Z, double *L) {
    const zw_linearisation *a = b->a;
    const zw_states *s = b->states;
    int d = a->dimension, n = b->n, nx = s->nx, rows = b->k + b->m;
    double *x = allocate_doubles(b, nx), *y = allocate_doubles(b, n);
    if (b->work.failed)
        return zw_out_of_memory(b->err, NULL);
    for (int c = 0; c < count; c++) {
        for (int i = 0; i < nx; i++) {
            x[i] = 0;
            for (int j = 0; j < d; j++)
                x[i] += Z[c * d + j] *
                        (j < a->n ? a->T[i * a->n + j] : a->orbit_T[i * a->norbit + j - a->n]);
        }
        zw_dense_multiply(n, nx, 1, s->E, x, y);
        for (int i = 0; i < rows; i++) {
            L[i * count + c] = 0;
            for (int j = 0; j < n; j++)
                L[i * count + c] += b->P[(b->k + i) * n + j] * y[j] / b->size[b->k + i];
        }
    }
    return ZW_OK;
}

/* Velocity j of the combinations c (count x k) of the rows of Z, as a change of the state. */
static void velocity_of(const second_order_work *b, int count, const double *Z, const double *c,
                        int j, double *x) {
    const zw_linearisation *a = b->a;
    int d = a->dimension;
    memset(x, 0, sizeof(double) * (size_t)a->nx);
    for (int l = 0; l < count; l++)
        for (int i = b->nq; i < a->nx; i++)
            for (int m = 0; m < d; m++)
                x[i] += c[l * b->k + j] * Z[l * d + m] *
                        (m < a->n ? a->T[i * a->n + m] : a->orbit_T[i * a->norbit + m - a->n]);
}

/* U' M U from the kinetic energy, whose derivative is linear in the velocities. The metric of
 * projections would not do: it has masses also where the model has none. */
static zw_status mass_matrix(second_order_work *b, int count, const double *Z, const double *c,
                             double *M) {
    const zw_kernel *kernel = zw_flow_kernel(b->flow);
    int k = b->k, nx = b->a->nx, nq = b->nq;
    double *U = allocate_doubles(b, nx * k), *x = allocate_doubles(b, nx),
           *here = allocate_doubles(b, nx), *z = allocate_doubles(b, kernel->nz), motion = 0;
    if (b->work.failed)
        return zw_out_of_memory(b->err, NULL);
    const size_t row = (size_t)kernel->nobs * (size_t)nx; /* T comes after the observables */
    memcpy(here, zw_at_obs_jac(b->flow, b->at->t, b->at->x, z).dx + row,
           sizeof(double) * (size_t)nx);
    for (int i = nq; i < nx; i++)
        motion = fmax(motion, fabs(b->at->x[i]));
    for (int j = 0; j < k; j++)
        velocity_of(b, count, Z, c, j, U + (size_t)j * (size_t)nx);
    for (int j = 0; j < k; j++) {
        const double *u = U + (size_t)j * (size_t)nx;
        double size = 0, step = 1;
        for (int i = nq; i < nx; i++)
            size = fmax(size, fabs(u[i]));
        while (size > 0 && step * size < LONG_STEP * motion)
            step *= 2;
        for (int i = 0; i < nx; i++)
            x[i] = b->at->x[i] + step * u[i];
        const double *there = zw_at_obs_jac(b->flow, b->at->t, x, z).dx + row;
        for (int l = 0; l < k; l++) {
            M[l * k + j] = 0;
            for (int i = nq; i < nx; i++)
                M[l * k + j] += U[(size_t)l * (size_t)nx + i] * (there[i] - here[i]) / step;
        }
    }
    for (int i = 0; i < k; i++)
        for (int j = 0; j < i; j++)
            M[i * k + j] = M[j * k + i] = (M[i * k + j] + M[j * k + i]) / 2;
    return ZW_OK;
}

/* M (k x k) in units of size; *found is false if u and w do not determine the velocities. */
static zw_status find_masses(second_order_work *b, double *M, bool *found) {
    int d = b->a->dimension, k = b->k, m = b->m, rows = k + m, count;
    double *Z = allocate_doubles(b, d * d);
    *found = false;
    if (!Z)
        return zw_out_of_memory(b->err, NULL);
    ZW_TRY(find_velocities(b, Z, &count));
    double *L = allocate_doubles(b, rows * count), *sv = allocate_doubles(b, count + 1),
           *V = allocate_doubles(b, count * count),
           *U = allocate_doubles(b, rows * (rows < count ? rows : count)),
           *target = allocate_doubles(b, rows * k), *c = allocate_doubles(b, count * k);
    if (b->work.failed)
        return zw_out_of_memory(b->err, NULL);
    ZW_TRY(rates_of_velocities(b, count, Z, L));
    for (int j = 0; j < k; j++) {
        target[j * k + j] = 1;
        for (int i = 0; i < m; i++)
            for (int l = 0; l < b->mw; l++)
                target[(k + i) * k + j] += b->w_rows[l * m + i] * b->S[l * k + j];
    }
    if (!zw_dense_svd(&b->work, rows, count, L, sv, V, U))
        return zw_dense_failure(&b->work, b->err);
    for (int l = 0; l < count && l < rows && sv[l] > DIRECTION_INDEPENDENT * sv[0]; l++)
        for (int j = 0; j < k; j++) {
            double part = 0;
            for (int i = 0; i < rows; i++)
                part += U[l * rows + i] * target[i * k + j];
            for (int i = 0; i < count; i++)
                c[i * k + j] += V[l * count + i] * part / sv[l];
        }
    double missed = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < k; j++) {
            double met = 0;
            for (int l = 0; l < count; l++)
                met += L[i * count + l] * c[l * k + j];
            missed = fmax(missed, fabs(met - target[i * k + j]));
        }
    *found = missed < VELOCITY_MISSED;
    return *found ? mass_matrix(b, count, Z, c, M) : ZW_OK;
}

/* The largest entry of X in the metric of the masses: of D a rate, of K the square of one. */
static double largest_in_metric(int k, const double *M, const double *X) {
    double most = 0;
    for (int i = 0; i < k * k; i++)
        most = fmax(most, fabs(X[i]) / sqrt(M[i / k * (k + 1)] * M[i % k * (k + 1)]));
    return most;
}

/* The symmetric and the skew part of X; entries are zero that are rounding relative to `most`, in
 * the metric of the masses. */
static void split_symmetric(int k, const double *M, double most, const double *X, double *even,
                            double *odd) {
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++) {
            double floor = MATRIX_ROUNDOFF * most * sqrt(M[i * (k + 1)] * M[j * (k + 1)]),
                   sum = (X[i * k + j] + X[j * k + i]) / 2,
                   difference = (X[i * k + j] - X[j * k + i]) / 2;
            even[i * k + j] = fabs(sum) > floor ? sum : 0;
            odd[i * k + j] = fabs(difference) > floor ? difference : 0;
        }
}

/* The matrices in the units of the coordinates: u of size one is u_size in its own unit. M is
 * symmetric in u, and -M A in (s, u) has rows of forces that belong to u. */
static zw_status fill_matrices(second_order_work *b, double *M) {
    zw_second_order *out = b->out;
    int k = b->k, all = 2 * k + b->mw;
    double *velocity = allocate_doubles(b, k * k), *place = allocate_doubles(b, k * k),
           *row = allocate_doubles(b, all), *D = allocate_doubles(b, k * k),
           *K = allocate_doubles(b, k * k);
    if (b->work.failed)
        return zw_out_of_memory(b->err, NULL);
    for (int i = 0; i < k; i++) {
        reduced_row(b, k + i, row);
        for (int j = 0; j < k; j++) {
            place[i * k + j] = row[j];
            velocity[i * k + j] = row[k + j];
            for (int l = 0; l < b->mw; l++) {
                place[i * k + j] += row[2 * k + l] * b->R[l * k + j];
                velocity[i * k + j] += row[2 * k + l] * b->S[l * k + j];
            }
            /* back to plain units: u' = place s + velocity u */
            place[i * k + j] *= b->size[k + i] / b->size[j];
            velocity[i * k + j] *= b->size[k + i] / b->size[k + j];
        }
    }
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            out->M[i * k + j] = M[i * k + j] / (b->size[k + i] * b->size[k + j]);
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            for (int l = 0; l < k; l++) {
                D[i * k + j] -= out->M[i * k + l] * velocity[l * k + j];
                K[i * k + j] -= out->M[i * k + l] * place[l * k + j];
            }
    double rate = fmax(largest_in_metric(k, out->M, D), sqrt(largest_in_metric(k, out->M, K)));
    split_symmetric(k, out->M, rate, D, out->D, out->G);
    split_symmetric(k, out->M, rate * rate, K, out->K, out->N);
    return ZW_OK;
}

static zw_status allocate_matrices(second_order_work *b) {
    zw_second_order *out = b->out;
    int n = b->n;
    out->s = ZW_NEW(b->result, int, n + 1);
    out->omitted = ZW_NEW(b->result, int, n + 1);
    out->integral = ZW_NEW(b->result, int, n + 1);
    double **matrix[] = {&out->M, &out->D, &out->G, &out->K, &out->N};
    for (int i = 0; i < 5; i++)
        *matrix[i] = ZW_NEW(b->result, double, n *n + 1);
    b->P = allocate_doubles(b, n * n);
    b->A = allocate_doubles(b, n * n);
    b->size = allocate_doubles(b, 2 * n);
    b->basis = allocate_doubles(b, (n + 1) * n);
    b->further = ZW_NEW(&b->work, int, n + 1);
    return b->work.failed || zw_arena_status(b->result, b->err);
}

static zw_status build_second_order(second_order_work *b) {
    zw_second_order *out = b->out;
    bool found = true;
    int worst = 0;
    ZW_TRY(allocate_matrices(b));
    find_pairs(b);
    out->k = b->k;
    out->reason = ZW_SECOND_NO_COORDINATE;
    if (b->k == 0)
        return ZW_OK;
    if (!fill_rows(b))
        return zw_arena_status(&b->work, b->err);
    ZW_TRY(transform_matrix(b));
    ZW_TRY(find_affecting(b));
    ZW_TRY(find_integrals(b, &found, &worst));
    sort_further(b);
    if (!found) {
        int most = 0;
        for (int j = 1; j < b->m; j++)
            if (fabs(b->w_rows[worst * b->m + j]) > fabs(b->w_rows[worst * b->m + most]))
                most = j;
        out->reason = ZW_SECOND_COUPLED;
        out->culprit = b->further[most];
        return ZW_OK;
    }
    double *M = allocate_doubles(b, b->k * b->k);
    if (!M)
        return zw_out_of_memory(b->err, NULL);
    ZW_TRY(find_masses(b, M, &found));
    out->reason = found ? ZW_SECOND_THERE : ZW_SECOND_INERTIA;
    return found ? fill_matrices(b, M) : ZW_OK;
}

zw_status zw_second_order_find(zw_second_order *out, zw_flow *flow, const zw_steady *at,
                               const zw_linearisation *a, const zw_states *states,
                               const bool *first_order, zw_error *err) {
    zw_allocator alloc = states->memory->arena.alloc;
    second_order_work b = {.flow = flow,
                           .at = at,
                           .a = a,
                           .states = states,
                           .first_order = first_order,
                           .nq = zw_flow_kernel(flow)->nq,
                           .n = states->n,
                           .out = out,
                           .err = err};
    *out = (zw_second_order){.culprit = -1};
    if (!zw_kernel_has(zw_flow_kernel(flow), ZW_SET(OBS_JAC)))
        return zw_fail(err, ZW_E_MISSING,
                       "the form of second order needs the kernel function obs_jac");
    out->memory = zw_result_arena_create(&alloc);
    if (!out->memory)
        return zw_out_of_memory(err, NULL);
    zw_arena_init(&b.work, &alloc);
    b.result = &out->memory->arena;
    zw_status status = build_second_order(&b);
    zw_arena_clear(&b.work);
    if (status < 0)
        zw_second_order_clear(out);
    return status;
}

void zw_second_order_clear(zw_second_order *b) {
    zw_result_arena_destroy(b->memory);
    *b = (zw_second_order){0};
}
