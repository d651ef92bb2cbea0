/* SPDX-License-Identifier: MIT */
/* Stages: equations, kernel and run made from a system, their start, and the transition from one
 * stage to the next: states are passed as states of the system, since principles differ in
 * velocities. */
#include <string.h>

#include "base/arena.h"
#include "internal.h"
#include "num/events/switching.h"
#include "num/options.h"
#include "zwang/equations.h"

/* ------------------------------------------------------------------------------- making a stage */

/* does it act as a constraint? */
static bool is_joint(const zw_sim_stage *stage, int contact) {
    const zw_contact *c = &stage->world->sys->contact[contact];
    return c->bilateral && !c->off && !stage->absent[contact];
}

static zw_status make_home(zw_sim *sim, zw_sim_stage *stage, zw_error *err) {
    bool closes = false; /* bilateral contacts of time steps are constraints at the start */
    for (int i = 0; i < stage->world->sys->ncontact && sim->contacts.steps; i++)
        closes |= is_joint(stage, i);
    if (!stage->eq.from_system && !closes) {
        stage->home_eq = &stage->eq;
        stage->home = stage->run;
        return ZW_OK;
    }
    zw_equations *eq = ZW_NEW(&sim->arena, zw_equations, 1);
    if (!eq)
        return zw_out_of_memory(err, "the simulation");
    zw_kernel_options options = zw_kernel_options_default();
    options.jit = ZW_JIT_NEVER;
    options.functions = ZW_FUNCTIONS_RUN;
    const zw_system *s = stage->world->sys;
    bool *on = ZW_NEW(&sim->arena, bool, s->nconstraint + 1);
    if (!on)
        return zw_out_of_memory(err, "the simulation");
    memcpy(on, stage->on, sizeof *on * (size_t)s->nconstraint);
    for (int i = 0; closes && i < s->ncontact; i++)
        on[s->contact[i].closed] = is_joint(stage, i);
    const zw_active active = {.constraint = on, .absent = stage->absent};
    ZW_TRY(zw_derive(eq, s, &active, "lagrange", err));
    stage->home_eq = eq;
    ZW_TRY(zw_kernel_create(&stage->home_kernel, eq, &options, err));
    /* it is used for projections only, without a method */
    ZW_TRY(zw_run_create(&stage->home, stage->home_kernel, stage->world->p, NULL, err));
    zw_run_on_want(stage->home, zw_kernel_serve, stage->home_kernel);
    return ZW_OK;
}

/* the requested principle, or the one that the method needs */
static const char *principle_of(const zw_sim *sim) {
    if (sim->options.principle)
        return sim->options.principle;
    return zw_run_options_ask(&sim->options.run, "rattle") ? "hamilton" : "lagrange";
}

/* may an event change this parameter, or one from which others follow? */
static bool parameters_change(const zw_system *s) {
    for (int i = 0; i < s->nevent; i++)
        for (int k = 0; k < s->event[i].naction; k++) {
            const zw_action *a = &s->event[i].action[k];
            for (int j = 0; a->kind == ZW_ACTION_SET && j < s->np; j++)
                if (a->what == s->param[j].sym)
                    return true;
        }
    return false;
}

/* e with 0 in place of the parameters that are and remain zero */
static zw_expr with_zeros(const zw_sim_variant_state *w, zw_expr e) {
    for (int i = 0; i < w->sys->np; i++)
        if (w->p[i] == 0)
            e = zw_subst(w->sys->ctx, e, 1, &w->sys->param[i].sym, &(zw_expr){ZW_ZERO});
    return e;
}

/* Is the energy constant? The energy-conserving method and its check (num/methods/energy_check.c)
 * need it. */
static zw_status find_conservation(zw_sim_stage *stage, zw_error *err) {
    const zw_sim_variant_state *w = stage->world;
    zw_error reason = {0};
    zw_status status =
        stage->powers ? ZW_OK
                      : zw_equations_powers(&stage->eq, &stage->powers, &stage->npowers, &reason);
    if (status == ZW_E_MODEL && !zw_run_options_ask(&stage->sim->options.run, "energy"))
        return ZW_OK; /* without a balance nothing is known to be constant */
    if (status < 0)
        return zw_fail(err, status, "%s", reason.text);
    stage->conserves = true;
    for (int i = 0; i < stage->npowers; i++) {
        zw_expr value = stage->powers[i].value;
        value = parameters_change(w->sys) ? value : with_zeros(w, value);
        if (value != ZW_ZERO)
            stage->conserves = false;
    }
    stage->kernel->conservative = stage->conserves && !stage->sim->contacts.steps;
    return zw_context_status(w->sys->ctx, err);
}

/* reports periods: periodic coordinates make event functions periodic too, up to a constant of the
 * parameters */
static void set_periods(zw_sim *sim, zw_sim_stage *stage) {
    const zw_sim_variant_state *w = stage->world;
    memset(sim->repeat, 0, sizeof *sim->repeat * (size_t)stage->kernel->nevt);
    zw_system_event_repeats(w->sys, w->p, sim->repeat);
    zw_run_event_periods(stage->run, sim->repeat);
}

/* Its indices in the tables, if they exist: the stage in which the run starts fixes their
 * columns. */
static zw_status map_columns(zw_sim *sim, zw_sim_stage *stage, zw_error *err) {
    if (!sim->rows || stage->velocity)
        return ZW_OK;
    ZW_TRY(zw_sim_work_map(sim, stage, err));
    return zw_sim_record_map(sim, stage, err);
}

/* are the active constraints, without those of contacts, the same? */
static bool same_constraints(const zw_sim_stage *a, const zw_sim_stage *b) {
    const zw_system *s = a->world->sys;
    for (int i = 0; i < s->nconstraint && a->world == b->world; i++)
        if (a->on[i] != b->on[i] && !zw_sim_is_of_contact(s, i))
            return false;
    return a->world == b->world;
}

/* The system with the integrals that the stage conserves; that of another stage with the same
 * constraints, if there is one. Contacts prevent drift in other ways, and their time steps
 * constrain velocities only. */
static zw_status find_integrals(zw_sim *sim, zw_sim_stage *stage, zw_error *err) {
    const zw_system *s = stage->world->sys;
    stage->sys = s;
    for (const zw_sim_stage *other = sim->stages; other; other = other->next)
        if (same_constraints(stage, other)) {
            stage->sys = other->sys;
            return ZW_OK;
        }
    zw_system *kept = ZW_NEW(&sim->arena, zw_system, 1);
    bool *on = ZW_NEW(&sim->arena, bool, s->nconstraint + 1);
    if (!kept || !on)
        return zw_out_of_memory(err, "the simulation");
    for (int i = 0; i < s->nconstraint; i++)
        on[i] = stage->on[i] && !zw_sim_is_of_contact(s, i) && !sim->contacts.steps;
    stage->sys = kept;
    const zw_active active = {.constraint = on};
    return zw_system_keep_integrals(kept, s, &active, stage->world->p, NULL, err);
}

static zw_status fill_stage(zw_sim *sim, zw_sim_stage *stage, zw_error *err) {
    const zw_sim_options *o = &sim->options;
    const zw_sim_variant_state *w = stage->world;
    const zw_active active = {.constraint = stage->on,
                              .dependent = stage->asked,
                              .stance = stage->stance,
                              .absent = stage->absent,
                              .nshare = stage->nshare,
                              .share = stage->share,
                              .rest = stage->rest,
                              .most = stage->most};
    zw_kernel_options options = zw_kernel_options_default();
    options.jit = o->jit;
    options.functions = ZW_FUNCTIONS_RUN | ZW_SET(SWITCHES) | ZW_SET(SWITCH_LIVE) |
                        ZW_SET(SWITCH_RATE) | (o->energy ? ZW_SET(POWER) : 0) |
                        (stage->stance ? ZW_SET(TOUCH) | ZW_SET(LAW) : 0);
    options.modes = true;
    ZW_TRY(find_integrals(sim, stage, err));
    ZW_TRY(zw_derive(&stage->eq, stage->sys, &active, principle_of(sim), err));
    ZW_TRY(zw_kernel_create(&stage->kernel, &stage->eq, &options, err));
    ZW_TRY(zw_run_create(&stage->run, stage->kernel, w->p, &o->run, err));
    zw_run_on_want(stage->run, zw_kernel_serve, stage->kernel);
    zw_run_on_warning(stage->run, zw_sim_on_warning, stage);
    if (stage->stance)
        zw_num_halt_at_switches(stage->run);
    set_periods(sim, stage);
    ZW_TRY(find_conservation(stage, err));
    if (o->energy || o->interrupt || stage->eq.dependent || sim->watch.piece ||
        sim->contacts.chosen)
        zw_run_on_piece(stage->run, zw_sim_piece, sim);
    zw_run_coarse(stage->run, !o->energy && !stage->eq.dependent && !sim->watch.piece);
    stage->x = ZW_NEW(&sim->arena, double, stage->kernel->nx);
    if (!stage->x)
        return zw_out_of_memory(err, "the simulation");
    ZW_TRY(make_home(sim, stage, err));
    ZW_TRY(zw_sim_input_connect(sim, stage, err));
    stage->version = w->version;
    return map_columns(sim, stage, err);
}

static void destroy_stage(zw_sim_stage *stage) {
    if (stage->home != stage->run)
        zw_run_destroy(stage->home);
    zw_kernel_destroy(stage->home_kernel);
    zw_run_destroy(stage->run);
    zw_kernel_destroy(stage->kernel);
}

static zw_status copy_shares(zw_sim *sim, zw_sim_stage *stage, size_t n, zw_error *err) {
    const zw_sim_standing *d = &sim->standing;
    stage->share = ZW_NEW(&sim->arena, zw_share, d->nshare + 1);
    for (int i = 0; i < d->nshare && stage->share; i++) {
        double *factor = ZW_NEW(&sim->arena, double, n + 1);
        if (!factor)
            return zw_out_of_memory(err, "the simulation");
        memcpy(factor, d->share[i].factor, sizeof *factor * n);
        stage->share[i] = (zw_share){d->share[i].constraint, d->share[i].constant, factor};
    }
    stage->nshare = d->nshare;
    return stage->share ? ZW_OK : zw_out_of_memory(err, "the simulation");
}

static zw_status create_stage(zw_sim *sim, zw_sim_stage **out, zw_sim_variant_state *world,
                              const bool *on, const bool *dependent, zw_error *err) {
    size_t n = (size_t)world->sys->nconstraint, ncontact = (size_t)world->sys->ncontact;
    zw_sim_stage *stage = ZW_NEW(&sim->arena, zw_sim_stage, 1);
    bool *kept = ZW_NEW(&sim->arena, bool, n + 1),
         *absent = ZW_NEW(&sim->arena, bool, ncontact + 1);
    if (!stage || !kept || !absent)
        return zw_out_of_memory(err, "the simulation");
    memcpy(kept, on, sizeof *on * n);
    memcpy(absent, sim->absent, sizeof *absent * ncontact);
    stage->absent = absent;
    if (sim->standing.used) {
        stage->stance = ZW_NEW(&sim->arena, zw_contact_mode, ncontact + 1);
        if (!stage->stance)
            return zw_out_of_memory(err, "the simulation");
        memcpy(stage->stance, sim->standing.stance, sizeof *stage->stance * ncontact);
        ZW_TRY(copy_shares(sim, stage, n, err));
    }
    stage->rest = sim->standing.rest;
    stage->most = sim->standing.most;
    ZW_TRY(zw_sim_contacts_admit(sim, stage, err));
    stage->sim = sim;
    stage->world = world;
    stage->on = kept;
    stage->asked = dependent; /* the equations have their own copy */
    zw_status status = fill_stage(sim, stage, err);
    if (status < 0) {
        destroy_stage(stage);
        return status;
    }
    stage->first_choice = dependent == NULL;
    stage->asked = NULL;
    stage->next = sim->stages;
    *out = sim->stages = stage;
    return ZW_OK;
}

/* if no choice is requested, the first one, for any stages made so far: a restart begins like a new
 * simulation */
static bool is_choice(const zw_sim_stage *stage, const bool *dependent) {
    if (!dependent)
        return stage->first_choice;
    size_t bytes = sizeof *dependent * (size_t)stage->eq.nv;
    return stage->eq.dependent && memcmp(stage->eq.dependent, dependent, bytes) == 0;
}

bool zw_sim_same_stance(const zw_contact_mode *a, const zw_contact_mode *b) {
    return a->closed == b->closed &&
           (!a->closed ||
            (a->press == b->press && memcmp(a->slide, b->slide, sizeof a->slide) == 0));
}

static bool is_stance(const zw_sim_stage *stage, const zw_contact_mode *stance) {
    for (int i = 0; stage->stance && i < stage->world->sys->ncontact; i++)
        if (!zw_sim_same_stance(&stage->stance[i], &stance[i]))
            return false;
    return true;
}

static bool has_shares(const zw_sim_stage *stage, const zw_sim_standing *d) {
    size_t bytes = sizeof(double) * (size_t)stage->world->sys->nconstraint;
    if (stage->nshare != d->nshare)
        return false;
    for (int i = 0; i < d->nshare; i++)
        if (stage->share[i].constraint != d->share[i].constraint ||
            stage->share[i].constant != d->share[i].constant ||
            memcmp(stage->share[i].factor, d->share[i].factor, bytes) != 0)
            return false;
    return true;
}

/* does it have these limits of slips, which are in its equations? */
static bool has_limits(const zw_sim_stage *stage, const zw_sim_standing *d) {
    return (stage->rest == d->rest && stage->most == d->most) || !zw_sim_stage_slides(stage);
}

static zw_status obtain_stage(zw_sim *sim, zw_sim_stage **out, zw_sim_variant_state *world,
                              const bool *on, const bool *dependent, zw_error *err) {
    const zw_system *s = world->sys;
    size_t bytes = sizeof *on * (size_t)s->nconstraint,
           contacts = sizeof *sim->absent * (size_t)s->ncontact;
    zw_sim_stage *stage = sim->stages;
    while (stage && (stage->world != world || memcmp(stage->on, on, bytes) != 0 ||
                     memcmp(stage->absent, sim->absent, contacts) != 0 ||
                     !is_choice(stage, dependent) || !is_stance(stage, sim->standing.stance) ||
                     !has_shares(stage, &sim->standing) || !has_limits(stage, &sim->standing)))
        stage = stage->next;
    if (!stage)
        return create_stage(sim, out, world, on, dependent, err);
    ZW_TRY(zw_sim_contacts_admit(sim, stage, err));
    ZW_TRY(map_columns(sim, stage, err));
    if (stage->version != world->version) {
        ZW_TRY(find_conservation(stage, err));
        ZW_TRY(zw_run_set_parameters(stage->run, world->p, err));
        set_periods(sim, stage);
        if (stage->home != stage->run)
            ZW_TRY(zw_run_set_parameters(stage->home, world->p, err));
        stage->version = world->version;
    }
    *out = stage;
    return ZW_OK;
}

zw_status zw_sim_stage_get(zw_sim *sim, zw_sim_stage **out, zw_sim_variant_state *world,
                           const bool *on, zw_error *err) {
    return obtain_stage(sim, out, world, on, NULL, err);
}

/* Determinant of the chosen velocities, relative to the largest possible one, below which another
 * choice is made: early, since near the singularity steps become short; if the model prescribes
 * `independent` velocities, as late as three lost digits allow. */
#define QUALITY_PRESCRIBED 1e-3
#define QUALITY_FREE 0.1
static double least_quality(const zw_system *s) {
    for (int i = 0; i < s->nv; i++)
        if (s->velocity[i].independent)
            return QUALITY_PRESCRIBED;
    return QUALITY_FREE;
}

bool zw_sim_stage_suits(const zw_sim *sim, const zw_sim_stage *stage, double t, const double *x) {
    const bool *dependent = stage->eq.dependent;
    return !dependent || stage->settled ||
           zw_run_choice(stage->run, t, x, dependent, sim->best) >= least_quality(stage->eq.sys);
}

/* Principles that eliminate velocities divide by the determinant of the constraints in the chosen
 * ones. */
zw_status zw_sim_stage_suit(zw_sim *sim, zw_sim_stage **stage, double t, const double *x,
                            zw_error *err) {
    const zw_sim_stage *now = *stage;
    if (zw_sim_stage_suits(sim, now, t, x))
        return ZW_OK;
    zw_sim_stage *better = NULL;
    zw_error refused = {0};
    if (obtain_stage(sim, &better, now->world, now->on, sim->best, &refused) >= 0) {
        *stage = better;
        return ZW_OK;
    }
    if (refused.status == ZW_E_MEMORY) {
        if (err)
            *err = refused;
        return refused.status;
    }
    (*stage)->settled = true; /* the principle has no other choice */
    zw_sim_warning_choice(sim, t);
    return ZW_OK;
}

void zw_sim_stages_forget(zw_sim *sim) {
    for (const zw_sim_stage *s = sim->stages; s; s = s->next)
        zw_run_first_step(s->run, 0);
}

void zw_sim_stages_destroy(zw_sim *sim) {
    for (zw_sim_stage *s = sim->stages; s; s = s->next)
        destroy_stage(s);
}

/* If no constraint is active now, one switchable constraint is switched on to find out. */
zw_status zw_sim_has_multipliers(zw_sim *sim, bool *answer, zw_error *err) {
    const zw_equations *eq = &sim->stage->eq;
    const zw_system *s = eq->sys;
    int other = -1;
    *answer = eq->nc > 0;
    for (int i = 0; i < eq->nv; i++)
        *answer = *answer || zw_sim_constraint_of(s, eq->v[i]);
    for (int i = 0; i < s->nconstraint; i++) {
        if (eq->holds[i] || *answer)
            return ZW_OK;
        if (zw_sim_is_switched(sim, s, i))
            other = i;
    }
    if (other < 0)
        return ZW_OK;
    zw_equations probe;
    memcpy(sim->want, eq->holds, sizeof *sim->want * (size_t)s->nconstraint);
    sim->want[other] = true;
    const zw_active active = {.constraint = sim->want};
    zw_status status = zw_derive(&probe, s, &active, eq->principle, err);
    *answer = status < 0 || probe.nc > 0 || probe.nv > eq->nv;
    return status;
}

/* ---------------------------------------------------------------------------------- entering it */

zw_status zw_sim_stage_again(zw_sim_stage *stage, double t, zw_error *err) {
    zw_status status = zw_run_start(stage->run, t, stage->x, err);
    if (status < 0)
        zw_sim_explain(&stage->eq, stage->run, stage->world->p, err);
    return status;
}

/* the functions of contacts come after all events */
static int number_of(const zw_sim *sim, const zw_sim_stage *stage, int i) {
    int n = stage->world->sys->nevent;
    return i < n ? stage->world->number[i] : sim->nevent + i - n;
}

/* Events have the same numbers in all variants, so their state is stored by number. */
zw_status zw_sim_events_remember(zw_sim *sim, zw_error *err) {
    const zw_sim_stage *stage = sim->stage;
    ZW_TRY(zw_run_armed(stage->run, sim->side, err));
    memset(sim->armed, 0, sizeof *sim->armed * (size_t)(sim->nevent + sim->standing.nwatch));
    for (int i = 0; i < stage->kernel->nevt; i++) {
        int number = number_of(sim, stage, i);
        sim->armed[number] = sim->side[i];
        sim->armed[number].fired |= number < sim->nevent && sim->acted[number];
    }
    return ZW_OK;
}

void zw_sim_events_arm(zw_sim *sim, bool jumps_count) {
    const zw_sim_stage *stage = sim->stage;
    for (int i = 0; i < stage->kernel->nevt; i++)
        sim->side[i] = sim->armed[number_of(sim, stage, i)];
    zw_run_arm(stage->run, sim->side, jumps_count);
}

zw_status zw_sim_stage_start(zw_sim *sim, double t, zw_error *err) {
    zw_sim_stage *stage = sim->stage;
    const zw_system *s = stage->world->sys;
    const double *p = stage->world->p;
    ZW_TRY(zw_system_start_said(s, p, sim->x, sim->said, sim->width, err));
    for (int i = 0; i < s->nq + s->nv; i++)
        if (sim->start_given[i]) {
            sim->x[i] = sim->start_value[i];
            sim->said[i] = ZW_GIVEN;
        }
    zw_sim_input_draw(sim, s, p, sim->x, sim->said);
    ZW_TRY(zw_sim_complete(stage->home, stage->home_eq, t, p, sim->said, sim->width, sim->x,
                           sim->completed, sim->others, &sim->completion, err));
    zw_warning doubt;
    if (zw_completion_warning(&sim->completion, &doubt))
        zw_warnings_add(sim->doubts, &doubt);
    ZW_TRY(zw_sim_stage_suit(sim, &sim->stage, t, sim->x, err));
    stage = sim->stage;
    ZW_TRY(zw_equations_state(&stage->eq, t, p, sim->x, stage->x, err));
    return zw_sim_stage_again(stage, t, err);
}

/* the values of expressions of t, q, v of the equations and parameters */
static zw_status evaluate_expressions(const zw_sim_stage *stage, int n, const zw_expr *e,
                                      double *out, zw_error *err) {
    const zw_equations *eq = &stage->eq;
    const zw_system *s = eq->sys;
    const double *x = zw_run_state(stage->run);
    zw_allocator alloc = zw_context_allocator(s->ctx);
    int size = s->np + eq->nq + eq->nv + 1, k = 0;
    zw_expr *sym = zw_allocate(&alloc, sizeof *sym * (size_t)size);
    double *value = zw_allocate(&alloc, sizeof *value * (size_t)size);
    zw_status status = sym && value ? ZW_OK : zw_out_of_memory(err, "the simulation");
    if (status == ZW_OK) {
        for (int i = 0; i < s->np; i++, k++) {
            sym[k] = s->param[i].sym;
            value[k] = stage->world->p[i];
        }
        for (int i = 0; i < eq->nq + eq->nv; i++, k++) {
            sym[k] = i < eq->nq ? eq->q[i] : eq->v[i - eq->nq];
            value[k] = x[i];
        }
        sym[k] = s->t;
        value[k] = zw_run_time(stage->run);
        for (int i = 0; i < n; i++)
            out[i] = zw_eval(s->ctx, e[i], size, sym, value);
    }
    zw_release(&alloc, sym, sizeof *sym * (size_t)size);
    zw_release(&alloc, value, sizeof *value * (size_t)size);
    return status;
}

zw_status zw_sim_stage_leave(zw_sim_stage *stage, double *x, zw_error *err) {
    const zw_equations *eq = &stage->eq;
    const double *state = zw_run_state(stage->run);
    memcpy(x, state, sizeof *x * (size_t)eq->nq);
    if (eq->system_v)
        return evaluate_expressions(stage, eq->sys->nv, eq->system_v, x + eq->nq, err);
    memcpy(x + eq->nq, state + eq->nq, sizeof *x * (size_t)eq->sys->nv);
    return ZW_OK;
}

/* multipliers that are velocities in the equations of both stages keep their values */
static void carry_multipliers(zw_sim_stage *stage, const zw_sim_stage *from) {
    const zw_equations *to = &stage->eq, *old = &from->eq;
    const double *x = zw_run_state(from->run);
    for (int i = 0; i < to->nv; i++) {
        if (!zw_sim_constraint_of(to->sys, to->v[i]))
            continue;
        const char *name = zw_expr_name(to->sys->ctx, to->v[i]);
        for (int k = 0; k < old->nv; k++)
            if (strcmp(zw_expr_name(old->sys->ctx, old->v[k]), name) == 0)
                stage->x[to->nq + i] = x[old->nq + k];
    }
}

zw_status zw_sim_stage_enter(zw_sim_stage *stage, const zw_sim_stage *from, double t,
                             const double *x, zw_error *err) {
    const zw_equations *eq = &stage->eq;
    if (eq->from_system) {
        ZW_TRY(zw_equations_state(eq, t, stage->world->p, x, stage->x, err));
        carry_multipliers(stage, from);
    } else {
        memcpy(stage->x, x, sizeof *x * (size_t)(eq->nq + eq->nv));
    }
    return zw_sim_stage_again(stage, t, err);
}
