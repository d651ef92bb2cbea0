/* SPDX-License-Identifier: MIT */
/* One motion of a sweep, as a client of the ensemble. It has stages, one for each value at which
 * something is measured: a transient, then measuring with visits at the ticks of two clocks
 * (samples of harmonics, shares and strobes; rows in time) and at the end. Without clocks there
 * is one visit at the end, and all measures are computed from the spans of the ensemble. The
 * stored data of a motion have a fixed size, for any duration.
 *
 * Coefficients of harmonics: with w = 2 pi/T and samples at t_j = t_1 + j T/M over whole periods,
 *
 *   c = 2/n sum q(t_j) cos(k w t_j),   s = 2/n sum q(t_j) sin(k w t_j),
 *   A = |(c, s)|,   phi = atan2(-s, c)
 *
 * which converges faster than any power of 1/M for smooth motions.
 *
 * If contacts or events may make the motion nonsmooth, its error is of the order 1/M^2. Then
 * each span, of length h around t_m, is integrated with the means q_n of q P_n (Legendre
 * polynomials), which are exact across kinks and jumps: with u = k w h/2 and spherical Bessel
 * functions j,
 *
 *   1/h int q e^(i k w t) dt =
 *       e^(i k w t_m) (j_0(u) q_0 + 3 i j_1(u) q_1 - 5 j_2(u) q_2 - 7 i j_3(u) q_3 + ...)
 *
 * A jump between two values of a carried motion is bisected: from the state at the last value
 * before it the motion continues at the middle, which belongs to the side whose measure is
 * nearer. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tolerance.h"
#include "many/return_period.h"
#include "survey.h"

#define SIZE_OF_VALUE 1e-3 /* of the largest value: least size of a motion, at a rest it is zero */
/* in SI units: added, so that an entry that stays zero up to round-off counts as constant */
#define SMALLEST_SIZE 1e-9

/* The bookkeeping of a motion; arrays follow it. */
typedef struct stage {
    uint64_t i;      /* value of the first axis, carried */
    uint32_t passed; /* number of values so far */
    int leg;         /* 0, or 1 on the way back */
    bool trouble;    /* there is no period here */
    bool measuring, seeking, has_before;
    double t_begin, t1, t2, t_seen; /* [s]: of the stage, of measuring, of the last visit */
    double period;                  /* [s] */
    uint64_t ticks[2];              /* past ticks of both clocks */
    double step[2];                 /* [s]; 0 if there is no clock */
    double n;                       /* number of samples */
    uint64_t strobes;
    long first_row;
    double value;     /* of the first axis */
    double low, high; /* of a jump that is being located */
    double phase_low, phase_after;
    double time; /* measured so far [s] */
} stage;

typedef struct parts {
    stage *s;
    double *least, *largest, *integral, *square, *last; /* nquantity */
    double *sum;                                        /* 2 per measure */
    double *axis;                                       /* naxis: the point [SI] */
    double *strobe;                                     /* ZW_SURVEY_STROBES x nx */
    double *x_low, *x_after;                            /* nx: carried, with jumps */
    double *before, *low, *high, *after, *now;          /* rows */
} parts;

static size_t divide_memory(const zw_survey *s, void *memory, parts *p) {
    char *base = memory;
    size_t at = (sizeof(stage) + 15) / 16 * 16, nq = (size_t)s->measures.nquantity;
    size_t nx = (size_t)s->nx, nc = (size_t)s->ncolumn, jumps = s->options.jump > 0 ? 1 : 0;
#define CUT(field, count)                                                                          \
    p->field = base ? (double *)(void *)(base + at) : NULL;                                        \
    at += sizeof(double) * (count)
    p->s = memory;
    CUT(least, nq);
    CUT(largest, nq);
    CUT(integral, nq);
    CUT(square, nq);
    CUT(last, nq);
    CUT(sum, 2 * (size_t)s->measures.n);
    CUT(axis, (size_t)s->naxis);
    CUT(strobe, s->strobes ? ZW_SURVEY_STROBES * nx : 0);
    CUT(x_low, jumps * nx);
    CUT(x_after, jumps * nx);
    CUT(before, jumps * nc);
    CUT(low, jumps * nc);
    CUT(high, jumps * nc);
    CUT(after, jumps * nc);
    CUT(now, nc);
#undef CUT
    return at;
}

size_t zw_survey_motion_memory(const zw_survey *s) {
    parts p;
    return divide_memory(s, NULL, &p);
}

/* ---------------------------------------------------------------------------------------- rows */

static double *new_row(zw_survey *s, zw_survey_slot *slot) {
    if (slot->n == slot->capacity) {
        long capacity = 2 * slot->capacity + 4;
        size_t size = sizeof(double) * (size_t)s->ncolumn;
        double *wider = malloc(size * (size_t)capacity);
        if (!wider) {
            atomic_store(&s->no_memory, true);
            return NULL;
        }
        if (slot->n > 0)
            memcpy(wider, slot->row, size * (size_t)slot->n);
        if (slot->own)
            free(slot->row);
        slot->row = wider;
        slot->own = true;
        slot->capacity = capacity;
    }
    return slot->row + slot->n++ * s->ncolumn;
}

static uint64_t point_of(const zw_survey *s, uint64_t motion, const stage *g) {
    return s->options.carry == ZW_SURVEY_OWN_STARTS ? motion
                                                    : zw_plan_in_chain(s->plan, motion, g->i);
}

static bool is_down(const zw_survey *s, const stage *g) {
    return s->options.carry == ZW_SURVEY_DOWN || g->leg == 1;
}

static void put_head(const zw_survey *s, uint64_t motion, const parts *p, double *row) {
    for (int i = 0; i < s->naxis; i++)
        row[i] = (i == 0 && s->options.carry ? p->s->value : p->axis[i]) /
                 zw_plan_axis(s->plan, i)->factor;
    for (int i = s->naxis; i < s->ncolumn; i++)
        row[i] = NAN;
    if (s->column_sweep >= 0)
        row[s->column_sweep] = is_down(s, p->s) ? -1 : 1;
    if (s->column_jump >= 0)
        row[s->column_jump] = 0;
    row[s->column_point] = (double)point_of(s, motion, p->s);
    row[s->column_end] = 0;
}

/* A quantity without a value at some times, sqrt(x) where x < 0, has neither mean nor extremum. */
static void doubt_value(zw_survey *s, zw_survey_slot *slot, const char *measure, int q) {
    char text[3 * ZW_MEASURE_NAME];
    if (slot->doubt)
        return;
    snprintf(text, sizeof text, "%s: %s has no finite value at times", measure,
             s->measures.quantity[q]);
    slot->doubt = strdup(text);
    if (!slot->doubt)
        atomic_store(&s->no_memory, true);
}

/* Writes the present values into a row of the motion. */
static void put_row(zw_survey *s, const zw_ensemble_motion *m, const parts *p) {
    zw_survey_slot *slot = &s->slot[m->number - s->first];
    double *row = new_row(s, slot);
    if (!row)
        return;
    put_head(s, m->number, p, row);
    row[s->column_t] = m->t - p->s->t1;
    for (int i = 0; i < s->measures.n; i++) {
        const zw_measure *one = &s->measures.item[i];
        if (one->kind != ZW_MEASURE_ROW)
            continue;
        row[s->column_measure + i] = m->value[one->quantity];
        if (!isfinite(m->value[one->quantity]))
            doubt_value(s, slot, one->name, one->quantity);
    }
}

/* ------------------------------------------------------------------------------------ measuring */

static void reset_stage(const zw_survey *s, parts *p, double t) {
    stage *g = p->s;
    for (int i = 0; i < s->measures.nquantity; i++) {
        p->least[i] = INFINITY;
        p->largest[i] = -INFINITY;
        p->integral[i] = p->square[i] = 0;
        p->last[i] = NAN;
    }
    for (int i = 0; i < s->measures.n; i++) {
        zw_measure_kind kind = s->measures.item[i].kind;
        bool passage = kind == ZW_MEASURE_TIME || kind == ZW_MEASURE_AT;
        if (!passage)
            p->sum[2 * i] = p->sum[2 * i + 1] = 0;
    }
    g->n = 0;
    g->strobes = 0;
    g->ticks[0] = g->ticks[1] = 0;
    g->time = 0;
    g->t1 = g->t_seen = t;
    g->measuring = true;
    double length = s->duration.value * (s->duration.periods ? g->period : 1);
    g->t2 = t + length;
    double all = s->driven && s->duration.periods ? g->period : length;
    g->step[0] = s->samples ? all / s->samples : 0;
    g->step[1] = s->rows == ZW_SURVEY_TIME_ROWS ? s->row_step : 0;
}

/* Adds a span of a quantity that may have kinks or jumps within it, in steps of samples. */
static void add_wave(const zw_survey *s, const zw_ensemble_motion *m, parts *p, int i, double dt) {
    const zw_measure *one = &s->measures.item[i];
    const zw_ensemble_span *q = &m->span[one->quantity];
    double rate = one->harmonic * 2 * acos(-1) / p->s->period, u = rate * dt / 2, u2 = u * u;
    double m1 = q->moment[0] / dt, m2 = q->moment[1] / (dt * dt),
           m3 = q->moment[2] / (dt * dt * dt), q0 = q->mean;
    double q1 = 2 * m1 - q0, q2 = 6 * m2 - 6 * m1 + q0, q3 = 20 * m3 - 30 * m2 + 12 * m1 - q0;
    double even = sin(u) / u * q0 - u2 / 3 * (1 - u2 / 14 + u2 * u2 / 504) * q2;
    double odd = u * (1 - u2 / 10 + u2 * u2 / 280) * q1 - u * u2 / 15 * (1 - u2 / 18) * q3;
    double angle = rate * (m->t - dt / 2), share = dt / p->s->step[0];
    p->sum[2 * i] += share * (even * cos(angle) - odd * sin(angle));
    p->sum[2 * i + 1] += share * (even * sin(angle) + odd * cos(angle));
}

static bool is_wave(const zw_measure *m) {
    return m->kind == ZW_MEASURE_HARMONIC || m->kind == ZW_MEASURE_PHASE;
}

/* Adds the span since the last visit. */
static void add_span(const zw_survey *s, const zw_ensemble_motion *m, parts *p) {
    double dt = m->t - p->s->t_seen;
    for (int i = 0; i < s->measures.n && s->kinks && m->span && dt > 0; i++)
        if (is_wave(&s->measures.item[i]))
            add_wave(s, m, p, i, dt);
    for (int i = 0; i < s->measures.nquantity; i++) {
        p->last[i] = m->value[i];
        if (!m->span || !(dt > 0))
            continue;
        p->least[i] = fmin(p->least[i], m->span[i].least);
        p->largest[i] = fmax(p->largest[i], m->span[i].largest);
        p->integral[i] += m->span[i].mean * dt;
        p->square[i] += m->span[i].square * dt;
    }
    p->s->time += dt > 0 ? dt : 0;
    p->s->t_seen = m->t;
}

static void store_strobe(const zw_survey *s, const zw_ensemble_motion *m, parts *p) {
    if (!s->strobes)
        return;
    memcpy(p->strobe + (p->s->strobes++ % ZW_SURVEY_STROBES) * (size_t)s->nx, m->x,
           sizeof(double) * (size_t)s->nx);
}

static void add_sample(zw_survey *s, const zw_ensemble_motion *m, parts *p) {
    double w = 2 * acos(-1) / p->s->period;
    for (int i = 0; i < s->measures.n; i++) {
        const zw_measure *one = &s->measures.item[i];
        if (is_wave(one) && !s->kinks) {
            p->sum[2 * i] += m->value[one->quantity] * cos(one->harmonic * w * m->t);
            p->sum[2 * i + 1] += m->value[one->quantity] * sin(one->harmonic * w * m->t);
        } else if (one->kind == ZW_MEASURE_SHARE) {
            double q = m->value[one->quantity];
            p->sum[2 * i] += isnan(q) ? NAN : q >= one->low && q < one->high;
        }
    }
    p->s->n++;
    if (!s->driven || p->s->ticks[0] % (uint64_t)s->samples != 0)
        return;
    if (s->rows == ZW_SURVEY_STROBE)
        put_row(s, m, p);
    if (s->rows != ZW_SURVEY_EVENT_ROWS)
        store_strobe(s, m, p);
}

/* Period from the strobes, oldest first; the size of the motion is that of the spans of its
 * state. */
static double classify_attractor(const zw_survey *s, const parts *p) {
    uint64_t all = p->s->strobes, kept = all < ZW_SURVEY_STROBES ? all : ZW_SURVEY_STROBES;
    size_t nx = (size_t)s->nx;
    double *x = kept < 3 ? NULL : malloc(sizeof(double) * nx * (kept + 1));
    if (!x)
        return NAN;
    double *size = x + nx * kept;
    for (uint64_t k = 0; k < kept; k++)
        memcpy(x + k * nx, p->strobe + ((all - kept + k) % ZW_SURVEY_STROBES) * nx,
               sizeof(double) * nx);
    for (int i = 0; i < s->nx; i++) {
        int q = s->period_first + i;
        double range = p->largest[q] - p->least[q];
        if (s->turn[i] > 0 && range > s->turn[i])
            range = s->turn[i];
        double most = fmax(fabs(p->largest[q]), fabs(p->least[q]));
        size[i] = s->options.period_tolerance * fmax(range, SIZE_OF_VALUE * most) + SMALLEST_SIZE;
    }
    int period = zw_attractor_period((int)kept, s->nx, x, s->turn, size);
    free(x);
    return period;
}

static double measure_result(const zw_survey *s, const parts *p, int i) {
    const zw_measure *one = &s->measures.item[i];
    int q = one->quantity;
    double T = p->s->time, c = 2 * p->sum[2 * i] / p->s->n, sn = 2 * p->sum[2 * i + 1] / p->s->n;
    bool any = T > 0 && !(q >= 0 && isnan(p->integral[q])); /* no value, no extremum */
    switch (one->kind) {
    case ZW_MEASURE_LAST:
        return p->last[q];
    case ZW_MEASURE_MEAN:
        return any ? p->integral[q] / T : NAN;
    case ZW_MEASURE_RMS:
        return any ? sqrt(fmax(p->square[q] / T, 0)) : NAN;
    case ZW_MEASURE_MIN:
        return any ? p->least[q] : NAN;
    case ZW_MEASURE_MAX:
        return any ? p->largest[q] : NAN;
    case ZW_MEASURE_AMPLITUDE:
        return any ? (p->largest[q] - p->least[q]) / 2 : NAN;
    case ZW_MEASURE_HARMONIC:
        return hypot(c, sn);
    case ZW_MEASURE_PHASE:
        return atan2(-sn, c);
    case ZW_MEASURE_SHARE:
        return c / 2;
    case ZW_MEASURE_TIME:
    case ZW_MEASURE_AT:
        return p->sum[2 * i + 1] > 0 ? p->sum[2 * i] : NAN;
    case ZW_MEASURE_COUNT:
        return p->sum[2 * i];
    case ZW_MEASURE_PERIOD:
        return classify_attractor(s, p);
    case ZW_MEASURE_ROW:
        break;
    }
    return NAN;
}

/* Measures of events at one passage. */
static void record_passage(zw_survey *s, const zw_ensemble_motion *m, parts *p, int event) {
    for (int i = 0; i < s->measures.n; i++) {
        const zw_measure *one = &s->measures.item[i];
        if (one->event != event)
            continue;
        if (one->kind == ZW_MEASURE_COUNT)
            p->sum[2 * i] += p->s->measuring;
        else if (p->sum[2 * i + 1] == 0) {
            p->sum[2 * i] =
                one->kind == ZW_MEASURE_TIME ? m->t - p->s->t_begin : m->value[one->quantity];
            p->sum[2 * i + 1] = 1;
        }
    }
}

/* --------------------------------------------------------------------------------------- stages */

static uint64_t value_count(const zw_survey *s) {
    return s->options.carry ? zw_plan_axis(s->plan, 0)->n : 1;
}

/* Time of the next visit while measuring: the next tick, or the end. */
static double next_visit(const stage *g) {
    double next = g->t2;
    for (int k = 0; k < 2; k++) {
        double tick = g->t1 + (double)(g->ticks[k] + 1) * g->step[k];
        if (g->step[k] > 0 && tick < next - ZW_SAME_VALUE * g->step[k])
            next = tick;
    }
    return next;
}

/* A stage begins at m->t with its parameters set; chooses the first visit. */
static void begin_stage(zw_survey *s, zw_ensemble_motion *m, parts *p) {
    stage *g = p->s;
    zw_error why = {0};
    p->axis[0] = s->options.carry ? g->value : p->axis[0];
    g->period = s->carries_phase ? zw_survey_period(s, p->axis, &why) : 0;
    if (s->carries_phase && !(g->period > 0)) {
        g->trouble = s->driven;
        g->period = 0;
    }
    g->t_begin = m->t;
    g->measuring = false;
    g->first_row = s->slot[m->number - s->first].n;
    for (int i = 0; i < 2 * s->measures.n; i++)
        p->sum[i] = 0;
    double transient = s->transient.value * (s->transient.periods ? g->period : 1);
    if (transient > 0) {
        m->next = m->t + transient;
    } else {
        reset_stage(s, p, m->t);
        m->next = next_visit(g);
    }
    if (g->trouble)
        m->next = NAN; /* the ensemble lets the motion fail */
}

static void set_value(const zw_survey *s, zw_ensemble_motion *m, double value) {
    const zw_axis *a = zw_plan_axis(s->plan, 0);
    m->p[a->index] = value;
}

/* The completed fraction of the period of the excitation; time itself without an excitation. */
static double phase_of(const stage *g, double t) {
    if (!(g->period > 0))
        return t;
    double f = t / g->period - floor(t / g->period);
    return f > 1 - ZW_SAME_VALUE || f < ZW_SAME_VALUE ? 0 : f;
}

/* Continues at another value of the first axis from this phase (and the state in m->x). */
static void move_to(zw_survey *s, zw_ensemble_motion *m, parts *p, double value, double phase) {
    stage *g = p->s;
    g->value = value;
    set_value(s, m, value);
    if (s->carries_phase) {
        zw_error why = {0};
        p->axis[0] = value;
        double T = zw_survey_period(s, p->axis, &why);
        m->t = T > 0 && g->period > 0 ? phase * T : phase;
    }
    begin_stage(s, m, p);
}

/* All rows of the stage get its measures; one row if there are none. */
static void write_stage(zw_survey *s, const zw_ensemble_motion *m, parts *p, int end) {
    zw_survey_slot *slot = &s->slot[m->number - s->first];
    stage *g = p->s;
    if (slot->n == g->first_row) {
        double *row = new_row(s, slot);
        if (!row)
            return;
        put_head(s, m->number, p, row);
    }
    for (int i = 0; i < s->measures.n; i++) {
        if (s->measures.item[i].kind == ZW_MEASURE_ROW)
            continue;
        double y = measure_result(s, p, i);
        int q = s->measures.item[i].quantity;
        bool due = s->measures.item[i].kind == ZW_MEASURE_AT ? p->sum[2 * i + 1] > 0 : g->time > 0;
        if (q >= 0 && due && !isfinite(y))
            doubt_value(s, slot, s->measures.item[i].name, q);
        for (long k = g->first_row; k < slot->n; k++)
            slot->row[k * s->ncolumn + s->column_measure + i] = y;
    }
    for (long k = g->first_row; k < slot->n; k++)
        slot->row[k * s->ncolumn + s->column_end] = end;
}

static bool next_value(zw_survey *s, stage *g) {
    uint64_t n = value_count(s);
    bool down = is_down(s, g);
    if (down ? g->i > 0 : g->i + 1 < n) {
        g->i += down ? (uint64_t)-1 : 1;
        return true;
    }
    if (s->options.carry == ZW_SURVEY_BOTH && g->leg == 0) {
        g->leg = 1;
        g->has_before = false;
        return true;
    }
    return false;
}

static zw_ensemble_reply continue_chain(zw_survey *s, zw_ensemble_motion *m, parts *p) {
    stage *g = p->s;
    if (!s->options.carry || !next_value(s, g))
        return ZW_ENSEMBLE_DONE;
    zw_survey_disturb(s, m->number, ++g->passed, m->x);
    move_to(s, m, p, zw_axis_value(zw_plan_axis(s->plan, 0), g->i), phase_of(g, m->t));
    return ZW_ENSEMBLE_CHANGED;
}

/* ---- jumps ---- */

static double first_measure(const zw_survey *s, const double *row) {
    return row[s->column_measure];
}

static double larger_measure(const zw_survey *s, const double *a, const double *b) {
    return fmax(fabs(first_measure(s, a)), fabs(first_measure(s, b)));
}

static bool is_jump(const zw_survey *s, const double *a, const double *b) {
    return fabs(first_measure(s, a) - first_measure(s, b)) >
           s->options.jump * larger_measure(s, a, b);
}

static void copy_row(const zw_survey *s, double *to, const double *from) {
    memcpy(to, from, sizeof(double) * (size_t)s->ncolumn);
}

static void write_row(zw_survey *s, zw_survey_slot *slot, const double *from, int jump) {
    double *row = new_row(s, slot);
    if (!row)
        return;
    copy_row(s, row, from);
    row[s->column_jump] = jump;
}

static void store_sample(const zw_survey *s, const zw_ensemble_motion *m, parts *p) {
    copy_row(s, p->before, p->now);
    memcpy(p->x_low, m->x, sizeof(double) * (size_t)s->nx);
    p->s->phase_low = phase_of(p->s, m->t);
    p->s->low = p->s->value;
    p->s->has_before = true;
}

static zw_ensemble_reply try_middle(zw_survey *s, zw_ensemble_motion *m, parts *p) {
    stage *g = p->s;
    memcpy(m->x, p->x_low, sizeof(double) * (size_t)s->nx);
    move_to(s, m, p, (g->low + g->high) / 2, g->phase_low);
    return ZW_ENSEMBLE_CHANGED;
}

/* The middle has been measured. */
static zw_ensemble_reply continue_bisection(zw_survey *s, zw_ensemble_motion *m, parts *p) {
    stage *g = p->s;
    zw_survey_slot *slot = &s->slot[m->number - s->first];
    const zw_axis *a = zw_plan_axis(s->plan, 0);
    double y = first_measure(s, p->now);
    if (fabs(y - first_measure(s, p->low)) <= fabs(y - first_measure(s, p->high))) {
        copy_row(s, p->low, p->now);
        memcpy(p->x_low, m->x, sizeof(double) * (size_t)s->nx);
        g->phase_low = phase_of(g, m->t);
        g->low = g->value;
    } else {
        copy_row(s, p->high, p->now);
        g->high = g->value;
    }
    double reached = zw_axis_value(a, g->i);
    double width = fabs(p->before[0] * a->factor - reached) * s->options.jump_width;
    if (fabs(g->high - g->low) > width)
        return try_middle(s, m, p);
    double change = fabs(first_measure(s, p->high) - first_measure(s, p->low));
    if (change >
        /* otherwise the curve is only steep there */
        s->options.jump * larger_measure(s, p->before, p->after)) {
        write_row(s, slot, p->low, 1);
        write_row(s, slot, p->high, 2);
    }
    write_row(s, slot, p->after, 0);
    g->seeking = false;
    memcpy(m->x, p->x_after, sizeof(double) * (size_t)s->nx);
    copy_row(s, p->now, p->after);
    double phase = g->phase_after;
    g->value = reached;
    memcpy(p->x_low, m->x, sizeof(double) * (size_t)s->nx);
    copy_row(s, p->before, p->now);
    g->phase_low = phase;
    g->low = reached;
    if (!next_value(s, g))
        return ZW_ENSEMBLE_DONE;
    move_to(s, m, p, zw_axis_value(a, g->i), phase);
    return ZW_ENSEMBLE_CHANGED;
}

static zw_ensemble_reply search_jump(zw_survey *s, zw_ensemble_motion *m, parts *p) {
    stage *g = p->s;
    zw_survey_slot *slot = &s->slot[m->number - s->first];
    slot->n = g->first_row; /* it is written below, in its place */
    copy_row(s, p->now, slot->row + g->first_row * s->ncolumn);
    if (g->seeking)
        return continue_bisection(s, m, p);
    if (g->has_before && is_jump(s, p->before, p->now)) {
        copy_row(s, p->low, p->before);
        copy_row(s, p->high, p->now);
        copy_row(s, p->after, p->now);
        memcpy(p->x_after, m->x, sizeof(double) * (size_t)s->nx);
        g->phase_after = phase_of(g, m->t);
        g->high = g->value;
        g->seeking = true;
        return try_middle(s, m, p);
    }
    write_row(s, slot, p->now, 0);
    store_sample(s, m, p);
    return continue_chain(s, m, p);
}

/* ----------------------------------------------------------------------------------- the client */

static void begin_motion(void *user, zw_ensemble_motion *m, bool *given) {
    zw_survey *s = user;
    parts p;
    divide_memory(s, m->memory, &p);
    stage *g = p.s;
    bool down = s->options.carry == ZW_SURVEY_DOWN;
    if (m->repeated) {
        zw_survey_slot *slot = &s->slot[m->number - s->first];
        slot->n = 0;
        free(slot->doubt);
        slot->doubt = NULL;
    }
    g->i = down ? value_count(s) - 1 : 0;
    zw_plan_point(s->plan, point_of(s, m->number, g), p.axis);
    g->value = s->naxis > 0 ? p.axis[0] : 0;
    m->path = zw_plan_sample(s->plan, point_of(s, m->number, g));
    for (int i = 0; i < s->naxis; i++) {
        const zw_axis *a = zw_plan_axis(s->plan, i);
        (a->start ? m->x : m->p)[a->index] = p.axis[i];
        if (a->start)
            given[a->index] = true;
    }
    begin_stage(s, m, &p);
}

static zw_ensemble_reply visit_motion(void *user, zw_ensemble_motion *m) {
    zw_survey *s = user;
    parts p;
    divide_memory(s, m->memory, &p);
    stage *g = p.s;
    if (!g->measuring) {
        reset_stage(s, &p, m->t);
        if (m->value)
            memcpy(p.last, m->value, sizeof(double) * (size_t)s->measures.nquantity);
        m->next = next_visit(g);
        return ZW_ENSEMBLE_ON;
    }
    add_span(s, m, &p);
    for (int k = 0; k < 2; k++) {
        double tick = g->t1 + (double)(g->ticks[k] + 1) * g->step[k];
        if (!(g->step[k] > 0) || m->t < tick - ZW_SAME_VALUE * g->step[k] * 2)
            continue;
        g->ticks[k]++;
        if (k == 0)
            add_sample(s, m, &p);
        else
            put_row(s, m, &p);
    }
    if (m->t < g->t2) { /* a tick that is not later than this one would let the motion fail */
        m->next = next_visit(g);
        return ZW_ENSEMBLE_ON;
    }
    write_stage(s, m, &p, 0);
    return s->options.jump > 0 ? search_jump(s, m, &p) : continue_chain(s, m, &p);
}

static zw_ensemble_reply record_event(void *user, zw_ensemble_motion *m, int number) {
    zw_survey *s = user;
    parts p;
    divide_memory(s, m->memory, &p);
    record_passage(s, m, &p, number);
    if (s->rows == ZW_SURVEY_EVENT_ROWS && number == s->row_event && p.s->measuring) {
        put_row(s, m, &p);
        store_strobe(s, m, &p);
    }
    return ZW_ENSEMBLE_ON;
}

/* The values that a chain did not reach. */
static void give_up(zw_survey *s, zw_ensemble_motion *m, parts *p, int end) {
    zw_survey_slot *slot = &s->slot[m->number - s->first];
    stage *g = p->s;
    while (s->options.carry && next_value(s, g)) {
        double *row = new_row(s, slot);
        if (!row)
            return;
        g->value = zw_axis_value(zw_plan_axis(s->plan, 0), g->i);
        put_head(s, m->number, p, row);
        row[s->column_end] = end;
    }
}

static void end_motion(void *user, zw_ensemble_motion *m) {
    zw_survey *s = user;
    zw_survey_slot *slot = &s->slot[m->number - s->first];
    parts p;
    divide_memory(s, m->memory, &p);
    slot->point = point_of(s, m->number, p.s);
    slot->done = m->status != ZW_STOPPED;
    if (m->doubt && !slot->doubt)
        slot->doubt = strdup(m->doubt);
    if (m->status == ZW_STOPPED && slot->n > p.s->first_row)
        slot->n = p.s->first_row; /* the previous values are measured */
    if (m->status == ZW_OK || m->status == ZW_STOPPED)
        return;
    if (m->status == ZW_EVENT) {
        bool reported = false; /* already, as a requested event */
        for (int i = 0; i < s->measures.nevent; i++)
            reported = reported || s->measures.event[i] == m->event;
        if (!reported)
            record_passage(s, m, &p, m->event);
        if (p.s->measuring)
            add_span(s, m, &p);
        else if (m->value) /* within the transient: only its end is known */
            memcpy(p.last, m->value, sizeof(double) * (size_t)s->measures.nquantity);
        slot->end = 1;
        write_stage(s, m, &p, 1);
        give_up(s, m, &p, 1);
        return;
    }
    slot->end = -1;
    slot->n = p.s->first_row < slot->n ? p.s->first_row : slot->n;
    slot->why = strdup(p.s->trouble ? "the equations have no period at this point"
                       : m->why     ? m->why
                                    : "it failed");
    double *row = new_row(s, slot);
    if (row) {
        put_head(s, m->number, &p, row);
        row[s->column_end] = -1;
    }
    give_up(s, m, &p, -1);
}

const zw_ensemble_client zw_survey_client = {
    .begin = begin_motion, .visit = visit_motion, .end = end_motion, .event = record_event};
