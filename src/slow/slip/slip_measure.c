/* SPDX-License-Identifier: MIT */
/* Measured errors of the orders at points of the motion of the model with the constraints: the
 * distance of eps g_1 + ... + eps^k g_k from the manifold without expansion, for eps, eps/2, eps/4,
 * ..., should decrease as eps^(k+1). That manifold is where a derivative of high order vanishes; a
 * run of the whole model, started on it at the first point, must stay on it, which is independent
 * of all series. The reduced flows are compared with that run. */
#include <math.h>
#include <string.h>

#include "base/tolerance.h"
#include "slip.h"

enum {
    POINTS = 7, /* at which errors are measured */
    CHECKS = 4  /* times at which flows are compared */
};
/* of runs: the smallest that integrators meet, so that small errors of the orders are measured */
#define RUN_TOLERANCE 1e-12

typedef struct order_measure {
    zw_slip_manifold *n;
    double speed;             /* the largest */
    double t[POINTS], *x, *g; /* POINTS x nx, POINTS x (order + 1) x nf */
    double *p, *now, *end;
} order_measure;

static zw_status begin_run(const zw_slip_manifold *n, zw_kernel *kernel, const double *p, double t,
                           const double *x, zw_run **run, zw_error *err) {
    zw_run_options o = zw_run_options_default();
    (void)n;
    o.rtol = o.atol = RUN_TOLERANCE;
    ZW_TRY(zw_run_create(run, kernel, p, &o, err));
    zw_run_on_want(*run, zw_kernel_serve, kernel);
    return zw_run_start(*run, t, x, err);
}

static zw_status advance_run(zw_run *run, double t, zw_error *err) {
    int event;
    zw_status status;
    do
        status = zw_run_advance(run, t, &event, err);
    while (status == ZW_EVENT);
    return status;
}

/* Points along the motion with the constraints, and the orders there. */
static zw_status find_points(order_measure *m, double until, zw_error *err) {
    zw_slip_manifold *n = m->n;
    zw_run *run = NULL;
    memcpy(m->now, n->start, (size_t)n->nx * sizeof *m->now);
    ZW_TRY(zw_slip_manifold_move(n, 0, m->now, NULL, err));
    zw_status status = begin_run(n, n->rigid_kernel, n->p, 0, m->now, &run, err);
    for (int i = 0; status >= 0 && i < POINTS; i++) {
        m->t[i] = until * i / (POINTS - 1);
        if (i > 0)
            status = advance_run(run, m->t[i], err);
        if (status < 0)
            break;
        memcpy(m->x + i * n->nx, zw_run_state(run), (size_t)n->nx * sizeof *m->x);
        status = zw_slip_manifold_expand(n, m->t[i], m->x + i * n->nx,
                                         m->g + i * (n->order + 1) * n->nf, NULL, NULL, NULL, err);
        m->speed = fmax(m->speed, n->point.speed);
    }
    zw_run_destroy(run);
    ZW_TRY(status);
    if (m->speed > 0)
        return ZW_OK;
    zw_fail(err, ZW_E_NUMERIC, "nothing moves along the run, so nothing can be measured");
    zw_error_hint(err, "use a start that is not at rest");
    return ZW_E_NUMERIC;
}

static zw_status measure_manifold(order_measure *m, int level, zw_slip_manifold_errors *out,
                                  zw_error *err) {
    zw_slip_manifold *n = m->n;
    double eps = out->eps[level], exact[ZW_SLIP_MANIFOLD_FAST_MOST],
           rest[ZW_SLIP_MANIFOLD_FAST_MOST], uncertain;
    for (int i = 0; i < POINTS; i++) {
        const double *g = m->g + i * (n->order + 1) * n->nf;
        double power = 1;
        ZW_TRY(zw_slip_manifold_exact(n, eps, m->t[i], m->x + i * n->nx, exact, &uncertain, err));
        out->uncertain[level] = fmax(out->uncertain[level], uncertain / m->speed);
        memcpy(rest, exact, (size_t)n->nf * sizeof *rest);
        for (int k = 0; k <= n->order; k++, power *= eps) {
            for (int j = 0; j < n->nf; j++)
                rest[j] -= power * g[k * n->nf + j];
            out->manifold[level][k] =
                fmax(out->manifold[level][k], zw_slip_manifold_measured(n, rest) / m->speed);
        }
    }
    return ZW_OK;
}

/* m->now: the first point, on the manifold of this eps. */
static zw_status first_point(order_measure *m, double eps, zw_error *err) {
    zw_slip_manifold *n = m->n;
    double gamma[ZW_SLIP_MANIFOLD_FAST_MOST];
    ZW_TRY(zw_slip_manifold_exact(n, eps, 0, m->x, gamma, NULL, err));
    zw_slip_manifold_state(n, gamma, m->now);
    return zw_slip_manifold_parameters(n, eps, m->p, err);
}

static zw_status check_run(order_measure *m, double until, int level, zw_slip_manifold_errors *out,
                           zw_error *err) {
    zw_slip_manifold *n = m->n;
    zw_run *run = NULL;
    double eps = out->eps[level], exact[ZW_SLIP_MANIFOLD_FAST_MOST],
           gamma[ZW_SLIP_MANIFOLD_FAST_MOST];
    ZW_TRY(first_point(m, eps, err));
    zw_status status = begin_run(n, n->kernel, m->p, 0, m->now, &run, err);
    for (int i = 1; status >= 0 && i <= CHECKS; i++) {
        double t = until * i / CHECKS;
        status = advance_run(run, t, err);
        if (status >= 0)
            status = zw_slip_manifold_exact(n, eps, t, zw_run_state(run), exact, NULL, err);
        if (status >= 0)
            status = zw_slip_manifold_slips(n, t, zw_run_state(run), gamma, err);
        for (int k = 0; k < n->nf; k++)
            gamma[k] -= exact[k];
        if (status >= 0)
            out->run[level] = fmax(out->run[level], zw_slip_manifold_measured(n, gamma) / m->speed);
    }
    zw_run_destroy(run);
    return status;
}

static zw_status measure_flow(order_measure *m, double time, int level,
                              zw_slip_manifold_errors *out, zw_error *err) {
    zw_slip_manifold *n = m->n;
    zw_run *run = NULL;
    double size, unused, eps = out->eps[level];
    ZW_TRY(first_point(m, eps, err));
    zw_status status = begin_run(n, n->kernel, m->p, 0, m->now, &run, err);
    if (status >= 0)
        status = advance_run(run, time, err);
    if (status >= 0)
        memcpy(m->end, zw_run_state(run), (size_t)n->nx * sizeof *m->end);
    zw_run_destroy(run);
    ZW_TRY(status);
    ZW_TRY(zw_slip_manifold_move(n, time, m->end, NULL, err));
    for (int k = 0; k <= n->order; k++) {
        memcpy(m->now, m->x, (size_t)n->nx * sizeof *m->now);
        ZW_TRY(zw_slip_manifold_flow(n, k, eps, 0, time, m->now, err));
        size = 0;
        for (int i = 0; i < n->nv; i++)
            for (int j = 0; j < n->nv; j++) {
                unused = m->now[n->nq + j] - m->end[n->nq + j];
                size +=
                    (m->now[n->nq + i] - m->end[n->nq + i]) * n->point.M[i * n->nv + j] * unused;
            }
        out->flow[level][k] = sqrt(fmax(size, 0)) / m->speed;
    }
    return ZW_OK;
}

/* From the last two levels at which both are above what can be measured. */
static double slope_of(const zw_slip_manifold_errors *e, bool flow, int k) {
    double slope = NAN;
    for (int l = 1; l < e->nlevel; l++) {
        double a = flow ? e->flow[l - 1][k] : e->manifold[l - 1][k],
               b = flow ? e->flow[l][k] : e->manifold[l][k],
               floor = flow ? 100 * RUN_TOLERANCE
                            : fmax(ZW_ROUNDOFF_VALUE, 10 * fmax(e->uncertain[l], e->run[l]));
        if (b > floor && a > floor)
            slope = log(a / b) / log(e->eps[l - 1] / e->eps[l]);
    }
    return slope;
}

static zw_status measure_errors(order_measure *m, double until, int nlevel, double time,
                                zw_slip_manifold_errors *out, zw_error *err) {
    ZW_TRY(find_points(m, until, err));
    for (int l = 0; l < nlevel; l++) {
        out->eps[l] = m->n->result.eps / pow(2, l);
        for (int k = 0; k <= ZW_MANIFOLD_ORDER_MOST; k++)
            out->flow[l][k] = NAN;
        ZW_TRY(measure_manifold(m, l, out, err));
        ZW_TRY(check_run(m, until, l, out, err));
        if (time > 0)
            ZW_TRY(measure_flow(m, time, l, out, err));
    }
    for (int k = 0; k <= ZW_MANIFOLD_ORDER_MOST; k++) {
        out->slope[k] = k <= m->n->order ? slope_of(out, false, k) : NAN;
        out->flow_slope[k] = k <= m->n->order && time > 0 ? slope_of(out, true, k) : NAN;
    }
    return ZW_OK;
}

zw_status zw_slip_manifold_measure(zw_slip_manifold *n, double until, int nlevel, double time,
                                   zw_slip_manifold_errors *out, zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(&n->arena);
    order_measure m = {.n = n};
    *out = (zw_slip_manifold_errors){.nlevel = nlevel, .npoint = POINTS};
    if (nlevel < 1 || nlevel > ZW_MANIFOLD_LEVELS_MOST)
        return zw_fail(err, ZW_E_OPTION, "--measure: 1 to %d values of the small parameter",
                       (int)ZW_MANIFOLD_LEVELS_MOST);
    if (!(until > 0))
        return zw_fail(err, ZW_E_OPTION, "points along a motion need a positive time");
    m.x = ZW_SLIP_MANIFOLD_NEW(n, double, POINTS * n->nx);
    m.g = ZW_SLIP_MANIFOLD_NEW(n, double, POINTS *(n->order + 1) * n->nf);
    m.p = ZW_SLIP_MANIFOLD_NEW(n, double, n->np);
    m.now = ZW_SLIP_MANIFOLD_NEW(n, double, n->nx);
    m.end = ZW_SLIP_MANIFOLD_NEW(n, double, n->nx);
    zw_status status = n->arena.failed ? zw_slip_manifold_memory(err)
                                       : measure_errors(&m, until, nlevel, time, out, err);
    zw_arena_release(&n->arena, mark);
    return status;
}
