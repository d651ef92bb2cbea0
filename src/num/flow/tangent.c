/* SPDX-License-Identifier: MIT */
/* The manifold of the constraints g = (phi, (e.e - 1)/2, psi) at a point: its tangent space ker G,
 * and coordinates on it.
 *
 * A metric A = L L' of the state: the identity, or that of the masses: M for the velocities, and
 * for the coordinates the metric by their changes dq = F w,
 *
 *     A_q = F^+' M F^+ + (1 - F F^+),
 *
 * where F^+ = (F'F)^-1 F'; directions that no velocity reaches (the length of a quaternion, states
 * of first order) have the identity. With the rows of G L'^-1 factorised, the rest of the
 * orthogonal matrix is an orthonormal basis Y of their complement, and T = L'^-1 Y has T'A T = 1, G
 * T = 0. D = T'A is its inverse on the tangent space: D T = 1. Rows that depend on others are left
 * out.
 *
 * Local coordinates: y = D (x - x0). The state that belongs to y is found by Newton's method for D
 * (x - x0) = y, g(t, x) = 0, whose derivative is dx/dy with [D; G] dx/dy = [1; 0]. So the flow in y
 * is
 *
 *     y' = D f(t, x(t, y)),     dy'/dy = D (df/dx) dx/dy,
 *
 * for any D: a basis of the tangent space, or a choice of entries (partition.c). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/tolerance.h"
#include "num/linear/linalg.h"
#include "project.h"
#include "workspace.h"

enum { ITERATIONS = 50 };
/* sine of the angle between a row and those before it, as in project.c */
#define DEPENDENT_ROW 1e-10
/* Newton step of an entry of size 1 whose square, the next error, is below eps */
#define LAST_STEP 1e-9
/* Sine of the angle to a dependent row at which a direction leaves the constraints: above the
 * round-off of a solved direction (ZW_ROUNDOFF_SOLVED). */
#define OFF_TANGENT 1e-8

static size_t double_bytes(int n) {
    return sizeof(double) * (size_t)n;
}

int zw_flow_levels(const zw_flow *flow) {
    return zw_num_levels(flow->k);
}

/* ---- g and G ---- */

void zw_num_constraints(zw_flow *flow, double t, const double *x, double *g, double *G) {
    const zw_kernel *k = flow->k;
    int nx = k->nx, unit = k->npos, vel = k->npos + k->nunit;
    if (g && k->npos > 0)
        memcpy(g, zw_at_pos(flow, t, x, NULL).phi, double_bytes(k->npos));
    for (int u = 0; g && u < k->nunit; u++) {
        const double *e = x + k->unit[u];
        g[unit + u] = (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3] - 1) / 2;
    }
    if (G)
        memset(G, 0, double_bytes(zw_num_levels(k) * nx));
    if (k->nvel > 0) {
        zw_vel_parts a = zw_at_vel(flow, t, x, NULL);
        if (g)
            memcpy(g + vel, a.psi, double_bytes(k->nvel));
        for (int i = 0; G && i < k->nvel; i++)
            memcpy(G + (vel + i) * nx + k->nq, a.Psi + i * k->nv, double_bytes(k->nv));
    }
    if (!G)
        return;
    for (int u = 0; u < k->nunit; u++)
        memcpy(G + (unit + u) * nx + k->unit[u], x + k->unit[u], double_bytes(4));
    if (k->npos + k->nvel == 0)
        return;
    zw_grad_parts a = zw_at_grad(flow, t, x, NULL);
    for (int i = 0; i < k->npos; i++)
        memcpy(G + i * nx, a.dphi_dq + i * k->nq, double_bytes(k->nq));
    for (int i = 0; i < k->nvel; i++)
        memcpy(G + (vel + i) * nx, a.dpsi_dq + i * k->nq, double_bytes(k->nq));
}

static zw_status need_gradients(const zw_flow *flow, zw_error *err) {
    return zw_num_require(flow, ZW_SET(GRAD), "the tangent space", err);
}

zw_status zw_flow_constraints(zw_flow *flow, double t, const double *x, double *g, double *G,
                              zw_error *err) {
    if (G)
        ZW_TRY(need_gradients(flow, err));
    zw_num_constraints(flow, t, x, g, G);
    return ZW_OK;
}

/* parts (phi, psi) as rows of length m of all levels; 0 for unit quaternions */
static void put_rows(const zw_kernel *k, int m, const double *phi, const double *psi, double *out) {
    memset(out, 0, double_bytes(zw_num_levels(k) * m));
    memcpy(out, phi, double_bytes(k->npos * m));
    memcpy(out + (k->npos + k->nunit) * m, psi, double_bytes(k->nvel * m));
}

zw_status zw_flow_constraints_in_time(zw_flow *flow, double t, const double *x, double *g_t,
                                      zw_error *err) {
    ZW_TRY(zw_num_require(flow, ZW_SET(TIME), "the derivative of constraints in time", err));
    memset(flow->z, 0, double_bytes(flow->k->nz)); /* phi and psi contain no z */
    zw_time_parts a = zw_at_time(flow, t, x, flow->z);
    put_rows(flow->k, 1, a.dphi_dt, a.dpsi_dt, g_t);
    return ZW_OK;
}

zw_status zw_flow_constraints_in_parameters(zw_flow *flow, double t, const double *x, double *g_p,
                                            zw_error *err) {
    ZW_TRY(zw_num_require(flow, ZW_SET(JAC_P), "the derivative of constraints in parameters", err));
    memset(flow->z, 0, double_bytes(flow->k->nz));
    zw_jac_p_parts a = zw_at_jac_p(flow, t, x, flow->z);
    put_rows(flow->k, flow->k->npar, a.dphi_dp, a.dpsi_dp, g_p);
    return ZW_OK;
}

/* ---- the metric ---- */

/* F^+ (nv x nq) at (t, x) */
static void pseudo_inverse(zw_flow *flow, const double *F) {
    const zw_kernel *k = flow->k;
    zw_num_workspace *a = flow->workspace;
    int nq = k->nq, nv = k->nv;
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++) {
            a->FtF[i * nv + j] = 0;
            for (int l = 0; l < nq; l++)
                a->FtF[i * nv + j] += F[l * nv + i] * F[l * nv + j];
        }
    for (int i = 0; i < nv; i++)
        if (a->FtF[i * nv + i] == 0) /* a velocity that moves nothing: a multiplier among them */
            a->FtF[i * nv + i] = 1;
    zw_num_lu(nv, a->FtF, a->pivot);
    for (int j = 0; j < nq; j++) {
        memcpy(a->column, F + j * nv, double_bytes(nv));
        zw_num_lu_solve(nv, a->FtF, a->pivot, 1, a->column);
        for (int i = 0; i < nv; i++)
            a->pinv[i * nq + j] = a->column[i];
    }
}

/* the factor of the metric: of the coordinates in a->LQ, of the velocities in flow->L */
static void set_metric(zw_flow *flow, double t, const double *x, zw_metric metric) {
    const zw_kernel *k = flow->k;
    zw_num_workspace *a = flow->workspace;
    int nq = k->nq, nv = k->nv;
    if (metric == ZW_METRIC_PLAIN) {
        for (int i = 0; i < nq * nq; i++)
            a->LQ[i] = i % (nq + 1) == 0;
        for (int i = 0; i < nv * nv; i++)
            flow->L[i] = i % (nv + 1) == 0;
        return;
    }
    pseudo_inverse(flow, zw_at_pos(flow, t, x, NULL).F);
    const double *F = zw_pos_of(k, flow->out).F; /* A_q = 1 - F F^+ ... */
    for (int i = 0; i < nq; i++)
        for (int j = 0; j < nq; j++) {
            double sum = i == j;
            for (int l = 0; l < nv; l++)
                sum -= F[i * nv + l] * a->pinv[l * nq + j];
            a->LQ[i * nq + j] = sum;
        }
    const double *M = zw_num_mass(flow, t, x); /* ... + F^+' M F^+ */
    for (int j = 0; j < nq; j++)
        for (int i = 0; i < nq; i++)
            for (int l = 0; l < nv; l++) {
                double sum = 0;
                for (int m = 0; m < nv; m++)
                    sum += M[l * nv + m] * a->pinv[m * nq + j];
                a->LQ[i * nq + j] += a->pinv[l * nq + i] * sum;
            }
    memcpy(flow->L, M, double_bytes(nv * nv));
    zw_num_metric(nv, flow->L);
    zw_num_metric(nq, a->LQ);
}

/* row := row L'^-1 as rows of G; a vector x := L'^-1 x back */
static void into_metric(const zw_flow *flow, double *row) {
    zw_num_lower_solve(flow->k->nq, flow->workspace->LQ, row);
    zw_num_lower_solve(flow->k->nv, flow->L, row + flow->k->nq);
}
static void out_of_metric(const zw_flow *flow, double *x) {
    zw_num_lower_solve_transposed(flow->k->nq, flow->workspace->LQ, x);
    zw_num_lower_solve_transposed(flow->k->nv, flow->L, x + flow->k->nq);
}

/* x := L x, lower triangular */
static void lower_times(int n, const double *L, double *x) {
    for (int i = n - 1; i >= 0; i--) {
        double sum = 0;
        for (int j = 0; j <= i; j++)
            sum += L[i * n + j] * x[j];
        x[i] = sum;
    }
}

/* ---- the tangent space ---- */

/* scales rows to length one, so that units do not affect dependence */
static void normalise_rows(int m, int n, double *A) {
    for (int i = 0; i < m; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += A[i * n + j] * A[i * n + j];
        for (int j = 0; sum > 0 && j < n; j++)
            A[i * n + j] /= sqrt(sum);
    }
}

/* G and the metric at a point */
static zw_status begin_tangent(zw_flow *flow, double t, const double *x, zw_metric metric,
                               double *G, zw_error *err) {
    const zw_kernel *k = flow->k;
    ZW_TRY(zw_num_check_finite(flow, t, x, k->nx, x, "the state", err));
    set_metric(flow, t, x, metric);
    ZW_TRY(zw_num_check_finite(flow, t, x, k->nq * k->nq, flow->workspace->LQ,
                               "the metric of the masses", err));
    ZW_TRY(
        zw_num_check_finite(flow, t, x, k->nv * k->nv, flow->L, "the metric of the masses", err));
    zw_num_constraints(flow, t, x, NULL, G);
    return zw_num_check_finite(flow, t, x, zw_num_levels(k) * k->nx, G,
                               "the gradient of a constraint", err);
}

/* n orthonormal rows Y of the complement of G L'^-1, in a->J */
static zw_status find_complement(zw_flow *flow, double t, const double *x, zw_metric metric, int *n,
                                 zw_error *err) {
    zw_num_workspace *a = flow->workspace;
    int nx = flow->k->nx, ng = zw_num_levels(flow->k);
    ZW_TRY(begin_tangent(flow, t, x, metric, a->stack, err));
    for (int i = 0; i < ng; i++)
        into_metric(flow, a->stack + i * nx);
    normalise_rows(ng, nx, a->stack);
    int rank = zw_num_rows_factor(ng, nx, a->stack, 0, DEPENDENT_ROW, a->tau, a->order);
    zw_num_rows_complement(nx, a->stack, rank, a->tau, a->order, a->J);
    *n = nx - rank;
    return ZW_OK;
}

zw_status zw_flow_tangent(zw_flow *flow, double t, const double *x, zw_metric metric, int *n,
                          double *T, double *D, zw_error *err) {
    zw_num_workspace *a;
    const zw_kernel *k = flow->k;
    ZW_TRY(need_gradients(flow, err));
    ZW_TRY(zw_num_workspace_get(flow, &a, err));
    ZW_TRY(find_complement(flow, t, x, metric, n, err));
    for (int j = 0; j < *n; j++) {
        const double *y = a->J + j * k->nx;
        memcpy(a->column, y, double_bytes(k->nx));
        out_of_metric(flow, a->column);
        for (int i = 0; T && i < k->nx; i++)
            T[i * *n + j] = a->column[i];
        if (!D)
            continue;
        double *row = D + j * k->nx; /* T'A = Y'L' */
        memcpy(row, y, double_bytes(k->nx));
        lower_times(k->nq, a->LQ, row);
        lower_times(k->nv, flow->L, row + k->nq);
    }
    return ZW_OK;
}

zw_status zw_flow_project_tangent(zw_flow *flow, double t, const double *x, double *u,
                                  zw_error *err) {
    zw_num_workspace *a;
    const zw_kernel *k = flow->k;
    int nx = k->nx, ng = zw_num_levels(k);
    ZW_TRY(need_gradients(flow, err));
    ZW_TRY(zw_num_workspace_get(flow, &a, err));
    /* the shortest change in the metric of the masses that makes G u = 0 */
    ZW_TRY(begin_tangent(flow, t, x, ZW_METRIC_MASS, a->stack, err));
    for (int i = 0; i < ng; i++) {
        a->right[i] = 0;
        for (int j = 0; j < nx; j++)
            a->right[i] -= a->stack[i * nx + j] * u[j];
        into_metric(flow, a->stack + i * nx);
    }
    int rank = zw_num_rows_factor(ng, nx, a->stack, 0, DEPENDENT_ROW, a->tau, a->order);
    zw_num_rows_solve(nx, a->stack, rank, a->tau, a->order, a->right, a->column);
    out_of_metric(flow, a->column);
    for (int i = 0; i < nx; i++)
        u[i] += a->column[i];
    return ZW_OK;
}

/* ---- local coordinates ---- */

static zw_status report_undetermined(zw_flow *flow, double t, int n, int rank, zw_error *err) {
    zw_num_fault(flow, ZW_FAULT_CONSTRAINT, -1, t, 0);
    zw_fail(err, ZW_E_SINGULAR,
            "%d local coordinates and the constraints leave %d directions of the state free at "
            "t = %.10g",
            n, flow->k->nx - rank, t);
    zw_error_hint(err, "take local coordinates at a point nearer by");
    return ZW_E_SINGULAR;
}

/* [D; G] at (t, x) factorised, G also in a->G, g in a->g. Fails if it does not determine nx
 * entries. */
static zw_status factor_coordinates(zw_flow *flow, double t, const double *x, int n,
                                    const double *D, zw_error *err) {
    zw_num_workspace *a = flow->workspace;
    int nx = flow->k->nx, ng = zw_num_levels(flow->k);
    zw_num_constraints(flow, t, x, a->g, a->G);
    ZW_TRY(zw_num_check_finite(flow, t, x, ng, a->g, "a constraint", err));
    ZW_TRY(zw_num_check_finite(flow, t, x, ng * nx, a->G, "the gradient of a constraint", err));
    memcpy(a->stack, D, double_bytes(n * nx));
    memcpy(a->stack + n * nx, a->G, double_bytes(ng * nx));
    int rank = zw_num_rows_factor(n + ng, nx, a->stack, n, DEPENDENT_ROW, a->tau, a->order);
    return rank < nx ? report_undetermined(flow, t, n, rank, err) : ZW_OK;
}

static zw_status too_many(zw_flow *flow, double t, int n, int row, zw_error *err) {
    zw_num_fault(flow, ZW_FAULT_CONSTRAINT, -1, t, 0);
    zw_fail(err, ZW_E_SINGULAR,
            "%d local coordinates are too many for the constraints at t = %.10g: row %d of them "
            "cannot be satisfied as well",
            n, t, row + 1);
    zw_error_hint(err, "the point that they were taken at is singular: take them elsewhere");
    return ZW_E_SINGULAR;
}

static double euclidean_norm(int n, const double *x) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* Rows of G that were left out because they depend on D and the others must be satisfied by the
 * result: a direction dx within the constraints. */
static zw_status check_direction(zw_flow *flow, double t, int n, const double *dx, zw_error *err) {
    const zw_num_workspace *a = flow->workspace;
    int nx = flow->k->nx, ng = zw_num_levels(flow->k);
    for (int k = nx; k < n + ng; k++) {
        int row = a->order[k] - n;
        if (row < 0)
            continue;
        double sum = 0;
        for (int i = 0; i < nx; i++)
            sum += a->G[row * nx + i] * dx[i];
        if (fabs(sum) > OFF_TANGENT * euclidean_norm(nx, a->G + row * nx) * euclidean_norm(nx, dx))
            return too_many(flow, t, n, row, err);
    }
    return ZW_OK;
}

/* column j of dx/dy, in a->column, once [D; G] is factorised */
static zw_status unfold_column(zw_flow *flow, double t, int n, int j, zw_error *err) {
    zw_num_workspace *a = flow->workspace;
    int nx = flow->k->nx;
    for (int i = 0; i < n + zw_num_levels(flow->k); i++)
        a->right[i] = i == j;
    zw_num_rows_solve(nx, a->stack, nx, a->tau, a->order, a->right, a->column);
    return check_direction(flow, t, n, a->column, err);
}

zw_status zw_flow_unfold(zw_flow *flow, double t, const double *x, int n, const double *D,
                         double *dx_dy, zw_error *err) {
    zw_num_workspace *a;
    ZW_TRY(need_gradients(flow, err));
    ZW_TRY(zw_num_workspace_get(flow, &a, err));
    ZW_TRY(factor_coordinates(flow, t, x, n, D, err));
    for (int j = 0; j < n; j++) {
        ZW_TRY(unfold_column(flow, t, n, j, err));
        for (int i = 0; i < flow->k->nx; i++)
            dx_dy[i * n + j] = a->column[i];
    }
    return ZW_OK;
}

void zw_flow_to_local(const zw_flow *flow, const double *x0, int n, const double *D,
                      const double *x, double *y) {
    int nx = flow->k->nx;
    for (int j = 0; j < n; j++) {
        y[j] = 0;
        for (int i = 0; i < nx; i++)
            y[j] += D[j * nx + i] * (x[i] - x0[i]);
    }
}

/* The length of a step, entry by entry in units of 1 + its size: Newton's method squares it, and
 * each entry has its own round-off. */
static double step_size(int n, const double *step, const double *x) {
    double most = 0;
    for (int i = 0; i < n; i++) {
        double one = fabs(step[i]) / sqrt(1 + fabs(x[i]));
        most = one <= most ? most : one; /* NaN stays NaN */
    }
    return most;
}

/* the first row of g that does not vanish at x up to round-off; -1: all do */
static int row_left(zw_flow *flow, double t, const double *x) {
    zw_num_workspace *a = flow->workspace;
    int nx = flow->k->nx;
    zw_num_constraints(flow, t, x, a->g, a->G);
    for (int k = 0; k < zw_num_levels(flow->k); k++) {
        double unit = 0;
        for (int i = 0; i < nx; i++)
            unit += fabs(a->G[k * nx + i]) * (1 + fabs(x[i]));
        if (!(fabs(a->g[k]) <= ZW_NUM_SATISFIED * fmax(unit, DBL_MIN)))
            return k;
    }
    return -1;
}

/* Checks the rows that were left out of the steps. */
static zw_status check_levels(zw_flow *flow, double t, const double *x, int n, zw_error *err) {
    int row = row_left(flow, t, x);
    return row < 0 ? ZW_OK : too_many(flow, t, n, row, err);
}

/* one step of Newton's method; returns its length */
static zw_status newton_step(zw_flow *flow, double t, const double *x0, int n, const double *D,
                             const double *y, double *x, double *moved, zw_error *err) {
    zw_num_workspace *a = flow->workspace;
    int nx = flow->k->nx, ng = zw_num_levels(flow->k);
    ZW_TRY(factor_coordinates(flow, t, x, n, D, err));
    zw_flow_to_local(flow, x0, n, D, x, a->right);
    for (int i = 0; i < n; i++)
        a->right[i] = y[i] - a->right[i];
    for (int i = 0; i < ng; i++)
        a->right[n + i] = -a->g[i];
    zw_num_rows_solve(nx, a->stack, nx, a->tau, a->order, a->right, a->column);
    *moved = step_size(nx, a->column, x);
    for (int i = 0; i < nx; i++)
        x[i] += a->column[i];
    return ZW_OK;
}

zw_status zw_flow_from_local(zw_flow *flow, double t, const double *x0, int n, const double *D,
                             const double *T, const double *y, double *x, zw_error *err) {
    zw_num_workspace *a;
    int nx = flow->k->nx;
    ZW_TRY(need_gradients(flow, err));
    ZW_TRY(zw_num_workspace_get(flow, &a, err));
    for (int i = 0; i < nx; i++) {
        a->moved[i] = x0[i];
        for (int j = 0; j < n; j++)
            a->moved[i] += T[i * n + j] * y[j];
    }
    double before = INFINITY;
    for (int i = 0; i < ITERATIONS; i++) {
        double moved = 0;
        ZW_TRY(newton_step(flow, t, x0, n, D, y, a->moved, &moved, err));
        if (moved <= LAST_STEP) {
            ZW_TRY(check_levels(flow, t, a->moved, n, err));
            memcpy(x, a->moved, double_bytes(nx));
            return ZW_OK;
        }
        if (!isfinite(moved) || (i > 5 && moved > 2 * before))
            break;
        before = moved;
    }
    zw_fail(err, ZW_E_NUMERIC,
            "no state of the constraints has these local coordinates at t = %.10g", t);
    zw_error_hint(err, "take local coordinates at a point nearer by");
    return ZW_E_NUMERIC;
}

zw_status zw_flow_local_jacobian(zw_flow *flow, double t, const double *x, int n, const double *D,
                                 double *A, zw_error *err) {
    zw_num_workspace *a;
    int nx = flow->k->nx;
    ZW_TRY(
        zw_num_require(flow, ZW_SET(JAC) | ZW_SET(GRAD), "a Jacobian in local coordinates", err));
    ZW_TRY(zw_num_workspace_get(flow, &a, err));
    ZW_TRY(zw_num_state_jacobian(flow, t, x, a->J, NULL, err));
    ZW_TRY(factor_coordinates(flow, t, x, n, D, err));
    for (int j = 0; j < n; j++) {
        ZW_TRY(unfold_column(flow, t, n, j, err));
        for (int i = 0; i < nx; i++) {
            a->moved[i] = 0;
            for (int l = 0; l < nx; l++)
                a->moved[i] += a->J[i * nx + l] * a->column[l];
        }
        for (int i = 0; i < n; i++) {
            A[i * n + j] = 0;
            for (int l = 0; l < nx; l++)
                A[i * n + j] += D[i * nx + l] * a->moved[l];
        }
    }
    return ZW_OK;
}

/* ---- states of first order ---- */

zw_status zw_num_project_states(zw_flow *flow, double t, double *x, const bool *fixed,
                                zw_error *err) {
    zw_num_workspace *a;
    int nx = flow->k->nx, ng = zw_num_levels(flow->k), row = -1;
    double moved = INFINITY;
    ZW_TRY(need_gradients(flow, err));
    ZW_TRY(zw_num_workspace_get(flow, &a, err));
    for (int n = 0; n < ITERATIONS && moved > LAST_STEP; n++) {
        zw_num_constraints(flow, t, x, a->g, a->stack);
        for (int i = 0; i < ng; i++)
            a->right[i] = -a->g[i];
        for (int i = 0; fixed && i < ng * nx; i++)
            a->stack[i] = fixed[i % nx] ? 0 : a->stack[i];
        int rank = zw_num_rows_factor(ng, nx, a->stack, 0, DEPENDENT_ROW, a->tau, a->order);
        zw_num_rows_solve(nx, a->stack, rank, a->tau, a->order, a->right, a->column);
        moved = step_size(nx, a->column, x);
        for (int i = 0; i < nx; i++)
            x[i] += a->column[i];
    }
    if ((row = row_left(flow, t, x)) < 0)
        return ZW_OK;
    zw_num_fault(flow, ZW_FAULT_POSITION, row, t, a->g[row]);
    return zw_fail(err, ZW_E_START,
                   "a conserved quantity cannot be given its value at t = %.10g: row %d keeps the "
                   "residual %.6g",
                   t, row + 1, a->g[row]);
}
