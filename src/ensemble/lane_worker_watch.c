/* SPDX-License-Identifier: MIT */
/* Values and events lane_step the steps of lanes. The dense output of all lanes is sampled together
 * at the nodes of zw_spans: for the least and largest values and means, and for the signs of the
 * event functions. If a step may contain an extremum or an event, its lane is processed separately:
 * extrema between samples (extremes.c), zeros by bisection with secants on the dense output.
 *
 * An event function is assumed to be simple between the seven samples of a step: where it comes
 * nearer to zero and returns between two of them, it is also evaluated where the parabola through
 * three samples is nearest to zero.
 *
 * A function with a period (of a periodic coordinate in it) counts as zero at all multiples of it,
 * as in runs (num/events/events.c): its values are relative to one of them, the level. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "internal.h"
#include "num/events/zero.h"

#define TIME_RESOLVED 4e-16 /* relative: two eps, bisection ends there */
enum { CROSSINGS_FIRST = 32, CROSSINGS_MOST = 1 << 20 };

typedef struct lane_step {
    zw_worker *w;
    int lane;
} lane_step;

zw_status zw_lane_worker_flow(zw_worker *w, const zw_slot *slot, zw_error *err) {
    if (w->flow_version == slot->version)
        return ZW_OK;
    ZW_TRY(zw_flow_set_parameters(w->flow, slot->p, err));
    w->flow_version = slot->version;
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------- values */

static double lane_value(const zw_lane_worker_value *v, double t, const double *x, const double *z,
                         const double *obs, int nobs, int stride) {
    switch (v->kind) {
    case ZW_ALONG_TIME:
        return t;
    case ZW_ALONG_STATE:
        return x[v->index * stride];
    case ZW_ALONG_RATE:
        return z[v->index * stride];
    case ZW_ALONG_OBSERVABLE:
        return v->index < 0 ? NAN : obs[v->index * stride];
    case ZW_ALONG_ENERGY:
        return obs[nobs * stride] + obs[(nobs + 1) * stride];
    default:
        return 0;
    }
}

zw_status zw_lane_worker_values(zw_worker *w, zw_slot *slot, double t, const double *x,
                                double *value, zw_error *err) {
    const zw_lane_group *s = &w->e->lane_group;
    if (!s->plain_values) {
        ZW_TRY(zw_lane_worker_flow(w, slot, err));
        ZW_TRY(zw_flow_rates(w->flow, t, x, w->rate, w->z, err));
        ZW_TRY(zw_flow_observables(w->flow, t, x, w->obs, err));
    }
    for (int i = 0; i < w->e->options.nvalue; i++)
        value[i] = lane_value(&s->value[i], t, x, w->z, w->obs, s->one->nobs, 1);
    return ZW_OK;
}

static zw_status values_within(void *user, double t, double *value, zw_error *err) {
    const lane_step *in = user;
    zw_worker *w = in->w;
    zw_lanes_dense(&w->lanes, in->lane, t, w->lane_x);
    return zw_lane_worker_values(w, &w->slot[in->lane], t, w->lane_x, value, err);
}

/* ------------------------------------------------------------------------- samples of all lanes */

/* values and event functions at one node: rows of L each, values first */
static void sample_at(zw_worker *w, const double *t, const double *x, double *out) {
    const zw_lane_group *s = &w->e->lane_group;
    const zw_kernel *k = s->kernel;
    int L = s->lanes, nvalue = w->e->options.spans ? w->e->options.nvalue : 0;
    double *rhs = w->lane_out, *z = rhs + k->nq * L, *obs = rhs + k->fn[ZW_FN_RHS].nout * L;
    bool rates = (nvalue > 0 && !s->plain_values) || (s->nwatch > 0 && !k->evt_state_only);
    const zw_args in = {.t = t, .x = x, .z = z, .c = w->lanes.cache};
    if (rates)
        zw_kernel_call(k, ZW_FN_RHS, &in, rhs, w->lanes.work);
    if (nvalue > 0 && !s->plain_values)
        zw_kernel_call(k, ZW_FN_OBS, &in, obs, w->lanes.work);
    for (int i = 0; i < nvalue; i++)
        for (int l = 0; l < L; l++)
            out[i * L + l] = lane_value(&s->value[i], t[l], x + l, z + l, obs + l, k->nobs, L);
    if (s->nwatch == 0)
        return;
    zw_kernel_call(k, ZW_FN_EVT, &in, obs, w->lanes.work);
    for (int i = 0; i < s->nwatch; i++)
        for (int l = 0; l < L; l++)
            out[(nvalue + i) * L + l] = obs[s->watch[i] * L + l];
}

static int row_count(const zw_worker *w) {
    return (w->e->options.spans ? w->e->options.nvalue : 0) + w->e->lane_group.nwatch;
}

void zw_lane_worker_sample(zw_worker *w) {
    zw_lanes *l = &w->lanes;
    double t[8];
    zw_lanes_make_dense(l);
    for (int k = 0; k < ZW_SPAN_SAMPLES; k++) {
        for (int i = 0; i < l->L; i++) {
            w->theta[i] = (1 + zw_span_node[k]) / 2;
            t[i] = l->t[i] + w->theta[i] * (l->t1[i] - l->t[i]);
        }
        zw_lanes_dense_all(l, w->theta, w->dense_all);
        sample_at(w, t, w->dense_all, w->sample + (size_t)k * (size_t)row_count(w) * (size_t)l->L);
    }
}

zw_status zw_lane_worker_span(zw_worker *w, int lane, double t0, double t1, zw_error *err) {
    zw_lanes *l = &w->lanes;
    zw_spans *spans = &w->slot[lane].spans;
    lane_step in = {w, lane};
    if (t0 != l->t[lane] || t1 != l->t1[lane])
        return zw_spans_piece(spans, t0, t1, values_within, &in, err);
    int n = spans->n, all = row_count(w), L = l->L;
    double *packed = w->span_room;
    for (int k = 0; k < ZW_SPAN_SAMPLES; k++)
        for (int i = 0; i < n; i++)
            packed[k * n + i] = w->sample[(k * all + i) * L + lane];
    return zw_spans_samples(spans, t0, t1, packed, 1, values_within, &in, err);
}

/* ------------------------------------------------------------------------------------- events */

/* the level nearest to the value g of event function i */
static double level_of(const zw_lane_group *s, int i, double g) {
    return s->repeat[i] > 0 ? s->repeat[i] * round(g / s->repeat[i]) : 0;
}

static zw_status event_at(zw_worker *w, int lane, int watch, double t, double *g, zw_error *err) {
    zw_lanes_dense(&w->lanes, lane, t, w->lane_x);
    ZW_TRY(zw_lane_worker_flow(w, &w->slot[lane], err));
    ZW_TRY(zw_flow_events(w->flow, t, w->lane_x, w->crossing_g, err));
    *g = w->crossing_g[w->e->lane_group.watch[watch]];
    return ZW_OK;
}

zw_status zw_lane_worker_arm(zw_worker *w, int lane, double t, const double *x, zw_error *err) {
    const zw_lane_group *s = &w->e->lane_group;
    zw_slot *slot = &w->slot[lane];
    if (s->nwatch == 0)
        return ZW_OK;
    ZW_TRY(zw_lane_worker_flow(w, slot, err));
    ZW_TRY(zw_flow_events(w->flow, t, x, w->crossing_g, err));
    for (int i = 0; i < s->nwatch; i++) {
        double g = w->crossing_g[s->watch[i]];
        /* at zero within the tolerances, it has no side yet */
        bool near = fabs(g - level_of(s, i, g)) <= 10 * w->lanes.options.atol;
        slot->side[i] = near ? 0 : g;
    }
    return ZW_OK;
}

/* Finds where event function i has the value `level` between a and b, where its values differ from
 * it by ga and gb: the Illinois variant of regula falsi. */
static zw_status locate_zero(zw_worker *w, int lane, int i, double level, double a, double ga,
                             double b, double gb, double *zero, zw_error *err) {
    for (int round = 0; round < 100; round++) {
        double t = b - gb * (b - a) / (gb - ga), g;
        if (!(t > fmin(a, b) && t < fmax(a, b)))
            t = a + (b - a) / 2;
        if (t == a || t == b || fabs(b - a) <= TIME_RESOLVED * fabs(b))
            break;
        ZW_TRY(event_at(w, lane, i, t, &g, err));
        g -= level;
        if (g == 0) {
            b = t;
            break;
        }
        if ((g > 0) != (gb > 0)) {
            a = b;
            ga = gb;
        } else {
            ga /= 2;
        }
        b = t;
        gb = g;
    }
    *zero = b;
    return ZW_OK;
}

static zw_status grow_crossings(zw_worker *w, zw_error *err) {
    int room = w->crossing_room > 0 ? 2 * w->crossing_room : CROSSINGS_FIRST;
    if (room > CROSSINGS_MOST) {
        zw_fail(err, ZW_E_NUMERIC, "more than %d events in one step", CROSSINGS_MOST);
        zw_error_hint(err, "--step-max limits the steps");
        return ZW_E_NUMERIC;
    }
    zw_crossing *larger = ZW_NEW(&w->arena, zw_crossing, room);
    if (!larger)
        return zw_out_of_memory(err, "the events of a step");
    if (w->ncrossing > 0)
        memcpy(larger, w->crossing, sizeof *larger * (size_t)w->ncrossing);
    w->crossing = larger;
    w->crossing_room = room;
    return ZW_OK;
}

static zw_status add_crossing(zw_worker *w, double t, int watch, zw_error *err) {
    if (w->ncrossing == w->crossing_room)
        ZW_TRY(grow_crossings(w, err));
    int k = w->ncrossing++;
    for (; k > 0 && w->crossing[k - 1].t > t; k--)
        w->crossing[k] = w->crossing[k - 1];
    w->crossing[k] = (zw_crossing){t, watch};
    return ZW_OK;
}

/* from (a, ga) to (b, gb), values relative to a level: records a change of sign in the required
 * direction */
static zw_status record_crossing(zw_worker *w, int lane, int i, double level, double a, double ga,
                                 double b, double gb, zw_error *err) {
    int direction = w->e->lane_group.direction[i];
    double zero;
    if (gb == 0 || ga == 0 || (ga > 0) == (gb > 0) || (direction && direction != (gb > 0 ? 1 : -1)))
        return ZW_OK;
    ZW_TRY(locate_zero(w, lane, i, level, a, ga, b, gb, &zero, err));
    return add_crossing(w, zero, i, err);
}

/* crossings of all levels between the values ga and gb, from a to b */
static zw_status cross_all(zw_worker *w, int lane, int i, double a, double ga, double b, double gb,
                           zw_error *err) {
    double repeat = w->e->lane_group.repeat[i];
    if (!(repeat > 0))
        return record_crossing(w, lane, i, 0, a, ga, b, gb, err);
    double up = gb > ga ? 1 : -1, first = up > 0 ? floor(ga / repeat) : ceil(ga / repeat);
    for (double m = first; up * (m * repeat - gb) <= 0; m += up)
        ZW_TRY(
            record_crossing(w, lane, i, m * repeat, a, ga - m * repeat, b, gb - m * repeat, err));
    return ZW_OK;
}

/* where |g| is least between three samples of the same sign, by their parabola */
static bool find_nearest(const double *t, const double *g, double *at) {
    double a = (g[0] - g[1]) / (t[0] - t[1]), b = (g[2] - g[1]) / (t[2] - t[1]),
           c = (b - a) / (t[2] - t[0]), sign = g[1] > 0 ? 1 : -1;
    if (!(c * sign > 0) || g[1] * sign > g[0] * sign || g[1] * sign > g[2] * sign)
        return false;
    double d = -(a - c * (t[0] - t[1])) / (2 * c), least = g[1] - c * d * d;
    *at = t[1] + d;
    return least * sign <= 0.5 * fabs(g[1]) && *at > t[0] && *at < t[2] && *at != t[1];
}

/* Three samples of the same sign: does the function pass its level and return between them? */
static zw_status check_dip(zw_worker *w, int lane, int i, const double *t, const double *g,
                           zw_error *err) {
    double level = level_of(&w->e->lane_group, i, g[1]), near, there;
    double h[3] = {g[0] - level, g[1] - level, g[2] - level};
    if (!(h[0] * h[1] > 0) || !(h[1] * h[2] > 0) || !find_nearest(t, h, &near))
        return ZW_OK;
    ZW_TRY(event_at(w, lane, i, near, &there, err));
    there -= level;
    if (there == 0 || (there > 0) == (h[1] > 0))
        return ZW_OK;
    int k = near < t[1] ? 0 : 1; /* it is between samples k and k + 1 */
    ZW_TRY(record_crossing(w, lane, i, level, t[k], h[k], near, there, err));
    return record_crossing(w, lane, i, level, near, there, t[k + 1], h[k + 1], err);
}

zw_status zw_lane_worker_crossings(zw_worker *w, int lane, zw_error *err) {
    const zw_lane_group *s = &w->e->lane_group;
    zw_lanes *l = &w->lanes;
    int all = row_count(w), first = all - s->nwatch, L = l->L;
    double t[ZW_SPAN_SAMPLES], g[ZW_SPAN_SAMPLES];
    w->ncrossing = 0;
    for (int k = 0; k < ZW_SPAN_SAMPLES; k++)
        t[k] = k == ZW_SPAN_SAMPLES - 1
                   ? l->t1[lane]
                   : l->t[lane] + (1 + zw_span_node[k]) / 2 * (l->t1[lane] - l->t[lane]);
    for (int i = 0; i < s->nwatch; i++) {
        double *side = &w->slot[lane].side[i], from = t[0];
        for (int k = 0; k < ZW_SPAN_SAMPLES; k++)
            g[k] = w->sample[(k * all + first + i) * L + lane];
        double before = *side;
        for (int k = 1; k < ZW_SPAN_SAMPLES; k++) {
            if (k + 1 < ZW_SPAN_SAMPLES && before != 0)
                ZW_TRY(check_dip(w, lane, i, t + k - 1, g + k - 1, err));
            if (g[k] == level_of(s, i, g[k]))
                continue;
            if (before != 0)
                ZW_TRY(cross_all(w, lane, i, from, before, t[k], g[k], err));
            before = g[k];
            from = t[k];
        }
        *side = before;
    }
    return ZW_OK;
}
