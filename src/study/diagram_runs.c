/* SPDX-License-Identifier: MIT */
/* Checks a diagram against runs. In the middle of every range between events the model runs from several starts. The orbit or steady motion on which a run settles must be in the diagram: if it is
 * not, its branch is followed, and events and ranges are computed again. Runs that settle on neither within their steps are counted with the range: motions that are quasi-periodic,
 * chaotic or slow, which the diagram does not contain. */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "diagram.h"

enum { STARTS = 4, RANGES = 8 };
#define FAR 1e4     /* times the sizes of the state: a run that goes to infinity */
#define NARROW 1e-3 /* of the range of the parameter: ranges that are not looked at */

/* entry of the state, and where it may lie */
static int boxes_of(const zw_diagram *d, zw_equilibria_box *room, const zw_equilibria_box **box) {
    if (d->options.nbox > 0) {
        *box = d->options.box;
        return d->options.nbox;
    }
    *box = room;
    return zw_diagram_default_boxes(d, 1, room);
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

/* Has a run gone away from all that the diagram has? */
static bool is_far(const zw_diagram *d, const double *x) {
    const zw_equilibria *e = d->branches->e;
    for (int i = 0; i < e->kernel->nx; i++)
        if (d->branches->period[i] == 0 && fabs(x[i]) > FAR * e->scale[i])
            return true;
    return false;
}

/* One run at a value: *fresh, if it comes to something that the diagram does not have yet; *astray, if to nothing. */
static zw_status follow_run(zw_diagram *d, double value, const double *x, bool *fresh, bool *astray,
                            zw_error *err) {
    zw_orbits *o = d->orbits;
    zw_error trouble = {0};
    int before = o->nmotion, number;
    bool is_new = false;
    zw_status status = zw_orbits_find_at(o, value, x, &number, &trouble);
    bool known = status >= 0 && zw_diagram_knows_orbit(o, number);
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
        *astray = status == ZW_E_NUMERIC && !o->ended_early && !is_far(d, o->ended);
    *fresh |= is_new;
    return status == ZW_E_MEMORY ? zw_diagram_no_memory(err) : ZW_OK;
}

/* the widest ranges, at most RANGES of them */
static bool is_wide(const zw_diagram *d, int i) {
    double own = d->range[i].to - d->range[i].from;
    int wider = 0;
    for (int k = 0; k < d->nrange; k++)
        wider += d->range[k].to - d->range[k].from > own;
    return wider < RANGES && own > NARROW * fabs(d->over.to - d->over.from);
}

zw_status zw_diagram_check_by_runs(zw_diagram *d, bool *fresh, zw_error *err) {
    int nx = d->branches->e->kernel->nx;
    const zw_equilibria_box *box;
    zw_equilibria_box *room = ZW_NEW(&d->arena, zw_equilibria_box, nx + 1);
    double *x = ZW_NEW(&d->arena, double, nx + 1);
    *fresh = false;
    if (d->arena.failed)
        return zw_diagram_no_memory(err);
    if (!d->orbits || d->options.starts == 0)
        return ZW_OK;
    int nbox = boxes_of(d, room, &box),
        starts = d->options.starts < STARTS ? d->options.starts : STARTS;
    for (int i = 0; i < d->nrange && nbox > 0; i++) {
        zw_diagram_range *r = &d->range[i];
        for (int k = 0; k < starts && !d->stopped && is_wide(d, i); k++) {
            bool astray;
            draw_start(d, nbox, box, k, x);
            ZW_TRY(follow_run(d, r->from + ZW_DIAGRAM_WITHIN * (r->to - r->from), x, fresh, &astray,
                              err));
            r->runs++;
            r->astray += astray;
        }
    }
    return ZW_OK;
}
