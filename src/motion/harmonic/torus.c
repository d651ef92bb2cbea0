/* SPDX-License-Identifier: MIT */
/* Transforms axis by axis: on a grid of S_1 x S_2 points, sums over one phase and then over the
 * other. */
#include "torus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 8 };

/* -------------------------------------------------------------------------------------- vectors */

static int vector_length(int tones, const int *k) {
    int sum = 0;
    for (int j = 0; j < tones; j++)
        sum += abs(k[j]);
    return sum;
}

/* of k and -k the one whose last nonzero entry is positive */
static bool is_representative(int tones, const int *k) {
    for (int j = tones - 1; j >= 0; j--)
        if (k[j] != 0)
            return k[j] > 0;
    return true;
}

/* lists the vectors of one length, in the order of their last entries; out may be NULL */
static int list_length(int tones, int length, int *out) {
    int k[ZW_PHASES_MAX], n = 0;
    for (int j = 0; j < tones; j++)
        k[j] = -length;
    for (;;) {
        if (vector_length(tones, k) == length && is_representative(tones, k)) {
            if (out)
                memcpy(out + (size_t)(n * tones), k, sizeof(int) * (size_t)tones);
            n++;
        }
        int j = 0;
        while (j < tones && ++k[j] > length)
            k[j++] = -length;
        if (j == tones)
            return n;
    }
}

int zw_torus_count(int tones, int top, bool odd) {
    int n = 0;
    for (int length = odd ? 1 : 0; length <= top; length += odd ? 2 : 1)
        n += list_length(tones, length, NULL);
    return n;
}

void zw_torus_list(int tones, int top, bool odd, int *out) {
    for (int length = odd ? 1 : 0; length <= top; length += odd ? 2 : 1)
        out += tones * list_length(tones, length, out);
}

int zw_torus_number(const zw_torus *t, const int *vector) {
    int number = 0;
    for (int j = 0; j < t->tones; j++)
        number += vector[j] * t->stride[j];
    return number;
}

/* --------------------------------------------------------------------------------------- set-up */

static void choose_grid(zw_torus *t, int samples) {
    t->samples = 0;
    for (int more = 1; t->samples < samples || !t->samples; more++) {
        t->samples = 1;
        for (int j = 0; j < t->tones; j++) {
            int least = 4 * t->top[j] + more;
            t->grid[j] = j ? least : (least + LANES - 1) / LANES * LANES;
            t->samples *= t->grid[j];
        }
    }
}

bool zw_torus_make(zw_torus *t, zw_arena *arena, int tones, int nharmonic, const int *vector,
                   int samples) {
    *t = (zw_torus){.tones = tones, .nharmonic = nharmonic};
    t->vector = ZW_NEW(arena, int, nharmonic *tones + 1);
    if (!t->vector)
        return false;
    memcpy(t->vector, vector, sizeof(int) * (size_t)(nharmonic * tones));
    for (int i = 0; i < nharmonic * tones; i++) {
        int *top = &t->top[i % tones];
        *top = abs(vector[i]) > *top ? abs(vector[i]) : *top;
    }
    for (int j = 0, stride = 1; j < tones; j++) {
        t->stride[j] = stride;
        stride *= 4 * t->top[j] + 1;
    }
    choose_grid(t, samples);
    for (int i = 0; i < 2; i++) {
        t->re[i] = ZW_NEW(arena, double, t->samples);
        t->im[i] = ZW_NEW(arena, double, t->samples);
    }
    for (int j = 0; j < tones; j++) {
        t->cosine[j] = ZW_NEW(arena, double, t->grid[j]);
        t->sine[j] = ZW_NEW(arena, double, t->grid[j]);
    }
    for (int j = 0; j < tones && !arena->failed; j++)
        for (int i = 0; i < t->grid[j]; i++) {
            t->cosine[j][i] = cos(2 * M_PI * i / t->grid[j]);
            t->sine[j][i] = sin(2 * M_PI * i / t->grid[j]);
        }
    return !arena->failed;
}

void zw_torus_point(const zw_torus *t, int s, double *theta) {
    for (int j = 0; j < t->tones; j++) {
        theta[j] = 2 * M_PI * (s % t->grid[j]) / t->grid[j];
        s /= t->grid[j];
    }
}

/* each from those of half the multiple, so that rounding grows only as log m */
void zw_torus_multiples(double theta, int n, double *c, double *s) {
    for (int m = 0; m < n; m++) {
        int a = m / 2, b = m - a;
        c[m] = m == 0 ? 1 : m == 1 ? cos(theta) : c[a] * c[b] - s[a] * s[b];
        s[m] = m == 0 ? 0 : m == 1 ? sin(theta) : s[a] * c[b] + c[a] * s[b];
    }
}

/* ----------------------------------------------------------------------------------- transforms */

/* Transforms one axis j of an array [outer][from][inner] to [outer][to][inner], by sums over its
 * points. One side are phases, the other numbers from -top to top. sign -1: from phases to
 * numbers. */
static void transform_axis(const zw_torus *t, int j, int top, int sign, int outer, int inner,
                           int in) {
    int S = t->grid[j], K = 2 * top + 1, from = sign < 0 ? S : K, to = sign < 0 ? K : S;
    const double *re = t->re[in], *im = t->im[in];
    double *out_re = t->re[1 - in], *out_im = t->im[1 - in];
    for (int o = 0; o < outer; o++)
        for (int k = 0; k < to; k++) {
            size_t at = (size_t)(o * to + k) * (size_t)inner;
            memset(out_re + at, 0, sizeof(double) * (size_t)inner);
            memset(out_im + at, 0, sizeof(double) * (size_t)inner);
            for (int s = 0; s < from; s++) {
                int angle = (sign < 0 ? (k - top) * s : (s - top) * k) % S;
                angle += angle < 0 ? S : 0;
                double c = t->cosine[j][angle], d = sign * t->sine[j][angle];
                size_t of = (size_t)(o * from + s) * (size_t)inner;
                for (int i = 0; i < inner; i++) {
                    out_re[at + (size_t)i] += c * re[of + (size_t)i] - d * im[of + (size_t)i];
                    out_im[at + (size_t)i] += c * im[of + (size_t)i] + d * re[of + (size_t)i];
                }
            }
        }
}

/* the index of a vector among those from -top to top */
static int number_index(int tones, const int *top, const int *k) {
    int at = 0;
    for (int j = tones - 1; j >= 0; j--)
        at = at * (2 * top[j] + 1) + k[j] + top[j];
    return at;
}

static int count_numbers(int tones, const int *top) {
    int n = 1;
    for (int j = 0; j < tones; j++)
        n *= 2 * top[j] + 1;
    return n;
}

void zw_torus_values(const zw_torus *t, const double *coefficient, int order, const double *rate,
                     const double *scale, double *value) {
    int numbers = count_numbers(t->tones, t->top), in = 0, at = 0;
    memset(t->re[0], 0, sizeof(double) * (size_t)numbers);
    memset(t->im[0], 0, sizeof(double) * (size_t)numbers);
    for (int h = 0; h < t->nharmonic; h++) {
        const int *k = t->vector + (size_t)(h * t->tones);
        bool mean = vector_length(t->tones, k) == 0;
        double a = coefficient[at], b = mean ? 0 : coefficient[at + 1],
               factor = scale ? scale[h] : 1;
        at += mean ? 1 : 2;
        for (int i = 0; i < order; i++) { /* cos and sin of the derivative */
            double c = rate[h] * b, s = -rate[h] * a;
            a = c;
            b = s;
        }
        t->re[0][number_index(t->tones, t->top, k)] = factor * a;
        t->im[0][number_index(t->tones, t->top, k)] = -factor * b;
    }
    for (int j = 0, inner = 1, outer = numbers; j < t->tones; j++) {
        outer /= 2 * t->top[j] + 1;
        transform_axis(t, j, t->top[j], 1, outer, inner, in);
        inner *= t->grid[j];
        in = 1 - in;
    }
    memcpy(value, t->re[in], sizeof(double) * (size_t)t->samples);
}

/* sums of value exp(-i k theta) for all numbers up to top; returns the index of the array with the
 * result */
static int fourier_sums(const zw_torus *t, const int *top, const double *value) {
    int in = 0;
    memcpy(t->re[0], value, sizeof(double) * (size_t)t->samples);
    memset(t->im[0], 0, sizeof(double) * (size_t)t->samples);
    for (int j = 0, inner = 1, outer = t->samples; j < t->tones; j++) {
        outer /= t->grid[j];
        transform_axis(t, j, top[j], -1, outer, inner, in);
        inner *= 2 * top[j] + 1;
        in = 1 - in;
    }
    return in;
}

void zw_torus_project(const zw_torus *t, const double *value, double *coefficient) {
    int in = fourier_sums(t, t->top, value), at = 0;
    for (int h = 0; h < t->nharmonic; h++) {
        const int *k = t->vector + (size_t)(h * t->tones);
        int from = number_index(t->tones, t->top, k);
        bool mean = vector_length(t->tones, k) == 0;
        coefficient[at++] = (mean ? 1 : 2) * t->re[in][from] / t->samples;
        if (!mean)
            coefficient[at++] = -2 * t->im[in][from] / t->samples;
    }
}

void zw_torus_spectrum(const zw_torus *t, const double *value, double *c, double *s) {
    int most[ZW_PHASES_MAX], k[ZW_PHASES_MAX];
    for (int j = 0; j < t->tones; j++)
        most[j] = 2 * t->top[j];
    int in = fourier_sums(t, most, value), numbers = count_numbers(t->tones, most);
    for (int i = 0; i < numbers; i++) {
        for (int j = 0, left = i; j < t->tones; j++) {
            k[j] = left % (2 * most[j] + 1) - most[j];
            left /= 2 * most[j] + 1;
        }
        if (!is_representative(t->tones, k))
            continue;
        int number = zw_torus_number(t, k);
        c[number] = 2 * t->re[in][i] / t->samples;
        s[number] = -2 * t->im[in][i] / t->samples;
    }
}

double zw_torus_at(const zw_torus *t, const double *coefficient, const double *theta, double *slope,
                   double *hessian) {
    int n = t->tones, at = 0;
    double value = 0;
    for (int j = 0; slope && j < n; j++)
        slope[j] = 0;
    for (int j = 0; hessian && j < n * n; j++)
        hessian[j] = 0;
    for (int h = 0; h < t->nharmonic; h++) {
        const int *k = t->vector + (size_t)(h * n);
        double angle = 0;
        for (int j = 0; j < n; j++)
            angle += k[j] * theta[j];
        bool mean = vector_length(n, k) == 0;
        double c = cos(angle), s = sin(angle), a = coefficient[at],
               b = mean ? 0 : coefficient[at + 1];
        at += mean ? 1 : 2;
        value += a * c + b * s;
        for (int j = 0; slope && j < n; j++)
            slope[j] += k[j] * (b * c - a * s);
        for (int j = 0; hessian && j < n * n; j++)
            hessian[j] -= k[j / n] * k[j % n] * (a * c + b * s);
    }
    return value;
}
