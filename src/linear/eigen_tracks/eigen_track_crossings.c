/* SPDX-License-Identifier: MIT */
/* What happens on the way. Between two points whose eigenvalues are matched,
 *
 *   - the real part of a track changes its sign, or goes through zero and back: its extremum is
 *     looked for where the slopes at
 *     both ends lead to the axis;
 *   - two tracks meet. Beside such a value they are sum/2 +- sqrt(d)/2 with d = (lambda_1 -
 *     lambda_2)^2, and sum and d are
 *     analytic there, while the eigenvalues are not. d is real if both are real (d > 0), conjugate
 *     (d < 0), or both on the
 *     imaginary axis (d < 0), and it changes its sign where they coalesce; or it does so twice
 *     between two points, which its
 *     extremum tells. Where d only touches zero the tracks cross, each with its own eigenvector,
 *     and nothing happens.
 *
 * Signs that rounding may have made are none: the last clear one is remembered. Zeros by R. P.
 * Brent, Algorithms for Minimization without Derivatives, 1973. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "eigen_track.h"

#define TOUCH 1e-13  /* of size^2: a squared difference that may be zero */
#define REAL 1e-6    /* imaginary part of d, relative to it */
#define MEETS 1e-8   /* of size^2: d at a zero of its real part */
#define AT_ZERO 1e-6 /* of the size: an eigenvalue that is zero at a mark */
#define SAME 1e-9    /* of the range: one value of two marks */
#define END 1e-12    /* of the range: at an end of it */
#define NEAR 1e-5    /* of the size: one eigenvalue of two marks */
/* of a range: nothing happens there but by chance, which in its middle symmetry may let happen */
#define SOMEWHERE 0.381966
#define CALM 1e-6    /* of the range: a real part that stays zero */
#define APPROACH 0.6 /* of the smaller distance at both ends */
enum { SAMPLES = 8, SEARCH = 60, ITERATIONS = 100 };

/* ----------------------------------------------------------------------- functions of the value */

/* What is looked at between two points: one eigenvalue near the line from one to the other, or two
 * about their mean. */
typedef struct sight {
    zw_walk *w;
    double from, to;
    double re[2], im[2], d[2];
    int piece;
    bool two;
    double found_re, found_im; /* at the last value: the eigenvalue, or the mean */
    double d_re, d_im;         /* two: the squared difference */
    double size;
    zw_status status;
} sight;

static int piece_at(const sight *s, double value) {
    const zw_matrix_interpolant *p = &s->w->proxy;
    int k = s->piece;
    while (k + 1 < p->npiece && value > p->piece[k].high)
        k++;
    while (k > 0 && value < p->piece[k].low)
        k--;
    return k;
}

static double distance_to(const zw_spot *at, int i, double re, double im) {
    return hypot(at->re[i] - re, at->im[i] - im);
}

/* the eigenvalue nearest to the line */
static double look_at_one(sight *s, const zw_spot *at, double re, double im) {
    int best = 0;
    for (int i = 1; i < s->w->m; i++)
        if (distance_to(at, i, re, im) < distance_to(at, best, re, im))
            best = i;
    s->found_re = at->re[best];
    s->found_im = at->im[best];
    return s->found_re;
}

/* the two whose mean and squared difference are nearest to the lines of these: others may lie
 * between them */
static double look_at_two(sight *s, const zw_spot *at, double re, double im, double d) {
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

/* the real part, or the real part of the squared difference */
static double evaluate_test(sight *s, double value) {
    zw_spot *at = &s->w->probe;
    double part = (value - s->from) / (s->to - s->from), rest = 1 - part,
           re = rest * s->re[0] + part * s->re[1], im = rest * s->im[0] + part * s->im[1];
    if (s->status < 0)
        return 0;
    s->status = zw_spot_find(s->w, at, piece_at(s, value), value, false);
    s->size = at->size;
    if (s->two)
        return look_at_two(s, at, re, im, rest * s->d[0] + part * s->d[1]);
    return look_at_one(s, at, re, im);
}

/* a zero between a and b, where the function has different signs */
static double find_zero(sight *s, double a, double fa, double b, double fb) {
    double c = a, fc = fa, d = b - a, e = d;
    for (int k = 0; k < ITERATIONS; k++) {
        if ((fb > 0) == (fc > 0)) {
            c = a;
            fc = fa;
            d = e = b - a;
        }
        if (fabs(fc) < fabs(fb)) {
            a = b, b = c, c = a;
            fa = fb, fb = fc, fc = fa;
        }
        double least = 2 * DBL_EPSILON * fabs(b) + 1e-16 * s->w->range, half = (c - b) / 2;
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

/* where sign * function is least between both ends, by golden section; it ends early where it is
 * below `enough` */
static double find_least(sight *s, int sign, double enough, double *least) {
    const double golden = 0.6180339887498949;
    double a = s->from, b = s->to, x = b - golden * (b - a), y = a + golden * (b - a),
           fx = sign * evaluate_test(s, x), fy = sign * evaluate_test(s, y);
    for (int k = 0; k < SEARCH && fmin(fx, fy) > enough; k++) {
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

/* ---------------------------------------------------------------------------------------- marks */

static zw_status add_mark(zw_walk *w, zw_track_mark mark, int ntrack, const int *track) {
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

/* the track that is conjugate to j at a point; j itself if it is real */
static int conjugate_track(const zw_walk *w, const zw_spot *s, int j) {
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

static zw_status mark_crossing(zw_walk *w, sight *s, double value, const zw_spot *b, int j) {
    int partner = conjugate_track(w, b, j),
        track[2] = {j < partner ? j : partner, j < partner ? partner : j};
    bool zero = fabs(s->found_im) <= AT_ZERO * s->size;
    zw_track_mark mark = {.kind = zero ? ZW_TRACK_ZERO : ZW_TRACK_HOPF,
                          .value = value,
                          .im = zero ? 0 : fabs(s->found_im),
                          .condition = b->condition[j]};
    return s->status < 0 ? s->status : add_mark(w, mark, partner == j ? 1 : 2, track);
}

/* the cubic through both ends with their slopes comes near zero, or beyond */
static bool comes_near(double a, double slope_a, double b, double slope_b, double h) {
    double least = INFINITY;
    for (int k = 1; k < SAMPLES; k++) {
        double s = (double)k / SAMPLES, r = 1 - s, chord = b - a;
        least = fmin(least, r * a + s * b +
                                s * r * (r * (h * slope_a - chord) - s * (h * slope_b - chord)));
    }
    return least < APPROACH * fmin(a, b);
}

/* through zero and back since the last clear point */
static zw_status watch_return(zw_walk *w, const zw_walk_sign *before, const zw_spot *b, int j,
                              int sign, int piece) {
    double open = zw_spot_neutral(b, j), least;
    sight s = {.w = w,
               .from = before->value,
               .to = b->value,
               .re = {before->re, b->re[j]},
               .im = {before->im, b->im[j]},
               .piece = piece};
    double turn = find_least(&s, sign, -2 * open, &least);
    if (s.status >= 0 && fabs(least) <= open && w->out->ntouch++ == 0)
        w->out->touch_at = turn;
    if (s.status < 0 || least >= -open)
        return s.status;
    double first = find_zero(&s, before->value, before->re, turn, sign * least);
    ZW_TRY(mark_crossing(w, &s, first, b, j));
    double second = find_zero(&s, turn, sign * least, b->value, b->re[j]);
    return mark_crossing(w, &s, second, b, j);
}

/* may the real part have been at zero between two points on the same side? */
static bool may_return(const zw_spot *a, const zw_spot *b, int j, int sign,
                       const zw_walk_sign *before) {
    return before->value != a->value ||
           comes_near(sign * a->re[j], sign * a->slope_re[j], sign * b->re[j],
                      sign * b->slope_re[j], b->value - a->value);
}

static zw_status watch_axis(zw_walk *w, const zw_spot *a, const zw_spot *b, int j) {
    double open = zw_spot_neutral(b, j);
    int sign = b->re[j] > open ? 1 : b->re[j] < -open ? -1 : 0;
    zw_walk_sign *side = &w->side[j], before = *side;
    if (sign == 0 && fabs(b->slope_re[j]) * w->range > open) /* on its way through */
        return ZW_OK;
    if (sign == 0) { /* on the axis for good: what comes next does not continue what was before */
        if (isnan(w->calm[j]))
            w->calm[j] = b->value;
        if (fabs(b->value - w->calm[j]) > CALM * w->range)
            side->sign = 0;
        return ZW_OK;
    }
    w->calm[j] = NAN;
    *side = (zw_walk_sign){sign, b->value, b->re[j], b->im[j], 0};
    if (before.sign == 0 || (b->im[j] < 0 && before.im <= 0)) /* its conjugate tells the same */
        return ZW_OK;
    if (before.sign == sign)
        return may_return(a, b, j, sign, &before) ? watch_return(w, &before, b, j, sign, a->piece)
                                                  : ZW_OK;
    sight s = {.w = w,
               .from = before.value,
               .to = b->value,
               .re = {before.re, b->re[j]},
               .im = {before.im, b->im[j]},
               .piece = a->piece};
    double value = find_zero(&s, before.value, before.re, b->value, b->re[j]);
    return mark_crossing(w, &s, value, b, j);
}

/* ---------------------------------------------------------------------------------- coalescence */

/* the sign of d, 0 where it is not clear, and 2 where it is not real */
static int sign_of_d(const zw_spot *s, int j, int k) {
    double x = s->re[j] - s->re[k], y = s->im[j] - s->im[k], d = x * x - y * y;
    if (x * x + y * y <= TOUCH * s->size * s->size)
        return 0;
    if (fabs(2 * x * y) > REAL * fabs(d) + TOUCH * s->size * s->size)
        return 2;
    return d > 0 ? 1 : -1;
}

static zw_status mark_meeting(zw_walk *w, sight *s, double value, int j, int k, int sign,
                              const zw_spot *b) {
    bool zero = hypot(s->found_re, s->found_im) <= AT_ZERO * s->size,
         axis = fabs(s->found_im) > AT_ZERO * s->size;
    int track[4] = {j, k}, n = 2;
    if (s->status < 0 || hypot(s->d_re, s->d_im) > MEETS * s->size * s->size)
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
    /* a pair +-i omega that goes through zero becomes one of opposite real ones, and so back */
    zw_track_mark mark = {.kind = zero ? ZW_TRACK_ZERO : ZW_TRACK_COALESCENCE,
                          .value = value,
                          .re = zero ? 0 : s->found_re,
                          .im = axis ? fabs(s->found_im) : 0,
                          .real = axis ? 0 : 2 * sign,
                          .condition = INFINITY};
    return add_mark(w, mark, n, track);
}

/* the part in which two tracks are apart: both real, conjugate, or both on the imaginary axis */
static double part_apart(const double *re, const double *im, int j, int k, int sign) {
    return sign > 0 ? re[j] - re[k] : im[j] - im[k];
}

/* may they have met between two points at which they are apart in the same way? */
static bool may_meet(const zw_spot *a, const zw_spot *b, int j, int k, int sign,
                     const zw_walk_sign *before) {
    double from = part_apart(a->re, a->im, j, k, sign), to = part_apart(b->re, b->im, j, k, sign),
           turned = from < 0 ? -1 : 1;
    return before->value != a->value || (from > 0) != (to > 0) ||
           comes_near(fabs(from), turned * part_apart(a->slope_re, a->slope_im, j, k, sign),
                      fabs(to), turned * part_apart(b->slope_re, b->slope_im, j, k, sign),
                      b->value - a->value);
}

static sight see_two(zw_walk *w, const zw_walk_sign *before, const zw_walk_sign *now, int piece) {
    return (sight){.w = w,
                   .from = before->value,
                   .to = now->value,
                   .two = true,
                   .re = {before->re, now->re},
                   .im = {before->im, now->im},
                   .d = {before->d, now->d},
                   .piece = piece};
}

/* two coalescences since the last clear point */
static zw_status watch_bubble(zw_walk *w, const zw_walk_sign *before, const zw_walk_sign *now,
                              const zw_spot *b, int j, int k, int piece) {
    sight s = see_two(w, before, now, piece);
    int sign = now->sign;
    double open = TOUCH * b->size * b->size, least, turn = find_least(&s, sign, -2 * open, &least);
    if (s.status < 0 || least >= -open)
        return s.status;
    double first = find_zero(&s, before->value, before->d, turn, sign * least);
    ZW_TRY(mark_meeting(w, &s, first, j, k, -sign, b));
    double second = find_zero(&s, turn, sign * least, now->value, now->d);
    return mark_meeting(w, &s, second, j, k, sign, b);
}

static zw_status watch_pair(zw_walk *w, const zw_spot *a, const zw_spot *b, int j, int k) {
    int sign = sign_of_d(b, j, k);
    double clear = AT_ZERO * b->size;
    double x = b->re[j] - b->re[k], y = b->im[j] - b->im[k];
    zw_walk_sign *meet = &w->meet[j * w->m + k], before = *meet,
                 now = {sign, b->value, (b->re[j] + b->re[k]) / 2, (b->im[j] + b->im[k]) / 2,
                        x * x - y * y};
    if (sign == 0)
        return ZW_OK;
    *meet = now;
    if (sign == 2) {
        meet->sign = 0;
        return ZW_OK;
    }
    if (before.sign == 0 || now.im < -clear) /* the conjugate two tell the same */
        return ZW_OK;
    if (now.im > clear && fabs(now.re) > clear && before.sign == sign)
        return ZW_OK; /* side by side off both axes */
    if (before.sign == sign)
        return may_meet(a, b, j, k, sign, &before)
                   ? watch_bubble(w, &before, &now, b, j, k, a->piece)
                   : ZW_OK;
    sight s = see_two(w, &before, &now, a->piece);
    double value = find_zero(&s, before.value, before.d, b->value, now.d);
    return mark_meeting(w, &s, value, j, k, sign, b);
}

zw_status zw_walk_watch(zw_walk *w, const zw_spot *a, const zw_spot *b) {
    for (int j = 0; j < w->m; j++) {
        ZW_TRY(watch_axis(w, a, b, j));
        for (int k = j + 1; k < w->m; k++)
            ZW_TRY(watch_pair(w, a, b, j, k));
    }
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- ranges */

static bool are_one(const zw_walk *w, const zw_track_mark *a, const zw_track_mark *b) {
    return a->kind == b->kind && fabs(a->value - b->value) <= SAME * w->range &&
           hypot(a->re - b->re, a->im - b->im) <= NEAR * w->now->size;
}

static void join_marks(zw_track_mark *to, const zw_track_mark *from) {
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

/* What lies at an end to rounding belongs to neither side of it: a number of zeros at speed zero
 * does not happen on the way. */
static bool is_at_end(const zw_walk *w, double value) {
    return fabs(value - w->out->value[0]) <= END * w->range ||
           fabs(value - w->options->to) <= END * w->range;
}

/* in the order of the way; those at one value and one eigenvalue are one */
static void sort_marks(zw_walk *w) {
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
        while (k >= 0 && !are_one(w, &out->mark[k], &out->mark[i]))
            k--;
        if (k >= 0)
            join_marks(&out->mark[k], &out->mark[i]);
        else
            out->mark[kept++] = out->mark[i];
    }
    out->nmark = kept;
}

/* how many grow, and how many neither grow nor die out, at a value */
static zw_status count_at(zw_walk *w, double value, int *growing, int *neutral) {
    sight s = {.w = w};
    zw_spot *at = &w->spots[0] == w->now ? &w->spots[1] : &w->spots[0];
    ZW_TRY(zw_spot_find(w, at, piece_at(&s, value), value, true));
    for (int j = 0; j < w->m; j++) {
        *growing += at->re[j] > zw_spot_neutral(at, j);
        *neutral += fabs(at->re[j]) <= zw_spot_neutral(at, j);
    }
    return ZW_OK;
}

/* in its middle, but where that is a single value on the axis */
static zw_status count_range(zw_walk *w, zw_track_range *r) {
    int growing = 0, neutral = 0;
    ZW_TRY(count_at(w, (r->from + r->to) / 2, &r->growing, &r->neutral));
    if (r->neutral == 0)
        return ZW_OK;
    ZW_TRY(count_at(w, r->from + SOMEWHERE * (r->to - r->from), &growing, &neutral));
    if (neutral < r->neutral) {
        r->growing = growing;
        r->neutral = neutral;
    }
    return ZW_OK;
}

/* Is everything that dies out in the first or last range still on the axis at the end of it? */
static zw_status look_at_end(zw_walk *w, const zw_track_range *r, double end) {
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

zw_status zw_walk_conclude(zw_walk *w) {
    zw_track *out = w->out;
    double end = out->value[out->nrow - 1], from = out->value[0];
    sort_marks(w);
    out->range = ZW_NEW(w->arena, zw_track_range, out->nmark + 2);
    if (!out->range)
        return zw_out_of_memory(w->err, NULL);
    for (int i = 0; i <= out->nmark; i++) {
        double to = i < out->nmark ? out->mark[i].value : end;
        int first = i;
        if (i < out->nmark && fabs(to - from) <= SAME * w->range)
            continue;
        while (first > 0 && fabs(out->mark[first - 1].value - from) <= SAME * w->range)
            first--;
        zw_track_range *r = &out->range[out->nrange];
        if (fabs(to - from) > SAME * w->range) {
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
    ZW_TRY(look_at_end(w, &out->range[0], out->value[0]));
    return look_at_end(w, &out->range[out->nrange - 1], end);
}
