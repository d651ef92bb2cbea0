/* SPDX-License-Identifier: MIT */
/* Parameters of a motion. A model may define parameters by others (w = sqrt(g/L)); if a client
 * changes L, w follows; if it changes w, w does not. A derived parameter whose value follows from
 * the others does not count as set, so that a client may also fill in all of them by
 * zw_ensemble_defaults. */
#include <string.h>

#include "base/arena.h"
#include "internal.h"

zw_status zw_ensemble_params_init(zw_ensemble_params *q, zw_arena *arena, const zw_system *s,
                                  zw_error *err) {
    *q = (zw_ensemble_params){.np = s->np};
    q->model = ZW_NEW(arena, double, s->np + 1);
    q->derived = ZW_NEW(arena, int, s->np + 1);
    q->set = ZW_NEW(arena, bool, s->np + 1);
    q->all = ZW_NEW(arena, bool, s->np + 1);
    q->followed = ZW_NEW(arena, double, s->np + 1);
    if (arena->failed)
        return zw_out_of_memory(err, "an ensemble");
    for (int i = 0; i < s->np; i++)
        for (int k = 0; k < s->np; k++)
            if (zw_depends(s->ctx, s->param[i].value, s->param[k].sym)) {
                q->derived[q->nderived++] = i;
                break;
            }
    return zw_system_param_values(s, q->model, err);
}

zw_status zw_ensemble_params_share(zw_ensemble_params *q, zw_arena *arena,
                                   const zw_ensemble_params *other, zw_error *err) {
    /* copies only data that does not change: the other worker may be running */
    *q = (zw_ensemble_params){.np = other->np,
                              .model = other->model,
                              .nderived = other->nderived,
                              .derived = other->derived};
    q->set = ZW_NEW(arena, bool, q->np + 1);
    q->all = ZW_NEW(arena, bool, q->np + 1);
    q->followed = ZW_NEW(arena, double, q->np + 1);
    return arena->failed ? zw_out_of_memory(err, "an ensemble") : ZW_OK;
}

zw_status zw_ensemble_params_follow(zw_ensemble_params *q, const zw_system *s, const double *before,
                                    double *p, zw_error *err) {
    size_t bytes = sizeof *p * (size_t)q->np;
    for (int i = 0; i < q->np; i++)
        q->set[i] = q->set[i] || memcmp(&p[i], &before[i], sizeof *p) != 0;
    if (q->nderived == 0)
        return ZW_OK;
    memcpy(q->followed, p, bytes);
    for (int i = 0; i < q->np; i++)
        q->all[i] = true;
    for (int k = 0; k < q->nderived; k++)
        q->all[q->derived[k]] = false;
    for (int k = 0; k < q->nderived; k++) { /* each from the present values of those before it */
        int i = q->derived[k];
        if (!q->set[i])
            continue;
        ZW_TRY(zw_system_param_follow(s, q->all, q->followed, err));
        q->set[i] = q->followed[i] != p[i];
        q->all[i] = q->set[i];
        q->followed[i] = p[i];
    }
    ZW_TRY(zw_system_param_follow(s, q->all, q->followed, err));
    memcpy(p, q->followed, bytes);
    return ZW_OK;
}
