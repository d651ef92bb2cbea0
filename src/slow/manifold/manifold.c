/* SPDX-License-Identifier: MIT */
/* Slow manifolds: from a system to its manifold. */
#include "manifold.h"

#include <stdio.h>
#include <string.h>

#include "base/append.h"
#include "base/arena.h"
#include "base/option.h"
#include "motion/jumps.h"

enum { ORDER = 1 }; /* default order */

void zw_manifold_options_init(zw_manifold_options *options, size_t size) {
    const zw_manifold_options all = {.size = size, .order = ORDER};
    zw_options_begin(options, size, &all, sizeof all);
}

zw_status zw_manifold_memory(zw_error *err) {
    return zw_out_of_memory(err, NULL);
}

static zw_status check_autonomous(const zw_manifold *m, zw_error *err) {
    for (int i = 0; i < m->rates.nentry; i++) {
        const zw_rated *e = &m->rates.entry[i];
        if (zw_depends(m->ctx, e->num, m->sys->t) || zw_depends(m->ctx, e->den, m->sys->t)) {
            zw_fail(err, ZW_E_MODEL, "the rate of %s depends on time", e->name);
            zw_error_hint(err,
                          "make time a state of the model, state s : s' = 1, and write s for t");
            return ZW_E_MODEL;
        }
    }
    return ZW_OK;
}

zw_status zw_manifold_rates(zw_manifold *m, zw_error *err) {
    ZW_TRY(zw_refuse_breaks(m->sys, ZW_E_MODEL, "slow manifolds are made of smooth motions", err));
    m->rates = (zw_explicit){.sys = m->sys, .ctx = m->ctx, .p = m->p};
    ZW_TRY(zw_explicit_find(&m->rates, &m->arena, err));
    return check_autonomous(m, err);
}

static bool is_linear(const zw_manifold *m) {
    int n = m->result.nx + m->result.ny;
    zw_arena *arena = (zw_arena *)&m->arena;
    zw_expr *z = ZW_NEW(arena, zw_expr, n), *coef = ZW_NEW(arena, zw_expr, n), rest;
    bool linear = z && coef;
    for (int i = 0; linear && i < n; i++)
        z[i] = i < m->result.nx ? m->x[i].sym : m->y[i - m->result.nx].sym;
    for (int i = 0; linear && i < m->result.nx; i++)
        linear = zw_linear(m->ctx, m->f[i], n, z, coef, &rest);
    for (int j = 0; linear && j < m->result.ny; j++)
        linear = zw_linear(m->ctx, m->g[j], n, z, coef, &rest) &&
                 !zw_depends_any(m->ctx, m->den[j], n, z);
    return linear;
}

static zw_status fill_result(zw_manifold *m, zw_error *err) {
    zw_manifold_result *r = &m->result;
    zw_manifold_entry *x = ZW_MANIFOLD_NEW(m, zw_manifold_entry, r->nx),
                      *y = ZW_MANIFOLD_NEW(m, zw_manifold_entry, r->ny);
    zw_expr *g = ZW_MANIFOLD_NEW(m, zw_expr, r->ny);
    if (m->arena.failed)
        return zw_manifold_memory(err);
    for (int i = 0; i < r->nx; i++)
        x[i] = (zw_manifold_entry){m->x[i].name, m->x[i].unit, m->x[i].sym, m->f[i]};
    for (int j = 0; j < r->ny; j++) {
        g[j] = zw_div(m->ctx, m->g[j], m->den[j]);
        y[j] = (zw_manifold_entry){m->y[j].name, m->y[j].unit, m->y[j].sym,
                                   zw_div(m->ctx, g[j], r->small)};
    }
    r->x = x;
    r->y = y;
    r->g = g;
    r->h = m->h;
    r->g_y = m->g_y;
    r->y_0 = m->y_0;
    r->linear = is_linear(m);
    return zw_context_status(m->ctx, err);
}

static zw_status build_manifold(zw_manifold *m, zw_error *err) {
    if (m->options.order < 0 || m->options.order > ZW_MANIFOLD_ORDER_MOST)
        return zw_fail(err, ZW_E_OPTION, "the order of the manifold is 0 to %d",
                       (int)ZW_MANIFOLD_ORDER_MOST);
    m->p = ZW_MANIFOLD_NEW(m, double, m->sys->np);
    if (m->arena.failed)
        return zw_manifold_memory(err);
    ZW_TRY(zw_system_param_values(m->sys, m->p, err));
    ZW_TRY(zw_manifold_rates(m, err));
    ZW_TRY(zw_manifold_split(m, err));
    ZW_TRY(zw_manifold_expand(m, err));
    return fill_result(m, err);
}

zw_status zw_manifold_create(zw_manifold **out, const zw_system *sys,
                             const zw_manifold_options *options, zw_error *err) {
    zw_allocator alloc = zw_context_allocator(sys->ctx);
    zw_manifold *m = zw_allocate(&alloc, sizeof *m);
    *out = NULL;
    if (!m)
        return zw_manifold_memory(err);
    *m = (zw_manifold){.sys = sys, .ctx = sys->ctx, .options = zw_manifold_options_default()};
    zw_arena_init(&m->arena, &alloc);
    zw_status status = options ? zw_options_adopt(&m->options, sizeof m->options, options,
                                                  "zw_manifold_options", err)
                               : ZW_OK;
    if (status >= 0)
        status = build_manifold(m, err);
    if (status < 0)
        zw_manifold_destroy(m);
    else
        *out = m;
    return status;
}

void zw_manifold_destroy(zw_manifold *m) {
    if (!m)
        return;
    zw_allocator alloc = m->arena.alloc;
    zw_arena_clear(&m->arena);
    zw_release(&alloc, m, sizeof *m);
}

const zw_manifold_result *zw_manifold_get(const zw_manifold *m) {
    return &m->result;
}
