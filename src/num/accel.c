/* SPDX-License-Identifier: MIT */
/* Accelerations and multipliers at a state:
 *
 *     [ M  -C ] [ v'     ]   [ h ]
 *     [ W   0 ] [ lambda ] = [ b ],        K z = (h, b)
 *
 * either by the kernel's generated code (rhs) or here, from the matrices, by LU with partial
 * pivoting. K carries units, so it is scaled first: velocities by s_i = M_ii^(-1/2) (where M is no
 * mass matrix, its columns and then its rows by their largest entries), constraint rows by the
 * inverse length r_k of W_k S. The pivots of the scaled matrix are pure numbers and their ratio tells
 * singularity whatever the units are.
 *
 * When generated code reports a bad pivot or gives no finite values, the matrices have the last word:
 * they need no positive definite M, only a regular K, and if that fails too they tell which row is at
 * fault.
 *
 * With inequalities among the rows the minimisation of Gauss's principle (gauss_qp.c) tells which of
 * them hold as equations; the others have lambda = 0, and K is solved for these.
 *
 * The Jacobian follows from the residual r = (M v' - h - C lambda, W v' - b), which stays zero:
 *     K dz/dx = -dr/dx. */
#include <math.h>
#include <string.h>

#include "gauss_qp.h"
#include "internal.h"
#include "linalg.h"

/* a row of W at this angle to the others makes a pivot of its square in W M^-1 W' */
#define DEPENDENT_ROW 1e-6
#define DEPENDENT_COLUMN 1e-10

void zw_num_fault(zw_run *run, zw_fault_kind kind, int index, double t, double value) {
    run->fault_has_state = false;
    run->fault = (zw_run_fault){kind, index, t, value};
}

zw_status zw_num_pass_on(const zw_error *trouble, zw_error *err) {
    /* a projection that fails on the way is no fault of the start */
    zw_status status = trouble->status == ZW_E_START ? ZW_E_NUMERIC : trouble->status;
    zw_fail(err, status, "%s", trouble->text);
    if (trouble->hint[0] && status == trouble->status)
        zw_error_hint(err, "%s", trouble->hint);
    return status;
}

/* entry i of (q', z) is the rate of state i as long as i < nx */
static zw_status not_finite(zw_run *run, int i, double t, zw_error *err) {
    const zw_kernel *k = run->k;
    zw_num_fault(run, ZW_FAULT_STATE, i < k->nx ? i : -1, t, NAN);
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

/* of n values that begin with entry `first` of (q', z) */
static zw_status check_finite(zw_run *run, double t, int first, int n, const double *values,
                              zw_error *err) {
    for (int i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return not_finite(run, first + i, t, err);
    return ZW_OK;
}

static bool all_finite(int n, const double *values) {
    for (int i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

/* the slices of the kernel's mats */
typedef struct mats {
    const double *M, *h, *C, *W, *b, *qdot; /* qdot only where nothing is unrolled */
} mats;

static mats call_mats(zw_run *run, double t, const double *x) {
    const zw_kernel *k = run->k;
    zw_call(&k->mats, &t, x, NULL, run->cache, run->out, run->work);
    mats a;
    a.M = run->out;
    a.h = a.M + k->nv * k->nv;
    a.C = a.h + k->nv;
    a.W = a.C + k->nv * k->nc;
    a.b = a.W + k->nc * k->nv;
    a.qdot = a.b + k->nc;
    return a;
}

static double inverse_or_one(double length) {
    return length > 0 && isfinite(length) ? 1 / length : 1;
}

/* scales of a mass matrix: the same for rows and columns, by its diagonal */
static void scale_symmetric(zw_run *run, const double *M) {
    int nv = run->k->nv;
    for (int i = 0; i < nv; i++)
        run->scale[i] = run->row[i] = inverse_or_one(sqrt(fabs(M[i * nv + i])));
}

/* scales of any matrix: columns by their largest entry, then rows */
static void scale_unsymmetric(zw_run *run, const double *M) {
    int nv = run->k->nv;
    for (int j = 0; j < nv; j++) {
        double most = 0;
        for (int i = 0; i < nv; i++)
            most = fmax(most, fabs(M[i * nv + j]));
        run->scale[j] = inverse_or_one(most);
    }
    for (int i = 0; i < nv; i++) {
        double most = 0;
        for (int j = 0; j < nv; j++)
            most = fmax(most, fabs(M[i * nv + j]) * run->scale[j]);
        run->row[i] = inverse_or_one(most);
    }
}

static void assemble(zw_run *run, const mats *a) {
    int nv = run->k->nv, nc = run->k->nc, nz = nv + nc;
    const double *s = run->scale, *t = run->row;
    if (run->k->unsymmetric)
        scale_unsymmetric(run, a->M);
    else
        scale_symmetric(run, a->M);
    for (int k = 0; k < nc; k++) {
        double sum = 0;
        for (int i = 0; i < nv; i++)
            sum += a->W[k * nv + i] * s[i] * a->W[k * nv + i] * s[i];
        run->scale[nv + k] = run->row[nv + k] = inverse_or_one(sqrt(sum));
    }
    for (int i = 0; i < nv; i++) {
        for (int j = 0; j < nv; j++)
            run->K[i * nz + j] = t[i] * a->M[i * nv + j] * s[j];
        for (int k = 0; k < nc; k++)
            run->K[i * nz + nv + k] = -t[i] * a->C[i * nc + k] * s[nv + k];
    }
    for (int k = 0; k < nc; k++) {
        for (int j = 0; j < nv; j++)
            run->K[(nv + k) * nz + j] = t[nv + k] * a->W[k * nv + j] * s[j];
        for (int l = 0; l < nc; l++)
            run->K[(nv + k) * nz + nv + l] = 0;
    }
}

static int largest(int n, const double *a) {
    int best = 0;
    for (int i = 1; i < n; i++)
        if (fabs(a[i]) > fabs(a[best]))
            best = i;
    return best;
}

/* is the scaled mass matrix, the leading block of K, positive definite? Uses run->L. */
static bool has_regular_mass(zw_run *run) {
    int nv = run->k->nv, nz = run->k->nz;
    for (int i = 0; i < nv; i++)
        memcpy(run->L + i * nv, run->K + i * nz, sizeof(double) * (size_t)nv);
    return zw_num_metric(nv, run->L) == 0;
}

/* The first constraint row that depends on the others, -1 if none does; their rank. */
static int dependent_row(zw_run *run, int *rank) {
    int nv = run->k->nv, nc = run->k->nc, nz = run->k->nz;
    memcpy(run->sides, run->K + nv * nz, sizeof(double) * (size_t)(nc * nz));
    *rank = zw_num_rows_factor(nc, nz, run->sides, 0, DEPENDENT_ROW, run->spare, run->pivot);
    return *rank < nc ? run->pivot[*rank] : -1;
}

/* The null vector of K, in run->spare: a combination of its columns that vanishes. */
static void find_null_vector(zw_run *run) {
    int nz = run->k->nz;
    for (int i = 0; i < nz; i++)
        for (int j = 0; j < nz; j++)
            run->sides[j * nz + i] = run->K[i * nz + j];
    int rank = zw_num_rows_factor(nz, nz, run->sides, 0, DEPENDENT_COLUMN, run->spare, run->pivot);
    zw_num_rows_dependence(nz, nz, run->sides, rank < nz ? rank : nz - 1, run->pivot, run->spare);
}

/* Which row makes K singular: a constraint that depends on others, a velocity without inertia, or
 * forces that grow with the multipliers. */
static zw_status diagnose(zw_run *run, double t, const mats *a, double ratio, zw_error *err) {
    int nv = run->k->nv, nc = run->k->nc, rank;
    assemble(run, a);
    int row = dependent_row(run, &rank);
    if (row >= 0) {
        zw_num_fault(run, ZW_FAULT_CONSTRAINT, row, t, ratio);
        zw_fail(err, ZW_E_SINGULAR,
                "the constraints lost rank at t = %.10g: row %d depends on the others (%d of %d "
                "rows are independent, pivot ratio %.2g)",
                t, row + 1, rank, nc, ratio);
        zw_error_hint(err, "switch a redundant constraint off, or start away from this position");
        return ZW_E_SINGULAR;
    }
    bool regular_mass = nc > 0 && has_regular_mass(run);
    find_null_vector(run);
    if (regular_mass) {
        row = largest(nc, run->spare + nv);
        zw_num_fault(run, ZW_FAULT_CONSTRAINT, row, t, ratio);
        return zw_fail(err, ZW_E_SINGULAR,
                       "forces that depend on constraint forces leave the multiplier of row %d "
                       "undetermined at t = %.10g (pivot ratio %.2g)",
                       row + 1, t, ratio);
    }
    row = largest(nv, run->spare);
    zw_num_fault(run, ZW_FAULT_MASS, row, t, ratio);
    zw_fail(err, ZW_E_SINGULAR,
            "the mass matrix is singular at t = %.10g: velocity %d has no inertia (pivot ratio "
            "%.2g)",
            t, row + 1, ratio);
    zw_error_hint(err,
                  "give it a mass, or constrain it; with a damper or a spring method ida will do");
    return ZW_E_SINGULAR;
}

/* row of K replaced by lambda = 0 */
static void leave_out(zw_run *run, int row) {
    int nv = run->k->nv, nz = run->k->nz;
    run->left_out[row] = 1;
    memset(run->K + (nv + row) * nz, 0, sizeof(double) * (size_t)nz);
    for (int i = 0; i < nv; i++)
        run->K[i * nz + nv + row] = 0;
    run->K[(nv + row) * nz + nv + row] = 1;
}

/* Redundant constraints: rows of the scaled K that depend on others are left out. What remains
 * determines the same accelerations (Udwadia and Kalaba's pseudo-inverse), and one of the many sets of
 * multipliers. */
static void leave_out_dependent_rows(zw_run *run) {
    int nc = run->k->nc, rank;
    memset(run->left_out, 0, sizeof(int) * (size_t)nc);
    dependent_row(run, &rank);
    for (int k = rank; k < nc; k++)
        leave_out(run, run->pivot[k]);
}

/* Inequalities: the minimisation tells which rows hold as equations, the others are left out. */
static zw_status leave_out_inactive_rows(zw_run *run, double t, const mats *a, zw_error *err) {
    const zw_kernel *k = run->k;
    zw_num_gauss problem = {k->nv, k->nc, a->M, a->h, a->W, a->b, k->inequality};
    int row = -1;
    ZW_TRY(check_finite(run, t, k->nq, k->nv, a->h, err));
    ZW_TRY(check_finite(run, t, k->nx, k->nc, a->b, err));
    switch (zw_num_gauss_solve(&problem, run->spare, run->spare + k->nv, run->left_out, &row,
                               run->gauss, run->gauss_places)) {
    case ZW_GAUSS_MASS:
        zw_num_fault(run, ZW_FAULT_MASS, -1, t, 0);
        return zw_fail(err, ZW_E_SINGULAR,
                       "the Zwang has no minimum: the mass matrix is not positive definite at "
                       "t = %.10g",
                       t);
    case ZW_GAUSS_CONTRADICTION:
        zw_num_fault(run, ZW_FAULT_CONSTRAINT, row, t, 0);
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
    for (int i = 0; i < k->nc; i++) {
        bool active = run->left_out[i];
        run->left_out[i] = 0;
        if (!active)
            leave_out(run, i);
    }
    return ZW_OK;
}

/* z from the matrices; K stays factorised in run->K */
static zw_status solve(zw_run *run, double t, const mats *a, double *z, zw_error *err) {
    const zw_kernel *k = run->k;
    assemble(run, a);
    if (k->inequality)
        ZW_TRY(leave_out_inactive_rows(run, t, a, err));
    else if (k->pseudo)
        leave_out_dependent_rows(run);
    double ratio = zw_num_lu(k->nz, run->K, run->pivot);
    if (ratio < zw_num_pivot_floor(k->nz))
        return diagnose(run, t, a, ratio, err);
    for (int i = 0; i < k->nv; i++)
        z[i] = run->row[i] * a->h[i];
    for (int i = 0; i < k->nc; i++)
        z[k->nv + i] = k->pseudo && run->left_out[i] ? 0 : run->row[k->nv + i] * a->b[i];
    zw_num_lu_solve(k->nz, run->K, run->pivot, 1, z);
    for (int i = 0; i < k->nz; i++)
        z[i] *= run->scale[i];
    return check_finite(run, t, k->nq, k->nz, z, err);
}

void zw_num_assemble(zw_run *run, double t, const double *x, double *right) {
    const zw_kernel *k = run->k;
    mats a = call_mats(run, t, x);
    assemble(run, &a);
    for (int i = 0; i < k->nz; i++)
        right[i] = run->row[i] * (i < k->nv ? a.h[i] : a.b[i - k->nv]);
}

static zw_status accel(zw_run *run, double t, const double *x, double *qdot, double *z,
                       zw_error *err) {
    const zw_kernel *k = run->k;
    if (run->massless)
        return zw_num_massless_rates(run, t, x, qdot, z, err);
    if (k->unrolled) {
        zw_call(&k->rhs, &t, x, NULL, run->cache, run->out, run->work);
        memcpy(qdot, run->out, sizeof(double) * (size_t)k->nq);
        ZW_TRY(check_finite(run, t, 0, k->nq, qdot, err));
        double quality = run->out[k->nq + k->nz];
        if (quality >= zw_num_pivot_floor(k->nz) && all_finite(k->nz, run->out + k->nq)) {
            memcpy(z, run->out + k->nq, sizeof(double) * (size_t)k->nz);
            return ZW_OK;
        }
    }
    mats a = call_mats(run, t, x);
    if (!k->unrolled) {
        memcpy(qdot, a.qdot, sizeof(double) * (size_t)k->nq);
        ZW_TRY(check_finite(run, t, 0, k->nq, qdot, err));
    }
    return solve(run, t, &a, z, err);
}

zw_status zw_num_accel(zw_run *run, double t, const double *x, double *qdot, double *z,
                       zw_error *err) {
    zw_status status = accel(run, t, x, qdot, z, err);
    if (status < 0) {
        memcpy(run->fault_x, x, sizeof(double) * (size_t)run->k->nx);
        run->fault_has_state = true;
    }
    return status;
}

zw_status zw_num_jacobian(zw_run *run, double t, const double *x, double *J, int ld,
                          zw_error *err) {
    const zw_kernel *k = run->k;
    int nq = k->nq, nv = k->nv, nx = k->nx, nz = k->nz;
    mats a = call_mats(run, t, x);
    ZW_TRY(solve(run, t, &a, run->spare, err));
    zw_call(&k->jac, &t, x, run->spare, run->cache, run->out, run->work);
    const double *dqdot = run->out, *dr = dqdot + nq * nx;
    for (int j = 0; j < nx; j++)
        for (int i = 0; i < nz; i++)
            run->sides[j * nz + i] =
                i >= nv && k->pseudo && run->left_out[i - nv] ? 0 : -run->row[i] * dr[i * nx + j];
    zw_num_lu_solve(nz, run->K, run->pivot, nx, run->sides);
    for (int j = 0; j < nx; j++) {
        double *column = J + (size_t)j * (size_t)ld;
        for (int i = 0; i < nq; i++)
            column[i] = dqdot[i * nx + j];
        for (int i = 0; i < nv; i++)
            column[nq + i] = run->scale[i] * run->sides[j * nz + i];
    }
    return ZW_OK;
}
