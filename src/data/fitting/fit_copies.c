/* SPDX-License-Identifier: MIT */
/* Noise does not repeat. If b = alpha + beta a, row by row, agrees much better between two
 * experiments than the noise of either allows, one was made from the other: with a factor, rounded,
 * or shifted in value or time. For independent measurements of the same motion the differences b -
 * alpha - beta a have the noise of both. The noise is that of residuals from one row to the next,
 * which a slow error of the model does not change. Data without noise decide nothing: motions of
 * linear models are multiples of each other. */
#include <math.h>

#include "fit.h"

enum {
    ROWS_LEAST = 12,       /* rows of a comparison */
    EXPERIMENTS_MOST = 300 /* experiments whose pairs are compared */
};
/* of the noise: smaller differences are no noise; independent noise would give 1.4 */
#define COPY_RATIO 0.25
#define NOISELESS 1e-6 /* of the range of the data: rounding of data with six digits */
/* of the time from the first to the last row: times printed with nine digits */
#define SAME_TIME 1e-9

static bool has_same_times(const zw_fit_experiment *a, const zw_fit_experiment *b) {
    double span = a->t[a->nrow - 1] - a->t[0];
    for (int k = 0; k < a->nrow; k++)
        if (!(fabs((a->t[k] - a->t[0]) - (b->t[k] - b->t[0])) <= SAME_TIME * span))
            return false;
    return true;
}

static bool is_exact(const zw_fit *f, const zw_fit_experiment *a, const zw_fit_experiment *b) {
    for (int k = 0; k < a->nrow * f->nq; k++)
        if (!(a->y[k] == b->y[k]) && !(isnan(a->y[k]) && isnan(b->y[k])))
            return false;
    return a->t[0] == b->t[0]; /* reported when the data were read */
}

/* Noise of quantity q, from differences of successive residuals; 0: none, or too few rows. */
static double noise_of(const zw_fit *f, const zw_fit_experiment *e, int q) {
    double sum = 0, low = INFINITY, high = -INFINITY, before = NAN;
    int n = 0;
    for (int k = 0; k < e->nrow; k++) {
        double y = e->y[k * f->nq + q], r = y - e->h[k * f->nq + q];
        if (isnan(y))
            continue;
        low = fmin(low, y);
        high = fmax(high, y);
        if (!isnan(before)) {
            sum += (r - before) * (r - before) / 2;
            n++;
        }
        before = r;
    }
    double noise = n >= ROWS_LEAST ? sqrt(sum / n) : 0;
    return noise > NOISELESS * (high - low) ? noise : 0;
}

/* The rms of b - alpha - beta a, and beta; INFINITY: too few rows. */
static double regress_rows(const zw_fit *f, const zw_fit_experiment *a, const zw_fit_experiment *b,
                           int q, double *beta) {
    double n = 0, ma = 0, mb = 0, saa = 0, sab = 0, sbb = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < a->nrow; k++) {
            double u = a->y[k * f->nq + q], v = b->y[k * f->nq + q];
            if (isnan(u) || isnan(v))
                continue;
            if (pass == 0) {
                n++;
                ma += (u - ma) / n;
                mb += (v - mb) / n;
                continue;
            }
            saa += (u - ma) * (u - ma);
            sab += (u - ma) * (v - mb);
            sbb += (v - mb) * (v - mb);
        }
    *beta = saa > 0 ? sab / saa : 0;
    return n >= ROWS_LEAST && saa > 0 ? sqrt(fmax(sbb - *beta * sab, 0) / n) : INFINITY;
}

/* In all quantities that both have, at least one. */
static bool is_repeating(const zw_fit *f, const zw_fit_experiment *a, const zw_fit_experiment *b) {
    bool any = false;
    for (int q = 0; q < f->nq; q++) {
        double beta, off = regress_rows(f, a, b, q, &beta);
        if (off == INFINITY)
            continue;
        double noise = fmin(noise_of(f, b, q), fabs(beta) * noise_of(f, a, q));
        if (!(off < COPY_RATIO * noise))
            return false;
        any = true;
    }
    return any;
}

void zw_fit_report_copies(zw_fit *f) {
    for (int i = 0; i < f->E && f->E <= EXPERIMENTS_MOST; i++)
        for (int j = 0; j < i; j++) {
            const zw_fit_experiment *a = &f->experiment[j], *b = &f->experiment[i];
            if (a->nrow != b->nrow || !has_same_times(a, b) || is_exact(f, a, b) ||
                !is_repeating(f, a, b))
                continue;
            char key[80];
            snprintf(key, sizeof key, "fit repeats %d %d", j, i);
            zw_warning d = zw_warning_of(
                key, NAN, "%s and %s have the same noise, but for a factor, a shift or rounding",
                a->name, b->name);
            zw_warning_hint(
                &d, "a copy is not a second experiment: it makes the standard errors too small");
            zw_warnings_add(f->doubts, &d);
        }
}
