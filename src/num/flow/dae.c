/* SPDX-License-Identifier: MIT */
/* The stabilised index-2 form of the equations of motion (Gear, Leimkuhler and Gupta 1985), for
 * Y = (q, v, lambda, mu, nu):
 *
 *     q' = qdot(t,q,v) - F S Phi' mu - U nu      F = dqdot/dv,  U: the quaternions as columns
 *     M v' = h + C lambda                        the kernel's r, not solved for v'
 *     psi(t,q,v) = 0                             instead of its derivative W v' = b
 *     phi(t,q) = 0,   (e.e - 1)/2 = 0            for every unit quaternion e
 *
 * Both levels of a holonomic constraint are satisfied, so nothing drifts. On the solution mu and nu
 * vanish: with psi = 0 the rate of phi is -(Phi S Phi') mu, that of e.e/2 is -(e.e) nu, since F w
 * is tangent to the sphere of e for every w. This is why the gradient may be taken in the
 * velocities: w = S Phi' mu moves q along F w for any velocities v (derivatives, quasi-velocities,
 * angular velocities), and any positive S can be used. S_i = 1/M_ii (at the start) makes the units
 * of mixed velocities agree; the full inverse of M would be the projection of project.c, but costs
 * a factorisation, has derivatives, and does not exist for a singular M.
 *
 * A velocity constraint without a position has only its psi, one on acceleration level stays W v' =
 * b. Principles without multipliers have W v' = b among their own rows; there psi replaces it too
 * (k->vel_row).
 *
 * Rows that depend on others (pseudo kernels) are replaced by lambda = 0 or mu = 0.
 *
 * In the Jacobian the derivatives of F S Phi' with respect to q are left out: they are multiplied
 * by mu, which is zero up to the error of a step. */
#include "dae.h"

#include <math.h>
#include <string.h>

#include "num/events/slide.h"
#include "num/linear/linalg.h"
#include "workspace.h"

/* Sine of the angle of a row of Phi to the others below which it is dependent, as in accel.c. */
#define DEPENDENT_ROW 1e-6
/* Steps of one-sided differences relative to the entries, of size 1e-3 at least, as in slide.c. */
#define DIFFERENCE_STEP 1e-7
#define ENTRY_MIN 1e-3

int zw_num_dae_size(const zw_kernel *k) {
    return k->nx + k->nc + k->npos + k->nunit;
}

/* indices of the parts of Y and R */
static int at_mu(const zw_kernel *k) {
    return k->nx + k->nc;
}
static int at_nu(const zw_kernel *k) {
    return k->nx + k->nc + k->npos;
}

/* the row of R for psi_i */
static int row_of_psi(const zw_kernel *k, int i) {
    return k->nq + (k->vel_row ? k->vel_row[i] : k->nv + i);
}

zw_status zw_num_dae_check(const zw_kernel *k, zw_error *err) {
    if (k->inequality) {
        zw_fail(err, ZW_E_OPTION, "method ida cannot keep inequalities");
        zw_error_hint(err, "use --method bdf or auto");
        return ZW_E_OPTION;
    }
    for (int i = 0; k->vel_row && i < k->nvel; i++)
        if (k->vel_row[i] < 0)
            return zw_fail(err, ZW_E_OPTION,
                           "method ida needs the constraints among the equations, and velocity row "
                           "%d is not there by this principle",
                           i + 1);
    return ZW_OK;
}

/* ---- the start ---- */

static void set_weights(zw_flow *flow, zw_num_dae *d, double t, const double *x) {
    int nv = flow->k->nv;
    const double *M = zw_num_mass(flow, t, x);
    for (int i = 0; i < nv; i++) {
        double m = fabs(M[i * nv + i]);
        d->S[i] = m > 0 && isfinite(m) ? 1 / m : 1;
    }
}

/* the rows of Phi that depend on others, in the metric of S */
static void skip_dependent_positions(zw_flow *flow, zw_num_dae *d, double t, const double *x) {
    const zw_kernel *k = flow->k;
    const double *Phi = zw_at_pos(flow, t, x, NULL).Phi;
    for (int i = 0; i < k->npos; i++)
        for (int j = 0; j < k->nv; j++)
            flow->rows[i * k->nv + j] = Phi[i * k->nv + j] * sqrt(d->S[j]);
    int rank =
        zw_num_rows_factor(k->npos, k->nv, flow->rows, 0, DEPENDENT_ROW, flow->tau, flow->order);
    for (int i = 0; i < k->npos; i++)
        d->skip_mu[flow->order[i]] = i >= rank;
}

zw_status zw_num_dae_start(zw_flow *flow, zw_num_dae *d, double t, const double *x, double *Y,
                           double *rate, zw_error *err) {
    const zw_kernel *k = flow->k;
    set_weights(flow, d, t, x);
    memset(Y, 0, sizeof(double) * (size_t)d->n);
    memset(rate, 0, sizeof(double) * (size_t)d->n);
    memcpy(Y, x, sizeof(double) * (size_t)k->nx);
    ZW_TRY(zw_num_accel(flow, t, x, rate, flow->z, err));
    memcpy(rate + k->nq, flow->z, sizeof(double) * (size_t)k->nv);
    memcpy(Y + k->nx, flow->z + k->nv, sizeof(double) * (size_t)k->nc);
    for (int i = 0; i < k->nc; i++)
        d->skip_lambda[i] = k->pseudo && flow->left_out[i];
    for (int i = 0; i < k->npos; i++)
        d->skip_mu[i] = 0;
    if (k->pseudo && k->npos > 0)
        skip_dependent_positions(flow, d, t, x);
    return ZW_OK;
}

/* ---- residual ---- */

/* is the constraint of this row of the residual left out? */
static bool is_skipped(const zw_kernel *k, const zw_num_dae *d, int row_of_R) {
    int c = row_of_R - k->nx;
    return c >= 0 && c < k->nc && d->skip_lambda[c];
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* q' - qdot, M v' - h - C lambda, W v' - b */
static void residual_of_motion(zw_flow *flow, const zw_num_dae *d, double t, const double *Y,
                               const double *rate, double *R) {
    const zw_kernel *k = flow->k;
    int nq = k->nq, nv = k->nv, nc = k->nc;
    const double *a = rate + nq, *lambda = Y + k->nx;
    zw_mats_parts m = zw_at_mats(flow, t, Y, NULL);
    for (int i = 0; i < nq; i++)
        R[i] = rate[i] - m.qdot[i];
    for (int i = 0; i < nv; i++)
        R[nq + i] = dot(nv, m.M + i * nv, a) - m.h[i] - dot(nc, m.C + i * nc, lambda);
    for (int i = 0; i < nc; i++)
        R[nq + nv + i] = d->skip_lambda[i] ? lambda[i] : dot(nv, m.W + i * nv, a) - m.b[i];
}

static void residual_of_positions(zw_flow *flow, const zw_num_dae *d, double t, const double *Y,
                                  double *R) {
    const zw_kernel *k = flow->k;
    int nv = k->nv;
    const double *mu = Y + at_mu(k);
    zw_pos_parts a = zw_at_pos(flow, t, Y, NULL);
    memset(d->w, 0, sizeof(double) * (size_t)nv);
    for (int i = 0; i < k->npos; i++) {
        R[at_mu(k) + i] = d->skip_mu[i] ? mu[i] : a.phi[i];
        for (int j = 0; j < nv && !d->skip_mu[i]; j++)
            d->w[j] += d->S[j] * a.Phi[i * nv + j] * mu[i];
    }
    for (int i = 0; i < k->nq; i++)
        R[i] += dot(nv, a.F + i * nv, d->w);
}

static void residual_of_quaternions(const zw_kernel *k, const double *Y, double *R) {
    for (int u = 0; u < k->nunit; u++) {
        int first = k->unit[u];
        double nu = Y[at_nu(k) + u];
        R[at_nu(k) + u] = (dot(4, Y + first, Y + first) - 1) / 2;
        for (int i = first; i < first + 4; i++)
            R[i] += Y[i] * nu;
    }
}

/* reports the meaning of a row of R that is not finite */
static zw_status not_finite(zw_flow *flow, int row, double t, zw_error *err) {
    const zw_kernel *k = flow->k;
    zw_num_fault(flow, ZW_FAULT_STATE, row < k->nx ? row : -1, t, NAN);
    const char *what = row < k->nq      ? "the rate of coordinate"
                       : row < k->nx    ? "the equation of velocity"
                       : row < at_mu(k) ? "constraint row"
                                        : "position constraint";
    int first = row < k->nq ? 0 : row < k->nx ? k->nq : row < at_mu(k) ? k->nx : at_mu(k);
    return zw_fail(err, ZW_E_NONFINITE, "%s %d is not finite at t = %.10g", what, row - first + 1,
                   t);
}

static int first_not_finite(int n, const double *R) {
    for (int i = 0; i < n; i++)
        if (!isfinite(R[i]))
            return i;
    return -1;
}

static void evaluate_residual(zw_flow *flow, const zw_num_dae *d, double t, const double *Y,
                              const double *rate, double *R) {
    const zw_kernel *k = flow->k;
    residual_of_motion(flow, d, t, Y, rate, R);
    if (k->nvel > 0) {
        const double *psi = zw_at_vel(flow, t, Y, NULL).psi;
        for (int i = 0; i < k->nvel; i++)
            if (!is_skipped(k, d, row_of_psi(k, i)))
                R[row_of_psi(k, i)] = psi[i];
    }
    if (k->npos > 0)
        residual_of_positions(flow, d, t, Y, R);
    residual_of_quaternions(k, Y, R);
}

zw_status zw_num_dae_residual(zw_flow *flow, const zw_num_dae *d, double t, const double *Y,
                              const double *rate, double *R, zw_error *err) {
    ZW_TRY(zw_num_slide_check(flow, t, Y, err));
    evaluate_residual(flow, d, t, Y, rate, R);
    int row = first_not_finite(d->n, R);
    if (row >= 0 && zw_num_modes_loosen(flow)) { /* beyond the end of a piece, see accel.c */
        evaluate_residual(flow, d, t, Y, rate, R);
        zw_num_modes_tighten(flow);
        row = first_not_finite(d->n, R);
    }
    return row < 0 ? ZW_OK : not_finite(flow, row, t, err);
}

/* ---- Jacobian ---- */

static void jacobian_of_motion(zw_flow *flow, const zw_num_dae *d, double t, double c,
                               const double *Y, const double *rate, double *J) {
    const zw_kernel *k = flow->k;
    int n = d->n, nq = k->nq, nv = k->nv, nc = k->nc, nx = k->nx;
    memcpy(flow->z, rate + nq, sizeof(double) * (size_t)nv);
    memcpy(flow->z + nv, Y + nx, sizeof(double) * (size_t)nc);
    zw_jac_parts jac = zw_at_jac(flow, t, Y, flow->z);
    for (int i = 0; i < nq; i++) {
        for (int j = 0; j < nx; j++)
            J[i * n + j] = -jac.dqdot_dx[i * nx + j];
        J[i * n + i] += c;
    }
    for (int i = 0; i < k->nz; i++)
        memcpy(J + (nq + i) * n, jac.dr_dx + i * nx, sizeof(double) * (size_t)nx);
    zw_mats_parts m = zw_at_mats(flow, t, Y, NULL);
    for (int i = 0; i < nv; i++) {
        for (int j = 0; j < nv; j++)
            J[(nq + i) * n + nq + j] += c * m.M[i * nv + j];
        for (int j = 0; j < nc; j++)
            J[(nq + i) * n + nx + j] = -m.C[i * nc + j];
    }
    for (int i = 0; i < nc; i++) {
        for (int j = 0; j < nv; j++)
            J[(nx + i) * n + nq + j] += c * m.W[i * nv + j];
        if (!d->skip_lambda[i])
            continue;
        memset(J + (nx + i) * n, 0, sizeof(double) * (size_t)n);
        J[(nx + i) * n + nx + i] = 1;
    }
}

static void jacobian_of_velocities(zw_flow *flow, const zw_num_dae *d, double t, const double *Y,
                                   double *J) {
    const zw_kernel *k = flow->k;
    int n = d->n, nq = k->nq, nv = k->nv;
    const double *Psi = zw_at_vel(flow, t, Y, NULL).Psi;
    for (int i = 0; i < k->nvel; i++) {
        double *row = J + row_of_psi(k, i) * n;
        if (is_skipped(k, d, row_of_psi(k, i)))
            continue;
        memset(row, 0, sizeof(double) * (size_t)n);
        memcpy(row + nq, Psi + i * nv, sizeof(double) * (size_t)nv);
    }
}

/* dphi/dq and dpsi/dq */
static void jacobian_of_gradients(zw_flow *flow, const zw_num_dae *d, double t, const double *Y,
                                  double *J) {
    const zw_kernel *k = flow->k;
    const size_t size = sizeof(double) * (size_t)k->nq;
    zw_grad_parts g = zw_at_grad(flow, t, Y, NULL);
    for (int i = 0; i < k->npos; i++)
        if (!d->skip_mu[i])
            memcpy(J + (at_mu(k) + i) * d->n, g.dphi_dq + i * k->nq, size);
    for (int i = 0; i < k->nvel; i++)
        if (!is_skipped(k, d, row_of_psi(k, i)))
            memcpy(J + row_of_psi(k, i) * d->n, g.dpsi_dq + i * k->nq, size);
}

/* the columns of mu: F S Phi' */
static void jacobian_of_corrections(zw_flow *flow, const zw_num_dae *d, double t, const double *Y,
                                    double *J) {
    const zw_kernel *k = flow->k;
    int nv = k->nv;
    zw_pos_parts a = zw_at_pos(flow, t, Y, NULL);
    for (int m = 0; m < k->npos; m++) {
        int column = at_mu(k) + m;
        if (d->skip_mu[m]) {
            J[column * d->n + column] = 1;
            continue;
        }
        for (int j = 0; j < nv; j++)
            d->w[j] = d->S[j] * a.Phi[m * nv + j];
        for (int i = 0; i < k->nq; i++)
            J[i * d->n + column] = dot(nv, a.F + i * nv, d->w);
    }
}

static void jacobian_of_quaternions(const zw_kernel *k, int n, const double *Y, double *J) {
    for (int u = 0; u < k->nunit; u++) {
        int own = at_nu(k) + u;
        for (int i = k->unit[u]; i < k->unit[u] + 4; i++) {
            J[own * n + i] = Y[i];
            J[i * n + own] = Y[i];
            J[i * n + i] += Y[own];
        }
    }
}

static void evaluate_jacobian(zw_flow *flow, const zw_num_dae *d, double t, double c,
                              const double *Y, const double *rate, double *J) {
    const zw_kernel *k = flow->k;
    memset(J, 0, sizeof(double) * (size_t)d->n * (size_t)d->n);
    jacobian_of_motion(flow, d, t, c, Y, rate, J);
    if (k->nvel > 0)
        jacobian_of_velocities(flow, d, t, Y, J);
    if (k->npos + k->nvel > 0)
        jacobian_of_gradients(flow, d, t, Y, J);
    if (k->npos > 0)
        jacobian_of_corrections(flow, d, t, Y, J);
    jacobian_of_quaternions(k, d->n, Y, J);
}

static bool is_psi_row(const zw_kernel *k, int row) {
    for (int i = 0; i < k->nvel; i++)
        if (row_of_psi(k, i) == row)
            return true;
    return false;
}

/* Adds dR/dx through s(x) of sliding functions, by differences, since s has no formula. */
static void jacobian_of_slides(zw_flow *flow, const zw_num_dae *d, double t, const double *Y,
                               const double *rate, double *J) {
    const zw_kernel *k = flow->k;
    int rows = k->nx + k->nc;
    double *x = flow->slide_shifted, *here = flow->slide_here, *there = flow->slide_there;
    zw_num_slide_update(flow, t, Y);
    flow->in_slide = true; /* the residual with the present s */
    residual_of_motion(flow, d, t, Y, rate, here);
    for (int j = 0; j < k->nx; j++) {
        double width = DIFFERENCE_STEP * (ENTRY_MIN + fabs(Y[j]));
        memcpy(x, Y, sizeof(double) * (size_t)k->nx);
        x[j] += width;
        bool solved = zw_num_slide_solve(flow, t, x, NULL) >= 0;
        flow->in_slide = true;
        residual_of_motion(flow, d, t, Y, rate, there);
        for (int i = 0; solved && i < rows; i++)
            if (!is_psi_row(k, i))
                J[i * d->n + j] += (there[i] - here[i]) / width;
    }
    flow->in_slide = flow->slide_known = false;
}

void zw_num_dae_jacobian(zw_flow *flow, const zw_num_dae *d, double t, double c, const double *Y,
                         const double *rate, double *J) {
    evaluate_jacobian(flow, d, t, c, Y, rate, J);
    if (flow->locked && first_not_finite(d->n * d->n, J) >= 0 && zw_num_modes_loosen(flow)) {
        evaluate_jacobian(flow, d, t, c, Y, rate, J); /* beyond the end of a piece, see accel.c */
        zw_num_modes_tighten(flow);
    }
    if (flow->nslide > 0)
        jacobian_of_slides(flow, d, t, Y, rate, J);
}

/* ---- external functions ---- */

int zw_flow_dae_size(const zw_flow *flow, zw_error *err) {
    return zw_num_dae_check(flow->k, err) < 0 ? -1 : zw_num_dae_size(flow->k);
}

static zw_status prepare_dae(zw_flow *flow, zw_num_workspace **a, zw_error *err) {
    ZW_TRY(zw_num_require(flow, ZW_NUM_DAE_NEEDS, "the implicit system", err));
    ZW_TRY(zw_num_dae_check(flow->k, err));
    return zw_num_workspace_get(flow, a, err);
}

zw_status zw_flow_dae_start(zw_flow *flow, double t, const double *x, double *Y, double *rate,
                            zw_error *err) {
    zw_num_workspace *a;
    ZW_TRY(prepare_dae(flow, &a, err));
    return zw_num_dae_start(flow, &a->dae, t, x, Y, rate, err);
}

zw_status zw_flow_dae_residual(zw_flow *flow, double t, const double *Y, const double *rate,
                               double *R, zw_error *err) {
    zw_num_workspace *a;
    ZW_TRY(prepare_dae(flow, &a, err));
    return zw_num_dae_residual(flow, &a->dae, t, Y, rate, R, err);
}

zw_status zw_flow_dae_jacobian(zw_flow *flow, double t, double c, const double *Y,
                               const double *rate, double *J, zw_error *err) {
    zw_num_workspace *a;
    ZW_TRY(prepare_dae(flow, &a, err));
    zw_num_dae_jacobian(flow, &a->dae, t, c, Y, rate, J);
    return ZW_OK;
}
