/* SPDX-License-Identifier: MIT */
/* Steady motions in closed form. The symbols of a statement are names of the model while it is
 * read. */
#include "lang/model.h"

static zw_status declare_free(zw_model *m, const zw_stmt *s, int *n) {
    for (const zw_stmt *one = s->free; one; one = one->next) {
        zw_entry *e;
        ZW_TRY(zw_model_declare(m, ZW_ST_LET, one->name, one->name_place, NULL, &e));
        e->progress = ZW_BUILT;
        e->value = zw_quantity_scalar(zw_symbol(m->ctx, one->name),
                                      one->has_unit ? one->unit.dim : zw_dim_none());
        (*n)++;
    }
    return ZW_OK;
}

/* a symbol in the value that moves */
static zw_expr moving_part(zw_model *m, const zw_motion *motion, zw_expr value) {
    for (int i = 0; i < motion->nfree; i++) {
        zw_expr one = ZW_ONE;
        value = zw_subst(m->ctx, value, 1, &motion->free[i], &one);
    }
    return value ? zw_model_variable(m, value) : ZW_NULL;
}

static zw_status check_value(zw_model *m, const zw_motion *motion, zw_expr value, zw_place place) {
    zw_expr variable = moving_part(m, motion, value);
    if (!variable)
        return ZW_OK;
    zw_fail_at(m->err, ZW_E_MODEL, place,
               "a value of a steady motion depends on %s, which changes with time",
               zw_expr_name(m->ctx, variable));
    zw_error_hint(
        m->err,
        "use parameters, numbers and symbols of the statement: steady NAME with w [rad/s] : ...");
    return ZW_E_MODEL;
}

/* copies the equations into arrays of the model */
static zw_status collect_equations(zw_model *m, const zw_stmt *s, zw_motion *motion) {
    zw_expr *what = ZW_NEW(m->arena, zw_expr, (s->n / 2) * ZW_TUPLE_MAX + 1),
            *value = ZW_NEW(m->arena, zw_expr, (s->n / 2) * ZW_TUPLE_MAX + 1);
    zw_place *where = ZW_NEW(m->arena, zw_place, (s->n / 2) * ZW_TUPLE_MAX + 1);
    if (!what || !value || !where)
        return zw_model_memory(m);
    motion->what = what;
    motion->value = value;
    motion->where = where;
    for (int i = 0; i < s->n; i += 2) {
        zw_quantity left, right;
        ZW_TRY(zw_model_sides(m, s->list[i], s->list[i + 1], &left, &right));
        ZW_TRY(zw_model_check_expressions(m, s->list[i]->place));
        for (int k = 0; k < left.n; k++) {
            what[motion->n] = left.e[k];
            value[motion->n] = right.e[k];
            where[motion->n++] = s->list[i]->place;
            ZW_TRY(check_value(m, motion, right.e[k], s->list[i + 1]->place));
        }
    }
    return ZW_OK;
}

static zw_status build_motion(zw_model *m, const zw_stmt *s, int n) {
    zw_motion motion = {.name = s->name, .nfree = n, .place = s->place};
    zw_expr *free = ZW_NEW(m->arena, zw_expr, n + 1);
    const char **unit = ZW_NEW(m->arena, const char *, n + 1);
    if (!free || !unit)
        return zw_model_memory(m);
    motion.free = free;
    motion.unit = unit;
    for (int i = 0; i < n; i++) {
        const zw_entry *e = &m->entry[m->nentry - n + i];
        free[i] = e->value.e[0];
        unit[i] = zw_model_unit(m, &e->value.d[0]);
        if (!unit[i])
            return zw_model_memory(m);
    }
    ZW_TRY(collect_equations(m, s, &motion));
    return zw_system_motion(m->sys, &motion, m->err);
}

zw_status zw_build_steady(zw_model *m, zw_stmt *s) {
    int n = 0;
    zw_status status = declare_free(m, s, &n);
    if (status >= 0)
        status = build_motion(m, s, n);
    m->nentry -= n; /* the symbols are declared only while the statement is built */
    return status;
}
