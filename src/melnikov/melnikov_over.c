/* SPDX-License-Identifier: MIT */
/* Zeros of M over a parameter. Without an excitation it is M itself; with one it is
 *     min(high, -low),     low and high the bounds of M(t0) over t0,
 * which is positive if M(t0) has simple zeros and negative if it has none. Both are
 * continuous as long as the separatrix is, so that a change of sign between two points of the range
 * is a zero between them, or a jump: if the separatrix begins to pass over a hill that turned it
 * back before, it is another one, and M is not near zero; zeros without a change of sign, or
 * two between two points, are not found. A sign counts only if the value exceeds its error:
 * the round-off of an M that vanishes has zeros, too.
 *
 * Over a second parameter each zero is followed: it is searched near the last one, in a bracket
 * that grows, and in the whole range if that fails. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "melnikov.h"

/* of the neighbouring values: the rest of M at a change of sign that is a zero is round-off, at a
 * jump it is of their order */
#define JUMP_RATIO 1e-6
#define SIGN_ERRORS 10.0   /* errors: a larger value has a sign */
#define SLOPE_STEP 1e-5    /* of the bracket: for the slope of M at a zero */
#define FIRST_BRACKET 1e-3 /* of the range: half width of the first bracket of a zero */

enum {
    CONTINUATION_STEPS = 64, /* steps in which a saddle is continued */
    CURVE_POINTS = 31,       /* default number of points of a curve of zeros */
    GROWTHS = 12,            /* doublings of a bracket */
    ITERATIONS = 100         /* of Brent's method */
};

zw_status zw_melnikov_parameters(zw_melnikov *s, int first, double a, int second, double b,
                                 double *p, zw_error *err) {
    bool given[2] = {false, false};
    memcpy(p, s->p, sizeof(double) * (size_t)s->sys->np);
    if (first >= 0) {
        p[first] = a;
        given[0] = s->given[first];
        s->given[first] = true;
    }
    if (second >= 0) {
        p[second] = b;
        given[1] = s->given[second];
        s->given[second] = true;
    }
    zw_status status = zw_system_param_follow(s->sys, s->given, p, err);
    if (second >= 0)
        s->given[second] = given[1];
    if (first >= 0)
        s->given[first] = given[0];
    return status;
}

/* The saddle of the separatrix at the parameters of the model, continued to p in steps: from far
 * away Newton's method may find another equilibrium. */
static zw_status continue_saddle(zw_melnikov *s, const double *p, int side, double at[2],
                                 zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(&s->arena);
    int np = s->sys->np;
    double *q = ZW_NEW(&s->arena, double, np + 1);
    if (!q)
        return zw_out_of_memory(err, NULL);
    memcpy(at, s->orbit[side].out.at, 2 * sizeof *at);
    for (int k = 1; k <= CONTINUATION_STEPS; k++) {
        zw_plane m;
        for (int i = 0; i < np; i++)
            q[i] = k == CONTINUATION_STEPS ? p[i]
                                           : s->p[i] + (p[i] - s->p[i]) * k / CONTINUATION_STEPS;
        ZW_TRY(zw_plane_set(s, q, -1, &m, err));
        if (!zw_plane_newton(&m, at))
            return zw_fail(err, ZW_E_NUMERIC, "the saddle is lost");
    }
    zw_arena_release(&s->arena, mark);
    return ZW_OK;
}

static bool is_saddle(const zw_plane *m, const double at[2]) {
    double J[4];
    zw_plane_jacobian(m, at, J);
    return J[0] * J[3] - J[1] * J[2] < 0;
}

zw_status zw_melnikov_along(zw_melnikov *s, const double *p, int side, int part,
                            zw_melnikov_value *out, zw_error *err) {
    zw_plane m;
    zw_heteroclinic *o = &s->moving[side];
    char why[200];
    ZW_TRY(zw_plane_set(s, p, part, &m, err));
    if (!o->there || o->f[0] != m.f[0] || o->f[1] != m.f[1] || o->C != m.C) {
        double at[2];
        memcpy(at, o->there ? o->out.at : s->orbit[side].out.at, sizeof at);
        if (!zw_plane_newton(&m, at) || !is_saddle(&m, at))
            ZW_TRY(continue_saddle(s, p, side, at, err));
        ZW_TRY(zw_heteroclinic_find(s, &m, at, s->orbit[side].side, o, why, err));
        if (!o->there)
            return zw_fail(err, ZW_E_NUMERIC, "the separatrix is lost: %s", why);
    }
    return zw_melnikov_integrate(s, &m, o, out, err);
}

/* ------------------------------------------------------------------------------- Brent's method */

/* R. P. Brent, Algorithms for Minimization without Derivatives (1973), chapter 4: inverse quadratic
 * interpolation and secants where they shorten, otherwise bisection. */
zw_status zw_melnikov_zero(zw_melnikov_function f, void *user, double a, double fa, double b,
                           double fb, double *x, zw_error *err) {
    double c = a, fc = fa, d = b - a, e = d;
    for (int k = 0; k < ITERATIONS; k++) {
        if (fb * fc > 0) {
            c = a;
            fc = fa;
            d = e = b - a;
        }
        if (fabs(fc) < fabs(fb)) {
            a = b, b = c, c = a;
            fa = fb, fb = fc, fc = fa;
        }
        double tolerance = 2 * DBL_EPSILON * fabs(b) + ZW_TINY, half = (c - b) / 2;
        if (fabs(half) <= tolerance || fb == 0)
            break;
        if (fabs(e) >= tolerance && fabs(fa) > fabs(fb)) {
            double r = fb / fa, p, q;
            if (a == c) {
                p = 2 * half * r;
                q = 1 - r;
            } else {
                double u = fa / fc, v = fb / fc;
                p = r * (2 * half * u * (u - v) - (b - a) * (v - 1));
                q = (u - 1) * (v - 1) * (r - 1);
            }
            if (p > 0)
                q = -q;
            p = fabs(p);
            if (2 * p < fmin(3 * half * q - fabs(tolerance * q), fabs(e * q))) {
                e = d;
                d = p / q;
            } else {
                d = e = half;
            }
        } else {
            d = e = half;
        }
        a = b;
        fa = fb;
        b += fabs(d) > tolerance ? d : copysign(tolerance, half);
        ZW_TRY(f(user, b, &fb, err));
    }
    *x = b;
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------- the scan */

typedef struct zero_search {
    zw_melnikov *s;
    int side;
    double second;
    double *p;
    zw_melnikov_value value; /* of the last call */
} zero_search;

static double beyond_zero(const zw_melnikov_value *v) {
    return v->base > 0 ? fmin(v->high, -v->low) : v->mean;
}

bool zw_melnikov_has_sign(const zw_melnikov_value *v) {
    return fabs(beyond_zero(v)) > SIGN_ERRORS * v->error;
}

static zw_status evaluate_distance(void *user, double x, double *y, zw_error *err) {
    zero_search *q = user;
    zw_melnikov *s = q->s;
    ZW_TRY(zw_melnikov_parameters(s, s->over[0].parameter, x,
                                  s->has_marks && !isnan(q->second) ? s->over[1].parameter : -1,
                                  q->second, q->p, err));
    ZW_TRY(zw_melnikov_along(s, q->p, q->side, -1, &q->value, err));
    *y = beyond_zero(&q->value);
    return ZW_OK;
}

/* The same by the other integral. */
static zw_status ask_other(void *user, double x, double *y, zw_error *err) {
    zero_search *q = user;
    zw_melnikov *s = q->s;
    zw_plane m;
    zw_melnikov_value other;
    ZW_TRY(evaluate_distance(user, x, y, err)); /* the motion at these parameters */
    ZW_TRY(zw_plane_set(s, q->p, -1, &m, err));
    ZW_TRY(zw_melnikov_by_level(s, &m, &s->moving[q->side], s->separatrix[q->side].master,
                                q->value.harmonics, &other, err));
    *y = beyond_zero(&other);
    return ZW_OK;
}

static zw_status add_root(zw_melnikov *s, const zw_melnikov_root *r, zw_error *err) {
    if (!zw_arena_grow(&s->arena, (void **)&s->root, s->nroot, &s->root_capacity, sizeof *s->root))
        return zw_out_of_memory(err, NULL);
    s->root[s->nroot++] = *r;
    return ZW_OK;
}

static void note_jump(zw_melnikov *s, double value) {
    const zw_parameter_range *o = &s->over[0];
    snprintf(s->lost, sizeof s->lost,
             "M jumps through zero at %s = %.9g, where the separatrix becomes another one: that is "
             "no zero",
             o->name, value / o->factor);
}

/* A zero between two values, or at the end with the smaller value if both have one sign: position,
 * slope, error. One of them has a sign. */
static zw_status find_root(zero_search *q, double a, double fa, double b, double fb,
                           zw_melnikov_root *out, bool *jump, zw_error *err) {
    double high, low, y;
    *jump = false;
    *out = (zw_melnikov_root){.separatrix = q->side, .second = q->second, .other = NAN};
    if (fa * fb <= 0)
        ZW_TRY(zw_melnikov_zero(evaluate_distance, q, a, fa, b, fb, &out->value, err));
    else
        out->value = fabs(fa) < fabs(fb) ? a : b;
    ZW_TRY(evaluate_distance(q, out->value, &y, err));
    if (fabs(y) > JUMP_RATIO * (fabs(fa) + fabs(fb)) && zw_melnikov_has_sign(&q->value)) {
        note_jump(q->s, out->value);
        *jump = true;
        return ZW_OK;
    }
    double error = q->value.error, step = SLOPE_STEP * fabs(b - a),
           right = fmin(out->value + step, fmax(a, b)), left = fmax(out->value - step, fmin(a, b));
    ZW_TRY(evaluate_distance(q, right, &high, err));
    ZW_TRY(evaluate_distance(q, left, &low, err));
    out->slope = fabs(high - low) > SIGN_ERRORS * error ? (high - low) / (right - left)
                                                        /* otherwise it is round-off */
                                                        : (fb - fa) / (b - a);
    out->error = error / fabs(out->slope) + 2 * DBL_EPSILON * fabs(out->value);
    out->rises = q->value.base > 0 ? (out->slope > 0 ? 1 : -1) : 0;
    return ZW_OK;
}

/* The zero by the other integral: one secant step from the first one, exact to the square of their
 * difference. */
static zw_status confirm_by_level(zero_search *q, zw_melnikov_root *r, zw_error *err) {
    double y;
    zw_error trouble = {0};
    zw_status status = ask_other(q, r->value, &y, &trouble);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    if (status >= 0)
        r->other = r->value - y / r->slope;
    return ZW_OK;
}

static zw_status report_no_zero(const zw_melnikov *s, zw_error *err) {
    const zw_parameter_range *o = &s->over[0];
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < s->nscan; i++)
        for (int k = 0; k < s->nseparatrix; k++) {
            low = fmin(low, s->scan_value[i * ZW_MELNIKOV_SIDES + k]);
            high = fmax(high, s->scan_value[i * ZW_MELNIKOV_SIDES + k]);
        }
    bool driven = s->plane.base > 0;
    if (s->lost[0])
        zw_fail(err, ZW_E_NUMERIC, "no zero was found for %s between %.9g and %.9g: %s", o->name,
                o->from / o->factor, o->to / o->factor, s->lost);
    else if (driven)
        zw_fail(err, ZW_E_NUMERIC, "no threshold for %s between %.9g and %.9g: M(t0) has %s there",
                o->name, o->from / o->factor, o->to / o->factor,
                high > 0 ? "simple zeros at all values" : "no zeros");
    else
        zw_fail(err, ZW_E_NUMERIC, "M has no zero for %s between %.9g and %.9g: it is %.6g to %.6g",
                o->name, o->from / o->factor, o->to / o->factor, low, high);
    zw_error_hint(err, "another range of --over, or more --points if it could touch zero between "
                       "two of them");
    return ZW_E_NUMERIC;
}

/* M is round-off in the whole range. */
static zw_status report_no_sign(const zw_melnikov *s, zw_error *err) {
    const zw_parameter_range *o = &s->over[0];
    zw_fail(err, ZW_E_NUMERIC,
            "M is zero within its error at all values of %s between %.9g and %.9g: its zeros are "
            "undecided",
            o->name, o->from / o->factor, o->to / o->factor);
    zw_error_hint(err, "M vanishes to first order: the perturbation may be conservative, or the "
                       "excitation so fast that M is below rounding");
    return ZW_E_NUMERIC;
}

/* More than one successive value without a sign: there may be zeros anywhere. */
static void note_undecided(zw_melnikov *s, int before, int i) {
    const zw_parameter_range *o = &s->over[0];
    if (before < 1)
        return;
    snprintf(s->lost, sizeof s->lost,
             "M is zero within its error for %s from %.6g to %.6g: which zeros it has there is "
             "undecided",
             o->name, s->scan_at[i - before] / o->factor, s->scan_at[i] / o->factor);
}

/* A zero between two values of the scan, at least one of which has a sign. */
static zw_status found_between(zero_search *q, int from, int to, zw_error *err) {
    zw_melnikov *s = q->s;
    zw_melnikov_root r;
    bool jump;
    double again;
    const double *value = s->scan_value + q->side;
    ZW_TRY(find_root(q, s->scan_at[from], value[from * ZW_MELNIKOV_SIDES], s->scan_at[to],
                     value[to * ZW_MELNIKOV_SIDES], &r, &jump, err));
    if (!jump) {
        ZW_TRY(confirm_by_level(q, &r, err));
        r.second = NAN;
        ZW_TRY(add_root(s, &r, err));
    }
    /* restores the separatrix of the scan */
    return evaluate_distance(q, s->scan_at[to], &again, err);
}

zw_status zw_melnikov_scan(zw_melnikov *s, zw_error *err) {
    const zw_parameter_range *o = &s->over[0];
    int n = o->rows ? o->rows : s->options.points;
    bool printed = false;
    double *p = ZW_NEW(&s->arena, double, s->sys->np + 1);
    s->scan_at = ZW_NEW(&s->arena, double, n);
    s->scan_value = ZW_NEW(&s->arena, double, n *ZW_MELNIKOV_SIDES);
    if (!p || !s->scan_at || !s->scan_value)
        return zw_out_of_memory(err, NULL);
    for (int side = 0; side < s->nseparatrix; side++) {
        zero_search q = {.s = s, .side = side, .second = NAN, .p = p};
        int known = -1; /* the last value with a sign */
        for (int i = 0; i < n; i++) {
            if (zw_melnikov_asked_to_stop(s, (double)(side * n + i) / (s->nseparatrix * n)))
                return ZW_OK;
            s->scan_at[i] = o->from + (o->to - o->from) * i / (n - 1);
            double *now = &s->scan_value[i * ZW_MELNIKOV_SIDES + side];
            zw_error trouble = {0};
            zw_status status = evaluate_distance(&q, s->scan_at[i], now, &trouble);
            if (status < 0) {
                zw_fail(err, status, "at %s = %.9g: %.400s", o->name, s->scan_at[i] / o->factor,
                        trouble.text);
                zw_error_hint(err,
                              "is the range one in which the saddle and its separatrix are there?");
                return status;
            }
            if (!zw_melnikov_has_sign(&q.value)) {
                note_undecided(s, i - known - 1, i);
                if (i == n - 1 && i > 0 && known == i - 1)
                    ZW_TRY(found_between(&q, known, i, err)); /* a zero at the end */
                continue;
            }
            bool turned = known >= 0 && s->scan_value[known * ZW_MELNIKOV_SIDES + side] * *now < 0;
            if (turned || (known < 0 && i == 1))
                ZW_TRY(found_between(&q, turned ? known : 0, i, err));
            known = i;
        }
        printed = printed || known >= 0;
    }
    s->nscan = n;
    return !printed ? report_no_sign(s, err) : s->nroot > 0 ? ZW_OK : report_no_zero(s, err);
}

/* --------------------------------------------------------------------------------------- curves */

/* A zero near `at`, in a bracket that grows from it; false if there is none. */
static zw_status near_root(zero_search *q, double at, double slope_by_second, double step,
                           bool *found, zw_melnikov_root *out, zw_error *err) {
    const zw_parameter_range *o = &q->s->over[0];
    double low = fmin(o->from, o->to), high = fmax(o->from, o->to),
           wide = FIRST_BRACKET * (high - low) + fabs(slope_by_second * step),
           middle = at + slope_by_second * step;
    *found = false;
    for (int k = 0; k < GROWTHS; k++, wide *= 2) {
        double a = fmax(low, middle - wide), b = fmin(high, middle + wide), fa, fb;
        if (!(b > a))
            return ZW_OK;
        ZW_TRY(evaluate_distance(q, a, &fa, err));
        bool printed = zw_melnikov_has_sign(&q->value);
        ZW_TRY(evaluate_distance(q, b, &fb, err));
        if (fa * fb <= 0 && (printed || zw_melnikov_has_sign(&q->value))) {
            bool jump;
            ZW_TRY(find_root(q, a, fa, b, fb, out, &jump, err));
            *found = !jump;
            return ZW_OK;
        }
        if (a == low && b == high)
            return ZW_OK;
    }
    return ZW_OK;
}

static zw_status follow_one(zero_search *q, const zw_melnikov_root *from, int n, zw_error *err) {
    zw_melnikov *s = q->s;
    const zw_parameter_range *o = &s->over[1];
    double home = s->p[o->parameter];
    int first = s->nroot;
    for (int direction = -1; direction <= 1; direction += 2) {
        double last = from->value, at = home, slope = 0;
        for (int i = direction < 0 ? n - 1 : 0; i >= 0 && i < n; i += direction) {
            double second = fmin(o->from, o->to) + fabs(o->to - o->from) * i / (n - 1);
            if (direction < 0 ? second > home : second <= home)
                continue;
            if (zw_melnikov_asked_to_stop(s, (double)i / n))
                return ZW_OK;
            zw_melnikov_root r;
            bool found;
            q->second = second;
            ZW_TRY(near_root(q, last, slope, second - at, &found, &r, err));
            if (!found) {
                snprintf(s->lost, sizeof s->lost,
                         "the curve of zeros ends at %s = %.6g: beyond it there is none with %s "
                         "between %.6g and %.6g",
                         o->name, at / o->factor, s->over[0].name,
                         s->over[0].from / s->over[0].factor, s->over[0].to / s->over[0].factor);
                break;
            }
            r.second = second;
            slope = second != at ? (r.value - last) / (second - at) : 0;
            last = r.value;
            at = second;
            ZW_TRY(add_root(s, &r, err));
        }
        for (int a = first, b = s->nroot - 1; direction < 0 && a < b; a++, b--) { /* upwards */
            zw_melnikov_root r = s->root[a];
            s->root[a] = s->root[b];
            s->root[b] = r;
        }
    }
    return ZW_OK;
}

zw_status zw_melnikov_follow(zw_melnikov *s, zw_error *err) {
    int n = s->over[1].rows ? s->over[1].rows : CURVE_POINTS, roots = s->nroot;
    double *p = ZW_NEW(&s->arena, double, s->sys->np + 1);
    if (!p)
        return zw_out_of_memory(err, NULL);
    for (int k = 0; k < roots; k++) {
        zw_melnikov_root from = s->root[k];
        zero_search q = {.s = s, .side = from.separatrix, .p = p};
        ZW_TRY(follow_one(&q, &from, n, err));
    }
    return ZW_OK;
}
