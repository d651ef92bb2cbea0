/* SPDX-License-Identifier: MIT */
/* Disturbances along a simulated motion: V' = (df/dx) V, piece by piece of the dense output, with
 * Gauss collocation (motion/floquet/variation.h). Where the rates jump
 * (motion/segments/rate_jump.h), events act, or contacts open, close, slip and stick, they are
 * multiplied by the saltation matrix (motion/segments/event_jump.h) of that event
 * (sim/event_map.h). Contacts that close without restitution and slips that end annihilate
 * disturbances; the motion reports the number of independent ones that are left. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "internal.h"
#include "motion/segments/event_jump.h"
#include "motion/segments/rate_jump.h"
#include "sim/event_map.h"

/* Remainder of a disturbance after subtraction of the others, relative to its length: less is
 * round-off of the saltation matrices, which have relative errors of 1e-12 and more. */
#define REMAINDER_DEPENDENT 1e-11
enum { STAGES = 5, FUNCTIONS = 64 }; /* of Gauss collocation per piece; at the same time */

struct zw_ensemble_tangent {
    zw_event_passage *passage; /* NULL: nothing jumps */
    zw_event_jump jump;
    zw_rate_jump rates;
    int nmode, nswitch; /* capacities of rates */
    bool smooth;        /* the last event did not change the rates */
    bool begun;         /* disturbances are followed */
    double *T;          /* (nx + 1) x nx: scratch */
    double *size;       /* nx: of the entries of disturbances */
};

static zw_status reject_tangent(zw_error *err, const char *why) {
    zw_fail(err, ZW_E_OPTION, "small disturbances cannot be followed: %s", why);
    zw_error_hint(err,
                  "disturbances need equations that have derivatives, between events and at them");
    return ZW_E_OPTION;
}

static bool has_jumps(const zw_sim *sim) {
    const zw_kernel *k = sim->stage->kernel;
    bool jumps = zw_sim_along_jumps(sim) != NULL;
    for (int i = 0; i < k->nswitch; i++)
        jumps |= !k->switches[i].is_continuous;
    return jumps;
}

static zw_status cross_jump(void *user, const zw_sim_turned *turned, zw_error *err);

zw_status zw_tangent_prepare(zw_worker *w, zw_error *err) {
    zw_kernel *k = zw_sim_along_kernel(w->sim);
    zw_flow *flow = zw_run_flow(zw_sim_along_run(w->sim));
    int n = w->e->options.variations, nx = w->sys->nq + w->sys->nv;
    if (n == 0)
        return ZW_OK;
    if (w->sim->contacts.steps)
        return reject_tangent(err, "contacts are treated in time steps, which have no derivatives");
    if (k->nx != nx || w->sim->stage->eq.system_v)
        return reject_tangent(err, "the unknowns of the equations are not those of the model");
    if (n > nx)
        return zw_fail(err, ZW_E_OPTION, "%d disturbances are too many: the state has %d entries",
                       n, nx);
    ZW_TRY(zw_kernel_require(k, ZW_SET(JAC) | ZW_SET(GRAD), err));
    ZW_TRY(zw_flow_renew(flow, err));
    ZW_TRY(zw_variation_init(&w->linear, &w->arena, flow, STAGES, 0, err));
    w->linear.n = n;
    w->tangent = ZW_NEW(&w->arena, zw_ensemble_tangent, 1);
    if (!w->tangent || !(w->tangent->T = ZW_NEW(&w->arena, double, nx *(nx + 1) + 1)) ||
        !(w->tangent->size = ZW_NEW(&w->arena, double, nx + 1)))
        return zw_out_of_memory(err, "an ensemble");
    if (!has_jumps(w->sim))
        return ZW_OK;
    ZW_TRY(zw_event_passage_create(&w->tangent->passage, w->sim, err));
    w->sim->on_turn = cross_jump;
    w->sim->on_turn_user = w;
    return zw_event_jump_init(&w->tangent->jump, &w->arena, nx, 0, nx + FUNCTIONS + w->sys->np,
                              err);
}

void zw_tangent_forget(zw_worker *w) {
    if (w->tangent)
        w->tangent->begun = false;
}

void zw_tangent_clear(zw_worker *w) {
    if (w->tangent)
        zw_event_passage_destroy(w->tangent->passage);
    w->tangent = NULL;
}

/* Is the vector, in units of the sizes, independent of the `rank` orthonormal rows of Q? Then it
 * becomes the next row. whole: its length before the projection into the tangent space. */
static bool is_new(double *Q, int rank, int nx, const double *size, const double *vector,
                   double whole) {
    double *v = Q + (size_t)rank * (size_t)nx, left = 0;
    for (int i = 0; i < nx; i++)
        v[i] = vector[i] / size[i];
    for (int r = 0; r < 2 * rank; r++) {
        const double *other = Q + (size_t)(r % rank) * (size_t)nx;
        double dot = 0;
        for (int i = 0; i < nx; i++)
            dot += v[i] * other[i];
        for (int i = 0; i < nx; i++)
            v[i] -= dot * other[i];
    }
    for (int i = 0; i < nx; i++)
        left += v[i] * v[i];
    for (int i = 0; i < nx && left > 0; i++)
        v[i] /= sqrt(left);
    return sqrt(left) > REMAINDER_DEPENDENT * whole;
}

/* the largest absolute value of each entry over the n disturbances */
static void find_sizes(const zw_worker *w, int n, int nx, double *size) {
    for (int i = 0; i < nx; i++) {
        size[i] = 0;
        for (int k = 0; k < n; k++)
            size[i] = fmax(size[i], fabs(w->variation[k * nx + i]));
        if (!(size[i] > 0))
            size[i] = 1;
    }
}

/* The dimension of the tangent space, which is zero for a body at rest on its contacts. */
static zw_status find_dimension(zw_worker *w, zw_run *run, int nx, int *room, zw_error *err) {
    *room = nx;
    if (!w->tangent->passage)
        return ZW_OK;
    return zw_flow_tangent(zw_run_flow(run), zw_run_time(run), zw_run_state(run), ZW_METRIC_PLAIN,
                           room, w->tangent->T, NULL, err);
}

/* projects disturbances into the tangent space and passes them to the equations; more than its
 * dimension are round-off */
zw_status zw_tangent_take(zw_worker *w, zw_error *err) {
    int n = w->e->options.variations, nx = w->sys->nq + w->sys->nv, rank = 0, room;
    zw_run *run = zw_sim_along_run(w->sim);
    double *size = w->tangent->size;
    if (w->tangent->passage) {
        ZW_TRY(zw_event_passage_begin(w->tangent->passage, !w->tangent->begun, err));
        w->tangent->rates.fresh = w->tangent->begun = true;
    }
    ZW_TRY(find_dimension(w, run, nx, &room, err));
    find_sizes(w, n, nx, size);
    for (int k = 0; k < n; k++) {
        double whole = 0;
        memcpy(w->dense, w->variation + k * nx, sizeof(double) * (size_t)nx);
        for (int i = 0; i < nx; i++)
            whole += w->dense[i] / size[i] * (w->dense[i] / size[i]);
        ZW_TRY(zw_flow_project_tangent(zw_run_flow(run), zw_run_time(run), zw_run_state(run),
                                       w->dense, err));
        if (rank == room)
            memset(w->dense, 0, sizeof(double) * (size_t)nx);
        for (int i = 0; i < nx; i++)
            w->linear.Y[i * n + k] = w->dense[i];
        rank += rank < room && is_new(w->tangent->T, rank, nx, size, w->dense, sqrt(whole));
    }
    w->m.rank = rank;
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- pieces */

static zw_status state_within(void *user, double t, double *x, zw_error *err) {
    zw_worker *w = user;
    return zw_run_dense(zw_sim_along_run(w->sim), t, x, err);
}

static zw_status prepare_rates(zw_worker *w, zw_run *run, zw_error *err) {
    zw_ensemble_tangent *g = w->tangent;
    zw_flow *flow = zw_run_flow(run);
    const zw_kernel *k = zw_flow_kernel(flow);
    bool fresh = g->rates.fresh || g->rates.run != run;
    if (k->nmode > g->nmode || k->nswitch > g->nswitch) {
        g->nmode = k->nmode > g->nmode ? k->nmode : g->nmode;
        g->nswitch = k->nswitch > g->nswitch ? k->nswitch : g->nswitch;
        ZW_TRY(zw_rate_jump_init(&g->rates, &w->arena, k->nx, g->nmode, g->nswitch, err));
        fresh = true;
    }
    g->rates.run = run;
    g->rates.flow = flow;
    g->rates.k = k;
    g->rates.fresh = fresh;
    return ZW_OK;
}

/* Y <- S Y where the rates jump at t */
static zw_status pass_rates(zw_worker *w, double t, zw_error *err) {
    zw_saltation s;
    int n = w->linear.n, nx = w->linear.nx;
    double *Y = w->linear.Y;
    ZW_TRY(zw_rate_jump_look(&w->tangent->rates, t, &s, err));
    if (s.which == ZW_RATE_JUMP_NONE)
        return ZW_OK;
    if (s.which < 0 || !s.straight)
        return zw_fail(err, ZW_E_NUMERIC,
                       "several jumps of the rates coincide, or the motion slides along one, at t "
                       "= %.10g s: disturbances have no derivatives there",
                       t);
    for (int j = 0; j < n; j++) {
        double along = 0;
        for (int i = 0; i < nx; i++)
            along += s.slope[i] * Y[i * n + j];
        for (int i = 0; i < nx; i++)
            Y[i * n + j] += s.change[i] * along / s.rate;
    }
    return ZW_OK;
}

zw_status zw_tangent_piece(zw_worker *w, zw_run *run, double t0, double t1, zw_error *err) {
    zw_ensemble_tangent *g = w->tangent;
    zw_flow *flow = zw_run_flow(run);
    bool kinks = g->passage && zw_flow_kernel(flow)->nmode > 0;
    if (!(t1 > t0))
        return ZW_OK;
    if (kinks) {
        ZW_TRY(prepare_rates(w, run, err));
        ZW_TRY(pass_rates(w, t0, err));
    }
    ZW_TRY(zw_variation_step(&w->linear, flow, t0, t1, state_within, w, err));
    if (kinks)
        ZW_TRY(zw_rate_jump_remember(&g->rates, t1, err));
    return g->passage ? zw_event_passage_piece(g->passage, run, t1, err) : ZW_OK;
}

/* -------------------------------------------------------------------------------------- events */

static void warn_end(zw_worker *w) {
    const zw_event_passage *p = w->tangent->passage;
    char key[200];
    snprintf(key, sizeof key, "accumulation %.150s", p->contact);
    if (!p->ends || zw_warnings_again(w->sim->doubts, key, p->t, NAN))
        return;
    zw_warning d = zw_warning_of(
        key, p->t,
        "impacts of the contact %s accumulate near t = %.6g s: disturbances after that "
        "are accurate only to about the square root of the tolerance",
        p->contact, p->t);
    zw_warnings_add(w->sim->doubts, &d);
}

static zw_status check_jump(const zw_worker *w, zw_event_jump_kind kind, zw_error *err) {
    static const char *const what[] = {
        [ZW_EVENT_JUMP_GRAZES] = "the motion grazes, so disturbances have no derivatives,",
        [ZW_EVENT_JUMP_SEVERAL] =
            "several switching functions vanish at once, so disturbances have no derivatives,",
        [ZW_EVENT_JUMP_MOVES] = "an event sets a parameter that depends on the state or time, "
                                "which derivatives do not support,"};
    if (kind == ZW_EVENT_JUMP_REGULAR)
        return ZW_OK;
    return zw_event_passage_reject(w->tangent->passage, what[kind], err);
}

static zw_status cross_jump(void *user, const zw_sim_turned *turned, zw_error *err) {
    zw_worker *w = user;
    zw_ensemble_tangent *g = w->tangent;
    zw_event_passage *p = g->passage;
    zw_event_jump_kind kind;
    if (!g->begun)
        return ZW_OK;
    ZW_TRY(zw_event_passage_take(p, turned, err));
    ZW_TRY(zw_event_jump_find(&g->jump, p->nsigma, p->nfixed, zw_event_passage_map, p, p->t, p->x,
                              p->before, p->after, p->size, &kind, err));
    if (p->again && !g->smooth && !g->jump.smooth)
        kind = ZW_EVENT_JUMP_SEVERAL;
    int rank = zw_event_jump_pass(&g->jump, w->linear.n, p->most, p->size, w->linear.Y, &kind);
    ZW_TRY(check_jump(w, kind, err));
    w->m.rank = rank < w->m.rank ? rank : w->m.rank;
    g->smooth = g->jump.smooth;
    g->rates.fresh = true;
    warn_end(w);
    return ZW_OK;
}
