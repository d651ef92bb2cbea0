/* SPDX-License-Identifier: MIT */
#include "branch_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ANY_COUNT = 1 << 20 }; /* more multipliers than any model has */

/* the most multipliers that can cross at a special point; a fold counts as one */
static int passing_count(zw_bifurcation event) {
    switch (event) {
    case ZW_BIFURCATION_FOLD:
        return 1;
    case ZW_BIFURCATION_BRANCH:
    case ZW_BIFURCATION_FLIP:
    case ZW_BIFURCATION_TORUS:
        return 2;
    case ZW_BIFURCATION_POINT:
    case ZW_BIFURCATION_END:
        return 0;
    default:
        return ANY_COUNT;
    }
}

static zw_check_point check_point_at(const zw_check_points *p, int i) {
    return p->at(p->self, p->first + i);
}

/* Points i and k have a known number of unstable multipliers: do the special points between them
 * explain its change? At a fold exactly one multiplier crosses. */
static bool is_count_explained(const zw_check_points *p, int i, int k) {
    int change = abs(check_point_at(p, k).outside - check_point_at(p, i).outside), most = 0,
        folds = 0, others = 0;
    for (int j = i + 1; j < k; j++) {
        zw_bifurcation event = check_point_at(p, j).event;
        int n = passing_count(event);
        if (n == ANY_COUNT)
            return true;
        most += n;
        folds += event == ZW_BIFURCATION_FOLD;
        others += n > 0 && event != ZW_BIFURCATION_FOLD;
    }
    return change <= most && (others > 0 || (change - folds) % 2 == 0);
}

static void add_contradiction(zw_contradiction c, zw_contradiction *out, int *n) {
    if (++*n == 1)
        *out = c;
}

static void check_counts(const zw_check_points *p, zw_contradiction *out, int *found) {
    int last = -1;
    for (int i = 0; i < p->n; i++) {
        zw_check_point at = check_point_at(p, i);
        if (at.outside < 0 || passing_count(at.event) > 0)
            continue;
        if (last >= 0 && !is_count_explained(p, last, i))
            add_contradiction((zw_contradiction){.kind = ZW_CONTRADICTION_COUNT,
                                                 .from = check_point_at(p, last).value,
                                                 .to = at.value,
                                                 .before = check_point_at(p, last).outside,
                                                 .after = at.outside},
                              out, found);
        last = i;
    }
}

/* Can the parameter turn back at one of the points from `low` to `high`? At a branch point it can
 * on one of the branches. */
static bool may_turn(const zw_check_points *p, int low, int high) {
    for (int i = low; i <= high; i++) {
        zw_bifurcation event = check_point_at(p, i).event;
        if (event == ZW_BIFURCATION_FOLD || event == ZW_BIFURCATION_BRANCH ||
            passing_count(event) == ANY_COUNT)
            return true;
    }
    return false;
}

/* the last point before i whose value differs from that of i by more than `least`; 0 if none */
static int well_before(const zw_check_points *p, int i, double least) {
    double value = check_point_at(p, i).value;
    int k = i;
    while (k > 0 && fabs(check_point_at(p, k).value - value) <= least)
        k--;
    return k;
}

static void check_turns(const zw_check_points *p, double least, zw_contradiction *out, int *found) {
    int extreme = 0; /* the last point so far in the present direction */
    double direction = 0;
    for (int i = 1; i < p->n; i++) {
        double d = check_point_at(p, i).value - check_point_at(p, extreme).value;
        if (direction == 0 && fabs(d) <= least)
            continue;
        if (direction == 0 || d * direction >= 0) {
            direction = direction == 0 ? d : direction;
            extreme = i;
            continue;
        }
        if (fabs(d) <= least)
            continue;
        int before = well_before(p, extreme, least);
        if (!may_turn(p, before, i))
            add_contradiction((zw_contradiction){.kind = ZW_CONTRADICTION_TURN,
                                                 .from = check_point_at(p, before).value,
                                                 .to = check_point_at(p, extreme).value},
                              out, found);
        direction = -direction;
        extreme = i;
    }
}

int zw_branch_check(const zw_check_points *p, double least, zw_contradiction *out) {
    int found = 0;
    *out = (zw_contradiction){0};
    check_turns(p, least, out, &found);
    check_counts(p, out, &found);
    return found;
}

/* digits that distinguish two numbers */
static int digits_of(double a, double b) {
    double apart = fabs(a - b), size = fmax(fabs(a), fabs(b));
    int n = apart > 0 ? (int)ceil(log10(size / apart)) + 2 : 0;
    return n < 9 ? 9 : n > 15 ? 15 : n;
}

void zw_contradiction_words(const zw_contradiction *c, const zw_parameter_range *over, char *out,
                            size_t size) {
    int digits = digits_of(c->from, c->to),
        n = snprintf(out, size, "between %s = %.*g and %.*g%s%s ", over->name, digits,
                     c->from / over->factor, digits, c->to / over->factor, over->unit[0] ? " " : "",
                     over->unit);
    if (n < 0 || (size_t)n >= size)
        return;
    if (c->kind == ZW_CONTRADICTION_TURN)
        snprintf(out + n, size - (size_t)n, "%s turns back, but no fold was located there",
                 over->name);
    else if (c->after != c->before)
        snprintf(
            out + n, size - (size_t)n,
            "the number of multipliers outside the unit circle becomes %d instead of %d, which no "
            "special point located there explains",
            c->after, c->before);
    else
        snprintf(
            out + n, size - (size_t)n,
            "the number of multipliers outside the unit circle is %d on both sides, although a "
            "fold was located there",
            c->after);
}

void zw_contradiction_warning(const zw_contradiction *c, int n, int branch,
                              const zw_parameter_range *over, zw_warnings *out) {
    char words[300];
    if (n == 0)
        return;
    zw_contradiction_words(c, over, words, sizeof words);
    zw_warning d = zw_warning_of("unresolved", NAN, "branch %d is not resolved: %s", branch, words);
    if (n > 1)
        zw_warning_hint(
            &d, "and at %d further places; use a shorter range of --over: its steps are shorter",
            n - 1);
    else
        zw_warning_hint(&d, "use a shorter range of --over around it: its steps are shorter");
    zw_warnings_add(out, &d);
}

void zw_unresolved_add(zw_unresolved *w, const zw_cont_info *info) {
    if (info->rough && w->rough == 0) {
        w->rough_at = info->rough_at;
        w->rough_by = info->rough_by;
    }
    if (info->unsplit && w->unsplit == 0) {
        w->unsplit_at = info->unsplit_at;
        w->unsplit_by = info->unsplit_by;
    }
    w->rough += info->rough;
    w->unsplit += info->unsplit;
}

void zw_unresolved_warning(const zw_unresolved *w, int branch, const zw_parameter_range *over,
                           zw_warnings *out) {
    const char *gap = over->unit[0] ? " " : "";
    if (w->rough) {
        zw_warning d =
            zw_warning_of("place", NAN,
                          "the special point of branch %d near %s = %.6g%s%s is located only "
                          "to about %.0e",
                          branch, over->name, w->rough_at / over->factor, gap, over->unit,
                          w->rough_by / fabs(over->factor));
        zw_warning_hint(&d, "use a shorter range of --over around it: its steps are shorter");
        zw_warnings_add(out, &d);
    }
    if (w->unsplit) {
        zw_warning d =
            zw_warning_of("unsplit", NAN,
                          "near %s = %.9g%s%s, within %.1g, the number of multipliers that "
                          "cross the unit circle does not match the special points located "
                          "there",
                          over->name, w->unsplit_at / over->factor, gap, over->unit,
                          w->unsplit_by / fabs(over->factor));
        zw_warnings_add(out, &d);
    }
}
