/* SPDX-License-Identifier: MIT */
/* Velocities without inertia. Where the matrix K of accel.c is singular,
 *
 *     r(t, x, z) = K z - (h, b) = 0,    z = (v', lambda),
 *
 * has solutions only if x satisfies algebraic equations. With the null vectors K Z = 0, N'K = 0 (d
 * of each), and V the velocity part of Z: the directions without mass:
 *
 *     s(t, x) = N'r(t, x, z) = 0          for any z: N'(h, b) = 0, the forces along V balance.
 *
 * Index 1: the forces depend on the velocity along V (a damper): A_v V is regular, A_v = N' dr/dv.
 * Then s = 0 gives the velocity along V, and its rate follows from ds/dt = 0:
 *
 *     A_q q' + A_v v' + A_t = 0,          v' = v'_0 + V c,   A_q = N' dr/dq,  A_t = N' dr/dt.
 *
 * Index 2: combinations L'A_v V = 0 (a spring) restrict the coordinates: L's = 0 gives q along F V,
 * its derivative L'(A_q q' + A_t) = 0 the velocity, provided that
 *
 *     D = [ A_v V    ]    has full rank d,
 *         [ L'A_q F V ]
 *
 * and its second derivative the rate, taken by central differences along the motion. All other
 * cases, such as forces along V that depend on the velocity of a mass but not on their own (L'A_v
 * != 0: a magnetic or gyroscopic force), are rejected. So is a force L's on a state (a coordinate
 * that no displacement moves) whose rate contains velocities: its coordinate and its velocity would
 * have to be solved for with different matrices.
 *
 * A displacement along V has length 0 in the metric of the mass matrix, so the consistent state
 * nearest to a given one differs from it only along V. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/slice.h"
#include "base/tolerance.h"
#include "flow.h"
#include "num/linear/linalg.h"

enum { ITERATIONS = 40 };
/* Pivot, of matrices with rows scaled to one, that is 0: exact structures leave round-off, 1e-13,
 * and forces that depend so weakly on a velocity could not be resolved. */
#define PIVOT_ZERO 1e-10
/* of a Newton step, relative to the entries of the state */
#define STEP_CONVERGED ZW_ROUNDOFF_VALUE
/* of the last step if round-off prevents convergence: solved equations */
#define STEP_ACCEPTED 1e-9
#define RATES_CONVERGED 1e-14 /* relative change of the rates: 45 eps */

struct zw_num_massless {
    size_t bytes;
    int d, e;                /* null vectors; those whose forces do not depend on their velocity */
    double *N, *Z;           /* d x nz each */
    double *A_q, *A_v, *A_t; /* d x nq, d x nv, d */
    double *s;               /* d */
    double *L;               /* e x d */
    double *S1;              /* d x d: A_v V, its rows scaled to one where they are not zero */
    double *D;               /* (d + e) x d, factorised */
    double *scale;           /* d + e: scales of the rows of D */
    double *right, *c;       /* d + e, d */
    double *z0;              /* nz: the shortest solution */
    double *copy, *tau;      /* nz x nz, nz */
    double *drift;           /* d: A_q q' + A_v v' + A_t */
    double *ahead, *behind;  /* d: the same slightly later and earlier */
    double *shifted;         /* nx */
    double *qdot, *F;        /* nq, nq x nv */
    int *order;              /* nz + nz */
    bool *follows;           /* nv: the velocity follows from positions (index 2) */
    bool *served;            /* nq: no displacement moves it, but its rate contains velocities */
};

/* ---- memory ---- */

/* sized for the largest number of null vectors */
static void slice_all(zw_num_massless *m, const zw_kernel *k, zw_slicer *s) {
    int nz = k->nz;
    m->N = zw_slice_doubles(s, nz * nz);
    m->Z = zw_slice_doubles(s, nz * nz);
    m->A_q = zw_slice_doubles(s, nz * k->nq);
    m->A_v = zw_slice_doubles(s, nz * k->nv);
    m->A_t = zw_slice_doubles(s, nz);
    m->s = zw_slice_doubles(s, nz);
    m->L = zw_slice_doubles(s, nz * nz);
    m->S1 = zw_slice_doubles(s, nz * nz);
    m->D = zw_slice_doubles(s, 2 * nz * nz);
    m->scale = zw_slice_doubles(s, 2 * nz);
    m->right = zw_slice_doubles(s, 2 * nz);
    m->c = zw_slice_doubles(s, nz);
    m->z0 = zw_slice_doubles(s, nz);
    m->copy = zw_slice_doubles(s, nz * nz);
    m->tau = zw_slice_doubles(s, nz);
    m->drift = zw_slice_doubles(s, nz);
    m->ahead = zw_slice_doubles(s, nz);
    m->behind = zw_slice_doubles(s, nz);
    m->shifted = zw_slice_doubles(s, k->nx);
    m->qdot = zw_slice_doubles(s, k->nq);
    m->F = zw_slice_doubles(s, k->nq * k->nv);
    m->order = zw_slice_ints(s, 2 * nz);
    m->follows = zw_slice_bools(s, k->nv);
    m->served = zw_slice_bools(s, k->nq);
}

static zw_status create_massless(zw_flow *flow, zw_error *err) {
    zw_num_massless measured;
    zw_slicer need = {NULL, 0};
    zw_slice(&need, sizeof measured);
    slice_all(&measured, flow->k, &need);
    zw_slicer s = {zw_allocate(&flow->alloc, need.used), 0};
    if (!s.base)
        return zw_out_of_memory(err, "a run");
    flow->massless = zw_slice(&s, sizeof measured);
    slice_all(flow->massless, flow->k, &s);
    flow->massless->bytes = need.used;
    return ZW_OK;
}

void zw_num_massless_destroy(zw_flow *flow) {
    if (flow->massless)
        zw_release(&flow->alloc, flow->massless, flow->massless->bytes);
    flow->massless = NULL;
}

/* ---- the structure at a state ---- */

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Null vectors of K on both sides, none if it is regular, and the shortest solution z0. */
static void find_null_vectors(zw_flow *flow, double t, const double *x) {
    zw_num_massless *m = flow->massless;
    int nz = flow->k->nz;
    const size_t size = sizeof(double) * (size_t)(nz * nz);
    zw_num_assemble(flow, t, x, m->z0); /* z0: the right side for now */
    memcpy(m->copy, flow->K, size);
    m->d = zw_num_null_basis(nz, nz, m->copy, PIVOT_ZERO, m->Z, m->order);
    for (int i = 0; i < nz; i++)
        for (int j = 0; j < nz; j++)
            m->copy[j * nz + i] = flow->K[i * nz + j];
    int left = zw_num_null_basis(nz, nz, m->copy, PIVOT_ZERO, m->N, m->order);
    m->d = left < m->d ? left : m->d;
    for (int i = 0; i < m->d; i++)
        for (int j = 0; j < nz; j++) {
            m->Z[i * nz + j] *= flow->scale[j];
            m->N[i * nz + j] *= flow->row[j];
        }
    memcpy(m->copy, flow->K, size);
    memcpy(flow->spare, m->z0, sizeof(double) * (size_t)nz);
    int rank = zw_num_rows_factor(nz, nz, m->copy, 0, PIVOT_ZERO, m->tau, m->order);
    zw_num_rows_solve(nz, m->copy, rank, m->tau, m->order, flow->spare, m->z0);
    for (int j = 0; j < nz; j++)
        m->z0[j] *= flow->scale[j];
}

static bool is_zero(int n, const double *a) {
    for (int i = 0; i < n; i++)
        if (a[i] != 0)
            return false;
    return true;
}

/* A_q, A_v, A_t, s, F and q' at (t, x, z), with the present null vectors */
static void differentiate_rows(zw_flow *flow, double t, const double *x, const double *z) {
    zw_num_massless *m = flow->massless;
    const zw_kernel *k = flow->k;
    int nq = k->nq, nv = k->nv, nx = k->nx, nz = k->nz;
    zw_pos_parts pos = zw_at_pos(flow, t, x, NULL);
    for (int i = 0; i < nq; i++)
        m->served[i] = is_zero(nv, pos.F + i * nv);
    zw_jac_parts jac = zw_at_jac(flow, t, x, z);
    for (int i = 0; i < nq; i++) {
        const double *row = jac.dqdot_dx + i * nx + nq;
        m->served[i] = m->served[i] && !is_zero(nv, row);
        for (int j = 0; j < nv; j++)
            m->F[i * nv + j] = m->served[i] ? 0 : row[j];
    }
    for (int i = 0; i < m->d; i++)
        for (int j = 0; j < nx; j++) {
            double sum = 0;
            for (int r = 0; r < nz; r++)
                sum += m->N[i * nz + r] * jac.dr_dx[r * nx + j];
            *(j < nq ? &m->A_q[i * nq + j] : &m->A_v[i * nv + j - nq]) = sum;
        }
    zw_time_parts time = zw_at_time(flow, t, x, z);
    for (int i = 0; i < m->d; i++)
        m->A_t[i] = dot(nz, m->N + i * nz, time.dr_dt);
    zw_mats_parts a = zw_at_mats(flow, t, x, NULL);
    for (int i = 0; i < m->d; i++)
        m->s[i] = -dot(nv, m->N + i * nz, a.h) - dot(k->nc, m->N + i * nz + nv, a.b);
    memcpy(m->qdot, a.qdot, sizeof(double) * (size_t)nq);
}

/* A_q q' + A_v v' + A_t */
static void set_drift(zw_flow *flow, const double *accel, double *drift) {
    const zw_num_massless *m = flow->massless;
    int nq = flow->k->nq, nv = flow->k->nv;
    for (int i = 0; i < m->d; i++)
        drift[i] = dot(nq, m->A_q + i * nq, m->qdot) + dot(nv, m->A_v + i * nv, accel) + m->A_t[i];
}

/* a row a (n) times the directions without mass, as row of D; scaled to one, the scale returned
 * (0: the row vanishes) */
static double row_along_V(const zw_flow *flow, const double *a, double *row) {
    const zw_num_massless *m = flow->massless;
    int nv = flow->k->nv, nz = flow->k->nz;
    double size = 0;
    for (int j = 0; j < m->d; j++) {
        double sum = 0, sizes = 0;
        for (int i = 0; i < nv; i++) {
            sum += a[i] * m->Z[j * nz + i];
            sizes += fabs(a[i] * m->Z[j * nz + i]);
        }
        row[j] = sum;
        size = fmax(size, sizes);
    }
    for (int j = 0; j < m->d; j++)
        row[j] = size > 0 ? row[j] / size : 0;
    return size > 0 ? 1 / size : 0;
}

/* L'a for the rows a of a d x n matrix */
static void combine_rows(const zw_num_massless *m, int e, int n, const double *a, double *out) {
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int i = 0; i < m->d; i++)
            sum += m->L[e * m->d + i] * a[i * n + j];
        out[j] = sum;
    }
}

/* do the forces L'r depend on any velocity, beyond round-off? */
static bool binds_velocities(zw_flow *flow, int e) {
    const zw_num_massless *m = flow->massless;
    int nv = flow->k->nv;
    double size = 0, largest = 0;
    combine_rows(m, e, nv, m->A_v, flow->spare);
    for (int j = 0; j < nv; j++) {
        largest = fmax(largest, fabs(flow->spare[j]));
        for (int i = 0; i < m->d; i++)
            size = fmax(size, fabs(m->L[e * m->d + i] * m->A_v[i * nv + j]));
    }
    return largest > PIVOT_ZERO * size;
}

/* do they depend on a state whose rate contains velocities? */
static bool binds_states(const zw_flow *flow, int e) {
    const zw_num_massless *m = flow->massless;
    int nq = flow->k->nq;
    for (int q = 0; q < nq; q++)
        for (int i = 0; m->served[q] && i < m->d; i++)
            if (m->L[e * m->d + i] * m->A_q[i * nq + q] != 0)
                return true;
    return false;
}

/* the row L'A_q F of combination e, in flow->spare */
static void row_of_positions(zw_flow *flow, int e) {
    const zw_num_massless *m = flow->massless;
    int nq = flow->k->nq, nv = flow->k->nv;
    for (int j = 0; j < nv; j++) {
        double sum = 0;
        for (int i = 0; i < m->d; i++)
            for (int q = 0; q < nq; q++)
                sum += m->L[e * m->d + i] * m->A_q[i * nq + q] * m->F[q * nv + j];
        flow->spare[j] = sum;
    }
}

/* the velocities that follow from positions: those of the null vectors of A_v V */
static void mark_followers(zw_flow *flow) {
    zw_num_massless *m = flow->massless;
    int nv = flow->k->nv, nz = flow->k->nz, d = m->d;
    memset(m->follows, 0, sizeof(bool) * (size_t)nv);
    memcpy(m->copy, m->S1, sizeof(double) * (size_t)(d * d));
    int e = zw_num_null_basis(d, d, m->copy, PIVOT_ZERO, m->D, m->order);
    for (int n = 0; n < e; n++)
        for (int i = 0; i < nv; i++) {
            double along = 0, size = 0;
            for (int j = 0; j < d; j++) {
                along += m->D[n * d + j] * m->Z[j * nz + i];
                size += fabs(m->D[n * d + j] * m->Z[j * nz + i]);
            }
            m->follows[i] |= fabs(along) > PIVOT_ZERO * size;
        }
}

typedef enum structure { REGULAR, SOLVABLE, UNDETERMINED, BOUND, SERVED } structure;

/* Computes the matrices of the head of this file at (t, x) and, for the derivatives, z (NULL:
 * z0). */
static structure find_structure(zw_flow *flow, double t, const double *x, const double *z) {
    zw_num_massless *m = flow->massless;
    int nv = flow->k->nv;
    find_null_vectors(flow, t, x);
    int d = m->d;
    differentiate_rows(flow, t, x, z ? z : m->z0);
    if (d == 0) {
        m->e = 0;
        return REGULAR;
    }
    for (int i = 0; i < d; i++)
        m->scale[i] = row_along_V(flow, m->A_v + i * nv, m->S1 + i * d);
    /* the left null vectors of A_v V, for rows that are not scaled */
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++)
            m->copy[j * d + i] = m->S1[i * d + j];
    m->e = zw_num_null_basis(d, d, m->copy, PIVOT_ZERO, m->L, m->order);
    for (int e = 0; e < m->e; e++)
        for (int i = 0; i < d; i++)
            m->L[e * d + i] *= m->scale[i] > 0 ? m->scale[i] : 1;
    mark_followers(flow);
    memcpy(m->D, m->S1, sizeof(double) * (size_t)(d * d));
    for (int e = 0; e < m->e; e++) {
        if (binds_velocities(flow, e))
            return BOUND;
        if (binds_states(flow, e))
            return SERVED;
        row_of_positions(flow, e);
        m->scale[d + e] = row_along_V(flow, flow->spare, m->D + (d + e) * d);
    }
    int rank = zw_num_rows_factor(d + m->e, d, m->D, 0, PIVOT_ZERO, m->tau, m->order);
    return rank == d ? SOLVABLE : UNDETERMINED;
}

static zw_status report_singular(zw_flow *flow, structure found, double t, zw_error *err) {
    const zw_num_massless *m = flow->massless;
    int index = 0;
    for (int i = 1; i < flow->k->nv; i++)
        if (fabs(m->Z[i]) > fabs(m->Z[index]))
            index = i;
    zw_num_fault(flow, ZW_FAULT_MASS, index, t, 0);
    zw_fail(err, ZW_E_SINGULAR,
            "the mass matrix is singular at t = %.10g: velocity %d has no inertia, and %s", t,
            index + 1,
            found == BOUND ? "its equation binds other velocities instead of its own"
            : found == SERVED
                ? "its equation holds a state whose rate holds velocities"
                : "neither its velocity nor its coordinate follows from its equation");
    zw_error_hint(err, "give it a mass, a damper or a spring, or constrain it");
    return ZW_E_SINGULAR;
}

/* c with D c = right (d + e), the rows in the scale of D */
static void solve_D(zw_num_massless *m) {
    for (int i = 0; i < m->d + m->e; i++)
        m->right[i] *= m->scale[i];
    zw_num_rows_solve(m->d, m->D, m->d, m->tau, m->order, m->right, m->c);
}

/* ---- external functions ---- */

zw_status zw_num_massless_find(zw_flow *flow, double t, const double *x, zw_error *err) {
    if (!flow->massless)
        ZW_TRY(create_massless(flow, err));
    structure found = find_structure(flow, t, x, NULL);
    if (found == SOLVABLE)
        return ZW_OK;
    zw_status status = found == REGULAR ? ZW_OK : report_singular(flow, found, t, err);
    zw_num_massless_destroy(flow);
    return status;
}

bool zw_num_massless_follows(const zw_flow *flow, int velocity) {
    return flow->massless && flow->massless->follows[velocity];
}

/* step of the coordinates that follow from L's = 0; returns the largest change, relative to each
 * entry, so that a large entry does not weaken the test of the others */
static double move_positions(zw_flow *flow, double *x) {
    zw_num_massless *m = flow->massless;
    int nq = flow->k->nq, nv = flow->k->nv, nz = flow->k->nz;
    memset(m->right, 0, sizeof(double) * (size_t)m->d);
    for (int e = 0; e < m->e; e++)
        m->right[m->d + e] = -dot(m->d, m->L + e * m->d, m->s);
    solve_D(m);
    double largest = 0;
    for (int i = 0; i < nq; i++) {
        double change = 0;
        for (int j = 0; j < m->d; j++)
            change += m->c[j] * dot(nv, m->F + i * nv, m->Z + j * nz);
        x[i] += change;
        largest = fmax(largest, fabs(change) / (1 + fabs(x[i])));
    }
    return largest;
}

/* the same for the velocities along V, from s = 0 and the derivative of L's = 0 */
static double move_velocities(zw_flow *flow, double *x) {
    zw_num_massless *m = flow->massless;
    int nq = flow->k->nq, nv = flow->k->nv, nz = flow->k->nz;
    set_drift(flow, m->z0, m->drift);
    for (int i = 0; i < m->d; i++)
        m->right[i] = -m->s[i];
    for (int e = 0; e < m->e; e++)
        m->right[m->d + e] = -dot(m->d, m->L + e * m->d, m->drift);
    solve_D(m);
    double largest = 0;
    for (int i = 0; i < nv; i++) {
        double change = 0;
        for (int j = 0; j < m->d; j++)
            change += m->c[j] * m->Z[j * nz + i];
        x[nq + i] += change;
        largest = fmax(largest, fabs(change) / (1 + fabs(x[nq + i])));
    }
    return largest;
}

static double largest_entry(int n, const double *x) {
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]));
    return largest;
}

static zw_status not_satisfied(zw_flow *flow, double t, zw_error *err) {
    zw_num_fault(flow, ZW_FAULT_MASS, -1, t, flow->massless->s[0]);
    zw_fail(err, ZW_E_START,
            "the forces on the velocities without inertia cannot be balanced at t = %.10g: %.6g "
            "is left",
            t, largest_entry(flow->massless->d, flow->massless->s));
    zw_error_hint(err, "give a start value nearer to the balance");
    return ZW_E_START;
}

zw_status zw_num_massless_settle(zw_flow *flow, double t, double *x, zw_error *err) {
    if (!flow->massless)
        return ZW_OK;
    const zw_num_massless *m = flow->massless;
    double moved = INFINITY;
    for (int i = 0; i < ITERATIONS; i++) {
        structure found = find_structure(flow, t, x, NULL);
        if (found == REGULAR) /* K has become regular meanwhile */
            return ZW_OK;
        if (found != SOLVABLE)
            return report_singular(flow, found, t, err);
        double before = moved;
        moved = m->e > 0 ? move_positions(flow, x) : 0;
        if (moved > 0)
            differentiate_rows(flow, t, x, m->z0);
        moved = fmax(moved, move_velocities(flow, x));
        if (!isfinite(moved))
            return not_satisfied(flow, t, err);
        if (zw_num_has_constraints(flow->k))
            ZW_TRY(zw_num_project(flow, t, x, NULL, err));
        if (moved <= STEP_CONVERGED || (moved <= STEP_ACCEPTED && moved >= before / 2))
            return ZW_OK;
    }
    return moved <= STEP_ACCEPTED ? ZW_OK : not_satisfied(flow, t, err);
}

/* the rows L'drift a time `later` along the motion, with the null vectors of the present state */
static void drift_later(zw_flow *flow, double t, const double *x, double later, double *drift) {
    zw_num_massless *m = flow->massless;
    int nq = flow->k->nq;
    for (int i = 0; i < flow->k->nx; i++)
        m->shifted[i] = x[i] + later * (i < nq ? flow->qdot[i] : m->z0[i - nq]);
    differentiate_rows(flow, t + later, m->shifted, m->z0);
    set_drift(flow, m->z0, drift);
}

/* a time in which no entry of the state changes by more than its own size */
static double time_scale(const zw_flow *flow, const double *x) {
    const zw_num_massless *m = flow->massless;
    const zw_kernel *k = flow->k;
    double scale = INFINITY;
    for (int i = 0; i < k->nx; i++) {
        double rate = i < k->nq ? m->qdot[i] : m->z0[i - k->nq];
        scale = fmin(scale, (1 + fabs(x[i])) / (1 + fabs(rate)));
    }
    return scale;
}

/* rates along V that follow from the second derivative of L's: right sides d .. d + e */
static void second_derivative(zw_flow *flow, double t, const double *x) {
    zw_num_massless *m = flow->massless;
    const zw_kernel *k = flow->k;
    memcpy(flow->qdot, m->qdot, sizeof(double) * (size_t)k->nq);
    double later = cbrt(DBL_EPSILON) * time_scale(flow, x);
    drift_later(flow, t, x, later, m->ahead);
    drift_later(flow, t, x, -later, m->behind);
    for (int e = 0; e < m->e; e++) {
        const double *L = m->L + e * m->d;
        m->right[m->d + e] = -(dot(m->d, L, m->ahead) - dot(m->d, L, m->behind)) / (2 * later);
    }
}

zw_status zw_num_massless_rates(zw_flow *flow, double t, const double *x, double *qdot, double *z,
                                zw_error *err) {
    zw_num_massless *m = flow->massless;
    const zw_kernel *k = flow->k;
    const double *from = NULL;
    double change = INFINITY;
    /* r is linear in z, so A depends on c: usually not at all, as K is constant along Z */
    for (int i = 0; i < ITERATIONS && change > RATES_CONVERGED; i++) {
        structure found = find_structure(flow, t, x, from);
        if (found != SOLVABLE && found != REGULAR)
            return report_singular(flow, found, t, err);
        set_drift(flow, m->z0, m->drift);
        memcpy(qdot, m->qdot, sizeof(double) * (size_t)k->nq);
        if (m->e > 0)
            second_derivative(flow, t, x);
        for (int j = 0; j < m->d; j++)
            m->right[j] = -m->drift[j];
        solve_D(m);
        change = 0;
        for (int j = 0; j < k->nz; j++) {
            double value = m->z0[j];
            for (int n = 0; n < m->d; n++)
                value += m->c[n] * m->Z[n * k->nz + j];
            change = fmax(change, from ? fabs(value - z[j]) / (1 + fabs(value)) : INFINITY);
            z[j] = value;
        }
        from = z;
    }
    for (int j = 0; j < k->nz; j++)
        if (!isfinite(z[j]))
            return zw_fail(err, ZW_E_NONFINITE,
                           "the rate of a velocity without inertia is not finite at t = %.10g", t);
    return ZW_OK;
}
