/* SPDX-License-Identifier: MIT */
/* What is doubtful of forced motions, and of curves of them. */
#include <math.h>
#include <stdlib.h>

#include "forced.h"
#include "mech/equations/variants.h"
#include "motion/branch_check.h"
#include "zwang/equations.h"

#define TURNED 1e-7 /* of the range: a turn of the parameter that a fold must explain */
#define BORN 1e-4   /* from 1 to a multiplier on a curve that has just left another one */

/* Where a curve leaves another one a multiplier is 1, and on the way from there it is beside 1 by
 * rounding at first. */
static bool is_at_one(const zw_forced_motion *m) {
    for (int i = 0; i < m->nmultiplier; i++)
        if (hypot(m->re[i] - 1, m->im[i]) < BORN)
            return true;
    return false;
}

/* Several multipliers at once pass the circle without a change of sign of their products: between
 * two points without a mark other ones are outside. How often among n points from the first; from
 * and to: about the first place. */
static int count_unmarked(const zw_forced *f, int first, int n, double *from, double *to) {
    int found = 0;
    bool leaves = false;
    if (zw_forced_has_tones(f)) /* check_turns counts exponents */
        return 0;
    for (int i = first; i + 1 < first + n; i++) {
        const zw_forced_motion *a = &f->motion[i], *b = &f->motion[i + 1];
        bool origin = a->curve >= 0 && f->curve[a->curve].from == i + 1; /* one is 1 there */
        leaves = origin || (leaves && is_at_one(a) && a->curve == (a - 1)->curve);
        bool contrary =
            f->contrary && (a->verdict == ZW_FLOQUET_UNDECIDED ||
                            b->verdict == ZW_FLOQUET_UNDECIDED); /* reported elsewhere */
        if (contrary || (leaves && abs(a->outside - b->outside) < 2))
            continue;
        if (a->curve < 0 || a->curve != b->curve || zw_forced_is_mark(a) || zw_forced_is_mark(b) ||
            a->outside < 0 || b->outside < 0 || a->outside == b->outside ||
            fmax(a->accuracy, b->accuracy) > 1e-3)
            continue;
        if (found++ == 0) {
            *from = a->value;
            *to = b->value;
        }
    }
    return found;
}

static void doubt_continuum(const zw_forced *f, zw_warnings *out) {
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

static void doubt_unmarked(const zw_forced *f, zw_warnings *out) {
    double from, to;
    int n = count_unmarked(f, 0, f->nmotion, &from, &to);
    if (n == 0)
        return;
    zw_warning d =
        zw_warning_of("mark", NAN,
                      "between %s = %.9g and %.9g%s%s multipliers pass the unit circle at a "
                      "place that was not located",
                      f->over.name, from / f->over.factor, to / f->over.factor,
                      f->over.unit[0] ? " " : "", f->over.unit);
    zw_warning_hint(&d,
                    n > 1 ? "and at %d further places; several pass at once where parts of the "
                            "model are the same"
                          : "several pass at once where parts of the model are the same",
                    n - 1);
    zw_warnings_add(out, &d);
}

/* of periodic motions turns alone: what passes is judged above */
static zw_check_point point_of(const void *self, int i) {
    const zw_forced *f = self;
    const zw_forced_motion *m = &f->motion[i];
    return (zw_check_point){m->value, zw_forced_exponents_decided(m) ? m->outside : -1, m->event};
}

/* turns of a curve that no fold explains */
static int check_turns(const zw_forced *f, int curve, zw_contradiction *first) {
    zw_check_points p = {point_of, f, f->curve[curve].first, f->curve[curve].n};
    return zw_branch_check(&p, TURNED * fabs(f->over.to - f->over.from), first);
}

int zw_forced_check(const zw_forced *f, int curve) {
    const zw_forced_curve *c = &f->curve[curve];
    zw_contradiction ignored;
    double from, to;
    return check_turns(f, curve, &ignored) + count_unmarked(f, c->first, c->n, &from, &to) +
           c->info[0].unsplit + c->info[1].unsplit;
}

static void doubt_turns(const zw_forced *f, zw_warnings *out) {
    for (int i = 0; i < f->ncurve; i++) {
        zw_contradiction first;
        int n = check_turns(f, i, &first);
        zw_contradiction_warning(&first, n, i, &f->over, out);
    }
}

/* marks near which the curve could not be followed */
static void doubt_rough(const zw_forced *f, zw_warnings *out) {
    for (int i = 0; i < f->ncurve; i++)
        for (int side = 0; side < 2; side++) {
            const zw_cont_info *info = &f->curve[i].info[side];
            if (!info->rough)
                continue;
            zw_warning d = zw_warning_of(
                "place", NAN,
                "the mark of curve %d near %s = %.6g%s%s is located to about "
                "%.0e only",
                i, f->over.name, info->rough_at / f->over.factor, f->over.unit[0] ? " " : "",
                f->over.unit, info->rough_by / f->over.factor);
            zw_warning_hint(&d, "a shorter range of --over about it tells more");
            zw_warnings_add(out, &d);
        }
}

/* a damping that is needed to balance free motions: the system is not conservative where they are,
 * or too few points see it */
static void doubt_damping(const zw_forced *f, zw_warnings *out) {
    double worst = 0;
    for (int i = 0; i < f->nmotion; i++)
        worst = fmax(worst, fabs(f->motion[i].damping) / f->motion[i].w);
    if (worst <= 1e-6)
        return;
    zw_warning d = zw_warning_of("energy", NAN,
                                 "motions of the family lose energy, by a damping of %.1e of their "
                                 "frequency: they are not free",
                                 worst);
    zw_warnings_add(out, &d);
}

/* unless a curve has come there by shooting, which finds what is stable by itself, or cycles have
 * shrunk to rest on the way */
static void doubt_nowhere(const zw_forced *f, zw_warnings *out) {
    for (int i = 0; f->shoots && i < f->nmotion; i++)
        if (f->motion[i].curve >= 0 && !f->motion[i].march &&
            f->motion[i].value == f->nowhere_value)
            return;
    for (int i = 0; i < f->ncurve; i++)
        if (f->curve[i].shrinks[0] || f->curve[i].shrinks[1])
            return;
    if (!f->nowhere)
        return;
    zw_warning d = zw_warning_of("end", NAN,
                                 "no periodic motion was found at %s = %.9g: curves that pass "
                                 "there may be missing",
                                 f->over.name, f->nowhere_value / f->over.factor);
    zw_warning_hint(&d, f->cycles ? "--values 10 also searches between the ends"
                                  : "--starts 50 tries more starts, --values 10 also searches "
                                    "between the ends");
    zw_warnings_add(out, &d);
}

/* curves that end before the range does */
static void doubt_ends(const zw_forced *f, zw_warnings *out) {
    for (int i = 0; i < f->ncurve; i++)
        for (int side = 0; side < 2; side++)
            if (f->curve[i].runaway) {
                if (side)
                    continue;
                zw_warning d = zw_warning_of(
                    "curve", NAN,
                    "curve %d ends at the period %.6g s, before the range does: its motions need "
                    "more than %d harmonics there",
                    i, 2 * M_PI / f->motion[f->curve[i].first + f->curve[i].n - 1].w,
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
                                             i, f->curve[i].info[side].points);
                zw_warnings_add(out, &d);
            } else if (f->curve[i].info[side].end == ZW_CONT_STUCK) {
                zw_warning d = zw_warning_of(
                    "curve", NAN, "curve %d ends where no step finds a next point%s%.200s", i,
                    f->curve[i].info[side].why[0] ? ": " : "", f->curve[i].info[side].why);
                zw_warnings_add(out, &d);
            }
}

void zw_forced_warnings(const zw_forced *f, zw_warnings *out) {
    zw_warning leaf;
    if (f->through) { /* with all studies of doubled period */
        zw_event_orbits_doubts(f->through, out);
        doubt_nowhere(f, out);
        return;
    }
    if (!f->parent && zw_leaf_warning(f->nhidden, "the motion", &leaf))
        zw_warnings_add(out, &leaf);
    for (int i = 0; i < f->nchild; i++)
        zw_forced_warnings(f->child[i], out);
    if (f->slow)
        zw_forced_slow_warnings(f, out);
    zw_singular_warning(&f->singular, f->nmotion, "motions", f->has_over ? &f->over : NULL, out);
    doubt_rough(f, out);
    zw_forced_contrary_warning(f, out);
    if (f->options.free)
        doubt_damping(f, out);
    else if (f->has_over)
        doubt_unmarked(f, out);
    doubt_continuum(f, out);
    if (f->has_over)
        doubt_turns(f, out);
    if (f->worst_error > 10 * f->options.tolerance) {
        zw_warning d = zw_warning_of(
            "harmonics", NAN,
            "the harmonics that are left out change the motion by about %.1e of its size%s",
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
    if (f->worst_even > 10 * f->options.tolerance) {
        zw_warning d = zw_warning_of("even", NAN,
                                     "even harmonics change the motion by about %.1e of its size%s",
                                     f->worst_even, f->has_over ? ", at worst" : "");
        zw_warning_hint(&d, "--odd leaves them out: go without it");
        zw_warnings_add(out, &d);
    }
    doubt_nowhere(f, out);
    if (zw_forced_has_tones(f)) {
        zw_forced_tones_warnings(f, out);
        doubt_ends(f, out);
        return;
    }
    int unknown = 0, undecided = 0;
    for (int i = 0; i < f->nmotion; i++) {
        unknown += f->options.stability && f->motion[i].outside < 0 && !f->motion[i].march;
        undecided += f->motion[i].outside >= 0 && f->motion[i].accuracy > 1e-3;
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
    for (int i = 0; i < f->nlocus; i++)
        for (int side = 0; side < 2; side++)
            if (f->locus[i].info[side].end == ZW_CONT_POINTS ||
                f->locus[i].info[side].end == ZW_CONT_STUCK) {
                zw_warning d = zw_warning_of(
                    "marks", NAN, "curve %d of marks ends before the range does%s%.200s", i,
                    f->locus[i].info[side].why[0] ? ": " : "", f->locus[i].info[side].why);
                zw_warnings_add(out, &d);
            }
    doubt_ends(f, out);
}
