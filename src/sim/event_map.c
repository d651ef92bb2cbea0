/* SPDX-License-Identifier: MIT */
#include "event_map.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "mech/system/build.h"
#include "num/flow/flow.h"

/* Scales for difference quotients. A motion of a coordinate below RANGE_MOVED of its possible range
 * does not give its scale; then it is RANGE_AT_REST of that range, or of the speed of the others.
 * No scale is below VALUE_SCALE of the value. Each may be wrong by a factor of ten: differences
 * lose one digit. */
#define RANGE_MOVED 1e-6
#define RANGE_AT_REST 1e-2
#define VALUE_SCALE 1e-3
/* Distance in time, relative to the time scale of the motion, of switching functions that vanish
 * together: their zeros are located to about 1e-12. */
#define SIMULTANEOUS 1e-9
enum { FUNCTIONS_MAX = 64 }; /* of one instant */
enum {
    BEFORE,
    AFTER
}; /* an instant may lead back to its stage, with other pieces of kinks and other parameters */

static size_t doubles(int n) {
    return sizeof(double) * (size_t)n;
}

/* ------------------------------------------------------------------------------------ lifecycle */

static zw_status fill_passage(zw_event_passage *p, zw_error *err) {
    const zw_system *s = p->sim->worlds->sys;
    zw_arena *a = &p->arena;
    int nx = s->nq + s->nv;
    p->nx = nx;
    p->x = ZW_NEW(a, double, nx + 1);
    p->before = ZW_NEW(a, double, nx + 1);
    p->after = ZW_NEW(a, double, nx + 1);
    p->size = ZW_NEW(a, double, nx + 2);
    p->p = ZW_NEW(a, double, s->np + 1);
    p->p_old = ZW_NEW(a, double, s->np + 1);
    p->p_new = ZW_NEW(a, double, s->np + 1);
    p->low = ZW_NEW(a, double, nx + 1);
    p->high = ZW_NEW(a, double, nx + 1);
    p->next = ZW_NEW(a, double, nx + 1);
    p->sigma = ZW_NEW(a, int, FUNCTIONS_MAX + 1);
    p->event = ZW_NEW(a, int, s->nevent + 1);
    p->fixed = ZW_NEW(a, bool, nx + 1);
    p->scratch = ZW_NEW(a, double, nx *nx + 4 * nx + 4 * s->nconstraint + 16);
    return a->failed ? zw_out_of_memory(err, "the derivatives of a motion") : ZW_OK;
}

zw_status zw_event_passage_create(zw_event_passage **out, zw_sim *sim, zw_error *err) {
    zw_arena arena;
    zw_arena_init(&arena, &sim->arena.alloc);
    zw_event_passage *p = ZW_NEW(&arena, zw_event_passage, 1);
    *out = NULL;
    if (!p) {
        zw_arena_clear(&arena);
        return zw_out_of_memory(err, "the derivatives of a motion");
    }
    p->arena = arena;
    p->sim = sim;
    zw_status status = fill_passage(p, err);
    if (status < 0)
        zw_event_passage_destroy(p);
    else
        *out = p;
    return status;
}

void zw_event_passage_destroy(zw_event_passage *p) {
    if (!p)
        return;
    for (zw_event_passage_stage *s = p->stages; s; s = s->next) {
        zw_flow_destroy(s->flow[BEFORE]);
        zw_flow_destroy(s->flow[AFTER]);
    }
    for (zw_event_passage_ground *g = p->grounds; g; g = g->next)
        zw_flow_destroy(g->flow);
    zw_arena arena = p->arena;
    zw_arena_clear(&arena);
}

/* ---------------------------------------------------------------------------------------- flows */

/* copies the modes (pieces of kinks) of another flow of the kernel */
static void take_modes(zw_flow *to, const zw_flow *from) {
    memcpy(to->mode, from->mode, doubles(from->k->nmode));
    to->locked = from->locked;
}

static zw_status add_stage(zw_event_passage *p, const zw_sim_stage *stage, zw_error *err) {
    if (stage->eq.system_v || stage->kernel->nx != p->nx)
        return zw_fail(err, ZW_E_OPTION,
                       "the unknowns of the equations are not those of the model: derivatives of "
                       "motions are not supported for this principle");
    zw_event_passage_stage *own = ZW_NEW(&p->arena, zw_event_passage_stage, 1);
    if (!own)
        return zw_out_of_memory(err, "the derivatives of a motion");
    own->stage = stage;
    own->next = p->stages;
    p->stages = own;
    ZW_TRY(zw_kernel_require(stage->kernel, ZW_SET(JAC) | ZW_SET(GRAD), err));
    ZW_TRY(zw_flow_renew(zw_run_flow(stage->run), err));
    for (int side = BEFORE; side <= AFTER; side++) {
        ZW_TRY(zw_flow_create(&own->flow[side], stage->kernel, stage->world->p, err));
        zw_sim_input_feed(own->flow[side], (zw_sim_stage *)stage);
    }
    return ZW_OK;
}

static zw_status stage_of(zw_event_passage *p, const zw_sim_stage *stage, int side, zw_flow **out,
                          zw_error *err) {
    zw_event_passage_stage *own = p->stages;
    while (own && own->stage != stage)
        own = own->next;
    if (!own) {
        ZW_TRY(add_stage(p, stage, err));
        own = p->stages;
    }
    *out = own->flow[side];
    return (*out)->version == stage->kernel->version ? ZW_OK : zw_flow_renew(*out, err);
}

static zw_status ground_of(zw_event_passage *p, const zw_sim_stage *stage,
                           zw_event_passage_ground **out, zw_error *err) {
    zw_sim_ground *of;
    zw_event_passage_ground *g = p->grounds;
    ZW_TRY(zw_sim_ground_get(p->sim, stage, &of, err));
    while (g && g->of != of)
        g = g->next;
    if (!g) {
        g = ZW_NEW(&p->arena, zw_event_passage_ground, 1);
        if (!g)
            return zw_out_of_memory(err, "the derivatives of a motion");
        g->of = of;
        ZW_TRY(zw_flow_create(&g->flow, of->kernel, stage->world->p, err));
        zw_sim_input_feed(g->flow, (zw_sim_stage *)stage);
        ZW_TRY(zw_strike_init(&g->strike, &p->arena, of->kernel, g->flow, of->stances, err));
        g->next = p->grounds;
        p->grounds = g;
    }
    *out = g;
    return ZW_OK;
}

static zw_status set_parameters(zw_flow *flow, int np, const double *p, zw_error *err) {
    if (memcmp(zw_flow_parameters(flow), p, doubles(np)) == 0)
        return ZW_OK;
    return zw_flow_set_parameters(flow, p, err);
}

zw_status zw_event_passage_flow(zw_event_passage *p, zw_flow **out, zw_error *err) {
    const zw_sim_stage *stage = p->sim->stage;
    ZW_TRY(stage_of(p, stage, BEFORE, out, err));
    take_modes(*out, zw_run_flow(stage->run));
    return set_parameters(*out, stage->world->sys->np, stage->world->p, err);
}

/* -------------------------------------------------------------------------------- along the
 * motion */

static void widen_range(zw_event_passage *p, const double *x) {
    for (int i = 0; i < p->nx; i++) {
        p->low[i] = fmin(p->low[i], x[i]);
        p->high[i] = fmax(p->high[i], x[i]);
    }
}

static zw_status store_modes(zw_event_passage *p, const zw_run *run, zw_error *err) {
    const zw_flow *flow = zw_run_flow((zw_run *)run);
    int n = flow->k->nmode;
    if (n > p->mode_capacity) {
        p->mode = ZW_NEW(&p->arena, double, n + 1);
        p->mode_capacity = n;
    }
    if (p->arena.failed)
        return zw_out_of_memory(err, "the derivatives of a motion");
    if (n > 0)
        memcpy(p->mode, flow->mode, doubles(n));
    p->nmode = n;
    return ZW_OK;
}

zw_status zw_event_passage_begin(zw_event_passage *p, bool fresh, zw_error *err) {
    const zw_sim_stage *stage = p->sim->stage;
    zw_flow *flow;
    memcpy(p->x, zw_run_state(stage->run), doubles(p->nx));
    if (fresh) {
        memcpy(p->low, p->x, doubles(p->nx));
        memcpy(p->high, p->x, doubles(p->nx));
    }
    widen_range(p, p->x);
    memcpy(p->p_old, stage->world->p, doubles(stage->world->sys->np));
    p->last = -INFINITY;
    ZW_TRY(zw_event_passage_flow(p, &flow, err));
    return store_modes(p, stage->run, err);
}

zw_status zw_event_passage_piece(zw_event_passage *p, zw_run *run, double t1, zw_error *err) {
    ZW_TRY(zw_run_dense(run, t1, p->x, err));
    widen_range(p, p->x);
    memcpy(p->p_old, p->sim->stage->world->p, doubles(p->sim->stage->world->sys->np));
    return store_modes(p, run, err);
}

/* ----------------------------------------------------------------------------------- the
 * instant */

static bool is_clock(const zw_event_passage *p, const zw_sim_turned *turned) {
    bool all = turned->n > 0;
    for (int i = 0; i < turned->n; i++)
        all = all && turned->event[i] < p->from->world->sys->nevent &&
              p->from->world->sys->event[turned->event[i]].period;
    return all;
}

/* names of what changes, for messages */
static void name_change(const zw_event_passage *p, zw_place *place, char *out, size_t size) {
    const zw_system *s = p->from->world->sys;
    out[0] = '\0';
    *place = (zw_place){0};
    for (int i = 0; i < p->nsigma && !p->kink; i++) {
        zw_sim_function f = zw_sim_function_of(s, p->sigma[i]);
        size_t used = strlen(out);
        if (i == 0)
            *place = f.place;
        snprintf(out + used, size - used, "%s%s", i ? " and the " : "the ", f.name);
    }
    if (p->kink)
        snprintf(out, size, "a kink of a gap or a slip");
}

zw_status zw_event_passage_reject(const zw_event_passage *p, const char *what, zw_error *err) {
    char names[500];
    zw_place place;
    name_change(p, &place, names, sizeof names);
    return zw_fail_at(err, ZW_E_NUMERIC, place, "%s at t = %.10g s: %s", what, p->t, names);
}

/* the switching functions that are crossed now; if neighbouring motions cross several together, any
 * of them will do */
static zw_status find_kinks(zw_event_passage *p, zw_flow *flow, zw_error *err) {
    int n = flow->k->nswitch;
    zw_switch_rate_parts a;
    double *value = p->evt;
    memcpy(value, zw_at_switches(flow, p->t, p->x, NULL).value, doubles(n));
    a = zw_at_switch_rate(flow, p->t, p->x, NULL);
    p->nsigma = 0;
    for (int i = 0; i < n && p->nsigma < FUNCTIONS_MAX; i++) {
        double rate = a.dt[i];
        for (int k = 0; k < p->nx; k++)
            rate += a.dx[i * p->nx + k] * p->before[k];
        if (fabs(value[i]) <= SIMULTANEOUS * p->size[p->nx] * fabs(rate))
            p->sigma[p->nsigma++] = i;
    }
    return p->nsigma > 0 ? ZW_OK : zw_event_passage_reject(p, "no derivatives are known", err);
}

static zw_status find_functions(zw_event_passage *p, const zw_sim_turned *turned, zw_flow *flow,
                                zw_error *err) {
    p->kink = turned->n == 0;
    p->clock = is_clock(p, turned);
    p->nsigma = 0;
    int most = flow->k->nevt + flow->k->nswitch;
    if (most > p->evt_capacity) {
        p->evt = ZW_NEW(&p->arena, double, most + 1);
        p->evt_capacity = most;
        if (!p->evt)
            return zw_out_of_memory(err, "the derivatives of a motion");
    }
    if (p->kink)
        return find_kinks(p, flow, err);
    for (int i = 0; i < turned->n && !p->clock; i++) {
        if (p->nsigma == FUNCTIONS_MAX)
            return zw_event_passage_reject(p, "too many switching functions vanish at once", err);
        p->sigma[p->nsigma++] = turned->event[i];
    }
    return ZW_OK;
}

/* the range of coordinate i so far; if it has hardly moved, a fraction of its possible range */
static double reach_of(const zw_event_passage *p, int i, bool *moved) {
    double width = p->sim->width[i] > 0 ? p->sim->width[i] : 1,
           far = fmin(p->high[i] - p->low[i], width);
    *moved = far > RANGE_MOVED * width;
    return fmax(*moved ? far : RANGE_AT_REST * width, VALUE_SCALE * fabs(p->x[i]));
}

/* Scales of the entries, and their time scale. A velocity that is zero, as in sticking, gets a
 * fraction of the scale of similar ones. */
static void find_sizes(zw_event_passage *p) {
    const zw_system *s = p->from->world->sys;
    double brief = INFINITY, fastest = 0, shortest = INFINITY;
    bool moved;
    for (int i = 0; i < s->nv; i++) {
        int c = s->velocity[i].coord;
        double v = fmax(fabs(p->high[s->nq + i]), fabs(p->low[s->nq + i])),
               far = c >= 0 ? reach_of(p, c, &moved) : 0;
        fastest = fmax(fastest, v);
        if (c >= 0 && moved && v > 0)
            brief = fmin(brief, far / v);
    }
    for (int i = 0; i < p->nx; i++) {
        int c = i < s->nq ? i : s->velocity[i - s->nq].coord;
        double far = c >= 0 ? reach_of(p, c, &moved) : 0,
               slow = c >= 0 && isfinite(brief) ? far / brief : fastest,
               v = fmax(fabs(p->high[i]), fabs(p->low[i]));
        p->size[i] = i < s->nq ? far : fmax(v, RANGE_AT_REST * slow);
        if (!(p->size[i] > 0))
            p->size[i] = 1;
        double rate = fmax(fabs(p->before[i]), fabs(p->after[i]));
        if (rate > 0)
            shortest = fmin(shortest, p->size[i] / rate);
    }
    p->size[p->nx] = isfinite(shortest) ? shortest : 1;
}

/* -1: it is a parameter */
static int entry_of(const zw_system *s, zw_expr what) {
    for (int i = 0; i < s->nq; i++)
        if (s->coord[i].sym == what)
            return i;
    for (int i = 0; i < s->nv; i++)
        if (s->velocity[i].sym == what)
            return s->nq + i;
    return -1;
}

static zw_status find_events(zw_event_passage *p, const zw_sim_turned *turned, zw_error *err) {
    const zw_system *s = p->from->world->sys;
    p->model = !turned->touching;
    p->nevent = p->nfixed = 0;
    memset(p->fixed, 0, sizeof *p->fixed * (size_t)p->nx);
    for (int i = 0; i < turned->n && p->model; i++) {
        const zw_event *e = &s->event[turned->event[i]];
        p->event[p->nevent++] = turned->event[i];
        for (int k = 0; k < e->naction; k++) {
            int entry = e->action[k].kind == ZW_ACTION_SET ? entry_of(s, e->action[k].what) : -1;
            if (entry >= 0)
                p->fixed[entry] = true;
            else
                p->nfixed += e->action[k].kind == ZW_ACTION_SET;
        }
    }
    return p->from->world == p->to->world
               ? ZW_OK
               : zw_event_passage_reject(p, "another variant has no derivatives", err);
}

static zw_status find_patterns(zw_event_passage *p, zw_error *err) {
    const zw_sim_standing *d = &p->sim->standing;
    zw_event_passage_ground *g;
    if (d->paradox)
        return zw_event_passage_reject(p, "an impulse ends Painleve's paradox", err);
    if (d->nimpact > ZW_SIM_IMPACTS)
        return zw_event_passage_reject(p, "too many impacts follow each other", err);
    if (d->nimpact == 0)
        return ZW_OK;
    ZW_TRY(ground_of(p, p->to, &g, err));
    take_modes(g->flow, zw_run_flow(g->of->run));
    int n = g->of->kernel->ntouch + 1;
    if (n > p->pattern_capacity) {
        p->pattern = ZW_NEW(&p->arena, signed char, ZW_SIM_IMPACTS *n);
        p->pattern_capacity = n;
        if (!p->pattern)
            return zw_out_of_memory(err, "the derivatives of a motion");
    }
    for (int k = 0; k < d->nimpact; k++)
        zw_strike_forget(g->of->kernel, p->pattern + k * n);
    return ZW_OK;
}

static void name_end(zw_event_passage *p) {
    const zw_system *s = p->to->world->sys;
    p->contact = "";
    for (int i = 0, c = 0; i < s->ncontact; i++)
        if (!s->contact[i].off && p->sim->standing.rest_at[c++] < INFINITY)
            p->contact = s->contact[i].name;
}

zw_status zw_event_passage_take(zw_event_passage *p, const zw_sim_turned *turned, zw_error *err) {
    const zw_system *s = turned->from->world->sys;
    zw_flow *from, *to;
    p->t = turned->t;
    p->from = turned->from;
    p->to = turned->to;
    p->ends = turned->ends;
    p->again = p->last == p->t;
    if (p->again) { /* from the state after the previous one */
        memcpy(p->x, p->next, doubles(p->nx));
        memcpy(p->p_old, p->p_new, doubles(s->np));
        ZW_TRY(store_modes(p, p->from->run, err));
    }
    ZW_TRY(stage_of(p, p->from, BEFORE, &from, err));
    ZW_TRY(stage_of(p, p->to, AFTER, &to, err));
    ZW_TRY(set_parameters(from, s->np, p->p_old, err));
    if (p->nmode > 0 && p->nmode == from->k->nmode)
        memcpy(from->mode, p->mode, doubles(p->nmode));
    from->locked = zw_run_flow(p->from->run)->locked;
    ZW_TRY(zw_flow_rates(from, p->t, p->x, p->before, NULL, err));
    memcpy(p->p_new, turned->to->world->p, doubles(s->np));
    ZW_TRY(set_parameters(to, s->np, p->p_new, err));
    take_modes(to, zw_run_flow(p->to->run));
    ZW_TRY(zw_flow_rates(to, p->t, turned->x, p->after, NULL, err));
    ZW_TRY(zw_flow_tangent(to, p->t, turned->x, ZW_METRIC_PLAIN, &p->most, p->scratch, NULL, err));
    find_sizes(p);
    ZW_TRY(find_functions(p, turned, from, err));
    ZW_TRY(find_events(p, turned, err));
    ZW_TRY(find_patterns(p, err));
    if (p->ends)
        name_end(p);
    p->last = p->t;
    memcpy(p->next, turned->x, doubles(p->nx));
    return zw_event_passage_map(p, p->t, p->x, -1, 0, p->scratch,
                                err); /* the patterns are those at this state */
}

/* -------------------------------------------------------------------------------------- the map */

static zw_status find_sigma(zw_event_passage *p, zw_flow *flow, double t, const double *x,
                            double *out, zw_error *err) {
    if (p->nsigma == 0)
        return ZW_OK;
    if (p->kink)
        memcpy(p->evt, zw_at_switches(flow, t, x, NULL).value, doubles(flow->k->nswitch));
    else
        ZW_TRY(zw_flow_events(flow, t, x, p->evt, err));
    for (int i = 0; i < p->nsigma; i++)
        out[i] = p->evt[p->sigma[i]];
    return ZW_OK;
}

/* the values that events of the model set, all computed from those before the event */
static zw_status apply_event(zw_event_passage *p, zw_flow *flow, double t, const double *x,
                             double *out, double *fixed, zw_error *err) {
    const zw_system *s = p->from->world->sys;
    if (p->nevent == 0 || flow->k->nact == 0)
        return ZW_OK;
    ZW_TRY(zw_flow_rates(flow, t, x, p->scratch, p->scratch + p->nx, err));
    const double *value = zw_at_act(flow, t, x, p->scratch + p->nx).value;
    for (int i = 0; i < p->nevent; i++) {
        const zw_event *e = &s->event[p->event[i]];
        const double *own = value;
        for (int k = 0; k < p->event[i]; k++)
            for (int a = 0; a < s->event[k].naction; a++)
                own += s->event[k].action[a].kind == ZW_ACTION_SET;
        for (int a = 0; a < e->naction; a++)
            if (e->action[a].kind == ZW_ACTION_SET) {
                int entry = entry_of(s, e->action[a].what);
                *(entry < 0 ? fixed++ : &out[entry]) = *own++;
            }
    }
    return ZW_OK;
}

static zw_status apply_impacts(zw_event_passage *p, const double *parameters, double t, double *x,
                               zw_error *err) {
    const zw_sim_standing *d = &p->sim->standing;
    zw_event_passage_ground *g;
    double slack;
    if (d->nimpact == 0)
        return ZW_OK;
    ZW_TRY(ground_of(p, p->to, &g, err));
    ZW_TRY(set_parameters(g->flow, p->to->world->sys->np, parameters, err));
    for (int k = 0; k < d->nimpact; k++)
        ZW_TRY(zw_strike_at(&g->strike, d->met + k * d->ncontact, d->plastic + k * d->ncontact,
                            p->pattern + k * (g->of->kernel->ntouch + 1), t, x, &slack, err));
    return ZW_OK;
}

zw_status zw_event_passage_map(void *passage, double t, const double *x, int parameter, double by,
                               double *out, zw_error *err) {
    zw_event_passage *p = passage;
    int np = p->from->world->sys->np;
    zw_flow *from, *to;
    double *after = out + p->nsigma;
    ZW_TRY(stage_of(p, p->from, BEFORE, &from, err));
    ZW_TRY(stage_of(p, p->to, AFTER, &to, err));
    memcpy(p->p, p->p_old, doubles(np));
    if (parameter >= 0)
        ZW_TRY(p->move(p->move_self, parameter, by, p->p, err));
    ZW_TRY(set_parameters(from, np, p->p, err));
    ZW_TRY(find_sigma(p, from, t, x, out, err));
    memcpy(after, x, doubles(p->nx));
    ZW_TRY(apply_event(p, from, t, x, after, after + p->nx, err));
    memcpy(p->p, p->p_new, doubles(np));
    if (parameter >= 0)
        ZW_TRY(p->move(p->move_self, parameter, by, p->p, err));
    ZW_TRY(apply_impacts(p, p->p, t, after, err));
    ZW_TRY(set_parameters(to, np, p->p, err));
    return zw_flow_project(to, t, after, p->fixed, err);
}
