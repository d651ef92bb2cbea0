/* SPDX-License-Identifier: MIT */
/* Special points between two points whose eigenvalues are matched:
 *
 *   - the real part of a track changes its sign, or passes zero and comes back: its extremum is
 *     located where the slopes at both ends lead towards the axis;
 *   - two tracks coalesce. Near such a value they are sum/2 +- sqrt(d)/2 with
 *     d = (lambda_1 - lambda_2)^2; sum and d are analytic there, while the eigenvalues are not. d
 *     is real if both are real (d > 0), conjugate (d < 0), or both on the imaginary axis (d < 0),
 *     and it changes its sign where they coalesce; two changes between two points show in its
 *     extremum. Where d only touches zero the tracks cross, each with its own eigenvector, and no
 *     special point is recorded.
 *
 * A sign that may be rounding does not count: the last clear one is remembered. Zeros by R. P.
 * Brent, Algorithms for Minimization without Derivatives, 1973. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "eigen_track.h"

/* The squared difference d of two eigenvalues, relative to the square of the largest: */
/* may be zero: 450 eps, as d is analytic and known to rounding, unlike its root */
#define DIFFERENCE_ROUNDOFF 1e-13
/* |d| at a zero of its real part: above, the imaginary part does not vanish there */
#define DIFFERENCE_ZERO 1e-8
/* imaginary part of d relative to d, for a real one: sqrt of rounding */
#define DIFFERENCE_REAL 1e-6
/* Eigenvalue relative to the largest: zero at a special point. Double eigenvalues have errors of
 * sqrt(eps) = 1.5e-8 times their condition. */
#define EIGENVALUE_ZERO 1e-6
/* of the range: a special point there is at the end; the error of its value */
#define RANGE_END ZW_ROUNDOFF_SUM
/* Relative to the size of the eigenvalues: the same eigenvalue of two special points, several times
 * EIGENVALUE_ZERO, the error of each. */
#define SAME_EIGENVALUE 1e-5
/* Fraction of a range at which nothing is exceptional by symmetry, as it may be in the middle. */
#define ORDINARY_FRACTION 0.381966
/* Of the range: a real part without a clear sign for longer stays on the axis. Chosen by trial:
 * separates a real part that touches zero from one that stays zero. */
#define NEUTRAL_LENGTH 1e-6
/* A cubic below this part of the smaller end may reach zero: it is an estimate only. Chosen by
 * trial: separates functions that turn towards zero from those that only vary. */
#define RETURN_POSSIBLE 0.6
#define ZERO_STEP 1e-16 /* of the range: Brent's method ends; half of eps, for a zero at value 0 */
enum {
    CUBIC_SAMPLES = 8, /* of a cubic between its ends */
    GOLDEN_MAX = 60,   /* sections: 0.618^60 = 3e-13 of the interval */
    BRENT_MAX = 100    /* iterations; bisection alone takes 53 */
};

/* ----------------------------------------------------------------------- functions of the value */

/* A function of the value between two points: the real part of the eigenvalue nearest to the line
 * from one to the other, or the squared difference of the two eigenvalues nearest to such lines. */
typedef struct test_line {
    zw_eigen_tracker *w;
    double from, to;           /* values */
    double re[2], im[2], d[2]; /* at `from` and `to`: the eigenvalue, or mean and difference */
    int piece;                 /* of the interpolant near `from` */
    bool two;                  /* two eigenvalues */
    double found_re, found_im; /* at the last value: the eigenvalue, or the mean of two */
    double d_re, d_im;         /* two: the squared difference */
    double size;               /* the largest modulus at the last value */
    zw_status status;          /* the first failure */
} test_line;

static int piece_at(const test_line *s, double value) {
    const zw_matrix_interpolant *p = &s->w->interpolant;
    int k = s->piece;
    while (k + 1 < p->npiece && value > p->piece[k].high)
        k++;
    while (k > 0 && value < p->piece[k].low)
        k--;
    return k;
}

static double distance_to(const zw_eigen_state *at, int i, double re, double im) {
    return hypot(at->re[i] - re, at->im[i] - im);
}

/* The eigenvalue nearest to the line. */
static double nearest_one(test_line *s, const zw_eigen_state *at, double re, double im) {
    int best = 0;
    for (int i = 1; i < s->w->m; i++)
        if (distance_to(at, i, re, im) < distance_to(at, best, re, im))
            best = i;
    s->found_re = at->re[best];
    s->found_im = at->im[best];
    return s->found_re;
}

/* The two eigenvalues whose mean and squared difference are nearest to the lines; others may lie
 * between them. */
static double nearest_two(test_line *s, const zw_eigen_state *at, double re, double im, double d) {
    double least = INFINITY;
    for (int i = 0; i < s->w->m; i++)
        for (int j = i + 1; j < s->w->m; j++) {
            double x = at->re[i] - at->re[j], y = at->im[i] - at->im[j], d_re = x * x - y * y,
                   mean_re = (at->re[i] + at->re[j]) / 2, mean_im = (at->im[i] + at->im[j]) / 2,
                   miss =
                       pow(mean_re - re, 2) + pow(mean_im - im, 2) + hypot(d_re - d, 2 * x * y) / 4;
            if (miss >= least)
                continue;
            least = miss;
            s->found_re = mean_re;
            s->found_im = mean_im;
            s->d_re = d_re;
            s->d_im = 2 * x * y;
        }
    return s->d_re;
}

/* The real part of the eigenvalue, or of the squared difference. */
static double evaluate_test(test_line *s, double value) {
    zw_eigen_state *at = &s->w->probe;
    double part = (value - s->from) / (s->to - s->from), rest = 1 - part,
           re = rest * s->re[0] + part * s->re[1], im = rest * s->im[0] + part * s->im[1];
    if (s->status < 0)
        return 0;
    s->status = zw_eigen_state_compute(s->w, at, piece_at(s, value), value, false);
    s->size = at->size;
    if (s->two)
        return nearest_two(s, at, re, im, rest * s->d[0] + part * s->d[1]);
    return nearest_one(s, at, re, im);
}

/* A zero between a and b, where the function has different signs. */
static double find_zero(test_line *s, double a, double fa, double b, double fb) {
    double c = a, fc = fa, d = b - a, e = d;
    for (int k = 0; k < BRENT_MAX; k++) {
        if ((fb > 0) == (fc > 0)) {
            c = a;
            fc = fa;
            d = e = b - a;
        }
        if (fabs(fc) < fabs(fb)) {
            a = b, b = c, c = a;
            fa = fb, fb = fc, fc = fa;
        }
        double least = 2 * DBL_EPSILON * fabs(b) + ZERO_STEP * s->w->range, half = (c - b) / 2;
        if (fabs(half) <= least || fb == 0)
            break;
        if (fabs(e) < least || fabs(fa) <= fabs(fb)) {
            d = e = half;
        } else {
            double r = fb / fa, p, q;
            if (a == c) {
                p = 2 * half * r;
                q = 1 - r;
            } else {
                double u = fa / fc, v = fb / fc;
                p = r * (2 * half * u * (u - v) - (b - a) * (v - 1));
                q = (u - 1) * (v - 1) * (r - 1);
            }
            q = p > 0 ? -q : q;
            p = fabs(p);
            bool good = 2 * p < fmin(3 * half * q - fabs(least * q), fabs(e * q));
            e = good ? d : half;
            d = good ? p / q : half;
        }
        a = b;
        fa = fb;
        b += fabs(d) > least ? d : copysign(least, half);
        fb = evaluate_test(s, b);
    }
    evaluate_test(s, b);
    return b;
}

/* The minimum of sign * function between both ends, by golden section, which ends early below
 * `enough`. */
static double find_least(test_line *s, int sign, double enough, double *least) {
    const double golden = 0.6180339887498949;
    double a = s->from, b = s->to, x = b - golden * (b - a), y = a + golden * (b - a),
           fx = sign * evaluate_test(s, x), fy = sign * evaluate_test(s, y);
    for (int k = 0; k < GOLDEN_MAX && fmin(fx, fy) > enough; k++) {
        if (fx < fy) {
            b = y;
            y = x;
            fy = fx;
            x = b - golden * (b - a);
            fx = sign * evaluate_test(s, x);
        } else {
            a = x;
            x = y;
            fx = fy;
            y = a + golden * (b - a);
            fy = sign * evaluate_test(s, y);
        }
    }
    *least = fmin(fx, fy);
    return fx < fy ? x : y;
}

/* ------------------------------------------------------------------------------- special points */

static zw_status add_special_point(zw_eigen_tracker *w, zw_track_mark mark, int ntrack,
                                   const int *track) {
    zw_track *out = w->out;
    mark.track = ZW_NEW(w->arena, int, w->m + 1);
    if (!mark.track ||
        !zw_arena_grow(w->arena, (void **)&out->mark, out->nmark, &w->capacity, sizeof *out->mark))
        return zw_out_of_memory(w->err, NULL);
    mark.ntrack = ntrack;
    memcpy(mark.track, track, sizeof(int) * (size_t)ntrack);
    out->mark[out->nmark++] = mark;
    return ZW_OK;
}

/* The track conjugate to j at a point; j itself if it is real. */
static int conjugate_track(const zw_eigen_tracker *w, const zw_eigen_state *s, int j) {
    int best = j;
    double least = s->im[j] == 0 ? 0 : INFINITY;
    for (int k = 0; least > 0 && k < w->m; k++) {
        double distance = hypot(s->re[k] - s->re[j], s->im[k] + s->im[j]);
        if (k != j && distance < least) {
            least = distance;
            best = k;
        }
    }
    return best;
}

/* ------------------------------------------------------------------------ crossings of the axis */

static zw_status add_crossing(zw_eigen_tracker *w, test_line *s, double value,
                              const zw_eigen_state *b, int j) {
    int partner = conjugate_track(w, b, j),
        track[2] = {j < partner ? j : partner, j < partner ? partner : j};
    bool zero = fabs(s->found_im) <= EIGENVALUE_ZERO * s->size;
    zw_track_mark mark = {.kind = zero ? ZW_TRACK_ZERO : ZW_TRACK_HOPF,
                          .value = value,
                          .im = zero ? 0 : fabs(s->found_im),
                          .condition = b->condition[j]};
    return s->status < 0 ? s->status : add_special_point(w, mark, partner == j ? 1 : 2, track);
}

/* Does the cubic through both ends with their slopes come near zero, or beyond? */
static bool comes_near(double a, double slope_a, double b, double slope_b, double h) {
    double least = INFINITY;
    for (int k = 1; k < CUBIC_SAMPLES; k++) {
        double s = (double)k / CUBIC_SAMPLES, r = 1 - s, chord = b - a;
        least = fmin(least, r * a + s * b +
                                s * r * (r * (h * slope_a - chord) - s * (h * slope_b - chord)));
    }
    return least < RETURN_POSSIBLE * fmin(a, b);
}

/* Through zero and back since the last clear point. */
static zw_status check_return(zw_eigen_tracker *w, const zw_clear_sign *before,
                              const zw_eigen_state *b, int j, int sign, int piece) {
    double neutral = zw_eigen_state_neutral(b, j), least;
    test_line s = {.w = w,
                   .from = before->value,
                   .to = b->value,
                   .re = {before->re, b->re[j]},
                   .im = {before->im, b->im[j]},
                   .piece = piece};
    double turn = find_least(&s, sign, -2 * neutral, &least);
    if (s.status >= 0 && fabs(least) <= neutral && w->out->ntouch++ == 0)
        w->out->touch_at = turn;
    if (s.status < 0 || least >= -neutral)
        return s.status;
    double first = find_zero(&s, before->value, before->re, turn, sign * least);
    ZW_TRY(add_crossing(w, &s, first, b, j));
    double second = find_zero(&s, turn, sign * least, b->value, b->re[j]);
    return add_crossing(w, &s, second, b, j);
}

/* May the real part have been zero between two points on the same side? */
static bool may_return(const zw_eigen_state *a, const zw_eigen_state *b, int j, int sign,
                       const zw_clear_sign *before) {
    return before->value != a->value ||
           comes_near(sign * a->re[j], sign * a->slope_re[j], sign * b->re[j],
                      sign * b->slope_re[j], b->value - a->value);
}

static zw_status check_axis(zw_eigen_tracker *w, const zw_eigen_state *a, const zw_eigen_state *b,
                            int j) {
    double neutral = zw_eigen_state_neutral(b, j);
    int sign = b->re[j] > neutral ? 1 : b->re[j] < -neutral ? -1 : 0;
    zw_clear_sign *axis_sign = &w->axis_sign[j], before = *axis_sign;
    if (sign == 0 && fabs(b->slope_re[j]) * w->range > neutral) /* it is crossing */
        return ZW_OK;
    if (sign == 0) { /* if it stays on the axis, a later sign does not continue the earlier one */
        if (isnan(w->neutral_since[j]))
            w->neutral_since[j] = b->value;
        if (fabs(b->value - w->neutral_since[j]) > NEUTRAL_LENGTH * w->range)
            axis_sign->sign = 0;
        return ZW_OK;
    }
    w->neutral_since[j] = NAN;
    *axis_sign = (zw_clear_sign){sign, b->value, b->re[j], b->im[j], 0};
    /* its conjugate has the same crossing */
    if (before.sign == 0 || (b->im[j] < 0 && before.im <= 0))
        return ZW_OK;
    if (before.sign == sign)
        return may_return(a, b, j, sign, &before) ? check_return(w, &before, b, j, sign, a->piece)
                                                  : ZW_OK;
    test_line s = {.w = w,
                   .from = before.value,
                   .to = b->value,
                   .re = {before.re, b->re[j]},
                   .im = {before.im, b->im[j]},
                   .piece = a->piece};
    double value = find_zero(&s, before.value, before.re, b->value, b->re[j]);
    return add_crossing(w, &s, value, b, j);
}

/* ---------------------------------------------------------------------------------- coalescence */

/* The sign of d; 0 where it is not clear, 2 where d is not real. */
static int sign_of_d(const zw_eigen_state *s, int j, int k) {
    double x = s->re[j] - s->re[k], y = s->im[j] - s->im[k], d = x * x - y * y;
    if (x * x + y * y <= DIFFERENCE_ROUNDOFF * s->size * s->size)
        return 0;
    if (fabs(2 * x * y) > DIFFERENCE_REAL * fabs(d) + DIFFERENCE_ROUNDOFF * s->size * s->size)
        return 2;
    return d > 0 ? 1 : -1;
}

static zw_status add_coalescence(zw_eigen_tracker *w, test_line *s, double value, int j, int k,
                                 int sign, const zw_eigen_state *b) {
    bool zero = hypot(s->found_re, s->found_im) <= EIGENVALUE_ZERO * s->size,
         axis = fabs(s->found_im) > EIGENVALUE_ZERO * s->size;
    int track[4] = {j, k}, n = 2;
    if (s->status < 0 || hypot(s->d_re, s->d_im) > DIFFERENCE_ZERO * s->size * s->size)
        return s->status;
    if (axis) {
        track[n++] = conjugate_track(w, b, j);
        track[n++] = conjugate_track(w, b, k);
    }
    for (int i = 1; i < n; i++)
        for (int l = i; l > 0 && track[l] < track[l - 1]; l--) {
            int swap = track[l];
            track[l] = track[l - 1];
            track[l - 1] = swap;
        }
    /* a pair +-i omega that passes zero becomes two opposite real ones, and vice versa */
    zw_track_mark mark = {.kind = zero ? ZW_TRACK_ZERO : ZW_TRACK_COALESCENCE,
                          .value = value,
                          .re = zero ? 0 : s->found_re,
                          .im = axis ? fabs(s->found_im) : 0,
                          .real = axis ? 0 : 2 * sign,
                          .condition = INFINITY};
    return add_special_point(w, mark, n, track);
}

/* The difference of two tracks: of real parts if both are real, else of imaginary parts. */
static double track_difference(const double *re, const double *im, int j, int k, int sign) {
    return sign > 0 ? re[j] - re[k] : im[j] - im[k];
}

/* May two tracks have met between two points at which they differ in the same way? */
static bool may_coalesce(const zw_eigen_state *a, const zw_eigen_state *b, int j, int k, int sign,
                         const zw_clear_sign *before) {
    double from = track_difference(a->re, a->im, j, k, sign),
           to = track_difference(b->re, b->im, j, k, sign), turned = from < 0 ? -1 : 1;
    return before->value != a->value || (from > 0) != (to > 0) ||
           comes_near(fabs(from), turned * track_difference(a->slope_re, a->slope_im, j, k, sign),
                      fabs(to), turned * track_difference(b->slope_re, b->slope_im, j, k, sign),
                      b->value - a->value);
}

static test_line pair_line(zw_eigen_tracker *w, const zw_clear_sign *before,
                           const zw_clear_sign *current, int piece) {
    return (test_line){.w = w,
                       .from = before->value,
                       .to = current->value,
                       .two = true,
                       .re = {before->re, current->re},
                       .im = {before->im, current->im},
                       .d = {before->d, current->d},
                       .piece = piece};
}

/* Two coalescences since the last clear point. */
static zw_status check_double_coalescence(zw_eigen_tracker *w, const zw_clear_sign *before,
                                          const zw_clear_sign *current, const zw_eigen_state *b,
                                          int j, int k, int piece) {
    test_line s = pair_line(w, before, current, piece);
    int sign = current->sign;
    double neutral = DIFFERENCE_ROUNDOFF * b->size * b->size, least,
           turn = find_least(&s, sign, -2 * neutral, &least);
    if (s.status < 0 || least >= -neutral)
        return s.status;
    double first = find_zero(&s, before->value, before->d, turn, sign * least);
    ZW_TRY(add_coalescence(w, &s, first, j, k, -sign, b));
    double second = find_zero(&s, turn, sign * least, current->value, current->d);
    return add_coalescence(w, &s, second, j, k, sign, b);
}

static zw_status check_pair(zw_eigen_tracker *w, const zw_eigen_state *a, const zw_eigen_state *b,
                            int j, int k) {
    int sign = sign_of_d(b, j, k);
    double clear = EIGENVALUE_ZERO * b->size;
    double x = b->re[j] - b->re[k], y = b->im[j] - b->im[k];
    zw_clear_sign *pair_sign = &w->pair_sign[j * w->m + k], before = *pair_sign,
                  current = {sign, b->value, (b->re[j] + b->re[k]) / 2, (b->im[j] + b->im[k]) / 2,
                             x * x - y * y};
    if (sign == 0)
        return ZW_OK;
    *pair_sign = current;
    if (sign == 2) {
        pair_sign->sign = 0;
        return ZW_OK;
    }
    if (before.sign == 0 || current.im < -clear) /* the conjugate two coalesce at the same value */
        return ZW_OK;
    if (current.im > clear && fabs(current.re) > clear && before.sign == sign)
        return ZW_OK; /* two separate tracks away from both axes */
    if (before.sign == sign)
        return may_coalesce(a, b, j, k, sign, &before)
                   ? check_double_coalescence(w, &before, &current, b, j, k, a->piece)
                   : ZW_OK;
    test_line s = pair_line(w, &before, &current, a->piece);
    double value = find_zero(&s, before.value, before.d, b->value, current.d);
    return add_coalescence(w, &s, value, j, k, sign, b);
}

zw_status zw_eigen_tracker_check(zw_eigen_tracker *w, const zw_eigen_state *a,
                                 const zw_eigen_state *b) {
    for (int j = 0; j < w->m; j++) {
        ZW_TRY(check_axis(w, a, b, j));
        for (int k = j + 1; k < w->m; k++)
            ZW_TRY(check_pair(w, a, b, j, k));
    }
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- ranges */

static bool is_same_point(const zw_eigen_tracker *w, const zw_track_mark *a,
                          const zw_track_mark *b) {
    return a->kind == b->kind && fabs(a->value - b->value) <= ZW_SAME_VALUE * w->range &&
           hypot(a->re - b->re, a->im - b->im) <= SAME_EIGENVALUE * w->current->size;
}

static void join_special_points(zw_track_mark *to, const zw_track_mark *from) {
    to->real += from->real;
    for (int i = 0; i < from->ntrack; i++) {
        int at = 0;
        while (at < to->ntrack && to->track[at] < from->track[i])
            at++;
        if (at < to->ntrack && to->track[at] == from->track[i])
            continue;
        memmove(to->track + at + 1, to->track + at, sizeof(int) * (size_t)(to->ntrack - at));
        to->track[at] = from->track[i];
        to->ntrack++;
    }
}

/* A special point within rounding of an end of the range belongs to no side of it: an eigenvalue
 * that is zero at speed zero, say. */
static bool is_at_end(const zw_eigen_tracker *w, double value) {
    return fabs(value - w->out->value[0]) <= RANGE_END * w->range ||
           fabs(value - w->options->to) <= RANGE_END * w->range;
}

/* In the order of the rows; those at the same value and eigenvalue become one. */
static void sort_special_points(zw_eigen_tracker *w) {
    zw_track *out = w->out;
    bool down = w->options->to < w->options->from;
    int kept = 0;
    for (int i = 1; i < out->nmark; i++)
        for (int k = i; k > 0; k--) {
            zw_track_mark *a = &out->mark[k - 1], *b = &out->mark[k], swap = *a;
            if (down ? a->value >= b->value : a->value <= b->value)
                break;
            *a = *b;
            *b = swap;
        }
    for (int i = 0; i < out->nmark; i++) {
        int k = kept - 1;
        if (is_at_end(w, out->mark[i].value))
            continue;
        while (k >= 0 && !is_same_point(w, &out->mark[k], &out->mark[i]))
            k--;
        if (k >= 0)
            join_special_points(&out->mark[k], &out->mark[i]);
        else
            out->mark[kept++] = out->mark[i];
    }
    out->nmark = kept;
}

/* The numbers of growing and of neutral eigenvalues at a value. */
static zw_status count_at(zw_eigen_tracker *w, double value, int *growing, int *neutral) {
    test_line s = {.w = w};
    zw_eigen_state *at = &w->state[0] == w->current ? &w->state[1] : &w->state[0];
    ZW_TRY(zw_eigen_state_compute(w, at, piece_at(&s, value), value, true));
    for (int j = 0; j < w->m; j++) {
        *growing += at->re[j] > zw_eigen_state_neutral(at, j);
        *neutral += fabs(at->re[j]) <= zw_eigen_state_neutral(at, j);
    }
    return ZW_OK;
}

/* Counts in the middle of a range, or elsewhere if the middle is exceptional. */
static zw_status count_range(zw_eigen_tracker *w, zw_track_range *r) {
    int growing = 0, neutral = 0;
    ZW_TRY(count_at(w, (r->from + r->to) / 2, &r->growing, &r->neutral));
    if (r->neutral == 0)
        return ZW_OK;
    ZW_TRY(count_at(w, r->from + ORDINARY_FRACTION * (r->to - r->from), &growing, &neutral));
    if (neutral < r->neutral) {
        r->growing = growing;
        r->neutral = neutral;
    }
    return ZW_OK;
}

/* A stable first or last range: are eigenvalues on the axis at the end of it? */
static zw_status check_end(zw_eigen_tracker *w, const zw_track_range *r, double end) {
    int growing = 0, neutral = 0;
    if (r->growing > 0 || r->neutral > 0)
        return ZW_OK;
    ZW_TRY(count_at(w, end, &growing, &neutral));
    if (neutral > 0 && w->out->nlimit == 0) {
        w->out->nlimit = neutral;
        w->out->limit_at = end;
    }
    return ZW_OK;
}

zw_status zw_eigen_tracker_finish(zw_eigen_tracker *w) {
    zw_track *out = w->out;
    double end = out->value[out->nrow - 1], from = out->value[0];
    sort_special_points(w);
    out->range = ZW_NEW(w->arena, zw_track_range, out->nmark + 2);
    if (!out->range)
        return zw_out_of_memory(w->err, NULL);
    for (int i = 0; i <= out->nmark; i++) {
        double to = i < out->nmark ? out->mark[i].value : end;
        int first = i;
        if (i < out->nmark && fabs(to - from) <= ZW_SAME_VALUE * w->range)
            continue;
        while (first > 0 && fabs(out->mark[first - 1].value - from) <= ZW_SAME_VALUE * w->range)
            first--;
        zw_track_range *r = &out->range[out->nrange];
        if (fabs(to - from) > ZW_SAME_VALUE * w->range) {
            *r = (zw_track_range){.from = from, .to = to};
            ZW_TRY(count_range(w, r));
            for (int k = first; k < i && out->nrange > 0; k++)
                out->mark[k].growing = r->growing - r[-1].growing;
            out->nrange++;
        }
        from = to;
    }
    if (out->nrange == 0)
        return ZW_OK;
    ZW_TRY(check_end(w, &out->range[0], out->value[0]));
    return check_end(w, &out->range[out->nrange - 1], end);
}
