/* SPDX-License-Identifier: MIT */
/* Collocation: the equations, and access to the orbit. Rows are divided by the sizes of
 * the state. */
#include "collocation.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "num/flow/flow.h"
#include "num/linear/linalg.h"

enum { STAGES_MIN = 2, STAGES_MAX = 7, INTERVALS_MAX = 100000 };
/* Relative to the others: weight in the arclength of entries that symmetries move. They turn along
 * the orbit, often many times in a period, and would dominate the arclength; with 0 orbits that
 * differ in them alone would be at no distance. */
#define MOVED_WEIGHT 0.1
/* Relative to an interval: step of differences of a guess, which is corrected anyway. */
#define GUESS_DIFFERENCE 1e-3

void zw_colloc_options_init(zw_colloc_options *options, size_t size) {
    const zw_colloc_options all = {.size = size, .intervals = 20, .stages = 4, .unit = 1};
    zw_options_begin(options, size, &all, sizeof all);
}

/* ------------------------------------------------------------------------------------ lifecycle */

static double *copy_or(zw_arena *arena, const double *from, int n, double otherwise) {
    double *to = ZW_NEW(arena, double, n + 1);
    for (int i = 0; to && i < n; i++)
        to[i] = from ? from[i] : otherwise;
    return to;
}

/* S, from the full matrix or its diagonal */
static double *make_map(zw_arena *arena, const zw_colloc_options *o, int nx) {
    double *S = ZW_NEW(arena, double, nx *nx + 1);
    for (int i = 0; S && i < nx * nx; i++)
        S[i] = o->map ? o->map[i] : i % (nx + 1) ? 0 : o->sign ? o->sign[i / nx] : 1;
    return S;
}

/* is S invertible, so that the end follows from the beginning? */
static zw_status check_map(zw_colloc *c, zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(&c->arena);
    double *S = ZW_NEW(&c->arena, double, c->nx * c->nx + 1);
    int *pivot = ZW_NEW(&c->arena, int, c->nx + 1);
    if (c->arena.failed)
        return zw_out_of_memory(err, NULL);
    memcpy(S, c->map, sizeof(double) * (size_t)(c->nx * c->nx));
    bool regular = zw_num_lu(c->nx, S, pivot) > zw_num_pivot_floor(c->nx);
    zw_arena_release(&c->arena, mark);
    return regular ? ZW_OK
                   : zw_fail(err, ZW_E_OPTION, "the map by which an orbit closes is singular");
}

static zw_status check_options(const zw_colloc_options *o, int nx, zw_error *err) {
    if (o->stages < STAGES_MIN || o->stages > STAGES_MAX)
        return zw_fail(err, ZW_E_OPTION, "collocation has %d to %d points in an interval",
                       STAGES_MIN, STAGES_MAX);
    if (o->intervals < 1 || o->intervals > INTERVALS_MAX)
        return zw_fail(err, ZW_E_OPTION, "collocation has 1 to %d intervals", INTERVALS_MAX);
    for (int i = 0; o->scale && i < nx; i++)
        if (!(o->scale[i] > 0))
            return zw_fail(err, ZW_E_OPTION, "sizes of the state must be positive");
    return o->unit > 0 ? ZW_OK : zw_fail(err, ZW_E_OPTION, "the unit of a must be positive");
}

/* Weights of the nodes, after a change of mesh or sizes (MOVED_WEIGHT). */
static void update_metric(zw_colloc *c) {
    for (int r = 0; r < c->nx; r++)
        c->inverse[r] = 1 / c->scale[r];
    for (int j = 0; j < c->N; j++)
        for (int r = 0; r < c->nx; r++) {
            double part = (c->modulo.moved[r] ? MOVED_WEIGHT : 1) / c->step_scale[r];
            c->metric[j * c->nx + r] = c->ignorable[r] ? 0 : zw_colloc_weight(c, j) * part * part;
        }
}

zw_status zw_colloc_allocate(zw_colloc *c, int N, zw_error *err) {
    int nx = c->nx, m = c->m;
    zw_arena *a = &c->meshes;
    zw_arena_clear(a);
    zw_arena_init(a, &c->arena.alloc);
    c->N = N;
    c->mesh = ZW_NEW(a, double, N + 1);
    c->v = ZW_NEW(a, double, N *nx + 1);
    c->v_rate = ZW_NEW(a, double, N *nx + 1);
    c->projector = c->has_manifold ? ZW_NEW(a, double, N *nx *nx + 1) : NULL;
    c->moves = c->has_manifold ? ZW_NEW(a, double, N *nx + 1) : NULL;
    c->f = ZW_NEW(a, double, N *m *nx + 1);
    c->metric = ZW_NEW(a, double, N *nx + 1);
    c->phase_row = ZW_NEW(a, double, N *nx + 1);
    c->ends = ZW_NEW(a, double, N *nx + 1);
    c->state = ZW_NEW(a, double, 6 * nx + 1);
    c->work = ZW_NEW(a, double, (m + 2) * nx * nx + 1);
    if (!zw_colloc_factors_make(&c->factors, a, nx, m, N, c->nb) || a->failed)
        return zw_out_of_memory(err, NULL);
    for (int j = 0; j <= N; j++)
        c->mesh[j] = (double)j / N;
    update_metric(c);
    c->in_lanes = c->chained = false;
    return c->lanes.kernel ? zw_colloc_lanes_make(c, err) : ZW_OK;
}

/* without constraints the basis is the unit matrix */
static zw_status make_ends(zw_colloc *c, zw_error *err) {
    int nx = c->nx;
    c->dimension = nx;
    c->basis = ZW_NEW(&c->arena, double, nx *nx + 1);
    c->condition = ZW_NEW(&c->arena, double, nx + 1);
    c->by_first = ZW_NEW(&c->arena, double, (nx + 1) * nx);
    c->by_last = ZW_NEW(&c->arena, double, (nx + 1) * nx);
    c->by_a = ZW_NEW(&c->arena, double, nx + 1);
    for (int i = 0; c->basis && i < nx; i++)
        c->basis[i * nx + i] = 1;
    return zw_arena_status(&c->arena, err);
}

static zw_status build_collocation(zw_colloc *c, const zw_colloc_options *o, zw_error *err) {
    const zw_kernel *k = zw_flow_kernel(c->flow);
    int *entry = ZW_NEW(&c->arena, int, c->nx + 1);
    c->scale = copy_or(&c->arena, o->scale, c->nx, 1);
    c->step_scale = copy_or(&c->arena, o->scale, c->nx, 1);
    c->inverse = ZW_NEW(&c->arena, double, c->nx + 1);
    c->map = make_map(&c->arena, o, c->nx);
    c->turn = copy_or(&c->arena, o->turn, c->nx, 0);
    c->ignorable = ZW_NEW(&c->arena, bool, c->nx + 1);
    c->p = ZW_NEW(&c->arena, double, k->np + 1);
    if (c->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(check_map(c, err));
    int n = zw_flow_essential(c->flow, entry);
    for (int i = 0; i < c->nx; i++)
        c->ignorable[i] = !c->conditions;
    for (int i = 0; i < n; i++)
        c->ignorable[entry[i]] = false;
    c->has_manifold = zw_flow_levels(c->flow) > 0;
    if (c->has_manifold) {
        int ng = zw_flow_levels(c->flow);
        c->levels = ZW_NEW(&c->arena, double, ng *(c->nx + k->npar + 4) + 1);
        c->levels_order = ZW_NEW(&c->arena, int, ng + 1);
        if (c->arena.failed)
            return zw_out_of_memory(err, NULL);
    }
    ZW_TRY(zw_num_require(c->flow,
                          ZW_SET(JAC) | (k->npar > 0 ? ZW_SET(JAC_P) : 0) |
                              (c->free_period ? 0 : ZW_SET(TIME)),
                          "collocation", err));
    if (!c->conditions && zw_colloc_lanes_fit(c, o->lanes))
        c->lanes.kernel = o->lanes;
    ZW_TRY(zw_colloc_modulo_make(c, o, err));
    if (c->conditions)
        ZW_TRY(make_ends(c, err));
    return zw_colloc_allocate(c, o->intervals, err);
}

zw_status zw_colloc_create(zw_colloc **out, zw_flow *flow, const zw_colloc_options *options,
                           zw_colloc_set set, void *user, zw_error *err) {
    zw_colloc_options o = zw_colloc_options_default();
    zw_allocator alloc = zw_flow_kernel(flow)->alloc;
    *out = NULL;
    if (!alloc.fn)
        alloc = zw_allocator_default();
    if (options)
        ZW_TRY(zw_options_adopt(&o, sizeof o, options, "zw_colloc_options", err));
    ZW_TRY(check_options(&o, zw_flow_kernel(flow)->nx, err));
    zw_colloc *c = zw_allocate(&alloc, sizeof *c);
    if (!c)
        return zw_out_of_memory(err, NULL);
    *c = (zw_colloc){.flow = flow,
                     .nx = zw_flow_kernel(flow)->nx,
                     .m = o.stages,
                     .nb = o.is_period_free ? 2 : 1,
                     .free_period = o.is_period_free,
                     .start = o.start,
                     .unit = o.unit,
                     .conditions = o.ends,
                     .conditions_user = o.ends_user,
                     .set = set,
                     .user = user};
    zw_arena_init(&c->arena, &alloc);
    zw_arena_init(&c->meshes, &alloc);
    zw_gauss_init(&c->rule, o.stages);
    zw_status status = build_collocation(c, &o, err);
    if (status < 0)
        zw_colloc_destroy(c);
    else
        *out = c;
    return status;
}

void zw_colloc_destroy(zw_colloc *c) {
    if (!c)
        return;
    zw_allocator alloc = c->arena.alloc;
    zw_arena_clear(&c->meshes);
    zw_arena_clear(&c->arena);
    zw_release(&alloc, c, sizeof *c);
}

int zw_colloc_intervals(const zw_colloc *c) {
    return c->N;
}

const double *zw_colloc_mesh(const zw_colloc *c) {
    return c->mesh;
}

void zw_colloc_set_scale(zw_colloc *c, const double *scale, const double *step) {
    memcpy(c->scale, scale, sizeof(double) * (size_t)c->nx);
    memcpy(c->step_scale, step ? step : scale, sizeof(double) * (size_t)c->nx);
    update_metric(c);
}

zw_status zw_colloc_set_mesh(zw_colloc *c, const double *mesh, zw_error *err) {
    bool fits = mesh[0] == 0 && mesh[c->N] == 1;
    for (int j = 0; j < c->N; j++)
        fits &= mesh[j] < mesh[j + 1];
    if (!fits)
        return zw_fail(err, ZW_E_OPTION, "a mesh ascends from 0 to 1");
    memcpy(c->mesh, mesh, sizeof(double) * (size_t)(c->N + 1));
    update_metric(c);
    return ZW_OK;
}

/* ----------------------------------------------------------------------------------- the motion */

zw_status zw_colloc_set_value(zw_colloc *c, double a, zw_error *err) {
    double period = NAN, slope = 0;
    ZW_TRY(c->set(c->user, a, c->p, &period, &slope, err));
    if (!c->free_period && !(period > 0))
        return zw_fail(err, ZW_E_OPTION, "the period must be positive");
    c->period = period;
    c->value = a;
    c->slope = slope;
    if (c->lanes.kernel)
        zw_colloc_lanes_set(c);
    return zw_flow_set_parameters(c->flow, c->p, err);
}

double zw_colloc_period(const zw_colloc *c, const double *x) {
    return c->free_period ? x[zw_colloc_size(c) - 1] : c->period;
}

void zw_colloc_state(const zw_colloc *c, const double *x, double tau, double *state,
                     double *slope) {
    int j = 0, nx = c->nx, high = c->N;
    while (high - j > 1) { /* mesh[j] <= tau < mesh[high] */
        int mid = (j + high) / 2;
        *(tau < c->mesh[mid] ? &high : &j) = mid;
    }
    double h = zw_colloc_width(c, j), s = (tau - c->mesh[j]) / h;
    const double *u = zw_colloc_node(c, x, j);
    memcpy(state, u, sizeof(double) * (size_t)nx);
    if (slope)
        memset(slope, 0, sizeof(double) * (size_t)nx);
    for (int l = 0; l < c->m; l++) {
        const double *k = zw_colloc_slope(c, x, j, l);
        double part = 0, value = zw_gauss_lagrange(&c->rule, l, s);
        for (int i = 0; i < c->m; i++) /* the integral of a polynomial of degree m - 1 */
            part += s * c->rule.b[i] * zw_gauss_lagrange(&c->rule, l, s * c->rule.c[i]);
        for (int r = 0; r < nx; r++) {
            state[r] += h * part * k[r];
            if (slope)
                slope[r] += value * k[r];
        }
    }
}

zw_status zw_colloc_project_at(zw_colloc *c, const double *x, double *projector, zw_error *err) {
    int nx = c->nx, n;
    double *T = c->work, *D = T + (size_t)nx * (size_t)nx, period = zw_colloc_period(c, x);
    for (int j = 0; j < c->N; j++) {
        double *Q = projector + (size_t)j * (size_t)(nx * nx);
        ZW_TRY(zw_flow_tangent(c->flow, c->start + period * c->mesh[j], zw_colloc_node(c, x, j),
                               ZW_METRIC_PLAIN, &n, T, D, err));
        if (c->conditions && j == 0) {
            memcpy(c->basis, T, sizeof(double) * (size_t)(nx * n));
            c->dimension = n;
        }
        for (int r = 0; r < nx; r++)
            for (int s = 0; s < nx; s++) {
                Q[r * nx + s] = 0;
                for (int l = 0; l < n; l++)
                    Q[r * nx + s] += T[r * n + l] * D[l * nx + s];
            }
    }
    return ZW_OK;
}

zw_status zw_colloc_refer(zw_colloc *c, const double *x, double a, zw_error *err) {
    int nx = c->nx;
    double period;
    ZW_TRY(zw_colloc_set_value(c, a, err));
    period = zw_colloc_period(c, x);
    c->phase = 0;
    update_metric(c);
    for (int j = 0; j < c->N; j++) {
        double *v = c->v + (size_t)(j * nx), *rate = c->v_rate + (size_t)(j * nx),
               t = c->start + period * c->mesh[j];
        memcpy(v, zw_colloc_node(c, x, j), sizeof(double) * (size_t)nx);
        ZW_TRY(zw_flow_rates(c->flow, t, v, rate, NULL, err));
        for (int r = 0; r < nx; r++) {
            rate[r] = c->ignorable[r] ? 0 : rate[r] / (c->scale[r] * c->scale[r]);
            c->phase += zw_colloc_weight(c, j) * rate[r] * rate[r] * c->scale[r] * c->scale[r];
        }
    }
    if (c->has_manifold)
        ZW_TRY(zw_colloc_project_at(c, x, c->projector, err));
    c->renew = false;
    ZW_TRY(zw_colloc_modulo_refer(c, err));
    if (c->free_period && !c->conditions && !(c->phase > 0))
        return zw_fail(err, ZW_E_NUMERIC, "the orbit is a point: it has no phase");
    for (int j = 0; j < c->N; j++)
        for (int r = 0; r < nx; r++)
            c->phase_row[j * nx + r] =
                zw_colloc_weight(c, j) * c->v_rate[j * nx + r] / sqrt(fmax(c->phase, DBL_MIN));
    return ZW_OK;
}

zw_status zw_colloc_take(zw_colloc *c, const zw_orbit *orbit, double *x, zw_error *err) {
    int nx = c->nx;
    double *before = c->state, *after = c->state + nx;
    for (int j = 0; j < c->N; j++) {
        double *u = (double *)zw_colloc_node(c, x, j), h = zw_colloc_width(c, j);
        ZW_TRY(orbit->at(orbit->user, orbit->start + orbit->period * c->mesh[j], u, err));
        for (int i = 0; i < c->m; i++) { /* slopes by differences: Newton's method corrects them */
            double *k = (double *)zw_colloc_slope(c, x, j, i), small = GUESS_DIFFERENCE * h,
                   tau = c->mesh[j] + c->rule.c[i] * h;
            ZW_TRY(
                orbit->at(orbit->user, orbit->start + orbit->period * (tau - small), before, err));
            ZW_TRY(
                orbit->at(orbit->user, orbit->start + orbit->period * (tau + small), after, err));
            for (int r = 0; r < nx; r++)
                k[r] = (after[r] - before[r]) / (2 * small);
        }
    }
    if (c->free_period)
        x[zw_colloc_size(c) - 1] = orbit->period;
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------ equations */

/* U_ji */
static void stage_state(const zw_colloc *c, const double *x, int j, int i, double *U) {
    double h = zw_colloc_width(c, j);
    memcpy(U, zw_colloc_node(c, x, j), sizeof(double) * (size_t)c->nx);
    for (int l = 0; l < c->m; l++) {
        const double *k = zw_colloc_slope(c, x, j, l);
        for (int r = 0; r < c->nx; r++)
            U[r] += h * c->rule.a[i][l] * k[r];
    }
}

static zw_status slopes_residual(zw_colloc *c, const double *x, int j, double period, double *out,
                                 zw_error *err) {
    int nx = c->nx;
    double *U = c->state;
    for (int i = 0; i < c->m; i++) {
        double *f = c->f + (size_t)(j * c->m + i) * (size_t)nx,
               tau = c->mesh[j] + c->rule.c[i] * zw_colloc_width(c, j);
        const double *k = zw_colloc_slope(c, x, j, i);
        stage_state(c, x, j, i, U);
        zw_status status = zw_flow_rates(c->flow, c->start + period * tau, U, f, NULL, err);
        if (status < 0)
            return status == ZW_E_MEMORY ? status : ZW_RETRY;
        for (int r = 0; r < nx; r++)
            out[i * nx + r] = (k[r] - period * f[r]) / c->scale[r];
    }
    return ZW_OK;
}

/* the end of interval j */
static void end_of(const zw_colloc *c, const double *x, int j, double *end) {
    memcpy(end, zw_colloc_node(c, x, j), sizeof(double) * (size_t)c->nx);
    for (int i = 0; i < c->m; i++)
        for (int r = 0; r < c->nx; r++)
            end[r] += zw_colloc_width(c, j) * c->rule.b[i] * zw_colloc_slope(c, x, j, i)[r];
}

/* u - end, or on the manifold u - Q end - (1 - Q) M(u), in `end` */
static zw_status node_residual(zw_colloc *c, const double *x, int j, double period, double *end,
                               zw_error *err) {
    int nx = c->nx;
    const double *u = zw_colloc_node(c, x, j);
    double *near = c->state + nx, *out = c->state + 2 * nx;
    if (!c->has_manifold) {
        for (int r = 0; r < nx; r++)
            end[r] = u[r] - end[r];
        return ZW_OK;
    }
    const double *Q = c->projector + (size_t)j * (size_t)(nx * nx);
    memcpy(near, u, sizeof(double) * (size_t)nx);
    zw_status status = zw_flow_project(c->flow, c->start + period * c->mesh[j], near, NULL, err);
    if (status < 0)
        return status == ZW_E_MEMORY ? status : ZW_RETRY;
    for (int r = 0; r < nx; r++) {
        out[r] = u[r] - near[r];
        for (int s = 0; s < nx; s++)
            out[r] -= Q[r * nx + s] * (end[s] - near[s]);
    }
    memcpy(end, out, sizeof(double) * (size_t)nx);
    return ZW_OK;
}

zw_status zw_colloc_rates(zw_colloc *c, const double *x, zw_error *err) {
    double period = zw_colloc_period(c, x), *none = c->factors.e;
    if (c->lanes.kernel && zw_colloc_lanes_rates(c, x, period))
        return ZW_OK;
    for (int j = 0; j < c->N; j++) {
        zw_status status = slopes_residual(c, x, j, period, none, err);
        if (status != ZW_OK)
            return status;
    }
    return ZW_OK;
}

/* With the basis T of the tangent space at the first node: (1 - Q)(u_0 - M(u_0)) + T c(u_0, u_N) */
static zw_status open_residual(zw_colloc *c, const double *x, double period, double *end,
                               zw_error *err) {
    int nx = c->nx, n = c->dimension;
    const double *u = zw_colloc_node(c, x, 0);
    zw_status status = c->conditions(c->conditions_user, c->value, u, end, c->condition,
                                     c->by_first, c->by_last, c->by_a, err);
    if (status < 0)
        return status == ZW_E_MEMORY ? status : ZW_RETRY;
    for (int r = 0; r < nx; r++) {
        end[r] = u[r];
        for (int k = 0; k < n; k++)
            end[r] -= c->basis[r * n + k] * c->condition[k];
    }
    return node_residual(c, x, 0, period, end, err);
}

/* The residual of the first node in `end`, which holds the end of the last interval; finds the
 * symmetries by which it closes. */
static zw_status close_residual(zw_colloc *c, const double *x, double period, double *end,
                                zw_error *err) {
    int nx = c->nx;
    double *base = end + nx, *turned = base + nx;
    if (c->conditions)
        return open_residual(c, x, period, end, err);
    if (!c->modulo.ngroup) {
        for (int r = 0; r < nx; r++)
            end[r] -= c->turn[r];
        zw_colloc_turn(c, end, c->state);
        memcpy(end, c->state, sizeof(double) * (size_t)nx);
        return node_residual(c, x, 0, period, end, err);
    }
    zw_colloc_modulo_end(c, end, base, turned);
    memcpy(end, turned, sizeof(double) * (size_t)nx);
    zw_status status = node_residual(c, x, 0, period, end, err);
    return status == ZW_OK ? zw_colloc_modulo_find_theta(c, base, turned, end) : status;
}

zw_status zw_colloc_update_closing(zw_colloc *c, const double *x, zw_error *err) {
    double *end = c->state + 3 * c->nx;
    if (!c->modulo.ngroup)
        return ZW_OK;
    end_of(c, x, c->N - 1, end);
    zw_status status = close_residual(c, x, zw_colloc_period(c, x), end, err);
    return status == ZW_RETRY
               ? zw_fail(err, ZW_E_NUMERIC, "the orbit does not come back, however it is turned")
               : status;
}

static zw_status evaluate_residual(void *self, const double *x, double a, double *out,
                                   zw_error *err) {
    zw_colloc *c = self;
    int nx = c->nx, stride = nx * (c->m + 1);
    double *end = c->state + 3 * nx, period, phase = 0;
    bool in_lanes;
    ZW_TRY(zw_colloc_set_value(c, a, err));
    period = zw_colloc_period(c, x);
    if (!(period > 0))
        return ZW_RETRY;
    /* with the previous projectors Newton's method would converge slowly, or not at all */
    if (c->renew) {
        zw_status status = zw_colloc_project_at(c, x, c->projector, err);
        if (status < 0)
            return status == ZW_E_MEMORY ? status : ZW_RETRY;
        c->renew = false;
    }
    in_lanes = c->lanes.kernel && zw_colloc_lanes_rates(c, x, period);
    if (in_lanes)
        zw_colloc_lanes_slopes(c, period, out, c->ends);
    for (int j = 0; j < c->N; j++) {
        zw_status status =
            in_lanes ? ZW_OK : slopes_residual(c, x, j, period, out + j * stride + nx, err);
        if (status != ZW_OK)
            return status;
        if (in_lanes)
            memcpy(end, c->ends + (size_t)(j * nx), sizeof(double) * (size_t)nx);
        else
            end_of(c, x, j, end);
        int to = j + 1 < c->N ? j + 1 : 0;
        status = to == 0 ? close_residual(c, x, period, end, err)
                         : node_residual(c, x, to, period, end, err);
        if (status != ZW_OK)
            return status;
        for (int r = 0; r < nx; r++) {
            const double *u = zw_colloc_node(c, x, to);
            if (to == 0 && c->ignorable[r])
                end[r] = u[r] - c->v[r];
            out[to * stride + r] = end[r] * c->inverse[r];
            phase += c->phase_row[to * nx + r] * (u[r] - c->v[to * nx + r]);
        }
    }
    if (c->modulo.ngroup || c->modulo.nfree)
        zw_colloc_modulo_residual(c, x, out);
    if (c->free_period)
        out[c->N * stride] = c->conditions ? c->condition[c->dimension] : phase;
    return ZW_OK;
}

/* the sum over the nodes */
static double inner_product(void *self, const double *u, const double *v) {
    const zw_colloc *c = self;
    double sum = 0;
    for (int j = 0; j < c->N; j++) {
        const double *a = zw_colloc_node(c, u, j), *b = zw_colloc_node(c, v, j);
        const double *weight = c->metric + (size_t)(j * c->nx);
        for (int r = 0; r < c->nx; r++)
            sum += weight[r] * a[r] * b[r];
    }
    return sum;
}

static void dual_vector(void *self, const double *u, double *row) {
    const zw_colloc *c = self;
    memset(row, 0, sizeof(double) * (size_t)zw_colloc_size(c));
    for (int j = 0; j < c->N; j++) {
        const double *a = zw_colloc_node(c, u, j);
        double *to = row + (a - u);
        for (int r = 0; r < c->nx; r++)
            to[r] = c->metric[j * c->nx + r] * a[r];
    }
}

zw_cont_problem zw_colloc_problem(zw_colloc *c) {
    return (zw_cont_problem){.self = c,
                             .n = zw_colloc_size(c),
                             .unit = c->unit,
                             .residual = evaluate_residual,
                             .factor = zw_colloc_factor,
                             .solve = zw_colloc_solve,
                             .inner = inner_product,
                             .dual = dual_vector};
}
