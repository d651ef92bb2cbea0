/* SPDX-License-Identifier: MIT */
#include "record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *record_velocity_unit(const zw_equations *eq, int i) {
    const zw_system *s = eq->sys;
    for (int k = 0; k < s->nv; k++)
        if (s->velocity[k].sym == eq->v[i])
            return s->velocity[k].unit;
    for (int k = 0; k < s->nconstraint; k++)
        if (s->constraint[k].lambda == eq->v[i])
            return s->constraint[k].lambda_unit;
    return "";
}

static zw_status add_columns(zw_table *t, const zw_equations *eq) {
    const zw_system *s = eq->sys;
    ZW_TRY(zw_table_column(t, "t", "s"));
    for (int i = 0; i < s->nq; i++)
        ZW_TRY(zw_table_column(t, s->coord[i].name, s->coord[i].unit));
    for (int i = 0; i < eq->nv; i++)
        ZW_TRY(zw_table_column(t, zw_expr_name(s->ctx, eq->v[i]), record_velocity_unit(eq, i)));
    for (int i = 0; i < eq->nc; i++) {
        const zw_constraint *c = &s->constraint[eq->constraint[i]];
        ZW_TRY(zw_table_column(t, zw_expr_name(s->ctx, c->lambda), c->lambda_unit));
    }
    for (int i = 0; i < s->nobservable; i++)
        ZW_TRY(zw_table_column(t, s->observable[i].name, s->observable[i].unit));
    ZW_TRY(zw_table_column(t, "kinetic", "J"));
    ZW_TRY(zw_table_column(t, "potential", "J"));
    return zw_table_column(t, "energy", "J");
}

static zw_status add_notes(zw_table *t, const cli_model *m, const char *path,
                           const zw_equations *eq, const cli_options *o, const double *p) {
    char text[64];
    ZW_TRY(zw_table_note(t, "zwang", zw_version()));
    ZW_TRY(zw_table_note(t, "model", eq->sys->name));
    ZW_TRY(zw_table_note(t, "file", path));
    ZW_TRY(zw_table_note(t, "variant", eq->sys->variant));
    ZW_TRY(zw_table_note(t, "principle", eq->principle));
    snprintf(text, sizeof text, "%.17g", o->run.rtol);
    ZW_TRY(zw_table_note(t, "rtol", text));
    snprintf(text, sizeof text, "%.17g", o->run.atol);
    ZW_TRY(zw_table_note(t, "atol", text));
    for (int i = 0; i < eq->sys->np; i++) {
        char key[96];
        snprintf(key, sizeof key, "param %s", eq->sys->param[i].name);
        snprintf(text, sizeof text, "%.17g%s%s", p[i], eq->sys->param[i].unit[0] ? " " : "",
                 eq->sys->param[i].unit);
        ZW_TRY(zw_table_note(t, key, text));
    }
    char *copy = malloc(m->length + 1);
    if (!copy)
        return ZW_E_MEMORY;
    memcpy(copy, m->text, m->length);
    copy[m->length] = '\0';
    zw_status status = zw_table_note(t, "text", copy);
    free(copy);
    return status;
}

zw_status record_create(record *r, const cli_model *m, const char *path, const zw_equations *eq,
                        zw_run *run, const cli_options *o, const double *p, zw_error *err) {
    const zw_system *s = eq->sys;
    size_t columns = (size_t)(s->nq + eq->nv + eq->nc + s->nobservable + 5);
    *r = (record){.eq = eq, .run = run};
    r->rows = zw_table_create(NULL);
    r->events = zw_table_create(NULL);
    r->values = calloc(columns, sizeof *r->values);
    if (!r->rows || !r->events || !r->values || zw_table_column(r->events, "event", "") < 0 ||
        add_columns(r->events, eq) < 0 || add_columns(r->rows, eq) < 0 ||
        add_notes(r->events, m, path, eq, o, p) < 0 || add_notes(r->rows, m, path, eq, o, p) < 0)
        return zw_fail(err, ZW_E_MEMORY, "out of memory for the result");
    for (int i = 0; i < s->nevent; i++) {
        char key[64];
        snprintf(key, sizeof key, "event %d", i);
        if (zw_table_note(r->events, key, s->event[i].name) < 0)
            return zw_fail(err, ZW_E_MEMORY, "out of memory for the result");
    }
    return ZW_OK;
}

zw_status record_row(record *r, int event, zw_error *err) {
    const zw_equations *eq = r->eq;
    const zw_system *s = eq->sys;
    const double *x = zw_run_state(r->run), *z = zw_run_accel(r->run),
                 *obs = zw_run_observables(r->run);
    double *row = r->values + 1;
    int n = 0;
    row[n++] = zw_run_time(r->run);
    for (int i = 0; i < s->nq + eq->nv; i++)
        row[n++] = x[i];
    for (int i = 0; i < eq->nc; i++)
        row[n++] = z[eq->nv + i];
    for (int i = 0; i < s->nobservable + 2; i++)
        row[n++] = obs[i];
    row[n] = row[n - 2] + row[n - 1];
    r->values[0] = event;
    zw_status status = event >= 0 ? zw_table_row(r->events, r->values) : zw_table_row(r->rows, row);
    return status < 0 ? zw_fail(err, ZW_E_MEMORY, "out of memory for the result") : ZW_OK;
}

zw_status record_finish(record *r, const char *ending, zw_error *err) {
    zw_run_info info = zw_run_statistics(r->run);
    char text[64];
    zw_status status = zw_table_note(r->rows, "ended", ending);
    if (status >= 0)
        status = zw_table_note(r->rows, "method", info.method);
    snprintf(text, sizeof text, "%ld", info.steps);
    if (status >= 0)
        status = zw_table_note(r->rows, "steps", text);
    snprintf(text, sizeof text, "%ld", info.rhs_calls);
    if (status >= 0)
        status = zw_table_note(r->rows, "evaluations", text);
    return status < 0 ? zw_fail(err, ZW_E_MEMORY, "out of memory for the result") : ZW_OK;
}

void record_destroy(record *r) {
    zw_table_destroy(r->rows);
    zw_table_destroy(r->events);
    free(r->values);
}
