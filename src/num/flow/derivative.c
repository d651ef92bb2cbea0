/* SPDX-License-Identifier: MIT */
/* Derivatives of the rates x' = f(t, x), exact: z = (v', lambda) follows from r(t, x, z, p, u) = 0,
 * which is affine in z with dr/dz = K, so along any parameter s of the point
 *
 *     K z_s = -r_s  first derivatives: state, time, parameters, inputs
 *     K z_uv = -D2r[(u, z_u), (v, z_v)]                second ones along directions u, v of x
 *     K z_uvw = -D3r[(u, z_u), (v, z_v), (w, z_w)]
 *               -D2r[(u, 0), (0, z_vw)] - D2r[(v, 0), (0, z_uw)] - D2r[(w, 0), (0, z_uv)]
 *
 * where D2r, D3r are the derivatives of r as a function of (x, z), which the kernel has (second,
 * third). Observables o(t, x, z) have do/ds = o_s + o_z z_s. */
#include <string.h>

#include "num/linear/linalg.h"
#include "workspace.h"

static size_t double_bytes(int n) {
    return sizeof(double) * (size_t)n;
}

/* ---- first derivatives ---- */

/* copies the accelerations of dz (nz x m) to their rows of J */
static void put_accelerations(const zw_kernel *k, int m, const double *dz, double *J) {
    memcpy(J + k->nq * m, dz, double_bytes(k->nv * m));
}

zw_status zw_num_state_jacobian(zw_flow *flow, double t, const double *x, double *J, double *Z,
                                zw_error *err) {
    const zw_kernel *k = flow->k;
    zw_num_workspace *a;
    ZW_TRY(zw_num_workspace_get(flow, &a, err));
    ZW_TRY(zw_num_factorise(flow, t, x, a->z, err));
    zw_jac_parts jac = zw_at_jac(flow, t, x, a->z);
    memcpy(J, jac.dqdot_dx, double_bytes(k->nq * k->nx));
    zw_num_implicit(flow, k->nx, k->nx, jac.dr_dx, k->nx, a->Z);
    put_accelerations(k, k->nx, a->Z, J);
    if (Z && Z != a->Z)
        memcpy(Z, a->Z, double_bytes(k->nz * k->nx));
    ZW_TRY(zw_num_check_finite(flow, t, x, k->nz * k->nx, a->Z, "a derivative of the rates", err));
    return zw_num_check_finite(flow, t, x, k->nq * k->nx, J, "a derivative of the rates", err);
}

zw_status zw_flow_jacobian(zw_flow *flow, double t, const double *x, double *J, double *Z,
                           zw_error *err) {
    ZW_TRY(zw_num_require(flow, ZW_SET(JAC), "the Jacobian in the state", err));
    return zw_num_state_jacobian(flow, t, x, J, Z, err);
}

/* J (nx x m) and dz (nz x m) from the derivatives of qdot and r at fixed x, z. dz may be NULL: then
 * only the accelerations are stored. */
static zw_status complete_derivative(zw_flow *flow, double t, const double *x, int m,
                                     const double *dqdot, const double *dr, double *J, double *dz,
                                     zw_error *err) {
    const zw_kernel *k = flow->k;
    zw_num_workspace *a = flow->workspace;
    memcpy(J, dqdot, double_bytes(k->nq * m));
    for (int j = 0; j < m; j++) {
        zw_num_implicit(flow, 1, m, dr + j, 1, a->dz[0]);
        for (int i = 0; i < k->nv; i++)
            J[(k->nq + i) * m + j] = a->dz[0][i];
        for (int i = 0; dz && i < k->nz; i++)
            dz[i * m + j] = a->dz[0][i];
        ZW_TRY(zw_num_check_finite(flow, t, x, k->nz, a->dz[0], "a derivative of the rates", err));
    }
    return zw_num_check_finite(flow, t, x, k->nq * m, J, "a derivative of the rates", err);
}

/* prepares the point of a first derivative: computes z, factorises K */
static zw_status begin_derivative(zw_flow *flow, zw_functions needs, const char *who, double t,
                                  const double *x, zw_num_workspace **a, zw_error *err) {
    ZW_TRY(zw_num_require(flow, needs, who, err));
    ZW_TRY(zw_num_workspace_get(flow, a, err));
    return zw_num_factorise(flow, t, x, (*a)->z, err);
}

zw_status zw_flow_in_time(zw_flow *flow, double t, const double *x, double *rate_t, double *z_t,
                          zw_error *err) {
    zw_num_workspace *a;
    ZW_TRY(begin_derivative(flow, ZW_SET(TIME), "the derivative in time", t, x, &a, err));
    zw_time_parts d = zw_at_time(flow, t, x, a->z);
    return complete_derivative(flow, t, x, 1, d.dqdot_dt, d.dr_dt, rate_t, z_t, err);
}

zw_status zw_flow_in_parameters(zw_flow *flow, double t, const double *x, double *J, double *dz,
                                zw_error *err) {
    zw_num_workspace *a;
    ZW_TRY(begin_derivative(flow, ZW_SET(JAC_P), "the Jacobian in parameters", t, x, &a, err));
    zw_jac_p_parts d = zw_at_jac_p(flow, t, x, a->z);
    return complete_derivative(flow, t, x, flow->k->npar, d.dqdot_dp, d.dr_dp, J, dz, err);
}

zw_status zw_flow_in_inputs(zw_flow *flow, double t, const double *x, double *J, double *dz,
                            zw_error *err) {
    zw_num_workspace *a;
    ZW_TRY(begin_derivative(flow, ZW_SET(JAC_U), "the Jacobian in inputs", t, x, &a, err));
    zw_jac_u_parts d = zw_at_jac_u(flow, t, x, a->z);
    return complete_derivative(flow, t, x, flow->k->nu, d.dqdot_du, d.dr_du, J, dz, err);
}

/* ---- derivatives along directions ---- */

/* to = (dx, dz); either may be NULL: zeros */
static void join_directions(const zw_kernel *k, const double *dx, const double *dz, double *to) {
    memset(to, 0, double_bytes(k->nx + k->nz));
    if (dx)
        memcpy(to, dx, double_bytes(k->nx));
    if (dz)
        memcpy(to + k->nx, dz, double_bytes(k->nz));
}

static double *call_along(zw_flow *flow, zw_function_name name, double t, const double *x) {
    const zw_num_workspace *a = flow->workspace;
    zw_args in = zw_num_args(flow, &t, x, a->z);
    in.d1 = a->d[0];
    in.d2 = a->d[1];
    in.d3 = a->d[2];
    zw_kernel_call(flow->k, name, &in, flow->out, flow->work);
    return flow->out;
}

/* dz = Z dx */
static void multiply_direction(const zw_kernel *k, const double *Z, const double *dx, double *dz) {
    for (int i = 0; i < k->nz; i++) {
        dz[i] = 0;
        for (int j = 0; j < k->nx; j++)
            dz[i] += Z[i * k->nx + j] * dx[j];
    }
}

/* copies the derivatives of second (or third: 0 for unit quaternions) order of the constraints:
 * phi, unit, psi */
static void put_levels(const zw_kernel *k, const double *phi, const double *psi, const double *u,
                       const double *v, double *g) {
    memcpy(g, phi, double_bytes(k->npos));
    for (int i = 0; i < k->nunit; i++) {
        double *e = g + k->npos + i;
        *e = 0;
        for (int j = k->unit[i]; u && j < k->unit[i] + 4; j++)
            *e += u[j] * v[j];
    }
    memcpy(g + k->npos + k->nunit, psi, double_bytes(k->nvel));
}

/* z_uv and D2 qdot into rate (nx; NULL: not computed) from z_u and z_v */
static void second_along(zw_flow *flow, double t, const double *x, const double *u,
                         const double *z_u, const double *v, const double *z_v, double *z_uv,
                         double *rate, double *g) {
    const zw_kernel *k = flow->k;
    zw_num_workspace *a = flow->workspace;
    join_directions(k, u, z_u, a->d[0]);
    join_directions(k, v, z_v, a->d[1]);
    zw_second_parts d = zw_second_of(k, call_along(flow, ZW_FN_SECOND, t, x));
    if (rate)
        memcpy(rate, d.qdot, double_bytes(k->nq));
    if (g)
        put_levels(k, d.phi, d.psi, u, v, g);
    zw_num_implicit(flow, 1, 1, d.r, 1, z_uv);
    if (rate)
        memcpy(rate + k->nq, z_uv, double_bytes(k->nv));
}

static zw_status begin_along(zw_flow *flow, zw_functions needs, double t, const double *x,
                             zw_num_workspace **a, zw_error *err) {
    ZW_TRY(zw_num_require(flow, needs, "a derivative along directions", err));
    ZW_TRY(zw_num_workspace_get(flow, a, err));
    return zw_num_state_jacobian(flow, t, x, (*a)->J, (*a)->Z, err);
}

zw_status zw_flow_second(zw_flow *flow, double t, const double *x, const double *u, const double *v,
                         double *B, double *g, zw_error *err) {
    const zw_kernel *k = flow->k;
    zw_num_workspace *a;
    ZW_TRY(begin_along(flow, ZW_SET(JAC) | ZW_SET(SECOND), t, x, &a, err));
    multiply_direction(k, a->Z, u, a->dz[0]);
    multiply_direction(k, a->Z, v, a->dz[1]);
    second_along(flow, t, x, u, a->dz[0], v, a->dz[1], a->dz[2], B, g);
    return zw_num_check_finite(flow, t, x, k->nx, B, "a second derivative of the rates", err);
}

/* sum += D2r[(u, 0), (0, z)] */
static void add_mixed(zw_flow *flow, double t, const double *x, const double *u, const double *z,
                      double *sum) {
    zw_num_workspace *a = flow->workspace;
    join_directions(flow->k, u, NULL, a->d[0]);
    join_directions(flow->k, NULL, z, a->d[1]);
    const double *r = zw_second_of(flow->k, call_along(flow, ZW_FN_SECOND, t, x)).r;
    for (int i = 0; i < flow->k->nz; i++)
        sum[i] += r[i];
}

zw_status zw_flow_third(zw_flow *flow, double t, const double *x, const double *u, const double *v,
                        const double *w, double *C, double *g, zw_error *err) {
    const zw_kernel *k = flow->k;
    const double *dx[3] = {u, v, w};
    zw_num_workspace *a;
    ZW_TRY(begin_along(flow, ZW_SET(JAC) | ZW_SET(SECOND) | ZW_SET(THIRD), t, x, &a, err));
    for (int i = 0; i < 3; i++)
        multiply_direction(k, a->Z, dx[i], a->dz[i]);
    for (int i = 0; i < 3; i++) { /* dz[3 + i]: of the two directions without i */
        int p = (i + 1) % 3, q = (i + 2) % 3;
        second_along(flow, t, x, dx[p], a->dz[p], dx[q], a->dz[q], a->dz[3 + i], NULL, NULL);
    }
    for (int i = 0; i < 3; i++)
        join_directions(k, dx[i], a->dz[i], a->d[i]);
    zw_third_parts d = zw_third_of(k, call_along(flow, ZW_FN_THIRD, t, x));
    memcpy(C, d.qdot, double_bytes(k->nq));
    if (g)
        put_levels(k, d.phi, d.psi, NULL, NULL, g);
    memcpy(a->dz[0], d.r, double_bytes(k->nz));
    for (int i = 0; i < 3; i++)
        add_mixed(flow, t, x, dx[i], a->dz[3 + i], a->dz[0]);
    zw_num_implicit(flow, 1, 1, a->dz[0], 1, a->dz[1]);
    memcpy(C + k->nq, a->dz[1], double_bytes(k->nv));
    return zw_num_check_finite(flow, t, x, k->nx, C, "a third derivative of the rates", err);
}

/* ---- observables and events ---- */

/* to (n x m) = direct + of_z dz, dz nz x m */
static void through_z(int n, int m, int nz, const double *direct, const double *of_z,
                      const double *dz, double *to) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double sum = direct[i * m + j];
            for (int l = 0; l < nz; l++)
                sum += of_z[i * nz + l] * dz[l * m + j];
            to[i * m + j] = sum;
        }
}

zw_status zw_flow_observables(zw_flow *flow, double t, const double *x, double *value,
                              zw_error *err) {
    ZW_TRY(zw_num_require(flow, ZW_SET(OBS), "what is observed", err));
    ZW_TRY(zw_num_accel(flow, t, x, flow->qdot, flow->z, err));
    memcpy(value, zw_at_obs(flow, t, x, flow->z).value, double_bytes(flow->k->nobs + 2));
    return ZW_OK;
}

zw_status zw_flow_observables_jacobian(zw_flow *flow, double t, const double *x, double *dx,
                                       zw_error *err) {
    const zw_kernel *k = flow->k;
    zw_num_workspace *a;
    ZW_TRY(begin_along(flow, ZW_SET(JAC) | ZW_SET(OBS_JAC), t, x, &a, err));
    zw_obs_jac_parts d = zw_at_obs_jac(flow, t, x, a->z);
    through_z(k->nobs + 2, k->nx, k->nz, d.dx, d.dz, a->Z, dx);
    return ZW_OK;
}

/* adds the derivative through z to column j of `to` (m columns), which contains that at fixed z; dr
 * (nz x m): derivative of the residual at fixed x, z, which may be in flow->out, since functions
 * are called one after the other */
static void add_through_z(zw_flow *flow, double t, const double *x, int m, int j, const double *dr,
                          double *to) {
    const zw_kernel *k = flow->k;
    zw_num_workspace *a = flow->workspace;
    zw_num_implicit(flow, 1, m, dr + j, 1, a->dz[0]);
    const double *of_z = zw_at_obs_jac(flow, t, x, a->z).dz;
    for (int i = 0; i < k->nobs + 2; i++)
        for (int l = 0; l < k->nz; l++)
            to[i * m + j] += of_z[i * k->nz + l] * a->dz[0][l];
}

zw_status zw_flow_observables_in_inputs(zw_flow *flow, double t, const double *x, double *du,
                                        zw_error *err) {
    const zw_kernel *k = flow->k;
    zw_num_workspace *a;
    ZW_TRY(begin_derivative(flow, ZW_SET(JAC_U) | ZW_SET(OBS_JAC), "a derivative in inputs", t, x,
                            &a, err));
    memcpy(du, zw_at_obs_jac(flow, t, x, a->z).du, double_bytes((k->nobs + 2) * k->nu));
    for (int j = 0; j < k->nu; j++)
        add_through_z(flow, t, x, k->nu, j, zw_at_jac_u(flow, t, x, a->z).dr_du, du);
    return ZW_OK;
}

zw_status zw_flow_observables_in_time(zw_flow *flow, double t, const double *x, double *dt,
                                      zw_error *err) {
    zw_num_workspace *a;
    ZW_TRY(begin_derivative(flow, ZW_SET(TIME) | ZW_SET(OBS_JAC), "a derivative in time", t, x, &a,
                            err));
    memcpy(dt, zw_at_obs_jac(flow, t, x, a->z).dt, double_bytes(flow->k->nobs + 2));
    add_through_z(flow, t, x, 1, 0, zw_at_time(flow, t, x, a->z).dr_dt, dt);
    return ZW_OK;
}

zw_status zw_flow_events(zw_flow *flow, double t, const double *x, double *value, zw_error *err) {
    ZW_TRY(zw_num_require(flow, ZW_SET(EVT), "an event", err));
    ZW_TRY(zw_num_accel(flow, t, x, flow->qdot, flow->z, err));
    memcpy(value, zw_at_evt(flow, t, x, flow->z).value, double_bytes(flow->k->nevt));
    return ZW_OK;
}

zw_status zw_flow_events_jacobian(zw_flow *flow, double t, const double *x, double *dx,
                                  zw_error *err) {
    const zw_kernel *k = flow->k;
    zw_num_workspace *a;
    ZW_TRY(begin_along(flow, ZW_SET(JAC) | ZW_SET(EVT_JAC), t, x, &a, err));
    zw_evt_jac_parts d = zw_at_evt_jac(flow, t, x, a->z);
    through_z(k->nevt, k->nx, k->nz, d.dx, d.dz, a->Z, dx);
    return ZW_OK;
}

/* n functions: at fixed x, z, and through z */
static zw_status parameters_of(zw_flow *flow, double t, const double *x, int n, bool events,
                               double *dp, zw_error *err) {
    const zw_kernel *k = flow->k;
    zw_num_workspace *a;
    ZW_TRY(begin_derivative(flow,
                            ZW_SET(JAC_P) | (events ? ZW_SET(EVT_JAC) | ZW_SET(EVT_P)
                                                    : ZW_SET(OBS_JAC) | ZW_SET(OBS_P)),
                            "a derivative in parameters", t, x, &a, err));
    /* all functions write to flow->out: one after the other */
    const double *direct =
        events ? zw_at_evt_p(flow, t, x, a->z).dp : zw_at_obs_p(flow, t, x, a->z).dp;
    memcpy(dp, direct, double_bytes(n * k->npar));
    memcpy(a->P, zw_at_jac_p(flow, t, x, a->z).dr_dp, double_bytes(k->nz * k->npar));
    const double *of_z =
        events ? zw_at_evt_jac(flow, t, x, a->z).dz : zw_at_obs_jac(flow, t, x, a->z).dz;
    for (int j = 0; j < k->npar; j++) {
        zw_num_implicit(flow, 1, k->npar, a->P + j, 1, a->dz[0]);
        for (int i = 0; i < n; i++)
            for (int l = 0; l < k->nz; l++)
                dp[i * k->npar + j] += of_z[i * k->nz + l] * a->dz[0][l];
    }
    return ZW_OK;
}

zw_status zw_flow_observables_in_parameters(zw_flow *flow, double t, const double *x, double *dp,
                                            zw_error *err) {
    return parameters_of(flow, t, x, flow->k->nobs + 2, false, dp, err);
}

zw_status zw_flow_events_in_parameters(zw_flow *flow, double t, const double *x, double *dp,
                                       zw_error *err) {
    return parameters_of(flow, t, x, flow->k->nevt, true, dp, err);
}
