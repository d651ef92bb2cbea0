/* SPDX-License-Identifier: MIT */
/* Measures of one orbit: its multipliers, and what its quantities do in a period. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "motion/motion_words.h"
#include "orbits_family.h"
#include "orbits_group.h"
#include "symmetric_orbit.h"

enum { CREST_ROUNDS = 3, FINER_INTERVALS_MAX = 4000, FINER_TRIES = 3 };

/* Multipliers with a larger error are computed again on a finer mesh: half of what is usable, since
 * errors are estimates. */
#define REFINE_ABOVE (0.5 * ZW_MULTIPLIER_USABLE)
/* Times the error of an orbit: on a finer mesh, an orbit farther away is another one. Near a fold
 * there are two, which Newton's method may exchange. */
#define SAME_ORBIT 100.0
/* Relative to the range of a quantity: a larger change over a period is a drift. Ten times the
 * default tolerance of the mesh. */
#define DRIFT_MIN 1e-5
/* Relative to the scales of the state: step of one-sided differences, of which only the order of
 * magnitude is used. */
#define DIFFERENCE_STEP 1e-4
/* Relative to the size of a quantity: if its change over a period varies by more along the orbit,
 * the quantity is turned. Ten times the round-off of solutions; turns vary it by their sine. */
#define CHANGE_VARIES 1e-8
/* Least range of an entry of a unit quaternion in the test of drifts. The other entries of an
 * attitude that turns about an axis of the frame are 0, and so is their range, up to round-off. */
#define QUATERNION_RANGE_MIN 1e-6

/* ---------------------------------------------------------------------------------- multipliers */

/* The error of multipliers: the largest of the estimates and of the one that must be 1. */
static double multiplier_error(const zw_floquet *m) {
    double off = m->trivial >= 0 ? hypot(m->re[m->trivial] - 1, m->im[m->trivial]) : 0;
    return fmax(off, m->accuracy);
}

/* Is it the same orbit within the error of the coarser mesh? Near a fold there are two. */
static bool is_same(zw_orbits *o, const double *x, const zw_colloc *c, const double *fine,
                    double *work) {
    enum { SAMPLES = 64 };
    double off = 0, limit = SAME_ORBIT * fmax(zw_colloc_error(o->c, x), o->options.tolerance);
    for (int i = 0; i < SAMPLES; i++) {
        zw_colloc_state(o->c, x, (double)i / SAMPLES, work, NULL);
        zw_colloc_state(c, fine, (double)i / SAMPLES, work + o->nx, NULL);
        for (int r = 0; r < o->nx; r++)
            if (o->essential[r])
                off = fmax(off, fabs(work[r] - work[o->nx + r]) / o->scale[r]);
    }
    return off <= limit;
}

/* The same orbit on a mesh with this number of intervals, and its multipliers in *out. */
static zw_status multipliers_on(zw_orbits *o, const double *x, double value, int intervals,
                                zw_arena *work, zw_floquet *out, zw_error *err) {
    int N = zw_colloc_intervals(o->c), n = zw_colloc_problem(o->c).n;
    zw_colloc *c = NULL;
    size_t capacity = (size_t)intervals * (size_t)o->nx * (size_t)(o->options.stages + 1) + 4;
    double *fine = ZW_NEW(work, double, capacity), *state = ZW_NEW(work, double, 2 * o->nx + 1),
           *list[] = {fine};
    if (work->failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_orbits_collocation(o, N, &c, err));
    zw_status status = zw_colloc_set_mesh(c, zw_colloc_mesh(o->c), err);
    memcpy(fine, x, sizeof(double) * (size_t)n);
    for (int i = 0; i < 2 && status >= 0; i++) { /* the second mesh follows the first solution */
        status = zw_colloc_adapt(c, intervals, 1, list, err);
        if (status >= 0)
            status = zw_colloc_refer(c, fine, value, err);
        zw_cont_problem p = zw_colloc_problem(c);
        if (status >= 0)
            status = zw_cont_correct(&p, ZW_NEWTON, fine, value, NULL, &o->arena.alloc, err);
    }
    if (status >= 0 && !is_same(o, x, c, fine, state))
        status = zw_fail(err, ZW_E_NUMERIC, "another orbit was found on a finer mesh");
    if (status >= 0)
        status = zw_colloc_multipliers(c, fine, value, NULL, out, err);
    zw_colloc_destroy(c);
    return status;
}

static void clean_multipliers(const zw_orbits *o, zw_floquet *m) {
    if (zw_orbits_unit_multipliers(o))
        zw_orbits_clean_multipliers(m, zw_orbits_unit_multipliers(o),
                                    o->family.kind || o->conserves);
}

/* An orbit that passes near a kink is resolved by a coarser mesh than its disturbances. Computes
 * inaccurate multipliers m of x again on finer meshes, unless the user gave the number of intervals
 * or this failed for the orbits before. *out has the better ones, or is unchanged. */
static zw_status refine_multipliers(zw_orbits *o, const double *x, double value,
                                    const zw_floquet *m, zw_floquet *out, zw_error *err) {
    int N = zw_colloc_intervals(o->c);
    double best = multiplier_error(m);
    if (best <= REFINE_ABOVE || o->family.kind || o->free || o->options.intervals ||
        o->finer_failed >= FINER_TRIES)
        return ZW_OK;
    for (int by = 4; by <= 16 && by * N <= FINER_INTERVALS_MAX && best > REFINE_ABOVE; by *= 4) {
        zw_floquet fine = {0};
        zw_error trouble = {0};
        zw_arena work;
        zw_arena_init(&work, &o->arena.alloc);
        zw_status status = multipliers_on(o, x, value, by * N, &work, &fine, &trouble);
        zw_arena_clear(&work);
        if (status == ZW_E_MEMORY)
            return zw_out_of_memory(err, NULL);
        if (status < 0)
            break;
        clean_multipliers(o, &fine);
        zw_floquet *worse = multiplier_error(&fine) < best ? out : &fine;
        zw_floquet_clear(worse);
        if (worse == out) {
            *out = fine;
            best = multiplier_error(out);
        }
    }
    o->finer_failed = best <= REFINE_ABOVE ? 0 : o->finer_failed + 1;
    return ZW_OK;
}

zw_status zw_orbits_multipliers(zw_orbits *o, const double *x, double value, const zw_floquet **out,
                                zw_error *err) {
    size_t bytes = sizeof(double) * (size_t)zw_orbits_problem(o).n;
    zw_error trouble = {0};
    *out = o->last_failed ? NULL : &o->last;
    if (o->last_known && (o->last_value == value || (isnan(value) && isnan(o->last_value))) &&
        memcmp(o->last_x, x, bytes) == 0)
        return ZW_OK;
    zw_floquet_clear(&o->last);
    zw_status status = zw_colloc_multipliers(o->c, x, zw_orbits_inner_value(o, x, value), NULL,
                                             &o->last, &trouble);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    if (status >= 0)
        clean_multipliers(o, &o->last);
    o->last_failed = status < 0;
    o->last_known = true;
    o->last_value = value;
    memcpy(o->last_x, x, bytes);
    *out = o->last_failed ? NULL : &o->last;
    return ZW_OK;
}

/* the multipliers of the whole orbit, the squares of those of the map over its half */
static void square_multipliers(const zw_floquet *q, double *re, double *im, zw_orbit_motion *m) {
    m->accuracy = 0;
    for (int i = 0; i < q->n; i++) {
        double size = hypot(q->re[i], q->im[i]);
        re[i] = q->re[i] * q->re[i] - q->im[i] * q->im[i];
        im[i] = 2 * q->re[i] * q->im[i];
        m->accuracy = fmax(m->accuracy, 2 * size * q->error[i] / fmax(1, size * size));
    }
}

static zw_status put_multipliers(zw_orbits *o, const zw_floquet *q, zw_orbit_motion *m,
                                 zw_error *err) {
    size_t n = (size_t)q->n;
    double *re = ZW_NEW(&o->arena, double, n + 1), *im = ZW_NEW(&o->arena, double, n + 1);
    if (!re || !im)
        return zw_out_of_memory(err, NULL);
    memcpy(re, q->re, sizeof(double) * n);
    memcpy(im, q->im, sizeof(double) * n);
    m->nmultiplier = q->n;
    m->re = re;
    m->im = im;
    m->accuracy = q->accuracy;
    if (zw_orbits_multipliers_usable(q)) {
        m->outside = q->outside;
        m->verdict = q->verdict;
        if (zw_orbits_unit_multipliers(o))
            ZW_TRY(zw_orbits_family_verdict(o, q, m, err));
    }
    if (o->half.on)
        square_multipliers(q, re, im, m);
    if (q->trivial >= 0)
        m->trivial = hypot(q->re[q->trivial] - 1, q->im[q->trivial]);
    return ZW_OK;
}

static zw_status add_multipliers(zw_orbits *o, double value, bool now, zw_orbit_motion *m,
                                 zw_error *err) {
    const zw_floquet *q;
    zw_floquet finer = {0};
    m->outside = -1;
    m->trivial = NAN;
    if (!o->options.stability)
        return ZW_OK;
    ZW_TRY(zw_orbits_multipliers(o, o->x, value, &q, err));
    if (!q)
        return ZW_OK;
    zw_status status = now ? refine_multipliers(o, o->x, value, q, &finer, err) : ZW_OK;
    if (status >= 0)
        status = put_multipliers(o, finer.n ? &finer : q, m, err);
    zw_floquet_clear(&finer);
    return status;
}

/* ----------------------------------------------------------------------------------- quantities */

typedef struct sampler {
    zw_orbits *o;
    double period, *x, *observables;
    double tau;          /* fraction of the period at which x is */
    double *drift;       /* nquantity: change over a period that is subtracted from values */
    double *begin, *end; /* nq: coordinates at the beginning and the end of the period */
    bool *turned;        /* nquantity: symmetries change the quantity over a period */
} sampler;

static zw_status sample_at(sampler *l, double tau, zw_error *err) {
    l->tau = tau == 1 ? 1 : tau - floor(tau);
    zw_orbits_whole_state(l->o, l->tau, l->x);
    return l->o->sys->nobservable
               ? zw_flow_observables(l->o->flow, l->period * tau, l->x, l->observables, err)
               : ZW_OK;
}

/* The state a period after `first`: entries that come back are those of `first`, up to turns and
 * entries that symmetries move. So quantities that depend on them alone do not drift by the error
 * of the mesh. */
static zw_status sample_end(sampler *l, const double *first, zw_error *err) {
    const zw_orbits *o = l->o;
    ZW_TRY(sample_at(l, 1, err));
    for (int i = 0; i < o->nx && !o->half.on; i++)
        if (o->essential[i] && !(o->group.n && o->group.moved[i]))
            l->x[i] = o->sign[i] * first[i] + o->turn[i];
    return o->sys->nobservable ? zw_flow_observables(o->flow, l->period, l->x, l->observables, err)
                               : ZW_OK;
}

static double value_of(const sampler *l, int k) {
    int nq = l->o->sys->nq;
    return (k < nq ? l->x[k] : l->observables[k - nq]) - l->tau * l->drift[k];
}

/* is it an entry of a unit quaternion? */
static bool is_unit(const zw_kernel *k, int entry) {
    for (int i = 0; i < k->nunit; i++)
        if (entry >= k->unit[i] && entry < k->unit[i] + 4)
            return true;
    return false;
}

/* is it an entry of an attitude that the equations do not depend on, so that it need not come
 * back? */
static bool is_attitude(const zw_orbits *o, int entry) {
    return !o->essential[entry] && is_unit(o->kernel, entry);
}

/* Does the quantity come back, so that it has no drift? What symmetries turn stays bounded. */
static bool comes_back(const sampler *l, int k) {
    const zw_orbits *o = l->o;
    if (k >= o->sys->nq)
        return l->turned[k];
    return is_attitude(o, k) || (o->essential[k] && !zw_orbits_is_shifted(o, k));
}

/* The quantities one period after the time at which the state is l->x: symmetries move it, angles
 * turn, and coordinates that need not come back change by what they gained (gained: nq) */
static zw_status sample_later(sampler *l, double tau, const double *gained, zw_error *err) {
    zw_orbits *o = l->o;
    zw_orbits_group_move(o, 1, l->x);
    for (int i = 0; i < o->sys->nq; i++)
        l->x[i] += o->essential[i] ? o->turn[i] : is_attitude(o, i) ? 0 : gained[i];
    for (int k = 0; k < o->kernel->nunit; k++) {
        int first = o->kernel->unit[k];
        double e[4];
        if (!is_attitude(o, first))
            continue;
        zw_attitude a = zw_attitude_of(o->sys, first);
        memcpy(e, l->x + first, sizeof e);
        zw_attitude_later(&a, l->begin + first, l->end + first, e, l->x + first);
    }
    return o->sys->nobservable
               ? zw_flow_observables(o->flow, l->period * (1 + tau), l->x, l->observables, err)
               : ZW_OK;
}

/* A quantity is turned if its change over a period varies along the orbit; a coordinate that does
 * not occur in the equations, if its rate does not come back, because then the next period adds
 * another amount. */
static zw_status find_turned(sampler *l, const double *gained, const double *possible,
                             zw_error *err) {
    enum { SAMPLES = 16 };
    zw_orbits *o = l->o;
    int nq = o->sys->nq, n = o->nquantity;
    double *v = ZW_NEW(&o->arena, double, 4 * n + 1),
           *rate = ZW_NEW(&o->arena, double, 2 * o->nx + 1);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    double *low = v + n, *high = low + n, *size = high + n, *later = rate + o->nx;
    for (int g = 0; g < o->group.n; g++)
        o->group.theta[g] = zw_colloc_theta(o->c)[g];
    bool any = o->group.n > 0;
    for (int i = 0; i < nq; i++)
        any |= is_attitude(o, i);
    for (int i = 0; i < SAMPLES && any; i++) {
        double tau = (double)i / SAMPLES;
        ZW_TRY(sample_at(l, tau, err));
        for (int k = 0; k < n; k++)
            v[k] = k < nq ? l->x[k] : l->observables[k - nq];
        ZW_TRY(zw_flow_rates(o->flow, l->period * tau, l->x, rate, NULL, err));
        ZW_TRY(sample_later(l, tau, gained, err));
        ZW_TRY(zw_flow_rates(o->flow, l->period * (1 + tau), l->x, later, NULL, err));
        for (int k = 0; k < n; k++) {
            bool unknown = k < nq && !o->essential[k] && !is_attitude(o, k);
            double added =
                unknown ? later[k] - rate[k] : (k < nq ? l->x[k] : l->observables[k - nq]) - v[k];
            low[k] = i == 0 ? added : fmin(low[k], added);
            high[k] = i == 0 ? added : fmax(high[k], added);
            size[k] = fmax(size[k], fabs(unknown ? rate[k] : v[k]));
        }
    }
    for (int k = 0; k < n; k++)
        l->turned[k] = high[k] - low[k] > CHANGE_VARIES * fmax(size[k], possible[k]);
    return ZW_OK;
}

/* How much quantities can change if the state changes by its scales: much smaller changes are
 * round-off. */
static zw_status find_sizes(sampler *l, double *size, zw_error *err) {
    zw_orbits *o = l->o;
    int nq = o->sys->nq;
    double *middle = ZW_NEW(&o->arena, double, o->nquantity + 1);
    if (!middle)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(sample_at(l, 0, err));
    for (int k = 0; k < o->nquantity; k++) {
        size[k] = k < nq ? o->scale[k] : 0;
        middle[k] = k < nq ? 0 : l->observables[k - nq];
    }
    for (int i = 0; i < o->nx && o->sys->nobservable; i++) {
        double x = l->x[i];
        l->x[i] = x + DIFFERENCE_STEP * o->scale[i];
        ZW_TRY(zw_flow_observables(o->flow, 0, l->x, l->observables, err));
        l->x[i] = x;
        for (int k = nq; k < o->nquantity; k++)
            size[k] = fmax(size[k], fabs(l->observables[k - nq] - middle[k]) / DIFFERENCE_STEP);
    }
    return ZW_OK;
}

/* The changes of quantities over a period, apart from turns of angles: of coordinates that the
 * equations do not depend on, of attitudes, and of observables of either. *drift: NULL if there are
 * none. */
static zw_status find_drift(sampler *l, double *change, const double **drift, zw_error *err) {
    enum { SAMPLES = 32 };
    zw_orbits *o = l->o;
    int nq = o->sys->nq, n = o->nquantity;
    bool any = false;
    double *v = ZW_NEW(&o->arena, double, 4 * n + 1), *first = ZW_NEW(&o->arena, double, o->nx + 1);
    l->drift = ZW_NEW(&o->arena, double, n + 1);
    l->turned = ZW_NEW(&o->arena, bool, n + 1);
    l->begin = ZW_NEW(&o->arena, double, nq + 1);
    l->end = ZW_NEW(&o->arena, double, nq + 1);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    double *low = v + n, *high = low + n, *possible = high + n,
           nothing = fmax(ZW_ROUNDOFF_SOLVED, zw_colloc_error(o->c, o->x));
    ZW_TRY(find_sizes(l, possible, err));
    for (int i = 0; i <= SAMPLES; i++) {
        ZW_TRY(i == SAMPLES ? sample_end(l, first, err) : sample_at(l, (double)i / SAMPLES, err));
        if (i == 0)
            memcpy(first, l->x, sizeof(double) * (size_t)o->nx);
        for (int k = 0; k < n; k++) {
            double now = k < nq ? l->x[k] : l->observables[k - nq];
            v[k] = i == 0 ? now : v[k];
            low[k] = i == 0 ? now : fmin(low[k], now);
            high[k] = i == 0 ? now : fmax(high[k], now);
            if (i == SAMPLES)
                change[k] = now - v[k];
        }
        if (i == 0 || i == SAMPLES)
            memcpy(i ? l->end : l->begin, l->x, sizeof(double) * (size_t)nq);
    }
    ZW_TRY(find_turned(l, change, possible, err));
    for (int k = 0; k < n; k++) {
        bool turns = comes_back(l, k);
        double size = fmax(high[k] - low[k], is_unit(o->kernel, k) ? QUATERNION_RANGE_MIN : 0);
        if (!(fabs(change[k]) > fmax(DRIFT_MIN * size, nothing * possible[k])) || turns)
            change[k] = 0;
        l->drift[k] = !turns ? change[k] : k < nq ? o->turn[k] : 0;
        any |= change[k] != 0;
    }
    *drift = any ? change : NULL;
    return ZW_OK;
}

/* The largest value (sign -1: of the negative) near tau, by parabolas. A turned quantity is
 * searched within this one period only. */
static zw_status find_crest(sampler *l, int k, double sign, double tau, double h, double *value,
                            zw_error *err) {
    double best = -INFINITY;
    for (int round = 0; round < CREST_ROUNDS; round++, h /= 16) {
        double v[3];
        if (l->turned[k])
            tau = fmin(fmax(tau, h), 1 - h);
        for (int i = 0; i < 3; i++) {
            ZW_TRY(sample_at(l, tau + (i - 1) * h, err));
            v[i] = sign * value_of(l, k);
            best = fmax(best, v[i]);
        }
        double bend = v[0] - 2 * v[1] + v[2], aside = bend < 0 ? (v[0] - v[2]) / (2 * bend) : 0;
        tau += fmin(fmax(aside, -1), 1) * h;
    }
    ZW_TRY(sample_at(l, l->turned[k] ? fmin(fmax(tau, 0), 1) : tau, err));
    *value = sign * fmax(best, sign * value_of(l, k));
    return ZW_OK;
}

/* with Gauss points in both halves of the intervals, on which the orbit is a polynomial */
static zw_status integrate_quantities(sampler *l, zw_motion_measure *out, double *low, double *high,
                                      zw_error *err) {
    zw_orbits *o = l->o;
    int nquantity = o->nquantity, order = (o->autonomous ? 1 : o->options.order) * o->times;
    double *c = ZW_NEW(&o->arena, double, 2 * nquantity + 1);
    static const double at[4] = {0.069431844202973713, 0.330009478207571868, 0.669990521792428132,
                                 0.930568155797026287},
                        weight[4] = {0.173927422568726929, 0.326072577431273071,
                                     0.326072577431273071, 0.173927422568726929};
    if (!c)
        return zw_out_of_memory(err, NULL);
    double *s = c + nquantity;
    const double *mesh = zw_colloc_mesh(o->c);
    for (int k = 0; k < nquantity; k++)
        out[k] = (zw_motion_measure){.max = -INFINITY, .min = INFINITY};
    int N = zw_colloc_intervals(o->c), parts = o->half.on ? 2 : 1; /* of the whole orbit */
    for (int j = 0; j < N * parts; j++)
        for (int half = 0; half < 2; half++)
            for (int i = 0; i < 4; i++) {
                const double *m = mesh + j % N;
                int part = j / N;
                double h = 0.5 * (m[1] - m[0]) / parts,
                       tau = (m[0] + part) / parts + h * (half + at[i]), w = h * weight[i];
                ZW_TRY(sample_at(l, tau, err));
                for (int k = 0; k < nquantity; k++) {
                    double v = value_of(l, k);
                    out[k].mean += w * v;
                    out[k].rms += w * v * v;
                    c[k] += 2 * w * v * cos(2 * M_PI * order * tau);
                    s[k] += 2 * w * v * sin(2 * M_PI * order * tau);
                    if (v > out[k].max) {
                        out[k].max = v;
                        high[k] = tau;
                    }
                    if (v < out[k].min) {
                        out[k].min = v;
                        low[k] = tau;
                    }
                }
            }
    for (int k = 0; k < nquantity; k++) {
        out[k].rms = sqrt(out[k].rms);
        out[k].first = l->turned[k] ? NAN : hypot(c[k], s[k]);
        out[k].phase = l->turned[k] ? NAN : out[k].first > 0 ? atan2(-s[k], c[k]) : 0;
    }
    return ZW_OK;
}

zw_status zw_orbits_measure(zw_orbits *o, double period, zw_motion_measure *out,
                            const double **drift, zw_error *err) {
    double *change = ZW_NEW(&o->arena, double, o->nquantity + 1);
    zw_arena_mark mark = zw_arena_mark_now(&o->arena);
    sampler l = {.o = o,
                 .period = period,
                 .x = ZW_NEW(&o->arena, double, o->nx + 1),
                 .observables = ZW_NEW(&o->arena, double, o->kernel->nobs + 3)};
    double *low = ZW_NEW(&o->arena, double, o->nquantity + 1),
           *high = ZW_NEW(&o->arena, double, o->nquantity + 1);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(find_drift(&l, change, drift, err));
    ZW_TRY(integrate_quantities(&l, out, low, high, err));
    for (int k = 0; k < o->nquantity; k++) {
        double h = 1. / (8 * zw_colloc_intervals(o->c));
        ZW_TRY(find_crest(&l, k, 1, high[k], h, &out[k].max, err));
        ZW_TRY(find_crest(&l, k, -1, low[k], h, &out[k].min, err));
    }
    zw_arena_release(&o->arena, mark);
    return ZW_OK;
}

static zw_status add_modulo(zw_orbits *o, zw_orbit_motion *m, zw_error *err) {
    double *turned = ZW_NEW(&o->arena, double, o->group.n + 1);
    if (!turned)
        return zw_out_of_memory(err, NULL);
    for (int g = 0; g < o->group.n; g++)
        turned[g] = zw_colloc_theta(o->c)[g];
    m->nturned = o->group.n;
    m->turned = turned;
    m->family = o->free;
    m->leftover = o->free ? o->leftover : 0;
    return ZW_OK;
}

static void state_at(void *user, double tau, double *x) {
    zw_orbits_whole_state(user, tau, x);
}

/* checks o->x for singularities of the coordinates, with its parameters in o->flow */
static zw_status check_coordinates(zw_orbits *o, const zw_orbit_motion *m, zw_error *err) {
    const zw_singular_motion motion = {.eq = &o->eq,
                                       .flow = o->flow,
                                       .period = m->period,
                                       .n = m->intervals,
                                       .mesh = m->mesh,
                                       .state = state_at,
                                       .user = o};
    return zw_singular_check(&o->singular, &o->arena, &motion, m->value, err);
}

zw_status zw_orbits_add(zw_orbits *o, double value, zw_bifurcation event, int branch,
                        zw_error *err) {
    zw_cont_problem p = zw_orbits_problem(o);
    int N = zw_colloc_intervals(o->c);
    if (o->lanes)
        zw_kernel_serve(o->lanes, 0, NULL); /* native code, where it pays */
    int parts = o->half.on ? 2 : 1;         /* orbits are stored whole */
    double *x = ZW_NEW(&o->arena, double, parts *p.n + 2),
           *mesh = ZW_NEW(&o->arena, double, parts *N + 1), slope;
    zw_motion_measure *measured = ZW_NEW(&o->arena, zw_motion_measure, o->nquantity + 1);
    if (o->arena.failed ||
        !zw_arena_grow(&o->arena, (void **)&o->motion, o->nmotion, &o->capacity, sizeof *o->motion))
        return zw_out_of_memory(err, NULL);
    if (o->half.on)
        zw_orbits_expand(o, o->x, false, x);
    else
        memcpy(x, o->x, sizeof(double) * (size_t)p.n);
    for (int j = 0; j < N * parts; j++) {
        int part = j / N;
        mesh[j] = (zw_colloc_mesh(o->c)[j % N] + part) / parts;
    }
    mesh[N * parts] = 1;
    zw_orbit_motion m = {.value = value,
                         .period = parts * zw_colloc_period(o->c, o->x),
                         .intervals = N * parts,
                         .mesh = mesh,
                         .x = x,
                         .measure = measured,
                         .error = zw_colloc_error(o->c, o->x),
                         .event = event,
                         .curve = branch};
    if (branch >= 0 && zw_motion_is_event(event)) {
        double *tangent = ZW_NEW(&o->arena, double, parts *p.n + 2);
        if (!tangent)
            return zw_out_of_memory(err, NULL);
        if (o->half.on)
            zw_orbits_expand(o, o->tangent, true, tangent);
        else
            memcpy(tangent, o->tangent, sizeof(double) * (size_t)(p.n + 1));
        m.tangent = tangent;
    }
    double period = m.period;
    ZW_TRY(zw_orbits_set(o, value, o->now, &period, &slope, err));
    ZW_TRY(zw_flow_set_parameters(o->flow, o->now, err));
    m.period = period;
    m.damping = o->family.kind ? o->x[p.n - 1] : 0;
    ZW_TRY(zw_orbits_check_group(o, err));
    ZW_TRY(add_multipliers(o, value, branch < 0, &m, err));
    ZW_TRY(zw_orbits_measure(o, m.period, measured, &m.drift, err));
    ZW_TRY(check_coordinates(o, &m, err));
    ZW_TRY(add_modulo(o, &m, err));
    o->motion[o->nmotion++] = m;
    return ZW_OK;
}

zw_status zw_orbits_refine_multipliers(zw_orbits *o, int first, zw_error *err) {
    o->finer_failed = 0;
    for (int i = first; i < o->nmotion && !o->stopped; i++) {
        zw_orbit_motion *m = &o->motion[i];
        double known = fmax(isnan(m->trivial) ? 0 : m->trivial, m->accuracy);
        if (m->nmultiplier == 0 || !(known > REFINE_ABOVE) || zw_motion_is_event(m->event))
            continue;
        if (o->family.kind || o->free || o->options.intervals || o->finer_failed >= FINER_TRIES)
            return ZW_OK;
        ZW_TRY(zw_orbits_load(o, m, err));
        ZW_TRY(zw_flow_set_parameters(o->flow, o->now, err));
        ZW_TRY(add_multipliers(o, m->value, true, m, err));
    }
    return ZW_OK;
}
