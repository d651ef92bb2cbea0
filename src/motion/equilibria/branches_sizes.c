/* SPDX-License-Identifier: MIT */
/* Sizes of states without units, in which curves are measured. */
#include <math.h>
#include <string.h>

#include "base/tolerance.h"
#include "branches.h"

/* of a change of one entry: effect on another one of a symmetry; rotations have 1, rounding
 * 1e-13 */
#define MIXED_SHARE 1e-6
#define START_ZERO ZW_SAME_SOLUTION /* of the size by the unit: the start is zero */
#define SIZE_MIN 1e-9 /* of the size by the unit: a smaller state is zero and has no size */

/* Does a symmetry mix entries i and k, as a rotation does? X (2 ns x nx) and y (nx) are work. */
static bool are_mixed(zw_branches *s, int i, int k, double *X, double *y) {
    const zw_equilibria *e = s->e;
    int nx = e->kernel->nx, ns = e->symmetries.n;
    zw_error ignored = {0};
    double t = e->options.t;
    bool one = false, other = false;
    for (int side = 0; side < 2; side++) { /* X_i by entry k, then X_k by entry i */
        int at = side ? i : k, of = side ? k : i;
        double *shifted = X + (size_t)(ns * nx);
        memcpy(y, e->motion.x, sizeof(double) * (size_t)nx);
        if (zw_symmetries_at(&e->symmetries, e->flow, t, y, NULL, X, &ignored) < 0)
            return false;
        y[at] += e->scale[at];
        if (zw_symmetries_at(&e->symmetries, e->flow, t, y, NULL, shifted, &ignored) < 0)
            return false;
        for (int j = 0; j < ns; j++)
            *(side ? &other : &one) |=
                fabs(shifted[j * nx + of] - X[j * nx + of]) > MIXED_SHARE * e->scale[at];
    }
    return one && other;
}

/* Entries that a symmetry rotates into each other get one size: otherwise its orbits are no circles
 * in the metric of curves. */
static void equalise_sizes(zw_branches *s) {
    zw_equilibria *e = s->e;
    int nx = e->kernel->nx, ns = e->symmetries.n;
    zw_arena_mark mark = zw_arena_mark_now(&s->arena);
    double *X = ZW_NEW(&s->arena, double, 2 * ns * nx + 1), *y = ZW_NEW(&s->arena, double, nx + 1);
    for (int i = 0; !s->arena.failed && ns > 0 && i < e->eq.nq; i++)
        for (int k = i + 1; k < e->eq.nq; k++) {
            const char *unit, *other;
            zw_equilibria_entry(e, i, &unit);
            zw_equilibria_entry(e, k, &other);
            if (!unit[0] && !other[0] && e->scale[i] != e->scale[k] && are_mixed(s, i, k, X, y))
                e->scale[i] = e->scale[k] = fmax(e->scale[i], e->scale[k]);
        }
    zw_arena_release(&s->arena, mark);
}

/* A state without a unit has its own magnitude as its size. That of the start and its motion, or if
 * both are zero the largest of n motions that were found, and of those before: there may be smaller
 * ones near special points, and of motions along a symmetry any may be the first. */
void zw_branches_size_states(zw_branches *s, int n, const double *x) {
    zw_equilibria *e = s->e;
    int nx = e->kernel->nx;
    for (int i = 0; i < e->eq.nq; i++) {
        const char *unit;
        zw_equilibria_entry(e, i, &unit);
        double size = fabs(e->start[i]);
        if (s->has_start)
            size = fmax(size, fabs(e->motion.x[i]));
        for (int k = 0; k < n; k++)
            s->found[i] = fmax(s->found[i], fabs(x[k * nx + i]));
        if (size <= START_ZERO * s->width[i])
            size = s->found[i];
        if (!unit[0] && size > SIZE_MIN * s->width[i])
            e->scale[i] = fmin(size, s->width[i]);
    }
    equalise_sizes(s);
}
