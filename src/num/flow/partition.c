/* SPDX-License-Identifier: MIT */
/* Minimal coordinates by partitioning (Wehage and Haug 1982): the integrated state y holds as many
 * coordinates and velocities as the constraints leave free; the others follow from
 *
 *     phi(t, q) = 0,  |p| = 1 (unit quaternions),      psi(t, q, v) = 0
 *
 * by Newton's method with the free entries held (project.c), so that nothing drifts.
 *
 * The dependent ones are chosen by Gaussian elimination with complete pivoting on the gradients:
 * the columns with the largest pivots. The gradients of phi are known along the velocities only,
 * Phi = (dphi/dq) F; in the coordinates they are G = Phi F^+, and a direction that F cannot reach
 * (the length of a quaternion) has a separate row. Columns carry units: each is scaled by the
 * distance its entry moves in the metric of the mass matrix, |L^-1 F_i'| with M = L L'; rows to
 * length one. The entries of a quaternion share one scale: the largest of them moves least, and it
 * is the one that must depend (p = (1, 0, 0, 0) has p_0' = 0, and the others cannot be solved for).
 *
 * The dependent entries are solved for from a prediction along the motion: from the beginning of
 * the step, or from the last state whose rates were computed, along its rates. So they stay on
 * their branch where branches cross, in singular positions; from the last expanded state they would
 * not.
 *
 * Along the motion another partition becomes better. When the smallest pivot of the present one is
 * below PIVOT_POOR times that of the best, the partition is chosen again and the method
 * restarts. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/slice.h"
#include "num/internal.h"
#include "num/linear/linalg.h"

/* closer to 1 the method restarts more often, farther away digits are lost */
#define PIVOT_POOR 0.3
#define PIVOT_ZERO 1e-10 /* of the largest one: the row depends on the others, as in massless.c */

/* a state with its rates, from which others are predicted */
typedef struct known_state {
    double t;
    double *x, *rate; /* nx */
} known_state;

struct zw_num_partition {
    size_t bytes;
    known_state base, last; /* at the beginning of the step; at the last computed rates */
    double *A, *copy;       /* gradients of one level, scaled */
    double *FtF, *row;      /* nv x nv, nv */
    double *scale;          /* max(nq, nv) */
    double *S, *by_rows;    /* nx x nx each: the selection of entries as a matrix, the Jacobian */
    int *pivot;             /* nv */
    bool *kept;             /* nx: entries of y */
    bool *depends, *taken;  /* nx: columns an elimination may take, and does */
};

static int larger_int(int a, int b) {
    return a > b ? a : b;
}

static void slice_all(zw_num_partition *p, const zw_kernel *k, zw_slicer *s) {
    int level = larger_int((k->npos + k->nunit) * k->nq, k->nvel * k->nv);
    p->base.x = zw_slice_doubles(s, k->nx);
    p->base.rate = zw_slice_doubles(s, k->nx);
    p->last.x = zw_slice_doubles(s, k->nx);
    p->last.rate = zw_slice_doubles(s, k->nx);
    p->scale = zw_slice_doubles(s, k->nx);
    p->S = zw_slice_doubles(s, k->nx * k->nx);
    p->by_rows = zw_slice_doubles(s, k->nx * k->nx);
    p->A = zw_slice_doubles(s, level);
    p->copy = zw_slice_doubles(s, level);
    p->FtF = zw_slice_doubles(s, k->nv * k->nv);
    p->row = zw_slice_doubles(s, k->nv);
    p->pivot = zw_slice_ints(s, k->nv);
    p->kept = zw_slice_bools(s, k->nx);
    p->depends = zw_slice_bools(s, k->nx);
    p->taken = zw_slice_bools(s, k->nx);
}

zw_status zw_num_partition_create(zw_run *run, zw_error *err) {
    zw_num_partition measured;
    zw_slicer need = {NULL, 0};
    zw_slice(&need, sizeof(zw_num_partition));
    slice_all(&measured, run->k, &need);
    zw_slicer s = {zw_allocate(&run->alloc, need.used), 0};
    if (!s.base)
        return zw_out_of_memory(err, "a run");
    zw_num_partition *p = zw_slice(&s, sizeof *p);
    slice_all(p, run->k, &s);
    p->bytes = need.used;
    run->partition = p;
    return ZW_OK;
}

void zw_num_partition_destroy(zw_run *run) {
    if (run->partition)
        zw_release(&run->alloc, run->partition, run->partition->bytes);
    run->partition = NULL;
}

/* ---- choosing ---- */

/* Elimination with complete pivoting on the m x n matrix A, which is destroyed, among the columns
 * allowed (NULL: all), up to `most` pivots. taken[j]: column j has a pivot. Returns their number
 * and the smallest one. */
static int eliminate_columns(int m, int n, double *A, const bool *allowed, int most, bool *taken,
                             double *smallest) {
    double first = 0;
    *smallest = INFINITY;
    memset(taken, 0, sizeof(bool) * (size_t)n);
    for (int step = 0; step < most; step++) {
        int row = step, column = -1;
        for (int i = step; i < m; i++)
            for (int j = 0; j < n; j++)
                if (!taken[j] && (!allowed || allowed[j]) &&
                    (column < 0 || fabs(A[i * n + j]) > fabs(A[row * n + column]))) {
                    row = i;
                    column = j;
                }
        double pivot = column < 0 ? 0 : fabs(A[row * n + column]);
        if (step == 0)
            first = pivot;
        if (!(pivot > PIVOT_ZERO * first))
            return step; /* the remaining rows depend on those taken */
        *smallest = fmin(*smallest, pivot);
        taken[column] = true;
        for (int j = 0; j < n; j++) {
            double a = A[row * n + j];
            A[row * n + j] = A[step * n + j];
            A[step * n + j] = a;
        }
        for (int i = step + 1; i < m; i++) {
            double factor = A[i * n + column] / A[step * n + column];
            for (int j = 0; j < n; j++)
                A[i * n + j] -= factor * A[step * n + j];
        }
    }
    return most;
}

/* scales the columns, then the rows to length one */
static void equilibrate_matrix(int m, int n, double *A, const double *scale) {
    for (int i = 0; i < m; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) {
            A[i * n + j] *= scale[j];
            sum += A[i * n + j] * A[i * n + j];
        }
        for (int j = 0; sum > 0 && j < n; j++)
            A[i * n + j] /= sqrt(sum);
    }
}

static double euclidean_norm(int n, const double *x) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* Gradients of the positions in the coordinates: Phi F^+ and the quaternions. Returns their
 * number. */
static int position_gradients(zw_run *run, double t, const double *x) {
    const zw_kernel *k = run->k;
    zw_num_partition *p = run->partition;
    int nq = k->nq, nv = k->nv, m = k->npos + k->nunit;
    zw_pos_parts level = zw_at_pos(run->flow, t, x, NULL);
    const double *Phi = level.Phi, *F = level.F;
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++) {
            double sum = 0;
            for (int l = 0; l < nq; l++)
                sum += F[l * nv + i] * F[l * nv + j];
            p->FtF[i * nv + j] = sum;
        }
    zw_num_lu(nv, p->FtF, p->pivot);
    for (int r = 0; r < k->npos; r++) {
        memcpy(p->row, Phi + r * nv, sizeof(double) * (size_t)nv);
        zw_num_lu_solve(nv, p->FtF, p->pivot, 1, p->row);
        for (int i = 0; i < nq; i++) {
            double sum = 0;
            for (int j = 0; j < nv; j++)
                sum += F[i * nv + j] * p->row[j];
            p->A[r * nq + i] = sum;
        }
    }
    memset(p->A + k->npos * nq, 0, sizeof(double) * (size_t)(k->nunit * nq));
    for (int u = 0; u < k->nunit; u++)
        for (int i = k->unit[u]; i < k->unit[u] + 4; i++)
            p->A[(k->npos + u) * nq + i] = x[i];
    for (int i = 0; i < nq; i++) {
        memcpy(p->row, F + i * nv, sizeof(double) * (size_t)nv);
        zw_num_lower_solve(nv, run->flow->L, p->row);
        p->scale[i] = euclidean_norm(nv, p->row);
    }
    for (int u = 0; u < k->nunit; u++) {
        double common = euclidean_norm(4, p->scale + k->unit[u]);
        for (int i = k->unit[u]; i < k->unit[u] + 4; i++)
            p->scale[i] = common;
    }
    equilibrate_matrix(m, nq, p->A, p->scale);
    return m;
}

static int velocity_gradients(zw_run *run, double t, const double *x) {
    const zw_kernel *k = run->k;
    zw_num_partition *p = run->partition;
    int nv = k->nv, m = k->nvel;
    memcpy(p->A, zw_at_vel(run->flow, t, x, NULL).Psi, sizeof(double) * (size_t)(m * nv));
    for (int i = 0; i < nv; i++) {
        memset(p->row, 0, sizeof(double) * (size_t)nv);
        p->row[i] = 1;
        zw_num_lower_solve(nv, run->flow->L, p->row);
        p->scale[i] = euclidean_norm(nv, p->row);
    }
    equilibrate_matrix(m, nv, p->A, p->scale);
    return m;
}

/* the dependent entries of one level, out of its m gradients in A */
static void choose_level(zw_num_partition *p, int m, int n, int offset) {
    double smallest;
    eliminate_columns(m, n, p->A, NULL, m, p->taken, &smallest);
    for (int i = 0; i < n; i++)
        p->kept[offset + i] = !p->taken[i];
}

/* is the choice of one level much worse than the best one? */
static bool is_poor_level(zw_num_partition *p, int m, int n, int offset) {
    double best, present;
    memcpy(p->copy, p->A, sizeof(double) * (size_t)(m * n));
    int rank = eliminate_columns(m, n, p->A, NULL, m, p->taken, &best);
    for (int i = 0; i < n; i++)
        p->depends[i] = !p->kept[offset + i];
    return eliminate_columns(m, n, p->copy, p->depends, rank, p->taken, &present) < rank ||
           present < PIVOT_POOR * best;
}

void zw_num_partition_choose(zw_run *run, double t, const double *x) {
    const zw_kernel *k = run->k;
    zw_num_partition *p = run->partition;
    zw_num_set_metric(run->flow, t, x);
    choose_level(p, position_gradients(run, t, x), k->nq, 0);
    choose_level(p, velocity_gradients(run, t, x), k->nv, k->nq);
    run->ny = 0;
    for (int i = 0; i < k->nx; i++)
        run->ny += p->kept[i];
}

bool zw_num_partition_is_poor(zw_run *run, double t, const double *x) {
    const zw_kernel *k = run->k;
    zw_num_partition *p = run->partition;
    zw_num_set_metric(run->flow, t, x);
    return is_poor_level(p, position_gradients(run, t, x), k->nq, 0) ||
           is_poor_level(p, velocity_gradients(run, t, x), k->nv, k->nq);
}

/* ---- the reduced state ---- */

const bool *zw_num_partition_kept(const zw_run *run) {
    return run->formulation == ZW_KEEP_PARTITION ? run->partition->kept : NULL;
}

void zw_num_partition_pick(const zw_run *run, const double *x, double *y) {
    for (int i = 0, n = 0; i < run->k->nx; i++)
        if (run->partition->kept[i])
            y[n++] = x[i];
}

zw_status zw_num_partition_begin(zw_run *run, double t, const double *x, zw_error *err) {
    const zw_kernel *k = run->k;
    zw_num_partition *p = run->partition;
    size_t size = sizeof(double) * (size_t)k->nx;
    if (p->last.t == t && memcmp(p->last.x, x, size) == 0) {
        memcpy(p->base.rate, p->last.rate, size);
    } else {
        ZW_TRY(zw_num_accel(run->flow, t, x, p->base.rate, run->flow->z, err));
        memcpy(p->base.rate + k->nq, run->flow->z, sizeof(double) * (size_t)k->nv);
    }
    memcpy(p->base.x, x, size);
    p->base.t = t;
    p->last.t = INFINITY;
    return ZW_OK;
}

zw_status zw_num_partition_expand(zw_run *run, double t, const double *y, double *x,
                                  zw_error *err) {
    const zw_num_partition *p = run->partition;
    const known_state *from = fabs(t - p->last.t) < fabs(t - p->base.t) ? &p->last : &p->base;
    for (int i = 0, n = 0; i < run->k->nx; i++)
        x[i] = p->kept[i] ? y[n++] : from->x[i] + (t - from->t) * from->rate[i];
    return zw_num_project(run->flow, t, x, p->kept, err);
}

zw_status zw_num_partition_rate(zw_run *run, double t, const double *y, double *rate,
                                zw_error *err) {
    const zw_kernel *k = run->k;
    zw_num_partition *p = run->partition;
    double *x = run->candidate;
    ZW_TRY(zw_num_partition_expand(run, t, y, x, err));
    p->last.t = INFINITY; /* until it succeeds */
    ZW_TRY(zw_num_accel(run->flow, t, x, p->last.rate, run->flow->z, err));
    memcpy(p->last.rate + k->nq, run->flow->z, sizeof(double) * (size_t)k->nv);
    memcpy(p->last.x, x, sizeof(double) * (size_t)k->nx);
    p->last.t = t;
    zw_num_partition_pick(run, p->last.rate, rate);
    return ZW_OK;
}

/* y = S x with S the choice of entries: dy'/dy = S (df/dx) dx/dy (tangent.c). */
zw_status zw_num_partition_jacobian(zw_run *run, double t, const double *y, double *J,
                                    zw_error *err) {
    zw_num_partition *p = run->partition;
    int ny = run->ny, nx = run->k->nx;
    ZW_TRY(zw_num_partition_expand(run, t, y, run->candidate, err));
    memset(p->S, 0, sizeof(double) * (size_t)(ny * nx));
    for (int i = 0, n = 0; i < nx; i++)
        if (p->kept[i])
            p->S[n++ * nx + i] = 1;
    ZW_TRY(zw_flow_local_jacobian(run->flow, t, run->candidate, ny, p->S, p->by_rows, err));
    for (int i = 0; i < ny; i++)
        for (int j = 0; j < ny; j++)
            J[i + j * ny] = p->by_rows[i * ny + j];
    return ZW_OK;
}
