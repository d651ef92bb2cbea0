/* SPDX-License-Identifier: MIT */
/* Stores which variables are fast and which parameter is small. That they are fast is checked where
 * this is used. */
#include <string.h>

#include "build.h"

static bool is_entry(const zw_system *s, zw_expr e) {
    for (int i = 0; i < s->nq; i++)
        if (s->coord[i].sym == e)
            return true;
    for (int i = 0; i < s->nv; i++)
        if (s->velocity[i].sym == e)
            return true;
    return false;
}

static bool is_parameter(const zw_system *s, zw_expr e) {
    for (int i = 0; i < s->np; i++)
        if (s->param[i].sym == e)
            return true;
    return false;
}

static zw_status check_fast(const zw_system *s, const zw_slow_fast *split, int k, zw_place place,
                            zw_error *err) {
    if (!is_entry(s, split->fast[k])) {
        zw_fail_at(err, ZW_E_MODEL, place,
                   "after fast, write single coordinates, states or velocities of the model");
        zw_error_hint(err, "where x' is made of quasi-velocities, name these");
        return ZW_E_MODEL;
    }
    for (int i = 0; i < k; i++)
        if (split->fast[i] == split->fast[k])
            return zw_fail_at(err, ZW_E_NAME, place, "'%s' is given twice after fast",
                              zw_expr_name(s->ctx, split->fast[k]));
    return ZW_OK;
}

zw_status zw_system_slow_fast(zw_system *s, const zw_slow_fast *split, const zw_place *where,
                              zw_error *err) {
    ZW_TRY(zw_mech_open(s, split->place, err));
    if (s->slow_fast.small)
        return zw_fail_at(err, ZW_E_NAME, split->place, "the model has two slow-fast statements");
    if (!is_parameter(s, split->small))
        return zw_fail_at(err, ZW_E_MODEL, split->place, "the small parameter is no parameter");
    for (int k = 0; k < split->n; k++)
        ZW_TRY(check_fast(s, split, k, where ? where[k] : split->place, err));
    zw_expr *fast = ZW_CONTEXT_NEW(s->ctx, zw_expr, split->n);
    if (!fast)
        return zw_mech_status(s, split->place, err);
    memcpy(fast, split->fast, (size_t)split->n * sizeof *fast);
    s->slow_fast = *split;
    s->slow_fast.fast = fast;
    return ZW_OK;
}
