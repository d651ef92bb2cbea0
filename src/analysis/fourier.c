/* SPDX-License-Identifier: MIT */
/* Discrete sums over the points of a period. With more than 2 h points the sums of cos(j tau) cos(k tau) and the like are the
 * integrals for j, k <= h. Tables instead of fast transforms: of some tens of points they are as fast, and any choice of
 * harmonics is as good as all. */
#include "fourier.h"

#include <math.h>
#include <string.h>

enum { LANES = 8 };

static int count_points(int top, int asked) {
    int least = 4 * top + 1, points = asked > least ? asked : least;
    return (points + LANES - 1) / LANES * LANES;
}

bool zw_fourier_make(zw_fourier *f, zw_arena *arena, int nharmonic, const int *harmonic,
                     int samples) {
    *f = (zw_fourier){.nharmonic = nharmonic};
    f->harmonic = ZW_NEW(arena, int, nharmonic + 1);
    if (!f->harmonic)
        return false;
    memcpy(f->harmonic, harmonic, sizeof(int) * (size_t)nharmonic);
    f->top = nharmonic ? harmonic[nharmonic - 1] : 0;
    f->n = zw_fourier_first(f, nharmonic);
    f->samples = count_points(f->top, samples);
    int S = f->samples, rows = 2 * f->top + 1;
    f->cosine = ZW_NEW(arena, double, rows *S);
    f->sine = ZW_NEW(arena, double, rows *S);
    if (arena->failed)
        return false;
    for (int h = 0; h < rows; h++)
        for (int s = 0; s < S; s++) { /* the angle by whole numbers: symmetric values are equal */
            double tau = 2 * M_PI * (double)((long)h * s % S) / S;
            f->cosine[h * S + s] = cos(tau);
            f->sine[h * S + s] = sin(tau);
        }
    return true;
}

/* d^order/dtau^order of a cos + b sin: the coefficients of h */
static void derive(int h, int order, double *a, double *b) {
    for (int i = 0; i < order; i++) {
        double c = h * *b, s = -h * *a;
        *a = c;
        *b = s;
    }
}

void zw_fourier_values(const zw_fourier *f, const double *coefficient, int order, double *value) {
    int S = f->samples;
    memset(value, 0, sizeof(double) * (size_t)S);
    for (int k = 0; k < f->nharmonic; k++) {
        int h = f->harmonic[k], i = zw_fourier_first(f, k);
        double a = coefficient[i], b = h ? coefficient[i + 1] : 0;
        const double *c = f->cosine + (size_t)(h * S), *s = f->sine + (size_t)(h * S);
        derive(h, order, &a, &b);
        for (int j = 0; j < S; j++)
            value[j] += a * c[j] + b * s[j];
    }
}

/* four sums side by side: the order is fixed, whatever the compiler makes of it */
static double dot(int n, const double *a, const double *b) {
    double sum[LANES] = {0};
    for (int i = 0; i < n; i += LANES)
        for (int k = 0; k < LANES; k++)
            sum[k] += a[i + k] * b[i + k];
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

void zw_fourier_project(const zw_fourier *f, const double *value, double *coefficient) {
    int S = f->samples;
    for (int k = 0; k < f->nharmonic; k++) {
        int h = f->harmonic[k], i = zw_fourier_first(f, k);
        coefficient[i] = (h ? 2.0 : 1.0) / S * dot(S, value, f->cosine + (size_t)(h * S));
        if (h)
            coefficient[i + 1] = 2.0 / S * dot(S, value, f->sine + (size_t)(h * S));
    }
}

void zw_fourier_spectrum(const zw_fourier *f, const double *value, double *c, double *s) {
    int S = f->samples;
    for (int h = 0; h <= 2 * f->top; h++) {
        c[h] = 2.0 / S * dot(S, value, f->cosine + (size_t)(h * S));
        s[h] = 2.0 / S * dot(S, value, f->sine + (size_t)(h * S));
    }
}

double zw_fourier_at(const zw_fourier *f, const double *coefficient, int order, double tau) {
    double sum = 0;
    for (int k = 0; k < f->nharmonic; k++) {
        int h = f->harmonic[k], i = zw_fourier_first(f, k);
        double a = coefficient[i], b = h ? coefficient[i + 1] : 0;
        derive(h, order, &a, &b);
        sum += a * cos(h * tau) + b * sin(h * tau);
    }
    return sum;
}
