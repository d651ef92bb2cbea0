/* SPDX-License-Identifier: MIT */
/* Motions with several phases. A motion is dense on its torus, so its largest value is that of the function of the phases. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harmonic.h"
#include "num/linalg.h"

enum { STEPS = 30, TOPS = 8 };

int zw_harmonic_vectors(int phases, int top, bool odd, int *out) {
    if (out)
        zw_torus_list(phases, top, odd, out);
    return zw_torus_count(phases, top, odd);
}

int zw_harmonic_count(const zw_harmonic *h) {
    return h->period.fourier.nharmonic;
}

const int *zw_harmonic_vector(const zw_harmonic *h, int i) {
    const zw_fourier *f = &h->period.fourier;
    return f->torus ? f->torus->vector + (size_t)(i * f->torus->tones) : f->harmonic + i;
}

void zw_harmonic_line(const zw_harmonic *h, const double *x, int function, int i, double *c,
                      double *s) {
    const zw_fourier *f = &h->period.fourier;
    const double *at = x + (size_t)(function * f->n + zw_fourier_first(f, i));
    *c = at[0];
    *s = f->harmonic[i] ? at[1] : 0;
}

void zw_harmonic_torus_embed(const zw_harmonic *from, const double *x, const zw_harmonic *to,
                             double *y) {
    const zw_fourier *f = &to->period.fourier, *g = &from->period.fourier;
    int n = to->period.n, tones = f->torus->tones;
    memset(y, 0, sizeof(double) * (size_t)(n * f->n + to->nfree));
    for (int k = 0; k < f->nharmonic; k++) {
        const int *wanted = zw_harmonic_vector(to, k);
        for (int j = 0; j < g->nharmonic; j++) {
            if (memcmp(wanted, zw_harmonic_vector(from, j), sizeof(int) * (size_t)tones) != 0)
                continue;
            for (int i = 0; i < n; i++) {
                double c, s, *at = y + (size_t)(i * f->n + zw_fourier_first(f, k));
                zw_harmonic_line(from, x, i, j, &c, &s);
                at[0] = c;
                if (f->harmonic[k])
                    at[1] = s;
            }
        }
    }
    for (int k = 0; k < to->nfree && k < from->nfree; k++)
        y[n * f->n + k] = x[n * g->n + k];
}

/* cos(k theta), sin(k theta) of all harmonics, in the room of the transforms */
static void turn_to(const zw_torus *t, const double *theta) {
    double *c = t->re[0], *s = t->im[0], *each_c = t->re[1], *each_s = t->im[1];
    int width = 1;
    for (int j = 0; j < t->tones; j++)
        width = t->top[j] >= width ? t->top[j] + 1 : width;
    for (int j = 0; j < t->tones; j++)
        for (int m = 0; m < width; m++) {
            each_c[j * width + m] = cos(m * theta[j]);
            each_s[j * width + m] = sin(m * theta[j]);
        }
    for (int h = 0; h < t->nharmonic; h++) {
        c[h] = 1;
        s[h] = 0;
        for (int j = 0; j < t->tones; j++) {
            int k = t->vector[h * t->tones + j], at = j * width + abs(k);
            double u = each_c[at], v = k < 0 ? -each_s[at] : each_s[at], old = c[h];
            c[h] = old * u - s[h] * v;
            s[h] = s[h] * u + old * v;
        }
    }
}

/* a function and its first two derivatives in time there */
static void sum_up(const zw_harmonic *h, const double *coefficient, double w, double y[3]) {
    const zw_fourier *f = &h->period.fourier;
    const double *c = f->torus->re[0], *s = f->torus->im[0];
    y[0] = y[1] = y[2] = 0;
    for (int k = 0, at = 0; k < f->nharmonic; k++) {
        double a = coefficient[at++], b = f->harmonic[k] ? coefficient[at++] : 0,
               rate = w * f->rate[k], u = a * c[k] + b * s[k];
        y[0] += u;
        y[1] += rate * (b * c[k] - a * s[k]);
        y[2] -= rate * rate * u;
    }
}

static void state_there(const zw_harmonic *h, const double *x, double w, double *state, double *z) {
    const zw_period *p = &h->period;
    const zw_kernel *k = p->kernel;
    int n = p->fourier.n;
    double y[3];
    for (int i = 0; i < k->nq; i++) {
        sum_up(h, x + (size_t)(i * n), w, y);
        state[i] = y[0];
        if (p->plain)
            state[k->nq + i] = y[1];
        if (p->plain && z)
            z[i] = y[2];
    }
    for (int i = 0; i < k->nv && !p->plain; i++) {
        sum_up(h, x + (size_t)((k->nq + i) * n), w, y);
        state[k->nq + i] = y[0];
        if (z)
            z[i] = y[1];
    }
    for (int i = 0; z && i < k->nc; i++) {
        sum_up(h, x + (size_t)((p->n - k->nc + i) * n), w, y);
        z[k->nv + i] = y[0];
    }
}

void zw_harmonic_state_at(const zw_harmonic *h, const double *x, const double *phase,
                          double *state) {
    turn_to(h->period.fourier.torus, phase);
    state_there(h, x, h->W[0], state, NULL);
}

void zw_harmonic_torus_state(const zw_harmonic *h, const double *x, double t, double *state,
                             double *z) {
    double phase[ZW_PHASES_MAX];
    for (int j = 0; j < h->period.fourier.torus->tones; j++)
        phase[j] = fmod(h->W[j] * t, 2 * M_PI);
    turn_to(h->period.fourier.torus, phase);
    state_there(h, x, h->W[0], state, z);
}

/* ------------------------------------------------------------------------------------------- extremes */

static double clamp(double x, double most) {
    return fmin(fmax(x, -most), most);
}

/* Newton's method for a stationary point from a point of the grid; uphill where the function is not concave */
static double climb(const zw_torus *t, const double *coefficient, double sign, int point) {
    double theta[ZW_PHASES_MAX], slope[ZW_PHASES_MAX], bend[ZW_PHASES_MAX * ZW_PHASES_MAX],
        step[ZW_PHASES_MAX], best = -INFINITY, length = 1;
    int n = t->tones, pivot[ZW_PHASES_MAX];
    zw_torus_point(t, point, theta);
    for (int i = 0; i < STEPS && length > 1e-9; i++) {
        double value = sign * zw_torus_at(t, coefficient, theta, slope, bend);
        double rise = 0;
        best = fmax(best, value);
        memcpy(step, slope, sizeof step);
        bool found = zw_num_lu(n, bend, pivot) > 0;
        if (found)
            zw_num_lu_solve(n, bend, pivot, 1, step);
        for (int j = 0; j < n; j++)
            rise -= sign * slope[j] * step[j];
        length = 0;
        for (int j = 0; j < n; j++) {
            double most = M_PI / t->grid[j];
            double by = found && rise > 0 ? -step[j] : sign * (slope[j] > 0 ? most : -most) / 4;
            theta[j] += clamp(by, most);
            length = fmax(length, fabs(clamp(by, most)));
        }
    }
    return fmax(best, sign * zw_torus_at(t, coefficient, theta, NULL, NULL));
}

/* from the highest points of the grid that no neighbour along an axis exceeds */
static double find_highest(const zw_torus *t, const double *coefficient, const double *value,
                           double sign) {
    int top[TOPS], n = 0;
    double best = -INFINITY;
    for (int s = 0; s < t->samples; s++) {
        bool highest = true;
        for (int j = 0, stride = 1; j < t->tones; stride *= t->grid[j++]) {
            int i = s / stride % t->grid[j], last = t->grid[j] - 1;
            int next = s + (i == last ? -last : 1) * stride,
                before = s + (i == 0 ? last : -1) * stride;
            highest &=
                sign * value[s] >= sign * value[next] && sign * value[s] > sign * value[before];
        }
        best = fmax(best, sign * value[s]);
        if (!highest)
            continue;
        int at = n < TOPS ? n++ : TOPS; /* in their order, the lowest at the end */
        if (at == TOPS && !(sign * value[s] > sign * value[top[--at]]))
            continue;
        top[at] = s;
        for (; at > 0 && sign * value[top[at]] > sign * value[top[at - 1]]; at--) {
            int keep = top[at];
            top[at] = top[at - 1];
            top[at - 1] = keep;
        }
    }
    for (int i = 0; i < n; i++)
        best = fmax(best, climb(t, coefficient, sign, top[i]));
    return sign * best;
}

void zw_harmonic_torus_extremes(zw_harmonic *h, const double *coefficient, double *max,
                                double *min) {
    const zw_fourier *f = &h->period.fourier;
    zw_fourier_values(f, coefficient, 0, h->series);
    *max = find_highest(f->torus, coefficient, h->series, 1);
    *min = find_highest(f->torus, coefficient, h->series, -1);
}
