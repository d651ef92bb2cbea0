/* SPDX-License-Identifier: MIT */
/* The stack of means by which a contact problem is solved, judged by one residual:
 *
 *     1. nothing, if the contacts open by themselves          4. the interior path, then Newton's method
 *     2. one contact: exactly                                 5. the path from other starts, with other weights
 *     3. Newton's method from the old impulses                6. proximal Newton steps
 *
 * and otherwise the best that was seen, called not converged. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "solver.h"

enum { POLISH = 40, POLISH_PATIENCE = 10, WARM_STEPS = 10, PROXIMAL = 300, WEIGHTS = 2 };
#define EPS 1e-6
#define EPS_PROXIMAL 0.1
#define ACCURACY_LIMIT 1e-8

void zw_contact_options_init(zw_contact_options *options, size_t size) {
    const zw_contact_options all = {.size = size, .tolerance = 1e-9, .iterations_max = 100000};
    zw_options_begin(options, size, &all, sizeof all);
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

/* ------------------------------------------------------------------------------------------- the best */

typedef struct search {
    zw_contact_solver *s;
    const zw_contact_options *o;
    double *r; /* the caller's: scaled meanwhile */
    zw_contact_answer *answer;
} search;

/* keep s->best if it is better than what there is; true: good enough */
static bool keep(search *a, double residual, const char *found) {
    if (residual < a->answer->residual) {
        a->answer->residual = residual;
        a->answer->found = found;
        memcpy(a->r, a->s->best, sizeof *a->r * (size_t)a->s->nrow);
    }
    return a->answer->residual <= a->o->tolerance;
}

static bool try_nothing(search *a) {
    zw_contact_solver *s = a->s;
    memset(s->best, 0, sizeof *s->best * (size_t)s->nrow);
    return keep(a, zw_contact_judge(s, s->best), "nothing");
}

static bool try_single(search *a) {
    zw_contact_solver *s = a->s;
    const zw_contact_problem *p = s->problem;
    int m = s->nrow;
    double W[ZW_CONTACT_ROWS_MAX * ZW_CONTACT_ROWS_MAX] = {0};
    for (int e = 0; e < p->nentry; e++) {
        int n = p->part[p->entry[e].part].n;
        const double *H = s->H + s->at[e];
        for (int i = 0; i < m; i++)
            for (int j = 0; j < m; j++)
                for (int k = 0; k < n; k++)
                    W[i * m + j] += H[i * n + k] * H[j * n + k] * s->pull[j];
    }
    return zw_contact_single(&p->law[0], W, s->q, s->best) &&
           keep(a, zw_contact_judge(s, s->best), "exact");
}

static bool polish(search *a, const char *found) {
    zw_contact_solver *s = a->s;
    memcpy(s->r, s->best, sizeof *s->r * (size_t)s->nrow);
    return keep(
        a, zw_contact_newton(s, EPS, a->o->tolerance, POLISH, POLISH_PATIENCE, &a->answer->newton),
        found);
}

static bool try_path(search *a, double start, unsigned weights) {
    double residual = zw_contact_path(a->s, start, weights, a->o->tolerance, &a->answer->path);
    return keep(a, residual, "interior path") || polish(a, "interior path and Newton");
}

static bool try_warm(search *a) {
    zw_contact_solver *s = a->s;
    for (int i = 0; i < s->problem->ncontact; i++)
        for (int k = s->row[i]; k < s->row[i + 1]; k++)
            s->r[k] = a->r[k] / (s->root[i] * s->size);
    double residual =
        zw_contact_newton(s, EPS, a->o->tolerance, WARM_STEPS, WARM_STEPS, &a->answer->newton);
    a->answer->residual = HUGE_VAL; /* the old impulses themselves are no candidate yet */
    return keep(a, residual, "Newton from the old impulses");
}

static bool try_starts(search *a) {
    static const double start[] = {1, 100, 1e4};
    for (int i = 0; i < 3 + WEIGHTS; i++) {
        a->answer->restarts++;
        if (try_path(a, i < 3 ? start[i] : 10, i < 3 ? 0 : (unsigned)(i - 2)))
            return true;
    }
    zw_contact_solver *s = a->s;
    memcpy(s->r, a->r, sizeof *s->r * (size_t)s->nrow);
    keep(
        a,
        zw_contact_newton(s, EPS_PROXIMAL, a->o->tolerance, PROXIMAL, PROXIMAL, &a->answer->newton),
        "proximal steps");
    return polish(a, "proximal steps and Newton");
}

static zw_status find(search *a, zw_error *err) {
    zw_contact_solver *s = a->s;
    bool warm = a->o->warm;
    if ((!warm && try_nothing(a)) ||
        (s->problem->ncontact == 1 && (try_nothing(a) || try_single(a))))
        return ZW_OK;
    ZW_TRY(zw_contact_matrix_order(s, err));
    if (warm && (try_warm(a) || try_nothing(a)))
        return ZW_OK;
    if (!try_path(a, 10, 0) && a->answer->residual > ACCURACY_LIMIT)
        try_starts(a);
    return ZW_OK;
}

static void judge_by(search *a, zw_contact_method method) {
    zw_contact_solver *s = a->s;
    memset(s->r, 0, sizeof *s->r * (size_t)s->nrow);
    if (a->o->warm)
        for (int i = 0; i < s->problem->ncontact; i++)
            for (int k = s->row[i]; k < s->row[i + 1]; k++)
                s->r[k] = a->r[k] / (s->root[i] * s->size);
    a->answer->residual = HUGE_VAL;
    if (method == ZW_CONTACT_PROX)
        keep(a, zw_contact_fixed_point(s, a->o, &a->answer->iterations), "prox");
    else
        keep(a, zw_contact_sweeps(s, a->o, &a->answer->iterations), "Gauss and Seidel");
}

zw_status zw_contact_solve(zw_contact_solver *s, const zw_contact_problem *problem,
                           const zw_contact_options *options, double *r, zw_contact_answer *answer,
                           zw_error *err) {
    zw_contact_options o = zw_contact_options_default();
    if (options)
        ZW_TRY(zw_options_adopt(&o, sizeof o, options, "zw_contact_options", err));
    *answer = (zw_contact_answer){
        .verdict = ZW_CONTACT_NOT_CONVERGED, .residual = HUGE_VAL, .found = "nothing"};
    ZW_TRY(zw_contact_begin(s, problem, err));
    search a = {.s = s, .o = &o, .r = r, .answer = answer};
    if (!(s->size > 0)) {
        memset(r, 0, sizeof *r * (size_t)s->nrow);
        answer->residual = 0;
    } else if (o.method == ZW_CONTACT_AUTO)
        ZW_TRY(find(&a, err));
    else
        judge_by(&a, o.method);
    for (int i = 0; i < problem->ncontact; i++)
        for (int k = s->row[i]; k < s->row[i + 1]; k++)
            r[k] *= s->root[i] * s->size;
    answer->verdict = answer->residual <= o.tolerance      ? ZW_CONTACT_CONVERGED
                      : answer->residual <= ACCURACY_LIMIT ? ZW_CONTACT_ACCURACY_LIMIT
                                                           : ZW_CONTACT_NOT_CONVERGED;
    return ZW_OK;
}

zw_status zw_contact_residual(zw_contact_solver *s, const zw_contact_problem *problem,
                              const double *r, double *u, double *residual, zw_error *err) {
    ZW_TRY(zw_contact_begin(s, problem, err));
    double size = s->size > 0 ? s->size : 1;
    for (int i = 0; i < problem->ncontact; i++)
        for (int k = s->row[i]; k < s->row[i + 1]; k++)
            s->r[k] = r[k] / (s->root[i] * size);
    *residual = zw_contact_judge(s, s->r);
    for (int i = 0; u && i < problem->ncontact; i++)
        for (int k = s->row[i]; k < s->row[i + 1]; k++)
            u[k] = s->u[k] * size / s->root[i];
    return ZW_OK;
}
