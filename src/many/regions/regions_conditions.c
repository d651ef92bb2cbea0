/* SPDX-License-Identifier: MIT */
/* Regions in closed form: a name and a condition of parameters each, "v2: zeta < 1". Nothing is
 * searched or integrated. At a point of the plane at most one of the conditions is true: two are an
 * error that names the point; none gives `elsewhere`, which may have its own name
 * ("v1: elsewhere"). A comparison a < b with a side that has no value leaves the point undecided,
 * for any condition.
 *
 * The borders are exact, independent of the grid: zeros of a - b of each comparison, where the
 * regions on the two sides differ. The sides are evaluated at the distance SIDE_OFFSET of the
 * range. Two conditions that are both true there overlap, even if that is between the points of
 * the grid. */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "formulas/groups/implicit.h"
#include "regions.h"

/* of the range: above the error of a zero, 1e-12, and below everything that a picture shows */
#define SIDE_OFFSET 1e-7

enum { COMPARISONS = ZW_REGION_BORDERS };

struct zw_region_conditions {
    zw_implicit *holds; /* one for each condition: 1 or 0 */
    int elsewhere;      /* the region of this name, -1 if none has it */
    int ncomparison;
    zw_implicit comparison[COMPARISONS]; /* a - b */
    bool overlaps;
    double overlap[2]; /* next to a border */
};

/* -------------------------------------------------------------------------------------- reading */

static zw_status reject_condition(const char *said, zw_error *err) {
    zw_fail(err, ZW_E_OPTION, "--region %s: NAME: CONDITION is expected", said);
    zw_error_hint(err, "--region \"v2: zeta < 1\", of parameters, with <, >, <=, >=, and, or, not");
    return ZW_E_OPTION;
}

static bool is_known(const zw_regions *r, zw_expr difference) {
    const zw_region_conditions *c = r->conditions;
    zw_expr other = zw_neg(r->ctx, difference);
    for (int i = 0; i < c->ncomparison; i++)
        if (c->comparison[i].residual == difference || c->comparison[i].residual == other)
            return true;
    return false;
}

/* Collects the comparisons that a condition consists of. */
static zw_status collect_comparisons(zw_regions *r, const char *said, zw_expr e, zw_error *err) {
    zw_region_conditions *c = r->conditions;
    int n;
    zw_op op = zw_expr_op(r->ctx, e);
    const zw_expr *args = zw_expr_args(r->ctx, e, &n);
    if (op == ZW_OP_AND || op == ZW_OP_OR || op == ZW_OP_NOT) {
        const zw_expr part[2] = {args[0], n > 1 ? args[1] : ZW_NULL};
        for (int i = 0; i < n; i++)
            ZW_TRY(collect_comparisons(r, said, part[i], err));
        return ZW_OK;
    }
    if (op != ZW_OP_LT && op != ZW_OP_LE)
        return reject_condition(said, err);
    zw_expr difference = zw_sub(r->ctx, args[0], args[1]);
    if (is_known(r, difference))
        return ZW_OK;
    if (c->ncomparison == COMPARISONS)
        return zw_fail(err, ZW_E_OPTION, "--region: more than %d comparisons", COMPARISONS);
    return zw_implicit_of(&c->comparison[c->ncomparison++], &r->arena, r->sys, 2, r->over,
                          zw_region_parameters(r, 0), "--region", said, difference, err);
}

static zw_status read_one(zw_regions *r, int k, zw_error *err) {
    const char *said = r->options.region[k], *unit;
    char name[sizeof r->kind->words];
    const char *condition = zw_implicit_name(said, name, sizeof name);
    zw_expr e;
    if (condition == said || !*condition || !name[0])
        return reject_condition(said, err);
    for (int i = 0; i < k; i++)
        if (strcmp(r->kind[i].words, name) == 0)
            return zw_fail(err, ZW_E_OPTION, "--region %s: there is a region of this name", said);
    memcpy(r->kind[k].words, name, sizeof name);
    r->nkind++;
    if (strcmp(condition, "elsewhere") == 0) {
        if (r->conditions->elsewhere >= 0)
            return zw_fail(err, ZW_E_OPTION, "--region %s: elsewhere is %s", said,
                           r->kind[r->conditions->elsewhere].words);
        r->conditions->elsewhere = k;
        return ZW_OK;
    }
    char *text = zw_arena_printf(&r->arena, "if(%s, 1, 0)", condition);
    if (!text)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_model_quantity(&e, &unit, r->sys, "--region", text, err));
    ZW_TRY(zw_implicit_of(&r->conditions->holds[k], &r->arena, r->sys, 2, r->over,
                          zw_region_parameters(r, 0), "--region", said, e, err));
    if (zw_expr_op(r->ctx, e) != ZW_OP_COND)
        return zw_fail(err, ZW_E_OPTION, "--region %s: it does not depend on parameters", said);
    int n;
    return collect_comparisons(r, said, zw_expr_args(r->ctx, e, &n)[0], err);
}

/* --------------------------------------------------------------------------------------- points */

int zw_region_condition_at(const zw_regions *r, const double at[2], int *other) {
    zw_region_conditions *c = r->conditions;
    int found = -1;
    *other = -1;
    for (int i = 0; i < c->ncomparison; i++)
        if (!isfinite(zw_implicit_value(&c->comparison[i], at)))
            return 0;
    for (int k = 0; k < r->options.nregion; k++) {
        if (k == c->elsewhere || zw_implicit_value(&c->holds[k], at) != 1)
            continue;
        if (found >= 0)
            *other = k + 1;
        else
            found = k;
    }
    return 1 + (found >= 0 ? found : c->elsewhere >= 0 ? c->elsewhere : r->options.nregion);
}

static zw_status reject_overlap(zw_regions *r, const double at[2], zw_error *err) {
    int other, one = zw_region_condition_at(r, at, &other);
    zw_fail(err, ZW_E_OPTION,
            "--region: the conditions of '%s' and '%s' both hold at %s = %.10g, %s = %.10g",
            r->kind[one - 1].words, r->kind[other - 1].words, r->over[0].name,
            at[0] / r->over[0].factor, r->over[1].name, at[1] / r->over[1].factor);
    zw_error_hint(
        err,
        "regions must not overlap: add a condition that separates them (and ..., and not ...)");
    return ZW_E_OPTION;
}

static zw_status fill_points(zw_regions *r, zw_error *err) {
    int n = r->options.nregion, other;
    for (int i = 0; i < r->npoint; i++) {
        zw_region_point *at = &r->point[i];
        at->region = zw_region_condition_at(r, at->at, &other);
        if (other >= 0)
            return reject_overlap(r, at->at, err);
        if (at->region == 0) {
            at->why = "a side of a condition has no value";
            continue;
        }
        if (at->region == n + 1 && r->nkind == n) {
            snprintf(r->kind[n].words, sizeof r->kind[n].words, "elsewhere");
            r->nkind++;
        }
        r->kind[at->region - 1].points++;
    }
    for (int i = 0; i < r->options.nmark; i++) {
        zw_region_condition_at(r, r->mark[i], &other);
        if (other >= 0)
            return reject_overlap(r, r->mark[i], err);
    }
    return zw_context_status(r->ctx, err);
}

/* -------------------------------------------------------------------------------------- borders */

static bool is_in_plane(const zw_regions *r, const double at[2]) {
    for (int w = 0; w < 2; w++)
        if (at[w] < fmin(r->over[w].from, r->over[w].to) ||
            at[w] > fmax(r->over[w].from, r->over[w].to))
            return false;
    return true;
}

static bool is_border(zw_regions *r, int axis, const double zero[2]) {
    const zw_parameter_range *o = &r->over[axis];
    double side[2] = {zero[0], zero[1]};
    int other, first = 0;
    for (int k = 0; k < 2; k++) {
        side[axis] = zero[axis] + (k ? SIDE_OFFSET : -SIDE_OFFSET) * (o->to - o->from);
        int here = zw_region_condition_at(r, side, &other);
        if (other >= 0 && is_in_plane(r, side)) {
            r->conditions->overlaps = true;
            memcpy(r->conditions->overlap, side, sizeof side);
        }
        if (k && here != first)
            return true;
        first = here;
    }
    return false;
}

static zw_status draw_borders(zw_regions *r, zw_error *err) {
    for (int i = 0; i < r->conditions->ncomparison; i++) {
        zw_region_curve *c = &r->curve[r->ncurve];
        ZW_TRY(zw_region_trace(r, &r->conditions->comparison[i], is_border, c, err));
        if (r->conditions->overlaps)
            return reject_overlap(r, r->conditions->overlap, err);
        c->name = "";
        r->ncurve += c->n > 0;
    }
    return ZW_OK;
}

zw_status zw_region_assign_conditions(zw_regions *r, zw_error *err) {
    const zw_regions_options *o = &r->options;
    if (o->section || o->scan || o->mirror || o->nsearch) {
        zw_fail(err, ZW_E_OPTION, "--%s searches for what exists, --region gives it in closed form",
                o->nsearch   ? "search"
                : o->section ? "section"
                : o->scan    ? "scan"
                             : "mirror");
        zw_error_hint(err, "make one chart with each");
        return ZW_E_OPTION;
    }
    r->conditions = ZW_NEW(&r->arena, zw_region_conditions, 1);
    if (!r->conditions)
        return zw_out_of_memory(err, NULL);
    r->conditions->elsewhere = -1;
    r->conditions->holds = ZW_NEW(&r->arena, zw_implicit, o->nregion + 1);
    if (!r->conditions->holds)
        return zw_out_of_memory(err, NULL);
    if (o->nregion >= ZW_REGION_KINDS)
        return zw_fail(err, ZW_E_OPTION, "--region: more than %d", ZW_REGION_KINDS - 1);
    for (int k = 0; k < o->nregion; k++)
        ZW_TRY(read_one(r, k, err));
    ZW_TRY(fill_points(r, err));
    return draw_borders(r, err);
}
