/* SPDX-License-Identifier: MIT */
/* Uniqueness of a solution, and proof that there is none.
 *
 * Other solutions near r: with the law linearised at r as in newton.c, dr = -D du, du = W dr, other
 * solutions are those dr that solve this as eps, the proximal term in D, goes to zero. The step
 *
 *     dr <- (1 + D W)^-1 eps D dr
 *
 * keeps them and multiplies all other components by eps/(eps + lambda), so that a few steps from a
 * random start leave only them. They are reported if Newton's method from r + t dr ends at another
 * solution, with other forces only or with another motion too: redundant contacts that slide in
 * different directions can share their load, and so friction, in many ways.
 *
 * No solution: the gap rates H_N w + q_N cannot be nonnegative for any velocities w if there is r0
 * >= 0 with
 *
 *     H_N'r0 = 0,    q_N.r0 < 0    (Farkas),    since r0.(H_N w + q_N) >= 0 would be required.
 *
 * Soft contacts without friction, (W_NN + eps) r + q_N >= 0, r >= 0, always have a solution; it
 * grows as r0/eps where rigid contacts have none. H_N'r0 is then of size eps, and the proof is one
 * for all |w| < |q_N.r0|/|H_N'r0|. */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "kernels.h"
#include "solver.h"

/* Steps from the random start; refinements of each; Newton steps back to a solution; trial lengths,
 * each a tenth of the one before; steps for each softness. Limits chosen by trial. */
enum { SHRINKS = 4, REFINEMENTS = 2, BACK = 8, SHORTER = 4, SOFT_STEPS = 60 };

/* Norm after the SHRINKS steps relative to the random start: components that the contact problem
 * determines shrink each time by eps/(eps + lambda), to nothing unless lambda < 9 eps. Chosen by
 * trial: separates them from directions of other solutions. */
#define NULL_DIRECTION_LEFT 1e-4
/* Difference of two solutions, relative to their size: a thousand times the default tolerance. */
#define DIFFERENT_SOLUTION 1e-6
#define VELOCITY_ACCURACY 100 /* of solutions, in units of the tolerance of the residual */
/* Least scaled impulse of a contact that presses: ten times the proximal term ZW_CONTACT_EPS. */
#define IMPULSE_ACTIVE 1e-7
/* Least |w|, relative to q, of a solution not excluded by the proof: velocities a million times
 * those of the problem do not occur. */
#define SPEED_EXCLUDED 1e6
/* Least |q.r0| relative to its terms: less may be cancellation in r0, which soft contacts with eps
 * down to SOFTNESS_LAST determine to about eps times the condition number. */
#define PROOF_CLEAR 1e-3
/* Smallest proximal term of soft contacts: eps = 1e-11 still leaves five digits to r0/eps. */
#define SOFTNESS_LAST 1e-11

static double euclidean_norm(int n, const double *x) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

static double most_apart(int n, const double *x, const double *y) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = zw_larger(fabs(x[i] - y[i]), most);
    return most;
}

/* ------------------------------------------------------------------------ other solutions near
 * it */

static void apply_weights(const zw_contact_solver *s, double eps, const double *x, double *c) {
    for (int i = 0; i < s->ncontact; i++) {
        int m = zw_contact_rows(s, i), row = s->row[i];
        const double *D = s->D + s->square[i];
        for (int a = 0; a < m; a++) {
            c[row + a] = 0;
            for (int b = 0; b < m; b++)
                c[row + a] += eps * D[a * m + b] * x[row + b];
        }
    }
}

/* Contacts that touch without a force count as closed here (the first search took them as open);
 * false: there are none. */
static bool close_weak(zw_contact_solver *s) {
    bool some = false;
    for (int i = 0; i < s->ncontact; i++) {
        int N = s->row[i];
        if (fabs(s->r[N]) < IMPULSE_ACTIVE && fabs(s->made[N]) < IMPULSE_ACTIVE) {
            s->r[N] = 10 * IMPULSE_ACTIVE;
            some = true;
        }
    }
    return some;
}

/* s->dr: a direction of other solutions, as long as a random start; false: there is none; *sure:
 * this is certain */
static bool find_direction(zw_contact_solver *s, bool *sure) {
    const double eps = ZW_CONTACT_EPS;
    zw_random random = zw_random_stream(3, 17);
    *sure = false;
    zw_contact_linearise(s, eps);
    if (!zw_contact_matrix_factor(s))
        return false;
    for (int k = 0; k < s->nrow; k++)
        s->dr[k] = zw_random_real(&random, -1, 1);
    double start = euclidean_norm(s->nrow, s->dr);
    memset(s->rd, 0, sizeof *s->rd * (size_t)s->ncol);
    memset(s->rp, 0, sizeof *s->rp * (size_t)s->nrow);
    for (int step = 0; step < SHRINKS; step++) {
        apply_weights(s, eps, s->dr, s->c);
        zw_contact_matrix_step(s, REFINEMENTS);
    }
    double left = euclidean_norm(s->nrow, s->dr);
    *sure = left < NULL_DIRECTION_LEFT * start;
    for (int k = 0; k < s->nrow && left > 0; k++)
        s->dr[k] *= start / left;
    return left >= NULL_DIRECTION_LEFT * start;
}

/* half of the step along s->dr at which the first pressing contact loses its force */
static double step_limit(const zw_contact_solver *s, const double *r) {
    double most = 0, size = 0;
    for (int k = 0; k < s->nrow; k++) {
        size = zw_larger(fabs(r[k]), size);
        most = zw_larger(fabs(s->dr[k]), most);
    }
    double part = most > 0 ? 0.1 * size / most : 0;
    for (int i = 0; i < s->ncontact; i++) {
        int N = s->row[i];
        if (r[N] > IMPULSE_ACTIVE && r[N] + 2 * part * s->dr[N] < 0)
            part = -0.5 * r[N] / s->dr[N];
    }
    return part;
}

/* Newton's method from r + part direction: does it end at another solution? */
static bool ends_elsewhere(zw_contact_solver *s, double part, const double *direction,
                           double tolerance) {
    int steps = 0;
    double size = 0;
    for (int k = 0; k < s->nrow; k++) {
        s->r[k] = s->saved[k] + part * direction[k];
        size = zw_larger(fabs(s->saved[k]), size);
    }
    return zw_contact_newton(s, ZW_CONTACT_EPS, tolerance, BACK, BACK, &steps) <= tolerance &&
           most_apart(s->nrow, s->best, s->saved) > DIFFERENT_SOLUTION * size;
}

/* other solutions along s->dr or -s->dr */
static bool search_along(zw_contact_solver *s, double tolerance) {
    size_t bytes = sizeof *s->r * (size_t)s->nrow;
    for (int back = 0; back < 2; back++) {
        double part = step_limit(s, s->saved);
        memcpy(s->u, s->dr, bytes);
        for (int trial = 0; trial < SHORTER; trial++, part *= 0.1)
            if (ends_elsewhere(s, part, s->u, tolerance))
                return true;
        for (int k = 0; k < s->nrow; k++)
            s->dr[k] = -s->u[k];
    }
    return false;
}

void zw_contact_examine(zw_contact_solver *s, double tolerance, zw_contact_answer *answer) {
    size_t bytes = sizeof *s->r * (size_t)s->nrow;
    bool sure, all_sure = true, other = false;
    memcpy(s->saved, s->r, bytes);
    memcpy(s->kept, s->made, bytes);
    for (int closed = 0; closed < 2 && !other; closed++) {
        memcpy(s->r, s->saved, bytes);
        memcpy(s->made, s->kept, bytes);
        if (closed && !close_weak(s))
            break;
        other = find_direction(s, &sure) && search_along(s, tolerance);
        all_sure &= sure;
    }
    if (!other) {
        answer->forces = answer->motion = all_sure ? ZW_CONTACT_UNIQUE : ZW_CONTACT_UNKNOWN;
        return;
    }
    /* In a short step impulses change velocities by little: different motions differ by a fraction
     * of that. */
    double effect = most_apart(s->nrow, s->kept, s->q),
           limit = zw_larger(DIFFERENT_SOLUTION * effect, VELOCITY_ACCURACY * tolerance);
    zw_contact_scaled_residual(s, s->best);
    answer->forces = ZW_CONTACT_NOT_UNIQUE;
    answer->motion =
        most_apart(s->nrow, s->made, s->kept) > limit ? ZW_CONTACT_NOT_UNIQUE : ZW_CONTACT_UNIQUE;
}

/* ----------------------------------------------------------------------------- no solution */

/* one Newton step of soft contacts without friction from s->r; the number of contacts that close or
 * open */
static int step_soft_contacts(zw_contact_solver *s, double eps) {
    int changed = 0;
    zw_contact_gather(s, s->r, s->w);
    zw_contact_spread(s, s->w, true, s->u);
    memset(s->D, 0, sizeof *s->D * (size_t)s->square[s->ncontact]);
    for (int k = 0; k < s->nrow; k++)
        s->c[k] = -s->r[k];
    for (int i = 0; i < s->ncontact; i++) {
        int N = s->row[i];
        if (!(s->u[N] < 0))
            continue;
        s->D[s->square[i]] = 1 / eps;
        s->c[N] -= s->u[N] / eps;
    }
    if (!zw_contact_matrix_factor(s))
        return 0;
    zw_contact_matrix_step(s, REFINEMENTS);
    for (int i = 0; i < s->ncontact; i++)
        changed += (s->u[s->row[i]] < 0) != (s->u[s->row[i]] + s->du[s->row[i]] < 0);
    for (int k = 0; k < s->nrow; k++)
        s->r[k] += s->dr[k];
    return changed;
}

/* is s->r, with negative entries set to 0, a proof? */
static bool is_proof(zw_contact_solver *s) {
    double along = 0, size = 0;
    for (int i = 0; i < s->ncontact; i++)
        for (int a = s->row[i]; a < s->row[i + 1]; a++)
            s->r[a] = a == s->row[i] ? zw_larger(s->r[a], 0) : 0;
    zw_contact_gather(s, s->r, s->w);
    for (int k = 0; k < s->nrow; k++) {
        along += s->q[k] * s->r[k];
        size += fabs(s->q[k] * s->r[k]);
    }
    return along < -PROOF_CLEAR * size && -along > SPEED_EXCLUDED * euclidean_norm(s->ncol, s->w);
}

bool zw_contact_is_impossible(zw_contact_solver *s) {
    memset(s->r, 0, sizeof *s->r * (size_t)s->nrow);
    memset(s->rd, 0, sizeof *s->rd * (size_t)s->ncol);
    memset(s->rp, 0, sizeof *s->rp * (size_t)s->nrow);
    for (double eps = 1; eps > SOFTNESS_LAST; eps *= 0.03)
        for (int step = 0; step < SOFT_STEPS && step_soft_contacts(s, eps) > 0; step++) {
        }
    return is_proof(s);
}
