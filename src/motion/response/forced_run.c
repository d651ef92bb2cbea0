/* SPDX-License-Identifier: MIT */
/* One forced motion as the result of a run from its state at t = 0, independent of the series: over
 * a period, or over some periods of the lowest frequency if there is no common one. The difference
 * between the run and the series is the check. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "forced_tones.h"
#include "motion/harmonic/balance.h"
#include "motion/motion_words.h"

enum { CHECKED = 32 }; /* periods of the lowest frequency that are compared with a series */
/* relative to the width: range of a coordinate that is rounding, and not compared */
#define RANGE_LEAST 1e-9

/* the state at t = 0: of shooting, or of the series, projected onto the constraints, from which a
 * series departs by the harmonics that are left out */
static zw_status find_start(zw_forced *f, const zw_forced_motion *m, double *x, zw_error *err) {
    double w, slope;
    if (m->state) {
        memcpy(x, m->state, sizeof(double) * (size_t)f->kernel->nx);
        return ZW_OK;
    }
    ZW_TRY(zw_forced_load_motion(f, m, err));
    ZW_TRY(zw_forced_set(f, m->value, f->now, &w, &slope, err));
    if (zw_forced_has_tones(f)) /* all frequencies */
        ZW_TRY(zw_harmonic_go_to(f->balance, m->value, NULL, err));
    ZW_TRY(zw_flow_set_parameters(f->flow, f->now, err));
    zw_harmonic_state(f->balance, f->x, m->w, 0, x, NULL);
    return zw_flow_project(f->flow, 0, x, NULL, err);
}

/* the start of the full system for a state; attitudes that are left out begin as in the model */
static int list_start(const zw_forced *f, const double *x, zw_sim_number *start) {
    const zw_system *s = f->full;
    int n = 0;
    for (int i = 0; i < s->nq + s->nv; i++) {
        int from = i < s->nq ? f->sys_index[i] : f->sys->nq + i - s->nq;
        if (from >= 0)
            start[n++] = (zw_sim_number){.index = i, .value = x[from]};
    }
    return n;
}

/* distance of the rows of a run from the series of f->x at the same times, relative to the
 * ranges of the coordinates */
static double run_distance(zw_forced *f, const zw_forced_motion *m, const zw_table *rows,
                           double *x) {
    double gap = 0;
    for (long i = 0; i < zw_table_rows(rows); i++) {
        zw_harmonic_state(f->balance, f->x, m->w, zw_table_at(rows, i, 0), x, NULL);
        for (int k = 0; k < f->sys->nq; k++) {
            int column = zw_table_find(rows, f->sys->coord[k].name);
            double range = m->measure[k].max - m->measure[k].min;
            if (column >= 0 && range > RANGE_LEAST * f->width[k])
                gap = fmax(gap, fabs(zw_table_at(rows, i, column) - x[k]) / range);
        }
    }
    return gap;
}

static zw_status run_torus(zw_forced *f, const zw_forced_motion *m, const zw_sim_numbers *numbers,
                           double *x, int rows, const zw_model_source *source, zw_table **out,
                           double *gap, zw_error *err) {
    double time = CHECKED * 2 * M_PI / zw_forced_slowest(f, m->frequency);
    ZW_TRY(zw_motion_run(f->full, source, numbers, time, CHECKED * rows / 4, NULL, NULL, out, NULL,
                         err));
    if (gap)
        *gap = run_distance(f, m, *out, x);
    return ZW_OK;
}

static zw_status run_period(zw_forced *f, const zw_forced_motion *m, const zw_sim_numbers *numbers,
                            int rows, const zw_model_source *source, zw_table **out, double *gap,
                            zw_error *err) {
    const zw_system *s = f->full;
    /* NaN for coordinates that are left out */
    double *rotation = ZW_NEW(&f->arena, double, s->nq + 1);
    if (!rotation)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < s->nq; i++)
        rotation[i] = f->sys_index[i] < 0 ? (double)NAN
                      : f->winding        ? f->winding[f->sys_index[i]]
                                          : 0;
    ZW_TRY(zw_motion_run(s, f->reduction ? NULL : source, numbers, 2 * M_PI / m->w, rows, rotation,
                         NULL, out, gap, err));
    if (!f->reduction)
        return ZW_OK;
    zw_table_destroy(*out);
    return zw_forced_reduced_run(f, m, rows, source, out, err);
}

zw_status zw_forced_motion_table(zw_forced *f, int number, int rows, const zw_model_source *source,
                                 zw_table **out, double *gap, zw_error *err) {
    assert(out);
    const zw_forced_motion *m = &f->motion[number];
    double *x = ZW_NEW(&f->arena, double, f->kernel->nx + 1);
    zw_sim_number *start = ZW_NEW(&f->arena, zw_sim_number, f->full->nq + f->full->nv + 1),
                  param[2];
    *out = NULL;
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(find_start(f, m, x, err));
    zw_sim_numbers numbers = {.nparam = zw_forced_run_parameters(f, m->value, param),
                              .param = param,
                              .nstart = list_start(f, x, start),
                              .start = start};
    return zw_forced_has_tones(f) ? run_torus(f, m, &numbers, x, rows, source, out, gap, err)
                                  : run_period(f, m, &numbers, rows, source, out, gap, err);
}
