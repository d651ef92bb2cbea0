/* SPDX-License-Identifier: MIT */
/* Stores steady motions in closed form. That they are steady is checked where they are used. */
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

static zw_status check_entry(const zw_system *s, const zw_motion *m, int k, zw_error *err) {
    const char *name = zw_expr_name(s->ctx, m->what[k]);
    if (!is_entry(s, m->what[k])) {
        zw_fail_at(
            err, ZW_E_MODEL, m->where[k],
            "the left side of a value of a steady motion must be a single coordinate or velocity");
        zw_error_hint(err, "if x' is expressed by quasi-velocities, give these");
        return ZW_E_MODEL;
    }
    for (int i = 0; i < k; i++)
        if (m->what[i] == m->what[k])
            return zw_fail_at(err, ZW_E_NAME, m->where[k], "'%s' has two values in a steady motion",
                              name);
    return ZW_OK;
}

zw_status zw_system_motion(zw_system *s, const zw_motion *motion, zw_error *err) {
    zw_motion m = *motion;
    ZW_TRY(zw_mech_open(s, m.place, err));
    m.name = zw_context_intern(s->ctx, m.name);
    for (int i = 0; i < s->nmotion; i++)
        if (s->motion[i].name == m.name)
            return zw_fail_at(err, ZW_E_NAME, m.place, "there is a steady motion %s already",
                              m.name);
    for (int k = 0; k < m.n; k++)
        ZW_TRY(check_entry(s, &m, k, err));
    zw_expr *what = ZW_CONTEXT_NEW(s->ctx, zw_expr, m.n),
            *value = ZW_CONTEXT_NEW(s->ctx, zw_expr, m.n),
            *free = ZW_CONTEXT_NEW(s->ctx, zw_expr, m.nfree);
    zw_place *where = ZW_CONTEXT_NEW(s->ctx, zw_place, m.n);
    const char **unit = ZW_CONTEXT_NEW(s->ctx, const char *, m.nfree);
    if (!what || !value || !free || !where || !unit ||
        !zw_mech_grow(s->ctx, (void **)&s->motion, s->nmotion, &s->store->motion_capacity,
                      sizeof *s->motion))
        return zw_mech_status(s, m.place, err);
    memcpy(what, m.what, (size_t)m.n * sizeof *what);
    memcpy(value, m.value, (size_t)m.n * sizeof *value);
    memcpy(where, m.where, (size_t)m.n * sizeof *where);
    for (int i = 0; i < m.nfree; i++) {
        free[i] = m.free[i];
        unit[i] = zw_context_intern(s->ctx, m.unit[i]);
    }
    m.what = what;
    m.value = value;
    m.where = where;
    m.free = free;
    m.unit = unit;
    s->motion[s->nmotion++] = m;
    return zw_mech_status(s, m.place, err);
}
