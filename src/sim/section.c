/* SPDX-License-Identifier: MIT */
/* Poincaré sections of a motion: the states at some of its events, at zeros of a function or at
 * ticks of a clock. The columns of a motion are continuous; on a section an angle may be
 * reduced to one period. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "internal.h"

/* the number of an event; ZW_E_NAME, with the nearest one, if there is none of that name */
static zw_status find_event(const zw_sim *sim, const char *name, int *out, zw_error *err) {
    for (int i = 0; i < sim->nevent; i++)
        if (strcmp(sim->event[i], name) == 0) {
            *out = i;
            return ZW_OK;
        }
    zw_fail(err, ZW_E_NAME, "the model has no event %s", name);
    const char *near = zw_nearest(name, sim->nevent, sim->event);
    if (near)
        zw_error_hint(err, "did you mean %s?", near);
    return ZW_E_NAME;
}

static zw_status select_events(const zw_sim *sim, int n, const char *const *name, bool *wanted,
                               zw_error *err) {
    for (int i = 0; i < sim->nevent; i++)
        wanted[i] = n == 0;
    for (int i = 0; i < n; i++) {
        int event;
        ZW_TRY(find_event(sim, name[i], &event, err));
        wanted[event] = true;
    }
    return ZW_OK;
}

/* the period of every column of the events, 0 where it has none */
static zw_status find_periods(const zw_sim *sim, double *period, zw_error *err) {
    const zw_sim_variant_state *w = sim->worlds;
    const zw_system *s = w->sys;
    zw_allocator alloc = sim->arena.alloc;
    size_t bytes = sizeof(zw_expr) * (size_t)(s->np + 1);
    zw_expr *sym = zw_allocate(&alloc, bytes);
    if (!sym)
        return zw_out_of_memory(err, "the result");
    for (int i = 0; i < s->np; i++)
        sym[i] = s->param[i].sym;
    for (int i = 0; i < s->nq; i++)
        if (s->coord[i].period)
            period[zw_table_find(sim->events, s->coord[i].name)] =
                zw_eval(s->ctx, s->coord[i].period, s->np, sym, w->p);
    zw_release(&alloc, sym, bytes);
    return ZW_OK;
}

static zw_status copy_rows(const zw_table *from, const bool *wanted, const double *period,
                           double *row, zw_table *to) {
    for (long i = 0; i < zw_table_rows(from); i++) {
        if (!wanted[(int)zw_table_at(from, i, 0)])
            continue;
        for (int k = 0; k < zw_table_columns(from); k++) {
            double value = zw_table_at(from, i, k);
            row[k] = period[k] > 0 ? remainder(value, period[k]) : value;
        }
        ZW_TRY(zw_table_row(to, row));
    }
    return ZW_OK;
}

zw_status zw_sim_section(const zw_sim *sim, int n, const char *const *name, bool wrap,
                         zw_table **out, zw_error *err) {
    assert(out);
    zw_arena scratch;
    int columns = zw_table_columns(sim->events);
    *out = NULL;
    zw_arena_init(&scratch, &sim->arena.alloc);
    bool *wanted = ZW_NEW(&scratch, bool, sim->nevent + 1);
    double *period = ZW_NEW(&scratch, double, columns), *row = ZW_NEW(&scratch, double, columns);
    zw_table *t = scratch.failed ? NULL : zw_table_create_like(sim->events);
    zw_status status = t ? select_events(sim, n, name, wanted, err) : ZW_E_MEMORY;
    if (status >= 0 && wrap)
        status = find_periods(sim, period, err);
    if (status >= 0)
        status = copy_rows(sim->events, wanted, period, row, t);
    if (status == ZW_E_MEMORY)
        zw_out_of_memory(err, "the result");
    zw_arena_clear(&scratch);
    if (status < 0)
        zw_table_destroy(t);
    else
        *out = t;
    return status;
}
