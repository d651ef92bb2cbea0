/* SPDX-License-Identifier: MIT */
/* Ends of branches of orbits. A branch of orbits is a closed curve or has two ends, and each end
 * has a reason: a Hopf point, a connecting orbit of infinite period, a special point of another
 * branch, an end of the range. Conversely, one branch of orbits ends at each Hopf point that is not
 * degenerate, and one of doubled period at each period doubling. An end without a reason and a
 * point without its branch are unresolved: the number of orbits on one side of them is unknown. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "diagram.h"

#define SAME_VALUE ZW_SAME_SOLUTION /* of the range */
/* of the range and of the sizes of the state: an orbit shrinks to a motion */
#define SHRINKS_TO 0.05

static bool is_born(const zw_orbits_branch *b, int side) {
    return side == 0 && !isnan(b->hopf);
}

static const zw_orbit_motion *end_orbit(const zw_orbits *o, const zw_orbits_branch *b, int side) {
    return &o->motion[side ? b->first + b->n - 1 : b->first];
}

static double range_of(const zw_diagram *d) {
    return fabs(d->over.to - d->over.from);
}

/* Distance of the value of a Hopf point from the end of a branch that begins there or shrinks to a
 * point near it; infinite if it does neither. */
static double distance_from(const zw_diagram *d, const zw_orbits_branch *b, int side,
                            const zw_branches_point *p) {
    bool born = is_born(b, side);
    if (p->kind != ZW_STEADY_HOPF || b->n == 0 || (!born && !b->shrinks[side]))
        return INFINITY;
    double away = fabs(p->value - (born ? b->hopf : end_orbit(d->orbits, b, side)->value));
    /* the other end belongs to another point */
    bool starts = fabs(p->value - b->hopf) <= SAME_VALUE * range_of(d);
    return away <= (born ? SAME_VALUE : SHRINKS_TO) * range_of(d) && (born || !starts) ? away
                                                                                       : INFINITY;
}

static bool surrounds_point(const zw_diagram *d, const zw_orbit_motion *m,
                            const zw_branches_point *p) {
    for (int i = 0; i < d->sys->nq; i++)
        if (fabs(zw_branches_wrap(d->branches, i, m->measure[i].mean - p->x[i])) >
            SHRINKS_TO * d->branches->e->scale[i] + 0.5 * (m->measure[i].max - m->measure[i].min))
            return false;
    return true;
}

int zw_diagram_hopf_at(const zw_diagram *d, int branch, int side) {
    const zw_branches_list *l = &d->branches->branch;
    const zw_orbits_branch *b = &d->orbits->branch[branch];
    double least = INFINITY;
    int best = -1;
    /* around the point, otherwise near its value */
    for (int placed = 1; placed >= 0 && best < 0; placed--)
        for (int i = 0; i < l->n; i++) {
            double away = distance_from(d, b, side, &l->point[i]);
            if (away < least &&
                (!placed || surrounds_point(d, end_orbit(d->orbits, b, side), &l->point[i])))
                least = away, best = i;
        }
    return best;
}

/* The number of ends of branches of orbits at a Hopf point, or at one of its mirror images. */
static int count_ends(const zw_diagram *d, int hopf) {
    int n = 0;
    for (int k = 0; k < 2 * d->orbits->nbranch; k++) {
        int at = zw_diagram_hopf_at(d, k / 2, k % 2);
        n += at >= 0 && (at == hopf || zw_diagram_is_same_place(d, at, hopf) ||
                         zw_diagram_image_of(d, at) == hopf);
    }
    return n;
}

bool zw_diagram_is_reached(const zw_diagram *d, int hopf) {
    return count_ends(d, hopf) > 0;
}

/* -------------------------------------------------------------------------------------- reasons */

/* The reason that the branch itself knows; ZW_DIAGRAM_END_OPEN if none. */
static zw_diagram_end plain_end(const zw_diagram *d, int branch, int side) {
    const zw_orbits_branch *b = &d->orbits->branch[branch];
    int hopf = zw_diagram_hopf_at(d, branch, side),
        doubling = zw_orbits_doubling_at(d->orbits, branch, side);
    double value = b->n ? end_orbit(d->orbits, b, side)->value : b->hopf,
           low = fmin(d->over.from, d->over.to), high = fmax(d->over.from, d->over.to);
    zw_diagram_end end = {.kind = ZW_DIAGRAM_END_OPEN, .value = value, .other = -1};
    if (b->end[0] == ZW_CONT_CLOSED || b->end[1] == ZW_CONT_CLOSED)
        end.kind = ZW_DIAGRAM_END_CLOSED;
    else if (hopf >= 0 || is_born(b, side)) {
        end.kind = ZW_DIAGRAM_END_HOPF;
        end.value = hopf >= 0 ? d->branches->branch.point[hopf].value : b->hopf;
    } else if (b->shrinks[side])
        return end;
    else if ((side == 0 && b->parent >= 0) || (side == 1 && b->meets >= 0)) {
        end.kind = b->origin == ZW_BIFURCATION_FLIP ? ZW_DIAGRAM_END_DOUBLING
                                                    : ZW_DIAGRAM_END_BRANCH_POINT;
        end.other = side ? b->meets : b->parent;
        end.value = side ? value : b->origin_value;
    } else if (doubling >= 0) {
        end.kind = ZW_DIAGRAM_END_DOUBLING;
        end.other = d->orbits->motion[doubling].curve;
        end.value = d->orbits->motion[doubling].value;
    } else if (b->end[side] == ZW_CONT_AT_BOUND || value < low || value > high) {
        end.kind = ZW_DIAGRAM_END_RANGE;
        end.value = fmin(fmax(value, low), high);
    } else if (b->end[side] == ZW_CONT_ASKED && !b->slows[side] && b->why[side][0])
        end.kind = ZW_DIAGRAM_END_EVENT;
    else if (d->stopped)
        end.kind = ZW_DIAGRAM_END_STOPPED;
    return end;
}

zw_status zw_diagram_list_ends(zw_diagram *d, zw_error *err) {
    int n = 2 * d->orbits->nbranch;
    d->nend = 0;
    if (!(d->end = ZW_NEW(&d->arena, zw_diagram_end, n + 1)))
        return zw_out_of_memory(err, NULL);
    for (d->nend = 0; d->nend < n; d->nend++)
        d->end[d->nend] = plain_end(d, d->nend / 2, d->nend % 2);
    return ZW_OK;
}

const zw_diagram_end *zw_diagram_end_at(const zw_diagram *d, int branch, int side) {
    return branch >= 0 && 2 * branch + 1 < d->nend ? &d->end[2 * branch + (side != 0)] : NULL;
}

/* ---------------------------------------------------------------------- points without branches */

static void mark_unresolved(zw_diagram *d, zw_diagram_event *event, const char *words) {
    size_t used = strlen(event->text);
    snprintf(event->text + used, sizeof event->text - used, "; unresolved: %s", words);
    event->open = true;
    if (d->unpaired++ == 0)
        d->unpaired_value = event->value;
}

static bool is_at_bound(const zw_diagram *d, double value) {
    return fmin(fabs(value - d->over.from), fabs(value - d->over.to)) <= SAME_VALUE * range_of(d);
}

void zw_diagram_pair_hopf(zw_diagram *d, int hopf, bool degenerate, zw_diagram_event *event) {
    if (!d->orbits || is_at_bound(d, event->value))
        return; /* its orbits may lie outside the range */
    int ends = count_ends(d, hopf);
    char words[120];
    if (ends == 0) {
        mark_unresolved(d, event, "no branch of orbits was followed from it");
    } else if (ends > 1 + event->images && !degenerate) {
        snprintf(words, sizeof words, "%d branches of orbits end there instead of %d", ends,
                 1 + event->images);
        mark_unresolved(d, event, words);
    }
}

void zw_diagram_pair_orbit(zw_diagram *d, int number, zw_diagram_event *event) {
    bool leaves = event->kind == ZW_DIAGRAM_ORBIT_FLIP || event->kind == ZW_DIAGRAM_ORBIT_BRANCH;
    if (leaves && !is_at_bound(d, event->value) && !zw_orbits_is_left(d->orbits, number))
        mark_unresolved(d, event, "the branch that leaves there was not followed");
}

/* ---------------------------------------------------------------------------------------- words */

static const char *word_of(zw_diagram_end_kind kind) {
    switch (kind) {
    case ZW_DIAGRAM_END_OPEN:
        return "unresolved";
    case ZW_DIAGRAM_END_RANGE:
        return "range";
    case ZW_DIAGRAM_END_HOPF:
        return "hopf";
    case ZW_DIAGRAM_END_HOMOCLINIC:
        return "homoclinic";
    case ZW_DIAGRAM_END_HETEROCLINIC:
        return "heteroclinic";
    case ZW_DIAGRAM_END_FOLD:
        return "fold on the orbits";
    case ZW_DIAGRAM_END_DOUBLING:
        return "period doubling";
    case ZW_DIAGRAM_END_BRANCH_POINT:
        return "branch point of orbits";
    case ZW_DIAGRAM_END_CLOSED:
        return "closed";
    case ZW_DIAGRAM_END_EVENT:
        return "event";
    case ZW_DIAGRAM_END_STOPPED:
        return "stopped";
    }
    return "";
}

static const char *phrase_of(zw_diagram_end_kind kind) {
    switch (kind) {
    case ZW_DIAGRAM_END_OPEN:
        return "an end that is unresolved";
    case ZW_DIAGRAM_END_RANGE:
        return "the end of the range";
    case ZW_DIAGRAM_END_HOPF:
        return "the Hopf point";
    case ZW_DIAGRAM_END_HOMOCLINIC:
        return "the homoclinic orbit";
    case ZW_DIAGRAM_END_HETEROCLINIC:
        return "the heteroclinic connection";
    case ZW_DIAGRAM_END_FOLD:
        return "the fold of steady motions on the orbits";
    case ZW_DIAGRAM_END_DOUBLING:
        return "the period doubling";
    case ZW_DIAGRAM_END_BRANCH_POINT:
        return "the branch point";
    case ZW_DIAGRAM_END_EVENT:
        return "the end";
    case ZW_DIAGRAM_END_STOPPED:
        return "the place where the search was stopped,";
    case ZW_DIAGRAM_END_CLOSED:
        break;
    }
    return "";
}

static void report_end(const zw_diagram *d, int branch, int side, zw_report *r) {
    const zw_diagram_end *e = zw_diagram_end_at(d, branch, side);
    const char *why = d->orbits->branch[branch].why[side];
    bool known = e->kind == ZW_DIAGRAM_END_EVENT || (e->kind == ZW_DIAGRAM_END_OPEN && why[0]);
    zw_report_open(r, side ? "end" : "begin");
    zw_report_word(r, "kind", word_of(e->kind));
    zw_report_word(r, "phrase", phrase_of(e->kind));
    zw_diagram_report_value(d, "value", e->value, e->error, r);
    zw_report_count(r, "on_branch", e->other >= 0 ? e->other : 0);
    zw_report_word(r, "reason", known ? why : NULL);
    if (e->kind != ZW_DIAGRAM_END_CLOSED) {
        zw_report_say(r, side ? " to {phrase}" : "from {phrase}");
        zw_report_say(r, e->other >= 0 ? " on branch {on_branch}" : "");
        zw_report_say(r, " at {value}{reason? ({reason})}");
    }
    zw_report_close(r);
}

void zw_diagram_report_ends(const zw_diagram *d, zw_report *r) {
    if (d->nend > 0)
        zw_report_say(r, "  branches of orbits, over {over}\n");
    zw_report_list(r, "orbit_branches");
    for (int k = 0; k < d->nend / 2; k++) {
        const zw_orbits_branch *b = &d->orbits->branch[k];
        bool closed = d->end[2 * k].kind == ZW_DIAGRAM_END_CLOSED;
        zw_report_open(r, NULL);
        zw_report_count(r, "number", k);
        zw_report_flag(r, "closed", closed);
        zw_report_count(r, "images",
                        !closed && b->n > 0 ? zw_diagram_orbit_images(d, b->first + b->n / 2) : 0);
        zw_report_say(r, "    {number}: {closed?closed}");
        report_end(d, k, 0, r);
        report_end(d, k, 1, r);
        zw_report_say(r, "{images? (and {images|mirror image|mirror images})}\n");
        zw_report_close(r);
    }
    zw_report_close(r);
}
