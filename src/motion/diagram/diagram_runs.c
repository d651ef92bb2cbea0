/* SPDX-License-Identifier: MIT */
/* Checks a diagram by runs. In the middle of the widest ranges between events, near their ends
 * where orbits end, and at both ends of the diagram, the model runs from several starts and from
 * points close to unstable steady motions, on both sides. The orbit or steady motion to which a run
 * settles must be in the diagram: if not, its branch is followed, and events and ranges are
 * computed again. Runs that settle to neither within their steps are counted with the range:
 * motions that are quasi-periodic, chaotic or slow, which the diagram does not contain. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "diagram.h"

enum {
    STARTS = 4,  /* at a value */
    RANGES = 8,  /* the widest ones that are checked */
    UNSTABLE = 2 /* steady motions at a value from which runs start */
};
/* times the sizes of the state: a run that goes to infinity; bounded motions are seldom a hundred
 * sizes large */
#define RUN_DIVERGES 1e4
/* of the sizes of the state, from an unstable steady motion: 7 e-times before the run leaves it */
#define START_DISTANCE 1e-3
/* of a range: distance of a run from its end; near enough to meet motions that exist only there,
 * chosen by trial */
#define RANGE_END 0.01
/* of the range of the parameter: narrower ranges are not checked, their events being close to each
 * other */
#define RANGE_NARROW 1e-3

/* The boxes of starts: those of the options, or the default ones. */
static int choose_boxes(const zw_diagram *d, zw_equilibria_box *own,
                        const zw_equilibria_box **box) {
    if (d->options.nbox > 0) {
        *box = d->options.box;
        return d->options.nbox;
    }
    *box = own;
    return zw_diagram_default_boxes(d, 1, own);
}

static void draw_start(const zw_diagram *d, int nbox, const zw_equilibria_box *box, int number,
                       double *x) {
    const zw_equilibria *e = d->branches->e;
    zw_random random = zw_random_stream(11, (uint64_t)number);
    memcpy(x, e->start, sizeof(double) * (size_t)e->kernel->nx);
    for (int i = 0; i < nbox; i++) {
        int entry = zw_equilibria_find_entry(e, box[i].name);
        if (entry >= 0)
            x[entry] = zw_random_real(&random, box[i].low, box[i].high);
    }
}

/* Displace a state by a part of its sizes, in a general direction: what grows fastest soon
 * dominates. */
static void displace_state(const zw_diagram *d, double part, double *x) {
    const zw_equilibria *e = d->branches->e;
    zw_random random = zw_random_stream(12, 0);
    for (int i = 0; i < e->kernel->nx; i++)
        x[i] += part * e->scale[i] * zw_random_real(&random, 0.5, 1);
}

/* Has a run diverged from everything in the diagram? */
static bool has_diverged(const zw_diagram *d, const double *x) {
    const zw_equilibria *e = d->branches->e;
    for (int i = 0; i < e->kernel->nx; i++)
        if (d->branches->period[i] == 0 && fabs(x[i]) > RUN_DIVERGES * e->scale[i])
            return true;
    return false;
}

/* One run at a value. *fresh: it leads to a motion that the diagram lacks; *astray: it settles to
 * none. */
static zw_status follow_run(zw_diagram *d, double value, const double *x, bool *fresh, bool *astray,
                            zw_error *err) {
    zw_orbits *o = d->orbits;
    zw_error trouble = {0};
    int before = o->nmotion, number;
    bool is_new = false;
    zw_status status = zw_orbits_find_at(o, value, x, &number, &trouble);
    bool known = status >= 0 && zw_diagram_knows_orbit(d, number);
    /* an orbit that does not attract is one of many near which a run may come by chance */
    *astray = status >= 0 && !known && o->motion[number].verdict == ZW_FLOQUET_UNSTABLE;
    if (status >= 0 && (known || *astray || o->nbranch >= d->options.orbits))
        o->nmotion = before;
    else if (status >= 0) {
        status = zw_orbits_follow(o, number, &trouble);
        is_new = status >= 0;
    } else if (status == ZW_E_NUMERIC && o->ended_at_rest) {
        status = zw_branches_follow_from(d->branches, o->ended, value, &is_new, &trouble);
        if (status >= 0 && is_new)
            status = zw_diagram_follow_hopf_points(d, err);
    } else
        *astray = status == ZW_E_NUMERIC && !o->ended_early && !has_diverged(d, o->ended);
    *fresh |= is_new;
    return status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : ZW_OK;
}

/* Is range i one of the RANGES widest, and not narrow? */
static bool is_wide(const zw_diagram *d, int i) {
    double own = d->range[i].to - d->range[i].from;
    int wider = 0;
    for (int k = 0; k < d->nrange; k++)
        wider += d->range[k].to - d->range[k].from > own;
    return wider < RANGES && own > RANGE_NARROW * fabs(d->over.to - d->over.from);
}

/* Runs at one value of a range, from starts in the boxes and from unstable steady motions. x:
 * nx. */
static zw_status run_at(zw_diagram *d, zw_diagram_range *r, double part, int nbox,
                        const zw_equilibria_box *box, double *x, bool *fresh, zw_error *err) {
    double value = r->from + part * (r->to - r->from);
    bool astray;
    for (int k = 0; k < STARTS && k < d->options.starts && nbox > 0 && !d->stopped; k++) {
        draw_start(d, nbox, box, k, x);
        ZW_TRY(follow_run(d, value, x, fresh, &astray, err));
        r->runs++;
        r->astray += astray;
    }
    for (int k = 0, found = 0; k + 1 < d->branches->branch.n && found < UNSTABLE; k++) {
        if (d->branches->branch.point[k].growing <= 0 || !zw_diagram_steady_at(d, k, value, x))
            continue;
        found++;
        for (int side = -1; side <= 1 && !d->stopped; side += 2) {
            zw_diagram_steady_at(d, k, value, x);
            displace_state(d, side * START_DISTANCE, x);
            ZW_TRY(follow_run(d, value, x, fresh, &astray, err));
        }
    }
    return ZW_OK;
}

/* Do orbits end at a connection here? Others may begin there. */
static bool orbits_end_at(const zw_diagram *d, double value) {
    double near =
        RANGE_NARROW * fabs(d->over.to - d->over.from); /* within a range that is not checked */
    for (int i = 0; i < d->nevent; i++)
        if (fabs(d->event[i].value - value) <= near &&
            (d->event[i].kind == ZW_DIAGRAM_HOMOCLINIC ||
             d->event[i].kind == ZW_DIAGRAM_HETEROCLINIC ||
             d->event[i].kind == ZW_DIAGRAM_ORBIT_END))
            return true;
    return false;
}

zw_status zw_diagram_check_by_runs(zw_diagram *d, bool *fresh, zw_error *err) {
    int nx = d->branches->e->kernel->nx;
    const zw_equilibria_box *box;
    zw_equilibria_box *own = ZW_NEW(&d->arena, zw_equilibria_box, nx + 1);
    double *x = ZW_NEW(&d->arena, double, nx + 1);
    *fresh = false;
    if (d->arena.failed)
        return zw_out_of_memory(err, NULL);
    if (!d->orbits || d->options.starts == 0)
        return ZW_OK;
    int nbox = choose_boxes(d, own, &box);
    for (int i = 0; i < d->nrange && nbox > 0; i++) {
        zw_diagram_range *r = &d->range[i];
        bool wide = is_wide(d, i);
        if (wide)
            ZW_TRY(run_at(d, r, ZW_DIAGRAM_WITHIN, nbox, box, x, fresh, err));
        if ((wide && orbits_end_at(d, r->from)) || i == 0)
            ZW_TRY(run_at(d, r, RANGE_END, nbox, box, x, fresh, err));
        if ((wide && orbits_end_at(d, r->to)) || i == d->nrange - 1)
            ZW_TRY(run_at(d, r, 1 - RANGE_END, nbox, box, x, fresh, err));
    }
    return ZW_OK;
}
