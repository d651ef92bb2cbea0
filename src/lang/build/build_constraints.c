/* SPDX-License-Identifier: MIT */
/* Constraints, starts, observables. */
#include <stdio.h>
#include <string.h>

#include "lang/model.h"
#include "mech/system/build.h"

/* ------------------------------------------------------------------------------- constraints */

/* energy, power or its rate, for positions, velocities and accelerations */
zw_dim zw_constraint_work(const zw_model *m, zw_expr residual) {
    int level = zw_mech_level(m->sys, residual);
    if (level < 0)
        level = ZW_POSITION;
    return zw_model_dim(m, 1, 2, -2 - level);
}

zw_status zw_model_sides(zw_model *m, const zw_syntax *left, const zw_syntax *right, zw_quantity *a,
                         zw_quantity *b) {
    ZW_TRY(zw_model_eval(m, left, a));
    ZW_TRY(zw_model_eval(m, right, b));
    *a = zw_quantity_in_space(a, b->n);
    *b = zw_quantity_in_space(b, a->n);
    if (a->n != b->n) {
        zw_fail_at(m->err, ZW_E_SYNTAX, right->place,
                   "the left side has %d component%s, the right side %d", a->n,
                   a->n == 1 ? "" : "s", b->n);
        return ZW_E_SYNTAX;
    }
    for (int k = 0; k < a->n; k++)
        if (!zw_model_fits(m, &a->d[k], &b->d[k]))
            return zw_model_unit_mismatch(
                m, right->place, "the left side is %s, the right side is %s", &a->d[k], &b->d[k]);
    return ZW_OK;
}

static zw_status build_equation(zw_model *m, const zw_syntax *left, const zw_syntax *right,
                                zw_quantity *out) {
    zw_quantity a, b;
    ZW_TRY(zw_model_sides(m, left, right, &a, &b));
    return zw_quantity_combine(m, right->place, '-', &a, &b, out);
}

/* The rows of a vector equation that are true for any state, as z in a plane loop: they are not
 * constraints. If all rows are like that the equation is a mistake, which is reported. */
static unsigned empty_rows(const zw_model *m, const zw_quantity *v) {
    unsigned empty = 0;
    int n = 0;
    for (int k = 0; v->n > 1 && k < v->n; k++)
        if (zw_mech_is_zero(m->sys, v->e[k])) {
            empty |= 1u << k;
            n++;
        }
    return n < v->n ? empty : 0;
}

zw_status zw_build_constraint_value(zw_model *m, zw_entry *e) {
    const zw_stmt *s = e->stmt;
    zw_quantity all = {.n = 0};
    e->empty = 0;
    for (int i = 0; i < s->n; i += 2) {
        zw_quantity one = {.n = 0};
        ZW_TRY(build_equation(m, s->list[i], s->list[i + 1], &one));
        for (int k = 0; k < one.n; k++)
            ZW_TRY(zw_lower_constraint(m, s, s->list[i]->place, &one.e[k], &one.d[k]));
        if (all.n + one.n > ZW_TUPLE_MAX)
            return zw_fail_at(m->err, ZW_E_SYNTAX, s->place,
                              "more than %d equations in one constraint", ZW_TUPLE_MAX);
        e->empty |= empty_rows(m, &one) << all.n;
        for (int k = 0; k < one.n; k++, all.n++) {
            all.e[all.n] = one.e[k];
            all.d[all.n] = one.d[k];
        }
    }
    e->value = all;
    return zw_model_check_expressions(m, s->place);
}

/* the place of the k-th equation: its left side; a vector equation has one place for all rows */
static zw_place equation_place(const zw_stmt *s, int n, int k) {
    return s->n / 2 == n ? s->list[2 * k]->place : s->list[0]->place;
}

/* lambda times the rate of the residual is a power, so its unit is J / (s^level residual) */
static zw_status name_lambda_unit(zw_model *m, const char *name, const zw_dim *residual) {
    int level = (int)m->sys->constraint[m->sys->nconstraint - 1].level;
    zw_dim power = zw_dim_mechanical(1, 2, -2 - level), lambda;
    if (residual->any || !zw_dim_combine(&lambda, &power, residual, -1))
        return ZW_OK; /* 0 = 0 has no unit */
    lambda.angle = 0;
    const char *unit = zw_model_unit(m, &lambda);
    if (!unit)
        return zw_model_memory(m);
    return zw_system_lambda_unit(m->sys, name, unit, m->err);
}

zw_status zw_add_constraint(zw_model *m, const zw_stmt *s, const char *name, zw_expr residual,
                            const zw_dim *d, zw_place place) {
    const char *unit = zw_model_unit(m, d);
    if (!unit)
        return zw_model_memory(m);
    ZW_TRY(zw_system_constraint(m->sys, name, residual, unit, zw_constraint_on(m, s, name), place,
                                m->err));
    return name_lambda_unit(m, name, d);
}

const char *zw_equation_name(zw_model *m, const zw_stmt *s, bool several, int k) {
    char full[200];
    if (!several)
        return s->name;
    snprintf(full, sizeof full, "%.150s.%d", s->name, k);
    return zw_context_intern(m->ctx, full);
}

zw_status zw_build_constraint(zw_model *m, zw_stmt *s) {
    zw_entry *e;
    ZW_TRY(zw_model_resolve(m, s->name, s->name_place, &e));
    for (int k = 0; k < e->value.n; k++) {
        if (e->empty & 1u << k)
            continue;
        const char *name = zw_equation_name(m, s, e->value.n > 1, k + 1);
        if (!name)
            return zw_model_memory(m);
        ZW_TRY(zw_add_constraint(m, s, name, e->value.e[k], &e->value.d[k],
                                 equation_place(s, e->value.n, k)));
        if (s->inequality)
            ZW_TRY(zw_system_inequality(m->sys, name, s->inequality, m->err));
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------ starts */

static zw_status start_component(zw_model *m, const zw_stmt *s, zw_expr what, zw_expr value,
                                 const char *suffix) {
    if (!zw_model_variable(m, what)) {
        ZW_TRY(
            zw_model_check_expressions(m, s->place)); /* without memory there are no expressions */
        zw_fail_at(m->err, ZW_E_MODEL, s->name_place, "'%s' does not move, it has no start",
                   s->name);
        zw_error_hint(m->err, "starts are of coordinates, velocities and states");
        return ZW_E_MODEL;
    }
    zw_expr variable = zw_model_variable(m, value);
    if (variable) {
        zw_fail_at(m->err, ZW_E_MODEL, s->value->place,
                   "the start value depends on %s, which moves", zw_expr_name(m->ctx, variable));
        zw_error_hint(
            m->err, "start values are made of parameters and numbers; what moves goes to the left: "
                    "start x - y = 1 [m]");
        return ZW_E_MODEL;
    }
    char text[200];
    snprintf(text, sizeof text, "%.190s%s", s->name, suffix);
    const char *kept = zw_context_intern(m->ctx, text);
    if (!kept)
        return zw_model_memory(m);
    if (s->kind == ZW_ST_GUESS)
        return zw_system_guess(m->sys, what, value, kept, s->name_place, m->err);
    return zw_system_start(m->sys, what, value, kept, s->name_place, m->err);
}

static const char *const component_suffix[3] = {".x", ".y", ".z"};

/* lambda(name): the multiplier of the vakonomic principle, whose rate is the force that other
 * principles call lambda */
static zw_status multiplier_dim(zw_model *m, const zw_stmt *s, zw_dim *d) {
    zw_dim second = zw_model_dim(m, 0, 0, 1), force = *d;
    if (!zw_dim_combine(d, &force, &second, 1))
        return zw_fail_at(m->err, ZW_E_UNIT, s->name_place, "the unit is out of all proportion");
    return ZW_OK;
}

/* the quantity that a start fixes; derivatives that have become states stand for these */
static zw_status start_subject(zw_model *m, const zw_stmt *s, zw_quantity *what) {
    m->higher = s->what->kind == ZW_ND_PRIME;
    zw_status status = zw_model_eval(m, s->what, what);
    for (int k = 0; status >= 0 && m->higher && k < what->n; k++) {
        what->e[k] = zw_model_lowered(m, what->e[k]);
        if (!zw_is_higher(m, what->e[k]))
            continue;
        zw_fail_at(m->err, ZW_E_MODEL, s->name_place,
                   "'%s' has no start: it follows from forces and constraints", s->name);
        zw_error_hint(m->err, "what is below the highest derivative of a constraint, as in "
                              "constraint c : x''' = ..., becomes a state and has a start");
        status = ZW_E_MODEL;
    }
    m->higher = false;
    return status;
}

zw_status zw_build_start(zw_model *m, zw_stmt *s) {
    zw_quantity what, value;
    ZW_TRY(start_subject(m, s, &what));
    for (int k = 0; k < what.n; k++)
        ZW_TRY(zw_reject_delayed(m, what.e[k], s->name_place));
    if (s->kind == ZW_ST_GUESS && s->what->kind == ZW_ND_LAMBDA) {
        zw_fail_at(m->err, ZW_E_MODEL, s->name_place, "a multiplier is not guessed");
        zw_error_hint(m->err, "guesses are of coordinates and velocities");
        return ZW_E_MODEL;
    }
    if (s->what->kind == ZW_ND_LAMBDA)
        ZW_TRY(multiplier_dim(m, s, &what.d[0]));
    ZW_TRY(zw_model_eval(m, s->value, &value));
    value = zw_quantity_in_space(&value, what.n);
    if (what.n != value.n || what.n > 3)
        return zw_fail_at(m->err, ZW_E_SYNTAX, s->value->place,
                          "'%s' has %d component%s, its start value %d", s->name, what.n,
                          what.n == 1 ? "" : "s", value.n);
    for (int k = 0; k < what.n; k++) {
        if (!zw_model_fits(m, &what.d[k], &value.d[k])) {
            char fmt[160];
            snprintf(fmt, sizeof fmt, "'%.80s' is %%s, its start value is %%s", s->name);
            zw_model_unit_mismatch(m, s->value->place, fmt, &what.d[k], &value.d[k]);
            if (s->what->kind == ZW_ND_LAMBDA)
                zw_error_hint(m->err,
                              "the multiplier of the vakonomic principle is an impulse: its "
                              "rate is the force that others call lambda");
            return ZW_E_UNIT;
        }
        if (what.n == 3 && what.e[k] == ZW_ZERO && value.e[k] == ZW_ZERO)
            continue; /* z of a plane */
        ZW_TRY(start_component(m, s, what.e[k], value.e[k], what.n > 1 ? component_suffix[k] : ""));
    }
    return ZW_OK;
}

/* -------------------------------------------------------------------------------- observables */

static zw_status observe_component(zw_model *m, const zw_stmt *s, zw_expr value, const zw_dim *d,
                                   const char *suffix) {
    const char *unit = NULL;
    if (s->has_unit) { /* shown in the requested unit */
        if (!zw_model_fits(m, d, &s->unit.dim))
            return zw_model_unit_mismatch(m, s->word_place,
                                          "the expression is %s, but the unit after it is %s", d,
                                          &s->unit.dim);
        value = zw_div(m->ctx, value, zw_unit_expr(m->ctx, &s->unit));
        unit = zw_context_intern(m->ctx, s->unit_text);
    } else {
        unit = zw_model_unit(m, d);
    }
    char text[200];
    snprintf(text, sizeof text, "%.190s%s", s->name, suffix);
    const char *name = zw_context_intern(m->ctx, text);
    if (!name || !unit)
        return zw_model_memory(m);
    ZW_TRY(zw_model_check_expressions(m, s->name_place));
    return zw_system_observe(m->sys, name, unit, value, s->name_place, m->err);
}

zw_status zw_build_observe(zw_model *m, zw_stmt *s) {
    zw_entry *e;
    ZW_TRY(zw_model_resolve(m, s->name, s->name_place, &e));
    if (e->value.n > 3)
        return zw_fail_at(m->err, ZW_E_SYNTAX, s->value->place,
                          "an observable has one, two or three components, not %d", e->value.n);
    ZW_TRY(zw_reject_places(m, e->value.n, e->value.e, "an observable", s->value->place));
    for (int k = 0; k < e->value.n; k++)
        ZW_TRY(observe_component(m, s, e->value.e[k], &e->value.d[k],
                                 e->value.n > 1 ? component_suffix[k] : ""));
    return ZW_OK;
}

/* -------------------------------------------------------------------------------------- notes */

zw_status zw_model_note(zw_model *m, const char *sentence) {
    const char *kept = zw_context_intern(m->ctx, sentence);
    void *array = m->note;
    if (!kept || !zw_arena_grow(m->arena, &array, m->nnote, &m->note_capacity, sizeof *m->note))
        return zw_model_memory(m);
    m->note = array;
    for (int i = 0; i < m->nnote; i++)
        if (m->note[i] == kept)
            return ZW_OK;
    m->note[m->nnote++] = kept;
    return ZW_OK;
}
