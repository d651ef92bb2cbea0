/* SPDX-License-Identifier: MIT */
/* Does the motion come close to a singularity of its coordinates? In angles theta, phi a spherical
 * pendulum has the mass matrix diag(1, sin(theta)^2) m l^2: at theta = 0 the motion is regular, but
 * phi is singular. Accelerations near it are differences of large numbers, and a long step may pass
 * over it without an error. At the singularity any phi' is a solution.
 *
 * With A = M + sum_k w_k w_k' tr(M)/|w_k|^2, w_k the rows of the constraints (constrained
 * directions need no inertia), and the pivots d_i of A = L D L',
 *
 *     c = min_i sqrt(d_i/D_i),      D_i the largest d_i so far,
 *
 * is about the distance from the singularity, relative to the largest distance. It is computed
 * after each step, and within a step if its values at both ends and in the middle look like those
 * of |s| at a zero of s. A distance below ZW_NUM_INERTIA_TOUCHES gives a warning. A constant mass
 * matrix is checked only CONSTANT times; a partition of the coordinates is not checked at all,
 * since each evaluation would need a search for the dependent coordinates. */
#include <math.h>

#include "inertia.h"
#include "num/internal.h"
#include "num/linear/linalg.h"

/* Checks after which an unchanged matrix counts as constant; golden sections; with fixed steps only
 * every fourth one is checked. */
enum { CONSTANT = 8, SECTIONS = 40, APART = 4 };
#define DISTANCE_REACH 0.5 /* largest distance from which a step may reach the singularity */
/* of the distance in a step: smaller changes are checked every other step */
#define CHANGE_SMALL 0.1
#define GOLDEN_SECTION 0.382 /* of an interval */

void zw_num_inertia_pivots(const zw_kernel *k, const zw_mats_parts *a, double *A) {
    int n = k->nv;
    double trace = 0;
    for (int i = 0; i < n * n; i++)
        A[i] = a->M[i];
    for (int i = 0; i < n; i++)
        trace += a->M[i * n + i];
    for (int c = 0; c < k->nc; c++) {
        const double *row = a->W + (size_t)c * (size_t)n;
        double square = 0;
        for (int i = 0; i < n; i++)
            square += row[i] * row[i];
        for (int i = 0; square > 0 && i < n * n; i++)
            A[i] += row[i / n] * row[i % n] * trace / square;
    }
    for (int i = 0; i < n; i++)
        for (int r = i + 1; A[i * n + i] > 0 && r < n; r++)
            for (int j = i + 1; j < n; j++)
                A[r * n + j] -= A[r * n + i] * A[i * n + j] / A[i * n + i];
}

double zw_num_inertia_distance(int n, const double *A, const double *most, int *worst) {
    double least = 1;
    for (int i = 0; i < n; i++) {
        double c = most[i] > 0 ? sqrt(fmax(A[i * n + i], 0) / most[i]) : 1;
        if (!(c >= least)) {
            least = c;
            *worst = i;
        }
    }
    return least;
}

bool zw_num_inertia_can(const zw_kernel *k) {
    return k->nv > 0 && k->nv <= ZW_NUM_QUASI_MOST && !k->unsymmetric;
}

void zw_num_inertia_begin(zw_num_inertia *w, int n, bool watched) {
    w->watched = watched;
    w->last = 1;
    w->looks = 0;
    w->varies = w->calm = false;
    for (int i = 0; i < n; i++)
        w->most[i] = 0;
}

double zw_num_inertia_take(zw_num_inertia *w, int n, const double *A, int *worst) {
    for (int i = 0; i < n; i++) {
        double d = A[i * n + i];
        w->varies |= w->most[i] > 0 && d != w->most[i];
        w->most[i] = fmax(w->most[i], d);
    }
    return zw_num_inertia_distance(n, A, w->most, worst);
}

/* the least distance within a step, by golden sections */
static void least_within(double t0, double t1, zw_num_inertia_at at, void *user,
                         zw_num_inertia_touch *touch) {
    for (int i = 0; i < SECTIONS; i++) {
        double a = t0 + GOLDEN_SECTION * (t1 - t0), b = t1 - GOLDEN_SECTION * (t1 - t0);
        int at_a = touch->velocity, at_b = at_a;
        double ca = at(user, a, &at_a), cb = at(user, b, &at_b);
        if (fmin(ca, cb) < touch->distance)
            *touch = ca <= cb ? (zw_num_inertia_touch){a, ca, at_a}
                              : (zw_num_inertia_touch){b, cb, at_b};
        *(ca <= cb ? &t1 : &t0) = ca <= cb ? b : a;
    }
}

/* are the values c0, c, c1 at the ends and in the middle like those of |s| where s passes zero? */
static bool is_like_crossing(double c0, double c, double c1) {
    return fabs(c - fabs(c0 - c1) / 2) < fabs(c - (c0 + c1) / 2);
}

bool zw_num_inertia_step(zw_num_inertia *w, double t0, double t1, zw_num_inertia_at at, void *user,
                         zw_num_inertia_touch *touch) {
    double now = touch->distance, before = w->last;
    touch->t = t1;
    if (++w->looks == CONSTANT && !w->varies)
        w->watched = false;
    w->last = isnan(now) ? 1 : now;
    w->calm = fmin(now, before) > DISTANCE_REACH && fabs(now - before) < CHANGE_SMALL;
    if (isnan(now))
        return false;
    if (fmin(now, before) < DISTANCE_REACH && now >= ZW_NUM_INERTIA_TOUCHES) {
        int ignored = -1;
        if (is_like_crossing(before, at(user, 0.5 * (t0 + t1), &ignored), now))
            least_within(t0, t1, at, user, touch);
    }
    return touch->distance < ZW_NUM_INERTIA_TOUCHES && before >= ZW_NUM_INERTIA_TOUCHES;
}

/* ---------------------------------------------------------------------------------- along a run */

static double distance_at(void *user, double t, int *worst) {
    zw_run *run = user;
    zw_error ignored = {0};
    zw_fault fault = run->flow->fault;
    double c = NAN;
    bool ends = t == run->now;
    if (ends || run->method->dense(run, t, run->dense, &ignored) >= 0) {
        zw_mats_parts a = zw_at_mats(run->flow, t, ends ? run->y : run->dense, NULL);
        zw_num_inertia_pivots(run->k, &a, run->quasi.block);
        c = zw_num_inertia_take(&run->inertia, run->k->nv, run->quasi.block, worst);
    }
    run->flow->fault = fault;
    return c;
}

void zw_num_inertia_start(zw_run *run) {
    zw_num_inertia_begin(&run->inertia, run->k->nv,
                         zw_num_inertia_can(run->k) && !run->partition &&
                             !(run->method->traits & ZW_TRAIT_JUMPS));
}

void zw_num_inertia_check(zw_run *run) {
    zw_num_inertia *w = &run->inertia;
    zw_num_inertia_touch touch = {.velocity = -1};
    if (!w->watched || (zw_num_has_fixed_pace(run) && run->info.steps % APART) ||
        (w->calm && run->info.steps % 2))
        return;
    touch.distance = distance_at(run, run->now, &touch.velocity);
    if (zw_num_inertia_step(w, run->before, run->now, distance_at, run, &touch))
        zw_num_warning(run->flow, ZW_WARNING_SINGULAR, touch.velocity, touch.t, touch.distance);
}
