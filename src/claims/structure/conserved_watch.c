/* SPDX-License-Identifier: MIT */
/* Conserved observables along the rows of a run: how far each of them has moved, relative to the
 * sizes of its terms at the start. Observables that an event or a contact may change are not
 * watched. */
#include <math.h>

#include "conserved.h"
#include "expr/core/rounding_size.h"
#include "mech/system/sample.h"

/* of a system that is classified before each run: takes well below a second */
enum { VELOCITIES_MOST = 40 };

/* Is it known in advance that there is no answer, or that it would take long? */
static bool is_excluded(const zw_system *s) {
    for (int i = 0; i < s->nevent; i++)
        if (s->event[i].naction)
            return true;
    return s->nobservable == 0 || s->nv > VELOCITIES_MOST;
}

/* The state of the first row; false if a column is missing. */
static bool take_state(zw_sample *at, const zw_system *s, const zw_table *rows) {
    for (int i = 0; i < s->nq + s->nv + 1; i++) {
        const char *name = i < s->nq           ? s->coord[i].name
                           : i < s->nq + s->nv ? s->velocity[i - s->nq].name
                                               : "t";
        int column = zw_table_find(rows, name);
        if (column < 0)
            return false;
        at->value[s->np + i] = zw_table_at(rows, 0, column);
    }
    return true;
}

static void find_drift(const zw_table *rows, int column, double size, zw_watched *out) {
    double first = zw_table_at(rows, 0, column);
    for (long i = 1; i < zw_table_rows(rows); i++) {
        double drift = fabs(zw_table_at(rows, i, column) - first) / size;
        if (drift > out->drift) {
            out->drift = drift;
            out->t = zw_table_at(rows, i, 0);
        }
    }
}

static zw_status measure_drifts(const zw_system *s, const zw_active *active, const zw_table *rows,
                                int most, zw_watched *out, int *n, zw_error *err) {
    zw_classification is;
    zw_sample at;
    zw_error trouble = {0};
    ZW_TRY(zw_sample_init(&at, s, err));
    zw_status status = zw_observables_that_stay(&is, s, active, NULL, false, &trouble);
    if (status < 0) /* the run has reported the error */
        return status == ZW_E_MEMORY ? zw_fail(err, status, "%s", trouble.text) : ZW_OK;
    if (!take_state(&at, s, rows))
        return ZW_OK;
    for (int i = 0; i < is.nconserved && *n < most; i++) {
        const zw_conserved *c = &is.conserved[i];
        int column = zw_table_find(rows, c->name);
        zw_sized size;
        if (c->while_open || column < 0)
            continue;
        zw_eval_sizes(s->ctx, 1, &c->value, at.n, at.sym, at.value, &size);
        if (!(size.size > 0) || !isfinite(size.size))
            continue;
        out[*n] = (zw_watched){.name = c->name, .t = zw_table_at(rows, 0, 0)};
        find_drift(rows, column, size.size, &out[(*n)++]);
    }
    return ZW_OK;
}

zw_status zw_conserved_watch(const zw_system *s, const zw_active *active, const zw_table *rows,
                             int most, zw_watched *out, int *n, zw_error *err) {
    *n = 0;
    if (is_excluded(s) || zw_table_rows(rows) < 2)
        return ZW_OK;
    zw_arena_mark mark = zw_scratch_mark(s->ctx);
    zw_status status = measure_drifts(s, active, rows, most, out, n, err);
    zw_scratch_release(s->ctx, mark);
    return status;
}
