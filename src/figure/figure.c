/* SPDX-License-Identifier: MIT */
/* From texts of panels to a zw_picture. For every run a table is made with exactly the quantities
 * that are drawn, with formulas evaluated; the curves are columns of these tables, which
 * zw_figure_data returns. */
#include "zwang/figure.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "internal.h"

enum { LABEL = 320 };

void zw_figure_options_init(zw_figure_options *options, size_t size) {
    const zw_figure_options all = {.size = size, .columns = 1, .azimuth = -60, .elevation = 25};
    zw_options_begin(options, size, &all, sizeof all);
}

static const char *copy_text(zw_figure *f, const char *text) {
    return text ? zw_arena_string(&f->arena, text) : NULL;
}

/* ---- quantities ---- */

static int find_quantity(const zw_figure *f, const char *text) {
    for (int i = 0; i < f->nquantity; i++)
        if (strcmp(f->quantity[i], text) == 0)
            return i;
    return -1;
}

static int axes_of(const zw_spec *s) {
    return zw_spec_axes(s);
}

static zw_status add_quantity(zw_figure *f, const char *text, bool optional, zw_error *err) {
    int q = find_quantity(f, text);
    if (q >= 0) {
        f->optional[q] = f->optional[q] && optional;
        return ZW_OK;
    }
    if (f->nquantity == ZW_FIGURE_QUANTITIES)
        return zw_fail(err, ZW_E_OPTION, "--plot: more than %d quantities", ZW_FIGURE_QUANTITIES);
    f->optional[f->nquantity] = optional;
    f->quantity[f->nquantity++] = text;
    return ZW_OK;
}

/* true for results of different kinds */
static bool is_mixed(int nrun, const zw_figure_run *run) {
    const char *first = zw_table_get_note(run[0].table, "kind");
    for (int i = 1; i < nrun; i++) {
        const char *kind = zw_table_get_note(run[i].table, "kind");
        if (!first != !kind || (kind && strcmp(kind, first) != 0))
            return true;
    }
    return false;
}

static bool can_draw(const zw_spec *s, int term, const zw_table *t) {
    zw_column_formula f;
    for (int a = 0; a < axes_of(s); a++)
        if (zw_formula_parse(&f, t, s->term[term].axis[a], NULL) < 0)
            return false;
    return true;
}

/* From results of different kinds, each shows the terms of the panel that it has: a steady motion
 * has no period. A term that none has remains an error. */
static void drop_missing(zw_spec *s, int nrun, const zw_figure_run *run) {
    for (int k = 0; k < s->n && is_mixed(nrun, run); k++)
        for (int i = 0; i < nrun; i++)
            s->term[k].chosen = s->term[k].chosen || can_draw(s, k, run[i].table);
}

static zw_status expand_spec(zw_figure *f, zw_spec *s, int nrun, const zw_figure_run *run,
                             zw_error *err) {
    const zw_table **table = ZW_NEW(&f->arena, const zw_table *, nrun + 1);
    if (!table)
        return zw_out_of_memory(err, "the picture");
    for (int i = 0; i < nrun; i++)
        table[i] = run[i].table;
    ZW_TRY(zw_spec_expand(s, nrun, table, err));
    drop_missing(s, nrun, run);
    return ZW_OK;
}

/* the runs that panel i draws; all of them except orbits and multipliers */
static int runs_of(const zw_figure *f, int i, const zw_figure_run *run, zw_figure_run *out) {
    int n = 0;
    for (int r = 0; r < f->nrun; r++)
        if (zw_figure_draws_run(f, i, r))
            out[n++] = run[r];
    return n;
}

/* splits its right-hand axis if that is automatic */
static zw_status parse_panel(zw_figure *f, int i, const char *text, const zw_figure_run *all,
                             const zw_figure_options *o, zw_error *err) {
    zw_spec *s = &f->spec[i];
    bool *parted = &f->parted[i];
    zw_figure_run *run = ZW_NEW(&f->arena, zw_figure_run, f->nrun + 1);
    if (!run)
        return zw_out_of_memory(err, "the picture");
    int nrun = runs_of(f, i, all, run);
    ZW_TRY(zw_spec_parse(s, text, err));
    ZW_TRY(expand_spec(f, s, nrun, run, err));
    ZW_TRY(zw_figure_common_units(s, nrun, run, err));
    *parted = !s->has_right && o->axes != ZW_FIGURE_AXES_EQUAL;
    if (*parted)
        ZW_TRY(zw_figure_part_units(s, nrun, run, err));
    for (int k = 0; k < s->n; k++)
        for (int a = 0; a < 3; a++)
            if (s->term[k].axis[a][0])
                ZW_TRY(
                    add_quantity(f, s->term[k].axis[a], s->term[k].chosen || nrun < f->nrun, err));
    if (s->kind != ZW_SPEC_MAP)
        return ZW_OK;
    if (nrun > 1) {
        zw_fail(err, ZW_E_OPTION, "--plot=%s: a map shows all rows of a result, which has %d parts",
                text, nrun);
        zw_error_hint(err, "curves show its parts: --plot y:x");
        return ZW_E_OPTION;
    }
    return o->shade ? add_quantity(f, copy_text(f, o->shade), false, err) : ZW_OK;
}

/* ---- ranges ---- */

static zw_status bad_range(const char *text, zw_error *err) {
    zw_fail(err, ZW_E_OPTION, "--range %s: what does the axis show?", text);
    zw_error_hint(err, "--range t=0:5, or --range t=5: to leave an end open");
    return ZW_E_OPTION;
}

static zw_status range_end(const char *s, char stop, const char *text, const char **after,
                           double *out, zw_error *err) {
    char *end;
    *out = strtod(s, &end);
    if (end == s)
        *out = NAN;
    if (*end != stop || (end != s && !isfinite(*out)))
        return bad_range(text, err);
    *after = end;
    return ZW_OK;
}

static zw_status not_drawn(const zw_figure *f, const char *text, const char *name, zw_error *err) {
    const char *near = zw_nearest(name, f->nquantity, f->quantity);
    zw_fail(err, ZW_E_OPTION, "--range %s: '%s' is not drawn", text, name);
    if (near)
        zw_error_hint(err, "did you mean %s?", near);
    return ZW_E_OPTION;
}

zw_status zw_figure_in_panel(const char *option, int npanel, const char **text, int *panel,
                             zw_error *err) {
    char *end;
    long n = strtol(*text, &end, 10);
    *panel = -1;
    if (end == *text || *end != ':')
        return ZW_OK;
    if (n < 1 || n > npanel)
        return zw_fail(err, ZW_E_OPTION, "%s %s: the picture has %d panel%s", option, *text, npanel,
                       npanel == 1 ? "" : "s");
    *panel = (int)n - 1;
    *text = end + 1;
    return ZW_OK;
}

/* true if NAME is what this coordinate of a term shows, by the words of the text or by its
 * column */
static bool is_named(const zw_spec *s, int term, int a, const char *name) {
    return zw_figure_draws(s->term[term].axis[a], name) ||
           zw_figure_draws(s->given_term[s->term[term].given][a], name);
}

/* "NAME=A:B": the range is used for every axis on which NAME is drawn, or that of one panel */
static zw_status apply_range(zw_figure *f, const char *whole, zw_error *err) {
    const char *text = whole;
    int panel;
    ZW_TRY(zw_figure_in_panel("--range", f->npanel, &text, &panel, err));
    const char *equals = strchr(text, '='), *after;
    char name[ZW_FORMULA_TEXT];
    zw_span span;
    bool used = false;
    if (!equals || equals - text >= ZW_FORMULA_TEXT)
        return bad_range(whole, err);
    snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
    ZW_TRY(range_end(equals + 1, ':', text, &after, &span.low, err));
    ZW_TRY(range_end(after + 1, '\0', text, &after, &span.high, err));
    if (span.low >= span.high)
        return zw_fail(err, ZW_E_OPTION, "--range %s is empty", text);
    for (int i = 0; i < f->npanel; i++)
        for (int k = 0; (panel < 0 || i == panel) && k < f->spec[i].n; k++)
            for (int a = 0; a < axes_of(&f->spec[i]); a++)
                if (is_named(&f->spec[i], k, a, name)) {
                    f->panel[i].span[zw_figure_axis(&f->spec[i], k, a)] = span;
                    used = true;
                }
    return used ? ZW_OK : not_drawn(f, text, name, err);
}

/* ---- panels ---- */

static bool has_one_unit(const zw_panel *p) {
    for (int k = 0; k < p->n; k++) {
        const zw_curve *c = &p->curve[k];
        const char *unit = zw_table_unit(c->table, c->x);
        if (strcmp(unit, zw_table_unit(c->table, c->y)) != 0 ||
            (p->is_space && strcmp(unit, zw_table_unit(c->table, c->z)) != 0))
            return false;
    }
    return true;
}

/* a map whose axes have one unit, which is not empty, and similar lengths */
static bool is_of_lengths(const zw_panel *p) {
    const zw_curve *c = &p->curve[0];
    zw_span s[2] = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
    if (!zw_table_unit(c->table, c->x)[0] ||
        strcmp(zw_table_unit(c->table, c->x), zw_table_unit(c->table, c->y)) != 0)
        return false;
    for (long row = 0; row < zw_table_rows(c->table); row++)
        for (int a = 0; a < 2; a++) {
            double v = zw_table_at(c->table, row, a ? c->y : c->x);
            s[a].low = fmin(s[a].low, v);
            s[a].high = fmax(s[a].high, v);
        }
    double x = s[0].high - s[0].low, y = s[1].high - s[1].low;
    return x <= 3 * y && y <= 3 * x;
}

static zw_scale scale_of(const zw_figure_options *o, const zw_spec *s, const zw_panel *p) {
    if (o->axes == ZW_FIGURE_AXES_EQUAL)
        return ZW_SCALE_EQUAL;
    if (s->kind == ZW_SPEC_MAP)
        return o->axes == ZW_FIGURE_AXES_AUTO && !o->logx && !o->logy && is_of_lengths(p)
                   ? ZW_SCALE_EQUAL
                   : ZW_SCALE_FREE;
    bool is_path = s->kind != ZW_SPEC_GRAPH && !o->logx && !o->logy;
    return o->axes == ZW_FIGURE_AXES_AUTO && is_path && has_one_unit(p) ? ZW_SCALE_EQUAL
                                                                        : ZW_SCALE_FREE;
}

/* the label for panel i from a list with one for all or one for each */
static const char *label_for(const zw_figure_texts *list, int i) {
    return list->n == 0 ? NULL : list->n == 1 ? list->item[0] : i < list->n ? list->item[i] : NULL;
}

/* A curve that is put into a panel. */
typedef struct drawn_term {
    zw_figure *f;
    const zw_figure_options *o;
    const zw_spec *s;
    int run, term;
    int nth;                   /* index among the runs that the panel shows */
    const zw_figure_run *from; /* all runs */
} drawn_term;

static bool is_of_series(const zw_spec *s, int a, int b) {
    return s->term[a].chosen && s->term[b].chosen && s->term[a].given == s->term[b].given;
}

/* true if term a is that of the partner of b, in the same quantity */
static bool is_pair(const zw_spec *s, int a, int b, const char *partner) {
    size_t n = strcspn(s->term[a].axis[1], "(");
    return partner[0] && strcmp(s->term[a].index, partner) == 0 &&
           strncmp(s->term[a].axis[1], s->term[b].axis[1], n + 1) == 0;
}

/* 1 + the number of the earlier curve of the panel with the same style; 0: none. Among several runs
 * a series has one style; within one run a complex pair has. */
static int earlier_style(const drawn_term *d, const zw_panel *p, int n, const int *run_of,
                         const int *term_of) {
    const zw_spec *s = d->s;
    char partner[ZW_SPEC_INDEX] = "";
    for (int k = 0; k < n; k++)
        if (run_of[k] == d->run && zw_figure_is_envelope(s, term_of[k], d->term))
            return 1 + k;
    if (!s->term[d->term].index[0])
        return 0;
    if (d->f->nplain == 1 && d->f->kind && d->f->kind->series)
        zw_figure_partner(d->from[d->run].table, s->term[d->term].index, partner, sizeof partner);
    for (int k = 0; k < n; k++)
        if (run_of[k] == d->run && (d->f->nplain > 1 ? is_of_series(s, term_of[k], d->term)
                                                     : is_pair(s, term_of[k], d->term, partner)))
            return 1 + (p->curve[k].like ? p->curve[k].like - 1 : k);
    return 0;
}

/* lambda_1, or lambda_1_2 for a pair */
static void name_track(const drawn_term *d, char *out, size_t size) {
    char partner[ZW_SPEC_INDEX];
    const char *index = d->s->term[d->term].index;
    zw_figure_partner(d->from[d->run].table, index, partner, sizeof partner);
    snprintf(out, size, "%s_%s", d->f->kind->series, index);
    for (int k = 0; partner[0] && k < d->s->n; k++)
        if (k != d->term && strcmp(d->s->term[k].index, partner) == 0) {
            snprintf(out, size, "%s_%s_%s", d->f->kind->series, index, partner);
            return;
        }
}

/* the name of the curve: its column, or that of its series */
static void name_curve(const drawn_term *d, const zw_curve *c, char *out, size_t size) {
    const zw_spec *s = d->s;
    const char *index = s->term[d->term].index,
               *given_term = s->given_term[s->term[d->term].given][1];
    int lower = zw_figure_partner_in_envelope(s, d->term);
    if (lower >= 0)
        snprintf(out, size, "%.70s, %.70s", s->term[d->term].axis[1], s->term[lower].axis[1]);
    else if (c->band)
        zw_figure_name_band(s, d->term, out, size);
    else if (d->f->kind && d->f->kind->series && index[0] && d->f->nplain == 1)
        name_track(d, out, size);
    else if (s->term[d->term].chosen && d->f->nplain > 1)
        snprintf(out, size, "%s", given_term);
    else
        snprintf(out, size, "%s", zw_table_name(c->table, s->kind == ZW_SPEC_SPACE ? c->z : c->y));
}

/* the label that distinguishes this curve from the others of its panel: its column, its run, or
 * both; nth: the number of its style */
static const char *label_curve(const drawn_term *d, int nth, const zw_curve *c) {
    char label[LABEL], name[LABEL / 2];
    zw_figure *f = d->f;
    const zw_figure_texts *legend = &d->o->legend;
    bool several = f->nplain > 1,
         one = zw_figure_thing_count(d->s) == 1 || (several && d->s->ngiven == 1);
    int k = several ? d->nth : nth;
    const char *of_run = f->run_label[d->run] ? f->run_label[d->run] : "";
    if (!several && one && d->s->n > 1 && !f->has_parts && k >= legend->n)
        return NULL; /* max and min of one quantity: the axis names it */
    name_curve(d, c, name, sizeof name);
    if (k < legend->n && (several || d->s->n > 1))
        of_run = legend->item[k];
    if (one || (!several && k < legend->n))
        snprintf(label, LABEL, "%s", of_run);
    else if (!several)
        snprintf(label, LABEL, "%s", name);
    else
        snprintf(label, LABEL, "%.150s, %.160s", name, of_run);
    return label[0] ? zw_arena_string(&f->arena, label) : NULL;
}

static int column_for(const zw_figure *f, int run, const char *quantity) {
    int q = find_quantity(f, quantity);
    return q < 0 ? -1 : f->column[run * f->nquantity + q];
}

/* a style as in --style */
static zw_status apply_style(zw_curve *c, const char *words, zw_error *err) {
    int shape;
    ZW_TRY(zw_figure_style(words, &c->style, &shape, err));
    if (!shape)
        return ZW_OK;
    c->points = true;
    c->shape = shape;
    c->solid = 0;
    c->arrow = c->dots = false;
    c->mesh = 0;
    return ZW_OK;
}

/* curves of panel i from *next on; run_of and term_of have space for them */
static zw_status fill_curves(zw_figure *f, const zw_figure_options *o, int i,
                             const zw_figure_run *run, zw_curve *curve, int *run_of, int *term_of,
                             zw_error *err) {
    const zw_spec *s = &f->spec[i];
    zw_panel *p = &f->panel[i];
    int styles = 0, nth = -1;
    bool mixed = is_mixed(f->nplain, run);
    bool bands = zw_figure_has_band(s);
    for (int r = 0; r < f->nrun; r++) {
        int lines = 0;
        if (!zw_figure_draws_run(f, i, r))
            continue;
        nth++;
        for (int k = 0; k < s->n; k++) {
            drawn_term d = {f, o, s, r, k, nth, run};
            zw_curve *c = &curve[p->n];
            if (!zw_spec_has(s, k, run[r].table)) { /* in all panels a run has one colour */
                styles += mixed && !zw_figure_is_second(s, k);
                continue;
            }
            *c = (zw_curve){.table = f->drawn[r], .right = s->term[k].right};
            c->x = column_for(f, r, s->term[k].axis[0]);
            c->y = column_for(f, r, s->term[k].axis[1]);
            c->z = axes_of(s) == 3 ? column_for(f, r, s->term[k].axis[2]) : 0;
            if (s->kind == ZW_SPEC_GRAPH && s->term[k].axis[2][0])
                c->band = 1 + column_for(f, r, s->term[k].axis[2]);
            c->solid = f->solid ? 1 + column_for(f, r, f->solid) : 0;
            c->points = f->run_style[r].points || f->run_class[r] == ZW_FIGURE_MULTIPLIERS ||
                        zw_figure_is_measured(s->term[k].axis[1]);
            c->gaps = zw_figure_is_at_data(run[r].table, s->term[k].axis[1]);
            c->shape = f->run_style[r].shape;
            c->mesh = s->kind == ZW_SPEC_SPACE ? f->run_style[r].mesh : 0;
            c->dots = (f->run_style[r].dots || (f->run_style[r].mesh && !c->mesh)) && !p->is_points;
            c->dots |= c->gaps && !c->points && !c->band; /* residuals */
            c->named = f->has_parts;
            c->arrow = f->kind && f->kind->directed && s->kind != ZW_SPEC_GRAPH;
            if (f->run_style[r].orbits)
                c->gaps = c->fine = c->arrow = true;
            c->like = earlier_style(&d, p, p->n, run_of, term_of);
            if (f->nplain == 1 && f->kind && f->kind->series && s->term[k].index[0])
                c->style = 1 + zw_figure_track_number(run[r].table, s->term[k].index);
            if (f->run_class[r] != ZW_FIGURE_PLAIN) {
                c->style = 1 + ZW_PLOT_TINT + f->tint[r];
                run_of[p->n] = r;
                term_of[p->n++] = k;
                continue;
            }
            if (mixed && !c->like)
                c->style = 1 + styles;
            if (!c->like && styles < o->style.n)
                ZW_TRY(apply_style(c, o->style.item[styles], err));
            c->label = c->like || f->bin_label ? NULL : label_curve(&d, styles, c);
            if (f->bin_label && !c->band && f->nplain > 1)
                c->label = label_curve(&d, styles, c);
            if (bands) { /* a band belongs to the line before it, or the next one */
                int own = c->band && lines > 0 ? styles - 1 : styles;
                if (!c->style)
                    c->style = 1 + own;
                styles += !c->band;
                lines += !c->band;
                c->gaps |= f->bin_label != NULL;
            } else
                styles += !c->like;
            run_of[p->n] = r;
            term_of[p->n++] = k;
        }
        styles += bands && lines == 0;
    }
    return ZW_OK;
}

/* the description of an axis by the kind of results; NULL if there is none, or if it has several
 * quantities */
static const zw_figure_quantity *kind_of_axis(const zw_figure *f, const zw_spec *s, int axis) {
    const zw_figure_quantity *found = NULL;
    for (int k = 0; k < s->n; k++)
        for (int a = 0; a < axes_of(s); a++) {
            if (zw_figure_axis(s, k, a) != axis)
                continue;
            const zw_figure_quantity *q =
                zw_figure_kind_quantity(f->kind, s->given_term[s->term[k].given][a]);
            if (!q || (found && q != found))
                return NULL;
            found = q;
        }
    return found;
}

/* its label with the unit of its columns; a single curve has the name of its column */
static const char *label_axis(zw_figure *f, const zw_panel *p, const zw_figure_quantity *q,
                              int axis) {
    char label[LABEL];
    const zw_curve *c = p->curve;
    if (!q->label || p->n == 0)
        return NULL;
    const char *unit = zw_table_unit(c->table, axis == 0 ? c->x : axis == 1 ? c->y : c->z);
    snprintf(label, LABEL, "%s%s%.100s%s", q->label, unit[0] ? " [" : "", unit, unit[0] ? "]" : "");
    return zw_arena_string(&f->arena, label);
}

static void apply_kind(zw_figure *f, const zw_figure_options *o, const zw_spec *s, zw_panel *p) {
    for (int axis = 0; axis < (p->is_space ? 3 : 2); axis++) {
        const zw_figure_quantity *q = kind_of_axis(f, s, axis);
        if (!q)
            continue;
        p->log[axis] = p->log[axis] || (q->log && !o->linear && !p->is_space);
        if (!p->label[axis])
            p->label[axis] = label_axis(f, p, q, axis);
        if (axis < 2)
            p->zero[axis] = q->zero;
    }
}

/* for several quantities, each with its max and min, the legend distinguishes them: the axis need
 * not name them all */
static void label_envelopes(zw_figure *f, const zw_spec *s, zw_panel *p) {
    char label[LABEL];
    if (p->label[1] || p->n == 0 || s->has_right || zw_figure_thing_count(s) < 2)
        return;
    const char *unit = zw_table_unit(p->curve[0].table, p->curve[0].y);
    for (int k = 0; k < s->n; k++)
        if (zw_figure_partner_in_envelope(s, k) < 0)
            return;
    for (int k = 0; k < p->n; k++)
        if (strcmp(zw_table_unit(p->curve[k].table, p->curve[k].y), unit) != 0)
            return;
    snprintf(label, LABEL, "\"max, min\"%s%.100s%s", unit[0] ? " [" : "", unit, unit[0] ? "]" : "");
    p->label[1] = zw_arena_string(&f->arena, label);
}

/* solutions found by a search are not connected */
static bool is_list(const zw_table *t) {
    return zw_table_get_note(t, "kind") && zw_table_columns(t) > 0 &&
           strcmp(zw_table_name(t, 0), "solution") == 0;
}

/* the first run that panel i draws */
static int first_of(const zw_figure *f, int i) {
    for (int r = 0; r < f->nrun; r++)
        if (zw_figure_draws_run(f, i, r))
            return r;
    return 0;
}

/* curves of panel i from *next on */
static zw_status fill_panel(zw_figure *f, const zw_figure_options *o, int i,
                            const zw_figure_run *run, int *next, zw_error *err) {
    const zw_spec *s = &f->spec[i];
    zw_panel *p = &f->panel[i];
    int *of = ZW_NEW(&f->arena, int, 2 * f->nrun * s->n + 1);
    if (!of)
        return zw_out_of_memory(err, "the picture");
    *p = zw_panel_default();
    p->curve = &f->curve[*next];
    p->is_space = s->kind == ZW_SPEC_SPACE;
    p->is_points = o->points || is_list(run[first_of(f, i)].table);
    p->title = copy_text(f, i < o->titles.n ? o->titles.item[i] : NULL);
    p->grid = o->grid;
    p->log[0] = o->logx;
    p->log[1] = o->logy;
    p->dashed = f->dashed;
    /* rows that are not known to be stable are not drawn as stable */
    bool stability = f->solid && strcmp(f->solid, "stable") == 0;
    p->undecided = stability ? "\"stability not decided\"" : NULL;
    if (s->has_right)
        p->log[2] = o->logy2 || (f->parted[i] && o->logy);
    for (int a = 0; a < 3; a++)
        p->label[a] =
            copy_text(f, label_for(a == 2 && axes_of(s) == 2 ? &o->right : &o->label[a], i));
    if (s->kind == ZW_SPEC_MAP) {
        p->is_points = false;
        p->log[2] = o->logz;
    }
    ZW_TRY(fill_curves(f, o, i, run, &f->curve[*next], of, of + f->nrun * s->n, err));
    ZW_TRY(zw_figure_finish_orbits(f, i, &f->curve[*next], err));
    if (s->kind == ZW_SPEC_MAP)
        ZW_TRY(zw_figure_finish_map(f, o, i, run, &f->curve[*next], err));
    *next += p->n;
    if (f->panel_class[i] == ZW_FIGURE_PLAIN)
        apply_kind(f, o, s, p);
    label_envelopes(f, s, p);
    zw_figure_label_bands(f, s, p);
    zw_figure_label_fit(f, s, p);
    for (int a = 0; a < 2 && f->bin_label; a++)
        if (!p->label[a])
            p->label[a] = f->bin_label[2 * i + a];
    if (f->bin_label && !p->log[1]) /* bars are on the axis */
        p->span[1].low = 0;
    p->scale = scale_of(o, s, p);
    return ZW_OK;
}

/* options of a right-hand axis need one */
static zw_status check_right(const zw_figure *f, const zw_figure_options *o, zw_error *err) {
    for (int i = 0; i < f->npanel; i++)
        if (f->spec[i].has_right)
            return ZW_OK;
    if (!o->logy2 && o->right.n == 0)
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION, "%s: no panel has an axis on the right-hand side",
            o->logy2 ? "--logy2" : "--y2label");
    zw_error_hint(err, "--plot \"y;z:t\" has one, for z");
    return ZW_E_OPTION;
}

/* a single map with axes of one scale has paper of its shape */
static void fit_paper(zw_figure *f) {
    const zw_panel *p = &f->panel[0];
    enum { BESIDE = 38, BELOW = 22 }; /* mm, for numbers, labels and colours */
    if (f->npanel > 1 || !p->map || p->scale != ZW_SCALE_EQUAL || f->picture.width > 0 ||
        f->picture.height > 0)
        return;
    const zw_curve *c = &p->curve[0];
    zw_span s[2] = {p->span[0], p->span[1]};
    for (int a = 0; a < 2; a++)
        for (long row = 0; row < zw_table_rows(c->table); row++) {
            double v = zw_table_at(c->table, row, a ? c->y : c->x);
            if (isnan(p->span[a].low))
                s[a].low = fmin(s[a].low, v); /* for NAN and a number the number */
            if (isnan(p->span[a].high))
                s[a].high = fmax(s[a].high, v);
        }
    double ratio = (s[1].high - s[1].low) / (s[0].high - s[0].low);
    if (!(ratio > 0.1 && ratio < 10))
        return;
    f->picture.width = 120;
    f->picture.height = BELOW + (120 - BESIDE) * ratio;
    if (f->picture.height > 130) {
        f->picture.height = 130;
        f->picture.width = BESIDE + (130 - BELOW) / ratio;
    }
}

/* the regions of a chart have many words: their rows above the frame must not reduce its space */
static void fit_legend(zw_figure *f) {
    const zw_panel *p = &f->panel[0];
    enum { OWN = 90, ROW = 4, FREE = 3 /* rows */, MOST = 70 }; /* mm */
    if (f->npanel > 1 || !p->map || !p->map->pale)
        return;
    int rows = p->map->nclass;
    double scale = f->picture.font_size > 0 ? f->picture.font_size / 9 : 1;
    for (int k = 1; k < p->n; k++)
        rows += p->curve[k].label != NULL;
    f->picture.height = (f->picture.height > 0 ? f->picture.height : OWN) +
                        fmin(fmax(0, ROW * scale * (rows - FREE)), MOST);
}

static zw_status fill_picture(zw_figure *f, const zw_figure_options *o, const zw_figure_run *run,
                              zw_error *err) {
    int curves = 0, next = 0;
    ZW_TRY(check_right(f, o, err));
    if (o->font)
        ZW_TRY(zw_plot_check_font(o->font, err));
    for (int i = 0; i < f->npanel; i++)
        curves +=
            f->spec[i].n * f->nrun + 1 + (f->spec[i].kind == ZW_SPEC_MAP ? ZW_FIGURE_LEVELS : 0);
    f->curve = ZW_NEW(&f->arena, zw_curve, curves + 1);
    if (!f->curve)
        return zw_out_of_memory(err, "the picture");
    for (int i = 0; i < f->npanel; i++)
        ZW_TRY(fill_panel(f, o, i, run, &next, err));
    ZW_TRY(zw_figure_special_points(f, run, err));
    for (int i = 0; i < o->range.n; i++)
        ZW_TRY(apply_range(f, o->range.item[i], err));
    ZW_TRY(zw_figure_insets(f, &o->inset, err));
    ZW_TRY(zw_figure_annotate(f, &o->annotate, err));
    f->picture = zw_picture_default();
    f->picture.n = f->npanel;
    f->picture.panel = f->panel;
    f->picture.columns = o->columns < f->npanel ? o->columns : f->npanel;
    f->picture.title = copy_text(f, o->title);
    f->picture.width = o->width;
    f->picture.height = o->height;
    f->picture.azimuth = o->azimuth;
    f->picture.elevation = o->elevation;
    f->picture.font = copy_text(f, o->font);
    f->picture.font_size = o->font_size;
    fit_paper(f);
    if (!(o->height > 0))
        fit_legend(f);
    return f->arena.failed ? zw_out_of_memory(err, "the picture") : ZW_OK;
}

/* ---- the whole figure ---- */

/* the quantities of one run; those of a series that it does not have are omitted */
static zw_status draw_run(zw_figure *f, int run, const zw_table *t, zw_error *err) {
    const char *text[ZW_FIGURE_QUANTITIES];
    zw_column_formula unused;
    int n = 0;
    for (int q = 0; q < f->nquantity; q++) {
        bool has = !f->optional[q] || zw_formula_parse(&unused, t, f->quantity[q], NULL) >= 0;
        f->column[run * f->nquantity + q] = has ? n : -1;
        if (has)
            text[n++] = f->quantity[q];
    }
    return zw_formula_table(&f->drawn[run], &f->arena.alloc, t, n, text, err);
}

/* the column that dashes depend on, if any */
static zw_status choose_solid(zw_figure *f, const zw_figure_options *o, const zw_figure_run *run,
                              zw_error *err) {
    const char *usual = f->kind && f->kind->solid ? f->kind->solid : "stable";
    const char *name = o->solid ? o->solid : usual;
    char words[LABEL];
    bool given = o->solid != NULL;
    for (int i = 0; i < f->nrun; i++)
        given = given ||
                (zw_table_get_note(run[i].table, "kind") && zw_table_find(run[i].table, name) >= 0);
    if (!given)
        return ZW_OK;
    f->solid = copy_text(f, name);
    bool stable = strcmp(name, "stable") == 0;
    snprintf(words, sizeof words, "%s%s", stable ? "\"unstable\"" : "\"not\" ", stable ? "" : name);
    f->dashed = copy_text(f, name == usual && f->kind && f->kind->solid ? f->kind->dashed : words);
    if (!f->solid || !f->dashed)
        return zw_out_of_memory(err, "the picture");
    return add_quantity(f, f->solid, !o->solid, err);
}

static zw_status fill_figure(zw_figure *f, const char *const *panel, const zw_figure_run *run,
                             const zw_figure_options *o, zw_error *err) {
    f->spec = ZW_NEW(&f->arena, zw_spec, f->npanel + 1);
    f->panel = ZW_NEW(&f->arena, zw_panel, f->npanel + 1);
    f->parted = ZW_NEW(&f->arena, bool, f->npanel + 1);
    f->lines = ZW_NEW(&f->arena, zw_table *, f->npanel + 1);
    f->drawn = ZW_NEW(&f->arena, zw_table *, f->nrun + 1);
    f->whole = ZW_NEW(&f->arena, const zw_table *, f->nrun + 1);
    f->run_label = ZW_NEW(&f->arena, const char *, f->nrun + 1);
    if (f->arena.failed)
        return zw_out_of_memory(err, "the picture");
    for (int i = 0; i < f->npanel; i++)
        ZW_TRY(parse_panel(f, i, panel[i], run, o, err));
    ZW_TRY(choose_solid(f, o, run, err));
    f->column = ZW_NEW(&f->arena, int, f->nrun * f->nquantity + 1);
    if (!f->column)
        return zw_out_of_memory(err, "the picture");
    for (int i = 0; i < f->nrun; i++) {
        f->run_label[i] = copy_text(f, run[i].label);
        ZW_TRY(draw_run(f, i, run[i].table, err));
        f->whole[i] = f->run_class[i] == ZW_FIGURE_PLAIN ? run[i].table : NULL;
    }
    return fill_picture(f, o, run, err);
}

/* the default for a surface: its other columns may be drawn as those of any result */
static bool is_surface(const zw_figure *f, const char *const *panel, const zw_figure_run *run) {
    const char *kind = zw_table_get_note(run[0].table, "kind");
    return f->nrun == 1 && f->npanel == 1 && strcmp(panel[0], "x,y") == 0 && kind &&
           strcmp(kind, "surface") == 0;
}

/* splits runs that have parts */
static zw_status part_runs(zw_figure *f, const zw_figure_run **runs, zw_error *err) {
    const zw_figure_run *given = *runs;
    int room = f->nrun * ZW_FIGURE_PARTS + zw_figure_further_runs(f, f->nrun, given), n = 0;
    zw_figure_run *run = ZW_NEW(&f->arena, zw_figure_run, room + 1);
    zw_figure_style_of_run *run_style = ZW_NEW(&f->arena, zw_figure_style_of_run, room + 1);
    f->part = ZW_NEW(&f->arena, zw_table *, room + 1);
    if (f->arena.failed)
        return zw_out_of_memory(err, "the picture");
    f->run_class = ZW_NEW(&f->arena, zw_figure_class, room + 1); /* plain */
    f->tint = ZW_NEW(&f->arena, int, room + 1);
    f->given = ZW_NEW(&f->arena, int, room + 1);
    f->widened = ZW_NEW(&f->arena, zw_table *, f->nrun + 1);
    if (f->arena.failed)
        return zw_out_of_memory(err, "the picture");
    for (int i = 0; i < f->nrun; i++) {
        int before = n;
        zw_table **wide = &f->widened[f->nwidened++];
        zw_figure_run own = given[i];
        ZW_TRY(zw_figure_measure_steady(wide, f->nrun, given, i, err));
        own.table = *wide ? *wide : own.table;
        ZW_TRY(zw_figure_part(f, own.table, run, run_style, &n, err));
        if (n == before) {
            run_style[n] = zw_figure_drawn_style(own.table);
            run[n++] = own;
        }
        for (int k = before; k < n; k++)
            f->given[k] = i;
    }
    f->nplain = n;
    f->has_parts = f->npart > 0;
    ZW_TRY(zw_figure_orbit_runs(f, f->nrun, given, run, &n, room, err));
    f->nrun = n;
    f->run_style = run_style;
    *runs = run;
    return ZW_OK;
}

/* the texts of the panels; a map of several results is a panel for each */
static const char **spread_maps(zw_figure *f, int npanel, const char *const *panel, int nrun) {
    const char **text = ZW_NEW(&f->arena, const char *, npanel *nrun + 1);
    zw_spec *spec = ZW_NEW(&f->arena, zw_spec, 1);
    int n = 0;
    f->panel_run = ZW_NEW(&f->arena, int, npanel *nrun + 1);
    f->text = ZW_NEW(&f->arena, int, npanel *nrun + 1);
    if (f->arena.failed)
        return NULL;
    for (int i = 0; i < npanel; i++) {
        bool map =
            nrun > 1 && zw_spec_parse(spec, panel[i], NULL) >= 0 && spec->kind == ZW_SPEC_MAP;
        for (int r = 0; r < (map ? nrun : 1); r++) {
            if (map && !zw_figure_shows(f, i, r))
                continue;
            f->text[n] = i;
            f->panel_run[n] = map ? r : -1;
            text[n++] = panel[i];
        }
    }
    f->npanel = n;
    return text;
}

zw_status zw_figure_create(zw_figure **out, int npanel, const char *const *panel, int nrun,
                           const zw_figure_run *run, const zw_figure_options *options,
                           zw_error *err) {
    assert(out);
    zw_figure_options own = zw_figure_options_default();
    *out = NULL;
    if (options)
        ZW_TRY(zw_options_adopt(&own, sizeof own, options, "zw_figure_options", err));
    if (npanel < 1 || nrun < 1)
        return zw_fail(err, ZW_E_OPTION, "a figure needs a panel and a run: %d and %d are given",
                       npanel, nrun);
    zw_allocator alloc = own.allocator ? *own.allocator : zw_allocator_default();
    zw_figure *f = zw_allocate(&alloc, sizeof *f);
    if (!f)
        return zw_out_of_memory(err, "the picture");
    zw_arena_init(&f->arena, &alloc);
    f->npanel = npanel;
    f->nrun = nrun;
    f->kind = zw_figure_kind_of(nrun, run);
    bool surface = is_surface(f, panel, run);
    zw_status status = surface ? zw_figure_contours(f, run[0].table, err) : ZW_OK;
    zw_figure_run lines = {.table = f->contours};
    const zw_figure_run *all = surface ? &lines : run;
    if (status >= 0)
        status = zw_figure_show(f, &own.runs, npanel, nrun, err);
    const char **text = spread_maps(f, npanel, panel, nrun);
    if (!text && status >= 0)
        status = zw_out_of_memory(err, "the picture");
    if (status >= 0 && text && !surface)
        status = zw_figure_histograms(f, text, nrun, &all, own.bins, err);
    if (status >= 0)
        status = zw_figure_classify(f, text, nrun, surface ? run : all, err);
    if (status >= 0)
        status = part_runs(f, &all, err);
    if (status >= 0)
        status = fill_figure(f, text, all, &own, err);
    if (status >= 0 && surface)
        status = zw_figure_finish_contours(f, run[0].table, err);
    if (status < 0)
        zw_figure_destroy(f);
    else
        *out = f;
    return status;
}

void zw_figure_destroy(zw_figure *f) {
    if (!f)
        return;
    zw_allocator alloc = f->arena.alloc;
    for (int i = 0; f->drawn && i < f->nrun; i++)
        zw_table_destroy(f->drawn[i]);
    zw_table_destroy(f->contours);
    for (int i = 0; i < f->nbins; i++)
        zw_table_destroy(f->bins[i]);
    for (int i = 0; f->lines && i < f->npanel; i++)
        zw_table_destroy(f->lines[i]);
    zw_table_destroy(f->circle);
    for (int i = 0; i < f->npart; i++)
        zw_table_destroy(f->part[i]);
    for (int i = 0; i < f->nwidened; i++)
        zw_table_destroy(f->widened[i]);
    zw_arena_clear(&f->arena);
    zw_release(&alloc, f, sizeof *f);
}

const zw_picture *zw_figure_picture(const zw_figure *f) {
    return &f->picture;
}

const zw_table *zw_figure_drawn(const zw_figure *f, int run) {
    return f->drawn[run];
}
