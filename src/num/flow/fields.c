/* SPDX-License-Identifier: MIT */
/* Fields of displacements that may be symmetries, at a point, and their derivatives along
 * directions of x. They contain neither accelerations nor multipliers, so the part of a direction
 * in z is 0. */
#include "workspace.h"

static size_t double_bytes(int n) {
    return sizeof(double) * (size_t)n;
}

zw_status zw_flow_fields(zw_flow *flow, double t, const double *x, double *X, double *dt,
                         zw_error *err) {
    const zw_kernel *k = flow->k;
    int n = k->nfield * k->nx;
    ZW_TRY(zw_num_require(flow, ZW_SET(FIELD), "fields of displacements", err));
    if (n == 0)
        return ZW_OK;
    zw_field_parts a = zw_at_field(flow, t, x, NULL);
    memcpy(X, a.X, double_bytes(n));
    if (dt)
        memcpy(dt, a.dt, double_bytes(n));
    return zw_num_check_finite(flow, t, x, n, X, "a field of displacements", err);
}

zw_status zw_flow_fields_along(zw_flow *flow, double t, const double *x, int order,
                               const double *const *d, double *X, zw_error *err) {
    static const zw_function_name names[] = {ZW_FN_FIELD_FIRST, ZW_FN_FIELD_SECOND,
                                             ZW_FN_FIELD_THIRD};
    const zw_kernel *k = flow->k;
    zw_num_workspace *a;
    zw_function_name name = names[order - 1];
    int n = k->nfield * k->nx;
    ZW_TRY(zw_num_require(flow, (zw_functions)1 << name, "derivatives of fields", err));
    ZW_TRY(zw_num_workspace_get(flow, &a, err));
    if (n == 0)
        return ZW_OK;
    for (int i = 0; i < order; i++) {
        memset(a->d[i], 0, double_bytes(k->nx + k->nz));
        memcpy(a->d[i], d[i], double_bytes(k->nx));
    }
    zw_args in = zw_num_args(flow, &t, x, NULL);
    in.d1 = a->d[0];
    in.d2 = a->d[1];
    in.d3 = a->d[2];
    zw_kernel_call(k, name, &in, flow->out, flow->work);
    memcpy(X, flow->out, double_bytes(n));
    return zw_num_check_finite(flow, t, x, n, X, "the derivative of a field", err);
}
