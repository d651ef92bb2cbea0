/* SPDX-License-Identifier: MIT */
/* Test function for points where the equations at a fixed value of a are singular: folds, and
 * points at which branches cross. With a fixed vector b
 *
 *     r_x u = b,        s = sign(det r_x)/|u|,
 *
 * s is zero where r_x is singular and has no pole. Near a simple zero eigenvalue sigma, |u| is
 * (psi.b)/sigma with the left null vector psi, so that s crosses zero with a slope. No multipliers
 * are needed, which quasi-periodic motions do not have. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "harmonic.h"

/* numbers in [-1, 1], the same each time: no symmetry of a system leaves them invariant */
static double random_number(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

zw_status zw_harmonic_singular(zw_harmonic *h, const double *x, double a, double *value,
                               zw_error *err) {
    zw_cont_problem p = zw_harmonic_problem(h);
    zw_arena_mark mark = zw_arena_mark_now(&h->arena);
    double *u = ZW_NEW(&h->arena, double, p.n + 1);
    unsigned seed = 11;
    *value = NAN;
    if (!u)
        return zw_out_of_memory(err, NULL);
    zw_status status = p.residual(p.self, x, a, u, err);
    memset(u, 0, sizeof(double) * (size_t)(p.n + 1));
    u[p.n] = 1; /* a is fixed */
    if (status == ZW_OK)
        status = p.factor(p.self, x, a, u, err);
    for (int i = 0; i < p.n; i++)
        u[i] = random_number(&seed);
    u[p.n] = 0;
    if (status == ZW_OK) {
        p.solve(p.self, u);
        *value = zw_blocks_sign(h->blocks) / sqrt(p.inner(p.self, u, u));
    }
    zw_arena_release(&h->arena, mark);
    return status;
}
