/* SPDX-License-Identifier: MIT */
/* From one branch of orbits through events to another where they intersect (branch_points.h). Where
 * the period doubles, the orbit also has two rounds, with twice as many segments z_0, ..., z_n-1,
 * z_0, ..., z_n-1: their equations have a null vector there that changes its sign from one round to
 * the next. The branch that leaves has orbits whose rounds differ by
 *
 *     w_k = z_k - z_k+n          (up to turns of angles and drifts),
 *
 * and ends where w changes its sign: beyond that place are the same orbits half a period later.
 * Where a symmetry breaks two branches leave, and are reported once if they are mirror images. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "event_orbits.h"
#include "motion/branch_points.h"

/* Relative to the sizes of states: distance from the parent branch of an orbit on it. Chords
 * between its points are that far from it. */
#define ON_PARENT 1e-3
/* Factor by which that distance must fall in one step if the step left the branch. */
#define SWITCH_FALL 5
/* Relative to the range: distance of a special point at which a branch may end. */
#define END_DISTANCE 0.05
/* Relative to the range: values of one special point. */
#define SAME_POINT_VALUE 1e-6
#define END_POINTS 3 /* points of a branch before it can end on another one: it begins on it */

typedef struct branch_switch {
    zw_event_orbits *o;
    int at;  /* number of the special point */
    int end; /* special point at which the branch ends; -1 if none */
    bool doubled;
    zw_segmented_motion from; /* the orbit there, on the branch that leaves */
    zw_segmented_signature signature;
    double *phi;         /* n + 1 */
    double *split, *now; /* n: w of the previous orbit, and of this one */
    bool has_split, mirrored;
    double distance; /* distance of the previous orbit from the parent */
    /* the first orbit of the other side; NULL on the first side */
    const zw_segmented_motion *mirror;
} branch_switch;

static double range_of(const zw_event_orbits *o) {
    return fabs(o->over.to - o->over.from);
}

static zw_branch_points_place place_of(const zw_segmented_motion *m) {
    return (zw_branch_points_place){m->value, m->measure};
}

/* ----------------------------------------------------------------------------------- two rounds */

static zw_status double_signature(zw_event_orbits *o, const zw_segmented_signature *s,
                                  zw_segmented_signature *out, zw_error *err) {
    int n = s->n, *stage = ZW_NEW(&o->arena, int, 2 * n), *event = ZW_NEW(&o->arena, int, 2 * n),
        *direction = ZW_NEW(&o->arena, int, 2 * n);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int k = 0; k < 2 * n; k++) {
        stage[k] = s->segment[k % n].stage;
        event[k] = s->segment[k % n].event;
        direction[k] = s->segment[k % n].direction;
    }
    ZW_TRY(zw_segmented_make_signature(o, 2 * n, stage, event, direction, out, err));
    for (int k = 0; k < 2 * n; k++) {
        out->touching[k] = s->touching[k % n];
        out->pattern[k] = s->pattern[k % n];
    }
    memcpy(out->scale, s->scale, sizeof(double) * (size_t)o->nx);
    memcpy(out->memory_scale, s->memory_scale, sizeof(double) * (size_t)o->nmemory);
    for (int i = 0; i < o->nx; i++)
        out->turn[i] = 2 * s->turn[i];
    out->duration = 2 * s->duration;
    out->first = s->first;
    out->times = 2 * s->times;
    return ZW_OK;
}

/* the change of the state over a round (nx): turns and drifts */
static zw_status find_advance(zw_event_orbits *o, int at, double *advance, zw_error *err) {
    const zw_segmented_motion *m = &o->motion[at];
    int stage;
    ZW_TRY(zw_segmented_load(o, m, &o->signature[at], err));
    ZW_TRY(zw_segmented_state_at(o->h, m->unknown, m->value, m->start + m->period, advance, NULL,
                                 &stage, err));
    for (int i = 0; i < o->nx; i++)
        advance[i] = o->essential[i] ? o->signature[at].turn[i] : advance[i] - m->unknown[i];
    return ZW_OK;
}

/* fills in unknowns of two rounds from those of one (a direction: advance NULL); `more` entries
 * follow the segments */
static void put_twice(const zw_event_orbits *o, int segments, const double *x,
                      const double *advance, int more, double *out) {
    int stride = o->nx + o->nmemory + 1, n = segments * stride;
    for (int i = 0; i < n; i++) {
        out[i] = x[i];
        out[n + i] = x[i] + (advance && i % stride < o->nx ? advance[i % stride] : 0);
    }
    for (int i = 0; i < more; i++)
        out[2 * n + i] = x[n + i];
}

/* the orbit at a special point as one of two rounds, in l->from */
static zw_status make_double(branch_switch *l, zw_error *err) {
    zw_event_orbits *o = l->o;
    const zw_segmented_motion *m = &o->motion[l->at];
    int stride = o->nx + o->nmemory + 1, start = o->autonomous || m->event[0] < 0 ? 0 : 1,
        n = m->nsegment * stride;
    double *x = ZW_NEW(&o->arena, double, 2 * n + 2),
           *tangent = ZW_NEW(&o->arena, double, 2 * n + 3),
           *advance = ZW_NEW(&o->arena, double, o->nx + 1);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(find_advance(o, l->at, advance, err));
    m = &o->motion[l->at];
    ZW_TRY(double_signature(o, &o->signature[l->at], &l->signature, err));
    put_twice(o, m->nsegment, m->unknown, advance, start, x);
    put_twice(o, m->nsegment, m->tangent, NULL, start + 1, tangent);
    l->from = *m;
    l->from.unknown = x;
    l->from.tangent = tangent;
    return ZW_OK;
}

double zw_segmented_split(const zw_event_orbits *o, const zw_segmented_signature *s,
                          const double *x, double *w) {
    int stride = o->nx + o->nmemory + 1, n = s->n / 2 * stride;
    double sum = 0;
    for (int i = 0; i < n; i++) {
        int r = i % stride;
        double size = r < o->nx ? s->scale[r] : r + 1 < stride ? s->memory_scale[r - o->nx] : 0;
        bool counts = size > 0 && (r >= o->nx || o->essential[r]);
        w[i] = counts ? (x[i] - x[n + i] + (r < o->nx ? s->turn[r] / 2 : 0)) / size : 0;
        sum += w[i] * w[i];
    }
    return sqrt(sum / n);
}

/* ----------------------------------------------------------------------------------------- ends */

/* Ends the branch, which is back on its parent, at the nearest special point of the parent, other
 * than the one at which it left. */
static void end_at_point(branch_switch *l, zw_bifurcation event) {
    zw_event_orbits *o = l->o;
    zw_segmented_motion *m = &o->motion[o->nmotion - 1];
    zw_segmented_branch *b = &o->branch[m->curve];
    int best = -1;
    for (int i = 0; i < o->nmotion - 1; i++)
        if (o->motion[i].curve == b->parent && o->motion[i].event_here == event && i != l->at &&
            (best < 0 ||
             fabs(o->motion[i].value - m->value) < fabs(o->motion[best].value - m->value)))
            best = i;
    m->event_here = ZW_BIFURCATION_POINT;
    m->tangent = NULL;
    b->meets = b->parent;
    b->meets_value = m->value;
    if (best >= 0 && fabs(o->motion[best].value - m->value) <= END_DISTANCE * range_of(o))
        l->end = best;
}

/* replaces the last orbit by the one there */
static zw_status put_end(branch_switch *l, int branch, zw_error *err) {
    zw_event_orbits *o = l->o;
    branch_switch there = {.o = o, .at = l->end, .from = o->motion[l->end]};
    if (l->doubled)
        ZW_TRY(make_double(&there, err));
    ZW_TRY(zw_segmented_load(o, &there.from, &l->signature, err));
    zw_segmented_discard(o, o->nmotion - 1);
    o->branch[branch].meets_value = there.from.value;
    return zw_segmented_add(o, there.from.value, ZW_BIFURCATION_POINT, branch, NAN, err);
}

static bool ends_doubled(branch_switch *l) {
    zw_event_orbits *o = l->o;
    int n = l->signature.n / 2 * (o->nx + o->nmemory + 1);
    double product = 0,
           size = zw_segmented_split(o, &l->signature, o->motion[o->nmotion - 1].unknown, l->now);
    for (int i = 0; i < n && l->has_split; i++)
        product += l->now[i] * l->split[i];
    memcpy(l->split, l->now, sizeof(double) * (size_t)n);
    l->has_split = true;
    if (product >= 0 &&
        size >= ZW_SEGMENTED_SAME_ROUNDS) /* a step may also have changed to orbits of one round */
        return false;
    end_at_point(l, ZW_BIFURCATION_FLIP);
    return true;
}

/* The distance of an orbit from the chord between two orbits of a branch with the same segments, at
 * its value, relative to the sizes of states; infinite if its value is not between theirs. */
static double chord_distance(const branch_switch *l, const zw_segmented_motion *m,
                             const zw_segmented_motion *u, const zw_segmented_motion *v) {
    const zw_event_orbits *o = l->o;
    int stride = o->nx + o->nmemory + 1, n = l->signature.n * stride;
    double part = (m->value - u->value) / (v->value - u->value), sum = 0;
    if (!(part >= 0 && part <= 1))
        return INFINITY;
    for (int i = 0; i < n; i++) {
        int r = i % stride;
        double d = m->unknown[i] - u->unknown[i] - part * (v->unknown[i] - u->unknown[i]);
        if (r < o->nx && o->essential[r])
            sum += d * d / (l->signature.scale[r] * l->signature.scale[r]);
    }
    return sqrt(sum / n);
}

/* has a step changed to the parent branch, where they intersect again? */
static bool is_back(branch_switch *l) {
    zw_event_orbits *o = l->o;
    const zw_segmented_motion *m = &o->motion[o->nmotion - 1];
    const zw_segmented_branch *b = &o->branch[o->branch[m->curve].parent];
    double now = INFINITY, before = l->distance;
    for (int i = b->first; i + 1 < b->first + b->n; i++)
        now = fmin(now, chord_distance(l, m, &o->motion[i], &o->motion[i + 1]));
    l->distance = now;
    return now < ON_PARENT && before > SWITCH_FALL * now && isfinite(before);
}

static bool ends_here(void *user) {
    branch_switch *l = user;
    zw_event_orbits *o = l->o;
    const zw_segmented_motion *m = &o->motion[o->nmotion - 1];
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
    bool mark = m->event_here == ZW_BIFURCATION_FOLD || m->event_here == ZW_BIFURCATION_BRANCH;
    if (!mark || o->nmotion - o->branch[m->curve].first < END_POINTS)
        return false;
    for (int k = 0; k < o->branch[m->curve].first; k++)
        if (k != l->at && o->motion[k].event_here == ZW_BIFURCATION_BRANCH &&
            o->motion[k].curve >= 0 &&
            zw_branch_points_is_same(o->sys->nq, o->width, range_of(o), place_of(&o->motion[k]),
                                     place_of(m))) {
            end_at_point(l, ZW_BIFURCATION_BRANCH);
            return true;
        }
    return false;
}

/* ------------------------------------------------------------------------------------- branches */

static zw_status find_phi(branch_switch *l, zw_error *err) {
    zw_event_orbits *o = l->o;
    ZW_TRY(zw_segmented_load(o, &l->from, &l->signature, err));
    zw_cont_problem p = zw_segmented_problem(o->h);
    double *tangent = ZW_NEW(&o->arena, double, p.n + 2),
           *work = ZW_NEW(&o->arena, double, 2 * p.n + 3);
    l->phi = ZW_NEW(&o->arena, double, p.n + 2);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    memcpy(tangent, l->from.tangent, sizeof(double) * (size_t)(p.n + 1));
    if (!zw_branch_points_normalise(&p, tangent))
        return ZW_RETRY;
    return zw_branch_points_null(&p, o->unknown, l->from.value, tangent, l->phi, work, err);
}

/* follows the branch to one side of phi, from the first distance at which there is an orbit */
static zw_status follow_from(branch_switch *l, int branch, double sign, zw_error *err) {
    zw_event_orbits *o = l->o;
    zw_error trouble = {0};
    zw_status status = ZW_E_NUMERIC;
    int before = o->nmotion, n = zw_segmented_problem(o->h).n;
    double *toward = ZW_NEW(&o->arena, double, n + 1);
    if (!toward)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i <= n; i++)
        toward[i] = sign * l->phi[i];
    for (int d = 0; d < ZW_BRANCH_POINTS_DISTANCES && status == ZW_E_NUMERIC; d++) {
        double by = zw_branch_points_distance[d], value = l->from.value + by * toward[n];
        trouble = (zw_error){0};
        if (value < fmin(o->over.from, o->over.to) || value > fmax(o->over.from, o->over.to))
            continue;
        ZW_TRY(zw_segmented_load(o, &l->from, &l->signature, err));
        for (int i = 0; i < n; i++)
            o->unknown[i] += by * toward[i];
        l->has_split = false;
        l->distance = INFINITY;
        status =
            zw_segmented_follow(o, branch, 1, value, toward, ZW_BIFURCATION_POINT, false, &trouble);
        if (status == ZW_E_NUMERIC && o->nmotion > before)
            status = ZW_OK; /* the orbits found so far stay */
    }
    if (status < 0 && status != ZW_E_NUMERIC && err && !err->status)
        *err = trouble;
    return status;
}

/* Follows one side, with the orbit where it leaves, as a new branch; removes it if there is none:
 * *found. */
static zw_status follow_side(branch_switch *l, double sign, bool *found, zw_error *err) {
    zw_event_orbits *o = l->o;
    int first = o->nmotion, branch = zw_segmented_new_branch(o);
    *found = false;
    if (branch < 0)
        return zw_out_of_memory(err, NULL);
    zw_segmented_branch *b = &o->branch[branch];
    b->parent = o->motion[l->at].curve;
    b->origin = o->motion[l->at].event_here;
    b->origin_value = l->from.value;
    b->end[0] = ZW_CONT_AT_BOUND;
    zw_status status = zw_segmented_load(o, &l->from, &l->signature, err);
    if (status >= 0)
        status = zw_segmented_add(o, l->from.value, ZW_BIFURCATION_POINT, branch, NAN, err);
    int own = o->nmotion;
    l->end = -1;
    o->ends = ends_here;
    o->ends_user = l;
    if (status >= 0)
        status = follow_from(l, branch, sign, err);
    o->ends = NULL;
    if (status >= 0 && l->end >= 0)
        status = put_end(l, branch, err);
    b = &o->branch[branch];
    if (!o->stopped && b->end[1] == ZW_CONT_ASKED && b->meets >= 0)
        b->end[1] = ZW_CONT_AT_BOUND;
    b->n = o->nmotion - first;
    *found = o->nmotion > own + 1 && !l->mirrored;
    if (!*found) {
        zw_segmented_discard(o, first);
        o->nbranch--;
    }
    if (status >= 0)
        status = zw_segmented_find_normals(o, first, err);
    return status == ZW_E_NUMERIC ? ZW_OK : status;
}

static zw_status leave_branch(zw_event_orbits *o, int at, int *found, zw_error *err) {
    branch_switch l = {.o = o, .at = at, .from = o->motion[at], .signature = o->signature[at]};
    bool one, two = false;
    zw_status status = find_phi(&l, err);
    if (status != ZW_OK)
        return status;
    ZW_TRY(follow_side(&l, 1, &one, err));
    *found += one;
    if (o->stopped)
        return ZW_OK;
    int branch = o->nbranch - 1;
    zw_segmented_motion other;
    if (one) {
        other = o->motion[o->branch[branch].first + 1];
        l.mirror = &other;
    }
    ZW_TRY(follow_side(&l, -1, &two, err));
    *found += two;
    if (one && l.mirrored)
        o->branch[branch].mirrored = true;
    return one || two ? ZW_OK : ZW_RETRY;
}

static zw_status leave_doubling(zw_event_orbits *o, int at, int *found, zw_error *err) {
    branch_switch l = {.o = o, .at = at, .doubled = true};
    bool one;
    ZW_TRY(make_double(&l, err));
    int n = l.signature.n * (o->nx + o->nmemory + 1);
    l.split = ZW_NEW(&o->arena, double, n + 1);
    l.now = ZW_NEW(&o->arena, double, n + 1);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    zw_status status = find_phi(&l, err);
    if (status != ZW_OK)
        return status;
    ZW_TRY(follow_side(&l, 1, &one, err)); /* the other side has the same orbits, a round later */
    *found += one;
    return one ? ZW_OK : ZW_RETRY;
}

/* Is the other branch known already, that is, does it begin or end here? */
static bool is_left(const zw_event_orbits *o, int at) {
    const zw_segmented_motion *m = &o->motion[at];
    for (int i = 0; i < o->nbranch; i++) {
        const zw_segmented_branch *b = &o->branch[i];
        bool begins = b->parent == m->curve && b->origin == m->event_here &&
                      fabs(b->origin_value - m->value) < SAME_POINT_VALUE * range_of(o),
             ends = b->meets == m->curve && b->origin == m->event_here &&
                    fabs(b->meets_value - m->value) < SAME_POINT_VALUE * range_of(o);
        if (i != m->curve && b->n > 0 && (begins || ends))
            return true;
    }
    return false;
}

zw_status zw_event_orbits_switch(zw_event_orbits *o, int most, int *found, zw_error *err) {
    int born = 0;
    if (!o->has_over)
        return zw_fail(err, ZW_E_OPTION, "other branches leave a branch over a parameter");
    for (int i = 0; i < o->nmotion && born < most && !o->stopped; i++) {
        zw_status status = ZW_OK;
        const zw_segmented_motion *m = &o->motion[i];
        if (m->curve < 0 || !m->tangent || is_left(o, i))
            continue;
        if (m->event_here == ZW_BIFURCATION_BRANCH)
            status = leave_branch(o, i, &born, err);
        else if (m->event_here == ZW_BIFURCATION_FLIP)
            status = leave_doubling(o, i, &born, err);
        status = zw_segmented_judge_memory(o, status, err);
        if (status == ZW_RETRY || status == ZW_E_NUMERIC || status == ZW_E_SINGULAR) {
            if (o->unswitched++ == 0)
                o->unswitched_value = o->motion[i].value;
        } else {
            ZW_TRY(status);
        }
    }
    if (found)
        *found = born;
    return ZW_OK;
}

int zw_event_orbits_branch_origin(const zw_event_orbits *o, int branch, zw_bifurcation *event,
                                  double *value, int *times) {
    const zw_segmented_branch *b = &o->branch[branch];
    if (event)
        *event = b->parent < 0 ? ZW_BIFURCATION_POINT : b->origin;
    if (value)
        *value = b->parent < 0 ? (double)NAN : b->origin_value;
    if (times)
        *times = b->n > 0 ? o->signature[b->first].times : 1;
    return b->parent;
}
