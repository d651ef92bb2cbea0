/* SPDX-License-Identifier: MIT */
/* Contacts from event to event. The modes of all contacts (zw_contact_mode) define a stage: closed
 * gaps and sticking blocks are its constraints, sliding friction is a force, and any method
 * integrates it to any order. The event functions of its equations vanish where a mode ends
 * (src/mech/equations/contact_mode_events.c). At such an instant, in this order
 * (src/contact/contact_mode.h):
 *
 *     1. Contacts that touch and approach collide: the velocities jump by the law of impact.
 *        Contacts that approach after that collide next, until none approaches.
 *     2. For contacts that touch and do not separate, the accelerations decide whether they are
 *        closed or open, and whether their blocks with velocity 0 stick or begin to slide.
 *     3. The result is a stage. If one of its functions is about to fall through zero immediately,
 *        that mode has ended too: back to 2 without it.
 *
 * The same is done where gaps, slips or laws have a kink (src/mech/equations/kink_modes.c,
 * src/num/events/switching.h): the run halts there with the velocities before it, and the rows of
 * the contacts are those of the pieces after it. A wall that suddenly starts to move is an impact,
 * a belt that suddenly stops a slip. A gap whose value jumps is an error.
 *
 * If no mode satisfies the laws (Painleve), the contact that presses is stopped by an impulse where
 * its law allows that: an impact without a collision. If several do, the mode before is kept, else
 * no force is preferred to sticking and sticking to sliding, with a warning.
 *
 * Impacts that accumulate (zeno.c) end at a limit. From the impact after which the remaining time
 * is tiny the contact is closed: the impulse that removes its last velocity has the friction of all
 * further impacts, and the error in between is of the second order in that time. The limit is a
 * separate event, NAME.rests.
 *
 * A block of several velocities begins to slide with a velocity as small as the tolerances along
 * the direction of its acceleration, since friction has no direction at rest. This is an error of
 * the size of a tolerance. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "contact/contact_mode.h"
#include "internal.h"
#include "mech/equations/variants.h"
#include "num/events/switching.h"
#include "num/run_jumps.h"

enum {
    ROUNDS_MAX = 30,          /* decisions at one instant */
    EVENTS_AT_ONCE_MAX = 300, /* at the same time: then the run fails */
    SHRUNK = 4,               /* shrinking intervals of a contact that accumulates with others */
    TURNS = 6,                /* corrections of the directions of beginning slips */
    COLLISIONS_MAX = 1000,    /* at one instant */
    RESTARTS_MAX = 3
};
/* Normal force, in units of the force that holds the contact alone, beyond which friction jams:
 * where it grows without limit, the time to infinity is then below 1e-6 of that from one weight. */
#define FORCE_JAMS 1e6
#define IMPACT_RESIDUAL_MAX 1e-6 /* accepted, with a warning; as in time steps (moreau.c) */
#define SLIP_STIFF 100 /* in units of the slowest slip: friction turns slower slips very fast */
#define RATE_ZERO 4    /* velocities below this multiple of their accuracy are 0 */
#define GAP_JUMPS 16   /* change of a gap at an instant in units of its accuracy: more is a jump */
/* mu at its zero, located by an event of a force, to the default tolerances */
#define MU_ZERO 1e-7
/* Velocity, in units of its accuracy, at which a slip of several velocities ends; it begins at
 * twice that. */
#define SLIP_ENDS 0.5

/* ---- supported contacts ---- */

/* Writes why the contact c has no equations between events, and a hint; false: it has them. */
static bool is_obstacle(const zw_contact *c, char *why, size_t size, const char **hint) {
    for (int b = 0; b < c->nblock; b++)
        if (c->block[b].kind == ZW_FRICTION_CONTENSOU && c->block[b].nu == ZW_NU_PRINTED) {
            snprintf(why, size,
                     "the contact %s has a Contensou law by the printed series, whose "
                     "force jumps "
                     "where slip and spin are equal: it has no equations between events",
                     c->name);
            *hint = "use hertz, which the series approximates, or --contacts moreau";
            return true;
        }
    return false;
}

const zw_contact *zw_sim_standing_obstacle(const zw_sim *sim, char *why, size_t size,
                                           const char **hint) {
    for (const zw_sim_variant_state *w = sim->worlds; w; w = w->next)
        for (int i = 0; i < w->sys->ncontact; i++)
            if (!w->sys->contact[i].off && is_obstacle(&w->sys->contact[i], why, size, hint))
                return &w->sys->contact[i];
    return NULL;
}

static void count_rows(const zw_system *s, zw_sim_standing *d) {
    int n = 0, nrow = 0, nwatch = 0;
    for (int i = 0; i < s->ncontact; i++) {
        const zw_contact *c = &s->contact[i];
        n++;
        nrow++;
        for (int b = 0; b < c->nblock; b++)
            nrow += c->block[b].nrow;
        nwatch += 2 + c->nblock;
    }
    d->ncontact = n > d->ncontact ? n : d->ncontact;
    d->nrow = nrow > d->nrow ? nrow : d->nrow;
    d->nwatch = nwatch > d->nwatch ? nwatch : d->nwatch;
}

/* ---- names ---- */

static const char *const turn_names[ZW_TURN_COUNT] = {"hit",   "lifts",  "rests",
                                                      "slips", "sticks", "turns"};

/* "floor.hit"; of blocks after the first, "floor.spin.sticks" */
static void name_of(const zw_contact *c, zw_sim_turn turn, int block, char *out, size_t size) {
    const char *word = turn_names[turn];
    if (turn < ZW_TURN_SLIPS || block == 0)
        snprintf(out, size, "%.150s.%s", c->name, word);
    else
        snprintf(out, size, "%.110s.%.40s.%s", c->name, c->block[block].part[0], word);
}

int zw_sim_block_of(const zw_contact *c, int constraint) {
    for (int b = 0; b < c->nblock; b++)
        if (c->stuck[b] >= 0 && constraint >= c->stuck[b] &&
            constraint < c->stuck[b] + c->block[b].nrow)
            return b;
    return -1;
}

/* does this constraint belong to the contact? */
static bool is_own_constraint(const zw_contact *c, int constraint) {
    return constraint == c->closed || zw_sim_block_of(c, constraint) >= 0;
}

static bool is_possible(const zw_contact *c, zw_sim_turn turn, int block) {
    if (c->off || (c->bilateral && turn < ZW_TURN_SLIPS))
        return false;
    if (turn < ZW_TURN_SLIPS)
        return block == 0;
    return block < c->nblock && zw_rubbing_is_set_valued(&c->block[block]) &&
           (turn != ZW_TURN_TURNS || c->block[block].nrow == 1);
}

static int number_of(const zw_sim *sim, const char *name) {
    for (int i = 0; i < sim->nevent; i++)
        if (strcmp(sim->event[i], name) == 0)
            return i;
    return -1;
}

/* the events of contacts are numbered after those of the model */
static zw_status number_events(zw_sim *sim, const zw_system *s, zw_error *err) {
    int most = s->ncontact * ZW_TURN_COUNT * ZW_FRICTION_BLOCKS_MAX;
    const char **wider = ZW_NEW(&sim->arena, const char *, sim->nevent + most + 1);
    if (!wider)
        return zw_out_of_memory(err, "the contacts");
    for (int i = 0; i < sim->nevent; i++)
        wider[i] = sim->event[i];
    sim->event = wider;
    for (int i = 0; i < s->ncontact; i++)
        for (int block = 0; block < ZW_FRICTION_BLOCKS_MAX; block++)
            for (int turn = 0; turn < ZW_TURN_COUNT; turn++) {
                char name[200];
                if (!is_possible(&s->contact[i], (zw_sim_turn)turn, block))
                    continue;
                name_of(&s->contact[i], (zw_sim_turn)turn, block, name, sizeof name);
                if (number_of(sim, name) < 0)
                    sim->event[sim->nevent++] = zw_arena_string(&sim->arena, name);
            }
    return sim->arena.failed ? zw_out_of_memory(err, "the contacts") : ZW_OK;
}

/* ---- lifecycle ---- */

static int constraints_most(const zw_sim *sim) {
    int most = 0;
    for (const zw_sim_variant_state *w = sim->worlds; w; w = w->next)
        most = w->sys->nconstraint > most ? w->sys->nconstraint : most;
    return most;
}

static zw_status allocate_standing(zw_sim *sim, zw_error *err) {
    zw_sim_standing *d = &sim->standing;
    zw_arena *a = &sim->arena;
    int n = d->ncontact;
    d->stance = ZW_NEW(a, zw_contact_mode, n + 1);
    d->prior = ZW_NEW(a, zw_contact_mode, n + 1);
    d->was = ZW_NEW(a, zw_contact_mode, n + 1);
    d->next = ZW_NEW(a, zw_contact_mode, n + 1);
    d->now = ZW_NEW(a, zw_contact_mode, n + 1);
    d->over = ZW_NEW(a, unsigned char, n *ZW_CONTACT_MODE_PARTS + 1);
    d->touching = ZW_NEW(a, bool, n + 1);
    d->rests = ZW_NEW(a, bool, n + 1);
    d->hit = ZW_NEW(a, bool, n + 1);
    d->meets = ZW_NEW(a, bool, n + 1);
    d->before = ZW_NEW(a, double, d->nrow + 1);
    d->P = ZW_NEW(a, double, d->nrow + 1);
    d->direction = ZW_NEW(a, double, d->nrow + 1);
    d->impulse = ZW_NEW(a, double, d->nrow + 1);
    d->work = ZW_NEW(a, double, 2 * n + 1);
    d->share = ZW_NEW(a, zw_share, d->nrow + 1);
    for (int i = 0; i < d->nrow && d->share; i++)
        d->share[i].factor = ZW_NEW(a, double, constraints_most(sim) + 1);
    d->rest_at = ZW_NEW(a, double, n + 1);
    d->drift = ZW_NEW(a, double, n + 1);
    d->anew = ZW_NEW(a, int, n + 1);
    d->history = ZW_NEW(a, zw_sim_history, n + 1);
    d->met = ZW_NEW(a, bool, ZW_SIM_IMPACTS *n + 1);
    d->plastic = ZW_NEW(a, bool, ZW_SIM_IMPACTS *n + 1);
    d->reach = ZW_NEW(a, double, sim->worlds->sys->nv + 1);
    d->size = ZW_NEW(a, double, sim->worlds->sys->nv + 1);
    return a->failed ? zw_out_of_memory(err, "the contacts") : ZW_OK;
}

zw_status zw_sim_standing_create(zw_sim *sim, zw_error *err) {
    zw_sim_standing *d = &sim->standing;
    char why[300];
    const char *hint;
    const zw_contact *obstacle = zw_sim_standing_obstacle(sim, why, sizeof why, &hint);
    if (obstacle) {
        zw_fail_at(err, ZW_E_OPTION, obstacle->place, "%s", why);
        zw_error_hint(err, "%s", hint);
        return ZW_E_OPTION;
    }
    d->used = true;
    for (const zw_sim_variant_state *w = sim->worlds; w; w = w->next) {
        count_rows(w->sys, d);
        ZW_TRY(number_events(sim, w->sys, err));
    }
    return allocate_standing(sim, err);
}

void zw_sim_standing_destroy(zw_sim *sim) {
    for (zw_sim_ground *g = sim->standing.grounds; g; g = g->next) {
        zw_contact_modes_destroy(g->stances);
        zw_run_destroy(g->run);
        zw_kernel_destroy(g->kernel);
    }
}

/* ---- the equations without contacts ---- */

static zw_status fill_ground(const zw_sim *sim, zw_sim_ground *g, zw_error *err) {
    const zw_system *s = g->world->sys;
    const zw_active active = {.constraint = g->on};
    zw_equations plain;
    zw_kernel_options options = zw_kernel_options_default();
    options.jit = ZW_JIT_NEVER;
    options.functions = ZW_FUNCTIONS_RUN | ZW_SET(TOUCH) | ZW_SET(TOUCH_RATE) | ZW_SET(LAW);
    ZW_TRY(zw_derive(&plain, s, &active, "lagrange", err));
    ZW_TRY(zw_equations_lock_contacts(&g->eq, &plain, err));
    ZW_TRY(zw_kernel_create(&g->kernel, &g->eq, &options, err));
    ZW_TRY(zw_run_create(&g->run, g->kernel, g->world->p, &sim->options.run, err));
    zw_run_on_want(g->run, zw_kernel_serve, g->kernel);
    return zw_contact_modes_create(&g->stances, g->kernel, err);
}

zw_status zw_sim_ground_get(zw_sim *sim, const zw_sim_stage *stage, zw_sim_ground **out,
                            zw_error *err) {
    const zw_system *s = stage->world->sys;
    zw_sim_ground *g = sim->standing.grounds;
    for (; g; g = g->next) {
        bool same = g->world == stage->world;
        for (int i = 0; same && i < s->nconstraint; i++)
            same = g->on[i] == (stage->on[i] && !zw_sim_is_of_contact(s, i));
        if (same)
            break;
    }
    if (!g) {
        g = ZW_NEW(&sim->arena, zw_sim_ground, 1);
        bool *on = ZW_NEW(&sim->arena, bool, s->nconstraint + 1);
        if (!g || !on)
            return zw_out_of_memory(err, "the contacts");
        for (int i = 0; i < s->nconstraint; i++)
            on[i] = stage->on[i] && !zw_sim_is_of_contact(s, i);
        g->world = stage->world;
        g->on = on;
        g->version = stage->world->version;
        g->next = sim->standing.grounds;
        sim->standing.grounds = g;
        ZW_TRY(fill_ground(sim, g, err));
        zw_sim_input_feed(zw_run_flow(g->run), sim->stage);
    }
    if (g->version != stage->world->version)
        ZW_TRY(zw_run_set_parameters(g->run, stage->world->p, err));
    g->version = stage->world->version;
    *out = g;
    return ZW_OK;
}

/* ---- modes of the contacts of the kernel, which lacks those switched off, and of the system
 * ---- */

static int system_index(const zw_system *s, int contact) {
    int i = 0;
    while (s->contact[i].off || contact-- > 0)
        i++;
    return i;
}

static void to_kernel(const zw_system *s, const zw_contact_mode *from, zw_contact_mode *to) {
    for (int i = 0, n = 0; i < s->ncontact; i++)
        if (!s->contact[i].off)
            to[n++] = from[i];
}

/* sets the required modes and the constraints that belong to them */
void zw_sim_standing_want(zw_sim *sim, const zw_system *s, const zw_contact_mode *kernel,
                          bool *on) {
    zw_contact_mode *to = sim->standing.stance;
    for (int i = 0, n = 0; i < s->ncontact; i++) {
        const zw_contact *c = &s->contact[i];
        to[i] = (zw_contact_mode){.press = 1};
        if (!c->off)
            to[i] = kernel[n++];
        on[c->closed] = to[i].closed;
        for (int b = 0; b < c->nblock; b++)
            for (int r = 0; c->stuck[b] >= 0 && r < c->block[b].nrow; r++)
                on[c->stuck[b] + r] = to[i].closed && to[i].slide[b] == ZW_STICKS;
    }
    for (int i = 0; i < sim->standing.nshare; i++)
        on[sim->standing.share[i].constraint] = false;
}

/* the constraint of a row of the kernel; -1: of a block that never sticks */
static int constraint_of(const zw_system *s, const zw_kernel *k, int row) {
    int c = 0, at;
    while (row >= k->contact[c].row + k->contact[c].nrow)
        c++;
    const zw_contact *contact = &s->contact[system_index(s, c)];
    at = row - k->contact[c].row - 1;
    if (at < 0)
        return contact->closed;
    for (int b = 0; b < contact->nblock; at -= contact->block[b].nrow, b++)
        if (at < contact->block[b].nrow)
            return contact->stuck[b] < 0 ? -1 : contact->stuck[b] + at;
    return -1;
}

/* the rows that depend on others, with the shares decided last */
static void find_shares(zw_sim *sim, const zw_sim_ground *g) {
    zw_sim_standing *d = &sim->standing;
    const zw_system *s = sim->stage->world->sys;
    d->nshare = 0;
    for (int row = 0; row < g->kernel->ntouch; row++) {
        zw_share *share = &d->share[d->nshare];
        const double *factor;
        if (!zw_contact_modes_is_share(g->stances, row, &factor, &share->constant))
            continue;
        share->constraint = constraint_of(s, g->kernel, row);
        double *to = (double *)share->factor;
        memset(to, 0, sizeof *to * (size_t)s->nconstraint);
        for (int i = 0; i < g->kernel->ntouch; i++)
            if (factor[i] != 0)
                to[constraint_of(s, g->kernel, i)] = factor[i];
        d->nshare++;
    }
}

void zw_sim_standing_begin(zw_sim *sim, const zw_system *s, bool *on) {
    zw_sim_standing *d = &sim->standing;
    memcpy(d->prior, d->stance, sizeof *d->prior * (size_t)s->ncontact);
    for (int i = 0, n = 0; i < s->ncontact; i++)
        if (!s->contact[i].off)
            d->next[n++] = (zw_contact_mode){.closed = s->contact[i].bilateral && !sim->absent[i],
                                             .press = 1,
                                             .slide = {ZW_CARRIED, ZW_CARRIED, ZW_CARRIED}};
    d->nshare = 0;
    zw_sim_standing_want(sim, s, d->next, on);
}

/* ---- warnings and records ---- */

zw_sim_function zw_sim_function_of(const zw_system *s, int i) {
    zw_sim_function f = {.name = ""};
    if (i < s->nevent) {
        f.place = s->event[i].place;
        snprintf(f.name, sizeof f.name, "event %.150s", s->event[i].name);
        return f;
    }
    int c = 0;
    for (i -= s->nevent; s->contact[c].off || i > s->contact[c].nblock + 1; c++)
        i -= s->contact[c].off ? 0 : 2 + s->contact[c].nblock;
    f.place = s->contact[c].place;
    snprintf(f.name, sizeof f.name, "change of the contact %.150s", s->contact[c].name);
    return f;
}

void zw_sim_standing_warning(const zw_sim *sim, const zw_contact *c, double t, const char *what,
                             const char *hint) {
    char key[200];
    snprintf(key, sizeof key, "contact %.100s %.60s", c->name, what);
    if (zw_warnings_again(sim->doubts, key, t, NAN))
        return;
    zw_warning d = zw_warning_of(key, t, "the contact %s %s", c->name, what);
    zw_warning_place(&d, c->place);
    zw_warning_hint(&d, "%s", hint);
    zw_warnings_add(sim->doubts, &d);
}

static void warn_impact(const zw_sim *sim, double t, double residual) {
    if (zw_warnings_again(sim->doubts, "impact", t, residual))
        return;
    zw_warning d =
        zw_warning_of("impact", t, "the contact problem of an impact is not solved exactly");
    d.worst = residual;
    zw_warnings_add(sim->doubts, &d);
}

static zw_status record_event(zw_sim *sim, const zw_contact *c, zw_sim_turn turn, int block,
                              double t, double jump, zw_error *err) {
    char name[200];
    name_of(c, turn, block, name, sizeof name);
    sim->nmet++;
    if (sim->options.event)
        sim->options.event(sim->options.user, name, t);
    sim->event_row[0] = number_of(sim, name);
    sim->event_row[zw_table_columns(sim->events) - 1] = jump;
    return zw_table_row(sim->events, sim->event_row) < 0 ? zw_out_of_memory(err, "the result")
                                                         : ZW_OK;
}

/* Report the change of contact i of the kernel. A contact that is switched off
 * does not lift off. */
static zw_status report_contact(zw_sim *sim, const zw_contact *c, int i, double t, double jump,
                                zw_error *err) {
    zw_sim_standing *d = &sim->standing;
    const zw_system *s = sim->stage->world->sys;
    const zw_contact_mode *was = &d->was[i], *now = &d->next[i];
    if (d->hit[i] && !c->bilateral)
        ZW_TRY(record_event(sim, c, ZW_TURN_HIT, 0, t, jump, err));
    if (was->closed && !now->closed)
        return c->bilateral || sim->stage->absent[c - s->contact]
                   ? ZW_OK
                   : record_event(sim, c, ZW_TURN_LIFTS, 0, t, jump, err);
    for (int b = 0; b < c->nblock && was->closed && now->closed; b++) {
        int old = was->slide[b], slide = now->slide[b];
        if (!zw_rubbing_is_set_valued(&c->block[b]) || old == slide || old == ZW_CARRIED ||
            slide == ZW_CARRIED)
            continue;
        zw_sim_turn turn = slide == ZW_STICKS ? ZW_TURN_STICKS
                           : old == ZW_STICKS ? ZW_TURN_SLIPS
                                              : ZW_TURN_TURNS;
        ZW_TRY(record_event(sim, c, turn, b, t, jump, err));
    }
    return ZW_OK;
}

bool zw_sim_standing_has_hit(const zw_sim *sim) {
    for (int c = 0; sim->standing.used && c < sim->standing.ncontact; c++)
        if (sim->standing.hit[c])
            return true;
    return false;
}

zw_status zw_sim_standing_report(zw_sim *sim, double jump, zw_error *err) {
    const zw_sim_standing *d = &sim->standing;
    const zw_system *s = sim->stage->world->sys;
    double t = zw_run_time(sim->stage->run);
    for (int i = 0, c = 0; d->used && i < s->ncontact; i++)
        if (!s->contact[i].off)
            ZW_TRY(report_contact(sim, &s->contact[i], c++, t, jump, err));
    for (int c = 0; d->used && c < d->ncontact; c++)
        if (d->hit[c] && d->history[c].interval < INFINITY)
            zw_run_first_step(sim->stage->run, d->history[c].interval / 4);
    return ZW_OK;
}

/* ---- impacts ---- */

static void note_reach(zw_sim_standing *d, int nv, const double *v) {
    for (int i = 0; i < nv; i++)
        d->reach[i] = fmax(d->reach[i], fabs(v[i]));
}

/* sizes of the coordinates that velocities change; 1 for rotations */
static void find_sizes(zw_sim_standing *d, const zw_system *s, const double *q) {
    for (int i = 0; i < s->nv; i++)
        d->size[i] = s->velocity[i].coord >= 0 ? fabs(q[s->velocity[i].coord]) : 1;
}

/* Adds the impulses P between the rates before and now, and their work on the system without that
 * of moving supports. */
static void add_impulses(zw_sim_standing *d, const zw_kernel *k, const double *rate,
                         const double *support) {
    for (int c = 0; c < k->ncontact; c++)
        for (int a = 0; a < k->contact[c].nrow; a++) {
            int row = k->contact[c].row + a;
            d->impulse[row] += d->P[row];
            d->work[2 * c + (a > 0)] +=
                d->P[row] * ((d->before[row] + rate[row]) / 2 - support[row]);
        }
}

static void store_rates(zw_sim_standing *d, const zw_sim_ground *g) {
    memcpy(d->before, zw_contact_modes_rate(g->stances),
           sizeof(double) * (size_t)g->kernel->ntouch);
}

static void take_impulses(zw_sim *sim, const zw_sim_ground *g) {
    zw_sim_standing *d = &sim->standing;
    add_impulses(d, g->kernel, zw_contact_modes_rate(g->stances),
                 zw_contact_modes_support(g->stances));
    zw_contact_modes_push(g->stances, d->P, sim->x + g->kernel->nq);
    note_reach(d, g->kernel->nv, sim->x + g->kernel->nq);
}

static bool is_approaching(const zw_sim_standing *d, const zw_sim_ground *g, int c) {
    int row = g->kernel->contact[c].row;
    double known = zw_contact_modes_known(g->stances)[row],
           speed = zw_contact_modes_rate(g->stances)[row] - d->drift[c];
    if (g->kernel->contact[c].bilateral)
        speed = -fabs(speed);
    return d->touching[c] && speed < -RATE_ZERO * known;
}

/* Do the impacts of contact c accumulate so soon that nothing visible happens before? Their
 * velocities must decrease: between closing walls the intervals shrink too, without an end in
 * rest. */
static bool is_accumulating(zw_sim *sim, int c, double speed, double t) {
    const zw_sim_options *o = &sim->options;
    zw_sim_history *h = &sim->standing.history[c];
    double tiny = sqrt(fmax(o->run.rtol, o->run.atol)), limit;
    bool slower = speed < h->speed;
    h->speed = speed;
    return zw_sim_accumulates(h, t, o->until - o->start, tiny, &limit) && slower;
}

/* is it one of several contacts whose impacts accumulate together? */
static bool accumulates_too(const zw_sim_history *h, double t, double interval) {
    return h->shrinking >= SHRUNK && t - h->last <= 2 * interval;
}

/* Contacts that touch and do not separate, and those whose impacts are nearly over. These may be
 * impacts of several contacts: a block that rocks from edge to edge lifts one as it sets down the
 * other. */
static void find_rests(zw_sim *sim, const zw_sim_ground *g, double t, bool *ends) {
    zw_sim_standing *d = &sim->standing;
    const zw_kernel *k = g->kernel;
    const zw_system *s = sim->stage->world->sys;
    double interval = -INFINITY, left = 0;
    for (int c = 0; c < k->ncontact; c++) {
        int row = k->contact[c].row;
        double speed = zw_contact_modes_rate(g->stances)[row];
        bool slow = speed <= RATE_ZERO * zw_contact_modes_known(g->stances)[row];
        bool joint = k->contact[c].bilateral && !sim->stage->absent[system_index(s, c)];
        d->rests[c] = joint || (d->touching[c] && slow);
        if (d->hit[c] && is_accumulating(sim, c, fabs(d->before[row]), t))
            interval = fmax(interval, d->history[c].interval);
        left = d->hit[c] ? fmax(left, d->history[c].left) : left;
    }
    for (int c = 0; c < k->ncontact; c++) {
        bool parts = d->touching[c] && !d->rests[c];
        if (!parts || !(accumulates_too(&d->history[c], t, interval) ||
                        zw_contact_modes_returns(g->stances, d->was, c)))
            continue;
        d->rests[c] = *ends = true;
        d->rest_at[c] = t + left;
        d->history[c] = (zw_sim_history){0};
    }
}

static zw_status check_impact(const zw_sim *sim, const zw_contact_answer *a, double t,
                              zw_error *err) {
    if (a->verdict != ZW_CONTACT_NOT_CONVERGED)
        return ZW_OK;
    if (a->residual > IMPACT_RESIDUAL_MAX)
        return zw_fail(err, ZW_E_NUMERIC,
                       "the impact at t = %.10g s could not be solved: its residual is %.3g", t,
                       a->residual);
    warn_impact(sim, t, a->residual);
    return ZW_OK;
}

/* Contacts that take part in an impact: all that touch and do not separate. Those that approach are
 * hit; true if there are any. */
static bool find_meeting(zw_sim_standing *d, const zw_sim_ground *g) {
    bool any = false;
    for (int c = 0; c < g->kernel->ncontact; c++) {
        int row = g->kernel->contact[c].row;
        bool parts = zw_contact_modes_rate(g->stances)[row] >
                     RATE_ZERO * zw_contact_modes_known(g->stances)[row];
        d->meets[c] = d->touching[c] && (!parts || g->kernel->contact[c].bilateral);
        any |= is_approaching(d, g, c);
        d->hit[c] |= is_approaching(d, g, c);
    }
    store_rates(d, g);
    return any;
}

/* Several contacts approach after an impact: which collides first depends on gaps that are all
 * 0. */
static void warn_order(const zw_sim *sim, const zw_sim_ground *g, double t) {
    const zw_system *s = sim->stage->world->sys;
    int n = 0, last = 0;
    for (int c = 0; c < g->kernel->ncontact; c++)
        if (is_approaching(&sim->standing, g, c)) {
            last = c;
            n++;
        }
    if (n > 1)
        zw_sim_standing_warning(sim, &s->contact[system_index(s, last)], t,
                                "collides again at the same time as another contact: "
                                "their order is not determined",
                                "separate the contacts slightly: impacts at "
                                "different times have an order");
}

/* An impact with restitution is passed on to other contacts that touch: they are solved as one
 * problem. */
static void warn_chains(const zw_sim *sim, const zw_sim_ground *g, double t) {
    const zw_sim_standing *d = &sim->standing;
    const zw_system *s = sim->stage->world->sys;
    const zw_kernel *k = g->kernel;
    for (int i = 0; i < k->ncontact; i++) {
        int row = k->contact[i].row;
        double speed = d->before[row] - d->drift[i],
               known = zw_contact_modes_known(g->stances)[row];
        bool hit = d->meets[i] && speed < -RATE_ZERO * known;
        for (int j = 0; j < k->ncontact && hit; j++)
            if (d->meets[j] && zw_contact_modes_passes_on(g->stances, i, j, d->P))
                zw_sim_warning_chain(sim, &s->contact[system_index(s, i)],
                                     &s->contact[system_index(s, j)], t);
    }
}

void zw_sim_standing_moment(zw_sim *sim) {
    sim->standing.nimpact = 0;
    sim->standing.paradox = false;
}

/* the impact of the contacts that meet; plastic: may be NULL (none) */
static zw_status solve_impact(zw_sim *sim, const zw_sim_ground *g, const bool *plastic,
                              zw_contact_answer *answer, zw_error *err) {
    zw_sim_standing *d = &sim->standing;
    size_t n = (size_t)d->ncontact, at = (size_t)d->nimpact++ * n;
    if (d->nimpact <= ZW_SIM_IMPACTS) {
        memcpy(d->met + at, d->meets, sizeof(bool) * n);
        memset(d->plastic + at, 0, sizeof(bool) * n);
        if (plastic)
            memcpy(d->plastic + at, plastic, sizeof(bool) * n);
    }
    return zw_contact_modes_impact(g->stances, d->meets, plastic, d->P, answer, err);
}

/* An impact may make contacts approach that touched and separated, or rested: they collide next, as
 * in a row of balls. */
static zw_status collide_again(zw_sim *sim, const zw_sim_ground *g, double t, zw_error *err) {
    zw_sim_standing *d = &sim->standing;
    zw_contact_answer answer = {.verdict = ZW_CONTACT_CONVERGED};
    for (int round = 0; find_meeting(d, g); round++) {
        if (round == COLLISIONS_MAX)
            return zw_fail(err, ZW_E_NUMERIC,
                           "the impacts at t = %.10g s do not end: after %d of them contacts "
                           "still approach",
                           t, COLLISIONS_MAX);
        warn_order(sim, g, t);
        ZW_TRY(solve_impact(sim, g, NULL, &answer, err));
        ZW_TRY(check_impact(sim, &answer, t, err));
        warn_chains(sim, g, t);
        take_impulses(sim, g);
        for (int c = 0; c < g->kernel->ncontact; c++) {
            int row = g->kernel->contact[c].row;
            bool slow = zw_contact_modes_rate(g->stances)[row] <=
                        RATE_ZERO * zw_contact_modes_known(g->stances)[row];
            d->rests[c] = g->kernel->contact[c].bilateral || (d->touching[c] && slow);
        }
    }
    return ZW_OK;
}

/* Where the impacts of a contact are nearly over, the last one is plastic: it has the impulse of
 * all that would follow. */
static zw_status apply_impacts(zw_sim *sim, const zw_sim_ground *g, double t, zw_error *err) {
    zw_sim_standing *d = &sim->standing;
    zw_contact_answer answer = {.verdict = ZW_CONTACT_CONVERGED};
    bool ends = false, any = find_meeting(d, g);
    if (any)
        ZW_TRY(solve_impact(sim, g, NULL, &answer, err));
    find_rests(sim, g, t, &ends);
    if (any && ends) {
        zw_contact_modes_back(g->stances, d->before);
        d->nimpact--;
        ZW_TRY(solve_impact(sim, g, d->rests, &answer, err));
    }
    ZW_TRY(check_impact(sim, &answer, t, err));
    if (any && !ends)
        warn_chains(sim, g, t);
    if (any)
        take_impulses(sim, g);
    return any ? collide_again(sim, g, t, err) : ZW_OK;
}

/* ---- deciding ---- */

static zw_status reject_paradox(const zw_sim *sim, const zw_sim_ground *g, double t,
                                zw_error *err) {
    const zw_sim_standing *d = &sim->standing;
    const zw_system *s = sim->stage->world->sys;
    int c = 0;
    while (c + 1 < g->kernel->ncontact && !d->rests[c])
        c++;
    const zw_contact *contact = &s->contact[system_index(s, c)];
    const zw_contact_form *f = &g->kernel->contact[c];
    double slip = f->nrow > 1 ? zw_contact_modes_rate(g->stances)[f->row + 1] : 0;
    zw_fail_at(err, ZW_E_NUMERIC, contact->place,
               "the contact %s, which slips with %.6g m/s, has no normal force "
               "by its laws at t = %.10g "
               "s (Painleve's paradox), and no impulse that they allow ends that",
               contact->name, slip, t);
    zw_error_hint(err, "less friction, or a law that is smooth; --contacts moreau goes over it");
    return ZW_E_NUMERIC;
}

/* the impact without a collision that ends Painleve's paradox */
static zw_status stop_motion(zw_sim *sim, const zw_sim_ground *g, double t, zw_error *err) {
    zw_sim_standing *d = &sim->standing;
    const zw_system *s = sim->stage->world->sys;
    for (int c = 0; c < g->kernel->ncontact; c++) {
        if (!d->rests[c])
            continue;
        store_rates(d, g);
        if (!zw_contact_modes_stop(g->stances, d->rests, c, d->P))
            continue;
        zw_sim_standing_warning(
            sim, &s->contact[system_index(s, c)], t,
            "has no normal force by its law (Painleve's "
            "paradox): an impulse stops its slip",
            "the law allows no continuation other than such an impact without collision");
        take_impulses(sim, g);
        d->hit[c] = d->paradox = true;
        return ZW_OK;
    }
    return reject_paradox(sim, g, t, err);
}

/* contacts that share a load, if the motion depends on the shares */
static void warn_shares(const zw_sim *sim, double t) {
    static const char key[] = "shares of contacts";
    if (zw_warnings_again(sim->doubts, key, t, NAN))
        return;
    zw_warning doubt =
        zw_warning_of(key, t,
                      "more than one motion satisfies the contact laws: rigid bodies do "
                      "not determine how the contacts share the load, and friction "
                      "and the motion depend on it");
    zw_warning_hint(&doubt,
                    "the result is that of contacts of equal stiffness; use springs or fewer "
                    "contacts to determine it");
    zw_warnings_add(sim->doubts, &doubt);
}

/* went_on: the modes have just continued with other shares of a load. If one of them still ends
 * immediately, it is over. */
static zw_status decide_stances(zw_sim *sim, const zw_sim_ground *g, double t, bool *jumped,
                                bool *went_on, zw_error *err) {
    zw_sim_standing *d = &sim->standing;
    const zw_system *s = sim->stage->world->sys;
    for (int stop = 0;; stop++) {
        zw_contact_mode_answer answer = zw_contact_modes_decide(
            g->stances, d->rests, stop ? NULL : d->over, !*went_on, d->next, d->direction);
        *went_on |= answer == ZW_CONTACT_MODE_GOES_ON;
        find_shares(sim, g);
        d->ambiguous = answer == ZW_CONTACT_MODE_SHARES;
        switch (answer) {
        case ZW_CONTACT_MODE_ONE:
            return ZW_OK;
        case ZW_CONTACT_MODE_GOES_ON:
            memset(d->over, 0, sizeof *d->over * (size_t)(d->ncontact * ZW_CONTACT_MODE_PARTS));
            return ZW_OK;
        case ZW_CONTACT_MODE_SHARES:
            warn_shares(sim, t);
            return ZW_OK;
        case ZW_CONTACT_MODE_SEVERAL:
            for (int c = 0; c < g->kernel->ncontact; c++)
                if (d->rests[c])
                    zw_sim_standing_warning(
                        sim, &s->contact[system_index(s, c)], t,
                        "has several continuations by its law (Painleve's paradox)",
                        "what was so before stays so; else open comes before sticking "
                        "before "
                        "sliding");
            return ZW_OK;
        case ZW_CONTACT_MODE_NONE:
            break;
        }
        if (stop == 2)
            return reject_paradox(sim, g, t, err);
        ZW_TRY(stop_motion(sim, g, t, err));
        *jumped = true;
    }
}

/* Does the row depend only on rows of the same block of friction, or on none? In the latter case
 * joints prevent slip in a direction and carry the load there: the block shares no load with other
 * contacts or with its normal force. */
static bool stays_in_block(const zw_share *share, const zw_system *s) {
    int i = 0, b = -1;
    while (i < s->ncontact && (b = zw_sim_block_of(&s->contact[i], share->constraint)) < 0)
        i++;
    for (int l = 0; l < s->nconstraint && b >= 0; l++)
        if (share->factor[l] != 0 && zw_sim_block_of(&s->contact[i], l) != b)
            return false;
    return b >= 0;
}

/* is a force of this contact a share of other forces, or the reverse? */
static bool has_shares(const zw_sim_standing *d, const zw_system *s, const zw_contact *c) {
    bool any = false;
    for (int k = 0; k < d->nshare; k++) {
        if (stays_in_block(&d->share[k], s))
            continue;
        any |= is_own_constraint(c, d->share[k].constraint);
        for (int l = 0; l < s->nconstraint; l++)
            any |= d->share[k].factor[l] != 0 && is_own_constraint(c, l);
    }
    return any;
}

/* forces that the motion does not determine: those of rows that depend on each
 * other */
static void warn_shared(const zw_sim *sim, double t) {
    const zw_sim_standing *d = &sim->standing;
    const zw_system *s = sim->stage->world->sys;
    char names[120] = "", key[140];
    const zw_contact *first = NULL;
    int n = 0;
    for (int i = 0; i < s->ncontact; i++) {
        size_t used = strlen(names);
        if (!has_shares(d, s, &s->contact[i]))
            continue;
        first = first ? first : &s->contact[i];
        n++;
        if (used + strlen(s->contact[i].name) + 8 < sizeof names)
            snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                     s->contact[i].name);
        else if (strcmp(names + used - 3, "...") != 0)
            snprintf(names + used, sizeof names - used, ", ...");
    }
    snprintf(key, sizeof key, "%s%s", names, d->ambiguous ? " and the motion" : "");
    if (!first || zw_warnings_again(sim->doubts, key, t, NAN))
        return;
    zw_warning doubt =
        zw_warning_of(key, t,
                      n > 1 ? "the forces of the contacts %s are not unique: they share a load"
                            : "the normal force and the friction of the contact %s are not "
                              "unique: they share a "
                              "load",
                      names);
    zw_warning_place(&doubt, first->place);
    zw_warning_hint(&doubt,
                    "the system is statically indeterminate; the motion at this "
                    "time %s on it, and "
                    "the forces are those of contacts of equal stiffness",
                    d->ambiguous ? "depends" : "does not depend");
    zw_warnings_add(sim->doubts, &doubt);
}

/* A slip of several velocities begins with a velocity as small as the tolerances, one of a single
 * velocity from 0. Where friction is just exceeded, the force that drives the slip is small too,
 * and the slip may end again: then it begins once more. */
static bool begins_anew(const zw_sim_ground *g, int contact, const zw_contact_mode *now, int part) {
    const zw_contact_form *f = &g->kernel->contact[contact];
    int row = f->row + 1;
    for (int b = 0; b < part - 1; b++)
        row += f->block_rows[b];
    return part > 0 && abs(now->slide[part - 1]) == ZW_SLIDES &&
           (f->block_rows[part - 1] > 1 || fabs(zw_contact_modes_rate(g->stances)[row]) <=
                                               RATE_ZERO * zw_contact_modes_known(g->stances)[row]);
}

/* modes that are kept since there is no other, although their functions show that they end */
static void warn_kept(const zw_sim *sim, const zw_sim_ground *g, double t) {
    const zw_sim_standing *d = &sim->standing;
    const zw_system *s = sim->stage->world->sys;
    for (int c = 0; c < g->kernel->ncontact; c++) {
        const zw_contact *contact = &s->contact[system_index(s, c)];
        bool kept = false, anew = false;
        for (int part = 0; part <= contact->nblock; part++) {
            bool same =
                d->over[c * ZW_CONTACT_MODE_PARTS + part] & zw_contact_mode_bit(&d->next[c], part);
            anew |= same && begins_anew(g, c, &d->next[c], part);
            kept |= same && !begins_anew(g, c, &d->next[c], part);
        }
        d->anew[c] = anew ? d->anew[c] + 1 : 0;
        if (kept || d->anew[c] > RESTARTS_MAX)
            zw_sim_standing_warning(sim, contact, t,
                                    "continues as before although its law requires a change",
                                    "try another --rtol, or --contacts moreau");
    }
}

/* Sets the velocities required by the modes; a block begins to slide with the lowest velocity that
 * is certainly more than 0. A contact that stays closed has its velocity from its constraint: where
 * its rate differs slightly from that of its gap (three points of a disc), it is left unchanged, or
 * the constraint would rotate the beginning slips. The velocity that the impact of another contact
 * adds is removed by an impulse with friction, like that of the impacts that would follow. */
static void settle_velocities(zw_sim *sim, const zw_sim_ground *g, bool *jumped) {
    zw_sim_standing *d = &sim->standing;
    const zw_system *s = sim->stage->world->sys;
    zw_error ignored = {0};
    store_rates(d, g);
    for (int i = 0; i < g->kernel->ntouch; i++)
        d->direction[i] *= 2 * d->rest;
    for (int c = 0; c < g->kernel->ncontact; c++)
        if (sim->stage->stance[system_index(s, c)].closed && d->next[c].closed)
            d->direction[g->kernel->contact[c].row] =
                *jumped ? d->drift[c] : d->before[g->kernel->contact[c].row];
    if (zw_contact_modes_settle(g->stances, d->next, d->direction, d->P, &ignored) < 0)
        return; /* the projection onto the stage does the rest */
    const double *known = zw_contact_modes_known(g->stances),
                 *rate = zw_contact_modes_rate(g->stances);
    for (int i = 0; i < g->kernel->ntouch; i++)
        *jumped |= fabs(rate[i] - d->before[i]) > RATE_ZERO * known[i];
    take_impulses(sim, g);
}

/* Has a block of a contact just left its cone, and slides now? Its velocity is hardly larger than
 * its round-off, grows with the square of the time, and its direction turns the force quickly: no
 * function of the contact shows its sign yet. */
static bool begins_to_slide(const unsigned char *over, const zw_contact_mode *now, int nblock) {
    for (int b = 0; b < nblock; b++) {
        zw_contact_mode stuck = *now;
        stuck.slide[b] = ZW_STICKS;
        if (now->closed && (now->slide[b] == ZW_SLIDES || now->slide[b] == -ZW_SLIDES) &&
            (over[1 + b] & zw_contact_mode_bit(&stuck, 1 + b)))
            return true;
    }
    return false;
}

/* Has a contact just opened because its force became zero? Its gap begins with the acceleration
 * zero and grows with the third power of the time: its sign is round-off. */
static bool begins_to_lift(const unsigned char *over, const zw_contact_mode *now) {
    zw_contact_mode pressed = {.closed = true, .press = 1};
    return !now->closed && (over[0] & zw_contact_mode_bit(&pressed, 0));
}

/* Does a contact touch with a rate that is 0 within its accuracy? Then its acceleration decides
 * whether the gap opens. */
static bool is_still(const zw_sim_standing *d, const zw_sim_ground *g, int c) {
    int row = g->kernel->contact[c].row;
    double rate = zw_contact_modes_rate(g->stances)[row];
    return d->rests[c] && fabs(rate) <= RATE_ZERO * zw_contact_modes_known(g->stances)[row];
}

/* Does a contact touch and separate again? A gap below zero within the accuracy
 * of the time still counts. */
static bool is_parting(const zw_sim_standing *d, const zw_sim_ground *g, int c) {
    int row = g->kernel->contact[c].row;
    return d->touching[c] && !d->next[c].closed &&
           zw_contact_modes_rate(g->stances)[row] >
               RATE_ZERO * zw_contact_modes_known(g->stances)[row];
}

/* Modes that end immediately: their functions are about to fall through zero, or are below it.
 * *any: there are some that were not known before. */
static zw_status find_over(zw_sim *sim, const zw_sim_ground *g, bool *any, zw_error *err) {
    zw_sim_standing *d = &sim->standing;
    const zw_sim_stage *stage = sim->stage;
    const zw_system *s = stage->world->sys;
    *any = false;
    ZW_TRY(zw_run_event_ways(stage->run, sim->direction, err));
    const double *value = zw_at_evt(zw_run_flow(stage->run), zw_run_time(stage->run),
                                    zw_run_state(stage->run), zw_run_accel(stage->run))
                              .value;
    for (int i = 0, n = 0, w = s->nevent; i < s->ncontact; i++) {
        if (s->contact[i].off)
            continue;
        bool begins = begins_to_slide(d->over + n * ZW_CONTACT_MODE_PARTS, &stage->stance[i],
                                      s->contact[i].nblock) ||
                      begins_to_lift(d->over + n * ZW_CONTACT_MODE_PARTS, &stage->stance[i]);
        bool drifts = !stage->stance[i].closed && is_still(d, g, n), parts = is_parting(d, g, n);
        for (int part = 0; part <= s->contact[i].nblock; part++, w++) {
            unsigned char *over = &d->over[n * ZW_CONTACT_MODE_PARTS + part],
                          bit = zw_contact_mode_bit(&stage->stance[i], part);
            bool due = (sim->direction[w] == ZW_WAY_DOWN && !drifts) ||
                       sim->direction[w] == ZW_WAY_DOWN_SOON ||
                       (sim->direction[w] == ZW_WAY_NONE && value[w] < 0 && !parts);
            if (!due || (*over & bit) || begins)
                continue;
            *over |= bit;
            *any = true;
        }
        w++; /* jams are found separately */
        n++;
    }
    return ZW_OK;
}

/* The event functions of forces are reset where any mode changes, since forces jump then; those of
 * gaps and slips are kept if their own mode continues. */
static void forget_changed(zw_sim *sim, const zw_system *s) {
    const zw_contact_mode *old = sim->stage->stance, *now = sim->standing.stance;
    zw_event_side *side = sim->armed + sim->nevent;
    bool any = false;
    for (int i = 0; i < s->ncontact; i++)
        any |= !s->contact[i].off && !zw_sim_same_stance(&old[i], &now[i]);
    for (int i = 0; i < s->ncontact; i++) {
        bool closed = now[i].closed, same = old[i].closed == closed;
        if (s->contact[i].off)
            continue;
        if (closed ? any : !same)
            side->phase = ZW_EVENT_UNKNOWN;
        side++;
        for (int b = 0; b < s->contact[i].nblock; b++, side++)
            if (now[i].slide[b] == ZW_STICKS ? any : !same || old[i].slide[b] != now[i].slide[b])
                side->phase = ZW_EVENT_UNKNOWN;
        if (any)
            side->phase = ZW_EVENT_UNKNOWN;
        side++;
    }
}

static zw_status enter_stage(zw_sim *sim, double t, bool remembered, zw_error *err) {
    zw_sim_stage *next = NULL;
    const zw_system *s = sim->stage->world->sys;
    memcpy(sim->want, sim->stage->on, sizeof *sim->want * (size_t)s->nconstraint);
    zw_sim_standing_want(sim, s, sim->standing.next, sim->want);
    memset(sim->fixed, 0, sizeof *sim->fixed * (size_t)(s->nq + s->nv));
    ZW_TRY(zw_sim_stage_get(sim, &next, sim->stage->world, sim->want, err));
    ZW_TRY(zw_sim_settle(sim, next, t, false, err));
    ZW_TRY(zw_sim_stage_suit(sim, &next, t, sim->x, err));
    if (remembered)
        forget_changed(sim, s);
    ZW_TRY(zw_sim_change_stage(sim, next, t, sim->x, err));
    sim->row_is_current = false;
    return ZW_OK;
}

/* the nearest power of 4; 0 for 0 */
static double round_size(double x) {
    return x > 0 ? exp2(2 * round(log2(x) / 2)) : 0;
}

/* Slips of several velocities end where the tolerances no longer resolve them (SLIP_ENDS); friction
 * jams where forces exceed FORCE_JAMS. Both limits are numbers in the equations of a stage. They
 * are rounded to powers of 4, so that later runs of a simulation with other values reuse its
 * stages. */
static void set_limits(zw_sim_standing *d, const zw_sim_ground *g, double step) {
    const double *known = zw_contact_modes_known(g->stances);
    double slowest = 0;
    for (int i = 0; i < g->kernel->ntouch; i++)
        slowest = fmax(slowest, SLIP_ENDS * known[i]);
    if (d->rest == 0)
        d->rest = round_size(slowest);
    if (d->passed == 0)
        d->passed = step * zw_contact_modes_brake(g->stances);
    for (int i = 0; i < g->kernel->ncontact && d->most == 0; i++)
        d->most = round_size(FORCE_JAMS * zw_contact_modes_weight(g->stances, i));
}

/* If a gap jumps while the contact touches, or to a value below zero, no motion can follow. The
 * gaps before are those of the stage, on the pieces that end now. */
static zw_status check_jumps(zw_sim *sim, const zw_sim_ground *g, double t, zw_error *err) {
    const zw_system *s = sim->stage->world->sys;
    const double *after = zw_contact_modes_gap(g->stances),
                 *known = zw_contact_modes_gap_known(g->stances);
    if (!zw_num_has_halted(sim->stage->run))
        return ZW_OK;
    zw_touch_parts touch = zw_at_touch(zw_run_flow(sim->stage->run), t, sim->x, NULL);
    for (int c = 0; c < g->kernel->ncontact; c++) {
        bool jumps = fabs(after[c] - touch.gap[c]) > GAP_JUMPS * known[c],
             ends = jumps && after[c] > 0 && zw_contact_modes_is_flat(g->stances, c);
        if (ends) /* the surface ends */
            sim->standing.touching[c] = false;
        else if (jumps && (sim->standing.touching[c] || after[c] < -GAP_JUMPS * known[c]))
            return zw_sim_reject_jump(&s->contact[system_index(s, c)], t, after[c] - touch.gap[c],
                                      err);
    }
    return ZW_OK;
}

/* The residual rates of contacts that the stage keeps closed: where rates differ slightly from
 * those of the gaps (three points of a disc), they are no approach. */
static void find_drift(zw_sim *sim, const zw_sim_ground *g, double t) {
    const zw_system *s = sim->stage->world->sys;
    zw_touch_parts touch = zw_at_touch(zw_run_flow(sim->stage->run), t, sim->x, NULL);
    for (int c = 0; c < g->kernel->ncontact; c++)
        sim->standing.drift[c] = sim->stage->stance[system_index(s, c)].closed
                                     ? touch.rate[g->kernel->contact[c].row]
                                     : 0;
}

/* The numbers of the laws of touching contacts must be valid; a law is rejected also where a force
 * function has vanished because its mu did (num/events/event_values.c). */
static zw_status check_laws(const zw_sim *sim, const zw_sim_ground *g, double t, zw_error *err) {
    const zw_sim_standing *d = &sim->standing;
    const zw_system *s = sim->stage->world->sys;
    const double *number = zw_contact_modes_law(g->stances);
    for (int c = 0; c < g->kernel->ncontact; c++) {
        const zw_contact_form *f = &g->kernel->contact[c];
        double value = 0;
        const char *wrong = zw_contact_wrong_numbers(f, number, &value);
        for (int b = 0; b < f->nblock && !wrong && d->jams && d->was[c].closed; b++) {
            value = number[f->number + 1 + ZW_LAW_NUMBERS * b];
            bool moves = zw_system_moves(s, s->contact[system_index(s, c)].block[b].mu);
            wrong = moves && value <= MU_ZERO ? "mu becomes negative" : NULL;
        }
        if (wrong && d->touching[c])
            return zw_sim_reject_law(&s->contact[system_index(s, c)], t, wrong, value, err);
    }
    return ZW_OK;
}

/* An open contact with a negative gap touches, even if its own event is found
 * only after another one of the same step. */
static void find_overlapping(zw_sim *sim, const zw_sim_ground *g) {
    const zw_system *s = sim->stage->world->sys;
    const double *gap = zw_contact_modes_gap(g->stances);
    for (int c = 0; c < g->kernel->ncontact; c++)
        sim->standing.touching[c] |= gap[c] < 0 && !sim->stage->absent[system_index(s, c)];
}

/* Does a block of several velocities slide so slowly that friction changes its
 * direction very fast? The steps of an explicit method would be limited by
 * stability, and its errors would end the slip again. */
static bool begins_slowly(const zw_sim_standing *d, const zw_sim_ground *g) {
    const double *rate = zw_contact_modes_rate(g->stances);
    for (int c = 0; c < g->kernel->ncontact; c++) {
        const zw_contact_form *f = &g->kernel->contact[c];
        for (int b = 0, row = f->row + 1; b < f->nblock; row += f->block_rows[b], b++) {
            double sum = 0;
            for (int i = 0; i < f->block_rows[b]; i++)
                sum += rate[row + i] * rate[row + i];
            if (d->next[c].closed && d->next[c].slide[b] == ZW_SLIDES && f->block_rows[b] > 1 &&
                f->kind[b] != ZW_FRICTION_LINEAR &&
                sum <= SLIP_STIFF * SLIP_STIFF * d->rest * d->rest)
                return true;
        }
    }
    return false;
}

/* All changes of contacts at the present instant. d->touching: contacts that touch, d->over: modes
 * that have ended, d->was: modes before. */
static zw_status update_contacts(zw_sim *sim, bool *jumped, zw_error *err) {
    zw_sim_standing *d = &sim->standing;
    const zw_run_options *o = &sim->options.run;
    const zw_contact_mode_accuracy accuracy = {d->reach, d->size, o->rtol, o->atol};
    zw_sim_ground *g;
    double t = zw_run_time(sim->stage->run);
    bool again = true, went_on = false;
    const zw_system *s = sim->stage->world->sys;
    ZW_TRY(zw_sim_ground_get(sim, sim->stage, &g, err));
    memset(d->hit, 0, sizeof *d->hit * (size_t)d->ncontact);
    for (int round = 0; again; round++) {
        if (round == ROUNDS_MAX)
            return zw_fail(err, ZW_E_NUMERIC,
                           "no consistent contact modes were found at t = %.10g s: every change of "
                           "modes leads to another change",
                           t);
        ZW_TRY(zw_sim_stage_leave(sim->stage, sim->x, err));
        note_reach(d, g->kernel->nv, sim->x + s->nq);
        find_sizes(d, s, sim->x);
        ZW_TRY(zw_num_modes_start(g->run, t, sim->x, 1, err));
        ZW_TRY(zw_contact_modes_at(g->stances, zw_run_flow(g->run), t, sim->x, &accuracy, err));
        if (round == 0) {
            ZW_TRY(check_jumps(sim, g, t, err));
            ZW_TRY(check_laws(sim, g, t, err));
            find_drift(sim, g, t);
        }
        set_limits(d, g, o->step);
        if (round == 0) {
            find_overlapping(sim, g);
            ZW_TRY(apply_impacts(sim, g, t, err));
            for (int c = 0; c < g->kernel->ncontact; c++)
                *jumped |= d->hit[c];
            if (*jumped) { /* the velocities and forces have changed: decide all modes again */
                memset(d->over, 0, sizeof *d->over * (size_t)(d->ncontact * ZW_CONTACT_MODE_PARTS));
                ZW_TRY(zw_contact_modes_at(g->stances, zw_run_flow(g->run), t, sim->x, &accuracy,
                                           err));
            }
        }
        if (round == 0 && d->jams && zw_contact_modes_jams(g->stances, d->was)) {
            ZW_TRY(stop_motion(sim, g, t, err));
            *jumped = true;
        }
        for (int i = 0; i == 0 || (i < TURNS && !zw_contact_modes_agree(g->stances, d->next));
             i++) {
            memcpy(d->next, d->was, sizeof *d->next * (size_t)g->kernel->ncontact);
            ZW_TRY(decide_stances(sim, g, t, jumped, &went_on, err));
            settle_velocities(sim, g, jumped);
        }
        ZW_TRY(enter_stage(sim, t, round == 0, err));
        ZW_TRY(find_over(sim, g, &again, err));
    }
    warn_shared(sim, t);
    warn_kept(sim, g, t);
    if (begins_slowly(d, g))
        zw_num_expect_stiff(sim->stage->run, "a contact with friction in several directions begins "
                                             "to slip, which is stiff");
    return ZW_OK;
}

bool zw_sim_stage_slides(const zw_sim_stage *stage) {
    const zw_system *s = stage->world->sys;
    for (int i = 0; stage->stance && i < s->ncontact; i++)
        for (int b = 0; b < s->contact[i].nblock && !s->contact[i].off; b++)
            if (stage->stance[i].closed && s->contact[i].stuck[b] >= 0 &&
                stage->stance[i].slide[b] != ZW_STICKS && stage->stance[i].slide[b] != ZW_CARRIED)
                return true;
    return false;
}

/* Warns of a contact that slides while its normal force, with its friction, does not push it away:
 * the equations follow one of several motions. Where other contacts are closed too, their forces
 * matter, and nothing is reported. */
void zw_sim_standing_warning_jam(zw_sim *sim) {
    zw_sim_standing *d = &sim->standing;
    const zw_run_options *o = &sim->options.run;
    const zw_contact_mode_accuracy accuracy = {d->reach, d->size, o->rtol, o->atol};
    const zw_system *s = sim->stage->world->sys;
    zw_sim_ground *g;
    zw_error ignored = {0};
    double t = zw_run_time(sim->stage->run);
    int closed = 0;
    if (!zw_sim_stage_slides(sim->stage) || zw_sim_ground_get(sim, sim->stage, &g, &ignored) < 0 ||
        zw_sim_stage_leave(sim->stage, sim->x, &ignored) < 0 ||
        zw_contact_modes_at(g->stances, zw_run_flow(g->run), t, sim->x, &accuracy, &ignored) < 0)
        return;
    to_kernel(s, sim->stage->stance, d->now);
    if (sim->stage->nshare > 0 && zw_contact_modes_depend_on_shares(g->stances, d->now))
        warn_shares(sim, t);
    for (int c = 0; c < g->kernel->ncontact; c++)
        closed += d->now[c].closed;
    for (int c = 0; c < g->kernel->ncontact && closed == 1; c++)
        if (zw_contact_modes_push_back(g->stances, d->now, c) <= 0)
            zw_sim_standing_warning(sim, &s->contact[system_index(s, c)], t,
                                    "slides where its friction increases its own "
                                    "normal force (Painleve's paradox): "
                                    "this is one motion of several",
                                    "this does not occur with less friction");
}

/* open contacts whose gap is 0 within its accuracy, and all closed ones */
static zw_status find_touching(zw_sim *sim, zw_error *err) {
    zw_sim_standing *d = &sim->standing;
    const zw_sim_stage *stage = sim->stage;
    const zw_system *s = stage->world->sys;
    ZW_TRY(zw_run_event_ways(stage->run, sim->direction, err));
    memset(d->over, 0, sizeof *d->over * (size_t)(d->ncontact * ZW_CONTACT_MODE_PARTS));
    for (int i = 0, n = 0, w = s->nevent; i < s->ncontact; i++) {
        if (s->contact[i].off)
            continue;
        d->touching[n] = stage->stance[i].closed || sim->direction[w] != ZW_WAY_NONE;
        w += 2 + s->contact[i].nblock;
        n++;
    }
    return ZW_OK;
}

/* ---- external functions ---- */

static zw_status check_overlap(zw_sim *sim, zw_error *err) {
    const zw_sim_stage *stage = sim->stage;
    const zw_system *s = stage->world->sys;
    zw_touch_parts touch = zw_at_touch(zw_run_flow(stage->run), zw_run_time(stage->run),
                                       zw_run_state(stage->run), NULL);
    for (int i = 0, n = 0; i < s->ncontact; i++) {
        if (s->contact[i].off)
            continue;
        if (!sim->standing.touching[n] && !stage->absent[i] && touch.gap[n] < 0)
            return zw_sim_reject_overlap(sim, &s->contact[i], touch.gap[n], err);
        n++;
    }
    return ZW_OK;
}

/* from a stage in which all contacts are open, or bilateral: after a start, or after the actions of
 * an event */
zw_status zw_sim_standing_after(zw_sim *sim, zw_error *err) {
    zw_sim_standing *d = &sim->standing;
    bool jumped = false;
    d->jams = false;
    ZW_TRY(find_touching(sim, err));
    ZW_TRY(check_overlap(sim, err));
    to_kernel(sim->stage->world->sys, d->prior, d->was);
    ZW_TRY(zw_sim_events_remember(sim, err));
    return update_contacts(sim, &jumped, err);
}

zw_status zw_sim_standing_start(zw_sim *sim, zw_error *err) {
    zw_sim_standing *d = &sim->standing;
    memset(d->work, 0, sizeof *d->work * (size_t)(2 * d->ncontact));
    memset(d->impulse, 0, sizeof *d->impulse * (size_t)d->nrow);
    memset(d->history, 0, sizeof *d->history * (size_t)d->ncontact);
    memset(d->anew, 0, sizeof *d->anew * (size_t)d->ncontact);
    d->last = -INFINITY;
    d->standing = 0;
    d->passed = d->most = 0;
    if (sim->resumed && d->known)
        return ZW_OK;
    d->rest = 0;
    memset(d->reach, 0, sizeof *d->reach * (size_t)sim->worlds->sys->nv);
    memset(d->prior, 0, sizeof *d->prior * (size_t)d->ncontact);
    for (int i = 0; i < d->ncontact; i++)
        d->rest_at[i] = INFINITY;
    return zw_sim_standing_after(sim, err);
}

static zw_status reject_standing(const zw_sim *sim, double t, zw_error *err) {
    zw_fail(err, ZW_E_NUMERIC,
            "the contacts change %d times at t = %.10g s without progress in time",
            EVENTS_AT_ONCE_MAX, t);
    zw_error_hint(err, "take --contacts moreau, or other tolerances");
    (void)sim;
    return ZW_E_NUMERIC;
}

/* one part of contact i of the system, number n of the kernel, has ended */
static void end_part(zw_sim *sim, int i, int n, int part) {
    zw_sim_standing *d = &sim->standing;
    const zw_contact_mode *stance = &sim->stage->stance[i];
    if (part > sim->stage->world->sys->contact[i].nblock)
        d->jams = true;
    else if (part == 0 && !stance->closed)
        d->touching[n] = true;
    else
        d->over[n * ZW_CONTACT_MODE_PARTS + part] |= zw_contact_mode_bit(stance, part);
}

static void name_fired(zw_sim *sim, int n, const int *event) {
    const zw_system *s = sim->stage->world->sys;
    sim->standing.jams = false;
    for (int k = 0; k < n; k++)
        for (int i = 0, c = 0, w = s->nevent; i < s->ncontact; i++) {
            int parts = 2 + s->contact[i].nblock;
            if (s->contact[i].off)
                continue;
            if (event[k] >= w && event[k] < w + parts)
                end_part(sim, i, c, event[k] - w);
            w += parts;
            c++;
        }
}

static zw_status call_observer(const zw_sim *sim, const zw_sim_stage *from, int n, const int *event,
                               zw_error *err) {
    const zw_sim_standing *d = &sim->standing;
    zw_sim_turned turned = {.t = zw_run_time(sim->stage->run),
                            .n = n,
                            .event = event,
                            .from = from,
                            .to = sim->stage,
                            .touching = d->touching,
                            .jams = d->jams,
                            .x = zw_run_state(sim->stage->run)};
    for (int c = 0; c < d->ncontact; c++)
        turned.ends |= d->rest_at[c] < INFINITY;
    return sim->on_turn ? sim->on_turn(sim->on_turn_user, &turned, err) : ZW_OK;
}

zw_status zw_sim_standing_meet(zw_sim *sim, int n, const int *event, zw_error *err) {
    zw_sim_standing *d = &sim->standing;
    const zw_sim_stage *from = sim->stage;
    const zw_system *s = sim->stage->world->sys;
    double t = zw_run_time(sim->stage->run), energy = zw_sim_energy(sim);
    bool jumped = false;
    d->standing = t > d->last + ZW_ROUNDOFF_VALUE * fabs(t) ? 0 : d->standing + 1;
    d->last = t;
    if (d->standing > EVENTS_AT_ONCE_MAX)
        return reject_standing(sim, t, err);
    zw_sim_standing_moment(sim);
    memset(sim->acted, 0, sizeof *sim->acted * (size_t)sim->nevent);
    ZW_TRY(find_touching(sim, err));
    name_fired(sim, n, event);
    to_kernel(s, sim->stage->stance, d->was);
    ZW_TRY(zw_sim_events_remember(sim, err));
    zw_sim_record_before(sim);
    ZW_TRY(zw_sim_record_row(sim, err));
    ZW_TRY(update_contacts(sim, &jumped, err));
    ZW_TRY(zw_sim_standing_report(sim, jumped ? zw_sim_energy(sim) - energy : 0, err));
    if (n > 0 || jumped || from != sim->stage)
        ZW_TRY(call_observer(sim, from, n, event, err));
    return zw_sim_record_row(sim, err);
}

/* The rates switch at the present instant: a gap or a slip may have another velocity after it. */
zw_status zw_sim_standing_switch(zw_sim *sim, zw_error *err) {
    return sim->standing.used && zw_num_has_halted(sim->stage->run)
               ? zw_sim_standing_meet(sim, 0, NULL, err)
               : ZW_OK;
}

double zw_sim_standing_next(const zw_sim *sim) {
    double t = INFINITY;
    for (int i = 0; sim->standing.used && i < sim->standing.ncontact; i++)
        t = fmin(t, sim->standing.rest_at[i]);
    return t;
}

zw_status zw_sim_standing_due(zw_sim *sim, zw_error *err) {
    zw_sim_standing *d = &sim->standing;
    const zw_system *s = sim->stage->world->sys;
    double t = zw_run_time(sim->stage->run);
    for (int i = 0, c = 0; i < s->ncontact; i++) {
        if (s->contact[i].off)
            continue;
        if (d->rest_at[c] <= t) {
            d->rest_at[c] = INFINITY;
            zw_sim_record_before(sim);
            ZW_TRY(record_event(sim, &s->contact[i], ZW_TURN_RESTS, 0, t, 0, err));
        }
        c++;
    }
    return ZW_OK;
}
