/* SPDX-License-Identifier: MIT */
/* Motion on a surface of discontinuity (Filippov 1988). Where sign(sigma) drives sigma towards zero
 * from both sides, sigma stays zero: the sign is replaced by the number s between -1 and 1 with
 *
 *     sigma' = dsigma/dt + (dsigma/dx) x'(s) = 0,
 *
 * as dry friction takes the value, within its bounds, that keeps a body at rest. Several signs are
 * solved for together: s_1, s_2, ... from sigma_1' = 0, sigma_2' = 0, ..., by Newton's method with
 * differences. Rates are linear in s (rational where friction depends on constraint forces), so
 * that one iteration is enough.
 *
 * The modes of sliding functions depend on (t, x) and are computed whenever a kernel function is
 * called at another point (zw_num_args). */
#include "slide.h"
#include "base/tolerance.h"

#include <math.h>
#include <string.h>

#include "num/linear/linalg.h"

enum { ITERATIONS = 8 };
/* change of s, which is between -1 and 1, in the last iteration */
#define S_CONVERGED ZW_ROUNDOFF_SUM
/* Steps of one-sided differences relative to the entries, of size 1e-3 at least: about 10
 * sqrt(eps). */
#define DIFFERENCE_STEP 1e-7
#define ENTRY_MIN 1e-3

/* ---- modes ---- */

void zw_num_modes_free(zw_flow *flow) {
    for (int i = 0; i < flow->k->nmode; i++)
        flow->mode[i] = ZW_MODE_FREE;
    flow->locked = false;
    flow->nslide = 0;
}

bool zw_num_modes_loosen(zw_flow *flow) {
    if (!flow->locked || flow->nslide > 0)
        return false;
    memcpy(flow->mode_kept, flow->mode, sizeof(double) * (size_t)flow->k->nmode);
    zw_num_modes_free(flow);
    return true;
}

void zw_num_modes_tighten(zw_flow *flow) {
    memcpy(flow->mode, flow->mode_kept, sizeof(double) * (size_t)flow->k->nmode);
    flow->locked = true;
}

/* ---- rates of the switching functions ---- */

/* computes their gradients at (t, x) in flow->switch_slope (nswitch x (nx + 1), time last) */
static void evaluate_gradients(zw_flow *flow, double t, const double *x) {
    const zw_kernel *k = flow->k;
    zw_switch_rate_parts a = zw_at_switch_rate(flow, t, x, NULL);
    for (int i = 0; i < k->nswitch; i++) {
        double *row = flow->switch_slope + i * (k->nx + 1);
        memcpy(row, a.dx + i * k->nx, sizeof(double) * (size_t)k->nx);
        row[k->nx] = a.dt[i];
    }
}

/* sigma' of all switching functions with the present modes and the computed gradients */
static zw_status evaluate_rates(zw_flow *flow, double t, const double *x, double *out,
                                zw_error *err) {
    const zw_kernel *k = flow->k;
    double *rate = flow->slide_rate;
    ZW_TRY(zw_num_accel(flow, t, x, rate, flow->slide_z, err));
    memcpy(rate + k->nq, flow->slide_z, sizeof(double) * (size_t)k->nv);
    for (int i = 0; i < k->nswitch; i++) {
        const double *row = flow->switch_slope + i * (k->nx + 1);
        out[i] = row[k->nx];
        for (int j = 0; j < k->nx; j++)
            out[i] += row[j] * rate[j];
    }
    return ZW_OK;
}

zw_status zw_num_switch_rates(zw_flow *flow, double t, const double *x, double *out,
                              zw_error *err) {
    bool inside = flow->in_slide;
    flow->in_slide = true; /* with the present modes */
    evaluate_gradients(flow, t, x);
    zw_status status = evaluate_rates(flow, t, x, out, err);
    flow->in_slide = inside;
    return status;
}

/* ---- the solution ---- */

static double *s_of(zw_flow *flow, int i) {
    return &flow->mode[flow->k->switches[flow->slide[i]].mode];
}

/* d sigma'_i / d s_j into slide_A, at sigma' = slide_d */
static zw_status difference_rates(zw_flow *flow, double t, const double *x, zw_error *err) {
    int n = flow->nslide;
    for (int j = 0; j < n; j++) {
        double s = *s_of(flow, j), width = s > 0 ? -0.5 : 0.5;
        *s_of(flow, j) = s + width;
        zw_status status = evaluate_rates(flow, t, x, flow->slide_ahead, err);
        *s_of(flow, j) = s;
        if (status < 0)
            return status;
        for (int i = 0; i < n; i++)
            flow->slide_A[i * n + j] =
                (flow->slide_ahead[flow->slide[i]] - flow->slide_d[flow->slide[i]]) / width;
    }
    return ZW_OK;
}

static zw_status report_singular(zw_flow *flow, double t, zw_error *err) {
    const char *text = flow->k->switches[flow->slide[0]].text;
    zw_fail(err, ZW_E_SINGULAR,
            "the motion sticks to the zero of %s at t = %.10g%s, and what keeps it there is not "
            "determined",
            text, t, flow->nslide > 1 ? " with others" : "");
    zw_error_hint(err, "use a smooth law, tanh(v/eps) for sign(v), or events that switch "
                       "constraints on and off");
    return ZW_E_SINGULAR;
}

static zw_status solve_modes(zw_flow *flow, double t, const double *x, zw_error *err) {
    int n = flow->nslide;
    evaluate_gradients(flow, t, x);
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        ZW_TRY(evaluate_rates(flow, t, x, flow->slide_d, err));
        if (iteration != 1) /* usually linear: one matrix is used twice */
            ZW_TRY(difference_rates(flow, t, x, err));
        double change = 0;
        for (int i = 0; i < n; i++)
            flow->slide_b[i] = -flow->slide_d[flow->slide[i]];
        memcpy(flow->slide_LU, flow->slide_A, sizeof(double) * (size_t)(n * n));
        if (!(zw_num_lu(n, flow->slide_LU, flow->slide_pivot) > zw_num_pivot_floor(n)))
            return report_singular(flow, t, err);
        zw_num_lu_solve(n, flow->slide_LU, flow->slide_pivot, 1, flow->slide_b);
        for (int i = 0; i < n; i++) {
            *s_of(flow, i) += flow->slide_b[i];
            change = fmax(change, fabs(flow->slide_b[i]));
        }
        if (change <= S_CONVERGED)
            return ZW_OK;
        if (!isfinite(change))
            break;
    }
    return report_singular(flow, t, err);
}

zw_status zw_num_slide_solve(zw_flow *flow, double t, const double *x, zw_error *err) {
    flow->in_slide = true;
    zw_status status = solve_modes(flow, t, x, err);
    flow->in_slide = false;
    return status;
}

void zw_num_slide_update(zw_flow *flow, double t, const double *x) {
    const size_t size = sizeof(double) * (size_t)flow->k->nx;
    if (flow->slide_known && flow->slide_t == t && memcmp(flow->slide_x, x, size) == 0)
        return;
    memcpy(flow->slide_x, x, size);
    flow->slide_t = t;
    flow->slide_known = true;
    flow->slide_trouble = (zw_error){0};
    zw_num_slide_solve(flow, t, flow->slide_x, &flow->slide_trouble);
}

zw_status zw_num_slide_check(zw_flow *flow, double t, const double *x, zw_error *err) {
    if (flow->nslide == 0 || flow->in_slide)
        return ZW_OK;
    zw_num_slide_update(flow, t, x);
    if (flow->slide_trouble.status >= 0)
        return ZW_OK;
    zw_fail(err, flow->slide_trouble.status, "%s", flow->slide_trouble.text);
    if (flow->slide_trouble.hint[0])
        zw_error_hint(err, "%s", flow->slide_trouble.hint);
    return flow->slide_trouble.status;
}

/* ---- derivatives, by differences, since s has no formula ---- */

zw_status zw_num_slide_jacobian(zw_flow *flow, double t, const double *x, double *J, int ld,
                                zw_error *err) {
    const zw_kernel *k = flow->k;
    double *shifted = flow->slide_shifted, *at = flow->slide_at, *z = flow->slide_z;
    for (int j = -1; j < k->nx; j++) {
        double width = j < 0 ? 0 : DIFFERENCE_STEP * (ENTRY_MIN + fabs(x[j]));
        memcpy(shifted, x, sizeof(double) * (size_t)k->nx);
        if (j >= 0)
            shifted[j] += width;
        double *out = j < 0 ? at : J + (size_t)j * (size_t)ld;
        ZW_TRY(zw_num_accel(flow, t, shifted, out, z, err));
        memcpy(out + k->nq, z, sizeof(double) * (size_t)k->nv);
        for (int i = 0; j >= 0 && i < k->nx; i++)
            out[i] = (out[i] - at[i]) / width;
    }
    return ZW_OK;
}
