/* SPDX-License-Identifier: MIT */
/* Orbits through events in the notes of a table (zwang/orbits.h), and back. The unknowns are states
 * and durations of segments; the motion between them is written as polynomials of collocation, so
 * that readers of files of smooth orbits can read these, too. A driven orbit is written from t = 0:
 * the part before the first multiple of the period comes last, one period later, with angles that
 * turn and coordinates that drift advanced by a period. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "event_orbits.h"
#include "motion/floquet/variation.h"
#include "motion/motion_words.h"
#include "motion/orbits/orbits_file.h"

enum { POINTS = 4 };

/* Relative to the sizes of an orbit: error of the polynomials. Pictures and measures show less than
 * 1e-6; the unknowns are exact. */
#define POLYNOMIAL_ERROR 1e-7
/* Relative to the period: a shorter interval is round-off of its ends. */
#define INTERVAL_ROUNDOFF ZW_ROUNDOFF_VALUE

/* --------------------------------------------------------------------------------------- labels */

static const char *letters_at(const zw_event_orbits *o, int number) {
    const zw_segmented_motion *m = &o->motion[number];
    const char *own = zw_orbits_letters(m->event_here);
    if (m->curve < 0 || own[0])
        return own;
    const zw_segmented_branch *b = &o->branch[m->curve];
    return number == b->first || number == b->first + b->n - 1 ? "EP" : "";
}

void zw_event_orbits_label(const zw_event_orbits *o, int number, char *label) {
    const char *letters = letters_at(o, number);
    int n = 0;
    label[0] = '\0';
    if (!letters[0])
        return;
    for (int i = 0; i <= number; i++)
        n += strcmp(letters_at(o, i), letters) == 0;
    snprintf(label, ZW_ORBITS_LABEL, "%s%d", letters, n);
}

/* -------------------------------------------------------------------------------------- motions */

typedef struct interval {
    double t0, t1;
    double *x; /* (POINTS + 1) x nx: the state at t0, slopes in parts of the period */
} interval;

typedef struct collected {
    zw_event_orbits *o;
    double period;
    interval *list;
    int n, capacity;
} collected;

static zw_status collect_interval(void *user, int segment, double t0, double t1, const double *x,
                                  const double *rate, zw_error *err) {
    collected *c = user;
    zw_arena *arena = &c->o->arena;
    size_t nx = (size_t)c->o->nx;
    (void)segment;
    if (t1 - t0 < INTERVAL_ROUNDOFF * c->period)
        return ZW_OK;
    if (!zw_arena_grow(arena, (void **)&c->list, c->n, &c->capacity, sizeof *c->list))
        return zw_out_of_memory(err, NULL);
    interval *i = &c->list[c->n];
    *i = (interval){t0, t1, ZW_NEW(arena, double, (POINTS + 1) * nx)};
    if (!i->x)
        return zw_out_of_memory(err, NULL);
    memcpy(i->x, x, sizeof(double) * nx);
    for (size_t k = 0; k < POINTS * nx; k++)
        i->x[nx + k] = c->period * rate[k];
    c->n++;
    return ZW_OK;
}

/* the change of entry r over a period */
static double period_change(const zw_event_orbits *o, const collected *c, int r,
                            const double *turn) {
    const interval *last = &c->list[c->n - 1];
    zw_gauss rule;
    if (o->essential[r])
        return turn[r];
    zw_gauss_init(&rule, POINTS);
    double end = last->x[r];
    for (int l = 0; l < POINTS; l++)
        end += (last->t1 - last->t0) / c->period * rule.b[l] * last->x[(l + 1) * o->nx + r];
    return end - c->list[0].x[r];
}

/* all intervals, beginning with the first one after `cut` */
static zw_status put_in_order(const collected *c, const double *turn, double cut,
                              zw_orbit_motion *out, zw_error *err) {
    zw_event_orbits *o = c->o;
    int first = 0, width = (POINTS + 1) * o->nx;
    double *mesh = ZW_NEW(&o->arena, double, c->n + 1),
           *x = ZW_NEW(&o->arena, double, c->n *width + 1);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    while (first < c->n && c->list[first].t0 < cut - INTERVAL_ROUNDOFF * c->period)
        first++;
    for (int j = 0; j < c->n; j++) {
        const interval *i = &c->list[(first + j) % c->n];
        bool later = first + j >= c->n;
        mesh[j] = j ? (i->t0 - cut) / c->period + (later ? 1 : 0) : 0;
        memcpy(x + (size_t)(j * width), i->x, sizeof(double) * (size_t)width);
        for (int r = 0; later && r < o->nx; r++)
            x[j * width + r] += period_change(o, c, r, turn);
    }
    mesh[c->n] = 1;
    out->intervals = c->n;
    out->mesh = mesh;
    out->x = x;
    return ZW_OK;
}

/* mesh and polynomials of an orbit, whose equations are those of o->h; memory is the arena's */
static zw_status find_motion(zw_event_orbits *o, int number, zw_orbit_motion *out, zw_error *err) {
    const zw_segmented_motion *m = &o->motion[number];
    const zw_segmented_signature *s = &o->signature[number];
    collected c = {.o = o, .period = m->period};
    double cut = m->event[0] < 0 ? 0 : m->period * ceil(m->start / m->period);
    zw_segmented_refer(o->h, m->unknown);
    ZW_TRY(zw_segmented_intervals(o->h, m->unknown, m->value, POINTS, POLYNOMIAL_ERROR,
                                  o->autonomous ? (double)NAN : cut, collect_interval, &c, NULL,
                                  err));
    if (c.n == 0)
        return zw_fail(err, ZW_E_NUMERIC, "the orbit has no duration");
    return put_in_order(&c, s->turn, o->autonomous ? c.list[0].t0 : cut, out, err);
}

/* -------------------------------------------------------------------------------------- writing */

static zw_orbits_head head_of(const zw_event_orbits *o) {
    return (zw_orbits_head){.sys = o->sys,
                            .nx = o->nx,
                            .stages = POINTS,
                            .order = o->options.order,
                            .autonomous = o->autonomous,
                            .events = true,
                            .nmemory = o->nmemory,
                            .memory = o->memory,
                            .over = &o->over,
                            .said = o->options.over};
}

zw_status zw_segmented_note_head(const zw_event_orbits *o, zw_table *t) {
    const zw_orbits_head head = head_of(o);
    return zw_orbits_put_head(&head, t);
}

static zw_status put_signature(zw_event_orbits *o, const zw_segmented_signature *s, int number,
                               zw_table *t, zw_error *err) {
    const zw_orbits_head head = head_of(o);
    int touch, rows = zw_segmented_touch_rows(o, &touch), nc = o->sys->nconstraint,
               contacts = o->ground ? o->sys->ncontact : 0;
    int *direction = ZW_NEW(&o->arena, int, s->n + 1);
    bool *on = ZW_NEW(&o->arena, bool, s->n *nc + 1),
         *touching = ZW_NEW(&o->arena, bool, s->n *contacts + 1);
    zw_contact_mode *stance = ZW_NEW(&o->arena, zw_contact_mode, s->n * contacts + 1);
    signed char *pattern = ZW_NEW(&o->arena, signed char, s->n *rows + 1);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int k = 0; k < s->n; k++) {
        const zw_segmented_stage *stage = o->stage[s->segment[k].stage];
        direction[k] = s->segment[k].direction;
        memcpy(on + (size_t)(k * nc), stage->on, sizeof(bool) * (size_t)nc);
        if (!contacts)
            continue;
        memcpy(stance + (size_t)(k * contacts), stage->stance,
               sizeof(zw_contact_mode) * (size_t)contacts);
        memset(pattern + (size_t)(k * rows), -1, (size_t)rows);
        for (int i = 0; s->touching[k] && i < touch; i++)
            touching[k * contacts + i] = s->touching[k][i];
        if (s->pattern[k])
            memcpy(pattern + (size_t)(k * rows), s->pattern[k], (size_t)rows);
    }
    const zw_orbits_signature out = {.n = s->n,
                                     .first = s->first,
                                     .nconstraint = nc,
                                     .ncontact = contacts,
                                     .nrow = rows,
                                     .names = s->text,
                                     .event = s->event,
                                     .direction = direction,
                                     .on = on,
                                     .stance = stance,
                                     .touching = touching,
                                     .pattern = pattern,
                                     .scale = s->scale,
                                     .turn = s->turn,
                                     .memory_scale = s->memory_scale,
                                     .duration = s->duration};
    return zw_orbits_put_signature(&head, &out, number, t);
}

static bool is_same(const zw_segmented_signature *a, const zw_segmented_signature *b) {
    return a->segment == b->segment && a->n == b->n && a->scale == b->scale && a->turn == b->turn;
}

static zw_status put_orbit(zw_event_orbits *o, int number, int signature, const char *label,
                           long row, zw_table *t, zw_error *err) {
    const zw_segmented_motion *m = &o->motion[number];
    zw_orbit_motion kept = {.value = m->value,
                            .period = m->period,
                            .error = m->residual,
                            .accuracy = m->accuracy,
                            .trivial = m->trivial,
                            .outside = m->outside,
                            .verdict = m->verdict,
                            .nmultiplier = m->nmultiplier,
                            .re = m->re,
                            .im = m->im,
                            .event = m->event_here,
                            .tangent = m->tangent};
    ZW_TRY(find_motion(o, number, &kept, err));
    const zw_orbits_written note = {.motion = &kept,
                                    .size = (size_t)kept.intervals * (size_t)o->nx * (POINTS + 1),
                                    .times = o->signature[number].times,
                                    .signature = signature,
                                    .unknown = m->unknown,
                                    .nunknown = (size_t)zw_segmented_problem(o->h).n};
    return zw_orbits_put(&note, label, row, t);
}

zw_status zw_segmented_note(zw_event_orbits *o, int number, const char *label, long row,
                            zw_segmented_noted *noted, zw_table *t, zw_error *err) {
    const zw_segmented_signature *s = &o->signature[number];
    int own = 0;
    while (own < noted->n && !is_same(&o->signature[noted->first[own]], s))
        own++;
    if (own == noted->n) {
        if (!zw_arena_grow(&o->arena, (void **)&noted->first, noted->n, &noted->capacity,
                           sizeof *noted->first))
            return zw_out_of_memory(err, NULL);
        noted->first[noted->n++] = number;
        ZW_TRY(put_signature(o, s, own, t, err));
    }
    if (!o->h || !is_same(&o->now_signature, s))
        ZW_TRY(zw_segmented_build(o, s, err));
    zw_arena_mark mark = zw_arena_mark_now(&o->arena);
    zw_status status = put_orbit(o, number, own, label, row, t, err);
    zw_arena_release(&o->arena, mark);
    return status;
}

/* ------------------------------------------------------------------------------------- adopting */

static zw_status report_other_model(const zw_orbits_file *f, zw_error *err) {
    zw_fail(err, ZW_E_FILE, "the segments of the file are of another model");
    zw_error_hint(err, "its state is %.200s", f->state);
    return ZW_E_FILE;
}

/* can the event end a segment of this stage? */
static bool is_event(const zw_event_orbits *o, int event) {
    return event < 0 || (event < o->sys->nevent ? o->sys->event[event].naction > 0
                                                : o->ground && event < o->nevt);
}

static zw_status take_signature(zw_event_orbits *o, const zw_orbits_file *f, int number,
                                zw_segmented_signature *out, zw_error *err) {
    const zw_orbits_signature *s = &f->signature[number];
    int touch, rows = zw_segmented_touch_rows(o, &touch), nc = o->sys->nconstraint,
               contacts = o->ground ? o->sys->ncontact : 0;
    int *stage = ZW_NEW(&o->arena, int, s->n + 1);
    if (!stage)
        return zw_out_of_memory(err, NULL);
    if (s->nconstraint != nc || s->ncontact != contacts || s->nrow != rows)
        return report_other_model(f, err);
    for (int k = 0; k < s->n; k++) {
        if (!is_event(o, s->event[k]))
            return report_other_model(f, err);
        ZW_TRY(zw_segmented_stage_of(o, s->on + (size_t)(k * nc),
                                     contacts ? s->stance + (size_t)(k * contacts) : NULL,
                                     &stage[k], err));
    }
    ZW_TRY(zw_segmented_make_signature(o, s->n, stage, s->event, s->direction, out, err));
    for (int k = 0; k < s->n && contacts; k++) {
        bool *touching = ZW_NEW(&o->arena, bool, touch + 1);
        out->pattern[k] = zw_segmented_new_pattern(o);
        if (!touching || !out->pattern[k])
            return zw_out_of_memory(err, NULL);
        memcpy(touching, s->touching + (size_t)(k * contacts), sizeof(bool) * (size_t)touch);
        memcpy(out->pattern[k], s->pattern + (size_t)(k * rows), (size_t)rows);
        out->touching[k] = touching;
    }
    memcpy(out->scale, s->scale, sizeof(double) * (size_t)o->nx);
    memcpy(out->turn, s->turn, sizeof(double) * (size_t)o->nx);
    memcpy(out->memory_scale, s->memory_scale, sizeof(double) * (size_t)o->nmemory);
    out->duration = s->duration;
    out->first = s->first;
    return ZW_OK;
}

/* corrects o->unknown at a value, and checks that it is an orbit */
static zw_status correct_orbit(zw_event_orbits *o, double value, bool grazes, bool *solved,
                               zw_error *err) {
    zw_cont_problem p = zw_segmented_problem(o->h);
    double *work = ZW_NEW(&o->arena, double, p.n + 1);
    if (!work)
        return zw_out_of_memory(err, NULL);
    *solved = zw_orbits_is_solution(&p, o->unknown, value, work);
    if (!*solved)
        ZW_TRY(zw_cont_correct(&p, ZW_NEWTON, o->unknown, value, NULL, &o->arena.alloc, err));
    return grazes && *solved ? ZW_OK : zw_segmented_reject_virtual(o, value, err);
}

static zw_status add_direction(zw_event_orbits *o, double value, const double *known,
                               zw_error *err) {
    zw_cont_problem p = zw_segmented_problem(o->h);
    size_t n = (size_t)p.n;
    double *tangent = ZW_NEW(&o->arena, double, n + 1),
           *work = ZW_NEW(&o->arena, double, 2 * n + 2);
    if (!tangent || !work)
        return zw_out_of_memory(err, NULL);
    if (known)
        memcpy(tangent, known, sizeof(double) * (n + 1));
    else
        ZW_TRY(
            zw_orbits_direction(&p, o->motion[o->nmotion - 1].unknown, value, tangent, work, err));
    o->motion[o->nmotion - 1].tangent = tangent;
    return ZW_OK;
}

zw_status zw_event_orbits_adopt(zw_event_orbits *o, const zw_orbits_file *f, int index,
                                double value, int *number, zw_error *err) {
    const zw_orbits_stored *from = &f->orbit[index];
    const zw_orbits_head head = head_of(o);
    zw_segmented_signature s;
    bool same, stays, solved;
    double at;
    ZW_TRY(zw_orbits_check_head(&head, f, index, err));
    ZW_TRY(zw_orbits_file_value(o->has_over ? &o->over : NULL, o->p, f, index, value, &at, &same,
                                &stays, err));
    ZW_TRY(zw_segmented_find_width(o, at, err));
    o->rounds = 1; /* the order in the options contains them */
    ZW_TRY(take_signature(o, f, from->signature, &s, err));
    zw_segmented_find_essential(o);
    ZW_TRY(zw_segmented_build(o, &s, err));
    if (zw_segmented_problem(o->h).n != from->nunknown)
        return report_other_model(f, err);
    memcpy(o->unknown, from->unknown, sizeof(double) * (size_t)from->nunknown);
    zw_segmented_refer(o->h, o->unknown);
    ZW_TRY(correct_orbit(o, at, from->motion.event == ZW_FORCED_GRAZE, &solved, err));
    zw_bifurcation event = solved && stays ? from->motion.event : ZW_BIFURCATION_POINT;
    ZW_TRY(zw_segmented_add(o, at, event, -1, NAN, err));
    const double *known = same && stays && solved ? from->motion.tangent : NULL;
    if (o->has_over && (known || event != ZW_BIFURCATION_POINT))
        ZW_TRY(add_direction(o, at, known, err));
    if (number)
        *number = o->nmotion - 1;
    return ZW_OK;
}
