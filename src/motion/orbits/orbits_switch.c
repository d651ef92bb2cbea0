/* SPDX-License-Identifier: MIT */
/* From one branch of orbits to another where they intersect (branch_points.h). Where a period P
 * doubles, an orbit u of the branch is also an orbit of period 2P: on the mesh of two rounds it is
 * u twice, with slopes in tau twice as large, and the null vector of the equations there changes
 * its sign from one round to the next. The branch that leaves has orbits u + s phi; s and -s are
 * the same orbit half a period apart, so that one side is enough. Where the branch returns to
 * orbits that close after half its period,
 *
 *     w(tau) = u(tau) - u(tau + 1/2)          (up to turns of angles and signs of quaternions)
 *
 * changes its sign, and the branch ends: beyond that place are the same orbits again. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "motion/branch_points.h"
#include "orbits.h"

enum { SAMPLES = 64 };

/* Relative to the size of an orbit: w of an orbit that closes after half its period, or the
 * distance from another branch of an orbit on it. A thousand times the default tolerance of orbits;
 * a branch leaves a special point with a first step of 0.001 and more (branch_points.c). */
#define SAME_ORBIT 1e-3
/* Relative to the range: distance of a special point at which a branch may end. The branch ends
 * with the first orbit beyond it, that is within a step or two of the default length. */
#define END_DISTANCE 0.05
#define END_POINTS 3 /* points of a branch before it can end on another one: it begins on it */
/* Relative to the range: values of one special point, as it was located and as a branch
 * stores it. */
#define SAME_POINT_VALUE 1e-6
/* Factor by which the distance from the parent must fall in one step if the step left
 * the branch. */
#define SWITCH_FALL 5

typedef struct branch_switch {
    zw_orbits *o;
    zw_orbit_motion from; /* the orbit at which the branch leaves, on that branch */
    int at;               /* its number */
    bool doubled;
    double *phi;         /* n + 1 */
    double *sign, *turn; /* nx: how one round closes, of a doubled one */
    double *split;       /* SAMPLES x nx: w of the previous orbit */
    bool has_split;
    bool mirrored;                 /* the second side is the image of the first */
    double distance;               /* distance of the previous orbit from the parent branch */
    const zw_orbit_motion *mirror; /* the first orbit of the other side; NULL on the first side */
} branch_switch;

static zw_branch_points_place place_of(const zw_orbit_motion *m) {
    return (zw_branch_points_place){m->value, m->measure};
}

static double range_of(const zw_orbits *o) {
    return fabs(o->over.to - o->over.from);
}

static bool is_same(const zw_orbits *o, const zw_orbit_motion *a, const zw_orbit_motion *b) {
    return zw_branch_points_is_same(o->sys->nq, o->width, range_of(o), place_of(a), place_of(b));
}

/* ----------------------------------------------------------------------------------- two rounds */

/* how an orbit closes: the state after a round is S x + w */
static zw_status find_closing(zw_orbits *o, const zw_orbit_motion *m, double **sign, double **turn,
                              zw_error *err) {
    double *a = ZW_NEW(&o->arena, double, 2 * o->nx + 1);
    *sign = ZW_NEW(&o->arena, double, o->nx + 1);
    *turn = ZW_NEW(&o->arena, double, o->nx + 1);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    double *b = a + o->nx;
    zw_orbits_state_of(m, o->nx, o->options.stages, 0, a);
    zw_orbits_state_of(m, o->nx, o->options.stages, 1, b);
    zw_orbits_signs(o, a, b, *sign);
    for (int i = 0; i < o->nx; i++)
        (*turn)[i] = zw_orbits_whole(o, i, b[i] - a[i]);
    return ZW_OK;
}

/* fills in x for two rounds (turn NULL: a tangent); slopes and period are twice as large */
static void put_twice(const zw_orbits *o, int intervals, const double *sign, const double *turn,
                      const double *x, double *out) {
    int m = o->options.stages, stride = o->nx * (m + 1), n = intervals * stride;
    for (int i = 0; i < n; i++) {
        int r = i % o->nx;
        bool node = i % stride < o->nx;
        out[i] = x[i] * (node ? 1 : 2);
        out[n + i] = sign[r] * out[i] + (node && turn ? turn[r] : 0);
    }
    int tail = (o->autonomous ? 1 : 0) + (o->family.kind ? 1 : 0) + (turn ? 0 : 1);
    for (int i = 0; i < tail; i++) /* P, the damping of a family, the value of a tangent */
        out[2 * n + i] = (o->autonomous && i == 0 ? 2 : 1) * x[n + i];
}

/* Makes an orbit of two rounds from the orbit m, on a known branch; with its tangent if it
 * has one. */
static zw_status make_double(zw_orbits *o, const zw_orbit_motion *m, int branch,
                             zw_orbit_motion *out, zw_error *err) {
    int N = m->intervals, n = N * o->nx * (o->options.stages + 1);
    double *x = ZW_NEW(&o->arena, double, 2 * n + 4), *mesh = ZW_NEW(&o->arena, double, 2 * N + 1),
           *tangent = ZW_NEW(&o->arena, double, 2 * n + 4), *sign, *turn;
    ZW_TRY(find_closing(o, m, &sign, &turn, err));
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int j = 0; j <= N; j++) {
        mesh[j] = 0.5 * m->mesh[j];
        mesh[N + j] = 0.5 + 0.5 * m->mesh[j];
    }
    put_twice(o, N, sign, turn, m->x, x);
    *out = *m;
    out->tangent = NULL;
    if (m->tangent) {
        put_twice(o, N, sign, NULL, m->tangent, tangent);
        out->tangent = tangent;
    }
    out->x = x;
    out->mesh = mesh;
    out->intervals = 2 * N;
    out->period = 2 * m->period;
    out->curve = branch;
    return zw_orbits_reserve(o, 2 * N, err);
}

/* w of the orbit in o->x, relative to the sizes of the state, into out; returns its norm */
static double find_split(const branch_switch *l, double *work, double *out) {
    const zw_orbits *o = l->o;
    double sum = 0;
    for (int i = 0; i < SAMPLES; i++) {
        double *w = out + (size_t)(i * o->nx), tau = 0.5 * i / SAMPLES;
        zw_colloc_state(o->c, o->x, tau, w, NULL);
        zw_colloc_state(o->c, o->x, tau + 0.5, work, NULL);
        for (int r = 0; r < o->nx; r++) {
            w[r] = (l->sign[r] * w[r] + l->turn[r] - work[r]) / o->scale[r];
            sum += w[r] * w[r];
        }
    }
    return sqrt(sum / (SAMPLES * o->nx));
}

/* ----------------------------------------------------------------------------------------- ends */

/* replaces the last orbit by one of another branch, on which this branch ends */
static void end_at(zw_orbits *o, const zw_orbit_motion *known, int branch) {
    zw_orbit_motion *m = &o->motion[o->nmotion - 1];
    int own = m->curve, on = known->curve;
    *m = *known;
    m->curve = own;
    m->event = ZW_BIFURCATION_POINT;
    o->branch[own].meets = branch >= 0 ? branch : on;
}

/* Ends the branch, which is back on its parent, at the nearest special point of the parent, other
 * than the one at which it left. */
static void end_at_point(branch_switch *l, zw_bifurcation event) {
    zw_orbits *o = l->o;
    const zw_orbit_motion *m = &o->motion[o->nmotion - 1];
    int parent = o->branch[m->curve].parent, best = -1;
    for (int i = 0; i < o->nmotion; i++)
        if (o->motion[i].curve == parent && o->motion[i].event == event && i != l->at &&
            (best < 0 ||
             fabs(o->motion[i].value - m->value) < fabs(o->motion[best].value - m->value)))
            best = i;
    o->motion[o->nmotion - 1].event = ZW_BIFURCATION_POINT;
    o->branch[m->curve].meets = parent;
    if (best < 0 || fabs(o->motion[best].value - m->value) > END_DISTANCE * range_of(o))
        return;
    zw_orbit_motion known = o->motion[best];
    if (event == ZW_BIFURCATION_FLIP &&
        make_double(o, &o->motion[best], m->curve, &known, NULL) < 0)
        return;
    known.tangent = NULL;
    end_at(o, &known, parent);
}

static bool ends_doubled(branch_switch *l) {
    zw_orbits *o = l->o;
    double *now = l->split + (size_t)(SAMPLES * o->nx), *work = now + (size_t)(SAMPLES * o->nx),
           product = 0, size = find_split(l, work, now);
    for (int i = 0; i < SAMPLES * o->nx && l->has_split; i++)
        product += now[i] * l->split[i];
    memcpy(l->split, now, sizeof(double) * (size_t)(SAMPLES * o->nx));
    l->has_split = true;
    /* a step may also have changed to orbits of one round */
    if (product >= 0 && size >= SAME_ORBIT)
        return false;
    end_at_point(l, ZW_BIFURCATION_FLIP);
    return true;
}

/* The distance of an orbit from the parent branch at the same value, by the extremes of
 * coordinates; infinite if the parent has no orbit at that value. */
static double branch_distance(const zw_orbits *o, const zw_orbit_motion *m, int branch) {
    const zw_orbits_branch *b = &o->branch[branch];
    double least = INFINITY;
    for (int i = b->first; i + 1 < b->first + b->n; i++) {
        const zw_orbit_motion *u = &o->motion[i], *v = u + 1;
        double part = (m->value - u->value) / (v->value - u->value), most = 0;
        if (!(part >= 0 && part <= 1))
            continue;
        for (int k = 0; k < o->sys->nq; k++) {
            const zw_motion_measure *a = &u->measure[k], *c = &v->measure[k], *n = &m->measure[k];
            double size = fmax(n->max - n->min, ZW_ROUNDOFF_SOLVED * o->width[k]);
            most = fmax(most, fabs(n->max - a->max - part * (c->max - a->max)) / size);
            most = fmax(most, fabs(n->min - a->min - part * (c->min - a->min)) / size);
        }
        least = fmin(least, most);
    }
    return least;
}

/* has a step changed to the parent branch, where they intersect again? */
static bool is_back(branch_switch *l) {
    zw_orbits *o = l->o;
    const zw_orbit_motion *m = &o->motion[o->nmotion - 1];
    double now = branch_distance(o, m, o->branch[m->curve].parent), before = l->distance;
    l->distance = now;
    return now < SAME_ORBIT && before > SWITCH_FALL * now && isfinite(before);
}

/* Does the branch contain an orbit that differs from `from`? Else a special point near its
 * beginning is that beginning once more, or round-off on a branch with a single value. */
static bool was_away(const zw_orbits *o, const zw_orbit_motion *from, int branch) {
    for (int i = o->branch[branch].first; i < o->nmotion; i++)
        if (!is_same(o, &o->motion[i], from))
            return true;
    return false;
}

static bool ends_here(void *user) {
    branch_switch *l = user;
    zw_orbits *o = l->o;
    const zw_orbit_motion *m = &o->motion[o->nmotion - 1];
    if (l->doubled)
        return ends_doubled(l);
    if (l->mirror && zw_branch_points_is_mirrored(o->sys->nq, o->width, range_of(o), place_of(m),
                                                  place_of(l->mirror))) {
        l->mirrored = true;
        return true;
    }
    if (is_back(l)) {
        end_at_point(l, ZW_BIFURCATION_BRANCH);
        return true;
    }
    bool mark = m->event == ZW_BIFURCATION_FOLD || m->event == ZW_BIFURCATION_BRANCH;
    if (!mark || o->nmotion - o->branch[m->curve].first < END_POINTS)
        return false;
    for (int k = 0; k < o->branch[m->curve].first; k++)
        if (o->motion[k].event == ZW_BIFURCATION_BRANCH && o->motion[k].curve >= 0 &&
            is_same(o, &o->motion[k], m) && was_away(o, &o->motion[k], m->curve)) {
            end_at(o, &o->motion[k], -1);
            return true;
        }
    return false;
}

/* ------------------------------------------------------------------------------------- branches */

/* phi at the orbit where the branch leaves */
static zw_status find_phi(branch_switch *l, zw_error *err) {
    zw_orbits *o = l->o;
    ZW_TRY(zw_orbits_load(o, &l->from, err));
    zw_cont_problem p = zw_orbits_problem(o);
    double *tangent = ZW_NEW(&o->arena, double, p.n + 2),
           *work = ZW_NEW(&o->arena, double, 2 * p.n + 3);
    l->phi = ZW_NEW(&o->arena, double, p.n + 2);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    memcpy(tangent, l->from.tangent, sizeof(double) * (size_t)(p.n + 1));
    if (!zw_branch_points_normalise(&p, tangent))
        return ZW_RETRY;
    return zw_branch_points_null(&p, o->x, l->from.value, tangent, l->phi, work, err);
}

/* follows the branch to one side of phi, from the first distance at which there is an orbit */
static zw_status follow_from(branch_switch *l, int branch, double sign, zw_error *err) {
    zw_orbits *o = l->o;
    zw_error trouble = {0};
    zw_status status = ZW_E_NUMERIC;
    int before = o->nmotion;
    for (int d = 0; d < ZW_BRANCH_POINTS_DISTANCES && status == ZW_E_NUMERIC; d++) {
        double by = sign * zw_branch_points_distance[d];
        trouble = (zw_error){0};
        ZW_TRY(zw_orbits_load(o, &l->from, err));
        int n = zw_orbits_problem(o).n;
        double value = l->from.value + by * l->phi[n];
        if (value < fmin(o->over.from, o->over.to) || value > fmax(o->over.from, o->over.to))
            continue;
        for (int i = 0; i <= n; i++) {
            o->x[i] += i < n ? by * l->phi[i] : 0;
            o->tangent[i] = sign * l->phi[i];
        }
        l->has_split = false;
        l->distance = INFINITY;
        status = zw_orbits_follow_side(o, branch, 1, value, true, 1, false, &trouble);
        if (status == ZW_E_NUMERIC && o->nmotion > before)
            status = ZW_OK; /* the orbits found so far stay */
    }
    if (status < 0 && status != ZW_E_NUMERIC && err && !err->status)
        *err = trouble;
    return status;
}

/* Follows one side, with the orbit where it leaves, on a branch that was just added; removes the
 * branch if there is none: *found. */
static zw_status follow_side(branch_switch *l, int branch, double sign, bool *found,
                             zw_error *err) {
    zw_orbits *o = l->o;
    int first = o->nmotion;
    *found = false;
    o->branch[branch].parent = o->motion[l->at].curve;
    o->branch[branch].origin = o->motion[l->at].event;
    o->branch[branch].origin_value = l->from.value;
    o->branch[branch].end[0] = ZW_CONT_AT_BOUND;
    zw_status status = zw_orbits_load(o, &l->from, err);
    if (status >= 0)
        status = zw_orbits_add(o, l->from.value, ZW_BIFURCATION_POINT, branch, err);
    o->ends = ends_here;
    o->ends_user = l;
    if (status >= 0)
        status = follow_from(l, branch, sign, err);
    o->ends = NULL;
    if (!o->stopped && o->branch[branch].end[1] == ZW_CONT_ASKED && o->branch[branch].meets >= 0)
        o->branch[branch].end[1] = ZW_CONT_AT_BOUND;
    o->branch[branch].n = o->nmotion - first;
    *found = o->branch[branch].n > 2;
    if (!*found) {
        o->nmotion = first;
        o->nbranch--;
    }
    return status == ZW_E_NUMERIC ? ZW_OK : status;
}

static void count_unswitched(zw_orbits *o, int at) {
    if (o->unswitched++ == 0)
        o->unswitched_value = o->motion[at].value;
}

static zw_status leave_branch(zw_orbits *o, int at, int *found, zw_error *err) {
    branch_switch l = {.o = o, .from = o->motion[at], .at = at};
    bool one, two;
    zw_status status = find_phi(&l, err);
    if (status != ZW_OK)
        return status;
    o->times = o->branch[l.from.curve].times;
    int branch = zw_orbits_new_branch(o);
    if (branch < 0)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(follow_side(&l, branch, 1, &one, err));
    *found += one;
    if (o->stopped)
        return ZW_OK;
    zw_orbit_motion other;
    if (one) {
        other = o->motion[o->branch[branch].first + 1];
        l.mirror = &other;
    }
    o->times = o->branch[l.from.curve].times;
    branch = zw_orbits_new_branch(o);
    if (branch < 0)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(follow_side(&l, branch, -1, &two, err));
    *found += two;
    if (one && l.mirrored)
        o->branch[branch - 1].mirrored = true;
    return one || two ? ZW_OK : ZW_RETRY;
}

static zw_status leave_doubling(zw_orbits *o, int at, int *found, zw_error *err) {
    branch_switch l = {.o = o, .at = at, .doubled = true};
    bool one;
    o->times = 2 * o->branch[o->motion[at].curve].times;
    int branch = zw_orbits_new_branch(o);
    if (branch < 0)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(find_closing(o, &o->motion[at], &l.sign, &l.turn, err));
    ZW_TRY(make_double(o, &o->motion[at], branch, &l.from, err));
    ZW_TRY(zw_orbits_reserve(o, o->options.intervals_max * o->times, err));
    l.split = ZW_NEW(&o->arena, double, (2 * SAMPLES + 1) * o->nx + 1);
    if (!l.split)
        return zw_out_of_memory(err, NULL);
    zw_status status = find_phi(&l, err);
    if (status != ZW_OK) {
        o->nbranch--;
        return status;
    }
    ZW_TRY(follow_side(&l, branch, 1, &one, err));
    *found += one;
    return one ? ZW_OK : ZW_RETRY;
}

int zw_orbits_doubling_at(const zw_orbits *o, int branch, int side) {
    const zw_orbits_branch *b = &o->branch[branch];
    const zw_orbit_motion *end = &o->motion[side ? b->first + b->n - 1 : b->first];
    if (b->n == 0 || end->event != ZW_BIFURCATION_END)
        return -1;
    for (int i = 0; i < o->nmotion; i++) {
        const zw_orbit_motion *m = &o->motion[i];
        if (m->event == ZW_BIFURCATION_FLIP && m->curve >= 0 && m->curve != branch &&
            fabs(m->value - end->value) < SAME_POINT_VALUE * range_of(o) &&
            fabs(2 * m->period - end->period) < SAME_ORBIT * end->period)
            return i;
    }
    return -1;
}

bool zw_orbits_is_left(const zw_orbits *o, int at) {
    const zw_orbit_motion *m = &o->motion[at];
    bool doubles = m->event == ZW_BIFURCATION_FLIP;
    for (int i = 0; i < o->nbranch; i++) {
        const zw_orbits_branch *b = &o->branch[i];
        if (i == m->curve || b->n == 0)
            continue;
        const zw_orbit_motion *last = &o->motion[b->first + b->n - 1];
        bool begins = b->parent == m->curve && b->origin == m->event &&
                      fabs(b->origin_value - m->value) < SAME_POINT_VALUE * range_of(o),
             ends = b->meets == m->curve && (b->origin == ZW_BIFURCATION_FLIP) == doubles &&
                    fabs(last->value - m->value) < SAME_POINT_VALUE * range_of(o);
        if (begins || ends ||
            (doubles &&
             (zw_orbits_doubling_at(o, i, 0) == at || zw_orbits_doubling_at(o, i, 1) == at)))
            return true;
        for (int k = b->first; k < b->first + b->n && !doubles; k++)
            if (o->motion[k].event == ZW_BIFURCATION_BRANCH && is_same(o, &o->motion[k], m))
                return true;
    }
    return false;
}

/* Orbits that leave where a symmetry breaks are not symmetric: from here on orbits are whole, as
 * they are stored. */
static zw_status leave_symmetry(zw_orbits *o, zw_error *err) {
    int most = o->options.intervals_max;
    for (int i = 0; i < o->nmotion; i++)
        most = o->motion[i].intervals > most ? o->motion[i].intervals : most;
    if (!o->options.intervals && o->options.intervals_max < most)
        o->options.intervals_max = most;
    o->options.intervals *= 2;
    o->half.on = false;
    o->last_known = false;
    return zw_orbits_reserve(o, o->options.intervals > most ? o->options.intervals : most, err);
}

zw_status zw_orbits_switch(zw_orbits *o, int most, int *found, zw_error *err) {
    if (o->half.on && most > 0)
        ZW_TRY(leave_symmetry(o, err));
    if (o->group.n && most > 0)
        return zw_fail(err, ZW_E_OPTION,
                       "--switch: other branches are not looked for where orbits come back turned "
                       "by a symmetry");
    int born = 0;
    if (!o->has_over)
        return zw_fail(err, ZW_E_OPTION, "other branches leave a branch over a parameter");
    for (int i = 0; i < o->nmotion && born < most && !o->stopped; i++) {
        zw_status status = ZW_OK;
        const zw_orbit_motion *m = &o->motion[i];
        if (m->curve < 0 || !m->tangent || zw_orbits_is_left(o, i))
            continue;
        if (m->event == ZW_BIFURCATION_BRANCH)
            status = leave_branch(o, i, &born, err);
        else if (m->event == ZW_BIFURCATION_FLIP) /* with the same period, they are not near */
            status =
                o->family.kind == ZW_FAMILY_PERIOD ? ZW_RETRY : leave_doubling(o, i, &born, err);
        if (status == ZW_RETRY || status == ZW_E_NUMERIC || status == ZW_E_SINGULAR)
            count_unswitched(o, i);
        else
            ZW_TRY(status);
    }
    if (found)
        *found = born;
    return ZW_OK;
}

int zw_orbits_branch_origin(const zw_orbits *o, int branch, zw_bifurcation *event, double *value,
                            int *times) {
    const zw_orbits_branch *b = &o->branch[branch];
    if (event)
        *event = b->origin;
    if (value)
        *value = b->parent < 0 ? (double)NAN : b->origin_value;
    if (times)
        *times = b->times;
    return b->parent;
}

int zw_orbits_branch_meets(const zw_orbits *o, int branch) {
    return o->branch[branch].meets;
}
