/* SPDX-License-Identifier: MIT */
/* Motions that are mirror images of each other. Many models do not change if some coordinates
 * change their signs and time is shifted by half a period of the excitation, such as a symmetric
 * spring under F cos(Omega t). A motion without this symmetry then has a mirror image,
 *
 *     y_k(t) = +-x_k(t + P/2),     a_h -> +-(-1)^h a_h,
 *
 * which is another motion, with other states, the same multipliers and the same size: both are
 * listed, and the second is called the image of the first. A motion of several periods that is
 * shifted by some periods of the excitation is the same motion, and listed once. */
#include <math.h>

#include "forced.h"

/* relative to the size of a coordinate's motion: distance from the image; motions are corrected to
 * 1e-11, and series that are cut differ by up to the tolerance */
#define IMAGE_SAME 1e-5
/* relative to the square of the width: motion of a coordinate that is rounding (1e-6 of the
 * width) */
#define SQUARE_LEAST 1e-12

/* the squared distance of coordinate k of b from +-(-1)^h that of a; *size: their squared sizes */
static double image_distance(const zw_forced *f, const zw_forced_motion *a,
                             const zw_forced_motion *b, int k, int sign, double *size) {
    int n = a->ncoefficient < b->ncoefficient ? a->ncoefficient : b->ncoefficient;
    bool odd = f->options.odd && !a->state;
    double distance = 0;
    *size = 0;
    for (int c = 0; c < n; c++) {
        int h = odd ? 2 * (c / 2) + 1 : (c + 1) / 2;
        double u = a->x[k * a->ncoefficient + c] * (h % 2 ? -sign : sign),
               v = b->x[k * b->ncoefficient + c];
        distance += (u - v) * (u - v);
        *size += u * u + v * v;
    }
    return distance;
}

static bool is_image(const zw_forced *f, const zw_forced_motion *a, const zw_forced_motion *b) {
    for (int k = 0; k < f->sys->nq; k++) {
        bool alike = false;
        for (int sign = -1; sign <= 1 && !alike; sign += 2) {
            double size, distance = image_distance(f, a, b, k, sign, &size),
                         least = SQUARE_LEAST * f->width[k] * f->width[k];
            alike = distance <= IMAGE_SAME * IMAGE_SAME * size + least;
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
        bool same_value = other->value == m->value || (isnan(other->value) && isnan(m->value));
        if (same_value && !other->march && !m->march && !other->state == !m->state &&
            is_image(f, other, m))
            return i;
    }
    return -1;
}
