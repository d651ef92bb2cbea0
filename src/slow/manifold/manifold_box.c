/* SPDX-License-Identifier: MIT */
/* The box of slow variables over which a manifold is judged and computed. A slow variable on which
 * neither the essential f nor g depends has no direction in it: positions on a plane, angles of a
 * symmetry. */
#include <math.h>
#include <string.h>

#include "base/option.h"
#include "manifold.h"

zw_status zw_manifold_start(zw_manifold *m, double *x, double *y, zw_error *err) {
    int n = m->sys->nq + m->sys->nv;
    zw_arena_mark mark = zw_arena_mark_now(&m->arena);
    double *z = ZW_MANIFOLD_NEW(m, double, n);
    bool *fixed = ZW_MANIFOLD_NEW(m, bool, n);
    if (m->arena.failed)
        return zw_manifold_memory(err);
    ZW_TRY(zw_system_start_state(m->sys, m->p, z, fixed, err));
    for (int i = 0; i < m->result.nx; i++)
        x[i] = z[m->x[i].index];
    for (int j = 0; j < m->result.ny; j++)
        y[j] = z[m->y[j].index];
    zw_arena_release(&m->arena, mark);
    return ZW_OK;
}

static bool is_used(const zw_manifold *m, int i, const bool *matters) {
    zw_expr sym = m->x[i].sym;
    for (int j = 0; j < m->result.ny; j++)
        if (zw_depends(m->ctx, m->g[j], sym) || zw_depends(m->ctx, m->den[j], sym))
            return true;
    for (int k = 0; k < m->result.nx; k++)
        if (matters[k] && zw_depends(m->ctx, m->f[k], sym))
            return true;
    return false;
}

static void find_matters(const zw_manifold *m, bool *matters) {
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < m->result.nx; i++)
            if (!matters[i] && is_used(m, i, matters))
                changed = matters[i] = true;
    }
}

static const zw_manifold_range *range_of(const zw_manifold_box *box, const char *name) {
    for (int i = 0; i < box->n; i++)
        if (strcmp(box->range[i].name, name) == 0)
            return &box->range[i];
    return NULL;
}

static zw_status check_names(const zw_manifold *m, const zw_manifold_box *box, zw_error *err) {
    const char *names[256];
    for (int i = 0; i < m->rates.nentry && i < 256; i++)
        names[i] = m->rates.entry[i].name;
    for (int i = 0; i < box->n; i++) {
        bool found = false;
        for (int k = 0; k < m->rates.nentry && !found; k++)
            found = strcmp(m->rates.entry[k].name, box->range[i].name) == 0;
        if (!found) {
            zw_fail(err, ZW_E_NAME, "--box: '%s' is neither a slow nor a fast variable",
                    box->range[i].name);
            const char *near = zw_nearest(box->range[i].name,
                                          m->rates.nentry < 256 ? m->rates.nentry : 256, names);
            if (near)
                zw_error_hint(err, "did you mean %s?", near);
            return ZW_E_NAME;
        }
        if (range_of(box, box->range[i].name) != &box->range[i])
            return zw_fail(err, ZW_E_OPTION, "--box: %s has two ranges", box->range[i].name);
        if (!(box->range[i].low < box->range[i].high))
            return zw_fail(err, ZW_E_OPTION, "--box: the range of %s is empty", box->range[i].name);
    }
    return ZW_OK;
}

static zw_status find_ranges(zw_manifold *m, const zw_manifold_box *box, zw_grid *g,
                             const bool *matters, zw_error *err) {
    for (int i = 0; i < m->result.nx; i++) {
        const zw_manifold_range *r = range_of(box, m->x[i].name);
        if (!matters[i] && !r)
            continue;
        if (!r) {
            zw_fail(err, ZW_E_OPTION, "the slow variable %s has no range", m->x[i].name);
            zw_error_hint(err, "--box %s=FROM:TO", m->x[i].name);
            return ZW_E_OPTION;
        }
        if (!matters[i])
            continue;
        g->of[g->n] = i;
        g->low[g->n] = r->low;
        g->high[g->n++] = r->high;
        g->x[i] = (r->low + r->high) / 2;
    }
    for (int j = 0; j < m->result.ny; j++) {
        const zw_manifold_range *r = range_of(box, m->y[j].name);
        double width = 3 * (1 + fabs(g->y[j]));
        g->y_low[j] = r ? r->low : g->y[j] - width;
        g->y_high[j] = r ? r->high : g->y[j] + width;
    }
    if (g->n == 0)
        return zw_fail(err, ZW_E_MODEL, "nothing depends on any slow variable");
    return ZW_OK;
}

zw_status zw_manifold_grid(zw_manifold *m, const zw_manifold_box *box, int most, zw_grid *out,
                           zw_error *err) {
    int nx = m->result.nx, ny = m->result.ny;
    bool *matters = ZW_MANIFOLD_NEW(m, bool, nx);
    *out = (zw_grid){.of = ZW_MANIFOLD_NEW(m, int, nx),
                     .low = ZW_MANIFOLD_NEW(m, double, nx),
                     .high = ZW_MANIFOLD_NEW(m, double, nx),
                     .x = ZW_MANIFOLD_NEW(m, double, nx),
                     .y = ZW_MANIFOLD_NEW(m, double, ny),
                     .y_low = ZW_MANIFOLD_NEW(m, double, ny),
                     .y_high = ZW_MANIFOLD_NEW(m, double, ny)};
    if (m->arena.failed)
        return zw_manifold_memory(err);
    ZW_TRY(check_names(m, box, err));
    ZW_TRY(zw_manifold_start(m, out->x, out->y, err));
    find_matters(m, matters);
    ZW_TRY(find_ranges(m, box, out, matters, err));
    out->points = box->points;
    for (int k = 2; out->points == 0 || k <= out->points; k++) {
        double size = pow(k, out->n);
        if (size > most && box->points == 0) {
            out->points = k > 2 ? k - 1 : 2;
            break;
        }
        if (k > 24 && box->points == 0) { /* more do not improve a smooth function */
            out->points = 24;
            break;
        }
    }
    out->size = 1;
    for (int k = 0; k < out->n; k++)
        out->size *= out->points;
    if (out->size > most || out->points < 2) {
        zw_fail(err, ZW_E_OPTION, "a box of %d directions with %d points each has %ld points",
                out->n, out->points, out->size);
        zw_error_hint(err, "use --points 2 or more, with at most %d points in all", most);
        return ZW_E_OPTION;
    }
    return ZW_OK;
}
