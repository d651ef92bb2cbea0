/* SPDX-License-Identifier: MIT */
/* Integrates A' = w~ A, w in space, by a Magnus expansion of fourth order with two Gauss points per
 * step: A(t + h) = exp(W) A(t) with the rotation vector
 *
 *     W = h/2 (w_1 + w_2) - sqrt(3) h^2/12 w_1 x w_2
 *
 * (Magnus 1954; Iserles and Norsett 1999). Components w in the frame satisfy A' = A w~; the
 * transpose then satisfies the equation above with -w. */
#include "attitude_turn.h"

#include <math.h>
#include <string.h>

#include "base/rotation.h"
#include "motion/segments/periodic.h"

enum { STEPS = 400 };

zw_attitude zw_attitude_of(const zw_system *s, int quaternion) {
    zw_attitude a = {.name = ""};
    for (int i = 0; i < s->nframe; i++) {
        const zw_frame *f = &s->frame[i];
        if (f->quaternion != quaternion)
            continue;
        const zw_expr first = f->in_space ? f->omega[0] : f->w[0];
        a = (zw_attitude){.name = f->name, .in_space = f->in_space};
        while (s->velocity[a.velocity].sym != first)
            a.velocity++;
    }
    return a;
}

zw_status zw_attitude_turn(const zw_attitude *a, const zw_orbit *motion, int nq, double *x,
                           double turn[3], zw_error *err) {
    const double node = sqrt(3) / 6, h = motion->period / STEPS, sign = a->in_space ? 1 : -1;
    double H[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, E[9], next[9], w[2][3], by[3];
    for (int k = 0; k < STEPS; k++) {
        for (int i = 0; i < 2; i++) {
            double t = motion->start + (k + 0.5 + (i ? node : -node)) * h;
            ZW_TRY(motion->at(motion->user, t, x, err));
            for (int r = 0; r < 3; r++)
                w[i][r] = sign * x[nq + a->velocity + r];
        }
        for (int r = 0; r < 3; r++) {
            int b = (r + 1) % 3, c = (r + 2) % 3;
            by[r] = h / 2 * (w[0][r] + w[1][r]) -
                    h * h * sqrt(3) / 12 * (w[0][b] * w[1][c] - w[0][c] * w[1][b]);
        }
        zw_rotation_of_vector(by, E);
        zw_rotation_product(E, H, next);
        memcpy(H, next, sizeof H);
    }
    zw_rotation_vector(H, turn);
    for (int r = 0; r < 3; r++)
        turn[r] *= sign;
    return ZW_OK;
}

void zw_attitude_between(const zw_attitude *a, const double first[4], const double last[4],
                         double turn[3]) {
    double A[9], B[9], H[9];
    zw_rotation_matrix(first, A);
    zw_rotation_matrix(last, B);
    if (a->in_space)
        zw_rotation_product_right(B, A, H);
    else
        zw_rotation_product_left(A, B, H);
    zw_rotation_vector(H, turn);
}

/* If the velocities repeat, A(t + P) = A(t) A(0)' A(P) for velocities in space and A(P) A(0)' A(t)
 * for velocities in the frame. */
void zw_attitude_later(const zw_attitude *a, const double first[4], const double last[4],
                       const double e[4], double later[4]) {
    double A[9], B[9], C[9], now[9];
    zw_rotation_matrix(first, A);
    zw_rotation_matrix(last, B);
    zw_rotation_matrix(e, now);
    if (a->in_space) {
        zw_rotation_product_left(A, B, C);
        zw_rotation_product(now, C, A);
    } else {
        zw_rotation_product_right(B, A, C);
        zw_rotation_product(C, now, A);
    }
    zw_rotation_quaternion(A, later);
}
