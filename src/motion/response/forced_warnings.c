/* SPDX-License-Identifier: MIT */
/* Warnings about forced motions, and about curves of them. */
#include <math.h>
#include <stdlib.h>

#include "forced.h"
#include "mech/equations/variants.h"
#include "motion/branch_check.h"
#include "zwang/equations.h"

/* relative to the range: a turn of the parameter that a fold must explain; smaller ones may be
 * rounding of motions that are exact to 1e-6 */
#define TURN_OF_FOLD 1e-7
/* distance of a multiplier from 1 that counts as 1 near a branch point, where a multiplier is 1 up
 * to the root of its error */
#define MULTIPLIER_AT_ONE 1e-4
/* accuracy of multipliers that decides about stability: the three digits that the sentence of the
 * warning contains */
#define ACCURACY_USABLE 1e-3
/* relative to the frequency: damping of a free motion that is rounding, or an error within the
 * default tolerance */
#define DAMPING_FREE 1e-6
/* error relative to the tolerance that gives a warning: the estimate is exact to a factor of a
 * few */
#define TOLERANCES_MISSED 10

/* At a branch point a multiplier is 1, and next to it one is still 1 up to rounding. */
static bool is_at_one(const zw_forced_motion *m) {
    for (int i = 0; i < m->nmultiplier; i++)
        if (hypot(m->re[i] - 1, m->im[i]) < MULTIPLIER_AT_ONE)
            return true;
    return false;
}

/* the curves of a study and of all that belong to it */
static int count_curves(const zw_forced *f) {
    int n = f->ncurve;
    for (int i = 0; i < f->nchild; i++)
        n += count_curves(f->child[i]);
    return n;
}

/* the number of the first curve where those of all studies are counted on, as in reports */
static int first_curve(const zw_forced *f) {
    if (!f->parent)
        return 0;
    int n = first_curve(f->parent) + f->parent->ncurve;
    for (int i = 0; f->parent->child[i] != f; i++)
        n += count_curves(f->parent->child[i]);
    return n;
}

/* Several multipliers may cross the unit circle at once without a change of sign of their products:
 * then the number outside differs between two points without a special point. Counts these among n
 * points from `first`; from and to: the first interval. */
static int count_missed_crossings(const zw_forced *f, int first, int n, double *from, double *to) {
    int found = 0;
    bool near_branch_point = false;
    if (zw_forced_has_tones(f)) /* check_turns counts exponents */
        return 0;
    for (int i = first; i + 1 < first + n; i++) {
        const zw_forced_motion *a = &f->motion[i], *b = &f->motion[i + 1];
        /* a multiplier is 1 there */
        bool at_branch_point = a->curve >= 0 && f->curve[a->curve].from == i + 1;
        near_branch_point =
            at_branch_point || (near_branch_point && is_at_one(a) && a->curve == (a - 1)->curve);
        bool in_conflict =
            f->conflicts && (a->verdict == ZW_FLOQUET_UNDECIDED ||
                             b->verdict == ZW_FLOQUET_UNDECIDED); /* reported elsewhere */
        if (in_conflict || (near_branch_point && abs(a->outside - b->outside) < 2))
            continue;
        if (a->curve < 0 || a->curve != b->curve || zw_forced_is_special(a) ||
            zw_forced_is_special(b) || a->outside < 0 || b->outside < 0 ||
            a->outside == b->outside || fmax(a->accuracy, b->accuracy) > ACCURACY_USABLE)
            continue;
        if (found++ == 0) {
            *from = a->value;
            *to = b->value;
        }
    }
    return found;
}

static void warn_continuum(const zw_forced *f, zw_warnings *out) {
    if (!f->family.continuum)
        return;
    zw_warning d = zw_warning_of("resonance", NAN,
                                 "%s: besides the families that are followed, others begin with a "
                                 "continuum of combinations",
                                 f->family.continuum);
    zw_warning_hint(&d,
                    "as where a symmetry turns them into each other, or where nothing couples the "
                    "modes");
    zw_warnings_add(out, &d);
}

static void warn_missed_crossings(const zw_forced *f, zw_warnings *out) {
    double from, to;
    int n = count_missed_crossings(f, 0, f->nmotion, &from, &to);
    if (n == 0)
        return;
    zw_warning d =
        zw_warning_of("mark", NAN,
                      "between %s = %.9g and %.9g%s%s multipliers cross the unit circle at a "
                      "point that was not located",
                      f->over.name, from / f->over.factor, to / f->over.factor,
                      f->over.unit[0] ? " " : "", f->over.unit);
    zw_warning_hint(&d,
                    n > 1 ? "and at %d further places; several pass at once where parts of the "
                            "model are the same"
                          : "several pass at once where parts of the model are the same",
                    n - 1);
    zw_warnings_add(out, &d);
}

/* only turns count for periodic motions: crossings are counted above */
static zw_check_point check_point(const void *self, int i) {
    const zw_forced *f = self;
    const zw_forced_motion *m = &f->motion[i];
    return (zw_check_point){m->value, zw_forced_exponents_decided(m) ? m->outside : -1, m->event};
}

/* counts turns of a curve without a fold */
static int check_turns(const zw_forced *f, int curve, zw_contradiction *first) {
    zw_check_points p = {check_point, f, f->curve[curve].first, f->curve[curve].n};
    return zw_branch_check(&p, TURN_OF_FOLD * fabs(f->over.to - f->over.from), first);
}

int zw_forced_check(const zw_forced *f, int curve) {
    const zw_forced_curve *c = &f->curve[curve];
    zw_contradiction ignored;
    double from, to;
    return check_turns(f, curve, &ignored) + count_missed_crossings(f, c->first, c->n, &from, &to) +
           c->info[0].unsplit + c->info[1].unsplit;
}

static void warn_turns(const zw_forced *f, zw_warnings *out) {
    for (int i = 0; i < f->ncurve; i++) {
        zw_contradiction first;
        int n = check_turns(f, i, &first);
        zw_contradiction_warning(&first, n, first_curve(f) + i, &f->over, out);
    }
}

/* special points near which the curve could not be followed */
static void warn_inexact(const zw_forced *f, zw_warnings *out) {
    for (int i = 0; i < f->ncurve; i++)
        for (int side = 0; side < 2; side++) {
            const zw_cont_info *info = &f->curve[i].info[side];
            if (!info->rough)
                continue;
            zw_warning d = zw_warning_of(
                "place", NAN,
                "the special point of curve %d near %s = %.6g%s%s is located to about %.0e only",
                first_curve(f) + i, f->over.name, info->rough_at / f->over.factor,
                f->over.unit[0] ? " " : "", f->over.unit, info->rough_by / f->over.factor);
            zw_warning_hint(&d, "a shorter range of --over around it is more accurate");
            zw_warnings_add(out, &d);
        }
}

/* a damping that is needed to balance free motions: the system is not conservative where they are,
 * or the series has too few points */
static void warn_damping(const zw_forced *f, zw_warnings *out) {
    double worst = 0;
    for (int i = 0; i < f->nmotion; i++)
        worst = fmax(worst, fabs(f->motion[i].damping) / f->motion[i].w);
    if (worst <= DAMPING_FREE)
        return;
    zw_warning d = zw_warning_of("energy", NAN,
                                 "motions of the family lose energy, by a damping of %.1e of their "
                                 "frequency: they are not free",
                                 worst);
    zw_warnings_add(out, &d);
}

/* no warning if a curve has reached the value by shooting, which finds stable motions only, or if
 * cycles have shrunk to rest on the way */
static void warn_empty_values(const zw_forced *f, zw_warnings *out) {
    for (int i = 0; f->shoots && i < f->nmotion; i++)
        if (f->motion[i].curve >= 0 && !f->motion[i].march && f->motion[i].value == f->empty_value)
            return;
    for (int i = 0; i < f->ncurve; i++)
        if (f->curve[i].shrinks[0] || f->curve[i].shrinks[1])
            return;
    if (!f->empty_values)
        return;
    zw_warning d = zw_warning_of("end", NAN,
                                 "no periodic motion was found at %s = %.9g: curves that pass "
                                 "there may be missing",
                                 f->over.name, f->empty_value / f->over.factor);
    zw_warning_hint(&d, f->cycles ? "--values 10 also searches between the ends"
                                  : "--starts 50 tries more starts, --values 10 also searches "
                                    "between the ends");
    zw_warnings_add(out, &d);
}

/* curves that end before the range does */
static void warn_ends(const zw_forced *f, zw_warnings *out) {
    for (int i = 0; i < f->ncurve; i++)
        for (int side = 0; side < 2; side++)
            if (f->curve[i].runaway) {
                if (side)
                    continue;
                zw_warning d = zw_warning_of(
                    "curve", NAN,
                    "curve %d ends at the period %.6g s, before the range does: its motions need "
                    "more than %d harmonics there",
                    first_curve(f) + i,
                    2 * M_PI / f->motion[f->curve[i].first + f->curve[i].n - 1].w,
                    f->curve[i].runaway);
                zw_warning_hint(&d,
                                "--harmonics%s %d %s more; a period that grows without "
                                "bound needs more than any number",
                                f->options.harmonics ? "" : "-max", 2 * f->curve[i].runaway,
                                f->options.harmonics ? "has" : "allows");
                zw_warnings_add(out, &d);
            } else if (f->curve[i].info[side].end == ZW_CONT_POINTS) {
                zw_warning d = zw_warning_of("curve", NAN,
                                             "curve %d ends before the range does, after %d points",
                                             first_curve(f) + i, f->curve[i].info[side].points);
                zw_warnings_add(out, &d);
            } else if (f->curve[i].info[side].end == ZW_CONT_STUCK) {
                zw_warning d = zw_warning_of(
                    "curve", NAN, "curve %d ends where no step finds a next point%s%.200s",
                    first_curve(f) + i, f->curve[i].info[side].why[0] ? ": " : "",
                    f->curve[i].info[side].why);
                zw_warnings_add(out, &d);
            }
}

void zw_forced_warnings(const zw_forced *f, zw_warnings *out) {
    zw_warning leaf;
    if (f->event_orbits) { /* includes all studies of doubled period */
        zw_event_orbits_warnings(f->event_orbits, out);
        warn_empty_values(f, out);
        return;
    }
    if (!f->parent && zw_leaf_warning(f->nhidden, "the motion", &leaf))
        zw_warnings_add(out, &leaf);
    for (int i = 0; i < f->nchild; i++)
        zw_forced_warnings(f->child[i], out);
    if (f->slow)
        zw_forced_slow_warnings(f, out);
    zw_singular_warning(&f->singular, f->nmotion, "motions", f->has_over ? &f->over : NULL, out);
    warn_inexact(f, out);
    zw_forced_conflict_warning(f, out);
    if (f->options.free)
        warn_damping(f, out);
    else if (f->has_over)
        warn_missed_crossings(f, out);
    warn_continuum(f, out);
    if (f->has_over)
        warn_turns(f, out);
    if (f->worst_error > TOLERANCES_MISSED * f->options.tolerance) {
        zw_warning d = zw_warning_of(
            "harmonics", NAN, "the omitted harmonics change the motion by about %.1e of its size%s",
            f->worst_error, f->has_over ? ", at worst" : "");
        if (zw_forced_has_tones(f))
            zw_warning_hint(&d,
                            f->options.harmonics
                                ? "without --harmonics the combinations are chosen from "
                                  "--tolerance"
                                : "this is the largest number of combinations; forces with kinks "
                                  "and strong excitation need many");
        else
            zw_warning_hint(&d,
                            f->slow ? "--harmonics %d has more"
                            : f->options.harmonics
                                ? "--harmonics %d has more; without it the number is chosen from "
                                  "--tolerance"
                                : "--harmonics-max %d allows more; forces with kinks need many",
                            2 * f->top + 1);
        zw_warnings_add(out, &d);
    }
    if (f->worst_even > TOLERANCES_MISSED * f->options.tolerance) {
        zw_warning d = zw_warning_of("even", NAN,
                                     "even harmonics change the motion by about %.1e of its size%s",
                                     f->worst_even, f->has_over ? ", at worst" : "");
        zw_warning_hint(&d, "--odd leaves them out");
        zw_warnings_add(out, &d);
    }
    warn_empty_values(f, out);
    if (zw_forced_has_tones(f)) {
        zw_forced_tones_warnings(f, out);
        warn_ends(f, out);
        return;
    }
    int unknown = 0, undecided = 0;
    for (int i = 0; i < f->nmotion; i++) {
        unknown += f->options.stability && f->motion[i].outside < 0 && !f->motion[i].march;
        undecided += f->motion[i].outside >= 0 && f->motion[i].accuracy > ACCURACY_USABLE;
    }
    if (unknown) {
        zw_warning d = zw_warning_of("multipliers", NAN,
                                     "the multipliers of %d of %d motions could not be found",
                                     unknown, f->nmotion);
        zw_warnings_add(out, &d);
    }
    if (undecided) {
        zw_warning d =
            zw_warning_of("accuracy", NAN,
                          "the multipliers of %d of %d motions are known to less than three digits",
                          undecided, f->nmotion);
        zw_warnings_add(out, &d);
    }
    for (int i = 0; i < f->nspecial_curve; i++)
        for (int side = 0; side < 2; side++)
            if (f->special_curve[i].info[side].end == ZW_CONT_POINTS ||
                f->special_curve[i].info[side].end == ZW_CONT_STUCK) {
                zw_warning d = zw_warning_of(
                    "marks", NAN, "curve %d of special points ends before the range does%s%.200s",
                    i, f->special_curve[i].info[side].why[0] ? ": " : "",
                    f->special_curve[i].info[side].why);
                zw_warnings_add(out, &d);
            }
    warn_ends(f, out);
}
