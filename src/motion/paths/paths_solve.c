/* SPDX-License-Identifier: MIT */
/* The boundary value problem of a path: conditions at the ends, Newton's method from a guess, an
 * adapted mesh, and the test whether the path is new. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "branch/curve.h"
#include "motion/floquet/variation.h"
#include "motion/segments/periodic.h"
#include "paths.h"

enum {
    INTERVALS_FIRST = 20,
    INTERVALS_LEAST = 10,
    REFINEMENTS = 10,
    ROWS = 401,
    POINTS = 200,
    LEADS = 8
};
/* Parameter of the continuation from a guess, 0 at its own end and 1 at the required one: bounds
 * between which the end may move. */
#define CONTINUE_LOW (-1.0)
#define CONTINUE_HIGH 3.0
/* Relative to its arclength: corrections of the continuation, whose passages are solved
 * for again. */
#define CONTINUE_TOLERANCE 1e-7
#define CONTINUE_STEP 0.02    /* first step */
#define CONTINUE_STEP_MAX 0.3 /* largest step */
#define CONTINUE_STRAY 0.02   /* distance from prediction to solution for which steps are chosen */
/* Relative to the sizes: distance of an end from its conditions, and between intervals of a motion
 * whose polynomials do not match. A motion that is one has the tolerance of the mesh there. */
#define END_MISMATCH 1e-6

/* ----------------------------------------------------------------------------------- conditions */

static double row_residual(int n, const double *row, const double *u, const double *target,
                           const double *turn) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += row[i] != 0 ? row[i] * (u[i] - target[i] - (turn ? turn[i] : 0)) : 0;
    return sum;
}

/* conditions at the beginning, at the end, and T + V = E; the end moves from that of a guess (a =
 * 0) to the required one (a = 1) */
static zw_status end_conditions(void *user, double a, const double *first, const double *last,
                                double *value, double *by_first, double *by_last, double *by_a,
                                zw_error *err) {
    zw_paths *s = user;
    int nx = s->nx, n = s->dimension, row = 0;
    memset(by_first, 0, sizeof(double) * (size_t)(n * nx));
    memset(by_last, 0, sizeof(double) * (size_t)(n * nx));
    memset(by_a, 0, sizeof(double) * (size_t)nx);
    for (int i = 0; i < s->first.n; i++, row++) {
        const double *r = s->first.row + (size_t)(i * nx);
        value[row] = row_residual(nx, r, first, s->first.state, NULL);
        memcpy(by_first + (size_t)(row * nx), r, sizeof(double) * (size_t)nx);
    }
    for (int i = 0; i < s->last.n; i++, row++) {
        const double *r = s->last.row + (size_t)(i * nx);
        value[row] = row_residual(nx, r, last, s->last.state, s->turn) - (1 - a) * s->offset[i];
        by_a[row] = s->offset[i];
        memcpy(by_last + (size_t)(row * nx), r, sizeof(double) * (size_t)nx);
    }
    if (!s->is_free)
        return ZW_OK;
    double T, V;
    const double *by = s->observed_by + (size_t)(s->e->kernel->nobs * nx);
    ZW_TRY(zw_paths_energies(s, s->options.start, first, &T, &V, err));
    ZW_TRY(zw_flow_observables_jacobian(s->flow, s->options.start, first, s->observed_by, err));
    double size = fmax(fabs(s->options.energy), fabs(T) + fabs(V));
    size = size > 0 ? size : 1;
    value[row] = (T + V - s->options.energy) / size;
    for (int i = 0; i < nx; i++) {
        by_first[row * nx + i] = (by[i] + by[nx + i]) / size;
        by_last[row * nx + i] = 0;
    }
    return ZW_OK;
}

/* the given time; independent of a */
static zw_status set_time(void *user, double a, double *p, double *period, double *slope,
                          zw_error *err) {
    zw_paths *s = user;
    (void)a;
    (void)err;
    memcpy(p, s->e->p, sizeof(double) * (size_t)s->sys->np);
    *period = s->options.time;
    *slope = 0;
    return ZW_OK;
}

/* ----------------------------------------------------------------------------------------- mesh */

/* the ranges of the entries */
static void measure_sizes(const zw_paths *s, zw_path_motion *m, const double *scale) {
    int nx = s->nx, N = zw_colloc_intervals(m->c), stride = nx * (s->options.stages + 1);
    for (int r = 0; r < nx; r++) {
        double low = m->x[r], high = low;
        for (int j = 1; j < N; j++) {
            low = fmin(low, m->x[j * stride + r]);
            high = fmax(high, m->x[j * stride + r]);
        }
        m->size[r] = fmax(high - low, ZW_PATH_RANGE_MIN * scale[r]);
    }
}

static int interval_count(const zw_paths *s, int N, double error) {
    double ratio = pow(2 * error / s->options.tolerance, 1. / (s->options.stages + 1));
    int next = (int)ceil(N * fmin(fmax(ratio, 0.5), 2));
    next = next < INTERVALS_LEAST ? INTERVALS_LEAST : next;
    return next < s->options.intervals_max ? next : s->options.intervals_max;
}

static zw_status correct_motion(zw_paths *s, zw_path_motion *m, zw_error *err) {
    zw_cont_problem p = zw_colloc_problem(m->c);
    ZW_TRY(zw_colloc_refer(m->c, m->x, 1, err));
    return zw_cont_correct(&p, ZW_NEWTON, m->x, 1, NULL, &s->arena.alloc, err);
}

static zw_status refine_mesh(zw_paths *s, zw_path_motion *m, double *error, zw_error *err) {
    for (int i = 0; i < REFINEMENTS; i++) {
        double *list[] = {m->x};
        ZW_TRY(correct_motion(s, m, err));
        measure_sizes(s, m, s->scale);
        zw_colloc_set_scale(m->c, m->size, NULL);
        int N = zw_colloc_intervals(m->c), next;
        *error = zw_colloc_error(m->c, m->x);
        next = interval_count(s, N, *error);
        if (i > 1 && (*error <= s->options.tolerance || next <= N))
            break;
        ZW_TRY(zw_colloc_adapt(m->c, next > N ? next : N, 1, list, err));
    }
    return zw_colloc_refer(m->c, m->x, 1, err);
}

/* ---------------------------------------------------------------------------------------- found */

void zw_paths_end_state(const zw_paths *s, const zw_path_motion *m, int interval, double *end) {
    int nx = s->nx, stages = s->options.stages;
    const double *mesh = zw_colloc_mesh(m->c), *u = m->x + (size_t)(interval * nx * (stages + 1));
    zw_gauss rule;
    zw_gauss_init(&rule, stages);
    for (int r = 0; r < nx; r++) {
        end[r] = u[r];
        for (int i = 0; i < stages; i++)
            end[r] += (mesh[interval + 1] - mesh[interval]) * rule.b[i] * u[(i + 1) * nx + r];
    }
}

/* the first entry of the unit quaternion that entry i belongs to; -1 if none */
static int quaternion_of(const zw_paths *s, int i) {
    const zw_kernel *k = s->e->kernel;
    for (int u = 0; u < k->nunit; u++)
        if (i >= k->unit[u] && i < k->unit[u] + 4)
            return k->unit[u];
    return -1;
}

/* Distance of a state from the given conditions of an end. Both signs of a unit quaternion are the
 * same attitude. */
static double end_mismatch(const zw_paths *s, const zw_path_end *end, const double *x,
                           const double *turn, const double *size) {
    double worst = 0;
    for (int k = 0; k < end->ngiven; k++) {
        int i = end->entry[k], e = quaternion_of(s, i);
        double dot = 0;
        for (int l = 0; l < 4 && e >= 0; l++)
            dot += x[e + l] * end->state[e + l];
        double sign = dot < 0 ? -1 : 1;
        worst = fmax(worst, fabs(sign * x[i] - end->value[k] - (turn ? turn[i] : 0)) / size[i]);
    }
    return worst;
}

/* Rejects two kinds of solutions that are not motions to the end: independent conditions and
 * constraints may be satisfied at another place (the second intersection of a circle and a line),
 * and where nodes are projected onto constraints, the polynomials before them may end elsewhere. */
static bool is_torn(const zw_paths *s, const zw_path_motion *m) {
    int nx = s->nx, stride = nx * (s->options.stages + 1), N = zw_colloc_intervals(m->c);
    double *end = s->work, worst = end_mismatch(s, &s->first, m->x, NULL, m->size);
    for (int j = 0; j < N; j++) {
        zw_paths_end_state(s, m, j, end);
        for (int r = 0; r < nx && j + 1 < N; r++)
            worst = fmax(worst, fabs(end[r] - m->x[(j + 1) * stride + r]) / m->size[r]);
    }
    worst = fmax(worst, end_mismatch(s, &s->last, end, s->turn, m->size));
    return !(worst < END_MISMATCH);
}

/* the path with the same beginning and duration; -1 if none */
static int find_same(const zw_paths *s, const zw_path_motion *m) {
    for (int i = 0; i < s->nfound; i++) {
        double off = fabs(s->found[i].time - m->time) / m->time;
        for (int r = 0; r < s->nx; r++)
            off = fmax(off, fabs(s->found[i].x[r] - m->x[r]) / m->size[r]);
        if (off < ZW_SAME_SOLUTION)
            return i;
    }
    return -1;
}

static zw_status take_rows(zw_paths *s, const zw_path_motion *m, zw_path_found *f, zw_error *err) {
    double *t = ZW_NEW(&s->arena, double, ROWS + 1),
           *x = ZW_NEW(&s->arena, double, ROWS * s->nx + 1);
    if (s->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < ROWS; i++) {
        double tau = (double)i / (ROWS - 1);
        t[i] = s->options.start + f->time * tau;
        zw_colloc_state(m->c, m->x, tau, x + (size_t)(i * s->nx), NULL);
    }
    f->rows = ROWS;
    f->t = t;
    f->x = x;
    return ZW_OK;
}

/* Of a family of motions between conjugate places, which have the same action, one is stored. */
static bool joins_family(zw_paths *s, const zw_path_found *f) {
    for (int i = 0; i < s->nfound && f->kind == ZW_PATH_DEGENERATE; i++) {
        zw_path_found *g = &s->found[i];
        if (g->kind == ZW_PATH_DEGENERATE &&
            fabs(g->action - f->action) <= ZW_SAME_SOLUTION * fabs(f->action)) {
            g->guesses++;
            return true;
        }
    }
    return false;
}

static zw_status add_path(zw_paths *s, zw_path_motion *m, double error, zw_error *err) {
    zw_path_found f = {.time = m->time, .error = error, .guesses = 1};
    f.intervals = zw_colloc_intervals(m->c);
    double *turns = ZW_NEW(&s->arena, double, s->nq + 1);
    if (!turns)
        return zw_out_of_memory(err, NULL);
    memcpy(turns, s->turns, sizeof(double) * (size_t)s->nq);
    f.turns = turns;
    ZW_TRY(take_rows(s, m, &f, err));
    ZW_TRY(zw_paths_judge(s, m, &f, err));
    if (joins_family(s, &f))
        return ZW_OK;
    if (s->nfound == s->capacity) {
        int more = s->capacity ? 2 * s->capacity : 16;
        zw_path_found *all = ZW_NEW(&s->arena, zw_path_found, more);
        if (!all)
            return zw_out_of_memory(err, NULL);
        if (s->nfound)
            memcpy(all, s->found, sizeof *all * (size_t)s->nfound);
        s->found = all;
        s->capacity = more;
    }
    s->found[s->nfound++] = f;
    return ZW_OK;
}

/* --------------------------------------------------------------------------------- from a guess */

/* The solutions to which a guess leads, on the first mesh. */
typedef struct solution_list {
    zw_arena *work;
    int n, size;
    double *x[LEADS], last;
} solution_list;

static zw_status add_solution(solution_list *l, const double *x, zw_error *err) {
    double *copy = ZW_NEW(l->work, double, l->size + 1);
    if (!copy)
        return zw_out_of_memory(err, NULL);
    memcpy(copy, x, sizeof(double) * (size_t)l->size);
    l->x[l->n++] = copy;
    return ZW_OK;
}

/* the end has reached the required place, or passed it */
static zw_status record_passage(void *user, const zw_cont_point *point, zw_error *err) {
    solution_list *l = user;
    bool passed = (l->last - 1) * (point->a - 1) <= 0;
    l->last = point->a;
    if (passed)
        ZW_TRY(add_solution(l, point->x, err));
    return l->n == LEADS ? ZW_STOPPED : ZW_OK;
}

/* Continues from the motion of a guess, which ends elsewhere (a = 0): its end moves on the straight
 * line through that place and the required one (a = 1), back and forth where the motions turn, and
 * passes the required place several times. */
static zw_status continue_guess(zw_paths *s, zw_path_motion *m, solution_list *l, zw_error *err) {
    zw_cont_options o = zw_cont_options_default();
    zw_cont_info info;
    double *end = s->work;
    zw_paths_end_state(s, m, zw_colloc_intervals(m->c) - 1, end);
    for (int i = 0; i < s->last.n; i++)
        s->offset[i] =
            row_residual(s->nx, s->last.row + (size_t)(i * s->nx), end, s->last.state, s->turn);
    o.low = CONTINUE_LOW;
    o.high = CONTINUE_HIGH;
    o.step = CONTINUE_STEP;
    o.step_max = CONTINUE_STEP_MAX;
    o.stray = CONTINUE_STRAY;
    o.tolerance = CONTINUE_TOLERANCE;
    o.points_max = POINTS;
    o.locate = false;
    o.quick = true;
    l->last = 0;
    ZW_TRY(zw_colloc_refer(m->c, m->x, 0, err));
    zw_cont_problem p = zw_colloc_problem(m->c);
    zw_status status =
        zw_continue(&p, &o, m->x, 0, 1, record_passage, l, &info, &s->arena.alloc, err);
    if (l->n == 0 && status >= 0)
        return zw_fail(err, ZW_E_NUMERIC, "its end does not get there");
    return l->n && status != ZW_E_MEMORY ? ZW_OK : status;
}

static zw_status create_collocation(zw_paths *s, zw_path_motion *m, zw_error *err) {
    zw_colloc_options o = zw_colloc_options_default();
    o.intervals = s->options.intervals;
    o.stages = s->options.stages;
    o.start = s->options.start;
    o.is_period_free = s->is_free;
    o.scale = s->scale;
    o.ends = end_conditions;
    o.ends_user = s;
    return zw_colloc_create(&m->c, s->flow, &o, set_time, s, err);
}

/* solves for the motion near m->x; *led: it was stored, or is known */
static zw_status finish_motion(zw_paths *s, zw_path_motion *m, bool *led, zw_error *err) {
    double error = NAN;
    ZW_TRY(refine_mesh(s, m, &error, err));
    m->time = zw_colloc_period(m->c, m->x);
    if (is_torn(s, m))
        return zw_fail(err, ZW_E_NUMERIC, "it ends elsewhere");
    int same = find_same(s, m);
    *led = true;
    if (same < 0)
        return add_path(s, m, error, err);
    s->found[same].guesses++;
    return ZW_OK;
}

static zw_status solve_from_guess(zw_paths *s, int k, zw_path_motion *m, solution_list *l,
                                  bool *led, zw_error *err) {
    bool moves;
    memset(s->offset, 0, sizeof(double) * (size_t)s->nx);
    ZW_TRY(create_collocation(s, m, err));
    zw_status status = zw_paths_guess(s, k, m, &moves, err);
    l->size = zw_colloc_problem(m->c).n;
    if (status == ZW_OK && (!moves || k % 3 == 0))
        status = add_solution(l, m->x, err);
    if (status == ZW_OK && moves)
        status = continue_guess(s, m, l, err);
    zw_colloc_destroy(m->c);
    m->c = NULL;
    for (int i = 0; i < l->n && status == ZW_OK; i++) {
        memcpy(m->x, l->x[i], sizeof(double) * (size_t)l->size);
        ZW_TRY(create_collocation(s, m, err));
        zw_status one = finish_motion(s, m, led, err);
        if (one == ZW_E_MEMORY)
            return one;
        zw_colloc_destroy(m->c);
        m->c = NULL;
    }
    return status;
}

zw_status zw_paths_solve(zw_paths *s, int k, zw_error *err) {
    zw_path_motion m = {0};
    zw_arena work;
    zw_error why = {0};
    solution_list l = {.work = &work};
    bool led = false;
    size_t most = (size_t)s->options.intervals_max * (size_t)(s->nx * (s->options.stages + 1)) + 3;
    zw_arena_init(&work, &s->arena.alloc);
    m.x = ZW_NEW(&work, double, most);
    m.size = ZW_NEW(&work, double, s->nx + 1);
    zw_status status =
        work.failed ? zw_out_of_memory(&why, NULL) : solve_from_guess(s, k, &m, &l, &led, &why);
    zw_colloc_destroy(m.c);
    zw_arena_clear(&work);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    s->led += led;
    if (!led)
        snprintf(s->trouble, sizeof s->trouble, "%.200s",
                 why.text[0] ? why.text : "the first guess has no value");
    return ZW_OK;
}
