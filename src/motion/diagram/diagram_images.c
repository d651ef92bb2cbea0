/* SPDX-License-Identifier: MIT */
/* Mirror images. Many equations do not change if some entries of the state change their signs: the
 * image of a motion is then a motion as well, at the same value of the parameter. Of Hopf points or
 * orbits that are images of each other, one is followed; all are counted. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "diagram.h"

enum {
    TRIALS = 3,      /* states at which the equations are compared */
    MIRRORS = 10,    /* entries of a state, at most: 1024 changes of signs */
    STATE = 64,      /* entries of a state whose advance is computed, at most */
    STATES = 64,     /* of an orbit, at which the equations are compared */
    SAMPLES = 200,   /* of an orbit */
    SAMPLE_STEP = 25 /* between samples that are compared with the image */
};
#define SAME_NUMBER ZW_SAME_SOLUTION /* relative: one place, or images of each other */
#define SAME_ORBIT 0.02  /* of periods and amplitudes: one orbit, interpolated on a branch */
#define BRANCH_BENDS 0.3 /* of the change between two orbits, within which a branch may bend */
/* of the sizes of the state: zero, or the same, at a Hopf point; ten times SAME_NUMBER */
#define STATE_ZERO 1e-5
#define RATES_EQUAL ZW_ROUNDOFF_SOLVED /* of rates: equal */
/* of the size of an orbit: a state on it; 200 chords of a circle are within 1e-4, sharper turns
 * within this */
#define ON_ORBIT 5e-3
#define SPREAD_FIRST 0.3 /* distances of the states from a motion, of the sizes of the state: */
#define SPREAD_MORE 0.4  /* the first, and how much further the next ones are */

static bool is_same(double a, double b) {
    return fabs(a - b) <= SAME_NUMBER * (fabs(a) + fabs(b));
}

/* Do the rates at state a and at its image by a change of signs differ by that change alone? work:
 * 3 nx doubles. */
static bool mirrors_at(const zw_diagram *d, const double *a, const bool *flip, double *work) {
    const zw_equilibria *e = d->branches->e;
    int nx = e->kernel->nx;
    double *b = work, *f = b + nx, *g = f + nx, t = e->options.t, off = 0, size = 0;
    zw_error ignored = {0};
    for (int i = 0; i < nx; i++)
        b[i] = flip[i] ? -a[i] : a[i];
    if (zw_flow_rates(e->flow, t, a, f, NULL, &ignored) < 0 ||
        zw_flow_rates(e->flow, t, b, g, NULL, &ignored) < 0)
        return false;
    for (int i = 0; i < nx; i++) {
        size = fmax(size, fabs(f[i]) / e->scale[i]);
        off = fmax(off, fabs(g[i] - (flip[i] ? -f[i] : f[i])) / e->scale[i]);
    }
    return off <= RATES_EQUAL * size;
}

/* The same at a few states about x; work: 4 nx doubles. */
static bool is_mirrored(const zw_diagram *d, const double *x, const bool *flip, double *work) {
    const zw_equilibria *e = d->branches->e;
    int nx = e->kernel->nx;
    for (int trial = 0; trial < TRIALS; trial++) {
        for (int i = 0; i < nx; i++)
            work[i] = x[i] + (SPREAD_FIRST + SPREAD_MORE * trial) * e->scale[i] *
                                 cos(1.3 + 2.1 * i + 0.7 * trial);
        if (!mirrors_at(d, work, flip, work + nx))
            return false;
    }
    return true;
}

/* Does a change of signs that leaves the equations unchanged map one state to the other? */
static bool is_image(const zw_diagram *d, const zw_branches_point *p, const zw_branches_point *q) {
    zw_branches *b = d->branches;
    int nx = b->e->kernel->nx, open[MIRRORS], nopen = 0;
    zw_error ignored = {0};
    zw_arena_mark mark = zw_arena_mark_now(&b->arena);
    bool *flip = ZW_NEW(&b->arena, bool, nx + 1), found = false, fits = true;
    double *work = ZW_NEW(&b->arena, double, 4 * nx + 1);
    if (b->arena.failed || zw_branches_set_value(b, p->value, &ignored) < 0)
        return false;
    for (int i = 0; i < nx && fits; i++) {
        double least = STATE_ZERO * b->e->scale[i];
        if (fabs(p->x[i]) <= least && fabs(q->x[i]) <= least) {
            fits = nopen < MIRRORS;
            if (fits)
                open[nopen++] = i;
            continue;
        }
        flip[i] = fabs(p->x[i] + q->x[i]) < fabs(p->x[i] - q->x[i]);
        fits = fabs(fabs(p->x[i]) - fabs(q->x[i])) <= least;
    }
    for (int k = 0; fits && !found && k < 1 << nopen; k++) {
        for (int j = 0; j < nopen; j++)
            flip[open[j]] = k >> j & 1;
        found = is_mirrored(d, p->x, flip, work);
    }
    zw_arena_release(&b->arena, mark);
    return found;
}

/* The first Hopf point with the same value, frequency and cubic terms: the same point, or an image
 * of it by changes of signs. */
int zw_diagram_image_of(const zw_diagram *d, int i) {
    const zw_branches_point *p = &d->branches->branch.point[i];
    double range = fabs(d->over.to - d->over.from);
    for (int k = 0; k < i; k++) {
        const zw_branches_point *q = &d->branches->branch.point[k];
        bool both = q->kind == ZW_STEADY_HOPF && p->cubic && q->cubic && !p->cubic->refused &&
                    !q->cubic->refused;
        if (both && fabs(p->value - q->value) <= SAME_NUMBER * range &&
            is_same(p->omega, q->omega) && p->cubic->hopf.growing == q->cubic->hopf.growing &&
            is_image(d, p, q))
            return k;
    }
    return -1;
}

/* --------------------------------------------------------------------------------------- orbits */

static const bool *mirror_of(const zw_diagram *d, int k) {
    return d->mirror + (size_t)k * (size_t)d->branches->e->kernel->nx;
}

/* Tested at two values of the parameter, near the start: a coincidence at one value is not a
 * symmetry. */
zw_status zw_diagram_find_mirrors(zw_diagram *d, zw_error *err) {
    zw_branches *b = d->branches;
    int nx = b->e->kernel->nx;
    zw_error ignored = {0};
    double *work = ZW_NEW(&d->arena, double, 4 * nx + 1);
    d->nmirror = 0;
    if (nx > MIRRORS || d->orbits->nx != nx)
        return ZW_OK;
    d->mirror = ZW_NEW(&d->arena, bool, (size_t)nx << nx);
    if (d->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int k = 1; k < 1 << nx; k++) {
        bool *flip = d->mirror + (size_t)d->nmirror * (size_t)nx, holds = true;
        for (int i = 0; i < nx; i++)
            flip[i] = k >> i & 1;
        for (int side = 0; side < 2 && holds; side++) {
            double part = side ? ZW_DIAGRAM_WITHIN : 1 - ZW_DIAGRAM_WITHIN / 3;
            holds = zw_branches_set_value(b, d->over.from + part * (d->over.to - d->over.from),
                                          &ignored) >= 0 &&
                    is_mirrored(d, b->e->start, flip, work);
        }
        d->nmirror += holds;
    }
    return ZW_OK;
}

/* Change of coordinate k in a period: full turns of an angle, or a drift. */
static double advance_of(const zw_orbits *o, int number, int k) {
    const zw_orbit_motion *m = &o->motion[number];
    double ends[2][STATE];
    if (m->drift && m->drift[k] != 0)
        return m->drift[k];
    if (!(o->wraps[k] > 0) || o->nx > STATE)
        return 0;
    zw_orbits_state(o, number, 0, ends[0]);
    zw_orbits_state(o, number, 1, ends[1]);
    return zw_orbits_whole(o, k, ends[1][k] - ends[0][k]);
}

/* Do orbits i and i + 1, between which the parameter passes the value of another orbit at the
 * fraction `part`, have the same bounds of coordinate k as that one, or its image by a change of
 * signs (flip; NULL: none)? Angles are compared modulo full turns. For a coordinate that advances,
 * only the advance is compared: its bounds depend on where the orbit begins. */
static bool has_same_bounds(const zw_orbits *o, int i, double part, int other, const bool *flip,
                            int k) {
    const zw_motion_measure *a = &o->motion[i].measure[k], *b = &o->motion[i + 1].measure[k],
                            *c = &o->motion[other].measure[k];
    double sign = flip && flip[k] ? -1 : 1, high = sign > 0 ? c->max : -c->min,
           low = sign > 0 ? c->min : -c->max;
    double least = SAME_ORBIT * (c->max - c->min) + STATE_ZERO * o->scale[k],
           top = a->max + part * (b->max - a->max) - high,
           bottom = a->min + part * (b->min - a->min) - low,
           advance = sign * advance_of(o, other, k), from = advance_of(o, i, k),
           to = advance_of(o, i + 1, k), whole = zw_orbits_whole(o, k, (top + bottom) / 2);
    if (advance != 0 || from != 0)
        return fabs(from + part * (to - from) - advance) <= SAME_ORBIT * fabs(advance) +
                                                                STATE_ZERO * o->scale[k] +
                                                                BRANCH_BENDS * fabs(to - from);
    return fabs(top - whole) <= least + BRANCH_BENDS * fabs(b->max - a->max) &&
           fabs(bottom - whole) <= least + BRANCH_BENDS * fabs(b->min - a->min);
}

/* Does a branch pass the value of an orbit between its orbits i and i + 1, and there the orbit or
 * its image? */
static bool has_passed(const zw_orbits *o, int i, int number, const bool *flip) {
    const zw_orbit_motion *m = &o->motion[number], *u = &o->motion[i], *v = &o->motion[i + 1];
    if (u->curve < 0 || u->curve != v->curve || (u->value - m->value) * (v->value - m->value) > 0)
        return false;
    double part = u->value == v->value ? 0 : (m->value - u->value) / (v->value - u->value);
    bool here = fabs(u->period + part * (v->period - u->period) - m->period) <=
                SAME_ORBIT * m->period + BRANCH_BENDS * fabs(v->period - u->period);
    for (int k = 0; k < o->sys->nq && here; k++)
        here = has_same_bounds(o, i, part, number, flip, k);
    return here;
}

/* Is the image of an orbit an orbit? A symmetry of the equations near the start may end at a kink
 * of a force. */
static bool has_image(const zw_diagram *d, int number, const bool *flip) {
    double x[MIRRORS], work[3 * MIRRORS];
    zw_error ignored = {0};
    if (zw_branches_set_value(d->branches, d->orbits->motion[number].value, &ignored) < 0)
        return false;
    for (int i = 0; i < STATES; i++) {
        zw_orbits_state(d->orbits, number, i / (double)STATES, x);
        if (!mirrors_at(d, x, flip, work))
            return false;
    }
    return true;
}

bool zw_diagram_knows_orbit(const zw_diagram *d, int number) {
    const zw_orbits *o = d->orbits;
    for (int k = -1; k < d->nmirror; k++)
        for (int i = 0; i + 1 < number; i++)
            if (has_passed(o, i, number, k < 0 ? NULL : mirror_of(d, k)) &&
                (k < 0 || has_image(d, number, mirror_of(d, k))))
                return true;
    return false;
}

/* Distance of a state from an orbit (SAMPLES + 1 states), relative to the size of the orbit. */
static double orbit_distance(const zw_diagram *d, const double *orbit, const double *size,
                             const double *x) {
    const zw_orbits *o = d->orbits;
    double least = INFINITY;
    for (int i = 0; i < SAMPLES; i++) {
        const double *u = orbit + (size_t)i * (size_t)o->nx, *v = u + o->nx;
        double along = 0, length = 0, away = 0;
        for (int j = 0; j < o->nx; j++) {
            along += (x[j] - u[j]) * (v[j] - u[j]) / (size[j] * size[j]);
            length += (v[j] - u[j]) * (v[j] - u[j]) / (size[j] * size[j]);
        }
        along = length > 0 ? fmin(fmax(along / length, 0), 1) : 0;
        for (int j = 0; j < o->nx; j++) {
            double off = x[j] - u[j] - along * (v[j] - u[j]);
            away = fmax(away, fabs(zw_branches_wrap(d->branches, j, off)) / size[j]);
        }
        least = fmin(least, away);
    }
    return least;
}

/* Is an orbit its own image? */
static bool is_own_image(const zw_diagram *d, const double *orbit, const double *size,
                         const bool *flip) {
    double x[MIRRORS];
    for (int i = 0; i < SAMPLES; i += SAMPLE_STEP) {
        for (int j = 0; j < d->orbits->nx; j++)
            x[j] = (flip[j] ? -1 : 1) * orbit[(size_t)i * (size_t)d->orbits->nx + (size_t)j];
        if (orbit_distance(d, orbit, size, x) > ON_ORBIT)
            return false;
    }
    return true;
}

/* Does another orbit at the same value of the parameter coincide with its image? */
static bool is_listed(const zw_diagram *d, int number, const bool *flip) {
    for (int i = 0; i + 1 < d->orbits->nmotion; i++)
        if (has_passed(d->orbits, i, number, flip) && !has_passed(d->orbits, i, number, NULL))
            return true;
    return false;
}

/* Has the branch left where a symmetry of another kind breaks, or left such a branch? */
static bool breaks_symmetry(const zw_orbits *o, int branch) {
    for (int k = branch; k >= 0; k = o->branch[k].parent)
        if (o->branch[k].mirrored)
            return true;
    return false;
}

/* The orbit as SAMPLES + 1 states, and the range of each entry. */
static void sample_orbit(const zw_orbits *o, int number, double *orbit, double *size) {
    for (int i = 0; i <= SAMPLES; i++)
        zw_orbits_state(o, number, i / (double)SAMPLES, orbit + (size_t)i * (size_t)o->nx);
    for (int j = 0; j < o->nx; j++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i <= SAMPLES; i++) {
            low = fmin(low, orbit[i * o->nx + j]);
            high = fmax(high, orbit[i * o->nx + j]);
        }
        size[j] = fmax(high - low, STATE_ZERO * o->scale[j]);
    }
}

int zw_diagram_new_images(const zw_diagram *d, int number, int most, const bool **flip) {
    const zw_orbits *o = d->orbits;
    double orbit[(SAMPLES + 1) * MIRRORS], size[MIRRORS];
    bool both[MIRRORS];
    int n = 0;
    if (d->nmirror > 0)
        sample_orbit(o, number, orbit, size);
    for (int k = 0; k < d->nmirror && n < most; k++) {
        const bool *one = mirror_of(d, k);
        bool taken = !has_image(d, number, one) || is_own_image(d, orbit, size, one) ||
                     is_listed(d, number, one);
        for (int i = 0; i < n && !taken; i++) { /* two changes of signs may give one image */
            for (int j = 0; j < o->nx; j++)
                both[j] = flip[i][j] != one[j];
            taken = is_own_image(d, orbit, size, both);
        }
        if (!taken)
            flip[n++] = one;
    }
    return n;
}

int zw_diagram_orbit_images(const zw_diagram *d, int number) {
    const zw_orbits *o = d->orbits;
    double orbit[(SAMPLES + 1) * MIRRORS], size[MIRRORS];
    int images = 1, own = 1, listed = 0; /* the identity is one of them */
    bool half = breaks_symmetry(o, o->motion[number].curve);
    if (d->nmirror == 0)
        return half;
    sample_orbit(o, number, orbit, size);
    for (int k = 0; k < d->nmirror; k++) {
        if (!has_image(d, number, mirror_of(d, k)))
            continue;
        bool same = is_own_image(d, orbit, size, mirror_of(d, k));
        images++;
        own += same;
        listed += !same && is_listed(d, number, mirror_of(d, k));
    }
    /* the images form a set of this many, in which each occurs `own` times */
    int others = images / own - 1, shown = listed / own;
    return others == 0 && half ? 1 : shown > others ? 0 : others - shown;
}
