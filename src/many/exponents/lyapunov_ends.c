/* SPDX-License-Identifier: MIT */
/* The ends of the motions. After the measured time each motion is followed further. If the model
 * has a period, the state is sampled once in each; otherwise where it returns to a section,
 *
 *   x_c = mean of x_c, from below to above (where motions jump: in the direction in which a
 *   coordinate moves),
 *
 * c being the entry with the largest amplitude, in the units of the study; the return lies on the
 * cubic through the states and rates at two samples. Returns y_j repeat after k of them if
 *
 *   |y_j+k - y_j| < SAME_RETURN of the range of the entries,     for the last RETURNS of them,
 *
 * with the smallest such k: a period. If nothing moves: rest. The 0-1 test takes the entry that
 * changes most from return to return, one value each: a series that cannot be sampled too densely.
 * If an entry is requested, or if a motion does not return, it takes values in time, at distances
 * given by the autocorrelation. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "lyapunov.h"
#include "zero_one.h"

/* least size of an entry, relative to its value: at a rest it has no range */
#define SIZE_OF_POSITION 1e-3

enum {
    SAMPLES_PER_SCALE = 32,     /* in a time scale */
    SAMPLES_PER_PERIOD = 4,     /* in a period of the excitation */
    SCALES_FOLLOWED = 1000,     /* time scales, or periods, that are followed, */
    SCALES_FOLLOWED_OVER = 300, /* and at each of many points */
    FEW_MOTIONS = 8,
    SCALES_TO_SECTION = 20, /* of these, to find the section */
    RETURNS_COMPARED = 128, /* that must repeat */
    RETURNS_STORED = 1024,  /* the last ones */
    FEWEST_RETURNS = 200,   /* fewer returns are not enough for the 0-1 test */
    ENOUGH_VALUES = 2000,   /* values that are enough for it */
    VALUES_PER_BAND = 100,  /* least number of values of one band */
    ANGLES = 100,
    PERIODS = ZW_LYAPUNOV_PERIODS
};
/* of the range of entries: errors of returns on cubics through samples are smaller */
#define SAME_RETURN 1e-4
/* the same: returns farther apart are no repetition that is still converging */
#define OTHER_RETURN 1e-2
/* of the sizes of entries: smaller motions are errors of the integration with the default
 * tolerance */
#define AT_REST 1e-7
#define UNRESOLVED_ATOL 100 /* times the absolute tolerance: a smaller range is not resolved */
/* of the time between samples: closer, the state is that at the section */
#define AT_SECTION 1e-6
#define APPROACH_STEP 0.9 /* of the time to it */
/* ratio of the misses of the later half to those of the earlier one: below, returns converge */
#define CONVERGING 0.7

typedef struct end_search {
    int point, index;
    bool is_periodic; /* once in a period of the excitation */
    bool late;        /* its state must be restored there */
    int sample, nsample;
    bool approaching; /* a sample on the approach to the section, not one of the regular ones */
    int section;      /* entry; -1 if none */
    int direction;    /* of the passage: up 1, down -1 */
    double level, step, from, before;
    long nreturn;
    int nseries;
} end_search;

/* Arrays after the struct in the memory of a motion. */
typedef struct end_arrays {
    double *x, *rate;                  /* nx: of the previous sample */
    double *low, *high, *sum, *square; /* nx */
    /* RETURNS_STORED x (1 + nx): times and states of returns, a ring */
    double *y;
    double *series; /* of the chosen entry, sample by sample */
} end_arrays;

/* Duration in time scales; with many motions each is followed for less. */
static int length_of(const zw_lyapunov *s) {
    int shared = FEW_MOTIONS * SCALES_FOLLOWED / s->motions;
    return s->nover || shared < SCALES_FOLLOWED_OVER ? SCALES_FOLLOWED_OVER
           : shared < SCALES_FOLLOWED                ? shared
                                                     : SCALES_FOLLOWED;
}

static size_t memory_of(const zw_lyapunov *s) {
    size_t nx = (size_t)s->nx;
    return sizeof(end_search) + 16 +
           sizeof(double) *
               (6 * nx + RETURNS_STORED * (nx + 1) + (size_t)length_of(s) * SAMPLES_PER_SCALE);
}

static end_arrays end_arrays_of(const zw_lyapunov *s, void *memory) {
    size_t nx = (size_t)s->nx;
    end_arrays r;
    r.x = (double *)(void *)((char *)memory + (sizeof(end_search) + 15) / 16 * 16);
    r.rate = r.x + nx;
    r.low = r.rate + nx;
    r.high = r.low + nx;
    r.sum = r.high + nx;
    r.square = r.sum + nx;
    r.y = r.square + nx;
    r.series = r.y + RETURNS_STORED * (nx + 1);
    return r;
}

/* ---- sampling ---- */

static void begin_motion(void *user, zw_ensemble_motion *m, bool *given) {
    zw_lyapunov *s = user;
    end_search *at = m->memory;
    at->index = s->list[m->number];
    at->point = at->index / s->motions;
    const double *kept = s->end + (size_t)at->index * (size_t)(s->nx + 1);
    at->is_periodic = !s->autonomous && !s->has_no_period;
    at->nsample = length_of(s) * (at->is_periodic ? SAMPLES_PER_PERIOD : SAMPLES_PER_SCALE);
    at->step = s->tau[at->point] / (at->is_periodic ? SAMPLES_PER_PERIOD : SAMPLES_PER_SCALE);
    at->section = -1;
    at->direction = 1;
    at->from = at->before = kept[0];
    at->late = !zw_lyapunov_begin_at(s, m, kept, at->point, given);
    if (!at->late)
        m->next = m->t + at->step;
    zw_lyapunov_report_part(s, m, at->from, at->from + at->nsample * at->step);
}

static void widen_extent(const zw_lyapunov *s, const end_arrays *r, const double *x, bool first) {
    for (int i = 0; i < s->nx; i++) {
        r->low[i] = first ? x[i] : fmin(r->low[i], x[i]);
        r->high[i] = first ? x[i] : fmax(r->high[i], x[i]);
        r->sum[i] = first ? x[i] : r->sum[i] + x[i];
        r->square[i] = first ? x[i] * x[i] : r->square[i] + x[i] * x[i];
    }
}

static double *next_return(const zw_lyapunov *s, end_search *at, const end_arrays *r) {
    return r->y + (size_t)(at->nreturn++ % RETURNS_STORED) * (size_t)(s->nx + 1);
}

/* Do events set the entry? Then it may pass its mean between two samples, at an unknown time. */
static bool is_set(const zw_lyapunov *s, int i) {
    const zw_system *y = s->sys;
    zw_expr symbol = i < y->nq           ? y->coord[i].sym
                     : i < y->nq + y->nv ? y->velocity[i - y->nq].sym
                                         : ZW_NULL;
    for (int e = 0; e < y->nevent; e++)
        for (int k = 0; k < y->event[e].naction; k++)
            if (y->event[e].action[k].kind == ZW_ACTION_SET && y->event[e].action[k].what == symbol)
                return true;
    return false;
}

/* The entry with the largest root mean square, which ignores short peaks. One that events set is
 * used only if there is no other. */
static void choose_section(const zw_lyapunov *s, end_search *at, const end_arrays *r, int n) {
    for (int set = 0; set < 2 && at->section < 0; set++) {
        double most = AT_REST;
        for (int i = 0; i < s->nx; i++) {
            double mean = r->sum[i] / n,
                   far = sqrt(fmax(0, r->square[i] / n - mean * mean)) / s->scale[i];
            if (!s->essential[i] || s->wraps[i] || !(far > most) ||
                (s->contacts && i >= s->eq.nq) || (!set && is_set(s, i)))
                continue;
            most = far;
            at->section = i;
            at->level = mean;
        }
    }
}

/* The cubic with values a, b and slopes da, db over a step h, at its fraction u. */
static double hermite_cubic(double a, double da, double b, double db, double h, double u) {
    double v = 1 - u;
    return a * v * v * (1 + 2 * u) + b * u * u * (3 - 2 * u) + h * u * v * (da * v - db * u);
}

/* Between the previous sample and this one. */
static void find_return(const zw_lyapunov *s, end_search *at, const end_arrays *r,
                        const zw_ensemble_motion *m, const double *rate) {
    int c = at->section;
    if (c < 0 ||
        !(at->direction * (r->x[c] - at->level) < 0 && at->direction * (m->x[c] - at->level) >= 0))
        return;
    double h = m->t - at->before, low = 0, high = 1;
    for (int k = 0; k < 52; k++) {
        double u = 0.5 * (low + high);
        if (at->direction *
                (hermite_cubic(r->x[c], r->rate[c], m->x[c], rate[c], h, u) - at->level) <
            0)
            low = u;
        else
            high = u;
    }
    double *y = next_return(s, at, r);
    y[0] = at->before + high * h;
    for (int i = 0; i < s->nx; i++)
        y[1 + i] = hermite_cubic(r->x[i], r->rate[i], m->x[i], rate[i], h, high);
}

/* Motions that jump cannot be interpolated by cubics between samples: they are sampled more and
 * more closely before the section, and right after it. The rate of a coordinate is known for any
 * contacts. */
static double approach_section(const end_search *at, const end_arrays *r, double t, double next) {
    int c = at->section;
    double left = c >= 0 ? (at->level - r->x[c]) / r->rate[c] : -1;
    if (!(left > 0) || left > 2 * (next - t))
        return next;
    double step =
        left > AT_SECTION * at->step ? APPROACH_STEP * left : fmax(2 * left, DBL_EPSILON * 8 * t);
    return fmin(t + step, next);
}

static void store_sample(const zw_lyapunov *s, end_search *at, const end_arrays *r, double t,
                         const double *x, const double *rate) {
    memcpy(r->x, x, sizeof(double) * (size_t)s->nx);
    memcpy(r->rate, rate, sizeof(double) * (size_t)s->nx);
    at->before = t;
}

static zw_status sample_approach(zw_lyapunov *s, end_search *at, zw_ensemble_motion *m,
                                 zw_error *err) {
    end_arrays r = end_arrays_of(s, m->memory);
    double *rate = s->thread[m->thread].row;
    zw_flow *flow;
    ZW_TRY(zw_lyapunov_flow(s, m->thread, at->point, &flow, err));
    ZW_TRY(zw_flow_rates(flow, m->t, m->x, rate, NULL, err));
    find_return(s, at, &r, m, rate);
    store_sample(s, at, &r, m->t, m->x, rate);
    return ZW_OK;
}

static zw_status sample_regular(zw_lyapunov *s, end_search *at, zw_ensemble_motion *m,
                                zw_error *err) {
    end_arrays r = end_arrays_of(s, m->memory);
    int learn = SCALES_TO_SECTION * (at->is_periodic ? SAMPLES_PER_PERIOD : SAMPLES_PER_SCALE);
    double *rate = s->thread[m->thread].row;
    at->sample++;
    widen_extent(s, &r, m->x, at->sample == 1 || at->sample == at->nsample / 2);
    if (at->is_periodic) {
        if (at->sample % SAMPLES_PER_PERIOD == 0) {
            double *y = next_return(s, at, &r);
            y[0] = m->t;
            memcpy(y + 1, m->x, sizeof(double) * (size_t)s->nx);
        }
        return ZW_OK;
    }
    zw_flow *flow;
    ZW_TRY(zw_lyapunov_flow(s, m->thread, at->point, &flow, err));
    ZW_TRY(zw_flow_rates(flow, m->t, m->x, rate, NULL, err));
    if (at->sample == learn) {
        choose_section(s, at, &r, learn);
        /* what an event sets passes it in the opposite direction at once */
        if (s->hybrid && at->section >= 0)
            at->direction = rate[at->section] < 0 ? -1 : 1;
    }
    if (at->sample > learn)
        find_return(s, at, &r, m, rate);
    int of = s->of >= 0 ? s->of : at->section;
    if (of >= 0 && at->sample >= learn)
        r.series[at->nseries++] = s->wraps[of] ? sin(m->x[of]) : m->x[of];
    store_sample(s, at, &r, m->t, m->x, rate);
    return ZW_OK;
}

/* -------------------------------------------------------------------------------------- judging */

static const double *return_at(const zw_lyapunov *s, const end_arrays *r, long j) {
    return r->y + (size_t)(j % RETURNS_STORED) * (size_t)(s->nx + 1);
}

/* Does an entry hardly move? Such as a velocity that a constraint makes zero: what remains is
 * round-off, as random as chaos. */
static bool is_unresolved(const zw_lyapunov *s, const end_arrays *r, int i) {
    return r->high[i] - r->low[i] <= UNRESOLVED_ATOL * s->run.atol;
}

static double scaled_distance(const zw_lyapunov *s, const end_arrays *r, const double *a,
                              const double *b) {
    double most = 0;
    for (int i = 0; i < s->nx; i++) {
        double size = fmax(0.5 * (r->high[i] - r->low[i]), AT_REST * s->scale[i]);
        double away = a[1 + i] - b[1 + i];
        if (!s->essential[i] || is_unresolved(s, r, i))
            continue;
        if (s->wraps[i]) {
            away = remainder(away, 2 * M_PI);
            size = fmin(size, 1);
        }
        most = fmax(most, fabs(away) / size);
    }
    return most;
}

/* Largest distance of the last n returns from those k before them; that of the earlier half in
 * *earlier. */
static double miss_of(const zw_lyapunov *s, const end_search *at, const end_arrays *r, int k, int n,
                      double *earlier) {
    double late = 0;
    *earlier = 0;
    for (int j = 0; j < n; j++) {
        long i = at->nreturn - 1 - j;
        double d = scaled_distance(s, r, return_at(s, r, i), return_at(s, r, i - k));
        if (2 * j < n)
            late = fmax(late, d);
        else
            *earlier = fmax(*earlier, d);
    }
    return late;
}

static bool is_at_rest(const zw_lyapunov *s, const end_arrays *r) {
    for (int i = 0; i < s->nx; i++) {
        double size = fmax(s->scale[i], SIZE_OF_POSITION * fabs(r->high[i]));
        if (s->essential[i] &&
            !(r->high[i] - r->low[i] <= fmax(AT_REST * size, UNRESOLVED_ATOL * s->run.atol)))
            return false;
    }
    return true;
}

/* Was the motion elsewhere at first? Compares its first returns with the last ones of the same
 * phase. */
static bool is_transient(const zw_lyapunov *s, const end_search *at, const end_arrays *r, int k) {
    long first = at->nreturn > RETURNS_STORED ? at->nreturn - RETURNS_STORED : 0;
    for (long i = first; i < first + k; i++) {
        long last = i + (at->nreturn - 1 - i) / k * k;
        if (scaled_distance(s, r, return_at(s, r, i), return_at(s, r, last)) > OTHER_RETURN)
            return true;
    }
    return false;
}

static void find_period(const zw_lyapunov *s, const end_search *at, const end_arrays *r,
                        zw_lyapunov_motion *out) {
    long kept = at->nreturn < RETURNS_STORED ? at->nreturn : RETURNS_STORED;
    out->ending = ZW_LYAPUNOV_END_OTHER;
    out->miss = INFINITY;
    for (int k = 1; k <= PERIODS && 3 * k < kept; k++) {
        int n = (int)fmin(RETURNS_COMPARED, (double)(kept - k - 1));
        double earlier, late = miss_of(s, at, r, k, n, &earlier);
        if (late < out->miss) {
            out->miss = late;
            out->times = k;
        }
        bool same = fmax(late, earlier) < SAME_RETURN,
             nearer = late < CONVERGING * earlier && late < 30 * SAME_RETURN;
        if (!same && !nearer)
            continue;
        long turns = n / k; /* whole ones */
        const double *last = return_at(s, r, at->nreturn - 1),
                     *first = return_at(s, r, at->nreturn - 1 - turns * k);
        out->ending = same ? ZW_LYAPUNOV_END_PERIODIC : ZW_LYAPUNOV_END_SETTLING;
        out->came = is_transient(s, at, r, k);
        out->times = k;
        out->period = n >= k ? (last[0] - first[0]) / (double)turns : NAN;
        return;
    }
}

/* The entry that changes most from return to return; -1 if no change exceeds the error of
 * returns. */
static int changing_entry(const zw_lyapunov *s, const end_search *at, const end_arrays *r,
                          long kept) {
    int best = -1;
    double most = SAME_RETURN * SAME_RETURN;
    for (int i = 0; i < s->nx; i++) {
        double mean = 0, square = 0;
        for (long j = at->nreturn - kept; j < at->nreturn && s->essential[i]; j++) {
            double v = return_at(s, r, j)[1 + i];
            v = s->wraps[i] ? sin(v) : v;
            mean += v / (double)kept;
            square += v * v / (double)kept;
        }
        double change = (square - mean * mean) / (s->scale[i] * s->scale[i]);
        if (s->essential[i] && !is_unresolved(s, r, i) && change > most) {
            most = change;
            best = i;
        }
    }
    return best;
}

static void test_returns(const zw_lyapunov *s, const end_search *at, const end_arrays *r,
                         zw_lyapunov_motion *out, double *phi, double *scratch) {
    long kept = at->nreturn < RETURNS_STORED ? at->nreturn : RETURNS_STORED;
    int of = s->of >= 0 && at->is_periodic ? s->of : changing_entry(s, at, r, kept);
    out->sampled = at->is_periodic ? s->tau[at->point] : 0;
    out->samples = (int)kept;
    if (of < 0)
        return;
    for (long j = 0; j < kept; j++) {
        double v = return_at(s, r, at->nreturn - kept + j)[1 + of];
        phi[j] = s->wraps[of] ? sin(v) : v;
    }
    out->K = zw_zero_one((int)kept, phi, ANGLES, scratch);
    /* Chaos in k bands, which are visited one after the other, is visible only in each k-th
     * value. */
    if (out->times < 2 || kept / out->times < VALUES_PER_BAND)
        return;
    int n = 0;
    for (long j = 0; j < kept; j += out->times)
        phi[n++] = phi[j];
    double K = zw_zero_one(n, phi, ANGLES, scratch);
    out->K = K > out->K ? K : out->K;
}

static void test_series(const end_search *at, const end_arrays *r, zw_lyapunov_motion *out,
                        double *phi, double *scratch) {
    int stride = zw_series_stride(at->nseries, r->series), n = 0;
    for (int i = 0; i < at->nseries && n < ENOUGH_VALUES; i += stride)
        phi[n++] = r->series[i];
    out->sampled = stride * at->step;
    out->samples = n;
    out->K = zw_zero_one(n, phi, ANGLES, scratch);
}

static void finish_motion(void *user, zw_ensemble_motion *m) {
    zw_lyapunov *s = user;
    end_search *at = m->memory;
    zw_lyapunov_motion *out = &s->motion[at->index];
    if (at->sample < at->nsample)
        return; /* it failed on the way, or was stopped: its end is unknown */
    end_arrays r = end_arrays_of(s, m->memory);
    double *phi = s->thread[m->thread].scratch, *scratch = phi + ENOUGH_VALUES + RETURNS_STORED;
    double *kept = s->end + (size_t)at->index * (size_t)(s->nx + 1);
    out->end_known = true;
    out->came = false;
    out->K = out->period = NAN;
    kept[0] = m->t;
    memcpy(kept + 1, m->x, sizeof(double) * (size_t)s->nx);
    if (is_at_rest(s, &r)) {
        out->ending = ZW_LYAPUNOV_END_STEADY;
        return;
    }
    find_period(s, at, &r, out);
    bool by_time = !at->is_periodic && (s->of >= 0 || at->nreturn < FEWEST_RETURNS);
    if (!by_time)
        test_returns(s, at, &r, out, phi, scratch);
    else if (at->nseries > 8)
        test_series(at, &r, out, phi, scratch);
}

static zw_ensemble_reply visit_motion(void *user, zw_ensemble_motion *m) {
    zw_lyapunov *s = user;
    end_search *at = m->memory;
    zw_error trouble = {0};
    if (at->late) {
        const double *kept = s->end + (size_t)at->index * (size_t)(s->nx + 1);
        at->late = !zw_lyapunov_begin_at(s, m, kept, at->point, NULL);
        m->next = m->t + at->step;
        return ZW_ENSEMBLE_CHANGED;
    }
    if ((at->approaching ? sample_approach : sample_regular)(s, at, m, &trouble) < 0) {
        at->nsample = at->sample + 1; /* unknown */
        return ZW_ENSEMBLE_DONE;
    }
    zw_lyapunov_report_part(s, m, at->from, at->from + at->nsample * at->step);
    double next = at->from + (at->sample + 1) * at->step;
    const end_arrays r = end_arrays_of(s, m->memory);
    m->next = s->hybrid && !at->is_periodic ? approach_section(at, &r, m->t, next) : next;
    at->approaching = m->next < next;
    return at->sample < at->nsample ? ZW_ENSEMBLE_ON : ZW_ENSEMBLE_DONE;
}

zw_status zw_lyapunov_find_ends(zw_lyapunov *s, zw_error *err) {
    const zw_ensemble_client client = {
        .user = s, .begin = begin_motion, .visit = visit_motion, .end = finish_motion};
    int n;
    for (int i = 0; i < s->nthread; i++)
        if (!s->thread[i].scratch)
            s->thread[i].scratch =
                ZW_NEW(&s->arena, double, 5 * (ENOUGH_VALUES + RETURNS_STORED) + ANGLES + 8);
    if (s->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_lyapunov_list(s, true, &n, err));
    return zw_lyapunov_motions(s, &client, 0, memory_of(s), n, err);
}
