/* SPDX-License-Identifier: MIT */
/* Turns of a branch that are not folds. A branch of orbits that ends at a period doubling, or where
 * a symmetry breaks, is one half of a pitchfork: at the distance e from its end
 *
 *     a = a_0 + k e^2 + ...,        u = u_0 + e v + ...,        mu = 1 + m e^2 + ...
 *
 * Steps in arclength pass e = 0 and continue on the other half, which has the same orbits: half a
 * period later at a period doubling, else their mirror images. At e = 0 da/ds changes its sign as
 * at a fold, but prod (mu - 1) does not: a multiplier touches 1 and returns. So the branch ends
 * there.
 *
 * Near e = 0 the equations of the branch are singular, and a_0 is found from other orbits: at a
 * period doubling from the orbits of half the period, whose equations are regular, as the zero of
 * prod (mu + 1); else from the third branch of the pitchfork, the only one beyond a_0, as the zero
 * of prod (mu - 1), which polynomials extrapolate. If neither has a zero there, the turn remains
 * unexplained. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "branch/curve.h"
#include "motion/branch_points.h"
#include "motion/floquet/floquet_tests.h"
#include "motion/segments/periodic.h"
#include "orbits_family.h"
#include "orbits_pitchfork_end.h"

enum { SAMPLES = 64, SECANTS = 20, ROUNDS = 3, POINTS = 3, BACK = 5 };

/* Relative to the range: largest distance of the zero from the turn; a zero farther away belongs to
 * another special point. It is a step of the default length. */
#define ZERO_DISTANCE_MAX 0.02
/* Relative to the range: the second value of the first secant, well above the error of the turn. */
#define SECANT_STEP 1e-3
/* Relative to the range: first distance on the third branch from which the zero is extrapolated. */
#define EXTRAPOLATE_FROM 4e-3
#define CLOSER 0.25 /* ratio of this distance from one extrapolation to the next */
/* Relative to the range: last step of the secants. The values of special points are printed with
 * ten digits. */
#define SECANT_END 1e-10
/* Error of multipliers up to which parabolas through their functions are meaningful: they must be
 * more accurate than the remainder that is sought (REMAINDER_MIN). */
#define INTERPOLATE_ERROR 1e-6
/* Relative to the values at the points around: a smaller minimum between them may as well have
 * crossed zero, by the error of a parabola over three steps. */
#define REMAINDER_MIN 0.05
/* Distance of a multiplier from 1 at one of the points around the turn: at a pitchfork it is there
 * because mu - 1 is of the order of e^2. */
#define NEAR_ONE 0.1

static double range_of(const zw_orbits *o) {
    return fabs(o->over.to - o->over.from);
}

/* ------------------------------------------------------------------------------ half the period */

/* the difference of an orbit and itself half a period later, entry by entry (SAMPLES x nx) */
static void find_split(const zw_orbits *o, const zw_orbit_motion *m, double *work, double *out) {
    double *begin = work, *half = work + o->nx, *sign = work + 2 * o->nx;
    for (int i = 0; i < SAMPLES; i++) {
        double *w = out + (size_t)(i * o->nx), tau = 0.5 * i / SAMPLES;
        zw_orbits_state_of(m, o->nx, o->options.stages, tau, begin);
        zw_orbits_state_of(m, o->nx, o->options.stages, tau + 0.5, half);
        if (i == 0) /* the same signs for all */
            zw_orbits_signs(o, begin, half, sign);
        for (int r = 0; r < o->nx; r++) {
            double d = zw_orbits_reduce_turns(o, r, sign[r] * half[r] - begin[r]);
            w[r] = o->essential[r] ? d / fmax(o->scale[r], ZW_TINY) : 0;
        }
    }
}

/* Do the orbits on both sides differ by half a period, that is, has w = u(tau) - u(tau + 1/2)
 * changed its sign? */
static zw_status is_doubled(zw_orbits *o, const zw_orbits_turn *t, bool *doubled, zw_error *err) {
    int n = SAMPLES * o->nx;
    *doubled = false;
    if (o->half.on || o->family.kind == ZW_FAMILY_PERIOD ||
        (!o->autonomous && o->options.order * o->times % 2))
        return ZW_OK;
    zw_arena_mark mark = zw_arena_mark_now(&o->arena);
    double *u = ZW_NEW(&o->arena, double, 2 * n + 3 * o->nx + 1);
    if (!u)
        return zw_out_of_memory(err, NULL);
    double *v = u + n, *work = v + n;
    find_split(o, &o->motion[t->before], work, u);
    find_split(o, &o->motion[t->after], work, v);
    double uu = 0, vv = 0, uv = 0;
    for (int i = 0; i < n; i++) {
        uu += u[i] * u[i];
        vv += v[i] * v[i];
        uv += u[i] * v[i];
    }
    *doubled = uv < -0.5 * sqrt(uu * vv);
    zw_arena_release(&o->arena, mark);
    return ZW_OK;
}

typedef struct rounds {
    const zw_orbits *o;
    const zw_orbit_motion *m;
} rounds;

static zw_status first_round(void *user, double t, double *x, zw_error *err) {
    const rounds *r = user;
    (void)err;
    zw_orbits_state_of(r->m, r->o->nx, r->o->options.stages, t / r->m->period, x);
    return ZW_OK;
}

/* the function whose zero is sought, for the orbit at a value that is solved for from o->x */
static zw_status function_at(zw_orbits *o, double value, bool *counts, bool flip, double *f,
                             zw_error *err) {
    const zw_floquet *m;
    o->last_known = false;
    ZW_TRY(zw_orbits_refine(o, value, err));
    ZW_TRY(zw_orbits_multipliers(o, o->x, value, &m, err));
    if (!m || !zw_orbits_multipliers_usable(m))
        return zw_fail(err, ZW_E_NUMERIC, "its multipliers are not known");
    int ones = zw_orbits_unit_multipliers(o);
    if (ones)
        zw_orbits_nontrivial(m, ones, counts);
    *f = flip ? zw_floquet_test_flip(m) : zw_floquet_test_branch(m, ones ? counts : NULL, 1);
    return ZW_OK;
}

static zw_status locate_doubling(zw_orbits *o, const zw_orbit_motion *m, double about, bool *counts,
                                 double *value, zw_error *err) {
    rounds r = {o, m};
    zw_orbit one = {.period = 0.5 * m->period, .at = first_round, .user = &r};
    double *state = ZW_NEW(&o->arena, double, 2 * o->nx + 1), range = range_of(o), f[2],
           a[2] = {about, about + SECANT_STEP * range}, period, slope;
    if (!state)
        return zw_out_of_memory(err, NULL);
    zw_orbits_state_of(m, o->nx, o->options.stages, 0, state);
    zw_orbits_state_of(m, o->nx, o->options.stages, 0.5, state + o->nx);
    zw_orbits_close(o, state, state + o->nx);
    ZW_TRY(zw_orbits_set(o, about, o->now, &period, &slope, err));
    ZW_TRY(zw_orbits_begin(o, &one, 0, NULL, err));
    for (int i = 0; i < 2; i++)
        ZW_TRY(function_at(o, a[i], counts, true, &f[i], err));
    for (int i = 0; i < SECANTS; i++) {
        double next = f[1] == 0 ? a[1] : a[1] - f[1] * (a[1] - a[0]) / (f[1] - f[0]);
        if (!(fabs(next - about) < ZERO_DISTANCE_MAX * range))
            return ZW_RETRY;
        *value = next;
        if (fabs(next - a[1]) <= SECANT_END * range)
            return ZW_OK;
        a[0] = a[1];
        f[0] = f[1];
        a[1] = next;
        ZW_TRY(function_at(o, next, counts, true, &f[1], err));
    }
    return ZW_RETRY;
}

/* ----------------------------------------------------------------------------------- pitchforks */

/* the zero of the parabola a(f) through three points */
static double parabola_zero(const double *a, const double *f) {
    double zero = 0;
    for (int i = 0; i < POINTS; i++) {
        double part = a[i];
        for (int k = 0; k < POINTS; k++)
            part *= k == i ? 1 : f[k] / (f[k] - f[i]);
        zero += part;
    }
    return zero;
}

/* Moves o->x from the turn along the third branch to a value: at the turn itself the matrix of
 * Newton's method is singular. */
static zw_status step_along_third(zw_orbits *o, const zw_orbit_motion *m, double value,
                                  zw_error *err) {
    zw_cont_problem p = zw_orbits_problem(o);
    double *tangent = ZW_NEW(&o->arena, double, p.n + 2), *phi = ZW_NEW(&o->arena, double, p.n + 2),
           *work = ZW_NEW(&o->arena, double, 2 * p.n + 3);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    if (!m->tangent || o->half.on)
        return ZW_OK;
    memcpy(tangent, m->tangent, sizeof(double) * (size_t)(p.n + 1));
    if (!zw_branch_points_normalise(&p, tangent))
        return ZW_OK;
    zw_status status = zw_branch_points_null(&p, o->x, m->value, tangent, phi, work, err);
    if (status != ZW_OK)
        return status;
    double by = (value - m->value) / phi[p.n];
    for (int i = 0; i < p.n && isfinite(by); i++)
        o->x[i] += by * phi[i];
    return ZW_OK;
}

static zw_status locate_pitchfork(zw_orbits *o, const zw_orbit_motion *m, double about, double away,
                                  bool *counts, double *value, zw_error *err) {
    double range = range_of(o), far = EXTRAPOLATE_FROM * range, a[POINTS], f[POINTS], at = about;
    ZW_TRY(zw_orbits_load(o, m, err));
    zw_status status = step_along_third(o, m, at + away * far, err);
    if (status != ZW_OK)
        return status;
    for (int round = 0; round < ROUNDS; round++, far *= CLOSER) {
        for (int i = 0; i < POINTS; i++) {
            a[i] = at + away * far / (1 << i);
            ZW_TRY(function_at(o, a[i], counts, false, &f[i], err));
        }
        if (!(f[0] * f[1] > 0 && f[1] * f[2] > 0 && fabs(f[0]) > fabs(f[1]) &&
              fabs(f[1]) > fabs(f[2])))
            return ZW_RETRY;
        at = parabola_zero(a, f);
        if (!(fabs(at - about) < ZERO_DISTANCE_MAX * range))
            return ZW_RETRY;
    }
    *value = at;
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------------- turns */

bool zw_orbits_has_near_one(const zw_orbits *o, const zw_orbit_motion *m) {
    int near = 0;
    for (int i = 0; i < m->nmultiplier; i++)
        near += hypot(m->re[i] - 1, m->im[i]) < NEAR_ONE;
    return near > (o->autonomous ? 1 : 0) + zw_orbits_unit_multipliers(o);
}

static zw_status locate_end(zw_orbits *o, const zw_orbits_turn *t, const zw_orbit_motion *from,
                            bool doubled, double *value, zw_error *err) {
    int back = t->before; /* at the turn itself round-off decides from which side the branch came */
    for (int i = t->before; i >= 0 && i > t->before - BACK; i--)
        if (o->motion[i].curve == o->motion[t->before].curve &&
            fabs(o->motion[i].value - t->value) > fabs(o->motion[back].value - t->value))
            back = i;
    double away = t->value < o->motion[back].value ? -1 : 1;
    bool *counts = ZW_NEW(&o->arena, bool, o->nx + 1);
    if (!counts)
        return zw_out_of_memory(err, NULL);
    if (!doubled)
        return locate_pitchfork(o, from, t->value, away, counts, value, err);
    int order = o->options.order, times = o->times;
    if (!o->autonomous)
        o->options.order = order * times / 2;
    zw_status status = locate_doubling(o, from, t->value, counts, value, err);
    o->options.order = order;
    o->times = times;
    return status;
}

zw_status zw_orbits_end_at_turn(zw_orbits *o, const zw_orbits_turn *t, bool *ends, char *why,
                                size_t size, zw_error *err) {
    zw_error trouble = {0};
    bool doubled;
    double value = NAN;
    *ends = false;
    ZW_TRY(is_doubled(o, t, &doubled, err));
    int last = t->at >= 0 ? t->at : t->before;
    zw_orbit_motion from = o->motion[last];
    zw_status status = locate_end(o, t, &from, doubled, &value, &trouble);
    o->last_known = false;
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    if (status != ZW_OK)
        return ZW_OK;
    o->nmotion = t->before + 1;
    for (int i = t->before + 1; i < t->after; i++) /* keep other special points between them */
        if (i != t->at && o->motion[i].event != ZW_BIFURCATION_BRANCH &&
            o->motion[i].event != ZW_BIFURCATION_FOLD)
            o->motion[o->nmotion++] = o->motion[i];
    if (t->at >= 0)
        o->motion[o->nmotion++] = from;
    zw_orbit_motion *m = &o->motion[o->nmotion - 1];
    m->event = t->at < 0 || doubled ? ZW_BIFURCATION_END : ZW_BIFURCATION_BRANCH;
    if (t->at >= 0)
        m->value = value;
    snprintf(why, size, "%s, %s = %.10g%s%s: %s",
             doubled ? "a period doubling of an orbit of half the period" : "a pitchfork",
             o->over.name, value / o->over.factor, o->over.unit[0] ? " " : "", o->over.unit,
             doubled ? "beyond it the branch repeats the same orbits, shifted by half a period"
                     : "it meets its image and another branch");
    *ends = true;
    return ZW_OK;
}

/* ---------------------------------------------------------------------- two crossings in a step */

/* If a multiplier goes beyond -1, or a pair beyond the unit circle, and returns within one step, no
 * function changes its sign between points. */
typedef struct near_zero {
    /* of the parabola through three points: the place of its extremum, and its value there relative
     * to the least of the three; NaN if it is not between them */
    double value, least;
} near_zero;

static near_zero least_between(const double *a, const double *f) {
    near_zero none = {NAN, NAN};
    double h = a[1] - a[0], k = a[2] - a[1];
    if (!(h * k > 0) || !(f[0] * f[1] > 0) || !(f[1] * f[2] > 0))
        return none;
    double first = (f[1] - f[0]) / h, second = (f[2] - f[1]) / k, bend = (second - first) / (h + k),
           slope = (first * k + second * h) / (h + k), at = a[1] - slope / (2 * bend);
    if (!(bend * f[1] > 0) || !((at - a[0]) * (a[2] - at) > 0))
        return none;
    double least = f[1] - slope * slope / (4 * bend);
    return (near_zero){
        at, least / (f[1] > 0 ? fmin(f[0], fmin(f[1], f[2])) : fmax(f[0], fmax(f[1], f[2])))};
}

/* prod (mu + 1)/(1 + |mu|) */
static double flip_of(const zw_orbit_motion *m) {
    double product = m->nmultiplier ? 1 : (double)NAN;
    for (int i = 0; i < m->nmultiplier; i++) {
        double size = 1 + hypot(m->re[i], m->im[i]);
        product *= (m->im[i] == 0 ? m->re[i] + 1 : hypot(m->re[i] + 1, m->im[i])) / size;
    }
    return product;
}

static double torus_of(const zw_orbit_motion *m, int *pairs) {
    /* prod (|mu|^2 - 1)/(|mu|^2 + 1) of the pairs; NaN if there are none */
    double product = 1;
    *pairs = 0;
    for (int i = 0; i < m->nmultiplier; i++)
        if (m->im[i] > 0) {
            double square = m->re[i] * m->re[i] + m->im[i] * m->im[i];
            product *= (square - 1) / (square + 1);
            ++*pairs;
        }
    return *pairs ? product : (double)NAN;
}

void zw_orbits_check_pairs(zw_orbits *o, int first) {
    int seen[3], n = 0;
    for (int i = first; i < o->nmotion; i++) {
        const zw_orbit_motion *m = &o->motion[i];
        bool usual = m->event == ZW_BIFURCATION_POINT && m->outside >= 0 &&
                     m->accuracy <= INTERPOLATE_ERROR && !(m->trivial > INTERPOLATE_ERROR);
        if (!usual) {
            n = 0;
            continue;
        }
        if (n == 3) {
            seen[0] = seen[1];
            seen[1] = seen[2];
            n = 2;
        }
        seen[n++] = i;
        if (n < 3 || o->family.kind)
            continue;
        double a[3], flip[3], torus[3];
        int pairs[3];
        for (int k = 0; k < 3; k++) {
            a[k] = o->motion[seen[k]].value;
            flip[k] = flip_of(&o->motion[seen[k]]);
            torus[k] = torus_of(&o->motion[seen[k]], &pairs[k]);
        }
        near_zero one = least_between(a, flip), two = least_between(a, torus);
        bool doubles = one.least < REMAINDER_MIN,
             turns = pairs[0] == pairs[1] && pairs[1] == pairs[2] && two.least < REMAINDER_MIN;
        if ((doubles || turns) && o->open.near_passages++ == 0) {
            o->open.near_value = doubles ? one.value : two.value;
            o->open.near_flip = doubles;
        }
    }
}
