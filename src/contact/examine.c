/* SPDX-License-Identifier: MIT */
/* What can be said about an answer, or about there being none.
 *
 * Other answers near it: with the law linearised at r as in newton.c, dr = -D du, du = W dr, other
 * answers are those dr that solve this as eps, the proximal term in D, goes to zero. The step
 *
 *     dr <- (1 + D W)^-1 eps D dr
 *
 * keeps them and shrinks all else by eps/(eps + lambda), so that a few steps from a random start
 * leave what there is of them. It is believed when Newton's method from r + t dr ends at another
 * answer, with other forces alone, or with another motion as well: redundant contacts that slide in
 * different directions share their load in many ways, and friction with it.
 *
 * No answer at all: the gaps cannot stay closed or open, whatever the velocities w are, if there is
 * r0 >= 0 with
 *
 *     H_N'r0 = 0,    q_N.r0 < 0    (Farkas),    since    r0.(H_N w + q_N) >= 0    would have to be.
 *
 * Soft contacts without friction, (W_NN + eps) r + q_N >= 0, r >= 0, always have an answer; it
 * grows as r0/eps where rigid ones have none. H_N'r0 is then of size eps, and the proof is one for
 * all |w| < |q_N.r0|/|H_N'r0|. */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "kernels.h"
#include "solver.h"

enum { SHRINKS = 4, REFINEMENTS = 2, BACK = 8, SHORTER = 4, SOFT_STEPS = 60 };

#define LEFT 1e-4        /* of a random start after the steps: directions of other answers */
#define FAR 1e-6         /* beside the answer: another one */
#define KNOWN 100        /* times the tolerance: velocities of answers are known so far */
#define ACTIVE 1e-7      /* of scaled impulses: contacts that press */
#define SPEED_PROVED 1e6 /* beside q: velocities that would be needed are out of the question */

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

/* ------------------------------------------------------------------------ other answers near it */

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

/* Contacts that touch without a force count as closed, as open they were looked at before; false:
 * there are none. */
static bool close_weak(zw_contact_solver *s) {
    bool some = false;
    for (int i = 0; i < s->ncontact; i++) {
        int N = s->row[i];
        if (fabs(s->r[N]) < ACTIVE && fabs(s->made[N]) < ACTIVE) {
            s->r[N] = 10 * ACTIVE;
            some = true;
        }
    }
    return some;
}

/* s->dr: a direction of other answers, as long as a random start; false: there is none, *sure:
 * certainly */
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
    *sure = left < LEFT * start;
    for (int k = 0; k < s->nrow && left > 0; k++)
        s->dr[k] *= start / left;
    return left >= LEFT * start;
}

/* how far one may go along s->dr until a contact that presses does not: half of it */
static double step_limit(const zw_contact_solver *s, const double *r) {
    double most = 0, size = 0;
    for (int k = 0; k < s->nrow; k++) {
        size = zw_larger(fabs(r[k]), size);
        most = zw_larger(fabs(s->dr[k]), most);
    }
    double part = most > 0 ? 0.1 * size / most : 0;
    for (int i = 0; i < s->ncontact; i++) {
        int N = s->row[i];
        if (r[N] > ACTIVE && r[N] + 2 * part * s->dr[N] < 0)
            part = -0.5 * r[N] / s->dr[N];
    }
    return part;
}

/* Newton's method from a part of the way along `direction`: does it end at another answer? */
static bool ends_elsewhere(zw_contact_solver *s, double part, const double *direction,
                           double tolerance) {
    int steps = 0;
    double size = 0;
    for (int k = 0; k < s->nrow; k++) {
        s->r[k] = s->saved[k] + part * direction[k];
        size = zw_larger(fabs(s->saved[k]), size);
    }
    return zw_contact_newton(s, ZW_CONTACT_EPS, tolerance, BACK, BACK, &steps) <= tolerance &&
           most_apart(s->nrow, s->best, s->saved) > FAR * size;
}

/* along s->dr, there or back */
static bool look_along(zw_contact_solver *s, double tolerance) {
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
        other = find_direction(s, &sure) && look_along(s, tolerance);
        all_sure &= sure;
    }
    if (!other) {
        answer->forces = answer->motion = all_sure ? ZW_CONTACT_UNIQUE : ZW_CONTACT_UNKNOWN;
        return;
    }
    /* In a short step impulses change velocities by little: motions differ by parts of that. */
    double effect = most_apart(s->nrow, s->kept, s->q),
           limit = zw_larger(FAR * effect, KNOWN * tolerance);
    zw_contact_judge(s, s->best);
    answer->forces = ZW_CONTACT_NOT_UNIQUE;
    answer->motion =
        most_apart(s->nrow, s->made, s->kept) > limit ? ZW_CONTACT_NOT_UNIQUE : ZW_CONTACT_UNIQUE;
}

/* ----------------------------------------------------------------------------- no answer at all */

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

/* is s->r, made positive, the proof? */
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
    return along < -1e-3 * size && -along > SPEED_PROVED * euclidean_norm(s->ncol, s->w);
}

bool zw_contact_is_impossible(zw_contact_solver *s) {
    memset(s->r, 0, sizeof *s->r * (size_t)s->nrow);
    memset(s->rd, 0, sizeof *s->rd * (size_t)s->ncol);
    memset(s->rp, 0, sizeof *s->rp * (size_t)s->nrow);
    for (double eps = 1; eps > 1e-11; eps *= 0.03)
        for (int step = 0; step < SOFT_STEPS && step_soft_contacts(s, eps) > 0; step++) {
        }
    return is_proof(s);
}
