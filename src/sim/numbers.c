/* SPDX-License-Identifier: MIT */
/* Numbers of the caller in place of those of the model. A parameter has its number in every
 * variant, as if it had been set when the texts were read; other parameters follow
 * (zw_sim_variant_state_follow). Values computed from parameters once, at the start (clocks, start
 * values), are computed again by the start. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/option.h"
#include "internal.h"

static const char *state_name(const zw_system *s, int i) {
    return i < s->nq ? s->coord[i].name : s->velocity[i - s->nq].name;
}

static int find_param(const zw_system *s, const char *name) {
    for (int i = 0; i < s->np; i++)
        if (strcmp(s->param[i].name, name) == 0)
            return i;
    return -1;
}

static int find_state(const zw_system *s, const char *name) {
    for (int i = 0; i < s->nq + s->nv; i++)
        if (strcmp(state_name(s, i), name) == 0)
            return i;
    return -1;
}

/* its index in the caller's system, or -1 */
static int index_of(const zw_system *s, const zw_sim_number *number, bool param) {
    int n = param ? s->np : s->nq + s->nv;
    if (number->name)
        return param ? find_param(s, number->name) : find_state(s, number->name);
    return number->index >= 0 && number->index < n ? number->index : -1;
}

/* ------------------------------------------------------------------------------------- checks */

static zw_status reject_name(const zw_sim *sim, const char *name, bool param, zw_error *err) {
    const zw_system *s = sim->worlds->sys;
    const char *names[256];
    int n = 0;
    zw_fail(err, ZW_E_NAME, "the model has no %s '%s'",
            param ? "parameter" : "coordinate or velocity", name);
    for (int i = 0; i < (param ? s->np : s->nq + s->nv) && n < 256; i++)
        names[n++] = param ? s->param[i].name : state_name(s, i);
    const char *near = zw_nearest(name, n, names);
    if (near)
        zw_error_hint(err, "did you mean %s?", near);
    else if (!param)
        zw_error_hint(err, "numbers are starts of the entries of the state; a start of an "
                           "expression is an equation, which is set when the model is read");
    return ZW_E_NAME;
}

static zw_status check_number(const zw_sim *sim, const zw_sim_number *number, bool param,
                              zw_error *err) {
    const zw_system *s = sim->worlds->sys;
    int i = index_of(s, number, param);
    if (i < 0 && number->name)
        return reject_name(sim, number->name, param, err);
    if (i < 0)
        return zw_fail(err, ZW_E_NAME, "there is no %s number %d: the model has %d",
                       param ? "parameter" : "entry of the state", number->index,
                       param ? s->np : s->nq + s->nv);
    const char *name = param ? s->param[i].name : state_name(s, i);
    if (!isfinite(number->value))
        return zw_fail(err, ZW_E_NONFINITE, "the number for '%s' is not finite", name);
    for (const zw_sim_variant_state *w = sim->worlds->next; w && param; w = w->next)
        if (find_param(w->sys, name) < 0)
            return zw_fail(err, ZW_E_NAME,
                           "variant '%s', to which an event leads, has no "
                           "parameter '%s'",
                           w->sys->variant, name);
    return ZW_OK;
}

/* checks each number, and that none is given twice */
static zw_status check_all(const zw_sim *sim, int n, const zw_sim_number *number, bool param,
                           zw_error *err) {
    const zw_system *s = sim->worlds->sys;
    for (int i = 0; i < n; i++) {
        ZW_TRY(check_number(sim, &number[i], param, err));
        int index = index_of(s, &number[i], param);
        for (int j = 0; j < i; j++)
            if (index_of(s, &number[j], param) == index)
                return zw_fail(err, ZW_E_NAME, "'%s' is given twice",
                               param ? s->param[index].name : state_name(s, index));
    }
    return ZW_OK;
}

zw_status zw_sim_numbers_check(const zw_sim *sim, const zw_sim_numbers *numbers, zw_error *err) {
    if (!numbers)
        return ZW_OK;
    ZW_TRY(check_all(sim, numbers->nparam, numbers->param, true, err));
    return check_all(sim, numbers->nstart, numbers->start, false, err);
}

/* ------------------------------------------------------------------------------- application */

static zw_status apply_to(const zw_sim *sim, zw_sim_variant_state *w, const zw_sim_numbers *numbers,
                          zw_error *err) {
    const zw_system *first = sim->worlds->sys;
    size_t np = (size_t)w->sys->np;
    memset(w->given, 0, sizeof *w->given * np);
    memset(w->numbered, 0, sizeof *w->numbered * np);
    for (int k = 0; numbers && k < numbers->nparam; k++) {
        int i = index_of(first, &numbers->param[k], true);
        if (w != sim->worlds)
            i = find_param(w->sys, first->param[i].name);
        w->numbered[i] = true;
        w->said[i] = numbers->param[k].value;
    }
    ZW_TRY(zw_sim_variant_state_follow(w, err));
    memcpy(w->said, w->p, sizeof *w->p * np);
    return ZW_OK;
}

zw_status zw_sim_numbers_apply(zw_sim *sim, const zw_sim_numbers *numbers, zw_error *err) {
    const zw_system *s = sim->worlds->sys;
    for (zw_sim_variant_state *w = sim->worlds; w; w = w->next)
        ZW_TRY(apply_to(sim, w, numbers, err));
    memset(sim->start_given, 0, sizeof *sim->start_given * (size_t)(s->nq + s->nv));
    for (int k = 0; numbers && k < numbers->nstart; k++) {
        int i = index_of(s, &numbers->start[k], false);
        sim->start_given[i] = true;
        sim->start_value[i] = numbers->start[k].value;
    }
    return ZW_OK;
}
