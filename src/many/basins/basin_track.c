/* SPDX-License-Identifier: MIT */
/* Follows one motion until it is known where it goes: the client of the ensemble. All data here
 * belong to the motion. */
#include <string.h>

#include "base/flag.h"
#include "base/philox.h"
#include "basin.h"
#include "zwang/simulate.h"

#define BETTER_PERIOD 0.1 /* of the present differences: a period with less is a better one */

enum {
    REVISITS = 100,        /* consecutive samples in its own cells that make it recurrent */
    SAMPLES_WITHIN = 3,    /* consecutive samples within reach, */
    SAMPLES_IN_CELLS = 64, /* or in the cells of a torus or chaos */
    /* of the clock that runs next to a section, for each sample that a motion may have */
    TICKS_PER_SAMPLE = 10,
    USE_DISTURBANCE = 7
};
/* times `close`: samples this near may be a period. Chosen by trial: closer, slow convergence is
 * recognised late; farther, wrong periods are tested. */
#define CANDIDATE_PERIOD 1000
/* times `close`: the same point; both samples are known up to a few `close` */
#define SAME_POINT 10
/* of the sum of all differences: if it has moved by less, the differences are round-off, which
 * cancels; a drift adds up to all of the sum */
#define NO_DRIFT 0.1
/* ratio of the tolerances of the second check, well above the spread of actual errors, */
#define FINER_TOLERANCE 100
#define FINER_STEP 4 /* or of fixed steps: of order 4 and more, errors are 256 times smaller */
/* below it the absolute tolerance has no effect: quantities in SI units are larger */
#define SMALLEST_ATOL 1e-20
#define SMALLEST_RTOL 1e-13 /* 450 eps: below it an integrator cannot meet its tolerance */
/* Size of a disturbance (and its inverse) beyond which it is made 1 again: rarely enough to cost
 * nothing, far from overflow and underflow. */
#define RENORMALISE_AT 1e-6

/* ---- memory ---- */

/* The storage of a motion: its track, the cells that it has seen, then nring + 4 states. */
enum { CELLS_AT = (sizeof(zw_basin_track) + 15) / 16 * 16 };
#define STATES_AT (CELLS_AT + sizeof(uint64_t) * ZW_BASIN_OWN_CELLS)

static int ring_size(const zw_basin *b) {
    return 2 * b->options.period_max + 1;
}

size_t zw_basin_memory(const zw_basin *b) {
    return STATES_AT + sizeof(double) * (size_t)b->ny * (size_t)(ring_size(b) + 4);
}

zw_basin_storage zw_basin_storage_of(const zw_basin *b, void *memory) {
    char *base = memory;
    size_t ny = (size_t)b->ny;
    zw_basin_storage r = {.nring = ring_size(b),
                          .own = (uint64_t *)(void *)(base + CELLS_AT),
                          .ring = (double *)(void *)(base + STATES_AT)};
    r.anchor = r.ring + (size_t)r.nring * ny;
    r.ref = r.anchor + ny;
    r.place = r.ref + ny;
    r.speed = r.place + ny;
    return r;
}

static const double *past_sample(const zw_basin *b, const zw_basin_storage *r, long n, long by) {
    return r->ring + (size_t)((n - by) % r->nring) * (size_t)b->ny;
}

/* ---- the beginning ---- */

static double step_of(const zw_basin_job *j, long k) {
    return j->step > 0 ? j->step : j->steps ? j->steps[k] : j->b->step;
}

static void set_start(const zw_basin_job *j, zw_ensemble_motion *m, bool *given) {
    const zw_basin *b = j->b;
    long k = (long)m->number;
    if (!isnan(b->value))
        m->p[b->over.parameter] = b->value;
    for (int i = 0; i < b->nstate && j->x; i++) {
        m->x[i] = j->x[(size_t)k * (size_t)b->nx + (size_t)i];
        given[i] = true;
    }
    const double *u = j->u ? j->u + k * b->naxis : j->at;
    for (int i = 0; i < b->naxis && u; i++) {
        const zw_basin_axis *a = &b->axis[i];
        double value = zw_basin_axis_value(a, u[i]);
        j->outcome[k].u[i] = u[i];
        if (a->state < 0) {
            m->p[a->parameter] = value;
        } else if (j->u) {
            m->x[a->state] = value;
            given[a->state] = true;
        }
    }
    /* parameters of the axes first: those of events were set later */
    for (int i = b->nstate; i < b->nx && j->x; i++)
        m->p[b->set[i - b->nstate]] = j->x[(size_t)k * (size_t)b->nx + (size_t)i];
}

/* Stores the state of a motion, with the parameters that events have set. */
static void take_state(const zw_basin *b, const zw_ensemble_motion *m, double *x) {
    memcpy(x, m->x, sizeof(double) * (size_t)b->nstate);
    for (int i = b->nstate; i < b->nx; i++)
        x[i] = m->p[b->set[i - b->nstate]];
}

/* Size of a variation, in scales. */
static double size_of(const zw_basin *b, const double *variation) {
    double size = 0;
    for (int i = 0; i < b->ny; i++)
        if (b->quantity[i].state >= 0)
            size += pow(variation[b->quantity[i].state] / b->quantity[i].scale, 2);
    return sqrt(size);
}

static void begin_motion(void *user, zw_ensemble_motion *m, bool *given) {
    zw_basin_job *j = user;
    zw_basin_track *t = m->memory;
    long k = (long)m->number;
    zw_basin_outcome *f = &j->outcome[k];
    *f = (zw_basin_outcome){.label = -1, .x = f->x, .tail = f->tail};
    set_start(j, m, given);
    double step = step_of(j, k), shift = j->b->clocked ? step / 2 : 0;
    f->step = j->step > 0 && j->plain_step > 0 ? j->plain_step : step;
    m->t = j->x ? shift : m->t;
    t->begin = m->t;
    t->origin = j->x || shift == 0 ? m->t : m->t + shift - step;
    t->reach_of = -1;
    m->next = t->origin + step;
    for (int i = 0; i < j->b->nstate && j->tangent; i++)
        m->variation[i] = zw_philox_unit(j->b->options.seed, (uint64_t)i, USE_DISTURBANCE) - 0.5;
    if (j->tangent)
        j->size = log(size_of(j->b, m->variation));
}

/* ---- the end ---- */

static zw_ensemble_reply finish_motion(const zw_basin_job *j, zw_ensemble_motion *m,
                                       const zw_basin_storage *r, zw_basin_ending end) {
    const zw_basin *b = j->b;
    const zw_basin_track *t = m->memory;
    zw_basin_outcome *f = &j->outcome[m->number];
    f->end = end;
    f->looks = t->n;
    f->t = m->t;
    f->time = m->t - t->begin;
    take_state(b, m, f->x);
    f->ntail = (int)fmin((double)(t->n - t->since), b->options.period_max);
    for (int i = 0; i < f->ntail; i++)
        memcpy(f->tail + (size_t)i * (size_t)b->ny, past_sample(b, r, t->n, f->ntail - 1 - i),
               sizeof(double) * (size_t)b->ny);
    return ZW_ENSEMBLE_DONE;
}

/* The same if the samples are no sequence: only the last one counts. */
static zw_ensemble_reply finish_at(const zw_basin_job *j, zw_ensemble_motion *m,
                                   const zw_basin_storage *r, zw_basin_ending end) {
    zw_basin_outcome *f = &j->outcome[m->number];
    finish_motion(j, m, r, end);
    memcpy(f->tail, m->value, sizeof(double) * (size_t)j->b->ny);
    f->ntail = 1;
    return ZW_ENSEMBLE_DONE;
}

static void record_end(void *user, zw_ensemble_motion *m) {
    const zw_basin_job *j = user;
    zw_basin_outcome *f = &j->outcome[m->number];
    const zw_basin_track *t = m->memory;
    f->time = f->end == BASIN_NOT_ENDED && t ? m->t - t->begin : f->time;
    if (m->status == ZW_EVENT) {
        f->end = BASIN_STOPPED_BY;
        f->which = m->event;
    } else if (m->status == ZW_STOPPED) {
        f->end = BASIN_INTERRUPTED;
    } else if (m->status < 0) {
        f->end = BASIN_FAILED;
        f->failed_later = m->steps > 0;
        snprintf(f->why, sizeof f->why, "%.110s", m->why ? m->why : zw_status_text(m->status));
    }
}

/* ---- samples ---- */

/* The quantity that is outside the box, -1 if none. */
static int find_outside(const zw_basin *b, const double *y, int *side) {
    for (int i = 0; i < b->ny; i++) {
        const zw_basin_quantity *l = &b->quantity[i];
        /* a motion that comes to rest on the edge stays */
        double edge = b->options.close * l->scale;
        if (!(y[i] >= l->low - edge) || !(y[i] <= l->high + edge)) {
            *side = y[i] < l->low ? -1 : 1;
            return i;
        }
    }
    return -1;
}

static bool is_within(const zw_basin *b, const zw_basin_limit_set *a, const double *y) {
    if (a->cells.n)
        return zw_basin_cells_near(&a->cells, b->quantity, b->ny, y);
    return a->is.reach > 0 && zw_basin_limit_set_within(b, a, y, a->is.reach);
}

/* Do the parameters that events have set agree? */
static bool sets_agree(const zw_basin *b, const zw_basin_limit_set *a,
                       const zw_ensemble_motion *m) {
    double set[ZW_BASIN_SETS];
    for (int i = b->nstate; i < b->nx && i < b->nstate + ZW_BASIN_SETS; i++)
        set[i - b->nstate] = m->p[b->set[i - b->nstate]];
    return zw_basin_limit_set_agrees(b, a, set);
}

static bool is_at(const zw_basin *b, const zw_basin_limit_set *a, const zw_ensemble_motion *m) {
    return is_within(b, a, m->value) && sets_agree(b, a, m);
}

/* Has it been within reach of the same attractor for enough samples? */
static bool is_known(const zw_basin_job *j, zw_basin_track *t, const zw_ensemble_motion *m) {
    const zw_basin *b = j->b;
    int of = t->reach_of;
    if (of < 0 || !is_at(b, &b->found[of], m)) {
        t->within = 0;
        for (of = 0; of < b->nfound && !is_at(b, &b->found[of], m); of++)
            ;
        t->reach_of = of < b->nfound ? of : -1;
        t->first = m->t;
    }
    if (t->reach_of < 0)
        return false;
    const zw_basin_limit_set *a = &b->found[t->reach_of];
    return ++t->within >= (a->cells.n ? SAMPLES_IN_CELLS : a->is.confirmed ? 1 : SAMPLES_WITHIN);
}

/* A better period than one with which the samples do not close. */
static int better_period(const zw_basin *b, const zw_basin_storage *r, const zw_basin_track *t,
                         int most) {
    double size = zw_basin_closing_size(&t->closing);
    for (int q = t->closing.p + 1; q <= most; q++)
        if (zw_basin_distance(b, past_sample(b, r, t->n, 0), past_sample(b, r, t->n, q)) <
                BETTER_PERIOD * size &&
            zw_basin_distance(b, past_sample(b, r, t->n, 1), past_sample(b, r, t->n, q + 1)) <
                BETTER_PERIOD * size)
            return q;
    return 0;
}

/* The differences do not fall any more: round-off cancels, a drift adds up. */
static bool has_rested(const zw_basin *b, zw_basin_track *t, zw_basin_storage *r, const double *y) {
    zw_basin_closing *c = &t->closing;
    long m = t->n - c->anchor;
    if (c->anchor && (m % c->p || t->n < 2 * c->anchor + 100))
        return false;
    double sum = NO_DRIFT * (double)m / c->p * zw_basin_closing_size(c);
    if (c->anchor && zw_basin_distance(b, y, r->anchor) <= fmin(4 * b->options.close, sum))
        return true;
    c->anchor = t->n;
    memcpy(r->anchor, y, sizeof *y * (size_t)b->ny);
    return false;
}

/* It drifts, but by less than `close` in the largest number of samples: a body held by friction
 * that is modelled as a force. */
static bool hardly_drifts(const zw_basin *b, const zw_basin_closing *c) {
    return zw_basin_closing_size(c) * (double)b->options.looks / c->p <= b->options.close;
}

/* The period with which the samples close; 0 if not yet. */
static int closing_period(const zw_basin *b, zw_basin_track *t, zw_basin_storage *r,
                          const double *y) {
    zw_basin_closing *c = &t->closing;
    double within = CANDIDATE_PERIOD * b->options.close, rest;
    int most = b->autonomous ? 1 : b->options.period_max;
    long past = t->n - t->since;
    most = past - 1 < most ? (int)past - 1 : most;
    double d = c->p ? zw_basin_distance(b, y, past_sample(b, r, t->n, c->p)) : INFINITY;
    if (!(d <= within)) {
        c->p = 0;
        for (int q = 1; q <= most && !c->p; q++)
            if ((d = zw_basin_distance(b, y, past_sample(b, r, t->n, q))) <= within)
                zw_basin_closing_begin(c, q);
    }
    if (!c->p)
        return 0;
    zw_basin_closeness verdict = zw_basin_closing_add(c, d, b->options.close, &rest);
    if (verdict == BASIN_STUCK) {
        int q = better_period(b, r, t, past - 2 < most ? (int)past - 2 : most);
        if (q)
            zw_basin_closing_begin(c, q);
    }
    if (verdict == BASIN_ARRIVED ||
        (verdict == BASIN_RESTING && (hardly_drifts(b, c) || has_rested(b, t, r, y))))
        return c->p;
    return 0;
}

/* The smallest divisor of p with which they close too. */
static int least_period(const zw_basin *b, const zw_basin_track *t, const zw_basin_storage *r,
                        int p) {
    for (int q = 1; q < p; q++) {
        bool is = p % q == 0;
        for (int i = 0; i < p && is && i + q < t->n - t->since; i++)
            is = zw_basin_distance(b, past_sample(b, r, t->n, i), past_sample(b, r, t->n, i + q)) <=
                 SAME_POINT * b->options.close;
        if (is)
            return q;
    }
    return p;
}

/* Has it arrived at an unstable limit set? It may leave again, in about the time that it took to
 * arrive. */
static bool may_leave(const zw_basin_job *j, zw_basin_track *t, const double *y) {
    const zw_basin *b = j->b;
    for (int i = 0; i < b->nfound && j->match; i++) {
        const zw_basin_limit_set *a = &b->found[i];
        if (a->is.trial == ZW_BASIN_UNSTABLE && a->closed &&
            zw_basin_limit_set_distance(b, a, y) <= 100 * b->options.close) {
            if (!t->leave)
                t->leave = 3 * t->n + 200;
            return t->n < t->leave;
        }
    }
    return false;
}

static bool is_recurrent(const zw_basin *b, zw_basin_track *t, zw_basin_storage *r,
                         const double *y) {
    bool full = 4 * t->ncell >= 3 * ZW_BASIN_OWN_CELLS;
    uint64_t key = zw_basin_cell(b->quantity, b->ny, b->options.cell, y, NULL);
    bool fresh = zw_basin_cells_insert(r->own, ZW_BASIN_OWN_CELLS, &t->ncell, key) && !full;
    t->revisits = fresh ? 0 : t->revisits + 1;
    return t->revisits >= REVISITS;
}

/* Growth of the variation, in scales, since the previous sample. */
static void measure_growth(zw_basin_job *j, zw_ensemble_motion *m, bool *changed) {
    const zw_basin *b = j->b;
    const zw_basin_track *t = m->memory;
    double size = size_of(b, m->variation);
    int part = (int)(32 * (double)(t->n - 1) / (double)j->most);
    j->growth[part < 32 ? part : 31] += log(size) - j->size;
    j->size = log(size);
    if (size > RENORMALISE_AT && size < 1 / RENORMALISE_AT)
        return;
    for (int i = 0; i < b->nstate; i++)
        m->variation[i] /= size;
    j->size = 0;
    *changed = true;
}

static zw_ensemble_reply store_record(zw_basin_job *j, zw_ensemble_motion *m,
                                      const zw_basin_storage *r) {
    const zw_basin *b = j->b;
    const zw_basin_track *t = m->memory;
    size_t k = (size_t)(t->n - 1);
    memcpy(j->record + k * (size_t)b->ny, m->value, sizeof(double) * (size_t)b->ny);
    if (j->record_x)
        take_state(b, m, j->record_x + k * (size_t)b->nx);
    return t->n >= j->most ? finish_motion(j, m, r, BASIN_LOST) : ZW_ENSEMBLE_ON;
}

/* Adds a sample to the sequence. */
static zw_ensemble_reply sample_motion(zw_basin_job *j, zw_ensemble_motion *m,
                                       zw_basin_storage *r) {
    const zw_basin *b = j->b;
    zw_basin_track *t = m->memory;
    zw_basin_outcome *f = &j->outcome[m->number];
    const double *y = m->value;
    t->n++;
    memcpy(r->ring + (size_t)(t->n % r->nring) * (size_t)b->ny, y, sizeof *y * (size_t)b->ny);
    if ((f->which = find_outside(b, y, &f->side)) >= 0)
        return finish_motion(j, m, r, BASIN_BEYOND);
    if (j->record && store_record(j, m, r) == ZW_ENSEMBLE_DONE)
        return ZW_ENSEMBLE_DONE;
    if (j->match && is_known(j, t, m)) {
        finish_motion(j, m, r, BASIN_KNOWN);
        f->label = t->reach_of;
        f->time = t->first - t->begin;
        return ZW_ENSEMBLE_DONE;
    }
    if (j->target && zw_basin_limit_set_within(b, j->target, y, j->target_size) &&
        sets_agree(b, j->target, m))
        return finish_motion(j, m, r, BASIN_REACHED);
    if (j->record)
        return ZW_ENSEMBLE_ON;
    int p = closing_period(b, t, r, y);
    if (p && t->n >= j->least && !may_leave(j, t, y)) {
        f->p = least_period(b, t, r, p);
        return finish_motion(j, m, r, BASIN_CLOSED);
    }
    if (is_recurrent(b, t, r, y) && t->n >= j->patience)
        return finish_motion(j, m, r, BASIN_RECURRENT);
    return t->n >= j->most ? finish_motion(j, m, r, BASIN_LOST) : ZW_ENSEMBLE_ON;
}

static zw_ensemble_reply sample_cycle(zw_basin_job *j, zw_ensemble_motion *m, zw_basin_storage *r) {
    const zw_basin *b = j->b;
    zw_basin_track *t = m->memory;
    if (zw_basin_period_search_visit(b, t, r, m->t, m->value, &m->next) && t->n >= j->least) {
        zw_basin_outcome *f = &j->outcome[m->number];
        f->tau = t->search.tau;
        return finish_at(j, m, r, BASIN_CYCLES);
    }
    if (!t->search.phase) { /* earlier samples do not belong to the same sequence */
        t->closing.p = 0;
        t->since = t->n;
    }
    return t->n >= j->most ? finish_motion(j, m, r, BASIN_LOST) : ZW_ENSEMBLE_ON;
}

/* Next to a section: does it rest, or never reach the section? */
static zw_ensemble_reply check_rest(zw_basin_job *j, zw_ensemble_motion *m, zw_basin_storage *r,
                                    double step) {
    const zw_basin *b = j->b;
    zw_basin_track *t = m->memory;
    zw_basin_outcome *f = &j->outcome[m->number];
    double rest;
    m->next = m->t + step;
    if ((f->which = find_outside(b, m->value, &f->side)) >= 0)
        return finish_motion(j, m, r, BASIN_BEYOND);
    if (++t->ticks == 1)
        zw_basin_closing_begin(&t->rest, 1);
    else if (zw_basin_closing_add(&t->rest, zw_basin_distance(b, m->value, r->ref),
                                  b->options.close, &rest) == BASIN_ARRIVED) {
        f->p = 0;
        return finish_at(j, m, r, BASIN_CLOSED);
    }
    memcpy(r->ref, m->value, sizeof(double) * (size_t)b->ny);
    return t->ticks >= TICKS_PER_SAMPLE * b->options.looks ? finish_motion(j, m, r, BASIN_LOST)
                                                           : ZW_ENSEMBLE_ON;
}

static zw_ensemble_reply handle_crossing(void *user, zw_ensemble_motion *m, int event) {
    zw_basin_job *j = user;
    zw_basin_storage r = zw_basin_storage_of(j->b, m->memory);
    (void)event;
    return sample_motion(j, m, &r);
}

static zw_ensemble_reply handle_sample(void *user, zw_ensemble_motion *m) {
    zw_basin_job *j = user;
    const zw_basin *b = j->b;
    zw_basin_track *t = m->memory;
    zw_basin_storage r = zw_basin_storage_of(b, m->memory);
    if (zw_basin_is_stopped(b)) {
        j->outcome[m->number].end = BASIN_INTERRUPTED;
        return ZW_ENSEMBLE_DONE;
    }
    if (t->search.phase)
        return sample_cycle(j, m, &r);
    double step = step_of(j, (long)m->number);
    bool changed = false;
    if (b->section >= 0)
        return check_rest(j, m, &r, step);
    zw_ensemble_reply reply = sample_motion(j, m, &r);
    if (reply == ZW_ENSEMBLE_DONE)
        return reply;
    m->next = b->autonomous ? m->t + step : t->origin + step * (double)(t->n + 1);
    if (b->autonomous && !j->record && zw_basin_period_search_sample(b, t, &r, m->value)) {
        t->search.begin = m->t;
        m->next = m->t + t->search.h;
    }
    if (j->tangent)
        measure_growth(j, m, &changed);
    return changed ? ZW_ENSEMBLE_CHANGED : ZW_ENSEMBLE_ON;
}

static bool poll_stop(zw_basin *b, double done) {
    if (b->options.stop && !zw_basin_is_stopped(b) &&
        b->options.stop(b->options.stop_user, fmin(1, b->begun + b->work * done)))
        zw_flag_raise(&b->halt);
    return zw_basin_is_stopped(b);
}

static bool ask_stop(void *user, double done) {
    return poll_stop(user, done);
}

bool zw_basin_finer_options(const zw_basin *b, zw_run_options *run) {
    *run = b->options.run;
    if (run->step > 0) {
        run->step /= FINER_STEP;
        return true;
    }
    run->rtol = fmax(run->rtol / FINER_TOLERANCE, SMALLEST_RTOL);
    run->atol = fmax(run->atol / FINER_TOLERANCE, fmin(run->atol, SMALLEST_ATOL));
    return run->rtol < b->options.run.rtol;
}

static zw_status create_ensemble(zw_basin *b, int variations, const zw_run_options *run,
                                 zw_ensemble **out, zw_error *err) {
    zw_ensemble_options o = zw_ensemble_options_default();
    o.engine = b->options.engine;
    o.threads = variations ? 1 : b->options.threads;
    o.principle = b->options.principle;
    o.run = *run;
    o.nvalue = b->ny;
    o.value = b->names;
    o.variations = variations;
    o.nevent = b->section >= 0;
    o.event = &b->section;
    o.memory = zw_basin_memory(b);
    o.stop = ask_stop;
    o.stop_user = b;
    o.contacts = b->options.contacts;
    return zw_ensemble_create(out, &b->source, &o, err);
}

zw_status zw_basin_ensemble(zw_basin *b, int variations, zw_ensemble **out, zw_error *err) {
    return create_ensemble(b, variations, &b->options.run, out, err);
}

/* Starts inside a surface fail here; otherwise they would be repeated in time steps, which leave
 * them inside. */
bool zw_basin_trial_ensemble(zw_basin *b) {
    zw_sim_options contacts = zw_sim_options_default();
    const zw_sim_options *own = b->options.contacts;
    zw_error why = {0};
    bool any = false;
    for (int i = 0; i < b->sys->ncontact; i++)
        any = any || !b->sys->contact[i].off;
    if (b->trial || !any || (own && own->contacts != ZW_SIM_CONTACTS_CHOSEN))
        return true;
    if (own)
        contacts = *own;
    contacts.contacts = ZW_SIM_CONTACTS_EVENTS;
    b->options.contacts = &contacts;
    zw_status status = zw_basin_ensemble(b, 0, &b->trial, &why);
    b->options.contacts = own;
    return status >= 0;
}

zw_status zw_basin_fine_ensemble(zw_basin *b, zw_error *err) {
    zw_run_options run;
    return b->fine || !zw_basin_finer_options(b, &run) ? ZW_OK
                                                       : create_ensemble(b, 0, &run, &b->fine, err);
}

zw_status zw_basin_follow(zw_basin_job *j, zw_error *err) {
    zw_basin *b = j->b;
    zw_ensemble_client client = {.user = j,
                                 .begin = begin_motion,
                                 .visit = handle_sample,
                                 .end = record_end,
                                 .event = handle_crossing};
    b->job_size = (uint64_t)j->n;
    zw_status status = zw_ensemble_run(j->tangent             ? b->tangent
                                       : j->fine              ? b->fine
                                       : j->trial && b->trial ? b->trial
                                                              : b->e,
                                       &client, 0, (uint64_t)j->n, err);
    return zw_basin_is_stopped(b) && status >= 0 ? ZW_STOPPED : status;
}
