/* SPDX-License-Identifier: MIT */
/* The scheme for contacts where none is requested.
 *
 * From event to event the error is that of the integration method and follows the tolerances, so
 * events are used wherever they apply (zw_sim_standing_obstacle). Time steps are used
 *
 *     where an option of theirs is given (--step without --method, --steps, --solver,
 *     --contact-tol, --prox, --overlap),
 *     where a contact has no equations between events, or there are more contacts than CONTACTS,
 *     where events fail at the start of the run: too many contacts close at once, bodies overlap,
 *     where they fail later (also at a gap that jumps: time steps have rules for that), take very
 *     short steps, or need the equations of more than COMBINATIONS of open, sticking and slipping
 *     contacts: then the whole run is repeated, so that one scheme computes all its rows.
 *
 * The reason is stored as text (zw_sim_contacts.why) and is part of the summary and of the notes of
 * a result. A run that continues from a result keeps the scheme of the result, and a scheme that
 * was requested is never replaced. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "internal.h"

/* Contacts and combinations up to which events are used; steps between checks of their length. */
enum { CONTACTS = 256, COMBINATIONS = 200, PACE = 4000 };
/* Events are abandoned if their mean step is below STEP_SHORT [s], the default length of time
 * steps, and STEPS_LEFT_MAX more steps would follow. */
#define STEP_SHORT 1e-4
#define STEPS_LEFT_MAX 1e5

/* the option of time steps that was given, or NULL */
static const char *asks_for_steps(const zw_sim_options *o) {
    const zw_sim_options usual = zw_sim_options_default();
    return o->run.step > 0 && !o->run.method     ? "--step"
           : o->steps != usual.steps             ? "--steps"
           : o->solver != usual.solver           ? "--solver"
           : o->contact_tol != usual.contact_tol ? "--contact-tol"
           : o->prox != usual.prox               ? "--prox"
           : o->overlap != usual.overlap         ? "--overlap"
                                                 : NULL;
}

static int count_contacts(const zw_system *s) {
    int n = 0;
    for (int i = 0; i < s->ncontact; i++)
        n += !s->contact[i].off;
    return n;
}

zw_sim_scheme zw_sim_contacts_scheme(const zw_sim *sim, const zw_system *s, char *why,
                                     size_t size) {
    const char *option = asks_for_steps(&sim->options), *hint;
    why[0] = '\0';
    if (option) {
        snprintf(why, size, "%s is given", option);
        return ZW_SIM_CONTACTS_MOREAU;
    }
    if (zw_sim_standing_obstacle(sim, why, size, &hint))
        return ZW_SIM_CONTACTS_MOREAU;
    if (count_contacts(s) <= CONTACTS)
        return ZW_SIM_CONTACTS_EVENTS;
    snprintf(why, size,
             "%d contacts; events are used for at most %d (--contacts events uses them anyway)",
             count_contacts(s), CONTACTS);
    return ZW_SIM_CONTACTS_MOREAU;
}

/* ---- after a failure ---- */

/* Friction at velocities that are almost zero can be so stiff that events need steps shorter than
 * those of time stepping, and very many of them. */
zw_status zw_sim_contacts_pace(zw_sim *sim, double t, zw_error *err) {
    zw_sim_contacts *c = &sim->contacts;
    long steps = zw_sim_total(sim).steps, made = steps - c->pace_steps;
    if (!zw_sim_contacts_may_step(sim, ZW_E_NUMERIC) || (made >= 0 && made < PACE))
        return ZW_OK;
    double mean = made > 0 ? (t - c->pace_since) / (double)made : INFINITY,
           left = sim->options.until - t;
    c->pace_steps = steps;
    c->pace_since = t;
    if (mean > STEP_SHORT || left < STEPS_LEFT_MAX * mean)
        return ZW_OK;
    zw_fail(err, ZW_E_NUMERIC, "steps of %.2g s: %.2g more steps would be needed", mean,
            left / mean);
    zw_error_hint(err, "use --contacts moreau; --contacts events continues");
    return ZW_E_NUMERIC;
}

zw_status zw_sim_contacts_admit(zw_sim *sim, zw_sim_stage *stage, zw_error *err) {
    if (stage->motion == sim->motion)
        return ZW_OK;
    stage->motion = sim->motion;
    if (sim->nstage++ < COMBINATIONS || !sim->contacts.chosen || !sim->standing.used)
        return ZW_OK;
    zw_fail(err, ZW_E_NUMERIC,
            "the contacts pass through more than %d combinations of open, sticking and slipping",
            COMBINATIONS);
    zw_error_hint(err, "use --contacts moreau; --contacts events has no such limit");
    return ZW_E_NUMERIC;
}

bool zw_sim_contacts_may_step(const zw_sim *sim, zw_status status) {
    return sim->contacts.chosen && sim->standing.used && !sim->resumed &&
           (status == ZW_E_NUMERIC || status == ZW_E_NONFINITE || status == ZW_E_SINGULAR ||
            status == ZW_E_START || status == ZW_E_MODEL);
}

/* the numbers that the caller has set in place of the model's */
zw_status zw_sim_contacts_numbers(const zw_sim *old, zw_arena *arena, zw_sim_numbers *out,
                                  zw_error *err) {
    const zw_sim_variant_state *w = old->worlds;
    int nx = w->sys->nq + w->sys->nv;
    zw_sim_number *param = ZW_NEW(arena, zw_sim_number, w->sys->np + 1),
                  *start = ZW_NEW(arena, zw_sim_number, nx + 1);
    if (!param || !start)
        return zw_out_of_memory(err, "the simulation");
    *out = (zw_sim_numbers){.param = param, .start = start};
    for (int i = 0; i < w->sys->np; i++)
        if (w->numbered[i])
            param[out->nparam++] = (zw_sim_number){.index = i, .value = w->said[i]};
    for (int i = 0; old->start_given && i < nx; i++)
        if (old->start_given[i])
            start[out->nstart++] = (zw_sim_number){.index = i, .value = old->start_value[i]};
    return ZW_OK;
}

/* ---- in words ---- */

void zw_sim_contacts_words(const zw_sim *sim, char *out, size_t size) {
    const zw_sim_contacts *c = &sim->contacts;
    out[0] = '\0';
    if (sim->standing.used)
        snprintf(out, size, "from event to event%s", c->chosen ? " (chosen)" : "");
    else if (c->steps && c->why[0])
        snprintf(out, size, "in time steps: %s", c->why);
    else if (c->steps)
        snprintf(out, size, "in time steps");
}
