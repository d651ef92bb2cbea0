/* SPDX-License-Identifier: MIT */
/* What a slow manifold is like, all at once: over a box, along a run, at canards. */
#include <math.h>

#include "manifold.h"

static zw_status check_hyperbolic(const zw_manifold_nature *n, zw_error *err) {
    if (n->attracting == n->npoint || n->repelling == n->npoint || n->saddle == n->npoint)
        return ZW_OK;
    zw_fail(err, ZW_E_NUMERIC, "the manifold is not normally hyperbolic over the whole box");
    zw_error_hint(err, "use a --box on one side of the folds, on the branch below or above which "
                       "the start lies");
    return ZW_E_NUMERIC;
}

static zw_status study_box(zw_manifold *m, const zw_manifold_task *task, zw_manifold_summary *s,
                           zw_table **rows, zw_error *err) {
    ZW_TRY(zw_manifold_judge(m, task->box, &s->nature, err));
    s->has_nature = true;
    if (task->portrait > 0) {
        zw_table *unused = NULL;
        ZW_TRY(zw_manifold_portrait(m, task->order, task->box, task->portrait, task->time,
                                    task->source, rows ? rows : &unused, err));
        zw_table_destroy(unused);
        s->nmotion = task->portrait * task->portrait;
        return ZW_OK;
    }
    bool surface = rows && !(task->until > 0);
    if (task->nlevel > 0 || surface)
        ZW_TRY(check_hyperbolic(&s->nature, err));
    if (task->nlevel > 0) {
        ZW_TRY(zw_manifold_measure(m, task->box, task->nlevel, task->time, &s->errors, err));
        s->has_errors = true;
        s->has_flow = task->time > 0;
    }
    if (!surface)
        return ZW_OK;
    ZW_TRY(zw_manifold_surface(m, task->box, task->source, &s->trust, rows, err));
    s->has_surface = true;
    return ZW_OK;
}

static zw_status follow_run(zw_manifold *m, const zw_manifold_task *task, zw_manifold_summary *s,
                            zw_table **rows, zw_error *err) {
    if (rows) { /* a run has precedence over a portrait */
        zw_table_destroy(*rows);
        *rows = NULL;
    }
    ZW_TRY(zw_manifold_follow(m, task->order, task->until, task->step, task->source, &s->approach,
                              rows, err));
    s->until = task->until;
    s->has_run = true;
    return ZW_OK;
}

zw_status zw_manifold_summarise(zw_manifold *m, const zw_manifold_task *task,
                                zw_manifold_summary *s, zw_table **rows, zw_error *err) {
    *s = (zw_manifold_summary){.time = task->time};
    if (rows)
        *rows = NULL;
    if (!task->box || task->box->n == 0) {
        ZW_TRY(zw_manifold_judge_start(m, &s->start, err));
        s->has_start = true;
    } else if (task->canard) {
        ZW_TRY(zw_manifold_find_canard(m, task->canard, task->order, task->box,
                                       ZW_MANIFOLD_CANARDS_MOST, s->canard, &s->ncanard, err));
    } else {
        ZW_TRY(study_box(m, task, s, rows, err));
    }
    return task->until > 0 ? follow_run(m, task, s, rows, err) : ZW_OK;
}
