/* SPDX-License-Identifier: MIT */
/* Events and their actions, checked for names and units. */
#include <stdio.h>
#include <string.h>

#include "lang/model.h"
#include "mech/system/build.h"

/* ---------------------------------------------------------------------------------------- set */

/* the reason why this cannot be set, and the quantities that can */
static zw_status reject_target(zw_model *m, const zw_syntax *what) {
    const zw_entry *e = what->kind == ZW_ND_NAME ? zw_model_find(m, what->name) : NULL;
    if (e) {
        zw_fail_at(m->err, ZW_E_MODEL, what->place, "an event cannot set the %s '%s'",
                   zw_stmt_word(e->kind), e->name);
        if (zw_stmt_constrains(e->kind))
            zw_error_hint(m->err, "switch on %s, or switch off %s", e->name, e->name);
        else
            zw_error_hint(m->err, "set the coordinates, velocities and parameters it is made of");
        return ZW_E_MODEL;
    }
    if (what->kind == ZW_ND_NAME) {
        zw_fail_at(m->err, ZW_E_MODEL, what->place, "an event cannot set %s", what->name);
        zw_error_hint(m->err, "it sets coordinates, velocities, quasi-velocities and parameters");
    } else if (what->kind == ZW_ND_LAMBDA) {
        zw_fail_at(m->err, ZW_E_MODEL, what->place, "an event cannot set a multiplier");
        zw_error_hint(m->err, "it follows from the motion; a constraint can be switched off");
    } else if (what->kind == ZW_ND_PRIME && what->count > 1) {
        zw_fail_at(m->err, ZW_E_MODEL, what->place, "an event cannot set an acceleration");
        zw_error_hint(m->err, "it follows from forces and constraints; velocities can be set");
    } else if (what->kind == ZW_ND_PRIME && what->arg[0]->kind == ZW_ND_NAME) {
        zw_fail_at(m->err, ZW_E_MODEL, what->place, "an event cannot set %s' here",
                   what->arg[0]->name);
        const zw_entry *state = zw_model_find(m, what->arg[0]->name);
        if (state && state->kind == ZW_ST_STATE)
            zw_error_hint(m->err, "its equation defines it: set the state %s", state->name);
        else
            zw_error_hint(m->err, "it is made of other velocities: set the quasi-velocities");
    } else {
        zw_fail_at(m->err, ZW_E_MODEL, what->place, "an event cannot set this");
        zw_error_hint(m->err, "it sets coordinates, velocities, quasi-velocities and parameters");
    }
    return ZW_E_MODEL;
}

/* The value of a target; setting a parameter does not count as using it. */
static zw_status read_target(zw_model *m, const zw_syntax *node, zw_quantity *out) {
    zw_entry *e = node->kind == ZW_ND_NAME ? zw_model_find(m, node->name) : NULL;
    bool used = e && e->used;
    if (e && zw_stmt_constrains(e->kind))
        return reject_target(m, node); /* these have no value that could be read */
    m->higher = node->kind == ZW_ND_PRIME;
    zw_status status = zw_model_eval(m, node, out);
    for (int k = 0; status >= 0 && m->higher && k < out->n; k++)
        out->e[k] = zw_model_lowered(m, out->e[k]);
    m->higher = false;
    if (e)
        e->used = used;
    return status;
}

static zw_status build_set(zw_model *m, const zw_stmt *s, const zw_action_text *d) {
    zw_quantity what, value;
    ZW_TRY(read_target(m, d->what, &what));
    ZW_TRY(zw_model_eval(m, d->value, &value));
    bool tuple = d->what->kind == ZW_ND_TUPLE && d->what->n == what.n;
    for (int k = 0; k < what.n; k++)
        ZW_TRY(zw_reject_delayed(m, what.e[k], d->what->place));
    for (int k = 0; k < what.n; k++)
        if (!zw_system_is_settable(m->sys, what.e[k]))
            return reject_target(m, tuple ? d->what->arg[k] : d->what);
    if (what.n != value.n)
        return zw_fail_at(m->err, ZW_E_SYNTAX, d->value->place,
                          "%d component%s to be set to %d value%s", what.n,
                          what.n == 1 ? " is" : "s are", value.n, value.n == 1 ? "" : "s");
    for (int k = 0; k < what.n; k++) {
        if (!zw_model_fits(m, &what.d[k], &value.d[k])) {
            char fmt[160];
            snprintf(fmt, sizeof fmt, "'%.80s' is %%s, its new value is %%s",
                     zw_expr_name(m->ctx, what.e[k]));
            return zw_model_unit_mismatch(m, d->value->place, fmt, &what.d[k], &value.d[k]);
        }
        ZW_TRY(zw_model_check_expressions(m, d->value->place));
        ZW_TRY(zw_system_event_set(m->sys, s->name, what.e[k], value.e[k], d->place, m->err));
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------- switch and variant */

static zw_status build_switch(zw_model *m, const zw_stmt *s, const zw_action_text *d) {
    bool on = d->kind == ZW_ACTION_ON, found = false;
    for (int i = 0; i < m->sys->nconstraint && !found; i++)
        found = zw_mech_is_part(m->sys->constraint[i].name, d->name);
    if (!found)
        return zw_unknown_constraint(m, d->name, "to switch", d->place);
    found = false;
    for (int i = 0; i < m->sys->ncontact && !found; i++)
        found = zw_mech_is_part(m->sys->contact[i].name, d->name);
    for (int i = 0; i < m->sys->ncontact && !found; i++) {
        const char *contact = m->sys->contact[i].name;
        if (!zw_mech_is_part(d->name, contact))
            continue;
        zw_fail_at(m->err, ZW_E_MODEL, d->place,
                   "an event cannot switch '%s', a velocity of the contact '%s'", d->name, contact);
        zw_error_hint(m->err, "its laws decide whether it sticks; switch %s %s is possible",
                      on ? "on" : "off", contact);
        return ZW_E_MODEL;
    }
    return zw_system_event_switch(m->sys, s->name, d->name, on, d->place, m->err);
}

/* "none" is the model without a variant, unless a variant has that name */
static zw_status build_variant(zw_model *m, const zw_stmt *s, const zw_action_text *d) {
    if (strcmp(d->name, "none") == 0 && !zw_has_variant(m, d->name))
        return zw_system_event_variant(m->sys, s->name, "", d->place, m->err);
    ZW_TRY(zw_check_variant(m, d->name, d->place));
    return zw_system_event_variant(m->sys, s->name, d->name, d->place, m->err);
}

/* ------------------------------------------------------------------------------------- events */

/* a time by which the clock can be set before the run */
static zw_status clock_time(zw_model *m, const zw_syntax *node, const char *what, zw_expr *out) {
    zw_dim second = zw_model_dim(m, 0, 0, 1);
    ZW_TRY(zw_model_scalar(m, node, what, &second, out));
    zw_expr variable = zw_model_variable(m, *out);
    if (!variable)
        return ZW_OK;
    zw_fail_at(m->err, ZW_E_MODEL, node->place, "%s depends on %s", what,
               zw_expr_name(m->ctx, variable));
    zw_error_hint(m->err, "a clock is made of parameters and numbers; other events are zeros");
    return ZW_E_MODEL;
}

static zw_status build_clock(zw_model *m, const zw_stmt *s) {
    zw_expr period, phase = ZW_ZERO;
    ZW_TRY(clock_time(m, s->value, "the period", &period));
    if (s->at)
        ZW_TRY(clock_time(m, s->at, "the first time", &phase));
    return zw_system_event_every(m->sys, s->name, period, phase, s->stop, s->name_place, m->err);
}

static zw_status build_zero(zw_model *m, const zw_stmt *s) {
    zw_expr value;
    ZW_TRY(zw_model_scalar(m, s->value, "the event function", NULL, &value));
    return zw_system_event(m->sys, s->name, value, s->direction, s->stop, s->name_place, m->err);
}

zw_status zw_build_event(zw_model *m, zw_stmt *s) {
    ZW_TRY(s->clock ? build_clock(m, s) : build_zero(m, s));
    for (const zw_action_text *d = s->actions; d; d = d->next)
        switch (d->kind) {
        case ZW_ACTION_SET:
            ZW_TRY(build_set(m, s, d));
            break;
        case ZW_ACTION_ON:
        case ZW_ACTION_OFF:
            ZW_TRY(build_switch(m, s, d));
            break;
        case ZW_ACTION_VARIANT:
            ZW_TRY(build_variant(m, s, d));
            break;
        }
    return ZW_OK;
}
