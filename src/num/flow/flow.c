/* SPDX-License-Identifier: MIT */
/* Creation of a flow and its external functions; its computations are in accel.c, project.c, ... */
#include "flow.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/slice.h"
#include "num/events/slide.h"
#include "num/linear/gauss_qp.h"
#include "workspace.h"

/* ---- memory ---- */

static int larger_int(int a, int b) {
    return a > b ? a : b;
}

static void slice_switches(zw_flow *flow, const zw_kernel *k, zw_slicer *s) {
    int n = k->nswitch;
    flow->slide = zw_slice_ints(s, n);
    flow->slide_pivot = zw_slice_ints(s, n);
    flow->mode_kept = zw_slice_doubles(s, k->nmode);
    flow->switch_slope = zw_slice_doubles(s, n * (k->nx + 1));
    flow->slide_d = zw_slice_doubles(s, n);
    flow->slide_ahead = zw_slice_doubles(s, n);
    flow->slide_b = zw_slice_doubles(s, n);
    flow->slide_A = zw_slice_doubles(s, n * n);
    flow->slide_LU = zw_slice_doubles(s, n * n);
    flow->slide_x = zw_slice_doubles(s, k->nx);
    flow->slide_rate = zw_slice_doubles(s, k->nx);
    flow->slide_shifted = zw_slice_doubles(s, k->nx);
    flow->slide_at = zw_slice_doubles(s, k->nx);
    flow->slide_z = zw_slice_doubles(s, k->nz);
    flow->slide_here = zw_slice_doubles(s, k->nx + k->nc);
    flow->slide_there = zw_slice_doubles(s, k->nx + k->nc);
}

static void slice_all(zw_flow *flow, const zw_kernel *k, zw_slicer *s) {
    int nrow =
        larger_int(k->nq, k->nv) + larger_int(k->npos + k->nstart_pos, k->nvel + k->nstart_vel);
    flow->p = zw_slice_doubles(s, k->np);
    flow->u = zw_slice_doubles(s, k->nu + k->nmode);
    flow->u_at = zw_slice_doubles(s, k->nu + k->nmode);
    flow->fault_x = zw_slice_doubles(s, k->nx);
    flow->K = zw_slice_doubles(s, k->nz * k->nz);
    flow->scale = zw_slice_doubles(s, k->nz);
    flow->row = zw_slice_doubles(s, k->nz);
    flow->qdot = zw_slice_doubles(s, k->nq);
    flow->z = zw_slice_doubles(s, k->nz);
    flow->sides = zw_slice_doubles(s, larger_int(k->nx, k->nz) * k->nz);
    flow->spare = zw_slice_doubles(s, k->nz);
    flow->pivot = zw_slice_ints(s, k->nz);
    flow->left_out = zw_slice_ints(s, k->nc);
    flow->unit = zw_slice_doubles(s, k->nc);
    flow->gauss = zw_slice_doubles(s, k->inequality ? zw_num_gauss_work(k->nv, k->nc) : 0);
    flow->gauss_places = zw_slice_ints(s, k->inequality ? zw_num_gauss_places(k->nc) : 0);
    flow->L = zw_slice_doubles(s, k->nv * k->nv);
    flow->rows = zw_slice_doubles(s, nrow * k->nv);
    flow->residual = zw_slice_doubles(s, nrow);
    flow->tau = zw_slice_doubles(s, k->nv);
    flow->step = zw_slice_doubles(s, k->nv);
    flow->trial = zw_slice_doubles(s, k->nx);
    flow->point = zw_slice_doubles(s, k->nx);
    flow->order = zw_slice_ints(s, nrow);
    flow->size = zw_slice_doubles(s, larger_int(nrow, k->nc));
    flow->omitted = zw_slice_bools(s, nrow);
    flow->reach = zw_slice_doubles(s, k->npos + k->nvel);
    flow->reach_sum = zw_slice_doubles(s, k->npos + k->nvel);
    flow->kept = zw_slice_doubles(s, k->nleaf ? k->nq : 0);
    flow->leaf = zw_slice_doubles(s, k->nleaf);
    if (k->nswitch > 0)
        slice_switches(flow, k, s);
}

static void slice_calls(zw_flow *flow, zw_slicer *s) {
    flow->cache = zw_slice_doubles(s, flow->k->ncache);
    flow->out = zw_slice_doubles(s, flow->k->nout);
    flow->work = zw_slice_doubles(s, flow->k->nwork);
}

static zw_status allocate_calls(zw_flow *flow, zw_error *err) {
    zw_slicer need = {NULL, 0};
    slice_calls(flow, &need);
    zw_slicer s = {zw_allocate(&flow->alloc, need.used + 1), 0};
    if (!s.base)
        return zw_out_of_memory(err, "a flow");
    if (flow->calls)
        zw_release(&flow->alloc, flow->calls, flow->calls_bytes);
    flow->calls = s.base;
    flow->calls_bytes = need.used + 1;
    slice_calls(flow, &s);
    flow->version = flow->k->version;
    flow->functions = flow->k->functions;
    flow->ncache = flow->k->ncache;
    return ZW_OK;
}

/* fills the cache of this flow; functions added to the kernel since then have entries after it */
static void prepare_cache(zw_flow *flow) {
    const zw_args in = {.p = flow->p};
    for (const zw_preparation *s = &flow->k->prepare; s && s->first < flow->ncache; s = s->next)
        if (s->func.call)
            zw_call(&s->func, &in, flow->cache + s->first, flow->work);
}

/* the functions that every flow calls */
static zw_functions needed_functions(const zw_kernel *k) {
    return ZW_SET(MATS) | ZW_SET(POS) | ZW_SET(VEL) | (k->own_metric ? ZW_SET(METRIC) : 0);
}

static zw_status check_kernel(const zw_kernel *k, zw_error *err) {
    if (k->lanes != 1)
        return zw_fail(err, ZW_E_OPTION, "a flow needs a kernel of one lane, this one has %d",
                       k->lanes);
    if (k->nx < 1)
        return zw_fail(err, ZW_E_MODEL, "there is nothing to integrate: the system has no motion");
    return ZW_OK;
}

zw_status zw_flow_create(zw_flow **out, const zw_kernel *kernel, const double *p, zw_error *err) {
    *out = NULL;
    ZW_TRY(check_kernel(kernel, err));
    zw_allocator alloc = kernel->alloc.fn ? kernel->alloc : zw_allocator_default();
    zw_flow measured;
    zw_slicer need = {NULL, 0};
    zw_slice(&need, sizeof(zw_flow));
    slice_all(&measured, kernel, &need);
    zw_slicer s = {zw_allocate(&alloc, need.used), 0};
    if (!s.base)
        return zw_out_of_memory(err, "a flow");
    zw_flow *flow = zw_slice(&s, sizeof(zw_flow));
    *flow = (zw_flow){.k = kernel, .alloc = alloc, .bytes = need.used};
    flow->fault.index = -1;
    slice_all(flow, kernel, &s);
    flow->mode = flow->u + kernel->nu;
    zw_num_modes_free(flow);
    zw_status status = allocate_calls(flow, err);
    if (status >= 0)
        status = zw_num_require(flow, needed_functions(kernel), "a flow", err);
    if (status >= 0)
        status = zw_flow_set_parameters(flow, p, err);
    if (status < 0) {
        zw_flow_destroy(flow);
        return status;
    }
    *out = flow;
    return ZW_OK;
}

void zw_flow_destroy(zw_flow *flow) {
    if (!flow)
        return;
    zw_num_massless_destroy(flow);
    zw_num_workspace_destroy(flow);
    zw_allocator alloc = flow->alloc;
    if (flow->calls)
        zw_release(&alloc, flow->calls, flow->calls_bytes);
    zw_release(&alloc, flow, flow->bytes);
}

zw_status zw_flow_renew(zw_flow *flow, zw_error *err) {
    if (flow->version == flow->k->version) {
        flow->functions = flow->k->functions;
        return ZW_OK;
    }
    ZW_TRY(allocate_calls(flow, err));
    prepare_cache(flow);
    return ZW_OK;
}

zw_status zw_num_require(const zw_flow *flow, zw_functions functions, const char *who,
                         zw_error *err) {
    zw_functions missing = functions & ~flow->functions;
    if (!missing)
        return ZW_OK;
    if (!(missing & ~flow->k->functions)) {
        zw_fail(err, ZW_E_MISSING, "%s needs functions that the kernel got after this flow", who);
        zw_error_hint(err, "tell the flow of them first (zw_flow_renew)");
        return ZW_E_MISSING;
    }
    missing &= ~flow->k->functions;
    char names[160] = "";
    for (int i = 0; i < ZW_FN_COUNT; i++)
        if (missing >> i & 1) {
            size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                     zw_kernel_describe(flow->k, (zw_function_name)i).name);
        }
    zw_fail(err, ZW_E_MISSING, "%s needs functions that the kernel does not have: %s", who, names);
    zw_error_hint(err, "the owner of the kernel builds them (zw_kernel_require)");
    return ZW_E_MISSING;
}

zw_status zw_num_check_finite(zw_flow *flow, double t, const double *x, int n, const double *values,
                              const char *what, zw_error *err) {
    for (int i = 0; i < n; i++) {
        if (isfinite(values[i]))
            continue;
        zw_num_fault(flow, ZW_FAULT_STATE, -1, t, values[i]);
        memcpy(flow->fault_x, x, sizeof(double) * (size_t)flow->k->nx);
        flow->fault_has_state = true;
        return zw_fail(err, ZW_E_NONFINITE, "%s is not finite at t = %.10g", what, t);
    }
    return ZW_OK;
}

/* ---- numbers ---- */

const zw_kernel *zw_flow_kernel(const zw_flow *flow) {
    return flow->k;
}

zw_status zw_flow_set_parameters(zw_flow *flow, const double *p, zw_error *err) {
    for (int i = 0; i < flow->k->np; i++)
        if (!isfinite(p[i]))
            return zw_fail(err, ZW_E_NONFINITE, "parameter %d is not finite", i + 1);
    if (flow->k->np > 0)
        memmove(flow->p, p, sizeof(double) * (size_t)flow->k->np);
    prepare_cache(flow);
    return flow->functions & ZW_SET(DELAYED) ? zw_num_check_lags(flow, err) : ZW_OK;
}

const double *zw_flow_parameters(const zw_flow *flow) {
    return flow->p;
}

void zw_flow_set_inputs(zw_flow *flow, const double *u) {
    if (flow->k->nu > 0)
        memcpy(flow->u, u, sizeof(double) * (size_t)flow->k->nu);
}

void zw_flow_on_input(zw_flow *flow, zw_flow_input input, void *user) {
    flow->input = input;
    flow->input_user = user;
}

void zw_flow_on_warning(zw_flow *flow, zw_flow_warning doubt, void *user) {
    flow->on_warning = doubt;
    flow->on_warning_user = user;
}

void zw_num_warning(const zw_flow *flow, zw_warning_kind kind, int index, double t, double value) {
    if (flow->on_warning)
        flow->on_warning(flow->on_warning_user, kind, index, t, value);
}

zw_fault zw_flow_last_fault(const zw_flow *flow) {
    return flow->fault;
}

const double *zw_flow_fault_state(const zw_flow *flow) {
    return flow->fault_has_state ? flow->fault_x : NULL;
}

/* ---- at a point ---- */

zw_status zw_flow_rates(zw_flow *flow, double t, const double *x, double *rate, double *z,
                        zw_error *err) {
    const zw_kernel *k = flow->k;
    ZW_TRY(zw_num_accel(flow, t, x, rate, flow->z, err));
    memcpy(rate + k->nq, flow->z, sizeof(double) * (size_t)k->nv);
    if (z)
        memcpy(z, flow->z, sizeof(double) * (size_t)k->nz);
    return ZW_OK;
}

int zw_flow_essential(const zw_flow *flow, int *entry) {
    const zw_kernel *k = flow->k;
    int n = 0;
    for (int i = 0; i < k->nx; i++)
        if (i >= k->nq || !k->ignorable || !k->ignorable[i])
            entry[n++] = i;
    return n;
}

zw_mats_parts zw_flow_matrices(zw_flow *flow, double t, const double *x) {
    return zw_at_mats(flow, t, x, NULL);
}

zw_status zw_flow_project(zw_flow *flow, double t, double *x, const bool *fixed, zw_error *err) {
    flow->fault = (zw_fault){ZW_FAULT_NONE, -1, t, 0};
    return zw_num_project(flow, t, x, fixed, err);
}
