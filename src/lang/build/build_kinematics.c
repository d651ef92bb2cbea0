/* SPDX-License-Identifier: MIT */
/* Parameters, definitions, coordinates, quasi-velocities, frames, points. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lang/model.h"

enum { HELD_MAX = 1000 }; /* points of a table that holds its values */

/* ------------------------------------------------------------------------------ definitions */

zw_status zw_only_parameters(zw_model *m, const char *what, zw_expr e, zw_place place) {
    zw_expr variable = zw_model_variable(m, e);
    if (!variable)
        return ZW_OK;
    zw_fail_at(m->err, ZW_E_MODEL, place, "%s depends on %s, which moves", what,
               zw_expr_name(m->ctx, variable));
    zw_error_hint(m->err, "parameters and numbers only; a let may depend on anything");
    return ZW_E_MODEL;
}

/* The SI unit of a parameter: as written, if that is an SI unit (N*m for a moment, not J). */
static const char *param_unit(zw_model *m, const zw_stmt *s, const zw_dim *d) {
    const zw_syntax *node = s->given ? s->given : s->value;
    if (node->kind == ZW_ND_NEG)
        node = node->arg[0];
    bool written = node->kind == ZW_ND_NUMBER && node->has_unit && node->unit.exact &&
                   node->unit.num == 1 && node->unit.den == 1 && node->unit.pi_power == 0;
    return written ? zw_context_intern(m->ctx, node->unit_text) : zw_model_unit(m, d);
}

zw_status zw_build_param(zw_model *m, zw_entry *e) {
    zw_quantity v;
    char what[120];
    snprintf(what, sizeof what, "the parameter '%.80s'", e->name);
    ZW_TRY(zw_model_eval(m, e->stmt->value, &v));
    if (v.n > 1)
        return zw_fail_at(m->err, ZW_E_SYNTAX, e->stmt->value->place,
                          "%s must be a scalar, not a vector", what);
    if (e->stmt->given) { /* set from outside: its unit is that of the text */
        zw_quantity given;
        ZW_TRY(zw_model_eval(m, e->stmt->given, &given));
        if (!zw_model_fits(m, &v.d[0], &given.d[0])) {
            char fmt[160];
            snprintf(fmt, sizeof fmt, "%s is %%s here and must be %%s", what);
            return zw_model_unit_mismatch(m, e->stmt->value->place, fmt, &v.d[0], &given.d[0]);
        }
        v.d[0] = given.d[0];
    }
    ZW_TRY(zw_only_parameters(m, what, v.e[0], e->stmt->value->place));
    if (v.d[0].any)
        v.d[0] = zw_dim_none();
    const char *unit = param_unit(m, e->stmt, &v.d[0]);
    if (!unit)
        return zw_model_memory(m);
    zw_expr sym;
    ZW_TRY(zw_system_param(m->sys, e->name, unit, v.e[0], e->place, &sym, m->err));
    e->value = zw_quantity_scalar(sym, v.d[0]);
    return ZW_OK;
}

zw_status zw_model_keep_constant(zw_model *m, const char *name, const zw_dim *d, zw_place place,
                                 zw_expr *value) {
    if (zw_expr_is_number(m->ctx, *value) || zw_model_variable(m, *value))
        return ZW_OK;
    for (int i = 0; i < m->sys->np; i++)
        if (strcmp(m->sys->param[i].name, name) == 0) { /* built again, after quasi-velocities */
            *value = m->sys->param[i].sym;
            return ZW_OK;
        }
    const char *unit = zw_model_unit(m, d);
    return unit ? zw_system_param(m->sys, name, unit, *value, place, value, m->err)
                : zw_model_memory(m);
}

zw_status zw_build_let(zw_model *m, zw_entry *e) {
    ZW_TRY(zw_model_eval(m, e->stmt->value, &e->value));
    bool constant = e->kind == ZW_ST_LET && m->options && m->options->constants;
    return constant && e->value.n == 1
               ? zw_model_keep_constant(m, e->name, &e->value.d[0], e->place, &e->value.e[0])
               : ZW_OK;
}

zw_status zw_build_point(zw_model *m, zw_entry *e) {
    zw_expr at[3];
    zw_dim length = zw_model_dim(m, 0, 1, 0);
    ZW_TRY(zw_model_vector(m, e->stmt->value, "a point", &length, at, NULL));
    e->value = zw_vector_value(at, length);
    return zw_sketch_node(m, e->stmt, e->name, at);
}

/* ----------------------------------------------------------------------------------- inputs */

/* the argument list of harmonic and sweep: an amplitude in any unit, then these dimensions */
static zw_status input_arguments(zw_model *m, const zw_syntax *call, int least, int most,
                                 const zw_dim *dims, zw_expr *args, zw_dim *amplitude) {
    if (call->n < least || call->n > most)
        return zw_fail_at(m->err, ZW_E_SYNTAX, call->place, "%s takes %d to %d arguments, not %d",
                          call->name, least, most, call->n);
    zw_quantity v;
    ZW_TRY(zw_model_eval(m, call->arg[0], &v));
    if (v.n > 1)
        return zw_fail_at(m->err, ZW_E_SYNTAX, call->arg[0]->place,
                          "the amplitude must be a scalar, not a vector");
    args[0] = v.e[0];
    *amplitude = v.d[0];
    for (int i = 1; i < call->n; i++)
        ZW_TRY(zw_model_scalar(m, call->arg[i], "this argument", &dims[i], &args[i]));
    return ZW_OK;
}

/* a sin(omega t + phase) */
static zw_status build_harmonic(zw_model *m, zw_entry *e) {
    zw_context *ctx = m->ctx;
    zw_dim dims[3] = {zw_dim_none(), zw_model_dim(m, 0, 0, -1), zw_dim_none()}, d;
    zw_expr a[3] = {ZW_ZERO, ZW_ZERO, ZW_ZERO};
    ZW_TRY(input_arguments(m, e->stmt->value, 2, 3, dims, a, &d));
    zw_expr phase = zw_add(ctx, zw_mul(ctx, a[1], m->sys->t), a[2]);
    e->value = zw_quantity_scalar(zw_mul(ctx, a[0], zw_sin(ctx, phase)), d);
    return ZW_OK;
}

/* a sin(phi), phi' increases from omega0 to omega1 within the duration T and stays there: phi =
 * omega0 t + (omega1 - omega0) t^2 / (2 T) up to T, then phi(T) + omega1 (t - T) */
static zw_status build_sweep(zw_model *m, zw_entry *e) {
    zw_context *ctx = m->ctx;
    zw_dim rate = zw_model_dim(m, 0, 0, -1);
    zw_dim dims[4] = {zw_dim_none(), rate, rate, zw_model_dim(m, 0, 0, 1)}, d;
    zw_expr a[4], t = m->sys->t;
    ZW_TRY(input_arguments(m, e->stmt->value, 4, 4, dims, a, &d));
    zw_expr T = a[3], slope = zw_div(ctx, zw_sub(ctx, a[2], a[1]), zw_mul(ctx, ZW_TWO, T));
    zw_expr during = zw_add(ctx, zw_mul(ctx, a[1], t), zw_mul(ctx, slope, zw_mul(ctx, t, t)));
    zw_expr half_way = zw_mul(ctx, ZW_HALF, zw_mul(ctx, T, zw_sub(ctx, a[1], a[2])));
    zw_expr after = zw_add(ctx, half_way, zw_mul(ctx, a[2], t));
    zw_expr test = zw_apply(ctx, ZW_OP_LT, 2, (zw_expr[]){t, T});
    zw_expr phase = zw_cond(ctx, test, during, after);
    e->value = zw_quantity_scalar(zw_mul(ctx, a[0], zw_sin(ctx, phase)), d);
    return ZW_OK;
}

static zw_place table_place(const zw_stmt *s) {
    return s->word ? s->word_place : s->place;
}

/* (x, y) pairs written in the model: numbers only */
static zw_status written_pairs(zw_model *m, const zw_stmt *s, double *x, double *y, zw_dim *d) {
    zw_dim second = zw_model_dim(m, 0, 0, 1);
    *d = zw_dim_any();
    for (int i = 0; i < s->n; i++) {
        zw_quantity v;
        ZW_TRY(zw_model_eval(m, s->list[i], &v));
        if (v.n != 2)
            return zw_fail_at(m->err, ZW_E_SYNTAX, s->list[i]->place,
                              "a table holds pairs (time, value)");
        for (int k = 0; k < 2; k++)
            if (zw_foreign_symbol(m->ctx, v.e[k], 0, NULL))
                return zw_fail_at(m->err, ZW_E_MODEL, s->list[i]->place,
                                  "a table holds numbers only, no names");
        if (!zw_model_fits(m, &v.d[0], &second))
            return zw_model_unit_mismatch(m, s->list[i]->place, "a time is %s and must be %s",
                                          &v.d[0], &second);
        if (!zw_model_fits(m, &v.d[1], d))
            return zw_model_unit_mismatch(m, s->list[i]->place,
                                          "a value is %s, those before it are %s", &v.d[1], d);
        if (d->any)
            *d = v.d[1];
        x[i] = zw_eval(m->ctx, v.e[0], 0, NULL, NULL);
        y[i] = zw_eval(m->ctx, v.e[1], 0, NULL, NULL);
        ZW_TRY(zw_model_check_expressions(m, s->list[i]->place));
    }
    return ZW_OK;
}

/* the points of a table, written in the model or read from a file, with the dimension of the
 * values */
static zw_status table_points(zw_model *m, const zw_stmt *s, int *n, double **x, double **y,
                              zw_dim *d) {
    *n = s->n;
    if (*n) {
        *x = ZW_NEW(m->arena, double, *n);
        *y = ZW_NEW(m->arena, double, *n);
        if (!*x || !*y)
            return zw_model_memory(m);
        ZW_TRY(written_pairs(m, s, *x, *y, d));
    } else {
        zw_dim second = zw_model_dim(m, 0, 0, 1);
        if (!zw_model_fits(m, &s->column_unit[0].dim, &second))
            return zw_model_unit_mismatch(m, s->word_place,
                                          "the first column is %s and must be a time, %s",
                                          &s->column_unit[0].dim, &second);
        ZW_TRY(zw_read_columns(m, s, n, x, y));
        *d = s->column_unit[1].dim;
    }
    zw_place place = table_place(s);
    if (*n < 2)
        return zw_fail_at(m->err, ZW_E_MODEL, place, "a table needs at least two points");
    for (int i = 0; i < *n; i++) {
        if (!isfinite((*x)[i]) || !isfinite((*y)[i]))
            return zw_fail_at(m->err, ZW_E_DOMAIN, place, "point %d of the table is not finite",
                              i + 1);
        if (i > 0 && (*x)[i] <= (*x)[i - 1])
            return zw_fail_at(m->err, ZW_E_MODEL, place,
                              "the times of a table must grow: point %d is not after point %d",
                              i + 1, i);
    }
    return ZW_OK;
}

/* values y of points from..to, each up to the time of the next one: conditions on t by bisection */
static zw_expr hold_values(zw_context *ctx, zw_expr t, int from, int to, const double *x,
                           const double *y) {
    if (to - from == 1)
        return zw_real(ctx, y[from]);
    int middle = from + (to - from) / 2;
    const zw_expr test[2] = {t, zw_real(ctx, x[middle])};
    return zw_cond(ctx, zw_apply(ctx, ZW_OP_LT, 2, test), hold_values(ctx, t, from, middle, x, y),
                   hold_values(ctx, t, middle, to, x, y));
}

static zw_status build_steps(zw_model *m, zw_entry *e, int n, const double *x, const double *y,
                             zw_dim d) {
    zw_place place = table_place(e->stmt);
    if (n > HELD_MAX) {
        zw_fail_at(m->err, ZW_E_MODEL, place, "a table that holds its values has at most %d points",
                   HELD_MAX);
        zw_error_hint(m->err, "input %s = signal, with --set \"%s=table ... hold\", takes more",
                      e->stmt->name, e->stmt->name);
        return ZW_E_MODEL;
    }
    e->value = zw_quantity_scalar(hold_values(m->ctx, m->sys->t, 0, n, x, y), d);
    return zw_model_check_expressions(m, place);
}

static zw_status build_table(zw_model *m, zw_entry *e) {
    const zw_stmt *s = e->stmt;
    double *x, *y;
    int n;
    zw_dim d;
    ZW_TRY(table_points(m, s, &n, &x, &y, &d));
    zw_place place = table_place(s);
    e->npoint = n;
    e->x = x;
    e->y = y;
    if (s->hold)
        return build_steps(m, e, n, x, y, d);
    int table = zw_tabulate(m->ctx, n, x, y, s->cubic ? ZW_CUBIC : ZW_LINEAR);
    ZW_TRY(zw_model_check_expressions(m, place));
    e->value = zw_quantity_scalar(zw_lookup(m->ctx, table, 0, m->sys->t), d);
    return ZW_OK;
}

zw_status zw_build_input(zw_model *m, zw_entry *e) {
    if (e->stmt->signal)
        return ZW_OK; /* it was built with the coordinates */
    if (!e->stmt->value)
        return build_table(m, e);
    ZW_TRY(strcmp(e->stmt->value->name, "sweep") == 0 ? build_sweep(m, e) : build_harmonic(m, e));
    return zw_model_check_expressions(m, e->stmt->value->place);
}

/* ------------------------------------------------------------------------------- coordinates */

/* A state x' has the name of a rate: that of the state x, or of no variable of the model. */
static zw_status check_primed(zw_model *m, const zw_entry *e) {
    size_t n = strlen(e->name);
    for (int i = 0; i < m->nentry; i++) {
        const zw_entry *of = &m->entry[i];
        if (of->kind == ZW_ST_STATE || strlen(of->name) + 1 != n || e->name[n - 1] != '\'' ||
            strncmp(of->name, e->name, n - 1) != 0)
            continue;
        zw_fail_at(m->err, ZW_E_NAME, e->place, "%s is the rate of the %s %s, not a state", e->name,
                   zw_stmt_word(of->kind), of->name);
        zw_error_hint(m->err, "choose another name for the state");
        return ZW_E_NAME;
    }
    return ZW_OK;
}

static zw_status make_coord(zw_model *m, zw_entry *e, zw_dim d) {
    zw_expr sym;
    const char *unit = zw_model_unit(m, &d);
    if (!unit)
        return zw_model_memory(m);
    if (e->kind == ZW_ST_STATE)
        ZW_TRY(check_primed(m, e));
    if (e->kind == ZW_ST_STATE)
        ZW_TRY(zw_system_state(m->sys, e->name, unit, e->place, &sym, m->err));
    else
        ZW_TRY(zw_system_coord(m->sys, e->name, unit, e->place, &sym, m->err));
    e->value = zw_quantity_scalar(sym, d);
    e->progress = ZW_BUILT;
    return ZW_OK;
}

static zw_status coord_dim(zw_model *m, const zw_stmt *s, zw_dim *d) {
    *d = zw_dim_none();
    if (!s->has_unit) {
        if (m->tree.no_units)
            return ZW_OK;
        zw_fail_at(m->err, ZW_E_UNIT, s->name_place, "the %s '%s' has no unit",
                   zw_stmt_word(s->kind), s->name);
        if (s->kind == ZW_ST_INPUT)
            zw_error_hint(m->err,
                          "input %s = signal [N]; a model without any units says 'units none'",
                          s->name);
        else if (s->kind == ZW_ST_STATE)
            zw_error_hint(m->err,
                          "state %s [A] : ..., state %s [1] : ...; a model without any units says "
                          "'units none'",
                          s->name, s->name);
        else
            zw_error_hint(m->err,
                          "coord %s [m], coord %s [rad]; a model without any units says "
                          "'units none'",
                          s->name, s->name);
        return ZW_E_UNIT;
    }
    if (m->tree.no_units && !zw_dim_is_none(&s->unit.dim))
        return zw_fail_at(m->err, ZW_E_UNIT, s->word_place,
                          "a unit in a model that says 'units none'");
    if (!s->unit.exact || s->unit.num != 1 || s->unit.den != 1 || s->unit.pi_power != 0) {
        char text[ZW_DIM_TEXT];
        zw_dim_text(&s->unit.dim, text);
        zw_fail_at(m->err, ZW_E_UNIT, s->word_place, "%ss are measured in SI units, not in [%s]",
                   zw_stmt_word(s->kind), s->unit_text);
        zw_error_hint(m->err, "write [%s]; numbers may have any unit", text);
        return ZW_E_UNIT;
    }
    *d = s->unit.dim;
    return ZW_OK;
}

/* the value set from outside */
static zw_status give_signal(zw_model *m, const zw_stmt *s, zw_expr signal, const zw_dim *d) {
    const zw_stmt *given = s->outside;
    zw_expr value;
    char what[120];
    snprintf(what, sizeof what, "the signal '%.80s'", s->name);
    if (!given->table) {
        ZW_TRY(zw_model_scalar(m, given->value, what, d, &value));
        ZW_TRY(zw_only_parameters(m, what, value, given->value->place));
        return zw_system_signal_value(m->sys, signal, value, given->value->place, m->err);
    }
    double *t, *y;
    int n;
    zw_dim found;
    ZW_TRY(table_points(m, given, &n, &t, &y, &found));
    if (!zw_model_fits(m, &found, d))
        return zw_model_unit_mismatch(m, table_place(given),
                                      "the table is %s, the signal must be %s", &found, d);
    zw_pieces pieces = given->hold    ? ZW_PIECES_HOLD
                       : given->cubic ? ZW_PIECES_CUBIC
                                      : ZW_PIECES_LINEAR;
    return zw_system_signal_table(m->sys, signal, n, t, y, pieces, table_place(given), m->err);
}

static zw_status declared_signal(zw_model *m, const zw_stmt *s) {
    zw_dim d;
    zw_expr sym;
    if (s->value && !s->outside)
        return zw_build_noise(m, s);
    ZW_TRY(s->value ? zw_noise_unit(m, s, &d) : coord_dim(m, s, &d));
    zw_entry *e = zw_model_find(m, s->name);
    const char *unit = zw_model_unit(m, &d);
    if (!unit)
        return zw_model_memory(m);
    ZW_TRY(zw_system_signal(m->sys, e->name, unit, e->place, &sym, m->err));
    e->value = zw_quantity_scalar(sym, d);
    e->progress = ZW_BUILT;
    return s->outside ? give_signal(m, s, sym, &d) : ZW_OK;
}

static zw_status declared_coord(zw_model *m, const zw_stmt *s) {
    zw_dim d;
    ZW_TRY(coord_dim(m, s, &d));
    return make_coord(m, zw_model_find(m, s->name), d);
}

/* the angles of a rotation are coordinates, which it declares unless they exist already */
static zw_status angle_coords(zw_model *m, const zw_stmt *s) {
    for (int i = 0; i < s->n; i++) {
        zw_entry *e = zw_model_find(m, s->list[i]->name);
        zw_dim angle = zw_dim_none();
        angle.angle = 1;
        if (!e->stmt && e->progress == ZW_UNBUILT)
            ZW_TRY(make_coord(m, e, angle));
    }
    return ZW_OK;
}

/* "coord x, y" without a unit is one fault */
static bool lacks_same_unit(const zw_stmt *s, const zw_stmt *before) {
    return before && before->broken && !before->has_unit && !s->has_unit &&
           before->place.line == s->place.line && before->place.column == s->place.column;
}

zw_status zw_build_coords(zw_model *m) {
    const zw_stmt *before = NULL;
    for (zw_stmt *s = m->tree.first; s; s = s->next) {
        if (s->broken)
            continue;
        if (s->kind == ZW_ST_COORD || s->kind == ZW_ST_STATE) {
            zw_status status = lacks_same_unit(s, before) ? ZW_E_UNIT : declared_coord(m, s);
            ZW_TRY(zw_model_handle(m, s, status));
            before = s;
        } else if (s->kind == ZW_ST_INPUT && s->signal) {
            ZW_TRY(zw_model_handle(m, s, declared_signal(m, s)));
        } else if (s->kind == ZW_ST_ROTATION) {
            ZW_TRY(zw_model_handle(m, s, angle_coords(m, s)));
        }
    }
    return ZW_OK;
}

static zw_status build_state_rate(zw_model *m, const zw_stmt *s) {
    const zw_entry *e = zw_model_find(m, s->name);
    zw_dim rate, second = zw_model_dim(m, 0, 0, 1);
    zw_expr value, state = e->value.e[0];
    char what[120];
    if (!zw_dim_combine(&rate, &e->value.d[0], &second, -1))
        return zw_fail_at(m->err, ZW_E_UNIT, s->word_place, "the unit is out of all proportion");
    snprintf(what, sizeof what, "the rate of '%.80s'", s->name);
    ZW_TRY(zw_model_scalar(m, s->value, what, &rate, &value));
    return zw_system_state_rate(m->sys, state, value, s->value->place, m->err);
}

zw_status zw_build_state_rates(zw_model *m) {
    for (zw_stmt *s = m->tree.first; s; s = s->next)
        if (s->kind == ZW_ST_STATE && !s->broken)
            ZW_TRY(zw_model_handle(m, s, build_state_rate(m, s)));
    return ZW_OK;
}

zw_status zw_build_periodic(zw_model *m, zw_stmt *s) {
    zw_entry *e;
    ZW_TRY(zw_model_resolve(m, s->name, s->name_place, &e));
    if (e->kind != ZW_ST_COORD && e->kind != ZW_ST_STATE)
        return zw_fail_at(m->err, ZW_E_NAME, s->name_place, "'%s' is not a coordinate", s->name);
    zw_expr sym = e->value.e[0], period = zw_mul(m->ctx, ZW_TWO, ZW_PI);
    zw_dim d = e->value.d[0];
    if (s->at) {
        ZW_TRY(zw_model_scalar(m, s->at, "the period", &d, &period));
        ZW_TRY(zw_only_parameters(m, "the period", period, s->at->place));
    } else if (m->check && !zw_dim_is_none(&d)) {
        zw_fail_at(m->err, ZW_E_UNIT, s->name_place, "'%s' is not an angle", s->name);
        zw_error_hint(m->err, "give its period: periodic %s period L", s->name);
        return ZW_E_UNIT;
    }
    ZW_TRY(zw_system_periodic(m->sys, sym, period, s->name_place, m->err));
    return zw_model_note(m, "periodic is kept for the search of periodic motions; runs show such "
                            "coordinates unwrapped");
}

zw_status zw_build_independent(zw_model *m, zw_stmt *s) {
    zw_expr velocity;
    ZW_TRY(zw_model_scalar(m, s->value, "an independent velocity", NULL, &velocity));
    return zw_system_independent(m->sys, velocity, s->value->place, m->err);
}

/* ---------------------------------------------------------------------------- quasi-velocities */

/* Expressions built while x' was still a velocity must be built again. */
static void forget_rates(zw_model *m) {
    for (int i = 0; i < m->nentry; i++) {
        zw_entry *e = &m->entry[i];
        bool again = e->kind == ZW_ST_LET || e->kind == ZW_ST_INPUT || e->kind == ZW_ST_POINT ||
                     e->kind == ZW_ST_OBSERVE;
        if (again && e->progress != ZW_FAILED)
            e->progress = ZW_UNBUILT;
    }
}

static zw_status quasi_definition(zw_model *m, const zw_stmt *s, zw_expr *def, zw_dim *d) {
    zw_quantity v;
    ZW_TRY(zw_model_eval(m, s->value, &v));
    if (v.n > 1)
        return zw_fail_at(m->err, ZW_E_SYNTAX, s->value->place,
                          "a quasi-velocity must be a scalar, not a vector");
    *def = v.e[0];
    *d = v.d[0];
    if (!s->has_unit)
        return ZW_OK;
    if (!zw_model_fits(m, &v.d[0], &s->unit.dim))
        return zw_model_unit_mismatch(m, s->word_place,
                                      "the expression is %s, but the unit after it is %s", &v.d[0],
                                      &s->unit.dim);
    *d = s->unit.dim;
    return ZW_OK;
}

static void fail_quasi(zw_model *m) {
    for (int i = 0; i < m->nentry; i++)
        if (m->entry[i].kind == ZW_ST_QUASI)
            m->entry[i].progress = ZW_FAILED;
}

zw_status zw_build_quasi(zw_model *m) {
    int n = 0, k = 0;
    for (zw_stmt *s = m->tree.first; s; s = s->next)
        n += s->kind == ZW_ST_QUASI;
    if (!n)
        return ZW_OK;
    const char **names = ZW_NEW(m->arena, const char *, n),
               **units = ZW_NEW(m->arena, const char *, n);
    zw_expr *def = ZW_NEW(m->arena, zw_expr, n), *syms = ZW_NEW(m->arena, zw_expr, n);
    zw_place *places = ZW_NEW(m->arena, zw_place, n);
    if (!names || !units || !def || !syms || !places)
        return zw_model_memory(m);
    bool sound = true;
    m->rates_only = true;
    for (zw_stmt *s = m->tree.first; s; s = s->next) {
        if (s->kind != ZW_ST_QUASI)
            continue;
        zw_entry *e = zw_model_find(m, s->name);
        if (!s->broken)
            ZW_TRY(zw_model_handle(m, s, quasi_definition(m, s, &def[k], &e->value.d[0])));
        sound = sound && !s->broken;
        names[k] = s->name;
        units[k] = zw_model_unit(m, &e->value.d[0]);
        if (!units[k])
            return zw_model_memory(m);
        places[k++] = s->value->place;
    }
    m->rates_only = false;
    if (sound) {
        zw_status status = zw_system_quasi(m->sys, n, names, units, def, places, syms, m->err);
        sound = status >= 0;
        if (m->faults.nsuspect && status != ZW_E_MEMORY)
            m->faults.now = (zw_error){0}; /* a definition may be missing because of its fault */
        ZW_TRY(zw_model_handle(m, NULL, status));
    }
    if (!sound) { /* all definitions are needed */
        fail_quasi(m);
        return ZW_OK;
    }
    for (int i = 0; i < n; i++) {
        zw_entry *e = zw_model_find(m, names[i]);
        e->value = zw_quantity_scalar(syms[i], e->value.d[0]);
        e->progress = ZW_BUILT;
    }
    forget_rates(m);
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------ frames */

static const zw_expr origin_zero[3] = {ZW_ZERO, ZW_ZERO, ZW_ZERO};

/* intermediate frames of frame NAME are called NAME.1, NAME.2, ... */
static const char *step_name(zw_model *m, const char *name, int step, bool last) {
    char text[200];
    if (last)
        return name;
    snprintf(text, sizeof text, "%.150s.%d", name, step);
    return zw_context_intern(m->ctx, text);
}

static zw_status build_euler(zw_model *m, zw_entry *e) {
    const zw_stmt *s = e->stmt;
    int frame = 0;
    for (int i = 0; i < 3; i++) {
        zw_expr axis[3] = {ZW_ZERO, ZW_ZERO, ZW_ZERO}, angle;
        zw_dim none = zw_dim_none();
        axis[s->word[i] - 'x'] = ZW_ONE;
        ZW_TRY(zw_model_scalar(m, s->list[i], "an Euler angle", &none, &angle));
        const char *name = step_name(m, e->name, i + 1, i == 2);
        if (!name)
            return zw_model_memory(m);
        ZW_TRY(zw_system_frame_rotated(m->sys, name, frame, axis, angle, e->place, &frame, m->err));
    }
    e->frame = frame;
    return ZW_OK;
}

zw_status zw_build_rotation(zw_model *m, zw_entry *e) {
    if (e->stmt->n)
        return build_euler(m, e);
    return zw_system_frame_free(m->sys, e->name, origin_zero, e->stmt->space, e->place, &e->frame,
                                m->err);
}

zw_status zw_model_axis(zw_model *m, const zw_syntax *node, zw_expr axis[3]) {
    zw_context *ctx = m->ctx;
    ZW_TRY(zw_model_vector(m, node, "an axis", NULL, axis, NULL));
    zw_expr square = zw_dot(ctx, 3, axis, axis);
    if (square == ZW_ZERO)
        return zw_fail_at(m->err, ZW_E_MODEL, node->place, "the axis has no direction: it is zero");
    ZW_TRY(zw_only_parameters(m, "the axis", square, node->place));
    for (int i = 0; i < 3; i++) {
        ZW_TRY(zw_only_parameters(m, "the axis", axis[i], node->place));
        if (square != ZW_ONE)
            axis[i] = zw_div(ctx, axis[i], zw_sqrt(ctx, square));
    }
    return zw_model_check_expressions(m, node->place);
}

zw_status zw_build_frame(zw_model *m, zw_entry *e) {
    const zw_stmt *s = e->stmt;
    int frame = 0, step = 1;
    if (s->word[0])
        ZW_TRY(zw_model_frame(m, s->word, s->word_place, &frame));
    for (const zw_move *move = s->moves; move; move = move->next, step++) {
        const char *name = step_name(m, e->name, step, !move->next);
        if (!name)
            return zw_model_memory(m);
        zw_expr axis[3], angle, origin[3];
        zw_dim none = zw_dim_none(), length = zw_model_dim(m, 0, 1, 0);
        if (move->axis) {
            ZW_TRY(zw_model_axis(m, move->axis, axis));
            ZW_TRY(zw_model_scalar(m, move->value, "the angle", &none, &angle));
            ZW_TRY(zw_system_frame_rotated(m->sys, name, frame, axis, angle, e->place, &frame,
                                           m->err));
        } else {
            ZW_TRY(zw_model_vector(m, move->value, "the origin", &length, origin, NULL));
            ZW_TRY(zw_system_frame_moved(m->sys, name, frame, origin, e->place, &frame, m->err));
        }
    }
    e->frame = frame;
    return ZW_OK;
}
