/* SPDX-License-Identifier: MIT */
/* What the motions come to. Behind the measured time each is followed further. Where a drive has a
 * period, its state is looked at once in each; otherwise where it returns to a section,
 *
 *     x_c = mean of x_c, from below to above (where motions jump: the way in which a coordinate
 *     goes),
 *
 * c being the entry that goes farthest to and fro, in the units of the study; the return lies on
 * the cubic through the states and rates at two looks. Returns y_j repeat after k of them if
 *
 *     |y_j+k - y_j| < SAME of how far entries go,     for the last RETURNS of them,
 *
 * with the smallest such k: a period. Nothing that moves: rest. The 0-1 test takes the entry that
 * changes most from return to return, one value each: a series that cannot be sampled too densely.
 * If an entry is asked for, or where a motion does not return, it takes values in time, as far
 * apart as the autocorrelation says. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "lyapunov.h"
#include "zero_one.h"

enum {
    DENSE = 32,      /* looks in a time scale */
    STROBE = 4,      /* looks in a period of the drive */
    LONG = 1000,     /* time scales, or periods, that are looked at, */
    LONG_OVER = 300, /* and at each of many points */
    FEW_MOTIONS = 8,
    LEARN = 20,    /* of these, to find the section */
    RETURNS = 128, /* that must repeat */
    ROOM = 1024,   /* returns that are kept, the last ones */
    FEW = 200,     /* too few returns for the 0-1 test */
    MANY = 2000,   /* enough values for it */
    BANDED = 100,  /* values at least, of one band */
    ANGLES = 100,
    PERIODS = ZW_LYAPUNOV_PERIODS
};
#define SAME 1e-4      /* of how far entries go */
#define ELSEWHERE 1e-2 /* likewise: too far for one that repeats */
#define REST 1e-7      /* of the sizes of entries */
#define UNRESOLVED 100 /* times the absolute tolerance: less is as good as nothing */
#define CLOSE 1e-6     /* of the time between looks: the section is as good as there */
#define APPROACH 0.9   /* of the time to it */
#define SHRINKING 0.7  /* misses of the later half, of those of the earlier one */

typedef struct looking {
    int point, index;
    bool strobes; /* once in a period of the drive */
    bool late;    /* its state has to be put there */
    int look, looks;
    bool near;   /* a look on the way to the section, and none of the others */
    int section; /* entry; -1: none */
    int way;     /* in which it is passed: up 1, down -1 */
    double level, step, from, before;
    long nreturn;
    int nseries;
} looking;

/* behind the struct in the memory of a motion */
typedef struct rooms {
    double *x, *rate;                  /* nx: of the look before */
    double *low, *high, *sum, *square; /* nx */
    double *y;                         /* ROOM x (1 + nx): times and states of returns, in a ring */
    double *series;                    /* of the chosen entry, look by look */
} rooms;

/* time scales; of many motions each is followed for less */
static int length_of(const zw_lyapunov *s) {
    int shared = FEW_MOTIONS * LONG / s->motions;
    return s->nover || shared < LONG_OVER ? LONG_OVER : shared < LONG ? shared : LONG;
}

static size_t memory_of(const zw_lyapunov *s) {
    size_t nx = (size_t)s->nx;
    return sizeof(looking) + 16 +
           sizeof(double) * (6 * nx + ROOM * (nx + 1) + (size_t)length_of(s) * DENSE);
}

static rooms rooms_of(const zw_lyapunov *s, void *memory) {
    size_t nx = (size_t)s->nx;
    rooms r;
    r.x = (double *)(void *)((char *)memory + (sizeof(looking) + 15) / 16 * 16);
    r.rate = r.x + nx;
    r.low = r.rate + nx;
    r.high = r.low + nx;
    r.sum = r.high + nx;
    r.square = r.sum + nx;
    r.y = r.square + nx;
    r.series = r.y + ROOM * (nx + 1);
    return r;
}

/* -------------------------------------------------------------------------------------- looking */

static void look_begin(void *user, zw_ensemble_motion *m, bool *given) {
    zw_lyapunov *s = user;
    looking *at = m->memory;
    at->index = s->list[m->number];
    at->point = at->index / s->motions;
    const double *kept = s->end + (size_t)at->index * (size_t)(s->nx + 1);
    at->strobes = !s->autonomous && !s->beats;
    at->looks = length_of(s) * (at->strobes ? STROBE : DENSE);
    at->step = s->tau[at->point] / (at->strobes ? STROBE : DENSE);
    at->section = -1;
    at->way = 1;
    at->from = at->before = kept[0];
    at->late = !zw_lyapunov_place(s, m, kept, at->point, given);
    if (!at->late)
        m->next = m->t + at->step;
    zw_lyapunov_report_part(s, m, at->from, at->from + at->looks * at->step);
}

static void widen_extent(const zw_lyapunov *s, const rooms *r, const double *x, bool first) {
    for (int i = 0; i < s->nx; i++) {
        r->low[i] = first ? x[i] : fmin(r->low[i], x[i]);
        r->high[i] = first ? x[i] : fmax(r->high[i], x[i]);
        r->sum[i] = first ? x[i] : r->sum[i] + x[i];
        r->square[i] = first ? x[i] * x[i] : r->square[i] + x[i] * x[i];
    }
}

static double *next_return(const zw_lyapunov *s, looking *at, const rooms *r) {
    return r->y + (size_t)(at->nreturn++ % ROOM) * (size_t)(s->nx + 1);
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

/* The entry that goes farthest, in its root mean square: no short peaks. One that events set only
 * if there is no other. */
static void choose_section(const zw_lyapunov *s, looking *at, const rooms *r, int n) {
    for (int set = 0; set < 2 && at->section < 0; set++) {
        double most = REST;
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

/* the cubic with values a, b and slopes da, db over a step h, at part u of it */
static double hermite_cubic(double a, double da, double b, double db, double h, double u) {
    double v = 1 - u;
    return a * v * v * (1 + 2 * u) + b * u * u * (3 - 2 * u) + h * u * v * (da * v - db * u);
}

/* between the look before and this one */
static void find_return(const zw_lyapunov *s, looking *at, const rooms *r,
                        const zw_ensemble_motion *m, const double *rate) {
    int c = at->section;
    if (c < 0 || !(at->way * (r->x[c] - at->level) < 0 && at->way * (m->x[c] - at->level) >= 0))
        return;
    double h = m->t - at->before, low = 0, high = 1;
    for (int k = 0; k < 52; k++) {
        double u = 0.5 * (low + high);
        if (at->way * (hermite_cubic(r->x[c], r->rate[c], m->x[c], rate[c], h, u) - at->level) < 0)
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
 * more closely before the section, and right after it. The rate of a coordinate is known whatever
 * contacts do. */
static double approach_section(const looking *at, const rooms *r, double t, double next) {
    int c = at->section;
    double left = c >= 0 ? (at->level - r->x[c]) / r->rate[c] : -1;
    if (!(left > 0) || left > 2 * (next - t))
        return next;
    double step = left > CLOSE * at->step ? APPROACH * left : fmax(2 * left, DBL_EPSILON * 8 * t);
    return fmin(t + step, next);
}

static void store_sample(const zw_lyapunov *s, looking *at, const rooms *r, double t,
                         const double *x, const double *rate) {
    memcpy(r->x, x, sizeof(double) * (size_t)s->nx);
    memcpy(r->rate, rate, sizeof(double) * (size_t)s->nx);
    at->before = t;
}

static zw_status look_near(zw_lyapunov *s, looking *at, zw_ensemble_motion *m, zw_error *err) {
    rooms r = rooms_of(s, m->memory);
    double *rate = s->thread[m->thread].row;
    zw_flow *flow;
    ZW_TRY(zw_lyapunov_flow(s, m->thread, at->point, &flow, err));
    ZW_TRY(zw_flow_rates(flow, m->t, m->x, rate, NULL, err));
    find_return(s, at, &r, m, rate);
    store_sample(s, at, &r, m->t, m->x, rate);
    return ZW_OK;
}

static zw_status look_at(zw_lyapunov *s, looking *at, zw_ensemble_motion *m, zw_error *err) {
    rooms r = rooms_of(s, m->memory);
    int learn = LEARN * (at->strobes ? STROBE : DENSE);
    double *rate = s->thread[m->thread].row;
    at->look++;
    widen_extent(s, &r, m->x, at->look == 1 || at->look == at->looks / 2);
    if (at->strobes) {
        if (at->look % STROBE == 0) {
            double *y = next_return(s, at, &r);
            y[0] = m->t;
            memcpy(y + 1, m->x, sizeof(double) * (size_t)s->nx);
        }
        return ZW_OK;
    }
    zw_flow *flow;
    ZW_TRY(zw_lyapunov_flow(s, m->thread, at->point, &flow, err));
    ZW_TRY(zw_flow_rates(flow, m->t, m->x, rate, NULL, err));
    if (at->look == learn) {
        choose_section(s, at, &r, learn);
        if (s->hybrid && at->section >= 0) /* what an event sets passes it the other way at once */
            at->way = rate[at->section] < 0 ? -1 : 1;
    }
    if (at->look > learn)
        find_return(s, at, &r, m, rate);
    int of = s->of >= 0 ? s->of : at->section;
    if (of >= 0 && at->look >= learn)
        r.series[at->nseries++] = s->wraps[of] ? sin(m->x[of]) : m->x[of];
    store_sample(s, at, &r, m->t, m->x, rate);
    return ZW_OK;
}

/* -------------------------------------------------------------------------------------- judging */

static const double *return_at(const zw_lyapunov *s, const rooms *r, long j) {
    return r->y + (size_t)(j % ROOM) * (size_t)(s->nx + 1);
}

/* Does an entry hardly move? Such as a velocity that a constraint makes zero: what is left of it is
 * rounding, as random as chaos. */
static bool is_unresolved(const zw_lyapunov *s, const rooms *r, int i) {
    return r->high[i] - r->low[i] <= UNRESOLVED * s->run.atol;
}

static double scaled_distance(const zw_lyapunov *s, const rooms *r, const double *a,
                              const double *b) {
    double most = 0;
    for (int i = 0; i < s->nx; i++) {
        double size = fmax(0.5 * (r->high[i] - r->low[i]), REST * s->scale[i]);
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

/* how far the last n returns are from those k before them, at worst; of the earlier half in
 * *earlier */
static double miss_of(const zw_lyapunov *s, const looking *at, const rooms *r, int k, int n,
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

static bool is_at_rest(const zw_lyapunov *s, const rooms *r) {
    for (int i = 0; i < s->nx; i++) {
        double size = fmax(s->scale[i], 1e-3 * fabs(r->high[i]));
        if (s->essential[i] &&
            !(r->high[i] - r->low[i] <= fmax(REST * size, UNRESOLVED * s->run.atol)))
            return false;
    }
    return true;
}

/* Was the motion elsewhere at first? Compares its first returns with the last ones of the same
 * phase. */
static bool is_transient(const zw_lyapunov *s, const looking *at, const rooms *r, int k) {
    long first = at->nreturn > ROOM ? at->nreturn - ROOM : 0;
    for (long i = first; i < first + k; i++) {
        long last = i + (at->nreturn - 1 - i) / k * k;
        if (scaled_distance(s, r, return_at(s, r, i), return_at(s, r, last)) > ELSEWHERE)
            return true;
    }
    return false;
}

static void find_period(const zw_lyapunov *s, const looking *at, const rooms *r,
                        zw_lyapunov_motion *out) {
    long kept = at->nreturn < ROOM ? at->nreturn : ROOM;
    out->fate = ZW_FATE_OTHER;
    out->miss = INFINITY;
    for (int k = 1; k <= PERIODS && 3 * k < kept; k++) {
        int n = (int)fmin(RETURNS, (double)(kept - k - 1));
        double earlier, late = miss_of(s, at, r, k, n, &earlier);
        if (late < out->miss) {
            out->miss = late;
            out->times = k;
        }
        bool same = fmax(late, earlier) < SAME,
             nearer = late < SHRINKING * earlier && late < 30 * SAME;
        if (!same && !nearer)
            continue;
        long turns = n / k; /* whole ones */
        const double *last = return_at(s, r, at->nreturn - 1),
                     *first = return_at(s, r, at->nreturn - 1 - turns * k);
        out->fate = same ? ZW_FATE_PERIODIC : ZW_FATE_SETTLING;
        out->came = is_transient(s, at, r, k);
        out->times = k;
        out->period = n >= k ? (last[0] - first[0]) / (double)turns : NAN;
        return;
    }
}

/* the entry that changes most from return to return; -1: none does by more than the returns are
 * known to */
static int changing_entry(const zw_lyapunov *s, const looking *at, const rooms *r, long kept) {
    int best = -1;
    double most = SAME * SAME;
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

static void test_returns(const zw_lyapunov *s, const looking *at, const rooms *r,
                         zw_lyapunov_motion *out, double *phi, double *room) {
    long kept = at->nreturn < ROOM ? at->nreturn : ROOM;
    int of = s->of >= 0 && at->strobes ? s->of : changing_entry(s, at, r, kept);
    out->sampled = at->strobes ? s->tau[at->point] : 0;
    out->samples = (int)kept;
    if (of < 0)
        return;
    for (long j = 0; j < kept; j++) {
        double v = return_at(s, r, at->nreturn - kept + j)[1 + of];
        phi[j] = s->wraps[of] ? sin(v) : v;
    }
    out->K = zw_zero_one((int)kept, phi, ANGLES, room);
    /* chaos in k bands, which are visited one after the other, shows only in each k-th value */
    if (out->times < 2 || kept / out->times < BANDED)
        return;
    int n = 0;
    for (long j = 0; j < kept; j += out->times)
        phi[n++] = phi[j];
    double K = zw_zero_one(n, phi, ANGLES, room);
    out->K = K > out->K ? K : out->K;
}

static void test_series(const looking *at, const rooms *r, zw_lyapunov_motion *out, double *phi,
                        double *room) {
    int stride = zw_series_stride(at->nseries, r->series), n = 0;
    for (int i = 0; i < at->nseries && n < MANY; i += stride)
        phi[n++] = r->series[i];
    out->sampled = stride * at->step;
    out->samples = n;
    out->K = zw_zero_one(n, phi, ANGLES, room);
}

static void look_end(void *user, zw_ensemble_motion *m) {
    zw_lyapunov *s = user;
    looking *at = m->memory;
    zw_lyapunov_motion *out = &s->motion[at->index];
    if (at->look < at->looks)
        return; /* it failed on the way, or was stopped: nothing is known of its end */
    rooms r = rooms_of(s, m->memory);
    double *phi = s->thread[m->thread].room, *room = phi + MANY + ROOM;
    double *kept = s->end + (size_t)at->index * (size_t)(s->nx + 1);
    out->looked = true;
    out->came = false;
    out->K = out->period = NAN;
    kept[0] = m->t;
    memcpy(kept + 1, m->x, sizeof(double) * (size_t)s->nx);
    if (is_at_rest(s, &r)) {
        out->fate = ZW_FATE_STEADY;
        return;
    }
    find_period(s, at, &r, out);
    bool by_time = !at->strobes && (s->of >= 0 || at->nreturn < FEW);
    if (!by_time)
        test_returns(s, at, &r, out, phi, room);
    else if (at->nseries > 8)
        test_series(at, &r, out, phi, room);
}

static zw_ensemble_reply look_visit(void *user, zw_ensemble_motion *m) {
    zw_lyapunov *s = user;
    looking *at = m->memory;
    zw_error trouble = {0};
    if (at->late) {
        const double *kept = s->end + (size_t)at->index * (size_t)(s->nx + 1);
        at->late = !zw_lyapunov_place(s, m, kept, at->point, NULL);
        m->next = m->t + at->step;
        return ZW_ENSEMBLE_CHANGED;
    }
    if ((at->near ? look_near : look_at)(s, at, m, &trouble) < 0) {
        at->looks = at->look + 1; /* not known */
        return ZW_ENSEMBLE_DONE;
    }
    zw_lyapunov_report_part(s, m, at->from, at->from + at->looks * at->step);
    double next = at->from + (at->look + 1) * at->step;
    const rooms r = rooms_of(s, m->memory);
    m->next = s->hybrid && !at->strobes ? approach_section(at, &r, m->t, next) : next;
    at->near = m->next < next;
    return at->look < at->looks ? ZW_ENSEMBLE_ON : ZW_ENSEMBLE_DONE;
}

zw_status zw_lyapunov_look(zw_lyapunov *s, zw_error *err) {
    const zw_ensemble_client client = {
        .user = s, .begin = look_begin, .visit = look_visit, .end = look_end};
    int n;
    for (int i = 0; i < s->nthread; i++)
        if (!s->thread[i].room)
            s->thread[i].room = ZW_NEW(&s->arena, double, 5 * (MANY + ROOM) + ANGLES + 8);
    if (s->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_lyapunov_list(s, true, &n, err));
    return zw_lyapunov_motions(s, &client, 0, memory_of(s), n, err);
}
