/* SPDX-License-Identifier: MIT */
/* The events of a diagram in words, and the stability in the ranges between them: from special
 * points of steady motions and orbits, and from the ends of orbits.
 *
 * Near a connection of saddles the period grows as -ln|a - a_h| over an eigenvalue, so that a
 * branch of orbits ends at one value, to all digits, and the orbit stays near the saddles for most
 * of its time. It is reported as homoclinic if it visits one saddle, as heteroclinic if it visits
 * several, including images of one by full turns of angles; without a saddle nearby it is reported
 * as not followed further. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "diagram.h"
#include "motion/connections/connections.h"
#include "motion/motion_words.h"

enum {
    NAMES = 4,        /* coordinates of a state in words */
    SAMPLES = 400,    /* of an orbit */
    STATE_MAX = 64,   /* entries of a state */
    BISECTIONS = 200, /* of the rate of a law, from 0 to RATE_MAX */
    RATE_MAX = 700    /* over the period: exp(700) is the largest double */
};
/* times the shortest period of a branch: it may grow without bound; chosen by trial: separates slow
 * ends from periods that vary */
#define PERIOD_LONG 2.0
/* of the size of an orbit: it passes a fold, as for saddles (diagram_connect.c) */
#define AT_FOLD 0.05
#define SAME_VALUE ZW_SAME_SOLUTION /* of a range */
/* of a range: a limit further away is no estimate, as in diagram_connect.c */
#define LIMIT_FAR 0.01
/* Cubic coefficient relative to the frequency, in sizes of the state: no orbit of visible amplitude
 * would show it. */
#define COEFFICIENT_ZERO 1e-10
#define OTHER_PLACE 1e-3 /* of the sizes of the state; special points are located far better */
/* of a range: a smaller difference of values is rounding; a tenth of SAME_VALUE */
#define SIDE_MIN 1e-7
/* The error of an end by the change of the value over the last part of the period: with a law for
 * the limit, and without. */
#define PERIOD_LAST 0.9
#define PERIOD_HALF 0.5
#define VALUE_ROUNDOFF ZW_ROUNDOFF_SUM
#define LAW_ERROR 0.1 /* of a change of the period: it follows the law */
/* Fractions of the last period at which a law of its growth is fitted and tested: logarithmic
 * growth near a saddle, and the inverse square root near a fold. */
#define SADDLE_FIRST 0.8
#define SADDLE_SECOND 0.9
#define FOLD_FIRST 0.6
#define FOLD_SECOND 0.8
/* of the size of an entry: printed as zero, less than the six digits that are shown */
#define STATE_ZERO 1e-9
/* of the size of an entry: size of an orbit that does not change it, as in diagram_connect.c */
#define SIZE_MIN 1e-3

/* ---------------------------------------------------------------------------------------- words */

void zw_diagram_state_words(const zw_diagram *d, const double *x, char *out, size_t size) {
    const zw_equilibria *e = d->branches->e;
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0, count = 0; i < e->eq.nq && count < NAMES && used + 1 < size; i++) {
        if (zw_system_is_past(e->sys, i))
            continue;
        const char *unit, *name = zw_equilibria_entry(e, i, &unit);
        double value = fabs(x[i]) < STATE_ZERO * e->scale[i] ? 0 : x[i];
        snprintf(out + used, size - used, "%s%s = %.6g%s%s", count++ ? ", " : "", name, value,
                 unit[0] ? " " : "", unit);
        used = strlen(out);
    }
}

/* Has an identical event been recorded? */
static bool is_recorded(const zw_diagram *d, const zw_diagram_event *event) {
    for (int i = 0; i < d->nevent; i++)
        if (d->event[i].kind == event->kind && strcmp(d->event[i].text, event->text) == 0 &&
            fabs(d->event[i].value - event->value) <= SAME_VALUE * fabs(d->over.to - d->over.from))
            return true;
    return false;
}

static zw_status add_event(zw_diagram *d, const zw_diagram_event *event, zw_error *err) {
    if (is_recorded(d, event))
        return ZW_OK;
    if (!zw_arena_grow(&d->arena, (void **)&d->event, d->nevent, &d->event_capacity,
                       sizeof *d->event))
        return zw_out_of_memory(err, NULL);
    d->event[d->nevent++] = *event;
    return ZW_OK;
}

/* ------------------------------------------------------------------------------- steady motions */

/* The next point after point k on its branch in a direction, around a closed one; -1 at an end. */
static int next_on(const zw_diagram *d, int k, int direction) {
    const zw_branches_list *l = &d->branches->branch;
    const zw_branches_curve *c = &l->curve[l->point[k].curve];
    bool closed = c->end[0].end == ZW_CONT_CLOSED || c->end[1].end == ZW_CONT_CLOSED;
    int next = k + direction;
    if (next >= c->first && next < c->first + c->n)
        return next;
    return !closed || c->n < 3 ? -1 : direction > 0 ? c->first : c->first + c->n - 1;
}

/* The number of growing eigenvalues at the nearest known point before (-1) or after (1) point i of
 * its branch, up to the next special point elsewhere; -1 if unknown. */
static int growing_next_to(const zw_diagram *d, int i, int direction) {
    const zw_branches_list *l = &d->branches->branch;
    for (int k = next_on(d, i, direction); k >= 0 && k != i; k = next_on(d, k, direction)) {
        if (zw_branches_word(l->point[k].kind)[0] &&
            fabs(l->point[k].value - l->point[i].value) >
                SAME_VALUE * fabs(d->over.to - d->over.from))
            return -1;
        if (l->point[k].growing >= 0 && !zw_branches_is_at_special(d->branches, k))
            return l->point[k].growing;
    }
    return -1;
}

static bool is_same_place(const zw_diagram *d, const zw_branches_point *u,
                          const zw_branches_point *v) {
    if (u->kind != v->kind ||
        fabs(u->value - v->value) > SAME_VALUE * fabs(d->over.to - d->over.from))
        return false;
    for (int j = 0; j < d->branches->e->kernel->nx; j++)
        if (fabs(u->x[j] - v->x[j]) > OTHER_PLACE * d->branches->e->scale[j])
            return false;
    return true;
}

bool zw_diagram_is_same_place(const zw_diagram *d, int i, int k) {
    return is_same_place(d, &d->branches->branch.point[i], &d->branches->branch.point[k]);
}

static bool was_reported(const zw_diagram *d, int i) {
    const zw_branches_list *l = &d->branches->branch;
    for (int k = 0; k < i; k++)
        if (is_same_place(d, &l->point[k], &l->point[i]))
            return true;
    return false;
}

/* On which side of the value of point `at` does its branch continue in a direction? 1: larger
 * values, -1: smaller; 0: it stays there, up to rounding. */
static int side_of(const zw_diagram *d, int at, int direction) {
    const zw_branches_list *l = &d->branches->branch;
    double least = SIDE_MIN * fabs(d->over.to - d->over.from);
    for (int k = next_on(d, at, direction); k >= 0 && k != at; k = next_on(d, k, direction)) {
        double off = l->point[k].value - l->point[at].value;
        if (fabs(off) > least)
            return off > 0 ? 1 : -1;
    }
    return 0;
}

/* Do all points of the branch have one value: a family of steady motions? */
static bool is_vertical(const zw_diagram *d, int curve) {
    const zw_branches_curve *c = &d->branches->branch.curve[curve];
    return c->n > 2 && side_of(d, c->first, 1) == 0;
}

static void fold_words(const zw_diagram *d, int i, const char *state, char *out, size_t size) {
    int before = growing_next_to(d, i, -1), after = growing_next_to(d, i, 1);
    int side = side_of(d, i, -1), other = side_of(d, i, 1);
    const char *how = before == 0 || after == 0 ? "one stable" : "both unstable";
    if (side * other < 0 || side + other == 0)
        snprintf(out, size, "fold: two steady motions, %s, meet at %s; on which side is not known",
                 how, state);
    else
        snprintf(out, size, "fold: two steady motions, %s, meet at %s and are gone for %s %s", how,
                 state, side + other < 0 ? "larger" : "smaller", d->over.name);
}

/* Does the branch of point `at` turn there, with both halves on one side? 1: towards larger values,
 * -1: smaller, 0: no; *stable: is it stable there? */
static int turns_at(const zw_diagram *d, int at, bool *stable) {
    if (next_on(d, at, -1) < 0 || next_on(d, at, 1) < 0)
        return 0;
    int a = side_of(d, at, -1), b = side_of(d, at, 1);
    *stable = growing_next_to(d, at, 1) == 0 && growing_next_to(d, at, -1) == 0;
    return a * b > 0 ? (a > 0 ? 1 : -1) : 0;
}

/* Several eigenvalues vanish at once: the branches that leave are not all computed, but some are
 * known. */
static void several_words(const zw_diagram *d, int i, const char *state, char *out, size_t size) {
    const zw_branches_list *l = &d->branches->branch;
    int found = 0;
    for (int k = 0; k < l->ncurve; k++) {
        bool here = false;
        for (int j = l->curve[k].first; j < l->curve[k].first + l->curve[k].n; j++)
            here |= is_same_place(d, &l->point[j], &l->point[i]);
        found += here;
    }
    snprintf(out, size,
             "branch point: %d eigenvalues vanish at once at %s, and several branches meet; %d of "
             "them were found, there may be more",
             l->point[i].zeros, state, found);
}

static void imperfection_words(const zw_branches_point *p, char *out, size_t size) {
    size_t used = strlen(out);
    if (p->imperfection > ZW_BRANCHES_ROUNDING && used + 1 < size)
        snprintf(out + used, size - used,
                 "; or two branches that pass each other, by an imperfection of %.1g of the rates, "
                 "which cannot be distinguished",
                 p->imperfection);
}

/* Of the two branches through point i, one may turn there: a pitchfork. */
static void branch_words(const zw_diagram *d, int i, const char *state, char *out, size_t size) {
    const zw_branches_list *l = &d->branches->branch;
    int side = 0, straight = -1;
    bool stable = false;
    for (int k = 0; k < l->n; k++) {
        bool is_stable = false;
        if (!is_same_place(d, &l->point[k], &l->point[i]))
            continue;
        if (is_vertical(d, l->point[k].curve)) {
            snprintf(out, size,
                     "at this value there is a line of steady motions through %s (a branch point, "
                     "as of linear equations)",
                     state);
            return;
        }
        int turn = turns_at(d, k, &is_stable);
        if (turn != 0) {
            side = turn;
            stable = is_stable;
        } else {
            straight = k;
        }
    }
    if (side == 0) {
        snprintf(out, size, "branch point: two branches of steady motions cross at %s", state);
        return;
    }
    int before = straight < 0 ? -1 : growing_next_to(d, straight, -1),
        after = straight < 0 ? -1 : growing_next_to(d, straight, 1);
    bool changes = (before == 0 && after > 0) || (after == 0 && before > 0);
    snprintf(out, size,
             "branch point (pitchfork): two %s steady motions leave that at %s towards %s %s%s",
             stable ? "stable" : "unstable", state, side > 0 ? "larger" : "smaller", d->over.name,
             changes && stable ? ", which is unstable there (supercritical)"
             : changes         ? ", which is stable there (subcritical)"
                               : "");
}

/* Are the cubic terms negligible? They vanish with the value, as those of van der Pol's
 * oscillator. */
static bool is_degenerate(const zw_diagram *d, const zw_branches_point *p) {
    const zw_hopf *h = &p->cubic->hopf;
    double size = 0;
    for (int i = 0; i < h->nx; i++)
        size = fmax(size, hypot(h->q_re[i], h->q_im[i]) / d->branches->e->scale[i]);
    return h->type == ZW_HOPF_DEGENERATE || fabs(h->a) < COEFFICIENT_ZERO * h->omega * size * size;
}

static void hopf_words(const zw_diagram *d, int i, const char *state, char *out, size_t size) {
    const zw_branches_point *p = &d->branches->branch.point[i];
    const zw_criticality *c = p->cubic;
    if (!c || c->refused) {
        snprintf(out, size,
                 "Hopf point of the steady motion at %s, %.9g rad/s; its cubic terms are not known",
                 state, p->omega);
        return;
    }
    bool none = is_degenerate(d, p), super = c->hopf.type == ZW_HOPF_SUPERCRITICAL,
         stable = super && c->hopf.growing == 0;
    snprintf(out, size, "%s Hopf point of the steady motion at %s: %s of %.9g rad/s",
             none    ? "degenerate"
             : super ? "supercritical"
                     : "subcritical",
             state,
             none     ? "terms of higher order decide, or oscillations of all amplitudes,"
             : stable ? "stable orbits"
                      : "unstable orbits",
             p->omega);
}

/* Mention mirror images. Changes of signs are not tried for large states: images of orbits are then
 * unknown. */
static void image_words(const zw_diagram *d, zw_diagram_event *event) {
    size_t used = strlen(event->text);
    if (event->images)
        snprintf(event->text + used, sizeof event->text - used, "; the same at %d mirror image%s%s",
                 event->images, event->images == 1 ? "" : "s",
                 d->mirror ? "" : ", whose orbits are not counted");
}

static zw_status steady_events(zw_diagram *d, zw_error *err) {
    const zw_branches_list *l = &d->branches->branch;
    for (int i = 0; i < l->n; i++) {
        const zw_branches_point *p = &l->point[i];
        zw_diagram_event event = {.value = p->value, .branch = p->curve, .orbit = -1};
        char state[240];
        bool mark = p->kind == ZW_STEADY_FOLD || p->kind == ZW_STEADY_BRANCH ||
                    p->kind == ZW_STEADY_HOPF || p->kind == ZW_STEADY_SHRINKS;
        if (!mark || was_reported(d, i) ||
            (p->kind != ZW_STEADY_BRANCH && is_vertical(d, p->curve)) ||
            (p->kind == ZW_STEADY_HOPF && zw_diagram_image_of(d, i) >= 0))
            continue;
        zw_diagram_state_words(d, p->x, state, sizeof state);
        if (p->kind == ZW_STEADY_SHRINKS) {
            event.kind = ZW_DIAGRAM_SHRINKS;
            snprintf(event.text, sizeof event.text,
                     "steady motions along a symmetry shrink to the state at %s, and end", state);
        } else if (p->kind == ZW_STEADY_FOLD) {
            event.kind = ZW_DIAGRAM_FOLD;
            fold_words(d, i, state, event.text, sizeof event.text);
        } else if (p->kind == ZW_STEADY_BRANCH) {
            event.kind = ZW_DIAGRAM_BRANCH;
            if (p->zeros > 1)
                several_words(d, i, state, event.text, sizeof event.text);
            else
                branch_words(d, i, state, event.text, sizeof event.text);
            imperfection_words(p, event.text, sizeof event.text);
        } else {
            event.kind = ZW_DIAGRAM_HOPF;
            hopf_words(d, i, state, event.text, sizeof event.text);
            for (int k = i + 1; k < l->n; k++)
                event.images += l->point[k].kind == ZW_STEADY_HOPF && !was_reported(d, k) &&
                                zw_diagram_image_of(d, k) == i;
            image_words(d, &event);
            zw_diagram_pair_hopf(d, i, p->cubic && !p->cubic->refused && is_degenerate(d, p),
                                 &event);
        }
        ZW_TRY(add_event(d, &event, err));
    }
    return ZW_OK;
}

/* Changes between two points that no special point explains. */
static zw_status unlocated_events(zw_diagram *d, zw_error *err) {
    const zw_branches_list *l = &d->branches->branch;
    const zw_branches_point *last = NULL;
    for (int i = 0; i < l->n; i++) {
        const zw_branches_point *p = &l->point[i];
        bool mark = zw_branches_word(p->kind)[0] != '\0';
        if (last && last->curve != p->curve)
            last = NULL;
        if (mark || p->growing < 0 || zw_branches_is_at_special(d->branches, i) ||
            is_vertical(d, p->curve))
            continue;
        if (last && !zw_branches_explains(d->branches, (int)(last - l->point), i)) {
            zw_diagram_event event = {.kind = ZW_DIAGRAM_UNLOCATED,
                                      .value = 0.5 * (last->value + p->value),
                                      .branch = p->curve,
                                      .orbit = -1};
            char state[240];
            zw_diagram_state_words(d, p->x, state, sizeof state);
            snprintf(event.text, sizeof event.text,
                     "not located: about there %d instead of %d disturbances of the steady motion "
                     "at %s grow on the side of %s %s",
                     p->growing, last->growing, state,
                     p->value > last->value ? "larger" : "smaller", d->over.name);
            ZW_TRY(add_event(d, &event, err));
        }
        last = p;
    }
    return ZW_OK;
}

/* Branches that end within the range, or turn there without a located fold. */
static zw_status steady_ends(zw_diagram *d, zw_error *err) {
    const zw_branches_list *l = &d->branches->branch;
    double range = fabs(d->over.to - d->over.from), low = fmin(d->over.from, d->over.to),
           high = fmax(d->over.from, d->over.to);
    char state[240];
    for (int k = 0; k < l->ncurve; k++) {
        const zw_branches_curve *c = &l->curve[k];
        for (int side = 0; side < 2 && c->n > 0 && !is_vertical(d, k); side++) {
            const zw_branches_point *p = &l->point[side ? c->first + c->n - 1 : c->first];
            zw_diagram_event event = {
                .kind = ZW_DIAGRAM_STEADY_END, .value = p->value, .branch = k, .orbit = -1};
            if ((c->end[side].end != ZW_CONT_STUCK && c->end[side].end != ZW_CONT_POINTS) ||
                p->value - low <= SAME_VALUE * range || high - p->value <= SAME_VALUE * range)
                continue;
            zw_diagram_state_words(d, p->x, state, sizeof state);
            snprintf(event.text, sizeof event.text,
                     "a steady motion is not followed beyond this value, where it is at %s%s%.100s",
                     state, c->end[side].why[0] ? ": " : "", c->end[side].why);
            ZW_TRY(add_event(d, &event, err));
        }
    }
    for (int i = 1; i + 1 < l->n; i++) {
        const zw_branches_point *p = &l->point[i];
        if (p[-1].curve != p->curve || p[1].curve != p->curve || is_vertical(d, p->curve))
            continue;
        bool explained = false;
        for (int j = -1; j <= 1; j++)
            explained |= p[j].kind == ZW_STEADY_FOLD || p[j].kind == ZW_STEADY_BRANCH;
        double a = p[-1].value - p->value, b = p[1].value - p->value;
        if (explained || !(a * b > 0) || fmin(fabs(a), fabs(b)) <= SIDE_MIN * range)
            continue;
        zw_diagram_event event = {
            .kind = ZW_DIAGRAM_UNLOCATED, .value = p->value, .branch = p->curve, .orbit = -1};
        zw_diagram_state_words(d, p->x, state, sizeof state);
        snprintf(event.text, sizeof event.text,
                 "not located: about there the branch of the steady motion at %s turns", state);
        ZW_TRY(add_event(d, &event, err));
    }
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- orbits */

bool zw_diagram_steady_at(const zw_diagram *d, int k, double value, double *x) {
    const zw_branches_list *l = &d->branches->branch;
    if (k + 1 >= l->n || l->point[k].curve != l->point[k + 1].curve)
        return false;
    const zw_branches_point *u = &l->point[k], *v = &l->point[k + 1];
    if ((u->value - value) * (v->value - value) > 0 || v->value == value)
        return false;
    double part = u->value == v->value ? 0 : (value - u->value) / (v->value - u->value);
    for (int j = 0; x && j < d->branches->e->kernel->nx; j++)
        x[j] = u->x[j] + part * (v->x[j] - u->x[j]);
    return true;
}

/* Where the period has no bound, a = a_h + C exp(-l T): l and a_h from the last orbit and two
 * before it, whose periods are about a fifth and a tenth shorter. NaN if they do not follow this
 * law. */
static double limit_of(const zw_orbits *o, const zw_orbits_branch *b, int side) {
    int end = side ? b->first + b->n - 1 : b->first, step = side ? -1 : 1, k[3] = {end, end, end};
    double T = o->motion[end].period;
    for (int i = end;
         i >= b->first && i < b->first + b->n && o->motion[i].period >= SADDLE_FIRST * T;
         i += step) {
        k[0] = i;
        k[1] = o->motion[i].period >= SADDLE_SECOND * T ? i : k[1];
    }
    double a[3], t[3];
    for (int j = 0; j < 3; j++) {
        a[j] = o->motion[k[j]].value;
        t[j] = o->motion[k[j]].period - T;
    }
    double ratio = (a[2] - a[1]) / (a[1] - a[0]), low = 0, high = RATE_MAX / T;
    if (!(t[0] < t[1] && t[1] < t[2]) || !(ratio > 0 && ratio < (t[2] - t[1]) / (t[1] - t[0])))
        return a[2] == a[1] ? a[2] : (double)NAN;
    for (int i = 0; i < BISECTIONS; i++) { /* the ratio falls with l */
        double l = 0.5 * (low + high),
               now = (1 - exp(-l * (t[2] - t[1]))) / (exp(l * (t[1] - t[0])) - 1);
        *(now > ratio ? &low : &high) = l;
    }
    return a[2] - (a[2] - a[1]) / (1 - exp(low * (t[2] - t[1])));
}

/* The change of the value while the period grows from a part of its last value, or the rounding: an
 * estimate of the error of the value at which it has no bound. */
static double change_at_end(const zw_orbits *o, const zw_orbits_branch *b, int side, double part) {
    int end = side ? b->first + b->n - 1 : b->first, step = side ? -1 : 1;
    const zw_orbit_motion *last = &o->motion[end];
    double most = VALUE_ROUNDOFF * fmax(fabs(last->value), fabs(o->over.to - o->over.from));
    for (int i = end;
         i >= b->first && i < b->first + b->n && o->motion[i].period >= part * last->period;
         i += step)
        most = fmax(most, fabs(o->motion[i].value - last->value));
    return most;
}

/* Do the periods of the branch grow towards its end as they do where two steady motions meet on the
 * orbits, T = T_0 + C/sqrt(|a - a_f|)? With T_0 and C from an orbit of 0.6 of the last period and
 * from the last one, the law must predict the period of one between them. */
static bool slows_towards(const zw_orbits *o, const zw_orbits_branch *b, int side, double fold) {
    int end = side ? b->first + b->n - 1 : b->first, step = side ? -1 : 1, k[3] = {end, end, end};
    double T = o->motion[end].period, u[3];
    for (int i = end; i >= b->first && i < b->first + b->n && o->motion[i].period >= FOLD_FIRST * T;
         i += step) {
        k[2] = i;
        k[1] = o->motion[i].period >= FOLD_SECOND * T ? i : k[1];
    }
    for (int j = 0; j < 3; j++)
        u[j] = 1 / sqrt(fabs(o->motion[k[j]].value - fold));
    double part = (u[1] - u[2]) / (u[0] - u[2]), last_periods[2] = {o->motion[k[2]].period, T},
           predicted = last_periods[0] + part * (last_periods[1] - last_periods[0]),
           own = o->motion[k[1]].period;
    return k[1] != end && k[2] != k[1] &&
           fabs(own - predicted) <= LAW_ERROR * (last_periods[1] - last_periods[0]);
}

/* The fold of steady motions near whose value a branch of orbits ends, which the last orbit passes
 * and towards which the periods grow; -1 if there is none. */
static int fold_on_orbit(const zw_diagram *d, const zw_orbits_branch *b, int side, int number) {
    const zw_orbits *o = d->orbits;
    const zw_orbit_motion *m = &o->motion[number];
    double state[STATE_MAX];
    for (int k = 0; o->nx <= STATE_MAX && k < d->branches->branch.n; k++) {
        const zw_branches_point *p = &d->branches->branch.point[k];
        if (p->kind != ZW_STEADY_FOLD ||
            fabs(p->value - m->value) > LIMIT_FAR * fabs(d->over.to - d->over.from) ||
            !slows_towards(o, b, side, p->value))
            continue;
        for (int i = 0; i < SAMPLES; i++) {
            double away = 0;
            zw_orbits_state(o, number, i / (double)SAMPLES, state);
            for (int j = 0; j < d->sys->nq; j++) {
                double size = fmax(m->measure[j].max - m->measure[j].min, SIZE_MIN * o->scale[j]),
                       off = state[j] - p->x[j];
                away = fmax(away, fabs(zw_branches_wrap(d->branches, j, off)) / size);
            }
            if (away <= AT_FOLD)
                return k;
        }
    }
    return -1;
}

/* For orbits near saddles: the value of the connection itself, otherwise the limit of their values,
 * if there is one. */
static zw_status end_value(zw_diagram *d, const zw_orbits_branch *b, int side,
                           const zw_diagram_saddles *saddles, zw_diagram_event *event,
                           zw_error *err) {
    const zw_orbits *o = d->orbits;
    double value = o->motion[event->orbit].value, limit = limit_of(o, b, side),
           off = fabs(limit - value);
    bool known = off <= LIMIT_FAR * fabs(d->over.to - d->over.from);
    event->value = known ? limit : value;
    bool law = known && off > 0; /* otherwise values differ only by errors of their meshes */
    event->error = fmax(law ? off : 0, change_at_end(o, b, side, law ? PERIOD_LAST : PERIOD_HALF));
    double error;
    ZW_TRY(zw_diagram_connect(d, event->orbit, saddles, &event->value, &error, err));
    event->error = isinf(error) ? event->error : error;
    return ZW_OK;
}

static zw_status end_event(zw_diagram *d, int branch, int side, zw_diagram_saddles *on,
                           zw_error *err) {
    const zw_orbits *o = d->orbits;
    const zw_orbits_branch *b = &o->branch[branch];
    int number = side ? b->first + b->n - 1 : b->first;
    if (b->n == 0) /* no orbit was found */
        return ZW_OK;
    const zw_orbit_motion *m = &o->motion[number];
    zw_diagram_event event = {
        .value = m->value, .branch = branch, .orbit = number, .kind = ZW_DIAGRAM_ORBIT_END};
    double shortest = INFINITY;
    char state[240];
    zw_diagram_end *end = &d->end[2 * branch + side];
    if (end->kind != ZW_DIAGRAM_END_OPEN)
        return ZW_OK;
    if (b->shrinks[side]) {
        snprintf(
            event.text, sizeof event.text,
            "the orbits shrink to a steady motion, and no Hopf point was located there: beyond "
            "it there may be others");
        return add_event(d, &event, err);
    }
    for (int i = b->first; i < b->first + b->n; i++)
        shortest = fmin(shortest, o->motion[i].period);
    bool itself = b->end[side] == ZW_CONT_STUCK || b->slows[side], /* not stopped from outside */
        slow = itself && (m->period > PERIOD_LONG * shortest || b->slows[side]);
    int fold, saddles = slow ? zw_diagram_find_saddles(d, number, on) : 0;
    if (saddles > 0) {
        bool several = !zw_diagram_is_homoclinic(d, number, on);
        event.kind = several ? ZW_DIAGRAM_HETEROCLINIC : ZW_DIAGRAM_HOMOCLINIC;
        zw_diagram_state_words(d, on->longest, state, sizeof state);
        ZW_TRY(end_value(d, b, side, on, &event, err));
        end->kind = several ? ZW_DIAGRAM_END_HETEROCLINIC : ZW_DIAGRAM_END_HOMOCLINIC;
        snprintf(event.text, sizeof event.text,
                 "%s: the orbits end, their period grows without bound (%.4g s at the last; the "
                 "value is known to %.1g), %s %s",
                 several ? "heteroclinic" : "homoclinic", m->period,
                 event.error / fabs(d->over.factor),
                 several ? "on connections of saddles, one of them" : "at the saddle", state);
    } else if (slow && (fold = fold_on_orbit(d, b, side, number)) >= 0) {
        const zw_branches_point *p = &d->branches->branch.point[fold];
        event.kind = ZW_DIAGRAM_HOMOCLINIC;
        event.value = p->value;
        end->kind = ZW_DIAGRAM_END_FOLD;
        zw_diagram_state_words(d, p->x, state, sizeof state);
        snprintf(event.text, sizeof event.text,
                 "the orbits end where two steady motions meet on them, at the fold at %s: their "
                 "period grows without bound (%.4g s at the last, %.1g away)",
                 state, m->period, fabs(p->value - m->value) / d->over.factor);
    } else {
        const char *why = b->why[side][0] ? b->why[side]
                          : slow
                              ? "the period grows, but they do not stay at a saddle that is known"
                              : "";
        snprintf(event.text, sizeof event.text,
                 "the orbits are not followed further (period %.6g s)%s%.150s", m->period,
                 why[0] ? ": " : "", why);
        if (d->cut++ == 0)
            d->cut_value = event.value;
    }
    end->value = event.value;
    event.images = zw_diagram_orbit_images(d, number);
    image_words(d, &event);
    return add_event(d, &event, err);
}

static zw_status orbit_events(zw_diagram *d, zw_error *err) {
    static const zw_diagram_kind kinds[] = {[ZW_BIFURCATION_FOLD] = ZW_DIAGRAM_ORBIT_FOLD,
                                            [ZW_BIFURCATION_BRANCH] = ZW_DIAGRAM_ORBIT_BRANCH,
                                            [ZW_BIFURCATION_FLIP] = ZW_DIAGRAM_ORBIT_FLIP,
                                            [ZW_BIFURCATION_TORUS] = ZW_DIAGRAM_ORBIT_TORUS};
    static const char *const words[] = {[ZW_BIFURCATION_FOLD] = "fold of orbits: two of them meet",
                                        [ZW_BIFURCATION_BRANCH] = "branch point of orbits",
                                        [ZW_BIFURCATION_FLIP] = "the period of orbits doubles",
                                        [ZW_BIFURCATION_TORUS] =
                                            "Neimark-Sacker point of orbits: a torus"};
    for (int i = 0; i < d->orbits->nmotion; i++) {
        const zw_orbit_motion *m = &d->orbits->motion[i];
        bool mark = m->event == ZW_BIFURCATION_FOLD || m->event == ZW_BIFURCATION_BRANCH ||
                    m->event == ZW_BIFURCATION_FLIP || m->event == ZW_BIFURCATION_TORUS;
        if (!mark || m->curve < 0)
            continue;
        zw_diagram_event event = {
            .kind = kinds[m->event], .value = m->value, .branch = m->curve, .orbit = i};
        double error;
        zw_orbits_known(d->orbits, i, &event.error, &error);
        snprintf(event.text, sizeof event.text, "%s, period %.*g s", words[m->event],
                 zw_text_digits(m->period, error, 9), m->period);
        event.images = zw_diagram_orbit_images(d, i);
        image_words(d, &event);
        zw_diagram_pair_orbit(d, i, &event);
        ZW_TRY(add_event(d, &event, err));
    }
    return ZW_OK;
}

double zw_diagram_error_at(const zw_diagram *d, double value) {
    double error = 0;
    for (int i = 0; i < d->nevent; i++)
        if (d->event[i].value == value)
            error = fmax(error, d->event[i].error);
    return error;
}

static int by_value(const void *a, const void *b) {
    double u = ((const zw_diagram_event *)a)->value, v = ((const zw_diagram_event *)b)->value;
    return u < v ? -1 : u > v;
}

zw_status zw_diagram_find_events(zw_diagram *d, zw_error *err) {
    if (d->orbits)
        ZW_TRY(zw_diagram_list_ends(d, err));
    ZW_TRY(steady_events(d, err));
    ZW_TRY(unlocated_events(d, err));
    ZW_TRY(steady_ends(d, err));
    if (d->orbits) {
        zw_diagram_saddles saddles;
        ZW_TRY(zw_diagram_saddles_init(&saddles, d, err));
        ZW_TRY(orbit_events(d, err));
        for (int k = 0; k < d->orbits->nbranch; k++)
            for (int side = 0; side < 2; side++)
                ZW_TRY(end_event(d, k, side, &saddles, err));
    }
    for (int k = 0; k < d->nend; k++)
        d->end[k].error = zw_diagram_error_at(d, d->end[k].value);
    if (d->nevent > 1)
        qsort(d->event, (size_t)d->nevent, sizeof *d->event, by_value);
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- ranges */

/* The point that gives the stability of a branch of steady motions between points k and k + 1. */
static const zw_branches_point *known_of(const zw_diagram *d, int k) {
    const zw_branches_point *u = &d->branches->branch.point[k];
    return u->growing >= 0 && !zw_branches_is_at_special(d->branches, k) ? u : u + 1;
}

/* Stability at the value itself, if the motion is found there, near x (2 nx; the second half is
 * work): points at ends of ranges may be special points. Otherwise that of the points next to
 * it. */
static void stability_at(const zw_diagram *d, int k, double value, double *x, int *growing,
                         bool *stable) {
    const zw_branches_point *p = known_of(d, k);
    int nx = d->branches->e->kernel->nx;
    zw_linearisation a;
    zw_error ignored = {0};
    *growing = p->growing;
    *stable = p->stable;
    memcpy(x + nx, x, sizeof(double) * (size_t)nx);
    if (zw_branches_linearise(d->branches, value, x, &a, &ignored) < 0)
        return;
    double away = 0, chord = 0;
    const zw_branches_point *u = &d->branches->branch.point[k];
    for (int j = 0; j < nx; j++) {
        away = fmax(away, fabs(x[j] - x[nx + j]) / d->branches->e->scale[j]);
        chord = fmax(chord, fabs(u[1].x[j] - u->x[j]) / d->branches->e->scale[j]);
    }
    if (away <= chord + OTHER_PLACE) /* not another motion */
        zw_branches_judge(d->branches, &a, x, d->branches->branch.curve[u->curve].zeros, growing,
                          stable);
    zw_linearisation_clear(&a);
}

/* The verdict for an orbit; if its multipliers were not accurate enough, that of its neighbours up
 * to the next special point, if it is known there. */
static zw_floquet_verdict orbit_verdict(const zw_orbits *o, int i) {
    for (int direction = -1; direction <= 1; direction += 2)
        for (int k = direction < 0 ? i : i + 1;
             k >= 0 && k < o->nmotion && o->motion[k].curve == o->motion[i].curve &&
             !zw_motion_is_event(o->motion[k].event);
             k += direction)
            if (o->motion[k].verdict != ZW_FLOQUET_UNDECIDED)
                return o->motion[k].verdict;
    return ZW_FLOQUET_UNDECIDED;
}

/* Does the branch of orbits pass a value between orbits i and i + 1? */
static bool is_orbit_at(const zw_orbits *o, int i, double value) {
    const zw_orbit_motion *u = &o->motion[i], *v = u + 1;
    return u->curve >= 0 && u->curve == v->curve && v->value != value &&
           (u->value - value) * (v->value - value) <= 0;
}

/* Does a value lie between the Hopf point where the branch begins or ends, on one side, and the
 * orbit next to it? The number of that orbit; -1 if not. */
static int orbit_in_gap(const zw_diagram *d, int branch, int side, double value) {
    const zw_orbits_branch *b = &d->orbits->branch[branch];
    bool born = side == 0 && !isnan(b->hopf);
    if (b->n < 1 || (!born && !b->shrinks[side]))
        return -1;
    int end = side ? b->first + b->n - 1 : b->first;
    int point = zw_diagram_hopf_at(d, branch, side);
    double last = d->orbits->motion[end].value, hopf = born ? b->hopf
                                                       : point >= 0
                                                           ? d->branches->branch.point[point].value
                                                           : (double)NAN;
    return (last - value) * (hopf - value) < 0 ? end : -1;
}

/* Between two events no motion appears or vanishes: are there as many at another value of the
 * range? */
static bool has_same_counts(const zw_diagram *d, int many, int followed, double value) {
    int steady = 0, orbits = 0;
    for (int k = 0; k + 1 < d->branches->branch.n; k++)
        steady += zw_diagram_steady_at(d, k, value, NULL);
    for (int i = 0; d->orbits && i + 1 < d->orbits->nmotion; i++)
        orbits += is_orbit_at(d->orbits, i, value);
    for (int k = 0; d->orbits && k < 2 * d->orbits->nbranch; k++)
        orbits += orbit_in_gap(d, k / 2, k % 2, value) >= 0;
    return steady == many && orbits == followed;
}

/* fractions of a range at which motions are counted again */
static const double other_fractions[] = {0.1117, 0.2331, 0.6613, 0.8119, 0.9117};

/* Count an orbit with its mirror images. */
static void count_orbit(const zw_diagram *d, int number, zw_diagram_range *r) {
    zw_floquet_verdict verdict = orbit_verdict(d->orbits, number);
    int many = 1 + zw_diagram_orbit_images(d, number);
    r->orbits += many;
    r->orbits_stable += verdict == ZW_FLOQUET_STABLE ? many : 0;
    r->orbits_unknown += verdict == ZW_FLOQUET_UNDECIDED ? many : 0;
}

static zw_diagram_range count_range(const zw_diagram *d, double from, double to, double *x) {
    zw_diagram_range r = {.from = from, .to = to};
    double value = from + ZW_DIAGRAM_WITHIN * (to - from);
    int followed = 0;
    for (int k = 0; k + 1 < d->branches->branch.n; k++)
        if (zw_diagram_steady_at(d, k, value, x)) {
            int growing;
            bool stable;
            stability_at(d, k, value, x, &growing, &stable);
            r.steady++;
            r.steady_stable += growing == 0 && stable;
            r.steady_open += growing == 0 && !stable;
            r.steady_unknown += growing < 0;
        }
    for (int i = 0; d->orbits && i + 1 < d->orbits->nmotion; i++)
        if (is_orbit_at(d->orbits, i, value)) {
            count_orbit(d, i, &r);
            followed++;
        }
    for (int k = 0; d->orbits && k < 2 * d->orbits->nbranch; k++) {
        int end = orbit_in_gap(d, k / 2, k % 2, value);
        if (end >= 0) {
            count_orbit(d, end, &r);
            followed++;
        }
    }
    for (int k = 0; k < (int)(sizeof other_fractions / sizeof *other_fractions); k++)
        r.varies |=
            !has_same_counts(d, r.steady, followed, from + other_fractions[k] * (to - from));
    return r;
}

zw_status zw_diagram_find_ranges(zw_diagram *d, zw_error *err) {
    double low = fmin(d->over.from, d->over.to), high = fmax(d->over.from, d->over.to), from = low;
    double *x = ZW_NEW(&d->arena, double, 2 * d->branches->e->kernel->nx + 1);
    if (!x)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i <= d->nevent; i++) {
        double to = i < d->nevent ? d->event[i].value : high;
        if (to - from <= SAME_VALUE * (high - low))
            continue;
        zw_diagram_range r = count_range(d, from, to, x);
        zw_diagram_range *last = d->nrange ? &d->range[d->nrange - 1] : NULL;
        from = to;
        if (last && last->steady == r.steady && last->steady_stable == r.steady_stable &&
            last->steady_open == r.steady_open && last->orbits == r.orbits &&
            last->orbits_stable == r.orbits_stable && last->steady_unknown == r.steady_unknown &&
            last->orbits_unknown == r.orbits_unknown && last->varies == r.varies) {
            last->to = r.to;
            continue;
        }
        if (!zw_arena_grow(&d->arena, (void **)&d->range, d->nrange, &d->range_capacity,
                           sizeof *d->range))
            return zw_out_of_memory(err, NULL);
        d->range[d->nrange++] = r;
    }
    return ZW_OK;
}
