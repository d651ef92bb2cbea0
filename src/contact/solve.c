/* SPDX-License-Identifier: MIT */
/* The sequence of methods that solve a contact problem, judged by one residual:
 *
 *     1. no impulses, if all contacts open  5. the interior path, with Newton's method from it
 *     2. one contact: exact  6. the path from other starts, with other weights
 *   3. Newton's method from the old impulses  7. proximal Newton steps, first if the path came near
 *     4. few contacts: two sweeps, then Newton's method
 *
 * and otherwise the best result, with the verdict "not converged". */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "kernels.h"
#include "solver.h"

/* Limits of the methods, chosen by trial: contacts up to which sweeps are tried, sweeps, and for
 * every use of Newton's method its steps and its patience, the steps without progress. */
enum { FEW = 20, SWEEPS = 2, SWEPT_STEPS = 6, SWEPT_PATIENCE = 2 };
enum { POLISH = 40, POLISH_SOON = 2, POLISH_PATIENCE = 10, WARM_STEPS = 10, WEIGHTS = 3 };
enum { FINE_STEPS = 20, FINE_PATIENCE = 10, FINE_LEVELS = 4 };
/* Residual below which smaller proximal terms are tried: from a larger one Newton's method
 * fails. */
#define FINE_FROM 1e-3
enum { PROXIMAL = 200, PROXIMAL_PATIENCE = 40, PROXIMAL_IDLE = 2, PROXIMAL_ALL = 99 };
/* Largest residual that counts as solved up to round-off: ten times the default tolerance. */
#define ACCURACY_LIMIT 1e-8
#define AIM 0.3            /* of the tolerance: the residual after unscaling has round-off too */
#define PROXIMAL_LAST 1e-7 /* proximal term: smaller ones are those of polish_best */
/* Residual of the path from which proximal steps are tried before other starts. Chosen by trial:
 * separates paths that came near a solution from those that got stuck. */
#define PROXIMAL_FROM 1e-2
#define ROUNDOFF_FACTOR 16 /* residual over its estimated round-off that cannot be improved */
/* relative round-off of scaled impulses from which it is estimated */
#define NOTABLE (100 * DBL_EPSILON)

/* Default residual relative to the size of q: a tenth of ZW_CONTACT_EPS, and far above the
 * round-off of the residual. */
#define TOLERANCE 1e-9
static const zw_contact_options defaults = {
    .size = sizeof defaults, .tolerance = TOLERANCE, .iterations_max = 100000};

void zw_contact_options_init(zw_contact_options *options, size_t size) {
    zw_contact_options all = defaults;
    all.size = size;
    zw_options_begin(options, size, &all, sizeof all);
}

/* the caller's options if they have our size, else a copy in our size */
static zw_status adopt_options(const zw_contact_options *options, zw_contact_options *own,
                               const zw_contact_options **out, zw_error *err) {
    *out = options ? options : &defaults;
    if ((*out)->size == sizeof *own)
        return ZW_OK;
    *own = defaults;
    *out = own;
    return zw_options_adopt(own, sizeof *own, options, "zw_contact_options", err);
}

zw_contact_solver *zw_contact_solver_create(const zw_allocator *alloc) {
    zw_allocator own = alloc ? *alloc : zw_allocator_default();
    zw_contact_solver *s = zw_allocate(&own, sizeof *s);
    if (s)
        s->alloc = own;
    return s;
}

void zw_contact_solver_destroy(zw_contact_solver *s) {
    if (!s)
        return;
    zw_allocator alloc = s->alloc;
    zw_contact_matrix_clear(s);
    zw_release(&alloc, s->memory, s->bytes);
    zw_release(&alloc, s, sizeof *s);
}

/* ------------------------------------------------------------------------------------- the best
 * solution */

typedef struct search {
    zw_contact_solver *s;
    const zw_contact_options *o;
    double aim; /* residual to reach: below the tolerance, since it has round-off too */
    double *r;  /* owned by the caller; scaled while solving */
    zw_contact_answer *answer;
} search;

/* keeps s->best if it is better than the best so far; true: good enough */
static bool accept_best(search *a, double residual, const char *found) {
    if (residual < a->answer->residual) {
        a->answer->residual = residual;
        a->answer->found = found;
        memcpy(a->r, a->s->best, sizeof *a->r * (size_t)a->s->nrow);
    }
    return a->answer->residual <= a->aim;
}

static bool try_nothing(search *a) {
    zw_contact_solver *s = a->s;
    return accept_best(a, zw_contact_residual_of_zero(s, s->best), "nothing");
}

static bool try_single(search *a) {
    zw_contact_solver *s = a->s;
    double W[ZW_CONTACT_ROWS_MAX * ZW_CONTACT_ROWS_MAX];
    zw_contact_own(s, 0, W);
    return zw_contact_single(&s->problem->law[0], W, s->q, s->best) &&
           accept_best(a, zw_contact_scaled_residual(s, s->best), "exact");
}

/* The round-off of the residual if errors accumulate randomly: an eighth of the bound eps |H| |H'|
 * |r|. */
static double residual_rounding(zw_contact_solver *s, const double *r) {
    double sum = 0;
    memset(s->w, 0, sizeof *s->w * (size_t)s->ncol);
    memset(s->u, 0, sizeof *s->u * (size_t)s->nrow);
    for (int away = 0; away < 2; away++) /* w = |H'| |r|, u = |H| w */
        for (int i = 0; i < s->ncontact; i++)
            for (int e = s->first[i]; e < s->first[i + 1]; e++) {
                const double *H = s->H + s->at[e];
                double *w = s->w + ZW_SIX * s->touch[e];
                for (int a = s->row[i]; a < s->row[i + 1]; a++)
                    for (int k = 0; k < ZW_SIX; k++, H++)
                        *(away ? &s->u[a] : &w[k]) += fabs(*H) * (away ? w[k] : fabs(r[a]));
            }
    for (int i = 0; i < s->ncontact; i++)
        for (int a = s->row[i]; a < s->row[i + 1]; a++)
            sum += s->u[a] * s->u[a] / (s->root[i] * s->root[i]);
    return DBL_EPSILON / 8 * sqrt(sum) * s->size / s->norm;
}

/* is the residual within the tolerance, or at its round-off? */
static bool is_final(search *a) {
    double residual = a->answer->residual;
    return residual <= a->o->tolerance ||
           (residual <= ACCURACY_LIMIT &&
            residual <= ROUNDOFF_FACTOR * residual_rounding(a->s, a->r));
}

/* Sticking contacts of the same two bodies may require velocities that no motion has, by small
 * amounts: impacts of rotating bodies, restitution. Then one of them slips by that amount, and its
 * force is at its limit. A step changes forces that no velocity depends on by u/eps, so that only a
 * small eps reaches the limit soon. */
static bool polish_fine(search *a, const char *found) {
    zw_contact_solver *s = a->s;
    double eps = ZW_CONTACT_EPS;
    for (int level = 0; level < FINE_LEVELS && a->answer->residual <= FINE_FROM; level++) {
        eps *= 0.1;
        memcpy(s->r, a->r, sizeof *s->r * (size_t)s->nrow);
        if (accept_best(
                a, zw_contact_newton(s, eps, a->aim, FINE_STEPS, FINE_PATIENCE, &a->answer->newton),
                found))
            return true;
    }
    return false;
}

/* Newton's method from s->best; with more patience only if round-off does not explain the
 * residual */
static bool polish_best(search *a, const char *found) {
    static const int patience[] = {POLISH_SOON, POLISH_PATIENCE};
    zw_contact_solver *s = a->s;
    for (int i = 0; i < 2; i++) {
        memcpy(s->r, s->best, sizeof *s->r * (size_t)s->nrow);
        if (accept_best(a,
                        zw_contact_newton(s, ZW_CONTACT_EPS, a->aim, POLISH, patience[i],
                                          &a->answer->newton),
                        found))
            return true;
        if (is_final(a))
            return false;
        if (i == 0 && polish_fine(a, found))
            return true;
    }
    return false;
}

/* with few contacts, sweeps over the exact solutions of single contacts give a good guess */
static bool try_sweeps(search *a) {
    zw_contact_solver *s = a->s;
    if (s->ncontact > FEW)
        return false;
    zw_contact_first_sweeps(s, SWEEPS);
    return accept_best(a,
                       zw_contact_newton(s, ZW_CONTACT_EPS, a->aim, SWEPT_STEPS, SWEPT_PATIENCE,
                                         &a->answer->newton),
                       "sweeps and Newton");
}

static bool try_path(search *a, double start, unsigned weights) {
    double residual =
        zw_contact_path(a->s, start, weights, a->aim, &a->answer->path, &a->answer->newton);
    return accept_best(a, residual, "interior path") || polish_best(a, "interior path and Newton");
}

static bool try_warm(search *a) {
    zw_contact_solver *s = a->s;
    zw_contact_scale(s, a->r, s->r);
    double residual =
        zw_contact_newton(s, ZW_CONTACT_EPS, a->aim, WARM_STEPS, WARM_STEPS, &a->answer->newton);
    a->answer->residual = HUGE_VAL; /* the old impulses are not a candidate */
    return accept_best(a, residual, "Newton from the old impulses") ||
           polish_fine(a, "Newton from the old impulses");
}

/* Small steps from the best solution so far, with a proximal term that decreases while the residual
 * does. */
static bool try_proximal(search *a, double first) {
    zw_contact_solver *s = a->s;
    int idle = 0, idle_most = s->ncontact <= FEW ? PROXIMAL_ALL : PROXIMAL_IDLE;
    for (double eps = first; eps > PROXIMAL_LAST && idle < idle_most; eps *= 0.3) {
        double before = a->answer->residual;
        memcpy(s->r, a->r, sizeof *s->r * (size_t)s->nrow);
        if (accept_best(
                a,
                zw_contact_newton(s, eps, a->aim, PROXIMAL, PROXIMAL_PATIENCE, &a->answer->newton),
                "proximal steps"))
            return true;
        idle = a->answer->residual < 0.9 * before ? 0 : idle + 1;
    }
    memcpy(s->best, a->r, sizeof *s->r * (size_t)s->nrow);
    return polish_best(a, "proximal steps and Newton");
}

static void try_harder(search *a) {
    static const double start[] = {1e3, 1e5, 1}; /* scaled slacks; the first path has 10 */
    if (a->answer->residual < PROXIMAL_FROM && (try_proximal(a, 0.01) || is_final(a)))
        return;
    for (int i = 0; i < 3 + WEIGHTS; i++) {
        a->answer->restarts++;
        if (try_path(a, i < 3 ? start[i] : 10, i < 3 ? 0 : (unsigned)(i - 2)) || is_final(a))
            return;
    }
    try_proximal(a, 0.1);
}

static zw_status find_solution(search *a, zw_error *err) {
    zw_contact_solver *s = a->s;
    bool warm = a->o->warm;
    if ((!warm && try_nothing(a)) || (s->ncontact == 1 && (try_nothing(a) || try_single(a))))
        return ZW_OK;
    ZW_TRY(zw_contact_matrix_order(s, err));
    if (warm && (try_warm(a) || try_nothing(a)))
        return ZW_OK;
    if (!try_sweeps(a) && !try_path(a, 10, 0) && !is_final(a))
        try_harder(a);
    return ZW_OK;
}

static void solve_by(search *a, zw_contact_method method) {
    zw_contact_solver *s = a->s;
    memset(s->r, 0, sizeof *s->r * (size_t)s->nrow);
    if (a->o->warm)
        zw_contact_scale(s, a->r, s->r);
    a->answer->residual = HUGE_VAL;
    if (method == ZW_CONTACT_PROX)
        accept_best(a, zw_contact_fixed_point(s, a->o, &a->answer->iterations), "prox");
    else
        accept_best(a, zw_contact_sweeps(s, a->o, &a->answer->iterations), "Gauss and Seidel");
}

/* the residual of the returned impulses, and the verdict */
static void set_verdict(zw_contact_solver *s, double tolerance, double *r,
                        zw_contact_answer *answer) {
    zw_contact_unscale(s, r);
    zw_contact_scale(s, r, s->r);
    answer->residual = zw_contact_scaled_residual(s, s->r);
    double known = answer->residual, most = 0;
    for (int k = 0; k < s->nrow; k++)
        most = zw_larger(fabs(s->r[k]), most);
    if (most * NOTABLE > tolerance)
        known += residual_rounding(s, s->r);
    answer->verdict = known <= tolerance        ? ZW_CONTACT_CONVERGED
                      : known <= ACCURACY_LIMIT ? ZW_CONTACT_ACCURACY_LIMIT
                                                : ZW_CONTACT_NOT_CONVERGED;
}

zw_status zw_contact_solve(zw_contact_solver *s, const zw_contact_problem *problem,
                           const zw_contact_options *options, double *r, zw_contact_answer *answer,
                           zw_error *err) {
    zw_contact_options own;
    const zw_contact_options *o;
    *answer = (zw_contact_answer){
        .verdict = ZW_CONTACT_NOT_CONVERGED, .residual = HUGE_VAL, .found = "nothing"};
    ZW_TRY(adopt_options(options, &own, &o, err));
    if (problem->ncontact == 1 && o->method == ZW_CONTACT_AUTO &&
        zw_contact_direct(problem, o, r, answer))
        return ZW_OK;
    ZW_TRY(zw_contact_begin(s, problem, err));
    search a = {.s = s, .o = o, .aim = AIM * o->tolerance, .r = r, .answer = answer};
    if (!(s->size > 0)) {
        memset(r, 0, sizeof *r * (size_t)s->nrow);
        answer->residual = 0;
        answer->verdict = ZW_CONTACT_CONVERGED;
        return ZW_OK;
    }
    if (o->method == ZW_CONTACT_AUTO)
        ZW_TRY(find_solution(&a, err));
    else
        solve_by(&a, o->method);
    set_verdict(s, o->tolerance, r, answer);
    if (!o->examine && answer->verdict != ZW_CONTACT_NOT_CONVERGED)
        return ZW_OK;
    ZW_TRY(zw_contact_matrix_order(s, err));
    if (answer->verdict == ZW_CONTACT_NOT_CONVERGED)
        answer->impossible = zw_contact_is_impossible(s);
    else
        zw_contact_examine(s, fmax(o->tolerance, answer->residual), answer);
    return ZW_OK;
}

zw_status zw_contact_residual(zw_contact_solver *s, const zw_contact_problem *problem,
                              const double *r, double *u, double *residual, zw_error *err) {
    ZW_TRY(zw_contact_begin(s, problem, err));
    double size = s->size > 0 ? s->size : 1;
    zw_contact_scale(s, r, s->r);
    *residual = zw_contact_scaled_residual(s, s->r);
    for (int i = 0; u && i < problem->ncontact; i++)
        for (int k = s->row[i]; k < s->row[i + 1]; k++)
            u[k] = s->made[k] * size / s->root[i];
    return ZW_OK;
}
