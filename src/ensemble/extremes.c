/* SPDX-License-Identifier: MIT */
/* Least and largest values and means along a motion, from its dense output.
 *
 * On a piece [t0, t1] of the motion a quantity f is known at both ends and at the five Gauss
 * points. These give the integrals of f and f^2 exactly up to degree 9. Where a sample is larger
 * than its neighbours, the parabola through the three has its vertex at t*; if it is higher than
 * the largest value so far, f(t*) is computed, and once more with the nearest neighbours of t*:
 * since f is flat there, an error d of t* gives one of d^2 in the extremum.
 *
 * Steps are as long as the state allows; functions of it, abs(x), exp(-x^2/s^2), may need shorter
 * pieces. The coefficients c_k of f in Legendre polynomials decay as rho^-k for smooth f, and the
 * integral has an error of rho^-10: (c_4)^(5/2), (c_3)^(10/3), and e^2 with the difference e of the
 * polynomial from f at the ends of the piece. A piece for which one of these is more than a tenth
 * of the tolerance of steps, relative to the size of f, is halved, down to jumps, but at most
 * DEEPEST times: round-off is never smooth. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "internal.h"

const double zw_span_node[ZW_SPAN_SAMPLES] = {
    -1, -0.90617984593866399, -0.53846931010568309, 0, 0.53846931010568309, 0.90617984593866399, 1};
static const double weight[ZW_SPAN_SAMPLES] = {0,
                                               0.23692688505618909,
                                               0.47862867049936647,
                                               0.56888888888888889,
                                               0.47862867049936647,
                                               0.23692688505618909,
                                               0};

/* (2 k + 1)/2 times the weight times P_k, k = 3 and 4; and the polynomial of degree 4 at the right
 * end */
static const double third[5] = {-0.41547714135083252, 0.69919864488923356, 0, -0.69919864488923356,
                                0.41547714135083252};
static const double fourth[5] = {0.26199601592044497, -0.74199601592044573, 0.96,
                                 -0.74199601592044573, 0.26199601592044497};
static const double right_end[5] = {0.076358661795812632, -0.26794165222338767, 0.53333333333333321,
                                    -0.89315839200007219, 1.5514080490943125};

/* Added to the size of f, in its unit: integrals of values below the tolerance times this do not
 * matter in SI units. */
#define SIZE_MIN 1e-6
/* Range of the tolerance of integrals: samples are not more accurate than the first, and larger
 * errors would be visible in means. */
#define TOLERANCE_MIN 1e-10
#define TOLERANCE_MAX 1e-5
enum { HALVINGS = 64, DEEPEST = 16 }; /* of a step: in all, and of one piece */

zw_status zw_spans_init(zw_spans *s, zw_arena *arena, int n, double rtol, zw_error *err) {
    double tolerance = fmin(fmax(0.1 * rtol, TOLERANCE_MIN), TOLERANCE_MAX);
    *s = (zw_spans){.n = n, .tolerance = tolerance};
    s->smooth[0] = pow(tolerance, 0.3);
    s->smooth[1] = pow(tolerance, 0.4);
    s->smooth[2] = sqrt(tolerance);
    s->sum = ZW_NEW(arena, zw_ensemble_span, n + 1);
    s->result = ZW_NEW(arena, zw_ensemble_span, n + 1);
    s->sample = ZW_NEW(arena, double, ZW_SPAN_SAMPLES *n + 1);
    s->one = ZW_NEW(arena, double, n + 1);
    return arena->failed ? zw_out_of_memory(err, "an ensemble") : ZW_OK;
}

void zw_spans_begin(zw_spans *s, double t) {
    s->since = s->until = t;
    for (int i = 0; i < s->n; i++)
        s->sum[i] = (zw_ensemble_span){.least = INFINITY, .largest = -INFINITY};
}

static void widen_spans(zw_spans *s, const double *value) {
    for (int i = 0; i < s->n; i++) {
        s->sum[i].least = fmin(s->sum[i].least, value[i]);
        s->sum[i].largest = fmax(s->sum[i].largest, value[i]);
    }
}

typedef struct triple {
    double t[3], f[3]; /* f[1] is the largest */
} triple;

/* the vertex of the parabola through the three; false: it has none between them */
static bool find_top(const triple *p, double *t, double *f) {
    double a = (p->f[0] - p->f[1]) / (p->t[0] - p->t[1]),
           b = (p->f[2] - p->f[1]) / (p->t[2] - p->t[1]), c = (b - a) / (p->t[2] - p->t[0]);
    if (!(c < 0))
        return false;
    double d = -(a - c * (p->t[0] - p->t[1])) / (2 * c); /* slope at t1 over -2c */
    *t = p->t[1] + d;
    *f = p->f[1] - c * d * d;
    return *t > p->t[0] && *t < p->t[2];
}

/* the three points around the larger of the middle and (t, f) */
static void narrow_triple(triple *p, double t, double f) {
    int side = t < p->t[1] ? 0 : 2;
    if (f > p->f[1]) {
        p->t[2 - side] = p->t[1];
        p->f[2 - side] = p->f[1];
        p->t[1] = t;
        p->f[1] = f;
    } else {
        p->t[side] = t;
        p->f[side] = f;
    }
}

/* Finds a maximum of sign * value i between the samples k - 1 and k + 1. */
static zw_status refine_extremum(zw_spans *s, int i, int k, double sign, double middle, double half,
                                 zw_span_at at, void *user, zw_error *err) {
    triple p;
    for (int j = 0; j < 3; j++) {
        p.t[j] = middle + half * zw_span_node[k - 1 + j];
        p.f[j] = sign * s->sample[(k - 1 + j) * s->n + i];
    }
    for (int round = 0; round < 3; round++) {
        double t, f, best = sign > 0 ? s->sum[i].largest : -s->sum[i].least;
        if (!find_top(&p, &t, &f) || t == p.t[1] || !(f > best))
            return ZW_OK;
        ZW_TRY(at(user, t, s->one, err));
        widen_spans(s, s->one);
        narrow_triple(&p, t, sign * s->one[i]);
    }
    return ZW_OK;
}

/* the samples are in s->sample */
static zw_status add_up(zw_spans *s, double t0, double t1, zw_span_at at, void *user,
                        zw_error *err) {
    double half = (t1 - t0) / 2, middle = t0 + half;
    int n = s->n;
    for (int k = 0; k < ZW_SPAN_SAMPLES; k++) {
        const double *value = s->sample + (size_t)k * (size_t)n;
        double share = half * weight[k], since = middle + half * zw_span_node[k] - s->since;
        widen_spans(s, value);
        for (int i = 0; i < n; i++) {
            s->sum[i].mean += share * value[i];
            s->sum[i].square += share * value[i] * value[i];
            double power = share * value[i];
            for (int j = 0; j < 3; j++)
                s->sum[i].moment[j] += power *= since;
        }
    }
    for (int i = 0; i < n; i++)
        for (int k = 1; k + 1 < ZW_SPAN_SAMPLES; k++) {
            double left = s->sample[(k - 1) * n + i], here = s->sample[k * n + i],
                   right = s->sample[(k + 1) * n + i];
            if (here >= left && here >= right)
                ZW_TRY(refine_extremum(s, i, k, 1, middle, half, at, user, err));
            if (here <= left && here <= right)
                ZW_TRY(refine_extremum(s, i, k, -1, middle, half, at, user, err));
        }
    s->until = t1;
    return ZW_OK;
}

/* Do the samples determine the integrals? share: length of the piece over that of its step. */
static bool is_resolved(const zw_spans *s, double share) {
    int n = s->n;
    for (int i = 0; i < n; i++) {
        double size = fmax(fabs(s->sample[i]), fabs(s->sample[6 * n + i]));
        double a = 0, b = 0, left = 0, right = 0;
        for (int k = 0; k < 5; k++) {
            double f = s->sample[(k + 1) * n + i];
            a += third[k] * f;
            b += fourth[k] * f;
            left += right_end[4 - k] * f;
            right += right_end[k] * f;
            size = fmax(size, fabs(f));
        }
        size += SIZE_MIN;
        double e = fmax(fabs(left - s->sample[i]), fabs(right - s->sample[6 * n + i]));
        a = fabs(a) / size, b = fabs(b) / size, e /= size;
        if (a < s->smooth[0] && b < s->smooth[1] && e < s->smooth[2])
            continue; /* the same as below, with share 1 */
        double error = fmax(fmax(pow(a, 10. / 3), pow(b, 2.5)), e * e);
        if (error * share > s->tolerance && isfinite(error))
            return false;
    }
    return true;
}

static zw_status take_samples(zw_spans *s, double t0, double t1, zw_span_at at, void *user,
                              zw_error *err) {
    double half = (t1 - t0) / 2, middle = t0 + half;
    for (int k = 0; k < ZW_SPAN_SAMPLES; k++) {
        double t = k == 0 ? t0 : k == ZW_SPAN_SAMPLES - 1 ? t1 : middle + half * zw_span_node[k];
        ZW_TRY(at(user, t, s->sample + (size_t)k * (size_t)s->n, err));
    }
    return ZW_OK;
}

/* the samples of [t0, t1] have been computed */
static zw_status refine_interval(zw_spans *s, double t0, double t1, int depth, int *left,
                                 zw_span_at at, void *user, zw_error *err) {
    double middle = t0 + (t1 - t0) / 2;
    if (depth == DEEPEST || *left == 0 || !(middle > t0 && middle < t1) ||
        is_resolved(s, ldexp(1, -depth)))
        return add_up(s, t0, t1, at, user, err);
    --*left;
    ZW_TRY(take_samples(s, t0, middle, at, user, err));
    ZW_TRY(refine_interval(s, t0, middle, depth + 1, left, at, user, err));
    ZW_TRY(take_samples(s, middle, t1, at, user, err));
    return refine_interval(s, middle, t1, depth + 1, left, at, user, err);
}

zw_status zw_spans_piece(zw_spans *s, double t0, double t1, zw_span_at at, void *user,
                         zw_error *err) {
    int left = HALVINGS;
    ZW_TRY(take_samples(s, t0, t1, at, user, err));
    return refine_interval(s, t0, t1, 0, &left, at, user, err);
}

/* Integrals of a straight line from a to b over a time h that begins u after the span: three Gauss
 * points are exact. */
static void add_moments(zw_ensemble_span *sum, double u, double h, double a, double b) {
    for (int p = -1; p < 2; p++) {
        double part = 0.5 + p * 0.38729833462074168,
               power = h * (p ? 5. / 18 : 4. / 9) * (a + part * (b - a));
        for (int k = 0; k < 3; k++)
            sum->moment[k] += power *= u + part * h;
    }
}

void zw_spans_line(zw_spans *s, double t0, double t1, const double *from, const double *to) {
    widen_spans(s, from);
    widen_spans(s, to);
    for (int i = 0; i < s->n; i++) {
        double a = from[i], b = to[i];
        s->sum[i].mean += (t1 - t0) / 2 * (a + b);
        s->sum[i].square += (t1 - t0) / 3 * (a * a + a * b + b * b);
        add_moments(&s->sum[i], t0 - s->since, t1 - t0, a, b);
    }
    s->until = t1;
}

zw_status zw_spans_samples(zw_spans *s, double t0, double t1, const double *sample, int stride,
                           zw_span_at at, void *user, zw_error *err) {
    for (int i = 0; i < ZW_SPAN_SAMPLES * s->n; i++)
        s->sample[i] = sample[i * stride];
    int left = HALVINGS;
    return refine_interval(s, t0, t1, 0, &left, at, user, err);
}

const zw_ensemble_span *zw_spans_end(zw_spans *s) {
    double time = s->until - s->since;
    for (int i = 0; i < s->n; i++) {
        s->result[i] = s->sum[i];
        s->result[i].mean = time > 0 ? s->sum[i].mean / time : NAN;
        s->result[i].square = time > 0 ? s->sum[i].square / time : NAN;
        for (int k = 0; k < 3; k++)
            s->result[i].moment[k] = time > 0 ? s->sum[i].moment[k] / time : NAN;
        if (!(time > 0))
            s->result[i].least = s->result[i].largest = NAN;
    }
    zw_spans_begin(s, s->until);
    return s->result;
}
