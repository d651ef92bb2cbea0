/* SPDX-License-Identifier: MIT */
/* Branches of orbits that are born at Hopf points, where a pair of eigenvalues of an equilibrium
 * crosses the imaginary axis over the range: the normal form with its quadratic terms gives a small
 * cycle, and the branch begins with it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "motion/segments/periodic.h"
#include "orbits.h"
#include "zwang/linear.h"

/* Relative to the range: Hopf points this far beyond its ends count as at the ends, and orbits this
 * near to an end as outside. Well above the error of located points. */
#define END_MARGIN 1e-6
/* Fraction of the amplitude up to which the normal form is valid at which the branch begins, and of
 * the width of a coordinate; the radius if neither is known. Newton's method corrects the rest. */
#define START_VALIDITY 0.3
#define START_WIDTH 0.02
#define START_RADIUS 1e-2

typedef struct cycle { /* x0 + r Re(q e^(i theta)) + r^2 (mean + Re(second e^(2 i theta))) */
    const zw_hopf *h;
    const double *x0;
    double r;
    int nx;
} cycle;

static zw_status cycle_at(void *user, double t, double *x, zw_error *err) {
    const cycle *c = user;
    double theta = c->h->omega * t, r = c->r;
    (void)err;
    for (int i = 0; i < c->nx; i++)
        x[i] = c->x0[i] + r * (c->h->q_re[i] * cos(theta) - c->h->q_im[i] * sin(theta)) +
               r * r *
                   (c->h->mean[i] + c->h->second_re[i] * cos(2 * theta) -
                    c->h->second_im[i] * sin(2 * theta));
    return ZW_OK;
}

static void skip_point(zw_orbits *o, double value, const char *why) {
    if (o->hopf_skipped++ > 0)
        return;
    o->hopf_skipped_value = value;
    snprintf(o->hopf_skipped_why, sizeof o->hopf_skipped_why, "%.250s", why);
}

/* the radius of the first cycle: within the validity of the cubic terms, and small in the model */
static double radius_of(const zw_orbits *o, const zw_hopf *h) {
    double r = isfinite(h->holds) && h->holds > 0 ? START_VALIDITY * h->holds : INFINITY;
    for (int i = 0; i < o->sys->nq; i++) {
        double q = hypot(h->q_re[i], h->q_im[i]);
        if (q > 0)
            r = fmin(r, START_WIDTH * o->width[i] / q);
    }
    return isfinite(r) ? r : START_RADIUS;
}

static zw_status follow_cycle(zw_orbits *o, double value, const zw_hopf *h, const double *x0,
                              zw_error *err) {
    cycle c = {.h = h, .x0 = x0, .r = radius_of(o, h), .nx = o->nx};
    zw_orbit about = {.start = 0, .period = 2 * M_PI / h->omega, .at = cycle_at, .user = &c};
    double period, slope;
    int branch;
    ZW_TRY(zw_orbits_set(o, value, o->now, &period, &slope, err));
    zw_orbits_close(o, x0, x0);
    ZW_TRY(zw_orbits_begin(o, &about, 0, NULL, err));
    ZW_TRY(zw_colloc_refer(o->c, o->x, zw_orbits_inner_value(o, o->x, value), err));
    int stride = o->nx * (o->options.stages + 1), n = zw_orbits_problem(o).n;
    memset(o->tangent, 0, sizeof(double) * (size_t)(n + 1));
    for (int j = 0; j < zw_colloc_intervals(o->c); j++)
        for (int i = 0; i < o->nx; i++)
            o->tangent[j * stride + i] = o->x[j * stride + i] - x0[i];
    if ((branch = zw_orbits_new_branch(o)) < 0)
        return zw_out_of_memory(err, NULL);
    o->branch[branch].hopf = value;
    o->branch[branch].end[0] = ZW_CONT_GOES_ON; /* the branch begins at the Hopf point */
    zw_status status = zw_orbits_follow_side(o, branch, 1, value, true, 1, false, err);
    o->branch[branch].n = o->nmotion - o->branch[branch].first;
    return status;
}

zw_status zw_orbits_from_point(zw_orbits *o, double value, const zw_hopf *hopf, const double *x,
                               zw_error *err) {
    if (!o->has_over)
        return zw_fail(err, ZW_E_OPTION, "a Hopf point needs a parameter (--over)");
    if (hopf->nx != o->nx)
        return zw_fail(err, ZW_E_MODEL, "the states of the equilibrium and of the orbits differ");
    return follow_cycle(o, value, hopf, x, err);
}

static zw_status follow_points(zw_orbits *o, zw_locus *l, int *born, zw_error *err) {
    const zw_track *track = zw_locus_track(l);
    const zw_steady_way *path = zw_locus_way(l);
    for (int k = 0; k < track->nmark && !o->stopped; k++) {
        const zw_track_mark *mark = &track->mark[k];
        const zw_criticality *cubic = zw_locus_criticality(l, k);
        zw_error trouble = {0};
        if (mark->kind != ZW_TRACK_HOPF)
            continue;
        if (!cubic || cubic->refused) {
            skip_point(o, mark->value, cubic ? cubic->reason : "there is no normal form");
            continue;
        }
        ZW_TRY(zw_follow_to(path->follow, mark->value, err));
        const zw_steady *at = zw_follow_motion(path->follow);
        if (cubic->hopf.nx != o->nx)
            return zw_fail(err, ZW_E_MODEL,
                           "the states of the equilibrium and of the orbits differ");
        double low = fmin(o->over.from, o->over.to), high = fmax(o->over.from, o->over.to),
               margin = END_MARGIN * (high - low), value = fmin(fmax(mark->value, low), high);
        int before = o->nmotion;
        zw_status status = follow_cycle(o, value, &cubic->hopf, at->x, &trouble);
        if (status == ZW_E_MEMORY)
            return zw_out_of_memory(err, NULL);
        bool outside = value <= low || value >= high;
        for (int i = before; i < o->nmotion; i++)
            outside &= o->motion[i].value < low + margin || o->motion[i].value > high - margin;
        if (status >= 0 && outside) { /* the branch leaves the range */
            o->nmotion = before;
            o->nbranch--;
            skip_point(o, value, "its orbits lie beyond this end of the range");
        } else if (status < 0)
            skip_point(o, mark->value, trouble.text);
        else
            ++*born;
    }
    return ZW_OK;
}

/* the Hopf points of the equilibrium over a range */
static zw_status search_range(zw_orbits *o, const char *over, int *born, zw_error *err) {
    zw_locus *l = NULL;
    zw_locus_options options = zw_locus_options_default();
    options.over = over;
    options.motion = o->options.motion;
    options.stop = o->options.stop;
    options.stop_user = o->options.stop_user;
    zw_status status = zw_locus_create(&l, o->sys, &options, err);
    if (status >= 0)
        status = follow_points(o, l, born, err);
    zw_locus_destroy(l);
    return status;
}

zw_status zw_orbits_from_hopf(zw_orbits *o, int *born, zw_error *err) {
    *born = 0;
    if (!o->has_over)
        return zw_fail(err, ZW_E_OPTION, "a Hopf point needs a parameter (--over)");
    if (!o->autonomous)
        return zw_fail(err, ZW_E_MODEL,
                       "the model is driven (time enters its equations), so it has no equilibria");
    ZW_TRY(search_range(o, o->options.over, born, err));
    if (*born || o->hopf_skipped || o->stopped)
        return ZW_OK;
    /* a pair that crosses at an end of the range is found from slightly beyond it; other failures
     * there do not matter */
    char wider[ZW_PARAMETER_RANGE_NAME + ZW_PARAMETER_RANGE_UNIT + 80];
    double more = END_MARGIN * (o->over.to - o->over.from), factor = o->over.factor;
    zw_error trouble = {0};
    snprintf(wider, sizeof wider, o->over.unit[0] ? "%s=%.17g:%.17g [%s]" : "%s=%.17g:%.17g%s",
             o->over.name, (o->over.from - more) / factor, (o->over.to + more) / factor,
             o->over.unit);
    zw_status status = search_range(o, wider, born, &trouble);
    return status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : ZW_OK;
}
