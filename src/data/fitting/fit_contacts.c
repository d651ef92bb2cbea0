/* SPDX-License-Identifier: MIT */
/* Motions with contacts that close, stick, slip and open. The simulation of `zwang run` computes
 * them from event to event, in one part; the measured quantities are read from its dense output.
 * Derivatives with respect to the start and the parameters are differences of whole motions,
 *
 *     h'(u) = (8 (h(u + s) - h(u - s)) - (h(u + 2 s) - h(u - 2 s)))/(12 s) + O(s^4),
 *
 * computed with FINER tolerances than the given ones. h is smooth in u as long as the contact
 * events before the time of the row are the same, in the same order, so a motion is used for a
 * row only if its events up to then are those of the undisturbed motion; infinitely many
 * completed impacts count as one. If only motions of one side can be used, h' is a one-sided
 * difference,
 *
 *     h'(u) = (4 h(u + s) - h(u + 2 s) - 3 h(u))/(2 s) + O(s^2),
 *
 * with a SHORTER step, since it is of second order only; a shorter step is also tried if no motion
 * can be used. Far from the minimum, u +- s (second order) suffice. Changes between s and 2 s, and
 * rows without derivatives, are reported (zw_fit_contacts_judge).
 *
 * The start of the model decides which contacts are closed at the start and which of them stick (no
 * slip velocity); the free entries of the start obey these constraints. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "fit.h"

enum {
    SAMPLES = 4, /* disturbed motions of a derivative: -2 s, -s, s, 2 s */
    ROUNDS = 4   /* difference steps that are tried */
};
/* s, of sizes: error s^4 of the formula, and 1e-11/s of motions with FINER tolerances, are both
 * below 1e-6 */
#define DIFFERENCE_STEP 1e-4
#define SHORTER 0.2 /* of a step */
/* standard errors: closer to the minimum, derivatives are of fourth order */
#define NEAR_MINIMUM 1
#define SMALL_CHANGE 1e-3 /* of a column: a larger change from s to 2 s needs a shorter step */
#define LARGE_CHANGE 0.02 /* of a column: a larger change with the step gives a warning */
#define REAL_CHANGE 30    /* times the tolerance: a real change of a measured quantity */
/* of the scale of a parameter: least size where its value is about zero */
#define SIZE_AT_ZERO 1e-3

static size_t doubles(int n) {
    return sizeof(double) * (size_t)n;
}

const char *zw_fit_event_name(const zw_fit *f, int event) {
    return f->contacts.used ? f->sim->event[event] : f->sys->event[event].name;
}

/* ------------------------------------------------------------------------------- the simulation */

/* "floor.hit" is `what` of a contact: returns the length of its name, otherwise 0. */
static size_t contact_of(const char *name, const char *what) {
    const char *dot = strrchr(name, '.');
    return dot && strcmp(dot + 1, what) == 0 ? (size_t)(dot - name) : 0;
}

/* The impacts of a contact that has come to rest are over. */
static void end_impacts(zw_fit *f, const char *name, double t) {
    zw_fit_experiment *e = f->now;
    size_t length = contact_of(name, "rests");
    for (int k = e->nact - 1; k >= 0 && length > 0; k--) {
        const char *other = zw_fit_event_name(f, e->act[k].event);
        size_t n = contact_of(other, "hit");
        if (n == 0)
            break;
        if (n == length && strncmp(name, other, n) == 0)
            e->act[k].until = fmin(e->act[k].until, t);
    }
}

static void on_event(void *user, const char *name, double t) {
    zw_fit *f = user;
    int event = 0;
    if (!f->now) /* while it is created */
        return;
    while (event < f->sim->nevent && strcmp(f->sim->event[event], name) != 0)
        event++;
    end_impacts(f, name, t);
    f->tangled |= zw_fit_record_event(f, 0, event, t, NULL) < 0; /* more than can be stored */
}

static zw_status on_piece(void *user, zw_run *run, double t0, double t1, zw_error *err) {
    zw_fit *f = user;
    if (run != zw_sim_along_run(f->sim) || !f->leg.part)
        return ZW_OK;
    f->leg.flow = zw_run_flow(run);
    ZW_TRY(zw_run_dense(run, t1, f->x, err));
    for (int i = 0; i < f->nx; i++)
        f->events.seen[i] = fmax(f->events.seen[i], fabs(f->x[i]));
    return f->leg.part(f->leg.part_self, run, t0, t1, err);
}

static zw_status reject_steps(const zw_fit *f, zw_error *err) {
    bool requested = f->options.contacts == ZW_SIM_CONTACTS_MOREAU;
    zw_fail(err, ZW_E_OPTION,
            "a fit follows contacts from event to event, not in time steps, which locate an impact "
            "only to within a step and lose its dependence on the parameters%s%.300s",
            requested ? "" : ". Contacts cannot be followed from event to event here: ",
            requested ? "" : f->sim->contacts.why);
    zw_error_hint(err, requested ? "use --contacts events"
                                 : "use other contact laws, or data without these contacts");
    return ZW_E_OPTION;
}

zw_status zw_fit_contacts_open(zw_fit *f, zw_error *err) {
    const zw_sim_watch watch = {.user = f, .piece = on_piece};
    if (!f->sim->standing.used)
        return reject_steps(f, err);
    zw_sim_contacts_words(f->sim, f->contacts.words, sizeof f->contacts.words);
    f->sim->options.event = on_event;
    f->sim->options.user = f;
    return zw_sim_along(f->sim, &watch, err);
}

void zw_fit_contacts_close(zw_fit *f) {
    for (int i = 0; i < f->contacts.nflow; i++)
        zw_flow_destroy(f->contacts.flow[i]);
}

zw_status zw_fit_contacts_ground(zw_fit *f, zw_fit_experiment *e, zw_error *err) {
    zw_fit_contacts *c = &f->contacts;
    zw_kernel *kernel = zw_sim_along_kernel(f->sim);
    for (int i = 0; i < c->nflow; i++)
        if (zw_flow_kernel(c->flow[i]) == kernel)
            e->ground = c->flow[i];
    if (e->ground)
        return ZW_OK;
    if (!zw_arena_grow(&f->lasting, (void **)&c->flow, c->nflow, &c->capacity, sizeof(zw_flow *)))
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_kernel_require(kernel, ZW_SET(GRAD), err));
    ZW_TRY(zw_flow_create(&c->flow[c->nflow], kernel, f->p, err));
    e->ground = c->flow[c->nflow++];
    return ZW_OK;
}

zw_status zw_fit_contacts_pass(zw_fit *f, int node, double t0, const double *x, double t1,
                               double *end, zw_error *err) {
    bool stop = false;
    (void)node;
    ZW_TRY(zw_fit_parameters_at(f, f->now, f->now->tried, NULL, f->p, err));
    ZW_TRY(zw_sim_along_enter(f->sim, t0, f->set, f->p, x, err));
    f->now->nact = 0;
    f->leg.flow = zw_run_flow(zw_sim_along_run(f->sim));
    ZW_TRY(zw_sim_along_to(f->sim, t1, &stop, err));
    if (stop && zw_sim_along_time(f->sim) < t1)
        return zw_fail(err, ZW_E_NUMERIC, "an event ends the motion at t = %.10g, before the data",
                       zw_sim_along_time(f->sim));
    f->leg.flow = zw_run_flow(zw_sim_along_run(f->sim));
    return zw_sim_along_state(f->sim, end, err);
}

/* ---------------------------------------------------------------------------------- differences */

/* A motion disturbed by -2 s, -s, s or 2 s: the measured quantities, and the contact events up to
 * each row. */
typedef struct sample {
    bool exists;
    double *h;         /* nrow x nq */
    unsigned long *id; /* nrow */
} sample;

/* Rows after the same events in the same order have the same number. */
static void number_rows(const zw_fit_experiment *e, unsigned long *id) {
    for (int k = 0; k < e->nrow; k++) {
        unsigned long hash = 14695981039346656037ul; /* FNV-1a */
        for (int i = 0; i < e->nact && e->act[i].t <= e->t[k]; i++)
            if (e->act[i].until > e->t[k])
                hash = (hash ^ (unsigned long)(e->act[i].event + 1)) * 1099511628211ul;
        id[k] = hash;
    }
}

static zw_status sample_init(zw_fit *f, const zw_fit_experiment *e, sample *s, zw_error *err) {
    s->h = ZW_NEW(&f->arena, double, e->nrow * f->nq + 1);
    s->id = ZW_NEW(&f->arena, unsigned long, e->nrow + 1);
    return zw_arena_status(&f->arena, err);
}

static zw_status store_sample(zw_fit *f, zw_fit_experiment *e, sample *s, zw_status status,
                              zw_error *err) {
    s->exists = status >= 0;
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    if (!s->exists)
        return ZW_OK;
    memcpy(s->h, e->h, doubles(e->nrow * f->nq));
    number_rows(e, s->id);
    return ZW_OK;
}

/* The state and the values at which derivatives are computed. */
typedef struct base_point {
    const double *x, *value;
    int n; /* directions of the start, then the parameters */
} base_point;

/* The size of unknown c: a change by it changes the state and the values by at most their own
 * sizes. */
static double size_of(const zw_fit *f, const zw_fit_experiment *e, const base_point *p, int c) {
    if (c >= p->n)
        return fmax(fabs(p->value[c - p->n]), SIZE_AT_ZERO * f->param[c - p->n].scale);
    double size = INFINITY;
    for (int i = 0; i < f->nx; i++) {
        double T = fabs(e->node->T[i * p->n + c]);
        if (T > ZW_ROUNDOFF_SOLVED)
            size = fmin(size, f->events.seen[i] / T);
    }
    return size > 0 && size < INFINITY ? size : 1;
}

/* The motion with unknown c changed by s. */
static zw_status move_unknown(zw_fit *f, zw_fit_experiment *e, const base_point *p, int c, double s,
                              sample *out, zw_error *err) {
    zw_fit_node *node = e->node;
    bool fixed[f->nx + 1];
    int n = p->n, P = f->P;
    memcpy(e->tried, p->value, doubles(P));
    if (c >= n)
        e->tried[c - n] += s;
    for (int i = 0; i < f->nx; i++) {
        node->try[i] = p->x[i] + s * (c < n ? node->T[i * n + c] : node->Q[i * P + c - n]);
        fixed[i] = !f->state_free[i];
    }
    zw_status status = zw_fit_set_parameters(f, e, e->tried, NULL);
    if (status >= 0)
        status =
            zw_flow_project(f->second_flow, node->t, node->try, f->all_free ? NULL : fixed, NULL);
    if (status >= 0)
        status = zw_fit_motion(f, e, true, false, NULL);
    return store_sample(f, e, out, status, err);
}

/* The derivative of a cell from those motions that are valid for its row; *change_with_step: its
 * change from s to 2 s. False if none is valid, or not `all` are. */
static bool difference_cell(const sample *here, const sample *s, int row, int cell, double step,
                            bool all, double *d, double *change_with_step) {
    double f[SAMPLES], f0 = here->h[cell];
    bool good[SAMPLES];
    for (int k = 0; k < SAMPLES; k++) {
        good[k] = s[k].exists && s[k].id[row] == here->id[row];
        f[k] = good[k] ? s[k].h[cell] : f0;
    }
    double far = (f[3] - f[0]) / (4 * step), near = (f[2] - f[1]) / (2 * step);
    *change_with_step = 0;
    if (good[0] && good[1] && good[2] && good[3]) {
        *d = (4 * near - far) / 3;
        *change_with_step = near - far;
    } else if (all) {
        return false;
    } else if (good[1] && good[2]) {
        *d = near;
    } else if ((good[2] && good[3]) || (good[0] && good[1])) {
        int side = good[2] ? 1 : -1, a = side > 0 ? 2 : 1, b = side > 0 ? 3 : 0;
        *d = side * (4 * f[a] - f[b] - 3 * f0) / (2 * step);
        *change_with_step = side * (2 * f[a] - f[b] - f0) / (2 * step); /* of second order */
    } else {
        return false;
    }
    return true;
}

/* A column of D with all its rows; false in `found` where there is no derivative yet. Returns the
 * number of those. */
static int put_column(const zw_fit *f, zw_fit_experiment *e, int c, const sample *here,
                      const sample *s, double step, bool all, bool *found, double *square,
                      double *change_with_step) {
    int width = f->nx + f->P, left = 0;
    for (int k = 0; k < e->nrow; k++)
        for (int q = 0; q < f->nq; q++) {
            int cell = k * f->nq + q;
            double d = 0, change = 0, sigma = zw_fit_sigma(f, e, k, q);
            if (found[cell])
                continue;
            found[cell] = difference_cell(here, s, k, cell, step, all, &d, &change);
            left += !found[cell] && !isnan(e->y[cell]);
            e->D[(size_t)cell * (size_t)width + (size_t)c] = d;
            if (isnan(e->y[cell]))
                continue;
            *square += d * d / (sigma * sigma);
            *change_with_step += change * change / (sigma * sigma);
        }
    return left;
}

/* Has unknown c no effect? Then the differences are round-off, and a step would be far too long. */
static bool is_idle(const zw_fit *f, const zw_fit_experiment *e, const sample *here,
                    const sample *s) {
    for (int q = 0; q < f->nq; q++) {
        double size = 0, change = 0;
        for (int cell = q; cell < e->nrow * f->nq; cell += f->nq) {
            size = fmax(size, fabs(here->h[cell]));
            change = fmax(change, fabs(s[2].h[cell] - s[1].h[cell]));
        }
        if (change > REAL_CHANGE * f->sim->options.run.rtol * size)
            return false;
    }
    return s[1].exists && s[2].exists;
}

static zw_status find_column(zw_fit *f, zw_fit_experiment *e, const base_point *p, int c,
                             const sample *here, sample *s, bool *found, zw_error *err) {
    zw_fit_contacts *contacts = &f->contacts;
    double step = DIFFERENCE_STEP * size_of(f, e, p, c), square = 0, change_with_step = 0;
    bool checks = contacts->checks || f->left < NEAR_MINIMUM;
    int left = 1, width = f->nx + f->P;
    memset(found, 0, sizeof(bool) * (size_t)(e->nrow * f->nq));
    for (int round = 0; round < ROUNDS && left > 0; round++, step *= SHORTER) {
        for (int k = 0; k < SAMPLES; k++)
            s[k].exists = false;
        ZW_TRY(move_unknown(f, e, p, c, -step, &s[1], err));
        ZW_TRY(move_unknown(f, e, p, c, step, &s[2], err));
        if (round == 0 && is_idle(f, e, here, s)) {
            for (int k = 0; k < e->nrow * f->nq; k++)
                e->D[(size_t)k * (size_t)width + (size_t)c] = 0;
            return ZW_OK;
        }
        if (!checks)
            left = put_column(f, e, c, here, s, step, false, found, &square, &change_with_step);
        if (left == 0)
            break;
        ZW_TRY(move_unknown(f, e, p, c, -2 * step, &s[0], err));
        ZW_TRY(move_unknown(f, e, p, c, 2 * step, &s[3], err));
        left = put_column(f, e, c, here, s, step, checks && round == 0, found, &square,
                          &change_with_step);
        /* repeat the whole column */
        if (checks && round == 0 && change_with_step > SMALL_CHANGE * SMALL_CHANGE * square) {
            memset(found, 0, sizeof(bool) * (size_t)(e->nrow * f->nq));
            square = change_with_step = 0;
            left = 1;
        }
    }
    contacts->nlost += left;
    for (int k = 0; k < e->nrow * f->nq && left > 0; k++)
        if (!found[k] && !isnan(e->y[k])) {
            contacts->lost_at = e->t[k / f->nq];
            left = 0;
        }
    double part = square > 0 ? sqrt(change_with_step / square) : 0;
    double *worst = &contacts->change_with_step[c < p->n ? c : f->nx + c - p->n];
    *worst = fmax(*worst, part);
    return ZW_OK;
}

static zw_status find_columns(zw_fit *f, zw_fit_experiment *e, const double *x, const double *value,
                              zw_error *err) {
    sample here, s[SAMPLES];
    bool *found = ZW_NEW(&f->arena, bool, e->nrow * f->nq + 1);
    ZW_TRY(sample_init(f, e, &here, err));
    for (int k = 0; k < SAMPLES; k++)
        ZW_TRY(sample_init(f, e, &s[k], err));
    if (!found)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(store_sample(f, e, &here, ZW_OK, err));
    const base_point p = {.x = x, .value = value, .n = e->node->n};
    int nact = e->nact;
    zw_fit_event_record *act = ZW_NEW(&f->arena, zw_fit_event_record, nact + 1);
    if (!act)
        return zw_out_of_memory(err, NULL);
    if (nact)
        memcpy(act, e->act, sizeof *act * (size_t)nact);
    zw_status status = ZW_OK;
    for (int c = 0; c < p.n + f->P && status >= 0; c++)
        status = find_column(f, e, &p, c, &here, s, found, err);
    memcpy(e->h, here.h, doubles(e->nrow * f->nq));
    e->nact = nact;
    if (nact)
        memcpy(e->act, act, sizeof *act * (size_t)nact);
    return status;
}

/* Makes T have a direction for each of n entries of the state, others following (Gauss-Jordan): an
 * entry that does not affect the measured quantities is then a separate direction. */
static void separate_directions(int nx, int n, double *T) {
    bool used[nx + 1];
    memset(used, 0, sizeof used);
    for (int c = 0; c < n; c++) {
        int row = 0;
        double most = -1;
        for (int i = 0; i < nx; i++)
            if (!used[i] && fabs(T[i * n + c]) > most)
                most = fabs(T[(row = i) * n + c]);
        if (!(most > ZW_ROUNDOFF_SOLVED))
            continue;
        used[row] = true;
        double pivot = T[row * n + c];
        for (int i = 0; i < nx; i++)
            T[i * n + c] /= pivot;
        for (int other = 0; other < n; other++) {
            double factor = T[row * n + other];
            for (int i = 0; other != c && i < nx; i++)
                T[i * n + other] -= factor * T[i * n + c];
        }
    }
}

/* An entry of the start that is free by an option, and that contacts hold. */
static zw_status reject_held(const zw_fit *f, const zw_fit_node *node, zw_error *err) {
    for (int i = 0; i < f->nx && !f->all_free; i++) {
        double most = f->state_free[i] ? 0 : 1;
        for (int c = 0; c < node->n; c++)
            most = fmax(most, fabs(node->T[i * node->n + c]));
        if (most > ZW_ROUNDOFF_SUM)
            continue;
        zw_fail(err, ZW_E_OPTION,
                "--start-free %s: a closed or sticking contact holds it at the start of the model",
                f->state[i]);
        zw_error_hint(
            err, "set another start with --set \"%s=...\", or leave this entry out of --start-free",
            f->state[i]);
        return ZW_E_OPTION;
    }
    return ZW_OK;
}

zw_status zw_fit_contacts_slopes(zw_fit *f, zw_fit_experiment *e, bool tried, zw_error *err) {
    zw_fit_node *node = e->node;
    memset(f->events.seen, 0, doubles(f->nx));
    ZW_TRY(zw_fit_motion(f, e, tried, false, err));
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    double *x = ZW_NEW(&f->arena, double, 2 * f->nx + 1), *end = x + f->nx,
           *try = ZW_NEW(&f->arena, double, f->nx + f->P + 1), *value = try + f->nx;
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    memcpy(x, tried ? node->try : node->x, doubles(f->nx));
    memcpy(end, node->end, doubles(f->nx));
    memcpy(try, node->try, doubles(f->nx));
    memcpy(value, e->tried, doubles(f->P));
    if (e == f->experiment) {
        memset(f->contacts.change_with_step, 0, doubles(f->nx + f->P));
        f->contacts.nlost = 0;
        f->contacts.lost_at = NAN;
    }
    ZW_TRY(zw_fit_directions(f, e, 0, x, err));
    separate_directions(f->nx, node->n, node->T);
    ZW_TRY(reject_held(f, node, err));
    zw_status status = find_columns(f, e, x, value, err);
    memcpy(node->end, end, doubles(f->nx));
    memcpy(node->try, try, doubles(f->nx));
    memcpy(e->tried, value, doubles(f->P));
    zw_arena_release(&f->arena, mark);
    return status;
}

/* ------------------------------------------------------------------------------------- warnings */

zw_status zw_fit_contacts_check(zw_fit *f, zw_error *err) {
    zw_status status = ZW_OK;
    f->contacts.checks = true;
    for (int i = 0; i < f->E && f->contacts.used && status >= 0; i++)
        status = zw_fit_motion(f, &f->experiment[i], false, true, err);
    f->contacts.checks = false;
    return status;
}

void zw_fit_contacts_judge(zw_fit *f) {
    const zw_fit_contacts *c = &f->contacts;
    for (int i = 0; c->used && i < f->nx + f->P; i++) {
        char key[160], what[120] = "the start";
        if (!(c->change_with_step[i] > LARGE_CHANGE))
            continue;
        if (i >= f->nx)
            snprintf(what, sizeof what, "%.100s", f->param[i - f->nx].name);
        snprintf(key, sizeof key, "fit differences %.100s", what);
        zw_warning d =
            zw_warning_of(key, NAN,
                          "the derivatives of the motion with respect to %s change by %.2g "
                          "%% between two difference steps: a contact hardly closes or "
                          "hardly opens (grazing), so standard errors are rough",
                          what, 100 * c->change_with_step[i]);
        zw_warnings_add(f->doubts, &d);
    }
    if (!c->used || c->nlost == 0)
        return;
    zw_warning d =
        zw_warning_of("fit order of contacts", c->lost_at,
                      "%d derivatives of the measured quantities do not exist, the first at "
                      "t = %.6g s: contacts change in another order for any difference "
                      "step; standard errors do not include these rows",
                      c->nlost, c->lost_at);
    zw_warnings_add(f->doubts, &d);
}
