/* SPDX-License-Identifier: MIT */
/* Motions that are images of each other. Many models do not change if some coordinates change their
 * signs and time goes on by half a period of the drive, as a spring without a preferred side under
 * F cos(Omega t). A motion that has not this symmetry itself then has a mirror image,
 *
 *     y_k(t) = +-x_k(t + P/2),     a_h -> +-(-1)^h a_h,
 *
 * which is another motion, with other states, the same multipliers and the same size: both are
 * listed, and the second is called the image of the first. The same motion some periods of the
 * drive later, of several periods, is the same motion, and listed once. */
#include <math.h>

#include "forced.h"

#define ALIKE 1e-5 /* of the size of a coordinate's motion */

/* how far coordinate k of b is from +-(-1)^h that of a, and how large they are */
static double away_from_image(const zw_forced *f, const zw_forced_motion *a,
                              const zw_forced_motion *b, int k, int sign, double *size) {
    int n = a->ncoefficient < b->ncoefficient ? a->ncoefficient : b->ncoefficient;
    bool odd = f->options.odd && !a->state;
    double away = 0;
    *size = 0;
    for (int c = 0; c < n; c++) {
        int h = odd ? 2 * (c / 2) + 1 : (c + 1) / 2;
        double u = a->x[k * a->ncoefficient + c] * (h % 2 ? -sign : sign),
               v = b->x[k * b->ncoefficient + c];
        away += (u - v) * (u - v);
        *size += u * u + v * v;
    }
    return away;
}

static bool is_image(const zw_forced *f, const zw_forced_motion *a, const zw_forced_motion *b) {
    for (int k = 0; k < f->sys->nq; k++) {
        bool alike = false;
        for (int sign = -1; sign <= 1 && !alike; sign += 2) {
            double size, away = away_from_image(f, a, b, k, sign, &size),
                         least = 1e-12 * f->width[k] * f->width[k];
            alike = away <= ALIKE * ALIKE * size + least;
        }
        if (!alike)
            return false;
    }
    return true;
}

int zw_forced_image_of(const zw_forced *f, int number) {
    const zw_forced_motion *m = &f->motion[number];
    for (int i = 0; i < number; i++) {
        const zw_forced_motion *other = &f->motion[i];
        bool there = other->value == m->value || (isnan(other->value) && isnan(m->value));
        if (there && !other->march && !m->march && !other->state == !m->state &&
            is_image(f, other, m))
            return i;
    }
    return -1;
}
