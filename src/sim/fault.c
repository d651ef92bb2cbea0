/* SPDX-License-Identifier: MIT */
/* The numerics know rows and columns; the user knows names. A fault tells which row or column, and
 * the equations which constraint, start or velocity of the model that is. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

const zw_constraint *zw_sim_constraint_of(const zw_system *s, zw_expr symbol) {
    for (int k = 0; k < s->nconstraint; k++)
        if (s->constraint[k].lambda == symbol)
            return &s->constraint[k];
    return NULL;
}

void zw_sim_add_text(zw_error *err, const char *fmt, ...) {
    if (!err)
        return;
    size_t used = strlen(err->text);
    va_list args;
    va_start(args, fmt);
    vsnprintf(err->text + used, sizeof err->text - used, fmt, args);
    va_end(args);
}

typedef struct culprit {
    char name[160];
    zw_place place;
} culprit;

/* a row of position or velocity level: a constraint, behind them the starts */
static culprit blame_row(const zw_system *s, int n, const int *constraint, const int *start,
                         int row) {
    culprit c;
    if (row < n) {
        snprintf(c.name, sizeof c.name, "constraint %s", s->constraint[constraint[row]].name);
        c.place = s->constraint[constraint[row]].place;
    } else {
        snprintf(c.name, sizeof c.name, "start of %s", s->start[start[row - n]].text);
        c.place = s->start[start[row - n]].place;
    }
    return c;
}

static culprit blame_velocity(const zw_equations *eq, const char *as, int i) {
    const zw_system *s = eq->sys;
    culprit c = {.place = eq->from_system ? (zw_place){0} : s->velocity[i].place};
    snprintf(c.name, sizeof c.name, "%s %s", as, zw_expr_name(s->ctx, eq->v[i]));
    return c;
}

static culprit blame(const zw_equations *eq, zw_run_fault f) {
    const zw_system *s = eq->sys;
    culprit c = {.name = ""};
    switch (f.kind) {
    case ZW_FAULT_MASS:
        return blame_velocity(eq, "velocity", f.index);
    case ZW_FAULT_CONSTRAINT:
        return blame_row(s, eq->nc, eq->constraint, NULL, f.index);
    case ZW_FAULT_POSITION:
        return blame_row(s, eq->npos, eq->pos_constraint, eq->start_pos, f.index);
    case ZW_FAULT_VELOCITY:
        return blame_row(s, eq->nvel, eq->vel_constraint, eq->start_vel, f.index);
    case ZW_FAULT_STATE:
        if (f.index >= s->nq)
            return blame_velocity(eq, "state", f.index - s->nq);
        snprintf(c.name, sizeof c.name, "state %s", s->coord[f.index].name);
        return c;
    case ZW_FAULT_UNIT:
        snprintf(c.name, sizeof c.name, "quaternion %s", s->coord[f.index].name);
        return c;
    case ZW_FAULT_NONE:
        break;
    }
    return c;
}

void zw_sim_explain(const zw_equations *eq, const zw_run *run, zw_error *err) {
    zw_run_fault f = zw_run_last_fault(run);
    if (!err || f.kind == ZW_FAULT_NONE || f.index < 0)
        return;
    culprit c = blame(eq, f);
    zw_sim_add_text(err, " (%s)", c.name);
    if (c.place.file && !err->file[0]) {
        snprintf(err->file, sizeof err->file, "%s", c.place.file);
        err->line = c.place.line;
        err->column = c.place.column;
    }
}
