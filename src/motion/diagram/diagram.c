/* SPDX-License-Identifier: MIT */
/* Steps of a diagram: steady motions of the start and of a search at both ends and in the middle of
 * the range, their branches, and the branches that cross these; then the orbits: from each Hopf
 * point at which none has ended, from the start of the model, and what branches off them.
 *
 * Of mirror images, Hopf points with the same value, frequency and cubic terms at another place,
 * one is followed. */
#include "diagram.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/tolerance.h"

enum {
    VALUES = 3, /* at which steady motions are searched */
    WIDTHS = 3, /* of the boxes of starts */
    CHECKS = 2  /* rounds of runs after which branches may be added */
};
#define MIDDLE_SHIFT 0.0137 /* of the range, from its middle, where special points are frequent */
#define RATE_ZERO ZW_SAME_SOLUTION /* rate along a symmetry in its unit: at rest */
#define DEFAULT_TOLERANCE ZW_SAME_SOLUTION

void zw_diagram_options_init(zw_diagram_options *options, size_t size) {
    const zw_diagram_options all = {.size = size,
                                    .starts = 24,
                                    .most = 384,
                                    .branches = 16,
                                    .orbits = 8,
                                    .points_max = 1000,
                                    .tolerance = DEFAULT_TOLERANCE};
    zw_options_begin(options, size, &all, sizeof all);
}

static bool check_stop(void *user, double done) {
    zw_diagram *d = user;
    d->stopped = d->stopped || (d->options.stop && d->options.stop(d->options.stop_user, done));
    return d->stopped;
}

/* ------------------------------------------------------------------------------- steady motions */

/* All angles, and the neighbourhood of the start in other coordinates. */
int zw_diagram_default_boxes(const zw_diagram *d, double wide, zw_equilibria_box *box) {
    const zw_equilibria *e = d->branches->e;
    int n = 0;
    for (int i = 0; i < e->eq.nq; i++) {
        const char *unit, *name = zw_equilibria_entry(e, i, &unit);
        bool angle = zw_equilibria_is_angle(e, i);
        double x = e->start[i], reach = angle ? M_PI : wide * fmax(e->scale[i], fabs(x));
        box[n++] = (zw_equilibria_box){
            .name = name, .low = angle ? -reach : x - reach, .high = angle ? reach : x + reach};
    }
    return n;
}

static zw_status search_equilibria(zw_diagram *d, zw_error *err) {
    static const double wide[WIDTHS] = {3, 30, 300}; /* times the sizes of coordinates */
    zw_equilibria_search_options o = zw_equilibria_search_options_default();
    zw_equilibria_box *box = ZW_NEW(&d->arena, zw_equilibria_box, d->branches->e->eq.nq + 1);
    if (!box)
        return zw_out_of_memory(err, NULL);
    o.stop = check_stop;
    o.stop_user = d;
    for (int k = 0; k < VALUES * WIDTHS && !d->stopped && d->options.starts > 0; k++) {
        int number = k / WIDTHS;
        double part = (double)number / (VALUES - 1); /* special points lie at round values */
        double value = d->over.from + (d->over.to - d->over.from) *
                                          (part > 0 && part < 1 ? part - MIDDLE_SHIFT : part);
        int found, families = 0, width = k % WIDTHS;
        bool given = d->options.nbox > 0;
        if (given && width > 0)
            continue;
        o.nbox = given ? d->options.nbox : zw_diagram_default_boxes(d, wide[width], box);
        o.box = given ? d->options.box : box;
        int parts = given ? 1 : WIDTHS;
        o.starts = (d->options.starts + parts - 1) / parts;
        o.most = (d->options.most + parts - 1) / parts;
        if (o.nbox == 0)
            break;
        ZW_TRY(zw_branches_search(d->branches, value, &o, &found, &families, err));
        d->families += families;
        const zw_search *s = zw_equilibria_found(d->branches->e);
        d->tried += s->starts;
        if (found > 0 && s->starts >= o.most && s->once > d->found_once) {
            d->found_once = s->once;
            d->found_once_value = value;
        }
    }
    return ZW_OK;
}

static zw_status find_steady(zw_diagram *d, zw_error *err) {
    zw_branches_options o = zw_branches_options_default();
    o.over = d->options.over;
    o.motion = d->options.motion;
    o.anywhere = true;
    o.points_max = d->options.points_max;
    o.stop = check_stop;
    o.stop_user = d;
    ZW_TRY(zw_branches_create(&d->branches, d->sys, &o, err));
    d->over = d->branches->over;
    zw_error trouble = {0};
    zw_status status = zw_branches_follow(d->branches, &trouble);
    if (status < 0 && status != ZW_E_NUMERIC) { /* none near the start, but perhaps elsewhere */
        if (err)
            *err = trouble;
        return status;
    }
    ZW_TRY(search_equilibria(d, err));
    return zw_branches_switch(d->branches, d->options.branches, err);
}

/* --------------------------------------------------------------------------------------- orbits */

/* Record a Hopf point whose orbits are not followed. */
static void record_unfollowed(zw_diagram *d, double value, const char *why) {
    if (d->unfollowed++ > 0)
        return;
    d->unfollowed_value = value;
    snprintf(d->unfollowed_why, sizeof d->unfollowed_why, "%.190s", why);
}

static zw_status follow_hopf(zw_diagram *d, int point, zw_error *err) {
    const zw_branches_point *p = &d->branches->branch.point[point];
    zw_error trouble = {0};
    if (!p->cubic || p->cubic->refused) {
        record_unfollowed(d, p->value, p->cubic ? p->cubic->reason : "there is no normal form");
        return ZW_OK;
    }
    if (zw_diagram_is_reached(d, point))
        return ZW_OK;
    if (d->orbits->nbranch >= d->options.orbits) {
        d->too_many++;
        return ZW_OK;
    }
    zw_status status = zw_orbits_from_point(d->orbits, p->value, &p->cubic->hopf, p->x, &trouble);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    if (status < 0)
        record_unfollowed(d, p->value, trouble.text);
    return ZW_OK;
}

zw_status zw_diagram_follow_from(zw_diagram *d, const double *x, double value, zw_error *err) {
    zw_error trouble = {0};
    int number;
    if (!d->orbits || d->stopped || d->orbits->nbranch >= d->options.orbits)
        return ZW_OK;
    zw_status status = zw_orbits_find_at(d->orbits, value, x, &number, &trouble);
    if (status >= 0 && !zw_diagram_knows_orbit(d, number))
        status = zw_orbits_follow(d->orbits, number, &trouble);
    return status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : ZW_OK;
}

/* The orbit to which the start of the model leads, if there is one. */
static zw_status follow_start(zw_diagram *d, zw_error *err) {
    double low = fmin(d->over.from, d->over.to), high = fmax(d->over.from, d->over.to);
    return zw_diagram_follow_from(d, NULL,
                                  fmin(fmax(d->branches->e->p[d->over.parameter], low), high), err);
}

zw_status zw_diagram_follow_hopf_points(zw_diagram *d, zw_error *err) {
    const zw_branches_list *l = &d->branches->branch;
    for (int i = 0; i < l->n && !d->stopped; i++)
        if (l->point[i].kind == ZW_STEADY_HOPF && zw_diagram_image_of(d, i) < 0)
            ZW_TRY(follow_hopf(d, i, err));
    return ZW_OK;
}

/* The branches that leave the known orbits. */
static zw_status switch_orbits(zw_diagram *d, zw_error *err) {
    int left = d->options.orbits - d->orbits->nbranch;
    if (left <= 0 || d->stopped || d->orbits->nbranch == 0)
        return ZW_OK;
    zw_error trouble = {0};
    zw_status status = zw_orbits_switch(d->orbits, left, NULL, &trouble);
    return status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : ZW_OK;
}

static zw_status find_orbits(zw_diagram *d, zw_error *err) {
    zw_orbits_options o = zw_orbits_options_default();
    zw_branches *b = d->branches;
    o.over = d->options.over;
    o.motion = d->options.motion;
    o.points_max = d->options.points_max;
    o.tolerance = d->options.tolerance;
    o.stop = check_stop;
    o.stop_user = d;
    if (d->over.parameter < 0 || d->stopped || d->options.orbits == 0)
        return ZW_OK;
    zw_error trouble = {0};
    zw_status created = zw_orbits_create(&d->orbits, d->sys, &o, &trouble);
    if ((created == ZW_E_MODEL || created == ZW_E_OPTION) &&
        b->branch.ncurve > 0) { /* equilibria are reported in any case */
        snprintf(d->no_orbits, sizeof d->no_orbits, "%.190s", trouble.text);
        return ZW_OK;
    }
    if (created < 0) {
        if (err && !err->status)
            *err = trouble;
        return created;
    }
    ZW_TRY(zw_diagram_find_mirrors(d, err));
    ZW_TRY(zw_diagram_follow_hopf_points(d, err));
    ZW_TRY(follow_start(d, err));
    return switch_orbits(d, err);
}

/* --------------------------------------------------------------------------------------- create */

static zw_status build_diagram(zw_diagram *d, zw_error *err) {
    ZW_TRY(find_steady(d, err));
    ZW_TRY(find_orbits(d, err));
    if (d->branches->branch.ncurve == 0 && (!d->orbits || d->orbits->nbranch == 0)) {
        zw_fail(err, ZW_E_NUMERIC,
                "neither steady motions nor orbits were found over %s from %d starts at %d values",
                d->over.name, d->tried, VALUES);
        zw_error_hint(err, "search elsewhere with --search NAME=LOW:HIGH, or with more --starts");
        return ZW_E_NUMERIC;
    }
    for (int round = 0;; round++) {
        bool fresh = false;
        d->nevent = d->nrange = d->cut = d->unpaired = 0;
        ZW_TRY(zw_diagram_find_events(d, err));
        ZW_TRY(zw_diagram_find_ranges(d, err));
        if (round < CHECKS)
            ZW_TRY(zw_diagram_check_by_runs(d, &fresh, err));
        if (!fresh)
            return ZW_OK;
        ZW_TRY(switch_orbits(d, err));
    }
}

zw_status zw_diagram_create(zw_diagram **out, const zw_system *sys,
                            const zw_diagram_options *options, zw_error *err) {
    assert(out && sys);
    zw_allocator alloc = zw_context_allocator(sys->ctx);
    zw_diagram *d = zw_allocate(&alloc, sizeof *d);
    *out = NULL;
    if (!d)
        return zw_out_of_memory(err, NULL);
    *d = (zw_diagram){.sys = sys, .options = zw_diagram_options_default()};
    zw_arena_init(&d->arena, &alloc);
    zw_status status =
        zw_options_adopt(&d->options, sizeof d->options, options, "zw_diagram_options", err);
    if (status >= 0)
        status = build_diagram(d, err);
    if (status < 0)
        zw_diagram_destroy(d);
    else
        *out = d;
    return status;
}

void zw_diagram_destroy(zw_diagram *d) {
    if (!d)
        return;
    zw_allocator alloc = d->arena.alloc;
    zw_orbits_destroy(d->orbits);
    zw_branches_destroy(d->branches);
    zw_arena_clear(&d->arena);
    zw_release(&alloc, d, sizeof *d);
}

const zw_branches *zw_diagram_branches(const zw_diagram *d) {
    return d->branches;
}

const zw_orbits *zw_diagram_orbits(const zw_diagram *d) {
    return d->orbits;
}

int zw_diagram_events(const zw_diagram *d) {
    return d->nevent;
}

const zw_diagram_event *zw_diagram_event_at(const zw_diagram *d, int i) {
    assert(i >= 0 && i < zw_diagram_events(d));
    return &d->event[i];
}

int zw_diagram_ranges(const zw_diagram *d) {
    return d->nrange;
}

const zw_diagram_range *zw_diagram_range_at(const zw_diagram *d, int i) {
    assert(i >= 0 && i < zw_diagram_ranges(d));
    return &d->range[i];
}

bool zw_diagram_stopped(const zw_diagram *d) {
    return d->stopped;
}

/* Between two events no motion appears or vanishes. */
static void warn_counts(const zw_diagram *d, zw_warnings *out) {
    int n = 0, first = 0;
    for (int i = 0; i < d->nrange; i++)
        if (d->range[i].varies && n++ == 0)
            first = i;
    if (n == 0)
        return;
    zw_warning warning = zw_warning_of(
        "counts", NAN,
        "between %s = %.10g and %.10g%s%s the number of motions changes, although no event was "
        "found there",
        d->over.name, d->range[first].from / d->over.factor, d->range[first].to / d->over.factor,
        d->over.unit[0] ? " " : "", d->over.unit);
    if (n > 1)
        zw_warning_hint(&warning,
                        "and in %d further ranges; use a shorter --over: its steps are shorter",
                        n - 1);
    else
        zw_warning_hint(&warning, "use a shorter --over: its steps are shorter");
    zw_warnings_add(out, &warning);
}

void zw_diagram_warnings(const zw_diagram *d, zw_warnings *out) {
    warn_counts(d, out);
    const zw_parameter_range *o = &d->over;
    zw_branches_warnings(d->branches, out);
    if (d->stopped) {
        zw_warning n = zw_warning_of("stopped", NAN,
                                     "it was stopped on the way: what would have come "
                                     "is not here");
        if (!zw_warnings_again(out, "stopped", NAN, NAN))
            zw_warnings_add(out, &n);
    }
    if (d->orbits)
        zw_orbits_warnings(d->orbits, out);
    if (d->unfollowed) {
        zw_warning n = zw_warning_of(
            "unborn", NAN, "the orbits of %d Hopf point%s were not followed; at %s = %.9g: %s",
            d->unfollowed, d->unfollowed == 1 ? "" : "s", o->name, d->unfollowed_value / o->factor,
            d->unfollowed_why);
        zw_warnings_add(out, &n);
    }
    bool turning = false;
    for (int i = 0; i < d->branches->branch.n && d->branches->ns > 0; i++)
        for (int k = 0; k < d->branches->ns; k++)
            turning |= fabs(d->branches->branch.point[i].rate[k]) > RATE_ZERO;
    if (turning && d->orbits && d->orbits->nbranch > 0) {
        zw_warning n = zw_warning_of(
            "turning", NAN,
            "motions along a symmetry of the model are reported as steady motions, perhaps more "
            "than once, and as orbits too: both numbers count them");
        zw_warnings_add(out, &n);
    }
    if (d->cut) {
        zw_warning n = zw_warning_of(
            "cut", NAN,
            "orbits were not followed further %d time%s, at %s = %.9g first: beyond it they may be "
            "there all the same",
            d->cut, d->cut == 1 ? "" : "s", o->name, d->cut_value / o->factor);
        zw_warnings_add(out, &n);
    }
    if (d->unpaired) {
        zw_warning n = zw_warning_of(
            "unpaired", NAN,
            "%d special point%s not have the branches of orbits that must end there, at %s = %.9g "
            "first: the number of orbits near it is not known",
            d->unpaired, d->unpaired == 1 ? " does" : "s do", o->name,
            d->unpaired_value / o->factor);
        zw_warnings_add(out, &n);
    }
    if (d->too_many) {
        zw_warning n = zw_warning_of(
            "many orbits", NAN, "%d Hopf point%s left out: there are too many branches of orbits",
            d->too_many, d->too_many == 1 ? " was" : "s were");
        zw_warning_hint(&n, "--orbits-max takes more");
        zw_warnings_add(out, &n);
    }
    if (d->found_once && d->options.most > d->options.starts) {
        zw_warning n = zw_warning_of(
            "found once", NAN,
            "there are probably more steady motions: at %s = %.6g, %d of those that were found "
            "%s found by one start only",
            o->name, d->found_once_value / o->factor, d->found_once,
            d->found_once == 1 ? "was" : "were");
        zw_warning_hint(&n, "use more --starts, or give a region with --search NAME=LOW:HIGH");
        zw_warnings_add(out, &n);
    }
    if (d->families) {
        zw_warning n = zw_warning_of("families", NAN,
                                     "%d time%s a family of steady motions was found that no "
                                     "--hold makes unique: it is not followed",
                                     d->families, d->families == 1 ? "" : "s");
        zw_warning_hint(&n, "choose one of them with --hold NAME");
        zw_warnings_add(out, &n);
    }
    if (d->no_orbits[0]) {
        zw_warning n = zw_warning_of("no orbits", NAN, "orbits are not followed: %s", d->no_orbits);
        zw_warnings_add(out, &n);
    }
    if (d->over.parameter < 0) {
        zw_warning n = zw_warning_of("held", NAN,
                                     "%s is held, no parameter: orbits are not followed", o->name);
        zw_warnings_add(out, &n);
    }
}
