/* SPDX-License-Identifier: MIT */
/* A portrait of the flow on a manifold of two slow variables: motions of the model that
 * zw_manifold_model writes, from the middles of the cells of a box. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "manifold.h"
#include "motion/notes.h"
#include "zwang/simulate.h"

enum {
    ROWS = 200,        /* of a motion */
    COLUMNS_MOST = 128 /* of a table */
};

typedef struct portrait {
    zw_manifold *m;
    zw_grid grid;
    zw_context *ctx;
    zw_sim *sim;
    zw_table *t;
    int ncolumn, column[COLUMNS_MOST]; /* of the rows of the simulation, by those of t */
    double row[COLUMNS_MOST];
    zw_sim_number start[COLUMNS_MOST];
} portrait;

static zw_status add_column(portrait *a, const char *name, const char *unit, const char *in) {
    if (a->ncolumn == COLUMNS_MOST)
        return ZW_OK;
    a->column[a->ncolumn++] = zw_table_find(zw_sim_rows(a->sim), in);
    return zw_table_column(a->t, name, unit);
}

static zw_status name_columns(portrait *a) {
    const zw_manifold *m = a->m;
    for (int d = 0; d < 2; d++) {
        const zw_rated *x = &m->x[a->grid.of[d]];
        ZW_TRY(add_column(a, x->name, x->unit, zw_explicit_plain_name(&m->rates, x->name)));
    }
    ZW_TRY(add_column(a, "t", "s", "t"));
    for (int i = 0; i < m->result.nx; i++)
        if (i != a->grid.of[0] && i != a->grid.of[1])
            ZW_TRY(add_column(a, m->x[i].name, m->x[i].unit,
                              zw_explicit_plain_name(&m->rates, m->x[i].name)));
    for (int j = 0; j < m->result.ny; j++)
        ZW_TRY(add_column(a, m->y[j].name, m->y[j].unit,
                          zw_explicit_plain_name(&m->rates, m->y[j].name)));
    return ZW_OK;
}

static zw_status build_artist(portrait *a, int order, double time, zw_error *err) {
    zw_sim_options o = zw_sim_options_default();
    zw_system *sys;
    char *text = zw_manifold_model(a->m, order, NULL, err);
    if (!text)
        return err && err->status < 0 ? err->status : ZW_E_MEMORY;
    a->ctx = zw_context_create(NULL);
    zw_status status = a->ctx
                           ? zw_model_parse(&sys, a->ctx, text, strlen(text), "reduced", NULL, err)
                           : zw_manifold_memory(err);
    zw_string_free(a->m->ctx, text);
    ZW_TRY(status);
    o.until = time;
    o.step_out = time / ROWS;
    return zw_sim_create(&a->sim, sys, NULL, &o, err);
}

/* A motion from the middle of cell k, as long as it stays in the box. */
static zw_status draw_motion(portrait *a, int n, int k, zw_error *err) {
    zw_manifold *m = a->m;
    const zw_grid *g = &a->grid;
    zw_sim_numbers numbers = {.start = a->start};
    double point[2], y_0[ZW_MANIFOLD_FAST_MOST];
    zw_error why = {0};
    for (int d = 0; d < 2; d++) {
        int cell = d ? k / n : k % n;
        point[d] = g->low[d] + (cell + 0.5) / n * (g->high[d] - g->low[d]);
        g->x[g->of[d]] = point[d];
        a->start[numbers.nstart++] = (zw_sim_number){
            .name = zw_explicit_plain_name(&m->rates, m->x[g->of[d]].name), .value = point[d]};
    }
    memcpy(y_0, g->y, (size_t)m->result.ny * sizeof *y_0);
    if (zw_manifold_critical(m, g->x, y_0, &why) != ZW_OK)
        return ZW_OK; /* there is no manifold */
    for (int j = 0; !m->result.closed && j < m->result.ny; j++)
        a->start[numbers.nstart++] =
            (zw_sim_number){.name = zw_expr_name(m->ctx, m->y_0[j]), .value = y_0[j]};
    ZW_TRY(zw_sim_restart(a->sim, &numbers, err));
    /* a motion that ends at a fold is drawn up to there */
    zw_status status = zw_sim_run(a->sim, &why);
    if (status == ZW_E_MEMORY)
        return zw_manifold_memory(err);
    const zw_table *rows = zw_sim_rows(a->sim);
    for (long i = 0; i < zw_table_rows(rows); i++) {
        bool inside = true;
        for (int c = 0; c < a->ncolumn; c++)
            a->row[c] = a->column[c] < 0 ? NAN : zw_table_at(rows, i, a->column[c]);
        for (int d = 0; d < 2; d++)
            inside = inside && a->row[d] >= g->low[d] && a->row[d] <= g->high[d];
        if (!inside)
            break;
        ZW_TRY(zw_table_row(a->t, a->row));
    }
    for (int c = 0; c < a->ncolumn; c++)
        a->row[c] = NAN;
    return zw_table_row(a->t, a->row);
}

zw_status zw_manifold_portrait(zw_manifold *m, int order, const zw_manifold_box *box, int n,
                               double time, const zw_model_source *source, zw_table **out,
                               zw_error *err) {
    assert(out);
    zw_allocator alloc = zw_context_allocator(m->ctx);
    portrait *a = ZW_MANIFOLD_NEW(m, portrait, 1);
    *out = NULL;
    if (!a)
        return zw_manifold_memory(err);
    a->m = m;
    ZW_TRY(zw_manifold_grid(m, box, 4000, &a->grid, err));
    if (a->grid.n != 2 || n < 1 || !(time > 0)) {
        zw_fail(err, ZW_E_OPTION, "a portrait needs two slow variables, and there are %d",
                a->grid.n);
        zw_error_hint(err, "for more of them, run the reduced model of --out FILE.zw");
        return ZW_E_OPTION;
    }
    zw_status status = build_artist(a, order, time, err);
    if (status >= 0 && !(a->t = zw_table_create(&alloc)))
        status = zw_manifold_memory(err);
    if (status >= 0)
        status = zw_study_origin(a->t, m->sys, "lagrange", m->p, NULL, source, "portrait");
    if (status >= 0)
        status = zw_table_note(a->t, "drawn", "orbits");
    if (status >= 0)
        status = name_columns(a);
    for (int k = 0; status >= 0 && k < n * n; k++)
        status = draw_motion(a, n, k, err);
    zw_sim_destroy(a->sim);
    zw_context_destroy(a->ctx);
    if (status < 0)
        zw_table_destroy(a->t);
    else
        *out = a->t;
    return status;
}
