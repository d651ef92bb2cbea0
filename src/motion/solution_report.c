/* SPDX-License-Identifier: MIT */
/* Periodic solutions and branches of them in a report. */
#include <math.h>

#include "motion/motion_report.h"
#include "solution.h"

enum { PERIOD_DIGITS = 6 }; /* of special points and branches */

static const char *time_unit(const zw_system *sys) {
    return sys->no_units ? "" : "s";
}

/* a value of the parameter; 0 if its error is larger */
static void report_value(const zw_solutions *s, const char *key, double value, double error,
                         zw_report *out) {
    zw_shown how = zw_motion_shown(s->sys, s->over, error);
    zw_report_number(out, key, error > 0 && fabs(value) <= error ? 0 : value, &how);
}

/* --------------------------------------------------------------------------------- a solution */

static const char *criticality_word(zw_orbit_criticality c) {
    switch (c) {
    case ZW_ORBIT_SUPERCRITICAL:
        return "supercritical";
    case ZW_ORBIT_SUBCRITICAL:
        return "subcritical";
    case ZW_ORBIT_DEGENERATE:
        return "degenerate";
    case ZW_ORBIT_QUADRATIC:
        return "quadratic";
    case ZW_ORBIT_NOT_TOLD:
        break;
    }
    return NULL;
}

static const char *coefficient_name(zw_cycle_kind kind) {
    return kind == ZW_CYCLE_FOLD ? "b" : kind == ZW_CYCLE_FLIP ? "c" : "Re d";
}

static void report_normal(const zw_orbit_normal *n, zw_report *out) {
    if (!n)
        return;
    bool known = n->criticality != ZW_ORBIT_NOT_TOLD;
    zw_report_open(out, "normal_form");
    zw_report_word(out, "criticality", criticality_word(n->criticality));
    zw_report_word(out, "why_not", known ? NULL : n->why);
    if (known) {
        zw_report_word(out, "name", coefficient_name(n->form.kind));
        zw_report_number(out, "coefficient", n->form.coefficient, &(zw_shown){.digits = 5});
        zw_report_number(out, "imaginary", n->form.imaginary, NULL);
        zw_report_number(out, "error", n->form.error, NULL);
    }
    zw_report_say(out, known ? "; {criticality} ({name} = {coefficient})"
                             : "; no normal form: {why_not}");
    zw_report_close(out);
}

/* its value, period and special point, with their errors */
static void report_place(const zw_solutions *s, int i, const zw_solution *o, zw_report *out) {
    double value = 0, period = 0;
    char label[ZW_ORBITS_LABEL] = "";
    bool special = zw_motion_is_event(o->what);
    if (o->branch >= 0)
        s->label(s->self, i, label);
    if (special && o->branch >= 0)
        s->errors(s->self, i, &value, &period);
    if (s->over)
        report_value(s, "value", o->value, value, out);
    zw_report_number(out, "period", o->period,
                     &(zw_shown){.unit = time_unit(s->sys),
                                 .error = period,
                                 .digits = special ? PERIOD_DIGITS : 0});
    zw_report_word(out, "label", label[0] ? label : NULL);
    zw_report_word(out, "bifurcation", special ? zw_motion_event_word(o->what) : NULL);
}

/* a line of the branch */
static void report_special(const zw_solutions *s, int i, zw_report *out) {
    zw_solution o = s->at(s->self, i);
    zw_report_open(out, NULL);
    report_place(s, i, &o, out);
    zw_report_say(out, "    {value}  ");
    zw_report_say(out, zw_motion_event_sentence(o.what));
    report_normal(o.normal, out);
    zw_report_say(out, "; period {period}\n");
    zw_report_close(out);
}

void zw_solution_report(const zw_solutions *s, int i, zw_report *out) {
    zw_solution o = s->at(s->self, i);
    zw_report_count(out, "number", i);
    zw_report_say(out, "  {number}: ");
    zw_motion_report_stability(out, &o.motion, NULL);
    report_place(s, i, &o, out);
    zw_report_say(out, s->over && !isnan(o.value)
                           ? "{stability}, at {over} = {value}; period {period}"
                           : "{stability}; period {period}");
    if (o.branch >= 0)
        zw_report_count(out, "branch", o.branch);
    zw_report_count(out, s->parts, o.parts);
    zw_report_number(out, "error", o.error, &(zw_shown){.digits = 2});
    zw_report_number(out, "trivial", o.trivial, NULL);
    report_normal(o.normal, out);
    s->details(s->self, i, out);
    zw_motion_report_multipliers(out, &o.motion);
    zw_motion_report_drifts(out, s->sys, zw_motion_quantities(s->sys), o.drift);
    zw_motion_report_quantities(out, &o.motion);
}

/* ---------------------------------------------------------------------------------- a branch */

typedef struct branch_range {
    int unstable, unknown, parts;
    double low, high, shortest, longest;
} branch_range;

static branch_range range_of(const zw_solutions *s, const zw_solution_branch *b) {
    branch_range r = {.low = INFINITY, .high = -INFINITY, .shortest = INFINITY};
    for (int i = b->first; i < b->first + b->n; i++) {
        zw_solution o = s->at(s->self, i);
        r.unstable += o.motion.verdict == ZW_FLOQUET_UNSTABLE;
        r.unknown += o.motion.verdict == ZW_FLOQUET_UNDECIDED && o.motion.nmultiplier == 0;
        r.low = fmin(r.low, o.value);
        r.high = fmax(r.high, o.value);
        r.shortest = fmin(r.shortest, o.period);
        r.longest = fmax(r.longest, o.period);
        r.parts = o.parts > r.parts ? o.parts : r.parts;
    }
    return r;
}

static void report_range(const zw_solutions *s, const zw_solution_branch *b, zw_report *out) {
    branch_range r = range_of(s, b);
    zw_shown time = {.unit = time_unit(s->sys), .digits = PERIOD_DIGITS},
             first = {.si_unit = time.unit, .digits = PERIOD_DIGITS};
    report_value(s, "from", r.low, 0, out);
    report_value(s, "to", r.high, 0, out);
    zw_report_number(out, "period_min", r.shortest, &first);
    zw_report_number(out, "period_max", r.longest, &time);
    zw_report_count(out, s->parts, r.parts);
    zw_report_word(out, "events", b->events);
    zw_report_say(out, "  branch {number}: {count|orbit|orbits} from {from} to {to}");
    zw_motion_report_unstable(out, b->n, r.unstable, r.unknown);
    zw_report_say(out, ", periods {period_min} to {period_max}");
    zw_report_say(out, b->events ? "; events: {events}\n" : ", up to {intervals} intervals\n");
}

static void report_drift(const zw_solutions *s, const zw_solution_branch *b, int k,
                         zw_report *out) {
    double low = INFINITY, high = -INFINITY;
    const char *unit, *name = zw_motion_quantity(s->sys, k, &unit);
    for (int i = b->first; i < b->first + b->n; i++) {
        zw_solution o = s->at(s->self, i);
        low = fmin(low, o.drift ? o.drift[k] : 0);
        high = fmax(high, o.drift ? o.drift[k] : 0);
    }
    if (!(low <= high && (low != 0 || high != 0)))
        return;
    zw_shown how = {.unit = unit, .digits = 6}, first = {.si_unit = unit, .digits = 6};
    zw_report_open(out, NULL);
    zw_report_word(out, "name", name);
    zw_report_number(out, "min", low, &first);
    zw_report_number(out, "max", high, &how);
    zw_report_say(out, "    {name} drifts by {min} to {max} per period\n");
    zw_report_close(out);
}

static void report_drifts(const zw_solutions *s, const zw_solution_branch *b, zw_report *out) {
    zw_report_list(out, "drifts");
    for (int k = 0; k < zw_motion_quantities(s->sys); k++)
        report_drift(s, b, k, out);
    zw_report_close(out);
}

static const char *origin_sentence(const zw_solution_branch *b) {
    if (!isnan(b->hopf))
        return "    is born at the Hopf point {origin_value}\n";
    return b->origin == ZW_BIFURCATION_FLIP
               ? "    is born at the period doubling {origin_value} of branch "
                 "{parent}{mirrored?, with its mirror image}\n"
               : "    is born at the branch point {origin_value} of branch {parent}{mirrored?, "
                 "with its mirror image}\n";
}

static void report_origin(const zw_solutions *s, const zw_solution_branch *b, zw_report *out) {
    bool born = !isnan(b->hopf), leaves = b->parent >= 0;
    if (b->times)
        zw_report_count(out, "times", b->times);
    if (born || leaves) {
        zw_report_word(out, "origin", born ? "hopf" : zw_motion_event_word(b->origin));
        report_value(s, "origin_value", born ? b->hopf : b->origin_value, 0, out);
    }
    if (leaves) {
        zw_report_count(out, "parent", b->parent);
        zw_report_flag(out, "mirrored", b->mirrored);
    }
    if (b->meets >= 0)
        zw_report_count(out, "meets", b->meets);
    zw_report_say(out, born || leaves ? origin_sentence(b) : "");
    zw_report_say(out, b->meets >= 0 ? "    ends on branch {meets}\n" : "");
}

static void report_ends(const zw_solution_branch *b, zw_report *out) {
    zw_report_list(out, "ends");
    for (int side = 0; side < 2; side++) {
        const zw_solution_end *e = &b->end[side];
        if (!e->reason)
            continue;
        zw_report_open(out, NULL);
        zw_report_word(out, "direction", e->direction);
        zw_report_word(out, "relation", e->relation);
        zw_report_word(out, "reason", e->reason);
        zw_report_say(out, "    ends{direction? {direction}} {relation} {reason}\n");
        zw_report_close(out);
    }
    zw_report_close(out);
}

static void report_contradiction(const zw_solutions *s, const zw_solution_branch *b,
                                 zw_report *out) {
    char words[300];
    if (b->nopen == 0)
        return;
    zw_contradiction_words(&b->open, s->over, words, sizeof words);
    zw_report_word(out, "unresolved", words);
    zw_report_count(out, "unresolved_count", b->nopen);
    zw_report_count(out, "unresolved_others", b->nopen - 1);
    zw_report_say(out, "    unresolved: {unresolved}{unresolved_others?; {unresolved_others} more "
                       "such places}\n");
}

static void report_branch(const zw_solutions *s, int index, zw_report *out) {
    zw_solution_branch b = s->branch(s->self, index);
    zw_report_open(out, NULL);
    zw_report_count(out, "number", index);
    zw_report_count(out, "count", b.n);
    if (b.n == 0) {
        zw_report_say(out, "  branch {number}: no orbits\n");
    } else {
        report_range(s, &b, out);
        report_drifts(s, &b, out);
        report_origin(s, &b, out);
        report_ends(&b, out);
        report_contradiction(s, &b, out);
    }
    zw_report_list(out, "special_points");
    for (int i = b.first; i < b.first + b.n; i++)
        if (zw_motion_is_event(s->at(s->self, i).what))
            report_special(s, i, out);
    zw_report_close(out);
    zw_report_close(out);
}

/* ------------------------------------------------------------------------------------- all */

static void report_branches(const zw_solutions *s, zw_report *out) {
    zw_report_list(out, "branches");
    for (int i = 0; i < s->nbranch; i++)
        report_branch(s, i, out);
    zw_report_close(out);
}

static void report_orbits(const zw_solutions *s, zw_report *out) {
    zw_report_mute(out, s->nbranch > 0);
    zw_report_list(out, "orbits");
    for (int i = 0; i < s->n; i++) {
        if (s->nbranch && s->at(s->self, i).branch < 0)
            continue;
        zw_report_open(out, NULL);
        zw_solution_report(s, i, out);
        zw_report_close(out);
    }
    zw_report_close(out);
    zw_report_mute(out, false);
}

void zw_solutions_report(const zw_solutions *s, zw_report *out) {
    zw_report_word(out, "over", s->over ? s->over->name : NULL);
    zw_report_flag(out, "through_events", s->through_events);
    zw_report_count(out, "count", s->n);
    zw_report_say(out, s->nbranch ? "{model}: orbits{through_events? through events} over {over}\n"
                                  : "{model}: {count|orbit|orbits}{through_events? through "
                                    "events}\n");
    if (s->kept)
        zw_kept_report(out, s->kept);
    if (s->nbranch)
        report_branches(s, out);
    report_orbits(s, out);
    if (s->over && s->curves)
        zw_bifurcation_curves_report(out, s->curves, s->over, s->sys);
}
