/* SPDX-License-Identifier: MIT */
/* Motions that drift or rotate are periodic in the coordinates that the reduction
 * (zwang/symbolic.h) keeps. The coordinates that it has left out follow from one period of the full
 * system, which begins with their values in the formulas: a period translates and rotates them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "forced.h"
#include "formulas/reduction/reduce.h"
#include "motion/harmonic/balance.h"
#include "motion/motion_words.h"

/* relative to the range of a coordinate: gain per period that is no rounding of the run */
#define DRIFT_LEAST 1e-9
#define ERRORS_OF_DRIFT 10 /* the same, relative to the error of the motion */

void zw_forced_reduced_by(zw_forced *f, const zw_reduction *r) {
    f->reduction = r;
}

bool zw_forced_drifts(const zw_forced *f) {
    for (int i = 0; i < f->nmotion; i++)
        for (int k = 0; f->motion[i].drift && k < f->sys->nq; k++)
            if (f->motion[i].drift[k] != 0)
                return true;
    return f->nmotion == 0 && f->drift_coordinate >= 0;
}

static int find_param(const zw_system *s, const char *name) {
    for (int i = 0; i < s->np; i++)
        if (strcmp(s->param[i].name, name) == 0)
            return i;
    return -1;
}

/* the parameters of the full system for those of the study */
static zw_status full_parameters(zw_forced *f, int n, const zw_sim_number *number, double *p,
                                 zw_error *err) {
    const zw_system *s = f->reduction->sys;
    bool *given = ZW_NEW(&f->arena, bool, s->np + 1);
    if (!given)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_system_param_values(s, p, err));
    for (int i = 0; i < n; i++) {
        int k = find_param(s, number[i].name);
        if (k < 0)
            return zw_fail(err, ZW_E_NAME, "%s has no parameter %s: no period of it can be run",
                           s->name, number[i].name);
        p[k] = number[i].value;
        given[k] = true;
    }
    return zw_system_param_follow(s, given, p, err);
}

/* The velocities that momenta replace are no entries of the state of the study. */
static zw_status reject_momenta(const zw_reduction *r, zw_error *err) {
    if (!r->result.nmomentum)
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION,
            "%s is reduced with %s as a parameter: the coordinates that are left out do not follow "
            "from its motions",
            r->sys->name, r->result.momentum[0].name);
    zw_error_hint(err, "a reduction without momenta");
    return ZW_E_OPTION;
}

/* the full state (q, v) at the beginning of a motion */
static zw_status full_state(zw_forced *f, const zw_forced_motion *m, const double *p, double *x,
                            zw_error *err) {
    const zw_reduction *r = f->reduction;
    const zw_reduced *z = &r->result;
    zw_explicit formulas = r->all;
    double *state = ZW_NEW(&f->arena, double, f->kernel->nx + 1),
           *value = ZW_NEW(&f->arena, double, formulas.nreplaced + 1);
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    if (m->state) {
        memcpy(state, m->state, sizeof(double) * (size_t)f->kernel->nx);
    } else {
        ZW_TRY(zw_forced_load_motion(f, m, err));
        zw_harmonic_state(f->balance, f->x, m->w, 0, state, NULL);
    }
    for (int i = 0; i < z->n; i++)
        x[z->entry[i].index] = state[i];
    for (int i = 0; i < z->nleft; i++)
        x[z->left[i].index] = z->left[i].at;
    formulas.p = p;
    if (!zw_explicit_eval(&formulas, &f->arena, formulas.nreplaced, formulas.value, 0, x, value))
        return zw_fail(err, ZW_E_DOMAIN, "the constraints have no value where a motion begins");
    for (int i = 0; i < formulas.nreplaced; i++)
        x[formulas.where[i]] = value[i];
    return ZW_OK;
}

zw_status zw_forced_reduced_run(zw_forced *f, const zw_forced_motion *m, int rows,
                                const zw_model_source *source, zw_table **out, zw_error *err) {
    const zw_system *s = f->reduction->sys;
    int n = s->nq + s->nv;
    ZW_TRY(reject_momenta(f->reduction, err));
    zw_sim_number param[2], *start = ZW_NEW(&f->arena, zw_sim_number, n + 1);
    double *p = ZW_NEW(&f->arena, double, s->np + 1), *x = ZW_NEW(&f->arena, double, n + 1);
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    zw_sim_numbers numbers = {.nparam = zw_forced_run_parameters(f, m->value, param),
                              .param = param,
                              .nstart = n,
                              .start = start};
    for (int i = 0; i < numbers.nparam; i++)
        param[i].name = f->sys->param[param[i].index].name;
    ZW_TRY(full_parameters(f, numbers.nparam, param, p, err));
    ZW_TRY(full_state(f, m, p, x, err));
    for (int i = 0; i < n; i++)
        start[i] = (zw_sim_number){.index = i, .value = x[i]};
    return zw_motion_run(s, source, &numbers, 2 * M_PI / m->w, rows, NULL, NULL, out, NULL, err);
}

/* the change of a column in a period; 0 if it is rounding */
static double period_gain(const zw_table *rows, const char *name, double error) {
    int column = zw_table_find(rows, name);
    long last = zw_table_rows(rows) - 1;
    if (column < 0)
        return NAN;
    double low = INFINITY, high = -INFINITY,
           drift = zw_table_at(rows, last, column) - zw_table_at(rows, 0, column);
    for (long i = 0; i <= last; i++) {
        low = fmin(low, zw_table_at(rows, i, column));
        high = fmax(high, zw_table_at(rows, i, column));
    }
    return fabs(drift) > fmax(DRIFT_LEAST, ERRORS_OF_DRIFT * error) * (high - low) ? drift : 0;
}

static zw_status add_drift(zw_forced *f, zw_forced_motion *m, zw_error *err) {
    const zw_reduced *z = &f->reduction->result;
    double *left = ZW_NEW(&f->arena, double, z->nleft + 1);
    zw_table *rows = NULL;
    if (!left)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_forced_reduced_run(f, m, 64, NULL, &rows, err));
    for (int i = 0; i < z->nleft; i++)
        left[i] = period_gain(rows, z->left[i].name, isnan(m->error) ? 0 : m->error);
    m->left = left;
    zw_table_destroy(rows);
    return ZW_OK;
}

zw_status zw_forced_find_drifts(zw_forced *f, zw_error *err) {
    for (int i = 0; f->reduction && i < f->nmotion; i++)
        if (!f->motion[i].march)
            ZW_TRY(add_drift(f, &f->motion[i], err));
    for (int i = 0; i < f->nchild; i++) {
        f->child[i]->reduction = f->reduction;
        ZW_TRY(zw_forced_find_drifts(f->child[i], err));
    }
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------------- words */

static bool is_attitude(const zw_forced *f, int i) {
    return zw_explicit_is_quaternion(&f->reduction->all, f->reduction->result.left[i].index);
}

void zw_forced_report_reduction(zw_report *out, const zw_forced *f) {
    const zw_reduced *z = f->reduction ? &f->reduction->result : NULL;
    if (!z)
        return;
    zw_report_list(out, "left_out");
    for (int i = 0; i < z->nleft; i++) {
        zw_report_open(out, NULL);
        zw_report_word(out, "name", z->left[i].name);
        zw_report_say(out, i ? ", {name}" : "  reduced, without {name}");
        zw_report_close(out);
    }
    zw_report_close(out);
    zw_report_say(out, ": the rates do not depend on them (zwang reduce)\n");
    zw_report_list(out, "rotated");
    for (int i = 0; i < z->n; i++) {
        if (!z->entry[i].turned)
            continue;
        zw_report_open(out, NULL);
        zw_report_word(out, "name", z->entry[i].name);
        zw_report_word(out, "plain", z->entry[i].plain);
        zw_report_say(out, "  {plain} is {name} in axes that rotate with them\n");
        zw_report_close(out);
    }
    zw_report_close(out);
}

/* what a period adds to a coordinate that is left out, at least and at most */
static void report_gain(zw_report *out, const zw_reduced_entry *e, double low, double high) {
    zw_shown shown = {.unit = e->unit};
    zw_report_open(out, NULL);
    zw_report_word(out, "name", e->name);
    zw_report_word(out, "verb", strcmp(e->unit, "rad") == 0 ? "turns" : "drifts");
    zw_report_number(out, "per_period", low, &shown);
    if (high > low)
        zw_report_number(out, "per_period_max", high, &shown);
    zw_report_say(out, low == 0 && high == 0
                           ? "    {name} comes back\n"
                           : "    {name} {verb} by {per_period}{per_period_max? to "
                             "{per_period_max}} per period\n");
    zw_report_close(out);
}

void zw_forced_report_drifts(zw_report *out, const zw_forced *f, int first, int n) {
    const zw_reduced *z = f->reduction ? &f->reduction->result : NULL;
    for (int i = 0; z && i < z->nleft; i++) {
        double low = INFINITY, high = -INFINITY;
        for (int k = first; k < first + n; k++)
            if (f->motion[k].left) {
                low = fmin(low, f->motion[k].left[i]);
                high = fmax(high, f->motion[k].left[i]);
            }
        if (!is_attitude(f, i) && low <= high)
            report_gain(out, &z->left[i], low, high);
    }
}

zw_status zw_forced_drift_columns(const zw_forced *f, zw_table *t) {
    char name[200];
    for (int i = 0; f->reduction && i < f->reduction->result.nleft; i++) {
        const zw_reduced_entry *e = &f->reduction->result.left[i];
        snprintf(name, sizeof name, "drift(%.180s)", e->name);
        ZW_TRY(zw_table_column(t, name, e->unit));
    }
    return ZW_OK;
}

int zw_forced_fill_drifts(const zw_forced *f, const zw_forced_motion *m, double *row) {
    int n = f->reduction ? f->reduction->result.nleft : 0;
    for (int i = 0; i < n; i++)
        row[i] = m->left ? m->left[i] : (double)NAN;
    return n;
}
