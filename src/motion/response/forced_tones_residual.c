/* SPDX-License-Identifier: MIT */
/* A check of quasi-periodic motions that does not depend on their lines: rates of the series
 * against those of the equations of motion in time, f->torus_flow, at points over the torus.
 *
 * On a grid much finer than that of the balance the difference r is a sum of lines; those that the
 * motion lacks are candidates (f->missing), which the finer equations contain. Products of
 * excitations and intermodulation have such lines, however far from the others they are. At other
 * points, which belong to no grid, r is compared with these lines: what they do not explain
 * is f->unseen, a part of the error. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "forced.h"
#include "forced_tones.h"
#include "motion/harmonic/balance.h"
#include "motion/harmonic/torus.h"
#include "num/flow/flow.h"

enum {
    PROBES = 48,        /* points that belong to no grid */
    MOST_POINTS = 40000 /* of the grid */
};
/* relative to the tolerance: estimated size of a line that is a candidate; hundreds of smaller ones
 * stay below the tolerance, also near a resonance */
#define LINE_MATTERS 2e-3
/* relative to the accelerations: rounding of the rates */
#define RATES_ROUNDOFF 1e-13

typedef struct residual {
    zw_forced *f;
    zw_forced_grid g; /* only its state and inputs */
    zw_torus torus;
    int nx, nq;
    double *series, *rate; /* nx: rates of the series and of the equations */
    double *value;         /* nx x samples: their difference in units of the motion */
    double *square;        /* nx: mean squares of rates of the series over the grid */
    double *scale;         /* nx */
    double *c, *s;         /* nx x numbers: lines of the difference */
    int numbers;
} residual;

static double line_frequency(int tones, const int *k, const double *W) {
    double w = 0;
    for (int j = 0; j < tones; j++)
        w += k[j] * W[j];
    return fabs(w);
}

/* the difference of rates at these phases, in r->series */
static zw_status difference_at(residual *r, const double *theta, zw_error *err) {
    zw_forced *f = r->f;
    memcpy(r->g.u + f->eq.nu, theta, sizeof(double) * (size_t)f->tones.n);
    zw_flow_set_inputs(f->torus_flow, r->g.u);
    zw_harmonic_rates_at(f->balance, f->x, theta, r->g.x, r->series);
    return zw_flow_rates(f->torus_flow, 0, r->g.x, r->rate, NULL, err);
}

static zw_status evaluate_grid(residual *r, zw_error *err) {
    int S = r->torus.samples;
    double theta[ZW_TONES_MAX];
    memset(r->square, 0, sizeof(double) * (size_t)r->nx);
    for (int s = 0; s < S; s++) {
        zw_torus_point(&r->torus, s, theta);
        ZW_TRY(difference_at(r, theta, err));
        for (int i = 0; i < r->nx; i++) {
            r->value[(size_t)i * (size_t)S + (size_t)s] = r->series[i] - r->rate[i];
            r->square[i] += r->series[i] * r->series[i] / S;
        }
    }
    return ZW_OK;
}

/* Makes a grid that resolves multiples up to `factor` times twice those of the motion. */
static zw_status make_grid(residual *r, double factor, bool *fits, zw_error *err) {
    zw_forced *f = r->f;
    int tones = f->tones.n, n = zw_harmonic_count(f->balance), k[ZW_TONES_MAX * ZW_TONES_MAX] = {0};
    double points = 1;
    for (int j = 0; j < tones; j++) {
        int top = 1;
        for (int h = 0; h < n; h++) {
            int size = abs(zw_harmonic_vector(f->balance, h)[j]);
            top = size > top ? size : top;
        }
        k[j * tones + j] = (int)ceil(factor * top);
        points *= 4 * k[j * tones + j] + 8;
    }
    *fits = points <= MOST_POINTS;
    if (!*fits && factor > 1)
        return ZW_OK;
    if (!zw_torus_make(&r->torus, &f->arena, tones, tones, k, 0))
        return zw_out_of_memory(err, NULL);
    r->numbers = 1;
    for (int j = 0; j < tones; j++)
        r->numbers *= 4 * r->torus.top[j] + 1;
    size_t size = (size_t)r->nx * (size_t)r->numbers;
    r->value = ZW_NEW(&f->arena, double, (size_t)r->nx *(size_t)r->torus.samples + 1);
    r->c = ZW_NEW(&f->arena, double, size + 1);
    r->s = ZW_NEW(&f->arena, double, size + 1);
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(evaluate_grid(r, err));
    for (int i = 0; i < r->nx; i++) {
        size_t at = (size_t)i * (size_t)r->numbers;
        zw_torus_spectrum(&r->torus, r->value + (size_t)i * (size_t)r->torus.samples, r->c + at,
                          r->s + at);
    }
    return ZW_OK;
}

/* vector number i of those that the grid resolves; false: its negative is used instead */
static bool resolved_vector(const zw_torus *t, int i, int *k) {
    int last = 0;
    for (int j = 0; j < t->tones; j++) {
        int width = 4 * t->top[j] + 1;
        k[j] = i % width - 2 * t->top[j];
        i /= width;
        last = k[j] ? k[j] : last;
    }
    return last >= 0;
}

/* sums over coordinates, and over velocities, of squares of v (nx) in units of the sizes of the
 * functions, relative to those of the rates */
static double relative_square(const residual *r, const double *square) {
    double part[2] = {0, 0}, all[2] = {0, 0};
    for (int i = 0; i < r->nx; i++) {
        double scale = 1 / (r->scale[i] * r->scale[i]);
        part[i >= r->nq] += scale * square[i];
        all[i >= r->nq] += scale * r->square[i];
    }
    double sum = 0;
    for (int j = 0; j < 2; j++) {
        double rounding = RATES_ROUNDOFF * RATES_ROUNDOFF * all[j];
        if (part[j] > rounding)
            sum += part[j] / fmax(all[j], DBL_MIN);
    }
    return sum;
}

/* Removes the lines from own (nx), the difference at these phases. c, s: working memory, for
 * the multiples of each phase. */
static void subtract_lines(const residual *r, const double *theta, double *c, double *s,
                           double *own) {
    const zw_torus *t = &r->torus;
    int width = 0;
    for (int j = 0; j < t->tones; j++)
        width = 2 * t->top[j] + 1 > width ? 2 * t->top[j] + 1 : width;
    for (int j = 0; j < t->tones; j++)
        zw_torus_multiples(theta[j], width, c + j * width, s + j * width);
    for (int l = 0; l < r->numbers; l++) {
        int k[ZW_TONES_MAX];
        if (!resolved_vector(t, l, k))
            continue;
        int number = zw_torus_number(t, k);
        double re = number ? 1 : 0.5, im = 0; /* the mean is there twice */
        for (int j = 0; j < t->tones; j++) {
            int at = j * width + abs(k[j]);
            double u = c[at], v = k[j] < 0 ? -s[at] : s[at], old = re;
            re = old * u - im * v;
            im = im * u + old * v;
        }
        for (int i = 0; i < r->nx; i++) {
            size_t at = (size_t)i * (size_t)r->numbers + (size_t)number;
            own[i] -= r->c[at] * re + r->s[at] * im;
        }
    }
}

/* the mean square, relative, of what the lines do not explain at points that belong to no grid */
static zw_status probe_points(residual *r, double *square, zw_error *err) {
    /* multiples of powers of the root of x^4 = x + 1 fill the torus evenly */
    static const double step[] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
    zw_arena *arena = &r->f->arena;
    int tones = r->torus.tones, width = 0;
    for (int j = 0; j < tones; j++)
        width += 2 * r->torus.top[j] + 1;
    double theta[ZW_TONES_MAX],
        *own = ZW_NEW(arena, double, r->nx + 1), *mean = ZW_NEW(arena, double, r->nx + 1),
        *c = ZW_NEW(arena, double, tones *width + 1), *s = ZW_NEW(arena, double, tones *width + 1);
    if (arena->failed)
        return zw_out_of_memory(err, NULL);
    for (int p = 0; p < PROBES; p++) {
        for (int j = 0; j < tones; j++)
            theta[j] = 2 * M_PI * fmod(0.5 + (p + 1) * step[j], 1);
        ZW_TRY(difference_at(r, theta, err));
        for (int i = 0; i < r->nx; i++)
            own[i] = r->series[i] - r->rate[i];
        subtract_lines(r, theta, c, s, own);
        for (int i = 0; i < r->nx; i++)
            mean[i] += own[i] * own[i] / PROBES;
    }
    *square = relative_square(r, mean);
    return ZW_OK;
}

/* inserts a line into f->missing, the largest first; returns the size of the one that is lost */
static double insert_line(zw_forced *f, const int *k, double size) {
    int at = f->nmissing;
    double lost = 0;
    if (at == ZW_FORCED_MISSING) {
        lost = fmin(size, f->missing_size[at - 1]);
        if (size <= f->missing_size[--at])
            return lost;
    } else {
        f->nmissing++;
    }
    for (; at > 0 && f->missing_size[at - 1] < size; at--) {
        f->missing_size[at] = f->missing_size[at - 1];
        memcpy(f->missing[at], f->missing[at - 1], sizeof f->missing[at]);
    }
    f->missing_size[at] = size;
    memcpy(f->missing[at], k, sizeof(int) * (size_t)f->tones.n);
    return lost;
}

static bool is_known(const zw_forced *f, const int *k) {
    for (int h = 0; h < zw_harmonic_count(f->balance); h++)
        if (memcmp(zw_harmonic_vector(f->balance, h), k, sizeof(int) * (size_t)f->tones.n) == 0)
            return true;
    return false;
}

/* Lists the lines that the motion lacks: fast ones move masses less. *lost: the sum of squares of
 * those for which there is no room. */
static void list_missing(residual *r, const double *W, double *lost) {
    zw_forced *f = r->f;
    const zw_torus *t = &r->torus;
    int tones = t->tones, k[ZW_TONES_MAX];
    double all = 0, moving = 0;
    for (int i = 0; i < f->sys->nq; i++) { /* a typical frequency, squared */
        double mean, rms, scale = 1 / (r->scale[i] * r->scale[i]);
        zw_harmonic_mean(f->balance, f->x, i, &mean, &rms);
        moving += scale * fmax(rms * rms - mean * mean, 0);
    }
    for (int i = r->nq; i < r->nx; i++)
        all += r->square[i] / (r->scale[i] * r->scale[i]);
    double typical = moving > 0 ? sqrt(all / moving) : 0;
    f->nmissing = 0;
    *lost = 0;
    for (int l = 0; l < r->numbers; l++) {
        if (!resolved_vector(t, l, k))
            continue;
        int number = zw_torus_number(t, k);
        for (int i = 0; i < r->nx; i++) {
            size_t at = (size_t)i * (size_t)r->numbers + (size_t)number;
            r->rate[i] = 0.5 * (r->c[at] * r->c[at] + r->s[at] * r->s[at]);
        }
        double part = relative_square(r, r->rate);
        if (!(part > 0))
            continue;
        double w = line_frequency(tones, k, W),
               size = sqrt(part) / fmax(1, typical > 0 ? w * w / typical : 1);
        if (size > LINE_MATTERS * f->options.tolerance && !is_known(f, k)) {
            double left = insert_line(f, k, size);
            *lost += left * left;
        }
    }
}

static zw_status measure_residual(residual *r, const double *W, zw_error *err) {
    zw_forced *f = r->f;
    double lost, unseen = INFINITY, tolerance = f->options.tolerance;
    for (double factor = 1.5;; factor *= 2) {
        bool fits = true;
        ZW_TRY(make_grid(r, factor, &fits, err));
        if (!fits && factor > 1.5) /* the result of the last one */
            break;
        if (!fits)
            ZW_TRY(make_grid(r, 1, &fits, err));
        list_missing(r, W, &lost);
        ZW_TRY(probe_points(r, &unseen, err));
        if (unseen < tolerance * tolerance || f->kinks || !fits)
            break;
    }
    f->unseen = sqrt(unseen + lost);
    return ZW_OK;
}

zw_status zw_forced_tones_residual(zw_forced *f, double value, zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    double W[ZW_TONES_MAX], w, slope;
    residual r = {.f = f, .nx = f->torus_kernel->nx, .nq = f->torus_kernel->nq};
    zw_error trouble = {0};
    ZW_TRY(zw_forced_set(f, value, f->now, &w, &slope, err));
    ZW_TRY(zw_harmonic_go_to(f->balance, value, W, err));
    ZW_TRY(zw_flow_set_parameters(f->torus_flow, f->now, err));
    r.g.x = ZW_NEW(&f->arena, double, r.nx + 1);
    r.g.u = ZW_NEW(&f->arena, double, f->torus_kernel->nu + 1);
    r.series = ZW_NEW(&f->arena, double, r.nx + 1);
    r.rate = ZW_NEW(&f->arena, double, r.nx + 1);
    r.square = ZW_NEW(&f->arena, double, r.nx + 1);
    r.scale = ZW_NEW(&f->arena, double, r.nx + 1);
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    bool plain = f->nfunction - f->eq.nc == r.nq;
    for (int i = 0; i < r.nx; i++) /* velocities are functions of their own, or rates */
        r.scale[i] = !f->scale ? 1 : f->scale[i >= r.nq && plain ? i - r.nq : i];
    zw_status status = measure_residual(&r, W, &trouble);
    zw_arena_release(&f->arena, mark);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    if (status < 0) { /* the equations have no values somewhere on the torus */
        f->nmissing = 0;
        f->unseen = INFINITY;
    }
    return ZW_OK;
}
