/* SPDX-License-Identifier: MIT */
#include "rate_jump.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "num/flow/flow.h"

/* Relative to 1 + the rates: a smaller change is round-off and the error of where the step ends. */
#define RATES_JUMP 1e-8
/* sigma' relative to its terms: with a smaller rate the motion touches sigma = 0 and does not
 * cross. */
#define CROSSING_RATE_MIN ZW_ROUNDOFF_SOLVED

zw_status zw_rate_jump_init(zw_rate_jump *j, zw_arena *arena, int nx, int nmode, int nswitch,
                            zw_error *err) {
    j->rate = ZW_NEW(arena, double, nx + 1);
    j->before = ZW_NEW(arena, double, nx + 1);
    j->x = ZW_NEW(arena, double, nx + 1);
    j->mode = ZW_NEW(arena, double, nmode + 1);
    j->sigma = ZW_NEW(arena, double, nswitch + 1);
    j->change = ZW_NEW(arena, double, nx + 1);
    return zw_arena_status(arena, err);
}

static bool has_jumped(const zw_rate_jump *j) {
    double most = 0, change = 0;
    for (int i = 0; i < j->k->nx; i++) {
        most = fmax(most, fmax(fabs(j->rate[i]), fabs(j->before[i])));
        change = fmax(change, fabs(j->rate[i] - j->before[i]));
    }
    return change > RATES_JUMP * (1 + most);
}

/* the only switch whose mode differs from that of the previous piece; of the two of a table the one
 * that is at zero */
static int changed_switch(const zw_rate_jump *j) {
    int found = ZW_RATE_JUMP_TANGLED;
    for (int i = 0; i < j->k->nswitch; i++) {
        const zw_switch *s = &j->k->switches[i];
        if (j->flow->mode[s->mode] == j->mode[s->mode])
            continue;
        bool same = found >= 0 && j->k->switches[found].mode == s->mode;
        if (found >= 0 && !same)
            return ZW_RATE_JUMP_TANGLED;
        if (found < 0 || fabs(j->sigma[i]) < fabs(j->sigma[found]))
            found = i;
    }
    return found;
}

zw_status zw_rate_jump_look(zw_rate_jump *j, double t, zw_saltation *out, zw_error *err) {
    int nx = j->k->nx;
    *out = (zw_saltation){.which = ZW_RATE_JUMP_NONE};
    if (j->fresh || memcmp(j->mode, j->flow->mode, sizeof(double) * (size_t)j->k->nmode) == 0)
        return ZW_OK;
    ZW_TRY(zw_run_dense(j->run, t, j->x, err));
    ZW_TRY(zw_flow_rates(j->flow, t, j->x, j->rate, NULL, err));
    if (!has_jumped(j))
        return ZW_OK;
    memcpy(j->sigma, zw_at_switches(j->flow, t, j->x, NULL).value,
           sizeof(double) * (size_t)j->k->nswitch);
    out->which = changed_switch(j);
    if (out->which < 0)
        return ZW_OK;
    zw_switch_rate_parts a = zw_at_switch_rate(j->flow, t, j->x, NULL);
    double size = fabs(a.dt[out->which]);
    out->slope = a.dx + (size_t)out->which * (size_t)nx;
    out->change = j->change;
    out->rate = a.dt[out->which];
    for (int i = 0; i < nx; i++) {
        j->change[i] = j->rate[i] - j->before[i];
        out->rate += out->slope[i] * j->before[i];
        size += fabs(out->slope[i] * j->before[i]);
    }
    out->straight = fabs(out->rate) > CROSSING_RATE_MIN * size;
    return ZW_OK;
}

zw_status zw_rate_jump_remember(zw_rate_jump *j, double t, zw_error *err) {
    j->fresh = false;
    ZW_TRY(zw_run_dense(j->run, t, j->x, err));
    ZW_TRY(zw_flow_rates(j->flow, t, j->x, j->before, NULL, err));
    memcpy(j->mode, j->flow->mode, sizeof(double) * (size_t)j->k->nmode);
    return ZW_OK;
}
