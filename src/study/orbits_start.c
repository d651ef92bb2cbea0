/* SPDX-License-Identifier: MIT */
/* Where orbits come from. A run of the model from its start, over as many steps as its method takes (they know how fast the motion is), ends at a
 * state; going back in time, the distance from it, in units of how far every entry goes, first grows and then falls again: where it is least
 * for the first time below a limit, one period has passed. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "orbits.h"
#include "zwang/locus.h"
#include "zwang/run.h"

#define AWAY 0.3  /* of the size of the motion: it has left */
#define BACK 0.05 /* and it is back */

/* ------------------------------------------------------------------------------------------------- the record */

typedef struct record {
    zw_orbits *o;
    int n, room;
    double *t, *x, *rate; /* room, room x nx */
} record;

static zw_status note(void *user, zw_run *run, double t0, double t1, zw_error *err) {
    record *r = user;
    int nx = r->o->nx, at = r->n % r->room;
    (void)t0;
    r->t[at] = t1;
    ZW_TRY(zw_run_dense(run, t1, r->x + (size_t)at * (size_t)nx, err));
    r->n++;
    if (r->n >= r->o->options.steps)
        zw_run_pause(run);
    return ZW_OK;
}

static const double *state_of(const record *r, int k) {
    return r->x + (size_t)(k % r->room) * (size_t)r->o->nx;
}

static zw_status start_state(zw_orbits *o, double *x, zw_error *err) {
    const zw_system *s = o->sys;
    double *start = ZW_NEW(&o->arena, double, s->nq + s->nv + 1);
    bool *fixed = ZW_NEW(&o->arena, bool, s->nq + s->nv + 1);
    if (o->arena.failed)
        return zw_orbits_no_memory(err);
    ZW_TRY(zw_system_start_state(s, o->now, start, fixed, err));
    ZW_TRY(zw_equations_state(&o->eq, 0, o->now, start, x, err));
    ZW_TRY(zw_flow_set_parameters(o->flow, o->now, err));
    return zw_flow_project(o->flow, 0, x, NULL, err);
}

static zw_status comes_to_rest(zw_error *err) {
    zw_fail(err, ZW_E_NUMERIC,
            "the start of the model comes to a steady motion: it leads to no orbit");
    zw_error_hint(err, "another start (--set x=...), or orbits that are born where a steady motion "
                       "loses its stability (--from hopf)");
    return ZW_E_NUMERIC;
}

/* as many steps as were asked for */
static zw_status run_steps(record *r, zw_run *run, zw_error *err) {
    int event;
    for (double until = 1; r->n < r->o->options.steps; until *= 2) {
        zw_status status = ZW_EVENT;
        while (status == ZW_EVENT && r->n < r->o->options.steps)
            status = zw_run_advance(run, until, &event, err);
        if (status < 0)
            return status;
        if (until > 1e9) /* steps have become so long that nothing can move */
            return comes_to_rest(err);
    }
    return ZW_OK;
}

static zw_status run_from_start(zw_orbits *o, record *r, zw_error *err) {
    zw_run_options options = zw_run_options_default();
    zw_run *run = NULL;
    double *x = ZW_NEW(&o->arena, double, o->nx + 1);
    options.rtol = 1e-8;
    options.atol = 1e-11;
    *r = (record){.o = o, .room = o->options.steps};
    r->t = ZW_NEW(&o->arena, double, r->room + 1);
    r->x = ZW_NEW(&o->arena, double, (size_t)r->room *(size_t)o->nx + 1);
    r->rate = ZW_NEW(&o->arena, double, (size_t)r->room *(size_t)o->nx + 1);
    if (o->arena.failed)
        return zw_orbits_no_memory(err);
    ZW_TRY(start_state(o, x, err));
    ZW_TRY(zw_run_create(&run, o->kernel, o->now, &options, err));
    zw_run_on_want(run, zw_kernel_serve, o->kernel);
    zw_run_on_piece(run, note, r);
    zw_status status = zw_run_start(run, 0, x, err);
    if (status >= 0)
        status = run_steps(r, run, err);
    zw_run_destroy(run);
    if (status >= 0)
        status = zw_flow_renew(o->flow, err);
    for (int k = 0; status >= 0 && k < r->room; k++)
        status = zw_flow_rates(o->flow, r->t[k], state_of(r, k), r->rate + (size_t)(k * o->nx),
                               NULL, err);
    return status;
}

/* ------------------------------------------------------------------------------------------------- the period */

/* sizes of the last half, 0 for what needs not come back */
static void find_swings(const record *r, double *swing) {
    const zw_orbits *o = r->o;
    int entry[1024], n = o->nx <= 1024 ? zw_flow_essential(o->flow, entry) : 0;
    for (int i = 0; i < o->nx; i++)
        swing[i] = 0;
    for (int l = 0; l < n; l++) {
        int i = entry[l];
        double low = INFINITY, high = -INFINITY;
        for (int k = r->n / 2; k < r->n; k++) {
            low = fmin(low, state_of(r, k)[i]);
            high = fmax(high, state_of(r, k)[i]);
        }
        swing[i] = high - low;
    }
}

static double apart(const record *r, const double *swing, int k, const double *from) {
    double sum = 0;
    int n = 0;
    for (int i = 0; i < r->o->nx; i++)
        if (swing[i] > 0) {
            double d = (state_of(r, k)[i] - from[i]) / swing[i];
            sum += d * d;
            n++;
        }
    return n ? sqrt(sum / n) : 0;
}

/* where it moves as from `from` between records k and k + 1: the time of the least distance of the chord */
static double nearest(const record *r, const double *swing, int k, const double *from) {
    double along = 0, length = 0;
    for (int i = 0; i < r->o->nx; i++)
        if (swing[i] > 0) {
            double step = (state_of(r, k + 1)[i] - state_of(r, k)[i]) / swing[i],
                   to = (from[i] - state_of(r, k)[i]) / swing[i];
            along += step * to;
            length += step * step;
        }
    double s = length > 0 ? fmin(fmax(along / length, 0), 1) : 0;
    return r->t[k] + s * (r->t[k + 1] - r->t[k]);
}

static zw_status find_period(const record *r, double *period, zw_error *err) {
    zw_orbits *o = r->o;
    double *swing = ZW_NEW(&o->arena, double, o->nx + 1), most = 0, best = INFINITY;
    const double *end = state_of(r, r->n - 1);
    bool away = false;
    int at = -1;
    if (!swing)
        return zw_orbits_no_memory(err);
    find_swings(r, swing);
    for (int i = 0; i < o->sys->nq; i++)
        most = fmax(most, swing[i] / fmax(o->width[i], 1e-300));
    for (int i = o->sys->nq; i < o->nx; i++)
        most = fmax(most, swing[i] > 0 ? 1e-6 : 0);
    if (!(most > 1e-5)) {
        return comes_to_rest(err);
    }
    for (int k = r->n - 2; k >= 0; k--) {
        double d = apart(r, swing, k, end);
        away |= d > AWAY;
        if (!away)
            continue;
        if (d < BACK && d < best) {
            best = d;
            at = k;
        }
        if (at >= 0 && d > AWAY)
            break;
    }
    if (at < 0) {
        zw_fail(err, ZW_E_NUMERIC,
                "the motion from the start of the model does not come back to where it was, in %d "
                "steps up to t = %.6g s",
                r->n, r->t[r->n - 1]);
        zw_error_hint(err, "--steps runs longer, --period says about how long it takes; it may be "
                           "quasi-periodic or chaotic");
        return ZW_E_NUMERIC;
    }
    int from = at > 0 && apart(r, swing, at - 1, end) < apart(r, swing, at + 1, end) ? at - 1 : at;
    *period = r->t[r->n - 1] - nearest(r, swing, from, end);
    return ZW_OK;
}

/* cubic polynomials through the records */
static zw_status record_at(void *user, double t, double *x, zw_error *err) {
    const record *r = user;
    int nx = r->o->nx, low = 0, high = r->n - 1;
    (void)err;
    while (high - low > 1) {
        int mid = (low + high) / 2;
        *(t < r->t[mid] ? &high : &low) = mid;
    }
    double h = r->t[high] - r->t[low], s = (t - r->t[low]) / h, s2 = s * s, s3 = s2 * s;
    const double *a = state_of(r, low), *b = state_of(r, high), *da = r->rate + (size_t)(low * nx),
                 *db = r->rate + (size_t)(high * nx);
    for (int i = 0; i < nx; i++)
        x[i] = (2 * s3 - 3 * s2 + 1) * a[i] + (3 * s2 - 2 * s3) * b[i] +
               h * ((s3 - 2 * s2 + s) * da[i] + (s3 - s2) * db[i]);
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------------------- is it that one? */

enum { LOOKS = 40, PARTS_MAX = 60 };
#define SAME_PART 1e-5 /* of the orbit: it is the same a part of the period later */
#define ANOTHER 0.3    /* of its size: an orbit that is not where the run was */

/* the orbit in o->x k times faster */
typedef struct part {
    const zw_orbits *o;
    const double *x;
    double period;
    int k;
} part;

static zw_status part_at(void *user, double t, double *x, zw_error *err) {
    const part *p = user;
    double tau = t / (p->period * p->k);
    (void)err;
    zw_colloc_state(p->o->c, p->x, tau - floor(tau), x, NULL);
    return ZW_OK;
}

/* is the orbit the same after one k-th of its period? */
static bool repeats(const zw_orbits *o, int k, const bool *counts, double *a, double *b) {
    for (int i = 0; i < LOOKS; i++) {
        double tau = (double)i / LOOKS, later = tau + 1. / k;
        zw_colloc_state(o->c, o->x, tau, a, NULL);
        zw_colloc_state(o->c, o->x, later - floor(later), b, NULL);
        for (int r = 0; r < o->nx; r++)
            if (counts[r] && fabs(a[r] - b[r]) > SAME_PART * o->scale[r])
                return false;
    }
    return true;
}

static bool *essential_of(zw_orbits *o) {
    int *entry = ZW_NEW(&o->arena, int, o->nx + 1);
    bool *counts = ZW_NEW(&o->arena, bool, o->nx + 1);
    if (o->arena.failed)
        return NULL;
    for (int i = zw_flow_essential(o->flow, entry) - 1; i >= 0; i--)
        counts[entry[i]] = true;
    return counts;
}

/* A run may come back more closely after several periods than after one: the shortest counts. */
static zw_status shorten_period(zw_orbits *o, double value, zw_error *err) {
    bool *counts = essential_of(o);
    double *a = ZW_NEW(&o->arena, double, 2 * o->nx + 1), *b = a + o->nx;
    if (!counts || !a)
        return zw_orbits_no_memory(err);
    if (!o->autonomous)
        return ZW_OK;
    for (int k = PARTS_MAX; k > 1; k--) {
        if (!repeats(o, k, counts, a, b))
            continue;
        size_t n = (size_t)zw_colloc_problem(o->c).n;
        double *x = ZW_NEW(&o->arena, double, n + 1), period = zw_colloc_period(o->c, o->x) / k;
        zw_colloc *whole = o->c;
        zw_orbits old = *o; /* its collocation is read while the new one is made */
        if (!x)
            return zw_orbits_no_memory(err);
        memcpy(x, o->x, sizeof(double) * n);
        part p = {.o = &old, .x = x, .period = period, .k = k};
        zw_orbit about = {.start = 0, .period = period, .at = part_at, .user = &p};
        o->c = NULL;
        zw_status status = zw_orbits_begin(o, &about, err);
        zw_colloc_destroy(whole);
        ZW_TRY(status);
        return zw_orbits_refine(o, value, err);
    }
    return ZW_OK;
}

/* Newton's method may have gone to an orbit elsewhere: where the run is not periodic it finds one that the run never was at. */
static zw_status refuse_another(zw_orbits *o, const zw_orbit *about, zw_error *err) {
    bool *counts = essential_of(o);
    double *x = ZW_NEW(&o->arena, double, o->nx + 1),
           *span = ZW_NEW(&o->arena, double, 4 * o->nx + 1);
    if (!counts || !x || !span)
        return zw_orbits_no_memory(err);
    for (int found = 0; found < 2; found++)
        for (int i = 0; i < 4 * LOOKS; i++) {
            double tau = i / (4. * LOOKS);
            if (found)
                zw_colloc_state(o->c, o->x, tau, x, NULL);
            else
                ZW_TRY(about->at(about->user, about->start + about->period * tau, x, err));
            for (int r = 0; r < o->nx; r++) {
                double *low = span + 4 * r + 2 * found, *high = low + 1;
                *low = i ? fmin(*low, x[r]) : x[r];
                *high = i ? fmax(*high, x[r]) : x[r];
            }
        }
    for (int r = 0; r < o->nx; r++) {
        const double *s = span + 4 * r;
        double size = fmax(fmax(s[1] - s[0], s[3] - s[2]), 2 * o->scale[r]);
        if (!counts[r] ||
            (fabs(s[0] - s[2]) <= ANOTHER * size && fabs(s[1] - s[3]) <= ANOTHER * size))
            continue;
        const char *name =
            r < o->sys->nq ? o->sys->coord[r].name : o->sys->velocity[r - o->sys->nq].name;
        zw_fail(
            err, ZW_E_NUMERIC,
            "the motion from the start of the model is near no orbit: %s goes from %.6g to %.6g "
            "there, in the nearest orbit of period %.6g s from %.6g to %.6g",
            name, s[0], s[1], zw_colloc_period(o->c, o->x), s[2], s[3]);
        zw_error_hint(err,
                      "it may be quasi-periodic or chaotic; --steps runs longer, --period says "
                      "about how long an orbit takes");
        return ZW_E_NUMERIC;
    }
    return ZW_OK;
}

zw_status zw_orbits_find(zw_orbits *o, double value, int *number, zw_error *err) {
    record r;
    double period = o->options.period, slope;
    zw_arena_mark mark = zw_arena_mark_now(&o->arena);
    if (!o->autonomous && period > 0)
        return zw_fail(err, ZW_E_OPTION, "the model is driven: its drive says the period");
    ZW_TRY(zw_orbits_set(o, value, o->now, &period, &slope, err));
    ZW_TRY(run_from_start(o, &r, err));
    double end = r.t[r.n - 1];
    if (o->autonomous && !(period > 0))
        ZW_TRY(find_period(&r, &period, err));
    if (period > end - r.t[0])
        return zw_fail(err, ZW_E_OPTION,
                       "the period of %.6g s is longer than the run before it, of %.6g s", period,
                       end - r.t[0]);
    /* of a drive: whole periods from t = 0 */
    double from = o->autonomous ? end - period : period * (floor(end / period) - 1);
    zw_orbit about = {.start = from, .period = period, .at = record_at, .user = &r};
    ZW_TRY(zw_orbits_begin(o, &about, err));
    ZW_TRY(zw_orbits_refine(o, value, err));
    ZW_TRY(shorten_period(o, value, err));
    ZW_TRY(refuse_another(o, &about, err));
    zw_arena_release(&o->arena, mark);
    ZW_TRY(zw_orbits_add(o, value, ZW_FORCED_POINT, -1, err));
    if (number)
        *number = o->nmotion - 1;
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------------------ Hopf points */

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

static void pass_over(zw_orbits *o, double value, const char *why) {
    if (o->passed_over++ > 0)
        return;
    o->passed_value = value;
    snprintf(o->passed_why, sizeof o->passed_why, "%.250s", why);
}

/* r such that the cycle is small: a part of what cubic terms describe, and of the sizes */
static double radius_of(const zw_orbits *o, const zw_hopf *h) {
    double r = isfinite(h->holds) && h->holds > 0 ? 0.3 * h->holds : INFINITY;
    for (int i = 0; i < o->sys->nq; i++) {
        double q = hypot(h->q_re[i], h->q_im[i]);
        if (q > 0)
            r = fmin(r, 0.02 * o->width[i] / q);
    }
    return isfinite(r) ? r : 1e-2;
}

static zw_status follow_cycle(zw_orbits *o, double value, const zw_hopf *h, const double *x0,
                              zw_error *err) {
    cycle c = {.h = h, .x0 = x0, .r = radius_of(o, h), .nx = o->nx};
    zw_orbit about = {.start = 0, .period = 2 * M_PI / h->omega, .at = cycle_at, .user = &c};
    double period, slope;
    int branch;
    ZW_TRY(zw_orbits_set(o, value, o->now, &period, &slope, err));
    ZW_TRY(zw_orbits_begin(o, &about, err));
    ZW_TRY(zw_colloc_refer(o->c, o->x, value, err));
    int stride = o->nx * (o->options.stages + 1), n = zw_colloc_problem(o->c).n;
    memset(o->tangent, 0, sizeof(double) * (size_t)(n + 1));
    for (int j = 0; j < zw_colloc_intervals(o->c); j++)
        for (int i = 0; i < o->nx; i++)
            o->tangent[j * stride + i] = o->x[j * stride + i] - x0[i];
    if ((branch = zw_orbits_new_branch(o)) < 0)
        return zw_orbits_no_memory(err);
    o->branch[branch].hopf = value;
    o->branch[branch].end[0] = ZW_CONT_GOES_ON; /* it begins at the Hopf point */
    zw_status status = zw_orbits_go(o, branch, 1, value, true, 1, false, err);
    o->branch[branch].n = o->nmotion - o->branch[branch].first;
    return status;
}

zw_status zw_orbits_from_point(zw_orbits *o, double value, const zw_hopf *hopf, const double *x,
                               zw_error *err) {
    if (!o->has_over)
        return zw_fail(err, ZW_E_OPTION, "Hopf points lie on a way over a parameter (--over)");
    if (hopf->nx != o->nx)
        return zw_fail(err, ZW_E_MODEL, "the steady motion has another state than the orbits");
    return follow_cycle(o, value, hopf, x, err);
}

static zw_status take_marks(zw_orbits *o, zw_locus *l, int *born, zw_error *err) {
    const zw_track *track = zw_locus_track(l);
    const zw_over_way *way = zw_locus_way(l);
    for (int k = 0; k < track->nmark && !o->stopped; k++) {
        const zw_track_mark *mark = &track->mark[k];
        const zw_criticality *cubic = zw_locus_criticality(l, k);
        zw_error trouble = {0};
        if (mark->kind != ZW_TRACK_HOPF)
            continue;
        if (!cubic || cubic->refused) {
            pass_over(o, mark->value, cubic ? cubic->reason : "there is no normal form");
            continue;
        }
        ZW_TRY(zw_follow_to(way->follow, mark->value, err));
        const zw_steady *at = zw_follow_motion(way->follow);
        if (cubic->hopf.nx != o->nx)
            return zw_fail(err, ZW_E_MODEL, "the steady motion has another state than the orbits");
        zw_status status = follow_cycle(o, mark->value, &cubic->hopf, at->x, &trouble);
        if (status == ZW_E_MEMORY)
            return zw_orbits_no_memory(err);
        if (status < 0)
            pass_over(o, mark->value, trouble.text);
        else
            ++*born;
    }
    return ZW_OK;
}

zw_status zw_orbits_from_hopf(zw_orbits *o, int *born, zw_error *err) {
    zw_locus *l = NULL;
    zw_locus_options options = zw_locus_options_default();
    *born = 0;
    if (!o->has_over)
        return zw_fail(err, ZW_E_OPTION, "Hopf points lie on a way over a parameter (--over)");
    if (!o->autonomous)
        return zw_fail(err, ZW_E_MODEL, "the model is driven: it has no steady motion");
    options.over = o->options.over;
    options.motion = o->options.motion;
    options.stop = o->options.stop;
    options.stop_user = o->options.stop_user;
    zw_status status = zw_locus_create(&l, o->sys, &options, err);
    if (status >= 0)
        status = take_marks(o, l, born, err);
    zw_locus_destroy(l);
    return status;
}
