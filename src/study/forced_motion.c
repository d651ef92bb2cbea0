/* SPDX-License-Identifier: MIT */
/* What is told of one forced motion: how much the harmonics that it has not would change it, its multipliers, and what its quantities do in a
 * period. */
#include <math.h>
#include <string.h>

#include "forced.h"

#define SAME 1e-5 /* of the size of a motion: two of them are one */

/* --------------------------------------------------------------------------------------------------- error */

/* the mean square over the period, in the sizes of the functions */
static double size_of(const zw_forced *f, const double *x, int n) {
    double sum = 0;
    int nq = f->sys->nq;
    for (int i = 0; i < nq; i++)
        for (int k = 0; k < n; k++) {
            double c = x[i * n + k] / f->scale[i];
            sum += c * c;
        }
    return sqrt(0.5 * sum);
}

/* the plane in which the step is made: at a fold there is none at fixed value that is small */
static void set_plane(const zw_forced *f, int n, const double *tangent, double *row, int all) {
    int own = zw_harmonic_coefficients(f->balance), common = own < n ? own : n;
    memset(row, 0, sizeof(double) * (size_t)all);
    row[all] = 1;
    if (!tangent)
        return;
    for (int i = 0; i < f->nfunction; i++)
        memcpy(row + (size_t)(i * n), tangent + (size_t)(i * own), sizeof(double) * (size_t)common);
    row[all] = tangent[f->nfunction * own];
}

zw_status zw_forced_error(zw_forced *f, double value, const double *tangent, double *error,
                          zw_error *err) {
    zw_cont_problem p = zw_harmonic_problem(f->finer);
    int n = zw_harmonic_coefficients(f->finer);
    double *b = f->b, *row = f->y;
    *error = NAN;
    zw_harmonic_embed(f->balance, f->x, f->finer, f->finer_x);
    zw_status status = p.residual(p.self, f->finer_x, value, b, err);
    set_plane(f, n, tangent, row, p.n);
    if (status == ZW_OK)
        status = p.factor(p.self, f->finer_x, value, row, err);
    if (status < 0)
        return status;
    if (status != ZW_OK)
        return ZW_OK;
    b[p.n] = 0;
    p.solve(p.self, b);
    double motion = size_of(f, f->finer_x, n), step = size_of(f, b, n);
    *error = motion > 0 ? step / motion : step;
    return ZW_OK;
}

static int more_harmonics(const zw_forced *f) {
    int next = f->top + (f->top + 1) / 2;
    return next < f->options.harmonics_max ? next : f->options.harmonics_max;
}

zw_status zw_forced_refine(zw_forced *f, double value, zw_error *err) {
    for (;;) {
        zw_cont_problem p = zw_harmonic_problem(f->balance);
        double error;
        ZW_TRY(zw_cont_correct(&p, 1e-11, f->x, value, NULL, NULL, err));
        if (f->options.harmonics)
            return ZW_OK;
        ZW_TRY(zw_forced_error(f, value, NULL, &error, err));
        if (error <= f->options.tolerance)
            return ZW_OK;
        if (f->top >= f->options.harmonics_max)
            return ZW_OK; /* the estimate is told with the motion */
        ZW_TRY(zw_forced_harmonics(f, more_harmonics(f), err));
    }
}

/* --------------------------------------------------------------------------------------------- multipliers */

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

static bool is_last(const zw_forced *f, const double *x, double value, int n) {
    return f->last_known && f->last_n == n &&
           (f->last_value == value || (isnan(value) && isnan(f->last_value))) &&
           memcmp(x, f->last_x, sizeof(double) * (size_t)n) == 0;
}

zw_status zw_forced_multipliers(zw_forced *f, const double *x, double value, const zw_floquet **out,
                                zw_error *err) {
    int n = zw_harmonic_problem(f->balance).n;
    double w, slope;
    *out = f->last_failed ? NULL : &f->last;
    if (is_last(f, x, value, n))
        return ZW_OK;
    ZW_TRY(zw_forced_set(f, value, f->now, &w, &slope, err));
    ZW_TRY(zw_flow_set_parameters(f->flow, f->now, err));
    series s = {f, x, w};
    zw_error trouble = {0};
    zw_orbit orbit = {.start = 0, .period = 2 * M_PI / w, .at = state_at, .user = &s};
    zw_floquet_clear(&f->last);
    zw_status status = zw_floquet_find(&f->last, f->flow, &orbit, NULL, &trouble);
    if (status == ZW_E_MEMORY)
        return zw_forced_no_memory(err);
    f->last_failed = status < 0;
    f->last_known = true;
    f->last_value = value;
    f->last_n = n;
    memcpy(f->last_x, x, sizeof(double) * (size_t)n);
    *out = f->last_failed ? NULL : &f->last;
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------------- what it does */

/* the top of a parabola through three values, of which the middle one is the highest */
static double crest(double a, double b, double c) {
    double bend = a - 2 * b + c;
    return bend < 0 ? b - (a - c) * (a - c) / (8 * bend) : b;
}

static void measure(const double *v, zw_forced_measure *m) {
    enum { S = ZW_FORCED_POINTS };
    double mean = 0, square = 0, c = 0, s = 0;
    int high = 0, low = 0;
    for (int i = 0; i < S; i++) {
        double tau = 2 * M_PI * i / S;
        mean += v[i];
        square += v[i] * v[i];
        c += v[i] * cos(tau);
        s += v[i] * sin(tau);
        high = v[i] > v[high] ? i : high;
        low = v[i] < v[low] ? i : low;
    }
    *m = (zw_forced_measure){.mean = mean / S, .rms = sqrt(square / S)};
    m->max = crest(v[(high + S - 1) % S], v[high], v[(high + 1) % S]);
    m->min = -crest(-v[(low + S - 1) % S], -v[low], -v[(low + 1) % S]);
    m->first = 2 * hypot(c, s) / S;
    m->phase = m->first > 0 ? atan2(-s, c) : 0;
}

static zw_status measure_all(zw_forced *f, double w, zw_forced_measure *out, zw_error *err) {
    enum { S = ZW_FORCED_POINTS };
    const zw_system *s = f->sys;
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    double *x = ZW_NEW(&f->arena, double, f->kernel->nx + 1),
           *seen = ZW_NEW(&f->arena, double, f->kernel->nobs + 3);
    if (f->arena.failed)
        return zw_forced_no_memory(err);
    for (int i = 0; i < S; i++) {
        double t = 2 * M_PI * i / (S * w);
        zw_harmonic_state(f->balance, f->x, w, t, x, NULL);
        if (s->nobservable)
            ZW_TRY(zw_flow_observables(f->flow, t, x, seen, err));
        for (int k = 0; k < f->nquantity; k++)
            f->sample[k * S + i] = k < s->nq ? x[k] : seen[k - s->nq];
    }
    for (int k = 0; k < f->nquantity; k++)
        measure(f->sample + (size_t)(k * S), &out[k]);
    zw_arena_release(&f->arena, mark);
    return ZW_OK;
}

static zw_status add_multipliers(zw_forced *f, double value, zw_forced_motion *m, zw_error *err) {
    const zw_floquet *floquet;
    m->outside = -1;
    if (!f->options.stability)
        return ZW_OK;
    ZW_TRY(zw_forced_multipliers(f, f->x, value, &floquet, err));
    if (!floquet)
        return ZW_OK;
    size_t n = (size_t)floquet->n;
    double *re = ZW_NEW(&f->arena, double, n + 1), *im = ZW_NEW(&f->arena, double, n + 1);
    if (!re || !im)
        return zw_forced_no_memory(err);
    memcpy(re, floquet->re, sizeof(double) * n);
    memcpy(im, floquet->im, sizeof(double) * n);
    m->nmultiplier = floquet->n;
    m->re = re;
    m->im = im;
    m->accuracy = floquet->accuracy;
    m->outside = floquet->outside;
    m->verdict = floquet->verdict;
    return ZW_OK;
}

zw_status zw_forced_add(zw_forced *f, double value, bool with_error, const double *tangent,
                        zw_forced_event event, int curve, zw_error *err) {
    int n = zw_harmonic_problem(f->balance).n;
    zw_forced_motion m = {.value = value,
                          .harmonics = f->top,
                          .ncoefficient = zw_harmonic_coefficients(f->balance),
                          .error = NAN,
                          .event = event,
                          .curve = curve};
    double slope, *x = ZW_NEW(&f->arena, double, n + 1);
    zw_forced_measure *measured = ZW_NEW(&f->arena, zw_forced_measure, f->nquantity + 1);
    if (f->arena.failed || !zw_arena_grow(&f->arena, (void **)&f->motion, f->nmotion,
                                          &f->motion_capacity, sizeof *f->motion))
        return zw_forced_no_memory(err);
    memcpy(x, f->x, sizeof(double) * (size_t)n);
    m.x = x;
    m.measure = measured;
    ZW_TRY(zw_forced_set(f, value, f->now, &m.w, &slope, err));
    ZW_TRY(zw_flow_set_parameters(f->flow, f->now, err));
    if (with_error)
        ZW_TRY(zw_forced_error(f, value, tangent, &m.error, err));
    ZW_TRY(add_multipliers(f, value, &m, err));
    ZW_TRY(measure_all(f, m.w, measured, err));
    if (m.error > f->worst_error) {
        f->worst_error = m.error;
        f->worst_value = value;
    }
    f->motion[f->nmotion++] = m;
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------------------------- known */

int zw_forced_known(const zw_forced *f, double value, const double *x) {
    int n = zw_harmonic_coefficients(f->balance), nq = f->sys->nq;
    for (int i = 0; i < f->nmotion; i++) {
        const zw_forced_motion *m = &f->motion[i];
        int common = m->ncoefficient < n ? m->ncoefficient : n;
        double away = 0, size = 0;
        if (m->curve >= 0 || (m->value != value && !(isnan(m->value) && isnan(value))))
            continue;
        for (int k = 0; k < nq; k++)
            for (int c = 0; c < common; c++) {
                double a = x[k * n + c] / f->scale[k],
                       b = m->x[k * m->ncoefficient + c] / f->scale[k];
                away += (a - b) * (a - b);
                size += a * a + b * b;
            }
        if (away <= SAME * SAME * size || size == 0)
            return i;
    }
    return -1;
}

zw_status zw_forced_load(zw_forced *f, const zw_forced_motion *m, zw_error *err) {
    if (f->top < m->harmonics)
        ZW_TRY(zw_forced_harmonics(f, m->harmonics, err));
    zw_forced_copy(f, f->nfunction, m->ncoefficient, m->x, f->x);
    return ZW_OK;
}

void zw_forced_copy(const zw_forced *f, int functions, int from_n, const double *from, double *to) {
    int n = zw_harmonic_coefficients(f->balance), common = from_n < n ? from_n : n;
    for (int i = 0; i < functions; i++) {
        memset(to + (size_t)(i * n), 0, sizeof(double) * (size_t)n);
        memcpy(to + (size_t)(i * n), from + (size_t)(i * from_n), sizeof(double) * (size_t)common);
    }
}
