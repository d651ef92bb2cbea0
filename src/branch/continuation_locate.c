/* SPDX-License-Identifier: MIT */
/* Where something happens between two points of a curve.
 *
 * A test function g that changes its sign between two points has its zero located in the length h
 * of the step from the first of the two, every trial being corrected onto the curve: roughly by the
 * method of Illinois, then by the polynomial through six points around it, not too near: where
 * curves cross, the matrix is singular at the zero itself, and what is found close to it is poor.
 * The point that is told lies on the same polynomials. Where they do not agree with those through
 * four of the points, the method of Illinois goes on to the end.
 *
 * A function may pass zero and come back within a step. Where the parabola through its values at
 * the last three points has its extremum within the step, near zero or beyond, the extremum is
 * looked for by parabolas and golden sections. If the sign is the other one there, the step ends
 * there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "branch/curve.h"
#include "continuation.h"

enum { TRIALS_MAX = 60, ROUNDS = 4, LOOKS = 24 };
#define LOCATED 1e-11 /* of the size of s: an interval that is not divided any more */
#define ZERO 1e-11    /* of the values at its ends: a test function is zero */
#define TURNS 1e-8    /* of them: so near to a fold a is different by the square of it */
#define JUMP 1e-2     /* of them: its sign changes by a jump */
#define ROUGH 0.1     /* of a step: known so well, a zero is found by interpolation */
#define FINE 1e-6     /* of the values at the ends of a step: a zero is located */
#define SEEN 1e-9     /* of the unit of a: nobody sees less */
#define CORNER 0.01   /* of the values around a zero: what it may have there */
#define APART 0.02    /* of a step: between its points */
#define PARTED 100    /* of the shortest step that is refused: between two zeros */
#define EDGE 1e-3     /* of its value before: a test function may be zero on the bound, */
#define ON_BOUND 1e-7 /* of the unit of a: where it is */
#define AGREE                                                                                      \
    1e-7 /* of a step: polynomials of two degrees; what the higher one is wrong by is much less */

#define APPROACH 0.6 /* of the smaller value at both ends: nearer to zero it may pass it */
#define MARGIN 0.25  /* of a step: the extremum of a parabola may be off by this */
#define CLEAR 1e-10  /* of the values at its ends: a sign that is not rounding */
#define NARROW 1e-7  /* of a step: an interval that is not divided any more */
#define GOLD 0.382   /* of an interval */

static double watched_value(const zw_cont_walk *w, const zw_cont_place *at, int what) {
    return what == ZW_CONT_FOLD    ? at->tangent[w->p->n]
           : what == ZW_CONT_BOUND ? (at->a - w->bound) / w->p->unit
                                   : at->test[what];
}

/* the function at a step of length h, into `trial`; false: there is no such point */
static zw_status evaluate_watched(zw_cont_walk *w, int what, double h, double *g, bool *known,
                                  zw_error *err) {
    zw_error trouble = {0};
    zw_status status = zw_cont_step_to(w, h, &w->trial, true, &trouble);
    if (status == ZW_OK && what >= 0) /* a fold is seen without them */
        status = zw_cont_ask_tests(w, &w->trial, &trouble);
    *known = status == ZW_OK;
    *g = *known ? watched_value(w, &w->trial, what) : NAN;
    if (status != ZW_E_MEMORY)
        return ZW_OK;
    if (err && !err->status)
        *err = trouble;
    return status;
}

static const double offset[ZW_CONT_NODES] = {-1, 1, -2, 2, -3, 3};

/* the value at y of the polynomial through n points, by A. C. Aitken's and E. H. Neville's
 * scheme */
static double interpolate_neville(int n, const double *x, const double *value, double y) {
    double p[ZW_CONT_NODES];
    memcpy(p, value, sizeof(double) * (size_t)n);
    for (int k = 1; k < n; k++)
        for (int i = 0; i + k < n; i++)
            p[i] = ((y - x[i + k]) * p[i] + (x[i] - y) * p[i + 1]) / (x[i] - x[i + k]);
    return p[0];
}

/* the place at h on the polynomials through the nodes, which are at the lengths at */
static void put_between(zw_cont_walk *w, const double *at, double h, double wrong) {
    const zw_cont_problem *p = w->p;
    double weight[ZW_CONT_NODES], size;
    for (int k = 0; k < ZW_CONT_NODES; k++) {
        double unit[ZW_CONT_NODES] = {0};
        unit[k] = 1;
        weight[k] = interpolate_neville(ZW_CONT_NODES, at, unit, h);
    }
    memset(w->sharp.x, 0, sizeof(double) * (size_t)p->n);
    memset(w->sharp.tangent, 0, sizeof(double) * (size_t)(p->n + 1));
    w->sharp.a = 0;
    for (int k = 0; k < ZW_CONT_NODES; k++) {
        for (int i = 0; i < p->n; i++)
            w->sharp.x[i] += weight[k] * w->node[k].x[i];
        for (int i = 0; i <= p->n; i++)
            w->sharp.tangent[i] += weight[k] * w->node[k].tangent[i];
        w->sharp.a += weight[k] * w->node[k].a;
    }
    size = zw_cont_length(p, w->sharp.tangent);
    for (int i = 0; i <= p->n; i++)
        w->sharp.tangent[i] /= size;
    w->sharp.s = w->here.s + h;
    w->sharp.correction = wrong;
    w->sharp.iterations = w->node[0].iterations;
}

/* Is the function there what the nodes around it say? Between them it may have a corner: two real
 * multipliers become a pair. Where curves cross, there may be no point to look at. */
static zw_status confirm_zero(zw_cont_walk *w, int what, double h, const double *g, bool *agrees,
                              zw_error *err) {
    double there, most = 0;
    bool known;
    for (int k = 0; k < ZW_CONT_NODES; k++)
        most = fmax(most, fabs(g[k]));
    ZW_TRY(evaluate_watched(w, what, h, &there, &known, err));
    *agrees = !known || !isfinite(there) || fabs(there) <= CORNER * most;
    return ZW_OK;
}

/* The zero near *h, between low and high, into w->sharp; *sharp: it is one. */
static zw_status sharpen_zero(zw_cont_walk *w, int what, double step, double low, double high,
                              double *h, bool *sharp, zw_error *err) {
    double apart = APART * step, off = AGREE * step, at[ZW_CONT_NODES], g[ZW_CONT_NODES], near = *h;
    *sharp = false;
    for (int round = 0; round < ROUNDS; round++, apart /= 4) {
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
        if (!(root > low - off && root < high + off)) /* another zero, or none: nearer */
            continue;
        int half = ZW_CONT_NODES / 2; /* nodes on either side */
        bool agrees = fabs(root - near) <= half * apart && fabs(root - rough) <= AGREE * step;
        if (agrees)
            ZW_TRY(confirm_zero(w, what, root, g, &agrees, err));
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

/* A zero at h, known to a width: how well a is known there, by the parabola through both points,
 * which may turn at it. */
static void note_rough(zw_cont_walk *w, double step, double h, double width) {
    double slope = w->here.tangent[w->p->n], bend = (w->next.tangent[w->p->n] - slope) / step,
           by = width * (fabs(slope + bend * h) + 0.5 * fabs(bend) * width);
    if (!(by > SEEN * w->p->unit) || w->info->rough++ > 0)
        return;
    w->info->rough_at = w->here.a + slope * h + 0.5 * bend * h * h;
    w->info->rough_by = by;
}

/* Between `here` (h = 0) and `next` (h = step): the length of the step to the zero of one function.
 * Negative: there is none, it jumps. Where branches cross, the matrix is singular at the zero, and
 * close to it no point may be found: the nearest counts. */
static zw_status locate_zero(zw_cont_walk *w, int what, double step, double *found, zw_error *err) {
    double low = 0, high = step, g_low = watched_value(w, &w->here, what),
           g_high = watched_value(w, &w->next, what), size = fmax(fabs(g_low), fabs(g_high)),
           best = INFINITY, aside = 0, wide = step;
    double at[3] = {low, high}, value[3] = {g_low, g_high}; /* the last ones, as they are */
    int side = 0, last = 2;
    bool sharp = false, tried = false;
    *found = -1;
    for (int i = 0; i < TRIALS_MAX; i++) {
        double g, h = (low * g_high - high * g_low) / (g_high - g_low) + aside * (high - low);
        bool known;
        if (last > 2 && aside == 0) { /* a parabola through three of them, lying on its side */
            double bent = interpolate_neville(3, value, at, 0);
            h = bent > low && bent < high ? bent : h;
        }
        if (!(h > low && h < high) || (i % 4 == 3 && high - low > 0.1 * wide))
            h = 0.5 * (low + high);
        wide = i % 4 == 3 ? high - low : wide;
        if (what != ZW_CONT_FOLD && !tried && (high - low <= ROUGH * step || best <= JUMP * size)) {
            double root = h;
            ZW_TRY(sharpen_zero(w, what, step, low, high, &root, &sharp, err));
            tried = true;
            if (sharp) {
                *found = fmin(fmax(root, 0), step);
                return ZW_OK;
            }
        }
        ZW_TRY(evaluate_watched(w, what, h, &g, &known, err));
        if (!known || isnan(g)) { /* a little beside it */
            if (aside > 0.2)
                break;
            aside += 0.07;
            continue;
        }
        aside = 0;
        if (fabs(g) < best) {
            best = fabs(g);
            *found = h;
        }
        at[last % 3] = h;
        value[last++ % 3] = g;
        if (fabs(g) <= (what == ZW_CONT_FOLD ? TURNS : ZERO) * size ||
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
    if (*found >= 0 && what >= 0 && !(best <= FINE * size))
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

/* the place of a zero into w->sharp, where it may be already */
static zw_status put_zero(zw_cont_walk *w, const zw_cont_zero *z, double step, zw_error *err) {
    bool sharp = w->sharp_what == z->what && w->sharp_h == z->exact;
    double h = z->h;
    if (z->sharp && !sharp)
        ZW_TRY(sharpen_zero(w, z->what, step, z->exact, z->exact, &h, &sharp, err));
    if (!sharp) {
        zw_status status = zw_cont_step_to(w, h, &w->trial, true, err);
        if (status != ZW_OK)
            return status;
        zw_cont_copy_place(w, &w->sharp, &w->trial);
        w->sharp_what = ZW_CONT_NOTHING;
    }
    double off = fmax(w->sharp.a - w->o.high, w->o.low - w->sharp.a);
    if (off > 0 && off <= ON_BOUND * w->p->unit)
        w->sharp.a = fmin(fmax(w->sharp.a, w->o.low), w->o.high);
    return zw_cont_ask_tests(w, &w->sharp, err);
}

/* `here` itself is a zero, between values of different signs: a step has met it exactly */
double zw_cont_before(const zw_cont_walk *w, int what) {
    double here = watched_value(w, &w->here, what);
    return here != 0 ? here : w->told[what == ZW_CONT_FOLD ? 0 : what + 1];
}

/* is what was located, or met, a zero by the problem? */
static zw_status is_zero(zw_cont_walk *w, const zw_cont_place *at, int what, bool *yes,
                         zw_error *err) {
    const zw_cont_problem *p = w->p;
    zw_cont_point point = zw_cont_point_of(w, at, what, 0);
    *yes = true;
    return p->confirm ? p->confirm(zw_cont_asks(p), &point, yes, err) : ZW_OK;
}

zw_status zw_cont_report_here(zw_cont_walk *w, zw_error *err) {
    for (int what = -1; what < w->p->ntest; what++) {
        int which = what < 0 ? ZW_CONT_FOLD : what;
        if (watched_value(w, &w->here, which) != 0 ||
            !has_sign_change(w->told[what + 1], watched_value(w, &w->next, which)))
            continue;
        bool yes;
        if (w->p->confirm) /* it looks at what its test functions left */
            ZW_TRY(zw_cont_ask_tests(w, &w->here, err));
        ZW_TRY(is_zero(w, &w->here, which, &yes, err));
        if (!yes && w->info->unsplit++ == 0) {
            w->info->unsplit_at = w->here.a;
            w->info->unsplit_by = 0;
        }
        if (!yes)
            continue;
        zw_status status = zw_cont_hand_over(w, &w->here, which, 0, err);
        if (status < 0 || status == ZW_STOPPED)
            return status;
    }
    for (int what = -1; what < w->p->ntest; what++)
        w->told[what + 1] = watched_value(w, &w->here, what < 0 ? ZW_CONT_FOLD : what);
    return ZW_OK;
}

/* Which of them are zeros, by the problem? */
static zw_status confirm_zeros(zw_cont_walk *w, double step, bool force, bool *yes, zw_error *err) {
    const zw_cont_problem *p = w->p;
    int n = 0;
    for (int i = 0; i < w->nzero && p->confirm; i++) {
        bool is_one = true;
        zw_status status = put_zero(w, &w->zero[i], step, err);
        ZW_TRY(status);
        if (status == ZW_OK)
            ZW_TRY(is_zero(w, &w->sharp, w->zero[i].what, &is_one, err));
        *yes &= is_one || force;
        if (!*yes)
            return ZW_OK;
        if (is_one)
            w->zero[n++] = w->zero[i];
    }
    w->nzero = p->confirm ? n : w->nzero;
    return ZW_OK;
}

/* Do zeros lie apart, so that a point between them would tell more? `here` may be one. */
static bool lie_apart(const zw_cont_walk *w) {
    double last = w->nzero > 0 ? w->zero[0].h : 0;
    for (int what = -1; what < w->p->ntest && w->nzero > 0; what++) {
        int which = what < 0 ? ZW_CONT_FOLD : what;
        if (watched_value(w, &w->here, which) == 0 && isfinite(w->told[what + 1]))
            last = 0;
    }
    for (int i = 0; i < w->nzero; i++) {
        if (w->zero[i].h - last > PARTED * w->o.split)
            return true;
        last = w->zero[i].h;
    }
    return false;
}

/* was it located on the bound already? */
static bool is_on_edge(const zw_cont_walk *w, int what) {
    for (int i = 0; i < w->nedge; i++)
        if (w->edge[i].what == what)
            return true;
    return false;
}

zw_status zw_cont_find_zeros(zw_cont_walk *w, double step, bool force, bool *yes, zw_error *err) {
    int n = 0;
    for (int what = -1; what < w->p->ntest; what++) {
        int which = what < 0 ? ZW_CONT_FOLD : what;
        double found;
        if (!has_sign_change(watched_value(w, &w->here, which),
                             watched_value(w, &w->next, which)) ||
            is_on_edge(w, which))
            continue;
        w->sharp_what = ZW_CONT_NOTHING;
        ZW_TRY(locate_zero(w, which, step, &found, err));
        w->info->lost += found < 0;
        if (found < 0) { /* a jump, or to another curve: a shorter step tells */
            *yes &= !w->p->confirm || force;
            continue;
        }
        int k = n++;
        for (; k > 0 && w->zero[k - 1].h > found; k--)
            w->zero[k] = w->zero[k - 1];
        w->zero[k] = (zw_cont_zero){which, found, w->sharp_h, w->sharp_what == which};
    }
    for (int i = 0; i < w->nedge; i++)
        w->zero[n++] = w->edge[i];
    w->nzero = n;
    if (*yes)
        ZW_TRY(confirm_zeros(w, step, force, yes, err));
    if (w->p->confirm && !force && lie_apart(w))
        *yes = false;
    return ZW_OK;
}

/* the extremum of the parabola through three points, and its value there; NaN if it is no
 * minimum */
static double find_vertex(const double *x, const double *y, double *value) {
    double first = (y[1] - y[0]) / (x[1] - x[0]), second = (y[2] - y[1]) / (x[2] - x[1]),
           bend = (second - first) / (x[2] - x[0]),
           at = bend > 0 ? 0.5 * (x[0] + x[1] - first / bend) : NAN;
    *value = y[0] + (at - x[0]) * (first + bend * (at - x[1]));
    return at;
}

/* by the point before `here`: may one function pass zero and come back? */
static bool may_return(const zw_cont_walk *w, int what, double step) {
    double here = watched_value(w, &w->here, what), next = watched_value(w, &w->next, what),
           sign = here < 0 ? -1 : 1, least;
    if (w->npast == 0 || !(here * next > 0))
        return false;
    double x[3] = {-w->past_step[0], 0, step},
           y[3] = {sign * w->told[what + 1], sign * here, sign * next},
           at = find_vertex(x, y, &least);
    return at > -MARGIN * step && at < (1 + MARGIN) * step && least < APPROACH * fmin(y[1], y[2]);
}

/* The least of sign * function within the step: w->inside where it is below zero. */
static zw_status look_for_return(zw_cont_walk *w, int what, double step, zw_error *err) {
    double here = watched_value(w, &w->here, what), next = watched_value(w, &w->next, what),
           sign = here < 0 ? -1 : 1, open = CLEAR * fmax(fabs(here), fabs(next)), value;
    double x[3] = {0, 0, step}, y[3] = {fabs(here), INFINITY, fabs(next)};
    for (int i = 0; i < LOOKS && x[2] - x[0] > NARROW * step; i++) {
        bool known, left = x[1] - x[0] > x[2] - x[1];
        double g, h = i > 0 && i % 3 ? find_vertex(x, y, &value) : NAN;
        if (!(h > x[0] && h < x[2]) || fabs(h - x[1]) < NARROW * step)
            h = i == 0 ? 0.5 * step : x[1] + GOLD * (left ? x[0] - x[1] : x[2] - x[1]);
        ZW_TRY(evaluate_watched(w, what, h, &g, &known, err));
        if (!known || isnan(g))
            return ZW_OK;
        if (sign * g < -open) {
            w->inside = h;
            return ZW_OK;
        }
        bool lower = sign * g < y[1];
        int end = (h < x[1]) == lower ? 2 : 0; /* that moves: to the old middle, or to h */
        if (i > 0) {
            x[end] = lower ? x[1] : h;
            y[end] = lower ? y[1] : sign * g;
        }
        x[1] = lower ? h : x[1];
        y[1] = lower ? sign * g : y[1];
    }
    return ZW_OK;
}

zw_status zw_cont_find_return(zw_cont_walk *w, double step, bool *yes, zw_error *err) {
    for (int what = 0; what < w->p->ntest && isnan(w->inside); what++)
        if (may_return(w, what, step))
            ZW_TRY(look_for_return(w, what, step, err));
    *yes = isnan(w->inside);
    return ZW_OK;
}

zw_status zw_cont_find_edge(zw_cont_walk *w, double step, zw_error *err) {
    zw_error ignored = {0};
    if (w->p->ntest == 0 || !w->o.locate || w->o.natural)
        return ZW_OK;
    zw_status status = zw_cont_ask_tests(w, &w->next, &ignored);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    for (int what = 0; status == ZW_OK && what < w->p->ntest; what++) {
        double before = zw_cont_before(w, what), on = watched_value(w, &w->landed, what), found = 0;
        if (!has_sign_change(before, watched_value(w, &w->next, what)) ||
            !(fabs(on) <= EDGE * fabs(before)))
            continue;
        w->sharp_what = ZW_CONT_NOTHING;
        if (watched_value(w, &w->here, what) != 0)
            ZW_TRY(locate_zero(w, what, step, &found, err));
        zw_cont_zero zero = {what, found, w->sharp_h, w->sharp_what == what};
        zw_status put = found < 0 ? ZW_RETRY : put_zero(w, &zero, step, &ignored);
        if (put == ZW_OK && fabs(w->sharp.a - w->bound) <= ON_BOUND * w->p->unit)
            w->edge[w->nedge++] = zero;
    }
    return ZW_OK;
}

zw_status zw_cont_report_zeros(zw_cont_walk *w, double step, zw_error *err) {
    for (int i = 0; i < w->nzero; i++) {
        const zw_cont_zero *z = &w->zero[i];
        zw_status status = put_zero(w, z, step, err);
        if (status == ZW_OK)
            status = zw_cont_hand_over(w, &w->sharp, z->what, LOCATED * (1 + fabs(z->h)), err);
        if (status < 0 || status == ZW_STOPPED)
            return status;
    }
    return ZW_OK;
}

zw_status zw_cont_find_bound(zw_cont_walk *w, double step, double *found, zw_error *err) {
    int rough = w->info->rough;
    w->sharp_what = ZW_CONT_NOTHING;
    ZW_TRY(locate_zero(w, ZW_CONT_BOUND, step, found, err));
    w->info->rough = rough;
    if (*found < 0 || w->sharp_what == ZW_CONT_BOUND)
        return ZW_OK;
    zw_error trouble = {0};
    zw_status status = zw_cont_step_to(w, *found, &w->sharp, true, &trouble);
    *found = status == ZW_OK ? *found : -1;
    return status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : ZW_OK;
}
