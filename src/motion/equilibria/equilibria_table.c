/* SPDX-License-Identifier: MIT */
/* Motions that were not integrated, in the form of the result of a run: its columns and notes,
 * filled from states. */
#include <string.h>

#include "base/arena.h"
#include "equilibria.h"
#include "zwang/simulate.h"

/* Work on a table. */
typedef struct table_work {
    zw_equilibria *e;
    const zw_system *sys;
    zw_table *rows;
    double *work;
} table_work;

/* The value of a column in a row of the motion. */
static double value_of(const table_work *m, const char *name, double t, const double *x,
                       const double *z, const double *obs) {
    const zw_equations *eq = &m->e->eq;
    const zw_system *s = m->sys;
    const char *unit;
    int nobs = m->e->kernel->nobs;
    if (strcmp(name, "t") == 0)
        return t;
    for (int i = 0; i < eq->nq + eq->nv; i++)
        if (strcmp(zw_equilibria_entry(m->e, i, &unit), name) == 0)
            return x[i];
    for (int i = 0; i < eq->nc; i++)
        if (strcmp(zw_expr_name(s->ctx, eq->lambda[i]), name) == 0)
            return z[eq->nv + i];
    for (int i = 0; i < s->nobservable; i++)
        if (strcmp(s->observable[i].name, name) == 0)
            return obs[i];
    for (int i = 0; i < s->nv && eq->system_v; i++)
        if (strcmp(s->velocity[i].name, name) == 0)
            return obs[eq->sys->nobservable + i];
    if (strcmp(name, "kinetic") == 0)
        return obs[nobs];
    if (strcmp(name, "potential") == 0)
        return obs[nobs + 1];
    return strcmp(name, "energy") == 0 ? obs[nobs] + obs[nobs + 1] : 0;
}

static zw_status fill_rows(table_work *m, int n, const double *t, const double *x, zw_error *err) {
    const zw_kernel *k = m->e->kernel;
    double *rate = m->work, *z = rate + k->nx, *obs = z + k->nz, *row = obs + k->nobs + 2;
    for (int i = 0; i < n; i++, x += k->nx) {
        ZW_TRY(zw_flow_rates(m->e->flow, t[i], x, rate, z, err));
        ZW_TRY(zw_flow_observables(m->e->flow, t[i], x, obs, err));
        for (int c = 0; c < zw_table_columns(m->rows); c++)
            row[c] = value_of(m, zw_table_name(m->rows, c), t[i], x, z, obs);
        if (zw_table_row(m->rows, row) < 0)
            return zw_out_of_memory(err, NULL);
    }
    return ZW_OK;
}

static zw_status make_table(table_work *m, const zw_model_source *source,
                            const zw_sim_numbers *numbers, const char *method, zw_error *err) {
    static const char *const of_runs[] = {"options", "step out", "rtol", "atol"};
    zw_sim_options options = zw_sim_options_default();
    zw_sim *sim;
    options.numbers = numbers;
    options.principle = m->e->options.by;
    ZW_TRY(zw_sim_create(&sim, m->sys, source, &options, err));
    m->rows = zw_table_create_like(zw_sim_rows(sim));
    zw_sim_destroy(sim);
    if (!m->rows)
        return zw_out_of_memory(err, NULL);
    for (size_t i = 0; i < sizeof of_runs / sizeof *of_runs; i++)
        zw_table_remove_note(m->rows, of_runs[i]);
    const zw_kernel *k = m->e->kernel;
    m->work = ZW_NEW(&m->e->arena, double, k->nx + k->nz + k->nobs + 3 + zw_table_columns(m->rows));
    if (!m->work || zw_table_note(m->rows, "method", method) < 0)
        return zw_out_of_memory(err, NULL);
    return ZW_OK;
}

zw_status zw_equilibria_motion_table(zw_equilibria *e, const zw_system *sys,
                                     const zw_model_source *source, const zw_sim_numbers *numbers,
                                     const char *method, int n, const double *t, const double *x,
                                     zw_table **out, zw_error *err) {
    table_work m = {.e = e, .sys = sys};
    *out = NULL;
    zw_status status = make_table(&m, source, numbers, method, err);
    if (status >= 0)
        status = fill_rows(&m, n, t, x, err);
    if (status < 0)
        zw_table_destroy(m.rows);
    else
        *out = m.rows;
    return status;
}
