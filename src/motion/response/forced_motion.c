/* SPDX-License-Identifier: MIT */
/* Properties of one forced motion: the change by the harmonics that it lacks, its multipliers, and
 * the measures of its quantities over a period. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "branch/curve.h"
#include "forced.h"
#include "motion/harmonic/balance.h"
#include "motion/segments/periodic.h"

/* distance of a multiplier from the unit circle at which a bifurcation may be close: multipliers
 * are then computed with CRITICAL_TOLERANCE */
#define NEAR_CIRCLE 1e-3
/* error of multipliers near the unit circle: bifurcations are located by their zeros there */
#define CRITICAL_TOLERANCE 1e-12
/* chosen by trial: error of multipliers relative to the error of the motion; it was below this in
 * the models of the tests */
#define MOTION_TO_MULTIPLIER 10
enum {
    TONE_PERIODS = 16, /* periods of the first excitation along which coordinates are checked */
    /* unknowns from which on a step with more combinations is computed by iteration */
    ITERATED = 500
};
/* relative to the slowest frequency: error of the exponents of a motion that is reported alone: six
 * digits */
#define EXPONENTS_EXACT 1e-6
/* relative to the size of a motion: distance of two that are the same; series that are cut differ
 * by up to the tolerance */
#define SAME_MOTION 1e-5
/* relative to the whole: motion without its means that is rounding, so that an error is not
 * relative to it */
#define MOVING_LEAST 1e-7
/* relative to the sizes of the model: a motion so small may be rest, up to the residual of Newton's
 * method */
#define REST_NEAR 1e-6
/* relative to the sizes of the model: a smaller motion is corrected again in its own size, with two
 * digits more */
#define SMALL_MOTION 1e-2
/* error of multipliers of free motions: two at 1 are as sensitive as a double root, and smaller
 * errors are rarely reached */
#define FREE_TOLERANCE 1e-6
/* accuracy of the multipliers of a free motion that counts as stable: three digits, as for other
 * motions */
#define FREE_ACCURACY 1e-3

/* ---------------------------------------------------------------------------------------- error */

/* the root of the mean square over the period, in units of the sizes of the functions */
static double motion_size(const zw_forced *f, const double *x, int n) {
    double sum = 0;
    int nq = f->sys->nq;
    for (int i = 0; i < nq; i++)
        for (int k = 0; k < n; k++) {
            double c = x[i * n + k] / f->scale[i];
            sum += c * c;
        }
    return sqrt(0.5 * sum);
}

/* the same without the means, but not zero: a motion far from the origin is not large for that */
static double moving_size(const zw_forced *f, const zw_harmonic *of, const double *x) {
    int n = zw_harmonic_coefficients(of);
    double sum = 0, all = motion_size(f, x, n);
    for (int i = 0; i < f->sys->nq; i++) {
        double mean, unused;
        zw_harmonic_part(of, x, i, 0, &mean, &unused);
        sum += mean * mean / (f->scale[i] * f->scale[i]);
    }
    return fmax(sqrt(fmax(all * all - 0.5 * sum, 0)), MOVING_LEAST * all);
}

/* the plane of the step: at a fold no small step exists at a fixed value */
static void set_plane(const zw_forced *f, const zw_harmonic *with, const double *tangent,
                      double *row, int all) {
    memset(row, 0, sizeof(double) * (size_t)all);
    row[all] = 1;
    if (!tangent)
        return;
    int n = zw_harmonic_coefficients(with);
    double unit = zw_forced_unit(f), largest;
    zw_harmonic_embed(f->balance, tangent, with, row);
    row[all] = tangent[zw_harmonic_problem(f->balance).n] / (unit * unit);
    largest = fabs(row[all]);
    for (int k = 0; k < all; k++) { /* multipliers of constraints follow from the coordinates */
        double scale = f->scale[k / n];
        row[k] = k / n < f->sys->nq ? row[k] / (scale * scale) : 0;
        largest = fmax(largest, fabs(row[k]));
    }
    for (int k = 0; k <= all && largest > 0; k++)
        row[k] /= largest;
}

/* records the change of every harmonic by the finer equations */
static void record_changes(zw_forced *f, const double *b, int n, double motion) {
    bool mean = !f->options.odd;
    memset(f->finer_change, 0, sizeof(double) * (size_t)f->nfiner);
    for (int i = 0; i < f->sys->nq; i++)
        for (int k = 0; k < n; k++) {
            double c = b[i * n + k] / (f->scale[i] * motion);
            f->finer_change[(k + mean) / 2] += 0.5 * c * c;
        }
    for (int k = 0; k < f->nfiner; k++)
        f->finer_change[k] = sqrt(f->finer_change[k]);
}

static zw_status step_with_matrix(const zw_cont_problem *p, const double *x, double value,
                                  const double *row, double *b, zw_error *err) {
    zw_status status = p->residual(p->self, x, value, b, err);
    if (status == ZW_OK)
        status = p->factor(p->self, x, value, row, err);
    if (status != ZW_OK)
        return status;
    b[p->n] = 0;
    p->solve(p->self, b);
    return ZW_OK;
}

/* the relative change of f->x by one Newton step with other harmonics */
static zw_status step_with(zw_forced *f, zw_harmonic *with, double value, const double *tangent,
                           double *error, zw_error *err) {
    zw_cont_problem p = zw_harmonic_problem(with);
    int n = zw_harmonic_coefficients(with);
    double *b = f->b, *row = f->y;
    *error = NAN;
    zw_harmonic_embed(f->balance, f->x, with, f->finer_x);
    set_plane(f, with, tangent, row, p.n);
    zw_status status = p.n > ITERATED && zw_forced_has_tones(f)
                           ? zw_harmonic_step(f->balance, with, f->finer_x, value, row, b, err)
                           : ZW_RETRY;
    if (status == ZW_RETRY)
        status = step_with_matrix(&p, f->finer_x, value, row, b, err);
    if (status < 0)
        return status;
    if (status != ZW_OK)
        return ZW_OK;
    double motion = moving_size(f, with, f->finer_x), step = motion_size(f, b, n);
    if (zw_forced_has_tones(f) && with == f->finer)
        record_changes(f, b, n, motion);
    *error = motion > 0 ? step / motion : step;
    return ZW_OK;
}

zw_status zw_forced_error(zw_forced *f, double value, const double *tangent, double *error,
                          zw_error *err) {
    if (!zw_forced_has_tones(f))
        return step_with(f, f->finer, value, tangent, error, err);
    ZW_TRY(zw_forced_tones_residual(f, value, err));
    ZW_TRY(zw_forced_make_finer(f, err));
    ZW_TRY(step_with(f, f->finer, value, tangent, error, err));
    double square = f->unseen * f->unseen;
    for (int i = 0; isnan(*error) && i < f->nmissing; i++) /* without a step: the lines alone */
        square += f->missing_size[i] * f->missing_size[i];
    *error = isnan(*error) ? sqrt(square) : hypot(*error, f->unseen);
    return ZW_OK;
}

/* adds the change by even harmonics, if the motion has only odd ones: more odd ones do not show
 * it */
static zw_status add_even(zw_forced *f, double value, const double *tangent, zw_forced_motion *m,
                          zw_error *err) {
    double error;
    if (!f->with_even)
        return ZW_OK;
    ZW_TRY(step_with(f, f->with_even, value, tangent, &error, err));
    f->worst_even = fmax(f->worst_even, error);
    m->error = fmax(m->error, error);
    return ZW_OK;
}

static double residual_of(const zw_forced *f, const zw_cont_problem *p, double value) {
    double largest = 0;
    if (p->residual(p->self, f->x, value, f->b, NULL) != ZW_OK)
        return INFINITY;
    for (int i = 0; i < p->n; i++)
        largest = fmax(largest, fabs(f->b[i]));
    return largest;
}

/* Newton's method comes close to rest and never reaches it: if rest solves the equations as well,
 * it replaces f->x. */
static bool is_rest(zw_forced *f, const zw_cont_problem *p, double value) {
    int n = zw_harmonic_coefficients(f->balance), moving = f->nfunction - f->eq.nc;
    if (!f->scale || motion_size(f, f->x, n) > REST_NEAR)
        return false;
    double before = residual_of(f, p, value);
    memcpy(f->y, f->x, sizeof(double) * (size_t)p->n);
    memset(f->x, 0, sizeof(double) * (size_t)(moving * n));
    if (residual_of(f, p, value) <= before)
        return true;
    memcpy(f->x, f->y, sizeof(double) * (size_t)p->n);
    return false;
}

/* corrects a motion that is much smaller than the sizes of the model in units of its own size; one
 * that is only rounding remains as it is */
static void correct_small_motion(zw_forced *f, const zw_cont_problem *p, double value) {
    int n = zw_harmonic_coefficients(f->balance);
    double size = motion_size(f, f->x, n);
    if (!(size > 0) || size > SMALL_MOTION || !f->scale)
        return;
    memcpy(f->y, f->x, sizeof(double) * (size_t)p->n);
    for (int i = 0; i < f->nfunction; i++)
        f->scale[i] *= size;
    zw_harmonic_scale(f->balance, f->scale, zw_forced_unit(f));
    bool better = zw_cont_correct(p, ZW_NEWTON, f->x, value, NULL, NULL, NULL) >= 0;
    for (int i = 0; i < f->nfunction; i++)
        f->scale[i] /= size;
    zw_harmonic_scale(f->balance, f->scale, zw_forced_unit(f));
    if (!better)
        memcpy(f->x, f->y, sizeof(double) * (size_t)p->n);
}

bool zw_forced_may_grow(const zw_forced *f) {
    return !f->options.harmonics &&
           (zw_forced_has_tones(f) ? !f->level_full : f->top < f->options.harmonics_max);
}

int zw_forced_more_harmonics(const zw_forced *f) {
    if (zw_forced_has_tones(f))
        return f->top + 1;
    int next = f->top + (f->top + 1) / 2;
    return next < f->options.harmonics_max ? next : f->options.harmonics_max;
}

zw_status zw_forced_refine(zw_forced *f, double value, zw_error *err) {
    for (;;) {
        zw_cont_problem p = zw_harmonic_problem(f->balance);
        double error;
        ZW_TRY(zw_cont_correct(&p, ZW_NEWTON, f->x, value, NULL, NULL, err));
        if (!is_rest(f, &p, value))
            correct_small_motion(f, &p, value);
        if (f->options.harmonics)
            return ZW_OK;
        ZW_TRY(zw_forced_error(f, value, NULL, &error, err));
        if (error <= f->options.tolerance)
            return ZW_OK;
        if (!zw_forced_may_grow(f))
            return ZW_OK; /* the estimate is reported with the motion */
        if (zw_forced_needs_shooting(f, zw_forced_more_harmonics(f), false))
            return ZW_OK;
        ZW_TRY(zw_forced_set_harmonics(f, zw_forced_more_harmonics(f), err));
    }
}

/* ---------------------------------------------------------------------------------- multipliers */

typedef struct series {
    const zw_forced *f;
    const double *x;
    double w;
} series;

static zw_status state_at(void *user, double t, double *x, zw_error *err) {
    const series *s = user;
    (void)err;
    zw_harmonic_state(s->f->balance, s->x, s->w, t, x, NULL);
    return ZW_OK;
}

/* Is a multiplier near the unit circle? Then a bifurcation may be located here, which needs more
 * digits. */
static bool is_near_circle(const zw_floquet *m) {
    for (int i = 0; i < m->n; i++)
        if (fabs(hypot(m->re[i], m->im[i]) - 1) < NEAR_CIRCLE)
            return true;
    return false;
}

/* multipliers on the manifold of constraints, by integration with as many steps as their tolerance
 * needs */
static zw_status integrate_motion(zw_forced *f, const double *x, double value, zw_error *err) {
    double w, slope;
    ZW_TRY(zw_forced_set(f, value, f->now, &w, &slope, err));
    ZW_TRY(zw_flow_set_parameters(f->flow, f->now, err));
    w = zw_forced_frequency(f, x, w);
    series s = {f, x, w};
    zw_orbit orbit = {.start = 0, .period = 2 * M_PI / w, .at = state_at, .user = &s};
    zw_floquet_options o = zw_floquet_options_default();
    o.autonomous = f->cycles;
    if (f->options.free) { /* two multipliers at 1 are as sensitive as a double root */
        o.tolerance = FREE_TOLERANCE;
        o.intervals_max = 128;
    }
    ZW_TRY(zw_floquet_find(&f->last, f->flow, &orbit, &o, err));
    if (f->options.free || !is_near_circle(&f->last))
        return ZW_OK;
    zw_floquet better;
    o.tolerance = CRITICAL_TOLERANCE;
    o.intervals = f->last.intervals;
    o.intervals_max = 4 * f->last.intervals;
    zw_status status = zw_floquet_find(&better, f->flow, &orbit, &o, NULL);
    if (status < 0)
        return status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : ZW_OK;
    zw_floquet_clear(&f->last);
    f->last = better;
    return ZW_OK;
}

static bool is_last(const zw_forced *f, const double *x, double value, int n) {
    return f->last_known && f->last_n == n &&
           (f->last_value == value || (isnan(value) && isnan(f->last_value))) &&
           memcmp(x, f->last_x, sizeof(double) * (size_t)n) == 0;
}

zw_status zw_forced_floquet(zw_forced *f, const double *x, double value, zw_floquet *out,
                            zw_error *err) {
    double w, slope;
    zw_status status = zw_harmonic_multipliers(f->balance, x, value, out, err);
    if (status != ZW_RETRY)
        return status;
    ZW_TRY(zw_forced_set(f, value, f->now, &w, &slope, err));
    ZW_TRY(zw_flow_set_parameters(f->flow, f->now, err));
    w = zw_forced_frequency(f, x, w);
    series s = {f, x, w};
    zw_orbit orbit = {.start = 0, .period = 2 * M_PI / w, .at = state_at, .user = &s};
    zw_floquet_options o = zw_floquet_options_default();
    o.autonomous = f->cycles;
    return zw_floquet_find(out, f->flow, &orbit, &o, err);
}

zw_status zw_forced_multipliers(zw_forced *f, const double *x, double value, const zw_floquet **out,
                                zw_error *err) {
    int n = zw_harmonic_problem(f->balance).n;
    *out = f->last_failed ? NULL : &f->last;
    if (is_last(f, x, value, n))
        return ZW_OK;
    zw_error trouble = {0};
    zw_floquet_clear(&f->last);
    zw_status status;
    if (f->slow) {
        double w, slope;
        ZW_TRY(zw_forced_set(f, value, f->now, &w, &slope, err));
        status = zw_forced_slow_multipliers(f, x, zw_forced_frequency(f, x, w), &f->last, &trouble);
    } else {
        status = zw_harmonic_multipliers(f->balance, x, value, &f->last, &trouble);
        if (status == ZW_RETRY)
            status = integrate_motion(f, x, value, &trouble);
    }
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    f->last_failed = status < 0;
    f->last_known = true;
    f->last_value = value;
    f->last_n = n;
    memcpy(f->last_x, x, sizeof(double) * (size_t)n);
    *out = f->last_failed ? NULL : &f->last;
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------
 * measures */

/* A point of the motion f->x: state, observables, and the frequency of the motion. */
typedef struct motion_point {
    zw_forced *f;
    double w, *x, *seen;
} motion_point;

static zw_status evaluate_at(const motion_point *l, double t, zw_error *err) {
    const zw_system *s = l->f->sys;
    zw_harmonic_state(l->f->balance, l->f->x, l->w, t, l->x, NULL);
    zw_status status =
        s->nobservable ? zw_flow_observables(l->f->flow, t, l->x, l->seen, err) : ZW_OK;
    for (int i = 0; l->f->winding && i < s->nq; i++) /* the angle without its mean rotation */
        l->x[i] -= l->f->winding[i] * l->w * t;
    return status;
}

static double quantity_at(const motion_point *l, int k) {
    int nq = l->f->sys->nq;
    return k < nq ? l->x[k] : l->seen[k - nq];
}

/* The largest value of quantity k (sign -1: of its negative) near t, from its values there and at
 * the distance h on both sides: a parabola, then two narrower ones about its maximum. */
static zw_status refine_extremum(const motion_point *l, int k, double sign, double t, double h,
                                 double *value, zw_error *err) {
    double best = -INFINITY;
    for (int round = 0; round < 3; round++, h /= 16) {
        double v[3];
        for (int i = 0; i < 3; i++) {
            ZW_TRY(evaluate_at(l, t + (i - 1) * h, err));
            v[i] = sign * quantity_at(l, k);
            best = fmax(best, v[i]);
        }
        double curvature = v[0] - 2 * v[1] + v[2],
               offset = curvature < 0 ? (v[0] - v[2]) / (2 * curvature) : 0;
        t += fmin(fmax(offset, -1), 1) * h;
    }
    ZW_TRY(evaluate_at(l, t, err));
    *value = sign * fmax(best, sign * quantity_at(l, k));
    return ZW_OK;
}

static void measure_samples(const double *v, int S, int *highest, int *lowest,
                            zw_motion_measure *m) {
    double mean = 0, square = 0, c = 0, s = 0, cosine = 1, sine = 0,
           step_cosine = cos(2 * M_PI / S), step_sine = sin(2 * M_PI / S);
    int high = 0, low = 0;
    for (int i = 0; i < S; i++) {
        double old = cosine;
        mean += v[i];
        square += v[i] * v[i];
        c += v[i] * cosine;
        s += v[i] * sine;
        cosine = old * step_cosine - sine * step_sine;
        sine = sine * step_cosine + old * step_sine;
        high = v[i] > v[high] ? i : high;
        low = v[i] < v[low] ? i : low;
    }
    *m = (zw_motion_measure){.mean = mean / S, .rms = sqrt(square / S)};
    *highest = high;
    *lowest = low;
    m->first = 2 * hypot(c, s) / S;
    m->phase = m->first > 0 ? atan2(-s, c) : 0;
}

/* enough points for the squares of all harmonics */
static int period_points(const zw_forced *f) {
    int largest = 4 * f->top * f->options.order;
    return largest > ZW_FORCED_PERIOD_POINTS ? largest : ZW_FORCED_PERIOD_POINTS;
}

/* measures a coordinate by its series */
static void measure_series(zw_forced *f, int k, zw_motion_measure *m) {
    double c, s;
    zw_harmonic_part(f->balance, f->x, k, 1, &c, &s);
    zw_harmonic_mean(f->balance, f->x, k, &m->mean, &m->rms);
    zw_harmonic_extremes(f->balance, f->x, k, &m->max, &m->min);
    m->first = hypot(c, s);
    m->phase = m->first > 0 ? atan2(-s, c) : 0;
}

zw_status zw_forced_measure_all(zw_forced *f, double w, zw_motion_measure *out, zw_error *err) {
    int S = period_points(f), nq = f->sys->nq, high, low;
    for (int k = 0; k < nq; k++)
        measure_series(f, k, &out[k]);
    if (f->nquantity == nq)
        return ZW_OK;
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    motion_point l = {.f = f,
                      .w = w,
                      .x = ZW_NEW(&f->arena, double, f->kernel->nx + 1),
                      .seen = ZW_NEW(&f->arena, double, f->kernel->nobs + 3)};
    double *sample = ZW_NEW(&f->arena, double, f->nquantity *S + 1), h = 2 * M_PI / (S * w);
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < S; i++) {
        ZW_TRY(evaluate_at(&l, i * h, err));
        for (int k = nq; k < f->nquantity; k++)
            sample[k * S + i] = quantity_at(&l, k);
    }
    for (int k = nq; k < f->nquantity; k++) {
        measure_samples(sample + (size_t)(k * S), S, &high, &low, &out[k]);
        ZW_TRY(refine_extremum(&l, k, 1, high * h, h, &out[k].max, err));
        ZW_TRY(refine_extremum(&l, k, -1, low * h, h, &out[k].min, err));
    }
    zw_arena_release(&f->arena, mark);
    return ZW_OK;
}

static void state_at_phase(void *user, double tau, double *x) {
    const series *s = user;
    zw_harmonic_state(s->f->balance, s->x, s->w, 2 * M_PI * tau / s->w, x, NULL);
}

/* checks the coordinates along f->x at the frequency w, with its parameters in f->flow */
static zw_status check_coordinates(zw_forced *f, double value, double w, zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    int n = (zw_forced_has_tones(f) ? TONE_PERIODS : 1) * period_points(f);
    double period = (zw_forced_has_tones(f) ? TONE_PERIODS : 1) * 2 * M_PI / w;
    double *mesh = ZW_NEW(&f->arena, double, n + 1);
    series s = {f, f->x, 2 * M_PI / period};
    if (!mesh)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i <= n; i++)
        mesh[i] = (double)i / n;
    const zw_singular_motion motion = {.eq = &f->eq,
                                       .flow = f->flow,
                                       .period = period,
                                       .n = n,
                                       .mesh = mesh,
                                       .state = state_at_phase,
                                       .user = &s};
    zw_status status = zw_singular_check(&f->singular, &f->arena, &motion, value, err);
    zw_arena_release(&f->arena, mark);
    return status;
}

static zw_status add_multipliers(zw_forced *f, double value, zw_forced_motion *m, zw_error *err) {
    const zw_floquet *floquet;
    m->outside = -1;
    if (!f->options.stability)
        return ZW_OK;
    double exact = f->exact > 0 ? f->exact : m->curve < 0 ? EXPONENTS_EXACT : 0;
    if (zw_forced_has_tones(f))
        return zw_forced_tones_exponents(f, value, exact, m, err);
    ZW_TRY(zw_forced_multipliers(f, f->x, value, &floquet, err));
    if (!floquet)
        return ZW_OK;
    size_t n = (size_t)floquet->n;
    double *re = ZW_NEW(&f->arena, double, n + 1), *im = ZW_NEW(&f->arena, double, n + 1);
    if (!re || !im)
        return zw_out_of_memory(err, NULL);
    memcpy(re, floquet->re, sizeof(double) * n);
    memcpy(im, floquet->im, sizeof(double) * n);
    m->nmultiplier = floquet->n;
    m->re = re;
    m->im = im;
    /* accuracy along this motion; the true motion is close to it */
    m->accuracy = floquet->accuracy;
    if (m->error > 0)
        m->accuracy = fmax(m->accuracy, MOTION_TO_MULTIPLIER * m->error);
    m->outside = floquet->outside;
    m->verdict = floquet->verdict;
    if (f->options.free) { /* the two that are 1 belong to the family */
        m->outside = zw_forced_free_outside(floquet, NULL);
        m->verdict = m->outside                     ? ZW_FLOQUET_UNSTABLE
                     : m->accuracy <= FREE_ACCURACY ? ZW_FLOQUET_STABLE
                                                    : ZW_FLOQUET_UNDECIDED;
    }
    return f->slow ? zw_forced_slow_add(f, value, m, err) : ZW_OK;
}

static zw_status add_rotations(zw_forced *f, zw_forced_motion *m, zw_error *err) {
    series along = {f, f->x, m->w};
    zw_orbit motion = {.period = 2 * M_PI / m->w, .at = state_at, .user = &along};
    double *turned = ZW_NEW(&f->arena, double, 3 * f->nattitude + 1),
           *x = ZW_NEW(&f->arena, double, f->kernel->nx + 1);
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < f->nattitude; i++)
        ZW_TRY(
            zw_attitude_turn(&f->attitude[i], &motion, f->sys->nq, x, turned + 3 * (size_t)i, err));
    m->turned = turned;
    return ZW_OK;
}

static void record_error(zw_forced *f, double error) {
    f->needs_harmonics = error > f->options.tolerance;
    if (error > f->worst_error)
        f->worst_error = error;
}

void zw_forced_record_error(zw_forced *f, double error) {
    zw_forced_motion *last = &f->motion[f->nmotion - 1];
    last->error = error;
    record_error(f, error);
}

zw_status zw_forced_add_motion(zw_forced *f, double value, bool with_error, const double *tangent,
                               zw_bifurcation event, int curve, zw_error *err) {
    int n = zw_harmonic_problem(f->balance).n;
    zw_forced_motion m = {
        .value = value,
        .harmonics = zw_forced_has_tones(f) ? zw_forced_tones_length(f, f->level[f->top]) : f->top,
        .ncoefficient = zw_harmonic_coefficients(f->balance),
        .error = NAN,
        .floquet = NAN,
        .event = event,
        .curve = curve,
        .energy = NAN};
    double slope, *x = ZW_NEW(&f->arena, double, n + 1);
    zw_motion_measure *measured = ZW_NEW(&f->arena, zw_motion_measure, f->nquantity + 1);
    if (f->arena.failed || !zw_arena_grow(&f->arena, (void **)&f->motion, f->nmotion,
                                          &f->motion_capacity, sizeof *f->motion))
        return zw_out_of_memory(err, NULL);
    memcpy(x, f->x, sizeof(double) * (size_t)n);
    m.x = x;
    m.measure = measured;
    ZW_TRY(zw_forced_set(f, value, f->now, &m.w, &slope, err));
    m.w = zw_forced_frequency(f, f->x, m.w);
    m.divergence = NAN;
    if (zw_forced_has_tones(f))
        ZW_TRY(zw_harmonic_go_to(f->balance, value, m.frequency, err));
    ZW_TRY(zw_flow_set_parameters(f->flow, f->now, err));
    if (with_error)
        ZW_TRY(zw_forced_error(f, value, tangent, &m.error, err));
    record_error(f, m.error);
    if (with_error && zw_forced_has_tones(f))
        f->worst_unseen = fmax(f->worst_unseen, f->unseen);
    if (with_error)
        ZW_TRY(add_even(f, value, tangent, &m, err));
    ZW_TRY(add_multipliers(f, value, &m, err));
    if (zw_forced_has_tones(f)) {
        double *tone = ZW_NEW(&f->arena, double, f->nquantity * f->tones.n + 1);
        if (!tone)
            return zw_out_of_memory(err, NULL);
        m.tone = tone;
        ZW_TRY(zw_harmonic_go_to(f->balance, value, NULL, err));
        ZW_TRY(zw_forced_tones_measure(f, measured, tone, err));
        ZW_TRY(zw_flow_set_parameters(f->flow, f->now, err));
    } else {
        ZW_TRY(zw_forced_measure_all(f, m.w, measured, err));
        ZW_TRY(add_rotations(f, &m, err));
    }
    ZW_TRY(check_coordinates(f, value, m.w, err));
    if (f->options.free) {
        ZW_TRY(zw_forced_energy(f, f->x, m.w, &m.energy, err));
        m.damping = f->x[f->nfunction * m.ncoefficient];
    }
    f->motion[f->nmotion++] = m;
    zw_kernel_serve(f->lanes, 0, NULL); /* native code, where it pays */
    zw_kernel_serve(f->kernel, 0, NULL);
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------------ known
 * motions */

/* the squared distance of two motions, and the sum of their squares, if the second is shifted by
 * periods of the excitation: of several periods it is the same motion */
static double motion_distance(const zw_forced *f, const double *x, int n, const zw_forced_motion *m,
                              int shift, double *size) {
    double distance = 0, tau = 2 * M_PI * shift / f->options.order;
    int common = m->ncoefficient < n ? m->ncoefficient : n, odd = f->options.odd ? 1 : 0;
    *size = 0;
    for (int k = 0; k < f->sys->nq * common && zw_forced_has_tones(f); k++) {
        int i = k / common, c = k % common;
        double u = x[i * n + c] / f->scale[i], v = m->x[i * m->ncoefficient + c] / f->scale[i];
        distance += (u - v) * (u - v);
        *size += u * u + v * v;
    }
    if (zw_forced_has_tones(f))
        return distance;
    for (int i = 0; i < f->sys->nq; i++) {
        const double *u = x + (size_t)(i * n), *v = m->x + (size_t)(i * m->ncoefficient);
        double scale = f->scale[i] * f->scale[i];
        if (!odd && common) { /* the mean */
            distance += (u[0] - v[0]) * (u[0] - v[0]) / scale;
            *size += (u[0] * u[0] + v[0] * v[0]) / scale;
        }
        for (int c = odd ? 0 : 1, h = 1; c + 1 < common; c += 2, h += odd ? 2 : 1) {
            double cosine = v[c] * cos(h * tau) + v[c + 1] * sin(h * tau) - u[c],
                   sine = v[c + 1] * cos(h * tau) - v[c] * sin(h * tau) - u[c + 1];
            distance += (cosine * cosine + sine * sine) / scale;
            *size +=
                (u[c] * u[c] + u[c + 1] * u[c + 1] + v[c] * v[c] + v[c + 1] * v[c + 1]) / scale;
        }
    }
    return distance;
}

bool zw_forced_is_same(const zw_forced *f, const double *x, int n, const zw_forced_motion *m) {
    for (int shift = 0; shift < f->options.order; shift++) {
        double size, distance = motion_distance(f, x, n, m, shift, &size);
        if (distance <= SAME_MOTION * SAME_MOTION * size || size == 0)
            return true;
    }
    return false;
}

int zw_forced_find_known(const zw_forced *f, double value, const double *x) {
    int n = zw_harmonic_coefficients(f->balance);
    for (int i = 0; i < f->nmotion; i++) {
        const zw_forced_motion *m = &f->motion[i];
        if (m->curve >= 0 || m->march || m->state ||
            (m->value != value && !(isnan(m->value) && isnan(value))))
            continue;
        if (zw_forced_is_same(f, x, n, m))
            return i;
    }
    return -1;
}

zw_status zw_forced_load_motion(zw_forced *f, const zw_forced_motion *m, zw_error *err) {
    if (zw_forced_has_tones(f)) {
        while (zw_harmonic_coefficients(f->balance) < m->ncoefficient && f->top + 1 < f->nlevel)
            ZW_TRY(zw_forced_set_harmonics(f, f->top + 1, err));
    } else if (f->top < m->harmonics) {
        ZW_TRY(zw_forced_set_harmonics(f, m->harmonics, err));
    }
    zw_forced_copy_coefficients(f, f->nfunction, m->ncoefficient, m->x, f->x);
    return ZW_OK;
}

void zw_forced_copy_coefficients(const zw_forced *f, int functions, int from_n, const double *from,
                                 double *to) {
    int n = zw_harmonic_coefficients(f->balance), common = from_n < n ? from_n : n;
    for (int i = 0; i < functions; i++) {
        memset(to + (size_t)(i * n), 0, sizeof(double) * (size_t)n);
        memcpy(to + (size_t)(i * n), from + (size_t)(i * from_n), sizeof(double) * (size_t)common);
    }
    int more = zw_harmonic_unfoldings(f->balance);
    if (f->cycles)
        to[functions * n] = from[functions * from_n];
    else if (more)
        memset(to + (size_t)(functions * n), 0, sizeof(double) * (size_t)more);
}
