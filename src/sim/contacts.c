/* SPDX-License-Identifier: MIT */
/* The record of contacts in time steps. A step computes impulses; a row shows the forces with these
 * impulses over the steps that ended since the previous row (if none has, the forces of that row).
 * Gaps and slips are those of the state of the row. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/tolerance.h"
#include "contact/moreau_links.h"
#include "internal.h"
#include "mech/system/build.h"
#include "num/flow/flow.h"

/* Default lengths of time steps [s]: a fixed step of machines with frequencies up to 100 Hz, a
 * hundredth of the period; the longest controlled one, whose error the tolerances bound. */
#define STEP_DEFAULT 1e-4
#define STEP_LONGEST 1e-3
#define OVERLAP_REPORTED 1e-12 /* [m]; gap at the start: less is round-off of its terms */
#define OVERLAP_DEEP 1e-2      /* relative to the lengths of the model, as the warning says */

/* ---- which scheme ---- */

bool zw_sim_is_of_contact(const zw_system *s, int constraint) {
    return zw_mech_contact_of(s, constraint) != NULL;
}

bool zw_sim_is_switched(const zw_sim *sim, const zw_system *s, int constraint) {
    bool scheme = sim->contacts.steps || sim->standing.used;
    return zw_system_is_switched(s, constraint) && !(scheme && zw_sim_is_of_contact(s, constraint));
}

const zw_contact *zw_sim_contact(const zw_system *s, int index) {
    int i = 0;
    while (s->contact[i].off || index-- > 0)
        i++;
    return &s->contact[i];
}

zw_status zw_sim_reject_jump(const zw_contact *c, double t, double by, zw_error *err) {
    zw_fail_at(err, ZW_E_MODEL, c->place,
               "the gap of the contact %s jumps by %.4g %s at t = %.10g s: the contact laws do "
               "not define the motion after that",
               c->name, by, c->angular ? "rad" : "m", t);
    zw_error_hint(err,
                  "make the gap continuous: use a steep ramp instead of a step, or one contact "
                  "for each surface");
    return ZW_E_MODEL;
}

zw_status zw_sim_reject_overlap(const zw_sim *sim, const zw_contact *c, double gap, zw_error *err) {
    zw_fail_at(err, ZW_E_START, c->place, "the contact %s overlaps by %.4g %s at t = %.10g s",
               c->name, -gap, c->angular ? "rad" : "m", zw_run_time(sim->stage->run));
    zw_error_hint(err, "start with a gap of 0 or more%s",
                  sim->contacts.steps ? "" : "; --contacts moreau accepts an overlap at the start");
    return ZW_E_START;
}

zw_status zw_sim_reject_law(const zw_contact *c, double t, const char *wrong, double value,
                            zw_error *err) {
    zw_fail_at(err, ZW_E_DOMAIN, c->place,
               "the law of the contact %s: %s at t = %.10g s (value %.6g)", c->name, wrong, t,
               value);
    zw_error_hint(err, "mu must be 0 or more and a restitution between 0 and 1 during the whole "
                       "motion; max(0, ...) keeps mu from becoming negative");
    return ZW_E_DOMAIN;
}

/* can it open, or does it have friction that is not a function of velocities? */
static const zw_contact *needs_scheme(const zw_system *s) {
    for (int i = 0; i < s->ncontact; i++) {
        const zw_contact *c = &s->contact[i];
        bool set_valued = !c->bilateral;
        for (int b = 0; b < c->nblock; b++)
            set_valued |= zw_rubbing_is_set_valued(&c->block[b]);
        if (set_valued && !c->off)
            return c;
    }
    return NULL;
}

static bool has_contacts(const zw_system *s) {
    for (int i = 0; i < s->ncontact; i++)
        if (!s->contact[i].off)
            return true;
    return false;
}

/* In time steps contact forces are known only as means over rows. */
static zw_status check_uses(const zw_system *s, zw_error *err) {
    for (int i = 0; i < s->nconstraint; i++) {
        if (!zw_sim_is_of_contact(s, i))
            continue;
        for (int k = 0; k < s->nobservable + s->nevent; k++) {
            bool event = k >= s->nobservable;
            zw_expr value = event ? s->event[k - s->nobservable].value : s->observable[k].value;
            if (!zw_depends(s->ctx, value, s->constraint[i].lambda))
                continue;
            zw_fail_at(
                err, ZW_E_MODEL,
                event ? s->event[k - s->nobservable].place : s->observable[k].place,
                "the %s %s contains lambda(%s), which time-stepping does not compute at an instant",
                event ? "event" : "observable",
                event ? s->event[k - s->nobservable].name : s->observable[k].name,
                s->constraint[i].name);
            zw_error_hint(err,
                          "the column lambda(%s) of the result is its mean between two rows; or "
                          "run with --contacts events",
                          s->constraint[i].name);
            return ZW_E_MODEL;
        }
    }
    return ZW_OK;
}

static zw_status reject_method(const zw_sim *sim, const zw_contact *c, zw_error *err) {
    zw_fail_at(
        err, ZW_E_OPTION, c->place,
        "the method %s cannot integrate impacts and set-valued friction, which the contact %s has",
        sim->options.run.method, c->name);
    zw_error_hint(err, "omit --method (then --contacts moreau is used), or use --contacts events");
    return ZW_E_OPTION;
}

static zw_status take_steps(zw_sim *sim, const zw_system *s, zw_error *err) {
    zw_sim_contacts *c = &sim->contacts;
    zw_sim_options *o = &sim->options;
    ZW_TRY(check_uses(s, err));
    c->steps = true;
    c->options = zw_moreau_options_default();
    c->options.solver.method = o->solver;
    c->options.solver.tolerance = o->contact_tol;
    c->options.solver.prox = o->prox;
    if (o->steps == ZW_SIM_STEPS_CHOSEN)
        o->steps = o->run.step > 0 ? ZW_SIM_STEPS_FIXED : ZW_SIM_STEPS_CONTROLLED;
    c->options.control = o->steps == ZW_SIM_STEPS_CONTROLLED;
    c->options.correct = o->overlap == ZW_SIM_OVERLAP_CORRECTED;
    c->method = zw_moreau_method(&c->options);
    if (o->run.step == 0)
        o->run.step = c->options.control ? STEP_LONGEST : STEP_DEFAULT;
    o->run.supplied = &c->method;
    return ZW_OK;
}

/* ---- variants that events lead to ---- */

static const zw_contact *next_on(const zw_system *s, int *i) {
    while (*i < s->ncontact && s->contact[*i].off)
        ++*i;
    return *i < s->ncontact ? &s->contact[(*i)++] : NULL;
}

/* do they have the same columns? */
static bool has_same_rows(const zw_contact *a, const zw_contact *b) {
    bool same = strcmp(a->name, b->name) == 0 && a->angular == b->angular && a->nblock == b->nblock;
    for (int k = 0; same && k < a->nblock; k++) {
        same = a->block[k].nrow == b->block[k].nrow;
        for (int i = 0; same && i < a->block[k].nrow; i++)
            same = strcmp(a->block[k].part[i], b->block[k].part[i]) == 0;
    }
    return same;
}

/* Rows, works and modes are numbered by contacts: all variants must have the same ones, with the
 * same velocities. */
static zw_status check_world(const zw_system *first, const zw_system *s, zw_error *err) {
    int i = 0, k = 0;
    const zw_contact *a, *b;
    do {
        a = next_on(first, &i);
        b = next_on(s, &k);
        if (a && b ? has_same_rows(a, b) : a == b)
            continue;
        const zw_contact *c = b ? b : a;
        zw_fail_at(
            err, ZW_E_MODEL, c->place,
            "the variant '%s', to which an event leads, has other contacts, or others of their "
            "velocities (contact %s): a run keeps those it begins with",
            s->variant, c->name);
        zw_error_hint(err, "restate the law with other numbers, coulomb(0) for none; a gap that "
                           "a parameter makes large takes a contact away");
        return ZW_E_MODEL;
    } while (a);
    return ZW_OK;
}

zw_status zw_sim_contacts_choose(zw_sim *sim, const zw_system *s, zw_error *err) {
    zw_sim_contacts *c = &sim->contacts;
    zw_sim_scheme scheme = sim->options.contacts;
    const zw_contact *needs = needs_scheme(s);
    bool asked = scheme != ZW_SIM_CONTACTS_CHOSEN && has_contacts(s);
    for (const zw_sim_variant_state *w = sim->worlds; w; w = w->next) {
        const zw_contact *later = needs ? NULL : needs_scheme(w->sys);
        if (needs || asked || later)
            ZW_TRY(check_world(s, w->sys, err));
    }
    if (!needs && !asked)
        return ZW_OK;
    c->chosen = !asked;
    if (c->chosen)
        scheme = zw_sim_contacts_scheme(sim, s, c->why, sizeof c->why);
    sim->options.contacts = scheme;
    if (scheme == ZW_SIM_CONTACTS_EVENTS)
        return zw_sim_standing_create(sim, err);
    if (sim->options.run.method)
        return reject_method(sim, needs ? needs : &s->contact[0], err);
    return take_steps(sim, s, err);
}

/* ---- switched on and off ---- */

void zw_sim_contacts_idle(zw_sim *sim, const zw_system *s) {
    for (int i = 0; i < s->ncontact; i++)
        sim->absent[i] = s->contact[i].idle;
}

/* Switches set by events are kept, unless the other variant's text sets them differently. */
void zw_sim_contacts_inherit(zw_sim *sim, const zw_system *from, const zw_system *to) {
    memcpy(sim->held, sim->absent, sizeof *sim->held * (size_t)from->ncontact);
    zw_sim_contacts_idle(sim, to);
    for (int i = 0; i < to->ncontact; i++)
        for (int k = 0; k < from->ncontact; k++)
            if (strcmp(from->contact[k].name, to->contact[i].name) == 0 &&
                from->contact[k].idle == to->contact[i].idle)
                sim->absent[i] = sim->held[k];
}

static bool any_is_switched(const zw_system *s) {
    for (int i = 0; i < s->ncontact; i++)
        if (zw_system_is_switched(s, s->contact[i].closed))
            return true;
    return false;
}

zw_status zw_sim_contacts_note(const zw_sim *sim, zw_table *t) {
    const zw_system *s = sim->stage->world->sys;
    zw_text text;
    if (!any_is_switched(s))
        return ZW_OK;
    zw_text_init(&text, &sim->arena.alloc);
    for (int i = 0; i < s->ncontact; i++)
        if (sim->stage->absent[i])
            zw_text_printf(&text, "%s%s", text.length ? "," : "", s->contact[i].name);
    zw_status status =
        text.failed ? ZW_E_MEMORY : zw_table_note(t, "contacts off", zw_text_get(&text));
    zw_text_clear(&text);
    return status;
}

zw_status zw_sim_contacts_recall(zw_sim *sim, const zw_system *s, const zw_table *result,
                                 zw_error *err) {
    const char *note = zw_table_get_note(result, "contacts off");
    zw_names names;
    if (!note)
        return ZW_OK;
    ZW_TRY(zw_names_split(s->ctx, note, ',', 0, &names, err));
    for (int i = 0; i < s->ncontact; i++) {
        sim->absent[i] = false;
        for (int k = 0; k < names.n; k++)
            sim->absent[i] |= strcmp(names.item[k], s->contact[i].name) == 0;
    }
    return ZW_OK;
}

zw_status zw_sim_contacts_switched(const zw_sim *sim, const zw_sim_stage *before, zw_error *err) {
    const zw_sim_stage *stage = sim->stage;
    const zw_system *s = stage->world->sys;
    const double *x = zw_run_state(stage->run);
    double size = 0;
    if (!(sim->contacts.steps || sim->standing.used) || stage->world != before->world)
        return ZW_OK;
    for (int i = 0; i < stage->eq.nq; i++)
        size = fmax(size, fabs(x[i]));
    const double *gap = zw_at_touch(zw_run_flow(stage->run), zw_run_time(stage->run), x, NULL).gap;
    for (int i = 0; i < s->ncontact; i++) {
        const zw_contact *c = &s->contact[i];
        if (c->off)
            continue;
        if (before->absent[i] && !stage->absent[i] && !c->bilateral &&
            *gap < -ZW_SIM_LOCATED * (1 + size)) {
            zw_fail_at(err, ZW_E_START, c->place,
                       "the contact %s overlaps by %.4g %s where it is switched on", c->name, -*gap,
                       c->angular ? "rad" : "m");
            zw_error_hint(err, "switch it on where its gap is 0 or more");
            return ZW_E_START;
        }
        gap++;
    }
    return ZW_OK;
}

/* ---- columns ---- */

zw_status zw_sim_contacts_column(zw_table *t, const char *kind, const char *name, const char *part,
                                 const char *unit) {
    char full[256];
    snprintf(full, sizeof full, "%s(%s%s%s)", kind, name, part[0] ? "." : "", part);
    return zw_table_column(t, full, unit);
}

static zw_status contact_columns(const zw_sim *sim, const zw_contact *c, zw_table *t) {
    ZW_TRY(zw_sim_contacts_column(t, "gap", c->name, "", c->angular ? "rad" : "m"));
    for (int b = 0; b < c->nblock; b++)
        for (int i = 0; i < c->block[b].nrow; i++)
            ZW_TRY(zw_sim_contacts_column(t, "slip", c->name, c->block[b].part[i], "m/s"));
    ZW_TRY(zw_sim_contacts_column(t, "lambda", c->name, "", c->angular ? "N*m" : "N"));
    for (int b = 0; b < c->nblock; b++)
        for (int i = 0; i < c->block[b].nrow; i++)
            ZW_TRY(zw_sim_contacts_column(t, "lambda", c->name, c->block[b].part[i], "N"));
    if (sim->options.energy) {
        ZW_TRY(zw_sim_contacts_column(t, "work", c->name, "normal", "J"));
        ZW_TRY(zw_sim_contacts_column(t, "work", c->name, "friction", "J"));
    }
    return zw_sim_contacts_column(t, "status", c->name, "", "");
}

zw_status zw_sim_contacts_columns(zw_sim *sim, zw_table *t, bool rows) {
    const zw_system *s = sim->stage->eq.sys;
    if (rows)
        sim->contacts.first = zw_table_columns(t);
    if (sim->standing.used)
        return zw_sim_standing_columns(sim, t);
    if (!sim->contacts.steps)
        return ZW_OK;
    for (int i = 0; i < s->ncontact; i++)
        if (!s->contact[i].off)
            ZW_TRY(contact_columns(sim, &s->contact[i], t));
    ZW_TRY(zw_table_column(t, "contact iterations", ""));
    return zw_table_column(t, "contact residual", "");
}

/* ---- rows ---- */

/* an overlap at the start is an error of the model, not of the steps */
static void warn_overlap(const zw_sim *sim, const zw_contact *c, double gap) {
    char key[160];
    snprintf(key, sizeof key, "contact %s overlaps", c->name);
    zw_warning d =
        zw_warning_of(key, sim->options.start, "the contact %s overlaps at the start by %.4g %s",
                      c->name, -gap, c->angular ? "rad" : "m");
    d.worst = -gap;
    snprintf(d.unit, sizeof d.unit, "%s", c->angular ? "rad" : "m");
    zw_warning_place(&d, c->place);
    zw_warning_hint(&d,
                    "start with a gap of 0 or more; --overlap corrected moves the bodies apart");
    zw_warnings_add(sim->doubts, &d);
}

static void begin_means(zw_sim_contacts *c) {
    memset(c->impulse, 0, sizeof *c->impulse * (size_t)c->nrow);
    c->since = c->until;
    c->residual = 0;
    c->iterations = 0;
    c->told = false;
}

zw_status zw_sim_contacts_start(zw_sim *sim, zw_error *err) {
    zw_sim_contacts *c = &sim->contacts;
    const zw_kernel *k = sim->stage->kernel;
    const zw_system *s = sim->stage->eq.sys;
    if (sim->standing.used)
        return zw_sim_standing_start(sim, err);
    if (!c->steps)
        return ZW_OK;
    if (!c->now) {
        c->n = k->ncontact;
        c->nrow = k->ntouch;
        c->now = ZW_NEW(&sim->arena, zw_contact_report, c->n + 1);
        c->impulse = ZW_NEW(&sim->arena, double, c->nrow + 1);
        c->work = ZW_NEW(&sim->arena, double, 2 * c->n + 1);
        c->touched = ZW_NEW(&sim->arena, bool, c->n + 1);
        if (sim->arena.failed)
            return zw_out_of_memory(err, "the result");
    }
    memset(c->work, 0, sizeof *c->work * (size_t)(2 * c->n));
    memset(c->touched, 0, sizeof *c->touched * (size_t)c->n);
    c->until = zw_run_time(sim->stage->run);
    c->worst = c->deepest = c->kinetic = c->drift = 0;
    c->energy = zw_sim_energy(sim);
    begin_means(c);
    zw_moreau_report report = {.contact = c->now};
    ZW_TRY(zw_moreau_tell(sim->stage->run, &report, err));
    for (int i = 0, n = 0; i < s->ncontact; i++)
        if (!s->contact[i].off && c->now[n++].gap < -OVERLAP_REPORTED && !s->contact[i].bilateral &&
            !sim->stage->absent[i] && !sim->resumed)
            warn_overlap(sim, &s->contact[i], c->now[n - 1].gap);
    return ZW_OK;
}

zw_status zw_sim_contacts_resume(zw_sim *sim, const zw_table *t, double *sum, zw_error *err) {
    zw_sim_contacts *c = &sim->contacts;
    const zw_system *s = sim->stage->eq.sys;
    for (int i = 0, n = 0; i < s->ncontact && c->steps; i++)
        for (int friction = 0; friction < 2 && !s->contact[i].off; friction++, n++) {
            char name[256];
            snprintf(name, sizeof name, "work(%s.%s)", s->contact[i].name,
                     friction ? "friction" : "normal");
            int column = zw_table_find(t, name);
            if (column < 0)
                return zw_fail(err, ZW_E_FILE,
                               "the result has no column %s, which is needed to continue", name);
            *sum += c->work[n] = zw_table_at(t, zw_table_rows(t) - 1, column);
        }
    return ZW_OK;
}

void zw_sim_contacts_gather(zw_sim *sim) {
    zw_sim_contacts *c = &sim->contacts;
    zw_moreau_report report = {.contact = c->now};
    zw_error ignored = {0};
    if (!c->steps || !c->now || zw_moreau_tell(sim->stage->run, &report, &ignored) < 0)
        return;
    const zw_kernel *k = sim->stage->kernel;
    if (c->told && report.until > c->until) /* they may end within the same step */
        begin_means(c);
    c->until = report.until;
    c->iterations = report.iterations > c->iterations ? report.iterations : c->iterations;
    c->residual = fmax(c->residual, report.residual);
    c->worst = fmax(c->worst, report.residual);
    for (int i = 0; i < c->n; i++) {
        c->touched[i] |= c->now[i].impulse[0] != 0;
        for (int a = 0; a < k->contact[i].nrow; a++)
            c->impulse[k->contact[i].row + a] += c->now[i].impulse[a];
        c->work[2 * i] += c->now[i].work[0];
        c->work[2 * i + 1] += c->now[i].work[1];
        if (-c->now[i].deepest > c->deepest) {
            c->deepest = -c->now[i].deepest;
            c->deepest_contact = i;
        }
    }
}

/* The change of the energy minus the works of the contacts is an error of the steps, if no other
 * force does work. */
static void update_drift(zw_sim *sim) {
    zw_sim_contacts *c = &sim->contacts;
    const double *energies = zw_run_observables(sim->stage->run) + sim->stage->kernel->nobs;
    double drift = energies[0] + energies[1] - c->energy;
    for (int i = 0; i < 2 * c->n; i++)
        drift -= c->work[i];
    c->kinetic = fmax(c->kinetic, energies[0]);
    c->drift = fmax(c->drift, fabs(drift));
}

void zw_sim_contacts_row(zw_sim *sim, double *row, bool over) {
    zw_sim_contacts *c = &sim->contacts;
    const zw_kernel *k = sim->stage->kernel;
    if (sim->standing.used)
        zw_sim_standing_row(sim, row, over);
    if (!c->steps || !c->now)
        return;
    double time = c->until - c->since;
    for (int i = 0; i < c->n; i++) {
        const zw_contact_form *f = &k->contact[i];
        *row++ = c->now[i].gap;
        for (int a = 1; a < f->nrow; a++)
            *row++ = c->now[i].rate[a];
        for (int a = 0; a < f->nrow; a++)
            *row++ = time > 0 ? c->impulse[f->row + a] / time : 0;
        if (sim->options.energy) {
            *row++ = c->work[2 * i];
            *row++ = c->work[2 * i + 1];
        }
        *row++ = c->now[i].state;
    }
    *row++ = c->iterations;
    *row++ = c->residual;
    update_drift(sim);
    c->told |= over;
}

/* ---- events of the model ---- */

/* the gaps before events act, by numbers of the system */
zw_status zw_sim_contacts_before(zw_sim *sim, zw_error *err) {
    zw_sim_contacts *c = &sim->contacts;
    const zw_sim_stage *stage = sim->stage;
    const zw_system *s = stage->world->sys;
    int most = 0;
    if (!c->steps)
        return ZW_OK;
    for (const zw_sim_variant_state *w = sim->worlds; w && !c->gap; w = w->next)
        most = w->sys->ncontact > most ? w->sys->ncontact : most;
    if (!c->gap)
        c->gap = ZW_NEW(&sim->arena, double, most + 1);
    if (!c->gap)
        return zw_out_of_memory(err, "the simulation");
    zw_touch_parts touch = zw_at_touch(zw_run_flow(stage->run), zw_run_time(stage->run),
                                       zw_run_state(stage->run), NULL);
    for (int i = 0, n = 0; i < s->ncontact; i++)
        c->gap[i] = s->contact[i].off ? INFINITY : touch.gap[n++];
    return ZW_OK;
}

static double gap_before(const zw_sim *sim, const zw_system *from, const char *name) {
    for (int i = 0; i < from->ncontact; i++)
        if (strcmp(from->contact[i].name, name) == 0)
            return sim->contacts.gap[i];
    return INFINITY;
}

/* Actions of events must not make bodies overlap: no step would separate them again. */
zw_status zw_sim_contacts_after(zw_sim *sim, const zw_system *from, zw_error *err) {
    const zw_sim_stage *stage = sim->stage;
    const zw_system *s = stage->world->sys;
    const double *x = zw_run_state(stage->run);
    const zw_run_options *o = &sim->options.run;
    double size = 0;
    if (!sim->contacts.steps)
        return ZW_OK;
    for (int i = 0; i < s->nq; i++)
        size = fmax(size, fabs(x[i]));
    zw_touch_parts touch = zw_at_touch(zw_run_flow(stage->run), zw_run_time(stage->run), x, NULL);
    for (int i = 0, n = 0; i < s->ncontact; i++) {
        if (s->contact[i].off)
            continue;
        double gap = touch.gap[n++], before = fmin(0, gap_before(sim, from, s->contact[i].name));
        if (!s->contact[i].bilateral && !stage->absent[i] &&
            gap < before - 16 * (o->rtol * size + o->atol))
            return zw_sim_reject_overlap(sim, &s->contact[i], gap, err);
    }
    return ZW_OK;
}

/* ---- at the end ---- */

/* An error is reported if it is more than ERROR_PER_RTOL times the tolerance (a first-order method
 * keeps it by this factor only) or more than this part of the range, which is visible. */
#define ERROR_PER_RTOL 1e4
#define ERROR_PER_RANGE 0.01

static void warn_errors(zw_sim *sim, const zw_moreau_accuracy *a) {
    const zw_sim_contacts *c = &sim->contacts;
    const zw_system *s = sim->stage->eq.sys;
    double rtol = sim->options.run.rtol;
    if (a->part <= fmin(ERROR_PER_RANGE, ERROR_PER_RTOL * rtol))
        return;
    zw_warning d =
        isnan(a->part)
            ? zw_warning_of(ZW_SIM_STEP_ERRORS, zw_run_time(sim->stage->run),
                            "the error of the time steps is not known: the comparison run "
                            "fails")
            : zw_warning_of(ZW_SIM_STEP_ERRORS, zw_run_time(sim->stage->run),
                            "the estimated error of %s is %.2g of its range, much more than "
                            "the tolerance %g",
                            s->coord[a->coordinate].name, a->part, rtol);
    zw_warning_hint(
        &d, c->options.control
                ? "reduce --rtol; if the motion is sensitive to small errors, use "
                  "averages over many runs"
                : "the error is of first order in --step: a tenth of the step gives a tenth "
                  "of the error; --steps controlled follows --rtol; --contacts events is "
                  "of higher order");
    d.worst = a->part;
    zw_warnings_add(sim->doubts, &d);
}

static void estimate_errors(zw_sim *sim) {
    zw_sim_contacts *c = &sim->contacts;
    const zw_sim_options *o = &sim->options;
    zw_moreau_accuracy a = zw_moreau_estimate(sim->stage->run);
    char compared[120];
    if (c->options.control)
        snprintf(compared, sizeof compared, "rtol %g with a run at ten times the tolerances",
                 o->run.rtol);
    else
        snprintf(compared, sizeof compared, "steps of %g s with a run at twice the step",
                 o->run.step);
    if (a.coordinate >= 0) {
        const zw_coord *q = &sim->stage->eq.sys->coord[a.coordinate];
        snprintf(c->estimate, sizeof c->estimate,
                 "estimated error of %s: %.2g%s%s, %.2g of its range (compared %s)", q->name,
                 a.error, q->unit[0] ? " " : "", q->unit, a.part, compared);
    }
    if (zw_run_statistics(sim->stage->run).steps > 0)
        warn_errors(sim, &a);
}

/* the sum of the lengths among the parameters [m]; 0 if there are none */
static double length_scale(const zw_sim *sim) {
    const zw_system *s = sim->stage->eq.sys;
    const zw_sim_variant_state *w = zw_sim_now(sim);
    double sum = 0;
    for (int i = 0; i < s->np; i++)
        if (strcmp(s->param[i].unit, "m") == 0)
            sum += fabs(w->p[i]);
    return sum;
}

static void warn_depth(zw_sim *sim) {
    const zw_sim_contacts *c = &sim->contacts;
    double scale = length_scale(sim);
    if (scale == 0 || c->deepest <= OVERLAP_DEEP * scale || c->deepest_contact < 0)
        return;
    const zw_contact *contact = zw_sim_contact(sim->stage->eq.sys, c->deepest_contact);
    zw_warning d =
        zw_warning_of("overlap", zw_run_time(sim->stage->run),
                      "the bodies of the contact %s overlap by more than a hundredth of the "
                      "lengths of the model",
                      contact->name);
    zw_warning_place(&d, contact->place);
    zw_warning_hint(&d, "take a smaller --step, or --overlap corrected");
    d.worst = c->deepest;
    snprintf(d.unit, sizeof d.unit, "m");
    zw_warnings_add(sim->doubts, &d);
}

static void warn_balance(zw_sim *sim) {
    const zw_sim_contacts *c = &sim->contacts;
    if (!sim->stage->conserves || sim->resumed || sim->nmet > 0 || c->drift <= 0.01 * c->kinetic ||
        /* at rest the kinetic energy is round-off of the energy */
        c->drift <= ZW_ROUNDOFF_SUM * fabs(c->energy))
        return;
    zw_warning d =
        zw_warning_of("balance of energy", zw_run_time(sim->stage->run),
                      "the energy changes by more than the contacts explain, by up to %.2g of "
                      "the largest kinetic energy: the steps are too long",
                      c->drift / c->kinetic);
    zw_warning_hint(&d, "the error is of first order: a tenth of the --step has a tenth of it");
    d.worst = c->drift;
    snprintf(d.unit, sizeof d.unit, "J");
    zw_warnings_add(sim->doubts, &d);
}

static bool is_same_zero(zw_context *ctx, zw_expr a, zw_expr b) {
    return b && (a == b || zw_add(ctx, a, b) == ZW_ZERO);
}

/* Is this event a zero of the gap, its rate or a slip of the contact? */
static bool is_at_contact(zw_context *ctx, const zw_contact *c, zw_expr event) {
    bool at = is_same_zero(ctx, event, c->gap) || is_same_zero(ctx, event, c->rate);
    for (int b = 0; b < c->nblock; b++)
        for (int i = 0; i < c->block[b].nrow; i++)
            at = at || is_same_zero(ctx, event, c->block[b].rate[i]);
    return at;
}

/* In time steps a closing gap, or an ending slip, stops near zero without passing through it:
 * events of these functions may be missed. */
static void warn_events(zw_sim *sim) {
    const zw_sim_contacts *c = &sim->contacts;
    const zw_system *s = sim->stage->eq.sys;
    for (int k = 0, n = -1; k < s->ncontact; k++) {
        n += !s->contact[k].off;
        for (int i = 0; i < s->nevent && !s->contact[k].off && c->touched[n]; i++) {
            if (s->event[i].period || !is_at_contact(s->ctx, &s->contact[k], s->event[i].value))
                continue;
            zw_warning d =
                zw_warning_of("event at a contact", zw_run_time(sim->stage->run),
                              "the event %s occurs where the contact %s closes or sticks, "
                              "which time steps do not locate: it may have been missed",
                              s->event[i].name, s->contact[k].name);
            zw_warning_place(&d, s->event[i].place);
            zw_warning_hint(&d, "use --contacts events");
            zw_warnings_add(sim->doubts, &d);
        }
    }
}

void zw_sim_contacts_end(zw_sim *sim) {
    if (!sim->contacts.steps || !sim->contacts.now)
        return;
    estimate_errors(sim);
    warn_depth(sim);
    warn_balance(sim);
    warn_events(sim);
}
