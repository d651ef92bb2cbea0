/* SPDX-License-Identifier: MIT */
/* The parts of a branch besides its columns: orbits, each a motion over one period, and
 * multipliers. Panels for them are
 *
 *     x,x'   x:t   x,y,z      columns that the orbits have but the branch has not: a curve for
 *                             each orbit
 *     multipliers             in the complex plane, with the unit circle
 *
 * in tints from the lowest value of the parameter to the highest, which a strip next to the frame
 * explains. Each orbit, and each tint of multipliers, is a run of its own in the figure; a panel
 * draws the runs of its class. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "internal.h"

enum { TINTS = 48, CIRCLE = 240, LABEL = 200 };

#define MULTIPLIERS "multipliers"
#define MULTIPLIERS_DRAWN "re(mu),im(mu)"

/* ---- classes of panels ---- */

bool zw_figure_is_drawn_from(const zw_table *t, const char *text) {
    zw_spec s;
    zw_column_formula unused;
    if (!t || zw_spec_parse(&s, text, NULL) < 0 || zw_spec_expand(&s, 1, &t, NULL) < 0)
        return false;
    for (int k = 0; k < s.n; k++)
        for (int a = 0; a < (s.kind == ZW_SPEC_SPACE ? 3 : 2); a++)
            if (zw_formula_parse(&unused, t, s.term[k].axis[a], NULL) < 0)
                return false;
    return s.n > 0;
}

static zw_figure_class class_of(const char *text, int nrun, const zw_figure_run *run) {
    bool plain = false, orbits = false;
    for (int i = 0; i < nrun; i++) {
        plain = plain || zw_figure_is_drawn_from(run[i].table, text);
        orbits = orbits || zw_figure_is_drawn_from(run[i].orbits, text);
    }
    if (strcmp(text, MULTIPLIERS) == 0 && !plain)
        return ZW_FIGURE_MULTIPLIERS;
    return orbits && !plain ? ZW_FIGURE_ORBITS : ZW_FIGURE_PLAIN;
}

static zw_status reject_multipliers(zw_error *err) {
    zw_fail(err, ZW_E_OPTION, "--plot " MULTIPLIERS ": the result has none");
    zw_error_hint(err, "zwang orbit MODEL --over NAME=A:B --out FILE.csv writes them");
    return ZW_E_OPTION;
}

zw_status zw_figure_classify(zw_figure *f, const char **panel, int nrun, const zw_figure_run *run,
                             zw_error *err) {
    f->panel_class = ZW_NEW(&f->arena, zw_figure_class, f->npanel + 1);
    if (!f->panel_class)
        return zw_out_of_memory(err, "the orbits");
    for (int i = 0; i < f->npanel; i++) {
        bool known = false;
        f->panel_class[i] = class_of(panel[i], nrun, run);
        for (int k = 0; k < nrun; k++)
            known = known || run[k].multipliers;
        if (f->panel_class[i] != ZW_FIGURE_MULTIPLIERS)
            continue;
        if (!known)
            return reject_multipliers(err);
        panel[i] = MULTIPLIERS_DRAWN;
    }
    return ZW_OK;
}

static bool is_wanted(const zw_figure *f, zw_figure_class class) {
    for (int i = 0; i < f->npanel; i++)
        if (f->panel_class[i] == class)
            return true;
    return false;
}

/* ---- runs ---- */

/* the parameter is the second column, after the number of the orbit */
static void add_parameter(zw_figure *f, const zw_table *t) {
    for (long row = 0; t && row < zw_table_rows(t); row++) {
        double v = zw_table_at(t, row, 1);
        if (!isfinite(v))
            continue;
        f->tinted.low = fmin(f->tinted.low, v);
        f->tinted.high = fmax(f->tinted.high, v);
    }
    if (t && !f->tinted_by && zw_table_columns(t) > 1) {
        char label[LABEL];
        const char *unit = zw_table_unit(t, 1);
        snprintf(label, sizeof label, "%.120s%s%.60s%s", zw_table_name(t, 1), unit[0] ? " [" : "",
                 unit, unit[0] ? "]" : "");
        f->tinted_by = zw_arena_string(&f->arena, label);
    }
}

static int tint_of(const zw_figure *f, double value) {
    double range = f->tinted.high - f->tinted.low;
    double s = range > 0 ? (value - f->tinted.low) / range : 0.5;
    return (int)lround(fmax(0, fmin(s, 1)) * (ZW_PLOT_TINTS - 1));
}

typedef struct maker {
    zw_figure *f;
    zw_figure_run *run;
    int n, room;
} maker;

/* a new run of a class, with the columns of t; NULL if out of memory or space */
static zw_table *add_run(maker *m, const zw_table *t, zw_figure_class class, int tint) {
    if (m->n == m->room)
        return NULL;
    zw_table *own = zw_table_create_like(t);
    if (!own)
        return NULL;
    m->f->part[m->f->npart++] = own;
    m->f->run_class[m->n] = class;
    m->f->tint[m->n] = tint;
    m->run[m->n++] = (zw_figure_run){.table = own};
    return own;
}

static zw_status copy_row(zw_table *to, const zw_table *t, long row) {
    return zw_table_row(to, zw_table_data(t) + row * zw_table_columns(t));
}

static zw_status add_orbits(maker *m, const zw_table *t) {
    zw_table *own = NULL;
    double last = NAN;
    for (long row = 0; t && row < zw_table_rows(t); row++) {
        double number = zw_table_at(t, row, 0);
        if (!own || number != last)
            own = add_run(m, t, ZW_FIGURE_ORBITS, tint_of(m->f, zw_table_at(t, row, 1)));
        if (!own)
            return ZW_E_MEMORY;
        last = number;
        ZW_TRY(copy_row(own, t, row));
    }
    return ZW_OK;
}

/* the multipliers of a tint are a run of dots */
static zw_status add_multipliers(maker *m, const zw_table *t) {
    zw_table *of[TINTS] = {NULL};
    for (long row = 0; t && row < zw_table_rows(t); row++) {
        int k = tint_of(m->f, zw_table_at(t, row, 1)) * (TINTS - 1) / (ZW_PLOT_TINTS - 1);
        if (!of[k])
            of[k] = add_run(m, t, ZW_FIGURE_MULTIPLIERS, k * (ZW_PLOT_TINTS - 1) / (TINTS - 1));
        if (!of[k])
            return ZW_E_MEMORY;
        ZW_TRY(copy_row(of[k], t, row));
    }
    return ZW_OK;
}

int zw_figure_further_runs(const zw_figure *f, int nrun, const zw_figure_run *run) {
    int n = 0;
    for (int i = 0; i < nrun; i++) {
        double last = NAN;
        for (long row = 0; run[i].orbits && row < zw_table_rows(run[i].orbits); row++) {
            double number = zw_table_at(run[i].orbits, row, 0);
            n += number != last;
            last = number;
        }
        n += run[i].multipliers ? TINTS : 0;
    }
    return is_wanted(f, ZW_FIGURE_ORBITS) || is_wanted(f, ZW_FIGURE_MULTIPLIERS) ? n : 0;
}

static zw_status make_circle(zw_figure *f) {
    f->circle = zw_table_create(&f->arena.alloc);
    if (!f->circle)
        return ZW_E_MEMORY;
    ZW_TRY(zw_table_column(f->circle, "re(mu)", ""));
    ZW_TRY(zw_table_column(f->circle, "im(mu)", ""));
    for (int i = 0; i <= CIRCLE; i++) {
        double a = 2 * acos(-1) * i / CIRCLE;
        ZW_TRY(zw_table_row(f->circle, (double[]){cos(a), sin(a)}));
    }
    return ZW_OK;
}

zw_status zw_figure_orbit_runs(zw_figure *f, int ngiven, const zw_figure_run *given,
                               zw_figure_run *run, int *n, int room, zw_error *err) {
    maker m = {f, run, *n, room};
    bool orbits = is_wanted(f, ZW_FIGURE_ORBITS), multipliers = is_wanted(f, ZW_FIGURE_MULTIPLIERS);
    zw_status status = multipliers ? make_circle(f) : ZW_OK;
    f->tinted = (zw_span){INFINITY, -INFINITY};
    for (int i = 0; i < ngiven; i++) {
        add_parameter(f, orbits ? given[i].orbits : NULL);
        add_parameter(f, multipliers ? given[i].multipliers : NULL);
    }
    for (int i = 0; i < ngiven && status >= 0; i++) {
        if (orbits)
            status = add_orbits(&m, given[i].orbits);
        if (multipliers && status >= 0)
            status = add_multipliers(&m, given[i].multipliers);
    }
    *n = m.n;
    return status < 0 || f->arena.failed ? zw_out_of_memory(err, "the orbits") : ZW_OK;
}

/* ---- styles of the panels ---- */

zw_status zw_figure_finish_orbits(zw_figure *f, int panel, zw_curve *curve, zw_error *err) {
    zw_panel *p = &f->panel[panel];
    if (f->panel_class[panel] == ZW_FIGURE_PLAIN)
        return ZW_OK;
    zw_plot_bar *bar = ZW_NEW(&f->arena, zw_plot_bar, 1);
    if (!bar)
        return zw_out_of_memory(err, "the orbits");
    if (f->tinted.low < f->tinted.high) {
        *bar = (zw_plot_bar){f->tinted.low, f->tinted.high, f->tinted_by};
        p->bar = bar;
    }
    if (f->panel_class[panel] != ZW_FIGURE_MULTIPLIERS)
        return ZW_OK;
    /* the circle is the last curve: points on it are drawn before it, and dots come after all
     * lines */
    zw_curve *c = &curve[p->n++];
    *c = (zw_curve){.table = f->circle, .x = 0, .y = 1};
    ZW_TRY(zw_plot_style("grey solid", &c->style, err));
    p->zero[0] = p->zero[1] = true;
    p->label[0] = p->label[0] ? p->label[0] : "\"Re\" mu";
    p->label[1] = p->label[1] ? p->label[1] : "\"Im\" mu";
    return ZW_OK;
}
