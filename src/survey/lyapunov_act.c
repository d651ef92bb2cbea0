/* SPDX-License-Identifier: MIT */
/* Events that set values of the state, as impacts do: x+ = R(t, x-) where sigma(t, x) = 0. A neighbour meets the event earlier or later, so that a disturbance y becomes
 *
 *     y+ = R_x y + (f+ - R_x f- - R_t) (sigma_x y)/(sigma_t + sigma_x f-),
 *
 * with the rates f before and behind it (M. di Bernardo et al., Piecewise-smooth Dynamical Systems, 2008, 2.5). sigma and R are algebra: derivatives in time and those of R by central
 * differences of fourth order. Where sigma touches zero without passing it (grazing) there is no such matrix, and the motion fails with the name of the event. */
#include <math.h>
#include <string.h>

#include "lyapunov.h"
#include "num/flow.h"

#define STEP 1e-3   /* of the sizes of entries, and of the time scale: of differences */
#define GRAZES 1e-8 /* of the rate of sigma: less is none */

/* an event that is more than a value of the state, or comes by the clock */
static const char *refuse(const zw_lyapunov *s, const zw_event *e) {
    const zw_system *y = s->sys;
    if (e->period)
        return "comes by the clock";
    for (int k = 0; k < e->naction; k++) {
        bool state = false;
        for (int i = 0; i < y->nq; i++)
            state = state || y->coord[i].sym == e->action[k].what;
        for (int i = 0; i < y->nv; i++)
            state = state || y->velocity[i].sym == e->action[k].what;
        if (e->action[k].kind != ZW_ACTION_SET || !state)
            return "changes more than the state";
    }
    const zw_kernel *k = s->kernel;
    if (k->nc + k->npos + k->nvel + k->nunit > 0)
        return "changes the motion, and there are constraints";
    return NULL;
}

zw_status zw_lyapunov_acts_find(zw_lyapunov *s, zw_error *err) {
    const zw_kernel *k = s->kernel;
    s->act = ZW_NEW(&s->arena, bool, k->nevt + 1);
    if (!s->act)
        return zw_lyapunov_no_memory(err);
    for (int i = 0; k->event_acts && i < k->nevt && i < s->sys->nevent; i++) {
        const zw_event *e = &s->sys->event[i];
        const char *why = k->event_acts[i] ? refuse(s, e) : NULL;
        if (why) {
            zw_fail_at(err, ZW_E_OPTION, e->place,
                       "exponents are found through events that set values of the state: %s %s",
                       e->name, why);
            zw_error_hint(err,
                          "zwang orbit has the multipliers of periodic motions through events");
            return ZW_E_OPTION;
        }
        s->act[i] = k->event_acts[i];
        s->acts = s->acts || s->act[i];
    }
    return ZW_OK;
}

/* R(t, x): what the event sets, all at once */
static zw_status set(const zw_lyapunov *s, zw_flow *flow, int event, double t, const double *x,
                     double *room, double *behind, zw_error *err) {
    const zw_system *y = s->sys;
    const zw_event *e = &y->event[event];
    int first = 0;
    for (int i = 0; i < event; i++)
        for (int k = 0; k < y->event[i].naction; k++)
            first += y->event[i].action[k].kind == ZW_ACTION_SET;
    ZW_TRY(zw_flow_rates(flow, t, x, room, room + s->nx, err));
    const double *value = zw_at_act(flow, t, x, room + s->nx).value + first;
    memcpy(behind, x, sizeof(double) * (size_t)s->nx);
    for (int k = 0; k < e->naction; k++) {
        if (!isfinite(value[k]))
            return zw_fail(err, ZW_E_NONFINITE,
                           "the event %s sets %s to a value that is not finite, at t = %.10g",
                           e->name, zw_expr_name(y->ctx, e->action[k].what), t);
        for (int i = 0; i < y->nq; i++)
            if (y->coord[i].sym == e->action[k].what)
                behind[i] = value[k];
        for (int i = 0; i < y->nv; i++)
            if (y->velocity[i].sym == e->action[k].what)
                behind[y->nq + i] = value[k];
    }
    return ZW_OK;
}

/* derivative at 0 of samples at -2h, -h, h, 2h */
static double slope(const double *f, int stride, double h) {
    return (8 * (f[2 * stride] - f[stride]) - (f[3 * stride] - f[0])) / (12 * h);
}

/* R_x (nx x nx), R_t (nx), sigma_x (nx), sigma_t, from samples */
typedef struct event_slopes {
    double *R_x, *R_t, *sigma_x;
    double sigma_t;
} event_slopes;

static zw_status differ(const zw_lyapunov *s, zw_flow *flow, int event, double t, const double *x,
                        double *room, event_slopes *out, zw_error *err) {
    static const double at[4] = {-2, -1, 1, 2};
    int nx = s->nx, nevt = s->kernel->nevt;
    double *point = room, *sample = room + nx, *value = sample + 4 * nx, sigma[4];
    double *inner = value + nevt;
    for (int j = 0; j <= nx; j++) {
        double h = j < nx ? STEP * s->scale[j] : STEP * s->tau[0];
        for (int k = 0; k < 4; k++) {
            memcpy(point, x, sizeof(double) * (size_t)nx);
            double now = j < nx ? t : t + at[k] * h;
            if (j < nx)
                point[j] += at[k] * h;
            ZW_TRY(set(s, flow, event, now, point, inner, sample + k * nx, err));
            ZW_TRY(zw_flow_events(flow, now, point, value, err));
            sigma[k] = value[event];
        }
        for (int i = 0; i < nx; i++)
            *(j < nx ? &out->R_x[i * nx + j] : &out->R_t[i]) = slope(sample + i, nx, h);
        *(j < nx ? &out->sigma_x[j] : &out->sigma_t) = slope(sigma, 1, h);
    }
    return ZW_OK;
}

/* y+ of every column of Y (nx x n) */
static void pass(int nx, int n, const event_slopes *e, const double *before, const double *behind,
                 double rate, double *room, double *Y) {
    for (int c = 0; c < n; c++) {
        double along = 0;
        for (int i = 0; i < nx; i++)
            along += e->sigma_x[i] * Y[i * n + c] / rate;
        for (int i = 0; i < nx; i++) {
            double carried = 0, flown = 0;
            for (int j = 0; j < nx; j++) {
                carried += e->R_x[i * nx + j] * Y[j * n + c];
                flown += e->R_x[i * nx + j] * before[j];
            }
            room[i] = carried + (behind[i] - flown - e->R_t[i]) * along;
        }
        for (int i = 0; i < nx; i++)
            Y[i * n + c] = room[i];
    }
}

zw_status zw_lyapunov_act(zw_lyapunov *s, zw_flow *flow, int event, double t, double *x, int n,
                          double *Y, zw_error *err) {
    int nx = s->nx, nz = s->kernel->nz;
    zw_arena_mark mark = zw_arena_mark_now(&s->arena);
    double *all = ZW_NEW(&s->arena, double, nx *(nx + 16) + 2 * nz + s->kernel->nevt + 16);
    if (!all)
        return zw_lyapunov_no_memory(err);
    double *before = all, *behind = all + nx, *next = all + 2 * nx, *room = all + 5 * nx + nx * nx;
    event_slopes e = {.R_x = all + 5 * nx, .R_t = all + 3 * nx, .sigma_x = all + 4 * nx};
    ZW_TRY(set(s, flow, event, t, x, room, next, err));
    if (n > 0) {
        ZW_TRY(differ(s, flow, event, t, x, room, &e, err));
        ZW_TRY(zw_flow_rates(flow, t, x, before, NULL, err));
        ZW_TRY(zw_flow_rates(flow, t, next, behind, NULL, err));
        double rate = e.sigma_t, size = fabs(e.sigma_t);
        for (int i = 0; i < nx; i++) {
            rate += e.sigma_x[i] * before[i];
            size += fabs(e.sigma_x[i]) * s->scale[i] / s->tau[0];
        }
        if (!(fabs(rate) > GRAZES * size))
            return zw_fail(err, ZW_E_NUMERIC, "the motion grazes the event %s at t = %.10g",
                           s->sys->event[event].name, t);
        pass(nx, n, &e, before, behind, rate, room, Y);
    }
    memcpy(x, next, sizeof(double) * (size_t)nx);
    zw_arena_release(&s->arena, mark);
    return ZW_OK;
}
