/* SPDX-License-Identifier: MIT */
/* From a system to something that can be integrated, and its start. */
#include "internal.h"

static zw_kernel_options kernel_options(const zw_sim *sim) {
    zw_kernel_options options = zw_kernel_options_default();
    options.jit = sim->options.jit;
    return options;
}

static zw_status fill(zw_sim *sim, zw_sim_stage *stage, zw_error *err) {
    const char *principle = sim->options.principle;
    zw_kernel_options options = kernel_options(sim);
    ZW_TRY(zw_derive(&stage->eq, stage->world->sys, principle ? principle : "lagrange", err));
    ZW_TRY(zw_kernel_create(&stage->kernel, &stage->eq, &options, err));
    stage->x = ZW_NEW(&sim->arena, double, stage->kernel->nx);
    if (!stage->x)
        return zw_fail(err, ZW_E_MEMORY, "out of memory for the simulation");
    return zw_run_create(&stage->run, stage->kernel, stage->world->p, &sim->options.run, err);
}

zw_status zw_sim_stage_create(zw_sim *sim, zw_sim_stage **out, const zw_sim_world *world,
                              zw_error *err) {
    zw_sim_stage *stage = ZW_NEW(&sim->arena, zw_sim_stage, 1);
    *out = NULL;
    if (!stage)
        return zw_fail(err, ZW_E_MEMORY, "out of memory for the simulation");
    stage->world = world;
    zw_status status = fill(sim, stage, err);
    if (status < 0)
        zw_sim_stage_destroy(stage);
    else
        *out = stage;
    return status;
}

void zw_sim_stage_destroy(zw_sim_stage *stage) {
    if (!stage)
        return;
    zw_run_destroy(stage->run);
    zw_kernel_destroy(stage->kernel);
}

/* ------------------------------------------------------------------------------------- the start */

/* x = (q, v) of the system completed with this run, whose velocities are the system's */
static zw_status complete(const zw_equations *eq, zw_run *run, double t, double *x,
                          const bool *fixed, zw_error *err) {
    zw_status status = zw_run_consistent(run, t, x, fixed, NULL, err);
    if (status < 0)
        zw_sim_explain(eq, run, err);
    return status;
}

/* the same where a principle has other velocities: by the equations of Lagrange */
static zw_status complete_by_lagrange(const zw_sim *sim, const zw_sim_world *world, double t,
                                      double *x, const bool *fixed, zw_error *err) {
    zw_equations eq;
    zw_kernel *kernel = NULL;
    zw_run *run = NULL;
    zw_kernel_options options = zw_kernel_options_default();
    options.jit = 0;
    ZW_TRY(zw_derive(&eq, world->sys, "lagrange", err));
    zw_status status = zw_kernel_create(&kernel, &eq, &options, err);
    if (status >= 0)
        status = zw_run_create(&run, kernel, world->p, &sim->options.run, err);
    if (status >= 0)
        status = complete(&eq, run, t, x, fixed, err);
    zw_run_destroy(run);
    zw_kernel_destroy(kernel);
    return status;
}

zw_status zw_sim_stage_start(zw_sim *sim, zw_sim_stage *stage, double t, zw_error *err) {
    const zw_system *s = stage->world->sys;
    const double *p = stage->world->p;
    double *x = ZW_NEW(&sim->arena, double, s->nq + s->nv);
    bool *fixed = ZW_NEW(&sim->arena, bool, s->nq + s->nv);
    if (!x || !fixed)
        return zw_fail(err, ZW_E_MEMORY, "out of memory for the simulation");
    ZW_TRY(zw_system_start_state(s, p, x, fixed, err));
    if (stage->eq.from_system)
        ZW_TRY(complete_by_lagrange(sim, stage->world, t, x, fixed, err));
    else
        ZW_TRY(complete(&stage->eq, stage->run, t, x, fixed, err));
    ZW_TRY(zw_equations_state(&stage->eq, t, p, x, stage->x, err));
    zw_status status = zw_run_start(stage->run, t, stage->x, err);
    if (status < 0)
        zw_sim_explain(&stage->eq, stage->run, err);
    return status;
}
