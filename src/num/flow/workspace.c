/* SPDX-License-Identifier: MIT */
#include "workspace.h"

#include "base/arena.h"
#include "base/slice.h"

int zw_num_levels(const zw_kernel *k) {
    return k->npos + k->nunit + k->nvel;
}

static void slice_all(zw_num_workspace *a, const zw_kernel *k, zw_slicer *s) {
    int ng = zw_num_levels(k), nx = k->nx;
    a->z = zw_slice_doubles(s, k->nz);
    for (int i = 0; i < 6; i++)
        a->dz[i] = zw_slice_doubles(s, k->nz);
    for (int i = 0; i < 3; i++)
        a->d[i] = zw_slice_doubles(s, nx + k->nz);
    a->Z = zw_slice_doubles(s, k->nz * nx);
    a->P = zw_slice_doubles(s, k->nz * k->npar);
    a->J = zw_slice_doubles(s, nx * nx);
    a->G = zw_slice_doubles(s, ng * nx);
    a->g = zw_slice_doubles(s, ng);
    a->stack = zw_slice_doubles(s, (ng + nx) * nx);
    a->right = zw_slice_doubles(s, ng + nx);
    a->tau = zw_slice_doubles(s, nx);
    a->order = zw_slice_ints(s, ng + nx);
    a->LQ = zw_slice_doubles(s, k->nq * k->nq);
    a->FtF = zw_slice_doubles(s, k->nv * k->nv);
    a->pinv = zw_slice_doubles(s, k->nv * k->nq);
    a->column = zw_slice_doubles(s, nx);
    a->moved = zw_slice_doubles(s, nx);
    a->pivot = zw_slice_ints(s, k->nv);
    a->dae.n = zw_num_dae_size(k);
    a->dae.S = zw_slice_doubles(s, k->nv);
    a->dae.w = zw_slice_doubles(s, k->nv);
    a->dae.skip_lambda = zw_slice_ints(s, k->nc);
    a->dae.skip_mu = zw_slice_ints(s, k->npos);
}

zw_status zw_num_workspace_get(zw_flow *flow, zw_num_workspace **out, zw_error *err) {
    *out = flow->workspace;
    if (*out)
        return ZW_OK;
    zw_num_workspace measured;
    zw_slicer need = {NULL, 0};
    zw_slice(&need, sizeof(zw_num_workspace));
    slice_all(&measured, flow->k, &need);
    zw_slicer s = {zw_allocate(&flow->alloc, need.used), 0};
    if (!s.base)
        return zw_out_of_memory(err, "the derivatives of a flow");
    zw_num_workspace *a = zw_slice(&s, sizeof *a);
    slice_all(a, flow->k, &s);
    a->bytes = need.used;
    *out = flow->workspace = a;
    return ZW_OK;
}

void zw_num_workspace_destroy(zw_flow *flow) {
    if (flow->workspace)
        zw_release(&flow->alloc, flow->workspace, flow->workspace->bytes);
    flow->workspace = NULL;
}
