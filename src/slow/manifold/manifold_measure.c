/* SPDX-License-Identifier: MIT */
/* Measured errors of the orders of the expansion: the distance of y_0 + eps h_1 + ... + eps^k h_k
 * from the manifold by collocation, and of the slow variables of the reduced flow, run as the model
 * that zw_manifold_model writes, from those of the whole model started on the manifold. Both should
 * decrease as eps^(k+1). */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/tolerance.h"
#include "manifold_collocate.h"
#include "motion/notes.h"
#include "zwang/simulate.h"

#define AT_REST 1e-6 /* of the box: a smaller range of a run is no scale for errors */
enum { ROWS = 20 };  /* of a run, at which motions are compared */
/* of runs: the smallest that integrators meet, so that small errors of the orders are measured */
#define RUN_TOLERANCE 1e-12
#define RUN_ERROR 1e3 /* tolerances: error of a run over its whole time */

zw_status zw_manifold_at(const zw_manifold *m, int order, const double *x, double eps, double *y_0,
                         double *y, zw_error *err) {
    int n = m->result.ny;
    double power = eps, part[ZW_MANIFOLD_FAST_MOST];
    ZW_TRY(zw_manifold_critical(m, x, y_0, err));
    memcpy(y, y_0, (size_t)n * sizeof *y);
    for (int k = 1; k <= order; k++, power *= eps) {
        zw_manifold_values(m, n, m->h + k * n, x, y_0, eps, part);
        for (int j = 0; j < n; j++)
            y[j] += power * part[j];
    }
    return ZW_OK;
}

static zw_status measure_manifold(zw_patch *p, zw_patch *coarse, int level, zw_manifold_errors *out,
                                  zw_error *err) {
    zw_manifold *m = p->m;
    int n = m->result.ny;
    double y_0[ZW_MANIFOLD_FAST_MOST], y[ZW_MANIFOLD_FAST_MOST], size = 0;
    ZW_TRY(zw_patch_solve(p, out->eps[level], err));
    for (long i = 0; i < p->grid.size * n; i++)
        size = fmax(size, fabs(p->H[i]));
    for (int k = 0; k <= m->result.norder; k++) {
        double worst = 0;
        for (long i = 0; i < p->grid.size; i++) {
            zw_patch_place(p, i, p->x);
            memcpy(y_0, p->y_0 + i * n, (size_t)n * sizeof *y_0);
            ZW_TRY(zw_manifold_at(m, k, p->x, out->eps[level], y_0, y, err));
            for (int j = 0; j < n; j++)
                worst = fmax(worst, fabs(y[j] - p->H[i * n + j]));
        }
        out->manifold[level][k] = worst / (size > 0 ? size : 1);
    }
    long node;
    out->residual[level] = p->residual / (size > 0 ? size : 1);
    out->change[level] = zw_patch_change(p, coarse, &node);
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------------- flows */

static zw_status simulate_system(const zw_system *sys, int nstart, const zw_sim_number *start,
                                 const zw_sim_number *eps, double time, zw_sim **out,
                                 zw_error *err) {
    zw_sim_options o = zw_sim_options_default();
    zw_sim_numbers numbers = {0, nstart, eps, start};
    for (int i = 0; i < sys->np; i++) /* order 0 does not contain it */
        if (strcmp(sys->param[i].name, eps->name) == 0)
            numbers.nparam = 1;
    o.until = time;
    o.step_out = time / ROWS;
    o.run.rtol = o.run.atol = RUN_TOLERANCE;
    o.numbers = &numbers;
    ZW_TRY(zw_sim_create(out, sys, NULL, &o, err));
    return zw_sim_run(*out, err);
}

/* The range of the box of slow variable i; 0 if it has none. */
static double width_of(const zw_grid *g, int i) {
    for (int d = 0; d < g->n; d++)
        if (g->of[d] == i)
            return g->high[d] - g->low[d];
    return 0;
}

/* The largest difference of a slow variable, relative to its range along the run; a range that is
 * round-off, as at a rest in the middle of the box, is no scale. */
static double largest_difference(const zw_manifold *m, const zw_grid *g, const zw_table *whole,
                                 const zw_table *reduced) {
    double worst = 0;
    long rows = zw_table_rows(whole) < zw_table_rows(reduced) ? zw_table_rows(whole)
                                                              : zw_table_rows(reduced);
    if (rows < ROWS)
        return NAN;
    for (int i = 0; i < m->result.nx; i++) {
        int a = zw_table_find(whole, m->x[i].name),
            b = zw_table_find(reduced, zw_explicit_plain_name(&m->rates, m->x[i].name));
        double low = INFINITY, high = -INFINITY, most = 0;
        for (long k = 0; a >= 0 && b >= 0 && k < rows; k++) {
            double v = zw_table_at(whole, k, a);
            low = fmin(low, v);
            high = fmax(high, v);
            most = fmax(most, fabs(v - zw_table_at(reduced, k, b)));
        }
        double range = fmax(high - low, AT_REST * width_of(g, i));
        if (range > 0)
            worst = fmax(worst, most / range);
    }
    return worst;
}

typedef struct comparison {
    zw_manifold *m;
    zw_patch *patch;
    double time, *x, *y_0, *y;
    zw_sim_number eps, *start;
} comparison;

static zw_status run_reduced(comparison *c, int order, zw_sim **out, zw_context **ctx,
                             zw_error *err) {
    zw_manifold *m = c->m;
    zw_system *sys;
    int n = 0;
    char *text = zw_manifold_model(m, order, NULL, err);
    if (!text)
        return err && err->status < 0 ? err->status : ZW_E_MEMORY;
    *ctx = zw_context_create(NULL);
    zw_status status = *ctx ? zw_model_parse(&sys, *ctx, text, strlen(text), "reduced", NULL, err)
                            : zw_manifold_memory(err);
    zw_string_free(m->ctx, text);
    ZW_TRY(status);
    for (int i = 0; i < m->result.nx; i++)
        c->start[n++] = (zw_sim_number){.name = zw_explicit_plain_name(&m->rates, m->x[i].name),
                                        .value = c->x[i]};
    for (int j = 0; !m->result.closed && j < m->result.ny; j++)
        c->start[n++] =
            (zw_sim_number){.name = zw_expr_name(m->ctx, m->y_0[j]), .value = c->y_0[j]};
    return simulate_system(sys, n, c->start, &c->eps, c->time, out, err);
}

static zw_status measure_flow(comparison *c, int level, zw_manifold_errors *out, zw_error *err) {
    zw_manifold *m = c->m;
    zw_sim *whole = NULL;
    int n = 0;
    c->eps =
        (zw_sim_number){.name = zw_expr_name(m->ctx, m->result.small), .value = out->eps[level]};
    zw_patch_at(c->patch, c->x, c->y, NULL);
    for (int i = 0; i < m->result.nx; i++)
        c->start[n++] = (zw_sim_number){.name = m->x[i].name, .value = c->x[i]};
    for (int j = 0; j < m->result.ny; j++)
        c->start[n++] = (zw_sim_number){.name = m->y[j].name, .value = c->y[j]};
    zw_status status = simulate_system(m->sys, n, c->start, &c->eps, c->time, &whole, err);
    for (int k = 0; status >= 0 && k <= m->result.norder; k++) {
        zw_context *ctx = NULL;
        zw_sim *reduced = NULL;
        status = run_reduced(c, k, &reduced, &ctx, err);
        if (status >= 0)
            out->flow[level][k] =
                largest_difference(m, &c->patch->grid, zw_sim_rows(whole), zw_sim_rows(reduced));
        zw_sim_destroy(reduced);
        zw_context_destroy(ctx);
    }
    zw_sim_destroy(whole);
    return status;
}

/* --------------------------------------------------------------------------------------- slopes */

/* From the last two levels at which all errors are above what can be measured. */
static double slope_of(const zw_manifold_errors *e, bool flow, int k) {
    double slope = NAN;
    for (int l = 1; l < e->nlevel; l++) {
        double a = flow ? e->flow[l - 1][k] : e->manifold[l - 1][k],
               b = flow ? e->flow[l][k] : e->manifold[l][k],
               floor =
                   flow ? RUN_ERROR * RUN_TOLERANCE : fmax(ZW_ROUNDOFF_SUM, 10 * e->residual[l]);
        if (b > floor && a > floor)
            slope = log(a / b) / log(e->eps[l - 1] / e->eps[l]);
    }
    return slope;
}

/* Runs of the whole model stay near the manifold only if it attracts: otherwise they show the
 * growth of round-off. */
static zw_status check_attraction(zw_manifold *m, const zw_manifold_box *box, zw_error *err) {
    zw_manifold_nature n;
    ZW_TRY(zw_manifold_judge(m, box, &n, err));
    if (n.attracting == n.npoint)
        return ZW_OK;
    zw_fail(err, ZW_E_NUMERIC,
            "the manifold does not attract over the whole box, and runs of the whole model leave "
            "it: the error of the reduced flow cannot be measured");
    zw_error_hint(err, "use --measure without --time for the manifold alone");
    return ZW_E_NUMERIC;
}

zw_status zw_manifold_measure(zw_manifold *m, const zw_manifold_box *box, int nlevel, double time,
                              zw_manifold_errors *out, zw_error *err) {
    zw_patch p, coarse;
    *out = (zw_manifold_errors){.nlevel = nlevel};
    if (nlevel < 1 || nlevel > ZW_MANIFOLD_LEVELS_MOST)
        return zw_fail(err, ZW_E_OPTION, "--measure: 1 to %d values of the small parameter",
                       (int)ZW_MANIFOLD_LEVELS_MOST);
    if (time > 0)
        ZW_TRY(check_attraction(m, box, err));
    ZW_TRY(zw_patch_make(&p, m, box, err));
    ZW_TRY(zw_patch_make_coarser(&coarse, &p, err));
    out->npoint = (int)p.grid.size;
    comparison c = {.m = m,
                    .patch = &p,
                    .time = time,
                    .x = p.grid.x,
                    .y_0 = ZW_MANIFOLD_NEW(m, double, m->result.ny),
                    .y = ZW_MANIFOLD_NEW(m, double, m->result.ny),
                    .start = ZW_MANIFOLD_NEW(m, zw_sim_number, m->rates.nentry + m->result.ny)};
    if (m->arena.failed)
        return zw_manifold_memory(err);
    memcpy(c.y_0, p.grid.y, (size_t)m->result.ny * sizeof *c.y_0);
    ZW_TRY(zw_manifold_critical(m, c.x, c.y_0, err));
    for (int l = 0; l < nlevel; l++) {
        out->eps[l] = m->result.eps / pow(2, l);
        for (int k = 0; k <= ZW_MANIFOLD_ORDER_MOST; k++)
            out->flow[l][k] = NAN;
        ZW_TRY(measure_manifold(&p, &coarse, l, out, err));
        if (time > 0)
            ZW_TRY(measure_flow(&c, l, out, err));
    }
    for (int k = 0; k <= ZW_MANIFOLD_ORDER_MOST; k++) {
        out->slope[k] = k <= m->result.norder ? slope_of(out, false, k) : NAN;
        out->flow_slope[k] = k <= m->result.norder ? slope_of(out, true, k) : NAN;
    }
    return ZW_OK;
}

/* -------------------------------------------------------------------------------------- a table */

static zw_status name_columns(const zw_manifold *m, const zw_grid *g, zw_table *t) {
    char name[200];
    for (int d = 0; d < g->n; d++)
        ZW_TRY(zw_table_column(t, m->x[g->of[d]].name, m->x[g->of[d]].unit));
    for (int j = 0; j < m->result.ny; j++) {
        ZW_TRY(zw_table_column(t, m->y[j].name, m->y[j].unit));
        for (int k = 0; k <= m->result.norder; k++) {
            snprintf(name, sizeof name, "order%d(%.150s)", k, m->y[j].name);
            ZW_TRY(zw_table_column(t, name, m->y[j].unit));
        }
    }
    return ZW_OK;
}

static zw_status fill_rows(zw_patch *p, bool solved, int points, zw_table *t, zw_error *err) {
    zw_manifold *m = p->m;
    const zw_grid *g = &p->grid;
    int ny = m->result.ny, width = g->n + ny * (m->result.norder + 2);
    double *row = ZW_MANIFOLD_NEW(m, double, width), y_0[ZW_MANIFOLD_FAST_MOST],
           y[ZW_MANIFOLD_FAST_MOST], value[ZW_MANIFOLD_FAST_MOST];
    if (!row)
        return zw_manifold_memory(err);
    long size = lround(pow(points, g->n));
    memcpy(y_0, g->y, (size_t)ny * sizeof *y_0);
    for (long k = 0, rest; k < size; k++) {
        memcpy(p->x, g->x, (size_t)m->result.nx * sizeof *p->x);
        rest = k;
        for (int d = g->n - 1; d >= 0; d--, rest /= points) {
            double part = (double)(rest % points) / (points - 1);
            p->x[g->of[d]] = row[d] = g->low[d] + part * (g->high[d] - g->low[d]);
        }
        zw_patch_at(p, p->x, value, NULL);
        for (int order = 0; order <= m->result.norder; order++) {
            ZW_TRY(zw_manifold_at(m, order, p->x, p->eps, y_0, y, err));
            for (int j = 0; j < ny; j++)
                row[g->n + j * (m->result.norder + 2) + 1 + order] = y[j];
        }
        for (int j = 0; j < ny; j++)
            row[g->n + j * (m->result.norder + 2)] = solved ? value[j] : NAN;
        if (zw_table_row(t, row) < 0)
            return zw_table_out_of_memory(t, err);
    }
    return ZW_OK;
}

static zw_status judge_solution(zw_patch *p, zw_manifold_trust *trust, zw_error *err) {
    zw_patch coarse;
    long node;
    double *x = ZW_MANIFOLD_NEW(p->m, double, p->m->result.nx);
    if (!x)
        return zw_manifold_memory(err);
    ZW_TRY(zw_patch_make_coarser(&coarse, p, err));
    trust->change = zw_patch_change(p, &coarse, &node);
    zw_patch_place(p, node, x);
    trust->x = x;
    return ZW_OK;
}

zw_status zw_manifold_surface(zw_manifold *m, const zw_manifold_box *box,
                              const zw_model_source *source, zw_manifold_trust *trust,
                              zw_table **out, zw_error *err) {
    assert(out);
    zw_error why = {0};
    zw_allocator alloc = zw_context_allocator(m->ctx);
    zw_patch p;
    *out = NULL;
    *trust = (zw_manifold_trust){.change = NAN};
    ZW_TRY(zw_patch_make(&p, m, box, err));
    trust->solved = zw_patch_solve(&p, m->result.eps, &why) >= 0;
    p.eps = m->result.eps;
    if (trust->solved)
        ZW_TRY(judge_solution(&p, trust, err));
    zw_table *t = zw_table_create(&alloc);
    if (!t)
        return zw_manifold_memory(err);
    zw_status status = name_columns(m, &p.grid, t);
    if (status >= 0)
        status = zw_study_origin(t, m->sys, "lagrange", m->p, NULL, source, "slow manifold");
    int points = p.grid.n == 1 ? 201 : p.grid.n == 2 ? 41 : 11;
    char drawn[40];
    snprintf(drawn, sizeof drawn, "mesh %d", points);
    if (status >= 0 && p.grid.n == 2)
        status = zw_table_note(t, "drawn", drawn);
    if (status >= 0)
        status = fill_rows(&p, trust->solved, points, t, err);
    if (status < 0)
        zw_table_destroy(t);
    else
        *out = t;
    return status;
}
