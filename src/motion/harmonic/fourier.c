/* SPDX-License-Identifier: MIT */
/* Discrete sums over the points of a period. With more than 2 h points the sums of cos(j tau) cos(k
 * tau) and the like are the integrals for j, k <= h. Tables are used instead of fast transforms:
 * for some tens of points they are as fast, and they serve any choice of harmonics. */
#include "fourier.h"

#include <math.h>
#include <string.h>

#include "base/vector_targets.h"

enum { LANES = 8 };

static int count_points(int top, int requested) {
    int least = 4 * top + 1, points = requested > least ? requested : least;
    return (points + LANES - 1) / LANES * LANES;
}

bool zw_fourier_make(zw_fourier *f, zw_arena *arena, int nharmonic, const int *harmonic,
                     int samples) {
    *f = (zw_fourier){.nharmonic = nharmonic};
    f->harmonic = ZW_NEW(arena, int, nharmonic + 1);
    if (!f->harmonic)
        return false;
    memcpy(f->harmonic, harmonic, sizeof(int) * (size_t)nharmonic);
    if (!(f->rate = ZW_NEW(arena, double, nharmonic + 1)))
        return false;
    for (int k = 0; k < nharmonic; k++)
        f->rate[k] = harmonic[k];
    f->top = nharmonic ? harmonic[nharmonic - 1] : 0;
    f->span = f->top;
    f->n = zw_fourier_first(f, nharmonic);
    f->samples = f->capacity = count_points(f->top, samples);
    int S = f->samples, rows = 2 * f->top + 1;
    f->cosine = ZW_NEW(arena, double, rows *S);
    f->sine = ZW_NEW(arena, double, rows *S);
    int n = zw_fours(f->n), all = zw_fours(rows);
    f->weight = ZW_NEW(arena, double, S *n + 1);
    f->all_cosine = ZW_NEW(arena, double, S *all + 1);
    f->all_sine = ZW_NEW(arena, double, S *all + 1);
    if (arena->failed)
        return false;
    for (int s = 0; s < S && rows > 1; s++) {
        f->cosine[S + s] = cos(2 * M_PI * s / S);
        f->sine[S + s] = sin(2 * M_PI * s / S);
    }
    for (int h = 0; h < rows; h++)
        for (int s = 0; s < S; s++) { /* the angle by integers: symmetric values are equal */
            int at = (int)((long)h * s % S);
            double c = rows > 1 ? f->cosine[S + at] : 1, d = rows > 1 ? f->sine[S + at] : 0;
            f->cosine[h * S + s] = c;
            f->sine[h * S + s] = d;
            f->all_cosine[s * all + h] = 2.0 / S * c;
            f->all_sine[s * all + h] = 2.0 / S * d;
        }
    for (int k = 0; k < nharmonic; k++)
        for (int s = 0; s < S; s++) {
            int h = harmonic[k], i = zw_fourier_first(f, k);
            f->weight[s * n + i] = (h ? 2.0 : 1.0) / S * f->cosine[h * S + s];
            if (h)
                f->weight[s * n + i + 1] = 2.0 / S * f->sine[h * S + s];
        }
    return true;
}

bool zw_fourier_make_torus(zw_fourier *f, zw_arena *arena, int tones, int nharmonic,
                           const int *vector, int samples) {
    *f = (zw_fourier){.nharmonic = nharmonic};
    f->torus = ZW_NEW(arena, zw_torus, 1);
    f->harmonic = ZW_NEW(arena, int, nharmonic + 1);
    f->rate = ZW_NEW(arena, double, nharmonic + 1);
    if (arena->failed || !zw_torus_make(f->torus, arena, tones, nharmonic, vector, samples))
        return false;
    for (int i = 0; i < nharmonic; i++) {
        f->harmonic[i] = zw_torus_number(f->torus, vector + (size_t)(i * tones));
        f->span = f->harmonic[i] > f->span ? f->harmonic[i] : f->span;
    }
    for (int j = 0; j < tones; j++)
        f->top = f->torus->top[j] > f->top ? f->torus->top[j] : f->top;
    f->samples = f->torus->samples;
    f->n = zw_fourier_first(f, nharmonic);
    return true;
}

void zw_fourier_tune(zw_fourier *f, const double *W) {
    for (int i = 0; f->torus && i < f->nharmonic; i++) {
        f->rate[i] = 0;
        for (int j = 0; j < f->torus->tones; j++)
            f->rate[i] += f->torus->vector[i * f->torus->tones + j] * (W[j] / W[0]);
    }
}

/* cos(h tau), sin(h tau) at point s for all h, by recurrence */
static void tabulate_phase(zw_fourier *f, int s, double tau) {
    int S = f->samples;
    double c = cos(tau), d = sin(tau);
    f->cosine[s] = 1;
    f->sine[s] = 0;
    for (int h = 1; h <= 2 * f->top; h++) {
        bool exact = h % 16 == 0; /* before rounding errors accumulate */
        double x = f->cosine[(h - 1) * S + s], y = f->sine[(h - 1) * S + s];
        f->cosine[h * S + s] = exact ? cos(h * tau) : x * c - y * d;
        f->sine[h * S + s] = exact ? sin(h * tau) : y * c + x * d;
    }
}

void zw_fourier_place(zw_fourier *f, int points, const double *tau, const double *weight) {
    int n = zw_fours(f->n), S = f->samples = (points + LANES - 1) / LANES * LANES;
    for (int s = 0; s < S; s++) {
        double part = s < points ? weight[s] / (2 * M_PI) : 0;
        tabulate_phase(f, s, tau[s < points ? s : 0]);
        for (int k = 0; k < f->nharmonic; k++) {
            int h = f->harmonic[k], i = zw_fourier_first(f, k);
            f->weight[s * n + i] = (h ? 2.0 : 1.0) * part * f->cosine[h * S + s];
            if (h)
                f->weight[s * n + i + 1] = 2.0 * part * f->sine[h * S + s];
        }
    }
}

/* d^order/dtau^order of a cos + b sin: its coefficients */
static void differentiate_pair(double h, int order, double *a, double *b) {
    for (int i = 0; i < order; i++) {
        double c = h * *b, s = -h * *a;
        *a = c;
        *b = s;
    }
}

void zw_fourier_values(const zw_fourier *f, const double *coefficient, int order, double *value) {
    int S = f->samples;
    if (f->torus) {
        zw_torus_values(f->torus, coefficient, order, f->rate, NULL, value);
        return;
    }
    memset(value, 0, sizeof(double) * (size_t)S);
    for (int k = 0; k < f->nharmonic; k++) {
        int h = f->harmonic[k], i = zw_fourier_first(f, k);
        double a = coefficient[i], b = h ? coefficient[i + 1] : 0;
        const double *c = f->cosine + (size_t)(h * S), *s = f->sine + (size_t)(h * S);
        differentiate_pair(h, order, &a, &b);
        for (int j = 0; j < S; j++)
            value[j] += a * c[j] + b * s[j];
    }
}

/* out (n, a multiple of four) = value' W, with W of S rows of n: every entry sums over the points
 * in their order */
ZW_KERNEL void sum_points(int S, int n, const double *restrict value, const double *restrict W,
                          double *restrict out) {
    int i = 0;
    for (; i + 16 <= n; i += 16) {
        zw_four a = {0}, b = {0}, c = {0}, d = {0};
        for (int s = 0; s < S; s++) {
            const double *row = W + (size_t)(s * n + i);
            double v = value[s];
            a += v * ZW_LOAD(row);
            b += v * ZW_LOAD(row + 4);
            c += v * ZW_LOAD(row + 8);
            d += v * ZW_LOAD(row + 12);
        }
        ZW_STORE(out + i, a);
        ZW_STORE(out + i + 4, b);
        ZW_STORE(out + i + 8, c);
        ZW_STORE(out + i + 12, d);
    }
    for (; i < n; i += ZW_FOUR) {
        zw_four a = {0}, b = {0}; /* S is even */
        for (int s = 0; s < S; s += 2) {
            a += value[s] * ZW_LOAD(W + (size_t)(s * n + i));
            b += value[s + 1] * ZW_LOAD(W + (size_t)((s + 1) * n + i));
        }
        ZW_STORE(out + i, a + b);
    }
}

ZW_CLONES static void sum_all(int S, int n, const double *value, const double *W, double *out) {
    sum_points(S, n, value, W, out);
}

void zw_fourier_project(const zw_fourier *f, const double *value, double *coefficient) {
    enum { STACK_COEFFICIENTS = 64 };
    double part[STACK_COEFFICIENTS];
    int n = zw_fours(f->n);
    if (f->torus) {
        zw_torus_project(f->torus, value, coefficient);
        return;
    }
    if (n <= STACK_COEFFICIENTS) {
        sum_all(f->samples, n, value, f->weight, part);
        memcpy(coefficient, part, sizeof(double) * (size_t)f->n);
        return;
    }
    memset(coefficient, 0, sizeof(double) * (size_t)f->n);
    for (int s = 0; s < f->samples; s++)
        for (int i = 0; i < f->n; i++)
            coefficient[i] += value[s] * f->weight[s * n + i];
}

void zw_fourier_spectrum(const zw_fourier *f, const double *value, double *c, double *s) {
    int n = zw_fours(2 * f->top + 1);
    if (f->torus) {
        zw_torus_spectrum(f->torus, value, c, s);
        return;
    }
    sum_all(f->samples, n, value, f->all_cosine, c);
    sum_all(f->samples, n, value, f->all_sine, s);
}

/* eight points: all derivatives at once, harmonic by harmonic; the second one only if requested */
ZW_KERNEL void evaluate_points(int nharmonic, const int *harmonic, const double *coefficient,
                               double w, int points, const double *cosine, const double *sine,
                               double *q, double *v, double *a, const bool twice) {
    zw_four q0 = {0}, q1 = {0}, v0 = {0}, v1 = {0}, a0 = {0}, a1 = {0};
    int at = 0;
    for (int k = 0; k < nharmonic; k++) {
        int h = harmonic[k];
        if (h == 0) {
            q0 += coefficient[at];
            q1 += coefficient[at++];
            continue;
        }
        const double *c = cosine + (size_t)(h * points), *s = sine + (size_t)(h * points);
        zw_four c0 = ZW_LOAD(c), c1 = ZW_LOAD(c + 4), s0 = ZW_LOAD(s), s1 = ZW_LOAD(s + 4);
        double x = coefficient[at], y = coefficient[at + 1], f = h * w, fx = f * x, fy = f * y;
        zw_four u0 = x * c0 + y * s0, u1 = x * c1 + y * s1;
        q0 += u0;
        q1 += u1;
        v0 += fy * c0 - fx * s0;
        v1 += fy * c1 - fx * s1;
        if (twice) {
            a0 -= f * f * u0;
            a1 -= f * f * u1;
        }
        at += 2;
    }
    ZW_STORE(q, q0);
    ZW_STORE(q + 4, q1);
    if (v) {
        ZW_STORE(v, v0);
        ZW_STORE(v + 4, v1);
    }
    if (twice) {
        ZW_STORE(a, a0);
        ZW_STORE(a + 4, a1);
    }
}

ZW_CLONES static void evaluate_group(int nharmonic, const int *harmonic, const double *coefficient,
                                     double w, int points, const double *cosine, const double *sine,
                                     double *q, double *v, double *a) {
    if (a)
        evaluate_points(nharmonic, harmonic, coefficient, w, points, cosine, sine, q, v, a, true);
    else
        evaluate_points(nharmonic, harmonic, coefficient, w, points, cosine, sine, q, v, a, false);
}

void zw_fourier_move_group(const zw_fourier *f, const double *coefficient, double w, int points,
                           const double *cosine, const double *sine, double *q, double *v,
                           double *a) {
    evaluate_group(f->nharmonic, f->harmonic, coefficient, w, points, cosine, sine, q, v, a);
}

void zw_fourier_move(const zw_fourier *f, const double *coefficient, const zw_fourier_places *at) {
    for (int g = 0; g < at->points / LANES; g++)
        evaluate_group(f->nharmonic, f->harmonic, coefficient, at->w, at->points,
                       at->cosine + (size_t)(g * LANES), at->sine + (size_t)(g * LANES),
                       at->q + (size_t)(g * at->q_stride),
                       at->v ? at->v + (size_t)(g * at->v_stride) : NULL,
                       at->a ? at->a + (size_t)(g * at->a_stride) : NULL);
}

static double evaluate_at_rates(const zw_fourier *f, const double *coefficient, int order,
                                double tau) {
    double sum = 0;
    for (int k = 0; k < f->nharmonic; k++) {
        int i = zw_fourier_first(f, k);
        double a = coefficient[i], b = f->harmonic[k] ? coefficient[i + 1] : 0;
        differentiate_pair(f->rate[k], order, &a, &b);
        sum += a * cos(f->rate[k] * tau) + b * sin(f->rate[k] * tau);
    }
    return sum;
}

double zw_fourier_base(const zw_fourier *f, int c, int order, double tau) {
    int chosen = f->harmonic[0] == 0 ? (c + 1) / 2 : c / 2, h = f->harmonic[chosen];
    bool sine = c > zw_fourier_first(f, chosen);
    return pow(h, order) * cos(h * tau + order * M_PI_2 - (sine ? M_PI_2 : 0));
}

/* Cosines and sines follow from those of the harmonic before by rotation, and are evaluated exactly
 * every TURNS harmonics, before rounding errors accumulate. */
double zw_fourier_at(const zw_fourier *f, const double *coefficient, int order, double tau) {
    enum { TURNS = 16 };
    if (f->torus)
        return evaluate_at_rates(f, coefficient, order, tau);
    int step = f->nharmonic > 1 ? f->harmonic[1] - f->harmonic[0] : 1;
    double sum = 0, c = 1, s = 0, step_cosine = cos(step * tau), step_sine = sin(step * tau);
    for (int k = 0; k < f->nharmonic; k++) {
        int h = f->harmonic[k], i = zw_fourier_first(f, k);
        double a = coefficient[i], b = h ? coefficient[i + 1] : 0;
        if (k % TURNS == 0 || h - f->harmonic[k - 1] != step) {
            c = cos(h * tau);
            s = sin(h * tau);
        } else {
            double old = c;
            c = old * step_cosine - s * step_sine;
            s = s * step_cosine + old * step_sine;
        }
        differentiate_pair(h, order, &a, &b);
        sum += a * c + b * s;
    }
    return sum;
}
