/* SPDX-License-Identifier: MIT */
/* What a slip manifold is like, all at once: its expansion at the start and after the motion of
 * order 0, a run of the whole model, and the errors of the orders. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/tolerance.h"
#include "slip.h"

/* The start has slip velocities: it does not belong to the constrained model, but its slow point
 * x does. */
static zw_status keep_slow_start(zw_slip_manifold *n, const double *x, zw_slip_manifold_summary *s,
                                 zw_error *err) {
    double size, speed, slips[ZW_SLIP_MANIFOLD_FAST_MOST];
    ZW_TRY(zw_slip_manifold_slips(n, 0, n->start, slips, err));
    ZW_TRY(zw_slip_manifold_size(n, 0, n->start, slips, &size, &speed, err));
    if (size <= ZW_ROUNDOFF_SUM * speed)
        return ZW_OK;
    double *slow = ZW_SLIP_MANIFOLD_NEW(n, double, n->nx);
    if (!slow)
        return zw_slip_manifold_memory(err);
    memcpy(slow, x, sizeof *slow * (size_t)n->nx);
    s->slow = slow;
    return ZW_OK;
}

static zw_status find_points(zw_slip_manifold *n, const zw_slip_manifold_task *task,
                             zw_slip_manifold_summary *s, zw_error *err) {
    double *x = ZW_SLIP_MANIFOLD_NEW(n, double, n->nx);
    if (!x)
        return zw_slip_manifold_memory(err);
    memcpy(x, n->start, sizeof *x * (size_t)n->nx);
    ZW_TRY(zw_slip_manifold_move(n, 0, x, NULL, err));
    ZW_TRY(keep_slow_start(n, x, s, err));
    for (int i = 0; i < (task->until > 0 ? 2 : 1); i++) {
        zw_slip_manifold_place *p = &s->place[i];
        p->t = i ? task->until : 0;
        if (i)
            ZW_TRY(zw_slip_manifold_flow(n, 0, n->result.eps, 0, p->t, x, err));
        ZW_TRY(zw_slip_manifold_expand(n, p->t, x, p->g, p->rate_re, p->rate_im, p->force, err));
        s->nplace = i + 1;
    }
    return ZW_OK;
}

zw_status zw_slip_manifold_summarise(zw_slip_manifold *n, const zw_slip_manifold_task *task,
                                     zw_slip_manifold_summary *s, zw_table **rows, zw_error *err) {
    zw_error why = {0};
    *s = (zw_slip_manifold_summary){.until = task->until, .time = task->time, .gap = NAN};
    ZW_TRY(find_points(n, task, s, err));
    if (task->until > 0) {
        ZW_TRY(zw_slip_manifold_follow(n, task->until, task->step, task->source, &s->along, rows,
                                       err));
        s->has_run = true;
        s->gap = s->along.gap;
        s->gap_at = s->along.gap_at;
    } else if (zw_slip_manifold_gap(n, 0, n->start, &s->gap, &why) < 0) {
        s->gap = NAN; /* unknown with dependent constraints */
    }
    if (task->nlevel > 0) {
        ZW_TRY(zw_slip_manifold_measure(n, task->until, task->nlevel, task->time, &s->errors, err));
        s->has_errors = true;
    }
    return ZW_OK;
}
