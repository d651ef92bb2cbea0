/* SPDX-License-Identifier: MIT */
/* Accelerations and multipliers at a state:
 *
 *     [ M  -C ] [ v'     ]   [ h ]
 *     [ W   0 ] [ lambda ] = [ b ],        K z = (h, b)
 *
 * either by the kernel's generated code (rhs) or here, from the matrices, by LU with partial
 * pivoting. K carries units, so it is scaled first: velocities by s_i = M_ii^(-1/2) (where M is no
 * mass matrix, its columns and then its rows by their largest entries), constraint rows by the
 * inverse length r_k of W_k S. The pivots of the scaled matrix are pure numbers, and their ratio
 * shows singularity in any units.
 *
 * If generated code reports a bad pivot or gives values that are not finite, the matrices decide:
 * they need no positive definite M, only a regular K, and if that fails too they show which row is
 * at fault.
 *
 * Rows of W that depend on others are left out if the equations allow it (pseudo kernels), with
 * lambda = 0. That is one of many sets of multipliers and the only motion, if C n = 0 for all n
 * with W'n = 0. If forces depend on multipliers, C = W' + X, this is checked: the accelerations
 * caused by lambda_r = 1 of a row left out, while the other rows keep W v' unchanged, must vanish.
 * Otherwise the motion depends on how the constraints share their forces, which is undetermined.
 *
 * With inequalities among the rows the minimisation of Gauss's principle (gauss_qp.c) determines
 * which of them are active; the others have lambda = 0, and K is solved for the active ones.
 *
 * The Jacobian follows from the residual r = (M v' - h - C lambda, W v' - b), which stays zero:
 *     K dz/dx = -dr/dx. */
#include <math.h>
#include <string.h>

#include "base/interrupt.h"
#include "flow.h"
#include "num/events/slide.h"
#include "num/linear/gauss_qp.h"
#include "num/linear/linalg.h"

/* Angle of a row of W to the others below which it is dependent: its pivot in W M^-1 W' is the
 * square of the angle, 1e-12, which is round-off of a sum. */
#define DEPENDENT_ROW 1e-6
/* of K, scaled: a null vector is known to round-off of its solution */
#define DEPENDENT_COLUMN 1e-10
/* Accelerations by a multiplier of a dependent row, relative to those by it alone, that are 0: rows
 * at an angle of DEPENDENT_ROW cause up to a tenth of this. */
#define SHARED_FORCE (10 * DEPENDENT_ROW)
/* Residual of an equation left out that is a contradiction: states within a step, which are
 * slightly off the constraints, have much smaller ones. */
#define CONTRADICTION 0.1

void zw_num_fault(zw_flow *flow, zw_fault_kind kind, int index, double t, double value) {
    flow->fault_has_state = false;
    flow->fault = (zw_fault){kind, index, t, value};
}

/* for i < nx entry i of (q', z) is the rate of state i */
static zw_status not_finite(zw_flow *flow, int i, double t, zw_error *err) {
    const zw_kernel *k = flow->k;
    zw_num_fault(flow, ZW_FAULT_STATE, i < k->nx ? i : -1, t, NAN);
    if (i < k->nq)
        return zw_fail(err, ZW_E_NONFINITE, "the rate of coordinate %d is not finite at t = %.10g",
                       i + 1, t);
    if (i < k->nx)
        return zw_fail(err, ZW_E_NONFINITE, "the rate of velocity %d is not finite at t = %.10g",
                       i - k->nq + 1, t);
    return zw_fail(err, ZW_E_NONFINITE,
                   "the multiplier of constraint row %d is not finite at t = %.10g", i - k->nx + 1,
                   t);
}

/* checks n values from entry `first` of (q', z) */
static zw_status check_finite(zw_flow *flow, double t, int first, int n, const double *values,
                              zw_error *err) {
    for (int i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return not_finite(flow, first + i, t, err);
    return ZW_OK;
}

bool zw_num_all_finite(int n, const double *values) {
    for (int i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

static double inverse_or_one(double length) {
    return length > 0 && isfinite(length) ? 1 / length : 1;
}

/* scales of a mass matrix: the same for rows and columns, by its diagonal */
static void scale_symmetric(zw_flow *flow, const double *M) {
    int nv = flow->k->nv;
    for (int i = 0; i < nv; i++)
        flow->scale[i] = flow->row[i] = inverse_or_one(sqrt(fabs(M[i * nv + i])));
}

/* scales of any matrix: columns by their largest entry, then rows */
static void scale_unsymmetric(zw_flow *flow, const double *M) {
    int nv = flow->k->nv;
    for (int j = 0; j < nv; j++) {
        double most = 0;
        for (int i = 0; i < nv; i++)
            most = fmax(most, fabs(M[i * nv + j]));
        flow->scale[j] = inverse_or_one(most);
    }
    for (int i = 0; i < nv; i++) {
        double most = 0;
        for (int j = 0; j < nv; j++)
            most = fmax(most, fabs(M[i * nv + j]) * flow->scale[j]);
        flow->row[i] = inverse_or_one(most);
    }
}

static void assemble_matrix(zw_flow *flow, const zw_mats_parts *a) {
    int nv = flow->k->nv, nc = flow->k->nc, nz = nv + nc;
    const double *s = flow->scale, *t = flow->row;
    if (flow->k->unsymmetric)
        scale_unsymmetric(flow, a->M);
    else
        scale_symmetric(flow, a->M);
    for (int k = 0; k < nc; k++) {
        double sum = 0;
        for (int i = 0; i < nv; i++)
            sum += a->W[k * nv + i] * s[i] * a->W[k * nv + i] * s[i];
        flow->scale[nv + k] = flow->row[nv + k] = inverse_or_one(sqrt(sum));
    }
    for (int i = 0; i < nv; i++) {
        for (int j = 0; j < nv; j++)
            flow->K[i * nz + j] = t[i] * a->M[i * nv + j] * s[j];
        for (int k = 0; k < nc; k++)
            flow->K[i * nz + nv + k] = -t[i] * a->C[i * nc + k] * s[nv + k];
    }
    for (int k = 0; k < nc; k++) {
        for (int j = 0; j < nv; j++)
            flow->K[(nv + k) * nz + j] = t[nv + k] * a->W[k * nv + j] * s[j];
        for (int l = 0; l < nc; l++)
            flow->K[(nv + k) * nz + nv + l] = 0;
    }
}

static int largest_index(int n, const double *a) {
    int best = 0;
    for (int i = 1; i < n; i++)
        if (fabs(a[i]) > fabs(a[best]))
            best = i;
    return best;
}

/* is the scaled mass matrix, the leading block of K, positive definite? Uses flow->L. */
static bool has_regular_mass(zw_flow *flow) {
    int nv = flow->k->nv, nz = flow->k->nz;
    for (int i = 0; i < nv; i++)
        memcpy(flow->L + i * nv, flow->K + i * nz, sizeof(double) * (size_t)nv);
    return zw_num_metric(nv, flow->L) == 0;
}

/* the rank of the first n constraint rows */
static int rank_of_rows(zw_flow *flow, int n) {
    int nv = flow->k->nv, nz = flow->k->nz;
    memcpy(flow->sides, flow->K + nv * nz, sizeof(double) * (size_t)(n * nz));
    return zw_num_rows_factor(n, nz, flow->sides, 0, DEPENDENT_ROW, flow->spare, flow->pivot);
}

/* The first constraint row that depends on those before it (`zwang check` calls it redundant), -1
 * if none does; *rank: the rank of all. */
static int dependent_row(zw_flow *flow, int *rank) {
    int nc = flow->k->nc;
    *rank = rank_of_rows(flow, nc);
    for (int n = 1; n <= nc && *rank < nc; n++)
        if (rank_of_rows(flow, n) < n)
            return n - 1;
    return -1;
}

/* The null vector of K, in flow->spare: a combination of its columns that vanishes. */
static void find_null_vector(zw_flow *flow) {
    int nz = flow->k->nz;
    for (int i = 0; i < nz; i++)
        for (int j = 0; j < nz; j++)
            flow->sides[j * nz + i] = flow->K[i * nz + j];
    int rank =
        zw_num_rows_factor(nz, nz, flow->sides, 0, DEPENDENT_COLUMN, flow->spare, flow->pivot);
    zw_num_rows_dependence(nz, nz, flow->sides, rank < nz ? rank : nz - 1, flow->pivot,
                           flow->spare);
}

/* replaces a row of K by lambda = 0 */
static void leave_out(zw_flow *flow, int row) {
    int nv = flow->k->nv, nz = flow->k->nz;
    flow->left_out[row] = 1;
    memset(flow->K + (nv + row) * nz, 0, sizeof(double) * (size_t)nz);
    for (int i = 0; i < nv; i++)
        flow->K[i * nz + nv + row] = 0;
    flow->K[(nv + row) * nz + nv + row] = 1;
}

/* Finds the reason for a singular K: a constraint that depends on others, a velocity without
 * inertia, or forces that grow with the multipliers. */
static zw_status diagnose_singular(zw_flow *flow, double t, const zw_mats_parts *a, double ratio,
                                   zw_error *err) {
    int nv = flow->k->nv, nc = flow->k->nc, rank;
    assemble_matrix(flow, a);
    for (int r = 0; flow->k->pseudo && r < nc; r++)
        if (flow->left_out[r])
            leave_out(flow, r);
    int row = flow->k->pseudo ? -1 : dependent_row(flow, &rank);
    if (row >= 0) {
        zw_num_fault(flow, ZW_FAULT_CONSTRAINT, row, t, ratio);
        zw_fail(
            err, ZW_E_SINGULAR,
            "the constraints lost rank at t = %.10g: one of them depends on those before it (%d of "
            "%d rows are independent, pivot ratio %.2g)",
            t, rank, nc, ratio);
        zw_error_hint(
            err, "switch one of them off or use --by gauss; if it is this position alone, start "
                 "away from it");
        return ZW_E_SINGULAR;
    }
    bool regular_mass = nc > 0 && has_regular_mass(flow);
    find_null_vector(flow);
    if (regular_mass) {
        row = largest_index(nc, flow->spare + nv);
        zw_num_fault(flow, ZW_FAULT_CONSTRAINT, row, t, ratio);
        return zw_fail(err, ZW_E_SINGULAR,
                       "forces that depend on constraint forces leave the multiplier of row %d "
                       "undetermined at t = %.10g (pivot ratio %.2g)",
                       row + 1, t, ratio);
    }
    row = largest_index(nv, flow->spare);
    zw_num_fault(flow, ZW_FAULT_MASS, row, t, ratio);
    zw_fail(err, ZW_E_SINGULAR,
            "the mass matrix is singular at t = %.10g: velocity %d has no inertia (pivot ratio "
            "%.2g)",
            t, row + 1, ratio);
    zw_error_hint(
        err, "give it a mass, or constrain it; with a damper or a spring --method ida will do");
    return ZW_E_SINGULAR;
}

/* the largest length of row c of W in this run */
static double reach_of(const zw_flow *flow, int c) {
    const zw_kernel *k = flow->k;
    for (int i = 0; i < k->nvel; i++)
        if ((k->vel_row ? k->vel_row[i] - k->nv : i) == c)
            return flow->reach[k->npos + i];
    return 0;
}

/* The rows of W in the metric of the masses, each by its length, in flow->sides. */
static void rows_in_metric(zw_flow *flow, const zw_mats_parts *a) {
    int nv = flow->k->nv, nc = flow->k->nc;
    memcpy(flow->L, a->M, sizeof(double) * (size_t)(nv * nv));
    zw_num_metric(nv, flow->L);
    for (int c = 0; c < nc; c++) {
        double *row = flow->sides + c * nv, sum = 0;
        memcpy(row, a->W + c * nv, sizeof(double) * (size_t)nv);
        zw_num_lower_solve(nv, flow->L, row);
        for (int i = 0; i < nv; i++)
            sum += row[i] * row[i];
        flow->unit[c] = inverse_or_one(fmax(sqrt(sum), reach_of(flow, c)));
        for (int i = 0; i < nv; i++)
            row[i] *= flow->unit[c];
        flow->size[c] = 1;
    }
}

/* the length of the remainder of a row after the rows that were taken, or of its own part if it was
 * taken */
static double part_of(const zw_flow *flow, int place, int rank) {
    int nv = flow->k->nv;
    const double *row = flow->sides + flow->pivot[place] * nv;
    if (place < rank)
        return fabs(row[place]);
    double sum = 0;
    for (int i = rank; i < nv; i++)
        sum += row[i] * row[i];
    return sqrt(sum);
}

/* Redundant constraints: rows of W that depend on others are left out. What remains determines the
 * same accelerations (Udwadia and Kalaba's pseudo-inverse), and one of the many sets of
 * multipliers. */
static void leave_out_dependent_rows(zw_flow *flow, const zw_mats_parts *a) {
    int nv = flow->k->nv, nc = flow->k->nc;
    memset(flow->left_out, 0, sizeof(int) * (size_t)nc);
    rows_in_metric(flow, a);
    int rank = zw_num_rows_factor_sized(nc, nv, flow->sides, 0, ZW_NUM_DEPENDENT_ROW, flow->size,
                                        flow->spare, flow->pivot);
    flow->clearance = 1;
    for (int k = 0; k < nc; k++) {
        double part = part_of(flow, k, rank);
        if (part > ZW_NUM_ALWAYS_DEPENDENT)
            flow->clearance = fmin(flow->clearance, part);
    }
    for (int k = rank; k < nc; k++)
        leave_out(flow, flow->pivot[k]);
}

/* Do the accelerations satisfy the equations that were left out as dependent? Derivatives of
 * constraints on positions and velocities are satisfied approximately if these are, except at
 * singular positions with impossible velocities; constraints on accelerations are checked only
 * here. Lengths of rows are in the metric of the masses, and values are compared with 1 at least,
 * below which everything is round-off. */
static zw_status check_left_out(zw_flow *flow, double t, const zw_mats_parts *a, const double *z,
                                zw_error *err) {
    const zw_kernel *k = flow->k;
    double tolerance = k->nc > k->nvel ? DEPENDENT_ROW : CONTRADICTION;
    for (int r = 0; r < k->nc; r++) {
        if (!flow->left_out[r] || (k->inequality && k->inequality[r] != 0))
            continue;
        double sum = -a->b[r], size = fabs(a->b[r]), row = flow->unit[r];
        for (int i = 0; i < k->nv; i++) {
            sum += a->W[r * k->nv + i] * z[i];
            size += fabs(a->W[r * k->nv + i] * z[i]);
        }
        if (row * fabs(sum) <= tolerance * (1 + row * size))
            continue;
        zw_num_fault(flow, ZW_FAULT_CONSTRAINT, r, t, 0);
        zw_fail(err, ZW_E_SINGULAR,
                "no acceleration satisfies the constraints at t = %.10g: row %d contradicts the "
                "others",
                t, r + 1);
        zw_error_hint(err, "switch one of the constraints off, or start away from this position");
        return ZW_E_SINGULAR;
    }
    return ZW_OK;
}

/* Does the motion depend on how dependent constraints share their forces? K must be factorised. */
static zw_status check_shares(zw_flow *flow, double t, const zw_mats_parts *a, zw_error *err) {
    const zw_kernel *k = flow->k;
    double *y = flow->sides;
    for (int r = 0; r < k->nc; r++) {
        double most = 0;
        if (!flow->left_out[r])
            continue;
        memset(y, 0, sizeof(double) * (size_t)k->nz);
        for (int i = 0; i < k->nv; i++)
            y[i] = flow->row[i] * a->C[i * k->nc + r] * flow->scale[k->nv + r];
        zw_num_lu_solve(k->nz, flow->K, flow->pivot, 1, y);
        for (int i = 0; i < k->nv; i++)
            most = fmax(most, fabs(y[i]));
        if (most <= SHARED_FORCE)
            continue;
        zw_num_fault(flow, ZW_FAULT_CONSTRAINT, r, t, most);
        zw_fail(err, ZW_E_SINGULAR,
                "the motion is not determined at t = %.10g: row %d depends on other constraints, "
                "so their multipliers are not unique, and forces depend on them",
                t, r + 1);
        zw_error_hint(err, "switch off the redundant constraints, or let the forces depend only on "
                           "multipliers that are unique");
        return ZW_E_SINGULAR;
    }
    return ZW_OK;
}

/* Inequalities: the minimisation determines the active rows, the others are left out. */
static zw_status leave_out_inactive_rows(zw_flow *flow, double t, const zw_mats_parts *a,
                                         zw_error *err) {
    const zw_kernel *k = flow->k;
    zw_num_gauss problem = {k->nv, k->nc, a->M, a->h, a->W, a->b, k->inequality};
    int row = -1;
    ZW_TRY(check_finite(flow, t, k->nq, k->nv, a->h, err));
    ZW_TRY(check_finite(flow, t, k->nx, k->nc, a->b, err));
    switch (zw_num_gauss_solve(&problem, flow->spare, flow->spare + k->nv, flow->left_out, &row,
                               flow->gauss, flow->gauss_places)) {
    case ZW_GAUSS_MASS:
        zw_num_fault(flow, ZW_FAULT_MASS, -1, t, 0);
        return zw_fail(err, ZW_E_SINGULAR,
                       "the Zwang has no minimum: the mass matrix is not positive definite at "
                       "t = %.10g",
                       t);
    case ZW_GAUSS_CONTRADICTION:
        zw_num_fault(flow, ZW_FAULT_CONSTRAINT, row, t, 0);
        return zw_fail(err, ZW_E_SINGULAR,
                       "no acceleration satisfies the constraints at t = %.10g: the inequality of "
                       "row %d contradicts the others",
                       t, row + 1);
    case ZW_GAUSS_LOST:
        return zw_fail(err, ZW_E_NUMERIC,
                       "the minimisation of the Zwang does not settle at t = %.10g", t);
    case ZW_GAUSS_SOLVED:
        break;
    }
    flow->clearance = 1; /* active rows come and go: there is no branch to follow */
    for (int i = 0; i < k->nc; i++) {
        bool active = flow->left_out[i];
        flow->left_out[i] = 0;
        flow->unit[i] = flow->row[k->nv + i];
        if (!active)
            leave_out(flow, i);
    }
    return ZW_OK;
}

/* computes z from the matrices; K remains factorised in flow->K */
static zw_status solve_rates(zw_flow *flow, double t, const zw_mats_parts *a, double *z,
                             zw_error *err) {
    const zw_kernel *k = flow->k;
    assemble_matrix(flow, a);
    if (k->inequality)
        ZW_TRY(leave_out_inactive_rows(flow, t, a, err));
    else if (k->pseudo)
        leave_out_dependent_rows(flow, a);
    double ratio = zw_num_lu(k->nz, flow->K, flow->pivot);
    if (ratio < zw_num_pivot_floor(k->nz))
        return diagnose_singular(flow, t, a, ratio, err);
    if (k->pseudo && k->tilted)
        ZW_TRY(check_shares(flow, t, a, err));
    for (int i = 0; i < k->nv; i++)
        z[i] = flow->row[i] * a->h[i];
    for (int i = 0; i < k->nc; i++)
        z[k->nv + i] = k->pseudo && flow->left_out[i] ? 0 : flow->row[k->nv + i] * a->b[i];
    zw_num_lu_solve(k->nz, flow->K, flow->pivot, 1, z);
    for (int i = 0; i < k->nz; i++)
        z[i] *= flow->scale[i];
    if (k->pseudo)
        ZW_TRY(check_left_out(flow, t, a, z, err));
    return check_finite(flow, t, k->nq, k->nz, z, err);
}

void zw_num_assemble(zw_flow *flow, double t, const double *x, double *right) {
    const zw_kernel *k = flow->k;
    zw_mats_parts a = zw_at_mats(flow, t, x, NULL);
    assemble_matrix(flow, &a);
    for (int i = 0; i < k->nz; i++)
        right[i] = flow->row[i] * (i < k->nv ? a.h[i] : a.b[i - k->nv]);
}

static zw_status evaluate_accel(zw_flow *flow, double t, const double *x, double *qdot, double *z,
                                zw_error *err) {
    const zw_kernel *k = flow->k;
    if (flow->massless)
        return zw_num_massless_rates(flow, t, x, qdot, z, err);
    bool generated = k->unrolled && (flow->functions & ZW_SET(RHS));
    if (generated) {
        zw_rhs_parts a = zw_at_rhs(flow, t, x, NULL); /* lambda follows accel, as in z */
        memcpy(qdot, a.qdot, sizeof(double) * (size_t)k->nq);
        ZW_TRY(check_finite(flow, t, 0, k->nq, qdot, err));
        if (*a.quality >= zw_num_pivot_floor(k->nz) && zw_num_all_finite(k->nz, a.accel)) {
            memcpy(z, a.accel, sizeof(double) * (size_t)k->nz);
            return ZW_OK;
        }
    }
    zw_mats_parts a = zw_at_mats(flow, t, x, NULL);
    if (!generated) {
        memcpy(qdot, a.qdot, sizeof(double) * (size_t)k->nq);
        ZW_TRY(check_finite(flow, t, 0, k->nq, qdot, err));
    }
    return solve_rates(flow, t, &a, z, err);
}

static zw_status pass_on(const zw_error *trouble, zw_error *err) {
    if (trouble->status < 0) {
        zw_fail(err, trouble->status, "%s", trouble->text);
        if (trouble->hint[0])
            zw_error_hint(err, "%s", trouble->hint);
    }
    return trouble->status;
}

/* A locked piece may be undefined beyond its end, for example in sqrt(abs(x)): there the kinks are
 * freed. */
static zw_status accel_of_pieces(zw_flow *flow, double t, const double *x, double *qdot, double *z,
                                 zw_error *err) {
    zw_error trouble = {0};
    zw_fault fault = flow->fault;
    ZW_TRY(zw_num_slide_check(flow, t, x, err));
    zw_status status = evaluate_accel(flow, t, x, qdot, z, flow->locked ? &trouble : err);
    if (!flow->locked || status >= 0)
        return status;
    if (status != ZW_E_NONFINITE || !zw_num_modes_loosen(flow))
        return pass_on(&trouble, err);
    flow->fault = fault;
    status = evaluate_accel(flow, t, x, qdot, z, err);
    zw_num_modes_tighten(flow);
    return status;
}

zw_status zw_num_accel(zw_flow *flow, double t, const double *x, double *qdot, double *z,
                       zw_error *err) {
    ZW_TRY(zw_interrupt_check(err));
    zw_status status = accel_of_pieces(flow, t, x, qdot, z, err);
    if (status < 0) {
        memcpy(flow->fault_x, x, sizeof(double) * (size_t)flow->k->nx);
        flow->fault_has_state = true;
    }
    return status;
}

zw_status zw_num_factorise(zw_flow *flow, double t, const double *x, double *z, zw_error *err) {
    ZW_TRY(zw_interrupt_check(err));
    if (flow->massless)
        return zw_fail(
            err, ZW_E_SINGULAR,
            "the rates have no derivatives by this way at t = %.10g: there are velocities "
            "without inertia",
            t);
    zw_mats_parts a = zw_at_mats(flow, t, x, NULL);
    return solve_rates(flow, t, &a, z, err);
}

void zw_num_implicit(zw_flow *flow, int m, int stride, const double *dr, int to, double *dz) {
    const zw_kernel *k = flow->k;
    int nv = k->nv, nz = k->nz, most = k->nx > nz ? k->nx : nz;
    for (int first = 0; first < m; first += most) {
        int n = m - first < most ? m - first : most;
        for (int j = 0; j < n; j++)
            for (int i = 0; i < nz; i++)
                flow->sides[j * nz + i] = i >= nv && k->pseudo && flow->left_out[i - nv]
                                              ? 0
                                              : -flow->row[i] * dr[i * stride + first + j];
        zw_num_lu_solve(nz, flow->K, flow->pivot, n, flow->sides);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < nz; i++)
                dz[i * to + first + j] = flow->scale[i] * flow->sides[j * nz + i];
    }
}

static zw_status evaluate_jacobian(zw_flow *flow, double t, const double *x, double *J, int ld,
                                   zw_error *err) {
    const zw_kernel *k = flow->k;
    int nq = k->nq, nv = k->nv, nx = k->nx, nz = k->nz;
    zw_mats_parts a = zw_at_mats(flow, t, x, NULL);
    ZW_TRY(solve_rates(flow, t, &a, flow->spare, err));
    zw_jac_parts d = zw_at_jac(flow, t, x, flow->spare);
    for (int j = 0; j < nx; j++)
        for (int i = 0; i < nz; i++)
            flow->sides[j * nz + i] = i >= nv && k->pseudo && flow->left_out[i - nv]
                                          ? 0
                                          : -flow->row[i] * d.dr_dx[i * nx + j];
    zw_num_lu_solve(nz, flow->K, flow->pivot, nx, flow->sides);
    for (int j = 0; j < nx; j++) {
        double *column = J + (size_t)j * (size_t)ld;
        for (int i = 0; i < nq; i++)
            column[i] = d.dqdot_dx[i * nx + j];
        for (int i = 0; i < nv; i++)
            column[nq + i] = flow->scale[i] * flow->sides[j * nz + i];
    }
    return ZW_OK;
}

static bool is_finite_matrix(int n, const double *J, int ld) {
    for (int j = 0; j < n; j++)
        if (!zw_num_all_finite(n, J + (size_t)j * (size_t)ld))
            return false;
    return true;
}

zw_status zw_num_jacobian(zw_flow *flow, double t, const double *x, double *J, int ld,
                          zw_error *err) {
    zw_error trouble = {0};
    if (flow->nslide > 0)
        return zw_num_slide_jacobian(flow, t, x, J, ld, err);
    zw_status status = evaluate_jacobian(flow, t, x, J, ld, flow->locked ? &trouble : err);
    if (!flow->locked || (status >= 0 && is_finite_matrix(flow->k->nx, J, ld)))
        return status;
    if (!zw_num_modes_loosen(flow)) /* beyond the end of a piece, see accel_of_pieces */
        return pass_on(&trouble, err);
    status = evaluate_jacobian(flow, t, x, J, ld, err);
    zw_num_modes_tighten(flow);
    return status;
}
