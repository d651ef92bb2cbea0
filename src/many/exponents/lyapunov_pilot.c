/* SPDX-License-Identifier: MIT */
/* A pilot motion from the start of the model, over intervals that double: what amplitudes have the
 * entries of the state, and how fast do they move? Over the last half of the time an entry with the
 * deviation d from its mean and the rate r (root mean squares) has the time scale
 *
 *   2 pi d/r,
 *
 * which is its period if it oscillates. The pilot ends when that half contains many of them. A
 * motion that comes to rest keeps the time scales that it had before.
 *
 * A motion that slows down as a power of time, x' = -x^3, has no time scale: the measured one
 * grows with the interval. After SLOWING doublings in which it does so, the scale of its start
 * is used; the exponents over a time T are then of the order 1/T, and a warning is given. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "frame.h"
#include "lyapunov.h"
#include "zwang/steady.h"

#define LEAST_AMPLITUDE 1e-3 /* of the largest amplitude: that of a motion that has decayed */
#define SMALLEST_SIZE 1e-150 /* of an entry, whose square is still a number */

enum {
    SAMPLES = 256,        /* of an interval */
    DOUBLINGS = 48,       /* of the interval */
    SCALES_IN_HALF = 30,  /* time scales in the last half of the pilot */
    SLOW_RATIO = 30,      /* largest ratio of the slow time scale to the fast one */
    PILOTS = 3,           /* points with a pilot of their own */
    SAMPLES_PER_RATE = 8, /* samples between two measurements of the rate of disturbances */
    SLOWING = 12          /* doublings in which the time scale grows */
};
/* deviation relative to the mean: a smaller one is an error of the steps */
#define ENTRY_AT_REST 1e-9
#define SCALE_GROWTH 1.8 /* of a scale in a doubling: near 2, it grows with the time */
/* of the earlier amplitude: a motion that has decayed so far is at rest */
#define AMPLITUDE_LOST 1e-6
#define STEP_ERRORS 30 /* times the tolerances: a smaller motion may be the error of the steps */

typedef struct pilot {
    zw_lyapunov *s;
    zw_lyapunov_single_run single_run;
    zw_flow *flow;
    double *x, *rate, *sum, *square, *speed, *low, *high; /* nx */
    double fast, slow;                                    /* [s]; 0 if unknown */
    double largest_rate;                                  /* of disturbances, at most [1/s] */
} pilot;

/* The rate of the fastest disturbances: for a matrix J with eigenvalues s_i the norm of J J is
 * about |s|^2 of the largest, nearly independent of the sizes of entries. */
static zw_status measure_rate(pilot *p, double t, double *out, zw_error *err) {
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
    p->largest_rate = fmax(p->largest_rate, *out);
    return ZW_OK;
}

/* From the present time of the run to t. */
static zw_status sample_interval(pilot *p, double t, zw_error *err) {
    zw_lyapunov *s = p->s;
    double from = zw_lyapunov_single_run_time(&p->single_run);
    memset(p->sum, 0, sizeof(double) * 3 * (size_t)s->nx);
    for (int k = 1; k <= SAMPLES; k++) {
        double at = k == SAMPLES ? t : from + (t - from) * k / SAMPLES;
        ZW_TRY(zw_lyapunov_single_run_to(&p->single_run, s, at, err));
        memcpy(p->x, p->single_run.x, sizeof(double) * (size_t)s->nx);
        ZW_TRY(zw_flow_rates(zw_lyapunov_single_run_flow(&p->single_run, p->flow), at, p->x,
                             p->rate, NULL, err));
        double ignored;
        if (k % SAMPLES_PER_RATE == 0)
            ZW_TRY(measure_rate(p, at, &ignored, err));
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

/* Scales from the samples; false if nothing moves. */
static bool take_scales(pilot *p, double *most) {
    zw_lyapunov *s = p->s;
    double fast = INFINITY, slow = 0;
    bool real = false;
    for (int i = 0; i < s->nx; i++) {
        double mean = p->sum[i] / SAMPLES,
               least = fmax(ENTRY_AT_REST * fabs(mean), AMPLITUDE_LOST * most[i]);
        double away = sqrt(fmax(0, p->square[i] / SAMPLES - mean * mean)),
               rate = sqrt(p->speed[i] / SAMPLES);
        most[i] = fmax(most[i], 0.5 * (p->high[i] - p->low[i]));
        if (!s->essential[i] || s->wraps[i] || !(away > least) || !(rate > 0))
            continue;
        real |= away > STEP_ERRORS * (s->run.atol + s->run.rtol * fabs(mean));
        fast = fmin(fast, 2 * M_PI * away / rate);
        slow = fmax(slow, 2 * M_PI * away / rate);
    }
    if (!isfinite(fast) || !real)
        return false;
    p->fast = fast;
    p->slow = fmin(slow, SLOW_RATIO * fast);
    return true;
}

static zw_status run_pilot(pilot *p, int point, double *most, zw_error *err) {
    zw_lyapunov *s = p->s;
    const double *params = s->point_p + (size_t)point * (size_t)s->sys->np;
    ZW_TRY(zw_lyapunov_flow(s, 0, point, &p->flow, err));
    ZW_TRY(zw_lyapunov_single_run_start(&p->single_run, s, params, 0, NULL, p->x, err));
    ZW_TRY(zw_lyapunov_single_run_from(&p->single_run, 0, p->x, err));
    double own;
    ZW_TRY(measure_rate(p, 0, &own, err));
    double t = own > 0 ? 1 / own : 1, least = SCALES_IN_HALF * t;
    if (s->tau[point] > 0)
        least = SCALES_IN_HALF * s->tau[point];
    double first = p->fast = p->slow = own > 0 ? 2 * M_PI / own : 1, before = INFINITY;
    int growing = 0;
    for (int k = 0; k < DOUBLINGS; k++, t *= 2) {
        if (zw_lyapunov_asked_to_stop(s, 0))
            return ZW_OK;
        ZW_TRY(sample_interval(p, t, err));
        bool moves = take_scales(p, most);
        growing = moves && p->fast > SCALE_GROWTH * before ? growing + 1 : 0;
        before = p->fast;
        if (growing == SLOWING) {
            p->fast = p->slow = first;
            s->slows_down = true;
            break;
        }
        if (t > least && (!moves || 0.5 * t > SCALES_IN_HALF * p->slow))
            break;
    }
    return ZW_OK;
}

/* Of the largest of its unit: a smaller size is round-off. Chosen by trial: above the round-off
 * that adds up over the pilot motion, below any amplitude that matters. */
#define SIZE_ROUNDOFF 1e-10

/* Entries that rest up to round-off get the size of others with their unit: a ball that swings in a
 * plane. */
static void widen_sizes(zw_lyapunov *s) {
    const zw_system *y = s->sys;
    for (int i = 0; i < s->nx && s->nx == y->nq + y->nv; i++) {
        const char *unit = i < y->nq ? y->coord[i].unit : y->velocity[i - y->nq].unit;
        double most = 0;
        for (int k = 0; k < s->nx; k++)
            if (strcmp(k < y->nq ? y->coord[k].unit : y->velocity[k - y->nq].unit, unit) == 0)
                most = fmax(most, s->scale[k]);
        if (s->scale[i] < SIZE_ROUNDOFF * most)
            s->scale[i] = most;
    }
}

/* Sizes from the last samples, or from the whole motion. */
static void take_sizes(pilot *p, const double *most) {
    zw_lyapunov *s = p->s;
    for (int i = 0; i < s->nx; i++) {
        int of = i < s->eq.nq ? i : i - s->eq.nq;
        double size = fmax(0.5 * (p->high[i] - p->low[i]), LEAST_AMPLITUDE * most[i]);
        if (!(size > 0))
            size = fabs(p->x[i]);
        if (!(size > 0) && of < s->sys->nq)
            size = s->width[of];
        if (s->wraps[i])
            size = fmin(size, 1);
        s->scale[i] = size > SMALLEST_SIZE && isfinite(size) ? size : 1;
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
    double *scratch = ZW_NEW(&s->arena, double, 8 * s->nx + 8), fast = INFINITY, slow = 0;
    if (!scratch)
        return zw_out_of_memory(err, NULL);
    double *most = scratch + 7 * s->nx;
    p->x = scratch, p->rate = scratch + s->nx, p->sum = scratch + 2 * s->nx,
    p->square = scratch + 3 * s->nx;
    p->speed = scratch + 4 * s->nx, p->low = scratch + 5 * s->nx, p->high = scratch + 6 * s->nx;
    int n = s->npoint < PILOTS ? s->npoint : PILOTS, flown = 0;
    zw_error trouble = {0};
    /* the first point comes last: the sizes are those of its motion */
    for (int k = n - 1; k >= 0; k--) {
        trouble = (zw_error){0};
        zw_status status = run_pilot(p, n > 1 ? k * (s->npoint - 1) / (n - 1) : 0, most, &trouble);
        if (status < 0 && (!zw_lyapunov_is_failure(status) || (k == 0 && flown == 0))) {
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
        ZW_TRY(find_dimension(p, zw_lyapunov_single_run_time(&p->single_run), err));
        if (flown == 1 && !s->hybrid)
            count_symmetries(p, zw_lyapunov_single_run_time(&p->single_run));
    }
    s->slow = slow;
    s->largest_rate = p->largest_rate;
    for (int i = 0; i < s->npoint; i++)
        if (!(s->tau[i] > 0) || s->has_no_period)
            s->tau[i] = fast;
    zw_arena_release(&s->arena, mark);
    return ZW_OK;
}

zw_status zw_lyapunov_pilot(zw_lyapunov *s, zw_error *err) {
    pilot p = {.s = s};
    s->progress = s->share = 0;
    zw_status status = zw_lyapunov_single_run_init(&p.single_run, s, &s->run, err);
    if (status >= 0)
        status = take_all(&p, err);
    zw_lyapunov_single_run_clear(&p.single_run);
    s->thread[0].point = -1;
    return status;
}
