/* SPDX-License-Identifier: MIT */
/* Estimates for each camera alone: the time between its frames, and its noise by fourth
 * differences, in which a smooth motion is small. */
#include <math.h>
#include <stdlib.h>

#include "align.h"
#include "base/arena.h"

/* [m]: if no camera has an estimate, small against every real noise */
#define ASSUMED_PLACE_NOISE 1e-6
#define ASSUMED_ANGLE_NOISE 1e-5 /* [rad]: likewise */
#define FIVE_FRAMES 4.5          /* time of five frames without a missing one, in frames */
/* median of the absolute value of normal noise over its standard deviation */
#define MEDIAN_PER_SD 0.6745

static int by_number(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double zw_median(double *v, long n) {
    long m = 0;
    for (long i = 0; i < n; i++)
        if (isfinite(v[i]))
            v[m++] = v[i];
    qsort(v, (size_t)m, sizeof *v, by_number);
    return m == 0 ? NAN : m % 2 ? v[m / 2] : (v[m / 2 - 1] + v[m / 2]) / 2;
}

static int by_time(const void *a, const void *b) {
    const zw_seen *x = a, *y = b;
    return x->t < y->t ? -1 : x->t > y->t ? 1 : x->index < y->index ? -1 : 1;
}

long zw_sights_list(const zw_tracking *t, int camera, int frame, bool used, zw_seen *out) {
    long n = 0;
    for (long i = 0; i < t->nsight; i++) {
        const zw_sight *s = &t->sight[i];
        if ((camera < 0 || s->camera == camera) && s->frame == frame &&
            (used ? s->fate == ZW_SIGHT_USED : s->fate != ZW_SIGHT_UNLINKED))
            out[n++] = (zw_seen){s->t, i};
    }
    qsort(out, (size_t)n, sizeof *out, by_time);
    return n;
}

/* Fourth differences of five successive frames: their signal is small, their noise sqrt(70) times
 * that of a sample. */
static double fourth_difference(const zw_tracking *t, const zw_seen *s, int part, int component) {
    static const double binomial[5] = {1, -4, 6, -4, 1};
    double sum = 0;
    for (int k = 0; k < 5; k++) {
        const zw_sight *v = &t->sight[s[k].index], *first = &t->sight[s[0].index];
        double dot = 0;
        for (int i = 0; i < ZW_TURN; i++)
            dot += v->e[i] * first->e[i];
        sum += binomial[k] * (part ? v->r[component] : (dot < 0 ? -2 : 2) * v->e[component]);
    }
    return sum / sqrt(70);
}

static void guess_noise(zw_tracking *t, zw_eye *eye, const zw_seen *s, long n, double *scratch) {
    for (int part = 0; part < 2; part++) {
        long m = 0;
        for (long i = 0; i + 5 <= n; i++) {
            if (s[i + 4].t - s[i].t > FIVE_FRAMES * eye->frame || s[i + 1].t == s[i].t)
                continue;
            for (int k = 0; k < (part ? ZW_PLACE : ZW_TURN); k++)
                scratch[m++] = fabs(fourth_difference(t, s + i, part, k));
        }
        double found = zw_median(scratch, m) / MEDIAN_PER_SD;
        if (isfinite(found) && found > 0 && !(eye->noise[part] > 0))
            eye->noise[part] = found;
    }
}

zw_status zw_align_estimate_noise(zw_aligner *a, zw_error *err) {
    zw_tracking *t = a->t;
    zw_seen *s = ZW_NEW(&a->arena, zw_seen, t->nsight + 1);
    double *scratch = ZW_NEW(&a->arena, double, 4 * t->nsight + 4);
    if (a->arena.failed)
        return zw_out_of_memory(err, "tracking data");
    for (int c = 0; c < t->neye; c++) {
        zw_eye *eye = &t->eye[c];
        eye->noise[0] = eye->sd_angle > 0 ? eye->sd_angle : t->options.sd_angle;
        eye->noise[1] = eye->sd_place > 0 ? eye->sd_place : t->options.sd_place;
        for (int b = 0; b < a->nbundle; b++) {
            long n = zw_sights_list(t, c, a->bundle[b].frame, false, s), m = 0;
            for (long i = 0; i + 1 < n; i++)
                if (s[i + 1].t > s[i].t)
                    scratch[m++] = s[i + 1].t - s[i].t;
            if (m && !(eye->frame > 0))
                eye->frame = zw_median(scratch, m);
            guess_noise(t, eye, s, n, scratch);
        }
        eye->info.fps = eye->frame > 0 ? 1 / eye->frame : 0;
    }
    /* Cameras without an estimate are like the others. */
    double known[2] = {0, 0}, frame = INFINITY;
    for (int c = 0; c < t->neye; c++) {
        for (int k = 0; k < 2; k++)
            known[k] = fmax(known[k], t->eye[c].noise[k]);
        if (t->eye[c].frame > 0)
            frame = fmin(frame, t->eye[c].frame);
    }
    for (int c = 0; c < t->neye; c++)
        for (int k = 0; k < 2; k++)
            if (!(t->eye[c].noise[k] > 0))
                t->eye[c].noise[k] = known[k] > 0 ? known[k]
                                     : k          ? ASSUMED_PLACE_NOISE
                                                  : ASSUMED_ANGLE_NOISE;
    t->frame = isfinite(frame) ? frame : 0;
    return ZW_OK;
}
