/* SPDX-License-Identifier: MIT */
/* Motions with several phases. A motion is dense on its torus, so its largest value is that of the
 * function of the phases. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harmonic.h"
#include "motion/harmonic/balance.h"

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
        const int *vector = zw_harmonic_vector(to, k);
        for (int j = 0; j < g->nharmonic; j++) {
            if (memcmp(vector, zw_harmonic_vector(from, j), sizeof(int) * (size_t)tones) != 0)
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

/* cos(k theta), sin(k theta) of all harmonics, in the arrays of the transforms */
static void tabulate_phases(const zw_torus *t, const double *theta) {
    double *c = t->re[0], *s = t->im[0], *each_c = t->re[1], *each_s = t->im[1];
    int width = 1;
    for (int j = 0; j < t->tones; j++)
        width = t->top[j] >= width ? t->top[j] + 1 : width;
    for (int j = 0; j < t->tones; j++)
        zw_torus_multiples(theta[j], width, each_c + j * width, each_s + j * width);
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

/* a function and its first two time derivatives at the tabulated phases */
static void sum_series(const zw_harmonic *h, const double *coefficient, double w, double y[3]) {
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

static void sum_state(const zw_harmonic *h, const double *x, double w, double *state, double *z) {
    const zw_period *p = &h->period;
    const zw_kernel *k = p->kernel;
    int n = p->fourier.n;
    double y[3];
    for (int i = 0; i < k->nq; i++) {
        sum_series(h, x + (size_t)(i * n), w, y);
        state[i] = y[0];
        if (p->plain)
            state[k->nq + i] = y[1];
        if (p->plain && z)
            z[i] = y[2];
    }
    for (int i = 0; i < k->nv && !p->plain; i++) {
        sum_series(h, x + (size_t)((k->nq + i) * n), w, y);
        state[k->nq + i] = y[0];
        if (z)
            z[i] = y[1];
    }
    for (int i = 0; z && i < k->nc; i++) {
        sum_series(h, x + (size_t)((p->n - k->nc + i) * n), w, y);
        z[k->nv + i] = y[0];
    }
}

void zw_harmonic_state_at(const zw_harmonic *h, const double *x, const double *phase,
                          double *state) {
    tabulate_phases(h->period.fourier.torus, phase);
    sum_state(h, x, h->W[0], state, NULL);
}

void zw_harmonic_rates_at(const zw_harmonic *h, const double *x, const double *phase, double *state,
                          double *rate) {
    const zw_period *p = &h->period;
    const zw_kernel *k = p->kernel;
    int n = p->fourier.n, series = k->nq + (p->plain ? 0 : k->nv);
    double y[3];
    tabulate_phases(h->period.fourier.torus, phase);
    for (int i = 0; i < series; i++) {
        sum_series(h, x + (size_t)(i * n), h->W[0], y);
        state[i] = y[0];
        rate[i] = y[1];
        if (p->plain) {
            state[k->nq + i] = y[1];
            rate[k->nq + i] = y[2];
        }
    }
}

void zw_harmonic_torus_state(const zw_harmonic *h, const double *x, double t, double *state,
                             double *z) {
    double phase[ZW_PHASES_MAX];
    for (int j = 0; j < h->period.fourier.torus->tones; j++)
        phase[j] = fmod(h->W[j] * t, 2 * M_PI);
    tabulate_phases(h->period.fourier.torus, phase);
    sum_state(h, x, h->W[0], state, z);
}

/* ------------------------------------------------------------------------------------- extremes */

typedef struct series {
    const zw_torus *torus;
    const double *coefficient;
} series;

static zw_status evaluate_at(void *user, const double *theta, double *value, double *slope,
                             double *hessian, zw_error *err) {
    const series *s = user;
    (void)err;
    *value = zw_torus_at(s->torus, s->coefficient, theta, slope, hessian);
    return ZW_OK;
}

static double find_largest(const zw_torus *t, const double *coefficient, const double *value,
                           double sign) {
    series s = {t, coefficient};
    int peak[ZW_TORUS_PEAKS], n = zw_torus_peaks(t->tones, t->grid, value, sign, peak);
    double best = -INFINITY, peak_value;
    for (int i = 0; i < n; i++)
        if (zw_torus_climb(t->tones, t->grid, evaluate_at, &s, sign, peak[i], &peak_value, NULL) ==
            ZW_OK)
            best = fmax(best, sign * peak_value);
    return sign * best;
}

void zw_harmonic_torus_extremes(zw_harmonic *h, const double *coefficient, double *max,
                                double *min) {
    const zw_fourier *f = &h->period.fourier;
    zw_fourier_values(f, coefficient, 0, h->series);
    *max = find_largest(f->torus, coefficient, h->series, 1);
    *min = find_largest(f->torus, coefficient, h->series, -1);
}
