/* SPDX-License-Identifier: MIT */
/* The steps of continuation.h. A step from the point P_0 = (x_0, a_0) with tangent T_0, of length h, begins at
 *
 *     P_0 + h T_0 + h^2/2 (T_0 - T_-1)/h_-1,                    T_-1, h_-1: of the step before,
 *
 * whose distance e to the solution is of third order in h: the next step is h (stray/e)^(1/3). With more tangents it is the integral of the polynomial
 * through them (J. C. Adams), of higher order. A step is taken again, shorter, if
 * Newton's method does not contract, if the tangent turns by more than 30 degrees, or if it ends further away than it is long.
 * At the last iterate the matrix is known up to the last correction d; a tangent from it is wrong by d, which predicts well enough. Where
 * something is located, the matrix is factored once more at the solution.
 *
 * A test function g that changes its sign between two points has its zero located in the length h of the step from the first of the two, every trial being
 * corrected onto the curve: roughly by the method of Illinois, then by the polynomial through six points around it, not too near: where curves cross, the matrix
 * is singular at the zero itself, and what is found close to it is poor. The point that is told lies on the same polynomials. Where they do not agree with
 * those through four of the points, the method of Illinois goes on to the end. */
#include "zwang/continuation.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"

enum {
    ORDER_MAX = 5,
    SEEN = 20, /* steps for which the convergence that was seen holds */
    ASKED = 6, /* steps after which a lower order is considered */
    NEWTON_MAX = 8,
    NEWTON_START = 30,
    APPROACH_MAX = 200,
    TRIALS_MAX = 60,
    NODES = 6,
    ROUNDS = 4
};
#define CHORD 3e-3      /* a correction, in s: from there on the matrix may stay as it is, */
#define SLOW 0.05       /* if the next correction is no larger part of it */
#define CONTRACTION 0.5 /* of a correction by the next one, at most */
#define SHORTEST 1e-6   /* part of a correction from afar */
#define NEAR 1e-3       /* a correction, in s: Newton's method converges from there */
#define TURN 0.866      /* cosine of the largest angle between two tangents */
#define GROWTH 2.0
#define SAFETY 10.0   /* of the convergence that was seen */
#define LOCATED 1e-11 /* of the size of s: an interval that is not divided any more */
#define ZERO 1e-11    /* of the values at its ends: a test function is zero */
#define TURNS 1e-8    /* of them: so near to a fold a is different by the square of it */
#define JUMP 1e-2     /* of them: its sign changes by a jump */
#define CLOSE 0.5     /* of a step: the start is passed */
#define ROUGH 0.1     /* of a step: known so well, a zero is found by interpolation */
#define FINE 1e-6     /* of the values at the ends of a step: a zero is located */
#define CORNER 0.01   /* of the values around a zero: what it may have there */
#define APART 0.02    /* of a step: between its points */
#define AGREE                                                                                      \
    1e-7 /* of a step: polynomials of two degrees; what the higher one is wrong by is much less */

typedef struct place {
    double a, s;
    double *x, *tangent, *test; /* n, n + 1, ntest */
    double correction;
    int iterations;
} place;

typedef struct walk {
    const zw_cont_problem *p;
    zw_cont_options o;
    zw_cont_take take;
    void *user;
    zw_cont_info *info;
    place start, here, next, trial;
    place node[NODES], sharp; /* around a zero, and at it */
    int sharp_what;
    double sharp_h;
    double *past[ORDER_MAX];     /* n + 1: tangents of the points before, the last one first, */
    double past_step[ORDER_MAX]; /* and the steps from them to the next point */
    int npast;
    int order, used;    /* of the next prediction; of the last one */
    double convergence; /* a second correction by the square of the first; 0: not seen */
    int since;          /* steps since then */
    double *row, *b, *r, *predicted; /* n + 1, n + 1, n, n + 1 */
    double *
        told; /* ntest + 1: da/ds and the test functions at the point before `here`; NaN: there is none */
    double first; /* the correction of the last call of correct: how far the prediction was off */
} walk;

void zw_cont_options_init(zw_cont_options *options, size_t size) {
    const zw_cont_options all = {.size = size,
                                 .low = -INFINITY,
                                 .high = INFINITY,
                                 .step = 0.01,
                                 .step_min = 1e-9,
                                 .step_max = 1,
                                 .tolerance = 1e-10,
                                 .stray = 1e-3,
                                 .points_max = 10000,
                                 .order = 2,
                                 .locate = true};
    zw_options_begin(options, size, &all, sizeof all);
}

/* ------------------------------------------------------------------------------------------------ memory */

static void make_place(zw_arena *arena, const zw_cont_problem *p, place *out) {
    out->x = ZW_NEW(arena, double, p->n + 1);
    out->tangent = ZW_NEW(arena, double, p->n + 1);
    out->test = ZW_NEW(arena, double, p->ntest + 1);
}

static zw_status make_walk(walk *w, zw_arena *arena, zw_error *err) {
    int n = w->p->n;
    make_place(arena, w->p, &w->start);
    make_place(arena, w->p, &w->here);
    make_place(arena, w->p, &w->next);
    make_place(arena, w->p, &w->trial);
    make_place(arena, w->p, &w->sharp);
    for (int i = 0; i < NODES; i++)
        make_place(arena, w->p, &w->node[i]);
    w->told = ZW_NEW(arena, double, w->p->ntest + 1);
    for (int i = 0; w->told && i <= w->p->ntest; i++)
        w->told[i] = NAN;
    for (int i = 0; i < ORDER_MAX; i++)
        w->past[i] = ZW_NEW(arena, double, n + 1);
    w->row = ZW_NEW(arena, double, n + 1);
    w->b = ZW_NEW(arena, double, n + 1);
    w->r = ZW_NEW(arena, double, n + 1);
    w->predicted = ZW_NEW(arena, double, n + 1);
    return arena->failed ? zw_fail(err, ZW_E_MEMORY, "out of memory") : ZW_OK;
}

static void copy_place(const walk *w, place *to, const place *from) {
    size_t n = (size_t)w->p->n;
    memcpy(to->x, from->x, sizeof(double) * n);
    memcpy(to->tangent, from->tangent, sizeof(double) * (n + 1));
    memcpy(to->test, from->test, sizeof(double) * (size_t)w->p->ntest);
    to->a = from->a;
    to->s = from->s;
    to->correction = from->correction;
    to->iterations = from->iterations;
}

static void swap_places(place *a, place *b) {
    place keep = *a;
    *a = *b;
    *b = keep;
}

/* --------------------------------------------------------------------------------------------- the metric */

static double inner(const zw_cont_problem *p, const double *u, const double *v) {
    double a = p->unit;
    return p->inner(p->self, u, v) + u[p->n] * v[p->n] / (a * a);
}

static double length(const zw_cont_problem *p, const double *u) {
    return sqrt(inner(p, u, u));
}

/* the plane at right angles to the direction, in the metric: in another one the curve may turn within it where the metric sees no turn */
static void set_plane(walk *w, const double *direction) {
    const zw_cont_problem *p = w->p;
    double most = fabs(w->row[p->n] = direction[p->n] / (p->unit * p->unit));
    if (p->dual)
        p->dual(p->self, direction, w->row);
    else
        memset(w->b, 0, sizeof(double) * (size_t)(p->n + 1));
    for (int k = 0; k < p->n && !p->dual; k++) {
        w->b[k] = 1;
        w->row[k] = p->inner(p->self, w->b, direction);
        w->b[k] = 0;
    }
    double large[4] = {0};
    for (int k = 0; k < p->n; k++) { /* four at a time: they need not wait for each other */
        double size = fabs(w->row[k]);
        large[k & 3] = size > large[k & 3] ? size : large[k & 3];
    }
    for (int i = 0; i < 4; i++)
        most = large[i] > most ? large[i] : most;
    double by = most > 0 ? 1 / most : 1;
    for (int k = 0; k <= p->n; k++)
        w->row[k] *= by;
}

static void set_fixed(walk *w) {
    memset(w->row, 0, sizeof(double) * (size_t)w->p->n);
    w->row[w->p->n] = 1;
}

/* ---------------------------------------------------------------------------------------------- correction */

/* Newton's method from (x, a) of `at` on the plane row.(x, a) = const: where it is known to be at once, since the
 * prediction fulfils it. Close to the solution the matrix of one step serves for the next ones too, which contract by about the size of that one. ZW_RETRY: it does not converge. */
static zw_status correct(walk *w, place *at, int most, bool exactly, zw_error *err) {
    const zw_cont_problem *p = w->p;
    double last = INFINITY;
    bool again = false; /* the same matrix */
    for (int i = 0; i < most; i++) {
        zw_status status = p->residual(p->self, at->x, at->a, w->r, err);
        if (status != ZW_OK)
            return status;
        /* of what is larger than typical, its own size counts: rounding leaves no more */
        double tolerance = w->o.tolerance * fmax(1, sqrt(p->inner(p->self, at->x, at->x)));
        if (!again) {
            if ((status = p->factor(p->self, at->x, at->a, w->row, err)) != ZW_OK)
                return status;
            w->info->factored++;
        }
        for (int k = 0; k < p->n; k++)
            w->b[k] = -w->r[k];
        w->b[p->n] = 0;
        p->solve(p->self, w->b);
        double d = length(p, w->b);
        if (again && !(d <= SLOW * last)) { /* a matrix of its own after all */
            again = false;
            last = INFINITY;
            most++;
            continue;
        }
        if (!isfinite(d) || (i > 1 && d > CONTRACTION * last && d > tolerance))
            return ZW_RETRY;
        if (i == 0)
            w->first = d;
        else if (i == 1 && w->first > 0 && w->first < NEAR && d < w->first) {
            w->convergence = d / (w->first * w->first);
            w->since = 0;
        }
        for (int k = 0; k < p->n; k++)
            at->x[k] += w->b[k];
        at->a += w->b[p->n];
        at->iterations = i + 1;
        at->correction = d;
        /* the next correction would be about d^2 of what is typical, and by what was seen at most d^2/last */
        double ahead = i > 0 && last > 0 && isfinite(last) ? d * d / last : d;
        if (w->o.quick && !exactly && i == 0 && w->convergence > 0 && w->since < SEEN &&
            SAFETY * w->convergence * d * d < tolerance) {
            w->since++;
            return ZW_OK;
        }
        if (d <= tolerance || (!exactly && i > 0 && ahead < tolerance) ||
            (i > 0 && d >= 0.5 * last))
            return d <= tolerance / sqrt(w->o.tolerance) ? ZW_OK : ZW_RETRY;
        again = d < CHORD;
        last = d;
    }
    return ZW_RETRY;
}

static double norm_of(const double *r, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += r[i] * r[i];
    return sqrt(sum);
}

/* From afar, at fixed a: as much of a correction as makes the residual smaller. Then `correct`. */
static zw_status approach(walk *w, place *at, zw_error *err) {
    const zw_cont_problem *p = w->p;
    double *from = w->predicted, part = 1;
    for (int i = 0; i < APPROACH_MAX; i++) {
        zw_status status = p->residual(p->self, at->x, at->a, w->r, err);
        double before = norm_of(w->r, p->n);
        if (status == ZW_OK && isfinite(before))
            status = p->factor(p->self, at->x, at->a, w->row, err);
        if (status != ZW_OK || !isfinite(before))
            return status < 0 ? status : ZW_RETRY;
        w->info->factored++;
        for (int k = 0; k < p->n; k++)
            w->b[k] = -w->r[k];
        w->b[p->n] = 0;
        p->solve(p->self, w->b);
        if (!isfinite(length(p, w->b)))
            return ZW_RETRY;
        memcpy(from, at->x, sizeof(double) * (size_t)p->n);
        double after = INFINITY;
        for (part = fmin(1, 4 * part); part > SHORTEST; part *= 0.5) {
            for (int k = 0; k < p->n; k++)
                at->x[k] = from[k] + part * w->b[k];
            status = p->residual(p->self, at->x, at->a, w->r, NULL);
            if (status == ZW_E_MEMORY)
                return zw_fail(err, ZW_E_MEMORY, "out of memory");
            if (status == ZW_OK)
                after = norm_of(w->r, p->n);
            if (after <= (1 - 0.25 * part) * before)
                break;
        }
        at->iterations = i + 1;
        if (part <=
            SHORTEST) { /* rounding, or a place where the residual is smallest and not zero */
            memcpy(at->x, from, sizeof(double) * (size_t)p->n);
            return ZW_OK;
        }
        if (part == 1 && length(p, w->b) < NEAR)
            return ZW_OK;
    }
    return ZW_OK;
}

/* the solution near `at` at its a, however far */
static zw_status find_at(walk *w, place *at, zw_error *err) {
    set_fixed(w);
    zw_status status = approach(w, at, err);
    int before = at->iterations;
    if (status == ZW_OK)
        status = correct(w, at, NEWTON_START, true, err);
    at->iterations += before;
    return status;
}

/* the tangent from the last factors, along `old`; refactor: from the matrix at the place itself */
static zw_status find_tangent(walk *w, place *at, bool refactor, zw_error *err) {
    const zw_cont_problem *p = w->p;
    if (refactor) {
        zw_status status = p->residual(p->self, at->x, at->a, w->r, err);
        if (status == ZW_OK)
            status = p->factor(p->self, at->x, at->a, w->row, err);
        if (status != ZW_OK)
            return status;
        w->info->factored++;
    }
    memset(w->b, 0, sizeof(double) * (size_t)p->n);
    w->b[p->n] = 1;
    p->solve(p->self, w->b);
    double size = length(p, w->b);
    if (!(size > 0) || !isfinite(size))
        return ZW_RETRY;
    for (int k = 0; k <= p->n; k++)
        at->tangent[k] = w->b[k] / size;
    return ZW_OK;
}

static void *asks(const zw_cont_problem *p) {
    return p->asks ? p->asks : p->self;
}

static zw_status ask_tests(walk *w, place *at, zw_error *err) {
    const zw_cont_problem *p = w->p;
    return p->ntest ? p->tests(asks(p), at->x, at->a, at->tangent[p->n] / p->unit, at->test, err)
                    : ZW_OK;
}

/* ---------------------------------------------------------------------------------------------------- steps */

/* the integral from 0 to h of the polynomial through `order` tangents: their weights */
static void weigh(const walk *w, int order, double h, double *weight) {
    static const double point[3] = {0.112701665379258311, 0.5, 0.887298334620741689},
                        part[3] = {5. / 18, 8. / 18, 5. / 18}; /* exact up to degree 5 */
    double at[ORDER_MAX] = {0};
    for (int i = 1; i < order; i++)
        at[i] = at[i - 1] - w->past_step[i - 1];
    for (int i = 0; i < order; i++) {
        weight[i] = 0;
        for (int q = 0; q < 3; q++) {
            double value = part[q] * h;
            for (int k = 0; k < order; k++)
                value *= k == i ? 1 : (point[q] * h - at[k]) / (at[i] - at[k]);
            weight[i] += value;
        }
    }
}

static void predict(walk *w, double h) {
    const place *from = &w->here;
    int n = w->p->n, few = w->npast > 0 ? 2 : 1,
        order = w->order <= w->npast + 1 ? w->order : w->npast + 1;
    double weight[ORDER_MAX];
    w->used = order > few ? order : few;
    weigh(w, w->used, h, weight);
    for (int k = 0; k < n; k++)
        w->predicted[k] = from->x[k] + weight[0] * from->tangent[k];
    w->predicted[n] = from->a + weight[0] * from->tangent[n];
    int i = 1;
    for (; i + 1 < w->used; i += 2)
        for (int k = 0; k <= n; k++)
            w->predicted[k] += weight[i] * w->past[i - 1][k] + weight[i + 1] * w->past[i][k];
    for (int k = 0; k <= n && i < w->used; k++)
        w->predicted[k] += weight[i] * w->past[i - 1][k];
}

/* After a step of length h to w->next: was the higher order worth it? Asked now and then. */
static void choose_order(walk *w, double h) {
    const zw_cont_problem *p = w->p;
    double few[ORDER_MAX] = {0}, weight[ORDER_MAX];
    if (w->used <= 2)
        w->order = w->o.order;
    if (w->used <= 2 || w->info->points % ASKED != 0)
        return;
    weigh(w, 2, h, few);
    weigh(w, w->used, h, weight);
    for (int k = 0; k <= p->n; k++) {
        w->b[k] = (k < p->n ? w->next.x[k] : w->next.a) - w->predicted[k] -
                  (few[0] - weight[0]) * w->here.tangent[k];
        for (int i = 1; i < w->used; i++)
            w->b[k] -= (few[i] - weight[i]) * w->past[i - 1][k];
    }
    w->order = w->first < length(p, w->b) ? w->o.order : 2;
}

/* from `here` by h into `out`, with tangent. ZW_RETRY: shorter */
static zw_status step_to(walk *w, double h, place *out, bool exactly, zw_error *err) {
    const zw_cont_problem *p = w->p;
    predict(w, h);
    memcpy(out->x, w->predicted, sizeof(double) * (size_t)p->n);
    out->a = w->predicted[p->n];
    if (w->o.natural)
        set_fixed(w);
    else
        set_plane(w, w->here.tangent);
    zw_status status = correct(w, out, NEWTON_MAX, exactly, err);
    if (status != ZW_OK)
        return status;
    if ((status = find_tangent(w, out, exactly, err)) != ZW_OK)
        return status;
    if (inner(p, out->tangent, w->here.tangent) < 0)
        for (int k = 0; k <= p->n; k++)
            out->tangent[k] = -out->tangent[k];
    bool turned = inner(p, out->tangent, w->here.tangent)<TURN, astray = w->first> 0.5 * fabs(h);
    out->s = w->here.s + h;
    return turned || astray ? ZW_RETRY : ZW_OK;
}

static zw_status hand_over(walk *w, const place *at, int what, double width, zw_error *err) {
    zw_cont_point point = {.a = at->a,
                           .s = at->s,
                           .x = at->x,
                           .tangent = at->tangent,
                           .test = at->test,
                           .what = what,
                           .width = width,
                           .correction = at->correction,
                           .iterations = at->iterations};
    if (what >= 0 || what == ZW_CONT_FOLD)
        w->info->located++;
    else
        w->info->points++;
    return w->take(w->user, &point, err);
}

/* ------------------------------------------------------------------------------------------------- location */

static double watched(const walk *w, const place *at, int what) {
    return what == ZW_CONT_FOLD ? at->tangent[w->p->n] : at->test[what];
}

/* the function at a step of length h, into `trial`; false: there is no such point */
static zw_status look(walk *w, int what, double h, double *g, bool *known, zw_error *err) {
    zw_error trouble = {0};
    zw_status status = step_to(w, h, &w->trial, true, &trouble);
    if (status == ZW_OK && what >= 0) /* a fold is seen without them */
        status = ask_tests(w, &w->trial, &trouble);
    *known = status == ZW_OK;
    *g = *known ? watched(w, &w->trial, what) : NAN;
    if (status != ZW_E_MEMORY)
        return ZW_OK;
    if (err && !err->status)
        *err = trouble;
    return status;
}

static const double offset[NODES] = {-1, 1, -2, 2, -3, 3};

/* the value at y of the polynomial through n points, by A. C. Aitken's and E. H. Neville's scheme */
static double interpolate(int n, const double *x, const double *value, double y) {
    double p[NODES];
    memcpy(p, value, sizeof(double) * (size_t)n);
    for (int k = 1; k < n; k++)
        for (int i = 0; i + k < n; i++)
            p[i] = ((y - x[i + k]) * p[i] + (x[i] - y) * p[i + 1]) / (x[i] - x[i + k]);
    return p[0];
}

/* the place at h on the polynomials through the nodes, which are at the lengths at */
static void put_between(walk *w, const double *at, double h, double wrong) {
    const zw_cont_problem *p = w->p;
    double weight[NODES], size;
    for (int k = 0; k < NODES; k++) {
        double unit[NODES] = {0};
        unit[k] = 1;
        weight[k] = interpolate(NODES, at, unit, h);
    }
    memset(w->sharp.x, 0, sizeof(double) * (size_t)p->n);
    memset(w->sharp.tangent, 0, sizeof(double) * (size_t)(p->n + 1));
    w->sharp.a = 0;
    for (int k = 0; k < NODES; k++) {
        for (int i = 0; i < p->n; i++)
            w->sharp.x[i] += weight[k] * w->node[k].x[i];
        for (int i = 0; i <= p->n; i++)
            w->sharp.tangent[i] += weight[k] * w->node[k].tangent[i];
        w->sharp.a += weight[k] * w->node[k].a;
    }
    size = length(p, w->sharp.tangent);
    for (int i = 0; i <= p->n; i++)
        w->sharp.tangent[i] /= size;
    w->sharp.s = w->here.s + h;
    w->sharp.correction = wrong;
    w->sharp.iterations = w->node[0].iterations;
}

/* Is the function there what the nodes around it say? Between them it may have a corner: two real multipliers become a pair. Where curves cross, there may be
 * no point to look at. */
static zw_status confirm(walk *w, int what, double h, const double *g, bool *agrees,
                         zw_error *err) {
    double there, most = 0;
    bool known;
    for (int k = 0; k < NODES; k++)
        most = fmax(most, fabs(g[k]));
    ZW_TRY(look(w, what, h, &there, &known, err));
    *agrees = !known || !isfinite(there) || fabs(there) <= CORNER * most;
    return ZW_OK;
}

/* The zero near *h, into w->sharp; *sharp: it is one. */
static zw_status sharpen(walk *w, int what, double step, double *h, bool *sharp, zw_error *err) {
    double apart = APART * step, at[NODES], g[NODES], near = *h;
    *sharp = false;
    for (int round = 0; round < ROUNDS; round++, apart /= 4) {
        for (int k = 0; k < NODES; k++) {
            bool known;
            at[k] = near + apart * offset[k];
            ZW_TRY(look(w, what, at[k], &g[k], &known, err));
            if (!known || !isfinite(g[k]))
                return ZW_OK;
            copy_place(w, &w->node[k], &w->trial);
        }
        double root = interpolate(NODES, g, at, 0), rough = interpolate(NODES - 2, g, at, 0);
        if (!(root > -APART * step && root < (1 + APART) * step))
            return ZW_OK;
        bool agrees = fabs(root - near) <= NODES / 2 * apart && fabs(root - rough) <= AGREE * step;
        if (agrees)
            ZW_TRY(confirm(w, what, root, g, &agrees, err));
        if (agrees) {
            put_between(w, at, root, fabs(root - rough));
            w->sharp_what = what;
            w->sharp_h = *h = root;
            *sharp = true;
            return ZW_OK;
        }
        near = root;
    }
    return ZW_OK;
}

/* Between `here` (h = 0) and `next` (h = step): the length of the step to the zero of one function. Negative: there is none, it jumps.
 * Where branches cross, the matrix is singular at the zero, and close to it no point may be found: the nearest counts. */
static zw_status locate(walk *w, int what, double step, double *found, zw_error *err) {
    double low = 0, high = step, g_low = watched(w, &w->here, what),
           g_high = watched(w, &w->next, what), size = fmax(fabs(g_low), fabs(g_high)),
           best = INFINITY, aside = 0, wide = step;
    double at[3] = {low, high}, value[3] = {g_low, g_high}; /* the last ones, as they are */
    int side = 0, last = 2;
    bool sharp = false, tried = false;
    *found = -1;
    for (int i = 0; i < TRIALS_MAX; i++) {
        double g, h = (low * g_high - high * g_low) / (g_high - g_low) + aside * (high - low);
        bool known;
        if (last > 2 && aside == 0) { /* a parabola through three of them, lying on its side */
            double bent = interpolate(3, value, at, 0);
            h = bent > low && bent < high ? bent : h;
        }
        if (!(h > low && h < high) || (i % 4 == 3 && high - low > 0.1 * wide))
            h = 0.5 * (low + high);
        wide = i % 4 == 3 ? high - low : wide;
        if (what >= 0 && !tried && (high - low <= ROUGH * step || best <= JUMP * size)) {
            double root = h;
            ZW_TRY(sharpen(w, what, step, &root, &sharp, err));
            tried = true;
            if (sharp) {
                *found = fmin(fmax(root, 0), step);
                return ZW_OK;
            }
        }
        ZW_TRY(look(w, what, h, &g, &known, err));
        if (!known) { /* a little beside it */
            if (aside > 0.2)
                break;
            aside += 0.07;
            continue;
        }
        aside = 0;
        if (isnan(g))
            break;
        if (fabs(g) < best) {
            best = fabs(g);
            *found = h;
        }
        at[last % 3] = h;
        value[last++ % 3] = g;
        if (fabs(g) <= (what < 0 ? TURNS : ZERO) * size ||
            high - low <= LOCATED * (1 + fabs(w->here.s)))
            break;
        if ((g < 0) == (g_low < 0)) {
            low = h;
            g_low = g;
            g_high *= side == -1 ? 0.5 : 1;
            side = -1;
        } else {
            high = h;
            g_high = g;
            g_low *= side == 1 ? 0.5 : 1;
            side = 1;
        }
    }
    if (!(best <= JUMP * size))
        *found = -1;
    else if (what >= 0 && !(best <= FINE * size) && w->info->rough++ == 0) {
        w->info->rough_at = w->here.a + *found / step * (w->next.a - w->here.a);
        w->info->rough_by = fabs((high - low) / step * (w->next.a - w->here.a));
    }
    return ZW_OK;
}

typedef struct zero {
    int what;
    double h, exact; /* exact: the length of w->sharp, if it was found so */
    bool sharp;
} zero;

static bool changes(double a, double b) {
    return isfinite(a) && isfinite(b) && ((a < 0 && b > 0) || (a > 0 && b < 0));
}

/* the place of a zero into w->sharp, where it may be already */
static zw_status put_zero(walk *w, const zero *z, double step, zw_error *err) {
    bool sharp = w->sharp_what == z->what && w->sharp_h == z->exact;
    double h = z->h;
    if (z->sharp && !sharp)
        ZW_TRY(sharpen(w, z->what, step, &h, &sharp, err));
    if (!sharp) {
        zw_status status = step_to(w, h, &w->trial, true, err);
        if (status != ZW_OK)
            return status;
        copy_place(w, &w->sharp, &w->trial);
    }
    w->sharp_what = ZW_CONT_NOTHING;
    return ask_tests(w, &w->sharp, err);
}

/* `here` itself is a zero, between values of different signs: a step has met it exactly */
static zw_status tell_here(walk *w, zw_error *err) {
    for (int what = -1; what < w->p->ntest; what++) {
        int which = what < 0 ? ZW_CONT_FOLD : what;
        if (watched(w, &w->here, which) != 0 ||
            !changes(w->told[what + 1], watched(w, &w->next, which)))
            continue;
        zw_status status = hand_over(w, &w->here, which, 0, err);
        if (status < 0 || status == ZW_STOPPED)
            return status;
    }
    for (int what = -1; what < w->p->ntest; what++)
        w->told[what + 1] = watched(w, &w->here, what < 0 ? ZW_CONT_FOLD : what);
    return ZW_OK;
}

/* all zeros between `here` and `next`, told in their order */
static zw_status tell_zeros(walk *w, double step, zw_error *err) {
    zero list[ZW_CONT_TESTS_MAX + 1];
    int n = 0;
    for (int what = -1; what < w->p->ntest; what++) {
        int which = what < 0 ? ZW_CONT_FOLD : what;
        double found;
        if (!changes(watched(w, &w->here, which), watched(w, &w->next, which)))
            continue;
        w->sharp_what = ZW_CONT_NOTHING;
        ZW_TRY(locate(w, which, step, &found, err));
        w->info->lost += found < 0;
        if (found < 0)
            continue;
        int k = n++;
        for (; k > 0 && list[k - 1].h > found; k--)
            list[k] = list[k - 1];
        list[k] = (zero){which, found, w->sharp_h, w->sharp_what == which};
    }
    for (int i = 0; i < n; i++) {
        zw_status status = put_zero(w, &list[i], step, err);
        if (status == ZW_OK)
            status = hand_over(w, &w->sharp, list[i].what, LOCATED * (1 + fabs(list[i].h)), err);
        if (status < 0 || status == ZW_STOPPED)
            return status;
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------------------------ ends */

/* `next` lies beyond a bound: onto it, at fixed a, from the chord */
static zw_status land(walk *w, zw_error *err) {
    const zw_cont_problem *p = w->p;
    double bound = w->next.a > w->o.high ? w->o.high : w->o.low;
    double part = (bound - w->here.a) / (w->next.a - w->here.a);
    copy_place(w, &w->trial, &w->next);
    for (int k = 0; k < p->n; k++)
        w->trial.x[k] = w->here.x[k] + part * (w->next.x[k] - w->here.x[k]);
    w->trial.a = bound;
    w->trial.s = w->here.s + part * (w->next.s - w->here.s);
    set_fixed(w);
    zw_status status = correct(w, &w->trial, NEWTON_START, true, err);
    if (status == ZW_OK)
        status = ask_tests(w, &w->trial, err);
    if (status == ZW_OK) {
        w->trial.a = bound;
        swap_places(&w->next, &w->trial);
    }
    return status;
}

/* is the start between here and next, on the same curve in the same direction? */
static bool passes_start(const walk *w, double step) {
    const zw_cont_problem *p = w->p;
    if (w->info->points < 4 ||
        fabs(w->start.a - w->here.a) > (1 + CLOSE) * step * p->unit) /* too far off in any case */
        return false;
    double before, behind, off = 0;
    for (int k = 0; k <= p->n; k++)
        w->b[k] = (k < p->n ? w->start.x[k] : w->start.a) - (k < p->n ? w->here.x[k] : w->here.a);
    before = inner(p, w->b, w->here.tangent);
    off = length(p, w->b);
    for (int k = 0; k <= p->n; k++)
        w->b[k] = (k < p->n ? w->start.x[k] : w->start.a) - (k < p->n ? w->next.x[k] : w->next.a);
    behind = inner(p, w->b, w->next.tangent);
    return before > 0 && behind <= 0 && off <= (1 + CLOSE) * step &&
           off * off - before * before <= 0.01 * step * step &&
           inner(p, w->start.tangent, w->next.tangent) > TURN;
}

static double next_step(const walk *w, double h) {
    int order = w->used > 2 ? w->used : 2; /* a first step is short anyway */
    double factor = w->first > 0 ? pow(w->o.stray / w->first, 1. / (order + 1)) : GROWTH;
    h *= fmin(fmax(factor, 0.3), GROWTH);
    return fmin(fmax(h, w->o.step_min), w->o.step_max);
}

/* Lengths are measured anew from here on: the same step has another length, and tangents are as many times longer as it. */
static void measure_anew(walk *w, double *h) {
    const zw_cont_problem *p = w->p;
    if (!p->measure || !p->measure(asks(p), w->here.x, w->here.a))
        return;
    double by = length(p, w->here.tangent), start = length(p, w->start.tangent);
    for (int k = 0; k <= p->n; k++) {
        w->here.tangent[k] /= by;
        w->start.tangent[k] /= start;
        for (int i = 0; i < w->npast; i++)
            w->past[i][k] /= by;
    }
    for (int i = 0; i < w->npast; i++)
        w->past_step[i] *= by;
    *h = fmin(fmax(*h * by, w->o.step_min), w->o.step_max);
}

/* The unknowns may get another meaning here. */
static zw_status adapt(walk *w, zw_error *err) {
    const zw_cont_problem *p = w->p;
    double *list[ORDER_MAX + 3];
    int n = 0;
    bool moved = false;
    if (!p->adapt)
        return ZW_OK;
    list[n++] = w->here.x;
    list[n++] = w->here.tangent;
    for (int i = 0; i < w->npast; i++)
        list[n++] = w->past[i];
    list[n++] = w->start.x;
    list[n++] = w->start.tangent;
    w->here.x[p->n] = w->here.a;
    w->start.x[p->n] = w->start.a;
    ZW_TRY(p->adapt(p->self, w->here.a, n, list, &moved, err));
    return ZW_OK;
}

/* `here` becomes the point before */
static void remember(walk *w, double step) {
    double *oldest = w->past[ORDER_MAX - 1];
    for (int i = ORDER_MAX - 1; i > 0; i--) {
        w->past[i] = w->past[i - 1];
        w->past_step[i] = w->past_step[i - 1];
    }
    w->past[0] = oldest;
    w->past_step[0] = step;
    memcpy(oldest, w->here.tangent, sizeof(double) * (size_t)(w->p->n + 1));
    w->npast += w->npast < ORDER_MAX - 1;
}

/* one step: the length it took, the one to try next */
static zw_status advance(walk *w, double *h, double *taken, zw_error *err) {
    zw_error said = {0};
    for (; *h >= w->o.step_min; *h *= 0.5) {
        said = (zw_error){0};
        zw_status status = step_to(w, *h, &w->next, false, &said);
        if (status == ZW_OK) {
            *taken = *h;
            *h = next_step(w, *h);
            choose_order(w, *taken);
            return ZW_OK;
        }
        if (status < 0 && status != ZW_E_NONFINITE && status != ZW_E_SINGULAR &&
            status != ZW_E_NUMERIC) {
            if (err && !err->status)
                *err = said;
            return status;
        }
        w->info->rejected++;
        w->order = 2;
    }
    snprintf(w->info->why, sizeof w->info->why, "%.250s", said.text);
    return ZW_RETRY;
}

static zw_status begin(walk *w, double *x, double a, int direction, zw_error *err) {
    const zw_cont_problem *p = w->p;
    place *at = &w->here;
    memcpy(at->x, x, sizeof(double) * (size_t)p->n);
    at->a = a;
    zw_status status;
    if (w->o.toward) { /* at a fold there may be none at this a */
        set_plane(w, w->o.toward);
        status = correct(w, at, NEWTON_START, true, err);
    } else {
        status = find_at(w, at, err);
        at->a = a;
    }
    if (status == ZW_RETRY)
        return zw_fail(err, ZW_E_NUMERIC, "no solution was found near the start");
    ZW_TRY(status);
    status = find_tangent(w, at, true, err);
    if (status != ZW_OK)
        return zw_fail(err, ZW_E_NUMERIC, "the curve has no direction at its start");
    double along = w->o.toward ? inner(p, at->tangent, w->o.toward) : at->tangent[p->n] * direction;
    if (along < 0)
        for (int k = 0; k <= p->n; k++)
            at->tangent[k] = -at->tangent[k];
    /* of the plane across itself: the row in the metric */
    set_plane(w, at->tangent);
    ZW_TRY(ask_tests(w, at, err));
    copy_place(w, &w->start, at);
    return hand_over(w, at, ZW_CONT_NOTHING, 0, err);
}

static zw_status go(walk *w, zw_error *err) {
    double h = w->o.step, taken = 0;
    while (w->info->points < w->o.points_max) {
        zw_status status = advance(w, &h, &taken, err);
        w->info->step = taken;
        if (status == ZW_RETRY) {
            w->info->end = ZW_CONT_STUCK;
            return ZW_OK;
        }
        ZW_TRY(status);
        bool out = w->next.a > w->o.high || w->next.a < w->o.low;
        if (out) {
            status = land(w, err);
            if (status != ZW_OK && status >= 0) { /* a fold is near the bound: shorter */
                h = 0.25 * taken;
                if (h < w->o.step_min) { /* on it there may be none, or a family */
                    w->info->end = ZW_CONT_STUCK;
                    snprintf(w->info->why, sizeof w->info->why,
                             "the bound of the range cannot be reached");
                    return ZW_OK;
                }
                continue;
            }
            ZW_TRY(status);
        } else {
            ZW_TRY(ask_tests(w, &w->next, err));
        }
        if (w->o.locate && !w->o.natural) {
            status = tell_here(w, err);
            if (status == ZW_OK)
                status = tell_zeros(w, out ? w->next.s - w->here.s : taken, err);
            if (status == ZW_STOPPED)
                break;
            ZW_TRY(status);
        }
        bool closed = !out && passes_start(w, taken);
        remember(w, taken);
        swap_places(&w->here, closed ? &w->start : &w->next);
        if (closed)
            w->here.s = w->next.s;
        status = hand_over(w, &w->here, out ? ZW_CONT_BOUND : ZW_CONT_NOTHING, 0, err);
        ZW_TRY(status);
        if (closed || out || status == ZW_STOPPED) {
            w->info->end = closed ? ZW_CONT_CLOSED : out ? ZW_CONT_AT_BOUND : ZW_CONT_ASKED;
            return ZW_OK;
        }
        measure_anew(w, &h);
        ZW_TRY(adapt(w, err));
    }
    w->info->end = w->info->points < w->o.points_max ? ZW_CONT_ASKED : ZW_CONT_POINTS;
    return ZW_OK;
}

zw_status zw_continue(const zw_cont_problem *problem, const zw_cont_options *options, double *x,
                      double a, int direction, zw_cont_take take, void *user, zw_cont_info *info,
                      const zw_allocator *alloc, zw_error *err) {
    zw_arena arena;
    zw_cont_info own = {0};
    walk w = {.p = problem,
              .o = zw_cont_options_default(),
              .take = take,
              .user = user,
              .info = info ? info : &own};
    *w.info = (zw_cont_info){0};
    if (options)
        ZW_TRY(zw_options_adopt(&w.o, sizeof w.o, options, "zw_cont_options", err));
    if (w.o.order < 2 || w.o.order > ORDER_MAX)
        return zw_fail(err, ZW_E_OPTION, "predictions have an order of 2 to %d", ORDER_MAX);
    w.order = w.o.order;
    zw_arena_init(&arena, alloc);
    zw_status status = make_walk(&w, &arena, err);
    if (status >= 0)
        status = begin(&w, x, a, direction, err);
    if (status == ZW_STOPPED)
        w.info->end = ZW_CONT_ASKED;
    else if (status >= 0)
        status = go(&w, err);
    if (w.here.x)
        memcpy(x, w.here.x, sizeof(double) * (size_t)problem->n);
    zw_arena_clear(&arena);
    return status < 0 ? status : ZW_OK;
}

zw_status zw_cont_correct(const zw_cont_problem *problem, double tolerance, double *x, double a,
                          int *iterations, const zw_allocator *alloc, zw_error *err) {
    zw_arena arena;
    zw_cont_info info = {0};
    walk w = {.p = problem, .o = zw_cont_options_default(), .info = &info};
    w.o.tolerance = tolerance;
    zw_arena_init(&arena, alloc);
    zw_status status = make_walk(&w, &arena, err);
    if (status >= 0) {
        memcpy(w.here.x, x, sizeof(double) * (size_t)problem->n);
        w.here.a = a;
        status = find_at(&w, &w.here, err);
        memcpy(x, w.here.x, sizeof(double) * (size_t)problem->n);
        if (iterations)
            *iterations = w.here.iterations;
        if (status == ZW_RETRY)
            status = zw_fail(err, ZW_E_NUMERIC, "no solution was found near the start");
    }
    zw_arena_clear(&arena);
    return status < 0 ? status : ZW_OK;
}
