/* SPDX-License-Identifier: MIT */
/* The actions of events.
 *
 * Events that act together use the values just before them. First parameters, coordinates and
 * velocities get their new values and constraints are switched; then the state is projected onto
 * the constraints that are active now, without changing the entries that were set:
 *
 *   q, by the smallest change in the metric of the mass matrix M, which must be 0 unless
 *   coordinates or parameters were set (switching a constraint on does not close a gap);
 *   v, by M (v+ - v-) = W' Lambda, W v+ = b: this is the plastic impact of the constraints that the
 *   old velocity does not satisfy, the smallest change in that metric.
 *
 * The record of the event shows the change of the kinetic energy. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contact/moreau_links.h"
#include "internal.h"
#include "mech/system/build.h"
#include "num/run_jumps.h"

/* in units of rtol, if that is more than ZW_SIM_LOCATED: a few step errors */
#define JUMP_ALLOWED 10

typedef struct jump {
    zw_sim_variant_state *world; /* that continues the motion */
    bool set_parameters;         /* or switches to a variant with its own parameters */
    bool set_positions;
    const zw_event *setter; /* an event that sets positions */
} jump;

/* index of the first value of an event among those that all events set */
static int first_value(const zw_system *s, int event) {
    int n = 0;
    for (int i = 0; i < event; i++)
        for (int k = 0; k < s->event[i].naction; k++)
            n += s->event[i].action[k].kind == ZW_ACTION_SET;
    return n;
}

static void set_symbol(zw_sim *sim, jump *j, zw_expr what, double value) {
    zw_sim_variant_state *w = j->world;
    const zw_system *s = w->sys;
    for (int i = 0; i < s->np; i++)
        if (s->param[i].sym == what) {
            w->p[i] = value;
            w->given[i] = j->set_parameters = true;
            return;
        }
    for (int i = 0; i < s->nq; i++)
        if (s->coord[i].sym == what) {
            sim->x[i] = value;
            sim->fixed[i] = j->set_positions = true;
            return;
        }
    for (int i = 0; i < s->nv; i++)
        if (s->velocity[i].sym == what) {
            sim->x[s->nq + i] = value;
            sim->fixed[s->nq + i] = true;
        }
}

/* a constraint, or a contact where a scheme decides which of its constraints are active */
static void switch_constraint(zw_sim *sim, const zw_system *s, const zw_action *a) {
    const zw_contact *c = zw_mech_contact_of(s, a->constraint);
    if (c && (sim->contacts.steps || sim->standing.used))
        sim->absent[c - s->contact] = a->kind == ZW_ACTION_OFF;
    else
        sim->want[a->constraint] = a->kind == ZW_ACTION_ON;
}

static zw_status apply_actions(zw_sim *sim, jump *j, const zw_event *e, const double *value,
                               const zw_action **variant, zw_error *err) {
    const zw_system *s = j->world->sys;
    for (int k = 0; k < e->naction; k++) {
        const zw_action *a = &e->action[k];
        switch (a->kind) {
        case ZW_ACTION_SET:
            if (!isfinite(*value))
                return zw_fail_at(err, ZW_E_NONFINITE, a->place,
                                  "the event %s sets %s to a value that is not finite", e->name,
                                  zw_expr_name(s->ctx, a->what));
            set_symbol(sim, j, a->what, *value++);
            j->setter = j->set_positions && !j->setter ? e : j->setter;
            break;
        case ZW_ACTION_ON:
        case ZW_ACTION_OFF:
            switch_constraint(sim, s, a);
            break;
        case ZW_ACTION_VARIANT:
            *variant = a;
            break;
        }
    }
    return ZW_OK;
}

/* sets parameters, state and switches as the events require; the variant state that continues */
static zw_status gather_actions(zw_sim *sim, int n, const int *event, jump *j, zw_error *err) {
    zw_sim_stage *stage = sim->stage;
    const zw_system *s = stage->world->sys;
    const zw_action *variant = NULL;
    if (stage->kernel->nact > 0)
        memcpy(sim->values, zw_run_actions(stage->run),
               sizeof *sim->values * (size_t)stage->kernel->nact);
    ZW_TRY(zw_sim_stage_leave(stage, sim->x, err));
    memset(sim->fixed, 0, sizeof *sim->fixed * (size_t)(s->nq + s->nv));
    memcpy(sim->want, stage->on, sizeof *sim->want * (size_t)s->nconstraint);
    memcpy(sim->absent, stage->absent, sizeof *sim->absent * (size_t)s->ncontact);
    *j = (jump){.world = stage->world};
    for (int i = 0; i < n; i++)
        ZW_TRY(apply_actions(sim, j, &s->event[event[i]], sim->values + first_value(s, event[i]),
                             &variant, err));
    if (j->set_parameters)
        ZW_TRY(zw_sim_variant_state_follow(j->world, err));
    if (!variant || strcmp(variant->variant, s->variant) == 0)
        return ZW_OK;
    zw_sim_variant_state *to = zw_sim_variant_state_find(sim, variant->variant);
    memcpy(sim->held, sim->want, sizeof *sim->held * (size_t)s->nconstraint);
    ZW_TRY(zw_sim_variant_state_inherit(j->world, sim->held, to, sim->want, err));
    zw_sim_contacts_inherit(sim, s, to->sys);
    ZW_TRY(zw_sim_lags_stay(s, j->world->p, to->sys, to->p, variant->place, "the variant", err));
    j->world = to;
    j->set_parameters = true;
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------- consistency */

double zw_sim_value(const zw_sim_stage *stage, zw_expr e, double t, const double *q) {
    const zw_system *s = stage->world->sys;
    zw_allocator alloc = zw_context_allocator(s->ctx);
    size_t n = (size_t)(s->np + s->nq + 1), k = 0;
    zw_expr *sym = zw_allocate(&alloc, sizeof *sym * n);
    double *value = zw_allocate(&alloc, sizeof *value * n), r = NAN;
    if (sym && value) {
        sym[k] = s->t;
        value[k++] = t;
        for (int i = 0; i < s->np; i++, k++) {
            sym[k] = s->param[i].sym;
            value[k] = stage->world->p[i];
        }
        for (int i = 0; i < s->nq; i++, k++) {
            sym[k] = s->coord[i].sym;
            value[k] = q[i];
        }
        r = zw_eval(s->ctx, e, (int)n, sym, value);
    }
    zw_release(&alloc, sym, sizeof *sym * n);
    zw_release(&alloc, value, sizeof *value * n);
    return r;
}

static const char *position_unit(const zw_equations *eq, int row) {
    int index = eq->pos_constraint[row];
    return index >= 0 ? eq->sys->constraint[index].unit : eq->sys->integral[-2 - index].unit;
}

/* an error, since coordinate `moved` would jump: it names the constraint with the largest
 * residual */
static zw_status reject_jump(const zw_sim *sim, const zw_sim_stage *stage, double t, int moved,
                             double by, zw_error *err) {
    const zw_system *s = stage->world->sys;
    const zw_equations *eq = stage->home_eq;
    int worst = -1;
    double most = 0;
    for (int i = 0; i < eq->npos; i++) {
        double r = zw_sim_value(stage, eq->phi[i], t, sim->was);
        if (worst < 0 || fabs(r) > fabs(most)) {
            worst = i;
            most = r;
        }
    }
    if (worst >= 0) {
        zw_place place = {0};
        const char *name = zw_equations_position_name(eq, worst, &place);
        zw_fail_at(err, ZW_E_START, place,
                   "constraint %s is violated where it is switched on: its residual is %.6g %s, "
                   "and %s would have to jump by %.3g %s",
                   name, most, position_unit(eq, worst), s->coord[moved].name, by,
                   s->coord[moved].unit);
    }
    zw_error_hint(err,
                  "switch it on where it is satisfied, or set the coordinates in the same event");
    return zw_fail(err, ZW_E_START, "%s would jump by %.3g %s", s->coord[moved].name, by,
                   s->coord[moved].unit);
}

zw_status zw_sim_settle(zw_sim *sim, zw_sim_stage *stage, double t, bool moved, zw_error *err) {
    const zw_system *s = stage->world->sys;
    double located = fmax(ZW_SIM_LOCATED, JUMP_ALLOWED * sim->options.run.rtol);
    memcpy(sim->was, sim->x, sizeof *sim->x * (size_t)s->nq);
    zw_status status = zw_run_project(stage->home, t, sim->x, sim->fixed, err);
    if (status < 0) {
        zw_sim_explain(stage->home_eq, stage->home, stage->world->p, err);
        return status;
    }
    for (int i = 0; i < s->nq && !moved; i++) {
        double by = sim->x[i] - sim->was[i];
        if (!(fabs(by) <= located * (1 + fabs(sim->was[i]))))
            return reject_jump(sim, stage, t, i, by, err);
    }
    return ZW_OK;
}

/* ----------------------------------------------------------------------------------- statistics */

static double larger_value(double a, double b) {
    return a > b ? a : b;
}

/* the run of a stage ends: adds its statistics to the total */
static void add_up(zw_run_info *total, const zw_run_info *more) {
    zw_run_info sum = *more;
    if (total->method) {
        sum.energy_start = total->energy_start;
        sum.steps += total->steps;
        sum.rhs_calls += total->rhs_calls;
        sum.jac_calls += total->jac_calls;
        sum.error_fails += total->error_fails;
        sum.newton_fails += total->newton_fails;
        sum.projections += total->projections;
        sum.repartitions += total->repartitions;
        sum.by_series += total->by_series;
        sum.undecided += total->undecided;
        sum.position_residual = larger_value(sum.position_residual, total->position_residual);
        sum.velocity_residual = larger_value(sum.velocity_residual, total->velocity_residual);
    }
    *total = sum;
}

void zw_sim_add_method(char *list, size_t size, const char *method) {
    size_t used = strlen(list);
    if (!strstr(list, method))
        snprintf(list + used, size - used, "%s%s", used ? ", " : "", method);
}

zw_run_info zw_sim_total(const zw_sim *sim) {
    zw_run_info total = sim->total, last = zw_run_statistics(sim->stage->run);
    add_up(&total, &last);
    return total;
}

void zw_sim_total_over(zw_sim *sim) {
    zw_run_info over = zw_run_statistics(sim->stage->run);
    add_up(&sim->total, &over);
    zw_sim_add_method(sim->methods, sizeof sim->methods, over.method);
}

/* ------------------------------------------------------------------------------------ all of it */

zw_status zw_sim_change_stage(zw_sim *sim, zw_sim_stage *next, double t, const double *x,
                              zw_error *err) {
    zw_run_info over = zw_run_statistics(sim->stage->run);
    ZW_TRY(zw_sim_stage_enter(next, sim->stage, t, x, err));
    zw_moreau_carry(next->run, sim->stage->run);
    add_up(&sim->total, &over);
    zw_sim_add_method(sim->methods, sizeof sim->methods, over.method);
    sim->stage = next;
    zw_sim_events_arm(sim, false);
    return ZW_OK;
}

static zw_status perform_events(zw_sim *sim, int n, const int *event, zw_error *err) {
    double t = zw_run_time(sim->stage->run);
    jump j;
    zw_sim_stage *next = NULL;
    zw_sim_stage *before = sim->stage;
    const zw_system *from = before->world->sys;
    ZW_TRY(zw_sim_events_remember(sim, err));
    ZW_TRY(zw_sim_contacts_before(sim, err));
    ZW_TRY(gather_actions(sim, n, event, &j, err));
    if (sim->standing.used)
        zw_sim_standing_begin(sim, j.world->sys, sim->want);
    ZW_TRY(zw_sim_stage_get(sim, &next, j.world, sim->want, err));
    ZW_TRY(zw_sim_settle(sim, next, t, j.set_positions || j.set_parameters, err));
    if (j.set_positions)
        ZW_TRY(zw_sim_watch_leaf(sim, before, next, j.setter, t, err));
    ZW_TRY(zw_sim_stage_suit(sim, &next, t, sim->x, err));
    ZW_TRY(zw_sim_change_stage(sim, next, t, sim->x, err));
    sim->row_is_current = false;
    if (j.set_parameters)
        ZW_TRY(zw_sim_clock_set(j.world, t, false, err));
    zw_status status = zw_sim_contacts_switched(sim, before, err);
    if (status < 0) {
        sim->stage = before;
        return status;
    }
    return sim->standing.used ? zw_sim_standing_after(sim, err)
                              : zw_sim_contacts_after(sim, from, err);
}

zw_status zw_sim_act(zw_sim *sim, int n, const int *event, zw_error *err) {
    const zw_sim_stage *before = sim->stage;
    const zw_system *s = before->world->sys;
    zw_sim_standing_moment(sim);
    zw_status status = perform_events(sim, n, event, err);
    if (status >= 0 && sim->on_turn) {
        const zw_sim_turned acted = {.t = zw_run_time(sim->stage->run),
                                     .n = n,
                                     .event = event,
                                     .from = before,
                                     .to = sim->stage,
                                     .x = zw_run_state(sim->stage->run)};
        return sim->on_turn(sim->on_turn_user, &acted, err);
    }
    if (status < 0)
        zw_sim_add_text(err, " (at the event %s, t = %.10g s)", s->event[event[0]].name,
                        zw_run_time(before->run));
    return status;
}
