/* SPDX-License-Identifier: MIT */
/* delay y = e by tau: y is e at time t - tau (src/mech/system/delay.c). */
#include <math.h>

#include "lang/model.h"

static zw_status read_quantity(zw_model *m, const zw_syntax *node, zw_quantity *out) {
    ZW_TRY(zw_model_eval(m, node, out));
    if (out->n > 1) {
        zw_fail_at(m->err, ZW_E_SYNTAX, node->place,
                   "a delayed quantity is a scalar, not a vector");
        zw_error_hint(m->err, "one delay for each component: delay a = P.x by tau, b = P.y by tau");
        return ZW_E_SYNTAX;
    }
    if (out->d[0].any)
        out->d[0] = zw_dim_none();
    return zw_reject_places(m, 1, out->e, "a delayed quantity", node->place);
}

static zw_status read_lag(zw_model *m, const zw_syntax *node, zw_expr *lag) {
    zw_dim second = zw_model_dim(m, 0, 0, 1);
    ZW_TRY(zw_model_scalar(m, node, "a delay", &second, lag));
    zw_expr variable = zw_model_variable(m, *lag);
    if (variable) {
        zw_fail_at(m->err, ZW_E_MODEL, node->place, "a delay depends on %s, which moves",
                   zw_expr_name(m->ctx, variable));
        zw_error_hint(m->err, "a delay is constant along a motion: parameters and numbers only");
        return ZW_E_MODEL;
    }
    if (!zw_expr_is_number(m->ctx, *lag) || zw_expr_number(m->ctx, *lag) > 0)
        return ZW_OK;
    zw_fail_at(m->err, ZW_E_DOMAIN, node->place, "a delay must be positive");
    zw_error_hint(m->err, "without a delay the quantity is a let");
    return ZW_E_DOMAIN;
}

static zw_status read_nodes(zw_model *m, const zw_syntax *node, int *nodes) {
    zw_dim none = zw_dim_none();
    zw_expr number;
    *nodes = ZW_DELAY_NODES;
    if (!node)
        return ZW_OK;
    ZW_TRY(zw_model_scalar(m, node, "the number of nodes", &none, &number));
    double n = zw_expr_is_number(m->ctx, number) ? zw_expr_number(m->ctx, number) : NAN;
    if (!(n >= ZW_DELAY_NODES_MIN && n <= ZW_DELAY_NODES_MAX && n == floor(n)))
        return zw_fail_at(m->err, ZW_E_SYNTAX, node->place,
                          "the nodes of a delay are a whole number from %d to %d",
                          ZW_DELAY_NODES_MIN, ZW_DELAY_NODES_MAX);
    *nodes = (int)n;
    return ZW_OK;
}

/* a function of time and parameters */
static zw_status read_history(zw_model *m, const zw_syntax *node, const zw_dim *d, zw_expr *out) {
    ZW_TRY(zw_model_scalar(m, node, "the history of a delay", d, out));
    zw_expr now = ZW_ZERO,
            variable = zw_model_variable(m, zw_subst(m->ctx, *out, 1, &m->sys->t, &now));
    if (!variable)
        return ZW_OK;
    zw_fail_at(m->err, ZW_E_MODEL, node->place, "the history of a delay depends on %s",
               zw_expr_name(m->ctx, variable));
    zw_error_hint(m->err, "it is a function of the time before the start, t < 0, and parameters");
    return ZW_E_MODEL;
}

zw_status zw_build_delay(zw_model *m, zw_entry *e) {
    const zw_stmt *s = e->stmt;
    zw_quantity v;
    zw_expr lag, history = ZW_NULL, sym;
    int nodes;
    ZW_TRY(read_quantity(m, s->value, &v));
    ZW_TRY(read_lag(m, s->at, &lag));
    ZW_TRY(read_nodes(m, s->what, &nodes));
    if (s->to)
        ZW_TRY(read_history(m, s->to, &v.d[0], &history));
    const char *unit = zw_model_unit(m, &v.d[0]);
    if (!unit)
        return zw_model_memory(m);
    ZW_TRY(zw_system_delay(m->sys, e->name, unit, v.e[0], lag, nodes, s->name_place, &sym, m->err));
    if (history)
        ZW_TRY(zw_system_delay_history(m->sys, sym, history, s->to->place, m->err));
    e->value = zw_quantity_scalar(sym, v.d[0]);
    return zw_model_check_expressions(m, s->value->place);
}

zw_status zw_build_delays(zw_model *m) {
    for (zw_stmt *s = m->tree.first; s; s = s->next)
        if (s->kind == ZW_ST_DELAY && !s->broken)
            ZW_TRY(zw_model_handle(m, s, zw_model_build_entry(m, zw_model_find(m, s->name))));
    return ZW_OK;
}

zw_status zw_reject_delayed(zw_model *m, zw_expr e, zw_place place) {
    if (!zw_system_is_delayed(m->sys, e))
        return ZW_OK;
    zw_fail_at(m->err, ZW_E_MODEL, place, "%s is a delayed quantity: it follows from its history",
               zw_expr_name(m->ctx, e));
    zw_error_hint(m->err, "set what it delays; its values before the start: "
                          "delay ... history 0.1 [m]*cos(t/1 [s])");
    return ZW_E_MODEL;
}
