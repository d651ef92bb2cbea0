/* SPDX-License-Identifier: MIT */
#include "bifurcation_curves.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "motion/floquet/floquet_tests.h"

/* Relative to the range of the first parameter and to the period: two curves pass through the same
 * point. Points are interpolated linearly between neighbours, whose steps are some hundredths of
 * the range; a fraction of their distance is added. Chosen by trial: separates the curves of a
 * cusp. */
#define SAME_POINT_VALUE 2e-3
#define SAME_POINT_VALUE_STEP 0.1
#define SAME_POINT_PERIOD 0.02
#define SAME_POINT_PERIOD_STEP 0.2

/* ------------------------------------------------------------------------------------ functions */

/* prod (mu + shift)/(1 + |mu|) of all but the trivial one and the one that is nearest to -shift */
static double multiplier_product(const zw_floquet *m, double shift) {
    int nearest = -1;
    double complex product = 1;
    for (int i = 0; i < m->n; i++)
        if (i != m->trivial && (nearest < 0 || hypot(m->re[i] + shift, m->im[i]) <
                                                   hypot(m->re[nearest] + shift, m->im[nearest])))
            nearest = i;
    for (int i = 0; i < m->n; i++)
        if (i != m->trivial && i != nearest)
            product *= (m->re[i] + shift + I * m->im[i]) / (1 + hypot(m->re[i], m->im[i]));
    return m->n > 1 + (m->trivial >= 0) ? creal(product) : (double)NAN;
}

/* the half-sum of the pair, conjugate or real, whose product is nearest to 1 */
static double half_sum(const zw_floquet *m, int *first, int *second) {
    double best = INFINITY, sum = NAN;
    *first = *second = -1;
    for (int i = 0; i < m->n; i++)
        for (int j = i + 1; j < m->n; j++) {
            double complex product = (m->re[i] + I * m->im[i]) * (m->re[j] + I * m->im[j]);
            if (i == m->trivial || j == m->trivial || m->im[i] != -m->im[j] ||
                cabs(product - 1) >= best)
                continue;
            best = cabs(product - 1);
            sum = 0.5 * (m->re[i] + m->re[j]);
            *first = i;
            *second = j;
        }
    return sum;
}

/* prod (mu + shift)/(1 + |mu|) of all but the trivial one and the pair */
static double product_without_pair(const zw_floquet *m, double shift, int first, int second) {
    double complex product = 1;
    int n = 0;
    for (int i = 0; i < m->n; i++)
        if (i != m->trivial && i != first && i != second) {
            product *= (m->re[i] + shift + I * m->im[i]) / (1 + hypot(m->re[i], m->im[i]));
            n++;
        }
    return n ? creal(product) : (double)NAN;
}

/* Largest distance from 1 to which errors separate the two multipliers 1 of a fold: the root of the
 * error of the matrix, here up to 1e-4, since they are a double eigenvalue. With a smaller limit
 * the pair would be reported as a Neimark-Sacker point. */
#define FOLD_PAIR 1e-2

/* |mu|^2 - 1 of the pair that is nearest to the unit circle; NaN if there is none. At a fold of an
 * autonomous model two multipliers are 1, which round-off may turn into a pair: `fold` leaves it
 * out. */
static double nearest_pair(const zw_floquet *m, bool fold) {
    double best = NAN;
    for (int i = 0; i < m->n; i++) {
        double g = m->re[i] * m->re[i] + m->im[i] * m->im[i] - 1;
        bool own = fold && hypot(m->re[i] - 1, m->im[i]) < FOLD_PAIR;
        if (m->im[i] > 0 && !own && !(fabs(g) >= fabs(best)))
            best = g;
    }
    return best;
}

int zw_bifurcation_curves_tests(zw_bifurcation kind) {
    return kind == ZW_BIFURCATION_FOLD    ? ZW_BIFURCATION_CURVES_FOLD_TESTS
           : kind == ZW_BIFURCATION_FLIP  ? ZW_BIFURCATION_CURVES_FLIP_TESTS
           : kind == ZW_BIFURCATION_TORUS ? ZW_BIFURCATION_CURVES_TORUS_TESTS
                                          : 1;
}

void zw_bifurcation_curves_values(zw_bifurcation kind, const zw_floquet *m, double *value) {
    int first, second;
    if (kind == ZW_BIFURCATION_FOLD) {
        value[ZW_BIFURCATION_CURVES_FOLD_FLIP] = zw_floquet_test_flip(m);
        value[ZW_BIFURCATION_CURVES_FOLD_ONE] = multiplier_product(m, -1);
        value[ZW_BIFURCATION_CURVES_FOLD_TORUS] = nearest_pair(m, true);
    } else if (kind == ZW_BIFURCATION_FLIP) {
        value[ZW_BIFURCATION_CURVES_FLIP_FOLD] = zw_floquet_test_branch(m, NULL, 1);
        value[ZW_BIFURCATION_CURVES_FLIP_TWO] = multiplier_product(m, 1);
        value[ZW_BIFURCATION_CURVES_FLIP_TORUS] = nearest_pair(m, false);
    } else if (kind == ZW_BIFURCATION_TORUS) {
        double s = half_sum(m, &first, &second);
        value[ZW_BIFURCATION_CURVES_TORUS_ONE] = s - 1;
        value[ZW_BIFURCATION_CURVES_TORUS_TWO] = s + 1;
        value[ZW_BIFURCATION_CURVES_TORUS_THREE] = s + 0.5;
        value[ZW_BIFURCATION_CURVES_TORUS_FOUR] = s;
        value[ZW_BIFURCATION_CURVES_TORUS_FOLD] = product_without_pair(m, -1, first, second);
        value[ZW_BIFURCATION_CURVES_TORUS_FLIP] = product_without_pair(m, 1, first, second);
    }
}

double zw_bifurcation_curves_angle(const zw_floquet *m) {
    int first, second;
    return acos(fmin(fmax(half_sum(m, &first, &second), -1), 1));
}

zw_orbit_special zw_bifurcation_curves_special(zw_bifurcation kind, int what) {
    static const zw_orbit_special
        fold[] = {[ZW_BIFURCATION_CURVES_FOLD_FLIP] = ZW_ORBIT_FOLD_FLIP,
                  [ZW_BIFURCATION_CURVES_FOLD_ONE] = ZW_ORBIT_RESONANCE_1,
                  [ZW_BIFURCATION_CURVES_FOLD_TORUS] = ZW_ORBIT_FOLD_TORUS,
                  [ZW_BIFURCATION_CURVES_FOLD_CUSP] = ZW_ORBIT_CUSP},
        flip[] = {[ZW_BIFURCATION_CURVES_FLIP_FOLD] = ZW_ORBIT_FOLD_FLIP,
                  [ZW_BIFURCATION_CURVES_FLIP_TWO] = ZW_ORBIT_RESONANCE_2,
                  [ZW_BIFURCATION_CURVES_FLIP_COEFFICIENT] = ZW_ORBIT_FLIP_DEGENERATE,
                  [ZW_BIFURCATION_CURVES_FLIP_TORUS] = ZW_ORBIT_FLIP_TORUS},
        torus[] = {[ZW_BIFURCATION_CURVES_TORUS_ONE] = ZW_ORBIT_RESONANCE_1,
                   [ZW_BIFURCATION_CURVES_TORUS_TWO] = ZW_ORBIT_RESONANCE_2,
                   [ZW_BIFURCATION_CURVES_TORUS_THREE] = ZW_ORBIT_RESONANCE_3,
                   [ZW_BIFURCATION_CURVES_TORUS_FOUR] = ZW_ORBIT_RESONANCE_4,
                   [ZW_BIFURCATION_CURVES_TORUS_COEFFICIENT] = ZW_ORBIT_TORUS_DEGENERATE,
                   [ZW_BIFURCATION_CURVES_TORUS_FOLD] = ZW_ORBIT_FOLD_TORUS,
                   [ZW_BIFURCATION_CURVES_TORUS_FLIP] = ZW_ORBIT_FLIP_TORUS};
    if (what <= ZW_BIFURCATION_CURVES_BOUND || what >= zw_bifurcation_curves_tests(kind))
        return ZW_ORBIT_USUAL;
    return kind == ZW_BIFURCATION_FOLD   ? fold[what]
           : kind == ZW_BIFURCATION_FLIP ? flip[what]
                                         : torus[what];
}

/* --------------------------------------------------------------------------------------- curves */

zw_status zw_bifurcation_curves_add(zw_bifurcation_curves *k, zw_arena *arena,
                                    const zw_orbit_mark *mark, zw_error *err) {
    if (!zw_arena_grow(arena, (void **)&k->mark, k->n, &k->capacity, sizeof *k->mark))
        return zw_out_of_memory(err, NULL);
    k->mark[k->n] = *mark;
    k->mark[k->n++].curve = k->ncurve;
    return ZW_OK;
}

bool zw_bifurcation_curves_has(const zw_bifurcation_curves *k, double range, zw_bifurcation event,
                               double value, double b, double period) {
    for (int i = 0; i + 1 < k->n; i++) {
        const zw_orbit_mark *u = &k->mark[i], *v = &k->mark[i + 1];
        if (u->curve != v->curve || u->event != event || (u->second - b) * (v->second - b) > 0)
            continue;
        double part = u->second == v->second ? 0 : (b - u->second) / (v->second - u->second),
               there = u->value + part * (v->value - u->value),
               takes = u->period + part * (v->period - u->period);
        if (fabs(there - value) <=
                SAME_POINT_VALUE * range + SAME_POINT_VALUE_STEP * fabs(v->value - u->value) &&
            fabs(takes - period) <=
                SAME_POINT_PERIOD * period + SAME_POINT_PERIOD_STEP * fabs(v->period - u->period))
            return true;
    }
    return false;
}

static void reverse_points(zw_bifurcation_curves *k, int first) {
    for (int i = first, j = k->n - 1; i < j; i++, j--) {
        zw_orbit_mark keep = k->mark[i];
        k->mark[i] = k->mark[j];
        k->mark[j] = keep;
    }
}

zw_status zw_bifurcation_curves_follow(zw_bifurcation_curves *k, zw_arena *arena, double b,
                                       zw_bifurcation_curves_follower go, void *user,
                                       const bool *stopped, zw_error *err) {
    int first = k->n;
    double low = fmin(k->second.from, k->second.to), high = fmax(k->second.from, k->second.to);
    zw_status status = ZW_OK;
    if (!zw_arena_grow(arena, (void **)&k->curve, k->ncurve, &k->curve_capacity, sizeof *k->curve))
        return zw_out_of_memory(err, NULL);
    zw_bifurcation_curves_curve *c = &k->curve[k->ncurve];
    *c = (zw_bifurcation_curves_curve){.first = first};
    for (int side = 0; side < 2 && status >= 0 && !*stopped; side++) {
        zw_cont_info info = {.end = ZW_CONT_AT_BOUND};
        bool special = false;
        if (b != (side ? high : low))
            status = go(user, side, side == 1 && k->n > first, &info, &special, err);
        if (info.end == ZW_CONT_ASKED && !*stopped)
            info.end = ZW_CONT_AT_BOUND;
        c->end[side] = info.end;
        c->special[side] = special;
        memcpy(c->why[side], info.why, sizeof info.why);
        if (side == 0)
            reverse_points(k, first);
        if (info.end == ZW_CONT_CLOSED)
            break;
    }
    c->n = k->n - first;
    if (c->n < 2)
        k->n = first;
    else
        k->ncurve++;
    return status;
}
