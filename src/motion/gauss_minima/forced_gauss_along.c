/* SPDX-License-Identifier: MIT */
/* Minima over a parameter, each the start of the next one. Such a march finds folds and ghosts,
 * too, so every minimum is judged. And G over two of its coefficients. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "forced_gauss.h"
#include "motion/harmonic/balance.h"
#include "motion/motion_report.h"

enum { ROWS = 101, POINTS_MOST = 2000 };

/* ---------------------------------------------------------------------------------------- along */

/* the minimum at a value, from the minimum at the value before */
static zw_status follow_minimum(zw_forced_gauss *g, double value, zw_forced_minimum *m, double *x,
                                zw_error *err) {
    double w, slope;
    g->value = value;
    ZW_TRY(zw_forced_set(g->f, value, g->f->now, &w, &slope, err));
    *m = (zw_forced_minimum){.x = x, .starts = 1};
    if (g->options.nbound > 0) {
        zw_gauss_bound_options o = zw_forced_gauss_bounds(g);
        ZW_TRY(zw_forced_gauss_limits(g, err));
        ZW_TRY(zw_gauss_integral_minimise_bounded(g->integral, x, value, &o, &m->bound, err));
        m->result = m->bound.result;
        m->bounded = m->bound.touches;
    } else {
        ZW_TRY(zw_gauss_integral_minimise(g->integral, x, value, &m->result, err));
    }
    return zw_forced_gauss_judge(g, m, err);
}

/* the lowest minimum of those from the starts */
static zw_status start_minimum(zw_forced_gauss *g, double value, zw_forced_minimum *m, double *x,
                               zw_error *err) {
    ZW_TRY(zw_forced_gauss_find(g, value, err));
    if (g->nminimum == 0)
        return zw_fail(err, ZW_E_NUMERIC, "there is no minimum at the beginning");
    memcpy(x, g->list[0].x, sizeof(double) * (size_t)g->n);
    *m = g->list[0];
    m->x = x;
    return ZW_OK;
}

static zw_status fill_along(zw_forced_gauss *g, zw_table *t, zw_error *err) {
    const zw_parameter_range *over = &g->f->over;
    const zw_forced_values *with = g->f->options.with;
    int rows = over->rows ? over->rows : ROWS, first = with ? 2 : 1;
    double *row = ZW_NEW(&g->arena, double, zw_table_columns(t) + 1),
           *x = ZW_NEW(&g->arena, double, g->n + 1);
    if (!row || !x)
        return ZW_E_MEMORY;
    for (int i = 0; i < rows; i++) {
        double value = over->from + (over->to - over->from) * i / (rows - 1);
        zw_forced_minimum m;
        if (g->f->options.stop && g->f->options.stop(g->f->options.stop_user, (double)i / rows))
            break;
        ZW_TRY(i == 0 || g->options.fresh ? start_minimum(g, value, &m, x, err)
                                          : follow_minimum(g, value, &m, x, err));
        ZW_TRY(zw_forced_gauss_derive(g, &m, err));
        row[0] = value / over->factor;
        if (with)
            row[1] = with->value[g->f->options.member] / with->of.factor;
        zw_forced_gauss_row(g, &m, row + first);
        ZW_TRY(zw_table_row(t, row));
        zw_forced_gauss_note_error(g, &m);
        g->rows++;
        g->unconverged += !m.result.converged;
        g->ghosts += m.verdict == ZW_GAUSS_GHOST;
        g->unsure += m.verdict == ZW_GAUSS_NOT_CONVERGED;
    }
    return ZW_OK;
}

/* the parameters that vary are columns, not notes; the second one separates the curves */
static zw_status begin_along(zw_forced_gauss *g, const zw_model_source *source, zw_table **out,
                             zw_error *err) {
    const zw_parameter_range *over = &g->f->over;
    const zw_forced_values *with = g->f->options.with;
    char key[ZW_PARAMETER_RANGE_NAME + 8];
    ZW_TRY(zw_forced_gauss_begin(g, "minima along", source, out, err));
    snprintf(key, sizeof key, "param %s", over->name);
    zw_table_remove_note(*out, key);
    zw_status status = zw_table_column(*out, over->name, over->unit);
    if (with && status >= 0) {
        snprintf(key, sizeof key, "param %s", with->of.name);
        zw_table_remove_note(*out, key);
        status = zw_table_note(*out, "parts", with->of.name);
    }
    if (with && status >= 0)
        status = zw_table_column(*out, with->of.name, with->of.unit);
    if (status >= 0)
        status = zw_forced_gauss_columns(g, *out);
    return zw_forced_gauss_end(out, status, err);
}

zw_status zw_forced_gauss_along_of(int n, zw_forced_gauss *const *g, const zw_model_source *source,
                                   zw_table **out, zw_error *err) {
    assert(out);
    zw_status status = ZW_OK;
    *out = NULL;
    if (!g[0]->f->has_over)
        return zw_fail(err, ZW_E_OPTION, "minima are carried along a parameter: --over");
    ZW_TRY(begin_along(g[0], source, out, err));
    for (int i = 0; i < n && status >= 0; i++) {
        g[i]->along = true;
        g[i]->rows = g[i]->unconverged = g[i]->ghosts = g[i]->unsure = g[i]->inaccurate = 0;
        status = fill_along(g[i], *out, err);
    }
    return zw_forced_gauss_end(out, status, err);
}

zw_status zw_forced_gauss_along(zw_forced_gauss *g, const zw_model_source *source, zw_table **out,
                                zw_error *err) {
    assert(out);
    return zw_forced_gauss_along_of(1, &g, source, out, err);
}

/* ------------------------------------------------------------------------------------- report */

static double entry_at(const zw_table *t, long row, const char *column) {
    return zw_table_at(t, row, zw_table_find(t, column));
}

static void report_value(zw_report *out, const zw_forced_gauss *g, const char *key,
                         const zw_parameter_range *of, const zw_table *t, long row) {
    zw_shown shown = zw_motion_shown(g->f->sys, of, 0);
    zw_report_number(out, key, entry_at(t, row, of->name) * of->factor, &shown);
}

static void report_row(zw_report *out, const zw_forced_gauss *g, const zw_table *t, long row) {
    const zw_forced_values *with = g->f->options.with;
    double motion = entry_at(t, row, "motion");
    zw_report_open(out, NULL);
    report_value(out, g, "value", &g->f->over, t, row);
    if (with)
        report_value(out, g, "for_value", &with->of, t, row);
    zw_report_word(out, "verdict",
                   motion == 1   ? "a motion"
                   : motion == 0 ? "no motion"
                                 : "not decided");
    zw_report_number(out, "G", entry_at(t, row, "G"), &(zw_shown){.digits = 6});
    zw_report_flag(out, "converged", entry_at(t, row, "converged") == 1);
    zw_report_number(out, "distance", entry_at(t, row, "distance"), NULL);
    zw_report_say(out, with ? "  {over} = {value}, {for} = {for_value}: {verdict}, G = {G}\n"
                            : "  {over} = {value}: {verdict}, G = {G}\n");
    zw_report_close(out);
}

void zw_forced_gauss_report_along(const zw_forced_gauss *g, const zw_table *t, zw_report *out) {
    const zw_forced_values *with = g->f->options.with;
    long rows = zw_table_rows(t), motions = 0;
    for (long i = 0; i < rows; i++)
        motions += entry_at(t, i, "motion") == 1;
    zw_report_word(out, "over", g->f->over.name);
    if (with)
        zw_report_word(out, "for", with->of.name);
    zw_report_count(out, "minimum_count", rows);
    zw_report_count(out, "motion_count", motions);
    zw_report_say(out, "{model}: {minimum_count|minimum|minima} of the Gaussian along {over}, "
                       "{motion_count} of them motions\n");
    zw_report_list(out, "minima");
    for (long i = 0; i < rows; i++)
        report_row(out, g, t, i);
    zw_report_close(out);
}

/* ------------------------------------------------------------------------------------ a surface */

static zw_status note_minima(zw_forced_gauss *g, const zw_forced_axis axis[2], zw_table *t) {
    char key[40], text[160];
    for (int i = 0, k = 0; i < g->nminimum; i++) {
        double x = g->list[i].x[axis[0].coefficient], y = g->list[i].x[axis[1].coefficient];
        if (x < axis[0].from || x > axis[0].to || y < axis[1].from || y > axis[1].to)
            continue;
        snprintf(key, sizeof key, "minimum %d", k++);
        snprintf(text, sizeof text, "%.17g %.17g %.17g %s", x, y, log(g->list[i].result.value),
                 g->list[i].verdict == ZW_GAUSS_MOTION  ? "motion"
                 : g->list[i].verdict == ZW_GAUSS_GHOST ? "ghost"
                                                        : "minimum");
        ZW_TRY(zw_table_note(t, key, text));
    }
    return ZW_OK;
}

static zw_status fill_surface(zw_forced_gauss *g, const zw_forced_axis axis[2], int points,
                              double *x, zw_table *t, zw_error *err) {
    const char *unit;
    double row[4];
    for (int i = 0; i < 2; i++) {
        const char *name = zw_forced_gauss_coefficient(g, axis[i].coefficient, &unit);
        ZW_TRY(zw_table_column(t, name, unit));
    }
    ZW_TRY(zw_table_column(t, "lnG", ""));
    ZW_TRY(zw_table_column(t, "G", zw_forced_gauss_unit(g)));
    for (int j = 0; j < points; j++)
        for (int i = 0; i < points; i++) {
            row[0] = axis[0].from + (axis[0].to - axis[0].from) * i / (points - 1);
            row[1] = axis[1].from + (axis[1].to - axis[1].from) * j / (points - 1);
            x[axis[0].coefficient] = row[0];
            x[axis[1].coefficient] = row[1];
            zw_status status =
                zw_gauss_integral_value(g->integral, x, g->value, &row[3], NULL, NULL);
            if (status == ZW_E_MEMORY)
                return status;
            row[3] = status < 0 ? (double)NAN : row[3];
            row[2] = log(row[3]);
            ZW_TRY(zw_table_row(t, row));
        }
    (void)err;
    return note_minima(g, axis, t);
}

zw_status zw_forced_gauss_surface(zw_forced_gauss *g, int number, const char *text, int points,
                                  const zw_model_source *source, zw_table **out, zw_error *err) {
    assert(out);
    zw_forced_axis axis[2];
    *out = NULL;
    if (points < 2 || points > POINTS_MOST)
        return zw_fail(err, ZW_E_OPTION, "a surface has 2 to %d points to each side", POINTS_MOST);
    if (number >= g->nminimum)
        return zw_fail(err, ZW_E_OPTION, "--number %d: there are %d minima, counted from 0", number,
                       g->nminimum);
    ZW_TRY(zw_forced_gauss_axes(g, text, axis, err));
    double *x = ZW_NEW(&g->found, double, g->n + 1);
    if (!x)
        return zw_out_of_memory(err, NULL);
    if (number >= 0)
        memcpy(x, g->list[number].x, sizeof(double) * (size_t)g->n);
    ZW_TRY(zw_forced_gauss_begin(g, "surface", source, out, err));
    return zw_forced_gauss_end(out, fill_surface(g, axis, points, x, *out, err), err);
}
