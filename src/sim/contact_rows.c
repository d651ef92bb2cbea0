/* SPDX-License-Identifier: MIT */
/* The record of contacts from event to event: the columns of time steps, with forces at the instant
 * of a row, and the impulses of the impacts since the previous row. */
#include <math.h>
#include <string.h>

#include "contact/contact_mode.h"
#include "internal.h"

/* Overlap, or slip against its sign, in units of the accuracy: events keep both below about 1, so
 * more is a missed event. Chosen by trial: separates it from accumulated error. */
#define MISSED_EVENT 1e3
/* Pulling force relative to the force at which friction jams, 1e6 weights: a millionth of the
 * weight. */
#define PULL_MISSED 1e-12

static zw_status columns_of(const zw_contact *c, zw_table *t, const char *kind, const char *unit,
                            bool normal) {
    if (normal)
        ZW_TRY(zw_sim_contacts_column(t, kind, c->name, "", unit));
    for (int b = 0; b < c->nblock; b++)
        for (int i = 0; i < c->block[b].nrow; i++)
            ZW_TRY(zw_sim_contacts_column(t, kind, c->name, c->block[b].part[i], unit));
    return ZW_OK;
}

zw_status zw_sim_standing_columns(zw_sim *sim, zw_table *t) {
    const zw_system *s = sim->stage->eq.sys;
    for (int i = 0; i < s->ncontact; i++) {
        const zw_contact *c = &s->contact[i];
        if (c->off)
            continue;
        ZW_TRY(zw_sim_contacts_column(t, "gap", c->name, "", c->angular ? "rad" : "m"));
        ZW_TRY(columns_of(c, t, "slip", "m/s", false));
        ZW_TRY(columns_of(c, t, "lambda", c->angular ? "N*m" : "N", true));
        ZW_TRY(columns_of(c, t, "impulse", c->angular ? "N*m*s" : "N*s", true));
        if (sim->options.energy) {
            ZW_TRY(zw_sim_contacts_column(t, "work", c->name, "normal", "J"));
            ZW_TRY(zw_sim_contacts_column(t, "work", c->name, "friction", "J"));
        }
        ZW_TRY(zw_sim_contacts_column(t, "status", c->name, "", ""));
    }
    return ZW_OK;
}

/* the multiplier of a constraint of the system; 0 if it is not active */
static double constraint_multiplier(const zw_sim_stage *stage, int constraint) {
    const zw_equations *eq = &stage->eq;
    for (int c = 0; c < eq->nc; c++)
        if (eq->constraint[c] == constraint)
            return zw_run_accel(stage->run)[eq->nv + c];
    for (int i = 0; i < stage->nshare; i++) {
        double sum = stage->share[i].constant;
        for (int c = 0; c < eq->nc; c++)
            sum += stage->share[i].factor[eq->constraint[c]] * zw_run_accel(stage->run)[eq->nv + c];
        if (stage->share[i].constraint == constraint)
            return sum;
    }
    return 0;
}

/* forces of all rows of a contact */
static void contact_forces(const zw_sim_stage *stage, const zw_contact *c,
                           const zw_contact_mode *stance, const double *law, const double *rate,
                           double *out) {
    double N = stance->closed ? constraint_multiplier(stage, c->closed) : 0;
    *out++ = N;
    rate++;
    law++;
    for (int b = 0; b < c->nblock; b++, law += ZW_LAW_NUMBERS) {
        const zw_rubbing *block = &c->block[b];
        bool sticks = c->stuck[b] >= 0 && stance->slide[b] == ZW_STICKS;
        for (int i = 0; i < block->nrow && (sticks || !stance->closed); i++)
            out[i] = stance->closed ? constraint_multiplier(stage, c->stuck[b] + i) : 0;
        if (stance->closed && !sticks)
            zw_contact_mode_friction(block->kind, block->nrow, block->nu, law, stance, b, rate, N,
                                     out);
        out += block->nrow;
        rate += block->nrow;
    }
}

static zw_contact_state state_of(const zw_contact *c, const zw_contact_mode *stance) {
    bool slips = false;
    for (int b = 0; b < c->nblock; b++)
        slips |= stance->slide[b] == ZW_SLIDES || stance->slide[b] == -ZW_SLIDES;
    return !stance->closed ? ZW_CONTACT_OPEN : slips ? ZW_CONTACT_SLIPS : ZW_CONTACT_STICKS;
}

static double size_known(const zw_sim *sim) {
    const zw_sim_stage *stage = sim->stage;
    const double *q = zw_run_state(stage->run);
    double most = 0;
    for (int i = 0; i < stage->eq.nq; i++)
        most = fmax(most, fabs(q[i]));
    return sim->options.run.rtol * most + sim->options.run.atol;
}

/* Is a slip of several velocities so slow that a step of fixed length may pass its end? */
static bool may_pass(const zw_sim_standing *d, const zw_rubbing *block, const double *rate) {
    double sum = 0;
    for (int i = 0; i < block->nrow; i++)
        sum += rate[i] * rate[i];
    return block->nrow > 1 && sum < d->passed * d->passed;
}

/* Warnings about states that events prevent: they show a missed event. */
static void check_row(const zw_sim *sim, const zw_contact *c, const zw_contact_mode *stance,
                      double gap, const double *rate, const double *force) {
    const zw_sim_standing *d = &sim->standing;
    double t = zw_run_time(sim->stage->run), slip = MISSED_EVENT * d->rest;
    if (!stance->closed && gap < -MISSED_EVENT * size_known(sim))
        zw_sim_standing_warning(sim, c, t, "is open and overlaps", "take smaller tolerances");
    if (stance->closed && !c->bilateral && d->most > 0 && force[0] < -PULL_MISSED * d->most)
        zw_sim_standing_warning(sim, c, t, "pulls", "take smaller tolerances");
    rate++;
    for (int b = 0; b < c->nblock; rate += c->block[b].nrow, b++) {
        bool slides = stance->slide[b] == ZW_SLIDES || stance->slide[b] == -ZW_SLIDES;
        if (!slides || !stance->closed || c->stuck[b] < 0)
            continue;
        if (c->block[b].nrow == 1 && stance->slide[b] * rate[0] < -slip)
            zw_sim_standing_warning(sim, c, t, "slips along its friction",
                                    "take smaller tolerances");
        if (may_pass(d, &c->block[b], rate))
            zw_sim_standing_warning(
                sim, c, t,
                "slips so slowly that a step of fixed length may step over the end of the slip",
                "the end of the slip is known to a few steps only; use a method with step control");
    }
}

void zw_sim_standing_row(zw_sim *sim, double *row, bool over) {
    zw_sim_standing *d = &sim->standing;
    const zw_sim_stage *stage = sim->stage;
    const zw_system *s = stage->world->sys;
    const zw_kernel *k = stage->kernel;
    zw_flow *flow = zw_run_flow(stage->run);
    double t = zw_run_time(stage->run);
    const double *x = zw_run_state(stage->run);
    double numbers[(1 + ZW_LAW_NUMBERS * ZW_FRICTION_BLOCKS_MAX)];
    zw_sim_standing_warning_jam(sim);
    for (int i = 0, c = 0; i < s->ncontact; i++) {
        if (s->contact[i].off)
            continue;
        const zw_contact_form *f = &k->contact[c];
        double force[ZW_CONTACT_ROWS_MAX], rate[ZW_CONTACT_ROWS_MAX];
        memcpy(numbers, zw_at_law(flow, t, x, NULL).value + f->number,
               sizeof(double) * (size_t)(1 + ZW_LAW_NUMBERS * f->nblock));
        zw_touch_parts touch = zw_at_touch(flow, t, x, NULL);
        *row++ = touch.gap[c];
        memcpy(rate, touch.rate + f->row, sizeof(double) * (size_t)f->nrow);
        for (int a = 1; a < f->nrow; a++)
            *row++ = rate[a];
        contact_forces(stage, &s->contact[i], &stage->stance[i], numbers, rate, force);
        if (!stage->absent[i])
            check_row(sim, &s->contact[i], &stage->stance[i], touch.gap[c], rate, force);
        for (int a = 0; a < f->nrow; a++)
            *row++ = force[a];
        for (int a = 0; a < f->nrow; a++)
            *row++ = d->impulse[f->row + a];
        if (sim->options.energy) {
            *row++ = d->work[2 * c];
            *row++ = d->work[2 * c + 1];
        }
        *row++ = state_of(&s->contact[i], &stage->stance[i]);
        c++;
    }
    if (over)
        memset(d->impulse, 0, sizeof *d->impulse * (size_t)d->nrow);
}

/* ---- works ---- */

int zw_sim_standing_work(const zw_sim *sim, const zw_system *s, const zw_power *power) {
    for (int i = 0, c = 0; sim->standing.used && i < s->ncontact; i++) {
        const zw_contact *contact = &s->contact[i];
        if (contact->off)
            continue;
        if (power->kind == ZW_POWER_FORCE && s->force[power->index].contact == i + 1)
            return 2 * c + 1;
        if (power->kind == ZW_POWER_CONSTRAINT && power->index == contact->closed)
            return 2 * c;
        if (power->kind == ZW_POWER_CONSTRAINT && zw_sim_block_of(contact, power->index) >= 0)
            return 2 * c + 1;
        c++;
    }
    return -1;
}

double zw_sim_standing_works(const zw_sim *sim) {
    double sum = 0;
    for (int i = 0; sim->standing.used && i < 2 * sim->standing.ncontact; i++)
        sum += sim->standing.work[i];
    return sum;
}
