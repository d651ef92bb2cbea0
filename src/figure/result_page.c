/* SPDX-License-Identifier: MIT */
/* Any result as a page: its default figure, or that of --plot, with all its numbers. For each row
 * the reader is shown all columns of the result. A result that is a motion of its model, whatever
 * its kind, has the moving drawing above that. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "internal.h"
#include "zwang/simulate.h"

enum { MOTION_ROWS = 2000 /* a screen is not wider */, COLUMNS = 400, NAME = 60 };

/* ---- motions ---- */

static bool runs_with_time(const zw_table *t) {
    if (zw_table_columns(t) == 0 || strcmp(zw_table_name(t, 0), "t") != 0 || zw_table_rows(t) < 2)
        return false;
    for (long i = 0; i < zw_table_rows(t); i++)
        if (!isfinite(zw_table_at(t, i, 0)) ||
            (i > 0 && zw_table_at(t, i, 0) < zw_table_at(t, i - 1, 0)))
            return false;
    return true;
}

bool zw_figure_is_motion(const zw_table *t) {
    const char *kind = zw_table_get_note(t, "kind");
    zw_figure_view *v;
    if (!zw_table_get_note(t, "text") || zw_table_find(t, "t") < 0)
        return false;
    if (!kind || strcmp(kind, "measured motion") == 0)
        return true;
    /* of another kind: a motion if every drawing of the model has its position */
    if (!runs_with_time(t) || zw_figure_view_create(&v, t, 2, NULL) < 0)
        return false;
    bool moves = v->scene->nitem > 0 && v->scene->nmissing == 0;
    zw_figure_view_destroy(v);
    return moves;
}

/* ---- the figure ---- */

static void list_columns(const zw_table *t, char *out, size_t size) {
    out[0] = '\0';
    for (int i = 0; i < zw_table_columns(t) && strlen(out) + NAME + 3 < size; i++)
        snprintf(out + strlen(out), size - strlen(out), "%s%.*s", i ? ", " : "", NAME,
                 zw_table_name(t, i));
    zw_text_tame(out);
}

static zw_status create_figure(zw_figure **out, const zw_figure_run *run, int npanel,
                               const char *const *panel, zw_error *err) {
    zw_figure_choice choice = {0};
    const char *chosen[ZW_FIGURE_CHOICE];
    char all[COLUMNS];
    zw_figure_options options = zw_figure_options_default();
    options.allocator = zw_table_allocator(run->table);
    if (npanel > 0)
        return zw_figure_create(out, npanel, panel, 1, run, &options, err);
    zw_figure_choose(&choice, 1, run);
    for (int i = 0; i < choice.n; i++)
        chosen[i] = choice.panel[i];
    if (choice.n > 0)
        return zw_figure_create(out, choice.n, chosen, 1, run, &options, err);
    list_columns(run->table, all, sizeof all);
    zw_fail(err, ZW_E_OPTION, "what is to be drawn? --plot y:t, --plot x,y or --plot x,y,z");
    zw_error_hint(err, "the columns are %s", all);
    return ZW_E_OPTION;
}

/* gives the page its figure, with at most `rows` rows of each table; 0: a reasonable number */
static zw_status add_figure(zw_figure_page *p, zw_context *ctx, const zw_figure_run *run,
                            int npanel, const char *const *panel, long rows, zw_error *err) {
    zw_figure_run own = *run;
    /* the figure points into it */
    zw_status status = zw_table_thin(&p->table, run->table, zw_table_rows(run->table) + 2, err);
    own.table = p->table;
    if (status >= 0)
        status = create_figure(&p->figure, &own, npanel, panel, err);
    ZW_TRY(status);
    const zw_figure *f = p->figure;
    zw_page_source *source = zw_context_alloc(ctx, sizeof *source * (size_t)(f->nrun + 1));
    if (!source)
        return zw_out_of_memory(err, "the page");
    for (int i = 0; i < f->nrun; i++)
        source[i] = (zw_page_source){.drawn = f->drawn[i], .whole = f->whole[i]};
    ZW_TRY(zw_figure_thin(ctx, &f->picture, f->nrun, source, rows, err));
    p->sheet = (zw_page_figure){.picture = &f->picture, .nsource = f->nrun, .source = source};
    p->page.figure = &p->sheet;
    return ZW_OK;
}

/* ---- the page ---- */

/* the name of the model from the notes, and its title from its text */
static void name_page(zw_figure_page *p) {
    const zw_table *t = p->table;
    const char *name = zw_table_get_note(t, "model"), *kind = zw_table_get_note(t, "kind");
    zw_system *sys = NULL;
    bool known = zw_table_get_note(t, "text") && zw_result_system(&sys, p->ctx, t, NULL) >= 0;
    p->page.name = known ? sys->name : name ? name : kind ? kind : "result";
    p->page.title = known ? sys->title : "";
    p->page.variant = zw_table_get_note(t, "variant");
    p->page.result = t;
}

static zw_status create_still(zw_figure_page **out, const zw_figure_run *run, int npanel,
                              const char *const *panel, long rows, zw_error *err) {
    zw_context *ctx = zw_context_create(zw_table_allocator(run->table));
    zw_figure_page *p = ctx ? zw_context_alloc(ctx, sizeof *p) : NULL;
    if (!p) {
        zw_context_destroy(ctx);
        return zw_out_of_memory(err, "the page");
    }
    p->ctx = ctx;
    zw_status status = add_figure(p, ctx, run, npanel, panel, rows, err);
    if (status < 0) {
        zw_figure_page_destroy(p);
        return status;
    }
    name_page(p);
    *out = p;
    return ZW_OK;
}

zw_status zw_figure_result_page_create(zw_figure_page **out, const zw_figure_run *run, int npanel,
                                       const char *const *panel, long rows, zw_error *err) {
    assert(out);
    *out = NULL;
    if (!zw_figure_is_motion(run->table))
        return create_still(out, run, npanel, panel, rows, err);
    zw_figure_page *p;
    ZW_TRY(zw_figure_page_create(&p, run->table, rows ? rows : MOTION_ROWS, err));
    zw_status status = add_figure(p, p->v->ctx, run, npanel, panel, rows, err);
    if (status < 0)
        zw_figure_page_destroy(p);
    else
        *out = p;
    return status;
}

void zw_figure_page_rows(const zw_figure_page *p, long *kept, long *all) {
    *kept = *all = 0;
    for (int i = 0; i < p->sheet.nsource; i++) {
        const zw_page_source *s = &p->sheet.source[i];
        *all += zw_table_rows(s->drawn);
        *kept += s->kept ? s->n : zw_table_rows(s->drawn);
    }
}
