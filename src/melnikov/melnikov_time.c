/* SPDX-License-Identifier: MIT */
/* The integral over time. g(x0(t), t + t0) is analytic in a strip around the real line and
 * decreases exponentially to both sides, so that the trapezoidal rule converges geometrically in
 * 1/h: an error of exp(-2 pi b/h) for a strip of half width b (L. N. Trefethen, J. A. C.
 * Weideman, SIAM Review 56 (2014) 385-458). The step is halved until the sum does not change any
 * more; the last change is the estimate of the error, which is about the square of it. Over a
 * period the same applies.
 *
 * An excitation with period T makes M(t0) periodic: it is computed at n phases t0 = jT/n, and its
 * harmonics by a discrete Fourier transform; n is doubled until the last of them vanish. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/tolerance.h"
#include "melnikov.h"

enum {
    PHASES_MOST = 2 * ZW_MELNIKOV_HARMONICS,
    HALVINGS = 9,     /* of the step */
    QUIET_POINTS = 4, /* successive negligible points that end a tail */
    SAMPLES = 720     /* phases at which extrema are searched */
};
#define TAIL_END 1e-18 /* of the largest value: smaller ones do not change the sum of the tail */
#define CHANGE_ROUNDOFF 2e-15 /* of the sum of absolute values: a change that is round-off */
/* of it: a change that is round-off of the motion, if it does not fall any more */
#define CHANGE_SETTLED 1e-11
/* of it: a change after the last halving that shows that the sum does not converge */
#define NOT_CONVERGED 1e-2
#define LAST_HARMONIC 1e-13 /* of the largest one: smaller harmonics are round-off */
#define SUM_ROUNDOFF 1e-16  /* of the sum of absolute values: least error of an integral */
/* of a period: the error of the parabola through points so near is below round-off of the values */
#define EXTREMUM_WIDTH 1e-4

typedef struct sums {
    int n; /* phases */
    double sum[PHASES_MOST], size, largest;
    bool bad; /* a value that is not finite: fmax would hide it */
} sums;

/* One point of time in all phases; returns its largest absolute value. */
static double add_point(const zw_plane *m, const zw_heteroclinic *o, double t, sums *s) {
    double x[2], most = 0;
    zw_heteroclinic_point(o, t, x);
    for (int j = 0; j < s->n; j++) {
        double phase = m->base > 0 ? 2 * M_PI / m->base * j / s->n : 0;
        double g = zw_plane_g(m, x, t - o->zero + phase);
        s->sum[j] += g;
        most = fmax(most, fabs(g));
        s->bad |= !isfinite(g);
    }
    s->size += most;
    s->largest = fmax(s->largest, most);
    return most;
}

/* All points of the grid zero + (k + shift) h, outwards until the terms vanish. */
static void add_grid(const zw_plane *m, const zw_heteroclinic *o, double h, double shift, sums *s) {
    for (int direction = -1; direction <= 1; direction += 2) {
        int quiet = 0;
        for (long k = direction < 0 ? -1 : 0; quiet < QUIET_POINTS && labs(k) < 200000 && !s->bad;
             k += direction) {
            double t = o->zero + ((double)k + shift) * h;
            double most = add_point(m, o, t, s);
            bool outside = t < o->t[0] || t > o->t[1];
            quiet = outside && !(most > TAIL_END * s->largest) ? quiet + 1 : 0;
        }
    }
}

/* The integral of the absolute summands of g, at one phase. */
static double integrate_magnitude(const zw_plane *m, const zw_heteroclinic *o, double phase) {
    enum { POINTS = 200 };
    double h = (o->t[1] - o->t[0]) / POINTS, sum = 0, x[2];
    for (int k = 0; k <= POINTS; k++) {
        double t = o->t[0] + k * h;
        zw_heteroclinic_point(o, t, x);
        sum += h * zw_plane_g_size(m, x, t - o->zero + phase);
    }
    return sum;
}

bool zw_melnikov_is_rounding(const zw_plane *m, const zw_closed *o, double size) {
    enum { POINTS = 64 };
    double sum = 0, x[2];
    for (int k = 0; k < POINTS; k++) {
        double t = o->period * k / POINTS;
        zw_closed_point(o, t, x);
        sum += zw_plane_g_size(m, x, t) * o->period / POINTS;
    }
    return size <= ZW_ROUNDOFF_SUM * sum;
}

/* A part of M may vanish for all phases, though not as a formula: its value is round-off, and its
 * integral is 0 within that. */
static bool is_vanishing(const zw_plane *m, const zw_heteroclinic *o, int n, double size,
                         double *of) {
    double most = 0;
    for (int j = 0; j < n; j++)
        most = fmax(most, integrate_magnitude(m, o, m->base > 0 ? 2 * M_PI / m->base * j / n : 0));
    *of = most;
    return size <= ZW_ROUNDOFF_SUM * most;
}

/* At n phases; *error is that of each, *size the integral of the absolute value. */
static zw_status at_phases(const zw_plane *m, zw_heteroclinic *o, int n, double *value,
                           double *error, double *size, zw_error *err) {
    sums s = {.n = n};
    double h = 0.5 / fmax(o->out.lambda, -o->in.lambda), last[PHASES_MOST], before = INFINITY;
    if (m->base > 0)
        h = fmin(h, 1 / m->base);
    add_grid(m, o, h, 0, &s);
    for (int k = 0; k < HALVINGS; k++) {
        double change = 0;
        for (int j = 0; j < n; j++)
            last[j] = s.sum[j] * h;
        add_grid(m, o, h, 0.5, &s);
        h /= 2;
        for (int j = 0; j < n; j++)
            change = fmax(change, fabs(s.sum[j] * h - last[j]));
        if (s.bad) {
            ZW_TRY(zw_context_status(m->ctx, err));
            return zw_fail(err, ZW_E_NONFINITE,
                           "the integrand has no finite value along the separatrix");
        }
        *error = change + SUM_ROUNDOFF * s.size * h;
        if (change <= CHANGE_ROUNDOFF * s.size * h ||
            (change <= CHANGE_SETTLED * s.size * h && change > before / 2))
            break;
        before = change;
    }
    *size = s.size * h;
    bool rounding = is_vanishing(m, o, n, *size, &before);
    ZW_TRY(zw_context_status(m->ctx, err));
    if (rounding) {
        memset(value, 0, (size_t)n * sizeof *value);
        *error = *size;
        *size = before; /* of the cancelled terms */
        o->time_step = h;
        return ZW_OK;
    }
    if (*error > NOT_CONVERGED * *size) {
        zw_fail(err, ZW_E_NUMERIC,
                "the integral along the separatrix does not converge: it still changes by %.1e",
                *error);
        zw_error_hint(err, "has what is small a pole there?");
        return ZW_E_NUMERIC;
    }
    o->time_step = h;
    for (int j = 0; j < n; j++)
        value[j] = s.sum[j] * h;
    return ZW_OK;
}

/* Harmonics of n values; true if the last ones vanish. */
static bool find_harmonics(int n, const double *value, zw_melnikov_value *out) {
    double largest = 0, end = 0;
    out->harmonics = n / 2 - 1;
    out->mean = 0;
    for (int j = 0; j < n; j++) {
        out->mean += value[j] / n;
        largest = fmax(largest, fabs(value[j]));
    }
    for (int k = 1; k < n / 2; k++) {
        double c = 0, s = 0;
        for (int j = 0; j < n; j++) {
            c += value[j] * cos(2 * M_PI * k * j / n) * 2 / n;
            s += value[j] * sin(2 * M_PI * k * j / n) * 2 / n;
        }
        out->c[k - 1] = c;
        out->s[k - 1] = s;
        if (k >= n / 2 - 2)
            end = fmax(end, hypot(c, s));
    }
    return end <= LAST_HARMONIC * largest + out->error;
}

static void drop_rounding(zw_melnikov_value *v) {
    double most = fabs(v->mean);
    for (int k = 0; k < v->harmonics; k++)
        most = fmax(most, hypot(v->c[k], v->s[k]));
    while (v->harmonics > 1 &&
           hypot(v->c[v->harmonics - 1], v->s[v->harmonics - 1]) <= LAST_HARMONIC * most + v->error)
        v->harmonics--;
}

double zw_melnikov_at(const zw_melnikov_value *m, double t0) {
    double sum = m->mean;
    for (int k = 0; k < m->harmonics; k++)
        sum += m->c[k] * cos((k + 1) * m->base * t0) + m->s[k] * sin((k + 1) * m->base * t0);
    return sum;
}

/* The extremum near t0, by parabolas. */
static double refine_extremum(const zw_melnikov_value *v, double t0, double width) {
    for (int k = 0; k < 6; k++) {
        double a = zw_melnikov_at(v, t0 - width), b = zw_melnikov_at(v, t0),
               c = zw_melnikov_at(v, t0 + width);
        double bend = a - 2 * b + c;
        if (bend == 0)
            break;
        double move = 0.5 * width * (a - c) / bend;
        t0 += fmax(-width, fmin(width, move));
        width *= 0.1;
        if (width * v->base < EXTREMUM_WIDTH)
            break;
    }
    return zw_melnikov_at(v, t0);
}

void zw_melnikov_bounds(zw_melnikov_value *v) {
    double T = v->base > 0 ? 2 * M_PI / v->base : 0, low = INFINITY, high = -INFINITY, at_low = 0,
           at_high = 0;
    v->low = v->high = v->mean;
    if (v->base <= 0)
        return;
    if (v->harmonics == 1) {
        v->low = v->mean - hypot(v->c[0], v->s[0]);
        v->high = v->mean + hypot(v->c[0], v->s[0]);
        return;
    }
    for (int j = 0; j < SAMPLES; j++) {
        double M = zw_melnikov_at(v, T * j / SAMPLES);
        if (M < low) {
            low = M;
            at_low = T * j / SAMPLES;
        }
        if (M > high) {
            high = M;
            at_high = T * j / SAMPLES;
        }
    }
    v->low = fmin(low, refine_extremum(v, at_low, T / SAMPLES));
    v->high = fmax(high, refine_extremum(v, at_high, T / SAMPLES));
}

zw_status zw_melnikov_integrate(const zw_melnikov *s, const zw_plane *m, zw_heteroclinic *o,
                                zw_melnikov_value *out, zw_error *err) {
    double value[PHASES_MOST];
    (void)s;
    *out = (zw_melnikov_value){.base = m->base};
    if (m->base <= 0) {
        ZW_TRY(at_phases(m, o, 1, value, &out->error, &out->size, err));
        out->mean = out->low = out->high = value[0];
        return ZW_OK;
    }
    for (int n = 8;; n *= 2) {
        ZW_TRY(at_phases(m, o, n, value, &out->error, &out->size, err));
        if (find_harmonics(n, value, out))
            break;
        if (n == PHASES_MOST)
            return zw_fail(err, ZW_E_NUMERIC,
                           "the excitation has more than %d harmonics: M(t0) is not resolved",
                           ZW_MELNIKOV_HARMONICS);
    }
    drop_rounding(out);
    zw_melnikov_bounds(out);
    return ZW_OK;
}

zw_status zw_melnikov_integrate_closed(const zw_plane *m, const zw_closed *o, double *value,
                                       double *size, zw_error *err) {
    double sum = 0, last = INFINITY, before = INFINITY, x[2];
    *size = 0;
    for (int n = 32, from = 0; n <= 65536; n *= 2) {
        for (int k = from; k < n; k += from ? 2 : 1) {
            zw_closed_point(o, o->period * k / n, x);
            double g = zw_plane_g(m, x, 0);
            sum += g;
            *size += fabs(g);
        }
        *value = sum * o->period / n;
        double all = *size * o->period / n;
        if (!isfinite(all)) {
            ZW_TRY(zw_context_status(m->ctx, err));
            return zw_fail(err, ZW_E_NONFINITE,
                           "the integrand has no finite value along a level curve");
        }
        double change = fabs(*value - last);
        if (change <= CHANGE_ROUNDOFF * all ||
            (change <= CHANGE_SETTLED * all && change > before / 2)) {
            *size = all;
            return ZW_OK;
        }
        before = change;
        last = *value;
        from = 1;
        if (n > 1000 && zw_melnikov_is_rounding(m, o, all)) {
            *value = 0;
            *size = all;
            return ZW_OK;
        }
    }
    return zw_fail(err, ZW_E_NUMERIC, "the integral over a level curve does not converge");
}

/* The values at n phases by the trapezoidal rule with more and more points. */
static zw_status over_period(const zw_plane *m, const zw_closed *o, int n, double *value,
                             double *error, zw_error *err) {
    double sum[PHASES_MOST] = {0}, last[PHASES_MOST] = {0}, before = INFINITY, size = 0, x[2];
    for (int points = 64, from = 0; points <= 32768; points *= 2, from = 1) {
        double change = from ? 0 : INFINITY;
        for (int k = from; k < points; k += from ? 2 : 1) {
            double t = o->period * k / points;
            zw_closed_point(o, t, x);
            for (int j = 0; j < n; j++) {
                double g = zw_plane_g(m, x, t + 2 * M_PI / m->base * j / n);
                sum[j] += g;
                size += fabs(g);
            }
        }
        double all = size * o->period / points;
        for (int j = 0; j < n; j++) {
            value[j] = sum[j] * o->period / points;
            change = fmax(change, fabs(value[j] - last[j]));
            last[j] = value[j];
        }
        if (!isfinite(all)) {
            ZW_TRY(zw_context_status(m->ctx, err));
            return zw_fail(err, ZW_E_NONFINITE,
                           "the integrand has no finite value along a level curve");
        }
        *error = change + SUM_ROUNDOFF * all;
        if (change <= CHANGE_ROUNDOFF * all ||
            (change <= CHANGE_SETTLED * all && change > before / 2))
            return ZW_OK;
        if (points > 1000 && zw_melnikov_is_rounding(m, o, all / n)) {
            memset(value, 0, (size_t)n * sizeof *value);
            *error = all;
            return ZW_OK;
        }
        before = change;
    }
    return zw_fail(err, ZW_E_NUMERIC, "the integral over a level curve does not converge");
}

zw_status zw_melnikov_integrate_resonance(const zw_plane *m, const zw_closed *o,
                                          zw_melnikov_value *out, zw_error *err) {
    double value[PHASES_MOST];
    *out = (zw_melnikov_value){.base = m->base};
    for (int n = 8; n <= PHASES_MOST; n *= 2) {
        ZW_TRY(over_period(m, o, n, value, &out->error, err));
        if (!find_harmonics(n, value, out))
            continue;
        drop_rounding(out);
        zw_melnikov_bounds(out);
        return ZW_OK;
    }
    return zw_fail(err, ZW_E_NUMERIC,
                   "the excitation has more than %d harmonics: M(t0) is not resolved",
                   ZW_MELNIKOV_HARMONICS);
}
