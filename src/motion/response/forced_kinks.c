/* SPDX-License-Identifier: MIT */
/* Curves of models whose forces have kinks or jumps, by shooting. If the kinks matter, the Fourier
 * series of a motion converges slowly, and sampled forces do not show where a kink lies between two
 * samples: each sample that passes a kink bends the curve of harmonic balance slightly, so that its
 * steps become as short as the distance of the samples, and its folds differ from those of the
 * model. A run ends a step at every kink and carries disturbances across it exactly
 * (motion/segments/periodic.h, orbits of one segment): the curve is smooth, and folds and multipliers are
 * those of the model. As long as few harmonics suffice (motions do not reach the kinks; x'
 * abs(x')), harmonic balance is as good, and faster with many coordinates: shooting is used when
 * more harmonics are needed than are allowed or given. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/interrupt.h"
#include "forced.h"
#include "motion/event_orbits/event_orbits.h"

/* Options that need a Fourier series choose harmonic balance. */
bool zw_forced_may_shoot(const zw_forced *f) {
    const zw_forced_options *o = &f->options;
    bool series = o->odd || o->slow || o->free || o->taylor || o->winding;
    return f->kinks && f->has_over && !series && !zw_forced_has_tones(f) && !f->shooting_failed &&
           !f->sys->nsignal && !zw_event_orbits_suit(f->sys);
}

bool zw_forced_needs_shooting(zw_forced *f, int top, bool trouble) {
    int most = 2 * f->highest_driven > ZW_FORCED_SHOOTING_HARMONICS ? 2 * f->highest_driven
                                                                    : ZW_FORCED_SHOOTING_HARMONICS;
    bool many = top > most && !f->options.harmonics; /* given harmonics are judged by their error */
    f->needs_shooting |= !f->cycles && !f->shoots && (many || trouble) && zw_forced_may_shoot(f);
    return f->needs_shooting;
}

int zw_forced_shooting_harmonics(const zw_forced *f) {
    return f->options.harmonics ? f->options.harmonics : ZW_FORCED_SHOOTING_HARMONICS;
}

static void clear_motions(zw_forced *f) {
    f->nmotion = f->ncurve = 0;
    f->empty_values = f->conflicts = 0;
    f->worst_error = f->worst_unseen = f->conflict_miss = 0;
    f->singular.n = 0;
    f->needs_shooting = false;
}

void zw_forced_kinks_begin(zw_forced *f) {
    clear_motions(f);
    f->shoots = true;
}

void zw_forced_kinks_give_up(zw_forced *f) {
    zw_event_orbits_destroy(f->event_orbits);
    f->event_orbits = NULL;
    f->shoots = false;
    f->shooting_failed = true;
    clear_motions(f);
}

static zw_status open_event_orbits(zw_forced *f, zw_error *err) {
    zw_event_orbits_options o = zw_event_orbits_options_default();
    if (f->event_orbits)
        return ZW_OK;
    o.over = f->options.over;
    o.order = f->options.order;
    o.settle = f->options.settle;
    o.points_max = f->options.points_max;
    o.step_max = f->options.step_max;
    o.stability = f->options.stability;
    o.normal = false;
    o.harmonics = zw_forced_shooting_harmonics(f);
    o.active = f->options.active;
    o.stop = f->options.stop;
    o.stop_user = f->options.stop_user;
    o.with = f->options.with;
    o.member = f->options.member;
    return zw_event_orbits_create(&f->event_orbits, f->sys, &o, err);
}

/* -------------------------------------------------------------------------------------- motions */

static zw_status add_motion(zw_forced *f, const zw_segmented_motion *m, int curve, zw_error *err) {
    double w, slope;
    ZW_TRY(zw_forced_set(f, m->value, f->now, &w, &slope, err));
    const zw_forced_motion as = {.value = m->value, .w = w, .event = m->event_here, .curve = curve};
    zw_shooting s = zw_forced_orbit_shooting(m);
    return zw_forced_add_shooting(f, &s, &as, err);
}

/* index of the orbit of a motion; -1: none */
static int orbit_of(const zw_forced *f, int number) {
    const zw_forced_motion *m = &f->motion[number];
    for (int i = 0; f->event_orbits && i < zw_event_orbits_count(f->event_orbits); i++) {
        const zw_segmented_motion *o = zw_event_orbits_at(f->event_orbits, i);
        if (o->curve < 0 && o->value == m->value &&
            memcmp(o->x, m->state, sizeof(double) * (size_t)f->kernel->nx) == 0)
            return i;
    }
    return -1;
}

zw_status zw_forced_kinks_find(zw_forced *f, double value, int *number, zw_error *err) {
    int orbit;
    ZW_TRY(open_event_orbits(f, err));
    zw_status status = zw_event_orbits_find(f->event_orbits, value, &orbit, err);
    f->stopped |= f->event_orbits->stopped;
    if (status != ZW_OK)
        return status;
    ZW_TRY(add_motion(f, zw_event_orbits_at(f->event_orbits, orbit), -1, err));
    if (number)
        *number = f->nmotion - 1;
    return ZW_OK;
}

zw_status zw_forced_kinks_search(zw_forced *f, double value, int starts, int *found,
                                 zw_error *err) {
    ZW_TRY(open_event_orbits(f, err));
    int new = 0, before = zw_event_orbits_count(f->event_orbits);
    ZW_TRY(zw_event_orbits_search(f->event_orbits, value, starts, &new, err));
    f->stopped |= f->event_orbits->stopped;
    for (int i = 0; i < new; i++)
        ZW_TRY(add_motion(f, zw_event_orbits_at(f->event_orbits, before + i), -1, err));
    if (found)
        *found = new;
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- curves */

/* adds a branch as a curve of a study; index: its number there */
static zw_status take_branch(zw_forced *f, const zw_event_orbits *o, int branch, int *index,
                             zw_error *err) {
    const zw_segmented_branch *b = &o->branch[branch];
    ZW_TRY(zw_forced_new_curve(f, index, err));
    for (int i = b->first; i < b->first + b->n; i++)
        ZW_TRY(add_motion(f, &o->motion[i], *index, err));
    zw_forced_curve *c = &f->curve[*index];
    c->n = b->n;
    c->imaged = b->mirrored;
    for (int side = 0; side < 2; side++) {
        c->info[side] = (zw_cont_info){.end = b->end[side],
                                       .points = b->end[side] == ZW_CONT_GOES_ON ? 0 : b->n};
        snprintf(c->info[side].why, sizeof c->info[side].why, "%s", b->why[side]);
    }
    return ZW_OK;
}

zw_status zw_forced_kinks_follow(zw_forced *f, int number, zw_error *err) {
    int orbit = orbit_of(f, number), index;
    zw_error trouble = {0};
    if (orbit < 0)
        return zw_fail(err, ZW_E_OPTION,
                       "no curve can start at motion %d: shooting did not find it", number);
    zw_status status = zw_event_orbits_follow(f->event_orbits, orbit, &trouble);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    zw_segmented_branch *b = &f->event_orbits->branch[f->event_orbits->nbranch - 1];
    f->stopped |= f->event_orbits->stopped || zw_interrupted();
    int last = b->end[0] == ZW_CONT_AT_BOUND ? 1 : 0; /* the side on which it was stopped */
    if (f->stopped && (b->end[last] == ZW_CONT_STUCK || b->end[last] == ZW_CONT_GOES_ON)) {
        b->end[last] = ZW_CONT_ASKED;
        b->why[last][0] = '\0';
    }
    if (status == ZW_E_NUMERIC && b->n > 1 && !f->stopped) { /* the part that was found remains */
        int side = b->end[0] == ZW_CONT_GOES_ON ? 0 : 1;
        b->end[side] = ZW_CONT_STUCK;
        snprintf(b->why[side], sizeof b->why[side], "%.200s", trouble.text);
    } else if (status < 0 && !(f->stopped && status == ZW_E_NUMERIC)) {
        if (err)
            *err = trouble;
        return status;
    }
    return b->n ? take_branch(f, f->event_orbits, f->event_orbits->nbranch - 1, &index, err)
                : ZW_OK;
}

/* --------------------------------------------------------------- branching curves, special
 * points */

/* The study and the curve of a branch. */
typedef struct branch_curve {
    zw_forced *study;
    int curve;
} branch_curve;

/* the motion of a curve at a special point: 1 + its number; 0: none */
static int special_at(const zw_forced *f, int curve, zw_bifurcation event, double value) {
    const zw_forced_curve *c = &f->curve[curve];
    for (int i = c->first; i < c->first + c->n; i++)
        if (f->motion[i].event == event && f->motion[i].value == value)
            return i + 1;
    return 0;
}

/* Adds a branch that branches off another one: with the same order it is a curve of the same study,
 * otherwise of a study of twice the order, which has its own copy of the special point. */
static zw_status take_branching(branch_curve *known, int branch, const zw_event_orbits *o,
                                zw_error *err) {
    const zw_segmented_branch *b = &o->branch[branch];
    branch_curve from = known[b->parent];
    int at = special_at(from.study, from.curve, b->origin, b->origin_value), index;
    zw_forced *study = from.study;
    if (b->origin == ZW_BIFURCATION_FLIP) {
        ZW_TRY(zw_forced_make_child(from.study, 0, &study, err));
        ZW_TRY(add_motion(study, &o->motion[b->first], -1, err));
        at = study->nmotion;
    }
    ZW_TRY(take_branch(study, o, branch, &index, err));
    study->curve[index].from = at;
    known[branch] = (branch_curve){study, index};
    return ZW_OK;
}

zw_status zw_forced_kinks_switch(zw_forced *f, int most, zw_error *err) {
    zw_event_orbits *o = f->event_orbits;
    int before = o->nbranch;
    ZW_TRY(zw_event_orbits_switch(o, most, NULL, err));
    f->stopped |= o->stopped;
    branch_curve *known = ZW_NEW(&f->arena, branch_curve, o->nbranch + 1);
    if (!known)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < o->nbranch; i++)
        if (i < before)
            known[i] = (branch_curve){f, i};
        else
            ZW_TRY(take_branching(known, i, o, err));
    return ZW_OK;
}

static zw_status add_special_point(zw_forced *f, const zw_orbit_mark *m, zw_error *err) {
    if (!zw_arena_grow(&f->arena, (void **)&f->special, f->nspecial, &f->special_capacity,
                       sizeof *f->special))
        return zw_out_of_memory(err, NULL);
    f->special[f->nspecial++] = (zw_forced_mark){.value = m->value,
                                                 .second = m->second,
                                                 .event = m->event,
                                                 .cusp = m->special == ZW_ORBIT_CUSP,
                                                 .curve = m->curve,
                                                 .measure = m->measure};
    return ZW_OK;
}

zw_status zw_forced_kinks_special_curves(zw_forced *f, const char *second, zw_error *err) {
    zw_event_orbits *o = f->event_orbits;
    ZW_TRY(zw_event_orbits_marks(o, second, err));
    f->stopped |= o->stopped;
    f->crossings += o->marks.crossings;
    for (int i = 0; i < o->marks.n; i++)
        ZW_TRY(add_special_point(f, &o->marks.mark[i], err));
    for (int i = 0; i < o->marks.ncurve; i++) {
        const zw_bifurcation_curves_curve *c = &o->marks.curve[i];
        if (!zw_arena_grow(&f->arena, (void **)&f->special_curve, f->nspecial_curve,
                           &f->special_curve_capacity, sizeof *f->special_curve))
            return zw_out_of_memory(err, NULL);
        zw_forced_curve *locus = &f->special_curve[f->nspecial_curve++];
        *locus = (zw_forced_curve){.first = c->first, .n = c->n};
        for (int side = 0; side < 2; side++)
            locus->info[side].end = c->end[side];
    }
    return ZW_OK;
}
