/* SPDX-License-Identifier: MIT */
/* Constraints on third and higher derivatives. Derivatives below the highest become states: with v
 * a velocity of the system (x', or a quasi-velocity) and v^(n), n >= 2, the highest derivative,
 *
 *     a v^(n) + r(t, q, v, v', ..., v^(n-1)) = 0
 *
 * is the constraint v' = s_1 on accelerations with the states s_1' = s_2, ..., s_(n-1)' = -r/a,
 * where s_j stands for v^(j). The states start at 0 unless the model has `start x'' = ...`. Only
 * one velocity can have such derivatives in one constraint, and a must not be zero: other
 * constraints would need rates of states that contain accelerations, and are rejected. */
#include <stdio.h>
#include <string.h>

#include "lang/model.h"
#include "mech/system/build.h"

enum { ORDER_MAX = 12 }; /* primes after a velocity */

/* The symbol v^(order): the name with `order` primes. */
static zw_expr derivative_symbol(const zw_model *m, int velocity, int order) {
    const zw_velocity *v = &m->sys->velocity[velocity];
    char name[256];
    if (order == 1)
        return v->accel;
    snprintf(name, sizeof name, "%.200s%.*s", v->name, order, "''''''''''''''''");
    return zw_symbol(m->ctx, name);
}

static bool has_acceleration(const zw_model *m, zw_expr e) {
    for (int k = 0; k < m->sys->nv; k++)
        if (zw_depends(m->ctx, e, m->sys->velocity[k].accel))
            return true;
    return false;
}

zw_expr zw_higher_rate(zw_model *m, zw_expr e) {
    zw_expr sum = zw_system_dt(m->sys, e);
    m->has_higher = m->has_higher || has_acceleration(m, e);
    if (!m->has_higher)
        return sum;
    for (int k = 0; k < m->sys->nv; k++)
        for (int order = 1; order < ORDER_MAX; order++) {
            zw_expr from = derivative_symbol(m, k, order), to = derivative_symbol(m, k, order + 1);
            if (zw_depends(m->ctx, e, from))
                sum = zw_add(m->ctx, sum, zw_mul(m->ctx, zw_diff(m->ctx, e, from), to));
        }
    return sum;
}

bool zw_is_higher(const zw_model *m, zw_expr symbol) {
    for (int k = 0; k < m->sys->nv; k++)
        for (int order = 1; order <= (m->has_higher ? ORDER_MAX : 1); order++)
            if (derivative_symbol(m, k, order) == symbol)
                return true;
    return false;
}

zw_expr zw_model_lowered(const zw_model *m, zw_expr symbol) {
    for (const zw_lowered *l = m->lowered; l; l = l->next)
        for (int j = 1; j <= l->n; j++)
            if (derivative_symbol(m, l->velocity, j) == symbol)
                return l->state[j - 1];
    return symbol;
}

/* ------------------------------------------------------------------------------------ lowering */

/* the highest derivative of velocity k in e, 0 if it contains only v itself */
static int order_in(const zw_model *m, zw_expr e, int k) {
    for (int order = ORDER_MAX; order > 0; order--)
        if (zw_depends(m->ctx, e, derivative_symbol(m, k, order)))
            return order;
    return 0;
}

/* "x" for the velocity x', else the velocity's own name */
static const char *velocity_subject(const zw_model *m, int velocity) {
    const zw_velocity *v = &m->sys->velocity[velocity];
    return v->coord >= 0 ? m->sys->coord[v->coord].name : v->name;
}

/* accel(x), jerk(x), d4(x), ... for v', v'', v''' */
static void state_name(const zw_model *m, int velocity, int order, char *out, size_t size) {
    const char *name = velocity_subject(m, velocity);
    if (order <= 2)
        snprintf(out, size, "%s(%.150s)", order == 1 ? "accel" : "jerk", name);
    else
        snprintf(out, size, "d%d(%.150s)", order + 1, name);
}

static zw_status derivative_dim(zw_model *m, int velocity, int order, zw_dim *d) {
    const char *unit = m->sys->velocity[velocity].unit;
    zw_dim second = zw_dim_mechanical(0, 0, 1);
    zw_unit parsed;
    *d = zw_dim_none();
    if (unit[0]) {
        ZW_TRY(zw_unit_parse(&parsed, unit, strlen(unit), (zw_place){0}, m->err));
        *d = parsed.dim;
    }
    for (int i = 0; i < order; i++)
        if (!zw_dim_combine(d, d, &second, -1))
            return zw_fail(m->err, ZW_E_UNIT, "the unit is out of all proportion");
    return ZW_OK;
}

static zw_status make_states(zw_model *m, zw_lowered *l, zw_place place) {
    for (int j = 1; j <= l->n; j++) {
        char name[200];
        zw_dim d;
        state_name(m, l->velocity, j, name, sizeof name);
        ZW_TRY(derivative_dim(m, l->velocity, j, &d));
        const char *unit = m->tree.no_units ? "" : zw_model_unit(m, &d);
        const char *kept = zw_context_intern(m->ctx, name);
        if (!unit || !kept)
            return zw_model_memory(m);
        ZW_TRY(zw_system_state(m->sys, kept, unit, place, &l->state[j - 1], m->err));
    }
    return ZW_OK;
}

/* replaces lower derivatives in e by the states */
static zw_expr in_states(const zw_model *m, const zw_lowered *l, zw_expr e) {
    for (int j = 1; j <= l->n; j++) {
        zw_expr symbol = derivative_symbol(m, l->velocity, j);
        e = zw_subst(m->ctx, e, 1, &symbol, &l->state[j - 1]);
    }
    return e;
}

static zw_status reject_two(zw_model *m, const zw_stmt *s, int a, int b) {
    zw_fail_at(m->err, ZW_E_MODEL, s->place,
               "the constraint '%s' holds higher derivatives of %s and of %s", s->name,
               velocity_subject(m, a), velocity_subject(m, b));
    zw_error_hint(m->err, "one of them can become a state; solve for it, or write two constraints");
    return ZW_E_MODEL;
}

/* the velocity with derivatives higher than accelerations, -1 if there is none */
static zw_status find_velocity(zw_model *m, const zw_stmt *s, zw_expr residual, int *velocity) {
    *velocity = -1;
    for (int k = 0; m->has_higher && k < m->sys->nv; k++) {
        if (order_in(m, residual, k) < 2)
            continue;
        if (*velocity >= 0)
            return reject_two(m, s, *velocity, k);
        *velocity = k;
    }
    for (const zw_lowered *l = m->lowered; *velocity >= 0 && l; l = l->next)
        if (l->velocity == *velocity) {
            zw_fail_at(m->err, ZW_E_MODEL, s->place,
                       "two constraints hold higher derivatives of %s",
                       velocity_subject(m, *velocity));
            zw_error_hint(m->err, "the other one is '%s'", l->constraint);
            return ZW_E_MODEL;
        }
    return ZW_OK;
}

/* s_(n-1)' = -r/a */
static zw_status last_rate(zw_model *m, const zw_stmt *s, const zw_lowered *l, zw_expr residual,
                           zw_place place, zw_expr *rate) {
    zw_expr top = derivative_symbol(m, l->velocity, l->n + 1), a, r;
    if (!zw_linear(m->ctx, residual, 1, &top, &a, &r)) {
        ZW_TRY(zw_model_check_expressions(m, place));
        zw_fail_at(m->err, ZW_E_MODEL, place, "the constraint '%s' is not linear in %s", s->name,
                   zw_expr_name(m->ctx, top));
        zw_error_hint(m->err, "solve it for that derivative: %s = ...", zw_expr_name(m->ctx, top));
        return ZW_E_MODEL;
    }
    *rate = zw_neg(m->ctx, zw_div(m->ctx, in_states(m, l, r), in_states(m, l, a)));
    for (int k = 0; k < m->sys->nv; k++)
        if (zw_depends(m->ctx, *rate, m->sys->velocity[k].accel)) {
            zw_fail_at(m->err, ZW_E_MODEL, place,
                       "the constraint '%s' on %s holds the acceleration of %s", s->name,
                       zw_expr_name(m->ctx, top), velocity_subject(m, k));
            zw_error_hint(m->err,
                          "besides derivatives of %s it may contain positions, velocities, states, "
                          "signals and time",
                          velocity_subject(m, l->velocity));
            return ZW_E_MODEL;
        }
    return zw_model_check_expressions(m, place);
}

zw_status zw_lower_constraint(zw_model *m, const zw_stmt *s, zw_place place, zw_expr *residual,
                              zw_dim *d) {
    int velocity;
    zw_expr rate;
    ZW_TRY(find_velocity(m, s, *residual, &velocity));
    if (velocity < 0)
        return ZW_OK;
    if (s->inequality)
        return zw_fail_at(m->err, ZW_E_MODEL, place,
                          "the inequality '%s' holds a third derivative; only accelerations can be "
                          "bounded",
                          s->name);
    zw_lowered *l = ZW_NEW(m->arena, zw_lowered, 1);
    if (!l)
        return zw_model_memory(m);
    *l = (zw_lowered){.velocity = velocity, .constraint = s->name};
    l->n = order_in(m, *residual, velocity) - 1;
    l->state = ZW_NEW(m->arena, zw_expr, l->n);
    if (!l->state)
        return zw_model_memory(m);
    ZW_TRY(make_states(m, l, place));
    ZW_TRY(last_rate(m, s, l, *residual, place, &rate));
    for (int j = 0; j < l->n; j++)
        ZW_TRY(zw_system_state_rate(m->sys, l->state[j], j + 1 < l->n ? l->state[j + 1] : rate,
                                    place, m->err));
    l->next = m->lowered;
    m->lowered = l;
    *residual = zw_sub(m->ctx, derivative_symbol(m, velocity, 1), l->state[0]);
    return derivative_dim(m, velocity, 1, d);
}

/* --------------------------------------------------------------------------------------- notes */

/* "x''' in jerk_limit: x'' became the state accel(x), its start is 0" */
static zw_status note_state(zw_model *m, const zw_lowered *l, int j) {
    const zw_system *s = m->sys;
    zw_expr start = ZW_ZERO;
    for (int i = 0; i < s->nstart; i++)
        if (s->start[i].what == l->state[j - 1])
            start = s->start[i].value;
    char *value = zw_print_within(m->ctx, start, ZW_TEXT, 2000), sentence[400];
    snprintf(sentence, sizeof sentence,
             "%.60s in the constraint '%.60s': %.60s became the state %.80s, its start is %.60s",
             zw_expr_name(m->ctx, derivative_symbol(m, l->velocity, l->n + 1)), l->constraint,
             zw_expr_name(m->ctx, derivative_symbol(m, l->velocity, j)),
             zw_expr_name(m->ctx, l->state[j - 1]), value ? value : "(a long expression)");
    zw_string_free(m->ctx, value);
    return zw_model_note(m, sentence);
}

zw_status zw_note_lowered(zw_model *m) {
    for (const zw_lowered *l = m->lowered; l; l = l->next)
        for (int j = 1; j <= l->n; j++)
            ZW_TRY(note_state(m, l, j));
    return ZW_OK;
}
