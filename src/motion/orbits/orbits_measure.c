/* SPDX-License-Identifier: MIT */
/* What is told of one orbit: its multipliers, and what its quantities do in a period. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "branch/curve.h"
#include "motion/motion_words.h"
#include "motion/segments/periodic.h"
#include "orbits_family.h"
#include "orbits_group.h"
#include "symmetric_orbit.h"

enum { POINTS = 400, TOP_ROUNDS = 3, CLOSER_MOST = 4000, CLOSER_TRIES = 3 };
#define CLOSER (0.5 * ZW_ORBITS_UNTRUE) /* multipliers that are known to less */
#define SAME 100.0    /* times the error of an orbit: further away it is another one */
#define DRIFTS 1e-5   /* of how far it goes: it does not come back */
#define NOTHING 1e-9  /* of what it may change by: rounding; likewise the error of the orbit */
#define ASIDE 1e-4    /* of the sizes of the state */
#define TURNS 1e-8    /* of its size: what a period adds to it is not always the same */
#define ROUNDING 1e-6 /* how far an entry of a quaternion goes at least, for that */

/* ---------------------------------------------------------------------------------- multipliers */

/* How well they are known: the one that must be 1, and the errors that are estimated. */
static double multiplier_error(const zw_floquet *m) {
    double off = m->trivial >= 0 ? hypot(m->re[m->trivial] - 1, m->im[m->trivial]) : 0;
    return fmax(off, m->accuracy);
}

/* Is it the same orbit, as far as the coarser mesh tells it? Next to a fold there are two. */
static bool is_same(zw_orbits *o, const double *x, const zw_colloc *c, const double *fine,
                    double *room) {
    enum { LOOKS = 64 };
    double off = 0, limit = SAME * fmax(zw_colloc_error(o->c, x), o->options.tolerance);
    for (int i = 0; i < LOOKS; i++) {
        zw_colloc_state(o->c, x, (double)i / LOOKS, room, NULL);
        zw_colloc_state(c, fine, (double)i / LOOKS, room + o->nx, NULL);
        for (int r = 0; r < o->nx; r++)
            if (o->essential[r])
                off = fmax(off, fabs(room[r] - room[o->nx + r]) / o->scale[r]);
    }
    return off <= limit;
}

/* The same orbit on a mesh of so many intervals, and its multipliers in *out. */
static zw_status multipliers_on(zw_orbits *o, const double *x, double value, int intervals,
                                zw_arena *work, zw_floquet *out, zw_error *err) {
    int N = zw_colloc_intervals(o->c), n = zw_colloc_problem(o->c).n;
    zw_colloc *c = NULL;
    size_t room = (size_t)intervals * (size_t)o->nx * (size_t)(o->options.stages + 1) + 4;
    double *fine = ZW_NEW(work, double, room), *state = ZW_NEW(work, double, 2 * o->nx + 1),
           *list[] = {fine};
    if (work->failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_orbits_collocation(o, N, &c, err));
    zw_status status = zw_colloc_set_mesh(c, zw_colloc_mesh(o->c), err);
    memcpy(fine, x, sizeof(double) * (size_t)n);
    for (int i = 0; i < 2 && status >= 0;
         i++) { /* the second mesh follows what the first one shows */
        status = zw_colloc_adapt(c, intervals, 1, list, err);
        if (status >= 0)
            status = zw_colloc_refer(c, fine, value, err);
        zw_cont_problem p = zw_colloc_problem(c);
        if (status >= 0)
            status = zw_cont_correct(&p, 1e-11, fine, value, NULL, &o->arena.alloc, err);
    }
    if (status >= 0 && !is_same(o, x, c, fine, state))
        status = zw_fail(err, ZW_E_NUMERIC, "another orbit was found on a finer mesh");
    if (status >= 0)
        status = zw_colloc_multipliers(c, fine, value, NULL, out, err);
    zw_colloc_destroy(c);
    return status;
}

static void clean_multipliers(const zw_orbits *o, zw_floquet *m) {
    if (zw_orbits_ones(o))
        zw_orbits_tidy_family(m, zw_orbits_ones(o), o->family.kind || o->conserves);
}

/* Where an orbit passes what is nearly a kink, its disturbances need a finer mesh than the orbit
 * itself: multipliers m of x that are known badly are looked for on such ones, unless somebody says
 * how many intervals there are, or it was of no use before. What is better is in *out, else
 * nothing. */
static zw_status look_closer(zw_orbits *o, const double *x, double value, const zw_floquet *m,
                             zw_floquet *out, zw_error *err) {
    int N = zw_colloc_intervals(o->c);
    double best = multiplier_error(m);
    if (best <= CLOSER || o->family.kind || o->free || o->options.intervals ||
        o->closer_failed >= CLOSER_TRIES)
        return ZW_OK;
    for (int by = 4; by <= 16 && by * N <= CLOSER_MOST && best > CLOSER; by *= 4) {
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
    o->closer_failed = best <= CLOSER ? 0 : o->closer_failed + 1;
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

/* those of the whole orbit, from those of the map over its half */
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
    if (zw_orbits_trusted(q)) {
        m->outside = q->outside;
        m->verdict = q->verdict;
        if (zw_orbits_ones(o))
            ZW_TRY(zw_orbits_judge_family(o, q, m, err));
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
    zw_floquet closer = {0};
    m->outside = -1;
    m->trivial = NAN;
    if (!o->options.stability)
        return ZW_OK;
    ZW_TRY(zw_orbits_multipliers(o, o->x, value, &q, err));
    if (!q)
        return ZW_OK;
    zw_status status = now ? look_closer(o, o->x, value, q, &closer, err) : ZW_OK;
    if (status >= 0)
        status = put_multipliers(o, closer.n ? &closer : q, m, err);
    zw_floquet_clear(&closer);
    return status;
}

/* ----------------------------------------------------------------------------------- quantities */

typedef struct look {
    zw_orbits *o;
    double period, *x, *seen;
    double tau;          /* where x is */
    double *drift;       /* of quantities: what a period adds to them */
    double *begin, *end; /* nq: coordinates at the beginning and the end of the period */
    bool *turned;        /* of quantities: symmetries make something else of them in a period */
} look;

static zw_status look_at(look *l, double tau, zw_error *err) {
    l->tau = tau == 1 ? 1 : tau - floor(tau);
    zw_orbits_whole_state(l->o, l->tau, l->x);
    return l->o->sys->nobservable
               ? zw_flow_observables(l->o->flow, l->period * tau, l->x, l->seen, err)
               : ZW_OK;
}

/* A period after the state `first`: what comes back is that state again, but for turns and what
 * symmetries move. So what depends on nothing else does not drift by the error of the mesh. */
static zw_status look_at_end(look *l, const double *first, zw_error *err) {
    const zw_orbits *o = l->o;
    ZW_TRY(look_at(l, 1, err));
    for (int i = 0; i < o->nx && !o->half.on; i++)
        if (o->essential[i] && !(o->group.n && o->group.moved[i]))
            l->x[i] = o->sign[i] * first[i] + o->turn[i];
    return o->sys->nobservable ? zw_flow_observables(o->flow, l->period, l->x, l->seen, err)
                               : ZW_OK;
}

static double seen_of(const look *l, int k) {
    int nq = l->o->sys->nq;
    return (k < nq ? l->x[k] : l->seen[k - nq]) - l->tau * l->drift[k];
}

/* an entry of a unit quaternion */
static bool is_unit(const zw_kernel *k, int entry) {
    for (int i = 0; i < k->nunit; i++)
        if (entry >= k->unit[i] && entry < k->unit[i] + 4)
            return true;
    return false;
}

/* the attitude of something on which nothing depends: it is turned */
static bool is_attitude(const zw_orbits *o, int entry) {
    return !o->essential[entry] && is_unit(o->kernel, entry);
}

/* Does nothing of a quantity go on and on? What symmetries turn stays where it is. */
static bool comes_back(const look *l, int k) {
    const zw_orbits *o = l->o;
    if (k >= o->sys->nq)
        return l->turned[k];
    return is_attitude(o, k) || (o->essential[k] && !zw_orbits_is_shifted(o, k));
}

/* What quantities are a period later than a time at which the state is l->x: symmetries move it,
 * angles turn and coordinates that need not come back go on by what they have gained (gained:
 * nq) */
static zw_status look_later(look *l, double tau, const double *gained, zw_error *err) {
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
               ? zw_flow_observables(o->flow, l->period * (1 + tau), l->x, l->seen, err)
               : ZW_OK;
}

/* A quantity is turned if what a period adds to it is not the same all along the orbit; a
 * coordinate that no equation knows, if its rate does not come back: the next period adds something
 * else. */
static zw_status find_turned(look *l, const double *gained, const double *may, zw_error *err) {
    enum { LOOKS = 16 };
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
    for (int i = 0; i < LOOKS && any; i++) {
        double tau = (double)i / LOOKS;
        ZW_TRY(look_at(l, tau, err));
        for (int k = 0; k < n; k++)
            v[k] = k < nq ? l->x[k] : l->seen[k - nq];
        ZW_TRY(zw_flow_rates(o->flow, l->period * tau, l->x, rate, NULL, err));
        ZW_TRY(look_later(l, tau, gained, err));
        ZW_TRY(zw_flow_rates(o->flow, l->period * (1 + tau), l->x, later, NULL, err));
        for (int k = 0; k < n; k++) {
            bool unknown = k < nq && !o->essential[k] && !is_attitude(o, k);
            double added =
                unknown ? later[k] - rate[k] : (k < nq ? l->x[k] : l->seen[k - nq]) - v[k];
            low[k] = i == 0 ? added : fmin(low[k], added);
            high[k] = i == 0 ? added : fmax(high[k], added);
            size[k] = fmax(size[k], fabs(unknown ? rate[k] : v[k]));
        }
    }
    for (int k = 0; k < n; k++)
        l->turned[k] = high[k] - low[k] > TURNS * fmax(size[k], may[k]);
    return ZW_OK;
}

/* How much quantities may change where the state changes by its sizes: what is smaller by far is
 * rounding. */
static zw_status find_sizes(look *l, double *size, zw_error *err) {
    zw_orbits *o = l->o;
    int nq = o->sys->nq;
    double *middle = ZW_NEW(&o->arena, double, o->nquantity + 1);
    if (!middle)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(look_at(l, 0, err));
    for (int k = 0; k < o->nquantity; k++) {
        size[k] = k < nq ? o->scale[k] : 0;
        middle[k] = k < nq ? 0 : l->seen[k - nq];
    }
    for (int i = 0; i < o->nx && o->sys->nobservable; i++) {
        double x = l->x[i];
        l->x[i] = x + ASIDE * o->scale[i];
        ZW_TRY(zw_flow_observables(o->flow, 0, l->x, l->seen, err));
        l->x[i] = x;
        for (int k = nq; k < o->nquantity; k++)
            size[k] = fmax(size[k], fabs(l->seen[k - nq] - middle[k]) / ASIDE);
    }
    return ZW_OK;
}

/* What quantities do beside what a period adds to them: turns of angles; coordinates that the
 * equations do not know, and need not come back; what is observed of either. *drift: NULL if there
 * are turns alone. */
static zw_status find_drift(look *l, double *told, const double **drift, zw_error *err) {
    enum { LOOKS = 32 };
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
    double *low = v + n, *high = low + n, *may = high + n,
           nothing = fmax(NOTHING, zw_colloc_error(o->c, o->x));
    ZW_TRY(find_sizes(l, may, err));
    for (int i = 0; i <= LOOKS; i++) {
        ZW_TRY(i == LOOKS ? look_at_end(l, first, err) : look_at(l, (double)i / LOOKS, err));
        if (i == 0)
            memcpy(first, l->x, sizeof(double) * (size_t)o->nx);
        for (int k = 0; k < n; k++) {
            double now = k < nq ? l->x[k] : l->seen[k - nq];
            v[k] = i == 0 ? now : v[k];
            low[k] = i == 0 ? now : fmin(low[k], now);
            high[k] = i == 0 ? now : fmax(high[k], now);
            if (i == LOOKS)
                told[k] = now - v[k];
        }
        if (i == 0 || i == LOOKS)
            memcpy(i ? l->end : l->begin, l->x, sizeof(double) * (size_t)nq);
    }
    ZW_TRY(find_turned(l, told, may, err));
    for (int k = 0; k < n; k++) {
        bool turns = comes_back(l, k);
        double size = fmax(high[k] - low[k], is_unit(o->kernel, k) ? ROUNDING : 0);
        if (!(fabs(told[k]) > fmax(DRIFTS * size, nothing * may[k])) || turns)
            told[k] = 0;
        l->drift[k] = !turns ? told[k] : k < nq ? o->turn[k] : 0;
        any |= told[k] != 0;
    }
    *drift = any ? told : NULL;
    return ZW_OK;
}

/* The largest value (sign -1: of the negative) near tau, by parabolas. What is turned is looked at
 * in this one period. */
static zw_status find_crest(look *l, int k, double sign, double tau, double h, double *value,
                            zw_error *err) {
    double best = -INFINITY;
    for (int round = 0; round < TOP_ROUNDS; round++, h /= 16) {
        double v[3];
        if (l->turned[k])
            tau = fmin(fmax(tau, h), 1 - h);
        for (int i = 0; i < 3; i++) {
            ZW_TRY(look_at(l, tau + (i - 1) * h, err));
            v[i] = sign * seen_of(l, k);
            best = fmax(best, v[i]);
        }
        double bend = v[0] - 2 * v[1] + v[2], aside = bend < 0 ? (v[0] - v[2]) / (2 * bend) : 0;
        tau += fmin(fmax(aside, -1), 1) * h;
    }
    ZW_TRY(look_at(l, l->turned[k] ? fmin(fmax(tau, 0), 1) : tau, err));
    *value = sign * fmax(best, sign * seen_of(l, k));
    return ZW_OK;
}

/* by Gauss's points of the intervals, which integrate polynomials exactly */
static zw_status integrate_quantities(look *l, zw_motion_measure *out, double *low, double *high,
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
                ZW_TRY(look_at(l, tau, err));
                for (int k = 0; k < nquantity; k++) {
                    double v = seen_of(l, k);
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
    double *told = ZW_NEW(&o->arena, double, o->nquantity + 1);
    zw_arena_mark mark = zw_arena_mark_now(&o->arena);
    look l = {.o = o,
              .period = period,
              .x = ZW_NEW(&o->arena, double, o->nx + 1),
              .seen = ZW_NEW(&o->arena, double, o->kernel->nobs + 3)};
    double *low = ZW_NEW(&o->arena, double, o->nquantity + 1),
           *high = ZW_NEW(&o->arena, double, o->nquantity + 1);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(find_drift(&l, told, drift, err));
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

/* o->x, with its parameters in o->flow */
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
    int parts = o->half.on ? 2 : 1;         /* what is kept is whole */
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

zw_status zw_orbits_sharpen(zw_orbits *o, int first, zw_error *err) {
    o->closer_failed = 0;
    for (int i = first; i < o->nmotion && !o->stopped; i++) {
        zw_orbit_motion *m = &o->motion[i];
        double known = fmax(isnan(m->trivial) ? 0 : m->trivial, m->accuracy);
        if (m->nmultiplier == 0 || !(known > CLOSER) || zw_motion_is_event(m->event))
            continue;
        if (o->family.kind || o->free || o->options.intervals || o->closer_failed >= CLOSER_TRIES)
            return ZW_OK;
        ZW_TRY(zw_orbits_load(o, m, err));
        ZW_TRY(zw_flow_set_parameters(o->flow, o->now, err));
        ZW_TRY(add_multipliers(o, m->value, true, m, err));
    }
    return ZW_OK;
}
