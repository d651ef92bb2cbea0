/* SPDX-License-Identifier: MIT */
/* A table of any kind as a picture or as a page: what shows it best is decided here. */
#include <string.h>

#include "internal.h"

enum { POINTS = 360, ORBITS = 24, PAGE_ORBITS = 120, ORBIT_ROWS = 160, MOTION_ROWS = 2000 };

/* ---- pictures ---- */

static zw_status draw_panels(const zw_figure_run *run, int n, const char *const *panel,
                             const char *path, zw_error *err) {
    zw_figure *f;
    ZW_TRY(zw_figure_create(&f, n, panel, 1, run, NULL, err));
    zw_status status = zw_plot(zw_figure_picture(f), path, NULL, err);
    zw_figure_destroy(f);
    return status;
}

zw_status zw_figure_draw(const zw_table *result, const char *panel, const char *path,
                         zw_error *err) {
    zw_figure_run run = {.table = result};
    zw_figure_choice choice = {0};
    const char *item[ZW_FIGURE_CHOICE] = {panel};
    int n = 1;
    if (!panel) {
        zw_figure_choose(&choice, 1, &run);
        for (n = 0; n < choice.n; n++)
            item[n] = choice.panel[n];
    }
    if (!zw_figure_needs_orbits(result, n, item))
        return draw_panels(&run, n, item, path, err);
    zw_figure_branch branch;
    zw_status status = zw_figure_branch_open(&branch, result, ORBITS, POINTS, NULL, err);
    run.orbits = branch.orbits;
    run.multipliers = branch.multipliers;
    if (status >= 0)
        status = draw_panels(&run, n, item, path, err);
    zw_figure_branch_close(&branch);
    return status;
}

/* ---- pages ---- */

static long or_default(long given, long fallback) {
    return given > 0 ? given : fallback;
}

/* a run, or a measured one: its page has plots of its own */
static bool is_plain_motion(const zw_table *t) {
    const char *kind = zw_table_get_note(t, "kind");
    return (!kind || strcmp(kind, "measured motion") == 0) && zw_figure_is_motion(t);
}

static zw_status show_branch(zw_figure_page **out, const zw_table *t,
                             const zw_figure_page_options *o, zw_error *err) {
    zw_figure_branch branch;
    int rows = (int)or_default(o->rows, ORBIT_ROWS);
    zw_status status = zw_figure_branch_open(&branch, t, (int)or_default(o->orbits, PAGE_ORBITS),
                                             rows - 1, o->point, err);
    const zw_figure_run run = {
        .table = t, .orbits = branch.orbits, .multipliers = branch.multipliers};
    if (status >= 0 && o->npanel)
        status = zw_figure_result_page_create(out, &run, o->npanel, o->panel, o->rows, err);
    else if (status >= 0)
        status = zw_figure_branch_page_create(out, &run, branch.row, err);
    if (status >= 0)
        (*out)->all_orbits = branch.all;
    zw_figure_branch_close(&branch);
    return status;
}

static zw_status show_survey(zw_figure_page **out, const zw_table *t,
                             const zw_figure_page_options *o, zw_error *err) {
    const zw_figure_survey_options options = {
        .until = o->until, .motions = o->orbits, .rows = o->rows};
    return zw_figure_survey_page_create(out, t, &options, err);
}

zw_status zw_figure_show_page(zw_figure_page **out, const zw_table *t,
                              const zw_figure_page_options *o, zw_error *err) {
    const zw_figure_page_options none = {0};
    const zw_figure_run run = {.table = t};
    o = o ? o : &none;
    *out = NULL;
    if (zw_figure_has_orbits(t))
        return show_branch(out, t, o, err);
    if (o->npanel == 0 && zw_figure_is_survey(t))
        return show_survey(out, t, o, err);
    if (o->npanel == 0 && is_plain_motion(t))
        return zw_figure_page_create(out, t, or_default(o->rows, MOTION_ROWS), err);
    return zw_figure_result_page_create(out, &run, o->npanel, o->panel, o->rows, err);
}

int zw_figure_page_orbits(const zw_figure_page *p) {
    return p->all_orbits;
}
