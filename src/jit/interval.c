/* SPDX-License-Identifier: MIT */
/* Interval arithmetic with forward derivatives (Moore 1966; Neumaier 1990).
 *
 * A quantity is a function of s whose values are in v = [low, high] and whose slopes, the quotients
 * (f(s) - f(r)) / (s - r), are in d, so that kinks need no special treatment. For f(a), f of one
 * variable,
 *
 *     v = range of f over v_a,     d = (range of f' over v_a) d_a
 *
 * and likewise for two variables. Where f jumps (sign, an open `if`, the cut of atan2) or is
 * infinitely steep (sqrt at 0), d is unbounded; where it is undefined (1/0), v too. abs, min and
 * max have the hull of the slopes on both sides of their kinks. Parts outside the domain of a
 * function, due to overestimation, are cut off: sqrt of [-1, 4] is [0, 2].
 *
 * Ends are computed with rounding to nearest and moved outwards by 2^-52 of their size, those
 * computed by libm by four times that. Powers that underflow do not become 0; products that
 * underflow do. */
#include "interval.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#define OUTWARDS 0x1p-52             /* one rounding changes an end by half of this */
#define OUTWARDS_LIBM (4 * OUTWARDS) /* functions of libm are exact to 2 ulp */
#define PI 3.14159265358979323846
/* Largest argument of sine and cosine that is reduced by multiples of a double pi: beyond, the
 * period is lost in round-off. */
#define ARGUMENT_MAX 1e15

/* ------------------------------------------------------------------------- spans */

static const zw_interval all = {-INFINITY, INFINITY}, none = {0, 0}, one = {1, 1};

static inline zw_interval make_interval(double low, double high) {
    return (zw_interval){low, high};
}

/* moves the ends outwards by this fraction; NaN, or infinity at the wrong end, gives the whole
 * line */
static inline zw_interval widen_interval(double low, double high, double by) {
    low -= fabs(low) * by;
    high += fabs(high) * by;
    return low <= high ? make_interval(low, high) : all;
}

static inline bool has_point(zw_interval a, double x) {
    return a.low <= x && x <= a.high;
}

static inline bool is_zero(zw_interval a) {
    return a.low == 0 && a.high == 0;
}

static inline bool is_point(zw_interval a) {
    return a.low == a.high;
}

static inline double smaller_value(double a, double b) {
    return b < a ? b : a;
}

static inline double larger_value(double a, double b) {
    return b > a ? b : a;
}

static inline zw_interval interval_hull(zw_interval a, zw_interval b) {
    return make_interval(smaller_value(a.low, b.low), larger_value(a.high, b.high));
}

static inline zw_interval negate_interval(zw_interval a) {
    return make_interval(-a.high, -a.low);
}

static inline zw_interval add_intervals(zw_interval a, zw_interval b) {
    return widen_interval(a.low + b.low, a.high + b.high, OUTWARDS);
}

static inline zw_interval subtract_intervals(zw_interval a, zw_interval b) {
    return widen_interval(a.low - b.high, a.high - b.low, OUTWARDS);
}

/* 0 times anything is 0, also where the other has no bound */
static inline zw_interval multiply_intervals(zw_interval a, zw_interval b) {
    if (is_zero(a) || is_zero(b))
        return none;
    double p = a.low * b.low, q = a.low * b.high, r = a.high * b.low, s = a.high * b.high;
    if (isnan(p + q + r + s)) { /* 0 x infinity, or infinities of both signs */
        p = isnan(p) ? 0 : p;
        q = isnan(q) ? 0 : q;
        r = isnan(r) ? 0 : r;
        s = isnan(s) ? 0 : s;
    }
    return widen_interval(smaller_value(smaller_value(p, q), smaller_value(r, s)),
                          larger_value(larger_value(p, q), larger_value(r, s)), OUTWARDS);
}

static inline zw_interval square_interval(zw_interval a) {
    double p = a.low * a.low, q = a.high * a.high;
    return widen_interval(has_point(a, 0) ? 0 : smaller_value(p, q), larger_value(p, q), OUTWARDS);
}

static inline zw_interval divide_intervals(zw_interval a, zw_interval b) {
    if (has_point(b, 0))
        return is_zero(a) && !is_zero(b) ? none : all;
    return multiply_intervals(a, widen_interval(1 / b.high, 1 / b.low, OUTWARDS));
}

static inline zw_interval scale_interval(zw_interval a, double factor) {
    return multiply_intervals(a, make_interval(factor, factor));
}

/* the slope of a function that may be infinitely steep */
static inline zw_interval steep_slope(zw_interval slope) {
    return is_zero(slope) ? none : all;
}

/* -------------------------------------------------------------------- functions of one variable */

/* the range of an increasing function, by its values at the ends */
static zw_interval map_increasing(double (*f)(double), zw_interval a) {
    return widen_interval(f(a.low), f(a.high), OUTWARDS_LIBM);
}

/* Does [low, high] contain offset + k period for an integer k? If uncertain: true. */
static bool contains_multiple(zw_interval a, double offset, double period) {
    double slack = 8 * OUTWARDS * (fabs(a.low) + fabs(a.high) + period);
    double k = ceil((a.low - slack - offset) / period);
    return offset + k * period <= a.high + slack;
}

/* cos over a, where sin is cos shifted by pi/2 */
static zw_interval periodic_range(zw_interval a, double f_low, double f_high, double top) {
    if (!(a.high - a.low < 2 * PI) || fabs(a.low) > ARGUMENT_MAX || fabs(a.high) > ARGUMENT_MAX)
        return make_interval(-1, 1);
    zw_interval v =
        widen_interval(smaller_value(f_low, f_high), larger_value(f_low, f_high), OUTWARDS_LIBM);
    if (v.low < -1 || contains_multiple(a, top + PI, 2 * PI))
        v.low = -1;
    if (v.high > 1 || contains_multiple(a, top, 2 * PI))
        v.high = 1;
    return v;
}

static zw_interval sine_range(zw_interval a) {
    return periodic_range(a, sin(a.low), sin(a.high), PI / 2);
}

static zw_interval cosine_range(zw_interval a) {
    return periodic_range(a, cos(a.low), cos(a.high), 0);
}

static zw_bound tangent_bound(zw_bound a) {
    if (!(a.value.high - a.value.low < PI) || contains_multiple(a.value, PI / 2, PI))
        return (zw_bound){all, steep_slope(a.slope)};
    zw_interval v = map_increasing(tan, a.value);
    return (zw_bound){v, multiply_intervals(add_intervals(one, square_interval(v)), a.slope)};
}

static zw_interval root_range(zw_interval a) {
    if (!(a.high >= 0))
        return all;
    return widen_interval(sqrt(larger_value(a.low, 0)), sqrt(a.high), OUTWARDS);
}

static zw_bound square_root(zw_bound a) {
    zw_interval v = root_range(a.value);
    if (!(a.value.low > 0))
        return (zw_bound){v, steep_slope(a.slope)};
    return (zw_bound){v, divide_intervals(a.slope, scale_interval(v, 2))};
}

static zw_interval clip_interval(zw_interval a, double low, double high) {
    return make_interval(smaller_value(larger_value(a.low, low), high),
                         larger_value(smaller_value(a.high, high), low));
}

/* asin (rising) and acos: slope +-a' / sqrt(1 - a^2) */
static zw_bound arc_bound(zw_bound a, bool rising) {
    if (!(a.value.low <= 1 && a.value.high >= -1))
        return (zw_bound){all, all};
    zw_interval in = clip_interval(a.value, -1, 1);
    zw_interval v = rising ? map_increasing(asin, in)
                           : widen_interval(acos(in.high), acos(in.low), OUTWARDS_LIBM);
    zw_interval under = subtract_intervals(one, square_interval(in));
    zw_interval d =
        under.low > 0 ? divide_intervals(a.slope, root_range(under)) : steep_slope(a.slope);
    return (zw_bound){v, rising ? d : negate_interval(d)};
}

static zw_interval hyperbolic_cosine(zw_interval a) {
    double p = cosh(a.low), q = cosh(a.high);
    zw_interval v = widen_interval(has_point(a, 0) ? 1 : smaller_value(p, q), larger_value(p, q),
                                   OUTWARDS_LIBM);
    return make_interval(larger_value(v.low, 1), v.high);
}

static zw_bound area_cosine(zw_bound a) {
    if (!(a.value.high >= 1))
        return (zw_bound){all, all};
    zw_interval in = make_interval(larger_value(a.value.low, 1), a.value.high),
                v = map_increasing(acosh, in);
    zw_interval under = subtract_intervals(square_interval(in), one);
    return (zw_bound){v, under.low > 0 ? divide_intervals(a.slope, root_range(under))
                                       : steep_slope(a.slope)};
}

static zw_bound area_tangent(zw_bound a) {
    if (!(a.value.low <= 1 && a.value.high >= -1))
        return (zw_bound){all, all};
    zw_interval in = clip_interval(a.value, -1, 1);
    zw_interval v = widen_interval(in.low > -1 ? atanh(in.low) : -INFINITY,
                                   in.high < 1 ? atanh(in.high) : (double)INFINITY, OUTWARDS_LIBM);
    zw_interval under = subtract_intervals(one, square_interval(in));
    return (zw_bound){v, under.low > 0 ? divide_intervals(a.slope, under) : steep_slope(a.slope)};
}

static zw_bound logarithm_bound(zw_bound a) {
    if (!(a.value.high > 0))
        return (zw_bound){all, all};
    if (!(a.value.low > 0))
        return (zw_bound){widen_interval(-INFINITY, log(a.value.high), OUTWARDS_LIBM),
                          steep_slope(a.slope)};
    return (zw_bound){map_increasing(log, a.value), divide_intervals(a.slope, a.value)};
}

/* ------------------------------------------------------------------------- powers */

/* a^n over a >= 0 */
static zw_interval power_of_positive(zw_interval a, double n) {
    double p = pow(larger_value(a.low, 0), n), q = pow(a.high, n);
    return widen_interval(smaller_value(p, q), larger_value(p, q) + DBL_MIN, OUTWARDS_LIBM);
}

/* a^n for a whole number n */
static zw_interval whole_power(zw_interval a, double n) {
    if (n == 0)
        return one;
    if (n < 0)
        return divide_intervals(one, whole_power(a, -n));
    double p = pow(a.low, n), q = pow(a.high, n);
    bool even = fmod(n, 2) == 0;
    if (even && has_point(a, 0))
        return widen_interval(0, larger_value(p, q), OUTWARDS_LIBM);
    return widen_interval(smaller_value(p, q), larger_value(p, q), OUTWARDS_LIBM);
}

static zw_interval power_range(zw_interval a, double n) {
    if (n == floor(n) && fabs(n) < 0x1p53)
        return whole_power(a, n);
    return a.high >= 0 ? power_of_positive(a, n) : all;
}

/* a^b, b a number: b a^(b-1) a' */
static zw_bound number_power(zw_bound a, double b) {
    zw_interval v = power_range(a.value, b);
    if (b == 0)
        return (zw_bound){v, none};
    zw_interval rate = scale_interval(power_range(a.value, b - 1), b);
    bool whole = b == floor(b);
    bool finite = whole ? b > 0 || !has_point(a.value, 0) : a.value.low > 0 || b > 1;
    return (zw_bound){v, finite ? multiply_intervals(rate, a.slope) : steep_slope(a.slope)};
}

/* a^b, a > 0: monotone in each, so the corners decide; slope a^b (b' log a + b a'/a) */
static zw_bound power_bound(zw_bound a, zw_bound b) {
    if (is_point(b.value) && is_zero(b.slope))
        return number_power(a, b.value.low);
    if (!(a.value.low > 0))
        return (zw_bound){all, all};
    zw_interval p = power_of_positive(a.value, b.value.low),
                q = power_of_positive(a.value, b.value.high), v = interval_hull(p, q);
    zw_interval rate =
        add_intervals(multiply_intervals(b.slope, map_increasing(log, a.value)),
                      multiply_intervals(b.value, divide_intervals(a.slope, a.value)));
    return (zw_bound){v, multiply_intervals(v, rate)};
}

/* ------------------------------------------------------------------------- choices */

static zw_bound angle_bound(zw_bound y, zw_bound x) {
    if (x.value.low <= 0 && has_point(y.value, 0)) /* the cut, or the origin */
        return (zw_bound){make_interval(-PI - OUTWARDS_LIBM, PI + OUTWARDS_LIBM), all};
    double p = atan2(y.value.low, x.value.low), q = atan2(y.value.low, x.value.high),
           r = atan2(y.value.high, x.value.low), s = atan2(y.value.high, x.value.high);
    zw_interval v =
        widen_interval(smaller_value(smaller_value(p, q), smaller_value(r, s)),
                       larger_value(larger_value(p, q), larger_value(r, s)), OUTWARDS_LIBM);
    zw_interval up = subtract_intervals(multiply_intervals(x.value, y.slope),
                                        multiply_intervals(y.value, x.slope));
    return (zw_bound){
        v, divide_intervals(up, add_intervals(square_interval(x.value), square_interval(y.value)))};
}

static zw_bound magnitude_bound(zw_bound a) {
    if (a.value.low >= 0)
        return a;
    zw_bound b = {negate_interval(a.value), negate_interval(a.slope)};
    if (a.value.high <= 0)
        return b;
    return (zw_bound){make_interval(0, larger_value(a.value.high, b.value.high)),
                      interval_hull(a.slope, b.slope)};
}

static zw_bound smaller_bound(zw_bound a, zw_bound b) {
    if (a.value.high < b.value.low)
        return a;
    if (b.value.high < a.value.low)
        return b;
    return (zw_bound){make_interval(smaller_value(a.value.low, b.value.low),
                                    smaller_value(a.value.high, b.value.high)),
                      interval_hull(a.slope, b.slope)};
}

static zw_bound negate_bound(zw_bound a) {
    return (zw_bound){negate_interval(a.value), negate_interval(a.slope)};
}

/* a step function with values from low to high */
static zw_bound step_bound(double low, double high) {
    return (zw_bound){make_interval(low, high), low == high ? none : all};
}

static zw_bound sign_of(zw_interval a) {
    return step_bound(a.low > 0 ? 1 : a.low == 0 ? 0 : -1, a.high < 0 ? -1 : a.high == 0 ? 0 : 1);
}

static bool is_true(zw_interval a) { /* not 0 */
    return a.low > 0 || a.high < 0;
}

static zw_bound truth_bound(bool always, bool never) {
    return step_bound(always, !never);
}

static zw_bound choice_bound(zw_bound test, zw_bound yes, zw_bound no) {
    if (is_true(test.value))
        return yes;
    if (is_zero(test.value))
        return no;
    return (zw_bound){interval_hull(yes.value, no.value), all};
}

/* ------------------------------------------------------------------------- tables */

/* the piece of x, as zw_spline_eval finds it */
static int piece_of(const zw_spline *s, double x) {
    int low = 0, high = s->n - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (x < s->x[middle])
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* k-th derivative of a piece at the distance d from its first knot, divided by k! */
static double taylor_coefficient(const double *c, int k, double d) {
    switch (k) {
    case 0:
        return ((c[3] * d + c[2]) * d + c[1]) * d + c[0];
    case 1:
        return (3 * c[3] * d + 2 * c[2]) * d + c[1];
    case 2:
        return 3 * c[3] * d + c[2];
    default:
        return c[3];
    }
}

/* Derivative of some order of one piece over [from, to], by its polynomial about the middle m:
 * f(m + s) = sum f_k s^k, f^(order) = sum f_k k!/(k - order)! s^(k - order). */
static zw_interval piece_range(const zw_spline *s, int piece, int order, double from, double to) {
    static const double factor[4][4] = {{1, 1, 1, 1}, {0, 1, 2, 3}, {0, 0, 2, 6}, {0, 0, 0, 6}};
    const double *c = s->coef + 4 * (size_t)piece;
    double middle = from + (to - from) / 2, r = larger_value(to - middle, middle - from);
    double d = middle - s->x[piece], far = fabs(d) + r, size = 0, way = 1;
    zw_interval v = none;
    for (int k = order; k <= 3; k++, way *= r) {
        double value = factor[order][k] * taylor_coefficient(c, k, d) * way;
        zw_interval part =
            k == order ? make_interval(value, value) : make_interval(-fabs(value), fabs(value));
        if (k == order + 2) /* of an even power */
            part = make_interval(smaller_value(value, 0), larger_value(value, 0));
        v = add_intervals(v, part);
    }
    for (int k = 3; k >= order; k--) /* the round-off of these sums */
        size = size * far + 6 * fabs(c[k]);
    double off = 16 * OUTWARDS * size;
    return widen_interval(v.low - off, v.high + off, OUTWARDS_LIBM);
}

/* is a knot, where derivatives may jump, in the interval? */
static bool contains_knot(const zw_spline *s, zw_interval a) {
    if (a.high < s->x[0] || a.low > s->x[s->n - 1])
        return false;
    if (a.low <= s->x[0])
        return true;
    int i = piece_of(s, a.low);
    return a.low == s->x[i] || a.high >= s->x[i + 1];
}

static zw_interval table_range(const zw_spline *s, int order, zw_interval a) {
    double first = s->x[0], last = s->x[s->n - 1];
    zw_interval outside = none, v;
    bool beyond = a.low < first || a.high > last;
    if (order > 3)
        return none;
    if (beyond && order == 0) {
        double low = a.low < first ? s->first : s->last, high = a.high > last ? s->last : s->first;
        outside = make_interval(smaller_value(low, high), larger_value(low, high));
    }
    if (a.high < first || a.low > last)
        return outside;
    zw_interval in = clip_interval(a, first, last);
    int i = piece_of(s, in.low);
    v = piece_range(s, i, order, in.low, smaller_value(in.high, s->x[i + 1]));
    if (i > 0 && in.low == s->x[i]) /* at a knot the slopes of both sides count */
        v = interval_hull(v, piece_range(s, i - 1, order, in.low, in.low));
    for (i++; i + 1 < s->n && s->x[i] <= in.high; i++)
        v = interval_hull(v,
                          piece_range(s, i, order, s->x[i], smaller_value(in.high, s->x[i + 1])));
    bool at_end = a.low <= first || a.high >= last;
    return beyond || (order > 0 && at_end) ? interval_hull(v, outside) : v;
}

zw_bound zw_interval_table(const zw_spline *s, int order, zw_bound a) {
    if (!s || isnan(a.value.low + a.value.high))
        return (zw_bound){all, all};
    zw_interval v = table_range(s, order, a.value);
    if (order > 0 && contains_knot(s, a.value))
        return (zw_bound){v, steep_slope(a.slope)};
    return (zw_bound){v, multiply_intervals(table_range(s, order + 1, a.value), a.slope)};
}

/* ------------------------------------------------------------------------- all operations */

zw_bound zw_interval_apply(zw_opcode op, zw_bound a, zw_bound b, zw_bound c, bool same) {
    zw_interval v;
    switch (op) {
    case ZW_CODE_MOVE:
        return a;
    case ZW_CODE_NEG:
        return negate_bound(a);
    case ZW_CODE_ADD:
        return (zw_bound){add_intervals(a.value, b.value), add_intervals(a.slope, b.slope)};
    case ZW_CODE_SUB:
        return same ? (zw_bound){none, none}
                    : (zw_bound){subtract_intervals(a.value, b.value),
                                 subtract_intervals(a.slope, b.slope)};
    case ZW_CODE_MUL:
        if (same)
            return (zw_bound){square_interval(a.value),
                              multiply_intervals(scale_interval(a.value, 2), a.slope)};
        return (zw_bound){multiply_intervals(a.value, b.value),
                          add_intervals(multiply_intervals(a.value, b.slope),
                                        multiply_intervals(a.slope, b.value))};
    case ZW_CODE_DIV:
        v = divide_intervals(a.value, b.value);
        return (zw_bound){
            v,
            divide_intervals(subtract_intervals(a.slope, multiply_intervals(v, b.slope)), b.value)};
    case ZW_CODE_SQRT:
        return square_root(a);
    case ZW_CODE_POW:
        return power_bound(a, b);
    case ZW_CODE_SIN:
        return (zw_bound){sine_range(a.value), multiply_intervals(cosine_range(a.value), a.slope)};
    case ZW_CODE_COS:
        return (zw_bound){cosine_range(a.value),
                          negate_interval(multiply_intervals(sine_range(a.value), a.slope))};
    case ZW_CODE_TAN:
        return tangent_bound(a);
    case ZW_CODE_ASIN:
        return arc_bound(a, true);
    case ZW_CODE_ACOS:
        return arc_bound(a, false);
    case ZW_CODE_ATAN:
        return (zw_bound){map_increasing(atan, a.value),
                          divide_intervals(a.slope, add_intervals(one, square_interval(a.value)))};
    case ZW_CODE_SINH:
        return (zw_bound){map_increasing(sinh, a.value),
                          multiply_intervals(hyperbolic_cosine(a.value), a.slope)};
    case ZW_CODE_COSH:
        return (zw_bound){hyperbolic_cosine(a.value),
                          multiply_intervals(map_increasing(sinh, a.value), a.slope)};
    case ZW_CODE_TANH:
        v = clip_interval(map_increasing(tanh, a.value), -1, 1);
        return (zw_bound){
            v, multiply_intervals(clip_interval(subtract_intervals(one, square_interval(v)), 0, 1),
                                  a.slope)};
    case ZW_CODE_ASINH:
        return (zw_bound){
            map_increasing(asinh, a.value),
            divide_intervals(a.slope, root_range(add_intervals(one, square_interval(a.value))))};
    case ZW_CODE_ACOSH:
        return area_cosine(a);
    case ZW_CODE_ATANH:
        return area_tangent(a);
    case ZW_CODE_EXP:
        v = widen_interval(exp(a.value.low), exp(a.value.high) + DBL_MIN, OUTWARDS_LIBM);
        return (zw_bound){v, multiply_intervals(v, a.slope)};
    case ZW_CODE_LOG:
        return logarithm_bound(a);
    case ZW_CODE_ATAN2:
        return angle_bound(a, b);
    case ZW_CODE_ABS:
        return magnitude_bound(a);
    case ZW_CODE_SIGN:
        return sign_of(a.value);
    case ZW_CODE_MIN:
        return smaller_bound(a, b);
    case ZW_CODE_MAX:
        return negate_bound(smaller_bound(negate_bound(a), negate_bound(b)));
    case ZW_CODE_LT:
        return truth_bound(a.value.high < b.value.low, same || a.value.low >= b.value.high);
    case ZW_CODE_LE:
        return truth_bound(same || a.value.high <= b.value.low, a.value.low > b.value.high);
    case ZW_CODE_NOT:
        return truth_bound(is_zero(a.value), is_true(a.value));
    case ZW_CODE_AND:
        return truth_bound(is_true(a.value) && is_true(b.value),
                           is_zero(a.value) || is_zero(b.value));
    case ZW_CODE_OR:
        return truth_bound(is_true(a.value) || is_true(b.value),
                           is_zero(a.value) && is_zero(b.value));
    case ZW_CODE_SELECT:
        return choice_bound(a, b, c);
    case ZW_CODE_MULADD: /* only in lanes, which have no bounds */
    case ZW_CODE_MULSUB:
    case ZW_CODE_SUBMUL:
    case ZW_CODE_CONST:
    case ZW_CODE_INPUT:
    case ZW_CODE_TABLE:
    case ZW_CODE_PATCH: /* only in forces and for multipliers, which have no bounds either */
    case ZW_CODE_COUNT:
        break;
    }
    return (zw_bound){all, all};
}

/* ------------------------------------------------------------------------- code */

/* One frame of bounds, as in interp.c: the used entries of the spaces, one after the other. */
typedef struct step {
    uint32_t op, to, a, b, c;
    uint64_t serves; /* outputs that need it: bit i % 64 for output i */
} step;

typedef struct interval_code {
    const zw_code *code;
    int nstep;
    const step *step;
    int at[ZW_SPACE_COUNT], first[ZW_SPACE_COUNT], size[ZW_SPACE_COUNT];
} interval_code;

static zw_bound number_bound(double x) {
    return (zw_bound){{x, x}, {0, 0}};
}

static void put_bounds(const interval_code *in, zw_space space, const zw_bound *from,
                       zw_bound *frame) {
    for (int i = 0; i < in->size[space]; i++)
        frame[in->at[space] + i] = from ? from[in->first[space] + i] : (zw_bound){all, all};
}

static void put_numbers(const interval_code *in, zw_space space, const double *from,
                        zw_bound *frame) {
    for (int i = 0; i < in->size[space]; i++)
        frame[in->at[space] + i] = number_bound(from[in->first[space] + i]);
}

static void execute_code(const interval_code *in, uint64_t wanted, zw_bound *frame) {
    for (const step *s = in->step, *end = s + in->nstep; s < end; s++) {
        if (!(s->serves & wanted))
            continue;
        zw_bound *to = &frame[s->to], a = frame[s->a];
        if (s->op == ZW_CODE_TABLE)
            *to = zw_interval_table(in->code->table[s->b], (int)s->c, a);
        else
            *to = zw_interval_apply((zw_opcode)s->op, a, frame[s->b], frame[s->c], s->a == s->b);
    }
}

static void call_code(const zw_bound_func *self, const zw_bound_args *args, const bool *open,
                      zw_bound *out, zw_bound *work) {
    const interval_code *in = self->code;
    uint64_t wanted = open ? 0 : UINT64_MAX;
    for (int i = 0; open && i < self->nout; i++)
        wanted |= (uint64_t)open[i] << (i % 64);
    put_bounds(in, ZW_SPACE_T, args->t, work);
    put_bounds(in, ZW_SPACE_X, args->x, work);
    put_bounds(in, ZW_SPACE_Z, args->z, work);
    put_bounds(in, ZW_SPACE_U, args->u, work);
    put_numbers(in, ZW_SPACE_CACHE, args->c, work);
    put_numbers(in, ZW_SPACE_CONST, in->code->constant, work);
    execute_code(in, wanted, work);
    memcpy(out, work + in->at[ZW_SPACE_OUT], sizeof *out * (size_t)self->nout);
}

/* places the used entries of the spaces; returns the size of the frame */
static int place_spaces(interval_code *in) {
    int size[ZW_SPACE_COUNT] = {[ZW_SPACE_OUT] = in->code->nout}, frame = 0, cached = INT_MAX;
    for (int i = 0; i < in->code->ninstruction; i++) {
        const zw_instruction *k = &in->code->instruction[i];
        zw_operand place[4] = {k->to, k->a, k->b, k->c};
        for (int j = 0; j <= zw_code_arity((zw_opcode)k->op); j++) {
            zw_space space = zw_operand_space(place[j]);
            int index = zw_operand_index(place[j]);
            size[space] = index >= size[space] ? index + 1 : size[space];
            if (space == ZW_SPACE_CACHE && index < cached)
                cached = index;
        }
    }
    for (int s = 0; s < ZW_SPACE_COUNT; s++) {
        in->first[s] = s == ZW_SPACE_CACHE && size[s] ? cached : 0;
        in->at[s] = frame;
        in->size[s] = size[s] - in->first[s];
        frame += in->size[s];
    }
    return frame;
}

static uint32_t offset_of(const interval_code *in, zw_operand o) {
    zw_space space = zw_operand_space(o);
    return (uint32_t)(in->at[space] + zw_operand_index(o) - in->first[space]);
}

static void make_steps(const interval_code *in, step *s) {
    for (int i = 0; i < in->code->ninstruction; i++) {
        const zw_instruction *k = &in->code->instruction[i];
        int arity = zw_code_arity((zw_opcode)k->op);
        s[i] = (step){.op = k->op, .to = offset_of(in, k->to), .a = offset_of(in, k->a)};
        s[i].b = arity > 1 ? offset_of(in, k->b) : s[i].a;
        s[i].c = arity > 2 ? offset_of(in, k->c) : s[i].a;
        if (k->op == ZW_CODE_TABLE) {
            s[i].b = k->b;
            s[i].c = k->c;
        }
    }
}

/* From the last instruction to the first: the outputs that need the present value of each place. */
static void find_served(const interval_code *in, step *s, uint64_t *need) {
    for (int i = 0; i < in->code->nout; i++)
        need[in->at[ZW_SPACE_OUT] + i] = (uint64_t)1 << (i % 64);
    for (int i = in->nstep - 1; i >= 0; i--) {
        int arity = zw_code_arity((zw_opcode)s[i].op);
        uint64_t serves = s[i].serves = need[s[i].to];
        need[s[i].to] = 0; /* an earlier value belongs to other outputs */
        need[s[i].a] |= serves;
        if (arity > 1)
            need[s[i].b] |= serves;
        if (arity > 2)
            need[s[i].c] |= serves;
    }
}

/* the entries of x that occur, ascending */
static int list_entries(const zw_code *code, int size, bool *seen, int *entry) {
    int n = 0;
    for (int i = 0; i < code->ninstruction; i++) {
        const zw_instruction *k = &code->instruction[i];
        zw_operand place[3] = {k->a, k->b, k->c};
        for (int j = 0; j < zw_code_arity((zw_opcode)k->op); j++)
            if (zw_operand_space(place[j]) == ZW_SPACE_X)
                seen[zw_operand_index(place[j])] = true;
    }
    for (int i = 0; i < size; i++)
        if (seen[i])
            entry[n++] = i;
    return n;
}

zw_status zw_interval_func(zw_bound_func *f, const zw_code *code, zw_arena *arena) {
    interval_code *in = ZW_NEW(arena, interval_code, 1);
    step *s = ZW_NEW(arena, step, code->ninstruction + 1);
    if (!in || !s)
        return ZW_E_MEMORY;
    *in = (interval_code){.code = code, .nstep = code->ninstruction, .step = s};
    int frame = place_spaces(in), size = in->size[ZW_SPACE_X];
    zw_arena scratch;
    zw_arena_init(&scratch, &arena->alloc);
    int *entry = ZW_NEW(arena, int, size + 1);
    uint64_t *need = ZW_NEW(&scratch, uint64_t, frame + 1);
    bool *seen = ZW_NEW(&scratch, bool, size + 1), enough = entry && need && seen;
    if (enough) {
        make_steps(in, s);
        find_served(in, s, need);
        *f = (zw_bound_func){.call = call_code,
                             .code = in,
                             .nout = code->nout,
                             .nwork = frame,
                             .nx = list_entries(code, size, seen, entry),
                             .x = entry};
    }
    zw_arena_clear(&scratch);
    return enough ? ZW_OK : ZW_E_MEMORY;
}
