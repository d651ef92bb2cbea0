/* SPDX-License-Identifier: MIT */
/* The orbits of a branch from its table, sampled for pictures and pages. */
#include "base/arena.h"
#include "zwang/figure.h"
#include "zwang/forced.h"
#include "zwang/orbits.h"
#include "zwang/simulate.h"

bool zw_figure_has_orbits(const zw_table *t) {
    return zw_table_get_note(t, "orbits") != NULL || zw_forced_table_has_motions(t);
}

bool zw_figure_needs_orbits(const zw_table *t, int npanel, const char *const *panel) {
    for (int i = 0; i < npanel && zw_figure_has_orbits(t); i++)
        if (!zw_figure_is_drawn_from(t, panel[i]))
            return true;
    return false;
}

static zw_status sample_orbits(zw_figure_branch *b, const zw_orbits_file *f, const zw_table *t,
                               int most, int points, const char *point, zw_error *err) {
    zw_system *sys;
    double value;
    int index = -1;
    if (point)
        ZW_TRY(zw_orbits_file_pick(f, point, &index, &value, err));
    b->row = index >= 0 ? f->orbit[index].row : -1;
    b->all = f->n;
    ZW_TRY(zw_result_system(&sys, b->ctx, t, err));
    ZW_TRY(zw_orbits_file_motions(&b->orbits, f, sys, most, points, index, err));
    return zw_orbits_file_multipliers(&b->multipliers, f, NULL, err);
}

/* a curve of zwang response: motions from their harmonics */
static zw_status sample_response(zw_figure_branch *b, const zw_table *t, int most, int points,
                                 const char *point, zw_error *err) {
    zw_system *sys;
    if (point) {
        zw_fail(err, ZW_E_OPTION, "--point is for branches of zwang orbit --over");
        zw_error_hint(err,
                      "zwang response --pick %.40s --motion FILE.csv makes a motion of a "
                      "curve a result, which zwang view shows",
                      point);
        return ZW_E_OPTION;
    }
    ZW_TRY(zw_result_system(&sys, b->ctx, t, err));
    return zw_forced_table_motions(&b->orbits, t, sys, most, points, &b->all, err);
}

zw_status zw_figure_branch_open(zw_figure_branch *b, const zw_table *t, int most, int points,
                                const char *point, zw_error *err) {
    zw_orbits_file f;
    *b = (zw_figure_branch){.ctx = zw_context_create(NULL), .row = -1};
    if (!b->ctx)
        return zw_out_of_memory(err, NULL);
    if (!zw_table_get_note(t, "orbits"))
        return sample_response(b, t, most, points, point, err);
    ZW_TRY(zw_orbits_file_read(&f, t, err));
    zw_status status = sample_orbits(b, &f, t, most, points, point, err);
    zw_orbits_file_clear(&f);
    return status;
}

void zw_figure_branch_close(zw_figure_branch *b) {
    zw_table_destroy(b->orbits);
    zw_table_destroy(b->multipliers);
    zw_context_destroy(b->ctx);
    *b = (zw_figure_branch){0};
}
