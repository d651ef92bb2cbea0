/* SPDX-License-Identifier: MIT */
/* The first guess of a connecting orbit: the motion that passes the other end, from where it has
 * left the first one by d_1 to where it is as near to the other one, or as near as it gets before
 * the part that leads away from there is noticeable. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "connection.h"
#include "motion/segments/periodic.h"

enum { ORBIT_PARTS = 4 };
/* Relative to the sizes of the state: least size of an entry (orbits.c). */
#define SCALE_MIN 1e-3
/* Relative to the distance of a passage: where the motion is cut, slightly before the minimum. */
#define PASSAGE_CUT 1.05
/* Relative to the distance from an end: the part that leads away from it is noticeable. */
#define AWAY_PART 0.05
/* Times the distance of the nearest passage: a passage that is about as near. */
#define PASSAGE_SIMILAR 10.0
/* Relative to the size of the orbit: d_1 and d_2 of a guess from an orbit, at most; and beyond
 * which an eigenspace does not describe the motion. */
#define ORBIT_DISTANCE 0.1
#define DISTANCE_MAX 0.3
/* Relative to an interval: step of differences of the guess, which Newton's method corrects. */
#define GUESS_DIFFERENCE 1e-3

/* cubic interpolation of the record, whose time may decrease */
static void record_at(const zw_connection *c, int first, int last, double t, double *x) {
    int low = first, high = last, nx = c->nx;
    bool down = c->record_t[last] < c->record_t[first];
    while (high - low > 1) {
        int mid = (low + high) / 2;
        *((t < c->record_t[mid]) != down ? &high : &low) = mid;
    }
    double h = c->record_t[high] - c->record_t[low], s = (t - c->record_t[low]) / h, s2 = s * s,
           s3 = s2 * s;
    const double *a = c->record_x + (size_t)(low * nx), *b = c->record_x + (size_t)(high * nx),
                 *da = c->record_rate + (size_t)(low * nx),
                 *db = c->record_rate + (size_t)(high * nx);
    for (int i = 0; i < nx; i++)
        x[i] = (2 * s3 - 3 * s2 + 1) * a[i] + (3 * s2 - 2 * s3) * b[i] +
               h * ((s3 - 2 * s2 + s) * da[i] + (s3 - s2) * db[i]);
}

static void measure_sizes(zw_connection *c, int first, int last) {
    for (int i = 0; i < c->nx; i++) {
        double low = INFINITY, high = -INFINITY;
        for (int k = first; k <= last; k++) {
            low = fmin(low, c->record_x[k * c->nx + i]);
            high = fmax(high, c->record_x[k * c->nx + i]);
        }
        c->size[i] = fmax(0.5 * (high - low), SCALE_MIN * c->scale[i]);
    }
}

/* the unstable (or stable) part of x - x_end, relative to its length: it is no longer small where
 * the motion passes an end */
static double direction_share(const zw_connection *c, int end, bool grows, const double *x) {
    const zw_connection_end *e = &c->end[end];
    double part = 0, whole = 0;
    for (int i = 0; i < c->nx; i++) {
        double own = 0, all = x[i] - e->motion.x[i];
        for (int k = 0; k < c->nx; k++)
            own += (grows ? e->grows[i * c->nx + k]
                          : e->all[i * c->nx + k] - e->grows[i * c->nx + k]) *
                   (x[k] - e->motion.x[k]);
        if (c->essential[i]) {
            part = hypot(part, own / c->size[i]);
            whole = hypot(whole, all / c->size[i]);
        }
    }
    return part / whole;
}

/* cuts the record from where it has left one end by d to where it is as near to the other one, or
 * as near as it gets; d_1, d_2 */
static zw_status cut_record(zw_connection *c, double at_nearest, int *first, int *last,
                            zw_error *err) {
    int way = zw_connection_way(c), from = way > 0 ? 0 : 1, n = c->nrecord;
    double d = c->options.distance;
    int end = 0;
    while (end + 1 < n && fabs(c->record_t[end]) < at_nearest)
        end++;
    measure_sizes(c, 0, end);
    *first = 0;
    while (*first < end && zw_connection_distance(c, c->size, c->record_x + *first * c->nx,
                                                  c->end[from].motion.x) < d)
        (*first)++;
    int far = *first;
    for (int k = far; k <= end; k++)
        if (zw_connection_distance(c, c->size, c->record_x + k * c->nx, c->end[1 - from].motion.x) >
            0.5)
            far = k;
    *last = far;
    while (*last < end && zw_connection_distance(c, c->size, c->record_x + *last * c->nx,
                                                 c->end[1 - from].motion.x) > PASSAGE_CUT * d)
        (*last)++;
    while (*last > far &&
           direction_share(c, 1 - from, way > 0, c->record_x + *last * c->nx) > AWAY_PART)
        (*last)--;
    if (*last - *first < 4)
        return zw_fail(err, ZW_E_NUMERIC, "the motion between the ends is too short to be one");
    c->far[from] =
        zw_connection_distance(c, c->size, c->record_x + *first * c->nx, c->end[from].motion.x);
    c->far[1 - from] =
        zw_connection_distance(c, c->size, c->record_x + *last * c->nx, c->end[1 - from].motion.x);
    if (!(fmax(c->far[0], c->far[1]) < DISTANCE_MAX))
        return zw_fail(err, ZW_E_NUMERIC,
                       "the motion comes no nearer to the other end than %.2g of its size",
                       c->far[1 - from]);
    return ZW_OK;
}

/* The first mesh: half of its intervals by time, half by path length, most of which is covered in a
 * small part of the time. */
static zw_status spread_record(zw_connection *c, int first, int last, bool back, zw_error *err) {
    int n = last - first, nx = c->nx;
    zw_arena work;
    zw_arena_init(&work, &c->arena.alloc);
    double *tau = ZW_NEW(&work, double, n + 1), *way = ZW_NEW(&work, double, n + 1);
    if (work.failed) {
        zw_arena_clear(&work);
        return zw_out_of_memory(err, NULL);
    }
    for (int k = 1; k <= n; k++) {
        int here = back ? last - k : first + k, before = back ? here + 1 : here - 1;
        tau[k] = tau[k - 1] + fabs(c->record_t[here] - c->record_t[before]);
        way[k] = way[k - 1] + zw_connection_distance(c, c->size, c->record_x + here * nx,
                                                     c->record_x + before * nx);
    }
    for (int j = 0, k = 0; j <= c->N; j++) {
        double want = (double)j / c->N, low, high;
        for (;; k++) {
            low = 0.5 * (tau[k] / tau[n] + way[k] / way[n]);
            high = 0.5 * (tau[k + 1] / tau[n] + way[k + 1] / way[n]);
            if (high >= want || k + 1 == n)
                break;
        }
        c->mesh[j] = (tau[k] + (want - low) / (high - low) * (tau[k + 1] - tau[k])) / tau[n];
    }
    c->mesh[0] = 0;
    c->mesh[c->N] = 1;
    zw_arena_clear(&work);
    return ZW_OK;
}

zw_status zw_connection_interpolate(zw_connection *c, double a, int n, zw_error *err) {
    int first = c->cut[0], last = c->cut[1];
    bool back = c->record_t[last] < c->record_t[first];
    double t0 = c->record_t[back ? last : first], t1 = c->record_t[back ? first : last],
           T = t1 - t0;
    int nx = c->nx;
    ZW_TRY(zw_connection_allocate(c, n, err));
    ZW_TRY(spread_record(c, first, last, back, err));
    double *before = c->state, *after = c->state + nx;
    for (int j = 0; j <= c->N; j++) {
        record_at(c, first, last, t0 + T * c->mesh[j], (double *)zw_connection_node(c, c->x, j));
        for (int i = 0; i < c->m && j < c->N; i++) {
            double h = zw_connection_width(c, j), small = GUESS_DIFFERENCE * h,
                   tau = c->mesh[j] + c->rule.c[i] * h,
                   *k = (double *)zw_connection_slope(c, c->x, j, i);
            record_at(c, first, last, t0 + T * (tau - small), before);
            record_at(c, first, last, t0 + T * (tau + small), after);
            for (int r = 0; r < nx; r++)
                k[r] = (after[r] - before[r]) / (2 * small);
        }
    }
    c->x[zw_connection_size(c) - 2] = T;
    c->x[zw_connection_size(c) - 1] = a;
    return ZW_OK;
}

zw_status zw_connection_cut(zw_connection *c, double at_nearest, zw_error *err) {
    return cut_record(c, at_nearest, &c->cut[0], &c->cut[1], err);
}

/* -------------------------------------------------------------------------------- from an orbit */

/* Passages of the equilibrium are places of least distance. The orbit may pass it several times;
 * one connection is from the nearest passage to the next one that is about as near. */
static void choose_passages(int n, const double *r, int *from, int *to) {
    *from = 0;
    for (int k = 0; k < n; k++)
        *from = r[k] < r[*from] ? k : *from;
    for (*to = *from + 1; *to < *from + n; (*to)++) {
        double here = r[*to % n];
        if (here <= PASSAGE_SIMILAR * r[*from] && here <= r[(*to + n - 1) % n] &&
            here <= r[(*to + 1) % n])
            break;
    }
}

zw_status zw_connection_record_orbit(zw_connection *c, const zw_connection_orbit *orbit,
                                     zw_error *err) {
    int nx = c->nx, n = ORBIT_PARTS * orbit->n, from, to;
    double *at = c->step, *r = ZW_NEW(&c->arena, double, n + 1);
    if (!r)
        return zw_out_of_memory(err, NULL);
    c->nrecord = 0;
    for (int k = 0; k < 2 * n; k++) { /* two periods */
        int j = k % n / ORBIT_PARTS, i = k % ORBIT_PARTS;
        double tau = orbit->tau[j] + (orbit->tau[j + 1] - orbit->tau[j]) * i / ORBIT_PARTS;
        orbit->at(orbit->user, tau, at);
        for (int e = 0; e < nx; e++)
            at[e] += k >= n ? c->turn[e] : 0;
        ZW_TRY(zw_connection_record_state(c, orbit->period * (tau + (k >= n)), at, err));
    }
    measure_sizes(c, 0, n);
    for (int k = 0; k < n; k++) {
        const double *x = c->record_x + (size_t)(k * nx);
        r[k] = fmin(zw_connection_distance(c, c->size, x, c->end[0].motion.x),
                    zw_connection_distance(c, c->size, x, c->end[1].motion.x));
    }
    choose_passages(n, r, &from, &to);
    c->nrecord = to - from + 1;
    for (int k = 0; k < c->nrecord; k++) {
        c->record_t[k] = c->record_t[from + k];
        memmove(c->record_x + (size_t)(k * nx), c->record_x + (size_t)((from + k) * nx),
                sizeof(double) * (size_t)nx);
        memmove(c->record_rate + (size_t)(k * nx), c->record_rate + (size_t)((from + k) * nx),
                sizeof(double) * (size_t)nx);
    }
    return ZW_OK;
}

/* The place of the record, from k on in steps of `by`, at the distance of the options from an end
 * or farther, where the part that does not belong to its eigenspace is small. */
static int leave_end(const zw_connection *c, int end, int k, int by) {
    for (int left = c->nrecord - 1; left > 0; left--, k += by) {
        const double *x = c->record_x + (size_t)(k * c->nx);
        double far = zw_connection_distance(c, c->size, x, c->end[end].motion.x);
        if (far >= ORBIT_DISTANCE ||
            (far >= c->options.distance && direction_share(c, end, end == 1, x) < AWAY_PART))
            break;
    }
    return k;
}

zw_status zw_connection_cut_orbit(zw_connection *c, zw_error *err) {
    measure_sizes(c, 0, c->nrecord - 1);
    int first = leave_end(c, 0, 0, 1), last = leave_end(c, 1, c->nrecord - 1, -1);
    if (last - first < 4)
        return zw_fail(err, ZW_E_NUMERIC, "the motion between the ends is too short to be one");
    for (int e = 0; e < 2; e++)
        c->far[e] = zw_connection_distance(
            c, c->size, c->record_x + (size_t)((e ? last : first) * c->nx), c->end[e].motion.x);
    if (!(fmax(c->far[0], c->far[1]) < DISTANCE_MAX))
        return zw_fail(
            err, ZW_E_NUMERIC,
            "the distance of the orbit from the equilibrium is at least %.2g of its size",
            fmax(c->far[0], c->far[1]));
    c->cut[0] = first;
    c->cut[1] = last;
    return ZW_OK;
}
