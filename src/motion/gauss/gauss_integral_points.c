/* SPDX-License-Identifier: MIT */
/* Bounds c = sign*(value - limit) <= 0 at any points of the period. A bound with the gradient f =
 * dc/dq would act with the force -lambda f, lambda >= 0. The lambda that minimises the Gaussian of
 * e = M q'' - h at a point, |e + lambda f| in the norm of M^-1, is
 *
 *     lambda = -f' M^-1 e/(f' M^-1 f),
 *
 * for one coordinate e itself with the opposite sign. It is NaN for systems with constraints or
 * with velocities that are functions of their own. */
#include "gauss_integral_points.h"
#include "base/arena.h"

#include <math.h>
#include <string.h>

enum { LANES = 8 };

static zw_status check_bounds(const zw_gauss_integral *g, const zw_gauss_bound_options *o,
                              zw_error *err) {
    const zw_kernel *k = g->gaussian.period.kernel;
    for (int i = 0; i < o->nbound; i++) {
        const zw_gauss_bound *b = &o->bound[i];
        int count = b->observable ? k->nobs : g->gaussian.moving;
        if (b->index < 0 || b->index >= count)
            return zw_fail(err, ZW_E_OPTION, "bound %d is of no %s of the system", i + 1,
                           b->observable ? "observable" : "coordinate");
        if (b->observable && !zw_kernel_has(k, ZW_SET(OBS) | ZW_SET(OBS_JAC)))
            return zw_fail(err, ZW_E_OPTION,
                           "bounds of observables need the kernel's ZW_FN_OBS and ZW_FN_OBS_JAC");
        if (b->sign != 1 && b->sign != -1)
            return zw_fail(err, ZW_E_OPTION, "bound %d is neither an upper nor a lower one", i + 1);
    }
    return ZW_OK;
}

zw_status zw_gauss_points_make(zw_gauss_points *s, zw_arena *arena, zw_gauss_integral *g,
                               const zw_gauss_bound_options *bounds, int points_max,
                               zw_error *err) {
    const zw_period *p = &g->gaussian.period;
    const zw_kernel *k = p->kernel;
    int n = points_max * bounds->nbound;
    *s = (zw_gauss_points){
        .g = g, .bounds = bounds, .capacity = (points_max + LANES - 1) / LANES * LANES};
    ZW_TRY(check_bounds(g, bounds, err));
    s->tau = ZW_NEW(arena, double, s->capacity);
    s->value = ZW_NEW(arena, double, n + 1);
    s->slope = ZW_NEW(arena, double, (size_t)n *(size_t)g->gaussian.unknowns + 1);
    s->force = ZW_NEW(arena, double, n + 1);
    s->t = ZW_NEW(arena, double, s->capacity);
    s->x = ZW_NEW(arena, double, s->capacity * k->nx + 1);
    s->z = ZW_NEW(arena, double, s->capacity * k->nz + 1);
    s->obs = ZW_NEW(arena, double, s->capacity * p->size[ZW_FN_OBS] + 1);
    s->obs_jac = ZW_NEW(arena, double, s->capacity * p->size[ZW_FN_OBS_JAC] + 1);
    s->mats = ZW_NEW(arena, double, s->capacity * p->size[ZW_FN_MATS] + 1);
    return zw_arena_status(arena, err);
}

static double entry_value(const double *out, int size, int i, int entry) {
    return out[((i / LANES) * size + entry) * LANES + i % LANES];
}

/* state and accelerations at all points; the lanes that fill the last group repeat the first
 * point */
static void update_states(zw_gauss_points *s, const double *x) {
    const zw_period *p = &s->g->gaussian.period;
    const zw_kernel *k = p->kernel;
    for (int i = 0; i < (s->points + LANES - 1) / LANES * LANES; i++) {
        double tau = s->tau[i < s->points ? i : 0];
        size_t group = (size_t)(i / LANES * LANES), lane = (size_t)(i % LANES);
        s->t[i] = tau / p->w;
        zw_period_state(p, x, tau, s->x + group * (size_t)k->nx + lane,
                        s->z + group * (size_t)k->nz + lane);
    }
}

static void call_kernel(zw_gauss_points *s, zw_function_name name, double *out) {
    const zw_period *p = &s->g->gaussian.period;
    const zw_kernel *k = p->kernel;
    for (int i = 0; i * LANES < s->points; i++) {
        const zw_args in = {.t = s->t + (size_t)(i * LANES),
                            .x = s->x + (size_t)(i * LANES * k->nx),
                            .z = s->z + (size_t)(i * LANES * k->nz),
                            .u = p->input,
                            .c = p->cache};
        zw_kernel_call(k, name, &in, out + (size_t)(i * LANES * p->size[name]), p->work);
    }
}

/* the derivative of a bound with respect to y^(order) of a function */
static double bound_derivative(const zw_gauss_points *s, const zw_gauss_bound *b, int i,
                               int function, int order) {
    const zw_period *p = &s->g->gaussian.period;
    const zw_kernel *k = p->kernel;
    int size = p->size[ZW_FN_OBS_JAC];
    if (!b->observable)
        return order == 0 && function == b->index ? 1 : 0;
    int first = (k->nobs + 2) * k->nx; /* first derivative with respect to z */
    if (p->plain)
        return order < 2
                   ? entry_value(s->obs_jac, size, i, b->index * k->nx + order * k->nq + function)
                   : entry_value(s->obs_jac, size, i, first + b->index * k->nz + function);
    if (order == 0)
        return entry_value(s->obs_jac, size, i, b->index * k->nx + function);
    return order == 1 && function >= k->nq
               ? entry_value(s->obs_jac, size, i, first + b->index * k->nz + function - k->nq)
               : 0;
}

static void add_slopes(zw_gauss_points *s, int at, const zw_gauss_bound *b, int i) {
    const zw_gaussian *g = &s->g->gaussian;
    const zw_fourier *f = &g->period.fourier;
    double *row = s->slope + (size_t)at * (size_t)g->unknowns;
    memset(row, 0, sizeof(double) * (size_t)g->unknowns);
    for (int j = 0; j < g->moving; j++)
        for (int order = 0; order < g->orders; order++) {
            double part = b->sign * bound_derivative(s, b, i, j, order) * pow(g->period.w, order);
            for (int c = 0; part != 0 && c < f->n; c++)
                row[j * f->n + c] += part * zw_fourier_base(f, c, order, s->tau[i]);
        }
}

void zw_gauss_points_evaluate(zw_gauss_points *s, const double *x, bool slopes) {
    const zw_period *p = &s->g->gaussian.period;
    const zw_kernel *k = p->kernel;
    bool observed = false;
    for (int b = 0; b < s->bounds->nbound; b++)
        observed |= s->bounds->bound[b].observable;
    update_states(s, x);
    if (observed)
        call_kernel(s, ZW_FN_OBS, s->obs);
    if (observed && slopes)
        call_kernel(s, ZW_FN_OBS_JAC, s->obs_jac);
    s->n = s->points * s->bounds->nbound;
    for (int row = 0; row < s->n; row++) {
        int i = row / s->bounds->nbound;
        const zw_gauss_bound *b = &s->bounds->bound[row % s->bounds->nbound];
        double value = b->observable ? entry_value(s->obs, p->size[ZW_FN_OBS], i, b->index)
                                     : entry_value(s->x, k->nx, i, b->index);
        s->value[row] = b->sign * (value - b->limit);
        if (slopes)
            add_slopes(s, row, b, i);
    }
}

/* M x = b in place, without pivots: M is positive. M is overwritten. */
static void solve_mass(int n, double *M, double *b) {
    for (int i = 0; i < n; i++)
        for (int r = i + 1; r < n; r++) {
            double factor = M[r * n + i] / M[i * n + i];
            for (int c = i; c < n; c++)
                M[r * n + c] -= factor * M[i * n + c];
            b[r] -= factor * b[i];
        }
    for (int i = n - 1; i >= 0; i--) {
        for (int c = i + 1; c < n; c++)
            b[i] -= M[i * n + c] * b[c];
        b[i] /= M[i * n + i];
    }
}

/* lambda of one bound at point i */
static double bound_force(zw_gauss_points *s, const zw_gauss_bound *b, int i) {
    const zw_gaussian *g = &s->g->gaussian;
    const zw_kernel *k = g->period.kernel;
    int size = g->period.size[ZW_FN_MATS], h = k->nv * k->nv;
    double numerator = 0, denominator = 0;
    if (!g->period.plain || k->nc > 0)
        return NAN;
    for (int j = 0; j < k->nv * k->nv; j++)
        g->mass[j] = entry_value(s->mats, size, i, j);
    for (int j = 0; j < k->nv; j++)
        g->v[j] = b->sign * bound_derivative(s, b, i, j, 0);
    solve_mass(k->nv, g->mass, g->v);
    for (int j = 0; j < k->nv; j++) {
        double e = -entry_value(s->mats, size, i, h + j);
        for (int l = 0; l < k->nv; l++)
            e += entry_value(s->mats, size, i, j * k->nv + l) * entry_value(s->z, k->nz, i, l);
        numerator -= g->v[j] * e;
        denominator += g->v[j] * b->sign * bound_derivative(s, b, i, j, 0);
    }
    return denominator > 0 ? numerator / denominator : NAN;
}

void zw_gauss_points_forces(zw_gauss_points *s) {
    call_kernel(s, ZW_FN_MATS, s->mats);
    for (int row = 0; row < s->n; row++)
        s->force[row] =
            bound_force(s, &s->bounds->bound[row % s->bounds->nbound], row / s->bounds->nbound);
}

double zw_gauss_points_highest(const zw_gauss_points *s) {
    double highest = -INFINITY;
    for (int row = 0; row < s->n; row++)
        highest = fmax(highest, s->value[row]);
    return highest;
}
