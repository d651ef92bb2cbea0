/* SPDX-License-Identifier: MIT */
/* All poses of one body, of all cameras, and one spline through them: quaternions with consistent
 * signs, and positions. chi^2 of a pose is its deviation from the spline as if it had not taken
 * part, r^2/(1 - h), of angles (4 components, 3 free) and of positions (3). Large ones count less
 * at first (Huber), and those beyond outlier^2 are left out then. The noise of a camera is chosen
 * so that the mean of its chi^2 is that of three degrees of freedom; at first the median, which
 * wrong poses do not move. */
#include <math.h>
#include <string.h>

#include "align.h"

enum { VOTES = 7 };          /* previous poses that decide the sign of a quaternion */
#define MEDIAN_CHI2 2.366    /* of three degrees of freedom */
#define SMALLEST_NOISE 1e-10 /* [rad, m]: data without noise still have round-off */
#define LEAST_REST 0.02 /* least 1 - h: a pose that alone determines the spline has no residual */

/* Of the two quaternions, takes the one that most of the previous poses agree with: a single wrong
 * pose cannot reverse the others. */
static void choose_signs(zw_bundle *b) {
    for (long i = 1; i < b->n; i++) {
        double vote = 0, *e = b->turn + ZW_TURN * i;
        for (long k = i - 1; k >= 0 && k >= i - VOTES; k--) {
            double dot = 0;
            for (int m = 0; m < ZW_TURN; m++)
                dot += e[m] * b->turn[ZW_TURN * k + m];
            vote += dot * fabs(dot) * (double)(VOTES + 1 - (i - k));
        }
        for (int m = 0; vote < 0 && m < ZW_TURN; m++)
            e[m] = -e[m];
    }
}

void zw_bundle_weigh(zw_aligner *a, zw_bundle *b) {
    for (long i = 0; i < b->n; i++) {
        const zw_sight *s = &a->t->sight[b->index[i]];
        const double *sd = a->t->eye[s->camera].noise;
        double place = sd[1] * sd[1] + s->arm * s->arm * sd[0] * sd[0] * 2 / 3;
        double factor = s->fate == ZW_SIGHT_USED ? s->quality * b->soft[i] : 0;
        b->weight[0][i] = factor * 4 / (sd[0] * sd[0]);
        b->weight[1][i] = factor / place;
    }
}

void zw_bundle_fill(zw_aligner *a, zw_bundle *b, zw_seen *scratch) {
    long n = zw_sights_list(a->t, -1, b->frame, false, scratch);
    for (long i = 0; i < n; i++) {
        const zw_sight *s = &a->t->sight[scratch[i].index];
        b->index[i] = scratch[i].index;
        b->t[i] = s->t;
        memcpy(b->turn + ZW_TURN * i, s->e, sizeof s->e);
        memcpy(b->place + ZW_PLACE * i, s->r, sizeof s->r);
        b->soft[i] = 1;
    }
    b->n = n;
    choose_signs(b);
}

zw_status zw_bundle_fit(zw_aligner *a, zw_bundle *b, bool choose, zw_error *err) {
    double gap = a->t->gap;
    if (b->fitted)
        for (int k = 0; k < 2; k++)
            zw_smooth_destroy(&b->spline[k]);
    b->fitted = true;
    b->spline[1] = (zw_smooth){0};
    for (int k = 0; k < 2; k++) {
        if (choose)
            b->step[k] = a->t->frame;
        ZW_TRY(zw_smooth_create(&b->spline[k], b->n, k ? ZW_PLACE : ZW_TURN, b->t,
                                k ? b->place : b->turn, b->weight[k], b->step[k], gap,
                                &a->arena.alloc, err));
    }
    if (b->spline[0].nsegment == 0)
        return ZW_OK;
    for (int k = 0; k < 2; k++) {
        b->spline[k].lambda = b->lambda[k];
        ZW_TRY(zw_smooth_fit(&b->spline[k], choose ? ZW_SMOOTH_ESTIMATE : ZW_SMOOTH_KEEP, err));
        b->lambda[k] = b->spline[k].lambda;
        b->step[k] = b->spline[k].step;
    }
    return ZW_OK;
}

/* chi^2 of each pose, of angles and positions, as if it had not taken part; NaN in no segment. */
void zw_bundle_compare(zw_bundle *b) {
    for (int k = 0; k < 2; k++) {
        zw_smooth *s = &b->spline[k];
        for (long i = 0; i < b->n; i++) {
            double value[ZW_TURN], sum = 0;
            b->chi2[k][i] = NAN;
            if (s->at[i] < 0 || !zw_smooth_at(s, b->t[i], 0, value, NULL))
                continue;
            for (int m = 0; m < s->ncomp; m++)
                sum += (s->y[i * s->ncomp + m] - value[m]) * (s->y[i * s->ncomp + m] - value[m]);
            double rest = 1 - zw_smooth_leverage(s, i);
            b->chi2[k][i] = sum / fmax(rest, LEAST_REST);
        }
    }
}

/* chi^2 in units of the noise of its camera. */
static double chi2_of(const zw_aligner *a, const zw_bundle *b, int part, long i) {
    const zw_sight *s = &a->t->sight[b->index[i]];
    const double *sd = a->t->eye[s->camera].noise;
    double variance =
        part ? sd[1] * sd[1] + s->arm * s->arm * sd[0] * sd[0] * 2 / 3 : sd[0] * sd[0] / 4;
    return b->chi2[part][i] * s->quality / variance;
}

/* The noise of a camera: by the median at first, by the mean without outliers later. */
void zw_align_noise(zw_aligner *a, int camera, int part, bool robust, double *scratch) {
    long m = 0;
    double sum = 0;
    for (int k = 0; k < a->nbundle; k++) {
        const zw_bundle *b = &a->bundle[k];
        for (long i = 0; i < b->n; i++) {
            const zw_sight *s = &a->t->sight[b->index[i]];
            double chi2 = chi2_of(a, b, part, i);
            if (s->camera != camera || isnan(chi2) || s->fate != ZW_SIGHT_USED)
                continue;
            scratch[m++] = chi2;
            sum += chi2 / 3;
        }
    }
    if (m < 20)
        return;
    double factor = robust ? zw_median(scratch, m) / MEDIAN_CHI2 : sum / (double)m;
    double next = a->t->eye[camera].noise[part] * sqrt(factor);
    if (isfinite(next))
        a->t->eye[camera].noise[part] = fmax(next, SMALLEST_NOISE);
}

void zw_bundle_judge(zw_aligner *a, zw_bundle *b, bool soft) {
    double limit = a->t->options.outlier * a->t->options.outlier;
    for (long i = 0; i < b->n; i++) {
        zw_sight *s = &a->t->sight[b->index[i]];
        double chi2 = fmax(chi2_of(a, b, 0, i), chi2_of(a, b, 1, i));
        b->soft[i] = 1;
        if (isnan(b->chi2[0][i]))
            s->fate = ZW_SIGHT_ALONE;
        else
            s->fate = limit > 0 && chi2 > limit && !soft ? ZW_SIGHT_OUTLIER : ZW_SIGHT_USED;
        if (soft)
            b->soft[i] = chi2 > 9 ? 3 / sqrt(chi2) * (chi2 > 100 ? 0.1 : 1) : 1;
    }
}
