/* SPDX-License-Identifier: MIT */
/* Steady motions from many starts, and which of the results are the same.
 *
 * Starts: entry j of point n is n in the base of the j-th prime number, its digits permuted and
 * written in reverse order after the point (J. H. Halton 1960), all shifted by the same amount.
 * Multiples of powers of a golden ratio of d dimensions, which need no primes, leave holes where
 * one of the powers is near a half.
 *
 * The solutions near a solution form a manifold: its orbit and its family. N (zw_steady_neighbours)
 * is a basis of its tangent space. A path on it from one solution a towards another one b takes the
 * steps
 *
 *     x <- solution near x + s N N'(b - x),      s = 1, 1/2, ..., so that |b - x| shrinks,
 *
 * where b - x is taken modulo periods and signs. If it arrives, both belong together. If it ends
 * elsewhere, b - x is perpendicular to the manifold: either at the farthest place (the other side
 * of a circle), from which a random push continues the path, or at the nearest one, and then b is
 * not on the manifold. On curved manifolds a path may end at a local minimum of the distance: one
 * family is then reported as two. Two families that meet (straight and circular motions of a
 * bicycle, at one speed) may be reported as one, since a path connects them. Deflation, dividing
 * the equations by the distance from known solutions, took four times the steps of plain starts for
 * a double pendulum, and has no meaning on families; it is not used. */
#include "zwang/steady.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "base/tolerance.h"
#include "num/linear/dense.h"
#include "steady.h"

enum {
    DIGITS_MAX = 512,   /* largest base whose digits are permuted */
    PATH_STEPS = 60,    /* of one path */
    MEMBERS_TRIED = 5,  /* members of a family from which paths start */
    PUSHES = 3,         /* for each dimension of the manifold */
    PERIOD_STATES = 3,  /* states at which a period must hold */
    STATE_ATTEMPTS = 30 /* to find them, in ever smaller boxes */
};
/* Shift of all points, the golden section: middles and quarters of a range are often special. */
#define POINT_SHIFT 0.6180339887498949
#define SAME_STATE ZW_SAME_SOLUTION /* distance in the units of the state */
/* The same for degenerate solutions, whose position is known to the square root of SAME_STATE. */
#define SAME_DEGENERATE 1e-3
/* Part of the difference along the manifold, below which it is perpendicular: paths end this close
 * to the nearest place when steps no longer help. */
#define PERPENDICULAR 1e-3
/* Part of a chord along the tangents at its ends: 37 degrees. A chord to another manifold is nearly
 * perpendicular to them. */
#define CHORD_TANGENT 0.8
#define PUSH_LENGTH 0.3      /* of the distance: far enough to leave a maximum of it */
#define STEP_PROGRESS 0.1    /* of the decrease that a straight manifold promises */
#define STEP_FACTOR_MIN 0.01 /* of the full step: less is no progress in PATH_STEPS steps */
/* Difference of eigenvalues relative to the largest, times the condition: of the same motion.
 * Motions are known to ZW_SAME_SOLUTION. */
#define SAME_EIGENVALUES 1e-5
#define ORBIT_INDEPENDENT 1e-8 /* singular values of symmetries of length one */
/* of the size of rates: unchanged by a period, after a long computation */
#define PERIODIC_RATES 1e-9
#define BOX_SHRINK 0.8 /* from attempt to attempt: 0.8^30 = 1e-3 */

struct zw_search_memory {
    zw_arena arena;
};

/* The search, with the start that is computed. */
typedef struct searcher {
    zw_flow *flow;
    const zw_symmetries *s;
    const zw_steady_problem *problem;
    const zw_search_options *o;
    zw_search *out;
    zw_arena *arena; /* of the results */
    zw_arena work;
    const zw_kernel *k;
    int nx, capacity;
    double *x, *c, *z, *value;           /* of the current start */
    double *at, *at_c, *at_z, *at_value; /* of a path */
    double *trial, *trial_c, *trial_z, *trial_value;
    double *N, *along, *X;
    bool *fixed;                         /* nx: entries of the box */
    zw_linearisation linear;             /* of the current solution; n 0: there is none */
    double **spectrum_re, **spectrum_im; /* of the entries */
    int *spectrum_n;
    zw_error *err;
} searcher;

/* --------------------------------------------------------------------------------------- starts */

static int prime_number(int j) {
    int p = 2;
    for (int left = j; left > 0; left--) {
        int divisor = 2;
        for (p++; divisor < p; divisor++)
            if (p % divisor == 0) {
                p++;
                divisor = 1;
            }
    }
    return p;
}

/* The digits 1 .. base - 1 in a random order for each base (R. A. Fisher, F. Yates); 0 stays 0. */
static int permute_digit(int base, int digit) {
    int order[DIGITS_MAX];
    zw_random random = zw_random_stream(23, (uint64_t)base);
    if (base > DIGITS_MAX)
        return digit;
    for (int i = 0; i < base; i++)
        order[i] = i;
    for (int i = base - 1; i > 1; i--) {
        int k = 1 + (int)(zw_random_unit(&random) * i), swap = order[i];
        order[i] = order[k];
        order[k] = swap;
    }
    return order[digit];
}

double zw_search_point(int j, int n) {
    int base = prime_number(j);
    double out = (j + 1) * POINT_SHIFT, weight = 1;
    for (int rest = n + 1; rest > 0; rest /= base) {
        weight /= base;
        out += weight * permute_digit(base, rest % base);
    }
    return out - floor(out);
}

/* Start number n, projected on the constraints; entries of the box keep their values if
 * possible. */
static zw_status place_start(searcher *a, int n) {
    const zw_search_options *o = a->o;
    zw_error trouble = {0};
    for (int pass = 0; pass < 2; pass++) {
        memcpy(a->x, o->x, sizeof(double) * (size_t)a->nx);
        if (n < o->nfrom)
            memcpy(a->x, o->from + (size_t)n * (size_t)a->nx, sizeof(double) * (size_t)a->nx);
        for (int i = 0; i < o->nbox && n >= o->nfrom; i++) {
            const zw_search_box *b = &o->box[i];
            a->x[b->index] = b->low + (b->high - b->low) * zw_search_point(i, n - o->nfrom);
        }
        trouble = (zw_error){0};
        zw_status status = zw_flow_project(a->flow, o->t, a->x, pass ? NULL : a->fixed, &trouble);
        if (status >= 0 || status == ZW_E_MEMORY)
            return status;
    }
    if (a->err)
        *a->err = (zw_error){0};
    a->out->trouble = trouble;
    return ZW_RETRY;
}

/* ------------------------------------------------------------------------------------ distances */

/* to - from modulo periods and signs of quaternions, in the units of the state; its length. */
static double state_difference(const searcher *a, const double *from, const double *to, double *d) {
    const zw_kernel *k = a->k;
    for (int i = 0; i < a->nx; i++) {
        double period = a->o->period ? a->o->period[i] : 0;
        d[i] = to[i] - from[i];
        if (period > 0)
            d[i] -= period * round(d[i] / period);
    }
    for (int u = 0; u < k->nunit; u++) {
        int first = k->unit[u];
        double dot = 0;
        for (int i = first; i < first + 4; i++)
            dot += to[i] * from[i];
        for (int i = first; dot < 0 && i < first + 4; i++)
            d[i] = -to[i] - from[i];
    }
    for (int i = 0; i < a->nx; i++)
        d[i] /= a->problem->scale[i];
    return zw_dense_norm(a->nx, d);
}

/* Move x by periods and signs to where it is nearest to the start, or into the box. */
static void normalise_state(searcher *a, double *x) {
    state_difference(a, a->o->x, x, a->along);
    for (int i = 0; i < a->nx; i++)
        if (a->o->period && a->o->period[i] > 0)
            x[i] = a->o->x[i] + a->along[i] * a->problem->scale[i];
    for (int u = 0; u < a->k->nunit; u++) {
        int first = a->k->unit[u];
        double dot = 0;
        for (int i = first; i < first + 4; i++)
            dot += x[i] * a->o->x[i];
        for (int i = first; dot < 0 && i < first + 4; i++)
            x[i] = -x[i];
    }
    for (int i = 0; i < a->o->nbox; i++) {
        const zw_search_box *b = &a->o->box[i];
        double period = a->o->period ? a->o->period[b->index] : 0, *at = &x[b->index],
               slack = SAME_STATE * a->problem->scale[b->index];
        if (period > 0 && *at < b->low - slack)
            *at += period * ceil((b->low - slack - *at) / period);
        if (period > 0 && *at > b->high + slack)
            *at -= period * ceil((*at - b->high - slack) / period);
        if (period > 0 && fabs(*at - b->low) <= slack && *at + period <= b->high + slack)
            *at += period; /* of the two ends of a whole turn, always the upper one */
    }
}

/* ---------------------------------------------------------------------------------------- paths */

static zw_status solve_at(searcher *a, zw_steady *m, double *value) {
    zw_steady_problem problem = *a->problem;
    zw_error trouble = {0};
    problem.value = value;
    zw_status status = zw_steady_solve(m, a->flow, a->s, &problem, &trouble);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(a->err, NULL);
    if (status < 0)
        a->out->trouble = trouble;
    return status < 0 ? ZW_RETRY : ZW_OK;
}

/* From a->at along N times step (n) to a solution in a->trial; its distance from `to` is infinite
 * if there is none. */
static zw_status try_step(searcher *a, int n, const double *step, double factor, const double *to,
                          double *distance) {
    zw_steady m = {
        .t = a->o->t, .x = a->trial, .c = a->trial_c, .z = a->trial_z, .scale = a->problem->scale};
    memcpy(a->trial_value, a->at_value, sizeof(double) * (size_t)a->problem->nfree);
    for (int i = 0; i < a->nx; i++) {
        a->trial[i] = a->at[i];
        for (int k = 0; k < n; k++)
            a->trial[i] += factor * a->N[i * n + k] * step[k];
    }
    zw_status status = solve_at(a, &m, a->trial_value);
    *distance = status == ZW_OK ? state_difference(a, a->trial, to, a->along) : INFINITY;
    return status < 0 ? status : ZW_OK;
}

/* The part of a vector d (nx, in the sizes of the state) that the n columns of N span, relative to
 * its length. */
static double spanned_part(const searcher *a, int n, const double *N, const double *d) {
    double sum = 0, length = zw_dense_norm(a->nx, d);
    for (int k = 0; k < n; k++) {
        double dot = 0;
        for (int i = 0; i < a->nx; i++)
            dot += N[i * n + k] / a->problem->scale[i] * d[i];
        sum += dot * dot;
    }
    return length > 0 ? sqrt(sum) / length : 1;
}

/* Has the step from a->at to a->trial stayed on the manifold, rather than jumped to another one?
 * The chord then lies along the tangents at both ends. a->N (n columns) is that at the first. */
static zw_status stays_on_manifold(searcher *a, int n, bool *yes) {
    zw_steady m = {
        .t = a->o->t, .x = a->trial, .c = a->trial_c, .z = a->trial_z, .scale = a->problem->scale};
    zw_steady_problem problem = *a->problem;
    zw_arena_mark mark = zw_arena_mark_now(&a->work);
    double *N = ZW_NEW(&a->work, double, a->nx * a->nx + 1),
           *chord = ZW_NEW(&a->work, double, a->nx + 1);
    int there;
    if (a->work.failed)
        return zw_out_of_memory(a->err, NULL);
    problem.value = a->trial_value;
    ZW_TRY(zw_steady_neighbours(a->flow, a->s, &problem, &m, &there, N, a->err));
    state_difference(a, a->at, a->trial, chord);
    *yes = there == n && spanned_part(a, n, a->N, chord) > CHORD_TANGENT &&
           spanned_part(a, n, N, chord) > CHORD_TANGENT;
    zw_arena_release(&a->work, mark);
    return ZW_OK;
}

static void accept_trial(searcher *a) {
    memcpy(a->at, a->trial, sizeof(double) * (size_t)a->nx);
    memcpy(a->at_c, a->trial_c, sizeof(double) * (size_t)a->s->n);
    memcpy(a->at_value, a->trial_value, sizeof(double) * (size_t)a->problem->nfree);
}

/* N, the part of the remaining difference that it spans (n), and the size of this part relative to
 * the distance. */
static zw_status project_difference(searcher *a, const double *to, int *n, double *step,
                                    double *part) {
    zw_steady m = {
        .t = a->o->t, .x = a->at, .c = a->at_c, .z = a->at_z, .scale = a->problem->scale};
    zw_steady_problem problem = *a->problem;
    problem.value = a->at_value;
    ZW_TRY(zw_steady_neighbours(a->flow, a->s, &problem, &m, n, a->N, a->err));
    double distance = state_difference(a, a->at, to, a->along);
    for (int k = 0; k < *n; k++) {
        step[k] = 0;
        for (int i = 0; i < a->nx; i++)
            step[k] += a->N[i * *n + k] / a->problem->scale[i] * a->along[i];
    }
    *part = distance > 0 ? zw_dense_norm(*n, step) / distance : 0;
    return ZW_OK;
}

/* Random pushes where the difference is perpendicular: does the path continue from there? */
static zw_status try_pushes(searcher *a, const double *to, int n, double *step, double *distance,
                            bool *moved) {
    zw_random random = zw_random_stream(11, 0);
    double before = *distance, after;
    *moved = false;
    for (int k = 0; k < PUSHES * n && !*moved; k++) {
        for (int i = 0; i < n; i++)
            step[i] = zw_random_real(&random, -1, 1);
        ZW_TRY(try_step(a, n, step, PUSH_LENGTH * before / fmax(zw_dense_norm(n, step), SAME_STATE),
                        to, &after));
        if (after < before)
            ZW_TRY(stays_on_manifold(a, n, moved));
    }
    if (*moved) {
        accept_trial(a);
        *distance = after;
    }
    return ZW_OK;
}

/* One step of a path; *moved is false if none helps. */
static zw_status step_towards(searcher *a, const double *to, double *distance, bool *moved) {
    zw_arena_mark mark = zw_arena_mark_now(&a->work);
    double *step = ZW_NEW(&a->work, double, a->nx + 1), part, after;
    int n;
    *moved = false;
    if (!step)
        return zw_out_of_memory(a->err, NULL);
    ZW_TRY(project_difference(a, to, &n, step, &part));
    if (n > 0 && part < PERPENDICULAR)
        ZW_TRY(try_pushes(a, to, n, step, distance, moved));
    for (double factor = 1; n > 0 && part >= PERPENDICULAR && !*moved && factor > STEP_FACTOR_MIN;
         factor /= 2) {
        ZW_TRY(try_step(a, n, step, factor, to, &after));
        /* a step of the whole length on a straight manifold would leave sqrt(1 - part^2) of the
         * distance */
        if (after > SAME_STATE && after > *distance * (1 - STEP_PROGRESS * factor * part * part))
            continue;
        ZW_TRY(stays_on_manifold(a, n, moved));
        if (!*moved)
            continue;
        accept_trial(a);
        *distance = after;
    }
    zw_arena_release(&a->work, mark);
    return ZW_OK;
}

/* Does a path from a solution arrive at another one? */
static zw_status check_arrival(searcher *a, const double *from, const double *value,
                               const double *to, double same, bool *yes) {
    zw_steady m = {
        .t = a->o->t, .x = a->at, .c = a->at_c, .z = a->at_z, .scale = a->problem->scale};
    memcpy(a->at, from, sizeof(double) * (size_t)a->nx);
    memcpy(a->at_value, value, sizeof(double) * (size_t)a->problem->nfree);
    *yes = false;
    zw_status status = solve_at(a, &m, a->at_value);
    if (status != ZW_OK)
        return status < 0 ? status : ZW_OK;
    bool moved = true;
    double distance = state_difference(a, a->at, to, a->along);
    for (int k = 0; k < PATH_STEPS && moved && distance > same; k++)
        ZW_TRY(step_towards(a, to, &distance, &moved));
    *yes = distance <= same;
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------- same or not */

/* Dimensions of the orbit and of the family at a solution. */
static zw_status measure_dimensions(searcher *a, const zw_steady *m, const double *value,
                                    int *norbit, int *nfamily) {
    int nx = a->nx, ns = a->s->n, n = 0;
    zw_steady_problem problem = *a->problem;
    zw_arena_mark mark = zw_arena_mark_now(&a->work);
    double *rows = ZW_NEW(&a->work, double, ns *nx + 1), *sv = ZW_NEW(&a->work, double, nx + 1),
           *V = ZW_NEW(&a->work, double, nx *nx + 1);
    if (a->work.failed)
        return zw_out_of_memory(a->err, NULL);
    problem.value = (double *)value;
    ZW_TRY(zw_steady_neighbours(a->flow, a->s, &problem, m, &n, a->N, a->err));
    ZW_TRY(zw_symmetries_at(a->s, a->flow, a->o->t, m->x, NULL, a->X, a->err));
    for (int i = 0; i < ns; i++) {
        double length = 0;
        for (int l = 0; l < nx; l++)
            length += pow(a->X[i * nx + l] / a->problem->scale[l], 2);
        for (int l = 0; l < nx && length > ORBIT_INDEPENDENT * ORBIT_INDEPENDENT; l++)
            rows[i * nx + l] = a->X[i * nx + l] / a->problem->scale[l] / sqrt(length);
    }
    if (!zw_dense_svd(&a->work, ns, nx, rows, sv, V, NULL))
        return zw_dense_failure(&a->work, a->err);
    *norbit = 0;
    while (*norbit < ns && *norbit < nx && sv[*norbit] > ORBIT_INDEPENDENT)
        ++*norbit;
    *nfamily = n > *norbit ? n - *norbit : 0;
    zw_arena_release(&a->work, mark);
    return ZW_OK;
}

/* May an isolated motion be that of entry e? Eigenvalues distinguish most of them, independent of
 * coordinates. */
static bool may_be_same(const searcher *a, int e) {
    const zw_linearisation *l = &a->linear;
    double most = 0;
    if (l->n != a->spectrum_n[e] || l->n == 0)
        return true;
    for (int i = 0; i < l->n; i++)
        most = fmax(most, hypot(l->re[i], l->im[i]));
    for (int i = 0; i < l->n; i++) {
        double least = INFINITY;
        for (int j = 0; j < l->n; j++)
            least = fmin(least, hypot(l->re[i] - a->spectrum_re[e][j],
                                      fabs(l->im[i]) - fabs(a->spectrum_im[e][j])));
        if (least > SAME_EIGENVALUES * most * fmax(1, l->condition[i]))
            return false;
    }
    return true;
}

/* The member of an entry that is nearest to x; its distance. */
static int nearest_member(const searcher *a, const zw_search_entry *e, const double *x,
                          double *distance) {
    int best = 0;
    *distance = INFINITY;
    for (int i = 0; i < e->nmember; i++) {
        double d = state_difference(a, e->member + (size_t)i * (size_t)a->nx, x, a->along);
        if (d < *distance) {
            *distance = d;
            best = i;
        }
    }
    return best;
}

/* Paths from some members to a solution and back: a path may lead to a point where the family ends
 * (the tip of a cone, where a pendulum hangs), while that from another member does not. */
static zw_status is_joined(searcher *a, const zw_search_entry *e, const double *x, int nearest,
                           double same, bool *yes) {
    int tries = e->nmember < MEMBERS_TRIED ? e->nmember : MEMBERS_TRIED;
    for (int k = 0; k < tries && !*yes; k++) {
        int member = (nearest + k * e->nmember / tries) % e->nmember;
        const double *from = e->member + (size_t)member * (size_t)a->nx;
        ZW_TRY(check_arrival(a, from, e->value, x, same, yes));
        if (!*yes)
            ZW_TRY(check_arrival(a, x, a->value, from, same, yes));
    }
    return ZW_OK;
}

static zw_status check_member(searcher *a, int number, const zw_steady *m, int norbit, int nfamily,
                              bool *yes) {
    zw_search_entry *e = &a->out->entry[number];
    double same = m->degenerate && e->motion.degenerate ? SAME_DEGENERATE : SAME_STATE, distance;
    int member = nearest_member(a, e, m->x, &distance);
    *yes = distance <= same;
    if (*yes || norbit != e->norbit || nfamily != e->nfamily || norbit + nfamily == 0 ||
        (nfamily == 0 && !may_be_same(a, number)))
        return ZW_OK;
    return is_joined(a, e, m->x, member, same, yes);
}

/* -------------------------------------------------------------------------------------- entries */

static double *copy_of(searcher *a, int n, const double *from) {
    double *to = ZW_NEW(a->arena, double, n + 1);
    if (to && n)
        memcpy(to, from, sizeof(double) * (size_t)n);
    return to;
}

static zw_status grow_entries(searcher *a) {
    zw_search *out = a->out;
    int n = out->n;
    if (n < a->capacity)
        return ZW_OK;
    int wider = 2 * n + 8;
    zw_search_entry *entry = ZW_NEW(a->arena, zw_search_entry, wider);
    double **re = ZW_NEW(a->arena, double *, wider), **im = ZW_NEW(a->arena, double *, wider);
    int *count = ZW_NEW(a->arena, int, wider);
    if (a->arena->failed)
        return zw_out_of_memory(a->err, NULL);
    for (int i = 0; i < n; i++) {
        entry[i] = out->entry[i];
        re[i] = a->spectrum_re[i];
        im[i] = a->spectrum_im[i];
        count[i] = a->spectrum_n[i];
    }
    out->entry = entry;
    a->spectrum_re = re;
    a->spectrum_im = im;
    a->spectrum_n = count;
    a->capacity = wider;
    return ZW_OK;
}

static zw_status add_entry(searcher *a, const zw_steady *m, int norbit, int nfamily, int start) {
    ZW_TRY(grow_entries(a));
    zw_search *out = a->out;
    zw_search_entry *e = &out->entry[out->n];
    int n = nfamily == 0 ? a->linear.n : 0;
    *e = (zw_search_entry){.motion = *m, .norbit = norbit, .nfamily = nfamily, .starts = 1};
    e->first = start + 1;
    e->motion.x = copy_of(a, a->nx, m->x);
    e->motion.c = copy_of(a, a->s->n, m->c);
    e->motion.z = copy_of(a, a->k->nz, m->z);
    e->value = copy_of(a, a->problem->nfree, a->value);
    e->nmember = 1;
    e->member = copy_of(a, a->nx, m->x);
    a->spectrum_n[out->n] = n;
    a->spectrum_re[out->n] = copy_of(a, n, a->linear.re);
    a->spectrum_im[out->n] = copy_of(a, n, a->linear.im);
    if (a->arena->failed)
        return zw_out_of_memory(a->err, NULL);
    out->n++;
    out->last = start + 1;
    return ZW_OK;
}

/* A further member of a family; the one nearest to the start represents it. */
static zw_status add_member(searcher *a, zw_search_entry *e, const zw_steady *m) {
    double distance, *all;
    e->starts++;
    nearest_member(a, e, m->x, &distance);
    if (e->nfamily == 0 || distance <= SAME_STATE)
        return ZW_OK;
    all = ZW_NEW(a->arena, double, (e->nmember + 1) * a->nx);
    if (!all)
        return zw_out_of_memory(a->err, NULL);
    memcpy(all, e->member, sizeof(double) * (size_t)(e->nmember * a->nx));
    memcpy(all + (size_t)e->nmember * (size_t)a->nx, m->x, sizeof(double) * (size_t)a->nx);
    e->member = all;
    e->nmember++;
    if (state_difference(a, a->o->x, m->x, a->along) <
        state_difference(a, a->o->x, e->motion.x, a->along) - SAME_STATE) {
        zw_steady old = e->motion;
        e->motion = *m;
        e->motion.x = old.x;
        e->motion.c = old.c;
        e->motion.z = old.z;
        memcpy(old.x, m->x, sizeof(double) * (size_t)a->nx);
        memcpy(old.c, m->c, sizeof(double) * (size_t)a->s->n);
        memcpy(old.z, m->z, sizeof(double) * (size_t)a->k->nz);
        memcpy(e->value, a->value, sizeof(double) * (size_t)a->problem->nfree);
    }
    return ZW_OK;
}

/* Put a solution into its entry, or into a new one. */
static zw_status sort_solution(searcher *a, zw_steady *m, int start) {
    int norbit, nfamily;
    zw_error trouble = {0};
    bool yes = false;
    normalise_state(a, m->x);
    ZW_TRY(measure_dimensions(a, m, a->value, &norbit, &nfamily));
    zw_linearisation_clear(&a->linear);
    if (norbit > 0 && nfamily == 0 &&
        zw_linearise(&a->linear, a->flow, a->s, m, &trouble) == ZW_E_MEMORY)
        return zw_out_of_memory(a->err, NULL);
    for (int i = 0; i < a->out->n; i++) {
        ZW_TRY(check_member(a, i, m, norbit, nfamily, &yes));
        if (yes)
            return add_member(a, &a->out->entry[i], m);
    }
    return add_entry(a, m, norbit, nfamily, start);
}

/* --------------------------------------------------------------------------------------- merges */

/* Are two entries one family? With all members known, two families are closer to each other than
 * they were when the second one was found. */
static zw_status is_one_family(searcher *a, const zw_search_entry *e, const zw_search_entry *f,
                               bool *yes) {
    int tries = f->nmember < MEMBERS_TRIED ? f->nmember : MEMBERS_TRIED;
    *yes = false;
    for (int k = 0; k < tries && !*yes; k++) {
        const double *to = f->member + (size_t)(k * f->nmember / tries) * (size_t)a->nx;
        double distance;
        int nearest = nearest_member(a, e, to, &distance);
        const double *from = e->member + (size_t)nearest * (size_t)a->nx;
        ZW_TRY(check_arrival(a, from, e->value, to, SAME_STATE, yes));
        if (!*yes)
            ZW_TRY(check_arrival(a, to, f->value, from, SAME_STATE, yes));
    }
    return ZW_OK;
}

/* Merge entry j into entry i. */
static zw_status merge_entries(searcher *a, int i, int j) {
    zw_search *out = a->out;
    zw_search_entry *e = &out->entry[i], f = out->entry[j];
    double *all = ZW_NEW(a->arena, double, (e->nmember + f.nmember) * a->nx);
    if (!all)
        return zw_out_of_memory(a->err, NULL);
    memcpy(all, e->member, sizeof(double) * (size_t)(e->nmember * a->nx));
    memcpy(all + (size_t)(e->nmember * a->nx), f.member,
           sizeof(double) * (size_t)(f.nmember * a->nx));
    e->member = all;
    e->nmember += f.nmember;
    e->starts += f.starts;
    if (state_difference(a, a->o->x, f.motion.x, a->along) <
        state_difference(a, a->o->x, e->motion.x, a->along)) {
        e->motion = f.motion;
        e->value = f.value;
    }
    for (int k = j; k + 1 < out->n; k++)
        out->entry[k] = out->entry[k + 1];
    out->n--;
    return ZW_OK;
}

/* Was it found by a single start, and does it lie within the box? */
static bool was_found_once(const searcher *a, const zw_search_entry *e) {
    bool inside = e->starts == 1;
    for (int i = 0; i < a->o->nbox && inside; i++) {
        const zw_search_box *b = &a->o->box[i];
        inside = e->motion.x[b->index] >= b->low && e->motion.x[b->index] <= b->high;
    }
    return inside;
}

static int count_found_once(const searcher *a) {
    int n = 0;
    for (int i = 0; i < a->out->n; i++)
        n += was_found_once(a, &a->out->entry[i]);
    return n;
}

static zw_status merge_families(searcher *a) {
    zw_search *out = a->out;
    for (int i = 0; i < out->n; i++)
        for (int j = i + 1; j < out->n;) {
            const zw_search_entry *e = &out->entry[i], *f = &out->entry[j];
            bool yes = false;
            if (e->nfamily > 0 && e->nfamily == f->nfamily && e->norbit == f->norbit)
                ZW_TRY(is_one_family(a, e, f, &yes));
            if (yes)
                ZW_TRY(merge_entries(a, i, j));
            else
                j++;
        }
    out->last = 0;
    for (int i = 0; i < out->n; i++)
        out->last = out->entry[i].first > out->last ? out->entry[i].first : out->last;
    out->once = count_found_once(a);
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- search */

/* Of the starts that led nowhere, record the one with the smallest residual. */
static void keep_best(searcher *a, const zw_steady *m) {
    zw_steady *best = &a->out->best;
    if (best->unmet != ZW_UNMET_NOTHING && best->residual <= m->residual)
        return;
    zw_steady own = *best;
    *best = *m;
    best->x = own.x;
    best->c = own.c;
    best->z = own.z;
    memcpy(best->x, m->x, sizeof(double) * (size_t)a->nx);
    memcpy(best->c, m->c, sizeof(double) * (size_t)a->s->n);
}

/* The next start finds something new with a probability near (entries found once)/(starts): I. J.
 * Good, Biometrika 40 (1953) 237-264. In addition the second half of the starts must have found
 * nothing new, because after few starts the number of such entries may be zero by chance. */
static bool is_complete(const searcher *a, int n) {
    if (n < a->o->starts)
        return false;
    if (n >= a->o->most)
        return true;
    int last = a->out->n ? a->out->entry[a->out->n - 1].first : 0;
    return n >= 2 * last && count_found_once(a) == 0;
}

static zw_status run_search(searcher *a) {
    const zw_steady_problem *p = a->problem;
    double *value = copy_of(a, p->nfree, p->value);
    if (!value)
        return zw_out_of_memory(a->err, NULL);
    for (int n = 0; !is_complete(a, n); n++) {
        zw_steady m = {.t = a->o->t, .x = a->x, .c = a->c, .z = a->z, .scale = a->problem->scale};
        if (a->o->stop && a->o->stop(a->o->stop_user,
                                     (double)n / (n < a->o->starts ? a->o->starts : a->o->most))) {
            a->out->stopped = true;
            break;
        }
        if (p->nfree) {
            memcpy(a->value, value, sizeof(double) * (size_t)p->nfree);
            ZW_TRY(p->set(p->user, value, a->err));
        }
        a->out->starts++;
        zw_status status = place_start(a, n);
        a->out->last_found = false;
        a->out->off += status == ZW_RETRY;
        if (status == ZW_OK) {
            status = solve_at(a, &m, a->value);
            if (status == ZW_RETRY && m.unmet != ZW_UNMET_NOTHING)
                keep_best(a, &m);
        }
        if (status < 0)
            return status;
        if (status == ZW_RETRY)
            continue;
        a->out->found++;
        a->out->last_found = true;
        ZW_TRY(sort_solution(a, &m, n));
    }
    ZW_TRY(merge_families(a));
    if (p->nfree)
        ZW_TRY(p->set(p->user, value, a->err));
    return ZW_OK;
}

static zw_status allocate_search(searcher *a) {
    int nx = a->nx, ns = a->s->n, nz = a->k->nz, nfree = a->problem->nfree;
    double **work[] = {&a->x, &a->at, &a->trial, &a->along},
           **rates[] = {&a->c, &a->at_c, &a->trial_c}, **forces[] = {&a->z, &a->at_z, &a->trial_z},
           **values[] = {&a->value, &a->at_value, &a->trial_value};
    for (int i = 0; i < 4; i++)
        *work[i] = ZW_NEW(&a->work, double, nx + 1);
    for (int i = 0; i < 3; i++) {
        *rates[i] = ZW_NEW(&a->work, double, ns + 1);
        *forces[i] = ZW_NEW(&a->work, double, nz + 1);
        *values[i] = ZW_NEW(&a->work, double, nfree + 1);
    }
    a->N = ZW_NEW(&a->work, double, nx *nx + 1);
    a->X = ZW_NEW(&a->work, double, ns *nx + 1);
    a->fixed = ZW_NEW(&a->work, bool, nx + 1);
    a->out->best = (zw_steady){.x = ZW_NEW(a->arena, double, nx + 1),
                               .c = ZW_NEW(a->arena, double, ns + 1),
                               .z = ZW_NEW(a->arena, double, nz + 1)};
    if (a->work.failed || a->arena->failed)
        return zw_out_of_memory(a->err, NULL);
    for (int i = 0; i < a->o->nbox; i++)
        a->fixed[a->o->box[i].index] = true;
    return ZW_OK;
}

zw_status zw_search_run(zw_search *out, zw_flow *flow, const zw_symmetries *s,
                        const zw_steady_problem *problem, const zw_search_options *options,
                        zw_error *err) {
    const zw_kernel *k = zw_flow_kernel(flow);
    searcher a = {.flow = flow, .s = s, .problem = problem, .o = options, .out = out, .err = err};
    *out = (zw_search){0};
    ZW_TRY(zw_steady_check_still(s, err));
    out->memory = zw_allocate(&k->alloc, sizeof *out->memory);
    if (!out->memory)
        return zw_out_of_memory(err, NULL);
    a.k = k;
    a.nx = k->nx;
    a.arena = &out->memory->arena;
    zw_arena_init(a.arena, &k->alloc);
    zw_arena_init(&a.work, &k->alloc);
    zw_status status = allocate_search(&a);
    if (status >= 0)
        status = run_search(&a);
    zw_linearisation_clear(&a.linear);
    zw_arena_clear(&a.work);
    if (status < 0)
        zw_search_clear(out);
    return status;
}

void zw_search_clear(zw_search *s) {
    if (s->memory) {
        zw_allocator alloc = s->memory->arena.alloc;
        zw_arena_clear(&s->memory->arena);
        zw_release(&alloc, s->memory, sizeof *s->memory);
    }
    *s = (zw_search){0};
}

/* -------------------------------------------------------------------------------------- periods */

/* Rates (nx) and constraints (ng) at a state. */
static zw_status evaluate_rates(zw_flow *flow, double t, const double *x, double *f, double *g,
                                zw_error *err) {
    ZW_TRY(zw_flow_rates(flow, t, x, f, NULL, err));
    return zw_flow_constraints(flow, t, x, g, NULL, err);
}

/* Set periods to zero whose shift changes something at the state x; work: 2 nx + 2 ng doubles. */
static zw_status test_periods(zw_flow *flow, double t, double *x, const double *scale, double *work,
                              double *period) {
    int nx = zw_flow_kernel(flow)->nx, ng = zw_flow_levels(flow);
    double *f = work, *g = f + nx, *f_2 = g + ng, *g_2 = f_2 + nx, most = 0, widest = 0;
    zw_error trouble = {0};
    ZW_TRY(evaluate_rates(flow, t, x, f, g, &trouble));
    for (int i = 0; i < nx; i++)
        most = fmax(most, fabs(f[i]) / scale[i]);
    for (int i = 0; i < ng; i++)
        widest = fmax(widest, fabs(g[i]));
    for (int i = 0; i < nx; i++) {
        double old = x[i];
        if (period[i] == 0)
            continue;
        x[i] += period[i];
        bool same = evaluate_rates(flow, t, x, f_2, g_2, &trouble) >= 0;
        x[i] = old;
        for (int l = 0; l < nx; l++)
            same &= fabs(f_2[l] - f[l]) <= PERIODIC_RATES * (most * scale[l] + fabs(f[l]));
        for (int l = 0; l < ng; l++)
            same &= fabs(g_2[l] - g[l]) <= PERIODIC_RATES * (1 + widest);
        if (!same)
            period[i] = 0;
    }
    return ZW_OK;
}

zw_status zw_search_periods(zw_flow *flow, double t, const double *x, const double *scale,
                            double *period, zw_error *err) {
    const zw_kernel *k = zw_flow_kernel(flow);
    int nx = k->nx, ng = zw_flow_levels(flow), seen = 0;
    size_t size = sizeof(double) * (size_t)(3 * nx + 2 * ng + 1);
    double *work = zw_allocate(&k->alloc, size), *at = work, width = 1;
    zw_random random = zw_random_stream(13, 0);
    if (!work)
        return zw_out_of_memory(err, NULL);
    /* states off the constraints are fine: a shift that changes nothing changes nothing there */
    for (int n = 0; n < STATE_ATTEMPTS && seen < PERIOD_STATES; n++, width *= BOX_SHRINK) {
        for (int i = 0; i < nx; i++)
            at[i] = x[i] + width * scale[i] * zw_random_real(&random, -1, 1);
        for (int u = 0; u < k->nunit; u++) {
            double length = zw_dense_norm(4, at + k->unit[u]);
            for (int i = k->unit[u]; i < k->unit[u] + 4; i++)
                at[i] /= length > 0 ? length : 1;
        }
        seen += test_periods(flow, t, at, scale, work + nx, period) >= 0;
    }
    for (int i = 0; seen < PERIOD_STATES && i < nx; i++)
        period[i] = 0;
    zw_release(&k->alloc, work, size);
    return ZW_OK;
}
