/* SPDX-License-Identifier: MIT */
/* Zeros of test functions between two points of a curve.
 *
 * A test function g that changes its sign between two points has its zero located in the length h
 * of the step from the first of the two. Every trial is corrected onto the curve: the Illinois
 * method locates the zero roughly, then the polynomial through six points around it is solved.
 * These points keep a distance: where curves cross, the matrix is singular at the zero itself, and
 * solutions close to it are inaccurate. The reported point lies on the same polynomials. Where they
 * disagree with those through four of the points, the Illinois method continues to the end.
 *
 * A function may pass zero and come back within a step. Where the parabola through its values at
 * the last three points has its extremum within the step, near zero or beyond, the extremum is
 * located by parabolas and golden sections. If the sign is the other one there, the step ends
 * there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "continuation.h"

enum {
    ILLINOIS_MAX = 60,  /* bisections alone would reach ZERO_INTERVAL in 37 */
    NODE_ROUNDS = 4,    /* distances of nodes tried, each a quarter of the one before */
    MINIMUM_TRIALS = 24 /* golden sections that reach a part of 1e-5 of the step */
};
/* Interval of s, relative to 1 + |s|, that is not divided any more: a tenth of the default
 * tolerance of the points. */
#define ZERO_INTERVAL 1e-11
/* A test function counts as zero relative to its values at the ends of the step: ZERO_INTERVAL of a
 * unit step. */
#define ZERO_VALUE 1e-11
/* The same for da/ds: at a fold a is stationary, so that this leaves 1e-16 in a. */
#define ZERO_SLOPE 1e-8
/* The least value found near a change of sign, relative to the ends: above, the sign changes by a
 * jump. Chosen by trial: separates jumps from zeros where a branch point lets no solution be found
 * nearby. */
#define JUMP_VALUE 1e-2
#define INTERPOLATED 0.1 /* interval, of a step, from which interpolation finds the zero */
/* The least value relative to the ends at which a zero counts as located, to about ZW_SAME_SOLUTION
 * of the step; otherwise its error is recorded. */
#define LOCATED_VALUE 1e-6
/* Error of a relative to its unit that is not worth recording: nothing prints more than nine
 * digits. */
#define PARAMETER_VISIBLE 1e-9
/* The function at an interpolated zero relative to its values at the nodes: interpolation of a
 * smooth function leaves much less, a corner between the nodes much more. */
#define CORNER_VALUE 0.01
/* Distance of the first nodes, of a step: the polynomial of degree five is then good to
 * ZERO_INTERVAL, and the points keep away from a singular matrix. */
#define NODE_DISTANCE 0.02
/* of the shortest rejected step: two zeros that are to be separated by a point; closer ones cost
 * more steps than they are worth */
#define ZEROS_APART 100
/* A test function may be zero on the bound if it is below this part of its value before; whether
 * the zero lies there is then measured in a. */
#define BOUND_VALUE 1e-3
/* Relative to the unit of a: a zero so near a bound is on it; the same as NODES_AGREE, by which the
 * interpolated zero is off at most. */
#define ON_BOUND 1e-7
/* Of a step: difference of the zeros by polynomials of degrees 3 and 5. The error of the higher one
 * is about the square of it. */
#define NODES_AGREE 1e-7

/* A return is possible if the vertex is below this part of the smaller end; chosen by trial:
 * separates functions that turn towards zero within the step from those that only vary. */
#define RETURN_POSSIBLE 0.6
#define VERTEX_MARGIN 0.25 /* of a step: beyond its ends, where the vertex may still be; by trial */
/* Sign that is not rounding, relative to the values at the ends: 100 ZW_ROUNDOFF_SUM. */
#define SIGN_CERTAIN 1e-10
/* of a step, not divided any more: some eps^(1/2), the error of any minimum */
#define MINIMUM_INTERVAL 1e-7
#define GOLDEN 0.382 /* 2 - golden ratio: of the larger interval */
/* Of the interval: shift of a trial at which there is no solution, as next to a branch point, and
 * the largest shift: three trials, then the best value so far is taken. */
#define SHIFT 0.07
#define SHIFT_MAX 0.2
#define ILLINOIS_SLOW 0.1 /* of the interval four trials before: if it is still longer, bisect */

static double watched_value(const zw_cont_state *w, const zw_cont_place *at, int what) {
    return what == ZW_CONT_FOLD    ? at->tangent[w->p->n]
           : what == ZW_CONT_BOUND ? (at->a - w->bound) / w->p->unit
                                   : at->test[what];
}

/* The function after a step of length h, with the point in `trial`; *known is false if there is no
 * such point. */
static zw_status evaluate_watched(zw_cont_state *w, int what, double h, double *g, bool *known,
                                  zw_error *err) {
    zw_error trouble = {0};
    zw_status status = zw_cont_step_to(w, h, &w->trial, true, &trouble);
    if (status == ZW_OK && what >= 0) /* a fold needs none of them */
        status = zw_cont_evaluate_tests(w, &w->trial, &trouble);
    *known = status == ZW_OK;
    *g = *known ? watched_value(w, &w->trial, what) : NAN;
    if (status != ZW_E_MEMORY)
        return ZW_OK;
    if (err && !err->status)
        *err = trouble;
    return status;
}

static const double offset[ZW_CONT_NODES] = {-1, 1, -2, 2, -3, 3};

/* The value at y of the polynomial through n points, by the scheme of Aitken and Neville. */
static double interpolate_neville(int n, const double *x, const double *value, double y) {
    double p[ZW_CONT_NODES];
    memcpy(p, value, sizeof(double) * (size_t)n);
    for (int k = 1; k < n; k++)
        for (int i = 0; i + k < n; i++)
            p[i] = ((y - x[i + k]) * p[i] + (x[i] - y) * p[i + 1]) / (x[i] - x[i + k]);
    return p[0];
}

/* Into `refined` the point at h on the polynomials through the nodes, which are at the lengths
 * `at`; `wrong` estimates its error. */
static void place_between(zw_cont_state *w, const double *at, double h, double wrong) {
    const zw_cont_problem *p = w->p;
    double weight[ZW_CONT_NODES], size;
    for (int k = 0; k < ZW_CONT_NODES; k++) {
        double unit[ZW_CONT_NODES] = {0};
        unit[k] = 1;
        weight[k] = interpolate_neville(ZW_CONT_NODES, at, unit, h);
    }
    memset(w->refined.x, 0, sizeof(double) * (size_t)p->n);
    memset(w->refined.tangent, 0, sizeof(double) * (size_t)(p->n + 1));
    w->refined.a = 0;
    for (int k = 0; k < ZW_CONT_NODES; k++) {
        for (int i = 0; i < p->n; i++)
            w->refined.x[i] += weight[k] * w->node[k].x[i];
        for (int i = 0; i <= p->n; i++)
            w->refined.tangent[i] += weight[k] * w->node[k].tangent[i];
        w->refined.a += weight[k] * w->node[k].a;
    }
    size = zw_cont_length(p, w->refined.tangent);
    for (int i = 0; i <= p->n; i++)
        w->refined.tangent[i] /= size;
    w->refined.s = w->here.s + h;
    w->refined.correction = wrong;
    w->refined.iterations = w->node[0].iterations;
}

/* Does the function at h agree with the nodes around it? Between them it may have a corner: two
 * real multipliers become a pair. Where curves cross, there may be no solution to evaluate. */
static zw_status confirm_zero(zw_cont_state *w, int what, double h, const double *g, bool *agrees,
                              zw_error *err) {
    double there, most = 0;
    bool known;
    for (int k = 0; k < ZW_CONT_NODES; k++)
        most = fmax(most, fabs(g[k]));
    ZW_TRY(evaluate_watched(w, what, h, &there, &known, err));
    *agrees = !known || !isfinite(there) || fabs(there) <= CORNER_VALUE * most;
    return ZW_OK;
}

/* The zero near *h, between low and high, into w->refined; *refined: interpolation found it. */
static zw_status interpolate_zero(zw_cont_state *w, int what, double step, double low, double high,
                                  double *h, bool *refined, zw_error *err) {
    double apart = NODE_DISTANCE * step, off = NODES_AGREE * step, at[ZW_CONT_NODES],
           g[ZW_CONT_NODES], near = *h;
    *refined = false;
    for (int round = 0; round < NODE_ROUNDS; round++, apart /= 4) {
        for (int k = 0; k < ZW_CONT_NODES; k++) {
            bool known;
            at[k] = near + apart * offset[k];
            ZW_TRY(evaluate_watched(w, what, at[k], &g[k], &known, err));
            if (!known || !isfinite(g[k]))
                return ZW_OK;
            zw_cont_copy_place(w, &w->node[k], &w->trial);
        }
        double root = interpolate_neville(ZW_CONT_NODES, g, at, 0),
               rough = interpolate_neville(ZW_CONT_NODES - 2, g, at, 0);
        /* another zero, or none: nodes closer together */
        if (!(root > low - off && root < high + off))
            continue;
        int half = ZW_CONT_NODES / 2; /* nodes on either side */
        bool agrees = fabs(root - near) <= half * apart && fabs(root - rough) <= NODES_AGREE * step;
        if (agrees)
            ZW_TRY(confirm_zero(w, what, root, g, &agrees, err));
        if (agrees) {
            place_between(w, at, root, fabs(root - rough));
            w->refined_what = what;
            w->refined_h = *h = root;
            *refined = true;
            return ZW_OK;
        }
        near = root;
    }
    return ZW_OK;
}

/* A zero at h, located within `width`: record the error of a there, by the parabola a(h) of this
 * step, whose vertex may be at the zero. */
static void note_rough(zw_cont_state *w, double step, double h, double width) {
    double slope = w->here.tangent[w->p->n], bend = (w->next.tangent[w->p->n] - slope) / step,
           by = width * (fabs(slope + bend * h) + 0.5 * fabs(bend) * width);
    if (!(by > PARAMETER_VISIBLE * w->p->unit) || w->info->rough++ > 0)
        return;
    w->info->rough_at = w->here.a + slope * h + 0.5 * bend * h * h;
    w->info->rough_by = by;
}

/* Between `here` (h = 0) and `next` (h = step): the length of the step to the zero of one function.
 * Negative: there is none, it jumps. Where branches cross, the matrix is singular at the zero, and
 * close to it there may be no solution: the nearest one counts. */
static zw_status locate_zero(zw_cont_state *w, int what, double step, double *found,
                             zw_error *err) {
    double low = 0, high = step, g_low = watched_value(w, &w->here, what),
           g_high = watched_value(w, &w->next, what), size = fmax(fabs(g_low), fabs(g_high)),
           best = INFINITY, shift = 0, wide = step;
    double at[3] = {low, high}, value[3] = {g_low, g_high}; /* the latest three, unmodified */
    int side = 0, last = 2;
    bool refined = false, tried = false;
    *found = -1;
    for (int i = 0; i < ILLINOIS_MAX; i++) {
        double g, h = (low * g_high - high * g_low) / (g_high - g_low) + shift * (high - low);
        bool known;
        if (last > 2 && shift == 0) { /* inverse quadratic interpolation through three of them */
            double bent = interpolate_neville(3, value, at, 0);
            h = bent > low && bent < high ? bent : h;
        }
        if (!(h > low && h < high) || (i % 4 == 3 && high - low > ILLINOIS_SLOW * wide))
            h = 0.5 * (low + high);
        wide = i % 4 == 3 ? high - low : wide;
        if (what != ZW_CONT_FOLD && !tried &&
            (high - low <= INTERPOLATED * step || best <= JUMP_VALUE * size)) {
            double root = h;
            ZW_TRY(interpolate_zero(w, what, step, low, high, &root, &refined, err));
            tried = true;
            if (refined) {
                *found = fmin(fmax(root, 0), step);
                return ZW_OK;
            }
        }
        ZW_TRY(evaluate_watched(w, what, h, &g, &known, err));
        if (!known || isnan(g)) { /* no point here: try a little further on */
            if (shift > SHIFT_MAX)
                break;
            shift += SHIFT;
            continue;
        }
        shift = 0;
        if (fabs(g) < best) {
            best = fabs(g);
            *found = h;
        }
        at[last % 3] = h;
        value[last++ % 3] = g;
        if (fabs(g) <= (what == ZW_CONT_FOLD ? ZERO_SLOPE : ZERO_VALUE) * size ||
            high - low <= ZERO_INTERVAL * (1 + fabs(w->here.s)))
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
    if (!(best <= JUMP_VALUE * size))
        *found = -1;
    if (*found >= 0 && what >= 0 && !(best <= LOCATED_VALUE * size))
        note_rough(w, step, *found, high - low);
    return ZW_OK;
}

static bool has_sign_change(double a, double b) {
    return isfinite(a) && isfinite(b) && ((a < 0 && b > 0) || (a > 0 && b < 0));
}

bool zw_cont_explains(int change, int ones, int pairs) {
    int n = abs(change);
    return n <= ones + 2 * pairs && (n - ones) % 2 == 0;
}

bool zw_cont_changes(const zw_cont_point *from, const zw_cont_point *to, int what) {
    return what == ZW_CONT_FOLD ? has_sign_change(from->slope, to->slope)
                                : has_sign_change(from->test[what], to->test[what]);
}

/* Compute the point of a zero in w->refined, unless it is there already. */
static zw_status place_zero(zw_cont_state *w, const zw_cont_zero *z, double step, zw_error *err) {
    bool refined = w->refined_what == z->what && w->refined_h == z->exact;
    double h = z->h;
    if (z->refined && !refined)
        ZW_TRY(interpolate_zero(w, z->what, step, z->exact, z->exact, &h, &refined, err));
    if (!refined) {
        zw_status status = zw_cont_step_to(w, h, &w->trial, true, err);
        if (status != ZW_OK)
            return status;
        zw_cont_copy_place(w, &w->refined, &w->trial);
        w->refined_what = ZW_CONT_NOTHING;
    }
    double off = fmax(w->refined.a - w->o.high, w->o.low - w->refined.a);
    if (off > 0 && off <= ON_BOUND * w->p->unit)
        w->refined.a = fmin(fmax(w->refined.a, w->o.low), w->o.high);
    return zw_cont_evaluate_tests(w, &w->refined, err);
}

double zw_cont_before(const zw_cont_state *w, int what) {
    double here = watched_value(w, &w->here, what);
    return here != 0 ? here : w->last_test[what == ZW_CONT_FOLD ? 0 : what + 1];
}

/* Does the problem confirm this zero? */
static zw_status is_zero(zw_cont_state *w, const zw_cont_place *at, int what, bool *yes,
                         zw_error *err) {
    const zw_cont_problem *p = w->p;
    zw_cont_point point = zw_cont_point_of(w, at, what, 0);
    *yes = true;
    return p->confirm ? p->confirm(zw_cont_tests_self(p), &point, yes, err) : ZW_OK;
}

zw_status zw_cont_report_here(zw_cont_state *w, zw_error *err) {
    for (int what = -1; what < w->p->ntest; what++) {
        int which = what < 0 ? ZW_CONT_FOLD : what;
        if (watched_value(w, &w->here, which) != 0 ||
            !has_sign_change(w->last_test[what + 1], watched_value(w, &w->next, which)))
            continue;
        bool yes;
        if (w->p->confirm) /* it uses what its test functions have left */
            ZW_TRY(zw_cont_evaluate_tests(w, &w->here, err));
        ZW_TRY(is_zero(w, &w->here, which, &yes, err));
        if (!yes && w->info->unsplit++ == 0) {
            w->info->unsplit_at = w->here.a;
            w->info->unsplit_by = 0;
        }
        if (!yes)
            continue;
        zw_status status = zw_cont_report(w, &w->here, which, 0, err);
        if (status < 0 || status == ZW_STOPPED)
            return status;
    }
    for (int what = -1; what < w->p->ntest; what++)
        w->last_test[what + 1] = watched_value(w, &w->here, what < 0 ? ZW_CONT_FOLD : what);
    return ZW_OK;
}

/* Keep the zeros that the problem confirms. */
static zw_status confirm_zeros(zw_cont_state *w, double step, bool force, bool *yes,
                               zw_error *err) {
    const zw_cont_problem *p = w->p;
    int n = 0;
    for (int i = 0; i < w->nzero && p->confirm; i++) {
        bool is_one = true;
        zw_status status = place_zero(w, &w->zero[i], step, err);
        ZW_TRY(status);
        if (status == ZW_OK)
            ZW_TRY(is_zero(w, &w->refined, w->zero[i].what, &is_one, err));
        *yes &= is_one || force;
        if (!*yes)
            return ZW_OK;
        if (is_one)
            w->zero[n++] = w->zero[i];
    }
    w->nzero = p->confirm ? n : w->nzero;
    return ZW_OK;
}

/* Are zeros so far apart that a point between them would separate them? `here` may be one. */
static bool are_separated(const zw_cont_state *w) {
    double last = w->nzero > 0 ? w->zero[0].h : 0;
    for (int what = -1; what < w->p->ntest && w->nzero > 0; what++) {
        int which = what < 0 ? ZW_CONT_FOLD : what;
        if (watched_value(w, &w->here, which) == 0 && isfinite(w->last_test[what + 1]))
            last = 0;
    }
    for (int i = 0; i < w->nzero; i++) {
        if (w->zero[i].h - last > ZEROS_APART * w->o.split)
            return true;
        last = w->zero[i].h;
    }
    return false;
}

/* Has this function's zero been located on the bound already? */
static bool is_on_edge(const zw_cont_state *w, int what) {
    for (int i = 0; i < w->nedge; i++)
        if (w->edge[i].what == what)
            return true;
    return false;
}

zw_status zw_cont_find_zeros(zw_cont_state *w, double step, bool force, bool *yes, zw_error *err) {
    int n = 0;
    for (int what = -1; what < w->p->ntest; what++) {
        int which = what < 0 ? ZW_CONT_FOLD : what;
        double found;
        if (!has_sign_change(watched_value(w, &w->here, which),
                             watched_value(w, &w->next, which)) ||
            is_on_edge(w, which))
            continue;
        w->refined_what = ZW_CONT_NOTHING;
        ZW_TRY(locate_zero(w, which, step, &found, err));
        w->info->lost += found < 0;
        if (found < 0) { /* a jump, or a step to another curve: a shorter one decides */
            *yes &= !w->p->confirm || force;
            continue;
        }
        int k = n++;
        for (; k > 0 && w->zero[k - 1].h > found; k--)
            w->zero[k] = w->zero[k - 1];
        w->zero[k] = (zw_cont_zero){which, found, w->refined_h, w->refined_what == which};
    }
    for (int i = 0; i < w->nedge; i++)
        w->zero[n++] = w->edge[i];
    w->nzero = n;
    if (*yes)
        ZW_TRY(confirm_zeros(w, step, force, yes, err));
    if (w->p->confirm && !force && are_separated(w))
        *yes = false;
    return ZW_OK;
}

/* The vertex of the parabola through three points, and its value there; NaN if it is no minimum. */
static double find_vertex(const double *x, const double *y, double *value) {
    double first = (y[1] - y[0]) / (x[1] - x[0]), second = (y[2] - y[1]) / (x[2] - x[1]),
           bend = (second - first) / (x[2] - x[0]),
           at = bend > 0 ? 0.5 * (x[0] + x[1] - first / bend) : NAN;
    *value = y[0] + (at - x[0]) * (first + bend * (at - x[1]));
    return at;
}

/* By the point before `here`: may a function pass zero within the step and come back? */
static bool may_return(const zw_cont_state *w, int what, double step) {
    double here = watched_value(w, &w->here, what), next = watched_value(w, &w->next, what),
           sign = here < 0 ? -1 : 1, least;
    if (w->npast == 0 || !(here * next > 0))
        return false;
    double x[3] = {-w->past_step[0], 0, step},
           y[3] = {sign * w->last_test[what + 1], sign * here, sign * next},
           at = find_vertex(x, y, &least);
    return at > -VERTEX_MARGIN * step && at < (1 + VERTEX_MARGIN) * step &&
           least < RETURN_POSSIBLE * fmin(y[1], y[2]);
}

/* The minimum of sign * function within the step; w->sign_inside is where it is below zero. */
static zw_status find_minimum(zw_cont_state *w, int what, double step, zw_error *err) {
    double here = watched_value(w, &w->here, what), next = watched_value(w, &w->next, what),
           sign = here < 0 ? -1 : 1, open = SIGN_CERTAIN * fmax(fabs(here), fabs(next)), value;
    double x[3] = {0, 0, step}, y[3] = {fabs(here), INFINITY, fabs(next)};
    for (int i = 0; i < MINIMUM_TRIALS && x[2] - x[0] > MINIMUM_INTERVAL * step; i++) {
        bool known, left = x[1] - x[0] > x[2] - x[1];
        double g, h = i > 0 && i % 3 ? find_vertex(x, y, &value) : NAN;
        if (!(h > x[0] && h < x[2]) || fabs(h - x[1]) < MINIMUM_INTERVAL * step)
            h = i == 0 ? 0.5 * step : x[1] + GOLDEN * (left ? x[0] - x[1] : x[2] - x[1]);
        ZW_TRY(evaluate_watched(w, what, h, &g, &known, err));
        if (!known || isnan(g))
            return ZW_OK;
        if (sign * g < -open) {
            w->sign_inside = h;
            return ZW_OK;
        }
        bool lower = sign * g < y[1];
        int end = (h < x[1]) == lower ? 2 : 0; /* the end that moves: to the old middle, or to h */
        if (i > 0) {
            x[end] = lower ? x[1] : h;
            y[end] = lower ? y[1] : sign * g;
        }
        x[1] = lower ? h : x[1];
        y[1] = lower ? sign * g : y[1];
    }
    return ZW_OK;
}

zw_status zw_cont_find_return(zw_cont_state *w, double step, bool *yes, zw_error *err) {
    for (int what = 0; what < w->p->ntest && isnan(w->sign_inside); what++)
        if (may_return(w, what, step))
            ZW_TRY(find_minimum(w, what, step, err));
    *yes = isnan(w->sign_inside);
    return ZW_OK;
}

zw_status zw_cont_find_edge(zw_cont_state *w, double step, zw_error *err) {
    zw_error ignored = {0};
    if (w->p->ntest == 0 || !w->o.locate || w->o.natural)
        return ZW_OK;
    zw_status status = zw_cont_evaluate_tests(w, &w->next, &ignored);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    for (int what = 0; status == ZW_OK && what < w->p->ntest; what++) {
        double before = zw_cont_before(w, what), on = watched_value(w, &w->on_bound, what),
               found = 0;
        if (!has_sign_change(before, watched_value(w, &w->next, what)) ||
            !(fabs(on) <= BOUND_VALUE * fabs(before)))
            continue;
        w->refined_what = ZW_CONT_NOTHING;
        if (watched_value(w, &w->here, what) != 0)
            ZW_TRY(locate_zero(w, what, step, &found, err));
        zw_cont_zero zero = {what, found, w->refined_h, w->refined_what == what};
        zw_status put = found < 0 ? ZW_RETRY : place_zero(w, &zero, step, &ignored);
        if (put == ZW_OK && fabs(w->refined.a - w->bound) <= ON_BOUND * w->p->unit)
            w->edge[w->nedge++] = zero;
    }
    return ZW_OK;
}

zw_status zw_cont_report_zeros(zw_cont_state *w, double step, zw_error *err) {
    for (int i = 0; i < w->nzero; i++) {
        const zw_cont_zero *z = &w->zero[i];
        zw_status status = place_zero(w, z, step, err);
        if (status == ZW_OK)
            status = zw_cont_report(w, &w->refined, z->what, ZERO_INTERVAL * (1 + fabs(z->h)), err);
        if (status < 0 || status == ZW_STOPPED)
            return status;
    }
    return ZW_OK;
}

zw_status zw_cont_find_bound(zw_cont_state *w, double step, double *found, zw_error *err) {
    int rough = w->info->rough;
    w->refined_what = ZW_CONT_NOTHING;
    ZW_TRY(locate_zero(w, ZW_CONT_BOUND, step, found, err));
    w->info->rough = rough;
    if (*found < 0 || w->refined_what == ZW_CONT_BOUND)
        return ZW_OK;
    zw_error trouble = {0};
    zw_status status = zw_cont_step_to(w, *found, &w->refined, true, &trouble);
    *found = status == ZW_OK ? *found : -1;
    return status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : ZW_OK;
}
