/* SPDX-License-Identifier: MIT */
/* A pilot motion from the start of the model, over intervals that double: how far do the entries of
 * the state go to and fro, and how fast? Over the last half of the time an entry with the deviation
 * d from its mean and the rate r (root mean squares) has the time scale
 *
 *     2 pi d/r,
 *
 * which is its period if it oscillates. The pilot ends when that half is many of them long. A
 * motion that comes to rest keeps the time scales that it had before.
 *
 * A motion that slows down as a power of time, x' = -x^3, has no time scale: what is measured grows
 * with the interval for ever. After SLOWING doublings in which it does so, the scale of its start
 * is taken; the exponents over a time T are of the order 1/T then, and a warning is given. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "frame.h"
#include "lyapunov.h"
#include "zwang/steady.h"

enum {
    SAMPLES = 256,
    DOUBLINGS = 48,
    LONG = 30,
    SLOWEST = 30,
    PILOTS = 3,
    LOOKS = 8,
    SLOWING = 12
};
#define GROWS 1.8   /* of a scale in a doubling: with the time */
#define RESTS 1e-9  /* of the sizes of entries */
#define SHRUNK 1e-6 /* of how far they went before */
#define ERRORS                                                                                     \
    30 /* times the tolerances: if all that moves is below it, it may be the error of the steps */

typedef struct pilot {
    zw_lyapunov *s;
    zw_lyapunov_walker walker;
    zw_flow *flow;
    double *x, *rate, *sum, *square, *speed, *low, *high; /* nx */
    double fast, slow;                                    /* s; 0: not known */
    double rate_most;                                     /* 1/s: of disturbances, at worst */
} pilot;

/* Of the fastest disturbances: with a matrix J of eigenvalues s_i the norm of J J is about |s|^2 of
 * the largest, whatever the sizes of entries are, nearly. */
static zw_status look_at_rate(pilot *p, double t, double *out, zw_error *err) {
    zw_lyapunov *s = p->s;
    int nx = s->nx;
    double sum = 0, *J = s->thread[0].J;
    ZW_TRY(zw_flow_jacobian(p->flow, t, p->x, J, NULL, err));
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < nx; j++) {
            double entry = 0, other = 0;
            for (int k = 0; k < nx && s->essential[i] && s->essential[j]; k++) {
                entry += J[i * nx + k] * J[k * nx + j];
                other += J[j * nx + k] * J[k * nx + i];
            }
            sum += entry * other; /* tr (J J)^2 if summed with signs: the sum of s^4 */
        }
    *out = pow(fabs(sum), 0.25);
    p->rate_most = fmax(p->rate_most, *out);
    return ZW_OK;
}

/* from where the walker is to t */
static zw_status sample_interval(pilot *p, double t, zw_error *err) {
    zw_lyapunov *s = p->s;
    double from = zw_lyapunov_walker_time(&p->walker);
    memset(p->sum, 0, sizeof(double) * 3 * (size_t)s->nx);
    for (int k = 1; k <= SAMPLES; k++) {
        double at = k == SAMPLES ? t : from + (t - from) * k / SAMPLES;
        ZW_TRY(zw_lyapunov_walk(&p->walker, s, at, err));
        memcpy(p->x, p->walker.x, sizeof(double) * (size_t)s->nx);
        ZW_TRY(zw_flow_rates(zw_lyapunov_walker_flow(&p->walker, p->flow), at, p->x, p->rate, NULL,
                             err));
        double ignored;
        if (k % LOOKS == 0)
            ZW_TRY(look_at_rate(p, at, &ignored, err));
        for (int i = 0; i < s->nx; i++) {
            bool first = k == 1;
            p->sum[i] += p->x[i];
            p->square[i] += p->x[i] * p->x[i];
            p->speed[i] += p->rate[i] * p->rate[i];
            p->low[i] = first ? p->x[i] : fmin(p->low[i], p->x[i]);
            p->high[i] = first ? p->x[i] : fmax(p->high[i], p->x[i]);
        }
    }
    return ZW_OK;
}

/* of the samples; false where nothing moves */
static bool take_scales(pilot *p, double *most) {
    zw_lyapunov *s = p->s;
    double fast = INFINITY, slow = 0;
    bool real = false;
    for (int i = 0; i < s->nx; i++) {
        double mean = p->sum[i] / SAMPLES, least = fmax(RESTS * fabs(mean), SHRUNK * most[i]);
        double away = sqrt(fmax(0, p->square[i] / SAMPLES - mean * mean)),
               rate = sqrt(p->speed[i] / SAMPLES);
        most[i] = fmax(most[i], 0.5 * (p->high[i] - p->low[i]));
        if (!s->essential[i] || s->wraps[i] || !(away > least) || !(rate > 0))
            continue;
        real |= away > ERRORS * (s->run.atol + s->run.rtol * fabs(mean));
        fast = fmin(fast, 2 * M_PI * away / rate);
        slow = fmax(slow, 2 * M_PI * away / rate);
    }
    if (!isfinite(fast) || !real)
        return false;
    p->fast = fast;
    p->slow = fmin(slow, SLOWEST * fast);
    return true;
}

static zw_status run_pilot(pilot *p, int point, double *most, zw_error *err) {
    zw_lyapunov *s = p->s;
    const double *params = s->point_p + (size_t)point * (size_t)s->sys->np;
    ZW_TRY(zw_lyapunov_flow(s, 0, point, &p->flow, err));
    ZW_TRY(zw_lyapunov_walker_start(&p->walker, s, params, 0, NULL, p->x, err));
    ZW_TRY(zw_lyapunov_walk_from(&p->walker, 0, p->x, err));
    double own;
    ZW_TRY(look_at_rate(p, 0, &own, err));
    double t = own > 0 ? 1 / own : 1, least = LONG * t;
    if (s->tau[point] > 0)
        least = LONG * s->tau[point];
    double first = p->fast = p->slow = own > 0 ? 2 * M_PI / own : 1, before = INFINITY;
    int growing = 0;
    for (int k = 0; k < DOUBLINGS; k++, t *= 2) {
        if (zw_lyapunov_asked_to_stop(s, 0))
            return ZW_OK;
        ZW_TRY(sample_interval(p, t, err));
        bool moves = take_scales(p, most);
        growing = moves && p->fast > GROWS * before ? growing + 1 : 0;
        before = p->fast;
        if (growing == SLOWING) {
            p->fast = p->slow = first;
            s->slows_down = true;
            break;
        }
        if (t > least && (!moves || 0.5 * t > LONG * p->slow))
            break;
    }
    return ZW_OK;
}

#define AT_REST 1e-10 /* of the largest of its unit: a smaller size is rounding */

/* entries that rest but for rounding get the size of others of their unit: a ball that swings in a
 * plane */
static void widen_sizes(zw_lyapunov *s) {
    const zw_system *y = s->sys;
    for (int i = 0; i < s->nx && s->nx == y->nq + y->nv; i++) {
        const char *unit = i < y->nq ? y->coord[i].unit : y->velocity[i - y->nq].unit;
        double most = 0;
        for (int k = 0; k < s->nx; k++)
            if (strcmp(k < y->nq ? y->coord[k].unit : y->velocity[k - y->nq].unit, unit) == 0)
                most = fmax(most, s->scale[k]);
        if (s->scale[i] < AT_REST * most)
            s->scale[i] = most;
    }
}

/* of the last samples, or what the motion has been */
static void take_sizes(pilot *p, const double *most) {
    zw_lyapunov *s = p->s;
    for (int i = 0; i < s->nx; i++) {
        int of = i < s->eq.nq ? i : i - s->eq.nq;
        double size = fmax(0.5 * (p->high[i] - p->low[i]), 1e-3 * most[i]);
        if (!(size > 0))
            size = fabs(p->x[i]);
        if (!(size > 0) && of < s->sys->nq)
            size = s->width[of];
        if (s->wraps[i])
            size = fmin(size, 1);
        s->scale[i] = size > 1e-150 && isfinite(size) ? size : 1;
    }
    widen_sizes(s);
}

zw_status zw_lyapunov_tangent(const zw_lyapunov *s, zw_flow *flow, double t, const double *x,
                              double *T, double *V, int *n, zw_error *err) {
    int d, nx = s->nx;
    ZW_TRY(zw_flow_tangent(flow, t, x, ZW_METRIC_PLAIN, &d, T, NULL, err));
    for (int j = 0; j < d; j++)
        for (int i = 0; i < nx; i++)
            V[j * nx + i] = T[i * d + j];
    *n = zw_frame_span(d, nx, s->essential, V);
    return ZW_OK;
}

static zw_status find_dimension(pilot *p, double t, zw_error *err) {
    zw_lyapunov *s = p->s;
    ZW_TRY(
        zw_lyapunov_tangent(s, p->flow, t, p->x, s->thread[0].J, s->thread[0].basis, &s->n, err));
    if (s->n == 0)
        return zw_fail(err, ZW_E_DOMAIN,
                       "there is nothing to disturb: every state of the model is ignorable or "
                       "held by constraints");
    return ZW_OK;
}

static void count_symmetries(pilot *p, double t) {
    zw_lyapunov *s = p->s;
    zw_symmetries y = {0};
    zw_error ignored = {0};
    if (s->kernel->nfield == 0 || zw_symmetries_find(&y, p->flow, t, p->x, s->scale, &ignored) < 0)
        return;
    zw_arena_mark mark = zw_arena_mark_now(&s->arena);
    double *X = ZW_NEW(&s->arena, double, (y.n + 1) * s->nx + 1);
    if (X && zw_symmetries_at(&y, p->flow, t, p->x, NULL, X, &ignored) >= 0) {
        for (int k = 0; k < y.n; k++) {
            double length = 0;
            for (int i = 0; i < s->nx; i++)
                length += X[k * s->nx + i] * X[k * s->nx + i];
            for (int i = 0; i < s->nx && length > 0; i++)
                X[k * s->nx + i] /= sqrt(length);
        }
        int more = zw_frame_span(y.n, s->nx, s->essential, X);
        size_t used = strlen(s->zero_names);
        for (int i = 0; i < more; i++) {
            strncat(s->zero_names, used || i ? ", a symmetry" : "a symmetry",
                    sizeof s->zero_names - strlen(s->zero_names) - 1);
        }
        s->zeros += more;
    }
    zw_arena_release(&s->arena, mark);
    zw_symmetries_clear(&y);
}

static zw_status take_all(pilot *p, zw_error *err) {
    zw_lyapunov *s = p->s;
    zw_arena_mark mark = zw_arena_mark_now(&s->arena);
    double *room = ZW_NEW(&s->arena, double, 8 * s->nx + 8), fast = INFINITY, slow = 0;
    if (!room)
        return zw_out_of_memory(err, NULL);
    double *most = room + 7 * s->nx;
    p->x = room, p->rate = room + s->nx, p->sum = room + 2 * s->nx, p->square = room + 3 * s->nx;
    p->speed = room + 4 * s->nx, p->low = room + 5 * s->nx, p->high = room + 6 * s->nx;
    int n = s->npoint < PILOTS ? s->npoint : PILOTS, flown = 0;
    zw_error trouble = {0};
    for (int k = n - 1; k >= 0; k--) { /* the first point is the last one: sizes are from there */
        trouble = (zw_error){0};
        zw_status status = run_pilot(p, n > 1 ? k * (s->npoint - 1) / (n - 1) : 0, most, &trouble);
        if (status < 0 && (!zw_lyapunov_is_trouble(status) || (k == 0 && flown == 0))) {
            if (err)
                *err = trouble;
            return status;
        }
        if (status < 0)
            continue;
        flown++;
        fast = fmin(fast, p->fast);
        slow = fmax(slow, p->slow);
        take_sizes(p, most);
        ZW_TRY(find_dimension(p, zw_lyapunov_walker_time(&p->walker), err));
        if (flown == 1 && !s->hybrid)
            count_symmetries(p, zw_lyapunov_walker_time(&p->walker));
    }
    s->slow = slow;
    s->rate_most = p->rate_most;
    for (int i = 0; i < s->npoint; i++)
        if (!(s->tau[i] > 0) || s->beats)
            s->tau[i] = fast;
    zw_arena_release(&s->arena, mark);
    return ZW_OK;
}

zw_status zw_lyapunov_pilot(zw_lyapunov *s, zw_error *err) {
    pilot p = {.s = s};
    s->progress = s->share = 0;
    zw_status status = zw_lyapunov_walker_init(&p.walker, s, &s->run, err);
    if (status >= 0)
        status = take_all(&p, err);
    zw_lyapunov_walker_clear(&p.walker);
    s->thread[0].point = -1;
    return status;
}
