/* SPDX-License-Identifier: MIT */
/* Single wrong samples in a column of a coordinate. Sample i is compared with the straight lines
 * between its neighbours i - k and i + k, k = 1, 2, 3, by their median at t_i,
 *
 *   e_i = y_i - median_k line_k(t_i),
 *
 * which one wrong neighbour does not move. e is noise, and curvature, which changes slowly: the
 * median of |e| over the samples around i is its local size (F. R. Hampel, J. Amer. Statist.
 * Assoc. 69, 1974, 383). A sample is left out if its e exceeds `outlier` of these, in standard
 * deviations of normal noise, and if it is alone: at a kink of the motion, an impact, the e of
 * its neighbours are at least half as large, and the samples stay. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "tracking.h"

enum {
    PAIRS = 3,       /* of neighbours: the median of three lines */
    NEIGHBOURS = 12, /* samples on each side that give the local size of the noise */
    /* passes over the samples: neighbours of an outlier are judged again without it */
    ROUNDS = 5
};
#define ALONE_RATIO 4 /* times the e of the neighbours: at a kink they are at least a half */
/* standard deviation of normal noise over the median of its absolute value */
#define SD_PER_MEDIAN 1.4826

static double median_of_three(double a, double b, double c) {
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* e of the head; samples at the ends have none. */
static void find_misfits(const zw_tracking_series *s, double *e) {
    for (long i = 0; i < s->n; i++) {
        double line[PAIRS];
        e[i] = 0;
        if (i < PAIRS || i + PAIRS >= s->n)
            continue;
        for (int k = 1; k <= PAIRS; k++) {
            const zw_tracking_sample *a = &s->sample[i - k], *b = &s->sample[i + k];
            line[k - 1] =
                a->y + (b->y - a->y) * (s->sample[i].t - a->t) / fmax(b->t - a->t, ZW_TINY);
        }
        e[i] = s->sample[i].y - median_of_three(line[0], line[1], line[2]);
    }
}

static double size_about(const double *e, long n, long i) {
    double near[2 * NEIGHBOURS + 1];
    long m = 0;
    for (long k = i > NEIGHBOURS ? i - NEIGHBOURS : 0; k < n && k <= i + NEIGHBOURS; k++)
        near[m++] = fabs(e[k]);
    return SD_PER_MEDIAN * zw_median(near, m);
}

static bool is_wrong(const zw_tracking *t, const double *e, long n, long i) {
    double neighbours = 0;
    for (long k = i - 2; k <= i + 2; k++)
        if (k >= 0 && k < n && k != i)
            neighbours = fmax(neighbours, fabs(e[k]));
    return fabs(e[i]) > ALONE_RATIO * neighbours &&
           fabs(e[i]) > t->options.outlier * size_about(e, n, i);
}

static void warn_outlier(zw_tracking *t, const zw_tracking_series *s, const zw_tracking_sample *a) {
    char key[96];
    snprintf(key, sizeof key, "outlier of %.60s", s->info.name);
    zw_warning d = zw_warning_of(
        key, a->t, "a sample of %s is unlike its neighbours and is left out (%.6g %s)",
        s->info.name, a->y, s->info.unit);
    zw_warning_hint(&d, "--outlier sets the limit in standard deviations");
    zw_warnings_add(t->doubts, &d);
}

zw_status zw_tracking_reject(zw_tracking *t, zw_tracking_series *s, zw_error *err) {
    double *e = ZW_NEW(&t->arena, double, s->n + 1);
    bool *wrong = ZW_NEW(&t->arena, bool, s->n + 1);
    if (t->arena.failed)
        return zw_out_of_memory(err, "tracking data");
    for (int round = 0; round < ROUNDS && s->n > 2 * NEIGHBOURS; round++) {
        long kept = 0, n = s->n;
        find_misfits(s, e);
        for (long i = 0; i < n; i++)
            wrong[i] = is_wrong(t, e, n, i);
        for (long i = 0; i < n; i++) {
            if (wrong[i])
                warn_outlier(t, s, &s->sample[i]);
            else
                s->sample[kept++] = s->sample[i];
        }
        s->n = kept;
        s->info.outliers += n - kept;
        if (kept == n)
            break;
    }
    return ZW_OK;
}
