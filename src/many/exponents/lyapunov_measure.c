/* SPDX-License-Identifier: MIT */
/* The transients, and the exponents after them.
 *
 * A point's first motion goes from the start of the model through the transient; its states at that
 * time and repeatedly a few time scales later are the starts of the measured motions: all on one
 * attractor or one surface of constant energy. Chaotic motions are independent after
 * log(1/tolerance)/lambda_1.
 *
 * Each has a frame of k disturbances, at first random in the tangent space. For a tenth of the
 * measured time the frame turns into its directions; then 64 blocks of equal time follow. The
 * frame is made orthonormal so often that rows separate by a factor of about 1e4, and
 * SAMPLES_PER_SCALE times in a time scale at least. Samples come in pairs, t, t + h, t + 2h,
 * over which the divergence is integrated by Simpson's rule. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "base/tolerance.h"
#include "frame.h"
#include "lyapunov.h"

#define SPREAD_MARGIN 0.8 /* of the largest spread, aimed at by the next step */

enum {
    SCALES_APART = 3, /* time scales between the starts of motions of a point */
    BLOCKS = ZW_LYAPUNOV_BLOCKS,
    SEED = 1980 /* of random directions */
};
/* log of a factor of 1e4: twelve digits of the rows remain, more than their errors */
#define LARGEST_SPREAD 9.2
#define NEARLY_LOST 23. /* log of 1e10: six digits remain, the accuracy of exponents */
/* of the measured time: directions converge like exponentials of the differences of exponents, much
 * faster than exponents do */
#define ALIGNMENT_TIME 0.1
#define FIRST_SAMPLE 0.01 /* of a time scale: the first sample, before the growth is known */
/* relative: smaller changes of the divergence are round-off of the Jacobian matrix */
#define CONSTANT_DIVERGENCE 1e-9
/* if the divergence changes: Simpson's rule misses 2e-3 of an oscillation of this period, */
#define SAMPLES_PER_SCALE 8
#define SAMPLES_PER_PERIOD 16 /* and in a period of the excitation */
/* of a time scale: a motion that restarts at the time of its state needs one step */
#define FIRST_INTERVAL 1e-6

static void mark_failed(zw_lyapunov_motion *m, zw_status status, const char *why) {
    m->status = status < 0 ? status : ZW_E_NUMERIC;
    snprintf(m->why, sizeof m->why, "%.190s", why ? why : "");
}

/* ----------------------------------------------------------------------------------- transients */

typedef struct transient_pass {
    int point, piece;
} transient_pass;

static int line_length(const zw_lyapunov *s) {
    return s->options.carry ? s->rows[0] : 1;
}

static void pass_begin(void *user, zw_ensemble_motion *m, bool *given) {
    zw_lyapunov *s = user;
    transient_pass *at = m->memory;
    (void)given;
    at->point = s->from + (int)m->number * line_length(s);
    memcpy(m->p, s->point_p + (size_t)at->point * (size_t)s->sys->np,
           sizeof(double) * (size_t)s->sys->np);
    m->next = m->t + zw_lyapunov_transient(s, at->point);
    zw_lyapunov_report_part(s, m, m->t, m->next);
}

static zw_ensemble_reply pass_visit(void *user, zw_ensemble_motion *m) {
    zw_lyapunov *s = user;
    transient_pass *at = m->memory;
    size_t index = zw_lyapunov_index(s, at->point, at->piece);
    double *kept = s->begin + index * (size_t)(s->nx + 1);
    kept[0] = m->t;
    memcpy(kept + 1, m->x, sizeof(double) * (size_t)s->nx);
    s->motion[index].begun = true;
    if (++at->piece < s->motions) {
        m->next = m->t + SCALES_APART * s->tau[at->point];
        return ZW_ENSEMBLE_ON;
    }
    at->piece = 0;
    if ((++at->point - s->from) % line_length(s) == 0)
        return ZW_ENSEMBLE_DONE;
    memcpy(m->p, s->point_p + (size_t)at->point * (size_t)s->sys->np,
           sizeof(double) * (size_t)s->sys->np);
    m->next = m->t + zw_lyapunov_transient(s, at->point);
    return ZW_ENSEMBLE_CHANGED;
}

static void pass_end(void *user, zw_ensemble_motion *m) {
    zw_lyapunov *s = user;
    int first = s->from + (int)m->number * line_length(s);
    for (int i = first; i < first + line_length(s); i++)
        for (int k = 0; k < s->motions; k++) {
            zw_lyapunov_motion *of = &s->motion[zw_lyapunov_index(s, i, k)];
            if (!of->begun && m->status < 0)
                mark_failed(of, m->status, m->why);
            if (m->doubt)
                snprintf(of->doubt, sizeof of->doubt, "%s", m->doubt);
        }
}

zw_status zw_lyapunov_pass_transients(zw_lyapunov *s, zw_error *err) {
    const zw_ensemble_client client = {
        .user = s, .begin = pass_begin, .visit = pass_visit, .end = pass_end};
    return zw_lyapunov_motions(s, &client, 0, sizeof(transient_pass),
                               (s->to - s->from) / line_length(s), err);
}

/* ------------------------------------------------------------------------------------ exponents */

typedef struct exponent_measurement {
    int point, index;
    double begun;    /* time of the first frame [s] */
    double from;     /* beginning of the blocks [s] */
    double width;    /* of a block [s] */
    double step;     /* between samples, before it is adapted to a block [s] */
    int block;       /* -1 before the first */
    int sample;      /* of the pair: 0, 1 */
    double pair;     /* beginning of the pair [s], */
    double h;        /* its step [s], */
    double spread;   /* largest separation of rows in it, */
    double trace[3]; /* and the divergence at its samples */
    double before;   /* time of the last sample [s] */
    bool late, failed;
    int left; /* disturbances that events have not annihilated */
} exponent_measurement;

/* The next pair, which does not cross the end of its block. */
static void begin_pair(exponent_measurement *at, zw_ensemble_motion *m) {
    double end = at->block < 0 ? at->from : at->from + (at->block + 1) * at->width;
    double left = end - m->t;
    at->pair = m->t;
    at->sample = 0;
    at->spread = 0;
    at->h = 2.2 * at->step > left ? 0.5 * left : at->step;
    m->next = m->t + at->h;
}

/* Rows that are random in the tangent space. */
zw_status zw_lyapunov_first_frame(zw_lyapunov *s, zw_flow *flow, zw_lyapunov_thread *own, double t,
                                  const double *x, uint64_t number, double *V, zw_error *err) {
    int n, nx = s->nx;
    zw_random random = zw_random_stream(SEED, number);
    ZW_TRY(zw_lyapunov_tangent(s, flow, t, x, own->J, own->basis, &n, err));
    if (n != s->n)
        return zw_fail(err, ZW_E_SINGULAR,
                       "constraints become dependent: there are %d directions at t = %.6g and %d "
                       "elsewhere",
                       n, t, s->n);
    memset(V, 0, sizeof(double) * (size_t)(s->k * nx));
    for (int r = 0; r < s->k; r++)
        for (int j = 0; j < n; j++) {
            const double *T = own->basis + (size_t)j * (size_t)nx;
            double factor = zw_random_real(&random, -1, 1), size = 0;
            for (int i = 0; i < nx; i++)
                size += T[i] / s->scale[i] * (T[i] / s->scale[i]);
            for (int i = 0; i < nx; i++)
                V[r * nx + i] += factor * T[i] / sqrt(size);
        }
    if (!zw_frame_qr(s->k, nx, s->scale, s->essential, V, own->grown))
        return zw_fail(err, ZW_E_NUMERIC, "no frame of %d disturbances was found at t = %.6g", s->k,
                       t);
    return ZW_OK;
}

bool zw_lyapunov_begin_at(zw_lyapunov *s, zw_ensemble_motion *m, const double *kept, int point,
                          bool *given) {
    memcpy(m->p, s->point_p + (size_t)point * (size_t)s->sys->np,
           sizeof(double) * (size_t)s->sys->np);
    if (given && s->kernel->nstart_pos + s->kernel->nstart_vel > 0) {
        m->next = m->t + FIRST_INTERVAL * s->tau[point];
        return false;
    }
    m->t = kept[0];
    memcpy(m->x, kept + 1, sizeof(double) * (size_t)s->nx);
    if (given)
        memset(given, true, sizeof(bool) * (size_t)s->nx);
    return true;
}

static zw_status begin_measuring(zw_lyapunov *s, exponent_measurement *at, zw_ensemble_motion *m,
                                 zw_error *err) {
    double time = zw_lyapunov_time(s, at->point);
    zw_flow *flow;
    at->begun = m->t;
    at->from = m->t + ALIGNMENT_TIME * time;
    at->width = time / BLOCKS;
    at->step = fmin(FIRST_SAMPLE * s->tau[at->point], at->width);
    if (s->k == s->n && s->largest_rate > 0)
        at->step = fmin(at->step, 0.5 * LARGEST_SPREAD / s->largest_rate);
    at->block = -1;
    at->left = s->k;
    at->before = m->t;
    begin_pair(at, m);
    zw_lyapunov_report_part(s, m, m->t, at->from + BLOCKS * at->width);
    ZW_TRY(zw_lyapunov_flow(s, m->thread, at->point, &flow, err));
    return zw_lyapunov_first_frame(s, flow, &s->thread[m->thread], m->t, m->x, (uint64_t)at->index,
                                   m->variation, err);
}

static void give_up(zw_lyapunov *s, exponent_measurement *at, zw_status status, const char *why) {
    at->failed = true;
    mark_failed(&s->motion[at->index], status, why);
}

static void measure_begin(void *user, zw_ensemble_motion *m, bool *given) {
    zw_lyapunov *s = user;
    exponent_measurement *at = m->memory;
    zw_error trouble = {0};
    at->index = s->list[m->number];
    at->point = at->index / s->motions;
    const double *kept = s->begin + (size_t)at->index * (size_t)(s->nx + 1);
    at->late = !zw_lyapunov_begin_at(s, m, kept, at->point, given);
    if (at->late)
        return;
    zw_status status = begin_measuring(s, at, m, &trouble);
    if (status < 0)
        give_up(s, at, status, trouble.text);
}

/* How far rows have separated, or grown or shrunk in all. */
static double spread_of(int k, const double *grown) {
    double low = 0, high = 0;
    for (int i = 0; i < k; i++) {
        low = fmin(low, grown[i]);
        high = fmax(high, grown[i]);
    }
    return high - low;
}

static double *block_of(const zw_lyapunov *s, const exponent_measurement *at) {
    return s->block + ((size_t)at->index * BLOCKS + (size_t)at->block) * (size_t)(s->k + 2);
}

static zw_status find_trace(zw_lyapunov *s, zw_flow *flow, const zw_ensemble_motion *m, double *out,
                            zw_error *err) {
    zw_lyapunov_thread *own = &s->thread[m->thread];
    if (s->k < s->n || s->hybrid)
        return ZW_OK;
    ZW_TRY(zw_flow_jacobian(flow, m->t, m->x, own->J, NULL, err));
    *out = zw_frame_trace(s->k, s->nx, s->scale, s->essential, m->variation, own->J);
    return ZW_OK;
}

/* Has the last pair of a block ended? */
static bool is_at_end(const exponent_measurement *at, double t) {
    double end = at->block < 0 ? at->from : at->from + (at->block + 1) * at->width;
    return end - t <= ZW_SAME_VALUE * at->width;
}

/* A divergence that changes must be resolved; otherwise only the separation of rows limits the
 * step. */
static double largest_step(const zw_lyapunov *s, const exponent_measurement *at) {
    double tau = s->tau[at->point], ends = at->trace[0] + at->trace[2];
    if (s->k < s->n || s->hybrid ||
        fabs(2 * at->trace[1] - ends) <= CONSTANT_DIVERGENCE * fabs(ends))
        return tau;
    return tau / (s->autonomous || s->has_no_period ? SAMPLES_PER_SCALE : SAMPLES_PER_PERIOD);
}

/* After a sample; false if the measurement is complete. */
static bool plan_sample(zw_lyapunov *s, exponent_measurement *at, zw_ensemble_motion *m) {
    if (at->sample++ == 0) {
        m->next = at->pair + 2 * at->h;
        return true;
    }
    double factor = at->spread > 0 ? SPREAD_MARGIN * LARGEST_SPREAD / at->spread : 2;
    at->step = fmin(at->h * fmin(1.5, fmax(0.1, factor)), largest_step(s, at));
    at->step = fmax(at->step, ZW_ROUNDOFF_SUM * at->width);
    if (at->block >= 0) {
        double part = at->h / at->width, ends = at->trace[0] + at->trace[2];
        block_of(s, at)[s->k] += (ends + 4 * at->trace[1]) * part / 3;
        block_of(s, at)[s->k + 1] +=
            (2 * at->trace[1] - ends) * part / 6; /* minus the trapezoids */
    }
    at->trace[0] = at->trace[2];
    if (is_at_end(at, m->t)) {
        at->block++;
        if (at->block == BLOCKS)
            return false;
    }
    begin_pair(at, m);
    return true;
}

/* Events may annihilate disturbances, also into entries that do not count; otherwise no row may be
 * lost. */
static zw_status orthonormalise_motion(zw_lyapunov *s, exponent_measurement *at,
                                       zw_ensemble_motion *m, zw_lyapunov_thread *own,
                                       zw_error *err) {
    int independent = m->rank < at->left ? m->rank : at->left, left = at->left;
    if (s->hybrid) {
        memcpy(own->basis, m->variation, sizeof(double) * (size_t)(at->left * s->nx));
        left = zw_frame_qr_left(at->left, s->nx, s->scale, NULL, own->basis, own->grown);
    } else if (!zw_frame_qr(s->k, s->nx, s->scale, s->essential, m->variation, own->grown)) {
        left = -1;
    }
    if (left < independent)
        return zw_fail(err, ZW_E_NUMERIC,
                       "a disturbance is lost between t = %.6g and %.6g: it decays too fast "
                       "compared with the others, or the motion sticks",
                       at->before, m->t);
    if (s->hybrid)
        at->left =
            zw_frame_qr_left(at->left, s->nx, s->scale, s->essential, m->variation, own->grown);
    return ZW_OK;
}

static zw_status measure_growth(zw_lyapunov *s, exponent_measurement *at, zw_ensemble_motion *m,
                                bool *on, zw_error *err) {
    zw_lyapunov_thread *own = &s->thread[m->thread];
    zw_flow *flow;
    ZW_TRY(zw_lyapunov_flow(s, m->thread, at->point, &flow, err));
    for (int r = 0; r < s->k && zw_flow_levels(flow) > 0; r++)
        ZW_TRY(zw_flow_project_tangent(flow, m->t, m->x, m->variation + (size_t)r * (size_t)s->nx,
                                       err));
    ZW_TRY(orthonormalise_motion(s, at, m, own, err));
    double spread = spread_of(at->left, own->grown);
    at->spread = fmax(at->spread, spread);
    ZW_TRY(find_trace(s, flow, m, &at->trace[1 + at->sample], err));
    for (int i = 0; i < at->left && at->block >= 0; i++)
        block_of(s, at)[i] += own->grown[i] / at->width;
    s->motion[at->index].nearly_lost |= at->block >= 0 && spread > NEARLY_LOST;
    at->before = m->t;
    zw_lyapunov_report_part(s, m, at->begun, at->from + BLOCKS * at->width);
    *on = plan_sample(s, at, m);
    return ZW_OK;
}

static zw_ensemble_reply measure_visit(void *user, zw_ensemble_motion *m) {
    zw_lyapunov *s = user;
    exponent_measurement *at = m->memory;
    zw_error trouble = {0};
    bool on = false;
    if (at->failed)
        return ZW_ENSEMBLE_DONE;
    zw_status status;
    if (at->late) {
        const double *from = s->begin + (size_t)at->index * (size_t)(s->nx + 1);
        at->late = !zw_lyapunov_begin_at(s, m, from, at->point, NULL);
        on = true;
        status = begin_measuring(s, at, m, &trouble);
    } else {
        status = measure_growth(s, at, m, &on, &trouble);
    }
    if (status < 0) {
        give_up(s, at, status, trouble.text);
        return ZW_ENSEMBLE_DONE;
    }
    if (on)
        return ZW_ENSEMBLE_CHANGED;
    double *kept = s->end + (size_t)at->index * (size_t)(s->nx + 1);
    kept[0] = m->t;
    memcpy(kept + 1, m->x, sizeof(double) * (size_t)s->nx);
    s->motion[at->index].measured = true;
    s->motion[at->index].left = at->left;
    return ZW_ENSEMBLE_DONE;
}

static void measure_end(void *user, zw_ensemble_motion *m) {
    zw_lyapunov *s = user;
    const exponent_measurement *at = m->memory;
    if (m->status < 0 && !s->motion[at->index].measured)
        mark_failed(&s->motion[at->index], m->status, m->why);
    if (m->doubt)
        snprintf(s->motion[at->index].doubt, sizeof s->motion[at->index].doubt, "%s", m->doubt);
}

/* Lists the motions that have come so far. */
zw_status zw_lyapunov_list(zw_lyapunov *s, bool measured, int *n, zw_error *err) {
    int all = s->npoint * s->motions;
    if (!s->list)
        s->list = ZW_NEW(&s->arena, int, all + 1);
    if (!s->list)
        return zw_out_of_memory(err, NULL);
    *n = 0;
    for (int i = s->from * s->motions; i < s->to * s->motions; i++)
        if (zw_lyapunov_is_in_round(s, i / s->motions) &&
            (measured ? s->motion[i].measured : s->motion[i].begun))
            s->list[(*n)++] = i;
    return ZW_OK;
}

/* Motions of the list that were not measured yet. */
static int list_unmeasured(zw_lyapunov *s) {
    int n = 0;
    for (int i = s->from * s->motions; i < s->to * s->motions; i++)
        if (zw_lyapunov_is_in_round(s, i / s->motions) && s->motion[i].begun &&
            !s->motion[i].measured)
            s->list[n++] = i;
    return n;
}

zw_status zw_lyapunov_measure(zw_lyapunov *s, zw_error *err) {
    const zw_ensemble_client client = {
        .user = s, .begin = measure_begin, .visit = measure_visit, .end = measure_end};
    int n;
    ZW_TRY(zw_lyapunov_list(s, false, &n, err));
    if (n > 0 && zw_lyapunov_uses_frames(s)) {
        ZW_TRY(zw_lyapunov_frames(s, n, err));
        n = list_unmeasured(s); /* those that failed in step */
        s->in_step = s->in_step && n == 0;
        if (s->stopped)
            return ZW_OK;
    }
    return zw_lyapunov_motions(s, &client, s->k, sizeof(exponent_measurement), n, err);
}
