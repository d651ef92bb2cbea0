/* SPDX-License-Identifier: MIT */
/* The motion that leaves (or, backwards in time, leads into) an equilibrium along its only
 * eigenvector of that kind, until it passes the other end.
 *
 * Steps in time are extrapolations of the explicit midpoint rule with 2, 4, 6 and 8 parts (W. B.
 * Gragg, SIAM J. Numer. Anal. 2 (1965) 384-403), of order 8: few and accurate, in either direction
 * of time; their errors in the constraints are projected away. A stiff system needs many of them,
 * but the result is correct.
 *
 * The distance of a passage is r^2 = sum |l_k.(x - x_2)|^2 over the left eigenvectors, so that the
 * choice of units does not weight directions; the distance and the side of a passage are found as
 * follows. The motion has been far away; from where r is half of the largest distance it
 * approaches; the least r since then is the distance of the passage; and once r is twice that, and
 * the unstable part P_u (x - x_2) exceeds the rest, the sign of l.(x - x_2) is the side. At a
 * connection the distance of the passage falls to zero, and the side changes: one without the other
 * is not a connection. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "connection.h"
#include "motion/segments/periodic.h"
#include "num/flow/flow.h"

enum { PARTS = 4, STEPS_LEAST = 12000, STEPS_MOST = 1000000, RECORD_PARTS = 300 };
#define APPROACH_RATIO 0.5 /* relative to the largest distance: below it the motion approaches */
/* Relative to the least distance: the motion leaves the place nearest to the end, and the end. */
#define LEFT_NEAREST 1.1
#define LEFT_END 2.0
/* Relative to the first distance: the motion is unbounded. Sizes may be those of a start at zero,
 * many orders of magnitude too small. */
#define UNBOUNDED 1e9
/* Rates relative to the sizes of the state and the slowest eigenvalue: the motion is at rest, at
 * least REST_DISTANCE of the largest distance away from the end. */
#define REST_RATE 1e-10
#define REST_DISTANCE 1e-3
/* Over the slowest eigenvalues: time limit. exp(-60) is far below round-off. */
#define TIME_LIMIT 60.0
/* Relative to the time limit: shortest step; then the motion diverges. */
#define STEP_MIN 1e-12
#define STEP_ERROR_MIN 1e-8 /* relative to the accuracy: limits the growth of steps */
#define STEP_FIRST 0.1      /* over the slowest eigenvalue; the error then chooses the steps */

zw_status zw_connection_step(zw_connection *c, const double *x, double h, double *to, double *error,
                             zw_error *err) {
    int nx = c->nx;
    double *f0 = c->step, *f = f0 + nx, *a = f + nx, *b = a + nx, *table = b + nx;
    ZW_TRY(zw_flow_rates(c->flow, 0, x, f0, NULL, err));
    for (int k = 0; k < PARTS; k++) {
        int n = 2 * (k + 1);
        double part = h / n, *now = table + (size_t)(k * nx);
        memcpy(a, x, sizeof(double) * (size_t)nx);
        for (int i = 0; i < nx; i++)
            b[i] = x[i] + part * f0[i];
        for (int s = 1; s < n; s++) {
            ZW_TRY(zw_flow_rates(c->flow, 0, b, f, NULL, err));
            for (int i = 0; i < nx; i++) {
                double next = a[i] + 2 * part * f[i];
                a[i] = b[i];
                b[i] = next;
            }
        }
        memcpy(now, b,
               sizeof(double) *
                   (size_t)nx); /* without smoothing: for even n the error is even in h */
    }
    *error = 0;
    for (int i = 0; i < nx; i++) { /* Neville's scheme in (h/n)^2 */
        double t[PARTS], before = 0;
        for (int k = 0; k < PARTS; k++) {
            t[k] = table[k * nx + i];
            for (int j = k - 1; j >= 0; j--) {
                double ratio = (double)(k + 1) / (j + 1);
                t[j] = t[j + 1] + (t[j + 1] - t[j]) / (ratio * ratio - 1);
            }
            before = k == PARTS - 2 ? t[0] : before;
        }
        to[i] = t[0];
        if (c->essential[i])
            *error = fmax(*error, fabs(t[0] - before) / (c->options.accuracy * c->scale[i] +
                                                         c->options.accuracy * fabs(t[0])));
    }
    if (!isfinite(*error))
        return zw_fail(err, ZW_E_NONFINITE, "the motion has no finite state");
    return c->has_manifold ? zw_flow_project(c->flow, 0, to, NULL, err) : ZW_OK;
}

/* ------------------------------------------------------------------------------------ a passage */

typedef struct shot {
    zw_connection *c;
    const zw_connection_end *target;
    int kind;    /* the single eigenvector: 0 unstable, 1 stable */
    double sign; /* of time */
    int side;
    bool approaches, record;
    double first, pace, longest; /* pace: of the slowest eigenvalue */
    double steps_most;
    double at_nearest;
    int left; /* side to which it left the place nearest to the end; 0 if it has not */
    zw_splitting *out;
} shot;

/* r about the target */
static double target_distance(const shot *s, const double *x) {
    const zw_connection_end *e = s->target;
    int nx = s->c->nx;
    double sum = 0;
    for (int k = 0; k < e->n; k++) {
        double re = 0, im = 0;
        for (int i = 0; i < nx; i++) {
            re += e->part_re[k * nx + i] * (x[i] - e->motion.x[i]);
            im += e->part_im[k * nx + i] * (x[i] - e->motion.x[i]);
        }
        sum += re * re + im * im;
    }
    return sqrt(sum);
}

/* l.(x - x_2); *most: that direction exceeds the rest */
static double left_projection(const shot *s, const double *x, double r, bool *most) {
    const zw_connection_end *e = s->target;
    double part = 0;
    for (int i = 0; i < s->c->nx; i++)
        part += e->left[s->kind][i] * (x[i] - e->motion.x[i]);
    *most = 2 * part * part > r * r;
    return part;
}

zw_status zw_connection_record_state(zw_connection *c, double t, const double *x, zw_error *err) {
    size_t n = (size_t)c->nx;
    if (c->nrecord == c->capacity) {
        int before = c->capacity;
        if (!zw_arena_grow(&c->arena, (void **)&c->record_t, c->nrecord, &c->capacity,
                           sizeof(double)))
            return zw_out_of_memory(err, NULL);
        double *more = ZW_NEW(&c->arena, double, (size_t)c->capacity * 2 * n + 1);
        if (!more)
            return zw_out_of_memory(err, NULL);
        if (before) {
            memcpy(more, c->record_x, sizeof(double) * n * (size_t)before);
            memcpy(more + (size_t)c->capacity * n, c->record_rate,
                   sizeof(double) * n * (size_t)before);
        }
        c->record_x = more;
        c->record_rate = more + (size_t)c->capacity * n;
    }
    c->record_t[c->nrecord] = t;
    memcpy(c->record_x + (size_t)c->nrecord * n, x, sizeof(double) * n);
    ZW_TRY(zw_flow_rates(c->flow, 0, x, c->record_rate + (size_t)c->nrecord * n, NULL, err));
    c->nrecord++;
    return ZW_OK;
}

static zw_status record_state(shot *s, double t, const double *x, zw_error *err) {
    return s->record ? zw_connection_record_state(s->c, t, x, err) : ZW_OK;
}

/* has the shot ended? */
static bool is_finished(shot *s, double t, const double *x) {
    zw_splitting *o = s->out;
    double r = target_distance(s, x);
    bool most;
    if (!s->approaches) {
        o->farthest = fmax(o->farthest, r);
        s->approaches = r < APPROACH_RATIO * o->farthest;
        if (!s->approaches && r > UNBOUNDED * s->first) {
            o->fate = ZW_CONNECTION_LEAVES;
            o->away = left_projection(s, x, r, &most) > 0 ? 1 : -1;
            return true;
        }
        o->nearest = r;
        s->at_nearest = t;
        return false;
    }
    if (r < o->nearest) {
        o->nearest = r;
        s->at_nearest = t;
        s->left = 0;
        return false;
    }
    double part = left_projection(s, x, r, &most);
    if (s->left == 0 && r > LEFT_NEAREST * o->nearest)
        s->left = (part > 0 ? 1 : -1) * (s->c->has_other ? 1 : s->side);
    if (!(r > LEFT_END * o->nearest && (most || r > APPROACH_RATIO * o->farthest)))
        return false;
    o->fate = ZW_CONNECTION_PASSES;
    o->side = (part > 0 ? 1 : -1) * (s->c->has_other ? 1 : s->side);
    return true;
}

static bool is_at_rest(const shot *s, const double *f0) {
    const zw_connection *c = s->c;
    double most = 0;
    for (int i = 0; i < c->nx; i++)
        if (c->essential[i])
            most = fmax(most, fabs(f0[i]) / c->scale[i]);
    return most < REST_RATE * s->pace;
}

/* does this failure of the rates end the shot? The motion has reached states without rates */
static bool is_fate(zw_status status) {
    return status < 0 && status != ZW_E_MEMORY && status != ZW_STOPPED;
}

static zw_status integrate_shot(shot *s, double *x, zw_error *err) {
    zw_connection *c = s->c;
    double *to = c->step + 9 * (size_t)c->nx, t = 0, h = STEP_FIRST / s->pace, error;
    double most = s->record ? s->out->time / RECORD_PARTS : INFINITY;
    ZW_TRY(record_state(s, 0, x, err));
    s->out->fate = ZW_CONNECTION_WANDERS;
    for (int steps = 0; steps < s->steps_most && fabs(t) < s->longest; steps++) {
        zw_error trouble = {0};
        h = fmin(h, most);
        zw_status status = zw_connection_step(c, x, s->sign * h, to, &error, &trouble);
        if (status == ZW_E_MEMORY)
            return zw_fail(err, status, "out of memory");
        if (is_fate(status) || error > 1) {
            h *= is_fate(status) ? 0.25 : fmax(0.1, 0.9 * pow(error, -1. / 7));
            if (h < STEP_MIN * s->longest) {
                s->out->fate = ZW_CONNECTION_LEAVES;
                return ZW_OK;
            }
            continue;
        }
        t += s->sign * h;
        memcpy(x, to, sizeof(double) * (size_t)c->nx);
        ZW_TRY(record_state(s, t, x, err));
        if (is_finished(s, t, x))
            return ZW_OK;
        if (steps > 10 && !s->approaches && s->out->farthest > s->first && is_at_rest(s, c->step)) {
            s->out->fate = ZW_CONNECTION_RESTS;
            return ZW_OK;
        }
        if (s->approaches && is_at_rest(s, c->step) &&
            s->out->nearest > REST_DISTANCE * s->out->farthest) {
            s->out->fate = ZW_CONNECTION_RESTS;
            return ZW_OK;
        }
        h *= fmin(4, 0.9 * pow(fmax(error, STEP_ERROR_MIN), -1. / 7));
    }
    return ZW_OK;
}

static double slowest_rate(const zw_connection_end *e) {
    double u = e->slow_unstable >= 0 ? e->re[e->slow_unstable] : INFINITY,
           s = e->slow_stable >= 0 ? -e->re[e->slow_stable] : INFINITY;
    return fmin(u, s);
}

static double fastest_rate(const zw_connection_end *e) {
    double most = 0;
    for (int i = 0; i < e->n; i++)
        most = fmax(most, hypot(e->re[i], e->im[i]));
    return most;
}

static zw_status shoot_connection(zw_connection *c, const double value[2], int side, bool record,
                                  zw_splitting *out, zw_error *err) {
    int way = zw_connection_way(c), nx = c->nx;
    double keep = out->time;
    *out = (zw_splitting){.fate = ZW_CONNECTION_WANDERS};
    ZW_TRY(zw_connection_move(c, value, err));
    if (way == 0 || zw_connection_way(c) != way)
        return zw_fail(err, ZW_E_DOMAIN,
                       "the unstable manifolds of the equilibria at the ends have the dimensions "
                       "%d and %d, the stable ones %d and %d: shooting needs dimension 1",
                       c->end[0].unstable, c->end[1].unstable, c->end[0].stable, c->end[1].stable);
    const zw_connection_end *from = &c->end[way > 0 ? 0 : 1];
    shot s = {.c = c,
              .target = &c->end[way > 0 ? 1 : 0],
              .kind = way > 0 ? 0 : 1,
              .sign = way,
              .side = side,
              .record = record,
              .out = out};
    double rate[2] = {slowest_rate(&c->end[0]), slowest_rate(&c->end[1])},
           *x = c->step + 10 * (size_t)nx; /* step has 12 nx: 8 are the method's */
    s.pace = fmin(rate[0], rate[1]);
    s.longest = c->options.time > 0 ? c->options.time : TIME_LIMIT * (1 / rate[0] + 1 / rate[1]);
    s.steps_most = /* stability limits explicit steps by the fastest decay */
        fmin(STEPS_LEAST + s.longest * fmax(fastest_rate(&c->end[0]), fastest_rate(&c->end[1])),
             STEPS_MOST);
    for (int i = 0; i < nx; i++)
        x[i] = from->motion.x[i] + side * c->options.launch * from->right[s.kind][i];
    if (c->has_manifold)
        ZW_TRY(zw_flow_project(c->flow, 0, x, NULL, err));
    s.first = fmax(1, target_distance(&s, x));
    out->time = keep;
    ZW_TRY(integrate_shot(&s, x, err));
    /* a motion that approaches and ends nearby, on an equilibrium or a small orbit, has passed,
     * too, on the side where it is */
    bool most, rests = out->fate == ZW_CONNECTION_RESTS;
    if (rests && s.left == 0)
        s.left = (left_projection(&s, x, 0, &most) > 0 ? 1 : -1) * (c->has_other ? 1 : side);
    if ((rests || out->fate == ZW_CONNECTION_WANDERS) && s.approaches)
        out->side = s.left;
    out->time = out->side ? fabs(s.at_nearest) : NAN;
    return ZW_OK;
}

zw_status zw_connection_shoot(zw_connection *c, const double value[2], int side, zw_splitting *out,
                              zw_error *err) {
    return shoot_connection(c, value, side, false, out, err);
}

zw_status zw_connection_record(zw_connection *c, const double value[2], int side, zw_splitting *out,
                               zw_error *err) {
    zw_splitting first = {0};
    ZW_TRY(shoot_connection(c, value, side, false, &first, err));
    if (first.side == 0)
        return zw_fail(err, ZW_E_NUMERIC, "the motion does not pass the other end at this value");
    *out = first;
    c->nrecord = 0;
    return shoot_connection(c, value, side, true, out, err);
}
