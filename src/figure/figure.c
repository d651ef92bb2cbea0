/* SPDX-License-Identifier: MIT */
/* From texts of panels to a zw_picture. Of every run a table is made that holds exactly the quantities that
 * are drawn, formulas evaluated; the curves are columns of these tables, and they are what zw_figure_data
 * gives. */
#include "zwang/figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/option.h"
#include "internal.h"

enum { LABEL = 320 };

void zw_figure_options_init(zw_figure_options *options, size_t size) {
    const zw_figure_options all = {.size = size, .columns = 1, .azimuth = -60, .elevation = 25};
    zw_options_begin(options, size, &all, sizeof all);
}

static zw_status no_memory(zw_error *err) {
    return zw_fail(err, ZW_E_MEMORY, "out of memory for the picture");
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
    return s->kind == ZW_SPEC_SPACE ? 3 : 2;
}

/* *parted: nobody asked for the right-hand axis, if there is one */
static zw_status parse_panel(zw_figure *f, zw_spec *s, const char *text, const zw_figure_run *run,
                             const zw_figure_options *o, bool *parted, zw_error *err) {
    ZW_TRY(zw_spec_parse(s, text, err));
    ZW_TRY(zw_figure_common_units(s, f->nrun, run, err));
    *parted = !s->has_right && o->axes != ZW_FIGURE_AXES_EQUAL;
    if (*parted)
        ZW_TRY(zw_figure_part_units(s, run, err));
    for (int k = 0; k < s->n; k++)
        for (int a = 0; a < axes_of(s); a++) {
            if (find_quantity(f, s->term[k].axis[a]) >= 0)
                continue;
            if (f->nquantity == ZW_FIGURE_QUANTITIES)
                return zw_fail(err, ZW_E_OPTION, "--plot: more than %d quantities",
                               ZW_FIGURE_QUANTITIES);
            f->quantity[f->nquantity++] = s->term[k].axis[a];
        }
    return ZW_OK;
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

/* "NAME=A:B": the span goes to every axis on which NAME is drawn */
static zw_status apply_range(zw_figure *f, const char *text, zw_error *err) {
    const char *equals = strchr(text, '='), *after;
    char name[ZW_FORMULA_TEXT];
    zw_span span;
    bool used = false;
    if (!equals || equals - text >= ZW_FORMULA_TEXT)
        return bad_range(text, err);
    snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
    ZW_TRY(range_end(equals + 1, ':', text, &after, &span.low, err));
    ZW_TRY(range_end(after + 1, '\0', text, &after, &span.high, err));
    if (span.low >= span.high)
        return zw_fail(err, ZW_E_OPTION, "--range %s is empty", text);
    for (int i = 0; i < f->npanel; i++)
        for (int k = 0; k < f->spec[i].n; k++)
            for (int a = 0; a < axes_of(&f->spec[i]); a++)
                if (zw_figure_draws(f->spec[i].term[k].axis[a], name)) {
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

static zw_scale scale_of(const zw_figure_options *o, const zw_spec *s, const zw_panel *p) {
    if (o->axes == ZW_FIGURE_AXES_EQUAL)
        return ZW_SCALE_EQUAL;
    bool is_path = s->kind != ZW_SPEC_GRAPH && !o->logx && !o->logy;
    return o->axes == ZW_FIGURE_AXES_AUTO && is_path && has_one_unit(p) ? ZW_SCALE_EQUAL
                                                                        : ZW_SCALE_FREE;
}

/* the label for panel i of one that may be given once for all or once for each */
static const char *label_for(const zw_figure_texts *list, int i) {
    return list->n == 0 ? NULL : list->n == 1 ? list->item[0] : i < list->n ? list->item[i] : NULL;
}

/* what tells this curve from the others of its panel: its column, its run, or both */
static const char *label_curve(zw_figure *f, const zw_figure_options *o, const zw_spec *s, int run,
                               int term, const zw_curve *c) {
    char label[LABEL];
    int k = f->nrun > 1 ? run : term;
    const char *of_run = f->run_label[run] ? f->run_label[run] : "";
    const char *name = zw_table_name(c->table, s->kind == ZW_SPEC_SPACE ? c->z : c->y);
    if (k < o->legend.n && (f->nrun > 1 || s->n > 1))
        of_run = o->legend.item[k];
    if (s->n == 1 || (f->nrun == 1 && k < o->legend.n))
        snprintf(label, LABEL, "%s", of_run);
    else if (f->nrun == 1)
        snprintf(label, LABEL, "%s", name);
    else
        snprintf(label, LABEL, "%.150s, %.160s", name, of_run);
    return label[0] ? zw_arena_string(&f->arena, label) : NULL;
}

/* curves of panel i from *next on */
static void fill_panel(zw_figure *f, const zw_figure_options *o, int i, int *next) {
    const zw_spec *s = &f->spec[i];
    zw_panel *p = &f->panel[i];
    *p = zw_panel_default();
    p->curve = &f->curve[*next];
    p->is_space = s->kind == ZW_SPEC_SPACE;
    p->is_points = o->points;
    p->grid = o->grid;
    p->log[0] = o->logx;
    p->log[1] = o->logy;
    if (s->has_right)
        p->log[2] = o->logy2 || (f->parted[i] && o->logy);
    for (int a = 0; a < 3; a++)
        p->label[a] = copy_text(f, label_for(a == 2 && !p->is_space ? &o->right : &o->label[a], i));
    for (int run = 0; run < f->nrun; run++)
        for (int k = 0; k < s->n; k++) {
            zw_curve *c = &f->curve[(*next)++];
            *c = (zw_curve){.table = f->drawn[run]};
            c->x = find_quantity(f, s->term[k].axis[0]);
            c->y = find_quantity(f, s->term[k].axis[1]);
            c->right = s->term[k].right;
            c->z = p->is_space ? find_quantity(f, s->term[k].axis[2]) : 0;
            c->label = label_curve(f, o, s, run, k, c);
        }
    p->n = f->nrun * s->n;
    p->scale = scale_of(o, s, p);
}

/* options of a right-hand axis where there is none say nothing */
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

static zw_status fill_picture(zw_figure *f, const zw_figure_options *o, zw_error *err) {
    int curves = 0, next = 0;
    ZW_TRY(check_right(f, o, err));
    if (o->font)
        ZW_TRY(zw_plot_check_font(o->font, err));
    for (int i = 0; i < f->npanel; i++)
        curves += f->spec[i].n * f->nrun;
    f->curve = ZW_NEW(&f->arena, zw_curve, curves + 1);
    if (!f->curve)
        return no_memory(err);
    for (int i = 0; i < f->npanel; i++)
        fill_panel(f, o, i, &next);
    for (int i = 0; i < o->range.n; i++)
        ZW_TRY(apply_range(f, o->range.item[i], err));
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
    return f->arena.failed ? no_memory(err) : ZW_OK;
}

/* ---- the whole ---- */

static zw_status fill(zw_figure *f, const char *const *panel, const zw_figure_run *run,
                      const zw_figure_options *o, zw_error *err) {
    f->spec = ZW_NEW(&f->arena, zw_spec, f->npanel + 1);
    f->panel = ZW_NEW(&f->arena, zw_panel, f->npanel + 1);
    f->parted = ZW_NEW(&f->arena, bool, f->npanel + 1);
    f->drawn = ZW_NEW(&f->arena, zw_table *, f->nrun + 1);
    f->run_label = ZW_NEW(&f->arena, const char *, f->nrun + 1);
    if (f->arena.failed)
        return no_memory(err);
    for (int i = 0; i < f->npanel; i++)
        ZW_TRY(parse_panel(f, &f->spec[i], panel[i], run, o, &f->parted[i], err));
    for (int i = 0; i < f->nrun; i++) {
        f->run_label[i] = copy_text(f, run[i].label);
        ZW_TRY(zw_formula_table(&f->drawn[i], &f->arena.alloc, run[i].table, f->nquantity,
                                f->quantity, err));
    }
    return fill_picture(f, o, err);
}

zw_status zw_figure_create(zw_figure **out, int npanel, const char *const *panel, int nrun,
                           const zw_figure_run *run, const zw_figure_options *options,
                           zw_error *err) {
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
        return no_memory(err);
    zw_arena_init(&f->arena, &alloc);
    f->npanel = npanel;
    f->nrun = nrun;
    zw_status status = fill(f, panel, run, &own, err);
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
    zw_arena_clear(&f->arena);
    zw_release(&alloc, f, sizeof *f);
}

const zw_picture *zw_figure_picture(const zw_figure *f) {
    return &f->picture;
}

const zw_table *zw_figure_drawn(const zw_figure *f, int run) {
    return f->drawn[run];
}

zw_status zw_figure_draw(const zw_table *result, const char *panel, const char *path,
                         zw_error *err) {
    zw_figure *f;
    ZW_TRY(zw_figure_create(&f, 1, &panel, 1, &(zw_figure_run){.table = result}, NULL, err));
    zw_status status = zw_plot(&f->picture, path, NULL, err);
    zw_figure_destroy(f);
    return status;
}
