/* SPDX-License-Identifier: MIT */
/* Recorded runs. A run of the model from its start, for a number of steps of its method (which know
 * how fast the motion is), ends at a state. Backwards in time, the distance from it, in units of
 * the range of every entry, first grows and then falls: where it has its first minimum below a
 * limit, one period has passed. Angles are compared up to whole turns, unit quaternions up to their
 * sign. */
#include "orbits_record.h"
#include "base/interrupt.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "motion/segments/periodic.h"
#include "num/run_jumps.h"
#include "orbits_group.h"
#include "zwang/run.h"
#include "zwang/simulate.h"

enum { PARTS = 3, LONG_STEPS = 8, ROWS_MIN = 10, ROWS_MAX = 50000000 };

/* Tolerances of runs. The orbit is solved for afterwards: a run has to come near it only. */
#define RUN_RTOL 1e-8
#define RUN_ATOL 1e-11
/* Positions or velocities (SI): a smaller motion is run again with a tolerance relative to its own
 * size, and at least ATOL_MIN, whose square is still far from underflow. */
#define SMALL_MOTION 1e-5
#define SMALL_ATOL 1e-7
#define ATOL_MIN 1e-20
/* Relative to the range of the motion: distance at which it has left a state, and below which it is
 * back. On chaotic or quasi-periodic motions a larger second one would accept near returns. */
#define DISTANCE_AWAY 0.3
#define DISTANCE_BACK 0.05
/* Relative to the range before: a motion that changes by less while its time doubles beyond
 * REST_TIME [s] is at rest; no motion is slower. TIME_MAX is near the largest double. */
#define REST_FRACTION 1e-7
#define REST_TIME 1e15
#define TIME_MAX 1e290
/* Relative to the range of the run: a motion that changes by less in its second half has settled at
 * rest. A slow decay still moves by more. */
#define SETTLED_FRACTION 1e-5
/* Times the tolerances: changes that errors of the run explain, which accumulate over its steps. */
#define NOISE_FACTOR 100.0
/* Relative to the size of the state: a motion that symmetries explain changes by less; a thousand
 * times RUN_RTOL. */
#define SYMMETRY_RESIDUE 1e-5
/* Relative to the size of the state: weight of coordinates that symmetries shift, which distinguish
 * them; turns alone could be off by one. */
#define SHIFTED_RANGE 1e-2
/* Fraction of the steps of a run that stability alone explains, from which the run is stiff. */
#define STIFF_SHARE 0.3
/* Fraction of a mesh that is uniform; the rest follows the steps of the run. */
#define UNIFORM_SHARE 0.3
/* Fraction of a uniform mesh that is added last: nodes differ although records may coincide. */
#define UNIFORM_LEAST 0.001
/* Relative to the time asked for: a run that ends within it is complete. */
#define TIME_ROUNDOFF 1e-9

static const double *state_of(const zw_orbits_record *r, int k) {
    return r->x + (size_t)k * (size_t)r->o->nx;
}

static zw_status comes_to_rest(zw_error *err) {
    zw_fail(err, ZW_E_NUMERIC, "the model comes to rest from its start, so it has no orbit there");
    zw_error_hint(err, "give another start (--set x=...), or start from a Hopf point of an "
                       "equilibrium (--from hopf)");
    return ZW_E_NUMERIC;
}

/* ----------------------------------------------------------------------------------------- runs */

static zw_status record_points(void *user, zw_run *run, double t0, double t1, zw_error *err) {
    zw_orbits_record *r = user;
    for (int i = 1; i <= PARTS && r->n < r->capacity; i++) {
        r->t[r->n] = i == PARTS ? t1 : t0 + (t1 - t0) * i / PARTS;
        ZW_TRY(zw_run_dense(run, r->t[r->n], r->x + (size_t)r->n * (size_t)r->o->nx, err));
        if (r->n == 0 || r->t[r->n] > r->t[r->n - 1])
            r->n++;
    }
    if (++r->steps >= r->o->options.steps)
        zw_run_pause(run);
    return ZW_OK;
}

zw_status zw_orbits_start_state(zw_orbits *o, double *x, zw_error *err) {
    const zw_system *s = o->sys;
    double *start = ZW_NEW(&o->arena, double, s->nq + s->nv + 1);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    if (o->begin) {
        memcpy(x, o->begin, sizeof(double) * (size_t)o->nx);
    } else {
        ZW_TRY(zw_system_complete(s, o->options.active, 0, o->now, start, NULL, err));
        ZW_TRY(zw_equations_state(&o->eq, 0, o->now, start, x, err));
    }
    ZW_TRY(zw_flow_set_parameters(o->flow, o->now, err));
    return zw_flow_project(o->flow, 0, x, NULL, err);
}

static double swing_between(const zw_orbits_record *r, int i, int from, int to) {
    double low = INFINITY, high = -INFINITY;
    for (int k = from; k < to; k++) {
        low = fmin(low, state_of(r, k)[i]);
        high = fmax(high, state_of(r, k)[i]);
    }
    return to > from ? high - low : 0;
}

/* Has anything moved since point `from`, by more than a fraction of its range in the whole run and
 * by more than errors? */
static bool has_moved(const zw_orbits_record *r, int from, double part) {
    for (int i = 0; i < r->o->nx; i++) {
        double swing = swing_between(r, i, from, r->n);
        if (r->o->essential[i] && swing > NOISE_FACTOR * r->atol &&
            swing > part * swing_between(r, i, 0, r->n))
            return true;
    }
    return false;
}

/* runs for the number of steps of the options; the end time doubles until they are taken */
static zw_status run_steps(zw_orbits_record *r, zw_run *run, zw_error *err) {
    int event;
    for (double until = r->until > 0 ? r->until : 1;; until *= 2) {
        zw_status status = ZW_EVENT;
        int before = r->steps, from = r->n > 0 ? r->n - 1 : 0;
        while (status == ZW_EVENT && r->steps < r->o->options.steps)
            status = zw_run_advance(run, until, &event, err);
        if (status < 0)
            return status;
        if (r->until > 0 || r->steps >= r->o->options.steps)
            return ZW_OK;
        if (until > TIME_MAX || (until > REST_TIME && r->steps - before < LONG_STEPS &&
                                 !has_moved(r, from, REST_FRACTION))) {
            r->rests = true;
            return comes_to_rest(err);
        }
    }
}

static zw_status find_rates(zw_orbits_record *r, zw_error *err) {
    size_t nx = (size_t)r->o->nx;
    for (int k = 0; k < r->n; k++)
        ZW_TRY(zw_flow_rates(r->o->flow, r->t[k], state_of(r, k), r->rate + (size_t)k * nx, NULL,
                             err));
    return ZW_OK;
}

static zw_status allocate_record(zw_orbits *o, zw_orbits_record *r, int capacity, zw_error *err) {
    size_t n = (size_t)capacity * (size_t)o->nx + 1;
    r->o = o;
    r->capacity = capacity;
    r->n = r->steps = 0;
    r->t = ZW_NEW(&o->arena, double, capacity + 1);
    r->x = ZW_NEW(&o->arena, double, n);
    r->rate = ZW_NEW(&o->arena, double, n);
    return zw_arena_status(&o->arena, err);
}

static zw_status run_once(zw_orbits *o, zw_orbits_record *r, zw_error *err) {
    zw_run_options options = zw_run_options_default();
    zw_run *run = NULL;
    double *x = ZW_NEW(&o->arena, double, o->nx + 1);
    options.rtol = RUN_RTOL;
    options.atol = r->atol;
    if (r->method)
        options.method = r->method;
    if (!x)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(allocate_record(o, r, PARTS * o->options.steps + 2, err));
    ZW_TRY(zw_orbits_start_state(o, x, err));
    memcpy(r->x, x, sizeof(double) * (size_t)o->nx);
    r->n = 1;
    ZW_TRY(zw_run_create(&run, o->kernel, o->now, &options, err));
    zw_run_on_want(run, zw_kernel_serve, o->kernel);
    zw_run_on_piece(run, record_points, r);
    zw_status status = zw_run_start(run, 0, x, err);
    if (status >= 0)
        status = run_steps(r, run, err);
    zw_run_destroy(run);
    if (status >= 0)
        status = zw_flow_renew(o->flow, err);
    return status >= 0 ? find_rates(r, err) : status;
}

/* the range of the position that moves most in the second half, or that of its velocity if less;
 * for first-order models that of the state that moves most */
static double size_of(const zw_orbits_record *r) {
    const zw_orbits *o = r->o;
    int nq = o->sys->nq, most = -1;
    double swing = 0;
    for (int i = 0; i < nq; i++) {
        double own = o->essential[i] ? swing_between(r, i, r->n / 2, r->n) : 0;
        if (own > swing) {
            swing = own;
            most = i;
        }
    }
    if (most >= 0 && o->sys->nv == nq)
        swing = fmin(swing, swing_between(r, nq + most, r->n / 2, r->n));
    return swing;
}

zw_status zw_orbits_record_run(zw_orbits *o, const char *method, zw_orbits_record *r,
                               zw_error *err) {
    *r = (zw_orbits_record){.atol = RUN_ATOL, .method = method};
    ZW_TRY(run_once(o, r, err));
    double size = size_of(r);
    if (size > 0 && size < SMALL_MOTION) { /* a small or slow motion: tolerance relative to it */
        *r = (zw_orbits_record){.atol = fmax(SMALL_ATOL * size, ATOL_MIN), .method = method};
        return run_once(o, r, err);
    }
    return ZW_OK;
}

void zw_orbits_record_end(const zw_orbits_record *r) {
    zw_orbits *o = r->o;
    o->ended_at_rest = r->rests || (r->n > 1 && !has_moved(r, r->n / 2, SETTLED_FRACTION));
    if (r->n > 0)
        memcpy(o->ended, state_of(r, r->n - 1), sizeof(double) * (size_t)o->nx);
}

zw_status zw_orbits_record_is_stiff(const zw_orbits_record *r, bool *stiff, zw_error *err) {
    double half = r->t[r->n / 2], steps;
    zw_orbit about = {.start = half,
                      .period = r->t[r->n - 1] - half,
                      .at = zw_orbits_record_at,
                      .user = (void *)r};
    *stiff = false;
    if (r->n < PARTS * LONG_STEPS || r->method)
        return ZW_OK;
    ZW_TRY(zw_orbits_stiffness(r->o, &about, &steps, err));
    *stiff = steps > STIFF_SHARE * r->steps / 2;
    return ZW_OK;
}

zw_status zw_orbits_record_over(zw_orbits *o, zw_orbits_record *r, double time, zw_error *err) {
    *r = (zw_orbits_record){.atol = RUN_ATOL, .until = time};
    ZW_TRY(run_once(o, r, err));
    if (r->t[r->n - 1] >= time * (1 - TIME_ROUNDOFF))
        return ZW_OK;
    zw_fail(err, ZW_E_NUMERIC, "in %d steps the run reached only t = %.6g s of %.6g s", r->steps,
            r->t[r->n - 1], time);
    zw_error_hint(err, "--steps runs longer");
    return ZW_E_NUMERIC;
}

/* -------------------------------------------------------------------------------------- results */

static zw_status find_column(const zw_table *t, const char *name, int *column, zw_error *err) {
    *column = zw_table_find(t, name);
    if (*column >= 0)
        return ZW_OK;
    zw_fail(err, ZW_E_FILE, "the run has no column %s, of which the state of the model consists",
            name);
    zw_error_hint(err, "zwang run MODEL --out FILE writes it");
    return ZW_E_FILE;
}

zw_status zw_orbits_record_result(zw_orbits *o, zw_orbits_record *r, const zw_table *result,
                                  zw_error *err) {
    const zw_system *s = o->sys;
    const char *kind = zw_table_get_note(result, "kind");
    long rows = zw_table_rows(result);
    int *column = ZW_NEW(&o->arena, int, o->nx + 1), time;
    *r = (zw_orbits_record){.atol = RUN_ATOL};
    if (!column)
        return zw_out_of_memory(err, NULL);
    if (kind)
        return zw_fail(err, ZW_E_FILE, "the result is no motion but of the kind '%.40s'", kind);
    if (rows < ROWS_MIN || rows > ROWS_MAX)
        return zw_fail(err, ZW_E_FILE, "the run has %ld rows: too few, or too many, for an orbit",
                       rows);
    ZW_TRY(find_column(result, "t", &time, err));
    for (int i = 0; i < o->nx; i++)
        ZW_TRY(find_column(result, i < s->nq ? s->coord[i].name : s->velocity[i - s->nq].name,
                           &column[i], err));
    ZW_TRY(allocate_record(o, r, (int)rows, err));
    for (long k = 0; k < rows; k++) {
        double t = zw_table_at(result, k, time), *x = r->x + (size_t)r->n * (size_t)o->nx;
        bool finite = isfinite(t);
        for (int i = 0; i < o->nx; i++) {
            x[i] = zw_table_at(result, k, column[i]);
            finite &= isfinite(x[i]);
        }
        if (!finite || (r->n > 0 && t < r->t[r->n - 1]))
            return zw_fail(err, ZW_E_FILE, "row %ld of the run is no state after the one before it",
                           k);
        if (r->n > 0 && t == r->t[r->n - 1])
            continue;
        r->t[r->n++] = t;
    }
    r->steps = r->n;
    ZW_TRY(zw_flow_set_parameters(o->flow, o->now, err));
    return find_rates(r, err);
}

/* ----------------------------------------------------------------------------------- the period */

/* the change of entry i in the last half that errors of the run explain */
static double noise_of(const zw_orbits_record *r, int i) {
    double most = 0;
    for (int k = r->n / 2; k < r->n; k++)
        most = fmax(most, fabs(state_of(r, k)[i]));
    return NOISE_FACTOR * (r->atol + RUN_RTOL * most);
}

/* Ranges in the last half, 0 for entries that need not be periodic; an angle counts at most one
 * turn. An entry that moves only by errors (as fast ones with steps limited by stability do)
 * follows the steps: it is left out if others move. */
static void find_swings(const zw_orbits_record *r, double *swing) {
    const zw_orbits *o = r->o;
    bool moves = false;
    for (int i = 0; i < o->nx; i++) {
        swing[i] = o->essential[i] ? swing_between(r, i, r->n / 2, r->n) : 0;
        double turn = o->group.n ? o->group.wraps[i] : o->wraps[i];
        if (turn > 0)
            swing[i] = fmin(swing[i], turn);
        moves |= swing[i] > noise_of(r, i);
    }
    for (int i = 0; i < o->nx && moves; i++)
        if (swing[i] <= noise_of(r, i))
            swing[i] = 0;
}

/* the change of entry i from one state to another, by the shortest way around */
static double shortest_change(const zw_orbits *o, int i, double from, double to) {
    return zw_orbits_reduce_turns(o, i, to - from);
}

/* state k, moved by the symmetries as near to `from` as possible; theta continues from the
 * last one */
static const double *seen_from(const zw_orbits_record *r, const double *swing, int k,
                               const double *from, double *work) {
    zw_orbits_group *g = &r->o->group;
    double by = r->t[k] - g->last;
    if (!g->n)
        return state_of(r, k);
    for (int i = 0; i < g->n; i++) { /* extrapolated, for what turns fast */
        g->theta[i] += by * g->rate[i];
        g->rate[i] = by != 0 ? g->rate[i] - g->theta[i] / by : g->rate[i];
    }
    zw_orbits_align(r->o, from, state_of(r, k), swing, false, g->theta, work);
    for (int i = 0; i < g->n && by != 0; i++) /* change of theta over the time since */
        g->rate[i] += g->theta[i] / by;
    g->last = r->t[k];
    return work;
}

/* at the beginning of a pass through the record */
static void forget_turning(const zw_orbits_record *r, double t) {
    zw_orbits_group *g = &r->o->group;
    g->last = t;
    for (int i = 0; i < g->n; i++)
        g->theta[i] = g->rate[i] = 0;
}

static double point_distance(const zw_orbits_record *r, const double *swing, int k,
                             const double *from, double *sign) {
    const double *x = seen_from(r, swing, k, from, sign + r->o->nx + 1);
    double sum = 0;
    int n = 0;
    zw_orbits_signs(r->o, from, x, sign);
    for (int i = 0; i < r->o->nx; i++)
        if (swing[i] > 0) {
            double d = shortest_change(r->o, i, from[i], sign[i] * x[i]) / swing[i];
            sum += d * d;
            n++;
        }
    return n ? sqrt(sum / n) : 0;
}

/* where it moves as it does at `from`, between points k and k + 1: the time of the least distance
 * of the chord */
static double nearest_time(const zw_orbits_record *r, const double *swing, int k,
                           const double *from, double *sign) {
    double along = 0, length = 0, *work = sign + r->o->nx + 1;
    const double *b = seen_from(r, swing, k + 1, from, work),
                 *a = seen_from(r, swing, k, from, work + r->o->nx);
    zw_orbits_signs(r->o, from, a, sign);
    for (int i = 0; i < r->o->nx; i++)
        if (swing[i] > 0) {
            double step = sign[i] * (b[i] - a[i]) / swing[i],
                   to = shortest_change(r->o, i, sign[i] * a[i], from[i]) / swing[i];
            along += step * to;
            length += step * step;
        }
    double s = length > 0 ? fmin(fmax(along / length, 0), 1) : 0;
    return r->t[k] + s * (r->t[k + 1] - r->t[k]);
}

enum { POINTS = 1000 }; /* of a record that are examined */

/* ranges that remain after the symmetries are removed; 0 if nothing remains */
static void find_turned_swings(const zw_orbits_record *r, bool first, const double *end,
                               double *swing, double *work) {
    zw_orbits_group *g = &r->o->group;
    int nx = r->o->nx;
    double *low = work, *high = low + nx, *state = high + nx;
    for (int i = 0; i < nx; i++) {
        low[i] = high[i] = end[i];
        if (zw_orbits_is_shifted(r->o, i)) /* they determine the symmetry */
            swing[i] = fmin(swing[i], SHIFTED_RANGE * g->size[i]);
    }
    forget_turning(r, r->t[first ? 0 : r->n - 1]);
    for (int k = 1; k < r->n && k < POINTS; k++) {
        const double *x = seen_from(r, swing, first ? k : r->n - 1 - k, end, state);
        for (int i = 0; i < nx; i++) {
            low[i] = fmin(low[i], x[i]);
            high[i] = fmax(high[i], x[i]);
        }
    }
    for (int i = 0; i < nx; i++) {
        double left = high[i] - low[i];
        bool shifted = zw_orbits_is_shifted(r->o, i);
        if (left > SYMMETRY_RESIDUE * g->size[i])
            swing[i] = shifted ? left : fmin(swing[i], left);
        else if (!shifted)
            swing[i] = 0;
    }
}

/* Largest distance of the motion from its end (its beginning) in the units of point_distance; with
 * symmetries it is less than the ranges of all entries together. */
static double farthest_distance(const zw_orbits_record *r, const double *swing, bool first,
                                const double *end, double *sign) {
    double most = 0;
    forget_turning(r, r->t[first ? 0 : r->n - 1]);
    for (int i = 1; i < r->n && i < POINTS; i++)
        most = zw_interrupted()
                   ? most
                   : fmax(most, point_distance(r, swing, first ? i : r->n - 1 - i, end, sign));
    forget_turning(r, r->t[first ? 0 : r->n - 1]);
    return fmin(most / DISTANCE_AWAY / 2, 1);
}

static zw_status never_back(const zw_orbits_record *r, zw_error *err) {
    zw_fail(err, ZW_E_NUMERIC,
            "the motion from the start of the model does not come back to where it was, in %d "
            "steps up to t = %.6g s",
            r->steps, r->t[r->n - 1]);
    zw_error_hint(err, "use more --steps, or give an estimate with --period; the motion may also "
                       "be quasi-periodic or chaotic");
    return ZW_E_NUMERIC;
}

zw_status zw_orbits_record_period(const zw_orbits_record *r, bool first, double *period,
                                  zw_error *err) {
    zw_orbits *o = r->o;
    double *swing = ZW_NEW(&o->arena, double, 5 * o->nx + 4), best = INFINITY,
           half = first ? r->t[0] : r->t[r->n / 2];
    const double *end = state_of(r, first ? 0 : r->n - 1);
    zw_orbit about = {.start = half,
                      .period = r->t[r->n - 1] - half,
                      .at = zw_orbits_record_at,
                      .user = (void *)r};
    bool away = false;
    int at = -1;
    if (!swing)
        return zw_out_of_memory(err, NULL);
    double *sign = swing + o->nx + 1;
    if (!has_moved(r, r->n / 2, SETTLED_FRACTION))
        return comes_to_rest(err);
    ZW_TRY(zw_orbits_choose_group(o, &about, err));
    find_swings(r, swing);
    if (o->group.n)
        find_turned_swings(r, first, end, swing, sign);
    double size = o->group.n ? farthest_distance(r, swing, first, end, sign) : 1;
    for (int i = 1; i < r->n; i++) {
        int k = first ? i : r->n - 1 - i;
        ZW_TRY(zw_interrupt_check(err));
        double d = point_distance(r, swing, k, end, sign);
        away |= d > DISTANCE_AWAY * size;
        if (!away)
            continue;
        if (d < DISTANCE_BACK * size && d < best) {
            best = d;
            at = k;
        }
        if (at >= 0 && d > DISTANCE_AWAY * size)
            break;
    }
    if (at < 0 || at == r->n - 1)
        return never_back(r, err);
    int from = at > 0 && point_distance(r, swing, at - 1, end, sign) <
                             point_distance(r, swing, at + 1, end, sign)
                   ? at - 1
                   : at;
    *period = fabs(r->t[first ? 0 : r->n - 1] - nearest_time(r, swing, from, end, sign));
    return ZW_OK;
}

/* --------------------------------------------------------------------------- between its points */

static int place_of(const zw_orbits_record *r, double t) {
    int low = 0, high = r->n - 1;
    while (high - low > 1) {
        int mid = (low + high) / 2;
        *(t < r->t[mid] ? &high : &low) = mid;
    }
    return low;
}

/* cubic polynomials through the points */
zw_status zw_orbits_record_at(void *record, double t, double *x, zw_error *err) {
    const zw_orbits_record *r = record;
    int low = place_of(r, t);
    size_t nx = (size_t)r->o->nx;
    double h = r->t[low + 1] - r->t[low], s = (t - r->t[low]) / h, s2 = s * s, s3 = s2 * s;
    const double *a = state_of(r, low), *b = state_of(r, low + 1), *da = r->rate + (size_t)low * nx,
                 *db = da + nx;
    (void)err;
    for (size_t i = 0; i < nx; i++)
        x[i] = (2 * s3 - 3 * s2 + 1) * a[i] + (3 * s2 - 2 * s3) * b[i] +
               h * ((s3 - 2 * s2 + s) * da[i] + (s3 - s2) * db[i]);
    return ZW_OK;
}

int zw_orbits_record_zeros(const zw_orbits_record *r, const zw_orbits_section *s, int most,
                           double *t) {
    int n = 0, direction = s->direction;
    double x[1024], last = NAN;
    if (r->o->nx > 1024)
        return 0;
    for (int k = 0; k < r->n && n < most; k++) {
        double v = s->value(s->user, r->t[k], state_of(r, k)), before = last;
        last = v;
        int goes = before < 0 && v >= 0 ? 1 : before > 0 && v <= 0 ? -1 : 0;
        if (k == 0 || goes == 0 || (direction && goes != direction))
            continue;
        direction = goes;
        double low = r->t[k - 1], high = r->t[k];
        for (int i = 0; i < 100 && high - low > 4 * DBL_EPSILON * fabs(high); i++) {
            double mid = 0.5 * (low + high);
            zw_orbits_record_at((void *)r, mid, x, NULL);
            *(goes * s->value(s->user, mid, x) < 0 ? &low : &high) = mid;
        }
        t[n++] = high;
    }
    return n;
}

void zw_orbits_record_mesh(const zw_orbits_record *r, double from, double period, int n,
                           double *mesh, int *points) {
    int first = place_of(r, from), last = place_of(r, from + period) + 1;
    double total = last - first;
    int k = first;
    *points = last - first;
    mesh[0] = 0;
    mesh[n] = 1;
    /* fraction of the mesh before time t: UNIFORM_SHARE (t - from)/period + (1 - UNIFORM_SHARE)
     * (points before it)/total */
    double before = 0, t_before = from;
    for (int j = 1; j < n; j++) {
        double want = (double)j / n, share = before, t = t_before;
        for (; k < last; k++) {
            t = fmin(fmax(r->t[k + 1 < r->n ? k + 1 : r->n - 1], from), from + period);
            share =
                UNIFORM_SHARE * (t - from) / period + (1 - UNIFORM_SHARE) * (k + 1 - first) / total;
            if (share >= want)
                break;
            before = share;
            t_before = t;
        }
        double s = share > before ? fmin((want - before) / (share - before), 1) : 1;
        mesh[j] = fmin(fmax((t_before + s * (t - t_before) - from) / period, mesh[j - 1]), 1);
    }
    for (int j = 1; j < n; j++) /* strictly ascending, also after round-off */
        mesh[j] = (1 - UNIFORM_LEAST) * mesh[j] + UNIFORM_LEAST * j / n;
}
