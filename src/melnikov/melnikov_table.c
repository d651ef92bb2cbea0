/* SPDX-License-Identifier: MIT */
/* The results of Melnikov's method as tables. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/tolerance.h"
#include "melnikov.h"
#include "motion/notes.h"

#define SAME_END 1e-6     /* of the coordinate: the separatrix returns to its saddle */
#define DRAWN_ERROR 1e-12 /* of the states: far below what a picture shows */

enum {
    T0_ROWS = 201,    /* phases of M(t0) */
    CURVE_ROWS = 401, /* of a separatrix */
    LEVELS = 6        /* neighbours of a separatrix */
};

static zw_status add_mark(zw_table *t, int *n, const char *kind, double value) {
    char key[24], text[80];
    snprintf(key, sizeof key, "mark %d", (*n)++);
    snprintf(text, sizeof text, "%s %.17g", kind, value);
    return zw_table_note(t, key, text);
}

/* the parameter of a column is no note */
static zw_status begin_table(const zw_melnikov *s, zw_table *t, const zw_model_source *source,
                             const char *kind, int nover) {
    char key[ZW_PARAMETER_RANGE_NAME + 8];
    ZW_TRY(zw_study_origin(t, s->sys, s->eq.principle, s->p, NULL, source, kind));
    for (int w = 0; w < nover; w++) {
        snprintf(key, sizeof key, "param %s", s->over[w].name);
        zw_table_remove_note(t, key);
    }
    ZW_TRY(zw_table_note(t, "small", s->options.small));
    return zw_table_note(t, "conserved", s->conserved);
}

static zw_status fill_scan(const zw_melnikov *s, zw_table *t, const zw_model_source *source) {
    const zw_parameter_range *o = &s->over[0];
    int marks = 0;
    ZW_TRY(zw_table_column(t, o->name, o->unit));
    ZW_TRY(zw_table_column(t, s->plane.base > 0 ? "excess" : "M", ""));
    if (s->nseparatrix > 1)
        ZW_TRY(zw_table_column(t, s->plane.base > 0 ? "excess_other" : "M_other", ""));
    ZW_TRY(begin_table(s, t, source, "melnikov over a parameter", 1));
    for (int i = 0; i < s->nscan; i++) {
        double row[3] = {s->scan_at[i] / o->factor, s->scan_value[i * ZW_MELNIKOV_SIDES],
                         s->scan_value[i * ZW_MELNIKOV_SIDES + 1]};
        ZW_TRY(zw_table_row(t, row));
    }
    for (int i = 0; i < s->nroot; i++)
        if (s->root[i].separatrix == 0)
            ZW_TRY(add_mark(t, &marks, "zero", s->root[i].value / o->factor));
    return ZW_OK;
}

static zw_status fill_curve(const zw_melnikov *s, zw_table *t, const zw_model_source *source) {
    const zw_parameter_range *a = &s->over[0], *b = &s->over[1];
    double last = INFINITY;
    ZW_TRY(zw_table_column(t, b->name, b->unit));
    ZW_TRY(zw_table_column(t, a->name, a->unit));
    ZW_TRY(zw_table_column(t, "separatrix", ""));
    ZW_TRY(begin_table(s, t, source, "melnikov zeros", 2));
    for (int i = 0; i < s->nroot; i++) {
        const zw_melnikov_root *r = &s->root[i];
        const double none[3] = {NAN, NAN, NAN},
                     row[3] = {r->second / b->factor, r->value / a->factor, r->separatrix};
        if (isnan(r->second))
            continue;
        if (r->second < last && zw_table_rows(t) > 0)
            ZW_TRY(zw_table_row(t, none));
        last = r->second;
        ZW_TRY(zw_table_row(t, row));
    }
    return ZW_OK;
}

static zw_status fill_resonances(const zw_melnikov *s, zw_table *t, const zw_model_source *source) {
    ZW_TRY(zw_table_column(t, "amplitude", s->unit[s->ray]));
    ZW_TRY(zw_table_column(t, "low", ""));
    ZW_TRY(zw_table_column(t, "high", ""));
    ZW_TRY(zw_table_column(t, "order", ""));
    ZW_TRY(zw_table_column(t, "level", ""));
    ZW_TRY(begin_table(s, t, source, "melnikov resonances", 0));
    for (int i = 0; i < s->nresonance; i++) {
        const zw_melnikov_resonance *r = &s->resonance[i];
        const double row[5] = {r->amplitude, r->M.low, r->M.high, r->order, r->level};
        ZW_TRY(zw_table_row(t, row));
    }
    return ZW_OK;
}

static zw_status fill_cycles(const zw_melnikov *s, zw_table *t, const zw_model_source *source) {
    const zw_parameter_range *o = &s->over[0];
    int marks = 0, u = s->ray;
    if (s->nresonance > 0)
        return fill_resonances(s, t, source);
    if (!s->has_over) {
        ZW_TRY(zw_table_column(t, "amplitude", s->unit[u]));
        ZW_TRY(zw_table_column(t, "level", ""));
        ZW_TRY(zw_table_column(t, "period", "s"));
        ZW_TRY(zw_table_column(t, "M", ""));
        ZW_TRY(begin_table(s, t, source, "melnikov over amplitudes", 0));
        for (int i = 0; i < s->nfamily; i++)
            ZW_TRY(zw_table_row(t, s->family + 4 * i));
        for (int i = 0; i < s->ncycle; i++)
            ZW_TRY(add_mark(t, &marks, "zero", s->cycle[i].amplitude));
        return ZW_OK;
    }
    ZW_TRY(zw_table_column(t, o->name, o->unit));
    ZW_TRY(zw_table_column(t, "amplitude", s->unit[u]));
    ZW_TRY(zw_table_column(t, "period", "s"));
    ZW_TRY(zw_table_column(t, "multiplier", ""));
    ZW_TRY(zw_table_column(t, "stable", ""));
    ZW_TRY(begin_table(s, t, source, "melnikov cycles", 1));
    for (int i = 0; i < s->ncycle; i++) {
        const zw_melnikov_cycle *c = &s->cycle[i];
        const double row[5] = {c->value / o->factor, c->amplitude, c->period, c->multiplier,
                               zw_melnikov_is_reported(c) || c->fold ? s->eps * c->slope < 0 : NAN};
        char key[24], text[80];
        ZW_TRY(zw_table_row(t, row));
        if (!c->fold)
            continue;
        snprintf(key, sizeof key, "mark %d", marks++);
        snprintf(text, sizeof text, "fold %.17g #%d", row[0], i);
        ZW_TRY(zw_table_note(t, key, text));
    }
    return ZW_OK;
}

static zw_status fill_phases(const zw_melnikov *s, zw_table *t, const zw_model_source *source) {
    const zw_melnikov_value *v = &s->separatrix[0].time;
    ZW_TRY(zw_table_column(t, "t0", "s"));
    ZW_TRY(zw_table_column(t, "M", ""));
    if (s->nseparatrix > 1)
        ZW_TRY(zw_table_column(t, "M_other", ""));
    ZW_TRY(begin_table(s, t, source, "melnikov over phases", 0));
    for (int i = 0; i < T0_ROWS; i++) {
        double t0 = 2 * M_PI / v->base * i / (T0_ROWS - 1);
        const double row[3] = {t0, zw_melnikov_at(v, t0),
                               zw_melnikov_at(&s->separatrix[1].time, t0)};
        ZW_TRY(zw_table_row(t, row));
    }
    return ZW_OK;
}

/* On a cylinder the second separatrix goes round in the other direction: its shift that puts it
 * next to the first one. 0 if the rates are not the same there. */
static double shift_of(const zw_melnikov *s, int i) {
    int u = s->separatrix[0].master;
    const zw_heteroclinic *a = &s->orbit[0], *b = &s->orbit[1];
    double turn = a->in.at[u] - a->out.at[u];
    if (i == 0 || fabs(b->in.at[u] - b->out.at[u] + turn) > ZW_SAME_VALUE * fabs(turn))
        return 0;
    for (int k = 0; k < 5; k++) {
        double x[2], f[2], g[2];
        zw_heteroclinic_point(b, b->t[0] + (b->t[1] - b->t[0]) * k / 4, x);
        zw_plane_rates(&s->plane, x, f);
        x[u] += turn;
        zw_plane_rates(&s->plane, x, g);
        if (hypot(f[0] - g[0], f[1] - g[1]) > ZW_SAME_VALUE * hypot(f[0], f[1]))
            return 0;
    }
    return turn;
}

/* A row: the master coordinate, the other state, time, number. */
static zw_status put_row(const zw_melnikov *s, int i, const double x[2], double t, int number,
                         zw_table *out) {
    int u = s->separatrix[0].master;
    const double row[4] = {s->scale[u] * (x[u] + shift_of(s, i)), s->scale[1 - u] * x[1 - u], t,
                           number};
    return zw_table_row(out, row);
}

/* A separatrix, from 8 time constants before its middle to 8 after it. */
static zw_status fill_separatrix(const zw_melnikov *s, int i, zw_table *t) {
    const zw_heteroclinic *o = &s->orbit[i];
    double from = o->t[0] - 8 / o->out.lambda, to = o->t[1] - 8 / o->in.lambda;
    for (int k = 0; k < CURVE_ROWS; k++) {
        double at = from + (to - from) * k / (CURVE_ROWS - 1), x[2];
        zw_heteroclinic_point(o, at, x);
        ZW_TRY(put_row(s, i, x, at - o->zero, i, t));
    }
    return ZW_OK;
}

/* A neighbour: the level curve through a point near the middle, moved by a fraction of the distance
 * from the saddle in the state in which C changes more; as long as the separatrix, and if that
 * continues to another saddle, between both. */
typedef struct neighbour {
    const zw_melnikov *s;
    const zw_heteroclinic *o;
    double start[2], span, low, high; /* bounds of the master coordinate */
    int u, across, n;                 /* across: the state that is not moved at the start */
    double *row;                      /* n x 3 */
} neighbour;

static void set_neighbour(neighbour *q, double fraction) {
    const zw_heteroclinic *o = q->o;
    double slope[2], direction[2];
    zw_heteroclinic_point(o, o->zero, q->start);
    zw_plane_slope(&q->s->plane, q->start, slope);
    for (int k = 0; k < 2; k++)
        direction[k] = q->start[k] - o->out.at[k];
    int k = fabs(slope[0] * direction[0]) > fabs(slope[1] * direction[1]) ? 0 : 1;
    q->start[k] += fraction * direction[k];
    q->across = 1 - k;
    q->span = 0.5 * (o->t[1] - o->t[0]) + 4 / o->out.lambda;
    double a = o->out.at[q->u], b = o->in.at[q->u];
    bool loop = fabs(a - b) < SAME_END * (1 + fabs(a));
    q->low = loop ? -INFINITY : fmin(a, b);
    q->high = loop ? INFINITY : fmax(a, b);
}

/* Rows to one side of the start, without it; half a turn of a closed one, to where the state that
 * was not moved returns. */
static void follow_neighbour(neighbour *q, int direction) {
    double x[2] = {q->start[0], q->start[1]}, t = 0, side = 0;
    while (fabs(t) < q->span && q->n < CURVE_ROWS) {
        zw_plane_step step = {.c = {{x[0]}, {x[1]}}};
        if (!zw_plane_series(&q->s->plane, &step))
            return;
        double c = hypot(step.c[0][ZW_PLANE_ORDER], step.c[1][ZW_PLANE_ORDER]),
               h = fmin(q->span / 120,
                        c > 0 ? pow(DRAWN_ERROR / c, 1.0 / ZW_PLANE_ORDER) : q->span);
        t += direction * h;
        zw_step_point(&step, direction * h, x);
        if (!isfinite(x[0]) || !isfinite(x[1]) || x[q->u] < q->low || x[q->u] > q->high)
            return;
        const double row[3] = {x[0], x[1], t};
        memcpy(q->row + (size_t)3 * (size_t)q->n++, row, sizeof row);
        double now = x[q->across] - q->start[q->across];
        if (side * now < 0)
            return;
        side = now;
    }
}

static zw_status fill_neighbour(const zw_melnikov *s, int i, double fraction, int number,
                                zw_table *t) {
    neighbour q = {.s = s, .o = &s->orbit[i], .u = s->separatrix[i].master};
    q.row = zw_context_alloc(s->ctx, sizeof(double) * 3 * CURVE_ROWS);
    if (!q.row)
        return ZW_E_MEMORY;
    set_neighbour(&q, fraction);
    follow_neighbour(&q, -1);
    for (int k = q.n - 1; k >= 0; k--)
        ZW_TRY(put_row(s, i, q.row + (size_t)3 * (size_t)k, q.row[3 * k + 2], number, t));
    ZW_TRY(put_row(s, i, q.start, 0, number, t));
    q.n = 0;
    follow_neighbour(&q, 1);
    for (int k = 0; k < q.n; k++)
        ZW_TRY(put_row(s, i, q.row + (size_t)3 * (size_t)k, q.row[3 * k + 2], number, t));
    return ZW_OK;
}

static zw_status fill_curves(const zw_melnikov *s, zw_table *t, const zw_model_source *source) {
    static const double fraction[LEVELS] = {-0.7, -0.4, -0.15, 0.1, 0.25, 0.45};
    const double none[4] = {NAN, NAN, NAN, NAN};
    int u = s->separatrix[0].master;
    ZW_TRY(zw_table_column(t, s->name[u], s->unit[u]));
    ZW_TRY(zw_table_column(t, s->name[1 - u], s->unit[1 - u]));
    ZW_TRY(zw_table_column(t, "t", "s"));
    ZW_TRY(zw_table_column(t, "curve", ""));
    ZW_TRY(begin_table(s, t, source, "level curves", 0));
    for (int i = 0; i < s->nseparatrix; i++) {
        if (i > 0)
            ZW_TRY(zw_table_row(t, none));
        ZW_TRY(fill_separatrix(s, i, t));
    }
    for (int i = 0; i < s->nseparatrix; i++)
        for (int k = 0; k < LEVELS; k++) {
            ZW_TRY(zw_table_row(t, none));
            ZW_TRY(fill_neighbour(s, i, fraction[k], 2 + LEVELS * i + k, t));
        }
    return ZW_OK;
}

/* With more than two states: one row for each motion. */
static zw_status fill_orbits(const zw_melnikov *s, zw_table *t, const zw_model_source *source) {
    const zw_melnikov_space *y = &s->space;
    char text[40];
    ZW_TRY(zw_table_column(t, "side", ""));
    for (int i = 0; i < y->nquantity; i++) {
        snprintf(text, sizeof text, "M_%d", i + 1);
        ZW_TRY(zw_table_column(t, text, ""));
        snprintf(text, sizeof text, "error_%d", i + 1);
        ZW_TRY(zw_table_column(t, text, ""));
    }
    ZW_TRY(zw_study_origin(t, s->sys, s->eq.principle, s->p, NULL, source, "melnikov orbits"));
    ZW_TRY(zw_table_note(t, "small", s->options.small));
    for (int i = 0; i < y->nquantity; i++) {
        snprintf(text, sizeof text, "conserved %d", i + 1);
        ZW_TRY(zw_table_note(t, text, y->text[i]));
    }
    for (int k = 0; k < s->norbit; k++) {
        double row[1 + 2 * ZW_MELNIKOV_QUANTITIES] = {s->found[k].side};
        for (int i = 0; i < y->nquantity; i++) {
            row[1 + 2 * i] = s->found[k].M[i];
            row[2 + 2 * i] = s->found[k].error[i];
        }
        ZW_TRY(zw_table_row(t, row));
    }
    return ZW_OK;
}

typedef zw_status (*filler)(const zw_melnikov *s, zw_table *t, const zw_model_source *source);

static zw_status create_table(const zw_melnikov *s, const zw_model_source *source, filler fill,
                              zw_table **out, zw_error *err) {
    zw_allocator alloc = zw_context_allocator(s->ctx);
    *out = zw_table_create(&alloc);
    zw_status status = *out ? fill(s, *out, source) : ZW_E_MEMORY;
    if (status >= 0)
        return status;
    zw_table_destroy(*out);
    *out = NULL;
    return zw_fail(err, status, "the table of Melnikov's method could not be made");
}

zw_status zw_melnikov_table(const zw_melnikov *s, const zw_model_source *source, zw_table **out,
                            zw_error *err) {
    assert(out);
    filler fill = s->space.n > 0                                         ? fill_orbits
                  : s->options.cycles                                    ? fill_cycles
                  : s->has_marks                                         ? fill_curve
                  : s->has_over                                          ? fill_scan
                  : s->nseparatrix > 0 && s->separatrix[0].time.base > 0 ? fill_phases
                                                                         : fill_curves;
    return create_table(s, source, fill, out, err);
}

zw_status zw_melnikov_curves(const zw_melnikov *s, const zw_model_source *source, zw_table **out,
                             zw_error *err) {
    assert(out);
    if (s->nseparatrix == 0) {
        *out = NULL;
        return zw_fail(err, ZW_E_OPTION, "there is no separatrix to be drawn");
    }
    return create_table(s, source, fill_curves, out, err);
}
